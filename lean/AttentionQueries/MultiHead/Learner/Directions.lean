import AttentionQueries.MultiHead.Cauchy
import AttentionQueries.Algebra.List

/-! # The exact count behind one direction: `2 H - 1` values determine `H` poles and residues

With `k` copies of `q + u` and `m` copies of the query token `q`, the output of several heads is
`const + ∑ b / (1 + ρ z)` at `ρ = m / k`: the poles `z = exp (-s)` carry the scores of the heads in the direction
`(u, q)`, the residues `b = ⟨v, u⟩` their values. Both `const` (the value at `ρ = ∞`) and `∑ b` (the value at `ρ = 0`,
less `const`) are read off length-1 queries. What is left to ask are values of the sum
`cauchySum ρ l = ∑ b / (1 + ρ z)`.

## Main definitions
- `ReducedPoles`: positive and pairwise distinct poles, nonzero residues.

## Main statements
- `poles_determined`: two such sums with at most `H` terms each, the same `∑ b` and the same values at `2 H - 1`
  distinct positive `ρ` have the same poles and residues, up to order.
- `poles_not_determined`: for every `H ≥ 1`, any `2 H - 2` positive `ρ` and any `2 H` poles there are two such sums,
  one on the first `H` and one on the last `H` poles, with the same `∑ b` and the same values: the count is exact.
- `poles_sum_needed`, `poles_const_needed`, `poles_distinct_needed`, `poles_ne_zero_needed`: the conditions are
  needed.

## References
* arXiv 2601.16873 (v2) leaves the learning of several heads open.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {K : Type} [OrderedField K]

/-- A list of pairs (pole `z`, residue `b`) in normal form: the poles are positive and pairwise distinct, the residues
nonzero. -/
structure ReducedPoles (l : List (K × K)) : Prop where
  /-- the poles are positive -/
  pos : ∀ p ∈ l, 0 < p.1
  /-- no pole occurs twice -/
  distinct : l.Pairwise fun p q => p.1 ≠ q.1
  /-- every pole is visible -/
  ne_zero : ∀ p ∈ l, p.2 ≠ 0

private theorem one_add_zero_mul_inv (z : K) : (1 + 0 * z)⁻¹ = 1 := by
  have h := mul_inv (1 : K) fun e => zero_ne_one e.symm
  rw [one_mul] at h
  rw [zero_mul, add_zero, h]

private theorem one_add_mul_ne {ρ z : K} (hρ : ρ = 0 ∨ 0 < ρ) (hz : 0 < z) : 1 + ρ * z ≠ 0 := by
  rcases hρ with rfl | hρ
  · rw [zero_mul, add_zero]
    exact fun e => zero_ne_one e.symm
  · exact pos_ne (add_pos one_pos (mul_pos _ _ hρ hz))

private def negPoles (l : List (K × K)) : List (K × K) := l.map fun p => (p.1, -p.2)
private theorem cauchySum_negPoles (ρ : K) (l : List (K × K)) : cauchySum ρ (negPoles l) = -cauchySum ρ l := by
  rw [negPoles, cauchySum, listSum_map, cauchySum]
  rw [show -listSum l (fun p => p.2 * (1 + ρ * p.1)⁻¹) = -1 * listSum l (fun p => p.2 * (1 + ρ * p.1)⁻¹) by ring,
    ← listSum_mul]
  exact listSum_congr fun p _ => by ring
private theorem cauchySum_append (ρ : K) (l m : List (K × K)) : cauchySum ρ (l ++ m) = cauchySum ρ l + cauchySum ρ m :=
  listSum_append l m _
private theorem cauchySum_cons (ρ : K) (p : K × K) (l : List (K × K)) :
    cauchySum ρ (p :: l) = p.2 * (1 + ρ * p.1)⁻¹ + cauchySum ρ l := rfl

/-- the pole of `p` is none of those in `m`: its residue vanishes with the sum at `0` and at `|m|` further points -/
private theorem residue_eq_zero {p : K × K} {m : List (K × K)} {rs : List K} (hlen : m.length ≤ rs.length)
    (hpos : ∀ ρ ∈ rs, 0 < ρ) (hrs : rs.Pairwise fun a b => a ≠ b) (hp : 0 < p.1) (hm : ∀ q ∈ m, 0 < q.1 ∧ p.1 ≠ q.1)
    (h : ∀ ρ, (ρ = 0 ∨ ρ ∈ rs) → cauchySum ρ (p :: m) = 0) : p.2 = 0 := by
  refine cauchy_one (0 :: rs) m p (Nat.succ_le_succ hlen) ?_ (fun q hq => (hm q hq).2) ?_ ?_
  · intro ρ hρ q hq
    refine one_add_mul_ne ?_ ?_
    · rcases List.mem_cons.mp hρ with h | h
      · exact .inl h
      · exact .inr (hpos ρ h)
    · rcases List.mem_cons.mp hq with rfl | hq
      · exact hp
      · exact (hm q hq).1
  · refine List.pairwise_cons.mpr ⟨fun ρ hρ e => ?_, hrs⟩
    have := hpos ρ hρ
    rw [← e] at this
    exact lt_irrefl _ this
  · intro ρ hρ
    exact h ρ (List.mem_cons.mp hρ)

private theorem mem_negPoles {l : List (K × K)} {q : K × K} (h : q ∈ negPoles l) : ∃ p ∈ l, p.1 = q.1 := by
  obtain ⟨p, hp, rfl⟩ := List.mem_map.mp h
  exact ⟨p, hp, rfl⟩
private theorem length_negPoles (l : List (K × K)) : (negPoles l).length = l.length := List.length_map _

/-- one half of `poles_determined` -/
private theorem mem_of_values {l l' : List (K × K)} (hl : ReducedPoles l) (hl' : ReducedPoles l') {rs : List K}
    (hlen : l.length + l'.length ≤ rs.length + 1) (hpos : ∀ ρ ∈ rs, 0 < ρ) (hrs : rs.Pairwise fun a b => a ≠ b)
    (h : ∀ ρ, (ρ = 0 ∨ ρ ∈ rs) → cauchySum ρ l = cauchySum ρ l') {p : K × K} (hp : p ∈ l) : p ∈ l' := by
  obtain ⟨l₁, h₁⟩ := perm_of_mem hp
  have hd₁ := (List.pairwise_cons.mp (perm_pairwise (fun _ _ hab e => hab e.symm) h₁ hl.distinct)).1
  have hpos₁ : ∀ q ∈ l₁, 0 < q.1 := fun q hq =>
    hl.pos q ((List.Perm.mem_iff (List.Perm.symm h₁)).mp (List.mem_cons_of_mem p hq))
  rw [List.Perm.length_eq h₁, List.length_cons] at hlen
  by_cases hz : ∃ p' ∈ l', p'.1 = p.1
  · obtain ⟨p', hp', e⟩ := hz
    obtain ⟨l₂, h₂⟩ := perm_of_mem hp'
    have hd₂ := (List.pairwise_cons.mp (perm_pairwise (fun _ _ hab e => hab e.symm) h₂ hl'.distinct)).1
    have hpos₂ : ∀ q ∈ l₂, 0 < q.1 := fun q hq =>
      hl'.pos q ((List.Perm.mem_iff (List.Perm.symm h₂)).mp (List.mem_cons_of_mem p' hq))
    have hb : p.2 - p'.2 = 0 := by
      refine residue_eq_zero (p := (p.1, p.2 - p'.2)) (m := l₁ ++ negPoles l₂) ?_ hpos hrs (hl.pos p hp) ?_ ?_
      · rw [List.length_append, length_negPoles]
        rw [List.Perm.length_eq h₂, List.length_cons, Nat.succ_add, Nat.add_succ] at hlen
        exact Nat.le_of_succ_le (Nat.le_of_succ_le_succ hlen)
      · intro q hq
        rcases List.mem_append.mp hq with hq | hq
        · exact ⟨hpos₁ q hq, hd₁ q hq⟩
        · obtain ⟨q', hq', eq⟩ := mem_negPoles hq
          rw [← eq]
          refine ⟨hpos₂ q' hq', ?_⟩
          show p.1 ≠ q'.1
          rw [← e]
          exact hd₂ q' hq'
      · intro ρ hρ
        have hv := h ρ hρ
        rw [cauchySum, listSum_perm h₁, cauchySum, listSum_perm h₂] at hv
        have hv : p.2 * (1 + ρ * p.1)⁻¹ + cauchySum ρ l₁ = p'.2 * (1 + ρ * p'.1)⁻¹ + cauchySum ρ l₂ := hv
        rw [e] at hv
        rw [cauchySum_cons, cauchySum_append, cauchySum_negPoles]
        lin_comb (1) hv
    rw [show p = p' from Prod.ext e.symm (sub_eq_zero.mp hb)]
    exact hp'
  · refine absurd ?_ (hl.ne_zero p hp)
    refine residue_eq_zero (m := l₁ ++ negPoles l') ?_ hpos hrs (hl.pos p hp) ?_ ?_
    · rw [List.length_append, length_negPoles]
      rw [Nat.succ_add] at hlen
      exact Nat.le_of_succ_le_succ hlen
    · intro q hq
      rcases List.mem_append.mp hq with hq | hq
      · exact ⟨hpos₁ q hq, hd₁ q hq⟩
      · obtain ⟨q', hq', eq⟩ := mem_negPoles hq
        rw [← eq]
        exact ⟨hl'.pos q' hq', fun e => hz ⟨q', hq', e.symm⟩⟩
    · intro ρ hρ
      have hv := h ρ hρ
      rw [cauchySum, listSum_perm h₁] at hv
      have hv : p.2 * (1 + ρ * p.1)⁻¹ + cauchySum ρ l₁ = cauchySum ρ l' := hv
      rw [cauchySum_cons, cauchySum_append, cauchySum_negPoles]
      lin_comb (1) hv

private theorem perm_of_subset {α : Type} : ∀ {l m : List α}, l.Pairwise (fun a b => a ≠ b) → m.Pairwise (fun a b =>
    a ≠ b) →
    (∀ a ∈ l, a ∈ m) → (∀ a ∈ m, a ∈ l) → l.Perm m
  | [], [], _, _, _, _ => .nil
  | [], b :: _, _, _, _, h => nomatch h b List.mem_cons_self
  | a :: l, m, hl, hm, h, h' => by
    obtain ⟨m', hp⟩ := perm_of_mem (h a List.mem_cons_self)
    have hm' := List.pairwise_cons.mp (perm_pairwise (fun _ _ hab e => hab e.symm) hp hm)
    rw [List.pairwise_cons] at hl
    refine .trans (.cons a (perm_of_subset hl.2 hm'.2 (fun b hb => ?_) fun b hb => ?_)) hp.symm
    · rcases List.mem_cons.mp ((List.Perm.mem_iff hp).mp (h b (List.mem_cons_of_mem a hb))) with rfl | hb'
      · exact absurd rfl (hl.1 b hb)
      · exact hb'
    · rcases List.mem_cons.mp (h' b ((List.Perm.mem_iff hp).mpr (List.mem_cons_of_mem a hb))) with rfl | hb'
      · exact absurd rfl (hm'.1 b hb)
      · exact hb'

omit [OrderedField K] in
private theorem nodup_of_poles {l : List (K × K)} (h : l.Pairwise fun p q => p.1 ≠ q.1) : l.Pairwise fun p q => p ≠ q :=
  h.imp fun hne e => hne (congrArg Prod.fst e)

/-- **The exact count behind one direction.** Two sums `∑ b / (1 + ρ z)` with positive distinct poles and nonzero
residues, with the same sum of residues (the value at `ρ = 0`) and the same values at distinct positive `ρ`, one fewer
than the two sums have terms together, have the same poles and residues up to order. For at most `H` terms each these
are `2 H - 1` values. -/
theorem poles_determined {l l' : List (K × K)} (hl : ReducedPoles l) (hl' : ReducedPoles l') {rs : List K}
    (hlen : l.length + l'.length ≤ rs.length + 1) (hpos : ∀ ρ ∈ rs, 0 < ρ) (hrs : rs.Pairwise fun a b => a ≠ b)
    (hsum : listSum l Prod.snd = listSum l' Prod.snd) (h : ∀ ρ ∈ rs, cauchySum ρ l = cauchySum ρ l') : l.Perm l' := by
  have hv : ∀ ρ, (ρ = 0 ∨ ρ ∈ rs) → cauchySum ρ l = cauchySum ρ l' := by
    rintro ρ (rfl | hρ)
    · rw [cauchySum_zero, cauchySum_zero, hsum]
    · exact h ρ hρ
  exact perm_of_subset (nodup_of_poles hl.distinct) (nodup_of_poles hl'.distinct)
    (fun p hp => mem_of_values hl hl' hlen hpos hrs hv hp)
    fun p hp => mem_of_values hl' hl (by rw [Nat.add_comm]; exact hlen) hpos hrs (fun ρ hρ => (hv ρ hρ).symm) hp

/-! ## the count cannot be lowered, the conditions cannot be dropped -/

/-- undoing an elimination step: weights `c (1 + ρ w) / (w - z)` at the poles `w` -/
private theorem cauchySum_lift {ρ σ z : K} (c : List (K × K)) (hρ : ∀ p ∈ c, 1 + ρ * p.1 ≠ 0)
    (hσ : ∀ p ∈ c, 1 + σ * p.1 ≠ 0) (hz : ∀ p ∈ c, p.1 - z ≠ 0) :
    (1 + σ * z) * cauchySum σ (c.map fun p => (p.1, p.2 * ((1 + ρ * p.1) * (p.1 - z)⁻¹))) -
      (1 + ρ * z) * cauchySum ρ (c.map fun p => (p.1, p.2 * ((1 + ρ * p.1) * (p.1 - z)⁻¹))) =
    (ρ - σ) * cauchySum σ c := by
  induction c with
  | nil => show (1 + σ * z) * 0 - (1 + ρ * z) * 0 = (ρ - σ) * 0; ring
  | cons p c ih =>
    have ih := ih (fun q hq => hρ q (List.mem_cons_of_mem p hq)) (fun q hq => hσ q (List.mem_cons_of_mem p hq))
      fun q hq => hz q (List.mem_cons_of_mem p hq)
    have h1 := mul_inv _ (hρ p List.mem_cons_self)
    have h2 := mul_inv _ (hσ p List.mem_cons_self)
    have h3 := mul_inv _ (hz p List.mem_cons_self)
    simp only [List.map_cons, cauchySum_cons]
    generalize cauchySum σ (c.map fun p => (p.1, p.2 * ((1 + ρ * p.1) * (p.1 - z)⁻¹))) = F at *
    generalize cauchySum ρ (c.map fun p => (p.1, p.2 * ((1 + ρ * p.1) * (p.1 - z)⁻¹))) = G at *
    generalize (1 + ρ * p.1)⁻¹ = i at *
    generalize (1 + σ * p.1)⁻¹ = k at *
    generalize (p.1 - z)⁻¹ = j at *
    lin_comb (1) ih + (-(p.2 * j * (1 + ρ * z))) h1 + (p.2 * j * (1 + ρ * z)) h2 + ((ρ - σ) * p.2 * k) h3

/-- For any `n + 1` distinct poles and `n` distinct points there are nonzero residues with which the sum vanishes at
all the points. -/
theorem exists_vanishing : ∀ (rs zs : List K), zs.length = rs.length + 1 → (∀ ρ ∈ rs, ∀ z ∈ zs, 1 + ρ * z ≠ 0) →
    zs.Pairwise (fun a b => a ≠ b) → rs.Pairwise (fun a b => a ≠ b) →
    ∃ l : List (K × K), l.map Prod.fst = zs ∧ (∀ p ∈ l, p.2 ≠ 0) ∧ ∀ ρ ∈ rs, cauchySum ρ l = 0
  | [], [z], _, _, _, _ => ⟨[(z, 1)], rfl, fun p hp => by
      rw [List.mem_singleton.mp hp]; exact fun e => zero_ne_one e.symm, fun _ h => nomatch h⟩
  | _, [], h, _, _, _ => absurd h.symm (Nat.succ_ne_zero _)
  | [], _ :: _ :: _, h, _, _, _ => absurd (Nat.succ.inj h) (Nat.succ_ne_zero _)
  | ρ :: rs, z :: zs, hlen, hne, hz, hr => by
    rw [List.pairwise_cons] at hz hr
    obtain ⟨c, hc, hc0, hcs⟩ := exists_vanishing rs zs (Nat.succ.inj hlen)
      (fun σ hσ w hw => hne σ (List.mem_cons_of_mem ρ hσ) w (List.mem_cons_of_mem z hw)) hz.2 hr.2
    have hw : ∀ p ∈ c, p.1 ∈ zs := fun p hp => by rw [← hc]; exact List.mem_map.mpr ⟨p, hp, rfl⟩
    have hρ : ∀ p ∈ c, 1 + ρ * p.1 ≠ 0 := fun p hp => hne ρ List.mem_cons_self _ (List.mem_cons_of_mem z (hw p hp))
    have hpz : ∀ p ∈ c, p.1 - z ≠ 0 := fun p hp e => hz.1 p.1 (hw p hp) (sub_eq_zero.mp e).symm
    -- undo the elimination of the pole `z`
    obtain ⟨l, hl⟩ : ∃ l, l = c.map fun p => (p.1, p.2 * ((1 + ρ * p.1) * (p.1 - z)⁻¹)) := ⟨_, rfl⟩
    have hmem : ∀ p ∈ l, ∃ q ∈ c, p = (q.1, q.2 * ((1 + ρ * q.1) * (q.1 - z)⁻¹)) := fun p hp => by
      rw [hl] at hp
      obtain ⟨q, hq, rfl⟩ := List.mem_map.mp hp
      exact ⟨q, hq, rfl⟩
    have hl0 : ∀ p ∈ l, p.2 ≠ 0 := fun p hp => by
      obtain ⟨q, hq, rfl⟩ := hmem p hp
      exact mul_ne_zero (hc0 q hq) (mul_ne_zero (hρ q hq) (inv_ne_zero (hpz q hq)))
    have hlz : l.map Prod.fst = zs := by
      rw [hl, List.map_map]
      exact hc
    have hzρ := hne ρ List.mem_cons_self z List.mem_cons_self
    have h0 : cauchySum ρ ((z, -(1 + ρ * z) * cauchySum ρ l) :: l) = 0 := by
      rw [cauchySum_cons]
      show -(1 + ρ * z) * cauchySum ρ l * (1 + ρ * z)⁻¹ + cauchySum ρ l = 0
      have h1 := mul_inv _ hzρ
      generalize (1 + ρ * z)⁻¹ = i at *
      lin_comb (-cauchySum ρ l) h1
    have hs : ∀ σ ∈ rs, cauchySum σ ((z, -(1 + ρ * z) * cauchySum ρ l) :: l) = 0 := by
      intro σ hσ
      have e := cauchySum_lift (z := z) c hρ
        (fun p hp => hne σ (List.mem_cons_of_mem ρ hσ) _ (List.mem_cons_of_mem z (hw p hp))) hpz
      rw [← hl, hcs σ hσ] at e
      have h1 := mul_inv _ (hne σ (List.mem_cons_of_mem ρ hσ) z List.mem_cons_self)
      rw [cauchySum_cons]
      show -(1 + ρ * z) * cauchySum ρ l * (1 + σ * z)⁻¹ + cauchySum σ l = 0
      generalize (1 + σ * z)⁻¹ = k at *
      lin_comb (k) e + (-cauchySum σ l) h1
    refine ⟨(z, -(1 + ρ * z) * cauchySum ρ l) :: l, by rw [List.map_cons, hlz], ?_, ?_⟩
    · intro p hp
      rcases List.mem_cons.mp hp with rfl | hp
      · -- if this residue vanished, the others would too
        intro e
        have hlen' : l.length = rs.length + 1 := by
          have := congrArg List.length hlz
          rw [List.length_map] at this
          rw [this]
          exact Nat.succ.inj hlen
        have hall : ∀ p ∈ l, p.2 = 0 := by
          have he : -(1 + ρ * z) * cauchySum ρ l = 0 := e
          refine cauchy (ρ :: rs) l (Nat.le_of_eq hlen') ?_ ?_ (List.pairwise_cons.mpr hr) ?_
          · intro τ hτ p hp
            obtain ⟨q, hq, rfl⟩ := hmem p hp
            exact hne τ hτ _ (List.mem_cons_of_mem z (hw q hq))
          · exact List.pairwise_map.mp (by rw [hlz]; exact hz.2)
          · intro τ hτ
            have h1 : cauchySum τ ((z, -(1 + ρ * z) * cauchySum ρ l) :: l) = 0 := by
              rcases List.mem_cons.mp hτ with rfl | hτ
              · exact h0
              · exact hs τ hτ
            rw [cauchySum_cons, he] at h1
            lin_comb (1) h1
        cases l with
        | nil => exact Nat.succ_ne_zero _ hlen'.symm
        | cons p l => exact hl0 p List.mem_cons_self (hall p List.mem_cons_self)
      · exact hl0 p hp
    · intro τ hτ
      rcases List.mem_cons.mp hτ with rfl | hτ
      · exact h0
      · exact hs τ hτ

omit [OrderedField K] in
private theorem split_poles : ∀ {l : List (K × K)} {zs zs' : List K}, l.map Prod.fst = zs ++ zs' →
    ∃ l₁ l₂, l = l₁ ++ l₂ ∧ l₁.map Prod.fst = zs ∧ l₂.map Prod.fst = zs'
  | l, [], _, h => ⟨[], l, rfl, rfl, h⟩
  | [], _ :: _, _, h => nomatch h
  | p :: l, z :: zs, zs', h => by
    rw [List.map_cons, List.cons_append] at h
    injection h with h1 h2
    obtain ⟨l₁, l₂, e, e1, e2⟩ := split_poles h2
    exact ⟨p :: l₁, l₂, by rw [e, List.cons_append], by rw [List.map_cons, h1, e1], e2⟩

/-- the two halves of a vanishing sum, one of them negated -/
private theorem exists_pair {zs zs' rs : List K} (hlen : zs.length + zs'.length = rs.length + 1)
    (hz : ∀ z ∈ zs ++ zs', 0 < z) (hd : (zs ++ zs').Pairwise fun a b => a ≠ b) (hpos : ∀ ρ ∈ rs, ρ = 0 ∨ 0 < ρ)
    (hrs : rs.Pairwise fun a b => a ≠ b) : ∃ l l' : List (K × K), ReducedPoles l ∧ ReducedPoles l' ∧
      l.map Prod.fst = zs ∧ l'.map Prod.fst = zs' ∧ ∀ ρ ∈ rs, cauchySum ρ l = cauchySum ρ l' := by
  obtain ⟨c, hc, hc0, hcs⟩ := exists_vanishing rs (zs ++ zs') (by rw [List.length_append, hlen])
    (fun ρ hρ z hz' => one_add_mul_ne (hpos ρ hρ) (hz z hz')) hd hrs
  obtain ⟨l, l', e, e1, e2⟩ := split_poles hc
  have hcd : c.Pairwise fun p q => p.1 ≠ q.1 := List.pairwise_map.mp (by rw [hc]; exact hd)
  have hcp : ∀ p ∈ c, 0 < p.1 := fun p hp => hz _ (by rw [← hc]; exact List.mem_map.mpr ⟨p, hp, rfl⟩)
  rw [e] at hc0 hcs hcd hcp
  rw [List.pairwise_append] at hcd
  refine ⟨l, negPoles l', ⟨fun p hp => hcp p (List.mem_append.mpr (.inl hp)), hcd.1,
    fun p hp => hc0 p (List.mem_append.mpr (.inl hp))⟩, ⟨?_, ?_, ?_⟩, e1, ?_, ?_⟩
  · intro p hp
    obtain ⟨q, hq, eq⟩ := mem_negPoles hp
    rw [← eq]
    exact hcp q (List.mem_append.mpr (.inr hq))
  · exact List.pairwise_map.mpr hcd.2.1
  · intro p hp
    obtain ⟨q, hq, rfl⟩ := List.mem_map.mp hp
    intro e
    have e : -q.2 = 0 := e
    exact hc0 q (List.mem_append.mpr (.inr hq)) (by lin_comb (-1) e)
  · rw [negPoles, List.map_map]
    exact e2
  · intro ρ hρ
    have := hcs ρ hρ
    rw [cauchySum_append] at this
    rw [cauchySum_negPoles]
    lin_comb (1) this

/-- **The count cannot be lowered.** Given `2 H` distinct positive poles, split into `zs` and `zs'`, and `2 H - 2`
distinct positive `ρ`, there are nonzero residues on `zs` and on `zs'` with the same sum and with the same value at
each of these `ρ`: one value fewer than in `poles_determined` does not determine a single pole, for any number of
terms and any choice of the `ρ`. -/
theorem poles_not_determined {zs zs' rs : List K} (hlen : zs.length + zs'.length = rs.length + 2)
    (hz : ∀ z ∈ zs ++ zs', 0 < z) (hd : (zs ++ zs').Pairwise fun a b => a ≠ b) (hpos : ∀ ρ ∈ rs, 0 < ρ)
    (hrs : rs.Pairwise fun a b => a ≠ b) : ∃ l l' : List (K × K), ReducedPoles l ∧ ReducedPoles l' ∧
      l.map Prod.fst = zs ∧ l'.map Prod.fst = zs' ∧ listSum l Prod.snd = listSum l' Prod.snd ∧
      ∀ ρ ∈ rs, cauchySum ρ l = cauchySum ρ l' := by
  obtain ⟨l, l', hl, hl', e, e', h⟩ := exists_pair (rs := 0 :: rs) hlen hz hd
    (fun ρ hρ => (List.mem_cons.mp hρ).elim .inl fun hρ => .inr (hpos ρ hρ))
    (List.pairwise_cons.mpr ⟨fun ρ hρ e => lt_irrefl (0 : K) (by have := hpos ρ hρ; rwa [← e] at this), hrs⟩)
  refine ⟨l, l', hl, hl', e, e', ?_, fun ρ hρ => h ρ (List.mem_cons_of_mem 0 hρ)⟩
  have := h 0 List.mem_cons_self
  rwa [cauchySum_zero, cauchySum_zero] at this

/-- Without the sum of the residues, `2 H - 1` values are not enough either. -/
theorem poles_sum_needed {zs zs' rs : List K} (hlen : zs.length + zs'.length = rs.length + 1)
    (hz : ∀ z ∈ zs ++ zs', 0 < z) (hd : (zs ++ zs').Pairwise fun a b => a ≠ b) (hpos : ∀ ρ ∈ rs, 0 < ρ)
    (hrs : rs.Pairwise fun a b => a ≠ b) : ∃ l l' : List (K × K), ReducedPoles l ∧ ReducedPoles l' ∧
      l.map Prod.fst = zs ∧ l'.map Prod.fst = zs' ∧ ∀ ρ ∈ rs, cauchySum ρ l = cauchySum ρ l' :=
  exists_pair hlen hz hd (fun ρ hρ => .inr (hpos ρ hρ)) hrs

/-- Without the constant, the sum of the residues and one value (`H = 1`) are not enough: two responses
`c + b / (1 + ρ z)` with different poles agree at `0` and at `ρ`. -/
theorem poles_const_needed {z z' ρ : K} (hz : 0 < z) (hz' : 0 < z') (hne : z ≠ z') (hρ : 0 < ρ) :
    ∃ c c' b b' : K, b ≠ 0 ∧ b' ≠ 0 ∧ c + cauchySum 0 [(z, b)] = c' + cauchySum 0 [(z', b')] ∧
      c + cauchySum ρ [(z, b)] = c' + cauchySum ρ [(z', b')] := by
  have h0 : ρ ≠ 0 := pos_ne hρ
  have hne' : ∀ σ ∈ [0, ρ], ∀ w ∈ [0, z, z'], 1 + σ * w ≠ 0 := by
    intro σ hσ w hw
    have hσ' : σ = 0 ∨ 0 < σ := (List.mem_cons.mp hσ).elim .inl fun h =>
        .inr (by rw [List.mem_singleton.mp h]; exact hρ)
    rcases List.mem_cons.mp hw with rfl | hw
    · rw [mul_zero, add_zero]
      exact fun e => zero_ne_one e.symm
    · refine one_add_mul_ne hσ' ?_
      rcases List.mem_cons.mp hw with rfl | hw
      · exact hz
      · rw [List.mem_singleton.mp hw]; exact hz'
  have hzs : [0, z, z'].Pairwise fun a b => a ≠ b := by
    refine List.pairwise_cons.mpr ⟨fun w hw e => ?_, List.pairwise_cons.mpr ⟨fun w hw => ?_, ?_⟩⟩
    · rcases List.mem_cons.mp hw with rfl | hw
      · exact pos_ne hz e.symm
      · rw [List.mem_singleton.mp hw] at e; exact pos_ne hz' e.symm
    · rw [List.mem_singleton.mp hw]; exact hne
    · exact List.pairwise_cons.mpr ⟨fun _ h => (nomatch h), .nil⟩
  have hrs : [0, ρ].Pairwise fun a b => a ≠ b := by
    refine List.pairwise_cons.mpr ⟨fun σ hσ e => ?_, List.pairwise_cons.mpr ⟨fun _ h => (nomatch h), .nil⟩⟩
    rw [List.mem_singleton.mp hσ] at e
    exact h0 e.symm
  obtain ⟨l, hl, hl0, hv⟩ := exists_vanishing [0, ρ] [0, z, z'] rfl hne' hzs hrs
  · obtain ⟨⟨w0, c⟩, l, rfl⟩ : ∃ p l', l = p :: l' := by
      cases l with
      | nil => cases hl
      | cons p l => exact ⟨p, l, rfl⟩
    rw [List.map_cons] at hl
    injection hl with e0 hl
    obtain ⟨⟨w1, b⟩, l, rfl⟩ : ∃ p l', l = p :: l' := by
      cases l with
      | nil => cases hl
      | cons p l => exact ⟨p, l, rfl⟩
    rw [List.map_cons] at hl
    injection hl with e1 hl
    obtain ⟨⟨w2, b'⟩, l, rfl⟩ : ∃ p l', l = p :: l' := by
      cases l with
      | nil => cases hl
      | cons p l => exact ⟨p, l, rfl⟩
    rw [List.map_cons] at hl
    injection hl with e2 hl
    have hnil : l = [] := by
      cases l with
      | nil => rfl
      | cons p l => cases hl
    have e0 : w0 = 0 := e0
    have e1 : w1 = z := e1
    have e2 : w2 = z' := e2
    subst e0 e1 e2 hnil
    have hb' : b' ≠ 0 := hl0 (w2, b') (List.mem_cons_of_mem _ (List.mem_cons_of_mem _ List.mem_cons_self))
    refine ⟨c, 0, b, -b', hl0 (w1, b) (List.mem_cons_of_mem _ List.mem_cons_self),
      fun e => hb' (by lin_comb (-1) e), ?_, ?_⟩
    · have h := hv 0 List.mem_cons_self
      simp only [cauchySum, listSum_cons, listSum_nil, one_add_zero_mul_inv] at h ⊢
      lin_comb (1) h
    · have h := hv ρ (List.mem_cons_of_mem _ List.mem_cons_self)
      have h1 : (1 + ρ * (0 : K))⁻¹ = 1 := by rw [mul_comm, one_add_zero_mul_inv]
      simp only [cauchySum, listSum_cons, listSum_nil, h1] at h ⊢
      lin_comb (1) h
/-- Equal poles cannot be told apart: their residues only matter through the sum (heads with the same score in the
direction merge). -/
theorem poles_distinct_needed (z b b' ρ : K) : cauchySum ρ [(z, b), (z, b')] = cauchySum ρ [(z, b + b')] := by
  simp only [cauchySum, listSum_cons, listSum_nil]
  ring

/-- A pole with residue `0` is invisible (a head with `⟨v, u⟩ = 0` does not show in the direction `u`). -/
theorem poles_ne_zero_needed (z z' ρ : K) : cauchySum ρ [(z, 0)] = cauchySum ρ [(z', 0)] := by
  simp only [cauchySum, listSum_cons, listSum_nil, zero_mul]

end AttentionQueries
