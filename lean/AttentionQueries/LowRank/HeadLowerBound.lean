import AttentionQueries.LowRank.Head
import AttentionQueries.LowRank.LowerBound
import AttentionQueries.SingleHead.Optimality

/-! # How many queries a head of low rank needs

A query with at most two distinct tokens sees the score matrix through one score. So the lower bounds on scores
are lower bounds on such queries.

## Main statements

* `Semantics.queries_needed`: a program that asks fewer than `r d + (d - r)` queries with at most two distinct
  tokens of a head `(W, v)` behaves alike against a head `(W', v)` with `W' ≠ W`, whose rank exceeds that of `W`
  by at most `r`.
* `Semantics.queries_needed_promise`: with the promise of rank at most `r`, so many queries are needed against
  `W = 0`, even if `v` is known. For `r = 1` this is `2 d - 1`, for `r = d` it is `d²`. -/

namespace AttentionQueries
open CommRing Matrix LowRank

namespace Semantics
variable {R K α : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- Casting the entries does not raise the rank. -/
theorem rankLE_castM {r : Nat} {W : Mat R d} (h : RankLE r W) : RankLE r (S.castM W) := by
  obtain ⟨l, hl, rfl⟩ := h
  refine ⟨l.map fun t => ((fun i => S.cast (t.1 i)), fun j => S.cast (t.2 j)), by rw [List.length_map, hl],
    funext fun i => funext fun j => ?_⟩
  rw [castM, osum, osum, listSum_map]
  clear hl
  induction l with
  | nil => exact S.cast_zero
  | cons t l ih => rw [listSum_cons, S.cast_add, S.cast_mul, ih, listSum_cons]

/-- **Lower bound on queries.** If a program asks a head `(W, v)` only queries with at most two distinct tokens,
fewer than `r d + (d - r)` of them, then it asks the same and ends alike against a head `(W', v)` with `W' ≠ W`,
whose rank exceeds that of `W` by at most `r`. -/
theorem queries_needed {r : Nat} (hr : 1 ≤ r) (hrd : r ≤ d) (P : QueryProgram (Query R d) K α) (W : Mat R d)
    (v : Vec K d)
    (h2 : ∀ t ∈ P.queries (S.oracle W v), AtMostTwoTokens t)
    (h : (P.queries (S.oracle W v)).length < r * d + (d - r)) :
    ∃ W' : Mat R d, W' ≠ W ∧ (∀ s, RankLE s W → RankLE (s + r) W') ∧
      P.run (S.oracle W v) = P.run (S.oracle W' v) ∧ P.queries (S.oracle W v) = P.queries (S.oracle W' v) := by
  -- the score that each query sees
  obtain ⟨x, hx⟩ := Classical.axiomOfChoice fun t : Query R d =>
    show ∃ x : Vec R d, t ∈ P.queries (S.oracle W v) → ∀ y ∈ t.1, y = x ∨ y = t.2 from
      Classical.byCases (fun ht : t ∈ P.queries (S.oracle W v) => (h2 t ht).elim fun x hx => ⟨x, fun _ => hx⟩)
        fun ht => ⟨0, fun h => absurd h ht⟩
  obtain ⟨D, hD, hrank, h0⟩ := exists_low_rank_form (isDomain S) hr hrd (Nat.le_trans hr hrd)
    ((P.queries (S.oracle W v)).map fun t => (x t - t.2, t.2)) (by rw [List.length_map]; exact h)
  refine ⟨W + D, fun e => hD (funext fun i => funext fun j => add_left_cancel (a := W i j) ?_),
    fun s hs => hs.add hrank, P.run_congr fun t ht => S.eval_eq_of_score_eq v (hx t ht) ?_⟩
  · exact (congrFun (congrFun e i) j).trans (add_zero _).symm
  · have e : form D (x t - t.2) t.2 = 0 := h0 _ (List.mem_map.mpr ⟨t, ht, rfl⟩)
    show form W (x t - t.2) t.2 = form (W + D) (x t - t.2) t.2
    rw [form_add, e, add_zero]

/-- **With the promise of rank at most `r`**, a program that asks queries with at most two distinct tokens needs
`r d + (d - r)` of them against `W = 0`: if it asks fewer, it does not tell this head from some other one of
rank at most `r` with the same value vector. -/
theorem queries_needed_promise {r : Nat} (hr : 1 ≤ r) (hrd : r ≤ d) (P : QueryProgram (Query R d) K α) (v : Vec K d)
    (h2 : ∀ t ∈ P.queries (S.oracle 0 v), AtMostTwoTokens t)
    (h : (P.queries (S.oracle 0 v)).length < r * d + (d - r)) :
    ∃ W : Mat R d, W ≠ 0 ∧ RankLE r (S.castM W) ∧ P.run (S.oracle W v) = P.run (S.oracle 0 v) := by
  obtain ⟨W, hW, hrank, hrun, -⟩ := S.queries_needed hr hrd P 0 v h2 h
  have := hrank 0 (rankLE_zero.mpr rfl)
  rw [Nat.zero_add] at this
  exact ⟨W, hW, S.rankLE_castM this, hrun.symm⟩
end Semantics

end AttentionQueries
