prelude
import Eclogue.Runtime.Gate
/-!
# The gate in one pass

The checker of `Gate.lean` looks through the history at every record. This one goes through it once and keeps what it needs: for
each number its intent, whether it is approved and whether it has happened, in a binary tree by the digits of the number; and the
pending outcomes. It gives the same verdict.
-/
namespace Eclogue.Gate

/-- The binary digits of a number, lowest first, for numbers up to `fuel`. -/
noncomputable def digits : (fuel n : Nat) → List Bool
  | .zero, _ => .nil
  | .succ fuel, n => cond (Nat.beq n 0) .nil (.cons (Nat.beq (Nat.mod n 2) 1) (digits fuel (Nat.div n 2)))
/-- The place of a number in a table. -/
noncomputable def key (n : Nat) : List Bool := digits n n
/-- A table: a binary tree with a branch for each digit. -/
inductive Table (α : Type) where
  | empty
  | node (here : Option α) (zero one : Table α)
/-- What stands at a place. -/
def Table.get {α : Type} : List Bool → Table α → Option α
  | _, .empty => none
  | .nil, .node here _ _ => here
  | .cons false l, .node _ zero _ => Table.get l zero
  | .cons true l, .node _ _ one => Table.get l one
/-- Put something at a place. -/
def Table.set {α : Type} (a : α) : List Bool → Table α → Table α
  | .nil, .empty => .node (some a) .empty .empty
  | .nil, .node _ zero one => .node (some a) zero one
  | .cons false l, .empty => .node none (Table.set a l .empty) .empty
  | .cons true l, .empty => .node none .empty (Table.set a l .empty)
  | .cons false l, .node here zero one => .node here (Table.set a l zero) one
  | .cons true l, .node here zero one => .node here zero (Table.set a l one)

/-- What is known of a number. -/
structure Known where
  digest : Nat
  tier : Tier
  approved : Bool
  happened : Bool
/-- What the checker keeps. -/
structure Pass where
  table : Table Known
  pending : List Nat
/-- Note something about a number. -/
noncomputable def Pass.note (s : Pass) (id : Nat) (k : Known) : Pass := ⟨s.table.set k (key id), s.pending⟩
/-- What is known of a number. -/
noncomputable def Pass.known (s : Pass) (id : Nat) : Option Known := s.table.get (key id)
/-- May the operation happen? -/
def Known.allowed : Known → Bool
  | ⟨_, .irreversible, approved, _⟩ => approved
  | _ => true
/-- Can the operation be made up for? -/
def Known.compensable : Known → Bool
  | ⟨_, .compensable, _, _⟩ => true
  | _ => false
/-- A new intent. -/
noncomputable def Pass.intent (s : Pass) (id digest : Nat) (tier : Tier) : Option Known → Option Pass
  | none => some (s.note id ⟨digest, tier, false, false⟩)
  | some _ => none
/-- An approval: of what was intended, and before it happened. -/
noncomputable def Pass.approve (s : Pass) (id digest : Nat) : Option Known → Option Pass
  | none => none
  | some ⟨d, t, _, h⟩ => guard (and (not h) (Nat.beq digest d)) (some (s.note id ⟨d, t, true, h⟩))
/-- A denial. -/
noncomputable def Pass.deny (s : Pass) (id : Nat) : Option Known → Option Pass
  | none => none
  | some ⟨d, t, _, h⟩ => some (s.note id ⟨d, t, false, h⟩)
/-- An outcome. -/
noncomputable def Pass.outcome (s : Pass) (id : Nat) : Option Known → Option Pass
  | none => none
  | some ⟨d, t, a, h⟩ => guard (and (not h) (Known.allowed ⟨d, t, a, h⟩))
      (some ⟨s.table.set ⟨d, t, a, true⟩ (key id), cond (Known.compensable ⟨d, t, a, h⟩) (.cons id s.pending) s.pending⟩)
/-- A compensation: of the newest pending outcome. -/
def Pass.compensate (s : Pass) (id : Nat) : List Nat → Option Pass
  | .nil => none
  | .cons a rest => guard (Nat.beq id a) (some ⟨s.table, rest⟩)
/-- One record. -/
noncomputable def Pass.next (s : Pass) : Record → Option Pass
  | .intent id digest tier => s.intent id digest tier (s.known id)
  | .approve id digest => s.approve id digest (s.known id)
  | .deny id => s.deny id (s.known id)
  | .outcome id => s.outcome id (s.known id)
  | .compensate id => s.compensate id s.pending
/-- One pass over a history (newest record first). -/
noncomputable def onePass : List Record → Option Pass
  | .nil => some ⟨.empty, .nil⟩
  | .cons r h => Option.bind (fun s => s.next r) (onePass h)
/-- Is there something? -/
def isThere : Option Pass → Bool
  | none => false
  | some _ => true
/-- The checker in one pass. -/
noncomputable def acceptOnce (h : List Record) : Bool := isThere (onePass h)
end Eclogue.Gate
