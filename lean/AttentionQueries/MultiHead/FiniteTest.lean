import AttentionQueries.Algebra.LinearSystem
import AttentionQueries.MultiHead.Fibre

/-! # Finitely many sequences decide equality over known score matrices

For `N` admissible score matrices there are `d N` sequences, of length at most `N` and made of at most two distinct
tokens, on which all models with these matrices are distinguished. The value vectors of such models have `d N` free
entries on which the outputs depend linearly, so no smaller number suffices.

## Main statements

* `Semantics.exists_directions`: linearly independent directions along which the matrices have different scores.
* `Semantics.finite_test`: `d N` sequences suffice.
* `Semantics.finite_test_optimal`: fewer than `d N` sequences, however chosen, do not.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

namespace Semantics

include S in
/-- For all large `t` the direction `eᵢ + t u` separates the scores of two matrices that `u` separates. -/
private theorem eventually_separates {W W' : Mat R d} {u q : Vec R d} (i : Fin d)
    (h : W ≠ W' → score W u q ≠ score W' u q) : Eventually fun t => W ≠ W' →
      score W (basis i + smul (natCast t) u) q ≠ score W' (basis i + smul (natCast t) u) q := by
  by_cases hne : W = W'
  · exact ⟨0, fun _ _ h' => absurd hne h'⟩
  obtain ⟨N, hN⟩ := eventually_ne (a := S.cast (score (W - W') (basis i) q)) (b := S.cast (score (W - W') u q))
    (.inr (S.cast_ne fun e => h hne (sub_eq_zero.mp ((score_sub_mat W W' u q).symm.trans e))))
  refine ⟨N, fun t ht _ e => hN t ht ?_⟩
  rw [← S.cast_natCast, ← S.cast_mul, ← S.cast_add, ← score_smul, ← score_add, score_sub_mat, e, sub_self, cast_zero]

/-- **Directions.** For a finite list of matrices there are a query token and linearly independent directions (no
nonzero functional vanishes on all of them) along each of which different matrices have different scores. -/
theorem exists_directions (Ws : List (Mat R d)) : ∃ (q : Vec R d) (U : Fin d → Vec R d),
    (∀ i, ∀ W ∈ Ws, ∀ W' ∈ Ws, W ≠ W' → score W (U i) q ≠ score W' (U i) q) ∧
      ∀ v : Vec K d, (∀ i, S.inner v (U i) = 0) → v = 0 := by
  obtain ⟨u, q, hs, -⟩ := S.sep_scores Ws [] fun _ h => nomatch h
  obtain ⟨N, hN⟩ := Eventually.list (List.finRange d) fun i _ => Eventually.list Ws fun W hW => Eventually.list Ws
    fun W' hW' => S.eventually_separates i (hs W hW W' hW')
  obtain ⟨M, hM⟩ := eventually_ne (a := (1 : K)) (b := S.cast (finSum u)) (.inl fun e => zero_ne_one e.symm)
  have hN := hN (max N M) (Nat.le_max_left N M)
  have hM := hM (max N M) (Nat.le_max_right N M)
  generalize max N M = t at hN hM
  refine ⟨q, fun i => basis i + smul (natCast t) u, fun i W hW W' hW' => hN i (List.mem_finRange i) W hW W' hW',
    fun v hv => ?_⟩
  -- `v = -t ⟪v, u⟫ (1, …, 1)`, hence `⟪v, u⟫ (1 + t ∑ u) = 0`
  have hvi : ∀ i, v i = -(natCast t * S.inner v u) := fun i => by
    have h := hv i
    rw [inner_add, inner_basis, inner_smul, cast_natCast] at h
    lin_comb (1) h
  have hu : S.inner v u = -(natCast t * S.inner v u) * S.cast (finSum u) := by
    rw [cast_finSum, ← finSum_mul]
    exact congrArg finSum (funext fun i => by rw [← hvi])
  have h0 : S.inner v u = 0 := (mul_eq_zero (show S.inner v u * (1 + natCast t * S.cast (finSum u)) = 0 by
    lin_comb (1) hu)).resolve_right hM
  exact funext fun i => by rw [hvi, h0, mul_zero, neg_zero]; rfl

/-- If the outputs of two models agree on all sequences of length one, the value vectors of their merged formal
difference sum to zero. -/
theorem valueSum_diff [DecidableEq R] {H H' : List (Head R K d)}
    (h : ∀ i, S.evalHeads H [] (basis i) = S.evalHeads H' [] (basis i)) :
    valueSum (mergeHeads (H ++ negHeads H')) = 0 :=
  S.valueSum_eq_zero fun i => by rw [evalHeads_mergeHeads, evalHeads_diff, h, sub_self]

/-- **Finite test over known matrices.** For a list `Ws` of `N` matrices there are `d N` sequences, of length at most
`N`, that distinguish all models with score matrices in `Ws`: two such models that agree on them compute the same
function. -/
theorem finite_test (Ws : List (Mat R d)) : ∃ T : List (Query R d),
    T.length = d * Ws.length ∧ (∀ t ∈ T, Query.length t ≤ Ws.length) ∧
    ∀ H H' : List (Head R K d), (∀ h ∈ H, h.W ∈ Ws) → (∀ h ∈ H', h.W ∈ Ws) →
      (∀ t ∈ T, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) → ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q := by
  classical
  rcases Nat.eq_zero_or_pos Ws.length with h0 | hpos
  · refine ⟨[], by rw [h0]; rfl, (fun _ h => nomatch h), fun H H' hH hH' _ _ _ => ?_⟩
    rw [List.length_eq_zero_iff.mp h0] at hH hH'
    have nil : ∀ {G : List (Head R K d)}, (∀ g ∈ G, g.W ∈ ([] : List (Mat R d))) → G = [] := fun {G} hG => by
      cases G with
      | nil => rfl
      | cons g G => exact nomatch hG g List.mem_cons_self
    rw [nil hH, nil hH']
  obtain ⟨N, hN⟩ : ∃ N, Ws.length = N + 1 := ⟨Ws.length - 1, (Nat.sub_add_cancel hpos).symm⟩
  obtain ⟨q, U, hs, hU⟩ := S.exists_directions Ws
  refine ⟨(List.finRange d).map (fun i => ([], basis i)) ++ (List.finRange d).flatMap fun i =>
    (List.range N).map fun n => (copies 1 n (U i) q, q), ?_, fun t ht => ?_, fun H H' hH hH' hT => ?_⟩
  · rw [List.length_append, List.length_map, List.length_finRange,
      length_flatMap_const (n := N) fun _ => by rw [List.length_map, List.length_range], List.length_finRange, hN,
      Nat.mul_succ, Nat.add_comm]
  · rw [hN]
    rcases List.mem_append.mp ht with ht | ht
    · obtain ⟨i, -, rfl⟩ := List.mem_map.mp ht
      exact Nat.succ_le_succ (Nat.zero_le N)
    · obtain ⟨i, -, ht⟩ := List.mem_flatMap.mp ht
      obtain ⟨n, hn, rfl⟩ := List.mem_map.mp ht
      refine Nat.succ_le_succ (Nat.le_trans (Nat.le_of_eq ?_) (Nat.succ_le_of_lt (List.mem_range.mp hn)))
      rw [copies, List.length_append, List.length_replicate, List.length_replicate, Nat.add_comm]
  -- it is enough that the merged difference has zero values
  have hmem : ∀ g ∈ mergeHeads (H ++ negHeads H'), g.W ∈ Ws := fun g hg => by
    obtain ⟨h, hh, e⟩ := mem_mergeHeads hg
    rw [e]
    rcases List.mem_append.mp hh with hh | hh
    · exact hH h hh
    · obtain ⟨h', hh', rfl⟩ := List.mem_map.mp hh
      exact hH' h' hh'
  have hd := mergeHeads_distinct (H ++ negHeads H')
  have hlen := length_le_of_distinct Head.W hd hmem
  have h0 := S.valueSum_diff fun i => hT ([], basis i)
    (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨i, List.mem_finRange i, rfl⟩)))
  have hv : ∀ g ∈ mergeHeads (H ++ negHeads H'), g.v = 0 := fun g hg => hU g.v fun i => by
    obtain ⟨G', hp⟩ := perm_of_mem hg
    have hd' := (List.pairwise_cons.mp (perm_pairwise (fun _ _ hab e => hab e.symm) hp hd)).1
    refine S.inner_eq_zero (q := q) (G := G') (fun g' hg' => hs i _ (hmem g hg) _ (hmem g' ?_) (hd' g' hg')) ?_
      fun n hn => ?_
    · exact (List.Perm.mem_iff (List.Perm.symm hp)).mp (List.mem_cons_of_mem g hg')
    · rw [← h0]; exact funext fun j => (listSum_perm hp _).symm
    · rw [← S.evalHeads_perm hp, evalHeads_mergeHeads, evalHeads_diff, sub_eq_zero]
      refine hT (copies 1 n (U i) q, q) (List.mem_append.mpr (.inr (List.mem_flatMap.mpr ⟨i, List.mem_finRange i,
        List.mem_map.mpr ⟨n, List.mem_range.mpr (Nat.lt_of_lt_of_le hn ?_), rfl⟩⟩)))
      rw [List.Perm.length_eq hp, hN] at hlen
      exact Nat.le_of_succ_le_succ hlen
  intro xs q
  apply sub_eq_zero.mp
  rw [← evalHeads_diff, ← evalHeads_mergeHeads]
  exact listSum_zero fun g hg => by rw [hv g hg, eval_zero]

/-- **The number `d N` is optimal.** For `N` distinct matrices and fewer than `d N` sequences, of any lengths, some
model with score matrices among the given ones has output zero on all these sequences, like the model without heads, but not
on all sequences. -/
theorem finite_test_optimal {N : Nat} {W : Fin N → Mat R d} (hW : ∀ i j, W i = W j → i = j)
    {T : List (Query R d)} (hT : T.length < d * N) :
    ∃ H : List (Head R K d), (∀ h ∈ H, ∃ i, h.W = W i) ∧ (∀ t ∈ T, S.evalHeads H t.1 t.2 = S.evalHeads [] t.1 t.2) ∧
      ∃ xs q, S.evalHeads H xs q ≠ S.evalHeads [] xs q := by
  have hd : 0 < d := Nat.pos_of_ne_zero fun e =>
    Nat.not_lt_zero _ (Nat.lt_of_lt_of_eq hT ((congrArg (· * N) e).trans (Nat.zero_mul N)))
  -- one head for each matrix and each basis vector, with unknown coefficients
  have hdiv : ∀ k : Fin (d * N), k.val / d < N := fun k =>
    (Nat.div_lt_iff_lt_mul hd).mpr (Nat.lt_of_lt_of_eq k.isLt (Nat.mul_comm d N))
  let M : Fin (d * N) → Mat R d := fun k => W ⟨k.val / d, hdiv k⟩
  let e : Fin (d * N) → Fin d := fun k => ⟨k.val % d, Nat.mod_lt _ hd⟩
  have hinj : ∀ k l, M k = M l → e k = e l → k = l := fun k l h1 h2 => Fin.ext (by
    have h1' : k.val / d = l.val / d := congrArg Fin.val (hW _ _ h1)
    have h2' : k.val % d = l.val % d := congrArg Fin.val h2
    rw [← Nat.div_add_mod k.val d, ← Nat.div_add_mod l.val d, h1', h2'])
  obtain ⟨x, hx, hsol⟩ := exists_ne_zero_solution (.of_orderedField K)
    (T.map fun t k => S.eval (M k) (basis (e k)) t.1 t.2) (by rw [List.length_map]; exact hT)
  let H : List (Head R K d) := (List.finRange (d * N)).map fun k => ⟨M k, fun i => x k * basis (e k) i⟩
  refine ⟨H, fun h hh => ?_, fun t ht => ?_, Classical.byContradiction fun hn => ?_⟩
  · obtain ⟨k, -, rfl⟩ := List.mem_map.mp hh
    exact ⟨_, rfl⟩
  · have h0 := hsol _ (List.mem_map.mpr ⟨t, ht, rfl⟩)
    show listSum ((List.finRange (d * N)).map _) _ = (0 : K)
    rw [listSum_map, ← finSum_eq_listSum, ← h0]
    refine congrArg finSum (funext fun k => ?_)
    rw [eval_scale, mul_comm]
  · obtain ⟨k, hk⟩ := exists_ne_zero hx
    have ht := congrFun ((S.fibre H []).mp (fun xs q => Classical.byContradiction fun h => hn ⟨xs, q, h⟩) (M k)) (e k)
    refine hk (Eq.trans ?_ ht)
    show x k = listSum ((List.finRange (d * N)).map _) _
    rw [listSum_map, ← finSum_eq_listSum, finSum_single k fun l hl => ?_]
    · rw [if_pos rfl]
      show x k = x k * basis (e k) (e k)
      rw [basis_self, mul_one]
    · split
      · rename_i h
        show x l * basis (e l) (e k) = 0
        rw [basis_ne fun h' => hl (hinj l k h h'.symm), mul_zero]
      · rfl

end Semantics

end AttentionQueries
