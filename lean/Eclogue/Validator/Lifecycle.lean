prelude
import Eclogue.Core.Host
/-!
# Lifecycle

An automaton over records that never runs the program. It keeps a mode, which says what may come next, and the list of open
selections in the order of closing, and it looks only at the head of that list.
-/
namespace Eclogue

/-- What may come next: a record of a running program; a handler or the host for a declaration; the resumption handle of a
selection; `more + 1` closings that capture `cause` made necessary; the unwinding of a failure of that kind; nothing. -/
inductive Mode where
  | run
  | raised (declaration : Nat)
  | selected (selection : Nat)
  | closing (cause more : Nat)
  | failed (failure : Nat) (k : FailureKind)
  | ended
/-- The state of the automaton: how many records there were, the mode, the open selections. -/
structure Lifecycle where
  next : Nat
  mode : Mode
  opened : List OpenSelection

/-- The mode while capture `cause` has so many selections left to close. -/
def closingMode (cause : Nat) : Nat → Mode
  | .zero => .run
  | .succ m => .closing cause m
/-- Only while the program runs. -/
def whileRunning (a : Option Lifecycle) : Mode → Option Lifecycle
  | .run => a
  | _ => none
/-- Only while the declaration waits. -/
def whileRaised (d : Nat) (a : Option Lifecycle) : Mode → Option Lifecycle
  | .raised d' => guard (Nat.beq d d') a
  | _ => none
/-- Only right after the selection. -/
def whileSelected (s : Nat) (a : Option Lifecycle) : Mode → Option Lifecycle
  | .selected s' => guard (Nat.beq s s') a
  | _ => none
/-- Take the first open selection away, which must be this one. -/
def closeFirst (s : Nat) (f : List OpenSelection → Lifecycle) : List OpenSelection → Option Lifecycle
  | .cons o l => guard (Nat.beq s o.selection) (some (f l))
  | .nil => none
/-- `life.closed`: a selection is closed for the cause that is at work: a capture that dropped it, or a failure. -/
def acceptClosed (n s cause : Nat) (l : List OpenSelection) : Closing → Mode → Option Lifecycle
  | .dropped, .closing c m => guard (Nat.beq cause c) (closeFirst s (fun l' => ⟨Nat.succ n, closingMode cause m, l'⟩) l)
  | .failed, .failed c k => guard (Nat.beq cause c) (closeFirst s (fun l' => ⟨Nat.succ n, .failed cause k, l'⟩) l)
  | _, _ => none
/-- `life.resume`: the first open selection has not resumed; it moves behind those that its continuation holds. -/
def acceptResume (n s : Nat) : List OpenSelection → Option Lifecycle
  | .cons ⟨s', .selected m⟩ l =>
    guard (Nat.beq s s') (Option.bind (fun l' => some ⟨Nat.succ n, .run, l'⟩) (insertAt ⟨s, .resumed⟩ m l))
  | _ => none
/-- `life.return`: the first open selection has resumed; now it has returned. -/
def acceptReturn (n s : Nat) : List OpenSelection → Option Lifecycle
  | .cons ⟨s', .resumed⟩ l => guard (Nat.beq s s') (some ⟨Nat.succ n, .run, .cons ⟨s, .returned⟩ l⟩)
  | _ => none
/-- `life.capture`: the clause of the first open selection completes; without a resume, what it captured is closed next. -/
def acceptCapture (n s : Nat) : Completion → List OpenSelection → Option Lifecycle
  | .return, .cons ⟨s', .returned⟩ l => guard (Nat.beq s s') (some ⟨Nat.succ n, .run, l⟩)
  | .answer, .cons ⟨s', .selected m⟩ l => guard (Nat.beq s s') (some ⟨Nat.succ n, closingMode n m, l⟩)
  | .abort, .cons ⟨s', .selected m⟩ l => guard (Nat.beq s s') (some ⟨Nat.succ n, closingMode n m, l⟩)
  | _, _ => none
/-- `life.end`: a run ends with nothing open, as completed unless it failed, and then with the kind of that failure. -/
def acceptEnd (n : Nat) : Ending → Mode → List OpenSelection → Option Lifecycle
  | .completed _, .run, .nil => some ⟨Nat.succ n, .ended, .nil⟩
  | .failed k, .failed _ k', .nil => guard (FailureKind.beq k k') (some ⟨Nat.succ n, .ended, .nil⟩)
  | _, _, _ => none
/-- One record: `life.declaration`, `life.selection`, `life.handle`, `life.resume`, `life.return`, `life.capture`, `life.closed`,
`life.observation`, `life.failure`, `life.end`, in this order. -/
def acceptRecord : Lifecycle → Record → Option Lifecycle
  | ⟨n, md, l⟩, .effectDeclaration _ _ => whileRunning (some ⟨Nat.succ n, .raised n, l⟩) md
  | ⟨n, md, l⟩, .handlerSelection d m =>
    whileRaised d (guard (atLeast m l) (some ⟨Nat.succ n, .selected n, .cons ⟨n, .selected m⟩ l⟩)) md
  | ⟨n, md, l⟩, .resumptionHandle s => whileSelected s (some ⟨Nat.succ n, .run, l⟩) md
  | ⟨n, md, l⟩, .continuationResume s _ => whileRunning (acceptResume n s l) md
  | ⟨n, md, l⟩, .resumeReturn s _ => whileRunning (acceptReturn n s l) md
  | ⟨n, md, l⟩, .effectCapture how s _ => whileRunning (acceptCapture n s how l) md
  | ⟨n, md, l⟩, .selectionClosed why s cause => acceptClosed n s cause l why md
  | ⟨n, md, l⟩, .hostObservation d _ => whileRaised d (some ⟨Nat.succ n, .run, l⟩) md
  | ⟨n, md, l⟩, .failure k => whileRunning (some ⟨Nat.succ n, .failed n k, l⟩) md
  | ⟨n, md, l⟩, .runEnd ending => acceptEnd n ending md l
/-- The state of the automaton after a trace (newest record first); nothing when it refuses one of the records. -/
def lifecycle : List Record → Option Lifecycle
  | .nil => some ⟨0, .run, .nil⟩
  | .cons r rs => Option.bind (fun s => acceptRecord s r) (lifecycle rs)

/-- The automaton accepts the trace, and then has this mode and these open selections. -/
def Live (t : Trace) (md : Mode) (l : List OpenSelection) : Prop := Eq (lifecycle t.records) (some ⟨t.next, md, l⟩)
/-- The automaton accepts the trace of a state of the machine, and its own state is what the control and the stack say: the same
open selections in the same order; and the mode of the control. -/
def LiveState : State → Prop
  | ⟨.run _ _, S, t⟩ => Live t .run (openIn S)
  | ⟨.body _ s K _, S, t⟩ => Live t .run (List.append (openInBody s K) (openIn S))
  | ⟨.outcome (.completed _), S, t⟩ => Live t .run (openIn S)
  | ⟨.outcome (.suspended d _ _ K), S, t⟩ => Live t (.raised d) (List.append (openIn K) (openIn S))
  | ⟨.outcome (.failed k n), S, t⟩ => Live t (.failed n k) (openIn S)
end Eclogue
