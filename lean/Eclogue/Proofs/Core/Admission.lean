prelude
import Eclogue.Core.Profiles
import Eclogue.Proofs.Validator.Lifecycle
/-! No run of a program that `core0` admits ever drops an open selection. -/
namespace Eclogue

/-- The first set is part of the second. -/
def Sub (a b : OperationSet) : Prop := (op : Nat) → Eq (a op) true → Eq (b op) true
/-- No operation of `al` is in `A`. -/
def Apart (A al : OperationSet) : Prop := (op : Nat) → Eq (A op) true → Eq (al op) true → False
theorem minus_sub {A al : OperationSet} : Sub (without al A) al := fun _ h => (and_true h).right
theorem minus_apart {A al : OperationSet} : Apart A (without al A) := fun op ha h =>
  have e : Eq (not (A op)) true := (and_true h).left
  nomatch Eq.trans (congrArg not ha).symm e
theorem Sub.refl {a : OperationSet} : Sub a a := fun _ h => h
theorem Sub.trans {a b c : OperationSet} (h : Sub a b) (h' : Sub b c) : Sub a c := fun op x => h' op (h op x)
theorem nothing_sub {a : OperationSet} : Sub noOperation a := fun _ h => nomatch h

/-! ### stacks that respect the rule -/
/-- A clause body of which `al` may leave, with captured continuation `K`, of whose bottom `x` may leave. -/
structure BodyOk (E al x : OperationSet) (K : Continuation) (b : ClauseBody) : Prop where
  apart : Apart E al
  body : Eq (admittedBody b E al) true
  below : Eq (mayResume b) true → Sub x al
  clean : Eq (mayAnswer b) true → Eq (openIn K) .nil
mutual
/-- `FrameOk E al f E' al'`: if the operations that reach `f` from inside are in `al`, those that leave it are in `al'`;
`E`, `E'` are what is answered outside the inner computation and outside `f`. -/
inductive FrameOk : OperationSet → OperationSet → Frame → OperationSet → OperationSet → Prop where
  | bind {E al al' ρ k} : Sub al al' → Eq (admitted k E al') true → FrameOk E al (.bind ρ k) E al'
  | handler {E al al' ρ r clauses} : Sub al (mayReach clauses al') → (Eq (someMayResume clauses) true → Apart E al') → Eq
        (admitted r E al') true →
      Eq (admittedClauses clauses E (without al' E)) true → FrameOk (answeredInside clauses E) al (.handler ρ r clauses) E al'
  | bodyBind {E E₀ al al' x ρ id K b} : Sub al al' → BodyOk E al' x K b → (Eq (mayResume b) true → Seg E₀ noOperation K E x) →
      FrameOk E al (.bodyBind ρ id K b) E al'
  | resumeReturn {E al al' ρ id k} : Sub al al' → Apart E al' → Eq (admitted k E al') true → FrameOk E al (.resumeReturn ρ id k) E al'
  | complete {E al al' id} : Sub al al' → Apart E al' → FrameOk E al (.complete id) E al'
/-- The same for a continuation: its innermost end is reached by `al`, its outermost is left by `al'`. -/
inductive Seg : OperationSet → OperationSet → Continuation → OperationSet → OperationSet → Prop where
  | nil {E al al'} : Sub al al' → Seg E al .nil E al'
  | cons {E al E' al' E'' al'' f K} : FrameOk E al f E' al' → Seg E' al' K E'' al'' → Seg E al (.cons f K) E'' al''
end
theorem FrameOk.sub {E E' a b f c} (h : Sub a b) : FrameOk E b f E' c → FrameOk E a f E' c
  | .bind s k => .bind (h.trans s) k
  | .handler s p r c => .handler (h.trans s) p r c
  | .bodyBind s b k => .bodyBind (h.trans s) b k
  | .resumeReturn s p k => .resumeReturn (h.trans s) p k
  | .complete s p => .complete (h.trans s) p
theorem Seg.sub {E E' a b K c} (h : Sub a b) : Seg E b K E' c → Seg E a K E' c
  | .nil s => .nil (h.trans s)
  | .cons f k => .cons (f.sub h) k
theorem Seg.append : {K S : Continuation} → {E E' E'' a b c : OperationSet} → Seg E a K E' b → Seg E' b S E'' c → Seg E a
    (List.append K S) E'' c
  | .nil, _, _, _, _, _, _, _, .nil s, q => q.sub s
  | .cons _ _, _, _, _, _, _, _, _, .cons f p, q => .cons f (append p q)
theorem Seg.snoc {K f E E' E'' a b c} (h : Seg E a K E' b) (h' : FrameOk E' b f E'' c) : Seg E a (extend K f) E'' c := h.append
    (.cons h' (.nil .refl))

/-- What the body of the clause that was found satisfies. -/
theorem find_ok {op E al b} : (clauses : Clauses) → Eq (admittedClauses clauses E al) true → Eq (findClause op clauses) (some b) →
    And (Eq (admittedBody b E al) true) (Eq (mayResume b) true → Eq (someMayResume clauses) true)
  | .cons op' _b' cs, h, e =>
    match and_true h with
    | ⟨h₁, h₂⟩ => go cs (find_ok cs h₂) h₁ (Nat.beq op op') e
where
  go {op E al b b'} (cs : Clauses) (ih : Eq (findClause op cs) (some b) → And (Eq (admittedBody b E al) true)
      (Eq (mayResume b) true → Eq (someMayResume cs) true))
    (h : Eq (admittedBody b' E al) true) : (q : Bool) → Eq (cond q (some b') (findClause op cs)) (some b) →
    And (Eq (admittedBody b E al) true) (Eq (mayResume b) true → Eq (or (mayResume b') (someMayResume cs)) true)
  | true, rfl => ⟨h, or_left⟩
  | false, e => match ih e with
    | ⟨x, z⟩ => ⟨x, fun r => or_right (z r)⟩

theorem Every.push {p t r} (h : Every p t) (h' : Eq (p r) true) : Every p (t.push r) := and_intro h' h
theorem clean_close {p n} (hp : (s : Nat) → Eq (p (.selectionClosed .failed s n)) true) :
    (L : List OpenSelection) → {t : Trace} → Every p t → Every p (closeAll .failed n L t)
  | .nil, _, h => h
  | .cons _ L, _, h => clean_close hp L (h.push (hp _))

/-- The invariant: a state of an admitted program. -/
inductive ControlOk : Control → Continuation → Prop where
  | run {ρ c E al S T top} : Eq (admitted c E al) true → Seg E al S T top → ControlOk (.run ρ c) S
  | body {ρ id K b E E₀ al x S T top} : BodyOk E al x K b → (Eq (mayResume b) true → Seg E₀ noOperation K E x) → Seg E al S T top →
      ControlOk (.body ρ id K b) S
  | completed {v E al S T top} : Seg E al S T top → ControlOk (.outcome (.completed v)) S
  | suspended {d op v K E E₀ al S T top} : Seg E₀ noOperation K E al → Eq (al op) true →
        (Eq (E op) true → Eq (openIn K) .nil) → Seg E al S T top →
      ControlOk (.outcome (.suspended d op v K)) S
  | fail {k n S} : ControlOk (.outcome (.failed k n)) S
/-- A state of an admitted program: control and stack respect the rule, and the trace is one of core0. -/
structure StateOk (s : State) : Prop where
  control : ControlOk s.control s.stack
  trace : Every Record.core0 s.trace

theorem adm_pick {E al x y} (h : Eq (and (admitted x E al) (admitted y E al)) true) : (v : Value) → Eq (admitted (choose v x y) E al) true
  | .bool true => (and_true h).left
  | .bool false => (and_true h).right
  | .null => (and_true h).right
  | .int _ => (and_true h).right
  | .text _ => (and_true h).right
  | .list _ => (and_true h).right
  | .record _ => (and_true h).right
theorem lim_sub {E al} : (q : Bool) → Sub (mayLeave E al q) al
  | true => minus_sub
  | false => .refl
theorem lim_apart {E al} : (q : Bool) → Eq q true → Apart E (mayLeave E al q)
  | true, _ => minus_apart

theorem ok_run {ρ S t E al T top} : (c : Computation) → (r : Result Value) → Eq
    (admitted c E al) true → Seg E al S T top → Every Record.core0 t → StateOk (runComputation ρ S t c r)
  | _, .err _, _, _, h => ⟨.fail, h.push rfl⟩
  | .return _, .ok _, _, s, h => ⟨.completed s, h⟩
  | .let _ _, .ok _, a, s, h => match and_true a with
    | ⟨x, y⟩ => ⟨.run x (.cons (.bind .refl y) s), h⟩
  | .perform _ _, .ok _, a, s, h => ⟨.suspended (.nil nothing_sub) a (fun _ => rfl) s, h.push rfl⟩
  | .handle _ _ clauses, .ok _, a, s, h => match and_true a with
    | ⟨x, yz⟩ => match and_true yz with
      | ⟨y, z⟩ => ⟨.run x (.cons (.handler .refl (lim_apart (someMayResume clauses)) y z) (s.sub (lim_sub (someMayResume clauses)))), h⟩
  | .if _ _ _, .ok v, a, s, h => ⟨.run (adm_pick a v) s, h⟩

theorem BodyOk.pick {E al x K y z e} (h : BodyOk E al x K (.if e y z)) : (v : Value) → BodyOk E al x K (choose v y z)
  | .bool true => left
  | .bool false => right
  | .null => right
  | .int _ => right
  | .text _ => right
  | .list _ => right
  | .record _ => right
where
  left : BodyOk E al x K y := ⟨h.apart, (and_true h.body).left, fun r => h.below (or_left r), fun r => h.clean (or_left r)⟩
  right : BodyOk E al x K z := ⟨h.apart, (and_true h.body).right, fun r => h.below (or_right r), fun r => h.clean (or_right r)⟩
theorem resumes_pick {y z : ClauseBody} : (v : Value) → Eq (mayResume (choose v y z)) true → Eq (or (mayResume y) (mayResume z)) true
  | .bool true, h => or_left h
  | .bool false, h => or_right h
  | .null, h => or_right h
  | .int _, h => or_right h
  | .text _, h => or_right h
  | .list _, h => or_right h
  | .record _, h => or_right h
theorem clean_drop {id v K t} (e : Eq (openIn K) .nil) (h : Every Record.core0 t) : Every Record.core0 (recordDrop .answer id v K t) :=
  Eq.subst (motive := fun L => Every Record.core0 (closeAll .dropped t.next L (t.push (.effectCapture .answer id v)))) e.symm (h.push rfl)
theorem ok_body {ρ id K S t E E₀ al x T top} : (b : ClauseBody) → (r : Result Value) → BodyOk E al x K b →
    (Eq (mayResume b) true → Seg E₀ noOperation K E x) →
    Seg E al S T top → Every Record.core0 t → StateOk (runBody ρ id K S t b r)
  | _, .err _, _, _, _, h => ⟨.fail, clean_close (p := Record.core0) (fun _ => rfl) (openInBody id K) (h.push rfl)⟩
  | .let _ _, .ok _, b, k, s, h => match and_true b.body with
    | ⟨x, y⟩ => ⟨.run x (.cons (.bodyBind .refl ⟨b.apart, y, b.below, b.clean⟩ k) s), h⟩
  | .if _ _ _, .ok v, b, k, s, h => ⟨.body (b.pick v) (fun r => k (resumes_pick v r)) s, h⟩
  | .answer _, .ok _, b, _, s, h => ⟨.completed s, clean_drop (b.clean rfl) h⟩
  | .resume _ _, .ok _, b, k, s, h => ⟨.completed ((k rfl).append (.cons (.resumeReturn (b.below rfl) b.apart b.body) s)), h.push rfl⟩

theorem find_of_catches {op ρ r clauses ρ' b} : (y : Option ClauseBody) → Eq (findClause op clauses) y → Eq
    (catches op (.handler ρ r clauses)) (some (ρ', b)) → Eq (findClause op clauses) (some b)
  | none, e, h => nomatch Eq.trans (congrArg (withEnvironment ρ) e).symm h
  | some _, e, h => match Eq.trans (congrArg (withEnvironment ρ) e).symm h with
    | rfl => e
theorem none_of_catches {op ρ r clauses} : (y : Option ClauseBody) → Eq (findClause op clauses) y → Eq
    (catches op (.handler ρ r clauses)) none → Eq (findClause op clauses) none
  | none, e, _ => e
  | some _, e, h => nomatch Eq.trans (congrArg (withEnvironment ρ) e).symm h
theorem open_pure {K f} (hf : Eq (openOfFrame f) .nil) (h : Eq (openIn K) .nil) : Eq (openIn (extend K f)) .nil :=
  Eq.trans (open_extend K f) (Eq.trans (congrArg (fun L => List.append L (openOfFrame f)) h) hf)
/-- An operation that a frame lets pass is allowed below it, and if it is answered there it has captured nothing open. -/
theorem ok_skip {E E' op f al al' K} (hn : Eq (catches op f) none) (ho : Eq (al op) true) (hk : Eq (E op) true → Eq (openIn K) .nil) :
    FrameOk E al f E' al' → And (Eq (al' op) true) (Eq (E' op) true → Eq (openIn (extend K f)) .nil)
  | .bind s _ => ⟨s _ ho, fun a => open_pure rfl (hk a)⟩
  | .handler (clauses := clauses) s _ _ _ => ⟨
      have e : Eq (or (isClause (findClause op clauses)) (al' op)) true := s _ ho
      Eq.trans (congrArg (fun q => or (isClause q) (al' op)) (none_of_catches _ rfl hn)).symm e,
      fun a => open_pure rfl (hk (Eq.trans (congrArg (answeredBy (E' op)) (none_of_catches _ rfl hn)) a))⟩
  | .bodyBind s b _ => ⟨s _ ho, fun a => (b.apart _ a (s _ ho)).elim⟩
  | .resumeReturn s p _ => ⟨s _ ho, fun a => (p _ a (s _ ho)).elim⟩
  | .complete s p => ⟨s _ ho, fun a => (p _ a (s _ ho)).elim⟩
theorem clean_sel {d K t} (h : Every Record.core0 t) : Every Record.core0 (recordSelection d K t) :=
  Every.push (r := .resumptionHandle t.next) (Every.push (r := .handlerSelection d (length (openIn K))) h rfl) rfl
theorem ok_catch {E E₀ E' op f al al' K S T top ρ b d v t} (hc : Eq (catches op f) (some (ρ, b))) (hK : Seg E₀ noOperation K E al)
    (hk : Eq (E op) true → Eq (openIn K) .nil) (s : Seg E' al' S T top) (h : Every Record.core0 t) : FrameOk E al f E' al' →
    StateOk ⟨.body (.cons v ρ) t.next (extend K f) b, S, recordSelection d (extend K f) t⟩
  | .handler (clauses := clauses) s' p r c => match find_ok clauses c (find_of_catches _ rfl hc) with
    | ⟨hb, hr⟩ => ⟨.body (x := al') (al := without al' E')
        ⟨minus_apart, hb, fun e op y => and_intro (not_of_apart (p (hr e)) op y) y,
          fun e => open_pure rfl (hk (Eq.trans (congrArg (answeredBy (E' op)) (find_of_catches _ rfl hc)) e))⟩
        (fun _ => hK.snoc (.handler s' p r c)) (s.sub minus_sub), clean_sel h⟩
where
  not_of_apart {A al : OperationSet} (p : Apart A al) (op : Nat) (y : Eq (al op) true) : Eq (not (A op)) true :=
    have q : (b : Bool) → Eq (A op) b → Eq (not b) true := fun b => match b with
      | true => fun e => (p op e y).elim
      | false => fun _ => rfl
    q (A op) rfl
theorem ok_deliver {E E₀ E' op f al al' K S T top d v t} (hK : Seg E₀ noOperation K E al) (ho : Eq (al op) true)
    (hk : Eq (E op) true → Eq (openIn K) .nil) (hf : FrameOk E al f E' al') (s : Seg E' al' S T top) (h : Every Record.core0 t) :
    (r : Option (Prod Environment ClauseBody)) → Eq (catches op f) r → StateOk (raiseTo d op v (extend K f) S t r)
  | none, e => match ok_skip e ho hk hf with
    | ⟨x, y⟩ => ⟨.suspended (hK.snoc hf) x y s, h⟩
  | some (_, _), e => ok_catch e hK hk s h hf
theorem ok_done {f E E' al al' S T top v t} (s : Seg E' al' S T top) (h : Every Record.core0 t) : FrameOk E al f E' al' → StateOk
    (returnTo v S t f)
  | .bind _ k => ⟨.run k s, h⟩
  | .handler _ _ r _ => ⟨.run r s, h⟩
  | .bodyBind _ b k => ⟨.body b k s, h⟩
  | .resumeReturn _ p k => ⟨.run k (.cons (.complete .refl p) s), h.push rfl⟩
  | .complete _ _ => ⟨.completed s, h.push rfl⟩
theorem ok_step : (s : State) → {s' : State} → Eq (step s) (some s') → StateOk s → StateOk s'
  | ⟨.run _ c, _, _⟩, _, rfl, ⟨.run a s, h⟩ => ok_run c _ a s h
  | ⟨.body _ _ _ b, _, _⟩, _, rfl, ⟨.body x k s, h⟩ => ok_body b _ x k s h
  | ⟨.outcome (.completed _), .cons _ _, _⟩, _, rfl, ⟨.completed (.cons f s), h⟩ => ok_done s h f
  | ⟨.outcome (.suspended _ op _ _), .cons f _, _⟩, _, rfl, ⟨.suspended k o a (.cons g s), h⟩ => ok_deliver k o a g s h (catches op f) rfl
  | ⟨.outcome (.failed _ _), .cons f _, _⟩, _, rfl, ⟨.fail, h⟩ => ⟨.fail, clean_close (p := Record.core0) (fun _ => rfl) (openOfFrame f) h⟩
theorem ok_steps : {s s' : State} → Steps s s' → StateOk s → StateOk s'
  | _, _, .refl, h => h
  | _, _, .head e p, h => ok_steps p (ok_step _ e h)
theorem ok_init {c} (h : Eq (core0 c) true) : StateOk (start c) := ⟨.run (top := everyOperation) h (.nil .refl), rfl⟩
/-- **core0_admission**. -/
theorem core0_admission {c s} (h : Eq (core0 c) true) (p : Steps (start c) s) : Every Record.core0 s.trace :=
    (ok_steps p (ok_init h)).trace
end Eclogue
