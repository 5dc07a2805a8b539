prelude
import Eclogue.Core.Source
/-!
# The machine

A state is a control, a stack of frames, and the trace. `step` is one function, made of one small function for each rule;
none of them searches: an operation moves outward one frame at a time.
-/
namespace Eclogue

/-- What the machine does next: run a computation, run the clause body of selection `s`, or hand an outcome to the stack. -/
inductive Control where
  | run (ρ : Environment) (c : Computation)
  | body (ρ : Environment) (s : Nat) (K : Continuation) (b : ClauseBody)
  | outcome (o : Outcome)
/-- A state of the machine. -/
structure State where
  control : Control
  stack : Continuation
  trace : Trace

/-- `core0.err`: the value needed first cannot be had. -/
def Rule.core0Err (S : Continuation) (t : Trace) (k : FailureKind) : State := ⟨.outcome (.failed k t.next), S, t.push (.failure k)⟩
/-- `core0.return`: the value is the outcome. -/
def Rule.core0Return (S : Continuation) (t : Trace) (v : Value) : State := ⟨.outcome (.completed v), S, t⟩
/-- `core0.let`: run the first computation under a frame for the rest. -/
def Rule.core0Let (ρ : Environment) (S : Continuation) (t : Trace) (c k : Computation) : State := ⟨.run ρ c, .cons (.bind ρ k) S, t⟩
/-- `core0.perform`: declare the operation and send it outward. -/
def Rule.core0Perform (S : Continuation) (t : Trace) (op : Nat) (v : Value) : State :=
  ⟨.outcome (.suspended t.next op v .nil), S, t.push (.effectDeclaration op v)⟩
/-- `core0.handle`: run the handled computation under the handler. -/
def Rule.core0Handle (ρ : Environment) (S : Continuation) (t : Trace) (c r : Computation) (clauses : Clauses) : State :=
  ⟨.run ρ c, .cons (.handler ρ r clauses) S, t⟩
/-- `core0.if`: run the branch that the condition chooses. -/
def Rule.core0If (ρ : Environment) (S : Continuation) (t : Trace) (v : Value) (a b : Computation) : State := ⟨.run ρ (choose v a b), S, t⟩
/-- `body.err`: the value needed first cannot be had; `fail.close` closes the selection and what it captured. -/
def Rule.bodyErr (s : Nat) (K S : Continuation) (t : Trace) (k : FailureKind) : State :=
  ⟨.outcome (.failed k t.next), S, closeAll .failed t.next (openInBody s K) (t.push (.failure k))⟩
/-- `body.let`: run a computation under a frame for the rest of the body. -/
def Rule.bodyLet (ρ : Environment) (s : Nat) (K S : Continuation) (t : Trace) (c : Computation) (b : ClauseBody) : State :=
  ⟨.run ρ c, .cons (.bodyBind ρ s K b) S, t⟩
/-- `body.if`: go on with the branch that the condition chooses. -/
def Rule.bodyIf (ρ : Environment) (s : Nat) (K S : Continuation) (t : Trace) (v : Value) (a b : ClauseBody) : State :=
  ⟨.body ρ s K (choose v a b), S, t⟩
/-- `body.answer`: complete without resuming; `corea.close` closes what the clause captured. -/
def Rule.bodyAnswer (s : Nat) (K S : Continuation) (t : Trace) (v : Value) : State :=
    ⟨.outcome (.completed v), S, recordDrop .answer s v K t⟩
/-- `body.abort`: the same, and the trace says that it was an abort. -/
def Rule.bodyAbort (s : Nat) (K S : Continuation) (t : Trace) (v : Value) : State := ⟨.outcome (.completed v), S, recordDrop .abort s v K t⟩
/-- `body.resume`: put the captured frames back, handler included, over a frame that waits for their outcome. -/
def Rule.bodyResume (ρ : Environment) (s : Nat) (K S : Continuation) (t : Trace) (v : Value) (k : Computation) : State :=
  ⟨.outcome (.completed v), List.append K (.cons (.resumeReturn ρ s k) S), t.push (.continuationResume s v)⟩
/-- `frame.bind`: bind the value for the rest of a computation. -/
def Rule.frameBind (ρ : Environment) (S : Continuation) (t : Trace) (v : Value) (k : Computation) : State := ⟨.run (.cons v ρ) k, S, t⟩
/-- `frame.handler`: bind the value for the return clause, outside the handler. -/
def Rule.frameHandler (ρ : Environment) (S : Continuation) (t : Trace) (v : Value) (r : Computation) : State := ⟨.run (.cons v ρ) r, S, t⟩
/-- `frame.body_bind`: bind the value for the rest of a clause body. -/
def Rule.frameBodyBind (ρ : Environment) (s : Nat) (K S : Continuation) (t : Trace) (v : Value) (b : ClauseBody) : State :=
  ⟨.body (.cons v ρ) s K b, S, t⟩
/-- `frame.resume_return`: the clause goes on with the value of the resumed computation. -/
def Rule.frameResumeReturn (ρ : Environment) (s : Nat) (S : Continuation) (t : Trace) (v : Value) (k : Computation) : State :=
  ⟨.run (.cons v ρ) k, .cons (.complete s) S, t.push (.resumeReturn s v)⟩
/-- `frame.complete`: the clause completes after its resume. -/
def Rule.frameComplete (s : Nat) (S : Continuation) (t : Trace) (v : Value) : State :=
  ⟨.outcome (.completed v), S, t.push (.effectCapture .return s v)⟩
/-- `frame.skip`: the operation captures the frame and moves on. -/
def Rule.frameSkip (d op : Nat) (v : Value) (K S : Continuation) (t : Trace) : State := ⟨.outcome (.suspended d op v K), S, t⟩
/-- `frame.catch`: run the clause body outside its handler. -/
def Rule.frameCatch (ρ : Environment) (d : Nat) (v : Value) (K S : Continuation) (t : Trace) (b : ClauseBody) : State :=
  ⟨.body (.cons v ρ) t.next K b, S, recordSelection d K t⟩
/-- `frame.fail`: unwind the frame; `fail.close` closes its open selections. -/
def Rule.frameFail (k : FailureKind) (n : Nat) (f : Frame) (S : Continuation) (t : Trace) : State :=
  ⟨.outcome (.failed k n), S, closeAll .failed n (openOfFrame f) t⟩

/-- The rule for a computation whose first value is there. -/
def runWithValue (ρ : Environment) (S : Continuation) (t : Trace) (v : Value) : Computation → State
  | .return _ => Rule.core0Return S t v
  | .let c k => Rule.core0Let ρ S t c k
  | .perform op _ => Rule.core0Perform S t op v
  | .handle c r clauses => Rule.core0Handle ρ S t c r clauses
  | .if _ a b => Rule.core0If ρ S t v a b
/-- The rule for a computation. -/
def runComputation (ρ : Environment) (S : Continuation) (t : Trace) (c : Computation) : Result Value → State
  | .ok v => runWithValue ρ S t v c
  | .err k => Rule.core0Err S t k
/-- The rule for a clause body whose first value is there. -/
def runBodyWithValue (ρ : Environment) (s : Nat) (K S : Continuation) (t : Trace) (v : Value) : ClauseBody → State
  | .let c b => Rule.bodyLet ρ s K S t c b
  | .if _ a b => Rule.bodyIf ρ s K S t v a b
  | .answer _ => Rule.bodyAnswer s K S t v
  | .abort _ => Rule.bodyAbort s K S t v
  | .resume _ k => Rule.bodyResume ρ s K S t v k
/-- The rule for a clause body. -/
def runBody (ρ : Environment) (s : Nat) (K S : Continuation) (t : Trace) (b : ClauseBody) : Result Value → State
  | .ok v => runBodyWithValue ρ s K S t v b
  | .err k => Rule.bodyErr s K S t k
/-- A value returns to a frame. -/
def returnTo (v : Value) (S : Continuation) (t : Trace) : Frame → State
  | .bind ρ k => Rule.frameBind ρ S t v k
  | .handler ρ r _ => Rule.frameHandler ρ S t v r
  | .bodyBind ρ s K b => Rule.frameBodyBind ρ s K S t v b
  | .resumeReturn ρ s k => Rule.frameResumeReturn ρ s S t v k
  | .complete s => Rule.frameComplete s S t v
/-- An operation that has captured `K` meets the clause that the next frame has for it, if any. -/
def raiseTo (d op : Nat) (v : Value) (K S : Continuation) (t : Trace) : Option (Prod Environment ClauseBody) → State
  | none => Rule.frameSkip d op v K S t
  | some (ρ, b) => Rule.frameCatch ρ d v K S t b
/-- An outcome meets a frame. -/
def meet (f : Frame) (S : Continuation) (t : Trace) : Outcome → State
  | .completed v => returnTo v S t f
  | .suspended d op v K => raiseTo d op v (extend K f) S t (catches op f)
  | .failed k n => Rule.frameFail k n f S t
/-- One step; nothing when an outcome has reached the empty stack. -/
def step : State → Option State
  | ⟨.run ρ c, S, t⟩ => some (runComputation ρ S t c (headOf ρ c))
  | ⟨.body ρ s K b, S, t⟩ => some (runBody ρ s K S t b (headOfBody ρ b))
  | ⟨.outcome _, .nil, _⟩ => none
  | ⟨.outcome o, .cons f S, t⟩ => some (meet f S t o)

/-- Any number of steps. -/
inductive Steps : State → State → Prop where
  | refl {s} : Steps s s
  | head {s s₁ s₂} : Eq (step s) (some s₁) → Steps s₁ s₂ → Steps s s₂
/-- The state in which a closed program starts. -/
def start (c : Computation) : State := ⟨.run .nil c, .nil, .empty⟩
/-- The state in which a run stops: an outcome and the whole trace. -/
def final (o : Outcome) (t : Trace) : State := ⟨.outcome o, .nil, t⟩
end Eclogue
