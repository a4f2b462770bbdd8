import AttentionQueries.MultiHead.Learner.Decoder
import AttentionQueries.MultiHead.FiniteTest
import AttentionQueries.MultiHead.Reduced
import AttentionQueries.Query

/-! # The learner of several heads by short sequences, as a query program

Given an upper bound `N` on the number of heads, the program asks `d` sequences of length one, which give `V = ∑ v`;
then `2 N - 1` sequences in one direction, the anchor, which show the number `H` of heads; then `2 H - 1` sequences in
each of `d² - 1` further directions. In each direction the scores and the residues `⟨v, u⟩` of the heads are decoded,
in unknown order. The order is settled by the residues:

- for the directions `u₀` and all queries `q_j`, the residues are the same, `⟨v, u₀⟩`;
- the residues `⟨v, uᵢ⟩`, asked with the query `q₀`, are matched with `⟨v, u₀⟩` through their sums, which are the
  residues in the direction `u₀ + uᵢ`, asked with the other queries `q_j`;
- for the directions `u₀ + uᵢ` and all queries `q_j`, `j ≥ 1`, the residues are the same.

So no direction is spent on the order, and the count is that of the directions alone.

## Main definitions
- `Directions`: the probing tokens `uᵢ` and query tokens `q_j`, with the coefficients that recover the standard basis.
- `Semantics.GeneralPosition`: the condition on the heads under which the program finds them.
- `Semantics.learnShort`: the program.

## Main statements
- `Semantics.learnShort_exact`: on heads in general position, at most `N` of them, it returns these heads, up to
  order.
- `Semantics.learnShort_count`: it asks `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions;
  `Semantics.learnShort_count_le`: at most `(2 N - 1) d² + d`, against any oracle; `Semantics.learnShort_count_eq`:
  exactly that many if there are `N` heads.
- `Semantics.learnShort_length`: no question has more than `N + 1` tokens (`1` if `N = 0`).
- `Semantics.GeneralPosition.reduced`: heads in general position are reduced, so what is returned is the canonical
  form.
-/

namespace AttentionQueries
open CommRing OrderedField

/-! ## directions -/
section
variable {R : Type} [CommRing R]

/-- Probing tokens `u₀, …, uₙ` and query tokens `q₀, …, qₙ` in dimension `n + 1`, together with coefficients that
express the standard basis: `eₐ = ∑ᵢ cu a i • uᵢ = ∑ⱼ cq a j • qⱼ`. -/
structure Directions (R : Type) [CommRing R] (n : Nat) where
  /-- the probing tokens, as differences from the query token -/
  u : Fin (n + 1) → Vec R (n + 1)
  /-- the query tokens -/
  q : Fin (n + 1) → Vec R (n + 1)
  /-- coefficients of the standard basis in the probing tokens -/
  cu : Mat R (n + 1)
  /-- coefficients of the standard basis in the query tokens -/
  cq : Mat R (n + 1)
  /-- `eₐ = ∑ᵢ cu a i • uᵢ` -/
  span_u : ∀ a, (fun b => finSum fun i => cu a i * u i b) = basis a
  /-- `eₐ = ∑ⱼ cq a j • qⱼ` -/
  span_q : ∀ a, (fun b => finSum fun j => cq a j * q j b) = basis a

/-- The token probed for `uᵢ` with the query `qⱼ`: `uᵢ` itself if `i = 0` or `j = 0`, otherwise `u₀ + uᵢ`. -/
def Directions.probe {n : Nat} (D : Directions R n) (i j : Fin (n + 1)) : Vec R (n + 1) :=
  if i = 0 ∨ j = 0 then D.u i else D.u 0 + D.u i

private theorem finSum_basis_mul {d : Nat} (a : Fin d) (v : Vec R d) : (finSum fun i => basis a i * v i) = v a := by
  rw [finSum_single a, basis_self, one_mul]
  intro j hj
  rw [basis_ne hj, zero_mul]
private theorem basis_symm {d : Nat} (i j : Fin d) : (basis i j : R) = basis j i := by
  by_cases h : i = j
  · rw [h]
  · rw [basis_ne fun e => h e.symm, basis_ne h]

/-- The standard basis for both: `uᵢ = eᵢ`, `qⱼ = eⱼ`. -/
def Directions.standard (R : Type) [CommRing R] (n : Nat) : Directions R n where
  u := basis
  q := basis
  cu := basis
  cq := basis
  span_u := fun a => funext fun b => by
    rw [show (fun i => basis a i * (basis i b : R)) = fun i => basis a i * basis b i from
      funext fun i => by rw [basis_symm i b], finSum_basis_mul, basis_symm]
  span_q := fun a => funext fun b => by
    rw [show (fun i => basis a i * (basis i b : R)) = fun i => basis a i * basis b i from
      funext fun i => by rw [basis_symm i b], finSum_basis_mul, basis_symm]
end

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K)

/-! ## linear functionals on a spanning family -/
section
variable {A : Type} [CommRing A] {d : Nat}
private theorem linear_sum {φ : R → A} (hφ : φ 0 = 0) {F : Vec R d → A} (hadd : ∀ x y, F (x + y) = F x + F y)
    (hsmul : ∀ c x, F (smul c x) = φ c * F x) : ∀ {m : Nat} (c : Vec R m) (u : Fin m → Vec R d),
    F (fun b => finSum fun i => c i * u i b) = finSum fun i => φ (c i) * F (u i)
  | 0, _, _ => by
    have h := hsmul 0 0
    rw [hφ, zero_mul] at h
    refine Eq.trans (congrArg F (funext fun b => ?_)) h
    exact (zero_mul _).symm
  | m + 1, c, u => by
    rw [finSum_succ, ← linear_sum hφ hadd hsmul (fun i => c i.succ) fun i => u i.succ, ← hsmul, ← hadd]
    rfl

/-- Scores are additive in the query token. -/
theorem score_add_query (W : Mat R d) (x q q' : Vec R d) : score W x (q + q') = score W x q + score W x q' := by
  have h : ∀ i, mulVec W (q + q') i = mulVec W q i + mulVec W q' i := fun i => by
    rw [mulVec, mulVec, mulVec, ← finSum_add]
    congr; funext j
    rw [vadd_app, mul_add]
  rw [score, score, score, ← finSum_add]
  congr; funext i
  rw [h, mul_add]
private theorem score_smul_right (W : Mat R d) (c : R) (x q : Vec R d) : score W x (smul c q) = c * score W x q := by
  have h : ∀ i, mulVec W (smul c q) i = c * mulVec W q i := fun i => by
    rw [mulVec, mulVec, ← finSum_mul]
    congr; funext j
    rw [smul]; ring
  rw [score, score, ← finSum_mul]
  congr; funext i
  rw [h]; ring
end

section
variable {n : Nat} (D : Directions R n)
/-- The entries of `W` from the scores of the probing tokens for the query tokens. -/
theorem Directions.score_recover (W : Mat R (n + 1)) (a b : Fin (n + 1)) :
    (finSum fun i => D.cu a i * finSum fun j => D.cq b j * score W (D.u i) (D.q j)) = W a b := by
  have hq : ∀ i, (finSum fun j => D.cq b j * score W (D.u i) (D.q j)) = score W (D.u i) (basis b) := fun i => by
    rw [← D.span_q b]
    exact (linear_sum (φ := fun c => c) (F := fun y => score W (D.u i) y) rfl (score_add_query W (D.u i))
        (fun c x => score_smul_right W c (D.u i) x) _ _).symm
  rw [← score_basis W a b, ← D.span_u a]
  refine Eq.trans ?_ (linear_sum (φ := fun c => c) (F := fun x => score W x (basis b)) rfl
    (fun x y => score_add W x y (basis b)) (fun c x => score_smul W c x (basis b)) _ _).symm
  exact congrArg finSum (funext fun i => congrArg (D.cu a i * ·) (hq i))
/-- The entries of `v` from the residues of the probing tokens. -/
theorem Directions.inner_recover (v : Vec K (n + 1)) (a : Fin (n + 1)) :
    (finSum fun i => S.cast (D.cu a i) * S.inner v (D.u i)) = v a := by
  rw [← S.inner_basis v a, ← D.span_u a]
  exact (linear_sum S.cast_zero (S.inner_add v) (S.inner_smul v) _ _).symm
end

/-! ## the program -/
section
variable {d : Nat}
/-- The `2 H - 1` questions in the direction `(u, q)`. -/
def askDirection (K : Type) (H : Nat) (u q : Vec R d) : QueryProgram (Query R d) K (Fin (2 * H - 1) → K) :=
  .forFin fun i => .ask1 (Semantics.copies ((ratio H i.val).1 + 1) (ratio H i.val).2 u q, q)

/-- The first pair with a property; `(0, 0)` if there is none. -/
def firstPair (P : R × K → Prop) [DecidablePred P] : List (R × K) → R × K
  | [] => (0, 0)
  | t :: l => if P t then t else firstPair P l

/-- The first pair with a property is the only one, if there is only one. -/
theorem firstPair_eq {P : R × K → Prop} [DecidablePred P] {t : R × K} (hP : P t) : ∀ {l : List (R × K)}, t ∈ l →
    (∀ t' ∈ l, P t' → t' = t) → firstPair P l = t
  | t' :: l, ht, hu => by
    rw [firstPair]
    split
    · rename_i h
      exact hu t' List.mem_cons_self h
    · rename_i h
      rcases List.mem_cons.mp ht with rfl | ht
      · exact absurd hP h
      · exact firstPair_eq hP ht fun t'' ht'' => hu t'' (List.mem_cons_of_mem t' ht'')
end

namespace Semantics
variable {n : Nat}

/-- Scores and residues in the direction `(u, q)` from the answers `y`, by means of the decoder; `V` is the sum of the
values. -/
def decodeDirection {H d : Nat} (dec : K → (Fin (2 * H - 1) → K) → List (R × K)) (V : Vec K d) (u q : Vec R d)
    (y : Fin (2 * H - 1) → K) : List (R × K) := dec (S.inner V u) fun i => y i - S.inner V q

section
variable [DecidableEq K]
/-- The residue in the direction `uᵢ₊₁`, with its score for `q₀`, that belongs to the head with residue `b` in the
direction `u₀`: the one whose sum with `b` is a residue in the direction `u₀ + uᵢ₊₁`. -/
def partner (b : K) (l l' : List (R × K)) : R × K := firstPair (fun t => b + t.2 ∈ l'.map Prod.snd) l

/-- The score of the head with residue `b`. -/
def scoreOf (b : K) (l : List (R × K)) : R := (firstPair (fun t => t.2 = b) l).1

/-- One head from its score and residue `p` in the direction `(u₀, q₀)`, given what is seen in the directions
`(u₀, q_{j+1})` (`row j`), `(u_{i+1}, q₀)` (`rest i 0`) and `(u₀ + u_{i+1}, q_{j+1})` (`rest i (j + 1)`). -/
def assemble (D : Directions R n) (row : Fin n → List (R × K)) (rest : Fin n → Fin (n + 1) → List (R × K)) (p : R × K) :
    Head R K (n + 1) where
  W := fun a b => finSum fun i => D.cu a i * finSum fun j => D.cq b j *
    (Fin.cases (motive := fun _ => R)
      (Fin.cases (motive := fun _ => R) p.1 (fun j => scoreOf p.2 (row j)) j)
      (fun i => Fin.cases (motive := fun _ => R) (partner p.2 (rest i 0) (rest i i.succ)).1
        (fun j =>
          scoreOf (p.2 + (partner p.2 (rest i 0) (rest i i.succ)).2) (rest i j.succ) - scoreOf p.2 (row j)) j) i)
  v := fun a => finSum fun i => S.cast (D.cu a i) *
    (Fin.cases (motive := fun _ => K) p.2 (fun i => (partner p.2 (rest i 0) (rest i i.succ)).2) i)

/-- What remains to be asked after the anchor direction has shown the scores and residues `l`; `V` is the sum of the
values. -/
def remaining (dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)) (D : Directions R n)
    (V : Vec K (n + 1)) (l : List (R × K)) : QueryProgram (Query R (n + 1)) K (List (Head R K (n + 1))) :=
  (QueryProgram.forFin fun j : Fin n => askDirection K l.length (D.probe 0 j.succ) (D.q j.succ)).bind fun y =>
  (QueryProgram.forFin fun i : Fin n => QueryProgram.forFin fun j : Fin (n + 1) =>
    askDirection K l.length (D.probe i.succ j) (D.q j)).bind fun z =>
  .done (l.map (S.assemble D
    (fun j => S.decodeDirection (dec l.length) V (D.probe 0 j.succ) (D.q j.succ) (y j))
    (fun i j => S.decodeDirection (dec l.length) V (D.probe i.succ j) (D.q j) (z i j))))

/-- **The learner of at most `N` heads by short sequences**, in dimension `n + 1`. -/
def learnShort (dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)) (D : Directions R n) (N : Nat) :
    QueryProgram (Query R (n + 1)) K (List (Head R K (n + 1))) :=
  (QueryProgram.forFin fun a => .ask1 ([], basis a)).bind fun V =>
  (askDirection K N (D.probe 0 0) (D.q 0)).bind fun x =>
  S.remaining dec D V (S.decodeDirection (dec N) V (D.probe 0 0) (D.q 0) x)
end

/-! ## the count -/
section
variable [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {D : Directions R n} {N : Nat}
  (o : Query R (n + 1) → K)

private theorem count_directions (a : Nat) : ∀ {X : Nat}, 0 < X → a + a * (X - 1) = a * X
  | X + 1, _ => by
    show a + a * X = a * (X + 1)
    exact (Nat.add_comm _ _).trans (Nat.mul_succ a X).symm
omit [DecidableEq K] in
private theorem length_flatMap_finRange {α : Type} {m c : Nat} {f : Fin m → List α} (h : ∀ i, (f i).length = c) :
    ((List.finRange m).flatMap f).length = m * c := by
  rw [length_flatMap_const h, List.length_finRange]
/-- A direction takes `2 H - 1` questions. -/
theorem length_askDirection {K : Type} {d : Nat} (o : Query R d → K) (H : Nat) (u q : Vec R d) :
    ((askDirection K H u q).queries o).length = 2 * H - 1 := by
  rw [askDirection, QueryProgram.queries_forFin, length_flatMap_finRange (c := 1) fun _ => rfl, Nat.mul_one]
private theorem length_remaining (V : Vec K (n + 1)) (l : List (R × K)) : ((S.remaining dec D V l).queries o).length =
    (2 * l.length - 1) * ((n + 1) * (n + 1) - 1) := by
  rw [remaining, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin,
    QueryProgram.queries_forFin, List.length_append, List.length_append,
    length_flatMap_finRange fun _ => length_askDirection o _ _ _, length_flatMap_finRange (c := (n +
        1) * (2 * l.length - 1))
      fun i => by rw [QueryProgram.queries_forFin, length_flatMap_finRange fun _ => length_askDirection o _ _ _]]
  show n * (2 * l.length - 1) + (n * ((n + 1) * (2 * l.length - 1)) + 0) = _
  have e : (n + 1) * (n + 1) - 1 = n + n * (n + 1) := by
    rw [Nat.succ_mul, ← Nat.add_assoc, Nat.add_sub_cancel, Nat.add_comm]
  rw [e, Nat.add_zero, ← Nat.mul_assoc, ← Nat.add_mul, Nat.mul_comm]

/-- What is decoded in the anchor direction `(u₀, q₀)`, with the bound `N` on the number of heads. -/
def anchor (dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)) (D : Directions R n) (N : Nat)
    (o : Query R (n + 1) → K) : List (R × K) :=
  S.decodeDirection (dec N) (fun a => o ([], basis a)) (D.probe 0 0) (D.q 0) ((askDirection K N (D.probe 0 0)
      (D.q 0)).run o)
private theorem length_queries : ((S.learnShort dec D N).queries o).length =
    (n + 1) + ((2 * N - 1) + (2 * (S.anchor dec D N o).length - 1) * ((n + 1) * (n + 1) - 1)) := by
  rw [learnShort, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin, List.length_append,
    List.length_append, length_flatMap_finRange (c := 1) fun _ => rfl, length_askDirection, length_remaining,
        Nat.mul_one,
    QueryProgram.run_forFin]
  rfl

/-- **Query count**, against any oracle: at most `(2 N - 1) d² + d` with `d = n + 1`. -/
theorem learnShort_count_le (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ((S.learnShort dec D N).queries o).length ≤ (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) := by
  rw [length_queries, Nat.add_comm]
  refine Nat.add_le_add_right ?_ _
  have h : 2 * (S.anchor dec D N o).length - 1 ≤ 2 * N - 1 :=
    Nat.sub_le_sub_right (Nat.mul_le_mul_left 2 ((hdec N).length_le _ _)) 1
  refine Nat.le_trans (Nat.add_le_add_left (Nat.mul_le_mul_right _ h) _) ?_
  exact Nat.le_of_eq (count_directions _ (Nat.mul_pos (Nat.succ_pos n) (Nat.succ_pos n)))

/-- No question in a direction has more than `H` context tokens. -/
theorem length_le_of_mem_askDirection {K : Type} {d H : Nat} {u q : Vec R d} {o : Query R d → K} {t : Query R d}
    (ht : t ∈ (askDirection K H u q).queries o) :
    t.1.length ≤ H := by
  rw [askDirection, QueryProgram.queries_forFin, List.mem_flatMap] at ht
  obtain ⟨k, -, ht⟩ := ht
  rw [List.mem_singleton.mp ht]
  show (copies _ _ _ _).length ≤ H
  rw [copies, List.length_append, List.length_replicate, List.length_replicate]
  exact ratio_length k.isLt

/-- **Size of the result**, against any oracle: at most `N` heads. So the bound on the number of heads in
`learnShort_exact` is needed. -/
theorem learnShort_result_length (hdec : ∀ H, S.IsDecoder H (dec H)) : ((S.learnShort dec D N).run o).length ≤ N := by
  have e : ((S.learnShort dec D N).run o).length = (S.anchor dec D N o).length := by
    rw [learnShort, QueryProgram.run_bind, QueryProgram.run_bind, QueryProgram.run_forFin]
    show ((S.remaining dec D (fun a => o ([], basis a)) (S.anchor dec D N o)).run o).length = _
    rw [remaining, QueryProgram.run_bind, QueryProgram.run_bind]
    exact List.length_map _
  rw [e]
  exact (hdec N).length_le _ _

/-- **What is asked**, against any oracle: sequences of length one, and the `2 H - 1` sequences of directions
`(probe i j, qⱼ)` with some `H ≤ N`. -/
theorem learnShort_mem (hdec : ∀ H, S.IsDecoder H (dec H)) {t : Query R (n + 1)}
    (ht : t ∈ (S.learnShort dec D N).queries o) :
    (∃ a, t = ([], basis a)) ∨ ∃ H k i j, H ≤ N ∧ k < 2 * H - 1 ∧
      t = (copies ((ratio H k).1 + 1) (ratio H k).2 (D.probe i j) (D.q j), D.q j) := by
  have hask : ∀ H, H ≤ N → ∀ i j, t ∈ (askDirection K H (D.probe i j) (D.q j)).queries o → (∃ a, t = ([], basis a)) ∨
      ∃ H k i j, H ≤ N ∧ k < 2 * H - 1 ∧
        t = (copies ((ratio H k).1 + 1) (ratio H k).2 (D.probe i j) (D.q j), D.q j) := by
    intro H hH i j ht
    rw [askDirection, QueryProgram.queries_forFin, List.mem_flatMap] at ht
    obtain ⟨k, -, ht⟩ := ht
    exact .inr ⟨H, k.val, i, j, hH, k.isLt, List.mem_singleton.mp ht⟩
  have hl : (S.anchor dec D N o).length ≤ N := (hdec N).length_le _ _
  rw [learnShort, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin,
    QueryProgram.run_forFin] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨a, -, ht⟩ := List.mem_flatMap.mp ht
    exact .inl ⟨a, List.mem_singleton.mp ht⟩
  rcases List.mem_append.mp ht with ht | ht
  · exact hask N (Nat.le_refl N) _ _ ht
  have ht : t ∈ (S.remaining dec D (fun a => o ([], basis a)) (S.anchor dec D N o)).queries o := ht
  rw [remaining, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin,
    QueryProgram.queries_forFin] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨j, -, ht⟩ := List.mem_flatMap.mp ht
    exact hask _ hl _ _ ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨i, -, ht⟩ := List.mem_flatMap.mp ht
    rw [QueryProgram.queries_forFin] at ht
    obtain ⟨j, -, ht⟩ := List.mem_flatMap.mp ht
    exact hask _ hl _ _ ht
  · cases ht

/-- **Query length**, against any oracle: no context has more than `N` tokens, so no sequence has more than `N + 1`. -/
theorem learnShort_length (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ∀ t ∈ (S.learnShort dec D N).queries o, t.1.length ≤ N := by
  intro t ht
  rcases S.learnShort_mem o hdec ht with ⟨a, rfl⟩ | ⟨H, k, i, j, hH, hk, rfl⟩
  · exact Nat.zero_le N
  · refine Nat.le_trans ?_ hH
    show (copies _ _ _ _).length ≤ H
    rw [copies, List.length_append, List.length_replicate, List.length_replicate]
    exact ratio_length hk
end

/-! ## what is found -/

/-- **General position** of heads with respect to the directions. -/
structure GeneralPosition (D : Directions R n) (G : List (Head R K (n + 1))) : Prop where
  /-- in every direction asked, the scores are distinct -/
  scores : ∀ i j, G.Pairwise fun g g' => score g.W (D.probe i j) (D.q j) ≠ score g'.W (D.probe i j) (D.q j)
  /-- no head is orthogonal to a token asked -/
  visible : ∀ i j, ∀ g ∈ G, S.inner g.v (D.probe i j) ≠ 0
  /-- the residues in the direction `u₀` are distinct -/
  distinct_zero : G.Pairwise fun g g' => S.inner g.v (D.u 0) ≠ S.inner g'.v (D.u 0)
  /-- the residues in the directions `u₀ + uᵢ` are distinct -/
  distinct_add : ∀ i : Fin n, G.Pairwise fun g g' =>
    S.inner g.v (D.u 0 + D.u i.succ) ≠ S.inner g'.v (D.u 0 + D.u i.succ)
  /-- a sum of residues of two heads in the directions `u₀` and `uᵢ` is a residue in the direction `u₀ + uᵢ` only if
  the heads are the same -/
  link : ∀ i : Fin n, ∀ g ∈ G, ∀ g' ∈ G, ∀ h ∈ G,
    S.inner g.v (D.u 0) + S.inner g'.v (D.u i.succ) = S.inner h.v (D.u 0 + D.u i.succ) → g = g'

variable {S} in
/-- Heads in general position are reduced: their matrices are distinct and their values nonzero. -/
theorem GeneralPosition.reduced {D : Directions R n} {G : List (Head R K (n + 1))} (h : S.GeneralPosition D G) :
    Reduced G where
  distinct := (h.scores 0 0).imp fun hne e => hne (by rw [e])
  ne_zero := fun g hg e => h.visible 0 0 g hg (by rw [e, zero_inner])

section
variable {D : Directions R n} {G : List (Head R K (n + 1))} {o : Query R (n + 1) → K}

private theorem inner_total {d : Nat} (G : List (Head R K d)) (x : Vec R d) :
    S.inner (fun a => listSum G fun g => g.v a) x = listSum G fun g => S.inner g.v x := by
  induction G with
  | nil => exact S.zero_inner x
  | cons g G ih => rw [listSum_cons, ← ih, ← add_inner]; rfl
private theorem answers_basis (ho : ∀ t, o t = S.evalHeads G t.1 t.2) :
    (fun a => o ([], basis a)) = fun a => listSum G fun g => g.v a := funext fun a => by
  rw [ho]
  exact listSum_congr fun g _ => by rw [eval_nil, inner_basis]

/-- The decoder finds what the heads show in a direction. -/
theorem decodeDirection_perm {H : Nat} {dec : K → (Fin (2 * H - 1) → K) → List (R × K)} (hdec : S.IsDecoder H dec)
    (ho : ∀ t, o t = S.evalHeads G t.1 t.2) (hlen : G.length ≤ H) {u q : Vec R (n + 1)}
    (hs : G.Pairwise fun g g' => score g.W u q ≠ score g'.W u q) (hv : ∀ g ∈ G, S.inner g.v u ≠ 0) :
    (S.decodeDirection dec (fun a => o ([], basis a)) u q ((askDirection K H u q).run o)).Perm (S.shadow G u q) := by
  have h := hdec.exact (S.shadow G u q) (by rw [shadow, List.length_map]; exact hlen) (List.pairwise_map.mpr hs)
    fun p hp => by
      obtain ⟨g, hg, rfl⟩ := List.mem_map.mp hp
      exact hv g hg
  have e1 : listSum (S.shadow G u q) Prod.snd = S.inner (fun a => o ([], basis a)) u := by
    rw [S.answers_basis ho, inner_total, shadow, listSum_map]
  have e2 : (fun i : Fin (2 * H - 1) => cauchySum (rho (ratio H i.val)) (S.poles (S.shadow G u q))) =
      fun i => (askDirection K H u q).run o i - S.inner (fun a => o ([], basis a)) q := funext fun i => by
    rw [askDirection, QueryProgram.run_forFin]
    show _ = o (copies _ _ u q, q) - _
    rw [ho, evalHeads_ratio, S.answers_basis ho, inner_total]
    ring
  rw [e1, e2] at h
  exact h

variable [DecidableEq K]

omit [CommRing R] [OrderedField K] [DecidableEq K] in
private theorem eq_of_pairwise {d : Nat} {F : Head R K d → K} : ∀ {G : List (Head R K d)},
    G.Pairwise (fun g g' => F g ≠ F g') → ∀ {g h : Head R K d}, g ∈ G → h ∈ G → F g = F h → g = h
  | k :: G, hd, g, h, hg, hh, e => by
    rw [List.pairwise_cons] at hd
    rcases List.mem_cons.mp hg with eg | hg'
    · rcases List.mem_cons.mp hh with eh | hh'
      · rw [eg, eh]
      · rw [eg] at e
        exact absurd e (hd.1 h hh')
    · rcases List.mem_cons.mp hh with eh | hh'
      · rw [eh] at e
        exact absurd e.symm (hd.1 g hg')
      · exact eq_of_pairwise hd.2 hg' hh' e

private theorem scoreOf_eq {u q : Vec R (n + 1)} {l : List (R × K)} (hl : l.Perm (S.shadow G u q))
    (hd : G.Pairwise fun g g' => S.inner g.v u ≠ S.inner g'.v u) {g : Head R K (n + 1)} (hg : g ∈ G) {b : K}
    (hb : b = S.inner g.v u) : scoreOf b l = score g.W u q := by
  rw [scoreOf, firstPair_eq (t := (score g.W u q, S.inner g.v u)) hb.symm
    ((List.Perm.mem_iff (List.Perm.symm hl)).mp (List.mem_map.mpr ⟨g, hg, rfl⟩))]
  intro t ht e
  obtain ⟨h, hh, rfl⟩ := List.mem_map.mp ((List.Perm.mem_iff hl).mp ht)
  rw [eq_of_pairwise hd hh hg (e.trans hb)]

private theorem partner_eq (hgp : S.GeneralPosition D G) (i : Fin n) {l l' : List (R × K)} {q q' : Vec R (n + 1)}
    (hl : l.Perm (S.shadow G (D.u i.succ) q)) (hl' : l'.Perm (S.shadow G (D.u 0 + D.u i.succ) q'))
    {g : Head R K (n + 1)} (hg : g ∈ G) :
    partner (S.inner g.v (D.u 0)) l l' = (score g.W (D.u i.succ) q, S.inner g.v (D.u i.succ)) := by
  refine firstPair_eq ?_ ((List.Perm.mem_iff (List.Perm.symm hl)).mp (List.mem_map.mpr ⟨g, hg, rfl⟩)) ?_
  · refine List.mem_map.mpr ⟨_, (List.Perm.mem_iff (List.Perm.symm hl')).mp (List.mem_map.mpr ⟨g, hg, rfl⟩), ?_⟩
    exact S.inner_add g.v _ _
  · intro t ht hP
    obtain ⟨h, hh, rfl⟩ := List.mem_map.mp ((List.Perm.mem_iff hl).mp ht)
    obtain ⟨t', ht', e⟩ := List.mem_map.mp hP
    obtain ⟨k, hk, rfl⟩ := List.mem_map.mp ((List.Perm.mem_iff hl').mp ht')
    rw [hgp.link i g hg h hh k hk e.symm]

omit [DecidableEq K] in
private theorem probe_zero (j : Fin (n + 1)) : D.probe 0 j = D.u 0 := if_pos (.inl rfl)
omit [DecidableEq K] in
private theorem probe_first (i : Fin (n + 1)) : D.probe i 0 = D.u i := if_pos (.inr rfl)
omit [DecidableEq K] in
private theorem probe_succ (i j : Fin n) : D.probe i.succ j.succ = D.u 0 + D.u i.succ :=
  if_neg fun h => h.elim (Fin.succ_ne_zero i) (Fin.succ_ne_zero j)

/-- a head is assembled correctly from what the heads show in all directions -/
private theorem assemble_eq (hgp : S.GeneralPosition D G) {row : Fin n → List (R × K)}
    {rest : Fin n → Fin (n + 1) → List (R × K)} (hrow : ∀ j, (row j).Perm (S.shadow G (D.probe 0 j.succ) (D.q j.succ)))
    (hrest : ∀ i j, (rest i j).Perm (S.shadow G (D.probe i.succ j) (D.q j))) {g : Head R K (n + 1)} (hg : g ∈ G) :
    S.assemble D row rest (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0)) = g := by
  have hp : ∀ i, partner (S.inner g.v (D.u 0)) (rest i 0) (rest i i.succ) =
      (score g.W (D.u i.succ) (D.q 0), S.inner g.v (D.u i.succ)) := fun i => by
    have h1 := hrest i 0
    have h2 := hrest i i.succ
    rw [probe_first] at h1
    rw [probe_succ] at h2
    exact S.partner_eq hgp i h1 h2 hg
  have h0 : ∀ j, scoreOf (S.inner g.v (D.u 0)) (row j) = score g.W (D.u 0) (D.q j.succ) := fun j => by
    have h := hrow j
    rw [probe_zero] at h
    exact S.scoreOf_eq h hgp.distinct_zero hg rfl
  have h1 : ∀ i j : Fin n, scoreOf (S.inner g.v (D.u 0) + S.inner g.v (D.u i.succ)) (rest i j.succ) =
      score g.W (D.u 0) (D.q j.succ) + score g.W (D.u i.succ) (D.q j.succ) := fun i j => by
    have h := hrest i j.succ
    rw [probe_succ] at h
    rw [← score_add]
    exact S.scoreOf_eq h (hgp.distinct_add i) hg (S.inner_add g.v _ _).symm
  have hW : (S.assemble D row rest (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0))).W = g.W := funext fun a =>
      funext fun b => by
    rw [← D.score_recover g.W a b]
    refine congrArg finSum (funext fun i => congrArg (D.cu a i * ·) (congrArg finSum (funext fun j =>
        congrArg (D.cq b j * ·) ?_)))
    induction i using Fin.cases with
    | zero =>
      induction j using Fin.cases with
      | zero => rfl
      | succ j => exact h0 j
    | succ i =>
      induction j using Fin.cases with
      | zero => exact congrArg Prod.fst (hp i)
      | succ j =>
        show scoreOf (S.inner g.v (D.u 0) + (partner (S.inner g.v (D.u 0)) (rest i 0) (rest i i.succ)).2)
            (rest i j.succ) -
          scoreOf (S.inner g.v (D.u 0)) (row j) = _
        rw [hp, h0, h1]
        ring
  have hv : (S.assemble D row rest (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0))).v = g.v := funext fun a => by
    rw [← D.inner_recover S g.v a]
    refine congrArg finSum (funext fun i => congrArg (S.cast (D.cu a i) * ·) ?_)
    induction i using Fin.cases with
    | zero => rfl
    | succ i => exact congrArg Prod.snd (hp i)
  generalize S.assemble D row rest (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0)) = k at *
  cases k
  cases g
  cases hW
  cases hv
  rfl

variable {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {N : Nat}

omit [DecidableEq K] in
/-- The anchor direction shows the heads. -/
theorem anchor_perm (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N) (hs : G.Pairwise fun g g' => score g.W (D.u 0) (D.q 0) ≠ score g'.W (D.u 0) (D.q 0))
    (hv : ∀ g ∈ G, S.inner g.v (D.u 0) ≠ 0) : (S.anchor dec D N o).Perm (S.shadow G (D.u 0) (D.q 0)) := by
  rw [anchor, probe_zero]
  exact S.decodeDirection_perm (hdec N) ho hlen hs hv

omit [DecidableEq K] in
private theorem anchor_shows (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N) (hgp : S.GeneralPosition D G) : (S.anchor dec D N o).Perm (S.shadow G (D.u 0) (D.q 0)) := by
  have h1 := hgp.scores 0 0
  have h2 := hgp.visible 0 0
  rw [probe_zero] at h1 h2
  exact S.anchor_perm hdec ho hlen h1 h2

/-- **Exactness.** Against at most `N` heads in general position the program returns these heads, up to order. -/
theorem learnShort_exact (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N)
    (hgp : S.GeneralPosition D G) : ((S.learnShort dec D N).run o).Perm G := by
  have ha := S.anchor_shows hdec ho hlen hgp
  have hl : (S.anchor dec D N o).length = G.length := by rw [List.Perm.length_eq ha, shadow, List.length_map]
  have hd : ∀ i j, (S.decodeDirection (dec (S.anchor dec D N o).length) (fun a => o ([], basis a)) (D.probe i j) (D.q j)
      ((askDirection K (S.anchor dec D N o).length (D.probe i j) (D.q j)).run o)).Perm
      (S.shadow G (D.probe i j) (D.q j)) := fun i j =>
    S.decodeDirection_perm (hdec _) ho (Nat.le_of_eq hl.symm) (hgp.scores i j) (hgp.visible i j)
  have e : (S.learnShort dec D N).run o = (S.anchor dec D N o).map (S.assemble D
      (fun j => S.decodeDirection (dec (S.anchor dec D N o).length) (fun a => o ([], basis a)) (D.probe 0 j.succ)
          (D.q j.succ)
        ((askDirection K (S.anchor dec D N o).length (D.probe 0 j.succ) (D.q j.succ)).run o))
      (fun i j => S.decodeDirection (dec (S.anchor dec D N o).length) (fun a => o ([], basis a)) (D.probe i.succ j)
          (D.q j)
        ((askDirection K (S.anchor dec D N o).length (D.probe i.succ j) (D.q j)).run o))) := by
    rw [learnShort, QueryProgram.run_bind, QueryProgram.run_bind, QueryProgram.run_forFin]
    show (S.remaining dec D (fun a => o ([], basis a)) (S.anchor dec D N o)).run o = _
    rw [remaining, QueryProgram.run_bind, QueryProgram.run_bind, QueryProgram.run_forFin, QueryProgram.run_forFin]
    simp only [QueryProgram.run_forFin]
    rfl
  rw [e]
  refine .trans (List.Perm.map _ ha) (List.Perm.of_eq ?_)
  rw [shadow, List.map_map]
  refine Eq.trans (List.map_congr_left fun g hg => ?_) (List.map_id G)
  exact S.assemble_eq hgp (fun j => hd 0 j.succ) (fun i j => hd i.succ j) hg

/-- **Query count**, against `H ≤ N` heads in general position in dimension `d = n + 1`:
`d + (2 N - 1) + (2 H - 1) (d² - 1)`. -/
theorem learnShort_count (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N)
    (hgp : S.GeneralPosition D G) : ((S.learnShort dec D N).queries o).length =
      (n + 1) + (2 * N - 1) + (2 * G.length - 1) * ((n + 1) * (n + 1) - 1) := by
  have ha := S.anchor_shows hdec ho hlen hgp
  rw [length_queries, List.Perm.length_eq ha, shadow, List.length_map]
  exact (Nat.add_assoc _ _ _).symm

/-- **Query count**, when the bound on the number of heads is exact: `(2 H - 1) d² + d`. -/
theorem learnShort_count_eq (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length = N)
    (hgp : S.GeneralPosition D G) : ((S.learnShort dec D N).queries o).length =
      (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) := by
  rw [S.learnShort_count hdec ho (Nat.le_of_eq hlen) hgp, hlen, Nat.add_assoc, Nat.add_comm,
    count_directions _ (Nat.mul_pos (Nat.succ_pos n) (Nat.succ_pos n))]
end
end Semantics

end AttentionQueries
