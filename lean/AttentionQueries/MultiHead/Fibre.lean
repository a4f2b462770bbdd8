import AttentionQueries.MultiHead.Cauchy
import AttentionQueries.MultiHead.Merge
import AttentionQueries.MultiHead.Separation
import AttentionQueries.MultiHead.Symmetry

/-! # The fibre theorem

Two lists of heads, of any lengths, compute the same function on all sequences if and only if for every score matrix `W`
the sums of the value vectors of the heads with this matrix agree. Nothing is assumed beyond the axioms of the
semantics; the theorem holds for `d = 0` and for empty lists.

The proof evaluates the difference of the two models, with equal matrices merged, on the tokens `q + u` (once) and `q`
(`n + 1` times, with the query). As a function of `ρ = n + 1` this is a sum of partial fractions with the poles
`exp (-score)`, which differ for a suitable pair `(u, q)`; by Cauchy's lemma all weights `⟪v, u⟫` vanish.

## Main definitions

* `valueSum H`: the sum of all value vectors, which is what queries of length one see.

## Main statements

* `Semantics.evalHeads_nil`: the value on a sequence of length one.
* `Semantics.evalHeads_copies`: the value on two distinct tokens with copies, as a sum of partial fractions.
* `Semantics.inner_eq_zero`: the values along one direction vanish if sufficiently many outputs do.
* `Semantics.evalHeads_eq_zero_iff`: a list of heads computes zero iff all its totals vanish.
* `Semantics.fibre`: **the fibre theorem**.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

/-- A relation that holds pairwise may be replaced by one that it implies on the members of the list. -/
theorem pairwise_of_mem {α : Type} {P Q : α → α → Prop} : ∀ {l : List α}, l.Pairwise P →
    (∀ a ∈ l, ∀ b ∈ l, P a b → Q a b) → l.Pairwise Q
  | [], _, _ => .nil
  | a :: l, h, hi => by
    rw [List.pairwise_cons] at h ⊢
    exact ⟨fun b hb => hi a List.mem_cons_self b (List.mem_cons_of_mem a hb) (h.1 b hb),
      pairwise_of_mem h.2 fun b hb c hc => hi b (List.mem_cons_of_mem a hb) c (List.mem_cons_of_mem a hc)⟩

omit [CommRing R] in
/-- The sum of the value vectors of a list of heads. -/
def valueSum (G : List (Head R K d)) : Vec K d := fun i => listSum G fun g => g.v i

namespace Semantics

/-- The functional of the sum of the value vectors. -/
theorem inner_valueSum (G : List (Head R K d)) (x : Vec R d) :
    S.inner (valueSum G) x = listSum G fun g => S.inner g.v x := by
  induction G with
  | nil => exact S.zero_inner x
  | cons g G ih => rw [listSum_cons, ← ih, ← add_inner]; rfl

/-- On a sequence of length one only the sum of the value vectors is seen. -/
theorem evalHeads_nil (G : List (Head R K d)) (q : Vec R d) : S.evalHeads G [] q = S.inner (valueSum G) q := by
  rw [inner_valueSum]
  exact listSum_congr fun g _ => S.eval_nil g.W g.v q

/-- The value on one copy of `q + u` and `n + 1` copies of `q` (with the query) is a sum of partial fractions in
`ρ = n + 1` with the poles `0` and `exp (-score)`. -/
theorem evalHeads_copies (G : List (Head R K d)) (n : Nat) (u q : Vec R d) :
    S.evalHeads G (copies 1 n u q) q = S.inner (valueSum G) q +
      cauchySum (natCast (n + 1)) (G.map fun g => (S.exp (-score g.W u q), S.inner g.v u)) := by
  rw [evalHeads, cauchySum, listSum_map, inner_valueSum, ← listSum_add]
  refine listSum_congr fun g _ => ?_
  rw [eval_copies, natCast_one, one_mul]
  congr 2
  -- `e / (e + m) = 1 / (1 + m e⁻¹)`
  have hm := mul_inv _ (pos_ne (add_pos one_pos (mul_pos _ _ (natCast_pos n) (S.exp_pos (-score g.W u q)))))
  have he := S.exp_mul_neg (score g.W u q)
  rw [div_eq_iff (pos_ne (add_pos (S.exp_pos (score g.W u q)) (natCast_pos n)))]
  generalize (1 + natCast (n + 1) * S.exp (-score g.W u q))⁻¹ = i at *
  generalize S.exp (score g.W u q) = e at *
  lin_comb (-e) hm + (natCast (n + 1) * i) he

/-- **One direction, one head.** Let the value vectors sum to zero, let the score of `g` at `(u, q)` differ from the
scores of the other heads `G`, and let the output vanish on one copy of `q + u` and `1, …, |G|` copies of `q`. Then the
value of `g` vanishes along `u`. -/
theorem inner_eq_zero {g : Head R K d} {G : List (Head R K d)} {u q : Vec R d}
    (hd : ∀ g' ∈ G, score g.W u q ≠ score g'.W u q) (h0 : valueSum (g :: G) = 0)
    (h : ∀ n, n < G.length → S.evalHeads (g :: G) (copies 1 n u q) q = 0) : S.inner g.v u = 0 := by
  refine cauchy_one ((down (G.length + 1)).map natCast) (G.map fun g => (S.exp (-score g.W u q), S.inner g.v u))
    (S.exp (-score g.W u q), S.inner g.v u) ?_ ?_ ?_ ?_ ?_
  · exact Nat.le_of_eq (by rw [List.length_map, List.length_map, length_down])
  · intro ρ hρ p hp
    obtain ⟨n, -, rfl⟩ := List.mem_map.mp hρ
    rw [← List.map_cons (f := fun g : Head R K d => (S.exp (-score g.W u q), S.inner g.v u))] at hp
    obtain ⟨g', -, rfl⟩ := List.mem_map.mp hp
    rw [add_comm, ← natCast_one, ← mul_one (natCast 1)]
    cases n with
    | zero => rw [natCast_zero, zero_mul, zero_add, natCast_one, one_mul]; exact fun e => zero_ne_one e.symm
    | succ n => rw [natCast_one, one_mul]; exact pos_ne (add_pos (mul_pos _ _ (natCast_pos n) (S.exp_pos _)) one_pos)
  · intro p hp
    obtain ⟨g', hg', rfl⟩ := List.mem_map.mp hp
    intro e
    have e' := S.exp_inj _ _ e
    exact hd g' hg' (by lin_comb (-1) e')
  · exact List.pairwise_map.mpr ((down_distinct _).imp fun hne e => hne (natCast_inj e))
  · intro ρ hρ
    obtain ⟨n, hn, rfl⟩ := List.mem_map.mp hρ
    rw [← List.map_cons (f := fun g : Head R K d => (S.exp (-score g.W u q), S.inner g.v u))]
    cases n with
    | zero => rw [natCast_zero, cauchySum_zero, listSum_map, ← inner_valueSum, h0, zero_inner]
    | succ n =>
      have e := h n (Nat.lt_of_succ_lt_succ (mem_down hn))
      rwa [evalHeads_copies, h0, zero_inner, zero_add] at e

/-- If all outputs on sequences of length one vanish, the value vectors sum to zero. -/
theorem valueSum_eq_zero {G : List (Head R K d)} (h : ∀ i, S.evalHeads G [] (basis i) = 0) : valueSum G = 0 :=
  funext fun i => by
    rw [← S.inner_basis (valueSum G), ← evalHeads_nil, h]; rfl

/-- **Independence.** Heads with pairwise distinct matrices whose sum vanishes identically have zero values. -/
theorem heads_indep {G : List (Head R K d)} (hd : G.Pairwise fun g g' => g.W ≠ g'.W)
    (h : ∀ xs q, S.evalHeads G xs q = 0) : ∀ g ∈ G, g.v = 0 := by
  intro g hg
  apply Classical.byContradiction
  intro hv
  obtain ⟨G', hp⟩ := perm_of_mem hg
  have hd' := (List.pairwise_cons.mp (perm_pairwise (fun _ _ hab e => hab e.symm) hp hd)).1
  obtain ⟨u, q, hs, hu⟩ := S.sep_scores ((g :: G').map Head.W) [g.v] fun v hv' => by
    rw [List.mem_singleton.mp hv']; exact hv
  have h' : ∀ xs q, S.evalHeads (g :: G') xs q = 0 := fun xs q => (S.evalHeads_perm hp xs q).symm.trans (h xs q)
  refine hu g.v (List.mem_singleton.mpr rfl) (S.inner_eq_zero (q := q) (G := G') (fun g' hg' => ?_)
    (S.valueSum_eq_zero fun _ => h' _ _) fun _ _ => h' _ _)
  exact hs _ (List.mem_map.mpr ⟨g, List.mem_cons_self, rfl⟩) _
    (List.mem_map.mpr ⟨g', List.mem_cons_of_mem g hg', rfl⟩) (hd' g' hg')

/-- Merging does not change the function computed. -/
theorem evalHeads_mergeHeads [DecidableEq R] (H : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (mergeHeads H) xs q = S.evalHeads H xs q :=
  listSum_mergeHeads (F := fun W v => S.eval W v xs q) (fun _ _ _ => S.eval_add _ _ _ _ _) H

/-- The formal difference of two lists of heads computes the difference of their functions. -/
theorem evalHeads_diff (H H' : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (H ++ negHeads H') xs q = S.evalHeads H xs q - S.evalHeads H' xs q := by
  rw [evalHeads_append, sub_def]
  exact congrArg _ (listSum_negHeads (F := fun W v => S.eval W v xs q) (fun _ _ _ => S.eval_add _ _ _ _ _) H')

/-- **The kernel.** A list of heads computes zero iff all its totals vanish. -/
theorem evalHeads_eq_zero_iff (H : List (Head R K d)) : (∀ xs q, S.evalHeads H xs q = 0) ↔ ∀ W, total H W = 0 := by
  classical
  constructor
  · intro h W
    rw [← total_mergeHeads]
    exact total_of_values_zero (S.heads_indep (mergeHeads_distinct H) fun xs q =>
      (S.evalHeads_mergeHeads H xs q).trans (h xs q)) W
  · intro h xs q
    rw [← evalHeads_mergeHeads]
    refine listSum_zero fun g hg => ?_
    rw [← total_of_mem (mergeHeads_distinct H) hg, total_mergeHeads, h, eval_zero]

/-- **Fibre theorem.** Two lists of heads, of any lengths, compute the same function on all sequences iff for every
matrix `W` the sums of the value vectors of their heads with score matrix `W` agree. -/
theorem fibre (H H' : List (Head R K d)) :
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ↔ ∀ W, total H W = total H' W := by
  have key := S.evalHeads_eq_zero_iff (H ++ negHeads H')
  simp only [evalHeads_diff, total_diff, sub_eq_zero] at key
  rw [key]
  exact ⟨fun h W => funext fun i => sub_eq_zero.mp (congrFun (h W) i), fun h W => by rw [h, vsub_self]⟩

end Semantics

end AttentionQueries
