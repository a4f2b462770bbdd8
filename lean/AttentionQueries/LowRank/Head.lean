import AttentionQueries.LowRank.FactorGauge
import AttentionQueries.SingleHead.Identifiability

/-! # Heads of low rank are determined by few outputs

A head whose score matrix has rank `r` is determined, among all heads of rank at most `r`, by `(2 d - r) r`
outputs on inputs of two tokens, together with the `d` outputs that give `v`. Its key and query factors are
determined up to the gauge.

## Main definitions

* `Semantics.castM W`: the score matrix with its entries cast to values; its rank is the rank of the head.

## Main statements

* `Semantics.head_low_rank`: `(2 d - r) r` outputs determine `W`, if `v ≠ 0` is known.
* `Semantics.head_low_rank_full`: `d + (2 d - r) r` outputs determine `W` and `v`.
* `Semantics.factors_unique`: the factors of `W` are determined by the outputs up to an invertible `r × r` matrix.

How to find these outputs is the subject of `AttentionQueries.LowRank.Learner`.
-/

namespace AttentionQueries
open CommRing OrderedField Matrix LowRank

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

namespace Semantics

/-- The score matrix with its entries cast to values. -/
def castM (W : Mat R d) : RectMat K d d := fun i j => S.cast (W i j)

section
variable [DecidableEq K]

/-- The scores of the directions `uᵢ` at the queries `eⱼ`. -/
private def probed (v : Vec K d) (p : Fin d) (W : Mat R d) : RectMat K d d := fun i j =>
  S.cast (score W (probe v p i) (basis j))
/-- `1` for the indices with `v i = 0`, otherwise `0`. -/
private def zeroAt (v : Vec K d) (i : Fin d) : K := if v i ≠ 0 then 0 else 1

private theorem zeroAt_of_ne {v : Vec K d} {i : Fin d} (h : v i ≠ 0) : zeroAt v i = 0 := if_pos h

private theorem zeroAt_of_eq {v : Vec K d} {i : Fin d} (h : ¬ v i ≠ 0) : zeroAt v i = 1 := if_neg h

private theorem probed_app (v : Vec K d) (p : Fin d) (W : Mat R d) (i j : Fin d) :
    S.probed v p W i j = S.cast (W i j) + zeroAt v i * S.cast (W p j) := by
  by_cases h : v i ≠ 0
  · rw [probed, probe, if_pos h, zeroAt_of_ne h, score_basis]; ring
  · rw [probed, probe, if_neg h, zeroAt_of_eq h, score_add, score_basis, score_basis, S.cast_add]; ring

private theorem probed_inj {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) {W W' : Mat R d}
    (h : S.probed v p W = S.probed v p W') : W = W' := by
  have hrow : ∀ j, S.cast (W p j) = S.cast (W' p j) := fun j => by
    have := congrFun (congrFun h p) j
    rw [probed_app, probed_app, zeroAt_of_ne hp] at this
    lin_comb (1) this
  funext i j
  apply S.cast_inj
  have := congrFun (congrFun h i) j
  rw [probed_app, probed_app, hrow] at this
  lin_comb (1) this

/-- The change of basis from `eᵢ` to the directions. -/
private def chg (v : Vec K d) (p : Fin d) : RectMat K d d := fun i k => S.cast (probe v p i k)

/-- The inverse of `chg`. -/
private def unchg (v : Vec K d) (p : Fin d) : RectMat K d d := fun i k =>
  basis i k - zeroAt v i * basis p k

omit [DecidableEq K] in
private theorem cast_basis (i k : Fin d) : S.cast (basis i k) = basis i k := by
  by_cases h : k = i
  · rw [h, basis_self, basis_self, S.cast_one]
  · rw [basis_ne h, basis_ne h, S.cast_zero]

private theorem chg_app (v : Vec K d) (p i k : Fin d) : S.chg v p i k = basis i k + zeroAt v i * basis p k := by
  by_cases h : v i ≠ 0
  · rw [chg, probe, if_pos h, zeroAt_of_ne h, cast_basis]; ring
  · rw [chg, probe, if_neg h, zeroAt_of_eq h, vadd_app, S.cast_add, cast_basis, cast_basis]; ring

omit [DecidableEq K] in
private theorem mm_basis_row {a b : Nat} (W : RectMat K a b) (i : Fin a) (j : Fin b) :
    (finSum fun k => basis i k * W k j) = W i j :=
  congrFun (congrFun (one_mm W) i) j

private theorem chg_mm (v : Vec K d) (p : Fin d) (W : RectMat K d d) (i j : Fin d) :
    mm (S.chg v p) W i j = W i j + zeroAt v i * W p j := by
  have h : ∀ k, S.chg v p i k * W k j = basis i k * W k j + zeroAt v i * (basis p k * W k j) := fun k => by
    rw [chg_app]; ring
  rw [mm, finSum_congr h, finSum_add, finSum_mul, mm_basis_row, mm_basis_row]

private theorem unchg_chg {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) : mm (unchg v p) (S.chg v p) = basis :=
  funext fun i => funext fun j => by
    have h : ∀ k, unchg v p i k * S.chg v p k j =
        basis i k * S.chg v p k j + -zeroAt v i * (basis p k * S.chg v p k j) := fun k => by rw [unchg]; ring
    rw [mm, finSum_congr h, finSum_add, finSum_mul, mm_basis_row, mm_basis_row, chg_app, chg_app, zeroAt_of_ne hp]; ring
/-- the probed scores have the rank of `W` -/

private theorem probed_eq (v : Vec K d) (p : Fin d) (W : Mat R d) : S.probed v p W = mm (S.chg v p) (S.castM W) :=
  funext fun i => funext fun j => by rw [probed_app, chg_mm]; rfl

/-- The scores of the directions have the rank of `W`. -/
private theorem probed_rankLE {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (W : Mat R d) (r : Nat) :
    RankLE r (S.probed v p W) ↔ RankLE r (S.castM W) := by
  rw [probed_eq]
  exact ⟨fun h => RankLE.unmul (S.unchg_chg hp) h, fun h => RankLE.mul h _⟩
/-- **Heads of rank `r`.** If `v ≠ 0` is known and `W` has rank `r`, then `(2 d - r) r` outputs on inputs of two tokens
determine `W` among all heads of rank at most `r`. -/
theorem head_low_rank {r : Nat} {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) {W : Mat R d} (hW : RankEq r (S.castM W)) :
    ∃ E : List (Fin d × Fin d), E.length + r * r = (d + d) * r ∧ ∀ W' : Mat R d, RankLE r (S.castM W') →
      (∀ e ∈ E, S.eval W v [basis e.2 + probe v p e.1] (basis e.2) =
        S.eval W' v [basis e.2 + probe v p e.1] (basis e.2)) → W = W' := by
  obtain ⟨l, hl, hpiv⟩ := RankEq.run (W := S.probed v p W)
    ⟨(S.probed_rankLE hp W r).mpr hW.1, fun s hs => hW.2 s ((S.probed_rankLE hp W s).mp hs)⟩
  obtain ⟨E, hE, h⟩ := low_rank_queries ((S.probed_rankLE hp W r).mpr hW.1) hpiv hl
  exact ⟨E, hE, fun W' hW' he => S.probed_inj hp (h _ ((S.probed_rankLE hp W' r).mpr hW') fun e hee =>
    congrArg S.cast (S.score_of_eval_one (S.inner_probe hp e.1) (he e hee)))⟩

end

open Classical in
/-- The same with unknown `v`: `d + (2 d - r) r` outputs determine the head. -/
theorem head_low_rank_full {r : Nat} {v : Vec K d} (hv : v ≠ 0) {W : Mat R d} (hW : RankEq r (S.castM W)) :
    ∃ T : List (List (Vec R d) × Vec R d), T.length + r * r = d + (d + d) * r ∧ ∀ (W' : Mat R d) (v' : Vec K d),
      RankLE r (S.castM W') → (∀ t ∈ T, S.eval W v t.1 t.2 = S.eval W' v' t.1 t.2) → W = W' ∧ v = v' := by
  obtain ⟨p, hp⟩ := exists_ne_zero hv
  obtain ⟨E, hE, h⟩ := S.head_low_rank hp hW
  refine ⟨(List.finRange d).map (fun i => ([], basis i)) ++ E.map fun e => ([basis e.2 + probe v p e.1], basis e.2), ?_,
    fun W' v' hW' ht => ?_⟩
  · rw [List.length_append, List.length_map, List.length_map, List.length_finRange, Nat.add_assoc, hE]
  · have hvv : v = v' := funext fun i => by
      have := ht ([], basis i) (List.mem_append.mpr (.inl (List.mem_map.mpr ⟨i, List.mem_finRange i, rfl⟩)))
      simp only [eval_nil, inner_basis] at this
      exact this
    subst hvv
    exact ⟨h W' hW' fun e he => ht _ (List.mem_append.mpr (.inr (List.mem_map.mpr ⟨e, he, rfl⟩))), rfl⟩
/-- **Key and query factors** through `r` dimensions are determined by the outputs up to an invertible `r × r` matrix,
if the score matrix has rank `r`. -/
theorem factors_unique {r : Nat} {W W' : Mat R d} {v v' : Vec K d} (hv : v ≠ 0) {k q k' q' : RectMat K r d}
    (hW : S.castM W = factored k q) (hW' : S.castM W' = factored k' q') (hr : RankEq r (S.castM W)) :
    (∀ xs y, S.eval W v xs y = S.eval W' v' xs y) ↔
      v = v' ∧ ∃ A B : RectMat K r r, mm A B = basis ∧ mm B A = basis ∧ q' = mm A q ∧ k' = mm (tr B) k := by
  rw [← factor_gauge_iff (hW ▸ hr), ← hW, ← hW']
  constructor
  · intro h
    obtain ⟨h1, h2⟩ := S.head_unique' hv h
    exact ⟨h1, by rw [h2]⟩
  · rintro ⟨rfl, h⟩ xs y
    rw [show W = W' from funext fun i => funext fun j => S.cast_inj _ _ (congrFun (congrFun h i) j)]
end Semantics

end AttentionQueries
