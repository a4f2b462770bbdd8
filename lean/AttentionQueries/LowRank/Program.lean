import AttentionQueries.LowRank.HittingSet
import AttentionQueries.Query

/-! # Learning a matrix of low rank, as a query program

The program asks a list `T` of scores. While one of them contradicts the terms found so far, it reads the column
and the row of the residual at that probe, and adds the outer product of Wedderburn's step to the terms. The
rank is discovered: it is the number of terms at the end.

## Main definitions

* `learnTerms c T`: the program. Its questions are pairs of vectors over `R`, its answers scores in the field
  `K`; the map `c : R → K` takes the entries of the questions to `K`.
* `scoreOracleVia c W`: the oracle that answers `(u, w)` with `uᵀ W w`.
* `learnScores m n r`: the program with the `r (m + n - r)` integer probes `rankProbes`.

## Main statements

* `learnTerms_exact`: if `T` hits rank at most `r`, then the program finds every matrix `W` of rank `k ≤ r`, as
  a sum of `k` outer products, after exactly `|T| + k (m + n)` questions.
* `learnScores_exact`: with the promise of rank at most `r`, the integer probes serve: `r (m + n - r) + k (m +
  n)` questions.
* `learnTerms_sound`: whatever `T` is, the result agrees with `W` on `T`, and differs from `W` by a matrix of
  smaller rank than `W`, or not at all.
* `hits_needed`: the hypothesis that `T` hits cannot be dropped.
-/

namespace AttentionQueries
open CommRing Matrix

namespace QueryProgram
variable {Q A : Type}

/-- Ask a list of questions; return it with the answers. -/
def askAll : List Q → QueryProgram Q A (List (Q × A))
  | [] => done []
  | q :: l => ask q fun a => (askAll l).bind fun r => done ((q, a) :: r)

/-- The answers to a list of questions. -/
theorem run_askAll (o : Q → A) (l : List Q) : run o (askAll l) = l.map fun q => (q, o q) := by
  induction l with
  | nil => rfl
  | cons q l ih =>
    rw [askAll, run, run_bind, ih]
    rfl

/-- A list of questions is asked as it stands. -/
theorem queries_askAll (o : Q → A) (l : List Q) : queries o (askAll l) = l := by
  induction l with
  | nil => rfl
  | cons q l ih =>
    rw [askAll, queries, queries_bind, ih]
    show q :: (l ++ []) = _
    rw [List.append_nil]
end QueryProgram

namespace LowRank
section program
variable {R K : Type} [Field K] {m n : Nat}

/-- The oracle of the scores of `W` for questions over `R`, whose entries `c : R → K` takes to `K`. -/
def scoreOracleVia (c : R → K) (W : RectMat K m n) : Vec R m × Vec R n → K := fun t =>
  form W (fun i => c (t.1 i)) fun j => c (t.2 j)

/-- The score of a probe on the residual of the terms `l`, from the answer. -/
def residualScore (c : R → K) (l : List (Vec K m × Vec K n)) (t : (Vec R m × Vec R n) × K) : K :=
  t.2 - scoreOracleVia c (osum l) t.1

/-- The term of Wedderburn's step on the residual of the terms `l`: from the column and the row of the matrix at
the probe. -/
def nextTerm (c : R → K) (l : List (Vec K m × Vec K n)) (t : (Vec R m × Vec R n) × K) (x : Vec K m) (y : Vec K n) :
    Vec K m × Vec K n :=
  (fun i => (x i - col (osum l) (fun j => c (t.1.2 j)) i) * (residualScore c l t)⁻¹,
    fun j => y j - row (osum l) (fun i => c (t.1.1 i)) j)

/-! ## One step -/

/-- The residual score is the score of the residual. -/
private theorem residualScore_eq (c : R → K) (W : RectMat K m n) (l : List (Vec K m × Vec K n))
    (t : Vec R m × Vec R n) : residualScore c l (t, scoreOracleVia c W t) = scoreOracleVia c (W - osum l) t := by
  rw [residualScore, scoreOracleVia, scoreOracleVia, scoreOracleVia, form_sub]

/-- The new residual is the old one after Wedderburn's step. -/
private theorem sub_osum_cons (c : R → K) (W : RectMat K m n) (l : List (Vec K m × Vec K n)) (t : Vec R m × Vec R n) :
    W - osum (nextTerm c l (t, scoreOracleVia c W t) (col W fun j => c (t.2 j)) (row W fun i => c (t.1 i)) :: l) =
      deflate (W - osum l) (fun i => c (t.1 i)) fun j => c (t.2 j) := by
  funext i j
  rw [deflate, col_sub, row_sub, ← show residualScore c l (t, scoreOracleVia c W t) = form (W - osum l) _ _ from
    residualScore_eq c W l t]
  show W i j - ((col W _ i - col (osum l) _ i) * (residualScore c l (t, scoreOracleVia c W t))⁻¹ *
    (row W _ j - row (osum l) _ j) + osum l i j) = W i j - osum l i j - _
  ring

/-- A step lowers the exact rank by one. -/
private theorem RankEq.deflate {k : Nat} {W : RectMat K m n} (h : RankEq (k + 1) W) {u : Vec K m} {w : Vec K n}
    (ha : form W u w ≠ 0) : RankEq k (deflate W u w) := by
  refine ⟨wedderburn h.1 ha, fun s hs => ?_⟩
  have e : W = LowRank.deflate W u w + osum [(fun i => col W w i * (form W u w)⁻¹, row W u)] := by
    funext i j
    show W i j = LowRank.deflate W u w i j + (col W w i * (form W u w)⁻¹ * row W u j + 0)
    rw [LowRank.deflate]; ring
  have h1 : RankLE (s + 1) W := by
    rw [e]
    exact hs.add ⟨_, rfl, rfl⟩
  exact Nat.le_of_succ_le_succ (h.2 _ h1)

section basis
variable [CommRing R] {c : R → K} (hc0 : c 0 = 0) (hc1 : c 1 = 1)
include hc0 hc1

private theorem map_basis {d : Nat} (i : Fin d) : (fun j => c ((basis i : Vec R d) j)) = (basis i : Vec K d) :=
  funext fun j => by
    by_cases h : j = i
    · rw [h, basis_self, basis_self, hc1]
    · rw [basis_ne h, basis_ne h, hc0]

private theorem oracle_col (W : RectMat K m n) (w : Vec R n) :
    (fun i => scoreOracleVia c W (basis i, w)) = col W fun j => c (w j) := funext fun i => by
  rw [scoreOracleVia, map_basis hc0 hc1, form, finSum_single i, basis_self, one_mul]
  intro k hk
  rw [basis_ne hk, zero_mul]

private theorem oracle_row (W : RectMat K m n) (u : Vec R m) :
    (fun j => scoreOracleVia c W (u, basis j)) = row W fun i => c (u i) := funext fun j => by
  rw [scoreOracleVia, map_basis hc0 hc1, form_row, finSum_single j, basis_self, mul_one]
  intro k hk
  rw [basis_ne hk, mul_zero]
end basis

/-! ## The program -/

variable [CommRing R] [DecidableEq K]

/-- Wedderburn's steps, at most `fuel` of them, with probes from the list `memo` of questions with answers; `l`
are the terms found so far. -/
def eliminate (c : R → K) (memo : List ((Vec R m × Vec R n) × K)) :
    Nat → List (Vec K m × Vec K n) → QueryProgram (Vec R m × Vec R n) K (List (Vec K m × Vec K n))
  | 0, l => .done l
  | fuel + 1, l => match memo.filter fun t => decide (residualScore c l t ≠ 0) with
    | [] => .done l
    | t :: _ => (QueryProgram.forFin fun i => .ask1 (basis i, t.1.2)).bind fun x =>
      (QueryProgram.forFin fun j => .ask1 (t.1.1, basis j)).bind fun y =>
        eliminate c memo fuel (nextTerm c l t x y :: l)

/-- **The program**: ask the scores `T`, then eliminate. It returns outer products whose sum is the matrix. -/
def learnTerms (c : R → K) (T : List (Vec R m × Vec R n)) :
    QueryProgram (Vec R m × Vec R n) K (List (Vec K m × Vec K n)) :=
  (QueryProgram.askAll T).bind fun memo => eliminate c memo m []

/-! ## The run -/

section
variable {c : R → K} (hc0 : c 0 = 0) (hc1 : c 1 = 1)
include hc0 hc1

/-- How the elimination runs when a probe is successful. -/
private theorem eliminate_some {W : RectMat K m n} {memo : List ((Vec R m × Vec R n) × K)} {fuel : Nat}
    {l : List (Vec K m × Vec K n)} {t : (Vec R m × Vec R n) × K} {ts : List ((Vec R m × Vec R n) × K)}
    (ht : (memo.filter fun t => decide (residualScore c l t ≠ 0)) = t :: ts) :
    (eliminate c memo (fuel + 1) l).run (scoreOracleVia c W) = (eliminate c memo fuel
        (nextTerm c l t (col W fun j => c (t.1.2 j)) (row W fun i => c (t.1.1 i)) :: l)).run (scoreOracleVia c W) ∧
      ((eliminate c memo (fuel + 1) l).queries (scoreOracleVia c W)).length = m + n + ((eliminate c memo fuel
        (nextTerm c l t (col W fun j => c (t.1.2 j)) (row W fun i => c (t.1.1 i)) :: l)).queries
          (scoreOracleVia c W)).length := by
  rw [eliminate, ht]
  constructor
  · show QueryProgram.run _ (QueryProgram.bind _ _) = _
    rw [QueryProgram.run_bind, QueryProgram.run_bind, QueryProgram.run_forFin, QueryProgram.run_forFin,
      ← oracle_col hc0 hc1, ← oracle_row hc0 hc1]
    rfl
  · show (QueryProgram.queries _ (QueryProgram.bind _ _)).length = _
    rw [QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin, QueryProgram.queries_forFin,
      QueryProgram.run_forFin, QueryProgram.run_forFin, List.length_append, List.length_append,
      length_flatMap_const (n := 1) fun _ => rfl, length_flatMap_const (n := 1) fun _ => rfl, List.length_finRange,
      List.length_finRange, Nat.mul_one, Nat.mul_one, ← oracle_col hc0 hc1, ← oracle_row hc0 hc1, Nat.add_assoc]
    rfl

/-- The state of the elimination when it stops: against `W`, from the terms `l`, with residual of rank at most
`fuel`. -/
private theorem eliminate_sound {W : RectMat K m n} {memo : List ((Vec R m × Vec R n) × K)}
    (hmemo : ∀ t ∈ memo, t.2 = scoreOracleVia c W t.1) : ∀ (fuel : Nat) (l : List (Vec K m × Vec K n)) (k : Nat),
    RankEq k (W - osum l) → k ≤ fuel → ∃ j, ∃ l' : List (Vec K m × Vec K n),
      (eliminate c memo fuel l).run (scoreOracleVia c W) = l' ∧ l'.length = l.length + j ∧ j ≤ k ∧
      RankEq (k - j) (W - osum l') ∧ (∀ t ∈ memo, scoreOracleVia c (W - osum l') t.1 = 0) ∧
      ((eliminate c memo fuel l).queries (scoreOracleVia c W)).length = j * (m + n)
  | 0, l, k, hk, hf => by
    have h0 : k = 0 := Nat.le_antisymm hf (Nat.zero_le k)
    subst h0
    refine ⟨0, l, rfl, rfl, Nat.le_refl 0, hk, fun t _ => ?_, (Nat.zero_mul _).symm⟩
    rw [rankLE_zero.mp hk.1, scoreOracleVia, form_zero]
  | fuel + 1, l, k, hk, hf => by
    cases hfind : memo.filter fun t => decide (residualScore c l t ≠ 0) with
    | nil =>
      have hrun : eliminate c memo (fuel + 1) l = .done l := by rw [eliminate, hfind]
      rw [hrun]
      refine ⟨0, l, rfl, rfl, Nat.zero_le k, hk, fun t ht => ?_, (Nat.zero_mul _).symm⟩
      have h : residualScore c l t = 0 := Classical.byContradiction fun hne => by
        have := List.mem_filter (p := fun t => decide (residualScore c l t ≠ 0)).mpr ⟨ht, decide_eq_true hne⟩
        rw [hfind] at this
        cases this
      rw [show t = (t.1, scoreOracleVia c W t.1) from
        Prod.ext rfl (hmemo t ht), residualScore_eq] at h
      exact h
    | cons t ts =>
      have hmem := List.mem_filter.mp (hfind ▸ List.mem_cons_self : t ∈ memo.filter _)
      have hne := of_decide_eq_true hmem.2
      obtain ⟨h1, h2⟩ := eliminate_some hc0 hc1 (W := W) (fuel := fuel) hfind
      have ht : t = (t.1, scoreOracleVia c W t.1) := Prod.ext rfl (hmemo t hmem.1)
      rw [ht, residualScore_eq] at hne
      have hsub := sub_osum_cons c W l t.1
      rw [← ht] at hsub
      cases k with
      | zero =>
        rw [rankLE_zero.mp hk.1, scoreOracleVia, form_zero] at hne
        exact absurd rfl hne
      | succ k =>
        obtain ⟨j, l', e1, e2, e3, e4, e5, e6⟩ := eliminate_sound hmemo fuel
          (nextTerm c l t (col W fun j => c (t.1.2 j)) (row W fun i => c (t.1.1 i)) :: l) k
          (by rw [hsub]; exact hk.deflate hne) (Nat.le_of_succ_le_succ hf)
        refine ⟨j + 1, l', h1.trans e1, ?_, Nat.succ_le_succ e3, ?_, e5, ?_⟩
        · rw [e2, List.length_cons, Nat.add_assoc, Nat.add_comm 1]
        · rw [Nat.add_sub_add_right]
          exact e4
        · rw [h2, e6, Nat.succ_mul, Nat.add_comm]

/-- The run of the whole program, whatever the list `T` is. -/
private theorem learnTerms_run {W : RectMat K m n} {k : Nat} (hW : RankEq k W) (T : List (Vec R m × Vec R n)) :
    ∃ j, ((learnTerms c T).run (scoreOracleVia c W)).length = j ∧ j ≤ k ∧
      RankEq (k - j) (W - osum ((learnTerms c T).run (scoreOracleVia c W))) ∧
      (∀ t ∈ T, scoreOracleVia c (W - osum ((learnTerms c T).run (scoreOracleVia c W))) t = 0) ∧
      ((learnTerms c T).queries (scoreOracleVia c W)).length = T.length + j * (m + n) := by
  have h0 : W - osum ([] : List (Vec K m × Vec K n)) = W := funext fun i => funext fun j => sub_zero _
  obtain ⟨j, l', e1, e2, e3, e4, e5, e6⟩ := eliminate_sound hc0 hc1 (W := W)
    (memo := T.map fun t => (t, scoreOracleVia c W t)) (fun t ht => by
      obtain ⟨t, -, rfl⟩ := List.mem_map.mp ht
      rfl) m [] k (by rw [h0]; exact hW) (hW.2 m (rankLE_rows W))
  have hrun : (learnTerms c T).run (scoreOracleVia c W) = l' := by
    rw [learnTerms, QueryProgram.run_bind, QueryProgram.run_askAll]
    exact e1
  rw [hrun]
  refine ⟨j, by rw [e2, List.length_nil, Nat.zero_add], e3, e4, fun t ht => e5 _ (List.mem_map.mpr ⟨t, ht, rfl⟩), ?_⟩
  rw [learnTerms, QueryProgram.queries_bind, QueryProgram.run_askAll, QueryProgram.queries_askAll, List.length_append]
  exact congrArg (T.length + ·) e6

/-- **What the program guarantees for any list `T`** against a matrix `W` of rank `k`: the result is a sum of `j
≤ k` outer products, it has the scores of `W` on `T`, what is missing has rank `k - j`, and `|T| + j (m + n)`
questions were asked. So the result is wrong only if the rest is not zero and all probes in `T` miss it. -/
theorem learnTerms_sound {W : RectMat K m n} {k : Nat} (hW : RankEq k W) (T : List (Vec R m × Vec R n)) :
    let l := (learnTerms c T).run (scoreOracleVia c W)
    l.length ≤ k ∧ RankEq (k - l.length) (W - osum l) ∧
      (∀ t ∈ T, scoreOracleVia c (osum l) t = scoreOracleVia c W t) ∧
      ((learnTerms c T).queries (scoreOracleVia c W)).length = T.length + l.length * (m + n) := by
  intro l
  obtain ⟨j, e1, e2, e3, e4, e5⟩ := learnTerms_run hc0 hc1 hW T
  rw [show l.length = j from e1]
  refine ⟨e2, e3, fun t ht => ?_, e5⟩
  have h := e4 t ht
  rw [scoreOracleVia, form_sub] at h
  exact (sub_eq_zero.mp h).symm

/-- **Exactness.** If the probes `T` hit rank at most `r`, then against every matrix `W` of rank `k ≤ r` the
program returns `k` outer products whose sum is `W`, after exactly `|T| + k (m + n)` questions. The rank is not
given; it is discovered. -/
theorem learnTerms_exact {T : List (Vec R m × Vec R n)} {r : Nat}
    (hT : Hits (T.map fun t => ((fun i => c (t.1 i) : Vec K m), (fun j => c (t.2 j) : Vec K n))) r)
    {W : RectMat K m n} {k : Nat} (hW : RankEq k W) (hk : k ≤ r) :
    W = osum ((learnTerms c T).run (scoreOracleVia c W)) ∧
      ((learnTerms c T).run (scoreOracleVia c W)).length = k ∧
      ((learnTerms c T).queries (scoreOracleVia c W)).length = T.length + k * (m + n) := by
  obtain ⟨j, e1, e2, e3, e4, e5⟩ := learnTerms_run hc0 hc1 hW T
  have h0 : W - osum ((learnTerms c T).run (scoreOracleVia c W)) = 0 := by
    apply Classical.byContradiction
    intro hne
    obtain ⟨t, ht, hf⟩ := hT _ (e3.1.mono (Nat.le_trans (Nat.sub_le k j) hk)) hne
    obtain ⟨t', ht', rfl⟩ := List.mem_map.mp ht
    exact hf (e4 t' ht')
  have hj : j = k := by
    rw [h0] at e3
    have := e3.2 0 (rankLE_zero.mpr rfl)
    exact Nat.le_antisymm e2 (Nat.le_of_sub_eq_zero (Nat.le_antisymm this (Nat.zero_le _)))
  subst hj
  exact ⟨funext fun i => funext fun j => sub_eq_zero.mp (congrFun (congrFun h0 i) j), e1, e5⟩

omit hc0 hc1 in
/-- The hypothesis of `learnTerms_exact` cannot be dropped: if `T` misses a matrix that is not zero, then the
program returns the zero matrix for it. -/
theorem hits_needed {T : List (Vec R m × Vec R n)} {W : RectMat K m n} (h0 : W ≠ 0)
    (h : ∀ t ∈ T, scoreOracleVia c W t = 0) : osum ((learnTerms c T).run (scoreOracleVia c W)) ≠ W := by
  have hrun : (learnTerms c T).run (scoreOracleVia c W) = [] := by
    rw [learnTerms, QueryProgram.run_bind, QueryProgram.run_askAll]
    have key : ∀ fuel, eliminate c (T.map fun t => (t, scoreOracleVia c W t)) fuel ([] : List (Vec K m × Vec K n)) =
        .done [] := by
      intro fuel
      cases fuel with
      | zero => rfl
      | succ fuel =>
        rw [eliminate, List.filter_eq_nil_iff.mpr fun t ht => ?_]
        obtain ⟨t', ht', rfl⟩ := List.mem_map.mp ht
        rw [decide_eq_true_iff, residualScore_eq, Classical.not_not, scoreOracleVia, form_sub]
        have e := h t' ht'
        rw [scoreOracleVia] at e
        rw [e, show osum ([] : List (Vec K m × Vec K n)) = 0 from rfl, form_zero, sub_zero]
    rw [key]
    rfl
  rw [hrun]
  exact fun e => h0 e.symm

omit hc0 hc1 in
private theorem eliminate_first {o : Vec R m × Vec R n → K} {memo : List ((Vec R m × Vec R n) × K)} :
    ∀ (fuel : Nat) (l : List (Vec K m × Vec K n)), ∀ t ∈ (eliminate c memo fuel l).queries o,
      (∃ i, t.1 = basis i) ∨ ∃ t' ∈ memo, t.1 = t'.1.1
  | 0, _, _, ht => nomatch ht
  | fuel + 1, l, t, ht => by
    rw [eliminate] at ht
    cases hfind : memo.filter fun t => decide (residualScore c l t ≠ 0) with
    | nil =>
      rw [hfind] at ht
      cases ht
    | cons t' ts =>
      rw [hfind] at ht
      have hmem := (List.mem_filter.mp (hfind ▸ List.mem_cons_self : t' ∈ memo.filter _)).1
      have ht : t ∈ QueryProgram.queries o (QueryProgram.bind _ _) := ht
      rw [QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin,
        QueryProgram.queries_forFin] at ht
      rcases List.mem_append.mp ht with ht | ht
      · obtain ⟨i, -, ht⟩ := List.mem_flatMap.mp ht
        rw [List.mem_singleton.mp ht]
        exact .inl ⟨i, rfl⟩
      · rcases List.mem_append.mp ht with ht | ht
        · obtain ⟨j, -, ht⟩ := List.mem_flatMap.mp ht
          rw [List.mem_singleton.mp ht]
          exact .inr ⟨t', hmem, rfl⟩
        · exact eliminate_first fuel _ t ht

omit hc0 hc1 in
/-- The first vectors of the questions asked, against any oracle, are basis vectors or first vectors of probes
in `T`. -/
theorem learnTerms_first (T : List (Vec R m × Vec R n)) {o : Vec R m × Vec R n → K} :
    ∀ t ∈ (learnTerms c T).queries o, (∃ i, t.1 = basis i) ∨ ∃ t' ∈ T, t.1 = t'.1 := by
  intro t ht
  rw [learnTerms, QueryProgram.queries_bind, QueryProgram.queries_askAll, QueryProgram.run_askAll] at ht
  rcases List.mem_append.mp ht with ht | ht
  · exact .inr ⟨t, ht, rfl⟩
  · rcases eliminate_first _ _ t ht with h | ⟨t', ht', h⟩
    · exact .inl h
    · obtain ⟨t'', ht'', rfl⟩ := List.mem_map.mp ht'
      exact .inr ⟨t'', ht'', h⟩
end
end program

/-! ## With a promise on the rank -/

section promise
variable {K : Type} [OrderedField K] [DecidableEq K] {m n : Nat}

/-- The program for matrices of rank at most `r`, with the integer probes. -/
def learnScores (K : Type) [OrderedField K] [DecidableEq K] (m n r : Nat) :
    QueryProgram (Vec K m × Vec K n) K (List (Vec K m × Vec K n)) := learnTerms (fun a => a) (rankProbes K m n r)

/-- **Learning a matrix of rank at most `r` from scores.** Against every `m × n` matrix `W` of rank `k ≤ r` the program
returns `k` outer products whose sum is `W`, after exactly `r (m + n - r) + k (m + n)` questions. -/
theorem learnScores_exact {r : Nat} (hm : r ≤ m) (hn : r ≤ n) {W : RectMat K m n} {k : Nat} (hW : RankEq k W)
    (hk : k ≤ r) : W = osum ((learnScores K m n r).run fun t => form W t.1 t.2) ∧
      ((learnScores K m n r).run fun t => form W t.1 t.2).length = k ∧
      ((learnScores K m n r).queries fun t => form W t.1 t.2).length + r * r = r * (m + n) + k * (m + n) := by
  have hT : Hits ((rankProbes K m n r).map fun t => ((fun i => t.1 i : Vec K m), (fun j => t.2 j : Vec K n))) r := by
    rw [show ((rankProbes K m n r).map fun t => ((fun i => t.1 i : Vec K m), (fun j => t.2 j : Vec K n))) =
      rankProbes K m n r
      from List.map_id _]
    exact hits_rankProbes K m n r
  obtain ⟨h1, h2, h3⟩ := learnTerms_exact (c := fun a : K => a) rfl rfl hT hW hk
  refine ⟨h1, h2, ?_⟩
  rw [← length_rankProbes K hm hn, Nat.add_right_comm]
  exact congrArg (· + r * r) h3
end promise
end LowRank

end AttentionQueries
