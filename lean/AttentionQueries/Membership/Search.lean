import AttentionQueries.Base2.Instance
import AttentionQueries.Query

/-! # Searching for an integer with one-bit answers

## Main definitions

* `searchInt test L lo`: binary search for an integer from `lo` to `lo + 2 ^ L - 1`, with `L` queries.
* `searchBits Z`: the number of queries for the integers from `-Z` to `Z`.

## Main statements

* `searchInt_run`: the integer is found. `searchInt_count`: exactly `L` queries are asked, whatever the oracle.
* `lt_two_pow_searchBits`, `two_pow_le_of_lt_searchBits`: the number of queries is the least that suffices.
* `QueryProgram.length_le_two_pow`: a program with at most `N` one-bit answers tells at most `2 ^ N` oracles apart. -/

namespace AttentionQueries

section
variable {Q : Type}

/-- Binary search. The test for `n` is a query and a sign; its answer says whether the unknown integer is greater than
`n`, or the contrary if the sign is `true`. -/
def searchInt (test : Int → Q × Bool) : Nat → Int → QueryProgram Q Bool Int
  | 0, lo => .done lo
  | L + 1, lo => .ask (test (lo + (2 ^ L : Nat) - 1)).1 fun b =>
    searchInt test L (if (b != (test (lo + (2 ^ L : Nat) - 1)).2) = true then lo + (2 ^ L : Nat) else lo)

/-- **The search finds the integer** `y` if the answers to the tests are right and `y` lies in the range. -/
theorem searchInt_run {test : Int → Q × Bool} {o : Q → Bool} {y : Int}
    (h : ∀ n, ((o (test n).1 != (test n).2) = true ↔ n < y)) : ∀ (L : Nat) {lo : Int}, lo ≤ y → y < lo + (2 ^ L : Nat) →
      (searchInt test L lo).run o = y
  | 0, lo, h1, h2 => Int.le_antisymm h1 (Int.lt_add_one_iff.mp h2)
  | L + 1, lo, h1, h2 => by
    show (searchInt test L (if (o (test (lo + (2 ^ L : Nat) - 1)).1 != (test (lo + (2 ^ L : Nat) - 1)).2) = true
      then lo + (2 ^ L : Nat) else lo)).run o = y
    rw [Nat.pow_succ, Nat.mul_two, Int.natCast_add, ← Int.add_assoc] at h2
    by_cases hb : lo + (2 ^ L : Nat) ≤ y
    · rw [if_pos ((h _).mpr (Int.lt_of_lt_of_le (Int.sub_lt_self _ (by decide)) hb))]
      exact searchInt_run h L hb h2
    · have hy : ¬ lo + (2 ^ L : Nat) - 1 < y := fun h' => hb (by
        have := Int.add_one_le_of_lt h'
        rwa [Int.sub_add_cancel] at this)
      rw [if_neg fun h' => hy ((h _).mp h')]
      exact searchInt_run h L h1 (Int.not_le.mp hb)

/-- **The number of queries of the search**, against any oracle. -/
theorem searchInt_count (test : Int → Q × Bool) (o : Q → Bool) : ∀ (L : Nat) (lo : Int),
    ((searchInt test L lo).queries o).length = L
  | 0, _ => rfl
  | L + 1, _ => congrArg (· + 1) (searchInt_count test o L _)

end

/-- The number of queries with which integers from `-Z` to `Z` are found. -/
def searchBits (Z : Nat) : Nat := if Z = 0 then 0 else natLog (2 * Z) + 1

/-- With so many queries the search covers the integers from `-Z` to `Z`. -/
theorem lt_two_pow_searchBits (Z : Nat) : 2 * Z < 2 ^ searchBits Z := by
  rw [searchBits]
  split
  · rename_i h
    rw [h]
    decide
  · rename_i h
    exact ((natLog_eq_iff (Nat.mul_pos (by decide) (Nat.pos_of_ne_zero h))).mp rfl).2

/-- With fewer queries it would not. -/
theorem two_pow_le_of_lt_searchBits {Z L : Nat} (h : L < searchBits Z) : 2 ^ L ≤ 2 * Z := by
  rw [searchBits] at h
  split at h
  · exact absurd h (Nat.not_lt_zero L)
  · rename_i h0
    exact Nat.le_trans (Nat.pow_le_pow_right (by decide) (Nat.le_of_lt_succ h))
      ((natLog_eq_iff (Nat.mul_pos (by decide) (Nat.pos_of_ne_zero h0))).mp rfl).1

/-! ## The counting bound -/

private theorem length_filter_add {α : Type} (p : α → Bool) (l : List α) :
    l.length = (l.filter p).length + (l.filter fun a => !p a).length := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    cases h : p a with
    | true =>
      rw [List.filter_cons_of_pos h, List.filter_cons_of_neg (by rw [h]; decide), List.length_cons, List.length_cons,
        ih, Nat.add_right_comm]
    | false =>
      rw [List.filter_cons_of_neg (by rw [h]; decide), List.filter_cons_of_pos (by rw [h]; rfl), List.length_cons,
        List.length_cons, ih, Nat.add_assoc]

/-- **One-bit answers**: a program that asks at most `N` queries of each of the given oracles, and returns a different
result for each of them, has at most `2 ^ N` of them. -/
theorem QueryProgram.length_le_two_pow {Q α : Type} (p : QueryProgram Q Bool α) : ∀ {N : Nat} {l : List (Q → Bool)},
    (∀ o ∈ l, (p.queries o).length ≤ N) → (l.Pairwise fun o o' => p.run o ≠ p.run o') → l.length ≤ 2 ^ N := by
  induction p with
  | done a =>
    intro N l _ hd
    cases l with
    | nil => exact Nat.zero_le _
    | cons o l =>
      cases l with
      | nil => exact Nat.succ_le_of_lt (Nat.two_pow_pos N)
      | cons o' l => exact absurd rfl ((List.pairwise_cons.mp hd).1 o' List.mem_cons_self)
  | ask q k ih =>
    intro N l hN hd
    cases N with
    | zero =>
      cases l with
      | nil => exact Nat.zero_le _
      | cons o l => exact absurd (hN o List.mem_cons_self) (Nat.not_succ_le_zero _)
    | succ N =>
      have part : ∀ (b : Bool) (l' : List (Q → Bool)), l'.Sublist l → (∀ o ∈ l', o q = b) → l'.length ≤ 2 ^ N := by
        intro b l' hs hb
        refine ih b (fun o ho => ?_) ((hd.sublist hs).imp_of_mem fun {o o'} ho ho' h => ?_)
        · have := hN o (hs.subset ho)
          rw [QueryProgram.queries, hb o ho, List.length_cons] at this
          exact Nat.le_of_succ_le_succ this
        · rwa [QueryProgram.run, QueryProgram.run, hb o ho, hb o' ho'] at h
      rw [length_filter_add (fun o => o q) l, Nat.pow_succ, Nat.mul_two]
      refine Nat.add_le_add (part true _ List.filter_sublist fun o ho => (List.mem_filter.mp ho).2)
        (part false _ List.filter_sublist fun o ho => ?_)
      have := (List.mem_filter.mp ho).2
      cases h : o q with
      | false => rfl
      | true => rw [h] at this; cases this

end AttentionQueries
