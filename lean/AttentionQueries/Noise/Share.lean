import AttentionQueries.Algebra.Order
import AttentionQueries.SingleHead.Formulas

/-! # Noise: the error of the attention share

On `k` copies of `x` and `m` copies of the query token `q` a head outputs `f = g + p (h - g)`, where `g = ⟨v, q⟩` and
`h = ⟨v, x⟩` are its outputs on `[q]` and `[x]`, and the share `p` is the total weight of the copies of `x`. From
answers `f', g', h'` with errors at most `τ` the share is estimated by `(f' - g') / (h' - g')`.

## Main definitions

* `Semantics.share`: the share `k eˢ / (k eˢ + m)`.

## Main statements

* `share_error`: the error of the estimate is at most `2τ / |h' - g'|`; `share_error_attained`: it can be that large.
* `share_error_of_div`: the same for the share written as a quotient.
* `Semantics.share_odds`: the odds `p / (1 - p)` of the share are `(k / m) eˢ`, cross-multiplied.

## References

The bound is that of the robustness theorem of arXiv 2601.16873 (Theorem 6.1, v2 numbering as reported); that it is
sharp is ours. -/

namespace AttentionQueries
open CommRing OrderedField

section
variable {K : Type} [OrderedField K]

/-- The error of the numerator, for a share `p` written without division: `δ_f - (1 - p) δ_g - p δ_h`. -/
private theorem numerator_error {f g h f' g' h' p : K} (hp : f = g + p * (h - g)) :
    f' - g' - p * (h' - g') = (f' - f) - (1 - p) * (g' - g) - p * (h' - h) := by
  lin_comb (1) hp

/-- **Error of the share.** If `f = g + p (h - g)` with `0 ≤ p ≤ 1`, and the answers `f', g', h'` are within `τ` of
`f, g, h`, then `(f' - g') / (h' - g')` is within `2τ / |h' - g'|` of `p`. -/
theorem share_error {f g h f' g' h' p τ : K} (hf : abs (f' - f) ≤ τ) (hg : abs (g' - g) ≤ τ) (hh : abs (h' - h) ≤ τ)
    (h0 : 0 ≤ p) (h1 : p ≤ 1) (hp : f = g + p * (h - g)) (hD : h' - g' ≠ 0) :
    abs ((f' - g') / (h' - g') - p) ≤ (τ + τ) / abs (h' - g') := by
  rw [le_div_iff (abs_pos hD), ← abs_mul]
  have e : ((f' - g') / (h' - g') - p) * (h' - g') = (f' - f) - (1 - p) * (g' - g) - p * (h' - h) := by
    rw [← numerator_error hp]
    lin_comb (1) (div_mul_cancel (f' - g') hD)
  rw [e]
  have h1' := sub_nonneg.mpr h1
  obtain ⟨f1, f2⟩ := abs_le.mp hf
  obtain ⟨g1, g2⟩ := abs_le.mp hg
  obtain ⟨k1, k2⟩ := abs_le.mp hh
  rw [← sub_nonneg] at f1 f2 g1 g2 k1 k2
  exact abs_le.mpr
    ⟨le_cert (add_nonneg (add_nonneg f1 (mul_nonneg h1' g2)) (mul_nonneg h0 k2)) (by ring),
     le_cert (add_nonneg (add_nonneg f2 (mul_nonneg h1' g1)) (mul_nonneg h0 k1)) (by ring)⟩

/-- The error of the share, for the share as a quotient strictly between zero and one. -/
theorem share_error_of_div {f g h f' g' h' τ : K} (hf : abs (f' - f) ≤ τ) (hg : abs (g' - g) ≤ τ)
    (hh : abs (h' - h) ≤ τ) (hd : h - g ≠ 0) (h0 : 0 ≤ (f - g) / (h - g)) (h1 : (f - g) / (h - g) ≤ 1)
    (hD : h' - g' ≠ 0) : abs ((f' - g') / (h' - g') - (f - g) / (h - g)) ≤ (τ + τ) / abs (h' - g') :=
  share_error hf hg hh h0 h1 (by have := div_mul_cancel (f - g) hd; lin_comb (-1) this) hD

/-- **The bound is attained**, for every share and every tolerance: answer `τ` too high to `f`, `τ` too low to `g` and
`h`. -/
theorem share_error_attained {f g h p τ : K} (hp : f = g + p * (h - g)) (hd : h - g ≠ 0) (hτ : 0 ≤ τ) :
    ∃ f' g' h', abs (f' - f) ≤ τ ∧ abs (g' - g) ≤ τ ∧ abs (h' - h) ≤ τ ∧ h' - g' ≠ 0 ∧
      abs ((f' - g') / (h' - g') - p) = (τ + τ) / abs (h' - g') := by
  have ht : -τ ≤ τ := le_cert (add_nonneg hτ hτ) (by ring)
  have e : h - τ - (g - τ) = h - g := by ring
  refine ⟨f + τ, g - τ, h - τ, ?_, ?_, ?_, by rw [e]; exact hd, ?_⟩
  · rw [show f + τ - f = τ by ring]; exact abs_le.mpr ⟨ht, le_refl τ⟩
  · rw [show g - τ - g = -τ by ring]; exact abs_le.mpr ⟨le_refl _, ht⟩
  · rw [show h - τ - h = -τ by ring]; exact abs_le.mpr ⟨le_refl _, ht⟩
  · rw [e]
    symm
    rw [div_eq_iff (abs_ne hd), ← abs_mul]
    have e : ((f + τ - (g - τ)) / (h - g) - p) * (h - g) = τ + τ := by
      lin_comb (1) (div_mul_cancel (f + τ - (g - τ)) hd) + (1) hp
    rw [e, abs_of_nonneg (add_nonneg hτ hτ)]

end

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- The share of `k` copies of `q + u` against `n + 1` copies of `q`. -/
def Semantics.share (W : Mat R d) (k n : Nat) (u q : Vec R d) : K :=
  (natCast k * S.exp (score W u q)) / (natCast k * S.exp (score W u q) + natCast (n + 1))

/-- The odds of the share, cross-multiplied. -/
theorem Semantics.share_odds (W : Mat R d) (k n : Nat) (u q : Vec R d) :
    S.share W k n u q * natCast (n + 1) = (1 - S.share W k n u q) * (natCast k * S.exp (score W u q)) := by
  have h := div_mul_cancel (natCast k * S.exp (score W u q)) (pos_ne (S.den_pos (k := k) (n := n) (score W u q)))
  rw [← Semantics.share] at h
  lin_comb (1) h

/-- The share lies between zero and one; there is always a copy of the query token. -/
theorem Semantics.share_bounds (W : Mat R d) (k n : Nat) (u q : Vec R d) :
    0 ≤ S.share W k n u q ∧ S.share W k n u q < 1 := by
  have hpos := S.den_pos (k := k) (n := n) (score W u q)
  have h := div_mul_cancel (natCast k * S.exp (score W u q)) (pos_ne hpos)
  rw [← Semantics.share] at h
  have h0 : (0 : K) ≤ natCast k * S.exp (score W u q) := by
    cases k with
    | zero => rw [natCast_zero, zero_mul]; exact le_refl _
    | succ k => exact le_of_lt (mul_pos _ _ (natCast_pos k) (S.exp_pos _))
  refine ⟨(le_div_iff hpos).mpr (by rw [zero_mul]; exact h0), lt_of_not_le fun h1 => ?_⟩
  have h2 := mul_le_mul_right (le_of_lt hpos) h1
  rw [h, one_mul] at h2
  exact h2 (lt_cert (natCast_pos n) (by ring))

end

end AttentionQueries
