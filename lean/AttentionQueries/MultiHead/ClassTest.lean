import AttentionQueries.Algebra.Polynomial
import AttentionQueries.MultiHead.FiniteTest
import AttentionQueries.SingleHead.Learner

/-! # Uniqueness within the class of models with boundedly many heads -/

namespace AttentionQueries
open CommRing OrderedField

set_option linter.unusedVariables false
set_option linter.unusedSectionVars false

/-- **Cauchy, one pole.** If `∑ b/(1 + ρ z) = 0` for at least as many distinct `ρ` as there are pairs, and the pole of `p`
is none of the others (which may coincide among themselves), the weight of `p` vanishes. -/
theorem cauchy_one {K : Type} [OrderedField K] : ∀ (rs : List K) (l : List (K × K)) (p : K × K), l.length + 1 ≤ rs.length →
    (∀ ρ ∈ rs, ∀ q ∈ p :: l, 1 + ρ * q.1 ≠ 0) → (∀ q ∈ l, p.1 ≠ q.1) → rs.Pairwise (fun a b => a ≠ b) →
    (∀ ρ ∈ rs, cauchySum ρ (p :: l) = 0) → p.2 = 0
  | [], _, _, hlen, _, _, _, _ => absurd hlen (Nat.not_succ_le_zero _)
  | ρ :: rs, [], p, _, hd, _, _, hs => by
    have h := hs ρ List.mem_cons_self
    rw [cauchySum, listSum_cons, listSum_nil, add_zero] at h
    exact (mul_eq_zero h).resolve_right (inv_ne_zero (hd ρ List.mem_cons_self p List.mem_cons_self))
  | ρ :: rs, q :: l, p, hlen, hd, hz, hr, hs => by
    rw [List.pairwise_cons] at hr
    have hdρ := hd ρ List.mem_cons_self
    have h0 : (elim q.1 ρ p).2 = 0 := by
      refine cauchy_one rs (l.map (elim q.1 ρ)) (elim q.1 ρ p) ?_ ?_ ?_ hr.2 ?_
      · rw [List.length_map]; exact Nat.le_of_succ_le_succ hlen
      · intro σ hσ w hw
        rw [← List.map_cons] at hw
        obtain ⟨w', hw', rfl⟩ := List.mem_map.mp hw
        refine hd σ (List.mem_cons_of_mem ρ hσ) w' ?_
        rcases List.mem_cons.mp hw' with rfl | hw'
        · exact List.mem_cons_self
        · exact List.mem_cons_of_mem _ (List.mem_cons_of_mem _ hw')
      · intro w hw
        obtain ⟨w', hw', rfl⟩ := List.mem_map.mp hw
        exact hz w' (List.mem_cons_of_mem q hw')
      · intro σ hσ
        have h := cauchySum_elim q.1 (p :: q :: l) hdρ (hd σ (List.mem_cons_of_mem ρ hσ))
        rw [hs ρ List.mem_cons_self, hs σ (List.mem_cons_of_mem ρ hσ), mul_zero, mul_zero, sub_self] at h
        have h2 := (mul_eq_zero h.symm).resolve_left fun e => hr.1 σ hσ (sub_eq_zero.mp e)
        have h3 : cauchySum σ ((p :: q :: l).map (elim q.1 ρ)) = (elim q.1 ρ p).2 * (1 + σ * (elim q.1 ρ p).1)⁻¹ +
          (q.2 * ((q.1 - q.1) * (1 + ρ * q.1)⁻¹) * (1 + σ * q.1)⁻¹ + cauchySum σ (l.map (elim q.1 ρ))) := rfl
        rw [h3] at h2
        show (elim q.1 ρ p).2 * (1 + σ * (elim q.1 ρ p).1)⁻¹ + cauchySum σ (l.map (elim q.1 ρ)) = 0
        lin_comb (1) h2
    exact (mul_eq_zero h0).resolve_right (mul_ne_zero (fun h => hz q List.mem_cons_self (sub_eq_zero.mp h))
      (inv_ne_zero (hdρ p List.mem_cons_self)))

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- the questions at one pair `(u, q)`: one copy of `q + u` and `1, …, m` copies of `q` (with the query) -/
def ladder (m : Nat) (p : Vec R d × Vec R d) : List (Query R d) := (List.range m).map fun n => (Semantics.copies 1 n p.1 p.2, p.2)
noncomputable def classTests (P : List (Vec R d × Vec R d)) (N : Nat) : List (Query R d) := P.flatMap (ladder (N + 1))
theorem length_classTests (P : List (Vec R d × Vec R d)) (N : Nat) : (classTests P N).length = P.length * (N + 1) :=
  length_flatMap_const (fun _ => by rw [ladder, List.length_map, List.length_range]) P
theorem mem_classTests {P : List (Vec R d × Vec R d)} {N n : Nat} {p : Vec R d × Vec R d} (hp : p ∈ P) (hn : n < N + 1) :
    (Semantics.copies 1 n p.1 p.2, p.2) ∈ classTests P N :=
  List.mem_flatMap.mpr ⟨p, hp, List.mem_map.mpr ⟨n, List.mem_range.mpr hn, rfl⟩⟩

namespace Semantics
/-- a list of pairs `(u, q)` such that one of them separates any `N - 1` nonzero matrices and one nonzero vector -/
def Separating (P : List (Vec R d × Vec R d)) (N : Nat) : Prop :=
  ∀ (Ds : List (Mat R d)) (v : Vec K d), Ds.length < N → (∀ D ∈ Ds, D ≠ 0) → v ≠ 0 →
    ∃ p ∈ P, (∀ D ∈ Ds, score D p.1 p.2 ≠ 0) ∧ S.inner v p.1 ≠ 0

/-- a head whose score at `(u, q)` differs from the others' -/
theorem pair_eq_zero_one {g : Head R K d} {G : List (Head R K d)} {u q : Vec R d}
    (hd : ∀ g' ∈ G, score g.W u q ≠ score g'.W u q)
    (h : ∀ n, n < G.length + 2 → S.evalHeads (g :: G) (copies 1 n u q) q = 0) : S.inner g.v u = 0 := by
  refine cauchy_one (nats (G.length + 2))
    ((0, listSum (g :: G) fun g => S.inner g.v q) :: G.map fun g => (S.exp (-score g.W u q), S.inner g.v u))
    (S.exp (-score g.W u q), S.inner g.v u) ?_ ?_ ?_ (nats_distinct _) ?_
  · exact Nat.le_of_eq (by rw [length_nats, List.length_cons, List.length_map])
  · intro ρ hρ p hp
    obtain ⟨n, -, rfl⟩ := mem_nats hρ
    have hpos : ∀ W : Mat R d, (1 : K) + natCast (n + 1) * S.exp (-score W u q) ≠ 0 := fun W =>
      pos_ne (add_pos one_pos (mul_pos _ _ (natCast_pos n) (S.exp_pos _)))
    rcases List.mem_cons.mp hp with rfl | hp
    · exact hpos _
    · rcases List.mem_cons.mp hp with rfl | hp
      · rw [mul_zero, add_zero]
        exact fun e => zero_ne_one e.symm
      · obtain ⟨g', -, rfl⟩ := List.mem_map.mp hp
        exact hpos _
  · intro p hp
    rcases List.mem_cons.mp hp with rfl | hp
    · exact S.exp_ne _
    · obtain ⟨g', hg', rfl⟩ := List.mem_map.mp hp
      intro e
      have e' := S.exp_inj _ _ e
      exact hd g' hg' (by lin_comb (-1) e')
  · intro ρ hρ
    obtain ⟨n, hn, rfl⟩ := mem_nats hρ
    have e := h n hn
    rw [evalHeads_copies, List.map_cons] at e
    rw [cauchySum, listSum_cons, listSum_cons] at e ⊢
    rw [add_left_comm]
    exact e

/-- a vanishing sum of at most `N` heads with distinct scores has zero values -/
theorem heads_zero {P : List (Vec R d × Vec R d)} {N : Nat} (hP : S.Separating P N) {G : List (Head R K d)}
    (hd : G.Pairwise fun g g' => g.W ≠ g'.W) (hlen : G.length ≤ N) (h : ∀ t ∈ classTests P N, S.evalHeads G t.1 t.2 = 0) :
    ∀ g ∈ G, g.v = 0 := by
  intro g hg
  apply Classical.byContradiction
  intro hv
  obtain ⟨G', hp⟩ := perm_of_mem hg
  have hd' := (List.pairwise_cons.mp (perm_pairwise (fun _ _ hab e => hab e.symm) hp hd)).1
  have hl : G'.length + 1 ≤ N := by rwa [List.Perm.length_eq hp] at hlen
  obtain ⟨p, hpP, hD, hu⟩ := hP (G'.map fun g' => g.W - g'.W) g.v (by rw [List.length_map]; exact hl) (fun D hD e => by
    obtain ⟨g', hg', rfl⟩ := List.mem_map.mp hD
    exact hd' g' hg' (funext fun i => funext fun j => sub_eq_zero.mp (congrFun (congrFun e i) j))) hv
  refine hu (S.pair_eq_zero_one (q := p.2) (G := G') (fun g' hg' e => ?_) fun n hn => ?_)
  · exact hD _ (List.mem_map.mpr ⟨g', hg', rfl⟩) (by rw [score_sub_mat, e, sub_self])
  · rw [← S.evalHeads_perm hp]
    exact h _ (mem_classTests hpP (Nat.lt_of_lt_of_le hn (Nat.succ_le_succ hl)))

/-- **Uniqueness within a class.** Two models with at most `N` distinct matrices in all that agree on the tests have the same
totals (the same canonical form). -/
theorem class_total_mat {P : List (Vec R d × Vec R d)} {N : Nat} (hP : S.Separating P N) {H H' : List (Head R K d)}
    (Ws : List (Mat R d)) (hN : Ws.length ≤ N) (hH : ∀ h ∈ H, h.W ∈ Ws) (hH' : ∀ h ∈ H', h.W ∈ Ws)
    (h : ∀ t ∈ classTests P N, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) : ∀ W, total H W = total H' W := by
  have hG : (mergeHeads (H ++ negHeads H')).length ≤ N := by
    refine Nat.le_trans (length_le_of_distinct Head.W (mergeHeads_distinct _) fun g hg => ?_) hN
    obtain ⟨k, hk, e⟩ := mem_mergeHeads hg
    rw [e]
    rcases List.mem_append.mp hk with hk | hk
    · exact hH k hk
    · obtain ⟨k', hk', rfl⟩ := List.mem_map.mp hk
      exact hH' k' hk'
  have h0 := S.heads_zero hP (mergeHeads_distinct _) hG fun t ht => by rw [evalHeads_mergeHeads, evalHeads_diff, h t ht, sub_self]
  intro W
  have : total (H ++ negHeads H') W = 0 := by
    rw [← total_mergeHeads]
    exact funext fun i => listSum_zero fun g hg => by rw [h0 g hg]; split <;> rfl
  rw [total_diff] at this
  exact funext fun i => sub_eq_zero.mp (congrFun this i)
/-- the same counting heads -/
theorem class_total {P : List (Vec R d × Vec R d)} {N : Nat} (hP : S.Separating P N) {H H' : List (Head R K d)}
    (hlen : H.length + H'.length ≤ N)
    (h : ∀ t ∈ classTests P N, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) : ∀ W, total H W = total H' W :=
  S.class_total_mat hP ((H ++ H').map Head.W) (by rw [List.length_map, List.length_append]; exact hlen)
    (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inl hk), rfl⟩)
    (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inr hk), rfl⟩) h
theorem class_unique {P : List (Vec R d × Vec R d)} {N : Nat} (hP : S.Separating P N) {H H' : List (Head R K d)}
    (hlen : H.length + H'.length ≤ N)
    (h : ∀ t ∈ classTests P N, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) :
    ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q := (S.fibre H H').mpr (S.class_total hP hlen h)
theorem class_perm {P : List (Vec R d × Vec R d)} {N : Nat} (hP : S.Separating P N) {H H' : List (Head R K d)}
    (hr : Reduced H) (hr' : Reduced H') (hlen : H.length + H'.length ≤ N)
    (h : ∀ t ∈ classTests P N, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) : H.Perm H' :=
  hr.perm_of_total hr' (S.class_total hP hlen h)
end Semantics

/-! ## an explicit separating list: the moment curve -/
/-- `[n - 1, …, 0]` -/
def down : Nat → List Nat
  | 0 => []
  | n + 1 => n :: down n
theorem mem_down {n k : Nat} : k ∈ down n → k < n := by
  induction n with
  | zero => exact fun h => nomatch h
  | succ n ih =>
    intro h
    rcases List.mem_cons.mp h with rfl | h
    · exact Nat.lt_succ_self _
    · exact Nat.lt_succ_of_lt (ih h)
theorem length_down : ∀ n, (down n).length = n
  | 0 => rfl
  | n + 1 => congrArg Nat.succ (length_down n)
theorem down_distinct : ∀ n, (down n).Pairwise fun a b => a ≠ b
  | 0 => .nil
  | n + 1 => List.pairwise_cons.mpr ⟨fun k hk e => Nat.lt_irrefl n (by
      have := mem_down hk; rw [← e] at this; exact this), down_distinct n⟩
/-- `uᵢ = tⁱ`, `qⱼ = t^(d j)` -/
def moment (d : Nat) (t : R) : Vec R d × Vec R d := (fun i => npow t i.val, fun j => npow t (d * j.val))
/-- the number of points for `N` heads -/
def points (d N : Nat) : Nat := (N - 1) * (d * d - 1) + d
def moments (R : Type) [CommRing R] (d N : Nat) : List (Vec R d × Vec R d) :=
  (down (points d N)).map fun t => moment d (natCast t)

namespace Semantics
include S in
theorem prime_zero : Prime fun a : R => a = 0 where
  zero := rfl
  add := fun {a b} ha hb => by rw [ha, hb, add_zero]
  mul := fun c {a} ha => by rw [ha, mul_zero]
  prime := fun {a b} h => by
    have := congrArg S.cast h
    rw [S.cast_mul, S.cast_zero] at this
    rcases mul_eq_zero this with h | h
    · exact .inl (S.cast_inj _ _ (by rw [h, S.cast_zero]))
    · exact .inr (S.cast_inj _ _ (by rw [h, S.cast_zero]))
omit [CommRing R] in
theorem prime_zero_field : Prime fun a : K => a = 0 where
  zero := rfl
  add := fun {a b} ha hb => by rw [ha, hb, add_zero]
  mul := fun c {a} ha => by rw [ha, mul_zero]
  prime := mul_eq_zero
theorem cast_npow (a : R) (n : Nat) : S.cast (npow a n) = npow (S.cast a) n := by
  induction n with
  | zero => exact S.cast_one
  | succ n ih => rw [npow, S.cast_mul, ih, npow]
include S in
theorem natCast_inj' {m n : Nat} (h : (natCast m : R) = natCast n) : m = n := by
  have := congrArg S.cast h
  rw [S.cast_natCast, S.cast_natCast] at this
  exact natCast_inj this

include S in
theorem atMost_score {D : Mat R d} (hD : D ≠ 0) : AtMost (fun t : Nat => score D (moment d (natCast t)).1 (moment d (natCast t)).2 = 0) (d * d - 1) := by
  intro l hl h
  apply Nat.le_of_not_lt
  intro hlt
  apply hD
  funext i j
  have hle : d * d ≤ l.length := by
    cases e : d * d with
    | zero => exact Nat.zero_le _
    | succ m => rw [e] at hlt; exact hlt
  refine peval_roots S.prime_zero (l.map natCast) (flat fun j i => D i j) (by rw [length_flat, List.length_map]; exact hle)
    (List.pairwise_map.mpr (hl.imp fun hne e => hne (S.natCast_inj' (sub_eq_zero.mp e)))) (fun t ht => ?_) _ (mem_flat (fun j i => D i j) j i)
  obtain ⟨n, hn, rfl⟩ := List.mem_map.mp ht
  rw [← moment_score]
  exact h n hn
theorem atMost_pair {v : Vec K d} (hv : v ≠ 0) : AtMost (fun t : Nat => S.inner v (moment d (natCast t)).1 = 0) (d - 1) := by
  intro l hl h
  apply Nat.le_of_not_lt
  intro hlt
  apply hv
  funext i
  have hle : d ≤ l.length := by
    cases e : d with
    | zero => exact Nat.zero_le _
    | succ m => rw [e] at hlt; exact hlt
  refine peval_roots prime_zero_field (l.map natCast) (toL v) (by rw [length_toL, List.length_map]; exact hle)
    (List.pairwise_map.mpr (hl.imp fun hne e => hne (natCast_inj (sub_eq_zero.mp e)))) (fun t ht => ?_) _ (mem_toL v i)
  obtain ⟨n, hn, rfl⟩ := List.mem_map.mp ht
  have e : S.inner v (moment d (natCast n)).1 = finSum fun i => v i * npow (natCast n) i.val := by
    rw [inner]
    congr; funext i
    show v i * S.cast (npow (natCast n) i.val) = _
    rw [cast_npow, cast_natCast]
  rw [← finSum_npow, ← e]
  exact h n hn

/-- **The moment curve separates.** -/
theorem moments_separating (d N : Nat) : S.Separating (moments R d N) N := by
  intro Ds v hlen hDs hv
  obtain ⟨i, -⟩ := exists_ne_zero hv
  have hd : 0 < d := Nat.lt_of_le_of_lt (Nat.zero_le _) i.isLt
  obtain ⟨t, ht, h1, h2⟩ := exists_good (fun (D : Mat R d) (t : Nat) => score D (moment d (natCast t)).1 (moment d (natCast t)).2 = 0)
    (d * d - 1) Ds (down (points d N)) (down_distinct _) (fun D hD => S.atMost_score (hDs D hD))
    (fun t => S.inner v (moment d (natCast t)).1 = 0) (d - 1) (S.atMost_pair hv) (by
      rw [length_down, points]
      have h1 : Ds.length ≤ N - 1 := by cases N with | zero => exact absurd hlen (Nat.not_lt_zero _) | succ N => exact Nat.le_of_lt_succ hlen
      have h2 := Nat.mul_le_mul_right (d * d - 1) h1
      have h3 : d - 1 < d := Nat.sub_lt hd Nat.one_pos
      exact Nat.lt_of_le_of_lt (Nat.add_le_add_right h2 _) (Nat.add_lt_add_left h3 _))
  exact ⟨_, List.mem_map.mpr ⟨t, ht, rfl⟩, h1, h2⟩

/-- the contexts have at most `N + 1` tokens -/
theorem classTests_length {P : List (Vec R d × Vec R d)} {N : Nat} {t : Query R d} (h : t ∈ classTests P N) : t.1.length ≤ N + 1 := by
  obtain ⟨p, hp, h⟩ := List.mem_flatMap.mp h
  obtain ⟨n, hn, rfl⟩ := List.mem_map.mp h
  have hn := List.mem_range.mp hn
  show (List.replicate 1 _ ++ List.replicate n _).length ≤ N + 1
  rw [List.length_append, List.length_replicate, List.length_replicate, Nat.add_comm]
  exact Nat.succ_le_of_lt (Nat.lt_of_lt_of_le (Nat.succ_lt_succ hn) (Nat.le_refl _)) |> Nat.le_of_succ_le_succ

/-- **Finite, explicit, non-adaptive tests for all models with at most `N` distinct matrices together.** -/
theorem class_finite (d N : Nat) : ∃ T : List (Query R d), T.length = ((N - 1) * (d * d - 1) + d) * (N + 1) ∧
    ∀ (Ws : List (Mat R d)) (H H' : List (Head R K d)), Ws.length ≤ N → (∀ h ∈ H, h.W ∈ Ws) → (∀ h ∈ H', h.W ∈ Ws) →
      (∀ t ∈ T, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) →
      (∀ W, total H W = total H' W) ∧ ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q :=
  ⟨classTests (moments R d N) N, by rw [length_classTests, moments, List.length_map, length_down, points],
    fun Ws H H' hlen hH hH' h =>
      have ht := S.class_total_mat (S.moments_separating d N) Ws hlen hH hH' h
      ⟨ht, (S.fibre H H').mpr ht⟩⟩
end Semantics

end AttentionQueries
