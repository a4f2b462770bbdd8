
/-! # Commutative rings and ordered fields

Two small classes, with the laws the library uses. Subtraction and division are fields of the classes, each with a law
that defines it, so that an instance for `Int` keeps the native operations and stays computable.

## Main definitions

* `CommRing R`: a commutative ring with one; the ring may be trivial.
* `OrderedField K`: a totally ordered field. The law `zero_ne_one` makes it nontrivial; nothing is said about `0⁻¹`.

## Main statements

The elementary consequences of the ring laws, in the namespace `CommRing`. From `RingTactic` on, the tactic `ring`
proves such identities. -/

namespace AttentionQueries

/-- A commutative ring with one. It may be the trivial ring, in which `0 = 1`. -/
class CommRing (R : Type) extends Add R, Mul R, Neg R, Sub R, Zero R, One R where
  /-- Addition is associative. -/
  add_assoc : ∀ a b c : R, a + b + c = a + (b + c)
  /-- Addition is commutative. -/
  add_comm : ∀ a b : R, a + b = b + a
  /-- Zero is neutral for addition. -/
  add_zero : ∀ a : R, a + 0 = a
  /-- The negative is inverse for addition. -/
  add_neg : ∀ a : R, a + -a = 0
  /-- Subtraction adds the negative. -/
  sub_def : ∀ a b : R, a - b = a + -b
  /-- Multiplication is associative. -/
  mul_assoc : ∀ a b c : R, a * b * c = a * (b * c)
  /-- Multiplication is commutative. -/
  mul_comm : ∀ a b : R, a * b = b * a
  /-- One is neutral for multiplication. -/
  mul_one : ∀ a : R, a * 1 = a
  /-- Multiplication distributes over addition. -/
  mul_add : ∀ a b c : R, a * (b + c) = a * b + a * c

/-- A totally ordered field. The inverse of zero is unspecified. -/
class OrderedField (K : Type) extends CommRing K, Inv K, Div K, LT K where
  /-- Division multiplies by the inverse. -/
  div_def : ∀ a b : K, a / b = a * b⁻¹
  /-- The inverse of a nonzero element is an inverse. -/
  mul_inv : ∀ a : K, a ≠ 0 → a * a⁻¹ = 1
  /-- The field is nontrivial. -/
  zero_ne_one : (0 : K) ≠ 1
  /-- The order is strict. -/
  lt_irrefl : ∀ a : K, ¬ a < a
  /-- The order is transitive. -/
  lt_trans : ∀ a b c : K, a < b → b < c → a < c
  /-- The order is compatible with addition. -/
  add_lt : ∀ a b c : K, a < b → a + c < b + c
  /-- Products of positive elements are positive. -/
  mul_pos : ∀ a b : K, 0 < a → 0 < b → 0 < a * b
  /-- The order is total. -/
  lt_total : ∀ a b : K, a < b ∨ a = b ∨ b < a

namespace CommRing
variable {R : Type} [CommRing R]

/-- Zero is neutral on the left. -/
theorem zero_add (a : R) : 0 + a = a := by rw [add_comm, add_zero]

/-- One is neutral on the left. -/
theorem one_mul (a : R) : 1 * a = a := by rw [mul_comm, mul_one]

/-- The negative is inverse on the left. -/
theorem neg_add (a : R) : -a + a = 0 := by rw [add_comm, add_neg]

/-- Multiplication distributes over a sum on the left. -/
theorem add_mul (a b c : R) : (a + b) * c = a * c + b * c := by rw [mul_comm, mul_add, mul_comm c, mul_comm c]

/-- The first two of three summands may be exchanged. -/
theorem add_left_comm (a b c : R) : a + (b + c) = b + (a + c) := by rw [← add_assoc, add_comm a, add_assoc]

/-- The first two of three factors may be exchanged. -/
theorem mul_left_comm (a b c : R) : a * (b * c) = b * (a * c) := by rw [← mul_assoc, mul_comm a, mul_assoc]

/-- Equal summands on the left cancel. -/
theorem add_left_cancel {a b c : R} (h : a + b = a + c) : b = c := by
  have h2 : -a + (a + b) = -a + (a + c) := by rw [h]
  rwa [← add_assoc, ← add_assoc, neg_add, zero_add, zero_add] at h2

/-- A product with zero on the right is zero. -/
theorem mul_zero (a : R) : a * 0 = 0 := by
  have h : a * 0 + a * 0 = a * 0 + 0 := by rw [← mul_add, add_zero, add_zero]
  exact add_left_cancel h

/-- A product with zero on the left is zero. -/
theorem zero_mul (a : R) : 0 * a = 0 := by rw [mul_comm, mul_zero]

/-- Negatives are unique. -/
theorem eq_neg_of_add {a b : R} (h : a + b = 0) : b = -a := by
  apply add_left_cancel (a := a)
  rw [h, add_neg]

/-- A sign may be moved out of the left factor. -/
theorem neg_mul (a b : R) : -a * b = -(a * b) := eq_neg_of_add (by rw [← add_mul, add_neg, zero_mul])

/-- The negative of a sum is the sum of the negatives. -/
theorem neg_add_rev (a b : R) : -(a + b) = -a + -b := by
  symm; apply eq_neg_of_add
  rw [add_assoc, add_left_comm b, add_neg, add_zero, add_neg]

/-- The negative of the negative. -/
theorem neg_neg (a : R) : - -a = a := (eq_neg_of_add (neg_add a)).symm

/-- The negative of zero. -/
theorem neg_zero : -(0 : R) = 0 := (eq_neg_of_add (add_zero 0)).symm

end CommRing

end AttentionQueries
