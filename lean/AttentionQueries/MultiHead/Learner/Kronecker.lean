import AttentionQueries.MultiHead.Learner.Integers
import AttentionQueries.MultiHead.Learner.Table

/-! # Several heads with bounded integer entries from two questions a head

If the entries of all matrices and values are integers of absolute value at most `B`, at most `N` heads are learnt from
`2 N` questions: one of length one, at the token `u = (1, M, M², …)`, and `2 N - 1` in the direction `(u, q)`, where
`q = (1, L, L², …)`, `M = 2 N B + 1` and `L = M ^ (d + 1)`. The answer to the first is a number whose digits are the
entries of `V = ∑ v`. In the direction each head shows a score and a residue: the digits of the score are the entries of
its matrix, those of the residue the entries of its value vector. Since no score and no value is shown twice, the
decoder finds them.

## Main definitions
- `kroneckerMatrix`: the integer matrix that has a given score.
- `Semantics.kroneckerHeads`: the program.

## Main statements
- `Semantics.kroneckerHeads_run`: against at most `N` heads with integer entries of absolute value at most `B` it
  returns the canonical form, up to order.
- `Semantics.kroneckerHeads_count`, `Semantics.kroneckerHeads_mem`: against any oracle it asks `2 N` questions
  (`N ≥ 1`), the first of length one, the others with at most `N` context tokens, of at most two kinds.
- `Semantics.kroneckerHeads_matrix_bound_needed`: a program that asks such questions and learns heads with one given
  value vector and arbitrary integer matrices asks at least `d²`.
- `Semantics.kroneckerHeads_value_bound_needed`: a program that learns integer value vectors without a bound, or
  arbitrarily small ones that are not integers, asks at least `d` questions, even if the matrix is known to be `0`.
- `Semantics.kroneckerHeads_count_needed`: `N` heads are not learnt if the program allows fewer.
-/

namespace AttentionQueries
open CommRing OrderedField

/-- The integer matrix with entries from `-B` to `B` whose score in the direction `(u, q)` with `u = (1, M, M², …)` and
`q = (1, L, L², …)`, `M = 2 B + 1`, `L = M ^ (d + 1)`, is `s`. -/
def kroneckerMatrix (B : Nat) {d : Nat} (s : Int) : Mat Int d := fun i => kroneckerDecode B i 0 s i

private theorem kroneckerDirection_zero {M d : Nat} (p : Fin d) : kroneckerDirection M p 0 = powers M d :=
  funext fun i => by
    show powers M d i + ((0 * M ^ d : Nat) : Int) * basis p i = _
    rw [Nat.zero_mul, Int.natCast_zero]
    exact (congrArg (_ + ·) (zero_mul _)).trans (add_zero _)

/-- The score of a bounded integer matrix determines it. -/
theorem kroneckerMatrix_score {B d : Nat} {W : Mat Int d} (hW : ∀ i j, (W i j).natAbs ≤ B) :
    kroneckerMatrix B (score W (powers (2 * B + 1) d) (kroneckerToken (2 * B + 1) d)) = W := funext fun i => by
  have h := kroneckerDecode_score hW i (Nat.zero_le 1)
  rw [kroneckerDirection_zero] at h
  exact congrFun h i

variable {K : Type} [OrderedField K] (S : Semantics Int K) {d : Nat}
namespace Semantics

/-- The vector of integers, read as values, whose product with `(1, M, M², …)`, `M = 2 B + 1`, is `x`. Here `toInt` is a
partial inverse of the embedding of the integers. -/
def kroneckerValue (toInt : K → Option Int) (B d : Nat) (x : K) : Vec K d :=
  S.castV (kroneckerDecodeVec B d ((toInt x).getD 0))

/-- **The program for at most `N` heads with integer entries of absolute value at most `B`**: the sum of the values from
one question, then one direction, whose scores and residues `dec` finds; then only digits are read. -/
def kroneckerHeads (N B : Nat) (dec : K → (Fin (2 * N - 1) → K) → List (Int × K)) (toInt : K → Option Int) :
    QueryProgram (Query Int d) K (List (Head Int K d)) :=
  .ask ([], powers (2 * (N * B) + 1) d) fun a =>
    (askDirection K N (powers (2 * (N * B) + 1) d) (kroneckerToken (2 * (N * B) + 1) d)).bind fun y =>
      .done ((S.decodeDirection dec (S.kroneckerValue toInt (N * B) d a) (powers (2 * (N * B) + 1) d)
        (kroneckerToken (2 * (N * B) + 1) d) y).map fun p =>
          ⟨kroneckerMatrix (N * B) p.1, S.kroneckerValue toInt (N * B) d p.2⟩)

/-! ## the questions -/

/-- **Query count**, against any oracle: `2 N` questions, for `N ≥ 1`. -/
theorem kroneckerHeads_count {N : Nat} (hN : 0 < N) (B : Nat) (dec : K → (Fin (2 * N - 1) → K) → List (Int × K))
    (toInt : K → Option Int) (o : Query Int d → K) :
    ((S.kroneckerHeads N B dec toInt).queries o).length = 2 * N := by
  rw [kroneckerHeads, QueryProgram.queries, QueryProgram.queries_bind]
  show (_ :: (_ ++ [])).length = 2 * N
  rw [List.append_nil, List.length_cons, length_askDirection]
  exact Nat.sub_add_cancel (Nat.mul_pos (Nat.succ_pos 1) hN)

/-- **What is asked**, against any oracle: the question of length one, and contexts of at most `N` tokens, each of them
one of two tokens. -/
theorem kroneckerHeads_mem {N B : Nat} {dec : K → (Fin (2 * N - 1) → K) → List (Int × K)} {toInt : K → Option Int}
    {o : Query Int d → K} {t : Query Int d} (ht : t ∈ (S.kroneckerHeads N B dec toInt).queries o) :
    t.1.length ≤ N ∧ AtMostTwoTokens t := by
  rw [kroneckerHeads, QueryProgram.queries, QueryProgram.queries_bind] at ht
  rcases List.mem_cons.mp ht with rfl | ht
  · exact ⟨Nat.zero_le N, 0, fun _ h => nomatch h⟩
  rcases List.mem_append.mp ht with ht | ht
  · refine ⟨length_le_of_mem_askDirection ht, ?_⟩
    rw [askDirection, QueryProgram.queries_forFin, List.mem_flatMap] at ht
    obtain ⟨k, -, ht⟩ := ht
    rw [List.mem_singleton.mp ht]
    refine ⟨kroneckerToken (2 * (N * B) + 1) d + powers (2 * (N * B) + 1) d, fun y hy => ?_⟩
    have hy : y ∈ copies _ _ _ _ := hy
    rw [copies] at hy
    rcases List.mem_append.mp hy with hy | hy
    · exact .inl (List.mem_replicate.mp hy).2
    · exact .inr (List.mem_replicate.mp hy).2
  · cases ht

/-! ## what is found -/

private theorem inner_powers {B : Nat} {v : Vec K d} (hv : S.IntegralUpTo B v) :
    ∃ z : Vec Int d, v = S.castV z ∧ (∀ i, (z i).natAbs ≤ B) ∧
      ∀ x : Vec Int d, S.inner v x = S.cast (finSum fun i => z i * x i) := by
  obtain ⟨z, hz⟩ := Classical.axiomOfChoice hv
  refine ⟨z, funext fun i => (hz i).1, fun i => (hz i).2, fun x => ?_⟩
  rw [cast_finSum, inner]
  exact congrArg finSum (funext fun i => by rw [S.cast_mul, (hz i).1])

/-- the product with `(1, M, M², …)` determines a bounded integer value vector -/
private theorem kroneckerValue_inner {toInt : K → Option Int} (hint : ∀ n, toInt (S.cast n) = some n) {B : Nat}
    {v : Vec K d} (hv : S.IntegralUpTo B v) :
    S.kroneckerValue toInt B d (S.inner v (powers (2 * B + 1) d)) = v := by
  obtain ⟨z, rfl, hz, hx⟩ := S.inner_powers hv
  rw [kroneckerValue, hx, hint]
  exact congrArg S.castV (kroneckerDecodeVec_sum hz)

private theorem inner_sum (G : List (Head Int K d)) (x : Vec Int d) :
    S.inner (fun a => listSum G fun g => g.v a) x = listSum G fun g => S.inner g.v x := by
  induction G with
  | nil => exact S.zero_inner x
  | cons g G ih => rw [listSum_cons, ← ih, ← add_inner]; rfl

private theorem integral_sum {B : Nat} : ∀ {L : List (Head Int K d)}, (∀ g ∈ L, S.IntegralUpTo B g.v) →
    S.IntegralUpTo (L.length * B) fun a => listSum L fun g => g.v a
  | [], _ => fun _ => ⟨0, S.cast_zero.symm, Nat.zero_le _⟩
  | g :: L, h => fun i => by
    obtain ⟨z, hz, hb⟩ := integral_sum (fun g hg => h g (List.mem_cons_of_mem _ hg)) i
    obtain ⟨z', hz', hb'⟩ := h g List.mem_cons_self i
    rw [List.length_cons, Nat.succ_mul]
    refine ⟨z + z', ?_, natAbs_add_le hb hb'⟩
    show g.v i + listSum L (fun g => g.v i) = _
    rw [show listSum L (fun g => g.v i) = S.cast z from hz, S.cast_add, hz']
    ring

/-- reduced heads, with entries bounded by `B` in matrices and values, are found -/
private theorem decode_perm {N B : Nat} {dec : K → (Fin (2 * N - 1) → K) → List (Int × K)} (hdec : S.IsDecoder N dec)
    {toInt : K → Option Int} (hint : ∀ n, toInt (S.cast n) = some n) {G : List (Head Int K d)} (hr : Reduced G)
    (hlen : G.length ≤ N) (hW : ∀ g ∈ G, ∀ i j, (g.W i j).natAbs ≤ B) (hv : ∀ g ∈ G, S.IntegralUpTo B g.v)
    {V : Vec K d} (hV : ∀ x, S.inner V x = listSum G fun g => S.inner g.v x) :
    ((S.decodeDirection dec V (powers (2 * B + 1) d) (kroneckerToken (2 * B + 1) d)
      ((askDirection K N (powers (2 * B + 1) d) (kroneckerToken (2 * B + 1) d)).run fun t =>
        S.evalHeads G t.1 t.2)).map fun p =>
          (⟨kroneckerMatrix B p.1, S.kroneckerValue toInt B d p.2⟩ : Head Int K d)).Perm G := by
  have h := hdec.exact (S.shadow G (powers (2 * B + 1) d) (kroneckerToken (2 * B + 1) d))
    (by rw [shadow, List.length_map]; exact hlen)
    (List.pairwise_map.mpr (pairwise_mem hr.distinct fun g hg g' hg' hne e => hne (by
      have e : score g.W _ _ = score g'.W _ _ := e
      rw [← kroneckerMatrix_score (hW g hg), e, kroneckerMatrix_score (hW g' hg')])))
    fun p hp e => by
      obtain ⟨g, hg, rfl⟩ := List.mem_map.mp hp
      have e : S.inner g.v _ = 0 := e
      refine hr.ne_zero g hg ?_
      have h0 : S.IntegralUpTo B (0 : Vec K d) := fun _ => ⟨0, S.cast_zero.symm, Nat.zero_le B⟩
      rw [← S.kroneckerValue_inner hint (hv g hg), e, ← S.zero_inner (powers (2 * B + 1) d),
        S.kroneckerValue_inner hint h0]
  have e1 : listSum (S.shadow G (powers (2 * B + 1) d) (kroneckerToken (2 * B + 1) d)) Prod.snd =
      S.inner V (powers (2 * B + 1) d) := by
    rw [hV, shadow, listSum_map]
  have e2 : (fun i : Fin (2 * N - 1) => cauchySum (rho (ratio N i.val))
      (S.poles (S.shadow G (powers (2 * B + 1) d) (kroneckerToken (2 * B + 1) d)))) = fun i =>
        (askDirection K N (powers (2 * B + 1) d) (kroneckerToken (2 * B + 1) d)).run
          (fun t => S.evalHeads G t.1 t.2) i - S.inner V (kroneckerToken (2 * B + 1) d) := funext fun i => by
    rw [askDirection, QueryProgram.run_forFin]
    show _ = S.evalHeads G (copies _ _ _ _) _ - _
    rw [evalHeads_ratio, hV]
    ring
  rw [e1, e2] at h
  refine .trans (List.Perm.map _ h) (List.Perm.of_eq ?_)
  rw [shadow, List.map_map]
  refine Eq.trans (List.map_congr_left fun g hg => ?_) (List.map_id G)
  show (⟨kroneckerMatrix B (score g.W _ _), S.kroneckerValue toInt B d (S.inner g.v _)⟩ : Head Int K d) = g
  rw [kroneckerMatrix_score (hW g hg), S.kroneckerValue_inner hint (hv g hg)]

/-- **Several heads from two questions a head.** Against every model of at most `N` heads whose matrices and values have
integer entries of absolute value at most `B` the program returns the canonical form, up to order. Of `toInt` it is only
asked that it is inverse to the embedding of the integers. -/
theorem kroneckerHeads_run [DecidableEq K] {N B : Nat} {dec : K → (Fin (2 * N - 1) → K) → List (Int × K)}
    (hdec : S.IsDecoder N dec) {toInt : K → Option Int} (hint : ∀ n, toInt (S.cast n) = some n)
    {L : List (Head Int K d)} (hlen : L.length ≤ N) (hW : ∀ g ∈ L, ∀ i j, (g.W i j).natAbs ≤ B)
    (hv : ∀ g ∈ L, S.IntegralUpTo B g.v) :
    ((S.kroneckerHeads N B dec toInt).run fun t => S.evalHeads L t.1 t.2).Perm (canonical L) := by
  have hr := canonical_reduced L
  have ho : (fun t : Query Int d => S.evalHeads L t.1 t.2) = fun t => S.evalHeads (canonical L) t.1 t.2 :=
    funext fun t => (S.evalHeads_canonical L t.1 t.2).symm
  have hsum : S.IntegralUpTo (N * B) fun a => listSum L fun g => g.v a := fun i => by
    obtain ⟨z, hz, hb⟩ := S.integral_sum hv i
    exact ⟨z, hz, Nat.le_trans hb (Nat.mul_le_mul_right B hlen)⟩
  have hnil : ∀ x : Vec Int d, S.evalHeads L [] x = S.inner (fun a => listSum L fun g => g.v a) x := fun x => by
    rw [inner_sum, evalHeads]
    exact listSum_congr fun g _ => S.eval_nil g.W g.v x
  have hV : ∀ x : Vec Int d, S.inner (fun a => listSum L fun g => g.v a) x =
      listSum (canonical L) fun g => S.inner g.v x := fun x => by
    rw [← hnil, ← S.evalHeads_canonical L, evalHeads]
    exact listSum_congr fun g _ => S.eval_nil g.W g.v x
  rw [kroneckerHeads, QueryProgram.run, QueryProgram.run_bind, hnil, S.kroneckerValue_inner hint hsum, ho]
  refine S.decode_perm hdec hint hr (Nat.le_trans (length_canonical_le L) hlen) (fun g hg i j => ?_)
    (fun g hg i => ?_) hV
  · obtain ⟨g', hg', e⟩ := mem_canonical hg
    rw [e]
    refine Nat.le_trans (hW g' hg' i j) (Nat.le_mul_of_pos_left B ?_)
    exact Nat.lt_of_lt_of_le (List.length_pos_of_mem hg') hlen
  · obtain ⟨z, hz, hb⟩ := S.integral_total g.W hv i
    rw [← total_canonical, total_of_mem hr.distinct hg] at hz
    exact ⟨z, hz, Nat.le_trans hb (Nat.mul_le_mul_right B hlen)⟩

/-! ## what is needed -/

/-- The number of heads must be bounded: the program never returns more than `N`, whatever the oracle. -/
theorem kroneckerHeads_count_needed {N B : Nat} {dec : K → (Fin (2 * N - 1) → K) → List (Int × K)}
    (hdec : S.IsDecoder N dec) (toInt : K → Option Int) (o : Query Int d → K) :
    ((S.kroneckerHeads N B dec toInt).run o).length ≤ N := by
  rw [kroneckerHeads, QueryProgram.run, QueryProgram.run_bind]
  exact Nat.le_trans (Nat.le_of_eq (List.length_map _)) (hdec.length_le _ _)

/-- **A bound on the matrices is needed**: a program with questions of at most two distinct tokens that returns, up to
order, the canonical form of every model of one head with the value vector `v` and an integer matrix, asks at least `d²`
questions, whichever of the models it talks to. So no bound, no `2 N` questions, if `2 N < d²`. -/
theorem kroneckerHeads_matrix_bound_needed [DecidableEq K] {v : Vec K d} (hv : v ≠ 0)
    {p : QueryProgram (Query Int d) K (List (Head Int K d))}
    (hp : ∀ W : Mat Int d, (p.run fun t => S.evalHeads [⟨W, v⟩] t.1 t.2).Perm (canonical [⟨W, v⟩])) (W : Mat Int d)
    (h2 : ∀ t ∈ p.queries fun t => S.evalHeads [⟨W, v⟩] t.1 t.2, AtMostTwoTokens t) :
    d * d ≤ (p.queries fun t => S.evalHeads [⟨W, v⟩] t.1 t.2).length := by
  have ho : ∀ W : Mat Int d, (fun t : Query Int d => S.evalHeads [⟨W, v⟩] t.1 t.2) = S.oracle W v := fun W =>
    funext fun t => S.evalHeads_singleton ⟨W, v⟩ t.1 t.2
  have hq : ∀ W : Mat Int d, p.run (S.oracle W v) = [⟨W, v⟩] := fun W => by
    have h := hp W
    rw [canonical_of_reduced (H := [⟨W, v⟩]) ⟨List.pairwise_singleton _ _, fun g hg => by
      rw [List.mem_singleton.mp hg]; exact hv⟩, ho] at h
    exact List.perm_singleton.mp h
  rw [ho] at h2 ⊢
  refine S.length_of_determines_score (W := W) (v := v) h2 fun W' h => ?_
  have e := (QueryProgram.run_congr p fun t ht => (h t ht).symm).1
  rw [hq, hq] at e
  injection e with e
  injection e with e
  exact e.symm

private theorem eval_matrix_zero (z : Vec Int d) (xs : List (Vec Int d)) (q : Vec Int d)
    (h : (finSum fun i => (listSum (xs ++ [q]) fun x => x i) * z i) = 0) :
    S.eval 0 (S.castV z) xs q = 0 := by
  have h0 : ∀ x : Vec Int d, score (0 : Mat Int d) x q = 0 := fun x => finSum_zero fun i => by
    have e : mulVec (0 : Mat Int d) q i = 0 := finSum_zero fun j => zero_mul _
    rw [e, mul_zero]
  have hz : ∀ l : List (Vec Int d), listSum l (fun x => S.exp (score (0 : Mat Int d) x q) * S.inner (S.castV z) x) =
      S.cast (finSum fun i => (listSum l fun x => x i) * z i) := fun l => by
    induction l with
    | nil =>
      have e : (finSum fun i => (listSum ([] : List (Vec Int d)) fun x => x i) * z i) = 0 :=
        finSum_zero fun i => zero_mul _
      rw [e, S.cast_zero, listSum_nil]
    | cons x l ih =>
      rw [listSum_cons, ih, h0, exp_zero, one_mul, show (fun i => (listSum (x :: l) fun x => x i) * z i) =
        fun i => z i * x i + (listSum l fun x => x i) * z i from funext fun i => by rw [listSum_cons]; ring, finSum_add,
        S.cast_add, cast_finSum (x := fun i => z i * x i)]
      exact congrArg (· + _) (congrArg finSum (funext fun i => (S.cast_mul _ _).symm))
  rw [eval, hz, h, S.cast_zero, zero_div]

/-- **Integer values, and a bound on them, are needed**: a program that asks fewer than `d` questions when all answers
are zero confuses no heads with a head with the matrix `0` and a value vector `c z`, for some integer vector `z ≠ 0` and
every number `c`: against both it returns the same. For `c = 1` the values are integers without a bound, for small `c`
they are bounded, but not integers. -/
theorem kroneckerHeads_value_bound_needed {α : Type} (p : QueryProgram (Query Int d) K α)
    (h : (p.queries fun _ => 0).length < d) : ∃ z : Vec Int d, z ≠ 0 ∧ ∀ c : K,
      (p.run fun t => S.evalHeads [⟨0, fun i => c * S.cast (z i)⟩] t.1 t.2) =
        p.run fun t => S.evalHeads [] t.1 t.2 := by
  obtain ⟨z, hz, h0⟩ := exists_ne_zero_solution S.isDomain
    ((p.queries fun _ => 0).map fun t i => listSum (t.1 ++ [t.2]) fun x => x i) (by rwa [List.length_map])
  refine ⟨z, hz, fun c => ((QueryProgram.run_congr p fun t ht => ?_).1.symm)⟩
  show (0 : K) = S.evalHeads [⟨0, fun i => c * S.castV z i⟩] t.1 t.2
  rw [evalHeads_singleton, eval_scale, S.eval_matrix_zero z t.1 t.2 (h0 _ (List.mem_map.mpr ⟨t, ht, rfl⟩)), mul_zero]
end Semantics

end AttentionQueries
