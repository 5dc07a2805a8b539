prelude
import Eclogue.Proofs.Core.Checked
/-! The invariant of the machine behind `checked`, and what follows for traces. -/
namespace Eclogue

/-- The innermost frame checks the result of the operation. -/
def StartsChecked (σ : Signatures) (op : Nat) : Continuation → Prop
  | .cons (.bind _ k) _ => Eq (checksResult (σ op).result k) true
  | _ => False
/-- The continuation that selection `s` captured starts with a check of the result of its operation. -/
def Captured (σ : Signatures) (rs : List Record) (s : Nat) (K : Continuation) : Prop :=
  Exists fun op => And (Eq (selectedOperation s rs) (some op)) (StartsChecked σ op K)
mutual
/-- All that waits in the frame is checked. -/
def frameChecked (σ : Signatures) (rs : List Record) : Frame → Prop
  | .bind _ k => Eq (checked σ k) true
  | .handler _ r clauses => And (Eq (checked σ r) true) (Eq (checkedClauses σ clauses) true)
  | .bodyBind _ s K b => And (Eq (checkedBody σ b) true) (And (Captured σ rs s K) (framesChecked σ rs K))
  | .resumeReturn _ _ k => Eq (checked σ k) true
  | .complete _ => True
/-- All that waits in the continuation is checked. -/
def framesChecked (σ : Signatures) (rs : List Record) : List Frame → Prop
  | .nil => True
  | .cons f K => And (frameChecked σ rs f) (framesChecked σ rs K)
end
theorem Captured.later {σ rs rs' s K} (l : Later rs rs') : Captured σ rs s K → Captured σ rs' s K
  | ⟨op, e, h⟩ => ⟨op, l.selected s op e, h⟩
mutual
theorem frame_later {σ rs rs'} (l : Later rs rs') : (f : Frame) → frameChecked σ rs f → frameChecked σ rs' f
  | .bind _ _, h => h
  | .handler _ _ _, h => h
  | .bodyBind _ _ K _, ⟨b, c, k⟩ => ⟨b, c.later l, frames_later l K k⟩
  | .resumeReturn _ _ _, h => h
  | .complete _, _ => True.intro
theorem frames_later {σ rs rs'} (l : Later rs rs') : (K : List Frame) → framesChecked σ rs K → framesChecked σ rs' K
  | .nil, _ => True.intro
  | .cons f K, ⟨h, k⟩ => ⟨frame_later l f h, frames_later l K k⟩
end
theorem frames_append {σ rs} : (K S : Continuation) → framesChecked σ rs K → framesChecked σ rs S → framesChecked σ rs (List.append K S)
  | .nil, _, _, h => h
  | .cons _ K, S, ⟨f, k⟩, h => ⟨f, frames_append K S k h⟩
theorem frames_extend {σ rs f} (K : Continuation) (k : framesChecked σ rs K) (h : frameChecked σ rs f) : framesChecked σ rs (extend K f) :=
  frames_append K _ k ⟨h, True.intro⟩
theorem starts_extend {σ op f} : (K : Continuation) → StartsChecked σ op K → StartsChecked σ op (extend K f)
  | .cons (.bind _ _) _, h => h

/-- What the control may be, given the stack. -/
inductive ControlChecked (σ : Signatures) (rs : List Record) : Control → Continuation → Prop where
  | run {ρ c S} : Eq (checked σ c) true → ControlChecked σ rs (.run ρ c) S
  | performing {ρ op e ρ' k S} : Eq (checksPayload (σ op).payload e) true → Eq (checksResult (σ op).result k) true →
      ControlChecked σ rs (.run ρ (.perform op e)) (.cons (.bind ρ' k) S)
  | body {ρ s K b S} : Eq (checkedBody σ b) true → Captured σ rs s K → framesChecked σ rs K → ControlChecked σ rs (.body ρ s K b) S
  | completed {v S} : ControlChecked σ rs (.outcome (.completed v)) S
  | raised {d op v ρ k S} : Eq (declaredOperation d rs) (some op) → Eq (checksResult (σ op).result k) true →
      ControlChecked σ rs (.outcome (.suspended d op v .nil)) (.cons (.bind ρ k) S)
  | suspended {d op v K S} : Eq (declaredOperation d rs) (some op) → StartsChecked σ op K → framesChecked σ rs K →
      ControlChecked σ rs (.outcome (.suspended d op v K)) S
  | failed {k n S} : ControlChecked σ rs (.outcome (.failed k n)) S
/-- A wrong result is on its way to the check that refuses it. -/
inductive Refusing : Control → Continuation → Prop where
  | returning {v s ρ k S} : Eq (checksResult s k) true → Eq (s.conforms v) false → Refusing (.outcome (.completed v)) (.cons (.bind ρ k) S)
  | checking {v s ρ k S} : Eq (checksResult s k) true → Eq (s.conforms v) false → Refusing (.run (.cons v ρ) k) S
/-- The invariant. -/
structure StateChecked (σ : Signatures) (s : State) : Prop where
  control : ControlChecked σ s.trace.records s.control s.stack
  stack : framesChecked σ s.trace.records s.stack
  trace : Or (Calm σ s.trace) (And (KeepsSchemas σ s.trace) (Refusing s.control s.stack))

theorem choose_checked {α : Type} {p : α → Bool} {a b : α} (h : Eq (and (p a) (p b)) true) (v : Value) : Eq (p (choose v a b)) true :=
  pick_true h v
theorem checked_let {σ ρ S t} (k c : Computation) (h : Eq (or (checksPerform σ k c) (and (checked σ c) (checked σ k))) true)
    (s : framesChecked σ t.records S) (calm : Calm σ t) : StateChecked σ (Rule.core0Let ρ S t c k) :=
  match or_cases h with
  | .inr h => match and_true h with
    | ⟨x, y⟩ => ⟨.run x, ⟨y, s⟩, .inl calm⟩
  | .inl h => match c, h with
    | .perform _ _, h => match and_true h with
      | ⟨x, y⟩ => ⟨.performing x y, ⟨result_checked k y, s⟩, .inl calm⟩
theorem run_checked {σ ρ S t} : (c : Computation) → (r : Result Value) → Eq (checked σ c) true → framesChecked σ t.records S → Calm σ t →
    StateChecked σ (runComputation ρ S t c r)
  | _, .err k, _, s, h => ⟨.failed, frames_later (later_push (.failure k)) S s, .inl (h.push (.failure k) rfl rfl)⟩
  | .return _, .ok _, _, s, h => ⟨.completed, s, .inl h⟩
  | .let c k, .ok _, a, s, h => checked_let k c a s h
  | .handle _ _ _, .ok _, a, s, h => match and_true a with
    | ⟨x, yz⟩ => match and_true yz with
      | ⟨y, z⟩ => ⟨.run x, ⟨⟨y, z⟩, s⟩, .inl h⟩
  | .if _ _ _, .ok v, a, s, h => ⟨.run (choose_checked a v), s, .inl h⟩
theorem declared_here {op : Nat} {v : Value} {t : Trace} {σ} (h : Calm σ t) :
    Eq (declaredOperation t.next (t.push (.effectDeclaration op v)).records) (some op) :=
  congrArg (fun q => (cond q (some op) (declaredOperation t.next t.records) : Option Nat))
    (Eq.trans (congrArg (fun n => Nat.beq n t.next) h.kept.count) (Nat.beq_refl t.next))
theorem perform_checked {σ ρ S t op e ρ' k} (p : Eq (checksPayload (σ op).payload e) true) (q : Eq (checksResult (σ op).result k) true)
    (s : framesChecked σ t.records (.cons (.bind ρ' k) S)) (h : Calm σ t) : (r : Result Value) → Eq (evaluate ρ e) r →
    StateChecked σ (runComputation ρ (.cons (.bind ρ' k) S) t (.perform op e) r)
  | .err k', _ => ⟨.failed, frames_later (later_push (.failure k')) _ s, .inl (h.push (.failure k') rfl rfl)⟩
  | .ok v, e' => ⟨.raised (declared_here h) q, frames_later (later_push (.effectDeclaration op v)) _ s,
      .inl (h.push (.effectDeclaration op v) (payload_accepted e p e') rfl)⟩
theorem refused_failure {σ ρ S t v s k} (p : Eq (checksResult s k) true) (r : Eq (Schema.conforms s v) false)
    (st : framesChecked σ t.records S) (h : KeepsSchemas σ t) : StateChecked σ (runComputation (.cons v ρ) S t k (headOf (.cons v ρ) k)) :=
  (result_fails r k p).symm ▸ (show StateChecked σ (Rule.core0Err S t .schema) from
    ⟨.failed, frames_later (later_push (.failure .schema)) S st,
      .inl ⟨⟨and_intro rfl (and_intro (or_right rfl) h.kept), congrArg Nat.succ h.count⟩, rfl⟩⟩)
theorem not_eq_false : {q : Bool} → Eq (not q) true → Eq q false
  | false, _ => rfl
/-- After a resume or an answer: either the value is a result of the operation, or the check that refuses it comes next. -/
theorem resumed_checked {σ op v t K S} (r : Record) (hr : Eq (rightPayload σ r) true)
    (hw : Eq (wrongResult σ (.cons r t.records)) (not ((σ op).result.conforms v))) (h : Calm σ t) (hs : StartsChecked σ op K)
    (k : framesChecked σ t.records K) (s : framesChecked σ t.records S) :
    StateChecked σ ⟨.outcome (.completed v), List.append K S, t.push r⟩ :=
  ⟨.completed, frames_later (later_push r) _ (frames_append K S k s), go ((σ op).result.conforms v) rfl K hs⟩
where
  go : (q : Bool) → Eq ((σ op).result.conforms v) q → (K : Continuation) → StartsChecked σ op K →
      Or (Calm σ (t.push r)) (And (KeepsSchemas σ (t.push r)) (Refusing (.outcome (.completed v)) (List.append K S)))
    | true, e, _, _ => .inl (h.push r hr (Eq.trans hw (congrArg not e)))
    | false, e, .cons (.bind _ _) _, hs => .inr ⟨kept_push h r hr, .returning hs e⟩
theorem body_checked {σ ρ s K S t} : (b : ClauseBody) → (r : Result Value) → Eq (checkedBody σ b) true → Captured σ t.records s K →
    framesChecked σ t.records K → framesChecked σ t.records S → Calm σ t → StateChecked σ (runBody ρ s K S t b r)
  | _, .err k, _, _, _, st, h => ⟨.failed, frames_later (Later.trans (later_push (.failure k)) (later_close (openInBody s K) (t :=
        t.push (.failure k)))) S st,
      .inl (Calm.close (openInBody s K) (h.push (.failure k) rfl rfl))⟩
  | .let _ _, .ok _, a, c, k, st, h => match and_true a with
    | ⟨x, y⟩ => ⟨.run x, ⟨⟨y, c, k⟩, st⟩, .inl h⟩
  | .if _ _ _, .ok v, a, c, k, st, h => ⟨.body (choose_checked a v) c k, st, .inl h⟩
  | .answer _, .ok v, _, _, _, st, h => drop .answer v st h
  | .abort _, .ok v, _, _, _, st, h => drop .abort v st h
  | .resume _ _, .ok v, a, ⟨_, e, hs⟩, k, st, h => resumed_checked (.continuationResume s v) rfl
        (congrArg (refusesResult σ v) e) h hs k ⟨a, st⟩
where
  drop (how : Completion) (v : Value) (st : framesChecked σ t.records S) (h : Calm σ t) :
      StateChecked σ ⟨.outcome (.completed v), S, recordDrop how s v K t⟩ :=
    ⟨.completed, frames_later (Later.trans (later_push (.effectCapture how s v))
        (later_close (openIn K) (t := t.push (.effectCapture how s v)))) S st,
      .inl (Calm.close (openIn K) (h.push (.effectCapture how s v) rfl rfl))⟩
theorem return_checked {σ v S t} (st : framesChecked σ t.records S) (h : Calm σ t) : (f : Frame) → frameChecked σ t.records f →
    StateChecked σ (returnTo v S t f)
  | .bind _ _, k => ⟨.run k, st, .inl h⟩
  | .handler _ _ _, k => ⟨.run k.1, st, .inl h⟩
  | .bodyBind _ _ _ _, ⟨b, c, k⟩ => ⟨.body b c k, st, .inl h⟩
  | .resumeReturn _ s _, k => ⟨.run k, ⟨True.intro, frames_later (later_push (.resumeReturn s v)) S st⟩,
        .inl (h.push (.resumeReturn s v) rfl rfl)⟩
  | .complete s, _ => ⟨.completed, frames_later (later_push (.effectCapture .return s v)) S st,
        .inl (h.push (.effectCapture .return s v) rfl rfl)⟩
theorem find_checked {σ op b} : (clauses : Clauses) → Eq (checkedClauses σ clauses) true → Eq (findClause op clauses) (some b) →
    Eq (checkedBody σ b) true
  | .cons op' _ cs, h, e => match and_true h with
    | ⟨x, y⟩ => go (find_checked cs y) x (Nat.beq op op') e
where
  go {x : Option ClauseBody} {b b' : ClauseBody} (ih : Eq x (some b) → Eq (checkedBody σ b) true) (h : Eq (checkedBody σ b') true) :
      (q : Bool) → Eq (cond q (some b') x) (some b) → Eq (checkedBody σ b) true
    | true, rfl => h
    | false, e => ih e
theorem catch_checked {σ rs op ρ b} : (f : Frame) → frameChecked σ rs f → Eq (catches op f) (some (ρ, b)) → Eq (checkedBody σ b) true
  | .handler ρ' r clauses, h, e => find_checked clauses h.2 (find_of_catches (ρ := ρ') (r := r) _ rfl e)
theorem selected_here {σ d op K t} (h : Calm σ t) (e : Eq (declaredOperation d t.records) (some op)) :
    Eq (selectedOperation t.next (recordSelection d K t).records) (some op) :=
  Eq.trans (congrArg (fun q => (cond q (declaredOperation d t.records) (selectedOperation t.next t.records) : Option Nat))
    (Eq.trans (congrArg (fun n => Nat.beq n t.next) h.kept.count) (Nat.beq_refl t.next))) e
theorem later_select {d K t} : Later t.records (recordSelection d K t).records :=
  Later.trans (later_push (.handlerSelection d (length (openIn K)))) (later_push (.resumptionHandle t.next))
theorem raise_checked {σ d op v f K S t} (e : Eq (declaredOperation d t.records) (some op)) (hs : StartsChecked σ op (extend K f))
    (k : framesChecked σ t.records (extend K f)) (hf : frameChecked σ t.records f) (st : framesChecked σ t.records S) (h : Calm σ t) :
    (r : Option (Prod Environment ClauseBody)) → Eq (catches op f) r → StateChecked σ (raiseTo d op v (extend K f) S t r)
  | none, _ => ⟨.suspended e hs k, st, .inl h⟩
  | some (_, _), c => ⟨.body (catch_checked f hf c) ⟨op, selected_here h e, hs⟩ (frames_later later_select _ k),
      frames_later later_select S st, .inl h.select⟩
theorem step_checked {σ} : (s : State) → {s' : State} → Eq (step s) (some s') → StateChecked σ s → StateChecked σ s'
  | ⟨.run _ c, _, _⟩, _, rfl, ⟨.run a, st, .inl h⟩ => run_checked c _ a st h
  | ⟨.run _ (.perform _ _), _, _⟩, _, rfl, ⟨.performing p q, st, .inl h⟩ => perform_checked p q st h _ rfl
  | ⟨.run _ _, _, _⟩, _, rfl, ⟨_, st, .inr ⟨h, .checking p r⟩⟩ => refused_failure p r st h
  | ⟨.body _ _ _ b, _, _⟩, _, rfl, ⟨.body a c k, st, .inl h⟩ => body_checked b _ a c k st h
  | ⟨.outcome (.completed _), .cons f _, _⟩, _, rfl, ⟨.completed, ⟨hf, st⟩, .inl h⟩ => return_checked st h f hf
  | ⟨.outcome (.completed _), .cons (.bind _ k) _, _⟩, _, rfl, ⟨_, ⟨_, st⟩, .inr ⟨h, .returning p r⟩⟩ =>
    ⟨.run (result_checked k p), st, .inr ⟨h, .checking p r⟩⟩
  | ⟨.outcome (.suspended _ _ _ .nil), .cons (.bind ρ k) _, _⟩, _, rfl, ⟨.raised e q, ⟨hf, st⟩, .inl h⟩ =>
    raise_checked (K := .nil) (f := .bind ρ k) e q ⟨hf, True.intro⟩ hf st h _ rfl
  | ⟨.outcome (.suspended _ _ _ K), .cons f _, _⟩, _, rfl, ⟨.suspended e q k, ⟨hf, st⟩, .inl h⟩ =>
    raise_checked e (starts_extend K q) (frames_extend K k hf) hf st h _ rfl
  | ⟨.outcome (.failed _ _), .cons f S, _⟩, _, rfl, ⟨_, ⟨_, st⟩, .inl h⟩ =>
    ⟨.failed, frames_later (later_close (openOfFrame f)) S st, .inl (Calm.close (openOfFrame f) h)⟩
theorem steps_checked {σ} : {s s' : State} → Steps s s' → StateChecked σ s → StateChecked σ s'
  | _, _, .refl, h => h
  | _, _, .head e p, h => steps_checked p (step_checked _ e h)
theorem answer_checked {σ} : (s : State) → {s' : State} → {w : Value} → Eq (observe s w) (some s') → StateChecked σ s → StateChecked σ s'
  | ⟨.outcome (.suspended d _ _ K), .nil, _⟩, _, w, rfl, ⟨.suspended e q k, _, .inl h⟩ =>
    Eq.subst (motive := fun S => StateChecked σ ⟨.outcome (.completed w), S, Trace.push _ (.hostObservation d w)⟩) (append_nil K)
      (resumed_checked (S := .nil) (.hostObservation d w) rfl (congrArg (refusesResult σ w) e) h q k True.intro)
theorem runs_checked {σ} : {s : State} → {answers : List Value} → {s' : State} → MachineRun s answers s' → StateChecked σ s →
    StateChecked σ s'
  | _, _, _, .steps p, h => steps_checked p h
  | _, _, _, .answer p e r, h => runs_checked r (answer_checked _ e (steps_checked p h))
theorem start_checked {σ c} (h : Eq (checked σ c) true) : StateChecked σ (start c) := ⟨.run h, True.intro, .inl ⟨⟨rfl, rfl⟩, rfl⟩⟩
theorem state_keeps {σ s} (h : StateChecked σ s) : Eq (schemasKept σ s.trace.records) true := match h.trace with
  | .inl h => h.kept.kept
  | .inr ⟨h, _⟩ => h.kept
/-- **schema_checked**. -/
theorem schema_checked {σ c answers s} (h : Eq (checked σ c) true) (p : MachineRun (start c) answers s) :
    Eq (schemasKept σ s.trace.records) true := state_keeps (runs_checked p (start_checked h))

/-! ### runs that complete -/
/-- Nothing has failed and nothing has ended. -/
def goesOn : Mode → Bool
  | .failed _ _ => false
  | .ended => false
  | _ => true
/-- The record is no failure. -/
def noFailure : Record → Bool
  | .failure _ => false
  | _ => true
theorem goes_on_accept : {n : Nat} → {md : Mode} → {L : List OpenSelection} → {l : Lifecycle} → (r : Record) →
    Eq (acceptRecord ⟨n, md, L⟩ r) (some l) → Eq (goesOn l.mode) true → And (Eq (goesOn md) true) (Eq (noFailure r) true)
  | _, .run, _, _, .effectDeclaration _ _, _, _ => ⟨rfl, rfl⟩
  | _, .raised _, _, _, .handlerSelection _ _, _, _ => ⟨rfl, rfl⟩
  | _, .selected _, _, _, .resumptionHandle _, _, _ => ⟨rfl, rfl⟩
  | _, .run, _, _, .continuationResume _ _, _, _ => ⟨rfl, rfl⟩
  | _, .run, _, _, .resumeReturn _ _, _, _ => ⟨rfl, rfl⟩
  | _, .run, _, _, .effectCapture _ _ _, _, _ => ⟨rfl, rfl⟩
  | _, .closing _ _, _, _, .selectionClosed .dropped _ _, _, _ => ⟨rfl, rfl⟩
  | _, .failed _ _, .cons _ _, _, .selectionClosed .failed _ _, e, h => match guard_eq e with
    | ⟨_, e⟩ => match guard_eq e with
      | ⟨_, rfl⟩ => nomatch h
  | _, .failed _ _, .nil, _, .selectionClosed .failed _ _, e, _ => nomatch (guard_eq e).2
  | _, .raised _, _, _, .hostObservation _ _, _, _ => ⟨rfl, rfl⟩
  | _, .run, _, _, .failure _, rfl, h => nomatch h
  | _, .run, .nil, _, .runEnd (.completed _), rfl, h => nomatch h
  | _, .failed _ _, .nil, _, .runEnd (.failed _), e, h => match guard_some e with
    | ⟨_, rfl⟩ => nomatch h
theorem no_failure : (rs : List Record) → {l : Lifecycle} → Eq (lifecycle rs) (some l) → Eq (goesOn l.mode) true →
    Eq (all noFailure rs) true
  | .nil, _, _, _ => rfl
  | .cons r rs, _, e, h => match bind_some _ e with
    | ⟨⟨_, _, _⟩, e₁, e₂⟩ => match goes_on_accept r e₂ h with
      | ⟨m, q⟩ => and_intro q (no_failure rs e₁ m)
theorem schema_failure : (r : Record) → Eq (noFailure r) true → Eq (isSchemaFailure r) true → False
  | .failure _, h, _ => nomatch h
theorem kept_met {σ} : (rs : List Record) → Eq (schemasKept σ rs) true → Eq (wrongResult σ rs) false → Eq (all noFailure rs) true →
    Eq (schemasMet σ rs) true
  | .nil, _, _, _ => rfl
  | .cons r rs, h, w, f => match and_true h, and_true f with
    | ⟨p, q⟩, ⟨nf, fs⟩ => match and_true q with
      | ⟨o, k⟩ => match or_cases o with
        | .inl o => and_intro p (and_intro (congrArg not w) (kept_met rs k (not_eq_false o) fs))
        | .inr o => (schema_failure r nf o).elim
theorem final_calm {σ v t} : StateChecked σ (final (.completed v) t) → Calm σ t
  | ⟨_, _, .inl h⟩ => h
/-- **schema_met**. -/
theorem schema_met {σ c answers v t} (h : Eq (checked σ c) true) (p : MachineRun (start c) answers (final (.completed v) t)) :
    Eq (schemasMet σ t.records) true :=
  have k : Calm σ t := final_calm (runs_checked p (start_checked h))
  have l : Live t .run .nil := trace_lifecycle_runs p
  kept_met t.records k.kept.kept k.calm (no_failure t.records l rfl)
end Eclogue
