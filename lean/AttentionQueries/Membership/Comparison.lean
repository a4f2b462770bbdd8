import AttentionQueries.Algebra.Order
import AttentionQueries.Base2.Instance
import AttentionQueries.SingleHead.Formulas
import AttentionQueries.SingleHead.Identifiability

/-! # Membership queries: what one bit says

A membership oracle for the threshold `θ` answers whether the output of a head exceeds `θ`. On `k` copies of `x` and
`m` copies of the query token `q`, it compares `k eˢ (⟨v, x⟩ - θ)` with `m (θ - ⟨v, q⟩)`. When `θ` lies between the
values of `q` and `x`, this is a comparison of the weight `eˢ` with a number that the copies can place anywhere.

## Main definitions

* `Semantics.membershipOracle θ W v`: the oracle.

## Main statements

* `Semantics.lt_eval_copies_iff`: the comparison, and `Semantics.eval_copies_lt_iff`: its reverse.
* `Semantics.membership_threshold_zero`: for the threshold zero, value vectors that are positive multiples of each
  other give the same bits, so that no learner can tell them apart. -/

namespace AttentionQueries
open CommRing OrderedField
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

namespace Semantics

/-- The difference of the output and the threshold, times the total weight. -/
private theorem eval_copies_sub (W : Mat R d) (v : Vec K d) (k n : Nat) (u q : Vec R d) (θ : K) :
    (S.eval W v (copies k n u q) q - θ) * (natCast k * S.exp (score W u q) + natCast (n + 1)) =
      natCast k * S.exp (score W u q) * (S.inner v q + S.inner v u - θ) - natCast (n + 1) * (θ - S.inner v q) := by
  rw [eval_copies]
  lin_comb (S.inner v u) (div_mul_cancel (natCast k * S.exp (score W u q))
    (pos_ne (S.den_pos (k := k) (n := n) (score W u q))))

private theorem pos_of_mul_pos {a c : K} (hc : 0 < c) (h : 0 < a * c) : 0 < a := lt_of_not_le fun h' =>
  mul_le_mul_right (le_of_lt hc) h' (by rw [zero_mul]; exact h)

/-- **What one bit says**: on `k` copies of `q + u` and `n + 1` copies of `q`, the output exceeds `θ` iff
`(n + 1) (θ - ⟨v, q⟩) < k eˢ (⟨v, q + u⟩ - θ)`. -/
theorem lt_eval_copies_iff (W : Mat R d) (v : Vec K d) (k n : Nat) (u q : Vec R d) (θ : K) :
    θ < S.eval W v (copies k n u q) q ↔ natCast (n + 1) * (θ - S.inner v q) <
      natCast k * S.exp (score W u q) * (S.inner v q + S.inner v u - θ) := by
  have h := S.eval_copies_sub W v k n u q θ
  have hd := S.den_pos (K := K) (k := k) (n := n) (score W u q)
  rw [← sub_pos, ← sub_pos (a := natCast (n + 1) * _), ← h]
  exact ⟨fun h0 => mul_pos _ _ h0 hd, pos_of_mul_pos hd⟩

/-- The reverse comparison. -/
theorem eval_copies_lt_iff (W : Mat R d) (v : Vec K d) (k n : Nat) (u q : Vec R d) (θ : K) :
    S.eval W v (copies k n u q) q < θ ↔ natCast k * S.exp (score W u q) * (S.inner v q + S.inner v u - θ) <
      natCast (n + 1) * (θ - S.inner v q) := by
  have h := S.eval_copies_sub W v k n u q θ
  have hd := S.den_pos (K := K) (k := k) (n := n) (score W u q)
  have e : natCast (n + 1) * (θ - S.inner v q) - natCast k * S.exp (score W u q) * (S.inner v q + S.inner v u - θ) =
      (θ - S.eval W v (copies k n u q) q) * (natCast k * S.exp (score W u q) + natCast (n + 1)) := by
    lin_comb (1) h
  rw [← sub_pos, ← sub_pos (a := natCast k * _ * _), e]
  exact ⟨fun h0 => mul_pos _ _ h0 hd, pos_of_mul_pos hd⟩

/-- The head `(W, v)` as a membership oracle: it answers whether the output exceeds `θ`. -/
def membershipOracle [DecidableLT K] (θ : K) (W : Mat R d) (v : Vec K d) (t : Query R d) : Bool :=
  decide (θ < S.oracle W v t)

/-- **The threshold zero does not show the size of `v`**: all positive multiples of a value vector give the same bits.
-/
theorem membership_threshold_zero [DecidableLT K] (W : Mat R d) (v : Vec K d) {c : K} (hc : 0 < c) (t : Query R d) :
    S.membershipOracle 0 W (fun i => c * v i) t = S.membershipOracle 0 W v t := by
  refine decide_eq_decide.mpr ?_
  rw [oracle, oracle, eval_scale, mul_comm]
  exact ⟨pos_of_mul_pos hc, fun h => mul_pos _ _ h hc⟩

end Semantics

end AttentionQueries
