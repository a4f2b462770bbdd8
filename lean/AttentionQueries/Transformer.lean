import AttentionQueries.Algebra.Matrix
import AttentionQueries.Algebra.Order
import AttentionQueries.MultiHead.FiniteTest
import AttentionQueries.SingleHead.Identifiability

/-! # A one-layer transformer `f(X) = g(z(X))`: the attention output, an arbitrary readout, a ReLU network -/

namespace AttentionQueries
open CommRing OrderedField
open Classical

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- `⟨v, z⟩` over `K` -/
def kdot (v z : Vec K d) : K := finSum fun i => v i * z i

namespace Semantics
/-- the attention output `∑ αₓ x` over the context and the query -/
def zvec (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) : Vec K d := fun i =>
  listSum (xs ++ [q]) (fun x => S.exp (score W x q) * S.cast (x i)) / listSum (xs ++ [q]) fun x => S.exp (score W x q)
theorem basis_pair (i : Fin d) (x : Vec R d) : S.inner (basis i) x = S.cast (x i) := by
  rw [inner, finSum_single i, basis_self, one_mul]
  intro j hj; rw [basis_ne hj, zero_mul]
theorem zvec_app (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) (i : Fin d) :
    S.zvec W xs q i = S.eval W (basis i) xs q := by
  simp only [zvec, eval, basis_pair]
/-- a head with value vector `v` reads `⟨v, z⟩` -/
theorem eval_eq_kdot (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.eval W v xs q = kdot v (S.zvec W xs q) := by
  generalize hD : listSum (xs ++ [q]) (fun x => S.exp (score W x q)) = D
  have h : ∀ i, v i * S.zvec W xs q i = listSum (xs ++ [q]) (fun x => S.exp (score W x q) * (v i * S.cast (x i))) * D⁻¹ := by
    intro i
    rw [zvec, hD, div_def, ← mul_assoc, ← listSum_mul]
    congr 1
    exact listSum_congr fun x _ => by ring
  rw [kdot, finSum_congr h, finSum_mul_right, ← listSum_fsum, eval, hD, div_def]
  congr 1
  exact listSum_congr fun x _ => (finSum_mul _ _).symm

/-! ## (a) an arbitrary readout -/
/-- `q + t u`, over `K` -/
def line (q u : Vec R d) (t : K) : Vec K d := fun i => S.cast (q i) + t * S.cast (u i)
/-- on `[q + u; q]` the attention output is on the segment from `q` to `q + u` -/
theorem zvec_one (W : Mat R d) (u q : Vec R d) :
    S.zvec W [q + u] q = S.line q u (S.exp (score W u q) / (S.exp (score W u q) + 1)) := funext fun i => by
  rw [zvec_app, eval_one, basis_pair, basis_pair, line, mul_comm (S.cast (u i))]
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
theorem weight_inj {s s' : R} (h : S.exp s / (S.exp s + 1) = S.exp s' / (S.exp s' + 1)) : s = s' := by
  have e1 := div_mul_cancel (S.exp s) (pos_ne (add_pos (S.exp_pos s) one_pos))
  have e2 := div_mul_cancel (S.exp s') (pos_ne (add_pos (S.exp_pos s') one_pos))
  rw [h] at e1
  apply S.exp_inj
  generalize S.exp s' / (S.exp s' + 1) = f at *
  lin_comb (-(S.exp s' + 1)) e1 + (S.exp s + 1) e2

/-- the readout `g` separates the points of the open segment from `q` to `q + u` -/
def Separates {Y : Type} (g : Vec K d → Y) (q u : Vec R d) : Prop := ∀ t t' : K, 0 < t → t < 1 → 0 < t' → t' < 1 →
  g (S.line q u t) = g (S.line q u t') → t = t'
/-- **One probe**: if `g` separates the segment, the output on `[q + u; q]` determines the score of `u` at `q`. -/
theorem score_of_readout {Y : Type} {g : Vec K d → Y} {q u : Vec R d} (hg : S.Separates g q u) {W W' : Mat R d}
    (h : g (S.zvec W [q + u] q) = g (S.zvec W' [q + u] q)) : score W u q = score W' u q := by
  rw [zvec_one, zvec_one] at h
  obtain ⟨a, b⟩ := S.weight_bounds (score W u q)
  obtain ⟨a', b'⟩ := S.weight_bounds (score W' u q)
  exact S.weight_inj (hg _ _ a b a' b' h)
/-- **The score matrix is determined** by the outputs on a set `P` of probes `(u, q)` that no nonzero matrix annihilates, if
`g` separates their segments. The readout may depend on the query (a residual connection). -/
theorem readout_unique {Y : Type} {g : Vec R d → Vec K d → Y} {P : Vec R d → Vec R d → Prop}
    (hP : ∀ D : Mat R d, (∀ u q, P u q → score D u q = 0) → D = 0) (hg : ∀ u q, P u q → S.Separates (g q) q u)
    {W W' : Mat R d} (h : ∀ u q, P u q → g q (S.zvec W [q + u] q) = g q (S.zvec W' [q + u] q)) : W = W' := by
  have h0 := hP (W - W') fun u q hu => by
    rw [score_sub_mat, sub_eq_zero]
    exact S.score_of_readout (hg u q hu) (h u q hu)
  funext i j
  exact sub_eq_zero.mp (congrFun (congrFun h0 i) j)
/-- `d²` probes by basis vectors -/
theorem readout_unique_basis {Y : Type} {g : Vec R d → Vec K d → Y}
    (hg : ∀ i j, S.Separates (g (basis j)) (basis j) (basis i)) {W W' : Mat R d}
    (h : ∀ i j, g (basis j) (S.zvec W [basis j + basis i] (basis j)) = g (basis j) (S.zvec W' [basis j + basis i] (basis j))) :
    W = W' :=
  S.readout_unique (P := fun u q => ∃ i j, u = basis i ∧ q = basis j)
    (fun D hD => funext fun i => funext fun j => by rw [← score_basis D, hD _ _ ⟨i, j, rfl, rfl⟩]; rfl)
    (by rintro _ _ ⟨i, j, rfl, rfl⟩; exact hg i j) (by rintro _ _ ⟨i, j, rfl, rfl⟩; exact h i j)

/-- readouts that separate: an injective one, when `u ≠ 0` … -/
theorem separates_of_injective {Y : Type} {g : Vec K d → Y} (hg : ∀ z z', g z = g z' → z = z') (q : Vec R d) {u : Vec R d}
    (hu : u ≠ 0) : S.Separates g q u := by
  intro t t' _ _ _ _ h
  obtain ⟨i, hi⟩ := exists_ne_zero hu
  have e : S.cast (q i) + t * S.cast (u i) = S.cast (q i) + t' * S.cast (u i) := congrFun (hg _ _ h) i
  exact mul_right_cancel (S.cast_ne hi) (add_left_cancel e)
/-- … a linear one, when it is nonzero on `u` … -/
theorem separates_of_linear (v : Vec K d) (q : Vec R d) {u : Vec R d} (hu : S.inner v u ≠ 0) : S.Separates (kdot v) q u := by
  intro t t' _ _ _ _ h
  have e : ∀ t, kdot v (S.line q u t) = S.inner v q + t * S.inner v u := fun t => by
    rw [inner, inner, ← finSum_mul, ← finSum_add]
    exact finSum_congr fun i => by rw [line]; ring
  rw [e, e] at h
  exact mul_right_cancel hu (add_left_cancel h)
/-- … and one that knows its argument up to scaling only (a normalisation), when `q` and `u` are independent. -/
theorem separates_of_projective {Y : Type} {g : Vec K d → Y} (hg : ∀ z z', g z = g z' → ∀ i j, z i * z' j = z j * z' i)
    {q u : Vec R d} {i j : Fin d} (hqu : q i * u j - q j * u i ≠ 0) : S.Separates g q u := by
  intro t t' _ _ _ _ h
  have e := hg _ _ h i j
  have hc := S.cast_ne hqu
  rw [sub_def, S.cast_add, cast_neg, S.cast_mul, S.cast_mul] at hc
  simp only [line] at e
  apply mul_right_cancel hc
  lin_comb (-1) e
/-- with such a readout `W` is determined when `d ≥ 2` -/
theorem projective_unique {Y : Type} {g : Vec R d → Vec K d → Y}
    (hg : ∀ q z z', g q z = g q z' → ∀ i j, z i * z' j = z j * z' i) (hd : ∀ i : Fin d, ∃ k, k ≠ i) {W W' : Mat R d}
    (h : ∀ u q, g q (S.zvec W [q + u] q) = g q (S.zvec W' [q + u] q)) : W = W' := by
  have one_ne : (1 : R) ≠ 0 := fun h => OrderedField.zero_ne_one (K := K) (by rw [← S.cast_one, h, S.cast_zero])
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

/-! ## (b) negating all tokens -/
theorem score_neg_neg (W : Mat R d) (x q : Vec R d) : score W (-x) (-q) = score W x q := by
  have h : ∀ i, mulVec W (-q) i = -mulVec W q i := fun i => by
    have h := finSum_mul (-1 : R) fun j => W i j * q j
    rw [mulVec, mulVec, show -(finSum fun j => W i j * q j) = -1 * finSum fun j => W i j * q j by ring, ← h]
    exact finSum_congr fun j => by rw [vneg_app]; ring
  exact finSum_congr fun i => by rw [h, vneg_app]; ring
theorem zvec_neg (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) :
    S.zvec W (xs.map fun x => -x) (-q) = -S.zvec W xs q := funext fun i => by
  have e : (xs.map fun x => -x) ++ [-q] = (xs ++ [q]).map fun x => -x := by rw [List.map_append]; rfl
  have h : listSum (xs ++ [q]) (fun x => S.exp (score W x q) * S.cast ((-x) i)) =
      -1 * listSum (xs ++ [q]) fun x => S.exp (score W x q) * S.cast (x i) := by
    rw [← listSum_mul]
    exact listSum_congr fun x _ => by rw [vneg_app, cast_neg]; ring
  rw [vneg_app, zvec, zvec, e, listSum_map, listSum_map]
  simp only [score_neg_neg]
  rw [h, div_def, div_def]; ring
end Semantics

/-! ## (c) a ReLU network without biases -/
open Classical in
noncomputable def relu (x : K) : K := if 0 < x then x else 0
theorem relu_of_pos {x : K} (h : 0 < x) : relu x = x := if_pos h
theorem relu_of_not {x : K} (h : ¬ 0 < x) : relu x = 0 := if_neg h
theorem neg_pos_iff {x : K} : 0 < -x ↔ x < 0 :=
  ⟨fun h => lt_cert h (by ring), fun h => lt_cert (sub_pos.mpr h) (by ring)⟩
theorem relu_sub_neg (x : K) : relu x - relu (-x) = x := by
  rcases lt_total x 0 with h | rfl | h
  · rw [relu_of_pos (neg_pos_iff.mpr h), relu_of_not (le_of_lt h)]; ring
  · rw [neg_zero, sub_self]
  · rw [relu_of_pos h, relu_of_not fun h' => lt_irrefl _ (lt_trans _ _ _ h (neg_pos_iff.mp h'))]; ring
variable {n n' : Nat}
/-- `∑ j, a j * relu ⟨w j, z⟩` -/
noncomputable def mlp (a : Vec K n) (w : Fin n → Vec K d) (z : Vec K d) : K := finSum fun j => a j * relu (kdot (w j) z)
/-- `∑ j, a j w j` -/
def slope (a : Vec K n) (w : Fin n → Vec K d) : Vec K d := fun i => finSum fun j => a j * w j i
theorem kdot_neg (v z : Vec K d) : kdot v (-z) = -kdot v z := by
  rw [show -kdot v z = -1 * kdot v z by ring, kdot, kdot, ← finSum_mul]
  exact finSum_congr fun i => by rw [vneg_app]; ring
theorem kdot_slope (a : Vec K n) (w : Fin n → Vec K d) (z : Vec K d) :
    kdot (slope a w) z = finSum fun j => a j * kdot (w j) z := by
  have h1 : ∀ i, slope a w i * z i = finSum fun j => a j * w j i * z i := fun i => (finSum_mul_right _ _).symm
  rw [kdot, finSum_congr h1, finSum_comm]
  exact finSum_congr fun j => by rw [kdot, ← finSum_mul]; exact finSum_congr fun i => mul_assoc _ _ _
/-- the odd part of the network is linear -/
theorem mlp_sub_neg (a : Vec K n) (w : Fin n → Vec K d) (z : Vec K d) : mlp a w z - mlp a w (-z) = kdot (slope a w) z := by
  rw [kdot_slope, mlp, mlp, ← finSum_sub]
  exact finSum_congr fun j => by
    rw [kdot_neg]
    lin_comb (a j) (relu_sub_neg (kdot (w j) z))

namespace Semantics
/-- the network on top of the attention output -/
noncomputable def net (W : Mat R d) (a : Vec K n) (w : Fin n → Vec K d) (xs : List (Vec R d)) (q : Vec R d) : K :=
  mlp a w (S.zvec W xs q)
/-- **Reduction**: `f(X) - f(-X)` is a single head with value vector `∑ a j w j`. -/
theorem net_sub_neg (W : Mat R d) (a : Vec K n) (w : Fin n → Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.net W a w xs q - S.net W a w (xs.map fun x => -x) (-q) = S.eval W (slope a w) xs q := by
  rw [net, net, zvec_neg, mlp_sub_neg, eval_eq_kdot]
/-- **Uniqueness**: two networks (of any widths) that agree on `d + d²` inputs and their negatives have the same score
matrix, and the same slope, if the slope of one is not zero. -/
theorem net_unique {W W' : Mat R d} {a : Vec K n} {w : Fin n → Vec K d} {a' : Vec K n'} {w' : Fin n' → Vec K d} {p : Fin d}
    (hp : slope a w p ≠ 0) (h : ∀ t ∈ headTests (slope a w) p, S.net W a w t.1 t.2 = S.net W' a' w' t.1 t.2 ∧
      S.net W a w (t.1.map fun x => -x) (-t.2) = S.net W' a' w' (t.1.map fun x => -x) (-t.2)) :
    slope a w = slope a' w' ∧ W = W' :=
  S.head_unique_list hp fun t ht => by rw [← net_sub_neg, ← net_sub_neg, (h t ht).1, (h t ht).2]
theorem net_unique' {W W' : Mat R d} {a : Vec K n} {w : Fin n → Vec K d} {a' : Vec K n'} {w' : Fin n' → Vec K d}
    (hs : slope a w ≠ 0) (h : ∀ xs q, S.net W a w xs q = S.net W' a' w' xs q) : slope a w = slope a' w' ∧ W = W' := by
  obtain ⟨p, hp⟩ := exists_ne_zero hs
  exact S.net_unique hp fun t _ => ⟨h _ _, h _ _⟩
/-- **The condition is needed**: with slope zero the odd part vanishes for every `W`, and conversely. -/
theorem odd_part_zero_iff (a : Vec K n) (w : Fin n → Vec K d) :
    (∀ (W : Mat R d) xs q, S.net W a w xs q - S.net W a w (xs.map fun x => -x) (-q) = 0) ↔ slope a w = 0 := by
  constructor
  · intro h
    funext i
    have := h 0 [] (basis i)
    rw [net_sub_neg, eval_nil, inner_basis] at this
    exact this
  · intro h W xs q
    rw [net_sub_neg, h, eval_zero]

/-- counterexample to uniqueness with slope zero: `relu ⟨e, z⟩ - relu ⟨e, z⟩`, for any two `W`, `W'` -/
def pm : Vec K 2 := fun j => if j = 0 then 1 else -1
theorem counterexample (e : Vec K d) : slope pm (fun _ => e) = 0 ∧
    ∀ (W W' : Mat R d) xs q, S.net W pm (fun _ => e) xs q = S.net W' pm (fun _ => e) xs q := by
  have h0 : ∀ x : K, finSum (fun j => pm j * x) = 0 := fun x => by
    show (1 : K) * x + (-1 * x + 0) = 0
    ring
  exact ⟨funext fun i => h0 (e i), fun W W' xs q => (h0 _).trans (h0 _).symm⟩
/-- `|z|` for `d = 1`: slope zero, so the odd part is silent, but part (a) applies and `W` is still determined -/
def pmw : Fin 2 → Vec K 1 := fun j _ => pm j
def ones : Vec K 2 := fun _ => 1
theorem abs_net : slope (ones : Vec K 2) pmw = 0 ∧
    ∀ W W' : Mat R 1, (∀ xs q, S.net W ones pmw xs q = S.net W' ones pmw xs q) → W = W' := by
  refine ⟨funext fun i => ?_, fun W W' h => ?_⟩
  · show (1 : K) * 1 + (1 * -1 + 0) = 0
    ring
  · refine S.readout_unique_basis (g := fun _ => mlp ones pmw) (fun i j => ?_) fun i j => h _ _
    intro t t' h0 _ h0' _ e
    have key : ∀ t : K, 0 < t → mlp ones pmw (S.line (basis j) (basis i) t) = 1 + t := fun t ht => by
      have hx : ∀ k, kdot (pmw k) (S.line (basis j) (basis i) t) = pm k * (1 + t) := fun k => by
        show pm k * (S.cast (basis j 0) + t * S.cast (basis i 0)) + 0 = _
        have fin1 : ∀ i : Fin 1, i = 0 := fun i => by
          induction i using Fin.cases with
          | zero => rfl
          | succ i => exact i.elim0
        rw [fin1 i, fin1 j, basis_self, S.cast_one]
        ring
      simp only [mlp, hx]
      show (1 : K) * relu (1 * (1 + t)) + (1 * relu (-1 * (1 + t)) + 0) = 1 + t
      have hp := add_pos (one_pos (K := K)) ht
      rw [show (1 : K) * (1 + t) = 1 + t by ring, show (-1 : K) * (1 + t) = -(1 + t) by ring, relu_of_pos hp,
        relu_of_not fun h => lt_irrefl _ (lt_trans _ _ _ hp (neg_pos_iff.mp h))]
      ring
    rw [key t h0, key t' h0'] at e
    exact add_left_cancel e
end Semantics

end AttentionQueries
