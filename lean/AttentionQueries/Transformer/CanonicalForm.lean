import AttentionQueries.Transformer.Uniqueness

/-! # Every network has a canonical form

A neuron is brought to leading coefficient one by moving a positive factor into its output weight and, for a negative
leading coefficient, a linear function into the affine part. Neurons with the same hyperplane are merged, neurons with
output weight zero dropped.

## Main statements

* `Network.exists_canonical`: every network has a canonical form with the same function.
* `Network.exists_canonical_over`: the same over a subfield.
* `Network.Canonical.constant_iff`: when it is constant.
* `Network.length_canonical_le`: it has the least number of neurons. -/

namespace AttentionQueries
open CommRing OrderedField

variable {K : Type} [OrderedField K] {d : Nat}

/-- The first nonzero entry of a vector. -/
private theorem exists_leading : ∀ {d : Nat} {w : Vec K d}, w ≠ 0 → ∃ i, w i ≠ 0 ∧ ∀ j, j < i → w j = 0
  | 0, w, h => absurd (funext fun i => i.elim0) h
  | d + 1, w, h => by
    by_cases h0 : w 0 = 0
    · obtain ⟨i, hi, hi'⟩ := exists_leading (w := fun i => w i.succ) fun e => h (funext fun i => by
        induction i using Fin.cases with
        | zero => exact h0
        | succ i => exact congrFun e i)
      refine ⟨i.succ, hi, fun j hj => ?_⟩
      induction j using Fin.cases with
      | zero => exact h0
      | succ j => exact hi' j (Fin.succ_lt_succ_iff.mp hj)
    · exact ⟨0, h0, fun j hj => absurd hj (Nat.not_lt_zero _)⟩

namespace Network

/-- Adding a normalised neuron to a network in canonical form. -/
private theorem exists_add_normalised {T : K → Prop} {N : Network K d} (hN : N.Canonical) (hNT : N.Over T)
    {n : Neuron K d} (hn : n.Normalised) (hnT : (∀ i, T (n.w i)) ∧ T n.c) :
    ∃ N' : Network K d, N'.Canonical ∧ N'.Over T ∧
      N'.hidden.length ≤ N.hidden.length + 1 ∧ ∀ z, N'.eval z = N.eval z + n.a * relu (n.input z) := by
  by_cases ha : n.a = 0
  · exact ⟨N, hN, hNT, Nat.le_succ _, fun z => by rw [ha, zero_mul, add_zero]⟩
  by_cases hex : ∃ m ∈ N.hidden, m.plane = n.plane
  · obtain ⟨m, hm, hmn⟩ := hex
    obtain ⟨L, hL⟩ := perm_of_mem hm
    have hdist := List.pairwise_cons.mp ((hL.pairwise_iff fun h e => h e.symm).mp hN.distinct)
    have hsub : ∀ k ∈ L, k ∈ N.hidden := fun k hk => hL.mem_iff.mpr (List.mem_cons_of_mem _ hk)
    have hlen : N.hidden.length = L.length + 1 := hL.length_eq
    have hw : m.w = n.w := congrArg Prod.fst hmn
    have hc : m.c = n.c := congrArg Prod.snd hmn
    have heval : ∀ z, N.eval z = m.a * relu (n.input z) + listSum L (fun k => k.a * relu (k.input z)) +
        dot N.linear z + N.constant := fun z => by
      rw [eval, listSum_perm hL, listSum_cons, show m.input z = n.input z by rw [Neuron.input, hw, hc, Neuron.input]]
    by_cases h0 : m.a + n.a = 0
    · refine ⟨⟨L, N.linear, N.constant⟩, ⟨fun k hk => hN.normalised k (hsub k hk), hdist.2,
        fun k hk => hN.jump_ne k (hsub k hk)⟩, fun k hk => hNT k (hsub k hk), ?_, fun z => ?_⟩
      · rw [hlen]
        exact Nat.le_add_right L.length 2
      · rw [heval, eval]
        lin_comb (-relu (n.input z)) h0
    · refine ⟨⟨⟨m.a + n.a, n.w, n.c⟩ :: L, N.linear, N.constant⟩, ⟨fun k hk => ?_, ?_, fun k hk => ?_⟩,
        fun k hk => ?_, ?_, fun z => ?_⟩
      · rcases List.mem_cons.mp hk with rfl | hk
        · exact hn
        · exact hN.normalised k (hsub k hk)
      · refine List.pairwise_cons.mpr ⟨fun k hk => ?_, hdist.2⟩
        have := hdist.1 k hk
        rw [hmn] at this
        exact this
      · rcases List.mem_cons.mp hk with rfl | hk
        · exact h0
        · exact hN.jump_ne k (hsub k hk)
      · rcases List.mem_cons.mp hk with rfl | hk
        · exact hnT
        · exact hNT k (hsub k hk)
      · rw [hlen]
        exact Nat.le_succ _
      · rw [heval, eval, listSum_cons]
        show (m.a + n.a) * relu (n.input z) + _ + _ + _ = _
        ring
  · refine ⟨⟨n :: N.hidden, N.linear, N.constant⟩, ⟨fun k hk => ?_,
      List.pairwise_cons.mpr ⟨fun k hk e => hex ⟨k, hk, e.symm⟩, hN.distinct⟩, fun k hk => ?_⟩, fun k hk => ?_,
      Nat.le_refl _, fun z => ?_⟩
    · rcases List.mem_cons.mp hk with rfl | hk
      · exact hn
      · exact hN.normalised k hk
    · rcases List.mem_cons.mp hk with rfl | hk
      · exact ha
      · exact hN.jump_ne k hk
    · rcases List.mem_cons.mp hk with rfl | hk
      · exact hnT
      · exact hNT k hk
    · rw [eval, eval, listSum_cons]
      ring

/-- Adding an affine function to a network in canonical form. -/
private theorem canonical_add_affine {T : K → Prop} {N : Network K d} (hN : N.Canonical) (hNT : N.Over T) (v : Vec K d)
    (e : K) : ∃ N' : Network K d, N'.Canonical ∧ N'.Over T ∧ N'.hidden.length = N.hidden.length ∧
      ∀ z, N'.eval z = N.eval z + (dot v z + e) :=
  ⟨⟨N.hidden, N.linear + v, N.constant + e⟩, ⟨hN.normalised, hN.distinct, hN.jump_ne⟩, hNT, rfl, fun z => by
    rw [eval, eval, add_dot]
    ring⟩

/-- Adding any neuron to a network in canonical form. -/
private theorem exists_add {T : K → Prop} (hT : ∀ a b, T a → T b → b ≠ 0 → T (a / b)) {N : Network K d}
    (hN : N.Canonical) (hNT : N.Over T) {n : Neuron K d} (hnT : (∀ i, T (n.w i)) ∧ T n.c) :
    ∃ N' : Network K d, N'.Canonical ∧ N'.Over T ∧ N'.hidden.length ≤ N.hidden.length + 1 ∧
      ∀ z, N'.eval z = N.eval z + n.a * relu (n.input z) := by
  by_cases hw : n.w = 0
  · -- a neuron without input weights is a constant
    obtain ⟨N', h1, h2, h3, h4⟩ := canonical_add_affine hN hNT 0 (n.a * relu n.c)
    refine ⟨N', h1, h2, h3 ▸ Nat.le_succ _, fun z => ?_⟩
    rw [h4, zero_dot, zero_add, Neuron.input, hw, zero_dot, zero_add]
  obtain ⟨i, hi, hi'⟩ := exists_leading hw
  have hinv := div_mul_cancel (n.w i) hi
  -- the neuron with leading coefficient one, and the absolute value of the old one as a factor
  let m : Neuron K d := ⟨abs (n.w i) * n.a, fun j => n.w j / n.w i, n.c / n.w i⟩
  have hm : m.Normalised := ⟨i, (div_eq_iff hi).mpr (one_mul _).symm, fun j hj => by
    show n.w j / n.w i = 0
    rw [hi' j hj, zero_div]⟩
  have hmT : (∀ j, T (m.w j)) ∧ T m.c := ⟨fun j => hT _ _ (hnT.1 j) (hnT.1 i) hi, hT _ _ hnT.2 (hnT.1 i) hi⟩
  have hinput : ∀ z, n.input z = n.w i * m.input z := fun z => by
    show dot n.w z + n.c = n.w i * (dot (fun j => n.w j / n.w i) z + n.c / n.w i)
    rw [mul_add, ← mul_dot, mul_comm (n.w i) (n.c / n.w i), div_mul_cancel _ hi]
    congr 2
    funext j
    rw [mul_comm, div_mul_cancel _ hi]
  obtain ⟨N', h1, h2, h3, h4⟩ := exists_add_normalised hN hNT hm hmT
  by_cases hpos : 0 ≤ n.w i
  · refine ⟨N', h1, h2, h3, fun z => ?_⟩
    rw [h4, hinput, relu_mul hpos]
    show _ + abs (n.w i) * n.a * relu (m.input z) = _
    rw [abs_of_nonneg hpos]
    ring
  · obtain ⟨N'', g1, g2, g3, g4⟩ := canonical_add_affine h1 h2 (fun j => n.w i * n.a * m.w j) (n.w i * n.a * m.c)
    refine ⟨N'', g1, g2, g3 ▸ h3, fun z => ?_⟩
    have hneg := neg_nonneg (le_of_lt (lt_of_not_le hpos))
    rw [g4, h4, hinput, show n.w i * m.input z = -n.w i * -m.input z by ring, relu_mul hneg, mul_dot]
    show _ + abs (n.w i) * n.a * relu (m.input z) + _ = _
    rw [abs_of_neg hpos]
    have e := relu_sub_relu_neg (m.input z)
    rw [show m.input z = dot m.w z + m.c from rfl] at e ⊢
    lin_comb (n.w i * -n.a) e

/-- **Existence of the canonical form.** Every network has a canonical form: a network in canonical form with the same
function, and with at most as many neurons. If the hyperplanes of the network have coordinates in a set closed under
quotients, such as a subfield, then so have those of the canonical form. -/
theorem exists_canonical_over {T : K → Prop} (hT : ∀ a b, T a → T b → b ≠ 0 → T (a / b)) (N : Network K d)
    (hN : N.Over T) : ∃ N' : Network K d, N'.Canonical ∧ N'.Over T ∧ N'.hidden.length ≤ N.hidden.length ∧
      ∀ z, N'.eval z = N.eval z := by
  obtain ⟨L, v, e⟩ := N
  induction L with
  | nil => exact ⟨⟨[], v, e⟩, ⟨fun _ h => (nomatch h), .nil, fun _ h => (nomatch h)⟩, hN, Nat.le_refl _, fun _ => rfl⟩
  | cons n L ih =>
    obtain ⟨N', h1, h2, h3, h4⟩ := ih fun m hm => hN m (List.mem_cons_of_mem _ hm)
    obtain ⟨N'', g1, g2, g3, g4⟩ := exists_add hT h1 h2 (hN n List.mem_cons_self)
    refine ⟨N'', g1, g2, Nat.le_trans g3 (Nat.succ_le_succ h3), fun z => ?_⟩
    rw [g4, h4, eval, eval, listSum_cons]
    ring

/-- **Existence of the canonical form**, without a subfield. -/
theorem exists_canonical (N : Network K d) : ∃ N' : Network K d, N'.Canonical ∧
    N'.hidden.length ≤ N.hidden.length ∧ ∀ z, N'.eval z = N.eval z := by
  obtain ⟨N', h1, -, h3, h4⟩ := exists_canonical_over (T := fun _ => True) (fun _ _ _ _ _ => trivial) N N.over_true
  exact ⟨N', h1, h3, h4⟩

/-- **Minimal number of neurons**: the canonical form has at most as many neurons as any network with its function. -/
theorem length_canonical_le {N N' : Network K d} (hN : N.Canonical) (h : ∀ z, N'.eval z = N.eval z) :
    N.hidden.length ≤ N'.hidden.length := by
  obtain ⟨N'', h1, h2, h3⟩ := N'.exists_canonical
  rw [((canonical_unique hN h1).mp fun z => by rw [h3, h]).1.length_eq]
  exact h2

/-- A network in canonical form is constant iff it has no neurons and no linear part. -/
theorem Canonical.constant_iff {N : Network K d} (hN : N.Canonical) :
    (∀ z, N.eval z = N.eval 0) ↔ N.hidden = [] ∧ N.linear = 0 := by
  constructor
  · intro h
    obtain ⟨hp, hl, -⟩ := (Network.canonical_unique hN (Network.canonical_const (N.eval 0))).mp fun z => by
      rw [h, Network.eval_const]
    exact ⟨List.length_eq_zero_iff.mp hp.length_eq, hl⟩
  · rintro ⟨hh, hl⟩ z
    rw [Network.eval, Network.eval, hh, hl, zero_dot, zero_dot]
    rfl

end Network

end AttentionQueries
