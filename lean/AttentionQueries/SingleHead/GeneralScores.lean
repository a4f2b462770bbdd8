import AttentionQueries.SingleHead.Identifiability

/-! # Attention with arbitrary scores and values

Let the tokens be of any type `X`, the score any function `s : X → X → R` of a token and the query token, and the
value any function `φ : X → K`. The output is the softmax mean of the values. Adding a function of the query token to
the scores changes nothing; if `φ` is not constant, this is all that is lost.

## Main definitions

* `Semantics.evalGeneral s φ`: the output of attention with scores `s` and values `φ`.

## Main statements

* `Semantics.evalGeneral_add_query`: a function of the query token in the scores is invisible.
* `Semantics.general_unique`: if `φ` is not constant, the outputs on at most three tokens determine `φ`, and `s` up to
  a function of the query token.
* `Semantics.general_iff`: the fibre of `(s, φ)` for `φ` not constant.
* `Semantics.evalGeneral_of_const`, `Semantics.general_identifiable_iff`: if `φ` is constant, nothing is known about
  `s`; so the condition on `φ` is necessary as soon as there are two tokens.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat} {X : Type}

namespace Semantics

/-- The output of attention with score function `s` and value function `φ` on the query token `q` with context `xs`:
`∑ₓ exp (s x q) φ x / ∑ₓ exp (s x q)`, where `x` runs through `xs` and `q`. -/
def evalGeneral (s : X → X → R) (φ : X → K) (xs : List X) (q : X) : K :=
  listSum (xs ++ [q]) (fun x => S.exp (s x q) * φ x) / listSum (xs ++ [q]) fun x => S.exp (s x q)

/-- A head is the case of bilinear scores and linear values. -/
theorem evalGeneral_head (W : Mat R d) (v : Vec K d) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalGeneral (score W) (S.inner v) xs q = S.eval W v xs q := rfl

private theorem denominator_ne (s : X → X → R) (xs : List X) (q : X) :
    listSum (xs ++ [q]) (fun x => S.exp (s x q)) ≠ 0 := by
  rw [listSum_append, listSum_cons, listSum_nil, add_zero]
  exact pos_ne (listSum_pos xs _ (fun _ _ => S.exp_pos _) _ (S.exp_pos _))

/-- **Gauge**: adding a function of the query token to the scores changes no output. -/
theorem evalGeneral_add_query (s : X → X → R) (c : X → R) (φ : X → K) (xs : List X) (q : X) :
    S.evalGeneral (fun x q => s x q + c q) φ xs q = S.evalGeneral s φ xs q := by
  have h1 : listSum (xs ++ [q]) (fun x => S.exp (s x q + c q) * φ x) =
      S.exp (c q) * listSum (xs ++ [q]) fun x => S.exp (s x q) * φ x := by
    rw [← listSum_mul]; exact listSum_congr fun x _ => by rw [S.exp_add]; ring
  have h2 : listSum (xs ++ [q]) (fun x => S.exp (s x q + c q)) =
      S.exp (c q) * listSum (xs ++ [q]) fun x => S.exp (s x q) := by
    rw [← listSum_mul]; exact listSum_congr fun x _ => by rw [S.exp_add]; ring
  have hD := S.denominator_ne s xs q
  rw [evalGeneral, evalGeneral, h1, h2, div_eq_iff (mul_ne_zero (S.exp_ne _) hD)]
  lin_comb (-S.exp (c q)) (div_mul_cancel (listSum (xs ++ [q]) fun x => S.exp (s x q) * φ x) hD)

/-- Constant values: the output is that constant, whatever the scores. -/
theorem evalGeneral_of_const (s : X → X → R) {φ : X → K} {a : K} (hφ : ∀ x, φ x = a) (xs : List X) (q : X) :
    S.evalGeneral s φ xs q = a := by
  rw [evalGeneral, div_eq_iff (S.denominator_ne s xs q), ← listSum_mul]
  exact listSum_congr fun x _ => by rw [hφ]; ring

/-- The weight of a token relative to the query token. -/
private def relWeight (s : X → X → R) (x q : X) : K := S.exp (s x q - s q q)

private theorem relWeight_pos (s : X → X → R) (x q : X) : 0 < S.relWeight s x q := S.exp_pos _

private theorem exp_eq (s : X → X → R) (x q : X) : S.exp (s x q) = S.exp (s q q) * S.relWeight s x q := by
  rw [relWeight, ← S.exp_add, show s q q + (s x q - s q q) = s x q by ring]

private theorem denominator_centred_general (s : X → X → R) (xs : List X) (q : X) :
    listSum (xs ++ [q]) (fun x => S.exp (s x q)) = S.exp (s q q) * (listSum xs (fun x => S.relWeight s x q) + 1) := by
  rw [listSum_append, listSum_cons, listSum_nil, mul_add, ← listSum_mul, add_zero, mul_one,
    listSum_congr fun x _ => S.exp_eq s x q]

private theorem numerator_centred_general (s : X → X → R) (φ : X → K) (xs : List X) (q : X) :
    listSum (xs ++ [q]) (fun x => S.exp (s x q) * φ x) = S.exp (s q q) *
      (listSum xs (fun x => S.relWeight s x q * (φ x - φ q)) +
        φ q * (listSum xs (fun x => S.relWeight s x q) + 1)) := by
  have h : listSum xs (fun x => S.exp (s x q) * φ x) = S.exp (s q q) *
      (listSum xs (fun x => S.relWeight s x q * (φ x - φ q)) + φ q * listSum xs fun x => S.relWeight s x q) := by
    rw [← listSum_mul (φ q), ← listSum_add, ← listSum_mul]
    exact listSum_congr fun x _ => by rw [exp_eq]; ring
  rw [listSum_append, h, listSum_cons, listSum_nil]; ring

/-- The centred form: the value of the query token and a weighted sum of value differences. -/
private theorem evalGeneral_centred (s : X → X → R) (φ : X → K) (xs : List X) (q : X) :
    S.evalGeneral s φ xs q = φ q +
      listSum xs (fun x => S.relWeight s x q * (φ x - φ q)) / (listSum xs (fun x => S.relWeight s x q) + 1) := by
  have hne : listSum xs (fun x => S.relWeight s x q) + 1 ≠ 0 :=
    pos_ne (listSum_pos xs _ (fun _ _ => S.relWeight_pos _ _ _) 1 one_pos)
  rw [evalGeneral, numerator_centred_general, denominator_centred_general, div_eq_iff (mul_ne_zero (S.exp_ne _) hne)]
  lin_comb (-S.exp (s q q)) (div_mul_cancel (listSum xs fun x => S.relWeight s x q * (φ x - φ q)) hne)

/-- On a sequence of length one the output is the value. -/
theorem evalGeneral_nil (s : X → X → R) (φ : X → K) (q : X) : S.evalGeneral s φ [] q = φ q := by
  rw [evalGeneral_centred, listSum_nil, zero_div, add_zero]

private theorem relWeight_inj {s s' : X → X → R} {x q : X} (h : S.relWeight s x q = S.relWeight s' x q) :
    s x q - s q q = s' x q - s' q q := S.exp_inj _ _ h

/-- **One score.** If the values of `x` and `q` differ, the output on `[x; q]` determines the score difference
`s x q - s q q`. -/
theorem score_sub_eq_of_evalGeneral {s s' : X → X → R} {φ : X → K} {x q : X} (hφ : φ x ≠ φ q)
    (h : S.evalGeneral s φ [x] q = S.evalGeneral s' φ [x] q) : s x q - s q q = s' x q - s' q q := by
  have hφ' : φ x - φ q ≠ 0 := fun e => hφ (sub_eq_zero.mp e)
  have hp : ∀ s : X → X → R, S.relWeight s x q + 1 ≠ 0 := fun s => pos_ne (add_pos (S.relWeight_pos s x q) one_pos)
  rw [evalGeneral_centred, evalGeneral_centred] at h
  simp only [listSum_cons, listSum_nil, add_zero] at h
  have d1 := div_mul_cancel (S.relWeight s x q * (φ x - φ q)) (hp s)
  have d2 := div_mul_cancel (S.relWeight s' x q * (φ x - φ q)) (hp s')
  rw [add_left_cancel h] at d1
  apply S.relWeight_inj
  apply mul_right_cancel hφ'
  generalize S.relWeight s' x q * (φ x - φ q) / (S.relWeight s' x q + 1) = f at d1 d2
  -- `f (E + 1) = E Δ` and `f (E' + 1) = E' Δ`
  lin_comb (-(S.relWeight s' x q + 1)) d1 + (S.relWeight s x q + 1) d2

/-- A token with the value of the query token: its score is read off `[x, y; q]` once that of `y` is known. -/
private theorem score_sub_eq_of_evalGeneral_pair {s s' : X → X → R} {φ : X → K} {x y q : X} (hx : φ x = φ q)
    (hy : φ y ≠ φ q) (ey : s y q - s q q = s' y q - s' q q)
    (h : S.evalGeneral s φ [x, y] q = S.evalGeneral s' φ [x, y] q) : s x q - s q q = s' x q - s' q q := by
  have hy' : φ y - φ q ≠ 0 := fun e => hy (sub_eq_zero.mp e)
  have hp : ∀ s : X → X → R, S.relWeight s x q + (S.relWeight s y q + 0) + 1 ≠ 0 := fun s => by
    rw [add_zero]
    exact pos_ne (add_pos (add_pos (S.relWeight_pos s x q) (S.relWeight_pos s y q)) one_pos)
  rw [evalGeneral_centred, evalGeneral_centred] at h
  simp only [listSum_cons, listSum_nil, hx, sub_self, mul_zero, zero_add] at h
  have d1 := div_mul_cancel (S.relWeight s y q * (φ y - φ q) + 0) (hp s)
  have d2 := div_mul_cancel (S.relWeight s' y q * (φ y - φ q) + 0) (hp s')
  rw [add_left_cancel h] at d1
  have e : S.relWeight s' y q = S.relWeight s y q := congrArg S.exp ey.symm
  rw [e] at d1 d2
  apply S.relWeight_inj
  apply mul_right_cancel (mul_ne_zero (pos_ne (S.relWeight_pos s y q)) hy')
  generalize (S.relWeight s y q * (φ y - φ q) + 0) / (S.relWeight s' x q + (S.relWeight s y q + 0) + 1) = f at d1 d2
  -- `f (E + F + 1) = f (E' + F + 1) = F Δ`
  lin_comb (S.relWeight s' x q + S.relWeight s y q + 1) d1 + (-(S.relWeight s x q + S.relWeight s y q + 1)) d2

/-- **Uniqueness from at most three tokens.** If `φ` is not constant, the outputs with at most two context tokens
determine `φ`, and determine `s` up to a function of the query token. -/
theorem general_unique {s s' : X → X → R} {φ φ' : X → K} (hφ : ∃ x y, φ x ≠ φ y)
    (h : ∀ xs q, xs.length ≤ 2 → S.evalGeneral s φ xs q = S.evalGeneral s' φ' xs q) :
    φ = φ' ∧ ∃ c : X → R, ∀ x q, s x q = s' x q + c q := by
  have hv : φ = φ' := funext fun q => by
    have h0 := h [] q (Nat.zero_le 2)
    rwa [evalGeneral_nil, evalGeneral_nil] at h0
  subst hv
  refine ⟨rfl, fun q => s q q - s' q q, fun x q => ?_⟩
  suffices e : s x q - s q q = s' x q - s' q q by lin_comb (1) e
  by_cases hx : φ x = φ q
  · obtain ⟨y, hy⟩ : ∃ y, φ y ≠ φ q := by
      obtain ⟨a, b, hab⟩ := hφ
      by_cases ha : φ a = φ q
      · exact ⟨b, fun hb => hab (ha.trans hb.symm)⟩
      · exact ⟨a, ha⟩
    exact S.score_sub_eq_of_evalGeneral_pair hx hy
      (S.score_sub_eq_of_evalGeneral hy (h [y] q (Nat.le_succ 1))) (h [x, y] q (Nat.le_refl 2))
  · exact S.score_sub_eq_of_evalGeneral hx (h [x] q (Nat.le_succ 1))

/-- **The fibre of attention with arbitrary scores and values.** If the value function is not constant, two pairs have
the same outputs iff their value functions agree and their scores differ by a function of the query token. -/
theorem general_iff {s s' : X → X → R} {φ φ' : X → K} (hφ : ∃ x y, φ x ≠ φ y) :
    (∀ xs q, S.evalGeneral s φ xs q = S.evalGeneral s' φ' xs q) ↔
      φ = φ' ∧ ∃ c : X → R, ∀ x q, s x q = s' x q + c q := by
  refine ⟨fun h => S.general_unique hφ fun xs q _ => h xs q, ?_⟩
  rintro ⟨rfl, c, hc⟩ xs q
  rw [show s = fun x q => s' x q + c q from funext fun x => funext fun q => hc x q, evalGeneral_add_query]

open Classical in
/-- **The condition on the values is necessary.** If there are two different tokens, the outputs determine `φ`, and
`s` up to a function of the query token, iff `φ` is not constant. -/
theorem general_identifiable_iff (hX : ∃ x y : X, x ≠ y) (s : X → X → R) (φ : X → K) :
    (∀ (s' : X → X → R) (φ' : X → K), (∀ xs q, S.evalGeneral s φ xs q = S.evalGeneral s' φ' xs q) →
      φ = φ' ∧ ∃ c : X → R, ∀ x q, s x q = s' x q + c q) ↔ ∃ x y, φ x ≠ φ y := by
  refine ⟨fun h => ?_, fun hφ s' φ' => (S.general_iff hφ).mp⟩
  apply Classical.byContradiction
  intro hn
  obtain ⟨x, y, hxy⟩ := hX
  have hc : ∀ z, φ z = φ x := fun z => Classical.byContradiction fun hz => hn ⟨z, x, hz⟩
  -- change the scores of `x` only
  obtain ⟨-, c, h'⟩ := h (fun z q => s z q + if z = x then 1 else 0) φ fun xs q => by
    rw [S.evalGeneral_of_const _ hc, S.evalGeneral_of_const _ hc]
  have h1 := h' x x
  have h2 := h' y x
  rw [if_pos rfl] at h1
  rw [if_neg (Ne.symm hxy)] at h2
  exact S.scalar_one_ne_zero (by lin_comb (1) h2 + (-1) h1)
end Semantics

end AttentionQueries
