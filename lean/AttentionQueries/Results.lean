import AttentionQueries.SingleHead.Necessity

/-! # Results: the referee's page

Every headline result of the library, stated in full, with the axioms its proof uses. A reader who trusts the kernel has to read
this file, and the definitions that occur in it, and nothing else. The proofs are in the modules imported above; `proofs.md`
has the same results in words, with proofs for mathematicians.

## The setting

* `Semantics R K`: tokens and scores have entries in the commutative ring `R`, values and outputs live in the ordered field `K`;
  `cast : R → K` is an injective ring homomorphism, and `exp : R → K` is positive, injective, and turns sums into products.
* `Vec R d`, `Mat R d`: vectors of length `d` and `d × d` matrices; `basis i` is the vector `eᵢ`.
* `score W x q` is `xᵀ W q`; `S.inner v x` is `⟨v, x⟩`.
* `S.eval W v xs q` is the output of the head `(W, v)` on the sequence `xs ++ [q]`: the mean of `⟨v, x⟩` over its tokens `x`, with
  the weights `exp (xᵀ W q)`. The query token `q` attends to itself as well.
* `Query R d`: a context and a query token. `S.oracle W v` is the head as a function of queries.
* `QueryProgram Q A α`: a program that can ask questions in `Q` and receive answers in `A`, and do nothing else, before it
  returns a result in `α`; `run`, `queries` and `count` are what it does with an oracle.

The axioms `propext`, `Quot.sound` and `Classical.choice` are the usual ones of Lean. Nothing else is assumed anywhere. -/

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
`headQueries` computes from its outputs on the sequences `[eᵢ]` of length one, and from nothing else. Then `qs` has exactly
`d² + d` entries, none longer than two tokens, and a head that gives the same answers to them has the same `W` and `v`. -/
theorem single_head_unique [DecidableEq K] (W : Mat R d) (v : Vec K d) (hv : v ≠ 0) {qs : List (Query R d)}
    (hqs : qs = headQueries fun i => S.eval W v [] (basis i)) :
    qs.length = d * d + d ∧ (∀ t ∈ qs, Query.length t ≤ 2) ∧
      ∀ (W' : Mat R d) (v' : Vec K d), (∀ t ∈ qs, S.eval W v t.1 t.2 = S.eval W' v' t.1 t.2) → v = v' ∧ W = W' := by
  rw [S.headQueries_eval] at hqs
  subst hqs
  exact ⟨(length_headQueries v).1 hv, fun _ => length_of_mem_headQueries, fun _ _ => S.head_unique_queries hv⟩

/-- info: 'AttentionQueries.Results.single_head_unique' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms single_head_unique

/-- **The fibre of one head.** Two heads compute the same function of sequences iff their value vectors agree and either vanish
(then the function is zero), or the score matrices agree as well. This holds for every `d`. -/
theorem single_head_fibre (W W' : Mat R d) (v v' : Vec K d) :
    (∀ xs q, S.eval W v xs q = S.eval W' v' xs q) ↔ v = v' ∧ (v = 0 ∨ W = W') := S.eval_eq_iff

/-- info: 'AttentionQueries.Results.single_head_fibre' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms single_head_fibre

/-- **When a head is identifiable.** For `d ≥ 1`, a head is determined by its function iff its value vector is not zero. -/
theorem single_head_identifiable_iff (hd : 0 < d) (W : Mat R d) (v : Vec K d) :
    (∀ (W' : Mat R d) (v' : Vec K d), (∀ xs q, S.eval W v xs q = S.eval W' v' xs q) → v = v' ∧ W = W') ↔ v ≠ 0 :=
  S.head_identifiable_iff hd W v

/-- info: 'AttentionQueries.Results.single_head_identifiable_iff' depends on axioms: [propext, Classical.choice, Quot.sound] -/
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

/-- **Injectivity of the exponential is needed**: with the constant exponential `1` every head shares its function with a head
that has a different score matrix, also when `v ≠ 0`. -/
theorem single_head_exp_inj_needed (hd : 0 < d) : ∃ exp : R → K,
    (∀ s t, exp (s + t) = exp s * exp t) ∧ (∀ s, 0 < exp s) ∧
    ∀ (W : Mat R d) (v : Vec K d), ∃ W' : Mat R d, W ≠ W' ∧
      ∀ xs q, valueWith S.cast exp W v xs q = valueWith S.cast exp W' v xs q := exp_inj_needed S hd

/-- info: 'AttentionQueries.Results.single_head_exp_inj_needed' depends on axioms: [propext] -/
#guard_msgs in #print axioms single_head_exp_inj_needed

/-! ### The learner -/

section
variable [DecidableEq K] {log : K → Option R}

/-- **The learner is correct.** The query program `learn log`, run against a head with `v ≠ 0`, returns this head; run against a
head with `v = 0`, it reports that `v = 0`. -/
theorem learner_correct (hlog : S.IsLog log) (W : Mat R d) (v : Vec K d) :
    (v ≠ 0 → (learn log).run (S.oracle W v) = .head W v) ∧ (v = 0 → (learn log).run (S.oracle W v) = .zero) :=
  ⟨S.learn_exact (fun s => (hlog _ s).mpr rfl) W, fun h => by rw [h]; exact S.learn_zero log W⟩

/-- info: 'AttentionQueries.Results.learner_correct' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms learner_correct

/-- **The learner's queries are counted.** Against a head it asks exactly `d² + d` queries if `v ≠ 0`, and `d` if `v = 0`; none is
longer than two tokens. -/
theorem learner_count (log : K → Option R) (W : Mat R d) (v : Vec K d) :
    (v ≠ 0 → (learn log).count (S.oracle W v) = d * d + d) ∧ (v = 0 → (learn log).count (S.oracle W v) = d) ∧
      ∀ t ∈ (learn log).queries (S.oracle W v), Query.length t ≤ 2 := by
  have h := S.learn_count_head log W v
  exact ⟨fun hv => (h.2 hv).trans (Nat.add_comm _ _), h.1, learn_length log _⟩

/-- info: 'AttentionQueries.Results.learner_count' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms learner_count

/-- **The learner is sound**, whatever oracle it talks to: it returns the head `(W, v)` iff `v ≠ 0` and this head gives every answer
received. -/
theorem learner_sound (hlog : S.IsLog log) (o : Query R d → K) (W : Mat R d) (v : Vec K d) :
    (learn log).run o = .head W v ↔ v ≠ 0 ∧ ∀ t ∈ (learn log).queries o, S.oracle W v t = o t :=
  S.learn_head_iff hlog o W v

/-- info: 'AttentionQueries.Results.learner_sound' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in #print axioms learner_sound

/-- **The learner rejects rightly**, whatever oracle it talks to: it rejects iff no head gives all the answers received. -/
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
