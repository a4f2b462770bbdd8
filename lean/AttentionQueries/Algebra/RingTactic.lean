import AttentionQueries.Algebra.Ring

/-! # The tactics `ring` and `lin_comb`

`ring` proves an identity that holds in every commutative ring, by reflection: type-class search reads the two sides
into expressions over a list of atoms; each expression is expanded into a list of positive and a list of negative
monomials, and the kernel compares the sorted lists. Only `+`, `*`, `-`, `0` and `1` are interpreted; every other term
is an atom.

`lin_comb (k₁) h₁ + (k₂) h₂ + …` proves `a = b` from equations `hᵢ` when `a - b = ∑ kᵢ (lhs hᵢ - rhs hᵢ)` is such an
identity.

Both are scoped: they exist where the namespace `AttentionQueries` is open, and nowhere else.

## Main definitions

* `RingTactic.E`: expressions; `RingTactic.E.den`: their value.
* `RingTactic.pos`: the positive, or the negative, monomials of the expansion.
* `RingTactic.Reify`: reading a term as an expression.

## Main statements

* `RingTactic.main`: two terms whose sorted expansions agree are equal.
* `RingTactic.lc`: a multiple of an equation may be subtracted. -/

namespace AttentionQueries
open CommRing

namespace RingTactic
variable {R : Type} [CommRing R]

/-- Ring expressions over numbered atoms. -/
inductive E
  /-- the zero of the ring -/
  | zero
  /-- the one of the ring -/
  | one
  /-- the atom number `n` -/
  | var (n : Nat)
  /-- a sum -/
  | add (a b : E)
  /-- a product -/
  | mul (a b : E)
  /-- a negative -/
  | neg (a : E)
  /-- a difference -/
  | sub (a b : E)

/-- The `n`-th element of a list, zero beyond its end. -/
def nth : List R → Nat → R
  | [], _ => 0
  | a :: _, 0 => a
  | _ :: l, n + 1 => nth l n

/-- The value of an expression on a list of atoms. -/
def E.den (c : List R) : E → R
  | zero => 0
  | one => 1
  | var n => nth c n
  | add a b => a.den c + b.den c
  | mul a b => a.den c * b.den c
  | neg a => -(a.den c)
  | sub a b => a.den c - b.den c

/-- The value of a monomial, which is a sorted list of atom numbers. -/
def mden (c : List R) : List Nat → R
  | [] => 1
  | n :: m => nth c n * mden c m

/-- The value of a sum of monomials. -/
def pden (c : List R) : List (List Nat) → R
  | [] => 0
  | m :: p => mden c m + pden c p

/-- Insert an atom number into a monomial. -/
def insN (n : Nat) : List Nat → List Nat
  | [] => [n]
  | k :: m => cond (Nat.ble n k) (n :: k :: m) (k :: insN n m)

/-- The product of two monomials. -/
def mmul : List Nat → List Nat → List Nat
  | [], m => m
  | n :: l, m => insN n (mmul l m)

/-- The lexicographic order of monomials. -/
def lle : List Nat → List Nat → Bool
  | [], _ => true
  | _ :: _, [] => false
  | a :: l, b :: m => cond (Nat.beq a b) (lle l m) (Nat.ble a b)

/-- Insert a monomial into a sorted list of monomials. -/
def insM (n : List Nat) : List (List Nat) → List (List Nat)
  | [] => [n]
  | k :: m => cond (lle n k) (n :: k :: m) (k :: insM n m)

/-- Sort a list of monomials. -/
def sortP : List (List Nat) → List (List Nat)
  | [] => []
  | m :: p => insM m (sortP p)

/-- Multiply every monomial of a list by one monomial. -/
def pmul1 (m : List Nat) : List (List Nat) → List (List Nat)
  | [] => []
  | k :: p => mmul m k :: pmul1 m p

/-- The product of two sums of monomials. -/
def pmul : List (List Nat) → List (List Nat) → List (List Nat)
  | [], _ => []
  | m :: p, q => pmul1 m q ++ pmul p q

/-- The positive monomials of an expression (`pos true`), and the negative ones (`pos false`). -/
def pos : Bool → E → List (List Nat)
  | _, .zero => []
  | b, .one => cond b [[]] []
  | b, .var n => cond b [[n]] []
  | b, .add x y => pos b x ++ pos b y
  | b, .mul x y => pmul (pos true x) (pos b y) ++ pmul (pos false x) (pos (!b) y)
  | b, .neg x => pos (!b) x
  | b, .sub x y => pos b x ++ pos (!b) y

private theorem mden_insN (c : List R) (n : Nat) (m : List Nat) : mden c (insN n m) = nth c n * mden c m := by
  induction m with
  | nil => rfl
  | cons k m ih =>
    unfold insN
    cases Nat.ble n k
    · show nth c k * mden c (insN n m) = nth c n * (nth c k * mden c m)
      rw [ih, mul_left_comm]
    · rfl

private theorem mden_mmul (c : List R) (l m : List Nat) : mden c (mmul l m) = mden c l * mden c m := by
  induction l with
  | nil => exact (one_mul _).symm
  | cons n l ih => simp only [mmul, mden_insN, ih, mden, mul_assoc]

private theorem pden_insM (c : List R) (n : List Nat) (m : List (List Nat)) :
    pden c (insM n m) = mden c n + pden c m := by
  induction m with
  | nil => rfl
  | cons k m ih =>
    unfold insM
    cases lle n k
    · show mden c k + pden c (insM n m) = mden c n + (mden c k + pden c m)
      rw [ih, add_left_comm]
    · rfl

private theorem pden_sortP (c : List R) (p : List (List Nat)) : pden c (sortP p) = pden c p := by
  induction p with
  | nil => rfl
  | cons m p ih => simp only [sortP, pden_insM, ih, pden]

private theorem pden_append (c : List R) (p q : List (List Nat)) : pden c (p ++ q) = pden c p + pden c q := by
  induction p with
  | nil => exact (zero_add _).symm
  | cons m p ih => simp only [List.cons_append, pden, ih, add_assoc]

private theorem pden_pmul1 (c : List R) (m : List Nat) (q : List (List Nat)) :
    pden c (pmul1 m q) = mden c m * pden c q := by
  induction q with
  | nil => exact (mul_zero _).symm
  | cons k p ih => simp only [pmul1, pden, mden_mmul, ih, mul_add]

private theorem pden_pmul (c : List R) (p q : List (List Nat)) : pden c (pmul p q) = pden c p * pden c q := by
  induction p with
  | nil => exact (zero_mul _).symm
  | cons m p ih => simp only [pmul, pden, pden_append, pden_pmul1, ih, add_mul]

private theorem sub_add_sub (a b x y : R) : (a + -b) + (x + -y) = (a + x) + -(b + y) := by
  simp only [neg_add_rev, add_assoc, add_left_comm]

private theorem neg_sub' (a b : R) : -(a + -b) = b + -a := by rw [neg_add_rev, neg_neg, add_comm]

private theorem sub_mul_sub (a b x y : R) : (a + -b) * (x + -y) = (a * x + b * y) + -(a * y + b * x) := by
  have mul_neg : ∀ s t : R, s * -t = -(s * t) := fun s t => by rw [mul_comm, neg_mul, mul_comm]
  simp only [mul_add, add_mul, neg_mul, mul_neg, neg_neg, neg_add_rev, add_assoc, add_comm, add_left_comm]

private theorem den_eq (c : List R) (e : E) : e.den c = pden c (pos true e) + -pden c (pos false e) := by
  induction e with
  | zero => exact (add_neg _).symm
  | one => simp only [E.den, pos, cond, pden, mden, neg_zero, add_zero]
  | var n => simp only [E.den, pos, cond, pden, mden, neg_zero, add_zero, mul_one]
  | add a b iha ihb => simp only [E.den, pos, pden_append, iha, ihb, sub_add_sub]
  | mul a b iha ihb =>
    simp only [E.den, pos, pden_append, pden_pmul, iha, ihb, sub_mul_sub, Bool.not_true, Bool.not_false]
  | neg a ih => simp only [E.den, pos, ih, neg_sub', Bool.not_true, Bool.not_false]
  | sub a b iha ihb =>
    simp only [E.den, pos, pden_append, iha, ihb, sub_def, neg_sub', sub_add_sub, Bool.not_true, Bool.not_false]

/-- `x` is the atom number `n` of the list `co`, which extends the list `ci`. -/
class Atom (ci : List R) (x : R) (n : outParam Nat) (co : outParam (List R)) : Prop where
  /-- `x` keeps its number when further atoms are appended. -/
  eq : ∀ t, x = nth (co ++ t) n
  /-- The list of atoms only grows. -/
  pre : ∃ s, co = ci ++ s

/-- An atom that heads the list has number 0. -/
instance (priority := high) (x : R) (l : List R) : Atom (x :: l) x 0 (x :: l) :=
  ⟨fun _ => rfl, [], (List.append_nil _).symm⟩

/-- An atom is looked for behind another one. -/
instance (x y : R) (l l' : List R) (n : Nat) [h : Atom l x n l'] : Atom (y :: l) x (n + 1) (y :: l') :=
  ⟨h.eq, by obtain ⟨s, hs⟩ := h.pre; exact ⟨s, by rw [hs]; rfl⟩⟩

/-- A new atom is appended to the list. -/
instance (x : R) : Atom [] x 0 [x] := ⟨fun _ => rfl, [x], rfl⟩

/-- The term `x` is the value of the expression `e` on the list of atoms `co`, which extends the list `ci`. -/
class Reify (ci : List R) (x : R) (e : outParam E) (co : outParam (List R)) : Prop where
  /-- The value does not change when further atoms are appended. -/
  eq : ∀ t, x = e.den (co ++ t)
  /-- The list of atoms only grows. -/
  pre : ∃ s, co = ci ++ s

/-- The numeral 0. -/
instance (ci : List R) : Reify ci 0 .zero ci := ⟨fun _ => rfl, [], (List.append_nil _).symm⟩

/-- The numeral 1. -/
instance (ci : List R) : Reify ci 1 .one ci := ⟨fun _ => rfl, [], (List.append_nil _).symm⟩

private theorem Reify.two {ci co co' : List R} {x y : R} {e f : E} (h : Reify ci x e co) (k : Reify co y f co') :
    (∀ t, x = e.den (co' ++ t) ∧ y = f.den (co' ++ t)) ∧ ∃ s, co' = ci ++ s := by
  obtain ⟨s, hs⟩ := h.pre
  obtain ⟨r, hr⟩ := k.pre
  refine ⟨fun t => ⟨?_, k.eq t⟩, s ++ r, by rw [hr, hs, List.append_assoc]⟩
  rw [hr, List.append_assoc]
  exact h.eq _

/-- A sum. -/
instance (ci co co' : List R) (x y : R) (e f : E) [h : Reify ci x e co] [k : Reify co y f co'] :
    Reify ci (x + y) (.add e f) co' :=
  ⟨fun t => by rw [((h.two k).1 t).1, ((h.two k).1 t).2]; rfl, (h.two k).2⟩

/-- A product. -/
instance (ci co co' : List R) (x y : R) (e f : E) [h : Reify ci x e co] [k : Reify co y f co'] :
    Reify ci (x * y) (.mul e f) co' :=
  ⟨fun t => by rw [((h.two k).1 t).1, ((h.two k).1 t).2]; rfl, (h.two k).2⟩

/-- A difference. -/
instance (ci co co' : List R) (x y : R) (e f : E) [h : Reify ci x e co] [k : Reify co y f co'] :
    Reify ci (x - y) (.sub e f) co' :=
  ⟨fun t => by rw [((h.two k).1 t).1, ((h.two k).1 t).2]; rfl, (h.two k).2⟩

/-- A negative. -/
instance (ci co : List R) (x : R) (e : E) [h : Reify ci x e co] : Reify ci (-x) (.neg e) co :=
  ⟨fun t => by rw [h.eq t]; rfl, h.pre⟩

/-- Every other term is an atom. -/
instance (priority := low) (ci co : List R) (x : R) (n : Nat) [h : Atom ci x n co] : Reify ci x (.var n) co :=
  ⟨h.eq, h.pre⟩

/-- **Soundness of `ring`.** Two terms whose sorted expansions agree are equal. -/
theorem main {x y : R} {e f : E} {co co' : List R} [h : Reify [] x e co] [k : Reify co y f co']
    (hs : sortP (pos true e ++ pos false f) = sortP (pos true f ++ pos false e)) : x = y := by
  obtain ⟨hx, hy⟩ := (h.two k).1 []
  have hs := congrArg (pden (co' ++ [])) hs
  rw [pden_sortP, pden_sortP, pden_append, pden_append] at hs
  rw [hx, hy, den_eq, den_eq]
  generalize pden (co' ++ []) (pos true e) = a at *
  generalize pden (co' ++ []) (pos false e) = b at *
  generalize pden (co' ++ []) (pos true f) = c at *
  generalize pden (co' ++ []) (pos false f) = d at *
  have h1 : a + d + (-b + -d) = c + b + (-b + -d) := by rw [hs]
  have e1 : a + d + (-b + -d) = a + -b + (d + -d) := by simp only [add_assoc, add_left_comm]
  have e2 : c + b + (-b + -d) = c + -d + (b + -b) := by simp only [add_assoc, add_comm, add_left_comm]
  rwa [e1, e2, add_neg, add_neg, add_zero, add_zero] at h1

/-- **Soundness of `lin_comb`.** A multiple of an equation may be subtracted from one side. -/
theorem lc {a b c d : R} (k : R) (h : c = d) (e : a - k * (c - d) = b) : a = b := by
  rw [← e, h, sub_def d, add_neg, mul_zero, sub_def, neg_zero, add_zero]

end RingTactic

/-- `ring` closes a goal `a = b` that holds in every commutative ring. -/
scoped macro "ring" : tactic =>
  `(tactic| set_option synthInstance.maxHeartbeats 400000 in set_option synthInstance.maxSize 10000 in
      first
      | exact RingTactic.main (by decide +kernel)
      | fail "ring: the two sides are not equal in every commutative ring")

/-- One summand `(k) h` of `lin_comb`: a coefficient and an equation. -/
syntax lcItem := "(" term ")" ppSpace term:max

/-- `lin_comb (k₁) h₁ + (k₂) h₂ + …` closes `a = b` when `a - b = ∑ kᵢ * (lhs hᵢ - rhs hᵢ)` in every commutative ring.
-/
scoped syntax "lin_comb " sepBy1(lcItem, " + ") : tactic

macro_rules
  | `(tactic| lin_comb ($k) $h) => `(tactic| (refine RingTactic.lc $k $h ?_; ring))
  | `(tactic| lin_comb ($k) $h + $is:lcItem+*) => `(tactic| (refine RingTactic.lc $k $h ?_; lin_comb $is:lcItem+*))

section test
variable {R K : Type} [CommRing R] [OrderedField K]
example (a b c : R) : (a + b) * (a - b) + c = a * a - b * b + c := by ring
example (a b c : K) : (a + b + c) * (a + b + c) = a*a + b*b + c*c + a*b + b*a + b*c + c*b + a*c + c*a := by ring
example (a b c d : K) : (a + b) * (c + d) * (a + c) * 1 - 0 =
    a*a*c + a*a*d + a*b*c + a*b*d + a*c*c + a*c*d + b*c*c + b*c*d := by ring
example (f : Nat → K) (a : K) : (f 1 + a⁻¹) * (f 1 - a⁻¹) = f 1 * f 1 - a⁻¹ * a⁻¹ := by ring
example (a b c : K) (h : a * b = 1) (h' : c = b) : a * c = 1 := by lin_comb (1) h + (a) h'
example (a b c d e : K) (h : a = b) (h' : b = c) (h'' : c = d) : a * e = d * e := by
  lin_comb (e) h + (e) h' + (e) h''
end test

end AttentionQueries
