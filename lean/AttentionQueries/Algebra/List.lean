
/-! # Lists: a permutation that brings an entry to the front, and the pigeonhole principle

## Main statements

* `perm_of_mem`: an entry of a list may be moved to the front.
* `length_le_of_distinct`: the pigeonhole principle, for entries with pairwise distinct images. -/

namespace AttentionQueries

/-- An entry of a list may be moved to the front. -/
theorem perm_of_mem {α : Type} {a : α} {m : List α} (h : a ∈ m) : ∃ m', m.Perm (a :: m') := by
  obtain ⟨s, t, rfl⟩ := List.append_of_mem h
  exact ⟨s ++ t, List.perm_middle⟩

/-- A concatenation of lists of the same length. -/
theorem length_flatMap_const {α β : Type} {f : α → List β} {n : Nat} (hf : ∀ a, (f a).length = n) (l : List α) :
    (l.flatMap f).length = l.length * n := by
  induction l with
  | nil => exact (Nat.zero_mul n).symm
  | cons a l ih => rw [List.flatMap_cons, List.length_append, hf, ih, List.length_cons, Nat.succ_mul, Nat.add_comm]

/-- **Pigeonhole.** If the images of the entries of `l` are pairwise distinct and all occur in `m`, then `l` is not
longer than `m`. -/
theorem length_le_of_distinct {α β : Type} (f : α → β) : ∀ {l : List α} {m : List β},
    l.Pairwise (fun a b => f a ≠ f b) → (∀ a ∈ l, f a ∈ m) → l.length ≤ m.length
  | [], _, _, _ => Nat.zero_le _
  | a :: l, m, hd, hm => by
    rw [List.pairwise_cons] at hd
    obtain ⟨m', hp⟩ := perm_of_mem (hm a List.mem_cons_self)
    rw [hp.length_eq]
    refine Nat.succ_le_succ (length_le_of_distinct f hd.2 fun b hb => ?_)
    rcases List.mem_cons.mp (hp.mem_iff.mp (hm b (List.mem_cons_of_mem a hb))) with e | h
    · exact absurd e.symm (hd.1 b hb)
    · exact h

/-- A symmetric relation that holds pairwise in a list holds pairwise in every permutation of it. -/
theorem perm_pairwise {α : Type} {P : α → α → Prop} (hP : ∀ a b, P a b → P b a) {l m : List α} (h : l.Perm m)
    (hl : l.Pairwise P) : m.Pairwise P := (h.pairwise_iff fun {_ _} h => hP _ _ h).mp hl

/-- The length of a concatenation of lists that are at most `n` long. -/
theorem length_flatMap_le {α β : Type} {f : α → List β} {n : Nat} (hf : ∀ a, (f a).length ≤ n) (l : List α) :
    (l.flatMap f).length ≤ l.length * n := by
  induction l with
  | nil => exact Nat.zero_le _
  | cons a l ih =>
    rw [List.flatMap_cons, List.length_append, List.length_cons, Nat.succ_mul, Nat.add_comm]
    exact Nat.add_le_add ih (hf a)

/-- Concatenating lists of one entry each. -/
theorem flatMap_singleton {α β : Type} (f : α → β) (l : List α) : (l.flatMap fun a => [f a]) = l.map f := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [List.flatMap_cons, ih, List.map_cons]; rfl

/-- The indices below `n` are pairwise distinct. -/
theorem pairwise_ne_finRange (n : Nat) : (List.finRange n).Pairwise fun i j => i ≠ j := by
  induction n with
  | zero => rw [List.finRange_zero]; exact List.Pairwise.nil
  | succ n ih =>
    rw [List.finRange_succ, List.pairwise_cons, List.pairwise_map]
    refine ⟨fun i hi e => ?_, ih.imp fun hne e => hne (Fin.succ_inj.mp e)⟩
    obtain ⟨j, _, rfl⟩ := List.mem_map.mp hi
    exact Fin.succ_ne_zero j e.symm

end AttentionQueries
