import AttentionQueries.Certificate.SingleHead
import AttentionQueries.Certificate.Transcript

/-! # Certificates that no head gives certain answers

An oracle may lie, or be something else than one head. Two kinds of evidence are enough for every transcript of the
learner: an answer on two tokens that no score explains, once the answers on length one are known; and an answer that
differs from that of the only head which gives all the others.

## Main definitions

* `Singles d B o`: the oracle `o` answers the queries of length one by `B`.
* `checkImpossible`, `checkZero`, `checkContradiction`: the three checks.

## Main statements

* `no_head_of_impossible`: no head gives the answers on length one and the given answer on two tokens.
* `no_head_of_zero`: no head answers zero on length one and something else to another query.
* `no_head_of_contradiction`: no head gives the answers of a certificate and a further, different answer. -/

namespace AttentionQueries
open CommRing OrderedField

namespace Certificate

local notation "E" => Semantics.exp base2
local notation "κ" => Semantics.cast base2

/-- The oracle answers `[eᵢ]` by entry `i` of `B`. -/
def Singles (d : Nat) (B : List (Int × Nat)) (o : Query Int d → Rational) : Prop :=
  ∀ i : Fin d, o ([], basis i) = fraction (nth (0, 1) B i.val)

/-! ## An answer that no score explains -/

/-- There is no integer `s` with `P = Q · 2 ^ s`. -/
def noScore (P Q : Int) : Bool :=
  cond (sameInt Q 0) (!sameInt P 0) (decide (base2Log (κ P / κ Q) = none))

private theorem of_noScore {P Q : Int} (h : noScore P Q = true) (s : Int) : κ P ≠ κ Q * E s := by
  intro e
  rw [noScore] at h
  cases hQ : sameInt Q 0
  · rw [hQ] at h
    have h : base2Log (κ P / κ Q) = none := of_decide_eq_true h
    have hne := base2.cast_ne (ne_of_sameInt hQ)
    rw [(base2Log_eq_some _ s).mpr ((div_eq_iff hne).mpr (by rw [e, mul_comm])).symm] at h
    cases h
  · rw [hQ] at h
    rw [sameInt_iff.mp hQ, base2.cast_zero, zero_mul, ← base2.cast_zero] at e
    have h : (!sameInt P 0) = true := h
    rw [sameInt_iff.mpr (base2.cast_inj _ _ e)] at h
    cases h

/-- The values `v / D` are the answers `B`, the query consists of copies of a token and copies of the query token, and
no score explains the answer. -/
def checkImpossible (d : Nat) (v : List Int) (D : Nat) (B : List (Int × Nat)) (x : List Int) (k : Nat) (q : List Int)
    (n : Nat) (a : Int × Nat) : Bool :=
  Nat.ble 1 D && (Nat.beq v.length d && (checkSingles D v B && (Nat.ble 1 a.2 && noScore
    ((a.1 * .ofNat D - .ofNat a.2 * dotList v q) * .ofNat (n + 1))
    ((.ofNat a.2 * dotList v x - a.1 * .ofNat D) * .ofNat k))))

private theorem values_of_singles {d : Nat} {v : List Int} {D : Nat} {B : List (Int × Nat)} (hD : 1 ≤ D)
    (hv : v.length = d) (h : checkSingles D v B = true) {W' : Mat Int d} {v' : Vec Rational d}
    (hB : Singles d B (base2.oracle W' v')) : v' = values d v D := by
  rw [← base2.eval_basis W' v']
  exact funext fun i => (hB i).trans (of_checkSingles hD h i.val (by rw [hv]; exact i.isLt)).symm

private theorem cast_sub (a b : Int) : κ (a - b) = κ a - κ b := by
  rw [show a - b = a + -b from Int.sub_eq_add_neg, base2.cast_add, base2.cast_neg]
  ring

/-- **Impossible answer.** If the check succeeds, no head gives the answers `B` on length one and the answer `a` on `k`
copies of the token `x` followed by `n` copies of `q` and the query token `q`. -/
theorem no_head_of_impossible {d : Nat} {v : List Int} {D : Nat} {B : List (Int × Nat)} {x : List Int} {k : Nat}
    {q : List Int} {n : Nat} {a : Int × Nat} (h : checkImpossible d v D B x k q n a = true) :
    ¬ ∃ (W' : Mat Int d) (v' : Vec Rational d), Singles d B (base2.oracle W' v') ∧
      Entry.Agrees (base2.oracle W' v') ⟨[(x, k), (q, n)], q, a⟩ := by
  obtain ⟨h1, h⟩ := and_iff.mp h
  obtain ⟨h2, h⟩ := and_iff.mp h
  obtain ⟨h3, h⟩ := and_iff.mp h
  obtain ⟨h4, h5⟩ := and_iff.mp h
  have hD := ble_iff.mp h1
  have hv := beq_iff.mp h2
  rintro ⟨W', v', hB, ha⟩
  obtain rfl := values_of_singles hD hv h3 hB
  have hq := dotList_eq hD (Nat.le_of_eq hv) q
  have hx := dotList_eq hD (Nat.le_of_eq hv) x
  have ht := div_mul_cancel (κ a.1) (cast_ne_zero (ble_iff.mp h4))
  have ho := base2.odds_formula W' (values d v D) (vector d x) (vector d q) k (n + 1) (Nat.succ_pos n) rfl
  have he : base2.eval W' (values d v D) (List.replicate k (vector d x) ++ List.replicate n (vector d q)) (vector d q) =
      fraction a := by
    rw [← ha, Semantics.oracle, Entry.query]
    simp only [List.map_cons, List.map_nil, expand, List.flatMap_cons, List.flatMap_nil, List.append_nil]
  rw [Nat.add_sub_cancel, he, natCast_eq_cast, natCast_eq_cast, fraction] at ho
  have hs := base2.inner_split (values d v D) (vector d x) (vector d q)
  refine of_noScore h5 (score W' (vector d x - vector d q) (vector d q)) ?_
  rw [base2.cast_mul, base2.cast_mul, cast_sub, cast_sub, base2.cast_mul, base2.cast_mul, base2.cast_mul, ← hq, ← hx]
  generalize κ a.1 / κ (.ofNat a.2) = f at *
  generalize base2.inner (values d v D) (vector d x - vector d q) = u at *
  generalize base2.inner (values d v D) (vector d x) = b at *
  generalize base2.inner (values d v D) (vector d q) = c at *
  generalize E (score W' (vector d x - vector d q) (vector d q)) = e at *
  lin_comb (κ (.ofNat a.2) * κ (.ofNat D)) ho + (-κ (.ofNat D) * (κ (.ofNat (n + 1)) + κ (.ofNat k) * e)) ht +
    (-κ (.ofNat a.2) * κ (.ofNat D) * κ (.ofNat k) * e) hs

/-! ## Zero on length one -/

/-- The values `v` are zero, the answers `B` on length one are these, and the answer of the entry is not zero. -/
def checkZero (d : Nat) (B : List (Int × Nat)) (e : Entry) : Bool :=
  checkSingles 1 (List.replicate d 0) B && (Nat.ble 1 e.answer.2 && !sameInt e.answer.1 0)

/-- **Zero on length one.** If the check succeeds, no head answers zero to all queries of length one and gives the
answer of the entry, which is not zero. -/
theorem no_head_of_zero {d : Nat} {B : List (Int × Nat)} {e : Entry} (h : checkZero d B e = true) :
    ¬ ∃ (W' : Mat Int d) (v' : Vec Rational d), Singles d B (base2.oracle W' v') ∧
      e.Agrees (base2.oracle W' v') := by
  obtain ⟨h1, h⟩ := and_iff.mp h
  obtain ⟨h2, h3⟩ := and_iff.mp h
  rintro ⟨W', v', hB, ha⟩
  have hv := values_of_singles (Nat.le_refl 1) List.length_replicate h1 hB
  have h0 : values d (List.replicate d 0) 1 = 0 := funext fun i =>
    (values_eq_zero_iff (Nat.le_refl 1) i).mpr (nth_replicate 0 0 i.isLt)
  rw [hv, h0, Entry.Agrees, Semantics.oracle, base2.eval_zero, fraction] at ha
  have ht := cast_ne_zero (ble_iff.mp h2)
  have hz : κ e.answer.1 = κ 0 := by rw [(div_eq_iff ht).mp ha.symm, zero_mul, base2.cast_zero]
  rw [sameInt_iff.mpr (base2.cast_inj _ _ hz)] at h3
  cases h3

/-! ## A different answer -/

/-- The head is certified by the answers `B` and `A`, and gives another answer than that of the entry. -/
def checkContradiction (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) (B : List (Int × Nat))
    (A : List (List (Int × Nat))) (e : Entry) : Bool :=
  checkHead d W v D B A && (fits d W v D && (Nat.ble 1 e.answer.2 && !e.check W v D))

/-- **Contradiction.** If the check succeeds, no head gives the answers `B` and `A` and the answer of the entry. -/
theorem no_head_of_contradiction {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {B : List (Int × Nat)}
    {A : List (List (Int × Nat))} {e : Entry} (h : checkContradiction d W v D B A e = true) :
    ¬ ∃ (W' : Mat Int d) (v' : Vec Rational d), Answers d v B A (base2.oracle W' v') ∧
      e.Agrees (base2.oracle W' v') := by
  obtain ⟨h1, h⟩ := and_iff.mp h
  obtain ⟨h2, h⟩ := and_iff.mp h
  obtain ⟨h3, h4⟩ := and_iff.mp h
  rintro ⟨W', v', hA, ha⟩
  obtain ⟨rfl, rfl⟩ := (head_certified h1 W' v').mp hA
  rw [(Entry.check_iff (of_fits h2) (ble_iff.mp h3)).mpr ha] at h4
  cases h4

/-- The answer `1 / 2` is not between the values `1` and `3`. -/
example : checkImpossible 2 (integers! 1, 3) 1 (fractions! 1/1, 3/1) (integers! 0, 1) 1 (integers! 1, 0) 0 (1, 2) =
    true := by decide +kernel

/-- The answer `8 / 5` would need the weight `3 / 7`, which is not a power of two. -/
example : checkImpossible 2 (integers! 1, 3) 1 (fractions! 1/1, 3/1) (integers! 0, 1) 1 (integers! 1, 0) 0 (8, 5) =
    true := by decide +kernel

end Certificate

end AttentionQueries
