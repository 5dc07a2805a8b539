prelude
import Eclogue.Core.Document
import Eclogue.Core.Trace
/-!
# Traces as JSON

A record as a value with the members of its skeleton (`trace.skeleton`): its number, its name, its fields. What stands for a value is
a parameter: the value itself in an opened trace, its commitment in a skeleton.
-/
namespace Eclogue

/-- A number as a value. -/
def number (n : Nat) : Value := .int (.ofNat n)
/-- The members that say why something failed, in front of others. -/
noncomputable def reasonFields (rest : Fields) : FailureKind → Fields
  | .unbound => .cons (word "kind") (.text (word "unbound")) rest
  | .type => .cons (word "kind") (.text (word "type")) rest
  | .key k => .cons (word "key") (.text k) (.cons (word "kind") (.text (word "key")) rest)
  | .schema => .cons (word "kind") (.text (word "schema")) rest
/-- How a clause completed, as a word. -/
noncomputable def Completion.word : Completion → Text
  | .return => Eclogue.word "return"
  | .answer => Eclogue.word "answer"
  | .abort => Eclogue.word "abort"
/-- Why a selection was closed, as a word. -/
noncomputable def Closing.word : Closing → Text
  | .dropped => Eclogue.word "dropped"
  | .failed => Eclogue.word "failed"
/-- The member that names the record, and those behind it. -/
noncomputable def named (name : String) (rest : Fields) : Fields := .cons (word "record") (.text (word name)) rest
/-- The member with the record's number, and those behind it. -/
noncomputable def numbered (n : Nat) (rest : Fields) : Fields := .cons (word "seq") (number n) rest
/-- The record with number `n` as a value. -/
noncomputable def Record.fields (names : Nat → Text) (commit : Value → Value) (n : Nat) : Record → Fields
  | .effectDeclaration op v => .cons (word "operation") (.text (names op)) (.cons (word "payload") (commit v)
      (named "EffectDeclaration" (numbered n .nil)))
  | .handlerSelection d m => .cons (word "captured") (number m) (.cons (word "declaration") (number d)
      (named "HandlerSelection" (numbered n .nil)))
  | .resumptionHandle s => named "ResumptionHandle" (.cons (word "selection") (number s) (numbered n .nil))
  | .continuationResume s v => named "ContinuationResume" (.cons (word "selection") (number s)
      (numbered n (.cons (word "value") (commit v) .nil)))
  | .resumeReturn s v => named "ResumeReturn" (.cons (word "selection") (number s) (numbered n (.cons (word "value") (commit v) .nil)))
  | .effectCapture how s v => .cons (word "how") (.text how.word) (named "EffectCapture" (.cons (word "selection") (number s)
      (numbered n (.cons (word "value") (commit v) .nil))))
  | .selectionClosed why s c => .cons (word "cause") (number c) (named "SelectionClosed" (.cons (word "selection") (number s)
      (numbered n (.cons (word "why") (.text why.word) .nil))))
  | .hostObservation d v => .cons (word "declaration") (number d)
        (named "HostObservation" (numbered n (.cons (word "value") (commit v) .nil)))
  | .failure k => reasonFields (named "Failure" (numbered n .nil)) k
  | .runEnd (.completed v) => named "RunEnd" (numbered n (.cons (word "status") (.text (word "completed"))
      (.cons (word "value") (commit v) .nil)))
  | .runEnd (.failed k) => reasonFields (named "RunEnd" (numbered n (.cons (word "status") (.text (word "failed")) .nil))) k
/-- The records of a trace as values, newest first. -/
noncomputable def recordsToValues (names : Nat → Text) (commit : Value → Value) : List Record → Values
  | .nil => .nil
  | .cons r rs => .cons (.record (r.fields names commit (length rs))) (recordsToValues names commit rs)
/-- The canonical bytes of a trace: an array of its records, newest first. -/
noncomputable def traceBytes (names : Nat → Text) (commit : Value → Value) (records : List Record) : List Nat :=
  (Value.list (recordsToValues names commit records)).canonicalBytes
/-- The canonical bytes of each record of a trace, newest first. -/
noncomputable def recordLines (names : Nat → Text) (commit : Value → Value) : List Record → List (List Nat)
  | .nil => .nil
  | .cons r rs => .cons (Value.record (r.fields names commit (length rs))).canonicalBytes (recordLines names commit rs)
/-- The operation of the record, if it has one, is below `n`. -/
def Record.below (n : Nat) : Record → Bool
  | .effectDeclaration op _ => Nat.ble (.succ op) n
  | _ => true
end Eclogue
