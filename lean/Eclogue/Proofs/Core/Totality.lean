prelude
import Eclogue.Core.Denote
import Eclogue.Proofs.Core.Determinism
/-! Every computation has a derivation, whose outcome realizes the denotation; the machine halts. -/
namespace Eclogue

/-- Continuation `K` realizes `R`. -/
def Resumes (K : Continuation) (R : Value → Tree) : Prop :=
  (w : Value) → (t : Trace) → Exists2 fun o t' => And (Through K (.completed w) t o t') (Realizes (R w) (declared t) o (declared t'))
/-- Closing selections performs no operation. -/
theorem declared_close {w n} : (L : List OpenSelection) → (t : Trace) → Eq (declared (closeAll w n L t)) (declared t)
  | .nil, _ => rfl
  | .cons o L, t => declared_close L (t.push (.selectionClosed w o.selection n))
theorem declared_drop {how s v K t} : Eq (declared (recordDrop how s v K t)) (declared t) := declared_close (openIn K)
    (t.push (.effectCapture how s v))

theorem through_extend {f} : {K : Continuation} → {o o₁ o₂ : Outcome} → {t t₁ t₂ : Trace} → Through K o t o₁ t₁ →
    Pass f o₁ t₁ o₂ t₂ → Through (extend K f) o t o₂ t₂
  | _, _, _, _, _, _, _, .nil, p => .cons p .nil
  | _, _, _, _, _, _, _, .cons q th, p => .cons q (through_extend th p)

/-- An outcome through a frame that catches nothing. -/
theorem pass_total {f : Frame} {g : Value → Tree} (hn : (op : Nat) → Eq (catches op f) none)
    (hd : (v : Value) → (t : Trace) → Exists2 fun o t' => And (Pass f (.completed v) t o t')
        (Realizes (g v) (declared t) o (declared t'))) :
    (T : Tree) → (a : List (Prod Nat Value)) → (o : Outcome) → (t : Trace) → Realizes T a o (declared t) →
      Exists2 fun o' t' => And (Pass f o t o' t') (Realizes (Tree.bind g T) a o' (declared t'))
  | .performed op v T, a, o, t, h => pass_total hn hd T (.cons (op, v) a) o t h
  | .value v, _, .completed _, t, ⟨rfl, rfl⟩ => hd v t
  | .failure _, _, .failed _ _, t, ⟨rfl, rfl⟩ => ⟨_, _, .fail, rfl, (declared_close (openOfFrame f) t).symm⟩
  | .operation _ _ F, _, .suspended _ _ _ _, _, ⟨rfl, rfl, rfl, h⟩ => ⟨_, _, .skip (hn _), rfl, rfl, rfl, fun w t =>
      match h w t with
      | ⟨_, _, th, q⟩ => match pass_total hn hd (F w) _ _ _ q with
        | ⟨_, _, p, q'⟩ => ⟨_, _, through_extend th p, q'⟩⟩
theorem complete_total {id : Nat} :
    (T : Tree) → (a : List (Prod Nat Value)) → (o : Outcome) → (t : Trace) → Realizes T a o (declared t) →
      Exists2 fun o' t' => And (Pass (.complete id) o t o' t') (Realizes T a o' (declared t'))
  | .performed op v T, a, o, t, h => complete_total T (.cons (op, v) a) o t h
  | .value _, _, .completed _, _, ⟨rfl, rfl⟩ => ⟨_, _, .complete, rfl, rfl⟩
  | .failure _, _, .failed _ _, _, ⟨rfl, rfl⟩ => ⟨_, _, .fail, rfl, rfl⟩
  | .operation _ _ F, _, .suspended _ _ _ _, _, ⟨rfl, rfl, rfl, h⟩ => ⟨_, _, .skip rfl, rfl, rfl, rfl, fun w t =>
      match h w t with
      | ⟨_, _, th, q⟩ => match complete_total (F w) _ _ _ q with
        | ⟨_, _, p, q'⟩ => ⟨_, _, through_extend th p, q'⟩⟩

/-- A clause realizes its meaning. -/
def RealizesClause (ρ : Environment) : Option ClauseBody → Option ClauseMeaning → Prop
  | none, none => True
  | some b, some G => (v : Value) → (id : Nat) → (K : Continuation) → (R : Value → Tree) → (t : Trace) → Resumes K R →
      Exists2 fun o t' => And (EvalBody (.cons v ρ) id K b t o t') (Realizes (G v R) (declared t) o (declared t'))
  | _, _ => False
theorem cl_cond {ρ : Environment} {b : ClauseBody} {G : ClauseMeaning} {x : Option ClauseBody} {y : Option ClauseMeaning} :
    (c : Bool) → RealizesClause ρ (some b) (some G) → RealizesClause ρ x y → RealizesClause ρ (cond c (some b) x) (cond c (some G) y)
  | true, h, _ => h
  | false, _, h => h
theorem catches_none {op ρ r clauses} (h : Eq (findClause op clauses) none) : Eq (catches op (.handler ρ r clauses)) none :=
  congrArg (withEnvironment ρ) h
theorem catches_some {op ρ r clauses b} (h : Eq (findClause op clauses) (some b)) : Eq (catches op (.handler ρ r clauses)) (some (ρ, b)) :=
  congrArg (withEnvironment ρ) h

theorem handler_op {ρ r clauses d o v K F} (hR : Resumes (extend K (.handler ρ r clauses)) F) (t : Trace) :
    (x : Option ClauseBody) → (y : Option ClauseMeaning) →
    Eq (findClause o clauses) x → RealizesClause ρ x y → Exists2 fun o' t' => And (Pass (.handler ρ r clauses)
        (.suspended d o v K) t o' t') (Realizes (Tree.meet o v F y) (declared t) o' (declared t'))
  | none, none, h, _ => ⟨_, _, .skip (catches_none h), rfl, rfl, rfl, hR⟩
  | some _, some _, h, hc => match hc v t.next _ F (recordSelection d (extend K (.handler ρ r clauses)) t) hR with
    | ⟨_, _, p, q⟩ => ⟨_, _, .catch (catches_some h) p, q⟩
/-- An outcome through a handler frame: induction on the tree. -/
theorem handler_total {ρ r clauses} {g : Value → Tree} {cl : Nat → Option ClauseMeaning}
    (hr : (v : Value) → (t : Trace) → Exists2 fun o t' => And (Eval (.cons v ρ) r t o t') (Realizes (g v) (declared t) o (declared t')))
    (hc : (op : Nat) → RealizesClause ρ (findClause op clauses) (cl op)) :
    (T : Tree) → (a : List (Prod Nat Value)) → (o : Outcome) → (t : Trace) → Realizes T a o (declared t) →
      Exists2 fun o' t' => And (Pass (.handler ρ r clauses) o t o' t') (Realizes (Tree.handle g cl T) a o' (declared t'))
  | .performed op v T, a, o, t, h => handler_total hr hc T (.cons (op, v) a) o t h
  | .value v, _, .completed _, t, ⟨rfl, rfl⟩ => match hr v t with
    | ⟨_, _, p, q⟩ => ⟨_, _, .handler p, q⟩
  | .failure _, _, .failed _ _, _, ⟨rfl, rfl⟩ => ⟨_, _, .fail, rfl, rfl⟩
  | .operation o _ F, _, .suspended _ _ _ _, t, ⟨rfl, rfl, rfl, h⟩ =>
    handler_op (fun w t => match h w t with
      | ⟨_, _, th, q⟩ => match handler_total hr hc (F w) _ _ _ q with
        | ⟨_, _, p, q'⟩ => ⟨_, _, through_extend th p, q'⟩) t _ _ rfl (hc o)

theorem head_total {c ρ t} {g : Value → Tree}
    (hok : (v : Value) → Eq (headOf ρ c) (.ok v) → Exists2 fun o t' => And (Eval ρ c t o t')
        (Realizes (g v) (declared t) o (declared t'))) :
    (r : Result Value) → Eq (headOf ρ c) r → Exists2 fun o t' => And (Eval ρ c t o t') (Realizes (Tree.ofResult g r) (declared t) o
        (declared t'))
  | .ok v, h => hok v h
  | .err _, h => ⟨_, _, .err h, rfl, rfl⟩
theorem head_of_body_total {b ρ id K t} {g : Value → Tree}
    (hok : (v : Value) → Eq (headOfBody ρ b) (.ok v) → Exists2 fun o t' => And (EvalBody ρ id K b t o t')
        (Realizes (g v) (declared t) o (declared t'))) :
    (r : Result Value) → Eq (headOfBody ρ b) r → Exists2 fun o t' => And (EvalBody ρ id K b t o t')
        (Realizes (Tree.ofResult g r) (declared t) o (declared t'))
  | .ok v, h => hok v h
  | .err k, h => ⟨_, _, .err h, rfl, (declared_close (openInBody id K) (t.push (.failure k))).symm⟩
/-- A property of both branches is a property of the chosen one. -/
theorem pick_prop {α β : Type} {P : α → β → Prop} {a b : α} {x y : β} (h : P a x) (h' : P b y) : (v : Value) → P (choose v a b)
    (choose v x y)
  | .bool true => h
  | .bool false => h'
  | .null => h'
  | .int _ => h'
  | .text _ => h'
  | .list _ => h'
  | .record _ => h'

mutual
theorem total : (c : Computation) → (ρ : Environment) → (t : Trace) → Exists2 fun o t' => And (Eval ρ c t o t')
    (Realizes (denote c ρ) (declared t) o (declared t'))
  | .return _, _, _ => head_total (g := fun v => .value v) (fun _ h => ⟨_, _, .return h, rfl, rfl⟩) _ rfl
  | .let c k, ρ, t => match total c ρ t with
    | ⟨_, _, p, q⟩ => match pass_total (f := .bind ρ k) (g := fun v => denote k (.cons v ρ)) (fun _ => rfl)
          (fun v t => match total k (.cons v ρ) t with | ⟨_, _, p, q⟩ => ⟨_, _, .bind p, q⟩) _ _ _ _ q with
      | ⟨_, _, p', q'⟩ => ⟨_, _, .let p p', q'⟩
  | .perform op _, _, _ => head_total (g := fun v => .performed op v (.operation op v (fun w => .value w)))
        (fun _ h => ⟨_, _, .perform h, rfl, rfl, rfl, fun _ _ => ⟨_, _, .nil, rfl, rfl⟩⟩) _ rfl
  | .handle c r clauses, ρ, t => match total c ρ t with
    | ⟨_, _, p, q⟩ => match handler_total (g := fun v => denote r (.cons v ρ)) (fun v t => total r (.cons v ρ) t)
          (total_clauses clauses ρ) _ _ _ _ q with
      | ⟨_, _, p', q'⟩ => ⟨_, _, .handle p p', q'⟩
  | .if _ a b, ρ, t => head_total (g := fun v => choose v (denote a ρ) (denote b ρ)) (fun v h =>
      match pick_prop (P := fun c T => Exists2 fun o t' => And (Eval ρ c t o t') (Realizes T (declared t) o (declared t')))
          (total a ρ t) (total b ρ t) v with
      | ⟨_, _, p, q⟩ => ⟨_, _, .if h p, q⟩) _ rfl
theorem total_clauses : (clauses : Clauses) → (ρ : Environment) → (op : Nat) → RealizesClause ρ (findClause op clauses)
    (denoteClauses clauses ρ op)
  | .nil, _, _ => True.intro
  | .cons op' b cs, ρ, op => cl_cond (Nat.beq op op') (fun v id K R t hR => total_body b (.cons v ρ) id K R t hR) (total_clauses cs ρ op)
theorem total_body : (b : ClauseBody) → (ρ : Environment) → (id : Nat) → (K : Continuation) → (R : Value → Tree) → (t : Trace) →
    Resumes K R →
    Exists2 fun o t' => And (EvalBody ρ id K b t o t') (Realizes (denoteBody b ρ R) (declared t) o (declared t'))
  | .let c b, ρ, id, K, R, t, hR => match total c ρ t with
    | ⟨_, _, p, q⟩ => match pass_total (f := .bodyBind ρ id K b) (g := fun v => denoteBody b (.cons v ρ) R) (fun _ => rfl)
          (fun v t => match total_body b (.cons v ρ) id K R t hR with | ⟨_, _, p, q⟩ => ⟨_, _, .bodyBind p, q⟩) _ _ _ _ q with
      | ⟨_, _, p', q'⟩ => ⟨_, _, .let p p', q'⟩
  | .if _ a b, ρ, id, K, R, t, hR => head_of_body_total (g := fun v => choose v (denoteBody a ρ R) (denoteBody b ρ R)) (fun v h =>
      match pick_prop (P := fun c T => Exists2 fun o t' => And (EvalBody ρ id K c t o t')
          (Realizes T (declared t) o (declared t'))) (total_body a ρ id K R t hR)
          (total_body b ρ id K R t hR) v with
      | ⟨_, _, p, q⟩ => ⟨_, _, .if h p, q⟩) _ rfl
  | .answer _, _, _, _, _, _, _ => head_of_body_total (g := fun v => .value v) (fun _ h => ⟨_, _, .answer h, rfl, declared_drop.symm⟩) _ rfl
  | .abort _, _, _, _, _, _, _ => head_of_body_total (g := fun v => .value v) (fun _ h => ⟨_, _, .abort h, rfl, declared_drop.symm⟩) _ rfl
  | .resume _ k, ρ, id, _, R, t, hR => head_of_body_total (g := fun v => Tree.bind (fun w => denote k (.cons w ρ)) (R v))
        (fun v h => match hR v (t.push (.continuationResume id v)) with
    | ⟨_, _, th, q⟩ => match pass_total (f := .resumeReturn ρ id k) (g := fun w => denote k (.cons w ρ)) (fun _ => rfl)
          (fun v t => match total k (.cons v ρ) (t.push (.resumeReturn id v)) with
            | ⟨_, _, p, q⟩ => match complete_total _ _ _ _ q with
              | ⟨_, _, p', q'⟩ => ⟨_, _, .resumeReturn p p', q'⟩) _ _ _ _ q with
      | ⟨_, _, p', q'⟩ => ⟨_, _, .resume h th p', q'⟩) _ rfl
end

/-- **source_eval_total**. -/
theorem source_eval_total (c : Computation) : Exists2 fun o t => Eval .nil c .empty o t :=
  match total c .nil .empty with
  | ⟨o, t, p, _⟩ => ⟨o, t, p⟩
/-- The machine always halts. -/
theorem machine_halts (c : Computation) : Exists2 fun o t => Steps (start c) ⟨.outcome o, .nil, t⟩ :=
  match source_eval_total c with
  | ⟨o, t, p⟩ => ⟨o, t, source_eval_to_machine p⟩
/-- **denote_adequate**: the outcome of *the* derivation realizes the denotation. -/
theorem denote_adequate {c o t} (d : Eval .nil c .empty o t) : Realizes (denote c .nil) .nil o (declared t) :=
  match total c .nil .empty with
  | ⟨_, _, p, q⟩ => match source_eval_deterministic d p with
    | ⟨rfl, rfl⟩ => q
end Eclogue
