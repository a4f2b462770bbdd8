import AttentionQueries.Algebra.OrderedField

/-! # Fields without an order

The theory of rank needs division, but no order. `Field` is the class for it.

## Main definitions

* `Field K`: commutative rings with inverses; every `OrderedField` is one.

## Main statements

* `Field.mul_eq_zero`: a product vanishes only if a factor does.
-/

namespace AttentionQueries
open CommRing

/-- A field, without an order; `0⁻¹` is arbitrary. -/
class Field (K : Type) extends CommRing K, Inv K where
  /-- `a⁻¹` is the inverse of `a ≠ 0` -/
  mul_inv : ∀ a : K, a ≠ 0 → a * a⁻¹ = 1
  /-- zero is not one -/
  zero_ne_one : (0 : K) ≠ 1

/-- An ordered field is a field. -/
instance (priority := low) {K : Type} [i : OrderedField K] : Field K := { i with }

/-- In a field a product vanishes only if a factor does. -/
theorem Field.mul_eq_zero {K : Type} [Field K] {a b : K} (h : a * b = 0) : a = 0 ∨ b = 0 := by
  by_cases ha : a = 0
  · exact .inl ha
  · right
    lin_comb (a⁻¹) h + (-b) (Field.mul_inv a ha)

end AttentionQueries
