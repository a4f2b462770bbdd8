import AttentionQueries.MultiHead.Learner.Program
import AttentionQueries.MultiHead.Canonical
import AttentionQueries.MultiHead.Separation

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

/-! ## directions from one token -/
section
variable {R : Type} [CommRing R] {n : Nat}
private theorem finSum_basis_mul {d : Nat} (a : Fin d) (v : Vec R d) : (finSum fun i => basis a i * v i) = v a := by
  rw [finSum_single a, basis_self, one_mul]
  intro j hj
  rw [basis_ne hj, zero_mul]
private theorem basis_succ_zero (i : Fin n) : basis i.succ 0 = (0 : R) := basis_ne (Fin.succ_ne_zero i).symm
private theorem basis_zero_succ (i : Fin n) : basis 0 i.succ = (0 : R) := basis_ne (Fin.succ_ne_zero i)
private theorem basis_succ_succ (i j : Fin n) : basis i.succ j.succ = (basis j i : R) := by
  by_cases h : j = i
  · rw [h, basis_self, basis_self]
  · rw [basis_ne (fun e => h (Fin.succ_inj.mp e)), basis_ne fun e => h e.symm]

/-- `x, e₁ + c₁ x, …, eₙ + cₙ x` -/
private def family (x : Vec R (n + 1)) (c : Vec R n) : Fin (n + 1) → Vec R (n + 1) :=
  Fin.cases x fun i => basis i.succ + smul (c i) x
/-- it spans when `x 0 = 1` -/
private theorem family_span {x : Vec R (n + 1)} (hx : x 0 = 1) (c : Vec R n) :
    ∃ cu : Mat R (n + 1), ∀ a, (fun b => finSum fun i => cu a i * family x c i b) = basis a := by
  have hsum : ∀ (w : Vec R n) (b : Fin (n + 1)), (finSum fun i => w i * family x c i.succ b) =
      (finSum fun i => w i * basis i.succ b) + (finSum fun i => w i * c i) * x b := fun w b => by
    rw [mul_comm _ (x b), ← finSum_mul, ← finSum_add]
    refine congrArg finSum (funext fun i => ?_)
    show w i * (basis i.succ b + c i * x b) = _
    ring
  have hb : ∀ (w : Vec R n) (k : Fin n), (finSum fun i => w i * basis i.succ k.succ) = w k := fun w k => by
    rw [← finSum_basis_mul k w]
    refine congrArg finSum (funext fun i => ?_)
    rw [basis_succ_succ, mul_comm]
  have h0 : ∀ (w : Vec R n), (finSum fun i => w i * basis i.succ 0) = 0 := fun w =>
    finSum_zero fun i => by rw [basis_succ_zero, mul_zero]
  refine ⟨fun a => Fin.cases (Fin.cases (1 + finSum fun i => x i.succ * c i) (fun i => -x i.succ))
    (fun k => Fin.cases (-c k) (fun i => basis k i)) a, fun a => funext fun b => ?_⟩
  rw [finSum_succ]
  induction a using Fin.cases with
  | zero =>
    show (1 + finSum fun i => x i.succ * c i) * x b + (finSum fun i => -x i.succ * family x c i.succ b) = basis 0 b
    rw [hsum, show (finSum fun i => -x i.succ * c i) = -1 * finSum fun i => x i.succ * c i from by
      rw [← finSum_mul]; exact congrArg finSum (funext fun i => by ring)]
    induction b using Fin.cases with
    | zero => rw [h0, basis_self, hx]; ring
    | succ k => rw [hb, basis_zero_succ]; ring
  | succ k =>
    show -c k * x b + (finSum fun i => basis k i * family x c i.succ b) = basis k.succ b
    rw [hsum, finSum_basis_mul k fun i => basis i.succ b, finSum_basis_mul]
    ring
end

private theorem Eventually.and {P Q : Nat → Prop} (h : Eventually P) (h' : Eventually Q) : Eventually fun t => P t ∧
    Q t := by
  obtain ⟨N, hN⟩ := h
  obtain ⟨M, hM⟩ := h'
  exact ⟨max N M, fun t ht => ⟨hN t (Nat.max_le.mp ht).1, hM t (Nat.max_le.mp ht).2⟩⟩

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {n : Nat}
namespace Semantics

private theorem cast_ne_self {a : R} (h : S.cast a ≠ 0) : a ≠ 0 := fun e => h (by rw [e, cast_zero])
private theorem sub_inner {d : Nat} (v w : Vec K d) (x : Vec R d) : S.inner (v - w) x = S.inner v x - S.inner w x := by
  have h := S.add_inner (v - w) w x
  rw [show v - w + w = v from funext fun i => by rw [vadd_app, vsub_app]; ring] at h
  lin_comb (-1) h

/-- separation by a token with first coordinate `1` -/
private theorem sep_unit (l : List (Vec K (n + 1))) (h : ∀ w ∈ l, w ≠ 0) :
    ∃ u : Vec R (n + 1), u 0 = 1 ∧ ∀ w ∈ l, S.inner w u ≠ 0 := by
  induction l with
  | nil => exact ⟨basis 0, basis_self 0, fun _ hw => nomatch hw⟩
  | cons w l ih =>
    obtain ⟨u, hu1, hu⟩ := ih fun w' hw' => h w' (List.mem_cons_of_mem w hw')
    by_cases hw : S.inner w u = 0
    · obtain ⟨p, hp⟩ : ∃ p : Fin n, w p.succ ≠ 0 := by
        apply Classical.byContradiction
        intro hn
        have hz : ∀ p : Fin n, w p.succ = 0 := fun p => Classical.byContradiction fun hp => hn ⟨p, hp⟩
        refine h w List.mem_cons_self (funext fun i => ?_)
        induction i using Fin.cases with
        | zero =>
          rw [inner, finSum_succ, hu1, S.cast_one, mul_one, finSum_zero fun i => by rw [hz, zero_mul], add_zero] at hw
          exact hw
        | succ p => exact hz p
      have hev : ∀ w' ∈ w :: l, Eventually fun t => S.inner w' u + natCast t * S.inner w' (basis p.succ) ≠ 0 := by
        intro w' hw'
        apply eventually_ne
        rcases List.mem_cons.mp hw' with rfl | hw'
        · exact .inr (by rw [inner_basis]; exact hp)
        · exact .inl (hu w' hw')
      obtain ⟨t, ht⟩ := (Eventually.list _ hev).exists
      refine ⟨u + smul (natCast t) (basis p.succ), ?_, fun w' hw' => ?_⟩
      · show u 0 + natCast t * basis p.succ 0 = 1
        rw [basis_succ_zero, mul_zero, add_zero, hu1]
      · rw [inner_add, inner_smul, cast_natCast]
        exact ht w' hw'
    · refine ⟨u, hu1, fun w' hw' => ?_⟩
      rcases List.mem_cons.mp hw' with rfl | hw'
      · exact hw
      · exact hu w' hw'

include S in
/-- the same for matrices -/
private theorem sep_unit_mat (l : List (Mat R (n + 1))) (h : ∀ W ∈ l, W ≠ 0) :
    ∃ q : Vec R (n + 1), q 0 = 1 ∧ ∀ W ∈ l, mulVec W q ≠ 0 := by
  have hrow : ∀ W : Mat R (n + 1), ∃ i, W ≠ 0 → W i ≠ 0 := fun W => by
    by_cases hW : W = 0
    · exact ⟨0, fun h => absurd hW h⟩
    · obtain ⟨i, hi⟩ := exists_ne_zero hW
      exact ⟨i, fun _ => hi⟩
  obtain ⟨row, hrow⟩ := Classical.axiomOfChoice hrow
  obtain ⟨q, hq1, hq⟩ := S.sep_unit (l.map fun W => S.castV (W (row W))) (by
    intro w hw
    obtain ⟨W, hW, rfl⟩ := List.mem_map.mp hw
    exact S.castV_ne (hrow W (h W hW)))
  refine ⟨q, hq1, fun W hW e => hq _ (List.mem_map.mpr ⟨W, hW, rfl⟩) ?_⟩
  rw [inner_row, e, vzero_app, cast_zero]

/-! ## scores as values -/
private theorem cast_score_add (W : Mat R (n + 1)) (x y q : Vec R (n + 1)) :
    S.cast (score W (x + y) q) = S.cast (score W x q) + S.cast (score W y q) := by rw [score_add, S.cast_add]
private theorem cast_score_step (W : Mat R (n + 1)) (x y q : Vec R (n + 1)) (t : Nat) :
    S.cast (score W (x + smul (natCast t) y) q) = S.cast (score W x q) + natCast t * S.cast (score W y q) := by
  rw [score_add, score_smul, S.cast_add, S.cast_mul, cast_natCast]
private theorem cast_score_step_right (W : Mat R (n + 1)) (x q r : Vec R (n + 1)) (t : Nat) :
    S.cast (score W x (q + smul (natCast t) r)) = S.cast (score W x q) + natCast t * S.cast (score W x r) := by
  have h : ∀ i, mulVec W (q + smul (natCast t) r) i = mulVec W q i + natCast t * mulVec W r i := fun i => by
    rw [mulVec, mulVec, mulVec, ← finSum_mul, ← finSum_add]
    refine congrArg finSum (funext fun j => ?_)
    rw [vadd_app, smul]; ring
  have e : score W x (q + smul (natCast t) r) = score W x q + natCast t * score W x r := by
    rw [score, score, score, ← finSum_mul, ← finSum_add]
    refine congrArg finSum (funext fun i => ?_)
    rw [h]; ring
  rw [e, S.cast_add, S.cast_mul, cast_natCast]

omit [CommRing R] [OrderedField K] in
private theorem pairwise_of {α : Type} {P Q : α → α → Prop} : ∀ {l : List α}, l.Pairwise P →
    (∀ a ∈ l, ∀ b ∈ l, P a b → Q a b) → l.Pairwise Q
  | [], _, _ => .nil
  | a :: l, h, hi => by
    rw [List.pairwise_cons] at h ⊢
    exact ⟨fun b hb => hi a List.mem_cons_self b (List.mem_cons_of_mem a hb) (h.1 b hb),
      pairwise_of h.2 fun b hb c hc => hi b (List.mem_cons_of_mem a hb) c (List.mem_cons_of_mem a hc)⟩
omit [CommRing R] [OrderedField K] in
private theorem of_pairwise {α : Type} {P : α → α → Prop} (hP : ∀ a b, P a b → P b a) : ∀ {l : List α}, l.Pairwise P →
    ∀ a ∈ l, ∀ b ∈ l, a ≠ b → P a b
  | c :: l, h, a, ha, b, hb, hne => by
    rw [List.pairwise_cons] at h
    rcases List.mem_cons.mp ha with ea | ha'
    · rcases List.mem_cons.mp hb with eb | hb'
      · exact absurd (ea.trans eb.symm) hne
      · rw [ea]; exact h.1 b hb'
    · rcases List.mem_cons.mp hb with eb | hb'
      · rw [eb]; exact hP _ _ (h.1 a ha')
      · exact of_pairwise hP h.2 a ha' b hb' hne

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
    pairwise_of hr.distinct fun g hg g' hg' hne e => hz _ (hDs g hg g' hg' hne) (by rw [score_sub_mat, e, sub_self,
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
  obtain ⟨cu, hcu⟩ := family_span hx1 fun i => natCast (c i)
  obtain ⟨cq, hcq⟩ := family_span hy1 fun j => natCast (c' j)
  refine ⟨⟨family x fun i => natCast (c i), family y fun j => natCast (c' j), cu, cq, hcu, hcq⟩, ?_⟩
  have probe_ind : ∀ {P : Vec R (n + 1) → Vec R (n + 1) → Prop}, P x y → (∀ i : Fin n, P (basis i.succ +
      smul (natCast (c i)) x) y) →
      (∀ j : Fin n, P x (basis j.succ + smul (natCast (c' j)) y)) → (∀ i j : Fin n, P (x + (basis i.succ +
          smul (natCast (c i)) x))
        (basis j.succ + smul (natCast (c' j)) y)) → ∀ i j,
      P (Directions.probe ⟨family x fun i => natCast (c i), family y fun j => natCast (c' j), cu, cq, hcu, hcq⟩ i j)
        (family y (fun j => natCast (c' j)) j) := by
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
  · exact pairwise_of hv fun g hg g' hg' hne => (hval x hE).2 g hg g' hg' hne
  · exact fun i => pairwise_of hv fun g hg g' hg' hne => (hvis' i).2 g hg g' hg' hne
  · intro i g hg g' hg' h hh e
    apply Classical.byContradiction
    intro hne
    exact (hc i).2 g hg g' hg' h hh (of_pairwise (fun _ _ hab e => hab e.symm) hv g hg g' hg' hne) e

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

/-- **The canonical form is returned**: against a model, reduced or not, whose canonical form has at most `N` heads and is in
general position, the program returns the canonical form, up to order. -/
theorem learnShort_canonical [DecidableEq R] [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) {D : Directions R n} {N : Nat} {M : List (Head R K (n + 1))}
    (hlen : (canonical M).length ≤ N) (hgp : S.GeneralPosition D (canonical M)) :
    ((S.learnShort dec D N).run fun t => S.evalHeads M t.1 t.2).Perm (canonical M) :=
  S.learnShort_exact hdec (fun t => (S.evalHeads_canonical M t.1 t.2).symm) hlen hgp

/-- **The questions asked are a test**: two lists of at most `N` heads in general position that agree on the questions asked to
the first are the same, up to order. -/
theorem learnShort_determines [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) {D : Directions R n} {N : Nat} {G G' : List (Head R K (n + 1))}
    (hlen : G.length ≤ N) (hlen' : G'.length ≤ N) (hgp : S.GeneralPosition D G) (hgp' : S.GeneralPosition D G')
    (h : ∀ t ∈ (S.learnShort dec D N).queries fun t => S.evalHeads G t.1 t.2,
      S.evalHeads G t.1 t.2 = S.evalHeads G' t.1 t.2) : G.Perm G' := by
  have e := (QueryProgram.run_congr (o' := fun t => S.evalHeads G' t.1 t.2) (S.learnShort dec D N) h).1
  have h1 := S.learnShort_exact hdec (o := fun t => S.evalHeads G t.1 t.2) (fun _ => rfl) hlen hgp
  have h2 := S.learnShort_exact hdec (o := fun t => S.evalHeads G' t.1 t.2) (fun _ => rfl) hlen' hgp'
  rw [← e] at h2
  exact .trans (perm_symm h1) h2

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
  rcases List.mem_cons.mp (perm_mem hp List.mem_cons_self) with e | e
  · have e := congrArg (fun g : Head R K (n + 1) => g.W 0 0) e
    exact h0 (e.trans (exchange_zero W W'))
  · have e := congrArg (fun g : Head R K (n + 1) => g.W i j) (List.mem_singleton.mp e)
    exact h1 (e.trans (exchange_ne W' W hij))
end Semantics

end AttentionQueries
