import AttentionQueries.Conformance.SymbolicCase

/-! # Conformance: the symbolic exponential

Generated from Python's own computation by `attnq crosscheck --write`; do not edit.

`SymbolicValue d heads runs num den` says that Lean's value of the sum of these heads on the sequence of these runs is
the quotient of exponential sums that Python computed, each sum a list of terms `(c, q)` for `c t ^ q`;
`SymbolicLearns d head found` says that the Lean learner, asking this head, returns the head that the Python learner
found. A head is `⟨rows of W, v⟩`, a run `(token, copies)`, a rational number `(numerator, denominator)`. -/

namespace AttentionQueries.Conformance

/-! ## Values -/

example : SymbolicValue 1 [⟨[[(1, 2)]], [(2, 1)]⟩] [([(-1, 3)], 1)] [((-2, 3), (0, 1))] [((1, 1), (0, 1))] := by decide +kernel
example : SymbolicValue 1 [⟨[[(1, 3)]], [(2, 1)]⟩] [([(1, 1)], 1), ([(-1, 1)], 1)] [((-2, 1), (0, 1)), ((2, 1), (-2, 3))] [((1, 1), (0, 1)), ((1, 1), (-2, 3))] := by decide +kernel
example : SymbolicValue 1 [⟨[[(-1, 3)]], [(-1, 1)]⟩] [([(-1, 3)], 2), ([(-2, 1)], 2)] [((2, 3), (0, 1)), ((4, 1), (-10, 9))] [((2, 1), (0, 1)), ((2, 1), (-10, 9))] := by decide +kernel
example : SymbolicValue 2 [⟨[[(1, 1), (-3, 2)], [(-1, 2), (3, 1)]], [(1, 1), (1, 1)]⟩] [([(3, 1), (1, 1)], 1), ([(1, 1), (-1, 3)], 1)] [((4, 1), (0, 1)), ((2, 3), (-1, 1))] [((1, 1), (0, 1)), ((1, 1), (-1, 1))] := by decide +kernel
example : SymbolicValue 1 [⟨[[(-1, 1)]], [(-1, 1)]⟩] [([(1, 1)], 1)] [((-1, 1), (0, 1))] [((1, 1), (0, 1))] := by decide +kernel
example : SymbolicValue 1 [⟨[[(-1, 3)]], [(-1, 1)]⟩] [([(-1, 1)], 1), ([(3, 1)], 1)] [((1, 1), (0, 1)), ((-3, 1), (-4, 1))] [((1, 1), (0, 1)), ((1, 1), (-4, 1))] := by decide +kernel
example : SymbolicValue 1 [⟨[[(-1, 1)]], [(-1, 2)]⟩] [([(-2, 1)], 1), ([(-3, 2)], 2)] [((3, 2), (0, 1)), ((1, 1), (-3, 4))] [((2, 1), (0, 1)), ((1, 1), (-3, 4))] := by decide +kernel
example : SymbolicValue 2 [⟨[[(-2, 3), (1, 3)], [(-2, 3), (2, 1)]], [(-1, 1), (-1, 1)]⟩] [([(-1, 3), (-1, 2)], 1), ([(-1, 3), (3, 1)], 1)] [((-8, 3), (0, 1)), ((5, 6), (-196, 9))] [((1, 1), (0, 1)), ((1, 1), (-196, 9))] := by decide +kernel
example : SymbolicValue 1 [⟨[[(1, 1)]], [(3, 1)]⟩, ⟨[[(-2, 3)]], [(-1, 2)]⟩] [([(-3, 1)], 2)] [((-15, 1), (0, 1))] [((2, 1), (0, 1))] := by decide +kernel

/-! ## The learner -/

example : SymbolicLearns 1 ⟨[[(-1, 1)]], [(3, 2)]⟩ ⟨[[(-1, 1)]], [(3, 2)]⟩ := by decide +kernel

end AttentionQueries.Conformance
