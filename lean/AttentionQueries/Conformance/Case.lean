import AttentionQueries.Base2.Instance
import AttentionQueries.Model
import AttentionQueries.SingleHead.Learner

/-! # Conformance cases as plain data

Cases are written with numbers only: a rational number `p / q` is the pair `(p, q)`, a vector the list of its entries, a
matrix the list of its rows, a head `⟨W, v⟩`, and a sequence a list of runs `(token, copies)`, the last of which ends in
the query token. `Value`, `Learns` and `Rejects` say what the library's own definitions make of such data; they are
decidable by evaluation, so that the kernel settles each case by `decide +kernel`.

## Main definitions

* `HeadData`, `value`: a head as data, and the value of a list of heads on a sequence given as data
* `Value`: the heads have this value on this sequence
* `Learns`: against this head, the learner ends with this outcome after these queries and answers
* `Rejects`: against this sum of heads, the learner finds that it is not a single head
-/

namespace AttentionQueries.Conformance

/-- The rational number `p / q` that the pair `(p, q)` stands for. -/
def rational (r : Int × Nat) : Rational := base2.cast r.1 / base2.cast (Int.ofNat r.2)

/-- The entry number `i` of a list, and `a` beyond its end. -/
def entry {A : Type} (a : A) : List A → Nat → A
  | [], _ => a
  | x :: _, 0 => x
  | _ :: l, i + 1 => entry a l i

/-- The token with the listed entries. -/
def token (d : Nat) (l : List Int) : Vec Int d := fun i => entry 0 l i.val

/-- A head as data. -/
structure HeadData where
  /-- The rows of the score matrix. -/
  W : List (List Int)
  /-- The value vector, entries as pairs of numerator and denominator. -/
  v : List (Int × Nat)

/-- The score matrix with the listed rows. -/
def HeadData.matrix (d : Nat) (h : HeadData) : Mat Int d := fun i j => entry 0 (entry [] h.W i.val) j.val
/-- The value vector with the listed entries. -/
def HeadData.values (d : Nat) (h : HeadData) : Vec Rational d := fun i => rational (entry (0, 1) h.v i.val)
/-- The head that the data stand for. -/
def HeadData.head (d : Nat) (h : HeadData) : Head Int Rational d := ⟨h.matrix d, h.values d⟩

/-- The query that a list of runs stands for: its last token is the query token, all others are the context. -/
def query (d : Nat) : List (List Int × Nat) → Query Int d
  | [] => ([], 0)
  | [(q, k)] => (List.replicate (k - 1) (token d q), token d q)
  | (x, k) :: runs => (List.replicate k (token d x) ++ (query d runs).1, (query d runs).2)

/-- The sum of heads as an oracle. -/
def oracle (d : Nat) (heads : List HeadData) (t : Query Int d) : Rational :=
  base2.evalHeads (heads.map (HeadData.head d)) t.1 t.2

/-- The value of the sum of heads on the sequence of these runs. -/
def value (d : Nat) (heads : List HeadData) (runs : List (List Int × Nat)) : Rational :=
  oracle d heads (query d runs)

/-- The sum of heads has the value `r` on the sequence of these runs. -/
abbrev Value (d : Nat) (heads : List HeadData) (runs : List (List Int × Nat)) (r : Int × Nat) : Prop :=
  value d heads runs = rational r

/-! ## Runs of the learner -/

/-- Vectors are compared entry by entry. -/
scoped instance {A : Type} [DecidableEq A] {d : Nat} : DecidableEq (Fin d → A) := fun v w =>
  decidable_of_decidable_of_iff (p := ∀ i, v i = w i) ⟨funext, congrFun⟩

/-- Outcomes of the learner are compared by kind, matrix and vector. -/
scoped instance {R K : Type} [DecidableEq R] [DecidableEq K] {d : Nat} : DecidableEq (Outcome R K d)
  | .head W v, .head W' v' => decidable_of_decidable_of_iff (p := W = W' ∧ v = v')
      ⟨fun h => by rw [h.1, h.2], fun h => by cases h; exact ⟨rfl, rfl⟩⟩
  | .zero, .zero => isTrue rfl
  | .reject, .reject => isTrue rfl
  | .head _ _, .zero => isFalse nofun
  | .head _ _, .reject => isFalse nofun
  | .zero, .head _ _ => isFalse nofun
  | .zero, .reject => isFalse nofun
  | .reject, .head _ _ => isFalse nofun
  | .reject, .zero => isFalse nofun

/-- The outcome of learning: this head. -/
def found (d : Nat) (h : HeadData) : Outcome Int Rational d := .head (h.matrix d) (h.values d)

/-- Against the head `h`, the learner ends with this outcome after exactly these queries and answers, in this order. -/
abbrev Learns (d : Nat) (h : HeadData) (outcome : Outcome Int Rational d)
    (transcript : List (List (List Int × Nat) × (Int × Nat))) : Prop :=
  (learn base2Log).run (oracle d [h]) = outcome ∧
  (learn base2Log).transcript (oracle d [h]) = transcript.map fun t => (query d t.1, rational t.2)

/-- Against the sum of these heads, the learner finds that the answers are not those of a single head. -/
abbrev Rejects (d : Nat) (heads : List HeadData) : Prop :=
  (learn base2Log).run (oracle d heads) = .reject

end AttentionQueries.Conformance
