prelude
import Eclogue.Validator.Lifecycle
import Eclogue.Core.Profiles
/-!
# Replay

An executable validator: it runs the machine on a program and the host's answers, and compares status and trace. `ValidTrace` is
what it decides, as a proposition of the source semantics.
-/
namespace Eclogue

/-! ### running with fuel -/
/-- Go on with the next state, or stay if there is none. -/
def orStay (s : State) (f : State → State) : Option State → State
  | none => s
  | some s' => f s'
/-- At most `n` steps; a final state stays. -/
def stepTimes : Nat → State → State
  | .zero, s => s
  | .succ n, s => orStay s (stepTimes n) (step s)
/-- Run on the host's answers, with so many steps for each stretch between them. -/
def runWith (fuel : Nat) : List Value → State → Option State
  | .nil, s => some (stepTimes fuel s)
  | .cons w answers, s => Option.bind (runWith fuel answers) (observe (stepTimes fuel s) w)

/-! ### equality -/
/-- Equality of completions. -/
def Completion.beq : Completion → Completion → Bool
  | .return, .return => true
  | .answer, .answer => true
  | .abort, .abort => true
  | _, _ => false
/-- Equality of reasons. -/
def Closing.beq : Closing → Closing → Bool
  | .dropped, .dropped => true
  | .failed, .failed => true
  | _, _ => false
/-- Equality of endings. -/
def Ending.beq : Ending → Ending → Bool
  | .completed v, .completed w => Value.beq v w
  | .failed k, .failed l => FailureKind.beq k l
  | _, _ => false
/-- Equality of a number and a value. -/
def beqNumberValue (a : Nat) (v : Value) (b : Nat) (w : Value) : Bool := and (Nat.beq a b) (Value.beq v w)
/-- Equality of two numbers. -/
def beqNumbers (a b c d : Nat) : Bool := and (Nat.beq a c) (Nat.beq b d)
/-- Equality of records. -/
def Record.beq : Record → Record → Bool
  | .effectDeclaration a v, .effectDeclaration b w => beqNumberValue a v b w
  | .handlerSelection a b, .handlerSelection c d => beqNumbers a b c d
  | .resumptionHandle a, .resumptionHandle b => Nat.beq a b
  | .continuationResume a v, .continuationResume b w => beqNumberValue a v b w
  | .resumeReturn a v, .resumeReturn b w => beqNumberValue a v b w
  | .effectCapture h a v, .effectCapture h' b w => and (Completion.beq h h') (beqNumberValue a v b w)
  | .selectionClosed y a b, .selectionClosed y' c d => and (Closing.beq y y') (beqNumbers a b c d)
  | .hostObservation a v, .hostObservation b w => beqNumberValue a v b w
  | .failure a, .failure b => FailureKind.beq a b
  | .runEnd a, .runEnd b => Ending.beq a b
  | _, _ => false
/-- Equality of lists of records. -/
def beqRecords : List Record → List Record → Bool
  | .nil, .nil => true
  | .cons r t, .cons r' t' => and (Record.beq r r') (beqRecords t t')
  | _, _ => false
/-- Equality of statuses. -/
def Status.beq : Status → Status → Bool
  | .completed v, .completed w => Value.beq v w
  | .suspended a v, .suspended b w => beqNumberValue a v b w
  | .failed k, .failed l => FailureKind.beq k l
  | _, _ => false

/-! ### the validator -/
/-- The status and the records are those of the program's run on these answers, in the source semantics. -/
def ValidTrace (c : Computation) (answers : List Value) (status : Status) (records : List Record) : Prop :=
  Exists2 fun o t => And (Run c answers o t) (And (Eq o.status status) (Eq (published o t).records records))
/-- Compare a state that the machine has reached with a status and records; it must be final. -/
def compare (status : Status) (records : List Record) : Option State → Bool
  | some ⟨.outcome o, .nil, t⟩ => and (Status.beq o.status status) (beqRecords (published o t).records records)
  | _ => false
/-- The validator. -/
def validate (fuel : Nat) (c : Computation) (answers : List Value) (status : Status) (records : List Record) : Bool :=
  compare status records (runWith fuel answers (start c))
end Eclogue
