prelude
import Eclogue.Proofs.Core.Admission
/-! Programs that `core0h` admits: their traces, and that `core0` admits them too. -/
namespace Eclogue

mutual
/-- All that waits in a frame is of core0h. -/
def core0hFrame : Frame → Bool
  | .bind _ k => core0h k
  | .handler _ r clauses => and (core0h r) (core0hClauses clauses)
  | .bodyBind _ _ K b => and (core0hContinuation K) (core0hBody b)
  | .resumeReturn _ _ k => core0h k
  | .complete _ => true
/-- All that waits in a continuation is of core0h. -/
def core0hContinuation : List Frame → Bool
  | .nil => true
  | .cons f K => and (core0hFrame f) (core0hContinuation K)
end
/-- What runs, or was captured, is of core0h. -/
def core0hControl : Control → Bool
  | .run _ c => Eclogue.core0h c
  | .body _ _ K b => and (core0hContinuation K) (core0hBody b)
  | .outcome (.suspended _ _ _ K) => core0hContinuation K
  | .outcome _ => true
/-- A state of a program of core0h. -/
structure StateH (s : State) : Prop where
  control : Eq (core0hControl s.control) true
  stack : Eq (core0hContinuation s.stack) true
  trace : Every Record.core0h s.trace
theorem h_append : {K S : Continuation} → Eq (core0hContinuation K) true → Eq (core0hContinuation S) true → Eq
    (core0hContinuation (List.append K S)) true
  | .nil, _, _, h => h
  | .cons _ _, _, h, h' => match and_true h with
    | ⟨x, y⟩ => and_intro x (h_append y h')
theorem h_extend {K f} (h : Eq (core0hContinuation K) true) (h' : Eq (core0hFrame f) true) : Eq
    (core0hContinuation (extend K f)) true := h_append h (and_intro h' rfl)
theorem pick_true {α : Type} {p : α → Bool} {a b : α} (h : Eq (and (p a) (p b)) true) (v : Value) : Eq (p (choose v a b)) true :=
  match v with
  | .bool true => (and_true h).left
  | .bool false => (and_true h).right
  | .null => (and_true h).right
  | .int _ => (and_true h).right
  | .text _ => (and_true h).right
  | .list _ => (and_true h).right
  | .record _ => (and_true h).right
theorem h_run {ρ S t} : (c : Computation) → (r : Result Value) → Eq (core0h c) true → Eq
    (core0hContinuation S) true → Every Record.core0h t → StateH (runComputation ρ S t c r)
  | _, .err _, _, s, h => ⟨rfl, s, h.push rfl⟩
  | .return _, .ok _, _, s, h => ⟨rfl, s, h⟩
  | .let _ _, .ok _, a, s, h => match and_true a with
    | ⟨x, y⟩ => ⟨x, and_intro y s, h⟩
  | .perform _ _, .ok _, _, s, h => ⟨rfl, s, h.push rfl⟩
  | .handle _ _ _, .ok _, a, s, h => match and_true a with
    | ⟨x, y⟩ => ⟨x, and_intro y s, h⟩
  | .if _ _ _, .ok v, a, s, h => ⟨pick_true a v, s, h⟩
theorem h_body {ρ id K S t} : (b : ClauseBody) → (r : Result Value) → Eq (core0hContinuation K) true → Eq (core0hBody b) true → Eq
    (core0hContinuation S) true →
    Every Record.core0h t → StateH (runBody ρ id K S t b r)
  | _, .err _, _, _, s, h => ⟨rfl, s, clean_close (p := Record.core0h) (fun _ => rfl) (openInBody id K) (h.push rfl)⟩
  | .let _ _, .ok _, k, a, s, h => match and_true a with
    | ⟨x, y⟩ => ⟨x, and_intro (and_intro k y) s, h⟩
  | .if _ _ _, .ok v, k, a, s, h => ⟨and_intro k (pick_true a v), s, h⟩
  | .resume _ _, .ok _, k, a, s, h => ⟨rfl, h_append k (and_intro a s), h.push rfl⟩
theorem h_find {op b} : (clauses : Clauses) → Eq (core0hClauses clauses) true → Eq (findClause op clauses) (some b) → Eq (core0hBody b) true
  | .cons op' _ cs, h, e => match and_true h with
    | ⟨x, y⟩ => go (h_find cs y) x (Nat.beq op op') e
where
  go {x : Option ClauseBody} {b b' : ClauseBody} (ih : Eq x (some b) → Eq (core0hBody b) true) (h : Eq (core0hBody b') true) :
      (q : Bool) → Eq (cond q (some b') x) (some b) → Eq (core0hBody b) true
  | true, rfl => h
  | false, e => ih e
theorem h_catch {op ρ b} : (f : Frame) → Eq (core0hFrame f) true → Eq (catches op f) (some (ρ, b)) → Eq (core0hBody b) true
  | .handler ρ' r clauses, h, e => h_find clauses (and_true h).right (find_of_catches (ρ := ρ') (r := r) _ rfl e)
theorem h_deliver {d op v f K S t} (k : Eq (core0hContinuation K) true) (hf : Eq (core0hFrame f) true)
    (s : Eq (core0hContinuation S) true) (h : Every Record.core0h t) :
    (r : Option (Prod Environment ClauseBody)) → Eq (catches op f) r → StateH (raiseTo d op v (extend K f) S t r)
  | none, _ => ⟨h_extend k hf, s, h⟩
  | some (_, _), e => ⟨and_intro (h_extend k hf) (h_catch f hf e), s,
      Every.push (r := .resumptionHandle t.next) (Every.push (r := .handlerSelection d (length (openIn (extend K f)))) h rfl) rfl⟩
theorem h_done {v S t} (s : Eq (core0hContinuation S) true) (h : Every Record.core0h t) : (f : Frame) → Eq
    (core0hFrame f) true → StateH (returnTo v S t f)
  | .bind _ _, k => ⟨k, s, h⟩
  | .handler _ _ _, k => ⟨(and_true k).left, s, h⟩
  | .bodyBind _ _ _ _, k => ⟨k, s, h⟩
  | .resumeReturn _ _ _, k => ⟨k, and_intro rfl s, h.push rfl⟩
  | .complete _, _ => ⟨rfl, s, h.push rfl⟩
theorem h_step : (s : State) → {s' : State} → Eq (step s) (some s') → StateH s → StateH s'
  | ⟨.run _ c, _, _⟩, _, rfl, ⟨a, s, h⟩ => h_run c _ a s h
  | ⟨.body _ _ _ b, _, _⟩, _, rfl, ⟨a, s, h⟩ => h_body b _ (and_true a).left (and_true a).right s h
  | ⟨.outcome (.completed _), .cons f _, _⟩, _, rfl, ⟨_, s, h⟩ => h_done (and_true s).right h f (and_true s).left
  | ⟨.outcome (.suspended _ op _ _), .cons f _, _⟩, _, rfl, ⟨a, s, h⟩ => h_deliver a (and_true s).left (and_true s).right h
        (catches op f) rfl
  | ⟨.outcome (.failed _ _), .cons f _, _⟩, _, rfl, ⟨_, s, h⟩ => ⟨rfl, (and_true s).right, clean_close (p := Record.core0h)
        (fun _ => rfl) (openOfFrame f) h⟩
theorem h_steps : {s s' : State} → Steps s s' → StateH s → StateH s'
  | _, _, .refl, h => h
  | _, _, .head e p, h => h_steps p (h_step _ e h)
/-- **core0h_admission**. -/
theorem core0h_admission {c s} (h : Eq (core0h c) true) (p : Steps (start c) s) : Every Record.core0h s.trace :=
  (h_steps p ⟨h, rfl, rfl⟩).trace

/-! ### core0h ⊂ core0 -/
theorem or_none : {a b : Bool} → Eq a false → Eq b false → Eq (or a b) false
  | false, _, _, h => h
theorem answers_h : (b : ClauseBody) → Eq (core0hBody b) true → Eq (mayAnswer b) false
  | .let _ b, h => answers_h b (and_true h).right
  | .if _ a b, h => or_none (answers_h a (and_true h).left) (answers_h b (and_true h).right)
  | .resume _ _, _ => rfl
/-- No operation is in the set. -/
def NoneIn (E : OperationSet) : Prop := (op : Nat) → Eq (E op) false
/-- Every operation is in the set. -/
def AllIn (al : OperationSet) : Prop := (op : Nat) → Eq (al op) true
theorem all_minus {E al} (e : NoneIn E) (a : AllIn al) : AllIn (without al E) := fun op => and_intro (congrArg not (e op)) (a op)
theorem all_lim {E al} (e : NoneIn E) (a : AllIn al) : (q : Bool) → AllIn (mayLeave E al q)
  | true => all_minus e a
  | false => a
theorem none_encl {E clauses} (e : NoneIn E) (h : Eq (core0hClauses clauses) true) : NoneIn
    (answeredInside clauses E) := fun op => go op (findClause op clauses) rfl
where
  go (op : Nat) : (x : Option ClauseBody) → Eq (findClause op clauses) x → Eq (answeredBy (E op) x) false
  | none, _ => e op
  | some b, h' => answers_h b (h_find clauses h h')
mutual
theorem admitted_h : (c : Computation) → {E al : OperationSet} → NoneIn E → AllIn al → Eq (core0h c) true → Eq (admitted c E al) true
  | .return _, _, _, _, _, _ => rfl
  | .let c k, _, _, e, a, h => and_intro (admitted_h c e a (and_true h).left) (admitted_h k e a (and_true h).right)
  | .perform op _, _, _, _, a, _ => a op
  | .handle c r clauses, _, _, e, a, h =>
    have l := all_lim e a (someMayResume clauses)
    have x := and_true (and_true h).right
    and_intro (admitted_h c (none_encl e x.right) (fun op => or_right (l op)) (and_true h).left)
      (and_intro (admitted_h r e l x.left) (admitted_h_clauses clauses e (all_minus e l) x.right))
  | .if _ x y, _, _, e, a, h => and_intro (admitted_h x e a (and_true h).left) (admitted_h y e a (and_true h).right)
theorem admitted_h_clauses : (clauses : Clauses) → {E al : OperationSet} → NoneIn E → AllIn al → Eq (core0hClauses clauses) true → Eq
    (admittedClauses clauses E al) true
  | .nil, _, _, _, _, _ => rfl
  | .cons _ b cs, _, _, e, a, h => and_intro (admitted_h_body b e a (and_true h).left) (admitted_h_clauses cs e a (and_true h).right)
theorem admitted_h_body : (b : ClauseBody) → {E al : OperationSet} → NoneIn E → AllIn al → Eq (core0hBody b) true →
    Eq (admittedBody b E al) true
  | .let c b, _, _, e, a, h => and_intro (admitted_h c e a (and_true h).left) (admitted_h_body b e a (and_true h).right)
  | .if _ x y, _, _, e, a, h => and_intro (admitted_h_body x e a (and_true h).left) (admitted_h_body y e a (and_true h).right)
  | .resume _ k, _, _, e, a, h => admitted_h k e a h
end
/-- What core0h admits, core0 admits. -/
theorem core0h_core0 {c} (h : Eq (core0h c) true) : Eq (core0 c) true := admitted_h c (fun _ => rfl) (fun _ => rfl) h

end Eclogue
