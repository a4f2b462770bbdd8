import AttentionQueries.Algebra.LinearSystem
import AttentionQueries.LowRank.HittingSet
import AttentionQueries.Query

/-! # How many scores a matrix of low rank needs

A score oracle answers `uᵀ W w` for any `u` and `w`. This file bounds from below the number of scores that an adaptive
program must ask, against any matrix `W`, to tell `W` from all matrices of a slightly larger rank.

## Main definitions

* `scoreOracle W`: the oracle that answers `(u, w)` with `uᵀ W w`.

## Main statements

* `exists_low_rank_form`: fewer than `r n + (m - r)` probes all vanish on some nonzero `m × n` matrix of rank at
  most `r` (`1 ≤ r ≤ m`).
* `Hits.le_length`: a list of probes that hits rank at most `r` has at least that many members.
* `scores_needed`: a program that asks fewer scores than that against `W` behaves alike against another matrix
  `W'`, whose rank exceeds that of `W` by at most `r`.
* `scores_needed_zero`, `scores_needed_rankOne`: against the zero matrix, with rank at most `r` promised; for
  `r = 1` and `d × d` matrices this is the number `2 d - 1` of degrees of freedom.
* `scores_needed_all`: without a promise on the rank, every matrix needs `m n` scores: low rank alone saves nothing.
* `entries_needed`: if only entries are asked, even the promise of rank at most one saves nothing against the
  zero matrix.
* `entries_needed_rank`: with the promise of rank at most `r`, `(m + n - r) r` entries are needed against the
  matrix that begins with the identity matrix of size `r`; this is the number read by `low_rank_queries`.
* `scores_needed_rank_zero`: `1 ≤ r` cannot be dropped.
-/

namespace AttentionQueries
open CommRing Matrix

namespace LowRank
section ring
variable {R α : Type} [CommRing R] {m n : Nat}

/-- The score oracle of `W`: it answers `(u, w)` with `uᵀ W w`. -/
def scoreOracle (W : RectMat R m n) : Vec R m × Vec R n → R := fun t => form W t.1 t.2

/-- The hyperplane orthogonal to `u` in `m + 1` dimensions contains an image of `m`-dimensional space. -/
private theorem exists_hyperplane (hR : IsDomain R) : ∀ {m : Nat} (u : Vec R (m + 1)),
    ∃ E : RectMat R (m + 1) m, row E u = 0 ∧ ∀ y : Vec R m, col E y = 0 → y = 0
  | 0, _ => ⟨fun _ j => j.elim0, funext fun j => j.elim0, fun _ _ => funext fun j => j.elim0⟩
  | m + 1, u => by
    by_cases h0 : u 0 = 0
    · obtain ⟨E, hE, hinj⟩ := exists_hyperplane hR fun i => u i.succ
      -- first coordinate free, the others in the smaller hyperplane
      refine ⟨fun i => Fin.cases (basis 0) (fun i j => Fin.cases 0 (fun j => E i j) j) i, funext fun j => ?_,
        fun y hy => ?_⟩
      · rw [row, finSum_succ, h0, zero_mul, zero_add]
        induction j using Fin.cases with
        | zero => exact finSum_zero fun i => mul_zero _
        | succ j => exact congrFun hE j
      · have hy0 : y 0 = 0 := by
          have := congrFun hy 0
          rw [col] at this
          have e : (finSum fun j => basis (0 : Fin (m + 1)) j * y j) = y 0 := by
            rw [finSum_single 0 fun j hj => by rw [basis_ne hj, zero_mul], basis_self, one_mul]
          exact e.symm.trans this
        have hys : (fun j : Fin m => y j.succ) = 0 := hinj _ (funext fun i => by
          have := congrFun hy i.succ
          rw [col, finSum_succ] at this
          have e : (0 : R) * y 0 + (finSum fun j : Fin m => E i j * y j.succ) = 0 := this
          rw [zero_mul, zero_add] at e
          exact e)
        funext j
        induction j using Fin.cases with
        | zero => exact hy0
        | succ j => exact congrFun hys j
    · refine ⟨fun i => Fin.cases (fun j => -u j.succ) (fun i j => u 0 * basis i j) i, funext fun j => ?_,
        fun y hy => ?_⟩
      · rw [row, finSum_succ, finSum_single j]
        · show u 0 * -u j.succ + u j.succ * (u 0 * basis j j) = 0
          rw [basis_self]; ring
        · intro i hi
          show u i.succ * (u 0 * basis i j) = 0
          rw [basis_ne (Ne.symm hi), mul_zero, mul_zero]
      · funext i
        have := congrFun hy i.succ
        have e : col (fun i j => u 0 * basis i j) y i = u 0 * y i := by
          rw [col, finSum_single i fun j hj => by rw [basis_ne hj, mul_zero, zero_mul], basis_self, mul_one]
        exact (hR.mul_eq_zero _ _ (e.symm.trans this)).resolve_left h0

/-- The bound for `m = r + k` rows, by induction on `k`. -/
private theorem exists_low_rank_form_aux (hR : IsDomain R) {r : Nat} (hr : 1 ≤ r) (hn : 1 ≤ n) : ∀ (k : Nat) {m : Nat},
    m = r + k → ∀ l : List (Vec R m × Vec R n), l.length < r * n + k →
    ∃ D : RectMat R m n, D ≠ 0 ∧ RankLE r D ∧ ∀ t ∈ l, form D t.1 t.2 = 0
  | 0, m, hm, l, hl => by
    obtain ⟨D, hD, h⟩ := exists_ne_zero_form hR l (Nat.lt_of_lt_of_eq hl (congrArg (· * n) hm).symm)
    exact ⟨D, hD, RankLE.mono (Nat.le_of_eq hm) (rankLE_rows D), h⟩
  | k + 1, 0, hm, _, _ => absurd hm.symm (Nat.succ_ne_zero (r + k))
  | k + 1, m + 1, hm, l, hl => by
    -- the matrix is found in the hyperplane orthogonal to the first probe
    have hstep : ∀ (u : Vec R (m + 1)) (l : List (Vec R (m + 1) × Vec R n)), l.length < r * n + k →
        ∃ D : RectMat R (m + 1) n, D ≠ 0 ∧ RankLE r D ∧ (∀ w, form D u w = 0) ∧ ∀ t ∈ l, form D t.1 t.2 = 0 := by
      intro u l hl
      obtain ⟨E, hE, hinj⟩ := exists_hyperplane hR u
      obtain ⟨D, hD, hrank, h⟩ := exists_low_rank_form_aux hR hr hn k (Nat.succ.inj hm)
        (l.map fun t => (row E t.1, t.2)) (by rw [List.length_map]; exact hl)
      refine ⟨mm E D, fun h0 => hD ?_, hrank.mul E, fun w => ?_, fun t ht => ?_⟩
      · funext i j
        exact congrFun (hinj (fun i => D i j) (funext fun i => congrFun (congrFun h0 i) j)) i
      · rw [form_mm, hE, form_row]
        exact finSum_zero fun j => by rw [show row D 0 j = 0 from finSum_zero fun i => zero_mul _, zero_mul]
      · rw [form_mm]
        exact h _ (List.mem_map.mpr ⟨t, ht, rfl⟩)
    cases l with
    | nil =>
      obtain ⟨D, hD, hrank, -, h⟩ := hstep 0 [] (Nat.lt_of_lt_of_le (Nat.mul_pos hr hn) (Nat.le_add_right _ _))
      exact ⟨D, hD, hrank, h⟩
    | cons t l =>
      obtain ⟨D, hD, hrank, h0, h⟩ := hstep t.1 l (Nat.lt_of_succ_lt_succ hl)
      refine ⟨D, hD, hrank, fun t' ht' => ?_⟩
      rcases List.mem_cons.mp ht' with rfl | ht'
      · exact h0 _
      · exact h t' ht'

/-- **Fewer probes than `r n + (m - r)`** are all zero on some `m × n` matrix of rank at most `r` that is not zero. -/
theorem exists_low_rank_form (hR : IsDomain R) {r : Nat} (hr : 1 ≤ r) (hrm : r ≤ m) (hn : 1 ≤ n)
    (l : List (Vec R m × Vec R n)) (hl : l.length < r * n + (m - r)) :
    ∃ D : RectMat R m n, D ≠ 0 ∧ RankLE r D ∧ ∀ t ∈ l, form D t.1 t.2 = 0 :=
  exists_low_rank_form_aux hR hr hn (m - r) (Nat.add_sub_of_le hrm).symm l hl

/-- A list of probes that hits rank at most `r` has at least `r n + (m - r)` members. For `r = 1` and for
`r = m ≤ n` this is the number `r (m + n - r)` of `rankProbes`. -/
theorem Hits.le_length (hR : IsDomain R) {r : Nat} (hr : 1 ≤ r) (hrm : r ≤ m) (hn : 1 ≤ n)
    {T : List (Vec R m × Vec R n)} (hT : Hits T r) : r * n + (m - r) ≤ T.length := by
  refine Nat.le_of_not_lt fun h => ?_
  obtain ⟨D, hD, hrank, h0⟩ := exists_low_rank_form hR hr hrm hn T h
  obtain ⟨t, ht, hne⟩ := hT D hrank hD
  exact hne (h0 t ht)

/-- **Lower bound on scores.** A program that asks fewer than `r n + (m - r)` scores against `W`, chosen
adaptively and arbitrarily, asks the same and ends alike against some other matrix `W'`, whose rank exceeds that
of `W` by at most `r`. -/
theorem scores_needed (hR : IsDomain R) {r : Nat} (hr : 1 ≤ r) (hrm : r ≤ m) (hn : 1 ≤ n)
    (P : QueryProgram (Vec R m × Vec R n) R α) (W : RectMat R m n)
    (h : (P.queries (scoreOracle W)).length < r * n + (m - r)) :
    ∃ W' : RectMat R m n, W' ≠ W ∧ (∀ s, RankLE s W → RankLE (s + r) W') ∧
      P.run (scoreOracle W) = P.run (scoreOracle W') ∧ P.queries (scoreOracle W) = P.queries (scoreOracle W') := by
  obtain ⟨D, hD, hrank, h0⟩ := exists_low_rank_form hR hr hrm hn _ h
  refine ⟨W + D, fun e => hD (funext fun i => funext fun j => add_left_cancel (a := W i j) ?_),
    fun s hs => hs.add hrank, P.run_congr fun t ht => ?_⟩
  · exact (congrFun (congrFun e i) j).trans (add_zero _).symm
  · rw [scoreOracle, scoreOracle, form_add, h0 t ht, add_zero]

/-- **With the promise of rank at most `r`**, a program needs `r d + (d - r)` scores against the zero matrix: if it asks
fewer, it does not tell it from some other `d × d` matrix of rank at most `r`. -/
theorem scores_needed_zero (hR : IsDomain R) {r d : Nat} (hr : 1 ≤ r) (hrd : r ≤ d)
    (P : QueryProgram (Vec R d × Vec R d) R α)
    (h : (P.queries (scoreOracle (0 : RectMat R d d))).length < r * d + (d - r)) :
    ∃ W : RectMat R d d, W ≠ 0 ∧ RankLE r W ∧ P.run (scoreOracle W) = P.run (scoreOracle 0) := by
  obtain ⟨W, hW, hrank, hrun, -⟩ := scores_needed hR hr hrd (Nat.le_trans hr hrd) P 0 h
  have := hrank 0 (rankLE_zero.mpr rfl)
  rw [Nat.zero_add] at this
  exact ⟨W, hW, this, hrun.symm⟩

/-- **Rank one**: a program needs `2 d - 1` scores, the number of degrees of freedom. -/
theorem scores_needed_rankOne (hR : IsDomain R) {d : Nat} (hd : 1 ≤ d) (P : QueryProgram (Vec R d × Vec R d) R α)
    (h : (P.queries (scoreOracle (0 : RectMat R d d))).length < 2 * d - 1) :
    ∃ W : RectMat R d d, W ≠ 0 ∧ RankLE 1 W ∧ P.run (scoreOracle W) = P.run (scoreOracle 0) := by
  refine scores_needed_zero hR (Nat.le_refl 1) hd P (Nat.lt_of_lt_of_eq h ?_)
  rw [Nat.two_mul, Nat.one_mul, Nat.add_sub_assoc hd]

/-- **Without a promise on the rank** a program needs `m n` scores, against every matrix `W`, however low its
rank: if it asks fewer, it does not tell `W` from some other matrix. -/
theorem scores_needed_all (hR : IsDomain R) (P : QueryProgram (Vec R m × Vec R n) R α) (W : RectMat R m n)
    (h : (P.queries (scoreOracle W)).length < m * n) :
    ∃ W' : RectMat R m n, W' ≠ W ∧ P.run (scoreOracle W) = P.run (scoreOracle W') := by
  have hmn := Nat.pos_iff_ne_zero.mp (Nat.lt_of_le_of_lt (Nat.zero_le _) h)
  have hm : 1 ≤ m := Nat.pos_iff_ne_zero.mpr fun e => hmn (by rw [e, Nat.zero_mul])
  have hn : 1 ≤ n := Nat.pos_iff_ne_zero.mpr fun e => hmn (by rw [e, Nat.mul_zero])
  obtain ⟨W', hW, -, hrun, -⟩ := scores_needed hR hm (Nat.le_refl m) hn P W
    (Nat.lt_of_lt_of_le h (Nat.le_add_right _ _))
  exact ⟨W', hW, hrun⟩

/-- `1 ≤ r` cannot be dropped in `scores_needed_zero`: the zero matrix is the only one of rank `0`, so no score
is needed. -/
theorem scores_needed_rank_zero (W : RectMat R m n) (h : RankLE 0 W) : W = 0 := rankLE_zero.mp h

/-! ## Entries -/

private theorem pairwise_entries (m n : Nat) :
    ((List.finRange m).flatMap fun i => (List.finRange n).map fun j => (i, j)).Pairwise (· ≠ ·) := by
  have key : ∀ l : List (Fin m), l.Pairwise (· ≠ ·) →
      (l.flatMap fun i => (List.finRange n).map fun j => (i, j)).Pairwise (· ≠ ·) := by
    intro l hl
    induction hl with
    | nil => exact .nil
    | @cons i l hi _ ih =>
      rw [List.flatMap_cons]
      refine List.pairwise_append.mpr ⟨List.pairwise_map.mpr ?_, ih, fun a ha b hb e => ?_⟩
      · exact (finRange_pairwise_ne n).imp fun hne e => hne (congrArg Prod.snd e)
      · obtain ⟨j, -, rfl⟩ := List.mem_map.mp ha
        obtain ⟨i', hi', hb⟩ := List.mem_flatMap.mp hb
        obtain ⟨j', -, rfl⟩ := List.mem_map.mp hb
        exact hi i' hi' (congrArg Prod.fst e)
  exact key _ (finRange_pairwise_ne m)

/-- **If only entries are asked**, that is scores of basis vectors, then the promise of rank at most one saves
nothing: a program that asks fewer than `m n` entries of the zero matrix does not tell it from some other matrix
of rank at most one. -/
theorem entries_needed (h1 : (1 : R) ≠ 0) (P : QueryProgram (Fin m × Fin n) R α)
    (h : (P.queries fun _ => (0 : R)).length < m * n) :
    ∃ W : RectMat R m n, W ≠ 0 ∧ RankLE 1 W ∧ P.run (fun e => W e.1 e.2) = P.run fun _ => 0 := by
  have hunread : ∃ i j, (i, j) ∉ P.queries fun _ : Fin m × Fin n => (0 : R) := by
    apply Classical.byContradiction
    intro hall
    have hle := length_le_of_distinct (fun t : Fin m × Fin n => t)
      (l := (List.finRange m).flatMap fun i => (List.finRange n).map fun j => (i, j))
      (m := P.queries fun _ => (0 : R)) ?_
      fun t _ =>
        Classical.byContradiction fun ht => hall ⟨t.1, t.2, ht⟩
    · rw [length_flatMap_const (n := n) fun i => by rw [List.length_map, List.length_finRange],
        List.length_finRange] at hle
      exact Nat.lt_irrefl _ (Nat.lt_of_le_of_lt hle h)
    · exact pairwise_entries m n
  obtain ⟨i, j, hij⟩ := hunread
  have e : ∀ i' j', osum [((basis i : Vec R m), (basis j : Vec R n))] i' j' = basis i i' * basis j j' := fun i' j' =>
    add_zero _
  refine ⟨osum [(basis i, basis j)], fun h0 => h1 ?_, ⟨_, rfl, rfl⟩, (P.run_congr fun t ht => ?_).1.symm⟩
  · have := congrFun (congrFun h0 i) j
    rw [e, basis_self, basis_self, mul_one] at this
    exact this
  · rw [e]
    by_cases hi : t.1 = i
    · by_cases hj : t.2 = j
      · exact absurd (show (i, j) ∈ _ by rw [← hi, ← hj]; exact ht) hij
      · rw [basis_ne hj, mul_zero]
    · rw [basis_ne hi, zero_mul]

/-- A matrix whose rows from `r` on vanish has rank at most `r`. -/
theorem rankLE_of_rows {r : Nat} (hr : r ≤ m) {W : RectMat R m n}
    (h : ∀ (i : Fin m) (j : Fin n), r ≤ i.val → W i j = 0) :
    RankLE r W := by
  have e : W = mm (fun (i : Fin m) (t : Fin r) => if i.val = t.val then (1 : R) else 0)
      fun t j => W (Fin.castLE hr t) j := by
    funext i j
    by_cases hi : i.val < r
    · rw [mm, finSum_single ⟨i.val, hi⟩, if_pos rfl, one_mul]
      · rfl
      · exact fun t ht => by rw [if_neg fun e => ht (Fin.ext e.symm), zero_mul]
    · rw [h i j (Nat.le_of_not_lt hi), mm, finSum_zero]
      exact fun t => by rw [if_neg fun e => hi (Nat.lt_of_le_of_lt (Nat.le_of_eq e) t.isLt), zero_mul]
  rw [e]
  exact (rankLE_rows _).mul _

/-- The matrix that begins with the identity matrix of size `r`, and is zero elsewhere. -/
def partialIdentity (R : Type) [CommRing R] (m n r : Nat) : RectMat R m n := fun i j =>
  if i.val = j.val ∧ i.val < r then 1 else 0

/-- The positions in the first `r` rows or in the first `r` columns. -/
private def corner {r : Nat} (hm : r ≤ m) (hn : r ≤ n) : List (Fin m × Fin n) :=
  (((List.finRange r).flatMap fun i => (List.finRange n).map fun j => (i, j)).map fun t => (Fin.castLE hm t.1, t.2)) ++
    ((List.finRange (m - r)).flatMap fun i => (List.finRange r).map fun j => (i, j)).map fun t =>
      (⟨r + t.1.val, Nat.lt_of_lt_of_eq (Nat.add_lt_add_left t.1.isLt r) (Nat.add_sub_of_le hm)⟩, Fin.castLE hn t.2)

private theorem length_corner {r : Nat} (hm : r ≤ m) (hn : r ≤ n) :
    (corner hm hn).length + r * r = (m + n) * r := by
  rw [corner, List.length_append, List.length_map, List.length_map,
    length_flatMap_const (n := n) fun i => by rw [List.length_map, List.length_finRange],
    length_flatMap_const (n := r) fun i => by rw [List.length_map, List.length_finRange], List.length_finRange,
    List.length_finRange, Nat.add_assoc, ← Nat.add_mul, Nat.sub_add_cancel hm, Nat.add_mul,
    Nat.mul_comm r n, Nat.add_comm]

private theorem pairwise_corner {r : Nat} (hm : r ≤ m) (hn : r ≤ n) : (corner hm hn).Pairwise (· ≠ ·) := by
  refine List.pairwise_append.mpr ⟨List.pairwise_map.mpr ?_, List.pairwise_map.mpr ?_, fun a ha b hb e => ?_⟩
  · refine (pairwise_entries r n).imp fun {a b} h e => h ?_
    exact Prod.ext (Fin.ext (congrArg (fun t : Fin m × Fin n => t.1.val) e))
      (congrArg (fun t : Fin m × Fin n => t.2) e)
  · refine (pairwise_entries (m - r) r).imp fun {a b} h e => h ?_
    exact Prod.ext (Fin.ext (Nat.add_left_cancel (congrArg (fun t : Fin m × Fin n => t.1.val) e)))
      (Fin.ext (congrArg (fun t : Fin m × Fin n => t.2.val) e))
  · obtain ⟨s, -, rfl⟩ := List.mem_map.mp ha
    obtain ⟨t, -, rfl⟩ := List.mem_map.mp hb
    have h1 : s.1.val = r + t.1.val := congrArg (fun t : Fin m × Fin n => t.1.val) e
    exact Nat.not_le_of_lt s.1.isLt (Nat.le_trans (Nat.le_add_right r t.1.val) (Nat.le_of_eq h1.symm))

private theorem mem_corner {r : Nat} (hm : r ≤ m) (hn : r ≤ n) {t : Fin m × Fin n} (ht : t ∈ corner hm hn) :
    t.1.val < r ∨ t.2.val < r := by
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨s, -, rfl⟩ := List.mem_map.mp ht
    exact .inl s.1.isLt
  · obtain ⟨s, -, rfl⟩ := List.mem_map.mp ht
    exact .inr s.2.isLt

/-- **Entries, with the promise of rank at most `r`.** A program that asks fewer than `(m + n - r) r` entries of
the matrix that begins with the identity matrix of size `r` does not tell it from some other matrix of rank at
most `r`. -/
theorem entries_needed_rank (h1 : (1 : R) ≠ 0) {r : Nat} (hm : r ≤ m) (hn : r ≤ n)
    (P : QueryProgram (Fin m × Fin n) R α)
    (h : (P.queries fun e => partialIdentity R m n r e.1 e.2).length + r * r < (m + n) * r) :
    RankLE r (partialIdentity R m n r) ∧ ∃ W : RectMat R m n, W ≠ partialIdentity R m n r ∧ RankLE r W ∧
      P.run (fun e => W e.1 e.2) = P.run fun e => partialIdentity R m n r e.1 e.2 := by
  have hrow : ∀ (i : Fin m) (j : Fin n), r ≤ i.val → partialIdentity R m n r i j = 0 := fun i j hi =>
    if_neg fun e => Nat.not_lt_of_le hi e.2
  have hcol : ∀ (i : Fin m) (j : Fin n), r ≤ j.val → partialIdentity R m n r i j = 0 := fun i j hj =>
    if_neg fun e => Nat.not_lt_of_le hj (Nat.lt_of_le_of_lt (Nat.le_of_eq e.1.symm) e.2)
  refine ⟨rankLE_of_rows hm hrow, ?_⟩
  -- an entry of the corner that is not asked
  have hex : ∃ t ∈ corner hm hn, t ∉ P.queries fun e => partialIdentity R m n r e.1 e.2 := by
    apply Classical.byContradiction
    intro hall
    have hle := length_le_of_distinct (fun t : Fin m × Fin n => t) (pairwise_corner hm hn) fun t ht =>
      Classical.byContradiction fun hq => hall ⟨t, ht, hq⟩
    rw [← length_corner hm hn] at h
    exact Nat.not_lt_of_le (Nat.add_le_add_right hle _) h
  obtain ⟨⟨i, j⟩, ht, hq⟩ := hex
  generalize hW' : partialIdentity R m n r + osum [(basis i, basis j)] = W'
  have hval : ∀ i' j', W' i' j' =
      partialIdentity R m n r i' j' + basis i i' * basis j j' := fun i' j' =>
    hW' ▸ congrArg (partialIdentity R m n r i' j' + ·) (add_zero _)
  refine ⟨W', fun e => h1 ?_, ?_, (P.run_congr fun s hs => ?_).1.symm⟩
  · have h2 := congrFun (congrFun e i) j
    rw [hval, basis_self, basis_self] at h2
    lin_comb (1) h2
  · rcases mem_corner hm hn ht with hi | hj
    · refine rankLE_of_rows hm fun i' j' hi' => ?_
      have hne : i' ≠ i := by
        rintro rfl
        exact Nat.not_lt_of_le hi' hi
      rw [hval, hrow i' j' hi', basis_ne hne, zero_mul, add_zero]
    · have h2 : RankLE r (tr W') :=
        rankLE_of_rows hn fun j' i' hj' => by
          show W' i' j' = 0
          have hne : j' ≠ j := by
            rintro rfl
            exact Nat.not_lt_of_le hj' hj
          rw [hval, hcol i' j' hj', basis_ne hne, mul_zero, add_zero]
      exact h2.tr
  · rw [hval]
    by_cases hi : s.1 = i
    · by_cases hj : s.2 = j
      · exact absurd (show (i, j) ∈ _ by rw [← hi, ← hj]; exact hs) hq
      · rw [basis_ne hj, mul_zero, add_zero]
    · rw [basis_ne hi, zero_mul, add_zero]
end ring
end LowRank

end AttentionQueries
