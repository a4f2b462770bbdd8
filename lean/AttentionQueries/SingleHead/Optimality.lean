import AttentionQueries.Algebra.LinearSystem
import AttentionQueries.Query
import AttentionQueries.SingleHead.Identifiability

/-! # The query count of a single head is optimal

A query has at most two distinct tokens if its context consists of copies of one token `x` and of the query token, in
any order and number. Such a query sees the score matrix `W` only through the one score `(x - q)ᵀ W q`. Fewer than
`d²` scores leave some `D ≠ 0` with all of them zero, and then `W` and `W + D` answer alike. So every program that
identifies `W` with such queries asks at least `d²` of them, on every `W`, however adaptive it is, and even if it is
told `v`.

## Main definitions

* `AtMostTwoTokens t`: the query `t` has at most two distinct tokens.

## Main statements

* `Semantics.length_of_determines_score`: if the answers to queries with at most two tokens determine the score matrix
  of one head, there are at least `d²` queries.
* `Semantics.optimality`: a query program that identifies `W` with such queries asks at least `d²` of them on every
  `W`.
* `Semantics.optimality_attained`: some program, told `v ≠ 0`, identifies `W` with exactly `d²` such queries.
* `Semantics.length_of_determines_value`: whatever the queries, at least `d` of them are needed to determine `v`.
* `Semantics.value_optimality`, `Semantics.value_optimality_attained`: the same for query programs, even told `W`.
* `Semantics.not_identifies_of_value_zero`: for `v = 0` no program identifies `W`.

That neither the restriction to two tokens nor the quantifier over all `W` can be dropped is shown in
`AttentionQueries.SingleHead.ThreeTokens` and `AttentionQueries.SingleHead.Kronecker`.

## References

The upper bound `d² + d` is Theorem 4.1 of arXiv 2601.16873 (v2 numbering as reported).
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] {d : Nat}

/-- The query `t` (a context and a query token) has at most two distinct tokens: its context consists of copies of one
token `x` and of the query token, in any order and number. -/
def AtMostTwoTokens (t : Query R d) : Prop := ∃ x : Vec R d, ∀ y ∈ t.1, y = x ∨ y = t.2

namespace Semantics
variable (S : Semantics R K)

include S in
/-- The ring of scores embeds in an ordered field, so it is an integral domain. -/
theorem isDomain : IsDomain R where
  one_ne_zero := S.scalar_one_ne_zero
  mul_eq_zero a b h := by
    have h1 := S.cast_mul a b
    rw [h, S.cast_zero] at h1
    exact (OrderedField.mul_eq_zero h1.symm).imp (fun e => S.cast_inj _ _ (e.trans S.cast_zero.symm))
      fun e => S.cast_inj _ _ (e.trans S.cast_zero.symm)

/-- A query whose context consists of copies of `x` and of the query token sees `W` only through one score. -/
theorem eval_eq_of_score_eq {W W' : Mat R d} (v : Vec K d) {x q : Vec R d} {xs : List (Vec R d)}
    (hx : ∀ y ∈ xs, y = x ∨ y = q) (h : score W (x - q) q = score W' (x - q) q) :
    S.eval W v xs q = S.eval W' v xs q := by
  have hs : ∀ y ∈ xs, S.exp (score W (y - q) q) = S.exp (score W' (y - q) q) := fun y hy => by
    rcases hx y hy with rfl | rfl
    · rw [h]
    · rw [vsub_self, score_zero, score_zero]
  rw [eval_centred, eval_centred, contextWeight, contextWeight, listSum_congr hs,
    listSum_congr fun y hy => by rw [hs y hy]]

/-- The answer of a head is linear in its value vector. -/
private theorem eval_eq_finSum (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.eval W v xs q = finSum fun i => S.eval W (basis i) xs q * v i := by
  have hi : ∀ (i : Fin d) (x : Vec R d), S.inner (basis i) x = S.cast (x i) := fun i x => by
    rw [inner, finSum_single i fun j hj => by rw [basis_ne hj, zero_mul], basis_self, one_mul]
  have hx : ∀ x, S.exp (score W x q) * S.inner v x = finSum fun i => S.exp (score W x q) * S.inner (basis i) x * v i :=
    fun x => by
      rw [inner, ← finSum_mul]
      exact finSum_congr fun i => by rw [hi]; ring
  rw [eval, listSum_congr fun x _ => hx x, listSum_fsum, div_def, ← finSum_mul_right]
  refine finSum_congr fun i => ?_
  rw [listSum_mul_right, eval, div_def]
  ring

private theorem eq_zero_of_sub_eq {W D : Mat R d} (h : W - D = W) : D = 0 := funext fun i => funext fun j => by
  have h1 : W i j - D i j = W i j := congrFun (congrFun h i) j
  show D i j = 0
  lin_comb (-1) h1

/-- **At least `d²` scores.** If the answers to a list of queries with at most two distinct tokens determine the score
matrix of the head `(W, v)` among all score matrices, `v` being known, then the list has at least `d²` queries. -/
theorem length_of_determines_score {W : Mat R d} {v : Vec K d} {l : List (Query R d)}
    (hl : ∀ t ∈ l, AtMostTwoTokens t)
    (hW : ∀ W' : Mat R d, (∀ t ∈ l, S.oracle W' v t = S.oracle W v t) → W' = W) : d * d ≤ l.length := by
  apply Nat.le_of_not_lt
  intro hlt
  obtain ⟨x, hx⟩ := Classical.axiomOfChoice fun t : Query R d =>
    show ∃ x : Vec R d, AtMostTwoTokens t → ∀ y ∈ t.1, y = x ∨ y = t.2 from
      Classical.byCases (fun h : AtMostTwoTokens t => h.elim fun x hx => ⟨x, fun _ => hx⟩)
        fun h => ⟨0, fun h' => absurd h' h⟩
  obtain ⟨D, hD, h0⟩ := exists_ne_zero_form S.isDomain (l.map fun t => (x t - t.2, t.2)) (by rwa [List.length_map])
  refine hD (eq_zero_of_sub_eq (hW (W - D) fun t ht => S.eval_eq_of_score_eq v (hx t (hl t ht)) ?_))
  rw [score_sub_mat, show score D (x t - t.2) t.2 = 0 from h0 _ (List.mem_map.mpr ⟨t, ht, rfl⟩), sub_zero]

/-- **Optimality of the query count.** Let `v` be known to the program: it may depend on `v` in any way. If the program
returns the score matrix of every head `(W', v)`, and its queries to the head `(W, v)` have at most two distinct tokens,
then it asks that head at least `d²` queries. -/
theorem optimality {v : Vec K d} {p : QueryProgram (Query R d) K (Mat R d)}
    (hid : ∀ W' : Mat R d, p.run (S.oracle W' v) = W') {W : Mat R d}
    (hp : ∀ t ∈ p.queries (S.oracle W v), AtMostTwoTokens t) : d * d ≤ (p.queries (S.oracle W v)).length :=
  S.length_of_determines_score hp fun W' h =>
    (hid W').symm.trans ((QueryProgram.run_congr p fun t ht => (h t ht).symm).1.symm.trans (hid W))

/-- **At least `d` queries for the values.** Whatever the queries are, if their answers determine the value vector of
the head `(W, v)` among all value vectors, `W` being known, then there are at least `d` of them. -/
theorem length_of_determines_value {W : Mat R d} {v : Vec K d} {l : List (Query R d)}
    (hv : ∀ v' : Vec K d, (∀ t ∈ l, S.oracle W v' t = S.oracle W v t) → v' = v) : d ≤ l.length := by
  apply Nat.le_of_not_lt
  intro hlt
  obtain ⟨x, hx, h0⟩ := exists_ne_zero_solution (IsDomain.of_orderedField K)
    (l.map fun t i => S.eval W (basis i) t.1 t.2) (by rwa [List.length_map])
  obtain ⟨i, hi⟩ := exists_ne_zero hx
  refine hi (add_left_cancel ((congrFun (hv (v + x) fun t ht => ?_) i).trans (add_zero (v i)).symm))
  have h1 := h0 _ (List.mem_map.mpr ⟨t, ht, rfl⟩)
  have h2 : ∀ i, S.eval W (basis i) t.1 t.2 * (v + x) i =
      S.eval W (basis i) t.1 t.2 * v i + S.eval W (basis i) t.1 t.2 * x i := fun i => mul_add _ _ _
  rw [oracle, oracle, eval_eq_finSum, S.eval_eq_finSum W v, finSum_congr h2, finSum_add, h1, add_zero]

/-- A query program that returns the value vector of every head `(W, v')`, even one that is told `W`, asks at least `d`
queries, whatever they are. -/
theorem value_optimality {W : Mat R d} {p : QueryProgram (Query R d) K (Vec K d)}
    (hid : ∀ v' : Vec K d, p.run (S.oracle W v') = v') (v : Vec K d) : d ≤ (p.queries (S.oracle W v)).length :=
  S.length_of_determines_value fun v' h =>
    (hid v').symm.trans ((QueryProgram.run_congr p fun t ht => (h t ht).symm).1.symm.trans (hid v))
end Semantics

/-! ## The bounds are attained -/
namespace QueryProgram
variable {Q A ι : Type}

/-- The program that asks the questions of a list and decodes the answers. -/
private def askAll : List Q → (List A → ι) → QueryProgram Q A ι
  | [], f => done (f [])
  | q :: l, f => ask q fun a => askAll l fun as => f (a :: as)

private theorem run_askAll (o : Q → A) : ∀ (l : List Q) (f : List A → ι), (askAll l f).run o = f (l.map o)
  | [], _ => rfl
  | q :: l, f => by rw [askAll, run, run_askAll, List.map_cons]

private theorem queries_askAll (o : Q → A) : ∀ (l : List Q) (f : List A → ι), (askAll l f).queries o = l
  | [], _ => rfl
  | q :: l, f => by rw [askAll, queries, queries_askAll]

private theorem eq_of_map_eq {o o' : Q → A} : ∀ {l : List Q}, l.map o = l.map o' → ∀ q ∈ l, o q = o' q
  | q :: l, h, q', hq => by
    rw [List.map_cons, List.map_cons] at h
    injection h with h1 h2
    rcases List.mem_cons.mp hq with rfl | hq
    · exact h1
    · exact eq_of_map_eq h2 q' hq

open Classical in
/-- If the answers to a fixed list of questions determine up to a relation which oracle of a family is being asked, then
a program that always asks this list can name the oracle up to this relation. -/
theorem exists_of_determines_upTo [Nonempty ι] (o : ι → Q → A) (l : List Q) {ρ : ι → ι → Prop}
    (h : ∀ i j, (∀ q ∈ l, o i q = o j q) → ρ i j) :
    ∃ p : QueryProgram Q A ι, (∀ o', p.queries o' = l) ∧ ∀ i, ρ (p.run (o i)) i := by
  refine ⟨askAll l fun as => if h : ∃ i, l.map (o i) = as then Classical.choose h else Classical.choice inferInstance,
    fun _ => queries_askAll _ _ _, fun i => ?_⟩
  have hi : ∃ j, l.map (o j) = l.map (o i) := ⟨i, rfl⟩
  rw [run_askAll, dif_pos hi]
  exact h _ _ (eq_of_map_eq (Classical.choose_spec hi))

/-- If the answers to a fixed list of questions determine which oracle of a family is being asked, then the program that
asks this list can name the oracle. -/
theorem exists_of_determines [Nonempty ι] (o : ι → Q → A) (l : List Q)
    (h : ∀ i j, (∀ q ∈ l, o i q = o j q) → i = j) :
    ∃ p : QueryProgram Q A ι, ∀ i, p.run (o i) = i ∧ p.queries (o i) = l :=
  (exists_of_determines_upTo o l h).elim fun p hp => ⟨p, fun i => ⟨hp.2 i, hp.1 _⟩⟩
end QueryProgram

namespace Semantics
variable (S : Semantics R K)

/-- **The bound `d²` is attained.** For every `v ≠ 0` some program identifies `W` on all heads `(W, v)` with exactly
`d²` queries, all with at most two distinct tokens. -/
theorem optimality_attained {v : Vec K d} (hv : v ≠ 0) : ∃ p : QueryProgram (Query R d) K (Mat R d), ∀ W : Mat R d,
    p.run (S.oracle W v) = W ∧ (p.queries (S.oracle W v)).length = d * d ∧
      ∀ t ∈ p.queries (S.oracle W v), AtMostTwoTokens t := by
  haveI : DecidableEq K := fun _ _ => Classical.propDecidable _
  obtain ⟨i₀, h0⟩ := exists_ne_zero hv
  obtain ⟨p, hp⟩ := (haveI : Nonempty (Mat R d) := ⟨0⟩
    QueryProgram.exists_of_determines (fun W : Mat R d => S.oracle W v) (rowQueries v i₀) fun W W' h =>
      (S.head_unique h0 (fun i => by rw [eval_nil, eval_nil]) fun i j => h _ (mem_rowQueries.mpr ⟨i, j, rfl⟩)).2)
  refine ⟨p, fun W => ⟨(hp W).1, by rw [(hp W).2, length_rowQueries], fun t ht => ?_⟩⟩
  obtain ⟨i, j, rfl⟩ := mem_rowQueries.mp ((hp W).2 ▸ ht)
  exact ⟨_, fun y hy => .inl (List.mem_singleton.mp hy)⟩

/-- **The bound `d` is attained**: for every `W` the `d` length-1 queries `eᵢ` identify `v`. -/
theorem value_optimality_attained (W : Mat R d) : ∃ p : QueryProgram (Query R d) K (Vec K d), ∀ v : Vec K d,
    p.run (S.oracle W v) = v ∧ (p.queries (S.oracle W v)).length = d := by
  obtain ⟨p, hp⟩ := (haveI : Nonempty (Vec K d) := ⟨0⟩
    QueryProgram.exists_of_determines (fun v : Vec K d => S.oracle W v) (basisQueries R d) fun v v' h => by
      rw [← S.eval_basis W v, ← S.eval_basis W v']
      exact funext fun i => h _ (mem_basisQueries.mpr ⟨i, rfl⟩))
  exact ⟨p, fun v => ⟨(hp v).1, by rw [(hp v).2, length_basisQueries]⟩⟩

/-- `v ≠ 0` is necessary for the hypothesis of `optimality` to hold at all: if `d > 0`, no program whatever identifies
`W` on the heads `(W, 0)`. -/
theorem not_identifies_of_value_zero (hd : 0 < d) :
    ¬ ∃ p : QueryProgram (Query R d) K (Mat R d), ∀ W : Mat R d, p.run (S.oracle W 0) = W := by
  rintro ⟨p, hp⟩
  obtain ⟨W, hW, h⟩ := S.exists_ne_of_value_zero hd (0 : Mat R d)
  exact hW (by rw [← hp 0, show S.oracle (0 : Mat R d) 0 = S.oracle W 0 from funext fun t => h t.1 t.2, hp])
end Semantics

end AttentionQueries
