import AttentionQueries.MultiHead.FiniteTest

/-! # Tokens that avoid hyperplanes and still span

A token `x` with first coordinate `1` spans, together with the basis vectors moved by multiples of it, without any
division; and such tokens avoid finitely many hyperplanes. This is how directions in general position are found.

## Main definitions
- `unitFamily`: the tokens `x, e₁ + c₁ x, …, eₙ + cₙ x`.

## Main statements
- `unitFamily_span`: they span if the first coordinate of `x` is `1`.
- `Semantics.sep_unit`, `Semantics.sep_unit_mat`: separation by a token with first coordinate `1`.
-/

namespace AttentionQueries
open CommRing OrderedField

/-- A relation between neighbours may be replaced by one that follows from it for members of the list. -/
theorem pairwise_mem {α : Type} {P Q : α → α → Prop} : ∀ {l : List α}, l.Pairwise P →
    (∀ a ∈ l, ∀ b ∈ l, P a b → Q a b) → l.Pairwise Q
  | [], _, _ => .nil
  | a :: l, h, hi => by
    rw [List.pairwise_cons] at h ⊢
    exact ⟨fun b hb => hi a List.mem_cons_self b (List.mem_cons_of_mem a hb) (h.1 b hb),
      pairwise_mem h.2 fun b hb c hc => hi b (List.mem_cons_of_mem a hb) c (List.mem_cons_of_mem a hc)⟩
/-- A symmetric relation between all pairs of a list holds between any two different members. -/
theorem of_pairwise_ne {α : Type} {P : α → α → Prop} (hP : ∀ a b, P a b → P b a) : ∀ {l : List α}, l.Pairwise P →
    ∀ a ∈ l, ∀ b ∈ l, a ≠ b → P a b
  | c :: l, h, a, ha, b, hb, hne => by
    rw [List.pairwise_cons] at h
    rcases List.mem_cons.mp ha with ea | ha'
    · rcases List.mem_cons.mp hb with eb | hb'
      · exact absurd (ea.trans eb.symm) hne
      · rw [ea]; exact h.1 b hb'
    · rcases List.mem_cons.mp hb with eb | hb'
      · rw [eb]; exact hP _ _ (h.1 a ha')
      · exact of_pairwise_ne hP h.2 a ha' b hb' hne

/-! ## directions from one token -/
section
variable {R : Type} [CommRing R] {n : Nat}
private theorem basis_succ_zero (i : Fin n) : basis i.succ 0 = (0 : R) := basis_ne (Fin.succ_ne_zero i).symm
private theorem basis_zero_succ (i : Fin n) : basis 0 i.succ = (0 : R) := basis_ne (Fin.succ_ne_zero i)
private theorem basis_succ_succ (i j : Fin n) : basis i.succ j.succ = (basis j i : R) := by
  by_cases h : j = i
  · rw [h, basis_self, basis_self]
  · rw [basis_ne (fun e => h (Fin.succ_inj.mp e)), basis_ne fun e => h e.symm]

/-- The tokens `x, e₁ + c₁ x, …, eₙ + cₙ x`. -/
def unitFamily (x : Vec R (n + 1)) (c : Vec R n) : Fin (n + 1) → Vec R (n + 1) :=
  Fin.cases x fun i => basis i.succ + smul (c i) x
/-- The tokens `x, e₁ + c₁ x, …, eₙ + cₙ x` span, without division, if the first coordinate of `x` is `1`. -/
theorem unitFamily_span {x : Vec R (n + 1)} (hx : x 0 = 1) (c : Vec R n) :
    ∃ cu : Mat R (n + 1), ∀ a, (fun b => finSum fun i => cu a i * unitFamily x c i b) = basis a := by
  have hsum : ∀ (w : Vec R n) (b : Fin (n + 1)), (finSum fun i => w i * unitFamily x c i.succ b) =
      (finSum fun i => w i * basis i.succ b) + (finSum fun i => w i * c i) * x b := fun w b => by
    rw [mul_comm _ (x b), ← finSum_mul, ← finSum_add]
    refine congrArg finSum (funext fun i => ?_)
    show w i * (basis i.succ b + c i * x b) = _
    ring
  have hb : ∀ (w : Vec R n) (k : Fin n), (finSum fun i => w i * basis i.succ k.succ) = w k := fun w k => by
    rw [← finSum_basis_mul k w]
    refine congrArg finSum (funext fun i => ?_)
    rw [basis_succ_succ, mul_comm]
  have h0 : ∀ (w : Vec R n), (finSum fun i => w i * basis i.succ 0) = 0 := fun w =>
    finSum_zero fun i => by rw [basis_succ_zero, mul_zero]
  refine ⟨fun a => Fin.cases (Fin.cases (1 + finSum fun i => x i.succ * c i) (fun i => -x i.succ))
    (fun k => Fin.cases (-c k) (fun i => basis k i)) a, fun a => funext fun b => ?_⟩
  rw [finSum_succ]
  induction a using Fin.cases with
  | zero =>
    show (1 + finSum fun i => x i.succ * c i) * x b + (finSum fun i => -x i.succ * unitFamily x c i.succ b) = basis 0 b
    rw [hsum, show (finSum fun i => -x i.succ * c i) = -1 * finSum fun i => x i.succ * c i from by
      rw [← finSum_mul]; exact congrArg finSum (funext fun i => by ring)]
    induction b using Fin.cases with
    | zero => rw [h0, basis_self, hx]; ring
    | succ k => rw [hb, basis_zero_succ]; ring
  | succ k =>
    show -c k * x b + (finSum fun i => basis k i * unitFamily x c i.succ b) = basis k.succ b
    rw [hsum, finSum_basis_mul k fun i => basis i.succ b, finSum_basis_mul]
    ring
end

/-- Two properties that hold eventually hold together eventually. -/
theorem Eventually.and {P Q : Nat → Prop} (h : Eventually P) (h' : Eventually Q) : Eventually fun t => P t ∧
    Q t := by
  obtain ⟨N, hN⟩ := h
  obtain ⟨M, hM⟩ := h'
  exact ⟨max N M, fun t ht => ⟨hN t (Nat.max_le.mp ht).1, hM t (Nat.max_le.mp ht).2⟩⟩

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {n : Nat}
namespace Semantics

/-- `⟨v - w, x⟩ = ⟨v, x⟩ - ⟨w, x⟩`. -/
theorem sub_inner {d : Nat} (v w : Vec K d) (x : Vec R d) : S.inner (v - w) x = S.inner v x - S.inner w x := by
  have h := S.add_inner (v - w) w x
  rw [show v - w + w = v from funext fun i => by rw [vadd_app, vsub_app]; ring] at h
  lin_comb (-1) h

/-- **Separation by a token with first coordinate `1`**: finitely many nonzero functionals are nonzero on such a
token. -/
theorem sep_unit (l : List (Vec K (n + 1))) (h : ∀ w ∈ l, w ≠ 0) :
    ∃ u : Vec R (n + 1), u 0 = 1 ∧ ∀ w ∈ l, S.inner w u ≠ 0 := by
  induction l with
  | nil => exact ⟨basis 0, basis_self 0, fun _ hw => nomatch hw⟩
  | cons w l ih =>
    obtain ⟨u, hu1, hu⟩ := ih fun w' hw' => h w' (List.mem_cons_of_mem w hw')
    by_cases hw : S.inner w u = 0
    · obtain ⟨p, hp⟩ : ∃ p : Fin n, w p.succ ≠ 0 := by
        apply Classical.byContradiction
        intro hn
        have hz : ∀ p : Fin n, w p.succ = 0 := fun p => Classical.byContradiction fun hp => hn ⟨p, hp⟩
        refine h w List.mem_cons_self (funext fun i => ?_)
        induction i using Fin.cases with
        | zero =>
          rw [inner, finSum_succ, hu1, S.cast_one, mul_one, finSum_zero fun i => by rw [hz, zero_mul], add_zero] at hw
          exact hw
        | succ p => exact hz p
      have hev : ∀ w' ∈ w :: l, Eventually fun t => S.inner w' u + natCast t * S.inner w' (basis p.succ) ≠ 0 := by
        intro w' hw'
        apply eventually_ne
        rcases List.mem_cons.mp hw' with rfl | hw'
        · exact .inr (by rw [inner_basis]; exact hp)
        · exact .inl (hu w' hw')
      obtain ⟨t, ht⟩ := (Eventually.list _ hev).exists
      refine ⟨u + smul (natCast t) (basis p.succ), ?_, fun w' hw' => ?_⟩
      · show u 0 + natCast t * basis p.succ 0 = 1
        rw [basis_succ_zero, mul_zero, add_zero, hu1]
      · rw [inner_add, inner_smul, cast_natCast]
        exact ht w' hw'
    · refine ⟨u, hu1, fun w' hw' => ?_⟩
      rcases List.mem_cons.mp hw' with rfl | hw'
      · exact hw
      · exact hu w' hw'

include S in
/-- Finitely many nonzero matrices do not annihilate a common token with first coordinate `1`. -/
theorem sep_unit_mat (l : List (Mat R (n + 1))) (h : ∀ W ∈ l, W ≠ 0) :
    ∃ q : Vec R (n + 1), q 0 = 1 ∧ ∀ W ∈ l, mulVec W q ≠ 0 := by
  have hrow : ∀ W : Mat R (n + 1), ∃ i, W ≠ 0 → W i ≠ 0 := fun W => by
    by_cases hW : W = 0
    · exact ⟨0, fun h => absurd hW h⟩
    · obtain ⟨i, hi⟩ := exists_ne_zero hW
      exact ⟨i, fun _ => hi⟩
  obtain ⟨row, hrow⟩ := Classical.axiomOfChoice hrow
  obtain ⟨q, hq1, hq⟩ := S.sep_unit (l.map fun W => S.castV (W (row W))) (by
    intro w hw
    obtain ⟨W, hW, rfl⟩ := List.mem_map.mp hw
    exact S.castV_ne (hrow W (h W hW)))
  refine ⟨q, hq1, fun W hW e => hq _ (List.mem_map.mpr ⟨W, hW, rfl⟩) ?_⟩
  rw [inner_row, e, vzero_app, cast_zero]

/-! ## scores as values -/
/-- Scores, cast, are additive in the token. -/
theorem cast_score_add (W : Mat R (n + 1)) (x y q : Vec R (n + 1)) :
    S.cast (score W (x + y) q) = S.cast (score W x q) + S.cast (score W y q) := by rw [score_add, S.cast_add]
/-- The score, cast, at `x + t y`. -/
theorem cast_score_step (W : Mat R (n + 1)) (x y q : Vec R (n + 1)) (t : Nat) :
    S.cast (score W (x + smul (natCast t) y) q) = S.cast (score W x q) + natCast t * S.cast (score W y q) := by
  rw [score_add, score_smul, S.cast_add, S.cast_mul, cast_natCast]
/-- The score, cast, for the query `q + t r`. -/
theorem cast_score_step_right (W : Mat R (n + 1)) (x q r : Vec R (n + 1)) (t : Nat) :
    S.cast (score W x (q + smul (natCast t) r)) = S.cast (score W x q) + natCast t * S.cast (score W x r) := by
  have h : ∀ i, mulVec W (q + smul (natCast t) r) i = mulVec W q i + natCast t * mulVec W r i := fun i => by
    rw [mulVec, mulVec, mulVec, ← finSum_mul, ← finSum_add]
    refine congrArg finSum (funext fun j => ?_)
    rw [vadd_app, smul]; ring
  have e : score W x (q + smul (natCast t) r) = score W x q + natCast t * score W x r := by
    rw [score, score, score, ← finSum_mul, ← finSum_add]
    refine congrArg finSum (funext fun i => ?_)
    rw [h]; ring
  rw [e, S.cast_add, S.cast_mul, cast_natCast]
end Semantics

end AttentionQueries
