import AttentionQueries.MultiHead.Merge
import AttentionQueries.Transformer.Network

/-! # A network in canonical form is determined by its function

Two networks in canonical form that compute the same function have the same affine part, and the same neurons up to
order. The function need not be known everywhere: it is enough to know it on the lines through lattice points, at times
that are dense in a subfield which contains the hyperplanes, and off finitely many further hyperplanes.

## Main definitions

* `DenseIn F T`: the set `F` is dense in the subfield `T`.
* `Network.Over T`: the hyperplanes of the network have coordinates in `T`.
* `natVec x`: a lattice point as a vector over `K`.

## Main statements

* `Network.unique_off`: **uniqueness**, from the values on lattice lines at dense times, off finitely many hyperplanes.
* `Network.canonical_unique`: two networks in canonical form compute the same function on `Kᵈ` iff they are the same
  up to the order of the neurons.
* `Network.normalised_needed`, `Network.distinct_needed`, `Network.jump_needed`: each condition of the canonical form is
  needed.
* `sep_affine`: finitely many affine functions are nonzero at a common lattice point. -/

namespace AttentionQueries
open CommRing OrderedField

variable {K : Type} [OrderedField K] {d : Nat}

/-! ## Subfields and dense subsets -/

/-- `T` is a subfield of `K`, and `F` is a subset of `T` with members between any two elements of `T`. -/
structure DenseIn (F T : K → Prop) : Prop where
  /-- The subfield contains one. -/
  one : T 1
  /-- The subfield is closed under sums. -/
  add : ∀ a b, T a → T b → T (a + b)
  /-- The subfield is closed under negatives. -/
  neg : ∀ a, T a → T (-a)
  /-- The subfield is closed under products. -/
  mul : ∀ a b, T a → T b → T (a * b)
  /-- The subfield is closed under inverses. -/
  inv : ∀ a, T a → a ≠ 0 → T a⁻¹
  /-- The dense set is contained in the subfield. -/
  mem : ∀ t, F t → T t
  /-- Between two elements of the subfield there is a member of the dense set. -/
  dense : ∀ a b, T a → T b → a < b → ∃ t, F t ∧ a < t ∧ t < b

section dense
variable {F T : K → Prop} (hT : DenseIn F T)
include hT

/-- The subfield is closed under quotients. -/
theorem DenseIn.div {a b : K} (ha : T a) (hb : T b) (h : b ≠ 0) : T (a / b) := by
  rw [div_def]
  exact hT.mul _ _ ha (hT.inv b hb h)

/-- The subfield contains the images of the natural numbers. -/
theorem DenseIn.natCast (n : Nat) : T (natCast n) := by
  induction n with
  | zero =>
    have h := hT.add _ _ hT.one (hT.neg _ hT.one)
    rwa [add_neg] at h
  | succ n ih => exact hT.add _ _ ih hT.one

/-- The subfield is closed under the product of vectors. -/
theorem DenseIn.dot {v w : Vec K d} (hv : ∀ i, T (v i)) (hw : ∀ i, T (w i)) : T (dot v w) := by
  have key : ∀ {n : Nat} {f : Fin n → K}, (∀ i, T (f i)) → T (finSum f) := fun {n} => by
    induction n with
    | zero => exact fun _ => hT.natCast 0
    | succ n ih => exact fun h => hT.add _ _ (h 0) (ih fun i => h i.succ)
  exact key fun i => hT.mul _ _ (hv i) (hw i)

/-- A member of the dense set to the left of `t` with no member of a finite list in between. -/
private theorem exists_left {t : K} (ht : T t) : ∀ l : List K, (∀ s ∈ l, T s) →
    ∃ p, F p ∧ p < t ∧ ∀ s ∈ l, s < p ∨ t ≤ s
  | [], _ => by
    obtain ⟨p, hp, -, h⟩ := hT.dense (t + -1) t (hT.add _ _ ht (hT.neg _ hT.one)) ht (lt_cert one_pos (by ring))
    exact ⟨p, hp, h, fun _ hs => nomatch hs⟩
  | s :: l, hl => by
    obtain ⟨p, hp, h, hr⟩ := exists_left ht l fun s hs => hl s (List.mem_cons_of_mem _ hs)
    by_cases hs : p ≤ s ∧ s < t
    · obtain ⟨p', hp', h1, h2⟩ := hT.dense s t (hl s List.mem_cons_self) ht hs.2
      refine ⟨p', hp', h2, fun s' hs' => ?_⟩
      rcases List.mem_cons.mp hs' with rfl | hs'
      · exact .inl h1
      · exact (hr s' hs').imp (fun h3 => lt_trans _ _ _ (lt_of_lt_of_le h3 hs.1) h1) id
    · refine ⟨p, hp, h, fun s' hs' => ?_⟩
      rcases List.mem_cons.mp hs' with rfl | hs'
      · by_cases h1 : s' < p
        · exact .inl h1
        · exact .inr fun h2 => hs ⟨h1, h2⟩
      · exact hr s' hs'

/-- A member of the dense set to the right of `t` with no member of a finite list in between. -/
private theorem exists_right {t : K} (ht : T t) : ∀ l : List K, (∀ s ∈ l, T s) →
    ∃ r, F r ∧ t < r ∧ ∀ s ∈ l, s ≤ t ∨ r < s
  | [], _ => by
    obtain ⟨r, hr, h, -⟩ := hT.dense t (t + 1) ht (hT.add _ _ ht hT.one) (lt_cert one_pos (by ring))
    exact ⟨r, hr, h, fun _ hs => nomatch hs⟩
  | s :: l, hl => by
    obtain ⟨r, hr, h, hl'⟩ := exists_right ht l fun s hs => hl s (List.mem_cons_of_mem _ hs)
    by_cases hs : s ≤ r ∧ t < s
    · obtain ⟨r', hr', h1, h2⟩ := hT.dense t s ht (hl s List.mem_cons_self) hs.2
      refine ⟨r', hr', h1, fun s' hs' => ?_⟩
      rcases List.mem_cons.mp hs' with rfl | hs'
      · exact .inr h2
      · exact (hl' s' hs').imp id fun h3 => lt_trans _ _ _ h2 (lt_of_le_of_lt hs.1 h3)
    · refine ⟨r, hr, h, fun s' hs' => ?_⟩
      rcases List.mem_cons.mp hs' with rfl | hs'
      · by_cases h1 : r < s'
        · exact .inr h1
        · exact .inl fun h2 => hs ⟨h1, h2⟩
      · exact hl' s' hs'

end dense

/-- Every ordered field is dense in itself. -/
theorem denseIn_self : DenseIn (fun _ : K => True) fun _ => True where
  one := trivial
  add _ _ _ _ := trivial
  neg _ _ := trivial
  mul _ _ _ _ := trivial
  inv _ _ _ := trivial
  mem _ _ := trivial
  dense a b _ _ h := by
    have two : (0 : K) < 1 + 1 := add_pos one_pos one_pos
    have hc := div_mul_cancel (a + b) (pos_ne two)
    generalize (a + b) / (1 + 1) = c at hc
    refine ⟨c, trivial, lt_of_not_le fun h' => ?_, lt_of_not_le fun h' => ?_⟩
    · exact add_le_add h' h' (lt_cert (sub_pos.mpr h) (by lin_comb (1) hc))
    · exact add_le_add h' h' (lt_cert (sub_pos.mpr h) (by lin_comb (-1) hc))

/-! ## Separation for affine functions -/

/-- A lattice point as a vector over `K`. -/
def natVec (x : Fin d → Nat) : Vec K d := fun i => natCast (x i)

/-- **Separation.** Finitely many affine functions that are not zero are nonzero at a common lattice point. -/
theorem sep_affine (l : List (Vec K d × K)) (h : ∀ m ∈ l, m.1 ≠ 0 ∨ m.2 ≠ 0) :
    ∃ x : Fin d → Nat, ∀ m ∈ l, dot m.1 (natVec x) + m.2 ≠ 0 := by
  induction l with
  | nil => exact ⟨fun _ => 0, fun _ hm => nomatch hm⟩
  | cons m l ih =>
    obtain ⟨x, hx⟩ := ih fun m' hm' => h m' (List.mem_cons_of_mem _ hm')
    by_cases h0 : m.1 = 0
    · refine ⟨x, fun m' hm' => ?_⟩
      rcases List.mem_cons.mp hm' with rfl | hm'
      · rw [h0, zero_dot, zero_add]
        exact (h _ List.mem_cons_self).resolve_left fun hn => hn h0
      · exact hx m' hm'
    -- move `x` along a basis vector to leave the hyperplane of `m` too
    obtain ⟨p, hp⟩ := exists_ne_zero h0
    have hev : ∀ m' ∈ m :: l, Eventually fun t => (dot m'.1 (natVec x) + m'.2) + natCast t * m'.1 p ≠ 0 := by
      intro m' hm'
      apply eventually_ne
      rcases List.mem_cons.mp hm' with rfl | hm'
      · exact .inr hp
      · exact .inl (hx m' hm')
    obtain ⟨t, ht⟩ := (Eventually.list _ hev).exists
    refine ⟨fun i => x i + if i = p then t else 0, fun m' hm' e => ht m' hm' ?_⟩
    have e' : dot m'.1 (natVec fun i => x i + if i = p then t else 0) = dot m'.1 (natVec x) + natCast t * m'.1 p := by
      have h1 : ∀ i, m'.1 i * natVec (fun i => x i + if i = p then t else 0) i =
          m'.1 i * natVec x i + m'.1 i * natCast (if i = p then t else 0) := fun i => by
        rw [natVec, natCast_add, natVec, mul_add]
      rw [dot, finSum_congr h1, finSum_add, finSum_single (v := fun i => m'.1 i * natCast (if i = p then t else 0)) p,
        if_pos rfl, mul_comm (m'.1 p), dot]
      intro j hj
      rw [if_neg hj, natCast_zero, mul_zero]
    rw [e'] at e
    lin_comb (1) e

/-- The point `z + t u` of a line. -/
private def lineAt (z u : Vec K d) (t : K) : Vec K d := fun i => z i + t * u i

private theorem dot_lineAt (v z u : Vec K d) (t : K) : dot v (lineAt z u t) = dot v z + t * dot v u := by
  rw [dot, dot, dot, ← finSum_mul, ← finSum_add]
  exact finSum_congr fun i => by rw [lineAt]; ring

/-! ## Second differences -/

/-- The second difference of `f` at three points; it vanishes for affine functions. -/
private def secondDiff (f : K → K) (p q r : K) : K := (r - q) * f p - (r - p) * f q + (q - p) * f r

private theorem secondDiff_affine {f : K → K} {p q r a b : K} (h : ∀ t, t = p ∨ t = q ∨ t = r → f t = a + b * t) :
    secondDiff f p q r = 0 := by
  rw [secondDiff, h p (.inl rfl), h q (.inr (.inl rfl)), h r (.inr (.inr rfl))]
  ring

/-- A rectified affine function with its kink outside has second difference zero. -/
private theorem secondDiff_relu_outside {b s p q r : K} (hpq : p < q) (hqr : q < r) (hs : s < p ∨ r < s) :
    secondDiff (fun t => relu (b * (t - s))) p q r = 0 := by
  -- all three points are on the same side of the kink
  have hside : (∀ t, t = p ∨ t = q ∨ t = r → 0 ≤ t - s) ∨ ∀ t, t = p ∨ t = q ∨ t = r → 0 ≤ s - t := by
    rcases hs with hs | hs
    · refine .inl fun t ht => sub_nonneg.mpr ?_
      rcases ht with rfl | rfl | rfl
      · exact le_of_lt hs
      · exact le_of_lt (lt_trans _ _ _ hs hpq)
      · exact le_of_lt (lt_trans _ _ _ hs (lt_trans _ _ _ hpq hqr))
    · refine .inr fun t ht => sub_nonneg.mpr ?_
      rcases ht with rfl | rfl | rfl
      · exact le_of_lt (lt_trans _ _ _ (lt_trans _ _ _ hpq hqr) hs)
      · exact le_of_lt (lt_trans _ _ _ hqr hs)
      · exact le_of_lt hs
  have hsign : (∀ t, t = p ∨ t = q ∨ t = r → 0 ≤ b * (t - s)) ∨ ∀ t, t = p ∨ t = q ∨ t = r → b * (t - s) ≤ 0 := by
    rcases le_total 0 b with hb | hb <;> rcases hside with h | h
    · exact .inl fun t ht => mul_nonneg hb (h t ht)
    · exact .inr fun t ht => le_cert (mul_nonneg hb (h t ht)) (by ring)
    · exact .inr fun t ht => le_cert (mul_nonneg (neg_nonneg hb) (h t ht)) (by ring)
    · refine .inl fun t ht => ?_
      have := mul_nonneg (neg_nonneg hb) (h t ht)
      rwa [show -b * (s - t) = b * (t - s) by ring] at this
  rcases hsign with h | h
  · exact secondDiff_affine (a := -(b * s)) (b := b) fun t ht => by rw [relu_of_nonneg (h t ht)]; ring
  · exact secondDiff_affine (a := 0) (b := 0) fun t ht => by rw [relu_of_nonpos (h t ht)]; ring

/-- A rectified affine function with its kink inside has a nonzero second difference. -/
private theorem secondDiff_relu_inside {b s p q r : K} (hb : b ≠ 0) (hpq : p < q) (hqs : q < s) (hsr : s < r) :
    secondDiff (fun t => relu (b * (t - s))) p q r ≠ 0 := by
  have h1 := sub_pos.mpr hpq
  have h2 := sub_pos.mpr hqs
  have h3 := sub_pos.mpr hsr
  have h4 := sub_pos.mpr (lt_trans _ _ _ hpq hqs)
  rcases lt_total b 0 with h | h | h
  · have hb' : 0 < -b := lt_cert (sub_pos.mpr h) (by ring)
    rw [secondDiff, relu_of_nonneg (x := b * (p - s)), relu_of_nonneg (x := b * (q - s)),
      relu_of_nonpos (x := b * (r - s))]
    · refine pos_ne (lt_cert (mul_pos _ _ hb' (mul_pos _ _ h1 h3)) ?_)
      ring
    · exact le_cert (le_of_lt (mul_pos _ _ hb' h3)) (by ring)
    · exact le_cert (le_of_lt (mul_pos _ _ hb' h2)) (by ring)
    · exact le_cert (le_of_lt (mul_pos _ _ hb' h4)) (by ring)
  · exact absurd h hb
  · rw [secondDiff, relu_of_nonpos (x := b * (p - s)), relu_of_nonpos (x := b * (q - s)),
      relu_of_nonneg (x := b * (r - s))]
    · refine pos_ne (lt_cert (mul_pos _ _ h (mul_pos _ _ h1 h3)) ?_)
      ring
    · exact le_of_lt (mul_pos _ _ h h3)
    · exact le_cert (le_of_lt (mul_pos _ _ h h2)) (by ring)
    · exact le_cert (le_of_lt (mul_pos _ _ h h4)) (by ring)

/-! ## Uniqueness -/

/-- The hyperplanes of the network have coordinates in `T`. -/
def Network.Over (T : K → Prop) (N : Network K d) : Prop := ∀ n ∈ N.hidden, (∀ i, T (n.w i)) ∧ T n.c

/-- The output weight of a neuron with the given hyperplane. -/
private noncomputable def weightAt (κ : Vec K d × K) (n : Neuron K d) : K :=
  @ite K (n.plane = κ) (Classical.propDecidable _) n.a 0

/-- The sum of the output weights of the neurons with a given hyperplane. -/
private noncomputable def planeSum (L : List (Neuron K d)) (κ : Vec K d × K) : K := listSum L (weightAt κ)

private theorem weightAt_neg (κ : Vec K d × K) (n : Neuron K d) : weightAt κ ⟨-n.a, n.w, n.c⟩ = -1 * weightAt κ n := by
  by_cases h : n.plane = κ
  · rw [weightAt, weightAt, if_pos h, if_pos (show (⟨-n.a, n.w, n.c⟩ : Neuron K d).plane = κ from h)]; ring
  · rw [weightAt, weightAt, if_neg h, if_neg (show ¬ (⟨-n.a, n.w, n.c⟩ : Neuron K d).plane = κ from h)]; ring

namespace Network
variable {F T : K → Prop}

/-- The time at which the line `z + t u` meets a hyperplane. -/
private def meet (z u : Vec K d) (m : Vec K d × K) : K := -(dot m.1 z + m.2) / dot m.1 u

private theorem dot_meet {z u : Vec K d} {m : Vec K d × K} (h : dot m.1 u ≠ 0) (t : K) :
    dot m.1 (lineAt z u t) + m.2 = dot m.1 u * (t - meet z u m) := by
  have e := div_mul_cancel (-(dot m.1 z + m.2)) h
  rw [dot_lineAt, meet]
  lin_comb (1) e

/-- A lattice line that is parallel to no hyperplane of a finite list, and meets a given one of them at another time
than those which are not multiples of it. -/
private theorem exists_line {A : List (Vec K d × K)} (hA : ∀ m ∈ A, m.1 ≠ 0) {k : Vec K d × K} (hk : k ∈ A) :
    ∃ x y : Fin d → Nat, (∀ m ∈ A, dot m.1 (natVec y) ≠ 0) ∧ ∀ m ∈ A,
      meet (natVec x) (natVec y) m = meet (natVec x) (natVec y) k →
        (∀ i, dot k.1 (natVec y) * m.1 i = dot m.1 (natVec y) * k.1 i) ∧
          dot k.1 (natVec y) * m.2 = dot m.1 (natVec y) * k.2 := by
  classical
  obtain ⟨y, hy⟩ := sep_affine (A.map fun m => (m.1, (0 : K))) fun w hw => by
    obtain ⟨m, hm, rfl⟩ := List.mem_map.mp hw
    exact .inl (hA m hm)
  have hy : ∀ m ∈ A, dot m.1 (natVec y) ≠ 0 := fun m hm => by
    have := hy _ (List.mem_map.mpr ⟨m, hm, rfl⟩)
    rwa [add_zero] at this
  -- affine functions that vanish where `m` and `k` are met at the same time
  let cross : Vec K d × K → Vec K d × K := fun m =>
    ((fun i => dot k.1 (natVec y) * m.1 i) - fun i => dot m.1 (natVec y) * k.1 i,
      dot k.1 (natVec y) * m.2 - dot m.1 (natVec y) * k.2)
  obtain ⟨x, hx⟩ := sep_affine ((A.map cross).filter fun m => m.1 ≠ 0 ∨ m.2 ≠ 0)
    fun m hm => of_decide_eq_true (List.mem_filter.mp hm).2
  refine ⟨x, y, hy, fun m hm e => ?_⟩
  by_cases hc : (cross m).1 ≠ 0 ∨ (cross m).2 ≠ 0
  · refine absurd ?_ (hx _ (List.mem_filter.mpr ⟨List.mem_map.mpr ⟨m, hm, rfl⟩, decide_eq_true hc⟩))
    have e1 := dot_meet (z := natVec x) (hy m hm) (meet (natVec x) (natVec y) k)
    have e2 := dot_meet (z := natVec x) (hy k hk) (meet (natVec x) (natVec y) k)
    rw [e, sub_self, mul_zero, dot_lineAt] at e1
    rw [sub_self, mul_zero, dot_lineAt] at e2
    show dot ((fun i => dot k.1 (natVec y) * m.1 i) - fun i => dot m.1 (natVec y) * k.1 i) (natVec x) + (_ - _) = 0
    rw [sub_dot, mul_dot, mul_dot]
    lin_comb (dot k.1 (natVec y)) e1 + (-dot m.1 (natVec y)) e2
  · have hc1 : (cross m).1 = 0 := Classical.byContradiction fun h' => hc (.inl h')
    have hc2 : (cross m).2 = 0 := Classical.byContradiction fun h' => hc (.inr h')
    exact ⟨fun i => sub_eq_zero.mp (congrFun hc1 i), sub_eq_zero.mp hc2⟩

/-- The second difference of a network at three times around one kink is that of the kink, times the sum of its output
weights. -/
private theorem secondDiff_eval (N : Network K d) {n₀ : Neuron K d} {z u : Vec K d}
    (hu : ∀ n ∈ N.hidden, dot n.w u ≠ 0) {p q r : K} (hpq : p < q) (hqr : q < r)
    (hout : ∀ n ∈ N.hidden, n.plane ≠ n₀.plane → meet z u n.plane < p ∨ r < meet z u n.plane) :
    secondDiff (fun t => N.eval (lineAt z u t)) p q r = planeSum N.hidden n₀.plane *
      secondDiff (fun t => relu (dot n₀.w u * (t - meet z u n₀.plane))) p q r := by
  have hsd : ∀ n ∈ N.hidden, secondDiff (fun t => n.a * relu (n.input (lineAt z u t))) p q r = weightAt n₀.plane n *
      secondDiff (fun t => relu (dot n₀.w u * (t - meet z u n₀.plane))) p q r := fun n hn => by
    have e : ∀ t, n.input (lineAt z u t) = dot n.w u * (t - meet z u n.plane) := dot_meet (m := n.plane) (hu n hn)
    have e' : secondDiff (fun t => n.a * relu (n.input (lineAt z u t))) p q r =
        n.a * secondDiff (fun t => relu (dot n.w u * (t - meet z u n.plane))) p q r := by
      simp only [secondDiff, e]
      ring
    rw [e']
    by_cases hpl : n.plane = n₀.plane
    · rw [weightAt, if_pos hpl, show n.w = n₀.w from congrArg Prod.fst hpl, hpl]
    · rw [weightAt, if_neg hpl, zero_mul, secondDiff_relu_outside hpq hqr (hout n hn hpl), mul_zero]
  have e2 : ∀ t, N.eval (lineAt z u t) = listSum N.hidden (fun n => n.a * relu (n.input (lineAt z u t))) +
      ((dot N.linear z + N.constant) + dot N.linear u * t) := fun t => by
    rw [Network.eval, dot_lineAt]
    ring
  have e3 : ∀ n : Neuron K d, secondDiff (fun t => n.a * relu (n.input (lineAt z u t))) p q r =
      (r - q) * (n.a * relu (n.input (lineAt z u p))) + (-(r - p) * (n.a * relu (n.input (lineAt z u q))) +
        (q - p) * (n.a * relu (n.input (lineAt z u r)))) := fun n => by
    rw [secondDiff]
    ring
  rw [planeSum, ← listSum_mul_right, ← listSum_congr hsd, secondDiff, e2, e2, e2, listSum_congr fun n _ => e3 n,
    listSum_add, listSum_add, listSum_mul, listSum_mul, listSum_mul]
  ring

/-- **The kinks are visible.** If a network with normalised neurons vanishes at dense times on all lattice lines, off
finitely many hyperplanes, then the output weights at every hyperplane cancel. -/
private theorem planeSum_eq_zero (hT : DenseIn F T) {N : Network K d} (hN : N.Over T)
    (hn : ∀ n ∈ N.hidden, n.Normalised) {M : List (Vec K d × K)}
    (hM : ∀ m ∈ M, m.1 ≠ 0 ∧ (∀ i, T (m.1 i)) ∧ T m.2)
    (h : ∀ (x y : Fin d → Nat) t, F t → (∀ m ∈ M, dot m.1 (fun i => natVec x i + t * natVec y i) + m.2 ≠ 0) →
      N.eval (fun i => natVec x i + t * natVec y i) = 0) (κ : Vec K d × K) :
    planeSum N.hidden κ = 0 := by
  by_cases hκ : ∃ n ∈ N.hidden, n.plane = κ
  case neg => exact listSum_zero fun n hn => if_neg fun e => hκ ⟨n, hn, e⟩
  obtain ⟨n₀, hn₀, rfl⟩ := hκ
  -- all hyperplanes, those of the neurons and the excluded ones
  let A : List (Vec K d × K) := N.hidden.map Neuron.plane ++ M
  have hAn : ∀ n ∈ N.hidden, n.plane ∈ A := fun n hn => List.mem_append.mpr (.inl (List.mem_map.mpr ⟨n, hn, rfl⟩))
  have hA : ∀ m ∈ A, m.1 ≠ 0 ∧ (∀ i, T (m.1 i)) ∧ T m.2 := fun m hm => by
    rcases List.mem_append.mp hm with hm | hm
    · obtain ⟨n, hn', rfl⟩ := List.mem_map.mp hm
      exact ⟨(hn n hn').ne_zero, hN n hn'⟩
    · exact hM m hm
  obtain ⟨x, y, hy, hmeet⟩ := exists_line (fun m hm => (hA m hm).1) (hAn n₀ hn₀)
  have hne : ∀ n ∈ N.hidden, n.plane ≠ n₀.plane →
      meet (natVec x) (natVec y) n.plane ≠ meet (natVec x) (natVec y) n₀.plane := fun n hn' hpl e => by
    obtain ⟨h1, h2⟩ := hmeet _ (hAn n hn') e
    obtain ⟨hb, hw⟩ := (hn n hn').eq_of_proportional (hn n₀ hn₀) (hy _ (hAn n₀ hn₀)) (hy _ (hAn n hn')) h1
    have hb : dot n₀.w (natVec y) = dot n.w (natVec y) := hb
    have h2 : dot n₀.w (natVec y) * n.c = dot n.w (natVec y) * n₀.c := h2
    rw [← hb] at h2
    refine hpl ?_
    show (n.w, n.c) = (n₀.w, n₀.c)
    rw [hw, mul_left_cancel (hy _ (hAn n₀ hn₀)) h2]
  -- three times around the kink, with no other kink in between
  have hvec : ∀ x : Fin d → Nat, ∀ i, T (natVec x i) := fun x i => hT.natCast (x i)
  have hmT : ∀ m ∈ A, T (meet (natVec x) (natVec y) m) := fun m hm =>
    hT.div (hT.neg _ (hT.add _ _ (hT.dot (hA m hm).2.1 (hvec x)) (hA m hm).2.2)) (hT.dot (hA m hm).2.1 (hvec y))
      (hy m hm)
  have ht₀ := hmT _ (hAn n₀ hn₀)
  have hmeets : ∀ s ∈ A.map (meet (natVec x) (natVec y)), T s := fun s hs => by
    obtain ⟨m, hm, rfl⟩ := List.mem_map.mp hs
    exact hmT m hm
  obtain ⟨p, hpF, hp, hleft⟩ := exists_left hT ht₀ _ hmeets
  obtain ⟨r, hrF, hr, hright⟩ := exists_right hT ht₀ _ hmeets
  obtain ⟨q, hqF, hpq, hq⟩ := hT.dense _ _ (hT.mem p hpF) ht₀ hp
  have hout : ∀ m ∈ A, meet (natVec x) (natVec y) m ≠ meet (natVec x) (natVec y) n₀.plane →
      meet (natVec x) (natVec y) m < p ∨ r < meet (natVec x) (natVec y) m := fun m hm hm' => by
    rcases hleft _ (List.mem_map.mpr ⟨m, hm, rfl⟩) with h4 | h4
    · exact .inl h4
    · exact (hright _ (List.mem_map.mpr ⟨m, hm, rfl⟩)).elim (fun h5 => absurd (le_antisymm h5 h4) hm') .inr
  have hval : ∀ t, F t → p ≤ t → t ≤ r → t ≠ meet (natVec x) (natVec y) n₀.plane →
      N.eval (lineAt (natVec x) (natVec y) t) = 0 := fun t ht h1 h2 h3 => by
    refine h x y t ht fun m hm => ?_
    have hmA : m ∈ A := List.mem_append.mpr (.inr hm)
    refine (dot_meet (hy m hmA) t).symm ▸ mul_ne_zero (hy m hmA) fun e => ?_
    have e := sub_eq_zero.mp e
    rcases hout m hmA (fun e' => h3 (e.trans e')) with h4 | h4
    · exact h1 (by rw [e]; exact h4)
    · exact h2 (by rw [e]; exact h4)
  have hqr := lt_trans _ _ _ hq hr
  have hpr := le_of_lt (lt_trans _ _ _ hp hr)
  have hsd := secondDiff_eval N (n₀ := n₀) (z := natVec x) (u := natVec y) (fun n hn' => hy _ (hAn n hn')) hpq hqr
    fun n hn' hpl => hout _ (hAn n hn') (hne n hn' hpl)
  rw [secondDiff, hval p hpF (le_refl _) hpr fun e => lt_irrefl _ (e ▸ hp),
    hval q hqF (le_of_lt hpq) (le_of_lt hqr) fun e => lt_irrefl _ (e ▸ hq),
    hval r hrF hpr (le_refl _) fun e => lt_irrefl _ (e ▸ hr)] at hsd
  refine (mul_eq_zero (hsd.symm.trans ?_)).resolve_right (secondDiff_relu_inside (hy _ (hAn n₀ hn₀)) hpq hq hr)
  ring

/-- An affine function that vanishes at all lattice points off finitely many hyperplanes is zero. -/
private theorem affine_eq_zero {M : List (Vec K d × K)} (hM : ∀ m ∈ M, m.1 ≠ 0) {v : Vec K d} {e : K}
    (h : ∀ x : Fin d → Nat, (∀ m ∈ M, dot m.1 (natVec x) + m.2 ≠ 0) → dot v (natVec x) + e = 0) : v = 0 ∧ e = 0 := by
  by_cases hv : v ≠ 0 ∨ e ≠ 0
  · obtain ⟨x, hx⟩ := sep_affine ((v, e) :: M) fun m hm => by
      rcases List.mem_cons.mp hm with rfl | hm
      · exact hv
      · exact .inl (hM m hm)
    exact absurd (h x fun m hm => hx m (List.mem_cons_of_mem _ hm)) (hx _ List.mem_cons_self)
  · exact ⟨Classical.byContradiction fun h' => hv (.inl h'), Classical.byContradiction fun h' => hv (.inr h')⟩

/-- **A network in canonical form is determined by its function**, up to the order of its neurons. It is enough to know
the values at the points `x + t y`, for lattice points `x` and `y` and times `t` in a set that is dense in a subfield
which contains the hyperplanes, as far as they lie off finitely many given hyperplanes. -/
theorem unique_off (hT : DenseIn F T) {N N' : Network K d} (hN : N.Canonical) (hN' : N'.Canonical)
    (hNT : N.Over T) (hNT' : N'.Over T) {M : List (Vec K d × K)} (hM : ∀ m ∈ M, m.1 ≠ 0 ∧ (∀ i, T (m.1 i)) ∧ T m.2)
    (h : ∀ (x y : Fin d → Nat) t, F t → (∀ m ∈ M, dot m.1 (fun i => natVec x i + t * natVec y i) + m.2 ≠ 0) →
      N.eval (fun i => natVec x i + t * natVec y i) = N'.eval (fun i => natVec x i + t * natVec y i)) :
    N.SameUpToOrder N' := by
  have hmem : ∀ {P : Neuron K d → Prop}, (∀ n ∈ N.hidden, P n) → (∀ n ∈ N'.hidden, P ⟨-n.a, n.w, n.c⟩) →
      ∀ n ∈ (N.diff N').hidden, P n := fun h1 h2 n hn => by
    rcases List.mem_append.mp hn with hn | hn
    · exact h1 n hn
    · obtain ⟨n', hn', rfl⟩ := List.mem_map.mp hn
      exact h2 n' hn'
  have hsum := planeSum_eq_zero (N := N.diff N') hT (hmem hNT fun n hn => hNT' n hn)
    (hmem hN.normalised fun n hn => hN'.normalised n hn) hM fun x y t ht hx => by
      rw [Network.eval_diff, h x y t ht hx, sub_self]
  have hperm : N.hidden.Perm N'.hidden := by
    refine perm_of_keySum (key := Neuron.plane) (val := fun n (_ : Unit) => n.a) ?_ hN.distinct hN'.distinct
      (fun n hn => ⟨(), hN.jump_ne n hn⟩) (fun n hn => ⟨(), hN'.jump_ne n hn⟩) fun κ i => ?_
    · rintro ⟨a, w, c⟩ ⟨a', w', c'⟩ hp ha
      have ha : a = a' := ha ()
      have hw : w = w' := congrArg Prod.fst hp
      have hc : c = c' := congrArg Prod.snd hp
      subst ha hw hc
      rfl
    · have e := hsum κ
      rw [planeSum, Network.diff, listSum_append, listSum_map, listSum_congr fun n _ => weightAt_neg κ n,
        listSum_mul] at e
      show planeSum N.hidden κ = planeSum N'.hidden κ
      rw [planeSum, planeSum]
      lin_comb (1) e
  obtain ⟨hl, hc⟩ := affine_eq_zero (M := M) (v := N.linear - N'.linear) (e := N.constant - N'.constant)
    (fun m hm => (hM m hm).1) fun x hx => by
      obtain ⟨t, ht, -⟩ := hT.dense 0 1 (hT.natCast 0) hT.one one_pos
      have e0 : (fun i => natVec x i + t * natVec (fun _ : Fin d => 0) i) = (natVec x : Vec K d) := funext fun i => by
        rw [show natVec (fun _ : Fin d => 0) i = (0 : K) from rfl, mul_zero, add_zero]
      have e := h x (fun _ => 0) t ht (by rw [e0]; exact hx)
      rw [e0, Network.eval, Network.eval, listSum_perm hperm] at e
      rw [sub_dot]
      lin_comb (1) e
  exact ⟨hperm, funext fun i => sub_eq_zero.mp (congrFun hl i), sub_eq_zero.mp hc⟩

omit [OrderedField K] in
/-- Every network is over the whole field. -/
theorem over_true (N : Network K d) : N.Over fun _ => True := fun _ _ => ⟨fun _ => trivial, trivial⟩

/-- **The canonical form is determined by the function**: two networks in canonical form compute the same function on
`Kᵈ` iff they are the same up to the order of the neurons. -/
theorem canonical_unique {N N' : Network K d} (hN : N.Canonical) (hN' : N'.Canonical) :
    (∀ z, N.eval z = N'.eval z) ↔ N.SameUpToOrder N' :=
  ⟨fun h => unique_off denseIn_self hN hN' (over_true N) (over_true N') (M := []) (fun _ hm => nomatch hm)
    fun _ _ _ _ _ => h _, fun h _ => h.eval_eq _⟩

end Network

/-! ## The hypotheses are needed -/

namespace Network

/-- **Leading coefficients one are needed**: `relu (2 z)` and `2 relu z`, and also `relu (-z)` and `relu z - z`, have
the same values, distinct hyperplanes and nonzero output weights, but different parameters. -/
theorem normalised_needed :
    (∀ z : Vec K 1, (⟨[⟨1, fun _ => 1 + 1, 0⟩], 0, 0⟩ : Network K 1).eval z =
      (⟨[⟨1 + 1, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).eval z) ∧
    (∀ z : Vec K 1, (⟨[⟨1, fun _ => -1, 0⟩], 0, 0⟩ : Network K 1).eval z =
      (⟨[⟨1, fun _ => 1, 0⟩], fun _ => -1, 0⟩ : Network K 1).eval z) ∧
    ¬ (⟨[⟨1, fun _ => 1 + 1, 0⟩], 0, 0⟩ : Network K 1).SameUpToOrder ⟨[⟨1 + 1, fun _ => 1, 0⟩], 0, 0⟩ ∧
    ¬ (⟨[⟨1, fun _ => -1, 0⟩], 0, 0⟩ : Network K 1).SameUpToOrder ⟨[⟨1, fun _ => 1, 0⟩], fun _ => -1, 0⟩ := by
  have hdot : ∀ (c : K) (z : Vec K 1), dot (fun _ => c) z = c * z 0 := fun c z => add_zero _
  refine ⟨fun z => ?_, fun z => ?_, fun h => ?_, fun h => ?_⟩
  · have e := relu_mul (le_of_lt (add_pos (one_pos (K := K)) one_pos)) (z 0)
    simp only [eval, listSum_cons, listSum_nil, Neuron.input, hdot, add_zero, one_mul]
    rw [e]
  · have e := relu_sub_relu_neg (z 0)
    simp only [eval, listSum_cons, listSum_nil, Neuron.input, hdot, add_zero, one_mul, zero_dot]
    rw [show -1 * z 0 = -z 0 by ring]
    lin_comb (-1) e
  · have hm := h.1.mem_iff.mp List.mem_cons_self
    rcases List.mem_cons.mp hm with e | hm
    · have e : (1 : K) = 1 + 1 := congrArg Neuron.a e
      exact zero_ne_one (K := K) (by lin_comb (1) e)
    · exact nomatch hm
  · have e : (0 : K) = -1 := congrFun h.2.1 0
    exact zero_ne_one (K := K) (by lin_comb (-1) e)

/-- **Distinct hyperplanes are needed**: `relu z + relu z` and `2 relu z` have the same values, leading coefficients one
and nonzero output weights, but different numbers of neurons. -/
theorem distinct_needed :
    (∀ z : Vec K 1, (⟨[⟨1, fun _ => 1, 0⟩, ⟨1, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).eval z =
      (⟨[⟨1 + 1, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).eval z) ∧
    ¬ (⟨[⟨1, fun _ => 1, 0⟩, ⟨1, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).SameUpToOrder
      ⟨[⟨1 + 1, fun _ => 1, 0⟩], 0, 0⟩ := by
  refine ⟨fun z => ?_, fun h => nomatch h.1.length_eq⟩
  simp only [eval, listSum_cons, listSum_nil, Neuron.input]
  ring

/-- **Nonzero output weights are needed**: a neuron with output weight zero does not change the function. -/
theorem jump_needed :
    (∀ z : Vec K 1, (⟨[⟨0, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).eval z = (const 0 : Network K 1).eval z) ∧
    ¬ (⟨[⟨0, fun _ => 1, 0⟩], 0, 0⟩ : Network K 1).SameUpToOrder (const 0) := by
  refine ⟨fun z => ?_, fun h => nomatch h.1.length_eq⟩
  simp only [eval, const, listSum_cons, listSum_nil, zero_mul, add_zero]

end Network

end AttentionQueries
