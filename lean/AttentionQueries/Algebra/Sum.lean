import AttentionQueries.Algebra.OrderedField

/-! # Sums over lists

## Main definitions

* `listSum l f`: the sum of `f a` over the entries `a` of the list `l`, with repetitions.

## Main statements

Linearity (`listSum_add`, `listSum_mul`), independence of the order (`listSum_perm`), copies (`listSum_replicate`), and
positivity (`listSum_pos`). -/

namespace AttentionQueries
open CommRing OrderedField

section
variable {R α β : Type} [CommRing R]

/-- The sum of `f a` over the entries `a` of the list `l`. -/
def listSum (l : List α) (f : α → R) : R := match l with
  | [] => 0
  | a :: l => f a + listSum l f

/-- The empty sum. -/
theorem listSum_nil (f : α → R) : listSum [] f = 0 := rfl

/-- The sum over a list with a first entry. -/
theorem listSum_cons (a : α) (l : List α) (f : α → R) : listSum (a :: l) f = f a + listSum l f := rfl

/-- The sum over a concatenation. -/
theorem listSum_append (l m : List α) (f : α → R) : listSum (l ++ m) f = listSum l f + listSum m f := by
  induction l with
  | nil => exact (zero_add _).symm
  | cons a l ih => rw [List.cons_append, listSum_cons, listSum_cons, ih, add_assoc]

/-- Sums of functions that agree on the list are equal. -/
theorem listSum_congr {l : List α} {f g : α → R} (h : ∀ a ∈ l, f a = g a) : listSum l f = listSum l g := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    rw [listSum_cons, listSum_cons, h a List.mem_cons_self, ih fun b hb => h b (List.mem_cons_of_mem a hb)]

/-- The sum of a sum. -/
theorem listSum_add (l : List α) (f g : α → R) : listSum l (fun a => f a + g a) = listSum l f + listSum l g := by
  induction l with
  | nil => exact (add_zero _).symm
  | cons a l ih => simp only [listSum_cons, ih]; ring

/-- A common factor may be moved out of a sum. -/
theorem listSum_mul (c : R) (l : List α) (f : α → R) : listSum l (fun a => c * f a) = c * listSum l f := by
  induction l with
  | nil => exact (mul_zero _).symm
  | cons a l ih => rw [listSum_cons, ih, listSum_cons, mul_add]

/-- A sum of zeros is zero. -/
theorem listSum_zero {l : List α} {f : α → R} (h : ∀ a ∈ l, f a = 0) : listSum l f = 0 := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [listSum_cons, h a List.mem_cons_self, ih (fun b hb => h b (List.mem_cons_of_mem a hb)), add_zero]

/-- The sum over an image. -/
theorem listSum_map (g : β → α) (l : List β) (f : α → R) : listSum (l.map g) f = listSum l (fun b => f (g b)) := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [List.map_cons, listSum_cons, ih, listSum_cons]

/-- The sum over `n` copies of one entry. -/
theorem listSum_replicate (n : Nat) (a : α) (f : α → R) : listSum (List.replicate n a) f = natCast n * f a := by
  induction n with
  | zero => exact (zero_mul _).symm
  | succ n ih => rw [List.replicate_succ, listSum_cons, ih, natCast_succ]; ring

/-- The sum does not depend on the order of the list. -/
theorem listSum_perm {l m : List α} (h : l.Perm m) (f : α → R) : listSum l f = listSum m f := by
  induction h with
  | nil => rfl
  | cons a _ ih => rw [listSum_cons, ih, listSum_cons]
  | swap a b l => simp only [listSum_cons]; ring
  | trans _ _ ih1 ih2 => rw [ih1, ih2]

/-- The sum splits according to a Boolean property of the entries. -/
theorem listSum_filter (p : α → Bool) (l : List α) (f : α → R) :
    listSum l f = listSum (l.filter p) f + listSum (l.filter fun a => !p a) f := by
  induction l with
  | nil => exact (add_zero _).symm
  | cons a l ih =>
    rw [listSum_cons, ih]
    cases h : p a
    · rw [List.filter_cons_of_neg (by rw [h]; decide), List.filter_cons_of_pos (by rw [h]; rfl), listSum_cons]; ring
    · rw [List.filter_cons_of_pos h, List.filter_cons_of_neg (by rw [h]; decide), listSum_cons]; ring

/-- A sum of positive terms, with a positive element added, is positive; the list may be empty. -/
theorem listSum_pos {K : Type} [OrderedField K] (l : List α) (f : α → K) (h : ∀ a ∈ l, 0 < f a) (c : K) (hc : 0 < c) :
    0 < listSum l f + c := by
  induction l with
  | nil => rw [listSum_nil, zero_add]; exact hc
  | cons a l ih =>
    rw [listSum_cons, add_assoc]
    exact OrderedField.add_pos (h a List.mem_cons_self) (ih fun b hb => h b (List.mem_cons_of_mem a hb))

end

end AttentionQueries
