import AttentionQueries.Algebra.Sum

/-! # The Cauchy system: partial fractions with distinct poles are independent -/

namespace AttentionQueries
open CommRing OrderedField

variable {K : Type} [OrderedField K]

/-- `∑ b / (1 + ρ z)` over a list of pairs `(z, b)` -/
def cauchySum (ρ : K) (l : List (K × K)) : K := listSum l fun p => p.2 * (1 + ρ * p.1)⁻¹

/-- one elimination step: the weight of the pole `w` is multiplied by `(w - z) / (1 + ρ w)` -/
def elim (z ρ : K) (p : K × K) : K × K := (p.1, p.2 * ((p.1 - z) * (1 + ρ * p.1)⁻¹))

theorem cauchySum_elim {ρ σ : K} (z : K) (l : List (K × K)) (hρ : ∀ p ∈ l, 1 + ρ * p.1 ≠ 0) (hσ : ∀ p ∈ l, 1 + σ * p.1 ≠ 0) :
    (1 + σ * z) * cauchySum σ l - (1 + ρ * z) * cauchySum ρ l = (ρ - σ) * cauchySum σ (l.map (elim z ρ)) := by
  induction l with
  | nil => show (1 + σ * z) * 0 - (1 + ρ * z) * 0 = (ρ - σ) * 0; ring
  | cons p l ih =>
    have ih := ih (fun q hq => hρ q (List.mem_cons_of_mem p hq)) (fun q hq => hσ q (List.mem_cons_of_mem p hq))
    have h1 := mul_inv _ (hρ p List.mem_cons_self)
    have h2 := mul_inv _ (hσ p List.mem_cons_self)
    -- the scalar identity behind the step
    have key : (1 + σ * z) * (p.2 * (1 + σ * p.1)⁻¹) - (1 + ρ * z) * (p.2 * (1 + ρ * p.1)⁻¹)
        = (ρ - σ) * (p.2 * ((p.1 - z) * (1 + ρ * p.1)⁻¹) * (1 + σ * p.1)⁻¹) := by
      generalize (1 + ρ * p.1)⁻¹ = i at *
      generalize (1 + σ * p.1)⁻¹ = j at *
      lin_comb (-p.2 * (1 + σ * z) * j) h1 + (p.2 * (1 + ρ * z) * i) h2
    show (1 + σ * z) * (p.2 * (1 + σ * p.1)⁻¹ + cauchySum σ l) - (1 + ρ * z) * (p.2 * (1 + ρ * p.1)⁻¹ + cauchySum ρ l) =
      (ρ - σ) * (p.2 * ((p.1 - z) * (1 + ρ * p.1)⁻¹) * (1 + σ * p.1)⁻¹ + cauchySum σ (l.map (elim z ρ)))
    lin_comb (1) key + (1) ih

/-- **Cauchy lemma.** If `∑ b/(1 + ρ z) = 0` for at least as many distinct `ρ` as there are pairs, the poles `z` being
distinct and the denominators nonzero, then all `b` vanish. -/
theorem cauchy (rs : List K) : ∀ l : List (K × K), l.length ≤ rs.length →
    (∀ ρ ∈ rs, ∀ p ∈ l, 1 + ρ * p.1 ≠ 0) → l.Pairwise (fun p q => p.1 ≠ q.1) → rs.Pairwise (fun a b => a ≠ b) →
    (∀ ρ ∈ rs, cauchySum ρ l = 0) → ∀ p ∈ l, p.2 = 0 := by
  induction rs with
  | nil =>
    intro l hlen _ _ _ _ p hp
    cases l with
    | nil => cases hp
    | cons q l => simp at hlen
  | cons ρ rs ih =>
    intro l hlen hd hz hr hs
    cases l with
    | nil => intro p hp; cases hp
    | cons q l =>
      rw [List.pairwise_cons] at hz hr
      have hdρ := hd ρ List.mem_cons_self
      have hl : ∀ p ∈ l, (elim q.1 ρ p).2 = 0 := by
        intro p hp
        refine ih (l.map (elim q.1 ρ)) (by simpa using hlen) ?_ (List.pairwise_map.mpr hz.2) hr.2 ?_ _
          (List.mem_map.mpr ⟨p, hp, rfl⟩)
        · intro σ hσ p hp
          obtain ⟨w, hw, rfl⟩ := List.mem_map.mp hp
          exact hd σ (List.mem_cons_of_mem ρ hσ) w (List.mem_cons_of_mem q hw)
        · intro σ hσ
          have h := cauchySum_elim q.1 (q :: l) hdρ (hd σ (List.mem_cons_of_mem ρ hσ))
          rw [hs ρ List.mem_cons_self, hs σ (List.mem_cons_of_mem ρ hσ), mul_zero, mul_zero, sub_self] at h
          have h2 := (mul_eq_zero h.symm).resolve_left fun e => hr.1 σ hσ (sub_eq_zero.mp e)
          -- the pole `q` has been eliminated
          have h3 : cauchySum σ ((q :: l).map (elim q.1 ρ)) =
            q.2 * ((q.1 - q.1) * (1 + ρ * q.1)⁻¹) * (1 + σ * q.1)⁻¹ + cauchySum σ (l.map (elim q.1 ρ)) := rfl
          rw [h3] at h2
          lin_comb (1) h2
      have hl0 : ∀ p ∈ l, p.2 = 0 := fun p hp =>
        (mul_eq_zero (hl p hp)).resolve_right (mul_ne_zero (fun h => hz.1 p hp (sub_eq_zero.mp h).symm)
          (inv_ne_zero (hdρ p (List.mem_cons_of_mem q hp))))
      have hq0 : q.2 = 0 := by
        have h := hs ρ List.mem_cons_self
        rw [cauchySum, listSum_cons, listSum_zero (fun p hp => by rw [hl0 p hp, zero_mul]), add_zero] at h
        exact (mul_eq_zero h).resolve_right (inv_ne_zero (hdρ q List.mem_cons_self))
      intro p hp
      rcases List.mem_cons.mp hp with rfl | hp
      · exact hq0
      · exact hl0 p hp

end AttentionQueries
