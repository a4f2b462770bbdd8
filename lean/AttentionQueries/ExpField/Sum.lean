import AttentionQueries.Algebra.Fractions
import AttentionQueries.Algebra.Sum

/-! # Finite sums `∑ c t ^ q` with coefficients and exponents in an ordered field

They are written as lists of terms `(c, q)`; two lists are the same sum when all their coefficients agree. The symbol
`t` is larger than every constant: a sum is positive when the coefficient of its largest exponent is positive.

## Main definitions

* `coeff`: the coefficient of `t ^ q` in a list of terms
* `ExpSum K`: lists of terms up to equality of all coefficients
* `ExpSum.monomial c q`: the sum `c t ^ q`
* `ExpSum.Pos`: the leading coefficient is positive
* `ExpSum.degree`: the largest exponent

## Main statements

* `ExpSum K` is an ordered domain (`OrderedDomain`) with decidable equality and order
* `ExpSum.mk_eq_zero`: a sum is zero exactly when all its coefficients are
-/

namespace AttentionQueries
open CommRing OrderedField

variable {K : Type} [OrderedField K] [DecidableEq K]

/-! ## Lists of terms and their coefficients -/

/-- The coefficient of `t ^ q` in the sum of the terms `c t ^ p`, given as pairs `(c, p)`. -/
def coeff (l : List (K × K)) (q : K) : K := listSum l fun s => if s.2 = q then s.1 else 0

private def mulTerms (l m : List (K × K)) : List (K × K) := l.flatMap fun s => m.map fun t => (s.1 * t.1, s.2 + t.2)
private def negTerms (l : List (K × K)) : List (K × K) := l.map fun s => (-s.1, s.2)

private theorem coeff_nil (q : K) : coeff [] q = 0 := rfl
private theorem coeff_append (l m : List (K × K)) (q : K) : coeff (l ++ m) q = coeff l q + coeff m q :=
  listSum_append l m _
private theorem coeff_singleton (c p q : K) : coeff [(c, p)] q = if p = q then c else 0 := add_zero _
private theorem coeff_eq_zero {l : List (K × K)} {q : K} (h : ∀ s ∈ l, s.2 ≠ q) : coeff l q = 0 :=
  listSum_zero fun s hs => if_neg (h s hs)
private theorem exists_of_coeff_ne {l : List (K × K)} {q : K} (h : coeff l q ≠ 0) : ∃ s ∈ l, s.2 = q :=
  Classical.byContradiction fun hn => h (coeff_eq_zero fun s hs e => hn ⟨s, hs, e⟩)
private theorem coeff_negTerms (l : List (K × K)) (q : K) : coeff (negTerms l) q = -coeff l q := by
  rw [coeff, negTerms, listSum_map, show -coeff l q = -1 * coeff l q by ring, coeff, ← listSum_mul]
  refine listSum_congr fun s _ => ?_
  show (if s.2 = q then -s.1 else 0) = -1 * if s.2 = q then s.1 else 0
  by_cases h : s.2 = q
  · rw [if_pos h, if_pos h]; ring
  · rw [if_neg h, if_neg h]; ring

omit [DecidableEq K] in
private theorem listSum_swap {α β : Type} (l : List α) (m : List β) (f : α → β → K) :
    listSum l (fun a => listSum m fun b => f a b) = listSum m fun b => listSum l fun a => f a b := by
  induction l with
  | nil => exact (listSum_zero fun _ _ => rfl).symm
  | cons a l ih => rw [listSum_cons, ih, ← listSum_add]; rfl
omit [DecidableEq K] in
private theorem listSum_mulTerms (l m : List (K × K)) (f : K × K → K) :
    listSum (mulTerms l m) f = listSum l fun s => listSum m fun t => f (s.1 * t.1, s.2 + t.2) := by
  induction l with
  | nil => rfl
  | cons s l ih =>
    rw [mulTerms, List.flatMap_cons, listSum_append, listSum_map, listSum_cons, ← ih]
    rfl
private theorem coeff_mulTerms (l m : List (K × K)) (q : K) :
    coeff (mulTerms l m) q = listSum l fun s => s.1 * coeff m (q - s.2) := by
  rw [coeff, listSum_mulTerms]
  refine listSum_congr fun s _ => ?_
  rw [coeff, ← listSum_mul]
  refine listSum_congr fun t _ => ?_
  show (if s.2 + t.2 = q then s.1 * t.1 else 0) = s.1 * if t.2 = q - s.2 then t.1 else 0
  by_cases h : s.2 + t.2 = q
  · rw [if_pos h, if_pos (by lin_comb (1) h)]
  · rw [if_neg h, if_neg fun e => h (by lin_comb (1) e), mul_zero]
private theorem coeff_mulTerms_comm (l m : List (K × K)) (q : K) : coeff (mulTerms l m) q = coeff (mulTerms m l) q := by
  rw [coeff, coeff, listSum_mulTerms, listSum_mulTerms, listSum_swap]
  refine listSum_congr fun s _ => listSum_congr fun t _ => ?_
  rw [mul_comm, add_comm]

/-- Two lists of terms are the same sum. -/
private def SameSum (l m : List (K × K)) : Prop := ∀ q, coeff l q = coeff m q

private theorem mulTerms_same {l l' m m' : List (K × K)} (hl : SameSum l l') (hm : SameSum m m') :
    SameSum (mulTerms l m) (mulTerms l' m') := by
  have key : ∀ l m m' : List (K × K), SameSum m m' → SameSum (mulTerms l m) (mulTerms l m') := fun l m m' hm q => by
    rw [coeff_mulTerms, coeff_mulTerms]
    exact listSum_congr fun s _ => by rw [hm]
  intro q
  rw [key l m m' hm q, coeff_mulTerms_comm, key m' l l' hl q, coeff_mulTerms_comm]

/-! ## The ring -/

/-- Lists of terms up to equality of all coefficients. -/
@[reducible] private def sameSetoid (K : Type) [OrderedField K] [DecidableEq K] : Setoid (List (K × K)) where
  r := SameSum
  iseqv := ⟨fun _ _ => rfl, fun h q => (h q).symm, fun h k q => (h q).trans (k q)⟩

/-- Finite sums `∑ c t ^ q` with coefficients `c` and exponents `q` in `K`. -/
def ExpSum (K : Type) [OrderedField K] [DecidableEq K] : Type := Quotient (sameSetoid K)

namespace ExpSum

/-- The sum of the listed terms `(c, q)`. -/
def mk (l : List (K × K)) : ExpSum K := Quotient.mk (sameSetoid K) l
/-- The sum `c t ^ q`. -/
def monomial (c q : K) : ExpSum K := mk [(c, q)]

private theorem eq {l m : List (K × K)} (h : SameSum l m) : mk l = mk m := Quotient.sound h
private theorem exact {l m : List (K × K)} (h : mk l = mk m) : SameSum l m := Quotient.exact h
private theorem ind {P : ExpSum K → Prop} (h : ∀ l, P (mk l)) (a : ExpSum K) : P a := Quotient.ind h a

/-- Every sum is a sum of finitely many terms. -/
theorem exists_mk (a : ExpSum K) : ∃ l, a = mk l := ind (P := fun a => ∃ l, a = mk l) (fun l => ⟨l, rfl⟩) a

/-- Sums are added by putting the terms together. -/
instance : Add (ExpSum K) := ⟨Quotient.lift₂ (fun l m => mk (l ++ m)) fun l m l' m' hl hm => eq fun q => by
  rw [coeff_append, coeff_append, hl q, hm q]⟩
/-- Sums are multiplied term by term. -/
instance : Mul (ExpSum K) := ⟨Quotient.lift₂ (fun l m => mk (mulTerms l m)) fun _ _ _ _ hl hm =>
  eq (mulTerms_same hl hm)⟩
/-- The negative of a sum. -/
instance : Neg (ExpSum K) := ⟨Quotient.lift (fun l => mk (negTerms l)) fun l m h => eq fun q => by
  rw [coeff_negTerms, coeff_negTerms, h q]⟩
/-- The empty sum. -/
instance : Zero (ExpSum K) := ⟨mk []⟩
/-- The sum `1 = t ^ 0`. -/
instance : One (ExpSum K) := ⟨monomial 1 0⟩

/-- The sums form a commutative ring. -/
instance : CommRing (ExpSum K) where
  sub a b := a + -b
  sub_def _ _ := rfl
  add_assoc := ind fun l => ind fun m => ind fun n => congrArg mk (List.append_assoc l m n)
  add_comm := ind fun l => ind fun m => eq fun q => by rw [coeff_append, coeff_append, add_comm]
  add_zero := ind fun l => congrArg mk (List.append_nil l)
  add_neg := ind fun l => eq fun q => by rw [coeff_append, coeff_negTerms, add_neg, coeff_nil]
  mul_assoc := ind fun l => ind fun m => ind fun n => eq fun q => by
    rw [coeff, coeff, listSum_mulTerms, listSum_mulTerms, listSum_mulTerms]
    refine listSum_congr fun s _ => ?_
    rw [listSum_mulTerms]
    refine listSum_congr fun t _ => listSum_congr fun u _ => ?_
    rw [mul_assoc, add_assoc]
  mul_comm := ind fun l => ind fun m => eq (coeff_mulTerms_comm l m)
  mul_one := ind fun l => eq fun q => by
    rw [coeff, coeff, listSum_mulTerms]
    refine listSum_congr fun s _ => ?_
    rw [listSum_cons, listSum_nil, add_zero, mul_one, add_zero]
  mul_add := ind fun l => ind fun m => ind fun n => eq fun q => by
    rw [coeff_append, coeff_mulTerms, coeff_mulTerms, coeff_mulTerms, ← listSum_add]
    refine listSum_congr fun s _ => ?_
    rw [coeff_append, mul_add]

/-- Equality of sums is decided by comparing the coefficients of all exponents that occur. -/
instance : DecidableEq (ExpSum K) := fun a b =>
  Quotient.recOnSubsingleton a fun l => Quotient.recOnSubsingleton b fun m =>
    decidable_of_decidable_of_iff (p := ∀ s ∈ l ++ m, coeff l s.2 = coeff m s.2) (by
      refine ⟨fun h => eq fun q => ?_, fun h s _ => exact h s.2⟩
      by_cases hs : ∃ s ∈ l ++ m, s.2 = q
      · obtain ⟨s, hs, rfl⟩ := hs
        exact h s hs
      · rw [coeff_eq_zero fun s h e => hs ⟨s, List.mem_append_left m h, e⟩,
          coeff_eq_zero fun s h e => hs ⟨s, List.mem_append_right l h, e⟩])
end ExpSum

/-! ## The order -/

omit [DecidableEq K] in
private theorem lt_of_sub_pos {a b : K} (h : 0 < b - a) : a < b := by
  have h := add_lt _ _ a h
  rwa [zero_add, show b - a + a = b by ring] at h
omit [DecidableEq K] in
private theorem sub_pos_of_lt {a b : K} (h : a < b) : 0 < b - a := by
  have h := add_lt _ _ (-a) h
  rwa [add_neg, ← sub_def] at h

omit [DecidableEq K] in
private theorem exists_largest (P : K → Prop) : ∀ E : List K,
    (∀ q ∈ E, ¬ P q) ∨ ∃ q ∈ E, P q ∧ ∀ r ∈ E, q < r → ¬ P r
  | [] => .inl fun _ h => nomatch h
  | e :: E => by
    by_cases he : P e
    · right
      rcases exists_largest P E with h | ⟨q, hq, hP, h⟩
      · refine ⟨e, List.mem_cons_self, he, fun r hr hlt => ?_⟩
        rcases List.mem_cons.mp hr with rfl | hr
        · exact absurd hlt (lt_irrefl _)
        · exact h r hr
      · rcases lt_total q e with hqe | rfl | hqe
        · refine ⟨e, List.mem_cons_self, he, fun r hr hlt => ?_⟩
          rcases List.mem_cons.mp hr with rfl | hr
          · exact absurd hlt (lt_irrefl _)
          · exact h r hr (lt_trans _ _ _ hqe hlt)
        · refine ⟨q, List.mem_cons_self, he, fun r hr hlt => ?_⟩
          rcases List.mem_cons.mp hr with rfl | hr
          · exact absurd hlt (lt_irrefl _)
          · exact h r hr hlt
        · refine ⟨q, List.mem_cons_of_mem e hq, hP, fun r hr hlt => ?_⟩
          rcases List.mem_cons.mp hr with rfl | hr
          · exact absurd (lt_trans _ _ _ hqe hlt) (lt_irrefl _)
          · exact h r hr hlt
    · rcases exists_largest P E with h | ⟨q, hq, hP, h⟩
      · refine .inl fun q hq => ?_
        rcases List.mem_cons.mp hq with rfl | hq
        · exact he
        · exact h q hq
      · refine .inr ⟨q, List.mem_cons_of_mem e hq, hP, fun r hr hlt => ?_⟩
        rcases List.mem_cons.mp hr with rfl | hr
        · exact he
        · exact h r hr hlt

/-- No term beyond the exponent `q` is left after cancellation. -/
private def Bounded (l : List (K × K)) (q : K) : Prop := ∀ r, q < r → coeff l r = 0

/-- A list of terms is zero or has a largest exponent with a coefficient that is not zero. -/
private theorem zero_or_leading (l : List (K × K)) : (∀ q, coeff l q = 0) ∨ ∃ q, coeff l q ≠ 0 ∧ Bounded l q := by
  have mem : ∀ {q}, coeff l q ≠ 0 → q ∈ l.map fun s => s.2 := fun h => by
    obtain ⟨s, hs, rfl⟩ := exists_of_coeff_ne h
    exact List.mem_map.mpr ⟨s, hs, rfl⟩
  rcases exists_largest (fun q => coeff l q ≠ 0) (l.map fun s => s.2) with h | ⟨q, _, hq, h⟩
  · exact .inl fun q => Classical.byContradiction fun hq => h q (mem hq) hq
  · exact .inr ⟨q, hq, fun r hr => Classical.byContradiction fun hc => h r (mem hc) hr hc⟩

/-- Terms beyond a bound cancel, so that they may be left out. -/
private theorem filter_same {l : List (K × K)} {q : K} [DecidableLT K] (h : Bounded l q) :
    SameSum l (l.filter fun s => !decide (q < s.2)) := fun x => by
  by_cases hx : q < x
  · rw [h x hx, coeff_eq_zero]
    intro s hs e
    have hs := (List.mem_filter.mp hs).2
    rw [e, decide_eq_true hx] at hs
    exact absurd hs (by decide)
  · rw [coeff, listSum_filter (fun s => !decide (q < s.2))]
    show coeff _ x + coeff _ x = _
    rw [coeff_eq_zero (l := l.filter fun s => !!decide (q < s.2)), add_zero]
    intro s hs e
    have hs := (List.mem_filter.mp hs).2
    rw [Bool.not_not] at hs
    exact hx (e ▸ of_decide_eq_true hs)

/-- The leading coefficient of a product is the product of the leading coefficients. -/
private theorem coeff_mulTerms_leading [DecidableLT K] {l m : List (K × K)} {q r : K} (hl : Bounded l q)
    (hm : Bounded m r) : coeff (mulTerms l m) (q + r) = coeff l q * coeff m r ∧ Bounded (mulTerms l m) (q + r) := by
  have hs : ∀ s ∈ l.filter fun s => !decide (q < s.2), s.2 = q ∨ s.2 < q := fun s hs => by
    have hs := (List.mem_filter.mp hs).2
    rcases lt_total s.2 q with h | h | h
    · exact .inr h
    · exact .inl h
    · rw [decide_eq_true h] at hs
      exact absurd hs (by decide)
  have same := filter_same hl
  constructor
  · have e := (listSum_mul (coeff m r) (l.filter fun s => !decide (q < s.2)) fun s => if s.2 = q then s.1 else 0).symm
    rw [mulTerms_same same (fun _ => rfl) (q + r), same q, coeff_mulTerms, mul_comm]
    refine Eq.trans ?_ e.symm
    refine listSum_congr fun s hmem => ?_
    rcases hs s hmem with h | h
    · rw [if_pos h, h, show q + r - q = r by ring, mul_comm]
    · rw [if_neg fun e : s.2 = q => lt_irrefl q (e ▸ h), hm (q + r - s.2), mul_zero, mul_zero]
      refine lt_of_sub_pos ?_
      rw [show q + r - s.2 - r = q - s.2 by ring]
      exact sub_pos_of_lt h
  · intro x hx
    rw [mulTerms_same same (fun _ => rfl) x, coeff_mulTerms]
    refine listSum_zero fun s hmem => ?_
    rw [hm, mul_zero]
    refine lt_of_sub_pos ?_
    rcases hs s hmem with h | h
    · rw [h, show x - q - r = x - (q + r) by ring]
      exact sub_pos_of_lt hx
    · rw [show x - s.2 - r = (x - (q + r)) + (q - s.2) by ring]
      exact add_pos (sub_pos_of_lt hx) (sub_pos_of_lt h)

namespace ExpSum
/-- The leading coefficient is positive. -/
def Pos : ExpSum K → Prop := Quotient.lift (fun l => ∃ q, 0 < coeff l q ∧ ∀ r, q < r → coeff l r = 0) fun l m h => by
  have h : coeff l = coeff m := funext h
  show (∃ q, 0 < coeff l q ∧ ∀ r, q < r → coeff l r = 0) = ∃ q, 0 < coeff m q ∧ ∀ r, q < r → coeff m r = 0
  rw [h]

private theorem pos_mk {l : List (K × K)} : Pos (mk l) ↔ ∃ q, 0 < coeff l q ∧ Bounded l q := Iff.rfl

private theorem pos_add : ∀ a b : ExpSum K, Pos a → Pos b → Pos (a + b) := ind fun l => ind fun m => by
  rintro ⟨q, hq, hl⟩ ⟨r, hr, hm⟩
  show ∃ p, 0 < coeff (l ++ m) p ∧ Bounded (l ++ m) p
  rcases lt_total q r with h | rfl | h
  · refine ⟨r, ?_, fun x hx => ?_⟩
    · rw [coeff_append, hl r h, zero_add]; exact hr
    · rw [coeff_append, hl x (lt_trans _ _ _ h hx), hm x hx, add_zero]
  · refine ⟨q, ?_, fun x hx => ?_⟩
    · rw [coeff_append]; exact add_pos hq hr
    · rw [coeff_append, hl x hx, hm x hx, add_zero]
  · refine ⟨q, ?_, fun x hx => ?_⟩
    · rw [coeff_append, hm q h, add_zero]; exact hq
    · rw [coeff_append, hl x hx, hm x (lt_trans _ _ _ h hx), add_zero]
private theorem pos_mul [DecidableLT K] : ∀ a b : ExpSum K, Pos a → Pos b → Pos (a * b) :=
  ind fun l => ind fun m => by
    rintro ⟨q, hq, hl⟩ ⟨r, hr, hm⟩
    obtain ⟨h1, h2⟩ := coeff_mulTerms_leading hl hm
    exact ⟨q + r, h1 ▸ mul_pos _ _ hq hr, h2⟩
private theorem not_pos_zero : ¬ Pos (0 : ExpSum K) := by
  rintro ⟨q, hq, -⟩
  exact lt_irrefl 0 hq
private theorem trichotomy : ∀ a : ExpSum K, Pos a ∨ a = 0 ∨ Pos (-a) := ind fun l => by
  rcases zero_or_leading l with h | ⟨q, hq, hl⟩
  · exact .inr (.inl (eq h))
  · rcases lt_total 0 (coeff l q) with h | h | h
    · exact .inl ⟨q, h, hl⟩
    · exact absurd h.symm hq
    · refine .inr (.inr ⟨q, ?_, fun r hr => ?_⟩)
      · have h := sub_pos_of_lt h
        rwa [coeff_negTerms, show -coeff l q = 0 - coeff l q by ring]
      · rw [coeff_negTerms, hl r hr, neg_zero]

/-- The sign of a leading coefficient is found among the exponents that occur. -/
instance [DecidableLT K] (a : ExpSum K) : Decidable (Pos a) :=
  Quotient.recOnSubsingleton a fun l => decidable_of_decidable_of_iff
    (p := ∃ s, s ∈ l ∧ (0 < coeff l s.2 ∧ ∀ t ∈ l, s.2 < t.2 → coeff l t.2 = 0)) (by
      constructor
      · rintro ⟨s, _, h, hl⟩
        refine ⟨s.2, h, fun r hr => Classical.byContradiction fun hc => ?_⟩
        obtain ⟨t, ht, rfl⟩ := exists_of_coeff_ne hc
        exact hc (hl t ht hr)
      · rintro ⟨q, h, hl⟩
        obtain ⟨s, hs, rfl⟩ := exists_of_coeff_ne (pos_ne h)
        exact ⟨s, hs, h, fun t _ ht => hl t.2 ht⟩)

/-- A term with a positive coefficient is positive. -/
theorem monomial_pos {c : K} (hc : 0 < c) (q : K) : Pos (monomial c q) := by
  refine ⟨q, ?_, fun r hr => ?_⟩
  · rw [coeff_singleton, if_pos rfl]; exact hc
  · rw [coeff_singleton, if_neg fun e : q = r => lt_irrefl r (e ▸ hr)]

/-- The sums form an ordered domain; `a < b` says that the leading coefficient of `b - a` is positive. -/
instance [DecidableLT K] : OrderedDomain (ExpSum K) where
  lt a b := Pos (b - a)
  one_pos := by
    show Pos (1 - 0)
    rw [sub_zero]
    exact monomial_pos one_pos 0
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

/-- The order is decidable. -/
instance [DecidableLT K] : DecidableLT (ExpSum K) := fun a b => inferInstanceAs (Decidable (Pos (b - a)))

/-- A positive sum is greater than zero. -/
theorem zero_lt_iff [DecidableLT K] {a : ExpSum K} : 0 < a ↔ Pos a := by
  show Pos (a - 0) ↔ Pos a
  rw [sub_zero]

/-! ## Single terms -/

/-- A sum is zero exactly when all its coefficients are: powers of `t` are linearly independent. -/
theorem mk_eq_zero {l : List (K × K)} : mk l = 0 ↔ ∀ q, coeff l q = 0 := ⟨exact (m := []), eq (m := [])⟩
/-- The sum of the listed terms is the sum of these terms. -/
theorem mk_eq_listSum (l : List (K × K)) : mk l = listSum l fun s => monomial s.1 s.2 := by
  induction l with
  | nil => rfl
  | cons s l ih => rw [listSum_cons, ← ih]; rfl

/-- Terms with one exponent are added by their coefficients. -/
theorem monomial_add (b c q : K) : monomial b q + monomial c q = monomial (b + c) q := eq fun r => by
  rw [coeff_append, coeff_singleton, coeff_singleton, coeff_singleton]
  by_cases h : q = r
  · rw [if_pos h, if_pos h, if_pos h]
  · rw [if_neg h, if_neg h, if_neg h, add_zero]
/-- Exponents of products add. -/
theorem monomial_mul (b c q r : K) : monomial b q * monomial c r = monomial (b * c) (q + r) := rfl
/-- Terms with one exponent are determined by their coefficients. -/
theorem monomial_inj_coeff {b c q : K} (h : monomial b q = monomial c q) : b = c := by
  have h := exact h q
  rwa [coeff_singleton, coeff_singleton, if_pos rfl, if_pos rfl] at h
/-- Powers of `t` are determined by their exponents. -/
theorem monomial_inj_exponent {q r : K} (h : monomial 1 q = monomial 1 r) : q = r := by
  have h := exact h q
  rw [coeff_singleton, coeff_singleton, if_pos rfl] at h
  by_cases e : r = q
  · exact e.symm
  · rw [if_neg e] at h
    exact absurd h.symm zero_ne_one
/-- Powers of `t` increase with their exponents. -/
theorem monomial_lt [DecidableLT K] {q r : K} (h : q < r) : monomial 1 q < monomial 1 r := by
  show ∃ x, 0 < coeff ([(1, r)] ++ negTerms [(1, q)]) x ∧ Bounded ([(1, r)] ++ negTerms [(1, q)]) x
  have h1 : ∀ x, q < x → coeff (negTerms [(1, q)]) x = 0 := fun x hx => by
    rw [coeff_negTerms, coeff_singleton, if_neg fun e : q = x => lt_irrefl x (e ▸ hx), neg_zero]
  refine ⟨r, ?_, fun x hx => ?_⟩
  · rw [coeff_append, coeff_singleton, if_pos rfl, h1 r h, add_zero]
    exact one_pos
  · rw [coeff_append, coeff_singleton, if_neg fun e : r = x => lt_irrefl x (e ▸ hx), h1 x (lt_trans _ _ _ h hx),
      add_zero]
end ExpSum

/-! ## The degree -/

section degree
variable [DecidableLT K]

private def Leads (l : List (K × K)) (q : K) : Prop := coeff l q ≠ 0 ∧ ∀ t ∈ l, q < t.2 → coeff l t.2 = 0
private instance (l : List (K × K)) (q : K) : Decidable (Leads l q) :=
  inferInstanceAs (Decidable (coeff l q ≠ 0 ∧ ∀ t ∈ l, q < t.2 → coeff l t.2 = 0))

omit [DecidableLT K] in
private theorem leads_iff {l : List (K × K)} {q : K} : Leads l q ↔ coeff l q ≠ 0 ∧ Bounded l q := by
  refine ⟨fun h => ⟨h.1, fun r hr => Classical.byContradiction fun hc => ?_⟩, fun h => ⟨h.1, fun t _ ht => h.2 t.2 ht⟩⟩
  obtain ⟨t, ht, rfl⟩ := exists_of_coeff_ne hc
  exact hc (h.2 t ht hr)
omit [DecidableLT K] in
private theorem leads_unique {l : List (K × K)} {q r : K} (hq : Leads l q) (hr : Leads l r) : q = r := by
  rcases lt_total q r with h | h | h
  · exact absurd ((leads_iff.mp hq).2 r h) hr.1
  · exact h
  · exact absurd ((leads_iff.mp hr).2 q h) hq.1

private def firstLeading (l : List (K × K)) : List (K × K) → Option K
  | [] => none
  | s :: m => if Leads l s.2 then some s.2 else firstLeading l m
private theorem firstLeading_some {l : List (K × K)} {q : K} : ∀ {m : List (K × K)},
    firstLeading l m = some q → Leads l q
  | s :: m, h => by
    rw [firstLeading] at h
    split at h
    · cases h; assumption
    · exact firstLeading_some h
private theorem firstLeading_of_mem {l : List (K × K)} : ∀ {m : List (K × K)} {s : K × K}, s ∈ m → Leads l s.2 →
    firstLeading l m = some s.2
  | t :: m, s, hs, h => by
    rw [firstLeading]
    split
    · rename_i ht
      rw [leads_unique ht h]
    · rename_i ht
      rcases List.mem_cons.mp hs with rfl | hs
      · exact absurd h ht
      · exact firstLeading_of_mem hs h
private theorem firstLeading_iff {l : List (K × K)} {q : K} : firstLeading l l = some q ↔ Leads l q := by
  refine ⟨firstLeading_some, fun h => ?_⟩
  obtain ⟨s, hs, rfl⟩ := exists_of_coeff_ne h.1
  exact firstLeading_of_mem hs h

namespace ExpSum
/-- The largest exponent of a sum, `none` for zero. -/
def degree : ExpSum K → Option K := Quotient.lift (fun l => firstLeading l l) fun l m h => by
  have key : ∀ q, firstLeading l l = some q ↔ firstLeading m m = some q := fun q => by
    rw [firstLeading_iff, firstLeading_iff, leads_iff, leads_iff, Bounded, Bounded,
      show coeff l = coeff m from funext h]
  show firstLeading l l = firstLeading m m
  cases hl : firstLeading l l with
  | some q => exact ((key q).mp hl).symm
  | none =>
    cases hm : firstLeading m m with
    | none => rfl
    | some q => exact hl.symm.trans ((key q).mpr hm)

/-- A positive sum has a degree. -/
theorem exists_degree_of_pos {a : ExpSum K} (ha : 0 < a) : ∃ q, degree a = some q := by
  refine ind (P := fun a => 0 < a → ∃ q, degree a = some q) (fun l h => ?_) a ha
  obtain ⟨q, hq, hl⟩ := zero_lt_iff.mp h
  exact ⟨q, firstLeading_iff.mpr (leads_iff.mpr ⟨pos_ne hq, hl⟩)⟩
/-- Multiplying by a power of `t` raises the degree. -/
theorem degree_monomial_mul (s : K) {a : ExpSum K} {q : K} (ha : degree a = some q) :
    degree (monomial 1 s * a) = some (s + q) := by
  refine ind (P := fun a => degree a = some q → degree (monomial 1 s * a) = some (s + q)) (fun l h => ?_) a ha
  obtain ⟨hq, hl⟩ := leads_iff.mp (firstLeading_iff.mp h)
  have hm : Bounded [((1 : K), s)] s := fun r hr => by
    rw [coeff_singleton, if_neg fun e : s = r => lt_irrefl r (e ▸ hr)]
  obtain ⟨h1, h2⟩ := coeff_mulTerms_leading hm hl
  refine firstLeading_iff.mpr (leads_iff.mpr ⟨?_, h2⟩)
  rw [h1, coeff_singleton, if_pos rfl, one_mul]
  exact hq
end ExpSum
end degree

end AttentionQueries
