import AttentionQueries.Transformer

/-! # Vector values; affine scores and values; the gauge of functions of the query -/

namespace AttentionQueries
open CommRing OrderedField
open Classical

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {m d : Nat}

namespace Semantics
/-! ## (a) vector values `V x`, `V : m × d` -/
def evalV (W : Mat R d) (V : RectMat K m d) (xs : List (Vec R d)) (q : Vec R d) : Vec K m := fun a => S.eval W (V a) xs q
include S in
theorem one_ne_zero : (1 : R) ≠ 0 := fun h => OrderedField.zero_ne_one (K := K) (by rw [← S.cast_one, h, S.cast_zero])
/-- **A vector-valued head is identifiable iff its value matrix is not zero.** -/
theorem vector_head_iff (hd : 0 < d) (W : Mat R d) (V : RectMat K m d) :
    (∀ (W' : Mat R d) (V' : RectMat K m d), (∀ xs q, S.evalV W V xs q = S.evalV W' V' xs q) → V = V' ∧ W = W') ↔ V ≠ 0 := by
  constructor
  · rintro h rfl
    -- change one entry of `W`
    obtain ⟨W', hW⟩ : ∃ W' : Mat R d, W' ≠ W := by
      refine ⟨fun i j => W i j + 1, fun e => S.one_ne_zero ?_⟩
      have h1 := congrFun (congrFun e ⟨0, hd⟩) ⟨0, hd⟩
      lin_comb (1) h1
    refine hW (h W' 0 fun xs q => funext fun a => ?_).2.symm
    exact (S.eval_zero W xs q).trans (S.eval_zero W' xs q).symm
  · intro hV W' V' h
    obtain ⟨a, ha⟩ := exists_ne_zero hV
    refine ⟨funext fun b => ?_, (S.head_unique' ha fun xs q => congrFun (h xs q) a).2⟩
    funext i
    have := congrFun (h [] (basis i)) b
    rwa [evalV, evalV, eval_nil, eval_nil, inner_basis, inner_basis] at this

/-! ## (b) arbitrary score and value functions -/
section general
variable {X : Type}
/-- attention with score function `s x q` and value function `φ x`, over any type of tokens -/
def evalG (s : X → X → R) (φ : X → K) (xs : List X) (q : X) : K :=
  listSum (xs ++ [q]) (fun x => S.exp (s x q) * φ x) / listSum (xs ++ [q]) fun x => S.exp (s x q)
theorem evalG_linear (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalG (score W) (S.inner v) xs q = S.eval W v xs q := rfl
theorem denG_ne (s : X → X → R) (xs : List X) (q : X) : listSum (xs ++ [q]) (fun x => S.exp (s x q)) ≠ 0 := by
  rw [listSum_append, listSum_cons, listSum_nil, add_zero]
  exact pos_ne (listSum_pos xs _ (fun _ _ => S.exp_pos _) _ (S.exp_pos _))
/-- **Gauge**: adding a function of the query to the scores changes nothing. -/
theorem evalG_gauge (s : X → X → R) (c : X → R) (φ : X → K) (xs : List X) (q : X) :
    S.evalG (fun x q => s x q + c q) φ xs q = S.evalG s φ xs q := by
  have h1 : listSum (xs ++ [q]) (fun x => S.exp (s x q + c q) * φ x) =
      S.exp (c q) * listSum (xs ++ [q]) fun x => S.exp (s x q) * φ x := by
    rw [← listSum_mul]; exact listSum_congr fun x _ => by rw [S.exp_add]; ring
  have h2 : listSum (xs ++ [q]) (fun x => S.exp (s x q + c q)) = S.exp (c q) * listSum (xs ++ [q]) fun x => S.exp (s x q) := by
    rw [← listSum_mul]; exact listSum_congr fun x _ => by rw [S.exp_add]; ring
  have hD := S.denG_ne s xs q
  rw [evalG, evalG, h1, h2, div_eq_iff (mul_ne_zero (S.exp_ne _) hD)]
  lin_comb (-S.exp (c q)) (div_mul_cancel (listSum (xs ++ [q]) fun x => S.exp (s x q) * φ x) hD)
/-- weight of `x` relative to the query -/
def rel (s : X → X → R) (x q : X) : K := S.exp (s x q - s q q)
theorem rel_pos (s : X → X → R) (x q : X) : 0 < S.rel s x q := S.exp_pos _
theorem evalG_centred (s : X → X → R) (φ : X → K) (xs : List X) (q : X) :
    S.evalG s φ xs q = φ q + listSum xs (fun x => S.rel s x q * (φ x - φ q)) / (listSum xs (fun x => S.rel s x q) + 1) := by
  have hE : ∀ x, S.exp (s x q) = S.exp (s q q) * S.rel s x q := fun x => by
    rw [rel, ← S.exp_add, show s q q + (s x q - s q q) = s x q by ring]
  have hden : listSum (xs ++ [q]) (fun x => S.exp (s x q)) = S.exp (s q q) * (listSum xs (fun x => S.rel s x q) + 1) := by
    rw [listSum_append, listSum_cons, listSum_nil, mul_add, ← listSum_mul, add_zero, mul_one, listSum_congr fun x _ => hE x]
  have hnum : listSum (xs ++ [q]) (fun x => S.exp (s x q) * φ x) = S.exp (s q q) *
      (listSum xs (fun x => S.rel s x q * (φ x - φ q)) + φ q * (listSum xs (fun x => S.rel s x q) + 1)) := by
    have h : listSum xs (fun x => S.exp (s x q) * φ x) = S.exp (s q q) *
        (listSum xs (fun x => S.rel s x q * (φ x - φ q)) + φ q * listSum xs fun x => S.rel s x q) := by
      rw [← listSum_mul (φ q), ← listSum_add, ← listSum_mul]
      exact listSum_congr fun x _ => by rw [hE]; ring
    rw [listSum_append, h, listSum_cons, listSum_nil]; ring
  have hne : listSum xs (fun x => S.rel s x q) + 1 ≠ 0 := pos_ne (listSum_pos xs _ (fun _ _ => S.rel_pos _ _ _) 1 one_pos)
  rw [evalG, hnum, hden, div_eq_iff (mul_ne_zero (S.exp_ne _) hne)]
  lin_comb (-S.exp (s q q)) (div_mul_cancel (listSum xs fun x => S.rel s x q * (φ x - φ q)) hne)
theorem evalG_nil (s : X → X → R) (φ : X → K) (q : X) : S.evalG s φ [] q = φ q := by
  rw [evalG_centred, listSum_nil, zero_div, add_zero]
/-- **The gauge is all that is lost** where the values differ: equal outputs on `[x; q]` mean equal score differences. -/
theorem scoreG_of_eval {s s' : X → X → R} {φ : X → K} {x q : X} (hφ : φ x - φ q ≠ 0)
    (h : S.evalG s φ [x] q = S.evalG s' φ [x] q) : s x q - s q q = s' x q - s' q q := by
  have e : ∀ s : X → X → R, S.evalG s φ [x] q = φ q + (φ x - φ q) * (S.exp (s x q - s q q) / (S.exp (s x q - s q q) + 1)) := by
    intro s
    rw [evalG_centred, listSum_cons, listSum_nil, listSum_cons, listSum_nil, rel, add_zero, add_zero, mul_comm, mul_div]
  rw [e, e] at h
  exact S.weight_inj (mul_left_cancel hφ (add_left_cancel h))
/-- **Identifiability of attention with arbitrary scores and values.** If the value function is not constant, then the
outputs determine it, and determine the scores up to a function of the query. Contexts of length at most 2 suffice. -/
theorem general_iff {s s' : X → X → R} {φ φ' : X → K} (hφ : ∃ x y, φ x ≠ φ y) :
    (∀ xs q, S.evalG s φ xs q = S.evalG s' φ' xs q) ↔ φ = φ' ∧ ∃ c : X → R, ∀ x q, s x q = s' x q + c q := by
  constructor
  · intro h
    have hv : φ = φ' := funext fun q => by have := h [] q; rwa [evalG_nil, evalG_nil] at this
    subst hv
    refine ⟨rfl, fun q => s q q - s' q q, fun x q => ?_⟩
    suffices e : s x q - s q q = s' x q - s' q q by lin_comb (1) e
    by_cases hx : φ x = φ q
    · -- a second token `y` with another value
      obtain ⟨y, hy⟩ : ∃ y, φ y ≠ φ q := by
        obtain ⟨a, b, hab⟩ := hφ
        by_cases ha : φ a = φ q
        · exact ⟨b, fun hb => hab (ha.trans hb.symm)⟩
        · exact ⟨a, ha⟩
      have hy' : φ y - φ q ≠ 0 := fun e => hy (sub_eq_zero.mp e)
      have ey := S.scoreG_of_eval hy' (h [y] q)
      have h2 := h [x, y] q
      rw [evalG_centred, evalG_centred] at h2
      simp only [listSum_cons, listSum_nil, hx, sub_self, mul_zero, zero_add, add_zero] at h2
      rw [show S.rel s' y q = S.rel s y q by rw [rel, rel, ey]] at h2
      have h3 := add_left_cancel h2
      have hp : ∀ s : X → X → R, S.rel s x q + S.rel s y q + 1 ≠ 0 := fun s =>
        pos_ne (add_pos (add_pos (S.rel_pos _ _ _) (S.rel_pos _ _ _)) one_pos)
      have hp' : S.rel s' x q + S.rel s y q + 1 ≠ 0 :=
        pos_ne (add_pos (add_pos (S.rel_pos _ _ _) (S.rel_pos _ _ _)) one_pos)
      have d1 := div_mul_cancel (S.rel s y q * (φ y - φ q)) (hp s)
      have d2 := div_mul_cancel (S.rel s y q * (φ y - φ q)) hp'
      rw [h3] at d1
      apply S.exp_inj
      show S.rel s x q = S.rel s' x q
      apply mul_right_cancel (mul_ne_zero (pos_ne (S.rel_pos s y q)) hy')
      generalize S.rel s y q * (φ y - φ q) / (S.rel s' x q + S.rel s y q + 1) = f at *
      -- `f (E + F + 1) = f (E' + F + 1) = F Δ`
      lin_comb (S.rel s' x q + S.rel s y q + 1) d1 + (-(S.rel s x q + S.rel s y q + 1)) d2
    · exact S.scoreG_of_eval (fun e => hx (sub_eq_zero.mp e)) (h [x] q)
  · rintro ⟨rfl, c, hc⟩ xs q
    rw [← S.evalG_gauge s' c]
    congr
    funext x q
    exact hc x q
end general

/-! ## affine scores `xᵀ (W q + c)` and values `⟨v, x⟩ + b` -/
/-- `⟨c, x⟩` over `R` -/
def rdot (c x : Vec R d) : R := finSum fun i => x i * c i
theorem rdot_add (c x y : Vec R d) : rdot c (x + y) = rdot c x + rdot c y := by
  rw [rdot, rdot, rdot, ← finSum_add]; exact finSum_congr fun i => by rw [vadd_app]; ring
theorem rdot_basis (c : Vec R d) (i : Fin d) : rdot c (basis i) = c i := by
  rw [rdot, finSum_single i, basis_self, one_mul]
  intro j hj; rw [basis_ne hj, zero_mul]
/-- `xᵀ (W q + c)` -/
def ascore (W : Mat R d) (c : Vec R d) (x q : Vec R d) : R := finSum fun i => x i * (mulVec W q i + c i)
theorem ascore_eq (W : Mat R d) (c x q : Vec R d) : ascore W c x q = score W x q + rdot c x := by
  rw [ascore, score, rdot, ← finSum_add]; exact finSum_congr fun i => mul_add _ _ _
theorem ascore_diff (W : Mat R d) (c u q : Vec R d) :
    ascore W c (q + u) q - ascore W c q q = score W u q + rdot c u := by
  rw [ascore_eq, ascore_eq, score_add, rdot_add]; ring
def evalA (W : Mat R d) (c : Vec R d) (v : Vec K d) (b : K) (xs : List (Vec R d)) (q : Vec R d) : K :=
  S.evalG (ascore W c) (fun x => S.inner v x + b) xs q

/-- **Uniqueness of the affine head** from the inputs `[0]`, `[eⱼ]`, `[uᵢ; 0]`, `[eⱼ + uᵢ; eⱼ]`: `(d + 1)²` evaluations. -/
theorem affine_unique {W W' : Mat R d} {c c' : Vec R d} {v v' : Vec K d} {b b' : K} {p : Fin d} (hp : v p ≠ 0)
    (h0 : S.evalA W c v b [] 0 = S.evalA W' c' v' b' [] 0)
    (h1 : ∀ j, S.evalA W c v b [] (basis j) = S.evalA W' c' v' b' [] (basis j))
    (h2 : ∀ i, S.evalA W c v b [0 + probe v p i] 0 = S.evalA W' c' v' b' [0 + probe v p i] 0)
    (h3 : ∀ i j, S.evalA W c v b [basis j + probe v p i] (basis j) = S.evalA W' c' v' b' [basis j + probe v p i] (basis j)) :
    W = W' ∧ c = c' ∧ v = v' ∧ b = b' := by
  have hb : b = b' := by
    rw [evalA, evalA, evalG_nil, evalG_nil, inner_zero, inner_zero] at h0
    exact add_left_cancel h0
  subst hb
  have hv : v = v' := funext fun j => by
    have := h1 j
    rw [evalA, evalA, evalG_nil, evalG_nil, inner_basis, inner_basis] at this
    lin_comb (1) this
  subst hv
  have hs : ∀ i q, S.evalA W c v b [q + probe v p i] q = S.evalA W' c' v b [q + probe v p i] q →
      score W (probe v p i) q + rdot c (probe v p i) = score W' (probe v p i) q + rdot c' (probe v p i) := fun i q h => by
    have := S.scoreG_of_eval (x := q + probe v p i) (q := q) (by
      rw [inner_add, show S.inner v q + S.inner v (probe v p i) + b - (S.inner v q + b) = S.inner v (probe v p i) by ring]
      exact S.inner_probe hp i) h
    rwa [ascore_diff, ascore_diff] at this
  -- the probes determine a vector
  have hvec : ∀ x y : Vec R d, (∀ i, rdot x (probe v p i) = rdot y (probe v p i)) → x = y := fun x y h => by
    have hrow : ∀ i, v i ≠ 0 → x i = y i := fun i hi => by
      have := h i
      rwa [probe, if_pos hi, rdot_basis, rdot_basis] at this
    funext i
    by_cases hi : v i ≠ 0
    · exact hrow i hi
    · have := h i
      rw [probe, if_neg hi, rdot_add, rdot_add, rdot_basis, rdot_basis, rdot_basis, rdot_basis, hrow p hp] at this
      lin_comb (1) this
  have hz : ∀ (W : Mat R d) (x : Vec R d), score W x 0 = 0 := fun W x =>
    finSum_zero fun i => by rw [show mulVec W 0 i = 0 from finSum_zero fun j => mul_zero _, mul_zero]
  have hc : c = c' := hvec _ _ fun i => by
    have := hs i 0 (h2 i)
    rwa [hz, hz, zero_add, zero_add] at this
  subst hc
  refine ⟨?_, rfl, rfl, rfl⟩
  have hcol : ∀ j, mulVec W (basis j) = mulVec W' (basis j) := fun j => hvec _ _ fun i => by
    have := hs i (basis j) (h3 i j)
    show score W (probe v p i) (basis j) = score W' (probe v p i) (basis j)
    lin_comb (1) this
  funext i j
  rw [← mulVec_basis W, hcol, mulVec_basis]
theorem affine_unique' {W W' : Mat R d} {c c' : Vec R d} {v v' : Vec K d} {b b' : K} (hv : v ≠ 0)
    (h : ∀ xs q, S.evalA W c v b xs q = S.evalA W' c' v' b' xs q) : W = W' ∧ c = c' ∧ v = v' ∧ b = b' := by
  obtain ⟨p, hp⟩ := exists_ne_zero hv
  exact S.affine_unique hp (h _ _) (fun _ => h _ _) (fun _ => h _ _) fun _ _ => h _ _
/-- with `v = 0` the output is the constant `b` -/
theorem affine_zero (W : Mat R d) (c : Vec R d) (b : K) (xs : List (Vec R d)) (q : Vec R d) : S.evalA W c 0 b xs q = b := by
  rw [evalA, evalG, div_eq_iff (S.denG_ne _ xs q), ← listSum_mul]
  exact listSum_congr fun x _ => by rw [zero_inner]; ring
/-- hence an affine head is identifiable iff `v ≠ 0` -/
theorem affine_iff (hd : 0 < d) (W : Mat R d) (c : Vec R d) (v : Vec K d) (b : K) :
    (∀ W' c' v' b', (∀ xs q, S.evalA W c v b xs q = S.evalA W' c' v' b' xs q) → W = W' ∧ c = c' ∧ v = v' ∧ b = b') ↔
      v ≠ 0 := by
  constructor
  · rintro h rfl
    have h1 := (h (fun i j => W i j + 1) c 0 b fun xs q => by rw [affine_zero, affine_zero]).1
    refine S.one_ne_zero ?_
    have h2 := congrFun (congrFun h1 ⟨0, hd⟩) ⟨0, hd⟩
    lin_comb (-1) h2
  · exact fun hv _ _ _ _ h => S.affine_unique' hv h

/-- Biased keys and queries: `(x + k)ᵀ W (q + l)` has the outputs of `xᵀ (W q + W l)`; `k` is invisible. -/
theorem biased_eq_affine (W : Mat R d) (k l : Vec R d) (v : Vec K d) (b : K) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalG (fun x q => score W (x + k) (q + l)) (fun x => S.inner v x + b) xs q = S.evalA W (mulVec W l) v b xs q := by
  have h : (fun x q => score W (x + k) (q + l)) = fun x q => ascore W (mulVec W l) x q + score W k (q + l) := by
    funext x q
    have e : ∀ i, mulVec W (q + l) i = mulVec W q i + mulVec W l i := fun i => by
      rw [mulVec, mulVec, mulVec, ← finSum_add]; exact finSum_congr fun j => by rw [vadd_app, mul_add]
    rw [score_add, show score W x (q + l) = ascore W (mulVec W l) x q from finSum_congr fun i => by rw [e]]
  rw [h, evalG_gauge]; rfl
/-- with `v ≠ 0`, biased keys and queries are identifiable up to the invisible `k`, and `l` up to the kernel of `W` -/
theorem biased_iff {W W' : Mat R d} {k k' l l' : Vec R d} {v v' : Vec K d} {b b' : K} (hv : v ≠ 0) :
    (∀ xs q, S.evalG (fun x q => score W (x + k) (q + l)) (fun x => S.inner v x + b) xs q =
      S.evalG (fun x q => score W' (x + k') (q + l')) (fun x => S.inner v' x + b') xs q) ↔
    W = W' ∧ mulVec W l = mulVec W' l' ∧ v = v' ∧ b = b' := by
  simp only [biased_eq_affine]
  constructor
  · exact S.affine_unique' hv
  · rintro ⟨rfl, e, rfl, rfl⟩ xs q
    rw [e]
end Semantics

end AttentionQueries
