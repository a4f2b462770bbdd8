import AttentionQueries.MultiHead.Learner.Program
import AttentionQueries.MultiHead.Learner.Spanning
import AttentionQueries.MultiHead.Canonical

/-! # The learner of several heads without a condition on the values

Heads with equal values cannot be told apart by their residues. This program tells them apart by their scores: what is
seen in the directions `(u₀, q₀)` and `(u₀, qⱼ)` belongs together if the sum of the scores is a score in the direction
`(u₀, q₀ + qⱼ)`; and likewise for `(u₀, qⱼ)`, `(uᵢ, qⱼ)` and `(u₀ + uᵢ, qⱼ)`. These sums cost `d² - 1` further
directions. For every reduced list of heads, hence for the canonical form of every model, there are tokens with which
the program succeeds.

## Main definitions
- `Semantics.learnLinked`: the program.
- `Semantics.LinkedPosition`: the condition on the tokens under which it finds the heads.

## Main statements
- `Semantics.learnLinked_exact`: it returns at most `N` heads in linked position, up to order.
- `Semantics.learnLinked_count`: it asks `d + (2 N - 1) + 2 (2 H - 1) (d² - 1)` questions;
  `Semantics.learnLinked_count_le`: at most `(2 N - 1) (2 d² - 1) + d` against any oracle;
  `Semantics.learnLinked_length`: none with more than `N` context tokens.
- `Semantics.exists_linkedPosition_iff`: tokens in linked position exist if and only if the heads are reduced.
- `Semantics.exists_learner_of_all`: every model with at most `N` heads has tokens with which the program returns its
  canonical form.
-/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {n : Nat}
namespace Semantics

/-! ## the program -/
section
variable [DecidableEq R]

/-- What belongs to the score `s` among the pairs `l`: the first one whose score, added to `s`, is a score in `l'`. -/
def linkTo (s : R) (l l' : List (R × K)) : R × K := firstPair (fun t => s + t.1 ∈ l'.map Prod.fst) l

/-- The score for `qⱼ` and `u₀` of the head with score `p.1` for `q₀` and `u₀`, from what is seen in the directions
`(u₀, q_{j+1})` (`row j`) and `(u₀, q₀ + q_{j+1})` (`rowSum j`). -/
def firstScore (row rowSum : Fin n → List (R × K)) (p : R × K) : Fin (n + 1) → R :=
  Fin.cases p.1 fun j => (linkTo p.1 (row j) (rowSum j)).1

/-- One head from its score and residue `p` in the direction `(u₀, q₀)`, given what is seen in the directions
`(u₀, q_{j+1})`, `(u₀, q₀ + q_{j+1})`, `(u_{i+1}, qⱼ)` (`rest i j`) and `(u₀ + u_{i+1}, qⱼ)` (`restSum i j`). -/
def assembleLinked (D : Directions R n) (row rowSum : Fin n → List (R × K))
    (rest restSum : Fin n → Fin (n + 1) → List (R × K)) (p : R × K) : Head R K (n + 1) where
  W := fun a b => finSum fun i => D.cu a i * finSum fun j => D.cq b j *
    (Fin.cases (motive := fun _ => R) (firstScore row rowSum p j)
      (fun i => (linkTo (firstScore row rowSum p j) (rest i j) (restSum i j)).1) i)
  v := fun a => finSum fun i => S.cast (D.cu a i) *
    (Fin.cases (motive := fun _ => K) p.2 (fun i => (linkTo p.1 (rest i 0) (restSum i 0)).2) i)

/-- What remains to be asked after the anchor direction has shown the scores and residues `l`; `V` is the sum of the
values. -/
def remainingLinked (dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)) (D : Directions R n)
    (V : Vec K (n + 1)) (l : List (R × K)) : QueryProgram (Query R (n + 1)) K (List (Head R K (n + 1))) :=
  (QueryProgram.forFin fun j : Fin n => askDirection K l.length (D.u 0) (D.q j.succ)).bind fun y =>
  (QueryProgram.forFin fun j : Fin n => askDirection K l.length (D.u 0) (D.q 0 + D.q j.succ)).bind fun y' =>
  (QueryProgram.forFin fun i : Fin n => QueryProgram.forFin fun j : Fin (n + 1) =>
    askDirection K l.length (D.u i.succ) (D.q j)).bind fun z =>
  (QueryProgram.forFin fun i : Fin n => QueryProgram.forFin fun j : Fin (n + 1) =>
    askDirection K l.length (D.u 0 + D.u i.succ) (D.q j)).bind fun z' =>
  .done (l.map (S.assembleLinked D
    (fun j => S.decodeDirection (dec l.length) V (D.u 0) (D.q j.succ) (y j))
    (fun j => S.decodeDirection (dec l.length) V (D.u 0) (D.q 0 + D.q j.succ) (y' j))
    (fun i j => S.decodeDirection (dec l.length) V (D.u i.succ) (D.q j) (z i j))
    (fun i j => S.decodeDirection (dec l.length) V (D.u 0 + D.u i.succ) (D.q j) (z' i j))))

/-- **The learner of at most `N` heads by short sequences, without a condition on the values**, in dimension `n + 1`. -/
def learnLinked (dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)) (D : Directions R n) (N : Nat) :
    QueryProgram (Query R (n + 1)) K (List (Head R K (n + 1))) :=
  (QueryProgram.forFin fun a => .ask1 ([], basis a)).bind fun V =>
  (askDirection K N (D.u 0) (D.q 0)).bind fun x =>
  S.remainingLinked dec D V (S.decodeDirection (dec N) V (D.u 0) (D.q 0) x)
end

/-! ## the count -/
section
variable [DecidableEq R] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {D : Directions R n} {N : Nat}
  (o : Query R (n + 1) → K)

omit [CommRing R] [OrderedField K] [DecidableEq R] in
private theorem length_loop {Q A α : Type} {m c : Nat} {f : Fin m → QueryProgram Q A α} {o : Q → A}
    (h : ∀ i, ((f i).queries o).length = c) : ((QueryProgram.forFin f).queries o).length = m * c := by
  rw [QueryProgram.queries_forFin, length_flatMap_const h, List.length_finRange]
private theorem count_sum (n c : Nat) :
    n * c + (n * c + (n * ((n + 1) * c) + (n * ((n + 1) * c) + 0))) = 2 * c * (n + n * (n + 1)) := by
  rw [Nat.add_zero (n * ((n + 1) * c)), ← Nat.add_assoc, ← Nat.two_mul, ← Nat.two_mul, ← Nat.mul_add, Nat.mul_assoc 2 c,
    Nat.mul_comm c, ← Nat.mul_assoc n (n + 1) c, ← Nat.add_mul]
private theorem length_remainingLinked (V : Vec K (n + 1)) (l : List (R × K)) :
    ((S.remainingLinked dec D V l).queries o).length = 2 * (2 * l.length - 1) * ((n + 1) * (n + 1) - 1) := by
  simp only [remainingLinked, QueryProgram.queries_bind, List.length_append]
  rw [length_loop fun _ => length_askDirection o _ _ _, length_loop fun _ => length_askDirection o _ _ _,
    length_loop (c := (n + 1) * (2 * l.length - 1)) fun _ => length_loop fun _ => length_askDirection o _ _ _,
    length_loop (c := (n + 1) * (2 * l.length - 1)) fun _ => length_loop fun _ => length_askDirection o _ _ _]
  have e : (n + 1) * (n + 1) - 1 = n + n * (n + 1) := by
    rw [Nat.succ_mul, ← Nat.add_assoc, Nat.add_sub_cancel, Nat.add_comm]
  rw [e]
  exact count_sum n _
private theorem length_queries_linked : ((S.learnLinked dec D N).queries o).length =
    (n + 1) + ((2 * N - 1) + 2 * (2 * (S.anchor dec N (D.u 0) (D.q 0) o).length - 1) * ((n + 1) * (n + 1) - 1)) := by
  rw [learnLinked, QueryProgram.queries_bind, QueryProgram.queries_bind, List.length_append, List.length_append,
    length_loop (c := 1) fun _ => rfl, length_askDirection, length_remainingLinked, Nat.mul_one,
        QueryProgram.run_forFin]
  rfl

private theorem count_linked (a : Nat) : ∀ {X : Nat}, 0 < X → a + 2 * a * (X - 1) = a * (2 * X - 1)
  | X + 1, _ => by
    show a + 2 * a * X = a * (2 * X + 1)
    rw [Nat.mul_add, Nat.mul_one, Nat.add_comm, Nat.mul_comm 2 a, Nat.mul_assoc]

/-- **Query count**, against any oracle: at most `(2 N - 1) (2 d² - 1) + d` with `d = n + 1`. -/
theorem learnLinked_count_le (hdec : ∀ H, S.IsDecoder H (dec H)) : ((S.learnLinked dec D N).queries o).length ≤
    (2 * N - 1) * (2 * ((n + 1) * (n + 1)) - 1) + (n + 1) := by
  rw [length_queries_linked, Nat.add_comm]
  refine Nat.add_le_add_right ?_ _
  have h : 2 * (S.anchor dec N (D.u 0) (D.q 0) o).length - 1 ≤ 2 * N - 1 :=
    Nat.sub_le_sub_right (Nat.mul_le_mul_left 2 ((hdec N).length_le _ _)) 1
  refine Nat.le_trans (Nat.add_le_add_left (Nat.mul_le_mul_right _ (Nat.mul_le_mul_left 2 h)) _) ?_
  exact Nat.le_of_eq (count_linked _ (Nat.mul_pos (Nat.succ_pos n) (Nat.succ_pos n)))

/-- **Query length**, against any oracle: no context has more than `N` tokens, so no sequence has more than `N + 1`. -/
theorem learnLinked_length (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ∀ t ∈ (S.learnLinked dec D N).queries o, t.1.length ≤ N := by
  have hl : (S.anchor dec N (D.u 0) (D.q 0) o).length ≤ N := (hdec N).length_le _ _
  intro t ht
  rw [learnLinked, QueryProgram.queries_bind, QueryProgram.queries_bind, QueryProgram.queries_forFin,
    QueryProgram.run_forFin] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨a, -, ht⟩ := List.mem_flatMap.mp ht
    rw [List.mem_singleton.mp ht]
    exact Nat.zero_le N
  rcases List.mem_append.mp ht with ht | ht
  · exact length_le_of_mem_askDirection ht
  have ht : t ∈ (S.remainingLinked dec D (fun a => o ([], basis a))
    (S.anchor dec N (D.u 0) (D.q 0) o)).queries o := ht
  refine Nat.le_trans ?_ hl
  simp only [remainingLinked, QueryProgram.queries_bind, QueryProgram.queries_forFin] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨_, -, ht⟩ := List.mem_flatMap.mp ht
    exact length_le_of_mem_askDirection ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨_, -, ht⟩ := List.mem_flatMap.mp ht
    exact length_le_of_mem_askDirection ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨_, -, ht⟩ := List.mem_flatMap.mp ht
    obtain ⟨_, -, ht⟩ := List.mem_flatMap.mp ht
    exact length_le_of_mem_askDirection ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨_, -, ht⟩ := List.mem_flatMap.mp ht
    obtain ⟨_, -, ht⟩ := List.mem_flatMap.mp ht
    exact length_le_of_mem_askDirection ht
  · cases ht
end

/-! ## what is found -/

/-- **Linked position** of heads with respect to the tokens: a condition on the scores, and visibility. -/
structure LinkedPosition (D : Directions R n) (G : List (Head R K (n + 1))) : Prop where
  /-- the scores of `u₀` differ -/
  row : ∀ j, G.Pairwise fun g g' => score g.W (D.u 0) (D.q j) ≠ score g'.W (D.u 0) (D.q j)
  /-- the scores of `u₀` differ for the queries `q₀ + qⱼ` -/
  row_sum : ∀ j : Fin n, G.Pairwise fun g g' =>
    score g.W (D.u 0) (D.q 0 + D.q j.succ) ≠ score g'.W (D.u 0) (D.q 0 + D.q j.succ)
  /-- the scores of `uᵢ` differ -/
  rest : ∀ (i : Fin n) j, G.Pairwise fun g g' => score g.W (D.u i.succ) (D.q j) ≠ score g'.W (D.u i.succ) (D.q j)
  /-- the scores of `u₀ + uᵢ` differ -/
  rest_sum : ∀ (i : Fin n) j, G.Pairwise fun g g' =>
    score g.W (D.u 0 + D.u i.succ) (D.q j) ≠ score g'.W (D.u 0 + D.u i.succ) (D.q j)
  /-- no head is orthogonal to `uᵢ` -/
  visible : ∀ i, ∀ g ∈ G, S.inner g.v (D.u i) ≠ 0
  /-- no head is orthogonal to `u₀ + uᵢ` -/
  visible_sum : ∀ i : Fin n, ∀ g ∈ G, S.inner g.v (D.u 0 + D.u i.succ) ≠ 0
  /-- a sum of scores for `q₀` and `qⱼ` is a score for `q₀ + qⱼ` only if it is one of the same head -/
  link_row : ∀ j : Fin n, ∀ g ∈ G, ∀ g' ∈ G, ∀ h ∈ G, score g.W (D.u 0) (D.q 0) + score g'.W (D.u 0) (D.q j.succ) =
    score h.W (D.u 0) (D.q 0 + D.q j.succ) → g = g'
  /-- a sum of scores of `u₀` and `uᵢ` is a score of `u₀ + uᵢ` only if it is one of the same head -/
  link_rest : ∀ (i : Fin n) j, ∀ g ∈ G, ∀ g' ∈ G, ∀ h ∈ G, score g.W (D.u 0) (D.q j) + score g'.W (D.u i.succ) (D.q j) =
    score h.W (D.u 0 + D.u i.succ) (D.q j) → g = g'

variable {S} in
/-- Heads in linked position are reduced. -/
theorem LinkedPosition.reduced {D : Directions R n} {G : List (Head R K (n + 1))}
    (h : S.LinkedPosition D G) : Reduced G where
  distinct := (h.row 0).imp fun hne e => hne (by rw [e])
  ne_zero := fun g hg e => h.visible 0 g hg (by rw [e, zero_inner])

section
variable [DecidableEq R] {D : Directions R n} {G : List (Head R K (n + 1))} {o : Query R (n + 1) → K}

private theorem linkTo_eq {u q u' q' : Vec R (n + 1)} {s : Head R K (n + 1) → R} {l l' : List (R × K)}
    (hl : l.Perm (S.shadow G u q)) (hl' : l'.Perm (S.shadow G u' q'))
    (hadd : ∀ g : Head R K (n + 1), score g.W u' q' = s g + score g.W u q)
    (hlink : ∀ g ∈ G, ∀ g' ∈ G, ∀ h ∈ G, s g + score g'.W u q = score h.W u' q' → g = g')
    {g : Head R K (n + 1)} (hg : g ∈ G) : linkTo (s g) l l' = (score g.W u q, S.inner g.v u) := by
  refine firstPair_eq ?_ ((List.Perm.mem_iff (List.Perm.symm hl)).mp (List.mem_map.mpr ⟨g, hg, rfl⟩)) ?_
  · exact List.mem_map.mpr ⟨_, (List.Perm.mem_iff (List.Perm.symm hl')).mp (List.mem_map.mpr ⟨g, hg, rfl⟩), hadd g⟩
  · intro t ht hP
    obtain ⟨h, hh, rfl⟩ := List.mem_map.mp ((List.Perm.mem_iff hl).mp ht)
    obtain ⟨t', ht', e⟩ := List.mem_map.mp hP
    obtain ⟨k, hk, rfl⟩ := List.mem_map.mp ((List.Perm.mem_iff hl').mp ht')
    rw [hlink g hg h hh k hk e.symm]

private theorem assembleLinked_eq (hgp : S.LinkedPosition D G) {row rowSum : Fin n → List (R × K)}
    {rest restSum : Fin n → Fin (n + 1) → List (R × K)} (h1 : ∀ j, (row j).Perm (S.shadow G (D.u 0) (D.q j.succ)))
    (h2 : ∀ j, (rowSum j).Perm (S.shadow G (D.u 0) (D.q 0 + D.q j.succ)))
    (h3 : ∀ i j, (rest i j).Perm (S.shadow G (D.u i.succ) (D.q j)))
    (h4 : ∀ i j, (restSum i j).Perm (S.shadow G (D.u 0 + D.u i.succ) (D.q j))) {g : Head R K (n + 1)} (hg : g ∈ G) :
    S.assembleLinked D row rowSum rest restSum (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0)) = g := by
  have hrow : ∀ j, firstScore row rowSum (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0)) j = score g.W (D.u 0)
      (D.q j) := by
    intro j
    induction j using Fin.cases with
    | zero => rfl
    | succ j =>
      exact congrArg Prod.fst (S.linkTo_eq (s := fun g => score g.W (D.u 0) (D.q 0)) (h1 j) (h2 j)
        (fun g => score_add_query g.W _ _ _) (hgp.link_row j) hg)
  have hrest : ∀ i j, linkTo (score g.W (D.u 0) (D.q j)) (rest i j) (restSum i j) =
      (score g.W (D.u i.succ) (D.q j), S.inner g.v (D.u i.succ)) := fun i j =>
    S.linkTo_eq (s := fun g => score g.W (D.u 0) (D.q j)) (h3 i j) (h4 i j) (fun g => score_add g.W _ _ _)
      (hgp.link_rest i j) hg
  have hW : (S.assembleLinked D row rowSum rest restSum (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0))).W = g.W :=
    funext fun a => funext fun b => by
      rw [← D.score_recover g.W a b]
      refine congrArg finSum (funext fun i => congrArg (D.cu a i * ·)
        (congrArg finSum (funext fun j => congrArg (D.cq b j * ·) ?_)))
      rw [hrow]
      induction i using Fin.cases with
      | zero => rfl
      | succ i => exact congrArg Prod.fst (hrest i j)
  have hv : (S.assembleLinked D row rowSum rest restSum (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0))).v = g.v :=
    funext fun a => by
      rw [← D.inner_recover S g.v a]
      refine congrArg finSum (funext fun i => congrArg (S.cast (D.cu a i) * ·) ?_)
      induction i using Fin.cases with
      | zero => rfl
      | succ i => exact congrArg Prod.snd (hrest i 0)
  generalize S.assembleLinked D row rowSum rest restSum (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0)) = k at *
  cases k
  cases g
  cases hW
  cases hv
  rfl

variable {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {N : Nat}

/-- **Exactness.** Against at most `N` heads in linked position the program returns these heads, up to order. -/
theorem learnLinked_exact (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N) (hgp : S.LinkedPosition D G) : ((S.learnLinked dec D N).run o).Perm G := by
  have ha := S.anchor_perm hdec ho hlen (hgp.row 0) (hgp.visible 0)
  have hl : G.length ≤ (S.anchor dec N (D.u 0) (D.q 0) o).length :=
    Nat.le_of_eq (by rw [List.Perm.length_eq ha, shadow, List.length_map])
  have hd := fun {u q : Vec R (n + 1)} (hs : G.Pairwise fun g g' => score g.W u q ≠ score g'.W u q)
    (hv : ∀ g ∈ G, S.inner g.v u ≠ 0) =>
      S.decodeDirection_perm (hdec (S.anchor dec N (D.u 0) (D.q 0) o).length) ho hl hs hv
  have e : (S.learnLinked dec D N).run o = (S.remainingLinked dec D (fun a => o ([], basis a))
      (S.anchor dec N (D.u 0) (D.q 0) o)).run o := by
    rw [learnLinked, QueryProgram.run_bind, QueryProgram.run_bind, QueryProgram.run_forFin]
    rfl
  rw [e, remainingLinked]
  simp only [QueryProgram.run_bind, QueryProgram.run_forFin]
  show (List.map _ _).Perm G
  refine .trans (List.Perm.map _ ha) (List.Perm.of_eq ?_)
  rw [shadow, List.map_map]
  refine Eq.trans (List.map_congr_left fun g hg => ?_) (List.map_id G)
  exact S.assembleLinked_eq hgp (fun j => hd (hgp.row j.succ) (hgp.visible 0)) (fun j => hd (hgp.row_sum j)
      (hgp.visible 0))
    (fun i j => hd (hgp.rest i j) (hgp.visible i.succ)) (fun i j => hd (hgp.rest_sum i j) (hgp.visible_sum i)) hg

/-- **Query count**, against `H ≤ N` heads in linked position in dimension `d = n + 1`:
`d + (2 N - 1) + 2 (2 H - 1) (d² - 1)`. -/
theorem learnLinked_count (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N) (hgp : S.LinkedPosition D G) : ((S.learnLinked dec D N).queries o).length =
      (n + 1) + (2 * N - 1) + 2 * (2 * G.length - 1) * ((n + 1) * (n + 1) - 1) := by
  have ha := S.anchor_perm hdec ho hlen (hgp.row 0) (hgp.visible 0)
  rw [length_queries_linked, List.Perm.length_eq ha, shadow, List.length_map]
  exact (Nat.add_assoc _ _ _).symm
end

/-! ## tokens in linked position exist -/

/-- moving from `e` along `x`, on which the matrices have different scores `φ`, gives new scores `ψ + t φ` that are
different, and linked with `φ` -/
private theorem link_generic {A : Type} {Ws : List A} {φ ψ : A → K} (hφ : ∀ W ∈ Ws, ∀ W' ∈ Ws, W ≠ W' → φ W ≠ φ W') :
    Eventually fun t => ∀ W ∈ Ws, ∀ W' ∈ Ws, W ≠ W' → (ψ W + natCast t * φ W ≠ ψ W' + natCast t * φ W') ∧
      (φ W + (ψ W + natCast t * φ W) ≠ φ W' + (ψ W' + natCast t * φ W')) ∧
      ∀ U ∈ Ws, φ W + (ψ W' + natCast t * φ W') ≠ φ U + (ψ U + natCast t * φ U) := by
  have key : ∀ W ∈ Ws, ∀ W' ∈ Ws, Eventually fun t => W ≠ W' → (ψ W + natCast t * φ W ≠ ψ W' + natCast t * φ W') ∧
      (φ W + (ψ W + natCast t * φ W) ≠ φ W' + (ψ W' + natCast t * φ W')) ∧
      ∀ U ∈ Ws, φ W + (ψ W' + natCast t * φ W') ≠ φ U + (ψ U + natCast t * φ U) := by
    intro W hW W' hW'
    by_cases hne : W = W'
    · exact ⟨0, fun _ _ h => absurd hne h⟩
    have hd : φ W - φ W' ≠ 0 := fun e => hφ W hW W' hW' hne (sub_eq_zero.mp e)
    obtain ⟨N₁, h₁⟩ := eventually_ne (a := ψ W - ψ W') (.inr hd)
    obtain ⟨N₂, h₂⟩ := eventually_ne (a := φ W + ψ W - (φ W' + ψ W')) (.inr hd)
    obtain ⟨N₃, h₃⟩ := Eventually.list Ws fun U hU => eventually_ne (a := φ W - φ U + (ψ W' - ψ U)) (b :=
        φ W' - φ U) (by
      by_cases hU' : W' = U
      · left
        rw [← hU', sub_self, add_zero]
        exact hd
      · exact .inr fun e => hφ W' hW' U hU hU' (sub_eq_zero.mp e))
    refine ⟨max N₁ (max N₂ N₃), fun t ht _ => ⟨fun e => h₁ t (Nat.max_le.mp ht).1 ?_,
      fun e => h₂ t (Nat.max_le.mp (Nat.max_le.mp ht).2).1 ?_, fun U hU e =>
          h₃ t (Nat.max_le.mp (Nat.max_le.mp ht).2).2 U hU ?_⟩⟩
    · lin_comb (1) e
    · lin_comb (1) e
    · lin_comb (1) e
  obtain ⟨N, hN⟩ := Eventually.list Ws fun W hW => Eventually.list Ws (key W hW)
  exact ⟨N, fun t ht W hW W' hW' => hN t ht W hW W' hW'⟩

open Classical in
/-- **Tokens in linked position exist** for reduced heads. -/
theorem exists_linkedPosition {G : List (Head R K (n + 1))} (hr : Reduced G) : ∃ D : Directions R n,
    S.LinkedPosition D G := by
  obtain ⟨Ws, hWs⟩ : ∃ Ws, Ws = G.map Head.W := ⟨_, rfl⟩
  have hmem : ∀ g ∈ G, g.W ∈ Ws := fun g hg => by rw [hWs]; exact List.mem_map.mpr ⟨g, hg, rfl⟩
  obtain ⟨Ds, hDs⟩ : ∃ Ds, Ds = (Ws.flatMap fun W => Ws.map fun W' => W - W').filter fun D => D ≠ 0 := ⟨_, rfl⟩
  have hDs0 : ∀ D ∈ Ds, D ≠ 0 := fun D hD => by
    rw [hDs] at hD
    exact of_decide_eq_true (List.mem_filter.mp hD).2
  -- the first query token and the first direction
  obtain ⟨y, hy1, hy⟩ := S.sep_unit_mat Ds hDs0
  obtain ⟨x, hx1, hx⟩ := S.sep_unit ((Ds.map fun D => S.castV (mulVec D y)) ++ G.map Head.v) (by
    intro w hw
    rcases List.mem_append.mp hw with hw | hw
    · obtain ⟨D, hD, rfl⟩ := List.mem_map.mp hw
      exact S.castV_ne (hy D hD)
    · obtain ⟨g, hg, rfl⟩ := List.mem_map.mp hw
      exact hr.ne_zero g hg)
  have hv : ∀ g ∈ G, S.inner g.v x ≠ 0 := fun g hg =>
    hx _ (List.mem_append.mpr (.inr (List.mem_map.mpr ⟨g, hg, rfl⟩)))
  have h00 : ∀ W ∈ Ws, ∀ W' ∈ Ws, W ≠ W' → S.cast (score W x y) ≠ S.cast (score W' x y) := fun W hW W' hW' hne e => by
    have hm : W - W' ∈ Ds := by
      rw [hDs]
      exact List.mem_filter.mpr ⟨List.mem_flatMap.mpr ⟨W, hW, List.mem_map.mpr ⟨W', hW', rfl⟩⟩,
        decide_eq_true fun h => hne (mat_eq_of_sub h)⟩
    refine hx _ (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨_, hm, rfl⟩))) ?_
    rw [inner_mulVec, score_sub_mat, S.cast_inj _ _ e, sub_self, cast_zero]
  -- the multiples of the first query token, then those of the first direction
  obtain ⟨c', hc'⟩ := Classical.axiomOfChoice fun j : Fin n =>
    (link_generic (ψ := fun W => S.cast (score W x (basis j.succ))) h00).exists
  have hrow : ∀ j, ∀ W ∈ Ws, ∀ W' ∈ Ws, W ≠ W' → S.cast (score W x (unitFamily y (fun j => natCast (c' j)) j)) ≠
      S.cast (score W' x (unitFamily y (fun j => natCast (c' j)) j)) := by
    intro j W hW W' hW' hne
    induction j using Fin.cases with
    | zero => exact h00 W hW W' hW' hne
    | succ j =>
      show S.cast (score W x (basis j.succ + smul (natCast (c' j)) y)) ≠ S.cast (score W' x (basis j.succ +
          smul (natCast (c' j)) y))
      rw [cast_score_step_right, cast_score_step_right]
      exact (hc' j W hW W' hW' hne).1
  obtain ⟨c, hc⟩ := Classical.axiomOfChoice fun i : Fin n => (Eventually.and
    (Eventually.list (List.finRange (n + 1)) fun j _ => link_generic
      (ψ := fun W => S.cast (score W (basis i.succ) (unitFamily y (fun j => natCast (c' j)) j))) (hrow j))
    (Eventually.list G fun g hg => Eventually.and
      (eventually_ne (a := S.inner g.v (basis i.succ)) (.inr (hv g hg)))
      (eventually_ne (a := S.inner g.v x + S.inner g.v (basis i.succ)) (.inr (hv g hg))))).exists
  obtain ⟨cu, hcu⟩ := unitFamily_span hx1 fun i => natCast (c i)
  obtain ⟨cq, hcq⟩ := unitFamily_span hy1 fun j => natCast (c' j)
  have pw : ∀ {z q : Vec R (n + 1)}, (∀ W ∈ Ws, ∀ W' ∈ Ws, W ≠ W' → S.cast (score W z q) ≠ S.cast (score W' z q)) →
      G.Pairwise fun g g' => score g.W z q ≠ score g'.W z q := fun h =>
    pairwise_mem hr.distinct fun g hg g' hg' hne e => h _ (hmem g hg) _ (hmem g' hg') hne (by rw [e])
  have cast_add_query : ∀ (W : Mat R (n + 1)) (z q q' : Vec R (n + 1)),
      S.cast (score W z (q + q')) = S.cast (score W z q) + S.cast (score W z q') := fun W z q q' => by
    rw [score_add_query, S.cast_add]
  have same : ∀ g ∈ G, ∀ g' ∈ G, g.W = g'.W → g = g' := fun g hg g' hg' e => by
    apply Classical.byContradiction
    intro hne
    exact of_pairwise_ne (P := fun g g' => g.W ≠ g'.W) (fun _ _ hab e => hab e.symm) hr.distinct g hg g' hg' hne e
  refine ⟨⟨unitFamily x fun i => natCast (c i), unitFamily y fun j => natCast (c' j), cu, cq, hcu, hcq⟩, ?_⟩
  constructor
  · exact fun j => pw (hrow j)
  · refine fun j => pw fun W hW W' hW' hne => ?_
    show S.cast (score W x (y + (basis j.succ + smul (natCast (c' j)) y))) ≠
      S.cast (score W' x (y + (basis j.succ + smul (natCast (c' j)) y)))
    rw [cast_add_query W x y, cast_add_query W' x y, cast_score_step_right, cast_score_step_right]
    exact (hc' j W hW W' hW' hne).2.1
  · refine fun i j => pw fun W hW W' hW' hne => ?_
    show S.cast (score W (basis i.succ + smul (natCast (c i)) x) _) ≠ S.cast (score W' (basis i.succ +
        smul (natCast (c i)) x) _)
    rw [cast_score_step, cast_score_step]
    exact ((hc i).1 j (List.mem_finRange j) W hW W' hW' hne).1
  · refine fun i j => pw fun W hW W' hW' hne => ?_
    show S.cast (score W (x + (basis i.succ + smul (natCast (c i)) x)) _) ≠
      S.cast (score W' (x + (basis i.succ + smul (natCast (c i)) x)) _)
    rw [cast_score_add S W x, cast_score_add S W' x, cast_score_step, cast_score_step]
    exact ((hc i).1 j (List.mem_finRange j) W hW W' hW' hne).2.1
  · intro i g hg
    induction i using Fin.cases with
    | zero => exact hv g hg
    | succ i =>
      show S.inner g.v (basis i.succ + smul (natCast (c i)) x) ≠ 0
      rw [inner_add, inner_smul, cast_natCast]
      exact ((hc i).2 g hg).1
  · intro i g hg
    show S.inner g.v (x + (basis i.succ + smul (natCast (c i)) x)) ≠ 0
    rw [inner_add, inner_add, inner_smul, cast_natCast, ← add_assoc]
    exact ((hc i).2 g hg).2
  · intro j g hg g' hg' h hh e
    apply Classical.byContradiction
    intro hne
    have e : score g.W x y + score g'.W x (basis j.succ + smul (natCast (c' j)) y) =
      score h.W x (y + (basis j.succ + smul (natCast (c' j)) y)) := e
    refine (hc' j _ (hmem g hg) _ (hmem g' hg') fun e => hne (same g hg g' hg' e)).2.2 _ (hmem h hh) ?_
    rw [← cast_score_step_right, ← cast_score_step_right, ← cast_add_query, ← S.cast_add, e]
  · intro i j g hg g' hg' h hh e
    apply Classical.byContradiction
    intro hne
    refine ((hc i).1 j (List.mem_finRange j) _ (hmem g hg) _ (hmem g' hg') fun e =>
        hne (same g hg g' hg' e)).2.2 _ (hmem h hh) ?_
    rw [← cast_score_step, ← cast_score_step, ← cast_score_add, ← S.cast_add]
    exact congrArg S.cast e

/-- **When the program applies**: there are tokens in linked position if and only if the heads are reduced. -/
theorem exists_linkedPosition_iff (G : List (Head R K (n + 1))) : (∃ D : Directions R n,
    S.LinkedPosition D G) ↔ Reduced G :=
  ⟨fun ⟨_, h⟩ => h.reduced, fun h => S.exists_linkedPosition h⟩

/-- **Every model can be learnt by short sequences.** For every model whose canonical form has at most `N` heads there
are tokens with which the program returns the canonical form, up to order; it asks at most `(2 N - 1) (2 d² - 1) + d`
questions, with contexts of at most `N` tokens. -/
theorem exists_learner_of_all [DecidableEq R] [DecidableEq K]
    {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} (hdec : ∀ H, S.IsDecoder H (dec H)) {N : Nat}
    (M : List (Head R K (n + 1))) (hlen : (canonical M).length ≤ N) : ∃ D : Directions R n,
      ((S.learnLinked dec D N).run fun t => S.evalHeads M t.1 t.2).Perm (canonical M) ∧
      ((S.learnLinked dec D N).queries fun t => S.evalHeads M t.1 t.2).length ≤
        (2 * N - 1) * (2 * ((n + 1) * (n + 1)) - 1) + (n + 1) ∧
      ∀ t ∈ (S.learnLinked dec D N).queries fun t => S.evalHeads M t.1 t.2, t.1.length ≤ N := by
  obtain ⟨D, hD⟩ := S.exists_linkedPosition (canonical_reduced M)
  exact ⟨D, S.learnLinked_exact hdec (fun t => (S.evalHeads_canonical M t.1 t.2).symm) hlen hD,
    S.learnLinked_count_le _ hdec, S.learnLinked_length _ hdec⟩
end Semantics

end AttentionQueries
