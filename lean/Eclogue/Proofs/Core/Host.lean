prelude
import Eclogue.Proofs.Core.Totality
/-! Runs with host answers: simulation, determinism, replay, branches. -/
namespace Eclogue

theorem MachineRun.before {a b as c} (p : Steps a b) : MachineRun b as c → MachineRun a as c
  | .steps q => .steps (p.trans q)
  | .answer q e r => .answer (p.trans q) e r

theorem through_steps {K o t o' t'} (h : Through K o t o' t') : Steps ⟨.outcome o, K, t⟩ ⟨.outcome o', .nil, t'⟩ :=
  Eq.subst (motive := fun S => Steps ⟨.outcome o, S, t⟩ ⟨.outcome o', .nil, t'⟩) (append_nil K) (through_to_steps h .nil)
theorem steps_through {K o t o' t'} (p : Steps ⟨.outcome o, K, t⟩ ⟨.outcome o', .nil, t'⟩) : Through K o t o' t' :=
  expands (o := o') (t' := t') p .nil
theorem cont_runs {o t as o' t'} : Continues o t as o' t' → MachineRun ⟨.outcome o, .nil, t⟩ as ⟨.outcome o', .nil, t'⟩
  | .nil => .steps .refl
  | .cons h q => .answer .refl rfl (.before (through_steps h) (cont_runs q))
/-- What a machine run from a state means in the source: first an outcome, then the answers. -/
theorem runs_cont {o' t'} : {s : State} → {as : List Value} → MachineRun s as ⟨.outcome o', .nil, t'⟩ →
    Exists2 fun o t => And (Steps s ⟨.outcome o, .nil, t⟩) (Continues o t as o' t')
  | _, _, .steps p => ⟨_, _, p, .nil⟩
  | _, _, .answer (s₁ := ⟨.outcome (.suspended _ _ _ _), .nil, _⟩) p rfl r => match runs_cont r with
    | ⟨_, _, q, h⟩ => ⟨_, _, p, .cons (steps_through q) h⟩
/-- **source_eval_to_machine**, with answers. -/
theorem run_to_machine {c as o t} : Run c as o t → MachineRun (start c) as ⟨.outcome o, .nil, t⟩
  | ⟨_, _, d, h⟩ => .before (source_eval_to_machine d) (cont_runs h)
/-- **machine_eval_to_source**, with answers. -/
theorem machine_to_run {c as o t} (p : MachineRun (start c) as ⟨.outcome o, .nil, t⟩) : Run c as o t :=
  match runs_cont p with
  | ⟨_, _, q, h⟩ => ⟨_, _, machine_eval_to_source q, h⟩

/-- Determinism with answers. -/
theorem continues_deterministic {o₁ t₁ o₂ t₂} : {o : Outcome} → {t : Trace} → {as : List Value} → Continues o t as o₁ t₁ →
    Continues o t as o₂ t₂ → And (Eq o₁ o₂) (Eq t₁ t₂)
  | _, _, _, .nil, .nil => ⟨rfl, rfl⟩
  | _, _, _, .cons p h, .cons p' h' => match through_deterministic p p' with
    | ⟨rfl, rfl⟩ => continues_deterministic h h'
theorem run_deterministic {c as o₁ t₁ o₂ t₂} : Run c as o₁ t₁ → Run c as o₂ t₂ → And (Eq o₁ o₂) (Eq t₁ t₂)
  | ⟨_, _, d, h⟩, ⟨_, _, d', h'⟩ => match source_eval_deterministic d d' with
    | ⟨rfl, rfl⟩ => continues_deterministic h h'

/-! ### replay -/
theorem cont_append {b o₁ t₁ o' t'} : {o : Outcome} → {t : Trace} → {a : List Value} → Continues o t a o₁ t₁ →
    Continues o₁ t₁ b o' t' → Continues o t (List.append a b) o' t'
  | _, _, _, .nil, h => h
  | _, _, _, .cons p q, h => .cons p (cont_append q h)
theorem cont_split {b o' t'} : {o : Outcome} → {t : Trace} → (a : List Value) → Continues o t (List.append a b) o' t' →
    Exists2 fun o₁ t₁ => And (Continues o t a o₁ t₁) (Continues o₁ t₁ b o' t')
  | _, _, .nil, h => ⟨_, _, .nil, h⟩
  | _, _, .cons _ a, .cons p q => match cont_split a q with
    | ⟨_, _, x, y⟩ => ⟨_, _, .cons p x, y⟩
/-- **replay_sound**: running on `a ++ b` is running on `a`, then continuing on `b`. -/
theorem replay_sound {c a b o t} : Iff (Run c (List.append a b) o t) (Exists2 fun o₁ t₁ => And (Run c a o₁ t₁) (Continues o₁ t₁ b o t)) :=
  ⟨fun ⟨_, _, d, h⟩ => match cont_split a h with
    | ⟨_, _, x, y⟩ => ⟨_, _, ⟨_, _, d, x⟩, y⟩,
   fun ⟨_, _, ⟨_, _, d, x⟩, y⟩ => ⟨_, _, d, cont_append x y⟩⟩
theorem cont_grows {o' t'} : {o : Outcome} → {t : Trace} → {as : List Value} → Continues o t as o' t' → Grows t t'
  | _, _, _, .nil => .refl
  | _, _, _, .cons p h => .trans (.trans (.push .refl) (trace_monotonic (through_steps p))) (cont_grows h)
theorem Each.map {P Q : Branch → Prop} (h : (b : Branch) → P b → Q b) : {bs : List Branch} → Each P bs → Each Q bs
  | .nil, _ => True.intro
  | .cons b _, ⟨x, y⟩ => ⟨h b x, map h y⟩
/-- **branch_replay_sound**: from a commit (answers `a`, reached at `o`, `t`), any finite set of branches are continuations
of the one commit exactly when each is a run of the program on `a` and its own answers; and all extend the commit's trace. -/
theorem branch_replay_sound {c a o t} (commit : Run c a o t) (bs : List Branch) :
    And (Iff (Each (fun b => Continues o t b.answers b.outcome b.trace) bs)
        (Each (fun b => Run c (List.append a b.answers) b.outcome b.trace) bs))
      (Each (fun b => Run c (List.append a b.answers) b.outcome b.trace) bs → Each (fun b => Grows t b.trace) bs) :=
  have back : (b : Branch) → Run c (List.append a b.answers) b.outcome b.trace → Continues o t b.answers b.outcome b.trace := fun _ r =>
    match replay_sound.mp r with
    | ⟨_, _, x, y⟩ => match run_deterministic commit x with
      | ⟨rfl, rfl⟩ => y
  ⟨⟨Each.map fun _ h => replay_sound.mpr ⟨_, _, commit, h⟩, Each.map back⟩, fun h => h.map fun b r => cont_grows (back b r)⟩

/-- A tree that a suspended outcome realizes leads to an operation, and the captured continuation realizes what comes next. -/
theorem reach {d op v K after} : (T : Tree) → (before : List (Prod Nat Value)) → Realizes T before (.suspended d op v K) after →
    Exists fun next : Value → Tree => And ((w : Value) → (answers : List Value) → Eq (T.read (.cons w answers) before)
        ((next w).read answers after))
      (Resumes K next)
  | .performed op v T, before, h => reach T (.cons (op, v) before) h
  | .operation _ _ next, _, ⟨_, _, rfl, h⟩ => ⟨next, fun _ _ => rfl, h⟩
/-- **run_total**: for any answers, the run goes on until they are used up or it ends. -/
theorem cont_total : (as : List Value) → (T : Tree) → (a : List (Prod Nat Value)) → (o : Outcome) → (t : Trace) →
    Realizes T a o (declared t) →
    Exists fun used => Exists fun rest => Exists2 fun o' t' =>
      And (Eq as (List.append used rest)) (And (Continues o t used o' t') (Or (Eq rest .nil) o'.Ended))
  | .nil, _, _, _, _, _ => ⟨.nil, .nil, _, _, rfl, .nil, .inl rfl⟩
  | .cons w as, _, _, .completed _, _, _ => ⟨.nil, .cons w as, _, _, rfl, .nil, .inr True.intro⟩
  | .cons w as, _, _, .failed _ _, _, _ => ⟨.nil, .cons w as, _, _, rfl, .nil, .inr True.intro⟩
  | .cons w as, T, a, .suspended d _ _ _, t, h => match reach T a h with
    | ⟨next, _, r⟩ => match r w (t.push (.hostObservation d w)) with
      | ⟨_, _, th, q⟩ => match cont_total as (next w) _ _ _ q with
        | ⟨used, rest, _, _, e, x, y⟩ => ⟨.cons w used, rest, _, _, congrArg (List.cons w) e, .cons th x, y⟩
theorem run_total (c : Computation) (as : List Value) : Exists fun used => Exists fun rest => Exists2 fun o t =>
    And (Eq as (List.append used rest)) (And (Run c used o t) (Or (Eq rest .nil) o.Ended)) :=
  match total c .nil .empty with
  | ⟨_, _, p, q⟩ => match cont_total as _ _ _ _ q with
    | ⟨used, rest, o, t, e, x, y⟩ => ⟨used, rest, o, t, e, ⟨_, _, p, x⟩, y⟩
end Eclogue
