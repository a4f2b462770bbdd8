import AttentionQueries.Certificate.Notation
import AttentionQueries.Certificate.Pairs
import AttentionQueries.LowRank.Cross
import AttentionQueries.LowRank.Head
import AttentionQueries.LowRank.HittingSet

/-! # Certificates for one head of low rank

Among the heads of rank at most `r`, a head of rank `r` is determined by far fewer answers: those in `r` rows and `r`
columns of the table of queries of length two, provided that the scores where these rows and columns meet form an
invertible matrix. A certificate holds these answers, the inverse of that matrix, and factors that show the rank.

## Main definitions

* `CrossAnswers d v rows cols B A o`: the oracle `o` answers the queries of length one by `B`, and those of length two
  in the given rows and columns by the table `A`.
* `RankWitness`: factors of the score matrix, and the inverse of the minor.
* `checkLowRank`: the check, with integers only.

## Main statements

* `low_rank_certified`: **the certified head has rank at most `r`, and a head of rank at most `r` gives the answers iff
  it is the certified one**, if the check succeeds.
* `low_rank_certified_rank_needed`: the bound on the rank cannot be dropped. -/

namespace AttentionQueries
open CommRing OrderedField Matrix LowRank

/-! ## Pivots in an invertible minor -/

namespace LowRank
variable {K : Type} [Field K] {m n r : Nat}

/-- An invertible square matrix has full rank. -/
private theorem rankEq_of_inverse {M X : RectMat K r r} (hX : mm X M = basis) : RankEq r M := by
  refine ⟨rankLE_rows M, fun s hs => ?_⟩
  have h := RankLE.mul hs X
  rw [hX] at h
  have hl := length_le_of_triangular h (l := (List.finRange r).map fun i => (i, i)) (fun p hp => by
    obtain ⟨i, -, rfl⟩ := List.mem_map.mp hp
    rw [basis_self]
    exact fun e => Field.zero_ne_one e.symm) (List.pairwise_map.mpr ((finRange_pairwise_ne r).imp fun {a b} hab =>
      basis_ne fun e => hab e.symm))
  rwa [List.length_map, List.length_finRange] at hl

private theorem pivots_lift {I : Fin r → Fin m} {J : Fin r → Fin n} : ∀ {l : List (Fin r × Fin r)} {P : RectMat K m n},
    Pivots (fun k t => P (I k) (J t)) (basisProbes l) → Pivots P (basisProbes (l.map fun p => (I p.1, J p.2)))
  | [], _, _ => True.intro
  | p :: l, P, h => by
    refine ⟨?_, pivots_lift (l := l) ?_⟩
    · have := h.1
      rw [form_basis] at this ⊢
      exact this
    · have := h.2
      rw [show (fun k t => deflate P (basis (I p.1)) (basis (J p.2)) (I k) (J t)) =
        deflate (fun k t => P (I k) (J t)) (basis p.1) (basis p.2) from
          funext fun k => funext fun t => by rw [deflate_basis, deflate_basis]]
      exact this

/-- Two matrices of rank at most `r` agree, if they agree in `r` rows and `r` columns that meet in an invertible
minor. -/
private theorem eq_of_cross {P P' : RectMat K m n} (hP : RankLE r P) (hP' : RankLE r P') {I : Fin r → Fin m}
    {J : Fin r → Fin n} {X : RectMat K r r} (hX : mm X (fun k t => P (I k) (J t)) = basis)
    (h : ∀ i j, (∃ k, I k = i) ∨ (∃ k, J k = j) → P i j = P' i j) : P = P' := by
  obtain ⟨l, hl, hp⟩ := (rankEq_of_inverse hX).run
  refine cross_unique hP hP' (pivots_lift hp) (by rw [List.length_map, hl]) fun i j hij => h i j ?_
  rcases hij with ⟨p, hp, e⟩ | ⟨p, hp, e⟩
  · obtain ⟨q, -, rfl⟩ := List.mem_map.mp hp
    exact .inl ⟨q.1, e⟩
  · obtain ⟨q, -, rfl⟩ := List.mem_map.mp hp
    exact .inr ⟨q.2, e⟩

end LowRank

namespace Certificate

local notation "κ" => Semantics.cast base2

/-- The oracle answers `[eᵢ]` by entry `i` of `B`, and `[eⱼ + uᵢ; eⱼ]` by entry `j` of row `i` of `A`, where row `i` or
column `j` is listed. The directions `uᵢ` are `probe d v i`. -/
structure CrossAnswers (d : Nat) (v : List Int) (rows cols : List Nat) (B : List (Int × Nat))
    (A : List (List (Int × Nat))) (o : Query Int d → Rational) : Prop where
  /-- The answers to the queries of length one. -/
  single : ∀ i : Fin d, o ([], basis i) = fraction (nth (0, 1) B i.val)
  /-- The answers to the queries of length two in the cross. -/
  pair : ∀ i j : Fin d, i.val ∈ rows ∨ j.val ∈ cols →
    o ([basis j + probe d v i], basis j) = fraction (nth (0, 1) (nth [] A i.val) j.val)

/-- What shows the rank: `scale · W = left · right`, and `inverse · minor = det`. -/
structure RankWitness where
  /-- The left factor: a list of rows of length `r`. -/
  left : List (List Int)
  /-- The right factor: `r` rows. -/
  right : List (List Int)
  /-- The common denominator of the product. -/
  scale : Nat
  /-- The inverse of the minor, up to its denominator. -/
  inverse : List (List Int)
  /-- The denominator of the inverse. -/
  det : Nat

/-! ## The check -/

/-- The index is listed. -/
def listed (l : List Nat) (i : Nat) : Bool :=
  match l with
  | [] => false
  | k :: l => Nat.beq k i || listed l i

/-- For `i, i + 1, …`, `n` indices in all, whether they are listed. -/
def marks (l : List Nat) : Nat → Nat → List Bool
  | 0, _ => []
  | n + 1, i => listed l i :: marks l n (i + 1)

/-- The scores of the direction `uᵢ` at the tokens `eⱼ`. -/
def probedRow (W : List (List Int)) (v : List Int) (i : Nat) : List Int :=
  cond (sameInt (nth 0 v i) 0) (addLists (nth [] W i) (nth [] W (firstNonzero v))) (nth [] W i)

/-- An entry of the minor. -/
def minor (W : List (List Int)) (v : List Int) (rows cols : List Nat) (k t : Nat) : Int :=
  nth 0 (probedRow W v (nth 0 rows k)) (nth 0 cols t)

/-- The combination of rows with the given coefficients. -/
def combine : List Int → List (List Int) → List Int
  | x :: l, r :: R => addLists (r.map fun a => x * a) (combine l R)
  | _, _ => []

/-- The first list times `c` is the second; the first one has length at least `n`. -/
def sameScaled (c : Nat) : Nat → List Int → List Int → Bool
  | 0, _, _ => true
  | n + 1, w, l => sameInt (.ofNat c * nth 0 w 0) (nth 0 l 0) && sameScaled c n w.tail l.tail

/-- Each row of `W` times `c` is the combination of `right` with the coefficients in `left`. -/
def checkFactors (d c : Nat) (right : List (List Int)) : List (List Int) → List (List Int) → Bool
  | w :: W, l :: L => sameScaled c d w (combine l right) && checkFactors d c right W L
  | [], [] => true
  | _, _ => false

/-- The inverse times the minor is `det` times the identity. -/
def checkInverse (r : Nat) (W : List (List Int)) (v : List Int) (rows cols : List Nat) (w : RankWitness) : Bool :=
  decide (∀ k t : Fin r, (finSum fun s : Fin r => matrix r w.inverse k s * minor W v rows cols s.val t.val) =
    if t = k then .ofNat w.det else 0)

/-- **The check** that the head `(W, v / D)` has `v ≠ 0`, gives the answers in the cross, has rank at most `r`, and has
scores with an invertible minor where the rows and columns meet. -/
def checkLowRank (d r : Nat) (W : List (List Int)) (v : List Int) (D : Nat) (rows cols : List Nat) (w : RankWitness)
    (B : List (Int × Nat)) (A : List (List (Int × Nat))) : Bool :=
  checkPairs d W v D (marks rows d 0) (marks cols d 0) B A && (Nat.beq W.length d && (Nat.ble 1 w.scale &&
    (Nat.ble w.right.length r && (checkFactors d w.scale w.right W w.left && (Nat.ble 1 w.det &&
      (Nat.beq rows.length r && (Nat.beq cols.length r && (every (fun i => Nat.ble (i + 1) d) rows &&
        (every (fun j => Nat.ble (j + 1) d) cols && checkInverse r W v rows cols w)))))))))

/-! ## Soundness -/

private theorem listed_iff {i : Nat} : ∀ {l : List Nat}, listed l i = true ↔ i ∈ l
  | [] => ⟨fun h => (nomatch (h : false = true)), fun h => nomatch h⟩
  | k :: l => by
    rw [listed, Bool.or_eq_true, List.mem_cons, listed_iff, beq_iff]
    exact ⟨fun h => h.imp Eq.symm id, fun h => h.imp Eq.symm id⟩

private theorem nth_marks {l : List Nat} : ∀ {n i k : Nat}, k < n → nth false (marks l n i) k = listed l (i + k)
  | 0, _, _, h => absurd h (Nat.not_lt_zero _)
  | _ + 1, _, 0, _ => rfl
  | n + 1, i, k + 1, h => by
    have := nth_marks (l := l) (n := n) (i := i + 1) (k := k) (Nat.lt_of_succ_lt_succ h)
    rw [Nat.succ_add] at this
    exact this

private theorem pairAnswers_marks {d : Nat} {v : List Int} {rows cols : List Nat} {B : List (Int × Nat)}
    {A : List (List (Int × Nat))} {o : Query Int d → Rational} :
    PairAnswers d v (marks rows d 0) (marks cols d 0) B A o ↔ CrossAnswers d v rows cols B A o := by
  have key : ∀ (l : List Nat) (i : Fin d), nth false (marks l d 0) i.val = true ↔ i.val ∈ l := fun l i => by
    rw [nth_marks i.isLt, Nat.zero_add, listed_iff]
  exact ⟨fun h => ⟨h.single, fun i j hij => h.pair i j (hij.imp (key rows i).mpr (key cols j).mpr)⟩,
    fun h => ⟨h.single, fun i j hij => h.pair i j (hij.imp (key rows i).mp (key cols j).mp)⟩⟩

private theorem nth_map_mul (x : Int) : ∀ (r : List Int) (j : Nat), nth 0 (r.map fun a => x * a) j = x * nth 0 r j
  | [], _ => (mul_zero x).symm
  | _ :: _, 0 => rfl
  | _ :: r, j + 1 => nth_map_mul x r j

private theorem nth_combine (j : Nat) : ∀ (l : List Int) (R : List (List Int)),
    nth 0 (combine l R) j = weightedSum (fun r => nth 0 r j) l R
  | [], [] => rfl
  | [], _ :: _ => rfl
  | _ :: _, [] => rfl
  | x :: l, r :: R => by rw [combine, nth_addLists, nth_map_mul, nth_combine j l R, weightedSum]

private theorem nth_tail (a : Int) : ∀ (l : List Int) (j : Nat), nth a l.tail j = nth a l (j + 1)
  | [], _ => rfl
  | _ :: _, _ => rfl

private theorem of_sameScaled {c : Nat} : ∀ {n : Nat} {w l : List Int}, sameScaled c n w l = true → ∀ j, j < n →
    .ofNat c * nth 0 w j = nth 0 l j
  | n + 1, w, l, h, 0, _ => sameInt_iff.mp (and_iff.mp h).1
  | n + 1, w, l, h, j + 1, hj => by
    have := of_sameScaled (and_iff.mp h).2 j (Nat.lt_of_succ_lt_succ hj)
    rwa [nth_tail, nth_tail] at this

private theorem of_checkFactors {d c : Nat} {right : List (List Int)} : ∀ {W L : List (List Int)},
    checkFactors d c right W L = true → ∀ i, i < W.length →
      sameScaled c d (nth [] W i) (combine (nth [] L i) right) = true
  | _ :: _, _ :: _, h, 0, _ => (and_iff.mp h).1
  | _ :: W, _ :: L, h, i + 1, hi => of_checkFactors (W := W) (L := L) (and_iff.mp h).2 i (Nat.lt_of_succ_lt_succ hi)
  | [], [], _, _, hi => absurd hi (Nat.not_lt_zero _)

private theorem cast_finSum (n : Nat) (f : Vec Int n) : κ (finSum f) = finSum fun i => κ (f i) := base2.cast_finSum f

private theorem rankLE_of_checkFactors {d r c : Nat} (hc : 1 ≤ c) {W left right : List (List Int)} (hW : W.length = d)
    (hr : right.length ≤ r) (h : checkFactors d c right W left = true) : RankLE r (base2.castM (matrix d W)) := by
  have e : base2.castM (matrix d W) = factored
      (fun (t : Fin r) (i : Fin d) => κ (nth 0 (nth [] left i.val) t.val) / κ (.ofNat c))
      (fun (t : Fin r) (j : Fin d) => κ (nth 0 (nth [] right t.val) j.val)) := by
    funext i j
    have h1 := of_sameScaled (of_checkFactors h i.val (by rw [hW]; exact i.isLt)) j.val j.isLt
    rw [nth_combine, weightedSum_eq (d := r) _ [] (by rfl) _ _ hr] at h1
    have h1 := congrArg κ h1
    rw [base2.cast_mul, cast_finSum] at h1
    apply mul_left_cancel (cast_ne_zero hc)
    refine h1.trans ?_
    show _ = κ (.ofNat c) * finSum fun t : Fin r => _
    rw [← finSum_mul]
    refine finSum_congr fun t => ?_
    have h2 := div_mul_cancel (κ (nth 0 (nth [] left i.val) t.val)) (cast_ne_zero hc)
    rw [base2.cast_mul]
    show _ = κ (.ofNat c) * (κ (nth 0 (nth [] left i.val) t.val) / κ (.ofNat c) * κ (nth 0 (nth [] right t.val) j.val))
    lin_comb (-κ (nth 0 (nth [] right t.val) j.val)) h2
  rw [e]
  exact rankLE_factored _ _

/-- The scores of the directions at the basis tokens, as values. -/
private def probedScores {d : Nat} (v : List Int) (W : Mat Int d) : RectMat Rational d d := fun i j =>
  κ (score W (probe d v i) (basis j))

private theorem rankLE_probedScores {d r : Nat} (v : List Int) {W : Mat Int d} (h : RankLE r (base2.castM W)) :
    RankLE r (probedScores v W) := by
  have e : probedScores v W = mm (fun i k => κ (probe d v i k)) (base2.castM W) := by
    funext i j
    rw [probedScores, score, cast_finSum]
    refine finSum_congr fun k => ?_
    rw [mulVec_basis, base2.cast_mul]
    rfl
  rw [e]
  exact RankLE.mul h _

private theorem score_probe {d : Nat} {W : List (List Int)} {v : List Int} (hp : firstNonzero v < d) (i j : Fin d) :
    score (matrix d W) (probe d v i) (basis j) = nth 0 (probedRow W v i.val) j.val := by
  rw [probe_eq (D := 1) (Nat.le_refl 1) hp, Semantics.probe, probedRow]
  by_cases h : nth 0 v i.val = 0
  · rw [if_neg fun h' => h' ((values_eq_zero_iff (Nat.le_refl 1) i).mpr h), score_add, score_basis, score_basis,
      sameInt_iff.mpr h]
    exact (nth_addLists _ _ _).symm
  · rw [if_pos (mt (values_eq_zero_iff (Nat.le_refl 1) i).mp h), score_basis]
    cases hx : sameInt (nth 0 v i.val) 0
    · rfl
    · exact absurd (sameInt_iff.mp hx) h

private theorem nth_lt {d r : Nat} {l : List Nat} (hl : l.length = r) (h : every (fun i => Nat.ble (i + 1) d) l = true)
    (k : Fin r) : nth 0 l k.val < d ∧ nth 0 l k.val ∈ l := by
  have hm : ∀ {l : List Nat} {k : Nat}, k < l.length → nth 0 l k ∈ l := by
    intro l
    induction l with
    | nil => exact fun hk => absurd hk (Nat.not_lt_zero _)
    | cons a l ih =>
      intro k hk
      cases k with
      | zero => exact List.mem_cons_self
      | succ k => exact List.mem_cons_of_mem a (ih (Nat.lt_of_succ_lt_succ hk))
  have hk := hm (l := l) (k := k.val) (by rw [hl]; exact k.isLt)
  exact ⟨ble_iff.mp (of_every h _ hk), hk⟩

variable {d r : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {rows cols : List Nat} {w : RankWitness}
  {B : List (Int × Nat)} {A : List (List (Int × Nat))}

/-- **Certified head of low rank.** If the check succeeds, then the head `(W, v / D)` has rank at most `r`; a head of
rank at most `r` gives the answers iff it is this one. -/
theorem low_rank_certified (h : checkLowRank d r W v D rows cols w B A = true) :
    RankLE r (base2.castM (matrix d W)) ∧ ∀ (W' : Mat Int d) (v' : Vec Rational d), RankLE r (base2.castM W') →
      (CrossAnswers d v rows cols B A (base2.oracle W' v') ↔ W' = matrix d W ∧ v' = values d v D) := by
  obtain ⟨h0, h⟩ := and_iff.mp h
  obtain ⟨h1, h⟩ := and_iff.mp h
  obtain ⟨h2, h⟩ := and_iff.mp h
  obtain ⟨h3, h⟩ := and_iff.mp h
  obtain ⟨h4, h⟩ := and_iff.mp h
  obtain ⟨h5, h⟩ := and_iff.mp h
  obtain ⟨h6, h⟩ := and_iff.mp h
  obtain ⟨h7, h⟩ := and_iff.mp h
  obtain ⟨h8, h⟩ := and_iff.mp h
  obtain ⟨h9, h10⟩ := and_iff.mp h
  obtain ⟨hD, hp, hne, ha⟩ := of_checkPairs h0
  have ha := pairAnswers_marks.mp ha
  have hrank := rankLE_of_checkFactors (ble_iff.mp h2) (beq_iff.mp h1) (ble_iff.mp h3) h4
  refine ⟨hrank, fun W' v' hrank' => ⟨fun h' => ?_, fun h' => by rw [h'.1, h'.2]; exact ha⟩⟩
  have hp0 : values d v D ⟨firstNonzero v, hp⟩ ≠ 0 := mt (values_eq_zero_iff hD _).mp hne
  have hv : v' = values d v D := by
    rw [← base2.eval_basis W' v', ← base2.eval_basis (matrix d W) (values d v D)]
    exact funext fun i => (h'.single i).trans (ha.single i).symm
  subst hv
  have hI := nth_lt (beq_iff.mp h6) h8
  have hJ := nth_lt (beq_iff.mp h7) h9
  have hdet := cast_ne_zero (ble_iff.mp h5)
  have hsame : probedScores v (matrix d W) = probedScores v W' := by
    refine eq_of_cross (rankLE_probedScores v hrank) (rankLE_probedScores v hrank') (r := r)
      (I := fun k => ⟨nth 0 rows k.val, (hI k).1⟩) (J := fun k => ⟨nth 0 cols k.val, (hJ k).1⟩)
      (X := fun k s => κ (matrix r w.inverse k s) / κ (.ofNat w.det)) ?_ ?_
    · funext k t
      have hkt := congrArg κ (of_decide_eq_true h10 k t)
      rw [cast_finSum] at hkt
      have hM : ∀ s : Fin r, probedScores v (matrix d W) ⟨nth 0 rows s.val, (hI s).1⟩ ⟨nth 0 cols t.val, (hJ t).1⟩ =
          κ (minor W v rows cols s.val t.val) := fun s => congrArg κ (score_probe hp _ _)
      apply mul_left_cancel hdet
      rw [mm, ← finSum_mul]
      refine (finSum_congr fun s => ?_).trans (hkt.trans ?_)
      · have h2 := div_mul_cancel (κ (matrix r w.inverse k s)) hdet
        rw [hM, base2.cast_mul]
        lin_comb (κ (minor W v rows cols s.val t.val)) h2
      · by_cases e : t = k
        · rw [if_pos e, e, basis_self, mul_one]
        · rw [if_neg e, basis_ne e, mul_zero, base2.cast_zero]
    · intro i j hij
      have hij : i.val ∈ rows ∨ j.val ∈ cols := by
        rcases hij with ⟨k, rfl⟩ | ⟨k, rfl⟩
        · exact .inl (hI k).2
        · exact .inr (hJ k).2
      refine congrArg κ (base2.score_of_eval_one (v := values d v D) ?_
        ((ha.pair i j hij).trans (h'.pair i j hij).symm))
      rw [probe_eq hD hp]
      exact base2.inner_probe hp0 i
  obtain ⟨-, e⟩ := base2.head_unique (W := matrix d W) (W' := W') (v := values d v D) (v' := values d v D)
    (p := ⟨firstNonzero v, hp⟩) hp0 (fun i => (ha.single i).trans (h'.single i).symm) (fun i j => by
      rw [← probe_eq hD hp, base2.eval_one, base2.eval_one,
        base2.cast_inj _ _ (congrFun (congrFun hsame i) j)])
  exact ⟨e.symm, rfl⟩

/-- **The bound on the rank is needed**: without it, another head may give the same answers in the cross. -/
theorem low_rank_certified_rank_needed : ∃ (w : RankWitness) (B : List (Int × Nat)) (A : List (List (Int × Nat)))
    (W' : Mat Int 1), checkLowRank 1 0 [[0]] [1] 1 [] [] w B A = true ∧
      CrossAnswers 1 [1] [] [] B A (base2.oracle W' (values 1 [1] 1)) ∧ W' ≠ matrix 1 [[0]] := by
  refine ⟨⟨[[]], [], 1, [], 1⟩, [(1, 1)], [[(0, 1)]], fun _ _ => 1, by decide +kernel,
    ⟨fun i => ?_, fun _ _ h => h.elim (fun h => nomatch h) fun h => nomatch h⟩, fun e => ?_⟩
  · show base2.eval _ _ [] _ = _
    rw [base2.eval_nil, base2.inner_basis]
    revert i
    decide +kernel
  · exact absurd (congrFun (congrFun e 0) 0) (by decide +kernel)

end Certificate

end AttentionQueries
