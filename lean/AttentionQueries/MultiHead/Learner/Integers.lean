import AttentionQueries.Base2.Rational
import AttentionQueries.MultiHead.Learner.Congruent
import AttentionQueries.MultiHead.Learner.Spanning
import AttentionQueries.SingleHead.Kronecker

/-! # Every integer model is learnt by congruent directions

For integer tokens and score matrices the learner by congruent directions needs nothing but reduced heads: there is a
direction in which their scores are distinct, they are then distinct modulo every large number, and for a large modulus
no token asked is orthogonal to a value. So every model has directions and a modulus with which its canonical form is
returned, whatever its values, with `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions.

If the entries of the matrices and values are integers of absolute value at most `B`, one choice serves all models: the
directions start with `u₀ = (1, M, M², …)` and `q₀ = (1, L, L², …)`, where `M = 2 B + 1` and `L = M ^ (d + 1)`, in which
different matrices have different scores, and the modulus is larger than twice the largest score.

## Main definitions
- `Modulus.int k`: the modulus `k + 1` of the integers.
- `largestScore`: the largest score of an integer matrix with entries up to `B` in the direction `(u₀, q₀)`.

## Main statements
- `Semantics.exists_congruentPosition`: for reduced integer heads there are directions such that they are in congruent
  position modulo every large number; `Semantics.exists_congruentPosition_iff`: for reduced heads only.
- `Semantics.exists_learner_congruent`: every integer model with at most `N` heads is learnt by such a program.
- `Semantics.exists_uniform_directions`: directions for all reduced heads with entries of absolute value at most `B`;
  `Semantics.exists_uniform_learner`: so one program learns all such models.
- `Semantics.matrix_bound_needed`, `Semantics.value_bound_needed`: there are no such directions for all models.
-/

namespace AttentionQueries
open CommRing OrderedField

/-! ## integers modulo a number -/

/-- The modulus `k + 1` of the integers. -/
def Modulus.int (k : Nat) : Modulus Int where
  val := ((k + 1 : Nat) : Int)
  div s := if 0 ≤ s then ((s.natAbs / (k + 1) : Nat) : Int) else -((s.natAbs / (k + 1) : Nat) : Int)
  div_mul := fun x => by
    have hk : (0 : Int) < ((k + 1 : Nat) : Int) := Int.natCast_pos.mpr (Nat.succ_pos k)
    have e : (((k + 1 : Nat) : Int) * x).natAbs / (k + 1) = x.natAbs := by
      rw [Int.natAbs_mul, Int.natAbs_natCast, Nat.mul_div_cancel_left _ (Nat.succ_pos k)]
    rw [e]
    by_cases hx : 0 ≤ x
    · rw [if_pos (Int.mul_nonneg (Int.le_of_lt hk) hx), Int.natAbs_of_nonneg hx]
    · have hx := Int.not_le.mp hx
      rw [if_neg (Int.not_le.mpr (Int.mul_neg_of_pos_of_neg hk hx)), Int.ofNat_natAbs_of_nonpos (Int.le_of_lt hx),
        Int.neg_neg]

/-- A multiple of `k + 1` of absolute value at most `k` is zero. -/
private theorem eq_zero_of_multiple {k : Nat} {a x : Int} (h : a = ((k + 1 : Nat) : Int) * x) (ha : a.natAbs ≤ k) :
    a = 0 := by
  by_cases hx : x = 0
  · rw [h, hx, Int.mul_zero]
  · rw [h, Int.natAbs_mul, Int.natAbs_natCast] at ha
    exact absurd (Nat.le_trans (Nat.le_mul_of_pos_right (k + 1) (Int.natAbs_pos.mpr hx)) ha) (Nat.not_succ_le_self k)

private theorem eq_of_congr_int {k : Nat} {a b : Int} (h : (Modulus.int k).Congr a b) (hk : (a - b).natAbs ≤ k) :
    a = b := by
  obtain ⟨x, h⟩ := h
  refine Int.eq_of_sub_eq_zero (eq_zero_of_multiple (x := x) ?_ hk)
  rw [h]
  exact show b + ((k + 1 : Nat) : Int) * x - b = ((k + 1 : Nat) : Int) * x by ring

/-! ## integers of bounded absolute value -/

private theorem natAbs_le {a : Int} {b : Nat} (h : a ≤ b) (h' : -a ≤ b) : a.natAbs ≤ b := by
  rcases Int.natAbs_eq a with e | e
  · exact Int.ofNat_le.mp (by rw [← e]; exact h)
  · exact Int.ofNat_le.mp (by rwa [e, Int.neg_neg] at h')

private theorem le_of_natAbs_le {a : Int} {b : Nat} (h : a.natAbs ≤ b) : a ≤ b :=
  Int.le_trans Int.le_natAbs (Int.ofNat_le.mpr h)

private theorem neg_le_of_natAbs_le {a : Int} {b : Nat} (h : a.natAbs ≤ b) : -a ≤ b :=
  le_of_natAbs_le (by rwa [Int.natAbs_neg])

/-- The absolute value of a sum, by bounds on the summands. -/
theorem natAbs_add_le {a a' : Int} {b b' : Nat} (h : a.natAbs ≤ b) (h' : a'.natAbs ≤ b') :
    (a + a').natAbs ≤ b + b' := by
  refine natAbs_le ?_ ?_ <;> rw [Int.natCast_add]
  · exact Int.add_le_add (le_of_natAbs_le h) (le_of_natAbs_le h')
  · rw [Int.neg_add]
    exact Int.add_le_add (neg_le_of_natAbs_le h) (neg_le_of_natAbs_le h')

section
variable {d : Nat}
private theorem finSum_nonneg : ∀ {d : Nat} {v : Vec Int d}, (∀ i, 0 ≤ v i) → 0 ≤ finSum v
  | 0, _, _ => Int.le_refl 0
  | _ + 1, _, h => Int.add_nonneg (h 0) (finSum_nonneg fun i => h i.succ)

private theorem score_nonneg {W : Mat Int d} {u q : Vec Int d} (hW : ∀ i j, 0 ≤ W i j) (hu : ∀ i, 0 ≤ u i)
    (hq : ∀ i, 0 ≤ q i) : 0 ≤ score W u q :=
  finSum_nonneg fun i => Int.mul_nonneg (hu i) (finSum_nonneg fun j => Int.mul_nonneg (hW i j) (hq j))

private theorem score_le {W : Mat Int d} {u q : Vec Int d} {B : Nat} (hW : ∀ i j, W i j ≤ B) (hu : ∀ i, 0 ≤ u i)
    (hq : ∀ i, 0 ≤ q i) : score W u q ≤ score (fun _ _ => (B : Int)) u q := by
  refine Int.le_of_sub_nonneg ?_
  rw [← score_sub_mat]
  exact score_nonneg (fun i j => Int.sub_nonneg_of_le (hW i j)) hu hq

/-- The largest score of an integer matrix with entries of absolute value at most `B` in the direction `(u, q)` with
`u = (1, M, M², …)` and `q = (1, L, L², …)`, `M = 2 B + 1`, `L = M ^ (d + 1)`: that of the constant matrix. -/
def largestScore (B d : Nat) : Nat :=
  (score (fun _ _ => (B : Int)) (powers (2 * B + 1) d) (kroneckerToken (2 * B + 1) d)).toNat

private theorem powers_nonneg (M : Nat) (i : Fin d) : 0 ≤ powers M d i := Int.natCast_nonneg _

private theorem natAbs_score_le {W : Mat Int d} {B : Nat} (hW : ∀ i j, (W i j).natAbs ≤ B) :
    (score W (powers (2 * B + 1) d) (kroneckerToken (2 * B + 1) d)).natAbs ≤ largestScore B d := by
  have e : (largestScore B d : Int) = score (fun _ _ => (B : Int)) (powers (2 * B + 1) d)
      (kroneckerToken (2 * B + 1) d) :=
    Int.toNat_of_nonneg (score_nonneg (fun _ _ => Int.natCast_nonneg B) (powers_nonneg _) (powers_nonneg _))
  refine natAbs_le ?_ ?_ <;> rw [e]
  · exact score_le (fun i j => le_of_natAbs_le (hW i j)) (powers_nonneg _) (powers_nonneg _)
  · rw [← score_neg]
    exact score_le (fun i j => neg_le_of_natAbs_le (hW i j)) (powers_nonneg _) (powers_nonneg _)

private theorem score_injective {n B : Nat} {W W' : Mat Int (n + 1)} (hW : ∀ i j, (W i j).natAbs ≤ B)
    (hW' : ∀ i j, (W' i j).natAbs ≤ B)
    (h : score W (powers (2 * B + 1) (n + 1)) (kroneckerToken (2 * B + 1) (n + 1)) =
      score W' (powers (2 * B + 1) (n + 1)) (kroneckerToken (2 * B + 1) (n + 1))) : W = W' := by
  have e : kroneckerDirection (2 * B + 1) (0 : Fin (n + 1)) 0 = powers (2 * B + 1) (n + 1) := funext fun i => by
    show powers (2 * B + 1) (n + 1) i + ((0 * (2 * B + 1) ^ (n + 1) : Nat) : Int) * basis 0 i = _
    rw [Nat.zero_mul, Int.natCast_zero]
    exact (congrArg (_ + ·) (zero_mul _)).trans (add_zero _)
  have h1 := kroneckerDecode_score hW 0 (Nat.zero_le 1)
  have h2 := kroneckerDecode_score hW' 0 (Nat.zero_le 1)
  rw [e] at h1 h2
  rw [← h1, ← h2, h]

/-- the product with `(1, M, M², …)` is small, and vanishes only for the zero vector -/
private theorem small_product {n B : Nat} {z : Vec Int (n + 1)} (hz : ∀ i, (z i).natAbs ≤ B) :
    (finSum fun i => z i * powers (2 * B + 1) (n + 1) i).natAbs ≤ largestScore B (n + 1) ∧
      ((finSum fun i => z i * powers (2 * B + 1) (n + 1) i) = 0 → z = 0) := by
  constructor
  · have hW : ∀ i j, ((fun i j => z i * basis 0 j : Mat Int (n + 1)) i j).natAbs ≤ B := fun i j => by
      show (z i * basis 0 j).natAbs ≤ B
      rw [Int.natAbs_mul]
      by_cases hj : j = 0
      · rw [hj, basis_self]
        exact Nat.le_trans (Nat.le_of_eq (congrArg (_ * ·) Int.natAbs_one |>.trans (Nat.mul_one _))) (hz i)
      · rw [basis_ne hj]
        exact Nat.le_trans (Nat.le_of_eq (congrArg (_ * ·) Int.natAbs_zero |>.trans (Nat.mul_zero _)))
          (Nat.zero_le B)
    refine Nat.le_trans (Nat.le_of_eq (congrArg Int.natAbs (congrArg finSum (funext fun i => ?_))))
      (natAbs_score_le hW)
    have e : mulVec (fun i j => z i * basis 0 j : Mat Int (n + 1)) (kroneckerToken (2 * B + 1) (n + 1)) i = z i := by
      rw [mulVec, finSum_single 0 fun j hj => by rw [basis_ne hj]; ring, basis_self]
      show z i * 1 * (((2 * B + 1) ^ (n + 1 + 1)) ^ 0 : Nat) = z i
      rw [Nat.pow_zero, Int.natCast_one]
      exact (Int.mul_one _).trans (Int.mul_one _)
    rw [e]
    exact Int.mul_comm _ _
  · intro h
    have h0 := kroneckerDecodeVec_sum (a := (0 : Vec Int (n + 1))) (B := B) fun _ =>
      Nat.le_trans (Nat.le_of_eq Int.natAbs_zero) (Nat.zero_le B)
    rw [← kroneckerDecodeVec_sum hz, h, ← h0]
    exact congrArg _ (finSum_zero fun _ => Int.zero_mul _).symm
end

variable {K : Type} [OrderedField K] (S : Semantics Int K) {n : Nat}
namespace Semantics

/-! ## directions for given heads -/

omit [OrderedField K] in
private theorem eventually_incongruent {d : Nat} {G : List (Head Int K d)} {u q : Vec Int d}
    (h : G.Pairwise fun g g' => score g.W u q ≠ score g'.W u q) : Eventually fun k =>
      G.Pairwise fun g g' => ¬ (Modulus.int k).Congr (score g.W u q) (score g'.W u q) := by
  obtain ⟨N, hN⟩ := Eventually.list G fun g _ => Eventually.list G fun g' _ =>
    ⟨(score g.W u q - score g'.W u q).natAbs, fun k hk => hk⟩
  exact ⟨N, fun k hk => pairwise_mem h fun g hg g' hg' hne e => hne (eq_of_congr_int e (hN k hk g hg g' hg'))⟩

private theorem cast_int (k : Nat) : S.cast (Modulus.int k).val = natCast k + 1 := by
  show S.cast ((k + 1 : Nat) : Int) = _
  rw [← natCast_succ, ← S.cast_natCast]
  refine congrArg S.cast ?_
  generalize k + 1 = k
  induction k with
  | zero => exact Int.natCast_zero
  | succ k ih => rw [natCast_succ, ← ih]; exact Int.natCast_succ k

private theorem eventually_visible {G : List (Head Int K (n + 1))} {x : Fin (n + 1) → Vec Int (n + 1)}
    (h : ∀ g ∈ G, S.inner g.v (x 0) ≠ 0) : Eventually fun k =>
      ∀ i ∈ List.finRange (n + 1), ∀ g ∈ G, S.inner g.v ((Modulus.int k).tokens x i) ≠ 0 := by
  refine Eventually.list _ fun i _ => Eventually.list G fun g hg => ?_
  induction i using Fin.cases with
  | zero => exact ⟨0, fun _ _ => h g hg⟩
  | succ i =>
    have h0 : S.inner g.v (x 0) + S.inner g.v (x i.succ) ≠ 0 ∨ S.inner g.v (x i.succ) ≠ 0 := by
      by_cases e : S.inner g.v (x i.succ) = 0
      · exact .inl (by rw [e, add_zero]; exact h g hg)
      · exact .inr e
    obtain ⟨N, hN⟩ := eventually_ne h0
    refine ⟨N, fun k hk e => hN k hk ?_⟩
    have e : S.inner g.v (x 0 + smul (Modulus.int k).val (x i.succ)) = 0 := e
    rw [inner_add, inner_smul, cast_int] at e
    lin_comb (1) e

/-- **Directions in congruent position exist** for reduced integer heads, modulo every large number. -/
theorem exists_congruentPosition {G : List (Head Int K (n + 1))} (hr : Reduced G) :
    ∃ D : Directions Int n, Eventually fun k => S.CongruentPosition (Modulus.int k) D G := by
  classical
  obtain ⟨Ds, hDs⟩ : ∃ Ds, Ds = (G.flatMap fun g => G.map fun g' => g.W - g'.W).filter fun D => D ≠ 0 := ⟨_, rfl⟩
  obtain ⟨y, hy1, hy⟩ := S.sep_unit_mat Ds fun D hD => by
    rw [hDs] at hD
    exact of_decide_eq_true (List.mem_filter.mp hD).2
  obtain ⟨x, hx1, hx⟩ := S.sep_unit ((Ds.map fun D => S.castV (mulVec D y)) ++ G.map Head.v) (by
    intro w hw
    rcases List.mem_append.mp hw with hw | hw
    · obtain ⟨D, hD, rfl⟩ := List.mem_map.mp hw
      exact S.castV_ne (hy D hD)
    · obtain ⟨g, hg, rfl⟩ := List.mem_map.mp hw
      exact hr.ne_zero g hg)
  have hs : G.Pairwise fun g g' => score g.W x y ≠ score g'.W x y :=
    pairwise_mem hr.distinct fun g hg g' hg' hne e => by
      have hm : g.W - g'.W ∈ Ds := by
        rw [hDs]
        exact List.mem_filter.mpr ⟨List.mem_flatMap.mpr ⟨g, hg, List.mem_map.mpr ⟨g', hg', rfl⟩⟩,
          decide_eq_true fun h => hne (mat_eq_of_sub h)⟩
      refine hx _ (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨_, hm, rfl⟩))) ?_
      rw [inner_mulVec, score_sub_mat, e, sub_self, cast_zero]
  have hv : ∀ g ∈ G, S.inner g.v x ≠ 0 := fun g hg =>
    hx _ (List.mem_append.mpr (.inr (List.mem_map.mpr ⟨g, hg, rfl⟩)))
  obtain ⟨cu, hcu⟩ := unitFamily_span hx1 0
  obtain ⟨cq, hcq⟩ := unitFamily_span hy1 0
  obtain ⟨N, hN⟩ := Eventually.and (eventually_incongruent hs) (S.eventually_visible (x := unitFamily x 0) hv)
  exact ⟨⟨unitFamily x 0, unitFamily y 0, cu, cq, hcu, hcq⟩, N, fun k hk =>
    ⟨(hN k hk).1, fun i => (hN k hk).2 i (List.mem_finRange i)⟩⟩

/-- **When the program applies**: there are directions and a modulus with integer heads in congruent position if and
only if the heads are reduced. -/
theorem exists_congruentPosition_iff (G : List (Head Int K (n + 1))) :
    (∃ (D : Directions Int n) (k : Nat), S.CongruentPosition (Modulus.int k) D G) ↔ Reduced G :=
  ⟨fun ⟨_, _, h⟩ => h.reduced, fun h => (S.exists_congruentPosition h).elim fun D hD => ⟨D, hD.exists⟩⟩

/-- **Every integer model can be learnt by short sequences, whatever its values**: for every model whose canonical form
has `H ≤ N` heads there are directions and a modulus with which the program returns the canonical form, up to order,
with `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions, with contexts of at most `N` tokens. -/
theorem exists_learner_congruent [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (Int × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) {N : Nat} (L : List (Head Int K (n + 1))) (hlen : (canonical L).length ≤ N) :
    ∃ (D : Directions Int n) (k : Nat),
      ((S.learnCongruent dec (Modulus.int k) D N).run fun t => S.evalHeads L t.1 t.2).Perm (canonical L) ∧
      ((S.learnCongruent dec (Modulus.int k) D N).queries fun t => S.evalHeads L t.1 t.2).length =
        (n + 1) + (2 * N - 1) + (2 * (canonical L).length - 1) * ((n + 1) * (n + 1) - 1) ∧
      ∀ t ∈ (S.learnCongruent dec (Modulus.int k) D N).queries fun t => S.evalHeads L t.1 t.2, t.1.length ≤ N := by
  obtain ⟨D, hD⟩ := S.exists_congruentPosition (canonical_reduced L)
  obtain ⟨k, hk⟩ := hD.exists
  exact ⟨D, k, S.learnCongruent_canonical hdec hlen hk,
    S.learnCongruent_count hdec (fun t => (S.evalHeads_canonical L t.1 t.2).symm) hlen hk,
    S.learnCongruent_length _ hdec⟩

/-! ## directions for all heads of bounded size -/

/-- A vector of values whose entries are integers of absolute value at most `B`. -/
def IntegralUpTo (B : Nat) {d : Nat} (v : Vec K d) : Prop := ∀ i, ∃ z : Int, v i = S.cast z ∧ z.natAbs ≤ B

/-- Reduced heads whose entries are integers of absolute value at most `B` are in congruent position modulo every
number larger than twice the largest score, for all directions that start with `u₀ = (1, M, M², …)` and
`q₀ = (1, L, L², …)`, `M = 2 B + 1`, `L = M ^ (d + 1)`. -/
theorem congruentPosition_of_bounded {B k : Nat} {D : Directions Int n} (hu : D.u 0 = powers (2 * B + 1) (n + 1))
    (hq : D.q 0 = kroneckerToken (2 * B + 1) (n + 1)) (hk : 2 * largestScore B (n + 1) ≤ k)
    {G : List (Head Int K (n + 1))} (hr : Reduced G) (hW : ∀ g ∈ G, ∀ i j, (g.W i j).natAbs ≤ B)
    (hv : ∀ g ∈ G, S.IntegralUpTo B g.v) : S.CongruentPosition (Modulus.int k) D G where
  scores := pairwise_mem hr.distinct fun g hg g' hg' hne e => by
    rw [hu, hq] at e
    refine hne (score_injective (hW g hg) (hW g' hg') (eq_of_congr_int e (Nat.le_trans ?_ hk)))
    rw [Nat.two_mul (largestScore B (n + 1)), Int.sub_eq_add_neg]
    exact natAbs_add_le (natAbs_score_le (hW g hg)) (by rw [Int.natAbs_neg]; exact natAbs_score_le (hW g' hg'))
  visible := fun i g hg h => by
    obtain ⟨z, hz⟩ := Classical.axiomOfChoice (hv g hg)
    have hin : ∀ t : Vec Int (n + 1), S.inner g.v t = S.cast (finSum fun i => z i * t i) := fun t => by
      rw [cast_finSum, inner]
      exact congrArg finSum (funext fun i => by rw [S.cast_mul, (hz i).1])
    obtain ⟨hs, hs0⟩ := small_product fun i => (hz i).2
    -- a product that is a multiple of the modulus vanishes, and then so does the value
    have key : ∀ x, (finSum fun i => z i * powers (2 * B + 1) (n + 1) i) = ((k + 1 : Nat) : Int) * x → False :=
      fun x e => by
        have hz0 := hs0 (eq_zero_of_multiple e (Nat.le_trans hs (Nat.le_trans (Nat.le_mul_of_pos_left _
          (Nat.zero_lt_succ 1)) hk)))
        refine hr.ne_zero g hg (funext fun i => ?_)
        rw [(hz i).1, hz0]
        exact S.cast_zero
    induction i using Fin.cases with
    | zero =>
      have h : S.inner g.v (D.u 0) = 0 := h
      rw [hu, hin, ← S.cast_zero] at h
      exact key 0 ((S.cast_inj _ _ h).trans (Int.mul_zero _).symm)
    | succ i =>
      have h : S.inner g.v (D.u 0 + smul ((k + 1 : Nat) : Int) (D.u i.succ)) = 0 := h
      rw [inner_add, inner_smul, hu, hin, hin, ← S.cast_mul, ← S.cast_add, ← S.cast_zero] at h
      have h := S.cast_inj _ _ h
      exact key (-(finSum fun j => z j * D.u i.succ j)) (by lin_comb (1) h)

/-- **Directions for all models of bounded size**: for every `B` there are directions and a modulus such that all
reduced heads whose entries are integers of absolute value at most `B` are in congruent position. -/
theorem exists_uniform_directions (n B : Nat) : ∃ (D : Directions Int n) (k : Nat),
    ∀ G : List (Head Int K (n + 1)), Reduced G → (∀ g ∈ G, ∀ i j, (g.W i j).natAbs ≤ B) →
      (∀ g ∈ G, S.IntegralUpTo B g.v) → S.CongruentPosition (Modulus.int k) D G := by
  have h1 : ∀ M, powers M (n + 1) 0 = (1 : Int) := fun M => by
    show ((M ^ 0 : Nat) : Int) = 1
    rw [Nat.pow_zero]
    exact Int.natCast_one
  obtain ⟨cu, hcu⟩ := unitFamily_span (h1 (2 * B + 1)) 0
  obtain ⟨cq, hcq⟩ := unitFamily_span (h1 ((2 * B + 1) ^ (n + 1 + 1))) 0
  exact ⟨⟨unitFamily (powers (2 * B + 1) (n + 1)) 0, unitFamily (kroneckerToken (2 * B + 1) (n + 1)) 0,
    cu, cq, hcu, hcq⟩, 2 * largestScore B (n + 1), fun G => S.congruentPosition_of_bounded rfl rfl (Nat.le_refl _)⟩

/-- If the values of all heads are integers of absolute value at most `B`, those of `N` heads with the same matrix add
up to integers of absolute value at most `N B`. -/
theorem integral_total {B d : Nat} (W : Mat Int d) : ∀ {L : List (Head Int K d)},
    (∀ g ∈ L, S.IntegralUpTo B g.v) → S.IntegralUpTo (L.length * B) (total L W)
  | [], _ => fun i =>
    ⟨0, by rw [total_of_not_mem (H := []) fun _ h => (nomatch h)]; exact S.cast_zero.symm,
      Nat.le_trans (Nat.le_of_eq Int.natAbs_zero) (Nat.zero_le _)⟩
  | ⟨W', v⟩ :: L, h => fun i => by
    obtain ⟨z, hz, hb⟩ := integral_total W (fun g hg => h g (List.mem_cons_of_mem _ hg)) i
    rw [List.length_cons, Nat.succ_mul]
    by_cases e : W' = W
    · obtain ⟨z', hz', hb'⟩ := h _ List.mem_cons_self i
      refine ⟨z + z', ?_, natAbs_add_le hb hb'⟩
      rw [e, total_cons_self, vadd_app, hz, S.cast_add, show v i = S.cast z' from hz']
      ring
    · exact ⟨z, by rw [total_cons_of_ne e, hz], Nat.le_trans hb (Nat.le_add_right _ _)⟩

/-- **One program for all models of bounded size.** For all `N` and `B` there are directions and a modulus such that the
program returns, up to order, the canonical form of every model of at most `N` heads whose entries are integers of
absolute value at most `B`, with `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions, where `H` is the number of heads of the
canonical form. -/
theorem exists_uniform_learner [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (Int × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) (n N B : Nat) : ∃ (D : Directions Int n) (k : Nat),
    ∀ L : List (Head Int K (n + 1)), L.length ≤ N → (∀ g ∈ L, ∀ i j, (g.W i j).natAbs ≤ B) →
      (∀ g ∈ L, S.IntegralUpTo B g.v) →
      ((S.learnCongruent dec (Modulus.int k) D N).run fun t => S.evalHeads L t.1 t.2).Perm (canonical L) ∧
      ((S.learnCongruent dec (Modulus.int k) D N).queries fun t => S.evalHeads L t.1 t.2).length =
        (n + 1) + (2 * N - 1) + (2 * (canonical L).length - 1) * ((n + 1) * (n + 1) - 1) := by
  obtain ⟨D, k, h⟩ := S.exists_uniform_directions n ((N + 1) * B)
  have hB : B ≤ (N + 1) * B := Nat.le_mul_of_pos_left B (Nat.succ_pos N)
  refine ⟨D, k, fun L hlen hW hv => ?_⟩
  have hr := canonical_reduced L
  have hc : S.CongruentPosition (Modulus.int k) D (canonical L) := h _ hr (fun g hg i j => by
    obtain ⟨g', hg', e⟩ := mem_canonical hg
    rw [e]
    exact Nat.le_trans (hW g' hg' i j) hB) fun g hg i => by
    obtain ⟨z, hz, hb⟩ := S.integral_total g.W hv i
    rw [← total_canonical, total_of_mem hr.distinct hg] at hz
    exact ⟨z, hz, Nat.le_trans hb (Nat.mul_le_mul_right B (Nat.le_succ_of_le hlen))⟩
  have hl := Nat.le_trans (length_canonical_le L) hlen
  exact ⟨S.learnCongruent_canonical hdec hl hc,
    S.learnCongruent_count hdec (fun t => (S.evalHeads_canonical L t.1 t.2).symm) hl hc⟩

/-! ## a bound is needed for a uniform choice -/

/-- **A bound on the matrices is needed**: whatever the directions and the modulus, the reduced heads with the matrices
`0` and `(k + 1) (1)` and equal values are not in congruent position. -/
theorem matrix_bound_needed (D : Directions Int n) (k : Nat) {v : Vec K (n + 1)} (hv : v ≠ 0) :
    Reduced [⟨0, v⟩, (⟨fun _ _ => ((k + 1 : Nat) : Int), v⟩ : Head Int K (n + 1))] ∧
      ¬ S.CongruentPosition (Modulus.int k) D [⟨0, v⟩, ⟨fun _ _ => ((k + 1 : Nat) : Int), v⟩] := by
  refine ⟨⟨List.pairwise_cons.mpr ⟨fun g hg e => ?_, List.pairwise_cons.mpr ⟨fun _ h => (nomatch h), .nil⟩⟩,
    fun g hg => ?_⟩, fun h => (List.pairwise_cons.mp h.scores).1 _ List.mem_cons_self ?_⟩
  · rw [List.mem_singleton.mp hg] at e
    have e : (0 : Int) = ((k + 1 : Nat) : Int) := congrFun (congrFun e 0) 0
    have h : (0 : Int) < ((k + 1 : Nat) : Int) := Int.natCast_pos.mpr (Nat.succ_pos k)
    rw [← e] at h
    exact Int.lt_irrefl _ h
  · rcases List.mem_cons.mp hg with rfl | hg
    · exact hv
    · rw [List.mem_singleton.mp hg]; exact hv
  · refine Modulus.Congr.symm ⟨score (fun _ _ => 1) (D.u 0) (D.q 0), ?_⟩
    show score (fun _ _ => ((k + 1 : Nat) : Int)) (D.u 0) (D.q 0) = score 0 (D.u 0) (D.q 0) +
      ((k + 1 : Nat) : Int) * score (fun _ _ => 1) (D.u 0) (D.q 0)
    generalize ((k + 1 : Nat) : Int) = m
    have h0 : score (0 : Mat Int (n + 1)) (D.u 0) (D.q 0) = 0 := finSum_zero fun i => by
      rw [mulVec, finSum_zero fun j => ?_]
      · exact mul_zero _
      · exact zero_mul _
    rw [h0, zero_add, score, score, ← finSum_mul]
    refine congrArg finSum (funext fun i => ?_)
    rw [show mulVec (fun _ _ => m : Mat Int (n + 1)) (D.q 0) i = m * mulVec (fun _ _ => 1) (D.q 0) i by
      rw [mulVec, mulVec, ← finSum_mul]
      exact congrArg finSum (funext fun j => by ring)]
    ring

/-- **A bound on the values is needed**, in dimension at least `2`: whatever the directions and the modulus, some head
with an integer value vector, not zero, is not in congruent position. -/
theorem value_bound_needed (D : Directions Int (n + 1)) (k : Nat) (W : Mat Int (n + 2)) : ∃ z : Vec Int (n + 2), z ≠ 0 ∧
    ¬ S.CongruentPosition (Modulus.int k) D [⟨W, S.castV z⟩] := by
  have hz : ∃ z : Vec Int (n + 2), z ≠ 0 ∧ (finSum fun i => z i * D.u 0 i) = 0 := by
    by_cases h : D.u 0 0 = 0
    · refine ⟨basis 0, fun e => ?_, ?_⟩
      · have e : basis 0 0 = (0 : Int) := congrFun e 0
        rw [basis_self] at e
        exact absurd e (by decide)
      · rw [finSum_single 0 fun j hj => by rw [basis_ne hj, zero_mul], h, mul_zero]
    · refine ⟨Fin.cases (D.u 0 (Fin.succ 0)) (Fin.cases (-D.u 0 0) fun _ => 0), fun e => h ?_, ?_⟩
      · have e : -D.u 0 0 = 0 := congrFun e (Fin.succ 0)
        lin_comb (-1) e
      · rw [finSum_succ, finSum_succ]
        show D.u 0 (Fin.succ 0) * D.u 0 0 + (-D.u 0 0 * D.u 0 (Fin.succ 0) +
          finSum fun i : Fin n => 0 * D.u 0 i.succ.succ) = 0
        rw [finSum_zero fun i => zero_mul _]
        ring
  obtain ⟨z, hz, h0⟩ := hz
  refine ⟨z, hz, fun h => h.visible 0 _ List.mem_cons_self ?_⟩
  show S.inner (S.castV z) (D.u 0) = 0
  rw [← S.cast_zero, ← h0, cast_finSum, inner]
  exact congrArg finSum (funext fun i => (S.cast_mul _ _).symm)
end Semantics

end AttentionQueries
