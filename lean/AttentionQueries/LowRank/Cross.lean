import AttentionQueries.LowRank.Wedderburn

/-! # A matrix of low rank from a cross of entries

Probes by basis vectors read entries: the rows and the columns of the pivots. For `r` pivots these are `(m + n - r) r`
entries, and they determine a matrix of rank at most `r` among all such matrices.

## Main definitions

* `InCross l`: the positions in the rows and the columns of the pivots `l`.
* `stepEntries`, `crossEntries`: the entries in the order in which they are read.

## Main statements

* `cross_unique`: a matrix of rank at most `r` is determined by the cross of `r` successful pivots.
* `step_count`, `low_rank_queries`: step `k` reads `2 (d - k) - 1` new entries of a `d × d` matrix, all steps together
  `(m + n - r) r` entries of an `m × n` matrix.
* `cross_unique_rank_needed`: the bound on the rank of the other matrix cannot be dropped.
-/

namespace AttentionQueries
open CommRing OrderedField Matrix

namespace LowRank
variable {K : Type} [Field K] {m n : Nat}

/-- The position lies in a row or in a column of one of the pivots `l`. -/
def InCross (l : List (Fin m × Fin n)) (i : Fin m) (j : Fin n) : Prop := (∃ p ∈ l, p.1 = i) ∨ ∃ p ∈ l, p.2 = j

/-- Wedderburn's step with a probe by basis vectors. -/
theorem deflate_basis (W : RectMat K m n) (i0 i : Fin m) (j0 j : Fin n) :
    deflate W (basis i0) (basis j0) i j = W i j - W i j0 * W i0 j * (W i0 j0)⁻¹ := by
  rw [deflate, col_basis, row_basis, form_basis]

/-- The outer products split off, and the success of the probes, depend on the entries in the cross only. -/
private theorem cross_terms {L l : List (Fin m × Fin n)} (hl : ∀ p ∈ l, p ∈ L) {W W' : RectMat K m n}
    (h : ∀ i j, InCross L i j → W i j = W' i j) :
    terms W (basisProbes l) = terms W' (basisProbes l) ∧ (Pivots W (basisProbes l) ↔ Pivots W' (basisProbes l)) := by
  induction l generalizing W W' with
  | nil => exact ⟨rfl, Iff.rfl⟩
  | cons p l ih =>
    have hp : p ∈ L := hl p List.mem_cons_self
    have hrow : ∀ j, W p.1 j = W' p.1 j := fun j => h _ _ (.inl ⟨p, hp, rfl⟩)
    have hcol : ∀ i, W i p.2 = W' i p.2 := fun i => h _ _ (.inr ⟨p, hp, rfl⟩)
    have hd : ∀ i j, InCross L i j → deflate W (basis p.1) (basis p.2) i j = deflate W' (basis p.1) (basis p.2) i j :=
      fun i j hij => by rw [deflate_basis, deflate_basis, h i j hij, hrow, hcol, hcol]
    obtain ⟨e1, e2⟩ := ih (fun q hq => hl q (List.mem_cons_of_mem p hq)) hd
    have hf : form W (basis p.1) (basis p.2) = form W' (basis p.1) (basis p.2) := by rw [form_basis, form_basis, hcol]
    have hc : col W (basis p.2) = col W' (basis p.2) := funext fun i => by rw [col_basis, col_basis, hcol]
    have hr : row W (basis p.1) = row W' (basis p.1) := funext fun j => by rw [row_basis, row_basis, hrow]
    refine ⟨?_, ?_⟩
    · show (_ :: terms _ (basisProbes l)) = (_ :: terms _ (basisProbes l))
      rw [e1, hf, hc, hr]
    · show (form W (basis p.1) (basis p.2) ≠ 0 ∧ Pivots (deflate W (basis p.1) (basis p.2)) (basisProbes l)) ↔
        (form W' (basis p.1) (basis p.2) ≠ 0 ∧ Pivots (deflate W' (basis p.1) (basis p.2)) (basisProbes l))
      rw [hf, e2]
/-- **A matrix of rank at most `r` is determined by the cross of `r` successful basis probes.** -/
theorem cross_unique {r : Nat} {W W' : RectMat K m n} (hW : RankLE r W) (hW' : RankLE r W') {l : List (Fin m × Fin n)}
    (hp : Pivots W (basisProbes l)) (hl : l.length = r) (h : ∀ i j, InCross l i j → W i j = W' i j) : W = W' := by
  obtain ⟨e1, e2⟩ := cross_terms (fun _ hp => hp) h
  have hlen : (basisProbes l : List (Vec K m × Vec K n)).length = r := by rw [basisProbes, List.length_map, hl]
  rw [(recovery hW hp hlen).2, (recovery hW' (e2.mp hp) hlen).2, e1]

/-- Pivots lie in distinct rows and in distinct columns. -/
theorem Pivots.distinct {W : RectMat K m n} {l : List (Fin m × Fin n)} (hp : Pivots W (basisProbes l)) :
    l.Pairwise fun p q => p.1 ≠ q.1 ∧ p.2 ≠ q.2 := by
  -- probes after `u` and `w` have been annihilated
  have key : ∀ (l : List (Fin m × Fin n)) (W : RectMat K m n) (i : Fin m) (j : Fin n),
      row W (basis i) = 0 → col W (basis j) = 0 →
      Pivots W (basisProbes l) → ∀ q ∈ l, i ≠ q.1 ∧ j ≠ q.2 := by
    intro l
    induction l with
    | nil => intro _ _ _ _ _ _ q hq; cases hq
    | cons p l ih =>
      intro W i j hi hj hp q hq
      rcases List.mem_cons.mp hq with rfl | hq
      · refine ⟨?_, ?_⟩
        · rintro rfl
          exact hp.1 (by rw [form_basis, ← row_basis W q.1, hi]; rfl)
        · rintro rfl
          exact hp.1 (by rw [form_basis, ← col_basis W q.1 q.2, hj]; rfl)
      · exact ih _ i j (row_deflate_of_zero hi _ _) (col_deflate_of_zero hj _ _) hp.2 q hq
  induction l generalizing W with
  | nil => exact .nil
  | cons p l ih => exact .cons (key l _ _ _ (row_deflate_self hp.1) (col_deflate_self hp.1) hp.2) (ih hp.2)

open Classical in

/-- The indices other than those in `s`. -/
noncomputable def others (s : List (Fin m)) : List (Fin m) := (List.finRange m).filter fun i => decide (i ∉ s)

/-- The defining property of `others`. -/
theorem mem_others {s : List (Fin m)} {i : Fin m} : i ∈ others s ↔ i ∉ s := by
  rw [others, List.mem_filter]
  exact ⟨fun h => of_decide_eq_true h.2, fun h => ⟨List.mem_finRange i, decide_eq_true h⟩⟩


private theorem length_filter_ne {α : Type} [DecidableEq α] {l : List α} (hn : l.Pairwise (· ≠ ·)) {a : α}
    (ha : a ∈ l) :
    (l.filter fun b => decide (b ≠ a)).length + 1 = l.length := by
  induction l with
  | nil => cases ha
  | cons b l ih =>
    rw [List.pairwise_cons] at hn
    by_cases hb : b = a
    · have e : l.filter (fun b => decide (b ≠ a)) = l :=
        List.filter_eq_self.mpr fun c hc => decide_eq_true fun e => hn.1 c hc (hb.trans e.symm)
      rw [List.filter_cons_of_neg (by rw [decide_eq_true_iff]; exact fun h => h hb), e, List.length_cons]
    · rw [List.filter_cons_of_pos (p := fun b => decide (b ≠ a)) (decide_eq_true hb), List.length_cons,
        List.length_cons, ih hn.2 ((List.mem_cons.mp ha).resolve_left (Ne.symm hb))]

private theorem length_others_nil : (others ([] : List (Fin m))).length = m := by
  rw [others, List.filter_eq_self.mpr fun i _ => decide_eq_true List.not_mem_nil, List.length_finRange]

private theorem length_others_cons {s : List (Fin m)} {i : Fin m} (hi : i ∉ s) :
    (others (i :: s)).length + 1 = (others s).length := by
  rw [← length_filter_ne (l := others s) (a := i) ((finRange_pairwise_ne m).filter _) (mem_others.mpr hi), others,
    others, List.filter_filter]
  congr; funext k
  rw [Bool.eq_iff_iff, Bool.and_eq_true, decide_eq_true_iff, decide_eq_true_iff, decide_eq_true_iff, List.mem_cons]
  exact not_or

/-- The entries read for the first time by the pivot `p`, after the rows `s` and the columns `t`. -/
noncomputable def stepEntries (s : List (Fin m)) (t : List (Fin n)) (p : Fin m × Fin n) : List (Fin m × Fin n) :=
  (others s).map (fun i => (i, p.2)) ++ (others (p.2 :: t)).map fun j => (p.1, j)

/-- The entries read by the pivots, after the rows `s` and the columns `t`. -/
noncomputable def crossEntries (s : List (Fin m)) (t : List (Fin n)) : List (Fin m × Fin n) → List (Fin m × Fin n)
  | [] => []
  | p :: l => stepEntries s t p ++ crossEntries (p.1 :: s) (p.2 :: t) l

private theorem mem_crossEntries {s : List (Fin m)} {t : List (Fin n)} {l : List (Fin m × Fin n)}
    {i : Fin m} {j : Fin n} (hs : i ∉ s) (ht : j ∉ t) (h : InCross l i j) : (i, j) ∈ crossEntries s t l := by
  induction l generalizing s t with
  | nil => rcases h with ⟨_, h, _⟩ | ⟨_, h, _⟩ <;> cases h
  | cons p l ih =>
    rw [crossEntries, stepEntries]
    by_cases hj : j = p.2
    · subst hj
      exact List.mem_append.mpr (.inl (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨i, mem_others.mpr hs, rfl⟩))))
    · have ht' : j ∉ p.2 :: t := fun h => (List.mem_cons.mp h).elim hj ht
      by_cases hi : i = p.1
      · subst hi
        exact List.mem_append.mpr (.inl (List.mem_append.mpr (.inr (List.mem_map.mpr ⟨j, mem_others.mpr ht', rfl⟩))))
      · refine List.mem_append.mpr (.inr (ih (fun h => (List.mem_cons.mp h).elim hi hs) ht' ?_))
        rcases h with ⟨q, hq, e⟩ | ⟨q, hq, e⟩
        · rcases List.mem_cons.mp hq with rfl | hq
          · exact absurd e.symm hi
          · exact .inl ⟨q, hq, e⟩
        · rcases List.mem_cons.mp hq with rfl | hq
          · exact absurd e.symm hj
          · exact .inr ⟨q, hq, e⟩
/-- **Step count**: with `M` rows and `N` columns left, a step reads `M + N - 1` new entries; for `d × d` matrices and
`k` earlier steps this is `2 (d - k) - 1`. -/
theorem length_stepEntries (s : List (Fin m)) {t : List (Fin n)} {p : Fin m × Fin n} (hp : p.2 ∉ t) :
    (stepEntries s t p).length + 1 = (others s).length + (others t).length := by
  rw [stepEntries, List.length_append, List.length_map, List.length_map, Nat.add_assoc, length_others_cons hp]

/-- The number of the other indices. -/
theorem length_others {s : List (Fin m)} (hs : s.Pairwise (· ≠ ·)) : (others s).length + s.length = m := by
  induction s with
  | nil => exact length_others_nil
  | cons i s ih =>
    rw [List.pairwise_cons] at hs
    rw [List.length_cons, Nat.add_comm s.length, ← Nat.add_assoc, length_others_cons fun h => hs.1 i h rfl, ih hs.2]

private theorem length_crossEntries {s : List (Fin m)} {t : List (Fin n)} {l : List (Fin m × Fin n)}
    (hl : l.Pairwise fun p q => p.1 ≠ q.1 ∧ p.2 ≠ q.2) (hs : ∀ p ∈ l, p.1 ∉ s ∧ p.2 ∉ t) :
    (crossEntries s t l).length + l.length * l.length = ((others s).length + (others t).length) * l.length := by
  induction l generalizing s t with
  | nil => rfl
  | cons p l ih =>
    rw [List.pairwise_cons] at hl
    have hp := hs p List.mem_cons_self
    have e := ih (s := p.1 :: s) (t := p.2 :: t) hl.2 fun q hq =>
      ⟨fun h => (List.mem_cons.mp h).elim (fun e => (hl.1 q hq).1 e.symm) (hs q (List.mem_cons_of_mem p hq)).1,
       fun h => (List.mem_cons.mp h).elim (fun e => (hl.1 q hq).2 e.symm) (hs q (List.mem_cons_of_mem p hq)).2⟩
    have e1 := length_stepEntries s (p := p) hp.2
    have e2 := length_others_cons hp.1
    have e3 := length_others_cons hp.2
    rw [crossEntries, List.length_append, List.length_cons]
    generalize (stepEntries s t p).length = a at *
    generalize (crossEntries (p.1 :: s) (p.2 :: t) l).length = b at *
    generalize (others (p.1 :: s)).length = x at *
    generalize (others (p.2 :: t)).length = y at *
    generalize l.length = r at *
    rw [← e2, ← e3] at e1 ⊢
    have e4 : a = x + 1 + y := Nat.succ.inj e1
    rw [e4]
    have : b + r * r + (r + r + x + y + (1 + 1)) = (x + y) * r + (r + r + x + y + (1 + 1)) := by rw [e]
    simp only [Nat.mul_add, Nat.mul_one, Nat.add_assoc, Nat.add_comm, Nat.add_left_comm, Nat.mul_comm] at this ⊢
    exact this

/-- **Step `k`** (counting from 0) for a `d × d` matrix: `2 (d - k) - 1` new entries. -/
theorem step_count {d k : Nat} {s t : List (Fin d)} (hs : s.Pairwise (· ≠ ·)) (ht : t.Pairwise (· ≠ ·))
    (hsk : s.length = k) (htk : t.length = k) {p : Fin d × Fin d} (hp : p.2 ∉ t) :
    (stepEntries s t p).length = 2 * (d - k) - 1 := by
  have e := length_stepEntries s (p := p) hp
  have e1 := length_others hs
  have e2 := length_others ht
  rw [hsk] at e1
  rw [htk] at e2
  have e3 : d - k = (others s).length := by
    have := congrArg (· - k) e1
    simp only [Nat.add_sub_cancel] at this
    exact this.symm
  rw [Nat.add_right_cancel (e2.trans e1.symm), ← Nat.two_mul] at e
  rw [e3, ← e, Nat.add_sub_cancel]

/-- **Query count.** A matrix of rank at most `r` is determined, among all matrices of rank at most `r`, by the
`(m + n - r) r` entries in the cross of `r` successful basis probes. -/
theorem low_rank_queries {r : Nat} {W : RectMat K m n} (hW : RankLE r W) {l : List (Fin m × Fin n)}
    (hp : Pivots W (basisProbes l)) (hl : l.length = r) :
    ∃ E : List (Fin m × Fin n), E.length + r * r = (m + n) * r ∧
      ∀ W' : RectMat K m n, RankLE r W' → (∀ e ∈ E, W e.1 e.2 = W' e.1 e.2) → W = W' := by
  refine ⟨crossEntries [] [] l, ?_, fun W' hW' h => cross_unique hW hW' hp hl fun i j hij =>
    h (i, j) (mem_crossEntries List.not_mem_nil List.not_mem_nil hij)⟩
  have h := length_crossEntries (s := []) (t := []) hp.distinct fun _ _ => ⟨List.not_mem_nil, List.not_mem_nil⟩
  rwa [length_others_nil, length_others_nil, hl] at h

/-- The bound on the rank of the other matrix cannot be dropped in `cross_unique`: if an entry lies outside the cross of
the pivots, then some other matrix has the same cross. -/
theorem cross_unique_rank_needed (W : RectMat K m n) {l : List (Fin m × Fin n)} {i : Fin m} {j : Fin n}
    (h : ¬ InCross l i j) : ∃ W' : RectMat K m n, W' ≠ W ∧ ∀ i' j', InCross l i' j' → W i' j' = W' i' j' := by
  refine ⟨W + osum [(basis i, basis j)], fun e => Field.zero_ne_one (K := K) ?_, fun i' j' h' => ?_⟩
  · have h1 : W i j + (basis i i * basis j j + 0) = W i j := congrFun (congrFun e i) j
    rw [basis_self, basis_self] at h1
    lin_comb (-1) h1
  · show W i' j' = W i' j' + (basis i i' * basis j j' + 0)
    by_cases hi : i' = i
    · by_cases hj : j' = j
      · exact absurd (hi ▸ hj ▸ h') h
      · rw [basis_ne hj]; ring
    · rw [basis_ne hi]; ring
end LowRank

end AttentionQueries
