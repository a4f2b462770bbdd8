import AttentionQueries.LowRank.Cross

/-! # The gauge of the key and query factors

The score matrix `Kᵀ Q` of two `r × d` factors does not change if `(K, Q)` is replaced by `(A⁻ᵀ K, A Q)`. If it has rank
`r`, this is the only freedom.

## Main definitions

* `factored k q`: the score matrix `kᵀ q`.

## Main statements

* `factor_gauge_iff`: two factorisations of a score matrix of rank `r` through `r` dimensions differ by an invertible
  matrix.
* `factor_gauge_complete`: the same over any commutative ring, for factors with right inverses.
* `right_inverse`: a matrix whose rank is the number of its rows has a right inverse.
* `factor_gauge_rank_needed`: for smaller rank there are other freedoms.
-/

namespace AttentionQueries
open CommRing OrderedField Matrix

namespace LowRank
variable {K : Type} [Field K] {m n : Nat}
section gauge
variable {R : Type} [CommRing R] {a b c e r d : Nat}

/-- The score matrix `kᵀ q` of the key and query factors. -/
def factored (k q : RectMat R r d) : Mat R d := mm (tr k) q

/-- The score is the inner product of the key and the query: `⟨k x, q y⟩`. -/
theorem score_factored (k q : RectMat R r d) (x y : Vec R d) :
    score (factored k q) x y = finSum fun t => col k x t * col q y t := by
  have h1 : ∀ i, mulVec (factored k q) y i = finSum fun t => k t i * col q y t := fun i => by
    have h : ∀ j, factored k q i j * y j = finSum fun t => k t i * (q t j * y j) := fun j => by
      rw [factored, mm, ← finSum_mul_right]; exact finSum_congr fun t => mul_assoc _ _ _
    rw [mulVec, finSum_congr h, finSum_comm]
    exact finSum_congr fun t => finSum_mul _ _
  have h2 : ∀ i, x i * mulVec (factored k q) y i = finSum fun t => k t i * x i * col q y t := fun i => by
    rw [h1, ← finSum_mul]; exact finSum_congr fun t => by ring
  rw [score, finSum_congr h2, finSum_comm]
  exact finSum_congr fun t => finSum_mul_right _ _

/-- Factors through `r` dimensions give rank at most `r`. -/
theorem rankLE_factored (k q : RectMat R r d) : RankLE r (factored k q) :=
  ⟨(List.finRange r).map fun t => (k t, q t), by rw [List.length_map, List.length_finRange],
    funext fun i => funext fun j => by rw [osum, listSum_map, ← finSum_eq_listSum]; rfl⟩

/-- **Factor gauge**: `(k, q)` and `(A⁻ᵀ k, A q)` have the same scores. -/
theorem factor_gauge {A B : RectMat R r r} (hBA : mm B A = basis) (k q : RectMat R r d) :
    factored (mm (tr B) k) (mm A q) = factored k q := by
  rw [factored, factored, tr_mm, tr_tr, mm_assoc, ← mm_assoc B, hBA, one_mm]

/-- **The gauge is complete** on factors with right inverses, over any commutative ring. -/
theorem factor_gauge_complete {k q k' q' : RectMat R r d} {x y x' y' : RectMat R d r}
    (hx : mm k x = basis) (hy : mm q y = basis)
    (hx' : mm k' x' = basis) (hy' : mm q' y' = basis) (h : factored k q = factored k' q') :
    ∃ A B : RectMat R r r, mm A B = basis ∧ mm B A = basis ∧ q' = mm A q ∧ k' = mm (tr B) k := by
  have ident : ∀ {r d : Nat} {k : RectMat R r d} {x : RectMat R d r}, mm k x = basis → mm (tr x) (tr k) = basis := by
    intro r d k x h
    rw [← tr_mm, h]
    funext i j
    show basis j i = basis i j
    by_cases hij : i = j
    · rw [hij]
    · rw [basis_ne hij, basis_ne (Ne.symm hij)]
  have hq' : q' = mm (mm (tr x') (tr k)) q := by
    rw [mm_assoc, show mm (tr k) q = mm (tr k') q' from h, ← mm_assoc, ident hx', one_mm]
  have hq : q = mm (mm (tr x) (tr k')) q' := by
    rw [mm_assoc, show mm (tr k') q' = mm (tr k) q from h.symm, ← mm_assoc, ident hx, one_mm]
  generalize mm (tr x') (tr k) = A at *
  generalize mm (tr x) (tr k') = B at *
  have cancel : ∀ {s : Nat} {C D : RectMat R s r}, mm C q = mm D q → C = D := fun {s C D} e => by
    rw [← mm_one C, ← mm_one D, ← hy, ← mm_assoc, ← mm_assoc, e]
  have cancel' : ∀ {s : Nat} {C D : RectMat R s r}, mm C q' = mm D q' → C = D := fun {s C D} e => by
    rw [← mm_one C, ← mm_one D, ← hy', ← mm_assoc, ← mm_assoc, e]
  refine ⟨A, B, cancel' ?_, cancel ?_, hq', ?_⟩
  · rw [mm_assoc, ← hq, ← hq', one_mm]
  · rw [mm_assoc, ← hq', ← hq, one_mm]
  · have e : tr k' = mm (tr k) B := cancel' (by rw [mm_assoc, ← hq]; exact h.symm)
    rw [← tr_tr k', e, tr_mm, tr_tr]
end gauge

/-- The product with a vector can have any values in the rows of successful pivots. -/
private theorem exists_col {W : RectMat K m n} {l : List (Fin m × Fin n)} (hp : Pivots W (basisProbes l))
    (y : Vec K m) :
    ∃ x : Vec K n, ∀ p ∈ l, col W x p.1 = y p.1 := by
  induction l generalizing W y with
  | nil => exact ⟨0, fun _ h => nomatch h⟩
  | cons p l ih =>
    have ha : form W (basis p.1) (basis p.2) ≠ 0 := hp.1
    obtain ⟨x, hx⟩ := ih hp.2 fun i => y i - y p.1 * (form W (basis p.1) (basis p.2))⁻¹ * W i p.2
    have h0 : col (deflate W (basis p.1) (basis p.2)) x p.1 = 0 := by
      have := congrFun (row_deflate_self ha)
      exact finSum_zero fun j => by rw [← row_basis (deflate W _ _) p.1 j, this]; exact zero_mul _
    have hi := Field.mul_inv _ ha
    rw [form_basis] at hi
    -- `x + s e`, with `e` the basis vector of the pivot column
    generalize hs : y p.1 * (W p.1 p.2)⁻¹ - form W (basis p.1) x * (W p.1 p.2)⁻¹ = s
    have hcol : ∀ i, col W (fun j => x j + s * basis p.2 j) i = col W x i + s * W i p.2 := fun i => by
      rw [← col_basis W i p.2, col, col, col, ← finSum_mul, ← finSum_add]
      exact finSum_congr fun j => by ring
    have hd := fun i => col_deflate W (basis p.1) (basis p.2) x i
    refine ⟨fun j => x j + s * basis p.2 j, fun q hq => ?_⟩
    have key : ∀ i, col W (fun j => x j + s * basis p.2 j) i =
        col (deflate W (basis p.1) (basis p.2)) x i + y p.1 * (W p.1 p.2)⁻¹ * W i p.2 := fun i => by
      rw [hcol, hd, col_basis, form_basis, ← hs]; ring
    rw [key]
    rcases List.mem_cons.mp hq with rfl | hq
    · rw [h0]
      lin_comb (y q.1) hi
    · have := hx q hq
      simp only [form_basis] at this
      lin_comb (1) this

/-- A matrix whose rank is the number of its rows has a right inverse. -/
theorem right_inverse {W : RectMat K m n} (h : RankEq m W) : ∃ X : RectMat K n m, mm W X = basis := by
  obtain ⟨l, hl, hp⟩ := h.run
  have hall : ∀ i : Fin m, ∃ p ∈ l, p.1 = i := by
    intro i
    apply Classical.byContradiction
    intro hn
    have hd : (l.map Prod.fst).Pairwise (· ≠ ·) := List.pairwise_map.mpr (by
      exact hp.distinct.imp fun h => h.1)
    have hlen := length_others hd
    rw [List.length_map, hl] at hlen
    have h0 : (others (l.map Prod.fst)).length = 0 := Nat.add_right_cancel (hlen.trans (Nat.zero_add m).symm)
    have hi : i ∈ others (l.map Prod.fst) := mem_others.mpr fun hi => by
      obtain ⟨p, hp, e⟩ := List.mem_map.mp hi
      exact hn ⟨p, hp, e⟩
    rw [List.length_eq_zero_iff.mp h0] at hi
    cases hi
  obtain ⟨x, hx⟩ := Classical.axiomOfChoice fun i : Fin m => exists_col hp (fun k => basis k i)
  refine ⟨fun j i => x i j, funext fun k => funext fun i => ?_⟩
  obtain ⟨p, hp, rfl⟩ := hall k
  exact hx i p hp
/-- **Gauge of the factors**: two factorisations of a score matrix of rank `r` through `r` dimensions differ by an
invertible `r × r` matrix. -/
theorem factor_gauge_iff {r d : Nat} {k q k' q' : RectMat K r d} (h : RankEq r (factored k q)) :
    factored k q = factored k' q' ↔
      ∃ A B : RectMat K r r, mm A B = basis ∧ mm B A = basis ∧ q' = mm A q ∧ k' = mm (tr B) k := by
  constructor
  · intro e
    have inv : ∀ {k q : RectMat K r d}, RankEq r (factored k q) →
        (∃ x, mm k x = basis) ∧ ∃ y, mm q y = basis := fun h =>
      ⟨right_inverse ⟨rankLE_rows _, fun s hs => h.2 s (RankLE.mul_right hs.tr _)⟩,
       right_inverse ⟨rankLE_rows _, fun s hs => h.2 s (hs.mul _)⟩⟩
    obtain ⟨⟨x, hx⟩, y, hy⟩ := inv h
    obtain ⟨⟨x', hx'⟩, y', hy'⟩ := inv (e ▸ h)
    exact factor_gauge_complete hx hy hx' hy' e
  · rintro ⟨A, B, -, hBA, rfl, rfl⟩
    exact (factor_gauge hBA k q).symm

/-- Rank `r` cannot be dropped in `factor_gauge_iff`: with keys zero, any two queries give the same scores, also if one
of them is zero and the other is not. -/
theorem factor_gauge_rank_needed {r d : Nat} (hr : 0 < r) (hd : 0 < d) : ∃ k q k' q' : RectMat K r d,
    factored k q = factored k' q' ∧ ¬ ∃ A B : RectMat K r r, mm A B = basis ∧ mm B A = basis ∧ q' = mm A q ∧
      k' = mm (tr B) k := by
  refine ⟨0, 0, 0, fun _ _ => 1, funext fun i => funext fun j => ?_, fun ⟨A, _, _, _, h, _⟩ => ?_⟩
  · show (finSum fun t => (0 : K) * 0) = finSum fun t => (0 : K) * 1
    rw [finSum_zero fun _ => zero_mul _, finSum_zero fun _ => zero_mul _]
  · have h1 : (1 : K) = finSum fun t => A ⟨0, hr⟩ t * 0 := congrFun (congrFun h ⟨0, hr⟩) ⟨0, hd⟩
    rw [finSum_zero fun _ => mul_zero _] at h1
    exact Field.zero_ne_one h1.symm
end LowRank

end AttentionQueries
