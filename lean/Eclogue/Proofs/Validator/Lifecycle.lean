prelude
import Eclogue.Validator.Lifecycle
import Eclogue.Proofs.Core.Determinism
import Eclogue.Proofs.Core.Values
/-! Every trace of the machine passes the lifecycle automaton. -/
namespace Eclogue

theorem Live.push {t md md' L L' r} (h : Live t md L) (h' : Eq (acceptRecord ⟨t.next, md, L⟩ r) (some ⟨Nat.succ t.next, md', L'⟩)) :
    Live (t.push r) md' L' :=
  Eq.trans (congrArg (Option.bind (fun s => acceptRecord s r)) h) h'
theorem Live.of {t md L L'} (h : Live t md L) (e : Eq L L') : Live t md L' := e ▸ h

theorem open_append : (K S : Continuation) → Eq (openIn (List.append K S)) (List.append (openIn K) (openIn S))
  | .nil, _ => rfl
  | .cons f K, S => Eq.trans (congrArg (List.append (openOfFrame f)) (open_append K S)) (append_assoc _ _ _).symm
theorem open_extend (K : Continuation) (f : Frame) : Eq (openIn (extend K f)) (List.append (openIn K) (openOfFrame f)) :=
  Eq.trans (open_append K (.cons f .nil)) (congrArg (List.append (openIn K)) (append_nil (openOfFrame f)))

theorem close_failed {n k R} : (L : List OpenSelection) → {t : Trace} → Live t (.failed n k) (List.append L R) → Live
    (closeAll .failed n L t) (.failed n k) R
  | .nil, _, h => h
  | .cons o L, _, h => close_failed L (h.push (Eq.trans (guard_beq n _) (guard_beq o.selection _)))
theorem close_dropped {c R} : (L : List OpenSelection) → {t : Trace} → Live t (closingMode c (length L)) (List.append L R) → Live
    (closeAll .dropped c L t) .run R
  | .nil, _, h => h
  | .cons o L, _, h => close_dropped L (h.push (Eq.trans (guard_beq c _) (guard_beq o.selection _)))

theorem live_run {ρ S t} : (c : Computation) → (r : Result Value) → Live t .run (openIn S) → LiveState (runComputation ρ S t c r)
  | _, .err _, h => h.push rfl
  | .return _, .ok _, h => h
  | .let _ _, .ok _, h => h
  | .perform _ _, .ok _, h => h.push rfl
  | .handle _ _ _, .ok _, h => h
  | .if _ _ _, .ok _, h => h
theorem live_drop {id v K S t how} (h : Live t .run (List.append (openInBody id K) (openIn S)))
    (hc : Eq (acceptCapture t.next id how (List.append (openInBody id K) (openIn S)))
      (some ⟨Nat.succ t.next, closingMode t.next (length (openIn K)), List.append (openIn K) (openIn S)⟩)) :
    Live (recordDrop how id v K t) .run (openIn S) :=
  close_dropped (openIn K) (h.push hc)
theorem accept_resume {n s m v L L'} (h : Eq (insertAt ⟨s, .resumed⟩ m L) (some L')) :
    Eq (acceptRecord ⟨n, .run, .cons ⟨s, .selected m⟩ L⟩ (.continuationResume s v)) (some ⟨Nat.succ n, .run, L'⟩) :=
  Eq.trans (guard_beq s (Option.bind (fun L' => some (Lifecycle.mk (Nat.succ n) .run L')) (insertAt ⟨s, .resumed⟩ m L)))
    (congrArg (Option.bind (fun L' => some (Lifecycle.mk (Nat.succ n) .run L'))) h)
theorem accept_select {n d m L} (h : Eq (atLeast m L) true) :
    Eq (acceptRecord ⟨n, .raised d, L⟩ (.handlerSelection d m)) (some ⟨Nat.succ n, .selected n, .cons ⟨n, .selected m⟩ L⟩) :=
  Eq.trans (guard_beq d (guard (atLeast m L) (some (Lifecycle.mk (Nat.succ n) (.selected n) (.cons ⟨n, .selected m⟩ L))))) (guard_true h _)
theorem live_body {ρ id K S t} : (b : ClauseBody) → (r : Result Value) → Live t .run (List.append (openInBody id K)
    (openIn S)) → LiveState (runBody ρ id K S t b r)
  | _, .err _, h => close_failed (openInBody id K) (h.push rfl)
  | .let _ _, .ok _, h => h
  | .if _ _ _, .ok _, h => h
  | .answer _, .ok _, h => live_drop h (guard_beq id _)
  | .abort _, .ok _, h => live_drop h (guard_beq id _)
  | .resume _ k, .ok _, h =>
    Live.of (L := List.append (openIn K) (.cons ⟨id, .resumed⟩ (openIn S)))
      (Live.push h (accept_resume (insert_at_length (OpenSelection.mk id .resumed) (openIn K) (openIn S))))
          (open_append K (.cons (.resumeReturn ρ id k) S)).symm
theorem live_deliver {d op v K S t} : (r : Option (Prod Environment ClauseBody)) → Live t (.raised d) (List.append (openIn K) (openIn S)) →
    LiveState (raiseTo d op v K S t r)
  | none, h => h
  | some (_, _), h =>
    (h.push (accept_select (at_least_length (openIn K) (openIn S)))).push (guard_beq t.next _)
theorem live_done {v S t} : (f : Frame) → Live t .run (List.append (openOfFrame f) (openIn S)) → LiveState (returnTo v S t f)
  | .bind _ _, h => h
  | .handler _ _ _, h => h
  | .bodyBind _ _ _ _, h => h
  | .resumeReturn _ id _, h => h.push (guard_beq id _)
  | .complete id, h => h.push (guard_beq id _)
theorem live_pop {f S t} : (o : Outcome) → LiveState ⟨.outcome o, .cons f S, t⟩ → LiveState (meet f S t o)
  | .completed _, h => live_done f h
  | .suspended _d op _v K, h => live_deliver (K := extend K f) (catches op f)
      (Live.of h (Eq.trans (append_assoc _ _ _).symm (congrArg (fun x => List.append x (openIn S)) (open_extend K f).symm)))
  | .failed _ _, h => close_failed (openOfFrame f) h
theorem live_step : (s : State) → {s' : State} → Eq (step s) (some s') → LiveState s → LiveState s'
  | ⟨.run _ c, _, _⟩, _, rfl, h => live_run c _ h
  | ⟨.body _ _ _ b, _, _⟩, _, rfl, h => live_body b _ h
  | ⟨.outcome o, .cons _ _, _⟩, _, rfl, h => live_pop o h
theorem live_steps : {s s' : State} → Steps s s' → LiveState s → LiveState s'
  | _, _, .refl, h => h
  | _, _, .head e p, h => live_steps p (live_step _ e h)

/-- **trace_lifecycle**, for every prefix that the machine ever has. -/
theorem trace_lifecycle {c s} (p : Steps (start c) s) : LiveState s := live_steps p rfl
/-- **trace_lifecycle**, finished runs: after `RunEnd` the automaton has ended and nothing is open. -/
theorem trace_lifecycle_completed {c v t} (p : Steps (start c) (final (.completed v) t)) :
    Eq (lifecycle (t.push (.runEnd (.completed v))).records) (some ⟨Nat.succ t.next, .ended, .nil⟩) :=
  Live.push (r := .runEnd (.completed v)) (trace_lifecycle p) rfl
theorem accept_failed {n m k} : Eq (acceptRecord ⟨n, .failed m k, .nil⟩ (.runEnd (.failed k))) (some ⟨Nat.succ n, .ended, .nil⟩) :=
  guard_true (FailureKind.beq_refl k) _
theorem trace_lifecycle_failed {c k n t} (p : Steps (start c) (final (.failed k n) t)) :
    Eq (lifecycle (t.push (.runEnd (.failed k))).records) (some ⟨Nat.succ t.next, .ended, .nil⟩) :=
  Live.push (r := .runEnd (.failed k)) (trace_lifecycle p) accept_failed
end Eclogue
