prelude
import Eclogue.Core.Expressions
/-!
# Terms

Computations, handlers' clauses, clause bodies. Operations are numbers; variables are counted as in expressions. A clause
body is two-phase by construction: computations before, then on each path exactly one of `answer`, `abort` or `resume`, and
after `resume` only an ordinary computation.
-/
namespace Eclogue

mutual
/-- A computation: `return e`, `let x = c; k`, `perform op(e)`, `handle c with { return(x) r, clauses }`, `if e then a else b`. -/
inductive Computation where
  | return (e : Expression)
  | let (c k : Computation)
  | perform (op : Nat) (e : Expression)
  | handle (c r : Computation) (clauses : Clauses)
  | if (e : Expression) (a b : Computation)
/-- The clauses of a handler: an operation and a body that binds its payload; the first one for an operation counts. -/
inductive Clauses where
  | nil
  | cons (op : Nat) (b : ClauseBody) (clauses : Clauses)
/-- A clause body: `let x = c; b`, `if e then a else b`, `answer e`, `abort e`, `let x = resume e; k`. -/
inductive ClauseBody where
  | let (c : Computation) (b : ClauseBody)
  | if (e : Expression) (a b : ClauseBody)
  | answer (e : Expression)
  | abort (e : Expression)
  | resume (e : Expression) (k : Computation)
end
/-- The body of the clause for an operation, if there is one. -/
def findClause (op : Nat) : Clauses → Option ClauseBody
  | .nil => none
  | .cons op' b clauses => cond (Nat.beq op op') (some b) (findClause op clauses)
end Eclogue
