prelude
import Eclogue.Core.Machine
/-!
# Host answers

An operation that no handler catches reaches the top: the run is suspended, and the host may answer it, later, elsewhere, or
several times from the same point.
-/
namespace Eclogue

/-- `Continues o t answers o' t'`: from outcome `o` after trace `t`, the host's answers lead to `o'` and `t'`. -/
inductive Continues : Outcome → Trace → List Value → Outcome → Trace → Prop where
  /-- No answer: the outcome stands. -/
  | nil {o t} : Continues o t .nil o t
  /-- `host.observe`: the answer is recorded and goes through the captured continuation. -/
  | cons {d op v K t w o₁ t₁ answers o' t'} :
      Through K (.completed w) (t.push (.hostObservation d w)) o₁ t₁ → Continues o₁ t₁ answers o' t' →
      Continues (.suspended d op v K) t (.cons w answers) o' t'
/-- A closed program's run on host answers, in the source semantics. -/
def Run (c : Computation) (answers : List Value) (o : Outcome) (t : Trace) : Prop :=
  Exists2 fun o₀ t₀ => And (Eval .nil c .empty o₀ t₀) (Continues o₀ t₀ answers o t)

/-- `host.observe`: the machine takes the host's answer to the operation that waits. -/
def observe : State → Value → Option State
  | ⟨.outcome (.suspended d _ _ K), .nil, t⟩, w => some ⟨.outcome (.completed w), K, t.push (.hostObservation d w)⟩
  | _, _ => none
/-- Steps of the machine, with the host's answers in between. -/
inductive MachineRun : State → List Value → State → Prop where
  | steps {s s'} : Steps s s' → MachineRun s .nil s'
  | answer {s s₁ s₂ w answers s'} : Steps s s₁ → Eq (observe s₁ w) (some s₂) → MachineRun s₂ answers s' →
      MachineRun s (.cons w answers) s'

/-- How a run stands: what is published of an outcome. -/
inductive Status where
  | completed (v : Value)
  | suspended (op : Nat) (v : Value)
  | failed (k : FailureKind)
/-- The status of an outcome. -/
def Outcome.status : Outcome → Status
  | .completed v => .completed v
  | .suspended _ op v _ => .suspended op v
  | .failed k _ => .failed k
/-- The host cannot answer the outcome. -/
def Outcome.Ended : Outcome → Prop
  | .suspended _ _ _ _ => False
  | _ => True
/-- `run.end`: a completed or failed run is published with a `RunEnd` that says how it ended; a suspended one has none. -/
def published : Outcome → Trace → Trace
  | .completed v, t => t.push (.runEnd (.completed v))
  | .suspended _ _ _ _, t => t
  | .failed k _, t => t.push (.runEnd (.failed k))

/-- A branch from a common point: its own answers, its outcome, its whole trace. -/
structure Branch where
  answers : List Value
  outcome : Outcome
  trace : Trace
/-- Every branch has the property. -/
def Each (P : Branch → Prop) : List Branch → Prop
  | .nil => True
  | .cons b bs => And (P b) (Each P bs)
end Eclogue
