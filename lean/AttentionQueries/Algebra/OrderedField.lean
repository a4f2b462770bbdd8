import AttentionQueries.Algebra.RingTactic

/-! # Consequences of the laws of rings and ordered fields

## Main definitions

* `CommRing.natCast`: the image of a natural number in a ring.

## Main statements

* `OrderedField.mul_eq_zero`, `OrderedField.mul_right_cancel`: a field has no zero divisors.
* `OrderedField.div_eq_iff`: what a quotient is.
* `OrderedField.natCast_inj`: an ordered field has characteristic zero. -/

namespace AttentionQueries
open CommRing

namespace CommRing
variable {R : Type} [CommRing R]

/-- A sign may be moved out of the right factor. -/
theorem mul_neg (a b : R) : a * -b = -(a * b) := by ring

/-- An element less itself. -/
theorem sub_self (a : R) : a - a = 0 := by ring

/-- An element less zero. -/
theorem sub_zero (a : R) : a - 0 = a := by ring

/-- A difference vanishes iff its terms are equal. -/
theorem sub_eq_zero {a b : R} : a - b = 0 ↔ a = b :=
  ⟨fun h => by lin_comb (1) h, fun h => by rw [h, sub_self]⟩

/-- The image of a natural number, `1 + ⋯ + 1`. -/
def natCast : Nat → R
  | 0 => 0
  | n + 1 => natCast n + 1

/-- The image of zero. -/
theorem natCast_zero : natCast 0 = (0 : R) := rfl

/-- The image of a successor. -/
theorem natCast_succ (n : Nat) : natCast (n + 1) = (natCast n + 1 : R) := rfl

/-- The image of one. -/
theorem natCast_one : natCast 1 = (1 : R) := zero_add 1

/-- The image of a sum. -/
theorem natCast_add (m n : Nat) : natCast (m + n) = (natCast m + natCast n : R) := by
  induction n with
  | zero => exact (add_zero _).symm
  | succ n ih => rw [← Nat.add_assoc, natCast_succ, ih, natCast_succ, add_assoc]

end CommRing

namespace OrderedField
variable {K : Type} [OrderedField K]

/-- A field has no zero divisors. -/
theorem mul_eq_zero {a b : K} (h : a * b = 0) : a = 0 ∨ b = 0 := by
  by_cases ha : a = 0
  · exact .inl ha
  · right
    lin_comb (a⁻¹) h + (-b) (mul_inv a ha)

/-- A product of nonzero elements is nonzero. -/
theorem mul_ne_zero {a b : K} (ha : a ≠ 0) (hb : b ≠ 0) : a * b ≠ 0 := fun h => (mul_eq_zero h).elim ha hb

/-- A nonzero factor on the right cancels. -/
theorem mul_right_cancel {a b c : K} (hc : c ≠ 0) (h : a * c = b * c) : a = b := by
  lin_comb (c⁻¹) h + (b - a) (mul_inv c hc)

/-- A nonzero factor on the left cancels. -/
theorem mul_left_cancel {a b c : K} (hc : c ≠ 0) (h : c * a = c * b) : a = b := by
  lin_comb (c⁻¹) h + (b - a) (mul_inv c hc)

/-- A quotient by a nonzero element, cross-multiplied. -/
theorem div_eq_iff {a b c : K} (hb : b ≠ 0) : a / b = c ↔ a = c * b := by
  rw [div_def]
  constructor
  · intro h; lin_comb (b) h + (-a) (mul_inv b hb)
  · intro h; lin_comb (b⁻¹) h + (c) (mul_inv b hb)

/-- Dividing and multiplying by a nonzero element. -/
theorem div_mul_cancel (a : K) {b : K} (hb : b ≠ 0) : a / b * b = a := ((div_eq_iff hb).mp rfl).symm

/-- A quotient of zero is zero, whatever the divisor. -/
theorem zero_div (a : K) : 0 / a = 0 := by rw [div_def, zero_mul]

/-- The inverse of a nonzero element is nonzero. -/
theorem inv_ne_zero {a : K} (ha : a ≠ 0) : a⁻¹ ≠ 0 := by
  intro h
  have := mul_inv a ha
  rw [h, mul_zero] at this
  exact zero_ne_one this

/-- A sum is divided termwise. -/
theorem add_div (a b c : K) : (a + b) / c = a / c + b / c := by rw [div_def, div_def, div_def, add_mul]

/-- A factor may be moved out of a quotient. -/
theorem mul_div (a b c : K) : (a * b) / c = a * (b / c) := by rw [div_def, div_def, mul_assoc]

/-- A positive element is nonzero. -/
theorem pos_ne {a : K} (h : 0 < a) : a ≠ 0 := by
  rintro rfl
  exact lt_irrefl _ h

/-- A sum of positive elements is positive. -/
theorem add_pos {a b : K} (ha : 0 < a) (hb : 0 < b) : 0 < a + b := by
  have h := add_lt 0 a b ha
  rw [zero_add] at h
  exact lt_trans _ _ _ hb h

/-- One is positive. -/
theorem one_pos : (0 : K) < 1 := by
  rcases lt_total (0:K) 1 with h | h | h
  · exact h
  · exact absurd h zero_ne_one
  · have h1 := add_lt _ _ (-1 : K) h
    rw [add_neg, zero_add] at h1
    have h2 := mul_pos _ _ h1 h1
    rw [show (-1 : K) * -1 = 1 by ring] at h2
    exact absurd (lt_trans _ _ _ h h2) (lt_irrefl _)

/-- The image of a positive natural number is positive. -/
theorem natCast_pos (n : Nat) : (0 : K) < natCast (n + 1) := by
  induction n with
  | zero => rw [natCast_one]; exact one_pos
  | succ n ih => exact add_pos ih one_pos

/-- Different natural numbers have different images in an ordered field. -/
theorem natCast_inj {m n : Nat} (h : (natCast m : K) = natCast n) : m = n := by
  have key : ∀ a b : Nat, (natCast a : K) = natCast b → ¬ a < b := by
    intro a b h hlt
    obtain ⟨k, rfl⟩ := Nat.le.dest (Nat.succ_le_of_lt hlt)
    rw [Nat.succ_add, ← Nat.add_succ, natCast_add] at h
    exact pos_ne (natCast_pos k) (by lin_comb (-1) h)
  exact Nat.le_antisymm (Nat.le_of_not_lt (key _ _ h.symm)) (Nat.le_of_not_lt (key _ _ h))

end OrderedField

end AttentionQueries
