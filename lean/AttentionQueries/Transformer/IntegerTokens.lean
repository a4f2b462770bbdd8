import AttentionQueries.Transformer.Identifiability

/-! # Integer tokens and an infinite exponential: the score matrix is not determined

If the scalars are the integers and `exp 1` is above all natural numbers, then the softmax is all but a maximum: the
attention output is infinitely near to a token, unless the query token is zero, and then the score matrix does not
matter. So a network that is constant near the integers does not see the score matrix. The theorem for scalars that form
a field, `Semantics.transformer_eq_iff_of_field`, is therefore false for scalars that do not.

## Main definitions

* `integerExp`: scores in `ℤ`, values in the fractions of sums `∑ c t ^ q`, and `exp n = t ^ n`.

## Main statements

* `Semantics.transformer_field_needed`: a network with integer hyperplanes, not constant, that gives the same function
  with all positive `1 × 1` score matrices.
* `integerExp_infinite`: the semantics `integerExp` is an instance.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {K : Type} [OrderedField K] (S : Semantics Int K)

/-! ## The leading term of a sum -/
namespace Semantics

private theorem cast_nat (n : Nat) : S.cast (n : Int) = natCast n := by
  induction n with
  | zero => exact S.cast_zero
  | succ n ih => rw [Int.natCast_succ, S.cast_add, ih, S.cast_one, natCast_succ]

private theorem natCast_nonneg (n : Nat) : (0 : K) ≤ natCast n := by
  cases n with
  | zero => exact le_refl 0
  | succ n => exact le_of_lt (natCast_pos n)

private theorem cast_nonneg {a : Int} (h : 0 ≤ a) : 0 ≤ S.cast a := by
  obtain ⟨n, rfl⟩ := Int.eq_ofNat_of_zero_le h
  rw [S.cast_nat]
  exact natCast_nonneg n

variable (hS : ∀ n : Nat, natCast n < S.exp 1)
include hS

private theorem one_le_exp (n : Nat) : 1 ≤ S.exp (n : Int) := by
  induction n with
  | zero => exact le_of_eq S.exp_zero.symm
  | succ n ih =>
    rw [Int.natCast_succ, S.exp_add]
    have h1 := hS 1
    rw [natCast_one] at h1
    refine le_trans (le_of_lt h1) (le_trans (le_of_eq (one_mul _).symm) (mul_le_mul_right (le_of_lt (S.exp_pos 1)) ih))

private theorem exp_one_le {s : Int} (h : 1 ≤ s) : S.exp 1 ≤ S.exp s := by
  obtain ⟨n, rfl⟩ := Int.le.dest h
  rw [S.exp_add, mul_comm]
  exact le_trans (le_of_eq (one_mul _).symm) (mul_le_mul_right (le_of_lt (S.exp_pos 1)) (S.one_le_exp hS n))

private theorem exp_le_one {s : Int} (h : s ≤ 0) : S.exp s ≤ 1 := by
  obtain ⟨n, hn⟩ := Int.eq_ofNat_of_zero_le (Int.neg_nonneg_of_nonpos h)
  have e := S.exp_mul_neg s
  rw [hn] at e
  refine le_trans (le_trans (le_of_eq (one_mul _).symm)
    (mul_le_mul_right (le_of_lt (S.exp_pos s)) (S.one_le_exp hS n))) (le_of_eq ?_)
  rw [mul_comm, e]

/-- Terms that are negative have weights at most one, so all of them together are above minus a natural number. -/
private theorem exists_lower_bound {A : Type} (s c : A → Int) : ∀ l : List A, (∀ x ∈ l, 0 ≤ c x ∨ s x ≤ 0) →
    ∃ n : Nat, -natCast n ≤ listSum l fun x => S.exp (s x) * S.cast (c x)
  | [], _ => ⟨0, le_of_eq (by rw [listSum_nil, natCast_zero]; ring)⟩
  | x :: l, h => by
    obtain ⟨n, hn⟩ := exists_lower_bound s c l fun y hy => h y (List.mem_cons_of_mem x hy)
    by_cases hc : 0 ≤ c x
    · refine ⟨n, ?_⟩
      rw [listSum_cons]
      exact le_trans (le_of_eq (zero_add _).symm)
        (add_le_add (mul_nonneg (le_of_lt (S.exp_pos _)) (S.cast_nonneg hc)) hn)
    · have hs := (h x List.mem_cons_self).resolve_left hc
      obtain ⟨m, hm⟩ := Int.eq_ofNat_of_zero_le (Int.neg_nonneg_of_nonpos (Int.le_of_lt (Int.not_le.mp hc)))
      refine ⟨m + n, ?_⟩
      have e : S.cast (c x) = -natCast m := by
        rw [← S.cast_nat, ← hm, S.cast_neg]
        ring
      rw [listSum_cons, natCast_add, e]
      have h1 : -natCast m ≤ S.exp (s x) * -natCast m :=
        le_cert (sub_nonneg.mpr (mul_le_mul_right (natCast_nonneg m) (S.exp_le_one hS hs))) (by ring)
      exact le_trans (le_of_eq (by ring)) (add_le_add h1 hn)

/-- One term with a score and a coefficient of at least one outweighs them. -/
private theorem listSum_pos_of_leading {A : Type} (s c : A → Int) {l : List A} {a : A}
    (h : ∀ x ∈ l, 0 ≤ c x ∨ s x ≤ 0) (hs : 1 ≤ s a) (hc : 1 ≤ c a) :
    0 < listSum (l ++ [a]) fun x => S.exp (s x) * S.cast (c x) := by
  obtain ⟨n, hn⟩ := S.exists_lower_bound hS s c l h
  obtain ⟨k, hk⟩ := Int.le.dest hc
  rw [listSum_append, listSum_cons, listSum_nil, add_zero, ← hk, S.cast_add, S.cast_one, S.cast_nat]
  refine lt_of_lt_of_le (sub_pos.mpr (hS n)) ?_
  refine le_trans (le_of_eq (by ring)) (add_le_add hn (le_trans (S.exp_one_le hS hs) ?_))
  exact le_cert (mul_nonneg (le_of_lt (S.exp_pos (s a))) (natCast_nonneg k)) (by ring)

/-! ## A network that is constant near the integers -/

omit hS in
/-- A step from zero to one between `1/3` and `2/3`. -/
private def step : Network K 1 :=
  ⟨[⟨1, fun _ => S.cast (1 + 1 + 1), S.cast (-1)⟩, ⟨-1, fun _ => S.cast (1 + 1 + 1), S.cast (-(1 + 1))⟩], 0, 0⟩

omit hS in
private theorem step_eval (z : Vec K 1) : S.step.eval z =
    relu ((1 + 1 + 1) * z 0 - 1) - relu ((1 + 1 + 1) * z 0 - (1 + 1)) := by
  have h : ∀ (a : K) (c : Int), (⟨a, fun _ => S.cast (1 + 1 + 1), S.cast (-c)⟩ : Neuron K 1).input z =
      (1 + 1 + 1) * z 0 - S.cast c := fun a c => by
    show finSum (fun i : Fin 1 => S.cast (1 + 1 + 1) * z i) + S.cast (-c) = _
    rw [finSum_succ, S.cast_add, S.cast_add, S.cast_one, S.cast_neg]
    show (1 + 1 + 1) * z 0 + 0 + -S.cast c = _
    ring
  have h1 := (h 1 1).trans (by rw [S.cast_one] : _ = (1 + 1 + 1) * z 0 - 1)
  have h2 := (h (-1) (1 + 1)).trans (by rw [S.cast_add, S.cast_one] : _ = (1 + 1 + 1) * z 0 - (1 + 1))
  show listSum [_, _] _ + dot (0 : Vec K 1) z + 0 = _
  rw [listSum_cons, listSum_cons, listSum_nil, zero_dot, ← h1, ← h2]
  show 1 * relu _ + (-1 * relu _ + 0) + 0 + 0 = relu _ - relu _
  ring

omit hS in
private theorem step_low {z : Vec K 1} (h : (1 + 1 + 1) * z 0 ≤ 1) : S.step.eval z = 0 := by
  rw [step_eval, relu_of_nonpos, relu_of_nonpos, sub_zero]
  · exact le_cert (add_nonneg (sub_nonneg.mpr h) (le_of_lt one_pos)) (by ring)
  · exact le_cert (sub_nonneg.mpr h) (by ring)

omit hS in
private theorem step_high {z : Vec K 1} (h : 1 + 1 ≤ (1 + 1 + 1) * z 0) : S.step.eval z = 1 := by
  rw [step_eval, relu_of_nonneg, relu_of_nonneg]
  · ring
  · exact sub_nonneg.mpr h
  · exact le_cert (add_nonneg (sub_nonneg.mpr h) (le_of_lt one_pos)) (by ring)

omit hS in
private theorem score_one (w : Int) (x q : Vec Int 1) : score (fun _ _ => w) x q = x 0 * (w * q 0) := by
  show x 0 * (w * q 0 + 0) + 0 = _
  rw [add_zero, add_zero]

omit hS in
/-- An affine function of the attention output, times the denominator. -/
private theorem attention_affine (W : Mat Int 1) (xs : List (Vec Int 1)) (q : Vec Int 1) (a b : Int) :
    ∃ D : K, 0 < D ∧ (S.cast a * S.attention W xs q 0 + S.cast b) * D =
      listSum (xs ++ [q]) fun x => S.exp (score W x q) * S.cast (a * x 0 + b) := by
  have hD : 0 < listSum (xs ++ [q]) fun x => S.exp (score W x q) := by
    rw [listSum_append, listSum_cons, listSum_nil, add_zero]
    exact listSum_pos xs _ (fun _ _ => S.exp_pos _) _ (S.exp_pos _)
  refine ⟨_, hD, ?_⟩
  have e := div_mul_cancel (listSum (xs ++ [q]) fun x => S.exp (score W x q) * S.cast (x 0)) (pos_ne hD)
  have h : ∀ x : Vec Int 1, S.exp (score W x q) * S.cast (a * x 0 + b) =
      S.cast a * (S.exp (score W x q) * S.cast (x 0)) + S.cast b * S.exp (score W x q) := fun x => by
    rw [S.cast_add, S.cast_mul]
    ring
  rw [listSum_congr fun x _ => h x, listSum_add, listSum_mul, listSum_mul, attention]
  lin_comb (S.cast a) e

/-- For a positive query token the attention output is at least about one, for a negative one at most about minus
one; the step does not see more. -/
private theorem step_transformer {w : Int} (hw : 0 < w) (xs : List (Vec Int 1)) {q : Vec Int 1} (hq : q 0 ≠ 0) :
    S.transformer (fun _ _ => w) S.step xs q = if 0 < q 0 then 1 else 0 := by
  have cases : ∀ a : Int, 1 ≤ a ∨ a ≤ 0 := fun a => by
    by_cases h : 0 < a
    · exact .inl h
    · exact .inr (Int.not_lt.mp h)
  by_cases h : 0 < q 0
  · rw [if_pos h]
    have hy : 0 < w * q 0 := Int.mul_pos hw h
    have up : ∀ a : Int, 1 ≤ a → 1 ≤ (1 + 1 + 1) * a + -(1 + 1) := fun a ha => by
      obtain ⟨n, rfl⟩ := Int.le.dest ha
      refine Int.le_trans (Int.le_add_of_nonneg_right (Int.natCast_nonneg (n + n + n))) (Int.le_of_eq ?_)
      rw [Int.natCast_add, Int.natCast_add]
      ring
    obtain ⟨D, hD, e⟩ := S.attention_affine (fun _ _ => w) xs q (1 + 1 + 1) (-(1 + 1))
    have key := S.listSum_pos_of_leading hS (fun x => score (fun _ _ => w) x q) (fun x => (1 + 1 + 1) * x 0 + -(1 + 1))
      (l := xs) (a := q) (fun x _ => (cases (x 0)).imp (fun h => Int.le_trans (by decide) (up _ h)) fun h => by
        rw [score_one, Int.mul_comm]
        exact Int.mul_nonpos_of_nonneg_of_nonpos (Int.le_of_lt hy) h) (by
        rw [score_one]
        exact Int.mul_pos h hy) (up _ h)
    rw [← e] at key
    refine S.step_high (le_of_mul_le_mul_right hD (le_cert (le_of_lt key) ?_))
    rw [S.cast_add, S.cast_add, S.cast_neg, S.cast_add, S.cast_one]
    ring
  · rw [if_neg h]
    have h : q 0 < 0 := Int.not_le.mp fun h' => h ((Int.le_iff_lt_or_eq.mp h').resolve_right (Ne.symm hq))
    have hy : w * q 0 < 0 := Int.mul_neg_of_pos_of_neg hw h
    have up : ∀ a : Int, a ≤ 0 → 1 ≤ -(1 + 1 + 1) * a + 1 := fun a ha => by
      obtain ⟨n, hn⟩ := Int.eq_ofNat_of_zero_le (Int.neg_nonneg_of_nonpos ha)
      refine Int.le_trans (Int.le_add_of_nonneg_right (Int.natCast_nonneg (n + n + n))) (Int.le_of_eq ?_)
      rw [Int.natCast_add, Int.natCast_add, ← hn]
      ring
    obtain ⟨D, hD, e⟩ := S.attention_affine (fun _ _ => w) xs q (-(1 + 1 + 1)) 1
    have key := S.listSum_pos_of_leading hS (fun x => score (fun _ _ => w) x q) (fun x => -(1 + 1 + 1) * x 0 + 1)
      (l := xs) (a := q) (fun x _ => (cases (x 0)).symm.imp (fun h => Int.le_trans (by decide) (up _ h)) fun h => by
        rw [score_one]
        exact Int.mul_nonpos_of_nonneg_of_nonpos (Int.le_trans (by decide) h) (Int.le_of_lt hy)) (by
        rw [score_one]
        exact Int.mul_pos_of_neg_of_neg h hy) (up _ (Int.le_of_lt h))
    rw [← e] at key
    refine S.step_low (le_of_mul_le_mul_right hD (le_cert (le_of_lt key) ?_))
    rw [S.cast_neg, S.cast_add, S.cast_add, S.cast_one]
    ring

/-- **Scalars that form a field are needed** in `transformer_eq_iff_of_field`: if `exp 1` is above all natural numbers,
some network with integer hyperplanes, not constant, gives the same function with all positive `1 × 1` score
matrices. -/
theorem transformer_field_needed : ∃ N : Network K 1, (N.Over fun a => ∃ r, S.cast r = a) ∧
    (¬ ∀ z, N.eval z = N.eval 0) ∧ ∀ w w' : Int, 0 < w → 0 < w' → ∀ xs q,
      S.transformer (fun _ _ => w) N xs q = S.transformer (fun _ _ => w') N xs q := by
  refine ⟨S.step, fun n hn => ?_, fun h => ?_, fun w w' hw hw' xs q => ?_⟩
  · rcases List.mem_cons.mp hn with rfl | hn
    · exact ⟨fun _ => ⟨_, rfl⟩, _, rfl⟩
    · rw [List.mem_singleton.mp hn]
      exact ⟨fun _ => ⟨_, rfl⟩, _, rfl⟩
  · refine zero_ne_one (K := K) ?_
    rw [← S.step_low (z := 0) (le_of_lt (lt_cert one_pos (by rw [vzero_app]; ring))), ← h fun _ => 1]
    exact S.step_high (le_of_lt (lt_cert one_pos (by ring)))
  · by_cases hq : q 0 = 0
    · have e : ∀ x w : _, score (fun _ _ => w) x q = 0 := fun x w => by
        rw [score_one, hq, Int.mul_zero, Int.mul_zero]
      have e' : S.attention (fun _ _ => w) xs q = S.attention (fun _ _ => w') xs q := funext fun i => by
        simp only [attention, e]
      rw [transformer, transformer, e']
    · rw [S.step_transformer hS hw xs hq, S.step_transformer hS hw' xs hq]

end Semantics

/-! ## An instance -/

/-- The symbolic exponential at integers: scores in `ℤ`, and `exp n = t ^ n`. -/
def integerExp : Semantics Int (ExpField Rational) where
  cast n := (symbolicExp Rational).cast (base2.cast n)
  cast_add a b := by rw [base2.cast_add, Semantics.cast_add]
  cast_mul a b := by rw [base2.cast_mul, Semantics.cast_mul]
  cast_one := by rw [base2.cast_one, Semantics.cast_one]
  cast_inj _ _ h := base2.cast_inj _ _ ((symbolicExp Rational).cast_inj _ _ h)
  exp n := (symbolicExp Rational).exp (base2.cast n)
  exp_add s t := by rw [base2.cast_add, Semantics.exp_add]
  exp_pos _ := (symbolicExp Rational).exp_pos _
  exp_inj _ _ h := base2.cast_inj _ _ ((symbolicExp Rational).exp_inj _ _ h)

/-- In this semantics `exp 1` is above all natural numbers. -/
theorem integerExp_infinite (n : Nat) : natCast n < integerExp.exp 1 := by
  show natCast n < (symbolicExp Rational).exp (base2.cast 1)
  rw [base2.cast_one, ← (symbolicExp Rational).cast_natCast]
  exact symbolicExp_cast_lt _

end AttentionQueries
