import AttentionQueries.MultiHead.Canonical
import AttentionQueries.MultiHead.ClassTest
import AttentionQueries.SingleHead.Optimality

/-! # One program for all models with boundedly many heads

The explicit test for the models with at most `n` heads determines their canonical forms. So one query program, which
asks this fixed list and knows nothing but `n`, returns the canonical form of every such model: no position of the heads
is assumed, and nothing is chosen after the model. It is not said how to compute the result from the answers; the
learners of `MultiHead.Learner` do that, with fewer questions, for heads in a suitable position.

## Main statements

* `Semantics.exists_class_learner`: the program, with the number of its questions.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K)

namespace Semantics

/-- **One program for all models.** For `n ≥ 1` there is a program that asks every oracle the same
`((2 n - 1)(d² - 1) + d)(2 n - 1) + d` questions, of length at most `2 n`, and returns the canonical form, up to order,
of every model whose canonical form has at most `n` heads. -/
theorem exists_class_learner [DecidableEq R] [DecidableEq K] (d : Nat) {n : Nat} (hn : 0 < n) :
    ∃ p : QueryProgram (Query R d) K (List (Head R K d)),
      (∀ o, p.count o = ((2 * n - 1) * (d * d - 1) + d) * (2 * n - 1) + d ∧ ∀ t ∈ p.queries o, Query.length t ≤ 2 * n) ∧
      ∀ M : List (Head R K d), (canonical M).length ≤ n →
        (p.run fun t => S.evalHeads M t.1 t.2).Perm (canonical M) := by
  obtain ⟨hT, hs, h⟩ := S.class_finite_heads d hn
  haveI : Nonempty { H : List (Head R K d) // H.length ≤ n } := ⟨⟨[], Nat.zero_le n⟩⟩
  obtain ⟨p, hp⟩ := QueryProgram.exists_of_determines_upTo
    (fun (H : { H : List (Head R K d) // H.length ≤ n }) (t : Query R d) => S.evalHeads H.1 t.1 t.2)
    (shortTests (moments R d (2 * n)) (2 * n)) (ρ := fun H H' => (canonical H.1).Perm (canonical H'.1))
    fun H H' e => (S.canonical_complete H.1 H'.1).mp ((h H.1 H'.1 H.2 H'.2).mp e)
  have hq : ∀ o, (p.bind fun H => .done (canonical H.1)).queries o = shortTests (moments R d (2 * n)) (2 * n) :=
    fun o => by rw [QueryProgram.queries_bind, hp.1, QueryProgram.queries, List.append_nil]
  refine ⟨p.bind fun H => .done (canonical H.1), fun o => ⟨?_, fun t ht => (hs t (hq o ▸ ht)).1⟩, fun M hM => ?_⟩
  · rw [QueryProgram.count, hq, hT]
  have e : (fun t : Query R d => S.evalHeads M t.1 t.2) = fun t => S.evalHeads (canonical M) t.1 t.2 :=
    funext fun t => (S.evalHeads_canonical M t.1 t.2).symm
  have h1 := hp.2 ⟨canonical M, hM⟩
  rw [canonical_canonical] at h1
  rw [e, QueryProgram.run_bind]
  exact h1

end Semantics

end AttentionQueries
