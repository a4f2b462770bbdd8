import AttentionQueries.Algebra.Polynomial
import AttentionQueries.MultiHead.FiniteTest
import AttentionQueries.MultiHead.Reduced

/-! # Finitely many explicit sequences decide equality of all models with boundedly many heads

The score matrices are not known here. For models with at most `N` different matrices in all there is one explicit list
of `((N - 1)(d² - 1) + d)(N - 1) + d` sequences on which different functions differ: the `d` basis vectors as sequences
of length one, and, for each of `(N - 1)(d² - 1) + d` points `(u, q)` of a moment curve, one copy of `q + u` with
`1, …, N - 1` copies of `q`. No sequence is longer than `N`. For two models with at most `H` heads `N = 2 H`.

## Main definitions

* `Semantics.Separating P N`: the list `P` of pairs `(u, q)` separates `N` matrices from each other.
* `ladder`, `classTests`, `shortTests`: the tests made from such a list.
* `moments`: the moment curve.

## Main statements

* `Semantics.short_total`, `Semantics.class_total_mat`: agreement on the tests implies equal totals.
* `Semantics.moments_separating`: the moment curve separates.
* `Semantics.class_finite`, `Semantics.class_finite_heads`: **the finite test**, with its number and lengths.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- The tests at one pair `(u, q)`: one copy of `q + u` and `1, …, m` copies of `q` (with the query). -/
def ladder (m : Nat) (p : Vec R d × Vec R d) : List (Query R d) :=
  (List.range m).map fun n => (Semantics.copies 1 n p.1 p.2, p.2)

/-- Tests without sequences of length one: at each pair of the list, `1, …, N + 1` copies of `q`. -/
def classTests (P : List (Vec R d × Vec R d)) (N : Nat) : List (Query R d) := P.flatMap (ladder (N + 1))

/-- The sequences of length one, and at each pair of the list `1, …, N - 1` copies of `q`. -/
def shortTests (P : List (Vec R d × Vec R d)) (N : Nat) : List (Query R d) :=
  (List.finRange d).map (fun i => ([], basis i)) ++ P.flatMap (ladder (N - 1))

/-- The number of tests. -/
theorem length_classTests (P : List (Vec R d × Vec R d)) (N : Nat) : (classTests P N).length = P.length * (N + 1) :=
  length_flatMap_const (fun _ => by rw [ladder, List.length_map, List.length_range]) P

/-- The number of tests. -/
theorem length_shortTests (P : List (Vec R d × Vec R d)) (N : Nat) :
    (shortTests P N).length = P.length * (N - 1) + d := by
  rw [shortTests, List.length_append, List.length_map, List.length_finRange, Nat.add_comm,
    length_flatMap_const (n := N - 1) fun _ => by rw [ladder, List.length_map, List.length_range]]

private theorem mem_ladders {P : List (Vec R d × Vec R d)} {m n : Nat} {p : Vec R d × Vec R d} (hp : p ∈ P)
    (hn : n < m) : (Semantics.copies 1 n p.1 p.2, p.2) ∈ P.flatMap (ladder m) :=
  List.mem_flatMap.mpr ⟨p, hp, List.mem_map.mpr ⟨n, List.mem_range.mpr hn, rfl⟩⟩

private theorem of_mem_ladders {P : List (Vec R d × Vec R d)} {m : Nat} {t : Query R d} (h : t ∈ P.flatMap (ladder m)) :
    t.1.length ≤ m ∧ ∃ x, ∀ y ∈ t.1, y = x ∨ y = t.2 := by
  obtain ⟨p, -, h⟩ := List.mem_flatMap.mp h
  obtain ⟨n, hn, rfl⟩ := List.mem_map.mp h
  constructor
  · refine Nat.le_trans (Nat.le_of_eq ?_) (Nat.succ_le_of_lt (List.mem_range.mp hn))
    rw [Semantics.copies, List.length_append, List.length_replicate, List.length_replicate, Nat.add_comm]
  · exact ⟨p.2 + p.1, fun y hy => (List.mem_append.mp hy).imp List.eq_of_mem_replicate List.eq_of_mem_replicate⟩

/-- The sequences are no longer than `N` (or one), and have at most two distinct tokens. -/
theorem shortTests_short {P : List (Vec R d × Vec R d)} {N : Nat} {t : Query R d} (h : t ∈ shortTests P N) :
    Query.length t ≤ max N 1 ∧ ∃ x, ∀ y ∈ t.1, y = x ∨ y = t.2 := by
  rcases List.mem_append.mp h with h | h
  · obtain ⟨i, -, rfl⟩ := List.mem_map.mp h
    exact ⟨Nat.le_max_right N 1, basis i, fun _ hy => nomatch hy⟩
  · obtain ⟨h1, h2⟩ := of_mem_ladders h
    refine ⟨?_, h2⟩
    cases N with
    | zero => exact Nat.le_trans (Nat.succ_le_succ h1) (Nat.le_max_right 0 1)
    | succ N => exact Nat.le_trans (Nat.succ_le_succ h1) (Nat.le_max_left (N + 1) 1)

namespace Semantics

/-- For every choice of fewer than `N` nonzero matrices and a nonzero value vector, some pair `(u, q)` of the list gives
the matrices nonzero scores and the vector a nonzero value along `u`. -/
def Separating (P : List (Vec R d × Vec R d)) (N : Nat) : Prop :=
  ∀ (Ds : List (Mat R d)) (v : Vec K d), Ds.length < N → (∀ D ∈ Ds, D ≠ 0) → v ≠ 0 →
    ∃ p ∈ P, (∀ D ∈ Ds, score D p.1 p.2 ≠ 0) ∧ S.inner v p.1 ≠ 0

/-- Without sequences of length one, two more copies are needed at each pair than in `inner_eq_zero`. -/
private theorem inner_eq_zero_of_ladder {g : Head R K d} {G : List (Head R K d)} {u q : Vec R d}
    (hd : ∀ g' ∈ G, score g.W u q ≠ score g'.W u q)
    (h : ∀ n, n < G.length + 2 → S.evalHeads (g :: G) (copies 1 n u q) q = 0) : S.inner g.v u = 0 := by
  -- the constant is one more partial fraction, with the pole `0`
  have one : ∀ ρ : K, (1 + ρ * 0)⁻¹ = 1 := fun ρ => by
    have h := mul_inv (1 : K) fun e => zero_ne_one e.symm
    rw [one_mul] at h
    rw [mul_zero, add_zero, h]
  refine cauchy_one ((down (G.length + 2)).map fun n => natCast (n + 1))
    ((0, S.inner (valueSum (g :: G)) q) :: G.map fun g => (S.exp (-score g.W u q), S.inner g.v u))
    (S.exp (-score g.W u q), S.inner g.v u) ?_ ?_ ?_ ?_ ?_
  · exact Nat.le_of_eq (by rw [List.length_map, length_down, List.length_cons, List.length_map])
  · intro ρ hρ p hp
    obtain ⟨n, -, rfl⟩ := List.mem_map.mp hρ
    have hpos : ∀ W : Mat R d, (1 : K) + natCast (n + 1) * S.exp (-score W u q) ≠ 0 := fun W =>
      pos_ne (add_pos one_pos (mul_pos _ _ (natCast_pos n) (S.exp_pos _)))
    rcases List.mem_cons.mp hp with rfl | hp
    · exact hpos _
    · rcases List.mem_cons.mp hp with rfl | hp
      · rw [mul_zero, add_zero]
        exact fun e => zero_ne_one e.symm
      · obtain ⟨g', -, rfl⟩ := List.mem_map.mp hp
        exact hpos _
  · intro p hp
    rcases List.mem_cons.mp hp with rfl | hp
    · exact S.exp_ne _
    · obtain ⟨g', hg', rfl⟩ := List.mem_map.mp hp
      intro e
      have e' := S.exp_inj _ _ e
      exact hd g' hg' (by lin_comb (-1) e')
  · exact List.pairwise_map.mpr ((down_distinct _).imp fun hne e => hne (Nat.succ.inj (natCast_inj e)))
  · intro ρ hρ
    obtain ⟨n, hn, rfl⟩ := List.mem_map.mp hρ
    have e := h n (mem_down hn)
    rw [evalHeads_copies, List.map_cons, cauchySum, listSum_cons] at e
    rw [cauchySum, listSum_cons, listSum_cons, one, mul_one, add_left_comm]
    exact e

/-- If at every pair of a separating list a head with a score of its own has value zero along `u`, then all heads have
value zero. -/
private theorem values_zero {P : List (Vec R d × Vec R d)} {N : Nat} (hP : S.Separating P N) {G : List (Head R K d)}
    (hd : G.Pairwise fun g g' => g.W ≠ g'.W) (hlen : G.length ≤ N)
    (h : ∀ p ∈ P, ∀ g G', G.Perm (g :: G') → (∀ g' ∈ G', score g.W p.1 p.2 ≠ score g'.W p.1 p.2) →
      S.inner g.v p.1 = 0) : ∀ g ∈ G, g.v = 0 := by
  intro g hg
  apply Classical.byContradiction
  intro hv
  obtain ⟨G', hp⟩ := perm_of_mem hg
  have hd' := (List.pairwise_cons.mp (perm_pairwise (fun _ _ hab e => hab e.symm) hp hd)).1
  have hl : G'.length + 1 ≤ N := by rwa [List.Perm.length_eq hp] at hlen
  obtain ⟨p, hpP, hD, hu⟩ := hP (G'.map fun g' => g.W - g'.W) g.v (by rw [List.length_map]; exact hl) (fun D hD e => by
    obtain ⟨g', hg', rfl⟩ := List.mem_map.mp hD
    exact hd' g' hg' (mat_eq_of_sub e)) hv
  refine hu (h p hpP g G' hp fun g' hg' e => ?_)
  exact hD _ (List.mem_map.mpr ⟨g', hg', rfl⟩) (by rw [score_sub_mat, e, sub_self])

omit [CommRing R] in
/-- The merged formal difference has at most as many heads as there are matrices. -/
private theorem length_mergeHeads_diff [DecidableEq R] {H H' : List (Head R K d)} {Ws : List (Mat R d)}
    (hH : ∀ h ∈ H, h.W ∈ Ws) (hH' : ∀ h ∈ H', h.W ∈ Ws) : (mergeHeads (H ++ negHeads H')).length ≤ Ws.length := by
  refine length_le_of_distinct Head.W (mergeHeads_distinct _) fun g hg => ?_
  obtain ⟨k, hk, e⟩ := mem_mergeHeads hg
  rw [e]
  rcases List.mem_append.mp hk with hk | hk
  · exact hH k hk
  · obtain ⟨k', hk', rfl⟩ := List.mem_map.mp hk
    exact hH' k' hk'

omit [CommRing R] in
/-- If the merged formal difference has zero values, the totals agree. -/
private theorem total_eq_of_values_zero [DecidableEq R] {H H' : List (Head R K d)}
    (h : ∀ g ∈ mergeHeads (H ++ negHeads H'), g.v = 0) (W : Mat R d) : total H W = total H' W := by
  have := total_of_values_zero h W
  rw [total_mergeHeads, total_diff] at this
  exact funext fun i => sub_eq_zero.mp (congrFun this i)

/-- **Uniqueness within a class.** Two models with at most `N` matrices in all that agree on `classTests` have the same
totals. -/
theorem class_total_mat {P : List (Vec R d × Vec R d)} {N : Nat} (hP : S.Separating P N) {H H' : List (Head R K d)}
    (Ws : List (Mat R d)) (hN : Ws.length ≤ N) (hH : ∀ h ∈ H, h.W ∈ Ws) (hH' : ∀ h ∈ H', h.W ∈ Ws)
    (h : ∀ t ∈ classTests P N, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) : ∀ W, total H W = total H' W := by
  classical
  have hG := Nat.le_trans (length_mergeHeads_diff hH hH') hN
  refine total_eq_of_values_zero (S.values_zero hP (mergeHeads_distinct _) hG fun p hp g G' hperm hs => ?_)
  refine S.inner_eq_zero_of_ladder (q := p.2) hs fun n hn => ?_
  rw [← S.evalHeads_perm hperm, evalHeads_mergeHeads, evalHeads_diff, sub_eq_zero]
  rw [List.Perm.length_eq hperm] at hG
  exact h _ (mem_ladders hp (Nat.lt_of_lt_of_le hn (Nat.succ_le_succ hG)))

/-- **Uniqueness within a class, with the fewest tests.** Two models with at most `N` matrices in all that agree on
`shortTests` have the same totals. -/
theorem short_total {P : List (Vec R d × Vec R d)} {N : Nat} (hP : S.Separating P N) {H H' : List (Head R K d)}
    (Ws : List (Mat R d)) (hN : Ws.length ≤ N) (hH : ∀ h ∈ H, h.W ∈ Ws) (hH' : ∀ h ∈ H', h.W ∈ Ws)
    (h : ∀ t ∈ shortTests P N, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) : ∀ W, total H W = total H' W := by
  classical
  have hG := Nat.le_trans (length_mergeHeads_diff hH hH') hN
  have h0 := S.valueSum_diff fun i => h ([], basis i)
    (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨i, List.mem_finRange i, rfl⟩)))
  refine total_eq_of_values_zero (S.values_zero hP (mergeHeads_distinct _) hG fun p hp g G' hperm hs => ?_)
  refine S.inner_eq_zero (q := p.2) hs (h0 ▸ funext fun j => (listSum_perm hperm _).symm) fun n hn => ?_
  rw [← S.evalHeads_perm hperm, evalHeads_mergeHeads, evalHeads_diff, sub_eq_zero]
  rw [List.Perm.length_eq hperm] at hG
  refine h _ (List.mem_append.mpr (.inr (mem_ladders hp (Nat.lt_of_lt_of_le hn ?_))))
  exact Nat.le_sub_one_of_lt hG

/-- Two models with at most `N` heads in all that agree on `classTests` have the same totals. -/
theorem class_total {P : List (Vec R d × Vec R d)} {N : Nat} (hP : S.Separating P N) {H H' : List (Head R K d)}
    (hlen : H.length + H'.length ≤ N)
    (h : ∀ t ∈ classTests P N, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) : ∀ W, total H W = total H' W :=
  S.class_total_mat hP ((H ++ H').map Head.W) (by rw [List.length_map, List.length_append]; exact hlen)
    (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inl hk), rfl⟩)
    (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inr hk), rfl⟩) h

end Semantics

/-! ## An explicit separating list: the moment curve -/

/-- The point of the moment curve with parameter `t`: `uᵢ = tⁱ`, `qⱼ = t^(d j)`. The score of a matrix at this point is
the polynomial in `t` whose coefficients are the `d²` entries. -/
def moment (d : Nat) (t : R) : Vec R d × Vec R d := (fun i => npow t i.val, fun j => npow t (d * j.val))

/-- The number of points that separates `N` matrices. -/
def points (d N : Nat) : Nat := (N - 1) * (d * d - 1) + d

/-- The first points of the moment curve, as many as separate `N` matrices. -/
def moments (R : Type) [CommRing R] (d N : Nat) : List (Vec R d × Vec R d) :=
  (down (points d N)).map fun t => moment d (natCast t)

/-- The number of points of the moment curve that are used. -/
theorem length_moments (d N : Nat) : (moments R d N).length = (N - 1) * (d * d - 1) + d := by
  rw [moments, List.length_map, length_down, points]

namespace Semantics

include S in
private theorem prime_zero : Prime fun a : R => a = 0 where
  zero := rfl
  add := fun {a b} ha hb => by rw [ha, hb, add_zero]
  mul := fun c {a} ha => by rw [ha, mul_zero]
  prime := fun {a b} h => by
    have := congrArg S.cast h
    rw [S.cast_mul, S.cast_zero] at this
    rcases mul_eq_zero this with h | h
    · exact .inl (S.cast_inj _ _ (by rw [h, S.cast_zero]))
    · exact .inr (S.cast_inj _ _ (by rw [h, S.cast_zero]))

omit [CommRing R] in
private theorem prime_zero_field : Prime fun a : K => a = 0 where
  zero := rfl
  add := fun {a b} ha hb => by rw [ha, hb, add_zero]
  mul := fun c {a} ha => by rw [ha, mul_zero]
  prime := mul_eq_zero

private theorem cast_npow (a : R) (n : Nat) : S.cast (npow a n) = npow (S.cast a) n := by
  induction n with
  | zero => exact S.cast_one
  | succ n ih => rw [npow, S.cast_mul, ih, npow]

include S in
private theorem natCast_inj_ring {m n : Nat} (h : (natCast m : R) = natCast n) : m = n := by
  have := congrArg S.cast h
  rw [S.cast_natCast, S.cast_natCast] at this
  exact natCast_inj this

private theorem le_of_not_le_sub_one {m n : Nat} (h : ¬ n ≤ m - 1) : m ≤ n := by
  cases m with
  | zero => exact Nat.zero_le n
  | succ m => exact Nat.lt_of_not_le h

include S in
/-- A nonzero matrix has score zero at no more than `d² - 1` points of the moment curve. -/
theorem atMost_score {D : Mat R d} (hD : D ≠ 0) :
    AtMost (fun t : Nat => score D (moment d (natCast t)).1 (moment d (natCast t)).2 = 0) (d * d - 1) := by
  intro l hl h
  apply Classical.byContradiction
  intro hlt
  refine hD (funext fun i => funext fun j => ?_)
  refine peval_roots S.prime_zero (l.map natCast) (flat fun j i => D i j)
    (by rw [length_flat, List.length_map]; exact le_of_not_le_sub_one hlt)
    (List.pairwise_map.mpr (hl.imp fun hne e => hne (S.natCast_inj_ring (sub_eq_zero.mp e)))) (fun t ht => ?_) _
    (mem_flat (fun j i => D i j) j i)
  obtain ⟨n, hn, rfl⟩ := List.mem_map.mp ht
  rw [← moment_score]
  exact h n hn

/-- A nonzero value vector has value zero along no more than `d - 1` points of the moment curve. -/
theorem atMost_inner {v : Vec K d} (hv : v ≠ 0) :
    AtMost (fun t : Nat => S.inner v (moment d (natCast t)).1 = 0) (d - 1) := by
  intro l hl h
  apply Classical.byContradiction
  intro hlt
  refine hv (funext fun i => ?_)
  refine peval_roots prime_zero_field (l.map natCast) (toL v)
    (by rw [length_toL, List.length_map]; exact le_of_not_le_sub_one hlt)
    (List.pairwise_map.mpr (hl.imp fun hne e => hne (natCast_inj (sub_eq_zero.mp e)))) (fun t ht => ?_) _ (mem_toL v i)
  obtain ⟨n, hn, rfl⟩ := List.mem_map.mp ht
  have e : S.inner v (moment d (natCast n)).1 = finSum fun i => v i * npow (natCast n) i.val := by
    rw [inner]
    congr; funext i
    show v i * S.cast (npow (natCast n) i.val) = _
    rw [cast_npow, cast_natCast]
  rw [← finSum_npow, ← e]
  exact h n hn

/-- **The moment curve separates.** -/
theorem moments_separating (d N : Nat) : S.Separating (moments R d N) N := by
  intro Ds v hlen hDs hv
  obtain ⟨i, -⟩ := exists_ne_zero hv
  have hd : 0 < d := Nat.lt_of_le_of_lt (Nat.zero_le _) i.isLt
  obtain ⟨t, ht, h1, h2⟩ := exists_good
    (fun (D : Mat R d) (t : Nat) => score D (moment d (natCast t)).1 (moment d (natCast t)).2 = 0)
    (d * d - 1) Ds (down (points d N)) (down_distinct _) (fun D hD => S.atMost_score (hDs D hD))
    (fun t => S.inner v (moment d (natCast t)).1 = 0) (d - 1) (S.atMost_inner hv) (by
      rw [length_down, points]
      have h2 := Nat.mul_le_mul_right (d * d - 1) (Nat.le_sub_one_of_lt hlen)
      have h3 : d - 1 < d := Nat.sub_lt hd Nat.one_pos
      exact Nat.lt_of_le_of_lt (Nat.add_le_add_right h2 _) (Nat.add_lt_add_left h3 _))
  exact ⟨_, List.mem_map.mpr ⟨t, ht, rfl⟩, h1, h2⟩

/-- **Finite, explicit test for a class.** The list `shortTests (moments R d N) N`, which does not depend on the
semantics, has `((N - 1)(d² - 1) + d)(N - 1) + d` members, no longer than `N` (or one) and made of at most two distinct
tokens each. Two models with at most `N` different score matrices in all, with any numbers of heads, compute the same
function as soon as they agree on these. -/
theorem class_finite (d N : Nat) :
    (shortTests (moments R d N) N).length = ((N - 1) * (d * d - 1) + d) * (N - 1) + d ∧
    (∀ t ∈ shortTests (moments R d N) N, Query.length t ≤ max N 1 ∧ ∃ x, ∀ y ∈ t.1, y = x ∨ y = t.2) ∧
    ∀ (Ws : List (Mat R d)) (H H' : List (Head R K d)), Ws.length ≤ N → (∀ h ∈ H, h.W ∈ Ws) → (∀ h ∈ H', h.W ∈ Ws) →
      (∀ t ∈ shortTests (moments R d N) N, S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) →
      ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q :=
  ⟨by rw [length_shortTests, length_moments], fun _ ht => shortTests_short ht,
    fun Ws H H' hlen hH hH' h => (S.fibre H H').mpr (S.short_total (S.moments_separating d N) Ws hlen hH hH' h)⟩

/-- **Finite, explicit test for `n` heads.** The list `shortTests (moments R d (2 n)) (2 n)` has
`((2 n - 1)(d² - 1) + d)(2 n - 1) + d` members of length at most `2 n` (`n ≥ 1`), made of at most two distinct tokens
each. They distinguish all models with at most `n` heads. -/
theorem class_finite_heads (d : Nat) {n : Nat} (hn : 0 < n) :
    (shortTests (moments R d (2 * n)) (2 * n)).length = ((2 * n - 1) * (d * d - 1) + d) * (2 * n - 1) + d ∧
    (∀ t ∈ shortTests (moments R d (2 * n)) (2 * n), Query.length t ≤ 2 * n ∧ ∃ x, ∀ y ∈ t.1, y = x ∨ y = t.2) ∧
    ∀ H H' : List (Head R K d), H.length ≤ n → H'.length ≤ n →
      ((∀ t ∈ shortTests (moments R d (2 * n)) (2 * n), S.evalHeads H t.1 t.2 = S.evalHeads H' t.1 t.2) ↔
        ∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) := by
  obtain ⟨hT, hs, h⟩ := S.class_finite d (2 * n)
  refine ⟨hT, fun t ht => ⟨?_, (hs t ht).2⟩, fun H H' hH hH' => ⟨fun e => ?_, fun e t _ => e t.1 t.2⟩⟩
  · rw [← Nat.max_eq_left (Nat.le_trans hn (Nat.le_mul_of_pos_left n Nat.two_pos))]
    exact (hs t ht).1
  · refine h ((H ++ H').map Head.W) H H' ?_ (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inl hk), rfl⟩)
      (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inr hk), rfl⟩) e
    rw [List.length_map, List.length_append, Nat.two_mul]
    exact Nat.add_le_add hH hH'

end Semantics

end AttentionQueries
