import AttentionQueries.MultiHead.Symmetry

/-! # Separation: one token avoiding finitely many hyperplanes

Finitely many nonzero linear functionals are nonzero on a common token, and finitely many nonzero score matrices give
nonzero scores on a common pair of tokens. The ring of tokens need not be a field: natural multiples of the basis
vectors are enough.

## Main definitions

* `Eventually P`: the property `P` holds for all large natural numbers.
* `smul`: multiples of a token.

## Main statements

* `Semantics.sep_vec`, `Semantics.sep_mat`, `Semantics.sep_scores`: separation for functionals, matrices and scores.
* `Semantics.exists_new_mat`: no finite list contains all matrices (`d ≥ 1`).
-/

namespace AttentionQueries
open CommRing OrderedField

/-- `P` holds for all large natural numbers. -/
def Eventually (P : Nat → Prop) : Prop := ∃ N, ∀ t, N ≤ t → P t

/-- What holds eventually holds somewhere. -/
theorem Eventually.exists {P : Nat → Prop} (h : Eventually P) : ∃ t, P t :=
  h.elim fun N hN => ⟨N, hN N (Nat.le_refl N)⟩

/-- Finitely many properties that hold eventually hold together eventually. -/
theorem Eventually.list {α : Type} {P : α → Nat → Prop} (l : List α) (h : ∀ a ∈ l, Eventually (P a)) :
    Eventually fun t => ∀ a ∈ l, P a t := by
  induction l with
  | nil => exact ⟨0, fun _ _ _ ha => nomatch ha⟩
  | cons a l ih =>
    obtain ⟨N, hN⟩ := ih fun b hb => h b (List.mem_cons_of_mem a hb)
    obtain ⟨M, hM⟩ := h a List.mem_cons_self
    refine ⟨max N M, fun t ht b hb => ?_⟩
    rcases List.mem_cons.mp hb with rfl | hb
    · exact hM t (Nat.max_le.mp ht).2
    · exact hN t (Nat.max_le.mp ht).1 b hb

section
variable {K : Type} [OrderedField K]
/-- `a + t b` vanishes for at most one `t`, unless `a = b = 0`. -/
theorem eventually_ne {a b : K} (h : a ≠ 0 ∨ b ≠ 0) : Eventually fun t => a + natCast t * b ≠ 0 := by
  by_cases hs : ∃ s, a + natCast s * b = 0
  · obtain ⟨s, hs⟩ := hs
    refine ⟨s + 1, fun t hst ht => ?_⟩
    have h0 : (natCast t - natCast s) * b = 0 := by lin_comb (1) ht + (-1) hs
    rcases mul_eq_zero h0 with h1 | rfl
    · rw [natCast_inj (sub_eq_zero.mp h1)] at hst
      exact Nat.lt_irrefl _ hst
    · rw [mul_zero, add_zero] at hs
      exact h.elim (fun h => h hs) fun h => h rfl
  · exact ⟨0, fun t _ ht => hs ⟨t, ht⟩⟩
end

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- Matrices with difference zero are equal. -/
theorem mat_eq_of_sub {W W' : Mat R d} (h : W - W' = 0) : W = W' :=
  funext fun i => funext fun j => sub_eq_zero.mp (congrFun (congrFun h i) j)

/-- The multiple `c x` of a token. -/
def smul (c : R) (x : Vec R d) : Vec R d := fun i => c * x i

/-- The score is linear in the context token. -/
theorem score_smul (W : Mat R d) (c : R) (x q : Vec R d) : score W (smul c x) q = c * score W x q := by
  rw [score, score, ← finSum_mul]
  congr; funext i
  rw [smul]; ring

/-- The score is linear in the query token. -/
theorem score_smul_query (W : Mat R d) (c : R) (x q : Vec R d) : score W x (smul c q) = c * score W x q := by
  have h : ∀ i, mulVec W (smul c q) i = c * mulVec W q i := fun i => by
    rw [mulVec, mulVec, ← finSum_mul]
    congr; funext j
    rw [smul]; ring
  rw [score, score, ← finSum_mul]
  congr; funext i
  rw [h]; ring

namespace Semantics

/-- `⟪v, c x⟫ = c ⟪v, x⟫`. -/
theorem inner_smul (v : Vec K d) (c : R) (x : Vec R d) : S.inner v (smul c x) = S.cast c * S.inner v x := by
  rw [inner, inner, ← finSum_mul]
  congr; funext i
  rw [smul, S.cast_mul]; ring

/-- The cast of a nonzero element is nonzero. -/
theorem cast_ne {a : R} (h : a ≠ 0) : S.cast a ≠ 0 := fun e => h (S.cast_inj _ _ (by rw [e, cast_zero]))

/-- The cast of a nonzero token is nonzero. -/
theorem castV_ne {x : Vec R d} (h : x ≠ 0) : S.castV x ≠ 0 := fun e => by
  obtain ⟨i, hi⟩ := exists_ne_zero h
  exact S.cast_ne hi (congrFun e i)

/-- The `i`-th row of `W` as a functional: its value at `q` is the `i`-th entry of `W q`. -/
theorem inner_row (W : Mat R d) (q : Vec R d) (i : Fin d) : S.inner (S.castV (W i)) q = S.cast (mulVec W q i) := by
  rw [mulVec, cast_finSum, inner]
  congr; funext j
  exact (S.cast_mul _ _).symm

/-- `W q` as a functional: its value at `x` is the score of `x` and `q`. -/
theorem inner_mulVec (W : Mat R d) (x q : Vec R d) : S.inner (S.castV (mulVec W q)) x = S.cast (score W x q) := by
  rw [score, cast_finSum, inner]
  congr; funext i
  rw [castV, S.cast_mul, mul_comm]

/-- **Separation for functionals.** Finitely many nonzero functionals are nonzero on a common token. -/
theorem sep_vec (l : List (Vec K d)) (h : ∀ w ∈ l, w ≠ 0) : ∃ u : Vec R d, ∀ w ∈ l, S.inner w u ≠ 0 := by
  induction l with
  | nil => exact ⟨0, fun _ hw => nomatch hw⟩
  | cons w l ih =>
    obtain ⟨u, hu⟩ := ih fun w' hw' => h w' (List.mem_cons_of_mem w hw')
    obtain ⟨p, hp⟩ := exists_ne_zero (h w List.mem_cons_self)
    -- move `u` along the basis vector `p` to leave the hyperplane of `w` too
    have hev : ∀ w' ∈ w :: l, Eventually fun t => S.inner w' u + natCast t * S.inner w' (basis p) ≠ 0 := by
      intro w' hw'
      apply eventually_ne
      rcases List.mem_cons.mp hw' with rfl | hw'
      · exact .inr (by rw [inner_basis]; exact hp)
      · exact .inl (hu w' hw')
    obtain ⟨t, ht⟩ := (Eventually.list _ hev).exists
    refine ⟨u + smul (natCast t) (basis p), fun w' hw' => ?_⟩
    rw [inner_add, inner_smul, cast_natCast]
    exact ht w' hw'

/-- **Separation for matrices.** Finitely many nonzero matrices have nonzero scores on a common pair of tokens `u`, `q`;
at the same time finitely many nonzero functionals can be made nonzero on `u`. -/
theorem sep_mat (l : List (Mat R d)) (h : ∀ W ∈ l, W ≠ 0) (V : List (Vec K d)) (hV : ∀ v ∈ V, v ≠ 0) :
    ∃ u q : Vec R d, (∀ W ∈ l, score W u q ≠ 0) ∧ ∀ v ∈ V, S.inner v u ≠ 0 := by
  -- `q` outside the kernels
  obtain ⟨q, hq⟩ : ∃ q : Vec R d, ∀ W ∈ l, mulVec W q ≠ 0 := by
    have hrow : ∀ W : Mat R d, ∃ r : Vec R d, W ≠ 0 → r ≠ 0 ∧ ∃ i, r = W i := fun W => by
      by_cases hW : W = 0
      · exact ⟨0, fun h => absurd hW h⟩
      · obtain ⟨i, hi⟩ := exists_ne_zero hW
        exact ⟨W i, fun _ => ⟨hi, i, rfl⟩⟩
    obtain ⟨row, hrow⟩ := Classical.axiomOfChoice hrow
    obtain ⟨q, hq⟩ := S.sep_vec (l.map fun W => S.castV (row W)) (by
      intro w hw
      obtain ⟨W, hW, rfl⟩ := List.mem_map.mp hw
      exact S.castV_ne (hrow W (h W hW)).1)
    refine ⟨q, fun W hW e => hq _ (List.mem_map.mpr ⟨W, hW, rfl⟩) ?_⟩
    obtain ⟨-, i, hi⟩ := hrow W (h W hW)
    rw [hi, inner_row, e, vzero_app, cast_zero]
  -- then `u`
  obtain ⟨u, hu⟩ := S.sep_vec ((l.map fun W => S.castV (mulVec W q)) ++ V) (by
    intro w hw
    rcases List.mem_append.mp hw with hw | hw
    · obtain ⟨W, hW, rfl⟩ := List.mem_map.mp hw
      exact S.castV_ne (hq W hW)
    · exact hV w hw)
  refine ⟨u, q, fun W hW e => ?_, fun v hv => hu v (List.mem_append.mpr (.inr hv))⟩
  apply hu _ (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨W, hW, rfl⟩)))
  rw [inner_mulVec, e, cast_zero]

open Classical in
/-- **Separation of scores.** Some pair of tokens `u`, `q` gives different scores to all different matrices of a finite
list; at the same time finitely many nonzero functionals can be made nonzero on `u`. -/
theorem sep_scores (Ws : List (Mat R d)) (V : List (Vec K d)) (hV : ∀ v ∈ V, v ≠ 0) :
    ∃ u q : Vec R d, (∀ W ∈ Ws, ∀ W' ∈ Ws, W ≠ W' → score W u q ≠ score W' u q) ∧ ∀ v ∈ V, S.inner v u ≠ 0 := by
  obtain ⟨u, q, hD, hu⟩ := S.sep_mat ((Ws.flatMap fun W => Ws.map fun W' => W - W').filter fun D => D ≠ 0)
    (fun D hD => of_decide_eq_true (List.mem_filter.mp hD).2) V hV
  refine ⟨u, q, fun W hW W' hW' hne e => ?_, hu⟩
  refine hD (W - W') (List.mem_filter.mpr ⟨List.mem_flatMap.mpr ⟨W, hW, List.mem_map.mpr ⟨W', hW', rfl⟩⟩, ?_⟩) ?_
  · exact decide_eq_true fun h => hne (mat_eq_of_sub h)
  · rw [score_sub_mat, e, sub_self]

include S in
/-- For `d ≥ 1` no finite list contains all matrices. -/
theorem exists_new_mat (hd : 0 < d) (l : List (Mat R d)) : ∃ W : Mat R d, W ∉ l := by
  have h1 : (-1 : K) ≠ 0 := fun e => zero_ne_one (K := K) (by lin_comb (1) e)
  obtain ⟨t, ht⟩ := (Eventually.list l fun W _ =>
    eventually_ne (a := S.cast (W ⟨0, hd⟩ ⟨0, hd⟩)) (b := (-1 : K)) (.inr h1)).exists
  refine ⟨fun _ _ => natCast t, fun hm => ht _ hm ?_⟩
  rw [cast_natCast, mul_neg, mul_one, add_neg]

end Semantics

end AttentionQueries
