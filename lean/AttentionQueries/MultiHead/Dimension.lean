import AttentionQueries.MultiHead.Canonical

/-! # All models with a given function, and their dimension

The models with `n` heads that compute the function of `H` are described completely. Their score matrices
`W₀, …, Wₙ₋₁` may be any that include all matrices of the canonical form of `H`; for each such choice the value vectors
form an affine space, a translate of the kernel of summation over equal matrices: the values at the heads whose
matrix occurs earlier in the list may be chosen freely, and the others are determined. These are `n` less the number of
different matrices, so the space has this number times `d` dimensions. Heads that share one matrix are the case of
Proposition 7.1 of arXiv 2601.16873 (v2 numbering as reported).

## Main definitions

* `headsOf W v`: the model with the matrices `W h` and the value vectors `v h`.
* `IsRepeat W h`, `repeats W`, `firsts W`: the heads whose matrix does, or does not, occur earlier.

## Main statements

* `Semantics.headsOf_eq_iff`: the fibre over fixed matrices is an affine space over the kernel of summation.
* `Semantics.exists_values_iff`: which matrices occur in the fibre.
* `Semantics.fibre_param`: **the parametrisation of the fibre** by the values at the repeated matrices.
* `length_repeats`, `firsts_distinct`, `firsts_cover`: their number.
* `Semantics.shared_family`: the heads that share one matrix.
-/

namespace AttentionQueries
open CommRing

/-! ## Heads whose matrix occurs earlier in the list -/
section repeats
variable {A : Type} {n : Nat}

/-- The value of `W` at `h` occurs at an earlier index. -/
def IsRepeat (W : Fin n → A) (h : Fin n) : Prop := ∃ k, k < h ∧ W k = W h

open Classical in
/-- The indices whose value occurs earlier. -/
noncomputable def repeats (W : Fin n → A) : List (Fin n) := (List.finRange n).filter fun h => IsRepeat W h

open Classical in
/-- The indices of the first occurrences. -/
noncomputable def firsts (W : Fin n → A) : List (Fin n) := (List.finRange n).filter fun h => ¬ IsRepeat W h

open Classical in
/-- The members of `repeats`. -/
theorem mem_repeats {W : Fin n → A} {h : Fin n} : h ∈ repeats W ↔ IsRepeat W h :=
  ⟨fun hh => of_decide_eq_true (List.mem_filter.mp hh).2,
    fun hh => List.mem_filter.mpr ⟨List.mem_finRange h, decide_eq_true hh⟩⟩

open Classical in
/-- The members of `firsts`. -/
theorem mem_firsts {W : Fin n → A} {h : Fin n} : h ∈ firsts W ↔ ¬ IsRepeat W h :=
  ⟨fun hh => of_decide_eq_true (List.mem_filter.mp hh).2,
    fun hh => List.mem_filter.mpr ⟨List.mem_finRange h, decide_eq_true hh⟩⟩

/-- Every value has a first occurrence. -/
theorem exists_first (W : Fin n → A) (h : Fin n) : ∃ f, ¬ IsRepeat W f ∧ W f = W h := by
  have key : ∀ m, ∀ h : Fin n, h.val ≤ m → ∃ f, ¬ IsRepeat W f ∧ W f = W h := by
    intro m
    induction m with
    | zero => exact fun h hm => ⟨h, fun ⟨_, hk, _⟩ => absurd (Nat.lt_of_lt_of_le hk hm) (Nat.not_lt_zero _), rfl⟩
    | succ m ih =>
      intro h hm
      by_cases hr : IsRepeat W h
      · obtain ⟨k, hk, e⟩ := hr
        obtain ⟨f, hf, e'⟩ := ih k (Nat.le_of_lt_succ (Nat.lt_of_lt_of_le hk hm))
        exact ⟨f, hf, e'.trans e⟩
      · exact ⟨h, hr, rfl⟩
  exact key h.val h (Nat.le_refl _)

/-- Two first occurrences of the same value are equal. -/
theorem first_unique {W : Fin n → A} {f g : Fin n} (hf : ¬ IsRepeat W f) (hg : ¬ IsRepeat W g) (e : W f = W g) :
    f = g := by
  rcases Nat.lt_trichotomy f.val g.val with h | h | h
  · exact absurd ⟨f, h, e⟩ hg
  · exact Fin.ext h
  · exact absurd ⟨g, h, e.symm⟩ hf

private theorem finList_distinct : ∀ n, (List.finRange n).Pairwise fun a b => a ≠ b
  | 0 => .nil
  | n + 1 => by
    rw [List.finRange_succ, List.pairwise_cons]
    refine ⟨fun b hb e => ?_, List.pairwise_map.mpr ((finList_distinct n).imp fun h e => h (Fin.succ_inj.mp e))⟩
    obtain ⟨c, -, rfl⟩ := List.mem_map.mp hb
    exact Fin.succ_ne_zero c e.symm

/-- The first occurrences have distinct values … -/
theorem firsts_distinct (W : Fin n → A) : (firsts W).Pairwise fun f g => W f ≠ W g :=
  pairwise_of_mem ((finList_distinct n).filter _) fun _ hf _ hg hne e =>
    hne (first_unique (mem_firsts.mp hf) (mem_firsts.mp hg) e)

/-- … and all values occur among them. So their number is the number of different values. -/
theorem firsts_cover (W : Fin n → A) (h : Fin n) : ∃ f ∈ firsts W, W f = W h := by
  obtain ⟨f, hf, e⟩ := exists_first W h
  exact ⟨f, mem_firsts.mpr hf, e⟩

private theorem length_filter_add {B : Type} (p q : B → Bool) (hpq : ∀ b, q b = !p b) : ∀ l : List B,
    (l.filter p).length + (l.filter q).length = l.length
  | [] => rfl
  | b :: l => by
    have ih := length_filter_add p q hpq l
    have hq := hpq b
    cases h : p b
    · rw [h] at hq
      rw [List.filter_cons_of_neg (by rw [h]; exact nofun), List.filter_cons_of_pos hq, List.length_cons,
        List.length_cons, ← ih]
      rfl
    · rw [h] at hq
      rw [List.filter_cons_of_pos h, List.filter_cons_of_neg (by rw [hq]; exact nofun), List.length_cons,
        List.length_cons, ← ih, Nat.succ_add]

open Classical in
/-- The number of repeated indices is `n` less the number of different values. -/
theorem length_repeats (W : Fin n → A) : (repeats W).length + (firsts W).length = n :=
  (length_filter_add _ _ (fun _ => decide_not) (List.finRange n)).trans List.length_finRange

end repeats

/-! ## The fibre -/
section
variable {R K : Type} [OrderedField K] {d n : Nat}

/-- The model with the score matrices `W h` and the value vectors `v h`. -/
def headsOf (W : Fin n → Mat R d) (v : Fin n → Vec K d) : List (Head R K d) := (List.finRange n).map fun h => ⟨W h, v h⟩

omit [OrderedField K] in
/-- The number of its heads. -/
theorem length_headsOf (W : Fin n → Mat R d) (v : Fin n → Vec K d) : (headsOf W v).length = n := by
  rw [headsOf, List.length_map, List.length_finRange]

private theorem listSum_finList {n : Nat} (g : Fin n → K) : listSum (List.finRange n) g = finSum g := by
  induction n with
  | zero => rfl
  | succ n ih => rw [List.finRange_succ, listSum_cons, listSum_map, ih, finSum_succ]

open Classical in
/-- `z h` for the heads with matrix `M`, zero for the others. -/
private noncomputable def atMat {A : Type} (W : Fin n → A) (M : A) (z : Fin n → K) : Vec K n := fun h =>
  if W h = M then z h else 0

/-- The total of a model at the matrix `M`. -/
private theorem total_headsOf (W : Fin n → Mat R d) (v : Fin n → Vec K d) (M : Mat R d) (i : Fin d) :
    total (headsOf W v) M i = finSum (atMat W M fun h => v h i) := by
  rw [total, keySum, headsOf, listSum_map]
  exact listSum_finList (K := K) _

/-- A family that vanishes at the repeated indices has only one term for each matrix. -/
private theorem finSum_at {W : Fin n → Mat R d} {z : Fin n → K} (hz : ∀ h, IsRepeat W h → z h = 0) {f : Fin n}
    (hf : ¬ IsRepeat W f) : finSum (atMat W (W f) z) = z f := by
  refine (finSum_single (v := atMat W (W f) z) f fun k hk => ?_).trans (if_pos rfl)
  unfold atMat
  split
  · rename_i e
    exact hz k (Classical.byContradiction fun hr => hk (first_unique hr hf e))
  · rfl

private theorem finSum_at_add (W : Fin n → Mat R d) (M : Mat R d) (y z : Fin n → K) :
    finSum (atMat W M fun h => y h + z h) = finSum (atMat W M y) + finSum (atMat W M z) := by
  rw [← finSum_add]
  congr; funext h
  unfold atMat
  split
  · rfl
  · rw [add_zero]

private theorem finSum_at_sub (W : Fin n → Mat R d) (M : Mat R d) (y z : Fin n → K) :
    finSum (atMat W M fun h => y h - z h) = finSum (atMat W M y) - finSum (atMat W M z) := by
  have h := finSum_at_add W M (fun h => y h - z h) z
  rw [show (fun h => y h - z h + z h) = y from funext fun h => by ring] at h
  lin_comb (-1) h

variable [CommRing R] (S : Semantics R K)

namespace Semantics

/-- **The fibre over fixed matrices is an affine space.** The values `v'` give the same function as the values `v` iff
their difference `v' - v` sums to zero over the heads with any given matrix. -/
theorem headsOf_eq_iff (W : Fin n → Mat R d) (v v' : Fin n → Vec K d) :
    (∀ xs q, S.evalHeads (headsOf W v) xs q = S.evalHeads (headsOf W v') xs q) ↔
      ∀ M, total (headsOf W fun h => v' h - v h) M = 0 := by
  have e : ∀ M i, total (headsOf W fun h => v' h - v h) M i =
      total (headsOf W v') M i - total (headsOf W v) M i := fun M i => by
    rw [total_headsOf, total_headsOf, total_headsOf, ← finSum_at_sub]
    rfl
  rw [S.fibre]
  constructor
  · exact fun h M => funext fun i => by rw [e, h, sub_self]; rfl
  · exact fun h M => funext fun i => (sub_eq_zero.mp ((e M i).symm.trans (congrFun (h M) i))).symm

/-- **The parametrisation of the fibre.** Let the matrices `W h` include all those where the totals of `H` are not zero.
Then for arbitrary vectors `u h` there is exactly one choice of values `v h` that equals `u h` at the repeated matrices
and gives the function of `H`. -/
theorem fibre_param {H : List (Head R K d)} {W : Fin n → Mat R d} (hW : ∀ M, total H M ≠ 0 → ∃ h, W h = M)
    (u : Fin n → Vec K d) : ∃ v : Fin n → Vec K d,
      ((∀ xs q, S.evalHeads (headsOf W v) xs q = S.evalHeads H xs q) ∧ ∀ h, IsRepeat W h → v h = u h) ∧
      ∀ v' : Fin n → Vec K d, (∀ xs q, S.evalHeads (headsOf W v') xs q = S.evalHeads H xs q) →
        (∀ h, IsRepeat W h → v' h = u h) → v' = v := by
  classical
  -- at the first occurrence of a matrix stands what the repeated ones leave of the total
  let r : Fin d → Fin n → K := fun i h => if IsRepeat W h then u h i else 0
  let v : Fin n → Vec K d := fun h i =>
    if IsRepeat W h then u h i else total H (W h) i - finSum (atMat W (W h) (r i))
  have hv : ∀ h, IsRepeat W h → v h = u h := fun h hr => funext fun i => if_pos hr
  have hsum : ∀ M i, total (headsOf W v) M i = total H M i := by
    intro M i
    by_cases hM : ∃ h, W h = M
    · obtain ⟨h, rfl⟩ := hM
      obtain ⟨f, hf, e⟩ := exists_first W h
      have h1 : finSum (atMat W (W f) fun h => v h i - r i h) = v f i - r i f :=
        finSum_at (fun h hr => by
          show v h i - r i h = 0
          rw [show v h i = u h i from if_pos hr, show r i h = u h i from if_pos hr, sub_self]) hf
      rw [finSum_at_sub, show v f i = _ from if_neg hf, show r i f = 0 from if_neg hf] at h1
      rw [← e, total_headsOf]
      lin_comb (1) h1
    · rw [total_of_not_mem fun g hg e => ?_, Classical.byContradiction fun h0 => hM (hW M h0)]
      obtain ⟨h, -, rfl⟩ := List.mem_map.mp hg
      exact hM ⟨h, e⟩
  refine ⟨v, ⟨(S.fibre _ _).mpr fun M => funext (hsum M), hv⟩, fun v' h' hu => funext fun h => ?_⟩
  have ht := (S.headsOf_eq_iff W v v').mp fun xs q =>
    ((S.fibre _ _).mpr (fun M => funext (hsum M)) xs q).trans (h' xs q).symm
  by_cases hr : IsRepeat W h
  · rw [hu h hr, hv h hr]
  · funext i
    have h0 := congrFun (ht (W h)) i
    rw [total_headsOf, finSum_at (fun k hk => ?_) hr] at h0
    · exact sub_eq_zero.mp h0
    · rw [hu k hk, hv k hk, vsub_self]; rfl

/-- **Which matrices occur.** Some values for the matrices `W h` give the function of `H` iff all matrices where the
totals of `H` are not zero (those of the canonical form) are among them. -/
theorem exists_values_iff (H : List (Head R K d)) (W : Fin n → Mat R d) :
    (∃ v : Fin n → Vec K d, ∀ xs q, S.evalHeads (headsOf W v) xs q = S.evalHeads H xs q) ↔
      ∀ M, total H M ≠ 0 → ∃ h, W h = M := by
  constructor
  · rintro ⟨v, hv⟩ M hM
    rw [← (S.fibre _ _).mp hv M] at hM
    refine Classical.byContradiction fun hn => hM (total_of_not_mem fun g hg e => ?_)
    obtain ⟨h, -, rfl⟩ := List.mem_map.mp hg
    exact hn ⟨h, e⟩
  · intro hW
    obtain ⟨v, ⟨hv, -⟩, -⟩ := S.fibre_param hW fun _ => 0
    exact ⟨v, hv⟩

/-- **Heads that share one matrix.** Among `n + 1` heads with the same matrix the values of all but the first may be
chosen freely: exactly one value of the first keeps the function. So the models of this form with a given function are
a family of `n d` dimensions. -/
theorem shared_family (W : Mat R d) (v : Fin (n + 1) → Vec K d) (u : Fin n → Vec K d) :
    ∃ w : Vec K d, ∀ w' : Vec K d, (∀ xs q, S.evalHeads (headsOf (fun _ => W) (Fin.cases w' u)) xs q =
      S.evalHeads (headsOf (fun _ => W) v) xs q) ↔ w' = w := by
  have hcover := (S.exists_values_iff (headsOf (fun _ => W) v) fun _ : Fin (n + 1) => W).mp ⟨v, fun _ _ => rfl⟩
  obtain ⟨v₀, ⟨h₀, hu⟩, huniq⟩ := S.fibre_param hcover (Fin.cases 0 u)
  have hrep : ∀ h : Fin n, IsRepeat (fun _ : Fin (n + 1) => W) h.succ := fun h => ⟨0, Nat.succ_pos _, rfl⟩
  have hrep0 : ¬ IsRepeat (fun _ : Fin (n + 1) => W) 0 := fun ⟨_, hk, _⟩ => Nat.not_lt_zero _ hk
  have e : ∀ w' : Vec K d, w' = v₀ 0 → (Fin.cases w' u : Fin (n + 1) → Vec K d) = v₀ := fun w' hw => funext fun h => by
    induction h using Fin.cases with
    | zero => exact hw
    | succ h => exact (hu h.succ (hrep h)).symm
  refine ⟨v₀ 0, fun w' => ⟨fun h => ?_, fun hw => by rw [e w' hw]; exact h₀⟩⟩
  refine congrFun (huniq (Fin.cases w' u) h fun k hk => ?_) 0
  induction k using Fin.cases with
  | zero => exact absurd hk hrep0
  | succ k => rfl

end Semantics
end

end AttentionQueries
