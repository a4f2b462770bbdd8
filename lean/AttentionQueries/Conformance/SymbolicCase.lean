import AttentionQueries.Conformance.Case
import AttentionQueries.ExpField.Instance

/-! # Conformance cases of the symbolic semantics as plain data

As in `AttentionQueries.Conformance.Case`, with rational numbers `(p, q)` also as entries of tokens and score matrices.
A value is a quotient of two sums `∑ c t ^ q`, each the list of its terms `(c, q)`.

## Main definitions

* `SymbolicHead`, `symbolicValue`: a head as data, and the value of a list of heads on a sequence given as data
* `SymbolicValue`: the heads have this value on this sequence
* `SymbolicLearns`: against this head, the learner ends with this outcome
-/

namespace AttentionQueries.Conformance

/-- Rational scores, values in the field of exponentials of rational numbers. -/
abbrev symbolic : Semantics Rational (ExpField Rational) := symbolicExp Rational

/-- The vector with the listed entries. -/
def rationalVector (d : Nat) (l : List (Int × Nat)) : Vec Rational d := fun i => rational (entry (0, 1) l i.val)

/-- A head as data. -/
structure SymbolicHead where
  /-- The rows of the score matrix. -/
  W : List (List (Int × Nat))
  /-- The value vector. -/
  v : List (Int × Nat)

/-- The score matrix with the listed rows. -/
def SymbolicHead.matrix (d : Nat) (h : SymbolicHead) : Mat Rational d := fun i => rationalVector d (entry [] h.W i.val)
/-- The value vector with the listed entries. -/
def SymbolicHead.values (d : Nat) (h : SymbolicHead) : Vec (ExpField Rational) d := fun i =>
  symbolic.cast (rationalVector d h.v i)
/-- The head that the data stand for. -/
def SymbolicHead.head (d : Nat) (h : SymbolicHead) : Head Rational (ExpField Rational) d := ⟨h.matrix d, h.values d⟩

/-- The query that a list of runs stands for: its last token is the query token, all others are the context. -/
def symbolicQuery (d : Nat) : List (List (Int × Nat) × Nat) → Query Rational d
  | [] => ([], 0)
  | [(q, k)] => (List.replicate (k - 1) (rationalVector d q), rationalVector d q)
  | (x, k) :: runs => (List.replicate k (rationalVector d x) ++ (symbolicQuery d runs).1, (symbolicQuery d runs).2)

/-- The sum of heads as an oracle. -/
def symbolicOracle (d : Nat) (heads : List SymbolicHead) (t : Query Rational d) : ExpField Rational :=
  symbolic.evalHeads (heads.map (SymbolicHead.head d)) t.1 t.2

/-- The value of the sum of heads on the sequence of these runs. -/
def symbolicValue (d : Nat) (heads : List SymbolicHead) (runs : List (List (Int × Nat) × Nat)) : ExpField Rational :=
  symbolicOracle d heads (symbolicQuery d runs)

/-- The sum of the listed terms `(c, q)`, each of them `c t ^ q`. -/
def terms (l : List ((Int × Nat) × (Int × Nat))) : ExpField Rational :=
  listSum l fun s => symbolic.cast (rational s.1) * symbolic.exp (rational s.2)

/-- The sum of heads has the value `num / den` on the sequence of these runs; numerator and denominator are lists of
terms. -/
abbrev SymbolicValue (d : Nat) (heads : List SymbolicHead) (runs : List (List (Int × Nat) × Nat))
    (num den : List ((Int × Nat) × (Int × Nat))) : Prop :=
  terms den ≠ 0 ∧ symbolicValue d heads runs = terms num / terms den

/-- Against the head `h`, the learner returns the head `found`. -/
abbrev SymbolicLearns (d : Nat) (h found : SymbolicHead) : Prop :=
  (learn symbolicLog).run (symbolicOracle d [h]) = .head (found.matrix d) (found.values d)

end AttentionQueries.Conformance
