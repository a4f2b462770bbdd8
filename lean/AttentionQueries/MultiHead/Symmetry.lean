import AttentionQueries.SingleHead.Identifiability

/-! # MultiHead.Symmetry -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}
namespace Semantics
/-! ## 5. several heads -/
theorem eval_add (W : Mat R d) (v w : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.eval W (v + w) xs q = S.eval W v xs q + S.eval W w xs q := by
  simp only [eval, add_inner, mul_add, listSum_add, add_div]
end Semantics
namespace Semantics
theorem evalHeads_append (H H' : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (H ++ H') xs q = S.evalHeads H xs q + S.evalHeads H' xs q := listSum_append _ _ _
theorem evalHeads_perm {H H' : List (Head R K d)} (h : H.Perm H') (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads H xs q = S.evalHeads H' xs q := listSum_perm h _
theorem evalHeads_merge (W : Mat R d) (v w : Vec K d) (H : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (⟨W, v⟩ :: ⟨W, w⟩ :: H) xs q = S.evalHeads (⟨W, v + w⟩ :: H) xs q := by
  simp only [evalHeads, listSum_cons, eval_add, add_assoc]
theorem evalHeads_zero (W : Mat R d) (H : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (⟨W, 0⟩ :: H) xs q = S.evalHeads H xs q := by
  simp only [evalHeads, listSum_cons, eval_zero, zero_add]

/-- **Length-2 collapse**: on `[x; q]` the pair `(W, v), (-W, v)` does not see `W`. -/
theorem collapse (W : Mat R d) (v : Vec K d) (x q : Vec R d) :
    S.evalHeads [⟨W, v⟩, ⟨-W, v⟩] [x] q = S.inner v (x + q) := by
  obtain ⟨u, rfl⟩ : ∃ u, x = q + u := ⟨x - q, funext fun i => by rw [vadd_app, vsub_app]; ring⟩
  simp only [evalHeads, listSum_cons, listSum_nil, eval_one, score_neg, inner_add]
  have h0 := S.exp_mul_neg (score W u q)
  have h1 := div_mul_cancel (S.exp (score W u q)) (pos_ne (add_pos (S.exp_pos (score W u q)) one_pos))
  have h2 := div_mul_cancel (S.exp (-score W u q)) (pos_ne (add_pos (S.exp_pos (-score W u q)) one_pos))
  have hx := pos_ne (add_pos (S.exp_pos (score W u q)) one_pos)
  have hy := pos_ne (add_pos (S.exp_pos (-score W u q)) one_pos)
  generalize S.exp (score W u q) / (S.exp (score W u q) + 1) = f at *
  generalize S.exp (-score W u q) / (S.exp (-score W u q) + 1) = g at *
  generalize S.exp (score W u q) = a at *
  generalize S.exp (-score W u q) = b at *
  have hfg : f + g = 1 := by
    apply mul_right_cancel (mul_ne_zero hx hy)
    have e : (f + g) * ((a + 1) * (b + 1)) = a * (b + 1) + b * (a + 1) := by lin_comb (b + 1) h1 + (a + 1) h2
    lin_comb (1) e + (1) h0
  lin_comb (S.inner v u) hfg
end Semantics

end AttentionQueries
