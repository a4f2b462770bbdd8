import AttentionQueries.Conformance.Case
import AttentionQueries.MultiHead.NormalForm

/-! # Conformance cases about pairs of models

What the library's own definitions say of two sums of heads given as data: whether they compute the same function, what
their normal form is, and on which sequence they differ.

## Main definitions

* `Same`: two sums of heads compute the same function and have this normal form
* `Differ`: they do not, and have these different values on this sequence
-/

namespace AttentionQueries.Conformance

/-- The heads that the data stand for. -/
def model (d : Nat) (heads : List HeadData) : List (Head Int Rational d) := heads.map (HeadData.head d)

/-- The normal form: equal matrices merged, zero values dropped, matrices in ascending order. -/
def normal (d : Nat) (heads : List HeadData) : List (Head Int Rational d) :=
  normalForm (fun a b => decide (a ≤ b)) (model d heads)

/-- The two sums of heads compute the same function, and `form` is the normal form of both. -/
abbrev Same (d : Nat) (a b form : List HeadData) : Prop :=
  sameFunction (model d a) (model d b) = true ∧ normal d a = model d form ∧ normal d b = model d form

/-- The two sums of heads compute different functions, and have the different values `r` and `s` on the sequence of
these runs. -/
abbrev Differ (d : Nat) (a b : List HeadData) (runs : List (List Int × Nat)) (r s : Int × Nat) : Prop :=
  sameFunction (model d a) (model d b) = false ∧
  value d a runs = rational r ∧ value d b runs = rational s ∧ rational r ≠ rational s

end AttentionQueries.Conformance
