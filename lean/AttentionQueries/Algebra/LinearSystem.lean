import AttentionQueries.Algebra.Matrix

/-! # Underdetermined homogeneous linear systems over an integral domain

Fewer than `n` homogeneous linear equations in `n` unknowns over an integral domain have a nonzero solution. This is the
only linear algebra behind the lower bounds on the number of queries.

## Main definitions

* `IsDomain R`: the commutative ring `R` is an integral domain.

## Main statements

* `exists_ne_zero_solution`: fewer than `n` equations `∑ⱼ aⱼ xⱼ = 0` in `n` unknowns have a solution `x ≠ 0`.
* `exists_ne_zero_form`: fewer than `m n` bilinear probes `uᵀ D w = 0` of an `m × n` matrix have a solution `D ≠ 0`.
* `basis_probes_determine`: `m n` probes can determine the matrix, so the count is exact.
* `not_exists_ne_zero_of_trivial`: over the zero ring there is no nonzero solution, so `1 ≠ 0` is needed.

## References

For commutative rings with zero divisors the first statement is McCoy's theorem; it is not needed here, because the
ring of scores embeds in an ordered field.
-/

namespace AttentionQueries
open CommRing

/-- The commutative ring `R` is an integral domain: `1 ≠ 0`, and a product vanishes only if a factor does. -/
structure IsDomain (R : Type) [CommRing R] : Prop where
  /-- one is not zero -/
  one_ne_zero : (1 : R) ≠ 0
  /-- there are no zero divisors -/
  mul_eq_zero : ∀ a b : R, a * b = 0 → a = 0 ∨ b = 0

/-- An ordered field is an integral domain. -/
theorem IsDomain.of_orderedField (K : Type) [OrderedField K] : IsDomain K :=
  ⟨fun h => OrderedField.zero_ne_one h.symm, fun _ _ => OrderedField.mul_eq_zero⟩

section
variable {R : Type} [CommRing R] {m n : Nat}

/-- One equation against a solution of the eliminated system: the first unknown is `-∑ aⱼ yⱼ`, the others are scaled
by the pivot. -/
private theorem eliminated_sum (c t : R) (a : Vec R (n + 1)) (y : Vec R n) :
    (finSum fun j => a j * (Fin.cases (-t) (fun j => c * y j) j : R)) =
      c * (finSum fun j => a j.succ * y j) - a 0 * t := by
  rw [finSum_succ, ← finSum_mul]
  show a 0 * -t + (finSum fun j => a j.succ * (c * y j)) = _
  rw [finSum_congr (w := fun j => c * (a j.succ * y j)) fun j => by ring]
  ring

/-- The equation `b` after elimination of the first unknown with the pivot equation `a`. -/
private theorem eliminated_equation (a b : Vec R (n + 1)) (y : Vec R n) :
    (finSum fun j => (a 0 * b j.succ - b 0 * a j.succ) * y j) =
      a 0 * (finSum fun j => b j.succ * y j) - b 0 * finSum fun j => a j.succ * y j := by
  rw [← finSum_mul, ← finSum_mul, ← finSum_sub]
  exact finSum_congr fun j => by ring

/-- **Fewer equations than unknowns.** Over an integral domain, fewer than `n` homogeneous linear equations
`∑ⱼ aⱼ xⱼ = 0` in `n` unknowns have a solution that is not zero. -/
theorem exists_ne_zero_solution (hR : IsDomain R) : ∀ {n : Nat} (l : List (Vec R n)), l.length < n →
    ∃ x : Vec R n, x ≠ 0 ∧ ∀ a ∈ l, (finSum fun j => a j * x j) = 0
  | 0, _, h => absurd h (Nat.not_lt_zero _)
  | n + 1, l, h => by
    by_cases hp : ∃ a ∈ l, a 0 ≠ 0
    · obtain ⟨a, ha, ha0⟩ := hp
      obtain ⟨l', hl⟩ := perm_of_mem ha
      rw [List.Perm.length_eq hl, List.length_cons] at h
      obtain ⟨y, hy, hsol⟩ := exists_ne_zero_solution hR (l'.map fun b (j : Fin n) => a 0 * b j.succ - b 0 * a j.succ)
        (by rw [List.length_map]; exact Nat.lt_of_succ_lt_succ h)
      refine ⟨fun j => Fin.cases (-(finSum fun j => a j.succ * y j)) (fun j => a 0 * y j) j, fun hx => ?_,
        fun b hb => ?_⟩
      · obtain ⟨i, hi⟩ := exists_ne_zero hy
        exact (hR.mul_eq_zero _ _ (congrFun hx i.succ)).elim ha0 hi
      · rw [eliminated_sum]
        rcases List.mem_cons.mp ((List.Perm.mem_iff hl).mp hb) with rfl | hb
        · ring
        · have := hsol _ (List.mem_map.mpr ⟨b, hb, rfl⟩)
          rwa [eliminated_equation] at this
    · refine ⟨basis 0, fun hx => hR.one_ne_zero ?_, fun a ha => ?_⟩
      · rw [← basis_self (0 : Fin (n + 1)), hx]; rfl
      · rw [finSum_single 0 fun j hj => by rw [basis_ne hj, mul_zero], basis_self, mul_one]
        exact Classical.byContradiction fun h0 => hp ⟨a, ha, h0⟩

/-- Position `(i, j)` in the list of the entries of an `m × n` matrix. -/
private def entryIndex (i : Fin m) (j : Fin n) : Fin (m * n) :=
  ⟨i.val * n + j.val, Nat.lt_of_lt_of_le (Nat.add_lt_add_left j.isLt _)
    (Nat.le_trans (Nat.le_of_eq (Nat.succ_mul _ _).symm) (Nat.mul_le_mul_right n i.isLt))⟩

private theorem entryIndex_surjective (k : Fin (m * n)) : ∃ (i : Fin m) (j : Fin n), entryIndex i j = k := by
  have hn : 0 < n := Nat.pos_of_ne_zero fun h => by
    subst h
    exact absurd (Nat.lt_of_lt_of_eq k.isLt (Nat.mul_zero m)) (Nat.not_lt_zero _)
  exact ⟨⟨k.val / n, (Nat.div_lt_iff_lt_mul hn).mpr k.isLt⟩, ⟨k.val % n, Nat.mod_lt _ hn⟩,
    Fin.ext ((congrArg (· + k.val % n) (Nat.mul_comm _ _)).trans (Nat.div_add_mod k.val n))⟩

/-- A probe is linear in the matrix. -/
private theorem form_sum {N : Nat} (x : Vec R N) (E : Fin N → RectMat R m n) (u : Vec R m) (w : Vec R n) :
    Matrix.form (fun i j => finSum fun k => E k i j * x k) u w = finSum fun k => Matrix.form (E k) u w * x k := by
  have hcol : ∀ i, Matrix.col (fun i j => finSum fun k => E k i j * x k) w i =
      finSum fun k => Matrix.col (E k) w i * x k := fun i => by
    rw [Matrix.col, finSum_congr fun j => (finSum_mul_right (w j) fun k => E k i j * x k).symm, finSum_comm]
    refine finSum_congr fun k => ?_
    rw [Matrix.col, ← finSum_mul_right]
    exact finSum_congr fun j => by ring
  rw [Matrix.form, finSum_congr fun i => by rw [hcol i, ← finSum_mul], finSum_comm]
  refine finSum_congr fun k => ?_
  rw [Matrix.form, ← finSum_mul_right]
  exact finSum_congr fun i => by ring

/-- **Fewer probes than entries.** Over an integral domain, fewer than `m n` probes `uᵀ D w` are all zero on some
`m × n` matrix `D` that is not zero. -/
theorem exists_ne_zero_form (hR : IsDomain R) (l : List (Vec R m × Vec R n)) (h : l.length < m * n) :
    ∃ D : RectMat R m n, D ≠ 0 ∧ ∀ t ∈ l, Matrix.form D t.1 t.2 = 0 := by
  obtain ⟨x, hx, hsol⟩ := exists_ne_zero_solution hR
    (l.map fun t k => Matrix.form (fun i j => basis (entryIndex i j) k) t.1 t.2) (by rwa [List.length_map])
  have hD : ∀ i j, (finSum fun k => basis (entryIndex i j) k * x k) = x (entryIndex i j) := fun i j => by
    rw [finSum_single (entryIndex i j) fun k hk => by rw [basis_ne hk, zero_mul], basis_self, one_mul]
  refine ⟨fun i j => finSum fun k => basis (entryIndex i j) k * x k, fun h0 => ?_, fun t ht => ?_⟩
  · obtain ⟨k, hk⟩ := exists_ne_zero hx
    obtain ⟨i, j, rfl⟩ := entryIndex_surjective k
    exact hk ((hD i j).symm.trans (congrFun (congrFun h0 i) j))
  · exact (form_sum x (fun k i j => basis (entryIndex i j) k) t.1 t.2).trans (hsol _ (List.mem_map.mpr ⟨t, ht, rfl⟩))

/-- The bound of `exists_ne_zero_form` is exact: `m n` probes determine an `m × n` matrix. -/
theorem basis_probes_determine (R : Type) [CommRing R] (m n : Nat) : ∃ l : List (Vec R m × Vec R n), l.length = m * n ∧
    ∀ D : RectMat R m n, (∀ t ∈ l, Matrix.form D t.1 t.2 = 0) → D = 0 := by
  refine ⟨(List.finRange m).flatMap fun i => (List.finRange n).map fun j => (basis i, basis j), ?_, fun D h =>
    (Matrix.eq_zero_iff_basis D).mpr fun i j => h _ (List.mem_flatMap.mpr
      ⟨i, List.mem_finRange i, List.mem_map.mpr ⟨j, List.mem_finRange j, rfl⟩⟩)⟩
  rw [length_flatMap_const (n := n) fun i => by rw [List.length_map, List.length_finRange], List.length_finRange]

/-- `1 ≠ 0` cannot be dropped: over the zero ring every vector is zero, even with no equation at all. -/
theorem not_exists_ne_zero_of_trivial (h : (1 : R) = 0) : ¬ ∃ x : Vec R n, x ≠ 0 :=
  fun ⟨x, hx⟩ => hx (funext fun i => by rw [← mul_one (x i), h, mul_zero]; rfl)
end

end AttentionQueries
