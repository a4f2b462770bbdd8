import AttentionQueries.Model

/-! # SingleHead.Formulas -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}
namespace Semantics

/-- the context of `k` copies of `q + u` and `n` further copies of `q` -/
def copies (k n : Nat) (u q : Vec R d) : List (Vec R d) := List.replicate k (q + u) ++ List.replicate n q

/-- **Pair formula** (the self-token makes `n + 1` copies of `q` in all). -/
theorem eval_copies (W : Mat R d) (v : Vec K d) (k n : Nat) (u q : Vec R d) :
    S.eval W v (copies k n u q) q = S.inner v q +
      S.inner v u * ((natCast k * S.exp (score W u q)) / (natCast k * S.exp (score W u q) + natCast (n + 1))) := by
  rw [eval_centred, contextWeight, copies, listSum_append, listSum_append, listSum_replicate, listSum_replicate, listSum_replicate,
    listSum_replicate, vadd_sub_cancel, vsub_self, score_zero, inner_zero, exp_zero, ← mul_div, natCast_succ]
  congr 2
  · ring
  · ring
theorem den_pos {k n : Nat} (s : R) : (0 : K) < natCast k * S.exp s + natCast (n + 1) := by
  cases k with
  | zero => rw [natCast_zero, zero_mul, zero_add]; exact natCast_pos n
  | succ k => exact add_pos (mul_pos _ _ (natCast_pos k) (S.exp_pos s)) (natCast_pos n)

/-- **Odds formula** (cross-multiplied, so no hypothesis on `⟪v, u⟫` is needed). -/
theorem odds (W : Mat R d) (v : Vec K d) (k n : Nat) (u q : Vec R d) {a : K}
    (ha : a = S.eval W v (copies k n u q) q - S.inner v q) :
    a * natCast (n + 1) = (S.inner v u - a) * (natCast k * S.exp (score W u q)) := by
  have h := div_mul_cancel (natCast k * S.exp (score W u q)) (pos_ne (S.den_pos (k := k) (n := n) (score W u q)))
  rw [eval_copies] at ha
  rw [ha]
  lin_comb (S.inner v u) h

/-! ## 3–4. uniqueness and nonidentifiability of a single head -/
/-- one copy each: `[q + u]`, query `q` -/
theorem eval_one (W : Mat R d) (v : Vec K d) (u q : Vec R d) :
    S.eval W v [q + u] q = S.inner v q + S.inner v u * (S.exp (score W u q) / (S.exp (score W u q) + 1)) := by
  have h := S.eval_copies W v 1 0 u q
  rwa [natCast_one, one_mul] at h

end Semantics
namespace Semantics
/-- pair formula: `k ≥ 1` copies of `x`, `m ≥ 1` copies of `q` counting the query -/
theorem pair_formula (W : Mat R d) (v : Vec K d) (x q : Vec R d) (k m : Nat) (hm : 1 ≤ m) :
    S.eval W v (List.replicate k x ++ List.replicate (m - 1) q) q = S.inner v q + S.inner v (x - q) *
      ((natCast k * S.exp (score W (x - q) q)) / (natCast k * S.exp (score W (x - q) q) + natCast m)) := by
  obtain ⟨n, rfl⟩ := Nat.le.dest hm
  have h := S.eval_copies W v k n (x - q) q
  rw [copies, show q + (x - q) = x from funext fun i => by rw [vadd_app, vsub_app]; ring] at h
  rw [Nat.add_sub_cancel_left, Nat.add_comm 1 n]
  exact h

/-- odds formula, solved for the weight ratio -/
theorem odds_formula (W : Mat R d) (v : Vec K d) (x q : Vec R d) (k m : Nat) (hm : 1 ≤ m) {a : K}
    (ha : a = S.eval W v (List.replicate k x ++ List.replicate (m - 1) q) q - S.inner v q) :
    a * natCast m = (S.inner v (x - q) - a) * (natCast k * S.exp (score W (x - q) q)) := by
  obtain ⟨n, rfl⟩ := Nat.le.dest hm
  rw [Nat.add_sub_cancel_left] at ha
  rw [Nat.add_comm 1 n]
  refine S.odds W v k n (x - q) q ?_
  rw [copies, show q + (x - q) = x from funext fun i => by rw [vadd_app, vsub_app]; ring]
  exact ha
end Semantics

end AttentionQueries
