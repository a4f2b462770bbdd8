import AttentionQueries.LowRank.Head
import AttentionQueries.LowRank.Program
import AttentionQueries.SingleHead.Learner

/-! # Learning a head of low rank from its outputs

The learner asks the `d` queries `[eᵢ]`, whose answers are the entries of `v`. If `v ≠ 0`, it runs the program
of `LowRank.Program` for matrices of rank at most `r`, with each score read off one query of length two. The
scores are those of directions `dᵢ = ± eᵢ` or `eᵢ ± eₚ`, with signs such that all values `⟨v, dᵢ⟩` are positive;
so all probes with nonnegative coefficients have a value that is not zero, as reading a score requires.

## Main definitions

* `Semantics.learnLowRank log r`: the learner.
* `Semantics.learnAtMost log r`: the same, or `learn` where that asks fewer queries.

## Main statements

* `Semantics.learnLowRank_exact`: on a head `(W, v)` with `v ≠ 0` and `W` of rank `k ≤ r`, it returns this head, after
  exactly `d + r (2 d - r) + 2 d k` queries of length at most two.
* `Semantics.learnAtMost_exact`: never more than `d + d²` queries.
* `Semantics.learnLowRank_rank_needed`: the promise cannot be dropped.
* `Semantics.learnLowRank_zero`: on a head with `v = 0` it says so, after `d` queries.
-/

namespace AttentionQueries
open CommRing OrderedField Matrix

namespace QueryProgram
variable {Q Q' A A' α : Type}

/-- Run a program against another kind of oracle: `f` translates questions, `g` translates answers back, and may
fail. -/
def translate (f : Q → Q') (g : Q → A' → Option A) : QueryProgram Q A α → QueryProgram Q' A' (Option α)
  | done a => done (some a)
  | ask q k => ask (f q) fun b => match g q b with
    | none => done none
    | some a => translate f g (k a)

/-- If all answers are translated correctly, the translated program runs as the given one. -/
theorem translate_run {f : Q → Q'} {g : Q → A' → Option A} {o : Q → A} {o' : Q' → A'} (p : QueryProgram Q A α)
    (h : ∀ q ∈ p.queries o, g q (o' (f q)) = some (o q)) :
    (p.translate f g).run o' = some (p.run o) ∧ (p.translate f g).queries o' = (p.queries o).map f := by
  induction p with
  | done a => exact ⟨rfl, rfl⟩
  | ask q k ih =>
    have h0 := h q List.mem_cons_self
    have ih := ih (o q) fun q' hq' => h q' (List.mem_cons_of_mem q hq')
    rw [translate, run, queries, h0, queries, run, List.map_cons]
    exact ⟨ih.1, congrArg (f q :: ·) ih.2⟩
end QueryProgram

namespace LowRank
/-! ## Directions of positive value -/
section directions
variable {R K : Type} [CommRing R] {d : Nat}

private theorem row_add (W : Mat R d) (x y : Vec R d) (j : Fin d) : row W (x + y) j = row W x j + row W y j := by
  rw [row, row, row, ← finSum_add]
  exact finSum_congr fun i => add_mul (x i) (y i) _

private theorem row_neg (W : Mat R d) (x : Vec R d) (j : Fin d) : row W (-x) j = -row W x j := by
  have h := finSum_mul (-1) fun i => x i * W i j
  rw [row, row, show -(finSum fun i => x i * W i j) = -1 * finSum fun i => x i * W i j by ring, ← h]
  exact finSum_congr fun i => by
    show -x i * W i j = _
    ring

variable [OrderedField K] [∀ a : K, Decidable (0 < a)]

/-- `x` with the sign of `a`. -/
def signed (a : K) (x : Vec R d) : Vec R d := if 0 < a then x else -x

private theorem row_signed (W : Mat R d) (a : K) (i j : Fin d) :
    row W (signed a (basis i)) j = if 0 < a then W i j else -W i j := by
  by_cases h : 0 < a
  · rw [signed, if_pos h, if_pos h, row_basis]
  · rw [signed, if_neg h, if_neg h, row_neg, row_basis]

variable [DecidableEq K]

/-- The direction `± eᵢ`, or `eᵢ ± eₚ` if `v i = 0`; its value is positive. -/
def direction (v : Vec K d) (p i : Fin d) : Vec R d :=
  if v i = 0 then basis i + signed (v p) (basis p) else signed (v i) (basis i)

/-- The query that reads the score `uᵀ W w`, in the coordinates `u` of the directions. -/
def scoreQuery (v : Vec K d) (p : Fin d) (t : Vec R d × Vec R d) : Query R d := ([t.2 + row (direction v p) t.1], t.2)

/-- The matrix from its rows in the directions. -/
def unmix (v : Vec K d) (p : Fin d) (G : RectMat K d d) : RectMat K d d := fun i j =>
  if v i = 0 then G i j - G p j else if 0 < v i then G i j else -G i j

end directions
end LowRank

namespace Semantics
open LowRank
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

private theorem cast_form (G : Mat R d) (t : Vec R d × Vec R d) :
    S.cast (form G t.1 t.2) = scoreOracleVia S.cast (S.castM G) t := by
  rw [form, cast_finSum, scoreOracleVia, form]
  refine finSum_congr fun i => ?_
  rw [S.cast_mul, col, cast_finSum, col]
  exact congrArg (S.cast (t.1 i) * ·) (finSum_congr fun j => S.cast_mul _ _)

private theorem castM_mm (D W : Mat R d) : S.castM (mm D W) = mm (S.castM D) (S.castM W) :=
  funext fun i => funext fun j => by
    rw [castM, mm, cast_finSum]
    exact finSum_congr fun k => S.cast_mul _ _

section
variable [∀ a : K, Decidable (0 < a)]

private theorem inner_signed_pos {v : Vec K d} {i : Fin d} (h : v i ≠ 0) : 0 < S.inner v (signed (v i) (basis i)) := by
  by_cases hi : 0 < v i
  · rw [signed, if_pos hi, inner_basis]
    exact hi
  · rw [signed, if_neg hi, inner_neg, inner_basis]
    rcases lt_total (0 : K) (v i) with h1 | h1 | h1
    · exact absurd h1 hi
    · exact absurd h1.symm h
    · have := add_lt _ _ (-v i) h1
      rwa [add_neg, zero_add] at this

variable [DecidableEq K]

/-- The directions have positive values. -/
theorem inner_direction_pos {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (i : Fin d) : 0 < S.inner v (direction v p i) := by
  unfold direction
  split
  · rename_i h
    rw [inner_add, inner_basis, h, zero_add]
    exact S.inner_signed_pos hp
  · exact S.inner_signed_pos (by assumption)

/-- The scores in the directions determine the matrix. -/
private theorem unmix_mm {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (W : Mat R d) :
    unmix v p (S.castM (mm (direction v p) W)) = S.castM W := by
  have hrow : ∀ i j, mm (direction v p) W i j = if v i = 0 then W i j + (if 0 < v p then W p j else -W p j)
      else if 0 < v i then W i j else -W i j := fun i j => by
    show row W (direction v p i) j = _
    unfold direction
    split
    · rw [LowRank.row_add, row_basis, row_signed]
    · rw [row_signed]
  funext i j
  rw [unmix]
  simp only [castM, hrow, if_neg hp]
  by_cases hi : v i = 0
  · rw [if_pos hi, if_pos hi, S.cast_add]; ring
  · rw [if_neg hi]
    by_cases h : 0 < v i
    · rw [if_pos h, if_neg hi, if_pos h]
    · rw [if_neg h, if_neg hi, if_neg h, S.cast_neg, CommRing.neg_neg]

omit [CommRing R] in
/-- Taking the matrix from its rows in the directions does not raise the rank. -/
private theorem rankLE_unmix (v : Vec K d) (p : Fin d) {G : RectMat K d d} {s : Nat} (h : RankLE s G) :
    RankLE s (unmix v p G) := by
  obtain ⟨l, hl, rfl⟩ := h
  refine ⟨l.map fun t => (fun i => if v i = 0 then t.1 i - t.1 p else if 0 < v i then t.1 i else -t.1 i, t.2),
    by rw [List.length_map, hl], funext fun i => funext fun j => ?_⟩
  rw [osum, listSum_map, unmix]
  have hneg : ∀ a : Vec K d × Vec K d → K, (listSum l fun t => -1 * a t) = -listSum l a := fun a => by
    rw [listSum_mul]; ring
  by_cases hi : v i = 0
  · rw [if_pos hi, osum, osum]
    refine Eq.trans ?_ (listSum_congr (f := fun t : Vec K d × Vec K d => t.1 i * t.2 j + -1 * (t.1 p * t.2 j))
      fun t _ => ?_)
    · rw [listSum_add, hneg]; ring
    · simp only [if_pos hi]; ring
  · rw [if_neg hi]
    by_cases h : 0 < v i
    · rw [if_pos h, osum]
      exact listSum_congr fun t _ => by simp only [if_neg hi, if_pos h]
    · rw [if_neg h, osum, ← hneg]
      exact listSum_congr fun t _ => by simp only [if_neg hi, if_neg h]; ring

/-- The scores in the directions have the rank of the matrix. -/
private theorem rankEq_direction {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) {W : Mat R d} {k : Nat}
    (h : RankEq k (S.castM W)) : RankEq k (S.castM (mm (direction v p) W)) := by
  refine ⟨?_, fun s hs => h.2 s ?_⟩
  · rw [castM_mm]
    exact h.1.mul _
  · rw [← S.unmix_mm hp W]
    exact rankLE_unmix v p hs

/-! ## The learner -/

/-- The score from the answer to `scoreQuery v p t`. -/
def decodeScore (log : K → Option R) (v : Vec K d) (p : Fin d) (t : Vec R d × Vec R d) (a : K) : Option K :=
  (SingleHead.decode log (S.inner v (row (direction v p) t.1)) (a - S.inner v t.2)).map S.cast

/-- The second part of the learner, once `v` is known. -/
def learnLowRankMatrix (log : K → Option R) (r : Nat) (v : Vec K d) : QueryProgram (Query R d) K (Outcome K K d) :=
  match firstNZ v with
  | none => .done .zero
  | some p => ((learnTerms S.cast (rankProbes R d d r)).translate (scoreQuery v p) (S.decodeScore log v p)).bind
      fun l =>
    .done (match l with
      | none => .reject
      | some l => .head (unmix v p (osum l)) v)

/-- **The learner of heads of rank at most `r`.** It returns the score matrix with its entries cast to values. -/
def learnLowRank (log : K → Option R) (r : Nat) : QueryProgram (Query R d) K (Outcome K K d) :=
  (QueryProgram.forFin fun i => .ask1 ([], basis i)).bind (S.learnLowRankMatrix log r)

/-- A head answers a score query with a value that decodes to the score. -/
private theorem decodeScore_oracle {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) (W : Mat R d) {v : Vec K d}
    {p : Fin d} {t : Vec R d × Vec R d} (ht : S.inner v (row (direction v p) t.1) ≠ 0) :
    S.decodeScore log v p t (S.oracle W v (scoreQuery v p t)) =
      some (scoreOracleVia S.cast (S.castM (mm (direction v p) W)) t) := by
  have hs : score W (row (direction v p) t.1) t.2 = form (mm (direction v p) W) t.1 t.2 := (form_mm _ _ _ _).symm
  rw [decodeScore, oracle, scoreQuery, eval_one, hs, ← cast_form]
  generalize form (mm (direction v p) W) t.1 t.2 = s
  rw [show ∀ a b : K, a + b - a = b from fun a b => by ring, S.decode_exp hlog ht]
  rfl

omit [∀ a : K, Decidable (0 < a)] [DecidableEq K] in
private theorem finSum_pos {n : Nat} {x : Vec K (n + 1)} (h : ∀ i, 0 < x i) : 0 < finSum x := by
  induction n with
  | zero =>
    rw [finSum_succ, show (finSum fun i : Fin 0 => x i.succ) = 0 from rfl, add_zero]
    exact h 0
  | succ n ih =>
    rw [finSum_succ]
    exact add_pos (h 0) (ih fun i => h i.succ)

private theorem inner_row_direction (v : Vec K d) (p : Fin d) (u : Vec R d) :
    S.inner v (row (direction v p) u) = finSum fun i => S.cast (u i) * S.inner v (direction v p i) := by
  have h : ∀ j, v j * S.cast (row (direction v p) u j) =
      finSum fun i => S.cast (u i) * (v j * S.cast (direction v p i j)) := fun j => by
    rw [row, cast_finSum, ← finSum_mul]
    exact finSum_congr fun i => by rw [S.cast_mul]; ring
  rw [inner, finSum_congr h, finSum_comm]
  exact finSum_congr fun i => finSum_mul _ _

/-- All probes have a value that is not zero. -/
private theorem inner_first_ne {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) {r : Nat} {u : Vec R d}
    (hu : (∃ i, u = basis i) ∨ ∃ t ∈ rankProbes R d d r, u = t.1) : S.inner v (row (direction v p) u) ≠ 0 := by
  rcases hu with ⟨i, rfl⟩ | ⟨t, ht, rfl⟩
  · rw [show row (direction v p) (basis i) = direction v p i from funext fun j => row_basis _ i j]
    exact pos_ne (S.inner_direction_pos hp i)
  · obtain ⟨k, -, ht⟩ := List.mem_flatMap.mp ht
    obtain ⟨x, hx, rfl⟩ := List.mem_map.mp ht
    obtain ⟨y, rfl⟩ := Nat.le.dest (List.mem_range'_1.mp hx).1
    have hpow : ∀ n, (0 : K) < S.cast (npow (natCast (1 + y)) n) := by
      intro n
      induction n with
      | zero => rw [npow, S.cast_one]; exact one_pos
      | succ n ih =>
        rw [npow, S.cast_mul, S.cast_natCast, Nat.add_comm]
        rw [Nat.add_comm] at ih
        exact mul_pos _ _ (natCast_pos y) ih
    rw [inner_row_direction]
    cases d with
    | zero => exact p.elim0
    | succ d => exact pos_ne (finSum_pos fun i => mul_pos _ _ (hpow _) (S.inner_direction_pos hp i))

omit [∀ a : K, Decidable (0 < a)] [DecidableEq K] in
/-- The integer probes over the tokens are cast to those over the values. -/
private theorem map_rankProbes (r : Nat) : ((rankProbes R d d r).map fun t =>
    ((fun i => S.cast (t.1 i) : Vec K d), (fun j => S.cast (t.2 j) : Vec K d))) = rankProbes K d d r := by
  have hpow : ∀ (a : R) (b : K) (n : Nat), S.cast a = b → S.cast (npow a n) = npow b n := by
    intro a b n h
    induction n with
    | zero => rw [npow, S.cast_one, npow]
    | succ n ih => rw [npow, S.cast_mul, h, ih, npow]
  rw [rankProbes, rankProbes, List.map_flatMap]
  congr; funext k
  rw [List.map_map]
  congr; funext x
  have h2 := S.cast_natCast 2
  refine Prod.ext (funext fun i => hpow _ _ _ (S.cast_natCast x)) (funext fun j => hpow _ _ _ ?_)
  rw [S.cast_mul, S.cast_natCast, hpow _ _ k h2]

/-- The second part of the learner, against a head with value vector `v`. -/
private theorem learnLowRankMatrix_run {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) {r : Nat} (hr : r ≤ d)
    {W : Mat R d} {k : Nat} (hW : RankEq k (S.castM W)) (hk : k ≤ r) {v : Vec K d} (hv : v ≠ 0) :
    (S.learnLowRankMatrix log r v).run (S.oracle W v) = .head (S.castM W) v ∧
      ((S.learnLowRankMatrix log r v).queries (S.oracle W v)).length + r * r = r * (d + d) + k * (d + d) ∧
      ∀ t ∈ (S.learnLowRankMatrix log r v).queries (S.oracle W v), Query.length t = 2 := by
  cases hp : firstNZ v with
  | none => exact absurd (firstNZ_none hp) hv
  | some p =>
    have hne := firstNZ_some hp
    obtain ⟨h1, h2, h3⟩ := learnTerms_exact S.cast_zero S.cast_one (T := rankProbes R d d r)
      (by rw [map_rankProbes]; exact hits_rankProbes K d d r) (S.rankEq_direction hne hW) hk
    obtain ⟨h4, h5⟩ := QueryProgram.translate_run (f := scoreQuery v p) (g := S.decodeScore log v p)
      (o := scoreOracleVia S.cast (S.castM (mm (direction v p) W))) (o' := S.oracle W v)
      (learnTerms S.cast (rankProbes R d d r)) fun t ht =>
        S.decodeScore_oracle hlog W (S.inner_first_ne hne (learnTerms_first _ t ht))
    have hq : (S.learnLowRankMatrix log r v).queries (S.oracle W v) =
        ((learnTerms S.cast (rankProbes R d d r)).queries (scoreOracleVia S.cast (S.castM (mm (direction v p) W)))).map
          (scoreQuery v p) := by
      rw [learnLowRankMatrix, hp]
      show QueryProgram.queries _ (QueryProgram.bind _ _) = _
      rw [QueryProgram.queries_bind, h5]
      exact List.append_nil _
    refine ⟨?_, ?_, fun t ht => ?_⟩
    · rw [learnLowRankMatrix, hp]
      show QueryProgram.run _ (QueryProgram.bind _ _) = _
      rw [QueryProgram.run_bind, h4]
      show Outcome.head (unmix v p (osum _)) v = _
      rw [← h1, S.unmix_mm hne]
    · rw [hq, List.length_map, h3, ← length_rankProbes R hr hr, Nat.add_right_comm]
    · rw [hq] at ht
      obtain ⟨t, -, rfl⟩ := List.mem_map.mp ht
      rfl

omit [∀ a : K, Decidable (0 < a)] [DecidableEq K] in
private theorem ask_values {α : Type} (W : Mat R d) (v : Vec K d) (f : Vec K d → QueryProgram (Query R d) K α) :
    ((QueryProgram.forFin fun i => .ask1 ([], basis i)).bind f).run (S.oracle W v) = (f v).run (S.oracle W v) ∧
      ((QueryProgram.forFin fun i => .ask1 ([], basis i)).bind f).queries (S.oracle W v) =
        basisQueries R d ++ (f v).queries (S.oracle W v) := by
  have hv : (QueryProgram.forFin fun i : Fin d => .ask1 (([], basis i) : Query R d)).run (S.oracle W v) = v := by
    rw [QueryProgram.run_forFin]
    exact S.oracle_basis W v
  constructor
  · rw [QueryProgram.run_bind, hv]
  · rw [QueryProgram.queries_bind, hv, QueryProgram.queries_forFin]
    congr 1
    have h : ∀ l : List (Fin d), (l.flatMap fun i => [(([], basis i) : Query R d)]) = l.map fun i => ([], basis i) := by
      intro l
      induction l with
      | nil => rfl
      | cons i l ih => rw [List.flatMap_cons, ih]; rfl
    exact h _

/-- **Exactness and count.** Against a head `(W, v)` with `v ≠ 0` and `W` of rank `k ≤ r`, the learner returns
this head, after exactly `d + r (2 d - r) + 2 d k` queries, none longer than two tokens. Of the logarithm only
`log (exp s) = s` is needed. -/
theorem learnLowRank_exact {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) {r : Nat} (hr : r ≤ d)
    {W : Mat R d} {k : Nat} (hW : RankEq k (S.castM W)) (hk : k ≤ r) {v : Vec K d} (hv : v ≠ 0) :
    (S.learnLowRank log r).run (S.oracle W v) = .head (S.castM W) v ∧
      ((S.learnLowRank log r).queries (S.oracle W v)).length + r * r = d + r * (d + d) + k * (d + d) ∧
      ∀ t ∈ (S.learnLowRank log r).queries (S.oracle W v), Query.length t ≤ 2 := by
  obtain ⟨h1, h2, h3⟩ := S.learnLowRankMatrix_run hlog hr hW hk hv
  obtain ⟨e1, e2⟩ := S.ask_values W v (S.learnLowRankMatrix log r)
  refine ⟨e1.trans h1, ?_, fun t ht => ?_⟩
  · rw [learnLowRank, e2, List.length_append, length_basisQueries, Nat.add_assoc, h2, Nat.add_assoc]
  · rw [learnLowRank, e2] at ht
    rcases List.mem_append.mp ht with ht | ht
    · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
      exact Nat.le_succ 1
    · exact Nat.le_of_eq (h3 t ht)

/-- **Honesty.** Against a head with `v = 0` the learner says so, after `d` queries; then `W` is not identifiable. -/
theorem learnLowRank_zero (log : K → Option R) (r : Nat) (W : Mat R d) :
    (S.learnLowRank log r).run (S.oracle W 0) = .zero ∧
      ((S.learnLowRank log r).queries (S.oracle W 0)).length = d := by
  obtain ⟨e1, e2⟩ := S.ask_values W 0 (S.learnLowRankMatrix log r)
  have h : S.learnLowRankMatrix log r (0 : Vec K d) = .done .zero := by
    rw [learnLowRankMatrix, firstNZ_eq_none_iff.mpr rfl]
  rw [learnLowRank, e1, e2, h]
  exact ⟨rfl, by rw [List.length_append, length_basisQueries]; rfl⟩

/-- `k ≤ r` cannot be dropped in `learnLowRank_exact`: with the promise of rank `0` the learner returns the score matrix
zero, against every head with `v ≠ 0`. -/
theorem learnLowRank_rank_needed (log : K → Option R) (W : Mat R d) {v : Vec K d} (hv : v ≠ 0) :
    (S.learnLowRank log 0).run (S.oracle W v) = .head 0 v := by
  have h0 : learnTerms S.cast (rankProbes R d d 0) = (.done [] : QueryProgram _ K (List (Vec K d × Vec K d))) := by
    show eliminate S.cast [] d [] = _
    cases d with
    | zero => rfl
    | succ d => rfl
  rw [learnLowRank, (S.ask_values W v _).1]
  cases hp : firstNZ v with
  | none => exact absurd (firstNZ_none hp) hv
  | some p =>
    rw [learnLowRankMatrix, hp]
    show QueryProgram.run _ (QueryProgram.bind _ _) = _
    rw [h0]
    show Outcome.head (unmix v p (0 : RectMat K d d)) v = _
    congr; funext i j
    show (if v i = 0 then (0 : K) - 0 else if 0 < v i then 0 else -0) = 0
    split
    · ring
    · split
      · rfl
      · ring

/-! ## Never more than the learner without a promise -/

/-- The outcome with the score matrix cast to values. -/
private def castOutcome : Outcome R K d → Outcome K K d
  | .head W v => .head (S.castM W) v
  | .zero => .zero
  | .reject => .reject

/-- The learner of heads of rank at most `r`, or the learner of all heads where that is guaranteed to ask no more. -/
def learnAtMost (log : K → Option R) (r : Nat) : QueryProgram (Query R d) K (Outcome K K d) :=
  if r * (d + d) + r * (d + d) ≤ d * d + r * r then S.learnLowRank log r
  else (learn log).bind fun o => .done (S.castOutcome o)

/-- **Worst case.** Against a head `(W, v)` with `v ≠ 0` and `W` of rank at most `r`, `learnAtMost` returns this
head, after at most `d + d²` queries, and after at most `d + r (4 d - r)`. -/
theorem learnAtMost_exact {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) {r : Nat} (hr : r ≤ d) {W : Mat R d}
    (hW : RankLE r (S.castM W)) {v : Vec K d} (hv : v ≠ 0) :
    (S.learnAtMost log r).run (S.oracle W v) = .head (S.castM W) v ∧
      ((S.learnAtMost log r).queries (S.oracle W v)).length ≤ d + d * d ∧
      ((S.learnAtMost log r).queries (S.oracle W v)).length + r * r ≤ d + (r * (d + d) + r * (d + d)) := by
  obtain ⟨k, hk⟩ := exists_rankEq (S.castM W)
  have hkr := hk.2 r hW
  unfold learnAtMost
  by_cases h : r * (d + d) + r * (d + d) ≤ d * d + r * r
  · rw [if_pos h]
    obtain ⟨h1, h2, -⟩ := S.learnLowRank_exact hlog hr hk hkr hv
    have h3 : d + r * (d + d) + k * (d + d) ≤ d + (r * (d + d) + r * (d + d)) := by
      rw [Nat.add_assoc]
      exact Nat.add_le_add_left (Nat.add_le_add_left (Nat.mul_le_mul_right _ hkr) _) _
    have h4 := Nat.le_trans (Nat.le_of_eq h2) h3
    refine ⟨h1, Nat.le_of_add_le_add_right (Nat.le_trans h4 ?_), h4⟩
    rw [Nat.add_assoc]
    exact Nat.add_le_add_left h d
  · rw [if_neg h]
    have hc := (S.learn_count_head log W v).2 hv
    have hq : ((learn log).bind fun o => .done (S.castOutcome o)).queries (S.oracle W v) =
        (learn log).queries (S.oracle W v) := by
      rw [QueryProgram.queries_bind]
      exact List.append_nil _
    refine ⟨?_, Nat.le_of_eq (by rw [hq, hc]), ?_⟩
    · rw [QueryProgram.run_bind, S.learn_exact hlog W hv]
      rfl
    · rw [hq, hc, Nat.add_assoc]
      exact Nat.add_le_add_left (Nat.le_of_lt (Nat.lt_of_not_le h)) d
end
end Semantics

end AttentionQueries
