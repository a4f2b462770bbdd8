import AttentionQueries.Algebra.OrderedField

/-! # The ordered field of fractions of an ordered integral domain

Fractions `n / d` with a positive denominator, up to `n / d = n' / d' ↔ n d' = n' d`. Denominators are never reduced, so
that every operation is a few ring operations of the domain and evaluates in the kernel. There are two uses: the
rational numbers (fractions of integers, `AttentionQueries.Base2.Rational`), and the field of the symbolic exponential
(fractions of finite sums `∑ c t ^ q`, `AttentionQueries.ExpField.Instance`).

## Main definitions

* `OrderedDomain`: commutative rings with a strict linear order for which positive elements are closed under sums and
  products
* `Fraction`, `FractionField`: a pair of numerator and positive denominator, and such pairs up to equality
* `FractionField.mk`, `FractionField.of`, `FractionField.Pos`: the class of a fraction, the fraction `a / 1`, positivity

## Main statements

* for a domain with decidable order, `FractionField A` is an `OrderedField` with decidable order, and with decidable
  equality when `A` has it
* `FractionField.of_add`, `FractionField.of_mul`, `FractionField.of_inj`, `FractionField.of_lt`: `A` embeds into its
  field of fractions as an ordered ring
* `FractionField.mk_eq_div`: every element is a quotient of elements of `A`
-/

namespace AttentionQueries
open CommRing

/-- Ordered integral domains: a commutative ring with a strict linear order, compatible with sums, in which
products of positive elements are positive. -/
class OrderedDomain (A : Type) extends CommRing A, LT A where
  /-- One is positive; in particular the ring is not trivial. -/
  one_pos : (0 : A) < 1
  /-- The order is irreflexive. -/
  lt_irrefl : ∀ a : A, ¬ a < a
  /-- The order is transitive. -/
  lt_trans : ∀ a b c : A, a < b → b < c → a < c
  /-- Sums respect the order. -/
  add_lt : ∀ a b c : A, a < b → a + c < b + c
  /-- Products of positive elements are positive. -/
  mul_pos : ∀ a b : A, 0 < a → 0 < b → 0 < a * b
  /-- The order is linear. -/
  lt_total : ∀ a b : A, a < b ∨ a = b ∨ b < a

namespace OrderedDomain
variable {A : Type} [OrderedDomain A]

/-- The negative of a negative element is positive. -/
theorem neg_pos {a : A} (h : a < 0) : 0 < -a := by
  have h := add_lt a 0 (-a) h
  rwa [add_neg, zero_add] at h

/-- The sum of positive elements is positive. -/
theorem add_pos {a b : A} (ha : 0 < a) (hb : 0 < b) : 0 < a + b := by
  have h := add_lt 0 a b ha
  rw [zero_add] at h
  exact lt_trans _ _ _ hb h

/-- An element whose product with a positive element is positive is positive. -/
theorem pos_of_mul_pos {a b : A} (hb : 0 < b) (h : 0 < a * b) : 0 < a := by
  rcases lt_total 0 a with ha | ha | ha
  · exact ha
  · rw [← ha, zero_mul] at h
    exact absurd h (lt_irrefl 0)
  · have h2 := add_pos h (mul_pos _ _ (neg_pos ha) hb)
    rw [show a * b + -a * b = 0 by ring] at h2
    exact absurd h2 (lt_irrefl 0)

/-- Positive factors cancel. -/
theorem mul_right_cancel {a b c : A} (hc : 0 < c) (h : a * c = b * c) : a = b := by
  have key : ∀ x y : A, x * c = y * c → ¬ x < y := fun x y e hxy => by
    have h1 := add_lt x y (-x) hxy
    rw [add_neg] at h1
    have h2 := mul_pos _ _ h1 hc
    rw [show (y + -x) * c = 0 by lin_comb (-1) e] at h2
    exact lt_irrefl 0 h2
  rcases lt_total a b with h' | h' | h'
  · exact absurd h' (key a b h)
  · exact h'
  · exact absurd h' (key b a h.symm)
end OrderedDomain

/-- A fraction `num / den` with a positive denominator, not necessarily in lowest terms. -/
structure Fraction (A : Type) [OrderedDomain A] where
  /-- The numerator. -/
  num : A
  /-- The denominator. -/
  den : A
  /-- The denominator is positive. -/
  pos : 0 < den

namespace Fraction
variable {A : Type} [OrderedDomain A]

/-- Two fractions denote the same number. -/
def Eqv (x y : Fraction A) : Prop := x.num * y.den = y.num * x.den

/-- Equality of the numbers that fractions denote is an equivalence relation. -/
instance setoid : Setoid (Fraction A) where
  r := Eqv
  iseqv := {
    refl := fun _ => rfl
    symm := fun h => Eq.symm h
    trans := fun {x y z} h k => by
      unfold Eqv at *
      apply OrderedDomain.mul_right_cancel y.pos
      lin_comb (z.den) h + (x.den) k }

/-- The sum of two fractions. -/
def add (x y : Fraction A) : Fraction A :=
  ⟨x.num * y.den + y.num * x.den, x.den * y.den, OrderedDomain.mul_pos _ _ x.pos y.pos⟩
/-- The product of two fractions. -/
def mul (x y : Fraction A) : Fraction A := ⟨x.num * y.num, x.den * y.den, OrderedDomain.mul_pos _ _ x.pos y.pos⟩
/-- The negative of a fraction. -/
def neg (x : Fraction A) : Fraction A := ⟨-x.num, x.den, x.pos⟩
/-- The fraction `a / 1`. -/
def of (a : A) : Fraction A := ⟨a, 1, OrderedDomain.one_pos⟩
/-- The inverse of a fraction; that of zero is zero. -/
def inv [DecidableLT A] (x : Fraction A) : Fraction A :=
  if h : 0 < x.num then ⟨x.den, x.num, h⟩ else if h : 0 < -x.num then ⟨-x.den, -x.num, h⟩ else of 0

private theorem pos_of_eqv {x y : Fraction A} (h : x.num * y.den = y.num * x.den) (hx : 0 < x.num) : 0 < y.num :=
  OrderedDomain.pos_of_mul_pos x.pos (h ▸ OrderedDomain.mul_pos _ _ hx y.pos)
private theorem neg_pos_of_eqv {x y : Fraction A} (h : x.num * y.den = y.num * x.den) (hx : 0 < -x.num) : 0 < -y.num :=
  pos_of_eqv (x := x.neg) (y := y.neg) (show -x.num * y.den = -y.num * x.den by lin_comb (-1) h) hx
end Fraction

/-- The field of fractions of an ordered integral domain. -/
abbrev FractionField (A : Type) [OrderedDomain A] := Quotient (Fraction.setoid (A := A))

namespace FractionField
variable {A : Type} [OrderedDomain A]

/-- The number that a fraction denotes. -/
def mk (x : Fraction A) : FractionField A := Quotient.mk Fraction.setoid x
/-- The image of an element of the domain. -/
def of (a : A) : FractionField A := mk (.of a)

/-- Fractions with equal cross products denote the same number. -/
theorem eq {x y : Fraction A} (h : x.num * y.den = y.num * x.den) : mk x = mk y := Quotient.sound h
/-- Fractions that denote the same number have equal cross products. -/
theorem exact {x y : Fraction A} (h : mk x = mk y) : x.num * y.den = y.num * x.den := Quotient.exact h
/-- Every number is denoted by a fraction. -/
theorem ind {P : FractionField A → Prop} (h : ∀ x, P (mk x)) (a : FractionField A) : P a := Quotient.ind h a

private def map2 (f : Fraction A → Fraction A → Fraction A)
    (h : ∀ x x' y y', Fraction.Eqv x x' → Fraction.Eqv y y' → Fraction.Eqv (f x y) (f x' y')) (a b : FractionField A) :
    FractionField A :=
  Quotient.lift (fun x => Quotient.lift (fun y => mk (f x y)) (fun y y' hy => Quotient.sound (h x x y y' rfl hy)) b)
    (fun x x' hx => by
      revert b
      exact ind fun y => Quotient.sound (h x x' y y hx rfl)) a

/-- Sums of numbers. -/
instance : Add (FractionField A) := ⟨map2 Fraction.add fun x x' y y' hx hy => by
  simp only [Fraction.Eqv, Fraction.add] at *
  lin_comb (y.den * y'.den) hx + (x.den * x'.den) hy⟩
/-- Products of numbers. -/
instance : Mul (FractionField A) := ⟨map2 Fraction.mul fun x x' y y' hx hy => by
  simp only [Fraction.Eqv, Fraction.mul] at *
  lin_comb (y.num * y'.den) hx + (x'.num * x.den) hy⟩
/-- The negative of a number. -/
instance : Neg (FractionField A) := ⟨Quotient.lift (fun x => mk x.neg) fun x x' hx => Quotient.sound (by
  have hx : x.num * x'.den = x'.num * x.den := hx
  show -x.num * x'.den = -x'.num * x.den
  lin_comb (-1) hx)⟩

private theorem inv_eq [DecidableLT A] (x x' : Fraction A) (h : x.num * x'.den = x'.num * x.den) :
    mk x.inv = mk x'.inv := by
  unfold Fraction.inv
  by_cases h1 : 0 < x.num
  · rw [dif_pos h1, dif_pos (Fraction.pos_of_eqv h h1)]
    apply eq
    show x.den * x'.num = x'.den * x.num
    lin_comb (-1) h
  · rw [dif_neg h1, dif_neg fun h' => h1 (Fraction.pos_of_eqv h.symm h')]
    by_cases h2 : 0 < -x.num
    · rw [dif_pos h2, dif_pos (Fraction.neg_pos_of_eqv h h2)]
      apply eq
      show -x.den * -x'.num = -x'.den * -x.num
      lin_comb (-1) h
    · rw [dif_neg h2, dif_neg fun h' => h2 (Fraction.neg_pos_of_eqv h.symm h')]

/-- The inverse of a number; that of zero is zero. -/
instance [DecidableLT A] : Inv (FractionField A) := ⟨Quotient.lift (fun x => mk x.inv) inv_eq⟩
/-- The number zero. -/
instance : Zero (FractionField A) := ⟨of 0⟩
/-- The number one. -/
instance : One (FractionField A) := ⟨of 1⟩

/-- The numbers form a commutative ring. -/
instance : CommRing (FractionField A) where
  sub a b := a + -b
  sub_def _ _ := rfl
  add_assoc := ind fun x => ind fun y => ind fun z => eq (by simp only [Fraction.add]; ring)
  add_comm := ind fun x => ind fun y => eq (by simp only [Fraction.add]; ring)
  add_zero := ind fun x => eq (by simp only [Fraction.add, Fraction.of]; ring)
  add_neg := ind fun x => eq (by simp only [Fraction.add, Fraction.of, Fraction.neg]; ring)
  mul_assoc := ind fun x => ind fun y => ind fun z => eq (by simp only [Fraction.mul]; ring)
  mul_comm := ind fun x => ind fun y => eq (by simp only [Fraction.mul]; ring)
  mul_one := ind fun x => eq (by simp only [Fraction.mul, Fraction.of]; ring)
  mul_add := ind fun x => ind fun y => ind fun z => eq (by simp only [Fraction.mul, Fraction.add]; ring)

/-- The number is positive: so is the numerator of every fraction that denotes it. -/
def Pos : FractionField A → Prop := Quotient.lift (fun x => 0 < x.num) fun _ _ h =>
  propext ⟨Fraction.pos_of_eqv h, Fraction.pos_of_eqv (Eq.symm h)⟩

private theorem pos_mul : ∀ a b : FractionField A, Pos a → Pos b → Pos (a * b) :=
  ind fun _ => ind fun _ ha hb => OrderedDomain.mul_pos _ _ ha hb
private theorem pos_add : ∀ a b : FractionField A, Pos a → Pos b → Pos (a + b) :=
  ind fun x => ind fun y (ha : 0 < x.num) (hb : 0 < y.num) =>
    show 0 < x.num * y.den + y.num * x.den from
      OrderedDomain.add_pos (OrderedDomain.mul_pos _ _ ha y.pos) (OrderedDomain.mul_pos _ _ hb x.pos)
private theorem not_pos_zero : ¬ Pos (0 : FractionField A) := fun h : (0 : A) < 0 => OrderedDomain.lt_irrefl 0 h
private theorem trichotomy : ∀ a : FractionField A, Pos a ∨ a = 0 ∨ Pos (-a) := ind fun x => by
  rcases OrderedDomain.lt_total 0 x.num with h | h | h
  · exact .inl h
  · exact .inr (.inl (eq (by rw [← h]; simp only [Fraction.of]; ring)))
  · exact .inr (.inr (OrderedDomain.neg_pos h))

/-- The numbers form an ordered field; `a < b` says that `b - a` is positive. -/
instance [DecidableLT A] : OrderedField (FractionField A) where
  lt a b := Pos (b - a)
  div a b := a * b⁻¹
  div_def _ _ := rfl
  zero_ne_one h := by
    have h := exact h
    simp only [Fraction.of, mul_one] at h
    exact OrderedDomain.lt_irrefl (0 : A) (by
      have h1 := OrderedDomain.one_pos (A := A)
      rwa [← h] at h1)
  mul_inv := ind fun x hx => by
    show mk (x.mul x.inv) = 1
    unfold Fraction.inv
    by_cases h1 : 0 < x.num
    · rw [dif_pos h1]; exact eq (by simp only [Fraction.mul, Fraction.of]; ring)
    · rw [dif_neg h1]
      by_cases h2 : 0 < -x.num
      · rw [dif_pos h2]; exact eq (by simp only [Fraction.mul, Fraction.of]; ring)
      · rcases trichotomy (mk x) with h | h | h
        · exact absurd h h1
        · exact absurd h hx
        · exact absurd h h2
  lt_irrefl a h := not_pos_zero (sub_self a ▸ h)
  lt_trans a b c h k := by
    have := pos_add _ _ h k
    rwa [show b - a + (c - b) = c - a by ring] at this
  add_lt a b c h := by
    show Pos (b + c - (a + c))
    rw [show b + c - (a + c) = b - a by ring]
    exact h
  mul_pos a b h k := by
    have := pos_mul _ _ h k
    rwa [show (a - 0) * (b - 0) = a * b - 0 by ring] at this
  lt_total a b := by
    rcases trichotomy (b - a) with h | h | h
    · exact .inl h
    · exact .inr (.inl (sub_eq_zero.mp h).symm)
    · exact .inr (.inr (by rwa [show -(b - a) = a - b by ring] at h))

/-- A positive number is greater than zero. -/
theorem zero_lt_iff [DecidableLT A] {a : FractionField A} : 0 < a ↔ Pos a := by
  show Pos (a - 0) ↔ Pos a
  rw [sub_zero]

/-- A fraction denotes the quotient of numerator and denominator, and the denominator is positive. -/
theorem mk_eq_div [DecidableLT A] (x : Fraction A) : mk x = of x.num / of x.den ∧ 0 < of x.den := by
  have h : 0 < of x.den := zero_lt_iff.mpr x.pos
  refine ⟨((OrderedField.div_eq_iff (OrderedField.pos_ne h)).mpr (eq ?_)).symm, h⟩
  simp only [Fraction.of, Fraction.mul]
  ring

/-! ## Deciding -/

/-- Equality of numbers is decided by comparing cross products. -/
instance [DecidableEq A] : DecidableEq (FractionField A) := fun a b =>
  Quotient.recOnSubsingleton a fun x => Quotient.recOnSubsingleton b fun y =>
    decidable_of_decidable_of_iff (p := x.num * y.den = y.num * x.den) ⟨eq, exact⟩

/-- Positivity is decided by the sign of the numerator. -/
instance [DecidableLT A] (a : FractionField A) : Decidable (Pos a) :=
  Quotient.recOnSubsingleton a fun x => inferInstanceAs (Decidable (0 < x.num))

/-- The order is decided by the sign of the difference. -/
instance [DecidableLT A] (a b : FractionField A) : Decidable (a < b) := inferInstanceAs (Decidable (Pos (b - a)))

/-! ## The embedding of the domain -/

/-- The embedding respects sums. -/
theorem of_add (a b : A) : of (a + b) = of a + of b := eq (by simp only [Fraction.add, Fraction.of]; ring)
/-- The embedding respects products. -/
theorem of_mul (a b : A) : of (a * b) = of a * of b := eq (by simp only [Fraction.mul, Fraction.of]; ring)
/-- The embedding takes one to one. -/
theorem of_one : of (1 : A) = 1 := rfl
/-- The embedding is injective. -/
theorem of_inj {a b : A} (h : of a = of b) : a = b := by
  have h : a * 1 = b * 1 := exact h
  rwa [mul_one, mul_one] at h
/-- The embedding respects the order, in both directions. -/
theorem of_lt [DecidableLT A] {a b : A} : of a < of b ↔ a < b := by
  show 0 < b * 1 + -a * 1 ↔ a < b
  rw [mul_one, mul_one]
  constructor
  · intro h
    have h := OrderedDomain.add_lt _ _ a h
    rwa [zero_add, add_assoc, neg_add, add_zero] at h
  · intro h
    have h := OrderedDomain.add_lt _ _ (-a) h
    rwa [add_neg] at h
end FractionField

end AttentionQueries
