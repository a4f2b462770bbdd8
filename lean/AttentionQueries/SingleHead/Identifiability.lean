import AttentionQueries.SingleHead.Formulas
import AttentionQueries.Algebra.List

/-! # SingleHead.Identifiability -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}
namespace Semantics
/-- two heads with the same `v` that agree on `[q + u; q]`, where `⟪v, u⟫ ≠ 0`, have the same score there -/
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

open Classical in
/-- probe direction for row `i`, with `⟪v, probe v p i⟫ ≠ 0` when `v p ≠ 0` -/
noncomputable def probe (v : Vec K d) (p i : Fin d) : Vec R d := if v i ≠ 0 then basis i else basis i + basis p
theorem inner_probe {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (i : Fin d) : S.inner v (probe v p i) ≠ 0 := by
  unfold probe
  split
  · rw [inner_basis]; assumption
  · rename_i h
    rw [inner_add, inner_basis, inner_basis, Classical.not_not.mp h, zero_add]
    exact hp

/-- **Uniqueness** from `d + d²` evaluations. -/
theorem head_unique {W W' : Mat R d} {v v' : Vec K d} {p : Fin d} (hp : v p ≠ 0)
    (h1 : ∀ i, S.eval W v [] (basis i) = S.eval W' v' [] (basis i))
    (h2 : ∀ i j, S.eval W v [basis j + probe v p i] (basis j) = S.eval W' v' [basis j + probe v p i] (basis j)) :
    v = v' ∧ W = W' := by
  have hv : v = v' := funext fun i => by
    have := h1 i
    rwa [eval_nil, eval_nil, inner_basis, inner_basis] at this
  subst hv
  have hs : ∀ i j, score W (probe v p i) (basis j) = score W' (probe v p i) (basis j) := fun i j =>
    S.score_of_eval_one (S.inner_probe hp i) (h2 i j)
  -- rows with `v i ≠ 0`, in particular row `p`
  have hrow : ∀ i j, v i ≠ 0 → W i j = W' i j := fun i j hi => by
    have := hs i j
    rwa [probe, if_pos hi, score_basis, score_basis] at this
  refine ⟨rfl, funext fun i => funext fun j => ?_⟩
  by_cases hi : v i ≠ 0
  · exact hrow i j hi
  · have := hs i j
    rw [probe, if_neg hi, score_add, score_add, score_basis, score_basis, score_basis, score_basis, hrow p j hp] at this
    lin_comb (1) this

theorem head_unique' {W W' : Mat R d} {v v' : Vec K d} (hv : v ≠ 0) (h : ∀ xs q, S.eval W v xs q = S.eval W' v' xs q) :
    v = v' ∧ W = W' := by
  obtain ⟨p, hp⟩ := exists_ne_zero hv
  exact S.head_unique hp (fun _ => h _ _) (fun _ _ => h _ _)

/-- **Nonidentifiability** of the score when the value vector vanishes -/
theorem eval_zero (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) : S.eval W (0 : Vec K d) xs q = 0 := by
  rw [eval, listSum_zero fun x _ => by rw [zero_inner, mul_zero], zero_div]

/-- the `d + d²` tests for one head -/
noncomputable def headTests (v : Vec K d) (p : Fin d) : List (List (Vec R d) × Vec R d) :=
  (List.finRange d).map (fun i => ([], basis i)) ++
    (List.finRange d).flatMap fun i => (List.finRange d).map fun j => ([basis j + probe v p i], basis j)
omit [CommRing R] in
theorem length_headTests [CommRing R] (v : Vec K d) (p : Fin d) : (headTests (R := R) v p).length = d + d * d := by
  rw [headTests, List.length_append, List.length_map, List.length_finRange,
    length_flatMap_const (n := d) fun _ => by rw [List.length_map, List.length_finRange], List.length_finRange]
theorem head_unique_list {W W' : Mat R d} {v v' : Vec K d} {p : Fin d} (hp : v p ≠ 0)
    (h : ∀ t ∈ headTests v p, S.eval W v t.1 t.2 = S.eval W' v' t.1 t.2) : v = v' ∧ W = W' :=
  S.head_unique hp
    (fun i => h ([], basis i) (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨i, List.mem_finRange i, rfl⟩))))
    (fun i j => h ([basis j + probe v p i], basis j) (List.mem_append.mpr (.inr (List.mem_flatMap.mpr
      ⟨i, List.mem_finRange i, List.mem_map.mpr ⟨j, List.mem_finRange j, rfl⟩⟩))))
end Semantics

end AttentionQueries
