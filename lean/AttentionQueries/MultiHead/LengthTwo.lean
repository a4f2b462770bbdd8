import AttentionQueries.MultiHead.Reduced
import AttentionQueries.Query

/-! # Sequences of length two do not suffice for two heads

The pair of heads `(W, v)`, `(-W, v)` has the value `⟪v, x + q⟫` on the sequence `x, q` whatever `W` is: the two softmax
weights of `x` add up to one. So models with two heads cannot be learned from sequences of length at most two, by any
adaptive program, although they are identifiable from longer ones.

The length of a query counts the query token.

## Main definitions

* `mirrorPair W v`: the heads `(W, v)` and `(-W, v)`.
* `Semantics.oracleHeads`: a multi-head model as an oracle.

## Main statements

* `Semantics.collapse_nil`, `Semantics.collapse`: the value of the pair on one and on two tokens.
* `Semantics.mirrorPair_eq_iff`: two pairs with the same `v` compute the same function iff `W = W'`, `W = -W'`
  or `v = 0`.
* `Semantics.length_two_insufficient`: the pairs agree on all sequences of length at most two, but not on all sequences.
* `Semantics.no_length_two_learner`: for `d ≥ 1` no query program restricted to length two learns all reduced models
  with two heads; `Semantics.length_two_learner_of_dim_zero`: for `d = 0` one does.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

omit [OrderedField K] in
/-- The two heads `(W, v)` and `(-W, v)`. -/
def mirrorPair (W : Mat R d) (v : Vec K d) : List (Head R K d) := [⟨W, v⟩, ⟨-W, v⟩]

namespace Semantics

/-- **Length-two collapse.** On the sequence `x, q` the pair `(W, v)`, `(-W, v)` does not see `W`. -/
theorem collapse (W : Mat R d) (v : Vec K d) (x q : Vec R d) :
    S.evalHeads (mirrorPair W v) [x] q = S.inner v (x + q) := by
  obtain ⟨u, rfl⟩ : ∃ u, x = q + u := ⟨x - q, funext fun i => by rw [vadd_app, vsub_app]; ring⟩
  simp only [mirrorPair, evalHeads, listSum_cons, listSum_nil, eval_one, score_neg, inner_add]
  have h0 := S.exp_mul_neg (score W u q)
  have hx := pos_ne (add_pos (S.exp_pos (score W u q)) one_pos)
  have hy := pos_ne (add_pos (S.exp_pos (-score W u q)) one_pos)
  have h1 := div_mul_cancel (S.exp (score W u q)) hx
  have h2 := div_mul_cancel (S.exp (-score W u q)) hy
  generalize S.exp (score W u q) / (S.exp (score W u q) + 1) = f at *
  generalize S.exp (-score W u q) / (S.exp (-score W u q) + 1) = g at *
  generalize S.exp (score W u q) = a at *
  generalize S.exp (-score W u q) = b at *
  -- the two weights of `x` add up to one
  have hfg : f + g = 1 := by
    apply mul_right_cancel (mul_ne_zero hx hy)
    have e : (f + g) * ((a + 1) * (b + 1)) = a * (b + 1) + b * (a + 1) := by lin_comb (b + 1) h1 + (a + 1) h2
    lin_comb (1) e + (1) h0
  lin_comb (S.inner v u) hfg

/-- On the sequence `q` the pair has the value `⟪v, q + q⟫`. -/
theorem collapse_nil (W : Mat R d) (v : Vec K d) (q : Vec R d) :
    S.evalHeads (mirrorPair W v) [] q = S.inner v (q + q) := by
  rw [mirrorPair, evalHeads, listSum_cons, listSum_cons, listSum_nil, eval_nil, eval_nil, add_zero, inner_add]

/-- On every sequence of length at most two the pair does not see `W`. -/
theorem mirrorPair_short (W W' : Mat R d) (v : Vec K d) {xs : List (Vec R d)} (hxs : xs.length ≤ 1) (q : Vec R d) :
    S.evalHeads (mirrorPair W v) xs q = S.evalHeads (mirrorPair W' v) xs q := by
  cases xs with
  | nil => rw [collapse_nil, collapse_nil]
  | cons x xs =>
    rw [List.length_eq_zero_iff.mp (Nat.le_zero.mp (Nat.le_of_succ_le_succ hxs)), collapse, collapse]

private theorem add_self_ne_zero {v : Vec K d} (hv : v ≠ 0) : v + v ≠ 0 := by
  intro e
  obtain ⟨i, hi⟩ := exists_ne_zero hv
  have h2 : (1 + 1 : K) * v i = 0 := by
    have h := congrFun e i
    rw [vadd_app, vzero_app] at h
    lin_comb (1) h
  exact hi ((mul_eq_zero h2).resolve_left (pos_ne (add_pos one_pos one_pos)))

omit [OrderedField K] in
private theorem neg_mat (W : Mat R d) : - -W = W := funext fun _ => funext fun _ => neg_neg _

/-- Two pairs with the same value vector compute the same function iff the matrices are equal or opposite, or the value
vector is zero. -/
theorem mirrorPair_eq_iff (W W' : Mat R d) (v : Vec K d) :
    (∀ xs q, S.evalHeads (mirrorPair W v) xs q = S.evalHeads (mirrorPair W' v) xs q) ↔ W = W' ∨ W = -W' ∨ v = 0 := by
  constructor
  · intro h
    by_cases h1 : W = W'
    · exact .inl h1
    by_cases h2 : W = -W'
    · exact .inr (.inl h2)
    refine .inr (.inr (Classical.byContradiction fun hv => ?_))
    have ht := (S.fibre _ _).mp h W
    rw [mirrorPair, mirrorPair, total_cons_self, total_cons_of_ne (h := ⟨W', v⟩) (Ne.symm h1),
      total_cons_of_ne (h := ⟨-W', v⟩) (Ne.symm h2)] at ht
    by_cases h3 : -W = W
    · rw [h3, total_cons_self] at ht
      exact add_self_ne_zero hv ((congrArg (v + ·) (vadd_zero v)).symm.trans ht)
    · rw [total_cons_of_ne (h := ⟨-W, v⟩) h3] at ht
      exact hv ((vadd_zero v).symm.trans ht)
  · rintro (rfl | rfl | rfl) xs q
    · rfl
    · rw [mirrorPair, neg_mat]
      exact S.evalHeads_perm (.swap _ _ _) xs q
    · simp only [mirrorPair, evalHeads_zero]

/-- **Length two does not suffice.** If `W ≠ ±W'` and `v ≠ 0`, the two-head models `(W, v), (-W, v)` and
`(W', v), (-W', v)` agree on all sequences of length at most two, where they have the value `⟪v, q + q⟫` or
`⟪v, x + q⟫`, but not on all sequences. By `mirrorPair_eq_iff` each hypothesis is needed. -/
theorem length_two_insufficient {W W' : Mat R d} {v : Vec K d} (h1 : W ≠ W') (h2 : W ≠ -W') (hv : v ≠ 0) :
    (∀ q, S.evalHeads (mirrorPair W v) [] q = S.inner v (q + q) ∧
      S.evalHeads (mirrorPair W' v) [] q = S.inner v (q + q)) ∧
    (∀ x q, S.evalHeads (mirrorPair W v) [x] q = S.inner v (x + q) ∧
      S.evalHeads (mirrorPair W' v) [x] q = S.inner v (x + q)) ∧
    ∃ xs q, S.evalHeads (mirrorPair W v) xs q ≠ S.evalHeads (mirrorPair W' v) xs q := by
  refine ⟨fun q => ⟨S.collapse_nil W v q, S.collapse_nil W' v q⟩,
    fun x q => ⟨S.collapse W v x q, S.collapse W' v x q⟩, ?_⟩
  apply Classical.byContradiction
  intro hn
  have h := (S.mirrorPair_eq_iff W W' v).mp fun xs q => Classical.byContradiction fun hne => hn ⟨xs, q, hne⟩
  exact h.elim h1 fun h => h.elim h2 hv

/-- The oracle of a multi-head model: it answers a context and a query token with the output. -/
def oracleHeads (H : List (Head R K d)) : Query R d → K := fun t => S.evalHeads H t.1 t.2

/-- A query program that asks one pair only about sequences of length at most two gets the same result from every
other pair with the same value vector. -/
theorem run_mirrorPair {α : Type} (p : QueryProgram (Query R d) K α) (W W' : Mat R d) (v : Vec K d)
    (h : ∀ t ∈ p.queries (S.oracleHeads (mirrorPair W v)), Query.length t ≤ 2) :
    p.run (S.oracleHeads (mirrorPair W v)) = p.run (S.oracleHeads (mirrorPair W' v)) :=
  (p.run_congr fun t ht => S.mirrorPair_short W W' v (Nat.le_of_succ_le_succ (h t ht)) t.2).1

private theorem mirrorPair_reduced {W : Mat R d} (hW : W ≠ -W) {v : Vec K d} (hv : v ≠ 0) :
    Reduced (mirrorPair W v) := by
  refine ⟨.cons (fun h hh => ?_) (.cons (fun _ hh => nomatch hh) .nil), fun h hh => ?_⟩
  · rw [List.mem_singleton.mp hh]; exact hW
  · rcases List.mem_cons.mp hh with rfl | hh
    · exact hv
    · rw [List.mem_singleton.mp hh]; exact hv

/-- **No learner restricted to length two.** For `d ≥ 1` there is no query program that, asking every reduced model
with two heads only about sequences of length at most two, always returns a model with the same function. -/
theorem no_length_two_learner (hd : 0 < d) :
    ¬ ∃ p : QueryProgram (Query R d) K (List (Head R K d)), ∀ H : List (Head R K d), H.length = 2 →
      Reduced H → (∀ t ∈ p.queries (S.oracleHeads H), Query.length t ≤ 2) ∧
        ∀ xs q, S.evalHeads (p.run (S.oracleHeads H)) xs q = S.evalHeads H xs q := by
  rintro ⟨p, hp⟩
  have hcast : ∀ {m n : Nat}, (fun _ _ => natCast m : Mat R d) = (fun _ _ => natCast n) → m = n := fun h =>
    natCast_inj (K := K) (by
      have e := congrArg S.cast (congrFun (congrFun h ⟨0, hd⟩) ⟨0, hd⟩)
      rwa [cast_natCast, cast_natCast] at e)
  -- the matrices with all entries one, and all entries two
  have hneg : ∀ m n : Nat, (fun _ _ => natCast (m + 1) : Mat R d) ≠ -fun _ _ => natCast n := fun m n h => by
    have e := congrFun (congrFun h ⟨0, hd⟩) ⟨0, hd⟩
    have h0 : natCast (m + 1 + n) = (0 : R) := by
      rw [natCast_add]
      exact (congrArg (· + natCast n) e).trans (neg_add _)
    have h1 := congrArg S.cast h0
    rw [cast_natCast, cast_zero, Nat.succ_add] at h1
    exact pos_ne (natCast_pos _) h1
  have hv : (basis ⟨0, hd⟩ : Vec K d) ≠ 0 := fun e => zero_ne_one (K := K) (by
    have h := congrFun e ⟨0, hd⟩
    rw [basis_self] at h
    exact h.symm)
  obtain ⟨hs, h1⟩ := hp _ rfl (mirrorPair_reduced (hneg 0 1) hv)
  have h2 := (hp _ rfl (mirrorPair_reduced (hneg 1 2) hv)).2
  rw [S.run_mirrorPair p _ (fun _ _ => natCast 2) _ hs] at h1
  rcases (S.mirrorPair_eq_iff _ _ _).mp fun xs q => (h1 xs q).symm.trans (h2 xs q) with h | h | h
  · exact nomatch hcast h
  · exact hneg 0 2 h
  · exact hv h

/-- `d ≥ 1` is needed: for `d = 0` all models compute zero, and a program without queries learns them. -/
theorem length_two_learner_of_dim_zero :
    ∃ p : QueryProgram (Query R 0) K (List (Head R K 0)), ∀ H : List (Head R K 0),
      (∀ t ∈ p.queries (S.oracleHeads H), Query.length t ≤ 2) ∧
        ∀ xs q, S.evalHeads (p.run (S.oracleHeads H)) xs q = S.evalHeads H xs q :=
  ⟨.done [], fun H => ⟨(fun _ ht => nomatch ht), (S.fibre [] H).mpr fun _ => funext fun i => i.elim0⟩⟩

end Semantics

end AttentionQueries
