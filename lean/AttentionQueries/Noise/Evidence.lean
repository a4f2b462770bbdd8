import AttentionQueries.Noise.Experiment

/-! # Noisy answers: intervals for a whole head

What a learner has after asking is *evidence*: the answers to the queries `[eᵢ]`, a pivot `p`, a direction for every
row, and for every entry of the score matrix a list of experiments with their answers. Interval arithmetic turns it
into intervals for the weights `e^{W i j}`: the experiments of an entry are intersected, and an entry in a direction
`eᵢ ± eₚ` is divided by, or multiplied with, the entry of row `p`. The logarithm is taken afterwards
(`Noise.LogBounds`).

The theorems hold for any evidence: it does not matter how the pivot, the directions and the experiments were chosen.

## Main definitions

* `Evidence`: what was asked and answered. `Evidence.Consistent`: a head is within the tolerance of every answer.
* `Evidence.scoreBounds`, `Evidence.weightBounds`: the intervals for the weights of the directions and of the entries.
* `Evidence.contradictory`: whether one of these intervals is empty.

## Main statements

* `Evidence.contains`: the interval for an entry contains its weight, for every head consistent with the evidence.
* `Evidence.value_mem`: the entries of `v` lie in the intervals around the answers.
* `Evidence.not_consistent_of_contradictory`: if an interval is empty, no head is consistent with the evidence.
* `Evidence.exact`: for exact answers and tolerance zero every interval is a point. -/

namespace AttentionQueries
open CommRing OrderedField

/-- What was asked, and the answers. -/
structure Evidence (R K : Type) [CommRing R] (d : Nat) where
  /-- The answers to the queries `[eᵢ]`. -/
  values : Vec K d
  /-- The index `p` of the row that is measured by itself. -/
  pivot : Fin d
  /-- The directions for the other rows. -/
  direction : Fin d → Direction
  /-- The experiments for each entry of the score matrix, with the answers. -/
  experiments : Fin d → Fin d → List (Experiment R × K)

namespace Evidence
variable {R K : Type} [CommRing R] [OrderedField K] {d : Nat} (E : Evidence R K d)

/-- The direction of a row; that of the pivot is plain. -/
def rowDirection (i : Fin d) : Direction := if i = E.pivot then .plain else E.direction i

/-- A head is consistent with the evidence if all its outputs are within `τ` of the answers. -/
def Consistent (S : Semantics R K) (τ : K) (W : Mat R d) (v : Vec K d) : Prop :=
  (∀ i, abs (S.oracle W v ([], basis i) - E.values i) ≤ τ) ∧
    ∀ i j, ∀ t ∈ E.experiments i j, abs (S.oracle W v (t.1.query ((E.rowDirection i).vec E.pivot i) j) - t.2) ≤ τ

section
variable [DecidableLT K]

/-- What one experiment says about the weight of the direction of row `i`. -/
def experimentBounds (τ : K) (i j : Fin d) (t : Experiment R × K) : Bounds K :=
  t.1.bounds τ (E.values j) ((E.rowDirection i).value E.values E.pivot i) ((E.rowDirection i).radius τ) t.2

/-- The interval for the weight `exp (uᵢᵀ W eⱼ)`, where `uᵢ` is the direction of row `i`. -/
def scoreBounds (τ : K) (i j : Fin d) : Bounds K :=
  (E.experiments i j).foldr (fun t B => (E.experimentBounds τ i j t).inter B) .everything

/-- **The interval for the weight `exp (W i j)`.** -/
def weightBounds (τ : K) (i j : Fin d) : Bounds K :=
  match E.rowDirection i with
  | .plain => E.scoreBounds τ i j
  | .plus => (E.scoreBounds τ i j).div (E.scoreBounds τ E.pivot j)
  | .minus => (E.scoreBounds τ i j).mul (E.scoreBounds τ E.pivot j)

/-- Some interval, for a direction or for an entry, is empty. -/
def contradictory (τ : K) : Bool := (List.finRange d).any fun i => (List.finRange d).any fun j =>
  (E.scoreBounds τ i j).isEmpty || (E.weightBounds τ i j).isEmpty

end

variable {E} {S : Semantics R K} {τ : K} {W : Mat R d} {v : Vec K d}

/-- The entries of `v` are within the tolerance of the answers. -/
theorem value_error (h : E.Consistent S τ W v) (i : Fin d) : abs (v i - E.values i) ≤ τ := by
  have := h.1 i
  rwa [Semantics.oracle, S.eval_nil, S.inner_basis] at this

/-- **The entries of `v` lie in the intervals reported for them.** -/
theorem value_mem (h : E.Consistent S τ W v) (i : Fin d) : E.values i - τ ≤ v i ∧ v i ≤ E.values i + τ := by
  obtain ⟨h1, h2⟩ := abs_le.mp (value_error h i)
  exact ⟨le_cert (sub_nonneg.mpr h1) (by ring), le_cert (sub_nonneg.mpr h2) (by ring)⟩

variable [DecidableLT K]

/-- The interval for a direction contains its weight. -/
theorem contains_score (h : E.Consistent S τ W v) (i j : Fin d) :
    (E.scoreBounds τ i j).Contains (S.exp (score W ((E.rowDirection i).vec E.pivot i) (basis j))) := by
  rw [scoreBounds]
  have key := h.2 i j
  generalize E.experiments i j = l at key ⊢
  induction l with
  | nil => exact Bounds.contains_everything (S.exp_pos _)
  | cons t l ih =>
    refine Bounds.contains_inter ?_ (ih fun t' ht' => key t' (List.mem_cons_of_mem t ht'))
    refine t.1.contains S (key t List.mem_cons_self) (value_error h j) ?_
    rw [Direction.inner_vec]
    exact Direction.value_error (value_error h) E.pivot i _

omit [OrderedField K] [DecidableLT K] in
private theorem rowDirection_pivot (E : Evidence R K d) : E.rowDirection E.pivot = .plain := if_pos rfl

/-- **Soundness.** For every head consistent with the evidence, the interval for an entry contains the weight of this
entry. -/
theorem contains (h : E.Consistent S τ W v) (i j : Fin d) : (E.weightBounds τ i j).Contains (S.exp (W i j)) := by
  have hi := contains_score h i j
  have hp := contains_score h E.pivot j
  rw [rowDirection_pivot, Direction.score_vec] at hp
  rw [Direction.score_vec] at hi
  rw [weightBounds]
  cases hd : E.rowDirection i with
  | plain => rw [hd] at hi; exact hi
  | plus =>
    rw [hd] at hi
    have := Bounds.contains_div (S.exp_pos _) (S.exp_pos _) hi hp
    rwa [(div_eq_iff (S.exp_ne _)).mpr (S.exp_add _ _)] at this
  | minus =>
    rw [hd] at hi
    have := Bounds.contains_mul (S.exp_pos _) (S.exp_pos _) hi hp
    rwa [← S.exp_add, show W i j - W E.pivot j + W E.pivot j = W i j by ring] at this

/-- **Inconsistent answers are noticed**: if an interval is empty, for a direction or for an entry, then no head is
consistent with the evidence. -/
theorem not_consistent_of_contradictory (h : E.contradictory τ = true) :
    ¬ ∃ (W : Mat R d) (v : Vec K d), E.Consistent S τ W v := fun ⟨_, _, hc⟩ => by
  obtain ⟨i, _, h⟩ := List.any_eq_true.mp h
  obtain ⟨j, _, h⟩ := List.any_eq_true.mp h
  rcases (Bool.or_eq_true _ _).mp h with h | h
  · exact Bounds.not_contains_of_isEmpty h _ (contains_score hc i j)
  · exact Bounds.not_contains_of_isEmpty h _ (contains hc i j)

/-! ## Exact answers -/

private theorem scoreBounds_exact {W : Mat R d} {v : Vec K d} (hv : E.values = v) {i j : Fin d}
    (hu : (E.rowDirection i).value v E.pivot i ≠ 0) (hne : E.experiments i j ≠ [])
    (h : ∀ t ∈ E.experiments i j, t.2 = S.oracle W v (t.1.query ((E.rowDirection i).vec E.pivot i) j)) :
    E.scoreBounds 0 i j = .point (S.exp (score W ((E.rowDirection i).vec E.pivot i) (basis j))) := by
  have one : ∀ t ∈ E.experiments i j, E.experimentBounds 0 i j t =
      .point (S.exp (score W ((E.rowDirection i).vec E.pivot i) (basis j))) := fun t ht => by
    have hr : (E.rowDirection i).radius (0 : K) = 0 := by
      cases E.rowDirection i with
      | plain => rfl
      | plus => exact add_zero 0
      | minus => exact add_zero 0
    have hiv := Direction.inner_vec S v E.pivot i (E.rowDirection i)
    have hb := t.1.bounds_exact S W v j (u := (E.rowDirection i).vec E.pivot i) (by rw [hiv]; exact hu)
    rw [hiv] at hb
    rw [experimentBounds, hr, h t ht, hv, hb]
  rw [scoreBounds]
  generalize E.experiments i j = l at one hne
  have hE := S.exp_pos (score W ((E.rowDirection i).vec E.pivot i) (basis j))
  generalize S.exp (score W ((E.rowDirection i).vec E.pivot i) (basis j)) = x at one hE ⊢
  have fold : ∀ l : List (Experiment R × K), (∀ t ∈ l, E.experimentBounds 0 i j t = .point x) →
      l = [] ∨ l.foldr (fun t B => (E.experimentBounds 0 i j t).inter B) .everything = .point x := by
    intro l
    induction l with
    | nil => exact fun _ => .inl rfl
    | cons t l ih =>
      intro hl
      right
      rw [List.foldr_cons, hl t List.mem_cons_self]
      rcases ih fun t' ht' => hl t' (List.mem_cons_of_mem t ht') with rfl | e
      · exact Bounds.inter_everything_point hE
      · rw [e, Bounds.inter_point]
  exact (fold l one).resolve_left hne

/-- **Exact answers give points.** With exact answers, tolerance zero, directions on which the value vector does not
vanish, and at least one experiment for each entry, every interval consists of the weight alone. -/
theorem exact (W : Mat R d) (v : Vec K d) (hv : E.values = v) (hu : ∀ i, (E.rowDirection i).value v E.pivot i ≠ 0)
    (hne : ∀ i j, E.experiments i j ≠ []) (h : ∀ i j, ∀ t ∈ E.experiments i j,
      t.2 = S.oracle W v (t.1.query ((E.rowDirection i).vec E.pivot i) j)) (i j : Fin d) :
    E.weightBounds 0 i j = .point (S.exp (W i j)) := by
  have hi := scoreBounds_exact (S := S) (W := W) hv (hu i) (hne i j) (h i j)
  have hp := scoreBounds_exact (S := S) (W := W) hv (hu E.pivot) (hne E.pivot j) (h E.pivot j)
  rw [rowDirection_pivot, Direction.score_vec] at hp
  rw [Direction.score_vec] at hi
  rw [weightBounds]
  cases hd : E.rowDirection i with
  | plain =>
    rw [hd] at hi
    exact hi
  | plus =>
    rw [hd] at hi
    show (E.scoreBounds 0 i j).div _ = _
    rw [hi, hp, Bounds.div_point (S.exp_pos _), (div_eq_iff (S.exp_ne _)).mpr (S.exp_add _ _)]
  | minus =>
    rw [hd] at hi
    show (E.scoreBounds 0 i j).mul _ = _
    rw [hi, hp, Bounds.mul_point (S.exp_pos _), ← S.exp_add, show W i j - W E.pivot j + W E.pivot j = W i j by ring]

end Evidence

end AttentionQueries
