import AttentionQueries.Base2.Instance
import AttentionQueries.ExpField.Instance
import AttentionQueries.Transformer.Points

/-! # What the function of a one-layer Transformer determines

The function determines the network as a function, hence its canonical form, and it determines the score matrix unless
the network is constant. So there are no other dead directions: whichever pairs of tokens a network fails to tell
apart, the function on all sequences determines the whole matrix. This holds over archimedean fields for every ring of
tokens, the integers among them, and for networks with hyperplanes over the scalars when the scalars form a field.

## Main statements

* `Semantics.transformer_eq_iff`: **two Transformers compute the same function iff their networks do, and these are
  constant or the score matrices agree** (archimedean `K`).
* `Semantics.transformer_eq_iff_of_field`: the same for scalars that form a field and contain the hyperplanes.
* `Semantics.transformer_canonical_iff`, `Semantics.transformer_canonical_iff_of_field`: in terms of canonical forms.
* `Semantics.transformer_identifiable_iff`: for `d ≥ 1`, the score matrix and the function of the network are determined
  iff the network is not constant.
* `Semantics.transformer_projection_iff`: what is identifiable of a value projection in front of the network.
* `Semantics.network_identifiable_iff`: for `d ≥ 1`, all networks in canonical form are determined, whatever the score
  matrix, iff the points `x / n` are dense.
* `Semantics.bounded_tokens`, `symbolic_over_needed`: without density a kink out of reach of all tokens is
  invisible.
* `archimedean_rational`: the first theorem applies to the semantics `base2`. -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-! ## A network along a segment -/

/-- A rectified affine function is affine on an interval without its root. -/
private theorem relu_between {α β a b : K} (hab : a < b) (hroot : β ≠ 0 → -α / β ≤ a ∨ b ≤ -α / β) :
    ∃ η, ∀ t, a ≤ t → t ≤ b → relu (α + t * β) = relu (α + a * β) + η * (t - a) := by
  have hsign : (∀ t, a ≤ t → t ≤ b → 0 ≤ α + t * β) ∨ ∀ t, a ≤ t → t ≤ b → α + t * β ≤ 0 := by
    by_cases hβ : β = 0
    · have e : ∀ t, α + t * β = α := fun t => by rw [hβ, mul_zero, add_zero]
      rcases le_total 0 α with h | h
      · exact .inl fun t _ _ => by rw [e]; exact h
      · exact .inr fun t _ _ => by rw [e]; exact h
    · have e := div_mul_cancel (-α) hβ
      have hr := hroot hβ
      generalize -α / β = s at e hr
      have hx : ∀ t, α + t * β = β * (t - s) := fun t => by lin_comb (1) e
      have hx' : ∀ t, α + t * β = -(-β * (t - s)) := fun t => by lin_comb (1) e
      have hx'' : ∀ t, α + t * β = -(β * (s - t)) := fun t => by lin_comb (1) e
      have hx''' : ∀ t, α + t * β = -β * (s - t) := fun t => by lin_comb (1) e
      rcases le_total 0 β with hb | hb <;> rcases hr with hs | hs
      · exact .inl fun t h1 _ => by rw [hx]; exact mul_nonneg hb (sub_nonneg.mpr (le_trans hs h1))
      · exact .inr fun t _ h2 => le_cert (mul_nonneg hb (sub_nonneg.mpr (le_trans h2 hs))) (by rw [hx'']; ring)
      · exact .inr fun t h1 _ => le_cert (mul_nonneg (neg_nonneg hb) (sub_nonneg.mpr (le_trans hs h1)))
          (by rw [hx']; ring)
      · exact .inl fun t _ h2 => by rw [hx''']; exact mul_nonneg (neg_nonneg hb) (sub_nonneg.mpr (le_trans h2 hs))
  have haa := le_refl a
  have hab' := le_of_lt hab
  rcases hsign with h | h
  · exact ⟨β, fun t h1 h2 => by rw [relu_of_nonneg (h t h1 h2), relu_of_nonneg (h a haa hab')]; ring⟩
  · exact ⟨0, fun t h1 h2 => by rw [relu_of_nonpos (h t h1 h2), relu_of_nonpos (h a haa hab')]; ring⟩

private theorem exists_max (P : K → Prop) : ∀ l : List K, (∃ a ∈ l, P a) → ∃ a ∈ l, P a ∧ ∀ b ∈ l, P b → b ≤ a
  | [], h => by
    obtain ⟨a, ha, -⟩ := h
    exact nomatch ha
  | c :: l, h => by
    by_cases hl : ∃ a ∈ l, P a
    · obtain ⟨a, ha, hPa, hmax⟩ := exists_max P l hl
      by_cases hc : P c ∧ a ≤ c
      · refine ⟨c, List.mem_cons_self, hc.1, fun b hb hPb => ?_⟩
        rcases List.mem_cons.mp hb with rfl | hb
        · exact le_refl _
        · exact le_trans (hmax b hb hPb) hc.2
      · refine ⟨a, List.mem_cons_of_mem _ ha, hPa, fun b hb hPb => ?_⟩
        rcases List.mem_cons.mp hb with rfl | hb
        · exact fun h => hc ⟨hPb, le_of_lt h⟩
        · exact hmax b hb hPb
    · obtain ⟨a, ha, hPa⟩ := h
      rcases List.mem_cons.mp ha with rfl | ha
      · refine ⟨a, List.mem_cons_self, hPa, fun b hb hPb => ?_⟩
        rcases List.mem_cons.mp hb with rfl | hb
        · exact le_refl _
        · exact absurd ⟨b, hb, hPb⟩ hl
      · exact absurd ⟨a, ha, hPa⟩ hl

private theorem exists_min (P : K → Prop) (l : List K) (h : ∃ a ∈ l, P a) : ∃ a ∈ l, P a ∧ ∀ b ∈ l, P b → a ≤ b := by
  obtain ⟨a, ha, hPa, hmax⟩ := exists_max (fun x => P (-x)) (l.map fun x => -x) (by
    obtain ⟨a, ha, hPa⟩ := h
    exact ⟨-a, List.mem_map.mpr ⟨a, ha, rfl⟩, by rw [neg_neg]; exact hPa⟩)
  obtain ⟨a', ha', rfl⟩ := List.mem_map.mp ha
  refine ⟨a', ha', by rwa [neg_neg] at hPa, fun b hb hPb => ?_⟩
  have := hmax (-b) (List.mem_map.mpr ⟨b, hb, rfl⟩) (by rw [neg_neg]; exact hPb)
  exact le_cert (sub_nonneg.mpr this) (by ring)

namespace Semantics

private theorem input_line (n : Neuron K d) (q u : Vec R d) (t : K) :
    n.input (S.line q u t) = S.inner n.w q + n.c + t * S.inner n.w u := by
  rw [Neuron.input, dot_line]
  ring

/-- A network is affine on a part of a segment without kinks. -/
private theorem eval_between (N : Network K d) (q u : Vec R d) {a b : K} (hab : a < b)
    (hroot : ∀ n ∈ N.hidden, S.inner n.w u ≠ 0 →
      -(S.inner n.w q + n.c) / S.inner n.w u ≤ a ∨ b ≤ -(S.inner n.w q + n.c) / S.inner n.w u) :
    ∃ η, ∀ t, a ≤ t → t ≤ b → N.eval (S.line q u t) = N.eval (S.line q u a) + η * (t - a) := by
  obtain ⟨L, v, e⟩ := N
  have hL : ∃ η, ∀ t, a ≤ t → t ≤ b → listSum L (fun n => n.a * relu (n.input (S.line q u t))) =
      listSum L (fun n => n.a * relu (n.input (S.line q u a))) + η * (t - a) := by
    induction L with
    | nil => exact ⟨0, fun t _ _ => by rw [listSum_nil, listSum_nil, zero_mul, add_zero]⟩
    | cons n L ih =>
      obtain ⟨η, h⟩ := ih fun m hm => hroot m (List.mem_cons_of_mem _ hm)
      obtain ⟨η', h'⟩ := relu_between (α := S.inner n.w q + n.c) (β := S.inner n.w u) hab
        (hroot n List.mem_cons_self)
      refine ⟨n.a * η' + η, fun t h1 h2 => ?_⟩
      rw [listSum_cons, listSum_cons, h t h1 h2, input_line, input_line, h' t h1 h2]
      ring
  obtain ⟨η, h⟩ := hL
  refine ⟨η + S.inner v u, fun t h1 h2 => ?_⟩
  rw [Network.eval, Network.eval, h t h1 h2, dot_line, dot_line]
  ring

/-- A network is constant along a segment, if it is so on every initial part of it where it is affine next: the slope
behind an initial part on which it is constant vanishes. -/
private theorem constant_on_segment {T : K → Prop} (hT : S.TokensDense T) {N : Network K d} (hN : N.Over T)
    (q u : Vec R d) (step : ∀ a b η, T a → T b → 0 ≤ a → a < b → b ≤ 1 →
      (∀ t, 0 ≤ t → t ≤ a → N.eval (S.line q u t) = N.eval (S.line q u 0)) →
      (∀ t, a ≤ t → t ≤ b → N.eval (S.line q u t) = N.eval (S.line q u a) + η * (t - a)) → η = 0) :
    ∀ t, 0 ≤ t → t ≤ 1 → N.eval (S.line q u t) = N.eval (S.line q u 0) := by
  classical
  have hcast : ∀ x : Vec R d, ∀ i, T (S.castV x i) := fun x i => hT.mem _ ⟨x i, 0, (congrFun (S.point_zero x) i).symm⟩
  let root : Neuron K d → K := fun n => -(S.inner n.w q + n.c) / S.inner n.w u
  let B : List K := 0 :: 1 :: (N.hidden.filter fun n => S.inner n.w u ≠ 0).map root
  have hB : ∀ n ∈ N.hidden, S.inner n.w u ≠ 0 → root n ∈ B := fun n hn h =>
    List.mem_cons_of_mem _ (List.mem_cons_of_mem _
      (List.mem_map.mpr ⟨n, List.mem_filter.mpr ⟨hn, decide_eq_true h⟩, rfl⟩))
  have hBT : ∀ s ∈ B, T s := fun s hs => by
    rcases List.mem_cons.mp hs with rfl | hs
    · exact hT.natCast 0
    rcases List.mem_cons.mp hs with rfl | hs
    · exact hT.one
    obtain ⟨n, hn, rfl⟩ := List.mem_map.mp hs
    obtain ⟨hn, hu⟩ := List.mem_filter.mp hn
    exact hT.div (hT.neg _ (hT.add _ _ (hT.dot (hN n hn).1 (hcast q)) (hN n hn).2)) (hT.dot (hN n hn).1 (hcast u))
      (of_decide_eq_true hu)
  have h01 := le_of_lt (one_pos (K := K))
  -- the last break point up to which the network is constant
  obtain ⟨a, haB, ⟨ha0, ha1, hconst⟩, hmax⟩ := exists_max (fun a => 0 ≤ a ∧ a ≤ 1 ∧
      ∀ t, 0 ≤ t → t ≤ a → N.eval (S.line q u t) = N.eval (S.line q u 0)) B
    ⟨0, List.mem_cons_self, le_refl 0, h01, fun t h1 h2 => by rw [le_antisymm h2 h1]⟩
  rcases lt_or_eq_of_le ha1 with ha1 | rfl
  · -- the next break point
    obtain ⟨b, hbB, hab, hmin⟩ := exists_min (fun b => a < b) B
      ⟨1, List.mem_cons_of_mem _ List.mem_cons_self, ha1⟩
    have hb1 : b ≤ 1 := hmin 1 (List.mem_cons_of_mem _ List.mem_cons_self) ha1
    obtain ⟨η, hη⟩ := S.eval_between N q u hab fun n hn hu => by
      by_cases h : a < root n
      · exact .inr (hmin _ (hB n hn hu) h)
      · exact .inl h
    have h0 := step a b η (hBT a haB) (hBT b hbB) ha0 hab hb1 hconst hη
    refine absurd hab (hmax b hbB ⟨le_trans ha0 (le_of_lt hab), hb1, fun t h1 h2 => ?_⟩)
    rcases le_total t a with h3 | h3
    · exact hconst t h1 h3
    · rw [hη t h3 h2, h0, zero_mul, add_zero]
      exact hconst a ha0 (le_refl a)
  · exact hconst

/-! ## Archimedean fields: copies sweep the segment -/

private theorem lt_div {a x D : K} (hD : 0 < D) (h : a * D < x) : a < x / D :=
  lt_of_not_le fun h' => (div_le_iff hD).mp h' h
private theorem div_lt {a x D : K} (hD : 0 < D) (h : x < a * D) : x / D < a :=
  lt_of_not_le fun h' => (le_div_iff hD).mp h' h

/-- If a function has equal values at the two weights that belong to different exponentials, for all numbers of copies,
then its slope behind an initial part on which it is constant vanishes. -/
private theorem slope_eq_zero (hK : Archimedean K) {E E' : K} (hE' : 0 < E') (hEE : E' < E) {f : K → K}
    (hf : ∀ k m : Nat, f (natCast (k + 1) * E / (natCast (k + 1) * E + natCast (m + 1))) =
      f (natCast (k + 1) * E' / (natCast (k + 1) * E' + natCast (m + 1)))) {a b η : K} (ha : 0 ≤ a) (hab : a < b)
    (hb : b ≤ 1) (hconst : ∀ t, 0 ≤ t → t ≤ a → f t = f 0) (hη : ∀ t, a ≤ t → t ≤ b → f t = f a + η * (t - a)) :
    η = 0 := by
  have hE : 0 < E := lt_trans _ _ _ hE' hEE
  obtain ⟨c, -, hac, hcb⟩ := denseIn_self.dense a b trivial trivial hab
  have hc1 := sub_pos.mpr (lt_of_lt_of_le hcb hb)
  have ha1 := sub_pos.mpr (lt_of_lt_of_le hab hb)
  have hDa := mul_pos _ _ hE ha1
  have hDc := mul_pos _ _ hE hc1
  have ea := div_mul_cancel a (pos_ne hDa)
  have ec := div_mul_cancel c (pos_ne hDc)
  have hxy : a / (E * (1 - a)) < c / (E * (1 - c)) := by
    refine lt_div hDc (lt_of_not_le fun h' => ?_)
    have h1 := mul_le_mul_right (le_of_lt ha1) h'
    exact h1 (lt_cert (sub_pos.mpr hac) (by lin_comb (-(1 - c)) ea))
  have hx0 : 0 ≤ a / (E * (1 - a)) := (le_div_iff hDa).mpr (by rw [zero_mul]; exact ha)
  obtain ⟨k, m, h1, h2⟩ := hK.exists_ratio hx0 hxy
  have hk := natCast_pos (K := K) k
  have hm := natCast_pos (K := K) m
  have key := hf k m
  generalize (natCast (k + 1) : K) = κ at *
  generalize (natCast (m + 1) : K) = μ at *
  generalize a / (E * (1 - a)) = x at *
  generalize c / (E * (1 - c)) = y at *
  have hD := add_pos (mul_pos _ _ hk hE) hm
  have hD' := add_pos (mul_pos _ _ hk hE') hm
  -- the weight for `E` lies behind `a`, and the weight for `E'` before it
  have l1 : a < κ * E / (κ * E + μ) := lt_div hD
    (lt_cert (mul_pos _ _ (sub_pos.mpr h1) hDa) (by lin_comb (μ) ea))
  have l2 : κ * E / (κ * E + μ) < c := div_lt hD
    (lt_cert (mul_pos _ _ (sub_pos.mpr h2) hDc) (by lin_comb (-μ) ec))
  have l3 : κ * E' / (κ * E' + μ) < κ * E / (κ * E + μ) := by
    have e := div_mul_cancel (κ * E) (pos_ne hD)
    refine lt_div hD (lt_of_not_le fun h' => ?_)
    have e' := div_mul_cancel (κ * E') (pos_ne hD')
    have h3 := mul_le_mul_right (le_of_lt hD') h'
    exact h3 (lt_cert (mul_pos _ _ (mul_pos _ _ hk hm) (sub_pos.mpr hEE)) (by lin_comb (-(κ * E + μ)) e'))
  have l4 : 0 ≤ κ * E' / (κ * E' + μ) :=
    (le_div_iff hD').mpr (by rw [zero_mul]; exact le_of_lt (mul_pos _ _ hk hE'))
  generalize κ * E / (κ * E + μ) = s at *
  generalize κ * E' / (κ * E' + μ) = s' at *
  have hs := hη s (le_of_lt l1) (le_of_lt (lt_trans _ _ _ l2 hcb))
  rcases le_total s' a with h3 | h3
  · have e : η * (s - a) = 0 := by
      lin_comb (-1) hs + (1) key + (1) (hconst s' l4 h3) + (-1) (hconst a ha (le_refl a))
    exact (mul_eq_zero e).resolve_right (pos_ne (sub_pos.mpr l1))
  · have hs' := hη s' h3 (le_of_lt (lt_trans _ _ _ l3 (lt_trans _ _ _ l2 hcb)))
    have e : η * (s - s') = 0 := by lin_comb (-1) hs + (1) key + (1) hs'
    exact (mul_eq_zero e).resolve_right (pos_ne (sub_pos.mpr l3))

private theorem segment_of_archimedean (hK : Archimedean K) {W W' : Mat R d} {N : Network K d}
    (h : ∀ xs q, S.transformer W N xs q = S.transformer W' N xs q) {q u : Vec R d} (hs : score W u q ≠ score W' u q) :
    ∀ t, 0 ≤ t → t ≤ 1 → N.eval (S.line q u t) = N.eval (S.line q u 0) := by
  refine S.constant_on_segment (S.tokensDense_of_archimedean hK) N.over_true q u
    fun a b η _ _ ha hab hb hconst hη => ?_
  have hf : ∀ k m : Nat, _ := fun k m => h (copies (k + 1) m u q) q
  simp only [transformer, attention_copies] at hf
  rcases lt_total (S.exp (score W u q)) (S.exp (score W' u q)) with hlt | e | hlt
  · exact slope_eq_zero hK (S.exp_pos _) hlt (fun k m => (hf k m).symm) ha hab hb hconst hη
  · exact absurd (S.exp_inj _ _ e) hs
  · exact slope_eq_zero hK (S.exp_pos _) hlt hf ha hab hb hconst hη

/-! ## Scalars that form a field: short segments -/

private theorem score_line (W : Mat R d) (q u : Vec R d) (r s : R) :
    score W (smul s u) (q + smul r u) = s * (score W u q + r * score W u u) := by
  have h1 : ∀ i, mulVec W (q + smul r u) i = mulVec W q i + r * mulVec W u i := fun i => by
    rw [mulVec, mulVec, mulVec, ← finSum_mul, ← finSum_add]
    exact finSum_congr fun j => by rw [vadd_app, smul]; ring
  rw [score, score, score, ← finSum_mul, ← finSum_add, ← finSum_mul]
  exact finSum_congr fun i => by rw [h1, smul]; ring

private theorem line_line (q u : Vec R d) (r s : R) (t : K) :
    S.line (q + smul r u) (smul s u) t = S.line q u (S.cast r + t * S.cast s) := funext fun i => by
  rw [line, line, vadd_app, smul, smul, S.cast_add, S.cast_mul, S.cast_mul]
  ring

/-- If the scores at one end of a segment differ, a network that is affine on the segment is constant there. -/
private theorem slope_of_end {W W' : Mat R d} {N : Network K d}
    (h : ∀ xs q, S.transformer W N xs q = S.transformer W' N xs q) {q u : Vec R d} (hs : score W u q ≠ score W' u q)
    {ζ η : K} (hη : ∀ t, 0 ≤ t → t ≤ 1 → N.eval (S.line q u t) = ζ + η * t) : η = 0 := by
  have e := h [q + u] q
  rw [transformer, transformer, attention_one, attention_one] at e
  obtain ⟨a, b⟩ := S.weight_bounds (score W u q)
  obtain ⟨a', b'⟩ := S.weight_bounds (score W' u q)
  rw [hη _ (le_of_lt a) (le_of_lt b), hη _ (le_of_lt a') (le_of_lt b')] at e
  refine (mul_eq_zero (b := S.exp (score W u q) / (S.exp (score W u q) + 1) -
    S.exp (score W' u q) / (S.exp (score W' u q) + 1)) (by lin_comb (1) e)).resolve_right fun h' => ?_
  exact hs (S.weight_inj (sub_eq_zero.mp h'))

private theorem segment_of_field (hR : ∀ a : R, a ≠ 0 → ∃ b, a * b = 1) {W W' : Mat R d} {N : Network K d}
    (hN : N.Over fun a => ∃ r, S.cast r = a) (h : ∀ xs q, S.transformer W N xs q = S.transformer W' N xs q)
    {q u : Vec R d} (hs : score W u q ≠ score W' u q) :
    ∀ t, 0 ≤ t → t ≤ 1 → N.eval (S.line q u t) = N.eval (S.line q u 0) := by
  refine S.constant_on_segment (S.tokensDense_of_field hR) hN q u ?_
  rintro _ _ η ⟨r, rfl⟩ ⟨s, rfl⟩ - hab - - hη
  have hrs : s - r ≠ 0 := fun e => lt_irrefl (S.cast s) (by rw [sub_eq_zero.mp e] at hab ⊢; exact hab)
  have hpos := sub_pos.mpr hab
  have ecast : S.cast (s - r) = S.cast s - S.cast r := by rw [sub_def, S.cast_add, cast_neg]; ring
  -- the part of the segment, from the left and from the right
  have hleft : ∀ t, 0 ≤ t → t ≤ 1 → N.eval (S.line (q + smul r u) (smul (s - r) u) t) =
      N.eval (S.line q u (S.cast r)) + η * (S.cast s - S.cast r) * t := fun t h0 h1 => by
    rw [line_line, ecast, hη]
    · ring
    · exact le_cert (mul_nonneg h0 (le_of_lt hpos)) (by ring)
    · exact le_cert (mul_nonneg (sub_nonneg.mpr h1) (le_of_lt hpos)) (by ring)
  have hright : ∀ t, 0 ≤ t → t ≤ 1 → N.eval (S.line (q + smul s u) (smul (r - s) u) t) =
      (N.eval (S.line q u (S.cast r)) + η * (S.cast s - S.cast r)) + -(η * (S.cast s - S.cast r)) * t :=
    fun t h0 h1 => by
      rw [line_line, show r - s = -(s - r) by ring, cast_neg, ecast, hη]
      · ring
      · exact le_cert (mul_nonneg (sub_nonneg.mpr h1) (le_of_lt hpos)) (by ring)
      · exact le_cert (mul_nonneg h0 (le_of_lt hpos)) (by ring)
  have hcancel : ∀ x : R, (s - r) * x = 0 → x = 0 := fun x hx => by
    obtain ⟨b, hb⟩ := hR (s - r) hrs
    lin_comb (b) hx + (-x) hb
  have hzero : η * (S.cast s - S.cast r) = 0 := by
    by_cases h1 : score W (smul (s - r) u) (q + smul r u) = score W' (smul (s - r) u) (q + smul r u)
    · by_cases h2 : score W (smul (r - s) u) (q + smul s u) = score W' (smul (r - s) u) (q + smul s u)
      · -- the difference of the scores is affine along the segment and would have two zeros
        rw [score_line, score_line] at h1 h2
        refine absurd (sub_eq_zero.mp (hcancel _ (hcancel _ ?_))) hs
        lin_comb (s) h1 + (r) h2
      · have e := S.slope_of_end h h2 hright
        lin_comb (-1) e
    · exact S.slope_of_end h h1 hleft
  exact (mul_eq_zero hzero).resolve_right (pos_ne hpos)

/-! ## The theorems -/

/-- A network in canonical form that is constant along all segments on which the scores differ is constant. -/
private theorem constant_of_segments {T : K → Prop} (hT : S.TokensDense T) {W W' : Mat R d} (hW : W ≠ W')
    {N : Network K d} (hN : N.Canonical) (hNT : N.Over T)
    (hseg : ∀ q u, score W u q ≠ score W' u q →
      ∀ t, 0 ≤ t → t ≤ 1 → N.eval (S.line q u t) = N.eval (S.line q u 0)) :
    ∃ e, N.SameUpToOrder (Network.const e) := by
  -- a query token at which the scores are different functions
  obtain ⟨q, hq⟩ : ∃ q : Vec R d, mulVec (W - W') q ≠ 0 := by
    obtain ⟨i, hi⟩ := exists_ne_zero fun e => hW (mat_eq_of_sub e)
    obtain ⟨j, hj⟩ := exists_ne_zero (x := (W - W') i) hi
    exact ⟨basis j, fun e => hj (by rw [← mulVec_basis (W - W') i j, e]; rfl)⟩
  have hcast : ∀ x : Vec R d, ∀ i, T (S.castV x i) := fun x i => hT.mem _ ⟨x i, 0, (congrFun (S.point_zero x) i).symm⟩
  refine ⟨N.eval (S.line q 0 0), S.network_unique_off hT hN (Network.canonical_const _) hNT (fun _ hn => nomatch hn)
    (M := [(S.castV (mulVec (W - W') q), -S.inner (S.castV (mulVec (W - W') q)) q)]) (fun m hm => ?_) fun x n hx => ?_⟩
  · rcases List.mem_cons.mp hm with rfl | hm
    · exact ⟨S.castV_ne hq, hcast _, hT.neg _ (hT.dot (hcast _) (hcast q))⟩
    · exact nomatch hm
  · have hp := natCast_pos (K := K) n
    have hinv := mul_inv _ (pos_ne hp)
    -- the point lies on the segment from `q` in the direction `x - (n + 1) q`
    have e : S.point x n = S.line q (x - smul (natCast (n + 1)) q) (natCast (n + 1) : K)⁻¹ := funext fun i => by
      rw [point, fraction, line, vsub_app, sub_def, S.cast_add, cast_neg, smul, S.cast_mul, cast_natCast, div_def]
      lin_comb (S.cast (q i)) hinv
    have hx := hx _ List.mem_cons_self
    rw [e, dot_line] at hx
    have hs : score W (x - smul (natCast (n + 1)) q) q ≠ score W' (x - smul (natCast (n + 1)) q) q := fun hs => by
      have hi := S.inner_mulVec (W - W') (x - smul (natCast (n + 1)) q) q
      rw [score_sub_mat, hs, sub_self, cast_zero] at hi
      apply hx
      show S.inner (S.castV (mulVec (W - W') q)) q + _ * S.inner (S.castV (mulVec (W - W') q)) _ +
        -S.inner (S.castV (mulVec (W - W') q)) q = 0
      rw [hi]
      ring
    have h0 : 0 ≤ (natCast (n + 1) : K)⁻¹ := fun h' => by
      have := mul_pos _ _ hp (lt_cert (sub_pos.mpr h') (by ring) : 0 < -(natCast (n + 1) : K)⁻¹)
      rw [mul_neg, hinv] at this
      exact lt_irrefl _ (lt_trans _ _ _ this (lt_cert one_pos (by ring)))
    have h1 : (natCast (n + 1) : K)⁻¹ ≤ 1 := by
      have hn : (0 : K) ≤ natCast n := by
        cases n with
        | zero => exact le_refl 0
        | succ n => exact le_of_lt (natCast_pos n)
      refine le_cert (mul_nonneg h0 hn) ?_
      rw [natCast_succ] at hinv ⊢
      lin_comb (-1) hinv
    rw [Network.eval_const, e, hseg q _ hs _ h0 h1]
    congr 1
    funext i
    rw [line, line, zero_mul, zero_mul]

private theorem eq_iff_of_segments {T : K → Prop} (hT : S.TokensDense T) {W W' : Mat R d} {N N' : Network K d}
    (hNT : N.Over T) (hNT' : N'.Over T)
    (hseg : ∀ N : Network K d, N.Over T → (∀ xs q, S.transformer W N xs q = S.transformer W' N xs q) →
      ∀ q u, score W u q ≠ score W' u q → ∀ t, 0 ≤ t → t ≤ 1 → N.eval (S.line q u t) = N.eval (S.line q u 0)) :
    (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) ↔
      (∀ z, N.eval z = N'.eval z) ∧ ((∀ z, N.eval z = N.eval 0) ∨ W = W') := by
  constructor
  · intro h
    obtain ⟨C, hC, hCT, -, hCe⟩ := Network.exists_canonical_over (fun _ _ => hT.div) N hNT
    obtain ⟨C', hC', hCT', -, hCe'⟩ := Network.exists_canonical_over (fun _ _ => hT.div) N' hNT'
    have hsame := (S.network_unique hT hC hC' hCT hCT').mp fun x n => by
      obtain ⟨xs, hz⟩ := S.attention_point x n
      have e := h xs 0
      rw [transformer, transformer, hz, hz] at e
      rw [hCe, hCe', e]
    have heq : ∀ z, N.eval z = N'.eval z := fun z => by rw [← hCe, ← hCe', hsame.eval_eq]
    refine ⟨heq, ?_⟩
    by_cases hW : W = W'
    · exact .inr hW
    obtain ⟨e, he⟩ := S.constant_of_segments hT hW hC hCT (hseg C hCT fun xs q => by
      have e := h xs q
      rw [transformer, transformer, ← heq] at e
      rw [transformer, transformer, hCe, hCe, e])
    exact .inl fun z => by rw [← hCe, ← hCe, he.eval_eq, he.eval_eq, Network.eval_const, Network.eval_const]
  · rintro ⟨heq, hconst | rfl⟩ xs q
    · rw [transformer, transformer, ← heq, hconst, ← hconst (S.attention W' xs q)]
    · exact heq _

/-- **What the function of a one-layer Transformer determines**, over an archimedean field and for every ring of tokens.
Two Transformers compute the same function on all sequences iff their networks compute the same function and, unless
that function is constant, their score matrices agree. -/
theorem transformer_eq_iff (hK : Archimedean K) {W W' : Mat R d} {N N' : Network K d} :
    (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) ↔
      (∀ z, N.eval z = N'.eval z) ∧ ((∀ z, N.eval z = N.eval 0) ∨ W = W') :=
  S.eq_iff_of_segments (S.tokensDense_of_archimedean hK) N.over_true N'.over_true
    fun _ _ h _ _ => S.segment_of_archimedean hK h

/-- **What the function of a one-layer Transformer determines**, for scalars that form a field, and networks whose
hyperplanes have coordinates in it; the output weights and the affine part may be any values. -/
theorem transformer_eq_iff_of_field (hR : ∀ a : R, a ≠ 0 → ∃ b, a * b = 1) {W W' : Mat R d} {N N' : Network K d}
    (hN : N.Over fun a => ∃ r, S.cast r = a) (hN' : N'.Over fun a => ∃ r, S.cast r = a) :
    (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) ↔
      (∀ z, N.eval z = N'.eval z) ∧ ((∀ z, N.eval z = N.eval 0) ∨ W = W') :=
  S.eq_iff_of_segments (S.tokensDense_of_field hR) hN hN' fun _ hC h _ _ => S.segment_of_field hR hC h

/-- **The one-layer Transformer is identifiable up to its canonical form**, over an archimedean field: with networks in
canonical form, two Transformers compute the same function iff they have the same affine part, the same neurons up to
order and, unless there are no neurons and no linear part, the same score matrix. -/
theorem transformer_canonical_iff (hK : Archimedean K) {W W' : Mat R d} {N N' : Network K d} (hN : N.Canonical)
    (hN' : N'.Canonical) : (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) ↔
      N.SameUpToOrder N' ∧ ((N.hidden = [] ∧ N.linear = 0) ∨ W = W') :=
  (S.transformer_eq_iff hK).trans (and_congr (Network.canonical_unique hN hN') (or_congr hN.constant_iff Iff.rfl))

/-- **The one-layer Transformer is identifiable up to its canonical form**, for scalars that form a field which contains
the coordinates of the hyperplanes. -/
theorem transformer_canonical_iff_of_field (hR : ∀ a : R, a ≠ 0 → ∃ b, a * b = 1) {W W' : Mat R d}
    {N N' : Network K d} (hN : N.Canonical) (hN' : N'.Canonical) (hNR : N.Over fun a => ∃ r, S.cast r = a)
    (hNR' : N'.Over fun a => ∃ r, S.cast r = a) :
    (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) ↔
      N.SameUpToOrder N' ∧ ((N.hidden = [] ∧ N.linear = 0) ∨ W = W') :=
  (S.transformer_eq_iff_of_field hR hNR hNR').trans
    (and_congr (Network.canonical_unique hN hN') (or_congr hN.constant_iff Iff.rfl))

/-- **Identifiability.** Over an archimedean field and for `d ≥ 1`, the score matrix and the function of the network are
determined by the function of the Transformer iff the network is not constant. -/
theorem transformer_identifiable_iff (hK : Archimedean K) (hd : 0 < d) (W : Mat R d) (N : Network K d) :
    (∀ (W' : Mat R d) (N' : Network K d), (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) →
      W = W' ∧ ∀ z, N.eval z = N'.eval z) ↔ ¬ ∀ z, N.eval z = N.eval 0 := by
  constructor
  · intro h hc
    obtain ⟨W', hW⟩ := S.exists_mat_ne hd W
    exact hW (h W' N ((S.transformer_eq_iff hK).mpr ⟨fun _ => rfl, .inl hc⟩)).1
  · intro hc W' N' h
    obtain ⟨h1, h2⟩ := (S.transformer_eq_iff hK).mp h
    exact ⟨h2.resolve_left hc, h1⟩

/-- **`d ≥ 1` is needed**: for `d = 0` the score matrix and the function of the network are always determined, although
every network is constant. -/
theorem transformer_identifiable_of_dim_zero (W : Mat R 0) (N : Network K 0) :
    (∀ (W' : Mat R 0) (N' : Network K 0), (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) →
      W = W' ∧ ∀ z, N.eval z = N'.eval z) ∧ ∀ z, N.eval z = N.eval 0 := by
  refine ⟨fun W' N' h => ⟨funext fun i => i.elim0, fun z => ?_⟩, fun z => ?_⟩
  · have e := h [] 0
    rwa [transformer, transformer, show S.attention W [] 0 = z from funext fun i => i.elim0,
      show S.attention W' [] 0 = z from funext fun i => i.elim0] at e
  · rw [show z = 0 from funext fun i => i.elim0]

/-- **A value projection is absorbed by the network.** For Transformers `N(V z)` with value projections `V`, through any
numbers of dimensions, over an archimedean field: they compute the same function iff the compositions of network and
projection do and, unless these are constant, the score matrices agree. So of `V` and the network exactly the canonical
form of the composition is identifiable, with the input weights `Vᵀ wⱼ` and the linear part `Vᵀ ℓ`. -/
theorem transformer_projection_iff (hK : Archimedean K) {m m' : Nat} {W W' : Mat R d} {V : RectMat K m d}
    {V' : RectMat K m' d} {N : Network K m} {N' : Network K m'} :
    (∀ xs q, N.eval (Matrix.col V (S.attention W xs q)) = N'.eval (Matrix.col V' (S.attention W' xs q))) ↔
      (∀ z, N.eval (Matrix.col V z) = N'.eval (Matrix.col V' z)) ∧
        ((∀ z, N.eval (Matrix.col V z) = N.eval (Matrix.col V 0)) ∨ W = W') := by
  have h := S.transformer_eq_iff hK (W := W) (W' := W') (N := N.after V) (N' := N'.after V')
  simp only [transformer, Network.eval_after] at h
  exact h

/-! ## The hypotheses are needed -/

/-- **Density is needed, exactly.** For `d ≥ 1`, all networks in canonical form are determined by the function of the
Transformer, whatever the score matrix and even if it is known, iff the points `x / n` are dense in `K`. -/
theorem network_identifiable_iff (hd : 0 < d) :
    (∀ (W : Mat R d) (N N' : Network K d), N.Canonical → N'.Canonical →
      (∀ xs q, S.transformer W N xs q = S.transformer W N' xs q) → N.SameUpToOrder N') ↔
      S.TokensDense fun _ => True := by
  rw [← S.network_unique_iff hd]
  constructor
  · intro h N N' hN hN' he
    refine h 0 N N' hN hN' fun xs q => ?_
    obtain ⟨x, n, hz⟩ := S.attention_zero xs q
    rw [transformer, transformer, hz, he]
  · intro h W N N' hN hN' he
    refine h N N' hN hN' fun x n => ?_
    obtain ⟨xs, hz⟩ := S.attention_point x n
    have e := he xs 0
    rwa [transformer, transformer, hz] at e

/-- **A kink beyond all tokens is invisible.** If an element `b` is above all scalars, then the network
`relu (z₁ - b)`, which is in canonical form and not constant, gives the output zero on all sequences, for every score
matrix: it is not told apart from the network without neurons, and says nothing about the score matrix. -/
theorem bounded_tokens {b : K} (hb : ∀ r, S.cast r < b) (hd : 0 < d) :
    let N : Network K d := ⟨[⟨1, basis ⟨0, hd⟩, -b⟩], 0, 0⟩
    N.Canonical ∧ (¬ ∀ z, N.eval z = N.eval 0) ∧ ∀ (W : Mat R d) xs q, S.transformer W N xs q = 0 := by
  intro N
  have hN : N.Canonical := by
    refine ⟨fun n hn => ?_, .cons (fun n hn => nomatch hn) .nil, fun n hn => ?_⟩
    · rcases List.mem_cons.mp hn with rfl | hn
      · exact ⟨⟨0, hd⟩, basis_self (⟨0, hd⟩ : Fin d), fun j hj => absurd hj (Nat.not_lt_zero _)⟩
      · exact nomatch hn
    · rcases List.mem_cons.mp hn with rfl | hn
      · exact zero_ne_one.symm
      · exact nomatch hn
  refine ⟨hN, fun h => (nomatch (hN.constant_iff.mp h).1), fun W xs q => ?_⟩
  have hden : 0 < listSum (xs ++ [q]) fun x => S.exp (score W x q) := by
    rw [listSum_append, listSum_cons, listSum_nil, add_zero]
    exact listSum_pos xs _ (fun _ _ => S.exp_pos _) _ (S.exp_pos _)
  have hle : S.attention W xs q ⟨0, hd⟩ ≤ b := by
    refine (div_le_iff hden).mpr ?_
    have h1 : 0 < listSum (xs ++ [q]) fun x => S.exp (score W x q) * (b - S.cast (x ⟨0, hd⟩)) := by
      rw [listSum_append, listSum_cons, listSum_nil, add_zero]
      exact listSum_pos xs _ (fun x _ => mul_pos _ _ (S.exp_pos _) (sub_pos.mpr (hb _))) _
        (mul_pos _ _ (S.exp_pos _) (sub_pos.mpr (hb _)))
    refine le_cert (le_of_lt h1) ?_
    have h2 : ∀ x : Vec R d, S.exp (score W x q) * (b - S.cast (x ⟨0, hd⟩)) =
        b * S.exp (score W x q) + -1 * (S.exp (score W x q) * S.cast (x ⟨0, hd⟩)) := fun x => by ring
    rw [listSum_congr fun x _ => h2 x, listSum_add, listSum_mul, listSum_mul]
    ring
  have hdot : dot (basis ⟨0, hd⟩) (S.attention W xs q) = S.attention W xs q ⟨0, hd⟩ := by
    rw [dot, finSum_single ⟨0, hd⟩, basis_self, one_mul]
    intro j hj
    rw [basis_ne hj, zero_mul]
  rw [transformer, Network.eval, listSum_cons, listSum_nil, zero_dot, Neuron.input, hdot, relu_of_nonpos]
  · show (1 : K) * 0 + 0 + 0 + 0 = 0
    ring
  · exact le_cert (sub_nonneg.mpr hle) (by
      show 0 - (_ + -b) = _
      ring)

end Semantics

/-! ## The two concrete models -/

/-- The rational numbers are archimedean, so that the theorems hold for the semantics `base2`. -/
theorem archimedean_rational : Archimedean Rational := fun x => by
  obtain ⟨p, q, hq, rfl⟩ := base2_eq_div x
  have hcast : ∀ k : Nat, base2.cast (k : Int) = natCast k := fun k => by
    induction k with
    | zero => exact base2.cast_zero
    | succ k ih => rw [Int.natCast_succ, base2.cast_add, ih, base2.cast_one, natCast_succ]
  have nonneg : ∀ k : Nat, (0 : Rational) ≤ natCast k := fun k => by
    cases k with
    | zero => exact le_refl 0
    | succ k => exact le_of_lt (natCast_pos k)
  obtain ⟨q, rfl⟩ := Nat.exists_eq_succ_of_ne_zero (Nat.pos_iff_ne_zero.mp hq)
  have hq : (0 : Rational) < natCast (q + 1) := natCast_pos q
  rw [hcast]
  have key : ∀ n : Nat, base2.cast p < natCast n * natCast (q + 1) →
      ∃ n : Nat, base2.cast p / natCast (q + 1) < natCast n := fun n h =>
    ⟨n, lt_of_not_le fun h' => (le_div_iff hq).mp h' h⟩
  rcases Int.le_total 0 p with hp | hp
  · obtain ⟨k, rfl⟩ := Int.eq_ofNat_of_zero_le hp
    refine key (k + 1) ?_
    rw [hcast, natCast_succ k, natCast_succ q]
    refine lt_cert (c := natCast k * natCast q + natCast q + 1) ?_ (by ring)
    exact lt_of_lt_of_le one_pos (le_cert (add_nonneg (mul_nonneg (nonneg k) (nonneg q)) (nonneg q)) (by ring))
  · obtain ⟨k, hk⟩ := Int.eq_ofNat_of_zero_le (Int.neg_nonneg_of_nonpos hp)
    refine key 1 ?_
    rw [show p = -(k : Int) by rw [← hk, Int.neg_neg], base2.cast_neg, hcast, natCast_one, one_mul]
    refine lt_cert (c := natCast k + natCast q + 1) ?_ (by rw [natCast_succ]; ring)
    exact lt_of_lt_of_le one_pos (le_cert (add_nonneg (nonneg k) (nonneg q)) (by ring))

/-- In the symbolic semantics `exp 1` is above all scalars. -/
theorem symbolicExp_cast_lt {K : Type} [OrderedField K] [DecidableEq K] [DecidableLT K] (c : K) :
    (symbolicExp K).cast c < (symbolicExp K).exp 1 := by
  refine FractionField.of_lt.mpr ?_
  show ∃ x, 0 < coeff [(1, 1), (-c, 0)] x ∧ ∀ r, x < r → coeff [(1, 1), (-c, 0)] r = 0
  have h01 : (0 : K) ≠ 1 := zero_ne_one
  refine ⟨1, ?_, fun r hr => ?_⟩
  · rw [coeff, listSum_cons, listSum_cons, listSum_nil, if_pos rfl, if_neg h01, add_zero, add_zero]
    exact one_pos
  · rw [coeff, listSum_cons, listSum_cons, listSum_nil, if_neg (fun e : (1 : K) = r => lt_irrefl r (e ▸ hr)),
      if_neg (fun e : (0 : K) = r => lt_irrefl r (lt_trans _ _ _ (e ▸ one_pos : r < 1) hr))]
    ring

/-- **Over the symbolic exponential the hyperplanes have to be rational.** The network `relu (z₁ - exp 1)` is in
canonical form and not constant, and gives the output zero on all sequences, for every score matrix. -/
theorem symbolic_over_needed {K : Type} [OrderedField K] [DecidableEq K] [DecidableLT K] {d : Nat} (hd : 0 < d) :
    ∃ N : Network (ExpField K) d, N.Canonical ∧ (¬ ∀ z, N.eval z = N.eval 0) ∧
      ∀ (W : Mat K d) xs q, (symbolicExp K).transformer W N xs q = 0 :=
  ⟨_, (symbolicExp K).bounded_tokens symbolicExp_cast_lt hd⟩

/-- **Integer tokens**: the theorem for the semantics with `exp s = 2ˢ`. -/
example {d : Nat} (W W' : Mat Int d) (N N' : Network Rational d) (hN : N.Canonical) (hN' : N'.Canonical) :
    (∀ xs q, base2.transformer W N xs q = base2.transformer W' N' xs q) ↔
      N.SameUpToOrder N' ∧ ((N.hidden = [] ∧ N.linear = 0) ∨ W = W') :=
  base2.transformer_canonical_iff archimedean_rational hN hN'

/-- **Rational tokens and the exponential function**: the theorem for the symbolic semantics. -/
example {d : Nat} (W W' : Mat Rational d) (N N' : Network (ExpField Rational) d) (hN : N.Canonical) (hN' : N'.Canonical)
    (hNR : N.Over fun a => ∃ r, (symbolicExp Rational).cast r = a)
    (hNR' : N'.Over fun a => ∃ r, (symbolicExp Rational).cast r = a) :
    (∀ xs q, (symbolicExp Rational).transformer W N xs q = (symbolicExp Rational).transformer W' N' xs q) ↔
      N.SameUpToOrder N' ∧ ((N.hidden = [] ∧ N.linear = 0) ∨ W = W') :=
  (symbolicExp Rational).transformer_canonical_iff_of_field (fun a ha => ⟨a⁻¹, mul_inv a ha⟩) hN hN' hNR hNR'

end AttentionQueries
