prelude
import Eclogue.Core.Machine
/-! Both directions: a derivation is a run of the machine on any stack, and a run is a derivation. -/
namespace Eclogue

theorem Steps.trans {a b c : State} : Steps a b → Steps b c → Steps a c
  | .refl, q => q
  | .head h p, q => .head h (trans p q)
theorem one_step {s a : State} (h : Eq (step s) (some a)) : Steps s a := .head h .refl
/-- A step whose helper takes the result `r` of a look-up. -/
theorem step_by {α : Type} {s a : State} {f : α → State} {r r' : α} (h : Eq r r') (hs : Eq (step s) (some (f r)))
    (p : Steps (f r') a) : Steps s a :=
  .head (Eq.trans hs (congrArg (fun x => some (f x)) h)) p

/-! ### forward: a source derivation is a machine run on any stack, with the same trace -/
mutual
theorem eval_to_steps {ρ c t o t'} : Eval ρ c t o t' → (S : Continuation) → Steps ⟨.run ρ c, S, t⟩ ⟨.outcome o, S, t'⟩
  | .err h, S => step_by (f := runComputation ρ S t c) h rfl .refl
  | .return (e := e) h, S => step_by (f := runComputation ρ S t (.return e)) h rfl .refl
  | .let d p, S => .head rfl (.trans (eval_to_steps d (.cons _ S)) (pass_to_steps p S))
  | .perform (op := op) (e := e) h, S => step_by (f := runComputation ρ S t (.perform op e)) h rfl .refl
  | .handle d p, S => .head rfl (.trans (eval_to_steps d (.cons _ S)) (pass_to_steps p S))
  | .if (e := e) (a := a) (b := b) h d, S => step_by (f := runComputation ρ S t (.if e a b)) h rfl (eval_to_steps d S)
theorem body_to_steps {ρ id K b t o t'} : EvalBody ρ id K b t o t' → (S : Continuation) → Steps ⟨.body ρ id K b, S, t⟩ ⟨.outcome o, S, t'⟩
  | .err h, S => step_by (f := runBody ρ id K S t b) h rfl .refl
  | .let d p, S => .head rfl (.trans (eval_to_steps d (.cons _ S)) (pass_to_steps p S))
  | .if (e := e) (a := x) (b := y) h d, S => step_by (f := runBody ρ id K S t (.if e x y)) h rfl (body_to_steps d S)
  | .answer (e := e) h, S => step_by (f := runBody ρ id K S t (.answer e)) h rfl .refl
  | .abort (e := e) h, S => step_by (f := runBody ρ id K S t (.abort e)) h rfl .refl
  | .resume (e := e) (k := k) h th p, S =>
    step_by (f := runBody ρ id K S t (.resume e k)) h rfl (.trans (through_to_steps th (.cons _ S)) (pass_to_steps p S))
theorem pass_to_steps {f o t o' t'} : Pass f o t o' t' → (S : Continuation) → Steps ⟨.outcome o, .cons f S, t⟩ ⟨.outcome o', S, t'⟩
  | .bind d, S => .head rfl (eval_to_steps d S)
  | .handler d, S => .head rfl (eval_to_steps d S)
  | .bodyBind d, S => .head rfl (body_to_steps d S)
  | .resumeReturn d p, S => .head rfl (.trans (eval_to_steps d (.cons _ S)) (pass_to_steps p S))
  | .complete, _ => one_step rfl
  | .skip (d := d) (op := op) (v := v) (K := K) h, S => step_by (f := raiseTo d op v (extend K f) S t) h rfl .refl
  | .catch (d := d) (op := op) (v := v) (K := K) h q, S => step_by (f := raiseTo d op v (extend K f) S t) h rfl (body_to_steps q S)
  | .fail, _ => one_step rfl
theorem through_to_steps {K o t o' t'} : Through K o t o' t' → (S : Continuation) → Steps ⟨.outcome o, List.append K S, t⟩
    ⟨.outcome o', S, t'⟩
  | .nil, _ => .refl
  | .cons p th, S => .trans (pass_to_steps p (List.append _ S)) (through_to_steps th S)
end

/-! ### converse: decompile a state to a source judgement; one machine step is an expansion -/
def Means : State → Outcome → Trace → Prop
  | ⟨.run ρ c, S, t⟩, o, t' => Exists2 fun o₁ t₁ => And (Eval ρ c t o₁ t₁) (Through S o₁ t₁ o t')
  | ⟨.body ρ id K b, S, t⟩, o, t' => Exists2 fun o₁ t₁ => And (EvalBody ρ id K b t o₁ t₁) (Through S o₁ t₁ o t')
  | ⟨.outcome o₁, S, t⟩, o, t' => Through S o₁ t o t'

theorem through_append : {K S : Continuation} → {o o' : Outcome} → {t t' : Trace} → Through (List.append K S) o t o' t' →
    Exists2 fun o₁ t₁ => And (Through K o t o₁ t₁) (Through S o₁ t₁ o' t')
  | .nil, _, _, _, _, _, h => ⟨_, _, .nil, h⟩
  | .cons _ _, _, _, _, _, _, .cons p h =>
    match through_append h with
    | ⟨_, _, h₁, h₂⟩ => ⟨_, _, .cons p h₁, h₂⟩

theorem expand_run {ρ S t o t'} : (c : Computation) → (r : Result Value) → Eq (headOf ρ c) r → Means
    (runComputation ρ S t c r) o t' → Means ⟨.run ρ c, S, t⟩ o t'
  | _, .err _, e, h => ⟨_, _, .err e, h⟩
  | .return _, .ok _, e, h => ⟨_, _, .return e, h⟩
  | .let _ _, .ok _, _, ⟨_, _, d, .cons p h⟩ => ⟨_, _, .let d p, h⟩
  | .perform _ _, .ok _, e, h => ⟨_, _, .perform e, h⟩
  | .handle _ _ _, .ok _, _, ⟨_, _, d, .cons p h⟩ => ⟨_, _, .handle d p, h⟩
  | .if _ _ _, .ok _, e, ⟨_, _, d, h⟩ => ⟨_, _, .if e d, h⟩
theorem expand_body {ρ id K S t o t'} : (b : ClauseBody) → (r : Result Value) → Eq (headOfBody ρ b) r → Means
    (runBody ρ id K S t b r) o t' →
    Means ⟨.body ρ id K b, S, t⟩ o t'
  | _, .err _, e, h => ⟨_, _, .err e, h⟩
  | .let _ _, .ok _, _, ⟨_, _, d, .cons p h⟩ => ⟨_, _, .let d p, h⟩
  | .if _ _ _, .ok _, e, ⟨_, _, d, h⟩ => ⟨_, _, .if e d, h⟩
  | .answer _, .ok _, e, h => ⟨_, _, .answer e, h⟩
  | .abort _, .ok _, e, h => ⟨_, _, .abort e, h⟩
  | .resume _ _, .ok _, e, h =>
    match through_append h with
    | ⟨_, _, h₁, .cons p h₂⟩ => ⟨_, _, .resume e h₁ p, h₂⟩
theorem expand_deliver {d op v f S t o t'} : (r : Option (Prod Environment ClauseBody)) → (hr : Eq (catches op f) r) → {K : Continuation} →
    Means (raiseTo d op v (extend K f) S t r) o t' → Through (.cons f S) (.suspended d op v K) t o t'
  | none, hr, _, h => .cons (.skip hr) h
  | some (_, _), hr, _, ⟨_, _, d, h⟩ => .cons (.catch hr d) h
theorem expand_done {v S t o t'} : (f : Frame) → Means (returnTo v S t f) o t' → Through (.cons f S) (.completed v) t o t'
  | .bind _ _, ⟨_, _, d, h⟩ => .cons (.bind d) h
  | .handler _ _ _, ⟨_, _, d, h⟩ => .cons (.handler d) h
  | .bodyBind _ _ _ _, ⟨_, _, d, h⟩ => .cons (.bodyBind d) h
  | .resumeReturn _ _ _, ⟨_, _, d, .cons p h⟩ => .cons (.resumeReturn d p) h
  | .complete _, h => .cons .complete h
theorem expand_pop {f S t o t'} : (o₁ : Outcome) → Means (meet f S t o₁) o t' → Through (.cons f S) o₁ t o t'
  | .completed _, h => expand_done f h
  | .suspended _ _ _ _, h => expand_deliver _ rfl h
  | .failed _ _, h => .cons .fail h
theorem expand : (s : State) → {s' : State} → {o : Outcome} → {t' : Trace} → Eq (step s) (some s') → Means s' o t' → Means s o t'
  | ⟨.run _ c, _, _⟩, _, _, _, rfl, h => expand_run c _ rfl h
  | ⟨.body _ _ _ b, _, _⟩, _, _, _, rfl, h => expand_body b _ rfl h
  | ⟨.outcome o₁, .cons _ _, _⟩, _, _, _, rfl, h => expand_pop o₁ h
theorem expands : {s s' : State} → {o : Outcome} → {t' : Trace} → Steps s s' → Means s' o t' → Means s o t'
  | _, _, _, _, .refl, h => h
  | _, _, _, _, .head e p, h => expand _ e (expands p h)

/-- **source_eval_to_machine**. -/
theorem source_eval_to_machine {c o t} (d : Eval .nil c .empty o t) : Steps (start c) ⟨.outcome o, .nil, t⟩ := eval_to_steps d .nil
/-- **machine_eval_to_source**. -/
theorem machine_eval_to_source {c o t} (p : Steps (start c) ⟨.outcome o, .nil, t⟩) : Eval .nil c .empty o t :=
  match expands (o := o) (t' := t) p .nil with
  | ⟨_, _, d, .nil⟩ => d

end Eclogue
