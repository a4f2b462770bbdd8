import AttentionQueries.Membership.Comparison
import AttentionQueries.Noise.Scaling

/-! # Membership queries in base 2: the tests

For a threshold `θ = ± a / b ≠ 0` and integer weights, two kinds of queries compare an unknown integer with a given one.
None of them ever hits the threshold exactly, so that a negative threshold is the case of a positive one, with the
answers and the value vector negated.

## Main definitions

* `Threshold`: a threshold `± a / b`. `Threshold.orient`: a vector, negated if the threshold is negative.
* `valueTest`: is `vᵢ > n`? One copy of `4a eᵢ` and `2 (2n + 1) b - 1` zero tokens, read at a zero token: all scores
  vanish, and the output is the mean of the values.
* `scoreTest`: is `± uᵀ W eⱼ > n`? Copies of `q + β u` and of `q = ± eⱼ`, whose values lie on different sides of the
  threshold.

## Main statements

* `valueTest_iff`, `scoreTest_iff`: the tests are right. -/

namespace AttentionQueries
open CommRing OrderedField

/-- A threshold `a / b` or `- a / b`, with `a, b ≥ 1`. -/
structure Threshold where
  /-- The numerator `a` of the absolute value. -/
  num : Nat
  /-- The denominator `b`. -/
  den : Nat
  /-- The sign is negative. -/
  negative : Bool
  /-- The threshold is not zero. -/
  num_pos : 0 < num
  /-- The denominator is not zero. -/
  den_pos : 0 < den

namespace Threshold

/-- The absolute value of the threshold. -/
def size (θ : Threshold) : Rational := base2.cast θ.num / base2.cast θ.den

/-- The threshold as a number. -/
def value (θ : Threshold) : Rational := if θ.negative = true then -θ.size else θ.size

/-- A vector, with its sign changed if the threshold is negative. -/
def orient (θ : Threshold) {d : Nat} (v : Vec Int d) : Vec Int d := fun i => if θ.negative = true then -v i else v i

/-- Changing the sign twice gives the vector back. -/
theorem orient_orient (θ : Threshold) {d : Nat} (v : Vec Int d) : θ.orient (θ.orient v) = v := funext fun i => by
  rw [orient, orient]
  split
  · exact neg_neg (v i)
  · rfl

private theorem cast_pos {n : Nat} (h : 0 < n) : (0 : Rational) < base2.cast (n : Int) :=
  FractionField.of_lt.mpr (Int.natCast_pos.mpr h)

private theorem size_mul (θ : Threshold) : θ.size * base2.cast θ.den = base2.cast θ.num :=
  div_mul_cancel _ (pos_ne (cast_pos θ.den_pos))

end Threshold

/-! ## One bit for either sign of the threshold -/

section
variable {d : Nat}

private theorem bne_false_iff (b : Bool) : (b != false) = true ↔ b = true := by cases b <;> decide

private theorem bne_true_iff (b : Bool) : (b != true) = true ↔ b = false := by cases b <;> decide

private theorem bne_not_iff (b c : Bool) : (b != !c) = true ↔ ¬ (b != c) = true := by cases b <;> cases c <;> decide

private theorem inner_castV_neg (v : Vec Int d) (x : Vec Int d) :
    base2.inner (base2.castV fun i => -v i) x = -base2.inner (base2.castV v) x := by
  have h := finSum_mul (-1 : Rational) fun i => base2.castV v i * base2.cast (x i)
  rw [Semantics.inner, Semantics.inner, show ∀ z : Rational, -z = -1 * z from fun z => by ring, ← h]
  congr; funext i
  show base2.cast (-v i) * _ = _
  rw [base2.cast_neg, Semantics.castV]; ring

/-- A bit of the oracle decides a property that is equivalent to the comparison, for either sign of the threshold, if
the threshold is never hit. -/
private theorem bit_iff (θ : Threshold) (W : Mat Int d) (v : Vec Int d) (k n : Nat) (u q : Vec Int d) {P : Prop}
    {L Q : Rational}
    (hL : L = natCast (n + 1) * (θ.size - base2.inner (base2.castV (θ.orient v)) q))
    (hQ : Q = natCast k * base2.exp (score W u q) * (base2.inner (base2.castV (θ.orient v)) q +
      base2.inner (base2.castV (θ.orient v)) u - θ.size))
    (h1 : P → L < Q) (h2 : ¬ P → Q < L) :
    (base2.membershipOracle θ.value W (base2.castV v) (Semantics.copies k n u q, q) != θ.negative) = true ↔ P := by
  rw [Semantics.membershipOracle, Semantics.oracle]
  cases hs : θ.negative with
  | false =>
    have ho : θ.orient v = v := funext fun i => by
      rw [Threshold.orient, hs]
      exact if_neg (by decide)
    have hv : θ.value = θ.size := by
      rw [Threshold.value, hs]
      exact if_neg (by decide)
    rw [ho] at hL hQ
    rw [bne_false_iff, decide_eq_true_iff, hv, base2.lt_eval_copies_iff, ← hL, ← hQ]
    exact ⟨fun h => Classical.byContradiction fun h' => lt_irrefl _ (lt_trans _ _ _ h (h2 h')), h1⟩
  | true =>
    have ho : θ.orient v = fun i => -v i := funext fun i => by
      rw [Threshold.orient, hs]
      exact if_pos rfl
    have hv : θ.value = -θ.size := by
      rw [Threshold.value, hs]
      exact if_pos rfl
    rw [ho, inner_castV_neg] at hL
    rw [ho, inner_castV_neg, inner_castV_neg] at hQ
    have key : θ.value < base2.eval W (base2.castV v) (Semantics.copies k n u q) q ↔ Q < L := by
      rw [hv, base2.lt_eval_copies_iff, ← sub_pos, ← sub_pos (a := Q), hL, hQ]
      refine Iff.of_eq (congrArg (0 < ·) ?_)
      ring
    rw [bne_true_iff, decide_eq_false_iff_not, key]
    exact ⟨fun h => Classical.byContradiction fun h' => h (h2 h'), fun h h' => lt_irrefl _ (lt_trans _ _ _ h' (h1 h))⟩

/-! ## Testing an entry of the value vector -/

/-- The query that compares the entry `vᵢ`, or its negative for `flip = true`, with the natural number `c`. -/
def valueQuery (θ : Threshold) (i : Fin d) (flip : Bool) (c : Nat) : Query Int d :=
  (Semantics.copies 1 (2 * ((2 * c + 1) * θ.den) - 2)
    (smul (if flip = true then -((4 * θ.num : Nat) : Int) else (4 * θ.num : Nat)) (basis i)) 0, 0)

/-- **The test for `vᵢ > n`**: one copy of `±4a eᵢ` and `2 (2c + 1) b - 1` zero tokens, the last of which is the query
token. Here `c` is `n`, or `-n - 1` for a negative `n`, when the sign of the token and of the answer is changed. -/
def valueTest (θ : Threshold) (i : Fin d) (n : Int) : Query Int d × Bool :=
  match n with
  | .ofNat c => (valueQuery θ i false c, θ.negative)
  | .negSucc c => (valueQuery θ i true c, !θ.negative)

private theorem natCast_eq_cast (n : Nat) : (natCast n : Rational) = base2.cast (n : Int) := by
  induction n with
  | zero => exact base2.cast_zero.symm
  | succ n ih => rw [natCast_succ, ih, Int.natCast_add, base2.cast_add, Int.natCast_one, base2.cast_one]

private theorem inner_castV_smul_basis (v : Vec Int d) (c : Int) (i : Fin d) :
    base2.inner (base2.castV v) (smul c (basis i)) = base2.cast (c * v i) := by
  rw [base2.inner_smul, base2.inner_basis, base2.cast_mul]
  rfl

private theorem cast_lt {a b : Int} (h : a < b) : base2.cast a < base2.cast b := FractionField.of_lt.mpr h

/-- The comparison of `2 x` with `2 c + 1`. -/
private theorem double_sub {x c : Int} : (c < x → 0 < x + x - (c + c + 1)) ∧ (¬ c < x → 0 < c + c + 1 - (x + x)) := by
  constructor
  · intro h
    have h1 := Int.sub_nonneg_of_le (Int.add_one_le_of_lt h)
    rw [show x + x - (c + c + 1) = (x - (c + 1)) + (x - (c + 1)) + 1 by ring]
    exact Int.lt_add_one_of_le (Int.add_nonneg h1 h1)
  · intro h
    have h1 := Int.sub_nonneg_of_le (Int.not_lt.mp h)
    rw [show c + c + 1 - (x + x) = (c - x) + (c - x) + 1 by ring]
    exact Int.lt_add_one_of_le (Int.add_nonneg h1 h1)

private theorem valueQuery_iff (θ : Threshold) (W : Mat Int d) (v : Vec Int d) (i : Fin d) (flip : Bool) (c : Nat) :
    (base2.membershipOracle θ.value W (base2.castV v) (valueQuery θ i flip c) != θ.negative) = true ↔
      (c : Int) < if flip = true then -θ.orient v i else θ.orient v i := by
  generalize hx : (if flip = true then -θ.orient v i else θ.orient v i) = x
  rw [valueQuery]
  generalize hz : (if flip = true then -((4 * θ.num : Nat) : Int) else (4 * θ.num : Nat)) = z
  have hzx : z * θ.orient v i = ((4 * θ.num : Nat) : Int) * x := by
    rw [← hx, ← hz]
    cases flip with
    | true => rw [if_pos rfl, if_pos rfl]; ring
    | false => rw [if_neg (by decide), if_neg (by decide)]
  have hm : 2 * ((2 * c + 1) * θ.den) - 2 + 1 + 1 = 2 * ((2 * c + 1) * θ.den) :=
    Nat.sub_add_cancel (Nat.le_mul_of_pos_right 2 (Nat.mul_pos (Nat.succ_pos _) θ.den_pos))
  have hs : score W (smul z (basis i)) (0 : Vec Int d) = 0 := by
    have h := score_smul_query W 0 (smul z (basis i)) (0 : Vec Int d)
    rw [show smul (0 : Int) (0 : Vec Int d) = 0 from funext fun _ => zero_mul _, zero_mul] at h
    exact h
  -- the difference of the two sides of the comparison
  have diff : natCast 1 * base2.exp (score W (smul z (basis i)) 0) * (base2.inner (base2.castV (θ.orient v)) 0 +
      base2.inner (base2.castV (θ.orient v)) (smul z (basis i)) - θ.size) -
      natCast (2 * ((2 * c + 1) * θ.den) - 2 + 1) * (θ.size - base2.inner (base2.castV (θ.orient v)) 0) =
      base2.cast ((2 * θ.num : Nat) : Int) * base2.cast (x + x - (c + c + 1)) := by
    have h1 : natCast (2 * ((2 * c + 1) * θ.den) - 2 + 1) + 1 =
        base2.cast ((2 : Nat) : Int) * (base2.cast ((2 * c + 1 : Nat) : Int) * base2.cast (θ.den : Int)) := by
      rw [← natCast_succ, hm, natCast_eq_cast, Int.natCast_mul, Int.natCast_mul, base2.cast_mul, base2.cast_mul]
    have h2 : base2.cast ((2 * c + 1 : Nat) : Int) = base2.cast (c + c + 1 : Int) := congrArg base2.cast (by
      rw [Nat.two_mul, Int.natCast_add, Int.natCast_add, Int.natCast_one])
    have h3 : ((4 * θ.num : Nat) : Int) = (2 * θ.num : Nat) + (2 * θ.num : Nat) := by
      rw [← Int.natCast_add, ← Nat.add_mul]
    have h4 : base2.cast ((2 * θ.num : Nat) : Int) = base2.cast ((2 : Nat) : Int) * base2.cast (θ.num : Int) := by
      rw [Int.natCast_mul, base2.cast_mul]
    have h5 : base2.cast (x + x - (c + c + 1)) = base2.cast x + base2.cast x - base2.cast (c + c + 1) := by
      rw [sub_def, base2.cast_add, base2.cast_neg, base2.cast_add, sub_def]
    rw [hs, base2.exp_zero, natCast_one, base2.inner_zero, inner_castV_smul_basis, hzx, h3, base2.cast_mul,
      base2.cast_add, h5, h4]
    rw [h2] at h1
    lin_comb (-θ.size) h1 + (-(base2.cast ((2 : Nat) : Int) * base2.cast (c + c + 1 : Int))) θ.size_mul
  have hpos : (0 : Rational) < base2.cast ((2 * θ.num : Nat) : Int) :=
    Threshold.cast_pos (Nat.mul_pos (by decide) θ.num_pos)
  refine bit_iff θ W v 1 _ (smul z (basis i)) 0 rfl rfl (fun h => ?_) fun h => ?_
  · exact lt_cert (mul_pos _ _ hpos (cast_lt (double_sub.1 h))) diff
  · refine lt_cert (mul_pos _ _ hpos (cast_lt (double_sub.2 h))) ?_
    rw [show (c + c + 1 - (x + x) : Int) = -(x + x - (c + c + 1)) by ring, base2.cast_neg]
    lin_comb (-1) diff

/-- **The test for an entry of the value vector is right.** -/
theorem valueTest_iff (θ : Threshold) (W : Mat Int d) (v : Vec Int d) (i : Fin d) (n : Int) :
    (base2.membershipOracle θ.value W (base2.castV v) (valueTest θ i n).1 != (valueTest θ i n).2) = true ↔
      n < θ.orient v i := by
  cases n with
  | ofNat c =>
    have h := valueQuery_iff θ W v i false c
    rwa [if_neg (by decide)] at h
  | negSucc c =>
    have h := valueQuery_iff θ W v i true c
    rw [if_pos rfl] at h
    show (_ != !θ.negative) = true ↔ _
    rw [bne_not_iff]
    refine (not_congr h).trans ?_
    rw [Int.not_lt, Int.negSucc_eq]
    constructor
    · intro h
      refine Int.lt_of_sub_pos ?_
      rw [show θ.orient v i - -((c : Int) + 1) = (c - -θ.orient v i) + 1 by ring]
      exact Int.lt_add_one_of_le (Int.sub_nonneg_of_le h)
    · intro h
      have h := Int.sub_pos_of_lt h
      rw [show θ.orient v i - -((c : Int) + 1) = (c - -θ.orient v i) + 1 by ring] at h
      exact Int.le_of_sub_nonneg (Int.le_of_lt_add_one h)

/-! ## Testing a score

From now on `v` is the value vector as it was found, that is the oriented one. -/

/-- The direction for the row `i`: `eᵢ` if `vᵢ ≠ 0`, and `eᵢ + eₚ` otherwise. -/
def integerProbe (v : Vec Int d) (p i : Fin d) : Vec Int d := if v i ≠ 0 then basis i else basis i + basis p

/-- The value of this direction, if `vₚ ≠ 0`. -/
def integerSlope (v : Vec Int d) (p i : Fin d) : Int := if v i ≠ 0 then v i else v p

/-- The sign that makes the value of `± eⱼ` at most zero. -/
def side (v : Vec Int d) (j : Fin d) : Int := if v j ≤ 0 then 1 else -1

/-- The sign of a nonzero integer. -/
def signOf (D : Int) : Int := if 0 < D then 1 else -1

/-- How far the value of the query token is below the threshold, in units of `1 / b`. -/
def gapBelow (θ : Threshold) (v : Vec Int d) (j : Fin d) : Nat := (v j).natAbs * θ.den + θ.num

/-- The multiple `T` of the direction that lifts the value above the threshold. -/
def lift (θ : Threshold) (v : Vec Int d) (p i j : Fin d) : Nat :=
  gapBelow θ v j / ((integerSlope v p i).natAbs * θ.den) + 1

/-- How far the value of the token is above the threshold, in units of `1 / b`. -/
def gapAbove (θ : Threshold) (v : Vec Int d) (p i j : Fin d) : Nat :=
  lift θ v p i j * ((integerSlope v p i).natAbs * θ.den) - gapBelow θ v j

/-- The sign with which the score of the direction appears in the test. -/
def scoreSign (v : Vec Int d) (p i j : Fin d) : Int := side v j * signOf (integerSlope v p i)

/-- **The test for `± uᵢᵀ W eⱼ > n`**: `k` copies of `q ± T uᵢ` and `m` copies of `q = ± eⱼ`, where the ratio of `k`
and `m` places the threshold at the weight `(3 / 2) 2 ^ (T n)`. -/
def scoreTest (θ : Threshold) (v : Vec Int d) (p i j : Fin d) (n : Int) : Query Int d × Bool :=
  ((Semantics.copies (2 * gapBelow θ v j * 2 ^ (lift θ v p i j * (-n).toNat))
      (3 * gapAbove θ v p i j * 2 ^ (lift θ v p i j * n.toNat) - 1)
      (smul (signOf (integerSlope v p i) * lift θ v p i j) (integerProbe v p i)) (smul (side v j) (basis j)),
    smul (side v j) (basis j)), θ.negative)

private theorem integerSlope_ne {v : Vec Int d} {p : Fin d} (hp : v p ≠ 0) (i : Fin d) : integerSlope v p i ≠ 0 := by
  unfold integerSlope
  split <;> assumption

private theorem inner_integerProbe (v : Vec Int d) (p i : Fin d) :
    base2.inner (base2.castV v) (integerProbe v p i) = base2.cast (integerSlope v p i) := by
  unfold integerProbe integerSlope
  split
  · rw [base2.inner_basis]; rfl
  · rename_i h
    rw [base2.inner_add, base2.inner_basis, base2.inner_basis, Semantics.castV, Semantics.castV, Classical.not_not.mp h,
      base2.cast_zero, zero_add]

private theorem signOf_mul (D : Int) : signOf D * D = (D.natAbs : Int) := by
  unfold signOf
  split
  · rename_i h0
    rw [one_mul, Int.natAbs_of_nonneg (Int.le_of_lt h0)]
  · rename_i h0
    rw [Int.ofNat_natAbs_of_nonpos (Int.not_lt.mp h0)]; ring

private theorem side_mul (v : Vec Int d) (j : Fin d) : side v j * v j = -((v j).natAbs : Int) := by
  unfold side
  split
  · rename_i h
    rw [Int.ofNat_natAbs_of_nonpos h]; ring
  · rename_i h
    rw [Int.natAbs_of_nonneg (Int.le_of_lt (Int.not_le.mp h))]; ring

private theorem gapAbove_add (θ : Threshold) {v : Vec Int d} {p : Fin d} (hp : v p ≠ 0) (i j : Fin d) :
    gapAbove θ v p i j + gapBelow θ v j = lift θ v p i j * ((integerSlope v p i).natAbs * θ.den) ∧
      0 < gapAbove θ v p i j := by
  have hY : 0 < (integerSlope v p i).natAbs * θ.den :=
    Nat.mul_pos (Int.natAbs_pos.mpr (integerSlope_ne hp i)) θ.den_pos
  have h : gapBelow θ v j < lift θ v p i j * ((integerSlope v p i).natAbs * θ.den) :=
    (Nat.div_lt_iff_lt_mul hY).mp (Nat.lt_succ_self _)
  exact ⟨Nat.sub_add_cancel (Nat.le_of_lt h), Nat.sub_pos_of_lt h⟩

private theorem gapBelow_pos (θ : Threshold) (v : Vec Int d) (j : Fin d) : 0 < gapBelow θ v j :=
  Nat.lt_of_lt_of_le θ.num_pos (Nat.le_add_left _ _)

private theorem lift_pos (θ : Threshold) (v : Vec Int d) (p i j : Fin d) : 0 < lift θ v p i j := Nat.succ_pos _

/-- The power of two that the copies represent. -/
private theorem exp_mul_two_pow (T : Nat) (n : Int) :
    base2.exp (T * n) * base2.cast ((2 ^ (T * (-n).toNat) : Nat) : Int) =
      base2.cast ((2 ^ (T * n.toNat) : Nat) : Int) := by
  rw [← base2_exp_natCast, ← base2_exp_natCast, ← base2.exp_add, Int.natCast_mul, Int.natCast_mul]
  congr 1
  cases n with
  | ofNat c =>
    rw [show (-(Int.ofNat c)).toNat = 0 from by cases c <;> rfl, show (Int.ofNat c).toNat = c from rfl]
    show (T : Int) * (c : Int) + (T : Int) * 0 = _
    rw [mul_zero, add_zero]
  | negSucc c =>
    rw [Int.toNat_negSucc, Int.negSucc_eq, neg_neg, show ((c : Int) + 1).toNat = c + 1 from rfl, Int.natCast_add,
      Int.natCast_one]
    show _ = (T : Int) * 0
    ring

/-- The comparison of weights: `3 · 2 ^ (T n)` and `2 · 2 ^ (T y)`. -/
private theorem weight_comparison {T : Nat} (hT : 0 < T) {n y : Int} :
    (n < y → 0 < (base2.exp (T * y) + base2.exp (T * y)) -
      (base2.exp (T * n) + base2.exp (T * n) + base2.exp (T * n))) ∧
    (¬ n < y → 0 < (base2.exp (T * n) + base2.exp (T * n) + base2.exp (T * n)) -
      (base2.exp (T * y) + base2.exp (T * y))) := by
  have hT' : (0 : Int) ≤ T := Int.natCast_nonneg T
  have hn := base2.exp_pos ((T : Int) * n)
  constructor
  · intro h
    have h1 : (T : Int) * n + 1 ≤ T * y := by
      have h2 := Int.mul_le_mul_of_nonneg_left (Int.add_one_le_of_lt h) hT'
      rw [mul_add, mul_one] at h2
      exact Int.le_trans (Int.add_le_add_left (Int.add_one_le_of_lt (Int.natCast_pos.mpr hT)) _) h2
    have h2 := base2_exp_le h1
    rw [base2.exp_add, show base2.exp 1 = 1 + 1 from by decide +kernel] at h2
    exact lt_of_lt_of_le hn (le_cert (add_nonneg (sub_nonneg.mpr h2) (sub_nonneg.mpr h2)) (by ring))
  · intro h
    have h1 := base2_exp_le (Int.mul_le_mul_of_nonneg_left (Int.not_lt.mp h) hT')
    exact lt_of_lt_of_le hn (le_cert (add_nonneg (sub_nonneg.mpr h1) (sub_nonneg.mpr h1)) (by ring))

/-- **The test for a score is right**, for the oracle of the head `(W, v)` and a pivot `p` with `vₚ ≠ 0`. -/
theorem scoreTest_iff (θ : Threshold) (W : Mat Int d) (v : Vec Int d) {p : Fin d} (hp : θ.orient v p ≠ 0) (i j : Fin d)
    (n : Int) :
    (base2.membershipOracle θ.value W (base2.castV v) (scoreTest θ (θ.orient v) p i j n).1 !=
        (scoreTest θ (θ.orient v) p i j n).2) = true ↔
      n < scoreSign (θ.orient v) p i j * score W (integerProbe (θ.orient v) p i) (basis j) := by
  obtain ⟨e, hH⟩ := gapAbove_add θ hp i j
  have hX := gapBelow_pos θ (θ.orient v) j
  have hT := lift_pos θ (θ.orient v) p i j
  have hXdef : gapBelow θ (θ.orient v) j = ((θ.orient v) j).natAbs * θ.den + θ.num := rfl
  have hq : base2.inner (base2.castV (θ.orient v)) (smul (side (θ.orient v) j) (basis j)) =
      -base2.cast (((θ.orient v) j).natAbs : Int) := by
    rw [inner_castV_smul_basis, side_mul, base2.cast_neg]
  have hu : base2.inner (base2.castV (θ.orient v)) (smul (signOf (integerSlope (θ.orient v) p i) *
      lift θ (θ.orient v) p i j) (integerProbe (θ.orient v) p i)) =
      base2.cast (lift θ (θ.orient v) p i j : Int) * base2.cast ((integerSlope (θ.orient v) p i).natAbs : Int) := by
    rw [base2.inner_smul, inner_integerProbe, ← signOf_mul (integerSlope (θ.orient v) p i), base2.cast_mul,
      base2.cast_mul]
    ring
  have hs : score W (smul (signOf (integerSlope (θ.orient v) p i) * lift θ (θ.orient v) p i j)
      (integerProbe (θ.orient v) p i)) (smul (side (θ.orient v) j) (basis j)) = lift θ (θ.orient v) p i j *
      (scoreSign (θ.orient v) p i j * score W (integerProbe (θ.orient v) p i) (basis j)) := by
    rw [score_smul_query, score_smul, scoreSign]
    ring
  rw [scoreTest]
  generalize scoreSign (θ.orient v) p i j * score W (integerProbe (θ.orient v) p i) (basis j) = y at hs ⊢
  generalize smul (signOf (integerSlope (θ.orient v) p i) * lift θ (θ.orient v) p i j)
    (integerProbe (θ.orient v) p i) = u at hs hu ⊢
  generalize smul (side (θ.orient v) j) (basis j) = q at hs hq ⊢
  generalize lift θ (θ.orient v) p i j = T at *
  generalize gapAbove θ (θ.orient v) p i j = H at *
  generalize gapBelow θ (θ.orient v) j = X at *
  generalize (integerSlope (θ.orient v) p i).natAbs = D at *
  generalize ((θ.orient v) j).natAbs = V at *
  have hm : 3 * H * 2 ^ (T * n.toNat) - 1 + 1 = 3 * H * 2 ^ (T * n.toNat) :=
    Nat.sub_add_cancel (Nat.mul_pos (Nat.mul_pos (by decide) hH) (Nat.two_pow_pos _))
  -- the two gaps as numbers
  have cX : base2.cast (X : Int) = base2.cast (V : Int) * base2.cast (θ.den : Int) + base2.cast (θ.num : Int) := by
    rw [hXdef, Int.natCast_add, Int.natCast_mul, base2.cast_add, base2.cast_mul]
  have cH : base2.cast (H : Int) + base2.cast (X : Int) =
      base2.cast (T : Int) * (base2.cast (D : Int) * base2.cast (θ.den : Int)) := by
    rw [← base2.cast_add, ← Int.natCast_add, e, Int.natCast_mul, Int.natCast_mul, base2.cast_mul, base2.cast_mul]
  have hb := Threshold.cast_pos θ.den_pos
  have two : base2.cast ((2 : Nat) : Int) = 1 + 1 := by decide +kernel
  have three : base2.cast ((3 : Nat) : Int) = 1 + 1 + 1 := by decide +kernel
  have pow := exp_mul_two_pow T n
  -- the difference of the two sides of the comparison, times `b`
  have diff : (natCast (2 * X * 2 ^ (T * (-n).toNat)) * base2.exp (score W u q) *
      (base2.inner (base2.castV (θ.orient v)) q + base2.inner (base2.castV (θ.orient v)) u - θ.size) -
      natCast (3 * H * 2 ^ (T * n.toNat) - 1 + 1) * (θ.size - base2.inner (base2.castV (θ.orient v)) q)) *
        base2.cast (θ.den : Int) = base2.cast (X : Int) * base2.cast (H : Int) *
      base2.cast ((2 ^ (T * (-n).toNat) : Nat) : Int) * ((base2.exp (T * y) + base2.exp (T * y)) -
        (base2.exp (T * n) + base2.exp (T * n) + base2.exp (T * n))) := by
    rw [hm, natCast_eq_cast, natCast_eq_cast, hs, hq, hu]
    simp only [Int.natCast_mul, base2.cast_mul]
    rw [two, three, ← pow]
    generalize base2.cast ((2 ^ (T * (-n).toNat) : Nat) : Int) = P
    have t := θ.size_mul
    lin_comb (-((1 + 1) * base2.cast (X : Int) * P * base2.exp (T * y))) cH +
      ((1 + 1) * base2.cast (X : Int) * P * base2.exp (T * y) +
        (1 + 1 + 1) * base2.cast (H : Int) * (base2.exp (T * n) * P)) cX +
      (-((1 + 1) * base2.cast (X : Int) * P * base2.exp (T * y) +
        (1 + 1 + 1) * base2.cast (H : Int) * (base2.exp (T * n) * P))) t
  have hpos : 0 < base2.cast (X : Int) * base2.cast (H : Int) * base2.cast ((2 ^ (T * (-n).toNat) : Nat) : Int) :=
    mul_pos _ _ (mul_pos _ _ (Threshold.cast_pos hX) (Threshold.cast_pos hH)) (Threshold.cast_pos (Nat.two_pow_pos _))
  have sign : ∀ {x z : Rational}, x * base2.cast (θ.den : Int) = z → 0 < z → 0 < x := fun {x z} h hz =>
    lt_of_not_le fun h' => mul_le_mul_right (le_of_lt hb) h' (by rw [zero_mul, h]; exact hz)
  refine bit_iff θ W v _ _ u q rfl rfl (fun h => ?_) fun h => ?_
  · exact sub_pos.mp (sign diff (mul_pos _ _ hpos ((weight_comparison hT).1 h)))
  · refine sub_pos.mp (sign ?_ (mul_pos _ _ hpos ((weight_comparison hT).2 h)))
    lin_comb (-1) diff

end

end AttentionQueries
