prelude
import Eclogue.Validator.Certificate
/-!
# Stretches

A run in pieces. A piece begins and ends at any state of the machine, whose records it does not need: what was recorded before stays
as it is, and only its number matters.
-/
namespace Eclogue

/-- A state of the machine without its records: the control, the stack, and how many records there were. -/
structure Point where
  control : Control
  stack : Continuation
  next : Nat
/-- The state at a point, after these records. -/
def Point.after (p : Point) (records : List Record) : State := ⟨p.control, p.stack, ⟨p.next, records⟩⟩
/-- The point at which a closed program starts. -/
def Point.start (c : Computation) : Point := ⟨.run .nil c, .nil, 0⟩
/-- The point at which a run stops, with so many records. -/
def Point.final (o : Outcome) (next : Nat) : Point := ⟨.outcome o, .nil, next⟩
/-- From the one point, on these answers, the machine gets to the other and adds these records, whatever was recorded before. -/
def Stretch (p : Point) (answers : List Value) (records : List Record) (q : Point) : Prop :=
  ∀ before, MachineRun (p.after before) answers (q.after (List.append records before))

/-- Give the answers in turn, and go so many steps after each. -/
def answerTimes : List (Prod Value Nat) → State → Option State
  | .nil, s => some s
  | .cons (w, n) l, s => Option.bind (fun s' => answerTimes l (stepTimes n s')) (observe s w)
/-- Go so many steps from a point, then go on with the answers. -/
def runStretch (n : Nat) (l : List (Prod Value Nat)) (p : Point) : Option State := answerTimes l (stepTimes n (p.after .nil))
/-- The answers alone. -/
def answersAlone (l : List (Prod Value Nat)) : List Value := map Prod.fst l
end Eclogue
