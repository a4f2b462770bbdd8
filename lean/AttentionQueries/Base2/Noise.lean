import AttentionQueries.Base2.Instance
import AttentionQueries.Noise.Interval
import AttentionQueries.Noise.Strategy

/-! # Noisy answers in base 2: integer weights are found exactly

In base 2 scores are integers, and the rounded logarithms are rounded to integers inside the interval. So as soon as an
interval contains a single power of two, the weight is known exactly.

## Main definitions

* `floorLog x`, `ceilLog x`: the largest integer `s` with `2 ^ s ≤ x`, and the smallest one with `x ≤ 2 ^ s`.
* `base2LogBounds`: the rounded logarithms.

## Main statements

* `base2_floorLog`, `base2_ceilLog`: what these integers are.
* `base2_learnNoisy_integer`: a weight whose interval consists of one integer is this integer, for every head within the
  tolerance.
* `base2_score_mem_interval`: the interval theorem for a single score.
* `noisyExample_unique`: an example, evaluated in the kernel: a head of dimension two from answers that are off by one
  hundredth.
* `noisyExample_tolerance_needed`, `logBounds_mono_needed`, `standard_value_zero`: hypotheses that cannot be dropped. -/

namespace AttentionQueries
open CommRing OrderedField

/-! ## Rounded logarithms -/

/-- The integer `s` with `2 ^ s ≤ x < 2 ^ (s + 1)`, from a fraction. -/
private def floorLogFraction (x : Fraction Int) : Int :=
  if 0 < x.num then
    if FractionField.mk x < base2.exp ((natLog x.num.toNat : Int) - natLog x.den.toNat)
    then (natLog x.num.toNat : Int) - natLog x.den.toNat - 1
    else (natLog x.num.toNat : Int) - natLog x.den.toNat
  else 0

private theorem natLog_bounds {n : Int} (hn : 0 < n) : base2.exp (natLog n.toNat : Int) ≤ base2.cast n ∧
    base2.cast n < base2.exp ((natLog n.toNat : Int) + 1) := by
  obtain ⟨m, rfl⟩ := Int.eq_ofNat_of_zero_le (Int.le_of_lt hn)
  obtain ⟨h1, h2⟩ := (natLog_eq_iff (Int.natCast_pos.mp hn)).mp rfl
  rw [Int.toNat_natCast]
  constructor
  · rw [base2_exp_natCast]
    exact fun h => Int.not_lt.mpr (Int.ofNat_le.mpr h1) (FractionField.of_lt.mp h)
  · rw [show ((natLog m : Nat) : Int) + 1 = ((natLog m + 1 : Nat) : Int) from rfl, base2_exp_natCast]
    exact FractionField.of_lt.mpr (Int.ofNat_lt.mpr h2)

private theorem floorLogFraction_spec {x : Fraction Int} (h : 0 < x.num) :
    base2.exp (floorLogFraction x) ≤ FractionField.mk x ∧
      FractionField.mk x < base2.exp (floorLogFraction x + 1) := by
  obtain ⟨n1, n2⟩ := natLog_bounds h
  obtain ⟨d1, d2⟩ := natLog_bounds x.pos
  obtain ⟨e, hd⟩ := FractionField.mk_eq_div x
  have e := (div_eq_iff (pos_ne hd)).mp e.symm
  generalize ht : (natLog x.num.toNat : Int) - natLog x.den.toNat = t
  have up : FractionField.mk x < base2.exp (t + 1) := lt_of_not_le fun hle => by
    have h1 := mul_le_mul_right (le_of_lt hd) hle
    rw [← e] at h1
    have h2 : base2.exp (t + 1) * base2.exp (natLog x.den.toNat : Int) =
        base2.exp ((natLog x.num.toNat : Int) + 1) := by
      rw [← base2.exp_add, ← ht]
      congr 1; ring
    have h3 := mul_le_mul_right (le_of_lt (base2.exp_pos (t + 1))) d1
    rw [mul_comm, h2, mul_comm] at h3
    exact le_trans h3 h1 n2
  have down : base2.exp (t - 1) ≤ FractionField.mk x := le_of_mul_le_mul_right hd (by
    rw [← e]
    refine le_trans ?_ n1
    have h2 : base2.exp (t - 1) * base2.exp ((natLog x.den.toNat : Int) + 1) =
        base2.exp (natLog x.num.toNat : Int) := by
      rw [← base2.exp_add, ← ht]
      congr 1; ring
    have h3 := mul_le_mul_right (le_of_lt (base2.exp_pos (t - 1))) (le_of_lt d2)
    rw [mul_comm (base2.exp _), h2] at h3
    exact le_trans (le_of_eq (mul_comm _ _)) h3)
  rw [floorLogFraction, if_pos h, ht]
  split
  · rename_i hlt
    rw [show t - 1 + 1 = t by ring]
    exact ⟨down, hlt⟩
  · rename_i hle
    exact ⟨hle, up⟩

private theorem floor_unique {x : Rational} {a b : Int} (h1 : base2.exp a ≤ x) (h2 : x < base2.exp (b + 1)) : a ≤ b :=
  Int.not_lt.mp fun h => le_trans (base2_exp_le (Int.add_one_le_of_lt h)) h1 h2

/-- **The largest integer `s` with `2 ^ s ≤ x`**, for `x > 0`; zero otherwise. -/
def floorLog : Rational → Int := Quotient.lift floorLogFraction fun x y h => by
  have hxy : FractionField.mk x = FractionField.mk y := Quotient.sound h
  have hpos : 0 < x.num ↔ 0 < y.num := by
    show FractionField.Pos (FractionField.mk x) ↔ FractionField.Pos (FractionField.mk y)
    rw [hxy]
  by_cases hx : 0 < x.num
  · obtain ⟨a1, a2⟩ := floorLogFraction_spec hx
    obtain ⟨b1, b2⟩ := floorLogFraction_spec (hpos.mp hx)
    rw [hxy] at a1 a2
    exact Int.le_antisymm (floor_unique a1 b2) (floor_unique b1 a2)
  · rw [floorLogFraction, floorLogFraction, if_neg hx, if_neg fun h => hx (hpos.mpr h)]

/-- **The smallest integer `s` with `x ≤ 2 ^ s`**, for `x > 0`. -/
def ceilLog (x : Rational) : Int := if base2.exp (floorLog x) = x then floorLog x else floorLog x + 1

private theorem floorLog_spec {x : Rational} (h : 0 < x) :
    base2.exp (floorLog x) ≤ x ∧ x < base2.exp (floorLog x + 1) := by
  revert h
  revert x
  have key : ∀ x : Rational, 0 < x → base2.exp (floorLog x) ≤ x ∧ x < base2.exp (floorLog x + 1) :=
    FractionField.ind fun x h => floorLogFraction_spec (x := x) (FractionField.zero_lt_iff.mp h)
  exact fun {x} => key x

/-- The rounded logarithm is the largest integer below. -/
theorem base2_floorLog {x : Rational} (h : 0 < x) (s : Int) : base2.exp s ≤ x ↔ s ≤ floorLog x :=
  ⟨fun hs => floor_unique hs (floorLog_spec h).2, fun hs => le_trans (base2_exp_le hs) (floorLog_spec h).1⟩

/-- The rounded logarithm is the smallest integer above. -/
theorem base2_ceilLog {x : Rational} (h : 0 < x) (s : Int) : x ≤ base2.exp s ↔ ceilLog x ≤ s := by
  obtain ⟨h1, h2⟩ := floorLog_spec h
  rw [ceilLog]
  split
  · rename_i he
    constructor
    · exact fun hs => Int.not_lt.mp fun hlt => hs (by rw [← he]; exact base2_exp_lt hlt)
    · exact fun hs => le_trans (le_of_eq he.symm) (base2_exp_le hs)
  · rename_i he
    constructor
    · refine fun hs => Int.not_lt.mp fun hlt => ?_
      have h3 := base2_exp_le (Int.lt_add_one_iff.mp hlt)
      exact he (le_antisymm h1 (le_trans hs h3))
    · exact fun hs => le_trans (le_of_lt h2) (base2_exp_le hs)

/-- **The rounded logarithms in base 2**: rounded to integers inside. -/
def base2LogBounds : LogBounds base2 where
  lower := ceilLog
  upper := floorLog
  lower_spec _ _ hx h := Int.not_lt.mpr ((base2_ceilLog hx _).mp h)
  upper_spec _ _ hx h := Int.not_lt.mpr ((base2_floorLog hx _).mp h)

/-! ## Integer weights -/

/-- **Integers.** If the interval reported for an entry of `W` consists of the integers from `lo` to `hi`, then the
entry is one of them, for every head within the tolerance. -/
theorem base2_learnNoisy_interval {d : Nat} (P : NoiseStrategy Int Rational d) (τ : Rational)
    (o : Query Int d → Rational) {W : Mat Int d} {v : Vec Rational d}
    (h : ∀ t ∈ (learnNoisy P τ).queries o, abs (base2.oracle W v t - o t) ≤ τ) {i j : Fin d} {lo hi : Int}
    (hI : base2LogBounds.interval (((learnNoisy P τ).run o).weights i j) = some (lo, hi)) :
    lo ≤ W i j ∧ W i j ≤ hi := by
  obtain ⟨h1, h2⟩ := base2.learnNoisy_score P τ o base2LogBounds h hI
  exact ⟨Int.not_lt.mp h1, Int.not_lt.mp h2⟩

/-- **Exact recovery.** If the interval reported for an entry of `W` consists of a single integer, then the entry is
this integer, for every head within the tolerance. -/
theorem base2_learnNoisy_integer {d : Nat} (P : NoiseStrategy Int Rational d) (τ : Rational)
    (o : Query Int d → Rational) {W : Mat Int d} {v : Vec Rational d}
    (h : ∀ t ∈ (learnNoisy P τ).queries o, abs (base2.oracle W v t - o t) ≤ τ) {i j : Fin d} {n : Int}
    (hI : base2LogBounds.interval (((learnNoisy P τ).run o).weights i j) = some (n, n)) : W i j = n := by
  obtain ⟨h1, h2⟩ := base2_learnNoisy_interval P τ o h hI
  exact Int.le_antisymm h2 h1

/-- The interval theorem for a single score in base 2. -/
theorem base2_score_mem_interval {d : Nat} (W : Mat Int d) (v : Vec Rational d) (k n : Nat) (u q : Vec Int d)
    {f' g' h' τ p' ε : Rational} {lo hi : Int}
    (hf : abs (f' - base2.eval W v (Semantics.copies (k + 1) n u q) q) ≤ τ) (hg : abs (g' - base2.eval W v [] q) ≤ τ)
    (hh : abs (h' - base2.eval W v [] (q + u)) ≤ τ) (hD : h' - g' ≠ 0)
    (hp' : p' = (f' - g') / (h' - g')) (hε : ε = (τ + τ) / abs (h' - g')) (h1 : ε < p') (h2 : ε < 1 - p')
    (hlo : natCast (k + 1) * base2.exp lo ≤ (p' - ε) / (1 - p' + ε) * natCast (n + 1))
    (hhi : (p' + ε) / (1 - p' - ε) * natCast (n + 1) ≤ natCast (k + 1) * base2.exp hi) :
    lo ≤ score W u q ∧ score W u q ≤ hi := by
  obtain ⟨a, b⟩ := base2.score_mem_interval (fun _ _ => base2_exp_lt) W v k n u q hf hg hh hD hp' hε h1 h2 hlo hhi
  exact ⟨Int.not_lt.mp a, Int.not_lt.mp b⟩

/-! ## An example -/

/-- The tolerance of the example: one hundredth. -/
def exampleTolerance : Rational := 1 / natCast 100

/-- The score matrix of the example. -/
def exampleMatrix : Mat Int 2 := fun i j => if i = 0 then (if j = 0 then 1 else -2) else (if j = 0 then 0 else 3)

/-- The value vector of the example; the second entry is too small for the direction `e₂`. -/
def exampleValues : Vec Rational 2 := fun i => if i = 0 then 1 else 1 / natCast 4

/-- Answers that are one hundredth too high on sequences of length one, and one hundredth too low on longer ones. -/
def exampleOracle (t : Query Int 2) : Rational :=
  if Query.length t = 1 then base2.oracle exampleMatrix exampleValues t + exampleTolerance
  else base2.oracle exampleMatrix exampleValues t - exampleTolerance

/-- One experiment with one copy of each token for every entry. -/
def exampleStrategy : NoiseStrategy Int Rational 2 :=
  .scheduled exampleTolerance [.ofCopies 1 1 (by decide) (by decide)]

/-- **The learner finds the score matrix from noisy answers**, evaluated in the kernel. -/
theorem noisyExample_run : ∀ i j, base2LogBounds.interval
    (((learnNoisy exampleStrategy exampleTolerance).run exampleOracle).weights i j) =
      some (exampleMatrix i j, exampleMatrix i j) := by decide +kernel

/-- **The answers determine the score matrix**: every head whose outputs are within one hundredth of the answers has
the score matrix of the example. -/
theorem noisyExample_unique {W : Mat Int 2} {v : Vec Rational 2}
    (h : ∀ t ∈ (learnNoisy exampleStrategy exampleTolerance).queries exampleOracle,
      abs (base2.oracle W v t - exampleOracle t) ≤ exampleTolerance) : W = exampleMatrix :=
  funext fun i => funext fun j => base2_learnNoisy_integer _ _ _ h (noisyExample_run i j)

/-- The hypothesis of the example is satisfied by the head that gave the answers. -/
theorem noisyExample_consistent : ∀ t ∈ (learnNoisy exampleStrategy exampleTolerance).queries exampleOracle,
    abs (base2.oracle exampleMatrix exampleValues t - exampleOracle t) ≤ exampleTolerance := fun t _ => by
  have h0 : (0 : Rational) ≤ exampleTolerance := by decide +kernel
  have h1 : -exampleTolerance ≤ exampleTolerance := le_cert (add_nonneg h0 h0) (by ring)
  rw [exampleOracle]
  split
  · exact abs_le.mpr ⟨le_of_eq (by ring), le_trans (le_of_eq (by ring)) h1⟩
  · exact abs_le.mpr ⟨le_trans h1 (le_of_eq (by ring)), le_of_eq (by ring)⟩

/-! ## What cannot be dropped -/

/-- Answers with one error of two fifths: the true outputs of the head `W = (0)`, `v = (1)` are `1` and `3/2`. -/
def wrongOracle (t : Query Int 1) : Rational := if Query.length t = 1 then 1 else 1 + natCast 9 / natCast 10

/-- **It is needed that the answers are within the tolerance**: from the wrong answers the learner certifies the weight
`3`, although they are those of the head `W = (0)`, `v = (1)`, up to an error of two fifths. -/
theorem noisyExample_tolerance_needed : base2LogBounds.interval
      (((learnNoisy (.scheduled exampleTolerance [.ofCopies 1 1 (by decide) (by decide)]) exampleTolerance).run
        wrongOracle).weights 0 0) = some (3, 3) ∧
    ∀ t ∈ (learnNoisy (.scheduled exampleTolerance [.ofCopies 1 1 (by decide) (by decide)]) exampleTolerance).queries
        wrongOracle, -(natCast 2 / natCast 5) ≤ base2.oracle (fun _ _ => 0) (fun _ => 1) t - wrongOracle t ∧
      base2.oracle (fun _ _ => 0) (fun _ => 1) t - wrongOracle t ≤ natCast 2 / natCast 5 := by
  constructor <;> decide +kernel

/-- Contradictory answers are noticed: a head cannot output `3` on `[2e₁; e₁]` and `1` on `[e₁]`. -/
theorem noisyExample_contradictory :
    ((learnNoisy (.scheduled exampleTolerance [.ofCopies 1 1 (by decide) (by decide)]) exampleTolerance).run
      fun t : Query Int 1 => if Query.length t = 1 then 1 else 1 + natCast 2).contradictory = true := by
  decide +kernel

/-- **Outward rounding needs an increasing exponential**: for the reversed order of the integers, outward rounding is
not a lower end. -/
theorem logBounds_mono_needed : ∃ (lt : Int → Int → Prop) (lower : Rational → Int),
    (∀ x, 0 < x → base2.exp (lower x) ≤ x) ∧ ∃ x s, 0 < x ∧ x ≤ base2.exp s ∧ lt s (lower x) :=
  ⟨fun a b => b < a, floorLog, fun _ hx => (floorLog_spec hx).1, 1, 1, by decide +kernel, by decide +kernel,
    by decide +kernel⟩

/-- **A value vector of zero leaves everything open**: the standard strategy then reports nothing about `W`, and rightly
so, since the output does not depend on it. So `v ≠ 0` cannot be dropped in `Semantics.standard_exact`. -/
theorem standard_value_zero {d : Nat} (W : Mat Int d) {rounds : Nat}
    {next : Vec Rational d → Fin d → Fin d → Fin d → List (Experiment Int × Rational) → Option (Experiment Int)}
    (i j : Fin d) : ((learnNoisy (.standard 0 rounds next) 0).run (base2.oracle W 0)).weights i j = .everything := by
  refine learnNoisy_weights_of_no_pivot _ _ _ ?_ i j
  rw [show (fun i => base2.oracle W 0 ([], basis i)) = (0 : Vec Rational d) from base2.eval_basis W 0]
  show standardPivot (0 : Rational) 0 = none
  rw [standardPivot]
  split
  · rfl
  · exact if_neg (by rw [magnitude_eq_abs, vzero_app, abs_zero]; exact lt_irrefl 0)

end AttentionQueries
