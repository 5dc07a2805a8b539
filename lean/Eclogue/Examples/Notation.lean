prelude
import Eclogue.Proofs.Validator.Replay
import Eclogue.Core.Scoping
import Eclogue.Core.Denote
/-!
# Reading the examples

A trace is written oldest record first, one record a line, each behind `|>.then`. Every example program comes with the trace of
its run, certified by one application of `validator_sound`, and with traces that the validator refuses.
-/
set_option maxRecDepth 100000

/-- A list with one more element in front, written behind. -/
def List.then {α : Type} (l : List α) (a : α) : List α := .cons a l
namespace Eclogue.Examples

/-- A text value. -/
noncomputable def text (s : String) : Value := .text (Text.ofString s)
/-- An integer value that is not negative. -/
def integer (n : Nat) : Value := .int (.ofNat n)
/-- The trace without records. -/
abbrev trace : List Record := .nil
/-- `return x` for the innermost variable: the return clause that a handler has if none is written. -/
abbrev returnIt : Computation := .return (.variable 0)
/-- A handler's clauses: one. -/
abbrev clause (op : Nat) (b : ClauseBody) : Clauses := .cons op b .nil

/-- The payload of every declaration replaced. -/
noncomputable def tampered : List Record → List Record
  | .nil => .nil
  | .cons (.effectDeclaration op _) rs => .cons (.effectDeclaration op (text "tampered")) (tampered rs)
  | .cons r rs => .cons r (tampered rs)
/-- The newest record missing. -/
def cutShort : List Record → List Record
  | .nil => .nil
  | .cons _ rs => rs
/-- Another value at the end of the run. -/
noncomputable def otherEnding : List Record → List Record
  | .cons (.runEnd _) rs => .cons (.runEnd (.completed (text "tampered"))) rs
  | rs => rs
/-- With one record missing: all such lists. -/
def deletions : List Record → List (List Record)
  | .nil => .nil
  | .cons r rs => .cons rs (map (List.cons r) (deletions rs))
/-- Is there a declaration whose payload can be replaced? -/
def declares : Record → Bool
  | .effectDeclaration _ _ => true
  | _ => false
/-- Does the run end? -/
def ends : Record → Bool
  | .runEnd _ => true
  | _ => false
/-- The validator refuses the list of records, in place of the program's own. -/
def refused (c : Computation) (answers : List Value) (status : Status) (records : List Record) : Bool :=
  not (validate 100 c answers status records)
/-- The validator refuses the trace with other payloads, with another ending, and with any one record missing. -/
noncomputable def mutantsRefused (c : Computation) (answers : List Value) (status : Status) (records : List Record) : Bool :=
  and (or (not (any declares records)) (refused c answers status (tampered records)))
    (and (or (not (any ends records)) (refused c answers status (otherEnding records)))
      (all (refused c answers status) (deletions records)))
/-- What the tests on programs say. -/
structure Verdicts where
  inScope : Bool
  core0 : Bool
  core0h : Bool
/-- The verdicts of the tests on a program. -/
def verdicts (c : Computation) : Verdicts := ⟨Eclogue.inScope c 0, Eclogue.core0 c, Eclogue.core0h c⟩
/-- What the denotation says for these answers: the operations performed, the newest first, and the status. -/
def denoted (c : Computation) (answers : List Value) : Option (Prod (List (Prod Nat Value)) Status) := (denote c .nil).read answers .nil
end Eclogue.Examples
