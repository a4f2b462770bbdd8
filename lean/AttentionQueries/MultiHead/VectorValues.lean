import AttentionQueries.MultiHead.Reduced

/-! # The fibre theorem for vector-valued heads

A head `(W, V)` with a value matrix `V : m × d` has its output in `m` dimensions; coordinate `a` of the output is that
of the head `(W, V a)`, where `V a` is row `a`. The fibre theorem carries over: models are equal as functions iff for
every score matrix the sums of the value matrices agree, and a model is identifiable up to the order of its heads iff
its score matrices are distinct and its value matrices nonzero. This does not follow from the scalar case coordinate by
coordinate: no coordinate of a reduced vector-valued model need be reduced.

## Main definitions

* `VectorHead`, `Semantics.evalVectorHeads`: heads with value matrices, and the output of a list of them.
* `vectorTotal H W`: the sum of the value matrices of the heads with score matrix `W`.
* `VectorReduced H`: distinct score matrices, nonzero value matrices.

## Main statements

* `Semantics.vectorHeads_fibre`: **the fibre theorem** for vector-valued heads.
* `Semantics.vectorHeads_reduced_unique`: reduced models compute the same function iff they are permutations of
  each other.
* `Semantics.vectorHeads_identifiable_iff`: **identifiability** up to order, for `d ≥ 1` (and any `m`).
-/

namespace AttentionQueries
open CommRing

/-- A head with a value matrix: the score matrix `W` is `d × d`, the value matrix `V` is `m × d`. -/
structure VectorHead (R K : Type) (m d : Nat) where
  /-- The score matrix. -/
  W : Mat R d
  /-- The value matrix; its rows are the value vectors of the coordinates of the output. -/
  V : Fin m → Vec K d

variable {R K : Type} [OrderedField K] {m d : Nat}

omit [OrderedField K] in
/-- Coordinate `a` of a vector-valued model, a model with scalar values. -/
def component (a : Fin m) (H : List (VectorHead R K m d)) : List (Head R K d) := H.map fun h => ⟨h.W, h.V a⟩

/-- `∑ h.V` over the heads `h ∈ H` with `h.W = W`. -/
noncomputable def vectorTotal (H : List (VectorHead R K m d)) (W : Mat R d) : Fin m → Vec K d := fun a i =>
  keySum VectorHead.W (fun h (p : Fin m × Fin d) => h.V p.1 p.2) H W (a, i)

/-- The rows of the totals are the totals of the coordinates. -/
theorem total_component (a : Fin m) (H : List (VectorHead R K m d)) (W : Mat R d) :
    total (component a H) W = vectorTotal H W a := funext fun _ => listSum_map _ H _

/-- The totals do not depend on the order of the heads. -/
theorem vectorTotal_perm {H H' : List (VectorHead R K m d)} (h : H.Perm H') (W : Mat R d) :
    vectorTotal H W = vectorTotal H' W := funext fun a => funext fun i => congrFun (keySum_perm h W) (a, i)

/-- A head with value zero does not count. -/
theorem vectorTotal_cons_zero (W₀ : Mat R d) (H : List (VectorHead R K m d)) (W : Mat R d) :
    vectorTotal (⟨W₀, 0⟩ :: H) W = vectorTotal H W := by
  funext a i
  show keySum _ _ _ _ _ = keySum _ _ _ _ _
  rw [keySum, listSum_cons]
  exact (congrArg (· + _) (ite_self _)).trans (zero_add _)

/-- The score matrices are pairwise distinct and the value matrices are not zero. -/
structure VectorReduced (H : List (VectorHead R K m d)) : Prop where
  /-- The score matrices are pairwise distinct. -/
  distinct : H.Pairwise fun g g' => g.W ≠ g'.W
  /-- The value matrices are not zero. -/
  ne_zero : ∀ h ∈ H, h.V ≠ 0

private theorem exists_entry {V : Fin m → Vec K d} (h : V ≠ 0) : ∃ p : Fin m × Fin d, V p.1 p.2 ≠ 0 := by
  obtain ⟨a, ha⟩ := exists_ne_zero h
  obtain ⟨i, hi⟩ := exists_ne_zero ha
  exact ⟨(a, i), hi⟩

/-- Reduced lists with the same totals are permutations of each other. -/
theorem VectorReduced.perm_of_total {H H' : List (VectorHead R K m d)} (hr : VectorReduced H) (hr' : VectorReduced H')
    (ht : ∀ W, vectorTotal H W = vectorTotal H' W) : H.Perm H' :=
  perm_of_keySum (key := VectorHead.W) (val := fun h (p : Fin m × Fin d) => h.V p.1 p.2)
    (fun ⟨_, _⟩ ⟨_, _⟩ hW hV => VectorHead.mk.injEq .. ▸ ⟨hW, funext fun a => funext fun i => hV (a, i)⟩)
    hr.distinct hr'.distinct (fun h hh => exists_entry (hr.ne_zero h hh)) (fun h hh => exists_entry (hr'.ne_zero h hh))
    fun W p => congrFun (congrFun (ht W) p.1) p.2

/-- A list whose keys are not distinct has two members with the same key. -/
private theorem exists_equal_keys {α κ : Type} (key : α → κ) : ∀ {l : List α},
    ¬ l.Pairwise (fun a b => key a ≠ key b) → ∃ a b l', l.Perm (a :: b :: l') ∧ key a = key b
  | [], h => absurd .nil h
  | a :: l, h => by
    by_cases ha : ∃ b ∈ l, key a = key b
    · obtain ⟨b, hb, e⟩ := ha
      obtain ⟨l', hl⟩ := perm_of_mem hb
      exact ⟨a, b, l', .cons a hl, e⟩
    · obtain ⟨b, c, l', hl, e⟩ := exists_equal_keys key (l := l) fun hl =>
        h (List.pairwise_cons.mpr ⟨fun b hb e => ha ⟨b, hb, e⟩, hl⟩)
      exact ⟨b, c, a :: l', (hl.cons a).trans (.trans (.swap b a _) (.cons b (.swap c a _))), e⟩

/-- A model that is not reduced can do with one head less, keeping its totals. -/
theorem exists_shorter {H : List (VectorHead R K m d)} (hr : ¬ VectorReduced H) :
    ∃ H' : List (VectorHead R K m d), H'.length + 1 = H.length ∧ ∀ W, vectorTotal H' W = vectorTotal H W := by
  by_cases hd : H.Pairwise fun g g' => g.W ≠ g'.W
  · -- drop a head with value zero
    obtain ⟨h, hh, h0⟩ : ∃ h ∈ H, h.V = 0 := Classical.byContradiction fun hn =>
      hr ⟨hd, fun h hh h0 => hn ⟨h, hh, h0⟩⟩
    obtain ⟨H', hp⟩ := perm_of_mem hh
    refine ⟨H', (List.Perm.length_eq hp).symm, fun W => ?_⟩
    obtain ⟨W₀, V⟩ := h
    rw [vectorTotal_perm hp, show V = 0 from h0, vectorTotal_cons_zero]
  · -- merge two heads with the same matrix
    obtain ⟨g, h, H', hp, e⟩ := exists_equal_keys VectorHead.W hd
    refine ⟨⟨g.W, fun a i => g.V a i + h.V a i⟩ :: H', (List.Perm.length_eq hp).symm, fun W => ?_⟩
    rw [vectorTotal_perm hp]
    funext a i
    show keySum _ _ _ _ _ = keySum _ _ _ _ _
    rw [keySum, keySum, listSum_cons, listSum_cons, listSum_cons, ← add_assoc, ← e]
    refine congrArg (· + _) ?_
    split
    · rfl
    · exact (add_zero 0).symm

variable [CommRing R] (S : Semantics R K)

namespace Semantics

/-- The output of a list of vector-valued heads. -/
def evalVectorHeads (H : List (VectorHead R K m d)) (xs : List (Vec R d)) (q : Vec R d) : Vec K m := fun a =>
  listSum H fun h => S.eval h.W (h.V a) xs q

/-- Coordinate `a` of the output is the output of coordinate `a` of the model. -/
theorem evalVectorHeads_apply (H : List (VectorHead R K m d)) (xs : List (Vec R d)) (q : Vec R d) (a : Fin m) :
    S.evalVectorHeads H xs q a = S.evalHeads (component a H) xs q := by
  rw [evalHeads, component, listSum_map]
  rfl

/-- **Fibre theorem for vector-valued heads.** Two lists of vector-valued heads, of any lengths, compute the same
function on all sequences iff for every matrix `W` the sums of the value matrices of their heads with score matrix `W`
agree. -/
theorem vectorHeads_fibre (H H' : List (VectorHead R K m d)) :
    (∀ xs q, S.evalVectorHeads H xs q = S.evalVectorHeads H' xs q) ↔ ∀ W, vectorTotal H W = vectorTotal H' W := by
  constructor
  · intro h W
    funext a
    rw [← total_component, ← total_component]
    refine (S.fibre _ _).mp (fun xs q => ?_) W
    rw [← evalVectorHeads_apply, h, evalVectorHeads_apply]
  · intro h xs q
    funext a
    rw [evalVectorHeads_apply, evalVectorHeads_apply]
    exact (S.fibre _ _).mpr (fun W => by rw [total_component, total_component, h]) xs q

/-- Reduced vector-valued models compute the same function iff they are permutations of each other. -/
theorem vectorHeads_reduced_unique {H H' : List (VectorHead R K m d)} (hr : VectorReduced H) (hr' : VectorReduced H') :
    (∀ xs q, S.evalVectorHeads H xs q = S.evalVectorHeads H' xs q) ↔ H.Perm H' :=
  ⟨fun h => hr.perm_of_total hr' ((S.vectorHeads_fibre H H').mp h),
    fun h => (S.vectorHeads_fibre H H').mpr fun W => vectorTotal_perm h W⟩

/-- A model with the function of a reduced model has at least as many heads. -/
theorem length_le_of_vectorReduced {H H' : List (VectorHead R K m d)} (hr : VectorReduced H)
    (h : ∀ xs q, S.evalVectorHeads H xs q = S.evalVectorHeads H' xs q) : H.length ≤ H'.length := by
  rw [← List.length_map (f := VectorHead.W) (as := H')]
  refine length_le_of_distinct VectorHead.W hr.distinct fun g hg => Classical.byContradiction fun hn => ?_
  obtain ⟨p, hp⟩ := exists_entry (hr.ne_zero g hg)
  have e := congrFun (congrFun ((S.vectorHeads_fibre H H').mp h g.W) p.1) p.2
  have h1 := keySum_of_mem (val := fun (h : VectorHead R K m d) (p : Fin m × Fin d) => h.V p.1 p.2) hr.distinct hg p
  have h2 := keySum_of_not_mem (val := fun (h : VectorHead R K m d) (p : Fin m × Fin d) => h.V p.1 p.2)
    (fun g' hg' e => hn (List.mem_map.mpr ⟨g', hg', e⟩)) p
  exact hp (h1.symm.trans (e.trans h2))

/-- The model `H` is identifiable up to the order of its heads: every model with as many heads that computes the same
function is a permutation of `H`. -/
def VectorIdentifiable (H : List (VectorHead R K m d)) : Prop := ∀ H' : List (VectorHead R K m d),
  H'.length = H.length → (∀ xs q, S.evalVectorHeads H xs q = S.evalVectorHeads H' xs q) → H.Perm H'

/-- **Identifiability of vector-valued models.** For `d ≥ 1` a model is identifiable up to the order of its heads iff
its score matrices are pairwise distinct and its value matrices are not zero. -/
theorem vectorHeads_identifiable_iff (hd : 0 < d) (H : List (VectorHead R K m d)) :
    S.VectorIdentifiable H ↔ VectorReduced H := by
  constructor
  · intro hi
    refine Classical.byContradiction fun hr => ?_
    obtain ⟨H', hl, ht⟩ := exists_shorter hr
    obtain ⟨W, hW⟩ := S.exists_new_mat hd (H.map VectorHead.W)
    have hp := hi (⟨W, 0⟩ :: H') hl ((S.vectorHeads_fibre _ _).mpr fun W' => ?_)
    · exact hW (List.mem_map.mpr ⟨⟨W, 0⟩, hp.mem_iff.mpr List.mem_cons_self, rfl⟩)
    · rw [vectorTotal_cons_zero, ht]
  · intro hr H' hl h
    refine (S.vectorHeads_reduced_unique hr (Classical.byContradiction fun hn => ?_)).mp h
    obtain ⟨H'', hl', ht⟩ := exists_shorter hn
    have hle := S.length_le_of_vectorReduced hr fun xs q =>
      (h xs q).trans ((S.vectorHeads_fibre H' H'').mpr (fun W => (ht W).symm) xs q)
    rw [← hl, ← hl'] at hle
    exact Nat.not_succ_le_self _ hle

/-- `d ≥ 1` is needed: for `d = 0` every model is identifiable, whereas none with a head is reduced. -/
theorem vectorHeads_identifiable_of_dim_zero (H : List (VectorHead R K m 0)) :
    S.VectorIdentifiable H ∧ (VectorReduced H ↔ H = []) := by
  have heads : ∀ {H H' : List (VectorHead R K m 0)}, H'.length = H.length → H = H' := by
    intro H
    induction H with
    | nil => exact fun h => (List.length_eq_zero_iff.mp h).symm
    | cons h H ih =>
      intro H' hl
      cases H' with
      | nil => exact nomatch hl
      | cons h' H' =>
        obtain ⟨W, V⟩ := h
        obtain ⟨W', V'⟩ := h'
        rw [show W = W' from funext fun i => i.elim0, show V = V' from funext fun a => funext fun i => i.elim0,
          ih (Nat.succ.inj hl)]
  refine ⟨fun H' hl _ => .of_eq (heads hl), fun hr => ?_, fun e => e ▸ ⟨.nil, fun _ hh => nomatch hh⟩⟩
  cases H with
  | nil => rfl
  | cons h H => exact absurd (funext fun _ => funext fun i => i.elim0) (hr.ne_zero h List.mem_cons_self)

end Semantics

end AttentionQueries
