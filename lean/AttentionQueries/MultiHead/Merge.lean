import AttentionQueries.Algebra.List
import AttentionQueries.Model

/-! # Totals of a list of heads, and merging heads with equal score matrices

The function computed by a list of heads depends on the list only through its *totals*: for every matrix `W` the sum of
the value vectors of the heads with score matrix `W`. Merging brings a list into a form with pairwise distinct matrices
and the same totals; it is a computable operation wherever equality in the ring of scores is decidable.

## Main definitions

* `keySum`: the sum of the values of the members of a list that have a given key.
* `total H W`: the sum of the value vectors of the heads of `H` with score matrix `W`.
* `mergeHeads H`: one head for each score matrix of `H`, with the total as its value vector.
* `negHeads H`: the heads of `H` with opposite values.

## Main statements

* `perm_of_keySum`: lists with distinct keys and nonzero values are determined by their sums, up to order.
* `mergeHeads_distinct`, `total_mergeHeads`: merging makes the matrices distinct and keeps the totals.
-/

namespace AttentionQueries
open CommRing

/-- Equality of vectors and matrices over a type with decidable equality is decidable. -/
instance decidableEqFinFun {A : Type} [DecidableEq A] {n : Nat} : DecidableEq (Fin n → A) := fun x y =>
  decidable_of_iff (∀ i, x i = y i) ⟨funext, fun h i => congrFun h i⟩

/-! ## Sums over the members of a list with a given key -/
section keyed
variable {α κ ι K : Type} [CommRing K]

open Classical in
/-- `∑ val a` over the members `a` of the list with `key a = k`. -/
noncomputable def keySum (key : α → κ) (val : α → ι → K) (l : List α) (k : κ) : ι → K := fun i =>
  listSum l fun a => if key a = k then val a i else 0

open Classical in
private noncomputable def pick (k₀ k : κ) (x : K) : K := if k = k₀ then x else 0

variable {key : α → κ} {val : α → ι → K}

/-- The sum does not depend on the order of the list. -/
theorem keySum_perm {l m : List α} (h : l.Perm m) (k : κ) : keySum key val l k = keySum key val m k :=
  funext fun _ => listSum_perm h _

/-- A key that does not occur has sum zero. -/
theorem keySum_of_not_mem {l : List α} {k : κ} (h : ∀ a ∈ l, key a ≠ k) (i : ι) : keySum key val l k i = 0 :=
  listSum_zero fun a ha => if_neg (h a ha)

/-- If the keys are distinct, the sum at the key of a member is the value of that member. -/
theorem keySum_of_mem {l : List α} (hd : l.Pairwise fun a b => key a ≠ key b) {a : α} (ha : a ∈ l) (i : ι) :
    keySum key val l (key a) i = val a i := by
  obtain ⟨m, hp⟩ := perm_of_mem ha
  have hm := (List.pairwise_cons.mp (perm_pairwise (fun _ _ h e => h e.symm) hp hd)).1
  rw [keySum_perm hp, keySum, listSum_cons, if_pos rfl, listSum_zero fun b hb => if_neg (hm b hb).symm, add_zero]

/-- **Uniqueness.** Lists with distinct keys and nonzero values that have the same sums at all keys are permutations of
each other. -/
theorem perm_of_keySum (ext : ∀ a b, key a = key b → (∀ i, val a i = val b i) → a = b) :
    ∀ {l m : List α}, l.Pairwise (fun a b => key a ≠ key b) → m.Pairwise (fun a b => key a ≠ key b) →
      (∀ a ∈ l, ∃ i, val a i ≠ 0) → (∀ a ∈ m, ∃ i, val a i ≠ 0) →
      (∀ k i, keySum key val l k i = keySum key val m k i) → l.Perm m
  | [], [], _, _, _, _, _ => .nil
  | [], b :: m, _, hm, _, nm, h => by
    obtain ⟨i, hi⟩ := nm b List.mem_cons_self
    exact absurd ((keySum_of_mem hm List.mem_cons_self i).symm.trans (h (key b) i).symm) hi
  | a :: l, m, hl, hm, nl, nm, h => by
    have ha : a ∈ m := by
      obtain ⟨i, hi⟩ := nl a List.mem_cons_self
      by_cases hk : ∃ b ∈ m, key b = key a
      · obtain ⟨b, hb, e⟩ := hk
        have : a = b := ext a b e.symm fun i => by
          rw [← keySum_of_mem (val := val) hl List.mem_cons_self, h, ← e, keySum_of_mem hm hb]
        exact this ▸ hb
      · refine absurd ?_ hi
        rw [← keySum_of_mem (val := val) hl List.mem_cons_self, h]
        exact keySum_of_not_mem (fun b hb e => hk ⟨b, hb, e⟩) i
    obtain ⟨m', hp⟩ := perm_of_mem ha
    have hm' := List.pairwise_cons.mp (perm_pairwise (fun _ _ h e => h e.symm) hp hm)
    refine .trans (.cons a (perm_of_keySum ext (List.pairwise_cons.mp hl).2 hm'.2
      (fun b hb => nl b (List.mem_cons_of_mem a hb))
      (fun b hb => nm b ((List.Perm.mem_iff hp).mpr (List.mem_cons_of_mem a hb))) fun k i => ?_)) hp.symm
    have e := h k i
    rw [keySum_perm hp, keySum, keySum, listSum_cons, listSum_cons] at e
    exact add_left_cancel e
end keyed

/-! ## Merging heads with equal score matrices -/
section merge
variable {R K : Type} [CommRing K] {d : Nat}

/-- `∑ h.v` over the heads `h ∈ H` with `h.W = W`. -/
noncomputable def total (H : List (Head R K d)) (W : Mat R d) : Vec K d := keySum Head.W Head.v H W

/-- The totals do not depend on the order of the heads. -/
theorem total_perm {H H' : List (Head R K d)} (h : H.Perm H') (W : Mat R d) : total H W = total H' W := keySum_perm h W

/-- A matrix that does not occur has total zero. -/
theorem total_of_not_mem {H : List (Head R K d)} {W : Mat R d} (h : ∀ g ∈ H, g.W ≠ W) : total H W = 0 :=
  funext fun i => keySum_of_not_mem h i

/-- With pairwise distinct matrices, the totals are the value vectors. -/
theorem total_of_mem {G : List (Head R K d)} (hd : G.Pairwise fun g g' => g.W ≠ g'.W) {g : Head R K d} (hg : g ∈ G) :
    total G g.W = g.v := funext fun i => keySum_of_mem hd hg i

/-- If all value vectors vanish, so do the totals. -/
theorem total_of_values_zero {H : List (Head R K d)} (h : ∀ g ∈ H, g.v = 0) (W : Mat R d) : total H W = 0 :=
  funext fun i => listSum_zero fun g hg => by rw [h g hg]; split <;> rfl

/-- The totals of a head and a list. -/
theorem total_cons_self (W : Mat R d) (v : Vec K d) (H : List (Head R K d)) : total (⟨W, v⟩ :: H) W = v + total H W :=
  funext fun i => by rw [total, keySum, listSum_cons, if_pos rfl]; rfl

/-- A head does not count towards the total of another matrix. -/
theorem total_cons_of_ne {h : Head R K d} {W : Mat R d} (hW : h.W ≠ W) (H : List (Head R K d)) :
    total (h :: H) W = total H W :=
  funext fun i => by rw [total, keySum, listSum_cons, if_neg hW, zero_add]; rfl

/-- The opposites of the heads: the same matrices, the opposite value vectors. -/
def negHeads (H : List (Head R K d)) : List (Head R K d) := H.map fun h => ⟨h.W, -h.v⟩

/-- A sum that is additive in the value vectors changes sign with them. -/
theorem listSum_negHeads {F : Mat R d → Vec K d → K} (hF : ∀ W v w, F W (v + w) = F W v + F W w)
    (H : List (Head R K d)) : listSum (negHeads H) (fun h => F h.W h.v) = -listSum H fun h => F h.W h.v := by
  have hneg : ∀ W v, F W (-v) = -F W v := fun W v => by
    have h0 := hF W 0 0
    have h1 := hF W v (-v)
    rw [vadd_zero] at h0
    rw [show v + -v = 0 from funext fun i => add_neg _] at h1
    lin_comb (-1) h1 + (-1) h0
  rw [negHeads, listSum_map]
  induction H with
  | nil => exact neg_zero.symm
  | cons h H ih => rw [listSum_cons, ih, listSum_cons, hneg]; ring

private theorem pick_add (W₀ : Mat R d) (i : Fin d) (W : Mat R d) (v w : Vec K d) :
    pick W₀ W ((v + w) i) = pick W₀ W (v i) + pick W₀ W (w i) := by
  unfold pick
  split
  · rfl
  · rw [add_zero]

/-- The totals of a formal difference of two lists of heads. -/
theorem total_diff (H H' : List (Head R K d)) (W : Mat R d) :
    total (H ++ negHeads H') W = total H W - total H' W := by
  funext i
  rw [total, keySum, listSum_append, vsub_app, sub_def]
  exact congrArg _ (listSum_negHeads (F := fun W' v => pick W W' (v i)) (pick_add W i) H')

variable [DecidableEq R]

/-- Add a head to a list of heads, merging it with the first head that has the same matrix, if there is one. -/
def insertHead (h : Head R K d) : List (Head R K d) → List (Head R K d)
  | [] => [h]
  | g :: G => if h.W = g.W then ⟨g.W, h.v + g.v⟩ :: G else g :: insertHead h G

/-- One head for each matrix that occurs, its value vector being the total at this matrix. -/
def mergeHeads : List (Head R K d) → List (Head R K d)
  | [] => []
  | h :: H => insertHead h (mergeHeads H)

/-- Sums that are additive in the value vectors are not changed by merging. -/
theorem listSum_mergeHeads {F : Mat R d → Vec K d → K} (hF : ∀ W v w, F W (v + w) = F W v + F W w)
    (H : List (Head R K d)) : listSum (mergeHeads H) (fun h => F h.W h.v) = listSum H fun h => F h.W h.v := by
  have ins : ∀ (h : Head R K d) (G : List (Head R K d)),
      listSum (insertHead h G) (fun h => F h.W h.v) = F h.W h.v + listSum G fun h => F h.W h.v := by
    intro h G
    induction G with
    | nil => rfl
    | cons g G ih =>
      rw [insertHead]
      split
      · rename_i e
        rw [listSum_cons, listSum_cons, hF, e, add_assoc]
      · rw [listSum_cons, listSum_cons, ih, add_left_comm]
  induction H with
  | nil => rfl
  | cons h H ih => rw [mergeHeads, ins, ih, listSum_cons]

private theorem mem_insertHead {h k : Head R K d} {G : List (Head R K d)} (hk : k ∈ insertHead h G) :
    k.W = h.W ∨ ∃ g ∈ G, k.W = g.W := by
  induction G with
  | nil => exact .inl (by rw [List.mem_singleton.mp hk])
  | cons g G ih =>
    rw [insertHead] at hk
    split at hk
    · rcases List.mem_cons.mp hk with rfl | hk
      · exact .inr ⟨g, List.mem_cons_self, rfl⟩
      · exact .inr ⟨k, List.mem_cons_of_mem g hk, rfl⟩
    · rcases List.mem_cons.mp hk with rfl | hk
      · exact .inr ⟨k, List.mem_cons_self, rfl⟩
      · rcases ih hk with e | ⟨g', hg', e⟩
        · exact .inl e
        · exact .inr ⟨g', List.mem_cons_of_mem g hg', e⟩

/-- Merging makes no new matrices. -/
theorem mem_mergeHeads {k : Head R K d} {H : List (Head R K d)} (hk : k ∈ mergeHeads H) : ∃ h ∈ H, k.W = h.W := by
  induction H generalizing k with
  | nil => cases hk
  | cons h H ih =>
    rcases mem_insertHead hk with e | ⟨g, hg, e⟩
    · exact ⟨h, List.mem_cons_self, e⟩
    · obtain ⟨h', hh', e'⟩ := ih hg
      exact ⟨h', List.mem_cons_of_mem h hh', e.trans e'⟩

private theorem insertHead_distinct (h : Head R K d) {G : List (Head R K d)} (hG : G.Pairwise fun g g' => g.W ≠ g'.W) :
    (insertHead h G).Pairwise fun g g' => g.W ≠ g'.W := by
  induction G with
  | nil => exact .cons (fun _ hk => nomatch hk) .nil
  | cons g G ih =>
    rw [List.pairwise_cons] at hG
    rw [insertHead]
    split
    · exact List.pairwise_cons.mpr hG
    · rename_i hne
      refine List.pairwise_cons.mpr ⟨fun k hk e => ?_, ih hG.2⟩
      rcases mem_insertHead hk with e' | ⟨g', hg', e'⟩
      · exact hne (e'.symm.trans e.symm)
      · exact hG.1 g' hg' (e.trans e')

/-- After merging, the matrices are pairwise distinct. -/
theorem mergeHeads_distinct : ∀ H : List (Head R K d), (mergeHeads H).Pairwise fun g g' => g.W ≠ g'.W
  | [] => .nil
  | h :: H => insertHead_distinct h (mergeHeads_distinct H)

/-- Merging keeps the totals. -/
theorem total_mergeHeads (H : List (Head R K d)) (W : Mat R d) : total (mergeHeads H) W = total H W :=
  funext fun i => listSum_mergeHeads (F := fun W' v => pick W W' (v i)) (pick_add W i) H

/-- A head with a new matrix is appended. -/
theorem insertHead_of_new {h : Head R K d} : ∀ {G : List (Head R K d)}, (∀ g ∈ G, h.W ≠ g.W) → insertHead h G = G ++ [h]
  | [], _ => rfl
  | g :: G, hG => by
    rw [insertHead, if_neg (hG g List.mem_cons_self), List.cons_append,
      insertHead_of_new fun g' hg' => hG g' (List.mem_cons_of_mem g hg')]

/-- Merging heads with pairwise distinct matrices only reverses their order. -/
theorem mergeHeads_of_distinct : ∀ {H : List (Head R K d)}, (H.Pairwise fun g g' => g.W ≠ g'.W) →
    mergeHeads H = H.reverse
  | [], _ => rfl
  | h :: H, hd => by
    rw [List.pairwise_cons] at hd
    rw [mergeHeads, mergeHeads_of_distinct hd.2, List.reverse_cons,
      insertHead_of_new fun g hg => hd.1 g (List.mem_reverse.mp hg)]

private theorem length_insertHead (h : Head R K d) : ∀ G : List (Head R K d),
    (insertHead h G).length = G.length ∧ (∃ g ∈ G, h.W = g.W) ∨
      (insertHead h G).length = G.length + 1 ∧ ∀ g ∈ G, h.W ≠ g.W
  | [] => .inr ⟨rfl, fun _ hg => nomatch hg⟩
  | g :: G => by
    rw [insertHead]
    split
    · rename_i e
      exact .inl ⟨rfl, g, List.mem_cons_self, e⟩
    · rename_i hne
      rcases length_insertHead h G with ⟨hl, g', hg', e⟩ | ⟨hl, hn⟩
      · exact .inl ⟨congrArg Nat.succ hl, g', List.mem_cons_of_mem g hg', e⟩
      · refine .inr ⟨congrArg Nat.succ hl, fun g' hg' => ?_⟩
        rcases List.mem_cons.mp hg' with rfl | hg'
        · exact hne
        · exact hn g' hg'

/-- Merging does not increase the number of heads. -/
theorem length_mergeHeads_le : ∀ H : List (Head R K d), (mergeHeads H).length ≤ H.length
  | [] => Nat.le_refl 0
  | h :: H => by
    have ih := length_mergeHeads_le H
    rcases length_insertHead h (mergeHeads H) with ⟨e, -⟩ | ⟨e, -⟩
    · exact Nat.le_trans (Nat.le_of_eq e) (Nat.le_succ_of_le ih)
    · exact Nat.le_trans (Nat.le_of_eq e) (Nat.succ_le_succ ih)

/-- If merging keeps the number of heads, their matrices were distinct already. -/
theorem distinct_of_length_mergeHeads : ∀ {H : List (Head R K d)}, (mergeHeads H).length = H.length →
    H.Pairwise fun g g' => g.W ≠ g'.W
  | [], _ => .nil
  | h :: H, hl => by
    rcases length_insertHead h (mergeHeads H) with ⟨e, -⟩ | ⟨e, hn⟩
    · have e' : (mergeHeads H).length = H.length + 1 := e.symm.trans hl
      exact absurd (Nat.le_trans (Nat.le_of_eq e'.symm) (length_mergeHeads_le H)) (Nat.not_succ_le_self _)
    · have hd := distinct_of_length_mergeHeads (Nat.succ.inj (e.symm.trans hl))
      refine List.pairwise_cons.mpr ⟨fun g hg => hn g ?_, hd⟩
      rw [mergeHeads_of_distinct hd]
      exact List.mem_reverse.mpr hg
end merge

end AttentionQueries
