import AttentionQueries.Base2.Rational
import AttentionQueries.Transformer.CanonicalForm

/-! # The points at which a readout can be observed, and their density

A readout `g` of the attention output is observed at the points `x / n`, for tokens `x` and `n ≥ 1`, whatever the score
matrix: on a sequence with the query token zero all scores vanish, and the attention output is the plain mean of the
tokens. To see every kink of a network the points have to be dense, in `K` or in a subfield that contains its
hyperplanes.

## Main definitions

* `Semantics.point x n`: the point `x / (n + 1)`.
* `Semantics.TokensDense T`: the quotients of scalars by numbers of copies are dense in the subfield `T` of `K`.
* `Archimedean K`: every element is below a natural number.
* `Network.hat i a c b`: the network of a hat function.

## Main statements

* `Semantics.attention_point`: every point `x / n` is an attention output, whatever the score matrix.
* `Semantics.attention_zero`: for the score matrix zero there are no other attention outputs.
* `Semantics.tokensDense_of_archimedean`: over an archimedean field, such as the rational or the real numbers, the
  points are dense in `K`, for every ring of scalars.
* `Semantics.tokensDense_of_field`: scalars that form a field are dense in themselves.
* `Semantics.network_unique_off`, `Semantics.network_unique`: a network in canonical form is determined by its values at
  the points.
* `Semantics.network_unique_iff`: for `d ≥ 1`, this holds for all networks iff the points are dense in `K`.
* `Semantics.length_one_insufficient`: for integer tokens the outputs on sequences of length one are not enough. -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-! ## Points -/
namespace Semantics

/-- The number `r / (n + 1)` for a scalar `r`. -/
def fraction (r : R) (n : Nat) : K := S.cast r / natCast (n + 1)

/-- The point `x / (n + 1)` for a token `x`. -/
def point (x : Vec R d) (n : Nat) : Vec K d := fun i => S.fraction (x i) n

/-- The point for `n = 0` is the token itself. -/
theorem point_zero (x : Vec R d) : S.point x 0 = S.castV x := funext fun i => by
  show S.cast (x i) / natCast 1 = S.cast (x i)
  rw [div_eq_iff (by rw [natCast_one]; exact zero_ne_one.symm), natCast_one, mul_one]

/-- **Every point is an attention output**, of a sequence with the query token zero, which does not depend on the score
matrix: all scores vanish there, and the attention output is the plain mean. -/
theorem attention_point (x : Vec R d) (n : Nat) :
    ∃ xs : List (Vec R d), ∀ W : Mat R d, S.attention W xs 0 = S.point x n := by
  have h : ∀ (x : Vec R d) (n : Nat) (W : Mat R d), S.attention W (copies 1 n x 0) 0 = S.point x (n + 1) :=
    fun x n W => funext fun i => by
      have h0 : mulVec W 0 = 0 := funext fun i => finSum_zero fun j => mul_zero _
      have h1 : score W x 0 = 0 := finSum_zero fun i => by rw [h0]; exact mul_zero _
      rw [attention_copies, h1, exp_zero, natCast_one, mul_one, line]
      show S.cast 0 + 1 / (1 + natCast (n + 1)) * S.cast (x i) = S.cast (x i) / natCast (n + 1 + 1)
      rw [cast_zero, zero_add, natCast_succ (n + 1), add_comm 1, div_def, div_def]
      ring
  cases n with
  | succ n => exact ⟨_, h x n⟩
  | zero =>
    refine ⟨_, fun W => (h (x + x) 0 W).trans (funext fun i => ?_)⟩
    have two : (natCast (0 + 1 + 1) : K) = 1 + 1 := by rw [natCast_succ, natCast_one]
    rw [point_zero, point, fraction, vadd_app, S.cast_add, two, div_eq_iff (pos_ne (add_pos one_pos one_pos)), castV]
    ring

/-- The points `z + t u` are points, for `t` a quotient of a scalar by a number of copies. -/
theorem line_fraction (z u : Vec R d) (r : R) (n : Nat) :
    S.line z u (S.fraction r n) = S.point (fun i => natCast (n + 1) * z i + r * u i) n := funext fun i => by
  have h := mul_inv (natCast (n + 1) : K) (pos_ne (natCast_pos n))
  rw [line, fraction, point, fraction, S.cast_add, S.cast_mul, S.cast_mul, cast_natCast, div_def, div_def]
  generalize (natCast (n + 1) : K)⁻¹ = a at *
  lin_comb (-S.cast (z i)) h

/-- The quotients of scalars by numbers of copies. -/
def IsFraction (t : K) : Prop := ∃ r n, t = S.fraction r n

/-- **The points are dense** in the subfield `T` of `K`: the quotients of scalars by numbers of copies belong to `T`,
and there is one between any two elements of `T`. -/
def TokensDense (T : K → Prop) : Prop := DenseIn S.IsFraction T

end Semantics

/-! ## Where the points are dense -/

/-- Every element of the ordered field `K` is below a natural number. -/
def Archimedean (K : Type) [OrderedField K] : Prop := ∀ x : K, ∃ n : Nat, x < natCast n

/-- The least natural number above a nonnegative element. -/
private theorem exists_ceil (hK : Archimedean K) {x : K} (hx : 0 ≤ x) :
    ∃ k : Nat, natCast k ≤ x ∧ x < natCast (k + 1) := by
  obtain ⟨n, hn⟩ := hK x
  induction n with
  | zero => exact absurd hn hx
  | succ n ih =>
    by_cases h : x < natCast n
    · exact ih h
    · exact ⟨n, h, hn⟩

/-- Between two different nonnegative elements of an archimedean field there is a quotient of two positive natural
numbers. -/
theorem Archimedean.exists_ratio (hK : Archimedean K) {x y : K} (hx : 0 ≤ x) (hxy : x < y) :
    ∃ k m : Nat, x * natCast (m + 1) < natCast (k + 1) ∧ natCast (k + 1) < y * natCast (m + 1) := by
  have hd := sub_pos.mpr hxy
  obtain ⟨m, hm⟩ := hK (1 / (y - x))
  have h1 : 1 < (y - x) * natCast (m + 1) := by
    have e := div_mul_cancel 1 (pos_ne hd)
    have h2 := mul_pos _ _ (sub_pos.mpr hm) hd
    rw [natCast_succ]
    exact lt_cert (add_pos h2 hd) (by lin_comb (1) e)
  obtain ⟨k, hk, hk'⟩ := exists_ceil hK (mul_nonneg hx (le_of_lt (natCast_pos m)))
  refine ⟨k, m, hk', ?_⟩
  rw [natCast_succ k]
  refine lt_of_le_of_lt (add_le_add hk (le_refl 1)) ?_
  exact lt_cert (sub_pos.mpr h1) (by ring)

namespace Semantics

private theorem lt_fraction {a c : K} {n : Nat} (h : a * natCast (n + 1) < c) : a < c / natCast (n + 1) :=
  lt_of_not_le fun h' => (div_le_iff (natCast_pos n)).mp h' h

private theorem fraction_lt {a c : K} {n : Nat} (h : c < a * natCast (n + 1)) : c / natCast (n + 1) < a :=
  lt_of_not_le fun h' => (le_div_iff (natCast_pos n)).mp h' h

/-- **Over an archimedean field the points are dense**, for every ring of scalars: already the points on the multiples
of one are. -/
theorem tokensDense_of_archimedean (hK : Archimedean K) : S.TokensDense fun _ => True where
  one := trivial
  add _ _ _ _ := trivial
  neg _ _ := trivial
  mul _ _ _ _ := trivial
  inv _ _ _ := trivial
  mem _ _ := trivial
  dense a b _ _ hab := by
    by_cases ha : 0 ≤ a
    · obtain ⟨k, m, h1, h2⟩ := hK.exists_ratio ha hab
      refine ⟨_, ⟨natCast (k + 1), m, rfl⟩, ?_⟩
      rw [fraction, cast_natCast]
      exact ⟨lt_fraction h1, fraction_lt h2⟩
    · by_cases hb : 0 < b
      · refine ⟨_, ⟨0, 0, rfl⟩, ?_⟩
        rw [fraction, cast_zero, zero_div]
        exact ⟨lt_of_not_le ha, hb⟩
      · obtain ⟨k, m, h1, h2⟩ := hK.exists_ratio (x := -b) (y := -a) (neg_nonneg hb)
          (lt_cert (sub_pos.mpr hab) (by ring))
        refine ⟨_, ⟨-natCast (k + 1), m, rfl⟩, ?_⟩
        rw [fraction, cast_neg, cast_natCast]
        exact ⟨lt_fraction (lt_cert (sub_pos.mpr h2) (by ring)), fraction_lt (lt_cert (sub_pos.mpr h1) (by ring))⟩

/-- **Scalars that form a field** are dense in themselves. -/
theorem tokensDense_of_field (hR : ∀ a : R, a ≠ 0 → ∃ b, a * b = 1) : S.TokensDense fun a => ∃ r, S.cast r = a := by
  have hinv : ∀ a : K, (∃ r, S.cast r = a) → a ≠ 0 → ∃ r, S.cast r = a⁻¹ := by
    rintro _ ⟨r, rfl⟩ h
    obtain ⟨s, hs⟩ := hR r fun e => h (by rw [e, cast_zero])
    refine ⟨s, mul_left_cancel h ?_⟩
    rw [← S.cast_mul, hs, S.cast_one, mul_inv _ h]
  refine ⟨⟨1, S.cast_one⟩, ?_, ?_, ?_, hinv, ?_, ?_⟩
  · rintro _ _ ⟨r, rfl⟩ ⟨s, rfl⟩
    exact ⟨r + s, S.cast_add r s⟩
  · rintro _ ⟨r, rfl⟩
    exact ⟨-r, S.cast_neg r⟩
  · rintro _ _ ⟨r, rfl⟩ ⟨s, rfl⟩
    exact ⟨r * s, S.cast_mul r s⟩
  · rintro _ ⟨r, n, rfl⟩
    obtain ⟨s, hs⟩ := hinv (natCast (n + 1)) ⟨natCast (n + 1), S.cast_natCast _⟩ (pos_ne (natCast_pos n))
    exact ⟨r * s, by rw [S.cast_mul, hs, fraction, div_def]⟩
  · rintro _ _ ⟨r, rfl⟩ ⟨s, rfl⟩ h
    refine ⟨_, ⟨r + s, 1, rfl⟩, ?_⟩
    have e : (natCast (1 + 1) : K) = 1 + 1 := by rw [natCast_add, natCast_one]
    rw [fraction, S.cast_add]
    exact ⟨lt_fraction (by rw [e]; exact lt_cert (sub_pos.mpr h) (by ring)),
      fraction_lt (by rw [e]; exact lt_cert (sub_pos.mpr h) (by ring))⟩

/-! ## The score matrix zero -/

private theorem cast_listSum {α : Type} (l : List α) (f : α → R) :
    S.cast (listSum l f) = listSum l fun a => S.cast (f a) := by
  induction l with
  | nil => exact S.cast_zero
  | cons a l ih => rw [listSum_cons, S.cast_add, ih, listSum_cons]

/-- **For the score matrix zero** every attention output is a point. -/
theorem attention_zero (xs : List (Vec R d)) (q : Vec R d) : ∃ x n, S.attention 0 xs q = S.point x n := by
  have h0 : ∀ x : Vec R d, S.exp (score 0 x q) = 1 := fun x => by
    rw [show score 0 x q = 0 from finSum_zero fun i => by
      rw [show mulVec 0 q i = 0 from finSum_zero fun j => zero_mul _, mul_zero], exp_zero]
  have hlen : listSum (xs ++ [q]) (fun _ => (1 : K)) = natCast (xs.length + 1) := by
    induction xs with
    | nil => rw [List.nil_append, listSum_cons, listSum_nil, add_zero]; exact natCast_one.symm
    | cons x xs ih =>
      rw [List.cons_append, listSum_cons, ih, List.length_cons, natCast_succ (xs.length + 1), add_comm]
  refine ⟨fun i => listSum (xs ++ [q]) fun x => x i, xs.length, funext fun i => ?_⟩
  simp only [attention, h0, one_mul]
  rw [hlen, point, fraction, cast_listSum]

/-! ## Networks observed at points -/

/-- **A network in canonical form is determined by its values at the points** off finitely many hyperplanes. -/
theorem network_unique_off {T : K → Prop} (hT : S.TokensDense T) {N N' : Network K d} (hN : N.Canonical)
    (hN' : N'.Canonical) (hNT : N.Over T) (hNT' : N'.Over T) {M : List (Vec K d × K)}
    (hM : ∀ m ∈ M, m.1 ≠ 0 ∧ (∀ i, T (m.1 i)) ∧ T m.2)
    (h : ∀ x n, (∀ m ∈ M, dot m.1 (S.point x n) + m.2 ≠ 0) → N.eval (S.point x n) = N'.eval (S.point x n)) :
    N.SameUpToOrder N' := by
  refine Network.unique_off hT hN hN' hNT hNT' hM ?_
  rintro x y _ ⟨r, n, rfl⟩
  have e : (fun i => natVec x i + S.fraction r n * natVec y i) =
      S.line (fun i => natCast (x i)) (fun i => natCast (y i)) (S.fraction r n) := funext fun i => by
    rw [line, cast_natCast, cast_natCast, natVec, natVec]
  rw [e, line_fraction]
  exact h _ n

/-- **A network in canonical form is determined by its values at the points** `x / n`, up to the order of its neurons;
and conversely the order does not matter. -/
theorem network_unique {T : K → Prop} (hT : S.TokensDense T) {N N' : Network K d} (hN : N.Canonical)
    (hN' : N'.Canonical) (hNT : N.Over T) (hNT' : N'.Over T) :
    (∀ x n, N.eval (S.point x n) = N'.eval (S.point x n)) ↔ N.SameUpToOrder N' :=
  ⟨fun h => S.network_unique_off hT hN hN' hNT hNT' (M := []) (fun _ hm => nomatch hm) fun _ _ _ => h _ _,
    fun h _ _ => h.eval_eq _⟩

end Semantics

/-! ## The hypotheses are needed -/

namespace Network

/-- The hat function of the `i`-th coordinate on the interval from `a` to `b`, with `c` as its top: a network with the
kinks `a`, `c` and `b`. -/
def hat (i : Fin d) (a c b : K) : Network K d :=
  ⟨[⟨1, basis i, -a⟩, ⟨-(1 + 1), basis i, -c⟩, ⟨1, basis i, -b⟩], 0, 0⟩

private theorem input_basis (i : Fin d) (a c : K) (z : Vec K d) : (⟨a, basis i, c⟩ : Neuron K d).input z = z i + c := by
  show finSum (fun j => basis i j * z j) + c = z i + c
  rw [finSum_single i, basis_self, one_mul]
  intro j hj
  rw [basis_ne hj, zero_mul]

/-- The hat function vanishes outside its interval. -/
theorem eval_hat {i : Fin d} {a b c : K} (hab : a < b) (hc : c + c = a + b) {z : Vec K d} (hz : z i ≤ a ∨ b ≤ z i) :
    (hat i a c b).eval z = 0 := by
  have h := le_of_lt (sub_pos.mpr hab)
  have two : (0 : K) < 1 + 1 := add_pos one_pos one_pos
  have key : ∀ x : K, 0 ≤ (1 + 1) * x → 0 ≤ x := fun x hx =>
    le_of_mul_le_mul_right two (le_cert hx (by ring))
  rw [eval, hat]
  simp only [listSum_cons, listSum_nil, input_basis]
  rw [zero_dot]
  rcases hz with hz | hz
  · have hz := sub_nonneg.mpr hz
    rw [relu_of_nonpos (x := z i + -a), relu_of_nonpos (x := z i + -c), relu_of_nonpos (x := z i + -b)]
    · ring
    · exact le_cert (add_nonneg hz h) (by ring)
    · refine le_cert (key (c - z i) (le_cert (add_nonneg (add_nonneg hz hz) h) ?_)) (by ring)
      lin_comb (1) hc
    · exact le_cert hz (by ring)
  · have hz := sub_nonneg.mpr hz
    rw [relu_of_nonneg (x := z i + -a), relu_of_nonneg (x := z i + -c), relu_of_nonneg (x := z i + -b)]
    · lin_comb (1) hc
    · exact le_cert hz (by ring)
    · refine le_cert (key (z i - c) (le_cert (add_nonneg (add_nonneg hz hz) h) ?_)) (by ring)
      lin_comb (-1) hc
    · exact le_cert (add_nonneg hz h) (by ring)

/-- The network of a hat function of the first coordinate is in canonical form. -/
theorem canonical_hat (hd : 0 < d) {a b c : K} (hac : a < c) (hcb : c < b) : (hat ⟨0, hd⟩ a c b).Canonical := by
  have hmem : ∀ {P : Neuron K d → Prop}, P ⟨1, basis ⟨0, hd⟩, -a⟩ → P ⟨-(1 + 1), basis ⟨0, hd⟩, -c⟩ →
      P ⟨1, basis ⟨0, hd⟩, -b⟩ → ∀ n ∈ (hat ⟨0, hd⟩ a c b).hidden, P n := fun h1 h2 h3 n hn => by
    rcases List.mem_cons.mp hn with rfl | hn
    · exact h1
    rcases List.mem_cons.mp hn with rfl | hn
    · exact h2
    rcases List.mem_cons.mp hn with rfl | hn
    · exact h3
    · exact nomatch hn
  have hnorm : ∀ a c : K, (⟨a, basis ⟨0, hd⟩, c⟩ : Neuron K d).Normalised := fun a c =>
    ⟨⟨0, hd⟩, basis_self (⟨0, hd⟩ : Fin d), fun j hj => absurd hj (Nat.not_lt_zero _)⟩
  have hne : ∀ {x y : K}, x < y → -x ≠ -y := fun h e => pos_ne (sub_pos.mpr h) (by lin_comb (1) e)
  have two : (1 + 1 : K) ≠ 0 := pos_ne (add_pos one_pos one_pos)
  refine ⟨hmem (hnorm _ _) (hnorm _ _) (hnorm _ _), ?_, hmem zero_ne_one.symm
    (fun e => two (by replace e : -(1 + 1 : K) = 0 := e; lin_comb (-1) e)) zero_ne_one.symm⟩
  refine .cons (fun n hn e => ?_) (.cons (fun n hn e => ?_) (.cons (fun n hn => nomatch hn) .nil))
  · rcases List.mem_cons.mp hn with rfl | hn
    · exact hne hac (congrArg Prod.snd e)
    · rcases List.mem_cons.mp hn with rfl | hn
      · exact hne (lt_trans _ _ _ hac hcb) (congrArg Prod.snd e)
      · exact nomatch hn
  · rcases List.mem_cons.mp hn with rfl | hn
    · exact hne hcb (congrArg Prod.snd e)
    · exact nomatch hn

/-- The network of a hat function is not that of a constant. -/
theorem hat_ne_const (i : Fin d) (a c b e : K) : ¬ (hat i a c b).SameUpToOrder (const e) := fun h =>
  nomatch h.1.length_eq

end Network

namespace Semantics

/-- **Density is needed, exactly.** For `d ≥ 1`, the values at the points `x / n` determine every network in canonical
form, up to the order of its neurons, iff the points are dense in `K`. -/
theorem network_unique_iff (hd : 0 < d) :
    (∀ N N' : Network K d, N.Canonical → N'.Canonical → (∀ x n, N.eval (S.point x n) = N'.eval (S.point x n)) →
      N.SameUpToOrder N') ↔ S.TokensDense fun _ => True := by
  refine ⟨fun h => ⟨trivial, fun _ _ _ _ => trivial, fun _ _ => trivial, fun _ _ _ _ => trivial, fun _ _ _ => trivial,
    fun _ _ => trivial, fun a b _ _ hab => Classical.byContradiction fun hn => ?_⟩,
    fun hT N N' hN hN' hv => (S.network_unique hT hN hN' N.over_true N'.over_true).mp hv⟩
  have two : (0 : K) < 1 + 1 := add_pos one_pos one_pos
  have hc := div_mul_cancel (a + b) (pos_ne two)
  generalize (a + b) / (1 + 1) = c at hc
  have hac : a < c := lt_of_not_le fun h' => by
    have h1 := add_le_add h' h'
    exact h1 (lt_cert (sub_pos.mpr hab) (by lin_comb (1) hc))
  have hcb : c < b := lt_of_not_le fun h' => by
    have h1 := add_le_add h' h'
    exact h1 (lt_cert (sub_pos.mpr hab) (by lin_comb (-1) hc))
  refine Network.hat_ne_const ⟨0, hd⟩ a c b 0
    (h _ _ (Network.canonical_hat hd hac hcb) (Network.canonical_const 0) fun x n => ?_)
  rw [Network.eval_const, Network.eval_hat hab (by lin_comb (1) hc)]
  by_cases h1 : a < S.point x n ⟨0, hd⟩
  · exact .inr fun h2 => hn ⟨_, ⟨x ⟨0, hd⟩, n, rfl⟩, h1, h2⟩
  · exact .inl h1

/-- **`d ≥ 1` is needed**: for `d = 0` the values determine every network in canonical form, without density. -/
theorem network_unique_of_dim_zero {N N' : Network K 0} (hN : N.Canonical) (hN' : N'.Canonical)
    (h : ∀ x n, N.eval (S.point x n) = N'.eval (S.point x n)) : N.SameUpToOrder N' := by
  refine (Network.canonical_unique hN hN').mp fun z => ?_
  rw [show z = S.point (fun i => i.elim0) 0 from funext fun i => i.elim0]
  exact h _ 0

end Semantics

/-- **Sequences of length one are not enough** for integer tokens: a hat function between two neighbouring integers
vanishes at all of them, like the network without neurons. -/
theorem Semantics.length_one_insufficient (S : Semantics Int K) : ∃ N N' : Network K 1, N.Canonical ∧ N'.Canonical ∧
    (∀ (W W' : Mat Int 1) (q : Vec Int 1), S.transformer W N [] q = S.transformer W' N' [] q) ∧
      ¬ N.SameUpToOrder N' := by
  have two : (0 : K) < 1 + 1 := add_pos one_pos one_pos
  have hc := div_mul_cancel 1 (pos_ne two)
  generalize (1 : K) / (1 + 1) = c at hc
  have h0c : 0 < c := lt_of_not_le fun h' => add_le_add h' h' (lt_cert one_pos (by lin_comb (1) hc))
  have hc1 : c < 1 := lt_of_not_le fun h' => add_le_add h' h' (lt_cert one_pos (by lin_comb (-1) hc))
  have hnat : ∀ k : Nat, S.cast (k : Int) = natCast k := fun k => by
    induction k with
    | zero => exact S.cast_zero
    | succ k ih => rw [Int.natCast_succ, S.cast_add, ih, S.cast_one, natCast_succ]
  refine ⟨Network.hat 0 0 c 1, Network.const 0, Network.canonical_hat Nat.one_pos h0c hc1, Network.canonical_const 0,
    fun W W' q => ?_, Network.hat_ne_const 0 0 c 1 0⟩
  rw [transformer, transformer, attention_nil, attention_nil, Network.eval_const,
    Network.eval_hat one_pos (by lin_comb (1) hc)]
  show S.cast (q 0) ≤ 0 ∨ 1 ≤ S.cast (q 0)
  by_cases h : 0 < q 0
  · obtain ⟨k, hk⟩ := Int.eq_ofNat_of_zero_le (Int.sub_nonneg_of_le (Int.add_one_le_iff.mpr h))
    refine .inr ?_
    rw [Int.zero_add] at hk
    rw [show q 0 = (k : Int) + 1 by rw [← hk, Int.sub_add_cancel], S.cast_add, hnat, S.cast_one]
    refine le_cert (c := natCast k) ?_ (by ring)
    cases k with
    | zero => exact le_refl 0
    | succ k => exact le_of_lt (natCast_pos k)
  · obtain ⟨k, hk⟩ := Int.eq_ofNat_of_zero_le (Int.neg_nonneg_of_nonpos (Int.not_lt.mp h))
    refine .inl ?_
    rw [show q 0 = -(k : Int) by rw [← hk, Int.neg_neg], S.cast_neg, hnat]
    refine le_cert (c := natCast k) ?_ (by ring)
    cases k with
    | zero => exact le_refl 0
    | succ k => exact le_of_lt (natCast_pos k)

end AttentionQueries
