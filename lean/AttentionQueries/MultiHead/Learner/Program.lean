import AttentionQueries.MultiHead.Learner.Table
import AttentionQueries.MultiHead.Reduced

/-! # The learner of several heads by short sequences, as a query program

The program asks a table of directions (`Semantics.learnTable`). In each direction the scores and the residues `⟨v, u⟩`
of the heads are decoded, in unknown order. The order is settled by the residues:

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
end

section
variable {n : Nat} (D : Directions R n)
/-- The entries of `W` from the scores of the probing tokens for the query tokens. -/
theorem Directions.score_recover (W : Mat R (n + 1)) (a b : Fin (n + 1)) :
    (finSum fun i => D.cu a i * finSum fun j => D.cq b j * score W (D.u i) (D.q j)) = W a b := by
  have hq : ∀ i, (finSum fun j => D.cq b j * score W (D.u i) (D.q j)) = score W (D.u i) (basis b) := fun i => by
    rw [← D.span_q b]
    exact (linear_sum (φ := fun c => c) (F := fun y => score W (D.u i) y) rfl (score_add_query W (D.u i))
        (fun c x => score_smul_query W c (D.u i) x) _ _).symm
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
namespace Semantics
variable {n : Nat}

section
variable [DecidableEq K]
/-- The residue in the direction `uᵢ₊₁`, with its score for `q₀`, that belongs to the head with residue `b` in the
direction `u₀`: the one whose sum with `b` is a residue in the direction `u₀ + uᵢ₊₁`. -/
def partner (b : K) (l l' : List (R × K)) : R × K := firstPair (fun t => b + t.2 ∈ l'.map Prod.snd) l

/-- The score of the head with residue `b`. -/
def scoreOf (b : K) (l : List (R × K)) : R := (firstPair (fun t => t.2 = b) l).1

/-- One head from its score and residue `p` in the direction `(u₀, q₀)`, given what is seen in the directions
`(probe i j, qⱼ)` (`T i j`): the row `(u₀, qⱼ)`, the column `(uᵢ, q₀)` and the other ones, `(u₀ + uᵢ, qⱼ)`. -/
def assemble (D : Directions R n) (T : Fin (n + 1) → Fin (n + 1) → List (R × K)) (p : R × K) : Head R K (n + 1) where
  W := fun a b => finSum fun i => D.cu a i * finSum fun j => D.cq b j *
    (Fin.cases (motive := fun _ => R)
      (Fin.cases (motive := fun _ => R) p.1 (fun j => scoreOf p.2 (T 0 j.succ)) j)
      (fun i => Fin.cases (motive := fun _ => R) (partner p.2 (T i.succ 0) (T i.succ i.succ)).1
        (fun j => scoreOf (p.2 + (partner p.2 (T i.succ 0) (T i.succ i.succ)).2) (T i.succ j.succ) -
          scoreOf p.2 (T 0 j.succ)) j) i)
  v := fun a => finSum fun i => S.cast (D.cu a i) *
    (Fin.cases (motive := fun _ => K) p.2 (fun i => (partner p.2 (T i.succ 0) (T i.succ i.succ)).2) i)

/-- **The learner of at most `N` heads by short sequences**, in dimension `n + 1`. -/
def learnShort (dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)) (D : Directions R n) (N : Nat) :
    QueryProgram (Query R (n + 1)) K (List (Head R K (n + 1))) := S.learnTable dec D.probe D.q (S.assemble D) N
end

/-! ## the count -/
section
variable [DecidableEq K] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {D : Directions R n} {N : Nat}
  (o : Query R (n + 1) → K)

/-- **Query count**, against any oracle: at most `(2 N - 1) d² + d` with `d = n + 1`. -/
theorem learnShort_count_le (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ((S.learnShort dec D N).queries o).length ≤ (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) :=
  S.learnTable_count_le o hdec

/-- **Size of the result**, against any oracle: at most `N` heads. So the bound on the number of heads in
`learnShort_exact` is needed. -/
theorem learnShort_result_length (hdec : ∀ H, S.IsDecoder H (dec H)) : ((S.learnShort dec D N).run o).length ≤ N :=
  S.learnTable_result_length o hdec

/-- **What is asked**, against any oracle: sequences of length one, and the `2 H - 1` sequences of directions
`(probe i j, qⱼ)` with some `H ≤ N`. -/
theorem learnShort_mem (hdec : ∀ H, S.IsDecoder H (dec H)) {t : Query R (n + 1)}
    (ht : t ∈ (S.learnShort dec D N).queries o) :
    (∃ a, t = ([], basis a)) ∨ ∃ H k i j, H ≤ N ∧ k < 2 * H - 1 ∧
      t = (copies ((ratio H k).1 + 1) (ratio H k).2 (D.probe i j) (D.q j), D.q j) := S.learnTable_mem o hdec ht

/-- **Query length**, against any oracle: no context has more than `N` tokens, so no sequence has more than `N + 1`. -/
theorem learnShort_length (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ∀ t ∈ (S.learnShort dec D N).queries o, t.1.length ≤ N := S.learnTable_length o hdec
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
variable {D : Directions R n} {G : List (Head R K (n + 1))} {o : Query R (n + 1) → K} [DecidableEq K]

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
private theorem assemble_eq (hgp : S.GeneralPosition D G) {T : Fin (n + 1) → Fin (n + 1) → List (R × K)}
    (hT : ∀ i j, (T i j).Perm (S.shadow G (D.probe i j) (D.q j))) {g : Head R K (n + 1)} (hg : g ∈ G) :
    S.assemble D T (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0)) = g := by
  have hp : ∀ i : Fin n, partner (S.inner g.v (D.u 0)) (T i.succ 0) (T i.succ i.succ) =
      (score g.W (D.u i.succ) (D.q 0), S.inner g.v (D.u i.succ)) := fun i => by
    have h1 := hT i.succ 0
    have h2 := hT i.succ i.succ
    rw [probe_first] at h1
    rw [probe_succ] at h2
    exact S.partner_eq hgp i h1 h2 hg
  have h0 : ∀ j : Fin n, scoreOf (S.inner g.v (D.u 0)) (T 0 j.succ) = score g.W (D.u 0) (D.q j.succ) := fun j => by
    have h := hT 0 j.succ
    rw [probe_zero] at h
    exact S.scoreOf_eq h hgp.distinct_zero hg rfl
  have h1 : ∀ i j : Fin n, scoreOf (S.inner g.v (D.u 0) + S.inner g.v (D.u i.succ)) (T i.succ j.succ) =
      score g.W (D.u 0) (D.q j.succ) + score g.W (D.u i.succ) (D.q j.succ) := fun i j => by
    have h := hT i.succ j.succ
    rw [probe_succ] at h
    rw [← score_add]
    exact S.scoreOf_eq h (hgp.distinct_add i) hg (S.inner_add g.v _ _).symm
  have hW : (S.assemble D T (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0))).W = g.W := funext fun a =>
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
        show scoreOf (S.inner g.v (D.u 0) + (partner (S.inner g.v (D.u 0)) (T i.succ 0) (T i.succ i.succ)).2)
            (T i.succ j.succ) -
          scoreOf (S.inner g.v (D.u 0)) (T 0 j.succ) = _
        rw [hp, h0, h1]
        ring
  have hv : (S.assemble D T (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0))).v = g.v := funext fun a => by
    rw [← D.inner_recover S g.v a]
    refine congrArg finSum (funext fun i => congrArg (S.cast (D.cu a i) * ·) ?_)
    induction i using Fin.cases with
    | zero => rfl
    | succ i => exact congrArg Prod.snd (hp i)
  generalize S.assemble D T (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0)) = k at *
  cases k
  cases g
  cases hW
  cases hv
  rfl

variable {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {N : Nat}

/-- **Exactness.** Against at most `N` heads in general position the program returns these heads, up to order. -/
theorem learnShort_exact (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N)
    (hgp : S.GeneralPosition D G) : ((S.learnShort dec D N).run o).Perm G :=
  S.learnTable_exact hdec ho hlen hgp.scores hgp.visible fun T hT g hg => by
    rw [probe_zero]
    exact S.assemble_eq hgp hT hg

/-- **Query count**, against `H ≤ N` heads in general position in dimension `d = n + 1`:
`d + (2 N - 1) + (2 H - 1) (d² - 1)`. -/
theorem learnShort_count (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N)
    (hgp : S.GeneralPosition D G) : ((S.learnShort dec D N).queries o).length =
      (n + 1) + (2 * N - 1) + (2 * G.length - 1) * ((n + 1) * (n + 1) - 1) :=
  S.learnTable_count hdec ho hlen (hgp.scores 0 0) (hgp.visible 0 0)

/-- **Query count**, when the bound on the number of heads is exact: `(2 H - 1) d² + d`. -/
theorem learnShort_count_eq (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length = N)
    (hgp : S.GeneralPosition D G) : ((S.learnShort dec D N).queries o).length =
      (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) :=
  S.learnTable_count_eq hdec ho hlen (hgp.scores 0 0) (hgp.visible 0 0)
end
end Semantics

end AttentionQueries
