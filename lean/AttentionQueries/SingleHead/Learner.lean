import AttentionQueries.Query
import AttentionQueries.SingleHead.Identifiability

/-! # The single-head learner as a query program -/

namespace AttentionQueries
open CommRing OrderedField

/-! ## decoding -/
section
variable {α : Type}
def allSome : {n : Nat} → (Fin n → Option α) → Option (Fin n → α)
  | 0, _ => some fun i => i.elim0
  | _ + 1, f => match f 0, allSome fun i => f i.succ with
    | some a, some g => some (Fin.cases a g)
    | _, _ => none
theorem allSome_eq : ∀ {n : Nat} {f : Fin n → Option α} {g : Fin n → α}, allSome f = some g ↔ ∀ i, f i = some (g i)
  | 0, f, g => ⟨fun _ i => i.elim0, fun _ => congrArg some (funext fun i => i.elim0)⟩
  | n + 1, f, g => by
    rw [allSome]
    constructor
    · intro h i
      split at h
      · rename_i a g' h0 h1
        cases h
        induction i using Fin.cases with
        | zero => exact h0
        | succ i => exact (allSome_eq.mp h1) i
      · cases h
    · intro h
      rw [h 0, (allSome_eq (g := fun i => g i.succ)).mpr fun i => h i.succ]
      refine congrArg some (funext fun i => ?_)
      induction i using Fin.cases <;> rfl

variable {K : Type} [OrderedField K] [DecidableEq K]
def firstNZ : {d : Nat} → Vec K d → Option (Fin d)
  | 0, _ => none
  | _ + 1, v => if v 0 = 0 then (firstNZ fun i => v i.succ).map Fin.succ else some 0
theorem firstNZ_some : ∀ {d : Nat} {v : Vec K d} {p : Fin d}, firstNZ v = some p → v p ≠ 0
  | 0, _, p, _ => p.elim0
  | d + 1, v, p, h => by
    rw [firstNZ] at h
    split at h
    · cases h1 : firstNZ fun i => v i.succ with
      | none => rw [h1] at h; cases h
      | some i => rw [h1] at h; cases h; exact firstNZ_some (v := fun i => v i.succ) h1
    · cases h; assumption
theorem firstNZ_none : ∀ {d : Nat} {v : Vec K d}, firstNZ v = none → v = 0
  | 0, _, _ => funext fun i => i.elim0
  | d + 1, v, h => by
    rw [firstNZ] at h
    split at h
    · rename_i h0
      cases h1 : firstNZ fun i => v i.succ with
      | some i => rw [h1] at h; cases h
      | none =>
        funext i
        induction i using Fin.cases with
        | zero => exact h0
        | succ i => exact congrFun (firstNZ_none h1) i
    · cases h
end

inductive Outcome (R K : Type) (d : Nat) where
  /-- the head has been found -/
  | head (W : Mat R d) (v : Vec K d)
  /-- the value vector is zero; nothing is known about the score -/
  | zero
  /-- the answers are not those of a head -/
  | reject

variable {R K : Type} [CommRing R] [OrderedField K] [DecidableEq K] {d : Nat}
/-- probe direction of row `i`, and its pairing with `v` -/
def dir (v : Vec K d) (p i : Fin d) : Vec R d := if v i = 0 then basis i + basis p else basis i
def lead (v : Vec K d) (p i : Fin d) : K := if v i = 0 then v p else v i
/-- the score from the answer `a` (less `⟪v, q⟫`) and `b = ⟪v, u⟫` -/
def decode (log : K → Option R) (b a : K) : Option R := if b - a = 0 then none else log (a / (b - a))

def rowProg (v : Vec K d) (p : Fin d) : QueryProgram (Query R d) K (Fin d → Fin d → K) :=
  .forFin fun i => .forFin fun j => .ask1 ([basis j + dir v p i], basis j)
def finish (log : K → Option R) (v : Vec K d) (p : Fin d) (a : Fin d → Fin d → K) : Outcome R K d :=
  match allSome fun i => allSome fun j => decode log (lead v p i) (a i j - v j) with
  | none => .reject
  | some s => .head (fun i j => if v i = 0 then s i j - s p j else s i j) v
def stage2 (log : K → Option R) (v : Vec K d) : QueryProgram (Query R d) K (Outcome R K d) :=
  match firstNZ v with
  | none => .done .zero
  | some p => (rowProg v p).bind fun a => .done (finish log v p a)
/-- **The learner of a single head.** -/
def learn (log : K → Option R) : QueryProgram (Query R d) K (Outcome R K d) :=
  (QueryProgram.forFin fun i => .ask1 ([], basis i)).bind (stage2 log)

/-! ## what is asked -/
noncomputable def basisQueries (R : Type) [CommRing R] (d : Nat) : List (Query R d) := (List.finRange d).flatMap fun i => [([], basis i)]
noncomputable def rowQueries (v : Vec K d) (p : Fin d) : List (Query R d) :=
  (List.finRange d).flatMap fun i => (List.finRange d).flatMap fun j => [([basis j + dir v p i], basis j)]

theorem learn_run (log : K → Option R) (o : Query R d → K) : (learn log).run o =
    match firstNZ fun i => o ([], basis i) with
    | none => .zero
    | some p => finish log (fun i => o ([], basis i)) p fun i j =>
      o ([basis j + dir (fun i => o ([], basis i)) p i], basis j) := by
  rw [learn, QueryProgram.run_bind, QueryProgram.run_forFin]
  show (stage2 log fun i => o ([], basis i)).run o = _
  rw [stage2]
  split
  · rfl
  · rw [QueryProgram.run_bind, rowProg, QueryProgram.run_forFin]
    simp only [QueryProgram.run_forFin]
    rfl
theorem learn_queries (log : K → Option R) (o : Query R d → K) : (learn log).queries o = basisQueries R d ++
    match firstNZ fun i => o ([], basis i) with
    | none => []
    | some p => rowQueries (fun i => o ([], basis i)) p := by
  rw [learn, QueryProgram.queries_bind, QueryProgram.run_forFin, QueryProgram.queries_forFin]
  show basisQueries R d ++ (stage2 log fun i => o ([], basis i)).queries o = _
  congr 1
  rw [stage2]
  split
  · rfl
  · rw [QueryProgram.queries_bind, rowProg, QueryProgram.queries_forFin]
    simp only [QueryProgram.queries_forFin]
    show _ ++ [] = _
    rw [List.append_nil]
    rfl
theorem length_basisQueries : (basisQueries R d).length = d := by
  rw [basisQueries, length_flatMap_const (n := 1) fun _ => rfl, List.length_finRange, Nat.mul_one]
theorem length_rowQueries (v : Vec K d) (p : Fin d) : (rowQueries (R := R) v p).length = d * d := by
  rw [rowQueries, length_flatMap_const (n := d) fun i => ?_, List.length_finRange]
  rw [length_flatMap_const (n := 1) fun _ => rfl, List.length_finRange, Nat.mul_one]
theorem mem_basisQueries {t : Query R d} : t ∈ basisQueries R d ↔ ∃ i, t = ([], basis i) := by
  simp only [basisQueries, List.mem_flatMap, List.mem_singleton]
  exact ⟨fun ⟨i, _, h⟩ => ⟨i, h⟩, fun ⟨i, h⟩ => ⟨i, List.mem_finRange i, h⟩⟩
theorem mem_rowQueries {v : Vec K d} {p : Fin d} {t : Query R d} :
    t ∈ rowQueries v p ↔ ∃ i j, t = ([basis j + dir v p i], basis j) := by
  simp only [rowQueries, List.mem_flatMap, List.mem_singleton]
  exact ⟨fun ⟨i, _, j, _, h⟩ => ⟨i, j, h⟩, fun ⟨i, j, h⟩ => ⟨i, List.mem_finRange i, j, List.mem_finRange j, h⟩⟩

/-- **Query count**, against any oracle: `d`, or `d + d²` when the first `d` answers are not all zero. -/
theorem learn_count (log : K → Option R) (o : Query R d → K) :
    ((∀ i, o ([], basis i) = 0) → ((learn log).queries o).length = d) ∧
    ((∃ i, o ([], basis i) ≠ 0) → ((learn log).queries o).length = d + d * d) := by
  rw [learn_queries, List.length_append, length_basisQueries]
  cases h : firstNZ fun i => o ([], basis i) with
  | none => exact ⟨fun _ => rfl, fun ⟨i, hi⟩ => absurd (congrFun (firstNZ_none h) i) hi⟩
  | some p => exact ⟨fun h0 => absurd (h0 p) (firstNZ_some h), fun _ => by rw [length_rowQueries]⟩
/-- **Query length**, against any oracle: at most one context token. -/
theorem learn_length (log : K → Option R) (o : Query R d → K) : ∀ t ∈ (learn log).queries o, t.1.length ≤ 1 := by
  intro t ht
  rw [learn_queries] at ht
  rcases List.mem_append.mp ht with ht | ht
  · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
    exact Nat.zero_le 1
  · split at ht
    · cases ht
    · obtain ⟨i, j, rfl⟩ := mem_rowQueries.mp ht
      exact Nat.le_refl 1

/-! ## what is found -/
namespace Semantics
variable (S : Semantics R K)
/-- a head as an oracle -/
def oracle (W : Mat R d) (v : Vec K d) : Query R d → K := fun t => S.eval W v t.1 t.2

theorem inner_dir (v : Vec K d) (p i : Fin d) : S.inner v (dir v p i) = lead v p i := by
  unfold dir lead
  split
  · rename_i h
    rw [inner_add, inner_basis, inner_basis, h, zero_add]
  · rw [inner_basis]
omit [CommRing R] in
theorem lead_ne {v : Vec K d} {p : Fin d} (hp : v p ≠ 0) (i : Fin d) : lead v p i ≠ 0 := by
  unfold lead
  split <;> assumption
omit [DecidableEq K] in
theorem oracle_basis (W : Mat R d) (v : Vec K d) : (fun i => S.oracle W v ([], basis i)) = v := funext fun i => by
  rw [oracle, eval_nil, inner_basis]
/-- the answer to a row query -/
theorem oracle_row (W : Mat R d) (v : Vec K d) (p i j : Fin d) : S.oracle W v ([basis j + dir v p i], basis j) =
    v j + lead v p i * (S.exp (score W (dir v p i) (basis j)) / (S.exp (score W (dir v p i) (basis j)) + 1)) := by
  rw [oracle, eval_one, inner_basis, inner_dir]
theorem score_dir (W : Mat R d) (v : Vec K d) (p i j : Fin d) :
    score W (dir v p i) (basis j) = if v i = 0 then W i j + W p j else W i j := by
  unfold dir
  split
  · rw [score_add, score_basis, score_basis]
  · rw [score_basis]

/-- `decode` inverts the answers of a head -/
theorem decode_exp {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) {b : K} (hb : b ≠ 0) (s : R) :
    decode log b (b * (S.exp s / (S.exp s + 1))) = some s := by
  have h1 := pos_ne (add_pos (S.exp_pos s) one_pos)
  have h := div_mul_cancel (S.exp s) h1
  have hx : b - b * (S.exp s / (S.exp s + 1)) ≠ 0 := fun e => by
    apply hb
    generalize S.exp s / (S.exp s + 1) = f at *
    lin_comb (S.exp s + 1) e + (b) h
  have he : b * (S.exp s / (S.exp s + 1)) / (b - b * (S.exp s / (S.exp s + 1))) = S.exp s := by
    rw [div_eq_iff hx]
    generalize S.exp s / (S.exp s + 1) = f at *
    lin_comb (b) h
  rw [decode, if_neg hx, he, hlog]
/-- conversely, what `decode` accepts is an answer of a head -/
theorem exp_of_decode {log : K → Option R} (hlog : ∀ x s, log x = some s → S.exp s = x) {a b : K} {s : R}
    (h : decode log b a = some s) : a = b * (S.exp s / (S.exp s + 1)) := by
  rw [decode] at h
  split at h
  · cases h
  · rename_i hx
    have h2 := hlog _ _ h
    have h1 := pos_ne (add_pos (S.exp_pos s) one_pos)
    have e := (div_eq_iff hx).mp h2.symm
    have h := div_mul_cancel (S.exp s) h1
    apply mul_right_cancel h1
    generalize S.exp s / (S.exp s + 1) = f at *
    lin_comb (1) e + (-b) h

/-- **Exactness.** Against a head with `v ≠ 0` the learner returns that head. -/
theorem learn_exact {log : K → Option R} (hlog : ∀ s, log (S.exp s) = some s) (W : Mat R d) {v : Vec K d} (hv : v ≠ 0) :
    (learn log).run (S.oracle W v) = .head W v := by
  rw [learn_run]
  simp only [oracle_basis]
  cases h : firstNZ v with
  | none => exact absurd (firstNZ_none h) hv
  | some p =>
    have hp := firstNZ_some h
    have hs : (allSome fun i => allSome fun j => decode log (lead v p i)
        (S.oracle W v ([basis j + dir v p i], basis j) - v j)) =
        some fun i j => score W (dir v p i) (basis j) := by
      refine allSome_eq.mpr fun i => allSome_eq.mpr fun j => ?_
      rw [oracle_row]
      generalize he : S.exp (score W (dir v p i) (basis j)) / (S.exp (score W (dir v p i) (basis j)) + 1) = f
      rw [show v j + lead v p i * f - v j = lead v p i * f by ring, ← he]
      exact S.decode_exp hlog (lead_ne hp i) _
    show finish _ _ _ _ = _
    rw [finish, hs]
    show Outcome.head _ _ = _
    congr 1
    funext i j
    show (if v i = 0 then score W (dir v p i) (basis j) - score W (dir v p p) (basis j) else
      score W (dir v p i) (basis j)) = W i j
    rw [score_dir, score_dir, if_neg hp]
    split
    · ring
    · rfl
/-- Against a head with `v = 0` it says so. -/
theorem learn_zero (log : K → Option R) (W : Mat R d) : (learn log).run (S.oracle W 0) = .zero := by
  rw [learn_run, oracle_basis]
  cases h : firstNZ (0 : Vec K d) with
  | none => rfl
  | some p => exact absurd rfl (firstNZ_some h)
/-- `d + d²` questions to a head with `v ≠ 0`, `d` questions otherwise -/
theorem learn_count_head (log : K → Option R) (W : Mat R d) (v : Vec K d) :
    (v = 0 → ((learn log).queries (S.oracle W v)).length = d) ∧
    (v ≠ 0 → ((learn log).queries (S.oracle W v)).length = d + d * d) := by
  have h := learn_count log (S.oracle W v)
  have e : ∀ i, S.oracle W v ([], basis i) = v i := congrFun (S.oracle_basis W v)
  simp only [e] at h
  exact ⟨fun h0 => h.1 (congrFun h0), fun h0 => h.2 (exists_ne_zero h0)⟩

/-- **Self-consistency.** A head returned on an arbitrary oracle answers all questions asked as the oracle did. -/
theorem learn_sound {log : K → Option R} (hlog : ∀ x s, log x = some s → S.exp s = x) {o : Query R d → K}
    {W : Mat R d} {v : Vec K d} (h : (learn log).run o = .head W v) :
    v ≠ 0 ∧ ∀ t ∈ (learn log).queries o, S.oracle W v t = o t := by
  rw [learn_run] at h
  rw [learn_queries]
  cases hf : firstNZ fun i => o ([], basis i) with
  | none => rw [hf] at h; cases h
  | some p =>
    rw [hf] at h
    generalize hv : (fun i => o ([], basis i)) = v' at hf h ⊢
    have hp := firstNZ_some hf
    simp only [finish] at h
    split at h
    · cases h
    · rename_i s hs
      cases h
      refine ⟨fun e => hp (congrFun e p), fun t ht => ?_⟩
      have hs := fun i j => S.exp_of_decode hlog (allSome_eq.mp (allSome_eq.mp hs i) j)
      rcases List.mem_append.mp ht with ht | ht
      · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
        have := congrFun (S.oracle_basis (fun i j => if v i = 0 then s i j - s p j else s i j) v) i
        exact this.trans (congrFun hv.symm i)
      · obtain ⟨i, j, rfl⟩ := mem_rowQueries.mp ht
        have e : score (fun i j => if v i = 0 then s i j - s p j else s i j) (dir v p i) (basis j) = s i j := by
          rw [score_dir]
          split
          · ring
          · rfl
        rw [oracle_row, e, ← hs i j]
        ring
/-- the outcome `zero` on an arbitrary oracle: all answers were `0` -/
theorem learn_zero_sound {log : K → Option R} {o : Query R d → K} (h : (learn log).run o = .zero) :
    ∀ t ∈ (learn log).queries o, o t = 0 := by
  rw [learn_run] at h
  rw [learn_queries]
  cases hf : firstNZ fun i => o ([], basis i) with
  | none =>
    intro t ht
    rcases List.mem_append.mp ht with ht | ht
    · obtain ⟨i, rfl⟩ := mem_basisQueries.mp ht
      exact congrFun (firstNZ_none hf) i
    · cases ht
  | some p =>
    rw [hf] at h
    simp only [finish] at h
    split at h <;> cases h

/-- **Exact description of the outcomes** on an arbitrary oracle. -/
theorem learn_head_iff {log : K → Option R} (hlog : ∀ x s, log x = some s ↔ S.exp s = x) (o : Query R d → K)
    (W : Mat R d) (v : Vec K d) : (learn log).run o = .head W v ↔
      v ≠ 0 ∧ ∀ t ∈ (learn log).queries o, S.oracle W v t = o t := by
  refine ⟨S.learn_sound fun x s => (hlog x s).mp, fun ⟨hv, h⟩ => ?_⟩
  rw [(QueryProgram.run_congr (learn log) fun t ht => (h t ht).symm).1]
  exact S.learn_exact (fun s => (hlog _ s).mpr rfl) W hv
theorem learn_reject_iff {log : K → Option R} (hlog : ∀ x s, log x = some s ↔ S.exp s = x) (o : Query R d → K) :
    (learn log).run o = .reject ↔
      ¬ ∃ (W : Mat R d) (v : Vec K d), ∀ t ∈ (learn log).queries o, S.oracle W v t = o t := by
  constructor
  · intro h ⟨W, v, ho⟩
    by_cases hv : v = 0
    · subst hv
      rw [(QueryProgram.run_congr (learn log) fun t ht => (ho t ht).symm).1, learn_zero] at h
      cases h
    · rw [(S.learn_head_iff hlog o W v).mpr ⟨hv, ho⟩] at h
      cases h
  · intro h
    cases hr : (learn log).run o with
    | head W v => exact absurd ⟨W, v, (S.learn_sound (fun x s => (hlog x s).mp) hr).2⟩ h
    | zero => exact absurd ⟨0, 0, fun t ht => by rw [learn_zero_sound hr t ht, oracle, eval_zero]⟩ h
    | reject => rfl
end Semantics

end AttentionQueries
