import AttentionQueries.Base2.Rational
import AttentionQueries.MultiHead.Reduced

/-! # The base-2 base2: integer scores, rational values, `exp s = 2 ^ s` -/

namespace AttentionQueries
open CommRing OrderedField

/-! ## powers of two -/
/-- `2 ^ s = 2 ^ a / 2 ^ b` for `s = a - b` -/
def pow2Num : Int → Nat
  | .ofNat a => a
  | .negSucc _ => 0
def pow2Den : Int → Nat
  | .ofNat _ => 0
  | .negSucc b => b + 1
theorem num2_sub_den2 (s : Int) : (pow2Num s : Int) - pow2Den s = s := by
  cases s with
  | ofNat a => exact sub_zero (a : Int)
  | negSucc b => exact zero_add (Int.negSucc b)
theorem pow2_pos (n : Nat) : (0 : Int) < ((2 ^ n : Nat) : Int) := Int.natCast_pos.mpr (Nat.two_pow_pos n)
theorem pow2_add (a b : Nat) : ((2 ^ (a + b) : Nat) : Int) = ((2 ^ a : Nat) : Int) * ((2 ^ b : Nat) : Int) := by
  rw [Nat.pow_add, Int.natCast_mul]
theorem pow2_inj {a b : Nat} (h : 2 ^ a = 2 ^ b) : a = b := by
  have key : ∀ a b : Nat, a < b → 2 ^ a ≠ 2 ^ b := by
    intro a b hab h
    obtain ⟨k, rfl⟩ := Nat.le.dest (Nat.succ_le_of_lt hab)
    rw [Nat.succ_add, ← Nat.add_succ, Nat.pow_add, Nat.pow_succ] at h
    have h1 : 2 ^ a * 1 = 2 ^ a * (2 ^ k * 2) := by rw [Nat.mul_one]; exact h
    have h2 := Nat.eq_of_mul_eq_mul_left (Nat.two_pow_pos a) h1
    have h3 := Nat.two_pow_pos k
    generalize 2 ^ k = x at *
    cases x with
    | zero => exact absurd h3 (Nat.lt_irrefl 0)
    | succ x => rw [Nat.succ_mul] at h2; exact absurd h2 (by simp)
  rcases Nat.lt_trichotomy a b with h' | h' | h'
  · exact absurd h (key a b h')
  · exact h'
  · exact absurd h.symm (key b a h')

/-- `ℤ`-scores, `ℚ`-values, `exp s = 2 ^ s` -/
def base2 : Semantics Int Rational where
  cast n := Rational.mk (.ofInt n)
  cast_add a b := Rational.eq (by simp only [Fraction.add, Fraction.ofInt]; ring)
  cast_mul a b := Rational.eq (by simp only [Fraction.mul, Fraction.ofInt]; ring)
  cast_one := rfl
  cast_inj a b h := by
    have h : a * 1 = b * 1 := Quotient.exact h
    rwa [Int.mul_one, Int.mul_one] at h
  exp s := Rational.mk ⟨(2 ^ pow2Num s : Nat), (2 ^ pow2Den s : Nat), pow2_pos _⟩
  exp_add s t := Rational.eq (by
    show _ * (_ * _) = (_ * _) * _
    rw [← pow2_add, ← pow2_add, ← pow2_add, ← pow2_add]
    have h : (pow2Num (s + t) : Int) - pow2Den (s + t) = (pow2Num s - pow2Den s) + (pow2Num t - pow2Den t) := by
      rw [num2_sub_den2, num2_sub_den2, num2_sub_den2]
    congr 2
    apply Int.ofNat_inj.mp
    rw [Int.natCast_add, Int.natCast_add, Int.natCast_add, Int.natCast_add]
    lin_comb (1) h)
  exp_pos s := by
    show Rational.Pos (_ - 0)
    rw [sub_zero]
    exact pow2_pos _
  exp_inj s t h := by
    have h : ((2 ^ pow2Num s : Nat) : Int) * ((2 ^ pow2Den t : Nat) : Int) = ((2 ^ pow2Num t : Nat) : Int) * ((2 ^ pow2Den s : Nat) : Int) :=
      Quotient.exact h
    rw [← pow2_add, ← pow2_add] at h
    have h := pow2_inj (Int.ofNat_inj.mp h)
    have h := congrArg (fun n : Nat => (n : Int)) h
    simp only [Int.natCast_add] at h
    rw [← num2_sub_den2 s, ← num2_sub_den2 t]
    lin_comb (1) h

/-- the theory applied to the base2 -/
example (H H' : List (Head Int Rational 3)) :
    (∀ xs q, base2.evalHeads H xs q = base2.evalHeads H' xs q) ↔ ∀ W, total H W = total H' W := base2.fibre H H'

end AttentionQueries
