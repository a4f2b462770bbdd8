import AttentionQueries.Algebra.Field
import AttentionQueries.LowRank.Rank

/-! # Wedderburn's rank reduction

A probe `uᵀ W w ≠ 0` splits off one outer product: `W - (W w)(uᵀ W) / (uᵀ W w)` has a rank smaller by one. After `r`
successful probes of a matrix of rank `r` nothing is left, and the outer products split off add up to the matrix.

## Main definitions

* `deflate W u w`: what remains of `W` after one step.
* `residual W ps`, `terms W ps`, `Pivots W ps`: what remains after the probes `ps`, the outer products split off, and
  that all probes are successful.
* `RankEq r W`: the rank of `W` is exactly `r`.

## Main statements

* `wedderburn`: a successful probe lowers the bound of the rank by one. `deflate_of_form_zero`: it must be successful.
* `recovery`: after `r` successful probes of a matrix of rank at most `r` the outer products add up to it.
* `stopping`, `rank_exact`: without a bound, a run is complete iff the residual vanishes; then it reads off the rank.
* `exists_run`, `exists_rankEq`: complete runs exist, with probes by basis vectors; so every matrix has a rank.

## References

* J. H. M. Wedderburn, *Lectures on Matrices*, 1934.
-/

namespace AttentionQueries
open CommRing OrderedField Matrix

namespace LowRank
variable {K : Type} [Field K] {m n : Nat}
/-! ## Wedderburn's step -/

/-- Wedderburn's step: `W - (W w)(uᵀ W) / (uᵀ W w)`. -/
def deflate (W : RectMat K m n) (u : Vec K m) (w : Vec K n) : RectMat K m n := fun i j =>
  W i j - col W w i * row W u j * (form W u w)⁻¹

/-- `R' w'` for the matrix `R'` after a step. -/
theorem col_deflate (W : RectMat K m n) (u : Vec K m) (w w' : Vec K n) (i : Fin m) :
    col (deflate W u w) w' i = col W w' i - col W w i * form W u w' * (form W u w)⁻¹ := by
  have h : ∀ j, deflate W u w i j * w' j = W i j * w' j - col W w i * (form W u w)⁻¹ * (row W u j * w' j) := fun j => by
    rw [deflate]; ring
  rw [col, finSum_congr h, finSum_sub, finSum_mul, ← form_row, ← col]; ring

/-- `u'ᵀ R'` for the matrix `R'` after a step. -/
theorem row_deflate (W : RectMat K m n) (u u' : Vec K m) (w : Vec K n) (j : Fin n) :
    row (deflate W u w) u' j = row W u' j - form W u' w * row W u j * (form W u w)⁻¹ := by
  have h : ∀ i, u' i * deflate W u w i j = u' i * W i j - row W u j * (form W u w)⁻¹ * (u' i * col W w i) := fun i => by
    rw [deflate]; ring
  rw [row, finSum_congr h, finSum_sub, finSum_mul, ← row, ← form]; ring

/-- A successful probe annihilates the residual from the right: `R' w = 0`. -/
theorem col_deflate_self {W : RectMat K m n} {u : Vec K m} {w : Vec K n} (ha : form W u w ≠ 0) :
    col (deflate W u w) w = 0 :=
  funext fun i => by
    rw [col_deflate, vzero_app]
    lin_comb (-col W w i) (Field.mul_inv _ ha)

/-- A successful probe annihilates the residual from the left: `uᵀ R' = 0`. -/
theorem row_deflate_self {W : RectMat K m n} {u : Vec K m} {w : Vec K n} (ha : form W u w ≠ 0) :
    row (deflate W u w) u = 0 :=
  funext fun j => by
    rw [row_deflate, vzero_app]
    lin_comb (-row W u j) (Field.mul_inv _ ha)

/-- Earlier probes keep annihilating the residual from the right. -/
theorem col_deflate_of_zero {W : RectMat K m n} {w' : Vec K n} (h : col W w' = 0) (u : Vec K m) (w : Vec K n) :
    col (deflate W u w) w' = 0 := funext fun i => by
  rw [col_deflate, form, finSum_zero fun i => by rw [h, vzero_app, mul_zero], h, vzero_app]; ring

/-- Earlier probes keep annihilating the residual from the left. -/
theorem row_deflate_of_zero {W : RectMat K m n} {u' : Vec K m} (h : row W u' = 0) (u : Vec K m) (w : Vec K n) :
    row (deflate W u w) u' = 0 := funext fun j => by
  rw [row_deflate, form_row, finSum_zero fun i => by rw [h, vzero_app, zero_mul], h, vzero_app]; ring

/-- **Wedderburn**: a successful probe lowers the rank bound by one. -/
theorem wedderburn {r : Nat} {W : RectMat K m n} (h : RankLE (r + 1) W) {u : Vec K m} {w : Vec K n}
    (ha : form W u w ≠ 0) : RankLE r (deflate W u w) := by
  obtain ⟨l, hl, rfl⟩ := h
  -- move a term `p` with `uᵀ p.1 ≠ 0` to the front
  obtain ⟨p, hp, hne⟩ := listSum_exists_ne (by rw [form_osum] at ha; exact ha)
  obtain ⟨l', hperm⟩ := perm_of_mem hp
  rw [List.Perm.length_eq hperm, List.length_cons] at hl
  have hx : (finSum fun i => u i * p.1 i) ≠ 0 := fun e => hne (by rw [e, zero_mul])
  rw [osum_perm hperm] at ha ⊢
  generalize hX : (fun p : Vec K m × Vec K n => finSum fun i => u i * p.1 i) = X at *
  generalize hY : (fun p : Vec K m × Vec K n => finSum fun j => p.2 j * w j) = Y at *
  have hXp : ∀ p : Vec K m × Vec K n, (finSum fun i => u i * p.1 i) = X p := fun p => congrFun hX p
  have hYp : ∀ p : Vec K m × Vec K n, (finSum fun j => p.2 j * w j) = Y p := fun p => congrFun hY p
  generalize ha' : form (osum (p :: l')) u w = a at *
  generalize hρ : row (osum (p :: l')) u = ρ at *
  refine ⟨l'.map fun t => (fun i => t.1 i - X t * (X p)⁻¹ * p.1 i, fun j => t.2 j - Y t * a⁻¹ * ρ j),
    by rw [List.length_map]; exact Nat.succ.inj hl, funext fun i => funext fun j => ?_⟩
  have e1 : osum (p :: l') i j = p.1 i * p.2 j + listSum l' fun t => t.1 i * t.2 j := rfl
  have e2 : col (osum (p :: l')) w i = p.1 i * Y p + listSum l' fun t => t.1 i * Y t := by
    rw [col_osum, listSum_cons]; simp only [hYp]
  have e3 : ρ j = X p * p.2 j + listSum l' fun t => X t * t.2 j := by
    rw [← hρ, row_osum, listSum_cons]; simp only [hXp]
  have e4 : a = X p * Y p + listSum l' fun t => X t * Y t := by
    rw [← ha', form_osum, listSum_cons]; simp only [hXp, hYp]
  have e5 : osum (l'.map fun t => (fun i => t.1 i - X t * (X p)⁻¹ * p.1 i, fun j => t.2 j - Y t * a⁻¹ * ρ j)) i j =
      (listSum l' fun t => t.1 i * t.2 j) + (-(a⁻¹ * ρ j)) * (listSum l' fun t => t.1 i * Y t) +
      (-((X p)⁻¹ * p.1 i)) * (listSum l' fun t => X t * t.2 j) +
      (X p)⁻¹ * p.1 i * (a⁻¹ * ρ j) * (listSum l' fun t => X t * Y t) := by
    rw [← listSum_mul, ← listSum_mul, ← listSum_mul, ← listSum_add, ← listSum_add, ← listSum_add, osum, listSum_map]
    exact listSum_congr fun t _ => by ring
  rw [deflate, ha', hρ, e1, e2, e5]
  rw [hXp] at hx
  have h1 := Field.mul_inv _ hx
  have h2 := Field.mul_inv _ ha
  generalize (listSum l' fun t => t.1 i * t.2 j) = S1 at *
  generalize (listSum l' fun t => t.1 i * Y t) = S2 at *
  generalize (listSum l' fun t => X t * t.2 j) = S3 at *
  generalize (listSum l' fun t => X t * Y t) = S4 at *
  generalize (X p)⁻¹ = xi at *
  generalize a⁻¹ = ai at *
  generalize X p = x at *
  generalize Y p = y at *
  generalize p.1 i = s at *
  generalize p.2 j = t at *
  generalize ρ j = z at *
  lin_comb (xi * s * z * ai) e4 + (-(xi * s)) e3 + (s * y * z * ai - s * t) h1 + (-(xi * s * z)) h2

/-- `form W u w ≠ 0` cannot be dropped in `wedderburn`: with `0⁻¹ = 0`, a probe without success changes nothing. -/
theorem deflate_of_form_zero (h0 : (0 : K)⁻¹ = 0) {W : RectMat K m n} {u : Vec K m} {w : Vec K n}
    (ha : form W u w = 0) : deflate W u w = W := funext fun i => funext fun j => by
  rw [deflate, ha, h0]; ring

/-! ## Runs of the reduction -/

/-- What remains of `W` after the probes `ps`. -/
def residual (W : RectMat K m n) : List (Vec K m × Vec K n) → RectMat K m n
  | [] => W
  | p :: ps => residual (deflate W p.1 p.2) ps

/-- The outer products split off by the probes `ps`. -/
def terms (W : RectMat K m n) : List (Vec K m × Vec K n) → List (Vec K m × Vec K n)
  | [] => []
  | p :: ps => (fun i => col W p.2 i * (form W p.1 p.2)⁻¹, row W p.1) :: terms (deflate W p.1 p.2) ps

/-- All probes are successful: their pivots are not zero. -/
def Pivots (W : RectMat K m n) : List (Vec K m × Vec K n) → Prop
  | [] => True
  | p :: ps => form W p.1 p.2 ≠ 0 ∧ Pivots (deflate W p.1 p.2) ps

/-- Each probe splits off one outer product. -/
theorem length_terms (W : RectMat K m n) (ps : List (Vec K m × Vec K n)) : (terms W ps).length = ps.length := by
  induction ps generalizing W with
  | nil => rfl
  | cons p ps ih => rw [terms, List.length_cons, ih, List.length_cons]
/-- `W` is the sum of the extracted terms and the residual. -/
theorem decomposition (W : RectMat K m n) (ps : List (Vec K m × Vec K n)) (i : Fin m) (j : Fin n) :
    W i j = osum (terms W ps) i j + residual W ps i j := by
  induction ps generalizing W with
  | nil => exact (zero_add _).symm
  | cons p ps ih =>
    have h := ih (deflate W p.1 p.2)
    rw [deflate] at h
    show W i j = col W p.2 i * (form W p.1 p.2)⁻¹ * row W p.1 j + osum (terms (deflate W p.1 p.2) ps) i j +
      residual (deflate W p.1 p.2) ps i j
    lin_comb (1) h

/-- If nothing remains, the outer products split off add up to the matrix. -/
private theorem eq_terms {W : RectMat K m n} {ps : List (Vec K m × Vec K n)} (h : residual W ps = 0) :
    W = osum (terms W ps) :=
  funext fun i => funext fun j => by rw [decomposition W ps i j, h]; exact add_zero _
/-- **At most `r` successful steps**, and each lowers the rank bound. -/
theorem rankLE_residual {r : Nat} {W : RectMat K m n} (h : RankLE r W) {ps : List (Vec K m × Vec K n)}
    (hp : Pivots W ps) :
    ps.length ≤ r ∧ RankLE (r - ps.length) (residual W ps) := by
  induction ps generalizing W r with
  | nil => exact ⟨Nat.zero_le _, h⟩
  | cons p ps ih =>
    cases r with
    | zero => exact absurd (by rw [rankLE_zero.mp h, form_zero]) hp.1
    | succ r =>
      obtain ⟨h1, h2⟩ := ih (wedderburn h hp.1) hp.2
      rw [List.length_cons, Nat.add_sub_add_right]
      exact ⟨Nat.succ_le_succ h1, h2⟩
/-- **After `r` successful steps** the residual is zero, and `W` is the sum of the extracted terms. -/
theorem recovery {r : Nat} {W : RectMat K m n} (h : RankLE r W) {ps : List (Vec K m × Vec K n)} (hp : Pivots W ps)
    (hr : ps.length = r) : residual W ps = 0 ∧ W = osum (terms W ps) := by
  have h2 := (rankLE_residual h hp).2
  rw [hr, Nat.sub_self, rankLE_zero] at h2
  exact ⟨h2, eq_terms h2⟩
/-- **Stopping rule**, without a rank bound: all basis probes of the residual vanish. -/
theorem stopping {W : RectMat K m n} {ps : List (Vec K m × Vec K n)}
    (h : ∀ i j, form (residual W ps) (basis i) (basis j) = 0) : residual W ps = 0 ∧ W = osum (terms W ps) :=
  have h0 := (eq_zero_iff_basis _).mpr h
  ⟨h0, eq_terms h0⟩

/-- **The rank is read off**: a run with successful probes that leaves nothing has as many steps as the rank. -/
theorem rank_exact {W : RectMat K m n} {ps : List (Vec K m × Vec K n)} (hp : Pivots W ps)
    (h0 : residual W ps = 0) (r : Nat) :
    RankLE r W ↔ ps.length ≤ r :=
  ⟨fun h => (rankLE_residual h hp).1, fun h => RankLE.mono h ⟨_, length_terms W ps, eq_terms h0⟩⟩

/-- Probes by basis vectors: the steps read entries of the residuals. -/
def basisProbes (l : List (Fin m × Fin n)) : List (Vec K m × Vec K n) := l.map fun p => (basis p.1, basis p.2)
/-- **A complete run exists**, with basis probes. -/
theorem exists_run {r : Nat} {W : RectMat K m n} (h : RankLE r W) :
    ∃ l : List (Fin m × Fin n), l.length ≤ r ∧ Pivots W (basisProbes l) ∧ residual W (basisProbes l) = 0 := by
  induction r generalizing W with
  | zero => exact ⟨[], Nat.le_refl _, True.intro, rankLE_zero.mp h⟩
  | succ r ih =>
    by_cases h0 : W = 0
    · exact ⟨[], Nat.zero_le _, True.intro, h0⟩
    · obtain ⟨i, hi⟩ := exists_ne_zero h0
      obtain ⟨j, hij⟩ := exists_ne_zero hi
      have ha : form W (basis i) (basis j) ≠ 0 := by rw [form_basis]; exact hij
      obtain ⟨l, hl, hp, hz⟩ := ih (wedderburn h ha)
      exact ⟨(i, j) :: l, Nat.succ_le_succ hl, ⟨ha, hp⟩, hz⟩

/-- The rank of `W` is exactly `r`. -/
def RankEq {m n : Nat} (r : Nat) (W : RectMat K m n) : Prop := RankLE r W ∧ ∀ s, RankLE s W → r ≤ s
/-- Every matrix has a rank. -/
theorem exists_rankEq (W : RectMat K m n) : ∃ k, RankEq k W := by
  obtain ⟨l, -, hp, h0⟩ := exists_run (rankLE_rows W)
  exact ⟨_, (rank_exact hp h0 _).mpr (Nat.le_refl _), fun s hs => (rank_exact hp h0 s).mp hs⟩

/-- A matrix of rank `r` has a run of `r` successful probes by basis vectors. -/
theorem RankEq.run {m n r : Nat} {W : RectMat K m n} (h : RankEq r W) :
    ∃ l : List (Fin m × Fin n), l.length = r ∧ Pivots W (basisProbes l) := by
  obtain ⟨l, hl, hp, h0⟩ := exists_run h.1
  have hlen : (basisProbes l : List (Vec K m × Vec K n)).length = l.length := List.length_map ..
  exact ⟨l, Nat.le_antisymm hl (h.2 _ ((rank_exact hp h0 _).mpr (Nat.le_of_eq hlen))), hp⟩
end LowRank

end AttentionQueries
