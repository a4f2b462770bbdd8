
/-! # Lists: permutations, all indices, pigeonhole -/

namespace AttentionQueries


theorem perm_mem {α : Type} {l m : List α} (h : l.Perm m) {a : α} (ha : a ∈ l) : a ∈ m := by
  induction h with
  | nil => exact ha
  | cons b _ ih =>
    rcases List.mem_cons.mp ha with rfl | ha
    · exact List.mem_cons_self
    · exact List.mem_cons_of_mem b (ih ha)
  | swap b c l =>
    rcases List.mem_cons.mp ha with rfl | ha
    · exact List.mem_cons_of_mem _ List.mem_cons_self
    · rcases List.mem_cons.mp ha with rfl | ha
      · exact List.mem_cons_self
      · exact List.mem_cons_of_mem _ (List.mem_cons_of_mem _ ha)
  | trans _ _ ih1 ih2 => exact ih2 (ih1 ha)
theorem perm_symm {α : Type} {l m : List α} (h : l.Perm m) : m.Perm l := by
  induction h with
  | nil => exact .nil
  | cons a _ ih => exact .cons a ih
  | swap a b l => exact .swap b a l
  | trans _ _ ih1 ih2 => exact .trans ih2 ih1
theorem perm_pairwise {α : Type} {P : α → α → Prop} (hP : ∀ a b, P a b → P b a) {l m : List α} (h : l.Perm m)
    (hl : l.Pairwise P) : m.Pairwise P := by
  induction h with
  | nil => exact hl
  | cons a h ih =>
    rw [List.pairwise_cons] at hl ⊢
    exact ⟨fun b hb => hl.1 b (perm_mem (perm_symm h) hb), ih hl.2⟩
  | swap a b l =>
    rw [List.pairwise_cons, List.pairwise_cons] at hl ⊢
    refine ⟨fun c hc => ?_, fun c hc => hl.1 c (List.mem_cons_of_mem _ hc), hl.2.2⟩
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hP _ _ (hl.1 _ List.mem_cons_self)
    · exact hl.2.1 c hc
  | trans _ _ ih1 ih2 => exact ih2 (ih1 hl)
theorem perm_refl {α : Type} : ∀ l : List α, l.Perm l
  | [] => .nil
  | a :: l => .cons a (perm_refl l)
theorem perm_of_mem {α : Type} {a : α} {m : List α} (h : a ∈ m) : ∃ m', m.Perm (a :: m') := by
  induction m with
  | nil => cases h
  | cons b m ih =>
    rcases List.mem_cons.mp h with rfl | h
    · exact ⟨m, perm_refl _⟩
    · obtain ⟨m', h'⟩ := ih h
      exact ⟨b :: m', .trans (.cons b h') (.swap a b m')⟩

/-- all indices -/
def finList : (d : Nat) → List (Fin d)
  | 0 => []
  | d + 1 => 0 :: (finList d).map Fin.succ
theorem mem_finList : ∀ {d : Nat} (i : Fin d), i ∈ finList d
  | 0, i => i.elim0
  | d + 1, i => by
    induction i using Fin.cases with
    | zero => exact List.mem_cons_self
    | succ i => exact List.mem_cons_of_mem _ (List.mem_map.mpr ⟨i, mem_finList i, rfl⟩)
theorem length_finList (d : Nat) : (finList d).length = d := by
  induction d with
  | zero => rfl
  | succ d ih => rw [finList, List.length_cons, List.length_map, ih]
theorem length_flatMap_const {α β : Type} {f : α → List β} {n : Nat} (hf : ∀ a, (f a).length = n) (l : List α) :
    (l.flatMap f).length = l.length * n := by
  induction l with
  | nil => exact (Nat.zero_mul n).symm
  | cons a l ih => rw [List.flatMap_cons, List.length_append, hf, ih, List.length_cons, Nat.succ_mul, Nat.add_comm]
theorem perm_length {α : Type} {l m : List α} (h : l.Perm m) : l.length = m.length := by
  induction h with
  | nil => rfl
  | cons a _ ih => rw [List.length_cons, ih, List.length_cons]
  | swap a b l => rfl
  | trans _ _ ih1 ih2 => rw [ih1, ih2]
/-- pigeonhole -/
theorem length_le_of_distinct {α β : Type} (f : α → β) : ∀ {l : List α} {m : List β},
    l.Pairwise (fun a b => f a ≠ f b) → (∀ a ∈ l, f a ∈ m) → l.length ≤ m.length
  | [], _, _, _ => Nat.zero_le _
  | a :: l, m, hd, hm => by
    rw [List.pairwise_cons] at hd
    obtain ⟨m', hp⟩ := perm_of_mem (hm a List.mem_cons_self)
    rw [perm_length hp]
    refine Nat.succ_le_succ (length_le_of_distinct f hd.2 fun b hb => ?_)
    rcases List.mem_cons.mp (perm_mem hp (hm b (List.mem_cons_of_mem a hb))) with e | h
    · exact absurd e.symm (hd.1 b hb)
    · exact h

end AttentionQueries
