import AttentionQueries.Algebra.Order
import AttentionQueries.SingleHead.Formulas

/-! # Noisy outputs: error of the attention share, of the odds, and an interval for the score -/

namespace AttentionQueries
open CommRing OrderedField

/-! ## the share `p` and its estimate `p'` -/
variable {K : Type} [OrderedField K]

/-- numerator error `δ_f - (1 - p) δ_g - p δ_h` -/
theorem numerator_error {f g h f' g' h' p : K} (hp : f = g + p * (h - g)) :
    f' - g' - p * (h' - g') = (f' - f) - (1 - p) * (g' - g) - p * (h' - h) := by
  lin_comb (1) hp
/-- **(a)** error of the share; `p = (f - g) / (h - g)` is written without division -/
theorem share_error {f g h f' g' h' p τ : K} (hf : abs (f' - f) ≤ τ) (hg : abs (g' - g) ≤ τ) (hh : abs (h' - h) ≤ τ)
    (h0 : 0 ≤ p) (h1 : p ≤ 1) (hp : f = g + p * (h - g)) (hD : h' - g' ≠ 0) :
    abs ((f' - g') / (h' - g') - p) ≤ (τ + τ) / abs (h' - g') := by
  rw [le_div_iff (abs_pos hD), ← abs_mul]
  have e : ((f' - g') / (h' - g') - p) * (h' - g') = (f' - f) - (1 - p) * (g' - g) - p * (h' - h) := by
    rw [← numerator_error hp]
    lin_comb (1) (div_mul_cancel (f' - g') hD)
  rw [e]
  have h1' := sub_nonneg.mpr h1
  obtain ⟨f1, f2⟩ := abs_le.mp hf
  obtain ⟨g1, g2⟩ := abs_le.mp hg
  obtain ⟨k1, k2⟩ := abs_le.mp hh
  rw [← sub_nonneg] at f1 f2 g1 g2 k1 k2
  exact abs_le.mpr
    ⟨le_cert (add_nonneg (add_nonneg f1 (mul_nonneg h1' g2)) (mul_nonneg h0 k2)) (by ring),
     le_cert (add_nonneg (add_nonneg f2 (mul_nonneg h1' g1)) (mul_nonneg h0 k1)) (by ring)⟩
theorem share_error' {f g h f' g' h' τ : K} (hf : abs (f' - f) ≤ τ) (hg : abs (g' - g) ≤ τ) (hh : abs (h' - h) ≤ τ)
    (hd : h - g ≠ 0) (h0 : 0 < (f - g) / (h - g)) (h1 : (f - g) / (h - g) < 1) (hD : 0 < abs (h' - g')) :
    abs ((f' - g') / (h' - g') - (f - g) / (h - g)) ≤ (τ + τ) / abs (h' - g') :=
  share_error hf hg hh (le_of_lt h0) (le_of_lt h1)
    (by have := div_mul_cancel (f - g) hd; lin_comb (-1) this)
    fun e => by rw [e, abs_of_nonneg (le_refl 0)] at hD; exact lt_irrefl _ hD

/-- the bound is attained: shift `f` up and `g`, `h` down by `τ` -/
theorem share_error_sharp {f g h p τ : K} (hp : f = g + p * (h - g)) (hd : h - g ≠ 0) :
    ((f + τ) - (g - τ)) / ((h - τ) - (g - τ)) - p = (τ + τ) / (h - g) := by
  rw [show h - τ - (g - τ) = h - g by ring]
  symm
  rw [div_eq_iff hd]
  lin_comb (-1) (div_mul_cancel (f + τ - (g - τ)) hd) + (-1) hp

theorem odds_mono {p q : K} (h : p ≤ q) (hq : 0 < 1 - q) : p / (1 - p) ≤ q / (1 - q) := by
  have hp : 0 < 1 - p := lt_of_lt_of_le hq (le_cert (sub_nonneg.mpr h) (by ring))
  rw [div_le_iff hp]
  apply le_of_mul_le_mul_right hq
  have e := div_mul_cancel q (pos_ne hq)
  exact le_cert (sub_nonneg.mpr h) (by lin_comb (1 - p) e)
/-- **(b)** interval for the odds -/
theorem odds_interval {p p' ε : K} (h : abs (p' - p) ≤ ε) (h1 : ε < p') (h2 : ε < 1 - p') :
    (0 < p ∧ p < 1) ∧ (p' - ε) / (1 - p' + ε) ≤ p / (1 - p) ∧ p / (1 - p) ≤ (p' + ε) / (1 - p' - ε) := by
  obtain ⟨a1, a2⟩ := abs_le.mp h
  have lo : p' - ε ≤ p := le_cert (sub_nonneg.mpr a2) (by ring)
  have hi : p ≤ p' + ε := le_cert (sub_nonneg.mpr a1) (by ring)
  have h1' : 0 < p' - ε := sub_pos.mpr h1
  have h2' : 0 < 1 - (p' + ε) := by have := sub_pos.mpr h2; rwa [show 1 - p' - ε = 1 - (p' + ε) by ring] at this
  have hp1 : p < 1 := lt_of_le_of_lt hi (sub_pos.mp h2')
  refine ⟨⟨lt_of_lt_of_le h1' lo, hp1⟩, ?_, ?_⟩
  · rw [show 1 - p' + ε = 1 - (p' - ε) by ring]
    exact odds_mono lo (sub_pos.mpr hp1)
  · rw [show 1 - p' - ε = 1 - (p' + ε) by ring]
    exact odds_mono hi h2'

/-! ## (c) the interval for the score -/
/-- a strictly monotone function reflects `≤` (`≤` in the form `¬ <`) -/
theorem not_lt_of_le {T : Type} [LT T] {E : T → K} (mono : ∀ s t, s < t → E s < E t) {s t : T} (h : E s ≤ E t) : ¬ t < s :=
  fun hts => h (mono _ _ hts)
theorem lt_iff_of_mono {T : Type} [LT T] (total : ∀ s t : T, s < t ∨ s = t ∨ t < s) {E : T → K}
    (mono : ∀ s t, s < t → E s < E t) (s t : T) : s < t ↔ E s < E t := by
  refine ⟨mono s t, fun h => ?_⟩
  rcases total s t with h' | rfl | h'
  · exact h'
  · exact absurd h (lt_irrefl _)
  · exact absurd h (le_of_lt (mono _ _ h'))
theorem score_interval {T : Type} [LT T] {E : T → K} (mono : ∀ s t, s < t → E s < E t) {s lo hi : T} {p p' ε : K}
    (hs : p / (1 - p) = E s) (h : abs (p' - p) ≤ ε) (h1 : ε < p') (h2 : ε < 1 - p')
    (hlo : E lo ≤ (p' - ε) / (1 - p' + ε)) (hhi : (p' + ε) / (1 - p' - ε) ≤ E hi) : ¬ s < lo ∧ ¬ hi < s := by
  obtain ⟨-, l, u⟩ := odds_interval h h1 h2
  rw [hs] at l u
  exact ⟨not_lt_of_le mono (le_trans hlo l), not_lt_of_le mono (le_trans u hhi)⟩

section setting
variable {R : Type} [CommRing R] (S : Semantics R K) {d : Nat}
/-- the share of `k` copies of `q + u` against `n + 1` copies of `q` -/
def Semantics.share (W : Mat R d) (k n : Nat) (u q : Vec R d) : K :=
  (natCast k * S.exp (score W u q)) / (natCast k * S.exp (score W u q) + natCast (n + 1))
theorem Semantics.share_odds (W : Mat R d) (k n : Nat) (u q : Vec R d) :
    S.share W k n u q * natCast (n + 1) = (1 - S.share W k n u q) * (natCast k * S.exp (score W u q)) := by
  have h := div_mul_cancel (natCast k * S.exp (score W u q)) (pos_ne (S.den_pos (k := k) (n := n) (score W u q)))
  rw [← Semantics.share] at h
  lin_comb (1) h
theorem Semantics.share_bounds (W : Mat R d) (k n : Nat) (u q : Vec R d) :
    0 ≤ S.share W k n u q ∧ S.share W k n u q < 1 := by
  have hpos := S.den_pos (k := k) (n := n) (score W u q)
  have h := div_mul_cancel (natCast k * S.exp (score W u q)) (pos_ne hpos)
  rw [← Semantics.share] at h
  have h0 : (0 : K) ≤ natCast k * S.exp (score W u q) := by
    cases k with
    | zero => rw [natCast_zero, zero_mul]; exact le_refl _
    | succ k => exact le_of_lt (mul_pos _ _ (natCast_pos k) (S.exp_pos _))
  refine ⟨(le_div_iff hpos).mpr (by rw [zero_mul]; exact h0), lt_of_not_le fun h1 => ?_⟩
  have h2 := mul_le_mul_right (le_of_lt hpos) h1
  rw [h, one_mul] at h2
  exact h2 (lt_cert (natCast_pos n) (by ring))

/-- **The true score lies in the reported interval.** `f', g', h'` are the outputs on `k` copies of `q + u` and `n` copies
of `q`, on `q` alone, and on `q + u` alone, each with error at most `τ`. -/
theorem Semantics.score_mem_interval [LT R] (mono : ∀ s t, s < t → S.exp s < S.exp t) (W : Mat R d) (v : Vec K d)
    (k n : Nat) (u q : Vec R d) {f' g' h' τ p' ε : K} {lo hi : R}
    (hf : abs (f' - S.eval W v (copies (k + 1) n u q) q) ≤ τ) (hg : abs (g' - S.eval W v [] q) ≤ τ)
    (hh : abs (h' - S.eval W v [] (q + u)) ≤ τ) (hD : h' - g' ≠ 0)
    (hp' : p' = (f' - g') / (h' - g')) (hε : ε = (τ + τ) / abs (h' - g')) (h1 : ε < p') (h2 : ε < 1 - p')
    (hlo : natCast (k + 1) * S.exp lo ≤ (p' - ε) / (1 - p' + ε) * natCast (n + 1))
    (hhi : (p' + ε) / (1 - p' - ε) * natCast (n + 1) ≤ natCast (k + 1) * S.exp hi) :
    ¬ score W u q < lo ∧ ¬ hi < score W u q := by
  obtain ⟨b0, b1⟩ := S.share_bounds W (k + 1) n u q
  have herr : abs (p' - S.share W (k + 1) n u q) ≤ ε := by
    rw [hp', hε]
    refine share_error hf hg hh b0 (le_of_lt b1) ?_ hD
    rw [S.eval_copies, S.eval_nil, S.eval_nil, S.inner_add, ← Semantics.share]; ring
  obtain ⟨-, l, r⟩ := odds_interval herr h1 h2
  have hodds : S.share W (k + 1) n u q / (1 - S.share W (k + 1) n u q) * natCast (n + 1) =
      natCast (k + 1) * S.exp (score W u q) := by
    have h := S.share_odds W (k + 1) n u q
    have hne : 1 - S.share W (k + 1) n u q ≠ 0 := pos_ne (sub_pos.mpr b1)
    have e := div_mul_cancel (S.share W (k + 1) n u q) hne
    apply mul_right_cancel hne
    lin_comb (1) h + (natCast (n + 1)) e
  have l' := mul_le_mul_right (le_of_lt (natCast_pos n)) l
  have r' := mul_le_mul_right (le_of_lt (natCast_pos n)) r
  rw [hodds] at l' r'
  have hk := natCast_pos (K := K) k
  refine ⟨not_lt_of_le mono (le_of_mul_le_mul_right hk ?_), not_lt_of_le mono (le_of_mul_le_mul_right hk ?_)⟩
  · rw [mul_comm, mul_comm _ (natCast (k + 1))]; exact le_trans hlo l'
  · rw [mul_comm, mul_comm _ (natCast (k + 1))]; exact le_trans r' hhi
end setting

/-! ## (d) bisection with a sign oracle; scores in an ordered field -/
/-- the midpoint -/
def mid (a b : K) : K := (a + b) / (1 + 1)
theorem mid_add_mid (a b : K) : mid a b + mid a b = a + b := by
  have h : mid a b * (1 + 1) = a + b := div_mul_cancel (a + b) (pos_ne (add_pos one_pos one_pos))
  lin_comb (1) h
/-- `below t` answers whether the unknown score is less than `t` -/
def bisect (below : K → Bool) (I : K × K) : K × K :=
  cond (below (mid I.1 I.2)) (I.1, mid I.1 I.2) (mid I.1 I.2, I.2)
theorem bisect_mem {s : K} {below : K → Bool} (hb : ∀ t, below t = true ↔ s < t) {I : K × K} (h : I.1 ≤ s ∧ s ≤ I.2) :
    (bisect below I).1 ≤ s ∧ s ≤ (bisect below I).2 := by
  unfold bisect
  cases hc : below (mid I.1 I.2) with
  | true => exact ⟨h.1, le_of_lt ((hb _).mp hc)⟩
  | false => exact ⟨fun h' => Bool.noConfusion (hc.symm.trans ((hb _).mpr h')), h.2⟩
theorem bisect_width (below : K → Bool) (I : K × K) :
    ((bisect below I).2 - (bisect below I).1) + ((bisect below I).2 - (bisect below I).1) = I.2 - I.1 := by
  have h := mid_add_mid I.1 I.2
  unfold bisect
  cases below (mid I.1 I.2) with
  | true => show (mid I.1 I.2 - I.1) + (mid I.1 I.2 - I.1) = I.2 - I.1; lin_comb (1) h
  | false => show (I.2 - mid I.1 I.2) + (I.2 - mid I.1 I.2) = I.2 - I.1; lin_comb (-1) h
/-- `n` steps -/
def bisects (below : K → Bool) (I : K × K) : Nat → K × K
  | 0 => I
  | n + 1 => bisect below (bisects below I n)
/-- `n` steps keep the truth and divide the width by `2 ^ n`. -/
theorem bisects_spec {s : K} {below : K → Bool} (hb : ∀ t, below t = true ↔ s < t) {I : K × K} (h : I.1 ≤ s ∧ s ≤ I.2)
    (n : Nat) : ((bisects below I n).1 ≤ s ∧ s ≤ (bisects below I n).2) ∧
      natCast (2 ^ n) * ((bisects below I n).2 - (bisects below I n).1) = I.2 - I.1 := by
  induction n with
  | zero => exact ⟨h, by rw [Nat.pow_zero, natCast_one, one_mul]; rfl⟩
  | succ n ih =>
    refine ⟨bisect_mem hb ih.1, ?_⟩
    rw [← ih.2, ← bisect_width below (bisects below I n), Nat.pow_succ, Nat.mul_succ, Nat.mul_one, natCast_add]
    show (natCast (2 ^ n) + natCast (2 ^ n)) * ((bisect below (bisects below I n)).2 - (bisect below (bisects below I n)).1) = _
    ring

/-! ### the oracle: exact outputs, and noisy outputs (which may leave the question open) -/
/-- the logistic weight `e / (e + 1)` is strictly increasing in `e > 0` -/
theorem weight_le_iff {a b : K} (ha : 0 < a) (hb : 0 < b) : a / (a + 1) ≤ b / (b + 1) ↔ a ≤ b := by
  have pa := add_pos ha one_pos
  have pb := add_pos hb one_pos
  have e := div_mul_cancel b (pos_ne pb)
  rw [div_le_iff pa]
  constructor
  · intro h
    have h1 := mul_le_mul_right (le_of_lt pb) h
    exact le_cert (sub_nonneg.mpr h1) (by lin_comb (-(a + 1)) e)
  · intro h
    refine le_of_mul_le_mul_right pb (le_cert (sub_nonneg.mpr h) ?_)
    lin_comb (a + 1) e
theorem weight_lt_iff {a b : K} (ha : 0 < a) (hb : 0 < b) : a / (a + 1) < b / (b + 1) ↔ a < b := by
  constructor
  · exact fun h => lt_of_not_le fun h' => (weight_le_iff hb ha).mpr h' h
  · exact fun h => lt_of_not_le fun h' => (weight_le_iff hb ha).mp h' h
/-- **Exact outputs give a sign oracle**: comparing `f - g` with `(h - g) · weight t` decides `s < t`. -/
theorem Semantics.sign_oracle {R : Type} [CommRing R] (S : Semantics R K) {d : Nat} [LT R] (total : ∀ s t : R, s < t ∨ s = t ∨ t < s)
    (mono : ∀ s t, s < t → S.exp s < S.exp t) (W : Mat R d) (v : Vec K d) (u q : Vec R d) (hu : 0 < S.inner v u) (t : R) :
    S.eval W v [q + u] q - S.eval W v [] q <
      (S.eval W v [] (q + u) - S.eval W v [] q) * (S.exp t / (S.exp t + 1)) ↔ score W u q < t := by
  rw [S.eval_one, S.eval_nil, S.eval_nil, S.inner_add, lt_iff_of_mono total mono,
    ← weight_lt_iff (S.exp_pos (score W u q)) (S.exp_pos t)]
  generalize S.exp t / (S.exp t + 1) = y
  generalize S.exp (score W u q) / (S.exp (score W u q) + 1) = x
  constructor
  · intro h
    refine lt_of_not_le fun h' => ?_
    exact le_cert (mul_nonneg (le_of_lt hu) (sub_nonneg.mpr h')) (by ring) h
  · intro h
    exact lt_cert (mul_pos _ _ hu (sub_pos.mpr h)) (by ring)
/-- an oracle that may decline: the interval is then kept -/
def bisect3 (below : K → Option Bool) (I : K × K) : K × K :=
  match below (mid I.1 I.2) with
  | some true => (I.1, mid I.1 I.2)
  | some false => (mid I.1 I.2, I.2)
  | none => I
theorem bisect3_mem {s : K} {below : K → Option Bool} (h1 : ∀ t, below t = some true → s ≤ t)
    (h2 : ∀ t, below t = some false → t ≤ s) {I : K × K} (h : I.1 ≤ s ∧ s ≤ I.2) :
    (bisect3 below I).1 ≤ s ∧ s ≤ (bisect3 below I).2 := by
  unfold bisect3
  cases hc : below (mid I.1 I.2) with
  | none => exact h
  | some b =>
    cases b with
    | true => exact ⟨h.1, h1 _ hc⟩
    | false => exact ⟨h2 _ hc, h.2⟩
open Classical in
/-- compares `p' ± ε` with the weight of `t` -/
noncomputable def noisyOracle {T : Type} (σ : T → K) (p' ε : K) (t : T) : Option Bool :=
  if p' + ε < σ t then some true else if σ t < p' - ε then some false else none
/-- **Noisy outputs give an oracle that never lies.** -/
theorem noisyOracle_spec {T : Type} [LT T] {σ : T → K} (mono : ∀ s t, s < t → σ s < σ t) {s : T} {p' ε : K}
    (h : abs (p' - σ s) ≤ ε) (t : T) :
    (noisyOracle σ p' ε t = some true → ¬ t < s) ∧ (noisyOracle σ p' ε t = some false → ¬ s < t) := by
  obtain ⟨a1, a2⟩ := abs_le.mp h
  have lo : p' - ε ≤ σ s := le_cert (sub_nonneg.mpr a2) (by ring)
  have hi : σ s ≤ p' + ε := le_cert (sub_nonneg.mpr a1) (by ring)
  unfold noisyOracle
  by_cases h1 : p' + ε < σ t
  · rw [if_pos h1]
    exact ⟨fun _ => not_lt_of_le mono (le_of_lt (lt_of_le_of_lt hi h1)), fun e => nomatch e⟩
  · rw [if_neg h1]
    by_cases h2 : σ t < p' - ε
    · rw [if_pos h2]
      exact ⟨(fun e => nomatch e), fun _ => not_lt_of_le mono (le_of_lt (lt_of_lt_of_le h2 lo))⟩
    · rw [if_neg h2]
      exact ⟨(fun e => nomatch e), fun e => nomatch e⟩

end AttentionQueries
