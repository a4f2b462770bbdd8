import AttentionQueries.Algebra.RingTactic
import AttentionQueries.Algebra.OrderedField

/-! # The rational numbers, as an ordered field -/

namespace AttentionQueries
open CommRing OrderedField

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

example (a b : Int) : (a + b) * (a - b) + 0 = a * a - b * b := by ring

theorem icancel {a b c : Int} (hc : 0 < c) (h : a * c = b * c) : a = b := by
  have h0 : (a - b) * c = 0 := by lin_comb (1) h
  rcases Int.mul_eq_zero.mp h0 with h1 | h1
  · exact sub_eq_zero.mp h1
  · rw [h1] at hc; exact absurd hc (Int.lt_irrefl 0)

structure Fraction where
  n : Int
  d : Int
  pos : 0 < d
def Fraction.Eqv (x y : Fraction) : Prop := x.n * y.d = y.n * x.d
instance fractionSetoid : Setoid Fraction where
  r := Fraction.Eqv
  iseqv := {
    refl := fun _ => rfl
    symm := fun h => Eq.symm h
    trans := fun {x y z} h k => by
      unfold Fraction.Eqv at *
      apply icancel y.pos
      lin_comb (z.d) h + (x.d) k }
abbrev Rational := Quotient fractionSetoid

namespace Fraction
def add (x y : Fraction) : Fraction := ⟨x.n * y.d + y.n * x.d, x.d * y.d, Int.mul_pos x.pos y.pos⟩
def mul (x y : Fraction) : Fraction := ⟨x.n * y.n, x.d * y.d, Int.mul_pos x.pos y.pos⟩
def neg (x : Fraction) : Fraction := ⟨-x.n, x.d, x.pos⟩
def ofInt (n : Int) : Fraction := ⟨n, 1, by decide⟩
def inv (x : Fraction) : Fraction :=
  if h : 0 < x.n then ⟨x.d, x.n, h⟩ else if h : 0 < -x.n then ⟨-x.d, -x.n, h⟩ else ofInt 0
end Fraction

namespace Rational
def mk (x : Fraction) : Rational := Quotient.mk fractionSetoid x
theorem eq {x y : Fraction} (h : x.n * y.d = y.n * x.d) : mk x = mk y := Quotient.sound h
theorem ind {P : Rational → Prop} (h : ∀ x, P (mk x)) (a : Rational) : P a := Quotient.ind h a
def map2 (f : Fraction → Fraction → Fraction) (h : ∀ x x' y y', Fraction.Eqv x x' → Fraction.Eqv y y' → Fraction.Eqv (f x y) (f x' y'))
    (a b : Rational) : Rational :=
  Quotient.lift (fun x => Quotient.lift (fun y => mk (f x y)) (fun y y' hy => Quotient.sound (h x x y y' rfl hy)) b)
    (fun x x' hx => by
      revert b
      exact ind fun y => Quotient.sound (h x x' y y hx rfl)) a

instance : Add Rational := ⟨map2 Fraction.add fun x x' y y' hx hy => by
  simp only [Fraction.Eqv, Fraction.add] at *
  lin_comb (y.d * y'.d) hx + (x.d * x'.d) hy⟩
instance : Mul Rational := ⟨map2 Fraction.mul fun x x' y y' hx hy => by
  simp only [Fraction.Eqv, Fraction.mul] at *
  lin_comb (y.n * y'.d) hx + (x'.n * x.d) hy⟩
instance : Neg Rational := ⟨Quotient.lift (fun x => mk x.neg) fun x x' hx => Quotient.sound (by
  have hx : x.n * x'.d = x'.n * x.d := hx
  show -x.n * x'.d = -x'.n * x.d
  lin_comb (-1) hx)⟩
theorem inv_wd (x x' : Fraction) (h : x.n * x'.d = x'.n * x.d) : mk x.inv = mk x'.inv := by
  have sgn : ∀ {a b : Int}, 0 < b → 0 < a * b → 0 < a := fun {a b} hb hab => by
    rcases Int.lt_trichotomy 0 a with ha | rfl | ha
    · exact ha
    · rw [Int.zero_mul] at hab; exact absurd hab (Int.lt_irrefl 0)
    · have := Int.mul_lt_mul_of_pos_right ha hb
      rw [Int.zero_mul] at this
      exact absurd (Int.lt_trans this hab) (Int.lt_irrefl _)
  have iff1 : ∀ x x' : Fraction, x.n * x'.d = x'.n * x.d → 0 < x.n → 0 < x'.n := fun x x' h hx =>
    sgn x.pos (h ▸ Int.mul_pos hx x'.pos)
  have iff2 : ∀ x x' : Fraction, x.n * x'.d = x'.n * x.d → 0 < -x.n → 0 < -x'.n := fun x x' h hx =>
    iff1 x.neg x'.neg (show -x.n * x'.d = -x'.n * x.d by lin_comb (-1) h) hx
  unfold Fraction.inv
  by_cases h1 : 0 < x.n
  · rw [dif_pos h1, dif_pos (iff1 x x' h h1)]
    apply eq
    show x.d * x'.n = x'.d * x.n
    lin_comb (-1) h
  · rw [dif_neg h1, dif_neg fun h' => h1 (iff1 x' x h.symm h')]
    by_cases h2 : 0 < -x.n
    · rw [dif_pos h2, dif_pos (iff2 x x' h h2)]
      apply eq
      show -x.d * -x'.n = -x'.d * -x.n
      lin_comb (-1) h
    · rw [dif_neg h2, dif_neg fun h' => h2 (iff2 x' x h.symm h')]
instance : Inv Rational := ⟨Quotient.lift (fun x => mk x.inv) inv_wd⟩
instance : Zero Rational := ⟨mk (.ofInt 0)⟩
instance : One Rational := ⟨mk (.ofInt 1)⟩
theorem mk_add (x y : Fraction) : mk x + mk y = mk (x.add y) := rfl
theorem mk_mul (x y : Fraction) : mk x * mk y = mk (x.mul y) := rfl
theorem mk_neg (x : Fraction) : -mk x = mk x.neg := rfl
theorem zero_def : (0 : Rational) = mk (.ofInt 0) := rfl
theorem one_def : (1 : Rational) = mk (.ofInt 1) := rfl

instance : CommRing Rational where
  sub a b := a + -b
  sub_def _ _ := rfl
  add_assoc := ind fun x => ind fun y => ind fun z => eq (by simp only [Fraction.add]; ring)
  add_comm := ind fun x => ind fun y => eq (by simp only [Fraction.add]; ring)
  add_zero := ind fun x => eq (by simp only [Fraction.add, Fraction.ofInt]; ring)
  add_neg := ind fun x => eq (by simp only [Fraction.add, Fraction.ofInt, Fraction.neg]; ring)
  mul_assoc := ind fun x => ind fun y => ind fun z => eq (by simp only [Fraction.mul]; ring)
  mul_comm := ind fun x => ind fun y => eq (by simp only [Fraction.mul]; ring)
  mul_one := ind fun x => eq (by simp only [Fraction.mul, Fraction.ofInt]; ring)
  mul_add := ind fun x => ind fun y => ind fun z => eq (by simp only [Fraction.mul, Fraction.add]; ring)

/-- positive fractions -/
def Pos : Rational → Prop := Quotient.lift (fun x => 0 < x.n) fun x x' h => by
  have h : x.n * x'.d = x'.n * x.d := h
  have sgn : ∀ {a b : Int}, 0 < b → 0 < a * b → 0 < a := fun {a b} hb hab => by
    rcases Int.lt_trichotomy 0 a with ha | rfl | ha
    · exact ha
    · rw [Int.zero_mul] at hab; exact absurd hab (Int.lt_irrefl 0)
    · have := Int.mul_lt_mul_of_pos_right ha hb
      rw [Int.zero_mul] at this
      exact absurd (Int.lt_trans this hab) (Int.lt_irrefl _)
  exact propext ⟨fun hx => sgn x.pos (h ▸ Int.mul_pos hx x'.pos), fun hx => sgn x'.pos (h ▸ Int.mul_pos hx x.pos)⟩
theorem pos_mul : ∀ a b : Rational, Pos a → Pos b → Pos (a * b) := ind fun _ => ind fun _ ha hb => Int.mul_pos ha hb
theorem pos_add : ∀ a b : Rational, Pos a → Pos b → Pos (a + b) := ind fun x => ind fun y (ha : 0 < x.n) (hb : 0 < y.n) =>
  show 0 < x.n * y.d + y.n * x.d from Int.add_pos (Int.mul_pos ha y.pos) (Int.mul_pos hb x.pos)
theorem not_pos_zero : ¬ Pos 0 := fun h : (0 : Int) < 0 => Int.lt_irrefl 0 h
theorem trichotomy : ∀ a : Rational, Pos a ∨ a = 0 ∨ Pos (-a) := ind fun x => by
  rcases Int.lt_trichotomy 0 x.n with h | h | h
  · exact .inl h
  · exact .inr (.inl (eq (by rw [← h]; simp only [Fraction.ofInt]; ring)))
  · exact .inr (.inr (show 0 < -x.n from by simpa using Int.neg_lt_neg h))

instance : OrderedField Rational where
  lt a b := Pos (b - a)
  div a b := a * b⁻¹
  div_def _ _ := rfl
  zero_ne_one h := by
    have h := Quotient.exact h
    exact absurd (show (0 : Int) * 1 = 1 * 1 from h) (by decide)
  mul_inv := ind fun x hx => by
    show mk (x.mul x.inv) = 1
    unfold Fraction.inv
    by_cases h1 : 0 < x.n
    · rw [dif_pos h1]; exact eq (by simp only [Fraction.mul, Fraction.ofInt]; ring)
    · rw [dif_neg h1]
      by_cases h2 : 0 < -x.n
      · rw [dif_pos h2]; exact eq (by simp only [Fraction.mul, Fraction.ofInt]; ring)
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
end Rational

end AttentionQueries
