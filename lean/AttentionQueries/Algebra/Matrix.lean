import AttentionQueries.Algebra.List
import AttentionQueries.Algebra.Vector

/-! # Rectangular matrices

`m × n` matrices as functions of two indices, with the products that the theory of rank needs.

## Main definitions

* `RectMat R m n`: the `m × n` matrices.
* `Matrix.col W w`, `Matrix.row W u`, `Matrix.form W u w`: `W w`, `uᵀ W` and `uᵀ W w`.
* `Matrix.mm`, `Matrix.tr`: product and transpose. The identity matrix is `basis`.

## Main statements

* `finSum_comm`: the order of two finite sums may be exchanged.
* `Matrix.eq_zero_iff`, `Matrix.eq_zero_iff_basis`: a matrix is zero iff all its probes `uᵀ W w` are, or those by basis
  vectors.
* `Matrix.mm_assoc`: the product is associative.
-/

namespace AttentionQueries
open CommRing

/-- The list of all indices is increasing. -/
theorem finRange_pairwise_lt : ∀ m : Nat, (List.finRange m).Pairwise (· < ·)
  | 0 => by rw [List.finRange_zero]; exact .nil
  | m + 1 => by
    rw [List.finRange_succ]
    refine .cons (fun i hi => ?_) (List.pairwise_map.mpr ((finRange_pairwise_lt m).imp Fin.succ_lt_succ_iff.mpr))
    obtain ⟨k, -, rfl⟩ := List.mem_map.mp hi
    exact Fin.succ_pos k

/-- The list of all indices has no repetition. -/
theorem finRange_pairwise_ne (m : Nat) : (List.finRange m).Pairwise (· ≠ ·) := (finRange_pairwise_lt m).imp Fin.ne_of_lt

/-- The `m × n` matrices. -/
abbrev RectMat (R : Type) (m n : Nat) := Fin m → Fin n → R

section sums
variable {R α : Type} [CommRing R]

/-- Sums of equal terms are equal. -/
theorem finSum_congr {d : Nat} {v w : Vec R d} (h : ∀ i, v i = w i) : finSum v = finSum w := congrArg finSum (funext h)

/-- A constant factor on the right of a finite sum. -/
theorem finSum_mul_right {d : Nat} (c : R) (v : Vec R d) : finSum (fun i => v i * c) = finSum v * c := by
  rw [mul_comm, ← finSum_mul]; exact finSum_congr fun i => mul_comm _ _

/-- A finite sum of differences. -/
theorem finSum_sub {d : Nat} (v w : Vec R d) : finSum (fun i => v i - w i) = finSum v - finSum w := by
  have h := finSum_add (fun i => v i - w i) w
  rw [finSum_congr (w := v) fun i => by ring] at h
  lin_comb (-1) h

/-- **Exchange of two finite sums.** -/
theorem finSum_comm {m n : Nat} (f : Fin m → Fin n → R) :
    finSum (fun i => finSum fun j => f i j) = finSum fun j => finSum fun i => f i j := by
  induction m with
  | zero => exact (finSum_zero fun _ => rfl).symm
  | succ m ih => simp only [finSum_succ, ih fun i j => f i.succ j, finSum_add]

/-- A finite sum as a sum over the list of all indices. -/
theorem finSum_eq_listSum : ∀ {d : Nat} (v : Vec R d), finSum v = listSum (List.finRange d) v
  | 0, _ => rfl
  | d + 1, v => by rw [List.finRange_succ, listSum_cons, listSum_map, finSum_succ, finSum_eq_listSum fun i => v i.succ]

/-- Exchange of a sum over a list and a finite sum. -/
theorem listSum_fsum {d : Nat} (l : List α) (f : α → Fin d → R) :
    listSum l (fun a => finSum fun i => f a i) = finSum fun i => listSum l fun a => f a i := by
  induction l with
  | nil => exact (finSum_zero fun _ => rfl).symm
  | cons a l ih => simp only [listSum_cons, ih, finSum_add]

/-- A constant factor on the right of a sum over a list. -/
theorem listSum_mul_right (c : R) (l : List α) (f : α → R) : listSum l (fun a => f a * c) = listSum l f * c := by
  rw [mul_comm, ← listSum_mul]; exact listSum_congr fun a _ => mul_comm _ _

/-- A sum that is not zero has a term that is not zero. -/
theorem listSum_exists_ne {l : List α} {f : α → R} (h : listSum l f ≠ 0) : ∃ a ∈ l, f a ≠ 0 := by
  apply Classical.byContradiction
  intro hn
  exact h (listSum_zero fun a ha => Classical.byContradiction fun hf => hn ⟨a, ha, hf⟩)
end sums

namespace Matrix
section ring
variable {R : Type} [CommRing R] {m n : Nat}

/-- `W w`, a combination of the columns of `W`. -/
def col (W : RectMat R m n) (w : Vec R n) : Vec R m := fun i => finSum fun j => W i j * w j

/-- `uᵀ W`, a combination of the rows of `W`. -/
def row (W : RectMat R m n) (u : Vec R m) : Vec R n := fun j => finSum fun i => u i * W i j

/-- `uᵀ W w`, the probe of `W` by `u` and `w`. -/
def form (W : RectMat R m n) (u : Vec R m) (w : Vec R n) : R := finSum fun i => u i * col W w i

/-- For a square matrix the probe `uᵀ W w` is the score. -/
theorem form_eq_score {d : Nat} (W : Mat R d) (u w : Vec R d) : form W u w = score W u w := rfl

/-- A probe as a sum over the columns. -/
theorem form_row (W : RectMat R m n) (u : Vec R m) (w : Vec R n) : form W u w = finSum fun j => row W u j * w j := by
  have h1 : ∀ i, u i * col W w i = finSum fun j => u i * W i j * w j := fun i => by
    rw [col, ← finSum_mul]; exact finSum_congr fun j => (mul_assoc _ _ _).symm
  have h2 : ∀ j, row W u j * w j = finSum fun i => u i * W i j * w j := fun j => (finSum_mul_right _ _).symm
  rw [form, finSum_congr h1, finSum_comm, ← finSum_congr h2]

/-- The columns of `W` are its products with basis vectors. -/
theorem col_basis (W : RectMat R m n) (i : Fin m) (j : Fin n) : col W (basis j) i = W i j := by
  rw [col, finSum_single j, basis_self, mul_one]
  intro k hk; rw [basis_ne hk, mul_zero]

/-- The rows of `W` are its products with basis vectors. -/
theorem row_basis (W : RectMat R m n) (i : Fin m) (j : Fin n) : row W (basis i) j = W i j := by
  rw [row, finSum_single i, basis_self, one_mul]
  intro k hk; rw [basis_ne hk, zero_mul]

/-- The entries of `W` are its probes by basis vectors. -/
theorem form_basis (W : RectMat R m n) (i : Fin m) (j : Fin n) : form W (basis i) (basis j) = W i j := by
  rw [form, finSum_single i, basis_self, one_mul, col_basis]
  intro k hk; rw [basis_ne hk, zero_mul]

/-- The probes of the zero matrix are zero. -/
theorem form_zero (u : Vec R m) (w : Vec R n) : form 0 u w = (0 : R) :=
  finSum_zero fun i => by rw [show col (0 : RectMat R m n) w i = 0 from finSum_zero fun j => zero_mul _, mul_zero]

/-- **Zero test**: a matrix is zero iff all its probes are zero. -/
theorem eq_zero_iff (W : RectMat R m n) : W = 0 ↔ ∀ u w, form W u w = 0 :=
  ⟨fun h u w => by rw [h, form_zero], fun h => funext fun i => funext fun j => by rw [← form_basis W, h]; rfl⟩

/-- A matrix is zero iff its `m n` probes by basis vectors are zero. -/
theorem eq_zero_iff_basis (W : RectMat R m n) : W = 0 ↔ ∀ i j, form W (basis i) (basis j) = 0 :=
  ⟨fun h i j => by rw [h, form_zero], fun h => funext fun i => funext fun j => by rw [← form_basis W, h]; rfl⟩

/-- Probes are additive in the matrix. -/
theorem form_add (W W' : RectMat R m n) (u : Vec R m) (w : Vec R n) : form (W + W') u w = form W u w + form W' u w := by
  have hcol : ∀ i, col (W + W') w i = col W w i + col W' w i := fun i => by
    rw [col, col, col, ← finSum_add]
    exact finSum_congr fun j => add_mul (W i j) (W' i j) (w j)
  rw [form, form, form, ← finSum_add]
  exact finSum_congr fun i => by rw [hcol, mul_add]

/-- Columns of a difference. -/
theorem col_sub (W W' : RectMat R m n) (w : Vec R n) (i : Fin m) : col (W - W') w i = col W w i - col W' w i := by
  rw [col, col, col, ← finSum_sub]
  exact finSum_congr fun j => by
    show (W i j - W' i j) * w j = _
    ring

/-- Rows of a difference. -/
theorem row_sub (W W' : RectMat R m n) (u : Vec R m) (j : Fin n) : row (W - W') u j = row W u j - row W' u j := by
  rw [row, row, row, ← finSum_sub]
  exact finSum_congr fun i => by
    show u i * (W i j - W' i j) = _
    ring

/-- Probes of a difference. -/
theorem form_sub (W W' : RectMat R m n) (u : Vec R m) (w : Vec R n) : form (W - W') u w = form W u w - form W' u w := by
  rw [form, form, form, ← finSum_sub]
  exact finSum_congr fun i => by rw [col_sub]; ring

end ring

section product
variable {R : Type} [CommRing R] {a b c e r d : Nat}

/-- The matrix product; the identity matrix is `basis`. -/
def mm (A : RectMat R a b) (B : RectMat R b c) : RectMat R a c := fun i k => finSum fun j => A i j * B j k

/-- The transpose. -/
def tr (A : RectMat R a b) : RectMat R b a := fun j i => A i j

/-- The matrix product is associative. -/
theorem mm_assoc (A : RectMat R a b) (B : RectMat R b c) (C : RectMat R c e) : mm (mm A B) C = mm A (mm B C) :=
  funext fun i => funext fun l => by
    have h1 : ∀ k, mm A B i k * C k l = finSum fun j => A i j * B j k * C k l := fun k => (finSum_mul_right _ _).symm
    have h2 : ∀ j, A i j * mm B C j l = finSum fun k => A i j * B j k * C k l := fun j => by
      rw [mm, ← finSum_mul]; exact finSum_congr fun k => (mul_assoc _ _ _).symm
    rw [mm, finSum_congr h1, finSum_comm, ← finSum_congr h2]; rfl

/-- The identity matrix is neutral on the left. -/
theorem one_mm (A : RectMat R a b) : mm basis A = A := funext fun i => funext fun k => by
  rw [mm, finSum_single i, basis_self, one_mul]
  intro j hj; rw [basis_ne hj, zero_mul]

/-- The identity matrix is neutral on the right. -/
theorem mm_one (A : RectMat R a b) : mm A basis = A := funext fun i => funext fun k => by
  rw [mm, finSum_single k, basis_self, mul_one]
  intro j hj; rw [basis_ne (Ne.symm hj), mul_zero]

/-- The transpose of a product. -/
theorem tr_mm (A : RectMat R a b) (B : RectMat R b c) : tr (mm A B) = mm (tr B) (tr A) :=
  funext fun _ => funext fun _ => finSum_congr fun _ => mul_comm _ _

omit [CommRing R] in
/-- The transpose is an involution. -/
theorem tr_tr (A : RectMat R a b) : tr (tr A) = A := rfl

/-- A probe of a product is a probe of the right factor. -/
theorem form_mm (E : RectMat R a b) (D : RectMat R b c) (u : Vec R a) (w : Vec R c) :
    form (mm E D) u w = form D (row E u) w := by
  have h : ∀ j, row (mm E D) u j = row D (row E u) j := fun j =>
    congrFun (congrFun (mm_assoc (fun _ : Fin 1 => u) E D) 0) j |>.symm
  rw [form_row, form_row]
  exact finSum_congr fun j => by rw [h]

end product
end Matrix

end AttentionQueries
