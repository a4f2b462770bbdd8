import AttentionQueries.Noise.Odds
import AttentionQueries.Noise.Share

/-! # Noise: an interval for the score from three answers

The estimator of the paper, with its error bound made into an interval: from answers on a pair query, on `[q]` and on
`[q + u]`, each within `τ` of the truth, the share is estimated by a quotient, and the score lies between any two
numbers whose exponentials enclose the odds of the estimate less and plus `ε = 2τ / |h' - g'|`. `Noise.Learner` is an
algorithm for a whole head; it spares the query `[q + u]`.

## Main statements

* `Semantics.score_mem_interval`: the score lies in the interval.

## References

The robustness theorem of arXiv 2601.16873 (Theorem 6.1, v2 numbering as reported), for any number of copies. -/

namespace AttentionQueries
open CommRing OrderedField
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- A strictly increasing function reflects the order, in the form "not greater". -/
theorem not_lt_of_le {T : Type} [LT T] {E : T → K} (mono : ∀ s t, s < t → E s < E t) {s t : T} (h : E s ≤ E t) :
    ¬ t < s := fun hts => h (mono _ _ hts)

/-- **The true score lies in the reported interval.** Let `f', g', h'` be answers within `τ` of the outputs on `k + 1`
copies of `q + u` and `n + 1` copies of `q`, on `[q]`, and on `[q + u]`. Let `p' = (f' - g') / (h' - g')` be the
estimate of the share, `ε = 2τ / |h' - g'|` the bound of its error, and `ε < p' < 1 - ε`. If the exponentials of `lo`
and `hi` enclose the odds of `p' - ε` and `p' + ε`, up to the factor for the copies, then the score is neither below
`lo` nor above `hi`. -/
theorem Semantics.score_mem_interval [LT R] (mono : ∀ s t, s < t → S.exp s < S.exp t) (W : Mat R d) (v : Vec K d)
    (k n : Nat) (u q : Vec R d) {f' g' h' τ p' ε : K} {lo hi : R}
    (hf : abs (f' - S.eval W v (copies (k + 1) n u q) q) ≤ τ) (hg : abs (g' - S.eval W v [] q) ≤ τ)
    (hh : abs (h' - S.eval W v [] (q + u)) ≤ τ) (hD : h' - g' ≠ 0)
    (hp' : p' = (f' - g') / (h' - g')) (hε : ε = (τ + τ) / abs (h' - g')) (h1 : ε < p') (h2 : ε < 1 - p')
    (hlo : natCast (k + 1) * S.exp lo ≤ (p' - ε) / (1 - p' + ε) * natCast (n + 1))
    (hhi : (p' + ε) / (1 - p' - ε) * natCast (n + 1) ≤ natCast (k + 1) * S.exp hi) :
    ¬ score W u q < lo ∧ ¬ hi < score W u q := by
  obtain ⟨b0, b1⟩ := S.share_bounds W (k + 1) n u q
  have herr : abs (p' - S.share W (k + 1) n u q) ≤ ε := by
    rw [hp', hε]
    refine share_error hf hg hh b0 (le_of_lt b1) ?_ hD
    rw [S.eval_copies, S.eval_nil, S.eval_nil, S.inner_add, ← Semantics.share]; ring
  obtain ⟨-, l, r⟩ := odds_interval herr h1 h2
  have hodds : S.share W (k + 1) n u q / (1 - S.share W (k + 1) n u q) * natCast (n + 1) =
      natCast (k + 1) * S.exp (score W u q) := by
    have h := S.share_odds W (k + 1) n u q
    have hne : 1 - S.share W (k + 1) n u q ≠ 0 := pos_ne (sub_pos.mpr b1)
    have e := div_mul_cancel (S.share W (k + 1) n u q) hne
    apply mul_right_cancel hne
    lin_comb (1) h + (natCast (n + 1)) e
  have l' := mul_le_mul_right (le_of_lt (natCast_pos n)) l
  have r' := mul_le_mul_right (le_of_lt (natCast_pos n)) r
  rw [hodds] at l' r'
  have hk := natCast_pos (K := K) k
  refine ⟨not_lt_of_le mono (le_of_mul_le_mul_right hk ?_), not_lt_of_le mono (le_of_mul_le_mul_right hk ?_)⟩
  · rw [mul_comm, mul_comm _ (natCast (k + 1))]; exact le_trans hlo l'
  · rw [mul_comm, mul_comm _ (natCast (k + 1))]; exact le_trans r' hhi

end AttentionQueries
