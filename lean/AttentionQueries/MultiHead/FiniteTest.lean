import AttentionQueries.MultiHead.Reduced

/-! # Finitely many contexts suffice

For a finite list `Ws` of admissible scores there is one list of `(d + 1)(|Ws| + 1)` contexts on which all lists of heads
with scores in `Ws` are distinguished. -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

theorem score_smul (W : Mat R d) (c : R) (x q : Vec R d) : score W (smul c x) q = c * score W x q := by
  rw [score, score, ← finSum_mul]
  congr; funext i
  rw [smul]; ring

namespace Semantics
open Classical in
include S in
/-- a query `q`, a direction `u` and steps `t i ≠ 0` such that `u` and all `u + t i • e i` tell the scores apart -/
theorem exists_directions (Ws : List (Mat R d)) : ∃ (q u : Vec R d) (t : Fin d → Nat), (∀ i, t i ≠ 0) ∧
    ∀ W ∈ Ws, ∀ W' ∈ Ws, W ≠ W' → score W u q ≠ score W' u q ∧
      ∀ i, score W (u + smul (natCast (t i)) (basis i)) q ≠ score W' (u + smul (natCast (t i)) (basis i)) q := by
  obtain ⟨u, q, hD, -⟩ := S.sep_mat ((Ws.flatMap fun W => Ws.map fun W' => W - W').filter fun D => D ≠ 0)
    (fun D hD => by simpa using (List.mem_filter.mp hD).2) [] (fun _ h => nomatch h)
  have ht : ∀ i : Fin d, ∃ t : Nat, t ≠ 0 ∧
      ∀ D ∈ (Ws.flatMap fun W => Ws.map fun W' => W - W').filter fun D => D ≠ 0,
        S.cast (score D u q) + natCast t * S.cast (score D (basis i) q) ≠ 0 := by
    intro i
    obtain ⟨N, hN⟩ := Eventually.list _ fun D hDm => eventually_ne (b := S.cast (score D (basis i) q)) (.inl (S.cast_ne (hD D hDm)))
    exact ⟨N + 1, Nat.succ_ne_zero N, hN (N + 1) (Nat.le_succ N)⟩
  obtain ⟨t, ht⟩ := Classical.axiomOfChoice ht
  refine ⟨q, u, t, fun i => (ht i).1, fun W hW W' hW' hne => ?_⟩
  have hmem : W - W' ∈ (Ws.flatMap fun W => Ws.map fun W' => W - W').filter fun D => D ≠ 0 := by
    refine List.mem_filter.mpr ⟨List.mem_flatMap.mpr ⟨W, hW, List.mem_map.mpr ⟨W', hW', rfl⟩⟩, ?_⟩
    simp only [ne_eq, decide_eq_true_eq]
    exact fun e => hne (funext fun i => funext fun j => sub_eq_zero.mp (congrFun (congrFun e i) j))
  refine ⟨fun e => hD _ hmem (by rw [score_sub_mat, e, sub_self]), fun i e => (ht i).2 _ hmem ?_⟩
  rw [← S.cast_natCast, ← S.cast_mul, ← S.cast_add, ← score_smul, ← score_add, score_sub_mat, e, sub_self, cast_zero]

/-- **Finite tests.** -/
theorem finite_test (Ws : List (Mat R d)) : ∃ T : List (List (Vec R d) × Vec R d),
    T.length = (d + 1) * (Ws.length + 1) ∧ ∀ H H' : List (Head R K d), (∀ h ∈ H, h.W ∈ Ws) → (∀ h ∈ H', h.W ∈ Ws) →
      (∀ t ∈ T, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) → ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q := by
  obtain ⟨q, u, t, ht, hsep⟩ := S.exists_directions Ws
  refine ⟨(u :: (finList d).map fun i => u + smul (natCast (t i)) (basis i)).flatMap fun u =>
    (List.range (Ws.length + 1)).map fun n => (copies 1 n u q, q), ?_, fun H H' hH hH' hT => ?_⟩
  · rw [length_flatMap_const (n := Ws.length + 1) fun _ => by rw [List.length_map, List.length_range],
      List.length_cons, List.length_map, length_finList]
  -- it is enough that the grouped difference has zero values
  have hmem : ∀ g ∈ mergeHeads (H ++ negHeads H'), g.W ∈ Ws := fun g hg => by
    obtain ⟨h, hh, e⟩ := mem_mergeHeads hg
    rw [e]
    rcases List.mem_append.mp hh with hh | hh
    · exact hH h hh
    · obtain ⟨h', hh', rfl⟩ := List.mem_map.mp hh
      exact hH' h' hh'
  have hd := mergeHeads_distinct (H ++ negHeads H')
  have hlen := length_le_of_distinct Head.W hd hmem
  have hzero : ∀ u' ∈ (u :: (finList d).map fun i => u + smul (natCast (t i)) (basis i)),
      (∀ W ∈ Ws, ∀ W' ∈ Ws, W ≠ W' → score W u' q ≠ score W' u' q) →
      ∀ g ∈ mergeHeads (H ++ negHeads H'), S.inner g.v u' = 0 := by
    intro u' hu' hs
    refine S.inner_eq_zero (q := q) (pairwise_of_mem hd fun g hg g' hg' => hs _ (hmem g hg) _ (hmem g' hg')) fun n hn => ?_
    rw [evalHeads_mergeHeads, evalHeads_diff, sub_eq_zero]
    exact hT (copies 1 n u' q, q) (List.mem_flatMap.mpr ⟨u', hu', List.mem_map.mpr ⟨n, List.mem_range.mpr
      (Nat.lt_of_lt_of_le hn (Nat.succ_le_succ hlen)), rfl⟩⟩)
  have hv : ∀ g ∈ mergeHeads (H ++ negHeads H'), g.v = 0 := fun g hg => funext fun i => by
    have h0 := hzero u List.mem_cons_self (fun W hW W' hW' hne => (hsep W hW W' hW' hne).1) g hg
    have h1 := hzero _ (List.mem_cons_of_mem _ (List.mem_map.mpr ⟨i, mem_finList i, rfl⟩))
      (fun W hW W' hW' hne => (hsep W hW W' hW' hne).2 i) g hg
    rw [inner_add, h0, inner_smul, inner_basis, zero_add, cast_natCast] at h1
    refine (mul_eq_zero h1).resolve_left fun e => ht i (natCast_inj (K := K) ?_)
    rw [e, natCast_zero]
  intro xs q
  apply sub_eq_zero.mp
  rw [← evalHeads_diff, ← evalHeads_mergeHeads]
  exact listSum_zero fun g hg => by rw [hv g hg, eval_zero]
end Semantics

end AttentionQueries
