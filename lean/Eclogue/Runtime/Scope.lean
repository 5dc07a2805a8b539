prelude
import Eclogue.Runtime.Storage
/-!
# Scopes

A world of scopes over layers, with operations, forks, discards and merges; and the world of copied trees that it refines.
-/
namespace Eclogue.Files

/-- A scope of the overlay: its stack, the frozen layers at its fork point, and its parent. -/
structure Scope where
  stack : Stack
  base : List Layer
  parent : Option Nat
/-- A scope of the flat model: its tree, a copy of the tree at its fork point, and its parent. -/
structure FlatScope where
  tree : FileTree
  base : FileTree
  parent : Option Nat
/-- The scopes by number. -/
abbrev World := Nat → Option Scope
/-- A world of copied trees. -/
abbrev FlatWorld := Nat → Option FlatScope
/-- Change one entry. -/
def set {α : Type} (i : Nat) (x : Option α) (w : Nat → Option α) : Nat → Option α := fun k => cond (Nat.beq i k) x (w k)
/-- Is this the parent? the first scope has none, and is merged into nothing. -/
def isParent (i : Nat) : Option Nat → Bool
  | none => false
  | some k => Nat.beq k i
/-- What can be asked; numbers of scopes are not to be used again. -/
inductive Command where
  | op (i : Nat) (o : Operation)
  | fork (i j : Nat)        -- `j` becomes a child of `i`
  | discard (j : Nat)
  | merge (i j : Nat)       -- the child `j` is merged into its parent `i`, and gone
/-- What is answered. -/
inductive Answer where
  | done
  | error (e : ErrorCode)
  | conflict                -- see `conflicts` for the list
  | refused                 -- no such scope, the number is taken, or not the parent
/-- The answer that an operation gives. -/
def answer : Option ErrorCode → Answer
  | none => .done
  | some e => .error e

/-- An operation in a scope. -/
def operationStep (w : World) (i : Nat) (o : Operation) : Option Scope → Prod World Answer
  | none => ⟨w, .refused⟩
  | some s => ⟨set i (some ⟨(s.stack.run o).1, s.base, s.parent⟩) w, answer (s.stack.run o).2⟩
/-- The top is frozen; parent and child get new empty tops. -/
def forkStep (w : World) (i j : Nat) : Option Scope → Option Scope → Prod World Answer
  | some s, none => ⟨set j (some ⟨.fresh s.stack.freeze, s.stack.freeze, some i⟩)
        (set i (some ⟨.fresh s.stack.freeze, s.base, s.parent⟩) w), .done⟩
  | none, _ => ⟨w, .refused⟩
  | some _, some _ => ⟨w, .refused⟩
/-- Discard a scope. -/
def discardStep (w : World) (j : Nat) : Option Scope → Prod World Answer
  | none => ⟨w, .refused⟩
  | some _ => ⟨set j none w, .done⟩
/-- The parent after a merge: a new top layer over the frozen ones. -/
def merged (s c : Scope) : Stack :=
  ⟨tidy (view s.stack.low) (merge3 (view c.base) s.stack.view c.stack.view), s.stack.low⟩
/-- Merge a child, if it is one and there is no conflict. -/
def mergeChecked (w : World) (i j : Nat) (s c : Scope) : Bool → Bool → Prod World Answer
  | false, _ => ⟨w, .refused⟩
  | true, true => ⟨w, .conflict⟩
  | true, false => ⟨set j none (set i (some ⟨merged s c, s.base, s.parent⟩) w), .done⟩
/-- Merge a scope into another. -/
def mergeStep (w : World) (i j : Nat) : Option Scope → Option Scope → Prod World Answer
  | some s, some c => mergeChecked w i j s c (isParent i c.parent) (conflicted (view c.base) s.stack.view c.stack.view)
  | none, _ => ⟨w, .refused⟩
  | some _, none => ⟨w, .refused⟩
/-- One command on the overlay. -/
def commandStep (w : World) : Command → Prod World Answer
  | .op i o => operationStep w i o (w i)
  | .fork i j => forkStep w i j (w i) (w j)
  | .discard j => discardStep w j (w j)
  | .merge i j => mergeStep w i j (w i) (w j)

/-- An operation in a copied tree. -/
def flatOperationStep (w : FlatWorld) (i : Nat) (o : Operation) : Option FlatScope → Prod FlatWorld Answer
  | none => ⟨w, .refused⟩
  | some s => ⟨set i (some ⟨(s.tree.run o).1, s.base, s.parent⟩) w, answer (s.tree.run o).2⟩
/-- A fork is a copy. -/
def flatForkStep (w : FlatWorld) (i j : Nat) : Option FlatScope → Option FlatScope → Prod FlatWorld Answer
  | some s, none => ⟨set j (some ⟨s.tree, s.tree, some i⟩) w, .done⟩
  | none, _ => ⟨w, .refused⟩
  | some _, some _ => ⟨w, .refused⟩
/-- Discard a copied tree. -/
def flatDiscardStep (w : FlatWorld) (j : Nat) : Option FlatScope → Prod FlatWorld Answer
  | none => ⟨w, .refused⟩
  | some _ => ⟨set j none w, .done⟩
/-- Merge a copied tree, if it is a child and there is no conflict. -/
def flatMergeChecked (w : FlatWorld) (i j : Nat) (s c : FlatScope) : Bool → Bool → Prod FlatWorld Answer
  | false, _ => ⟨w, .refused⟩
  | true, true => ⟨w, .conflict⟩
  | true, false => ⟨set j none (set i (some ⟨merge3 c.base s.tree c.tree, s.base, s.parent⟩) w), .done⟩
/-- Merge a copied tree into another. -/
def flatMergeStep (w : FlatWorld) (i j : Nat) : Option FlatScope → Option FlatScope → Prod FlatWorld Answer
  | some s, some c => flatMergeChecked w i j s c (isParent i c.parent) (conflicted c.base s.tree c.tree)
  | none, _ => ⟨w, .refused⟩
  | some _, none => ⟨w, .refused⟩
/-- One command on the flat model. -/
def flatStep (w : FlatWorld) : Command → Prod FlatWorld Answer
  | .op i o => flatOperationStep w i o (w i)
  | .fork i j => flatForkStep w i j (w i) (w j)
  | .discard j => flatDiscardStep w j (w j)
  | .merge i j => flatMergeStep w i j (w i) (w j)

/-- Related scopes: equal views, now and at the fork point; the views are trees, and the layers can be stored. -/
structure RelatedScope (s : Scope) (t : FlatScope) : Prop where
  now : Same s.stack.view t.tree
  was : Same (view s.base) t.base
  par : Eq s.parent t.parent
  wf : WellFormed s.stack.view
  wfLow : WellFormed (view s.stack.low)
  closed : AllClosed s.stack.freeze
/-- Related entries. -/
inductive RelatedEntry : Option Scope → Option FlatScope → Prop where
  | none : RelatedEntry none none
  | some {s t} : RelatedScope s t → RelatedEntry (some s) (some t)
/-- Related worlds. -/
def Related (w : World) (f : FlatWorld) : Prop := (k : Nat) → RelatedEntry (w k) (f k)
/-- Related results: equal answers, related worlds. -/
def RelatedResult (a : Prod World Answer) (b : Prod FlatWorld Answer) : Prop := And (Eq a.2 b.2) (Related a.1 b.1)

/-- Run commands, collecting the answers, the last first. -/
def runs (w : World) (l : List Answer) : List Command → Prod World (List Answer)
  | .nil => ⟨w, l⟩
  | .cons c cs => runs (commandStep w c).1 (.cons (commandStep w c).2 l) cs
/-- The same in a world of copied trees. -/
def flatRuns (w : FlatWorld) (l : List Answer) : List Command → Prod FlatWorld (List Answer)
  | .nil => ⟨w, l⟩
  | .cons c cs => flatRuns (flatStep w c).1 (.cons (flatStep w c).2 l) cs
/-- What a scope's layers answer to an overlay's look-up. -/
def look (q : Path) : Option Scope → Option (Option Node)
  | none => none
  | some s => some (overlayLookup s.stack.freeze q)
/-- What a copied tree has. -/
def flatLook (q : Path) : Option FlatScope → Option (Option Node)
  | none => none
  | some t => some (t.tree.get q)
/-- The scopes that a command may change. -/
def Avoids (k : Nat) : Command → Prop
  | .op i _ => Eq (Nat.beq i k) false
  | .fork i j => And (Eq (Nat.beq i k) false) (Eq (Nat.beq j k) false)
  | .discard j => Eq (Nat.beq j k) false
  | .merge i j => And (Eq (Nat.beq i k) false) (Eq (Nat.beq j k) false)
/-- None of the commands names the scope. -/
def AllAvoid (k : Nat) : List Command → Prop
  | .nil => True
  | .cons c cs => And (Avoids k c) (AllAvoid k cs)
end Eclogue.Files
