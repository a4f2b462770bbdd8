import AttentionQueries.MultiHead.Separation
import AttentionQueries.MultiHead.Cauchy

/-! # The fibre theorem: two lists of heads compute the same function iff their values agree score by score -/

namespace AttentionQueries
open CommRing OrderedField

variable {R K : Type} [CommRing R] [OrderedField K] (S : Semantics R K) {d : Nat}

theorem pairwise_of_mem {α : Type} {P Q : α → α → Prop} : ∀ {l : List α}, l.Pairwise P →
    (∀ a ∈ l, ∀ b ∈ l, P a b → Q a b) → l.Pairwise Q
  | [], _, _ => .nil
  | a :: l, h, hi => by
    rw [List.pairwise_cons] at h ⊢
    exact ⟨fun b hb => hi a List.mem_cons_self b (List.mem_cons_of_mem a hb) (h.1 b hb),
      pairwise_of_mem h.2 fun b hb c hc => hi b (List.mem_cons_of_mem a hb) c (List.mem_cons_of_mem a hc)⟩

/-- `[n, n-1, …, 1]` in the field -/
def nats : Nat → List K
  | 0 => []
  | n + 1 => natCast (n + 1) :: nats n
theorem length_nats (n : Nat) : (nats n : List K).length = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [nats, List.length_cons, ih]
theorem mem_nats {n : Nat} {ρ : K} (h : ρ ∈ nats n) : ∃ k, k < n ∧ ρ = natCast (k + 1) := by
  induction n with
  | zero => cases h
  | succ n ih =>
    rcases List.mem_cons.mp h with rfl | h
    · exact ⟨n, Nat.lt_succ_self n, rfl⟩
    · obtain ⟨k, hk, e⟩ := ih h
      exact ⟨k, Nat.lt_succ_of_lt hk, e⟩
theorem nats_distinct (n : Nat) : (nats n : List K).Pairwise fun a b => a ≠ b := by
  induction n with
  | zero => exact .nil
  | succ n ih =>
    refine List.pairwise_cons.mpr ⟨fun ρ hρ e => ?_, ih⟩
    obtain ⟨k, hk, rfl⟩ := mem_nats hρ
    rw [Nat.succ.inj (natCast_inj e)] at hk
    exact Nat.lt_irrefl _ hk

namespace Semantics
/-! ## independence of heads with distinct scores -/
/-- one copy of `q + u`, `n + 1` copies of `q` (with the query): a partial fraction in `n + 1` -/
theorem evalHeads_copies (G : List (Head R K d)) (n : Nat) (u q : Vec R d) :
    S.evalHeads G (copies 1 n u q) q = cauchySum (natCast (n + 1))
      ((0, listSum G fun g => S.inner g.v q) :: G.map fun g => (S.exp (-score g.W u q), S.inner g.v u)) := by
  have one : ∀ ρ : K, (1 + ρ * 0)⁻¹ = 1 := fun ρ => by
    have h := mul_inv (1 : K) fun e => zero_ne_one e.symm
    rw [one_mul] at h
    rw [mul_zero, add_zero, h]
  rw [evalHeads, cauchySum, listSum_cons, one, mul_one, listSum_map, ← listSum_add]
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

/-- A separating pair `(u, q)` and `|G| + 1` evaluations determine all `⟪v, u⟫`. -/
theorem inner_eq_zero {G : List (Head R K d)} {u q : Vec R d}
    (hd : G.Pairwise fun g g' => score g.W u q ≠ score g'.W u q)
    (h : ∀ n, n < G.length + 1 → S.evalHeads G (copies 1 n u q) q = 0) : ∀ g ∈ G, S.inner g.v u = 0 := by
  intro g hg
  refine cauchy (nats (G.length + 1))
    ((0, listSum G fun g => S.inner g.v q) :: G.map fun g => (S.exp (-score g.W u q), S.inner g.v u))
    ?_ ?_ ?_ (nats_distinct _) ?_ (S.exp (-score g.W u q), S.inner g.v u)
    (List.mem_cons_of_mem _ (List.mem_map.mpr ⟨g, hg, rfl⟩))
  · exact Nat.le_of_eq (by rw [length_nats, List.length_cons, List.length_map])
  · intro ρ hρ p hp
    obtain ⟨n, -, rfl⟩ := mem_nats hρ
    rcases List.mem_cons.mp hp with rfl | hp
    · rw [mul_zero, add_zero]
      exact fun e => zero_ne_one e.symm
    · obtain ⟨g, -, rfl⟩ := List.mem_map.mp hp
      exact pos_ne (add_pos one_pos (mul_pos _ _ (natCast_pos n) (S.exp_pos _)))
  · refine List.pairwise_cons.mpr ⟨fun p hp => ?_, List.pairwise_map.mpr ?_⟩
    · obtain ⟨g, -, rfl⟩ := List.mem_map.mp hp
      exact fun e => S.exp_ne _ e.symm
    · refine hd.imp fun hne e => hne ?_
      have e' := S.exp_inj _ _ e
      lin_comb (-1) e'
  · intro ρ hρ
    obtain ⟨n, hn, rfl⟩ := mem_nats hρ
    rw [← evalHeads_copies]
    exact h n hn

open Classical in
/-- Heads with pairwise distinct scores whose sum vanishes identically have zero values. -/
theorem heads_indep {G : List (Head R K d)} (hd : G.Pairwise fun g g' => g.W ≠ g'.W)
    (h : ∀ xs q, S.evalHeads G xs q = 0) : ∀ g ∈ G, g.v = 0 := by
  intro p hp
  apply Classical.byContradiction
  intro hv
  obtain ⟨u, q, hD, hu⟩ := S.sep_mat ((G.flatMap fun g => G.map fun g' => g.W - g'.W).filter fun D => D ≠ 0)
    (fun D hD => by simpa using (List.mem_filter.mp hD).2) [p.v] (by simpa using hv)
  refine hu p.v (by simp) (S.inner_eq_zero (q := q) (pairwise_of_mem hd fun g hg g' hg' hne e => ?_) (fun _ _ => h _ _) p hp)
  -- `W_g - W_g'` is one of the separated matrices
  refine hD (g.W - g'.W) (List.mem_filter.mpr ⟨List.mem_flatMap.mpr ⟨g, hg, List.mem_map.mpr ⟨g', hg', rfl⟩⟩, ?_⟩) ?_
  · simp only [ne_eq, decide_eq_true_eq]
    intro e0
    refine hne (funext fun i => funext fun j => sub_eq_zero.mp ?_)
    exact congrFun (congrFun e0 i) j
  · rw [score_sub_mat, e, sub_self]
end Semantics

/-! ## merging heads with equal scores -/
section
open Classical
omit [CommRing R]

/-- add a head to a list, merging it with a head of the same score if there is one -/
noncomputable def insertHead (h : Head R K d) : List (Head R K d) → List (Head R K d)
  | [] => [h]
  | g :: G => if h.W = g.W then ⟨g.W, h.v + g.v⟩ :: G else g :: insertHead h G
noncomputable def mergeHeads : List (Head R K d) → List (Head R K d)
  | [] => []
  | h :: H => insertHead h (mergeHeads H)

/-- sums that are additive in the value do not see the grouping -/
theorem listSum_mergeHeads {F : Mat R d → Vec K d → K} (hF : ∀ W v w, F W (v + w) = F W v + F W w) (H : List (Head R K d)) :
    listSum (mergeHeads H) (fun h => F h.W h.v) = listSum H fun h => F h.W h.v := by
  have ins : ∀ (h : Head R K d) (G : List (Head R K d)),
      listSum (insertHead h G) (fun h => F h.W h.v) = F h.W h.v + listSum G fun h => F h.W h.v := by
    intro h G
    induction G with
    | nil => rfl
    | cons g G ih =>
      rw [insertHead]
      split
      · rename_i e
        rw [listSum_cons, listSum_cons, hF, e, add_assoc]
      · rw [listSum_cons, listSum_cons, ih, add_left_comm]
  induction H with
  | nil => rfl
  | cons h H ih => rw [mergeHeads, ins, ih, listSum_cons]

theorem mem_insertHead {h k : Head R K d} {G : List (Head R K d)} (hk : k ∈ insertHead h G) :
    k.W = h.W ∨ ∃ g ∈ G, k.W = g.W := by
  induction G with
  | nil => exact .inl (by rw [List.mem_singleton.mp hk])
  | cons g G ih =>
    rw [insertHead] at hk
    split at hk
    · rcases List.mem_cons.mp hk with rfl | hk
      · exact .inr ⟨g, List.mem_cons_self, rfl⟩
      · exact .inr ⟨k, List.mem_cons_of_mem g hk, rfl⟩
    · rcases List.mem_cons.mp hk with rfl | hk
      · exact .inr ⟨k, List.mem_cons_self, rfl⟩
      · rcases ih hk with e | ⟨g', hg', e⟩
        · exact .inl e
        · exact .inr ⟨g', List.mem_cons_of_mem g hg', e⟩

theorem mem_mergeHeads {k : Head R K d} {H : List (Head R K d)} (hk : k ∈ mergeHeads H) : ∃ h ∈ H, k.W = h.W := by
  induction H generalizing k with
  | nil => cases hk
  | cons h H ih =>
    rcases mem_insertHead hk with e | ⟨g, hg, e⟩
    · exact ⟨h, List.mem_cons_self, e⟩
    · obtain ⟨h', hh', e'⟩ := ih hg
      exact ⟨h', List.mem_cons_of_mem h hh', e.trans e'⟩

theorem mergeHeads_distinct (H : List (Head R K d)) : (mergeHeads H).Pairwise fun g g' => g.W ≠ g'.W := by
  have ins : ∀ (h : Head R K d) (G : List (Head R K d)), G.Pairwise (fun g g' => g.W ≠ g'.W) →
      (insertHead h G).Pairwise fun g g' => g.W ≠ g'.W := by
    intro h G hG
    induction G with
    | nil => exact .cons (fun _ hk => nomatch hk) .nil
    | cons g G ih =>
      rw [List.pairwise_cons] at hG
      rw [insertHead]
      split
      · exact List.pairwise_cons.mpr hG
      · rename_i hne
        refine List.pairwise_cons.mpr ⟨fun k hk e => ?_, ih hG.2⟩
        rcases mem_insertHead hk with e' | ⟨g', hg', e'⟩
        · exact hne (e'.symm.trans e.symm)
        · exact hG.1 g' hg' (e.trans e')
  induction H with
  | nil => exact .nil
  | cons h H ih => exact ins h _ ih

/-- `∑_{h ∈ H, h.W = W} h.v` -/
noncomputable def total (H : List (Head R K d)) (W : Mat R d) : Vec K d := fun i =>
  listSum H fun h => if h.W = W then h.v i else 0

theorem total_add (W₀ : Mat R d) (i : Fin d) (W : Mat R d) (v w : Vec K d) :
    (if W = W₀ then (v + w) i else 0) = (if W = W₀ then v i else 0) + (if W = W₀ then w i else 0) := by
  split
  · rfl
  · rw [add_zero]
theorem total_mergeHeads (H : List (Head R K d)) (W : Mat R d) : total (mergeHeads H) W = total H W :=
  funext fun i => listSum_mergeHeads (F := fun W' v => if W' = W then v i else 0) (total_add W i) H
/-- with distinct scores, `total` reads off the values -/
theorem total_of_mem {G : List (Head R K d)} (hd : G.Pairwise fun g g' => g.W ≠ g'.W) {g : Head R K d} (hg : g ∈ G) :
    total G g.W = g.v := by
  funext i
  induction G with
  | nil => cases hg
  | cons k G ih =>
    rw [List.pairwise_cons] at hd
    rw [total, listSum_cons]
    rcases List.mem_cons.mp hg with rfl | hg
    · rw [if_pos rfl, listSum_zero fun k hk => if_neg (hd.1 k hk).symm, add_zero]
    · rw [if_neg (hd.1 g hg), zero_add]
      exact ih hd.2 hg

/-- formal negative of a list of heads -/
def negHeads (H : List (Head R K d)) : List (Head R K d) := H.map fun h => ⟨h.W, -h.v⟩
theorem listSum_negHeads {F : Mat R d → Vec K d → K} (hF : ∀ W v w, F W (v + w) = F W v + F W w) (H : List (Head R K d)) :
    listSum (negHeads H) (fun h => F h.W h.v) = -listSum H fun h => F h.W h.v := by
  have hneg : ∀ W v, F W (-v) = -F W v := fun W v => by
    have h0 := hF W 0 0
    have h1 := hF W v (-v)
    rw [vadd_zero] at h0
    rw [show v + -v = 0 from funext fun i => add_neg _] at h1
    lin_comb (-1) h1 + (-1) h0
  rw [negHeads, listSum_map]
  induction H with
  | nil => exact neg_zero.symm
  | cons h H ih => rw [listSum_cons, ih, listSum_cons, hneg]; ring
theorem total_diff (H H' : List (Head R K d)) (W : Mat R d) : total (H ++ negHeads H') W = total H W - total H' W := by
  funext i
  rw [total, listSum_append, listSum_negHeads (F := fun W' v => if W' = W then v i else 0) (total_add W i), vsub_app, sub_def]
  rfl
end

namespace Semantics
theorem evalHeads_mergeHeads (H : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (mergeHeads H) xs q = S.evalHeads H xs q :=
  listSum_mergeHeads (F := fun W v => S.eval W v xs q) (fun _ _ _ => S.eval_add _ _ _ _ _) H
theorem evalHeads_diff (H H' : List (Head R K d)) (xs : List (Vec R d)) (q : Vec R d) :
    S.evalHeads (H ++ negHeads H') xs q = S.evalHeads H xs q - S.evalHeads H' xs q := by
  rw [evalHeads_append, sub_def]
  exact congrArg _ (listSum_negHeads (F := fun W v => S.eval W v xs q) (fun _ _ _ => S.eval_add _ _ _ _ _) H')

/-- the kernel: a list of heads computes `0` iff all its totals vanish -/
theorem evalHeads_eq_zero_iff (H : List (Head R K d)) : (∀ xs q, S.evalHeads H xs q = 0) ↔ ∀ W, total H W = 0 := by
  constructor
  · intro h W
    have h0 := S.heads_indep (mergeHeads_distinct H) fun xs q => (S.evalHeads_mergeHeads H xs q).trans (h xs q)
    rw [← total_mergeHeads]
    exact funext fun i => listSum_zero fun g hg => by rw [h0 g hg]; split <;> rfl
  · intro h xs q
    rw [← evalHeads_mergeHeads]
    refine listSum_zero fun g hg => ?_
    rw [← total_of_mem (mergeHeads_distinct H) hg, total_mergeHeads, h, eval_zero]

/-- **Fibre theorem.** -/
theorem fibre (H H' : List (Head R K d)) :
    (∀ xs q, S.evalHeads H xs q = S.evalHeads H' xs q) ↔ ∀ W, total H W = total H' W := by
  have key := S.evalHeads_eq_zero_iff (H ++ negHeads H')
  simp only [evalHeads_diff, total_diff, sub_eq_zero] at key
  rw [key]
  exact ⟨fun h W => funext fun i => sub_eq_zero.mp (congrFun (h W) i), fun h W => by rw [h, vsub_self]⟩
end Semantics

end AttentionQueries
