import AttentionQueries.SingleHead.Formulas

/-! # One head: what its function determines

A head `(W, v)` computes a function of sequences. If `v ≠ 0`, this function, and already its values on an explicit
list of `d² + d` queries, determine `W` and `v`. If `v = 0`, the function is zero and says nothing about `W`.

The list begins with the `d` queries `[eᵢ]`; the other `d²` are `[eⱼ + uᵢ; eⱼ]`, where the directions `uᵢ` depend on
the answers to the first ones, and on nothing else: with `p` the first index with `v p ≠ 0`, the direction `uᵢ` is
`eᵢ` if `v i ≠ 0` and `eᵢ + eₚ` otherwise, so that `⟨v, uᵢ⟩ ≠ 0`.

## Main definitions

* `firstNZ v`: the first index with `v p ≠ 0`, if there is one.
* `Semantics.probe v p i`: the direction `uᵢ`.
* `headQueries v`: the explicit list of queries.

## Main statements

* `Semantics.head_unique_queries`: a head with `v ≠ 0` is determined by its answers to `headQueries v`.
* `length_headQueries`, `length_of_mem_headQueries`: there are `d² + d` of them, none longer than two.
* `Semantics.headQueries_eval`: the list is computed from the outputs on sequences of length one.
* `Semantics.eval_eq_iff`: two heads compute the same function iff their value vectors agree and are zero, or their
  score matrices agree as well. Valid for every `d`.
* `Semantics.head_identifiable_iff`: for `d ≥ 1`, a head is determined by its function iff `v ≠ 0`.
* `Semantics.head_identifiable_of_dim_zero`: for `d = 0` the equivalence fails, all heads being equal.

## References

Theorem 4.1 of arXiv 2601.16873 (v2 numbering as reported) is the upper bound `O(d²)`; the exact list and the
equivalence are ours. -/

namespace AttentionQueries
open CommRing OrderedField

/-! ## The first nonzero entry -/
section
variable {K : Type} [OrderedField K] [DecidableEq K]

/-- The first index at which a vector does not vanish, if there is one. -/
def firstNZ : {d : Nat} → Vec K d → Option (Fin d)
  | 0, _ => none
  | _ + 1, v => if v 0 = 0 then (firstNZ fun i => v i.succ).map Fin.succ else some 0

/-- At the index found the vector does not vanish. -/
theorem firstNZ_some : ∀ {d : Nat} {v : Vec K d} {p : Fin d}, firstNZ v = some p → v p ≠ 0
  | 0, _, p, _ => p.elim0
  | d + 1, v, p, h => by
    rw [firstNZ] at h
    split at h
    · cases h1 : firstNZ fun i => v i.succ with
      | none => rw [h1] at h; cases h
      | some i => rw [h1] at h; cases h; exact firstNZ_some (v := fun i => v i.succ) h1
    · cases h; assumption

/-- If no index is found, the vector is zero. -/
theorem firstNZ_none : ∀ {d : Nat} {v : Vec K d}, firstNZ v = none → v = 0
  | 0, _, _ => funext fun i => i.elim0
  | d + 1, v, h => by
    rw [firstNZ] at h
    split at h
    · rename_i h0
      cases h1 : firstNZ fun i => v i.succ with
      | some i => rw [h1] at h; cases h
      | none =>
        funext i
        induction i using Fin.cases with
        | zero => exact h0
        | succ i => exact congrFun (firstNZ_none h1) i
    · cases h

/-- An index is found exactly when the vector is not zero. -/
theorem firstNZ_eq_none_iff {d : Nat} {v : Vec K d} : firstNZ v = none ↔ v = 0 := by
  refine ⟨firstNZ_none, fun h => ?_⟩
  cases hp : firstNZ v with
  | none => rfl
  | some p => exact absurd (congrFun h p) (firstNZ_some hp)

end

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-! ## The queries -/

namespace Semantics

/-- The direction for row `i` of the score matrix, given an index `p` with `v p ≠ 0`: `eᵢ` if `v i ≠ 0`, otherwise
`eᵢ + eₚ`. -/
def probe [DecidableEq K] (v : Vec K d) (p i : Fin d) : Vec R d := if v i ≠ 0 then basis i else basis i + basis p

/-- The value of a direction does not vanish. -/
theorem inner_probe [DecidableEq K] {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (i : Fin d) :
    S.inner v (probe v p i) ≠ 0 := by
  unfold probe
  split
  · rw [inner_basis]; assumption
  · rename_i h
    rw [inner_add, inner_basis, inner_basis, Classical.not_not.mp h, zero_add]
    exact hp

end Semantics

/-- The `d` queries `[eᵢ]` of length one. -/
def basisQueries (R : Type) [CommRing R] (d : Nat) : List (Query R d) :=
  (List.finRange d).map fun i => ([], basis i)

section
variable [DecidableEq K]

/-- The `d²` queries `[eⱼ + uᵢ; eⱼ]` of length two, for the directions `uᵢ` of the value vector `v` and the index `p`.
-/
def rowQueries (v : Vec K d) (p : Fin d) : List (Query R d) :=
  (List.finRange d).flatMap fun i => (List.finRange d).map fun j => ([basis j + Semantics.probe v p i], basis j)

/-- The queries for one head with the value vector `v`, of which `v p ≠ 0` is known. -/
def Semantics.headTests (v : Vec K d) (p : Fin d) : List (Query R d) := basisQueries R d ++ rowQueries v p

/-- **The queries for one head** with the value vector `v`: the `d` queries of length one and, unless `v = 0`, the
`d²` queries of length two for the first `p` with `v p ≠ 0`. -/
def headQueries (v : Vec K d) : List (Query R d) := basisQueries R d ++
  match firstNZ v with
  | none => []
  | some p => rowQueries v p

omit [DecidableEq K] in
/-- There are `d` queries of length one. -/
theorem length_basisQueries : (basisQueries R d).length = d := by
  rw [basisQueries, List.length_map, List.length_finRange]

/-- There are `d²` queries of length two. -/
theorem length_rowQueries (v : Vec K d) (p : Fin d) : (rowQueries (R := R) v p).length = d * d := by
  rw [rowQueries, length_flatMap_const (n := d) fun i => by rw [List.length_map, List.length_finRange],
    List.length_finRange]

/-- With the index given, there are `d + d²` queries. -/
theorem Semantics.length_headTests (v : Vec K d) (p : Fin d) : (headTests (R := R) v p).length = d + d * d := by
  rw [headTests, List.length_append, length_basisQueries, length_rowQueries]

omit [DecidableEq K] in
/-- The queries of length one are the `[eᵢ]`. -/
theorem mem_basisQueries {t : Query R d} : t ∈ basisQueries R d ↔ ∃ i, t = ([], basis i) := by
  rw [basisQueries, List.mem_map]
  exact ⟨fun ⟨i, _, h⟩ => ⟨i, h.symm⟩, fun ⟨i, h⟩ => ⟨i, List.mem_finRange i, h.symm⟩⟩

/-- The queries of length two are the `[eⱼ + uᵢ; eⱼ]`. -/
theorem mem_rowQueries {v : Vec K d} {p : Fin d} {t : Query R d} :
    t ∈ rowQueries v p ↔ ∃ i j, t = ([basis j + Semantics.probe v p i], basis j) := by
  simp only [rowQueries, List.mem_flatMap, List.mem_map]
  exact ⟨fun ⟨i, _, j, _, h⟩ => ⟨i, j, h.symm⟩,
    fun ⟨i, j, h⟩ => ⟨i, List.mem_finRange i, j, List.mem_finRange j, h.symm⟩⟩

/-- For `v ≠ 0` the list of queries is that of some index `p` with `v p ≠ 0`. -/
theorem headQueries_eq {v : Vec K d} (hv : v ≠ 0) :
    ∃ p, v p ≠ 0 ∧ headQueries (R := R) v = Semantics.headTests v p := by
  cases h : firstNZ v with
  | none => exact absurd (firstNZ_none h) hv
  | some p => exact ⟨p, firstNZ_some h, by rw [headQueries, h]; rfl⟩

/-- **The number of queries**: `d² + d` for `v ≠ 0`, and `d` for `v = 0`. -/
theorem length_headQueries (v : Vec K d) :
    (v ≠ 0 → (headQueries (R := R) v).length = d * d + d) ∧ (v = 0 → (headQueries (R := R) v).length = d) := by
  constructor
  · intro hv
    obtain ⟨p, -, h⟩ := headQueries_eq (R := R) hv
    rw [h, Semantics.length_headTests, Nat.add_comm]
  · intro hv
    rw [headQueries, firstNZ_eq_none_iff.mpr hv, List.length_append, length_basisQueries]
    rfl

/-- **The length of the queries**: at most two tokens, the query token included. -/
theorem length_of_mem_headQueries {v : Vec K d} {t : Query R d} (ht : t ∈ headQueries v) : Query.length t ≤ 2 := by
  rw [headQueries] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
    exact Nat.le_succ 1
  · split at ht
    · cases ht
    · obtain ⟨i, j, rfl⟩ := mem_rowQueries.mp ht
      exact Nat.le_refl 2

end

/-! ## Uniqueness -/

namespace Semantics

/-- The `d` answers to the queries of length one are the entries of `v`. -/
theorem eval_basis (W : Mat R d) (v : Vec K d) : (fun i => S.eval W v [] (basis i)) = v := funext fun i => by
  rw [eval_nil, inner_basis]

/-- **Adaptivity.** The queries for a head are computed from its outputs on sequences of length one, by the function
`headQueries`, which knows nothing else about the head. -/
theorem headQueries_eval [DecidableEq K] (W : Mat R d) (v : Vec K d) :
    headQueries (R := R) (fun i => S.eval W v [] (basis i)) = headQueries v := by rw [eval_basis]

/-- Two heads with the same `v` that agree on `[q + u; q]`, where `⟨v, u⟩ ≠ 0`, have the same score there. -/
theorem score_of_eval_one {W W' : Mat R d} {v : Vec K d} {u q : Vec R d} (hu : S.inner v u ≠ 0)
    (h : S.eval W v [q + u] q = S.eval W' v [q + u] q) : score W u q = score W' u q := by
  have e : ∀ W : Mat R d, (S.exp (score W u q) / (S.exp (score W u q) + 1)) * (S.exp (score W u q) + 1) = _ := fun W =>
    div_mul_cancel _ (pos_ne (add_pos (S.exp_pos _) one_pos))
  rw [eval_one, eval_one] at h
  have h2 := mul_left_cancel hu (add_left_cancel h)
  have e1 := e W
  have e2 := e W'
  rw [h2] at e1
  apply S.exp_inj
  generalize S.exp (score W' u q) / (S.exp (score W' u q) + 1) = f at *
  generalize S.exp (score W u q) = x at *
  generalize S.exp (score W' u q) = y at *
  -- `f * (x + 1) = x` and `f * (y + 1) = y`
  lin_comb (-(y + 1)) e1 + (x + 1) e2

/-- The scores of the directions determine the score matrix. -/
private theorem eq_of_score_probe [DecidableEq K] {W W' : Mat R d} {v : Vec K d} {p : Fin d} (hp : v p ≠ 0)
    (hs : ∀ i j, score W (probe v p i) (basis j) = score W' (probe v p i) (basis j)) : W = W' := by
  -- rows with `v i ≠ 0`, in particular row `p`
  have hrow : ∀ i j, v i ≠ 0 → W i j = W' i j := fun i j hi => by
    have := hs i j
    rwa [probe, if_pos hi, score_basis, score_basis] at this
  refine funext fun i => funext fun j => ?_
  by_cases hi : v i ≠ 0
  · exact hrow i j hi
  · have := hs i j
    rw [probe, if_neg hi, score_add, score_add, score_basis, score_basis, score_basis, score_basis, hrow p j hp] at this
    lin_comb (1) this

/-- **Uniqueness** from the `d + d²` outputs on `[eᵢ]` and `[eⱼ + uᵢ; eⱼ]`. -/
theorem head_unique [DecidableEq K] {W W' : Mat R d} {v v' : Vec K d} {p : Fin d} (hp : v p ≠ 0)
    (h1 : ∀ i, S.eval W v [] (basis i) = S.eval W' v' [] (basis i))
    (h2 : ∀ i j, S.eval W v [basis j + probe v p i] (basis j) = S.eval W' v' [basis j + probe v p i] (basis j)) :
    v = v' ∧ W = W' := by
  have hv : v = v' := by rw [← S.eval_basis W v, ← S.eval_basis W' v']; exact funext h1
  subst hv
  exact ⟨rfl, eq_of_score_probe hp fun i j => S.score_of_eval_one (S.inner_probe hp i) (h2 i j)⟩

/-- **Uniqueness** from the answers to the list of queries for an index `p` with `v p ≠ 0`. -/
theorem head_unique_list [DecidableEq K] {W W' : Mat R d} {v v' : Vec K d} {p : Fin d} (hp : v p ≠ 0)
    (h : ∀ t ∈ headTests v p, S.eval W v t.1 t.2 = S.eval W' v' t.1 t.2) : v = v' ∧ W = W' :=
  S.head_unique hp
    (fun i => h ([], basis i) (List.mem_append.mpr (.inl (mem_basisQueries.mpr ⟨i, rfl⟩))))
    (fun i j => h ([basis j + probe v p i], basis j) (List.mem_append.mpr (.inr (mem_rowQueries.mpr ⟨i, j, rfl⟩))))

/-- **Uniqueness from `d² + d` queries.** A head with `v ≠ 0` is the only one with its answers to the queries
`headQueries v`. -/
theorem head_unique_queries [DecidableEq K] {W W' : Mat R d} {v v' : Vec K d} (hv : v ≠ 0)
    (h : ∀ t ∈ headQueries v, S.eval W v t.1 t.2 = S.eval W' v' t.1 t.2) : v = v' ∧ W = W' := by
  obtain ⟨p, hp, e⟩ := headQueries_eq (R := R) hv
  exact S.head_unique_list hp fun t ht => h t (by rw [e]; exact ht)

/-- **Uniqueness** from the function: a head with `v ≠ 0` is the only one that computes its function. -/
theorem head_unique' {W W' : Mat R d} {v v' : Vec K d} (hv : v ≠ 0)
    (h : ∀ xs q, S.eval W v xs q = S.eval W' v' xs q) : v = v' ∧ W = W' := by
  obtain ⟨p, hp⟩ := exists_ne_zero hv
  haveI : DecidableEq K := fun _ _ => Classical.propDecidable _
  exact S.head_unique hp (fun _ => h _ _) (fun _ _ => h _ _)

/-! ## The value vector zero, and the complete picture -/

/-- **`v = 0` makes `W` irrelevant**: the function is zero, whatever the score matrix. -/
theorem eval_zero (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) : S.eval W (0 : Vec K d) xs q = 0 := by
  rw [eval, listSum_zero fun x _ => by rw [zero_inner, mul_zero], zero_div]

/-- **The fibre of one head**: two heads compute the same function iff their value vectors agree and either vanish, or
the score matrices agree as well. -/
theorem eval_eq_iff {W W' : Mat R d} {v v' : Vec K d} :
    (∀ xs q, S.eval W v xs q = S.eval W' v' xs q) ↔ v = v' ∧ (v = 0 ∨ W = W') := by
  constructor
  · intro h
    by_cases hv : v = 0
    · refine ⟨?_, .inl hv⟩
      rw [← S.eval_basis W v, ← S.eval_basis W' v']
      exact funext fun i => h [] (basis i)
    · exact ⟨(S.head_unique' hv h).1, .inr (S.head_unique' hv h).2⟩
  · rintro ⟨rfl, rfl | rfl⟩ xs q
    · rw [eval_zero, eval_zero]
    · rfl

include S in
/-- For `d ≥ 1` there is a score matrix different from a given one. -/
theorem exists_mat_ne (hd : 0 < d) (W : Mat R d) : ∃ W' : Mat R d, W ≠ W' := by
  refine ⟨fun i j => W i j + 1, fun e => S.scalar_one_ne_zero ?_⟩
  have h := congrFun (congrFun e ⟨0, hd⟩) ⟨0, hd⟩
  lin_comb (-1) h

/-- **Non-identifiability**: for `d ≥ 1` every head with `v = 0` shares its function with a different head. -/
theorem exists_ne_of_value_zero (hd : 0 < d) (W : Mat R d) :
    ∃ W' : Mat R d, W ≠ W' ∧ ∀ xs q, S.eval W (0 : Vec K d) xs q = S.eval W' 0 xs q := by
  obtain ⟨W', hW⟩ := S.exists_mat_ne hd W
  exact ⟨W', hW, fun xs q => by rw [eval_zero, eval_zero]⟩

/-- **Identifiability.** For `d ≥ 1`, a head is determined by its function iff its value vector is not zero. -/
theorem head_identifiable_iff (hd : 0 < d) (W : Mat R d) (v : Vec K d) :
    (∀ (W' : Mat R d) (v' : Vec K d), (∀ xs q, S.eval W v xs q = S.eval W' v' xs q) → v = v' ∧ W = W') ↔ v ≠ 0 := by
  constructor
  · rintro h rfl
    obtain ⟨W', hW, he⟩ := S.exists_ne_of_value_zero hd W
    exact hW (h W' 0 he).2
  · exact fun hv W' v' h => S.head_unique' hv h

/-- **`d ≥ 1` is needed**: for `d = 0` every head is determined by its function, although its value vector is zero. -/
theorem head_identifiable_of_dim_zero (W : Mat R 0) (v : Vec K 0) :
    (∀ (W' : Mat R 0) (v' : Vec K 0), (∀ xs q, S.eval W v xs q = S.eval W' v' xs q) → v = v' ∧ W = W') ∧ v = 0 :=
  ⟨fun _ _ _ => ⟨funext fun i => i.elim0, funext fun i => i.elim0⟩, funext fun i => i.elim0⟩

end Semantics

end AttentionQueries
