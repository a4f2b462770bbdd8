import AttentionQueries.LowRank.FactorGauge
import AttentionQueries.SingleHead.Affine

/-! # The gauge of keys, queries, values and their biases

A layer is not parametrised by a score matrix, but by key, query and value projections with biases: the score of a
token `x` at the query token `y` is `⟨K x + b_K, Q y + b_Q⟩`, and the value is `⟨w, V x + b_V⟩` for a readout `w`. Its
function depends only on the score matrix `Kᵀ Q`, the key-side term `Kᵀ b_Q`, the value vector `Vᵀ w` and the constant
`⟨w, b_V⟩`, and determines these if `Vᵀ w ≠ 0`. The key bias is invisible. If moreover the score matrix has full rank
`r`, the number of rows of `K` and `Q`, then `K`, `Q` and `b_Q` are determined up to an invertible matrix `A`: they
may be replaced by `A⁻ᵀ K`, `A Q` and `A b_Q`, and by nothing else.

## Main definitions

* `ProjectedHead`: the projections, biases and readout. `ProjectedHead.scoreMatrix`, `.keyTerm`, `.valueVector`,
  `.valueConstant`: what its function depends on.
* `Semantics.evalProjected`: its output.

## Main statements

* `Semantics.evalProjected_eq_evalAffine`: a projected head is an affine head; the key bias does not occur in it.
* `Semantics.projected_eq_iff`: the fibre, for projections through any numbers of dimensions.
* `Semantics.evalProjected_keyBias`, `Semantics.evalProjected_gauge`: the gauge changes no output.
* `Semantics.projected_gauge_iff`: the gauge is complete, if `Vᵀ w ≠ 0` and `Kᵀ Q` has rank `r`.
* `Semantics.projected_gauge_free`: the matrix `A` is unique.
* `Semantics.projected_gauge_rank_needed`, `Semantics.projected_gauge_value_needed`: both conditions are needed.

The gauge of the factors of a matrix alone, without heads, is `LowRank.factor_gauge_iff`.
-/

namespace AttentionQueries
open CommRing OrderedField Matrix LowRank

/-! ## Matrices and vectors -/
section
variable {R : Type} [CommRing R] {a b c : Nat}

private theorem col_mm (A : RectMat R a b) (B : RectMat R b c) (w : Vec R c) : col (mm A B) w = col A (col B w) :=
  funext fun i => congrFun (congrFun (mm_assoc A B fun j (_ : Fin 1) => w j) i) 0

private theorem row_mm (A : RectMat R a b) (B : RectMat R b c) (u : Vec R a) : row (mm A B) u = row B (row A u) :=
  funext fun j => (congrFun (congrFun (mm_assoc (fun (_ : Fin 1) i => u i) A B) 0) j).symm

private theorem row_tr (B : RectMat R a b) (u : Vec R b) : row (tr B) u = col B u :=
  funext fun _ => finSum_congr fun _ => mul_comm _ _

private theorem col_one (w : Vec R a) : col basis w = w :=
  funext fun i => congrFun (congrFun (one_mm fun j (_ : Fin 1) => w j) i) 0

private theorem row_one (u : Vec R a) : row basis u = u :=
  funext fun j => congrFun (congrFun (mm_one fun (_ : Fin 1) i => u i) 0) j

private theorem col_add (W : RectMat R a b) (x y : Vec R b) (i : Fin a) : col W (x + y) i = col W x i + col W y i := by
  rw [col, col, col, ← finSum_add]
  exact finSum_congr fun j => mul_add _ _ _
end

/-! ## Projected heads -/

/-- A head given by key, query and value projections with biases, and a readout. Keys and queries have length `r`,
values have length `m`. -/
structure ProjectedHead (R K : Type) (r m d : Nat) where
  /-- the key projection `K` -/
  key : RectMat R r d
  /-- the key bias `b_K` -/
  keyBias : Vec R r
  /-- the query projection `Q` -/
  query : RectMat R r d
  /-- the query bias `b_Q` -/
  queryBias : Vec R r
  /-- the value projection `V` -/
  value : RectMat K m d
  /-- the value bias `b_V` -/
  valueBias : Vec K m
  /-- the readout `w` -/
  readout : Vec K m

namespace ProjectedHead
variable {R K : Type} [CommRing R] [OrderedField K] {r m d : Nat} (L : ProjectedHead R K r m d)

/-- The score `⟨K x + b_K, Q y + b_Q⟩` of the token `x` at the query token `y`. -/
def score (x y : Vec R d) : R := finSum fun t => (col L.key x t + L.keyBias t) * (col L.query y t + L.queryBias t)

/-- The score matrix `Kᵀ Q`. -/
def scoreMatrix : Mat R d := factored L.key L.query

/-- The key-side linear term `Kᵀ b_Q` of the scores. -/
def keyTerm : Vec R d := row L.key L.queryBias

/-- The value vector `Vᵀ w`. -/
def valueVector : Vec K d := row L.value L.readout

/-- The constant `⟨w, b_V⟩` in the values. -/
def valueConstant : K := finSum fun a => L.readout a * L.valueBias a

omit [OrderedField K] in
/-- The score is the affine score of `Kᵀ Q` and `Kᵀ b_Q`, and a function of the query token. -/
private theorem score_eq (x y : Vec R d) : L.score x y = affineScore L.scoreMatrix L.keyTerm x y +
    finSum fun t => L.keyBias t * (col L.query y t + L.queryBias t) := by
  have h1 : (finSum fun i => x i * L.keyTerm i) = finSum fun t => L.queryBias t * col L.key x t := by
    rw [show (finSum fun t => L.queryBias t * col L.key x t) = form L.key L.queryBias x from rfl, form_row]
    exact finSum_congr fun i => mul_comm _ _
  rw [affineScore_eq, h1, scoreMatrix, score_factored, ← finSum_add, ← finSum_add]
  exact finSum_congr fun t => by ring
end ProjectedHead

namespace Semantics
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {r r' m m' d : Nat}

/-- The output of a projected head: scores `⟨K x + b_K, Q y + b_Q⟩`, values `⟨w, V x + b_V⟩`. -/
def evalProjected (L : ProjectedHead R K r m d) (xs : List (Vec R d)) (y : Vec R d) : K :=
  S.evalGeneral L.score (fun x => finSum fun a => L.readout a * (S.inner (L.value a) x + L.valueBias a)) xs y

/-- **A projected head is an affine head** with score matrix `Kᵀ Q`, key-side term `Kᵀ b_Q`, value vector `Vᵀ w` and
constant `⟨w, b_V⟩`. -/
theorem evalProjected_eq_evalAffine (L : ProjectedHead R K r m d) (xs : List (Vec R d)) (y : Vec R d) :
    S.evalProjected L xs y = S.evalAffine L.scoreMatrix L.keyTerm L.valueVector L.valueConstant xs y := by
  have hs : L.score = fun x y => affineScore L.scoreMatrix L.keyTerm x y +
      finSum fun t => L.keyBias t * (col L.query y t + L.queryBias t) := funext fun x => funext fun y => L.score_eq x y
  have hφ : ∀ x, (finSum fun a => L.readout a * (S.inner (L.value a) x + L.valueBias a)) =
      S.inner L.valueVector x + L.valueConstant := fun x => by
    rw [ProjectedHead.valueConstant, show S.inner L.valueVector x = form L.value L.readout fun i => S.cast (x i) from
      (form_row _ _ _).symm, form, ← finSum_add]
    exact finSum_congr fun a => mul_add _ _ _
  rw [evalProjected, hs, evalGeneral_add_query, funext hφ, evalAffine]

/-- **The fibre of projected heads**, for projections through any numbers of dimensions: they compute the same
function iff their value vectors and constants agree, and the value vector vanishes or the score matrices and key-side
terms agree. -/
theorem projected_eq_iff {L : ProjectedHead R K r m d} {L' : ProjectedHead R K r' m' d} :
    (∀ xs y, S.evalProjected L xs y = S.evalProjected L' xs y) ↔
      L.valueVector = L'.valueVector ∧ L.valueConstant = L'.valueConstant ∧
        (L.valueVector = 0 ∨ L.scoreMatrix = L'.scoreMatrix ∧ L.keyTerm = L'.keyTerm) := by
  simp only [evalProjected_eq_evalAffine]
  exact S.affine_eq_iff

/-- **The key bias is invisible.** -/
theorem evalProjected_keyBias (L : ProjectedHead R K r m d) (b : Vec R r) (xs : List (Vec R d)) (y : Vec R d) :
    S.evalProjected { L with keyBias := b } xs y = S.evalProjected L xs y :=
  (S.projected_eq_iff (L := { L with keyBias := b }) (L' := L)).mpr ⟨rfl, rfl, .inr ⟨rfl, rfl⟩⟩ xs y

private theorem row_gauge {k : RectMat R r d} {A B : RectMat R r r} (hBA : mm B A = basis) (l : Vec R r) :
    row (mm (tr B) k) (col A l) = row k l := by
  rw [row_mm, row_tr, ← col_mm, hBA, col_one]

/-- **Gauge**: `(A⁻ᵀ K, A Q, A b_Q)` has the outputs of `(K, Q, b_Q)`. -/
theorem evalProjected_gauge {A B : RectMat R r r} (hBA : mm B A = basis) (L : ProjectedHead R K r m d)
    (xs : List (Vec R d)) (y : Vec R d) : S.evalProjected { L with
      key := mm (tr B) L.key, query := mm A L.query, queryBias := col A L.queryBias } xs y = S.evalProjected L xs y :=
  (S.projected_eq_iff (L' := L)
    (L := { L with key := mm (tr B) L.key, query := mm A L.query, queryBias := col A L.queryBias })).mpr
    ⟨rfl, rfl, .inr ⟨factor_gauge hBA L.key L.query, row_gauge hBA L.queryBias⟩⟩ xs y

/-- The matrix of scalars `W` as a matrix of values. -/
def castRect (W : RectMat R r d) : RectMat K r d := fun i j => S.cast (W i j)

private theorem castRect_factored (k q : RectMat R r d) :
    S.castRect (factored k q) = factored (S.castRect k) (S.castRect q) := funext fun i => funext fun j => by
  rw [castRect, factored, mm, cast_finSum]
  exact finSum_congr fun t => S.cast_mul _ _

private theorem cast_row (k : RectMat R r d) (l : Vec R r) (j : Fin d) :
    S.cast (row k l j) = row (S.castRect k) (fun t => S.cast (l t)) j := by
  rw [row, cast_finSum]
  exact finSum_congr fun t => S.cast_mul _ _

private theorem castRect_inj {W W' : RectMat R r d} : S.castRect W = S.castRect W' ↔ W = W' :=
  ⟨fun h => funext fun i => funext fun j => S.cast_inj _ _ (congrFun (congrFun h i) j), fun h => by rw [h]⟩

/-- Keys of full rank determine a vector from the key-side term. -/
private theorem row_cancel {F : Type} [Field F] {k q : RectMat F r d} (hr : RankEq r (factored k q)) {l l' : Vec F r}
    (h : row k l = row k l') : l = l' := by
  obtain ⟨x, hx⟩ := right_inverse (W := k) ⟨rankLE_rows _, fun s hs => hr.2 s (RankLE.mul_right hs.tr _)⟩
  rw [← row_one l, ← row_one l', ← hx, row_mm, row_mm, h]

/-- **The gauge is complete.** Let the value vector not vanish, and let the score matrix have rank `r`, the number of
dimensions of keys and queries. Another projected head with `r`-dimensional keys and queries has the same outputs iff
its value vector and constant are the same, and its query projection, query bias and key projection are `A Q`, `A b_Q`
and `A⁻ᵀ K` for an invertible matrix `A`; the key bias is arbitrary. The entries of `A` are values, not scalars:
scalars may have no inverses. -/
theorem projected_gauge_iff {L : ProjectedHead R K r m d} {L' : ProjectedHead R K r m' d} (hv : L.valueVector ≠ 0)
    (hr : RankEq r (S.castRect L.scoreMatrix)) :
    (∀ xs y, S.evalProjected L xs y = S.evalProjected L' xs y) ↔
      L.valueVector = L'.valueVector ∧ L.valueConstant = L'.valueConstant ∧
        ∃ A B : RectMat K r r, mm A B = basis ∧ mm B A = basis ∧
          S.castRect L'.query = mm A (S.castRect L.query) ∧
          (fun t => S.cast (L'.queryBias t)) = col A (fun t => S.cast (L.queryBias t)) ∧
          S.castRect L'.key = mm (tr B) (S.castRect L.key) := by
  have hr' : RankEq r (factored (S.castRect L.key) (S.castRect L.query)) := by rwa [← castRect_factored]
  have hW : L.scoreMatrix = L'.scoreMatrix ↔ factored (S.castRect L.key) (S.castRect L.query) =
      factored (S.castRect L'.key) (S.castRect L'.query) := by
    rw [← castRect_factored, ← castRect_factored]
    exact S.castRect_inj.symm
  have hc : L.keyTerm = L'.keyTerm ↔ row (S.castRect L.key) (fun t => S.cast (L.queryBias t)) =
      row (S.castRect L'.key) (fun t => S.cast (L'.queryBias t)) :=
    ⟨fun h => funext fun j => by rw [← cast_row, ← cast_row]; exact congrArg S.cast (congrFun h j),
      fun h => funext fun j => S.cast_inj _ _ (by
        rw [ProjectedHead.keyTerm, ProjectedHead.keyTerm, cast_row, cast_row, h])⟩
  rw [S.projected_eq_iff, hc, hW, factor_gauge_iff hr']
  refine and_congr Iff.rfl (and_congr Iff.rfl ⟨fun h => ?_, ?_⟩)
  · obtain ⟨⟨A, B, hAB, hBA, hq, hk⟩, hl⟩ := h.resolve_left hv
    refine ⟨A, B, hAB, hBA, hq, ?_, hk⟩
    rw [hk, row_mm, row_tr] at hl
    rw [row_cancel hr' hl, ← col_mm, hAB, col_one]
  · rintro ⟨A, B, hAB, hBA, hq, hl, hk⟩
    exact .inr ⟨⟨A, B, hAB, hBA, hq, hk⟩, by rw [hk, hl, row_gauge hBA]⟩

/-- **The gauge acts freely**: if `Kᵀ Q` has rank `r`, the matrix `A` in `projected_gauge_iff` is determined by `A Q`.
-/
theorem projected_gauge_free {F : Type} [Field F] {k q : RectMat F r d} (hr : RankEq r (factored k q))
    {A A' : RectMat F r r} (h : mm A q = mm A' q) : A = A' := by
  obtain ⟨y, hy⟩ := right_inverse (W := q) ⟨rankLE_rows _, fun s hs => hr.2 s (hs.mul _)⟩
  rw [← mm_one A, ← mm_one A', ← hy, ← mm_assoc, ← mm_assoc, h]

/-- The projected head with `d = r = m = 1`, zero biases, and the given key, query and value. -/
private def small (k q : R) (v : K) : ProjectedHead R K 1 1 1 :=
  ⟨fun _ _ => k, 0, fun _ _ => q, 0, fun _ _ => v, 0, fun _ => 1⟩

private theorem valueVector_small (k q : R) (v : K) : (small k q v).valueVector = fun _ => v := funext fun _ => by
  show 1 * v + 0 = v
  ring

private theorem scoreMatrix_small (k q : R) (v : K) : (small k q v).scoreMatrix = fun _ _ => k * q :=
  funext fun _ => funext fun _ => add_zero _

private theorem keyTerm_small (k q : R) (v : K) : (small k q v).keyTerm = 0 := funext fun _ => by
  show 0 * k + 0 = 0
  ring

/-- **Full rank is needed** in `projected_gauge_iff`: for `d = r = 1` the keys and queries `(1, 0)` and `(0, 0)` have
the same outputs, the value vector is not zero, and no matrix `A` relates them. -/
theorem projected_gauge_rank_needed : ∃ L L' : ProjectedHead R K 1 1 1, L.valueVector ≠ 0 ∧
    (∀ xs y, S.evalProjected L xs y = S.evalProjected L' xs y) ∧
    ¬ ∃ A B : RectMat K 1 1, mm A B = basis ∧ mm B A = basis ∧ S.castRect L'.query = mm A (S.castRect L.query) ∧
      S.castRect L'.key = mm (tr B) (S.castRect L.key) := by
  refine ⟨small 1 0 1, small 0 0 1, fun h => ?_, S.projected_eq_iff.mpr ⟨?_, rfl, .inr ⟨?_, ?_⟩⟩, ?_⟩
  · rw [valueVector_small] at h
    exact zero_ne_one (congrFun h 0).symm
  · rw [valueVector_small, valueVector_small]
  · rw [scoreMatrix_small, scoreMatrix_small, mul_zero, mul_zero]
  · rw [keyTerm_small, keyTerm_small]
  · rintro ⟨A, B, hAB, -, -, hk⟩
    have h1 : S.cast 0 = B 0 0 * S.cast 1 + 0 := congrFun (congrFun hk 0) 0
    have h2 : A 0 0 * B 0 0 + 0 = (1 : K) := (congrFun (congrFun hAB 0) 0).trans (basis_self 0)
    rw [S.cast_zero, S.cast_one] at h1
    exact zero_ne_one (K := K) (by lin_comb (A 0 0) h1 + (1) h2)

/-- **A nonzero value vector is needed** in `projected_gauge_iff`: for `d = r = 1` and values zero, the keys and
queries `(1, 1)` and `(1, 0)` have the same outputs, the score matrix of the first has rank `1`, and no matrix `A`
relates them. -/
theorem projected_gauge_value_needed : ∃ L L' : ProjectedHead R K 1 1 1, RankEq 1 (S.castRect L.scoreMatrix) ∧
    (∀ xs y, S.evalProjected L xs y = S.evalProjected L' xs y) ∧
    ¬ ∃ A B : RectMat K 1 1, mm A B = basis ∧ mm B A = basis ∧ S.castRect L'.query = mm A (S.castRect L.query) ∧
      S.castRect L'.key = mm (tr B) (S.castRect L.key) := by
  refine ⟨small 1 1 0, small 1 0 0, ⟨rankLE_rows _, fun s hs => Nat.pos_of_ne_zero fun h0 => ?_⟩,
    S.projected_eq_iff.mpr ⟨?_, rfl, .inl (valueVector_small _ _ _)⟩, ?_⟩
  · subst h0
    have h1 := congrFun (congrFun (rankLE_zero.mp hs) 0) 0
    rw [castRect, scoreMatrix_small, mul_one, S.cast_one] at h1
    exact zero_ne_one h1.symm
  · rw [valueVector_small, valueVector_small]
  · rintro ⟨A, B, hAB, hBA, hq, -⟩
    have h1 : S.cast 0 = A 0 0 * S.cast 1 + 0 := congrFun (congrFun hq 0) 0
    have h2 : A 0 0 * B 0 0 + 0 = (1 : K) := (congrFun (congrFun hAB 0) 0).trans (basis_self 0)
    rw [S.cast_zero, S.cast_one] at h1
    exact zero_ne_one (K := K) (by lin_comb (B 0 0) h1 + (1) h2)
end Semantics

end AttentionQueries
