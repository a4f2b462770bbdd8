import AttentionQueries.Base2.Rational
import AttentionQueries.SingleHead.Learner

/-! # One head: no hypothesis can be dropped

For each hypothesis of the theorems about one head, an example in which it fails and the conclusion with it. Where the
hypothesis is an axiom of `Semantics`, the example has the other axioms: the output is written as `valueWith cast
exp`, for two functions that need not satisfy any axiom.

## Main definitions

* `valueWith cast exp W v xs q`: the output of the head `(W, v)` for arbitrary functions `cast` and `exp`.

## Main statements

* `exp_inj_needed`: uniqueness fails without `exp_inj`, for every head.
* `cast_one_needed`: uniqueness fails without `cast_one`, that is over the trivial ring.
* `exp_pos_needed`: already the value of a sequence of length one fails without `exp_pos`.
* `exp_add_needed`: uniqueness from the list `headQueries` fails without `exp_add`.
* `Semantics.exists_ne_of_value_zero`, `Semantics.head_identifiable_of_dim_zero` (in `SingleHead.Identifiability`): `v
  ≠ 0` and `d ≥ 1` are needed.
* `Semantics.pair_formula_copies_needed`: the pair formula needs `m ≥ 1`.
* `Semantics.exp_score_eq_copies_needed`, `Semantics.exp_score_eq_direction_needed`: the odds formula, solved for the
  weight, needs `k ≥ 1` and `⟨v, u⟩ ≠ 0`.
* `Semantics.learn_exact_log_needed`, `Semantics.learn_sound_log_needed`: the learner needs both halves of the
  specification of the logarithm, the one for exactness, the other for soundness.

The axioms `cast_mul` and `cast_inj` are used neither by the identifiability of one head nor by its learner. -/

namespace AttentionQueries
open CommRing OrderedField

section
variable {R K : Type} [CommRing R] [OrderedField K] {d : Nat}

/-- The output of the head `(W, v)` on the sequence `xs ++ [q]`, for arbitrary functions in the roles of the embedding
and the exponential. -/
def valueWith (cast exp : R → K) (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) : K :=
  listSum (xs ++ [q]) (fun x => exp (score W x q) * finSum fun i => v i * cast (x i)) /
    listSum (xs ++ [q]) fun x => exp (score W x q)

/-- For a semantics, `valueWith` is the output of the head. -/
theorem Semantics.eval_eq_valueWith (S : Semantics R K) (W : Mat R d) (v : Vec K d) (xs : List (Vec R d))
    (q : Vec R d) : S.eval W v xs q = valueWith S.cast S.exp W v xs q := rfl

/-- **`exp_inj` is needed.** With the constant exponential `1`, which satisfies the two other axioms, every head
shares its function with a head that has a different score matrix. -/
theorem exp_inj_needed (S : Semantics R K) (hd : 0 < d) : ∃ exp : R → K,
    (∀ s t, exp (s + t) = exp s * exp t) ∧ (∀ s, 0 < exp s) ∧
    ∀ (W : Mat R d) (v : Vec K d), ∃ W' : Mat R d, W ≠ W' ∧
      ∀ xs q, valueWith S.cast exp W v xs q = valueWith S.cast exp W' v xs q := by
  refine ⟨fun _ => 1, fun _ _ => (mul_one 1).symm, fun _ => one_pos, fun W v => ?_⟩
  obtain ⟨W', hW⟩ := S.exists_mat_ne hd W
  exact ⟨W', hW, fun _ _ => rfl⟩

/-- **`exp_pos` is needed** for the formulas, which do not use `exp_inj`: the zero function satisfies `exp_add`, and
with it already the output on a sequence of length one is not the value of its token, for every head with `v ≠ 0`. -/
theorem exp_pos_needed (S : Semantics R K) : ∃ exp : R → K, (∀ s t, exp (s + t) = exp s * exp t) ∧
    ∀ (W : Mat R d) (v : Vec K d), v ≠ 0 → ∃ q, valueWith S.cast exp W v [] q ≠ S.inner v q := by
  refine ⟨fun _ => 0, fun _ _ => (mul_zero 0).symm, fun W v hv => ?_⟩
  obtain ⟨i, hi⟩ := exists_ne_zero hv
  refine ⟨basis i, fun h => hi ?_⟩
  rw [S.inner_basis] at h
  rw [← h, valueWith, listSum_zero fun _ _ => zero_mul _, zero_div]

/-- **`cast_one` is needed.** Over the trivial ring all other axioms can hold, and then, for `d ≥ 1`, a nonzero value
vector is not determined. -/
theorem cast_one_needed (K : Type) [OrderedField K] (hd : 0 < d) :
    ∃ (R : Type) (_ : CommRing R) (cast exp : R → K),
      (∀ a b, cast (a + b) = cast a + cast b) ∧ (∀ a b, cast (a * b) = cast a * cast b) ∧
      (∀ a b, cast a = cast b → a = b) ∧ (∀ s t, exp (s + t) = exp s * exp t) ∧ (∀ s, 0 < exp s) ∧
      (∀ s t, exp s = exp t → s = t) ∧
      ∃ (W : Mat R d) (v v' : Vec K d), v ≠ 0 ∧ v ≠ v' ∧
        ∀ xs q, valueWith cast exp W v xs q = valueWith cast exp W v' xs q := by
  let trivialRing : CommRing Unit :=
    { add := fun _ _ => (), mul := fun _ _ => (), neg := fun _ => (), sub := fun _ _ => (), zero := (), one := ()
      add_assoc := fun _ _ _ => rfl, add_comm := fun _ _ => rfl, add_zero := fun _ => rfl, add_neg := fun _ => rfl
      sub_def := fun _ _ => rfl, mul_assoc := fun _ _ _ => rfl, mul_comm := fun _ _ => rfl, mul_one := fun _ => rfl
      mul_add := fun _ _ _ => rfl }
  have hv : (fun _ => 1 : Vec K d) ≠ 0 := fun e => zero_ne_one (congrFun e ⟨0, hd⟩).symm
  refine ⟨Unit, trivialRing, fun _ => 0, fun _ => 1, fun _ _ => (add_zero 0).symm, fun _ _ => (mul_zero 0).symm,
    fun _ _ _ => rfl, fun _ _ => (mul_one 1).symm, fun _ => one_pos, fun _ _ _ => rfl, fun _ _ => (), fun _ => 1, 0, hv,
    hv, fun xs q => ?_⟩
  have e : ∀ v : Vec K d, (finSum fun i => v i * (0 : K)) = 0 := fun v => finSum_zero fun i => mul_zero _
  simp only [valueWith, e]

end

/-! ## The exponential has to be additive -/

/-- Twice a natural number. -/
private def double : Nat → Nat
  | 0 => 0
  | n + 1 => double n + 2

/-- An injective function from the integers to the positive natural numbers that doubles when a positive argument
does. -/
private def doubling : Int → Nat
  | .ofNat n => cond (Nat.beq n 0) 1 (double n)
  | .negSucc n => double (n + 1) + 1

private theorem double_inj : ∀ {a b : Nat}, double a = double b → a = b
  | 0, 0, _ => rfl
  | 0, _ + 1, h => nomatch h
  | _ + 1, 0, h => nomatch h
  | _ + 1, _ + 1, h => congrArg (· + 1) (double_inj (Nat.succ.inj (Nat.succ.inj h)))

private theorem double_ne : ∀ {a b : Nat}, double a ≠ double b + 1
  | 0, _, h => nomatch h
  | _ + 1, 0, h => nomatch Nat.succ.inj h
  | _ + 1, _ + 1, h => double_ne (Nat.succ.inj (Nat.succ.inj h))

private theorem doubling_pos : ∀ s : Int, ∃ n, doubling s = n + 1
  | .ofNat 0 => ⟨0, rfl⟩
  | .ofNat (n + 1) => ⟨double n + 1, rfl⟩
  | .negSucc n => ⟨double (n + 1), rfl⟩

private theorem doubling_inj : ∀ {s t : Int}, doubling s = doubling t → s = t
  | .ofNat 0, .ofNat 0, _ => rfl
  | .ofNat 0, .ofNat (n + 1), h => absurd h.symm (double_ne (a := n + 1) (b := 0))
  | .ofNat (n + 1), .ofNat 0, h => absurd h (double_ne (a := n + 1) (b := 0))
  | .ofNat (m + 1), .ofNat (n + 1), h => congrArg Int.ofNat (double_inj (a := m + 1) (b := n + 1) h)
  | .ofNat 0, .negSucc _, h => nomatch Nat.succ.inj h
  | .negSucc _, .ofNat 0, h => nomatch Nat.succ.inj h
  | .ofNat (m + 1), .negSucc n, h => absurd h (double_ne (a := m + 1) (b := n + 1))
  | .negSucc m, .ofNat (n + 1), h => absurd h.symm (double_ne (a := n + 1) (b := m + 1))
  | .negSucc _, .negSucc _, h => congrArg Int.negSucc (Nat.succ.inj (double_inj (Nat.succ.inj h)))

/-- **`exp_add` is needed** for uniqueness from the list of queries: for an injective positive function in the role of
the exponential, two different heads over the integers with `v ≠ 0` agree on the list. -/
theorem exp_add_needed {K : Type} [OrderedField K] [DecidableEq K] (S : Semantics Int K) : ∃ exp : Int → K,
    (∀ s, 0 < exp s) ∧ (∀ s t, exp s = exp t → s = t) ∧ ∃ (W W' : Mat Int 1) (v : Vec K 1), v ≠ 0 ∧ W ≠ W' ∧
      ∀ t ∈ headQueries (R := Int) v, valueWith S.cast exp W v t.1 t.2 = valueWith S.cast exp W' v t.1 t.2 := by
  have hpos : ∀ s, (0 : K) < natCast (doubling s) := fun s => by
    obtain ⟨n, h⟩ := doubling_pos s
    rw [h]; exact natCast_pos n
  have hv : (fun _ => 1 : Vec K 1) ≠ 0 := fun e => zero_ne_one (congrFun e 0).symm
  refine ⟨fun s => natCast (doubling s), hpos, fun s t h => doubling_inj (natCast_inj h), fun _ _ => 1, fun _ _ => 2,
    fun _ => 1, hv, fun e => absurd (congrFun (congrFun e 0) 0) (by decide), fun t ht => ?_⟩
  have fin1 : ∀ i : Fin 1, i = 0 := fun i => Subsingleton.elim i 0
  have hsum : ∀ x : Vec Int 1, (finSum fun i => (1 : K) * S.cast (x i)) = S.cast (x 0) := fun x => by
    show 1 * S.cast (x 0) + 0 = _
    ring
  have hsc : ∀ (w : Int) (x q : Vec Int 1), score (fun _ _ => w) x q = x 0 * (w * q 0) := fun w x q => by
    show x 0 * (w * q 0 + 0) + 0 = _
    ring
  obtain ⟨p, -, hq⟩ := headQueries_eq (R := Int) hv
  rw [hq, Semantics.headTests] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
    simp only [valueWith, hsum, hsc, List.nil_append, listSum_cons, listSum_nil, add_zero]
    rw [(div_eq_iff (pos_ne (hpos _))).mpr (mul_comm _ _), (div_eq_iff (pos_ne (hpos _))).mpr (mul_comm _ _)]
  · obtain ⟨i, j, rfl⟩ := mem_rowQueries.mp ht
    have e1 : (basis (0 : Fin 1) : Vec Int 1) 0 = 1 := rfl
    have e2 : (basis (0 : Fin 1) + basis (0 : Fin 1) : Vec Int 1) 0 = 2 := rfl
    have d1 : doubling (1 * (1 * 1)) = 2 := rfl
    have d2 : doubling (2 * (1 * 1)) = 4 := rfl
    have d3 : doubling (1 * (2 * 1)) = 4 := rfl
    have d4 : doubling (2 * (2 * 1)) = 8 := rfl
    have hne : (natCast 4 + natCast 2 : K) ≠ 0 := pos_ne (add_pos (natCast_pos 3) (natCast_pos 1))
    have hne' : (natCast 8 + natCast 4 : K) ≠ 0 := pos_ne (add_pos (natCast_pos 7) (natCast_pos 3))
    have n4 : (natCast 4 : K) = natCast 2 + natCast 2 := natCast_add 2 2
    have n8 : (natCast 8 : K) = natCast 4 + natCast 4 := natCast_add 4 4
    rw [fin1 i, fin1 j, fin1 p, Semantics.probe, if_pos (show (1 : K) ≠ 0 from fun e => zero_ne_one e.symm)]
    simp only [valueWith, hsum, hsc, List.cons_append, List.nil_append, listSum_cons, listSum_nil, add_zero, e1, e2,
      d1, d2, d3, d4]
    rw [div_eq_iff hne]
    have h := div_mul_cancel (natCast 8 * S.cast 2 + natCast 4 * S.cast 1) hne'
    generalize (natCast 8 * S.cast 2 + natCast 4 * S.cast 1) / (natCast 8 + natCast 4 : K) = y at *
    apply mul_left_cancel (pos_ne (natCast_pos 1))
    have n2 : (natCast 2 : K) = 1 + 1 := by rw [natCast_succ, natCast_one]
    rw [n8, n4, n2] at h
    rw [n4, n2]
    lin_comb (-1) h

namespace Semantics
variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-! ## The formulas -/

/-- **`m ≥ 1` is needed** in the pair formula: the query token attends to itself, so no sequence has `m = 0` copies of
it. With `k = 1` and `m = 0` the formula fails for every token with `⟨v, x - q⟩ ≠ 0`. -/
theorem pair_formula_copies_needed (W : Mat R d) (v : Vec K d) (x q : Vec R d) (hu : S.inner v (x - q) ≠ 0) :
    S.eval W v (List.replicate 1 x ++ List.replicate (0 - 1) q) q ≠ S.inner v q + S.inner v (x - q) *
      ((natCast 1 * S.exp (score W (x - q) q)) / (natCast 1 * S.exp (score W (x - q) q) + natCast 0)) := by
  have e := S.pair_formula W v x q 1 1 (Nat.le_refl 1)
  rw [Nat.sub_self, ← Nat.zero_sub 1] at e
  rw [e]
  intro h
  have h := mul_left_cancel hu (add_left_cancel h)
  rw [natCast_one, natCast_zero, one_mul, add_zero] at h
  have h1 := div_mul_cancel (S.exp (score W (x - q) q)) (pos_ne (add_pos (S.exp_pos (score W (x - q) q)) one_pos))
  have h2 := div_mul_cancel (S.exp (score W (x - q) q)) (S.exp_ne (score W (x - q) q))
  rw [h] at h1
  generalize S.exp (score W (x - q) q) / S.exp (score W (x - q) q) = y at *
  have hy : y = 0 := by lin_comb (1) h1 + (-1) h2
  rw [hy, zero_mul] at h2
  exact S.exp_ne _ h2.symm

/-- **`k ≥ 1` is needed** to solve the odds formula for the weight: without copies of `x` the denominator vanishes. -/
theorem exp_score_eq_copies_needed (v : Vec K d) (x q : Vec R d) (a : K) :
    (S.inner v (x - q) - a) * natCast 0 = 0 := mul_zero _

/-- **`⟨v, u⟩ ≠ 0` is needed** to solve the odds formula for the weight: otherwise the answer does not depend on the
score, and the denominator vanishes. -/
theorem exp_score_eq_direction_needed (W : Mat R d) (v : Vec K d) (x q : Vec R d) (k m : Nat) (hm : 1 ≤ m)
    (hu : S.inner v (x - q) = 0) {a : K}
    (ha : a = S.eval W v (List.replicate k x ++ List.replicate (m - 1) q) q - S.inner v q) :
    a = 0 ∧ (S.inner v (x - q) - a) * natCast k = 0 := by
  have h0 : a = 0 := by
    rw [ha, S.pair_formula W v x q k m hm, hu, zero_mul]; ring
  exact ⟨h0, by rw [h0, hu, sub_zero, zero_mul]⟩

/-! ## The learner -/

variable [DecidableEq K]

/-- **The first half of the specification of the logarithm is needed** for exactness: with the logarithm that is
nowhere defined, which satisfies the other half, the learner rejects every head with `v ≠ 0`. -/
theorem learn_exact_log_needed (W : Mat R d) {v : Vec K d} (hv : v ≠ 0) :
    (∀ x s, (fun _ => none : K → Option R) x = some s → S.exp s = x) ∧
      (learn fun _ => (none : Option R)).run (S.oracle W v) = .reject := by
  refine ⟨fun _ _ h => (nomatch h), ?_⟩
  cases hr : (learn fun _ => (none : Option R)).run (S.oracle W v) with
  | reject => rfl
  | zero => exact absurd (by rw [← S.oracle_basis W v]; exact funext ((learn_zero_iff _ _).mp hr)) hv
  | head W' v' =>
    rw [learn_run] at hr
    cases hf : firstNZ fun i => S.oracle W v ([], basis i) with
    | none => rw [hf] at hr; cases hr
    | some p =>
      rw [hf] at hr
      simp only [SingleHead.assemble] at hr
      split at hr
      · cases hr
      · rename_i s hs
        have h := allSome_eq.mp (allSome_eq.mp hs p) p
        rw [SingleHead.decode] at h
        split at h <;> cases h

/-- **The second half of the specification of the logarithm is needed** for soundness: with a logarithm that is also
defined on elements that are not exponentials, the learner can return a head that does not give the answers received.
-/
theorem learn_sound_log_needed (hd : 0 < d) : ∃ log : K → Option R, (∀ s, log (S.exp s) = some s) ∧
    ∃ (o : Query R d → K) (W : Mat R d) (v : Vec K d), (learn log).run o = .head W v ∧
      ¬ ∀ t ∈ (learn log).queries o, S.oracle W v t = o t := by
  obtain ⟨log, hlog, hsome⟩ : ∃ log : K → Option R, (∀ s, log (S.exp s) = some s) ∧ ∀ x, ∃ s, log x = some s := by
    refine ⟨fun x => some ((S.log x).getD 0), fun s => ?_, fun x => ⟨_, rfl⟩⟩
    show some ((S.log (S.exp s)).getD 0) = some s
    rw [(S.log_iff _ s).mpr rfl, Option.getD_some]
  have h1 : (1 : K) ≠ 0 := fun e => zero_ne_one e.symm
  obtain ⟨p, hp⟩ : ∃ p, firstNZ (fun _ => 1 : Vec K d) = some p := by
    cases h : firstNZ (fun _ => 1 : Vec K d) with
    | some p => exact ⟨p, rfl⟩
    | none => exact absurd (congrFun (firstNZ_none h) ⟨0, hd⟩) h1
  -- the oracle that always answers `1`
  obtain ⟨s, hs⟩ : ∃ s, SingleHead.decode log (1 : K) (1 - 1) = some s := by
    rw [SingleHead.decode, if_neg (fun e => h1 (by lin_comb (1) e))]
    exact hsome _
  have key : ∀ s, S.exp s / (S.exp s + 1) ≠ 0 := fun s h => by
    have e := div_mul_cancel (S.exp s) (pos_ne (add_pos (S.exp_pos s) one_pos))
    rw [h, zero_mul] at e
    exact S.exp_ne s e.symm
  have hb : ∀ i, SingleHead.probeValue (fun _ => 1 : Vec K d) p i = 1 := fun i => if_pos h1
  refine ⟨log, hlog, fun _ => 1, SingleHead.matrixOfScores (fun _ => 1 : Vec K d) p fun _ _ => s, fun _ => 1,
    ?_, fun h => ?_⟩
  · rw [learn_run, hp]
    show SingleHead.assemble log (fun _ => 1) p (fun _ _ => 1) = _
    rw [SingleHead.assemble, allSome_eq.mpr fun i => allSome_eq.mpr fun j => ?_]
    rw [hb]
    exact hs
  · have h := h ([basis p + probe (fun _ => 1 : Vec K d) p p], basis p) (by
      rw [learn_queries, headQueries, hp]
      exact List.mem_append.mpr (.inr (mem_rowQueries.mpr ⟨p, p, rfl⟩)))
    rw [oracle, eval_one, inner_basis] at h
    have h0 : S.inner (fun _ => 1) (probe (fun _ => 1 : Vec K d) p p) * _ = 0 :=
      add_left_cancel (a := (1 : K)) (h.trans (add_zero 1).symm)
    rcases mul_eq_zero h0 with h0 | h0
    · exact S.inner_probe (v := fun _ => 1) h1 p h0
    · exact key _ h0

end Semantics

end AttentionQueries
