import AttentionQueries.Noise.Bounds
import AttentionQueries.Semantics

/-! # From intervals for weights to intervals for scores

The logarithm is needed once, at the end, and only up to rounding. What is needed of it is a specification, which
outward rounding satisfies when scores are real numbers, and rounding to the nearest integers inside when scores are
integers.

## Main definitions

* `LogBounds S`: rounded logarithms. `LogBounds.ofMono`: from outward rounding and a strictly increasing exponential.
* `LogBounds.interval`: an interval for the score, if both ends of that for the weight say something.

## Main statements

* `LogBounds.interval_sound`: the score lies in it. -/

namespace AttentionQueries
open CommRing OrderedField
variable {R K : Type} [CommRing R] [OrderedField K]

/-- Rounded logarithms: `lower x` is not above any score whose weight is at least `x`, and `upper x` is not below any
score whose weight is at most `x`. -/
structure LogBounds [LT R] (S : Semantics R K) where
  /-- The logarithm, rounded for use as a lower end. -/
  lower : K → R
  /-- The logarithm, rounded for use as an upper end. -/
  upper : K → R
  /-- The lower end is a lower end. -/
  lower_spec : ∀ x s, 0 < x → x ≤ S.exp s → ¬ s < lower x
  /-- The upper end is an upper end. -/
  upper_spec : ∀ x s, 0 < x → S.exp s ≤ x → ¬ upper x < s

namespace LogBounds
variable [LT R] {S : Semantics R K}

/-- Outward rounding gives rounded logarithms, if the exponential is strictly increasing. -/
def ofMono (mono : ∀ s t, s < t → S.exp s < S.exp t) (lower upper : K → R) (hl : ∀ x, 0 < x → S.exp (lower x) ≤ x)
    (hu : ∀ x, 0 < x → x ≤ S.exp (upper x)) : LogBounds S where
  lower := lower
  upper := upper
  lower_spec x _ hx h h' := le_trans (hl x hx) h (mono _ _ h')
  upper_spec x _ hx h h' := le_trans h (hu x hx) (mono _ _ h')

/-- The interval for a score, from that for its weight. -/
def interval [DecidableLT K] (L : LogBounds S) (B : Bounds K) : Option (R × R) :=
  B.ends.map fun e => (L.lower e.1, L.upper e.2)

/-- **The score lies in its interval.** -/
theorem interval_sound [DecidableLT K] (L : LogBounds S) {B : Bounds K} {s lo hi : R} (hB : B.Contains (S.exp s))
    (h : L.interval B = some (lo, hi)) : ¬ s < lo ∧ ¬ hi < s := by
  obtain ⟨⟨a, b⟩, he, h⟩ := Option.map_eq_some_iff.mp h
  cases h
  obtain ⟨h0, h1, h2⟩ := Bounds.ends_spec he hB
  exact ⟨L.lower_spec a s h0 h1, L.upper_spec b s (lt_of_lt_of_le h0 (le_trans h1 h2)) h2⟩

end LogBounds

end AttentionQueries
