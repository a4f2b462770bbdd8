import AttentionQueries.Semantics

/-! # Model -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}
namespace Semantics

/-- sum of the relative weights of the context -/
def contextWeight (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) : K := listSum xs fun x => S.exp (score W (x - q) q)
theorem contextWeight_add_one_ne (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) : S.contextWeight W xs q + 1 ≠ 0 :=
  pos_ne (listSum_pos xs _ (fun _ _ => S.exp_pos _) 1 one_pos)

/-- **Centred form**: divide numerator and denominator by the weight of the query itself. -/
theorem eval_centred (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.eval W v xs q = S.inner v q +
      listSum xs (fun x => S.exp (score W (x - q) q) * S.inner v (x - q)) / (S.contextWeight W xs q + 1) := by
  have hden : listSum (xs ++ [q]) (fun x => S.exp (score W x q)) = S.exp (score W q q) * (S.contextWeight W xs q + 1) := by
    rw [listSum_append, listSum_cons, listSum_nil, contextWeight, mul_add, ← listSum_mul, add_zero, mul_one]
    congr; funext x
    rw [score_split, S.exp_add]
  have hnum : listSum (xs ++ [q]) (fun x => S.exp (score W x q) * S.inner v x) = S.exp (score W q q) *
      (listSum xs (fun x => S.exp (score W (x - q) q) * S.inner v (x - q)) + S.inner v q * (S.contextWeight W xs q + 1)) := by
    have h : listSum xs (fun x => S.exp (score W x q) * S.inner v x) = S.exp (score W q q) *
        (listSum xs (fun x => S.exp (score W (x - q) q) * S.inner v (x - q)) + S.inner v q * S.contextWeight W xs q) := by
      rw [contextWeight, ← listSum_mul (S.inner v q), ← listSum_add, ← listSum_mul]
      congr; funext x
      rw [score_split, S.exp_add, inner_split S v x q]; ring
    rw [listSum_append, h, listSum_cons, listSum_nil]; ring
  rw [eval, hnum, hden, div_eq_iff (mul_ne_zero (S.exp_ne _) (S.contextWeight_add_one_ne W xs q))]
  have h := div_mul_cancel (listSum xs fun x => S.exp (score W (x - q) q) * S.inner v (x - q)) (S.contextWeight_add_one_ne W xs q)
  lin_comb (-S.exp (score W q q)) h

/-! ## 1–2. the empty context, and pairs with copies -/
theorem eval_nil (W : Mat R d) (v : Vec K d) (q : Vec R d) : S.eval W v [] q = S.inner v q := by
  rw [eval_centred, listSum_nil, zero_div, add_zero]
end Semantics

structure Head (R K : Type) (d : Nat) where
  W : Mat R d
  v : Vec K d

namespace Semantics
/-- the output of a list of heads -/
def evalHeads (H : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) : K :=
  listSum H fun h => S.eval h.W h.v xs q

end Semantics

end AttentionQueries
