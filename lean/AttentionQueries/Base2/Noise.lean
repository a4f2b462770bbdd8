import AttentionQueries.Base2.Instance
import AttentionQueries.Noise.Interval

/-! # The hypotheses of the noise theorems hold in base 2 -/

namespace AttentionQueries
open CommRing OrderedField

/-- The interval theorem in base 2: there the order of the scores is that of the integers. -/
theorem base2_score_mem_interval {d : Nat} (W : Mat Int d) (v : Vec Rational d) (k n : Nat) (u q : Vec Int d)
    {f' g' h' τ p' ε : Rational} {lo hi : Int}
    (hf : abs (f' - base2.eval W v (Semantics.copies (k + 1) n u q) q) ≤ τ) (hg : abs (g' - base2.eval W v [] q) ≤ τ)
    (hh : abs (h' - base2.eval W v [] (q + u)) ≤ τ) (hD : h' - g' ≠ 0)
    (hp' : p' = (f' - g') / (h' - g')) (hε : ε = (τ + τ) / abs (h' - g')) (h1 : ε < p') (h2 : ε < 1 - p')
    (hlo : natCast (k + 1) * base2.exp lo ≤ (p' - ε) / (1 - p' + ε) * natCast (n + 1))
    (hhi : (p' + ε) / (1 - p' - ε) * natCast (n + 1) ≤ natCast (k + 1) * base2.exp hi) :
    lo ≤ score W u q ∧ score W u q ≤ hi := by
  obtain ⟨a, b⟩ := base2.score_mem_interval (fun _ _ => base2_exp_lt) W v k n u q hf hg hh hD hp' hε h1 h2 hlo hhi
  exact ⟨Int.not_lt.mp a, Int.not_lt.mp b⟩

end AttentionQueries
