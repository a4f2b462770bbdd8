import AttentionQueries.Noise.Evidence
import AttentionQueries.Noise.LogBounds
import AttentionQueries.Query
import AttentionQueries.SingleHead.Identifiability

/-! # Learning a head from noisy answers, with certified intervals

Every answer may be off by at most a known tolerance `τ`. The learner asks the `d` queries `[eᵢ]`, chooses a pivot and
directions from the answers, and makes for each entry of the score matrix a few experiments, each of them chosen from
the outcome of those before it. It reports an interval for each entry of `v` and one for the weight of each entry of
`W`. An entry about which nothing two-sided is known is reported as such: its interval has no two ends.

The algorithm, in steps:

1. Ask `[eᵢ]`, with the answer `yᵢ`. Report `vᵢ ∈ [yᵢ - τ, yᵢ + τ]`.
2. Choose the pivot `p` and the directions `uₚ = eₚ` and `uᵢ = eᵢ`, `eᵢ + eₚ` or `eᵢ - eₚ`. Without a pivot, stop:
   nothing is known about `W`.
3. For each `(i, j)`, at most `rounds` times: choose `k, m, n` and ask `k` copies of `q + uᵢ` and `m` copies of
   `q = eⱼ / n`. With the answer `f'`, `a' = f' - yⱼ / n`, `r = τ + τ / n`, and `⟨v, uᵢ⟩` known as `D' ± w`, the weight
   of the score `uᵢᵀ W eⱼ` lies, if `w < D'`, between `(m / k · (a' - r) / (D' + w - (a' - r)))ⁿ` and
   `(m / k · (a' + r) / (D' - w - (a' + r)))ⁿ`; see `oddsBounds` for what happens when a denominator or numerator is not
   positive. If `D' < -w`, the signs of `a'` and `D'` are changed first. Intersect the intervals of the experiments.
4. The interval for the weight of `W i j` is that for the direction `uᵢ`, divided by that of `(p, j)` if
   `uᵢ = eᵢ + eₚ`, and multiplied by it if `uᵢ = eᵢ - eₚ`.
5. The logarithm is taken at the end, with rounding (`LogBounds`).

The theorems hold for every strategy: choosing badly makes the intervals wide and never wrong.

## Main definitions

* `NoiseStrategy`: how to choose.
* `learnNoisy`: the learner, a query program. `NoiseReport`: what it returns.

## Main statements

* `Semantics.learnNoisy_sound`: for every head consistent with the answers received, every entry of `v` lies in its
  interval and the weight of every entry of `W` in its; `Semantics.learnNoisy_score`: so do the entries of `W`, after
  logarithms.
* `Semantics.learnNoisy_contradictory`: if an interval is empty, no head is consistent with the answers.
* `Semantics.learnNoisy_exact`: with exact answers and tolerance zero the report consists of points.
* `learnNoisy_count`, `learnNoisy_count_eq`, `learnNoisy_length`: the number and the length of the queries.

## References

The robustness theorem of arXiv 2601.16873 (Theorem 6.1, v2 numbering as reported) has a fixed direction and scale; the
strategy, the interval arithmetic on weights and the detection of inconsistent answers are ours. -/

namespace AttentionQueries
open CommRing OrderedField

/-- How the learner chooses: everything may depend on the answers received. -/
structure NoiseStrategy (R K : Type) [CommRing R] (d : Nat) where
  /-- The pivot, from the answers to the `[eᵢ]`; without a pivot the learner says nothing about `W`. -/
  pivot : Vec K d → Option (Fin d)
  /-- The direction for a row, from the answers and the pivot; that of the pivot is always plain. -/
  direction : Vec K d → Fin d → Fin d → Direction
  /-- The largest number of experiments for one entry. -/
  rounds : Nat
  /-- The next experiment for an entry, from the answers to the `[eᵢ]`, the pivot, the entry, and the experiments made
for it; `none` to stop. -/
  next : Vec K d → Fin d → Fin d → Fin d → List (Experiment R × K) → Option (Experiment R)

/-- What the learner reports. -/
structure NoiseReport (K : Type) (d : Nat) where
  /-- An interval for each entry of `v`. -/
  values : Vec (K × K) d
  /-- An interval for the weight of each entry of `W`. -/
  weights : Mat (Bounds K) d
  /-- The answers contradict each other: they are not those of a head, up to the tolerance. -/
  contradictory : Bool

section program
variable {R K : Type} [CommRing R] {d : Nat}

/-- The experiments for one entry, with the direction `u`: at most `r` more. -/
def experimentLoop (next : List (Experiment R × K) → Option (Experiment R)) (u : Vec R d) (j : Fin d) :
    Nat → List (Experiment R × K) → QueryProgram (Query R d) K (List (Experiment R × K))
  | 0, l => .done l
  | r + 1, l => match next l with
    | none => .done l
    | some e => .ask (e.query u j) fun f => experimentLoop next u j r ((e, f) :: l)

namespace NoiseStrategy
variable (P : NoiseStrategy R K d)

/-- The direction of a row as a vector, when the answers to the `[eᵢ]` are `y` and the pivot is `p`. -/
def rowVec (y : Vec K d) (p i : Fin d) : Vec R d := (if i = p then Direction.plain else P.direction y p i).vec p i

/-- The experiments for all entries. -/
def experiments (y : Vec K d) (p : Fin d) :
    QueryProgram (Query R d) K (Fin d → Fin d → List (Experiment R × K)) :=
  .forFin fun i => .forFin fun j => experimentLoop (P.next y p i j) (P.rowVec y p i) j P.rounds []

/-- The evidence from the answers and the experiments. -/
def evidence (y : Vec K d) (p : Fin d) (x : Fin d → Fin d → List (Experiment R × K)) : Evidence R K d :=
  ⟨y, p, P.direction y p, x⟩

end NoiseStrategy

variable [OrderedField K] [DecidableLT K]

/-- The second part of the learner, once the answers to the `[eᵢ]` are there. -/
def learnNoisyWeights (P : NoiseStrategy R K d) (τ : K) (y : Vec K d) :
    QueryProgram (Query R d) K (NoiseReport K d) :=
  match P.pivot y with
  | none => .done ⟨fun i => (y i - τ, y i + τ), fun _ _ => .everything, false⟩
  | some p => (P.experiments y p).bind fun x =>
    .done ⟨fun i => (y i - τ, y i + τ), (P.evidence y p x).weightBounds τ, (P.evidence y p x).contradictory τ⟩

/-- **The learner from noisy answers**, with the strategy `P` and the tolerance `τ`. -/
def learnNoisy (P : NoiseStrategy R K d) (τ : K) : QueryProgram (Query R d) K (NoiseReport K d) :=
  (QueryProgram.forFin fun i => .ask1 ([], basis i)).bind (learnNoisyWeights P τ)

end program

/-! ## What it asks -/

section asks
variable {R K : Type} [CommRing R] {d : Nat}

/-- The answers of an oracle to the queries `[eᵢ]`. -/
private abbrev answers (o : Query R d → K) : Vec K d := fun i => o ([], basis i)

/-- The experiments made for an entry are recorded with the answers, and each of them was asked. -/
private theorem experimentLoop_spec (o : Query R d → K) (next : List (Experiment R × K) → Option (Experiment R))
    (u : Vec R d) (j : Fin d) : ∀ (r : Nat) (l : List (Experiment R × K)),
    ∀ t ∈ (experimentLoop next u j r l).run o,
      t ∈ l ∨ (t.2 = o (t.1.query u j) ∧ t.1.query u j ∈ (experimentLoop next u j r l).queries o)
  | 0, l, t, ht => .inl ht
  | r + 1, l, t, ht => by
    rw [experimentLoop] at ht ⊢
    cases hn : next l with
    | none =>
      rw [hn] at ht
      exact .inl ht
    | some e =>
      rw [hn] at ht
      rcases experimentLoop_spec o next u j r _ t ht with h | ⟨h1, h2⟩
      · rcases List.mem_cons.mp h with h | h
        · right
          rw [h]
          exact ⟨rfl, List.mem_cons_self⟩
        · exact .inl h
      · exact .inr ⟨h1, List.mem_cons_of_mem _ h2⟩

/-- A loop makes as many experiments as it asks queries, and not more than allowed; each query is that of an experiment
chosen. -/
private theorem experimentLoop_queries (o : Query R d → K) (next : List (Experiment R × K) → Option (Experiment R))
    (u : Vec R d) (j : Fin d) : ∀ (r : Nat) (l : List (Experiment R × K)),
    ((experimentLoop next u j r l).queries o).length ≤ r ∧
    ((∀ l', l'.length < l.length + r → next l' ≠ none) → ((experimentLoop next u j r l).queries o).length = r) ∧
    (∀ t ∈ (experimentLoop next u j r l).queries o, ∃ l e, next l = some e ∧ t = e.query u j)
  | 0, l => ⟨Nat.le_refl 0, fun _ => rfl, fun _ h => nomatch h⟩
  | r + 1, l => by
    rw [experimentLoop]
    cases hn : next l with
    | none => exact ⟨Nat.zero_le _, fun h => absurd hn (h l (Nat.lt_add_of_pos_right (Nat.succ_pos r))),
        fun _ h => nomatch h⟩
    | some e =>
      obtain ⟨h1, h2, h3⟩ := experimentLoop_queries o next u j r ((e, o (e.query u j)) :: l)
      refine ⟨Nat.succ_le_succ h1, fun h => congrArg (· + 1) (h2 fun l' hl' => h l' (by
        rwa [List.length_cons, Nat.succ_add, ← Nat.add_succ] at hl')), fun t ht => ?_⟩
      rcases List.mem_cons.mp ht with rfl | ht
      · exact ⟨l, e, hn, rfl⟩
      · exact h3 t ht

private theorem experimentLoop_ne_nil (o : Query R d → K) {next : List (Experiment R × K) → Option (Experiment R)}
    (h0 : next [] ≠ none) (u : Vec R d) (j : Fin d) {r : Nat} (hr : 0 < r) :
    (experimentLoop next u j r []).run o ≠ [] := by
  have grow : ∀ (r : Nat) (l : List (Experiment R × K)), l ≠ [] → (experimentLoop next u j r l).run o ≠ [] := by
    intro r
    induction r with
    | zero => exact fun l hl => hl
    | succ r ih =>
      intro l hl
      rw [experimentLoop]
      cases next l with
      | none => exact hl
      | some e => exact ih _ (List.cons_ne_nil _ _)
  obtain ⟨r, rfl⟩ := Nat.exists_eq_succ_of_ne_zero (Nat.ne_of_gt hr)
  rw [experimentLoop]
  cases hn : next [] with
  | none => exact absurd hn h0
  | some e => exact grow r _ (List.cons_ne_nil _ _)

private theorem run_experiments (P : NoiseStrategy R K d) (o : Query R d → K) (y : Vec K d) (p : Fin d) :
    (P.experiments y p).run o = fun i j =>
      (experimentLoop (P.next y p i j) (P.rowVec y p i) j P.rounds []).run o := by
  rw [NoiseStrategy.experiments, QueryProgram.run_forFin]
  funext i
  rw [QueryProgram.run_forFin]

private theorem queries_experiments (P : NoiseStrategy R K d) (o : Query R d → K) (y : Vec K d) (p : Fin d) :
    (P.experiments y p).queries o = (List.finRange d).flatMap fun i => (List.finRange d).flatMap fun j =>
      (experimentLoop (P.next y p i j) (P.rowVec y p i) j P.rounds []).queries o := by
  rw [NoiseStrategy.experiments, QueryProgram.queries_forFin]
  congr; funext i
  rw [QueryProgram.queries_forFin]

variable [OrderedField K] [DecidableLT K] (P : NoiseStrategy R K d) (τ : K) (o : Query R d → K)

/-- The report of the learner. -/
private theorem learnNoisy_run : (learnNoisy P τ).run o =
    match P.pivot (answers o) with
    | none => ⟨fun i => (answers o i - τ, answers o i + τ), fun _ _ => .everything, false⟩
    | some p => ⟨fun i => (answers o i - τ, answers o i + τ),
      (P.evidence (answers o) p ((P.experiments (answers o) p).run o)).weightBounds τ,
      (P.evidence (answers o) p ((P.experiments (answers o) p).run o)).contradictory τ⟩ := by
  rw [learnNoisy, QueryProgram.run_bind, QueryProgram.run_forFin]
  show (learnNoisyWeights P τ (answers o)).run o = _
  rw [learnNoisyWeights]
  cases P.pivot (answers o) with
  | none => rfl
  | some p =>
    show ((P.experiments _ p).bind _).run o = _
    rw [QueryProgram.run_bind]
    rfl

/-- Without a pivot nothing is reported about `W`. -/
theorem learnNoisy_weights_of_no_pivot (h : P.pivot (fun i => o ([], basis i)) = none) (i j : Fin d) :
    ((learnNoisy P τ).run o).weights i j = .everything := by
  rw [learnNoisy_run]
  change P.pivot (answers o) = none at h
  rw [h]

/-- The queries of the learner. -/
private theorem learnNoisy_queries : (learnNoisy P τ).queries o = basisQueries R d ++
    match P.pivot (answers o) with
    | none => []
    | some p => (P.experiments (answers o) p).queries o := by
  have hb : (QueryProgram.forFin fun i : Fin d =>
      (QueryProgram.ask1 ([], basis i) : QueryProgram (Query R d) K K)).queries o = basisQueries R d := by
    rw [QueryProgram.queries_forFin, basisQueries]
    exact flatMap_singleton _ _
  rw [learnNoisy, QueryProgram.queries_bind, hb, QueryProgram.run_forFin]
  show _ ++ (learnNoisyWeights P τ (answers o)).queries o = _
  rw [learnNoisyWeights]
  cases P.pivot (answers o) with
  | none => rfl
  | some p =>
    show _ ++ ((P.experiments _ p).bind _).queries o = _
    rw [QueryProgram.queries_bind]
    show _ ++ (_ ++ []) = _
    rw [List.append_nil]

/-- **The number of queries**, against any oracle: at most `d + rounds · d²`. -/
theorem learnNoisy_count : ((learnNoisy P τ).queries o).length ≤ d + P.rounds * (d * d) := by
  rw [learnNoisy_queries, List.length_append, length_basisQueries]
  refine Nat.add_le_add (Nat.le_refl d) ?_
  cases hp : P.pivot (answers o) with
  | none => exact Nat.zero_le _
  | some p =>
    simp only [queries_experiments]
    have h := length_flatMap_le (f := fun i => (List.finRange d).flatMap fun j =>
      (experimentLoop (P.next (answers o) p i j) (P.rowVec (answers o) p i) j P.rounds []).queries o)
      (n := d * P.rounds) (fun i => by
        have h := length_flatMap_le (fun j => (experimentLoop_queries o (P.next (answers o) p i j)
          (P.rowVec (answers o) p i) j P.rounds []).1) (List.finRange d)
        rwa [List.length_finRange] at h) (List.finRange d)
    rw [List.length_finRange] at h
    rwa [Nat.mul_comm P.rounds, Nat.mul_assoc]

/-- **The number of queries, exactly**: `d` if no pivot is found, and `d + rounds · d²` if one is found and the strategy
does not stop before it has made `rounds` experiments for an entry. -/
theorem learnNoisy_count_eq :
    (P.pivot (fun i => o ([], basis i)) = none → ((learnNoisy P τ).queries o).length = d) ∧
    (P.pivot (fun i => o ([], basis i)) ≠ none → (∀ y p i j l, l.length < P.rounds → P.next y p i j l ≠ none) →
      ((learnNoisy P τ).queries o).length = d + P.rounds * (d * d)) := by
  rw [learnNoisy_queries, List.length_append, length_basisQueries]
  show (P.pivot (answers o) = none → _) ∧ (P.pivot (answers o) ≠ none → _)
  cases hp : P.pivot (answers o) with
  | none => exact ⟨fun _ => rfl, fun h => absurd rfl h⟩
  | some p =>
    refine ⟨(fun h => nomatch h), fun _ hn => ?_⟩
    simp only [queries_experiments]
    rw [length_flatMap_const (n := d * P.rounds) fun i => by
      rw [length_flatMap_const (n := P.rounds) fun j => (experimentLoop_queries o _ _ j P.rounds []).2.1 fun l hl =>
        hn _ _ _ _ l (by rwa [List.length_nil, Nat.zero_add] at hl), List.length_finRange],
      List.length_finRange, Nat.mul_comm P.rounds, Nat.mul_assoc]

/-- **The length of the queries**: at most `L` if no experiment of the strategy is longer, and `1 ≤ L`. -/
theorem learnNoisy_length {L : Nat} (hL : 1 ≤ L) (h : ∀ y p i j l e, P.next y p i j l = some e → e.k + e.m ≤ L) :
    ∀ t ∈ (learnNoisy P τ).queries o, Query.length t ≤ L := by
  intro t ht
  rw [learnNoisy_queries] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
    exact hL
  · cases hp : P.pivot (answers o) with
    | none => rw [hp] at ht; cases ht
    | some p =>
      rw [hp] at ht
      simp only [queries_experiments, List.mem_flatMap] at ht
      obtain ⟨i, _, j, _, ht⟩ := ht
      obtain ⟨l, e, he, rfl⟩ := (experimentLoop_queries o _ _ j P.rounds []).2.2 t ht
      rw [e.length_query]
      exact h _ _ _ _ _ _ he

end asks

/-! ## What it finds -/

namespace Semantics
variable {R K : Type} [CommRing R] [OrderedField K] [DecidableLT K] (S : Semantics R K) {d : Nat}
variable (P : NoiseStrategy R K d) (τ : K) (o : Query R d → K)

/-- A head within the tolerance of the answers received is consistent with the evidence. -/
private theorem consistent_of_queries {W : Mat R d} {v : Vec K d} {p : Fin d} (hp : P.pivot (answers o) = some p)
    (h : ∀ t ∈ (learnNoisy P τ).queries o, abs (S.oracle W v t - o t) ≤ τ) :
    (P.evidence (answers o) p ((P.experiments (answers o) p).run o)).Consistent S τ W v := by
  rw [learnNoisy_queries, hp] at h
  refine ⟨fun i => h _ (List.mem_append.mpr (.inl (mem_basisQueries.mpr ⟨i, rfl⟩))), fun i j t ht => ?_⟩
  have ht : t ∈ (P.experiments (answers o) p).run o i j := ht
  rw [run_experiments] at ht
  rcases experimentLoop_spec o _ _ _ _ _ t ht with ht | ⟨h1, h2⟩
  · cases ht
  · rw [h1]
    refine h _ (List.mem_append.mpr (.inr ?_))
    show _ ∈ (P.experiments (answers o) p).queries o
    simp only [queries_experiments, List.mem_flatMap]
    exact ⟨i, List.mem_finRange i, j, List.mem_finRange j, h2⟩

/-- **Soundness.** Whatever the oracle and the strategy: for every head whose outputs are within `τ` of the answers
received, every entry of `v` lies in the interval reported for it, and so does the weight of every entry of `W`. -/
theorem learnNoisy_sound {W : Mat R d} {v : Vec K d}
    (h : ∀ t ∈ (learnNoisy P τ).queries o, abs (S.oracle W v t - o t) ≤ τ) :
    (∀ i, (((learnNoisy P τ).run o).values i).1 ≤ v i ∧ v i ≤ (((learnNoisy P τ).run o).values i).2) ∧
      ∀ i j, (((learnNoisy P τ).run o).weights i j).Contains (S.exp (W i j)) := by
  have hv : ∀ i, answers o i - τ ≤ v i ∧ v i ≤ answers o i + τ := fun i => by
    have h1 := h ([], basis i) (by
      rw [learnNoisy_queries]
      exact List.mem_append.mpr (.inl (mem_basisQueries.mpr ⟨i, rfl⟩)))
    rw [oracle, eval_nil, inner_basis] at h1
    obtain ⟨h1, h2⟩ := abs_le.mp h1
    exact ⟨le_cert (sub_nonneg.mpr h1) (by rw [answers]; ring), le_cert (sub_nonneg.mpr h2) (by rw [answers]; ring)⟩
  rw [learnNoisy_run]
  cases hp : P.pivot (answers o) with
  | none => exact ⟨hv, fun i j => Bounds.contains_everything (S.exp_pos _)⟩
  | some p => exact ⟨hv, fun i j => Evidence.contains (S.consistent_of_queries P τ o hp h) i j⟩

/-- **Soundness, for the entries of `W`**: with rounded logarithms, an entry is neither below nor above the interval
reported for it, if there is one. -/
theorem learnNoisy_score [LT R] (L : LogBounds S) {W : Mat R d} {v : Vec K d}
    (h : ∀ t ∈ (learnNoisy P τ).queries o, abs (S.oracle W v t - o t) ≤ τ) {i j : Fin d} {lo hi : R}
    (hI : L.interval (((learnNoisy P τ).run o).weights i j) = some (lo, hi)) : ¬ W i j < lo ∧ ¬ hi < W i j :=
  L.interval_sound ((S.learnNoisy_sound P τ o h).2 i j) hI

/-- **Contradictory answers are noticed**: if the report says so, no head is within `τ` of the answers received. -/
theorem learnNoisy_contradictory (hc : ((learnNoisy P τ).run o).contradictory = true) :
    ¬ ∃ (W : Mat R d) (v : Vec K d), ∀ t ∈ (learnNoisy P τ).queries o, abs (S.oracle W v t - o t) ≤ τ := by
  rintro ⟨W, v, h⟩
  rw [learnNoisy_run] at hc
  cases hp : P.pivot (answers o) with
  | none => rw [hp] at hc; cases hc
  | some p =>
    rw [hp] at hc
    exact Evidence.not_consistent_of_contradictory hc ⟨W, v, S.consistent_of_queries P τ o hp h⟩

/-- **With exact answers the report is exact.** If the tolerance is zero and the oracle is the head itself, and the
strategy finds a pivot and directions on which the value vector does not vanish and makes an experiment for every
entry, then every interval consists of the true value alone. -/
theorem learnNoisy_exact (W : Mat R d) {v : Vec K d} {p : Fin d} (hp : P.pivot v = some p)
    (hu : ∀ i, S.inner v (P.rowVec v p i) ≠ 0) (hr : 0 < P.rounds) (hn : ∀ i j, P.next v p i j [] ≠ none) :
    (∀ i, ((learnNoisy P 0).run (S.oracle W v)).values i = (v i, v i)) ∧
      ∀ i j, ((learnNoisy P 0).run (S.oracle W v)).weights i j = .point (S.exp (W i j)) := by
  have ha : answers (S.oracle W v) = v := S.eval_basis W v
  rw [learnNoisy_run, ha, hp]
  refine ⟨fun i => ?_, fun i j => ?_⟩
  · show (v i - 0, v i + 0) = _
    rw [sub_zero, add_zero]
  refine Evidence.exact W v rfl (fun i => ?_) (fun i j => ?_) (fun i j t ht => ?_) i j
  · rw [← Direction.inner_vec S]
    exact hu i
  · show (P.experiments v p).run _ i j ≠ []
    rw [run_experiments]
    exact experimentLoop_ne_nil _ (hn i j) _ j hr
  · have ht : t ∈ (P.experiments v p).run _ i j := ht
    rw [run_experiments] at ht
    rcases experimentLoop_spec _ _ _ _ _ _ t ht with ht | ⟨h, _⟩
    · cases ht
    · exact h

end Semantics

end AttentionQueries
