import AttentionQueries.MultiHead.Learner.Directions
import AttentionQueries.SingleHead.Formulas

/-! # One direction: what is asked, and the decoder of its answers

In the direction `(u, q)` one asks sequences of `k` copies of the token `q + u` and `m` copies of the query token `q`.
The answer depends on the ratio `ρ = m / k` only. For at most `H` heads the `2 H - 1` ratios `1, 2, …, H` and
`1/2, …, 1/H` are used, so that no sequence has more than `H + 1` tokens.

## Main definitions
- `ratio`, `rho`: the multiplicities and their ratio.
- `Semantics.shadow`: what several heads show in a direction: their scores and residues.
- `Semantics.IsDecoder`: the specification of a decoder, from the sum of the residues and `2 H - 1` values to scores
  and residues.

## Main statements
- `Semantics.evalHeads_ratio`: the answer is `∑ ⟨v, q⟩ + ∑ ⟨v, u⟩ / (1 + ρ exp (-s))`.
- `rho_injective`: the ratios are distinct.
- `Semantics.exists_decoder`: there is a decoder, because the values determine the poles (`poles_determined`).
- `Semantics.decoder_perm`: two decoders agree, up to order, on everything that can occur.
-/

namespace AttentionQueries
open CommRing OrderedField

/-! ## the ratios -/

/-- The multiplicities of question `i` for `H` heads, each less one: `1` copy of `q + u` and `i + 1` of `q` if `i < H`,
then `i - H + 2` copies of `q + u` and `1` of `q`. -/
def ratio (H i : Nat) : Nat × Nat := if i < H then (0, i) else (i - H + 1, 0)

/-- The ratio `m / k` of `m = p.2 + 1` copies of `q` to `k = p.1 + 1` copies of `q + u`. -/
def rho {K : Type} [OrderedField K] (p : Nat × Nat) : K := natCast (p.2 + 1) * (natCast (p.1 + 1))⁻¹

section
variable {K : Type} [OrderedField K]

private theorem inv_pos {a : K} (h : 0 < a) : 0 < a⁻¹ := by
  have h1 := mul_inv a (pos_ne h)
  rcases lt_total 0 a⁻¹ with h2 | h2 | h2
  · exact h2
  · exact absurd h2.symm (inv_ne_zero (pos_ne h))
  · have h3 := add_lt _ _ (-a⁻¹) h2
    rw [add_neg, zero_add] at h3
    have h4 := mul_pos _ _ h h3
    rw [mul_neg, h1] at h4
    have h5 := add_lt _ _ 1 h4
    rw [zero_add, neg_add] at h5
    exact absurd (lt_trans _ _ _ one_pos h5) (lt_irrefl _)

/-- The ratios are positive. -/
theorem rho_pos (p : Nat × Nat) : (0 : K) < rho p := mul_pos _ _ (natCast_pos p.2) (inv_pos (natCast_pos p.1))

private theorem natCast_mul (m n : Nat) : (natCast (m * n) : K) = natCast m * natCast n := by
  induction n with
  | zero => rw [Nat.mul_zero, natCast_zero, mul_zero]
  | succ n ih => rw [Nat.mul_succ, natCast_add, ih, natCast_succ, mul_add, mul_one]

/-- equal ratios, cross-multiplied -/
private theorem cross_of_rho {p p' : Nat × Nat} (h : (rho p : K) = rho p') :
    (p.2 + 1) * (p'.1 + 1) = (p'.2 + 1) * (p.1 + 1) := by
  apply natCast_inj (K := K)
  rw [natCast_mul, natCast_mul]
  have h1 := mul_inv _ (pos_ne (natCast_pos (K := K) p.1))
  have h2 := mul_inv _ (pos_ne (natCast_pos (K := K) p'.1))
  unfold rho at h
  generalize (natCast (p.1 + 1) : K)⁻¹ = i at *
  generalize (natCast (p'.1 + 1) : K)⁻¹ = j at *
  lin_comb (natCast (p.1 + 1) * natCast (p'.1 + 1)) h + (-(natCast (p.2 + 1) * natCast (p'.1 + 1))) h1 +
    (natCast (p'.2 + 1) * natCast (p.1 + 1)) h2

private theorem mul_ne_one (a b : Nat) : (a + 1) * (b + 1 + 1) ≠ 1 := by
  intro e
  rw [Nat.mul_succ, Nat.mul_succ] at e
  have e : (a + 1) * b + (a + 1) + a = 0 := Nat.succ.inj e
  have h : a + 1 ≤ (a + 1) * b + (a + 1) + a := Nat.le_trans (Nat.le_add_left _ _) (Nat.le_add_right _ _)
  rw [e] at h
  exact Nat.not_succ_le_zero a h

/-- Different questions have different ratios. -/
theorem rho_injective {H i j : Nat} (h : (rho (ratio H i) : K) = rho (ratio H j)) : i = j := by
  have h := cross_of_rho h
  unfold ratio at h
  split at h <;> split at h
  · rw [Nat.mul_one, Nat.mul_one] at h
    exact Nat.succ.inj h
  · exact absurd h (mul_ne_one _ _)
  · exact absurd h.symm (mul_ne_one _ _)
  · rename_i hi hj
    rw [Nat.one_mul, Nat.one_mul] at h
    have e : i - H = j - H := (Nat.succ.inj (Nat.succ.inj h)).symm
    rw [← Nat.sub_add_cancel (Nat.le_of_not_lt hi), e, Nat.sub_add_cancel (Nat.le_of_not_lt hj)]

/-- No question for `H` heads has more than `H` context tokens. -/
theorem ratio_length {H i : Nat} (hi : i < 2 * H - 1) : (ratio H i).1 + 1 + (ratio H i).2 ≤ H := by
  unfold ratio
  split
  · rename_i h
    show 0 + 1 + i ≤ H
    rw [Nat.zero_add, Nat.add_comm]
    exact h
  · rename_i h
    show i - H + 1 + 1 + 0 ≤ H
    have h1 : i + 1 < 2 * H := Nat.lt_of_not_le fun hle => Nat.lt_irrefl i
      (Nat.lt_of_lt_of_le hi (Nat.sub_le_of_le_add hle))
    rw [Nat.two_mul] at h1
    have h2 : i - H + H = i := Nat.sub_add_cancel (Nat.le_of_not_lt h)
    rw [← h2, Nat.add_right_comm] at h1
    exact Nat.succ_le_of_lt (Nat.lt_of_add_lt_add_right h1)
end

/-! ## the answers -/
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}
namespace Semantics

/-- What heads show in the direction `(u, q)`: for each head its score `uᵀ W q` and its residue `⟨v, u⟩`. -/
def shadow (G : List (Head R K d)) (u q : Vec R d) : List (R × K) := G.map fun g => (score g.W u q, S.inner g.v u)

/-- The poles and residues belonging to scores and residues. -/
def poles (l : List (R × K)) : List (K × K) := l.map fun p => (S.exp (-p.1), p.2)

/-- **The answer in a direction.** With `k` copies of `q + u` and `m` copies of `q` in all, the output is
`∑ ⟨v, q⟩ + ∑ ⟨v, u⟩ / (1 + ρ exp (-s))`, `ρ = m / k`, with the scores `s` of the heads in the direction `(u, q)`. -/
theorem evalHeads_ratio (G : List (Head R K d)) (p : Nat × Nat) (u q : Vec R d) :
    S.evalHeads G (copies (p.1 + 1) p.2 u q) q =
      listSum G (fun g => S.inner g.v q) + cauchySum (rho p) (S.poles (S.shadow G u q)) := by
  rw [evalHeads, cauchySum, poles, shadow, List.map_map, listSum_map, ← listSum_add]
  refine listSum_congr fun g _ => ?_
  rw [eval_copies]
  congr 2
  -- `k e / (k e + m) = 1 / (1 + (m / k) e⁻¹)`
  show _ = (1 + rho p * S.exp (-score g.W u q))⁻¹
  have hm := mul_inv _ (pos_ne (add_pos one_pos (mul_pos _ _ (rho_pos (K := K) p) (S.exp_pos (-score g.W u q)))))
  have he := S.exp_mul_neg (score g.W u q)
  have hk := mul_inv _ (pos_ne (natCast_pos (K := K) p.1))
  rw [div_eq_iff (pos_ne (S.den_pos (score g.W u q)))]
  generalize hi : (1 + rho p * S.exp (-score g.W u q))⁻¹ = i at *
  unfold rho at hm
  generalize (natCast (p.1 + 1) : K)⁻¹ = j at *
  generalize S.exp (-score g.W u q) = f at *
  generalize S.exp (score g.W u q) = e at *
  lin_comb (-(natCast (p.1 + 1) * e)) hm + (i * natCast (p.2 + 1) * (natCast (p.1 + 1) * j)) he +
      (i * natCast (p.2 + 1)) hk

/-- The specification of a decoder for at most `H` heads: from the sum of the residues and the `2 H - 1` values of
`∑ b / (1 + ρ exp (-s))` it returns the scores `s` and residues `b`, in any order, when the scores are distinct and the
residues nonzero. It never returns more than `H` of them. -/
structure IsDecoder (H : Nat) (dec : K → (Fin (2 * H - 1) → K) → List (R × K)) : Prop where
  /-- scores and residues are found -/
  exact : ∀ l : List (R × K), l.length ≤ H → l.Pairwise (fun p p' => p.1 ≠ p'.1) → (∀ p ∈ l, p.2 ≠ 0) →
    (dec (listSum l Prod.snd) fun i => cauchySum (rho (ratio H i.val)) (S.poles l)).Perm l
  /-- there are at most `H` -/
  length_le : ∀ b y, (dec b y).length ≤ H

private theorem reducedPoles_poles {l : List (R × K)} (hd : l.Pairwise fun p p' => p.1 ≠ p'.1) (h0 : ∀ p ∈ l, p.2 ≠ 0) :
    ReducedPoles (S.poles l) where
  pos := fun p hp => by
    obtain ⟨p', -, rfl⟩ := List.mem_map.mp hp
    exact S.exp_pos _
  distinct := List.pairwise_map.mpr (hd.imp fun hne e => hne (by
    have e' := S.exp_inj _ _ e
    lin_comb (-1) e'))
  ne_zero := fun p hp => by
    obtain ⟨p', hp', rfl⟩ := List.mem_map.mp hp
    exact h0 p' hp'

private theorem perm_of_map {α β : Type} {f : α → β} (hf : ∀ a b, f a = f b → a = b) : ∀ {l m : List α},
    (l.map f).Perm (m.map f) → l.Perm m
  | [], [], _ => .nil
  | [], _ :: _, h => absurd (List.Perm.length_eq h) (Nat.succ_ne_zero _).symm
  | a :: l, m, h => by
    obtain ⟨b, hb, e⟩ := List.mem_map.mp ((List.Perm.mem_iff h).mp (List.mem_map.mpr ⟨a, List.mem_cons_self, rfl⟩))
    obtain ⟨m', hp⟩ := perm_of_mem hb
    rw [hf _ _ e] at hp
    refine .trans (.cons a (perm_of_map hf ?_)) (List.Perm.symm hp)
    exact (List.Perm.trans h (List.Perm.map f hp)).cons_inv

private theorem poles_sum (l : List (R × K)) : listSum (S.poles l) Prod.snd = listSum l Prod.snd := by
  rw [poles, listSum_map]

/-- the values and the sum of the residues determine scores and residues -/
private theorem perm_of_values {H : Nat} {l l' : List (R × K)} (hl : l.length ≤ H) (hl' : l'.length ≤ H)
    (hd : l.Pairwise fun p p' => p.1 ≠ p'.1) (hd' : l'.Pairwise fun p p' => p.1 ≠ p'.1) (h0 : ∀ p ∈ l, p.2 ≠ 0)
    (h0' : ∀ p ∈ l', p.2 ≠ 0) (hs : listSum l Prod.snd = listSum l' Prod.snd)
    (h : ∀ i : Fin (2 * H - 1), cauchySum (rho (ratio H i.val)) (S.poles l) = cauchySum (rho (ratio H i.val))
        (S.poles l')) :
    l.Perm l' := by
  refine perm_of_map (f := fun p : R × K => (S.exp (-p.1), p.2)) (fun a b e => ?_) (poles_determined (l := S.poles l)
    (l' := S.poles l') (S.reducedPoles_poles hd h0)
    (S.reducedPoles_poles hd' h0') (rs := (List.finRange (2 * H - 1)).map fun i => rho (ratio H i.val)) ?_ ?_ ?_ ?_ ?_)
  · have e1 := S.exp_inj _ _ (congrArg Prod.fst e)
    have e2 : a.2 = b.2 := congrArg (fun p : K × K => p.2) e
    exact Prod.ext (by lin_comb (-1) e1) e2
  · rw [poles, poles, List.length_map, List.length_map, List.length_map, List.length_finRange]
    refine Nat.le_trans (Nat.add_le_add hl hl') ?_
    rw [← Nat.two_mul]
    exact Nat.le_add_of_sub_le (Nat.le_refl _)
  · intro ρ hρ
    obtain ⟨i, -, rfl⟩ := List.mem_map.mp hρ
    exact rho_pos _
  · exact List.pairwise_map.mpr ((pairwise_ne_finRange _).imp fun hne e => hne (Fin.ext (rho_injective e)))
  · rw [poles_sum, poles_sum, hs]
  · intro ρ hρ
    obtain ⟨i, -, rfl⟩ := List.mem_map.mp hρ
    exact h i

/-- **There is a decoder**: the sum of the residues and the `2 H - 1` values determine scores and residues. -/
theorem exists_decoder (H : Nat) : ∃ dec, S.IsDecoder H dec := by
  have h : ∀ b : K, ∀ y : Fin (2 * H - 1) → K, ∃ l : List (R × K), l.length ≤ H ∧ ∀ l' : List (R × K), l'.length ≤ H →
      l'.Pairwise (fun p p' => p.1 ≠ p'.1) → (∀ p ∈ l', p.2 ≠ 0) → listSum l' Prod.snd = b →
      (∀ i, cauchySum (rho (ratio H i.val)) (S.poles l') = y i) → l.Perm l' := by
    intro b y
    by_cases hex : ∃ l : List (R × K), l.length ≤ H ∧ l.Pairwise (fun p p' => p.1 ≠ p'.1) ∧ (∀ p ∈ l, p.2 ≠ 0) ∧
        listSum l Prod.snd = b ∧ ∀ i, cauchySum (rho (ratio H i.val)) (S.poles l) = y i
    · obtain ⟨l, hl, hd, h0, hb, hy⟩ := hex
      exact ⟨l, hl, fun l' hl' hd' h0' hb' hy' => S.perm_of_values hl hl' hd hd' h0 h0' (hb.trans hb'.symm)
        fun i => (hy i).trans (hy' i).symm⟩
    · exact ⟨[], Nat.zero_le H, fun l' hl' hd' h0' hb' hy' => absurd ⟨l', hl', hd', h0', hb', hy'⟩ hex⟩
  have h1 := fun b => Classical.axiomOfChoice (h b)
  obtain ⟨dec, hdec⟩ := Classical.axiomOfChoice h1
  exact ⟨dec, fun l hl hd h0 => (hdec _ _).2 l hl hd h0 rfl fun _ => rfl, fun b y => (hdec b y).1⟩

/-- Two decoders return the same, up to order, on all answers of at most `H` heads with distinct scores and nonzero
residues. -/
theorem decoder_perm {H : Nat} {dec dec' : K → (Fin (2 * H - 1) → K) → List (R × K)} (h : S.IsDecoder H dec)
    (h' : S.IsDecoder H dec') {l : List (R × K)} (hl : l.length ≤ H) (hd : l.Pairwise fun p p' => p.1 ≠ p'.1)
    (h0 : ∀ p ∈ l, p.2 ≠ 0) :
    (dec (listSum l Prod.snd) fun i => cauchySum (rho (ratio H i.val)) (S.poles l)).Perm
      (dec' (listSum l Prod.snd) fun i => cauchySum (rho (ratio H i.val)) (S.poles l)) :=
  .trans (h.exact l hl hd h0) (List.Perm.symm (h'.exact l hl hd h0))
end Semantics

end AttentionQueries
