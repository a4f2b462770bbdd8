import AttentionQueries.Transformer.Readout

/-! # Networks with one hidden layer, and the one-layer Transformer

A network computes `g(z) = ∑ⱼ aⱼ relu(⟨wⱼ, z⟩ + cⱼ) + ⟨ℓ, z⟩ + e`. The one-layer Transformer is `g` applied to the
attention output.

## Main definitions

* `relu x`: the larger of `x` and zero.
* `Neuron`, `Network`: the parameters; `Network.eval N z`: the value at `z`.
* `Neuron.plane`: the pair `(w, c)`, which describes the hyperplane `⟨w, z⟩ + c = 0` where the neuron has its kink.
* `Neuron.Normalised`: the first nonzero entry of `w` is one. `Network.Canonical`: the canonical form.
* `Network.SameUpToOrder N N'`: the same parameters, up to the order of the neurons.
* `Semantics.transformer W N xs q`: the output of the one-layer Transformer.

## Main statements

* `Network.SameUpToOrder.eval_eq`: the order of the neurons does not matter.
* `Network.eval_diff`, `Network.eval_after`: differences of networks, and networks applied to a linear image. -/

namespace AttentionQueries
open CommRing OrderedField

/-! ## The rectifier -/
section
variable {K : Type} [OrderedField K]

open Classical in
/-- The rectifier: `x` for positive `x`, and zero otherwise. -/
noncomputable def relu (x : K) : K := if 0 < x then x else 0

/-- The rectifier keeps nonnegative elements. -/
theorem relu_of_nonneg {x : K} (h : 0 ≤ x) : relu x = x := by
  rcases lt_or_eq_of_le h with h | rfl
  · exact if_pos h
  · exact if_neg (lt_irrefl 0)

/-- The rectifier maps nonpositive elements to zero. -/
theorem relu_of_nonpos {x : K} (h : x ≤ 0) : relu x = 0 := if_neg h

/-- A number is the difference of the rectified number and its rectified negative. -/
theorem relu_sub_relu_neg (x : K) : relu x - relu (-x) = x := by
  rcases le_total 0 x with h | h
  · rw [relu_of_nonneg h, relu_of_nonpos (le_cert h (by ring))]; ring
  · rw [relu_of_nonpos h, relu_of_nonneg (neg_nonneg h)]; ring

/-- The rectifier is homogeneous for nonnegative factors. -/
theorem relu_mul {c : K} (hc : 0 ≤ c) (x : K) : relu (c * x) = c * relu x := by
  rcases le_total 0 x with h | h
  · rw [relu_of_nonneg h, relu_of_nonneg (mul_nonneg hc h)]
  · rw [relu_of_nonpos h, mul_zero, relu_of_nonpos]
    exact le_cert (mul_nonneg hc (neg_nonneg h)) (by ring)

end

/-! ## Networks -/

/-- A hidden neuron, which contributes `a relu(⟨w, z⟩ + c)`. -/
structure Neuron (K : Type) (d : Nat) where
  /-- The output weight. In canonical form it is the jump of the slope across the hyperplane of the neuron. -/
  a : K
  /-- The input weights. -/
  w : Vec K d
  /-- The bias. -/
  c : K

/-- A network with one hidden layer and an affine part. -/
structure Network (K : Type) (d : Nat) where
  /-- The hidden neurons. -/
  hidden : List (Neuron K d)
  /-- The linear part `ℓ`. -/
  linear : Vec K d
  /-- The constant `e`. -/
  constant : K

variable {K : Type} [OrderedField K] {d : Nat}

namespace Neuron

/-- The input `⟨w, z⟩ + c` of the rectifier. -/
def input (n : Neuron K d) (z : Vec K d) : K := dot n.w z + n.c

omit [OrderedField K] in
/-- The pair `(w, c)`, which describes the hyperplane of the neuron. -/
def plane (n : Neuron K d) : Vec K d × K := (n.w, n.c)

/-- The leading coefficient of `w`, its first nonzero entry, is one. -/
def Normalised (n : Neuron K d) : Prop := ∃ i, n.w i = 1 ∧ ∀ j, j < i → n.w j = 0

/-- A normalised neuron has nonzero input weights. -/
theorem Normalised.ne_zero {n : Neuron K d} (h : n.Normalised) : n.w ≠ 0 := by
  obtain ⟨i, hi, -⟩ := h
  intro e
  rw [e] at hi
  exact zero_ne_one hi

/-- Normalised neurons with proportional input weights have equal ones, and the factors agree. -/
theorem Normalised.eq_of_proportional {m n : Neuron K d} (hm : m.Normalised) (hn : n.Normalised) {b c : K} (hb : b ≠ 0)
    (hc : c ≠ 0) (h : ∀ i, b * m.w i = c * n.w i) : b = c ∧ m.w = n.w := by
  obtain ⟨i, hi, hi'⟩ := hm
  obtain ⟨j, hj, hj'⟩ := hn
  have hij : i = j := by
    rcases Nat.lt_trichotomy i.val j.val with hlt | e | hlt
    · have := h i
      rw [hi, hj' i hlt, mul_one, mul_zero] at this
      exact absurd this hb
    · exact Fin.ext e
    · have := h j
      rw [hj, hi' j hlt, mul_one, mul_zero] at this
      exact absurd this.symm hc
  subst hij
  have e := h i
  rw [hi, hj, mul_one, mul_one] at e
  exact ⟨e, funext fun k => mul_left_cancel hb ((h k).trans (by rw [e]))⟩

end Neuron

namespace Network

/-- The value of the network at `z`. -/
noncomputable def eval (N : Network K d) (z : Vec K d) : K :=
  listSum N.hidden (fun n => n.a * relu (n.input z)) + dot N.linear z + N.constant

omit [OrderedField K] in
/-- The same parameters, up to the order of the neurons. -/
def SameUpToOrder (N N' : Network K d) : Prop :=
  N.hidden.Perm N'.hidden ∧ N.linear = N'.linear ∧ N.constant = N'.constant

/-- **The order of the neurons does not matter.** -/
theorem SameUpToOrder.eval_eq {N N' : Network K d} (h : N.SameUpToOrder N') (z : Vec K d) : N.eval z = N'.eval z := by
  obtain ⟨hp, hl, hc⟩ := h
  rw [eval, eval, listSum_perm hp, hl, hc]

/-- **Canonical form**: the leading coefficients are one, the hyperplanes are distinct, and no output weight
vanishes. -/
structure Canonical (N : Network K d) : Prop where
  /-- The leading coefficients are one. -/
  normalised : ∀ n ∈ N.hidden, n.Normalised
  /-- The hyperplanes are distinct. -/
  distinct : N.hidden.Pairwise fun m n => m.plane ≠ n.plane
  /-- No output weight vanishes. -/
  jump_ne : ∀ n ∈ N.hidden, n.a ≠ 0

/-- The network without neurons that computes a constant. -/
def const (e : K) : Network K d := ⟨[], 0, e⟩

/-- The value of a constant network. -/
theorem eval_const (e : K) (z : Vec K d) : (const e).eval z = e := by
  rw [eval, const, zero_dot, listSum_nil, add_zero, zero_add]

/-- A constant network is in canonical form. -/
theorem canonical_const (e : K) : (const e : Network K d).Canonical :=
  ⟨fun _ h => (nomatch h), .nil, fun _ h => (nomatch h)⟩

/-- The network of the difference of two networks. -/
def diff (N N' : Network K d) : Network K d :=
  ⟨N.hidden ++ N'.hidden.map fun n => ⟨-n.a, n.w, n.c⟩, N.linear - N'.linear, N.constant - N'.constant⟩

/-- The value of a difference. -/
theorem eval_diff (N N' : Network K d) (z : Vec K d) : (N.diff N').eval z = N.eval z - N'.eval z := by
  have h : listSum (N'.hidden.map fun n => (⟨-n.a, n.w, n.c⟩ : Neuron K d)) (fun n => n.a * relu (n.input z)) =
      -1 * listSum N'.hidden fun n => n.a * relu (n.input z) := by
    rw [listSum_map, ← listSum_mul]
    exact listSum_congr fun n _ => by
      show -n.a * relu (n.input z) = _
      ring
  rw [eval, eval, eval, diff, listSum_append, h, sub_dot]
  ring

/-- The network applied to a linear image `V z`: the input weights and the linear part become `Vᵀ w` and `Vᵀ ℓ`. -/
def after {m : Nat} (N : Network K m) (V : RectMat K m d) : Network K d :=
  ⟨N.hidden.map fun n => ⟨n.a, Matrix.row V n.w, n.c⟩, Matrix.row V N.linear, N.constant⟩

/-- The value of a network applied to a linear image. -/
theorem eval_after {m : Nat} (N : Network K m) (V : RectMat K m d) (z : Vec K d) :
    (N.after V).eval z = N.eval (Matrix.col V z) := by
  have h : ∀ w : Vec K m, dot (Matrix.row V w) z = dot w (Matrix.col V z) := fun w => (Matrix.form_row V w z).symm
  rw [eval, eval, after, listSum_map, h]
  congr 2
  exact listSum_congr fun n _ => by
    show n.a * relu (dot (Matrix.row V n.w) z + n.c) = _
    rw [h, Neuron.input]

end Network

/-! ## The one-layer Transformer -/
namespace Semantics
variable {R : Type} [CommRing R] (S : Semantics R K)

/-- The output of the one-layer Transformer: the network `N` on top of the attention output. -/
noncomputable def transformer (W : Mat R d) (N : Network K d) (xs : List (Vec R d)) (q : Vec R d) : K :=
  N.eval (S.attention W xs q)

/-- A network without neurons makes the Transformer a head with a constant added. -/
theorem transformer_of_hidden_nil (W : Mat R d) (v : Vec K d) (e : K) (xs : List (Vec R d)) (q : Vec R d) :
    S.transformer W ⟨[], v, e⟩ xs q = S.eval W v xs q + e := by
  rw [transformer, Network.eval, listSum_nil, zero_add, eval_eq_dot]

end Semantics

end AttentionQueries
