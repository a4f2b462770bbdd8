import AttentionQueries.Algebra.Order
import AttentionQueries.Algebra.Polynomial

/-! # Intervals for positive numbers

The weights `eˢ` of scores are positive numbers of the ordered field `K`; the learner from noisy answers keeps an
interval for each of them, and computes with these intervals exactly. An interval has a lower end, where zero says
nothing, and an upper end, or none.

## Main definitions

* `Bounds K`, `Bounds.Contains`: intervals, and what they contain.
* `Bounds.everything`, `Bounds.nothing`: the interval that says nothing, and an interval that contains nothing.
* `Bounds.inter`, `Bounds.scale`, `Bounds.pow`, `Bounds.div`, `Bounds.mul`: interval arithmetic.
* `Bounds.isEmpty`: the ends are in the wrong order. `Bounds.ends`: both ends, if both say something.
* `Bounds.point`: the interval with a single element.

## Main statements

* `Bounds.contains_inter`, …, `Bounds.contains_mul`: the operations are sound.
* `Bounds.inter_point`, …, `Bounds.mul_point`: on points they are those of the field. -/

namespace AttentionQueries
open CommRing OrderedField

/-- An interval for a positive number. -/
structure Bounds (K : Type) where
  /-- The lower end; for positive numbers zero says nothing. -/
  lo : K
  /-- The upper end, if there is one. -/
  hi : Option K

namespace Bounds
variable {K : Type} [OrderedField K]

/-- The number `x` lies in the interval. -/
def Contains (B : Bounds K) (x : K) : Prop := B.lo ≤ x ∧ ∀ h, B.hi = some h → x ≤ h

/-- The interval that contains every positive number. -/
def everything : Bounds K := ⟨0, none⟩

/-- An interval that contains nothing. -/
def nothing : Bounds K := ⟨1, some 0⟩

/-- The interval that contains `x` only. -/
def point (x : K) : Bounds K := ⟨x, some x⟩

section
variable [DecidableLT K]

/-- The ends of the interval are in the wrong order. -/
def isEmpty (B : Bounds K) : Bool :=
  match B.hi with
  | none => false
  | some h => decide (h < B.lo)

/-- Both ends of the interval, if both of them say something about a positive number. -/
def ends (B : Bounds K) : Option (K × K) :=
  match B.hi with
  | none => none
  | some h => if 0 < B.lo then some (B.lo, h) else none

/-- The intersection of two intervals. -/
def inter (B C : Bounds K) : Bounds K where
  lo := if B.lo < C.lo then C.lo else B.lo
  hi := match B.hi, C.hi with
    | none, c => c
    | b, none => b
    | some b, some c => if b < c then some b else some c

/-- The interval of the products with a positive number. -/
def scale (c : K) (B : Bounds K) : Bounds K := ⟨c * B.lo, B.hi.map (c * ·)⟩

/-- The interval of the `n`-th powers. -/
def pow (B : Bounds K) (n : Nat) : Bounds K := ⟨if 0 < B.lo then npow B.lo n else 0, B.hi.map (npow · n)⟩

/-- The interval of the quotients. -/
def div (B C : Bounds K) : Bounds K where
  lo := match C.hi with
    | none => 0
    | some c => B.lo / c
  hi := match B.hi with
    | none => none
    | some b => if 0 < C.lo then some (b / C.lo) else none

/-- The interval of the products. -/
def mul (B C : Bounds K) : Bounds K where
  lo := if 0 < C.lo then B.lo * C.lo else 0
  hi := match B.hi, C.hi with
    | some b, some c => some (b * c)
    | _, _ => none

end

/-! ## What the intervals contain -/

/-- Every positive number lies in the interval that says nothing. -/
theorem contains_everything {x : K} (hx : 0 < x) : (everything : Bounds K).Contains x :=
  ⟨le_of_lt hx, fun _ h => nomatch h⟩

/-- No number lies in the empty interval. -/
theorem not_contains_nothing (x : K) : ¬ (nothing : Bounds K).Contains x := fun ⟨h1, h2⟩ =>
  le_trans h1 (h2 0 rfl) one_pos

/-- The point interval contains its point and nothing else. -/
theorem contains_point {x y : K} : (point x).Contains y ↔ y = x :=
  ⟨fun ⟨h1, h2⟩ => le_antisymm (h2 x rfl) h1, fun h => h ▸ ⟨le_refl _, fun _ e => Option.some.inj e ▸ le_refl _⟩⟩

section
variable [DecidableLT K]

/-- An interval with its ends in the wrong order contains nothing. -/
theorem not_contains_of_isEmpty {B : Bounds K} (h : B.isEmpty = true) (x : K) : ¬ B.Contains x := fun ⟨h1, h2⟩ => by
  rw [isEmpty] at h
  split at h
  · cases h
  · rename_i b hb
    exact le_trans h1 (h2 b hb) (of_decide_eq_true h)

/-- An interval that is not empty in this sense contains a number. -/
theorem exists_contains_of_isEmpty_eq_false {B : Bounds K} (h : B.isEmpty = false) : ∃ x, B.Contains x := by
  rw [isEmpty] at h
  refine ⟨B.lo, le_refl _, fun b hb => ?_⟩
  rw [hb] at h
  exact of_decide_eq_false h

/-- The two ends enclose what the interval contains. -/
theorem ends_spec {B : Bounds K} {a b x : K} (h : B.ends = some (a, b)) (hx : B.Contains x) :
    0 < a ∧ a ≤ x ∧ x ≤ b := by
  rw [ends] at h
  split at h
  · cases h
  · rename_i c hc
    split at h
    · rename_i h0
      cases h
      exact ⟨h0, hx.1, hx.2 _ hc⟩
    · cases h

/-- What lies in two intervals lies in their intersection. -/
theorem contains_inter {B C : Bounds K} {x : K} (hB : B.Contains x) (hC : C.Contains x) : (B.inter C).Contains x := by
  constructor
  · show (if B.lo < C.lo then C.lo else B.lo) ≤ x
    split
    · exact hC.1
    · exact hB.1
  · intro h e
    simp only [inter] at e
    split at e
    · exact hC.2 h e
    · exact hB.2 h e
    · rename_i b c hb hc
      split at e
      · exact hB.2 h (by rw [hb, e])
      · exact hC.2 h (by rw [hc, e])

omit [DecidableLT K] in
/-- Multiplication by a positive number is sound. -/
theorem contains_scale {B : Bounds K} {c x : K} (hc : 0 < c) (hB : B.Contains x) : (B.scale c).Contains (c * x) := by
  have mono : ∀ {a b : K}, a ≤ b → c * a ≤ c * b := fun {a b} h => by
    rw [mul_comm c, mul_comm c]
    exact mul_le_mul_right (le_of_lt hc) h
  refine ⟨mono hB.1, fun h e => ?_⟩
  obtain ⟨b, hb, rfl⟩ := Option.map_eq_some_iff.mp e
  exact mono (hB.2 b hb)

omit [DecidableLT K] in
/-- A power of a positive number is positive. -/
theorem npow_pos {a : K} (ha : 0 < a) (n : Nat) : 0 < npow a n := by
  induction n with
  | zero => exact one_pos
  | succ n ih => exact mul_pos _ _ ha ih

omit [DecidableLT K] in
private theorem npow_le_npow {a b : K} (ha : 0 < a) (h : a ≤ b) (n : Nat) : npow a n ≤ npow b n := by
  induction n with
  | zero => exact le_refl _
  | succ n ih =>
    rw [npow, npow]
    refine le_trans (mul_le_mul_right (le_of_lt (npow_pos ha n)) h) ?_
    rw [mul_comm b, mul_comm b]
    exact mul_le_mul_right (le_of_lt (lt_of_lt_of_le ha h)) ih

/-- Powers of intervals for positive numbers are sound. -/
theorem contains_pow {B : Bounds K} {x : K} (hx : 0 < x) (hB : B.Contains x) (n : Nat) :
    (B.pow n).Contains (npow x n) := by
  constructor
  · show (if 0 < B.lo then npow B.lo n else 0) ≤ _
    split
    · rename_i h
      exact npow_le_npow h hB.1 n
    · exact le_of_lt (npow_pos hx n)
  · intro h e
    obtain ⟨b, hb, rfl⟩ := Option.map_eq_some_iff.mp e
    exact npow_le_npow hx (hB.2 b hb) n

/-- Quotients of intervals for positive numbers are sound. -/
theorem contains_div {B C : Bounds K} {x y : K} (hx : 0 < x) (hy : 0 < y) (hB : B.Contains x) (hC : C.Contains y) :
    (B.div C).Contains (x / y) := by
  have e := div_mul_cancel x (pos_ne hy)
  have hxy : 0 < x / y := lt_of_not_le fun h => (by
    have := mul_le_mul_right (le_of_lt hy) h
    rw [e, zero_mul] at this
    exact this hx)
  constructor
  · simp only [div]
    split
    · exact le_of_lt hxy
    · rename_i c hc
      have hyc := hC.2 c hc
      rw [div_le_iff (lt_of_lt_of_le hy hyc)]
      refine le_trans hB.1 (le_cert (mul_nonneg (sub_nonneg.mpr hyc) (le_of_lt hxy)) ?_)
      lin_comb (1) e
  · intro h hh
    simp only [div] at hh
    split at hh
    · cases hh
    · rename_i b hb
      split at hh
      · rename_i h0
        cases hh
        rw [le_div_iff h0]
        refine le_trans (le_cert (mul_nonneg (sub_nonneg.mpr hC.1) (le_of_lt hxy)) ?_) (hB.2 b hb)
        lin_comb (-1) e
      · cases hh

/-- Products of intervals for positive numbers are sound. -/
theorem contains_mul {B C : Bounds K} {x y : K} (hx : 0 < x) (hy : 0 < y) (hB : B.Contains x) (hC : C.Contains y) :
    (B.mul C).Contains (x * y) := by
  have left : ∀ {a b c : K}, 0 ≤ c → a ≤ b → c * a ≤ c * b := fun {a b c} hc h => by
    rw [mul_comm c, mul_comm c]
    exact mul_le_mul_right hc h
  constructor
  · show (if 0 < C.lo then B.lo * C.lo else 0) ≤ _
    split
    · rename_i h
      exact le_trans (mul_le_mul_right (le_of_lt h) hB.1) (left (le_of_lt hx) hC.1)
    · exact le_of_lt (mul_pos _ _ hx hy)
  · intro h e
    simp only [mul] at e
    split at e
    · rename_i b c hb hc
      cases e
      exact le_trans (mul_le_mul_right (le_of_lt hy) (hB.2 b hb))
        (left (le_trans (le_of_lt hx) (hB.2 b hb)) (hC.2 c hc))
    · cases e

/-! ## Points -/

/-- The intersection of a positive point with everything. -/
theorem inter_everything_point {x : K} (hx : 0 < x) : (point x).inter everything = point x := by
  show (⟨if x < 0 then 0 else x, some x⟩ : Bounds K) = _
  rw [if_neg (le_of_lt hx)]
  rfl

/-- The intersection of a point with itself. -/
theorem inter_point (x : K) : (point x).inter (point x) = point x := by
  show (⟨if x < x then x else x, if x < x then some x else some x⟩ : Bounds K) = _
  rw [if_neg (lt_irrefl x), if_neg (lt_irrefl x)]
  rfl

omit [DecidableLT K] in
/-- The multiple of a point. -/
theorem scale_point (c x : K) : (point x).scale c = point (c * x) := rfl

/-- The power of a positive point. -/
theorem pow_point {x : K} (hx : 0 < x) (n : Nat) : (point x).pow n = point (npow x n) := by
  show (⟨if 0 < x then _ else _, _⟩ : Bounds K) = _
  rw [if_pos hx]
  rfl

/-- The quotient of positive points. -/
theorem div_point {x y : K} (hy : 0 < y) : (point x).div (point y) = point (x / y) := by
  show (⟨_, if 0 < y then _ else _⟩ : Bounds K) = _
  rw [if_pos hy]
  rfl

/-- The product of positive points. -/
theorem mul_point {x y : K} (hy : 0 < y) : (point x).mul (point y) = point (x * y) := by
  show (⟨if 0 < y then _ else _, _⟩ : Bounds K) = _
  rw [if_pos hy]
  rfl

end

end Bounds

end AttentionQueries
