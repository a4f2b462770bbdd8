import AttentionQueries.Base2.Rational
import AttentionQueries.Semantics

/-! # The base-2 semantics: integer scores, rational values, `exp s = 2 ^ s`

The concrete model of the axioms of `Semantics`: no theorem about a general semantics is vacuous, and every definition
evaluates in the kernel.

## Main definitions

* `base2`: the semantics with scores in `ℤ`, values in `ℚ` and `exp s = 2 ^ s`
* `base2Log`: its logarithm, a partial function on `ℚ`

## Main statements

* `base2_exp_natCast`, `base2_eq_div`: the exponential of `n` is `2 ^ n`, and every value is a quotient of integers
* `base2Log_eq_some`: `base2Log x = some s ↔ base2.exp s = x`
* `base2_exp_lt`: the exponential is strictly increasing
-/

namespace AttentionQueries
open CommRing OrderedField

/-! ## Powers of two -/

/-- `a` when `s = a ≥ 0`, else `0`: the exponent in the numerator of `2 ^ s`. -/
def pow2Num : Int → Nat
  | .ofNat a => a
  | .negSucc _ => 0
/-- `b` when `s = -b < 0`, else `0`: the exponent in the denominator of `2 ^ s`. -/
def pow2Den : Int → Nat
  | .ofNat _ => 0
  | .negSucc b => b + 1

private theorem pow2Num_sub_pow2Den (s : Int) : (pow2Num s : Int) - pow2Den s = s := by
  cases s with
  | ofNat a => exact sub_zero (a : Int)
  | negSucc b => exact zero_add (Int.negSucc b)
private theorem two_pow_pos (n : Nat) : (0 : Int) < ((2 ^ n : Nat) : Int) := Int.natCast_pos.mpr (Nat.two_pow_pos n)
private theorem two_pow_add (a b : Nat) :
    ((2 ^ (a + b) : Nat) : Int) = ((2 ^ a : Nat) : Int) * ((2 ^ b : Nat) : Int) := by
  rw [Nat.pow_add, Int.natCast_mul]

private theorem log2_mul_two_pow {n : Nat} (hn : n ≠ 0) (k : Nat) : (n * 2 ^ k).log2 = n.log2 + k := by
  induction k with
  | zero => rw [Nat.pow_zero, Nat.mul_one, Nat.add_zero]
  | succ k ih =>
    have h : n * 2 ^ k ≠ 0 := Nat.mul_ne_zero hn (Nat.ne_of_gt (Nat.two_pow_pos k))
    rw [Nat.pow_succ, ← Nat.mul_assoc, Nat.mul_comm _ 2, Nat.log2_two_mul h, ih, Nat.add_assoc]
private theorem log2_two_pow (k : Nat) : (2 ^ k).log2 = k := by
  have h := log2_mul_two_pow Nat.one_ne_zero k
  rwa [Nat.one_mul, show Nat.log2 1 = 0 by decide +kernel, Nat.zero_add] at h
private theorem two_pow_inj {a b : Nat} (h : 2 ^ a = 2 ^ b) : a = b := by
  rw [← log2_two_pow a, h, log2_two_pow]

/-- The fraction `2 ^ s`: one of numerator and denominator is `1`. -/
def pow2 (s : Int) : Fraction Int := ⟨(2 ^ pow2Num s : Nat), (2 ^ pow2Den s : Nat), two_pow_pos _⟩

/-! ## The semantics -/

/-- The base-2 semantics: scores in `ℤ`, values in `ℚ`, `exp s = 2 ^ s`. -/
def base2 : Semantics Int Rational where
  cast n := FractionField.of n
  cast_add := FractionField.of_add
  cast_mul := FractionField.of_mul
  cast_one := FractionField.of_one
  cast_inj _ _ := FractionField.of_inj
  exp s := FractionField.mk (pow2 s)
  exp_add s t := FractionField.eq (by
    show _ * (_ * _) = (_ * _) * _
    rw [pow2, pow2, pow2, ← two_pow_add, ← two_pow_add, ← two_pow_add, ← two_pow_add]
    have h : (pow2Num (s + t) : Int) - pow2Den (s + t) = (pow2Num s - pow2Den s) + (pow2Num t - pow2Den t) := by
      rw [pow2Num_sub_pow2Den, pow2Num_sub_pow2Den, pow2Num_sub_pow2Den]
    congr 2
    apply Int.ofNat_inj.mp
    rw [Int.natCast_add, Int.natCast_add, Int.natCast_add, Int.natCast_add]
    lin_comb (1) h)
  exp_pos s := FractionField.zero_lt_iff.mpr (two_pow_pos _)
  exp_inj s t h := by
    have h : ((2 ^ pow2Num s : Nat) : Int) * ((2 ^ pow2Den t : Nat) : Int) =
        ((2 ^ pow2Num t : Nat) : Int) * ((2 ^ pow2Den s : Nat) : Int) := FractionField.exact h
    rw [← two_pow_add, ← two_pow_add] at h
    have h := congrArg (fun n : Nat => (n : Int)) (two_pow_inj (Int.ofNat_inj.mp h))
    simp only [Int.natCast_add] at h
    rw [← pow2Num_sub_pow2Den s, ← pow2Num_sub_pow2Den t]
    lin_comb (1) h

/-- The exponential of a natural number is a power of two. -/
theorem base2_exp_natCast (n : Nat) : base2.exp n = base2.cast ((2 ^ n : Nat) : Int) := rfl
/-- Every value is a quotient of integers. -/
theorem base2_eq_div (x : Rational) : ∃ (p : Int) (q : Nat), 0 < q ∧ x = base2.cast p / base2.cast q := by
  revert x
  refine FractionField.ind fun x => ?_
  obtain ⟨q, hq⟩ := Int.eq_ofNat_of_zero_le (Int.le_of_lt x.pos)
  have hpos := x.pos
  rw [hq] at hpos
  refine ⟨x.num, q, Int.natCast_pos.mp hpos, ?_⟩
  rw [← hq]
  exact (FractionField.mk_eq_div x).1

/-! ## The logarithm -/

private def checkedLog (x : Fraction Int) (s : Int) : Option Int :=
  if x.num * (pow2 s).den = (pow2 s).num * x.den then some s else none
private def logFraction (x : Fraction Int) : Option Int := checkedLog x (x.num.toNat.log2 - x.den.toNat.log2)

private theorem log2_toNat {n : Int} (hn : 0 < n) (k : Nat) :
    (n * ((2 ^ k : Nat) : Int)).toNat.log2 = n.toNat.log2 + k := by
  obtain ⟨m, rfl⟩ := Int.eq_ofNat_of_zero_le (Int.le_of_lt hn)
  rw [← Int.natCast_mul, Int.toNat_natCast, Int.toNat_natCast]
  exact log2_mul_two_pow (Nat.ne_of_gt (Int.natCast_pos.mp hn)) k

private theorem logFraction_eq_some (x : Fraction Int) (s : Int) :
    logFraction x = some s ↔ FractionField.mk (pow2 s) = FractionField.mk x := by
  unfold logFraction checkedLog
  constructor
  · intro h
    split at h
    · rename_i h'
      cases h
      exact FractionField.eq h'.symm
    · cases h
  · intro h
    have h : (pow2 s).num * x.den = x.num * (pow2 s).den := FractionField.exact h
    have hn : 0 < x.num := OrderedDomain.pos_of_mul_pos (two_pow_pos (pow2Den s)) (by
      show 0 < x.num * (pow2 s).den
      rw [← h]
      exact OrderedDomain.mul_pos _ _ (two_pow_pos _) x.pos)
    have e : ((x.num.toNat.log2 : Nat) : Int) - (x.den.toNat.log2 : Nat) = s := by
      have h1 := congrArg (fun n : Int => n.toNat.log2) h
      rw [mul_comm] at h1
      have h1 : (x.den * ((2 ^ pow2Num s : Nat) : Int)).toNat.log2 =
          (x.num * ((2 ^ pow2Den s : Nat) : Int)).toNat.log2 := h1
      rw [log2_toNat x.pos, log2_toNat hn] at h1
      have h2 := congrArg (fun n : Nat => (n : Int)) h1
      simp only [Int.natCast_add] at h2
      have h3 := pow2Num_sub_pow2Den s
      lin_comb (-1) h2 + (1) h3
    rw [e, if_pos h.symm]

/-- The logarithm to base two: the exponent of a power of two, and `none` for every other number. The candidate is the
difference of the bit lengths of numerator and denominator; it is checked. -/
def base2Log : Rational → Option Int := Quotient.lift logFraction fun x y h => by
  have key : ∀ s, logFraction x = some s ↔ logFraction y = some s := fun s => by
    rw [logFraction_eq_some, logFraction_eq_some, show FractionField.mk x = FractionField.mk y from Quotient.sound h]
  cases hx : logFraction x with
  | some s => exact ((key s).mp hx).symm
  | none =>
    cases hy : logFraction y with
    | none => rfl
    | some s => exact hx.symm.trans ((key s).mpr hy)

/-- **Specification of the logarithm**: it is the partial inverse of the exponential. -/
theorem base2Log_eq_some (x : Rational) (s : Int) : base2Log x = some s ↔ base2.exp s = x := by
  revert x
  exact FractionField.ind fun x => logFraction_eq_some x s

/-! ## Order -/

/-- The exponential is strictly increasing. -/
theorem base2_exp_lt {s t : Int} (h : s < t) : base2.exp s < base2.exp t := by
  have h1 : ((2 ^ (pow2Num s + pow2Den t) : Nat) : Int) < ((2 ^ (pow2Num t + pow2Den s) : Nat) : Int) := by
    refine Int.ofNat_lt.mpr (Nat.pow_lt_pow_right (by decide) (Int.ofNat_lt.mp ?_))
    rw [← pow2Num_sub_pow2Den s, ← pow2Num_sub_pow2Den t] at h
    have h2 := Int.add_lt_add_right h (pow2Den s + pow2Den t : Int)
    rw [show (pow2Num s : Int) - pow2Den s + (pow2Den s + pow2Den t) = pow2Num s + pow2Den t by ring,
      show (pow2Num t : Int) - pow2Den t + (pow2Den s + pow2Den t) = pow2Num t + pow2Den s by ring] at h2
    rwa [Int.natCast_add, Int.natCast_add]
  rw [two_pow_add, two_pow_add] at h1
  show 0 < ((2 ^ pow2Num t : Nat) : Int) * _ + -((2 ^ pow2Num s : Nat) : Int) * _
  rw [neg_mul, ← sub_def]
  exact Int.sub_pos_of_lt h1

end AttentionQueries
