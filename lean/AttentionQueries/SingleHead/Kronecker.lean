import AttentionQueries.Base2.Rational
import AttentionQueries.SingleHead.Learner
import AttentionQueries.SingleHead.Optimality

/-! # The Kronecker query: one query reads a bounded integer score matrix

If the entries of `W` are integers of absolute value at most `B`, and `v ≠ 0` is known, one query with two distinct
tokens identifies `W`: its only score is a number in base `2 B + 1` whose digits are the entries of `W`, shifted by
`B`. This does not contradict `Semantics.optimality`, which is about programs that are right on all score matrices;
together they say what the count `d²` means. It is also a reminder of what exactness buys: the score has about `d²
log₂ (2 B + 1)` bits.

The direction is `u = (1, M, M², …)` for `M = 2 B + 1`; if `⟨v, u⟩ = 0`, then `Mᵈ` is added to a coordinate `p` with
`v p ≠ 0`, which repeats the entries of row `p` as one more digit in each column. The query token is `q = (1, N, N²,
…)` for `N = M ^ (d + 1)`, and the query is `[q + u; q]`.

## Main definitions

* `kroneckerDirection`, `kroneckerToken`: the direction `u` and the query token `q`.
* `kroneckerDecode`: the matrix whose digits make up a score.
* `Semantics.kronecker`: the one-query program for known `v`.
* `Semantics.kroneckerPair`: the two-query program for unknown integer `v`.

## Main statements

* `kroneckerDecode_score`: the score of `W` decodes to `W`.
* `Semantics.kronecker_run`, `Semantics.kronecker_queries`: for `v ≠ 0` the program returns `W` after one query.
* `Semantics.kronecker_one_query`: the contrast to `Semantics.optimality`, without a decoder in the statement.
* `Semantics.kroneckerPair_run`, `Semantics.kroneckerPair_count`: at most two queries when `v` is unknown too.
* `Semantics.kronecker_bound_needed`: for `d ≥ 2` no one-query program with two tokens identifies all integer `W`.
* `Semantics.kronecker_value_needed`: for `v = 0` no program identifies the bounded integer `W`.
-/

namespace AttentionQueries
open CommRing OrderedField SingleHead

/-! ## Digits -/

/-- Digit `k` of `n` in base `M`, the digit of weight `1` being number `0`. -/
def digit (M : Nat) : Nat → Nat → Nat
  | 0, n => n % M
  | k + 1, n => digit M k (n / M)

/-- The number with the digits `c` in base `M`. -/
private def ofDigits (M : Nat) : {n : Nat} → (Fin n → Nat) → Nat
  | 0, _ => 0
  | _ + 1, c => c 0 + M * ofDigits M fun i => c i.succ

/-- The digits of a number that may have more digits after those of `c`. -/
private theorem digit_ofDigits {M : Nat} : ∀ {n : Nat} (c : Fin n → Nat) (r : Nat), (∀ i, c i < M) → ∀ k : Fin n,
    digit M k.val (ofDigits M c + M ^ n * r) = c k
  | 0, _, _, _, k => k.elim0
  | n + 1, c, r, h, k => by
    have hM : 0 < M := Nat.lt_of_le_of_lt (Nat.zero_le _) (h 0)
    have e : ofDigits M c + M ^ (n + 1) * r = c 0 + M * (ofDigits M (fun i => c i.succ) + M ^ n * r) := by
      rw [ofDigits, Nat.pow_succ', Nat.mul_assoc, Nat.add_assoc, ← Nat.mul_add]
    induction k using Fin.cases with
    | zero =>
      show (ofDigits M c + M ^ (n + 1) * r) % M = c 0
      rw [e, Nat.add_mul_mod_self_left, Nat.mod_eq_of_lt (h 0)]
    | succ k =>
      show digit M k.val ((ofDigits M c + M ^ (n + 1) * r) / M) = c k.succ
      rw [e, Nat.add_mul_div_left _ _ hM, Nat.div_eq_of_lt (h 0), Nat.zero_add]
      exact digit_ofDigits (fun i => c i.succ) r (fun i => h i.succ) k

/-- The digits of a number. -/
private theorem digit_ofDigits_self {M n : Nat} (c : Fin n → Nat) (h : ∀ i, c i < M) (k : Fin n) :
    digit M k.val (ofDigits M c) = c k := by
  have e : ofDigits M c + M ^ n * 0 = ofDigits M c := by rw [Nat.mul_zero]; exact Nat.add_zero _
  rw [← e]
  exact digit_ofDigits c 0 h k

private theorem add_mul_lt {a N r M : Nat} (ha : a < N) (hr : r < M) : a + N * r < N * M :=
  Nat.lt_of_lt_of_le (Nat.add_lt_add_right ha _)
    (Nat.le_trans (Nat.le_of_eq (by rw [Nat.mul_succ, Nat.add_comm])) (Nat.mul_le_mul_left N hr))

private theorem ofDigits_lt {M : Nat} : ∀ {n : Nat} (c : Fin n → Nat), (∀ i, c i < M) → ofDigits M c < M ^ n
  | 0, _, _ => Nat.lt_of_lt_of_eq Nat.zero_lt_one (Nat.pow_zero M).symm
  | n + 1, c, h => by
    rw [ofDigits, Nat.pow_succ']
    exact add_mul_lt (h 0) (ofDigits_lt (fun i => c i.succ) fun i => h i.succ)

private theorem cast_ofDigits (M : Nat) : ∀ {n : Nat} (c : Fin n → Nat),
    (ofDigits M c : Int) = finSum fun i => (c i : Int) * ((M ^ i.val : Nat) : Int)
  | 0, _ => rfl
  | n + 1, c => by
    have h : ∀ i : Fin n, (c i.succ : Int) * ((M ^ i.succ.val : Nat) : Int) =
        (M : Int) * ((c i.succ : Int) * ((M ^ i.val : Nat) : Int)) := fun i => by
      rw [Fin.val_succ, Nat.pow_succ', Int.natCast_mul]; ring
    rw [finSum_succ, finSum_congr h, finSum_mul, ← cast_ofDigits, ofDigits, Int.natCast_add, Int.natCast_mul]
    show _ = (c 0 : Int) * ((M ^ 0 : Nat) : Int) + _
    rw [Nat.pow_zero, Int.natCast_one, Int.mul_one]

/-! ## The query and its decoding -/
section
variable {d : Nat}

/-- The vector `(1, M, M², …)`. -/
def powers (M d : Nat) : Vec Int d := fun i => ((M ^ i.val : Nat) : Int)

/-- The Kronecker direction `(1, M, M², …) + c Mᵈ eₚ`; here `c` is `0` or `1`. -/
def kroneckerDirection (M : Nat) (p : Fin d) (c : Nat) : Vec Int d :=
  powers M d + fun i => ((c * M ^ d : Nat) : Int) * basis p i

/-- The query token `(1, N, N², …)` with `N = M ^ (d + 1)`. -/
def kroneckerToken (M d : Nat) : Vec Int d := powers (M ^ (d + 1)) d

/-- The integer matrix with entries from `-B` to `B` whose score on the Kronecker query is `s`: add the score of the
constant matrix `B`, cut the sum into its digits in base `(2 B + 1) ^ (d + 1)`, one for each column, and these into
their digits in base `2 B + 1`, one for each row. -/
def kroneckerDecode (B : Nat) (p : Fin d) (c : Nat) (s : Int) : Mat Int d := fun i j =>
  (digit (2 * B + 1) i.val (digit ((2 * B + 1) ^ (d + 1)) j.val
    (s + score (fun _ _ => (B : Int)) (kroneckerDirection (2 * B + 1) p c) (kroneckerToken (2 * B + 1) d)).toNat) : Int)
    - B

/-- The digit of column `j`. -/
private def column (M : Nat) (p : Fin d) (c : Nat) (w : Fin d → Fin d → Nat) (j : Fin d) : Nat :=
  ofDigits M (fun i => w i j) + M ^ d * (c * w p j)

private theorem cast_column (M : Nat) (p : Fin d) (c : Nat) (w : Fin d → Fin d → Nat) (j : Fin d) :
    (column M p c w j : Int) = finSum fun i => kroneckerDirection M p c i * (w i j : Int) := by
  have h : ∀ i, kroneckerDirection M p c i * (w i j : Int) =
      (w i j : Int) * ((M ^ i.val : Nat) : Int) + ((c * M ^ d : Nat) : Int) * (basis p i * (w i j : Int)) := fun i => by
    rw [kroneckerDirection, vadd_app, powers]; ring
  have hp : (finSum fun i => basis p i * (w i j : Int)) = (w p j : Int) := by
    rw [finSum_single p fun i hi => by rw [basis_ne hi, zero_mul], basis_self, one_mul]
  rw [finSum_congr h, finSum_add, finSum_mul, hp, ← cast_ofDigits, column, Int.natCast_add, Int.natCast_mul,
    Int.natCast_mul, Int.natCast_mul]
  ring

/-- The score of a matrix of natural numbers is the number with its columns as digits. -/
private theorem score_eq_ofDigits (M : Nat) (p : Fin d) (c : Nat) (w : Fin d → Fin d → Nat) :
    score (fun i j => (w i j : Int)) (kroneckerDirection M p c) (kroneckerToken M d) =
      (ofDigits (M ^ (d + 1)) (column M p c w) : Int) := by
  rw [cast_ofDigits, score, finSum_congr fun i => by rw [mulVec, ← finSum_mul], finSum_comm]
  refine finSum_congr fun j => ?_
  rw [cast_column, ← finSum_mul_right]
  exact finSum_congr fun i => by rw [kroneckerToken, powers]; ring

private theorem score_add_mat (W W' : Mat Int d) (x q : Vec Int d) :
    score (fun i j => W i j + W' i j) x q = score W x q + score W' x q := by
  have h := score_sub_mat (fun i j => W i j + W' i j) W' x q
  rw [show (fun i j => W i j + W' i j) - W' = W from funext fun i => funext fun j => by
    show W i j + W' i j - W' i j = W i j
    ring] at h
  rw [h]; ring

/-- Shifted by `B`, an integer from `-B` to `B` is a digit in base `2 B + 1`. -/
private theorem exists_digit {a : Int} {B : Nat} (h : a.natAbs ≤ B) : ∃ n : Nat, (n : Int) = a + B ∧ n < 2 * B + 1 := by
  rcases Int.natAbs_eq a with e | e
  · refine ⟨a.natAbs + B, by rw [Int.natCast_add, ← e], Nat.lt_succ_of_le ?_⟩
    rw [Nat.two_mul]
    exact Nat.add_le_add_right h B
  · obtain ⟨k, hk⟩ := Nat.le.dest h
    refine ⟨k, ?_, Nat.lt_succ_of_le ?_⟩
    · rw [← hk, Int.natCast_add]
      lin_comb (-1) e
    · rw [Nat.two_mul, ← hk]
      exact Nat.le_trans (Nat.le_add_left k _) (Nat.le_add_right _ _)

/-- **The Kronecker score determines the matrix.** If the entries of `W` have absolute value at most `B`, the score of
`W` on the Kronecker query decodes to `W`. -/
theorem kroneckerDecode_score {W : Mat Int d} {B : Nat} (hW : ∀ i j, (W i j).natAbs ≤ B) (p : Fin d) {c : Nat}
    (hc : c ≤ 1) : kroneckerDecode B p c
      (score W (kroneckerDirection (2 * B + 1) p c) (kroneckerToken (2 * B + 1) d)) = W := by
  obtain ⟨w, hw⟩ := Classical.axiomOfChoice fun i => Classical.axiomOfChoice fun j => exists_digit (hW i j)
  have hcol : ∀ j, column (2 * B + 1) p c w j < (2 * B + 1) ^ (d + 1) := fun j =>
    add_mul_lt (ofDigits_lt _ fun i => (hw i j).2)
      (Nat.lt_of_le_of_lt (Nat.le_trans (Nat.mul_le_mul_right _ hc) (Nat.le_of_eq (Nat.one_mul _))) (hw p j).2)
  funext i j
  rw [kroneckerDecode, ← score_add_mat, ← show (fun i j => (w i j : Int)) = fun i j => W i j + B from
    funext fun i => funext fun j => (hw i j).1, score_eq_ofDigits, Int.toNat_natCast,
    digit_ofDigits_self _ hcol, column, digit_ofDigits _ _ (fun i => (hw i j).2), (hw i j).1]
  ring

/-- The integer vector with entries from `-B` to `B` whose product with `(1, M, M², …)`, for `M = 2 B + 1`, is `s`. -/
def kroneckerDecodeVec (B d : Nat) (s : Int) : Vec Int d := fun i =>
  (digit (2 * B + 1) i.val (s + finSum fun i : Fin d => (B : Int) * powers (2 * B + 1) d i).toNat : Int) - B

/-- The product of an integer vector with `(1, M, M², …)` determines the vector, if its entries have absolute value at
most `B` and `M = 2 B + 1`. -/
theorem kroneckerDecodeVec_sum {a : Vec Int d} {B : Nat} (ha : ∀ i, (a i).natAbs ≤ B) :
    kroneckerDecodeVec B d (finSum fun i => a i * powers (2 * B + 1) d i) = a := by
  obtain ⟨n, hn⟩ := Classical.axiomOfChoice fun i => exists_digit (ha i)
  funext i
  rw [kroneckerDecodeVec, ← finSum_add, finSum_congr (w := fun i => (n i : Int) * ((((2 * B + 1) ^ i.val : Nat)) : Int))
    fun i => by rw [(hn i).1, powers]; ring, ← cast_ofDigits, Int.toNat_natCast,
    digit_ofDigits_self _ fun i => (hn i).2, (hn i).1]
  ring
end

/-! ## The programs -/
namespace Semantics
variable {K : Type} [OrderedField K] [DecidableEq K] (S : Semantics Int K) {d : Nat}

/-- `0` if `⟨v, (1, M, M², …)⟩ ≠ 0`, otherwise `1`: whether the Kronecker direction has to be changed. -/
def kroneckerChange (v : Vec K d) (M : Nat) : Nat := if S.inner v (powers M d) = 0 then 1 else 0

/-- **The Kronecker program**, for known `v` and a partial inverse `log` of the exponential: it asks one query, and
decodes its score to the score matrix. It returns `none` if `v = 0` or the answer is not that of a head. -/
def kronecker (log : K → Option Int) (B : Nat) (v : Vec K d) : QueryProgram (Query Int d) K (Option (Mat Int d)) :=
  match firstNZ v with
  | none => .done none
  | some p =>
    let u := kroneckerDirection (2 * B + 1) p (S.kroneckerChange v (2 * B + 1))
    let q := kroneckerToken (2 * B + 1) d
    .ask ([q + u], q) fun a => .done ((decode log (S.inner v u) (a - S.inner v q)).map
      (kroneckerDecode B p (S.kroneckerChange v (2 * B + 1))))

private theorem kroneckerChange_le (v : Vec K d) (M : Nat) : S.kroneckerChange v M ≤ 1 := by
  unfold kroneckerChange
  split
  · exact Nat.le_refl 1
  · exact Nat.zero_le 1

/-- The direction pairs with `v` to something nonzero. -/
private theorem inner_kroneckerDirection {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (B : Nat) :
    S.inner v (kroneckerDirection (2 * B + 1) p (S.kroneckerChange v (2 * B + 1))) ≠ 0 := by
  have h : ∀ c : Nat, S.inner v (fun i => ((c * (2 * B + 1) ^ d : Nat) : Int) * basis p i) =
      S.cast ((c * (2 * B + 1) ^ d : Nat) : Int) * v p := fun c => by
    rw [inner, finSum_congr fun i => show _ = S.cast ((c * (2 * B + 1) ^ d : Nat) : Int) * (v i * S.cast (basis p i)) by
      rw [S.cast_mul]; ring, finSum_mul]
    exact congrArg _ (S.inner_basis v p)
  rw [kroneckerDirection, inner_add, h, kroneckerChange]
  split
  · rename_i h0
    rw [h0, zero_add, Nat.one_mul]
    refine mul_ne_zero (fun e => ?_) hp
    have h1 := S.cast_inj _ _ (e.trans S.cast_zero.symm)
    exact Nat.lt_irrefl 0 (Nat.lt_of_lt_of_eq (Nat.pow_pos (Nat.succ_pos (2 * B))) (Int.ofNat_inj.mp h1))
  · rw [Nat.zero_mul, Int.natCast_zero, S.cast_zero, zero_mul, add_zero]
    assumption

/-- **One query identifies a bounded integer score matrix.** -/
theorem kronecker_run {log : K → Option Int} (hlog : ∀ s, log (S.exp s) = some s) {B : Nat} {v : Vec K d} (hv : v ≠ 0)
    {W : Mat Int d} (hW : ∀ i j, (W i j).natAbs ≤ B) : (S.kronecker log B v).run (S.oracle W v) = some W := by
  unfold kronecker
  split
  · rename_i h
    exact absurd (firstNZ_none h) hv
  · rename_i p h
    show Option.map _ (decode log _ (S.eval W v [_ + _] _ - _)) = _
    rw [eval_one, sub_def, add_comm, ← add_assoc, neg_add, zero_add,
      S.decode_exp hlog (S.inner_kroneckerDirection (firstNZ_some h) B)]
    exact congrArg some (kroneckerDecode_score hW p (S.kroneckerChange_le v _))

/-- For `v ≠ 0` the Kronecker program asks exactly one query, of length 2, whatever it talks to; for `v = 0` none. -/
theorem kronecker_queries (log : K → Option Int) (B : Nat) (v : Vec K d) (o : Query Int d → K) :
    (v ≠ 0 → ((S.kronecker log B v).queries o).length = 1) ∧ (v = 0 → (S.kronecker log B v).queries o = []) ∧
      ∀ t ∈ (S.kronecker log B v).queries o, Query.length t = 2 := by
  unfold kronecker
  split
  · rename_i h
    exact ⟨fun hv => absurd (firstNZ_none h) hv, fun _ => rfl, fun _ ht => nomatch ht⟩
  · rename_i p h
    refine ⟨fun _ => rfl, fun hv => absurd (congrFun hv p) (firstNZ_some h), fun t ht => ?_⟩
    rw [List.mem_singleton.mp ht]
    rfl

/-- **The Kronecker program for an unknown integer value vector**, with entries of absolute value at most `C`: the
length-1 query `(1, M, M², …)` for `M = 2 C + 1` reads `v`, and then `kronecker` reads `W`. Here `log` and `toInt` are
partial inverses of the exponential and of the embedding of the integers. -/
def kroneckerPair (log toInt : K → Option Int) (B C : Nat) : QueryProgram (Query Int d) K (Outcome Int K d) :=
  .ask ([], powers (2 * C + 1) d) fun a => match toInt a with
    | none => .done .reject
    | some s =>
      let v : Vec K d := fun i => S.cast (kroneckerDecodeVec C d s i)
      (S.kronecker log B v).bind fun W => .done <| match firstNZ v, W with
        | none, _ => .zero
        | some _, none => .reject
        | some _, some W => .head W v

omit [DecidableEq K] in
private theorem inner_powers {a : Vec Int d} {v : Vec K d} (hv : ∀ i, v i = S.cast (a i)) (M : Nat) :
    S.inner v (powers M d) = S.cast (finSum fun i => a i * powers M d i) := by
  rw [cast_finSum, inner]
  exact finSum_congr fun i => by rw [hv, S.cast_mul]

/-- **Two queries identify a head with bounded integer weights**, or find that `v = 0`. -/
theorem kroneckerPair_run {log toInt : K → Option Int} (hlog : ∀ s, log (S.exp s) = some s)
    (hint : ∀ n, toInt (S.cast n) = some n) {B C : Nat} {W : Mat Int d} (hW : ∀ i j, (W i j).natAbs ≤ B)
    {a : Vec Int d} (ha : ∀ i, (a i).natAbs ≤ C) {v : Vec K d} (hv : ∀ i, v i = S.cast (a i)) :
    (v ≠ 0 → (S.kroneckerPair log toInt B C).run (S.oracle W v) = .head W v) ∧
      (v = 0 → (S.kroneckerPair (d := d) log toInt B C).run (S.oracle W v) = .zero) := by
  have e : (fun i => S.cast (kroneckerDecodeVec C d (finSum fun i => a i * powers (2 * C + 1) d i) i)) = v :=
    funext fun i => by rw [kroneckerDecodeVec_sum ha, hv]
  rw [kroneckerPair, QueryProgram.run, oracle, eval_nil, S.inner_powers hv, hint]
  show (v ≠ 0 → QueryProgram.run _ (QueryProgram.bind _ _) = _) ∧
    (v = 0 → QueryProgram.run _ (QueryProgram.bind _ _) = _)
  rw [QueryProgram.run_bind, e]
  constructor
  · intro h0
    rw [S.kronecker_run hlog h0 hW]
    split
    · rename_i h
      exact absurd (firstNZ_none h) h0
    · rename_i h
      cases h
    · rename_i h
      cases h
      rfl
  · intro h0
    split
    · rfl
    · rename_i h _
      exact absurd (congrFun h0 _) (firstNZ_some h)
    · rename_i h _
      exact absurd (congrFun h0 _) (firstNZ_some h)

/-- The program `kroneckerPair` asks at most two queries, of length at most 2, whatever it talks to. -/
theorem kroneckerPair_count (log toInt : K → Option Int) (B C : Nat) (o : Query Int d → K) :
    ((S.kroneckerPair log toInt B C).queries o).length ≤ 2 ∧
      ∀ t ∈ (S.kroneckerPair log toInt B C).queries o, Query.length t ≤ 2 := by
  rw [kroneckerPair, QueryProgram.queries]
  split
  · refine ⟨Nat.le_succ 1, fun t ht => ?_⟩
    rw [List.mem_singleton.mp ht]
    exact Nat.le_succ 1
  · rename_i s _
    obtain ⟨h1, h2, h3⟩ := S.kronecker_queries log B (fun i => S.cast (kroneckerDecodeVec C d s i)) o
    rw [QueryProgram.queries_bind]
    show (_ :: (_ ++ [])).length ≤ 2 ∧ ∀ t ∈ _ :: (_ ++ []), _
    rw [List.append_nil, List.length_cons]
    refine ⟨Nat.succ_le_succ ?_, fun t ht => ?_⟩
    · by_cases hv : (fun i => S.cast (kroneckerDecodeVec C d s i)) = (0 : Vec K d)
      · rw [h2 hv]
        exact Nat.zero_le 1
      · exact Nat.le_of_eq (h1 hv)
    · rcases List.mem_cons.mp ht with rfl | ht
      · exact Nat.le_succ 1
      · exact Nat.le_of_eq (h3 t ht)
end Semantics

/-! ## The contrast -/
namespace Semantics
variable {K : Type} [OrderedField K] (S : Semantics Int K) {d : Nat}

open Classical in
/-- **One query suffices for bounded integers.** For every `v ≠ 0` and every bound `B` some program that asks one query,
with two distinct tokens, returns every integer score matrix whose entries have absolute value at most `B`. -/
theorem kronecker_one_query (B : Nat) {v : Vec K d} (hv : v ≠ 0) : ∃ p : QueryProgram (Query Int d) K (Mat Int d),
    ∀ W : Mat Int d, (∀ i j, (W i j).natAbs ≤ B) → p.run (S.oracle W v) = W ∧
      (p.queries (S.oracle W v)).length = 1 ∧ ∀ t ∈ p.queries (S.oracle W v), AtMostTwoTokens t := by
  refine ⟨(S.kronecker S.log B v).bind fun W => .done (W.getD 0), fun W hW => ?_⟩
  obtain ⟨h1, -, h3⟩ := S.kronecker_queries S.log B v (S.oracle W v)
  rw [QueryProgram.run_bind, S.kronecker_run (fun s => (S.log_iff _ s).mpr rfl) hv hW, QueryProgram.queries_bind]
  show W = W ∧ (_ ++ []).length = 1 ∧ ∀ t ∈ _ ++ [], _
  rw [List.append_nil]
  refine ⟨rfl, h1 hv, fun t ht => ?_⟩
  obtain ⟨x, hx⟩ := List.length_eq_one_iff.mp (Nat.succ.inj (h3 t ht))
  exact ⟨x, fun y hy => .inl (List.mem_singleton.mp (hx ▸ hy))⟩

/-- The bound on the entries cannot be dropped: for `d ≥ 2` no program identifies all integer score matrices and asks
one of them at most one query with at most two distinct tokens. -/
theorem kronecker_bound_needed (hd : 2 ≤ d) (v : Vec K d) : ¬ ∃ p : QueryProgram (Query Int d) K (Mat Int d),
    (∀ W : Mat Int d, p.run (S.oracle W v) = W) ∧ ∃ W : Mat Int d, (p.queries (S.oracle W v)).length ≤ 1 ∧
      ∀ t ∈ p.queries (S.oracle W v), AtMostTwoTokens t := by
  rintro ⟨p, hid, W, h1, hp⟩
  have h2 : 2 * 2 ≤ 1 := Nat.le_trans (Nat.mul_le_mul hd hd) (Nat.le_trans (S.optimality hid hp) h1)
  exact absurd h2 (by decide)

/-- `v ≠ 0` cannot be dropped: if `d > 0` and `B > 0`, no program identifies the integer score matrices with entries of
absolute value at most `B` on the heads `(W, 0)`. -/
theorem kronecker_value_needed (hd : 0 < d) {B : Nat} (hB : 0 < B) : ¬ ∃ p : QueryProgram (Query Int d) K (Mat Int d),
    ∀ W : Mat Int d, (∀ i j, (W i j).natAbs ≤ B) → p.run (S.oracle W 0) = W := by
  rintro ⟨p, hp⟩
  have h : S.oracle (0 : Mat Int d) 0 = S.oracle (fun _ _ => 1) 0 := funext fun t => by
    rw [oracle, oracle, eval_zero, eval_zero]
  have h1 : (0 : Mat Int d) = fun _ _ => 1 := by
    rw [← hp 0 fun _ _ => Nat.zero_le B, h, hp (fun _ _ => 1) fun _ _ => hB]
  exact S.isDomain.one_ne_zero (congrFun (congrFun h1 ⟨0, hd⟩) ⟨0, hd⟩).symm
end Semantics

end AttentionQueries
