import AttentionQueries.Algebra.Matrix

/-! # The rank of a matrix

The rank is counted by outer products: `W` has rank at most `r` if it is a sum of `r` matrices `a bᵀ`. This needs no
bases and no determinants, and makes sense over any commutative ring.

## Main definitions

* `osum l`: the sum of the outer products `a bᵀ` of a list of pairs.
* `RankLE r W`: `W` is a sum of `r` outer products.

## Main statements

* `rankLE_zero`: only the zero matrix has rank `0`.
* `rankLE_rows`: the rank is at most the number of rows.
* `RankLE.add`, `RankLE.sub`, `RankLE.mul`, `RankLE.mul_right`, `RankLE.tr`: how the rank behaves under operations.
-/

namespace AttentionQueries
open CommRing OrderedField Matrix

namespace LowRank
section ring
variable {R : Type} [CommRing R] {m n : Nat}

/-- The sum of outer products `∑ a bᵀ` over a list of pairs. -/
def osum (l : List (Vec R m × Vec R n)) : RectMat R m n := fun i j => listSum l fun p => p.1 i * p.2 j

/-- The matrix has rank at most `r`: it is a sum of `r` outer products. -/
def RankLE (r : Nat) (W : RectMat R m n) : Prop := ∃ l : List (Vec R m × Vec R n), l.length = r ∧ W = osum l

/-- The order of the outer products does not matter. -/
theorem osum_perm {l l' : List (Vec R m × Vec R n)} (h : l.Perm l') : osum l = osum l' :=
  funext fun _ => funext fun _ => listSum_perm h _

/-- Only the zero matrix has rank `0`. -/
theorem rankLE_zero {W : RectMat R m n} : RankLE 0 W ↔ W = 0 := by
  constructor
  · rintro ⟨l, hl, rfl⟩
    rw [List.length_eq_zero_iff.mp hl]; rfl
  · rintro rfl; exact ⟨[], rfl, rfl⟩

/-- A further outer product may be zero. -/
private theorem RankLE.succ {r : Nat} {W : RectMat R m n} (h : RankLE r W) : RankLE (r + 1) W := by
  obtain ⟨l, hl, rfl⟩ := h
  refine ⟨(0, 0) :: l, by rw [List.length_cons, hl], funext fun i => funext fun j => ?_⟩
  show osum l i j = 0 * 0 + osum l i j
  ring

/-- Bounds of the rank may be weakened. -/
theorem RankLE.mono {r s : Nat} (hrs : r ≤ s) {W : RectMat R m n} (h : RankLE r W) : RankLE s W := by
  obtain ⟨k, rfl⟩ := Nat.le.dest hrs
  induction k with
  | zero => exact h
  | succ k ih => exact (ih (Nat.le_add_right _ _)).succ

/-- `W w` for a sum of outer products. -/
theorem col_osum (l : List (Vec R m × Vec R n)) (w : Vec R n) (i : Fin m) :
    col (osum l) w i = listSum l fun p => p.1 i * finSum fun j => p.2 j * w j := by
  rw [col]
  have h : ∀ j, osum l i j * w j = listSum l fun p => p.1 i * (p.2 j * w j) := fun j => by
    rw [osum, ← listSum_mul_right]; exact listSum_congr fun p _ => mul_assoc _ _ _
  rw [finSum_congr h, ← listSum_fsum]
  exact listSum_congr fun p _ => finSum_mul _ _

/-- `uᵀ W` for a sum of outer products. -/
theorem row_osum (l : List (Vec R m × Vec R n)) (u : Vec R m) (j : Fin n) :
    row (osum l) u j = listSum l fun p => (finSum fun i => u i * p.1 i) * p.2 j := by
  rw [row]
  have h : ∀ i, u i * osum l i j = listSum l fun p => u i * p.1 i * p.2 j := fun i => by
    rw [osum, ← listSum_mul]; exact listSum_congr fun p _ => (mul_assoc _ _ _).symm
  rw [finSum_congr h, ← listSum_fsum]
  exact listSum_congr fun p _ => finSum_mul_right _ _

/-- `uᵀ W w` for a sum of outer products. -/
theorem form_osum (l : List (Vec R m × Vec R n)) (u : Vec R m) (w : Vec R n) :
    form (osum l) u w = listSum l fun p => (finSum fun i => u i * p.1 i) * finSum fun j => p.2 j * w j := by
  rw [form]
  have h : ∀ i, u i * col (osum l) w i = listSum l fun p => u i * p.1 i * finSum fun j => p.2 j * w j := fun i => by
    rw [col_osum, ← listSum_mul]; exact listSum_congr fun p _ => (mul_assoc _ _ _).symm
  rw [finSum_congr h, ← listSum_fsum]
  exact listSum_congr fun p _ => finSum_mul_right _ _
/-- Every matrix is the sum of as many outer products as it has rows. -/
theorem rankLE_rows (W : RectMat R m n) : RankLE m W :=
  ⟨(List.finRange m).map fun i => (basis i, W i), by rw [List.length_map, List.length_finRange],
    funext fun i => funext fun j => by
      rw [osum, listSum_map, ← finSum_eq_listSum, finSum_single i]
      · show W i j = basis i i * W i j
        rw [basis_self, one_mul]
      · intro k hk
        show basis k i * W k j = 0
        rw [basis_ne (Ne.symm hk), zero_mul]⟩

/-- Multiplication from the left does not raise the rank. -/
theorem RankLE.mul {a b c r : Nat} {W : RectMat R b c} (h : RankLE r W) (P : RectMat R a b) : RankLE r (mm P W) := by
  obtain ⟨l, hl, rfl⟩ := h
  refine ⟨l.map fun t => (col P t.1, t.2), by rw [List.length_map, hl], funext fun i => funext fun k => ?_⟩
  have h : ∀ j, P i j * osum l j k = listSum l fun t => P i j * t.1 j * t.2 k := fun j => by
    rw [osum, ← listSum_mul]; exact listSum_congr fun t _ => (mul_assoc _ _ _).symm
  rw [mm, finSum_congr h, ← listSum_fsum, osum, listSum_map]
  exact listSum_congr fun t _ => finSum_mul_right _ _

/-- Multiplication by a matrix with a left inverse does not lower the rank. -/
theorem RankLE.unmul {a b c r : Nat} {W : RectMat R b c} {P : RectMat R a b} {Q : RectMat R b a} (hQ : mm Q P = basis)
    (h : RankLE r (mm P W)) : RankLE r W := by
  have := RankLE.mul h Q
  rwa [← mm_assoc, hQ, one_mm] at this

/-- The transpose has the same rank. -/
theorem RankLE.tr {a b r : Nat} {W : RectMat R a b} (h : RankLE r W) : RankLE r (tr W) := by
  obtain ⟨l, hl, rfl⟩ := h
  refine ⟨l.map fun t => (t.2, t.1), by rw [List.length_map, hl], funext fun j => funext fun i => ?_⟩
  rw [osum, listSum_map]
  exact listSum_congr fun t _ => mul_comm _ _

/-- Multiplication from the right does not raise the rank. -/
theorem RankLE.mul_right {a b c r : Nat} {W : RectMat R a b} (h : RankLE r W) (P : RectMat R b c) :
    RankLE r (mm W P) := by
  have := (h.tr.mul (Matrix.tr P)).tr
  rwa [tr_mm] at this

/-- The sum of two matrices of rank at most `r` and `s` has rank at most `r + s`. -/
theorem RankLE.add {r s : Nat} {W W' : RectMat R m n} (h : RankLE r W) (h' : RankLE s W') :
    RankLE (r + s) (W + W') := by
  obtain ⟨l, hl, rfl⟩ := h
  obtain ⟨l', hl', rfl⟩ := h'
  exact ⟨l ++ l', by rw [List.length_append, hl, hl'], funext fun i => funext fun j => (listSum_append _ _ _).symm⟩

/-- The difference of two matrices of rank at most `r` and `s` has rank at most `r + s`. -/
theorem RankLE.sub {r s : Nat} {W W' : RectMat R m n} (h : RankLE r W) (h' : RankLE s W') :
    RankLE (r + s) (W - W') := by
  obtain ⟨l, hl, rfl⟩ := h
  obtain ⟨l', hl', rfl⟩ := h'
  refine ⟨l ++ l'.map fun p => ((fun i => -1 * p.1 i), p.2), by rw [List.length_append, List.length_map, hl, hl'],
    funext fun i => funext fun j => ?_⟩
  have e : (listSum l' fun p => -1 * p.1 i * p.2 j) = -1 * listSum l' fun p => p.1 i * p.2 j := by
    rw [← listSum_mul]
    exact listSum_congr fun p _ => mul_assoc _ _ _
  show osum l i j - osum l' i j = _
  rw [show osum (l ++ _) i j = _ from listSum_append _ _ _, listSum_map, e, osum, osum]
  ring
end ring
end LowRank

end AttentionQueries
