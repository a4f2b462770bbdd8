import AttentionQueries.Certificate.Data
import AttentionQueries.SingleHead.Identifiability

/-! # The answers to the queries of length one and two

The queries of the single-head learner need not be written out: they are the `[eᵢ]` and the `[eⱼ + uᵢ; eⱼ]`, where the
directions `uᵢ` depend on the zeros of `v` only. A certificate holds the answers, in one list and one table; the table
may be needed in some rows and columns only. One answer is checked by one identity between integers.

## Main definitions

* `firstNonzero v`, `probe d v`: the pivot and the directions for a value vector given as a list.
* `PairAnswers d v I J B A o`: the oracle `o` gives the answers `B` on length one, and on length two the answers of the
  table `A` in the rows marked in `I` and the columns marked in `J`.
* `checkPairs`: the check that a head gives these answers.

## Main statements

* `of_checkPairs`: the check is sound.
* `checkPairs_of`: it accepts all true answers of the right shape. -/

namespace AttentionQueries
open CommRing OrderedField

namespace Certificate

local notation "E" => Semantics.exp base2
local notation "κ" => Semantics.cast base2

/-! ## Directions -/

/-- The number of leading zeros of a list: the index of its first nonzero entry, if there is one. -/
def firstNonzero : List Int → Nat
  | [] => 0
  | x :: l => cond (sameInt x 0) (firstNonzero l + 1) 0

/-- The entry at this index does not vanish. -/
theorem nth_firstNonzero : ∀ {v : List Int}, firstNonzero v < v.length → nth 0 v (firstNonzero v) ≠ 0
  | [], h => absurd h (Nat.not_lt_zero 0)
  | x :: l, h => by
    rw [firstNonzero] at h ⊢
    cases hx : sameInt x 0
    · exact ne_of_sameInt hx
    · rw [hx] at h
      exact nth_firstNonzero (Nat.lt_of_succ_lt_succ h)

/-- The entries before it vanish. -/
theorem nth_before_firstNonzero : ∀ {v : List Int} {i : Nat}, i < firstNonzero v → nth (0 : Int) v i = 0
  | [], _, h => absurd h (Nat.not_lt_zero _)
  | x :: l, i, h => by
    rw [firstNonzero] at h
    cases hx : sameInt x 0
    · rw [hx] at h
      exact absurd h (Nat.not_lt_zero i)
    · rw [hx] at h
      cases i with
      | zero => exact sameInt_iff.mp hx
      | succ i => exact nth_before_firstNonzero (v := l) (i := i) (Nat.lt_of_succ_lt_succ h)

/-- The direction `uᵢ`: `eᵢ` if the entry `i` of `v` is not zero, else `eᵢ + eₚ` for the first nonzero entry `p`. -/
def probe (d : Nat) (v : List Int) (i : Fin d) : Vec Int d :=
  if nth 0 v i.val ≠ 0 then basis i else basis i + fun k => if k.val = firstNonzero v then 1 else 0

/-- These are the directions of the learner for the value vector `v / D`. -/
theorem probe_eq {d : Nat} {v : List Int} {D : Nat} (hD : 1 ≤ D) (hp : firstNonzero v < d) (i : Fin d) :
    probe d v i = Semantics.probe (values d v D) ⟨firstNonzero v, hp⟩ i := by
  have hb : (fun k : Fin d => if k.val = firstNonzero v then (1 : Int) else 0) = basis ⟨firstNonzero v, hp⟩ := by
    funext k
    rw [basis]
    by_cases h : k.val = firstNonzero v
    · rw [if_pos h, if_pos (Fin.ext h)]
    · rw [if_neg h, if_neg fun e => h (congrArg Fin.val e)]
  unfold probe Semantics.probe
  rw [hb]
  by_cases h : nth 0 v i.val = 0
  · rw [if_neg fun h' => h' h, if_neg fun h' => h' ((values_eq_zero_iff hD i).mpr h)]
  · rw [if_pos h, if_pos (mt (values_eq_zero_iff hD i).mp h)]

/-! ## Answers -/

/-- The oracle answers `[eᵢ]` by entry `i` of `B`, and `[eⱼ + uᵢ; eⱼ]` by entry `j` of row `i` of `A`, where row `i`
is marked in `I` or column `j` is marked in `J`. -/
structure PairAnswers (d : Nat) (v : List Int) (I J : List Bool) (B : List (Int × Nat)) (A : List (List (Int × Nat)))
    (o : Query Int d → Rational) : Prop where
  /-- The answers to the queries of length one. -/
  single : ∀ i : Fin d, o ([], basis i) = fraction (nth (0, 1) B i.val)
  /-- The answers to the queries of length two. -/
  pair : ∀ i j : Fin d, nth false I i.val = true ∨ nth false J j.val = true →
    o ([basis j + probe d v i], basis j) = fraction (nth (0, 1) (nth [] A i.val) j.val)

/-! ## The check -/

/-- The answer `a` is `(x + l · 2 ^ s / (2 ^ s + 1)) / D`. -/
def checkPair (l : Int) (D : Nat) (s x : Int) (a : Int × Nat) : Bool :=
  Nat.ble 1 a.2 &&
    match s with
    | .ofNat k => sameInt (a.1 * .ofNat (D * (2 ^ k + 1)))
        (.ofNat a.2 * (x * .ofNat (2 ^ k + 1) + l * .ofNat (2 ^ k)))
    | .negSucc k => sameInt (a.1 * .ofNat (D * (2 ^ (k + 1) + 1))) (.ofNat a.2 * (x * .ofNat (2 ^ (k + 1) + 1) + l))

/-- The answers of one row, at the marked places: the scores are `w + w'`, the values of the query tokens `v`, and the
value of the direction is `l`, all values being divided by `D`. -/
def checkRow (l : Int) (D : Nat) : List Bool → List Int → List Int → List Int → List (Int × Nat) → Bool
  | b :: J, s :: w, t :: w', x :: v, a :: as =>
    cond b (checkPair l D (s + t) x a) true && checkRow l D J w w' v as
  | [], [], [], [], [] => true
  | _, _, _, _, _ => false

/-- All rows: `lp` and `wp` are the value and the row of the pivot, `z` is a list of zeros and `all` a list of marks. -/
def checkRows (lp : Int) (D : Nat) (all J : List Bool) (wp z v₀ : List Int) :
    List Bool → List (List Int) → List Int → List (List (Int × Nat)) → Bool
  | b :: I, r :: W, x :: v, a :: A =>
    cond (sameInt x 0) (checkRow lp D (cond b all J) r wp v₀ a) (checkRow x D (cond b all J) r z v₀ a) &&
      checkRows lp D all J wp z v₀ I W v A
  | [], [], [], [] => true
  | _, _, _, _ => false

/-- The answers to the queries of length one. -/
def checkSingles (D : Nat) : List Int → List (Int × Nat) → Bool
  | x :: v, a :: as => (Nat.ble 1 a.2 && sameInt (a.1 * .ofNat D) (x * .ofNat a.2)) && checkSingles D v as
  | [], [] => true
  | _, _ => false

/-- **The check** that the head `(W, v / D)` has `v ≠ 0` and gives the answers `B` and, at the marked places, `A`. -/
def checkPairs (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) (I J : List Bool) (B : List (Int × Nat))
    (A : List (List (Int × Nat))) : Bool :=
  Nat.ble 1 D && (Nat.beq v.length d && (Nat.ble (firstNonzero v + 1) d && (checkSingles D v B &&
    checkRows (nth 0 v (firstNonzero v)) D (List.replicate d true) J (nth [] W (firstNonzero v)) (List.replicate d 0) v
      I W v A)))

/-! ## One answer -/

/-- The output on a query of length two, as a value. -/
private def pairValue (l : Int) (D : Nat) (s x : Int) : Rational :=
  κ x / κ (.ofNat D) + κ l / κ (.ofNat D) * (E s / (E s + 1))

private theorem checkPair_iff {l : Int} {D : Nat} {s x : Int} {a : Int × Nat} (hD : 1 ≤ D) (ha : 1 ≤ a.2) :
    checkPair l D s x a = true ↔ pairValue l D s x = fraction a := by
  have hm := cast_ne_zero ha
  have hne := pos_ne (add_pos (base2.exp_pos s) one_pos)
  have h1 := div_mul_cancel (κ x) (cast_ne_zero hD)
  have h2 := div_mul_cancel (κ l) (cast_ne_zero hD)
  have h3 := div_mul_cancel (E s) hne
  have h4 := div_mul_cancel (κ a.1) hm
  have key : pairValue l D s x = fraction a ↔
      κ a.1 * (κ (.ofNat D) * (E s + 1)) = κ (.ofNat a.2) * (κ x * (E s + 1) + κ l * E s) := by
    rw [pairValue, fraction]
    generalize E s / (E s + 1) = f at *
    generalize κ x / κ (.ofNat D) = y at *
    generalize κ l / κ (.ofNat D) = g at *
    generalize κ a.1 / κ (.ofNat a.2) = r at *
    constructor
    · intro h
      lin_comb (-(κ (.ofNat D) * (E s + 1))) h4 + (-(κ (.ofNat a.2) * κ (.ofNat D) * (E s + 1))) h +
        (κ (.ofNat a.2) * (E s + 1)) h1 + (κ (.ofNat a.2) * f * (E s + 1)) h2 + (κ (.ofNat a.2) * κ l) h3
    · intro h
      apply mul_right_cancel hm
      rw [h4]
      apply mul_right_cancel (cast_ne_zero hD)
      apply mul_right_cancel hne
      lin_comb (-1) h + (κ (.ofNat a.2) * (E s + 1)) h1 + (κ (.ofNat a.2) * f * (E s + 1)) h2 +
        (κ (.ofNat a.2) * κ l) h3
  unfold checkPair
  rw [and_iff, key]
  refine ⟨fun ⟨_, h⟩ => ?_, fun h => ⟨ble_iff.mpr ha, ?_⟩⟩
  · cases s with
    | ofNat k =>
      have h : a.1 * (.ofNat D * (.ofNat (2 ^ k) + 1)) =
        .ofNat a.2 * (x * (.ofNat (2 ^ k) + 1) + l * .ofNat (2 ^ k)) := sameInt_iff.mp h
      have h := congrArg κ h
      simp only [base2.cast_mul, base2.cast_add, base2.cast_one, ← exp_ofNat] at h
      exact h
    | negSucc k =>
      have h : a.1 * (.ofNat D * (.ofNat (2 ^ (k + 1)) + 1)) =
        .ofNat a.2 * (x * (.ofNat (2 ^ (k + 1)) + 1) + l) := sameInt_iff.mp h
      have h := congrArg κ h
      simp only [base2.cast_mul, base2.cast_add, base2.cast_one] at h
      lin_comb (E (.negSucc k)) h +
        (κ (.ofNat a.2) * κ x - κ a.1 * κ (.ofNat D)) (exp_negSucc k)
  · cases s with
    | ofNat k =>
      refine sameInt_iff.mpr (base2.cast_inj _ _ ?_)
      show κ (a.1 * (.ofNat D * (.ofNat (2 ^ k) + 1))) =
        κ (.ofNat a.2 * (x * (.ofNat (2 ^ k) + 1) + l * .ofNat (2 ^ k)))
      simp only [base2.cast_mul, base2.cast_add, base2.cast_one, ← exp_ofNat]
      exact h
    | negSucc k =>
      refine sameInt_iff.mpr (base2.cast_inj _ _ ?_)
      show κ (a.1 * (.ofNat D * (.ofNat (2 ^ (k + 1)) + 1))) =
        κ (.ofNat a.2 * (x * (.ofNat (2 ^ (k + 1)) + 1) + l))
      simp only [base2.cast_mul, base2.cast_add, base2.cast_one]
      lin_comb (κ (.ofNat (2 ^ (k + 1)))) h +
        (κ (.ofNat a.2) * (κ x + κ l) - κ a.1 * κ (.ofNat D)) (exp_negSucc k)

private theorem of_checkPair {l : Int} {D : Nat} {s x : Int} {a : Int × Nat} (hD : 1 ≤ D)
    (h : checkPair l D s x a = true) : pairValue l D s x = fraction a :=
  (checkPair_iff hD (ble_iff.mp (and_iff.mp h).1)).mp h

private theorem checkSingle_iff {D : Nat} {x : Int} {a : Int × Nat} (hD : 1 ≤ D) :
    (Nat.ble 1 a.2 && sameInt (a.1 * .ofNat D) (x * .ofNat a.2)) = true ↔ 1 ≤ a.2 ∧ fraction (x, D) = fraction a := by
  rw [and_iff, ble_iff, sameInt_iff]
  constructor
  · rintro ⟨h1, h2⟩
    exact ⟨h1, (fraction_eq_iff (a := (x, D)) hD h1).mpr h2.symm⟩
  · rintro ⟨h1, h2⟩
    exact ⟨h1, ((fraction_eq_iff (a := (x, D)) hD h1).mp h2).symm⟩

/-! ## Soundness -/

private theorem of_checkRow {l : Int} {D : Nat} (hD : 1 ≤ D) : ∀ {J : List Bool} {w w' v : List Int}
    {a : List (Int × Nat)}, checkRow l D J w w' v a = true → ∀ j, nth false J j = true →
      pairValue l D (nth 0 w j + nth 0 w' j) (nth 0 v j) = fraction (nth (0, 1) a j)
  | b :: J, s :: w, t :: w', x :: v, a :: as, h, 0, hj => by
    have h := (and_iff.mp h).1
    rw [show b = true from hj] at h
    exact of_checkPair hD h
  | b :: J, s :: w, t :: w', x :: v, a :: as, h, j + 1, hj => of_checkRow hD (and_iff.mp h).2 j hj
  | [], [], [], [], [], _, _, hj => nomatch hj

private theorem of_checkRows {lp : Int} {D : Nat} {all J : List Bool} {wp z v₀ : List Int} :
    ∀ {I : List Bool} {W : List (List Int)} {v : List Int} {A : List (List (Int × Nat))},
    checkRows lp D all J wp z v₀ I W v A = true → ∀ i, i < v.length →
      (nth 0 v i = 0 → checkRow lp D (cond (nth false I i) all J) (nth [] W i) wp v₀ (nth [] A i) = true) ∧
      (nth 0 v i ≠ 0 → checkRow (nth 0 v i) D (cond (nth false I i) all J) (nth [] W i) z v₀ (nth [] A i) = true)
  | b :: I, r :: W, x :: v, a :: A, h, 0, _ => by
    have h := (and_iff.mp h).1
    show (x = 0 → checkRow lp D (cond b all J) r wp v₀ a = true) ∧
      (x ≠ 0 → checkRow x D (cond b all J) r z v₀ a = true)
    cases hx : sameInt x 0
    · rw [hx] at h
      exact ⟨fun e => absurd e (ne_of_sameInt hx), fun _ => h⟩
    · rw [hx] at h
      exact ⟨fun _ => h, fun e => absurd (sameInt_iff.mp hx) e⟩
  | _ :: _, _ :: _, _ :: _, _ :: _, h, i + 1, hi => of_checkRows (and_iff.mp h).2 i (Nat.lt_of_succ_lt_succ hi)
  | [], [], [], [], _, _, hi => absurd hi (Nat.not_lt_zero _)

/-- The check of the answers on length one is sound. -/
theorem of_checkSingles {D : Nat} (hD : 1 ≤ D) : ∀ {v : List Int} {B : List (Int × Nat)},
    checkSingles D v B = true → ∀ i, i < v.length → fraction (nth 0 v i, D) = fraction (nth (0, 1) B i)
  | _ :: _, _ :: _, h, 0, _ => ((checkSingle_iff hD).mp (and_iff.mp h).1).2
  | _ :: _, _ :: _, h, i + 1, hi => of_checkSingles hD (and_iff.mp h).2 i (Nat.lt_of_succ_lt_succ hi)
  | [], [], _, _, hi => absurd hi (Nat.not_lt_zero _)

/-- An entry of a constant list. -/
theorem nth_replicate {A : Type} (a₀ a : A) : ∀ {n i : Nat}, i < n → nth a₀ (List.replicate n a) i = a
  | 0, _, h => absurd h (Nat.not_lt_zero _)
  | _ + 1, 0, _ => rfl
  | n + 1, i + 1, h => nth_replicate a₀ a (n := n) (i := i) (Nat.lt_of_succ_lt_succ h)

/-- The output of a head on the query `[eⱼ + uᵢ; eⱼ]`, in terms of the lists. -/
private theorem oracle_pair {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (hD : 1 ≤ D)
    (hp : firstNonzero v < d) (i j : Fin d) :
    base2.oracle (matrix d W) (values d v D) ([basis j + probe d v i], basis j) =
      if nth 0 v i.val = 0 then pairValue (nth 0 v (firstNonzero v)) D
        (nth 0 (nth [] W i.val) j.val + nth 0 (nth [] W (firstNonzero v)) j.val) (nth 0 v j.val)
      else pairValue (nth 0 v i.val) D (nth 0 (nth [] W i.val) j.val + nth 0 (List.replicate d 0) j.val)
        (nth 0 v j.val) := by
  rw [Semantics.oracle, base2.eval_one, base2.inner_basis, probe_eq hD hp, Semantics.probe]
  by_cases h : nth 0 v i.val = 0
  · have h0 := (values_eq_zero_iff hD i).mpr h
    rw [if_pos h, if_neg fun h' => h' h0, base2.inner_add, base2.inner_basis, base2.inner_basis, score_add,
      score_basis, score_basis, h0, zero_add]
    rfl
  · rw [if_neg h, if_pos (mt (values_eq_zero_iff hD i).mp h), base2.inner_basis, score_basis,
      nth_replicate 0 0 j.isLt, add_zero]
    rfl

/-- **Soundness.** If the check succeeds, then the pivot exists and the head gives the answers. -/
theorem of_checkPairs {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {I J : List Bool}
    {B : List (Int × Nat)} {A : List (List (Int × Nat))} (h : checkPairs d W v D I J B A = true) :
    1 ≤ D ∧ firstNonzero v < d ∧ nth 0 v (firstNonzero v) ≠ 0 ∧
      PairAnswers d v I J B A (base2.oracle (matrix d W) (values d v D)) := by
  obtain ⟨h1, h⟩ := and_iff.mp h
  obtain ⟨h2, h⟩ := and_iff.mp h
  obtain ⟨h3, h⟩ := and_iff.mp h
  obtain ⟨h4, h5⟩ := and_iff.mp h
  have hD := ble_iff.mp h1
  have hv := beq_iff.mp h2
  have hp : firstNonzero v < d := ble_iff.mp h3
  refine ⟨hD, hp, nth_firstNonzero (by rw [hv]; exact hp), fun i => ?_, fun i j hij => ?_⟩
  · show base2.eval _ _ [] _ = _
    rw [base2.eval_nil, base2.inner_basis]
    exact of_checkSingles hD h4 i.val (by rw [hv]; exact i.isLt)
  · have hm : nth false (cond (nth false I i.val) (List.replicate d true) J) j.val = true := by
      cases hI : nth false I i.val
      · rw [hI] at hij
        exact hij.resolve_left fun h => nomatch h
      · exact nth_replicate false true j.isLt
    rw [oracle_pair hD hp]
    obtain ⟨r0, r1⟩ := of_checkRows h5 i.val (by rw [hv]; exact i.isLt)
    by_cases hi : nth 0 v i.val = 0
    · rw [if_pos hi]
      exact of_checkRow hD (r0 hi) j.val hm
    · rw [if_neg hi]
      exact of_checkRow hD (r1 hi) j.val hm

/-! ## Completeness -/

/-- The lists have the lengths of dimension `d`, and all denominators are positive. -/
structure Shape (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) (I J : List Bool) (B : List (Int × Nat))
    (A : List (List (Int × Nat))) : Prop where
  /-- The denominator of the values is positive. -/
  D_pos : 1 ≤ D
  /-- The value vector has `d` entries. -/
  v_len : v.length = d
  /-- The matrix has `d` rows. -/
  W_len : W.length = d
  /-- Each row has `d` entries. -/
  row_len : ∀ i, i < d → (nth [] W i).length = d
  /-- There are marks for `d` rows. -/
  I_len : I.length = d
  /-- There are marks for `d` columns. -/
  J_len : J.length = d
  /-- There are `d` answers to queries of length one. -/
  B_len : B.length = d
  /-- They have positive denominators. -/
  B_den : ∀ i, i < d → 1 ≤ (nth (0, 1) B i).2
  /-- The table has `d` rows. -/
  A_len : A.length = d
  /-- Each of them has `d` entries. -/
  A_row_len : ∀ i, i < d → (nth [] A i).length = d
  /-- All of them have positive denominators. -/
  A_den : ∀ i, i < d → ∀ j, j < d → 1 ≤ (nth (0, 1) (nth [] A i) j).2

private theorem checkRow_of {l : Int} {D : Nat} (hD : 1 ≤ D) : ∀ {d : Nat} {J : List Bool} {w w' v : List Int}
    {a : List (Int × Nat)}, J.length = d → w.length = d → w'.length = d → v.length = d → a.length = d →
    (∀ j, j < d → 1 ≤ (nth (0, 1) a j).2) → (∀ j, j < d → nth false J j = true →
      pairValue l D (nth 0 w j + nth 0 w' j) (nth 0 v j) = fraction (nth (0, 1) a j)) → checkRow l D J w w' v a = true
  | 0, [], [], [], [], [], _, _, _, _, _, _, _ => rfl
  | d + 1, b :: J, s :: w, t :: w', x :: v, a :: as, h0, h1, h2, h3, h4, hm, h => by
    refine and_iff.mpr ⟨?_, checkRow_of hD (Nat.succ.inj h0) (Nat.succ.inj h1) (Nat.succ.inj h2) (Nat.succ.inj h3)
      (Nat.succ.inj h4) (fun j hj => hm (j + 1) (Nat.succ_lt_succ hj)) fun j hj => h (j + 1) (Nat.succ_lt_succ hj)⟩
    cases b
    · rfl
    · exact (checkPair_iff hD (hm 0 (Nat.succ_pos d))).mpr (h 0 (Nat.succ_pos d) rfl)

private theorem checkRows_of {lp : Int} {D : Nat} {all J : List Bool} {wp z v₀ : List Int} : ∀ {d : Nat}
    {I : List Bool} {W : List (List Int)} {v : List Int} {A : List (List (Int × Nat))}, I.length = d → W.length = d →
    v.length = d → A.length = d → (∀ i, i < d →
      (nth 0 v i = 0 → checkRow lp D (cond (nth false I i) all J) (nth [] W i) wp v₀ (nth [] A i) = true) ∧
      (nth 0 v i ≠ 0 → checkRow (nth 0 v i) D (cond (nth false I i) all J) (nth [] W i) z v₀ (nth [] A i) = true)) →
    checkRows lp D all J wp z v₀ I W v A = true
  | 0, [], [], [], [], _, _, _, _, _ => rfl
  | d + 1, b :: I, r :: W, x :: v, a :: A, h0, h1, h2, h3, h => by
    refine and_iff.mpr ⟨?_, checkRows_of (Nat.succ.inj h0) (Nat.succ.inj h1) (Nat.succ.inj h2) (Nat.succ.inj h3)
      fun i hi => h (i + 1) (Nat.succ_lt_succ hi)⟩
    have h : (x = 0 → checkRow lp D (cond b all J) r wp v₀ a = true) ∧
      (x ≠ 0 → checkRow x D (cond b all J) r z v₀ a = true) := h 0 (Nat.succ_pos d)
    cases hx : sameInt x 0
    · exact h.2 (ne_of_sameInt hx)
    · exact h.1 (sameInt_iff.mp hx)

private theorem checkSingles_of {D : Nat} (hD : 1 ≤ D) : ∀ {d : Nat} {v : List Int} {B : List (Int × Nat)},
    v.length = d → B.length = d → (∀ i, i < d → 1 ≤ (nth (0, 1) B i).2) →
    (∀ i, i < d → fraction (nth 0 v i, D) = fraction (nth (0, 1) B i)) → checkSingles D v B = true
  | 0, [], [], _, _, _, _ => rfl
  | d + 1, _ :: _, _ :: _, h1, h2, hm, h =>
    and_iff.mpr ⟨(checkSingle_iff hD).mpr ⟨hm 0 (Nat.succ_pos d), h 0 (Nat.succ_pos d)⟩,
      checkSingles_of hD (Nat.succ.inj h1) (Nat.succ.inj h2) (fun i hi => hm (i + 1) (Nat.succ_lt_succ hi))
        fun i hi => h (i + 1) (Nat.succ_lt_succ hi)⟩

/-- **Completeness.** True answers in data of the right shape, with `v ≠ 0`, are accepted. -/
theorem checkPairs_of {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {I J : List Bool}
    {B : List (Int × Nat)} {A : List (List (Int × Nat))} (hs : Shape d W v D I J B A) (hp : firstNonzero v < d)
    (h : PairAnswers d v I J B A (base2.oracle (matrix d W) (values d v D))) : checkPairs d W v D I J B A = true := by
  have hD := hs.D_pos
  refine and_iff.mpr ⟨ble_iff.mpr hD, and_iff.mpr ⟨beq_iff.mpr hs.v_len, and_iff.mpr ⟨ble_iff.mpr hp,
    and_iff.mpr ⟨checkSingles_of hD hs.v_len hs.B_len hs.B_den fun i hi => ?_,
      checkRows_of hs.I_len hs.W_len hs.v_len hs.A_len fun i hi => ?_⟩⟩⟩⟩
  · have := h.single ⟨i, hi⟩
    rw [Semantics.oracle, base2.eval_nil, base2.inner_basis] at this
    exact this
  · have key : ∀ j : Fin d, nth false (cond (nth false I i) (List.replicate d true) J) j.val = true →
        base2.oracle (matrix d W) (values d v D) ([basis j + probe d v ⟨i, hi⟩], basis j) =
          fraction (nth (0, 1) (nth [] A i) j.val) := fun j hj => h.pair ⟨i, hi⟩ j (by
      by_cases hI : nth false I i = true
      · exact .inl hI
      · rw [(Bool.not_eq_true _).mp hI] at hj
        exact .inr hj)
    have hJ : (cond (nth false I i) (List.replicate d true) J).length = d := by
      cases nth false I i
      · exact hs.J_len
      · exact List.length_replicate
    refine ⟨fun h0 => ?_, fun h0 => ?_⟩
    · refine checkRow_of hD hJ (hs.row_len i hi) (hs.row_len _ hp) hs.v_len (hs.A_row_len i hi) (hs.A_den i hi)
        fun j hj hm => ?_
      have := key ⟨j, hj⟩ hm
      rw [oracle_pair hD hp, if_pos (show nth 0 v (⟨i, hi⟩ : Fin d).val = 0 from h0)] at this
      exact this
    · refine checkRow_of hD hJ (hs.row_len i hi) List.length_replicate hs.v_len (hs.A_row_len i hi) (hs.A_den i hi)
        fun j hj hm => ?_
      have := key ⟨j, hj⟩ hm
      rw [oracle_pair hD hp, if_neg (show nth 0 v (⟨i, hi⟩ : Fin d).val ≠ 0 from h0)] at this
      exact this

end Certificate

end AttentionQueries
