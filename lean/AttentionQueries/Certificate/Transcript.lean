import AttentionQueries.Certificate.Data

/-! # Entries of a transcript

An entry is a query and a recorded answer, as data. The output of a head on the query is computed with integers only:
numerator and denominator are kept in units of the smallest weight met so far.

## Main definitions

* `Entry`: the runs of the context, the query token, and the answer.
* `Entry.Agrees`: an oracle gives the recorded answer.
* `Entry.check`: the check, for a head.

## Main statements

* `Entry.check_iff`: the check decides whether a head gives the recorded answer. -/

namespace AttentionQueries
open CommRing OrderedField

namespace Certificate

/-- One entry of a transcript. -/
structure Entry where
  /-- The context: tokens with their numbers of copies. -/
  runs : List (List Int × Nat)
  /-- The query token, which follows the context. -/
  token : List Int
  /-- The recorded answer: numerator and denominator. -/
  answer : Int × Nat

/-- The query of an entry. -/
def Entry.query (d : Nat) (e : Entry) : Query Int d :=
  (expand (e.runs.map fun r => (vector d r.1, r.2)), vector d e.token)

/-- An oracle gives the recorded answer. -/
def Entry.Agrees {d : Nat} (o : Query Int d → Rational) (e : Entry) : Prop := o (e.query d) = fraction e.answer

/-! ## The output of a head with integers -/

/-- Add the runs to a weighted sum `n` of values and a sum `m` of weights, both in units of `2 ^ c`. -/
def accumulate (W : List (List Int)) (v q : List Int) : List (List Int × Nat) → Int → Int → Nat → Int × Nat
  | [], _, n, m => (n, m)
  | (x, k) :: rs, c, n, m =>
    match scoreList W x q - c with
    | .ofNat e => accumulate W v q rs c (n + .ofNat (k * 2 ^ e) * dotList v x) (m + k * 2 ^ e)
    | .negSucc e => accumulate W v q rs (scoreList W x q) (.ofNat (2 ^ (e + 1)) * n + .ofNat k * dotList v x)
        (2 ^ (e + 1) * m + k)

/-- The output of a head on the query of an entry, except for the denominator of its values. -/
def Entry.output (W : List (List Int)) (v : List Int) (e : Entry) : Int × Nat :=
  accumulate W v e.token e.runs (scoreList W e.token e.token) (dotList v e.token) 1

/-- The head gives the recorded answer, whose denominator is positive. -/
def Entry.check (W : List (List Int)) (v : List Int) (D : Nat) (e : Entry) : Bool :=
  Nat.ble 1 e.answer.2 &&
    sameInt ((e.output W v).1 * .ofNat e.answer.2) (e.answer.1 * .ofNat (D * (e.output W v).2))

/-! ## Soundness -/

local notation "E" => Semantics.exp base2
local notation "κ" => Semantics.cast base2

private theorem listSum_expand {d : Nat} (l : List (Vec Int d × Nat)) (f : Vec Int d → Rational) :
    listSum (expand l) f = listSum l fun r => κ (.ofNat r.2) * f r.1 := by
  induction l with
  | nil => rfl
  | cons r l ih =>
    rw [expand, List.flatMap_cons, listSum_append, listSum_replicate, listSum_cons, ← ih, expand, natCast_eq_cast]

/-- Numerator and denominator after the runs, in some unit `2 ^ c`. -/
private theorem accumulate_spec {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (hw : Fits d W v D)
    (q : List Int) : ∀ (rs : List (List Int × Nat)) (c n : Int) (m : Nat) (a b : Rational), 1 ≤ m →
    a * κ (.ofNat D) = E c * κ n → b = E c * κ (.ofNat m) → 1 ≤ (accumulate W v q rs c n m).2 ∧
    ∃ c', ((listSum rs fun r => κ (.ofNat r.2) * (E (score (matrix d W) (vector d r.1) (vector d q)) *
        base2.inner (values d v D) (vector d r.1))) + a) * κ (.ofNat D) = E c' * κ (accumulate W v q rs c n m).1 ∧
      (listSum rs fun r => κ (.ofNat r.2) * E (score (matrix d W) (vector d r.1) (vector d q))) + b =
        E c' * κ (.ofNat (accumulate W v q rs c n m).2)
  | [], c, n, m, a, b, hm, ha, hb => ⟨hm, c, by rw [listSum_nil, zero_add]; exact ha, by
      rw [listSum_nil, zero_add]; exact hb⟩
  | (x, k) :: rs, c, n, m, a, b, hm, ha, hb => by
    rw [listSum_cons, listSum_cons]
    have hp := dotList_eq hw.D_pos hw.v_le x
    have hs := scoreList_eq (d := d) x q hw.W_le hw.row_le
    rw [← hs]
    unfold accumulate
    generalize scoreList W x q = s at *
    generalize base2.inner (values d v D) (vector d x) = px at *
    split
    · rename_i e hk
      have hE : E s = E c * κ (.ofNat (2 ^ e)) := by
        rw [← exp_ofNat, ← base2.exp_add, ← hk]
        congr 1; ring
      obtain ⟨h1, c', h2, h3⟩ := accumulate_spec hw q rs c (n + .ofNat (k * 2 ^ e) * dotList v x) (m + k * 2 ^ e)
        (κ (.ofNat k) * (E s * px) + a) (κ (.ofNat k) * E s + b) (Nat.le_trans hm (Nat.le_add_right _ _)) (by
          rw [base2.cast_add, base2.cast_mul, show Int.ofNat (k * 2 ^ e) = .ofNat k * .ofNat (2 ^ e) from rfl,
            base2.cast_mul]
          lin_comb (κ (dotList v x) * κ (.ofNat k)) hE + (E s * κ (.ofNat k)) hp + (1) ha) (by
          rw [show Int.ofNat (m + k * 2 ^ e) = .ofNat m + .ofNat k * .ofNat (2 ^ e) from rfl, base2.cast_add,
            base2.cast_mul]
          lin_comb (κ (.ofNat k)) hE + (1) hb)
      exact ⟨h1, c', by lin_comb (1) h2, by lin_comb (1) h3⟩
    · rename_i e hk
      have hE : E c = E s * κ (.ofNat (2 ^ (e + 1))) := by
        rw [← exp_ofNat, ← base2.exp_add]
        have : Int.ofNat (e + 1) = -(s - c) := by rw [hk]; rfl
        rw [this]
        congr 1; ring
      obtain ⟨h1, c', h2, h3⟩ := accumulate_spec hw q rs s (.ofNat (2 ^ (e + 1)) * n + .ofNat k * dotList v x)
        (2 ^ (e + 1) * m + k) (κ (.ofNat k) * (E s * px) + a) (κ (.ofNat k) * E s + b)
        (Nat.le_trans (Nat.mul_pos (Nat.two_pow_pos _) hm) (Nat.le_add_right _ _)) (by
          rw [base2.cast_add, base2.cast_mul, base2.cast_mul]
          lin_comb (κ n) hE + (E s * κ (.ofNat k)) hp + (1) ha) (by
          rw [show Int.ofNat (2 ^ (e + 1) * m + k) = .ofNat (2 ^ (e + 1)) * .ofNat m + .ofNat k from rfl,
            base2.cast_add, base2.cast_mul]
          lin_comb (κ (.ofNat m)) hE + (1) hb)
      exact ⟨h1, c', by lin_comb (1) h2, by lin_comb (1) h3⟩

private theorem output_spec {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (hw : Fits d W v D) (e : Entry) :
    1 ≤ (e.output W v).2 ∧ base2.oracle (matrix d W) (values d v D) (e.query d) =
      fraction ((e.output W v).1, D * (e.output W v).2) := by
  obtain ⟨h1, c, h2, h3⟩ := accumulate_spec hw e.token e.runs (scoreList W e.token e.token) (dotList v e.token) 1
    (E (score (matrix d W) (vector d e.token) (vector d e.token)) * base2.inner (values d v D) (vector d e.token))
    (E (score (matrix d W) (vector d e.token) (vector d e.token))) (Nat.le_refl 1) (by
      rw [scoreList_eq (d := d) e.token e.token hw.W_le hw.row_le]
      lin_comb (E (score (matrix d W) (vector d e.token) (vector d e.token))) (dotList_eq hw.D_pos hw.v_le e.token))
    (by rw [scoreList_eq (d := d) e.token e.token hw.W_le hw.row_le, show κ (.ofNat 1) = 1 from rfl, mul_one])
  rw [← Entry.output] at h1 h2 h3
  refine ⟨h1, ?_⟩
  have hm := cast_ne_zero h1
  have hne : E c * κ (.ofNat (e.output W v).2) ≠ 0 := mul_ne_zero (base2.exp_ne c) hm
  have hexp : ∀ f : Vec Int d → Rational, listSum (e.query d).1 f =
      listSum e.runs fun r => κ (.ofNat r.2) * f (vector d r.1) := fun f => by
    rw [Entry.query, listSum_expand, listSum_map]
  have hf := div_mul_cancel (κ (e.output W v).1) (cast_ne_zero (Nat.mul_pos hw.D_pos h1))
  rw [Semantics.oracle, Semantics.eval, listSum_append, listSum_append, listSum_cons, listSum_cons, listSum_nil,
    listSum_nil, add_zero, add_zero, hexp, hexp]
  rw [show (e.query d).2 = vector d e.token from rfl, h3, div_eq_iff hne]
  apply mul_right_cancel (cast_ne_zero hw.D_pos)
  rw [h2, fraction]
  rw [show Int.ofNat (D * (e.output W v).2) = .ofNat D * .ofNat (e.output W v).2 from rfl, base2.cast_mul] at hf ⊢
  show E c * κ (e.output W v).1 = _
  generalize κ (e.output W v).1 / (κ (.ofNat D) * κ (.ofNat (e.output W v).2)) = f at *
  lin_comb (-E c) hf

/-- **The check decides.** For a recorded answer with positive denominator, the check succeeds iff the head gives this
answer. -/
theorem Entry.check_iff {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (hw : Fits d W v D) {e : Entry}
    (he : 1 ≤ e.answer.2) : e.check W v D = true ↔ e.Agrees (base2.oracle (matrix d W) (values d v D)) := by
  obtain ⟨h1, h2⟩ := output_spec hw e
  rw [Entry.Agrees, h2, fraction_eq_iff (a := ((e.output W v).1, D * (e.output W v).2))
    (Nat.mul_pos hw.D_pos h1) he, Entry.check, and_iff, sameInt_iff]
  exact ⟨fun h => h.2, fun h => ⟨ble_iff.mpr he, h⟩⟩

/-- If the check fails although the denominator is positive, the head does not give the recorded answer. -/
theorem Entry.not_agrees {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (hw : Fits d W v D) {e : Entry}
    (he : 1 ≤ e.answer.2) (h : e.check W v D = false) :
    ¬ e.Agrees (base2.oracle (matrix d W) (values d v D)) := fun ha => by
  rw [(Entry.check_iff hw he).mpr ha] at h
  cases h

end Certificate

end AttentionQueries
