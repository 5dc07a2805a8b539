prelude
import Eclogue.Proofs.Validator.Replay
/-! What acceptance by the lifecycle automaton means, for every trace, whoever produced it. -/
namespace Eclogue

theorem ble_refl : (n : Nat) → Eq (Nat.ble n n) true
  | .zero => rfl
  | .succ n => ble_refl n
theorem ble_of_succ : (a b : Nat) → Eq (Nat.ble (Nat.succ a) b) true → Eq (Nat.ble a b) true
  | .zero, .zero, h => Bool.noConfusion h
  | .zero, .succ _, _ => rfl
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ a, .succ b, h => Eq.trans (ble_succ a b) (ble_of_succ a b (Eq.trans (ble_succ (Nat.succ a) b).symm h))
theorem beq_of_lt : (a b : Nat) → Eq (Nat.ble (Nat.succ a) b) true → Eq (Nat.beq b a) false
  | .zero, .zero, h => Bool.noConfusion h
  | .zero, .succ _, _ => rfl
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ a, .succ b, h => Eq.trans (beq_succ b a) (beq_of_lt a b (Eq.trans (ble_succ (Nat.succ a) b).symm h))

/-- No record below has a number at or above the length. -/
theorem made_above {id : Nat} : (rs : List Record) → Eq (Nat.ble (length rs) id) true → Eq (timesMade id rs) 0
  | .nil, _ => rfl
  | .cons (.handlerSelection _ _) rs, h => Eq.trans (congrArg (fun q => Nat.add (cond q 1 0) (timesMade id rs))
        (beq_of_lt (length rs) id h))
      (Eq.trans (add_zero_left _) (made_above rs (ble_of_succ _ _ h)))
  | .cons (.effectDeclaration _ _) rs, h => made_above rs (ble_of_succ _ _ h)
  | .cons (.resumptionHandle _) rs, h => made_above rs (ble_of_succ _ _ h)
  | .cons (.continuationResume _ _) rs, h => made_above rs (ble_of_succ _ _ h)
  | .cons (.resumeReturn _ _) rs, h => made_above rs (ble_of_succ _ _ h)
  | .cons (.effectCapture _ _ _) rs, h => made_above rs (ble_of_succ _ _ h)
  | .cons (.selectionClosed _ _ _) rs, h => made_above rs (ble_of_succ _ _ h)
  | .cons (.hostObservation _ _) rs, h => made_above rs (ble_of_succ _ _ h)
  | .cons (.failure _) rs, h => made_above rs (ble_of_succ _ _ h)
  | .cons (.runEnd _) rs, h => made_above rs (ble_of_succ _ _ h)
/-- **made at most once**. -/
theorem made_once {id : Nat} : (rs : List Record) → Or (Eq (timesMade id rs) 0) (Eq (timesMade id rs) 1)
  | .nil => .inl rfl
  | .cons (.handlerSelection _ _) rs => go rs (made_once rs) (Nat.beq id (length rs)) rfl
  | .cons (.effectDeclaration _ _) rs => made_once rs
  | .cons (.resumptionHandle _) rs => made_once rs
  | .cons (.continuationResume _ _) rs => made_once rs
  | .cons (.resumeReturn _ _) rs => made_once rs
  | .cons (.effectCapture _ _ _) rs => made_once rs
  | .cons (.selectionClosed _ _ _) rs => made_once rs
  | .cons (.hostObservation _ _) rs => made_once rs
  | .cons (.failure _) rs => made_once rs
  | .cons (.runEnd _) rs => made_once rs
where
  go (rs : List Record) (ih : Or (Eq (timesMade id rs) 0) (Eq (timesMade id rs) 1)) : (q : Bool) → Eq
      (Nat.beq id (length rs)) q → Or (Eq (Nat.add (cond q 1 0) (timesMade id rs)) 0) (Eq (Nat.add (cond q 1 0) (timesMade id rs)) 1)
  | true, e => .inr (congrArg (Nat.add 1) (made_above rs (Eq.subst (motive := fun n => Eq (Nat.ble (length rs) n) true)
        (Nat.eq_of_beq_eq_true e).symm (ble_refl _))))
  | false, _ => match ih with
    | .inl h => .inl (congrArg (Nat.add 0) h)
    | .inr h => .inr (congrArg (Nat.add 0) h)

/-- Open selections numbered `id`. -/
def openN (id : Nat) (L : List OpenSelection) : Nat := weightOpen 0 0 1 id L
/-- A selection ends: from open to ended. -/
theorem end_one {d h o : Nat} : Eq (Nat.add d (Nat.add h o)) (Nat.add (Nat.add h d) o) := Eq.trans (add_swap _ _ _) (add_assoc _ _ _).symm
theorem owes_one : (p : Phase) → Eq (owes 0 0 1 p) 1
  | .selected _ => rfl
  | .resumed => rfl
  | .returned => rfl
/-- Made = ended + open, for the state `l` after the records `rs`. -/
structure Ledger (id : Nat) (rs : List Record) (l : Lifecycle) : Prop where
  count : Eq (length rs) l.next
  made : Eq (timesMade id rs) (Nat.add (timesEnded id rs) (openN id l.opened))
theorem pop_ledger {id x : Nat} {rs : List Record} {r : Record} {md : Mode} {l : Lifecycle} (hm : Eq (timesMade id (.cons r rs))
    (timesMade id rs))
    (he : Eq (timesEnded id (.cons r rs)) (Nat.add (hit id x 1) (timesEnded id rs))) : {L : List OpenSelection} →
    Eq (closeFirst x (fun L' => ⟨Nat.succ (length rs), md, L'⟩) L) (some l) → Eq (timesMade id rs)
        (Nat.add (timesEnded id rs) (openN id L)) → Ledger id (.cons r rs) l
  | .cons ⟨y, p⟩ L', e, h => match y, h, guard_eq e with
    | _, h, ⟨rfl, rfl⟩ => ⟨rfl, Eq.trans hm (Eq.trans h (Eq.trans
          (congrArg (fun k => Nat.add (timesEnded id rs) (Nat.add (hit id x k) (openN id L'))) (owes_one p))
        (Eq.trans end_one (congrArg (fun k => Nat.add k (openN id L')) he.symm))))⟩
theorem resume_ledger {id s m : Nat} {rs : List Record} {v : Value} {l : Lifecycle} {L : List OpenSelection} :
    (x : Option (List OpenSelection)) → Eq (insertAt ⟨s, .resumed⟩ m L) x →
    Eq (Option.bind (fun L' => some (Lifecycle.mk (Nat.succ (length rs)) .run L')) x) (some l) →
    Eq (timesMade id rs) (Nat.add (timesEnded id rs) (openN id (.cons ⟨s, .selected m⟩ L))) → Ledger id
        (.cons (.continuationResume s v) rs) l
  | some _, e, rfl, h => ⟨rfl, Eq.trans h (congrArg (Nat.add _) (open_insert (a₁ := 0) (a₂ := 0) (a₃ := 1)
        (OpenSelection.mk s .resumed) m L e).symm)⟩
theorem ledger_accept {id : Nat} {rs : List Record} : {n : Nat} → {md : Mode} → {L : List OpenSelection} → {l : Lifecycle} → (r : Record) →
    Eq (acceptRecord ⟨n, md, L⟩ r) (some l) → Ledger id rs ⟨n, md, L⟩ → Ledger id (.cons r rs) l
  | _, .run, _, _, .effectDeclaration _ _, rfl, ⟨rfl, h⟩ => ⟨rfl, h⟩
  | _, .raised _, _, _, .handlerSelection _ _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨_, e⟩ => match guard_some e with
      | ⟨_, rfl⟩ => ⟨rfl, Eq.trans (congrArg (Nat.add _) h) (add_swap _ _ _)⟩
  | _, .selected _, _, _, .resumptionHandle _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨_, rfl⟩ => ⟨rfl, h⟩
  | _, .run, .cons ⟨_, .selected _⟩ _, _, .continuationResume _ _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨rfl, e⟩ => resume_ledger _ rfl e h
  | _, .run, .cons ⟨_, .resumed⟩ _, _, .resumeReturn _ _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, h⟩
  | _, .run, .cons ⟨_, .returned⟩ _, _, .effectCapture .return _ _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, Eq.trans h end_one⟩
  | _, .run, .cons ⟨_, .selected _⟩ _, _, .effectCapture .answer _ _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, Eq.trans h end_one⟩
  | _, .run, .cons ⟨_, .selected _⟩ _, _, .effectCapture .abort _ _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, Eq.trans h end_one⟩
  | _, .closing _ _, _, _, .selectionClosed .dropped _ _, e, ⟨rfl, h⟩ => pop_ledger rfl rfl (guard_eq e).right h
  | _, .failed _ _, _, _, .selectionClosed .failed _ _, e, ⟨rfl, h⟩ => pop_ledger rfl rfl (guard_eq e).right h
  | _, .raised _, _, _, .hostObservation _ _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨_, rfl⟩ => ⟨rfl, h⟩
  | _, .run, _, _, .failure _, rfl, ⟨rfl, h⟩ => ⟨rfl, h⟩
  | _, .run, .nil, _, .runEnd (.completed _), rfl, ⟨rfl, h⟩ => ⟨rfl, h⟩
  | _, .failed _ _, .nil, _, .runEnd (.failed _), e, ⟨rfl, h⟩ => match guard_some e with
    | ⟨_, rfl⟩ => ⟨rfl, h⟩
theorem ledger {id : Nat} : (rs : List Record) → {l : Lifecycle} → Eq (lifecycle rs) (some l) → Ledger id rs l
  | .nil, _, rfl => ⟨rfl, rfl⟩
  | .cons r rs, _, e => match bind_some _ e with
    | ⟨⟨_, _, _⟩, e₁, e₂⟩ => ledger_accept r e₂ (ledger rs e₁)
/-- **ended exactly once**: in a trace after which nothing is open (a finished one), each selection ended as often as it was made. -/
theorem ends_once {id n md rs} (h : Eq (lifecycle rs) (some ⟨n, md, .nil⟩)) : Eq (timesEnded id rs) (timesMade id rs) :=
    (ledger rs h).made.symm

/-- **ended at most as often as made**, at any moment. -/
theorem ended_at_most_once {id rs l} (h : Eq (lifecycle rs) (some l)) : Exists fun k => Eq (timesMade id rs)
    (Nat.add (timesEnded id rs) k) :=
  ⟨openN id l.opened, (ledger rs h).made⟩

/-! ### resumed at most once -/
/-- Made = resumed + not yet resumed + ended without a resume. -/
structure ResumeLedger (id : Nat) (rs : List Record) (l : Lifecycle) : Prop where
  count : Eq (length rs) l.next
  bal : Exists fun k => Eq (timesMade id rs) (Nat.add k (Nat.add (timesResumed id rs) (weightOpen 1 0 0 id l.opened)))
theorem lose {k r h o : Nat} : Eq (Nat.add k (Nat.add r (Nat.add h o))) (Nat.add (Nat.add h k) (Nat.add r o)) :=
  Eq.trans (congrArg (Nat.add k) (add_swap r h o)) (Eq.trans (add_swap k h _) (add_assoc h k _).symm)
theorem lose_open {id k r : Nat} {o : OpenSelection} {L : List OpenSelection} : Exists fun k' => Eq
    (Nat.add k (Nat.add r (weightOpen 1 0 0 id (.cons o L)))) (Nat.add k' (Nat.add r (weightOpen 1 0 0 id L))) :=
  ⟨_, lose⟩
theorem Ex.trans {a : Nat} {b : Nat} {f : Nat → Nat} (h : Eq a b) : (Exists fun k => Eq b (f k)) → Exists fun k => Eq a (f k)
  | ⟨k, e⟩ => ⟨k, Eq.trans h e⟩
theorem pop_resumes {id x k : Nat} {rs : List Record} {r : Record} {md : Mode} {l : Lifecycle} (hm : Eq (timesMade id (.cons r rs))
    (timesMade id rs))
    (he : Eq (timesResumed id (.cons r rs)) (timesResumed id rs)) : {L : List OpenSelection} →
    Eq (closeFirst x (fun L' => ⟨Nat.succ (length rs), md, L'⟩) L) (some l) →
    Eq (timesMade id rs) (Nat.add k (Nat.add (timesResumed id rs) (weightOpen 1 0 0 id L))) → ResumeLedger id (.cons r rs) l
  | .cons _ _, e, h => match guard_eq e with
    | ⟨_, rfl⟩ => ⟨rfl, Ex.trans hm (Ex.trans h (he.symm ▸ lose_open))⟩
theorem resume_resumes {id s m k : Nat} {rs : List Record} {v : Value} {l : Lifecycle} {L : List OpenSelection} :
    (x : Option (List OpenSelection)) → Eq (insertAt ⟨s, .resumed⟩ m L) x →
    Eq (Option.bind (fun L' => some (Lifecycle.mk (Nat.succ (length rs)) .run L')) x) (some l) →
    Eq (timesMade id rs) (Nat.add k (Nat.add (timesResumed id rs)
        (weightOpen 1 0 0 id (.cons ⟨s, .selected m⟩ L)))) → ResumeLedger id (.cons (.continuationResume s v) rs) l
  | some _, e, rfl, h => ⟨rfl, k, Eq.trans h (congrArg (Nat.add k) (Eq.trans (move (hit_add id s 1 0))
      (congrArg (Nat.add _) (open_insert (a₁ := 1) (a₂ := 0) (a₃ := 0) (OpenSelection.mk s .resumed) m L e).symm)))⟩
theorem resumes_accept {id : Nat} {rs : List Record} : {n : Nat} → {md : Mode} → {L : List OpenSelection} → {l : Lifecycle} → (r : Record) →
    Eq (acceptRecord ⟨n, md, L⟩ r) (some l) → ResumeLedger id rs ⟨n, md, L⟩ → ResumeLedger id (.cons r rs) l
  | _, .run, _, _, .effectDeclaration _ _, rfl, ⟨rfl, h⟩ => ⟨rfl, h⟩
  | _, .raised _, _, _, .handlerSelection _ _, e, ⟨rfl, k, h⟩ => match guard_eq e with
    | ⟨_, e⟩ => match guard_some e with
      | ⟨_, rfl⟩ => ⟨rfl, k, Eq.trans (congrArg (Nat.add _) h) (Eq.trans (add_swap _ k _) (congrArg (Nat.add k) (add_swap _ _ _)))⟩
  | _, .selected _, _, _, .resumptionHandle _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨_, rfl⟩ => ⟨rfl, h⟩
  | _, .run, .cons ⟨_, .selected _⟩ _, _, .continuationResume _ _, e, ⟨rfl, _k, h⟩ => match guard_eq e with
    | ⟨rfl, e⟩ => resume_resumes _ rfl e h
  | _, .run, .cons ⟨_, .resumed⟩ _, _, .resumeReturn _ _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, h⟩
  | _, .run, .cons ⟨_, .returned⟩ _, _, .effectCapture .return _ _, e, ⟨rfl, _k, h⟩ => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, Ex.trans h lose_open⟩
  | _, .run, .cons ⟨_, .selected _⟩ _, _, .effectCapture .answer _ _, e, ⟨rfl, _k, h⟩ => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, Ex.trans h lose_open⟩
  | _, .run, .cons ⟨_, .selected _⟩ _, _, .effectCapture .abort _ _, e, ⟨rfl, _k, h⟩ => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, Ex.trans h lose_open⟩
  | _, .closing _ _, _, _, .selectionClosed .dropped _ _, e, ⟨rfl, _k, h⟩ => pop_resumes rfl rfl (guard_eq e).right h
  | _, .failed _ _, _, _, .selectionClosed .failed _ _, e, ⟨rfl, _k, h⟩ => pop_resumes rfl rfl (guard_eq e).right h
  | _, .raised _, _, _, .hostObservation _ _, e, ⟨rfl, h⟩ => match guard_eq e with
    | ⟨_, rfl⟩ => ⟨rfl, h⟩
  | _, .run, _, _, .failure _, rfl, ⟨rfl, h⟩ => ⟨rfl, h⟩
  | _, .run, .nil, _, .runEnd (.completed _), rfl, ⟨rfl, h⟩ => ⟨rfl, h⟩
  | _, .failed _ _, .nil, _, .runEnd (.failed _), e, ⟨rfl, h⟩ => match guard_some e with
    | ⟨_, rfl⟩ => ⟨rfl, h⟩
theorem resumes_ledger {id : Nat} : (rs : List Record) → {l : Lifecycle} → Eq (lifecycle rs) (some l) → ResumeLedger id rs l
  | .nil, _, rfl => ⟨rfl, 0, rfl⟩
  | .cons r rs, _, e => match bind_some _ e with
    | ⟨⟨_, _, _⟩, e₁, e₂⟩ => resumes_accept r e₂ (resumes_ledger rs e₁)
/-- **resumed at most as often as made**, so at most once. -/
theorem resumed_at_most_once {id rs l} (h : Eq (lifecycle rs) (some l)) : Exists fun k => Eq (timesMade id rs)
    (Nat.add k (timesResumed id rs)) :=
  match (resumes_ledger rs h).bal with
  | ⟨k, e⟩ => ⟨Nat.add k (weightOpen 1 0 0 id l.opened), Eq.trans e (Eq.trans (congrArg (Nat.add k) (add_comm _ _)) (add_assoc k _ _).symm)⟩
end Eclogue
