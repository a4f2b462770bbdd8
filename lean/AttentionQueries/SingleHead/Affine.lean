import AttentionQueries.Algebra.Matrix
import AttentionQueries.SingleHead.GeneralScores

/-! # Affine scores and values

Real attention layers have biases. After everything that cancels in the softmax is removed, the score is `xᵀ (W q +
c)` with a key-side linear term `c`, and the value is `⟨v, x⟩ + b`. This is exactly what can be identified: the affine
head `(W, c, v, b)` is determined by its function iff `v ≠ 0`, and already by `(d + 1)²` outputs, as many as it has
parameters. What the biases of keys, queries and values contribute is in `AttentionQueries.SingleHead.Gauge`.

## Main definitions

* `affineScore W c x q`: the score `xᵀ (W q + c)`. `Semantics.evalAffine W c v b`: the output of the affine head.
* `affineQueries v p`: an explicit list of queries, for `v p ≠ 0`.

## Main statements

* `Semantics.affine_unique_queries`, `length_affineQueries`: the answers to `(d + 1)²` queries determine the head.
* `Semantics.affine_eq_iff`: the fibre. Two affine heads compute the same function iff `v` and `b` agree, and `v = 0`
  or also `W` and `c` agree. Valid for every `d`.
* `Semantics.affine_identifiable_iff`: for `d ≥ 1` an affine head is determined by its function iff `v ≠ 0`.
* `Semantics.affine_identifiable_of_dim_zero`: for `d = 0` every affine head is.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] {d : Nat}

/-- The affine score `xᵀ (W q + c)`. -/
def affineScore (W : Mat R d) (c : Vec R d) (x q : Vec R d) : R := finSum fun i => x i * (mulVec W q i + c i)

/-- The affine score is the bilinear score and a linear term in the token. -/
theorem affineScore_eq (W : Mat R d) (c x q : Vec R d) :
    affineScore W c x q = score W x q + finSum fun i => x i * c i := by
  rw [affineScore, score, ← finSum_add]
  exact finSum_congr fun i => mul_add _ _ _

/-- The queries for an affine head with the value vector `v`, of which `v p ≠ 0` is known: `[0]`, the `[eⱼ]`, the
`[uᵢ; 0]` and the `[eⱼ + uᵢ; eⱼ]`. -/
def affineQueries [DecidableEq K] (v : Vec K d) (p : Fin d) : List (Query R d) :=
  ([], 0) :: (basisQueries R d ++ ((List.finRange d).map fun i => ([Semantics.probe v p i], 0)) ++ rowQueries v p)

/-- There are `(d + 1)²` queries, the number of parameters of an affine head. -/
theorem length_affineQueries [DecidableEq K] (v : Vec K d) (p : Fin d) :
    (affineQueries (R := R) v p).length = (d + 1) * (d + 1) := by
  rw [affineQueries, List.length_cons, List.length_append, List.length_append, length_basisQueries, List.length_map,
    List.length_finRange, length_rowQueries, Nat.succ_mul, Nat.mul_succ, Nat.add_comm (d + d),
    ← Nat.add_assoc (d * d) d d, Nat.add_assoc (d * d + d) d 1]

namespace Semantics
variable (S : Semantics R K)

/-- The output of the affine head with scores `xᵀ (W q + c)` and values `⟨v, x⟩ + b`. -/
def evalAffine (W : Mat R d) (c : Vec R d) (v : Vec K d) (b : K) (xs : List (Vec R d)) (q : Vec R d) : K :=
  S.evalGeneral (affineScore W c) (fun x => S.inner v x + b) xs q

/-- On a sequence of length one the output of an affine head is its value. -/
theorem evalAffine_nil (W : Mat R d) (c : Vec R d) (v : Vec K d) (b : K) (q : Vec R d) :
    S.evalAffine W c v b [] q = S.inner v q + b := S.evalGeneral_nil _ _ q

/-- With `v = 0` the output is the constant `b`. -/
theorem evalAffine_zero (W : Mat R d) (c : Vec R d) (b : K) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalAffine W c 0 b xs q = b :=
  S.evalGeneral_of_const _ (fun x => by rw [zero_inner, zero_add]) xs q

/-- One score: if `⟨v, u⟩ ≠ 0`, the output on `[q + u; q]` determines `uᵀ (W q + c)`. -/
private theorem affineScore_eq_of_evalAffine {W W' : Mat R d} {c c' : Vec R d} {v : Vec K d} {b : K} {u q x : Vec R d}
    (hx : x = q + u) (hu : S.inner v u ≠ 0) (h : S.evalAffine W c v b [x] q = S.evalAffine W' c' v b [x] q) :
    affineScore W c u q = affineScore W' c' u q := by
  subst hx
  have hne : S.inner v (q + u) + b ≠ S.inner v q + b := fun e => hu (by rw [inner_add] at e; lin_comb (1) e)
  have h1 := S.score_sub_eq_of_evalGeneral hne h
  have e : ∀ (W : Mat R d) (c : Vec R d), affineScore W c (q + u) q - affineScore W c q q = affineScore W c u q :=
    fun W c => by
      rw [affineScore, affineScore, affineScore, ← finSum_sub]
      exact finSum_congr fun i => by rw [vadd_app]; ring
  rwa [e, e] at h1

/-- The directions determine a vector. -/
private theorem eq_of_sum_probe [DecidableEq K] {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) {y z : Vec R d}
    (h : ∀ i, (finSum fun j => probe v p i j * y j) = finSum fun j => probe v p i j * z j) : y = z := by
  have hb : ∀ (i : Fin d) (y : Vec R d), (finSum fun j => basis i j * y j) = y i := fun i y => by
    rw [finSum_single i fun j hj => by rw [basis_ne hj, zero_mul], basis_self, one_mul]
  have hrow : ∀ i, v i ≠ 0 → y i = z i := fun i hi => by
    have h1 := h i
    rwa [probe, if_pos hi, hb, hb] at h1
  funext i
  by_cases hi : v i ≠ 0
  · exact hrow i hi
  · have e : ∀ y : Vec R d, (finSum fun j => (basis i + basis p : Vec R d) j * y j) = y i + y p := fun y => by
      rw [← hb i y, ← hb p y, ← finSum_add]
      exact finSum_congr fun j => by rw [vadd_app]; ring
    have h1 := h i
    rw [probe, if_neg hi, e, e, hrow p hp] at h1
    lin_comb (1) h1

/-- **Uniqueness from `(d + 1)²` queries.** If `v p ≠ 0`, the answers of an affine head to `affineQueries v p`
determine it. -/
theorem affine_unique_queries [DecidableEq K] {W W' : Mat R d} {c c' : Vec R d} {v v' : Vec K d} {b b' : K} {p : Fin d}
    (hp : v p ≠ 0)
    (h : ∀ t ∈ affineQueries v p, S.evalAffine W c v b t.1 t.2 = S.evalAffine W' c' v' b' t.1 t.2) :
    W = W' ∧ c = c' ∧ v = v' ∧ b = b' := by
  have h0 := h ([], 0) List.mem_cons_self
  have h1 : ∀ j, S.evalAffine W c v b [] (basis j) = S.evalAffine W' c' v' b' [] (basis j) := fun j =>
    h ([], basis j) (List.mem_cons_of_mem _ (List.mem_append.mpr (.inl (List.mem_append.mpr
      (.inl (mem_basisQueries.mpr ⟨j, rfl⟩))))))
  have h2 : ∀ i, S.evalAffine W c v b [probe v p i] 0 = S.evalAffine W' c' v' b' [probe v p i] 0 := fun i =>
    h ([probe v p i], 0) (List.mem_cons_of_mem _ (List.mem_append.mpr (.inl (List.mem_append.mpr
      (.inr (List.mem_map.mpr ⟨i, List.mem_finRange i, rfl⟩))))))
  have h3 : ∀ i j, S.evalAffine W c v b [basis j + probe v p i] (basis j) =
      S.evalAffine W' c' v' b' [basis j + probe v p i] (basis j) := fun i j =>
    h ([basis j + probe v p i], basis j) (List.mem_cons_of_mem _ (List.mem_append.mpr (.inr
      (mem_rowQueries.mpr ⟨i, j, rfl⟩))))
  have hb : b = b' := by
    rw [evalAffine_nil, evalAffine_nil, inner_zero, inner_zero] at h0
    exact add_left_cancel h0
  subst hb
  have hv : v = v' := funext fun j => by
    have h4 := h1 j
    rw [evalAffine_nil, evalAffine_nil, inner_basis, inner_basis] at h4
    lin_comb (1) h4
  subst hv
  -- every query token `q` gives the vector `W q + c`
  have hq : ∀ q, (∀ i, affineScore W c (probe v p i) q = affineScore W' c' (probe v p i) q) →
      (fun i => mulVec W q i + c i) = fun i => mulVec W' q i + c' i := fun q hs => eq_of_sum_probe hp hs
  have hz : ∀ (W : Mat R d) (c : Vec R d) (i : Fin d), mulVec W 0 i + c i = c i := fun W c i => by
    rw [show mulVec W 0 i = 0 from finSum_zero fun j => mul_zero _, zero_add]
  have hc : c = c' := funext fun i => by
    have h4 := congrFun (hq 0 fun i => S.affineScore_eq_of_evalAffine (vzero_add _).symm (S.inner_probe hp i) (h2 i)) i
    rwa [hz, hz] at h4
  subst hc
  refine ⟨funext fun i => funext fun j => ?_, rfl, rfl, rfl⟩
  have h4 := congrFun (hq (basis j) fun i => S.affineScore_eq_of_evalAffine rfl (S.inner_probe hp i) (h3 i j)) i
  rw [mulVec_basis, mulVec_basis] at h4
  lin_comb (1) h4

/-- **The fibre of affine heads.** Two affine heads compute the same function iff their values agree and these are
constant, or the scores agree as well. -/
theorem affine_eq_iff {W W' : Mat R d} {c c' : Vec R d} {v v' : Vec K d} {b b' : K} :
    (∀ xs q, S.evalAffine W c v b xs q = S.evalAffine W' c' v' b' xs q) ↔
      v = v' ∧ b = b' ∧ (v = 0 ∨ W = W' ∧ c = c') := by
  constructor
  · intro h
    by_cases hv : v = 0
    · have hb : b = b' := by
        have h0 := h [] 0
        rw [evalAffine_nil, evalAffine_nil, inner_zero, inner_zero] at h0
        exact add_left_cancel h0
      subst hb
      refine ⟨funext fun j => ?_, rfl, .inl hv⟩
      have h1 := h [] (basis j)
      rw [evalAffine_nil, evalAffine_nil, inner_basis, inner_basis] at h1
      lin_comb (1) h1
    · haveI : DecidableEq K := fun _ _ => Classical.propDecidable _
      obtain ⟨p, hp⟩ := exists_ne_zero hv
      obtain ⟨h1, h2, h3, h4⟩ := S.affine_unique_queries hp fun t _ => h t.1 t.2
      exact ⟨h3, h4, .inr ⟨h1, h2⟩⟩
  · rintro ⟨rfl, rfl, rfl | ⟨rfl, rfl⟩⟩ xs q
    · rw [evalAffine_zero, evalAffine_zero]
    · rfl

/-- **Identifiability of affine heads.** For `d ≥ 1`, an affine head is determined by its function iff `v ≠ 0`. -/
theorem affine_identifiable_iff (hd : 0 < d) (W : Mat R d) (c : Vec R d) (v : Vec K d) (b : K) :
    (∀ (W' : Mat R d) (c' : Vec R d) (v' : Vec K d) (b' : K),
      (∀ xs q, S.evalAffine W c v b xs q = S.evalAffine W' c' v' b' xs q) →
        W = W' ∧ c = c' ∧ v = v' ∧ b = b') ↔ v ≠ 0 := by
  constructor
  · rintro h rfl
    obtain ⟨W', hW⟩ := S.exists_mat_ne hd W
    exact hW (h W' c 0 b (S.affine_eq_iff.mpr ⟨rfl, rfl, .inl rfl⟩)).1
  · intro hv W' c' v' b' h
    obtain ⟨h1, h2, h3⟩ := S.affine_eq_iff.mp h
    obtain ⟨h4, h5⟩ := h3.resolve_left hv
    exact ⟨h4, h5, h1, h2⟩

/-- `d ≥ 1` is needed: for `d = 0` every affine head is determined by its function, although `v = 0`. -/
theorem affine_identifiable_of_dim_zero (W : Mat R 0) (c : Vec R 0) (v : Vec K 0) (b : K) :
    (∀ (W' : Mat R 0) (c' : Vec R 0) (v' : Vec K 0) (b' : K),
      (∀ xs q, S.evalAffine W c v b xs q = S.evalAffine W' c' v' b' xs q) →
        W = W' ∧ c = c' ∧ v = v' ∧ b = b') ∧ v = 0 :=
  ⟨fun _ _ _ _ h =>
      ⟨funext fun i => i.elim0, funext fun i => i.elim0, funext fun i => i.elim0, (S.affine_eq_iff.mp h).2.1⟩,
    funext fun i => i.elim0⟩
end Semantics

end AttentionQueries
