import AttentionQueries.Algebra.Matrix
import AttentionQueries.Algebra.Order
import AttentionQueries.MultiHead.Separation
import AttentionQueries.SingleHead.Formulas

/-! # The attention output, and an arbitrary readout

A one-layer Transformer computes `g(z)`, where `z = ∑ αₓ x` is the attention output, a vector. This module treats any
function `g`, with values in any type: the score matrix `W` is determined by the outputs on sequences of length two
wherever `g` separates the points of the segment from the query token to the other one.

## Main definitions

* `dot v z`: the product `⟨v, z⟩` of two vectors over `K`.
* `Semantics.attention W xs q`: the attention output.
* `Semantics.line q u t`: the point `q + t u`.
* `Semantics.Separates g q u`: the readout `g` separates the points of the open segment from `q` to `q + u`.

## Main statements

* `Semantics.eval_eq_dot`: a head with value vector `v` reads `⟨v, z⟩`.
* `Semantics.attention_copies`: on two different tokens the attention output lies on the segment between them.
* `Semantics.readout_unique`, `Semantics.readout_unique_basis`: what determines the score matrix.
* `Semantics.separates_of_injective`, `Semantics.separates_of_linear`, `Semantics.separates_of_projective`: readouts
  that separate.
* `Semantics.projective_unique`: a readout that knows its argument up to scaling (a normalisation) determines `W` when
  `d ≥ 2`. -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-! ## The product of two vectors -/

/-- The product `⟨v, z⟩` of two vectors over `K`. -/
def dot (v z : Vec K d) : K := finSum fun i => v i * z i

/-- The product with a negative vector. -/
theorem dot_neg (v z : Vec K d) : dot v (-z) = -dot v z := by
  rw [show -dot v z = -1 * dot v z by ring, dot, dot, ← finSum_mul]
  exact finSum_congr fun i => by rw [vneg_app]; ring

/-- The product is additive in the first vector. -/
theorem add_dot (v w z : Vec K d) : dot (v + w) z = dot v z + dot w z := by
  rw [dot, dot, dot, ← finSum_add]
  exact finSum_congr fun i => by rw [vadd_app, add_mul]

/-- The product is subtractive in the first vector. -/
theorem sub_dot (v w z : Vec K d) : dot (v - w) z = dot v z - dot w z := by
  rw [dot, dot, dot, ← finSum_sub]
  exact finSum_congr fun i => by rw [vsub_app]; ring

/-- A factor of the first vector may be moved out. -/
theorem mul_dot (c : K) (v z : Vec K d) : dot (fun i => c * v i) z = c * dot v z := by
  rw [dot, dot, ← finSum_mul]
  exact finSum_congr fun i => mul_assoc _ _ _

/-- The product with the zero vector. -/
theorem zero_dot (z : Vec K d) : dot 0 z = 0 := finSum_zero fun _ => zero_mul _

/-- The product with a basis vector is an entry. -/
theorem dot_basis (v : Vec K d) (i : Fin d) : dot v (basis i) = v i := by
  rw [dot, finSum_single i, basis_self, mul_one]
  intro j hj
  rw [basis_ne hj, mul_zero]

namespace Semantics

/-- The value of a token is the product with the token read as a vector over `K`. -/
theorem dot_castV (v : Vec K d) (x : Vec R d) : dot v (S.castV x) = S.inner v x := rfl

/-! ## The attention output -/

/-- The attention output on the sequence `xs ++ [q]`: the mean of its tokens, weighted by the exponentials of the
scores `xᵀ W q`. -/
def attention (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) : Vec K d := fun i =>
  listSum (xs ++ [q]) (fun x => S.exp (score W x q) * S.cast (x i)) / listSum (xs ++ [q]) fun x => S.exp (score W x q)

/-- The entries of the attention output are outputs of heads. -/
theorem attention_app (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) (i : Fin d) :
    S.attention W xs q i = S.eval W (basis i) xs q := by
  have h : ∀ x : Vec R d, S.inner (basis i) x = S.cast (x i) := fun x => by
    rw [inner, finSum_single i, basis_self, one_mul]
    intro j hj; rw [basis_ne hj, zero_mul]
  simp only [attention, eval, h]

/-- A head with value vector `v` reads `⟨v, z⟩`. -/
theorem eval_eq_dot (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.eval W v xs q = dot v (S.attention W xs q) := by
  generalize hD : listSum (xs ++ [q]) (fun x => S.exp (score W x q)) = D
  have h : ∀ i, v i * S.attention W xs q i =
      listSum (xs ++ [q]) (fun x => S.exp (score W x q) * (v i * S.cast (x i))) * D⁻¹ := by
    intro i
    rw [attention, hD, div_def, ← mul_assoc, ← listSum_mul]
    congr 1
    exact listSum_congr fun x _ => by ring
  rw [dot, finSum_congr h, finSum_mul_right, ← listSum_fsum, eval, hD, div_def]
  congr 1
  exact listSum_congr fun x _ => (finSum_mul _ _).symm

/-- The point `q + t u` over `K`. -/
def line (q u : Vec R d) (t : K) : Vec K d := fun i => S.cast (q i) + t * S.cast (u i)

/-- A linear function on the points `q + t u`. -/
theorem dot_line (v : Vec K d) (q u : Vec R d) (t : K) : dot v (S.line q u t) = S.inner v q + t * S.inner v u := by
  rw [inner, inner, ← finSum_mul, ← finSum_add]
  exact finSum_congr fun i => by rw [line]; ring

/-- On `[q]` the attention output is `q`. -/
theorem attention_nil (W : Mat R d) (q : Vec R d) : S.attention W [] q = S.castV q := funext fun i => by
  rw [attention_app, eval_nil, inner, finSum_single i, basis_self, one_mul]
  · rfl
  · intro j hj; rw [basis_ne hj, zero_mul]

/-- On `k` copies of `q + u` and `n + 1` copies of `q`, the query token included, the attention output is the point of
the segment from `q` to `q + u` given by the weight of the copies of `q + u`. -/
theorem attention_copies (W : Mat R d) (k n : Nat) (u q : Vec R d) : S.attention W (copies k n u q) q =
    S.line q u ((natCast k * S.exp (score W u q)) / (natCast k * S.exp (score W u q) + natCast (n + 1))) :=
  funext fun i => by
    have h : ∀ x : Vec R d, S.inner (basis i) x = S.cast (x i) := fun x => by
      rw [inner, finSum_single i, basis_self, one_mul]
      intro j hj; rw [basis_ne hj, zero_mul]
    rw [attention_app, eval_copies, h, h, line, mul_comm (S.cast (u i))]

/-- On `[q + u; q]` the attention output is on the segment from `q` to `q + u`. -/
theorem attention_one (W : Mat R d) (u q : Vec R d) :
    S.attention W [q + u] q = S.line q u (S.exp (score W u q) / (S.exp (score W u q) + 1)) := by
  have h := S.attention_copies W 1 0 u q
  rwa [natCast_one, one_mul] at h

/-- The weight of a token lies strictly between zero and one. -/
theorem weight_bounds (s : R) : 0 < S.exp s / (S.exp s + 1) ∧ S.exp s / (S.exp s + 1) < 1 := by
  have hp := add_pos (S.exp_pos s) one_pos
  have h := div_mul_cancel (S.exp s) (pos_ne hp)
  generalize S.exp s / (S.exp s + 1) = t at *
  have hE := S.exp_pos s
  generalize S.exp s = e at *
  constructor
  · refine lt_of_not_le fun ht => ?_
    have := mul_le_mul_right (le_of_lt hp) ht
    rw [h, zero_mul] at this
    exact this hE
  · refine lt_of_not_le fun ht => ?_
    have := mul_le_mul_right (le_of_lt hp) ht
    rw [h, one_mul] at this
    exact this (lt_cert one_pos (by ring))

/-- The weight of a token determines its score. -/
theorem weight_inj {s s' : R} (h : S.exp s / (S.exp s + 1) = S.exp s' / (S.exp s' + 1)) : s = s' := by
  have e1 := div_mul_cancel (S.exp s) (pos_ne (add_pos (S.exp_pos s) one_pos))
  have e2 := div_mul_cancel (S.exp s') (pos_ne (add_pos (S.exp_pos s') one_pos))
  rw [h] at e1
  apply S.exp_inj
  generalize S.exp s' / (S.exp s' + 1) = f at *
  lin_comb (-(S.exp s' + 1)) e1 + (S.exp s + 1) e2

/-! ## An arbitrary readout -/

/-- The readout `g` separates the points of the open segment from `q` to `q + u`. -/
def Separates {Y : Type} (g : Vec K d → Y) (q u : Vec R d) : Prop := ∀ t t' : K, 0 < t → t < 1 → 0 < t' → t' < 1 →
  g (S.line q u t) = g (S.line q u t') → t = t'

/-- **One query**: if `g` separates the segment, the output on `[q + u; q]` determines the score of `u` at `q`. -/
theorem score_of_readout {Y : Type} {g : Vec K d → Y} {q u : Vec R d} (hg : S.Separates g q u) {W W' : Mat R d}
    (h : g (S.attention W [q + u] q) = g (S.attention W' [q + u] q)) : score W u q = score W' u q := by
  rw [attention_one, attention_one] at h
  obtain ⟨a, b⟩ := S.weight_bounds (score W u q)
  obtain ⟨a', b'⟩ := S.weight_bounds (score W' u q)
  exact S.weight_inj (hg _ _ a b a' b' h)

/-- **The score matrix is determined** by the outputs on `[q + u; q]` for pairs `(u, q)` in a set `P` that no nonzero
matrix annihilates, if `g` separates their segments. The readout may depend on the query token (a residual
connection). -/
theorem readout_unique {Y : Type} {g : Vec R d → Vec K d → Y} {P : Vec R d → Vec R d → Prop}
    (hP : ∀ D : Mat R d, (∀ u q, P u q → score D u q = 0) → D = 0) (hg : ∀ u q, P u q → S.Separates (g q) q u)
    {W W' : Mat R d} (h : ∀ u q, P u q → g q (S.attention W [q + u] q) = g q (S.attention W' [q + u] q)) : W = W' :=
  mat_eq_of_sub (hP (W - W') fun u q hu => by
    rw [score_sub_mat, sub_eq_zero]
    exact S.score_of_readout (hg u q hu) (h u q hu))

/-- **`d²` queries** with basis vectors determine the score matrix, if `g` separates their segments. -/
theorem readout_unique_basis {Y : Type} {g : Vec R d → Vec K d → Y}
    (hg : ∀ i j, S.Separates (g (basis j)) (basis j) (basis i)) {W W' : Mat R d}
    (h : ∀ i j, g (basis j) (S.attention W [basis j + basis i] (basis j)) =
      g (basis j) (S.attention W' [basis j + basis i] (basis j))) : W = W' :=
  S.readout_unique (P := fun u q => ∃ i j, u = basis i ∧ q = basis j)
    (fun D hD => funext fun i => funext fun j => by rw [← score_basis D, hD _ _ ⟨i, j, rfl, rfl⟩]; rfl)
    (by rintro _ _ ⟨i, j, rfl, rfl⟩; exact hg i j) (by rintro _ _ ⟨i, j, rfl, rfl⟩; exact h i j)

/-- An injective readout separates, if `u ≠ 0`. -/
theorem separates_of_injective {Y : Type} {g : Vec K d → Y} (hg : ∀ z z', g z = g z' → z = z') (q : Vec R d)
    {u : Vec R d} (hu : u ≠ 0) : S.Separates g q u := by
  intro t t' _ _ _ _ h
  obtain ⟨i, hi⟩ := exists_ne_zero hu
  have e : S.cast (q i) + t * S.cast (u i) = S.cast (q i) + t' * S.cast (u i) := congrFun (hg _ _ h) i
  exact mul_right_cancel (S.cast_ne hi) (add_left_cancel e)

/-- A linear readout separates, if it does not vanish on `u`. -/
theorem separates_of_linear (v : Vec K d) (q : Vec R d) {u : Vec R d} (hu : S.inner v u ≠ 0) :
    S.Separates (dot v) q u := by
  intro t t' _ _ _ _ h
  rw [dot_line, dot_line] at h
  exact mul_right_cancel hu (add_left_cancel h)

/-- A readout that knows its argument up to scaling (a normalisation) separates, if `q` and `u` are independent. -/
theorem separates_of_projective {Y : Type} {g : Vec K d → Y} (hg : ∀ z z', g z = g z' → ∀ i j, z i * z' j = z j * z' i)
    {q u : Vec R d} {i j : Fin d} (hqu : q i * u j - q j * u i ≠ 0) : S.Separates g q u := by
  intro t t' _ _ _ _ h
  have e := hg _ _ h i j
  have hc := S.cast_ne hqu
  rw [sub_def, S.cast_add, cast_neg, S.cast_mul, S.cast_mul] at hc
  simp only [line] at e
  apply mul_right_cancel hc
  lin_comb (-1) e

/-- **A normalising readout** determines the score matrix when `d ≥ 2`. -/
theorem projective_unique {Y : Type} {g : Vec R d → Vec K d → Y}
    (hg : ∀ q z z', g q z = g q z' → ∀ i j, z i * z' j = z j * z' i) (hd : ∀ i : Fin d, ∃ k, k ≠ i) {W W' : Mat R d}
    (h : ∀ u q, g q (S.attention W [q + u] q) = g q (S.attention W' [q + u] q)) : W = W' := by
  have one_ne := S.scalar_one_ne_zero
  refine S.readout_unique (g := g) (P := fun u q => ∃ i k, k ≠ i ∧ q = basis i ∧ (u = basis k ∨ u = basis k + basis i))
    (fun D hD => ?_) ?_ fun u q _ => h u q
  · have h1 : ∀ i k, k ≠ i → D k i = 0 := fun i k hk => by
      rw [← score_basis D]; exact hD _ _ ⟨i, k, hk, rfl, .inl rfl⟩
    funext k i
    by_cases hk : k = i
    · subst hk
      obtain ⟨l, hl⟩ := hd k
      have := hD _ _ ⟨k, l, hl, rfl, .inr rfl⟩
      rwa [score_add, score_basis, score_basis, h1 k l hl, zero_add] at this
    · exact h1 i k hk
  · rintro u q ⟨i, k, hk, rfl, rfl | rfl⟩
    · refine S.separates_of_projective (hg _) (i := i) (j := k) ?_
      rw [basis_self, basis_self, basis_ne hk, zero_mul, mul_one, sub_zero]
      exact one_ne
    · refine S.separates_of_projective (hg _) (i := i) (j := k) ?_
      rw [vadd_app, vadd_app, basis_self, basis_self, basis_ne hk, zero_mul, add_zero, mul_one, sub_zero]
      exact one_ne

/-- **`d ≥ 2` is needed**: for `d = 1` all vectors agree up to scaling, so that a constant readout satisfies the
hypothesis of `projective_unique`, and its output does not depend on the matrix. -/
theorem projective_dim_needed (W W' : Mat R 1) (xs : List (Vec R 1)) (q : Vec R 1) :
    (∀ z z' : Vec K 1, ((fun _ => ()) : Vec K 1 → Unit) z = (fun _ => ()) z' → ∀ i j, z i * z' j = z j * z' i) ∧
      ((fun _ => ()) : Vec K 1 → Unit) (S.attention W xs q) = (fun _ => ()) (S.attention W' xs q) := by
  refine ⟨fun z z' _ i j => ?_, rfl⟩
  rw [Fin.ext (Nat.lt_one_iff.mp i.isLt ▸ (Nat.lt_one_iff.mp j.isLt).symm ▸ rfl : i.val = j.val)]

end Semantics

end AttentionQueries
