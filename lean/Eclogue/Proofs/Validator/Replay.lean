prelude
import Eclogue.Validator.Certificate
import Eclogue.Proofs.Core.Values
import Eclogue.Proofs.Core.Adequacy
import Eclogue.Proofs.Validator.HostTraces
/-! The validator is sound and complete; a valid trace is the only one. -/
namespace Eclogue

theorem Completion.eq_of_beq : {a b : Completion} → Eq (Completion.beq a b) true → Eq a b
  | .return, .return, _ => rfl
  | .answer, .answer, _ => rfl
  | .abort, .abort, _ => rfl
theorem Completion.beq_refl : (a : Completion) → Eq (Completion.beq a a) true
  | .return => rfl
  | .answer => rfl
  | .abort => rfl
theorem Closing.eq_of_beq : {a b : Closing} → Eq (Closing.beq a b) true → Eq a b
  | .dropped, .dropped, _ => rfl
  | .failed, .failed, _ => rfl
theorem Closing.beq_refl : (a : Closing) → Eq (Closing.beq a a) true
  | .dropped => rfl
  | .failed => rfl
theorem Ending.eq_of_beq : {a b : Ending} → Eq (Ending.beq a b) true → Eq a b
  | .completed _, .completed _, h => congrArg Ending.completed (Value.eq_of_beq h)
  | .failed _, .failed _, h => congrArg Ending.failed (FailureKind.eq_of_beq h)
theorem Ending.beq_refl : (a : Ending) → Eq (Ending.beq a a) true
  | .completed v => Value.beq_refl v
  | .failed k => FailureKind.beq_refl k
theorem number_value_eq {γ : Type} (f : Nat → Value → γ) {a b v w} (h : Eq (beqNumberValue a v b w) true) : Eq (f a v) (f b w) :=
  match and_true h with
  | ⟨p, q⟩ => congr_arg2 f (Nat.eq_of_beq_eq_true p) (Value.eq_of_beq q)
theorem number_value_refl (a : Nat) (v : Value) : Eq (beqNumberValue a v a v) true := and_intro (Nat.beq_refl a) (Value.beq_refl v)
theorem numbers_eq {γ : Type} (f : Nat → Nat → γ) {a b c d} (h : Eq (beqNumbers a b c d) true) : Eq (f a b) (f c d) :=
  match and_true h with
  | ⟨p, q⟩ => congr_arg2 f (Nat.eq_of_beq_eq_true p) (Nat.eq_of_beq_eq_true q)
theorem numbers_refl (a b : Nat) : Eq (beqNumbers a b a b) true := and_intro (Nat.beq_refl a) (Nat.beq_refl b)
theorem Record.eq_of_beq : {a b : Record} → Eq (Record.beq a b) true → Eq a b
  | .effectDeclaration _ _, .effectDeclaration _ _, h => number_value_eq _ h
  | .handlerSelection _ _, .handlerSelection _ _, h => numbers_eq _ h
  | .resumptionHandle _, .resumptionHandle _, h => congrArg Record.resumptionHandle (Nat.eq_of_beq_eq_true h)
  | .continuationResume _ _, .continuationResume _ _, h => number_value_eq _ h
  | .resumeReturn _ _, .resumeReturn _ _, h => number_value_eq _ h
  | .effectCapture _ _ _, .effectCapture _ _ _, h => match and_true h with
    | ⟨p, q⟩ => match Completion.eq_of_beq p with
      | rfl => number_value_eq _ q
  | .selectionClosed _ _ _, .selectionClosed _ _ _, h => match and_true h with
    | ⟨p, q⟩ => match Closing.eq_of_beq p with
      | rfl => numbers_eq _ q
  | .hostObservation _ _, .hostObservation _ _, h => number_value_eq _ h
  | .failure _, .failure _, h => congrArg Record.failure (FailureKind.eq_of_beq h)
  | .runEnd _, .runEnd _, h => congrArg Record.runEnd (Ending.eq_of_beq h)
theorem Record.beq_refl : (a : Record) → Eq (Record.beq a a) true
  | .effectDeclaration a v => number_value_refl a v
  | .handlerSelection a b => numbers_refl a b
  | .resumptionHandle a => Nat.beq_refl a
  | .continuationResume a v => number_value_refl a v
  | .resumeReturn a v => number_value_refl a v
  | .effectCapture h a v => and_intro (Completion.beq_refl h) (number_value_refl a v)
  | .selectionClosed y a b => and_intro (Closing.beq_refl y) (numbers_refl a b)
  | .hostObservation a v => number_value_refl a v
  | .failure a => FailureKind.beq_refl a
  | .runEnd e => Ending.beq_refl e
theorem records_eq_of_beq : {t t' : List Record} → Eq (beqRecords t t') true → Eq t t'
  | .nil, .nil, _ => rfl
  | .cons _ _, .cons _ _, h => match and_true h with
    | ⟨p, q⟩ => congr_arg2 List.cons (Record.eq_of_beq p) (records_eq_of_beq q)
theorem records_beq_refl : (t : List Record) → Eq (beqRecords t t) true
  | .nil => rfl
  | .cons r t => and_intro (Record.beq_refl r) (records_beq_refl t)

theorem Status.eq_of_beq : {a b : Status} → Eq (Status.beq a b) true → Eq a b
  | .completed _, .completed _, h => congrArg Status.completed (Value.eq_of_beq h)
  | .suspended _ _, .suspended _ _, h => number_value_eq _ h
  | .failed _, .failed _, h => congrArg Status.failed (FailureKind.eq_of_beq h)
theorem Status.beq_refl : (a : Status) → Eq (Status.beq a a) true
  | .completed v => Value.beq_refl v
  | .suspended a v => number_value_refl a v
  | .failed k => FailureKind.beq_refl k
/-! ### soundness -/
theorem after_steps {s : State} {f : State → State} (ih : (s' : State) → Steps s' (f s')) :
    (r : Option State) → Eq (step s) r → Steps s (orStay s f r)
  | none, _ => .refl
  | some _, e => .head e (ih _)
theorem iter_steps : (n : Nat) → (s : State) → Steps s (stepTimes n s)
  | .zero, _ => .refl
  | .succ n, s => after_steps (iter_steps n) (step s) rfl
theorem run_with_runs {fuel} : (as : List Value) → {s s' : State} → Eq (runWith fuel as s) (some s') → MachineRun s as s'
  | .nil, _, _, rfl => .steps (iter_steps fuel _)
  | .cons _ as, s, _, e => match bind_some _ e with
    | ⟨_, e₁, e₂⟩ => .answer (iter_steps fuel s) e₁ (run_with_runs as e₂)
theorem check_sound {a rs} : {x : Option State} → Eq (compare a rs x) true →
    Exists2 fun o t => And (Eq x (some ⟨.outcome o, .nil, t⟩)) (And (Eq o.status a) (Eq (published o t).records rs))
  | some ⟨.outcome _, .nil, _⟩, h => match and_true h with
    | ⟨p, q⟩ => ⟨_, _, rfl, Status.eq_of_beq p, records_eq_of_beq q⟩
/-- **validator_sound**. -/
theorem validator_sound {fuel c as a rs} (h : Eq (validate fuel c as a rs) true) : ValidTrace c as a rs :=
  match check_sound h with
  | ⟨_, _, e, p, q⟩ => ⟨_, _, machine_to_run (run_with_runs as e), p, q⟩

/-! ### completeness -/
theorem iter_stuck {s : State} (h : Eq (step s) none) : (k : Nat) → Eq (stepTimes k s) s
  | .zero => rfl
  | .succ k => congrArg (orStay s (stepTimes k)) h
/-- From some fuel on, the run is there. -/
theorem steps_iter : {s s' : State} → Steps s s' → Eq (step s') none → Exists fun n => (k : Nat) → Eq (stepTimes (Nat.add k n) s) s'
  | _, _, .refl, h => ⟨0, iter_stuck h⟩
  | s, _, .head e p, h => match steps_iter p h with
    | ⟨n, q⟩ => ⟨.succ n, fun k => Eq.trans (congrArg (orStay s (stepTimes (Nat.add k n))) e) (q k)⟩
theorem answer_stuck : (s : State) → {s' : State} → {w : Value} → Eq (observe s w) (some s') → Eq (step s) none
  | ⟨.outcome (.suspended _ _ _ _), .nil, _⟩, _, _, _ => rfl
theorem runs_run_with {s s' as} : MachineRun s as s' → Eq (step s') none → Exists fun n => (k : Nat) → Eq
    (runWith (Nat.add k n) as s) (some s')
  | .steps p, h => match steps_iter p h with
    | ⟨n, q⟩ => ⟨n, fun k => congrArg some (q k)⟩
  | .answer (s := s) (w := w) (answers := as) p e r, h => match steps_iter p (answer_stuck _ e), runs_run_with r h with
    | ⟨n, q⟩, ⟨m, q'⟩ => ⟨Nat.add m n, fun k =>
      have e₁ : Eq (stepTimes (Nat.add k (Nat.add m n)) s) _ := Eq.trans (congrArg (fun x => stepTimes x s) (add_assoc k m n).symm)
          (q (Nat.add k m))
      have e₂ : Eq (Nat.add k (Nat.add m n)) (Nat.add (Nat.add k n) m) :=
        Eq.trans (congrArg (Nat.add k) (add_comm m n)) (add_assoc k n m).symm
      Eq.trans (congrArg (fun x => Option.bind (runWith (Nat.add k (Nat.add m n)) as) (observe x w)) e₁)
        (Eq.trans (congrArg (Option.bind (runWith (Nat.add k (Nat.add m n)) as)) e)
          (Eq.trans (congrArg (fun x => runWith x as _) e₂) (q' (Nat.add k n))))⟩
/-- **validator_complete**. -/
theorem validator_complete {c as a rs} : ValidTrace c as a rs → Exists fun n => (k : Nat) → Eq (validate (Nat.add k n) c as a rs) true
  | ⟨_, _, r, e, e'⟩ => match runs_run_with (run_to_machine r) rfl with
    | ⟨n, q⟩ => ⟨n, fun k => Eq.trans (congrArg (compare a rs) (q k)) (and_intro (status e) (recs e'))⟩
where
  status {a b : Status} : Eq a b → Eq (Status.beq a b) true
  | rfl => Status.beq_refl a
  recs {a b : List Record} : Eq a b → Eq (beqRecords a b) true
  | rfl => records_beq_refl a

theorem declared_published {t : Trace} : (o : Outcome) → Eq (declaredIn (published o t).records) (declared t)
  | .completed _ => rfl
  | .failed _ _ => rfl
  | .suspended _ _ _ _ => rfl
/-- The status of a valid trace, and the operations performed in it, are what the denotation says. -/
theorem valid_denoted {c as a rs} : ValidTrace c as a rs → Eq ((denote c .nil).read as .nil) (some (declaredIn rs, a))
  | ⟨o, _, r, e, e'⟩ => denote_observed.mp ⟨_, _, r, Eq.trans (declared_published o).symm (congrArg declaredIn e'), e⟩
theorem lifecycle_published {t : Trace} : (o : Outcome) → LiveState (final o t) →
    (Exists fun l => Eq (lifecycle (published o t).records) (some l))
  | .completed v, h => ⟨_, Live.push (r := .runEnd (.completed v)) (md' := .ended) (L' := .nil) h rfl⟩
  | .failed k _, h => ⟨_, Live.push (r := .runEnd (.failed k)) (md' := .ended) (L' := .nil) h accept_failed⟩
  | .suspended _ _ _ _, h => ⟨_, h⟩
/-- A valid trace passes the lifecycle automaton. -/
theorem valid_lifecycle {c as a rs} : ValidTrace c as a rs → Exists fun l => Eq (lifecycle rs) (some l)
  | ⟨o, _, r, _, e⟩ => match lifecycle_published o (trace_lifecycle_runs (run_to_machine r)) with
    | ⟨l, h⟩ => ⟨l, Eq.trans (congrArg lifecycle e).symm h⟩
theorem ended_published {t : Trace} : (o : Outcome) → o.Ended → LiveState (final o t) →
    Eq (lifecycle (published o t).records) (some ⟨Nat.succ t.next, .ended, .nil⟩)
  | .completed v, _, h => Live.push (r := .runEnd (.completed v)) (md' := .ended) (L' := .nil) h rfl
  | .failed k _, _, h => Live.push (r := .runEnd (.failed k)) (md' := .ended) (L' := .nil) h accept_failed
  | .suspended _ _ _ _, e, _ => e.elim
/-- The published trace of a run that ended takes the automaton to its end, with nothing open. -/
theorem run_lifecycle {c as o t} (r : Run c as o t) (e : o.Ended) :
    Eq (lifecycle (published o t).records) (some ⟨Nat.succ t.next, .ended, .nil⟩) :=
  ended_published o e (trace_lifecycle_runs (run_to_machine r))
/-- The source semantics gives one status and one trace: with `validator_sound`, *this one and no other* -/
theorem valid_unique {c as a rs a' rs'} : ValidTrace c as a rs → ValidTrace c as a' rs' → And (Eq a a') (Eq rs rs')
  | ⟨_, _, r, e, f⟩, ⟨_, _, r', e', f'⟩ => match run_deterministic r r' with
    | ⟨rfl, rfl⟩ => ⟨Eq.trans e.symm e', Eq.trans f.symm f'⟩
theorem clean_published {p : Record → Bool} (hp : (e : Ending) → Eq (p (.runEnd e)) true) {t : Trace} :
    (o : Outcome) → Every p t → Every p (published o t)
  | .completed v, h => h.push (hp (.completed v))
  | .failed k _, h => h.push (hp (.failed k))
  | .suspended _ _ _ _, h => h
/-- **core0_admission**, for published traces. -/
theorem valid_core0 {c as a rs} (h : Eq (core0 c) true) : ValidTrace c as a rs → Eq (all Record.core0 rs) true
  | ⟨o, _, r, _, e⟩ => Eq.subst (motive := fun x => Eq (all Record.core0 x) true) e (clean_published (p := Record.core0)
        (fun _ => rfl) o (core0_admission_runs h (run_to_machine r)))
/-- **core0h_admission**, for published traces. -/
theorem valid_core0h {c as a rs} (h : Eq (core0h c) true) : ValidTrace c as a rs → Eq (all Record.core0h rs) true
  | ⟨o, _, r, _, e⟩ => Eq.subst (motive := fun x => Eq (all Record.core0h x) true) e (clean_published (p := Record.core0h)
        (fun _ => rfl) o (core0h_admission_runs h (run_to_machine r)))
/-- **certified**. -/
theorem certified {fuel c as a rs} (h : Eq (validate fuel c as a rs) true) : Certificate c as a rs where
  valid := validator_sound h
  only := fun _ _ h' => valid_unique h' (validator_sound h)
  denoted := valid_denoted (validator_sound h)
  accepted := valid_lifecycle (validator_sound h)
end Eclogue
