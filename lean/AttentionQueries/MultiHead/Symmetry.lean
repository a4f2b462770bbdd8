import AttentionQueries.SingleHead.Identifiability

/-! # Symmetries of multi-head attention

What can be done to the heads of a model without changing the function it computes: reorder them, move value vectors
between heads with the same score matrix, drop or add heads with value zero, change the score factors by an invertible
matrix (`MultiHead.Factors`). That there is nothing else is the fibre theorem (`MultiHead.Fibre`).

## Main statements

* `Semantics.evalHeads_perm`: the order of the heads does not matter.
* `Semantics.evalHeads_merge`: two heads with the same matrix act like one with the sum of the value vectors.
* `Semantics.evalHeads_redistribute`: value vectors of heads with the same matrix may be replaced by any others, of any
  number, with the same sum (Proposition 7.1 of arXiv 2601.16873, v2 numbering as reported).
* `Semantics.evalHeads_zero`: a head with value zero does nothing, whatever its matrix.

The family of all redistributions and its dimension are in `MultiHead.Dimension`.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

namespace Semantics

/-- The output of a head is additive in its value vector. -/
theorem eval_add (W : Mat R d) (v w : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.eval W (v + w) xs q = S.eval W v xs q + S.eval W w xs q := by
  simp only [eval, add_inner, mul_add, listSum_add, add_div]

/-- The output of a list of heads is the sum of the outputs of its parts. -/
theorem evalHeads_append (H H' : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (H ++ H') xs q = S.evalHeads H xs q + S.evalHeads H' xs q := listSum_append _ _ _

/-- **Permutation symmetry.** The order of the heads does not matter. -/
theorem evalHeads_perm {H H' : List (Head R K d)} (h : H.Perm H') (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads H xs q = S.evalHeads H' xs q := listSum_perm h _

/-- **Merging.** Two heads with the same score matrix act like one head with the sum of their value vectors. -/
theorem evalHeads_merge (W : Mat R d) (v w : Vec K d) (H : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (⟨W, v⟩ :: ⟨W, w⟩ :: H) xs q = S.evalHeads (⟨W, v + w⟩ :: H) xs q := by
  simp only [evalHeads, listSum_cons, eval_add, add_assoc]

/-- **Zero heads.** A head with value zero does nothing, whatever its score matrix. -/
theorem evalHeads_zero (W : Mat R d) (H : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (⟨W, 0⟩ :: H) xs q = S.evalHeads H xs q := by
  simp only [evalHeads, listSum_cons, eval_zero, zero_add]

/-- Heads with the same score matrix act like one head with the sum of their value vectors. -/
theorem evalHeads_shared (W : Mat R d) (vs : List (Vec K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (vs.map fun v => ⟨W, v⟩) xs q = S.eval W (fun i => listSum vs fun v => v i) xs q := by
  induction vs with
  | nil => exact (S.eval_zero W xs q).symm
  | cons v vs ih =>
    rw [List.map_cons, evalHeads, listSum_cons]
    exact (congrArg _ ih).trans (S.eval_add W v _ xs q).symm

/-- **Redistribution.** The value vectors `vs` of heads that share the score matrix `W` may be replaced by any other
value vectors `ws` with the same sum, whatever the other heads `H` are; the numbers of vectors need not agree. -/
theorem evalHeads_redistribute (W : Mat R d) {vs ws : List (Vec K d)}
    (h : ∀ i, (listSum vs fun v => v i) = listSum ws fun w => w i) (H : List (Head R K d)) (xs : List (Vec R d))
    (q : Vec R d) :
    S.evalHeads (vs.map (fun v => ⟨W, v⟩) ++ H) xs q = S.evalHeads (ws.map (fun w => ⟨W, w⟩) ++ H) xs q := by
  rw [evalHeads_append, evalHeads_append, evalHeads_shared, evalHeads_shared, funext h]

end Semantics

end AttentionQueries
