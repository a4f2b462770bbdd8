import AttentionQueries.Membership.Search
import AttentionQueries.Membership.Tests

/-! # Learning an integer head from one-bit answers

The oracle answers only whether the output exceeds a threshold `θ = ± a / b ≠ 0`. In base 2, with entries of `v` from
`-C` to `C` and entries of `W` from `-B` to `B`, the learner finds the head exactly.

1. For each `i`, search `vᵢ` in `[-C, C]` with the tests `valueTest` (the oriented entry: for `θ < 0` the learner works
   with `-v` and changes the sign at the end).
2. If `v = 0`, stop. Otherwise let `p` be the first index with `vₚ ≠ 0`, and `uᵢ = eᵢ` if `vᵢ ≠ 0`, else `eᵢ + eₚ`.
3. For each `i, j`, search `± uᵢᵀ W eⱼ` in `[-B, B]`, or in `[-2B, 2B]` if `uᵢ = eᵢ + eₚ`, with the tests `scoreTest`.
4. `W i j` is the score of `uᵢ`, less `W p j` if `uᵢ = eᵢ + eₚ`.

## Main definitions

* `learnMembership`: the learner. `MembershipOutcome`: what it returns.

## Main statements

* `learnMembership_exact`, `learnMembership_zero`: it returns the head, or says that `v = 0`.
* `learnMembership_count`: it asks at most `d L(C) + d² L(2B)` queries, where `L(Z)` is the number of bits for the
  integers from `-Z` to `Z`. `learnMembership_count_zero`, `learnMembership_count_full`: the exact number when all
  `vᵢ` vanish, and when none does.
* `membership_bound_needed`, `membership_value_bound_needed`, `membership_threshold_needed`: the bounds on the entries
  and `θ ≠ 0` cannot be dropped.

## References

Membership queries are the subject of appendix B of arXiv 2601.16873 (v2 numbering as reported). -/

namespace AttentionQueries
open CommRing OrderedField

/-- What the learner returns. -/
inductive MembershipOutcome (d : Nat) where
  /-- The head `(W, v)`, with `v ≠ 0`. -/
  | head (W : Mat Int d) (v : Vec Int d)
  /-- The value vector is zero, and `W` is not identifiable. -/
  | zero

section
variable {d : Nat}

/-- The first index at which an integer vector does not vanish. -/
def firstNonzero (v : Vec Int d) : Option (Fin d) := firstNZ (base2.castV v)

/-- The scores of row `i` lie between this number and its negative. -/
def scoreRange (B : Nat) (v : Vec Int d) (i : Fin d) : Nat := if v i ≠ 0 then B else B + B

/-- The searches for the entries of the (oriented) value vector. -/
def learnValues (θ : Threshold) (C : Nat) : QueryProgram (Query Int d) Bool (Vec Int d) :=
  .forFin fun i => searchInt (valueTest θ i) (searchBits C) (-(C : Int))

/-- The searches for the scores of the directions. -/
def learnScores (θ : Threshold) (B : Nat) (v : Vec Int d) (p : Fin d) : QueryProgram (Query Int d) Bool (Mat Int d) :=
  .forFin fun i => .forFin fun j => searchInt (scoreTest θ v p i j) (searchBits (scoreRange B v i))
    (-(scoreRange B v i : Int))

/-- The score matrix, from what the searches found. -/
def matrixOfSearches (v : Vec Int d) (p : Fin d) (y : Mat Int d) : Mat Int d := fun i j =>
  if v i ≠ 0 then scoreSign v p i j * y i j else scoreSign v p i j * y i j - scoreSign v p p j * y p j

/-- The second part of the learner, once the (oriented) value vector is known. -/
def learnMembershipMatrix (θ : Threshold) (B : Nat) (v : Vec Int d) :
    QueryProgram (Query Int d) Bool (MembershipOutcome d) :=
  match firstNonzero v with
  | none => .done .zero
  | some p => (learnScores θ B v p).bind fun y => .done (.head (matrixOfSearches v p y) (θ.orient v))

/-- **The learner from one-bit answers**, for the threshold `θ`, entries of `v` from `-C` to `C`, and entries of `W`
from `-B` to `B`. -/
def learnMembership (θ : Threshold) (C B : Nat) : QueryProgram (Query Int d) Bool (MembershipOutcome d) :=
  (learnValues θ C).bind (learnMembershipMatrix θ B)

/-! ## The number of queries -/

private theorem learnValues_count (θ : Threshold) (C : Nat) (o : Query Int d → Bool) :
    ((learnValues θ C).queries o).length = d * searchBits C := by
  rw [learnValues, QueryProgram.queries_forFin,
    length_flatMap_const (n := searchBits C) fun i => searchInt_count _ o _ _, List.length_finRange]

private theorem scoreRow_count (θ : Threshold) (B : Nat) (v : Vec Int d) (p i : Fin d) (o : Query Int d → Bool) :
    (((QueryProgram.forFin fun j => searchInt (scoreTest θ v p i j) (searchBits (scoreRange B v i))
      (-(scoreRange B v i : Int))).queries o).length) = d * searchBits (scoreRange B v i) := by
  rw [QueryProgram.queries_forFin, length_flatMap_const (n := searchBits (scoreRange B v i))
    fun j => searchInt_count _ o _ _, List.length_finRange]

/-- The number of queries grows with the range. -/
theorem searchBits_mono {Y Z : Nat} (h : Y ≤ Z) : searchBits Y ≤ searchBits Z := Nat.le_of_not_lt fun hlt =>
  Nat.lt_irrefl _ (Nat.lt_of_lt_of_le (lt_two_pow_searchBits Z)
    (Nat.le_trans (two_pow_le_of_lt_searchBits hlt) (Nat.mul_le_mul_left 2 h)))

private theorem learnMembership_length (θ : Threshold) (C B : Nat) (o : Query Int d → Bool) :
    ((learnMembership θ C B).queries o).length = d * searchBits C +
      match firstNonzero ((learnValues θ C).run o) with
      | none => 0
      | some p => ((learnScores θ B ((learnValues θ C).run o) p).queries o).length := by
  rw [learnMembership, QueryProgram.queries_bind, List.length_append, learnValues_count, learnMembershipMatrix]
  cases firstNonzero ((learnValues θ C).run o) with
  | none => rfl
  | some p =>
    show _ + (((learnScores θ B _ p).bind _).queries o).length = _
    rw [QueryProgram.queries_bind, List.length_append]
    rfl

/-- **The number of queries**, against any oracle: at most `d L(C) + d² L(2B)`. -/
theorem learnMembership_count (θ : Threshold) (C B : Nat) (o : Query Int d → Bool) :
    ((learnMembership θ C B).queries o).length ≤ d * searchBits C + d * d * searchBits (B + B) := by
  rw [learnMembership_length]
  refine Nat.add_le_add (Nat.le_refl _) ?_
  split
  · exact Nat.zero_le _
  · rename_i p _
    rw [learnScores, QueryProgram.queries_forFin, Nat.mul_assoc]
    have h := length_flatMap_le (n := d * searchBits (B + B)) (f := fun i => (QueryProgram.forFin fun j =>
      searchInt (scoreTest θ ((learnValues θ C).run o) p i j) (searchBits (scoreRange B ((learnValues θ C).run o) i))
        (-(scoreRange B ((learnValues θ C).run o) i : Int))).queries o) (fun i => by
      rw [scoreRow_count]
      refine Nat.mul_le_mul_left d (searchBits_mono ?_)
      unfold scoreRange
      split
      · exact Nat.le_add_left B B
      · exact Nat.le_refl _) (List.finRange d)
    rwa [List.length_finRange] at h

/-! ## What it finds -/

private theorem neg_le_and_lt {Z : Nat} {y : Int} (h : -(Z : Int) ≤ y ∧ y ≤ Z) :
    -(Z : Int) ≤ y ∧ y < -(Z : Int) + (2 ^ searchBits Z : Nat) := by
  refine ⟨h.1, Int.lt_of_le_of_lt h.2 (Int.lt_of_sub_pos ?_)⟩
  have h1 := Int.sub_pos_of_lt (Int.ofNat_lt.mpr (lt_two_pow_searchBits Z))
  rw [Nat.two_mul, Int.natCast_add] at h1
  rwa [show -(Z : Int) + (2 ^ searchBits Z : Nat) - Z = (2 ^ searchBits Z : Nat) - ((Z : Int) + Z) by ring]

private theorem neg_bounds {Z : Nat} {y : Int} (h : -(Z : Int) ≤ y ∧ y ≤ Z) : -(Z : Int) ≤ -y ∧ -y ≤ Z :=
  ⟨Int.neg_le_neg h.2, by have := Int.neg_le_neg h.1; rwa [neg_neg] at this⟩

private theorem learnValues_run (θ : Threshold) {C : Nat} (W : Mat Int d) {v : Vec Int d}
    (hv : ∀ i, -(C : Int) ≤ v i ∧ v i ≤ C) :
    (learnValues θ C).run (base2.membershipOracle θ.value W (base2.castV v)) = θ.orient v := by
  rw [learnValues, QueryProgram.run_forFin]
  funext i
  have hi : -(C : Int) ≤ θ.orient v i ∧ θ.orient v i ≤ C := by
    unfold Threshold.orient
    split
    · exact neg_bounds (hv i)
    · exact hv i
  obtain ⟨h1, h2⟩ := neg_le_and_lt hi
  exact searchInt_run (valueTest_iff θ W v i) _ h1 h2

private theorem firstNonzero_none {v : Vec Int d} (h : firstNonzero v = none) : v = 0 := funext fun i =>
  base2.cast_inj _ _ ((congrFun (firstNZ_none h) i).trans base2.cast_zero.symm)

private theorem firstNonzero_some {v : Vec Int d} {p : Fin d} (h : firstNonzero v = some p) : v p ≠ 0 := fun e =>
  firstNZ_some h (by rw [Semantics.castV, e, base2.cast_zero])

private theorem score_integerProbe (W : Mat Int d) (v : Vec Int d) (p i j : Fin d) :
    score W (integerProbe v p i) (basis j) = if v i ≠ 0 then W i j else W i j + W p j := by
  unfold integerProbe
  split
  · rw [score_basis]
  · rw [score_add, score_basis, score_basis]

private theorem scoreSign_sq (v : Vec Int d) (p i j : Fin d) : scoreSign v p i j * scoreSign v p i j = 1 := by
  unfold scoreSign side signOf
  split <;> split <;> rfl

private theorem scoreSign_bounds (v : Vec Int d) (p i j : Fin d) {Z : Nat} {s : Int} (h : -(Z : Int) ≤ s ∧ s ≤ Z) :
    -(Z : Int) ≤ scoreSign v p i j * s ∧ scoreSign v p i j * s ≤ Z := by
  have e : scoreSign v p i j = 1 ∨ scoreSign v p i j = -1 := by
    unfold scoreSign side signOf
    split <;> split
    · exact .inl rfl
    · exact .inr rfl
    · exact .inr rfl
    · exact .inl rfl
  rcases e with e | e
  · rw [e, one_mul]; exact h
  · rw [e, show (-1 : Int) * s = -s by ring]; exact neg_bounds h

private theorem learnScores_run (θ : Threshold) {B : Nat} {W : Mat Int d} (v : Vec Int d)
    (hW : ∀ i j, -(B : Int) ≤ W i j ∧ W i j ≤ B) {p : Fin d} (hp : θ.orient v p ≠ 0) :
    (learnScores θ B (θ.orient v) p).run (base2.membershipOracle θ.value W (base2.castV v)) = fun i j =>
      scoreSign (θ.orient v) p i j * score W (integerProbe (θ.orient v) p i) (basis j) := by
  rw [learnScores, QueryProgram.run_forFin]
  funext i
  rw [QueryProgram.run_forFin]
  funext j
  have hs : -(scoreRange B (θ.orient v) i : Int) ≤ score W (integerProbe (θ.orient v) p i) (basis j) ∧
      score W (integerProbe (θ.orient v) p i) (basis j) ≤ scoreRange B (θ.orient v) i := by
    rw [score_integerProbe]
    unfold scoreRange
    split
    · exact hW i j
    · rw [Int.natCast_add]
      refine ⟨?_, Int.add_le_add (hW i j).2 (hW p j).2⟩
      rw [neg_add_rev]
      exact Int.add_le_add (hW i j).1 (hW p j).1
  obtain ⟨h1, h2⟩ := neg_le_and_lt (scoreSign_bounds (θ.orient v) p i j hs)
  exact searchInt_run (scoreTest_iff θ W v hp i j) _ h1 h2

private theorem matrixOfSearches_eq (W : Mat Int d) {v : Vec Int d} {p : Fin d} (hp : v p ≠ 0) :
    matrixOfSearches v p (fun i j => scoreSign v p i j * score W (integerProbe v p i) (basis j)) = W := by
  have cancel : ∀ i j (s : Int), scoreSign v p i j * (scoreSign v p i j * s) = s := fun i j s => by
    rw [← mul_assoc, scoreSign_sq, one_mul]
  funext i j
  show (if v i ≠ 0 then scoreSign v p i j * (scoreSign v p i j * _) else
    scoreSign v p i j * (scoreSign v p i j * _) - scoreSign v p p j * (scoreSign v p p j * _)) = _
  rw [cancel, cancel, score_integerProbe, score_integerProbe]
  by_cases h : v i ≠ 0
  · rw [if_pos h, if_pos h]
  · rw [if_neg h, if_neg h, if_pos hp]
    ring

private theorem orient_eq_zero {θ : Threshold} {v : Vec Int d} : θ.orient v = 0 ↔ v = 0 := by
  have h0 : θ.orient (0 : Vec Int d) = 0 := funext fun i => by
    unfold Threshold.orient
    split
    · exact neg_zero
    · rfl
  exact ⟨fun h => by rw [← θ.orient_orient v, h, h0], fun h => by rw [h, h0]⟩

/-- **The learner is exact**: for every threshold `θ ≠ 0` and every integer head with `v ≠ 0`, entries of `v` from `-C`
to `C` and entries of `W` from `-B` to `B`, it returns this head. -/
theorem learnMembership_exact (θ : Threshold) {C B : Nat} {W : Mat Int d} {v : Vec Int d}
    (hC : ∀ i, -(C : Int) ≤ v i ∧ v i ≤ C) (hB : ∀ i j, -(B : Int) ≤ W i j ∧ W i j ≤ B) (hv : v ≠ 0) :
    (learnMembership θ C B).run (base2.membershipOracle θ.value W (base2.castV v)) = .head W v := by
  rw [learnMembership, QueryProgram.run_bind, learnValues_run θ W hC, learnMembershipMatrix]
  cases hp : firstNonzero (θ.orient v) with
  | none => exact absurd (orient_eq_zero.mp (firstNonzero_none hp)) hv
  | some p =>
    have hp := firstNonzero_some hp
    show ((learnScores θ B _ p).bind _).run _ = _
    rw [QueryProgram.run_bind, learnScores_run θ v hB hp]
    show MembershipOutcome.head (matrixOfSearches _ _ _) (θ.orient (θ.orient v)) = _
    rw [matrixOfSearches_eq W hp, θ.orient_orient]

/-- **The value vector zero**: the learner says so. -/
theorem learnMembership_zero (θ : Threshold) (C B : Nat) (W : Mat Int d) :
    (learnMembership θ C B).run (base2.membershipOracle θ.value W (base2.castV (0 : Vec Int d))) = .zero := by
  rw [learnMembership, QueryProgram.run_bind, learnValues_run θ W (v := 0) fun _ =>
    ⟨Int.neg_nonpos_of_nonneg (Int.natCast_nonneg C), Int.natCast_nonneg C⟩, orient_eq_zero.mpr rfl,
    learnMembershipMatrix]
  have h : firstNonzero (0 : Vec Int d) = none := firstNZ_eq_none_iff.mpr (funext fun _ => base2.cast_zero)
  rw [h]
  rfl

/-- **The exact number of queries for `v = 0`**: `d L(C)`. -/
theorem learnMembership_count_zero (θ : Threshold) (C B : Nat) (W : Mat Int d) :
    ((learnMembership θ C B).queries (base2.membershipOracle θ.value W (base2.castV (0 : Vec Int d)))).length =
      d * searchBits C := by
  have h : firstNonzero (0 : Vec Int d) = none := firstNZ_eq_none_iff.mpr (funext fun _ => base2.cast_zero)
  rw [learnMembership_length, learnValues_run θ W (v := 0) fun _ =>
    ⟨Int.neg_nonpos_of_nonneg (Int.natCast_nonneg C), Int.natCast_nonneg C⟩, orient_eq_zero.mpr rfl, h]
  rfl

/-- **The exact number of queries when no entry of `v` vanishes**: `d L(C) + d² L(B)`. -/
theorem learnMembership_count_full (θ : Threshold) {C : Nat} (B : Nat) (W : Mat Int d) {v : Vec Int d}
    (hC : ∀ i, -(C : Int) ≤ v i ∧ v i ≤ C) (hv : ∀ i, v i ≠ 0) :
    ((learnMembership θ C B).queries (base2.membershipOracle θ.value W (base2.castV v))).length =
      d * searchBits C + d * d * searchBits B := by
  rw [learnMembership_length, learnValues_run θ W hC]
  congr 1
  cases hp : firstNonzero (θ.orient v) with
  | none =>
    have h0 := orient_eq_zero.mp (firstNonzero_none hp)
    cases d with
    | zero => exact (Nat.zero_mul _).symm.trans (congrArg (· * searchBits B) (Nat.zero_mul 0).symm)
    | succ d => exact absurd (congrFun h0 0) (hv 0)
  | some p =>
    show ((learnScores θ B _ p).queries _).length = _
    rw [learnScores, QueryProgram.queries_forFin, length_flatMap_const (n := d * searchBits B) fun i => ?_,
      List.length_finRange, Nat.mul_assoc]
    have hi : θ.orient v i ≠ 0 := by
      unfold Threshold.orient
      split
      · exact fun h => hv i (by rw [← neg_neg (v i), h, neg_zero])
      · exact hv i
    rw [scoreRow_count, scoreRange, if_pos hi]

end

/-! ## Examples in the kernel, and what cannot be dropped -/

/-- The threshold one half. -/
def exampleThreshold : Threshold := ⟨1, 2, false, by decide, by decide⟩

/-- What the learner returns, as lists. -/
def MembershipOutcome.toLists {d : Nat} : MembershipOutcome d → Option (List (List Int) × List Int)
  | .head W v => some ((List.finRange d).map fun i => (List.finRange d).map (W i), (List.finRange d).map v)
  | .zero => none

/-- **An example, evaluated in the kernel**: the head `W = (1)`, `v = (-1)` from ten bits at most, for the threshold
one half. -/
theorem membershipExample_run : ((learnMembership exampleThreshold 1 1).run
    (base2.membershipOracle exampleThreshold.value (fun _ _ : Fin 1 => 1) (base2.castV fun _ => -1))).toLists =
      some ([[1]], [-1]) := by decide +kernel

/-- **The bound is needed**: for the head `W = (2)`, `v = (1)` and the bound one, the learner returns another head. -/
theorem membership_bound_needed : ((learnMembership exampleThreshold 1 1).run
    (base2.membershipOracle exampleThreshold.value (fun _ _ : Fin 1 => 2) (base2.castV fun _ => 1))).toLists ≠
      some ([[2]], [1]) := by decide +kernel

/-- **The threshold zero is excluded with reason**: the heads with the value vectors `v` and `2 v` then give the same
bits, and no program whatsoever tells them apart. -/
theorem membership_threshold_needed {d : Nat} {α : Type} (p : QueryProgram (Query Int d) Bool α) (W : Mat Int d)
    (v : Vec Rational d) : p.run (base2.membershipOracle 0 W fun i => natCast 2 * v i) =
      p.run (base2.membershipOracle 0 W v) :=
  (QueryProgram.run_congr p fun t _ => base2.membership_threshold_zero W v (natCast_pos 1) t).1

/-- The threshold minus two thirds. -/
def negativeThreshold : Threshold := ⟨2, 3, true, by decide, by decide⟩

/-- The example with a negative threshold. -/
theorem membershipExample_negative : ((learnMembership negativeThreshold 1 1).run
    (base2.membershipOracle negativeThreshold.value (fun _ _ : Fin 1 => -1) (base2.castV fun _ => 1))).toLists =
      some ([[-1]], [1]) := by decide +kernel

/-- **The bound for the values is needed** as well: for `v = (2)` and the bound one, another head is returned. -/
theorem membership_value_bound_needed : ((learnMembership exampleThreshold 1 1).run
    (base2.membershipOracle exampleThreshold.value (fun _ _ : Fin 1 => 1) (base2.castV fun _ => -2))).toLists ≠
      some ([[1]], [-2]) := by decide +kernel

end AttentionQueries
