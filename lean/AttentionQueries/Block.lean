import AttentionQueries.Transformer

/-! # A block with residual connection, linear path, ReLU network and constants -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d n n' : Nat}

namespace Semantics
/-! ## a residual connection from the query -/
/-- two heads, each with a linear function of the query added, agree everywhere only if they are equal (`v ≠ 0`) -/
theorem residual_unique {W W' : Mat R d} {v v' r r' : Vec K d} (hv : v ≠ 0)
    (h : ∀ xs q, S.inner r q + S.eval W v xs q = S.inner r' q + S.eval W' v' xs q) : W = W' ∧ v = v' ∧ r = r' := by
  have hvv : v = v' := funext fun i => by
    -- one and two copies of `eᵢ` at the query `0`
    have h0 := h [] 0
    have h1 := h (copies 1 0 (basis i) 0) 0
    have h2 := h (copies 2 0 (basis i) 0) 0
    rw [eval_nil, eval_nil] at h0
    rw [eval_copies, eval_copies, inner_basis, inner_basis] at h1 h2
    have d1 := fun W : Mat R d => div_mul_cancel (natCast 1 * S.exp (score W (basis i) 0)) (pos_ne (S.den_pos (k := 1) (n := 0) (score W (basis i) 0)))
    have d2 := fun W : Mat R d => div_mul_cancel (natCast 2 * S.exp (score W (basis i) 0)) (pos_ne (S.den_pos (k := 2) (n := 0) (score W (basis i) 0)))
    have a1 := d1 W
    have b1 := d1 W'
    have a2 := d2 W
    have b2 := d2 W'
    have e1 := S.exp_ne (score W (basis i) 0)
    have e2 := S.exp_ne (score W' (basis i) 0)
    generalize natCast 1 * S.exp (score W (basis i) 0) / (natCast 1 * S.exp (score W (basis i) 0) + natCast (0 + 1)) = s1 at *
    generalize natCast 2 * S.exp (score W (basis i) 0) / (natCast 2 * S.exp (score W (basis i) 0) + natCast (0 + 1)) = s2 at *
    generalize natCast 1 * S.exp (score W' (basis i) 0) / (natCast 1 * S.exp (score W' (basis i) 0) + natCast (0 + 1)) = t1 at *
    generalize natCast 2 * S.exp (score W' (basis i) 0) / (natCast 2 * S.exp (score W' (basis i) 0) + natCast (0 + 1)) = t2 at *
    generalize S.exp (score W (basis i) 0) = e at *
    generalize S.exp (score W' (basis i) 0) = f at *
    rw [show (natCast 2 : K) = 1 + 1 from congrArg (· + 1) natCast_one, natCast_one] at a2 b2
    rw [natCast_one] at a1 b1
    have h1' : v i * s1 = v' i * t1 := by lin_comb (1) h1 + (-1) h0
    have h2' : v i * s2 = v' i * t2 := by lin_comb (1) h2 + (-1) h0
    generalize v i = x at *
    generalize v' i = y at *
    have k1 : x * e * (f + 1) = y * f * (e + 1) := by
      lin_comb ((e + 1) * (f + 1)) h1' + (-(x * (f + 1))) a1 + (y * (e + 1)) b1
    have k2 : x * ((1 + 1) * e) * ((1 + 1) * f + 1) = y * ((1 + 1) * f) * ((1 + 1) * e + 1) := by
      lin_comb (((1 + 1) * e + 1) * ((1 + 1) * f + 1)) h2' + (-(x * ((1 + 1) * f + 1))) a2 + (y * ((1 + 1) * e + 1)) b2
    apply mul_right_cancel (mul_ne_zero (pos_ne (add_pos (one_pos (K := K)) one_pos)) (mul_ne_zero e1 e2))
    lin_comb (1) k2 + (-(1 + 1)) k1
  subst hvv
  have hr : r = r' := funext fun i => by
    have := h [] (basis i)
    simp only [eval_nil, inner_basis] at this
    lin_comb (1) this
  subst hr
  exact ⟨(S.head_unique' hv fun xs q => add_left_cancel (h xs q)).2, rfl, rfl⟩

/-- the block `b + ⟨r, q⟩ + ⟨c, z⟩ + ∑ a j relu ⟨w j, z⟩` -/
noncomputable def block (W : Mat R d) (b : K) (r c : Vec K d) (a : Vec K n) (w : Fin n → Vec K d) (xs : List (Vec R d))
    (q : Vec R d) : K := b + S.inner r q + kdot c (S.zvec W xs q) + mlp a w (S.zvec W xs q)
theorem inner_neg' (v : Vec K d) (x : Vec R d) : S.inner v (-x) = -S.inner v x := by
  have h := S.inner_add v x (-x)
  rw [show x + -x = 0 from funext fun i => add_neg _, inner_zero] at h
  lin_comb (-1) h
theorem block_sub_neg (W : Mat R d) (b : K) (r c : Vec K d) (a : Vec K n) (w : Fin n → Vec K d) (xs : List (Vec R d))
    (q : Vec R d) : S.block W b r c a w xs q - S.block W b r c a w (xs.map fun x => -x) (-q) =
      S.inner (r + r) q + S.eval W (c + c + slope a w) xs q := by
  rw [block, block, zvec_neg, inner_neg', kdot_neg, eval_add, eval_add, eval_eq_kdot, eval_eq_kdot, add_inner]
  lin_comb (1) (mlp_sub_neg a w (S.zvec W xs q))
/-- **A block** determines its score matrix, the odd part `2 c + ∑ a j w j` of its readout if that is not zero, and the
residual weights `r`. -/
theorem block_unique {W W' : Mat R d} {b b' : K} {r r' c c' : Vec K d} {a : Vec K n} {w : Fin n → Vec K d} {a' : Vec K n'}
    {w' : Fin n' → Vec K d} (hs : c + c + slope a w ≠ 0)
    (h : ∀ xs q, S.block W b r c a w xs q = S.block W' b' r' c' a' w' xs q) :
    W = W' ∧ c + c + slope a w = c' + c' + slope a' w' ∧ r = r' := by
  obtain ⟨h1, h2, h3⟩ := S.residual_unique hs (W := W) (W' := W') (r := r + r) (r' := r' + r') fun xs q => by
    rw [← block_sub_neg S W b, ← block_sub_neg S W' b', h, h]
  refine ⟨h1, h2, funext fun i => ?_⟩
  have h4 : r i + r i = r' i + r' i := congrFun h3 i
  apply mul_right_cancel (pos_ne (add_pos (one_pos (K := K)) one_pos))
  lin_comb (1) h4
end Semantics

end AttentionQueries
