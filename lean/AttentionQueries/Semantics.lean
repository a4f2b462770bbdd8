import AttentionQueries.Algebra.Vector

/-! # Semantics -/

namespace AttentionQueries
open CommRing OrderedField

/-- The two sorts: scores and tokens live in the ring `R`, values and outputs in the ordered field `K`. -/
structure Semantics (R K : Type) [CommRing R] [OrderedField K] where
  cast : R → K
  cast_add : ∀ a b, cast (a + b) = cast a + cast b
  cast_mul : ∀ a b, cast (a * b) = cast a * cast b
  cast_one : cast 1 = 1
  cast_inj : ∀ a b, cast a = cast b → a = b
  exp : R → K
  exp_add : ∀ s t, exp (s + t) = exp s * exp t
  exp_pos : ∀ s, 0 < exp s
  exp_inj : ∀ s t, exp s = exp t → s = t

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}
namespace Semantics
theorem cast_zero : S.cast 0 = 0 := by
  have h := S.cast_add 0 0
  rw [add_zero] at h
  lin_comb (-1) h
theorem cast_neg (a : R) : S.cast (-a) = -S.cast a := by
  have h := S.cast_add a (-a)
  rw [add_neg, cast_zero] at h
  lin_comb (-1) h
theorem cast_natCast (n : Nat) : S.cast (natCast n) = natCast n := by
  induction n with
  | zero => exact S.cast_zero
  | succ n ih => rw [natCast_succ, S.cast_add, ih, S.cast_one, natCast_succ]
theorem exp_ne (s : R) : S.exp s ≠ 0 := pos_ne (S.exp_pos s)
theorem exp_zero : S.exp 0 = 1 := by
  have h := S.exp_add 0 0
  rw [add_zero] at h
  apply mul_right_cancel (S.exp_ne 0)
  rw [one_mul, ← h]
theorem exp_mul_neg (s : R) : S.exp s * S.exp (-s) = 1 := by rw [← S.exp_add, add_neg, exp_zero]

/-- `⟪v, x⟫` for `v` over `K` and a token `x` over `R` -/
def inner (v : Vec K d) (x : Vec R d) : K := finSum fun i => v i * S.cast (x i)
theorem inner_add (v : Vec K d) (x y : Vec R d) : S.inner v (x + y) = S.inner v x + S.inner v y := by
  simp only [inner, vadd_app, S.cast_add, mul_add, finSum_add]
theorem inner_zero (v : Vec K d) : S.inner v 0 = 0 := finSum_zero fun i => by
  rw [vzero_app, S.cast_zero, mul_zero]
theorem add_inner (v w : Vec K d) (x : Vec R d) : S.inner (v + w) x = S.inner v x + S.inner w x := by
  simp only [inner, vadd_app, add_mul, finSum_add]
theorem zero_inner (x : Vec R d) : S.inner (0 : Vec K d) x = 0 := finSum_zero fun _ => zero_mul _
theorem inner_split (v : Vec K d) (x q : Vec R d) : S.inner v x = S.inner v q + S.inner v (x - q) := by
  rw [← inner_add, show q + (x - q) = x from funext fun i => by rw [vadd_app, vsub_app]; ring]
theorem inner_basis (v : Vec K d) (i : Fin d) : S.inner v (basis i) = v i := by
  rw [inner, finSum_single i, basis_self, S.cast_one, mul_one]
  intro j hj
  rw [basis_ne hj, cast_zero, mul_zero]

/-- The output of the head `(W, v)` on query `q` with context `xs`; the query also attends to itself. -/
def eval (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) : K :=
  listSum (xs ++ [q]) (fun x => S.exp (score W x q) * S.inner v x) / listSum (xs ++ [q]) (fun x => S.exp (score W x q))
end Semantics

end AttentionQueries
