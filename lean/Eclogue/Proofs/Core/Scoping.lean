prelude
import Eclogue.Core.Scoping
import Eclogue.Proofs.Validator.HostTraces
/-! A scoped program never fails with `unbound`. -/
namespace Eclogue

mutual
/-- All that waits in a frame is scoped. -/
def scopedFrame : Frame → Bool
  | .bind ρ k => inScope k (Nat.succ (length ρ))
  | .handler ρ r clauses => and (inScope r (Nat.succ (length ρ))) (scopedClauses clauses (Nat.succ (length ρ)))
  | .bodyBind ρ _ K b => and (scopedContinuation K) (scopedBody b (Nat.succ (length ρ)))
  | .resumeReturn ρ _ k => inScope k (Nat.succ (length ρ))
  | .complete _ => true
/-- All that waits in a continuation is scoped. -/
def scopedContinuation : List Frame → Bool
  | .nil => true
  | .cons f K => and (scopedFrame f) (scopedContinuation K)
end
/-- Not a failure of kind `unbound`. -/
def Bound {α : Type} : Result α → Prop
  | .ok _ => True
  | .err k => Eq k.bound true
theorem bound_bind {α β : Type} {f : α → Result β} (h : (a : α) → Bound (f a)) : (r : Result α) → Bound r → Bound (r.bind f)
  | .ok a, _ => h a
  | .err _, e => e
theorem bound_lookup : (ρ : Environment) → (i : Nat) → Eq (Nat.ble (Nat.succ i) (length ρ)) true → Bound (lookup ρ i)
  | .nil, _, h => Bool.noConfusion h
  | .cons _ _, .zero, _ => True.intro
  | .cons _ ρ, .succ i, h => bound_lookup ρ i (Eq.trans (ble_succ (Nat.succ i) (length ρ)).symm h)
theorem bound_opt {k : FailureKind} (h : Eq k.bound true) : (o : Option Value) → Bound (Result.ofOption k o)
  | none => h
  | some _ => True.intro
theorem bound_proj (k : Text) : (v : Value) → Bound (projectKey k v)
  | .record fs => bound_opt (k := .key k) rfl (Fields.get k fs)
  | .null => rfl
  | .bool _ => rfl
  | .int _ => rfl
  | .text _ => rfl
  | .list _ => rfl
theorem bound_as_bool : (v : Value) → Bound (asBool v)
  | .bool _ => True.intro
  | .null => rfl
  | .record _ => rfl
  | .int _ => rfl
  | .text _ => rfl
  | .list _ => rfl
theorem bound_as_int : (v : Value) → Bound (asInt v)
  | .int _ => True.intro
  | .null => rfl
  | .record _ => rfl
  | .bool _ => rfl
  | .text _ => rfl
  | .list _ => rfl
theorem bound_as_text : (v : Value) → Bound (asText v)
  | .text _ => True.intro
  | .null => rfl
  | .record _ => rfl
  | .bool _ => rfl
  | .int _ => rfl
  | .list _ => rfl
theorem bound_as_list : (v : Value) → Bound (asList v)
  | .list _ => True.intro
  | .null => rfl
  | .record _ => rfl
  | .bool _ => rfl
  | .int _ => rfl
  | .text _ => rfl
theorem bound_as_condition (v : Value) : Bound (asCondition v) := bound_bind (f := fun b => Result.ok (Value.bool b))
    (fun _ => True.intro) _ (bound_as_bool v)
theorem bound_int (f : Int → Int → Value) (a b : Value) : Bound (onInts f a b) :=
  bound_bind (f := fun x => (asInt b).bind fun y => Result.ok (f x y)) (fun x => bound_bind (f := fun y => Result.ok (f x y))
      (fun _ => True.intro) _ (bound_as_int b)) _ (bound_as_int a)
theorem bound_bool (f : Bool → Bool → Bool) (a b : Value) : Bound (onBools f a b) :=
  bound_bind (f := fun x => (asBool b).bind fun y => Result.ok (Value.bool (f x y)))
      (fun x => bound_bind (f := fun y => Result.ok (Value.bool (f x y))) (fun _ => True.intro) _ (bound_as_bool b)) _ (bound_as_bool a)
theorem bound_cat : (a b : Value) → Bound (concatValues a b)
  | .text a, b => bound_bind (f := fun y => Result.ok (Value.text (Text.append a y))) (fun _ => True.intro) _ (bound_as_text b)
  | .list a, b => bound_bind (f := fun y => Result.ok (Value.list (Values.append a y))) (fun _ => True.intro) _ (bound_as_list b)
  | .null, _ => rfl
  | .bool _, _ => rfl
  | .int _, _ => rfl
  | .record _, _ => rfl
theorem bound_bin : (op : BinaryOperator) → (a b : Value) → Bound (applyOperator op a b)
  | .eq, _, _ => True.intro
  | .ne, _, _ => True.intro
  | .lt, a, b => bound_int _ a b
  | .le, a, b => bound_int _ a b
  | .add, a, b => bound_int _ a b
  | .sub, a, b => bound_int _ a b
  | .mul, a, b => bound_int _ a b
  | .concat, a, b => bound_cat a b
  | .and, a, b => bound_bool _ a b
  | .or, a, b => bound_bool _ a b
theorem bound_check (s : Schema) (v : Value) : Bound (checkSchema s v) := go (Schema.conforms s v)
where
  go : (q : Bool) → Bound (cond q (Result.ok v) (.err .schema))
  | true => True.intro
  | false => rfl
mutual
theorem bound_ev : (e : Expression) → (ρ : Environment) → Eq (scopedExpression e (length ρ)) true → Bound (evaluate ρ e)
  | .literal _, _, _ => True.intro
  | .variable i, ρ, h => bound_lookup ρ i h
  | .list es, ρ, h => bound_bind (f := fun vs => Result.ok (Value.list vs)) (fun _ => True.intro) _ (bound_evs es ρ h)
  | .record fs, ρ, h => bound_bind (f := fun vs => Result.ok (Value.record vs)) (fun _ => True.intro) _ (bound_evf fs .nil ρ h)
  | .project e k, ρ, h => bound_bind (f := projectKey k) (bound_proj k) _ (bound_ev e ρ h)
  | .not e, ρ, h => bound_bind (f := notValue) (fun v => bound_bind (f := fun b => Result.ok (Value.bool (not b)))
        (fun _ => True.intro) _ (bound_as_bool v)) _ (bound_ev e ρ h)
  | .binary op a b, ρ, h => bound_bind (f := fun x => (evaluate ρ b).bind fun y => applyOperator op x y)
        (fun x => bound_bind (f := fun y => applyOperator op x y) (fun y => bound_bin op x y) _
            (bound_ev b ρ (and_true h).right)) _ (bound_ev a ρ (and_true h).left)
  | .check s e, ρ, h => bound_bind (f := checkSchema s) (bound_check s) _ (bound_ev e ρ h)
theorem bound_evs : (es : Expressions) → (ρ : Environment) → Eq (scopedExpressions es (length ρ)) true → Bound (evaluateList ρ es)
  | .nil, _, _ => True.intro
  | .cons e es, ρ, h => bound_bind (f := fun v => (evaluateList ρ es).bind fun vs => Result.ok (Values.cons v vs))
        (fun v => bound_bind (f := fun vs => Result.ok (Values.cons v vs)) (fun _ => True.intro) _
            (bound_evs es ρ (and_true h).right)) _ (bound_ev e ρ (and_true h).left)
theorem bound_evf : (fs : FieldExpressions) → (set : Fields) → (ρ : Environment) → Eq (scopedFields fs (length ρ)) true → Bound
    (evaluateFields ρ fs set)
  | .nil, _, _, _ => True.intro
  | .cons k _ fs, set, ρ, h => bound_bind (f := fun v => evaluateFields ρ fs (Fields.put k v set))
        (fun v => bound_evf fs (Fields.put k v set) ρ (and_true h).right) _ (bound_ev _ ρ (and_true h).left)
end
theorem bound_head (ρ : Environment) : (c : Computation) → Eq (inScope c (length ρ)) true → Bound (headOf ρ c)
  | .return e, h => bound_ev e ρ h
  | .let _ _, _ => True.intro
  | .perform _ e, h => bound_ev e ρ h
  | .handle _ _ _, _ => True.intro
  | .if e _ _, h => bound_bind (f := asCondition) bound_as_condition _ (bound_ev e ρ (and_true h).left)
theorem bound_head_of_body (ρ : Environment) : (b : ClauseBody) → Eq (scopedBody b (length ρ)) true → Bound (headOfBody ρ b)
  | .let _ _, _ => True.intro
  | .if e _ _, h => bound_bind (f := asCondition) bound_as_condition _ (bound_ev e ρ (and_true h).left)
  | .answer e, h => bound_ev e ρ h
  | .abort e, h => bound_ev e ρ h
  | .resume e _, h => bound_ev e ρ (and_true h).left

/-- What runs, or was captured, is scoped. -/
def scopedControl : Control → Bool
  | .run ρ c => inScope c (length ρ)
  | .body ρ _ K b => and (scopedContinuation K) (scopedBody b (length ρ))
  | .outcome (.suspended _ _ _ K) => scopedContinuation K
  | .outcome _ => true
/-- A state of a scoped program. -/
structure Scoped (s : State) : Prop where
  control : Eq (scopedControl s.control) true
  stack : Eq (scopedContinuation s.stack) true
  trace : Every Record.bound s.trace
theorem scoped_append : {K S : Continuation} → Eq (scopedContinuation K) true → Eq (scopedContinuation S) true → Eq
    (scopedContinuation (List.append K S)) true
  | .nil, _, _, h => h
  | .cons _ _, _, h, h' => match and_true h with
    | ⟨x, y⟩ => and_intro x (scoped_append y h')
theorem scoped_extend {K f} (h : Eq (scopedContinuation K) true) (h' : Eq (scopedFrame f) true) : Eq
    (scopedContinuation (extend K f)) true := scoped_append h (and_intro h' rfl)
theorem bound_close {w n} : (L : List OpenSelection) → {t : Trace} → Every Record.bound t → Every Record.bound (closeAll w n L t)
  | .nil, _, h => h
  | .cons _ L, _, h => bound_close L (h.push rfl)
theorem s_run {ρ S t} : (c : Computation) → (r : Result Value) → Bound r → Eq (inScope c (length ρ)) true → Eq
    (scopedContinuation S) true → Every Record.bound t → Scoped (runComputation ρ S t c r)
  | _, .err k, b, _, s, h => ⟨rfl, s, Every.push (r := .failure k) h b⟩
  | .return _, .ok _, _, _, s, h => ⟨rfl, s, h⟩
  | .let _ _, .ok _, _, a, s, h => match and_true a with
    | ⟨x, y⟩ => ⟨x, and_intro y s, h⟩
  | .perform _ _, .ok _, _, _, s, h => ⟨rfl, s, h.push rfl⟩
  | .handle _ _ _, .ok _, _, a, s, h => match and_true a with
    | ⟨x, y⟩ => ⟨x, and_intro y s, h⟩
  | .if _ _ _, .ok v, _, a, s, h => ⟨pick_true (p := fun c => inScope c (length ρ)) (and_true a).right v, s, h⟩
theorem s_body {ρ id K S t} : (b : ClauseBody) → (r : Result Value) → Bound r → Eq (scopedContinuation K) true → Eq
    (scopedBody b (length ρ)) true → Eq (scopedContinuation S) true →
    Every Record.bound t → Scoped (runBody ρ id K S t b r)
  | _, .err k, b, _, _, s, h => ⟨rfl, s, bound_close (openInBody id K) (Every.push (r := .failure k) h b)⟩
  | .let _ _, .ok _, _, k, a, s, h => match and_true a with
    | ⟨x, y⟩ => ⟨x, and_intro (and_intro k y) s, h⟩
  | .if _ _ _, .ok v, _, k, a, s, h => ⟨and_intro k (pick_true (p := fun b => scopedBody b (length ρ)) (and_true a).right v), s, h⟩
  | .answer _, .ok _, _, _, _, s, h => ⟨rfl, s, bound_close (openIn K) (h.push rfl)⟩
  | .abort _, .ok _, _, _, _, s, h => ⟨rfl, s, bound_close (openIn K) (h.push rfl)⟩
  | .resume _ _, .ok _, _, k, a, s, h => ⟨rfl, scoped_append k (and_intro (and_true a).right s), h.push rfl⟩
theorem s_find {op n b} : (clauses : Clauses) → Eq (scopedClauses clauses n) true → Eq (findClause op clauses) (some b) → Eq
    (scopedBody b n) true
  | .cons op' _ cs, h, e => match and_true h with
    | ⟨x, y⟩ => go (s_find cs y) x (Nat.beq op op') e
where
  go {n : Nat} {x : Option ClauseBody} {b b' : ClauseBody} (ih : Eq x (some b) → Eq (scopedBody b n) true)
      (h : Eq (scopedBody b' n) true) : (q : Bool) →
      Eq (cond q (some b') x) (some b) → Eq (scopedBody b n) true
  | true, rfl => h
  | false, e => ih e
theorem env_of_catches {op ρ r clauses ρ' b} : (y : Option ClauseBody) → Eq (findClause op clauses) y → Eq
    (catches op (.handler ρ r clauses)) (some (ρ', b)) → Eq ρ ρ'
  | none, e, h => nomatch Eq.trans (congrArg (withEnvironment ρ) e).symm h
  | some _, e, h => match Eq.trans (congrArg (withEnvironment ρ) e).symm h with
    | rfl => rfl
theorem s_catch {op ρ b} : (f : Frame) → Eq (scopedFrame f) true → Eq (catches op f) (some (ρ, b)) → Eq
    (scopedBody b (Nat.succ (length ρ))) true
  | .handler ρ' r clauses, h, e => Eq.subst (motive := fun x => Eq (scopedBody b (Nat.succ (length x))) true)
        (env_of_catches (ρ := ρ') (r := r) _ rfl e)
      (s_find clauses (and_true h).right (find_of_catches (ρ := ρ') (r := r) _ rfl e))
theorem s_deliver {d op v f K S t} (k : Eq (scopedContinuation K) true) (hf : Eq (scopedFrame f) true)
    (s : Eq (scopedContinuation S) true) (h : Every Record.bound t) :
    (r : Option (Prod Environment ClauseBody)) → Eq (catches op f) r → Scoped (raiseTo d op v (extend K f) S t r)
  | none, _ => ⟨scoped_extend k hf, s, h⟩
  | some (_, _), e => ⟨and_intro (scoped_extend k hf) (s_catch f hf e), s,
      Every.push (r := .resumptionHandle t.next) (Every.push (r := .handlerSelection d (length (openIn (extend K f)))) h rfl) rfl⟩
theorem s_done {v S t} (s : Eq (scopedContinuation S) true) (h : Every Record.bound t) : (f : Frame) → Eq
    (scopedFrame f) true → Scoped (returnTo v S t f)
  | .bind _ _, k => ⟨k, s, h⟩
  | .handler _ _ _, k => ⟨(and_true k).left, s, h⟩
  | .bodyBind _ _ _ _, k => ⟨k, s, h⟩
  | .resumeReturn _ _ _, k => ⟨k, and_intro rfl s, h.push rfl⟩
  | .complete _, _ => ⟨rfl, s, h.push rfl⟩
theorem s_step : (s : State) → {s' : State} → Eq (step s) (some s') → Scoped s → Scoped s'
  | ⟨.run ρ c, _, _⟩, _, rfl, ⟨a, s, h⟩ => s_run c _ (bound_head ρ c a) a s h
  | ⟨.body ρ _ _ b, _, _⟩, _, rfl, ⟨a, s, h⟩ => s_body b _ (bound_head_of_body ρ b (and_true a).right) (and_true a).left
        (and_true a).right s h
  | ⟨.outcome (.completed _), .cons f _, _⟩, _, rfl, ⟨_, s, h⟩ => s_done (and_true s).right h f (and_true s).left
  | ⟨.outcome (.suspended _ op _ _), .cons f _, _⟩, _, rfl, ⟨a, s, h⟩ => s_deliver a (and_true s).left (and_true s).right h
        (catches op f) rfl
  | ⟨.outcome (.failed _ _), .cons f _, _⟩, _, rfl, ⟨_, s, h⟩ => ⟨rfl, (and_true s).right, bound_close (openOfFrame f) h⟩
theorem s_steps : {s s' : State} → Steps s s' → Scoped s → Scoped s'
  | _, _, .refl, h => h
  | _, _, .head e p, h => s_steps p (s_step _ e h)
theorem s_answer : (s : State) → {s' : State} → {w : Value} → Eq (observe s w) (some s') → Scoped s → Scoped s'
  | ⟨.outcome (.suspended _ _ _ _), .nil, _⟩, _, _, rfl, ⟨k, _, h⟩ => ⟨rfl, k, h.push rfl⟩
/-- **scoped programs have no unbound variable at run time**, whatever the host answers. -/
theorem scope_sound : {s : State} → {as : List Value} → {s' : State} → MachineRun s as s' → Scoped s → Scoped s'
  | _, _, _, .steps p, h => s_steps p h
  | _, _, _, .answer p e r, h => scope_sound r (s_answer _ e (s_steps p h))
theorem scoped_never_unbound {c as s} (h : Eq (inScope c 0) true) (p : MachineRun (start c) as s) : Every Record.bound s.trace :=
  (scope_sound p ⟨h, rfl, rfl⟩).trace
end Eclogue
