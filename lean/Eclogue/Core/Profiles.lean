prelude
import Eclogue.Core.Host
/-!
# Profiles

A profile is a property of a trace, record by record, and a test on programs that guarantees it for all their traces:
`profile.core0h ⊂ profile.core0 ⊂ profile.corea`. The last is the whole language.

The test of `core0` is compositional. At each place of a program let `E` be the operations whose nearest enclosing clause may
complete without resuming. No operation of `E` may escape from a clause body, nor from a `handle` of which some clause may
resume: those are the places where a selection would be open, and dropped. And there is no `abort`.
-/
namespace Eclogue

/-! ### profiles of traces -/
/-- `profile.core0`: no abort, and nothing dropped (a failure may close selections). -/
def Record.core0 : Record → Bool
  | .effectCapture .abort _ _ => false
  | .selectionClosed .dropped _ _ => false
  | _ => true
/-- `profile.core0h`: moreover no clause completed without resuming. -/
def Record.core0h : Record → Bool
  | .effectCapture .abort _ _ => false
  | .effectCapture .answer _ _ => false
  | .selectionClosed .dropped _ _ => false
  | _ => true
/-- Every record of the trace passes the test. -/
def Every (p : Record → Bool) (t : Trace) : Prop := Eq (all p t.records) true

/-! ### sets of operations -/
/-- A set of operations. -/
abbrev OperationSet := Nat → Bool
/-- The first set, without the second. -/
def without (a b : OperationSet) : OperationSet := fun op => and (not (b op)) (a op)
/-- No operation. -/
def noOperation : OperationSet := fun _ => false
/-- Every operation. -/
def everyOperation : OperationSet := fun _ => true

/-! ### what clauses may do -/
/-- May the clause body resume? -/
def mayResume : ClauseBody → Bool
  | .let _ b => mayResume b
  | .if _ a b => or (mayResume a) (mayResume b)
  | .answer _ => false
  | .abort _ => false
  | .resume _ _ => true
/-- May the clause body complete without resuming? -/
def mayAnswer : ClauseBody → Bool
  | .let _ b => mayAnswer b
  | .if _ a b => or (mayAnswer a) (mayAnswer b)
  | .answer _ => true
  | .abort _ => true
  | .resume _ _ => false
/-- May some clause resume? -/
def someMayResume : Clauses → Bool
  | .nil => false
  | .cons _ b clauses => or (mayResume b) (someMayResume clauses)
/-- Is there a clause? -/
def isClause : Option ClauseBody → Bool
  | none => false
  | some _ => true
/-- What may leave a `handle`, of what may arrive outside: all of it when no clause resumes, else what is not answered outside. -/
def mayLeave (E : OperationSet) (al : OperationSet) : Bool → OperationSet
  | true => without al E
  | false => al
/-- What may leave the handled computation: what a clause catches, and what may leave the `handle`. -/
def mayReach (clauses : Clauses) (al : OperationSet) : OperationSet := fun op => or (isClause (findClause op clauses)) (al op)
/-- May the operation be answered, by this clause if there is one, else outside? -/
def answeredBy (outside : Bool) : Option ClauseBody → Bool
  | none => outside
  | some b => mayAnswer b
/-- The operations that the nearest enclosing clause may answer, inside a handler with these clauses. -/
def answeredInside (clauses : Clauses) (E : OperationSet) : OperationSet := fun op => answeredBy (E op) (findClause op clauses)

/-! ### the test of core0 -/
mutual
/-- The operations that escape from the computation are in `al`, and inside it the rule holds; `E` are those answered outside. -/
def admitted : Computation → OperationSet → OperationSet → Bool
  | .return _, _, _ => true
  | .let c k, E, al => and (admitted c E al) (admitted k E al)
  | .perform op _, _, al => al op
  | .handle c r clauses, E, al =>
    and (admitted c (answeredInside clauses E) (mayReach clauses (mayLeave E al (someMayResume clauses))))
      (and (admitted r E (mayLeave E al (someMayResume clauses)))
        (admittedClauses clauses E (without (mayLeave E al (someMayResume clauses)) E)))
  | .if _ a b, E, al => and (admitted a E al) (admitted b E al)
/-- The same for the clauses of a handler. -/
def admittedClauses : Clauses → OperationSet → OperationSet → Bool
  | .nil, _, _ => true
  | .cons _ b clauses, E, al => and (admittedBody b E al) (admittedClauses clauses E al)
/-- The same for a clause body; there is no `abort`. -/
def admittedBody : ClauseBody → OperationSet → OperationSet → Bool
  | .let c b, E, al => and (admitted c E al) (admittedBody b E al)
  | .if _ a b, E, al => and (admittedBody a E al) (admittedBody b E al)
  | .answer _, _, _ => true
  | .abort _, _, _ => false
  | .resume _ k, E, al => admitted k E al
end
/-- `admit.core0`: the admission test on programs for `core0`. -/
def core0 (c : Computation) : Bool := admitted c noOperation everyOperation

/-! ### the test of core0h -/
mutual
/-- `admit.core0h`: the admission test on programs for `core0h`: every clause resumes on every path. -/
def core0h : Computation → Bool
  | .return _ => true
  | .let c k => and (core0h c) (core0h k)
  | .perform _ _ => true
  | .handle c r clauses => and (core0h c) (and (core0h r) (core0hClauses clauses))
  | .if _ a b => and (core0h a) (core0h b)
/-- The same for the clauses of a handler. -/
def core0hClauses : Clauses → Bool
  | .nil => true
  | .cons _ b clauses => and (core0hBody b) (core0hClauses clauses)
/-- The same for a clause body. -/
def core0hBody : ClauseBody → Bool
  | .let c b => and (core0h c) (core0hBody b)
  | .if _ a b => and (core0hBody a) (core0hBody b)
  | .answer _ => false
  | .abort _ => false
  | .resume _ k => core0h k
end
end Eclogue
