import AttentionQueries.Query
import AttentionQueries.SingleHead.Identifiability

/-! # The single-head learner, as a query program

The learner asks the `d` queries `[eᵢ]`; the answers are the entries of `v`. If they all vanish it stops and says so.
Otherwise it takes the first index `p` with `v p ≠ 0` and asks the `d²` queries `[eⱼ + uᵢ; eⱼ]`. An answer `a + ⟨v,
eⱼ⟩` with `b = ⟨v, uᵢ⟩` has the weight `a / (b - a)`, whose logarithm is the score `uᵢᵀ W eⱼ`. The scores give `W` by
one subtraction each; there is no linear system to solve.

The learner is a `QueryProgram`: it can ask and receive, and has no access to the model. Its only other ingredient is a
logarithm, a partial function `log : K → Option R`, about which the theorems assume the specification `Semantics.IsLog`.

## Main definitions

* `learn log`: the learner. `Outcome`: what it may return.
* `Semantics.IsLog log`: `log x = some s` iff `exp s = x`. `Semantics.log`: such a logarithm, for any semantics.

## Main statements

* `Semantics.learn_exact`: on a head with `v ≠ 0` it returns this head.
* `Semantics.learn_zero`: on a head with `v = 0` it says that `v = 0`.
* `learn_queries`, `learn_count`, `learn_length`: against any oracle it asks the queries `headQueries`, that is `d² +
  d` or `d` of them, none longer than two.
* `Semantics.learn_sound`: whatever the oracle, a returned head gives every answer that was received.
* `Semantics.learn_head_iff`, `learn_zero_iff`, `Semantics.learn_reject_iff`: whatever the oracle, which outcome
  occurs when.

## References

The algorithm behind Theorem 4.1 of arXiv 2601.16873 (v2 numbering as reported), with the directions of `probe` in
place of a linear system, and with rejection. -/

namespace AttentionQueries
open CommRing OrderedField

/-! ## Tables of optional values -/
section
variable {α : Type}

/-- The table of the values, if all of them are present. -/
def allSome : {n : Nat} → (Fin n → Option α) → Option (Fin n → α)
  | 0, _ => some fun i => i.elim0
  | _ + 1, f => match f 0, allSome fun i => f i.succ with
    | some a, some g => some (Fin.cases a g)
    | _, _ => none

/-- `allSome` finds the table `g` iff all values are present and given by `g`. -/
theorem allSome_eq : ∀ {n : Nat} {f : Fin n → Option α} {g : Fin n → α}, allSome f = some g ↔ ∀ i, f i = some (g i)
  | 0, f, g => ⟨fun _ i => i.elim0, fun _ => congrArg some (funext fun i => i.elim0)⟩
  | n + 1, f, g => by
    rw [allSome]
    constructor
    · intro h i
      split at h
      · rename_i a g' h0 h1
        cases h
        induction i using Fin.cases with
        | zero => exact h0
        | succ i => exact (allSome_eq.mp h1) i
      · cases h
    · intro h
      rw [h 0, (allSome_eq (g := fun i => g i.succ)).mpr fun i => h i.succ]
      refine congrArg some (funext fun i => ?_)
      induction i using Fin.cases <;> rfl

end

/-! ## The program -/

/-- What the learner may return. -/
inductive Outcome (R K : Type) (d : Nat) where
  /-- The answers are those of the head `(W, v)`, and `v ≠ 0`. -/
  | head (W : Mat R d) (v : Vec K d)
  /-- The answers on sequences of length one vanish: if the oracle is a head, then `v = 0`, and `W` is not
  identifiable. -/
  | zero
  /-- The answers are not those of a head. -/
  | reject

section
variable {R K : Type} [CommRing R] [OrderedField K] [DecidableEq K] {d : Nat}

namespace SingleHead

/-- The value `⟨v, uᵢ⟩` of the direction `uᵢ`, computed from `v` alone. -/
def probeValue (v : Vec K d) (p i : Fin d) : K := if v i ≠ 0 then v i else v p

/-- The score from an answer: `a` is the answer less the value of the query token, and `b` the value of the direction.
-/
def decode (log : K → Option R) (b a : K) : Option R := if b - a = 0 then none else log (a / (b - a))

/-- Ask the queries of length two. -/
def rowProgram (v : Vec K d) (p : Fin d) : QueryProgram (Query R d) K (Fin d → Fin d → K) :=
  .forFin fun i => .forFin fun j => .ask1 ([basis j + Semantics.probe v p i], basis j)

/-- The score matrix from the scores of the directions: row `i`, less row `p` where `uᵢ = eᵢ + eₚ`. -/
def matrixOfScores (v : Vec K d) (p : Fin d) (s : Fin d → Fin d → R) : Mat R d := fun i j =>
  if v i ≠ 0 then s i j else s i j - s p j

/-- The outcome from the answers to the queries of length two. -/
def assemble (log : K → Option R) (v : Vec K d) (p : Fin d) (a : Fin d → Fin d → K) : Outcome R K d :=
  match allSome fun i => allSome fun j => decode log (probeValue v p i) (a i j - v j) with
  | none => .reject
  | some s => .head (matrixOfScores v p s) v

/-- The second part of the learner, once `v` is known. -/
def learnMatrix (log : K → Option R) (v : Vec K d) : QueryProgram (Query R d) K (Outcome R K d) :=
  match firstNZ v with
  | none => .done .zero
  | some p => (rowProgram v p).bind fun a => .done (assemble log v p a)

end SingleHead

open SingleHead

/-- **The learner of a single head.** -/
def learn (log : K → Option R) : QueryProgram (Query R d) K (Outcome R K d) :=
  (QueryProgram.forFin fun i => .ask1 ([], basis i)).bind (learnMatrix log)

/-! ## What it asks, whatever the oracle -/

/-- The result of the learner against an oracle `o`. -/
theorem learn_run (log : K → Option R) (o : Query R d → K) : (learn log).run o =
    match firstNZ fun i => o ([], basis i) with
    | none => .zero
    | some p => assemble log (fun i => o ([], basis i)) p fun i j =>
      o ([basis j + Semantics.probe (fun i => o ([], basis i)) p i], basis j) := by
  rw [learn, QueryProgram.run_bind, QueryProgram.run_forFin]
  show (learnMatrix log fun i => o ([], basis i)).run o = _
  rw [learnMatrix]
  split
  · rfl
  · rw [QueryProgram.run_bind, rowProgram, QueryProgram.run_forFin]
    simp only [QueryProgram.run_forFin]
    rfl

/-- **The queries asked**, against any oracle: the list `headQueries` for the answers on the `[eᵢ]`. -/
theorem learn_queries (log : K → Option R) (o : Query R d → K) :
    (learn log).queries o = headQueries fun i => o ([], basis i) := by
  rw [learn, QueryProgram.queries_bind, QueryProgram.run_forFin, QueryProgram.queries_forFin, headQueries, basisQueries]
  show ((List.finRange d).flatMap fun i => [([], basis i)]) ++ (learnMatrix log fun i => o ([], basis i)).queries o = _
  rw [flatMap_singleton]
  congr 1
  rw [learnMatrix]
  cases firstNZ fun i => o ([], basis i) with
  | none => rfl
  | some p =>
    show ((rowProgram _ p).bind _).queries o = rowQueries _ p
    rw [QueryProgram.queries_bind, rowProgram, QueryProgram.queries_forFin]
    simp only [QueryProgram.queries_forFin]
    show _ ++ [] = _
    rw [List.append_nil, rowQueries]
    congr; funext i
    exact flatMap_singleton _ _

/-- **Query count**, against any oracle: `d`, or `d + d²` when the first `d` answers are not all zero. -/
theorem learn_count (log : K → Option R) (o : Query R d → K) :
    ((∀ i, o ([], basis i) = 0) → ((learn log).queries o).length = d) ∧
    ((∃ i, o ([], basis i) ≠ 0) → ((learn log).queries o).length = d + d * d) := by
  rw [learn_queries, Nat.add_comm]
  exact ⟨fun h => (length_headQueries _).2 (funext h),
    fun ⟨i, hi⟩ => (length_headQueries _).1 fun e => hi (congrFun e i)⟩

/-- **Query length**, against any oracle: at most two tokens. -/
theorem learn_length (log : K → Option R) (o : Query R d → K) : ∀ t ∈ (learn log).queries o, Query.length t ≤ 2 :=
  fun _ ht => length_of_mem_headQueries (by rwa [learn_queries] at ht)

/-- The outcome `zero`, against any oracle: it occurs iff the answers to the `[eᵢ]` are all zero. -/
theorem learn_zero_iff (log : K → Option R) (o : Query R d → K) :
    (learn log).run o = .zero ↔ ∀ i, o ([], basis i) = 0 := by
  rw [learn_run]
  constructor
  · intro h
    cases hf : firstNZ fun i => o ([], basis i) with
    | none => exact congrFun (firstNZ_none hf)
    | some p =>
      rw [hf] at h
      simp only [assemble] at h
      split at h <;> cases h
  · intro h
    rw [firstNZ_eq_none_iff.mpr (funext h)]

end

/-! ## What it finds -/

namespace Semantics
section
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K)

/-- The specification of a logarithm: a partial function that is inverse to the exponential, defined exactly on its
values. -/
def IsLog (log : K → Option R) : Prop := ∀ x s, log x = some s ↔ S.exp s = x

open Classical in
/-- The logarithm of a semantics, by choice. -/
noncomputable def log (x : K) : Option R := if h : ∃ s, S.exp s = x then some (choose h) else none

/-- Every semantics has a logarithm. -/
theorem log_iff (x : K) (s : R) : S.log x = some s ↔ S.exp s = x := by
  unfold Semantics.log
  constructor
  · intro h
    split at h
    · rename_i h'
      cases h
      exact Classical.choose_spec h'
    · cases h
  · intro h
    have h' : ∃ s, S.exp s = x := ⟨s, h⟩
    rw [dif_pos h']
    exact congrArg some (S.exp_inj _ _ ((Classical.choose_spec h').trans h.symm))

/-- The specification of a logarithm is satisfiable. -/
theorem isLog_log : S.IsLog S.log := S.log_iff

end

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- The answers of a head to the queries `[eᵢ]` are the entries of its value vector. -/
theorem oracle_basis (W : Mat R d) (v : Vec K d) : (fun i => S.oracle W v ([], basis i)) = v := S.eval_basis W v

variable [DecidableEq K]
open SingleHead

private theorem inner_probe_eq (v : Vec K d) (p i : Fin d) : S.inner v (probe v p i) = probeValue v p i := by
  unfold probe probeValue
  split
  · rw [inner_basis]
  · rename_i h
    rw [inner_add, inner_basis, inner_basis, Classical.not_not.mp h, zero_add]

omit [CommRing R] in
private theorem probeValue_ne {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (i : Fin d) : probeValue v p i ≠ 0 := by
  unfold probeValue
  split <;> assumption

/-- The answer of a head to a query of length two. -/
private theorem oracle_row (W : Mat R d) (v : Vec K d) (p i j : Fin d) :
    S.oracle W v ([basis j + probe v p i], basis j) = v j + probeValue v p i *
      (S.exp (score W (probe v p i) (basis j)) / (S.exp (score W (probe v p i) (basis j)) + 1)) := by
  rw [oracle, eval_one, inner_basis, inner_probe_eq]

private theorem score_probe (W : Mat R d) (v : Vec K d) (p i j : Fin d) :
    score W (probe v p i) (basis j) = if v i ≠ 0 then W i j else W i j + W p j := by
  unfold probe
  split
  · rw [score_basis]
  · rw [score_add, score_basis, score_basis]

/-- The scores of the directions of the matrix assembled from given scores are the given ones. -/
private theorem score_matrixOfScores {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (s : Fin d → Fin d → R) (i j : Fin d) :
    score (matrixOfScores v p s) (probe v p i) (basis j) = s i j := by
  rw [score_probe]
  simp only [matrixOfScores]
  rw [if_pos hp]
  split
  · rfl
  · ring

/-- The matrix assembled from the scores of the directions of `W` is `W`. -/
private theorem matrixOfScores_score {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (W : Mat R d) :
    (matrixOfScores v p fun i j => score W (probe v p i) (basis j)) = W := by
  funext i j
  simp only [matrixOfScores, score_probe]
  rw [if_pos hp]
  split
  · rfl
  · ring

/-- `decode` inverts the answers of a head. -/
theorem decode_exp {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) {b : K} (hb : b ≠ 0) (s : R) :
    decode log b (b * (S.exp s / (S.exp s + 1))) = some s := by
  have h := div_mul_cancel (S.exp s) (pos_ne (add_pos (S.exp_pos s) one_pos))
  have hx : b - b * (S.exp s / (S.exp s + 1)) ≠ 0 := fun e => by
    apply hb
    generalize S.exp s / (S.exp s + 1) = f at *
    lin_comb (S.exp s + 1) e + (b) h
  have he : b * (S.exp s / (S.exp s + 1)) / (b - b * (S.exp s / (S.exp s + 1))) = S.exp s := by
    rw [div_eq_iff hx]
    generalize S.exp s / (S.exp s + 1) = f at *
    lin_comb (b) h
  rw [decode, if_neg hx, he, hlog]

/-- Conversely, what `decode` accepts is an answer of a head. -/
theorem exp_of_decode {log : K → Option R} (hlog : ∀ x s, log x = some s → S.exp s = x) {a b : K} {s : R}
    (h : decode log b a = some s) : a = b * (S.exp s / (S.exp s + 1)) := by
  rw [decode] at h
  split at h
  · cases h
  · rename_i hx
    have h1 := pos_ne (add_pos (S.exp_pos s) one_pos)
    have e := (div_eq_iff hx).mp (hlog _ _ h).symm
    have h := div_mul_cancel (S.exp s) h1
    apply mul_right_cancel h1
    generalize S.exp s / (S.exp s + 1) = f at *
    lin_comb (1) e + (-b) h

/-- **Exactness.** On a head with `v ≠ 0` the learner returns that head. Of the logarithm only `log (exp s) = s` is
needed. -/
theorem learn_exact {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) (W : Mat R d) {v : Vec K d} (hv : v ≠ 0) :
    (learn log).run (S.oracle W v) = .head W v := by
  rw [learn_run]
  simp only [oracle_basis]
  cases h : firstNZ v with
  | none => exact absurd (firstNZ_none h) hv
  | some p =>
    have hp := firstNZ_some h
    have hs : (allSome fun i => allSome fun j => decode log (probeValue v p i)
        (S.oracle W v ([basis j + probe v p i], basis j) - v j)) =
        some fun i j => score W (probe v p i) (basis j) := by
      refine allSome_eq.mpr fun i => allSome_eq.mpr fun j => ?_
      rw [oracle_row]
      generalize he : S.exp (score W (probe v p i) (basis j)) / (S.exp (score W (probe v p i) (basis j)) + 1) = f
      rw [show v j + probeValue v p i * f - v j = probeValue v p i * f by ring, ← he]
      exact S.decode_exp hlog (probeValue_ne hp i) _
    show assemble _ _ _ _ = _
    rw [assemble, hs]
    show Outcome.head _ _ = _
    rw [matrixOfScores_score hp]

/-- **Honesty.** On a head with `v = 0` the learner says so. -/
theorem learn_zero (log : K → Option R) (W : Mat R d) : (learn log).run (S.oracle W 0) = .zero :=
  (learn_zero_iff log _).mpr (congrFun (S.oracle_basis W 0))

/-- **Query count on heads**: `d + d²` queries for `v ≠ 0`, and `d` for `v = 0`. -/
theorem learn_count_head (log : K → Option R) (W : Mat R d) (v : Vec K d) :
    (v = 0 → ((learn log).queries (S.oracle W v)).length = d) ∧
    (v ≠ 0 → ((learn log).queries (S.oracle W v)).length = d + d * d) := by
  have h := learn_count log (S.oracle W v)
  have e : ∀ i, S.oracle W v ([], basis i) = v i := congrFun (S.oracle_basis W v)
  simp only [e] at h
  exact ⟨fun h0 => h.1 (congrFun h0), fun h0 => h.2 (exists_ne_zero h0)⟩

/-- **Soundness.** Whatever the oracle, a returned head gives every answer that was received. Of the logarithm only
`exp (log x) = x` is needed. -/
theorem learn_sound {log : K → Option R} (hlog : ∀ x s, log x = some s → S.exp s = x) {o : Query R d → K}
    {W : Mat R d} {v : Vec K d} (h : (learn log).run o = .head W v) :
    v ≠ 0 ∧ ∀ t ∈ (learn log).queries o, S.oracle W v t = o t := by
  rw [learn_run] at h
  rw [learn_queries, headQueries]
  cases hf : firstNZ fun i => o ([], basis i) with
  | none => rw [hf] at h; cases h
  | some p =>
    rw [hf] at h
    generalize hv : (fun i => o ([], basis i)) = v' at hf h ⊢
    have hp := firstNZ_some hf
    simp only [assemble] at h
    split at h
    · cases h
    · rename_i s hs
      cases h
      refine ⟨fun e => hp (congrFun e p), fun t ht => ?_⟩
      have hs := fun i j => S.exp_of_decode hlog (allSome_eq.mp (allSome_eq.mp hs i) j)
      rcases List.mem_append.mp ht with ht | ht
      · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
        exact (congrFun (S.oracle_basis (matrixOfScores v p s) v) i).trans (congrFun hv.symm i)
      · obtain ⟨i, j, rfl⟩ := mem_rowQueries.mp ht
        rw [oracle_row, score_matrixOfScores hp, ← hs i j]
        ring

/-- **When a head is returned**, whatever the oracle: the learner returns `(W, v)` iff `v ≠ 0` and this head gives
every answer received. -/
theorem learn_head_iff {log : K → Option R} (hlog : S.IsLog log) (o : Query R d → K) (W : Mat R d) (v : Vec K d) :
    (learn log).run o = .head W v ↔ v ≠ 0 ∧ ∀ t ∈ (learn log).queries o, S.oracle W v t = o t := by
  refine ⟨S.learn_sound fun x s => (hlog x s).mp, fun ⟨hv, h⟩ => ?_⟩
  rw [(QueryProgram.run_congr (learn log) fun t ht => (h t ht).symm).1]
  exact S.learn_exact (fun s => (hlog _ s).mpr rfl) W hv

omit S in
/-- The outcome `zero` on an arbitrary oracle: all answers received were zero. -/
theorem learn_zero_sound {log : K → Option R} {o : Query R d → K} (h : (learn log).run o = .zero) :
    ∀ t ∈ (learn log).queries o, o t = 0 := by
  have h0 := (learn_zero_iff log o).mp h
  intro t ht
  rw [learn_queries, headQueries, firstNZ_eq_none_iff.mpr (funext h0), List.append_nil] at ht
  obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
  exact h0 i

/-- **When the learner rejects**, whatever the oracle: iff no head gives all the answers received. -/
theorem learn_reject_iff {log : K → Option R} (hlog : S.IsLog log) (o : Query R d → K) :
    (learn log).run o = .reject ↔
      ¬ ∃ (W : Mat R d) (v : Vec K d), ∀ t ∈ (learn log).queries o, S.oracle W v t = o t := by
  constructor
  · intro h ⟨W, v, ho⟩
    by_cases hv : v = 0
    · subst hv
      rw [(QueryProgram.run_congr (learn log) fun t ht => (ho t ht).symm).1, learn_zero] at h
      cases h
    · rw [(S.learn_head_iff hlog o W v).mpr ⟨hv, ho⟩] at h
      cases h
  · intro h
    cases hr : (learn log).run o with
    | head W v => exact absurd ⟨W, v, (S.learn_sound (fun x s => (hlog x s).mp) hr).2⟩ h
    | zero => exact absurd ⟨0, 0, fun t ht => by rw [learn_zero_sound hr t ht, oracle, eval_zero]⟩ h
    | reject => rfl

end Semantics

end AttentionQueries
