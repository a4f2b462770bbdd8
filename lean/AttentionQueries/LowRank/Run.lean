import AttentionQueries.Conformance.Case
import AttentionQueries.LowRank.Learner

/-! # A run of the learner in the kernel

The learner of heads of low rank is a program that evaluates. Here the kernel runs it in the base-2 semantics on
a head of rank one with `d = 4`, and counts `4 + 7 + 8 = 19` queries; the learner without a promise asks `4 + 16
= 20`.

The probes of the hitting set have entries up to `(2 d - 1) ^ (d - 1)`, so the answers have many digits already
for small `d`; what the theorems count is queries. Random probes with small entries avoid this
(`LowRank.RandomCheck`).

## Main statements

* `LowRank.run_example`, `LowRank.run_example_count`: the result and the number of queries.
-/

namespace AttentionQueries
open Conformance

namespace LowRank
/-- A score matrix of rank one. -/
def exampleMatrix : Mat Int 4 := fun i j => if i.val = 1 then 0 else if j.val = 2 then -1 else 1

/-- A value vector, with entries of both signs and zero. -/
def exampleValue : Vec Rational 4 := fun i =>
  if i.val = 0 then 0 else if i.val = 2 then base2.cast (-1) else base2.cast 3

/-- The learner with the promise of rank at most one finds the head. -/
theorem run_example : (base2.learnLowRank base2Log 1).run (base2.oracle exampleMatrix exampleValue) =
    .head (base2.castM exampleMatrix) exampleValue := by decide +kernel

/-- It asks `19` queries. -/
theorem run_example_count :
    ((base2.learnLowRank base2Log 1).queries (base2.oracle exampleMatrix exampleValue)).length = 19 := by decide +kernel
end LowRank

end AttentionQueries
