import AttentionQueries.MultiHead.Fibre
import AttentionQueries.Algebra.List

/-! # Reduced lists of heads are determined up to order -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- distinct scores, nonzero values -/
structure Reduced (H : List (Head R K d)) : Prop where
  distinct : H.Pairwise fun g g' => g.W ≠ g'.W
  ne_zero : ∀ h ∈ H, h.v ≠ 0
omit [CommRing R] in
theorem Reduced.perm {H H' : List (Head R K d)} (h : H.Perm H') (hr : Reduced H) : Reduced H' :=
  ⟨perm_pairwise (fun _ _ hab e => hab e.symm) h hr.distinct, fun k hk => hr.ne_zero k (perm_mem (perm_symm h) hk)⟩
omit [CommRing R] in
/-- a nonzero total comes from a head of the list -/
theorem mem_of_total {H : List (Head R K d)} (hr : Reduced H) {W : Mat R d} (h : total H W ≠ 0) : ⟨W, total H W⟩ ∈ H := by
  classical
  by_cases hW : ∃ g ∈ H, g.W = W
  · obtain ⟨g, hg, rfl⟩ := hW
    rw [total_of_mem hr.distinct hg]
    exact hg
  · refine absurd (funext fun i => ?_) h
    exact listSum_zero fun g hg => if_neg fun e => hW ⟨g, hg, e⟩
omit [CommRing R] in
theorem Reduced.perm_of_total : ∀ {H H' : List (Head R K d)}, Reduced H → Reduced H' →
    (∀ W, total H W = total H' W) → H.Perm H'
  | [], [], _, _, _ => .nil
  | [], h' :: H', _, hr', ht => by
    have := ht h'.W
    rw [total_of_mem hr'.distinct List.mem_cons_self] at this
    exact absurd this.symm (hr'.ne_zero h' List.mem_cons_self)
  | h :: H, H', hr, hr', ht => by
    have hv := total_of_mem hr.distinct (g := h) List.mem_cons_self
    have hm : h ∈ H' := by
      have hm := mem_of_total hr' (W := h.W) (by rw [← ht, hv]; exact hr.ne_zero h List.mem_cons_self)
      rwa [← ht, hv] at hm
    obtain ⟨H₁, hp⟩ := perm_of_mem hm
    have hr₁ := hr'.perm hp
    refine .trans (.cons h (Reduced.perm_of_total ⟨(List.pairwise_cons.mp hr.distinct).2,
      fun k hk => hr.ne_zero k (List.mem_cons_of_mem h hk)⟩ ⟨(List.pairwise_cons.mp hr₁.distinct).2,
      fun k hk => hr₁.ne_zero k (List.mem_cons_of_mem h hk)⟩ fun W => funext fun i => ?_)) (perm_symm hp)
    -- cancel the common head in the totals
    have e := congrFun (ht W) i
    rw [total, total, listSum_perm hp, listSum_cons, listSum_cons] at e
    exact add_left_cancel e

/-- **Uniqueness of reduced heads**: reduced lists computing the same function are permutations of each other. -/
theorem Semantics.reduced_unique {H H' : List (Head R K d)} (hr : Reduced H) (hr' : Reduced H') :
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ↔ H.Perm H' :=
  ⟨fun h => hr.perm_of_total hr' ((S.fibre H H').mp h), fun h xs q => S.evalHeads_perm h xs q⟩

end AttentionQueries
