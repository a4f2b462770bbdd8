import AttentionQueries.MultiHead.Learner.Decoder
import AttentionQueries.MultiHead.FiniteTest
import AttentionQueries.Query

/-! # Asking a table of directions

The learners of several heads share a skeleton. Given an upper bound `N` on the number of heads, ask `d` sequences of
length one, which give `V = ∑ v`; then `2 N - 1` sequences in the direction `(u₀₀, q₀)`, the anchor, which show the
number `H` of heads; then `2 H - 1` sequences in each of the other `d² - 1` directions `(uᵢⱼ, qⱼ)` of a table. In each
direction the scores and residues of the heads are decoded, in unknown order. How they are put together is left open
here: a function from what is seen in all directions and from the score and residue in the anchor to a head.

## Main definitions
- `askDirection`, `Semantics.decodeDirection`: the questions in one direction, and what is read off the answers.
- `Semantics.anchor`: what is seen in the first direction, with the bound on the number of heads.
- `Semantics.learnTable`: the program.
- `firstPair`: the first pair with a property, for putting heads together.

## Main statements
- `Semantics.learnTable_exact`: if in all directions the scores of the heads are distinct and no residue vanishes, and
  if heads are put together correctly, the program returns the heads, up to order;
  `Semantics.learnTable_count`: it asks `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions.
- `Semantics.learnTable_count_le`, `Semantics.learnTable_mem`, `Semantics.learnTable_length`,
  `Semantics.learnTable_result_length`: against any oracle it asks at most `(2 N - 1) d² + d` questions, in these
  directions, none with more than `N` context tokens, and returns at most `N` heads.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K)

/-! ## one direction -/
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


/-! ## the program -/

/-- What is seen in a direction with the bound `N` on the number of heads; the sum of the values is asked for. -/
def anchor (dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)) (N : Nat) (u q : Vec R (n + 1))
    (o : Query R (n + 1) → K) : List (R × K) :=
  S.decodeDirection (dec N) (fun a => o ([], basis a)) u q ((askDirection K N u q).run o)

/-- All that is seen: `l` in the anchor direction, `y` in the other directions of the first row, `z` in the rest. -/
def fullTable (l : List (R × K)) (y : Fin n → List (R × K)) (z : Fin n → Fin (n + 1) → List (R × K)) :
    Fin (n + 1) → Fin (n + 1) → List (R × K) := Fin.cases (Fin.cases l y) z

section
variable (dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)) (u : Fin (n + 1) → Fin (n + 1) → Vec R (n + 1))
  (q : Fin (n + 1) → Vec R (n + 1))
  (assemble : (Fin (n + 1) → Fin (n + 1) → List (R × K)) → R × K → Head R K (n + 1))

/-- What remains to be asked in the directions `(uᵢⱼ, qⱼ)` after the anchor direction has shown the scores and residues
`l`; `V` is the sum of the values. -/
def remaining (V : Vec K (n + 1)) (l : List (R × K)) : QueryProgram (Query R (n + 1)) K (List (Head R K (n + 1))) :=
  (QueryProgram.forFin fun j : Fin n => askDirection K l.length (u 0 j.succ) (q j.succ)).bind fun y =>
  (QueryProgram.forFin fun i : Fin n => QueryProgram.forFin fun j : Fin (n + 1) =>
    askDirection K l.length (u i.succ j) (q j)).bind fun z =>
  .done (l.map (assemble (fullTable l (fun j => S.decodeDirection (dec l.length) V (u 0 j.succ) (q j.succ) (y j))
    fun i j => S.decodeDirection (dec l.length) V (u i.succ j) (q j) (z i j))))

/-- **Learning at most `N` heads from the directions `(uᵢⱼ, qⱼ)`**, in dimension `n + 1`. A head is put together from
all that is seen and from its score and residue in the direction `(u₀₀, q₀)`. -/
def learnTable (N : Nat) : QueryProgram (Query R (n + 1)) K (List (Head R K (n + 1))) :=
  (QueryProgram.forFin fun a => .ask1 ([], basis a)).bind fun V =>
  (askDirection K N (u 0 0) (q 0)).bind fun x =>
  S.remaining dec u q assemble V (S.decodeDirection (dec N) V (u 0 0) (q 0) x)
end

/-! ## the count -/
section
variable {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {u : Fin (n + 1) → Fin (n + 1) → Vec R (n + 1)}
  {q : Fin (n + 1) → Vec R (n + 1)}
  {assemble : (Fin (n + 1) → Fin (n + 1) → List (R × K)) → R × K → Head R K (n + 1)} {N : Nat}
  (o : Query R (n + 1) → K)

private theorem run_learnTable : (S.learnTable dec u q assemble N).run o =
    (S.remaining dec u q assemble (fun a => o ([], basis a)) (S.anchor dec N (u 0 0) (q 0) o)).run o := by
  rw [learnTable, QueryProgram.run_bind, QueryProgram.run_bind, QueryProgram.run_forFin]
  rfl

private theorem count_directions (a : Nat) : ∀ {X : Nat}, 0 < X → a + a * (X - 1) = a * X
  | X + 1, _ => by
    show a + a * X = a * (X + 1)
    exact (Nat.add_comm _ _).trans (Nat.mul_succ a X).symm
private theorem length_flatMap_finRange {α : Type} {m c : Nat} {f : Fin m → List α} (h : ∀ i, (f i).length = c) :
    ((List.finRange m).flatMap f).length = m * c := by
  rw [length_flatMap_const h, List.length_finRange]
/-- A direction takes `2 H - 1` questions. -/
theorem length_askDirection {K : Type} {d : Nat} (o : Query R d → K) (H : Nat) (u q : Vec R d) :
    ((askDirection K H u q).queries o).length = 2 * H - 1 := by
  rw [askDirection, QueryProgram.queries_forFin, length_flatMap_finRange (c := 1) fun _ => rfl, Nat.mul_one]

private theorem length_remaining (V : Vec K (n + 1)) (l : List (R × K)) :
    ((S.remaining dec u q assemble V l).queries o).length = (2 * l.length - 1) * ((n + 1) * (n + 1) - 1) := by
  rw [remaining, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin,
    QueryProgram.queries_forFin, List.length_append, List.length_append,
    length_flatMap_finRange fun _ => length_askDirection o _ _ _, length_flatMap_finRange (c := (n +
        1) * (2 * l.length - 1))
      fun i => by rw [QueryProgram.queries_forFin, length_flatMap_finRange fun _ => length_askDirection o _ _ _]]
  show n * (2 * l.length - 1) + (n * ((n + 1) * (2 * l.length - 1)) + 0) = _
  have e : (n + 1) * (n + 1) - 1 = n + n * (n + 1) := by
    rw [Nat.succ_mul, ← Nat.add_assoc, Nat.add_sub_cancel, Nat.add_comm]
  rw [e, Nat.add_zero, ← Nat.mul_assoc, ← Nat.add_mul, Nat.mul_comm]

private theorem length_queries : ((S.learnTable dec u q assemble N).queries o).length =
    (n + 1) + ((2 * N - 1) + (2 * (S.anchor dec N (u 0 0) (q 0) o).length - 1) * ((n + 1) * (n + 1) - 1)) := by
  rw [learnTable, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin, List.length_append,
    List.length_append, length_flatMap_finRange (c := 1) fun _ => rfl, length_askDirection, length_remaining,
        Nat.mul_one,
    QueryProgram.run_forFin]
  rfl

/-- **Query count**, against any oracle: at most `(2 N - 1) d² + d` with `d = n + 1`. -/
theorem learnTable_count_le (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ((S.learnTable dec u q assemble N).queries o).length ≤ (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) := by
  rw [length_queries, Nat.add_comm]
  refine Nat.add_le_add_right ?_ _
  have h : 2 * (S.anchor dec N (u 0 0) (q 0) o).length - 1 ≤ 2 * N - 1 :=
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
`learnTable_exact` is needed. -/
theorem learnTable_result_length (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ((S.learnTable dec u q assemble N).run o).length ≤ N := by
  have e : ((S.learnTable dec u q assemble N).run o).length = (S.anchor dec N (u 0 0) (q 0) o).length := by
    rw [run_learnTable, remaining, QueryProgram.run_bind, QueryProgram.run_bind]
    exact List.length_map _
  rw [e]
  exact (hdec N).length_le _ _

/-- **What is asked**, against any oracle: sequences of length one, and the `2 H - 1` sequences of directions
`(uᵢⱼ, qⱼ)` with some `H ≤ N`. -/
theorem learnTable_mem (hdec : ∀ H, S.IsDecoder H (dec H)) {t : Query R (n + 1)}
    (ht : t ∈ (S.learnTable dec u q assemble N).queries o) :
    (∃ a, t = ([], basis a)) ∨ ∃ H k i j, H ≤ N ∧ k < 2 * H - 1 ∧
      t = (copies ((ratio H k).1 + 1) (ratio H k).2 (u i j) (q j), q j) := by
  have hask : ∀ H, H ≤ N → ∀ i j, t ∈ (askDirection K H (u i j) (q j)).queries o → (∃ a, t = ([], basis a)) ∨
      ∃ H k i j, H ≤ N ∧ k < 2 * H - 1 ∧ t = (copies ((ratio H k).1 + 1) (ratio H k).2 (u i j) (q j), q j) := by
    intro H hH i j ht
    rw [askDirection, QueryProgram.queries_forFin, List.mem_flatMap] at ht
    obtain ⟨k, -, ht⟩ := ht
    exact .inr ⟨H, k.val, i, j, hH, k.isLt, List.mem_singleton.mp ht⟩
  have hl : (S.anchor dec N (u 0 0) (q 0) o).length ≤ N := (hdec N).length_le _ _
  rw [learnTable, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin,
    QueryProgram.run_forFin] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨a, -, ht⟩ := List.mem_flatMap.mp ht
    exact .inl ⟨a, List.mem_singleton.mp ht⟩
  rcases List.mem_append.mp ht with ht | ht
  · exact hask N (Nat.le_refl N) _ _ ht
  have ht : t ∈ (S.remaining dec u q assemble (fun a => o ([], basis a))
    (S.anchor dec N (u 0 0) (q 0) o)).queries o := ht
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
theorem learnTable_length (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ∀ t ∈ (S.learnTable dec u q assemble N).queries o, t.1.length ≤ N := by
  intro t ht
  rcases S.learnTable_mem o hdec ht with ⟨a, rfl⟩ | ⟨H, k, i, j, hH, hk, rfl⟩
  · exact Nat.zero_le N
  · refine Nat.le_trans ?_ hH
    show (copies _ _ _ _).length ≤ H
    rw [copies, List.length_append, List.length_replicate, List.length_replicate]
    exact ratio_length hk
end

/-! ## what is found -/
section
variable {G : List (Head R K (n + 1))} {o : Query R (n + 1) → K}

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

variable {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {u : Fin (n + 1) → Fin (n + 1) → Vec R (n + 1)}
  {q : Fin (n + 1) → Vec R (n + 1)}
  {assemble : (Fin (n + 1) → Fin (n + 1) → List (R × K)) → R × K → Head R K (n + 1)} {N : Nat}

/-- The anchor direction shows the heads. -/
theorem anchor_perm (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N) {u q : Vec R (n + 1)} (hs : G.Pairwise fun g g' => score g.W u q ≠ score g'.W u q)
    (hv : ∀ g ∈ G, S.inner g.v u ≠ 0) : (S.anchor dec N u q o).Perm (S.shadow G u q) :=
  S.decodeDirection_perm (hdec N) ho hlen hs hv

/-- **Exactness.** Let there be at most `N` heads, and in every direction of the table let their scores be distinct and
no residue vanish. If every head is put together correctly from its score and residue in the anchor direction and from
tables that show, in any order, the scores and residues of the heads, then the program returns the heads, up to order.
-/
theorem learnTable_exact (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N) (hs : ∀ i j, G.Pairwise fun g g' => score g.W (u i j) (q j) ≠ score g'.W (u i j) (q j))
    (hv : ∀ i j, ∀ g ∈ G, S.inner g.v (u i j) ≠ 0)
    (hasm : ∀ T : Fin (n + 1) → Fin (n + 1) → List (R × K), (∀ i j, (T i j).Perm (S.shadow G (u i j) (q j))) →
      ∀ g ∈ G, assemble T (score g.W (u 0 0) (q 0), S.inner g.v (u 0 0)) = g) :
    ((S.learnTable dec u q assemble N).run o).Perm G := by
  have ha := S.anchor_perm hdec ho hlen (hs 0 0) (hv 0 0)
  have hl : G.length ≤ (S.anchor dec N (u 0 0) (q 0) o).length :=
    Nat.le_of_eq (by rw [List.Perm.length_eq ha, shadow, List.length_map])
  have hd := fun i j => S.decodeDirection_perm (hdec (S.anchor dec N (u 0 0) (q 0) o).length) ho hl (hs i j) (hv i j)
  rw [run_learnTable, remaining, QueryProgram.run_bind, QueryProgram.run_bind, QueryProgram.run_forFin,
    QueryProgram.run_forFin]
  simp only [QueryProgram.run_forFin]
  refine .trans (List.Perm.map _ ha) (List.Perm.of_eq ?_)
  rw [shadow, List.map_map]
  refine Eq.trans (List.map_congr_left fun g hg => hasm _ (fun i j => ?_) g hg) (List.map_id G)
  induction i using Fin.cases with
  | zero =>
    induction j using Fin.cases with
    | zero => exact ha
    | succ j => exact hd 0 j.succ
  | succ i => exact hd i.succ j

/-- **Query count**, against `H ≤ N` heads with distinct scores and nonzero residues in the anchor direction, in
dimension `d = n + 1`: `d + (2 N - 1) + (2 H - 1) (d² - 1)`. -/
theorem learnTable_count (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N) (hs : G.Pairwise fun g g' => score g.W (u 0 0) (q 0) ≠ score g'.W (u 0 0) (q 0))
    (hv : ∀ g ∈ G, S.inner g.v (u 0 0) ≠ 0) : ((S.learnTable dec u q assemble N).queries o).length =
      (n + 1) + (2 * N - 1) + (2 * G.length - 1) * ((n + 1) * (n + 1) - 1) := by
  rw [length_queries, List.Perm.length_eq (S.anchor_perm hdec ho hlen hs hv), shadow, List.length_map]
  exact (Nat.add_assoc _ _ _).symm

/-- **Query count**, when the bound on the number of heads is exact: `(2 H - 1) d² + d`. -/
theorem learnTable_count_eq (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length = N) (hs : G.Pairwise fun g g' => score g.W (u 0 0) (q 0) ≠ score g'.W (u 0 0) (q 0))
    (hv : ∀ g ∈ G, S.inner g.v (u 0 0) ≠ 0) : ((S.learnTable dec u q assemble N).queries o).length =
      (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) := by
  rw [S.learnTable_count hdec ho (Nat.le_of_eq hlen) hs hv, hlen, Nat.add_assoc, Nat.add_comm,
    count_directions _ (Nat.mul_pos (Nat.succ_pos n) (Nat.succ_pos n))]
end
end Semantics

end AttentionQueries
