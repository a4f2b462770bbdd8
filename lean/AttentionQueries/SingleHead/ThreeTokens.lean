import AttentionQueries.Base2.Instance
import AttentionQueries.SingleHead.Optimality

/-! # With three distinct tokens fewer queries suffice

The lower bound `Semantics.optimality` is about queries with at most two distinct tokens. It fails for three, even
though the program has to be right on all score matrices: in the base-2 semantics, with `v = e₀`, the query `[q + e₀,
q + eᵢ (11 times); q]` has the answer `⟨v, q⟩ + X / (X + 11 Y + 1)`, where `X = 2 ^ s` and `Y = 2 ^ t` are the weights
of the two scores. Two powers of two are determined by `(1 + 11 Y) / X`, so one query reads two scores, and the `d (d
- 1)` queries of this form, for `i ≠ 0` and `q = eⱼ`, read all of `W`.

## Main statements

* `Semantics.three_tokens_beat_the_bound`: for every `d ≥ 2` a program with `d (d - 1)` queries of three distinct
  tokens identifies `W` on all heads `(W, e₀)` with integer scores, if `exp n = 2 ^ n`.
* `three_tokens_base2`: the same in the base-2 semantics, so the restriction to two tokens in `Semantics.optimality`
  is needed.
-/

namespace AttentionQueries
open CommRing OrderedField

/-! ## Two powers of two from one number -/

/-- `2 ^ n` as an integer -/
private def two (n : Nat) : Int := ((2 ^ n : Nat) : Int)

private theorem two_zero : two 0 = 1 := by rw [two, Nat.pow_zero, Int.natCast_one]

private theorem two_succ (n : Nat) : two (n + 1) = two n + two n := by
  rw [two, Nat.pow_succ, Nat.mul_two, Int.natCast_add]
  rfl

/-- `2 ^ n - 1` is not negative. -/
private theorem exists_two (n : Nat) : ∃ k : Int, 0 ≤ k ∧ two n = k + 1 :=
  ⟨two n - 1, Int.sub_nonneg_of_le (Int.ofNat_le.mpr (Nat.pow_pos (Nat.succ_pos 1))), by ring⟩

private theorem add_self_ne_one (z : Int) : z + z ≠ 1 := by
  intro h
  rcases Int.lt_or_le z 1 with hz | hz
  · have h1 := Int.le_of_lt_add_one (a := z) (b := 0) hz
    have h2 := Int.add_le_add h1 h1
    rw [h] at h2
    exact absurd h2 (by decide)
  · have h2 := Int.add_le_add hz hz
    rw [h] at h2
    exact absurd h2 (by decide)

private theorem eq_zero_of_add_self {z : Int} (h : z + z = 0) : z = 0 := by
  rcases Int.lt_trichotomy z 0 with hz | hz | hz
  · exact absurd h (Int.ne_of_lt (Int.add_lt_add hz hz))
  · exact hz
  · exact absurd h (Int.ne_of_gt (Int.add_pos hz hz))

private theorem two_inj {m n : Nat} (h : two m = two n) : m = n := by
  induction m generalizing n with
  | zero => cases n with
    | zero => rfl
    | succ n => rw [two_zero, two_succ] at h; exact absurd h.symm (add_self_ne_one _)
  | succ m ih => cases n with
    | zero => rw [two_zero, two_succ] at h; exact absurd h (add_self_ne_one _)
    | succ n =>
      rw [two_succ, two_succ] at h
      exact congrArg Nat.succ (ih (sub_eq_zero.mp (eq_zero_of_add_self (by lin_comb (1) h))))

/-- `11`, so written that `ring` can read it -/
private abbrev eleven : Int := (1 + 1) * ((1 + 1) * (1 + 1) + 1) + 1

private theorem sum_ne_zero {a b c : Int} (ha : 0 ≤ a) (hb : 0 ≤ b) (hc : 0 < c) : a + eleven * b + c ≠ 0 :=
  Int.ne_of_gt (Int.add_pos_of_nonneg_of_pos (Int.add_nonneg ha (Int.mul_nonneg (by decide) hb)) hc)

/-- `2 ^ c + 11 · 2 ^ e ≠ 6` -/
private theorem sum_ne_six (c e : Nat) : two c + eleven * two e ≠ (1 + 1) * (1 + 1) + (1 + 1) := by
  intro h
  obtain ⟨x, hx, ex⟩ := exists_two c
  obtain ⟨y, hy, ey⟩ := exists_two e
  rw [ex, ey] at h
  exact sum_ne_zero hx hy (c := (1 + 1) * (1 + 1) + (1 + 1)) (by decide) (by lin_comb (1) h)

/-- `11 · 2 ^ b ≠ 2 ^ c + 5` -/
private theorem eleven_mul_ne (b c : Nat) : eleven * two b ≠ two c + ((1 + 1) * (1 + 1) + 1) := by
  intro h
  cases b with
  | zero => cases c with
    | zero => rw [two_zero] at h; exact absurd h (by decide)
    | succ c => cases c with
      | zero => rw [two_succ, two_zero] at h; exact absurd h (by decide)
      | succ c =>
        rw [two_succ, two_succ, two_zero] at h
        have h1 : two c + two c - (1 + 1 + 1) = 0 := eq_zero_of_add_self (by lin_comb (-1) h)
        exact add_self_ne_one (two c - 1) (by lin_comb (1) h1)
  | succ b => cases c with
    | zero =>
      obtain ⟨y, hy, ey⟩ := exists_two b
      rw [two_succ, two_zero, ey] at h
      exact sum_ne_zero (Int.le_refl 0) (Int.add_nonneg hy hy) (c := (1 + 1) * (1 + 1) * (1 + 1) * (1 + 1)) (by decide)
        (by lin_comb (1) h)
    | succ c =>
      rw [two_succ, two_succ] at h
      exact add_self_ne_one (eleven * two b - two c - (1 + 1)) (by lin_comb (1) h)

/-- Six kinds of sums that differ: one side is odd, or becomes odd when both are halved. -/
private theorem two_add_ne (b c e : Nat) :
    (two 0 + eleven * two 0 ≠ two 0 + eleven * two (e + 1) ∧ two 0 + eleven * two 0 ≠ two (c + 1) + eleven * two 0 ∧
      two 0 + eleven * two 0 ≠ two (c + 1) + eleven * two (e + 1)) ∧
    two 0 + eleven * two (b + 1) ≠ two (c + 1) + eleven * two 0 ∧
    two 0 + eleven * two (b + 1) ≠ two (c + 1) + eleven * two (e + 1) ∧
    ∀ a, two (a + 1) + eleven * two 0 ≠ two (c + 1) + eleven * two (e + 1) := by
  simp only [two_zero, two_succ]
  refine ⟨⟨fun h => ?_, fun h => ?_, fun h => ?_⟩, fun h => ?_, fun h => ?_, fun a h => ?_⟩
  · exact add_self_ne_one (eleven * two e - ((1 + 1) * (1 + 1) + 1)) (by lin_comb (-1) h)
  · exact add_self_ne_one (two c) (by lin_comb (-1) h)
  · exact sum_ne_six c e (sub_eq_zero.mp (eq_zero_of_add_self (by lin_comb (-1) h)))
  · exact eleven_mul_ne b c (sub_eq_zero.mp (eq_zero_of_add_self (by lin_comb (1) h)))
  · exact add_self_ne_one (two c + eleven * two e - eleven * two b) (by lin_comb (-1) h)
  · exact add_self_ne_one (two c + eleven * two e - two a - ((1 + 1) * (1 + 1) + 1)) (by lin_comb (-1) h)

/-- **Two powers of two are determined** by `2 ^ a + 11 · 2 ^ b`. -/
private theorem two_add_inj : ∀ {a b c e : Nat}, two a + eleven * two b = two c + eleven * two e → a = c ∧ b = e
  | 0, 0, 0, 0, _ => ⟨rfl, rfl⟩
  | 0, 0, 0, e + 1, h => absurd h (two_add_ne 0 0 e).1.1
  | 0, 0, c + 1, 0, h => absurd h (two_add_ne 0 c 0).1.2.1
  | 0, 0, c + 1, e + 1, h => absurd h (two_add_ne 0 c e).1.2.2
  | 0, b + 1, 0, 0, h => absurd h.symm (two_add_ne 0 0 b).1.1
  | 0, b + 1, 0, e + 1, h => by
    simp only [two_zero, two_succ] at h
    exact ⟨rfl, congrArg Nat.succ (two_inj (Int.eq_of_mul_eq_mul_left (a := eleven) (by decide)
      (sub_eq_zero.mp (eq_zero_of_add_self (by lin_comb (1) h)))))⟩
  | 0, b + 1, c + 1, 0, h => absurd h (two_add_ne b c 0).2.1
  | 0, b + 1, c + 1, e + 1, h => absurd h (two_add_ne b c e).2.2.1
  | a + 1, 0, 0, 0, h => absurd h.symm (two_add_ne 0 a 0).1.2.1
  | a + 1, 0, 0, e + 1, h => absurd h.symm (two_add_ne e a 0).2.1
  | a + 1, 0, c + 1, 0, h => by
    simp only [two_zero, two_succ] at h
    exact ⟨congrArg Nat.succ (two_inj (sub_eq_zero.mp (eq_zero_of_add_self (by lin_comb (1) h)))), rfl⟩
  | a + 1, 0, c + 1, e + 1, h => absurd h ((two_add_ne 0 c e).2.2.2 a)
  | a + 1, b + 1, 0, 0, h => absurd h.symm (two_add_ne 0 a b).1.2.2
  | a + 1, b + 1, 0, e + 1, h => absurd h.symm (two_add_ne e a b).2.2.1
  | a + 1, b + 1, c + 1, 0, h => absurd h.symm ((two_add_ne 0 a b).2.2.2 c)
  | a + 1, b + 1, c + 1, e + 1, h => by
    simp only [two_succ] at h
    exact (two_add_inj (sub_eq_zero.mp (eq_zero_of_add_self (by lin_comb (1) h)))).imp (congrArg Nat.succ)
      (congrArg Nat.succ)

/-! ## Three tokens -/
namespace Semantics
variable {K : Type} [OrderedField K] (S : Semantics Int K)

/-- With `exp 1 = 2`, the exponential of a natural number is a power of two. -/
private theorem exp_natCast (h2 : S.exp 1 = 1 + 1) (n : Nat) : S.exp (n : Int) = S.cast (two n) := by
  induction n with
  | zero => rw [two_zero, S.cast_one]; exact S.exp_zero
  | succ n ih =>
    rw [Int.natCast_succ, S.exp_add, ih, h2, two_succ, S.cast_add]
    ring

private theorem exists_natCast_eq {a : Int} {m : Nat} (h : a.natAbs ≤ m) : ∃ k : Nat, (k : Int) = a + m := by
  have h1 : -a ≤ (m : Int) := Int.le_trans Int.le_natAbs (Int.ofNat_le.mpr (by rwa [Int.natAbs_neg]))
  exact ⟨(m - -a).toNat, by rw [Int.toNat_of_nonneg (Int.sub_nonneg_of_le h1)]; ring⟩

/-- Two integers are determined by `exp a + 11 exp b`. -/
private theorem exp_add_inj (h2 : S.exp 1 = 1 + 1) {a b c e : Int}
    (h : S.exp a + S.cast eleven * S.exp b = S.exp c + S.cast eleven * S.exp e) : a = c ∧ b = e := by
  -- add `m` to make all four natural numbers
  generalize hm : a.natAbs + b.natAbs + (c.natAbs + e.natAbs) = m
  obtain ⟨a', ha⟩ := exists_natCast_eq (m := m) (a := a)
    (hm ▸ Nat.le_trans (Nat.le_add_right _ _) (Nat.le_add_right _ _))
  obtain ⟨b', hb⟩ := exists_natCast_eq (m := m) (a := b)
    (hm ▸ Nat.le_trans (Nat.le_add_left _ _) (Nat.le_add_right _ _))
  obtain ⟨c', hc⟩ := exists_natCast_eq (m := m) (a := c)
    (hm ▸ Nat.le_trans (Nat.le_add_right _ _) (Nat.le_add_left _ _))
  obtain ⟨e', he⟩ := exists_natCast_eq (m := m) (a := e)
    (hm ▸ Nat.le_trans (Nat.le_add_left _ _) (Nat.le_add_left _ _))
  have hE : ∀ (x : Int) (k : Nat), (k : Int) = x + m → S.cast (two k) = S.exp x * S.exp m := fun x k hk => by
    rw [← S.exp_natCast h2, hk, S.exp_add]
  obtain ⟨h3, h4⟩ := two_add_inj (a := a') (b := b') (c := c') (e := e') (S.cast_inj _ _ (by
    rw [S.cast_add, S.cast_add, S.cast_mul, S.cast_mul, hE a a' ha, hE b b' hb, hE c c' hc, hE e e' he]
    lin_comb (S.exp m) h))
  subst h3 h4
  exact ⟨(Int.add_left_inj _).mp (ha.symm.trans hc), (Int.add_left_inj _).mp (hb.symm.trans he)⟩

/-- The query `[q + e₀, q + eᵢ (11 times); q]` for `q = eⱼ` and a row `i` after row `0`. -/
private def threeTokenQuery {n : Nat} (i : Fin n) (j : Fin (n + 1)) : Query Int (n + 1) :=
  ([basis j + basis 0] ++ List.replicate 11 (basis j + basis i.succ), basis j)

private theorem natCast_eleven : (natCast 11 : K) = S.cast eleven :=
  (S.cast_natCast 11).symm.trans (congrArg S.cast rfl)

private theorem oracle_threeTokenQuery {n : Nat} (W : Mat Int (n + 1)) (i : Fin n) (j : Fin (n + 1)) :
    S.oracle W (basis 0) (threeTokenQuery i j) = S.inner (basis 0) (basis j : Vec Int (n + 1)) +
      S.exp (W 0 j) / (S.exp (W 0 j) + S.cast eleven * S.exp (W i.succ j) + 1) := by
  rw [oracle, threeTokenQuery, eval_centred, contextWeight]
  simp only [listSum_append, listSum_cons, listSum_nil, listSum_replicate, vadd_sub_cancel, score_basis, S.inner_basis,
    basis_self, basis_ne (Fin.succ_ne_zero i)]
  rw [S.natCast_eleven, mul_one, mul_zero, mul_zero, add_zero, add_zero]

/-- The answers to `threeTokenQuery i j` determine both scores. -/
private theorem eq_of_oracle_eq (h2 : S.exp 1 = 1 + 1) {n : Nat} {W W' : Mat Int (n + 1)} {i : Fin n} {j : Fin (n + 1)}
    (h : S.oracle W (basis 0) (threeTokenQuery i j) = S.oracle W' (basis 0) (threeTokenQuery i j)) :
    W 0 j = W' 0 j ∧ W i.succ j = W' i.succ j := by
  have h11 : (0 : K) < S.cast eleven := by rw [← S.natCast_eleven]; exact natCast_pos 10
  have hpos : ∀ W : Mat Int (n + 1), S.exp (W 0 j) + S.cast eleven * S.exp (W i.succ j) + 1 ≠ 0 := fun W =>
    pos_ne (add_pos (add_pos (S.exp_pos _) (mul_pos _ _ h11 (S.exp_pos _))) one_pos)
  rw [oracle_threeTokenQuery, oracle_threeTokenQuery] at h
  have h3 := add_left_cancel h
  have e1 := div_mul_cancel (S.exp (W 0 j)) (hpos W)
  have e2 := div_mul_cancel (S.exp (W' 0 j)) (hpos W')
  rw [h3] at e1
  obtain ⟨h4, h5⟩ := S.exp_add_inj h2 (a := W 0 j) (b := W 0 j + W' i.succ j) (c := W' 0 j)
    (e := W' 0 j + W i.succ j) (by
    rw [S.exp_add, S.exp_add]
    generalize S.exp (W' 0 j) / (S.exp (W' 0 j) + S.cast eleven * S.exp (W' i.succ j) + 1) = f at e1 e2
    lin_comb (-(S.exp (W' 0 j) + S.cast eleven * S.exp (W' i.succ j) + 1)) e1 +
      (S.exp (W 0 j) + S.cast eleven * S.exp (W i.succ j) + 1) e2)
  rw [h4] at h5
  exact ⟨h4, (Int.add_left_cancel h5).symm⟩

/-- **Three distinct tokens beat the bound `d²`.** If `exp 1 = 2`, then for every `d ≥ 2` there are `v ≠ 0` and a
program that returns the integer score matrix of every head `(W, v)` after `d² - d` queries with at most three
distinct tokens. -/
theorem three_tokens_beat_the_bound (h2 : S.exp 1 = 1 + 1) {d : Nat} (hd : 2 ≤ d) :
    ∃ (v : Vec K d) (p : QueryProgram (Query Int d) K (Mat Int d)), v ≠ 0 ∧ ∀ W : Mat Int d,
      p.run (S.oracle W v) = W ∧ (p.queries (S.oracle W v)).length + d = d * d ∧
        ∀ t ∈ p.queries (S.oracle W v), ∃ x y : Vec Int d, ∀ z ∈ t.1, z = x ∨ z = y ∨ z = t.2 := by
  cases d with
  | zero => exact absurd hd (Nat.not_succ_le_zero 1)
  | succ n =>
    have i₀ : Fin n := ⟨0, Nat.le_of_succ_le_succ hd⟩
    obtain ⟨p, hp⟩ := (haveI : Nonempty (Mat Int (n + 1)) := ⟨0⟩
      QueryProgram.exists_of_determines (fun W : Mat Int (n + 1) => S.oracle W (basis 0))
        ((List.finRange n).flatMap fun i => (List.finRange (n + 1)).map fun j => threeTokenQuery i j) fun W W' h => by
          have hij := fun i j => S.eq_of_oracle_eq h2 (h (threeTokenQuery i j) (List.mem_flatMap.mpr
            ⟨i, List.mem_finRange i, List.mem_map.mpr ⟨j, List.mem_finRange j, rfl⟩⟩))
          funext i j
          induction i using Fin.cases with
          | zero => exact (hij i₀ j).1
          | succ i => exact (hij i j).2)
    refine ⟨basis 0, p, fun h => zero_ne_one (K := K) ?_, fun W => ⟨(hp W).1, ?_, fun t ht => ?_⟩⟩
    · rw [← basis_self (0 : Fin (n + 1)), h]
      rfl
    · rw [(hp W).2, length_flatMap_const (n := n + 1) fun i => by rw [List.length_map, List.length_finRange],
        List.length_finRange, Nat.succ_mul]
    · rw [(hp W).2] at ht
      obtain ⟨i, -, hi⟩ := List.mem_flatMap.mp ht
      obtain ⟨j, -, rfl⟩ := List.mem_map.mp hi
      refine ⟨basis j + basis 0, basis j + basis i.succ, fun z hz => ?_⟩
      rcases List.mem_append.mp hz with hz | hz
      · exact .inl (List.mem_singleton.mp hz)
      · exact .inr (.inl (List.eq_of_mem_replicate hz))
end Semantics

/-- The restriction to two distinct tokens in `Semantics.optimality` cannot be dropped: in the base-2 semantics, for
every `d ≥ 2`, some program that knows some `v ≠ 0` identifies all score matrices with fewer than `d²` queries. -/
theorem three_tokens_base2 {d : Nat} (hd : 2 ≤ d) :
    ∃ (v : Vec Rational d) (p : QueryProgram (Query Int d) Rational (Mat Int d)), v ≠ 0 ∧ ∀ W : Mat Int d,
      p.run (base2.oracle W v) = W ∧ (p.queries (base2.oracle W v)).length < d * d ∧
        ∀ t ∈ p.queries (base2.oracle W v), ∃ x y : Vec Int d, ∀ z ∈ t.1, z = x ∨ z = y ∨ z = t.2 := by
  obtain ⟨v, p, hv, hp⟩ := base2.three_tokens_beat_the_bound (by decide) hd
  refine ⟨v, p, hv, fun W => ⟨(hp W).1, ?_, (hp W).2.2⟩⟩
  rw [← (hp W).2.1]
  exact Nat.lt_add_of_pos_right (Nat.lt_of_lt_of_le (Nat.succ_pos 1) hd)

end AttentionQueries
