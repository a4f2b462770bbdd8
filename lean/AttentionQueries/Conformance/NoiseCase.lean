import AttentionQueries.Base2.Noise
import AttentionQueries.Conformance.Case
import AttentionQueries.Membership.Learner

/-! # Conformance cases about noisy and one-bit answers

What the library's own interval arithmetic makes of answers given as data, and what its learners from noisy answers and
from one-bit answers find. As in `AttentionQueries.Conformance.Case`, a rational number `p / q` is the pair `(p, q)`. An
interval is its lower end and its upper end, if it has one.

## Main definitions

* `Weighs`, `Contradicts`: an experiment with this answer gives this interval for a weight, or no head has such answers
* `Combines`: experiments in several directions give these intervals for the weights of a column of the score matrix
* `LearnsNoisy`: from these noisy answers, the learner reports these intervals
* `LearnsBits`: against this head, the learner from one-bit answers ends with this outcome after so many queries
-/

namespace AttentionQueries.Conformance
open CommRing OrderedField

/-! ## One experiment -/

/-- The interval with these ends. -/
def interval (ends : (Int × Nat) × Option (Int × Nat)) : Bounds Rational := ⟨rational ends.1, ends.2.map rational⟩

/-- Intervals are compared by their ends. -/
scoped instance : DecidableEq (Bounds Rational)
  | ⟨a, none⟩, ⟨b, none⟩ => decidable_of_decidable_of_iff (p := a = b) ⟨fun h => by rw [h], fun h => by cases h; rfl⟩
  | ⟨a, some x⟩, ⟨b, some y⟩ => decidable_of_decidable_of_iff (p := a = b ∧ x = y)
      ⟨fun h => by rw [h.1, h.2], fun h => by cases h; exact ⟨rfl, rfl⟩⟩
  | ⟨_, none⟩, ⟨_, some _⟩ => isFalse nofun
  | ⟨_, some _⟩, ⟨_, none⟩ => isFalse nofun

/-- The experiment with `k` and `m` copies and the query token divided by `n`; each of them counts as at least one. -/
def experiment (k m n : Nat) : Experiment Rational where
  k := k - 1 + 1
  m := m - 1 + 1
  n := n - 1 + 1
  unit := 1 / natCast (n - 1 + 1)
  k_pos := Nat.succ_pos _
  m_pos := Nat.succ_pos _
  unit_spec := by rw [CommRing.mul_comm, div_mul_cancel _ (pos_ne (natCast_pos _))]

/-- An experiment and what is known: the tolerance, the direction, the answer at `eⱼ`, and the value of the direction. -/
structure ExperimentData where
  /-- The numbers `k`, `m`, `n`. -/
  experiment : Nat × Nat × Nat
  /-- The kind of direction. -/
  direction : Direction
  /-- The tolerance `τ`. -/
  tolerance : Int × Nat
  /-- The answer to `[eⱼ]`. -/
  value : Int × Nat
  /-- The value of the direction, from the answers. -/
  slope : Int × Nat
  /-- The answer to the experiment. -/
  answer : Int × Nat

/-- The interval for the weight that the library computes. -/
def ExperimentData.bounds (e : ExperimentData) : Bounds Rational :=
  (Conformance.experiment e.experiment.1 e.experiment.2.1 e.experiment.2.2).bounds (rational e.tolerance)
    (rational e.value) (rational e.slope) (e.direction.radius (rational e.tolerance)) (rational e.answer)

/-- The experiment gives the interval with these ends. -/
abbrev Weighs (e : ExperimentData) (low : Int × Nat) (high : Option (Int × Nat)) : Prop :=
  e.bounds = interval (low, high)

/-- No head gives this answer to the experiment. -/
abbrev Contradicts (e : ExperimentData) : Prop := e.bounds.isEmpty = true

/-! ## Several directions -/

/-- The evidence for one column of the score matrix, with the standard pivot and directions: `experiments` lists, for
every row, the experiments `(k, m, n)` with their answers. -/
def column (d : Nat) (values : List (Int × Nat)) (p : Fin d)
    (experiments : List (List ((Nat × Nat × Nat) × (Int × Nat)))) : Evidence Rational Rational d :=
  let y : Vec Rational d := fun i => rational (entry (0, 1) values i.val)
  ⟨y, p, standardDirection y p, fun i _ => (entry [] experiments i.val).map fun t =>
    (experiment t.1.1 t.1.2.1 t.1.2.2, rational t.2)⟩

/-- From these answers to the `[eᵢ]` and to experiments with the query token `eⱼ / n`, the intervals for the weights of
column `j` of the score matrix are `weights`, with the standard pivot `p`. -/
abbrev Combines (d : Nat) (tolerance : Int × Nat) (values : List (Int × Nat)) (p j : Fin d)
    (experiments : List (List ((Nat × Nat × Nat) × (Int × Nat))))
    (weights : List ((Int × Nat) × Option (Int × Nat))) : Prop :=
  largest (column d values p experiments).values = some p ∧
  (List.finRange d).map (fun i => (column d values p experiments).weightBounds (rational tolerance) i j) =
    weights.map interval

/-! ## The learner from noisy answers -/

/-- The oracle that gives the recorded answers. -/
def recorded (d : Nat) (transcript : List (List (List Int × Nat) × (Int × Nat))) (t : Query Int d) : Rational :=
  match transcript.find? fun e => decide (query d e.1 = t) with
  | none => 0
  | some e => rational e.2

/-- The standard strategy with the listed experiments, copies only, for each row and column. -/
def strategy (d : Nat) (tolerance : Int × Nat) (rounds : Nat) (schedule : List (List (List (Nat × Nat)))) :
    NoiseStrategy Int Rational d :=
  .standard (rational tolerance) rounds fun _ _ i j done =>
    ((entry [] (entry [] schedule i.val) j.val).drop done.length).head?.map fun c =>
      .ofCopies (c.1 - 1 + 1) (c.2 - 1 + 1) (Nat.succ_pos _) (Nat.succ_pos _)

/-- From the recorded answers, each off by at most the tolerance, the learner with the scheduled experiments asks
exactly the recorded queries, and reports these intervals for the entries of `W` and of `v`. -/
abbrev LearnsNoisy (d : Nat) (tolerance : Int × Nat) (rounds : Nat) (schedule : List (List (List (Nat × Nat))))
    (transcript : List (List (List Int × Nat) × (Int × Nat))) (W : List (List (Option (Int × Int))))
    (v : List ((Int × Nat) × (Int × Nat))) : Prop :=
  let learner := learnNoisy (strategy d tolerance rounds schedule) (rational tolerance)
  let report := learner.run (recorded d transcript)
  learner.queries (recorded d transcript) = transcript.map (fun e => query d e.1) ∧
  report.contradictory = false ∧
  (List.finRange d).map (fun i => (List.finRange d).map fun j => base2LogBounds.interval (report.weights i j)) = W ∧
  (List.finRange d).map report.values = v.map fun e => (rational e.1, rational e.2)

/-! ## The learner from one-bit answers -/

/-- Against the head with these integer entries, of size at most `bound`, the learner from one-bit answers returns
`found`, or finds that the value vector is zero, after exactly `queries` queries. -/
abbrev LearnsBits (d : Nat) (threshold : Threshold) (bound : Nat) (h : HeadData)
    (found : Option (List (List Int) × List Int)) (queries : Nat) : Prop :=
  let oracle := base2.membershipOracle threshold.value (h.matrix d) (h.values d)
  ((learnMembership threshold bound bound).run oracle).toLists = found ∧
  ((learnMembership threshold bound bound).queries oracle).length = queries

end AttentionQueries.Conformance
