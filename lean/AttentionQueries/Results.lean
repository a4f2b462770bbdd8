import AttentionQueries.Base2.Instance
import AttentionQueries.Base2.Noise
import AttentionQueries.Certificate.Inconsistency
import AttentionQueries.Certificate.LowRank
import AttentionQueries.Certificate.MultiHead
import AttentionQueries.Certificate.SingleHead
import AttentionQueries.Certificate.Verifier
import AttentionQueries.Conformance.Case
import AttentionQueries.ExpField.Instance
import AttentionQueries.LowRank.FactorGauge
import AttentionQueries.LowRank.HeadLowerBound
import AttentionQueries.LowRank.Learner
import AttentionQueries.LowRank.RandomCheck
import AttentionQueries.Membership.Learner
import AttentionQueries.Membership.LowerBound
import AttentionQueries.MultiHead.ClassLearner
import AttentionQueries.MultiHead.ClassTest
import AttentionQueries.MultiHead.Dimension
import AttentionQueries.MultiHead.Factors
import AttentionQueries.MultiHead.Learner.GeneralPosition
import AttentionQueries.MultiHead.Learner.Integers
import AttentionQueries.MultiHead.Learner.Kronecker
import AttentionQueries.MultiHead.Learner.Labelling
import AttentionQueries.MultiHead.Learner.Linked
import AttentionQueries.MultiHead.LengthTwo
import AttentionQueries.MultiHead.NormalForm
import AttentionQueries.MultiHead.OrthogonalValues
import AttentionQueries.MultiHead.VectorValues
import AttentionQueries.Noise.Bisection
import AttentionQueries.Noise.Strategy
import AttentionQueries.SingleHead.Gauge
import AttentionQueries.SingleHead.Kronecker
import AttentionQueries.SingleHead.Learner
import AttentionQueries.SingleHead.Necessity
import AttentionQueries.SingleHead.ThreeTokens
import AttentionQueries.SingleHead.VectorValues
import AttentionQueries.Transformer.IntegerTokens
import AttentionQueries.Transformer.Residual

/-! # Results: the referee's page

Every headline result of the library, stated in full, with the axioms its proof uses. A reader who trusts the kernel
has to read this file, and the definitions that occur in it, and nothing else. The proofs are in the modules imported
above; `proofs.md` has the same results in words, with proofs for mathematicians.

## The setting

* `Semantics R K`: tokens and scores have entries in the commutative ring `R`, values and outputs live in the ordered
  field `K`; `cast : R → K` is an injective ring homomorphism, and `exp : R → K` is positive, injective, and turns
  sums into products.
* `Vec R d`, `Mat R d`: vectors of length `d` and `d × d` matrices; `basis i` is the vector `eᵢ`.
* `score W x q` is `xᵀ W q`; `S.inner v x` is `⟨v, x⟩`.
* `S.eval W v xs q` is the output of the head `(W, v)` on the sequence `xs ++ [q]`: the mean of `⟨v, x⟩` over its
  tokens `x`, with the weights `exp (xᵀ W q)`. The query token `q` attends to itself as well.
* `Query R d`: a context and a query token. `S.oracle W v` is the head as a function of queries.
* `QueryProgram Q A α`: a program that can ask questions in `Q` and receive answers in `A`, and do nothing else,
  before it returns a result in `α`; `run`, `queries` and `count` are what it does with an oracle.

The axioms `propext`, `Quot.sound` and `Classical.choice` are the usual ones of Lean. Nothing else is assumed
anywhere. -/

/-! ## One head -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- **The value on one token.** On the sequence `[q]` a head outputs `⟨v, q⟩`, whatever its score matrix. -/
theorem value_of_one_token (W : Mat R d) (v : Vec K d) (q : Vec R d) : S.eval W v [] q = S.inner v q := S.eval_nil W v q

/-- info: 'AttentionQueries.Results.value_of_one_token' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms value_of_one_token

/-- **The order of the context does not matter**; only the last token of a sequence, the query token, is special. -/
theorem context_order {xs ys : List (Vec R d)} (h : xs.Perm ys) (W : Mat R d) (v : Vec K d) (q : Vec R d) :
    S.eval W v xs q = S.eval W v ys q := S.eval_perm h W v q

/-- info: 'AttentionQueries.Results.context_order' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms context_order

/-- **Pair formula.** On `k ≥ 0` copies of `x` and `m ≥ 1` copies of `q`, the query token included, a head outputs
`⟨v, q⟩ + ⟨v, u⟩ · k eˢ / (k eˢ + m)`, where `u = x - q` and `s = uᵀ W q`. -/
theorem pair_formula (W : Mat R d) (v : Vec K d) (x q : Vec R d) (k m : Nat) (hm : 1 ≤ m) :
    S.eval W v (List.replicate k x ++ List.replicate (m - 1) q) q = S.inner v q + S.inner v (x - q) *
      ((natCast k * S.exp (score W (x - q) q)) / (natCast k * S.exp (score W (x - q) q) + natCast m)) :=
  S.pair_formula W v x q k m hm

/-- info: 'AttentionQueries.Results.pair_formula' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms pair_formula

/-- **Odds formula.** With `a` the output of the pair formula less `⟨v, q⟩`, if `k, m ≥ 1` and `⟨v, u⟩ ≠ 0`, then
`eˢ = a m / ((⟨v, u⟩ - a) k)`, and the denominator is not zero. -/
theorem odds_formula (W : Mat R d) (v : Vec K d) (x q : Vec R d) (k m : Nat) (hk : 1 ≤ k) (hm : 1 ≤ m)
    (hu : S.inner v (x - q) ≠ 0) {a : K}
    (ha : a = S.eval W v (List.replicate k x ++ List.replicate (m - 1) q) q - S.inner v q) :
    (S.inner v (x - q) - a) * natCast k ≠ 0 ∧
      S.exp (score W (x - q) q) = a * natCast m / ((S.inner v (x - q) - a) * natCast k) :=
  S.exp_score_eq W v x q k m hk hm hu ha

/-- info: 'AttentionQueries.Results.odds_formula' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms odds_formula

/-- **One head from `d² + d` queries.** Let `(W, v)` be a head with `v ≠ 0`, and let `qs` be the list of queries that
`headQueries` computes from its outputs on the sequences `[eᵢ]` of length one, and from nothing else. Then `qs` has
exactly `d² + d` entries, none longer than two tokens, and a head that gives the same answers to them has the same `W`
and `v`. -/
theorem single_head_unique [DecidableEq K] (W : Mat R d) (v : Vec K d) (hv : v ≠ 0) {qs : List (Query R d)}
    (hqs : qs = headQueries fun i => S.eval W v [] (basis i)) :
    qs.length = d * d + d ∧ (∀ t ∈ qs, Query.length t ≤ 2) ∧
      ∀ (W' : Mat R d) (v' : Vec K d), (∀ t ∈ qs, S.eval W v t.1 t.2 = S.eval W' v' t.1 t.2) → v = v' ∧ W = W' := by
  rw [S.headQueries_eval] at hqs
  subst hqs
  exact ⟨(length_headQueries v).1 hv, fun _ => length_of_mem_headQueries, fun _ _ => S.head_unique_queries hv⟩

/-- info: 'AttentionQueries.Results.single_head_unique' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms single_head_unique

/-- **The fibre of one head.** Two heads compute the same function of sequences iff their value vectors agree and
either vanish (then the function is zero), or the score matrices agree as well. This holds for every `d`. -/
theorem single_head_fibre (W W' : Mat R d) (v v' : Vec K d) :
    (∀ xs q, S.eval W v xs q = S.eval W' v' xs q) ↔ v = v' ∧ (v = 0 ∨ W = W') := S.eval_eq_iff

/-- info: 'AttentionQueries.Results.single_head_fibre' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms single_head_fibre

/-- **When a head is identifiable.** For `d ≥ 1`, a head is determined by its function iff its value vector is not
zero. -/
theorem single_head_identifiable_iff (hd : 0 < d) (W : Mat R d) (v : Vec K d) :
    (∀ (W' : Mat R d) (v' : Vec K d), (∀ xs q, S.eval W v xs q = S.eval W' v' xs q) → v = v' ∧ W = W') ↔ v ≠ 0 :=
  S.head_identifiable_iff hd W v

/-- info: 'AttentionQueries.Results.single_head_identifiable_iff' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms single_head_identifiable_iff

/-- **`v = 0` makes `W` irrelevant**: for `d ≥ 1` there is a different score matrix with the same function. -/
theorem single_head_value_zero (hd : 0 < d) (W : Mat R d) :
    ∃ W' : Mat R d, W ≠ W' ∧ ∀ xs q, S.eval W (0 : Vec K d) xs q = S.eval W' 0 xs q := S.exists_ne_of_value_zero hd W

/-- info: 'AttentionQueries.Results.single_head_value_zero' depends on axioms: [propext] -/
#guard_msgs in #print axioms single_head_value_zero

/-- **`d ≥ 1` is needed**: for `d = 0` every head is determined by its function, although its value vector is zero. -/
theorem single_head_dim_zero (W : Mat R 0) (v : Vec K 0) :
    (∀ (W' : Mat R 0) (v' : Vec K 0), (∀ xs q, S.eval W v xs q = S.eval W' v' xs q) → v = v' ∧ W = W') ∧ v = 0 :=
  S.head_identifiable_of_dim_zero W v

/-- info: 'AttentionQueries.Results.single_head_dim_zero' depends on axioms: [Quot.sound] -/
#guard_msgs in #print axioms single_head_dim_zero

/-- **Injectivity of the exponential is needed**: with the constant exponential `1` every head shares its function
with a head that has a different score matrix, also when `v ≠ 0`. -/
theorem single_head_exp_inj_needed (hd : 0 < d) : ∃ exp : R → K,
    (∀ s t, exp (s + t) = exp s * exp t) ∧ (∀ s, 0 < exp s) ∧
    ∀ (W : Mat R d) (v : Vec K d), ∃ W' : Mat R d, W ≠ W' ∧
      ∀ xs q, valueWith S.cast exp W v xs q = valueWith S.cast exp W' v xs q := exp_inj_needed S hd

/-- info: 'AttentionQueries.Results.single_head_exp_inj_needed' depends on axioms: [propext] -/
#guard_msgs in #print axioms single_head_exp_inj_needed

/-! ### The learner -/

section
variable [DecidableEq K] {log : K → Option R}

/-- **The learner is correct.** The query program `learn log`, run against a head with `v ≠ 0`, returns this head; run
against a head with `v = 0`, it reports that `v = 0`. -/
theorem learner_correct (hlog : S.IsLog log) (W : Mat R d) (v : Vec K d) :
    (v ≠ 0 → (learn log).run (S.oracle W v) = .head W v) ∧ (v = 0 → (learn log).run (S.oracle W v) = .zero) :=
  ⟨S.learn_exact (fun s => (hlog _ s).mpr rfl) W, fun h => by rw [h]; exact S.learn_zero log W⟩

/-- info: 'AttentionQueries.Results.learner_correct' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms learner_correct

/-- **The learner's queries are counted.** Against a head it asks exactly `d² + d` queries if `v ≠ 0`, and `d` if `v =
0`; none is longer than two tokens. -/
theorem learner_count (log : K → Option R) (W : Mat R d) (v : Vec K d) :
    (v ≠ 0 → (learn log).count (S.oracle W v) = d * d + d) ∧ (v = 0 → (learn log).count (S.oracle W v) = d) ∧
      ∀ t ∈ (learn log).queries (S.oracle W v), Query.length t ≤ 2 := by
  have h := S.learn_count_head log W v
  exact ⟨fun hv => (h.2 hv).trans (Nat.add_comm _ _), h.1, learn_length log _⟩

/-- info: 'AttentionQueries.Results.learner_count' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms learner_count

/-- **The learner is sound**, whatever oracle it talks to: it returns the head `(W, v)` iff `v ≠ 0` and this head
gives every answer received. -/
theorem learner_sound (hlog : S.IsLog log) (o : Query R d → K) (W : Mat R d) (v : Vec K d) :
    (learn log).run o = .head W v ↔ v ≠ 0 ∧ ∀ t ∈ (learn log).queries o, S.oracle W v t = o t :=
  S.learn_head_iff hlog o W v

/-- info: 'AttentionQueries.Results.learner_sound' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms learner_sound

/-- **The learner rejects rightly**, whatever oracle it talks to: it rejects iff no head gives all the answers
received. -/
theorem learner_rejects (hlog : S.IsLog log) (o : Query R d → K) : (learn log).run o = .reject ↔
    ¬ ∃ (W : Mat R d) (v : Vec K d), ∀ t ∈ (learn log).queries o, S.oracle W v t = o t := S.learn_reject_iff hlog o

/-- info: 'AttentionQueries.Results.learner_rejects' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms learner_rejects

omit [DecidableEq K] in
/-- **The hypothesis on the logarithm is satisfiable**: every semantics has a logarithm. -/
theorem logarithm_exists : ∃ log : K → Option R, S.IsLog log := ⟨S.log, S.isLog_log⟩

/-- info: 'AttentionQueries.Results.logarithm_exists' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms logarithm_exists

end

end AttentionQueries.Results

/-! ## Concrete models: no theorem is vacuous, and everything evaluates -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField

/-- **The base-2 model.** The axioms of a semantics hold for integer scores, rational values and `exp s = 2ˢ`: the
exponential of a natural number `n` is `2ⁿ`, that of `-s` is inverse to that of `s`, and every value is a quotient of
integers. -/
theorem base2_model : (∀ n : Nat, base2.exp n = base2.cast ((2 ^ n : Nat) : Int)) ∧
    (∀ s : Int, base2.exp s * base2.exp (-s) = 1) ∧
    ∀ x : Rational, ∃ (p : Int) (q : Nat), 0 < q ∧ x = base2.cast p / base2.cast q :=
  ⟨base2_exp_natCast, base2.exp_mul_neg, base2_eq_div⟩

/-- info: 'AttentionQueries.Results.base2_model' depends on axioms: [propext, Quot.sound] -/
#guard_msgs in #print axioms base2_model

/-- **The base-2 logarithm** is a computable partial function with `log x = s` exactly when `2ˢ = x`. -/
theorem base2_logarithm (x : Rational) (s : Int) : base2Log x = some s ↔ base2.exp s = x := base2Log_eq_some x s

/-- info: 'AttentionQueries.Results.base2_logarithm' depends on axioms: [propext, Quot.sound] -/
#guard_msgs in #print axioms base2_logarithm

/-- **The learner runs in the base-2 model**: with this logarithm it recovers every head with `v ≠ 0` from `d + d²`
queries, and every step of the run is a computation. -/
theorem base2_learner {d : Nat} (W : Mat Int d) {v : Vec Rational d} (hv : v ≠ 0) :
    (learn base2Log).run (base2.oracle W v) = .head W v ∧
    ((learn base2Log).queries (base2.oracle W v)).length = d + d * d :=
  ⟨base2.learn_exact (fun s => (base2Log_eq_some _ s).mpr rfl) W hv, (base2.learn_count_head base2Log W v).2 hv⟩

/-- info: 'AttentionQueries.Results.base2_learner' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms base2_learner

open Conformance in
/-- **A run, evaluated by the kernel.** Against `W = ((1, -2), (0, 3))`, `v = (1/2, 0)`, the learner asks these six
queries, receives these answers and returns this head. -/
theorem base2_run : Learns 2 ⟨[[1, -2], [0, 3]], [(1, 2), (0, 1)]⟩ (found 2 ⟨[[1, -2], [0, 3]], [(1, 2), (0, 1)]⟩) [
    ([([1, 0], 1)], (1, 2)),
    ([([0, 1], 1)], (0, 1)),
    ([([2, 0], 1), ([1, 0], 1)], (5, 6)),
    ([([1, 1], 1), ([0, 1], 1)], (1, 10)),
    ([([2, 1], 1), ([1, 0], 1)], (5, 6)),
    ([([1, 2], 1), ([0, 1], 1)], (1, 3))] := by decide +kernel

/-- info: 'AttentionQueries.Results.base2_run' depends on axioms: [propext, Quot.sound] -/
#guard_msgs in #print axioms base2_run

variable {K : Type} [OrderedField K] [DecidableEq K] [DecidableLT K]

/-- **The symbolic model.** The axioms of a semantics hold for scores in any ordered field `K` (such as the rational
numbers) and `exp q = t^q` for a symbol `t`: a sum `∑ c exp q` vanishes only when the coefficients of every `exp q`
add up to zero, and every value is a quotient of two such sums. -/
theorem symbolic_model :
    (∀ l : List (K × K), listSum l (fun s => (symbolicExp K).cast s.1 * (symbolicExp K).exp s.2) = 0 ↔
      ∀ q, listSum l (fun s => if s.2 = q then s.1 else 0) = 0) ∧
    ∀ x : ExpField K, ∃ l m : List (K × K),
      listSum m (fun s => (symbolicExp K).cast s.1 * (symbolicExp K).exp s.2) ≠ 0 ∧
      x = listSum l (fun s => (symbolicExp K).cast s.1 * (symbolicExp K).exp s.2) /
        listSum m (fun s => (symbolicExp K).cast s.1 * (symbolicExp K).exp s.2) :=
  ⟨symbolicExp_sum_eq_zero, symbolicExp_eq_div⟩

/-- info: 'AttentionQueries.Results.symbolic_model' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms symbolic_model

/-- **The symbolic logarithm** is a computable partial function with `log x = s` exactly when `exp s = x`. -/
theorem symbolic_logarithm (x : ExpField K) (s : K) : symbolicLog x = some s ↔ (symbolicExp K).exp s = x :=
  symbolicLog_eq_some x s

/-- info: 'AttentionQueries.Results.symbolic_logarithm' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms symbolic_logarithm

/-- **The learner in the symbolic model** recovers every head with `v ≠ 0` from `d + d²` queries. -/
theorem symbolic_learner {d : Nat} (W : Mat K d) {v : Vec (ExpField K) d} (hv : v ≠ 0) :
    (learn symbolicLog).run ((symbolicExp K).oracle W v) = .head W v ∧
    ((learn symbolicLog).queries ((symbolicExp K).oracle W v)).length = d + d * d :=
  ⟨(symbolicExp K).learn_exact (fun s => (symbolicLog_eq_some _ s).mpr rfl) W hv,
    ((symbolicExp K).learn_count_head symbolicLog W v).2 hv⟩

/-- info: 'AttentionQueries.Results.symbolic_learner' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms symbolic_learner

/-- **The exponentials are strictly increasing** in both models, as the theorems on noise require. -/
theorem exponentials_increase : (∀ s t : Int, s < t → base2.exp s < base2.exp t) ∧
    ∀ s t : K, s < t → (symbolicExp K).exp s < (symbolicExp K).exp t :=
  ⟨fun _ _ => base2_exp_lt, fun _ _ => symbolicExp_lt⟩

/-- info: 'AttentionQueries.Results.exponentials_increase' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms exponentials_increase

end AttentionQueries.Results

/-! ## What the query count means -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- **Fewer equations than unknowns.** Over an integral domain, fewer than `n` homogeneous linear equations `∑ⱼ aⱼ xⱼ
= 0` in `n` unknowns have a solution that is not zero. -/
theorem fewer_equations_than_unknowns (hR : IsDomain R) {n : Nat} (l : List (Vec R n)) (h : l.length < n) :
    ∃ x : Vec R n, x ≠ 0 ∧ ∀ a ∈ l, (finSum fun j => a j * x j) = 0 := exists_ne_zero_solution hR l h

/-- info: 'AttentionQueries.Results.fewer_equations_than_unknowns' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms fewer_equations_than_unknowns

/-- **The query count is optimal.** Let `p v` be a query program for every `v ≠ 0`: it may be adaptive, and it may
depend on `v` in any way. If `p v` returns `W` on every head `(W, v)`, and its queries have at most two distinct
tokens (the query token and one other, each in any number and order), then it asks at least `d²` queries on every
head. -/
theorem query_count_optimal (p : Vec K d → QueryProgram (Query R d) K (Mat R d))
    (hp : ∀ (W : Mat R d) (v : Vec K d), v ≠ 0 → ∀ t ∈ (p v).queries (S.oracle W v),
      ∃ x : Vec R d, ∀ y ∈ t.1, y = x ∨ y = t.2)
    (hid : ∀ (W : Mat R d) (v : Vec K d), v ≠ 0 → (p v).run (S.oracle W v) = W) :
    ∀ (W : Mat R d) (v : Vec K d), v ≠ 0 → d * d ≤ (p v).count (S.oracle W v) :=
  fun W v hv => S.optimality (fun W' => hid W' v hv) (hp W v hv)

/-- info: 'AttentionQueries.Results.query_count_optimal' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms query_count_optimal

/-- **The bound is attained**: for every `v ≠ 0` some program identifies `W` on all heads `(W, v)` with exactly `d²`
queries, all with at most two distinct tokens. -/
theorem query_count_attained {v : Vec K d} (hv : v ≠ 0) : ∃ p : QueryProgram (Query R d) K (Mat R d), ∀ W : Mat R d,
    p.run (S.oracle W v) = W ∧ p.count (S.oracle W v) = d * d ∧
      ∀ t ∈ p.queries (S.oracle W v), ∃ x : Vec R d, ∀ y ∈ t.1, y = x ∨ y = t.2 := S.optimality_attained hv

/-- info: 'AttentionQueries.Results.query_count_attained' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms query_count_attained

/-- **At least `d` queries for the values**, whatever the queries are and even if `W` is known: a program that returns
`v` on every head `(W, v)` asks at least `d` queries on each. -/
theorem value_query_count_optimal {W : Mat R d} {p : QueryProgram (Query R d) K (Vec K d)}
    (hid : ∀ v : Vec K d, p.run (S.oracle W v) = v) (v : Vec K d) : d ≤ p.count (S.oracle W v) :=
  S.value_optimality hid v

/-- info: 'AttentionQueries.Results.value_query_count_optimal' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms value_query_count_optimal

/-- **`v ≠ 0` is needed**: for `d ≥ 1` no program identifies `W` on the heads `(W, 0)`. -/
theorem query_count_value_needed (hd : 0 < d) :
    ¬ ∃ p : QueryProgram (Query R d) K (Mat R d), ∀ W : Mat R d, p.run (S.oracle W 0) = W :=
  S.not_identifies_of_value_zero hd

/-- info: 'AttentionQueries.Results.query_count_value_needed' depends on axioms: [propext, Quot.sound] -/
#guard_msgs in #print axioms query_count_value_needed
end

/-- **Two distinct tokens are needed**: in the base-2 semantics, for every `d ≥ 2`, there are `v ≠ 0` and a program
that identifies all integer `W` on the heads `(W, v)` with fewer than `d²` queries; they have three distinct tokens.
-/
theorem two_tokens_needed {d : Nat} (hd : 2 ≤ d) :
    ∃ (v : Vec Rational d) (p : QueryProgram (Query Int d) Rational (Mat Int d)), v ≠ 0 ∧ ∀ W : Mat Int d,
      p.run (base2.oracle W v) = W ∧ p.count (base2.oracle W v) < d * d ∧
        ∀ t ∈ p.queries (base2.oracle W v), ∃ x y : Vec Int d, ∀ z ∈ t.1, z = x ∨ z = y ∨ z = t.2 :=
  three_tokens_base2 hd

/-- info: 'AttentionQueries.Results.two_tokens_needed' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms two_tokens_needed

/-! ### The Kronecker query -/

section
variable {K : Type} [OrderedField K] (S : Semantics Int K) {d : Nat}

/-- **Bounded integers: one query.** For every `v ≠ 0` and every bound `B` some program that asks one query, with at
most two distinct tokens, returns every integer score matrix with entries of absolute value at most `B`. -/
theorem kronecker_one_query (B : Nat) {v : Vec K d} (hv : v ≠ 0) : ∃ p : QueryProgram (Query Int d) K (Mat Int d),
    ∀ W : Mat Int d, (∀ i j, (W i j).natAbs ≤ B) → p.run (S.oracle W v) = W ∧ p.count (S.oracle W v) = 1 ∧
      ∀ t ∈ p.queries (S.oracle W v), ∃ x : Vec Int d, ∀ y ∈ t.1, y = x ∨ y = t.2 := S.kronecker_one_query B hv

/-- info: 'AttentionQueries.Results.kronecker_one_query' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms kronecker_one_query

/-- **Bounded integers: two queries for everything.** If the entries of `W` are integers of absolute value at most
`B`, and those of `v` integers of absolute value at most `C`, the program `kroneckerPair` returns the head `(W, v)`,
or says that `v = 0`. It needs a logarithm and an inverse of the embedding of the integers. -/
theorem kronecker_two_queries [DecidableEq K] {log toInt : K → Option Int} (hlog : ∀ s, log (S.exp s) = some s)
    (hint : ∀ n, toInt (S.cast n) = some n) {B C : Nat} {W : Mat Int d} (hW : ∀ i j, (W i j).natAbs ≤ B)
    {a : Vec Int d} (ha : ∀ i, (a i).natAbs ≤ C) {v : Vec K d} (hv : ∀ i, v i = S.cast (a i)) :
    (v ≠ 0 → (S.kroneckerPair log toInt B C).run (S.oracle W v) = .head W v) ∧
      (v = 0 → (S.kroneckerPair log toInt B C).run (S.oracle W v) = .zero) ∧
      (S.kroneckerPair log toInt B C).count (S.oracle W v) ≤ 2 :=
  ⟨(S.kroneckerPair_run hlog hint hW ha hv).1, (S.kroneckerPair_run hlog hint hW ha hv).2,
    (S.kroneckerPair_count log toInt B C _).1⟩

/-- info: 'AttentionQueries.Results.kronecker_two_queries' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms kronecker_two_queries

/-- **The bound is needed**: for `d ≥ 2` no program identifies all integer `W` and asks one of them at most one query
with at most two distinct tokens. -/
theorem kronecker_bound_needed (hd : 2 ≤ d) (v : Vec K d) : ¬ ∃ p : QueryProgram (Query Int d) K (Mat Int d),
    (∀ W : Mat Int d, p.run (S.oracle W v) = W) ∧ ∃ W : Mat Int d, p.count (S.oracle W v) ≤ 1 ∧
      ∀ t ∈ p.queries (S.oracle W v), ∃ x : Vec Int d, ∀ y ∈ t.1, y = x ∨ y = t.2 := S.kronecker_bound_needed hd v

/-- info: 'AttentionQueries.Results.kronecker_bound_needed' depends on axioms: [propext, Classical.choice, Quot.sound]
-/
#guard_msgs in #print axioms kronecker_bound_needed

/-- **`v ≠ 0` is needed**: for `d ≥ 1` and `B ≥ 1` no program identifies the bounded integer `W` on the heads `(W,
0)`. -/
theorem kronecker_value_needed (hd : 0 < d) {B : Nat} (hB : 0 < B) :
    ¬ ∃ p : QueryProgram (Query Int d) K (Mat Int d),
      ∀ W : Mat Int d, (∀ i j, (W i j).natAbs ≤ B) → p.run (S.oracle W 0) = W := S.kronecker_value_needed hd hB

/-- info: 'AttentionQueries.Results.kronecker_value_needed' depends on axioms: [propext, Classical.choice, Quot.sound]
-/
#guard_msgs in #print axioms kronecker_value_needed
end

end AttentionQueries.Results

/-! ## Biases, vector values, and what is not identifiable -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField Matrix LowRank

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {r r' m m' d : Nat}

/-- **Arbitrary scores and values.** For tokens of any type, if the value function `φ` is not constant, two pairs of
score and value functions have the same outputs iff their value functions agree and their scores differ by a function
of the query token. -/
theorem general_scores_fibre {X : Type} {s s' : X → X → R} {φ φ' : X → K} (hφ : ∃ x y, φ x ≠ φ y) :
    (∀ xs q, S.evalGeneral s φ xs q = S.evalGeneral s' φ' xs q) ↔
      φ = φ' ∧ ∃ c : X → R, ∀ x q, s x q = s' x q + c q := S.general_iff hφ

/-- info: 'AttentionQueries.Results.general_scores_fibre' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms general_scores_fibre

/-- **The condition on the values is needed** as soon as there are two tokens. -/
theorem general_scores_identifiable_iff {X : Type} (hX : ∃ x y : X, x ≠ y) (s : X → X → R) (φ : X → K) :
    (∀ (s' : X → X → R) (φ' : X → K), (∀ xs q, S.evalGeneral s φ xs q = S.evalGeneral s' φ' xs q) →
      φ = φ' ∧ ∃ c : X → R, ∀ x q, s x q = s' x q + c q) ↔ ∃ x y, φ x ≠ φ y := S.general_identifiable_iff hX s φ

/-- info: 'AttentionQueries.Results.general_scores_identifiable_iff' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms general_scores_identifiable_iff

/-- **Affine heads.** With scores `xᵀ (W q + c)` and values `⟨v, x⟩ + b`, two heads compute the same function iff `v`
and `b` agree, and `v = 0` or also `W` and `c` agree. This holds for every `d`. -/
theorem affine_fibre (W W' : Mat R d) (c c' : Vec R d) (v v' : Vec K d) (b b' : K) :
    (∀ xs q, S.evalAffine W c v b xs q = S.evalAffine W' c' v' b' xs q) ↔
      v = v' ∧ b = b' ∧ (v = 0 ∨ W = W' ∧ c = c') := S.affine_eq_iff

/-- info: 'AttentionQueries.Results.affine_fibre' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms affine_fibre

/-- **`(d + 1)²` queries**, as many as there are parameters, determine an affine head with `v p ≠ 0`. -/
theorem affine_unique [DecidableEq K] {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) :
    (affineQueries (R := R) v p).length = (d + 1) * (d + 1) ∧
      ∀ (W W' : Mat R d) (c c' : Vec R d) (v' : Vec K d) (b b' : K),
        (∀ t ∈ affineQueries v p, S.evalAffine W c v b t.1 t.2 = S.evalAffine W' c' v' b' t.1 t.2) →
        W = W' ∧ c = c' ∧ v = v' ∧ b = b' :=
  ⟨length_affineQueries v p, fun _ _ _ _ _ _ _ => S.affine_unique_queries hp⟩

/-- info: 'AttentionQueries.Results.affine_unique' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms affine_unique

/-- **Vector values.** For `d ≥ 1`, a head with value matrix `V : m × d` is determined by its function iff `V ≠ 0`. -/
theorem vector_head_identifiable_iff (hd : 0 < d) (W : Mat R d) (V : RectMat K m d) :
    (∀ (W' : Mat R d) (V' : RectMat K m d), (∀ xs q, S.evalVec W V xs q = S.evalVec W' V' xs q) → V = V' ∧ W = W') ↔
      V ≠ 0 := S.vector_identifiable_iff hd W V

/-- info: 'AttentionQueries.Results.vector_head_identifiable_iff' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms vector_head_identifiable_iff

/-- **`d ≥ 1` is needed**: for `d = 0` every vector-valued head is determined by its function, although `V = 0`. -/
theorem vector_head_dim_zero (W : Mat R 0) (V : RectMat K m 0) :
    (∀ (W' : Mat R 0) (V' : RectMat K m 0), (∀ xs q, S.evalVec W V xs q = S.evalVec W' V' xs q) → V = V' ∧ W = W') ∧
      V = 0 := S.vector_identifiable_of_dim_zero W V

/-- info: 'AttentionQueries.Results.vector_head_dim_zero' depends on axioms: [Quot.sound] -/
#guard_msgs in #print axioms vector_head_dim_zero

/-- **Projections and biases: what the function determines.** A head with keys `K x + b_K`, queries `Q y + b_Q`,
values `V x + b_V` and readout `w` depends only on `Kᵀ Q`, `Kᵀ b_Q`, `Vᵀ w` and `⟨w, b_V⟩`. Two such heads, with
projections through any numbers of dimensions, compute the same function iff the last two agree, and `Vᵀ w = 0` or the
first two agree as well. -/
theorem projected_fibre (L : ProjectedHead R K r m d) (L' : ProjectedHead R K r' m' d) :
    (∀ xs y, S.evalProjected L xs y = S.evalProjected L' xs y) ↔
      L.valueVector = L'.valueVector ∧ L.valueConstant = L'.valueConstant ∧
        (L.valueVector = 0 ∨ L.scoreMatrix = L'.scoreMatrix ∧ L.keyTerm = L'.keyTerm) := S.projected_eq_iff

/-- info: 'AttentionQueries.Results.projected_fibre' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms projected_fibre

/-- **The gauge is complete.** If `Vᵀ w ≠ 0` and the score matrix has rank `r`, the length of keys and queries, the
heads with the same outputs are those with the same `Vᵀ w` and `⟨w, b_V⟩`, any `b_K`, and `A Q`, `A b_Q`, `A⁻ᵀ K` for
an invertible matrix `A`. -/
theorem projected_gauge (L : ProjectedHead R K r m d) (L' : ProjectedHead R K r m' d) (hv : L.valueVector ≠ 0)
    (hr : RankEq r (S.castRect L.scoreMatrix)) :
    (∀ xs y, S.evalProjected L xs y = S.evalProjected L' xs y) ↔
      L.valueVector = L'.valueVector ∧ L.valueConstant = L'.valueConstant ∧
        ∃ A B : RectMat K r r, mm A B = basis ∧ mm B A = basis ∧
          S.castRect L'.query = mm A (S.castRect L.query) ∧
          (fun t => S.cast (L'.queryBias t)) = col A (fun t => S.cast (L.queryBias t)) ∧
          S.castRect L'.key = mm (tr B) (S.castRect L.key) := S.projected_gauge_iff hv hr

/-- info: 'AttentionQueries.Results.projected_gauge' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms projected_gauge

/-- **The rank condition is needed**: there are heads with `Vᵀ w ≠ 0` and the same outputs that no matrix `A` relates.
-/
theorem projected_gauge_rank_needed : ∃ L L' : ProjectedHead R K 1 1 1, L.valueVector ≠ 0 ∧
    (∀ xs y, S.evalProjected L xs y = S.evalProjected L' xs y) ∧
    ¬ ∃ A B : RectMat K 1 1, mm A B = basis ∧ mm B A = basis ∧ S.castRect L'.query = mm A (S.castRect L.query) ∧
      S.castRect L'.key = mm (tr B) (S.castRect L.key) := S.projected_gauge_rank_needed

/-- info: 'AttentionQueries.Results.projected_gauge_rank_needed' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms projected_gauge_rank_needed

/-- **`Vᵀ w ≠ 0` is needed**: there are heads whose score matrix has rank `r` and with the same outputs that no matrix
`A` relates. -/
theorem projected_gauge_value_needed : ∃ L L' : ProjectedHead R K 1 1 1, RankEq 1 (S.castRect L.scoreMatrix) ∧
    (∀ xs y, S.evalProjected L xs y = S.evalProjected L' xs y) ∧
    ¬ ∃ A B : RectMat K 1 1, mm A B = basis ∧ mm B A = basis ∧ S.castRect L'.query = mm A (S.castRect L.query) ∧
      S.castRect L'.key = mm (tr B) (S.castRect L.key) := S.projected_gauge_value_needed

/-- info: 'AttentionQueries.Results.projected_gauge_value_needed' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms projected_gauge_value_needed
end

end AttentionQueries.Results

/-! ## Several heads: symmetries and the fibre

A model is a list of heads `⟨W, v⟩`, and `S.evalHeads H xs q` is the sum of their outputs. `total H W` is the sum of
the `v` of the heads of `H` with the matrix `W`. `H` is `Reduced` when its matrices are pairwise distinct and no value
vector vanishes. `canonical H` merges heads with equal matrices and drops those with value zero; `normalForm le H`
sorts the result by the matrices. A `FactoredHead` is a head with `k, q : r × d` such that `W = kᵀ q`. -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- **Redistribution** (the symmetry of multi-head attention). Value vectors of heads that share a score matrix may be
replaced by any others, of any number, with the same sum; the other heads are arbitrary. -/
theorem heads_redistribute (W : Mat R d) {vs ws : List (Vec K d)}
    (h : ∀ i, (listSum vs fun v => v i) = listSum ws fun w => w i) (H : List (Head R K d)) (xs : List (Vec R d))
    (q : Vec R d) :
    S.evalHeads (vs.map (fun v => ⟨W, v⟩) ++ H) xs q = S.evalHeads (ws.map (fun w => ⟨W, w⟩) ++ H) xs q :=
  S.evalHeads_redistribute W h H xs q

/-- info: 'AttentionQueries.Results.heads_redistribute' depends on axioms: [propext, Quot.sound] -/
#guard_msgs in #print axioms heads_redistribute

/-- **Fibre theorem.** Two lists of heads, of any lengths, compute the same function on all sequences if and only if
for every matrix `W` the sums of the value vectors of their heads with score matrix `W` agree (`total H W` is this sum
for `H`). There is no hypothesis beyond the axioms of the semantics; `d = 0` and empty lists are allowed. -/
theorem fibre (H H' : List (Head R K d)) :
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ↔ ∀ W, total H W = total H' W :=
  S.fibre H H'

/-- info: 'AttentionQueries.Results.fibre' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms fibre

/-- **The canonical form is a complete invariant.** Merge heads with equal matrices, drop heads with value zero: two
models compute the same function iff the results are equal up to order. -/
theorem canonical_complete [DecidableEq R] [DecidableEq K] (H H' : List (Head R K d)) :
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ↔ (canonical H).Perm (canonical H') :=
  S.canonical_complete H H'

/-- info: 'AttentionQueries.Results.canonical_complete' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms canonical_complete

/-- **Normal form.** With the heads of the canonical form in the lexicographic order of their matrices, models compute
the same function iff their normal forms are equal. -/
theorem normalForm_complete [DecidableEq R] [DecidableEq K] {le : R → R → Bool} (hle : TotalOrder le)
    (H H' : List (Head R K d)) :
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ↔ normalForm le H = normalForm le H' :=
  S.normalForm_complete hle H H'

/-- info: 'AttentionQueries.Results.normalForm_complete' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms normalForm_complete

/-- **Minimal number of heads.** The canonical form computes the function of the model; every model `H'` with this
function has at least as many heads, and exactly as many iff its matrices are distinct and its value vectors nonzero.
-/
theorem minimal_heads [DecidableEq R] [DecidableEq K] (H : List (Head R K d)) :
    (∀ xs q, S.evalHeads (canonical H) xs q = S.evalHeads H xs q) ∧
    ∀ H' : List (Head R K d), (∀ xs q, S.evalHeads H' xs q = S.evalHeads H xs q) →
      (canonical H).length ≤ H'.length ∧ ((canonical H).length = H'.length ↔ Reduced H') :=
  ⟨S.evalHeads_canonical H, fun _ h => S.minimal_heads h⟩

/-- info: 'AttentionQueries.Results.minimal_heads' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms minimal_heads

/-- **Identifiability.** For `d ≥ 1` a model is determined by its function up to the order of its heads, among all
models with as many heads, iff its score matrices are pairwise distinct and its value vectors are not zero. -/
theorem multi_head_identifiable (hd : 0 < d) (H : List (Head R K d)) :
    (∀ H' : List (Head R K d), H'.length = H.length →
      (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) → H.Perm H') ↔
    (H.Pairwise fun g g' => g.W ≠ g'.W) ∧ ∀ h ∈ H, h.v ≠ 0 :=
  (S.identifiable_iff_reduced hd H).trans ⟨fun h => ⟨h.distinct, h.ne_zero⟩, fun h => ⟨h.1, h.2⟩⟩

/-- info: 'AttentionQueries.Results.multi_head_identifiable' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms multi_head_identifiable

/-- `d ≥ 1` is needed: for `d = 0` every model is determined up to order, although no value vector is nonzero. -/
theorem multi_head_dim_zero (H : List (Head R K 0)) :
    (∀ H' : List (Head R K 0), H'.length = H.length →
      (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) → H.Perm H') ∧ ∀ h ∈ H, h.v = 0 :=
  ⟨(S.identifiable_of_dim_zero H).1, fun _ _ => funext fun i => i.elim0⟩

/-- info: 'AttentionQueries.Results.multi_head_dim_zero' depends on axioms: [Quot.sound] -/
#guard_msgs in #print axioms multi_head_dim_zero

/-- **Length two does not suffice.** If `W ≠ ±W'` and `v ≠ 0`, the models `(W, v), (-W, v)` and `(W', v), (-W', v)`
have the same value `⟨v, q + q⟩` or `⟨v, x + q⟩` on all sequences `q` and `x, q`, but are not equal on all sequences;
and without one of the hypotheses they are. -/
theorem length_two_insufficient (W W' : Mat R d) (v : Vec K d) :
    (∀ q, S.evalHeads [⟨W, v⟩, ⟨-W, v⟩] [] q = S.inner v (q + q)) ∧
    (∀ x q, S.evalHeads [⟨W, v⟩, ⟨-W, v⟩] [x] q = S.inner v (x + q)) ∧
    ((∀ xs q, S.evalHeads [⟨W, v⟩, ⟨-W, v⟩] xs q = S.evalHeads [⟨W', v⟩, ⟨-W', v⟩] xs q) ↔
      W = W' ∨ W = -W' ∨ v = 0) :=
  ⟨S.collapse_nil W v, S.collapse W v, S.mirrorPair_eq_iff W W' v⟩

/-- info: 'AttentionQueries.Results.length_two_insufficient' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms length_two_insufficient

/-- **No learner restricted to length two.** For `d ≥ 1` there is no query program that, asking every model of two
heads with distinct matrices and nonzero value vectors only about sequences of length at most two, always returns a
model with the same function. -/
theorem no_length_two_learner (hd : 0 < d) :
    ¬ ∃ p : QueryProgram (Query R d) K (List (Head R K d)), ∀ H : List (Head R K d), H.length = 2 → Reduced H →
      (∀ t ∈ p.queries (fun t => S.evalHeads H t.1 t.2), Query.length t ≤ 2) ∧
        ∀ xs q, S.evalHeads (p.run fun t => S.evalHeads H t.1 t.2) xs q = S.evalHeads H xs q :=
  S.no_length_two_learner hd

/-- info: 'AttentionQueries.Results.no_length_two_learner' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms no_length_two_learner

/-- **The fibre and its dimension.** Models with `n` heads and the function of `H`: the matrices `W h` must include
those where the totals of `H` are not zero; then for arbitrary vectors `u h` there is exactly one choice of values
that equals `u h` at the heads whose matrix occurs earlier. The number of these heads is `n` less the number of
different matrices. -/
theorem fibre_dimension {n : Nat} (H : List (Head R K d)) (W : Fin n → Mat R d) :
    ((∃ v : Fin n → Vec K d, ∀ xs q, S.evalHeads (headsOf W v) xs q = S.evalHeads H xs q) ↔
      ∀ M, total H M ≠ 0 → ∃ h, W h = M) ∧
    ((∀ M, total H M ≠ 0 → ∃ h, W h = M) → ∀ u : Fin n → Vec K d, ∃ v : Fin n → Vec K d,
      ((∀ xs q, S.evalHeads (headsOf W v) xs q = S.evalHeads H xs q) ∧ ∀ h ∈ repeats W, v h = u h) ∧
      ∀ v' : Fin n → Vec K d, (∀ xs q, S.evalHeads (headsOf W v') xs q = S.evalHeads H xs q) →
        (∀ h ∈ repeats W, v' h = u h) → v' = v) ∧
    ∃ l : List (Fin n), (l.Pairwise fun f g => W f ≠ W g) ∧ (∀ h, ∃ f ∈ l, W f = W h) ∧
      (repeats W).length + l.length = n :=
  by
  refine ⟨S.exists_values_iff H W, fun hW u => ?_, firsts W, firsts_distinct W, firsts_cover W, length_repeats W⟩
  obtain ⟨v, ⟨h1, h2⟩, h3⟩ := S.fibre_param hW u
  exact ⟨v, ⟨h1, fun h hh => h2 h (mem_repeats.mp hh)⟩, fun v' h' hu => h3 v' h' fun h hh => hu h (mem_repeats.mpr hh)⟩

/-- info: 'AttentionQueries.Results.fibre_dimension' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms fibre_dimension

/-- **Finite test over known matrices.** For `N` matrices there are `d N` sequences of length at most `N` on which all
models with these matrices are distinguished. -/
theorem finite_test (Ws : List (Mat R d)) : ∃ T : List (Query R d), T.length = d * Ws.length ∧
    (∀ t ∈ T, Query.length t ≤ Ws.length) ∧ ∀ H H' : List (Head R K d), (∀ h ∈ H, h.W ∈ Ws) → (∀ h ∈ H', h.W ∈ Ws) →
      (∀ t ∈ T, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) → ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q :=
  S.finite_test Ws

/-- info: 'AttentionQueries.Results.finite_test' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms finite_test

/-- **Optimality of the number.** For `N` distinct matrices and fewer than `d N` sequences some model with these
matrices has output zero on all of them, but does not compute the zero function. -/
theorem finite_test_optimal {N : Nat} {W : Fin N → Mat R d} (hW : ∀ i j, W i = W j → i = j)
    {T : List (Query R d)} (hT : T.length < d * N) : ∃ H : List (Head R K d), (∀ h ∈ H, ∃ i, h.W = W i) ∧
      (∀ t ∈ T, S.evalHeads H t.1 t.2 = S.evalHeads [] t.1 t.2) ∧
      ∃ xs q, S.evalHeads H xs q ≠ S.evalHeads [] xs q :=
  S.finite_test_optimal hW hT

/-- info: 'AttentionQueries.Results.finite_test_optimal' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms finite_test_optimal

/-- **Finite test for all models with at most `n` heads** (`n ≥ 1`). The explicit list `shortTests (moments R d (2 n))
(2 n)` has `((2 n - 1)(d² - 1) + d)(2 n - 1) + d` sequences of length at most `2 n`, with at most two distinct tokens
each. They decide whether two such models compute the same function. The list has the `d` sequences `[eᵢ]` and, at each
of the first points `uᵢ = tⁱ`, `qⱼ = t^(d j)`, `t = 0, 1, …`, of a moment curve, one copy of `q + u` with
`1, …, 2 n - 1` copies of `q`. -/
theorem class_test (d : Nat) {n : Nat} (hn : 0 < n) :
    (shortTests (moments R d (2 * n)) (2 * n)).length = ((2 * n - 1) * (d * d - 1) + d) * (2 * n - 1) + d ∧
    (∀ t ∈ shortTests (moments R d (2 * n)) (2 * n), Query.length t ≤ 2 * n ∧ ∃ x, ∀ y ∈ t.1, y = x ∨ y = t.2) ∧
    ∀ H H' : List (Head R K d), H.length ≤ n → H'.length ≤ n →
      ((∀ t ∈ shortTests (moments R d (2 * n)) (2 * n), S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) ↔
        ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) :=
  S.class_finite_heads d hn

/-- info: 'AttentionQueries.Results.class_test' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms class_test

/-- **The fibre at the level of factors.** Let the heads of `F` be given by key and query factors `k, q : r × d` of
full rank `r` (`W = kᵀ q`), with distinct matrices and nonzero value vectors. A model `F'` of factored heads, with at
most as many heads, computes the same function iff after a permutation of its heads they have the value vectors of
`F`, query factors `A q` and key factors `A⁻ᵀ k`, with an invertible `r × r` matrix `A` for each head. -/
theorem factored_fibre {r : Nat} {F F' : List (FactoredHead S d r)} (hr : Reduced (F.map FactoredHead.head))
    (hF : ∀ f ∈ F, LowRank.RankEq r f.k ∧ LowRank.RankEq r f.q) (hlen : F'.length ≤ F.length) :
    (∀ xs y, S.evalHeads (F.map FactoredHead.head) xs y = S.evalHeads (F'.map FactoredHead.head) xs y) ↔
      ∃ G, F'.Perm G ∧ Pointwise (fun f g => f.head.v = g.head.v ∧ ∃ A B : RectMat K r r, Matrix.mm A B = basis ∧
        Matrix.mm B A = basis ∧ g.q = Matrix.mm A f.q ∧ g.k = Matrix.mm (Matrix.tr B) f.k) F G :=
  Semantics.factored_fibre hr hF hlen

/-- info: 'AttentionQueries.Results.factored_fibre' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms factored_fibre

/-- **Fibre theorem for vector-valued heads** (value matrices `V : m × d`), and identifiability of such models for `d
≥ 1`. -/
theorem vector_fibre {m : Nat} (H H' : List (VectorHead R K m d)) :
    ((∀ xs q, S.evalVectorHeads H xs q = S.evalVectorHeads H' xs q) ↔ ∀ W, vectorTotal H W = vectorTotal H' W) ∧
    (0 < d → ((∀ G : List (VectorHead R K m d), G.length = H.length →
        (∀ xs q, S.evalVectorHeads H xs q = S.evalVectorHeads G xs q) → H.Perm G) ↔
      (H.Pairwise fun g g' => g.W ≠ g'.W) ∧ ∀ h ∈ H, h.V ≠ 0)) :=
  ⟨S.vectorHeads_fibre H H', fun hd =>
    (S.vectorHeads_identifiable_iff hd H).trans ⟨fun h => ⟨h.distinct, h.ne_zero⟩, fun h => ⟨h.1, h.2⟩⟩⟩

/-- info: 'AttentionQueries.Results.vector_fibre' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms vector_fibre

end AttentionQueries.Results

/-! ## Learning several heads

In the direction `(u, q)` one asks sequences of `k` copies of `q + u` and `m` copies of `q`; a head shows there its
score `uᵀ W q` and its residue `⟨v, u⟩`. `Directions R n` are tokens `u₀, …, uₙ` and `q₀, …, qₙ` in dimension `n + 1`
that span, with the coefficients of the standard basis. `S.IsDecoder H dec` says that `dec` finds the scores and
residues of at most `H` heads with distinct scores and nonzero residues from their sum and `2 H - 1` values, and never
returns more than `H` pairs; `direction_decoder` says that there is one. `S.GeneralPosition D G` and `S.LinkedPosition
D G` list the conditions under which the scores and residues in the directions asked can be put in order. -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField

section
variable {K : Type} [OrderedField K]

/-- **The exact count behind one direction.** `cauchySum ρ l` is `∑ b / (1 + ρ z)` over the pairs `(z, b)` of `l`. Let
`l` and `l'` have at most `H` pairs each, with positive poles `z`, distinct within each list, and nonzero residues
`b`. If the sums of the residues agree (the values at `ρ = 0`) and the values at `2 H - 1` distinct positive `ρ`, then
the lists agree up to order. -/
theorem direction_count {H : Nat} {l l' : List (K × K)} (hl : l.length ≤ H) (hl' : l'.length ≤ H)
    (hz : ∀ p ∈ l ++ l', 0 < p.1) (hb : ∀ p ∈ l ++ l', p.2 ≠ 0) (hd : l.Pairwise fun p q => p.1 ≠ q.1)
    (hd' : l'.Pairwise fun p q => p.1 ≠ q.1) {rs : List K} (hlen : rs.length = 2 * H - 1) (hpos : ∀ ρ ∈ rs, 0 < ρ)
    (hrs : rs.Pairwise fun a b => a ≠ b) (hsum : listSum l Prod.snd = listSum l' Prod.snd)
    (h : ∀ ρ ∈ rs, cauchySum ρ l = cauchySum ρ l') : l.Perm l' :=
  poles_determined
    ⟨fun p hp => hz p (List.mem_append.mpr (.inl hp)), hd, fun p hp => hb p (List.mem_append.mpr (.inl hp))⟩
    ⟨fun p hp => hz p (List.mem_append.mpr (.inr hp)), hd', fun p hp => hb p (List.mem_append.mpr (.inr hp))⟩
    (by rw [hlen]
        exact Nat.le_trans (Nat.add_le_add hl hl')
          (Nat.le_trans (Nat.le_of_eq (Nat.two_mul H).symm) (Nat.le_add_of_sub_le (Nat.le_refl _)))) hpos hrs hsum h

/-- info: 'AttentionQueries.Results.direction_count' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms direction_count

/-- **This count cannot be lowered.** For any `2 H - 2` distinct positive `ρ` and any `2 H` distinct positive poles,
there are nonzero residues on the first `H` poles and on the last `H` poles such that the two sums of residues agree
and the two functions agree at all these `ρ`: not one pole is determined. -/
theorem direction_count_sharp {H : Nat} {zs zs' rs : List K} (hzs : zs.length = H) (hzs' : zs'.length = H)
    (hlen : rs.length + 2 = 2 * H) (hz : ∀ z ∈ zs ++ zs', 0 < z) (hd : (zs ++ zs').Pairwise fun a b => a ≠ b)
    (hpos : ∀ ρ ∈ rs, 0 < ρ) (hrs : rs.Pairwise fun a b => a ≠ b) :
    ∃ l l' : List (K × K), l.map Prod.fst = zs ∧ l'.map Prod.fst = zs' ∧ (∀ p ∈ l ++ l', p.2 ≠ 0) ∧
      listSum l Prod.snd = listSum l' Prod.snd ∧ ∀ ρ ∈ rs, cauchySum ρ l = cauchySum ρ l' := by
  obtain ⟨l, l', h, h', e, e', hs, hv⟩ := poles_not_determined (rs := rs)
    (by rw [hzs, hzs', hlen, Nat.two_mul]) hz hd hpos hrs
  exact ⟨l, l', e, e', fun p hp => (List.mem_append.mp hp).elim (h.ne_zero p) (h'.ne_zero p), hs, hv⟩

/-- info: 'AttentionQueries.Results.direction_count_sharp' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms direction_count_sharp
end

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {n : Nat}

/-- **One direction of several heads can be decoded.** With `k` copies of `q + u` and `m` copies of the query token
`q`, heads output `∑ ⟨v, q⟩ + ∑ b / (1 + (m / k) exp (-s))`, with their scores `s = uᵀ W q` and residues `b = ⟨v, u⟩`;
and for every `H` there is a decoder that finds `s` and `b` of any `G` of at most `H` heads, in some order, from `∑ b`
and the values at the ratios `1, …, H` and `1/2, …, 1/H`, if the scores are distinct and the residues nonzero. -/
theorem direction_decoder (H : Nat) : ∃ dec : K → (Fin (2 * H - 1) → K) → List (R × K),
    ∀ (d : Nat) (G : List (Head R K d)) (u q : Vec R d), G.length ≤ H →
      (G.Pairwise fun g g' => score g.W u q ≠ score g'.W u q) → (∀ g ∈ G, S.inner g.v u ≠ 0) →
      (dec (listSum G fun g => S.inner g.v u) fun i =>
        S.evalHeads G (Semantics.copies ((ratio H i.val).1 + 1) (ratio H i.val).2 u q) q - listSum G fun g =>
            S.inner g.v q).Perm
        (G.map fun g => (score g.W u q, S.inner g.v u)) := by
  obtain ⟨dec, hdec⟩ := S.exists_decoder H
  refine ⟨dec, fun d G u q hlen hs hv => ?_⟩
  have h := hdec.exact (S.shadow G u q) (by rw [Semantics.shadow, List.length_map]; exact hlen)
      (List.pairwise_map.mpr hs)
    fun p hp => by
      obtain ⟨g, hg, rfl⟩ := List.mem_map.mp hp
      exact hv g hg
  rw [Semantics.shadow, listSum_map] at h
  rw [show (fun i : Fin (2 * H - 1) => S.evalHeads G (Semantics.copies ((ratio H i.val).1 + 1)
      (ratio H i.val).2 u q) q -
      listSum G fun g => S.inner g.v q) = fun i : Fin (2 * H - 1) => cauchySum (rho (ratio H i.val))
          (S.poles (S.shadow G u q)) from
    funext fun i => by rw [S.evalHeads_ratio]; ring]
  exact h

/-- info: 'AttentionQueries.Results.direction_decoder' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms direction_decoder

/-- **Several heads by short sequences.** Let `G` be a list of at most `N` heads in dimension `d = n + 1`, in general
position with respect to the directions `D`, and `dec` any decoder of single directions. Against `G` the query program
`learnShort` returns `G`, up to order; it asks `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions, where `H` is the number
of heads, so exactly `(2 N - 1) d² + d` if `H = N`; and no question has more than `N + 1` tokens. The last holds, with
at most `(2 N - 1) d² + d` questions, against any oracle. -/
theorem several_heads_short [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) (D : Directions R n) (N : Nat) :
    (∀ G : List (Head R K (n + 1)), G.length ≤ N → S.GeneralPosition D G →
      ((S.learnShort dec D N).run fun t => S.evalHeads G t.1 t.2).Perm G ∧
      ((S.learnShort dec D N).queries fun t => S.evalHeads G t.1 t.2).length =
        (n + 1) + (2 * N - 1) + (2 * G.length - 1) * ((n + 1) * (n + 1) - 1)) ∧
    (∀ G : List (Head R K (n + 1)), G.length = N → S.GeneralPosition D G →
      ((S.learnShort dec D N).queries fun t => S.evalHeads G t.1 t.2).length = (2 * N - 1) * ((n + 1) * (n + 1)) +
          (n + 1)) ∧
    ∀ o : Query R (n + 1) → K, ((S.learnShort dec D N).queries o).length ≤ (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) ∧
      ∀ t ∈ (S.learnShort dec D N).queries o, Query.length t ≤ N + 1 :=
  ⟨fun _ hlen hgp => ⟨S.learnShort_exact hdec (fun _ => rfl) hlen hgp, S.learnShort_count hdec (fun _ => rfl) hlen hgp⟩,
    fun _ hlen hgp => S.learnShort_count_eq hdec (fun _ => rfl) hlen hgp,
    fun o => ⟨S.learnShort_count_le o hdec, fun t ht => Nat.succ_le_succ (S.learnShort_length o hdec t ht)⟩⟩

/-- info: 'AttentionQueries.Results.several_heads_short' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms several_heads_short

/-- **The canonical form is returned** for every model, reduced or not, whose canonical form is in general position. -/
theorem several_heads_canonical [DecidableEq R] [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) →
    List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) {D : Directions R n} {N : Nat} {M : List (Head R K (n + 1))}
    (hlen : (canonical M).length ≤ N) (hgp : S.GeneralPosition D (canonical M)) :
    ((S.learnShort dec D N).run fun t => S.evalHeads M t.1 t.2).Perm (canonical M) :=
        S.learnShort_canonical hdec hlen hgp

/-- info: 'AttentionQueries.Results.several_heads_canonical' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms several_heads_canonical

/-- **When there are directions in general position**: exactly for the lists of heads with pairwise distinct matrices,
nonzero values and pairwise distinct values. -/
theorem general_position_iff (G : List (Head R K (n + 1))) : (∃ D : Directions R n, S.GeneralPosition D G) ↔
    (G.Pairwise fun g g' => g.W ≠ g'.W) ∧ (∀ g ∈ G, g.v ≠ 0) ∧ G.Pairwise fun g g' => g.v ≠ g'.v :=
  (S.exists_generalPosition_iff G).trans ⟨fun h => ⟨h.1.distinct, h.1.ne_zero, h.2⟩, fun h => ⟨⟨h.1, h.2.1⟩, h.2.2⟩⟩

/-- info: 'AttentionQueries.Results.general_position_iff' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms general_position_iff

/-- **Distinct values are needed.** If two heads have the same value vector, exchanging the first entries of their
matrices changes no answer to a question of the program in the standard directions, against whatever oracle it runs;
but it changes the function, if the value is not zero and the matrices differ in the first entry and in another one.
-/
theorem equal_values_not_learnt [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) (N : Nat) (W W' : Mat R (n + 1)) {v : Vec K (n + 1)} (hv : v ≠ 0)
    (h0 : W 0 0 ≠ W' 0 0) {i j : Fin (n + 1)} (hij : i ≠ 0 ∨ j ≠ 0) (h1 : W i j ≠ W' i j) :
    (∀ o, ∀ t ∈ (S.learnShort dec (Directions.standard R n) N).queries o,
      S.evalHeads [⟨W, v⟩, ⟨W', v⟩] t.1 t.2 = S.evalHeads [⟨Semantics.exchange W W', v⟩, ⟨Semantics.exchange W' W,
          v⟩] t.1 t.2) ∧
    ¬ ∀ xs q, S.evalHeads [⟨W, v⟩, ⟨W', v⟩] xs q = S.evalHeads [⟨Semantics.exchange W W', v⟩,
        ⟨Semantics.exchange W' W, v⟩] xs q :=
  ⟨fun o => S.values_distinct_needed hdec N o W W' v, S.exchange_ne_of_ne hv h0 hij h1⟩

/-- info: 'AttentionQueries.Results.equal_values_not_learnt' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms equal_values_not_learnt

/-- **Every model can be learnt by short sequences, whatever its values.** Heads are in linked position with respect
to some directions `D` if and only if they are reduced. Against at most `N` heads in linked position the query program
`learnLinked` returns these heads, up to order, with `d + (2 N - 1) + 2 (2 H - 1) (d² - 1)` questions, where
`d = n + 1` and `H` is the number of heads. Against any oracle it asks at most `(2 N - 1) (2 d² - 1) + d` questions,
none with more than `N + 1` tokens. -/
theorem several_heads_linked [DecidableEq R] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) (N : Nat) :
    (∀ G : List (Head R K (n + 1)), (∃ D : Directions R n, S.LinkedPosition D G) ↔
      (G.Pairwise fun g g' => g.W ≠ g'.W) ∧ ∀ g ∈ G, g.v ≠ 0) ∧
    (∀ (D : Directions R n) (G : List (Head R K (n + 1))), G.length ≤ N → S.LinkedPosition D G →
      ((S.learnLinked dec D N).run fun t => S.evalHeads G t.1 t.2).Perm G ∧
      ((S.learnLinked dec D N).queries fun t => S.evalHeads G t.1 t.2).length =
        (n + 1) + (2 * N - 1) + 2 * (2 * G.length - 1) * ((n + 1) * (n + 1) - 1)) ∧
    ∀ (D : Directions R n) (o : Query R (n + 1) → K),
      ((S.learnLinked dec D N).queries o).length ≤ (2 * N - 1) * (2 * ((n + 1) * (n + 1)) - 1) + (n + 1) ∧
      ∀ t ∈ (S.learnLinked dec D N).queries o, Query.length t ≤ N + 1 :=
  ⟨fun G => (S.exists_linkedPosition_iff G).trans ⟨fun h => ⟨h.distinct, h.ne_zero⟩, fun h => ⟨h.1, h.2⟩⟩,
    fun _ _ hlen hgp => ⟨S.learnLinked_exact hdec (fun _ => rfl) hlen hgp, S.learnLinked_count hdec (fun _ =>
        rfl) hlen hgp⟩,
    fun _ o => ⟨S.learnLinked_count_le o hdec, fun t ht => Nat.succ_le_succ (S.learnLinked_length o hdec t ht)⟩⟩

/-- info: 'AttentionQueries.Results.several_heads_linked' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms several_heads_linked

/-- **The canonical form of every model.** For every model whose canonical form has at most `N` heads there are
directions with which the query program `learnLinked` returns the canonical form, up to order. The directions may depend
on the model; they are those in which the canonical form is in linked position. -/
theorem every_model_learnt [DecidableEq R] [DecidableEq K]
    {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} (hdec : ∀ H, S.IsDecoder H (dec H)) {N : Nat}
    (M : List (Head R K (n + 1))) (hlen : (canonical M).length ≤ N) :
    ∃ D : Directions R n, ((S.learnLinked dec D N).run fun t => S.evalHeads M t.1 t.2).Perm (canonical M) :=
  (S.exists_learner_of_all hdec M hlen).elim fun D h => ⟨D, h.1⟩

/-- info: 'AttentionQueries.Results.every_model_learnt' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms every_model_learnt

/-- **One program for all models**, with nothing chosen after the model: for `n ≥ 1` there is a query program that asks
every oracle the same number `((2 n - 1)(d² - 1) + d)(2 n - 1) + d` of questions, of length at most `2 n`, and returns
the canonical form, up to order, of every model whose canonical form has at most `n` heads. Here only the questions are
counted; the theorem does not say how to compute the result from the answers. -/
theorem one_program_for_all_models [DecidableEq R] [DecidableEq K] (d : Nat) {n : Nat} (hn : 0 < n) :
    ∃ p : QueryProgram (Query R d) K (List (Head R K d)),
      (∀ o, p.count o = ((2 * n - 1) * (d * d - 1) + d) * (2 * n - 1) + d ∧ ∀ t ∈ p.queries o, Query.length t ≤ 2 * n) ∧
      ∀ M : List (Head R K d), (canonical M).length ≤ n →
        (p.run fun t => S.evalHeads M t.1 t.2).Perm (canonical M) := S.exists_class_learner d hn

/-- info: 'AttentionQueries.Results.one_program_for_all_models' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms one_program_for_all_models
end

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {n : Nat}

/-- **Heads are told apart by their scores modulo a number.** Let `m` be a scalar by whose multiples one can divide
(`Modulus`), and let the directions asked be `(u₀ + m uᵢ, q₀ + m qⱼ)`, without the second summands for `i = 0` and
`j = 0`. Heads are in congruent position if their scores `u₀ᵀ W q₀` are pairwise incongruent modulo `m`, and no value is
orthogonal to a token `u₀`, `u₀ + m uᵢ`. Against at most `N` such heads the query program `learnCongruent` returns these
heads, up to order, with `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions, where `d = n + 1` and `H` is the number of
heads: as many as `learnShort` asks, but the values need not be distinct. Against any oracle it asks at most
`(2 N - 1) d² + d` questions, none with more than `N + 1` tokens. -/
theorem several_heads_congruent [DecidableEq R] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) (M : Modulus R) (D : Directions R n) (N : Nat) :
    (∀ G : List (Head R K (n + 1)), G.length ≤ N →
      (G.Pairwise fun g g' => ¬ ∃ x, score g.W (D.u 0) (D.q 0) = score g'.W (D.u 0) (D.q 0) + M.val * x) →
      (∀ g ∈ G, S.inner g.v (D.u 0) ≠ 0 ∧ ∀ i : Fin n, S.inner g.v (D.u 0 + smul M.val (D.u i.succ)) ≠ 0) →
      ((S.learnCongruent dec M D N).run fun t => S.evalHeads G t.1 t.2).Perm G ∧
      ((S.learnCongruent dec M D N).queries fun t => S.evalHeads G t.1 t.2).length =
        (n + 1) + (2 * N - 1) + (2 * G.length - 1) * ((n + 1) * (n + 1) - 1)) ∧
    ∀ o : Query R (n + 1) → K,
      ((S.learnCongruent dec M D N).queries o).length ≤ (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) ∧
      ∀ t ∈ (S.learnCongruent dec M D N).queries o, Query.length t ≤ N + 1 :=
  ⟨fun _ hlen hs hv =>
    have h : S.CongruentPosition M D _ := ⟨hs, fun i g hg => by
      induction i using Fin.cases with
      | zero => exact (hv g hg).1
      | succ i => exact (hv g hg).2 i⟩
    ⟨S.learnCongruent_exact hdec (fun _ => rfl) hlen h, S.learnCongruent_count hdec (fun _ => rfl) hlen h⟩,
    fun o => ⟨S.learnCongruent_count_le o hdec, fun t ht => Nat.succ_le_succ (S.learnCongruent_length o hdec t ht)⟩⟩

/-- info: 'AttentionQueries.Results.several_heads_congruent' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms several_heads_congruent

/-- **Incongruent scores are needed.** Let two heads have the same value vector `v ≠ 0` and congruent first columns,
`W' i 0 = W i 0 + m k i`. Let `V` have the first column of `W'` and the entries `W i j - k i` elsewhere, and `V'` the
first column of `W` and the entries `W' i j + k i`. Then `(W, v)`, `(W', v)` and `(V, v)`, `(V', v)` give the same
answers to all questions of the program in the standard directions, against whatever oracle it runs; but the functions
differ, if `k i ≠ 0` and `W' i j ≠ W i j - k i` for some `i` and `j ≥ 1`. -/
theorem congruent_scores_not_learnt [DecidableEq R] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) (M : Modulus R) (N : Nat) {W W' V V' : Mat R (n + 1)} {k : Vec R (n + 1)}
    (hk : ∀ i, W' i 0 = W i 0 + M.val * k i) (hV : ∀ i, V i 0 = W' i 0 ∧ ∀ j : Fin n, V i j.succ = W i j.succ - k i)
    (hV' : ∀ i, V' i 0 = W i 0 ∧ ∀ j : Fin n, V' i j.succ = W' i j.succ + k i) {v : Vec K (n + 1)} (hv : v ≠ 0)
    {i : Fin (n + 1)} {j : Fin n} (hi : k i ≠ 0) (hij : W' i j.succ ≠ W i j.succ - k i) :
    (∀ o, ∀ t ∈ (S.learnCongruent dec M (Directions.standard R n) N).queries o,
      S.evalHeads [⟨W, v⟩, ⟨W', v⟩] t.1 t.2 = S.evalHeads [⟨V, v⟩, ⟨V', v⟩] t.1 t.2) ∧
    ¬ ∀ xs q, S.evalHeads [⟨W, v⟩, ⟨W', v⟩] xs q = S.evalHeads [⟨V, v⟩, ⟨V', v⟩] xs q := by
  have e : V = Semantics.shiftColumns M.val k W := funext fun i => funext fun j => by
    induction j using Fin.cases with
    | zero => exact (hV i).1.trans (hk i)
    | succ j => exact (hV i).2 j
  have e' : V' = Semantics.shiftColumns M.val (-k) W' := funext fun i => funext fun j => by
    induction j using Fin.cases with
    | zero =>
      refine (hV' i).1.trans ?_
      show W i 0 = W' i 0 + M.val * -k i
      rw [hk]; ring
    | succ j =>
      refine ((hV' i).2 j).trans ?_
      show W' i j.succ + k i = W' i j.succ - -k i
      ring
  rw [e, e']
  exact ⟨fun o => S.incongruent_needed hdec M N o hk v, S.shiftColumns_ne_of_ne hv hk hi hij⟩

/-- info: 'AttentionQueries.Results.congruent_scores_not_learnt' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms congruent_scores_not_learnt
end

section
variable {K : Type} [OrderedField K] (S : Semantics Int K) {n : Nat}

/-- **For integers there are always such directions.** Integer heads are in congruent position with respect to some
directions, modulo some `k + 1`, if and only if their matrices are pairwise distinct and their values nonzero; and then
there are directions that do for every large `k`. So for every integer model whose canonical form has `H ≤ N` heads,
whatever their values, there are directions and a modulus with which the query program `learnCongruent` returns the
canonical form, up to order, with `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions, `d = n + 1`. -/
theorem every_integer_model_learnt [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (Int × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) (N : Nat) :
    (∀ G : List (Head Int K (n + 1)), (∃ (D : Directions Int n) (k : Nat), S.CongruentPosition (Modulus.int k) D G) ↔
      (G.Pairwise fun g g' => g.W ≠ g'.W) ∧ ∀ g ∈ G, g.v ≠ 0) ∧
    (∀ G : List (Head Int K (n + 1)), (G.Pairwise fun g g' => g.W ≠ g'.W) → (∀ g ∈ G, g.v ≠ 0) →
      ∃ (D : Directions Int n) (k₀ : Nat), ∀ k, k₀ ≤ k → S.CongruentPosition (Modulus.int k) D G) ∧
    ∀ L : List (Head Int K (n + 1)), (canonical L).length ≤ N → ∃ (D : Directions Int n) (k : Nat),
      ((S.learnCongruent dec (Modulus.int k) D N).run fun t => S.evalHeads L t.1 t.2).Perm (canonical L) ∧
      ((S.learnCongruent dec (Modulus.int k) D N).queries fun t => S.evalHeads L t.1 t.2).length =
        (n + 1) + (2 * N - 1) + (2 * (canonical L).length - 1) * ((n + 1) * (n + 1) - 1) :=
  ⟨fun G => (S.exists_congruentPosition_iff G).trans ⟨fun h => ⟨h.distinct, h.ne_zero⟩, fun h => ⟨h.1, h.2⟩⟩,
    fun _ h h' => S.exists_congruentPosition ⟨h, h'⟩, fun L hlen =>
      let ⟨D, k, h, h', _⟩ := S.exists_learner_congruent hdec L hlen
      ⟨D, k, h, h'⟩⟩

/-- info: 'AttentionQueries.Results.every_integer_model_learnt' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms every_integer_model_learnt

/-- **One program for all integer models of bounded size.** For all `N` and `B` there is a query program that returns
the canonical form, up to order, of every model of at most `N` heads in dimension `d = n + 1` whose matrices and values
have integer entries of absolute value at most `B`; it asks `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions if the
canonical form has `H` heads, and against any oracle at most `(2 N - 1) d² + d` questions of at most `N + 1` tokens. -/
theorem bounded_integer_models_learnt [DecidableEq K] (n N B : Nat) :
    ∃ p : QueryProgram (Query Int (n + 1)) K (List (Head Int K (n + 1))),
      (∀ L : List (Head Int K (n + 1)), L.length ≤ N → (∀ g ∈ L, ∀ i j, (g.W i j).natAbs ≤ B) →
        (∀ g ∈ L, ∀ i, ∃ z : Int, g.v i = S.cast z ∧ z.natAbs ≤ B) →
        (p.run fun t => S.evalHeads L t.1 t.2).Perm (canonical L) ∧
        (p.queries fun t => S.evalHeads L t.1 t.2).length =
          (n + 1) + (2 * N - 1) + (2 * (canonical L).length - 1) * ((n + 1) * (n + 1) - 1)) ∧
      ∀ o : Query Int (n + 1) → K, (p.queries o).length ≤ (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) ∧
        ∀ t ∈ p.queries o, Query.length t ≤ N + 1 := by
  obtain ⟨dec, hdec⟩ := Classical.axiomOfChoice fun H => S.exists_decoder H
  obtain ⟨D, k, h⟩ := S.exists_uniform_learner hdec n N B
  exact ⟨S.learnCongruent dec (Modulus.int k) D N, h, fun o => ⟨S.learnCongruent_count_le o hdec, fun t ht =>
    Nat.succ_le_succ (S.learnCongruent_length o hdec t ht)⟩⟩

/-- info: 'AttentionQueries.Results.bounded_integer_models_learnt' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms bounded_integer_models_learnt
end

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- **Where the linear system for labelled scores comes from.** Let `ι : A → K` and `φ : A → F` be ring homomorphisms
from a ring `A` of values (the `p`-integral ones) to the values and to a field with `φ p = 0` (the integers modulo
`p`). Let `w = exp (yᵀ W q)`, `a = ⟨v, y⟩`, `E = exp (uᵀ W q)` and `b = ⟨v, u⟩` lie in `A` for all heads, and let
`m + k w` and `p E + m + k w` be invertible in `A`, `m = n + 1`. Then the answer on `p` copies of `q + u`, `k` copies
of `q + y` and `m` copies of `q` differs from the one on `k` copies of `q + y` and `m` copies of `q` by `p x` with `x`
in `A`, and `φ x = ∑ E (b (m + k w) - a k w) / (m + k w)²` in `F`. -/
theorem divided_answer {A F : Type} [CommRing A] [Field F] {ι : A → K} {φ : A → F} (hι : IsRingHom ι) (hφ : IsRingHom φ)
    {H : Nat} (G : Fin H → Head R K d) (u y q : Vec R d) (p k n : Nat) (w a E b i j : Vec A H)
    (hw : ∀ h, ι (w h) = S.exp (score (G h).W y q)) (ha : ∀ h, ι (a h) = S.inner (G h).v y)
    (hE : ∀ h, ι (E h) = S.exp (score (G h).W u q)) (hb : ∀ h, ι (b h) = S.inner (G h).v u)
    (hi : ∀ h, (natCast (n + 1) + natCast k * w h) * i h = 1)
    (hj : ∀ h, (natCast p * E h + (natCast (n + 1) + natCast k * w h)) * j h = 1) (hp : φ (natCast p) = 0) :
    ∃ x : A, S.evalHeads ((List.finRange H).map G)
          (List.replicate p (q + u) ++ (List.replicate k (q + y) ++ List.replicate n q)) q =
        S.evalHeads ((List.finRange H).map G)
          (List.replicate 0 (q + u) ++ (List.replicate k (q + y) ++ List.replicate n q)) q + natCast p * ι x ∧
      φ x = finSum fun h => linRow (natCast k) (natCast (n + 1)) (φ (w h)) (φ (a h)) (φ (b h)) * φ (E h) :=
  S.divided_answer hι hφ G u y q p k n w a E b i j hw ha hE hb hi hj hp

/-- info: 'AttentionQueries.Results.divided_answer' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms divided_answer
end

section
variable {F : Type} [Field F] {H : Nat}

/-- **One question a head labels the scores.** Let the weights `w` of the anchor be distinct and nonzero in a field,
and let no head have both residues `a` and `b` zero. Among any `2 H` multiplicities `(k, m)` with distinct ratios,
`k ≠ 0` and `m + k w ≠ 0`, there are `H` such that the linear system with the rows
`linRow k m w a b = (b (m + k w) - a k w) / (m + k w)²` has no other solution than the weights `E` behind it. -/
theorem labelled_scores {w a b : Vec F H} {rows : List (F × F)} (hlen : 2 * H ≤ rows.length) (hk : ∀ r ∈ rows, r.1 ≠ 0)
    (hden : ∀ r ∈ rows, ∀ h, r.2 + r.1 * w h ≠ 0) (hrat : rows.Pairwise fun r r' => r.2 * r'.1 ≠ r'.2 * r.1)
    (hw : ∀ h h', w h = w h' → h = h') (hw0 : ∀ h, w h ≠ 0) (hab : ∀ h, a h ≠ 0 ∨ b h ≠ 0) :
    ∃ sub : List (F × F), sub.length = H ∧ (∀ r ∈ sub, r ∈ rows) ∧ ∀ t E : Vec F H,
      (∀ r ∈ sub, (finSum fun h => linRow r.1 r.2 (w h) (a h) (b h) * t h) =
        finSum fun h => linRow r.1 r.2 (w h) (a h) (b h) * E h) → t = E := by
  obtain ⟨sub, hl, hs, hker⟩ := exists_labelling_rows hlen hk hden hrat hw hw0 hab
  exact ⟨sub, hl, hs, fun _ _ => labelled_unique hker⟩

/-- info: 'AttentionQueries.Results.labelled_scores' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms labelled_scores

/-- **The residues as well**, from any `2 H` such questions: the products `s = E b` and the weights `t = E` are both
determined, if no residue `a` of the anchor is zero. -/
theorem labelled_scores_and_values {w a s t : Vec F H} {rows : List (F × F)} (hlen : 2 * H ≤ rows.length)
    (hk : ∀ r ∈ rows, r.1 ≠ 0) (hden : ∀ r ∈ rows, ∀ h, r.2 + r.1 * w h ≠ 0)
    (hrat : rows.Pairwise fun r r' => r.2 * r'.1 ≠ r'.2 * r.1) (hw : ∀ h h', w h = w h' → h = h') (hw0 : ∀ h, w h ≠ 0)
    (ha : ∀ h, a h ≠ 0) (hs : ∀ r ∈ rows, (finSum fun h => s h * (r.2 + r.1 * w h)⁻¹ -
      t h * (a h * (r.1 * w h) * ((r.2 + r.1 * w h)⁻¹ * (r.2 + r.1 * w h)⁻¹))) = 0) : ∀ h, s h = 0 ∧ t h = 0 :=
  linRow_independent_values hlen hk hden hrat hw hw0 ha hs

/-- info: 'AttentionQueries.Results.labelled_scores_and_values' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms labelled_scores_and_values
end

section
variable {K : Type} [OrderedField K] (S : Semantics Int K) {d : Nat}

/-- **Bounded integer heads from two questions a head.** The program `kroneckerHeads` returns, up to order, the
canonical form of every model of at most `N` heads whose matrices and values have integer entries of absolute value at
most `B`, for any decoder `dec` of single directions and any `toInt` that is inverse to the embedding of the integers.
Against any oracle it asks `2 N` questions (`N ≥ 1`), each with at most `N + 1` tokens, copies of at most two, and it
returns at most `N` heads. -/
theorem kronecker_several_heads [DecidableEq K] {N : Nat} (B : Nat)
    {dec : K → (Fin (2 * N - 1) → K) → List (Int × K)} (hdec : S.IsDecoder N dec) {toInt : K → Option Int}
    (hint : ∀ n, toInt (S.cast n) = some n) :
    (∀ L : List (Head Int K d), L.length ≤ N → (∀ g ∈ L, ∀ i j, (g.W i j).natAbs ≤ B) →
      (∀ g ∈ L, ∀ i, ∃ z : Int, g.v i = S.cast z ∧ z.natAbs ≤ B) →
      ((S.kroneckerHeads N B dec toInt).run fun t => S.evalHeads L t.1 t.2).Perm (canonical L)) ∧
    ∀ o : Query Int d → K, (0 < N → ((S.kroneckerHeads N B dec toInt).queries o).length = 2 * N) ∧
      (∀ t ∈ (S.kroneckerHeads N B dec toInt).queries o,
        Query.length t ≤ N + 1 ∧ ∃ x : Vec Int d, ∀ y ∈ t.1, y = x ∨ y = t.2) ∧
      ((S.kroneckerHeads N B dec toInt).run o).length ≤ N :=
  ⟨fun _ hlen hW hv => S.kroneckerHeads_run hdec hint hlen hW hv,
    fun o => ⟨fun hN => S.kroneckerHeads_count hN B dec toInt o,
      fun _ ht => ⟨Nat.succ_le_succ (S.kroneckerHeads_mem ht).1, (S.kroneckerHeads_mem ht).2⟩,
      S.kroneckerHeads_count_needed hdec toInt o⟩⟩

/-- info: 'AttentionQueries.Results.kronecker_several_heads' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms kronecker_several_heads

/-- **The bound on the matrices is needed**: a program with questions of at most two distinct tokens that is right on
the heads with one value vector `v ≠ 0` and arbitrary integer matrices asks each of them at least `d²` questions. -/
theorem kronecker_several_heads_matrix_bound [DecidableEq K] {v : Vec K d} (hv : v ≠ 0)
    {p : QueryProgram (Query Int d) K (List (Head Int K d))}
    (hp : ∀ W : Mat Int d, (p.run fun t => S.evalHeads [⟨W, v⟩] t.1 t.2).Perm (canonical [⟨W, v⟩])) (W : Mat Int d)
    (h2 : ∀ t ∈ p.queries fun t => S.evalHeads [⟨W, v⟩] t.1 t.2, ∃ x : Vec Int d, ∀ y ∈ t.1, y = x ∨ y = t.2) :
    d * d ≤ (p.queries fun t => S.evalHeads [⟨W, v⟩] t.1 t.2).length :=
  S.kroneckerHeads_matrix_bound_needed hv hp W h2

/-- info: 'AttentionQueries.Results.kronecker_several_heads_matrix_bound' depends on axioms: [propext,
 Classical.choice,
 Quot.sound] -/
#guard_msgs in #print axioms kronecker_several_heads_matrix_bound

/-- **Integer values and the bound on them are needed**: if a program asks fewer than `d` questions as long as all
answers are zero, there is an integer vector `z ≠ 0` such that for every number `c` it returns the same against no heads
and against the head with the matrix `0` and the value vector `c z`. For `c = 1` this is an integer vector, for small
`c` a vector with small entries. -/
theorem kronecker_several_heads_value_bound {α : Type} (p : QueryProgram (Query Int d) K α)
    (h : (p.queries fun _ => 0).length < d) : ∃ z : Vec Int d, z ≠ 0 ∧ ∀ c : K,
      (p.run fun t => S.evalHeads [⟨0, fun i => c * S.cast (z i)⟩] t.1 t.2) =
        p.run fun t => S.evalHeads [] t.1 t.2 := S.kroneckerHeads_value_bound_needed p h

/-- info: 'AttentionQueries.Results.kronecker_several_heads_value_bound' depends on axioms: [propext,
 Classical.choice,
 Quot.sound] -/
#guard_msgs in #print axioms kronecker_several_heads_value_bound
end

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- **Values in orthogonal subspaces are the projections of their sum**: if the subspaces spanned by `B₁, …, Bₙ` are
orthogonal to each other and `vₕ` lies in the span of `Bₕ`, then `p = vₕ` is the only vector in the span of `Bₕ` with
`∑ v - p` orthogonal to `Bₕ`. -/
theorem orthogonal_values_projection {n : Nat} {B : Fin n → List (Vec K d)}
    (hB : ∀ g h, g ≠ h → ∀ x ∈ B g, ∀ y ∈ B h, Orthogonal x y) {v : Fin n → Vec K d} (hv : ∀ h, InSpan (B h) (v h))
    (h : Fin n) (p : Vec K d) :
    (InSpan (B h) p ∧ ∀ b ∈ B h, Orthogonal b ((fun i => finSum fun g => v g i) - p)) ↔ p = v h :=
  ⟨fun hp => IsProjection.unique ⟨hp.1, hp.2⟩ (isProjection_sum hB hv h), fun e => by
    rw [e]
    exact ⟨hv h, (isProjection_sum hB hv h).orthogonal⟩⟩

/-- info: 'AttentionQueries.Results.orthogonal_values_projection' depends on axioms: [propext, Quot.sound] -/
#guard_msgs in #print axioms orthogonal_values_projection

/-- **Heads with values in known orthogonal subspaces are learnt one by one.** Let the subspaces spanned by `B₁, …, Bₙ`
be orthogonal to each other. There is a choice of axes and hidden tokens for every sum of values such that the program
`learnOrthogonal` returns the heads with `v ≠ 0` of every model `(W₁, v₁), …, (Wₙ, vₙ)` with `vₕ` in the span of `Bₕ`
and a multiple of a token. If these are `k` heads, it asks `k d² + d k (k - 1) / 2 + d` questions, none with more than
three tokens. -/
theorem orthogonal_values_learnt [DecidableEq K] {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s)
    {dec : K → (Fin (2 * 2 - 1) → K) → List (R × K)} (hdec : S.IsDecoder 2 dec) {n : Nat} {B : Fin n → List (Vec K d)}
    (hB : ∀ g h, g ≠ h → ∀ x ∈ B g, ∀ y ∈ B h, Orthogonal x y) : ∃ plan : Vec K d → OrthogonalPlan R K d,
    ∀ (W : Fin n → Mat R d) (v : Fin n → Vec K d) (L G : List (Head R K d)), (∀ h, InSpan (B h) (v h)) →
      (∀ h, ∃ (s : K) (a : Vec R d), s ≠ 0 ∧ ∀ i, s * v h i = S.cast (a i)) →
      L = (List.finRange n).map (fun h => ⟨W h, v h⟩) → G = L.filter (fun g => g.v ≠ 0) →
      ((S.learnOrthogonal log dec plan).run fun t => S.evalHeads L t.1 t.2) = G ∧
      ((S.learnOrthogonal log dec plan).queries fun t => S.evalHeads L t.1 t.2).length =
        G.length * (d * d) + d * (G.length * (G.length - 1) / 2) + d ∧
      ∀ t ∈ (S.learnOrthogonal log dec plan).queries fun t => S.evalHeads L t.1 t.2, Query.length t ≤ 3 := by
  obtain ⟨plan, h⟩ := S.exists_orthogonal_learner hlog hdec hB
  exact ⟨plan, fun W v L G hv hr hL hG => by rw [hG]; exact h W v L hv hr hL⟩

/-- info: 'AttentionQueries.Results.orthogonal_values_learnt' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms orthogonal_values_learnt
end

end AttentionQueries.Results

/-! ## Heads of low rank

`RankLE r W` says that `W` is a sum of `r` outer products `a bᵀ`, and `RankEq r W` that `r` is the least such number.
`form W u w` is `uᵀ W w`, `col W w` is `W w`, `row W u` is `uᵀ W`, `mm` and `tr` are product and transpose, and
`basis` is the identity matrix. `S.castM W` is `W` with its entries in `K`: ranks are over the field. Counts are
written without subtraction: `length + r * r = …`. `AtMostTwoTokens t` says that the context of `t` consists of copies
of one token and of the query token. -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField Matrix LowRank

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- **Wedderburn's step.** A probe `uᵀ W w ≠ 0` of a matrix of rank at most `r + 1` over a field leaves
`W - (W w)(uᵀ W) / (uᵀ W w)` of rank at most `r`. -/
theorem low_rank_step {F : Type} [Field F] {m n r : Nat} {W : RectMat F m n} (hW : RankLE (r + 1) W) {u : Vec F m}
    {w : Vec F n} (h : form W u w ≠ 0) :
    RankLE r (fun i j => W i j - col W w i * row W u j * (form W u w)⁻¹) := wedderburn hW h

/-- info: 'AttentionQueries.Results.low_rank_step' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_step

/-- **What has to be seen.** A head with `v ≠ 0` whose score matrix has rank `r` is determined, among all heads
of rank at most `r`, by `d + (2 d - r) r` of its outputs. -/
theorem low_rank_determined {r : Nat} {v : Vec K d} (hv : v ≠ 0) {W : Mat R d} (hW : RankEq r (S.castM W)) :
    ∃ T : List (Query R d), T.length + r * r = d + (d + d) * r ∧ ∀ (W' : Mat R d) (v' : Vec K d),
      RankLE r (S.castM W') → (∀ t ∈ T, S.oracle W v t = S.oracle W' v' t) → W = W' ∧ v = v' :=
  S.head_low_rank_full hv hW

/-- info: 'AttentionQueries.Results.low_rank_determined' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_determined

/-- **A hitting set.** One list of exactly `r (m + n - r)` pairs `(u, w)` of vectors of natural numbers serves all
ordered fields: the probes `uᵀ D w` are not all zero on any `m × n` matrix `D ≠ 0` of rank at most `r`. -/
theorem low_rank_hitting_set {m n r : Nat} (hm : r ≤ m) (hn : r ≤ n) :
    ∃ T : List ((Fin m → Nat) × (Fin n → Nat)), T.length + r * r = r * (m + n) ∧
      ∀ (K : Type) [OrderedField K] (D : RectMat K m n), RankLE r D → D ≠ 0 →
        ∃ t ∈ T, form D (fun i => natCast (t.1 i)) (fun j => natCast (t.2 j)) ≠ 0 := by
  refine ⟨naturalProbes m n r, length_naturalProbes hm hn, fun K _ D hD h0 => ?_⟩
  obtain ⟨t, ht, h⟩ := hits_rankProbes K m n r D hD h0
  rw [rankProbes_eq] at ht
  obtain ⟨t', ht', rfl⟩ := List.mem_map.mp ht
  exact ⟨t', ht', h⟩

/-- info: 'AttentionQueries.Results.low_rank_hitting_set' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_hitting_set

/-- **The learner of heads of rank at most `r`.** Against a head `(W, v)` with `v ≠ 0` and `W` of rank `k ≤ r`,
where `k` is not given, it returns this head after exactly `d + r (2 d - r) + 2 d k` queries, none longer than
two tokens. -/
theorem low_rank_learner [DecidableEq K] [∀ a : K, Decidable (0 < a)] {log : K → Option R}
    (hlog : ∀ s, log (S.exp s) = some s) {r k : Nat} (hr : r ≤ d) {W : Mat R d} (hW : RankEq k (S.castM W)) (hk : k ≤ r)
    {v : Vec K d} (hv : v ≠ 0) :
    (S.learnLowRank log r).run (S.oracle W v) = .head (S.castM W) v ∧
      ((S.learnLowRank log r).queries (S.oracle W v)).length + r * r = d + r * (d + d) + k * (d + d) ∧
      ∀ t ∈ (S.learnLowRank log r).queries (S.oracle W v), Query.length t ≤ 2 :=
  S.learnLowRank_exact hlog hr hW hk hv

/-- info: 'AttentionQueries.Results.low_rank_learner' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_learner

/-- **`v ≠ 0` is needed**: for `v = 0` the outputs do not depend on `W`, and the learner says so after `d` queries. -/
theorem low_rank_learner_value_zero [DecidableEq K] [∀ a : K, Decidable (0 < a)] (log : K → Option R) (r : Nat)
    (W : Mat R d) : (S.learnLowRank log r).run (S.oracle W 0) = .zero ∧
      ((S.learnLowRank log r).queries (S.oracle W 0)).length = d := S.learnLowRank_zero log r W

/-- info: 'AttentionQueries.Results.low_rank_learner_value_zero' depends on axioms:
[propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_learner_value_zero

/-- **The promise `k ≤ r` is needed**: with the promise of rank `0` the learner returns the score matrix zero for
every head with `v ≠ 0`. -/
theorem low_rank_learner_rank_needed [DecidableEq K] [∀ a : K, Decidable (0 < a)] (log : K → Option R) (W : Mat R d)
    {v : Vec K d} (hv : v ≠ 0) : (S.learnLowRank log 0).run (S.oracle W v) = .head 0 v :=
  S.learnLowRank_rank_needed log W hv

/-- info: 'AttentionQueries.Results.low_rank_learner_rank_needed' depends on axioms:
[propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_learner_rank_needed

/-- **Worst case.** With the promise of rank at most `r`, some program returns every head with `v ≠ 0` after at most
`d + d²` and at most `d + r (4 d - r)` queries. -/
theorem low_rank_worst_case [DecidableEq K] [∀ a : K, Decidable (0 < a)] {log : K → Option R}
    (hlog : ∀ s, log (S.exp s) = some s) {r : Nat} (hr : r ≤ d) : ∃ P : QueryProgram (Query R d) K (Outcome K K d),
    ∀ (W : Mat R d) (v : Vec K d), RankLE r (S.castM W) → v ≠ 0 →
      P.run (S.oracle W v) = .head (S.castM W) v ∧ (P.queries (S.oracle W v)).length ≤ d + d * d ∧
      (P.queries (S.oracle W v)).length + r * r ≤ d + (r * (d + d) + r * (d + d)) :=
  ⟨S.learnAtMost log r, fun _ _ hW hv => S.learnAtMost_exact hlog hr hW hv⟩

/-- info: 'AttentionQueries.Results.low_rank_worst_case' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_worst_case

/-- **Lower bound with the promise.** A program that asks only queries with at most two distinct tokens, and
against `W = 0` fewer than `r d + (d - r)` of them, does not tell `W = 0` from some other head of rank at most
`r`, even if it knows `v`. For `r = 1` this number is `2 d - 1`, the number of parameters of `W`. -/
theorem low_rank_queries_needed {α : Type} {r : Nat} (hr : 1 ≤ r) (hrd : r ≤ d) (P : QueryProgram (Query R d) K α)
    (v : Vec K d) (h2 : ∀ t ∈ P.queries (S.oracle 0 v), AtMostTwoTokens t)
    (h : (P.queries (S.oracle 0 v)).length < r * d + (d - r)) :
    ∃ W : Mat R d, W ≠ 0 ∧ RankLE r (S.castM W) ∧ P.run (S.oracle W v) = P.run (S.oracle 0 v) :=
  S.queries_needed_promise hr hrd P v h2 h

/-- info: 'AttentionQueries.Results.low_rank_queries_needed' depends on axioms:
[propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_queries_needed

/-- **Lower bound without the promise.** A program that asks fewer than `m n` scores `uᵀ W w` of `W`, chosen
adaptively and arbitrarily, does not tell `W` from some other matrix, however low the rank of `W` is. -/
theorem low_rank_promise_needed {α : Type} (hR : IsDomain R) {m n : Nat} (P : QueryProgram (Vec R m × Vec R n) R α)
    (W : RectMat R m n) (h : (P.queries fun t => form W t.1 t.2).length < m * n) :
    ∃ W' : RectMat R m n, W' ≠ W ∧ P.run (fun t => form W t.1 t.2) = P.run fun t => form W' t.1 t.2 :=
  scores_needed_all hR P W h

/-- info: 'AttentionQueries.Results.low_rank_promise_needed' depends on axioms:
[propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_promise_needed

/-- **Lower bound on entries.** With the promise of rank at most `r`, a program that reads fewer than `(m + n -
r) r` entries of the matrix that begins with the identity matrix of size `r` does not tell it from some other
matrix of rank at most `r`. -/
theorem low_rank_entries_needed {α : Type} (h1 : (1 : R) ≠ 0) {m n r : Nat} (hm : r ≤ m) (hn : r ≤ n)
    (P : QueryProgram (Fin m × Fin n) R α)
    (h : (P.queries fun e => partialIdentity R m n r e.1 e.2).length + r * r < (m + n) * r) :
    ∃ W : RectMat R m n, W ≠ partialIdentity R m n r ∧ RankLE r W ∧
      P.run (fun e => W e.1 e.2) = P.run fun e => partialIdentity R m n r e.1 e.2 :=
  (entries_needed_rank h1 hm hn P h).2

/-- info: 'AttentionQueries.Results.low_rank_entries_needed' depends on axioms:
[propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_entries_needed

/-- **Random checks.** Of the probes `uᵀ D w` of a matrix `D ≠ 0` with entries in a list `L` of distinct
elements, at most a fraction `2 / |L|` vanish. -/
theorem random_check [DecidableEq R] (hR : IsDomain R) {L : List R} (hL : L.Pairwise (· ≠ ·)) {m n : Nat}
    {D : RectMat R m n} (hD : D ≠ 0) :
    (((vectors L m).flatMap fun u => (vectors L n).map fun w => (u, w)).filter
      fun t => decide (form D t.1 t.2 = 0)).length * L.length ≤
      2 * (L.length ^ m * L.length ^ n) := miss_matrix hR hL hD

/-- info: 'AttentionQueries.Results.random_check' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms random_check

/-- **Key and query factors.** Let `W = kᵀ q` and `W' = k'ᵀ q'` with `r × d` factors, `W` of rank `r` and `v ≠
0`. Two heads compute the same function iff their value vectors agree and their factors differ by an invertible
`r × r` matrix. -/
theorem low_rank_factors {r : Nat} {W W' : Mat R d} {v v' : Vec K d} (hv : v ≠ 0) {k q k' q' : RectMat K r d}
    (hW : S.castM W = mm (tr k) q) (hW' : S.castM W' = mm (tr k') q') (hr : RankEq r (S.castM W)) :
    (∀ t, S.oracle W v t = S.oracle W' v' t) ↔
      v = v' ∧ ∃ A B : RectMat K r r, mm A B = basis ∧ mm B A = basis ∧ q' = mm A q ∧ k' = mm (tr B) k :=
  ⟨fun h => (S.factors_unique hv hW hW' hr).mp fun xs y => h (xs, y),
    fun h t => (S.factors_unique hv hW hW' hr).mpr h t.1 t.2⟩

/-- info: 'AttentionQueries.Results.low_rank_factors' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms low_rank_factors

/-- **Rank `r` is needed** for that: zero keys give the same scores with all queries. -/
theorem low_rank_factors_rank_needed {F : Type} [Field F] {r : Nat} (hr : 0 < r) (hd : 0 < d) :
    ∃ k q k' q' : RectMat F r d, mm (tr k) q = mm (tr k') q' ∧
      ¬ ∃ A B : RectMat F r r, mm A B = basis ∧ mm B A = basis ∧ q' = mm A q ∧ k' = mm (tr B) k :=
  factor_gauge_rank_needed hr hd

/-- info: 'AttentionQueries.Results.low_rank_factors_rank_needed' depends on axioms: [Quot.sound] -/
#guard_msgs in #print axioms low_rank_factors_rank_needed
end

end AttentionQueries.Results

/-! ## Noisy answers and one-bit answers

`abs` is the absolute value of an ordered field, and `a ≤ b` means that `b < a` is false. An interval for a positive
number is a `Bounds`: a lower end, where zero says nothing, and an upper end, or none; `B.Contains x` says that `x`
lies in `B`. -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField

section
variable {K : Type} [OrderedField K]

/-- **Error of the attention share.** If `f = g + p (h - g)` with `0 ≤ p ≤ 1`, and the answers `f', g', h'` are within
`τ` of `f, g, h`, then `(f' - g') / (h' - g')` is within `2τ / |h' - g'|` of the share `p`. -/
theorem share_error {f g h f' g' h' p τ : K} (hf : abs (f' - f) ≤ τ) (hg : abs (g' - g) ≤ τ) (hh : abs (h' - h) ≤ τ)
    (h0 : 0 ≤ p) (h1 : p ≤ 1) (hp : f = g + p * (h - g)) (hD : h' - g' ≠ 0) :
    abs ((f' - g') / (h' - g') - p) ≤ (τ + τ) / abs (h' - g') := AttentionQueries.share_error hf hg hh h0 h1 hp hD

/-- info: 'AttentionQueries.Results.share_error' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms share_error

/-- **This bound is sharp**: for every share, every signal `h - g ≠ 0` and every tolerance there are answers within the
tolerance for which it is attained. -/
theorem share_error_sharp {f g h p τ : K} (hp : f = g + p * (h - g)) (hd : h - g ≠ 0) (hτ : 0 ≤ τ) :
    ∃ f' g' h', abs (f' - f) ≤ τ ∧ abs (g' - g) ≤ τ ∧ abs (h' - h) ≤ τ ∧ h' - g' ≠ 0 ∧
      abs ((f' - g') / (h' - g') - p) = (τ + τ) / abs (h' - g') := share_error_attained hp hd hτ

/-- info: 'AttentionQueries.Results.share_error_sharp' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms share_error_sharp

/-- **Interval for the odds.** If `p` is within `ε` of `p'` and `ε < p' < 1 - ε`, then `0 < p < 1`, and the odds of `p`
lie between those of `p' - ε` and `p' + ε`. -/
theorem odds_interval {p p' ε : K} (h : abs (p' - p) ≤ ε) (h1 : ε < p') (h2 : ε < 1 - p') :
    (0 < p ∧ p < 1) ∧ (p' - ε) / (1 - p' + ε) ≤ p / (1 - p) ∧ p / (1 - p) ≤ (p' + ε) / (1 - p' - ε) :=
  AttentionQueries.odds_interval h h1 h2

/-- info: 'AttentionQueries.Results.odds_interval' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms odds_interval

end

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- **The score lies in the interval** of the paper's estimator. Let `f', g', h'` be answers within `τ` of the outputs
on `k + 1` copies of `q + u` and `n + 1` copies of `q`, on `[q]`, and on `[q + u]`; let `p' = (f' - g') / (h' - g')`,
`ε = 2τ / |h' - g'|` and `ε < p' < 1 - ε`. If the exponentials of `lo` and `hi` enclose the odds of `p' - ε` and
`p' + ε`, up to the factor for the copies, then the score is neither below `lo` nor above `hi`. -/
theorem score_interval [LT R] (mono : ∀ s t, s < t → S.exp s < S.exp t) (W : Mat R d) (v : Vec K d)
    (k n : Nat) (u q : Vec R d) {f' g' h' τ p' ε : K} {lo hi : R}
    (hf : abs (f' - S.eval W v (Semantics.copies (k + 1) n u q) q) ≤ τ) (hg : abs (g' - S.eval W v [] q) ≤ τ)
    (hh : abs (h' - S.eval W v [] (q + u)) ≤ τ) (hD : h' - g' ≠ 0)
    (hp' : p' = (f' - g') / (h' - g')) (hε : ε = (τ + τ) / abs (h' - g')) (h1 : ε < p') (h2 : ε < 1 - p')
    (hlo : natCast (k + 1) * S.exp lo ≤ (p' - ε) / (1 - p' + ε) * natCast (n + 1))
    (hhi : (p' + ε) / (1 - p' - ε) * natCast (n + 1) ≤ natCast (k + 1) * S.exp hi) :
    ¬ score W u q < lo ∧ ¬ hi < score W u q :=
  S.score_mem_interval mono W v k n u q hf hg hh hD hp' hε h1 h2 hlo hhi

/-- info: 'AttentionQueries.Results.score_interval' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms score_interval

/-- **Learning a head from noisy answers.** `learnNoisy P τ` is a query program that sees nothing but answers; the
strategy `P` decides what it asks, and may depend on the answers in any way. Whatever the strategy and whatever the
oracle: for every head whose outputs are within `τ` of the answers received, every entry of `v` lies in the interval
reported for it, and the weight of every entry of `W` in its interval. -/
theorem noisy_learner_sound [DecidableLT K] (P : NoiseStrategy R K d) (τ : K) (o : Query R d → K) {W : Mat R d}
    {v : Vec K d} (h : ∀ t ∈ (learnNoisy P τ).queries o, abs (S.oracle W v t - o t) ≤ τ) :
    (∀ i, (((learnNoisy P τ).run o).values i).1 ≤ v i ∧ v i ≤ (((learnNoisy P τ).run o).values i).2) ∧
      ∀ i j, (((learnNoisy P τ).run o).weights i j).Contains (S.exp (W i j)) := S.learnNoisy_sound P τ o h

/-- info: 'AttentionQueries.Results.noisy_learner_sound' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms noisy_learner_sound

/-- **Intervals for the entries of `W`**: after rounded logarithms, an entry is neither below nor above the interval
reported for it. -/
theorem noisy_learner_scores [DecidableLT K] [LT R] (L : LogBounds S) (P : NoiseStrategy R K d) (τ : K)
    (o : Query R d → K) {W : Mat R d} {v : Vec K d}
    (h : ∀ t ∈ (learnNoisy P τ).queries o, abs (S.oracle W v t - o t) ≤ τ) {i j : Fin d} {lo hi : R}
    (hI : L.interval (((learnNoisy P τ).run o).weights i j) = some (lo, hi)) : ¬ W i j < lo ∧ ¬ hi < W i j :=
  S.learnNoisy_score P τ o L h hI

/-- info: 'AttentionQueries.Results.noisy_learner_scores' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms noisy_learner_scores

/-- **Contradictory answers are noticed**: if the report says that an interval is empty, then no head is within `τ` of
the answers received. -/
theorem noisy_learner_contradictory [DecidableLT K] (P : NoiseStrategy R K d) (τ : K) (o : Query R d → K)
    (hc : ((learnNoisy P τ).run o).contradictory = true) :
    ¬ ∃ (W : Mat R d) (v : Vec K d), ∀ t ∈ (learnNoisy P τ).queries o, abs (S.oracle W v t - o t) ≤ τ :=
  S.learnNoisy_contradictory P τ o hc

/-- info: 'AttentionQueries.Results.noisy_learner_contradictory' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms noisy_learner_contradictory

/-- **Without noise the report is exact**: for every head with `v ≠ 0`, the standard strategy with at least one
experiment for every entry of `W`, exact answers and the tolerance zero, every interval consists of the true value
alone. -/
theorem noisy_learner_exact [DecidableLT K] (W : Mat R d) {v : Vec K d} (hv : v ≠ 0) {rounds : Nat} (hr : 0 < rounds)
    {next : Vec K d → Fin d → Fin d → Fin d → List (Experiment R × K) → Option (Experiment R)}
    (hn : ∀ p i j, next v p i j [] ≠ none) :
    (∀ i, ((learnNoisy (.standard 0 rounds next) 0).run (S.oracle W v)).values i = (v i, v i)) ∧
      ∀ i j, ((learnNoisy (.standard 0 rounds next) 0).run (S.oracle W v)).weights i j = .point (S.exp (W i j)) :=
  S.standard_exact W hv hr hn

/-- info: 'AttentionQueries.Results.noisy_learner_exact' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms noisy_learner_exact

/-- **The number of noisy queries**: with a fixed list of `r` experiments for each entry it is exactly `d + r d²`, so
`d² + d` for one experiment, if some answer to an `[eᵢ]` exceeds the tolerance. Every strategy stays within
`d + rounds · d²`. -/
theorem noisy_learner_count [DecidableLT K] (τ : K) (es : List (Experiment R)) (o : Query R d → K) :
    ((∃ i, τ < abs (o ([], basis i))) →
      ((learnNoisy (.scheduled τ es) τ).queries o).length = d + es.length * (d * d)) ∧
    ∀ P : NoiseStrategy R K d, ((learnNoisy P τ).queries o).length ≤ d + P.rounds * (d * d) :=
  ⟨scheduled_count τ es o, fun P => learnNoisy_count P τ o⟩

/-- info: 'AttentionQueries.Results.noisy_learner_count' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms noisy_learner_count

/-- **When both ends of an interval are there.** Let `a` be the output of an experiment less the value of its query
token, so that `a` and `⟨v, u⟩ - a` are the signal `⟨v, u⟩` times the shares of the token and of the query token, and
let `r = τ + τ / n`. If `2r < |a|` and `2r + 2w < |⟨v, u⟩ - a|`, the interval for the weight has two ends. -/
theorem noisy_experiment_certifies [DecidableLT K] (e : Experiment R) {W : Mat R d} {v : Vec K d} {u : Vec R d}
    {j : Fin d} {τ y D' w f' r a : K} (hf : abs (S.oracle W v (e.query u j) - f') ≤ τ) (hy : abs (v j - y) ≤ τ)
    (hD : abs (S.inner v u - D') ≤ w) (hu : S.inner v u ≠ 0) (hr : r = τ + τ / natCast e.n)
    (ha : a = S.oracle W v (e.query u j) - v j / natCast e.n) (h1 : r + r < abs a)
    (h2 : r + r + (w + w) < abs (S.inner v u - a)) : ∃ lo hi, (e.bounds τ y D' w f').ends = some (lo, hi) :=
  e.ends_of_margin S hf hy hD hu hr ha h1 h2

/-- info: 'AttentionQueries.Results.noisy_experiment_certifies' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms noisy_experiment_certifies

/-- **What one bit says.** On `k` copies of `q + u` and `n + 1` copies of `q`, the output exceeds `θ` iff
`(n + 1) (θ - ⟨v, q⟩) < k eˢ (⟨v, q + u⟩ - θ)`, where `s = uᵀ W q`. -/
theorem one_bit (W : Mat R d) (v : Vec K d) (k n : Nat) (u q : Vec R d) (θ : K) :
    θ < S.eval W v (Semantics.copies k n u q) q ↔ natCast (n + 1) * (θ - S.inner v q) <
      natCast k * S.exp (score W u q) * (S.inner v q + S.inner v u - θ) := S.lt_eval_copies_iff W v k n u q θ

/-- info: 'AttentionQueries.Results.one_bit' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms one_bit

end

section
variable {d : Nat}

/-- **Integer weights are exact.** In base 2, if the interval reported for an entry of `W` contains a single integer,
then the entry is this integer, for every head within the tolerance. -/
theorem noisy_learner_integer (P : NoiseStrategy Int Rational d) (τ : Rational) (o : Query Int d → Rational)
    {W : Mat Int d} {v : Vec Rational d}
    (h : ∀ t ∈ (learnNoisy P τ).queries o, abs (base2.oracle W v t - o t) ≤ τ) {i j : Fin d} {n : Int}
    (hI : base2LogBounds.interval (((learnNoisy P τ).run o).weights i j) = some (n, n)) : W i j = n :=
  base2_learnNoisy_integer P τ o h hI

/-- info: 'AttentionQueries.Results.noisy_learner_integer' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms noisy_learner_integer

/-- **An example, evaluated in the kernel**: answers that are off by one hundredth determine the score matrix
`((1, -2), (0, 3))`: it is that of every head within the tolerance, and there is such a head. -/
theorem noisy_example : (∀ (W : Mat Int 2) (v : Vec Rational 2),
      (∀ t ∈ (learnNoisy exampleStrategy exampleTolerance).queries exampleOracle,
        abs (base2.oracle W v t - exampleOracle t) ≤ exampleTolerance) → W = exampleMatrix) ∧
    ∀ t ∈ (learnNoisy exampleStrategy exampleTolerance).queries exampleOracle,
      abs (base2.oracle exampleMatrix exampleValues t - exampleOracle t) ≤ exampleTolerance :=
  ⟨fun _ _ => noisyExample_unique, noisyExample_consistent⟩

/-- info: 'AttentionQueries.Results.noisy_example' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms noisy_example

/-- **The tolerance has to be kept**: from answers off by two fifths, with the tolerance one hundredth, the learner
certifies the weight `3`, although they are those of the head `W = (0)`, `v = (1)`. -/
theorem noisy_tolerance_needed : base2LogBounds.interval
      (((learnNoisy (.scheduled exampleTolerance [.ofCopies 1 1 (by decide) (by decide)]) exampleTolerance).run
        wrongOracle).weights 0 0) = some (3, 3) ∧
    ∀ t ∈ (learnNoisy (.scheduled exampleTolerance [.ofCopies 1 1 (by decide) (by decide)]) exampleTolerance).queries
        wrongOracle, -(natCast 2 / natCast 5) ≤ base2.oracle (fun _ _ => 0) (fun _ => 1) t - wrongOracle t ∧
      base2.oracle (fun _ _ => 0) (fun _ => 1) t - wrongOracle t ≤ natCast 2 / natCast 5 :=
  noisyExample_tolerance_needed

/-- info: 'AttentionQueries.Results.noisy_tolerance_needed' depends on axioms: [propext, Classical.choice, Quot.sound]
-/
#guard_msgs in #print axioms noisy_tolerance_needed

/-- **An integer head from one-bit answers.** The oracle says whether the output exceeds the threshold
`θ = ± a / b ≠ 0`. For every integer head with entries of `v` from `-C` to `C` and of `W` from `-B` to `B`, in base 2:
if `v ≠ 0`, the learner returns the head; if `v = 0`, it says so. -/
theorem membership_learner (θ : Threshold) {C B : Nat} {W : Mat Int d} {v : Vec Int d}
    (hC : ∀ i, -(C : Int) ≤ v i ∧ v i ≤ C) (hB : ∀ i j, -(B : Int) ≤ W i j ∧ W i j ≤ B) :
    (v ≠ 0 → (learnMembership θ C B).run (base2.membershipOracle θ.value W (base2.castV v)) = .head W v) ∧
    (v = 0 → (learnMembership θ C B).run (base2.membershipOracle θ.value W (base2.castV v)) = .zero) :=
  ⟨learnMembership_exact θ hC hB, fun h => by subst h; exact learnMembership_zero θ C B W⟩

/-- info: 'AttentionQueries.Results.membership_learner' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms membership_learner

/-- **The number of one-bit queries**: at most `d L(C) + d² L(2B)`, against any oracle, where `L(Z)` is the least
number with `2 Z < 2 ^ L(Z)`. It is exactly `d L(C) + d² L(B)` for a head without a zero in `v`, and `d L(C)` for
`v = 0`. -/
theorem membership_learner_count (θ : Threshold) (C B : Nat) :
    (∀ o : Query Int d → Bool,
      ((learnMembership θ C B).queries o).length ≤ d * searchBits C + d * d * searchBits (B + B)) ∧
    (∀ (W : Mat Int d) (v : Vec Int d), (∀ i, -(C : Int) ≤ v i ∧ v i ≤ C) → (∀ i, v i ≠ 0) →
      ((learnMembership θ C B).queries (base2.membershipOracle θ.value W (base2.castV v))).length =
        d * searchBits C + d * d * searchBits B) ∧
    (∀ W : Mat Int d,
      ((learnMembership θ C B).queries (base2.membershipOracle θ.value W (base2.castV (0 : Vec Int d)))).length =
        d * searchBits C) ∧
    ∀ Z, 2 * Z < 2 ^ searchBits Z ∧ ∀ L, L < searchBits Z → 2 ^ L ≤ 2 * Z :=
  ⟨learnMembership_count θ C B, fun W _ hC hv => learnMembership_count_full θ B W hC hv,
    learnMembership_count_zero θ C B, fun Z => ⟨lt_two_pow_searchBits Z, fun _ => two_pow_le_of_lt_searchBits⟩⟩

/-- info: 'AttentionQueries.Results.membership_learner_count' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms membership_learner_count

/-- **So many bits are needed.** A program that tells all score matrices with entries from `-B` to `B` apart, for a
threshold and a value vector that it may know, and never asks more than `N` queries, satisfies
`(2 B + 1) ^ (d²) ≤ 2 ^ N`. -/
theorem membership_lower_bound {N B : Nat} {α : Type} (p : QueryProgram (Query Int d) Bool α) (θ : Rational)
    (v : Vec Rational d)
    (hid : ∀ W W' : Mat Int d, (∀ i j, -(B : Int) ≤ W i j ∧ W i j ≤ B) → (∀ i j, -(B : Int) ≤ W' i j ∧ W' i j ≤ B) →
      p.run (base2.membershipOracle θ W v) = p.run (base2.membershipOracle θ W' v) → W = W')
    (hN : ∀ W : Mat Int d, (∀ i j, -(B : Int) ≤ W i j ∧ W i j ≤ B) →
      (p.queries (base2.membershipOracle θ W v)).length ≤ N) : (2 * B + 1) ^ (d * d) ≤ 2 ^ N :=
  membership_optimality p θ v hid hN

/-- info: 'AttentionQueries.Results.membership_lower_bound' depends on axioms: [propext, Quot.sound]
-/
#guard_msgs in #print axioms membership_lower_bound

/-- **The threshold zero is excluded with reason**: no program tells the heads `(W, v)` and `(W, 2 v)` apart. -/
theorem membership_threshold_needed {α : Type} (p : QueryProgram (Query Int d) Bool α) (W : Mat Int d)
    (v : Vec Rational d) : p.run (base2.membershipOracle 0 W fun i => natCast 2 * v i) =
      p.run (base2.membershipOracle 0 W v) := AttentionQueries.membership_threshold_needed p W v

/-- info: 'AttentionQueries.Results.membership_threshold_needed' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms membership_threshold_needed

end

end AttentionQueries.Results

/-! ## One-layer Transformers

`S.attention W xs q` is the attention output, the weighted mean of the tokens of `xs ++ [q]`, as a vector over `K`. A
`Network` has a list `hidden` of neurons `(a, w, c)`, a vector `linear` and a `constant`; its value `N.eval z` is `∑ a
relu(⟨w, z⟩ + c) + ⟨linear, z⟩ + constant`. It is `Canonical` when the first nonzero entry of every `w` is one, the
pairs `(w, c)` are distinct, and no `a` vanishes. `SameUpToOrder` compares all parameters, up to the order of the
neurons. `S.transformer W N xs q` is `N.eval (S.attention W xs q)`, and `S.transformerOracle W N` the same as a
function of queries. -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField

section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- **An arbitrary readout.** For any function `g` of the attention output, the outputs on the `d²` queries `[eⱼ + eᵢ;
eⱼ]` determine the score matrix, if `g` separates the points of the open segments from `eⱼ` to `eⱼ + eᵢ`. -/
theorem readout_determines_scores {Y : Type} {g : Vec K d → Y}
    (hg : ∀ (i j : Fin d) (t t' : K), 0 < t → t < 1 → 0 < t' → t' < 1 →
      g (S.line (basis j) (basis i) t) = g (S.line (basis j) (basis i) t') → t = t') {W W' : Mat R d}
    (h : ∀ i j, g (S.attention W [basis j + basis i] (basis j)) = g (S.attention W' [basis j + basis i] (basis j))) :
    W = W' := S.readout_unique_basis (g := fun _ => g) (fun i j => hg i j) h

/-- info: 'AttentionQueries.Results.readout_determines_scores' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms readout_determines_scores

/-- **Every function of the attention output can be observed without the score matrix**: the points `x / n`, for
tokens `x` and `n ≥ 1`, are the attention outputs of sequences with the query token zero, for every score matrix. -/
theorem points_are_attention_outputs (x : Vec R d) (n : Nat) :
    ∃ xs : List (Vec R d), ∀ W : Mat R d, S.attention W xs 0 = fun i => S.cast (x i) / natCast (n + 1) :=
  S.attention_point x n

/-- info: 'AttentionQueries.Results.points_are_attention_outputs' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms points_are_attention_outputs

/-- **Every network has a canonical form** with the same function, and with at most as many neurons. -/
theorem network_canonical_form (N : Network K d) : ∃ N' : Network K d, N'.Canonical ∧
    N'.hidden.length ≤ N.hidden.length ∧ ∀ z, N'.eval z = N.eval z := N.exists_canonical

/-- info: 'AttentionQueries.Results.network_canonical_form' depends on axioms: [propext, Classical.choice, Quot.sound]
-/
#guard_msgs in #print axioms network_canonical_form

/-- **A network in canonical form is determined by its function.** Over every ordered field, two networks in canonical
form have the same values at all vectors iff they are the same up to the order of the neurons. -/
theorem network_determined {N N' : Network K d} (hN : N.Canonical) (hN' : N'.Canonical) :
    (∀ z, N.eval z = N'.eval z) ↔ N.SameUpToOrder N' := Network.canonical_unique hN hN'

/-- info: 'AttentionQueries.Results.network_determined' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms network_determined

/-- **Each condition of the canonical form is needed.** `relu (2 z) = 2 relu z` and `relu (-z) = relu z - z`; `relu z
+ relu z = 2 relu z`; `0 relu z = 0`. Each time the other two conditions hold on both sides. -/
theorem canonical_conditions_needed :
    ((∀ z : Vec K 1, (⟨[⟨1, fun _ => 1 + 1, 0⟩], 0, 0⟩ : Network K 1).eval z =
        (⟨[⟨1 + 1, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).eval z) ∧
      (∀ z : Vec K 1, (⟨[⟨1, fun _ => -1, 0⟩], 0, 0⟩ : Network K 1).eval z =
        (⟨[⟨1, fun _ => 1, 0⟩], fun _ => -1, 0⟩ : Network K 1).eval z) ∧
      ¬ (⟨[⟨1, fun _ => 1 + 1, 0⟩], 0, 0⟩ : Network K 1).SameUpToOrder ⟨[⟨1 + 1, fun _ => 1, 0⟩], 0, 0⟩ ∧
      ¬ (⟨[⟨1, fun _ => -1, 0⟩], 0, 0⟩ : Network K 1).SameUpToOrder ⟨[⟨1, fun _ => 1, 0⟩], fun _ => -1, 0⟩) ∧
    ((∀ z : Vec K 1, (⟨[⟨1, fun _ => 1, 0⟩, ⟨1, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).eval z =
        (⟨[⟨1 + 1, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).eval z) ∧
      ¬ (⟨[⟨1, fun _ => 1, 0⟩, ⟨1, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).SameUpToOrder
        ⟨[⟨1 + 1, fun _ => 1, 0⟩], 0, 0⟩) ∧
    ((∀ z : Vec K 1, (⟨[⟨0, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).eval z = (⟨[], 0, 0⟩ : Network K 1).eval z) ∧
      ¬ (⟨[⟨0, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).SameUpToOrder ⟨[], 0, 0⟩) :=
  ⟨Network.normalised_needed, Network.distinct_needed, Network.jump_needed⟩

/-- info: 'AttentionQueries.Results.canonical_conditions_needed' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms canonical_conditions_needed

/-- **The one-layer Transformer is identifiable up to its canonical form.** Over an archimedean field of values and
for every ring of tokens, the integers among them: with networks in canonical form, two Transformers compute the same
function on all sequences iff they have the same affine part, the same neurons up to order and, unless there are no
neurons and no linear part, the same score matrix. -/
theorem transformer_identifiable (hK : ∀ x : K, ∃ n : Nat, x < natCast n) {W W' : Mat R d} {N N' : Network K d}
    (hN : N.Canonical) (hN' : N'.Canonical) : (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) ↔
      N.SameUpToOrder N' ∧ ((N.hidden = [] ∧ N.linear = 0) ∨ W = W') := S.transformer_canonical_iff hK hN hN'

/-- info: 'AttentionQueries.Results.transformer_identifiable' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms transformer_identifiable

/-- The same for networks in any form: two Transformers compute the same function iff their networks do, and these are
constant or the score matrices agree. There are no other dead directions. -/
theorem transformer_fibre (hK : ∀ x : K, ∃ n : Nat, x < natCast n) {W W' : Mat R d} {N N' : Network K d} :
    (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) ↔
      (∀ z, N.eval z = N'.eval z) ∧ ((∀ z, N.eval z = N.eval 0) ∨ W = W') := S.transformer_eq_iff hK

/-- info: 'AttentionQueries.Results.transformer_fibre' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms transformer_fibre

/-- **Scalars that form a field**, such as rational tokens with the true exponential function: the same, for networks
whose hyperplanes have coordinates among the scalars. The output weights and the affine part may be any values. -/
theorem transformer_fibre_field (hR : ∀ a : R, a ≠ 0 → ∃ b, a * b = 1) {W W' : Mat R d} {N N' : Network K d}
    (hN : ∀ n ∈ N.hidden, (∀ i, ∃ r, S.cast r = n.w i) ∧ ∃ r, S.cast r = n.c)
    (hN' : ∀ n ∈ N'.hidden, (∀ i, ∃ r, S.cast r = n.w i) ∧ ∃ r, S.cast r = n.c) :
    (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) ↔
      (∀ z, N.eval z = N'.eval z) ∧ ((∀ z, N.eval z = N.eval 0) ∨ W = W') := S.transformer_eq_iff_of_field hR hN hN'

/-- info: 'AttentionQueries.Results.transformer_fibre_field' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms transformer_fibre_field

/-- **That the scalars form a field is needed** for an arbitrary field of values: if the scalars are the integers and
`exp 1` is above all natural numbers, some network with integer hyperplanes, not constant, gives the same function with
all positive `1 × 1` score matrices. The semantics `integerExp`, with `exp n = t^n`, is of this kind. -/
theorem transformer_field_needed :
    (∀ (K : Type) [OrderedField K] (S : Semantics Int K), (∀ n : Nat, natCast n < S.exp 1) →
      ∃ N : Network K 1, (∀ n ∈ N.hidden, (∀ i, ∃ r, S.cast r = n.w i) ∧ ∃ r, S.cast r = n.c) ∧
        (¬ ∀ z, N.eval z = N.eval 0) ∧ ∀ w w' : Int, 0 < w → 0 < w' → ∀ xs q,
          S.transformer (fun _ _ => w) N xs q = S.transformer (fun _ _ => w') N xs q) ∧
    ∀ n : Nat, natCast n < integerExp.exp 1 :=
  ⟨fun _ _ S hS => S.transformer_field_needed hS, integerExp_infinite⟩

/-- info: 'AttentionQueries.Results.transformer_field_needed' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms transformer_field_needed

/-- **The condition for `W`.** For `d ≥ 1` and an archimedean field, the score matrix and the function of the network
are determined iff the network is not constant. -/
theorem transformer_identifiable_condition (hK : ∀ x : K, ∃ n : Nat, x < natCast n) (hd : 0 < d) (W : Mat R d)
    (N : Network K d) :
    (∀ (W' : Mat R d) (N' : Network K d), (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) →
      W = W' ∧ ∀ z, N.eval z = N'.eval z) ↔ ¬ ∀ z, N.eval z = N.eval 0 := S.transformer_identifiable_iff hK hd W N

/-- info: 'AttentionQueries.Results.transformer_identifiable_condition' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms transformer_identifiable_condition

/-- `d ≥ 1` is needed: for `d = 0` all is determined, although every network is constant. -/
theorem transformer_dim_zero (W : Mat R 0) (N : Network K 0) :
    (∀ (W' : Mat R 0) (N' : Network K 0), (∀ xs q, S.transformer W N xs q = S.transformer W' N' xs q) →
      W = W' ∧ ∀ z, N.eval z = N'.eval z) ∧ ∀ z, N.eval z = N.eval 0 := S.transformer_identifiable_of_dim_zero W N

/-- info: 'AttentionQueries.Results.transformer_dim_zero' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms transformer_dim_zero

/-- **Density is the exact condition for the network.** For `d ≥ 1`, all networks in canonical form are determined by
the function of the Transformer, even if the score matrix is known, iff between any two different values there is a
quotient of a scalar by a positive natural number. -/
theorem transformer_density (hd : 0 < d) :
    (∀ (W : Mat R d) (N N' : Network K d), N.Canonical → N'.Canonical →
      (∀ xs q, S.transformer W N xs q = S.transformer W N' xs q) → N.SameUpToOrder N') ↔
      ∀ a b : K, a < b → ∃ (r : R) (n : Nat), a < S.cast r / natCast (n + 1) ∧ S.cast r / natCast (n + 1) < b := by
  rw [S.network_identifiable_iff hd]
  constructor
  · intro h a b hab
    obtain ⟨t, ⟨r, n, rfl⟩, h1, h2⟩ := h.dense a b trivial trivial hab
    exact ⟨r, n, h1, h2⟩
  · intro h
    exact ⟨trivial, fun _ _ _ _ => trivial, fun _ _ => trivial, fun _ _ _ _ => trivial, fun _ _ _ => trivial,
      fun _ _ => trivial, fun a b _ _ hab => by
        obtain ⟨r, n, h1, h2⟩ := h a b hab
        exact ⟨_, ⟨r, n, rfl⟩, h1, h2⟩⟩

/-- info: 'AttentionQueries.Results.transformer_density' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms transformer_density

/-- **The condition on the hyperplanes is needed** for the symbolic exponential, whose field of values is not
archimedean: a kink at `exp 1` is beyond all tokens. Some network in canonical form that is not constant gives the
output zero on all sequences, for every score matrix. -/
theorem transformer_hyperplanes_needed {F : Type} [OrderedField F] [DecidableEq F] [DecidableLT F] (hd : 0 < d) :
    ∃ N : Network (ExpField F) d, N.Canonical ∧ (¬ ∀ z, N.eval z = N.eval 0) ∧
      ∀ (W : Mat F d) xs q, (symbolicExp F).transformer W N xs q = 0 := symbolic_over_needed hd

/-- info: 'AttentionQueries.Results.transformer_hyperplanes_needed' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms transformer_hyperplanes_needed

/-- **Sequences of length one are not enough** for integer tokens: two different networks in canonical form give the
same outputs on all of them. -/
theorem length_one_insufficient (S : Semantics Int K) : ∃ N N' : Network K 1, N.Canonical ∧ N'.Canonical ∧
    (∀ (W W' : Mat Int 1) (q : Vec Int 1), S.transformer W N [] q = S.transformer W' N' [] q) ∧ ¬ N.SameUpToOrder N' :=
  S.length_one_insufficient

/-- info: 'AttentionQueries.Results.length_one_insufficient' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms length_one_insufficient

/-- **A value projection is absorbed by the network.** Of a network `N` and a value projection `V` in front of it, the
function determines exactly the function of their composition and, unless this is constant, the score matrix. -/
theorem transformer_projection (hK : ∀ x : K, ∃ n : Nat, x < natCast n) {m m' : Nat} {W W' : Mat R d}
    {V : RectMat K m d} {V' : RectMat K m' d} {N : Network K m} {N' : Network K m'} :
    (∀ xs q, N.eval (Matrix.col V (S.attention W xs q)) = N'.eval (Matrix.col V' (S.attention W' xs q))) ↔
      (∀ z, N.eval (Matrix.col V z) = N'.eval (Matrix.col V' z)) ∧
        ((∀ z, N.eval (Matrix.col V z) = N.eval (Matrix.col V 0)) ∨ W = W') := S.transformer_projection_iff hK

/-- info: 'AttentionQueries.Results.transformer_projection' depends on axioms: [propext, Classical.choice, Quot.sound]
-/
#guard_msgs in #print axioms transformer_projection

/-- **A residual connection** from the query token, `⟨r, q⟩ + N(z)`: two blocks compute the same function iff they
have the same residual weights, networks with the same function and, unless this is constant, the same score matrix.
-/
theorem residual_block (hK : ∀ x : K, ∃ n : Nat, x < natCast n) {r r' : Vec K d} {W W' : Mat R d} {N N' : Network K d} :
    (∀ xs q, S.inner r q + S.transformer W N xs q = S.inner r' q + S.transformer W' N' xs q) ↔
      r = r' ∧ (∀ z, N.eval z = N'.eval z) ∧ ((∀ z, N.eval z = N.eval 0) ∨ W = W') := S.block_eq_iff hK

/-- info: 'AttentionQueries.Results.residual_block' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms residual_block

/-- **Negation removes the rectifier.** For a network without hidden biases, the output on a sequence less the output
on the same sequence with all tokens negated is the output of the single head with the same score matrix and the value
vector `∑ⱼ aⱼ wⱼ + 2 ℓ`. -/
theorem negation_reduction (W : Mat R d) {N : Network K d} (hN : ∀ n ∈ N.hidden, n.c = 0) (xs : List (Vec R d))
    (q : Vec R d) :
    S.transformer W N xs q - S.transformer W N (xs.map fun x => -x) (-q) =
      S.eval W (fun i => listSum N.hidden (fun n => n.a * n.w i) + (N.linear i + N.linear i)) xs q :=
  S.transformer_sub_negate W hN (xs, q)

/-- info: 'AttentionQueries.Results.negation_reduction' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms negation_reduction

/-- **The learner through the reduction** returns the score matrix and the slope `∑ⱼ aⱼ wⱼ + 2 ℓ` of a Transformer
without hidden biases, with exactly `2 (d² + d)` queries of at most two tokens, when the slope is not zero; and says
so, with `2 d` queries, when it is zero. -/
theorem negation_learner [DecidableEq K] {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) (W : Mat R d)
    {N : Network K d} (hN : N.BiasFree) :
    (N.slope ≠ 0 → (learnOdd log).run (S.transformerOracle W N) = .head W N.slope ∧
      ((learnOdd log).queries (S.transformerOracle W N)).length = 2 * (d * d + d)) ∧
    (N.slope = 0 → (learnOdd log).run (S.transformerOracle W N) = .zero ∧
      ((learnOdd log).queries (S.transformerOracle W N)).length = 2 * d) ∧
    ∀ t ∈ (learnOdd log).queries (S.transformerOracle W N), Query.length t ≤ 2 :=
  ⟨fun hs => ⟨S.learnOdd_exact hlog W hN hs, (S.learnOdd_count_transformer log W hN).1 hs⟩,
    fun hs => ⟨S.learnOdd_zero log W hN hs, (S.learnOdd_count_transformer log W hN).2 hs⟩,
    learnOdd_length log _⟩

/-- info: 'AttentionQueries.Results.negation_learner' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms negation_learner

/-- **The condition on the slope is exact**: the differences `f(X) - f(-X)` vanish iff the slope is zero; and needed:
for `d ≥ 1` some network that is not constant has slope zero, so that its differences say nothing about the score
matrix. -/
theorem negation_condition (W : Mat R d) :
    (∀ N : Network K d, N.BiasFree →
      ((∀ t, S.transformerOracle W N t - S.transformerOracle W N (negate t) = 0) ↔ N.slope = 0)) ∧
    (0 < d → ∃ N : Network K d, N.BiasFree ∧ N.slope = 0 ∧ ¬ ∀ z, N.eval z = N.eval 0) :=
  ⟨fun _ hN => S.odd_part_zero_iff W hN, fun hd => ⟨_, (S.slope_needed hd).1, (S.slope_needed hd).2.1,
    (S.slope_needed hd).2.2.1⟩⟩

/-- info: 'AttentionQueries.Results.negation_condition' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms negation_condition

/-- **The condition on the biases is needed**: for `d = 1` and the network `relu (z + 1)` no head computes `f(X) -
f(-X)`. -/
theorem negation_biases_needed (W : Mat R 1) : let N : Network K 1 := ⟨[⟨1, fun _ => 1, 1⟩], 0, 0⟩
    ¬ ∃ (W' : Mat R 1) (v : Vec K 1), ∀ t,
      S.transformerOracle W N t - S.transformerOracle W N (negate t) = S.oracle W' v t := S.biasFree_needed W

/-- info: 'AttentionQueries.Results.negation_biases_needed' depends on axioms: [propext, Classical.choice, Quot.sound]
-/
#guard_msgs in #print axioms negation_biases_needed
end

end AttentionQueries.Results

/-! ## Certificates -/

namespace AttentionQueries.Results
open AttentionQueries CommRing OrderedField Certificate

/-- **Certificate of one head.** If the check, a computation with integers, succeeds on the data of a head `(W, v / D)`
and on recorded answers `B` and `A` to the `d + d²` queries of the learner, then a head over the base-2 semantics gives
these answers iff it is this one. -/
theorem certificate_head {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {B : List (Int × Nat)}
    {A : List (List (Int × Nat))} (h : checkHead d W v D B A = true) (W' : Mat Int d) (v' : Vec Rational d) :
    Answers d v B A (base2.oracle W' v') ↔ W' = matrix d W ∧ v' = values d v D := head_certified h W' v'

/-- info: 'AttentionQueries.Results.certificate_head' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms certificate_head

/-- **Nothing is rejected wrongly.** On data of the right shape the check of one head succeeds iff `v ≠ 0` and the head
gives the answers. -/
theorem certificate_head_complete {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {B : List (Int × Nat)}
    {A : List (List (Int × Nat))} (hs : Shape d W v D (List.replicate d true) (List.replicate d true) B A) :
    checkHead d W v D B A = true ↔
      Certificate.firstNonzero v < d ∧ Answers d v B A (base2.oracle (matrix d W) (values d v D)) :=
  checkHead_iff hs

/-- info: 'AttentionQueries.Results.certificate_head_complete' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms certificate_head_complete

/-- **Certificate of low rank.** If the check succeeds, the head `(W, v / D)` has rank at most `r`, and a head of rank
at most `r` gives the answers in the cross of the listed rows and columns iff it is this one. -/
theorem certificate_low_rank {d r : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {rows cols : List Nat}
    {w : RankWitness} {B : List (Int × Nat)} {A : List (List (Int × Nat))}
    (h : checkLowRank d r W v D rows cols w B A = true) : LowRank.RankLE r (base2.castM (matrix d W)) ∧
      ∀ (W' : Mat Int d) (v' : Vec Rational d), LowRank.RankLE r (base2.castM W') →
        (CrossAnswers d v rows cols B A (base2.oracle W' v') ↔ W' = matrix d W ∧ v' = values d v D) :=
  low_rank_certified h

/-- info: 'AttentionQueries.Results.certificate_low_rank' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms certificate_low_rank

/-- **Certificate of several heads.** If the check succeeds, a model with at most `n` heads gives the recorded answers
iff its canonical form consists of the certified heads, in some order. -/
theorem certificate_heads {d n N p D : Nat} {hs : List HeadData} {B : List (Int × Nat)}
    {A : List (List (List (Int × Nat)))} (h : checkModel d n N p D hs B A = true) {H' : List (Head Int Rational d)}
    (hn : H'.length ≤ n) : ClassAnswers d N p B A (modelOracle H') ↔ (canonical H').Perm (heads d D hs) :=
  model_certified_canonical h hn

/-- info: 'AttentionQueries.Results.certificate_heads' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms certificate_heads

/-- **Certificate of inconsistency**, first kind: an answer on two distinct tokens that no score explains. If the check
succeeds, no head gives the answers `B` on length one and the answer `a` on `k` copies of `x` followed by `n + 1` copies
of `q`. -/
theorem certificate_impossible {d : Nat} {v : List Int} {D : Nat} {B : List (Int × Nat)} {x : List Int} {k : Nat}
    {q : List Int} {n : Nat} {a : Int × Nat} (h : checkImpossible d v D B x k q n a = true) :
    ¬ ∃ (W' : Mat Int d) (v' : Vec Rational d), Singles d B (base2.oracle W' v') ∧
      Entry.Agrees (base2.oracle W' v') ⟨[(x, k), (q, n)], q, a⟩ := no_head_of_impossible h

/-- info: 'AttentionQueries.Results.certificate_impossible' depends on axioms: [propext, Classical.choice, Quot.sound]
-/
#guard_msgs in #print axioms certificate_impossible

/-- **Certificate of inconsistency**, second kind: a further answer that differs from that of the only head which gives
all the others. -/
theorem certificate_contradiction {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {B : List (Int × Nat)}
    {A : List (List (Int × Nat))} {e : Entry} (h : checkContradiction d W v D B A e = true) :
    ¬ ∃ (W' : Mat Int d) (v' : Vec Rational d), Answers d v B A (base2.oracle W' v') ∧
      e.Agrees (base2.oracle W' v') := no_head_of_contradiction h

/-- info: 'AttentionQueries.Results.certificate_contradiction' depends on axioms: [propext, Classical.choice,
Quot.sound] -/
#guard_msgs in #print axioms certificate_contradiction

/-- **A verifier.** At most `((N - 1)(d² - 1) + d)(N - 1) + d` queries decide whether a model with at most `N - |H|`
heads computes the same function as a known model `H`; over any semantics. -/
theorem verifier {R K : Type} [CommRing R] [OrderedField K] [DecidableEq K] (S : Semantics R K) {d N : Nat}
    {H H' : List (Head R K d)} (hlen : H.length + H'.length ≤ N) :
    ((verify S H (shortTests (moments R d N) N)).run (fun t => S.evalHeads H' t.1 t.2) = true ↔
      ∀ xs q, S.evalHeads H' xs q = S.evalHeads H xs q) ∧
    ((verify S H (shortTests (moments R d N) N)).queries (fun t => S.evalHeads H' t.1 t.2)).length ≤
      ((N - 1) * (d * d - 1) + d) * (N - 1) + d := verify_exact S hlen

/-- info: 'AttentionQueries.Results.verifier' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms verifier

end AttentionQueries.Results
