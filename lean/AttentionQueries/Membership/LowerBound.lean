import AttentionQueries.Membership.Comparison
import AttentionQueries.Membership.Search

/-! # How many bits are needed

An oracle that answers with one bit tells a program at most `N` bits with `N` queries. There are `(2 B + 1) ^ (d²)`
score matrices with entries from `-B` to `B`, so at least `d² log₂ (2 B + 1)` queries are needed to find one of them,
also when the value vector is known. The learner of `Membership.Learner` asks `d² L(B)` queries for the score matrix
when no entry of `v` vanishes, and `L(B)` is `log₂ (2 B + 1)`, rounded up.

## Main definitions

* `tuples l n`: the functions from `Fin n` to the entries of a list.
* `intRange B`: the integers from `-B` to `B`.

## Main statements

* `membership_optimality`: `(2 B + 1) ^ (d²) ≤ 2 ^ N`. -/

namespace AttentionQueries
open CommRing OrderedField

section
variable {α : Type}

/-- The functions from `Fin n` to the entries of the list `l`. -/
def tuples (l : List α) : (n : Nat) → List (Fin n → α)
  | 0 => [fun i => i.elim0]
  | n + 1 => l.flatMap fun a => (tuples l n).map fun f => Fin.cases a f

/-- Their number. -/
theorem length_tuples (l : List α) (n : Nat) : (tuples l n).length = l.length ^ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [tuples, length_flatMap_const (n := l.length ^ n) fun a => by rw [List.length_map, ih], Nat.pow_succ,
      Nat.mul_comm]

/-- Their entries are those of the list. -/
theorem mem_of_mem_tuples {l : List α} : ∀ {n : Nat} {f : Fin n → α}, f ∈ tuples l n → ∀ i, f i ∈ l
  | 0, _, _, i => i.elim0
  | n + 1, f, hf, i => by
    obtain ⟨a, ha, hf⟩ := List.mem_flatMap.mp hf
    obtain ⟨g, hg, rfl⟩ := List.mem_map.mp hf
    induction i using Fin.cases with
    | zero => exact ha
    | succ i => exact mem_of_mem_tuples hg i

private theorem pairwise_flatMap_map {β γ : Type} {g : α → β → γ} (hg : ∀ a b x y, g a x = g b y → a = b ∧ x = y)
    {l : List α} {m : List β} (hl : l.Pairwise (· ≠ ·)) (hm : m.Pairwise (· ≠ ·)) :
    (l.flatMap fun a => m.map (g a)).Pairwise (· ≠ ·) := by
  induction l with
  | nil => exact List.Pairwise.nil
  | cons a l ih =>
    obtain ⟨h1, h2⟩ := List.pairwise_cons.mp hl
    rw [List.flatMap_cons, List.pairwise_append]
    refine ⟨List.pairwise_map.mpr (hm.imp fun h e => h (hg _ _ _ _ e).2), ih h2, fun x hx y hy e => ?_⟩
    obtain ⟨x', _, rfl⟩ := List.mem_map.mp hx
    obtain ⟨b, hb, hy⟩ := List.mem_flatMap.mp hy
    obtain ⟨y', _, rfl⟩ := List.mem_map.mp hy
    exact h1 b hb (hg _ _ _ _ e).1

/-- They are pairwise different if the entries of the list are. -/
theorem pairwise_ne_tuples {l : List α} (hl : l.Pairwise (· ≠ ·)) (n : Nat) : (tuples l n).Pairwise (· ≠ ·) := by
  induction n with
  | zero => exact List.pairwise_cons.mpr ⟨(fun _ h => nomatch h), List.Pairwise.nil⟩
  | succ n ih =>
    refine pairwise_flatMap_map (g := fun (a : α) (f : Fin n → α) => @Fin.cases n (fun _ => α) a f)
      (fun a b x y e => ⟨congrFun e 0, funext fun i => congrFun e i.succ⟩) hl ih

end

/-- The integers from `-B` to `B`. -/
def intRange (B : Nat) : List Int := (List.finRange (2 * B + 1)).map fun k => (k.val : Int) - B

private theorem length_intRange (B : Nat) : (intRange B).length = 2 * B + 1 := by
  rw [intRange, List.length_map, List.length_finRange]

private theorem pairwise_ne_intRange (B : Nat) : (intRange B).Pairwise (· ≠ ·) :=
  List.pairwise_map.mpr ((pairwise_ne_finRange _).imp fun {a b} h e => h (Fin.ext (Int.ofNat_inj.mp (by
    lin_comb (1) e))))

/-- What the list contains. -/
theorem bounds_of_mem_intRange {B : Nat} {x : Int} (h : x ∈ intRange B) : -(B : Int) ≤ x ∧ x ≤ B := by
  obtain ⟨k, _, rfl⟩ := List.mem_map.mp h
  constructor
  · refine Int.le_of_sub_nonneg ?_
    rw [show (k.val : Int) - B - -(B : Int) = k.val by ring]
    exact Int.natCast_nonneg _
  · refine Int.le_of_sub_nonneg ?_
    have h1 := Int.sub_nonneg_of_le (Int.ofNat_le.mpr (Nat.le_of_lt_succ k.isLt))
    have h2 : ((2 * B : Nat) : Int) = (B : Int) + B := by rw [Nat.two_mul, Int.natCast_add]
    rw [show ((2 * B : Nat) : Int) - k.val = (B : Int) + B - k.val from congrArg (· - (k.val : Int)) h2] at h1
    rwa [show (B : Int) - ((k.val : Int) - B) = (B : Int) + B - k.val by ring]

/-- **Bits are needed.** Let a program find every score matrix with entries from `-B` to `B`, for a threshold and a
value vector that it may know, that is: let its results be different for different matrices. If it never asks more than
`N` queries, then `(2 B + 1) ^ (d²) ≤ 2 ^ N`. -/
theorem membership_optimality {d N B : Nat} {α : Type} (p : QueryProgram (Query Int d) Bool α) (θ : Rational)
    (v : Vec Rational d)
    (hid : ∀ W W' : Mat Int d, (∀ i j, -(B : Int) ≤ W i j ∧ W i j ≤ B) → (∀ i j, -(B : Int) ≤ W' i j ∧ W' i j ≤ B) →
      p.run (base2.membershipOracle θ W v) = p.run (base2.membershipOracle θ W' v) → W = W')
    (hN : ∀ W : Mat Int d, (∀ i j, -(B : Int) ≤ W i j ∧ W i j ≤ B) →
      (p.queries (base2.membershipOracle θ W v)).length ≤ N) : (2 * B + 1) ^ (d * d) ≤ 2 ^ N := by
  have hb : ∀ W ∈ tuples (tuples (intRange B) d) d, ∀ i j, -(B : Int) ≤ W i j ∧ W i j ≤ B := fun W hW i j =>
    bounds_of_mem_intRange (mem_of_mem_tuples (mem_of_mem_tuples hW i) j)
  have hl : (tuples (tuples (intRange B) d) d).length = (2 * B + 1) ^ (d * d) := by
    rw [length_tuples, length_tuples, length_intRange, Nat.pow_mul]
  rw [← hl, ← List.length_map fun W : Mat Int d => base2.membershipOracle θ W v]
  refine p.length_le_two_pow (fun o ho => ?_) (List.pairwise_map.mpr ?_)
  · obtain ⟨W, hW, rfl⟩ := List.mem_map.mp ho
    exact hN W (hb W hW)
  · exact (pairwise_ne_tuples (pairwise_ne_tuples (pairwise_ne_intRange B) d) d).imp_of_mem fun hW hW' h e =>
      h (hid _ _ (hb _ hW) (hb _ hW') e)

end AttentionQueries
