import AttentionQueries.Noise.Interval

/-! # Bisection, with an oracle that may decline to answer

## Main definitions

* `bisect`, `bisects`: one step, and several steps, of bisection.
* `bisectPartial`: one step when the oracle may decline.
* `noisyOracle`: such an oracle, from one noisy answer.

## Main statements

* `bisects_spec`: `n` steps keep the truth in the interval and divide its width by `2ⁿ`.
* `Semantics.sign_oracle`: exact outputs decide on which side of `t` a score is.
* `bisectPartial_mem`, `noisyOracle_spec`: a noisy answer gives an oracle that never lies, which is enough for the
  interval to keep the truth. -/

namespace AttentionQueries
open CommRing OrderedField
variable {K : Type} [OrderedField K]

/-! ## Bisection -/

/-- The midpoint of two elements. -/
def mid (a b : K) : K := (a + b) / (1 + 1)

/-- Twice the midpoint is the sum. -/
private theorem mid_add_mid (a b : K) : mid a b + mid a b = a + b := by
  have h : mid a b * (1 + 1) = a + b := div_mul_cancel (a + b) (pos_ne (add_pos one_pos one_pos))
  lin_comb (1) h

/-- One step of bisection: `below t` answers whether the unknown number is less than `t`. -/
def bisect (below : K → Bool) (I : K × K) : K × K :=
  cond (below (mid I.1 I.2)) (I.1, mid I.1 I.2) (mid I.1 I.2, I.2)

/-- A step keeps the unknown number in the interval. -/
private theorem bisect_mem {s : K} {below : K → Bool} (hb : ∀ t, below t = true ↔ s < t) {I : K × K}
    (h : I.1 ≤ s ∧ s ≤ I.2) :
    (bisect below I).1 ≤ s ∧ s ≤ (bisect below I).2 := by
  unfold bisect
  cases hc : below (mid I.1 I.2) with
  | true => exact ⟨h.1, le_of_lt ((hb _).mp hc)⟩
  | false => exact ⟨fun h' => Bool.noConfusion (hc.symm.trans ((hb _).mpr h')), h.2⟩

/-- A step divides the width of the interval by two. -/
private theorem bisect_width (below : K → Bool) (I : K × K) :
    ((bisect below I).2 - (bisect below I).1) + ((bisect below I).2 - (bisect below I).1) = I.2 - I.1 := by
  have h := mid_add_mid I.1 I.2
  unfold bisect
  cases below (mid I.1 I.2) with
  | true => show (mid I.1 I.2 - I.1) + (mid I.1 I.2 - I.1) = I.2 - I.1; lin_comb (1) h
  | false => show (I.2 - mid I.1 I.2) + (I.2 - mid I.1 I.2) = I.2 - I.1; lin_comb (-1) h

/-- `n` steps of bisection. -/
def bisects (below : K → Bool) (I : K × K) : Nat → K × K
  | 0 => I
  | n + 1 => bisect below (bisects below I n)

/-- **Bisection**: `n` steps keep the unknown number in the interval and divide the width by `2 ^ n`. -/
theorem bisects_spec {s : K} {below : K → Bool} (hb : ∀ t, below t = true ↔ s < t) {I : K × K} (h : I.1 ≤ s ∧ s ≤ I.2)
    (n : Nat) : ((bisects below I n).1 ≤ s ∧ s ≤ (bisects below I n).2) ∧
      natCast (2 ^ n) * ((bisects below I n).2 - (bisects below I n).1) = I.2 - I.1 := by
  induction n with
  | zero => exact ⟨h, by rw [Nat.pow_zero, natCast_one, one_mul]; rfl⟩
  | succ n ih =>
    refine ⟨bisect_mem hb ih.1, ?_⟩
    rw [← ih.2, ← bisect_width below (bisects below I n), Nat.pow_succ, Nat.mul_succ, Nat.mul_one, natCast_add]
    show (natCast (2 ^ n) + natCast (2 ^ n)) *
      ((bisect below (bisects below I n)).2 - (bisect below (bisects below I n)).1) = _
    ring

/-! ## The oracle: exact outputs, and noisy outputs, which may leave the question open -/

/-- The logistic weight `e / (e + 1)` increases with `e > 0`. -/
private theorem weight_le_iff {a b : K} (ha : 0 < a) (hb : 0 < b) : a / (a + 1) ≤ b / (b + 1) ↔ a ≤ b := by
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

/-- The logistic weight `e / (e + 1)` increases strictly with `e > 0`. -/
private theorem weight_lt_iff {a b : K} (ha : 0 < a) (hb : 0 < b) : a / (a + 1) < b / (b + 1) ↔ a < b := by
  constructor
  · exact fun h => lt_of_not_le fun h' => (weight_le_iff hb ha).mpr h' h
  · exact fun h => lt_of_not_le fun h' => (weight_le_iff hb ha).mp h' h

private theorem lt_iff_of_mono {T : Type} [LT T] (total : ∀ s t : T, s < t ∨ s = t ∨ t < s) {E : T → K}
    (mono : ∀ s t, s < t → E s < E t) (s t : T) : s < t ↔ E s < E t := by
  refine ⟨mono s t, fun h => ?_⟩
  rcases total s t with h' | rfl | h'
  · exact h'
  · exact absurd h (lt_irrefl _)
  · exact absurd h (le_of_lt (mono _ _ h'))

/-- **Exact outputs give a sign oracle**: comparing `f - g` with `(h - g) · weight t` decides `s < t`. -/
theorem Semantics.sign_oracle {R : Type} [CommRing R] (S : Semantics R K) {d : Nat} [LT R]
    (total : ∀ s t : R, s < t ∨ s = t ∨ t < s) (mono : ∀ s t, s < t → S.exp s < S.exp t) (W : Mat R d) (v : Vec K d)
    (u q : Vec R d) (hu : 0 < S.inner v u) (t : R) :
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

/-- One step of bisection with an oracle that may decline: the interval is then kept. -/
def bisectPartial (below : K → Option Bool) (I : K × K) : K × K :=
  match below (mid I.1 I.2) with
  | some true => (I.1, mid I.1 I.2)
  | some false => (mid I.1 I.2, I.2)
  | none => I

/-- A step keeps the unknown number in the interval if the oracle does not lie. -/
theorem bisectPartial_mem {s : K} {below : K → Option Bool} (h1 : ∀ t, below t = some true → s ≤ t)
    (h2 : ∀ t, below t = some false → t ≤ s) {I : K × K} (h : I.1 ≤ s ∧ s ≤ I.2) :
    (bisectPartial below I).1 ≤ s ∧ s ≤ (bisectPartial below I).2 := by
  unfold bisectPartial
  cases hc : below (mid I.1 I.2) with
  | none => exact h
  | some b =>
    cases b with
    | true => exact ⟨h.1, h1 _ hc⟩
    | false => exact ⟨h2 _ hc, h.2⟩

open Classical in
/-- The answer to "is the score less than `t`" from a noisy share: compare `p' ± ε` with the weight `σ t`. -/
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
