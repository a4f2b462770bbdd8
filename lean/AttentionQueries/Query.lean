import AttentionQueries.Algebra.List

/-! # Query programs

An adaptive algorithm that learns from an oracle is a program that can do two things: ask a question and continue with
the answer, or stop with a result. It has no access to what answers. What it asks, what it hears and what it returns
are functions of the program and of an oracle `Q → A`.

## Main definitions

* `QueryProgram Q A α`: programs with questions in `Q`, answers in `A` and results in `α`.
* `QueryProgram.run`, `QueryProgram.queries`, `QueryProgram.transcript`, `QueryProgram.count`: what happens with an
  oracle.
* `QueryProgram.bind`, `QueryProgram.ask1`, `QueryProgram.forFin`: sequences, single questions and loops.

## Main statements

* `QueryProgram.run_congr`: a run depends on the oracle only through the answers to the questions it asks.
* `QueryProgram.run_bind`, `QueryProgram.queries_bind`, `QueryProgram.run_forFin`, `QueryProgram.queries_forFin`: how
  composed programs run. -/

namespace AttentionQueries

/-- A program that asks questions in `Q`, receives answers in `A` and ends with a result in `α`. The next question may
depend on the answers received so far. -/
inductive QueryProgram (Q A α : Type) where
  /-- Stop with the result `a`. -/
  | done (a : α)
  /-- Ask `q` and continue with the answer. -/
  | ask (q : Q) (k : A → QueryProgram Q A α)

namespace QueryProgram
variable {Q A α β : Type}

/-- The result against an oracle. -/
def run (o : Q → A) : QueryProgram Q A α → α
  | done a => a
  | ask q k => run o (k (o q))

/-- The questions asked to an oracle, in order, with repetitions. -/
def queries (o : Q → A) : QueryProgram Q A α → List Q
  | done _ => []
  | ask q k => q :: queries o (k (o q))

/-- The questions asked to an oracle, each with the answer received. -/
def transcript (o : Q → A) (p : QueryProgram Q A α) : List (Q × A) := (p.queries o).map fun q => (q, o q)

/-- The number of questions asked to an oracle. -/
def count (o : Q → A) (p : QueryProgram Q A α) : Nat := (p.queries o).length

/-- Run one program, then another one that may depend on its result. -/
def bind : QueryProgram Q A α → (α → QueryProgram Q A β) → QueryProgram Q A β
  | done a, f => f a
  | ask q k, f => ask q fun a => bind (k a) f

/-- Ask one question and return the answer. -/
def ask1 (q : Q) : QueryProgram Q A A := ask q done

/-- Run the programs `f 0, f 1, …` in this order, and return the table of their results. -/
def forFin : {n : Nat} → (Fin n → QueryProgram Q A α) → QueryProgram Q A (Fin n → α)
  | 0, _ => done fun i => i.elim0
  | _ + 1, f => (f 0).bind fun a => (forFin fun i => f i.succ).bind fun g => done (Fin.cases a g)

/-! ## How programs run -/

/-- The result of two programs one after the other. -/
theorem run_bind (o : Q → A) (p : QueryProgram Q A α) (f : α → QueryProgram Q A β) :
    run o (p.bind f) = run o (f (run o p)) := by
  induction p with
  | done a => rfl
  | ask q k ih => exact ih (o q)

/-- The questions of two programs one after the other. -/
theorem queries_bind (o : Q → A) (p : QueryProgram Q A α) (f : α → QueryProgram Q A β) :
    queries o (p.bind f) = queries o p ++ queries o (f (run o p)) := by
  induction p with
  | done a => rfl
  | ask q k ih => exact congrArg (q :: ·) (ih (o q))

/-- **A program sees the oracle only through the answers to its own questions**: if another oracle answers those as
the first one does, then the results and the questions are the same. -/
theorem run_congr {o o' : Q → A} (p : QueryProgram Q A α) (h : ∀ q ∈ queries o p, o q = o' q) :
    run o p = run o' p ∧ queries o p = queries o' p := by
  induction p with
  | done a => exact ⟨rfl, rfl⟩
  | ask q k ih =>
    have e := h q List.mem_cons_self
    have := ih (o q) fun q' hq' => h q' (List.mem_cons_of_mem q hq')
    rw [run, run, queries, queries, ← e]
    exact ⟨this.1, congrArg (q :: ·) this.2⟩

/-- The result of a loop. -/
theorem run_forFin (o : Q → A) : ∀ {n : Nat} (f : Fin n → QueryProgram Q A α),
    run o (forFin f) = fun i => run o (f i)
  | 0, _ => funext fun i => i.elim0
  | n + 1, f => by
    rw [forFin, run_bind, run_bind, run_forFin]
    funext i
    induction i using Fin.cases <;> rfl

/-- The questions of a loop. -/
theorem queries_forFin (o : Q → A) : ∀ {n : Nat} (f : Fin n → QueryProgram Q A α),
    queries o (forFin f) = (List.finRange n).flatMap fun i => queries o (f i)
  | 0, _ => by rw [List.finRange_zero]; rfl
  | n + 1, f => by
    rw [forFin, queries_bind, queries_bind, queries_forFin, List.finRange_succ, List.flatMap_cons, List.flatMap_map]
    show _ ++ (_ ++ []) = _
    rw [List.append_nil]

/-- The transcript has one entry for each question. -/
theorem length_transcript (o : Q → A) (p : QueryProgram Q A α) : (p.transcript o).length = p.count o :=
  List.length_map _

/-- Every entry of the transcript is a question asked, with the answer of the oracle. -/
theorem mem_transcript {o : Q → A} {p : QueryProgram Q A α} {t : Q × A} :
    t ∈ p.transcript o ↔ t.1 ∈ p.queries o ∧ t.2 = o t.1 := by
  rw [transcript, List.mem_map]
  constructor
  · rintro ⟨q, hq, rfl⟩
    exact ⟨hq, rfl⟩
  · rintro ⟨hq, h⟩
    exact ⟨t.1, hq, by rw [← h]⟩

end QueryProgram

end AttentionQueries
