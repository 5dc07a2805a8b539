prelude
import Eclogue.Validator.Counting
import Eclogue.Proofs.Core.AdmissionH
/-! Counting in traces of core0h: made = done + owed. -/
namespace Eclogue

/-- `k` for each selection numbered `id`. -/
def weightMade (k id : Nat) : List Record → Nat
  | .nil => 0
  | .cons (.handlerSelection _ _) rs => Nat.add (hit id (length rs) k) (weightMade k id rs)
  | .cons _ rs => weightMade k id rs
/-- `a₁` for each resume of `id`, `a₂` for each return, `a₃` for each capture. -/
def weightDone (a₁ a₂ a₃ id : Nat) : List Record → Nat
  | .nil => 0
  | .cons (.continuationResume s _) rs => Nat.add (hit id s a₁) (weightDone a₁ a₂ a₃ id rs)
  | .cons (.resumeReturn s _) rs => Nat.add (hit id s a₂) (weightDone a₁ a₂ a₃ id rs)
  | .cons (.effectCapture _ s _) rs => Nat.add (hit id s a₃) (weightDone a₁ a₂ a₃ id rs)
  | .cons _ rs => weightDone a₁ a₂ a₃ id rs
/-- What an open selection still owes. -/
def owes (a₁ a₂ a₃ : Nat) : Phase → Nat
  | .selected _ => Nat.add a₁ (Nat.add a₂ a₃)
  | .resumed => Nat.add a₂ a₃
  | .returned => a₃
/-- What all open selections numbered `id` still owe. -/
def weightOpen (a₁ a₂ a₃ id : Nat) : List OpenSelection → Nat
  | .nil => 0
  | .cons o L => Nat.add (hit id o.selection (owes a₁ a₂ a₃ o.phase)) (weightOpen a₁ a₂ a₃ id L)
/-- Made = done + owed, as long as nothing failed. -/
def Balanced (a₁ a₂ a₃ id : Nat) (rs : List Record) (L : List OpenSelection) : Mode → Prop
  | .closing _ _ => True
  | .failed _ _ => True
  | .ended => True
  | _ => Eq (weightMade (Nat.add a₁ (Nat.add a₂ a₃)) id rs) (Nat.add (weightDone a₁ a₂ a₃ id rs) (weightOpen a₁ a₂ a₃ id L))

theorem hit_add (id x a b : Nat) : Eq (hit id x (Nat.add a b)) (Nat.add (hit id x a) (hit id x b)) :=
  go (Nat.beq id x)
where
  go : (q : Bool) → Eq (cond q (Nat.add a b) 0) (Nat.add (cond q a 0) (cond q b 0))
  | true => rfl
  | false => rfl
/-- Moving a part of what is owed to what is done. -/
theorem move {d h h₁ h₂ o : Nat} (e : Eq h (Nat.add h₁ h₂)) : Eq (Nat.add d (Nat.add h o)) (Nat.add (Nat.add h₁ d) (Nat.add h₂ o)) :=
  Eq.trans (congrArg (fun x => Nat.add d (Nat.add x o)) e)
    (Eq.trans (congrArg (Nat.add d) (add_assoc h₁ h₂ o)) (Eq.trans (add_swap d h₁ _) (add_assoc h₁ d _).symm))
theorem open_insert {a₁ a₂ a₃ id} (x : OpenSelection) : (m : Nat) → (L : List OpenSelection) → {L' : List OpenSelection} → Eq
    (insertAt x m L) (some L') →
    Eq (weightOpen a₁ a₂ a₃ id L') (Nat.add (hit id x.selection (owes a₁ a₂ a₃ x.phase)) (weightOpen a₁ a₂ a₃ id L))
  | .zero, _, _, rfl => rfl
  | .succ m, .cons _y L, _, e => go (insertAt x m L) (open_insert x m L) e
where
  go {a₁ a₂ a₃ id : Nat} {x y : OpenSelection} {L : List OpenSelection} : (r : Option (List OpenSelection)) →
      ({L' : List OpenSelection} → Eq r (some L') →
      Eq (weightOpen a₁ a₂ a₃ id L') (Nat.add (hit id x.selection (owes a₁ a₂ a₃ x.phase))
          (weightOpen a₁ a₂ a₃ id L))) → {L' : List OpenSelection} →
      Eq (Option.bind (fun l => some (List.cons y l)) r) (some L') →
      Eq (weightOpen a₁ a₂ a₃ id L') (Nat.add (hit id x.selection (owes a₁ a₂ a₃ x.phase)) (weightOpen a₁ a₂ a₃ id (.cons y L)))
  | some _, ih, _, rfl => Eq.trans (congrArg (Nat.add _) (ih rfl)) (add_swap _ _ _)

theorem resumed_state {n n' : Nat} {md' : Mode} {L' : List OpenSelection} : (x : Option (List OpenSelection)) →
    Eq (Option.bind (fun L' => some (Lifecycle.mk (Nat.succ n) .run L')) x) (some ⟨n', md', L'⟩) → And (Eq x (some L'))
        (And (Eq n' (Nat.succ n)) (Eq md' .run))
  | some _, rfl => ⟨rfl, rfl, rfl⟩
/-- Balance, and the count of records, are kept by each record of the profile. -/
theorem bal_accept {a₁ a₂ a₃ id : Nat} {rs : List Record} : {n : Nat} → {md : Mode} → {L : List OpenSelection} → {n' : Nat} →
    {md' : Mode} → {L' : List OpenSelection} → (r : Record) →
    Eq r.core0h true → Eq (acceptRecord ⟨n, md, L⟩ r) (some ⟨n', md', L'⟩) → Eq (length rs) n → Balanced a₁ a₂ a₃ id rs L md →
    And (Eq (Nat.succ (length rs)) n') (Balanced a₁ a₂ a₃ id (.cons r rs) L' md')
  | _, .run, _, _, _, _, .effectDeclaration _ _, _, rfl, rfl, h => ⟨rfl, h⟩
  | _, .raised _, _, _, _, _, .handlerSelection _ _, _, e, rfl, h => match guard_eq e with
    | ⟨_, e⟩ => match guard_some e with
      | ⟨_, rfl⟩ => ⟨rfl, Eq.trans (congrArg (Nat.add _) h) (add_swap _ _ _)⟩
  | _, .selected _, _, _, _, _, .resumptionHandle _, _, e, rfl, h => match guard_eq e with
    | ⟨_, rfl⟩ => ⟨rfl, h⟩
  | _, .run, .cons ⟨_, .selected m⟩ L, n', md', _, .continuationResume s _, _, e, rfl, h => match guard_eq e with
    | ⟨rfl, e⟩ => match n', md', resumed_state _ e with
      | _, _, ⟨e₁, rfl, rfl⟩ => ⟨rfl, Eq.trans h (Eq.trans (move (hit_add id s a₁ (Nat.add a₂ a₃)))
          (congrArg (Nat.add _) (open_insert (OpenSelection.mk s .resumed) m L e₁).symm))⟩
  | _, .run, .cons ⟨_s', .resumed⟩ _L, _, _, _, .resumeReturn s _, _, e, rfl, h => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, Eq.trans h (move (hit_add id s a₂ a₃))⟩
  | _, .run, .cons ⟨_s', .returned⟩ _L, _, _, _, .effectCapture .return _s _, _, e, rfl, h => match guard_eq e with
    | ⟨rfl, rfl⟩ => ⟨rfl, Eq.trans h (Eq.trans (add_swap _ _ _) (add_assoc _ _ _).symm)⟩
  | _, .failed _ _, _, _, _, _, .selectionClosed .failed _ _, _, e, rfl, _ => closed_failed e
  | _, .raised _, _, _, _, _, .hostObservation _ _, _, e, rfl, h => match guard_eq e with
    | ⟨_, rfl⟩ => ⟨rfl, h⟩
  | _, .run, _, _, _, _, .failure _, _, rfl, rfl, _ => ⟨rfl, True.intro⟩
  | _, .run, .nil, _, _, _, .runEnd (.completed _), _, rfl, rfl, _ => ⟨rfl, True.intro⟩
  | _, .failed _ _, .nil, _, _, _, .runEnd (.failed _), _, e, rfl, _ => match guard_some e with
    | ⟨_, rfl⟩ => ⟨rfl, True.intro⟩
where
  closed_failed {rs : List Record} {c c' x n' : Nat} {k : FailureKind} {L L' : List OpenSelection} {md' : Mode}
      (e : Eq (acceptRecord ⟨length rs, .failed c k, L⟩ (.selectionClosed .failed x c')) (some ⟨n', md', L'⟩)) :
      And (Eq (Nat.succ (length rs)) n') (Balanced a₁ a₂ a₃ id (.cons (.selectionClosed .failed x c') rs) L' md') :=
    match L, guard_eq e with
    | .cons _ _, ⟨_, e⟩ => match guard_eq e with
      | ⟨_, rfl⟩ => ⟨rfl, True.intro⟩
theorem balanced {a₁ a₂ a₃ id : Nat} : (rs : List Record) → Eq
    (all Record.core0h rs) true → {n : Nat} → {md : Mode} → {L : List OpenSelection} →
    Eq (lifecycle rs) (some ⟨n, md, L⟩) → And (Eq (length rs) n) (Balanced a₁ a₂ a₃ id rs L md)
  | .nil, _, _, _, _, rfl => ⟨rfl, rfl⟩
  | .cons r rs, h, _, _, _, e => match and_true h, bind_some _ e with
    | ⟨x, y⟩, ⟨⟨_, _, _⟩, e₁, e₂⟩ => match balanced rs y e₁ with
      | ⟨p, q⟩ => bal_accept r x e₂ p q

theorem hit_zero (s s' n : Nat) : Eq (Nat.add (hit s s' 0) n) n :=
  go (Nat.beq s s')
where
  go : (q : Bool) → Eq (Nat.add (cond q 0 0) n) n
  | true => add_zero_left n
  | false => add_zero_left n
theorem weight_resumed {s : Nat} : (rs : List Record) → Eq (weightDone 1 0 0 s rs) (timesResumed s rs)
  | .nil => rfl
  | .cons (.effectDeclaration _ _) rs => weight_resumed rs
  | .cons (.handlerSelection _ _) rs => weight_resumed rs
  | .cons (.resumptionHandle _) rs => weight_resumed rs
  | .cons (.continuationResume _ _) rs => congrArg (Nat.add _) (weight_resumed rs)
  | .cons (.resumeReturn _ _) rs => Eq.trans (hit_zero s _ _) (weight_resumed rs)
  | .cons (.effectCapture _ _ _) rs => Eq.trans (hit_zero s _ _) (weight_resumed rs)
  | .cons (.selectionClosed _ _ _) rs => weight_resumed rs
  | .cons (.hostObservation _ _) rs => weight_resumed rs
  | .cons (.failure _) rs => weight_resumed rs
  | .cons (.runEnd _) rs => weight_resumed rs
theorem weight_returned {s : Nat} : (rs : List Record) → Eq (weightDone 0 1 0 s rs) (timesReturned s rs)
  | .nil => rfl
  | .cons (.effectDeclaration _ _) rs => weight_returned rs
  | .cons (.handlerSelection _ _) rs => weight_returned rs
  | .cons (.resumptionHandle _) rs => weight_returned rs
  | .cons (.continuationResume _ _) rs => Eq.trans (hit_zero s _ _) (weight_returned rs)
  | .cons (.resumeReturn _ _) rs => congrArg (Nat.add _) (weight_returned rs)
  | .cons (.effectCapture _ _ _) rs => Eq.trans (hit_zero s _ _) (weight_returned rs)
  | .cons (.selectionClosed _ _ _) rs => weight_returned rs
  | .cons (.hostObservation _ _) rs => weight_returned rs
  | .cons (.failure _) rs => weight_returned rs
  | .cons (.runEnd _) rs => weight_returned rs
theorem weight_captured {s : Nat} : (rs : List Record) → Eq (weightDone 0 0 1 s rs) (timesCaptured s rs)
  | .nil => rfl
  | .cons (.effectDeclaration _ _) rs => weight_captured rs
  | .cons (.handlerSelection _ _) rs => weight_captured rs
  | .cons (.resumptionHandle _) rs => weight_captured rs
  | .cons (.continuationResume _ _) rs => Eq.trans (hit_zero s _ _) (weight_captured rs)
  | .cons (.resumeReturn _ _) rs => Eq.trans (hit_zero s _ _) (weight_captured rs)
  | .cons (.effectCapture _ _ _) rs => congrArg (Nat.add _) (weight_captured rs)
  | .cons (.selectionClosed _ _ _) rs => weight_captured rs
  | .cons (.hostObservation _ _) rs => weight_captured rs
  | .cons (.failure _) rs => weight_captured rs
  | .cons (.runEnd _) rs => weight_captured rs
theorem weight_made {s : Nat} : (rs : List Record) → Eq (weightMade 1 s rs) (timesMade s rs)
  | .nil => rfl
  | .cons (.handlerSelection _ _) rs => congrArg (Nat.add _) (weight_made rs)
  | .cons (.effectDeclaration _ _) rs => weight_made rs
  | .cons (.resumptionHandle _) rs => weight_made rs
  | .cons (.continuationResume _ _) rs => weight_made rs
  | .cons (.resumeReturn _ _) rs => weight_made rs
  | .cons (.effectCapture _ _ _) rs => weight_made rs
  | .cons (.selectionClosed _ _ _) rs => weight_made rs
  | .cons (.hostObservation _ _) rs => weight_made rs
  | .cons (.failure _) rs => weight_made rs
  | .cons (.runEnd _) rs => weight_made rs
/-- In a trace of core0h that the automaton accepts, with nothing open and nothing failed, each selection was resumed, returned
to and captured as often as it was made. -/
theorem resumed_once {t} (k : Every Record.core0h t) (l : Live t .run .nil) (s : Nat) :
    And (Eq (timesResumed s t.records) (timesMade s t.records)) (And (Eq (timesReturned s t.records) (timesMade s t.records))
      (Eq (timesCaptured s t.records) (timesMade s t.records))) :=
  have m : Eq (timesMade s t.records) (weightMade 1 s t.records) := (weight_made t.records).symm
  ⟨Eq.trans (weight_resumed t.records).symm (Eq.trans (balanced (a₁ := 1) (a₂ := 0) (a₃ := 0) t.records k l).right.symm m.symm),
   Eq.trans (weight_returned t.records).symm (Eq.trans (balanced (a₁ := 0) (a₂ := 1) (a₃ := 0) t.records k l).right.symm m.symm),
   Eq.trans (weight_captured t.records).symm (Eq.trans (balanced (a₁ := 0) (a₂ := 0) (a₃ := 1) t.records k l).right.symm m.symm)⟩
/-- Every record of core0h is one of core0. -/
theorem core0h_sub_core0 : (r : Record) → Eq r.core0h true → Eq r.core0 true
  | .effectDeclaration _ _, _ => rfl
  | .handlerSelection _ _, _ => rfl
  | .resumptionHandle _, _ => rfl
  | .continuationResume _ _, _ => rfl
  | .resumeReturn _ _, _ => rfl
  | .effectCapture .return _ _, _ => rfl
  | .selectionClosed .failed _ _, _ => rfl
  | .hostObservation _ _, _ => rfl
  | .failure _, _ => rfl
  | .runEnd _, _ => rfl
end Eclogue
