import AttentionQueries.MultiHead.Reduced

/-! # The canonical form of a multi-head model

Merge the heads with equal score matrices, then drop those whose value vectors have become zero. This is a computation
wherever equality of scalars and of values is decidable; two models compute the same function iff their canonical forms
are equal up to the order of the heads. It follows how few heads can compute a given function, and which models are
determined by their function up to the order of their heads.

## Main definitions

* `canonical H`: the canonical form, with the heads in the order of the first occurrence of their matrices.
* `sameFunction H H'`: the decision whether two models compute the same function.

## Main statements

* `Semantics.evalHeads_canonical`: the canonical form computes the same function.
* `canonical_reduced`, `canonical_of_reduced`: it is reduced, and a reduced model is its own canonical form.
* `Semantics.canonical_complete`: **the canonical form is a complete invariant**.
* `Semantics.minimal_heads`: the canonical form has the least number of heads that computes the function.
* `Semantics.identifiable_iff_reduced`: for `d ≥ 1`, a model is determined up to order by its function, among the models
  with as many heads, iff its score matrices are pairwise distinct and its value vectors nonzero.
* `identifiable_of_dim_zero`, `Semantics.identifiable_length_needed`: for `d = 0`, and without the bound on the number
  of heads, this fails.
-/

namespace AttentionQueries
open CommRing

variable {R K : Type} [OrderedField K] {d : Nat}

section decidable
variable [DecidableEq R] [DecidableEq K]

/-- **Canonical form**: heads with equal score matrices are merged, then heads with value zero dropped. The heads stand
in the order of the first occurrence of their matrices. -/
def canonical (H : List (Head R K d)) : List (Head R K d) :=
  (mergeHeads H.reverse).filter fun h => h.v ≠ 0

/-- The canonical form is reduced: distinct matrices, nonzero value vectors. -/
theorem canonical_reduced (H : List (Head R K d)) : Reduced (canonical H) :=
  ⟨(mergeHeads_distinct H.reverse).filter _, fun _ hh => of_decide_eq_true (List.mem_filter.mp hh).2⟩

/-- The canonical form makes no new matrices. -/
theorem mem_canonical {H : List (Head R K d)} {k : Head R K d} (hk : k ∈ canonical H) : ∃ h ∈ H, k.W = h.W := by
  obtain ⟨h, hh, e⟩ := mem_mergeHeads (List.mem_filter.mp hk).1
  exact ⟨h, List.mem_reverse.mp hh, e⟩

omit [DecidableEq R] in
private theorem listSum_dropZero (p : Head R K d → K) (hp : ∀ h : Head R K d, h.v = 0 → p h = 0)
    (G : List (Head R K d)) : listSum (G.filter fun h => h.v ≠ 0) p = listSum G p := by
  rw [listSum_filter (fun h : Head R K d => decide (h.v ≠ 0)) G p,
    listSum_zero (l := G.filter fun h => !decide (h.v ≠ 0)), add_zero]
  intro h hh
  have hn := (List.mem_filter.mp hh).2
  by_cases e : h.v = 0
  · exact hp h e
  · rw [decide_eq_true e] at hn; exact nomatch hn

/-- The canonical form has the same totals. -/
theorem total_canonical (H : List (Head R K d)) (W : Mat R d) : total (canonical H) W = total H W := by
  rw [← total_perm (List.reverse_perm H) W, ← total_mergeHeads H.reverse]
  exact funext fun i => listSum_dropZero _ (fun h e => by rw [e]; split <;> rfl) (mergeHeads H.reverse)

/-- A reduced list of heads is its own canonical form. -/
theorem canonical_of_reduced {H : List (Head R K d)} (hr : Reduced H) : canonical H = H := by
  rw [canonical, mergeHeads_of_distinct, List.reverse_reverse]
  · exact List.filter_eq_self.mpr fun h hh => decide_eq_true (hr.ne_zero h hh)
  · exact List.pairwise_reverse.mpr (hr.distinct.imp fun h e => h e.symm)

/-- Taking the canonical form twice changes nothing. -/
theorem canonical_canonical (H : List (Head R K d)) : canonical (canonical H) = canonical H :=
  canonical_of_reduced (canonical_reduced H)

/-- The canonical form has at most as many heads as the model. -/
theorem length_canonical_le (H : List (Head R K d)) : (canonical H).length ≤ H.length :=
  Nat.le_trans (List.length_filter_le _ _)
    (Nat.le_trans (length_mergeHeads_le _) (Nat.le_of_eq List.length_reverse))

private theorem of_length_filter {α : Type} {p : α → Bool} : ∀ {l : List α}, (l.filter p).length = l.length →
    ∀ a ∈ l, p a = true
  | [], _, _, ha => nomatch ha
  | b :: l, h, a, ha => by
    by_cases hb : p b = true
    · rw [List.filter_cons_of_pos hb] at h
      rcases List.mem_cons.mp ha with rfl | ha
      · exact hb
      · exact of_length_filter (Nat.succ.inj h) a ha
    · rw [List.filter_cons_of_neg hb] at h
      exact absurd (Nat.le_trans (Nat.le_of_eq h.symm) (List.length_filter_le p l)) (Nat.not_succ_le_self _)

/-- The canonical form has as many heads as the model iff the model is reduced. -/
theorem length_canonical_eq_iff (H : List (Head R K d)) : (canonical H).length = H.length ↔ Reduced H := by
  refine ⟨fun h => ?_, fun hr => congrArg _ (canonical_of_reduced hr)⟩
  have h1 : (mergeHeads H.reverse).length ≤ H.length :=
    Nat.le_trans (length_mergeHeads_le _) (Nat.le_of_eq List.length_reverse)
  have h2 : (canonical H).length ≤ (mergeHeads H.reverse).length := List.length_filter_le _ _
  have h3 : (mergeHeads H.reverse).length = H.length := Nat.le_antisymm h1 (Nat.le_trans (Nat.le_of_eq h.symm) h2)
  have hd := distinct_of_length_mergeHeads (h3.trans List.length_reverse.symm)
  have hf := of_length_filter (h.trans h3.symm)
  refine ⟨List.pairwise_reverse.mp (hd.imp fun h e => h e.symm), fun k hk => of_decide_eq_true (hf k ?_)⟩
  rw [mergeHeads_of_distinct hd, List.reverse_reverse]
  exact hk

/-- The totals of two lists agree iff their canonical forms are permutations of each other. -/
theorem canonical_perm_iff (H H' : List (Head R K d)) :
    (canonical H).Perm (canonical H') ↔ ∀ W, total H W = total H' W := by
  refine ⟨fun h W => ?_, fun h => (canonical_reduced H).perm_of_total (canonical_reduced H') fun W => ?_⟩
  · rw [← total_canonical, total_perm h, total_canonical]
  · rw [total_canonical, total_canonical, h]

/-- Heads over types with decidable equality can be compared. -/
instance : DecidableEq (Head R K d) := fun ⟨W, v⟩ ⟨W', v'⟩ =>
  decidable_of_iff (W = W' ∧ v = v') (Iff.of_eq (Head.mk.injEq W v W' v')).symm

/-- **The decision.** Whether two models compute the same function: the canonical form of their formal difference is
empty. -/
def sameFunction (H H' : List (Head R K d)) : Bool := decide ((canonical (H ++ negHeads H')).length = 0)

end decidable

variable [CommRing R] (S : Semantics R K)

namespace Semantics

/-- **Soundness of the canonical form**: it computes the same function. -/
theorem evalHeads_canonical [DecidableEq R] [DecidableEq K] (H : List (Head R K d)) (xs : List (Vec R d))
    (q : Vec R d) : S.evalHeads (canonical H) xs q = S.evalHeads H xs q :=
  (S.fibre _ _).mpr (total_canonical H) xs q

/-- **The canonical form is a complete invariant.** Two models, of any numbers of heads, compute the same function on
all sequences iff their canonical forms are permutations of each other. -/
theorem canonical_complete [DecidableEq R] [DecidableEq K] (H H' : List (Head R K d)) :
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ↔ (canonical H).Perm (canonical H') :=
  (S.fibre H H').trans (canonical_perm_iff H H').symm

/-- **The decision is correct.** -/
theorem sameFunction_iff [DecidableEq R] [DecidableEq K] (H H' : List (Head R K d)) :
    sameFunction H H' = true ↔ ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q := by
  have h : (∀ xs q, S.evalHeads (H ++ negHeads H') xs q = S.evalHeads [] xs q) ↔
      ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q := by
    simp only [evalHeads_diff]
    exact ⟨fun h xs q => sub_eq_zero.mp (h xs q), fun h xs q => sub_eq_zero.mpr (h xs q)⟩
  rw [← h, S.canonical_complete, sameFunction, decide_eq_true_iff]
  refine ⟨fun e => ?_, fun p => p.length_eq⟩
  rw [List.length_eq_zero_iff.mp e]
  exact .nil

/-- **Minimal number of heads.** Every model that computes the function of `H` has at least as many heads as the
canonical form of `H` (which computes it), with equality iff it is reduced. -/
theorem minimal_heads [DecidableEq R] [DecidableEq K] {H H' : List (Head R K d)}
    (h : ∀ xs q, S.evalHeads H' xs q = S.evalHeads H xs q) :
    (canonical H).length ≤ H'.length ∧ ((canonical H).length = H'.length ↔ Reduced H') := by
  rw [← ((S.canonical_complete H' H).mp h).length_eq]
  exact ⟨length_canonical_le H', length_canonical_eq_iff H'⟩

/-- The model `H` is identifiable up to the order of its heads: every model with as many heads that computes the same
function is a permutation of `H`. -/
def Identifiable (H : List (Head R K d)) : Prop :=
  ∀ H' : List (Head R K d), H'.length = H.length → (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) → H.Perm H'

/-- A reduced model is determined up to order by its function, among the models with at most as many heads. -/
theorem perm_of_reduced {H H' : List (Head R K d)} (hr : Reduced H) (hlen : H'.length ≤ H.length)
    (h : ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) : H.Perm H' := by
  classical
  obtain ⟨hle, hiff⟩ := S.minimal_heads (H := H) (H' := H') fun xs q => (h xs q).symm
  rw [canonical_of_reduced hr] at hle hiff
  exact (S.reduced_unique hr (hiff.mp (Nat.le_antisymm hle hlen))).mp h

/-- For `d ≥ 1` a model that is not reduced is not identifiable: some model with as many heads computes the same
function without being a permutation of it. -/
theorem not_identifiable (hd : 0 < d) {H : List (Head R K d)} (hr : ¬ Reduced H) : ¬ S.Identifiable H := by
  classical
  intro hi
  -- pad the canonical form with zero heads whose matrix is new
  obtain ⟨W, hW⟩ := S.exists_new_mat hd (H.map Head.W)
  obtain ⟨k, hk⟩ := Nat.le.dest (length_canonical_le H)
  cases k with
  | zero => exact hr ((length_canonical_eq_iff H).mp hk)
  | succ k =>
    have hp := hi (List.replicate (k + 1) ⟨W, 0⟩ ++ canonical H)
      (by rw [List.length_append, List.length_replicate, Nat.add_comm, hk]) fun xs q => by
        rw [evalHeads_append, evalHeads_canonical, evalHeads, evalHeads, listSum_replicate, eval_zero, mul_zero,
          zero_add]
    exact hW (List.mem_map.mpr ⟨⟨W, 0⟩, hp.mem_iff.mpr (List.mem_append.mpr
      (.inl (List.mem_replicate.mpr ⟨Nat.succ_ne_zero k, rfl⟩))), rfl⟩)

/-- **Identifiability.** For `d ≥ 1` a model is identifiable up to the order of its heads iff its score matrices are
pairwise distinct and its value vectors are not zero. -/
theorem identifiable_iff_reduced (hd : 0 < d) (H : List (Head R K d)) : S.Identifiable H ↔ Reduced H :=
  ⟨fun hi => Classical.byContradiction fun hr => S.not_identifiable hd hr hi,
    fun hr _ hlen h => S.perm_of_reduced hr (Nat.le_of_eq hlen) h⟩

/-- `d ≥ 1` is needed: for `d = 0` every model is identifiable, whereas none with a head is reduced. -/
theorem identifiable_of_dim_zero (H : List (Head R K 0)) : S.Identifiable H ∧ (Reduced H ↔ H = []) := by
  have heads : ∀ {H H' : List (Head R K 0)}, H'.length = H.length → H = H' := by
    intro H
    induction H with
    | nil => exact fun h => (List.length_eq_zero_iff.mp h).symm
    | cons h H ih =>
      intro H' hl
      cases H' with
      | nil => exact nomatch hl
      | cons h' H' =>
        obtain ⟨W, v⟩ := h
        obtain ⟨W', v'⟩ := h'
        rw [show W = W' from funext fun i => i.elim0, show v = v' from funext fun i => i.elim0, ih (Nat.succ.inj hl)]
  refine ⟨fun H' hl _ => .of_eq (heads hl), fun hr => ?_, fun e => e ▸ ⟨.nil, fun _ hh => nomatch hh⟩⟩
  cases H with
  | nil => rfl
  | cons h H => exact absurd (funext fun i => i.elim0) (hr.ne_zero h List.mem_cons_self)

/-- The bound on the number of heads is needed: with one head more, every model has a model with the same function that
is not a permutation of it. -/
theorem identifiable_length_needed (H : List (Head R K d)) : ∃ H' : List (Head R K d), H'.length = H.length + 1 ∧
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ∧ ¬ H.Perm H' :=
  ⟨⟨0, 0⟩ :: H, rfl, fun xs q => (S.evalHeads_zero 0 H xs q).symm, fun h => Nat.succ_ne_self _ h.length_eq.symm⟩

end Semantics

end AttentionQueries
