import AttentionQueries.SingleHead.Affine

/-! # Heads with vector values

A head with value matrix `V : m × d` has the output `∑ᵢ softmax(s)ᵢ V xᵢ`, a vector of length `m`. Its coordinates are
heads with the same score matrix, so that everything is determined as soon as one row of `V` is not zero.

## Main definitions

* `Semantics.evalVec W V`: the output of the head with score matrix `W` and value matrix `V`.
* `Semantics.evalAffineVec W c V b`: the same with affine scores and values.

## Main statements

* `Semantics.vector_eq_iff`: the fibre. Two vector-valued heads compute the same function iff `V = V'`, and `V = 0` or
  `W = W'`.
* `Semantics.vector_identifiable_iff`: for `d ≥ 1` a vector-valued head is determined by its function iff `V ≠ 0`.
* `Semantics.vector_identifiable_of_dim_zero`: for `d = 0` every vector-valued head is.
* `Semantics.affine_vector_eq_iff`: the fibre with affine scores and values.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {m d : Nat}

namespace Semantics

/-- The output of the head with score matrix `W` and value matrix `V`, a vector of length `m`. -/
def evalVec (W : Mat R d) (V : RectMat K m d) (xs : List (Vec R d)) (q : Vec R d) : Vec K m :=
  fun a => S.eval W (V a) xs q

/-- **The fibre of vector-valued heads.** They compute the same function iff their value matrices agree and vanish, or
their score matrices agree as well. -/
theorem vector_eq_iff {W W' : Mat R d} {V V' : RectMat K m d} :
    (∀ xs q, S.evalVec W V xs q = S.evalVec W' V' xs q) ↔ V = V' ∧ (V = 0 ∨ W = W') := by
  constructor
  · intro h
    have ha : ∀ a, V a = V' a ∧ (V a = 0 ∨ W = W') := fun a => S.eval_eq_iff.mp fun xs q => congrFun (h xs q) a
    refine ⟨funext fun a => (ha a).1, ?_⟩
    by_cases hV : V = 0
    · exact .inl hV
    · obtain ⟨a, h0⟩ := exists_ne_zero hV
      exact .inr ((ha a).2.resolve_left h0)
  · rintro ⟨rfl, rfl | rfl⟩ xs q
    · exact funext fun a => (S.eval_zero W xs q).trans (S.eval_zero W' xs q).symm
    · rfl

/-- **Identifiability of vector-valued heads.** For `d ≥ 1`, a vector-valued head is determined by its function iff
its value matrix is not zero; in particular never if its outputs have length `m = 0`. -/
theorem vector_identifiable_iff (hd : 0 < d) (W : Mat R d) (V : RectMat K m d) :
    (∀ (W' : Mat R d) (V' : RectMat K m d), (∀ xs q, S.evalVec W V xs q = S.evalVec W' V' xs q) → V = V' ∧ W = W') ↔
      V ≠ 0 := by
  constructor
  · rintro h rfl
    obtain ⟨W', hW⟩ := S.exists_mat_ne hd W
    exact hW (h W' 0 (S.vector_eq_iff.mpr ⟨rfl, .inl rfl⟩)).2
  · intro hV W' V' h
    obtain ⟨h1, h2⟩ := S.vector_eq_iff.mp h
    exact ⟨h1, h2.resolve_left hV⟩

/-- `d ≥ 1` is needed: for `d = 0` every vector-valued head is determined by its function, although `V = 0`. -/
theorem vector_identifiable_of_dim_zero (W : Mat R 0) (V : RectMat K m 0) :
    (∀ (W' : Mat R 0) (V' : RectMat K m 0), (∀ xs q, S.evalVec W V xs q = S.evalVec W' V' xs q) → V = V' ∧ W = W') ∧
      V = 0 :=
  ⟨fun _ _ _ => ⟨funext fun _ => funext fun i => i.elim0, funext fun i => i.elim0⟩,
    funext fun _ => funext fun i => i.elim0⟩

/-- The output of the head with scores `xᵀ (W q + c)` and vector values `V x + b`. -/
def evalAffineVec (W : Mat R d) (c : Vec R d) (V : RectMat K m d) (b : Vec K m) (xs : List (Vec R d)) (q : Vec R d) :
    Vec K m := fun a => S.evalAffine W c (V a) (b a) xs q

/-- **The fibre of vector-valued affine heads**: they compute the same function iff their values
agree, and the value matrix vanishes or the scores agree as well. -/
theorem affine_vector_eq_iff {W W' : Mat R d} {c c' : Vec R d} {V V' : RectMat K m d} {b b' : Vec K m} :
    (∀ xs q, S.evalAffineVec W c V b xs q = S.evalAffineVec W' c' V' b' xs q) ↔
      V = V' ∧ b = b' ∧ (V = 0 ∨ W = W' ∧ c = c') := by
  constructor
  · intro h
    have ha : ∀ a, V a = V' a ∧ b a = b' a ∧ (V a = 0 ∨ W = W' ∧ c = c') := fun a =>
      S.affine_eq_iff.mp fun xs q => congrFun (h xs q) a
    refine ⟨funext fun a => (ha a).1, funext fun a => (ha a).2.1, ?_⟩
    by_cases hV : V = 0
    · exact .inl hV
    · obtain ⟨a, h0⟩ := exists_ne_zero hV
      exact .inr ((ha a).2.2.resolve_left h0)
  · rintro ⟨rfl, rfl, h⟩ xs q
    exact funext fun a => S.affine_eq_iff.mpr ⟨rfl, rfl, h.imp_left fun e => congrFun e a⟩ xs q
end Semantics

end AttentionQueries
