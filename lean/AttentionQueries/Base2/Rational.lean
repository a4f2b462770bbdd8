import AttentionQueries.Algebra.Fractions

/-! # The rational numbers

The rational numbers are the fractions of integers. They are an ordered field with decidable equality and order, and
small enough to be evaluated by the kernel.

## Main definitions

* `OrderedDomain Int`: the integers are an ordered domain
* `Rational`: the ordered field of rational numbers
-/

namespace AttentionQueries
open CommRing

/-- The integers are a commutative ring. -/
instance : CommRing Int where
  add_assoc := Int.add_assoc
  add_comm := Int.add_comm
  add_zero := Int.add_zero
  add_neg := Int.add_right_neg
  sub_def _ _ := Int.sub_eq_add_neg
  mul_assoc := Int.mul_assoc
  mul_comm := Int.mul_comm
  mul_one := Int.mul_one
  mul_add := Int.mul_add
  zero := 0
  one := 1

/-- The integers are an ordered domain. -/
instance : OrderedDomain Int where
  one_pos := by decide
  lt_irrefl := Int.lt_irrefl
  lt_trans _ _ _ := Int.lt_trans
  add_lt _ _ c h := Int.add_lt_add_right h c
  mul_pos _ _ := Int.mul_pos
  lt_total := Int.lt_trichotomy

/-- The rational numbers: fractions of integers. -/
abbrev Rational := FractionField Int

end AttentionQueries
