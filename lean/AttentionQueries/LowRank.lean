import AttentionQueries.MultiHead.FiniteTest

/-! # Low rank: Wedderburn's rank reduction, recovery from a cross of entries, the factor gauge -/

namespace AttentionQueries
open CommRing OrderedField

/-- a field, without an order (`0⁻¹` is arbitrary) -/
class Field (K : Type) extends CommRing K, Inv K where
  mul_inv : ∀ a : K, a ≠ 0 → a * a⁻¹ = 1
  zero_ne_one : (0 : K) ≠ 1
instance (priority := low) {K : Type} [i : OrderedField K] : Field K := { i with }

/-- `m × n` matrices -/
abbrev RectMat (R : Type) (m n : Nat) := Fin m → Fin n → R

section sums
variable {R α : Type} [CommRing R]
theorem finSum_congr {d : Nat} {v w : Vec R d} (h : ∀ i, v i = w i) : finSum v = finSum w := congrArg finSum (funext h)
theorem finSum_mul_right {d : Nat} (c : R) (v : Vec R d) : finSum (fun i => v i * c) = finSum v * c := by
  rw [mul_comm, ← finSum_mul]; exact finSum_congr fun i => mul_comm _ _
theorem finSum_sub {d : Nat} (v w : Vec R d) : finSum (fun i => v i - w i) = finSum v - finSum w := by
  have h := finSum_add (fun i => v i - w i) w
  rw [finSum_congr (w := v) fun i => by ring] at h
  lin_comb (-1) h
theorem finSum_comm {m n : Nat} (f : Fin m → Fin n → R) :
    finSum (fun i => finSum fun j => f i j) = finSum fun j => finSum fun i => f i j := by
  induction m with
  | zero => exact (finSum_zero fun _ => rfl).symm
  | succ m ih => simp only [finSum_succ, ih fun i j => f i.succ j, finSum_add]
theorem listSum_fsum {d : Nat} (l : List α) (f : α → Fin d → R) :
    listSum l (fun a => finSum fun i => f a i) = finSum fun i => listSum l fun a => f a i := by
  induction l with
  | nil => exact (finSum_zero fun _ => rfl).symm
  | cons a l ih => simp only [listSum_cons, ih, finSum_add]
theorem listSum_mul_right (c : R) (l : List α) (f : α → R) : listSum l (fun a => f a * c) = listSum l f * c := by
  rw [mul_comm, ← listSum_mul]; exact listSum_congr fun a _ => mul_comm _ _
theorem listSum_exists_ne {l : List α} {f : α → R} (h : listSum l f ≠ 0) : ∃ a ∈ l, f a ≠ 0 := by
  apply Classical.byContradiction
  intro hn
  exact h (listSum_zero fun a ha => Classical.byContradiction fun hf => hn ⟨a, ha, hf⟩)
end sums

namespace LowRank
section ring
variable {R : Type} [CommRing R] {m n : Nat}
/-- `W w` -/
def col (W : RectMat R m n) (w : Vec R n) : Vec R m := fun i => finSum fun j => W i j * w j
/-- `uᵀ W` -/
def row (W : RectMat R m n) (u : Vec R m) : Vec R n := fun j => finSum fun i => u i * W i j
/-- `uᵀ W w` -/
def form (W : RectMat R m n) (u : Vec R m) (w : Vec R n) : R := finSum fun i => u i * col W w i
/-- for square matrices this is the score of the spike -/
theorem form_eq_score {d : Nat} (W : Mat R d) (u w : Vec R d) : form W u w = score W u w := rfl

theorem form_row (W : RectMat R m n) (u : Vec R m) (w : Vec R n) : form W u w = finSum fun j => row W u j * w j := by
  have h1 : ∀ i, u i * col W w i = finSum fun j => u i * W i j * w j := fun i => by
    rw [col, ← finSum_mul]; exact finSum_congr fun j => (mul_assoc _ _ _).symm
  have h2 : ∀ j, row W u j * w j = finSum fun i => u i * W i j * w j := fun j => (finSum_mul_right _ _).symm
  rw [form, finSum_congr h1, finSum_comm, ← finSum_congr h2]
theorem col_basis (W : RectMat R m n) (i : Fin m) (j : Fin n) : col W (basis j) i = W i j := by
  rw [col, finSum_single j, basis_self, mul_one]
  intro k hk; rw [basis_ne hk, mul_zero]
theorem row_basis (W : RectMat R m n) (i : Fin m) (j : Fin n) : row W (basis i) j = W i j := by
  rw [row, finSum_single i, basis_self, one_mul]
  intro k hk; rw [basis_ne hk, zero_mul]
theorem form_basis (W : RectMat R m n) (i : Fin m) (j : Fin n) : form W (basis i) (basis j) = W i j := by
  rw [form, finSum_single i, basis_self, one_mul, col_basis]
  intro k hk; rw [basis_ne hk, zero_mul]
theorem form_zero (u : Vec R m) (w : Vec R n) : form 0 u w = (0 : R) :=
  finSum_zero fun i => by rw [show col (0 : RectMat R m n) w i = 0 from finSum_zero fun j => zero_mul _, mul_zero]

/-- **zero test**: a matrix vanishes iff all its probes vanish iff its `m n` basis probes vanish -/
theorem eq_zero_iff (W : RectMat R m n) : W = 0 ↔ ∀ u w, form W u w = 0 :=
  ⟨fun h u w => by rw [h, form_zero], fun h => funext fun i => funext fun j => by rw [← form_basis W, h]; rfl⟩
theorem eq_zero_iff_basis (W : RectMat R m n) : W = 0 ↔ ∀ i j, form W (basis i) (basis j) = 0 :=
  ⟨fun h i j => by rw [h, form_zero], fun h => funext fun i => funext fun j => by rw [← form_basis W, h]; rfl⟩

/-- a sum of outer products `∑ a bᵀ` -/
def osum (l : List (Vec R m × Vec R n)) : RectMat R m n := fun i j => listSum l fun p => p.1 i * p.2 j
/-- a sum of `r` outer products -/
def RankLE (r : Nat) (W : RectMat R m n) : Prop := ∃ l : List (Vec R m × Vec R n), l.length = r ∧ W = osum l

theorem osum_perm {l l' : List (Vec R m × Vec R n)} (h : l.Perm l') : osum l = osum l' :=
  funext fun _ => funext fun _ => listSum_perm h _
theorem rankLE_zero {W : RectMat R m n} : RankLE 0 W ↔ W = 0 := by
  constructor
  · rintro ⟨l, hl, rfl⟩
    rw [List.length_eq_zero_iff.mp hl]; rfl
  · rintro rfl; exact ⟨[], rfl, rfl⟩
theorem RankLE.succ {r : Nat} {W : RectMat R m n} (h : RankLE r W) : RankLE (r + 1) W := by
  obtain ⟨l, hl, rfl⟩ := h
  refine ⟨(0, 0) :: l, by rw [List.length_cons, hl], funext fun i => funext fun j => ?_⟩
  show osum l i j = 0 * 0 + osum l i j
  ring
theorem RankLE.mono {r s : Nat} (hrs : r ≤ s) {W : RectMat R m n} (h : RankLE r W) : RankLE s W := by
  obtain ⟨k, rfl⟩ := Nat.le.dest hrs
  induction k with
  | zero => exact h
  | succ k ih => exact (ih (Nat.le_add_right _ _)).succ
/-- `col`, `row`, `form` of a sum of outer products -/
theorem col_osum (l : List (Vec R m × Vec R n)) (w : Vec R n) (i : Fin m) :
    col (osum l) w i = listSum l fun p => p.1 i * finSum fun j => p.2 j * w j := by
  rw [col]
  have h : ∀ j, osum l i j * w j = listSum l fun p => p.1 i * (p.2 j * w j) := fun j => by
    rw [osum, ← listSum_mul_right]; exact listSum_congr fun p _ => mul_assoc _ _ _
  rw [finSum_congr h, ← listSum_fsum]
  exact listSum_congr fun p _ => finSum_mul _ _
theorem row_osum (l : List (Vec R m × Vec R n)) (u : Vec R m) (j : Fin n) :
    row (osum l) u j = listSum l fun p => (finSum fun i => u i * p.1 i) * p.2 j := by
  rw [row]
  have h : ∀ i, u i * osum l i j = listSum l fun p => u i * p.1 i * p.2 j := fun i => by
    rw [osum, ← listSum_mul]; exact listSum_congr fun p _ => (mul_assoc _ _ _).symm
  rw [finSum_congr h, ← listSum_fsum]
  exact listSum_congr fun p _ => finSum_mul_right _ _
theorem form_osum (l : List (Vec R m × Vec R n)) (u : Vec R m) (w : Vec R n) :
    form (osum l) u w = listSum l fun p => (finSum fun i => u i * p.1 i) * finSum fun j => p.2 j * w j := by
  rw [form]
  have h : ∀ i, u i * col (osum l) w i = listSum l fun p => u i * p.1 i * finSum fun j => p.2 j * w j := fun i => by
    rw [col_osum, ← listSum_mul]; exact listSum_congr fun p _ => (mul_assoc _ _ _).symm
  rw [finSum_congr h, ← listSum_fsum]
  exact listSum_congr fun p _ => finSum_mul_right _ _
end ring

/-! ## Wedderburn's step -/
variable {K : Type} [Field K] {m n : Nat}

/-- `W - (W w)(uᵀ W) / (uᵀ W w)` -/
def deflate (W : RectMat K m n) (u : Vec K m) (w : Vec K n) : RectMat K m n := fun i j =>
  W i j - col W w i * row W u j * (form W u w)⁻¹

theorem col_deflate (W : RectMat K m n) (u : Vec K m) (w w' : Vec K n) (i : Fin m) :
    col (deflate W u w) w' i = col W w' i - col W w i * form W u w' * (form W u w)⁻¹ := by
  have h : ∀ j, deflate W u w i j * w' j = W i j * w' j - col W w i * (form W u w)⁻¹ * (row W u j * w' j) := fun j => by
    rw [deflate]; ring
  rw [col, finSum_congr h, finSum_sub, finSum_mul, ← form_row, ← col]; ring
theorem row_deflate (W : RectMat K m n) (u u' : Vec K m) (w : Vec K n) (j : Fin n) :
    row (deflate W u w) u' j = row W u' j - form W u' w * row W u j * (form W u w)⁻¹ := by
  have h : ∀ i, u' i * deflate W u w i j = u' i * W i j - row W u j * (form W u w)⁻¹ * (u' i * col W w i) := fun i => by
    rw [deflate]; ring
  rw [row, finSum_congr h, finSum_sub, finSum_mul, ← row, ← form]; ring
/-- `R' w = 0` -/
theorem col_deflate_self {W : RectMat K m n} {u : Vec K m} {w : Vec K n} (ha : form W u w ≠ 0) : col (deflate W u w) w = 0 :=
  funext fun i => by
    rw [col_deflate, vzero_app]
    lin_comb (-col W w i) (Field.mul_inv _ ha)
/-- `uᵀ R' = 0` -/
theorem row_deflate_self {W : RectMat K m n} {u : Vec K m} {w : Vec K n} (ha : form W u w ≠ 0) : row (deflate W u w) u = 0 :=
  funext fun j => by
    rw [row_deflate, vzero_app]
    lin_comb (-row W u j) (Field.mul_inv _ ha)
/-- earlier probes keep annihilating the residual -/
theorem col_deflate_of_zero {W : RectMat K m n} {w' : Vec K n} (h : col W w' = 0) (u : Vec K m) (w : Vec K n) :
    col (deflate W u w) w' = 0 := funext fun i => by
  rw [col_deflate, form, finSum_zero fun i => by rw [h, vzero_app, mul_zero], h, vzero_app]; ring
theorem row_deflate_of_zero {W : RectMat K m n} {u' : Vec K m} (h : row W u' = 0) (u : Vec K m) (w : Vec K n) :
    row (deflate W u w) u' = 0 := funext fun j => by
  rw [row_deflate, form_row, finSum_zero fun i => by rw [h, vzero_app, zero_mul], h, vzero_app]; ring

/-- **Wedderburn**: a successful probe lowers the rank bound by one. -/
theorem wedderburn {r : Nat} {W : RectMat K m n} (h : RankLE (r + 1) W) {u : Vec K m} {w : Vec K n} (ha : form W u w ≠ 0) :
    RankLE r (deflate W u w) := by
  obtain ⟨l, hl, rfl⟩ := h
  -- move a term `p` with `uᵀ p.1 ≠ 0` to the front
  obtain ⟨p, hp, hne⟩ := listSum_exists_ne (by rw [form_osum] at ha; exact ha)
  obtain ⟨l', hperm⟩ := perm_of_mem hp
  rw [perm_length hperm, List.length_cons] at hl
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

/-! ## Runs of the reduction -/
/-- what remains of `W` after the probes `ps` -/
def residual (W : RectMat K m n) : List (Vec K m × Vec K n) → RectMat K m n
  | [] => W
  | p :: ps => residual (deflate W p.1 p.2) ps
/-- the outer products extracted by the probes `ps` -/
def terms (W : RectMat K m n) : List (Vec K m × Vec K n) → List (Vec K m × Vec K n)
  | [] => []
  | p :: ps => (fun i => col W p.2 i * (form W p.1 p.2)⁻¹, row W p.1) :: terms (deflate W p.1 p.2) ps
/-- every probe is successful: its pivot is nonzero -/
def Pivots (W : RectMat K m n) : List (Vec K m × Vec K n) → Prop
  | [] => True
  | p :: ps => form W p.1 p.2 ≠ 0 ∧ Pivots (deflate W p.1 p.2) ps

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
theorem eq_terms {W : RectMat K m n} {ps : List (Vec K m × Vec K n)} (h : residual W ps = 0) : W = osum (terms W ps) :=
  funext fun i => funext fun j => by rw [decomposition W ps i j, h]; exact add_zero _
/-- **At most `r` successful steps**, and each lowers the rank bound. -/
theorem rankLE_residual {r : Nat} {W : RectMat K m n} (h : RankLE r W) {ps : List (Vec K m × Vec K n)} (hp : Pivots W ps) :
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
/-- a run that ends with zero residual reads off the rank -/
theorem rank_exact {W : RectMat K m n} {ps : List (Vec K m × Vec K n)} (hp : Pivots W ps) (h0 : residual W ps = 0) (r : Nat) :
    RankLE r W ↔ ps.length ≤ r :=
  ⟨fun h => (rankLE_residual h hp).1, fun h => RankLE.mono h ⟨_, length_terms W ps, eq_terms h0⟩⟩

/-- probes by basis vectors: the steps read entries of the residuals -/
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
/-- every matrix has a rank (here: a least number of outer products, at most the number of rows) -/
theorem rankLE_rows {R : Type} [CommRing R] (W : RectMat R m n) : RankLE m W :=
  ⟨(finList m).map fun i => (basis i, W i), by rw [List.length_map, length_finList], funext fun i => funext fun j => by
    rw [osum, listSum_map]
    have h : ∀ {m : Nat} (i : Fin m) (f : Fin m → R), listSum (finList m) (fun k => basis k i * f k) = f i := by
      intro m i f
      have e : ∀ {m : Nat} (g : Fin m → R), listSum (finList m) g = finSum g := by
        intro m g
        induction m with
        | zero => rfl
        | succ m ih => rw [finList, listSum_cons, listSum_map, ih, finSum_succ]
      rw [e, finSum_single i, basis_self, one_mul]
      intro k hk
      rw [basis_ne (Ne.symm hk), zero_mul]
    exact (h i fun k => W k j).symm⟩

/-! ## How many entries (scores of basis tokens) are read -/
/-- `(i, j)` lies in a row or a column of one of the pivots `l` -/
def InCross (l : List (Fin m × Fin n)) (i : Fin m) (j : Fin n) : Prop := (∃ p ∈ l, p.1 = i) ∨ ∃ p ∈ l, p.2 = j

theorem deflate_basis (W : RectMat K m n) (i0 i : Fin m) (j0 j : Fin n) :
    deflate W (basis i0) (basis j0) i j = W i j - W i j0 * W i0 j * (W i0 j0)⁻¹ := by
  rw [deflate, col_basis, row_basis, form_basis]
/-- the extracted terms and the success of the probes depend on the entries in the cross only -/
theorem cross_terms {L l : List (Fin m × Fin n)} (hl : ∀ p ∈ l, p ∈ L) {W W' : RectMat K m n}
    (h : ∀ i j, InCross L i j → W i j = W' i j) :
    terms W (basisProbes l) = terms W' (basisProbes l) ∧ (Pivots W (basisProbes l) ↔ Pivots W' (basisProbes l)) := by
  induction l generalizing W W' with
  | nil => exact ⟨rfl, Iff.rfl⟩
  | cons p l ih =>
    have hp : p ∈ L := hl p List.mem_cons_self
    have hrow : ∀ j, W p.1 j = W' p.1 j := fun j => h _ _ (.inl ⟨p, hp, rfl⟩)
    have hcol : ∀ i, W i p.2 = W' i p.2 := fun i => h _ _ (.inr ⟨p, hp, rfl⟩)
    have hd : ∀ i j, InCross L i j → deflate W (basis p.1) (basis p.2) i j = deflate W' (basis p.1) (basis p.2) i j :=
      fun i j hij => by rw [deflate_basis, deflate_basis, h i j hij, hrow, hcol, hcol]
    obtain ⟨e1, e2⟩ := ih (fun q hq => hl q (List.mem_cons_of_mem p hq)) hd
    have hf : form W (basis p.1) (basis p.2) = form W' (basis p.1) (basis p.2) := by rw [form_basis, form_basis, hcol]
    have hc : col W (basis p.2) = col W' (basis p.2) := funext fun i => by rw [col_basis, col_basis, hcol]
    have hr : row W (basis p.1) = row W' (basis p.1) := funext fun j => by rw [row_basis, row_basis, hrow]
    refine ⟨?_, ?_⟩
    · show (_ :: terms _ (basisProbes l)) = (_ :: terms _ (basisProbes l))
      rw [e1, hf, hc, hr]
    · show (form W (basis p.1) (basis p.2) ≠ 0 ∧ Pivots (deflate W (basis p.1) (basis p.2)) (basisProbes l)) ↔
        (form W' (basis p.1) (basis p.2) ≠ 0 ∧ Pivots (deflate W' (basis p.1) (basis p.2)) (basisProbes l))
      rw [hf, e2]
/-- **A matrix of rank at most `r` is determined by the cross of `r` successful basis probes.** -/
theorem cross_unique {r : Nat} {W W' : RectMat K m n} (hW : RankLE r W) (hW' : RankLE r W') {l : List (Fin m × Fin n)}
    (hp : Pivots W (basisProbes l)) (hl : l.length = r) (h : ∀ i j, InCross l i j → W i j = W' i j) : W = W' := by
  obtain ⟨e1, e2⟩ := cross_terms (fun _ hp => hp) h
  have hlen : (basisProbes l : List (Vec K m × Vec K n)).length = r := by rw [basisProbes, List.length_map, hl]
  rw [(recovery hW hp hlen).2, (recovery hW' (e2.mp hp) hlen).2, e1]

/-- pivots lie in distinct rows and in distinct columns -/
theorem Pivots.distinct {W : RectMat K m n} {l : List (Fin m × Fin n)} (hp : Pivots W (basisProbes l)) :
    l.Pairwise fun p q => p.1 ≠ q.1 ∧ p.2 ≠ q.2 := by
  -- probes after `u` and `w` have been annihilated
  have key : ∀ (l : List (Fin m × Fin n)) (W : RectMat K m n) (i : Fin m) (j : Fin n), row W (basis i) = 0 → col W (basis j) = 0 →
      Pivots W (basisProbes l) → ∀ q ∈ l, i ≠ q.1 ∧ j ≠ q.2 := by
    intro l
    induction l with
    | nil => intro _ _ _ _ _ _ q hq; cases hq
    | cons p l ih =>
      intro W i j hi hj hp q hq
      rcases List.mem_cons.mp hq with rfl | hq
      · refine ⟨?_, ?_⟩
        · rintro rfl
          exact hp.1 (by rw [form_basis, ← row_basis W q.1, hi]; rfl)
        · rintro rfl
          exact hp.1 (by rw [form_basis, ← col_basis W q.1 q.2, hj]; rfl)
      · exact ih _ i j (row_deflate_of_zero hi _ _) (col_deflate_of_zero hj _ _) hp.2 q hq
  induction l generalizing W with
  | nil => exact .nil
  | cons p l ih => exact .cons (key l _ _ _ (row_deflate_self hp.1) (col_deflate_self hp.1) hp.2) (ih hp.2)

open Classical in
/-- indices other than those in `s` -/
noncomputable def others (s : List (Fin m)) : List (Fin m) := (finList m).filter fun i => decide (i ∉ s)
theorem mem_others {s : List (Fin m)} {i : Fin m} : i ∈ others s ↔ i ∉ s := by
  rw [others, List.mem_filter]
  exact ⟨fun h => of_decide_eq_true h.2, fun h => ⟨mem_finList i, decide_eq_true h⟩⟩

theorem length_filter_ne {α : Type} [DecidableEq α] {l : List α} (hn : l.Pairwise (· ≠ ·)) {a : α} (ha : a ∈ l) :
    (l.filter fun b => decide (b ≠ a)).length + 1 = l.length := by
  induction l with
  | nil => cases ha
  | cons b l ih =>
    rw [List.pairwise_cons] at hn
    by_cases hb : b = a
    · have e : l.filter (fun b => decide (b ≠ a)) = l :=
        List.filter_eq_self.mpr fun c hc => decide_eq_true fun e => hn.1 c hc (hb.trans e.symm)
      rw [List.filter_cons_of_neg (by rw [decide_eq_true_iff]; exact fun h => h hb), e, List.length_cons]
    · rw [List.filter_cons_of_pos (p := fun b => decide (b ≠ a)) (decide_eq_true hb), List.length_cons, List.length_cons,
        ih hn.2 ((List.mem_cons.mp ha).resolve_left (Ne.symm hb))]
theorem allFin_nodup (m : Nat) : (finList m).Pairwise (· ≠ ·) := by
  induction m with
  | zero => exact .nil
  | succ m ih =>
    refine .cons (fun i hi => ?_) (List.pairwise_map.mpr ?_)
    · obtain ⟨k, -, rfl⟩ := List.mem_map.mp hi
      exact (fin_succ_ne_zero k).symm
    · have : ∀ {l : List (Fin m)}, l.Pairwise (· ≠ ·) → l.Pairwise fun a b => a.succ ≠ b.succ := by
        intro l hl
        induction hl with
        | nil => exact .nil
        | cons h _ ih => exact .cons (fun b hb e => h b hb (Fin.succ_inj.mp e)) ih
      exact this ih
theorem filter_pairwise {α : Type} {P : α → α → Prop} (p : α → Bool) {l : List α} (h : l.Pairwise P) :
    (l.filter p).Pairwise P := by
  induction h with
  | nil => exact .nil
  | @cons a l ha _ ih =>
    by_cases hp : p a = true
    · rw [List.filter_cons_of_pos hp]
      exact .cons (fun b hb => ha b (List.mem_filter.mp hb).1) ih
    · rw [List.filter_cons_of_neg hp]
      exact ih
theorem length_others_nil : (others ([] : List (Fin m))).length = m := by
  rw [others, List.filter_eq_self.mpr fun i _ => decide_eq_true List.not_mem_nil, length_finList]
theorem length_others_cons {s : List (Fin m)} {i : Fin m} (hi : i ∉ s) :
    (others (i :: s)).length + 1 = (others s).length := by
  rw [← length_filter_ne (l := others s) (a := i) (filter_pairwise _ (allFin_nodup m)) (mem_others.mpr hi), others, others,
    List.filter_filter]
  congr; funext k
  by_cases h1 : k = i <;> by_cases h2 : k ∈ s <;> simp [h1, h2]

/-- the entries read for the first time by the pivot `p`, after the rows `s` and columns `t` -/
noncomputable def stepEntries (s : List (Fin m)) (t : List (Fin n)) (p : Fin m × Fin n) : List (Fin m × Fin n) :=
  (others s).map (fun i => (i, p.2)) ++ (others (p.2 :: t)).map fun j => (p.1, j)
noncomputable def crossEntries (s : List (Fin m)) (t : List (Fin n)) : List (Fin m × Fin n) → List (Fin m × Fin n)
  | [] => []
  | p :: l => stepEntries s t p ++ crossEntries (p.1 :: s) (p.2 :: t) l
theorem mem_crossEntries {s : List (Fin m)} {t : List (Fin n)} {l : List (Fin m × Fin n)} {i : Fin m} {j : Fin n}
    (hs : i ∉ s) (ht : j ∉ t) (h : InCross l i j) : (i, j) ∈ crossEntries s t l := by
  induction l generalizing s t with
  | nil => rcases h with ⟨_, h, _⟩ | ⟨_, h, _⟩ <;> cases h
  | cons p l ih =>
    rw [crossEntries, stepEntries]
    by_cases hj : j = p.2
    · subst hj
      exact List.mem_append.mpr (.inl (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨i, mem_others.mpr hs, rfl⟩))))
    · have ht' : j ∉ p.2 :: t := fun h => (List.mem_cons.mp h).elim hj ht
      by_cases hi : i = p.1
      · subst hi
        exact List.mem_append.mpr (.inl (List.mem_append.mpr (.inr (List.mem_map.mpr ⟨j, mem_others.mpr ht', rfl⟩))))
      · refine List.mem_append.mpr (.inr (ih (fun h => (List.mem_cons.mp h).elim hi hs) ht' ?_))
        rcases h with ⟨q, hq, e⟩ | ⟨q, hq, e⟩
        · rcases List.mem_cons.mp hq with rfl | hq
          · exact absurd e.symm hi
          · exact .inl ⟨q, hq, e⟩
        · rcases List.mem_cons.mp hq with rfl | hq
          · exact absurd e.symm hj
          · exact .inr ⟨q, hq, e⟩
/-- **Step count**: with `M` rows and `N` columns left, a step reads `M + N - 1` new entries; for `d × d` matrices and
`k` earlier steps this is `2 (d - k) - 1`. -/
theorem length_stepEntries (s : List (Fin m)) {t : List (Fin n)} {p : Fin m × Fin n} (hp : p.2 ∉ t) :
    (stepEntries s t p).length + 1 = (others s).length + (others t).length := by
  rw [stepEntries, List.length_append, List.length_map, List.length_map, Nat.add_assoc, length_others_cons hp]
theorem length_others {s : List (Fin m)} (hs : s.Pairwise (· ≠ ·)) : (others s).length + s.length = m := by
  induction s with
  | nil => exact length_others_nil
  | cons i s ih =>
    rw [List.pairwise_cons] at hs
    rw [List.length_cons, Nat.add_comm s.length, ← Nat.add_assoc, length_others_cons fun h => hs.1 i h rfl, ih hs.2]
theorem length_crossEntries {s : List (Fin m)} {t : List (Fin n)} {l : List (Fin m × Fin n)}
    (hl : l.Pairwise fun p q => p.1 ≠ q.1 ∧ p.2 ≠ q.2) (hs : ∀ p ∈ l, p.1 ∉ s ∧ p.2 ∉ t) :
    (crossEntries s t l).length + l.length * l.length = ((others s).length + (others t).length) * l.length := by
  induction l generalizing s t with
  | nil => rfl
  | cons p l ih =>
    rw [List.pairwise_cons] at hl
    have hp := hs p List.mem_cons_self
    have e := ih (s := p.1 :: s) (t := p.2 :: t) hl.2 fun q hq =>
      ⟨fun h => (List.mem_cons.mp h).elim (fun e => (hl.1 q hq).1 e.symm) (hs q (List.mem_cons_of_mem p hq)).1,
       fun h => (List.mem_cons.mp h).elim (fun e => (hl.1 q hq).2 e.symm) (hs q (List.mem_cons_of_mem p hq)).2⟩
    have e1 := length_stepEntries s (p := p) hp.2
    have e2 := length_others_cons hp.1
    have e3 := length_others_cons hp.2
    rw [crossEntries, List.length_append, List.length_cons]
    generalize (stepEntries s t p).length = a at *
    generalize (crossEntries (p.1 :: s) (p.2 :: t) l).length = b at *
    generalize (others (p.1 :: s)).length = x at *
    generalize (others (p.2 :: t)).length = y at *
    generalize l.length = r at *
    rw [← e2, ← e3] at e1 ⊢
    have e4 : a = x + 1 + y := Nat.succ.inj e1
    rw [e4]
    have : b + r * r + (r + r + x + y + (1 + 1)) = (x + y) * r + (r + r + x + y + (1 + 1)) := by rw [e]
    simp only [Nat.mul_add, Nat.mul_one, Nat.add_assoc, Nat.add_comm, Nat.add_left_comm, Nat.mul_comm] at this ⊢
    exact this

/-- **Step `k`** (counting from 0) for a `d × d` matrix: `2 (d - k) - 1` new entries. -/
theorem step_count {d k : Nat} {s t : List (Fin d)} (hs : s.Pairwise (· ≠ ·)) (ht : t.Pairwise (· ≠ ·)) (hsk : s.length = k)
    (htk : t.length = k) {p : Fin d × Fin d} (hp : p.2 ∉ t) : (stepEntries s t p).length = 2 * (d - k) - 1 := by
  have e := length_stepEntries s (p := p) hp
  have e1 := length_others hs
  have e2 := length_others ht
  rw [hsk] at e1
  rw [htk] at e2
  have e3 : d - k = (others s).length := by
    have := congrArg (· - k) e1
    simp only [Nat.add_sub_cancel] at this
    exact this.symm
  rw [Nat.add_right_cancel (e2.trans e1.symm), ← Nat.two_mul] at e
  rw [e3, ← e, Nat.add_sub_cancel]

/-- **Query count.** A matrix of rank at most `r` is determined, among all matrices of rank at most `r`, by the
`(m + n - r) r` entries in the cross of `r` successful basis probes. -/
theorem low_rank_queries {r : Nat} {W : RectMat K m n} (hW : RankLE r W) {l : List (Fin m × Fin n)}
    (hp : Pivots W (basisProbes l)) (hl : l.length = r) :
    ∃ E : List (Fin m × Fin n), E.length + r * r = (m + n) * r ∧
      ∀ W' : RectMat K m n, RankLE r W' → (∀ e ∈ E, W e.1 e.2 = W' e.1 e.2) → W = W' := by
  refine ⟨crossEntries [] [] l, ?_, fun W' hW' h => cross_unique hW hW' hp hl fun i j hij =>
    h (i, j) (mem_crossEntries List.not_mem_nil List.not_mem_nil hij)⟩
  have h := length_crossEntries (s := []) (t := []) hp.distinct fun _ _ => ⟨List.not_mem_nil, List.not_mem_nil⟩
  rwa [length_others_nil, length_others_nil, hl] at h

/-! ## The factor gauge -/
section gauge
variable {R : Type} [CommRing R] {a b c e r d : Nat}
/-- matrix product; the identity matrix is `basis` -/
def mm (A : RectMat R a b) (B : RectMat R b c) : RectMat R a c := fun i k => finSum fun j => A i j * B j k
def tr (A : RectMat R a b) : RectMat R b a := fun j i => A i j
theorem mm_assoc (A : RectMat R a b) (B : RectMat R b c) (C : RectMat R c e) : mm (mm A B) C = mm A (mm B C) :=
  funext fun i => funext fun l => by
    have h1 : ∀ k, mm A B i k * C k l = finSum fun j => A i j * B j k * C k l := fun k => (finSum_mul_right _ _).symm
    have h2 : ∀ j, A i j * mm B C j l = finSum fun k => A i j * B j k * C k l := fun j => by
      rw [mm, ← finSum_mul]; exact finSum_congr fun k => (mul_assoc _ _ _).symm
    rw [mm, finSum_congr h1, finSum_comm, ← finSum_congr h2]; rfl
theorem one_mm (A : RectMat R a b) : mm basis A = A := funext fun i => funext fun k => by
  rw [mm, finSum_single i, basis_self, one_mul]
  intro j hj; rw [basis_ne hj, zero_mul]
theorem mm_one (A : RectMat R a b) : mm A basis = A := funext fun i => funext fun k => by
  rw [mm, finSum_single k, basis_self, mul_one]
  intro j hj; rw [basis_ne (Ne.symm hj), mul_zero]
theorem tr_mm (A : RectMat R a b) (B : RectMat R b c) : tr (mm A B) = mm (tr B) (tr A) := funext fun _ => funext fun _ =>
  finSum_congr fun _ => mul_comm _ _
omit [CommRing R] in
theorem tr_tr (A : RectMat R a b) : tr (tr A) = A := rfl

/-- the score matrix `Kᵀ Q` of the key and query factors -/
def factored (k q : RectMat R r d) : Mat R d := mm (tr k) q
/-- the score is `⟨K x, Q y⟩` -/
theorem score_factored (k q : RectMat R r d) (x y : Vec R d) : score (factored k q) x y = finSum fun t => col k x t * col q y t := by
  have h1 : ∀ i, mulVec (factored k q) y i = finSum fun t => k t i * col q y t := fun i => by
    have h : ∀ j, factored k q i j * y j = finSum fun t => k t i * (q t j * y j) := fun j => by
      rw [factored, mm, ← finSum_mul_right]; exact finSum_congr fun t => mul_assoc _ _ _
    rw [mulVec, finSum_congr h, finSum_comm]
    exact finSum_congr fun t => finSum_mul _ _
  have h2 : ∀ i, x i * mulVec (factored k q) y i = finSum fun t => k t i * x i * col q y t := fun i => by
    rw [h1, ← finSum_mul]; exact finSum_congr fun t => by ring
  rw [score, finSum_congr h2, finSum_comm]
  exact finSum_congr fun t => finSum_mul_right _ _
/-- `r × d` factors give rank at most `r` -/
theorem rankLE_factored (k q : RectMat R r d) : RankLE r (factored k q) :=
  ⟨(finList r).map fun t => (k t, q t), by rw [List.length_map, length_finList], funext fun i => funext fun j => by
    have e : ∀ {m : Nat} (g : Fin m → R), listSum (finList m) g = finSum g := by
      intro m g
      induction m with
      | zero => rfl
      | succ m ih => rw [finList, listSum_cons, listSum_map, ih, finSum_succ]
    rw [osum, listSum_map, e]; rfl⟩
/-- **Factor gauge**: `(K, Q)` and `(A⁻ᵀ K, A Q)` have the same scores. -/
theorem factor_gauge {A B : RectMat R r r} (hBA : mm B A = basis) (k q : RectMat R r d) :
    factored (mm (tr B) k) (mm A q) = factored k q := by
  rw [factored, factored, tr_mm, tr_tr, mm_assoc, ← mm_assoc B, hBA, one_mm]
/-- **The gauge is complete** on factors with right inverses (full row rank, over a field). -/
theorem factor_gauge_complete {k q k' q' : RectMat R r d} {x y x' y' : RectMat R d r} (hx : mm k x = basis) (hy : mm q y = basis)
    (hx' : mm k' x' = basis) (hy' : mm q' y' = basis) (h : factored k q = factored k' q') :
    ∃ A B : RectMat R r r, mm A B = basis ∧ mm B A = basis ∧ q' = mm A q ∧ k' = mm (tr B) k := by
  have ident : ∀ {r d : Nat} {k : RectMat R r d} {x : RectMat R d r}, mm k x = basis → mm (tr x) (tr k) = basis := by
    intro r d k x h
    rw [← tr_mm, h]
    funext i j
    show basis j i = basis i j
    by_cases hij : i = j
    · rw [hij]
    · rw [basis_ne hij, basis_ne (Ne.symm hij)]
  have hq' : q' = mm (mm (tr x') (tr k)) q := by
    rw [mm_assoc, show mm (tr k) q = mm (tr k') q' from h, ← mm_assoc, ident hx', one_mm]
  have hq : q = mm (mm (tr x) (tr k')) q' := by
    rw [mm_assoc, show mm (tr k') q' = mm (tr k) q from h.symm, ← mm_assoc, ident hx, one_mm]
  generalize mm (tr x') (tr k) = A at *
  generalize mm (tr x) (tr k') = B at *
  have cancel : ∀ {s : Nat} {C D : RectMat R s r}, mm C q = mm D q → C = D := fun {s C D} e => by
    rw [← mm_one C, ← mm_one D, ← hy, ← mm_assoc, ← mm_assoc, e]
  have cancel' : ∀ {s : Nat} {C D : RectMat R s r}, mm C q' = mm D q' → C = D := fun {s C D} e => by
    rw [← mm_one C, ← mm_one D, ← hy', ← mm_assoc, ← mm_assoc, e]
  refine ⟨A, B, cancel' ?_, cancel ?_, hq', ?_⟩
  · rw [mm_assoc, ← hq, ← hq', one_mm]
  · rw [mm_assoc, ← hq', ← hq, one_mm]
  · have e : tr k' = mm (tr k) B := cancel' (by rw [mm_assoc, ← hq]; exact h.symm)
    rw [← tr_tr k', e, tr_mm, tr_tr]
end gauge

/-! ## Rank exactly `r`; the gauge of a factorisation of least width -/
/-- rank exactly `r` -/
def RankEq {m n : Nat} (r : Nat) (W : RectMat K m n) : Prop := RankLE r W ∧ ∀ s, RankLE s W → r ≤ s
theorem RankEq.run {m n r : Nat} {W : RectMat K m n} (h : RankEq r W) :
    ∃ l : List (Fin m × Fin n), l.length = r ∧ Pivots W (basisProbes l) := by
  obtain ⟨l, hl, hp, h0⟩ := exists_run h.1
  have hlen : (basisProbes l : List (Vec K m × Vec K n)).length = l.length := List.length_map ..
  exact ⟨l, Nat.le_antisymm hl (h.2 _ ((rank_exact hp h0 _).mpr (Nat.le_of_eq hlen))), hp⟩
/-- multiplication by a matrix does not raise the rank -/
theorem RankLE.mul {a b c r : Nat} {W : RectMat K b c} (h : RankLE r W) (P : RectMat K a b) : RankLE r (mm P W) := by
  obtain ⟨l, hl, rfl⟩ := h
  refine ⟨l.map fun t => (col P t.1, t.2), by rw [List.length_map, hl], funext fun i => funext fun k => ?_⟩
  have h : ∀ j, P i j * osum l j k = listSum l fun t => P i j * t.1 j * t.2 k := fun j => by
    rw [osum, ← listSum_mul]; exact listSum_congr fun t _ => (mul_assoc _ _ _).symm
  rw [mm, finSum_congr h, ← listSum_fsum, osum, listSum_map]
  exact listSum_congr fun t _ => finSum_mul_right _ _
theorem RankLE.unmul {a b c r : Nat} {W : RectMat K b c} {P : RectMat K a b} {Q : RectMat K b a} (hQ : mm Q P = basis)
    (h : RankLE r (mm P W)) : RankLE r W := by
  have := RankLE.mul h Q
  rwa [← mm_assoc, hQ, one_mm] at this

theorem RankLE.tr {a b r : Nat} {W : RectMat K a b} (h : RankLE r W) : RankLE r (tr W) := by
  obtain ⟨l, hl, rfl⟩ := h
  refine ⟨l.map fun t => (t.2, t.1), by rw [List.length_map, hl], funext fun j => funext fun i => ?_⟩
  rw [osum, listSum_map]
  exact listSum_congr fun t _ => mul_comm _ _
theorem RankLE.mul_right {a b c r : Nat} {W : RectMat K a b} (h : RankLE r W) (P : RectMat K b c) : RankLE r (mm W P) := by
  have := (h.tr.mul (LowRank.tr P)).tr
  rwa [tr_mm] at this

/-- prescribed values in the pivot rows -/
theorem exists_col {W : RectMat K m n} {l : List (Fin m × Fin n)} (hp : Pivots W (basisProbes l)) (y : Vec K m) :
    ∃ x : Vec K n, ∀ p ∈ l, col W x p.1 = y p.1 := by
  induction l generalizing W y with
  | nil => exact ⟨0, fun _ h => nomatch h⟩
  | cons p l ih =>
    have ha : form W (basis p.1) (basis p.2) ≠ 0 := hp.1
    obtain ⟨x, hx⟩ := ih hp.2 fun i => y i - y p.1 * (form W (basis p.1) (basis p.2))⁻¹ * W i p.2
    have h0 : col (deflate W (basis p.1) (basis p.2)) x p.1 = 0 := by
      have := congrFun (row_deflate_self ha)
      exact finSum_zero fun j => by rw [← row_basis (deflate W _ _) p.1 j, this]; exact zero_mul _
    have hi := Field.mul_inv _ ha
    rw [form_basis] at hi
    -- `x + s e`, with `e` the basis vector of the pivot column
    generalize hs : y p.1 * (W p.1 p.2)⁻¹ - form W (basis p.1) x * (W p.1 p.2)⁻¹ = s
    have hcol : ∀ i, col W (fun j => x j + s * basis p.2 j) i = col W x i + s * W i p.2 := fun i => by
      rw [← col_basis W i p.2, col, col, col, ← finSum_mul, ← finSum_add]
      exact finSum_congr fun j => by ring
    have hd := fun i => col_deflate W (basis p.1) (basis p.2) x i
    refine ⟨fun j => x j + s * basis p.2 j, fun q hq => ?_⟩
    have key : ∀ i, col W (fun j => x j + s * basis p.2 j) i =
        col (deflate W (basis p.1) (basis p.2)) x i + y p.1 * (W p.1 p.2)⁻¹ * W i p.2 := fun i => by
      rw [hcol, hd, col_basis, form_basis, ← hs]; ring
    rw [key]
    rcases List.mem_cons.mp hq with rfl | hq
    · rw [h0]
      lin_comb (y q.1) hi
    · have := hx q hq
      simp only [form_basis] at this
      lin_comb (1) this
/-- a matrix whose rank is the number of its rows has a right inverse -/
theorem right_inverse {W : RectMat K m n} (h : RankEq m W) : ∃ X : RectMat K n m, mm W X = basis := by
  obtain ⟨l, hl, hp⟩ := h.run
  have hall : ∀ i : Fin m, ∃ p ∈ l, p.1 = i := by
    intro i
    apply Classical.byContradiction
    intro hn
    have hd : (l.map Prod.fst).Pairwise (· ≠ ·) := List.pairwise_map.mpr (by
      have : ∀ {l : List (Fin m × Fin n)}, (l.Pairwise fun p q => p.1 ≠ q.1 ∧ p.2 ≠ q.2) → l.Pairwise fun p q => p.1 ≠ q.1 := by
        intro l hl
        induction hl with
        | nil => exact .nil
        | cons h _ ih => exact .cons (fun b hb => (h b hb).1) ih
      exact this hp.distinct)
    have hlen := length_others hd
    rw [List.length_map, hl] at hlen
    have h0 : (others (l.map Prod.fst)).length = 0 := Nat.add_right_cancel (hlen.trans (Nat.zero_add m).symm)
    have hi : i ∈ others (l.map Prod.fst) := mem_others.mpr fun hi => by
      obtain ⟨p, hp, e⟩ := List.mem_map.mp hi
      exact hn ⟨p, hp, e⟩
    rw [List.length_eq_zero_iff.mp h0] at hi
    cases hi
  obtain ⟨x, hx⟩ := Classical.axiomOfChoice fun i : Fin m => exists_col hp (fun k => basis k i)
  refine ⟨fun j i => x i j, funext fun k => funext fun i => ?_⟩
  obtain ⟨p, hp, rfl⟩ := hall k
  exact hx i p hp
/-- **Gauge of the factors**: two factorisations of a score matrix of rank `r` through `r` dimensions differ by an
invertible `r × r` matrix. -/
theorem factor_gauge_iff {r d : Nat} {k q k' q' : RectMat K r d} (h : RankEq r (factored k q)) :
    factored k q = factored k' q' ↔ ∃ A B : RectMat K r r, mm A B = basis ∧ mm B A = basis ∧ q' = mm A q ∧ k' = mm (tr B) k := by
  constructor
  · intro e
    have inv : ∀ {k q : RectMat K r d}, RankEq r (factored k q) → (∃ x, mm k x = basis) ∧ ∃ y, mm q y = basis := fun h =>
      ⟨right_inverse ⟨rankLE_rows _, fun s hs => h.2 s (RankLE.mul_right hs.tr _)⟩,
       right_inverse ⟨rankLE_rows _, fun s hs => h.2 s (hs.mul _)⟩⟩
    obtain ⟨⟨x, hx⟩, y, hy⟩ := inv h
    obtain ⟨⟨x', hx'⟩, y', hy'⟩ := inv (e ▸ h)
    exact factor_gauge_complete hx hy hx' hy' e
  · rintro ⟨A, B, -, hBA, rfl, rfl⟩
    exact (factor_gauge hBA k q).symm
end LowRank

end AttentionQueries
