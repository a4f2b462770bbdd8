import AttentionQueries.Noise
import AttentionQueries.Base2.Instance

/-! # The hypotheses of the noise theorems hold in the base2 `ℤ, ℚ, 2 ^ s` -/

namespace AttentionQueries
open CommRing OrderedField

theorem base2_one_lt : (1 : Rational) < base2.exp 1 := show FractionField.Pos (base2.exp 1 - 1) from (by decide : (0 : Int) < 1)
theorem base2_one_lt_nat (n : Nat) : (1 : Rational) < base2.exp ((n : Int) + 1) := by
  induction n with
  | zero => exact base2_one_lt
  | succ n ih =>
    rw [show ((n + 1 : Nat) : Int) + 1 = ((n : Int) + 1) + 1 from rfl, base2.exp_add]
    have h := OrderedField.mul_pos _ _ (sub_pos.mpr ih) (sub_pos.mpr base2_one_lt)
    exact lt_cert (add_pos h (add_pos (sub_pos.mpr ih) (sub_pos.mpr base2_one_lt))) (by ring)
theorem base2_mono (s t : Int) (h : s < t) : base2.exp s < base2.exp t := by
  obtain ⟨n, hn⟩ : ∃ n : Nat, t = s + ((n : Int) + 1) := by
    obtain ⟨n, hn⟩ := Int.le.dest (Int.add_one_le_iff.mpr h)
    exact ⟨n, by rw [← hn]; ring⟩
  rw [hn, base2.exp_add]
  exact lt_cert (mul_pos _ _ (base2.exp_pos s) (sub_pos.mpr (base2_one_lt_nat n))) (by ring)

/-- the interval theorem in the base2 -/
example {d : Nat} (W : Mat Int d) (v : Vec Rational d) (u q : Vec Int d) {f' g' h' τ p' ε : Rational} {lo hi : Int}
    (hf : abs (f' - base2.eval W v (Semantics.copies 1 0 u q) q) ≤ τ) (hg : abs (g' - base2.eval W v [] q) ≤ τ)
    (hh : abs (h' - base2.eval W v [] (q + u)) ≤ τ) (hD : h' - g' ≠ 0)
    (hp' : p' = (f' - g') / (h' - g')) (hε : ε = (τ + τ) / abs (h' - g')) (h1 : ε < p') (h2 : ε < 1 - p')
    (hlo : natCast 1 * base2.exp lo ≤ (p' - ε) / (1 - p' + ε) * natCast 1)
    (hhi : (p' + ε) / (1 - p' - ε) * natCast 1 ≤ natCast 1 * base2.exp hi) : lo ≤ score W u q ∧ score W u q ≤ hi := by
  obtain ⟨a, b⟩ := base2.score_mem_interval base2_mono W v 0 0 u q hf hg hh hD hp' hε h1 h2 hlo hhi
  exact ⟨Int.not_lt.mp a, Int.not_lt.mp b⟩

end AttentionQueries
