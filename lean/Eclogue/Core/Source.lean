prelude
import Eclogue.Core.Frames
/-!
# Source semantics

Big-step. `Eval ρ c t o t'`: in environment `ρ` and after trace `t`, the computation `c` has the outcome `o`, and then the
trace is `t'`. An outcome leaves through frames one by one: `Pass f o t o' t'` for one frame, `Through K o t o' t'` for a
continuation. The premises are read left to right, so that the trace is threaded like a state.
-/
namespace Eclogue

/-- An outcome: a value; an operation on its way outward, with the number of its declaration and the continuation captured so
far; a failure with its kind and the number of its record. -/
inductive Outcome where
  | completed (v : Value)
  | suspended (declaration op : Nat) (v : Value) (K : Continuation)
  | failed (k : FailureKind) (failure : Nat)

/-- The value that a computation needs first, `null` if it needs none. -/
def headOf (ρ : Environment) : Computation → Result Value
  | .return e => evaluate ρ e
  | .let _ _ => .ok .null
  | .perform _ e => evaluate ρ e
  | .handle _ _ _ => .ok .null
  | .if e _ _ => (evaluate ρ e).bind asCondition
/-- The value that a clause body needs first, `null` if it needs none. -/
def headOfBody (ρ : Environment) : ClauseBody → Result Value
  | .let _ _ => .ok .null
  | .if e _ _ => (evaluate ρ e).bind asCondition
  | .answer e => evaluate ρ e
  | .abort e => evaluate ρ e
  | .resume e _ => evaluate ρ e

mutual
/-- A computation has an outcome. -/
inductive Eval : Environment → Computation → Trace → Outcome → Trace → Prop where
  /-- `core0.err`: the value needed first cannot be had. -/
  | err {ρ c k t} : Eq (headOf ρ c) (.err k) → Eval ρ c t (.failed k t.next) (t.push (.failure k))
  /-- `core0.return`: the value of the expression. -/
  | return {ρ e v t} : Eq (headOf ρ (.return e)) (.ok v) → Eval ρ (.return e) t (.completed v) t
  /-- `core0.let`: the first computation, then its outcome through the rest. -/
  | let {ρ c k t o t₁ o' t'} : Eval ρ c t o t₁ → Pass (.bind ρ k) o t₁ o' t' → Eval ρ (.let c k) t o' t'
  /-- `core0.perform`: a declaration, and an operation that has captured nothing yet. -/
  | perform {ρ op e v t} : Eq (headOf ρ (.perform op e)) (.ok v) →
      Eval ρ (.perform op e) t (.suspended t.next op v .nil) (t.push (.effectDeclaration op v))
  /-- `core0.handle`: the handled computation, then its outcome through the handler. -/
  | handle {ρ c r clauses t o t₁ o' t'} : Eval ρ c t o t₁ → Pass (.handler ρ r clauses) o t₁ o' t' →
      Eval ρ (.handle c r clauses) t o' t'
  /-- `core0.if`: the branch that the condition chooses. -/
  | if {ρ e a b v t o t'} : Eq (headOf ρ (.if e a b)) (.ok v) → Eval ρ (choose v a b) t o t' → Eval ρ (.if e a b) t o t'
/-- The clause body of selection `s`, whose captured continuation is `K`, has an outcome. -/
inductive EvalBody : Environment → Nat → Continuation → ClauseBody → Trace → Outcome → Trace → Prop where
  /-- `body.err`: the value needed first cannot be had; `fail.close` closes the selection and what it captured. -/
  | err {ρ s K b k t} : Eq (headOfBody ρ b) (.err k) →
      EvalBody ρ s K b t (.failed k t.next) (closeAll .failed t.next (openInBody s K) (t.push (.failure k)))
  /-- `body.let`: a computation, then its outcome through the rest of the body. -/
  | let {ρ s K c b t o t₁ o' t'} : Eval ρ c t o t₁ → Pass (.bodyBind ρ s K b) o t₁ o' t' → EvalBody ρ s K (.let c b) t o' t'
  /-- `body.if`: the branch that the condition chooses. -/
  | if {ρ s K e a b v t o t'} : Eq (headOfBody ρ (.if e a b)) (.ok v) → EvalBody ρ s K (choose v a b) t o t' →
      EvalBody ρ s K (.if e a b) t o t'
  /-- `body.answer`: the clause completes without resuming; `corea.close` closes what it captured. -/
  | answer {ρ s K e v t} : Eq (headOfBody ρ (.answer e)) (.ok v) →
      EvalBody ρ s K (.answer e) t (.completed v) (recordDrop .answer s v K t)
  /-- `body.abort`: the same, and the trace says that it was an abort. -/
  | abort {ρ s K e v t} : Eq (headOfBody ρ (.abort e)) (.ok v) →
      EvalBody ρ s K (.abort e) t (.completed v) (recordDrop .abort s v K t)
  /-- `body.resume`: the value goes through the captured continuation, handler included; the outcome comes back to the clause. -/
  | resume {ρ s K e k v t o t₁ o' t'} : Eq (headOfBody ρ (.resume e k)) (.ok v) →
      Through K (.completed v) (t.push (.continuationResume s v)) o t₁ → Pass (.resumeReturn ρ s k) o t₁ o' t' →
      EvalBody ρ s K (.resume e k) t o' t'
/-- An outcome leaves through a frame, as another outcome. -/
inductive Pass : Frame → Outcome → Trace → Outcome → Trace → Prop where
  /-- `frame.bind`: a value is bound for the rest of a computation. -/
  | bind {ρ k v t o t'} : Eval (.cons v ρ) k t o t' → Pass (.bind ρ k) (.completed v) t o t'
  /-- `frame.handler`: a value is bound for the return clause, which runs outside the handler. -/
  | handler {ρ r clauses v t o t'} : Eval (.cons v ρ) r t o t' → Pass (.handler ρ r clauses) (.completed v) t o t'
  /-- `frame.body_bind`: a value is bound for the rest of a clause body. -/
  | bodyBind {ρ s K b v t o t'} : EvalBody (.cons v ρ) s K b t o t' → Pass (.bodyBind ρ s K b) (.completed v) t o t'
  /-- `frame.resume_return`: the resumed computation comes back; the clause goes on, and completes. -/
  | resumeReturn {ρ s k v t o t₁ o' t'} : Eval (.cons v ρ) k (t.push (.resumeReturn s v)) o t₁ → Pass (.complete s) o t₁ o' t' →
      Pass (.resumeReturn ρ s k) (.completed v) t o' t'
  /-- `frame.complete`: the clause completes after its resume. -/
  | complete {s v t} : Pass (.complete s) (.completed v) t (.completed v) (t.push (.effectCapture .return s v))
  /-- `frame.skip`: an operation that the frame does not catch captures it. -/
  | skip {f d op v K t} : Eq (catches op f) none → Pass f (.suspended d op v K) t (.suspended d op v (extend K f)) t
  /-- `frame.catch`: a handler has a clause; it captures the handler too, and the body runs outside of it. -/
  | catch {f d op v K t ρ b o t'} : Eq (catches op f) (some (ρ, b)) →
      EvalBody (.cons v ρ) t.next (extend K f) b (recordSelection d (extend K f) t) o t' → Pass f (.suspended d op v K) t o t'
  /-- `frame.fail`: a failure unwinds a frame; `fail.close` closes its open selections. -/
  | fail {f k n t} : Pass f (.failed k n) t (.failed k n) (closeAll .failed n (openOfFrame f) t)
/-- An outcome leaves through all frames of a continuation. -/
inductive Through : Continuation → Outcome → Trace → Outcome → Trace → Prop where
  | nil {o t} : Through .nil o t o t
  | cons {f K o t o₁ t₁ o' t'} : Pass f o t o₁ t₁ → Through K o₁ t₁ o' t' → Through (.cons f K) o t o' t'
end
end Eclogue
