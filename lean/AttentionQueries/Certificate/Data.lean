import AttentionQueries.Base2.Instance
import AttentionQueries.MultiHead.Separation

/-! # Heads as integer data

Certificates hold plain data: lists of integers, and fractions as pairs of a numerator and a denominator. This file
says what the data mean, and defines the two products that checkers need, by structural recursion on lists, so that
the kernel evaluates them fast.

## Main definitions

* `vector`, `matrix`, `values`, `fraction`: what lists of integers and pairs mean.
* `dotList`, `scoreList`: `⟨v, x⟩` and `xᵀ W q` on lists.
* `Fits d W v D`: the lists fit into dimension `d`, and the denominator `D` is positive.

## Main statements

* `dotList_eq`, `scoreList_eq`: the products on lists are the products of what the lists mean. -/

namespace AttentionQueries
open CommRing OrderedField

namespace Certificate

/-! ## Lists -/
section
variable {A : Type}

/-- The entry of a list, or a default beyond its end. -/
def nth (a₀ : A) : List A → Nat → A
  | [], _ => a₀
  | a :: _, 0 => a
  | _ :: l, n + 1 => nth a₀ l n

/-- An entry is the default or a member of the list. -/
theorem nth_mem (a₀ : A) : ∀ (l : List A) (n : Nat), nth a₀ l n = a₀ ∨ nth a₀ l n ∈ l
  | [], _ => .inl rfl
  | _ :: _, 0 => .inr List.mem_cons_self
  | _ :: l, n + 1 => (nth_mem a₀ l n).imp id (List.mem_cons_of_mem _)

/-- Equality of integers, decided on the constructors. -/
def sameInt : Int → Int → Bool
  | .ofNat a, .ofNat b => Nat.beq a b
  | .negSucc a, .negSucc b => Nat.beq a b
  | _, _ => false

private theorem beq_self : ∀ a : Nat, Nat.beq a a = true
  | 0 => rfl
  | a + 1 => beq_self a

/-- `sameInt` decides equality. -/
theorem sameInt_iff {a b : Int} : sameInt a b = true ↔ a = b := by
  refine ⟨fun h => ?_, fun h => ?_⟩
  · cases a with
    | ofNat a =>
      cases b with
      | ofNat b => exact congrArg Int.ofNat (Nat.eq_of_beq_eq_true h)
      | negSucc b => exact nomatch (h : false = true)
    | negSucc a =>
      cases b with
      | ofNat b => exact nomatch (h : false = true)
      | negSucc b => exact congrArg Int.negSucc (Nat.eq_of_beq_eq_true h)
  · subst h
    cases a with
    | ofNat a => exact beq_self a
    | negSucc a => exact beq_self a

/-- `sameInt` refutes equality. -/
theorem ne_of_sameInt {a b : Int} (h : sameInt a b = false) : a ≠ b := fun e => by
  rw [sameInt_iff.mpr e] at h
  cases h

/-- A conjunction of two checks holds iff both do. -/
theorem and_iff {b c : Bool} : (b && c) = true ↔ b = true ∧ c = true := by
  rw [Bool.and_eq_true]

/-- Comparison of natural numbers. -/
theorem ble_iff {a b : Nat} : Nat.ble a b = true ↔ a ≤ b :=
  ⟨Nat.le_of_ble_eq_true, Nat.ble_eq_true_of_le⟩

/-- Equality of natural numbers. -/
theorem beq_iff {a b : Nat} : Nat.beq a b = true ↔ a = b :=
  ⟨Nat.eq_of_beq_eq_true, fun h => by rw [h]; exact beq_self b⟩

/-- All members pass the check. -/
def every (f : A → Bool) : List A → Bool
  | [] => true
  | a :: l => f a && every f l

/-- If all members pass the check, each one does. -/
theorem of_every {f : A → Bool} : ∀ {l : List A}, every f l = true → ∀ a ∈ l, f a = true
  | [], _, _, ha => nomatch ha
  | _ :: _, h, a, ha => by
    rcases List.mem_cons.mp ha with rfl | ha
    · exact (and_iff.mp h).1
    · exact of_every (and_iff.mp h).2 a ha

end

/-! ## Meaning -/

/-- The vector of a list of integers; missing entries are zero. -/
def vector (d : Nat) (l : List Int) : Vec Int d := fun i => nth 0 l i.val

/-- The matrix of a list of rows. -/
def matrix (d : Nat) (W : List (List Int)) : Mat Int d := fun i => vector d (nth [] W i.val)

/-- The fraction of a pair: numerator and denominator. -/
def fraction (a : Int × Nat) : Rational := base2.cast a.1 / base2.cast (.ofNat a.2)

/-- The value vector `v / D` of a list of integers and a common denominator. -/
def values (d : Nat) (v : List Int) (D : Nat) : Vec Rational d := fun i => fraction (nth 0 v i.val, D)

/-- A positive natural number does not vanish as a value. -/
theorem cast_ne_zero {n : Nat} (h : 1 ≤ n) : base2.cast (.ofNat n) ≠ 0 := base2.cast_ne fun e => by
  rw [Int.ofNat.inj e] at h
  exact absurd h (Nat.not_succ_le_zero 0)

/-- An entry of `v / D` vanishes iff the integer does. -/
theorem values_eq_zero_iff {d : Nat} {v : List Int} {D : Nat} (hD : 1 ≤ D) (i : Fin d) :
    values d v D i = 0 ↔ nth 0 v i.val = 0 := by
  rw [values, fraction, div_eq_iff (cast_ne_zero hD), zero_mul]
  exact ⟨fun h => base2.cast_inj _ _ (h.trans base2.cast_zero.symm), fun h => by rw [h, base2.cast_zero]⟩

/-- Two fractions are equal iff they are so after multiplication with the denominators. -/
theorem fraction_eq_iff {a b : Int × Nat} (ha : 1 ≤ a.2) (hb : 1 ≤ b.2) :
    fraction a = fraction b ↔ a.1 * .ofNat b.2 = b.1 * .ofNat a.2 := by
  have h := div_mul_cancel (base2.cast b.1) (cast_ne_zero hb)
  rw [fraction, fraction, div_eq_iff (cast_ne_zero ha)]
  constructor
  · intro e
    apply base2.cast_inj
    rw [base2.cast_mul, base2.cast_mul, e]
    generalize base2.cast b.1 / base2.cast (.ofNat b.2) = f at *
    lin_comb (base2.cast (.ofNat a.2)) h
  · intro e
    have e := congrArg base2.cast e
    rw [base2.cast_mul, base2.cast_mul] at e
    apply mul_right_cancel (cast_ne_zero hb)
    generalize base2.cast b.1 / base2.cast (.ofNat b.2) = f at *
    lin_comb (1) e + (-base2.cast (.ofNat a.2)) h

/-- A natural number in the ring `ℤ`. -/
theorem natCast_int (n : Nat) : (natCast n : Int) = .ofNat n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [natCast_succ, ih]; rfl

/-- A natural number as a value. -/
theorem natCast_eq_cast (n : Nat) : (natCast n : Rational) = base2.cast (.ofNat n) := by
  rw [← natCast_int, base2.cast_natCast]

/-- The exponential of a natural number. -/
theorem exp_ofNat (k : Nat) : base2.exp (.ofNat k) = base2.cast (.ofNat (2 ^ k)) := rfl

/-- The exponential of a negative number is the inverse of a power of two. -/
theorem exp_negSucc (k : Nat) : base2.cast (.ofNat (2 ^ (k + 1))) * base2.exp (.negSucc k) = 1 :=
  base2.exp_mul_neg (.ofNat (k + 1))

/-! ## Products -/

/-- `∑ xᵢ f(lᵢ)` over the common length of two lists. -/
def weightedSum {A : Type} (f : A → Int) : List Int → List A → Int
  | x :: xs, a :: l => x * f a + weightedSum f xs l
  | _, _ => 0

/-- `⟨v, x⟩` on lists. -/
def dotList (v x : List Int) : Int := weightedSum (fun a => a) x v

/-- `xᵀ W q` on lists. -/
def scoreList (W : List (List Int)) (x q : List Int) : Int := weightedSum (fun r => dotList r q) x W

/-- `weightedSum` as a sum over indices; missing entries of the first list are zero, those of the second `a₀`. -/
theorem weightedSum_eq {A : Type} (f : A → Int) (a₀ : A) (h0 : f a₀ = 0) : ∀ {d : Nat} (x : List Int)
    (l : List A), l.length ≤ d → weightedSum f x l = finSum fun i : Fin d => nth 0 x i.val * f (nth a₀ l i.val)
  | d, x, [], _ => by
    rw [finSum_zero fun i => by rw [show nth a₀ [] i.val = a₀ from rfl, h0, mul_zero]]
    cases x <;> rfl
  | d, [], a :: l, _ => by
    rw [finSum_zero fun i => by rw [show nth (0 : Int) [] i.val = 0 from rfl, zero_mul]]
    rfl
  | d + 1, x :: xs, a :: l, hl => by
    rw [finSum_succ]
    have ih := weightedSum_eq f a₀ h0 (d := d) xs l (Nat.le_of_succ_le_succ hl)
    show x * f a + weightedSum f xs l = x * f a + finSum fun i : Fin d => nth 0 xs i.val * f (nth a₀ l i.val)
    rw [ih]
  | 0, _ :: _, _ :: _, hl => absurd hl (Nat.not_succ_le_zero _)

private theorem dotList_eq_finSum {d : Nat} (v x : List Int) (hv : v.length ≤ d) :
    dotList v x = finSum fun i : Fin d => nth 0 x i.val * nth 0 v i.val :=
  weightedSum_eq (fun a => a) 0 rfl x v hv

/-- `scoreList` computes the score. -/
theorem scoreList_eq {d : Nat} {W : List (List Int)} (x q : List Int) (hW : W.length ≤ d)
    (hr : ∀ r ∈ W, r.length ≤ d) : scoreList W x q = score (matrix d W) (vector d x) (vector d q) := by
  rw [scoreList, weightedSum_eq (fun r => dotList r q) [] (by cases q <;> rfl) x W hW, score]
  congr; funext i
  show _ * _ = _ * _
  congr 1
  have hl : (nth [] W i.val).length ≤ d := by
    rcases nth_mem [] W i.val with h | h
    · rw [h]; exact Nat.zero_le d
    · exact hr _ h
  show dotList (nth [] W i.val) q = _
  rw [dotList_eq_finSum (d := d) _ q hl, mulVec]
  congr; funext j
  exact mul_comm _ _

/-- `dotList` computes `⟨v, x⟩`, up to the denominator. -/
theorem dotList_eq {d : Nat} {v : List Int} {D : Nat} (hD : 1 ≤ D) (hv : v.length ≤ d) (x : List Int) :
    base2.inner (values d v D) (vector d x) * base2.cast (.ofNat D) = base2.cast (dotList v x) := by
  rw [dotList_eq_finSum v x hv, base2.cast_finSum, Semantics.inner, mul_comm, ← finSum_mul]
  congr; funext i
  rw [values, fraction, base2.cast_mul]
  have h := div_mul_cancel (base2.cast (nth 0 v i.val)) (cast_ne_zero hD)
  show base2.cast (.ofNat D) * (base2.cast (nth 0 v i.val) / base2.cast (.ofNat D) * base2.cast (nth 0 x i.val)) =
    base2.cast (nth 0 x i.val) * base2.cast (nth 0 v i.val)
  lin_comb (base2.cast (nth 0 x i.val)) h

/-- The sum of two lists; missing entries are zero. -/
def addLists : List Int → List Int → List Int
  | [], m => m
  | x :: l, [] => x :: l
  | x :: l, y :: m => (x + y) :: addLists l m

/-- The entries of the sum. -/
theorem nth_addLists : ∀ (a b : List Int) (k : Nat), nth (0 : Int) (addLists a b) k = nth 0 a k + nth 0 b k
  | [], _, _ => (zero_add _).symm
  | _ :: _, [], _ => (add_zero _).symm
  | _ :: _, _ :: _, 0 => rfl
  | _ :: l, _ :: m, k + 1 => nth_addLists l m k

/-! ## Dimensions -/

/-- The lists `W` and `v` fit into dimension `d`, and the denominator of the values is positive. -/
structure Fits (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) : Prop where
  /-- The denominator is positive. -/
  D_pos : 1 ≤ D
  /-- The value vector is not too long. -/
  v_le : v.length ≤ d
  /-- There are not too many rows. -/
  W_le : W.length ≤ d
  /-- No row is too long. -/
  row_le : ∀ r ∈ W, r.length ≤ d

/-- The check for `Fits`. -/
def fits (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) : Bool :=
  Nat.ble 1 D && (Nat.ble v.length d && (Nat.ble W.length d && every (fun r => Nat.ble r.length d) W))

/-- The check is sound. -/
theorem of_fits {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (h : fits d W v D = true) : Fits d W v D := by
  obtain ⟨h1, h⟩ := and_iff.mp h
  obtain ⟨h2, h⟩ := and_iff.mp h
  obtain ⟨h3, h4⟩ := and_iff.mp h
  exact ⟨ble_iff.mp h1, ble_iff.mp h2, ble_iff.mp h3, fun r hr => ble_iff.mp (of_every h4 r hr)⟩

end Certificate

end AttentionQueries
