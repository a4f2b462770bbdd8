
/-! # Commutative rings, ordered fields, and a small reflective `ring` tactic

`Sub` and `Div` are class fields with a defining law, so that instances for `Int` etc. keep their native operations. -/

namespace AttentionQueries


class CommRing (R : Type) extends Add R, Mul R, Neg R, Sub R, Zero R, One R where
  add_assoc : ∀ a b c : R, a + b + c = a + (b + c)
  add_comm : ∀ a b : R, a + b = b + a
  add_zero : ∀ a : R, a + 0 = a
  add_neg : ∀ a : R, a + -a = 0
  sub_def : ∀ a b : R, a - b = a + -b
  mul_assoc : ∀ a b c : R, a * b * c = a * (b * c)
  mul_comm : ∀ a b : R, a * b = b * a
  mul_one : ∀ a : R, a * 1 = a
  mul_add : ∀ a b c : R, a * (b + c) = a * b + a * c

class OrderedField (K : Type) extends CommRing K, Inv K, Div K, LT K where
  div_def : ∀ a b : K, a / b = a * b⁻¹
  mul_inv : ∀ a : K, a ≠ 0 → a * a⁻¹ = 1
  zero_ne_one : (0 : K) ≠ 1
  lt_irrefl : ∀ a : K, ¬ a < a
  lt_trans : ∀ a b c : K, a < b → b < c → a < c
  add_lt : ∀ a b c : K, a < b → a + c < b + c
  mul_pos : ∀ a b : K, 0 < a → 0 < b → 0 < a * b
  lt_total : ∀ a b : K, a < b ∨ a = b ∨ b < a

namespace CommRing
variable {R : Type} [CommRing R]
theorem zero_add (a : R) : 0 + a = a := by rw [add_comm, add_zero]
theorem one_mul (a : R) : 1 * a = a := by rw [mul_comm, mul_one]
theorem neg_add (a : R) : -a + a = 0 := by rw [add_comm, add_neg]
theorem add_mul (a b c : R) : (a + b) * c = a * c + b * c := by rw [mul_comm, mul_add, mul_comm c, mul_comm c]
theorem add_left_comm (a b c : R) : a + (b + c) = b + (a + c) := by rw [← add_assoc, add_comm a, add_assoc]
theorem mul_left_comm (a b c : R) : a * (b * c) = b * (a * c) := by rw [← mul_assoc, mul_comm a, mul_assoc]
theorem add_left_cancel {a b c : R} (h : a + b = a + c) : b = c := by
  have h2 : -a + (a + b) = -a + (a + c) := by rw [h]
  rwa [← add_assoc, ← add_assoc, neg_add, zero_add, zero_add] at h2
theorem mul_zero (a : R) : a * 0 = 0 := by
  have h : a * 0 + a * 0 = a * 0 + 0 := by rw [← mul_add, add_zero, add_zero]
  exact add_left_cancel h
theorem zero_mul (a : R) : 0 * a = 0 := by rw [mul_comm, mul_zero]
theorem eq_neg_of_add {a b : R} (h : a + b = 0) : b = -a := by
  apply add_left_cancel (a := a)
  rw [h, add_neg]
theorem neg_mul (a b : R) : -a * b = -(a * b) := eq_neg_of_add (by rw [← add_mul, add_neg, zero_mul])
theorem neg_add_rev (a b : R) : -(a + b) = -a + -b := by
  symm; apply eq_neg_of_add
  rw [add_assoc, add_left_comm b, add_neg, add_zero, add_neg]
theorem neg_neg (a : R) : - -a = a := (eq_neg_of_add (neg_add a)).symm
theorem neg_zero : -(0 : R) = 0 := (eq_neg_of_add (add_zero 0)).symm
end CommRing

end AttentionQueries
