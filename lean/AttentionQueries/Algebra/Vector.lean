import AttentionQueries.Algebra.Sum

/-! # Vectors, square matrices, and the bilinear score

A vector of length `d` is a function on `Fin d`; a `d × d` matrix is a function of two indices. Sums and differences are
pointwise, by instances on `Fin d → A` that serve vectors and matrices alike.

## Main definitions

* `Vec`, `Mat`: vectors and square matrices.
* `finSum v`: the sum of the entries of `v`.
* `basis i`: the standard basis vector `eᵢ`.
* `mulVec W q`: the product `W q`; `score W x q`: the score `xᵀ W q`.

## Main statements

* `score_basis`: the score `eᵢᵀ W eⱼ` is the entry `W i j`.
* `score_add`, `score_sub_mat`: linearity in the token and in the matrix. -/

namespace AttentionQueries
open CommRing OrderedField

/-- Vectors of length `d` with entries in `A`. -/
abbrev Vec (A : Type) (d : Nat) := Fin d → A

/-- Square matrices of size `d` with entries in `R`. -/
abbrev Mat (R : Type) (d : Nat) := Fin d → Fin d → R

section
variable {R : Type} [CommRing R]

/-- The sum of the entries of a vector. -/
def finSum : {d : Nat} → Vec R d → R
  | 0, _ => 0
  | _ + 1, v => v 0 + finSum (fun i => v i.succ)

/-- The sum of the entries, split off the first one. -/
theorem finSum_succ {d : Nat} (v : Vec R (d + 1)) : finSum v = v 0 + finSum (fun i => v i.succ) := rfl

/-- The sum of a sum. -/
theorem finSum_add {d : Nat} (v w : Vec R d) : finSum (fun i => v i + w i) = finSum v + finSum w := by
  induction d with
  | zero => exact (add_zero 0).symm
  | succ d ih => simp only [finSum_succ, ih (fun i => v i.succ) (fun i => w i.succ)]; ring

/-- A common factor may be moved out of a sum. -/
theorem finSum_mul {d : Nat} (c : R) (v : Vec R d) : finSum (fun i => c * v i) = c * finSum v := by
  induction d with
  | zero => exact (mul_zero c).symm
  | succ d ih => simp only [finSum_succ, mul_add, ih (fun i => v i.succ)]

/-- A sum of zeros is zero. -/
theorem finSum_zero {d : Nat} {v : Vec R d} (h : ∀ i, v i = 0) : finSum v = 0 := by
  induction d with
  | zero => rfl
  | succ d ih => rw [finSum_succ, h, ih fun i => h i.succ, add_zero]

/-- A sum with a single possibly nonzero term. -/
theorem finSum_single {d : Nat} {v : Vec R d} (i : Fin d) (h : ∀ j, j ≠ i → v j = 0) : finSum v = v i := by
  induction d with
  | zero => exact i.elim0
  | succ d ih =>
    rw [finSum_succ]
    induction i using Fin.cases with
    | zero => rw [finSum_zero fun j => h j.succ (Fin.succ_ne_zero j), add_zero]
    | succ i =>
      rw [h 0 (Fin.succ_ne_zero i).symm, zero_add]
      exact ih i fun j hj => h j.succ fun e => hj (Fin.succ_inj.mp e)

/-- The standard basis vector `eᵢ`. -/
def basis {d : Nat} (i : Fin d) : Vec R d := fun j => if j = i then 1 else 0

/-- The diagonal entry of a basis vector. -/
theorem basis_self {d : Nat} (i : Fin d) : basis i i = (1 : R) := if_pos rfl

/-- The other entries of a basis vector. -/
theorem basis_ne {d : Nat} {i j : Fin d} (h : j ≠ i) : basis i j = (0 : R) := if_neg h

end

/-! ## Pointwise operations -/
section
variable {A : Type} {d : Nat}

/-- Entries are added. -/
instance [Add A] : Add (Fin d → A) := ⟨fun x y i => x i + y i⟩
/-- Entries are subtracted. -/
instance [Sub A] : Sub (Fin d → A) := ⟨fun x y i => x i - y i⟩
/-- Entries are negated. -/
instance [Neg A] : Neg (Fin d → A) := ⟨fun x i => -x i⟩
/-- All entries are zero. -/
instance [Zero A] : Zero (Fin d → A) := ⟨fun _ => 0⟩

/-- Sums are pointwise. -/
theorem vadd_app [Add A] (x y : Fin d → A) (i : Fin d) : (x + y) i = x i + y i := rfl

/-- Differences are pointwise. -/
theorem vsub_app [Sub A] (x y : Fin d → A) (i : Fin d) : (x - y) i = x i - y i := rfl

/-- Negatives are pointwise. -/
theorem vneg_app [Neg A] (x : Fin d → A) (i : Fin d) : (-x) i = -x i := rfl

/-- The entries of zero. -/
theorem vzero_app [Zero A] (i : Fin d) : (0 : Fin d → A) i = 0 := rfl

/-- A nonzero vector has a nonzero entry. -/
theorem exists_ne_zero [Zero A] {x : Fin d → A} (h : x ≠ 0) : ∃ i, x i ≠ 0 := by
  apply Classical.byContradiction
  intro hn
  exact h (funext fun i => Classical.byContradiction fun hi => hn ⟨i, hi⟩)

end

/-! ## Products and scores -/
section ring
variable {R : Type} [CommRing R] {d : Nat}

/-- The product `W q` of a matrix and a vector. -/
def mulVec (W : Mat R d) (q : Vec R d) : Vec R d := fun i => finSum fun j => W i j * q j

/-- The score `xᵀ W q` of the token `x` for the query `q`. -/
def score (W : Mat R d) (x q : Vec R d) : R := finSum fun i => x i * mulVec W q i

/-- Addition of vectors is commutative. -/
theorem vadd_comm (x y : Vec R d) : x + y = y + x := funext fun _ => add_comm _ _

/-- The zero vector is neutral on the right. -/
theorem vadd_zero (x : Vec R d) : x + 0 = x := funext fun _ => add_zero _

/-- The zero vector is neutral on the left. -/
theorem vzero_add (x : Vec R d) : 0 + x = x := funext fun _ => zero_add _

/-- A vector less itself. -/
theorem vsub_self (x : Vec R d) : x - x = 0 := funext fun _ => sub_self _

/-- Adding and subtracting the same vector. -/
theorem vadd_sub_cancel (x y : Vec R d) : x + y - x = y := funext fun i => by
  rw [vsub_app, vadd_app]; ring

/-- Adding the difference `x - q` to `q`. -/
theorem add_vsub (q x : Vec R d) : q + (x - q) = x := funext fun i => by
  rw [vadd_app, vsub_app]; ring

/-- Summing the entries against a basis vector gives an entry. -/
theorem finSum_basis_mul (a : Fin d) (v : Vec R d) : (finSum fun i => basis a i * v i) = v a := by
  rw [finSum_single a, basis_self, one_mul]
  intro j hj
  rw [basis_ne hj, zero_mul]

/-- The score is additive in the token. -/
theorem score_add (W : Mat R d) (x y q : Vec R d) : score W (x + y) q = score W x q + score W y q := by
  simp only [score, vadd_app, add_mul, finSum_add]

/-- The score of a token, relative to the score of the query itself. -/
theorem score_split (W : Mat R d) (x q : Vec R d) : score W x q = score W q q + score W (x - q) q := by
  rw [← score_add, add_vsub]

/-- The zero token has score zero. -/
theorem score_zero (W : Mat R d) (q : Vec R d) : score W 0 q = 0 :=
  finSum_zero fun _ => zero_mul _

/-- The product with the negative matrix. -/
theorem mulVec_neg (W : Mat R d) (q : Vec R d) : mulVec (-W) q = -mulVec W q := funext fun i => by
  have := finSum_mul (-1 : R) fun j => W i j * q j
  rw [vneg_app, show -mulVec W q i = -1 * mulVec W q i by ring, mulVec, mulVec, ← this]
  congr; funext j
  rw [vneg_app, vneg_app]; ring

/-- The product with a difference of matrices. -/
theorem mulVec_sub (W W' : Mat R d) (q : Vec R d) : mulVec (W - W') q = mulVec W q - mulVec W' q :=
    funext fun i => by
  have h := finSum_add (fun j => (W - W') i j * q j) fun j => W' i j * q j
  have e : (fun j => (W - W') i j * q j + W' i j * q j) = fun j => W i j * q j := funext fun j => by
    rw [vsub_app, vsub_app]; ring
  rw [e] at h
  show mulVec (W - W') q i = mulVec W q i - mulVec W' q i
  rw [show mulVec W q i = mulVec (W - W') q i + mulVec W' q i from h]; ring

/-- The score is additive in the matrix. -/
theorem score_sub_mat (W W' : Mat R d) (x q : Vec R d) : score (W - W') x q = score W x q - score W' x q := by
  have h := finSum_add (fun i => x i * mulVec (W - W') q i) fun i => x i * mulVec W' q i
  have e : (fun i => x i * mulVec (W - W') q i + x i * mulVec W' q i) =
      fun i => x i * mulVec W q i := funext fun i => by
    rw [mulVec_sub, vsub_app]; ring
  rw [e] at h
  rw [show score W x q = score (W - W') x q + score W' x q from h]; ring

/-- The score of the negative matrix. -/
theorem score_neg (W : Mat R d) (x q : Vec R d) : score (-W) x q = -score W x q := by
  have e : -finSum (fun i => x i * mulVec W q i) = -1 * finSum (fun i => x i * mulVec W q i) := by ring
  rw [score, score, mulVec_neg, e, ← finSum_mul]
  congr; funext i
  rw [vneg_app]; ring

/-- `W eⱼ` is the column `j` of `W`. -/
theorem mulVec_basis (W : Mat R d) (i j : Fin d) : mulVec W (basis j) i = W i j := by
  rw [mulVec, finSum_single j, basis_self, mul_one]
  intro k hk
  rw [basis_ne hk, mul_zero]

/-- The score `eᵢᵀ W eⱼ` is the entry `W i j`. -/
theorem score_basis (W : Mat R d) (i j : Fin d) : score W (basis i) (basis j) = W i j := by
  rw [score, finSum_single i, basis_self, one_mul, mulVec_basis]
  intro k hk
  rw [basis_ne hk, zero_mul]

end ring

end AttentionQueries
