prelude
import Eclogue.Core.Trace
/-!
# Frames

Continuations are lists of frames, innermost first. Each open selection is exactly one thing: the clause body that runs, or
one frame `bodyBind` (it computes before it resumes), `resumeReturn` (it has resumed) or `complete` (the resumed computation
has returned).
-/
namespace Eclogue

/-- What waits for the outcome of a computation; `K` is the continuation that selection `s` captured. -/
inductive Frame where
  | bind (ρ : Environment) (k : Computation)
  | handler (ρ : Environment) (r : Computation) (clauses : Clauses)
  | bodyBind (ρ : Environment) (s : Nat) (K : List Frame) (b : ClauseBody)
  | resumeReturn (ρ : Environment) (s : Nat) (k : Computation)
  | complete (s : Nat)
/-- Frames, innermost first. -/
abbrev Continuation := List Frame
/-- A continuation with one more frame outside. -/
def extend (K : Continuation) (f : Frame) : Continuation := List.append K (.cons f .nil)

/-- A clause body together with its environment. -/
def withEnvironment (ρ : Environment) : Option ClauseBody → Option (Prod Environment ClauseBody)
  | none => none
  | some b => some (ρ, b)
/-- The clause that a frame has for an operation. -/
def catches (op : Nat) : Frame → Option (Prod Environment ClauseBody)
  | .handler ρ _ clauses => withEnvironment ρ (findClause op clauses)
  | _ => none

mutual
/-- The open selections of a frame, in the order of closing: a selection before those that it captured. -/
def openOfFrame : Frame → List OpenSelection
  | .bind _ _ => .nil
  | .handler _ _ _ => .nil
  | .bodyBind _ s K _ => .cons ⟨s, .selected (length (openIn K))⟩ (openIn K)
  | .resumeReturn _ s _ => .cons ⟨s, .resumed⟩ .nil
  | .complete s => .cons ⟨s, .returned⟩ .nil
/-- The open selections of a continuation, innermost frame first. -/
def openIn : List Frame → List OpenSelection
  | .nil => .nil
  | .cons f K => List.append (openOfFrame f) (openIn K)
end
/-- The open selections while the clause body of selection `s` runs. -/
def openInBody (s : Nat) (K : Continuation) : List OpenSelection := .cons ⟨s, .selected (length (openIn K))⟩ (openIn K)

/-- The trace after a clause was chosen for declaration `d`: selection, resumption handle. -/
def recordSelection (d : Nat) (K : Continuation) (t : Trace) : Trace :=
  (t.push (.handlerSelection d (length (openIn K)))).push (.resumptionHandle t.next)
/-- The trace after the clause of selection `s` completed without resuming: `corea.close` closes all that its captured
continuation holds. -/
def recordDrop (how : Completion) (s : Nat) (v : Value) (K : Continuation) (t : Trace) : Trace :=
  closeAll .dropped t.next (openIn K) (t.push (.effectCapture how s v))
end Eclogue
