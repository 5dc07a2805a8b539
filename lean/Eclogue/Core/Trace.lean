prelude
import Eclogue.Core.Syntax
/-!
# Trace

The ten kinds of records. A record's number is its position, from 0. Records name earlier ones by number; the number of a
`HandlerSelection` also names the resumption that it made.
-/
namespace Eclogue

/-- How a clause completed: after a resume (`return`), without one (`answer`), or without one and saying so (`abort`). -/
inductive Completion where
  | return | answer | abort
/-- Why an open selection ended without completing: its continuation was dropped, or a failure unwound it. -/
inductive Closing where
  | dropped | failed
/-- How a run ended: completed with a value, or failed with a kind. -/
inductive Ending where
  | completed (v : Value)
  | failed (k : FailureKind)
/-- A record of the trace. -/
inductive Record where
  /-- `EffectDeclaration`: an operation was performed with this payload. -/
  | effectDeclaration (op : Nat) (v : Value)
  /-- `HandlerSelection`: a clause was chosen for the declaration; so many open selections are in the captured continuation. -/
  | handlerSelection (declaration captured : Nat)
  /-- `ResumptionHandle`: the selection's captured continuation exists. -/
  | resumptionHandle (selection : Nat)
  /-- `ContinuationResume`: it was resumed with this value. -/
  | continuationResume (selection : Nat) (v : Value)
  /-- `ResumeReturn`: the resumed computation came back to the clause with this value. -/
  | resumeReturn (selection : Nat) (v : Value)
  /-- `EffectCapture`: the clause completed, how, and with what value. -/
  | effectCapture (how : Completion) (selection : Nat) (v : Value)
  /-- `SelectionClosed`: the selection ended otherwise; its cause is an `EffectCapture` or a `Failure`. -/
  | selectionClosed (why : Closing) (selection cause : Nat)
  /-- `HostObservation`: the host answered the declaration with this value. -/
  | hostObservation (declaration : Nat) (v : Value)
  /-- `Failure`: an expression failed, with this kind (a missing key is named). -/
  | failure (k : FailureKind)
  /-- `RunEnd`: the run ended, and how. -/
  | runEnd (ending : Ending)
/-- A trace, the newest record first, with its length, from which numbers are drawn. -/
structure Trace where
  next : Nat
  records : List Record
/-- The trace with one more record. -/
def Trace.push (t : Trace) (r : Record) : Trace := ⟨Nat.succ t.next, .cons r t.records⟩
/-- The trace without records. -/
def Trace.empty : Trace := ⟨0, .nil⟩
/-- The operations that were performed, with their payloads, the newest first. -/
def declaredIn : List Record → List (Prod Nat Value)
  | .nil => .nil
  | .cons (.effectDeclaration op v) rs => .cons (op, v) (declaredIn rs)
  | .cons _ rs => declaredIn rs
/-- The operations that were performed in a trace, the newest first. -/
abbrev declared (t : Trace) : List (Prod Nat Value) := declaredIn t.records
/-- The first trace is where the second one once was: only records were added. -/
inductive Grows : Trace → Trace → Prop where
  | refl {t} : Grows t t
  | push {t t' r} : Grows t t' → Grows t (t'.push r)

/-- Where an open selection stands: its clause has not resumed (the continuation that it captured holds the next `captured`
open selections), it was resumed, or the resumed computation has returned. -/
inductive Phase where
  | selected (captured : Nat)
  | resumed
  | returned
/-- An open selection: its number and its phase. -/
structure OpenSelection where
  selection : Nat
  phase : Phase
/-- Close open selections in the given order, one record each (`corea.close` when they were dropped, `fail.close` in a failure). -/
def closeAll (why : Closing) (cause : Nat) : List OpenSelection → Trace → Trace
  | .nil, t => t
  | .cons o l, t => closeAll why cause l (t.push (.selectionClosed why o.selection cause))
end Eclogue
