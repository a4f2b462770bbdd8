import AttentionQueries.Algebra.Field
import AttentionQueries.Algebra.Matrix
import AttentionQueries.SingleHead.Formulas

/-! # Labelled scores from a linear system: one question a head

Once the heads are known in one direction `(y, q)`, as weights `w = exp (yᵀ W q)` and residues `a = ⟨v, y⟩`, the token
`q + y` labels them. A sequence of `p` copies of `q + u`, `k` copies of `q + y` and `m` copies of the query token `q`
has an answer that differs from the one without `q + u` by a multiple of `p`; the quotient, modulo `p`, is linear in
the unknown weights `E = exp (uᵀ W q)`:

`(f - f₀) / p ≡ ∑ E (b (m + k w) - a k w) / (m + k w)²`, `b = ⟨v, u⟩`.

So `H` such questions, one for each head, are a linear system for the weights modulo `p`, with the labels of the
anchor. The system is over a field without an order (the integers modulo `p`).

## Main definitions
- `linRow`: the coefficient `(b (m + k w) - a k w) / (m + k w)²`.
- `IsRingHom`: maps that respect sums, products and one.

## Main statements
- `confluent`: partial fractions with simple and double poles are independent on as many points as there are
  coefficients.
- `linRow_independent`, `linRow_independent_values`: any `2 H` multiplicities with distinct ratios determine the
  weights, and even the weights and the residues `b` together, if the anchor's weights are distinct and its residues
  nonzero.
- `exists_rows`: rows without a common kernel contain `H` rows without a common kernel; `exists_labelling_rows`: hence
  among any `2 H` multiplicities with distinct ratios there are `H` that suffice.
- `Semantics.divided_answer`: the congruence above; `labelled_unique`: the weights are the only solution of the
  system.
- `linRow_distinct_needed`, `linRow_ne_zero_needed`, `linRow_weight_needed`, `linRow_count_needed`: the conditions are
  needed.
-/

namespace AttentionQueries
open CommRing

/-! ## confluent Cauchy systems -/
section
variable {F : Type} [Field F]

private theorem mul_ne {a b : F} (ha : a ≠ 0) (hb : b ≠ 0) : a * b ≠ 0 := fun h => (Field.mul_eq_zero h).elim ha hb
private theorem inv_ne {a : F} (ha : a ≠ 0) : a⁻¹ ≠ 0 := fun h => by
  have := Field.mul_inv a ha
  rw [h, mul_zero] at this
  exact Field.zero_ne_one this

/-- Partial fractions with simple poles `(w, c)` and double poles `(w, c, e)` at `-w`:
`∑ c / (ρ + w) + ∑ (c / (ρ + w) + e / (ρ + w)²)`. -/
def confluentSum (ρ : F) (l : List (F × F)) (m : List (F × F × F)) : F :=
  listSum l (fun p => p.2 * (ρ + p.1)⁻¹) +
    listSum m fun p => p.2.1 * (ρ + p.1)⁻¹ + p.2.2 * ((ρ + p.1)⁻¹ * (ρ + p.1)⁻¹)

private def elim₁ (w ρ : F) (p : F × F) : F × F := (p.1, p.2 * ((p.1 - w) * (ρ + p.1)⁻¹))
private def elim₂ (w ρ : F) (p : F × F × F) : F × F × F :=
  (p.1, p.2.1 * ((p.1 - w) * (ρ + p.1)⁻¹) - p.2.2 * ((ρ + p.1)⁻¹ + (w - p.1) * ((ρ + p.1)⁻¹ * (ρ + p.1)⁻¹)),
    p.2.2 * ((p.1 - w) * (ρ + p.1)⁻¹))

/-- the elimination step at the pole `w` with the point `ρ`, for one simple pole -/
private theorem elim₁_eq {ρ σ w : F} {p : F × F} (hρ : ρ + p.1 ≠ 0) (hσ : σ + p.1 ≠ 0) :
    (σ + w) * (p.2 * (σ + p.1)⁻¹) - (ρ + w) * (p.2 * (ρ + p.1)⁻¹) =
      (σ - ρ) * ((elim₁ w ρ p).2 * (σ + (elim₁ w ρ p).1)⁻¹) := by
  have h1 := Field.mul_inv _ hρ
  have h2 := Field.mul_inv _ hσ
  show _ = (σ - ρ) * (p.2 * ((p.1 - w) * (ρ + p.1)⁻¹) * (σ + p.1)⁻¹)
  generalize (ρ + p.1)⁻¹ = i at *
  generalize (σ + p.1)⁻¹ = j at *
  lin_comb (-p.2 * (σ + w) * j) h1 + (p.2 * (ρ + w) * i) h2

/-- the same for a double pole -/
private theorem elim₂_eq {ρ σ w : F} {p : F × F × F} (hρ : ρ + p.1 ≠ 0) (hσ : σ + p.1 ≠ 0) :
    (σ + w) * (p.2.1 * (σ + p.1)⁻¹ + p.2.2 * ((σ + p.1)⁻¹ * (σ + p.1)⁻¹)) -
      (ρ + w) * (p.2.1 * (ρ + p.1)⁻¹ + p.2.2 * ((ρ + p.1)⁻¹ * (ρ + p.1)⁻¹)) =
    (σ - ρ) * ((elim₂ w ρ p).2.1 * (σ + (elim₂ w ρ p).1)⁻¹ +
      (elim₂ w ρ p).2.2 * ((σ + (elim₂ w ρ p).1)⁻¹ * (σ + (elim₂ w ρ p).1)⁻¹)) := by
  have hs := elim₁_eq (w := w) (p := (p.1, p.2.1)) hρ hσ
  have h1 := Field.mul_inv _ hρ
  have h2 := Field.mul_inv _ hσ
  have hs : (σ + w) * (p.2.1 * (σ + p.1)⁻¹) - (ρ + w) * (p.2.1 * (ρ + p.1)⁻¹) =
    (σ - ρ) * (p.2.1 * ((p.1 - w) * (ρ + p.1)⁻¹) * (σ + p.1)⁻¹) := hs
  show _ = (σ - ρ) * ((p.2.1 * ((p.1 - w) * (ρ + p.1)⁻¹) -
      p.2.2 * ((ρ + p.1)⁻¹ + (w - p.1) * ((ρ + p.1)⁻¹ * (ρ + p.1)⁻¹))) * (σ + p.1)⁻¹ +
    p.2.2 * ((p.1 - w) * (ρ + p.1)⁻¹) * ((σ + p.1)⁻¹ * (σ + p.1)⁻¹))
  generalize (ρ + p.1)⁻¹ = i at *
  generalize (σ + p.1)⁻¹ = j at *
  -- `i - j = (σ - ρ) i j`
  have hd : i - j = (σ - ρ) * (i * j) := by lin_comb (-i) h2 + (j) h1
  have e1 : (σ + w) * (p.2.2 * (j * j)) = p.2.2 * j + p.2.2 * ((w - p.1) * (j * j)) := by
    lin_comb (p.2.2 * j) h2
  have e2 : (ρ + w) * (p.2.2 * (i * i)) = p.2.2 * i + p.2.2 * ((w - p.1) * (i * i)) := by
    lin_comb (p.2.2 * i) h1
  lin_comb (1) hs + (1) e1 + (-1) e2 + (-p.2.2 - p.2.2 * (w - p.1) * (i + j)) hd

private theorem confluent_elim {ρ σ w : F} {l : List (F × F)} {m : List (F × F × F)}
    (hl : ∀ p ∈ l, ρ + p.1 ≠ 0 ∧ σ + p.1 ≠ 0) (hm : ∀ p ∈ m, ρ + p.1 ≠ 0 ∧ σ + p.1 ≠ 0) :
    (σ + w) * confluentSum σ l m - (ρ + w) * confluentSum ρ l m =
      (σ - ρ) * confluentSum σ (l.map (elim₁ w ρ)) (m.map (elim₂ w ρ)) := by
  have key : ∀ {α : Type} (l : List α) (f g h : α → F), (∀ p ∈ l, (σ + w) * f p - (ρ + w) * g p = (σ - ρ) * h p) →
      (σ + w) * listSum l f - (ρ + w) * listSum l g = (σ - ρ) * listSum l h := by
    intro α l f g h hp
    rw [← listSum_mul, ← listSum_mul, ← listSum_mul, ← listSum_congr hp]
    have := listSum_add l (fun p => (σ + w) * f p - (ρ + w) * g p) fun p => (ρ + w) * g p
    rw [listSum_congr (g := fun p => (σ + w) * f p) fun p _ => by ring] at this
    lin_comb (1) this
  have h1 := key l _ _ _ fun p hp => elim₁_eq (w := w) (hl p hp).1 (hl p hp).2
  have h2 := key m _ _ _ fun p hp => elim₂_eq (w := w) (hm p hp).1 (hm p hp).2
  rw [confluentSum, confluentSum, confluentSum, listSum_map, listSum_map]
  lin_comb (1) h1 + (1) h2

private theorem elim₁_zero {w ρ : F} {p : F × F} (hρ : ρ + p.1 ≠ 0) (hw : p.1 ≠ w)
    (h : (elim₁ w ρ p).2 = 0) : p.2 = 0 :=
  (Field.mul_eq_zero h).resolve_right (mul_ne (fun e => hw (sub_eq_zero.mp e)) (inv_ne hρ))
private theorem elim₂_zero {w ρ : F} {p : F × F × F} (hρ : ρ + p.1 ≠ 0) (hw : p.1 ≠ w)
    (h1 : (elim₂ w ρ p).2.1 = 0) (h2 : (elim₂ w ρ p).2.2 = 0) : p.2.1 = 0 ∧ p.2.2 = 0 := by
  have hne : (p.1 - w) * (ρ + p.1)⁻¹ ≠ 0 := mul_ne (fun e => hw (sub_eq_zero.mp e)) (inv_ne hρ)
  have e2 : p.2.2 = 0 := (Field.mul_eq_zero h2).resolve_right hne
  refine ⟨(Field.mul_eq_zero ?_).resolve_right hne, e2⟩
  have h1 : p.2.1 * ((p.1 - w) * (ρ + p.1)⁻¹) - p.2.2 * ((ρ + p.1)⁻¹ + (w - p.1) * ((ρ + p.1)⁻¹ * (ρ +
      p.1)⁻¹)) = 0 := h1
  rw [e2, zero_mul] at h1
  lin_comb (1) h1

/-- **Confluent Cauchy lemma.** Partial fractions with distinct simple and double poles that vanish at as many
distinct points as they have coefficients (one for a simple pole, two for a double pole) have only zero coefficients.
-/
theorem confluent : ∀ (rs : List F) (l : List (F × F)) (m : List (F × F × F)), l.length + 2 * m.length ≤ rs.length →
    (∀ ρ ∈ rs, ∀ p ∈ l, ρ + p.1 ≠ 0) → (∀ ρ ∈ rs, ∀ p ∈ m, ρ + p.1 ≠ 0) →
    l.Pairwise (fun p p' => p.1 ≠ p'.1) → m.Pairwise (fun p p' => p.1 ≠ p'.1) → (∀ p ∈ l, ∀ p' ∈ m, p.1 ≠ p'.1) →
    rs.Pairwise (fun a b => a ≠ b) → (∀ ρ ∈ rs, confluentSum ρ l m = 0) →
    (∀ p ∈ l, p.2 = 0) ∧ ∀ p ∈ m, p.2.1 = 0 ∧ p.2.2 = 0
  | _, [], [], _, _, _, _, _, _, _, _ => ⟨fun _ h => (nomatch h), fun _ h => (nomatch h)⟩
  | [], _ :: _, _, hlen, _, _, _, _, _, _, _ => by
    rw [List.length_cons, Nat.succ_add] at hlen
    exact absurd hlen (Nat.not_succ_le_zero _)
  | [], [], _ :: _, hlen, _, _, _, _, _, _, _ => by
    rw [List.length_cons, Nat.mul_succ, ← Nat.add_assoc] at hlen
    exact absurd hlen (Nat.not_succ_le_zero _)
  | ρ :: rs, x :: l, [], hlen, hl, _, hdl, _, _, hr, h => by
    rw [List.pairwise_cons] at hr hdl
    have hρ := hl ρ List.mem_cons_self
    have ih := confluent rs (l.map (elim₁ x.1 ρ)) [] (by
        rw [List.length_map]
        rw [List.length_cons, Nat.succ_add] at hlen
        exact Nat.le_of_succ_le_succ hlen)
      (fun σ hσ p hp => by
        obtain ⟨p', hp', rfl⟩ := List.mem_map.mp hp
        exact hl σ (List.mem_cons_of_mem ρ hσ) p' (List.mem_cons_of_mem x hp'))
      (fun _ _ _ hp => nomatch hp) (List.pairwise_map.mpr hdl.2) .nil (fun _ _ _ hp => nomatch hp) hr.2
      (fun σ hσ => by
        have e := confluent_elim (w := x.1) (l := x :: l) (m := []) (ρ := ρ) (σ := σ)
          (fun p hp => ⟨hρ p hp, hl σ (List.mem_cons_of_mem ρ hσ) p hp⟩) (fun _ hp => nomatch hp)
        rw [h ρ List.mem_cons_self, h σ (List.mem_cons_of_mem ρ hσ), mul_zero, mul_zero, sub_self] at e
        have e := (Field.mul_eq_zero e.symm).resolve_left fun e => hr.1 σ hσ (sub_eq_zero.mp e).symm
        have e : (x.2 * ((x.1 - x.1) * (ρ + x.1)⁻¹) * (σ + x.1)⁻¹ + listSum (l.map (elim₁ x.1 ρ)) fun p =>
            p.2 * (σ + p.1)⁻¹) +
          0 = 0 := e
        show (listSum (l.map (elim₁ x.1 ρ)) fun p => p.2 * (σ + p.1)⁻¹) + 0 = 0
        lin_comb (1) e)
    have hl0 : ∀ p ∈ l, p.2 = 0 := fun p hp =>
      elim₁_zero (hρ p (List.mem_cons_of_mem x hp)) (hdl.1 p hp).symm (ih.1 _ (List.mem_map.mpr ⟨p, hp, rfl⟩))
    refine ⟨fun p hp => ?_, fun _ hp => nomatch hp⟩
    rcases List.mem_cons.mp hp with rfl | hp
    · have e := h ρ List.mem_cons_self
      rw [confluentSum, listSum_cons, listSum_zero fun p hp => by rw [hl0 p hp, zero_mul], add_zero, listSum_nil,
          add_zero] at e
      exact (Field.mul_eq_zero e).resolve_right (inv_ne (hρ p List.mem_cons_self))
    · exact hl0 p hp
  | ρ :: rs, l, x :: m, hlen, hl, hm, hdl, hdm, hlm, hr, h => by
    rw [List.pairwise_cons] at hr hdm
    have hρl := hl ρ List.mem_cons_self
    have hρm := hm ρ List.mem_cons_self
    have hx := hρm x List.mem_cons_self
    have ih := confluent rs ((x.1, -(x.2.2 * (ρ + x.1)⁻¹)) :: l.map (elim₁ x.1 ρ)) (m.map (elim₂ x.1 ρ)) (by
        rw [List.length_cons, List.length_map, List.length_map]
        rw [List.length_cons, Nat.mul_succ, ← Nat.add_assoc] at hlen
        rw [Nat.succ_add]
        exact Nat.le_of_succ_le_succ hlen)
      (fun σ hσ p hp => by
        rcases List.mem_cons.mp hp with rfl | hp
        · exact hm σ (List.mem_cons_of_mem ρ hσ) x List.mem_cons_self
        · obtain ⟨p', hp', rfl⟩ := List.mem_map.mp hp
          exact hl σ (List.mem_cons_of_mem ρ hσ) p' hp')
      (fun σ hσ p hp => by
        obtain ⟨p', hp', rfl⟩ := List.mem_map.mp hp
        exact hm σ (List.mem_cons_of_mem ρ hσ) p' (List.mem_cons_of_mem x hp'))
      (List.pairwise_cons.mpr ⟨fun p hp => by
        obtain ⟨p', hp', rfl⟩ := List.mem_map.mp hp
        exact (hlm p' hp' x List.mem_cons_self).symm, List.pairwise_map.mpr hdl⟩) (List.pairwise_map.mpr hdm.2)
      (fun p hp p' hp' => by
        obtain ⟨y', hy', rfl⟩ := List.mem_map.mp hp'
        rcases List.mem_cons.mp hp with rfl | hp
        · exact hdm.1 y' hy'
        · obtain ⟨y, hy, rfl⟩ := List.mem_map.mp hp
          exact hlm y hy y' (List.mem_cons_of_mem x hy')) hr.2
      (fun σ hσ => by
        have e := confluent_elim (w := x.1) (l := l) (m := x :: m) (ρ := ρ) (σ := σ)
          (fun p hp => ⟨hρl p hp, hl σ (List.mem_cons_of_mem ρ hσ) p hp⟩)
          (fun p hp => ⟨hρm p hp, hm σ (List.mem_cons_of_mem ρ hσ) p hp⟩)
        rw [h ρ List.mem_cons_self, h σ (List.mem_cons_of_mem ρ hσ), mul_zero, mul_zero, sub_self] at e
        have e := (Field.mul_eq_zero e.symm).resolve_left fun e => hr.1 σ hσ (sub_eq_zero.mp e).symm
        rw [confluentSum, List.map_cons, listSum_cons] at e
        rw [confluentSum, listSum_cons]
        have e : (listSum (l.map (elim₁ x.1 ρ)) fun p => p.2 * (σ + p.1)⁻¹) +
          ((x.2.1 * ((x.1 - x.1) * (ρ + x.1)⁻¹) - x.2.2 * ((ρ + x.1)⁻¹ + (x.1 - x.1) * ((ρ + x.1)⁻¹ * (ρ +
              x.1)⁻¹))) * (σ + x.1)⁻¹ +
            x.2.2 * ((x.1 - x.1) * (ρ + x.1)⁻¹) * ((σ + x.1)⁻¹ * (σ + x.1)⁻¹) +
            listSum (m.map (elim₂ x.1 ρ)) fun p => p.2.1 * (σ + p.1)⁻¹ + p.2.2 * ((σ + p.1)⁻¹ * (σ + p.1)⁻¹)) = 0 := e
        show -(x.2.2 * (ρ + x.1)⁻¹) * (σ + x.1)⁻¹ + (listSum (l.map (elim₁ x.1 ρ)) fun p => p.2 * (σ + p.1)⁻¹) +
          (listSum (m.map (elim₂ x.1 ρ)) fun p => p.2.1 * (σ + p.1)⁻¹ + p.2.2 * ((σ + p.1)⁻¹ * (σ + p.1)⁻¹)) = 0
        lin_comb (1) e)
    have hl0 : ∀ p ∈ l, p.2 = 0 := fun p hp => elim₁_zero (hρl p hp) (hlm p hp x List.mem_cons_self)
      (ih.1 _ (List.mem_cons_of_mem _ (List.mem_map.mpr ⟨p, hp, rfl⟩)))
    have hm0 : ∀ p ∈ m, p.2.1 = 0 ∧ p.2.2 = 0 := fun p hp => by
      have e := ih.2 _ (List.mem_map.mpr ⟨p, hp, rfl⟩)
      exact elim₂_zero (hρm p (List.mem_cons_of_mem x hp)) (hdm.1 p hp).symm e.1 e.2
    have hx2 : x.2.2 = 0 := by
      have e : -(x.2.2 * (ρ + x.1)⁻¹) = 0 := ih.1 _ List.mem_cons_self
      have e : x.2.2 * (ρ + x.1)⁻¹ = 0 := by lin_comb (-1) e
      exact (Field.mul_eq_zero e).resolve_right (inv_ne hx)
    refine ⟨hl0, fun p hp => ?_⟩
    rcases List.mem_cons.mp hp with rfl | hp
    · have e := h ρ List.mem_cons_self
      rw [confluentSum, listSum_zero fun q hq => by rw [hl0 q hq, zero_mul], zero_add, listSum_cons,
        listSum_zero fun q hq => by rw [(hm0 q hq).1, (hm0 q hq).2, zero_mul, zero_mul, add_zero], add_zero, hx2,
            zero_mul,
        add_zero] at e
      exact ⟨(Field.mul_eq_zero e).resolve_right (inv_ne hx), hx2⟩
    · exact hm0 p hp
end

/-! ## the rows of the system -/
section
variable {F : Type} [Field F] {H : Nat}

/-- The coefficient of the weight of a head in one question: `(b (m + k w) - a k w) / (m + k w)²`. -/
def linRow (k m w a b : F) : F := (b * (m + k * w) - a * (k * w)) * ((m + k * w)⁻¹ * (m + k * w)⁻¹)

private theorem inv_mul {k x : F} (hx : k * x ≠ 0) : k * (k * x)⁻¹ = x⁻¹ := by
  have hx0 : x ≠ 0 := fun e => hx (by rw [e, mul_zero])
  have h1 := Field.mul_inv _ hx
  have h2 := Field.mul_inv _ hx0
  generalize (k * x)⁻¹ = i at *
  generalize x⁻¹ = j at *
  lin_comb (j) h1 + (-(k * i)) h2

private theorem ratios_distinct : ∀ {l : List (F × F)}, l.Pairwise (fun r r' => r.2 * r'.1 ≠ r'.2 * r.1) → (∀ r ∈ l,
    r.1 ≠ 0) →
    l.Pairwise fun r r' => r.2 * r.1⁻¹ ≠ r'.2 * r'.1⁻¹
  | [], _, _ => .nil
  | r :: l, hl, hk => by
    rw [List.pairwise_cons] at hl
    refine List.pairwise_cons.mpr ⟨fun r' hr' e => hl.1 r' hr' ?_,
      ratios_distinct hl.2 fun r hr => hk r (List.mem_cons_of_mem _ hr)⟩
    have h1 := Field.mul_inv _ (hk r List.mem_cons_self)
    have h2 := Field.mul_inv _ (hk r' (List.mem_cons_of_mem _ hr'))
    generalize (r.1)⁻¹ = i at *
    generalize (r'.1)⁻¹ = j at *
    lin_comb (r.1 * r'.1) e + (-(r.2 * r'.1)) h1 + (r'.2 * r.1) h2

/-- the coefficients of the simple and of the double poles vanish -/
private theorem coefficients_zero {w a s t : Vec F H} {rows : List (F × F)} (hlen : 2 * H ≤ rows.length)
    (hk : ∀ r ∈ rows, r.1 ≠ 0) (hden : ∀ r ∈ rows, ∀ h, r.2 + r.1 * w h ≠ 0)
    (hrat : rows.Pairwise fun r r' => r.2 * r'.1 ≠ r'.2 * r.1) (hw : ∀ h h', w h = w h' → h = h') (hw0 : ∀ h, w h ≠ 0)
    (hs : ∀ r ∈ rows, (finSum fun h => s h * (r.2 + r.1 * w h)⁻¹ -
      t h * (a h * (r.1 * w h) * ((r.2 + r.1 * w h)⁻¹ * (r.2 + r.1 * w h)⁻¹))) = 0) : ∀ h, s h = 0 ∧ t h * a h = 0 := by
  have hfac : ∀ r ∈ rows, ∀ h, r.2 + r.1 * w h = r.1 * (r.2 * r.1⁻¹ + w h) := fun r hr h => by
    lin_comb (-r.2) (Field.mul_inv _ (hk r hr))
  have key := confluent (rows.map fun r => r.2 * r.1⁻¹) [] ((List.finRange H).map fun h => (w h, s h,
      -(t h * (a h * w h))))
    (by rw [List.length_map, List.length_map,
        List.length_finRange]; exact Nat.le_trans (Nat.le_of_eq (Nat.zero_add _)) hlen)
    (fun _ _ _ hp => nomatch hp)
    (fun ρ hρ p hp => by
      obtain ⟨r, hr, rfl⟩ := List.mem_map.mp hρ
      obtain ⟨h, -, rfl⟩ := List.mem_map.mp hp
      intro e
      have e : r.2 * r.1⁻¹ + w h = 0 := e
      exact hden r hr h (by rw [hfac r hr h, e, mul_zero]))
    .nil (List.pairwise_map.mpr ((pairwise_ne_finRange H).imp fun hne e => hne (hw _ _ e))) (fun _ hp => nomatch hp)
    (List.pairwise_map.mpr (ratios_distinct hrat hk))
    (fun ρ hρ => by
      obtain ⟨r, hr, rfl⟩ := List.mem_map.mp hρ
      have e := hs r hr
      rw [confluentSum, listSum_nil, zero_add, listSum_map, ← finSum_eq_listSum]
      have e' : r.1 * (finSum fun h => s h * (r.2 + r.1 * w h)⁻¹ -
          t h * (a h * (r.1 * w h) * ((r.2 + r.1 * w h)⁻¹ * (r.2 + r.1 * w h)⁻¹))) = 0 := by rw [e, mul_zero]
      rw [← finSum_mul] at e'
      refine Eq.trans (congrArg finSum (funext fun h => ?_)) e'
      have hi := inv_mul (by rw [← hfac r hr h]; exact hden r hr h)
      rw [hfac r hr h]
      show s h * (r.2 * r.1⁻¹ + w h)⁻¹ + -(t h * (a h * w h)) * ((r.2 * r.1⁻¹ + w h)⁻¹ * (r.2 * r.1⁻¹ + w h)⁻¹) = _
      rw [← hi]
      ring)
  intro h
  have e := key.2 _ (List.mem_map.mpr ⟨h, List.mem_finRange h, rfl⟩)
  have e2 : -(t h * (a h * w h)) = 0 := e.2
  have e2 : t h * a h * w h = 0 := by lin_comb (-1) e2
  exact ⟨e.1, (Field.mul_eq_zero e2).resolve_right (hw0 h)⟩

/-- **The weights and the residues together.** Any `2 H` questions with distinct ratios `m / k` determine the products
`s = E b` and the weights `t = E`, if the weights of the anchor are distinct and nonzero and its residues nonzero: the
system `∑ s / (m + k w) - t a k w / (m + k w)²` has a trivial kernel. -/
theorem linRow_independent_values {w a s t : Vec F H} {rows : List (F × F)} (hlen : 2 * H ≤ rows.length)
    (hk : ∀ r ∈ rows, r.1 ≠ 0) (hden : ∀ r ∈ rows, ∀ h, r.2 + r.1 * w h ≠ 0)
    (hrat : rows.Pairwise fun r r' => r.2 * r'.1 ≠ r'.2 * r.1) (hw : ∀ h h', w h = w h' → h = h') (hw0 : ∀ h, w h ≠ 0)
    (ha : ∀ h, a h ≠ 0) (hs : ∀ r ∈ rows, (finSum fun h => s h * (r.2 + r.1 * w h)⁻¹ -
      t h * (a h * (r.1 * w h) * ((r.2 + r.1 * w h)⁻¹ * (r.2 + r.1 * w h)⁻¹))) = 0) : ∀ h, s h = 0 ∧ t h = 0 := fun h =>
  have e := coefficients_zero hlen hk hden hrat hw hw0 hs h
  ⟨e.1, (Field.mul_eq_zero e.2).resolve_right (ha h)⟩

/-- **The weights alone**, with known residues `b`: any `2 H` questions with distinct ratios determine them, if the
weights of the anchor are distinct and nonzero and no head has both residues `a` and `b` zero. -/
theorem linRow_independent {w a b t : Vec F H} {rows : List (F × F)} (hlen : 2 * H ≤ rows.length)
    (hk : ∀ r ∈ rows, r.1 ≠ 0) (hden : ∀ r ∈ rows, ∀ h, r.2 + r.1 * w h ≠ 0)
    (hrat : rows.Pairwise fun r r' => r.2 * r'.1 ≠ r'.2 * r.1) (hw : ∀ h h', w h = w h' → h = h') (hw0 : ∀ h, w h ≠ 0)
    (hab : ∀ h, a h ≠ 0 ∨ b h ≠ 0) (hs : ∀ r ∈ rows, (finSum fun h => linRow r.1 r.2 (w h) (a h) (b h) * t h) = 0) :
    t = 0 := by
  refine funext fun h => ?_
  have e := coefficients_zero (a := a) (s := fun h => b h * t h) (t := t) hlen hk hden hrat hw hw0 (fun r hr => ?_) h
  · rcases hab h with ha | hb
    · exact (Field.mul_eq_zero e.2).resolve_right ha
    · exact (Field.mul_eq_zero e.1).resolve_left hb
  refine Eq.trans (congrArg finSum (funext fun h => ?_)) (hs r hr)
  have h1 := Field.mul_inv _ (hden r hr h)
  unfold linRow
  generalize (r.2 + r.1 * w h)⁻¹ = i at *
  lin_comb (-(b h * t h * i)) h1

/-! ## choosing `H` rows -/

private theorem exists_preimage {α β : Type} (f : α → β) {l : List α} : ∀ {m : List β}, (∀ b ∈ m, b ∈ l.map f) →
    ∃ m' : List α, m'.map f = m ∧ ∀ a ∈ m', a ∈ l
  | [], _ => ⟨[], rfl, fun _ h => nomatch h⟩
  | b :: m, h => by
    obtain ⟨a, ha, rfl⟩ := List.mem_map.mp (h b List.mem_cons_self)
    obtain ⟨m', e, hm'⟩ := exists_preimage f fun b hb => h b (List.mem_cons_of_mem _ hb)
    refine ⟨a :: m', by rw [List.map_cons, e], fun a' ha' => ?_⟩
    rcases List.mem_cons.mp ha' with rfl | ha'
    · exact ha
    · exact hm' a' ha'

/-- **Choosing rows.** A list of rows with a trivial common kernel contains `n` rows, `n` the number of unknowns, with
a trivial common kernel. -/
theorem exists_rows : ∀ {n : Nat} (rows : List (Vec F n)), (∀ t : Vec F n, (∀ r ∈ rows, (finSum fun i =>
    r i * t i) = 0) → t = 0) →
    ∃ sub : List (Vec F n), sub.length = n ∧ (∀ r ∈ sub, r ∈ rows) ∧
      ∀ t : Vec F n, (∀ r ∈ sub, (finSum fun i => r i * t i) = 0) → t = 0
  | 0, _, _ => ⟨[], rfl, fun _ h => (nomatch h), fun _ _ => funext fun i => i.elim0⟩
  | n + 1, rows, hker => by
    obtain ⟨r, hr, hr0⟩ : ∃ r ∈ rows, r 0 ≠ 0 := by
      apply Classical.byContradiction
      intro hn
      refine Field.zero_ne_one (K := F) ?_
      have e := hker (basis 0) fun r hr => by
        rw [finSum_single 0 fun j hj => by rw [basis_ne hj, mul_zero], basis_self, mul_one]
        exact Classical.byContradiction fun h0 => hn ⟨r, hr, h0⟩
      rw [← basis_self (R := F) (0 : Fin (n + 1)), e]
      rfl
    have hinv := Field.mul_inv _ hr0
    -- the pivot row gives the first unknown
    have hfirst : ∀ t : Vec F n, (finSum fun i => r i * (Fin.cases (-(r 0)⁻¹ * finSum fun i =>
        r i.succ * t i) t i : F)) = 0 := fun t => by
      rw [finSum_succ]
      show r 0 * (-(r 0)⁻¹ * finSum fun i => r i.succ * t i) + (finSum fun i => r i.succ * t i) = 0
      lin_comb (-(finSum fun i => r i.succ * t i)) hinv
    obtain ⟨E, hE⟩ : ∃ E : Vec F (n + 1) → Vec F n, E = fun r' i => r' i.succ - r' 0 * (r 0)⁻¹ * r i.succ := ⟨_, rfl⟩
    have hEsum : ∀ (r' : Vec F (n + 1)) (t : Vec F (n + 1)), (finSum fun i => r i * t i) = 0 →
        (finSum fun i => E r' i * t i.succ) = finSum fun i => r' i * t i := fun r' t h => by
      rw [finSum_succ] at h ⊢
      rw [hE, show (fun i : Fin n => (r' i.succ - r' 0 * (r 0)⁻¹ * r i.succ) * t i.succ) =
        fun i => r' i.succ * t i.succ + -(r' 0 * (r 0)⁻¹) * (r i.succ * t i.succ) from funext fun i => by ring,
        finSum_add, finSum_mul]
      lin_comb (-(r' 0 * (r 0)⁻¹)) h + (r' 0 * t 0) hinv
    obtain ⟨sub, hlen, hsub, hk⟩ := exists_rows (rows.map E) fun t ht => by
      have e := hker (fun i => Fin.cases (-(r 0)⁻¹ * finSum fun i => r i.succ * t i) t i) fun r' hr' => by
        rw [← hEsum r' _ (hfirst t)]
        exact ht _ (List.mem_map.mpr ⟨r', hr', rfl⟩)
      exact funext fun i => congrFun e i.succ
    obtain ⟨sub', e, hsub'⟩ := exists_preimage E hsub
    refine ⟨r :: sub', ?_, fun r' hr' => ?_, fun t ht => ?_⟩
    · rw [← e, List.length_map] at hlen
      rw [List.length_cons, hlen]
    · rcases List.mem_cons.mp hr' with rfl | hr'
      · exact hr
      · exact hsub' r' hr'
    · have h0 := ht r List.mem_cons_self
      have hz : (fun i : Fin n => t i.succ) = 0 := hk _ fun r' hr' => by
        rw [← e] at hr'
        obtain ⟨r'', hr'', rfl⟩ := List.mem_map.mp hr'
        rw [hEsum r'' t h0]
        exact ht r'' (List.mem_cons_of_mem r hr'')
      refine funext fun i => ?_
      induction i using Fin.cases with
      | zero =>
        rw [finSum_succ, finSum_zero fun i => by rw [show t i.succ = 0 from congrFun hz i, mul_zero], add_zero] at h0
        exact (Field.mul_eq_zero h0).resolve_left hr0
      | succ i => exact congrFun hz i

/-- **`H` questions suffice.** Among any `2 H` multiplicities `(k, m)` with distinct ratios there are `H` whose system
determines the weights. -/
theorem exists_labelling_rows {w a b : Vec F H} {rows : List (F × F)} (hlen : 2 * H ≤ rows.length)
    (hk : ∀ r ∈ rows, r.1 ≠ 0) (hden : ∀ r ∈ rows, ∀ h, r.2 + r.1 * w h ≠ 0)
    (hrat : rows.Pairwise fun r r' => r.2 * r'.1 ≠ r'.2 * r.1) (hw : ∀ h h', w h = w h' → h = h') (hw0 : ∀ h, w h ≠ 0)
    (hab : ∀ h, a h ≠ 0 ∨ b h ≠ 0) : ∃ sub : List (F × F), sub.length = H ∧ (∀ r ∈ sub, r ∈ rows) ∧
      ∀ t : Vec F H, (∀ r ∈ sub, (finSum fun h => linRow r.1 r.2 (w h) (a h) (b h) * t h) = 0) → t = 0 := by
  obtain ⟨sub, hl, hs, hker⟩ := exists_rows (rows.map fun r h => linRow r.1 r.2 (w h) (a h) (b h)) fun t ht =>
    linRow_independent hlen hk hden hrat hw hw0 hab fun r hr => ht _ (List.mem_map.mpr ⟨r, hr, rfl⟩)
  obtain ⟨sub', e, hs'⟩ := exists_preimage _ hs
  refine ⟨sub', by rw [← hl, ← e, List.length_map], hs', fun t ht => hker t fun r hr => ?_⟩
  rw [← e] at hr
  obtain ⟨r', hr', rfl⟩ := List.mem_map.mp hr
  exact ht r' hr'

/-- **The labelled weights are the only solution** of the system of the chosen questions. -/
theorem labelled_unique {w a b : Vec F H} {sub : List (F × F)}
    (hker : ∀ t : Vec F H, (∀ r ∈ sub, (finSum fun h => linRow r.1 r.2 (w h) (a h) (b h) * t h) = 0) → t = 0)
        {t E : Vec F H}
    (h : ∀ r ∈ sub, (finSum fun h => linRow r.1 r.2 (w h) (a h) (b h) * t h) =
      finSum fun h => linRow r.1 r.2 (w h) (a h) (b h) * E h) : t = E := by
  refine funext fun i => sub_eq_zero.mp (congrFun (hker (fun h => t h - E h) fun r hr => ?_) i)
  have e := h r hr
  rw [show (fun h => linRow r.1 r.2 (w h) (a h) (b h) * (t h - E h)) = fun h => linRow r.1 r.2 (w h) (a h) (b h) * t h -
    linRow r.1 r.2 (w h) (a h) (b h) * E h from funext fun h => by ring, finSum_sub, e, sub_self]

/-- The weights of the anchor must be distinct: heads that the anchor does not tell apart (equal `w`, `a` and `b`) can
exchange any amount. -/
theorem linRow_distinct_needed (k m w a b c : F) :
    (finSum fun h : Fin 2 => linRow k m w a b * (Fin.cases c (fun _ => -c) h : F)) = 0 := by
  rw [finSum_succ, finSum_succ]
  show linRow k m w a b * c + (linRow k m w a b * -c + 0) = 0
  ring

/-- Weights must not vanish: with `w = 0` and `b = 0` the coefficient is zero, whatever `a`. -/
theorem linRow_weight_needed (k m a : F) : linRow k m 0 a 0 = 0 := by
  unfold linRow
  ring

/-- Fewer than `2 H` multiplicities do not suffice: for `H = 1`, whatever the pair `(k, m)`, there are residues for
which the coefficient is zero. -/
theorem linRow_count_needed (k m w : F) : linRow k m w (m + k * w) (k * w) = 0 := by
  unfold linRow
  ring

/-- A head with both residues zero contributes nothing. -/
theorem linRow_ne_zero_needed (k m w : F) : linRow k m w 0 0 = 0 := by
  unfold linRow
  ring
end

/-! ## where the rows come from -/

/-- A map between commutative rings that respects sums, products and one. -/
structure IsRingHom {A B : Type} [CommRing A] [CommRing B] (φ : A → B) : Prop where
  /-- sums -/
  map_add : ∀ x y, φ (x + y) = φ x + φ y
  /-- products -/
  map_mul : ∀ x y, φ (x * y) = φ x * φ y
  /-- one -/
  map_one : φ 1 = 1

namespace IsRingHom
variable {A B : Type} [CommRing A] [CommRing B] {φ : A → B} (h : IsRingHom φ)
include h
private theorem map_zero : φ 0 = 0 := by
  have e := h.map_add 0 0
  rw [add_zero] at e
  lin_comb (-1) e
private theorem map_neg (x : A) : φ (-x) = -φ x := by
  have e := h.map_add x (-x)
  rw [add_neg, h.map_zero] at e
  lin_comb (-1) e
private theorem map_sub (x y : A) : φ (x - y) = φ x - φ y := by rw [sub_def, h.map_add, h.map_neg, sub_def]
private theorem map_finSum : ∀ {n : Nat} (v : Vec A n), φ (finSum v) = finSum fun i => φ (v i)
  | 0, _ => h.map_zero
  | n + 1, v => by rw [finSum_succ, h.map_add, map_finSum fun i => v i.succ, finSum_succ]
private theorem map_natCast (n : Nat) : φ (natCast n) = natCast n := by
  induction n with
  | zero => exact h.map_zero
  | succ n ih => rw [natCast_succ, h.map_add, ih, h.map_one, natCast_succ]
end IsRingHom

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}
namespace Semantics
open OrderedField

/-- The context of `p` copies of `q + u`, `k` copies of `q + y` and `n` further copies of the query token `q`. -/
def labelledCopies (p k n : Nat) (u y q : Vec R d) : List (Vec R d) :=
  List.replicate p (q + u) ++ (List.replicate k (q + y) ++ List.replicate n q)

private theorem three_pos (p k n : Nat) (s t : R) : (0 : K) < natCast p * S.exp s + (natCast k * S.exp t +
    natCast (n + 1)) := by
  cases p with
  | zero => rw [natCast_zero, zero_mul, zero_add]; exact S.den_pos t
  | succ p => exact add_pos (mul_pos _ _ (natCast_pos p) (S.exp_pos s)) (S.den_pos t)

/-- The output of one head on copies of two tokens. -/
theorem eval_labelledCopies (W : Mat R d) (v : Vec K d) (p k n : Nat) (u y q : Vec R d) :
    S.eval W v (labelledCopies p k n u y q) q = S.inner v q +
      (natCast p * (S.exp (score W u q) * S.inner v u) + natCast k * (S.exp (score W y q) * S.inner v y)) /
        (natCast p * S.exp (score W u q) + (natCast k * S.exp (score W y q) + natCast (n + 1))) := by
  rw [eval_centred, contextWeight, labelledCopies]
  simp only [listSum_append, listSum_replicate, vadd_sub_cancel, vsub_self, score_zero, inner_zero, exp_zero,
      natCast_succ,
    mul_zero, add_zero, mul_one, add_assoc]

/-- **The answer, divided by the number of copies.** Let `A` be a ring of values (the `p`-integral ones) in which the
weights and residues `w`, `a` of the anchor token and `E`, `b` of the token asked lie and the denominators are
invertible, and let `φ` be a map from `A` to a field in which `p = 0`. Then the answer on `p` copies of `q + u`, `k`
copies of `q + y` and `m = n + 1` copies of `q` differs from the one predicted without `q + u` by `p` times an element
of `A`, whose image is the linear form `∑ linRow k m w a b · E`. -/
theorem divided_answer {A F : Type} [CommRing A] [Field F] {ι : A → K} {φ : A → F} (hι : IsRingHom ι)
    (hφ : IsRingHom φ) {H : Nat}
    (G : Fin H → Head R K d) (u y q : Vec R d) (p k n : Nat) (w a E b i j : Vec A H)
    (hw : ∀ h, ι (w h) = S.exp (score (G h).W y q)) (ha : ∀ h, ι (a h) = S.inner (G h).v y)
    (hE : ∀ h, ι (E h) = S.exp (score (G h).W u q)) (hb : ∀ h, ι (b h) = S.inner (G h).v u)
    (hi : ∀ h, (natCast (n + 1) + natCast k * w h) * i h = 1)
    (hj : ∀ h, (natCast p * E h + (natCast (n + 1) + natCast k * w h)) * j h = 1) (hp : φ (natCast p) = 0) :
    ∃ x : A, S.evalHeads ((List.finRange H).map G) (labelledCopies p k n u y q) q =
        S.evalHeads ((List.finRange H).map G) (labelledCopies 0 k n u y q) q + natCast p * ι x ∧
      φ x = finSum fun h => linRow (natCast k) (natCast (n + 1)) (φ (w h)) (φ (a h)) (φ (b h)) * φ (E h) := by
  refine ⟨finSum fun h => E h * ((b h * (natCast (n + 1) +
      natCast k * w h) - a h * (natCast k * w h)) * (i h * j h)), ?_, ?_⟩
  · rw [evalHeads, evalHeads, listSum_map, listSum_map, ← finSum_eq_listSum, ← finSum_eq_listSum, hι.map_finSum,
      ← finSum_mul,
      ← finSum_add]
    refine congrArg finSum (funext fun h => ?_)
    have ei := congrArg ι (hi h)
    have ej := congrArg ι (hj h)
    simp only [hι.map_add, hι.map_mul, hι.map_sub, hι.map_natCast, hι.map_one, hw, ha, hE, hb] at ei ej ⊢
    rw [eval_labelledCopies, eval_labelledCopies]
    have h1 := div_mul_cancel (natCast p * (S.exp (score (G h).W u q) * S.inner (G h).v u) +
      natCast k * (S.exp (score (G h).W y q) * S.inner (G h).v y)) (pos_ne (S.three_pos p k n (score (G h).W u q)
          (score (G h).W y q)))
    have h2 := div_mul_cancel (natCast 0 * (S.exp (score (G h).W u q) * S.inner (G h).v u) +
      natCast k * (S.exp (score (G h).W y q) * S.inner (G h).v y)) (pos_ne (S.three_pos 0 k n (score (G h).W u q)
          (score (G h).W y q)))
    generalize (natCast p * (S.exp (score (G h).W u q) * S.inner (G h).v u) +
      natCast k * (S.exp (score (G h).W y q) * S.inner (G h).v y)) /
        (natCast p * S.exp (score (G h).W u q) + (natCast k * S.exp (score (G h).W y q) + natCast (n + 1))) = f at *
    generalize (natCast 0 * (S.exp (score (G h).W u q) * S.inner (G h).v u) +
      natCast k * (S.exp (score (G h).W y q) * S.inner (G h).v y)) /
        (natCast 0 * S.exp (score (G h).W u q) + (natCast k * S.exp (score (G h).W y q) + natCast (n + 1))) = g at *
    rw [natCast_zero] at h2
    generalize S.exp (score (G h).W u q) = e at *
    generalize S.exp (score (G h).W y q) = ω at *
    generalize S.inner (G h).v u = β at *
    generalize S.inner (G h).v y = α at *
    generalize ι (i h) = I at *
    generalize ι (j h) = J at *
    generalize (natCast p : K) = P at *
    generalize (natCast k : K) = k at *
    generalize (natCast (n + 1) : K) = m at *
    -- `f = N J`, `g = k ω α I`
    have e1 : f = (P * (e * β) + k * (ω * α)) * J := by lin_comb (J) h1 + (-f) ej
    have e2 : g = k * (ω * α) * I := by lin_comb (I) h2 + (-g) ei
    rw [e1, e2]
    lin_comb (-((P * (e * β) + k * (ω * α)) * J)) ei + (k * (ω * α) * I) ej
  · rw [hφ.map_finSum]
    refine congrArg finSum (funext fun h => ?_)
    have ei := congrArg φ (hi h)
    have ej := congrArg φ (hj h)
    simp only [hφ.map_add, hφ.map_mul, hφ.map_sub, hφ.map_natCast, hφ.map_one] at ei ej ⊢
    rw [hφ.map_natCast] at hp
    rw [hp, zero_mul, zero_add] at ej
    have hne : (natCast (n + 1) + natCast k * φ (w h) : F) ≠ 0 := fun e => by
      rw [e, zero_mul] at ei
      exact Field.zero_ne_one ei
    have hinv := Field.mul_inv _ hne
    unfold linRow
    generalize (natCast (n + 1) + natCast k * φ (w h) : F) = B at *
    have e1 : φ (i h) = B⁻¹ := by lin_comb (B⁻¹) ei + (-φ (i h)) hinv
    have e2 : φ (j h) = B⁻¹ := by lin_comb (B⁻¹) ej + (-φ (j h)) hinv
    rw [e1, e2]
    ring
end Semantics

end AttentionQueries
