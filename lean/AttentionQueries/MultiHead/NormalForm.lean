import AttentionQueries.MultiHead.Canonical

/-! # A normal form with ordered heads

If the scalars are totally ordered by a computable comparison, the heads of the canonical form can be put into the
lexicographic order of their score matrices. Then two models compute the same function iff their normal forms are equal
as lists.

## Main definitions

* `TotalOrder le`: the Boolean comparison `le` is a total order.
* `lexLe le`: the lexicographic comparison of vectors; applied twice it compares matrices row by row.
* `normalForm le H`: the canonical form with the heads in ascending order of their matrices.

## Main statements

* `TotalOrder.lexLe`, `totalOrder_int`: lexicographic comparison is a total order; so is that of the integers.
* `normalForm_perm`: the normal form is a permutation of the canonical form.
* `Semantics.normalForm_complete`: **equal functions iff equal normal forms**.
* `Semantics.normalForm_order_needed`: with a comparison that is no total order they need not be equal.
-/

namespace AttentionQueries

section order
variable {A : Type}

/-- A comparison that is a total order. -/
structure TotalOrder (le : A → A → Bool) : Prop where
  /-- Elements that are below each other are equal. -/
  antisymm : ∀ a b, le a b = true → le b a = true → a = b
  /-- The order is transitive. -/
  trans : ∀ a b c, le a b = true → le b c = true → le a c = true
  /-- Of two elements one is below the other. -/
  total : ∀ a b, le a b = true ∨ le b a = true

/-- The comparison of integers is a total order. -/
theorem totalOrder_int : TotalOrder fun a b : Int => decide (a ≤ b) where
  antisymm _ _ h h' := Int.le_antisymm (of_decide_eq_true h) (of_decide_eq_true h')
  trans _ _ _ h h' := decide_eq_true (Int.le_trans (of_decide_eq_true h) (of_decide_eq_true h'))
  total a b := (Int.le_total a b).imp decide_eq_true decide_eq_true

/-- The lexicographic comparison of vectors: the first entries that differ decide. -/
def lexLe [DecidableEq A] (le : A → A → Bool) : {n : Nat} → (Fin n → A) → (Fin n → A) → Bool
  | 0, _, _ => true
  | _ + 1, x, y => if x 0 = y 0 then lexLe le (fun i => x i.succ) fun i => y i.succ else le (x 0) (y 0)

private theorem vec_ext {n : Nat} {x y : Fin (n + 1) → A} (h0 : x 0 = y 0)
    (hs : (fun i : Fin n => x i.succ) = fun i => y i.succ) : x = y := funext fun i => by
  induction i using Fin.cases with
  | zero => exact h0
  | succ i => exact congrFun hs i

private theorem lexLe_eq [DecidableEq A] {le : A → A → Bool} {n : Nat} {x y : Fin (n + 1) → A} (h : x 0 = y 0) :
    lexLe le x y = lexLe le (fun i : Fin n => x i.succ) fun i => y i.succ := by rw [lexLe, if_pos h]

private theorem lexLe_ne [DecidableEq A] {le : A → A → Bool} {n : Nat} {x y : Fin (n + 1) → A} (h : x 0 ≠ y 0) :
    lexLe le x y = le (x 0) (y 0) := by rw [lexLe, if_neg h]

/-- The lexicographic comparison for a total order is a total order. -/
theorem TotalOrder.lexLe [DecidableEq A] {le : A → A → Bool} (hle : TotalOrder le) :
    ∀ n : Nat, TotalOrder (lexLe le : (Fin n → A) → (Fin n → A) → Bool)
  | 0 => ⟨fun _ _ _ _ => funext fun i => i.elim0, fun _ _ _ _ _ => rfl, fun _ _ => .inl rfl⟩
  | n + 1 => by
    have ih := hle.lexLe n
    refine ⟨fun x y h h' => ?_, fun x y z h h' => ?_, fun x y => ?_⟩
    · by_cases e : x 0 = y 0
      · rw [lexLe_eq e] at h
        rw [lexLe_eq e.symm] at h'
        exact vec_ext e (ih.antisymm _ _ h h')
      · rw [lexLe_ne e] at h
        rw [lexLe_ne (Ne.symm e)] at h'
        exact absurd (hle.antisymm _ _ h h') e
    · by_cases e : x 0 = y 0
      · rw [lexLe_eq e] at h
        by_cases e' : y 0 = z 0
        · rw [lexLe_eq e'] at h'
          rw [lexLe_eq (e.trans e')]
          exact ih.trans _ _ _ h h'
        · rw [lexLe_ne e'] at h'
          rw [lexLe_ne (fun e'' => e' (e.symm.trans e'')), e]
          exact h'
      · rw [lexLe_ne e] at h
        by_cases e' : y 0 = z 0
        · rw [lexLe_ne (fun e'' => e (e''.trans e'.symm)), ← e']
          exact h
        · rw [lexLe_ne e'] at h'
          have hne : x 0 ≠ z 0 := fun e'' => e (hle.antisymm _ _ h (by rw [e'']; exact h'))
          rw [lexLe_ne hne]
          exact hle.trans _ _ _ h h'
    · by_cases e : x 0 = y 0
      · rw [lexLe_eq e, lexLe_eq e.symm]
        exact ih.total _ _
      · rw [lexLe_ne e, lexLe_ne (Ne.symm e)]
        exact hle.total _ _
end order

variable {R K : Type} {d : Nat}

/-- Insert a head before the first head whose matrix is not below its own. -/
def insertSorted (le : Mat R d → Mat R d → Bool) (h : Head R K d) : List (Head R K d) → List (Head R K d)
  | [] => [h]
  | g :: G => if le h.W g.W then h :: g :: G else g :: insertSorted le h G

/-- Sort the heads by their matrices. -/
def sortHeads (le : Mat R d → Mat R d → Bool) : List (Head R K d) → List (Head R K d)
  | [] => []
  | h :: H => insertSorted le h (sortHeads le H)

private theorem insertSorted_perm (le : Mat R d → Mat R d → Bool) (h : Head R K d) :
    ∀ G : List (Head R K d), (insertSorted le h G).Perm (h :: G)
  | [] => .refl _
  | g :: G => by
    rw [insertSorted]
    split
    · exact .refl _
    · exact (List.Perm.cons g (insertSorted_perm le h G)).trans (.swap h g G)

/-- Sorting rearranges the heads. -/
theorem sortHeads_perm (le : Mat R d → Mat R d → Bool) : ∀ H : List (Head R K d), (sortHeads le H).Perm H
  | [] => .nil
  | h :: H => (insertSorted_perm le h _).trans (.cons h (sortHeads_perm le H))

/-- After sorting, the matrices are in ascending order. -/
theorem sortHeads_sorted {le : Mat R d → Mat R d → Bool} (hle : TotalOrder le) :
    ∀ H : List (Head R K d), (sortHeads le H).Pairwise fun g g' => le g.W g'.W = true
  | [] => .nil
  | h :: H => by
    have ins : ∀ G : List (Head R K d), (G.Pairwise fun g g' => le g.W g'.W = true) →
        (insertSorted le h G).Pairwise fun g g' => le g.W g'.W = true := by
      intro G hG
      induction G with
      | nil => exact .cons (fun _ hk => nomatch hk) .nil
      | cons g G ih =>
        rw [List.pairwise_cons] at hG
        rw [insertSorted]
        split
        · rename_i hg
          refine List.pairwise_cons.mpr ⟨fun k hk => ?_, List.pairwise_cons.mpr hG⟩
          rcases List.mem_cons.mp hk with rfl | hk
          · exact hg
          · exact hle.trans _ _ _ hg (hG.1 k hk)
        · rename_i hg
          refine List.pairwise_cons.mpr ⟨fun k hk => ?_, ih hG.2⟩
          rcases List.mem_cons.mp ((insertSorted_perm le h G).mem_iff.mp hk) with rfl | hk
          · exact (hle.total _ _).resolve_right hg
          · exact hG.1 k hk
    exact ins _ (sortHeads_sorted hle H)

private theorem eq_of_sorted {le : Mat R d → Mat R d → Bool} (hle : TotalOrder le) : ∀ {H H' : List (Head R K d)},
    (H.Pairwise fun g g' => g.W ≠ g'.W) → (H.Pairwise fun g g' => le g.W g'.W = true) →
    (H'.Pairwise fun g g' => le g.W g'.W = true) → H.Perm H' → H = H'
  | [], H', _, _, _, hp => (List.length_eq_zero_iff.mp hp.length_eq.symm).symm
  | h :: H, [], _, _, _, hp => nomatch hp.length_eq
  | h :: H, h' :: H', hd, hs, hs', hp => by
    rw [List.pairwise_cons] at hd hs hs'
    have e : h = h' := by
      rcases List.mem_cons.mp (hp.mem_iff.mp List.mem_cons_self) with e | hm
      · exact e
      rcases List.mem_cons.mp (hp.mem_iff.mpr List.mem_cons_self) with e | hm'
      · exact e.symm
      exact absurd (hle.antisymm _ _ (hs.1 h' hm') (hs'.1 h hm)) (hd.1 h' hm')
    subst e
    rw [eq_of_sorted hle hd.2 hs.2 hs'.2 ((List.perm_cons h).mp hp)]

variable [OrderedField K] [DecidableEq R] [DecidableEq K]

/-- **Normal form**: the canonical form with the heads in the lexicographic order of their matrices. -/
def normalForm (le : R → R → Bool) (H : List (Head R K d)) : List (Head R K d) :=
  sortHeads (lexLe (lexLe le)) (canonical H)

/-- The normal form is a permutation of the canonical form. -/
theorem normalForm_perm (le : R → R → Bool) (H : List (Head R K d)) : (normalForm le H).Perm (canonical H) :=
  sortHeads_perm _ _

/-- **The normal form is a complete invariant.** Two models, of any numbers of heads, compute the same function on all
sequences iff their normal forms are equal. -/
theorem Semantics.normalForm_complete [CommRing R] (S : Semantics R K) {le : R → R → Bool} (hle : TotalOrder le)
    (H H' : List (Head R K d)) :
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ↔ normalForm le H = normalForm le H' := by
  rw [S.canonical_complete]
  constructor
  · intro h
    have hp : (normalForm le H).Perm (normalForm le H') :=
      (normalForm_perm le H).trans (h.trans (normalForm_perm le H').symm)
    exact eq_of_sorted ((hle.lexLe d).lexLe d)
      (perm_pairwise (fun _ _ hab e => hab e.symm) (normalForm_perm le H).symm (canonical_reduced H).distinct)
      (sortHeads_sorted ((hle.lexLe d).lexLe d) _) (sortHeads_sorted ((hle.lexLe d).lexLe d) _) hp
  · intro h
    exact (normalForm_perm le H).symm.trans (h ▸ normalForm_perm le H')

private theorem lexLe_true {A : Type} [DecidableEq A] {le : A → A → Bool} (h : ∀ a b, le a b = true) :
    ∀ {n : Nat} (x y : Fin n → A), lexLe le x y = true
  | 0, _, _ => rfl
  | n + 1, x, y => by
    by_cases e : x 0 = y 0
    · rw [lexLe_eq e]
      exact lexLe_true h _ _
    · rw [lexLe_ne e]
      exact h _ _

/-- **A total order is needed**: with the comparison that is always true there are, for `d ≥ 1`, models with the same
function and different normal forms. -/
theorem Semantics.normalForm_order_needed [CommRing R] (S : Semantics R K) (hd : 0 < d) : ∃ H H' : List (Head R K d),
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ∧
      normalForm (fun _ _ => true) H ≠ normalForm (fun _ _ => true) H' := by
  obtain ⟨W, hW⟩ := S.exists_mat_ne hd (0 : Mat R d)
  have h1 : (fun _ => 1 : Vec K d) ≠ 0 := fun e => OrderedField.zero_ne_one (congrFun e ⟨0, hd⟩).symm
  have red : ∀ {A B : Mat R d}, A ≠ B → Reduced [(⟨A, fun _ => 1⟩ : Head R K d), ⟨B, fun _ => 1⟩] := fun {A B} hne =>
    ⟨.cons (fun g hg => by rw [List.mem_singleton.mp hg]; exact hne) (.cons (fun _ h => nomatch h) .nil), fun g hg => by
      rcases List.mem_cons.mp hg with rfl | hg
      · exact h1
      · rw [List.mem_singleton.mp hg]
        exact h1⟩
  have nf : ∀ {A B : Mat R d}, A ≠ B → normalForm (fun _ _ => true) [(⟨A, fun _ => 1⟩ : Head R K d), ⟨B, fun _ => 1⟩] =
      [⟨A, fun _ => 1⟩, ⟨B, fun _ => 1⟩] := fun hne => by
    rw [normalForm, canonical_of_reduced (red hne), sortHeads, sortHeads, sortHeads, insertSorted, insertSorted,
      if_pos (lexLe_true (lexLe_true fun _ _ => rfl) _ _)]
  refine ⟨[⟨0, fun _ => 1⟩, ⟨W, fun _ => 1⟩], [⟨W, fun _ => 1⟩, ⟨0, fun _ => 1⟩],
    fun xs q => S.evalHeads_perm (.swap _ _ _) xs q, fun e => ?_⟩
  rw [nf hW, nf (Ne.symm hW)] at e
  injection e with e
  exact hW (congrArg Head.W e)

end AttentionQueries
