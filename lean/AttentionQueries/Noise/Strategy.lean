import AttentionQueries.Noise.Learner

/-! # The standard strategy for noisy answers

The pivot is the row with the largest answer in absolute value, if this exceeds the tolerance. The direction for a row
`i` is `eᵢ` if its answer is at least half as large as that of the pivot, and otherwise `eᵢ + eₚ` or `eᵢ - eₚ`,
whichever has the larger signal. So the signal of every direction is at least half the largest one.

## Main definitions

* `largest y`: the first index at which `|yᵢ|` is largest.
* `standardPivot`, `standardDirection`: the pivot, and the direction for a row.
* `NoiseStrategy.standard`: the strategy, with the choice of the experiments left open; `NoiseStrategy.scheduled`: with
  a fixed list of experiments.

## Main statements

* `standard_signal`: the signal of every direction is at least half that of the pivot.
* `Semantics.standard_exact`: for every head with `v ≠ 0` the standard strategy reports points, for exact answers and
  tolerance zero.
* `scheduled_count`: with one experiment for each entry the learner asks exactly `d² + d` queries. -/

namespace AttentionQueries
open CommRing OrderedField

section
variable {K : Type} [OrderedField K] [DecidableLT K]

/-- The absolute value, computable when the order is decidable. -/
def magnitude (a : K) : K := if a < 0 then -a else a

/-- It is the absolute value. -/
theorem magnitude_eq_abs (a : K) : magnitude a = abs a := by
  rw [magnitude]
  split
  · rename_i h
    exact (abs_of_neg fun h' => h' h).symm
  · rename_i h
    exact (abs_of_nonneg h).symm

/-- The first index at which the absolute value is largest; there is none for `d = 0`. -/
def largest : {d : Nat} → Vec K d → Option (Fin d)
  | 0, _ => none
  | _ + 1, y => match largest fun i => y i.succ with
    | none => some 0
    | some p => if magnitude (y 0) < magnitude (y p.succ) then some p.succ else some 0

/-- No absolute value is larger than that at the index found. -/
theorem le_largest : ∀ {d : Nat} {y : Vec K d} {p : Fin d}, largest y = some p → ∀ i, magnitude (y i) ≤ magnitude (y p)
  | 0, _, p, _, _ => p.elim0
  | d + 1, y, p, h, i => by
    rw [largest] at h
    split at h
    · rename_i hn
      cases h
      induction i using Fin.cases with
      | zero => exact le_refl _
      | succ i =>
        exfalso
        cases d with
        | zero => exact i.elim0
        | succ d =>
          rw [largest] at hn
          split at hn
          · cases hn
          · split at hn <;> cases hn
    · rename_i q hq
      have ih := le_largest hq
      split at h
      · rename_i h0
        cases h
        induction i using Fin.cases with
        | zero => exact le_of_lt h0
        | succ i => exact ih i
      · rename_i h0
        cases h
        induction i using Fin.cases with
        | zero => exact le_refl _
        | succ i => exact le_trans (ih i) h0

/-- There is a largest absolute value unless `d = 0`. -/
theorem largest_ne_none {d : Nat} (y : Vec K (d + 1)) : largest y ≠ none := by
  rw [largest]
  split
  · exact fun h => nomatch h
  · split <;> exact fun h => nomatch h

/-- The direction for the row `i`, for the answers `y` and the pivot `p`. -/
def standardDirection {d : Nat} (y : Vec K d) (p i : Fin d) : Direction :=
  if magnitude (y p) ≤ magnitude (y i) + magnitude (y i) then .plain
  else if 0 ≤ y i * y p then .plus else .minus

omit [DecidableLT K] in
private theorem abs_le_abs_add {a b : K} (h : 0 ≤ a * b) : abs b ≤ abs (a + b) := by
  intro hlt
  have hle := abs_le.mp (le_of_lt hlt)
  rcases lt_total 0 b with hb | hb | hb
  · rw [abs_of_nonneg (le_of_lt hb)] at hlt
    have ha : 0 ≤ a := fun ha => h (by
      have := mul_pos _ _ (sub_pos.mpr ha) hb
      exact lt_cert this (by ring))
    rw [abs_of_nonneg (add_nonneg ha (le_of_lt hb))] at hlt
    exact ha (lt_cert (sub_pos.mpr hlt) (by ring))
  · rw [← hb, abs_zero] at hlt
    exact abs_nonneg _ hlt
  · have hb' : ¬ 0 ≤ b := fun h' => h' hb
    rw [abs_of_neg hb'] at hlt
    have ha : a ≤ 0 := fun ha => h (by
      have := mul_pos _ _ ha (sub_pos.mpr hb)
      exact lt_cert this (by ring))
    have hs : ¬ 0 ≤ a + b := fun h' => h' (lt_of_le_of_lt (add_le_add ha (le_refl b)) (by rw [zero_add]; exact hb))
    rw [abs_of_neg hs] at hlt
    exact ha (lt_cert (sub_pos.mpr hlt) (by ring))

/-- **The signal of every direction is at least half that of the pivot.** -/
theorem standard_signal {d : Nat} (y : Vec K d) (p i : Fin d) :
    abs (y p) ≤ abs ((standardDirection y p i).value y p i) + abs ((standardDirection y p i).value y p i) := by
  rw [standardDirection, magnitude_eq_abs, magnitude_eq_abs]
  have double : ∀ {x : K}, abs (y p) ≤ abs x → abs (y p) ≤ abs x + abs x := fun {x} h =>
    le_trans h (le_cert (abs_nonneg x) (by ring))
  split
  · assumption
  · split
    · rename_i h
      exact double (abs_le_abs_add h)
    · rename_i h
      refine double ?_
      have h' : 0 ≤ -(y i) * y p := le_of_lt (lt_cert (sub_pos.mpr (lt_of_not_le h)) (by ring))
      have := abs_le_abs_add h'
      have e : abs (-(y i) + y p) = abs (y i - y p) := by
        have h1 := abs_mul (-1 : K) (y i - y p)
        rw [show -1 * (y i - y p) = -(y i) + y p by ring, abs_of_neg (a := (-1 : K))
          fun h => h (lt_cert one_pos (by ring)), neg_neg, one_mul] at h1
        exact h1
      rwa [e] at this

/-- The pivot: the index of the largest answer, if this exceeds the tolerance. -/
def standardPivot {d : Nat} (τ : K) (y : Vec K d) : Option (Fin d) :=
  match largest y with
  | none => none
  | some p => if τ < magnitude (y p) then some p else none

/-- There is a pivot if some answer exceeds the tolerance, and its answer does. -/
theorem standardPivot_spec {d : Nat} {τ : K} {y : Vec K d} {i : Fin d} (hi : τ < abs (y i)) :
    ∃ p, standardPivot τ y = some p ∧ τ < abs (y p) := by
  cases hp : largest y with
  | none =>
    cases d with
    | zero => exact i.elim0
    | succ d => exact absurd hp (largest_ne_none _)
  | some p =>
    have h := le_largest hp i
    rw [magnitude_eq_abs, magnitude_eq_abs] at h
    have h := lt_of_lt_of_le hi h
    refine ⟨p, ?_, h⟩
    rw [standardPivot, hp]
    exact if_pos (by rw [magnitude_eq_abs]; exact h)

variable {R : Type} [CommRing R] {d : Nat}

/-- **The standard strategy** for the tolerance `τ`, with the choice of the experiments left open. -/
def NoiseStrategy.standard (τ : K) (rounds : Nat)
    (next : Vec K d → Fin d → Fin d → Fin d → List (Experiment R × K) → Option (Experiment R)) :
    NoiseStrategy R K d where
  pivot := standardPivot τ
  direction := standardDirection
  rounds := rounds
  next := next

/-- The standard strategy with a fixed list of experiments, made for every entry. -/
def NoiseStrategy.scheduled (τ : K) (es : List (Experiment R)) : NoiseStrategy R K d :=
  .standard τ es.length fun _ _ _ _ l => (es.drop l.length).head?

private theorem head_drop_ne_none {α : Type} : ∀ {l : List α} {n : Nat}, n < l.length → (l.drop n).head? ≠ none
  | [], n, h => absurd h (Nat.not_lt_zero n)
  | _ :: _, 0, _ => fun h => nomatch h
  | _ :: _, _ + 1, h => by
    rw [List.drop_succ_cons]
    exact head_drop_ne_none (Nat.lt_of_succ_lt_succ h)

/-- **The number of queries with one experiment for each entry** is exactly `d + d²`, if some answer to an `[eᵢ]` is
larger than the tolerance; with `r` experiments it is `d + r d²`. -/
theorem scheduled_count (τ : K) (es : List (Experiment R)) (o : Query R d → K)
    (h : ∃ i, τ < abs (o ([], basis i))) :
    ((learnNoisy (.scheduled τ es) τ).queries o).length = d + es.length * (d * d) := by
  refine (learnNoisy_count_eq (.scheduled τ es) τ o).2 ?_ fun _ _ _ _ _ hl => head_drop_ne_none hl
  obtain ⟨i, hi⟩ := h
  obtain ⟨p, hp, _⟩ := standardPivot_spec (y := fun i => o ([], basis i)) hi
  exact fun h => nomatch hp.symm.trans h

/-- **The standard strategy is exact for exact answers**: for every head with `v ≠ 0`, with tolerance zero, every
interval reported consists of the true value alone. -/
theorem Semantics.standard_exact (S : Semantics R K) (W : Mat R d) {v : Vec K d} (hv : v ≠ 0) {rounds : Nat}
    (hr : 0 < rounds) {next : Vec K d → Fin d → Fin d → Fin d → List (Experiment R × K) → Option (Experiment R)}
    (hn : ∀ p i j, next v p i j [] ≠ none) :
    (∀ i, ((learnNoisy (.standard 0 rounds next) 0).run (S.oracle W v)).values i = (v i, v i)) ∧
      ∀ i j, ((learnNoisy (.standard 0 rounds next) 0).run (S.oracle W v)).weights i j = .point (S.exp (W i j)) := by
  obtain ⟨i, hi⟩ := exists_ne_zero hv
  obtain ⟨p, hp, h0⟩ := standardPivot_spec (y := v) (abs_pos hi)
  refine S.learnNoisy_exact (.standard 0 rounds next) W hp (fun i h => ?_) hr fun i j => hn p i j
  rw [NoiseStrategy.rowVec, Direction.inner_vec] at h
  split at h
  · rename_i hip
    rw [hip] at h
    change v p = 0 at h
    rw [h, abs_zero] at h0
    exact lt_irrefl _ h0
  · have hs := standard_signal v p i
    change (standardDirection v p i).value v p i = 0 at h
    rw [h, abs_zero, add_zero] at hs
    exact hs h0

end

end AttentionQueries
