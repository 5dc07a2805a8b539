prelude
import Eclogue.Core.Host
/-!
# Denotational semantics

The textbook reading. A computation denotes a finite tree of the free monad: a value, a failure, or an operation with its
payload and, for each answer, a tree. `handle` is a fold over the tree. No machine, no trace and no continuation occurs here.
A node `performed` only remembers that an operation was performed there, whoever handled it, so that readings can be compared on it.
-/
namespace Eclogue

/-- A computation tree. -/
inductive Tree where
  | value (v : Value)
  | failure (k : FailureKind)
  | operation (op : Nat) (v : Value) (next : Value → Tree)
  | performed (op : Nat) (v : Value) (rest : Tree)
/-- Go on with the value at each leaf. -/
def Tree.bind (g : Value → Tree) : Tree → Tree
  | .value v => g v
  | .failure k => .failure k
  | .operation op v next => .operation op v (fun w => Tree.bind g (next w))
  | .performed op v T => .performed op v (Tree.bind g T)
/-- What a clause means: from a payload and a resumption to a tree. -/
abbrev ClauseMeaning := Value → (Value → Tree) → Tree
/-- An operation meets the clause for it, if there is one. -/
def Tree.meet (op : Nat) (v : Value) (resumption : Value → Tree) : Option ClauseMeaning → Tree
  | none => .operation op v resumption
  | some clause => clause v resumption
/-- A deep handler: the return clause at the leaves; at an operation the clause, given the handled rest as its resumption. -/
def Tree.handle (g : Value → Tree) (clauses : Nat → Option ClauseMeaning) : Tree → Tree
  | .value v => g v
  | .failure k => .failure k
  | .operation op v next => Tree.meet op v (fun w => Tree.handle g clauses (next w)) (clauses op)
  | .performed op v T => .performed op v (Tree.handle g clauses T)
/-- Go on with the result of an expression unless it is a failure. -/
def Tree.ofResult (g : Value → Tree) : Result Value → Tree
  | .ok v => g v
  | .err k => .failure k
mutual
/-- The tree that a computation denotes. -/
def denote : Computation → Environment → Tree
  | .return e, ρ => .ofResult (fun v => .value v) (evaluate ρ e)
  | .let c k, ρ => .bind (fun v => denote k (.cons v ρ)) (denote c ρ)
  | .perform op e, ρ => .ofResult (fun v => .performed op v (.operation op v (fun w => .value w))) (evaluate ρ e)
  | .handle c r clauses, ρ => .handle (fun v => denote r (.cons v ρ)) (denoteClauses clauses ρ) (denote c ρ)
  | .if e a b, ρ => .ofResult (fun v => choose v (denote a ρ) (denote b ρ)) ((evaluate ρ e).bind asCondition)
/-- The meaning of the clause for each operation. -/
def denoteClauses : Clauses → Environment → Nat → Option ClauseMeaning
  | .nil, _, _ => none
  | .cons op' b clauses, ρ, op =>
    cond (Nat.beq op op') (some (fun v resumption => denoteBody b (.cons v ρ) resumption)) (denoteClauses clauses ρ op)
/-- The tree that a clause body denotes, given what it may resume. -/
def denoteBody : ClauseBody → Environment → (Value → Tree) → Tree
  | .let c b, ρ, resumption => .bind (fun v => denoteBody b (.cons v ρ) resumption) (denote c ρ)
  | .if e a b, ρ, resumption =>
    .ofResult (fun v => choose v (denoteBody a ρ resumption) (denoteBody b ρ resumption)) ((evaluate ρ e).bind asCondition)
  | .answer e, ρ, _ => .ofResult (fun v => .value v) (evaluate ρ e)
  | .abort e, ρ, _ => .ofResult (fun v => .value v) (evaluate ρ e)
  | .resume e k, ρ, resumption =>
    .ofResult (fun v => .bind (fun w => denote k (.cons w ρ)) (resumption v)) (evaluate ρ e)
end

/-- Read a tree along a list of answers, one for each operation at the root: the operations performed on the way (the newest first,
in front of earlier ones) and what is at the root in the end; nothing when there are too many answers. -/
def Tree.read : Tree → List Value → List (Prod Nat Value) → Option (Prod (List (Prod Nat Value)) Status)
  | .performed op v T, answers, done => Tree.read T answers (.cons (op, v) done)
  | .value v, .nil, done => some (done, .completed v)
  | .value _, .cons _ _, _ => none
  | .failure k, .nil, done => some (done, .failed k)
  | .failure _, .cons _ _, _ => none
  | .operation op v _, .nil, done => some (done, .suspended op v)
  | .operation _ _ next, .cons w answers, done => Tree.read (next w) answers done
/-- Two trees are equal at every node (functions are compared answer by answer). -/
def Tree.Same : Tree → Tree → Prop
  | .value v, .value w => Eq v w
  | .failure k, .failure l => Eq k l
  | .operation op v next, .operation op' v' next' =>
    And (Eq op op') (And (Eq v v') ((w : Value) → Tree.Same (next w) (next' w)))
  | .performed op v T, .performed op' v' T' => And (Eq op op') (And (Eq v v') (Tree.Same T T'))
  | _, _ => False
/-- An outcome realizes a tree, between the operations performed before and after: it is the same value, failure or operation, and
the operations performed in between are those of the tree; and whatever an operation is answered with, after whatever trace, the
captured continuation has an outcome that realizes the subtree. -/
def Realizes : Tree → (before : List (Prod Nat Value)) → Outcome → (after : List (Prod Nat Value)) → Prop
  | .performed op v T, before, o, after => Realizes T (.cons (op, v) before) o after
  | .value v, before, .completed v', after => And (Eq v v') (Eq before after)
  | .failure k, before, .failed k' _, after => And (Eq k k') (Eq before after)
  | .operation op v next, before, .suspended _ op' v' K, after => And (Eq op op') (And (Eq v v') (And (Eq before after)
      ((w : Value) → (t : Trace) → Exists2 fun o t' =>
        And (Through K (.completed w) t o t') (Realizes (next w) (declared t) o (declared t')))))
  | _, _, _, _ => False
end Eclogue
