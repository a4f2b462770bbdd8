import AttentionQueries.Algebra.List
import AttentionQueries.Algebra.Sum

/-! # The Cauchy system: partial fractions with distinct poles are independent

A sum `∑ b / (1 + ρ z)` of `n` partial fractions in `ρ` that vanishes at `n` points has weight zero at every pole that
occurs only once. This is the nonsingularity of Cauchy's matrix, proved by eliminating one pole at a time.

## Main definitions

* `cauchySum ρ l`: the value at `ρ` of the partial fractions with the poles and weights `(z, b)` of the list `l`.
* `down n`: the list `[n - 1, …, 0]`, from which points and tests are made.

## Main statements

* `cauchy_one`: the weight of a pole that differs from all others vanishes.
* `cauchy`: if all poles differ, all weights vanish.
-/

namespace AttentionQueries
open CommRing OrderedField

/-! ## A list of distinct natural numbers -/

/-- `[n - 1, …, 0]`. -/
def down : Nat → List Nat
  | 0 => []
  | n + 1 => n :: down n

/-- The members of `down n` are smaller than `n`. -/
theorem mem_down {n k : Nat} : k ∈ down n → k < n := by
  induction n with
  | zero => exact fun h => nomatch h
  | succ n ih =>
    intro h
    rcases List.mem_cons.mp h with rfl | h
    · exact Nat.lt_succ_self _
    · exact Nat.lt_succ_of_lt (ih h)

/-- `down n` has `n` members. -/
theorem length_down : ∀ n, (down n).length = n
  | 0 => rfl
  | n + 1 => congrArg Nat.succ (length_down n)

/-- The members of `down n` are distinct. -/
theorem down_distinct : ∀ n, (down n).Pairwise fun a b => a ≠ b
  | 0 => .nil
  | n + 1 => List.pairwise_cons.mpr
      ⟨fun _ hk e => Nat.lt_irrefl _ (Nat.lt_of_lt_of_le (mem_down hk) (Nat.le_of_eq e)), down_distinct n⟩

/-! ## Partial fractions -/
variable {K : Type} [OrderedField K]

/-- `∑ b / (1 + ρ z)` over a list of pairs `(z, b)`. -/
def cauchySum (ρ : K) (l : List (K × K)) : K := listSum l fun p => p.2 * (1 + ρ * p.1)⁻¹

/-- At `ρ = 0` the weights are added. -/
theorem cauchySum_zero (l : List (K × K)) : cauchySum 0 l = listSum l Prod.snd :=
  listSum_congr fun p _ => by
    have h := mul_inv (1 : K) fun e => zero_ne_one e.symm
    rw [one_mul] at h
    rw [zero_mul, add_zero, h, mul_one]

/-- One elimination step: the weight of the pole `w` is multiplied by `(w - z) / (1 + ρ w)`. -/
private def elim (z ρ : K) (p : K × K) : K × K := (p.1, p.2 * ((p.1 - z) * (1 + ρ * p.1)⁻¹))

/-- Two values of a sum of partial fractions, and one value of the sum with the pole `z` eliminated. -/
private theorem cauchySum_elim {ρ σ : K} (z : K) (l : List (K × K)) (hρ : ∀ p ∈ l, 1 + ρ * p.1 ≠ 0)
    (hσ : ∀ p ∈ l, 1 + σ * p.1 ≠ 0) :
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
    show (1 + σ * z) * (p.2 * (1 + σ * p.1)⁻¹ + cauchySum σ l)
        - (1 + ρ * z) * (p.2 * (1 + ρ * p.1)⁻¹ + cauchySum ρ l) =
      (ρ - σ) * (p.2 * ((p.1 - z) * (1 + ρ * p.1)⁻¹) * (1 + σ * p.1)⁻¹ + cauchySum σ (l.map (elim z ρ)))
    lin_comb (1) key + (1) ih

/-- **Cauchy's lemma for one pole.** If `∑ b / (1 + ρ z) = 0` for at least as many distinct `ρ` as there are pairs
`(z, b)`, no denominator being zero, then the weight of a pole that is none of the others (which may coincide among
themselves) vanishes. -/
theorem cauchy_one : ∀ (rs : List K) (l : List (K × K)) (p : K × K), l.length + 1 ≤ rs.length →
    (∀ ρ ∈ rs, ∀ q ∈ p :: l, 1 + ρ * q.1 ≠ 0) → (∀ q ∈ l, p.1 ≠ q.1) → rs.Pairwise (fun a b => a ≠ b) →
    (∀ ρ ∈ rs, cauchySum ρ (p :: l) = 0) → p.2 = 0
  | [], _, _, hlen, _, _, _, _ => absurd hlen (Nat.not_succ_le_zero _)
  | ρ :: rs, [], p, _, hd, _, _, hs => by
    have h := hs ρ List.mem_cons_self
    rw [cauchySum, listSum_cons, listSum_nil, add_zero] at h
    exact (mul_eq_zero h).resolve_right (inv_ne_zero (hd ρ List.mem_cons_self p List.mem_cons_self))
  | ρ :: rs, q :: l, p, hlen, hd, hz, hr, hs => by
    rw [List.pairwise_cons] at hr
    have hdρ := hd ρ List.mem_cons_self
    have h0 : (elim q.1 ρ p).2 = 0 := by
      refine cauchy_one rs (l.map (elim q.1 ρ)) (elim q.1 ρ p) ?_ ?_ ?_ hr.2 ?_
      · rw [List.length_map]; exact Nat.le_of_succ_le_succ hlen
      · intro σ hσ w hw
        rw [← List.map_cons] at hw
        obtain ⟨w', hw', rfl⟩ := List.mem_map.mp hw
        refine hd σ (List.mem_cons_of_mem ρ hσ) w' ?_
        rcases List.mem_cons.mp hw' with rfl | hw'
        · exact List.mem_cons_self
        · exact List.mem_cons_of_mem _ (List.mem_cons_of_mem _ hw')
      · intro w hw
        obtain ⟨w', hw', rfl⟩ := List.mem_map.mp hw
        exact hz w' (List.mem_cons_of_mem q hw')
      · intro σ hσ
        have h := cauchySum_elim q.1 (p :: q :: l) hdρ (hd σ (List.mem_cons_of_mem ρ hσ))
        rw [hs ρ List.mem_cons_self, hs σ (List.mem_cons_of_mem ρ hσ), mul_zero, mul_zero, sub_self] at h
        have h2 := (mul_eq_zero h.symm).resolve_left fun e => hr.1 σ hσ (sub_eq_zero.mp e)
        have h3 : cauchySum σ ((p :: q :: l).map (elim q.1 ρ)) =
          (elim q.1 ρ p).2 * (1 + σ * (elim q.1 ρ p).1)⁻¹ +
            (q.2 * ((q.1 - q.1) * (1 + ρ * q.1)⁻¹) * (1 + σ * q.1)⁻¹ + cauchySum σ (l.map (elim q.1 ρ))) := rfl
        rw [h3] at h2
        show (elim q.1 ρ p).2 * (1 + σ * (elim q.1 ρ p).1)⁻¹ + cauchySum σ (l.map (elim q.1 ρ)) = 0
        lin_comb (1) h2
    exact (mul_eq_zero h0).resolve_right (mul_ne_zero (fun h => hz q List.mem_cons_self (sub_eq_zero.mp h))
      (inv_ne_zero (hdρ p List.mem_cons_self)))

/-- **Cauchy's lemma.** If `∑ b / (1 + ρ z) = 0` for at least as many distinct `ρ` as there are pairs `(z, b)`, the
poles `z` being distinct and no denominator zero, then all weights `b` vanish. -/
theorem cauchy (rs : List K) (l : List (K × K)) (hlen : l.length ≤ rs.length)
    (hd : ∀ ρ ∈ rs, ∀ p ∈ l, 1 + ρ * p.1 ≠ 0) (hz : l.Pairwise fun p q => p.1 ≠ q.1)
    (hr : rs.Pairwise fun a b => a ≠ b) (hs : ∀ ρ ∈ rs, cauchySum ρ l = 0) : ∀ p ∈ l, p.2 = 0 := by
  intro p hp
  obtain ⟨m, hm⟩ := perm_of_mem hp
  refine cauchy_one rs m p (Nat.le_trans (Nat.le_of_eq (List.Perm.length_eq hm).symm) hlen)
    (fun ρ hρ q hq => hd ρ hρ q ((List.Perm.mem_iff hm).mpr hq))
    (List.pairwise_cons.mp (perm_pairwise (fun _ _ h e => h e.symm) hm hz)).1 hr fun ρ hρ => ?_
  rw [cauchySum, ← listSum_perm hm]
  exact hs ρ hρ

end AttentionQueries
