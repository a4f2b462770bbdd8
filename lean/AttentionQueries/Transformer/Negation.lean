import AttentionQueries.SingleHead.Learner
import AttentionQueries.Transformer.Network

/-! # Negating all tokens removes the rectifier

Negating all tokens keeps the scores and negates the attention output. For a network without hidden biases the
difference `f(X) - f(-X)` is therefore the function of a single head, whose value vector is the slope `∑ⱼ aⱼ wⱼ + 2 ℓ`
of the network. So the learner of a single head learns `W` from such a Transformer, with each query asked twice.

## Main definitions

* `Network.BiasFree`: no hidden biases. `Network.slope`: the vector `∑ⱼ aⱼ wⱼ + 2 ℓ`.
* `negate t`: the query `t` with all tokens negated.
* `QueryProgram.paired σ c p`: the program `p` with each question `t` replaced by the two questions `t` and `σ t`.
* `learnOdd log`: the learner.

## Main statements

* `Semantics.attention_negate`: negating all tokens negates the attention output.
* `Semantics.transformer_sub_negate`: **the reduction**.
* `Semantics.transformer_unique_of_slope`: uniqueness of `W`, from `2 (d² + d)` outputs.
* `Semantics.learnOdd_exact`, `learnOdd_count`: the learner returns `W` and the slope, with `2 (d² + d)` queries.
* `Semantics.learnOdd_zero`, `Semantics.odd_part_zero_iff`, `Semantics.slope_needed`: the condition `slope ≠ 0` is
  exact.
* `Semantics.biasFree_needed`: with a hidden bias `f(X) - f(-X)` need not be the function of a head.

## References

The reduction of arXiv 2601.16873 from one-layer Transformers to a single head. -/

namespace AttentionQueries
open CommRing OrderedField

/-! ## Questions asked in pairs -/
namespace QueryProgram
variable {Q A α : Type}

/-- The program in which each question `t` of `p` is replaced by the two questions `t` and `σ t`, and the answer by the
combination `c` of the two answers. -/
def paired (σ : Q → Q) (c : A → A → A) : QueryProgram Q A α → QueryProgram Q A α
  | done a => done a
  | ask t k => ask t fun a => ask (σ t) fun b => paired σ c (k (c a b))

/-- The result is that of the original program against the combined oracle. -/
theorem run_paired (σ : Q → Q) (c : A → A → A) (o : Q → A) (p : QueryProgram Q A α) :
    (p.paired σ c).run o = p.run fun t => c (o t) (o (σ t)) := by
  induction p with
  | done a => rfl
  | ask t k ih => exact ih (c (o t) (o (σ t)))

/-- The questions are those of the original program against the combined oracle, each followed by its partner. -/
theorem queries_paired (σ : Q → Q) (c : A → A → A) (o : Q → A) (p : QueryProgram Q A α) :
    (p.paired σ c).queries o = (p.queries fun t => c (o t) (o (σ t))).flatMap fun t => [t, σ t] := by
  induction p with
  | done a => rfl
  | ask t k ih =>
    show t :: σ t :: (paired σ c (k (c (o t) (o (σ t))))).queries o = _
    rw [ih]
    rfl

/-- There are twice as many questions. -/
theorem count_paired (σ : Q → Q) (c : A → A → A) (o : Q → A) (p : QueryProgram Q A α) :
    (p.paired σ c).count o = 2 * p.count fun t => c (o t) (o (σ t)) := by
  rw [count, queries_paired, length_flatMap_const (n := 2) fun _ => rfl, Nat.mul_comm]
  rfl

end QueryProgram

variable {R K : Type} [CommRing R] [OrderedField K] {d : Nat}

/-- The query with all tokens negated, the query token included. -/
def negate (t : Query R d) : Query R d := (t.1.map fun x => -x, -t.2)

/-- Negating the tokens keeps the length. -/
theorem length_negate (t : Query R d) : Query.length (negate t) = Query.length t :=
  congrArg (· + 1) (List.length_map _)

/-- Negating both tokens keeps the score. -/
theorem score_neg_neg (W : Mat R d) (x q : Vec R d) : score W (-x) (-q) = score W x q := by
  have h : ∀ i, mulVec W (-q) i = -mulVec W q i := fun i => by
    have h := finSum_mul (-1 : R) fun j => W i j * q j
    rw [mulVec, mulVec, show -(finSum fun j => W i j * q j) = -1 * finSum fun j => W i j * q j by ring, ← h]
    exact finSum_congr fun j => by rw [vneg_app]; ring
  exact finSum_congr fun i => by rw [h, vneg_app]; ring

/-! ## Networks without hidden biases -/
namespace Network

/-- The hidden neurons have no biases. -/
def BiasFree (N : Network K d) : Prop := ∀ n ∈ N.hidden, n.c = 0

/-- The slope `∑ⱼ aⱼ wⱼ + 2 ℓ` of the odd part `N(z) - N(-z)`. -/
def slope (N : Network K d) : Vec K d := fun i => listSum N.hidden (fun n => n.a * n.w i) + (N.linear i + N.linear i)

/-- The product with the slope. -/
private theorem dot_slope (N : Network K d) (z : Vec K d) :
    dot N.slope z = listSum N.hidden (fun n => n.a * dot n.w z) + (dot N.linear z + dot N.linear z) := by
  have h : ∀ i, N.slope i * z i = listSum N.hidden (fun n => n.a * (n.w i * z i)) +
      (N.linear i * z i + N.linear i * z i) := fun i => by
    rw [listSum_congr fun n _ => (mul_assoc n.a (n.w i) (z i)).symm, listSum_mul_right, slope]
    ring
  rw [dot, finSum_congr h, finSum_add, finSum_add, ← listSum_fsum]
  congr 1
  exact listSum_congr fun n _ => finSum_mul _ _

/-- **Without hidden biases the odd part is linear.** The constant cancels. -/
theorem eval_sub_neg {N : Network K d} (hN : N.BiasFree) (z : Vec K d) : N.eval z - N.eval (-z) = dot N.slope z := by
  have h : listSum N.hidden (fun n => n.a * relu (n.input z)) = listSum N.hidden (fun n => n.a * relu (n.input (-z))) +
      listSum N.hidden fun n => n.a * dot n.w z := by
    rw [← listSum_add]
    refine listSum_congr fun n hn => ?_
    rw [Neuron.input, Neuron.input, dot_neg, hN n hn, add_zero, add_zero]
    lin_comb (n.a) (relu_sub_relu_neg (dot n.w z))
  rw [dot_slope, eval, eval, h, dot_neg]
  ring

end Network

namespace Semantics
variable (S : Semantics R K)

/-- **Negating all tokens negates the attention output.** -/
theorem attention_negate (W : Mat R d) (t : Query R d) :
    S.attention W (negate t).1 (negate t).2 = -S.attention W t.1 t.2 := funext fun i => by
  obtain ⟨xs, q⟩ := t
  have e : (xs.map fun x => -x) ++ [-q] = (xs ++ [q]).map fun x => -x := by rw [List.map_append]; rfl
  have h : listSum (xs ++ [q]) (fun x => S.exp (score W x q) * S.cast ((-x) i)) =
      -1 * listSum (xs ++ [q]) fun x => S.exp (score W x q) * S.cast (x i) := by
    rw [← listSum_mul]
    exact listSum_congr fun x _ => by rw [vneg_app, cast_neg]; ring
  rw [vneg_app, negate, attention, attention, e, listSum_map, listSum_map]
  simp only [score_neg_neg]
  rw [h, div_def, div_def]
  ring

/-- The one-layer Transformer as an oracle. -/
noncomputable def transformerOracle (W : Mat R d) (N : Network K d) : Query R d → K := fun t =>
  S.transformer W N t.1 t.2

/-- **The reduction.** Without hidden biases `f(X) - f(-X)` is the output of the single head with the same score matrix
and the slope of the network as its value vector. -/
theorem transformer_sub_negate (W : Mat R d) {N : Network K d} (hN : N.BiasFree) (t : Query R d) :
    S.transformerOracle W N t - S.transformerOracle W N (negate t) = S.oracle W N.slope t := by
  rw [transformerOracle, transformerOracle, transformer, transformer, attention_negate, Network.eval_sub_neg hN, oracle,
    eval_eq_dot]

/-- **Uniqueness from `2 (d² + d)` outputs.** Two Transformers without hidden biases, with networks of any widths, that
agree on the queries of a head with the slope of the first one as its value vector, and on their negatives, have the
same score matrix and the same slope, if this slope is not zero. -/
theorem transformer_unique_of_slope [DecidableEq K] {W W' : Mat R d} {N N' : Network K d} (hN : N.BiasFree)
    (hN' : N'.BiasFree) (hs : N.slope ≠ 0)
    (h : ∀ t ∈ headQueries N.slope, S.transformerOracle W N t = S.transformerOracle W' N' t ∧
      S.transformerOracle W N (negate t) = S.transformerOracle W' N' (negate t)) : N.slope = N'.slope ∧ W = W' :=
  S.head_unique_queries hs fun t ht => by
    have e := S.transformer_sub_negate W hN t
    rw [(h t ht).1, (h t ht).2, transformer_sub_negate S W' hN'] at e
    exact e.symm

/-- **The condition is exact**: the odd part vanishes, for one score matrix or for all, iff the slope is zero. -/
theorem odd_part_zero_iff (W : Mat R d) {N : Network K d} (hN : N.BiasFree) :
    (∀ t, S.transformerOracle W N t - S.transformerOracle W N (negate t) = 0) ↔ N.slope = 0 := by
  simp only [S.transformer_sub_negate W hN]
  constructor
  · intro h
    funext i
    have := h ([], basis i)
    rwa [oracle, eval_nil, inner_basis] at this
  · intro h t
    rw [h, oracle, eval_zero]

/-- **The condition on the slope is needed.** For `d ≥ 1` the network `relu z₁ + relu (-z₁)`, the absolute value of the
first coordinate, is not constant, but has slope zero: the differences `f(X) - f(-X)` vanish for all score matrices. -/
theorem slope_needed (hd : 0 < d) : let N : Network K d := ⟨[⟨1, basis ⟨0, hd⟩, 0⟩, ⟨1, -basis ⟨0, hd⟩, 0⟩], 0, 0⟩
    N.BiasFree ∧ N.slope = 0 ∧ (¬ ∀ z, N.eval z = N.eval 0) ∧
      ∀ (W : Mat R d) t, S.transformerOracle W N t - S.transformerOracle W N (negate t) = 0 := by
  intro N
  have hN : N.BiasFree := fun n hn => by
    rcases List.mem_cons.mp hn with rfl | hn
    · rfl
    · rw [List.mem_singleton.mp hn]
  have hs : N.slope = 0 := funext fun i => by
    show (1 : K) * basis ⟨0, hd⟩ i + (1 * -basis ⟨0, hd⟩ i + 0) + (0 + 0) = 0
    ring
  refine ⟨hN, hs, fun h => ?_, fun W => (S.odd_part_zero_iff W hN).mpr hs⟩
  have e : ∀ z, N.eval z = relu (z ⟨0, hd⟩) + relu (-z ⟨0, hd⟩) := fun z => by
    have h1 : dot (basis ⟨0, hd⟩) z = z ⟨0, hd⟩ := by
      rw [dot, finSum_single ⟨0, hd⟩, basis_self, one_mul]
      intro j hj
      rw [basis_ne hj, zero_mul]
    have h2 : dot (-basis ⟨0, hd⟩) z = -z ⟨0, hd⟩ := by
      rw [dot, finSum_single ⟨0, hd⟩, vneg_app, basis_self]
      · ring
      · intro j hj
        rw [vneg_app, basis_ne hj]
        ring
    rw [Network.eval, zero_dot, listSum_cons, listSum_cons, listSum_nil]
    show (1 : K) * relu (dot (basis ⟨0, hd⟩) z + 0) + (1 * relu (dot (-basis ⟨0, hd⟩) z + 0) + 0) + 0 + 0 = _
    rw [h1, h2, add_zero (z ⟨0, hd⟩), add_zero (-z ⟨0, hd⟩)]
    ring
  have h := h (basis ⟨0, hd⟩)
  rw [e, e, basis_self, vzero_app, relu_of_nonneg (le_of_lt one_pos),
    relu_of_nonpos (x := -1) (le_of_lt (lt_cert one_pos (by ring))), relu_of_nonpos (le_refl 0),
    relu_of_nonpos (x := -0) (le_of_eq (by ring)), add_zero, add_zero] at h
  exact zero_ne_one h.symm

/-- **The condition on the biases is needed.** For `d = 1` and the network `relu (z + 1)` no head computes
`f(X) - f(-X)`. -/
theorem biasFree_needed (W : Mat R 1) : let N : Network K 1 := ⟨[⟨1, fun _ => 1, 1⟩], 0, 0⟩
    ¬ ∃ (W' : Mat R 1) (v : Vec K 1), ∀ t,
      S.transformerOracle W N t - S.transformerOracle W N (negate t) = S.oracle W' v t := by
  rintro N ⟨W', v, h⟩
  -- the values at the tokens one and two
  have key : ∀ x : Vec R 1, relu (S.cast (x 0) + 1) - relu (-S.cast (x 0) + 1) = S.inner v x := fun x => by
    have e := h ([], x)
    rw [transformerOracle, transformerOracle, transformer, transformer, attention_negate, attention_nil, oracle,
      eval_nil] at e
    rw [← e]
    have hval : ∀ z : Vec K 1, (⟨[⟨1, fun _ => 1, 1⟩], 0, 0⟩ : Network K 1).eval z = relu (z 0 + 1) := fun z => by
      rw [Network.eval, zero_dot, listSum_cons, listSum_nil, Neuron.input]
      show (1 : K) * relu (1 * z 0 + 0 + 1) + 0 + 0 + 0 = _
      rw [show (1 : K) * z 0 + 0 + 1 = z 0 + 1 by ring]
      ring
    rw [hval, hval]
    rfl
  have h1 := key (fun _ => 1)
  have h2 := key ((fun _ => 1) + fun _ => 1)
  rw [inner_add, ← h1, vadd_app, S.cast_add, S.cast_one] at h2
  have two : (0 : K) < 1 + 1 := add_pos one_pos one_pos
  rw [relu_of_nonneg (x := 1 + 1 + 1) (le_of_lt (add_pos two one_pos)),
    relu_of_nonpos (x := -(1 + 1) + 1) (le_cert (le_of_lt one_pos) (by ring)),
    relu_of_nonneg (x := 1 + 1) (le_of_lt two), relu_of_nonneg (x := -1 + 1) (le_of_eq (by ring))] at h2
  exact zero_ne_one (K := K) (by lin_comb (1) h2)

end Semantics

/-! ## The learner -/

/-- **The learner through the reduction**: the learner of a single head with each query `t` asked twice, as `t` and with
all tokens negated, and the difference of the two answers in place of the answer. -/
def learnOdd [DecidableEq K] (log : K → Option R) : QueryProgram (Query R d) K (Outcome R K d) :=
  (learn log).paired negate fun a b => a - b

/-- **Query count**, against any oracle: twice `d² + d` or twice `d` queries, according to whether the differences
`o([eᵢ]) - o([-eᵢ])` are not all zero or all zero. -/
theorem learnOdd_count [DecidableEq K] (log : K → Option R) (o : Query R d → K) :
    ((∃ i, o ([], basis i) - o ([], -basis i) ≠ 0) → ((learnOdd log).queries o).length = 2 * (d * d + d)) ∧
    ((∀ i, o ([], basis i) - o ([], -basis i) = 0) → ((learnOdd log).queries o).length = 2 * d) := by
  have h := learn_count log fun t => o t - o (negate t)
  have e := QueryProgram.count_paired negate (fun a b => a - b) o (learn log)
  rw [QueryProgram.count, QueryProgram.count] at e
  rw [learnOdd, e, Nat.add_comm (d * d)]
  exact ⟨fun hi => congrArg (2 * ·) (h.2 hi), fun hi => congrArg (2 * ·) (h.1 hi)⟩

/-- **Query length**, against any oracle: at most two tokens. -/
theorem learnOdd_length [DecidableEq K] (log : K → Option R) (o : Query R d → K) :
    ∀ t ∈ (learnOdd log).queries o, Query.length t ≤ 2 := by
  intro t ht
  rw [learnOdd, QueryProgram.queries_paired] at ht
  obtain ⟨s, hs, hts⟩ := List.mem_flatMap.mp ht
  have h2 := learn_length log _ s hs
  rcases List.mem_cons.mp hts with rfl | hts
  · exact h2
  rcases List.mem_cons.mp hts with rfl | hts
  · rw [length_negate]
    exact h2
  · exact nomatch hts

namespace Semantics
variable (S : Semantics R K)

private theorem oddPart_eq (W : Mat R d) {N : Network K d} (hN : N.BiasFree) :
    (fun t => S.transformerOracle W N t - S.transformerOracle W N (negate t)) = S.oracle W N.slope :=
  funext (S.transformer_sub_negate W hN)

variable [DecidableEq K]

/-- **Exactness.** On a Transformer without hidden biases and with slope not zero the learner returns its score matrix
and its slope. -/
theorem learnOdd_exact {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) (W : Mat R d) {N : Network K d}
    (hN : N.BiasFree) (hs : N.slope ≠ 0) : (learnOdd log).run (S.transformerOracle W N) = .head W N.slope := by
  rw [learnOdd, QueryProgram.run_paired, oddPart_eq S W hN]
  exact S.learn_exact hlog W hs

/-- **Honesty.** On a Transformer without hidden biases and with slope zero the learner says that the slope is zero. -/
theorem learnOdd_zero (log : K → Option R) (W : Mat R d) {N : Network K d} (hN : N.BiasFree) (hs : N.slope = 0) :
    (learnOdd log).run (S.transformerOracle W N) = .zero := by
  rw [learnOdd, QueryProgram.run_paired, oddPart_eq S W hN, hs]
  exact S.learn_zero log W

/-- **Query count on Transformers** without hidden biases: `2 (d² + d)` queries when the slope is not zero, and `2 d`
when it is zero. -/
theorem learnOdd_count_transformer (log : K → Option R) (W : Mat R d) {N : Network K d} (hN : N.BiasFree) :
    (N.slope ≠ 0 → ((learnOdd log).queries (S.transformerOracle W N)).length = 2 * (d * d + d)) ∧
    (N.slope = 0 → ((learnOdd log).queries (S.transformerOracle W N)).length = 2 * d) := by
  have h := learnOdd_count log (S.transformerOracle W N)
  have e : ∀ i, S.transformerOracle W N ([], basis i) - S.transformerOracle W N ([], -basis i) = N.slope i := by
    intro i
    have e := S.transformer_sub_negate W hN ([], basis i)
    rw [oracle, eval_nil, inner_basis] at e
    exact e
  simp only [e] at h
  exact ⟨fun hs => h.1 (exists_ne_zero hs), fun hs => h.2 (congrFun hs)⟩

/-- **When a head is returned**, whatever the oracle: iff its value vector is not zero and it gives the differences of
all pairs of answers received. -/
theorem learnOdd_head_iff {log : K → Option R} (hlog : S.IsLog log) (o : Query R d → K) (W : Mat R d) (v : Vec K d) :
    (learnOdd log).run o = .head W v ↔
      v ≠ 0 ∧ ∀ t ∈ (learn log).queries fun t => o t - o (negate t), S.oracle W v t = o t - o (negate t) := by
  rw [learnOdd, QueryProgram.run_paired]
  exact S.learn_head_iff hlog _ W v

end Semantics

end AttentionQueries
