prelude
import Eclogue.Validator.Lifecycle
/-!
# Counting

How often a selection was made, resumed, returned to, captured and ended in a trace (newest record first). A selection's number
is the position of its record.
-/
namespace Eclogue

/-- `k` when the numbers agree, else 0. -/
def hit (s s' k : Nat) : Nat := cond (Nat.beq s s') k 0
/-- How often a selection with this number was made. -/
def timesMade (s : Nat) : List Record → Nat
  | .nil => 0
  | .cons (.handlerSelection _ _) rs => Nat.add (hit s (length rs) 1) (timesMade s rs)
  | .cons _ rs => timesMade s rs
/-- How often it was resumed. -/
def timesResumed (s : Nat) : List Record → Nat
  | .nil => 0
  | .cons (.continuationResume s' _) rs => Nat.add (hit s s' 1) (timesResumed s rs)
  | .cons _ rs => timesResumed s rs
/-- How often its resumed computation returned. -/
def timesReturned (s : Nat) : List Record → Nat
  | .nil => 0
  | .cons (.resumeReturn s' _) rs => Nat.add (hit s s' 1) (timesReturned s rs)
  | .cons _ rs => timesReturned s rs
/-- How often its clause completed. -/
def timesCaptured (s : Nat) : List Record → Nat
  | .nil => 0
  | .cons (.effectCapture _ s' _) rs => Nat.add (hit s s' 1) (timesCaptured s rs)
  | .cons _ rs => timesCaptured s rs
/-- How often it ended: its clause completed, or it was closed. -/
def timesEnded (s : Nat) : List Record → Nat
  | .nil => 0
  | .cons (.effectCapture _ s' _) rs => Nat.add (hit s s' 1) (timesEnded s rs)
  | .cons (.selectionClosed _ s' _) rs => Nat.add (hit s s' 1) (timesEnded s rs)
  | .cons _ rs => timesEnded s rs
end Eclogue
