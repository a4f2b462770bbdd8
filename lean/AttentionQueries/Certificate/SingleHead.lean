import AttentionQueries.Certificate.Notation
import AttentionQueries.Certificate.Pairs
import AttentionQueries.SingleHead.Learner

/-! # Certificates for one head

A certificate holds a head `(W, v / D)` and the answers to the `d + d²` queries of the learner. If the check succeeds,
then this head gives these answers, and no other head does. Neither the oracle nor the learner has to be trusted.

## Main definitions

* `Answers d v B A o`: the oracle `o` answers the queries of length one by `B` and those of length two by `A`.
* `checkHead`: the check, with integers only.

## Main statements

* `head_certified`: **a head gives the answers iff it is the certified one**, if the check succeeds.
* `checkHead_iff`: the check accepts exactly the true answers of heads with `v ≠ 0`, for data of the right shape.
* `learner_certified`: the learner finds the certified head with every oracle that gives these answers.

## References

The certificates are ours; the queries are those of Theorem 4.1 of arXiv 2601.16873 (v2 numbering as reported). -/

namespace AttentionQueries
open CommRing OrderedField

namespace Certificate

/-- The oracle answers `[eᵢ]` by entry `i` of `B`, and `[eⱼ + uᵢ; eⱼ]` by entry `j` of row `i` of `A`. The directions
`uᵢ` are `probe d v i`. -/
structure Answers (d : Nat) (v : List Int) (B : List (Int × Nat)) (A : List (List (Int × Nat)))
    (o : Query Int d → Rational) : Prop where
  /-- The answers to the queries of length one. -/
  single : ∀ i : Fin d, o ([], basis i) = fraction (nth (0, 1) B i.val)
  /-- The answers to the queries of length two. -/
  pair : ∀ i j : Fin d,
    o ([basis j + probe d v i], basis j) = fraction (nth (0, 1) (nth [] A i.val) j.val)

/-- **The check** that the head `(W, v / D)` has `v ≠ 0` and gives the answers `B` and `A`. -/
def checkHead (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) (B : List (Int × Nat))
    (A : List (List (Int × Nat))) : Bool :=
  checkPairs d W v D (List.replicate d true) (List.replicate d true) B A

variable {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {B : List (Int × Nat)} {A : List (List (Int × Nat))}

private theorem pairAnswers_iff {o : Query Int d → Rational} :
    PairAnswers d v (List.replicate d true) (List.replicate d true) B A o ↔ Answers d v B A o :=
  ⟨fun h => ⟨h.single, fun i j => h.pair i j (.inl (nth_replicate false true i.isLt))⟩,
    fun h => ⟨h.single, fun i j _ => h.pair i j⟩⟩

/-- **Certified head.** If the check succeeds, then the head `(W, v / D)` gives the answers and no other head does. -/
theorem head_certified (h : checkHead d W v D B A = true) (W' : Mat Int d) (v' : Vec Rational d) :
    Answers d v B A (base2.oracle W' v') ↔ W' = matrix d W ∧ v' = values d v D := by
  obtain ⟨hD, hp, hne, ha⟩ := of_checkPairs h
  have ha := pairAnswers_iff.mp ha
  constructor
  · intro h'
    obtain ⟨e1, e2⟩ := base2.head_unique (W := matrix d W) (W' := W') (v := values d v D) (v' := v')
      (p := ⟨firstNonzero v, hp⟩) (mt (values_eq_zero_iff hD _).mp hne)
      (fun i => (ha.single i).trans (h'.single i).symm)
      (fun i j => by rw [← probe_eq hD hp]; exact (ha.pair i j).trans (h'.pair i j).symm)
    exact ⟨e2.symm, e1.symm⟩
  · rintro ⟨rfl, rfl⟩
    exact ha

/-- **Nothing is rejected wrongly.** For data of the right shape, the check succeeds iff `v ≠ 0` and the head gives the
answers. -/
theorem checkHead_iff (hs : Shape d W v D (List.replicate d true) (List.replicate d true) B A) :
    checkHead d W v D B A = true ↔
      firstNonzero v < d ∧ Answers d v B A (base2.oracle (matrix d W) (values d v D)) :=
  ⟨fun h => ⟨(of_checkPairs h).2.1, pairAnswers_iff.mp (of_checkPairs h).2.2.2⟩,
    fun h => checkPairs_of hs h.1 (pairAnswers_iff.mpr h.2)⟩

private theorem firstNZ_eq {K : Type} [OrderedField K] [DecidableEq K] : ∀ {d : Nat} {v : Vec K d} {p : Fin d},
    v p ≠ 0 → (∀ i : Fin d, i.val < p.val → v i = 0) → firstNZ v = some p
  | 0, _, p, _, _ => p.elim0
  | d + 1, v, p, hp, h => by
    rw [firstNZ]
    induction p using Fin.cases with
    | zero => rw [if_neg hp]
    | succ p =>
      rw [if_pos (h 0 (Nat.succ_pos _)), firstNZ_eq (v := fun i => v i.succ) hp fun i hi =>
        h i.succ (Nat.succ_lt_succ hi)]
      rfl

/-- **The learner on certified answers.** With every oracle that gives the certified answers, the learner returns the
certified head after `d + d²` queries. -/
theorem learner_certified {log : Rational → Option Int} (hlog : ∀ s, log (base2.exp s) = some s)
    (h : checkHead d W v D B A = true) {o : Query Int d → Rational} (ho : Answers d v B A o) :
    (learn log).run o = .head (matrix d W) (values d v D) ∧ ((learn log).queries o).length = d + d * d := by
  obtain ⟨hD, hp, hne, ha⟩ := of_checkPairs h
  have ha := pairAnswers_iff.mp ha
  have hp0 : values d v D ⟨firstNonzero v, hp⟩ ≠ 0 := mt (values_eq_zero_iff hD _).mp hne
  have hf : firstNZ (values d v D) = some ⟨firstNonzero v, hp⟩ := firstNZ_eq hp0 fun i hi =>
    (values_eq_zero_iff hD i).mpr (nth_before_firstNonzero hi)
  have hv : values d v D ≠ 0 := fun e => hp0 (congrFun e _)
  have key := QueryProgram.run_congr (learn log) (o := base2.oracle (matrix d W) (values d v D)) (o' := o)
    fun t ht => by
      rw [learn_queries, base2.oracle_basis, headQueries, hf] at ht
      rcases List.mem_append.mp ht with ht | ht
      · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
        exact (ha.single i).trans (ho.single i).symm
      · obtain ⟨i, j, rfl⟩ := mem_rowQueries.mp ht
        rw [← probe_eq hD hp]
        exact (ha.pair i j).trans (ho.pair i j).symm
  rw [← key.1, ← key.2]
  exact ⟨base2.learn_exact hlog _ hv, (base2.learn_count_head log _ _).2 hv⟩

/-- An example of dimension two. -/
example : checkHead 2 [(integers! 1, 0), (integers! -2, 3)] (integers! 0, 1) 2 (fractions! 0/1, 1/2)
    [(fractions! 1/6, 17/18), (fractions! 1/10, 17/18)] = true := by decide +kernel

end Certificate

end AttentionQueries
