import AttentionQueries.Algebra.Polynomial
import AttentionQueries.LowRank.Cross

/-! # A hitting set for the matrices of low rank

The `r (m + n - r)` probes `(1, x, x², …)ᵀ W (1, y, y², …)` with `y = gᵏ x`, for `k < r` and `m + n - 1 - 2 k`
points `x`, are not all zero on any `m × n` matrix `W ≠ 0` of rank at most `r`. So the zero matrix is recognised
by as many scores as there are degrees of freedom, and a matrix of rank at most `r` from a fixed list of scores.

## Main definitions

* `Hits T r`: the probes `T` tell every nonzero matrix of rank at most `r` from zero.
* `powers x`: the vector `(1, x, x², …)`.
* `naturalProbes m n r`: a list of `r (m + n - r)` probes with entries in the natural numbers.
* `rankProbes R m n r`: the same probes over the ring `R`.

## Main statements

* `length_le_of_triangular`: a triangular pattern of `t` nonzero entries forces rank at least `t`.
* `eq_zero_of_moments`: the theorem for any `g` with distinct powers and any distinct nonzero points.
* `hits_rankProbes`, `length_naturalProbes`: `rankProbes R m n r` hits rank at most `r`, and has `r (m + n - r)` members.
* `rankProbes_eq`: these are images of `naturalProbes m n r`, whatever the ring.
* `Hits.determines`: a list that hits rank at most `2 r` determines every matrix of rank at most `r`.

## References

* M. A. Forbes and A. Shpilka, *On identity testing of tensors, low-rank recovery and compressed sensing*, STOC
  2012: the hitting set, with another proof. -/

namespace AttentionQueries
open CommRing Matrix

namespace LowRank

/-- The vector `(1, x, x², …)`. -/
def powers {R : Type} [CommRing R] {d : Nat} (x : R) : Vec R d := fun i => npow x i.val

/-- The probes `T` hit rank at most `r`: on every `m × n` matrix of rank at most `r` that is not zero, some is
nonzero. -/
def Hits {R : Type} [CommRing R] {m n : Nat} (T : List (Vec R m × Vec R n)) (r : Nat) : Prop :=
  ∀ W : RectMat R m n, RankLE r W → W ≠ 0 → ∃ t ∈ T, form W t.1 t.2 ≠ 0

section ring
variable {R : Type} [CommRing R]

private theorem npow_mul (a : R) (m n : Nat) : npow a (m * n) = npow (npow a m) n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Nat.mul_succ, Nat.add_comm, npow_add, ih, npow]

private theorem mul_npow (a b : R) (n : Nat) : npow (a * b) n = npow a n * npow b n := by
  induction n with
  | zero => exact (mul_one 1).symm
  | succ n ih => rw [npow, npow, npow, ih]; ring

/-- A sum over a longer range of a family that vanishes outside `i, …, i + n - 1`. -/
private theorem finSum_shift {N n i : Nat} (h : i + n ≤ N) (G : Vec R n) :
    (finSum fun s : Fin N => if h : i ≤ s.val ∧ s.val - i < n then G ⟨s.val - i, h.2⟩ else 0) = finSum G := by
  have e : ∀ s : Fin N, (if h : i ≤ s.val ∧ s.val - i < n then G ⟨s.val - i, h.2⟩ else 0) =
      finSum fun j : Fin n => if i + j.val = s.val then G j else 0 := fun s => by
    by_cases hs : i ≤ s.val ∧ s.val - i < n
    · rw [dif_pos hs, finSum_single ⟨s.val - i, hs.2⟩, if_pos (Nat.add_sub_of_le hs.1)]
      intro j hj
      refine if_neg fun e => hj (Fin.ext ?_)
      show j.val = s.val - i
      rw [← e, Nat.add_sub_cancel_left]
    · rw [dif_neg hs, finSum_zero]
      intro j
      refine if_neg fun e => hs ⟨Nat.le_trans (Nat.le_add_right i j.val) (Nat.le_of_eq e), ?_⟩
      rw [← e, Nat.add_sub_cancel_left]
      exact j.isLt
  rw [finSum_congr e, finSum_comm]
  refine finSum_congr fun j => ?_
  rw [finSum_single ⟨i + j.val, Nat.lt_of_lt_of_le (Nat.add_lt_add_left j.isLt i) h⟩, if_pos rfl]
  exact fun s hs => if_neg fun e => hs (Fin.ext e.symm)

variable {m n : Nat}

/-- The entries of `W` on the antidiagonal `i + j = s`, by rows. -/
private def diagonal (W : RectMat R m n) (s : Nat) : Vec R m := fun i =>
  if h : i.val ≤ s ∧ s - i.val < n then W i ⟨s - i.val, h.2⟩ else 0

private theorem diagonal_add (W : RectMat R m n) (i : Fin m) (j : Fin n) : diagonal W (i.val + j.val) i = W i j := by
  have e : i.val + j.val - i.val = j.val := Nat.add_sub_cancel_left _ _
  rw [diagonal, dif_pos ⟨Nat.le_add_right _ _, by rw [e]; exact j.isLt⟩]
  exact congrArg (W i) (Fin.ext e)

/-- The probe as a polynomial in `x`. -/
private theorem form_powers (W : RectMat R m n) (x y : R) {N : Nat} (hN : m + n ≤ N + 1) :
    form W (powers x) (powers (x * y)) =
      finSum fun s : Fin N => (finSum fun i => diagonal W s.val i * npow y (s.val - i.val)) * npow x s.val := by
  have h1 : ∀ s : Fin N, (finSum fun i => diagonal W s.val i * npow y (s.val - i.val)) * npow x s.val =
      finSum fun i => diagonal W s.val i * npow y (s.val - i.val) * npow x s.val := fun s => (finSum_mul_right _ _).symm
  rw [finSum_congr h1, finSum_comm, form]
  refine finSum_congr fun i => ?_
  have h2 : ∀ s : Fin N, diagonal W s.val i * npow y (s.val - i.val) * npow x s.val =
      if h : i.val ≤ s.val ∧ s.val - i.val < n then
        (fun j : Fin n => powers x i * (W i j * powers (x * y) j)) ⟨s.val - i.val, h.2⟩ else 0 := fun s => by
    by_cases h : i.val ≤ s.val ∧ s.val - i.val < n
    · rw [dif_pos h, diagonal, dif_pos h]
      show _ = npow x i.val * (_ * npow (x * y) (s.val - i.val))
      have e : npow x s.val = npow x i.val * npow x (s.val - i.val) := by
        rw [← npow_add, Nat.add_sub_of_le h.1]
      rw [mul_npow, e]
      ring
    · rw [dif_neg h, diagonal, dif_neg h, zero_mul, zero_mul]
  have hiN : i.val + n ≤ N := Nat.le_of_succ_le_succ
    (Nat.le_trans (Nat.le_of_eq (Nat.succ_add _ _).symm) (Nat.le_trans (Nat.add_le_add_right i.isLt n) hN))
  rw [finSum_congr h2, finSum_shift hiN fun j => powers x i * (W i j * powers (x * y) j), finSum_mul, col]
end ring

variable {K : Type} [Field K] {m n : Nat}

/-- **Triangular patterns.** If the entries at the positions `l` are nonzero, and the entry in the row of a position and
the column of a later one is zero, then the rank is at least the number of positions. -/
theorem length_le_of_triangular {r : Nat} {W : RectMat K m n} (h : RankLE r W) {l : List (Fin m × Fin n)}
    (hl : ∀ p ∈ l, W p.1 p.2 ≠ 0) (hz : l.Pairwise fun p q => W p.1 q.2 = 0) : l.length ≤ r := by
  induction l generalizing r W with
  | nil => exact Nat.zero_le r
  | cons p l ih =>
    rw [List.pairwise_cons] at hz
    have hp := hl p List.mem_cons_self
    cases r with
    | zero => exact absurd (by rw [rankLE_zero.mp h]; rfl) hp
    | succ r =>
      have hd : ∀ i, ∀ q ∈ l, deflate W (basis p.1) (basis p.2) i q.2 = W i q.2 := fun i q hq => by
        rw [deflate_basis, hz.1 q hq]; ring
      refine Nat.succ_le_succ (ih (wedderburn h (by rw [form_basis]; exact hp)) (fun q hq => ?_)
        (hz.2.imp_of_mem fun {a b} _ hb e => ?_))
      · rw [hd _ q hq]
        exact hl q (List.mem_cons_of_mem p hq)
      · rw [hd _ b hb]
        exact e

/-- Vandermonde: `∑ c zᵏ = 0` for as many `k` as there are terms, with distinct `z`, only if all `c` are zero. -/
private theorem vandermonde : ∀ (N : Nat) (l : List (K × K)), l.length ≤ N → (l.Pairwise fun p q => p.1 ≠ q.1) →
    (∀ k, k < N → (listSum l fun p => p.2 * npow p.1 k) = 0) → ∀ p ∈ l, p.2 = 0
  | _, [], _, _, _, _, hp => nomatch hp
  | 0, _ :: _, hN, _, _, _, _ => absurd hN (Nat.not_succ_le_zero _)
  | N + 1, p :: l, hN, hd, h, q, hq => by
    rw [List.pairwise_cons] at hd
    have ih := vandermonde N (l.map fun q => (q.1, q.2 * (q.1 - p.1)))
      (by rw [List.length_map]; exact Nat.le_of_succ_le_succ hN) (List.pairwise_map.mpr hd.2) fun k hk => by
      have h0 := h k (Nat.lt_succ_of_lt hk)
      have h1 := h (k + 1) (Nat.succ_lt_succ hk)
      rw [listSum_cons] at h0 h1
      have e : (listSum l fun q => q.2 * (q.1 - p.1) * npow q.1 k) =
          (listSum l fun q => q.2 * npow q.1 (k + 1)) + -p.1 * listSum l fun q => q.2 * npow q.1 k := by
        rw [← listSum_mul, ← listSum_add]
        exact listSum_congr fun q _ => by rw [npow]; ring
      rw [npow] at h1
      rw [listSum_map, e]
      lin_comb (1) h1 + (-p.1) h0
    have hl : ∀ q ∈ l, q.2 = 0 := fun q hq => by
      have := ih _ (List.mem_map.mpr ⟨q, hq, rfl⟩)
      exact (Field.mul_eq_zero this).resolve_right fun e => hd.1 q hq (sub_eq_zero.mp e).symm
    rcases List.mem_cons.mp hq with rfl | hq
    · have h0 := h 0 (Nat.succ_pos _)
      rw [listSum_cons, listSum_zero fun p hp => by rw [hl p hp, zero_mul], npow] at h0
      lin_comb (1) h0
    · exact hl q hq

/-- The indices of the nonzero entries of `c`. -/
private noncomputable def support (c : Vec K m) : List (Fin m) := (List.finRange m).filter fun i =>
  @decide (c i ≠ 0) (Classical.propDecidable _)

private theorem mem_support {c : Vec K m} {i : Fin m} : i ∈ support c ↔ c i ≠ 0 := by
  rw [support, List.mem_filter]
  exact ⟨fun h => @of_decide_eq_true _ (Classical.propDecidable _) h.2,
    fun h => ⟨List.mem_finRange i, @decide_eq_true _ (Classical.propDecidable _) h⟩⟩

private theorem pairwise_support (c : Vec K m) : (support c).Pairwise (· < ·) :=
  (finRange_pairwise_lt m).filter _

/-- `∑ cᵢ zᵢᵏ = 0` for `k < N`, with at most `N` nonzero terms, whose `zᵢ` are distinct, only if all `cᵢ` are zero. -/
private theorem vandermonde_sparse {N : Nat} {c z : Vec K m} (hz : ∀ i j, c i ≠ 0 → c j ≠ 0 → z i = z j → i = j)
    (hN : (support c).length ≤ N) (h : ∀ k, k < N → (finSum fun i => c i * npow (z i) k) = 0) : c = 0 := by
  have key := vandermonde N ((support c).map fun i => (z i, c i)) (by rw [List.length_map]; exact hN)
    (List.pairwise_map.mpr ((pairwise_support c).imp_of_mem fun {i j} hi hj hij e => by
      rw [hz i j (mem_support.mp hi) (mem_support.mp hj) e] at hij
      exact Fin.lt_irrefl j hij)) fun k hk => by
    have e := h k hk
    rw [finSum_eq_listSum, listSum_filter (fun i => @decide (c i ≠ 0) (Classical.propDecidable _)),
      listSum_zero (l := (List.finRange m).filter fun i => !_) fun i hi => ?_, add_zero] at e
    · rw [listSum_map]
      exact e
    · have hi := (List.mem_filter.mp hi).2
      rw [Bool.not_eq_true', decide_eq_false_iff_not] at hi
      rw [Classical.not_not.mp hi, zero_mul]
  funext i
  apply Classical.byContradiction
  intro hi
  exact hi (key _ (List.mem_map.mpr ⟨i, mem_support.mpr hi, rfl⟩))

private theorem length_support_le {c : Vec K m} {a b : Nat} (h : ∀ i, c i ≠ 0 → a ≤ i.val ∧ i.val < a + b) :
    (support c).length ≤ b := by
  have := length_le_of_distinct (fun i : Fin m => i.val) (l := support c) (m := List.range' a b)
    ((pairwise_support c).imp fun {i j} hij => Nat.ne_of_lt hij) fun i hi =>
      List.mem_range'_1.mpr (h i (mem_support.mp hi))
  rwa [List.length_range'] at this

/-- The coefficients of the probe with `y = gᵏ` are moments of the antidiagonals. -/
private theorem moment_eq (W : RectMat K m n) (g : K) (k s : Nat) :
    (finSum fun i => diagonal W s i * npow (npow g k) (s - i.val)) =
      finSum fun i => diagonal W s i * npow (npow g (s - i.val)) k :=
  finSum_congr fun i => by rw [← npow_mul, ← npow_mul, Nat.mul_comm]

private theorem diagonal_ne {W : RectMat K m n} {s : Nat} {i : Fin m} (h : diagonal W s i ≠ 0) :
    i.val ≤ s ∧ s - i.val < n := by
  apply Classical.byContradiction
  intro hn
  exact h (dif_neg hn)

private theorem diagonal_nodes {W : RectMat K m n} {g : K} (hg : ∀ i j, npow g i = npow g j → i = j) {s : Nat} :
    ∀ i j, diagonal W s i ≠ 0 → diagonal W s j ≠ 0 → npow g (s - i.val) = npow g (s - j.val) → i = j := by
  intro i j hi hj e
  have e := hg _ _ e
  have hi := Nat.sub_add_cancel (diagonal_ne hi).1
  have hj := Nat.sub_add_cancel (diagonal_ne hj).1
  exact Fin.ext (Nat.add_left_cancel (hi.trans (hj.symm.trans (congrArg (· + j.val) e.symm))))

/-- An antidiagonal with at most `k` nonzero entries is zero if its first `k` moments are. -/
private theorem diagonal_eq_zero {W : RectMat K m n} {g : K} (hg : ∀ i j, npow g i = npow g j → i = j) {s k : Nat}
    (hk : (support (diagonal W s)).length ≤ k)
    (h : ∀ k' < k, (finSum fun i => diagonal W s i * npow (npow g k') (s - i.val)) = 0) : diagonal W s = 0 :=
  vandermonde_sparse (diagonal_nodes hg) hk fun k' hk' => (moment_eq W g k' s).symm.trans (h k' hk')

/-- The first nonzero antidiagonal has at most as many nonzero entries as the rank. -/
private theorem length_support_diagonal {r : Nat} {W : RectMat K m n} (h : RankLE r W) {s : Nat}
    (hs : ∀ (i : Fin m) (j : Fin n), i.val + j.val < s → W i j = 0) : (support (diagonal W s)).length ≤ r := by
  have hpos : ∀ i ∈ support (diagonal W s), ∃ j : Fin n, i.val + j.val = s := fun i hi =>
    have hi := diagonal_ne (mem_support.mp hi)
    ⟨⟨s - i.val, hi.2⟩, Nat.add_sub_of_le hi.1⟩
  -- choose the columns
  have hcol : ∀ l : List (Fin m), (∀ i ∈ l, diagonal W s i ≠ 0) → l.Pairwise (· < ·) → ∃ l' : List (Fin m × Fin n),
      l'.map Prod.fst = l ∧ (∀ p ∈ l', W p.1 p.2 ≠ 0 ∧ p.1.val + p.2.val = s) ∧ l'.Pairwise fun p q => p.1 < q.1 := by
    intro l hl hp
    induction hp with
    | nil => exact ⟨[], rfl, (fun _ h => nomatch h), .nil⟩
    | @cons i l hi _ ih =>
      obtain ⟨l', rfl, h1, h2⟩ := ih fun i hi => hl i (List.mem_cons_of_mem _ hi)
      have hne := hl i List.mem_cons_self
      obtain ⟨j, hj⟩ := hpos i (mem_support.mpr hne)
      refine ⟨(i, j) :: l', rfl, fun p hp => ?_, .cons (fun p hp => hi _ (List.mem_map.mpr ⟨p, hp, rfl⟩)) h2⟩
      rcases List.mem_cons.mp hp with rfl | hp
      · rw [← hj, diagonal_add] at hne
        exact ⟨hne, hj⟩
      · exact h1 p hp
  obtain ⟨l', e, h1, h2⟩ := hcol _ (fun i hi => mem_support.mp hi) (pairwise_support (diagonal W s))
  rw [← e, List.length_map]
  refine length_le_of_triangular h (fun p hp => (h1 p hp).1) (h2.imp_of_mem fun {p q} _ hq hpq => hs _ _ ?_)
  rw [← (h1 q hq).2]
  exact Nat.add_lt_add_right hpq _

private theorem npow_ne_zero {x : K} (hx : x ≠ 0) : ∀ k, npow x k ≠ 0
  | 0 => fun h => Field.zero_ne_one h.symm
  | k + 1 => fun h => (Field.mul_eq_zero h).elim hx (npow_ne_zero hx k)

/-- A polynomial with as many distinct roots as coefficients is zero. -/
private theorem coefficients_eq_zero {N : Nat} (c : Vec K N) {X : List K} (hlen : N ≤ X.length)
    (hdist : X.Pairwise (· ≠ ·)) (h : ∀ x ∈ X, (finSum fun t => c t * npow x t.val) = 0) : c = 0 := by
  have hI : Prime fun a : K => a = 0 := ⟨rfl, fun {a b} ha hb => by rw [ha, hb, add_zero],
    fun c {a} ha => by rw [ha, mul_zero], fun h => Field.mul_eq_zero h⟩
  exact funext fun t => peval_roots hI X (toL c) (by rw [length_toL]; exact hlen)
    (hdist.imp fun hab e => hab (sub_eq_zero.mp e)) (fun x hx => by rw [← finSum_npow]; exact h x hx) _ (mem_toL c t)

/-- The same for a polynomial whose coefficients vanish outside `k, …, N - 1 - k`, with fewer points. -/
private theorem inner_coefficients_eq_zero {N k : Nat} (c : Nat → K) {X : List K} (hlen : N - 2 * k ≤ X.length)
    (hdist : X.Pairwise (· ≠ ·)) (hne : ∀ x ∈ X, x ≠ 0) (hc : ∀ s, ¬ (k ≤ s ∧ s - k < N - 2 * k) → c s = 0)
    (h : ∀ x ∈ X, (finSum fun s : Fin N => c s.val * npow x s.val) = 0) : ∀ s, c s = 0 := by
  have hz : (fun t : Fin (N - 2 * k) => c (k + t.val)) = 0 := by
    by_cases hk : 2 * k ≤ N
    · refine coefficients_eq_zero _ hlen hdist fun x hx => ?_
      have hkN : k + (N - 2 * k) ≤ N := by
        refine Nat.le_trans (Nat.add_le_add_right (Nat.le_trans (Nat.le_add_left k k) ?_) _)
          (Nat.le_of_eq (Nat.add_sub_of_le hk))
        exact Nat.le_of_eq (Nat.two_mul k).symm
      have e := h x hx
      rw [finSum_congr (w := fun s : Fin N => if h : k ≤ s.val ∧ s.val - k < N - 2 * k then
          (fun t : Fin (N - 2 * k) => npow x k * (c (k + t.val) * npow x t.val)) ⟨s.val - k, h.2⟩ else 0) fun s => ?_,
        finSum_shift hkN fun t => npow x k * (c (k + t.val) * npow x t.val), finSum_mul] at e
      · exact (Field.mul_eq_zero e).resolve_left (npow_ne_zero (hne x hx) k)
      · by_cases hs : k ≤ s.val ∧ s.val - k < N - 2 * k
        · have e1 : npow x s.val = npow x k * npow x (s.val - k) := by rw [← npow_add, Nat.add_sub_of_le hs.1]
          rw [dif_pos hs, e1]
          show _ = npow x k * (c (k + (s.val - k)) * npow x (s.val - k))
          rw [Nat.add_sub_of_le hs.1]
          ring
        · rw [dif_neg hs, hc _ hs, zero_mul]
    · funext t
      have h0 := Nat.lt_of_lt_of_eq t.isLt (Nat.sub_eq_zero_of_le (Nat.le_of_not_le hk))
      exact absurd h0 (Nat.not_lt_zero _)
  intro s
  by_cases hs : k ≤ s ∧ s - k < N - 2 * k
  · have := congrFun hz ⟨s - k, hs.2⟩
    have e : c (k + (s - k)) = 0 := this
    rwa [Nat.add_sub_of_le hs.1] at e
  · exact hc s hs

/-- An antidiagonal close to a corner has few entries. -/
private theorem length_support_corner {W : RectMat K m n} {k s : Nat}
    (hs : ¬ (k ≤ s ∧ s - k < m + n - 1 - 2 * k)) : (support (diagonal W s)).length ≤ k := by
  by_cases hk : k ≤ s
  · have hs : m + n - 1 - 2 * k ≤ s - k := Nat.le_of_not_lt fun h => hs ⟨hk, h⟩
    have h1 : m + n ≤ s + 1 + k := by
      have h2 := Nat.le_add_of_sub_le (Nat.le_add_of_sub_le hs)
      rw [Nat.two_mul, ← Nat.add_assoc, Nat.sub_add_cancel hk] at h2
      rw [Nat.add_right_comm]
      exact h2
    refine length_support_le (a := s + 1 - n) fun i hi => ?_
    have hi := diagonal_ne hi
    refine ⟨Nat.sub_le_of_le_add ?_, Nat.lt_of_lt_of_le i.isLt (Nat.le_of_add_le_add_right (b := n) ?_)⟩
    · rw [Nat.add_comm i.val]
      refine Nat.le_trans (Nat.le_of_eq (congrArg (· + 1) (Nat.sub_add_cancel hi.1).symm))
        (Nat.le_trans (Nat.le_of_eq (Nat.succ_add _ _).symm) (Nat.add_le_add_right hi.2 _))
    · refine Nat.le_trans h1 ?_
      rw [Nat.add_right_comm (s + 1 - n)]
      exact Nat.add_le_add_right (Nat.le_add_of_sub_le (Nat.le_refl _)) k
  · refine length_support_le (a := 0) fun i hi => ⟨Nat.zero_le _, ?_⟩
    rw [Nat.zero_add]
    exact Nat.lt_of_le_of_lt (diagonal_ne hi).1 (Nat.lt_of_not_le hk)

/-- **The hitting set.** Let `g` have distinct powers. If the probes of `W` by the powers of `x` and of `gᵏ x`
are zero, for all `k < r` and for `m + n - 1 - 2 k` distinct points `x ≠ 0`, and `W` has rank at most `r`, then
`W = 0`. -/
theorem eq_zero_of_moments {r : Nat} {W : RectMat K m n} (hW : RankLE r W) {g : K}
    (hg : ∀ i j, npow g i = npow g j → i = j) {X : Nat → List K}
    (hlen : ∀ k < r, m + n - 1 - 2 * k ≤ (X k).length) (hdist : ∀ k < r, (X k).Pairwise (· ≠ ·))
    (hne : ∀ k < r, ∀ x ∈ X k, x ≠ 0)
    (h : ∀ k < r, ∀ x ∈ X k, form W (powers x) (powers (x * npow g k)) = 0) : W = 0 := by
  -- all moments of all antidiagonals vanish
  have hmoment : ∀ k < r, ∀ s, (finSum fun i => diagonal W s i * npow (npow g k) (s - i.val)) = 0 := by
    intro k
    induction k using Nat.strongRecOn with
    | ind k ih =>
      intro hk
      refine inner_coefficients_eq_zero (N := m + n - 1) (k := k) _ (hlen k hk) (hdist k hk) (hne k hk)
        (fun s hs => ?_) fun x hx => ?_
      · have h0 := diagonal_eq_zero hg (length_support_corner (W := W) hs) fun k' hk' =>
          ih k' hk' (Nat.lt_trans hk' hk) s
        exact finSum_zero fun i => by rw [h0]; exact zero_mul _
      · rw [← form_powers W x (npow g k) (Nat.le_add_of_sub_le (Nat.le_refl _))]
        exact h k hk x hx
  -- so all antidiagonals vanish, from the first on
  have hdiag : ∀ s, diagonal W s = 0 := by
    intro s
    induction s using Nat.strongRecOn with
    | ind s ih =>
      refine diagonal_eq_zero hg (length_support_diagonal hW fun i j hij => ?_) fun k hk => hmoment k hk s
      exact (diagonal_add W i j).symm.trans (congrFun (ih _ hij) i)
  funext i j
  exact (diagonal_add W i j).symm.trans (congrFun (hdiag _) i)

/-! ## Integer probes -/

/-- The integer probes: for `k < r` and `x = 1, …, m + n - 1 - 2 k`, the powers of `x` against the powers of `2ᵏ x`. -/
def rankProbes (R : Type) [CommRing R] (m n r : Nat) : List (Vec R m × Vec R n) :=
  (List.range r).flatMap fun k => (List.range' 1 (m + n - 1 - 2 * k)).map fun x =>
    (powers (natCast x), powers (natCast x * npow (natCast 2) k))

/-- The probes as vectors of natural numbers: for `k < r` and `x = 1, …, m + n - 1 - 2 k`, the powers of `x` against the
powers of `2ᵏ x`. -/
def naturalProbes (m n r : Nat) : List ((Fin m → Nat) × (Fin n → Nat)) :=
  (List.range r).flatMap fun k => (List.range' 1 (m + n - 1 - 2 * k)).map fun x =>
    (fun i => x ^ i.val, fun j => (x * 2 ^ k) ^ j.val)

private theorem natCast_mul {R : Type} [CommRing R] (a b : Nat) : (natCast (a * b) : R) = natCast a * natCast b := by
  induction b with
  | zero => exact (mul_zero _).symm
  | succ b ih => rw [Nat.mul_succ, natCast_add, ih, natCast_succ, mul_add, mul_one]

private theorem natCast_pow {R : Type} [CommRing R] (a b : Nat) : (natCast (a ^ b) : R) = npow (natCast a) b := by
  induction b with
  | zero => exact zero_add 1
  | succ b ih => rw [Nat.pow_succ, natCast_mul, ih, npow, mul_comm]

/-- The probes over a ring are the images of those over the natural numbers. -/
theorem rankProbes_eq (R : Type) [CommRing R] (m n r : Nat) : rankProbes R m n r =
    (naturalProbes m n r).map fun t => (fun i => natCast (t.1 i), fun j => natCast (t.2 j)) := by
  rw [rankProbes, naturalProbes, List.map_flatMap]
  congr; funext k
  rw [List.map_map]
  congr; funext x
  refine congr (congrArg Prod.mk (funext fun i => (natCast_pow x i.val).symm)) (funext fun j => ?_)
  show npow (natCast x * npow (natCast 2) k) j.val = natCast ((x * 2 ^ k) ^ j.val)
  rw [natCast_pow, natCast_mul, natCast_pow]

/-- **The number of probes** is `r (m + n - r)`, the dimension of the set of matrices of rank at most `r`. -/
theorem length_naturalProbes {m n : Nat} : ∀ {r : Nat}, r ≤ m → r ≤ n →
    (naturalProbes m n r).length + r * r = r * (m + n)
  | 0, _, _ => (Nat.zero_mul _).symm
  | r + 1, hm, hn => by
    have ih := length_naturalProbes (Nat.le_of_succ_le hm) (Nat.le_of_succ_le hn)
    rw [naturalProbes] at ih ⊢
    rw [List.range_succ, List.flatMap_append, List.length_append, List.flatMap_cons, List.flatMap_nil, List.append_nil,
      List.length_map, List.length_range', Nat.succ_mul r (m + n), ← ih]
    generalize (List.flatMap _ _).length = a
    have h2 : 1 + 2 * r ≤ m + n := Nat.le_trans
      (Nat.le_trans (Nat.add_le_add_right (Nat.le_succ 1) _) (Nat.le_of_eq (by rw [Nat.mul_succ, Nat.add_comm])))
      (Nat.le_trans (Nat.le_of_eq (Nat.two_mul (r + 1))) (Nat.add_le_add hm hn))
    have e : m + n - 1 - 2 * r + (1 + 2 * r) = m + n := by rw [Nat.sub_sub, Nat.sub_add_cancel h2]
    generalize m + n - 1 - 2 * r = b at e ⊢
    rw [← e]
    simp only [Nat.mul_add, Nat.add_mul, Nat.mul_one, Nat.one_mul, Nat.two_mul, Nat.add_assoc, Nat.add_comm,
      Nat.add_left_comm]

/-- The number of probes over a ring is the same. -/
theorem length_rankProbes (R : Type) [CommRing R] {m n r : Nat} (hm : r ≤ m) (hn : r ≤ n) :
    (rankProbes R m n r).length + r * r = r * (m + n) := by
  rw [rankProbes_eq, List.length_map, length_naturalProbes hm hn]

section orderedField
open OrderedField
variable {K : Type} [OrderedField K] {m n : Nat}

private theorem npow_two (k : Nat) : npow (natCast 2 : K) k = natCast (2 ^ k) := by
  induction k with
  | zero => rw [npow, Nat.pow_zero, natCast_one]
  | succ k ih =>
    rw [npow, ih, Nat.pow_succ, Nat.mul_two, natCast_add, show (natCast 2 : K) = natCast 1 + 1 from rfl, natCast_one]
    ring

private theorem npow_two_inj (i j : Nat) (h : npow (natCast 2 : K) i = npow (natCast 2) j) : i = j := by
  rw [npow_two, npow_two] at h
  have h := natCast_inj h
  rcases Nat.lt_trichotomy i j with hij | hij | hij
  · exact absurd h (Nat.ne_of_lt (Nat.pow_lt_pow_right (Nat.lt_succ_self 1) hij))
  · exact hij
  · exact absurd h.symm (Nat.ne_of_lt (Nat.pow_lt_pow_right (Nat.lt_succ_self 1) hij))

/-- **The integer probes hit rank at most `r`**: they tell every matrix of rank at most `r` from the zero matrix. -/
theorem hits_rankProbes (K : Type) [OrderedField K] (m n r : Nat) : Hits (rankProbes K m n r) r := by
  intro W hW h0
  apply Classical.byContradiction
  intro hn
  refine h0 (eq_zero_of_moments hW npow_two_inj
    (X := fun k => (List.range' 1 (m + n - 1 - 2 * k)).map natCast) (fun k _ => ?_) (fun k _ => ?_) (fun k _ x hx => ?_)
    fun k hk x hx => ?_)
  · exact Nat.le_of_eq (by rw [List.length_map, List.length_range'])
  · rw [List.range'_eq_map_range, List.map_map]
    exact List.pairwise_map.mpr (List.pairwise_lt_range.imp fun {a b} hab e =>
      Nat.ne_of_lt hab (Nat.add_left_cancel (natCast_inj e)))
  · obtain ⟨a, ha, rfl⟩ := List.mem_map.mp hx
    obtain ⟨b, rfl⟩ := Nat.le.dest (List.mem_range'_1.mp ha).1
    rw [Nat.add_comm]
    exact pos_ne (natCast_pos b)
  · obtain ⟨a, ha, rfl⟩ := List.mem_map.mp hx
    exact Classical.byContradiction fun hf => hn ⟨_, List.mem_flatMap.mpr
      ⟨k, List.mem_range.mpr hk, List.mem_map.mpr ⟨a, ha, rfl⟩⟩, hf⟩
end orderedField

section ring
variable {R : Type} [CommRing R] {m n : Nat}

/-- **Learning from a fixed list**: scores that hit rank at most `2 r` determine every matrix of rank at most `r` among
all matrices of rank at most `r`. -/
theorem Hits.determines {T : List (Vec R m × Vec R n)} {r : Nat} (hT : Hits T (r + r)) {W W' : RectMat R m n}
    (hW : RankLE r W) (hW' : RankLE r W') (h : ∀ t ∈ T, form W t.1 t.2 = form W' t.1 t.2) : W = W' := by
  apply Classical.byContradiction
  intro hne
  obtain ⟨t, ht, h0⟩ := hT _ (hW.sub hW') fun e => hne (funext fun i => funext fun j =>
    sub_eq_zero.mp (congrFun (congrFun e i) j))
  exact h0 (by rw [form_sub, h t ht, sub_self])
end ring
end LowRank

end AttentionQueries
