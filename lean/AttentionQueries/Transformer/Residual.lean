import AttentionQueries.Transformer.Identifiability
import AttentionQueries.Transformer.Negation

/-! # A residual connection from the query token

A block with a residual connection computes `⟨r, q⟩ + g(z)`, with the query token `q`, the attention output `z` and a
network `g` whose affine part is the linear path around the rectifiers.

## Main definitions

* `Semantics.block r W N xs q`: the output of the block.

## Main statements

* `Semantics.block_eq_iff`: **two blocks compute the same function iff they have the same residual weights, networks
  with the same function and, unless this is constant, the same score matrix** (archimedean `K`).
* `Semantics.block_canonical_iff`: in terms of canonical forms.
* `Semantics.residual_unique`: over every ordered field, for two heads with residual connections.
* `Semantics.block_unique_of_slope`: over every ordered field, for networks without hidden biases. -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

namespace Semantics

/-- The output `⟨r, q⟩ + N(z)` of a block with a residual connection. -/
noncomputable def block (r : Vec K d) (W : Mat R d) (N : Network K d) (xs : List (Vec R d)) (q : Vec R d) : K :=
  S.inner r q + S.transformer W N xs q

/-- **What the function of a block determines**, over an archimedean field: the residual weights, the function of the
network and, unless this is constant, the score matrix. -/
theorem block_eq_iff (hK : Archimedean K) {r r' : Vec K d} {W W' : Mat R d} {N N' : Network K d} :
    (∀ xs q, S.block r W N xs q = S.block r' W' N' xs q) ↔
      r = r' ∧ (∀ z, N.eval z = N'.eval z) ∧ ((∀ z, N.eval z = N.eval 0) ∨ W = W') := by
  constructor
  · intro h
    -- the query token zero has no residual
    obtain ⟨C, hC, -, hCe⟩ := N.exists_canonical
    obtain ⟨C', hC', -, hCe'⟩ := N'.exists_canonical
    have hsame := (S.network_unique (S.tokensDense_of_archimedean hK) hC hC' C.over_true C'.over_true).mp fun x n => by
      obtain ⟨xs, hz⟩ := S.attention_point x n
      have e := h xs 0
      rw [block, block, inner_zero, inner_zero, zero_add, zero_add, transformer, transformer, hz, hz] at e
      rw [hCe, hCe', e]
    have heq : ∀ z, N.eval z = N'.eval z := fun z => by rw [← hCe, ← hCe', hsame.eval_eq]
    have hr : r = r' := funext fun i => by
      have e := h [] (basis i)
      rw [block, block, inner_basis, inner_basis, transformer, transformer, attention_nil, attention_nil, heq] at e
      lin_comb (1) e
    subst hr
    exact ⟨rfl, (S.transformer_eq_iff hK).mp fun xs q => add_left_cancel (h xs q)⟩
  · rintro ⟨rfl, h⟩ xs q
    rw [block, block, (S.transformer_eq_iff hK).mpr h xs q]

/-- **The block is identifiable up to the canonical form of its network**, over an archimedean field. -/
theorem block_canonical_iff (hK : Archimedean K) {r r' : Vec K d} {W W' : Mat R d} {N N' : Network K d}
    (hN : N.Canonical) (hN' : N'.Canonical) : (∀ xs q, S.block r W N xs q = S.block r' W' N' xs q) ↔
      r = r' ∧ N.SameUpToOrder N' ∧ ((N.hidden = [] ∧ N.linear = 0) ∨ W = W') :=
  (S.block_eq_iff hK).trans (and_congr Iff.rfl
    (and_congr (Network.canonical_unique hN hN') (or_congr hN.constant_iff Iff.rfl)))

/-! ## Over every ordered field -/

/-- The value vectors of two heads with residual connections that compute the same function agree. -/
private theorem value_of_residual {W W' : Mat R d} {v v' r r' : Vec K d}
    (h : ∀ xs q, S.inner r q + S.eval W v xs q = S.inner r' q + S.eval W' v' xs q) : v = v' := funext fun i => by
  -- at the query token zero all scores vanish, and one copy of `eᵢ` has the weight one half
  have hw : ∀ W : Mat R d, score W (basis i) 0 = 0 := fun W => finSum_zero fun j => by
    rw [show mulVec W 0 j = 0 from finSum_zero fun k => mul_zero _, mul_zero]
  have e := h [0 + basis i] 0
  rw [inner_zero, inner_zero, eval_one, eval_one, hw, hw, exp_zero, inner_zero, inner_zero, inner_basis, inner_basis,
    zero_add, zero_add, zero_add, zero_add] at e
  have two : (1 + 1 : K) ≠ 0 := pos_ne (add_pos one_pos one_pos)
  have half := div_mul_cancel (1 : K) two
  generalize (1 : K) / (1 + 1) = a at *
  lin_comb (1 + 1) e + (v' i - v i) half

/-- **Two heads with residual connections** compute the same function iff they have the same residual weights, the same
value vectors and, unless these are zero, the same score matrix. This holds over every ordered field. -/
theorem residual_unique {W W' : Mat R d} {v v' r r' : Vec K d} :
    (∀ xs q, S.inner r q + S.eval W v xs q = S.inner r' q + S.eval W' v' xs q) ↔
      r = r' ∧ v = v' ∧ (v = 0 ∨ W = W') := by
  constructor
  · intro h
    have hv := S.value_of_residual h
    have hr : r = r' := funext fun i => by
      have e := h [] (basis i)
      rw [eval_nil, eval_nil, inner_basis, inner_basis, inner_basis, inner_basis, hv] at e
      lin_comb (1) e
    subst hr
    exact ⟨rfl, S.eval_eq_iff.mp fun xs q => add_left_cancel (h xs q)⟩
  · rintro ⟨rfl, h⟩ xs q
    rw [S.eval_eq_iff.mpr h xs q]

/-- Negating all tokens, for a block without hidden biases. -/
theorem block_sub_negate (r : Vec K d) (W : Mat R d) {N : Network K d} (hN : N.BiasFree) (t : Query R d) :
    S.block r W N t.1 t.2 - S.block r W N (negate t).1 (negate t).2 =
      S.inner (r + r) t.2 + S.eval W N.slope t.1 t.2 := by
  have h := S.transformer_sub_negate W hN t
  rw [transformerOracle, transformerOracle, oracle] at h
  rw [block, block, ← h, show (negate t).2 = -t.2 from rfl, inner_neg, add_inner]
  ring

/-- **A block without hidden biases** determines its residual weights, the slope of its network and, unless this is
zero, its score matrix. This holds over every ordered field. -/
theorem block_unique_of_slope {r r' : Vec K d} {W W' : Mat R d} {N N' : Network K d} (hN : N.BiasFree)
    (hN' : N'.BiasFree) (h : ∀ xs q, S.block r W N xs q = S.block r' W' N' xs q) :
    r = r' ∧ N.slope = N'.slope ∧ (N.slope = 0 ∨ W = W') := by
  have e : ∀ xs q, S.inner (r + r) q + S.eval W N.slope xs q = S.inner (r' + r') q + S.eval W' N'.slope xs q :=
    fun xs q => by
      have e1 := S.block_sub_negate r W hN (xs, q)
      rw [h, h] at e1
      exact e1.symm.trans (S.block_sub_negate r' W' hN' (xs, q))
  obtain ⟨h1, h2⟩ := S.residual_unique.mp e
  refine ⟨funext fun i => ?_, h2⟩
  have h3 : r i + r i = r' i + r' i := congrFun h1 i
  apply mul_right_cancel (pos_ne (add_pos (one_pos (K := K)) one_pos))
  lin_comb (1) h3

end Semantics

end AttentionQueries
