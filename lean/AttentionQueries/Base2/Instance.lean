import AttentionQueries.Algebra.Order
import AttentionQueries.Base2.Rational
import AttentionQueries.Semantics

/-! # The base-2 semantics: integer scores, rational values, `exp s = 2 ^ s`

The concrete model of the axioms of `Semantics`: no theorem about a general semantics is vacuous, and every definition
evaluates in the kernel.

## Main definitions

* `base2`: the semantics with scores in `ℤ`, values in `ℚ` and `exp s = 2 ^ s`
* `base2Log`: its logarithm, a partial function on `ℚ`
* `natLog`: the integer part of the binary logarithm of a natural number

## Main statements

* `base2_exp_natCast`, `base2_eq_div`: the exponential of `n` is `2 ^ n`, and every value is a quotient of integers
* `base2Log_eq_some`: `base2Log x = some s ↔ base2.exp s = x`
* `base2_exp_lt`, `base2_exp_le`: the exponential is strictly increasing
-/

namespace AttentionQueries
open CommRing OrderedField

/-! ## Powers of two -/

/-- `a` when `s = a ≥ 0`, else `0`: the exponent in the numerator of `2 ^ s`. -/
def pow2Num : Int → Nat
  | .ofNat a => a
  | .negSucc _ => 0
/-- `b` when `s = -b < 0`, else `0`: the exponent in the denominator of `2 ^ s`. -/
def pow2Den : Int → Nat
  | .ofNat _ => 0
  | .negSucc b => b + 1

private theorem pow2Num_sub_pow2Den (s : Int) : (pow2Num s : Int) - pow2Den s = s := by
  cases s with
  | ofNat a => exact sub_zero (a : Int)
  | negSucc b => exact zero_add (Int.negSucc b)
private theorem two_pow_pos (n : Nat) : (0 : Int) < ((2 ^ n : Nat) : Int) := Int.natCast_pos.mpr (Nat.two_pow_pos n)
private theorem two_pow_add (a b : Nat) :
    ((2 ^ (a + b) : Nat) : Int) = ((2 ^ a : Nat) : Int) * ((2 ^ b : Nat) : Int) := by
  rw [Nat.pow_add, Int.natCast_mul]

private theorem two_pow_inj {a b : Nat} (h : 2 ^ a = 2 ^ b) : a = b := by
  rcases Nat.lt_trichotomy a b with h' | h' | h'
  · exact absurd h (Nat.ne_of_lt (Nat.pow_lt_pow_right (by decide) h'))
  · exact h'
  · exact absurd h.symm (Nat.ne_of_lt (Nat.pow_lt_pow_right (by decide) h'))

/-- The fraction `2 ^ s`: one of numerator and denominator is `1`. -/
def pow2 (s : Int) : Fraction Int := ⟨(2 ^ pow2Num s : Nat), (2 ^ pow2Den s : Nat), two_pow_pos _⟩

/-! ## The semantics -/

/-- The base-2 semantics: scores in `ℤ`, values in `ℚ`, `exp s = 2 ^ s`. -/
def base2 : Semantics Int Rational where
  cast n := FractionField.of n
  cast_add := FractionField.of_add
  cast_mul := FractionField.of_mul
  cast_one := FractionField.of_one
  cast_inj _ _ := FractionField.of_inj
  exp s := FractionField.mk (pow2 s)
  exp_add s t := FractionField.eq (by
    show _ * (_ * _) = (_ * _) * _
    rw [pow2, pow2, pow2, ← two_pow_add, ← two_pow_add, ← two_pow_add, ← two_pow_add]
    have h : (pow2Num (s + t) : Int) - pow2Den (s + t) = (pow2Num s - pow2Den s) + (pow2Num t - pow2Den t) := by
      rw [pow2Num_sub_pow2Den, pow2Num_sub_pow2Den, pow2Num_sub_pow2Den]
    congr 2
    apply Int.ofNat_inj.mp
    rw [Int.natCast_add, Int.natCast_add, Int.natCast_add, Int.natCast_add]
    lin_comb (1) h)
  exp_pos s := FractionField.zero_lt_iff.mpr (two_pow_pos _)
  exp_inj s t h := by
    have h : ((2 ^ pow2Num s : Nat) : Int) * ((2 ^ pow2Den t : Nat) : Int) =
        ((2 ^ pow2Num t : Nat) : Int) * ((2 ^ pow2Den s : Nat) : Int) := FractionField.exact h
    rw [← two_pow_add, ← two_pow_add] at h
    have h := congrArg (fun n : Nat => (n : Int)) (two_pow_inj (Int.ofNat_inj.mp h))
    simp only [Int.natCast_add] at h
    rw [← pow2Num_sub_pow2Den s, ← pow2Num_sub_pow2Den t]
    lin_comb (1) h

/-- The exponential of a natural number is a power of two. -/
theorem base2_exp_natCast (n : Nat) : base2.exp n = base2.cast ((2 ^ n : Nat) : Int) := rfl
/-- Every value is a quotient of integers. -/
theorem base2_eq_div (x : Rational) : ∃ (p : Int) (q : Nat), 0 < q ∧ x = base2.cast p / base2.cast q := by
  revert x
  refine FractionField.ind fun x => ?_
  obtain ⟨q, hq⟩ := Int.eq_ofNat_of_zero_le (Int.le_of_lt x.pos)
  have hpos := x.pos
  rw [hq] at hpos
  refine ⟨x.num, q, Int.natCast_pos.mp hpos, ?_⟩
  rw [← hq]
  exact (FractionField.mk_eq_div x).1

/-! ## The integer part of the binary logarithm

`Nat.log2` halves a number once for every bit, which takes the kernel long. Cutting the number of bits in half takes
a few steps. -/

private def logBelow : (j n : Nat) → Nat
  | 0, _ => 0
  | j + 1, n => if n < 2 ^ 2 ^ j then logBelow j n else 2 ^ j + logBelow j (n / 2 ^ 2 ^ j)
private def level (n : Nat) : (fuel j : Nat) → Nat
  | 0, j => j
  | f + 1, j => if n < 2 ^ 2 ^ j then j else level n f (j + 1)
/-- The integer part of the binary logarithm of a positive number. -/
def natLog (n : Nat) : Nat := logBelow (level n n 0) n

private theorem logBelow_spec : ∀ (j : Nat) {n : Nat}, 0 < n → n < 2 ^ 2 ^ j →
    2 ^ logBelow j n ≤ n ∧ n < 2 ^ (logBelow j n + 1)
  | 0, _, hn, h => ⟨hn, h⟩
  | j + 1, n, hn, h => by
    rw [logBelow]
    by_cases hj : n < 2 ^ 2 ^ j
    · rw [if_pos hj]
      exact logBelow_spec j hn hj
    · have hB := Nat.two_pow_pos (2 ^ j)
      rw [if_neg hj, Nat.add_assoc, Nat.pow_add, Nat.pow_add, Nat.mul_comm, Nat.mul_comm (2 ^ 2 ^ j)]
      have h1 : 0 < n / 2 ^ 2 ^ j := (Nat.le_div_iff_mul_le hB).mpr (by rw [Nat.one_mul]; exact Nat.le_of_not_lt hj)
      have h2 : n / 2 ^ 2 ^ j < 2 ^ 2 ^ j := (Nat.div_lt_iff_lt_mul hB).mpr (by
        rwa [← Nat.pow_add, ← Nat.mul_two, ← Nat.pow_succ])
      obtain ⟨h3, h4⟩ := logBelow_spec j h1 h2
      exact ⟨(Nat.le_div_iff_mul_le hB).mp h3, (Nat.div_lt_iff_lt_mul hB).mp h4⟩
private theorem level_spec {n : Nat} : ∀ {f j : Nat}, n < 2 ^ 2 ^ (f + j) → n < 2 ^ 2 ^ level n f j
  | 0, j, h => by rwa [Nat.zero_add] at h
  | f + 1, j, h => by
    rw [level]
    by_cases hj : n < 2 ^ 2 ^ j
    · rw [if_pos hj]
      exact hj
    · rw [if_neg hj]
      exact level_spec (by rwa [Nat.add_assoc, Nat.add_comm 1 j] at h)
private theorem natLog_spec {n : Nat} (hn : 0 < n) : 2 ^ natLog n ≤ n ∧ n < 2 ^ (natLog n + 1) :=
  logBelow_spec _ hn (level_spec (Nat.lt_trans Nat.lt_two_pow_self
    (Nat.pow_lt_pow_right (by decide) Nat.lt_two_pow_self)))
/-- The integer part of the binary logarithm is determined by its two bounds. -/
theorem natLog_eq_iff {n k : Nat} (hn : 0 < n) : natLog n = k ↔ 2 ^ k ≤ n ∧ n < 2 ^ (k + 1) := by
  obtain ⟨h1, h2⟩ := natLog_spec hn
  have le : ∀ {a b : Nat}, 2 ^ a ≤ n → n < 2 ^ (b + 1) → a ≤ b := fun {a b} ha hb =>
    Nat.le_of_not_lt fun h => Nat.lt_irrefl n (Nat.lt_of_lt_of_le hb
      (Nat.le_trans (Nat.pow_le_pow_right (by decide) h) ha))
  constructor
  · rintro rfl
    exact ⟨h1, h2⟩
  · rintro ⟨h3, h4⟩
    exact Nat.le_antisymm (le h1 h4) (le h3 h2)
private theorem natLog_mul_two_pow {n : Nat} (hn : 0 < n) (k : Nat) : natLog (n * 2 ^ k) = natLog n + k := by
  have hk := Nat.two_pow_pos k
  obtain ⟨h1, h2⟩ := natLog_spec hn
  refine (natLog_eq_iff (Nat.mul_pos hn hk)).mpr ⟨?_, ?_⟩
  · rw [Nat.pow_add]
    exact Nat.mul_le_mul_right _ h1
  · rw [Nat.add_right_comm, Nat.pow_add]
    exact Nat.mul_lt_mul_of_pos_right h2 hk

/-! ## The logarithm -/

private def checkedLog (x : Fraction Int) (s : Int) : Option Int :=
  if x.num * (pow2 s).den = (pow2 s).num * x.den then some s else none
private def logFraction (x : Fraction Int) : Option Int := checkedLog x (natLog x.num.toNat - natLog x.den.toNat)

private theorem natLog_toNat {n : Int} (hn : 0 < n) (k : Nat) :
    natLog (n * ((2 ^ k : Nat) : Int)).toNat = natLog n.toNat + k := by
  obtain ⟨m, rfl⟩ := Int.eq_ofNat_of_zero_le (Int.le_of_lt hn)
  rw [← Int.natCast_mul, Int.toNat_natCast, Int.toNat_natCast]
  exact natLog_mul_two_pow (Int.natCast_pos.mp hn) k

private theorem logFraction_eq_some (x : Fraction Int) (s : Int) :
    logFraction x = some s ↔ FractionField.mk (pow2 s) = FractionField.mk x := by
  unfold logFraction checkedLog
  constructor
  · intro h
    split at h
    · rename_i h'
      cases h
      exact FractionField.eq h'.symm
    · cases h
  · intro h
    have h : (pow2 s).num * x.den = x.num * (pow2 s).den := FractionField.exact h
    have hn : 0 < x.num := OrderedDomain.pos_of_mul_pos (two_pow_pos (pow2Den s)) (by
      show 0 < x.num * (pow2 s).den
      rw [← h]
      exact OrderedDomain.mul_pos _ _ (two_pow_pos _) x.pos)
    have e : ((natLog x.num.toNat : Nat) : Int) - (natLog x.den.toNat : Nat) = s := by
      have h1 := congrArg (fun n : Int => natLog n.toNat) h
      rw [mul_comm] at h1
      have h1 : natLog (x.den * ((2 ^ pow2Num s : Nat) : Int)).toNat =
          natLog (x.num * ((2 ^ pow2Den s : Nat) : Int)).toNat := h1
      rw [natLog_toNat x.pos, natLog_toNat hn] at h1
      have h2 := congrArg (fun n : Nat => (n : Int)) h1
      simp only [Int.natCast_add] at h2
      have h3 := pow2Num_sub_pow2Den s
      lin_comb (-1) h2 + (1) h3
    rw [e, if_pos h.symm]

/-- The logarithm to base two: the exponent of a power of two, and `none` for every other number. The candidate is the
difference of the integer parts of the binary logarithms of numerator and denominator; it is checked. -/
def base2Log : Rational → Option Int := Quotient.lift logFraction fun x y h => by
  have key : ∀ s, logFraction x = some s ↔ logFraction y = some s := fun s => by
    rw [logFraction_eq_some, logFraction_eq_some, show FractionField.mk x = FractionField.mk y from Quotient.sound h]
  cases hx : logFraction x with
  | some s => exact ((key s).mp hx).symm
  | none =>
    cases hy : logFraction y with
    | none => rfl
    | some s => exact hx.symm.trans ((key s).mpr hy)

/-- **Specification of the logarithm**: it is the partial inverse of the exponential. -/
theorem base2Log_eq_some (x : Rational) (s : Int) : base2Log x = some s ↔ base2.exp s = x := by
  revert x
  exact FractionField.ind fun x => logFraction_eq_some x s

/-! ## Order -/

/-- The exponential is strictly increasing. -/
theorem base2_exp_lt {s t : Int} (h : s < t) : base2.exp s < base2.exp t := by
  have h1 : ((2 ^ (pow2Num s + pow2Den t) : Nat) : Int) < ((2 ^ (pow2Num t + pow2Den s) : Nat) : Int) := by
    refine Int.ofNat_lt.mpr (Nat.pow_lt_pow_right (by decide) (Int.ofNat_lt.mp ?_))
    rw [← pow2Num_sub_pow2Den s, ← pow2Num_sub_pow2Den t] at h
    have h2 := Int.add_lt_add_right h (pow2Den s + pow2Den t : Int)
    rw [show (pow2Num s : Int) - pow2Den s + (pow2Den s + pow2Den t) = pow2Num s + pow2Den t by ring,
      show (pow2Num t : Int) - pow2Den t + (pow2Den s + pow2Den t) = pow2Num t + pow2Den s by ring] at h2
    rwa [Int.natCast_add, Int.natCast_add]
  rw [two_pow_add, two_pow_add] at h1
  show 0 < ((2 ^ pow2Num t : Nat) : Int) * _ + -((2 ^ pow2Num s : Nat) : Int) * _
  rw [neg_mul, ← sub_def]
  exact Int.sub_pos_of_lt h1

/-- The exponential is increasing. -/
theorem base2_exp_le {s t : Int} (h : s ≤ t) : base2.exp s ≤ base2.exp t := by
  rcases Int.lt_trichotomy s t with h' | rfl | h'
  · exact le_of_lt (base2_exp_lt h')
  · exact le_refl _
  · exact absurd h (Int.not_le.mpr h')

end AttentionQueries
