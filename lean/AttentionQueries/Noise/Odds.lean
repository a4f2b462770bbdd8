import AttentionQueries.Algebra.Order

/-! # Noise: from the share to its odds

## Main statements

* `odds_mono`: the odds `p / (1 - p)` increase with `p < 1`.
* `odds_interval`: an interval for the share gives an interval for its odds.

## References

The odds carry the score, by the odds formula of `SingleHead.Formulas`. The logarithms of the two ends are the score
error of the robustness theorem of arXiv 2601.16873 (Theorem 6.1, v2 numbering as reported). -/

namespace AttentionQueries
open CommRing OrderedField
variable {K : Type} [OrderedField K]

/-- The odds increase with the share, below one. -/
theorem odds_mono {p q : K} (h : p ≤ q) (hq : 0 < 1 - q) : p / (1 - p) ≤ q / (1 - q) := by
  have hp : 0 < 1 - p := lt_of_lt_of_le hq (le_cert (sub_nonneg.mpr h) (by ring))
  rw [div_le_iff hp]
  apply le_of_mul_le_mul_right hq
  have e := div_mul_cancel q (pos_ne hq)
  exact le_cert (sub_nonneg.mpr h) (by lin_comb (1 - p) e)

/-- **Interval for the odds.** If the share `p` is within `ε` of `p'`, and `ε < p' < 1 - ε`, then `p` lies strictly
between zero and one and its odds lie between those of `p' - ε` and of `p' + ε`. -/
theorem odds_interval {p p' ε : K} (h : abs (p' - p) ≤ ε) (h1 : ε < p') (h2 : ε < 1 - p') :
    (0 < p ∧ p < 1) ∧ (p' - ε) / (1 - p' + ε) ≤ p / (1 - p) ∧ p / (1 - p) ≤ (p' + ε) / (1 - p' - ε) := by
  obtain ⟨a1, a2⟩ := abs_le.mp h
  have lo : p' - ε ≤ p := le_cert (sub_nonneg.mpr a2) (by ring)
  have hi : p ≤ p' + ε := le_cert (sub_nonneg.mpr a1) (by ring)
  have h1' : 0 < p' - ε := sub_pos.mpr h1
  have h2' : 0 < 1 - (p' + ε) := by have := sub_pos.mpr h2; rwa [show 1 - p' - ε = 1 - (p' + ε) by ring] at this
  have hp1 : p < 1 := lt_of_le_of_lt hi (sub_pos.mp h2')
  refine ⟨⟨lt_of_lt_of_le h1' lo, hp1⟩, ?_, ?_⟩
  · rw [show 1 - p' + ε = 1 - (p' - ε) by ring]
    exact odds_mono lo (sub_pos.mpr hp1)
  · rw [show 1 - p' - ε = 1 - (p' + ε) by ring]
    exact odds_mono hi h2'

end AttentionQueries
