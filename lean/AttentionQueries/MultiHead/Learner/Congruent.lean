import AttentionQueries.MultiHead.Canonical
import AttentionQueries.MultiHead.Learner.Program

/-! # The learner that tells heads apart by their scores modulo a number

Heads with equal values cannot be told apart by their residues, and sums of scores cost further directions
(`Semantics.learnLinked`). Here no question is spent on the order of the heads, whatever their values. Let `m` be a
modulus. If the directions asked are congruent to one direction `(u₀, q₀)` modulo `m`, then so are the scores of every
head to its score there; and if the scores of the heads in `(u₀, q₀)` are pairwise incongruent, the class of a score
says which head it belongs to. So the directions `(u₀ + m uᵢ, q₀ + m qⱼ)` are asked. They do not span, but their scores
and residues determine those of the directions `(uᵢ, qⱼ)` by division by `m`.

The scalars may be any commutative ring in which one can divide the multiples of `m` by `m`; but the condition on the
scores says that many elements are incongruent modulo `m`, so in a field it fails for two heads. `Learner.Integers`
shows that for integers there are always such directions. The multiples of `m` are asked for as tokens, so the scores
become larger with it; the number of questions does not.

## Main definitions
- `Modulus`: a scalar with a division of its multiples; `Modulus.Congr`: congruence.
- `Modulus.tokens`: the tokens `x₀, x₀ + m x₁, …, x₀ + m xₙ`.
- `Semantics.learnCongruent`: the program.
- `Semantics.CongruentPosition`: the condition on the heads under which it finds them.

## Main statements
- `Semantics.learnCongruent_exact`: it returns at most `N` heads in congruent position, up to order.
- `Semantics.learnCongruent_count`: it asks `d + (2 N - 1) + (2 H - 1) (d² - 1)` questions, as many as the program that
  needs distinct values; `Semantics.learnCongruent_count_le`: at most `(2 N - 1) d² + d` against any oracle;
  `Semantics.learnCongruent_length`: none with more than `N` context tokens.
- `Semantics.CongruentPosition.reduced`: heads in congruent position are reduced, so what is returned is the canonical
  form.
- `Semantics.CongruentPosition.length_le_one`: modulo a unit there is at most one head in congruent position.
- `Semantics.incongruent_needed`: two heads with equal values whose scores are congruent are not told apart.
-/

namespace AttentionQueries
open CommRing OrderedField

/-! ## congruence -/

/-- A modulus: a scalar, with a division that is right for its multiples. -/
structure Modulus (R : Type) [CommRing R] where
  /-- the modulus -/
  val : R
  /-- division by the modulus, of its multiples -/
  div : R → R
  /-- the multiples are divided rightly -/
  div_mul : ∀ x, div (val * x) = x

namespace Modulus
variable {R : Type} [CommRing R] (M : Modulus R)

/-- Congruence: the difference is a multiple of the modulus. -/
def Congr (a b : R) : Prop := ∃ x, a = b + M.val * x

/-- Congruence can be decided where equality can: divide the difference and multiply again. -/
instance [DecidableEq R] : ∀ a b, Decidable (M.Congr a b) := fun a b =>
  decidable_of_iff (a = b + M.val * M.div (a - b)) ⟨fun h => ⟨_, h⟩, fun ⟨x, h⟩ => by
    have e : a - b = M.val * x := by lin_comb (1) h
    rw [e, M.div_mul, h]⟩

variable {M} in
/-- Congruence is symmetric. -/
theorem Congr.symm {a b : R} (h : M.Congr a b) : M.Congr b a := by
  obtain ⟨x, h⟩ := h
  exact ⟨-x, by lin_comb (-1) h⟩

variable {M} in
/-- Congruence is transitive. -/
theorem Congr.trans {a b c : R} (h : M.Congr a b) (h' : M.Congr b c) : M.Congr a c := by
  obtain ⟨x, h⟩ := h
  obtain ⟨y, h'⟩ := h'
  exact ⟨x + y, by lin_comb (1) h + (1) h'⟩

/-- Equal scalars are congruent. -/
theorem congr_of_eq {a b : R} (h : a = b) : M.Congr a b := ⟨0, by lin_comb (1) h⟩

/-- Multiples of the modulus may be cancelled. -/
theorem mul_cancel {x y : R} (h : M.val * x = M.val * y) : x = y := by rw [← M.div_mul x, h, M.div_mul]

variable {n d : Nat}

/-- The tokens `x₀, x₀ + m x₁, …, x₀ + m xₙ`, which are congruent to each other. -/
def tokens (x : Fin (n + 1) → Vec R d) : Fin (n + 1) → Vec R d := Fin.cases (x 0) fun i => x 0 + smul M.val (x i.succ)

/-- What a linear functional takes on `x₀, …, xₙ`, from what it takes on `x₀, x₀ + m x₁, …, x₀ + m xₙ`. -/
def quotients (f : Fin (n + 1) → R) : Fin (n + 1) → R := Fin.cases (f 0) fun i => M.div (f i.succ - f 0)

private theorem quotients_eq {φ : Vec R d → R} (hadd : ∀ x y, φ (x + y) = φ x + φ y)
    (hsmul : ∀ c x, φ (smul c x) = c * φ x) (x : Fin (n + 1) → Vec R d) (i : Fin (n + 1)) :
    M.quotients (fun i => φ (M.tokens x i)) i = φ (x i) := by
  induction i using Fin.cases with
  | zero => rfl
  | succ i =>
    show M.div (φ (x 0 + smul M.val (x i.succ)) - φ (x 0)) = _
    rw [hadd, hsmul, show φ (x 0) + M.val * φ (x i.succ) - φ (x 0) = M.val * φ (x i.succ) by ring, M.div_mul]

private theorem congr_tokens {φ : Vec R d → R} (hadd : ∀ x y, φ (x + y) = φ x + φ y)
    (hsmul : ∀ c x, φ (smul c x) = c * φ x) (x : Fin (n + 1) → Vec R d) (i : Fin (n + 1)) :
    M.Congr (φ (M.tokens x i)) (φ (x 0)) := by
  induction i using Fin.cases with
  | zero => exact M.congr_of_eq rfl
  | succ i => exact ⟨φ (x i.succ), by rw [← hsmul, ← hadd]; rfl⟩

/-- The scores of a head in the directions asked are congruent. -/
theorem congr_score (W : Mat R d) (x y : Fin (n + 1) → Vec R d) (i j : Fin (n + 1)) :
    M.Congr (score W (M.tokens x i) (M.tokens y j)) (score W (x 0) (y 0)) :=
  .trans (M.congr_tokens (φ := score W (M.tokens x i)) (score_add_query W _) (fun c q => score_smul_query W c _ q) y j)
    (M.congr_tokens (φ := fun u => score W u (y 0)) (fun u u' => score_add W u u' _)
      (fun c u => score_smul W c u _) x i)

/-- The scores in the directions `(xᵢ, yⱼ)` from those in the directions asked. -/
theorem quotients_score (W : Mat R d) (x y : Fin (n + 1) → Vec R d) (i j : Fin (n + 1)) :
    M.quotients (fun j => M.quotients (fun i => score W (M.tokens x i) (M.tokens y j)) i) j = score W (x i) (y j) := by
  rw [show (fun j => M.quotients (fun i => score W (M.tokens x i) (M.tokens y j)) i) =
    fun j => score W (x i) (M.tokens y j) from funext fun j => M.quotients_eq (φ := fun u => score W u (M.tokens y j))
      (fun u u' => score_add W u u' _) (fun c u => score_smul W c u _) x i]
  exact M.quotients_eq (φ := score W (x i)) (score_add_query W _) (fun c q => score_smul_query W c _ q) y j

/-- The first pair with a score congruent to `s`. -/
def firstCongruent {K : Type} [OrderedField K] [DecidableEq R] (s : R) (l : List (R × K)) : R × K :=
  firstPair (fun t => M.Congr t.1 s) l
end Modulus

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {n : Nat}
namespace Semantics

/-! ## the program -/
section
variable [DecidableEq R]

/-- One head from its score and residue `p` in the direction `(u₀, q₀)`, given what is seen in all directions asked
(`T i j`): what belongs to the head is what has a score congruent to `p`. -/
def assembleCongruent (M : Modulus R) (D : Directions R n) (T : Fin (n + 1) → Fin (n + 1) → List (R × K)) (p : R × K) :
    Head R K (n + 1) where
  W := fun a b => finSum fun i => D.cu a i * finSum fun j => D.cq b j *
    M.quotients (fun j => M.quotients (fun i => (M.firstCongruent p.1 (T i j)).1) i) j
  v := fun a => finSum fun i => S.cast (D.cu a i) *
    (Fin.cases (motive := fun _ => K) p.2
      (fun i => ((M.firstCongruent p.1 (T i.succ 0)).2 - p.2) / S.cast M.val) i)

/-- **The learner of at most `N` heads by congruent directions**, in dimension `n + 1`: the directions
`(u₀ + m uᵢ, q₀ + m qⱼ)` are asked, without the second summands for `i = 0` and `j = 0`. -/
def learnCongruent (dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)) (M : Modulus R) (D : Directions R n)
    (N : Nat) : QueryProgram (Query R (n + 1)) K (List (Head R K (n + 1))) :=
  S.learnTable dec (fun i _ => M.tokens D.u i) (M.tokens D.q) (S.assembleCongruent M D) N
end

/-! ## the count -/
section
variable [DecidableEq R] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {M : Modulus R}
  {D : Directions R n} {N : Nat} (o : Query R (n + 1) → K)

/-- **Query count**, against any oracle: at most `(2 N - 1) d² + d` with `d = n + 1`. -/
theorem learnCongruent_count_le (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ((S.learnCongruent dec M D N).queries o).length ≤ (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) :=
  S.learnTable_count_le o hdec

/-- **Size of the result**, against any oracle: at most `N` heads. So the bound on the number of heads in
`learnCongruent_exact` is needed. -/
theorem learnCongruent_result_length (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ((S.learnCongruent dec M D N).run o).length ≤ N := S.learnTable_result_length o hdec

/-- **What is asked**, against any oracle: sequences of length one, and the `2 H - 1` sequences of directions
`(u₀ + m uᵢ, q₀ + m qⱼ)` with some `H ≤ N`. -/
theorem learnCongruent_mem (hdec : ∀ H, S.IsDecoder H (dec H)) {t : Query R (n + 1)}
    (ht : t ∈ (S.learnCongruent dec M D N).queries o) :
    (∃ a, t = ([], basis a)) ∨ ∃ H k i j, H ≤ N ∧ k < 2 * H - 1 ∧
      t = (copies ((ratio H k).1 + 1) (ratio H k).2 (M.tokens D.u i) (M.tokens D.q j), M.tokens D.q j) :=
  S.learnTable_mem o hdec ht

/-- **Query length**, against any oracle: no context has more than `N` tokens, so no sequence has more than `N + 1`. -/
theorem learnCongruent_length (hdec : ∀ H, S.IsDecoder H (dec H)) :
    ∀ t ∈ (S.learnCongruent dec M D N).queries o, t.1.length ≤ N := S.learnTable_length o hdec
end

/-! ## what is found -/

/-- **Congruent position** of heads with respect to a modulus and directions. -/
structure CongruentPosition (M : Modulus R) (D : Directions R n) (G : List (Head R K (n + 1))) : Prop where
  /-- in the direction `(u₀, q₀)` the scores are pairwise incongruent -/
  scores : G.Pairwise fun g g' => ¬ M.Congr (score g.W (D.u 0) (D.q 0)) (score g'.W (D.u 0) (D.q 0))
  /-- no head is orthogonal to a token asked -/
  visible : ∀ i, ∀ g ∈ G, S.inner g.v (M.tokens D.u i) ≠ 0

section
variable {S} {M : Modulus R} {D : Directions R n} {G : List (Head R K (n + 1))}

/-- Heads in congruent position are reduced: their matrices are distinct and their values nonzero. -/
theorem CongruentPosition.reduced (h : S.CongruentPosition M D G) : Reduced G where
  distinct := h.scores.imp fun hne e => hne (M.congr_of_eq (by rw [e]))
  ne_zero := fun g hg e => h.visible 0 g hg (by rw [e, zero_inner])

/-- **Scalars modulo the modulus are needed**: if the modulus has an inverse, all scalars are congruent, and at most one
head is in congruent position. So the program is of no use for scalars in a field. -/
theorem CongruentPosition.length_le_one (h : S.CongruentPosition M D G) (hM : ∃ y, M.val * y = 1) : G.length ≤ 1 := by
  obtain ⟨y, hy⟩ := hM
  have h := h.scores
  match G, h with
  | [], _ => exact Nat.zero_le 1
  | [_], _ => exact Nat.le_refl 1
  | g :: g' :: G, h =>
    refine absurd ⟨y * (score g.W (D.u 0) (D.q 0) - score g'.W (D.u 0) (D.q 0)), ?_⟩
      ((List.pairwise_cons.mp h).1 g' List.mem_cons_self)
    lin_comb (-(score g.W (D.u 0) (D.q 0) - score g'.W (D.u 0) (D.q 0))) hy

/-- in every direction asked only the same head has a congruent score -/
private theorem CongruentPosition.incongruent (h : S.CongruentPosition M D G) (i j : Fin (n + 1)) :
    G.Pairwise fun g g' => ¬ M.Congr (score g.W (M.tokens D.u i) (M.tokens D.q j)) (score g'.W (D.u 0) (D.q 0)) :=
  h.scores.imp fun hne e => hne (.trans (M.congr_score _ D.u D.q i j).symm e)

private theorem CongruentPosition.distinct (h : S.CongruentPosition M D G) (i j : Fin (n + 1)) :
    G.Pairwise fun g g' => score g.W (M.tokens D.u i) (M.tokens D.q j) ≠ score g'.W (M.tokens D.u i) (M.tokens D.q j) :=
  (h.incongruent i j).imp fun hne e => hne (by rw [e]; exact M.congr_score _ D.u D.q i j)

omit [OrderedField K] in
private theorem eq_of_congr : ∀ {G : List (Head R K (n + 1))},
    (G.Pairwise fun g g' => ¬ M.Congr (score g.W (D.u 0) (D.q 0)) (score g'.W (D.u 0) (D.q 0))) →
    ∀ {g h : Head R K (n + 1)}, g ∈ G → h ∈ G →
      M.Congr (score g.W (D.u 0) (D.q 0)) (score h.W (D.u 0) (D.q 0)) → g = h
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
      · exact eq_of_congr hd.2 hg' hh' e
end

section
variable [DecidableEq R] {M : Modulus R} {D : Directions R n} {G : List (Head R K (n + 1))} {o : Query R (n + 1) → K}

private theorem firstCongruent_eq (h : S.CongruentPosition M D G) {i j : Fin (n + 1)} {l : List (R × K)}
    (hl : l.Perm (S.shadow G (M.tokens D.u i) (M.tokens D.q j))) {g : Head R K (n + 1)} (hg : g ∈ G) :
    M.firstCongruent (score g.W (D.u 0) (D.q 0)) l =
      (score g.W (M.tokens D.u i) (M.tokens D.q j), S.inner g.v (M.tokens D.u i)) := by
  refine firstPair_eq (M.congr_score _ _ _ _ _)
    ((List.Perm.mem_iff (List.Perm.symm hl)).mp (List.mem_map.mpr ⟨g, hg, rfl⟩)) fun t ht e => ?_
  obtain ⟨k, hk, rfl⟩ := List.mem_map.mp ((List.Perm.mem_iff hl).mp ht)
  rw [eq_of_congr h.scores hk hg (.trans (M.congr_score k.W D.u D.q i j).symm e)]

omit [DecidableEq R] in
/-- the modulus is not zero -/
private theorem cast_modulus_ne (M : Modulus R) : S.cast M.val ≠ 0 := S.cast_ne fun e =>
  S.scalar_one_ne_zero (M.mul_cancel (x := 1) (y := 0) (by rw [e]; ring))

/-- a head is assembled correctly from what the heads show in all directions -/
private theorem assembleCongruent_eq (h : S.CongruentPosition M D G) {T : Fin (n + 1) → Fin (n + 1) → List (R × K)}
    (hT : ∀ i j, (T i j).Perm (S.shadow G (M.tokens D.u i) (M.tokens D.q j))) {g : Head R K (n + 1)} (hg : g ∈ G) :
    S.assembleCongruent M D T (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0)) = g := by
  have hW : (S.assembleCongruent M D T (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0))).W = g.W :=
    funext fun a => funext fun b => by
      rw [← D.score_recover g.W a b]
      refine congrArg finSum (funext fun i => congrArg (D.cu a i * ·)
        (congrArg finSum (funext fun j => congrArg (D.cq b j * ·) ?_)))
      rw [← M.quotients_score g.W D.u D.q i j]
      exact congrArg (fun f => M.quotients (fun j => M.quotients (f j) i) j)
        (funext fun j => funext fun i => congrArg Prod.fst (S.firstCongruent_eq h (hT i j) hg))
  have hv : (S.assembleCongruent M D T (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0))).v = g.v :=
    funext fun a => by
      rw [← D.inner_recover S g.v a]
      refine congrArg finSum (funext fun i => congrArg (S.cast (D.cu a i) * ·) ?_)
      induction i using Fin.cases with
      | zero => rfl
      | succ i =>
        show ((M.firstCongruent _ (T i.succ 0)).2 - S.inner g.v (D.u 0)) / S.cast M.val = _
        rw [S.firstCongruent_eq h (hT _ _) hg, div_eq_iff (S.cast_modulus_ne M)]
        show S.inner g.v (D.u 0 + smul M.val (D.u i.succ)) - _ = _
        rw [inner_add, inner_smul]
        ring
  generalize S.assembleCongruent M D T (score g.W (D.u 0) (D.q 0), S.inner g.v (D.u 0)) = k at *
  cases k
  cases g
  cases hW
  cases hv
  rfl

variable {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)} {N : Nat}

/-- **Exactness.** Against at most `N` heads in congruent position the program returns these heads, up to order. -/
theorem learnCongruent_exact (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N) (h : S.CongruentPosition M D G) : ((S.learnCongruent dec M D N).run o).Perm G :=
  S.learnTable_exact hdec ho hlen h.distinct (fun i _ => h.visible i) fun _ hT _ hg => S.assembleCongruent_eq h hT hg

/-- **Query count**, against `H ≤ N` heads in congruent position in dimension `d = n + 1`:
`d + (2 N - 1) + (2 H - 1) (d² - 1)`. -/
theorem learnCongruent_count (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length ≤ N) (h : S.CongruentPosition M D G) : ((S.learnCongruent dec M D N).queries o).length =
      (n + 1) + (2 * N - 1) + (2 * G.length - 1) * ((n + 1) * (n + 1) - 1) :=
  S.learnTable_count hdec ho hlen (h.distinct 0 0) (h.visible 0)

/-- **Query count**, when the bound on the number of heads is exact: `(2 H - 1) d² + d`. -/
theorem learnCongruent_count_eq (hdec : ∀ H, S.IsDecoder H (dec H)) (ho : ∀ t, o t = S.evalHeads G t.1 t.2)
    (hlen : G.length = N) (h : S.CongruentPosition M D G) : ((S.learnCongruent dec M D N).queries o).length =
      (2 * N - 1) * ((n + 1) * (n + 1)) + (n + 1) :=
  S.learnTable_count_eq hdec ho hlen (h.distinct 0 0) (h.visible 0)

/-- **The canonical form is returned**: against a model, reduced or not, whose canonical form has at most `N` heads
and is in congruent position, the program returns the canonical form, up to order. -/
theorem learnCongruent_canonical [DecidableEq K] (hdec : ∀ H, S.IsDecoder H (dec H)) {L : List (Head R K (n + 1))}
    (hlen : (canonical L).length ≤ N) (h : S.CongruentPosition M D (canonical L)) :
    ((S.learnCongruent dec M D N).run fun t => S.evalHeads L t.1 t.2).Perm (canonical L) :=
  S.learnCongruent_exact hdec (fun t => (S.evalHeads_canonical L t.1 t.2).symm) hlen h
end

/-! ## heads with congruent scores -/

/-- The matrix `W + k rᵀ` with `r = (m, -1, …, -1)`, which has other scores than `W` for the query token `e₀`, but the
same for `e₀ + m eⱼ`. -/
def shiftColumns (m : R) (k : Vec R (n + 1)) (W : Mat R (n + 1)) : Mat R (n + 1) := fun i =>
  Fin.cases (W i 0 + m * k i) fun j => W i j.succ - k i

private theorem mulVec_tokens (M : Modulus R) (W : Mat R (n + 1)) (i : Fin (n + 1)) (j : Fin n) :
    mulVec W (M.tokens basis j.succ) i = W i 0 + M.val * W i j.succ := by
  show mulVec W (basis 0 + smul M.val (basis j.succ)) i = _
  have h : mulVec W (basis 0 + smul M.val (basis j.succ)) i =
      mulVec W (basis 0) i + M.val * mulVec W (basis j.succ) i := by
    rw [mulVec, mulVec, mulVec, ← finSum_mul, ← finSum_add]
    exact congrArg finSum (funext fun l => by rw [vadd_app, smul]; ring)
  rw [h, mulVec_basis, mulVec_basis]

/-- **Incongruent scores are needed.** Let two heads have the same value vector and first columns that are congruent,
`W' i 0 = W i 0 + m k i`. Exchanging the first columns, and correcting the other ones by `k`, changes no answer to a
question of the program in the standard directions, against any oracle and whatever the decoder. -/
theorem incongruent_needed [DecidableEq R] {dec : (H : Nat) → K → (Fin (2 * H - 1) → K) → List (R × K)}
    (hdec : ∀ H, S.IsDecoder H (dec H)) (M : Modulus R) (N : Nat) (o : Query R (n + 1) → K) {W W' : Mat R (n + 1)}
    {k : Vec R (n + 1)} (hk : ∀ i, W' i 0 = W i 0 + M.val * k i) (v : Vec K (n + 1)) :
    ∀ t ∈ (S.learnCongruent dec M (Directions.standard R n) N).queries o,
      S.evalHeads [⟨W, v⟩, ⟨W', v⟩] t.1 t.2 =
        S.evalHeads [⟨shiftColumns M.val k W, v⟩, ⟨shiftColumns M.val (-k) W', v⟩] t.1 t.2 := by
  intro t ht
  simp only [evalHeads, listSum_cons, listSum_nil]
  rcases S.learnCongruent_mem o hdec ht with ⟨a, rfl⟩ | ⟨H, l, i, j, -, -, rfl⟩
  · simp only [eval_nil]
  · show S.eval W v (copies _ _ _ (M.tokens basis j)) (M.tokens basis j) +
        (S.eval W' v (copies _ _ _ (M.tokens basis j)) (M.tokens basis j) + 0) =
      S.eval (shiftColumns M.val k W) v (copies _ _ _ (M.tokens basis j)) (M.tokens basis j) +
        (S.eval (shiftColumns M.val (-k) W') v (copies _ _ _ (M.tokens basis j)) (M.tokens basis j) + 0)
    simp only [eval_copies]
    induction j using Fin.cases with
    | zero =>
      have e : ∀ u, score (shiftColumns M.val k W) u (M.tokens basis 0) = score W' u (M.tokens basis 0) := fun u =>
        congrArg finSum (funext fun i => congrArg (u i * ·) (by
          show mulVec _ (basis 0) i = mulVec _ (basis 0) i
          rw [mulVec_basis, mulVec_basis, hk]; rfl))
      have e' : ∀ u, score (shiftColumns M.val (-k) W') u (M.tokens basis 0) = score W u (M.tokens basis 0) := fun u =>
        congrArg finSum (funext fun i => congrArg (u i * ·) (by
          show mulVec _ (basis 0) i = mulVec _ (basis 0) i
          rw [mulVec_basis, mulVec_basis]
          show W' i 0 + M.val * -k i = W i 0
          rw [hk]; ring))
      rw [e, e']
      ring
    | succ j =>
      have e : ∀ (k : Vec R (n + 1)) (W : Mat R (n + 1)) u,
          score (shiftColumns M.val k W) u (M.tokens basis j.succ) = score W u (M.tokens basis j.succ) := fun k W u =>
        congrArg finSum (funext fun i => congrArg (u i * ·) (by
          rw [mulVec_tokens, mulVec_tokens]
          show W i 0 + M.val * k i + M.val * (W i j.succ - k i) = _
          ring))
      rw [e, e]

/-- The other heads of `incongruent_needed` compute another function, if the value is not zero and, for some `i` and
`j ≥ 1`, `k i ≠ 0` and `W' i j` is not the entry `W i j - k i` of the first of them. -/
theorem shiftColumns_ne_of_ne {M : Modulus R} {W W' : Mat R (n + 1)} {k : Vec R (n + 1)} {v : Vec K (n + 1)}
    (hv : v ≠ 0) (hk : ∀ i, W' i 0 = W i 0 + M.val * k i) {i : Fin (n + 1)} {j : Fin n} (hki : k i ≠ 0)
    (hne : W' i j.succ ≠ W i j.succ - k i) :
    ¬ ∀ xs q, S.evalHeads [⟨W, v⟩, ⟨W', v⟩] xs q =
      S.evalHeads [⟨shiftColumns M.val k W, v⟩, ⟨shiftColumns M.val (-k) W', v⟩] xs q := by
  have red : ∀ {A B : Mat R (n + 1)}, A ≠ B → Reduced [⟨A, v⟩, (⟨B, v⟩ : Head R K (n + 1))] := fun {A B} hne => {
    distinct := List.pairwise_cons.mpr ⟨fun g hg => by rw [List.mem_singleton.mp hg]; exact hne,
      List.pairwise_cons.mpr ⟨fun _ h => (nomatch h), .nil⟩⟩
    ne_zero := fun g hg => by
      rcases List.mem_cons.mp hg with rfl | hg
      · exact hv
      · rw [List.mem_singleton.mp hg]; exact hv }
  have hcol : W i 0 ≠ W' i 0 := fun e => hki (M.mul_cancel (by rw [hk] at e; lin_comb (-1) e))
  intro h
  have hp := (S.reduced_unique (red fun e => hcol (by rw [e])) (red fun e => hcol (by
    have e := congrFun (congrFun e i) 0
    have e : W i 0 + M.val * k i = W' i 0 + M.val * -k i := e
    have e' := hk i
    lin_comb (-1) e + (-(1 + 1)) e'))).mp h
  rcases List.mem_cons.mp ((List.Perm.mem_iff hp).mp List.mem_cons_self) with e | e
  · have e : W i j.succ = W i j.succ - k i := congrArg (fun g : Head R K (n + 1) => g.W i j.succ) e
    exact hki (by lin_comb (1) e)
  · have e : W i j.succ = W' i j.succ - -k i :=
      congrArg (fun g : Head R K (n + 1) => g.W i j.succ) (List.mem_singleton.mp e)
    exact hne (by lin_comb (-1) e)
end Semantics

end AttentionQueries
