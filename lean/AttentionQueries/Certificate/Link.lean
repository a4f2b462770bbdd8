import AttentionQueries.Certificate.ClassCert

/-! # Programs and certificates together -/

namespace AttentionQueries
open CommRing OrderedField

set_option linter.unusedVariables false

/-! ## a program that verifies a base2 within a class -/
section
variable {R K : Type} [CommRing R] [OrderedField K] [DecidableEq K] {d : Nat}
/-- ask the listed questions until an answer differs from that of `H` -/
def verify (S : Semantics R K) (H : List (Head R K d)) : List (Query R d) → QueryProgram (Query R d) K Bool
  | [] => .done true
  | t :: T => .ask t fun a => if a = S.evalHeads H t.1 t.2 then verify S H T else .done false
theorem run_verify (S : Semantics R K) (H : List (Head R K d)) (o : Query R d → K) : ∀ T : List (Query R d),
    ((verify S H T).run o = true ↔ ∀ t ∈ T, o t = S.evalHeads H t.1 t.2) ∧ ((verify S H T).queries o).length ≤ T.length
  | [] => ⟨⟨(fun _ _ h => nomatch h), fun _ => rfl⟩, Nat.le_refl 0⟩
  | t :: T => by
    obtain ⟨ih1, ih2⟩ := run_verify S H o T
    by_cases h : o t = S.evalHeads H t.1 t.2
    · have e1 : (verify S H (t :: T)).run o = (verify S H T).run o := by
        show QueryProgram.run o (if o t = S.evalHeads H t.1 t.2 then verify S H T else .done false) = _
        rw [if_pos h]
      have e2 : (verify S H (t :: T)).queries o = t :: (verify S H T).queries o := by
        show t :: QueryProgram.queries o (if o t = S.evalHeads H t.1 t.2 then verify S H T else .done false) = _
        rw [if_pos h]
      rw [e1, e2, ih1]
      refine ⟨⟨fun hT t' ht' => ?_, fun hT t' ht' => hT t' (List.mem_cons_of_mem t ht')⟩, Nat.succ_le_succ ih2⟩
      rcases List.mem_cons.mp ht' with rfl | ht'
      · exact h
      · exact hT t' ht'
    · have e1 : (verify S H (t :: T)).run o = false := by
        show QueryProgram.run o (if o t = S.evalHeads H t.1 t.2 then verify S H T else .done false) = _
        rw [if_neg h]; rfl
      have e2 : (verify S H (t :: T)).queries o = [t] := by
        show t :: QueryProgram.queries o (if o t = S.evalHeads H t.1 t.2 then verify S H T else .done false) = _
        rw [if_neg h]; rfl
      rw [e1, e2]
      exact ⟨⟨(fun h' => nomatch h'), fun hT => absurd (hT t List.mem_cons_self) h⟩, Nat.succ_le_succ (Nat.zero_le _)⟩

/-- **The verifier is exact on the class**: at most `((N - 1)(d² - 1) + d)(N + 1)` questions decide whether a base2 with at
most `N - |H|` heads computes the same function as `H`. -/
theorem verify_exact (S : Semantics R K) {N : Nat} {H H' : List (Head R K d)} (hlen : H.length + H'.length ≤ N) :
    ((verify S H (classTests (moments R d N) N)).run (fun t => S.evalHeads H' t.1 t.2) = true ↔ ∀ W, total H' W = total H W) ∧
    ((verify S H (classTests (moments R d N) N)).queries (fun t => S.evalHeads H' t.1 t.2)).length ≤
      ((N - 1) * (d * d - 1) + d) * (N + 1) := by
  obtain ⟨h1, h2⟩ := run_verify S H (fun t => S.evalHeads H' t.1 t.2) (classTests (moments R d N) N)
  rw [length_classTests, moments, List.length_map, length_down, points] at h2
  refine ⟨h1.trans ⟨fun h => ?_, fun h t _ => (S.fibre H' H).mpr h t.1 t.2⟩, h2⟩
  exact S.class_total (S.moments_separating d N) (by rw [Nat.add_comm]; exact hlen) h

theorem firstNZ_eq : ∀ {d : Nat} {v : Vec K d} {p : Fin d}, v p ≠ 0 → (∀ i : Fin d, i.val < p.val → v i = 0) → firstNZ v = some p
  | 0, _, p, _, _ => p.elim0
  | d + 1, v, p, hp, h => by
    rw [firstNZ]
    induction p using Fin.cases with
    | zero => rw [if_neg hp]
    | succ p =>
      rw [if_pos (h 0 (Nat.succ_pos _)), firstNZ_eq (v := fun i => v i.succ) hp fun i hi => h i.succ (Nat.succ_lt_succ hi)]
      rfl
end

namespace Cert
/-! ## the learner on a certified transcript -/
theorem firstNZ'_before : ∀ (l : List Int) (k t : Nat), k + t < firstNZ' l k → nthD (0 : Int) l t = 0
  | [], _, _, _ => rfl
  | x :: l, k, t, h => by
    rw [firstNZ'] at h
    cases hx : ieq x (.ofNat 0)
    · rw [hx] at h
      exact absurd (Nat.lt_of_le_of_lt (Nat.le_add_right k t) h) (Nat.lt_irrefl _)
    · rw [hx] at h
      cases t with
      | zero => exact ieq_eq hx
      | succ t =>
        refine firstNZ'_before l (k + 1) t ?_
        rw [Nat.succ_add]
        exact h
/-- **The learner run on any oracle that answers as certified returns the certified head**, with `d + d²` questions. -/
theorem learner_certified {log : Rational → Option Int} (hlog : ∀ s, log (base2.exp s) = some s) {d : Nat} {W : List (List Int)} {v : List Int}
    {D : Nat} {B : List (Int × Nat)} {A : List (List (Int × Nat))} (h : checkFast d W v D B A = true) {o : Query Int d → Rational}
    (hB : ∀ i : Fin d, o ([], basis i) = frac (nthD (0, 1) B i.val))
    (hA : ∀ i j : Fin d, o ([basis j + dirs d v i], basis j) = frac (nthD (0, 1) (nthD [] A i.val) j.val)) :
    (learn log).run o = .head (toMat d W) (toVal d v D) ∧ ((learn log).queries o).length = d + d * d := by
  have hs := (checkFast_sound h).1
  obtain ⟨h1, h⟩ := cond_true h
  obtain ⟨h2, h⟩ := cond_true h
  obtain ⟨h3, -⟩ := cond_true h
  have hD := Nat.le_of_ble_eq_true h1
  have hv := Nat.eq_of_beq_eq_true h2
  have hpd : firstNZ' v 0 < d := Nat.le_of_ble_eq_true h3
  have hp0 : toVal d v D ⟨firstNZ' v 0, hpd⟩ ≠ 0 := (toVal_ne hD _).mpr (by
    obtain ⟨t, ht, hl⟩ := firstNZ'_spec v 0
    rw [Nat.zero_add] at ht
    show nthD 0 v (firstNZ' v 0) ≠ 0
    rw [ht] at hpd ⊢
    exact hl (by rw [hv]; exact hpd))
  have hf : firstNZ (toVal d v D) = some ⟨firstNZ' v 0, hpd⟩ := firstNZ_eq hp0 fun i hi => by
    rw [toVal, firstNZ'_before v 0 i.val (by rw [Nat.zero_add]; exact hi), base2.cast_zero, zero_div]
  have hv0 : toVal d v D ≠ 0 := fun e => hp0 (congrFun e _)
  have hdir : ∀ i, Semantics.probe (toVal d v D) ⟨firstNZ' v 0, hpd⟩ i = dirs d v i := fun i => by
    rw [dirs, toVec_dirL hD ⟨firstNZ' v 0, hpd⟩ i]
  have key := QueryProgram.run_congr (learn log) (o := base2.oracle (toMat d W) (toVal d v D)) (o' := o) fun t ht => by
    rw [learn_queries, base2.oracle_basis, headQueries, hf] at ht
    rcases List.mem_append.mp ht with ht | ht
    · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
      exact (hs.1 i).trans (hB i).symm
    · obtain ⟨i, j, rfl⟩ := mem_rowQueries.mp ht
      rw [hdir]
      exact (hs.2 i j).trans (hA i j).symm
  rw [← key.1, ← key.2]
  exact ⟨base2.learn_exact hlog _ hv0, (base2.learn_count_head log _ _).2 hv0⟩
end Cert

end AttentionQueries
