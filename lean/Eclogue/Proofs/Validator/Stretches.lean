prelude
import Eclogue.Validator.Stretches
import Eclogue.Proofs.Validator.Replay
/-! What the machine does depends on no earlier record, so a run is certified in pieces. -/
namespace Eclogue

/-- The trace, after other records. -/
def Trace.over (b : List Record) (t : Trace) : Trace := ⟨t.next, List.append t.records b⟩
/-- The state, after other records. -/
def State.over (b : List Record) (s : State) : State := ⟨s.control, s.stack, s.trace.over b⟩
/-- The same, where there is a state. -/
def overSome (b : List Record) : Option State → Option State
  | none => none
  | some s => some (s.over b)

section
variable {b : List Record}
theorem close_over {why : Closing} {cause : Nat} : (l : List OpenSelection) → (t : Trace) →
    Eq (closeAll why cause l (t.over b)) ((closeAll why cause l t).over b)
  | .nil, _ => rfl
  | .cons _ l, t => close_over l (t.push _)
/-- A state whose trace is that of a closing. -/
theorem close_state {C : Control} {S : Continuation} {t u : Trace} (h : Eq t u) : Eq (State.mk C S t) ⟨C, S, u⟩ :=
  congrArg (State.mk C S) h
theorem run_value_over {ρ S t v} : (c : Computation) → Eq (runWithValue ρ S (Trace.over b t) v c) ((runWithValue ρ S t v c).over b)
  | .return _ => rfl
  | .let _ _ => rfl
  | .perform _ _ => rfl
  | .handle _ _ _ => rfl
  | .if _ _ _ => rfl
theorem run_over {ρ S t c} : (x : Result Value) → Eq (runComputation ρ S (Trace.over b t) c x) ((runComputation ρ S t c x).over b)
  | .ok _ => run_value_over c
  | .err _ => rfl
theorem body_value_over {ρ s K S t v} : (c : ClauseBody) →
    Eq (runBodyWithValue ρ s K S (Trace.over b t) v c) ((runBodyWithValue ρ s K S t v c).over b)
  | .let _ _ => rfl
  | .if _ _ _ => rfl
  | .answer _ => close_state (close_over (openIn K) (Trace.push t _))
  | .abort _ => close_state (close_over (openIn K) (Trace.push t _))
  | .resume _ _ => rfl
theorem body_over {ρ s K S t c} : (x : Result Value) → Eq (runBody ρ s K S (Trace.over b t) c x) ((runBody ρ s K S t c x).over b)
  | .ok _ => body_value_over c
  | .err _ => close_state (close_over (openInBody s K) (Trace.push t _))
theorem return_over {v S t} : (f : Frame) → Eq (returnTo v S (Trace.over b t) f) ((returnTo v S t f).over b)
  | .bind _ _ => rfl
  | .handler _ _ _ => rfl
  | .bodyBind _ _ _ _ => rfl
  | .resumeReturn _ _ _ => rfl
  | .complete _ => rfl
theorem raise_over {d op v K S t} : (x : Option (Prod Environment ClauseBody)) →
    Eq (raiseTo d op v K S (Trace.over b t) x) ((raiseTo d op v K S t x).over b)
  | none => rfl
  | some (_, _) => rfl
theorem meet_over {f S t} : (o : Outcome) → Eq (meet f S (Trace.over b t) o) ((meet f S t o).over b)
  | .completed _ => return_over f
  | .suspended _ op _ _ => raise_over (catches op f)
  | .failed _ _ => close_state (close_over (openOfFrame f) t)
/-- A step does not look at earlier records. -/
theorem step_over : (s : State) → Eq (step (s.over b)) (overSome b (step s))
  | ⟨.run _ _, _, _⟩ => congrArg some (run_over _)
  | ⟨.body _ _ _ _, _, _⟩ => congrArg some (body_over _)
  | ⟨.outcome _, .nil, _⟩ => rfl
  | ⟨.outcome o, .cons _ _, _⟩ => congrArg some (meet_over o)
theorem observe_over {w : Value} : (s : State) → {s' : State} → Eq (observe s w) (some s') → Eq (observe (s.over b) w) (some (s'.over b))
  | ⟨.outcome (.suspended _ _ _ _), .nil, _⟩, _, rfl => rfl
theorem steps_over : {s s' : State} → Steps s s' → Steps (s.over b) (s'.over b)
  | _, _, .refl => .refl
  | s, _, .head e p => .head (Eq.trans (step_over s) (congrArg (overSome b) e)) (steps_over p)
theorem machine_run_over : {s s' : State} → {answers : List Value} → MachineRun s answers s' →
    MachineRun (s.over b) answers (s'.over b)
  | _, _, _, .steps p => .steps (steps_over p)
  | _, _, _, .answer p e q => .answer (steps_over p) (observe_over _ e) (machine_run_over q)
end

theorem MachineRun.trans {c bs} : {a b : State} → {as : List Value} → MachineRun a as b → MachineRun b bs c →
    MachineRun a (List.append as bs) c
  | _, _, _, .steps p, r => .before p r
  | _, _, _, .answer p e q, r => .answer p e (trans q r)
theorem answer_times_runs : (l : List (Prod Value Nat)) → {s s' : State} → Eq (answerTimes l s) (some s') →
    MachineRun s (answersAlone l) s'
  | .nil, _, _, rfl => .steps .refl
  | .cons (_, n) l, _, _, e => match bind_some _ e with
    | ⟨s, e₁, e₂⟩ => .answer .refl e₁ (.before (iter_steps n s) (answer_times_runs l e₂))
/-- **stretch_checked**. -/
theorem stretch_checked {n l p records q} (h : Eq (runStretch n l p) (some (Point.after q records))) :
    Stretch p (answersAlone l) records q :=
  fun _ => machine_run_over (.before (iter_steps n _) (answer_times_runs l h))
/-- **stretches_compose**. -/
theorem stretches_compose {p q r as bs before after} (h : Stretch p as before q) (k : Stretch q bs after r) :
    Stretch p (List.append as bs) (List.append after before) r :=
  fun earlier => Eq.subst (motive := fun x => MachineRun (p.after earlier) (List.append as bs) (r.after x))
    (append_assoc after before earlier).symm (.trans (h earlier) (k (List.append before earlier)))
theorem valid_certificate {c as a rs} (h : ValidTrace c as a rs) : Certificate c as a rs where
  valid := h
  only := fun _ _ h' => valid_unique h' h
  denoted := valid_denoted h
  accepted := valid_lifecycle h
/-- **certified_stretch**. -/
theorem certified_stretch {c as records o next} (h : Stretch (.start c) as records (.final o next)) :
    Certificate c as o.status (published o ⟨next, records⟩).records :=
  have e : Eq (List.append records .nil) records := append_nil records
  valid_certificate ⟨o, ⟨next, records⟩,
    machine_to_run (Eq.subst (motive := fun x => MachineRun (start c) as (final o ⟨next, x⟩)) e (h .nil)), rfl, rfl⟩
end Eclogue
