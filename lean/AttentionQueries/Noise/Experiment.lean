import AttentionQueries.Noise.Bounds
import AttentionQueries.Noise.Scaling
import AttentionQueries.SingleHead.Formulas

/-! # Noisy answers: one experiment and what it says about a weight

An experiment for the direction `u` and the index `j` asks `k` copies of `q + u` and `m` copies of `q = eⱼ / n`, the
last one of them the query token. Its odds are `(k / m) e^{s / n}`, where `s = uᵀ W eⱼ`. With the answer, and with
`⟨v, eⱼ⟩` and `⟨v, u⟩` known up to given errors, interval arithmetic gives an interval for `eˢ`.

Copies bring the odds near one, where they are best seen, and so does shrinking the query token, which divides the
score by `n`, while the signal `⟨v, u⟩` remains as large as it was.

## Main definitions

* `Direction`: the three directions `eᵢ`, `eᵢ + eₚ`, `eᵢ - eₚ` for the row `i`.
* `Experiment`: the numbers `k, m, n`. `Experiment.query`: the query.
* `oddsBounds`: the interval of `a / (D - a)` for `a` and `D` in given intervals.
* `Experiment.bounds`: the interval for `eˢ`.

## Main statements

* `oddsBounds_sound`: it contains the odds. `oddsBounds_sharp`: its ends are attained.
* `Experiment.contains`: the interval of an experiment contains `eˢ`, for every head within the tolerance.
* `Experiment.bounds_exact`: without errors it is a point.
* `Experiment.ends_of_margin`: both ends say something if the share is not too close to zero or one. -/

namespace AttentionQueries
open CommRing OrderedField

/-! ## Directions -/

/-- The direction for a row `i`, given the index `p` of another row. -/
inductive Direction where
  /-- The direction `eᵢ`. -/
  | plain
  /-- The direction `eᵢ + eₚ`. -/
  | plus
  /-- The direction `eᵢ - eₚ`. -/
  | minus

namespace Direction
variable {R K : Type} [CommRing R] [OrderedField K] {d : Nat}

/-- The direction as a vector. -/
def vec (p i : Fin d) : Direction → Vec R d
  | plain => basis i
  | plus => basis i + basis p
  | minus => basis i - basis p

/-- The value of the direction, from the values of the basis vectors. -/
def value (y : Vec K d) (p i : Fin d) : Direction → K
  | plain => y i
  | plus => y i + y p
  | minus => y i - y p

/-- The error of this value, if those of the basis vectors are at most `τ`. -/
def radius (τ : K) : Direction → K
  | plain => τ
  | plus => τ + τ
  | minus => τ + τ

/-- The value of the direction is what its name says. -/
theorem inner_vec (S : Semantics R K) (v : Vec K d) (p i : Fin d) (D : Direction) :
    S.inner v (D.vec p i) = D.value v p i := by
  cases D with
  | plain => exact S.inner_basis v i
  | plus => rw [vec, S.inner_add, S.inner_basis, S.inner_basis]; rfl
  | minus =>
    have h := S.inner_split v (basis i) (basis p)
    rw [S.inner_basis, S.inner_basis] at h
    show S.inner v (basis i - basis p) = v i - v p
    lin_comb (-1) h

/-- The error of the value of a direction. -/
theorem value_error {v y : Vec K d} {τ : K} (h : ∀ i, abs (v i - y i) ≤ τ) (p i : Fin d) (D : Direction) :
    abs (D.value v p i - D.value y p i) ≤ D.radius τ := by
  have hi := abs_le.mp (h i)
  have hp := abs_le.mp (h p)
  cases D with
  | plain => exact h i
  | plus =>
    exact abs_le.mpr ⟨
      le_cert (add_nonneg (sub_nonneg.mpr hi.1) (sub_nonneg.mpr hp.1)) (by simp only [value, radius]; ring),
      le_cert (add_nonneg (sub_nonneg.mpr hi.2) (sub_nonneg.mpr hp.2)) (by simp only [value, radius]; ring)⟩
  | minus =>
    exact abs_le.mpr ⟨
      le_cert (add_nonneg (sub_nonneg.mpr hi.1) (sub_nonneg.mpr hp.2)) (by simp only [value, radius]; ring),
      le_cert (add_nonneg (sub_nonneg.mpr hi.2) (sub_nonneg.mpr hp.1)) (by simp only [value, radius]; ring)⟩

/-- The score of the direction. -/
theorem score_vec (W : Mat R d) (p i j : Fin d) (D : Direction) : score W (D.vec p i) (basis j) =
    match D with
    | plain => W i j
    | plus => W i j + W p j
    | minus => W i j - W p j := by
  cases D with
  | plain => exact score_basis W i j
  | plus =>
    show score W (basis i + basis p) (basis j) = _
    rw [score_add, score_basis, score_basis]
  | minus =>
    have h := score_add W (basis i - basis p) (basis p) (basis j)
    rw [vadd_comm, add_vsub, score_basis, score_basis] at h
    show score W (basis i - basis p) (basis j) = W i j - W p j
    lin_comb (-1) h

end Direction

/-! ## Experiments -/

/-- An experiment: `k` copies of the token and `m` copies of the query token, the latter divided by `n`. -/
structure Experiment (R : Type) [CommRing R] where
  /-- The number of copies of the token. -/
  k : Nat
  /-- The number of copies of the query token. -/
  m : Nat
  /-- The divisor of the query token. -/
  n : Nat
  /-- The scalar `1 / n`. -/
  unit : R
  /-- There is a copy of the token. -/
  k_pos : 0 < k
  /-- The query token is there. -/
  m_pos : 0 < m
  /-- The scalar `unit` is `1 / n`. -/
  unit_spec : natCast n * unit = 1

/-- The experiment with `k` and `m` copies, and the query token undivided. -/
def Experiment.ofCopies {R : Type} [CommRing R] (k m : Nat) (hk : 0 < k) (hm : 0 < m) : Experiment R :=
  ⟨k, m, 1, 1, hk, hm, by rw [natCast_one, mul_one]⟩

/-- The query of an experiment, for the direction `u` and the index `j`. -/
def Experiment.query {R : Type} [CommRing R] {d : Nat} (e : Experiment R) (u : Vec R d) (j : Fin d) : Query R d :=
  (Semantics.copies e.k (e.m - 1) u (smul e.unit (basis j)), smul e.unit (basis j))

/-- The query of an experiment has `k + m` tokens. -/
theorem Experiment.length_query {R : Type} [CommRing R] {d : Nat} (e : Experiment R) (u : Vec R d) (j : Fin d) :
    Query.length (e.query u j) = e.k + e.m := by
  rw [Query.length, query, Semantics.copies, List.length_append, List.length_replicate, List.length_replicate,
    Nat.add_assoc, Nat.sub_add_cancel e.m_pos]

/-! ## Intervals -/

section
variable {K : Type} [OrderedField K] [DecidableLT K]

omit [DecidableLT K] in
private theorem pos_of_odds {a D o : K} (hD : 0 < D) (ho : 0 < o) (h : a = (D - a) * o) : 0 < a ∧ 0 < D - a := by
  have hb : 0 < D - a := lt_of_not_le fun hle => mul_le_mul_right (le_of_lt (add_pos one_pos ho)) hle (by
    rw [zero_mul]
    exact lt_cert hD (by lin_comb (-1) h))
  exact ⟨by rw [h]; exact mul_pos _ _ hb ho, hb⟩

/-- The interval of the odds `a / (D - a)` for `aL ≤ a ≤ aU` and `DL ≤ D ≤ DU`, where `0 < DL` and `0 < a < D`. -/
def oddsBounds (aL aU DL DU : K) : Bounds K :=
  if ¬ 0 < aU ∨ (0 < aL ∧ ¬ 0 < DU - aL) then .nothing
  else ⟨if 0 < aL then aL / (DU - aL) else 0, if 0 < DL - aU then some (aU / (DL - aU)) else none⟩

/-- **The interval of the odds is sound.** The odds are given by `a = (D - a) o`. -/
theorem oddsBounds_sound {a aL aU D DL DU o : K} (ha : aL ≤ a ∧ a ≤ aU) (hD : DL ≤ D ∧ D ≤ DU) (hDL : 0 < DL)
    (ho : 0 < o) (h : a = (D - a) * o) : (oddsBounds aL aU DL DU).Contains o := by
  have hD0 : 0 < D := lt_of_lt_of_le hDL hD.1
  obtain ⟨ha0, hb⟩ := pos_of_odds hD0 ho h
  have hl : D - a ≤ DU - aL := sub_le_sub hD.2 ha.1
  have hc : ¬ (¬ 0 < aU ∨ (0 < aL ∧ ¬ 0 < DU - aL)) := fun h => h.elim (fun h => h (lt_of_lt_of_le ha0 ha.2))
    fun h => h.2 (lt_of_lt_of_le hb hl)
  rw [oddsBounds, if_neg hc]
  constructor
  · show (if 0 < aL then aL / (DU - aL) else 0) ≤ o
    split
    · rw [div_le_iff (lt_of_lt_of_le hb hl)]
      refine le_trans ha.1 (le_cert (mul_nonneg (sub_nonneg.mpr hl) (le_of_lt ho)) ?_)
      lin_comb (-1) h
    · exact le_of_lt ho
  · intro x hx
    replace hx : (if 0 < DL - aU then some (aU / (DL - aU)) else none) = some x := hx
    split at hx
    · rename_i h0
      cases hx
      rw [le_div_iff h0]
      refine le_trans (le_cert (mul_nonneg (sub_nonneg.mpr (sub_le_sub hD.1 ha.2)) (le_of_lt ho)) ?_) ha.2
      lin_comb (1) h
    · cases hx

/-- **The interval of the odds is sharp**: where it has ends that say something, these are odds of admissible `a, D`. -/
theorem oddsBounds_sharp {aL aU DL DU : K} (hD : DL ≤ DU) (ha : aL ≤ aU) (h0 : 0 < aL) (h1 : 0 < DL - aU) :
    oddsBounds aL aU DL DU = ⟨aL / (DU - aL), some (aU / (DL - aU))⟩ ∧
      aL = (DU - aL) * (aL / (DU - aL)) ∧ aU = (DL - aU) * (aU / (DL - aU)) := by
  have h2 : 0 < DU - aL := lt_of_lt_of_le h1 (sub_le_sub hD ha)
  have hc : ¬ (¬ 0 < aU ∨ (0 < aL ∧ ¬ 0 < DU - aL)) := fun h =>
    h.elim (fun h => h (lt_of_lt_of_le h0 ha)) fun h => h.2 h2
  refine ⟨?_, ?_, ?_⟩
  · rw [oddsBounds, if_neg hc, if_pos h0, if_pos h1]
  · lin_comb (-1) (div_mul_cancel aL (pos_ne h2))
  · lin_comb (-1) (div_mul_cancel aU (pos_ne h1))

/-- The interval of the odds when the sign of `D` is not known in advance: nothing is said unless the interval for `D`
has a sign. Here `a` is within `r` of `a'`, and `D` within `w` of `D'`. -/
def signedOddsBounds (a' r D' w : K) : Bounds K :=
  if 0 < D' - w then oddsBounds (a' - r) (a' + r) (D' - w) (D' + w)
  else if 0 < -D' - w then oddsBounds (-a' - r) (-a' + r) (-D' - w) (-D' + w)
  else .everything

omit [DecidableLT K] in
private theorem between {a a' r : K} (h : abs (a - a') ≤ r) : a' - r ≤ a ∧ a ≤ a' + r := by
  obtain ⟨h1, h2⟩ := abs_le.mp h
  exact ⟨le_cert (sub_nonneg.mpr h1) (by ring), le_cert (sub_nonneg.mpr h2) (by ring)⟩

omit [DecidableLT K] in
private theorem between_neg {a a' r : K} (h : abs (a - a') ≤ r) : -a' - r ≤ -a ∧ -a ≤ -a' + r := by
  obtain ⟨h1, h2⟩ := abs_le.mp h
  exact ⟨le_cert (sub_nonneg.mpr h2) (by ring), le_cert (sub_nonneg.mpr h1) (by ring)⟩

private theorem signedOddsBounds_sound {a a' r D D' w o : K} (ha : abs (a - a') ≤ r) (hD : abs (D - D') ≤ w)
    (ho : 0 < o) (h : a = (D - a) * o) : (signedOddsBounds a' r D' w).Contains o := by
  rw [signedOddsBounds]
  split
  · rename_i h0
    exact oddsBounds_sound (between ha) (between hD) h0 ho h
  · split
    · rename_i h0
      exact oddsBounds_sound (between_neg ha) (between_neg hD) h0 ho (by lin_comb (-1) h)
    · exact Bounds.contains_everything ho

private theorem oddsBounds_exact {a D o : K} (hD : 0 < D) (ho : 0 < o) (h : a = (D - a) * o) :
    oddsBounds a a D D = .point o := by
  obtain ⟨ha, hb⟩ := pos_of_odds hD ho h
  rw [(oddsBounds_sharp (le_refl D) (le_refl a) ha hb).1, (div_eq_iff (pos_ne hb)).mpr (show a = o * (D - a) by
    lin_comb (1) h)]
  rfl

private theorem signedOddsBounds_exact {a D o : K} (hD : D ≠ 0) (ho : 0 < o) (h : a = (D - a) * o) :
    signedOddsBounds a 0 D 0 = .point o := by
  rw [signedOddsBounds, sub_zero, sub_zero, add_zero, add_zero, sub_zero, sub_zero, add_zero, add_zero]
  rcases lt_total 0 D with h0 | h0 | h0
  · rw [if_pos h0]
    exact oddsBounds_exact h0 ho h
  · exact absurd h0.symm hD
  · rw [if_neg (le_of_lt h0), if_pos (lt_cert (sub_pos.mpr h0) (by ring))]
    exact oddsBounds_exact (lt_cert (sub_pos.mpr h0) (by ring)) ho (by lin_comb (-1) h)

private theorem oddsBounds_margin {a aL aU D DL DU r w : K} (h1 : a - r - r ≤ aL) (h2 : aU ≤ a + r + r) (h3 : aL ≤ aU)
    (h4 : D - w - w ≤ DL) (h5 : DL ≤ DU) (ha : r + r < a) (hb : r + r + (w + w) < D - a) :
    ∃ lo hi, 0 < lo ∧ oddsBounds aL aU DL DU = ⟨lo, some hi⟩ := by
  have p1 : 0 < aL := lt_of_lt_of_le (lt_cert (sub_pos.mpr ha) (by ring)) h1
  have p2 : 0 < DL - aU := lt_of_lt_of_le (lt_cert (sub_pos.mpr hb) (by ring)) (sub_le_sub h4 h2)
  have p3 : 0 < DU - aL := lt_of_lt_of_le p2 (sub_le_sub h5 h3)
  refine ⟨_, _, ?_, (oddsBounds_sharp h5 h3 p1 p2).1⟩
  exact lt_of_not_le fun h => mul_le_mul_right (le_of_lt p3) h (by
    rw [div_mul_cancel aL (pos_ne p3), zero_mul]
    exact p1)

private theorem oddsBounds_margin_of_error {a a' r D D' w : K} (ha : abs (a - a') ≤ r) (hD : abs (D - D') ≤ w)
    (h1 : r + r < a) (h2 : r + r + (w + w) < D - a) : 0 < D' - w ∧
      ∃ lo hi, 0 < lo ∧ oddsBounds (a' - r) (a' + r) (D' - w) (D' + w) = ⟨lo, some hi⟩ := by
  have hr : 0 ≤ r := le_trans (abs_nonneg _) ha
  have hw : 0 ≤ w := le_trans (abs_nonneg _) hD
  obtain ⟨a1, a2⟩ := abs_le.mp ha
  obtain ⟨d1, d2⟩ := abs_le.mp hD
  have hr2 : a' - r ≤ a' + r := le_cert (add_nonneg hr hr) (by ring)
  have hw2 : D' - w ≤ D' + w := le_cert (add_nonneg hw hw) (by ring)
  have hd : D - w - w ≤ D' - w := le_cert (sub_nonneg.mpr d2) (by ring)
  refine ⟨lt_of_lt_of_le (add_pos (sub_pos.mpr h1) (sub_pos.mpr h2)) (le_trans (le_cert
    (add_nonneg (add_nonneg hr hr) (add_nonneg hr hr)) ?_) hd),
    oddsBounds_margin (le_cert (sub_nonneg.mpr a2) (by ring)) (le_cert (sub_nonneg.mpr a1) (by ring)) hr2 hd hw2 h1 h2⟩
  ring

private theorem signedOddsBounds_margin {a a' r D D' w o : K} (ha : abs (a - a') ≤ r) (hD : abs (D - D') ≤ w)
    (hD0 : D ≠ 0) (ho : 0 < o) (h : a = (D - a) * o) (h1 : r + r < abs a) (h2 : r + r + (w + w) < abs (D - a)) :
    ∃ lo hi, 0 < lo ∧ signedOddsBounds a' r D' w = ⟨lo, some hi⟩ := by
  have hw : 0 ≤ w := le_trans (abs_nonneg _) hD
  have neg : ∀ {x x' y : K}, abs (x - x') ≤ y → abs (-x - -x') ≤ y := fun {x x' y} h => by
    obtain ⟨p, q⟩ := abs_le.mp h
    exact abs_le.mpr ⟨le_cert (sub_nonneg.mpr q) (by ring), le_cert (sub_nonneg.mpr p) (by ring)⟩
  rw [signedOddsBounds]
  rcases lt_total 0 D with h0 | h0 | h0
  · obtain ⟨p1, p2⟩ := pos_of_odds h0 ho h
    rw [abs_of_nonneg (le_of_lt p1)] at h1
    rw [abs_of_nonneg (le_of_lt p2)] at h2
    obtain ⟨hpos, hex⟩ := oddsBounds_margin_of_error ha hD h1 h2
    rw [if_pos hpos]
    exact hex
  · exact absurd h0.symm hD0
  · obtain ⟨p1, p2⟩ := pos_of_odds (a := -a) (D := -D) (lt_cert (sub_pos.mpr h0) (by ring)) ho (by lin_comb (-1) h)
    have n1 : ¬ 0 ≤ a := fun hle => hle (lt_cert p1 (by ring))
    have n2 : ¬ 0 ≤ D - a := fun hle => hle (lt_cert p2 (by ring))
    rw [abs_of_neg n1] at h1
    rw [abs_of_neg n2, show -(D - a) = -D - -a by ring] at h2
    obtain ⟨hpos, hex⟩ := oddsBounds_margin_of_error (neg ha) (neg hD) h1 h2
    rw [if_neg fun h' => add_nonneg hw hw (lt_cert (add_pos hpos h') (by ring)), if_pos hpos]
    exact hex

namespace Experiment
variable {R : Type} [CommRing R]

/-- **What an experiment says about the weight `eˢ`**: the interval from the answer `f'`, where `⟨v, eⱼ⟩` is within `τ`
of `y`, and `⟨v, u⟩` within `w` of `D'`. The answer has an error of at most `τ`. -/
def bounds (e : Experiment R) (τ y D' w f' : K) : Bounds K :=
  ((signedOddsBounds (f' - y / natCast e.n) (τ + τ / natCast e.n) D' w).scale (natCast e.m / natCast e.k)).pow e.n

end Experiment

end

namespace Experiment
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat} (e : Experiment R)

/-- The image of a positive number. -/
private theorem natCast_pos_of_pos {n : Nat} (h : 0 < n) : (0 : K) < natCast n := by
  rw [← Nat.sub_add_cancel h]
  exact natCast_pos (n - 1)

include S in
private theorem n_pos : (0 : K) < natCast e.n := natCast_pos_of_pos (Nat.pos_of_ne_zero fun h => by
  have := e.unit_spec
  rw [h, natCast_zero, zero_mul] at this
  exact S.scalar_one_ne_zero this.symm)

private theorem copies_ratio_pos : (0 : K) < natCast e.m / natCast e.k := by
  have hk := natCast_pos_of_pos (K := K) e.k_pos
  exact lt_of_not_le fun h => mul_le_mul_right (le_of_lt hk) h (by
    rw [div_mul_cancel _ (pos_ne hk), zero_mul]
    exact natCast_pos_of_pos e.m_pos)

private theorem inner_query (v : Vec K d) (j : Fin d) : S.inner v (smul e.unit (basis j)) = v j / natCast e.n := by
  symm
  rw [div_eq_iff (pos_ne (e.n_pos S)), S.inner_smul, S.inner_basis]
  have h := congrArg S.cast e.unit_spec
  rw [S.cast_mul, S.cast_natCast, S.cast_one] at h
  lin_comb (-v j) h

/-- The odds of an experiment: the output, less the value of the query token, is `a` with `a = (⟨v, u⟩ - a) o`. -/
private theorem odds (W : Mat R d) (v : Vec K d) (u : Vec R d) (j : Fin d) :
    ∃ o : K, 0 < o ∧ npow (natCast e.m / natCast e.k * o) e.n = S.exp (score W u (basis j)) ∧
      S.oracle W v (e.query u j) - v j / natCast e.n =
        (S.inner v u - (S.oracle W v (e.query u j) - v j / natCast e.n)) * o := by
  have hk := natCast_pos_of_pos (K := K) e.k_pos
  have hE := S.exp_pos (score W u (smul e.unit (basis j)))
  have ek := div_mul_cancel (natCast e.m : K) (pos_ne hk)
  have hc0 := e.copies_ratio_pos (K := K)
  generalize (natCast e.m / natCast e.k : K) = c at ek hc0 ⊢
  have eo := div_mul_cancel (S.exp (score W u (smul e.unit (basis j)))) (pos_ne hc0)
  refine ⟨S.exp (score W u (smul e.unit (basis j))) / c, ?_, ?_, ?_⟩
  · exact lt_of_not_le fun h => mul_le_mul_right (le_of_lt hc0) h (by rw [eo, zero_mul]; exact hE)
  · rw [mul_comm, eo, ← S.exp_natCast_mul, score_smul_query, ← mul_assoc, e.unit_spec, one_mul]
  · have h := S.odds W v e.k (e.m - 1) u (smul e.unit (basis j)) rfl
    rw [Nat.sub_add_cancel e.m_pos, e.inner_query S v j, ← ek] at h
    change (S.oracle W v (e.query u j) - _) * _ = (_ - (S.oracle W v (e.query u j) - _)) * _ at h
    generalize S.oracle W v (e.query u j) - v j / natCast e.n = a at h ⊢
    apply mul_right_cancel (mul_ne_zero (pos_ne hc0) (pos_ne hk))
    rw [h]
    lin_comb (-((S.inner v u - a) * natCast e.k)) eo

/-- The error of the output less the value of the query token. -/
private theorem error_of_answer {W : Mat R d} {v : Vec K d} {u : Vec R d} {j : Fin d} {τ y f' : K}
    (hf : abs (S.oracle W v (e.query u j) - f') ≤ τ) (hy : abs (v j - y) ≤ τ) :
    abs (S.oracle W v (e.query u j) - v j / natCast e.n - (f' - y / natCast e.n)) ≤ τ + τ / natCast e.n := by
  have hn := e.n_pos S
  obtain ⟨f1, f2⟩ := abs_le.mp hf
  obtain ⟨y1, y2⟩ := abs_le.mp hy
  have ev := div_mul_cancel (v j) (pos_ne hn)
  have ey := div_mul_cancel y (pos_ne hn)
  have et := div_mul_cancel τ (pos_ne hn)
  have l1 : v j / natCast e.n - y / natCast e.n ≤ τ / natCast e.n := le_of_mul_le_mul_right hn
    (le_cert (sub_nonneg.mpr y2) (by lin_comb (1) et + (1) ey + (-1) ev))
  have l2 : -(τ / natCast e.n) ≤ v j / natCast e.n - y / natCast e.n := le_of_mul_le_mul_right hn
    (le_cert (sub_nonneg.mpr y1) (by lin_comb (1) et + (-1) ey + (1) ev))
  exact abs_le.mpr ⟨le_cert (add_nonneg (sub_nonneg.mpr f1) (sub_nonneg.mpr l1)) (by ring),
    le_cert (add_nonneg (sub_nonneg.mpr f2) (sub_nonneg.mpr l2)) (by ring)⟩

variable [DecidableLT K]

/-- **An experiment is sound**: its interval contains the weight `eˢ`, `s = uᵀ W eⱼ`, for every head whose output is
within `τ` of the answer `f'`, for which `⟨v, eⱼ⟩` is within `τ` of `y` and `⟨v, u⟩` within `w` of `D'`. -/
theorem contains {W : Mat R d} {v : Vec K d} {u : Vec R d} {j : Fin d} {τ y D' w f' : K}
    (hf : abs (S.oracle W v (e.query u j) - f') ≤ τ) (hy : abs (v j - y) ≤ τ) (hD : abs (S.inner v u - D') ≤ w) :
    (e.bounds τ y D' w f').Contains (S.exp (score W u (basis j))) := by
  obtain ⟨o, ho, hE, hodds⟩ := odds S e W v u j
  rw [bounds, ← hE]
  exact Bounds.contains_pow (mul_pos _ _ (copies_ratio_pos e) ho) (Bounds.contains_scale (copies_ratio_pos e)
    (signedOddsBounds_sound (e.error_of_answer S hf hy) hD ho hodds)) e.n

/-- **Without errors the interval is a point**: the weight itself. -/
theorem bounds_exact (W : Mat R d) (v : Vec K d) {u : Vec R d} (j : Fin d) (hu : S.inner v u ≠ 0) :
    e.bounds 0 (v j) (S.inner v u) 0 (S.oracle W v (e.query u j)) = .point (S.exp (score W u (basis j))) := by
  obtain ⟨o, ho, hE, hodds⟩ := odds S e W v u j
  rw [bounds, zero_div, add_zero, signedOddsBounds_exact hu ho hodds, Bounds.scale_point,
    Bounds.pow_point (mul_pos _ _ (copies_ratio_pos e) ho), hE]

/-- **When both ends say something.** With `r = τ + τ / n` and `a` the output less the value of the query token, it is
enough that `2r < |a|` and `2r + 2w < |⟨v, u⟩ - a|`. These are the signal `|⟨v, u⟩|` times the shares of the token and
of the query token. -/
theorem ends_of_margin {W : Mat R d} {v : Vec K d} {u : Vec R d} {j : Fin d} {τ y D' w f' r a : K}
    (hf : abs (S.oracle W v (e.query u j) - f') ≤ τ) (hy : abs (v j - y) ≤ τ) (hD : abs (S.inner v u - D') ≤ w)
    (hu : S.inner v u ≠ 0) (hr : r = τ + τ / natCast e.n) (ha : a = S.oracle W v (e.query u j) - v j / natCast e.n)
    (h1 : r + r < abs a) (h2 : r + r + (w + w) < abs (S.inner v u - a)) :
    ∃ lo hi, (e.bounds τ y D' w f').ends = some (lo, hi) := by
  obtain ⟨o, ho, hE, hodds⟩ := odds S e W v u j
  have herr := e.error_of_answer S hf hy
  rw [← ha] at hodds herr
  rw [← hr] at herr
  obtain ⟨lo, hi, hlo, hb⟩ := signedOddsBounds_margin herr hD hu ho hodds h1 h2
  have hl : 0 < natCast e.m / natCast e.k * lo := mul_pos _ _ (copies_ratio_pos e) hlo
  rw [bounds, ← hr, hb]
  refine ⟨npow (natCast e.m / natCast e.k * lo) e.n, npow (natCast e.m / natCast e.k * hi) e.n, ?_⟩
  have e1 : ((⟨lo, some hi⟩ : Bounds K).scale (natCast e.m / natCast e.k)).pow e.n =
      ⟨npow (natCast e.m / natCast e.k * lo) e.n, some (npow (natCast e.m / natCast e.k * hi) e.n)⟩ := by
    show (⟨if 0 < natCast e.m / natCast e.k * lo then _ else _, _⟩ : Bounds K) = _
    rw [if_pos hl]
    rfl
  rw [e1]
  exact if_pos (Bounds.npow_pos hl _)

end Experiment

end AttentionQueries
