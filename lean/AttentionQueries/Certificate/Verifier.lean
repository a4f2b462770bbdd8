import AttentionQueries.MultiHead.ClassTest
import AttentionQueries.Query

/-! # A program that verifies a model within a class

Someone who knows a model, or believes to know it, can verify with an explicit number of queries that an oracle
computes the same function, provided that the oracle is known to be a model with boundedly many heads. Certificates are
the transcripts of such programs.

## Main definitions

* `verify S H T`: ask the listed queries until an answer differs from that of `H`.

## Main statements

* `verify_exact`: **the verifier is exact on the class**, with `((N - 1)(d² - 1) + d)(N - 1) + d` queries. -/

namespace AttentionQueries
open CommRing OrderedField

namespace Certificate
variable {R K : Type} [CommRing R] [OrderedField K] [DecidableEq K] {d : Nat}

/-- Ask the listed queries until an answer differs from that of the model `H`. -/
def verify (S : Semantics R K) (H : List (Head R K d)) : List (Query R d) → QueryProgram (Query R d) K Bool
  | [] => .done true
  | t :: T => .ask t fun a => if a = S.evalHeads H t.1 t.2 then verify S H T else .done false

/-- The verifier accepts iff all answers are those of the model, and asks no more than the listed queries. -/
theorem run_verify (S : Semantics R K) (H : List (Head R K d)) (o : Query R d → K) : ∀ T : List (Query R d),
    ((verify S H T).run o = true ↔ ∀ t ∈ T, o t = S.evalHeads H t.1 t.2) ∧
      ((verify S H T).queries o).length ≤ T.length
  | [] => ⟨⟨(fun _ _ h => nomatch h), fun _ => rfl⟩, Nat.le_refl 0⟩
  | t :: T => by
    obtain ⟨ih1, ih2⟩ := run_verify S H o T
    rw [verify, QueryProgram.run, QueryProgram.queries]
    by_cases h : o t = S.evalHeads H t.1 t.2
    · rw [if_pos h, ih1]
      refine ⟨⟨fun hT t' ht' => ?_, fun hT t' ht' => hT t' (List.mem_cons_of_mem t ht')⟩, Nat.succ_le_succ ih2⟩
      rcases List.mem_cons.mp ht' with rfl | ht'
      · exact h
      · exact hT t' ht'
    · rw [if_neg h]
      exact ⟨⟨(fun h' => nomatch (h' : false = true)), fun hT => absurd (hT t List.mem_cons_self) h⟩,
        Nat.succ_le_succ (Nat.zero_le _)⟩

/-- **The verifier is exact on the class.** At most `((N - 1)(d² - 1) + d)(N - 1) + d` queries decide whether a model
with at most `N - |H|` heads computes the same function as `H`. -/
theorem verify_exact (S : Semantics R K) {N : Nat} {H H' : List (Head R K d)} (hlen : H.length + H'.length ≤ N) :
    ((verify S H (shortTests (moments R d N) N)).run (fun t => S.evalHeads H' t.1 t.2) = true ↔
      ∀ xs q, S.evalHeads H' xs q = S.evalHeads H xs q) ∧
    ((verify S H (shortTests (moments R d N) N)).queries (fun t => S.evalHeads H' t.1 t.2)).length ≤
      ((N - 1) * (d * d - 1) + d) * (N - 1) + d := by
  obtain ⟨h1, h2⟩ := run_verify S H (fun t => S.evalHeads H' t.1 t.2) (shortTests (moments R d N) N)
  rw [length_shortTests, length_moments] at h2
  refine ⟨h1.trans ⟨fun h => (S.fibre H' H).mpr ?_, fun h t _ => h t.1 t.2⟩, h2⟩
  refine S.short_total (S.moments_separating d N) ((H' ++ H).map Head.W) ?_
    (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inl hk), rfl⟩)
    (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inr hk), rfl⟩) h
  rw [List.length_map, List.length_append, Nat.add_comm]
  exact hlen

end Certificate

end AttentionQueries
