import AttentionQueries.Algebra.List

/-! # Adaptive query programs and the single-head learner -/

namespace AttentionQueries


/-- an adaptive program asking questions in `Q`, receiving answers in `A`, ending with an `α` -/
inductive QueryProgram (Q A α : Type) where
  | done (a : α)
  | ask (q : Q) (k : A → QueryProgram Q A α)

namespace QueryProgram
variable {Q A α β : Type}
/-- the result against an oracle -/
def run (o : Q → A) : QueryProgram Q A α → α
  | done a => a
  | ask q k => run o (k (o q))
/-- the questions asked, in order -/
def queries (o : Q → A) : QueryProgram Q A α → List Q
  | done _ => []
  | ask q k => q :: queries o (k (o q))
/-- the questions with the answers received -/
def transcript (o : Q → A) (p : QueryProgram Q A α) : List (Q × A) := (p.queries o).map fun q => (q, o q)
def bind : QueryProgram Q A α → (α → QueryProgram Q A β) → QueryProgram Q A β
  | done a, f => f a
  | ask q k, f => ask q fun a => bind (k a) f
def ask1 (q : Q) : QueryProgram Q A A := ask q done

theorem run_bind (o : Q → A) (p : QueryProgram Q A α) (f : α → QueryProgram Q A β) : run o (p.bind f) = run o (f (run o p)) := by
  induction p with
  | done a => rfl
  | ask q k ih => exact ih (o q)
theorem queries_bind (o : Q → A) (p : QueryProgram Q A α) (f : α → QueryProgram Q A β) :
    queries o (p.bind f) = queries o p ++ queries o (f (run o p)) := by
  induction p with
  | done a => rfl
  | ask q k ih => exact congrArg (q :: ·) (ih (o q))
/-- a run depends on the oracle only through the answers to the questions it asks -/
theorem run_congr {o o' : Q → A} (p : QueryProgram Q A α) (h : ∀ q ∈ queries o p, o q = o' q) :
    run o p = run o' p ∧ queries o p = queries o' p := by
  induction p with
  | done a => exact ⟨rfl, rfl⟩
  | ask q k ih =>
    have e := h q List.mem_cons_self
    have := ih (o q) fun q' hq' => h q' (List.mem_cons_of_mem q hq')
    rw [run, run, queries, queries, ← e]
    exact ⟨this.1, congrArg (q :: ·) this.2⟩

def forFin : {n : Nat} → (Fin n → QueryProgram Q A α) → QueryProgram Q A (Fin n → α)
  | 0, _ => done fun i => i.elim0
  | _ + 1, f => (f 0).bind fun a => (forFin fun i => f i.succ).bind fun g => done (Fin.cases a g)
theorem run_forFin (o : Q → A) : ∀ {n : Nat} (f : Fin n → QueryProgram Q A α), run o (forFin f) = fun i => run o (f i)
  | 0, _ => funext fun i => i.elim0
  | n + 1, f => by
    rw [forFin, run_bind, run_bind, run_forFin]
    funext i
    induction i using Fin.cases <;> rfl
theorem flatMap_map {α β γ : Type} (g : α → β) (f : β → List γ) (l : List α) :
    (l.map g).flatMap f = l.flatMap fun a => f (g a) := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [List.map_cons, List.flatMap_cons, ih, List.flatMap_cons]
theorem queries_forFin (o : Q → A) : ∀ {n : Nat} (f : Fin n → QueryProgram Q A α),
    queries o (forFin f) = (finList n).flatMap fun i => queries o (f i)
  | 0, _ => rfl
  | n + 1, f => by
    rw [forFin, queries_bind, queries_bind, queries_forFin, finList, List.flatMap_cons, flatMap_map]
    show _ ++ (_ ++ []) = _
    rw [List.append_nil]
end QueryProgram

end AttentionQueries
