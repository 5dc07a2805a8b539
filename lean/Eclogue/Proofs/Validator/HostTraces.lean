prelude
import Eclogue.Proofs.Core.Host
import Eclogue.Proofs.Validator.Balance
/-! The theorems about traces, for runs with host answers. -/
namespace Eclogue

/-! ### the invariants, with answers -/
theorem live_answer : (s : State) → {s' : State} → {w : Value} → Eq (observe s w) (some s') → LiveState s → LiveState s'
  | ⟨.outcome (.suspended d _ _ K), .nil, _⟩, _, _, rfl, h => Live.of (Live.push h (guard_beq d _)) (append_nil (openIn K))
theorem live_runs : {s : State} → {as : List Value} → {s' : State} → MachineRun s as s' → LiveState s → LiveState s'
  | _, _, _, .steps p, h => live_steps p h
  | _, _, _, .answer p e r, h => live_runs r (live_answer _ e (live_steps p h))
theorem ok_answer : (s : State) → {s' : State} → {w : Value} → Eq (observe s w) (some s') → StateOk s → StateOk s'
  | ⟨.outcome (.suspended _ _ _ _), .nil, _⟩, _, _, rfl, ⟨.suspended k _ _ _, h⟩ => ⟨.completed k, h.push rfl⟩
theorem ok_runs : {s : State} → {as : List Value} → {s' : State} → MachineRun s as s' → StateOk s → StateOk s'
  | _, _, _, .steps p, h => ok_steps p h
  | _, _, _, .answer p e r, h => ok_runs r (ok_answer _ e (ok_steps p h))
theorem h_answer : (s : State) → {s' : State} → {w : Value} → Eq (observe s w) (some s') → StateH s → StateH s'
  | ⟨.outcome (.suspended _ _ _ _), .nil, _⟩, _, _, rfl, ⟨k, _, h⟩ => ⟨rfl, k, h.push rfl⟩
theorem h_runs : {s : State} → {as : List Value} → {s' : State} → MachineRun s as s' → StateH s → StateH s'
  | _, _, _, .steps p, h => h_steps p h
  | _, _, _, .answer p e r, h => h_runs r (h_answer _ e (h_steps p h))
/-- **trace_lifecycle** for every state that a run with answers passes. -/
theorem trace_lifecycle_runs {c as s} (p : MachineRun (start c) as s) : LiveState s := live_runs p rfl
/-- **core0_admission**. -/
theorem core0_admission_runs {c as s} (h : Eq (core0 c) true) (p : MachineRun (start c) as s) : Every Record.core0 s.trace :=
  (ok_runs p (ok_init h)).trace
/-- **core0h_admission**. -/
theorem core0h_admission_runs {c as s} (h : Eq (core0h c) true) (p : MachineRun (start c) as s) : Every Record.core0h s.trace :=
  (h_runs p ⟨h, rfl, rfl⟩).trace
/-- **core0h_resumed_once**. -/
theorem core0h_resumed_once {c answers v t} (h : Eq (core0h c) true) (p : MachineRun (start c) answers (final (.completed v) t))
    (s : Nat) :
    And (Eq (timesResumed s t.records) (timesMade s t.records)) (And (Eq (timesReturned s t.records) (timesMade s t.records))
      (Eq (timesCaptured s t.records) (timesMade s t.records))) :=
  resumed_once (core0h_admission_runs h p) (trace_lifecycle_runs p) s
end Eclogue
