import AttentionQueries.Algebra.RingTactic

/-! # Fields -/

namespace AttentionQueries
open CommRing

/-- a field, without an order (`0⁻¹` is arbitrary) -/
class Field (K : Type) extends CommRing K, Inv K where
  mul_inv : ∀ a : K, a ≠ 0 → a * a⁻¹ = 1
  zero_ne_one : (0 : K) ≠ 1
instance (priority := low) {K : Type} [i : OrderedField K] : Field K := { i with }

end AttentionQueries
