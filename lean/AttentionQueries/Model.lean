import AttentionQueries.Semantics
import AttentionQueries.Algebra.List

/-! # Models: the value of a head, and of several heads, on a sequence

A sequence is a list `xs` of context tokens followed by the query token `q`; the model's output is read at `q`, which
attends to itself. Sequences with repeated tokens are given as runs `[(x₁, k₁), …]`: `kᵢ` copies of the token `xᵢ`.

## Main definitions

* `Head`: a score matrix and a value vector. `Semantics.evalHeads`: the sum of the outputs of a list of heads.
* `Query`: a context and a query token. `Query.length`: the number of tokens, the query token included.
* `expand`: the context that a list of runs denotes.
* `Semantics.oracle`: a head as the oracle that answers queries.
* `Semantics.contextWeight`: the total weight of the context, relative to the weight of the query token.

## Main statements

* `Semantics.eval_centred`: only differences from the query token matter.
* `Semantics.eval_nil`: the output on the sequence `[q]` is `⟨v, q⟩`.
* `Semantics.eval_perm`, `Semantics.evalHeads_perm_context`: the order of the context does not matter.
* `Semantics.eval_expand`: the output on a sequence given as runs.
* `Semantics.eval_congr_length_one`: the outputs on sequences of length one do not depend on `W`. -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- A question to a model: a context and a query token. It stands for the sequence of the context tokens, then the query
token. -/
abbrev Query (R : Type) (d : Nat) := List (Vec R d) × Vec R d

/-- The number of tokens of a question, the query token included. -/
def Query.length (t : Query R d) : Nat := t.1.length + 1

/-- A head: a score matrix `W` and a value vector `v`. -/
structure Head (R K : Type) (d : Nat) where
  /-- The score matrix: the token `x` has the score `xᵀ W q`. -/
  W : Mat R d
  /-- The value vector: the token `x` has the value `⟨v, x⟩`. -/
  v : Vec K d

namespace Semantics

/-- The output of a head is homogeneous in its value vector. -/
theorem eval_scale (W : Mat R d) (c : K) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.eval W (fun i => c * v i) xs q = c * S.eval W v xs q := by
  have h : ∀ x : Vec R d, S.inner (fun i => c * v i) x = c * S.inner v x := fun x => by
    rw [inner, inner, ← finSum_mul]
    exact congrArg finSum (funext fun i => mul_assoc _ _ _)
  rw [eval, eval, ← mul_div, ← listSum_mul]
  refine congrArg (· / _) (listSum_congr fun x _ => ?_)
  rw [h, mul_left_comm]

/-! ## The output relative to the query token -/

/-- The total weight of the context, where the query token has weight one. -/
def contextWeight (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) : K :=
  listSum xs fun x => S.exp (score W (x - q) q)

/-- The denominator of the softmax does not vanish. -/
theorem contextWeight_add_one_ne (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) : S.contextWeight W xs q + 1 ≠ 0 :=
  pos_ne (listSum_pos xs _ (fun _ _ => S.exp_pos _) 1 one_pos)

/-- The denominator, in units of the weight of the query token. -/
private theorem denominator_centred (W : Mat R d) (xs : List (Vec R d)) (q : Vec R d) :
    listSum (xs ++ [q]) (fun x => S.exp (score W x q)) = S.exp (score W q q) * (S.contextWeight W xs q + 1) := by
  rw [listSum_append, listSum_cons, listSum_nil, contextWeight, mul_add, ← listSum_mul, add_zero, mul_one]
  congr; funext x
  rw [score_split, S.exp_add]

/-- The numerator, in units of the weight of the query token. -/
private theorem numerator_centred (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    listSum (xs ++ [q]) (fun x => S.exp (score W x q) * S.inner v x) = S.exp (score W q q) *
      (listSum xs (fun x => S.exp (score W (x - q) q) * S.inner v (x - q)) +
        S.inner v q * (S.contextWeight W xs q + 1)) := by
  have h : listSum xs (fun x => S.exp (score W x q) * S.inner v x) = S.exp (score W q q) *
      (listSum xs (fun x => S.exp (score W (x - q) q) * S.inner v (x - q)) + S.inner v q * S.contextWeight W xs q) := by
    rw [contextWeight, ← listSum_mul (S.inner v q), ← listSum_add, ← listSum_mul]
    congr; funext x
    rw [score_split, S.exp_add, inner_split S v x q]; ring
  rw [listSum_append, h, listSum_cons, listSum_nil]; ring

/-- **Centred form.** The output is the value of the query token plus a weighted mean of differences from it. -/
theorem eval_centred (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.eval W v xs q = S.inner v q +
      listSum xs (fun x => S.exp (score W (x - q) q) * S.inner v (x - q)) / (S.contextWeight W xs q + 1) := by
  rw [eval, numerator_centred, denominator_centred,
    div_eq_iff (mul_ne_zero (S.exp_ne _) (S.contextWeight_add_one_ne W xs q))]
  have h := div_mul_cancel (listSum xs fun x => S.exp (score W (x - q) q) * S.inner v (x - q))
    (S.contextWeight_add_one_ne W xs q)
  lin_comb (-S.exp (score W q q)) h

/-! ## Length one, permutations, runs -/

/-- **Length one.** On the sequence `[q]` the output is the value of `q`. -/
theorem eval_nil (W : Mat R d) (v : Vec K d) (q : Vec R d) : S.eval W v [] q = S.inner v q := by
  rw [eval_centred, listSum_nil, zero_div, add_zero]

/-- The outputs on sequences of length one do not depend on the score matrix. -/
theorem eval_congr_length_one (W W' : Mat R d) (v : Vec K d) (q : Vec R d) : S.eval W v [] q = S.eval W' v [] q := by
  rw [eval_nil, eval_nil]

/-- **The order of the context does not matter.** -/
theorem eval_perm {xs ys : List (Vec R d)} (h : xs.Perm ys) (W : Mat R d) (v : Vec K d) (q : Vec R d) :
    S.eval W v xs q = S.eval W v ys q := by
  rw [eval_centred, eval_centred, contextWeight, contextWeight, listSum_perm h, listSum_perm h]

end Semantics

/-- The context denoted by a list of runs `(x, k)`, each of them `k` copies of the token `x`. -/
def expand (l : List (Vec R d × Nat)) : List (Vec R d) := l.flatMap fun r => List.replicate r.2 r.1

omit [CommRing R] in
/-- The length of a context given as runs is the sum of the copies. -/
theorem length_expand (l : List (Vec R d × Nat)) : (expand l).length = (l.map fun r => r.2).sum := by
  rw [expand, List.length_flatMap]
  congr; funext r
  exact List.length_replicate

omit [CommRing R] in
/-- A sum over a context given as runs. -/
private theorem listSum_expand (l : List (Vec R d × Nat)) (f : Vec R d → K) :
    listSum (expand l) f = listSum l fun r => natCast r.2 * f r.1 := by
  induction l with
  | nil => rfl
  | cons r l ih => rw [expand, List.flatMap_cons, listSum_append, listSum_replicate, listSum_cons, ← ih, expand]

namespace Semantics

/-- **Runs.** The output on a sequence given as runs: each run counts with its number of copies. -/
theorem eval_expand (W : Mat R d) (v : Vec K d) (l : List (Vec R d × Nat)) (q : Vec R d) :
    S.eval W v (expand l) q = S.inner v q +
      listSum l (fun r => natCast r.2 * (S.exp (score W (r.1 - q) q) * S.inner v (r.1 - q))) /
        (listSum l (fun r => natCast r.2 * S.exp (score W (r.1 - q) q)) + 1) := by
  rw [eval_centred, contextWeight, listSum_expand, listSum_expand]

/-! ## Heads as oracles -/

/-- The head `(W, v)` as an oracle: it answers a query with its output. -/
def oracle (W : Mat R d) (v : Vec K d) : Query R d → K := fun t => S.eval W v t.1 t.2

/-! ## Several heads -/

/-- The output of a list of heads: the sum of their outputs. -/
def evalHeads (H : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) : K :=
  listSum H fun h => S.eval h.W h.v xs q

/-- One head is a model with one head. -/
theorem evalHeads_singleton (h : Head R K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads [h] xs q = S.eval h.W h.v xs q := add_zero _

/-- No heads: the output is zero. -/
theorem evalHeads_no_heads (xs : List (Vec R d)) (q : Vec R d) : S.evalHeads ([] : List (Head R K d)) xs q = 0 := rfl

/-- The order of the context does not matter to a model with several heads. -/
theorem evalHeads_perm_context {xs ys : List (Vec R d)} (h : xs.Perm ys) (H : List (Head R K d)) (q : Vec R d) :
    S.evalHeads H xs q = S.evalHeads H ys q := by
  rw [evalHeads, evalHeads]
  exact listSum_congr fun k _ => S.eval_perm h k.W k.v q

end Semantics

end AttentionQueries
