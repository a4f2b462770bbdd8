import AttentionQueries.Base2.Rational
import AttentionQueries.ExpField.Sum
import AttentionQueries.Semantics

/-! # The symbolic exponential: `exp q = t ^ q` for a symbol `t`

The second concrete model of the axioms of `Semantics`: scores in an ordered field `K`, such as the rational numbers,
and values in the field of fractions of finite sums `∑ c t ^ q`. For rational `K` it is the true softmax at rational
weights, computed with `t` for `e`: distinct powers `e ^ q` are linearly independent over the rational numbers
(Lindemann–Weierstrass), so that an identity between values holds for `e` exactly when it holds for `t`. (The order is
another one: `t` is larger than every constant.)

## Main definitions

* `ExpField K`: fractions of finite sums `∑ c t ^ q`, an ordered field
* `symbolicExp K`: the semantics with scores in `K`, values in `ExpField K` and `exp q = t ^ q`
* `symbolicLog`: its logarithm, a partial function

## Main statements

* `symbolicLog_eq_some`: `symbolicLog x = some s ↔ (symbolicExp K).exp s = x`
* `symbolicExp_sum_eq_zero`, `symbolicExp_eq_div`: different powers are linearly independent, and every value is a
  quotient of linear combinations of powers
* `symbolicExp_lt`: the exponential is strictly increasing
-/

namespace AttentionQueries
open CommRing OrderedField

variable {K : Type} [OrderedField K] [DecidableEq K] [DecidableLT K]

/-- The ordered field of fractions of finite sums `∑ c t ^ q` with coefficients and exponents in `K`. -/
abbrev ExpField (K : Type) [OrderedField K] [DecidableEq K] [DecidableLT K] : Type := FractionField (ExpSum K)

/-- The symbolic semantics: scores in `K`, values in `ExpField K`, `exp q = t ^ q`. -/
def symbolicExp (K : Type) [OrderedField K] [DecidableEq K] [DecidableLT K] : Semantics K (ExpField K) where
  cast c := .of (.monomial c 0)
  cast_add a b := by rw [← FractionField.of_add, ExpSum.monomial_add]
  cast_mul a b := by rw [← FractionField.of_mul, ExpSum.monomial_mul, add_zero]
  cast_one := rfl
  cast_inj _ _ h := ExpSum.monomial_inj_coeff (FractionField.of_inj h)
  exp q := .of (.monomial 1 q)
  exp_add s t := by rw [← FractionField.of_mul, ExpSum.monomial_mul, mul_one]
  exp_pos s := FractionField.zero_lt_iff.mpr (ExpSum.zero_lt_iff.mpr (ExpSum.monomial_pos one_pos s))
  exp_inj _ _ h := ExpSum.monomial_inj_exponent (FractionField.of_inj h)

private theorem listSum_eq_of (l : List (K × K)) :
    listSum l (fun s => (symbolicExp K).cast s.1 * (symbolicExp K).exp s.2) = .of (ExpSum.mk l) := by
  induction l with
  | nil => rfl
  | cons s l ih =>
    rw [listSum_cons, ih, ExpSum.mk_eq_listSum, ExpSum.mk_eq_listSum, listSum_cons, FractionField.of_add]
    congr 1
    show FractionField.of (ExpSum.monomial s.1 0) * FractionField.of (ExpSum.monomial 1 s.2) = _
    rw [← FractionField.of_mul, ExpSum.monomial_mul, mul_one, zero_add]

/-- **Different powers are linearly independent**: a sum `∑ c exp q` vanishes only when all its coefficients do. -/
theorem symbolicExp_sum_eq_zero (l : List (K × K)) :
    listSum l (fun s => (symbolicExp K).cast s.1 * (symbolicExp K).exp s.2) = 0 ↔ ∀ q, coeff l q = 0 := by
  rw [listSum_eq_of, ← ExpSum.mk_eq_zero]
  exact ⟨FractionField.of_inj, fun h => congrArg FractionField.of h⟩

/-- Every value is a quotient of two sums `∑ c exp q`, the second of them not zero. -/
theorem symbolicExp_eq_div (x : ExpField K) : ∃ l m : List (K × K),
    listSum m (fun s => (symbolicExp K).cast s.1 * (symbolicExp K).exp s.2) ≠ 0 ∧
    x = listSum l (fun s => (symbolicExp K).cast s.1 * (symbolicExp K).exp s.2) /
      listSum m (fun s => (symbolicExp K).cast s.1 * (symbolicExp K).exp s.2) := by
  revert x
  refine FractionField.ind fun x => ?_
  obtain ⟨l, hl⟩ := ExpSum.exists_mk x.num
  obtain ⟨m, hm⟩ := ExpSum.exists_mk x.den
  obtain ⟨h, hpos⟩ := FractionField.mk_eq_div x
  refine ⟨l, m, ?_, ?_⟩
  · rw [listSum_eq_of, ← hm]
    exact pos_ne hpos
  · rw [listSum_eq_of, listSum_eq_of, ← hl, ← hm]
    exact h

/-- The exponential is strictly increasing. -/
theorem symbolicExp_lt {s t : K} (h : s < t) : (symbolicExp K).exp s < (symbolicExp K).exp t :=
  FractionField.of_lt.mpr (ExpSum.monomial_lt h)

/-! ## The logarithm -/

private def checkedLog (x : Fraction (ExpSum K)) (s : K) : Option K :=
  if ExpSum.monomial 1 s * x.den = x.num then some s else none
private def logFraction (x : Fraction (ExpSum K)) : Option K :=
  match x.num.degree, x.den.degree with
  | some a, some b => checkedLog x (a - b)
  | _, _ => none

private theorem checkedLog_some {x : Fraction (ExpSum K)} {r s : K} (h : checkedLog x r = some s) :
    ExpSum.monomial 1 s * x.den = x.num := by
  unfold checkedLog at h
  split at h
  · cases h; assumption
  · cases h
private theorem logFraction_eq_some (x : Fraction (ExpSum K)) (s : K) :
    logFraction x = some s ↔ FractionField.of (ExpSum.monomial 1 s) = FractionField.mk x := by
  constructor
  · intro h
    unfold logFraction at h
    split at h
    · refine FractionField.eq ?_
      show ExpSum.monomial 1 s * x.den = x.num * 1
      rw [checkedLog_some h, mul_one]
    · cases h
  · intro h
    have h : ExpSum.monomial 1 s * x.den = x.num * 1 := FractionField.exact h
    rw [mul_one] at h
    obtain ⟨b, hb⟩ := ExpSum.exists_degree_of_pos x.pos
    have ha := ExpSum.degree_monomial_mul s hb
    rw [h] at ha
    rw [logFraction, ha, hb]
    show checkedLog x (s + b - b) = some s
    rw [show s + b - b = s by ring, checkedLog, if_pos h]

/-- The logarithm: the exponent of a power of `t`, and `none` for every other number. The candidate is the difference of
the degrees of numerator and denominator; it is checked. -/
def symbolicLog : ExpField K → Option K := Quotient.lift logFraction fun x y h => by
  have key : ∀ s, logFraction x = some s ↔ logFraction y = some s := fun s => by
    rw [logFraction_eq_some, logFraction_eq_some, show FractionField.mk x = FractionField.mk y from Quotient.sound h]
  cases hx : logFraction x with
  | some s => exact ((key s).mp hx).symm
  | none =>
    cases hy : logFraction y with
    | none => rfl
    | some s => exact hx.symm.trans ((key s).mpr hy)

/-- **Specification of the logarithm**: it is the partial inverse of the exponential. -/
theorem symbolicLog_eq_some (x : ExpField K) (s : K) : symbolicLog x = some s ↔ (symbolicExp K).exp s = x := by
  revert x
  exact FractionField.ind fun x => logFraction_eq_some x s

/-- The twin of Python's `exp` semantics: rational scores. -/
example : Semantics Rational (ExpField Rational) := symbolicExp Rational

end AttentionQueries
