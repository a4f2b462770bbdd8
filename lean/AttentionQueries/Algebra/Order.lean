import AttentionQueries.Algebra.OrderedField

/-! # The order of an ordered field

The class `OrderedField` has the strict order only; `a ≤ b` stands for `¬ b < a`. The proofs of inequalities in the
library follow one pattern, `le_cert` and `lt_cert`: the difference of the two sides is written as an expression that
is visibly nonnegative or positive, and `ring` or `lin_comb` checks the identity.

## Main definitions

* `a ≤ b` in an ordered field, and `OrderedField.abs`, the absolute value.

## Main statements

* `OrderedField.le_cert`, `OrderedField.lt_cert`: inequalities from certificates.
* `OrderedField.le_div_iff`, `OrderedField.div_le_iff`: quotients by positive elements, cross-multiplied.
* `OrderedField.abs_le`, `OrderedField.abs_mul`: the absolute value. -/

namespace AttentionQueries
open CommRing OrderedField

namespace OrderedField
variable {K : Type} [OrderedField K]

/-- `a ≤ b` means that `b < a` is false. -/
instance (priority := low) instLE : LE K := ⟨fun a b => ¬ b < a⟩

/-- The order `≤` is decidable if the strict order is. -/
instance (priority := low) instDecidableLE [DecidableLT K] (a b : K) : Decidable (a ≤ b) :=
  inferInstanceAs (Decidable (¬ b < a))

/-- The order is reflexive. -/
theorem le_refl (a : K) : a ≤ a := lt_irrefl a

/-- A strict inequality implies the weak one. -/
theorem le_of_lt {a b : K} (h : a < b) : a ≤ b := fun h' => lt_irrefl _ (lt_trans _ _ _ h h')

/-- Equal elements satisfy the weak inequality. -/
theorem le_of_eq {a b : K} (h : a = b) : a ≤ b := h ▸ le_refl a

/-- A weak inequality is a strict one or an equation. -/
theorem lt_or_eq_of_le {a b : K} (h : a ≤ b) : a < b ∨ a = b := by
  rcases lt_total a b with h' | h' | h'
  · exact .inl h'
  · exact .inr h'
  · exact absurd h' h

/-- The order is total: what is not below is above. -/
theorem lt_of_not_le {a b : K} (h : ¬ b ≤ a) : a < b := Classical.not_not.mp h

/-- What is not strictly below is above. -/
theorem le_of_not_lt {a b : K} (h : ¬ b < a) : a ≤ b := h

/-- A weak and a strict inequality compose to a strict one. -/
theorem lt_of_le_of_lt {a b c : K} (h : a ≤ b) (h' : b < c) : a < c := by
  rcases lt_or_eq_of_le h with h | rfl
  · exact lt_trans _ _ _ h h'
  · exact h'

/-- A strict and a weak inequality compose to a strict one. -/
theorem lt_of_lt_of_le {a b c : K} (h : a < b) (h' : b ≤ c) : a < c := by
  rcases lt_or_eq_of_le h' with h' | rfl
  · exact lt_trans _ _ _ h h'
  · exact h

/-- The order is transitive. -/
theorem le_trans {a b c : K} (h : a ≤ b) (h' : b ≤ c) : a ≤ c := fun hc => h' (lt_of_lt_of_le hc h)

/-- The order is antisymmetric. -/
theorem le_antisymm {a b : K} (h : a ≤ b) (h' : b ≤ a) : a = b := (lt_or_eq_of_le h).resolve_left h'

/-- The order is total. -/
theorem le_total (a b : K) : a ≤ b ∨ b ≤ a := by
  by_cases h : a ≤ b
  · exact .inl h
  · exact .inr (le_of_lt (lt_of_not_le h))

/-! ## Sums and products -/

/-- A difference is positive iff its terms are in order. -/
theorem sub_pos {a b : K} : 0 < b - a ↔ a < b :=
  ⟨fun h => by have := add_lt _ _ a h; rwa [zero_add, show b - a + a = b by ring] at this,
   fun h => by have := add_lt _ _ (-a) h; rwa [add_neg, ← sub_def] at this⟩

/-- A difference is nonnegative iff its terms are in order. -/
theorem sub_nonneg {a b : K} : 0 ≤ b - a ↔ a ≤ b :=
  ⟨fun h h' => h (by have := sub_pos.mpr h'; have := add_lt _ _ (b - a) this
                     rwa [zero_add, show a - b + (b - a) = 0 by ring] at this),
   fun h h' => h (by have := add_lt _ _ a h'; rwa [zero_add, show b - a + a = b by ring] at this)⟩

/-- A sum of nonnegative elements is nonnegative. -/
theorem add_nonneg {a b : K} (ha : 0 ≤ a) (hb : 0 ≤ b) : 0 ≤ a + b := by
  rcases lt_or_eq_of_le ha with ha | rfl
  · rcases lt_or_eq_of_le hb with hb | rfl
    · exact le_of_lt (add_pos ha hb)
    · rw [add_zero]; exact le_of_lt ha
  · rw [zero_add]; exact hb

/-- A product of nonnegative elements is nonnegative. -/
theorem mul_nonneg {a b : K} (ha : 0 ≤ a) (hb : 0 ≤ b) : 0 ≤ a * b := by
  rcases lt_or_eq_of_le ha with ha | rfl
  · rcases lt_or_eq_of_le hb with hb | rfl
    · exact le_of_lt (mul_pos _ _ ha hb)
    · rw [mul_zero]; exact le_refl _
  · rw [zero_mul]; exact le_refl _

/-- **Certificates**: an inequality follows from a nonnegative expression for the difference. -/
theorem le_cert {a b c : K} (hc : 0 ≤ c) (e : b - a = c) : a ≤ b := sub_nonneg.mp (e ▸ hc)

/-- **Certificates**: a strict inequality follows from a positive expression for the difference. -/
theorem lt_cert {a b c : K} (hc : 0 < c) (e : b - a = c) : a < b := sub_pos.mp (e ▸ hc)

/-- The negative of a nonpositive element is nonnegative. -/
theorem neg_nonneg {a : K} (h : a ≤ 0) : 0 ≤ -a := le_cert (sub_nonneg.mpr h) (by ring)

/-- Sums respect the order. -/
theorem add_le_add {a b c e : K} (h : a ≤ b) (h' : c ≤ e) : a + c ≤ b + e :=
  le_cert (add_nonneg (sub_nonneg.mpr h) (sub_nonneg.mpr h')) (by ring)

/-- A difference grows with its first term and decreases with its second one. -/
theorem sub_le_sub {a b c e : K} (h : a ≤ b) (h' : c ≤ e) : a - e ≤ b - c :=
  le_cert (add_nonneg (sub_nonneg.mpr h) (sub_nonneg.mpr h')) (by ring)

/-- A nonnegative factor respects the order. -/
theorem mul_le_mul_right {a b c : K} (hc : 0 ≤ c) (h : a ≤ b) : a * c ≤ b * c :=
  le_cert (mul_nonneg (sub_nonneg.mpr h) hc) (by ring)

/-- A positive factor cancels. -/
theorem le_of_mul_le_mul_right {a b c : K} (hc : 0 < c) (h : a * c ≤ b * c) : a ≤ b := fun h' =>
  h (lt_cert (mul_pos _ _ (sub_pos.mpr h') hc) (by ring))

/-- A lower bound of a quotient by a positive element. -/
theorem le_div_iff {a b c : K} (hc : 0 < c) : a ≤ b / c ↔ a * c ≤ b := by
  have e := div_mul_cancel b (pos_ne hc)
  constructor
  · intro h; have := mul_le_mul_right (le_of_lt hc) h; rwa [e] at this
  · intro h; exact le_of_mul_le_mul_right hc (by rw [e]; exact h)

/-- An upper bound of a quotient by a positive element. -/
theorem div_le_iff {a b c : K} (hc : 0 < c) : b / c ≤ a ↔ b ≤ a * c := by
  have e := div_mul_cancel b (pos_ne hc)
  constructor
  · intro h; have := mul_le_mul_right (le_of_lt hc) h; rwa [e] at this
  · intro h; exact le_of_mul_le_mul_right hc (by rw [e]; exact h)

/-! ## The absolute value -/

open Classical in
/-- The absolute value. -/
noncomputable def abs (a : K) : K := if 0 ≤ a then a else -a

/-- The absolute value of a nonnegative element. -/
theorem abs_of_nonneg {a : K} (h : 0 ≤ a) : abs a = a := if_pos h

/-- The absolute value of a negative element. -/
theorem abs_of_neg {a : K} (h : ¬ 0 ≤ a) : abs a = -a := if_neg h

/-- A bound of the absolute value is a bound on both sides. -/
theorem abs_le {a b : K} : abs a ≤ b ↔ -b ≤ a ∧ a ≤ b := by
  by_cases h : 0 ≤ a
  · rw [abs_of_nonneg h]
    exact ⟨fun hb => ⟨le_cert (add_nonneg h (le_trans h hb)) (by ring), hb⟩, And.right⟩
  · rw [abs_of_neg h]
    have h' := neg_nonneg (le_of_lt (lt_of_not_le h))
    refine ⟨fun hb => ⟨le_cert (sub_nonneg.mpr hb) (by ring), ?_⟩, fun hb => le_cert (sub_nonneg.mpr hb.1) (by ring)⟩
    exact le_cert (add_nonneg (add_nonneg (sub_nonneg.mpr hb) h') h') (by ring)

/-- The absolute value is nonnegative. -/
theorem abs_nonneg (a : K) : 0 ≤ abs a := by
  by_cases h : 0 ≤ a
  · rw [abs_of_nonneg h]; exact h
  · rw [abs_of_neg h]; exact neg_nonneg (le_of_lt (lt_of_not_le h))

/-- The absolute value of zero. -/
theorem abs_zero : abs (0 : K) = 0 := abs_of_nonneg (le_refl 0)

/-- The absolute value of a nonzero element does not vanish. -/
theorem abs_ne {a : K} (h : a ≠ 0) : abs a ≠ 0 := by
  by_cases h0 : 0 ≤ a
  · rw [abs_of_nonneg h0]; exact h
  · rw [abs_of_neg h0]
    exact fun e => h (by lin_comb (-1) e)

/-- The absolute value of a nonzero element is positive. -/
theorem abs_pos {a : K} (h : a ≠ 0) : 0 < abs a := (lt_or_eq_of_le (abs_nonneg a)).resolve_right (Ne.symm (abs_ne h))

/-- The absolute value is multiplicative. -/
theorem abs_mul (a b : K) : abs (a * b) = abs a * abs b := by
  have key : ∀ x : K, ¬ 0 ≤ x → 0 ≤ -x := fun x hx => neg_nonneg (le_of_lt (lt_of_not_le hx))
  have flip : ∀ x : K, 0 ≤ -x → abs x = -x := fun x hx => by
    by_cases h : 0 ≤ x
    · rw [abs_of_nonneg h]
      have : x = 0 := le_antisymm (le_cert hx (by ring)) h
      rw [this, neg_zero]
    · exact abs_of_neg h
  by_cases ha : 0 ≤ a <;> by_cases hb : 0 ≤ b
  · rw [abs_of_nonneg ha, abs_of_nonneg hb, abs_of_nonneg (mul_nonneg ha hb)]
  · rw [abs_of_nonneg ha, abs_of_neg hb, flip _ (by have := mul_nonneg ha (key _ hb); rwa [mul_neg] at this), mul_neg]
  · rw [abs_of_neg ha, abs_of_nonneg hb, flip _ (by have := mul_nonneg (key _ ha) hb; rwa [neg_mul] at this), neg_mul]
  · have := mul_nonneg (key _ ha) (key _ hb)
    rw [show -a * -b = a * b by ring] at this
    rw [abs_of_neg ha, abs_of_neg hb, abs_of_nonneg this]; ring

end OrderedField

end AttentionQueries
