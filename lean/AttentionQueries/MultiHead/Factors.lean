import AttentionQueries.LowRank.Head
import AttentionQueries.MultiHead.Canonical

/-! # The fibre at the level of key and query factors

A head is usually given by factors `k`, `q` of its score matrix `W = kᵀ q`, of size `r × d`. If the factors have full
rank `r` and the model is reduced, then the models with the same function and no more heads are exactly those obtained
by permuting the heads and changing the factors of each head by an invertible `r × r` matrix. Nothing is assumed to be
generic. Scores lie in the ring `R`; factors may have entries in the larger field `K` of values.

## Main definitions

* `FactoredHead S d r`: a head with factors of its score matrix.
* `FactoredHead.GaugeEquiv`: equal value vectors, and factors that differ by an invertible matrix.
* `Pointwise ρ l m`: the lists have the same length and corresponding members are in the relation `ρ`.

## Main statements

* `rankEq_factored`: the product of factors of full rank `r` has rank `r`.
* `Semantics.gauge_invariant`: the gauge does not change the function, whatever the rank.
* `Semantics.factored_fibre`: **the fibre at the level of factors**.
* `Semantics.factored_fibre_rank_needed`, `Semantics.factored_fibre_reduced_needed`: the hypotheses are
  needed.
-/

namespace AttentionQueries
open CommRing OrderedField Matrix LowRank

/-! ## Lists in pointwise relation -/
section lists
variable {α β : Type}

/-- The lists have the same length and corresponding members are in the relation `ρ`. -/
inductive Pointwise (ρ : α → β → Prop) : List α → List β → Prop where
  /-- Empty lists. -/
  | nil : Pointwise ρ [] []
  /-- One more member on both sides. -/
  | cons {a : α} {b : β} {l : List α} {m : List β} : ρ a b → Pointwise ρ l m → Pointwise ρ (a :: l) (b :: m)

private theorem Pointwise.of_map {γ : Type} {ρ : α → β → Prop} {f : α → γ} {g : β → γ} : ∀ {l : List α} {m : List β},
    (∀ a ∈ l, ∀ b, f a = g b → ρ a b) → l.map f = m.map g → Pointwise ρ l m
  | [], [], _, _ => .nil
  | [], _ :: _, _, e => nomatch e
  | _ :: _, [], _, e => nomatch e
  | a :: l, b :: m, h, e => by
    obtain ⟨e1, e2⟩ := List.cons.inj e
    exact .cons (h a List.mem_cons_self b e1) (.of_map (fun a' ha' => h a' (List.mem_cons_of_mem a ha')) e2)

private theorem Pointwise.map_eq {γ : Type} {ρ : α → β → Prop} {f : α → γ} {g : β → γ} (h : ∀ a b, ρ a b → f a = g b)
    {l : List α} {m : List β} (hp : Pointwise ρ l m) : l.map f = m.map g := by
  induction hp with
  | nil => rfl
  | cons hab _ ih => rw [List.map_cons, List.map_cons, h _ _ hab, ih]

/-- A rearrangement of the images comes from a rearrangement of the list. -/
private theorem perm_map_lift {f : α → β} : ∀ {l : List α} {m : List β}, (l.map f).Perm m →
    ∃ l', l.Perm l' ∧ l'.map f = m := by
  intro l m
  induction m generalizing l with
  | nil =>
    intro h
    have hl : l.length = 0 := (List.length_map f).symm.trans h.length_eq
    exact ⟨[], .of_eq (List.length_eq_zero_iff.mp hl), rfl⟩
  | cons b m ih =>
    intro h
    obtain ⟨a, ha, rfl⟩ := List.mem_map.mp (h.mem_iff.mpr List.mem_cons_self)
    obtain ⟨l₁, hl₁⟩ := perm_of_mem ha
    have h' : (l₁.map f).Perm m := (List.perm_cons (f a)).mp ((hl₁.map f).symm.trans h)
    obtain ⟨l', hl', e⟩ := ih h'
    exact ⟨a :: l', hl₁.trans (.cons a hl'), congrArg (f a :: ·) e⟩
end lists

variable {R K : Type} [CommRing R] [OrderedField K] {d r : Nat}

/-- Factors of full rank `r` have a product of rank `r`. -/
theorem rankEq_factored {k q : RectMat K r d} (hk : RankEq r k) (hq : RankEq r q) : RankEq r (factored k q) := by
  refine ⟨rankLE_factored k q, fun s hs => hq.2 s ?_⟩
  obtain ⟨x, hx⟩ := right_inverse hk
  -- `xᵀ kᵀ q = q`
  have e : mm (tr x) (factored k q) = q := by
    rw [factored, ← mm_assoc, ← tr_mm, hx]
    have h1 : tr (basis : RectMat K r r) = basis := funext fun i => funext fun j => by
      show basis j i = basis i j
      by_cases h : i = j
      · rw [h]
      · rw [basis_ne h, basis_ne (Ne.symm h)]
    rw [h1, one_mm]
  rw [← e]
  exact hs.mul (tr x)

/-- A head with factors of its score matrix: `W = kᵀ q`. -/
structure FactoredHead (S : Semantics R K) (d r : Nat) where
  /-- The head. -/
  head : Head R K d
  /-- The key factor. -/
  k : RectMat K r d
  /-- The query factor. -/
  q : RectMat K r d
  /-- The score matrix is the product of the factors. -/
  factors : S.castM head.W = factored k q

variable {S : Semantics R K}

/-- Equal value vectors, and factors that differ by an invertible `r × r` matrix `A` with inverse `B`: the query factor
is multiplied by `A`, the key factor by the transpose of `B`. -/
def FactoredHead.GaugeEquiv (f g : FactoredHead S d r) : Prop := f.head.v = g.head.v ∧
  ∃ A B : RectMat K r r, mm A B = basis ∧ mm B A = basis ∧ g.q = mm A f.q ∧ g.k = mm (tr B) f.k

namespace Semantics

private theorem castM_inj {W W' : Mat R d} (h : S.castM W = S.castM W') : W = W' :=
  funext fun i => funext fun j => S.cast_inj _ _ (congrFun (congrFun h i) j)

/-- **Factor gauge.** Changing the factors by an invertible matrix does not change the head, whatever its rank. -/
theorem gauge_invariant {f g : FactoredHead S d r} (h : f.GaugeEquiv g) : f.head = g.head := by
  obtain ⟨hv, A, B, -, hBA, hq, hk⟩ := h
  have hW : f.head.W = g.head.W := castM_inj (S := S) (by rw [f.factors, g.factors, hq, hk, factor_gauge hBA])
  show Head.mk f.head.W f.head.v = Head.mk g.head.W g.head.v
  rw [hW, hv]

/-- For factors of full rank, heads are equal iff the factors are gauge equivalent. -/
theorem gaugeEquiv_iff {f g : FactoredHead S d r} (hf : RankEq r f.k ∧ RankEq r f.q) :
    f.GaugeEquiv g ↔ f.head = g.head := by
  refine ⟨gauge_invariant, fun e => ⟨congrArg Head.v e, ?_⟩⟩
  exact (factor_gauge_iff (rankEq_factored hf.1 hf.2)).mp (by rw [← f.factors, ← g.factors, e])

/-- **The fibre at the level of factors.** Let `F` be a reduced model of heads with factors of full rank `r`. A model
`F'` of factored heads, with at most as many heads, computes the same function iff after a permutation of its heads the
factors of each differ from those of `F` by an invertible `r × r` matrix, the value vectors being equal. -/
theorem factored_fibre {F F' : List (FactoredHead S d r)} (hr : Reduced (F.map FactoredHead.head))
    (hF : ∀ f ∈ F, RankEq r f.k ∧ RankEq r f.q) (hlen : F'.length ≤ F.length) :
    (∀ xs y, S.evalHeads (F.map FactoredHead.head) xs y = S.evalHeads (F'.map FactoredHead.head) xs y) ↔
      ∃ G, F'.Perm G ∧ Pointwise FactoredHead.GaugeEquiv F G := by
  constructor
  · intro h
    have hp := S.perm_of_reduced hr (by rw [List.length_map, List.length_map]; exact hlen) h
    obtain ⟨G, hG, e⟩ := perm_map_lift hp.symm
    exact ⟨G, hG, .of_map (fun f hf g hfg => (gaugeEquiv_iff (hF f hf)).mpr hfg) e.symm⟩
  · rintro ⟨G, hG, hp⟩ xs y
    rw [Pointwise.map_eq (fun _ _ => gauge_invariant) hp]
    exact S.evalHeads_perm (hG.map FactoredHead.head).symm xs y

/-- Full rank is needed: for `d, r ≥ 1` the zero matrix has factorisations `0 · 0` and `0 · q` with `q ≠ 0` that are not
gauge equivalent, although the models of one head with a nonzero value vector are equal, hence reduced. -/
theorem factored_fibre_rank_needed (S : Semantics R K) (hd : 0 < d) (hr : 0 < r) : ∃ f f' : FactoredHead S d r,
    Reduced [f.head] ∧ f.head = f'.head ∧ ¬ ∃ G, [f'].Perm G ∧ Pointwise FactoredHead.GaugeEquiv [f] G := by
  have h0 : ∀ q : RectMat K r d, S.castM (0 : Mat R d) = factored 0 q := fun q => funext fun i => funext fun j =>
    (S.cast_zero).trans (finSum_zero fun t => zero_mul _).symm
  have hv : (basis ⟨0, hd⟩ : Vec K d) ≠ 0 := fun e => zero_ne_one (K := K) (by
    have h := congrFun e ⟨0, hd⟩
    rw [basis_self] at h
    exact h.symm)
  refine ⟨⟨⟨0, basis ⟨0, hd⟩⟩, 0, 0, h0 0⟩, ⟨⟨0, basis ⟨0, hd⟩⟩, 0, fun _ _ => 1, h0 _⟩,
    ⟨.cons (fun _ hh => nomatch hh) .nil, fun h hh => by rw [List.mem_singleton.mp hh]; exact hv⟩, rfl, ?_⟩
  rintro ⟨G, hG, hp⟩
  cases hp with
  | cons hg hp =>
    cases hp
    obtain rfl := List.mem_singleton.mp (hG.mem_iff.mpr List.mem_cons_self)
    obtain ⟨-, A, B, -, -, hq, -⟩ := hg
    have h1 : (1 : K) = mm A (0 : RectMat K r d) ⟨0, hr⟩ ⟨0, hd⟩ := congrFun (congrFun hq ⟨0, hr⟩) ⟨0, hd⟩
    exact zero_ne_one (K := K) ((h1.trans (finSum_zero fun t => mul_zero _)).symm)

/-- Reducedness is needed: heads with value zero compute the same function, whatever their factors, but with different
score matrices they are not gauge equivalent. -/
theorem factored_fibre_reduced_needed {f f' : FactoredHead S d r} (hv : f.head.v = 0) (hv' : f'.head.v = 0)
    (hW : f.head.W ≠ f'.head.W) : (∀ xs y, S.evalHeads [f.head] xs y = S.evalHeads [f'.head] xs y) ∧
      ¬ ∃ G, [f'].Perm G ∧ Pointwise FactoredHead.GaugeEquiv [f] G := by
  constructor
  · intro xs y
    simp only [evalHeads, listSum_cons, listSum_nil, hv, hv', eval_zero]
  · rintro ⟨G, hG, hp⟩
    cases hp with
    | cons hg hp =>
      cases hp
      obtain rfl := List.mem_singleton.mp (hG.mem_iff.mpr List.mem_cons_self)
      exact hW (congrArg Head.W (gauge_invariant hg))

end Semantics

end AttentionQueries
