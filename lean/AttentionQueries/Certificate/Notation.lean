/-! # Notation for the data of certificates

Long lists of numbers are slow to elaborate when every numeral passes through type classes. The two notations of this
file produce constructors directly.

* `integers! 3, -1, 0` is the list of integers `[3, -1, 0]`.
* `fractions! 3/5, -2/7, _` is the list of pairs `[(3, 5), (-2, 7), (0, 1)]`; the sign `_` marks a place whose value is
  not used.
-/

namespace AttentionQueries

/-- One integer of a list. -/
declare_syntax_cat integerItem
/-- A nonnegative integer. -/
scoped syntax num : integerItem
/-- A negative integer. -/
scoped syntax "-" noWs num : integerItem
/-- One fraction of a list. -/
declare_syntax_cat fractionItem
/-- A fraction `n/m` with `n ≥ 0`. -/
scoped syntax num "/" num : fractionItem
/-- A fraction `-n/m`. -/
scoped syntax "-" noWs num "/" num : fractionItem
/-- A place whose value is not used; it holds `0/1`. -/
scoped syntax "_" : fractionItem

/-- A list of integers. -/
scoped syntax "integers! " integerItem,* : term
/-- A list of fractions, as pairs of a numerator in `ℤ` and a denominator in `ℕ`. -/
scoped syntax "fractions! " fractionItem,* : term

/-- One integer, as a term. -/
scoped syntax "integer! " integerItem : term
/-- One fraction, as a term. -/
scoped syntax "fraction! " fractionItem : term

macro_rules
  | `(integer! $n:num) => `(Int.ofNat (nat_lit $n))
  | `(integer! -$n:num) => `(Int.negOfNat (nat_lit $n))

macro_rules
  | `(fraction! $n:num / $m:num) => `(Prod.mk (Int.ofNat (nat_lit $n)) (nat_lit $m))
  | `(fraction! -$n:num / $m:num) => `(Prod.mk (Int.negOfNat (nat_lit $n)) (nat_lit $m))
  | `(fraction! _) => `(Prod.mk (Int.ofNat (nat_lit 0)) (nat_lit 1))

macro_rules
  | `(integers! ) => `(List.nil)
  | `(integers! $x) => `(List.cons (integer! $x) List.nil)
  | `(integers! $x, $xs,*) => `(List.cons (integer! $x) (integers! $xs,*))

macro_rules
  | `(fractions! ) => `(List.nil)
  | `(fractions! $x) => `(List.cons (fraction! $x) List.nil)
  | `(fractions! $x, $xs,*) => `(List.cons (fraction! $x) (fractions! $xs,*))

end AttentionQueries
