import AttentionQueries.MultiHead.Symmetry

/-! # Separation: one token avoiding finitely many hyperplanes -/

namespace AttentionQueries
open CommRing OrderedField

/-- `P` holds for all large natural numbers -/
def Eventually (P : Nat → Prop) : Prop := ∃ N, ∀ t, N ≤ t → P t
theorem Eventually.exists {P : Nat → Prop} (h : Eventually P) : ∃ t, P t := h.elim fun N hN => ⟨N, hN N (Nat.le_refl N)⟩
theorem Eventually.list {α : Type} {P : α → Nat → Prop} (l : List α) (h : ∀ a ∈ l, Eventually (P a)) : Eventually fun t => ∀ a ∈ l, P a t := by
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
/-- `a + t b` vanishes for at most one `t`, unless `a = b = 0` -/
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
/-- `c • x` -/
def smul (c : R) (x : Vec R d) : Vec R d := fun i => c * x i

namespace Semantics
theorem inner_smul (v : Vec K d) (c : R) (x : Vec R d) : S.inner v (smul c x) = S.cast c * S.inner v x := by
  rw [inner, inner, ← finSum_mul]
  congr; funext i
  rw [smul, S.cast_mul]; ring
theorem cast_ne {a : R} (h : a ≠ 0) : S.cast a ≠ 0 := fun e => h (S.cast_inj _ _ (by rw [e, cast_zero]))
/-- entrywise cast -/
def castV (x : Vec R d) : Vec K d := fun i => S.cast (x i)
theorem castV_ne {x : Vec R d} (h : x ≠ 0) : S.castV x ≠ 0 := fun e => by
  obtain ⟨i, hi⟩ := exists_ne_zero h
  exact S.cast_ne hi (congrFun e i)
theorem cast_finSum (x : Vec R d) : S.cast (finSum x) = finSum (S.castV x) := by
  induction d with
  | zero => exact S.cast_zero
  | succ d ih => rw [finSum_succ, S.cast_add, ih, finSum_succ]; rfl
theorem inner_row (W : Mat R d) (q : Vec R d) (i : Fin d) : S.inner (S.castV (W i)) q = S.cast (mulVec W q i) := by
  rw [mulVec, cast_finSum, inner]
  congr; funext j
  exact (S.cast_mul _ _).symm
theorem inner_mulVec (W : Mat R d) (x q : Vec R d) : S.inner (S.castV (mulVec W q)) x = S.cast (score W x q) := by
  rw [score, cast_finSum, inner]
  congr; funext i
  rw [castV, castV, S.cast_mul, mul_comm]

/-- **Separation.** Finitely many nonzero functionals are nonzero on a common token. -/
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

include S in
/-- separation for ring-valued functionals -/
theorem sep_dot (l : List (Vec R d)) (h : ∀ w ∈ l, w ≠ 0) : ∃ u : Vec R d, ∀ w ∈ l, finSum (fun i => w i * u i) ≠ 0 := by
  obtain ⟨u, hu⟩ := S.sep_vec (l.map S.castV) (by
    intro w hw
    obtain ⟨x, hx, rfl⟩ := List.mem_map.mp hw
    exact S.castV_ne (h x hx))
  refine ⟨u, fun w hw e => hu _ (List.mem_map.mpr ⟨w, hw, rfl⟩) ?_⟩
  exact (S.inner_row (fun _ => w) u ⟨0, Nat.pos_of_ne_zero (by
    rintro rfl; exact h w hw (funext fun i => i.elim0))⟩).trans (by rw [mulVec, e, cast_zero])

/-- **Separation for matrices** (and, along with them, some functionals of `u`) -/
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
end Semantics

end AttentionQueries
