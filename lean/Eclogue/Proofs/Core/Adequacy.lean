prelude
import Eclogue.Proofs.Core.Host
/-! The big-step semantics, the machine and the denotation agree on all that can be observed. -/
namespace Eclogue

/-! ### one tree -/
theorem length_append {α : Type} : (l k : List α) → Eq (length (List.append l k)) (Nat.add (length l) (length k))
  | .nil, k => (add_zero_left (length k)).symm
  | .cons _ l, k => Eq.trans (congrArg Nat.succ (length_append l k)) (add_succ_left (length l) (length k)).symm
theorem no_loop {α : Type} {x : α} {a l : List α} (h : Eq a (List.append l (.cons x a))) : False :=
  ne_add (length a) (length l) (Eq.trans (congrArg length h) (Eq.trans (length_append l (.cons x a))
      (congrArg Nat.succ (add_comm (length l) (length a)))))
theorem same_last {α : Type} {x y : α} {a : List α} : (l k : List α) → Eq (List.append l (.cons x a)) (List.append k (.cons y a)) → Eq x y
  | .nil, .nil, h => (cons_inj h).1
  | .nil, .cons _ _, h => (no_loop (cons_inj h).2).elim
  | .cons _ _, .nil, h => (no_loop (cons_inj h).2.symm).elim
  | .cons _ l, .cons _ k, h => same_last l k (cons_inj h).2
/-- What was performed before stays. -/
theorem realizes_extends {b : List (Prod Nat Value)} : (T : Tree) → (a : List (Prod Nat Value)) → (o : Outcome) → Realizes T a o b →
    Exists fun l => Eq b (List.append l a)
  | .performed op v T, a, o, h => match realizes_extends T (.cons (op, v) a) o h with
    | ⟨l, e⟩ => ⟨List.append l (.cons (op, v) .nil), Eq.trans e (append_assoc l (.cons (op, v) .nil) a).symm⟩
  | .value _, _, .completed _, ⟨_, e⟩ => ⟨.nil, e.symm⟩
  | .failure _, _, .failed _ _, ⟨_, e⟩ => ⟨.nil, e.symm⟩
  | .operation _ _ _, _, .suspended _ _ _ _, ⟨_, _, e, _⟩ => ⟨.nil, e.symm⟩
theorem performed_loops {T : Tree} {op v a o} (h : Realizes T (.cons (op, v) a) o a) : False := match realizes_extends T _ o h with
  | ⟨_, e⟩ => no_loop e
theorem pair_parts {α β : Type} {a a' : α} {b b' : β} (h : Eq (a, b) (a', b')) : And (Eq a a') (Eq b b') := match h with
  | rfl => ⟨rfl, rfl⟩
/-- Two trees that one outcome realizes are equal at every node. -/
theorem realizes_same : (T T' : Tree) → (a b : List (Prod Nat Value)) → (o : Outcome) → Realizes T a o b → Realizes T' a o b →
    Tree.Same T T'
  | .performed op v T, .performed op' v' T', a, b, o, h, h' => match realizes_extends T _ o h, realizes_extends T' _ o h' with
    | ⟨l, e⟩, ⟨k, e'⟩ =>
      have s : Eq (op, v) (op', v') := same_last l k (Eq.trans e.symm e')
      ⟨(pair_parts s).1, (pair_parts s).2, realizes_same T T' (.cons (op, v) a) b o h
        (Eq.subst (motive := fun x => Realizes T' (.cons x a) o b) s.symm h')⟩
  | .value _, .value _, _, _, .completed _, h, h' => Eq.trans h.1 h'.1.symm
  | .failure _, .failure _, _, _, .failed _ _, h, h' => Eq.trans h.1 h'.1.symm
  | .operation _ _ next, .operation _ _ next', _, _, .suspended _ _ _ _, ⟨p, q, _, f⟩, ⟨p', q', _, f'⟩ =>
    ⟨Eq.trans p p'.symm, Eq.trans q q'.symm, fun w => match f w .empty, f' w .empty with
      | ⟨_, _, p, q⟩, ⟨_, _, p', q'⟩ => match through_deterministic p p' with
        | ⟨rfl, rfl⟩ => realizes_same (next w) (next' w) _ _ _ q q'⟩
  | .performed _ _ _, .value _, _, _, .completed _, h, ⟨_, rfl⟩ => (performed_loops h).elim
  | .performed _ _ _, .failure _, _, _, .failed _ _, h, ⟨_, rfl⟩ => (performed_loops h).elim
  | .performed _ _ _, .operation _ _ _, _, _, .suspended _ _ _ _, h, ⟨_, _, rfl, _⟩ => (performed_loops h).elim
  | .value _, .performed _ _ _, _, _, .completed _, ⟨_, rfl⟩, h => (performed_loops h).elim
  | .failure _, .performed _ _ _, _, _, .failed _ _, ⟨_, rfl⟩, h => (performed_loops h).elim
  | .operation _ _ _, .performed _ _ _, _, _, .suspended _ _ _ _, ⟨_, _, rfl, _⟩, h => (performed_loops h).elim
/-- **denote_unique**. -/
theorem denote_unique {c o t T} (d : Eval .nil c .empty o t) (h : Realizes T .nil o (declared t)) : Tree.Same T (denote c .nil) :=
  realizes_same T _ .nil _ o h (denote_adequate d)

/-! ### what can be observed -/
theorem read_nil : (T : Tree) → (a : List (Prod Nat Value)) → (o : Outcome) → (b : List (Prod Nat Value)) → Realizes T a o b →
    Eq (T.read .nil a) (some (b, o.status))
  | .performed op v T, a, o, b, h => read_nil T (.cons (op, v) a) o b h
  | .value _, _, .completed _, _, ⟨rfl, rfl⟩ => rfl
  | .failure _, _, .failed _ _, _, ⟨rfl, rfl⟩ => rfl
  | .operation _ _ _, _, .suspended _ _ _ _, _, ⟨rfl, rfl, rfl, _⟩ => rfl
theorem read_ended {w answers} : (T : Tree) → (a : List (Prod Nat Value)) → (o : Outcome) → (b : List (Prod Nat Value)) →
    Realizes T a o b → o.Ended →
    Eq (T.read (.cons w answers) a) none
  | .performed op v T, a, o, b, h, e => read_ended T (.cons (op, v) a) o b h e
  | .value _, _, .completed _, _, _, _ => rfl
  | .failure _, _, .failed _ _, _, _, _ => rfl
  | .operation _ _ _, _, .suspended _ _ _ _, _, _, e => e.elim
/-- Answers lead the tree where they lead the run. -/
theorem continues_read {o' t'} : {o : Outcome} → {t : Trace} → {answers : List Value} → Continues o t answers o' t' → (T : Tree) →
    (a : List (Prod Nat Value)) → Realizes T a o (declared t) → Eq (T.read answers a) (some (declared t', o'.status))
  | _, _, _, .nil, T, a, h => read_nil T a _ _ h
  | _, _, _, .cons (w := w) p q, T, a, h => match reach T a h with
    | ⟨next, e, r⟩ => match r w _ with
      | ⟨_, _, p', h'⟩ => match through_deterministic p p' with
        | ⟨rfl, rfl⟩ => Eq.trans (e w _) (continues_read q (next w) _ h')
/-- Answers lead the run where they lead the tree. -/
theorem read_continues {performed : List (Prod Nat Value)} {s : Status} : (answers : List Value) → (T : Tree) →
    (a : List (Prod Nat Value)) →
    (o : Outcome) → (t : Trace) → Realizes T a o (declared t) → Eq (T.read answers a) (some (performed, s)) →
    Exists2 fun o' t' => And (Continues o t answers o' t') (And (Eq (declared t') performed) (Eq o'.status s))
  | .nil, T, a, o, _, h, e => match Eq.trans (read_nil T a o _ h).symm e with
    | rfl => ⟨_, _, .nil, rfl, rfl⟩
  | .cons _ _, T, a, .completed _, _, h, e => nomatch Eq.trans (read_ended T a _ _ h True.intro).symm e
  | .cons _ _, T, a, .failed _ _, _, h, e => nomatch Eq.trans (read_ended T a _ _ h True.intro).symm e
  | .cons w answers, T, a, .suspended d _ _ _, t, h, e => match reach T a h with
    | ⟨next, e', r⟩ => match r w (t.push (.hostObservation d w)) with
      | ⟨_, _, p, h'⟩ => match read_continues answers (next w) _ _ _ h' (Eq.trans (e' w answers).symm e) with
        | ⟨_, _, q, x⟩ => ⟨_, _, .cons p q, x⟩
/-- **denote_observed**. -/
theorem denote_observed {c : Computation} {answers : List Value} {performed : List (Prod Nat Value)} {status : Status} :
    Iff (Exists2 fun o t => And (Run c answers o t) (And (Eq (declared t) performed) (Eq o.status status)))
      (Eq ((denote c .nil).read answers .nil) (some (performed, status))) :=
  ⟨fun ⟨_, _, ⟨_, _, d, q⟩, e, e'⟩ => Eq.trans (continues_read q (denote c .nil) .nil (denote_adequate d))
      (congr_arg2 (fun x y => some (x, y)) e e'),
   fun e => match source_eval_total c with
    | ⟨_, _, d⟩ => match read_continues answers (denote c .nil) .nil _ _ (denote_adequate d) e with
      | ⟨_, _, q, x⟩ => ⟨_, _, ⟨_, _, d, q⟩, x⟩⟩
/-- **machine_observed**. -/
theorem machine_observed {c : Computation} {answers : List Value} {performed : List (Prod Nat Value)} {status : Status} :
    Iff (Exists2 fun o t => And (MachineRun (start c) answers (final o t)) (And (Eq (declared t) performed) (Eq o.status status)))
      (Eq ((denote c .nil).read answers .nil) (some (performed, status))) :=
  ⟨fun ⟨_, _, p, e⟩ => denote_observed.mp ⟨_, _, machine_to_run p, e⟩,
   fun h => match denote_observed.mpr h with
    | ⟨_, _, r, e⟩ => ⟨_, _, run_to_machine r, e⟩⟩
theorem take_answer_grows : (s : State) → {s' : State} → {w : Value} → Eq (observe s w) (some s') → Grows s.trace s'.trace
  | ⟨.outcome (.suspended _ _ _ _), .nil, _⟩, _, _, rfl => .push .refl
/-- **trace_monotonic**, with answers. -/
theorem run_monotonic : {s s' : State} → {answers : List Value} → MachineRun s answers s' → Grows s.trace s'.trace
  | _, _, _, .steps p => trace_monotonic p
  | _, _, _, .answer p e r => .trans (.trans (trace_monotonic p) (take_answer_grows _ e)) (run_monotonic r)
end Eclogue
