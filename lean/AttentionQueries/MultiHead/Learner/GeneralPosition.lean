import AttentionQueries.MultiHead.Learner.Program
import AttentionQueries.MultiHead.Canonical
import AttentionQueries.MultiHead.Learner.Spanning

/-! # Which heads can be brought into general position

The learner by short sequences needs its directions to be in general position with respect to the heads. Such
directions exist exactly for the reduced lists of heads with pairwise distinct values; distinct values are not a
matter of the method: heads with equal values can be exchanged in one direction only, and no question of the program
sees that.

## Main statements
- `Semantics.exists_generalPosition_iff`: there are directions in which heads are in general position if and only if
  the heads are reduced and their values are pairwise distinct.
- `Semantics.exists_learner`: for at most `N` such heads there is a program that returns them and asks at most
  `(2 N - 1) d² + d` questions of at most `N + 1` tokens.
- `Semantics.learnShort_canonical`: the program returns the canonical form of every model whose canonical form is in
  general position; `Semantics.learnShort_determines`: the questions it asks tell such models apart.
- `Semantics.values_distinct_needed`: two heads with equal values, and the same heads with two scores exchanged, agree
  on all questions asked in the standard directions; the exchanged heads are others unless the matrices agree off one
  entry.
- `reduced_dim_zero`: in dimension `0` there is nothing to learn.
-/

namespace AttentionQueries
open CommRing OrderedField

/-- In dimension `0` a reduced list of heads is empty: there is nothing to ask. -/
theorem reduced_dim_zero {R K : Type} [OrderedField K] {G : List (Head R K 0)} (h : Reduced G) : G = [] := by
  cases G with
  | nil => rfl
  | cons g G => exact absurd (funext fun i => i.elim0) (h.ne_zero g List.mem_cons_self)

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {n : Nat}
namespace Semantics
/-- the nonzero differences of a list -/
private theorem exists_differences {α A : Type} [Sub A] [Zero A] (f : α → A) (hf : ∀ a b, f a ≠ f b → f a - f b ≠ 0)
    (G : List α) : ∃ l : List A, (∀ w ∈ l, w ≠ 0) ∧ ∀ g ∈ G, ∀ g' ∈ G, f g ≠ f g' → f g - f g' ∈ l := by
  classical
  refine ⟨(G.flatMap fun g => G.map fun g' => f g - f g').filter fun w => w ≠ 0,
    fun w hw => of_decide_eq_true (List.mem_filter.mp hw).2, fun g hg g' hg' hne => List.mem_filter.mpr
      ⟨List.mem_flatMap.mpr ⟨g, hg, List.mem_map.mpr ⟨g', hg', rfl⟩⟩, decide_eq_true (hf g g' hne)⟩⟩

/-- the link condition in the direction `e + c x` -/
private theorem link_eventually {G : List (Head R K (n + 1))} {x e : Vec R (n + 1)}
    (hx : ∀ g ∈ G, ∀ g' ∈ G, g.v ≠ g'.v → S.inner g.v x ≠ S.inner g'.v x) :
    Eventually fun t => ∀ g ∈ G, ∀ g' ∈ G, ∀ h ∈ G, g.v ≠ g'.v →
      S.inner g.v x + S.inner g'.v (e + smul (natCast t) x) ≠ S.inner h.v (x + (e + smul (natCast t) x)) := by
  refine Eventually.list G fun g hg => ?_
  -- quantifiers over the list one after the other
  have key : ∀ g' ∈ G, ∀ h ∈ G, Eventually fun t => g.v ≠ g'.v →
      S.inner g.v x + S.inner g'.v (e + smul (natCast t) x) ≠ S.inner h.v (x + (e + smul (natCast t) x)) := by
    intro g' hg' h hh
    by_cases hv : g.v = g'.v
    · exact ⟨0, fun _ _ hne => absurd hv hne⟩
    have hab : (S.inner g.v x - S.inner h.v x + (S.inner g'.v e - S.inner h.v e)) ≠ 0 ∨
        (S.inner g'.v x - S.inner h.v x) ≠ 0 := by
      by_cases hv' : g'.v = h.v
      · left
        rw [hv', sub_self, add_zero]
        rw [hv'] at hv
        exact fun e => hx g hg h hh hv (sub_eq_zero.mp e)
      · exact .inr fun e => hx g' hg' h hh hv' (sub_eq_zero.mp e)
    obtain ⟨N, hN⟩ := eventually_ne hab
    refine ⟨N, fun t ht _ e' => hN t ht ?_⟩
    simp only [inner_add, inner_smul, cast_natCast] at e'
    lin_comb (1) e'
  obtain ⟨N, hN⟩ := Eventually.list G fun g' hg' => Eventually.list G (key g' hg')
  exact ⟨N, fun t ht g' hg' h hh => hN t ht g' hg' h hh⟩

/-- values and scores not vanishing on `e + c x` and on `x + (e + c x)` -/
private theorem step_eventually {Es : List (Vec K (n + 1))} {Ds : List (Mat R (n + 1))} {x e q : Vec R (n + 1)}
    (hE : ∀ w ∈ Es, S.inner w x ≠ 0) (hD : ∀ D ∈ Ds, S.cast (score D x q) ≠ 0) : Eventually fun t =>
      (∀ w ∈ Es, S.inner w (e + smul (natCast t) x) ≠ 0 ∧ S.inner w (x + (e + smul (natCast t) x)) ≠ 0) ∧
      ∀ D ∈ Ds, S.cast (score D (e + smul (natCast t) x) q) ≠ 0 ∧ S.cast (score D (x + (e +
          smul (natCast t) x)) q) ≠ 0 := by
  refine .and (Eventually.list Es fun w hw => ?_) (Eventually.list Ds fun D hDm => ?_)
  · obtain ⟨N, hN⟩ := Eventually.and (eventually_ne (a := S.inner w e) (.inr (hE w hw)))
      (eventually_ne (a := S.inner w x + S.inner w e) (.inr (hE w hw)))
    refine ⟨N, fun t ht => ?_⟩
    simp only [inner_add, inner_smul, cast_natCast, ← add_assoc]
    exact hN t ht
  · obtain ⟨N, hN⟩ := Eventually.and (eventually_ne (a := S.cast (score D e q)) (.inr (hD D hDm)))
      (eventually_ne (a := S.cast (score D x q) + S.cast (score D e q)) (.inr (hD D hDm)))
    refine ⟨N, fun t ht => ?_⟩
    simp only [cast_score_add S D x, cast_score_step, ← add_assoc]
    exact hN t ht

/-- **Directions in general position exist** for reduced heads with pairwise distinct values. -/
theorem exists_generalPosition {G : List (Head R K (n + 1))} (hr : Reduced G) (hv : G.Pairwise fun g g' => g.v ≠ g'.v) :
    ∃ D : Directions R n, S.GeneralPosition D G := by
  obtain ⟨Ds, hDs0, hDs⟩ := exists_differences (A := Mat R (n + 1)) Head.W (fun a b hne e => hne (mat_eq_of_sub e)) G
  obtain ⟨Es, hEs0, hEs⟩ := exists_differences (A := Vec K (n + 1)) Head.v
    (fun a b hne e => hne (funext fun i => sub_eq_zero.mp (congrFun e i))) G
  -- the first query token and the first direction
  obtain ⟨y, hy1, hy⟩ := S.sep_unit_mat Ds hDs0
  obtain ⟨x, hx1, hx⟩ := S.sep_unit ((Ds.map fun D => S.castV (mulVec D y)) ++ (Es ++ G.map Head.v)) (by
    intro w hw
    rcases List.mem_append.mp hw with hw | hw
    · obtain ⟨D, hD, rfl⟩ := List.mem_map.mp hw
      exact S.castV_ne (hy D hD)
    · rcases List.mem_append.mp hw with hw | hw
      · exact hEs0 w hw
      · obtain ⟨g, hg, rfl⟩ := List.mem_map.mp hw
        exact hr.ne_zero g hg)
  have hE : ∀ w ∈ Es ++ G.map Head.v, S.inner w x ≠ 0 := fun w hw => hx w (List.mem_append.mpr (.inr hw))
  have hD : ∀ D ∈ Ds, S.cast (score D x y) ≠ 0 := fun D hDm => by
    rw [← inner_mulVec]
    exact hx _ (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨D, hDm, rfl⟩)))
  have hval : ∀ z : Vec R (n + 1), (∀ w ∈ Es ++ G.map Head.v, S.inner w z ≠ 0) → (∀ g ∈ G, S.inner g.v z ≠ 0) ∧
      ∀ g ∈ G, ∀ g' ∈ G, g.v ≠ g'.v → S.inner g.v z ≠ S.inner g'.v z := fun z hz =>
    ⟨fun g hg => hz _ (List.mem_append.mpr (.inr (List.mem_map.mpr ⟨g, hg, rfl⟩))), fun g hg g' hg' hne e =>
      hz _ (List.mem_append.mpr (.inl (hEs g hg g' hg' hne))) (by rw [sub_inner, e, sub_self])⟩
  have hsc : ∀ z q : Vec R (n + 1), (∀ D ∈ Ds, S.cast (score D z q) ≠ 0) →
      G.Pairwise fun g g' => score g.W z q ≠ score g'.W z q := fun z q hz =>
    pairwise_mem hr.distinct fun g hg g' hg' hne e => hz _ (hDs g hg g' hg' hne) (by rw [score_sub_mat, e, sub_self,
        cast_zero])
  -- the multiples of the first direction
  obtain ⟨c, hc⟩ := Classical.axiomOfChoice fun i : Fin n =>
    (Eventually.and (S.step_eventually (e := basis i.succ) hE hD) (S.link_eventually (e := basis i.succ)
        (hval x hE).2)).exists
  -- the multiples of the first query token
  obtain ⟨c', hc'⟩ := Classical.axiomOfChoice fun j : Fin n => (Eventually.list Ds fun D hDm =>
    Eventually.and (eventually_ne (a := S.cast (score D x (basis j.succ))) (.inr (hD D hDm)))
      (Eventually.list (List.finRange n) fun i _ => eventually_ne
        (a := S.cast (score D (x + (basis i.succ + smul (natCast (c i)) x)) (basis j.succ)))
        (.inr ((hc i).1.2 D hDm).2))).exists
  obtain ⟨cu, hcu⟩ := unitFamily_span hx1 fun i => natCast (c i)
  obtain ⟨cq, hcq⟩ := unitFamily_span hy1 fun j => natCast (c' j)
  refine ⟨⟨unitFamily x fun i => natCast (c i), unitFamily y fun j => natCast (c' j), cu, cq, hcu, hcq⟩, ?_⟩
  have probe_ind : ∀ {P : Vec R (n + 1) → Vec R (n + 1) → Prop}, P x y → (∀ i : Fin n, P (basis i.succ +
      smul (natCast (c i)) x) y) →
      (∀ j : Fin n, P x (basis j.succ + smul (natCast (c' j)) y)) → (∀ i j : Fin n, P (x + (basis i.succ +
          smul (natCast (c i)) x))
        (basis j.succ + smul (natCast (c' j)) y)) → ∀ i j,
      P (Directions.probe ⟨unitFamily x fun i => natCast (c i), unitFamily y fun j => natCast (c' j), cu, cq, hcu,
          hcq⟩ i j)
        (unitFamily y (fun j => natCast (c' j)) j) := by
    intro P h00 hi0 h0j hij i j
    induction i using Fin.cases with
    | zero =>
      rw [Directions.probe, if_pos (.inl rfl)]
      induction j using Fin.cases with
      | zero => exact h00
      | succ j => exact h0j j
    | succ i =>
      induction j using Fin.cases with
      | zero => rw [Directions.probe, if_pos (.inr rfl)]; exact hi0 i
      | succ j =>
        rw [Directions.probe, if_neg fun h => h.elim (Fin.succ_ne_zero i) (Fin.succ_ne_zero j)]
        exact hij i j
  have hvis := fun i => hval _ fun w hw => ((hc i).1.1 w hw).1
  have hvis' := fun i => hval _ fun w hw => ((hc i).1.1 w hw).2
  refine ⟨?_, ?_, ?_, ?_, ?_⟩
  · refine probe_ind (P := fun z q => G.Pairwise fun g g' => score g.W z q ≠ score g'.W z q) (hsc _ _ hD)
      (fun i => hsc _ _ fun D hDm => ((hc i).1.2 D hDm).1) (fun j => hsc _ _ fun D hDm => ?_) fun i j => hsc _ _
          fun D hDm => ?_
    · rw [cast_score_step_right]
      exact (hc' j D hDm).1
    · rw [cast_score_step_right]
      exact (hc' j D hDm).2 i (List.mem_finRange i)
  · exact probe_ind (P := fun z _ => ∀ g ∈ G, S.inner g.v z ≠ 0) (hval x hE).1 (fun i => (hvis i).1) (fun _ =>
      (hval x hE).1)
      fun i _ => (hvis' i).1
  · exact pairwise_mem hv fun g hg g' hg' hne => (hval x hE).2 g hg g' hg' hne
  · exact fun i => pairwise_mem hv fun g hg g' hg' hne => (hvis' i).2 g hg g' hg' hne
  · intro i g hg g' hg' h hh e
    apply Classical.byContradiction
    intro hne
    exact (hc i).2 g hg g' hg' h hh (of_pairwise_ne (fun _ _ hab e => hab e.symm) hv g hg g' hg' hne) e

/-- **When the program applies.** There are directions in which the heads are in general position if and only if the
heads are reduced and their values are pairwise distinct. -/
theorem exists_generalPosition_iff (G : List (Head R K (n + 1))) :
    (∃ D : Directions R n, S.GeneralPosition D G) ↔ Reduced G ∧ G.Pairwise fun g g' => g.v ≠ g'.v :=
  ⟨fun ⟨_, h⟩ => ⟨h.reduced, h.distinct_zero.imp fun hne e => hne (by rw [e])⟩, fun ⟨hr, hv⟩ =>
      S.exists_generalPosition hr hv⟩

/-- **Learning several heads by short sequences.** For every reduced list of at most `N` heads with pairwise distinct
values there are directions in which the program returns these heads, up to order; it asks at most `(2 N - 1) d² + d`
questions, with contexts of at most `N` tokens. -/
theorem exists_learner [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) {N : Nat} {G : List (Head R K (n + 1))} (hr : Reduced G)
    (hv : G.Pairwise fun g g' => g.v ≠ g'.v) (hlen : G.length ≤ N) : ∃ D : Directions R n,
      ((S.learnShort dec D N).run fun t => S.evalHeads G t.1 t.2).Perm G ∧
      ((S.learnShort dec D N).queries fun t => S.evalHeads G t.1 t.2).length ≤
        (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) ∧
      ∀ t ∈ (S.learnShort dec D N).queries fun t => S.evalHeads G t.1 t.2, t.1.length ≤ N := by
  obtain ⟨D, hD⟩ := S.exists_generalPosition hr hv
  exact ⟨D, S.learnShort_exact hdec (fun _ => rfl) hlen hD, S.learnShort_count_le _ hdec, S.learnShort_length _ hdec⟩

/-- **The canonical form is returned**: against a model, reduced or not, whose canonical form has at most `N` heads
and is in general position, the program returns the canonical form, up to order. -/
theorem learnShort_canonical [DecidableEq R] [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) →
    List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) {D : Directions R n} {N : Nat} {M : List (Head R K (n + 1))}
    (hlen : (canonical M).length ≤ N) (hgp : S.GeneralPosition D (canonical M)) :
    ((S.learnShort dec D N).run fun t => S.evalHeads M t.1 t.2).Perm (canonical M) :=
  S.learnShort_exact hdec (fun t => (S.evalHeads_canonical M t.1 t.2).symm) hlen hgp

/-- **The questions asked are a test**: two lists of at most `N` heads in general position that agree on the questions
asked to the first are the same, up to order. -/
theorem learnShort_determines [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) {D : Directions R n} {N : Nat} {G G' : List (Head R K (n + 1))}
    (hlen : G.length ≤ N) (hlen' : G'.length ≤ N) (hgp : S.GeneralPosition D G) (hgp' : S.GeneralPosition D G')
    (h : ∀ t ∈ (S.learnShort dec D N).queries fun t => S.evalHeads G t.1 t.2,
      S.evalHeads G t.1 t.2 = S.evalHeads G' t.1 t.2) : G.Perm G' := by
  have e := (QueryProgram.run_congr (o' := fun t => S.evalHeads G' t.1 t.2) (S.learnShort dec D N) h).1
  have h1 := S.learnShort_exact hdec (o := fun t => S.evalHeads G t.1 t.2) (fun _ => rfl) hlen hgp
  have h2 := S.learnShort_exact hdec (o := fun t => S.evalHeads G' t.1 t.2) (fun _ => rfl) hlen' hgp'
  rw [← e] at h2
  exact .trans (List.Perm.symm h1) h2

/-! ## heads with equal values -/

/-- The matrix `W` with its first entry taken from `W'`. -/
def exchange (W W' : Mat R (n + 1)) : Mat R (n + 1) := fun i j => if i = 0 ∧ j = 0 then W' 0 0 else W i j

omit [CommRing R] in
private theorem exchange_zero (W W' : Mat R (n + 1)) : exchange W W' 0 0 = W' 0 0 := if_pos ⟨rfl, rfl⟩
omit [CommRing R] in
private theorem exchange_ne (W W' : Mat R (n + 1)) {i j : Fin (n + 1)}
    (h : i ≠ 0 ∨ j ≠ 0) : exchange W W' i j = W i j :=
  if_neg fun h' => h.elim (fun hi => hi h'.1) fun hj => hj h'.2

private theorem score_exchange (W W' : Mat R (n + 1)) (i j : Fin (n + 1)) :
    score (exchange W W') ((Directions.standard R n).probe i j) (basis j) =
      score (if i = 0 ∧ j = 0 then W' else W) ((Directions.standard R n).probe i j) (basis j) := by
  by_cases hij : i = 0 ∧ j = 0
  · obtain ⟨rfl, rfl⟩ := hij
    rw [if_pos ⟨rfl, rfl⟩, Directions.probe, if_pos (.inl rfl)]
    show score _ (basis 0) (basis 0) = score _ (basis 0) (basis 0)
    rw [score_basis, score_basis, exchange_zero]
  · rw [if_neg hij, Directions.probe]
    have hne : i ≠ 0 ∨ j ≠ 0 := by
      by_cases hi : i = 0
      · exact .inr fun hj => hij ⟨hi, hj⟩
      · exact .inl hi
    split
    · show score _ (basis i) (basis j) = score _ (basis i) (basis j)
      rw [score_basis, score_basis, exchange_ne W W' hne]
    · rename_i h
      show score _ (basis 0 + basis i) (basis j) = score _ (basis 0 + basis i) (basis j)
      rw [score_add, score_add, score_basis, score_basis, score_basis, score_basis, exchange_ne W W' hne,
        exchange_ne W W' (.inr fun hj => h (.inr hj))]

/-- **Distinct values are needed.** Two heads with the same value vector and the same heads with the first entries of
their matrices exchanged answer every question of the program in the standard directions alike, against any oracle and
whatever the decoder. -/
theorem values_distinct_needed [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) (N : Nat) (o : Query R (n + 1) → K) (W W' : Mat R (n + 1)) (v : Vec K (n + 1)) :
    ∀ t ∈ (S.learnShort dec (Directions.standard R n) N).queries o,
      S.evalHeads [⟨W, v⟩, ⟨W', v⟩] t.1 t.2 = S.evalHeads [⟨exchange W W', v⟩, ⟨exchange W' W, v⟩] t.1 t.2 := by
  intro t ht
  simp only [evalHeads, listSum_cons, listSum_nil]
  rcases S.learnShort_mem o hdec ht with ⟨a, rfl⟩ | ⟨H, k, i, j, -, -, rfl⟩
  · simp only [eval_nil]
  · show S.eval W v (copies _ _ _ (basis j)) (basis j) + (S.eval W' v (copies _ _ _ (basis j)) (basis j) + 0) =
      S.eval (exchange W W') v (copies _ _ _ (basis j)) (basis j) +
        (S.eval (exchange W' W) v (copies _ _ _ (basis j)) (basis j) + 0)
    simp only [eval_copies, score_exchange]
    by_cases h : i = 0 ∧ j = 0
    · simp only [if_pos h]
      ring
    · simp only [if_neg h]

/-- The exchanged heads of `values_distinct_needed` compute another function, if the matrices differ in the first
entry and in another one, and the value is not zero. -/
theorem exchange_ne_of_ne {W W' : Mat R (n + 1)} {v : Vec K (n + 1)} (hv : v ≠ 0) (h0 : W 0 0 ≠ W' 0 0)
    {i j : Fin (n + 1)} (hij : i ≠ 0 ∨ j ≠ 0) (h1 : W i j ≠ W' i j) :
    ¬ ∀ xs q, S.evalHeads [⟨W, v⟩, ⟨W', v⟩] xs q = S.evalHeads [⟨exchange W W', v⟩, ⟨exchange W' W, v⟩] xs q := by
  have red : ∀ {A B : Mat R (n + 1)}, A ≠ B → Reduced [⟨A, v⟩, (⟨B, v⟩ : Head R K (n + 1))] := fun {A B} hne => {
    distinct := List.pairwise_cons.mpr ⟨fun g hg => by rw [List.mem_singleton.mp hg]; exact hne,
      List.pairwise_cons.mpr ⟨fun _ h => (nomatch h), .nil⟩⟩
    ne_zero := fun g hg => by
      rcases List.mem_cons.mp hg with rfl | hg
      · exact hv
      · rw [List.mem_singleton.mp hg]; exact hv }
  intro h
  have hp := (S.reduced_unique (red fun e => h0 (by rw [e])) (red fun e => h1 (by
    have := congrFun (congrFun e i) j
    rwa [exchange_ne _ _ hij, exchange_ne _ _ hij] at this))).mp h
  rcases List.mem_cons.mp ((List.Perm.mem_iff hp).mp List.mem_cons_self) with e | e
  · have e := congrArg (fun g : Head R K (n + 1) => g.W 0 0) e
    exact h0 (e.trans (exchange_zero W W'))
  · have e := congrArg (fun g : Head R K (n + 1) => g.W i j) (List.mem_singleton.mp e)
    exact h1 (e.trans (exchange_ne W' W hij))
end Semantics

end AttentionQueries
