import AttentionQueries.Certificate.CertSound

/-! # A fast checker: one constant-size integer identity for each answer

The questions are regenerated implicitly: `B` are the answers to `[e_i]`, `A i j` those to `[e_j + u_i; e_j]`. -/

namespace AttentionQueries
open CommRing OrderedField

set_option linter.unusedVariables false
namespace Cert

/-- answer `n / m` against `(x + l * 2^s / (2^s + 1)) / D` -/
def entryOK (l : Int) (D : Nat) (s x n : Int) (m : Nat) : Bool :=
  cond (Nat.ble 1 m)
    (match s with
    | .ofNat k => ieq (Int.mul n (.ofNat (Nat.mul D (Nat.succ (Nat.pow 2 k)))))
        (Int.mul (.ofNat m) (Int.add (Int.mul x (.ofNat (Nat.succ (Nat.pow 2 k)))) (Int.mul l (.ofNat (Nat.pow 2 k)))))
    | .negSucc k => ieq (Int.mul n (.ofNat (Nat.mul D (Nat.succ (Nat.pow 2 (Nat.succ k))))))
        (Int.mul (.ofNat m) (Int.add (Int.mul x (.ofNat (Nat.succ (Nat.pow 2 (Nat.succ k))))) l)))
    false
/-- one row: scores `w + wp`, values `v`, answers `a` -/
def rowOK (l : Int) (D : Nat) : List Int → List Int → List Int → List (Int × Nat) → Bool
  | s :: w, t :: wp, x :: v, (n, m) :: a => cond (entryOK l D (Int.add s t) x n m) (rowOK l D w wp v a) false
  | [], [], [], [] => true
  | _, _, _, _ => false
def rowsOK (lp : Int) (D : Nat) (wp z v₀ : List Int) : List (List Int) → List Int → List (List (Int × Nat)) → Bool
  | r :: W, x :: v, a :: A =>
    cond (cond (ieq x (.ofNat 0)) (rowOK lp D r wp v₀ a) (rowOK x D r z v₀ a)) (rowsOK lp D wp z v₀ W v A) false
  | [], [], [] => true
  | _, _, _ => false
def basisOK (D : Nat) : List Int → List (Int × Nat) → Bool
  | x :: v, (n, m) :: a => cond (cond (Nat.ble 1 m) (ieq (Int.mul n (.ofNat D)) (Int.mul x (.ofNat m))) false) (basisOK D v a) false
  | [], [] => true
  | _, _ => false
/-- **The fast checker.** -/
def checkFast (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) (B : List (Int × Nat)) (A : List (List (Int × Nat))) : Bool :=
  cond (Nat.ble 1 D) (cond (Nat.beq v.length d) (cond (Nat.ble (Nat.succ (firstNZ' v 0)) d)
    (cond (basisOK D v B) (rowsOK (nthD (.ofNat 0) v (firstNZ' v 0)) D (nthD [] W (firstNZ' v 0)) (zeros d) v W v A)
      false) false) false) false

/-! ## soundness -/
local notation "E" => Semantics.exp base2
local notation "κ" => Semantics.cast base2
/-- the fraction `n / m` -/
def frac (a : Int × Nat) : Rational := κ a.1 / κ (.ofNat a.2)

theorem entryOK_sound {l : Int} {D : Nat} {s x n : Int} {m : Nat} (hD : 1 ≤ D) (h : entryOK l D s x n m = true) :
    κ x / κ (.ofNat D) + κ l / κ (.ofNat D) * (E s / (E s + 1)) = frac (n, m) := by
  obtain ⟨hm, h⟩ := cond_true h
  have hm := cast_pos (Nat.le_of_ble_eq_true hm)
  have h1 := div_mul_cancel (κ x) (cast_pos hD)
  have h2 := div_mul_cancel (κ l) (cast_pos hD)
  have hne := pos_ne (add_pos (base2.exp_pos s) one_pos)
  have h3 := div_mul_cancel (E s) hne
  have h4 := div_mul_cancel (κ n) hm
  have key : κ n * (κ (.ofNat D) * (E s + 1)) = κ (.ofNat m) * (κ x * (E s + 1) + κ l * E s) := by
    split at h
    · rename_i k _
      have h : n * (.ofNat D * (.ofNat (2 ^ k) + 1)) =
        .ofNat m * (x * (.ofNat (2 ^ k) + 1) + l * .ofNat (2 ^ k)) := ieq_eq h
      have h := congrArg (κ) h
      simp only [base2.cast_mul, base2.cast_add, base2.cast_one, ← exp_ofNat] at h
      exact h
    · rename_i k _
      have h : n * (.ofNat D * (.ofNat (2 ^ (k + 1)) + 1)) =
        .ofNat m * (x * (.ofNat (2 ^ (k + 1)) + 1) + l) := ieq_eq h
      have h := congrArg (κ) h
      simp only [base2.cast_mul, base2.cast_add, base2.cast_one, ← exp_ofNat] at h
      have e : E (.ofNat (k + 1)) * E (.negSucc k) = 1 := base2.exp_mul_neg (.ofNat (k + 1))
      lin_comb (E (.negSucc k)) h + (κ (.ofNat m) * κ x - κ n * κ (.ofNat D)) e
  apply mul_right_cancel hm
  rw [frac, h4]
  apply mul_right_cancel (cast_pos hD)
  apply mul_right_cancel hne
  generalize E s / (E s + 1) = f at *
  generalize κ x / κ (.ofNat D) = y at *
  generalize κ l / κ (.ofNat D) = g at *
  lin_comb (-1) key + (κ (.ofNat m) * (E s + 1)) h1 + (κ (.ofNat m) * f * (E s + 1)) h2 + (κ (.ofNat m) * κ l) h3

theorem rowOK_sound {l : Int} {D : Nat} (hD : 1 ≤ D) : ∀ {w wp v : List Int} {a : List (Int × Nat)},
    rowOK l D w wp v a = true → ∀ j, j < v.length → κ (nthD 0 v j) / κ (.ofNat D) +
      κ l / κ (.ofNat D) * (E (nthD 0 w j + nthD 0 wp j) / (E (nthD 0 w j + nthD 0 wp j) + 1)) = frac (nthD (0, 1) a j)
  | s :: w, t :: wp, x :: v, (n, m) :: a, h, 0, _ => entryOK_sound hD (cond_true h).1
  | s :: w, t :: wp, x :: v, (n, m) :: a, h, j + 1, hj => rowOK_sound hD (cond_true h).2 j (Nat.lt_of_succ_lt_succ hj)
  | [], [], [], [], _, _, hj => absurd hj (Nat.not_lt_zero _)
theorem rowsOK_sound {lp : Int} {D : Nat} {wp z v₀ : List Int} (hD : 1 ≤ D) :
    ∀ {W : List (List Int)} {v : List Int} {A : List (List (Int × Nat))}, rowsOK lp D wp z v₀ W v A = true →
    ∀ i, i < v.length → (nthD 0 v i = 0 → rowOK lp D (nthD [] W i) wp v₀ (nthD [] A i) = true) ∧
      (nthD 0 v i ≠ 0 → rowOK (nthD 0 v i) D (nthD [] W i) z v₀ (nthD [] A i) = true)
  | r :: W, x :: v, a :: A, h, 0, _ => by
    have h := (cond_true h).1
    show (x = 0 → rowOK lp D r wp v₀ a = true) ∧ (x ≠ 0 → rowOK x D r z v₀ a = true)
    cases hx : ieq x (.ofNat 0)
    · rw [hx] at h
      exact ⟨fun e => absurd e (ieq_false hx), fun _ => h⟩
    · rw [hx] at h
      exact ⟨fun _ => h, fun e => absurd (ieq_eq hx) e⟩
  | _ :: _, _ :: _, _ :: _, h, i + 1, hi => rowsOK_sound hD (cond_true h).2 i (Nat.lt_of_succ_lt_succ hi)
  | [], [], [], _, _, hi => absurd hi (Nat.not_lt_zero _)
theorem basisOK_sound {D : Nat} (hD : 1 ≤ D) : ∀ {v : List Int} {a : List (Int × Nat)}, basisOK D v a = true →
    ∀ i, i < v.length → κ (nthD 0 v i) / κ (.ofNat D) = frac (nthD (0, 1) a i)
  | x :: v, (n, m) :: a, h, 0, _ => by
    obtain ⟨h1, h2⟩ := cond_true (cond_true h).1
    have hm := cast_pos (Nat.le_of_ble_eq_true h1)
    have h2 : n * .ofNat D = x * .ofNat m := ieq_eq h2
    have h2 := congrArg (κ) h2
    rw [base2.cast_mul, base2.cast_mul] at h2
    show κ x / κ (.ofNat D) = κ n / κ (.ofNat m)
    have h3 := div_mul_cancel (κ n) hm
    rw [div_eq_iff (cast_pos hD)]
    apply mul_right_cancel hm
    generalize κ n / κ (.ofNat m) = f at *
    lin_comb (-1) h2 + (-κ (.ofNat D)) h3
  | _ :: _, _ :: _, h, i + 1, hi => basisOK_sound hD (cond_true h).2 i (Nat.lt_of_succ_lt_succ hi)
  | [], [], _, _, hi => absurd hi (Nat.not_lt_zero _)

/-- a head answers the learner's `d + d²` questions (for the values `v / D`) by `B` and `A` -/
def Answers {d : Nat} (u : Fin d → Vec Int d) (B : List (Int × Nat)) (A : List (List (Int × Nat))) (W : Mat Int d) (v : Vec Rational d) : Prop :=
  (∀ i, base2.eval W v [] (basis i) = frac (nthD (0, 1) B i.val)) ∧
  ∀ i j, base2.eval W v [basis j + u i] (basis j) = frac (nthD (0, 1) (nthD [] A i.val) j.val)
/-- the probe directions as data -/
def dirs (d : Nat) (v : List Int) : Fin d → Vec Int d := fun i => toVec d (dirL d v (firstNZ' v 0) i.val)

/-- **Soundness of the fast checker.** -/
theorem checkFast_sound {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {B : List (Int × Nat)} {A : List (List (Int × Nat))}
    (h : checkFast d W v D B A = true) : Answers (dirs d v) B A (toMat d W) (toVal d v D) ∧
      ∀ (W' : Mat Int d) (v' : Vec Rational d), Answers (dirs d v) B A W' v' → W' = toMat d W ∧ v' = toVal d v D := by
  obtain ⟨h1, h⟩ := cond_true h
  obtain ⟨h2, h⟩ := cond_true h
  obtain ⟨h3, h⟩ := cond_true h
  obtain ⟨h4, h5⟩ := cond_true h
  have hD := Nat.le_of_ble_eq_true h1
  have hv := Nat.eq_of_beq_eq_true h2
  have hpd : firstNZ' v 0 < d := Nat.le_of_ble_eq_true h3
  have hp : nthD 0 v (firstNZ' v 0) ≠ 0 := by
    obtain ⟨t, ht, hl⟩ := firstNZ'_spec v 0
    rw [Nat.zero_add] at ht
    rw [ht] at hpd ⊢
    exact hl (by rw [hv]; exact hpd)
  have hp0 : toVal d v D ⟨firstNZ' v 0, hpd⟩ ≠ 0 := (toVal_ne hD _).mpr hp
  have hdir : ∀ i, dirs d v i = Semantics.probe (toVal d v D) ⟨firstNZ' v 0, hpd⟩ i := fun i =>
    toVec_dirL hD ⟨firstNZ' v 0, hpd⟩ i
  have hans : Answers (dirs d v) B A (toMat d W) (toVal d v D) := by
    refine ⟨fun i => ?_, fun i j => ?_⟩
    · rw [base2.eval_nil, base2.inner_basis]
      exact basisOK_sound hD h4 i.val (by rw [hv]; exact i.isLt)
    · rw [base2.eval_one, base2.inner_basis, hdir]
      obtain ⟨r0, r1⟩ := rowsOK_sound hD h5 i.val (by rw [hv]; exact i.isLt)
      unfold Semantics.probe
      by_cases hi : nthD 0 v i.val = 0
      · rw [if_neg fun h' => (toVal_ne hD i).mp h' hi, base2.inner_add, base2.inner_basis, base2.inner_basis,
          score_add, score_basis, score_basis]
        have e0 : toVal d v D i = 0 := by rw [toVal, hi, base2.cast_zero, zero_div]
        rw [e0, zero_add]
        exact rowOK_sound hD (r0 hi) j.val (by rw [hv]; exact j.isLt)
      · rw [if_pos ((toVal_ne hD i).mpr hi), base2.inner_basis, score_basis]
        have := rowOK_sound hD (r1 hi) j.val (by rw [hv]; exact j.isLt)
        rw [show nthD (0 : Int) (zeros d) j.val = 0 from nthD_zeros d j.val, add_zero] at this
        exact this
  refine ⟨hans, fun W' v' h' => ?_⟩
  obtain ⟨e1, e2⟩ := base2.head_unique (W := toMat d W) (W' := W') (v' := v') hp0
    (fun i => (hans.1 i).trans (h'.1 i).symm)
    (fun i j => by rw [← hdir]; exact (hans.2 i j).trans (h'.2 i j).symm)
  exact ⟨e2.symm, e1.symm⟩
end Cert

end AttentionQueries
