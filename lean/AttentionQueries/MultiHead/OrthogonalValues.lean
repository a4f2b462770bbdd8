import AttentionQueries.MultiHead.Learner.Table
import AttentionQueries.SingleHead.Learner
import AttentionQueries.SingleHead.Optimality

/-! # Several heads with values in known orthogonal subspaces: every head is learnt by itself

If the value vector of each head lies in a known subspace, and these subspaces are orthogonal to each other, then `d`
questions of length one, which show the sum `V` of the values, show the values: they are the projections of `V`. A
multiple of `v` that is a token, the *axis* of the head, is seen by this head alone, and so is its sum with a *hidden*
token, one orthogonal to all values. There the head is learnt like a single one: one question for each score. What is
missing are the scores at the axes of the other heads. A sum of two axes is seen by their two heads, with known
residues; three questions show the two scores, and the residues say whose they are. A weight `1` or `2` keeps the
residues apart.

The assumption is the structural one of the paper on several heads, for scalar outputs.

## Main definitions
- `Orthogonal`, `InSpan`, `IsProjection`: orthogonal vectors, linear combinations, projections.
- `OrthogonalPlan`, `OrthogonalPlan.Valid`: the values with axes, hidden tokens and weights.
- `Semantics.learnOrthogonal`: the program; it computes a plan from the sum of the values.

## Main statements
- `isProjection_sum`, `IsProjection.unique`: the values are the projections of their sum.
- `Semantics.evalHeads_alone`, `Semantics.evalHeads_together`: the answers in directions seen by one or two heads.
- `Semantics.learnOrthogonal_exact`, `Semantics.learnOrthogonal_count`, `Semantics.learnOrthogonal_length`: for a valid
  plan the program returns the heads; it asks `k d² + d k (k - 1) / 2 + d` questions, of at most three tokens.
- `Semantics.exists_plan`: there are plans for orthogonal values that are multiples of tokens.
- `Semantics.exists_orthogonal_learner`: so all heads with such values in known orthogonal subspaces are learnt.
- `Semantics.orthogonal_needed`, `Semantics.multiple_needed`: what is needed for that.

## References
* arXiv 2601.16873 (v2), the assumption of orthogonal value subspaces for several heads.
-/

namespace AttentionQueries
open CommRing OrderedField SingleHead

section
variable {A : Type} [CommRing A]

private theorem finSum_pair {k : Nat} {f : Vec A k} {g h : Fin k} (hne : g ≠ h) (hf : ∀ i, i ≠ g → i ≠ h → f i = 0) :
    finSum f = f g + f h := by
  have e : finSum f = finSum fun i => (if i = g then f g else 0) + (if i = h then f h else 0) :=
    congrArg finSum (funext fun i => by
      by_cases hg : i = g
      · rw [if_pos hg, if_neg (fun e => hne (hg.symm.trans e)), hg, add_zero]
      · by_cases hh : i = h
        · rw [if_neg hg, if_pos hh, hh, zero_add]
        · rw [if_neg hg, if_neg hh, add_zero, hf i hg hh])
  rw [e, finSum_add, finSum_single g fun i hi => if_neg hi, if_pos rfl, finSum_single h fun i hi => if_neg hi,
    if_pos rfl]
end

/-- The number `k (k - 1) / 2` of pairs of `k` things. -/
private def triangle : Nat → Nat
  | 0 => 0
  | k + 1 => triangle k + k

private theorem length_triangle {α : Type} {c : Nat} : ∀ {k : Nat} (a : Nat) {f : Fin k → List α},
    (∀ i, (f i).length = (i.val + a) * c) → ((List.finRange k).flatMap f).length = (triangle k + k * a) * c
  | 0, a, f, _ => by
    rw [List.finRange_zero, Nat.zero_mul]
    exact (Nat.zero_mul c).symm
  | k + 1, a, f, h => by
    rw [List.finRange_succ, List.flatMap_cons, List.length_append, List.flatMap_map,
      length_triangle (a + 1) (f := fun i => f i.succ) fun i => by
        rw [h, Fin.val_succ, Nat.add_assoc, Nat.add_comm 1 a], h, ← Nat.add_mul]
    refine congrArg (· * c) ?_
    show 0 + a + (triangle k + k * (a + 1)) = triangle k + k + (k + 1) * a
    rw [Nat.zero_add, Nat.mul_succ, Nat.succ_mul, Nat.add_comm (k * a) k, ← Nat.add_assoc (triangle k), Nat.add_comm a,
      Nat.add_assoc]

variable {R K : Type} [CommRing R] [OrderedField K]

/-- What the learner of heads with orthogonal values works with, once it knows the values `v₁, …, vₖ`: for each head a
token, its axis, which is orthogonal to the other values, tokens orthogonal to all values, and numbers by which axes are
weighted when two of them are asked together. -/
structure OrthogonalPlan (R K : Type) (d : Nat) where
  /-- the number of heads -/
  heads : Nat
  /-- the number of hidden tokens -/
  rest : Nat
  /-- the values of the heads -/
  value : Fin heads → Vec K d
  /-- the axes of the heads -/
  axis : Fin heads → Vec R d
  /-- tokens that no head sees -/
  hidden : Fin rest → Vec R d
  /-- the weight of the axis of the second head, when it is added to that of the first one -/
  weight : Fin heads → Fin heads → R

namespace OrthogonalPlan
variable {d : Nat} (P : OrthogonalPlan R K d)

/-- The heads with the values of the plan and with given matrices. -/
def model (W : Fin P.heads → Mat R d) : List (Head R K d) := (List.finRange P.heads).map fun h => ⟨W h, P.value h⟩

/-- The direction that two heads see together. -/
def pair (g h : Fin P.heads) : Vec R d := P.axis g + smul (P.weight g h) (P.axis h)

/-- The sum of the values. -/
def total : Vec K d := fun i => finSum fun h => P.value h i

/-- The tokens at which the scores of head `h` are found beside the hidden ones: the axes, those of later heads
weighted. -/
def seen (h g : Fin P.heads) : Vec R d := if h < g then smul (P.weight h g) (P.axis g) else P.axis g

open Classical in
/-- The matrix with the scores `T` at the tokens `seen h` and `T'` at the hidden tokens, for the query tokens `eⱼ`. -/
noncomputable def matrixOfScores (h : Fin P.heads) (T : Fin P.heads → Fin d → R) (T' : Fin P.rest → Fin d → R) :
    Mat R d :=
  if hex : ∃ W : Mat R d, (∀ g j, score W (P.seen h g) (basis j) = T g j) ∧
    ∀ i j, score W (P.hidden i) (basis j) = T' i j then choose hex else 0

omit [OrderedField K] in
/-- If the scores determine a matrix, `matrixOfScores` finds it. -/
private theorem matrixOfScores_eq {h : Fin P.heads} (hu : ∀ W W' : Mat R d,
      (∀ g j, score W (P.seen h g) (basis j) = score W' (P.seen h g) (basis j)) →
      (∀ i j, score W (P.hidden i) (basis j) = score W' (P.hidden i) (basis j)) → W = W')
    {W : Mat R d} {T : Fin P.heads → Fin d → R} {T' : Fin P.rest → Fin d → R}
    (hT : ∀ g j, score W (P.seen h g) (basis j) = T g j) (hT' : ∀ i j, score W (P.hidden i) (basis j) = T' i j) :
    P.matrixOfScores h T T' = W := by
  have hex : ∃ W : Mat R d, (∀ g j, score W (P.seen h g) (basis j) = T g j) ∧
      ∀ i j, score W (P.hidden i) (basis j) = T' i j := ⟨W, hT, hT'⟩
  rw [matrixOfScores, dif_pos hex]
  have hc := Classical.choose_spec hex
  exact hu _ _ (fun g j => (hc.1 g j).trans (hT g j).symm) fun i j => (hc.2 i j).trans (hT' i j).symm

/-- The conditions on a plan. -/
structure Valid (S : Semantics R K) : Prop where
  /-- every head sees its axis -/
  visible : ∀ h, S.inner (P.value h) (P.axis h) ≠ 0
  /-- no head sees another axis -/
  axis_hidden : ∀ g h, g ≠ h → S.inner (P.value g) (P.axis h) = 0
  /-- no head sees the hidden tokens -/
  hidden : ∀ h i, S.inner (P.value h) (P.hidden i) = 0
  /-- the weights are not zero -/
  weight_ne : ∀ g h, g < h → P.weight g h ≠ 0
  /-- two heads that are asked together have different residues -/
  residue_ne : ∀ g h, g < h → S.inner (P.value g) (P.axis g) ≠ S.cast (P.weight g h) * S.inner (P.value h) (P.axis h)
  /-- their residues do not cancel -/
  residue_add_ne : ∀ g h, g < h →
    S.inner (P.value g) (P.axis g) + S.cast (P.weight g h) * S.inner (P.value h) (P.axis h) ≠ 0
  /-- axes and hidden tokens together span -/
  span : ∀ z : Vec R d, (∀ h, (finSum fun i => P.axis h i * z i) = 0) →
    (∀ j, (finSum fun i => P.hidden j i * z i) = 0) → z = 0

/-- Three questions for head `g` and every earlier head, and the table of the answers. -/
def askPairs (g : Fin P.heads) (q : Vec R d) :
    QueryProgram (Query R d) K (Fin P.heads → Fin (2 * 2 - 1) → K) :=
  (QueryProgram.forFin fun h : Fin g.val =>
    askDirection K 2 (P.pair ⟨h.val, Nat.lt_trans h.isLt g.isLt⟩ g) q).bind fun C =>
  .done fun h => if hlt : h < g then C ⟨h.val, hlt⟩ else fun _ => 0
end OrthogonalPlan

namespace Semantics
variable (S : Semantics R K) {d : Nat} (P : OrthogonalPlan R K d)

private theorem inner_planTotal (x : Vec R d) :
    S.inner P.total x = finSum fun h => S.inner (P.value h) x := by
  rw [inner, show (fun i => P.total i * S.cast (x i)) = fun i => finSum fun h => P.value h i * S.cast (x i) from
    funext fun i => (finSum_mul_right (S.cast (x i)) fun h => P.value h i).symm, finSum_comm]
  rfl

private theorem evalHeads_model (W : Fin P.heads → Mat R d) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (P.model W) xs q = finSum fun h => S.eval (W h) (P.value h) xs q := by
  rw [evalHeads, OrthogonalPlan.model, listSum_map, ← finSum_eq_listSum]

/-- **A direction seen by one head**: the answer to one question is that of this head alone. -/
theorem evalHeads_alone (W : Fin P.heads → Mat R d) {h : Fin P.heads} {u q : Vec R d}
    (hu : ∀ g, g ≠ h → S.inner (P.value g) u = 0) :
    S.evalHeads (P.model W) [q + u] q = S.inner P.total q +
      S.inner (P.value h) u * (S.exp (score (W h) u q) / (S.exp (score (W h) u q) + 1)) := by
  rw [evalHeads_model, finSum_congr fun g => S.eval_one (W g) (P.value g) u q, finSum_add, inner_planTotal,
    finSum_single (v := fun g => S.inner (P.value g) u *
      (S.exp (score (W g) u q) / (S.exp (score (W g) u q) + 1))) h fun g hg => by rw [hu g hg, zero_mul]]

/-- **A direction seen by two heads**: the answers are those of these two heads. -/
theorem evalHeads_together (W : Fin P.heads → Mat R d) {g h : Fin P.heads} (hne : g ≠ h) {u q : Vec R d}
    (hu : ∀ i, i ≠ g → i ≠ h → S.inner (P.value i) u = 0) (p : Nat × Nat) :
    S.evalHeads (P.model W) (copies (p.1 + 1) p.2 u q) q = S.inner P.total q + cauchySum (rho p) (S.poles
      [(score (W g) u q, S.inner (P.value g) u), (score (W h) u q, S.inner (P.value h) u)]) := by
  rw [evalHeads_ratio, OrthogonalPlan.model, listSum_map, ← finSum_eq_listSum, inner_planTotal]
  refine congrArg (_ + ·) ?_
  rw [poles, shadow, List.map_map, List.map_map, cauchySum, listSum_map, ← finSum_eq_listSum, finSum_pair hne]
  · show _ = _ + (_ + 0)
    rw [add_zero]
    rfl
  · intro i hg hh
    show S.inner (P.value i) u * _ = 0
    rw [hu i hg hh, zero_mul]

/-! ## the program -/

private theorem score_unique (hP : P.Valid S) (h : Fin P.heads) {W W' : Mat R d}
    (hx : ∀ g j, score W (P.seen h g) (basis j) = score W' (P.seen h g) (basis j))
    (hc : ∀ i j, score W (P.hidden i) (basis j) = score W' (P.hidden i) (basis j)) : W = W' := by
  have key : ∀ x : Vec R d, ∀ j, score W x (basis j) = score W' x (basis j) →
      (finSum fun i => x i * (W - W') i j) = 0 := fun x j e => by
    rw [← finSum_congr fun i => congrArg (x i * ·) (mulVec_basis (W - W') i j)]
    show score (W - W') x (basis j) = 0
    rw [score_sub_mat, e, sub_self]
  have hz : ∀ j, (fun i => (W - W') i j) = 0 := fun j => hP.span _ (fun g => by
    have e := key _ j (hx g j)
    rw [OrthogonalPlan.seen] at e
    split at e
    · rename_i hlt
      rw [show (fun i => smul (P.weight h g) (P.axis g) i * (W - W') i j) =
        fun i => P.weight h g * (P.axis g i * (W - W') i j) from funext fun i => mul_assoc _ _ _, finSum_mul] at e
      exact (S.isDomain.mul_eq_zero _ _ e).resolve_left (hP.weight_ne h g hlt)
    · exact e) fun i => key _ j (hc i j)
  exact funext fun i => funext fun j => sub_eq_zero.mp (congrFun (hz j) i)

section
variable [DecidableEq K] (log : K → Option R) (dec : K → (Fin (2 * 2 - 1) → K) → List (R × K))

/-- The score of head `h` from the answer in a direction which it alone sees. -/
def scoreAlone (h : Fin P.heads) (u q : Vec R d) (y : K) : R :=
  (decode log (S.inner (P.value h) u) (y - S.inner P.total q)).getD 0

/-- The score of head `i` from the three answers in a direction that two heads see, one of them `i`: the score that
comes with its residue, or with the sum of the two if the heads have the same score. -/
def scoreTogether (i : Fin P.heads) (u q : Vec R d) (y : Fin (2 * 2 - 1) → K) : R :=
  (firstPair (fun p => p.2 = S.inner (P.value i) u ∨ p.2 = S.inner P.total u)
    (S.decodeDirection dec P.total u q y)).1

/-- The scores of head `h` at the axes, those of later heads weighted, from the scores `s` at its own axis and the
answers `C` in the directions seen by two heads. -/
def axisScores (s : Fin d → R) (C : Fin d → Fin P.heads → Fin P.heads → Fin (2 * 2 - 1) → K)
    (h g : Fin P.heads) (j : Fin d) : R :=
  if h < g then S.scoreTogether P dec h (P.pair h g) (basis j) (C j g h) - s j
  else if g < h then
    S.scoreTogether P dec h (P.pair g h) (basis j) (C j h g) - P.weight g h * s j
  else s j

/-- **The scores of heads with known values**: for every query token `eⱼ` one question for the axis of each head, one
for the axis and each hidden token, and three for each pair of heads. -/
noncomputable def orthogonalScores : QueryProgram (Query R d) K (List (Head R K d)) :=
  (QueryProgram.forFin fun j => .forFin fun h => .ask1 ([basis j + P.axis h], basis j)).bind fun A =>
  (QueryProgram.forFin fun j => .forFin fun h => .forFin fun i =>
    .ask1 ([basis j + (P.axis h + P.hidden i)], basis j)).bind fun B =>
  (QueryProgram.forFin fun j => .forFin fun g => P.askPairs g (basis j)).bind fun C =>
  .done (P.model fun h => P.matrixOfScores h
    (S.axisScores P dec (fun j => S.scoreAlone P log h (P.axis h) (basis j) (A j h)) C h)
    fun i j => S.scoreAlone P log h (P.axis h + P.hidden i) (basis j) (B j h i) -
      S.scoreAlone P log h (P.axis h) (basis j) (A j h))

/-- **The learner**: `d` questions of length one give the sum of the values, which determines a plan; then the scores
are asked. -/
noncomputable def learnOrthogonal (plan : Vec K d → OrthogonalPlan R K d) :
    QueryProgram (Query R d) K (List (Head R K d)) :=
  (QueryProgram.forFin fun a => .ask1 ([], basis a)).bind fun V => S.orthogonalScores (plan V) log dec
end

/-! ## the count -/

private theorem length_flatMap_finRange {α : Type} {m c : Nat} {f : Fin m → List α} (h : ∀ i, (f i).length = c) :
    ((List.finRange m).flatMap f).length = m * c := by
  rw [length_flatMap_const h, List.length_finRange]

private theorem length_orthogonalScores [DecidableEq K] (log : K → Option R)
    (dec : K → (Fin (2 * 2 - 1) → K) → List (R × K)) (o : Query R d → K) :
    ((S.orthogonalScores P log dec).queries o).length =
      d * (P.heads * 1) + (d * (P.heads * (P.rest * 1)) + d * (triangle P.heads * 3)) := by
  rw [orthogonalScores, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_bind,
    QueryProgram.queries_forFin, QueryProgram.queries_forFin, QueryProgram.queries_forFin, List.length_append,
    List.length_append, List.length_append]
  rw [length_flatMap_finRange (c := P.heads * 1) fun j => by
      rw [QueryProgram.queries_forFin, length_flatMap_finRange (c := 1) fun _ => rfl],
    length_flatMap_finRange (c := P.heads * (P.rest * 1)) fun j => by
      rw [QueryProgram.queries_forFin, length_flatMap_finRange fun h => by
        rw [QueryProgram.queries_forFin, length_flatMap_finRange (c := 1) fun _ => rfl]],
    length_flatMap_finRange (c := triangle P.heads * 3) fun j => by
      rw [QueryProgram.queries_forFin, length_triangle (c := 3) 0 fun g => by
        rw [OrthogonalPlan.askPairs, QueryProgram.queries_bind, QueryProgram.queries_forFin, List.length_append,
          length_flatMap_finRange (c := 3) fun h => length_askDirection o 2 _ _, Nat.add_zero]
        rfl, Nat.mul_zero, Nat.add_zero]]
  rfl

/-! ## what is found -/

private theorem read_pair [DecidableEq K] {dec : K → (Fin (2 * 2 - 1) → K) → List (R × K)} (hdec : S.IsDecoder 2 dec)
    {s s' : R} {b b' : K} (hb : b ≠ 0) (hb' : b' ≠ 0) (hne : b ≠ b') (hsum : b + b' ≠ 0) {l : List (R × K)}
    (hl : l = dec (b + b') fun i => cauchySum (rho (ratio 2 i.val)) (S.poles [(s, b), (s', b')])) :
    (firstPair (fun p => p.2 = b ∨ p.2 = b + b') l).1 = s ∧
      (firstPair (fun p => p.2 = b' ∨ p.2 = b + b') l).1 = s' := by
  have h1 : b + b' ≠ b := fun e => hb' (by lin_comb (1) e)
  have h2 : b + b' ≠ b' := fun e => hb (by lin_comb (1) e)
  by_cases hs : s = s'
  · subst hs
    have h := hdec.exact [(s, b + b')] (Nat.le_succ 1) (List.pairwise_singleton _ _) fun p hp => by
      rw [List.mem_singleton.mp hp]
      exact hsum
    have e : (fun i : Fin (2 * 2 - 1) => cauchySum (rho (ratio 2 i.val)) (S.poles [(s, b + b')])) =
        fun i => cauchySum (rho (ratio 2 i.val)) (S.poles [(s, b), (s, b')]) :=
      funext fun i => (poles_distinct_needed (S.exp (-s)) b b' _).symm
    rw [listSum_cons, listSum_nil, add_zero, e, ← hl] at h
    have hm : (s, b + b') ∈ l := (List.Perm.mem_iff h).mpr List.mem_cons_self
    have hu : ∀ t' ∈ l, t' = (s, b + b') := fun t' ht => List.mem_singleton.mp ((List.Perm.mem_iff h).mp ht)
    rw [firstPair_eq (t := (s, b + b')) (.inr rfl) hm fun t' ht _ => hu t' ht,
      firstPair_eq (t := (s, b + b')) (.inr rfl) hm fun t' ht _ => hu t' ht]
    exact ⟨rfl, rfl⟩
  · have h := hdec.exact [(s, b), (s', b')] (Nat.le_refl 2) (List.pairwise_cons.mpr ⟨fun p hp => by
      rw [List.mem_singleton.mp hp]; exact hs, List.pairwise_singleton _ _⟩) fun p hp => by
        rcases List.mem_cons.mp hp with rfl | hp
        · exact hb
        · rw [List.mem_singleton.mp hp]; exact hb'
    rw [listSum_cons, listSum_cons, listSum_nil, add_zero, ← hl] at h
    have hm : ∀ t, t ∈ l ↔ t = (s, b) ∨ t = (s', b') := fun t => by
      rw [List.Perm.mem_iff h, List.mem_cons, List.mem_singleton]
    rw [firstPair_eq (t := (s, b)) (.inl rfl) ((hm _).mpr (.inl rfl)) fun t' ht hP => ?_,
      firstPair_eq (t := (s', b')) (.inl rfl) ((hm _).mpr (.inr rfl)) fun t' ht hP => ?_]
    · exact ⟨rfl, rfl⟩
    · rcases (hm t').mp ht with rfl | rfl
      · rcases hP with e | e
        · exact absurd e hne
        · exact absurd (Eq.symm e) h1
      · rfl
    · rcases (hm t').mp ht with rfl | rfl
      · rfl
      · rcases hP with e | e
        · exact absurd (Eq.symm e) hne
        · exact absurd (Eq.symm e) h2

variable [DecidableEq K] {log : K → Option R} {dec : K → (Fin (2 * 2 - 1) → K) → List (R × K)}
  {W : Fin P.heads → Mat R d} {o : Query R d → K}

private theorem scoreAlone_eq (hlog : ∀ s, log (S.exp s) = some s) (ho : ∀ t, o t = S.evalHeads (P.model W) t.1 t.2)
    {h : Fin P.heads} {u q : Vec R d} (hu : ∀ g, g ≠ h → S.inner (P.value g) u = 0) (h0 : S.inner (P.value h) u ≠ 0) :
    S.scoreAlone P log h u q (o ([q + u], q)) = score (W h) u q := by
  rw [scoreAlone, ho, S.evalHeads_alone P W hu, sub_def, add_comm, ← add_assoc, neg_add, zero_add,
    S.decode_exp hlog h0]
  rfl

omit [DecidableEq K] in
private theorem inner_pair (x : Vec K d) (g h : Fin P.heads) :
    S.inner x (P.pair g h) = S.inner x (P.axis g) + S.cast (P.weight g h) * S.inner x (P.axis h) := by
  rw [OrthogonalPlan.pair, inner_add, inner_smul]

private theorem scoreTogether_eq (hP : P.Valid S) (hdec : S.IsDecoder 2 dec)
    (ho : ∀ t, o t = S.evalHeads (P.model W) t.1 t.2) {g h : Fin P.heads} (hlt : g < h) (q : Vec R d) :
    S.scoreTogether P dec g (P.pair g h) q ((askDirection K 2 (P.pair g h) q).run o) =
        score (W g) (P.pair g h) q ∧
      S.scoreTogether P dec h (P.pair g h) q ((askDirection K 2 (P.pair g h) q).run o) =
        score (W h) (P.pair g h) q := by
  have hne : g ≠ h := fun e => Nat.lt_irrefl h.val (by rw [e] at hlt; exact hlt)
  have eg : S.inner (P.value g) (P.pair g h) = S.inner (P.value g) (P.axis g) := by
    rw [inner_pair, hP.axis_hidden g h hne, mul_zero, add_zero]
  have eh : S.inner (P.value h) (P.pair g h) = S.cast (P.weight g h) * S.inner (P.value h) (P.axis h) := by
    rw [inner_pair, hP.axis_hidden h g hne.symm, zero_add]
  have hu : ∀ i, i ≠ g → i ≠ h → S.inner (P.value i) (P.pair g h) = 0 := fun i hg hh => by
    rw [inner_pair, hP.axis_hidden i g hg, hP.axis_hidden i h hh, mul_zero, add_zero]
  have hw : S.cast (P.weight g h) ≠ 0 := fun e => hP.weight_ne g h hlt (S.cast_inj _ _ (e.trans S.cast_zero.symm))
  have ht : S.inner P.total (P.pair g h) = S.inner (P.value g) (P.pair g h) + S.inner (P.value h) (P.pair g h) := by
    rw [inner_planTotal, finSum_pair hne hu]
  unfold scoreTogether
  rw [ht]
  refine S.read_pair hdec (by rw [eg]; exact hP.visible g) (by rw [eh]; exact mul_ne_zero hw (hP.visible h))
    (by rw [eg, eh]; exact hP.residue_ne g h hlt) (by rw [eg, eh]; exact hP.residue_add_ne g h hlt) ?_
  rw [decodeDirection, ht]
  refine congrArg (dec _) (funext fun i => ?_)
  rw [askDirection, QueryProgram.run_forFin]
  show o (copies _ _ (P.pair g h) q, q) - _ = _
  rw [ho, S.evalHeads_together P W hne hu]
  ring

omit [DecidableEq K] in
private theorem run_askPairs {h g : Fin P.heads} (hlt : h < g) (q : Vec R d) :
    (P.askPairs g q).run o h = (askDirection K 2 (P.pair h g) q).run o := by
  rw [OrthogonalPlan.askPairs, QueryProgram.run_bind, QueryProgram.run_forFin]
  show (if hlt : h < g then (askDirection K 2 (P.pair ⟨h.val, _⟩ g) q).run o else fun _ => 0) = _
  rw [dif_pos hlt]

private theorem run_orthogonalScores (hP : P.Valid S) (hlog : ∀ s, log (S.exp s) = some s) (hdec : S.IsDecoder 2 dec)
    (ho : ∀ t, o t = S.evalHeads (P.model W) t.1 t.2) : (S.orthogonalScores P log dec).run o = P.model W := by
  have ha : ∀ h j, S.scoreAlone P log h (P.axis h) (basis j) (o ([basis j + P.axis h], basis j)) =
      score (W h) (P.axis h) (basis j) := fun h j =>
    S.scoreAlone_eq P hlog ho (fun g hg => hP.axis_hidden g h hg) (hP.visible h)
  have hb : ∀ h i j, S.scoreAlone P log h (P.axis h + P.hidden i) (basis j)
      (o ([basis j + (P.axis h + P.hidden i)], basis j)) = score (W h) (P.axis h + P.hidden i) (basis j) :=
    fun h i j => S.scoreAlone_eq P hlog ho
      (fun g hg => by rw [inner_add, hP.axis_hidden g h hg, hP.hidden, add_zero])
      (by rw [inner_add, hP.hidden, add_zero]; exact hP.visible h)
  rw [orthogonalScores, QueryProgram.run_bind, QueryProgram.run_bind, QueryProgram.run_bind]
  simp only [QueryProgram.run_forFin]
  show P.model _ = P.model W
  refine congrArg P.model (funext fun h => ?_)
  refine P.matrixOfScores_eq (fun W₁ W₂ => S.score_unique P hP h) (fun g j => ?_) fun i j => ?_
  · show score (W h) (P.seen h g) (basis j) = S.axisScores P dec (fun j => S.scoreAlone P log h (P.axis h) (basis j)
      (o ([basis j + P.axis h], basis j))) _ h g j
    rw [axisScores, OrthogonalPlan.seen]
    split
    · rename_i hlt
      have e : S.scoreTogether P dec h (P.pair h g) (basis j) ((P.askPairs g (basis j)).run o h) =
        score (W h) (P.pair h g) (basis j) :=
          (congrArg _ (run_askPairs P hlt _)).trans (S.scoreTogether_eq P hP hdec ho hlt (basis j)).1
      refine Eq.trans ?_ (congr (congrArg (fun x y => x - y) e) (ha h j)).symm
      rw [OrthogonalPlan.pair, score_add]
      ring
    · rename_i hnlt
      split
      · rename_i hlt
        have e : S.scoreTogether P dec h (P.pair g h) (basis j) ((P.askPairs h (basis j)).run o g) =
          score (W h) (P.pair g h) (basis j) :=
            (congrArg _ (run_askPairs P hlt _)).trans (S.scoreTogether_eq P hP hdec ho hlt (basis j)).2
        refine Eq.trans ?_ (congr (congrArg (fun x y => x - P.weight g h * y) e) (ha h j)).symm
        rw [OrthogonalPlan.pair, score_add, score_smul]
        ring
      · rename_i hnlt'
        have e : g = h := Fin.ext (Nat.le_antisymm (Nat.le_of_not_lt hnlt) (Nat.le_of_not_lt hnlt'))
        subst e
        exact (ha g j).symm
  · show _ = S.scoreAlone P log h _ _ (o _) - S.scoreAlone P log h _ _ (o _)
    rw [ha, hb, score_add]
    ring

/-- **Heads with known subspaces, one by one**: against a model with the values of a valid plan, which the learner finds
from the sum of the values, it returns the heads, in the order of the plan. -/
theorem learnOrthogonal_exact {plan : Vec K d → OrthogonalPlan R K d} (hP : P.Valid S) (hplan : plan P.total = P)
    (hlog : ∀ s, log (S.exp s) = some s) (hdec : S.IsDecoder 2 dec) (W : Fin P.heads → Mat R d)
    (ho : ∀ t, o t = S.evalHeads (P.model W) t.1 t.2) : (S.learnOrthogonal log dec plan).run o = P.model W := by
  have hV : (fun a => o ([], basis a)) = P.total := funext fun a => by
    rw [ho, evalHeads_model, finSum_congr fun g => S.eval_nil (W g) (P.value g) (basis a)]
    exact finSum_congr fun g => S.inner_basis _ a
  rw [learnOrthogonal, QueryProgram.run_bind, QueryProgram.run_forFin]
  show (S.orthogonalScores (plan fun a => o ([], basis a)) log dec).run o = _
  rw [hV, hplan]
  exact S.run_orthogonalScores P hP hlog hdec ho

private theorem triangle_mul_two : ∀ k, triangle k * 2 = k * (k - 1)
  | 0 => rfl
  | 1 => rfl
  | k + 2 => by
    show (triangle (k + 1) + (k + 1)) * 2 = (k + 2) * (k + 1)
    rw [Nat.add_mul, triangle_mul_two (k + 1), Nat.add_sub_cancel, Nat.mul_comm (k + 2), ← Nat.mul_add]

private theorem count_eq {k r d : Nat} (h : k + r = d) :
    d * (k * 1) + (d * (k * (r * 1)) + d * (triangle k * 3)) = k * (d * d) + d * (k * (k - 1) / 2) := by
  have ht : k * (k - 1) / 2 = triangle k := by
    rw [← triangle_mul_two, Nat.mul_div_cancel _ (Nat.succ_pos 1)]
  have hk : k + triangle k * 2 = k * k := by
    rw [triangle_mul_two]
    cases k with
    | zero => rfl
    | succ k => rw [Nat.add_sub_cancel, Nat.add_comm, ← Nat.mul_succ]
  have e : k * 1 + (k * (r * 1) + triangle k * 3) = k * d + triangle k := by
    rw [Nat.mul_one, Nat.mul_one, ← h, Nat.mul_add, ← hk, Nat.mul_succ (triangle k) 2, ← Nat.add_assoc,
      ← Nat.add_assoc, Nat.add_right_comm k]
  rw [ht, ← Nat.mul_add, ← Nat.mul_add, e, Nat.mul_add, ← Nat.mul_assoc, ← Nat.mul_assoc, Nat.mul_comm d k]

/-- **Query count**, against any oracle: `k d² + d k (k - 1) / 2 + d` for a plan with `k` heads and `d - k` hidden
tokens. -/
theorem learnOrthogonal_count (log : K → Option R) (dec : K → (Fin (2 * 2 - 1) → K) → List (R × K))
    {plan : Vec K d → OrthogonalPlan R K d} (o : Query R d → K) (hplan : plan (fun a => o ([], basis a)) = P)
    (hd : P.heads + P.rest = d) : ((S.learnOrthogonal log dec plan).queries o).length =
      P.heads * (d * d) + d * (P.heads * (P.heads - 1) / 2) + d := by
  rw [learnOrthogonal, QueryProgram.queries_bind, QueryProgram.queries_forFin, List.length_append,
    length_flatMap_finRange (c := 1) fun _ => rfl, QueryProgram.run_forFin]
  show d * 1 + ((S.orthogonalScores (plan fun a => o ([], basis a)) log dec).queries o).length = _
  rw [hplan, length_orthogonalScores, count_eq hd, Nat.mul_one, Nat.add_comm]

/-- **Query length**, against any oracle: at most three tokens. -/
theorem learnOrthogonal_length (log : K → Option R) (dec : K → (Fin (2 * 2 - 1) → K) → List (R × K))
    (plan : Vec K d → OrthogonalPlan R K d) (o : Query R d → K) :
    ∀ t ∈ (S.learnOrthogonal log dec plan).queries o, t.1.length ≤ 2 := by
  intro t ht
  rw [learnOrthogonal, QueryProgram.queries_bind, QueryProgram.queries_forFin] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨a, -, ht⟩ := List.mem_flatMap.mp ht
    rw [List.mem_singleton.mp ht]
    exact Nat.zero_le 2
  rw [orthogonalScores, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_bind,
    QueryProgram.queries_forFin, QueryProgram.queries_forFin, QueryProgram.queries_forFin] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨j, -, ht⟩ := List.mem_flatMap.mp ht
    rw [QueryProgram.queries_forFin] at ht
    obtain ⟨h, -, ht⟩ := List.mem_flatMap.mp ht
    rw [List.mem_singleton.mp ht]
    exact Nat.le_succ 1
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨j, -, ht⟩ := List.mem_flatMap.mp ht
    rw [QueryProgram.queries_forFin] at ht
    obtain ⟨h, -, ht⟩ := List.mem_flatMap.mp ht
    rw [QueryProgram.queries_forFin] at ht
    obtain ⟨i, -, ht⟩ := List.mem_flatMap.mp ht
    rw [List.mem_singleton.mp ht]
    exact Nat.le_succ 1
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨j, -, ht⟩ := List.mem_flatMap.mp ht
    rw [QueryProgram.queries_forFin] at ht
    obtain ⟨g, -, ht⟩ := List.mem_flatMap.mp ht
    rw [OrthogonalPlan.askPairs, QueryProgram.queries_bind, QueryProgram.queries_forFin] at ht
    rcases List.mem_append.mp ht with ht | ht
    · obtain ⟨h, -, ht⟩ := List.mem_flatMap.mp ht
      exact length_le_of_mem_askDirection ht
    · cases ht
  · cases ht
end Semantics

/-! ## orthogonal subspaces -/
section
variable {A : Type} [CommRing A] {d : Nat}

/-- The vectors `x` and `y` are orthogonal: `∑ xᵢ yᵢ = 0`. -/
def Orthogonal (x y : Vec A d) : Prop := (finSum fun i => x i * y i) = 0

private theorem Orthogonal.symm {x y : Vec A d} (h : Orthogonal x y) : Orthogonal y x :=
  (finSum_congr fun i => mul_comm (y i) (x i)).trans h

private theorem pairwise_get {α : Type} {Q : α → α → Prop} (hQ : ∀ a b, Q a b → Q b a) : ∀ {l : List α},
    l.Pairwise Q → ∀ i j : Fin l.length, i ≠ j → Q (l.get i) (l.get j)
  | a :: l, h, i, j, hne => by
    rw [List.pairwise_cons] at h
    have hm : ∀ i : Fin l.length, l.get i ∈ l := fun i => List.getElem_mem i.isLt
    induction i using Fin.cases with
    | zero =>
      induction j using Fin.cases with
      | zero => exact absurd rfl hne
      | succ j => exact h.1 _ (hm j)
    | succ i =>
      induction j using Fin.cases with
      | zero => exact hQ _ _ (h.1 _ (hm i))
      | succ j => exact pairwise_get hQ h.2 i j fun e => hne (congrArg Fin.succ e)

/-- a list as a family -/
private theorem exists_family {α : Type} {Q : α → α → Prop} (hQ : ∀ a b, Q a b → Q b a) : ∀ {l : List α},
    l.Pairwise Q → ∃ (n : Nat) (f : Fin n → α), (List.finRange n).map f = l ∧ ∀ i j, i ≠ j → Q (f i) (f j)
  | [], _ => ⟨0, fun i => i.elim0, by rw [List.finRange_zero]; rfl, fun i => i.elim0⟩
  | a :: l, h => by
    rw [List.pairwise_cons] at h
    obtain ⟨n, f, rfl, hf⟩ := exists_family hQ h.2
    have hm : ∀ i, f i ∈ (List.finRange n).map f := fun i => List.mem_map.mpr ⟨i, List.mem_finRange i, rfl⟩
    refine ⟨n + 1, Fin.cases a f, ?_, fun i j hne => ?_⟩
    · rw [List.finRange_succ, List.map_cons, List.map_map]
      rfl
    · induction i using Fin.cases with
      | zero =>
        induction j using Fin.cases with
        | zero => exact absurd rfl hne
        | succ j => exact h.1 _ (hm j)
      | succ i =>
        induction j using Fin.cases with
        | zero => exact hQ _ _ (h.1 _ (hm i))
        | succ j => exact hf i j fun e => hne (congrArg Fin.succ e)

/-- in dimension `d` there are at most `d` pairwise orthogonal vectors that are not isotropic -/
private theorem length_le_of_orthogonal (hA : IsDomain A) {l : List (Vec A d)} (ho : l.Pairwise Orthogonal)
    (h0 : ∀ x ∈ l, ¬ Orthogonal x x) : l.length ≤ d := by
  apply Nat.le_of_not_lt
  intro hlt
  obtain ⟨y, hy, hsol⟩ := exists_ne_zero_solution hA ((List.finRange d).map fun i (j : Fin l.length) => l.get j i)
    (by rwa [List.length_map, List.length_finRange])
  refine hy (funext fun j => ?_)
  have hj : ∀ i : Fin d, (finSum fun j => l.get j i * y j) = 0 := fun i =>
    hsol _ (List.mem_map.mpr ⟨i, List.mem_finRange i, rfl⟩)
  have e : (finSum fun j' => (finSum fun i => l.get j i * l.get j' i) * y j') = 0 := by
    rw [finSum_congr fun j' => (finSum_mul_right (y j') fun i => l.get j i * l.get j' i).symm, finSum_comm]
    refine finSum_zero fun i => ?_
    rw [show (fun j' => l.get j i * l.get j' i * y j') = fun j' => l.get j i * (l.get j' i * y j') from
      funext fun j' => mul_assoc _ _ _, finSum_mul, hj, mul_zero]
  rw [finSum_single (v := fun j' => (finSum fun i => l.get j i * l.get j' i) * y j') j fun j' hne => by
    rw [show (finSum fun i => l.get j i * l.get j' i) = 0 from
      pairwise_get (fun _ _ => Orthogonal.symm) ho j j' hne.symm, zero_mul]] at e
  exact (hA.mul_eq_zero _ _ e).resolve_left (h0 _ (List.getElem_mem j.isLt))

private theorem exists_complement (hA : IsDomain A) (hsq : ∀ x : Vec A d, Orthogonal x x → x = 0)
    (l : List (Vec A d)) : ∀ r, l.length + r ≤ d → ∃ m : List (Vec A d), m.length = r ∧ m.Pairwise Orthogonal ∧
      (∀ x ∈ m, x ≠ 0) ∧ ∀ x ∈ l, ∀ y ∈ m, Orthogonal x y
  | 0, _ => ⟨[], rfl, .nil, fun _ h => (nomatch h), fun _ _ _ h => nomatch h⟩
  | r + 1, hr => by
    obtain ⟨m, rfl, hm, h0, hl⟩ := exists_complement hA hsq l r (Nat.le_trans (Nat.le_succ _) hr)
    obtain ⟨x, hx, hsol⟩ := exists_ne_zero_solution hA (l ++ m) (by rw [List.length_append]; exact hr)
    refine ⟨x :: m, rfl, List.pairwise_cons.mpr ⟨fun y hy => Orthogonal.symm (hsol y (List.mem_append.mpr (.inr hy))),
      hm⟩, fun y hy => ?_, fun y hy z hz => ?_⟩
    · rcases List.mem_cons.mp hy with rfl | hy
      · exact hx
      · exact h0 y hy
    · rcases List.mem_cons.mp hz with rfl | hz
      · exact hsol y (List.mem_append.mpr (.inl hy))
      · exact hl y hy z hz
end

section
variable {d : Nat}

private theorem zero_or_pos : ∀ {d : Nat} (v : Vec K d), (∀ i, v i = 0) ∨ 0 < finSum fun i => v i * v i
  | 0, _ => .inl fun i => i.elim0
  | d + 1, v => by
    have hsq : v 0 = 0 ∨ 0 < v 0 * v 0 := by
      rcases lt_total 0 (v 0) with h | h | h
      · exact .inr (mul_pos _ _ h h)
      · exact .inl h.symm
      · have h1 := add_lt _ _ (-v 0) h
        rw [add_neg, zero_add] at h1
        have h2 := mul_pos _ _ h1 h1
        rw [show -v 0 * -v 0 = v 0 * v 0 by ring] at h2
        exact .inr h2
    rcases zero_or_pos fun i => v i.succ with h | h
    · have e : (finSum fun i : Fin d => v i.succ * v i.succ) = 0 := finSum_zero fun i => by rw [h i, zero_mul]
      rcases hsq with h0 | h0
      · refine .inl fun i => ?_
        induction i using Fin.cases with
        | zero => exact h0
        | succ i => exact h i
      · right
        rw [finSum_succ, e, add_zero]
        exact h0
    · right
      rw [finSum_succ]
      rcases hsq with h0 | h0
      · rw [h0, zero_mul, zero_add]
        exact h
      · exact add_pos h0 h

private theorem eq_zero_of_orthogonal {v : Vec K d} (h : Orthogonal v v) : v = 0 := by
  rcases zero_or_pos v with h0 | h0
  · exact funext h0
  · rw [show (finSum fun i => v i * v i) = 0 from h] at h0
    exact absurd h0 (lt_irrefl _)

/-- The vector `v` is a linear combination of the vectors of the list `B`. -/
def InSpan (B : List (Vec K d)) (v : Vec K d) : Prop := ∃ c : Vec K d → K, ∀ i, v i = listSum B fun b => c b * b i

/-- Orthogonality to the vectors of a list carries over to their combinations. -/
theorem InSpan.orthogonal {B : List (Vec K d)} {v w : Vec K d} (hv : InSpan B v) (hw : ∀ b ∈ B, Orthogonal b w) :
    Orthogonal v w := by
  obtain ⟨c, hc⟩ := hv
  have h : ∀ l : List (Vec K d), (finSum fun i => (listSum l fun b => c b * b i) * w i) =
      listSum l fun b => c b * finSum fun i => b i * w i := fun l => by
    induction l with
    | nil => exact finSum_zero fun i => zero_mul _
    | cons b l ih =>
      rw [listSum_cons, ← ih, ← finSum_mul, ← finSum_add]
      exact finSum_congr fun i => by rw [listSum_cons]; ring
  rw [Orthogonal, finSum_congr fun i => by rw [hc i], h]
  exact listSum_zero fun b hb => by rw [show (finSum fun i => b i * w i) = 0 from hw b hb, mul_zero]

private theorem InSpan.sub {B : List (Vec K d)} {v w : Vec K d} (hv : InSpan B v) (hw : InSpan B w) :
    InSpan B (v - w) := by
  obtain ⟨c, hc⟩ := hv
  obtain ⟨c', hc'⟩ := hw
  refine ⟨fun b => c b - c' b, fun i => ?_⟩
  rw [vsub_app, hc, hc', show (fun b : Vec K d => (c b - c' b) * b i) = fun b => c b * b i + -1 * (c' b * b i) from
    funext fun b => by ring, listSum_add, listSum_mul]
  ring

/-- The vector `p` is the orthogonal projection of `x` on the span of `B`. -/
structure IsProjection (B : List (Vec K d)) (x p : Vec K d) : Prop where
  /-- it lies in the span -/
  inSpan : InSpan B p
  /-- the difference is orthogonal to the span -/
  orthogonal : ∀ b ∈ B, Orthogonal b (x - p)

/-- A projection is unique. -/
theorem IsProjection.unique {B : List (Vec K d)} {x p p' : Vec K d} (h : IsProjection B x p)
    (h' : IsProjection B x p') : p = p' := by
  have e : Orthogonal (p - p') (p - p') := (h.inSpan.sub h'.inSpan).orthogonal fun b hb => by
    have e := finSum_sub (fun i => b i * (x - p') i) fun i => b i * (x - p) i
    rw [show (finSum fun i => b i * (x - p') i) = 0 from h'.orthogonal b hb,
      show (finSum fun i => b i * (x - p) i) = 0 from h.orthogonal b hb, sub_self] at e
    refine (finSum_congr fun i => ?_).trans e
    show b i * (p i - p' i) = b i * (x i - p' i) - b i * (x i - p i)
    ring
  exact funext fun i => sub_eq_zero.mp (congrFun (eq_zero_of_orthogonal e) i)

/-- **The values are the projections of their sum**, if the subspaces are orthogonal to each other. -/
theorem isProjection_sum {n : Nat} {B : Fin n → List (Vec K d)}
    (hB : ∀ g h, g ≠ h → ∀ x ∈ B g, ∀ y ∈ B h, Orthogonal x y) {v : Fin n → Vec K d} (hv : ∀ h, InSpan (B h) (v h))
    (h : Fin n) : IsProjection (B h) (fun i => finSum fun g => v g i) (v h) := by
  refine ⟨hv h, fun b hb => ?_⟩
  have hz : ∀ g, (finSum fun i => b i * (v g i - if g = h then v h i else 0)) = 0 := fun g => by
    by_cases e : g = h
    · subst e
      exact finSum_zero fun i => by rw [if_pos rfl, sub_self, mul_zero]
    · refine Eq.trans (finSum_congr fun i => ?_)
        (Orthogonal.symm ((hv g).orthogonal fun b' hb' => hB g h e b' hb' b hb))
      rw [if_neg e, sub_zero]
  have hs : ∀ i, (finSum fun g => if g = h then v h i else 0) = v h i := fun i => by
    rw [finSum_single h fun g hg => if_neg hg, if_pos rfl]
  show (finSum fun i => b i * ((finSum fun g => v g i) - v h i)) = 0
  rw [← finSum_zero hz, finSum_comm]
  refine finSum_congr fun i => ?_
  rw [finSum_mul, finSum_sub, hs]
end

/-! ## plans exist -/
namespace Semantics
variable (S : Semantics R K) {d : Nat}

private theorem cast_orthogonal {x y : Vec R d} : Orthogonal (S.castV x) (S.castV y) ↔ Orthogonal x y := by
  have e : (finSum fun i => S.castV x i * S.castV y i) = S.cast (finSum fun i => x i * y i) := by
    rw [cast_finSum]
    exact finSum_congr fun i => (S.cast_mul _ _).symm
  rw [Orthogonal, e, Orthogonal]
  exact ⟨fun h => S.cast_inj _ _ (h.trans S.cast_zero.symm), fun h => by rw [h, S.cast_zero]⟩

include S in
private theorem token_eq_zero {x : Vec R d} (h : Orthogonal x x) : x = 0 := funext fun i =>
  S.cast_inj _ _ ((congrFun (eq_zero_of_orthogonal ((S.cast_orthogonal).mpr h)) i).trans S.cast_zero.symm)

/-- one of the weights 1 and 2 keeps two residues apart -/
private theorem exists_weight {b b' : K} (hb' : b' ≠ 0) :
    ∃ w : R, w ≠ 0 ∧ b ≠ S.cast w * b' ∧ b + S.cast w * b' ≠ 0 := by
  have c2 : S.cast (1 + 1 : R) = 1 + 1 := by rw [S.cast_add, S.cast_one]
  have h2 : (1 + 1 : K) ≠ 0 := pos_ne (add_pos one_pos one_pos)
  have h3 : (1 + 1 + 1 : K) ≠ 0 := pos_ne (add_pos (add_pos one_pos one_pos) one_pos)
  by_cases h : b ≠ b' ∧ b + b' ≠ 0
  · exact ⟨1, S.scalar_one_ne_zero, by rw [S.cast_one, one_mul]; exact h.1, by rw [S.cast_one, one_mul]; exact h.2⟩
  · refine ⟨1 + 1, fun e => h2 (by rw [← c2, e, S.cast_zero]), fun e => h ⟨fun e' => ?_, fun e' => ?_⟩,
      fun e => h ⟨fun e' => ?_, fun e' => ?_⟩⟩ <;> rw [c2] at e
    · exact hb' (by lin_comb (1) e' + (-1) e)
    · exact mul_ne_zero h3 hb' (by lin_comb (1) e' + (-1) e)
    · exact mul_ne_zero h3 hb' (by lin_comb (1) e + (-1) e')
    · exact hb' (by lin_comb (1) e + (-1) e')

/-- **Plans exist** for nonzero values that are orthogonal to each other and multiples of tokens. -/
theorem exists_plan {k : Nat} {v : Fin k → Vec K d} (hv : ∀ h, v h ≠ 0) (ho : ∀ g h, g ≠ h → Orthogonal (v g) (v h))
    (hr : ∀ h, ∃ (s : K) (a : Vec R d), s ≠ 0 ∧ ∀ i, s * v h i = S.cast (a i)) :
    ∃ (r : Nat) (a : Fin k → Vec R d) (c : Fin r → Vec R d) (w : Fin k → Fin k → R),
      (⟨k, r, v, a, c, w⟩ : OrthogonalPlan R K d).Valid S ∧ k + r = d := by
  obtain ⟨s, hs⟩ := Classical.axiomOfChoice hr
  obtain ⟨a, ha⟩ := Classical.axiomOfChoice hs
  have hin : ∀ (x : Vec K d) (h : Fin k), S.inner x (a h) = s h * finSum fun i => x i * v h i := fun x h => by
    rw [inner, ← finSum_mul]
    exact finSum_congr fun i => by rw [← (ha h).2 i]; ring
  have hcast : ∀ (x : Vec R d) (h : Fin k), Orthogonal (a h) x → S.inner (v h) x = 0 := fun x h e => by
    have e := (S.cast_orthogonal).mpr e
    refine (mul_eq_zero ?_).resolve_left (ha h).1
    rw [inner, ← finSum_mul]
    refine Eq.trans (finSum_congr fun i => ?_) e
    show s h * (v h i * S.cast (x i)) = S.cast (a h i) * S.cast (x i)
    rw [← (ha h).2 i]
    ring
  have hvis : ∀ h, S.inner (v h) (a h) ≠ 0 := fun h e => by
    rw [hin] at e
    exact hv h (eq_zero_of_orthogonal ((mul_eq_zero e).resolve_left (ha h).1))
  have hax : ∀ g h, g ≠ h → S.inner (v g) (a h) = 0 := fun g h hne => by
    rw [hin, show (finSum fun i => v g i * v h i) = 0 from ho g h hne, mul_zero]
  have ha0 : ∀ h, a h ≠ 0 := fun h e => hvis h (by rw [e, inner_zero])
  have hao : ∀ g h, g ≠ h → Orthogonal (a g) (a h) := fun g h hne => by
    apply (S.cast_orthogonal).mp
    have e := finSum_mul (s g) fun i => v g i * S.cast (a h i)
    rw [show (finSum fun i => v g i * S.cast (a h i)) = 0 from hax g h hne, mul_zero] at e
    refine Eq.trans (finSum_congr fun i => ?_) e
    show S.cast (a g i) * S.cast (a h i) = _
    rw [← (ha g).2 i, mul_assoc]
  have hnot : ∀ x : Vec R d, x ≠ 0 → ¬ Orthogonal x x := fun x hx e => hx (S.token_eq_zero e)
  have hl : ((List.finRange k).map a).Pairwise Orthogonal :=
    List.pairwise_map.mpr ((pairwise_ne_finRange k).imp fun hne => hao _ _ hne)
  have hl0 : ∀ x ∈ (List.finRange k).map a, x ≠ 0 := fun x hx => by
    obtain ⟨h, -, rfl⟩ := List.mem_map.mp hx
    exact ha0 h
  have hmem : ∀ h, a h ∈ (List.finRange k).map a := fun h => List.mem_map.mpr ⟨h, List.mem_finRange h, rfl⟩
  have hlen : ((List.finRange k).map a).length = k := by rw [List.length_map, List.length_finRange]
  have hk : k ≤ d := Nat.le_trans (Nat.le_of_eq hlen.symm)
    (length_le_of_orthogonal S.isDomain hl fun x hx => hnot x (hl0 x hx))
  have hkd : k + (d - k) = d := by rw [Nat.add_comm, Nat.sub_add_cancel hk]
  obtain ⟨m, hm, hmo, hm0, hlm⟩ := exists_complement S.isDomain (fun _ => S.token_eq_zero) ((List.finRange k).map a)
    (d - k) (Nat.le_of_eq (by rw [hlen, hkd]))
  obtain ⟨r, c, hc, -⟩ := exists_family (fun _ _ => Orthogonal.symm) hmo
  have hcm : ∀ i, c i ∈ m := fun i => by rw [← hc]; exact List.mem_map.mpr ⟨i, List.mem_finRange i, rfl⟩
  have hr' : r = d - k := by rw [← hm, ← hc, List.length_map, List.length_finRange]
  obtain ⟨w, hw⟩ := Classical.axiomOfChoice fun g => Classical.axiomOfChoice fun h =>
    S.exists_weight (b := S.inner (v g) (a g)) (hvis h)
  refine ⟨r, a, c, w, ⟨hvis, hax, fun h i => hcast (c i) h (hlm _ (hmem h) _ (hcm i)), fun g h _ => (hw g h).1,
    fun g h _ => (hw g h).2.1, fun g h _ => (hw g h).2.2, fun z hz hz' => Classical.byContradiction fun hne => ?_⟩,
    by rw [hr', hkd]⟩
  have hall : ∀ x ∈ (List.finRange k).map a ++ m, Orthogonal z x := fun x hx => by
    rcases List.mem_append.mp hx with hx | hx
    · obtain ⟨h, -, rfl⟩ := List.mem_map.mp hx
      exact Orthogonal.symm (hz h)
    · rw [← hc] at hx
      obtain ⟨j, -, rfl⟩ := List.mem_map.mp hx
      exact Orthogonal.symm (hz' j)
  have h := length_le_of_orthogonal S.isDomain (l := z :: ((List.finRange k).map a ++ m))
    (List.pairwise_cons.mpr ⟨hall, List.pairwise_append.mpr ⟨hl, hmo, hlm⟩⟩) fun x hx => by
      rcases List.mem_cons.mp hx with rfl | hx
      · exact hnot _ hne
      rcases List.mem_append.mp hx with hx | hx
      · exact hnot x (hl0 x hx)
      · exact hnot x (hm0 x hx)
  rw [List.length_cons, List.length_append, hlen, hm, hkd] at h
  exact Nat.not_succ_le_self d h

/-! ## heads in known subspaces -/
variable [DecidableEq K]

private theorem exists_plan_of_heads {n : Nat} {v : Fin n → Vec K d} (ho : ∀ g h, g ≠ h → Orthogonal (v g) (v h))
    (hr : ∀ h, ∃ (s : K) (a : Vec R d), s ≠ 0 ∧ ∀ i, s * v h i = S.cast (a i)) :
    ∃ P : OrthogonalPlan R K d, P.Valid S ∧ P.heads + P.rest = d ∧ ∀ W : Fin n → Mat R d, ∃ W' : Fin P.heads → Mat R d,
      P.model W' = ((List.finRange n).map fun h => (⟨W h, v h⟩ : Head R K d)).filter fun g => g.v ≠ 0 := by
  obtain ⟨k, f, hf, hne⟩ := exists_family (Q := fun i j : Fin n => i ≠ j) (fun _ _ h => h.symm)
    ((pairwise_ne_finRange n).filter fun h => decide (v h ≠ 0))
  have h0 : ∀ j, v (f j) ≠ 0 := fun j => by
    have hj : f j ∈ (List.finRange n).filter fun h => decide (v h ≠ 0) := by
      rw [← hf]
      exact List.mem_map.mpr ⟨j, List.mem_finRange j, rfl⟩
    exact of_decide_eq_true (List.mem_filter.mp hj).2
  obtain ⟨r, a, c, w, hP, hd⟩ := S.exists_plan h0 (fun i j hij => ho _ _ (hne i j hij)) fun j => hr (f j)
  refine ⟨⟨k, r, fun j => v (f j), a, c, w⟩, hP, hd, fun W => ⟨fun j => W (f j), ?_⟩⟩
  rw [List.filter_map]
  show (List.finRange k).map (fun j => (⟨W (f j), v (f j)⟩ : Head R K d)) =
    ((List.finRange n).filter fun h => decide (v h ≠ 0)).map _
  rw [← hf, List.map_map]
  rfl

private theorem evalHeads_filter (L : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (L.filter fun g => g.v ≠ 0) xs q = S.evalHeads L xs q := by
  rw [evalHeads, evalHeads, listSum_filter (fun g : Head R K d => decide (g.v ≠ 0)) L,
    listSum_zero (l := L.filter fun g => !decide (g.v ≠ 0)) fun g hg => ?_, add_zero]
  have h := (List.mem_filter.mp hg).2
  have e : g.v = 0 := Classical.byContradiction fun hne => by
    rw [decide_eq_true hne] at h
    cases h
  rw [e, eval_zero]

/-- **Several heads with values in known orthogonal subspaces, each learnt by itself.** Let the lists `B₁, …, Bₙ` span
subspaces that are orthogonal to each other. There is a choice of plans such that against all heads `(W₁, v₁), …,
(Wₙ, vₙ)` in dimension `d` whose values lie in these subspaces and are multiples of tokens, the learner returns the
heads with `v ≠ 0`; if there are `k` of them, it asks `k d² + d k (k - 1) / 2 + d` questions, none with more than three
tokens. -/
theorem exists_orthogonal_learner {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s)
    {dec : K → (Fin (2 * 2 - 1) → K) → List (R × K)} (hdec : S.IsDecoder 2 dec) {n : Nat} {B : Fin n → List (Vec K d)}
    (hB : ∀ g h, g ≠ h → ∀ x ∈ B g, ∀ y ∈ B h, Orthogonal x y) : ∃ plan : Vec K d → OrthogonalPlan R K d,
    ∀ (W : Fin n → Mat R d) (v : Fin n → Vec K d) (L : List (Head R K d)), (∀ h, InSpan (B h) (v h)) →
      (∀ h, ∃ (s : K) (a : Vec R d), s ≠ 0 ∧ ∀ i, s * v h i = S.cast (a i)) →
      L = (List.finRange n).map (fun h => ⟨W h, v h⟩) →
      ((S.learnOrthogonal log dec plan).run fun t => S.evalHeads L t.1 t.2) = L.filter (fun g => g.v ≠ 0) ∧
      ((S.learnOrthogonal log dec plan).queries fun t => S.evalHeads L t.1 t.2).length =
        (L.filter fun g => g.v ≠ 0).length * (d * d) +
          d * ((L.filter fun g => g.v ≠ 0).length * ((L.filter fun g => g.v ≠ 0).length - 1) / 2) + d ∧
      ∀ t ∈ (S.learnOrthogonal log dec plan).queries fun t => S.evalHeads L t.1 t.2, Query.length t ≤ 3 := by
  have hex : ∀ V : Vec K d, ∃ P : OrthogonalPlan R K d, ∀ v : Fin n → Vec K d, (∀ h, InSpan (B h) (v h)) →
      (∀ h, ∃ (s : K) (a : Vec R d), s ≠ 0 ∧ ∀ i, s * v h i = S.cast (a i)) → V = (fun i => finSum fun h => v h i) →
      P.Valid S ∧ P.heads + P.rest = d ∧ ∀ W : Fin n → Mat R d, ∃ W' : Fin P.heads → Mat R d,
        P.model W' = ((List.finRange n).map fun h => (⟨W h, v h⟩ : Head R K d)).filter fun g => g.v ≠ 0 := by
    intro V
    by_cases h : ∃ v : Fin n → Vec K d, (∀ h, InSpan (B h) (v h)) ∧
        (∀ h, ∃ (s : K) (a : Vec R d), s ≠ 0 ∧ ∀ i, s * v h i = S.cast (a i)) ∧ V = fun i => finSum fun h => v h i
    · obtain ⟨v, hv, hr, hV⟩ := h
      obtain ⟨P, hP⟩ := S.exists_plan_of_heads (fun g h hne => (hv g).orthogonal fun b hb =>
        Orthogonal.symm ((hv h).orthogonal fun b' hb' => Orthogonal.symm (hB g h hne b hb b' hb'))) hr
      refine ⟨P, fun v' hv' _ hV' => ?_⟩
      have e : v' = v := funext fun h => by
        have h1 := isProjection_sum hB hv h
        have h2 := isProjection_sum hB hv' h
        rw [← hV] at h1
        rw [← hV'] at h2
        exact h2.unique h1
      rw [e]
      exact hP
    · exact ⟨⟨0, 0, fun i => i.elim0, fun i => i.elim0, fun i => i.elim0, fun i => i.elim0⟩,
        fun v hv hr hV => absurd ⟨v, hv, hr, hV⟩ h⟩
  obtain ⟨plan, hplan⟩ := Classical.axiomOfChoice hex
  refine ⟨plan, fun W v L hv hr hL => ?_⟩
  obtain ⟨P, hPV⟩ : ∃ P, P = plan fun i => finSum fun h => v h i := ⟨_, rfl⟩
  have hgood := hplan _ v hv hr rfl
  rw [← hPV] at hgood
  obtain ⟨hP, hd, hW⟩ := hgood
  obtain ⟨W', hW'⟩ := hW W
  rw [← hL] at hW'
  have ho : ∀ t : Query R d, S.evalHeads L t.1 t.2 = S.evalHeads (P.model W') t.1 t.2 := fun t => by
    rw [hW', evalHeads_filter]
  have hnil : ∀ a : Fin d, S.evalHeads L [] (basis a) = finSum fun h => v h a := fun a => by
    rw [evalHeads, hL, listSum_map, ← finSum_eq_listSum]
    exact finSum_congr fun h => by rw [eval_nil, inner_basis]
  have hVo : (fun a : Fin d => S.evalHeads L [] (basis a)) = fun i => finSum fun h => v h i := funext hnil
  have htot : P.total = fun i => finSum fun h => v h i := funext fun a => by
    rw [← hnil a, ho ([], basis a), evalHeads_model]
    exact finSum_congr fun h => by rw [eval_nil, inner_basis]
  have hk : (L.filter fun g => g.v ≠ 0).length = P.heads := by
    rw [← hW', OrthogonalPlan.model, List.length_map, List.length_finRange]
  refine ⟨?_, ?_, fun t ht => Nat.succ_le_succ (S.learnOrthogonal_length log dec plan _ t ht)⟩
  · rw [S.learnOrthogonal_exact P hP (by rw [htot, ← hPV]) hlog hdec W' ho, hW']
  · rw [hk]
    exact S.learnOrthogonal_count P log dec _ ((congrArg plan hVo).trans hPV.symm) hd

omit [DecidableEq K] in
/-- **Orthogonality is needed**: if two of the subspaces share a vector `v ≠ 0`, then the sum of the values does not
determine them, not even whether a head has the value zero. -/
theorem orthogonal_needed {v : Vec K d} (hv : v ≠ 0) (W W' : Mat R d) : ∃ x y x' y' : Vec K d, InSpan [v] x ∧
    InSpan [v] y ∧ InSpan [v] x' ∧ InSpan [v] y' ∧ x ≠ x' ∧
      ∀ q, S.evalHeads [⟨W, x⟩, ⟨W', y⟩] [] q = S.evalHeads [⟨W, x'⟩, ⟨W', y'⟩] [] q := by
  have h1 : InSpan [v] v := ⟨fun _ => 1, fun i => by rw [listSum_cons, listSum_nil, one_mul, add_zero]⟩
  have h0 : InSpan [v] 0 := ⟨fun _ => 0, fun i => by rw [listSum_cons, listSum_nil, zero_mul, add_zero]; rfl⟩
  refine ⟨v, 0, 0, v, h1, h0, h0, h1, hv, fun q => ?_⟩
  simp only [evalHeads, listSum_cons, listSum_nil, eval_nil, zero_inner]
  ring

omit [DecidableEq K] in
/-- **Multiples of tokens are needed** for axes: in dimension two, a vector orthogonal to `w ≠ 0` has a token that it
sees and `w` does not only if a multiple of it is a token. -/
theorem multiple_needed {v w : Vec K 2} (hw : w ≠ 0) (ho : Orthogonal v w) {a : Vec R 2} (hv : S.inner v a ≠ 0)
    (ha : S.inner w a = 0) : ∃ s : K, s ≠ 0 ∧ ∀ i, s * v i = S.cast (a i) := by
  have sum : ∀ f : Vec K 2, finSum f = f 0 + f 1 := fun f => by
    show f 0 + (f 1 + 0) = _
    rw [add_zero]
  have h1 : v 0 * w 0 + v 1 * w 1 = 0 := (sum _).symm.trans ho
  have h2 : w 0 * S.cast (a 0) + w 1 * S.cast (a 1) = 0 := (sum _).symm.trans ha
  have h3 : v 0 * S.cast (a 1) - v 1 * S.cast (a 0) = 0 := by
    obtain ⟨i, hi⟩ := exists_ne_zero hw
    induction i using Fin.cases with
    | zero => exact (mul_eq_zero (a := w 0) (by lin_comb (S.cast (a 1)) h1 + (-v 1) h2)).resolve_left hi
    | succ i =>
      have hi : w 1 ≠ 0 := by
        induction i using Fin.cases with
        | zero => exact hi
        | succ i => exact i.elim0
      exact (mul_eq_zero (a := w 1) (by lin_comb (-S.cast (a 0)) h1 + (v 0) h2)).resolve_left hi
  have hvv : v 0 * v 0 + v 1 * v 1 ≠ 0 := fun e => hv (by
    rw [eq_zero_of_orthogonal (v := v) ((sum _).trans e), zero_inner])
  have hb : v 0 * S.cast (a 0) + v 1 * S.cast (a 1) ≠ 0 := fun e => hv ((sum _).trans e)
  have hi := mul_inv _ hvv
  refine ⟨(v 0 * S.cast (a 0) + v 1 * S.cast (a 1)) * (v 0 * v 0 + v 1 * v 1)⁻¹,
    mul_ne_zero hb (inv_ne_zero hvv), fun i => ?_⟩
  generalize (v 0 * v 0 + v 1 * v 1)⁻¹ = j at *
  induction i using Fin.cases with
  | zero => lin_comb (S.cast (a 0)) hi + (j * v 1) h3
  | succ i =>
    induction i using Fin.cases with
    | zero =>
      show (v 0 * S.cast (a 0) + v 1 * S.cast (a 1)) * j * v 1 = S.cast (a 1)
      lin_comb (S.cast (a 1)) hi + (-(j * v 0)) h3
    | succ i => exact i.elim0
end Semantics
end AttentionQueries
