import AttentionQueries.MultiHead.Fibre

/-! # Reduced models are determined up to the order of their heads

## Main definitions

* `Reduced H`: the score matrices are pairwise distinct and the value vectors are not zero.

## Main statements

* `Reduced.perm_of_total`: reduced lists with the same totals are permutations of each other.
* `Semantics.reduced_unique`: reduced lists compute the same function iff they are permutations of each other.
-/

namespace AttentionQueries

variable {R K : Type} [OrderedField K] {d : Nat}

/-- A list of heads is reduced if its score matrices are pairwise distinct and its value vectors are not zero. -/
structure Reduced (H : List (Head R K d)) : Prop where
  /-- The score matrices are pairwise distinct. -/
  distinct : H.Pairwise fun g g' => g.W ≠ g'.W
  /-- The value vectors are not zero. -/
  ne_zero : ∀ h ∈ H, h.v ≠ 0

/-- Being reduced does not depend on the order of the heads. -/
theorem Reduced.perm {H H' : List (Head R K d)} (h : H.Perm H') (hr : Reduced H) : Reduced H' :=
  ⟨perm_pairwise (fun _ _ hab e => hab e.symm) h hr.distinct, fun k hk => hr.ne_zero k ((List.Perm.mem_iff (List.Perm.symm h)).mp hk)⟩

/-- Reduced lists with the same totals are permutations of each other. -/
theorem Reduced.perm_of_total {H H' : List (Head R K d)} (hr : Reduced H) (hr' : Reduced H')
    (ht : ∀ W, total H W = total H' W) : H.Perm H' :=
  perm_of_keySum (key := Head.W) (val := Head.v)
    (fun ⟨_, _⟩ ⟨_, _⟩ hW hv => Head.mk.injEq .. ▸ ⟨hW, funext hv⟩) hr.distinct hr'.distinct
    (fun h hh => exists_ne_zero (hr.ne_zero h hh)) (fun h hh => exists_ne_zero (hr'.ne_zero h hh))
    fun W i => congrFun (ht W) i

/-- **Uniqueness of reduced models.** Reduced lists of heads compute the same function iff they are permutations of
each other. -/
theorem Semantics.reduced_unique [CommRing R] (S : Semantics R K) {H H' : List (Head R K d)} (hr : Reduced H)
    (hr' : Reduced H') : (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ↔ H.Perm H' :=
  ⟨fun h => hr.perm_of_total hr' ((S.fibre H H').mp h), fun h xs q => S.evalHeads_perm h xs q⟩

end AttentionQueries
