import AttentionQueries.Algebra.Vector

/-! # Semantics: two sorts of numbers and an exponential

Tokens, score matrices and scores have entries in a commutative ring `R`; value vectors, weights and outputs live in
an ordered field `K`. A semantics connects the two by a ring homomorphism and an exponential. The instance `base2`
(`Base2.Instance`) has `R = ℤ`, `K = ℚ` and `exp s = 2ˢ`; with `R = K = ℝ` the exponential may be the usual one.

## The axioms, and where they are used

* `cast_add`, `cast_one`: the value `⟨v, x⟩` is additive in the token `x` and takes the value `vᵢ` at `eᵢ`. Used
  everywhere.
* `exp_add`: only score differences matter. Used everywhere.
* `exp_pos`: the denominators of the softmax do not vanish. Used everywhere.
* `exp_inj`: a weight determines its score. Used by every uniqueness theorem; the formulas do without.
* `cast_mul`, `cast_inj`: a token scaled by `c` has its value scaled by `c`; a nonzero score matrix is still nonzero
  over `K`. Identifiability and the learner of one head use neither; the lower bounds on the number of queries and the
  separation of several heads by one token use both.

Over a nontrivial ring, `cast_one` follows from `cast_add`, `cast_mul` and `cast_inj` (`cast_one_of_nontrivial`), and
`cast_one` implies that the ring is nontrivial (`scalar_one_ne_zero`). So beside the other axioms `cast_one` says
exactly that `R` is not the trivial ring. `SingleHead.Necessity` shows what fails for one head without `exp_inj`,
`exp_add`, `exp_pos` or `cast_one`.

## Main definitions

* `Semantics R K`: the axioms.
* `Semantics.inner v x`: the value `⟨v, x⟩`. `Semantics.castV`: a token read as a vector of values.
* `Semantics.eval W v xs q`: the output of the head `(W, v)` for the query token `q` in the context `xs`.

## References

The two-sorted setting is that of the definition of softmax attention in arXiv 2601.16873, with the real numbers
replaced by what the proofs need. -/

namespace AttentionQueries
open CommRing OrderedField

/-- A semantics of the exponential: tokens and scores live in the ring `R`, values and outputs in the ordered field
`K`. -/
structure Semantics (R K : Type) [CommRing R] [OrderedField K] where
  /-- The embedding of tokens into values. -/
  cast : R → K
  /-- The embedding is additive. -/
  cast_add : ∀ a b, cast (a + b) = cast a + cast b
  /-- The embedding is multiplicative. -/
  cast_mul : ∀ a b, cast (a * b) = cast a * cast b
  /-- The embedding maps one to one. -/
  cast_one : cast 1 = 1
  /-- The embedding is injective. -/
  cast_inj : ∀ a b, cast a = cast b → a = b
  /-- The exponential of a score. -/
  exp : R → K
  /-- The exponential turns sums into products. -/
  exp_add : ∀ s t, exp (s + t) = exp s * exp t
  /-- The exponential is positive. -/
  exp_pos : ∀ s, 0 < exp s
  /-- The exponential is injective. -/
  exp_inj : ∀ s t, exp s = exp t → s = t

/-- Over a nontrivial ring the axiom `cast_one` follows from the other axioms about the embedding. -/
theorem cast_one_of_nontrivial {R K : Type} [CommRing R] [OrderedField K] {cast : R → K}
    (add : ∀ a b, cast (a + b) = cast a + cast b) (mul : ∀ a b, cast (a * b) = cast a * cast b)
    (inj : ∀ a b, cast a = cast b → a = b) (h : (1 : R) ≠ 0) : cast 1 = 1 := by
  have h0 : cast 0 = 0 := by
    have h := add 0 0
    rw [add_zero] at h
    lin_comb (-1) h
  have h1 : cast 1 ≠ 0 := fun e => h (inj _ _ (by rw [e, h0]))
  apply mul_right_cancel h1
  rw [← mul, mul_one, one_mul]

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

namespace Semantics

/-- The embedding maps zero to zero. -/
theorem cast_zero : S.cast 0 = 0 := by
  have h := S.cast_add 0 0
  rw [add_zero] at h
  lin_comb (-1) h

/-- The embedding respects negatives. -/
theorem cast_neg (a : R) : S.cast (-a) = -S.cast a := by
  have h := S.cast_add a (-a)
  rw [add_neg, cast_zero] at h
  lin_comb (-1) h

/-- The embedding respects the images of natural numbers. -/
theorem cast_natCast (n : Nat) : S.cast (natCast n) = natCast n := by
  induction n with
  | zero => exact S.cast_zero
  | succ n ih => rw [natCast_succ, S.cast_add, ih, S.cast_one, natCast_succ]

include S in
/-- The ring of scalars of a semantics is nontrivial. -/
theorem scalar_one_ne_zero : (1 : R) ≠ 0 := fun h => OrderedField.zero_ne_one (K := K) (by
  rw [← S.cast_one, h, S.cast_zero])

/-- The exponential does not vanish. -/
theorem exp_ne (s : R) : S.exp s ≠ 0 := pos_ne (S.exp_pos s)

/-- The exponential of zero is one. -/
theorem exp_zero : S.exp 0 = 1 := by
  have h := S.exp_add 0 0
  rw [add_zero] at h
  apply mul_right_cancel (S.exp_ne 0)
  rw [one_mul, ← h]

/-- The exponentials of `s` and `-s` are inverse to each other. -/
theorem exp_mul_neg (s : R) : S.exp s * S.exp (-s) = 1 := by rw [← S.exp_add, add_neg, exp_zero]

/-! ## The value of a token -/

/-- The value `⟨v, x⟩` of a token `x` over `R`, for a value vector `v` over `K`. -/
def inner (v : Vec K d) (x : Vec R d) : K := finSum fun i => v i * S.cast (x i)

/-- The value is additive in the token. -/
theorem inner_add (v : Vec K d) (x y : Vec R d) : S.inner v (x + y) = S.inner v x + S.inner v y := by
  simp only [inner, vadd_app, S.cast_add, mul_add, finSum_add]

/-- The zero token has value zero. -/
theorem inner_zero (v : Vec K d) : S.inner v 0 = 0 := finSum_zero fun i => by
  rw [vzero_app, S.cast_zero, mul_zero]

/-- The value is additive in the value vector. -/
theorem add_inner (v w : Vec K d) (x : Vec R d) : S.inner (v + w) x = S.inner v x + S.inner w x := by
  simp only [inner, vadd_app, add_mul, finSum_add]

/-- The zero value vector gives every token the value zero. -/
theorem zero_inner (x : Vec R d) : S.inner (0 : Vec K d) x = 0 := finSum_zero fun _ => zero_mul _

/-- The value of a token, relative to the value of the query token. -/
theorem inner_split (v : Vec K d) (x q : Vec R d) : S.inner v x = S.inner v q + S.inner v (x - q) := by
  rw [← inner_add, add_vsub]

/-- The value of `eᵢ` is the entry `vᵢ`. -/
theorem inner_basis (v : Vec K d) (i : Fin d) : S.inner v (basis i) = v i := by
  rw [inner, finSum_single i, basis_self, S.cast_one, mul_one]
  intro j hj
  rw [basis_ne hj, cast_zero, mul_zero]

/-- The value of a negative token. -/
theorem inner_neg (v : Vec K d) (x : Vec R d) : S.inner v (-x) = -S.inner v x := by
  have h := S.inner_add v x (-x)
  rw [show x + -x = 0 from funext fun i => add_neg _, inner_zero] at h
  lin_comb (-1) h

/-- A token read as a vector of values: the entrywise cast. -/
def castV (x : Vec R d) : Vec K d := fun i => S.cast (x i)

/-- Casts commute with finite sums. -/
theorem cast_finSum (x : Vec R d) : S.cast (finSum x) = finSum fun i => S.cast (x i) := by
  induction d with
  | zero => exact S.cast_zero
  | succ d ih => rw [finSum_succ, S.cast_add, ih, finSum_succ]

/-! ## The output of a head -/

/-- The output of the head `(W, v)` on the sequence `xs ++ [q]`: the mean of the values `⟨v, x⟩` of its tokens,
weighted by the exponentials of the scores `xᵀ W q`. The last token `q` is the query token; it attends to itself as
well. -/
def eval (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) : K :=
  listSum (xs ++ [q]) (fun x => S.exp (score W x q) * S.inner v x) /
    listSum (xs ++ [q]) (fun x => S.exp (score W x q))

end Semantics

end AttentionQueries
