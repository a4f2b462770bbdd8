import AttentionQueries.Algebra.Polynomial
import AttentionQueries.MultiHead.FiniteTest

/-! # Scaled tokens

## Main statements

* `score_scaled_pair`, `Semantics.inner_scaled`: `(t u, q / t)` has the score of `(u, q)`, and `t` times the signal. So
  without a bound on the entries of tokens any tolerance could be made harmless by scaling; the tolerance of
  `Noise.Learner` is meant for the tokens it uses, whose entries are at most two.
* `Semantics.exp_natCast_mul`: the exponential of a multiple is a power. -/

namespace AttentionQueries
open CommRing OrderedField

section
variable {R : Type} [CommRing R] {d : Nat}

/-- **Scaling the direction up and the query token down leaves the score as it is.** -/
theorem score_scaled_pair (W : Mat R d) {t t' : R} (h : t' * t = 1) (u q : Vec R d) :
    score W (smul t u) (smul t' q) = score W u q := by
  rw [score_smul_query, score_smul]
  lin_comb (score W u q) h

end

namespace Semantics
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- **The signal of a direction grows with its scale.** -/
theorem inner_scaled (v : Vec K d) (t : R) (u : Vec R d) : S.inner v (smul t u) = S.cast t * S.inner v u :=
  S.inner_smul v t u

/-- The exponential of a natural multiple is a power. -/
theorem exp_natCast_mul (n : Nat) (s : R) : S.exp (natCast n * s) = npow (S.exp s) n := by
  induction n with
  | zero => rw [natCast_zero, zero_mul, exp_zero]; rfl
  | succ n ih => rw [natCast_succ, npow, ← ih, ← S.exp_add]; congr 1; ring

end Semantics

end AttentionQueries
