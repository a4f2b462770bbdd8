import AttentionQueries.Certificate.Fast

/-! # Completeness of the fast checker: the true answers of a head with integer data are always accepted -/

namespace AttentionQueries
open CommRing OrderedField

set_option linter.unusedVariables false
namespace Cert
local notation "E" => Semantics.exp base2
local notation "κ" => Semantics.cast base2

theorem ieq_of_cast {a b : Int} (h : κ a = κ b) : ieq a b = true := by
  rw [base2.cast_inj a b h]
  exact ieq_refl b
theorem ble_of_le {a b : Nat} (h : a ≤ b) : Nat.ble a b = true := Nat.ble_eq_true_of_le h

theorem entryOK_complete {l : Int} {D : Nat} {s x n : Int} {m : Nat} (hD : 1 ≤ D) (hm : 1 ≤ m)
    (h : κ x / κ (.ofNat D) + κ l / κ (.ofNat D) * (E s / (E s + 1)) = frac (n, m)) : entryOK l D s x n m = true := by
  have hne := pos_ne (add_pos (base2.exp_pos s) one_pos)
  have h1 := div_mul_cancel (κ x) (cast_pos hD)
  have h2 := div_mul_cancel (κ l) (cast_pos hD)
  have h3 := div_mul_cancel (E s) hne
  have h4 := div_mul_cancel (κ n) (cast_pos hm)
  have key : κ n * (κ (.ofNat D) * (E s + 1)) = κ (.ofNat m) * (κ x * (E s + 1) + κ l * E s) := by
    rw [frac] at h
    generalize E s / (E s + 1) = f at *
    generalize κ x / κ (.ofNat D) = y at *
    generalize κ l / κ (.ofNat D) = g at *
    generalize κ n / κ (.ofNat m) = r at *
    lin_comb (-(κ (.ofNat D) * (E s + 1))) h4 + (-(κ (.ofNat m) * κ (.ofNat D) * (E s + 1))) h +
      (κ (.ofNat m) * (E s + 1)) h1 + (κ (.ofNat m) * f * (E s + 1)) h2 + (κ (.ofNat m) * κ l) h3
  unfold entryOK
  rw [ble_of_le hm]
  cases s with
  | ofNat k =>
    apply ieq_of_cast
    show κ (n * (.ofNat D * (.ofNat (2 ^ k) + 1))) = κ (.ofNat m * (x * (.ofNat (2 ^ k) + 1) + l * .ofNat (2 ^ k)))
    simp only [base2.cast_mul, base2.cast_add, base2.cast_one, ← exp_ofNat]
    exact key
  | negSucc k =>
    apply ieq_of_cast
    show κ (n * (.ofNat D * (.ofNat (2 ^ (k + 1)) + 1))) = κ (.ofNat m * (x * (.ofNat (2 ^ (k + 1)) + 1) + l))
    simp only [base2.cast_mul, base2.cast_add, base2.cast_one, ← exp_ofNat]
    have e : E (.ofNat (k + 1)) * E (.negSucc k) = 1 := base2.exp_mul_neg (.ofNat (k + 1))
    lin_comb (E (.ofNat (k + 1))) key + (κ (.ofNat m) * (κ x + κ l) - κ n * κ (.ofNat D)) e

theorem rowOK_complete {l : Int} {D : Nat} (hD : 1 ≤ D) : ∀ {d : Nat} {w wp v : List Int} {a : List (Int × Nat)},
    w.length = d → wp.length = d → v.length = d → a.length = d → (∀ j, j < d → 1 ≤ (nthD (0, 1) a j).2) →
    (∀ j, j < d → κ (nthD 0 v j) / κ (.ofNat D) + κ l / κ (.ofNat D) *
      (E (nthD 0 w j + nthD 0 wp j) / (E (nthD 0 w j + nthD 0 wp j) + 1)) = frac (nthD (0, 1) a j)) → rowOK l D w wp v a = true
  | 0, [], [], [], [], _, _, _, _, _, _ => rfl
  | d + 1, s :: w, t :: wp, x :: v, (n, m) :: a, h1, h2, h3, h4, hm, h => by
    have e : entryOK l D (Int.add s t) x n m = true := entryOK_complete hD (hm 0 (Nat.succ_pos d)) (h 0 (Nat.succ_pos d))
    rw [rowOK, e]
    exact rowOK_complete hD (Nat.succ.inj h1) (Nat.succ.inj h2) (Nat.succ.inj h3) (Nat.succ.inj h4)
      (fun j hj => hm (j + 1) (Nat.succ_lt_succ hj)) fun j hj => h (j + 1) (Nat.succ_lt_succ hj)
theorem rowsOK_complete {lp : Int} {D : Nat} {wp z v₀ : List Int} : ∀ {d : Nat} {W : List (List Int)} {v : List Int} {A : List (List (Int × Nat))},
    W.length = d → v.length = d → A.length = d →
    (∀ i, i < d → (nthD 0 v i = 0 → rowOK lp D (nthD [] W i) wp v₀ (nthD [] A i) = true) ∧
      (nthD 0 v i ≠ 0 → rowOK (nthD 0 v i) D (nthD [] W i) z v₀ (nthD [] A i) = true)) → rowsOK lp D wp z v₀ W v A = true
  | 0, [], [], [], _, _, _, _ => rfl
  | d + 1, r :: W, x :: v, a :: A, h1, h2, h3, h => by
    have h0 : (x = 0 → rowOK lp D r wp v₀ a = true) ∧ (x ≠ 0 → rowOK x D r z v₀ a = true) := h 0 (Nat.succ_pos d)
    have e : cond (ieq x (.ofNat 0)) (rowOK lp D r wp v₀ a) (rowOK x D r z v₀ a) = true := by
      cases hx : ieq x (.ofNat 0)
      · exact h0.2 (ieq_false hx)
      · exact h0.1 (ieq_eq hx)
    rw [rowsOK, e]
    exact rowsOK_complete (Nat.succ.inj h1) (Nat.succ.inj h2) (Nat.succ.inj h3) fun i hi => h (i + 1) (Nat.succ_lt_succ hi)
theorem basisOK_complete {D : Nat} (hD : 1 ≤ D) : ∀ {d : Nat} {v : List Int} {a : List (Int × Nat)}, v.length = d → a.length = d →
    (∀ i, i < d → 1 ≤ (nthD (0, 1) a i).2) → (∀ i, i < d → κ (nthD 0 v i) / κ (.ofNat D) = frac (nthD (0, 1) a i)) → basisOK D v a = true
  | 0, [], [], _, _, _, _ => rfl
  | d + 1, x :: v, (n, m) :: a, h1, h2, hm, h => by
    have hm0 : 1 ≤ m := hm 0 (Nat.succ_pos d)
    have h0 : κ x / κ (.ofNat D) = κ n / κ (.ofNat m) := h 0 (Nat.succ_pos d)
    have e : ieq (Int.mul n (.ofNat D)) (Int.mul x (.ofNat m)) = true := by
      apply ieq_of_cast
      show κ (n * .ofNat D) = κ (x * .ofNat m)
      rw [base2.cast_mul, base2.cast_mul]
      have h3 := div_mul_cancel (κ n) (cast_pos hm0)
      have h4 := div_mul_cancel (κ x) (cast_pos hD)
      generalize κ n / κ (.ofNat m) = f at *
      generalize κ x / κ (.ofNat D) = g at *
      lin_comb (-κ (.ofNat D)) h3 + (κ (.ofNat m)) h4 + (-(κ (.ofNat m) * κ (.ofNat D))) h0
    rw [basisOK, ble_of_le hm0, e]
    exact basisOK_complete hD (Nat.succ.inj h1) (Nat.succ.inj h2) (fun i hi => hm (i + 1) (Nat.succ_lt_succ hi))
      fun i hi => h (i + 1) (Nat.succ_lt_succ hi)

theorem length_zeros : ∀ d : Nat, (zeros d).length = d
  | 0 => rfl
  | d + 1 => congrArg Nat.succ (length_zeros d)

/-- data of the right shape -/
structure Shape (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) (B : List (Int × Nat)) (A : List (List (Int × Nat))) : Prop where
  D_pos : 1 ≤ D
  v_len : v.length = d
  W_len : W.length = d
  row_len : ∀ i, i < d → (nthD [] W i).length = d
  B_len : B.length = d
  B_den : ∀ i, i < d → 1 ≤ (nthD (0, 1) B i).2
  A_len : A.length = d
  ans_len : ∀ i, i < d → (nthD [] A i).length = d
  ans_den : ∀ i, i < d → ∀ j, j < d → 1 ≤ (nthD (0, 1) (nthD [] A i) j).2

/-- **Completeness.** On data of the right shape with `v ≠ 0` the checker accepts exactly the true answers. -/
theorem checkFast_iff {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {B : List (Int × Nat)} {A : List (List (Int × Nat))}
    (hs : Shape d W v D B A) (hp : firstNZ' v 0 < d) :
    checkFast d W v D B A = true ↔ Answers (dirs d v) B A (toMat d W) (toVal d v D) := by
  refine ⟨fun h => (checkFast_sound h).1, fun ⟨hB, hA⟩ => ?_⟩
  have hD := hs.D_pos
  have hdir : ∀ i, dirs d v i = Semantics.probe (toVal d v D) ⟨firstNZ' v 0, hp⟩ i := fun i => toVec_dirL hD ⟨firstNZ' v 0, hp⟩ i
  have e1 : basisOK D v B = true := basisOK_complete hD hs.v_len hs.B_len hs.B_den fun i hi => by
    have := hB ⟨i, hi⟩
    rwa [base2.eval_nil, base2.inner_basis] at this
  have e2 : rowsOK (nthD (.ofNat 0) v (firstNZ' v 0)) D (nthD [] W (firstNZ' v 0)) (zeros d) v W v A = true := by
    refine rowsOK_complete hs.W_len hs.v_len hs.A_len fun i hi => ⟨fun h0 => ?_, fun h0 => ?_⟩
    · refine rowOK_complete hD (hs.row_len i hi) (hs.row_len _ hp) hs.v_len (hs.ans_len i hi) (hs.ans_den i hi) fun j hj => ?_
      have := hA ⟨i, hi⟩ ⟨j, hj⟩
      rw [base2.eval_one, base2.inner_basis, hdir, Semantics.probe, if_neg fun h' => (toVal_ne hD ⟨i, hi⟩).mp h' h0, base2.inner_add,
        base2.inner_basis, base2.inner_basis, score_add, score_basis, score_basis] at this
      have e0 : toVal d v D ⟨i, hi⟩ = 0 := by
        show κ (nthD 0 v i) / κ (.ofNat D) = 0
        rw [h0, base2.cast_zero, zero_div]
      rw [e0, zero_add] at this
      exact this
    · refine rowOK_complete hD (hs.row_len i hi) (length_zeros d) hs.v_len (hs.ans_len i hi) (hs.ans_den i hi) fun j hj => ?_
      have := hA ⟨i, hi⟩ ⟨j, hj⟩
      rw [base2.eval_one, base2.inner_basis, hdir, Semantics.probe, if_pos ((toVal_ne hD ⟨i, hi⟩).mpr h0), base2.inner_basis, score_basis] at this
      rw [nthD_zeros d j, add_zero]
      exact this
  have e3 : Nat.beq v.length d = true := by rw [hs.v_len]; exact nbeq_refl d
  unfold checkFast
  rw [ble_of_le hD, e3, ble_of_le (Nat.succ_le_of_lt hp), e1, e2]
  rfl
end Cert

end AttentionQueries
