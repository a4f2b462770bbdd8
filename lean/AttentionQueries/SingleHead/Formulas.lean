import AttentionQueries.Model

/-! # One head: the pair formula and the odds formula

A sequence with two different tokens, `k` copies of `x` and `m` copies of the query token `q`, the last of them the
query itself, is the elementary experiment. With `u = x - q` and `s = uᵀ W q` the output is `⟨v, q⟩ + ⟨v, u⟩ · k eˢ /
(k eˢ + m)`.

## Main definitions

* `Semantics.copies k n u q`: the context of `k` copies of `q + u` and `n` copies of `q`.

## Main statements

* `Semantics.pair_formula`: the output on `k` copies of `x` and `m ≥ 1` copies of `q`.
* `Semantics.odds_formula`: with `a` the output less `⟨v, q⟩`, `a · m = (⟨v, u⟩ - a) · k eˢ`.
* `Semantics.exp_score_eq`: when `⟨v, u⟩ ≠ 0` and `k ≥ 1`, the weight `eˢ` is `a m / ((⟨v, u⟩ - a) k)`.
* `Semantics.eval_one`: one copy each.

## References

The two-token query is the basic query of arXiv 2601.16873; copies are our generalisation. -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

namespace Semantics

/-- The context of `k` copies of `q + u` and `n` further copies of `q`. -/
def copies (k n : Nat) (u q : Vec R d) : List (Vec R d) := List.replicate k (q + u) ++ List.replicate n q

/-- **Pair formula** for the token `q + u`; the query token itself makes `n + 1` copies of `q` in all. -/
theorem eval_copies (W : Mat R d) (v : Vec K d) (k n : Nat) (u q : Vec R d) :
    S.eval W v (copies k n u q) q = S.inner v q +
      S.inner v u * ((natCast k * S.exp (score W u q)) / (natCast k * S.exp (score W u q) + natCast (n + 1))) := by
  rw [eval_centred, contextWeight, copies, listSum_append, listSum_append, listSum_replicate, listSum_replicate,
    listSum_replicate, listSum_replicate, vadd_sub_cancel, vsub_self, score_zero, inner_zero, exp_zero, ← mul_div,
    natCast_succ]
  congr 2
  · ring
  · ring

/-- The denominator of the pair formula is positive, also for `k = 0`. -/
theorem den_pos {k n : Nat} (s : R) : (0 : K) < natCast k * S.exp s + natCast (n + 1) := by
  cases k with
  | zero => rw [natCast_zero, zero_mul, zero_add]; exact natCast_pos n
  | succ k => exact add_pos (mul_pos _ _ (natCast_pos k) (S.exp_pos s)) (natCast_pos n)

/-- **Odds formula** for the token `q + u`, cross-multiplied, so that no hypothesis on `⟨v, u⟩` is needed. -/
theorem odds (W : Mat R d) (v : Vec K d) (k n : Nat) (u q : Vec R d) {a : K}
    (ha : a = S.eval W v (copies k n u q) q - S.inner v q) :
    a * natCast (n + 1) = (S.inner v u - a) * (natCast k * S.exp (score W u q)) := by
  have h := div_mul_cancel (natCast k * S.exp (score W u q))
    (pos_ne (S.den_pos (k := k) (n := n) (score W u q)))
  rw [eval_copies] at ha
  rw [ha]
  lin_comb (S.inner v u) h

/-- The pair formula with one copy of each of the two tokens. -/
theorem eval_one (W : Mat R d) (v : Vec K d) (u q : Vec R d) :
    S.eval W v [q + u] q = S.inner v q + S.inner v u * (S.exp (score W u q) / (S.exp (score W u q) + 1)) := by
  have h := S.eval_copies W v 1 0 u q
  rwa [natCast_one, one_mul] at h

/-! ## The formulas in terms of the token -/

/-- **Pair formula**: the output on `k` copies of `x` and `m ≥ 1` copies of `q`, the query token included. The number
`k` may be zero. -/
theorem pair_formula (W : Mat R d) (v : Vec K d) (x q : Vec R d) (k m : Nat) (hm : 1 ≤ m) :
    S.eval W v (List.replicate k x ++ List.replicate (m - 1) q) q = S.inner v q + S.inner v (x - q) *
      ((natCast k * S.exp (score W (x - q) q)) / (natCast k * S.exp (score W (x - q) q) + natCast m)) := by
  obtain ⟨n, rfl⟩ := Nat.le.dest hm
  have h := S.eval_copies W v k n (x - q) q
  rw [copies, add_vsub] at h
  rw [Nat.add_sub_cancel_left, Nat.add_comm 1 n]
  exact h

/-- **Odds formula**: with `a` the output on `k` copies of `x` and `m ≥ 1` copies of `q`, less the value of `q`. -/
theorem odds_formula (W : Mat R d) (v : Vec K d) (x q : Vec R d) (k m : Nat) (hm : 1 ≤ m) {a : K}
    (ha : a = S.eval W v (List.replicate k x ++ List.replicate (m - 1) q) q - S.inner v q) :
    a * natCast m = (S.inner v (x - q) - a) * (natCast k * S.exp (score W (x - q) q)) := by
  obtain ⟨n, rfl⟩ := Nat.le.dest hm
  rw [Nat.add_sub_cancel_left] at ha
  rw [Nat.add_comm 1 n]
  refine S.odds W v k n (x - q) q ?_
  rw [copies, add_vsub]
  exact ha

/-- **Odds formula, solved for the weight**: when `k, m ≥ 1` and `⟨v, x - q⟩ ≠ 0`, the output gives the weight of
the score. The denominator does not vanish. -/
theorem exp_score_eq (W : Mat R d) (v : Vec K d) (x q : Vec R d) (k m : Nat) (hk : 1 ≤ k) (hm : 1 ≤ m)
    (hu : S.inner v (x - q) ≠ 0) {a : K}
    (ha : a = S.eval W v (List.replicate k x ++ List.replicate (m - 1) q) q - S.inner v q) :
    (S.inner v (x - q) - a) * natCast k ≠ 0 ∧
      S.exp (score W (x - q) q) = a * natCast m / ((S.inner v (x - q) - a) * natCast k) := by
  have h := S.odds_formula W v x q k m hm ha
  obtain ⟨k, rfl⟩ := Nat.le.dest hk
  obtain ⟨m, rfl⟩ := Nat.le.dest hm
  rw [Nat.add_comm 1 m] at h ⊢
  have hm0 : (natCast (m + 1) : K) ≠ 0 := pos_ne (natCast_pos m)
  have hk0 : (natCast (1 + k) : K) ≠ 0 := by rw [Nat.add_comm 1 k]; exact pos_ne (natCast_pos k)
  have ha0 : S.inner v (x - q) - a ≠ 0 := fun e => by
    rw [e, zero_mul] at h
    rcases mul_eq_zero h with h0 | h0
    · rw [h0, sub_zero] at e
      exact hu e
    · exact hm0 h0
  refine ⟨mul_ne_zero ha0 hk0, ((div_eq_iff (mul_ne_zero ha0 hk0)).mpr ?_).symm⟩
  lin_comb (1) h

end Semantics

end AttentionQueries
