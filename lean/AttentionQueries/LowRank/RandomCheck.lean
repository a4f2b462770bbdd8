import AttentionQueries.Algebra.LinearSystem

/-! # Random checks

A deterministic program must ask as many scores as there are entries to be sure that nothing of a matrix is left
(`LowRank.scores_needed_all`). A random probe finds out that something is left, except with small probability:
with entries drawn from a set of `N` ring elements it misses a matrix `D ≠ 0` with probability at most `2 / N`.

## Main definitions

* `vectors S d`: the list of the `|S| ^ d` vectors with entries in the list `S`.

## Main statements

* `miss_vector`: at most a fraction `1 / |S|` of them satisfies a linear equation that is not trivial.
* `miss_matrix`: at most a fraction `2 / |S|` of the pairs of such vectors are probes that vanish on a given
  matrix `D ≠ 0`.
* `miss_matrix_zero`: on `D = 0` all of them vanish, so `D ≠ 0` cannot be dropped.
* `miss_matrix_distinct_needed`: nor can it that the elements of `S` are distinct.
* `miss_matrix_domain_needed`: nor that the ring is an integral domain.

## References

The bound of Schwartz and Zippel for degree two, here for bilinear forms.
-/

namespace AttentionQueries
open CommRing Matrix

namespace LowRank
section count
variable {α β : Type}

private theorem filter_map_length (p : β → Bool) (f : α → β) (l : List α) :
    ((l.map f).filter p).length = (l.filter fun a => p (f a)).length := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    rw [List.map_cons]
    by_cases h : p (f a) = true
    · rw [List.filter_cons_of_pos h, List.filter_cons_of_pos (p := fun a => p (f a)) h, List.length_cons,
        List.length_cons, ih]
    · rw [List.filter_cons_of_neg h, List.filter_cons_of_neg (p := fun a => p (f a)) h, ih]

/-- Counting in a concatenation: `N` of the parts may be counted fully, in the others at most `B' / c` are counted. -/
private theorem filter_flatMap_length_le (p : β → Bool) (f : α → List β) (q : α → Bool) {c B B' : Nat} (l : List α)
    (hB : ∀ a ∈ l, (f a).length ≤ B) (hq : ∀ a ∈ l, q a = false → ((f a).filter p).length * c ≤ B') :
    ((l.flatMap f).filter p).length * c ≤ l.length * B' + (l.filter q).length * (B * c) := by
  induction l with
  | nil =>
    show 0 * c ≤ _
    rw [Nat.zero_mul]
    exact Nat.zero_le _
  | cons a l ih =>
    have ih := ih (fun b hb => hB b (List.mem_cons_of_mem a hb)) fun b hb => hq b (List.mem_cons_of_mem a hb)
    rw [List.flatMap_cons, List.filter_append, List.length_append, Nat.add_mul, List.length_cons, Nat.succ_mul]
    cases h : q a with
    | false =>
      rw [List.filter_cons_of_neg (by rw [h]; decide), Nat.add_comm, Nat.add_right_comm]
      exact Nat.add_le_add ih (hq a List.mem_cons_self h)
    | true =>
      rw [List.filter_cons_of_pos h, List.length_cons, Nat.succ_mul, Nat.add_comm]
      have h1 : ((f a).filter p).length * c ≤ B * c := Nat.mul_le_mul_right c
        (Nat.le_trans (List.length_filter_le _ _) (hB a List.mem_cons_self))
      refine Nat.le_trans (Nat.add_le_add ih h1) ?_
      rw [Nat.add_assoc]
      exact Nat.add_le_add_right (Nat.le_add_right _ _) _
end count

/-- The vectors with entries in the list `S`. -/
def vectors {R : Type} (S : List R) : (d : Nat) → List (Vec R d)
  | 0 => [fun i => i.elim0]
  | d + 1 => S.flatMap fun s => (vectors S d).map fun w i => Fin.cases s w i

/-- There are `|S| ^ d` vectors. -/
theorem length_vectors {R : Type} (S : List R) : ∀ d : Nat, (vectors S d).length = S.length ^ d
  | 0 => (Nat.pow_zero _).symm
  | d + 1 => by
    rw [vectors, length_flatMap_const (n := S.length ^ d) fun s => by rw [List.length_map, length_vectors],
      Nat.pow_succ, Nat.mul_comm]

variable {R : Type} [CommRing R] [DecidableEq R] {m n : Nat}

/-- **A linear equation that is not trivial** is satisfied by at most a fraction `1 / |S|` of the vectors with
entries in a list `S` of distinct elements. -/
theorem miss_vector (hR : IsDomain R) {S : List R} (hS : S.Pairwise (· ≠ ·)) : ∀ {d : Nat} {c : Vec R d}, c ≠ 0 →
    ∀ b : R, ((vectors S d).filter fun w => decide ((finSum fun i => c i * w i) = b)).length * S.length ≤ S.length ^ d
  | 0, c, hc, _ => absurd (funext fun i => i.elim0) hc
  | d + 1, c, hc, b => by
    have hpart : ∀ s : R, (((vectors S d).map fun w (i : Fin (d + 1)) => (Fin.cases s w i : R)).filter
        fun w => decide ((finSum fun i => c i * w i) = b)).length =
        ((vectors S d).filter fun w => decide ((finSum fun i => c i.succ * w i) = b - c 0 * s)).length := fun s => by
      rw [filter_map_length]
      congr; funext w
      refine decide_eq_decide.mpr ⟨fun h => ?_, fun h => ?_⟩
      · have h : c 0 * s + (finSum fun i => c i.succ * w i) = b := h
        lin_comb (1) h
      · show c 0 * s + (finSum fun i => c i.succ * w i) = b
        lin_comb (1) h
    by_cases h0 : (fun i : Fin d => c i.succ) = 0
    · -- at most one first entry is possible
      have hc0 : c 0 ≠ 0 := fun e => hc (funext fun i => by
        induction i using Fin.cases with
        | zero => exact e
        | succ i => exact congrFun h0 i)
      have hq : ∀ s ∈ S, decide (c 0 * s = b) = false →
          ((((vectors S d).map fun w (i : Fin (d + 1)) => (Fin.cases s w i : R)).filter
            fun w => decide ((finSum fun i => c i * w i) = b)).length) * S.length ≤ 0 := fun s _ hs => by
        rw [hpart, List.filter_eq_nil_iff.mpr fun w _ h => ?_]
        · exact Nat.le_of_eq (Nat.zero_mul _)
        · have h1 := of_decide_eq_true h
          rw [finSum_zero fun i => by rw [show c i.succ = 0 from congrFun h0 i, zero_mul]] at h1
          exact of_decide_eq_false hs (by lin_comb (1) h1)
      have hone : (S.filter fun s => decide (c 0 * s = b)).length ≤ 1 := by
        cases hf : S.filter fun s => decide (c 0 * s = b) with
        | nil => exact Nat.zero_le 1
        | cons s0 t =>
          have hd : (s0 :: t).Pairwise (· ≠ ·) := by rw [← hf]; exact hS.filter _
          have hs : ∀ s ∈ s0 :: t, c 0 * s = b := fun s hs => by
            rw [← hf] at hs
            exact of_decide_eq_true (List.mem_filter.mp hs).2
          exact length_le_of_distinct (fun s => s) hd (m := [s0]) fun s h => List.mem_singleton.mpr (by
            have h1 := hs s h
            have h2 := hs s0 List.mem_cons_self
            have e : c 0 * (s - s0) = 0 := by lin_comb (1) h1 + (-1) h2
            exact sub_eq_zero.mp ((hR.mul_eq_zero _ _ e).resolve_left hc0))
      have h1 := filter_flatMap_length_le (fun w => decide ((finSum fun i => c i * w i) = b))
        (fun s => (vectors S d).map fun w (i : Fin (d + 1)) => (Fin.cases s w i : R)) (fun s => decide (c 0 * s = b))
        (B := S.length ^ d) S (fun s _ => Nat.le_of_eq (by rw [List.length_map, length_vectors])) hq
      rw [Nat.mul_zero, Nat.zero_add, ← Nat.pow_succ] at h1
      exact Nat.le_trans h1 (Nat.le_trans (Nat.mul_le_mul_right _ hone) (Nat.le_of_eq (Nat.one_mul _)))
    · have := filter_flatMap_length_le (fun w => decide ((finSum fun i => c i * w i) = b))
        (fun s => (vectors S d).map fun w (i : Fin (d + 1)) => (Fin.cases s w i : R)) (fun _ => false) (c := S.length)
        (B := S.length ^ d) S (fun s _ => Nat.le_of_eq (by rw [List.length_map, length_vectors]))
        fun s _ _ => by rw [hpart]; exact miss_vector hR hS h0 _
      have hnil : (S.filter fun _ => false) = [] := List.filter_eq_nil_iff.mpr fun _ _ h => Bool.noConfusion h
      rw [hnil, List.length_nil, Nat.zero_mul] at this
      exact Nat.le_trans this (Nat.le_of_eq (by rw [Nat.add_zero, Nat.pow_succ, Nat.mul_comm]))

/-- **A random probe** misses a matrix `D ≠ 0` with probability at most `2 / |S|`: of the pairs of vectors with
entries in a list `S` of distinct elements, at most this fraction are probes `uᵀ D w` that vanish. -/
theorem miss_matrix (hR : IsDomain R) {S : List R} (hS : S.Pairwise (· ≠ ·)) {D : RectMat R m n} (hD : D ≠ 0) :
    (((vectors S m).flatMap fun u => (vectors S n).map fun w => (u, w)).filter
      fun t => decide (form D t.1 t.2 = 0)).length * S.length ≤ 2 * (S.length ^ m * S.length ^ n) := by
  -- a column that is not zero
  have hcol : ∃ j, (fun i => D i j) ≠ 0 := Classical.byContradiction fun h => hD (funext fun i => funext fun j =>
    congrFun (Classical.byContradiction fun hj => h ⟨j, hj⟩ : (fun i => D i j) = 0) i)
  obtain ⟨j, hj⟩ := hcol
  -- the `u` with `(uᵀ D) j = 0` are few; for all others a linear equation remains for `w`
  have h1 := filter_flatMap_length_le (fun t => decide (form D t.1 t.2 = 0))
    (fun u => (vectors S n).map fun w => (u, w)) (fun u => decide ((finSum fun i => D i j * u i) = 0)) (c := S.length)
    (B := S.length ^ n) (B' := S.length ^ n) (vectors S m)
    (fun u _ => Nat.le_of_eq (by rw [List.length_map, length_vectors])) fun u _ hu => by
      rw [filter_map_length]
      have hrow : row D u ≠ 0 := fun e => of_decide_eq_false hu (by
        have := congrFun e j
        rw [row] at this
        rw [finSum_congr fun i => mul_comm _ _]
        exact this)
      simp only [form_row]
      exact miss_vector hR hS hrow 0
  have h2 := miss_vector hR hS hj 0
  rw [length_vectors] at h1
  refine Nat.le_trans h1 ?_
  rw [Nat.two_mul, Nat.mul_comm (S.length ^ n) S.length, ← Nat.mul_assoc]
  exact Nat.add_le_add_left (Nat.mul_le_mul_right _ h2) _

/-- `D ≠ 0` cannot be dropped in `miss_matrix`: all probes of the zero matrix vanish. -/
theorem miss_matrix_zero (S : List R) :
    (((vectors S m).flatMap fun u => (vectors S n).map fun w => (u, w)).filter
      fun t => decide (form (0 : RectMat R m n) t.1 t.2 = 0)).length = S.length ^ m * S.length ^ n := by
  rw [List.filter_eq_self.mpr fun t _ => decide_eq_true (form_zero _ _),
    length_flatMap_const (n := S.length ^ n) fun u => by rw [List.length_map, length_vectors], length_vectors]

/-- Distinct elements cannot be dropped in `miss_matrix`: a list may repeat zero. -/
theorem miss_matrix_distinct_needed :
    ¬ ((((vectors [(0 : R), 0, 0] 1).flatMap fun u => (vectors [(0 : R), 0, 0] 1).map fun w => (u, w)).filter
      fun t => decide (form (fun _ _ => 1 : RectMat R 1 1) t.1 t.2 = 0)).length * [(0 : R), 0, 0].length ≤
        2 * ([(0 : R), 0, 0].length ^ 1 * [(0 : R), 0, 0].length ^ 1)) := by
  have h0 : ∀ u ∈ vectors [(0 : R), 0, 0] 1, u = 0 := fun u hu => by
    obtain ⟨s, hs, hu⟩ := List.mem_flatMap.mp hu
    obtain ⟨w, -, rfl⟩ := List.mem_map.mp hu
    have hs : s = 0 := by
      rcases List.mem_cons.mp hs with h | h
      · exact h
      · rcases List.mem_cons.mp h with h | h
        · exact h
        · exact List.mem_singleton.mp h
    funext i
    induction i using Fin.cases with
    | zero => exact hs
    | succ i => exact i.elim0
  rw [List.filter_eq_self.mpr fun t ht => ?_, length_flatMap_const (n := 3) fun u => by
    rw [List.length_map, length_vectors]; rfl, length_vectors]
  · show ¬ 3 ^ 1 * 3 * 3 ≤ 2 * (3 ^ 1 * 3 ^ 1)
    decide
  · obtain ⟨u, hu, ht⟩ := List.mem_flatMap.mp ht
    obtain ⟨w, -, rfl⟩ := List.mem_map.mp ht
    rw [h0 u hu]
    exact decide_eq_true (finSum_zero fun i => zero_mul _)

/-- An integral domain cannot be dropped in `miss_matrix`: if an element `a ≠ 0` annihilates the whole list, all probes
of the matrix `(a)` vanish, however long the list is. -/
theorem miss_matrix_domain_needed {a : R} {S : List R} (hS : ∀ s ∈ S, a * s = 0) :
    (((vectors S 1).flatMap fun u => (vectors S 1).map fun w => (u, w)).filter
      fun t => decide (form (fun _ _ => a : RectMat R 1 1) t.1 t.2 = 0)).length = S.length ^ 1 * S.length ^ 1 := by
  rw [List.filter_eq_self.mpr fun t ht => ?_, length_flatMap_const (n := S.length ^ 1) fun u => by
    rw [List.length_map, length_vectors], length_vectors]
  obtain ⟨u, -, ht⟩ := List.mem_flatMap.mp ht
  obtain ⟨w, hw, rfl⟩ := List.mem_map.mp ht
  obtain ⟨s, hs, hw⟩ := List.mem_flatMap.mp hw
  obtain ⟨w', -, rfl⟩ := List.mem_map.mp hw
  refine decide_eq_true (finSum_zero fun i => ?_)
  show u i * (a * s + 0) = 0
  rw [hS s hs, add_zero, mul_zero]
end LowRank

end AttentionQueries
