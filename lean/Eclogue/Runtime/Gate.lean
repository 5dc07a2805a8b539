prelude
import Eclogue.Core.Program
/-!
# The gate

Intents, approvals, outcomes and compensations. A history is a list of records, the newest first, so what came before a record
is the tail behind it.
-/
namespace Eclogue.Gate

/-- The records. An approval names the digest of what was approved, so it cannot be used for something else. -/
inductive Record where
  | intent (id digest : Nat) (tier : Tier)
  | approve (id digest : Nat)
  | deny (id : Nat)             -- also withdraws an approval
  | outcome (id : Nat)
  | compensate (id : Nat)

/-- The intent of a number: its digest and tier. -/
def intentOf (id : Nat) : List Record → Option (Prod Nat Tier)
  | .nil => none
  | .cons (.intent i d t) h => cond (Nat.beq i id) (some ⟨d, t⟩) (intentOf id h)
  | .cons (.approve _ _) h => intentOf id h
  | .cons (.deny _) h => intentOf id h
  | .cons (.outcome _) h => intentOf id h
  | .cons (.compensate _) h => intentOf id h
/-- Is there an approval of this digest, not denied since? -/
def approved (id d : Nat) : List Record → Bool
  | .nil => false
  | .cons (.approve i e) h => cond (Nat.beq i id) (cond (Nat.beq e d) true (approved id d h)) (approved id d h)
  | .cons (.deny i) h => cond (Nat.beq i id) false (approved id d h)
  | .cons (.intent _ _ _) h => approved id d h
  | .cons (.outcome _) h => approved id d h
  | .cons (.compensate _) h => approved id d h
/-- Is there an outcome already? -/
def happened (id : Nat) : List Record → Bool
  | .nil => false
  | .cons (.outcome i) h => cond (Nat.beq i id) true (happened id h)
  | .cons (.intent _ _ _) h => happened id h
  | .cons (.approve _ _) h => happened id h
  | .cons (.deny _) h => happened id h
  | .cons (.compensate _) h => happened id h
/-- Is there an intent that can be made up for? -/
def isCompensable : Option (Prod Nat Tier) → Bool
  | some ⟨_, .compensable⟩ => true
  | some ⟨_, .reversible⟩ => false
  | some ⟨_, .irreversible⟩ => false
  | none => false
/-- Without the first occurrence. -/
def remove (a : Nat) : List Nat → List Nat
  | .nil => .nil
  | .cons b l => cond (Nat.beq a b) l (.cons b (remove a l))
/-- Compensable outcomes that were not compensated, the newest first. -/
def pending : List Record → List Nat
  | .nil => .nil
  | .cons (.outcome i) h => cond (isCompensable (intentOf i h)) (.cons i (pending h)) (pending h)
  | .cons (.compensate i) h => remove i (pending h)
  | .cons (.intent _ _ _) h => pending h
  | .cons (.approve _ _) h => pending h
  | .cons (.deny _) h => pending h
/-- Is this the first of the list? -/
def isHead (a : Nat) : List Nat → Bool
  | .nil => false
  | .cons b _ => Nat.beq a b
/-- May an operation of this intent happen now? -/
def gate (id : Nat) (h : List Record) : Option (Prod Nat Tier) → Bool
  | none => false
  | some ⟨_, .reversible⟩ => true
  | some ⟨_, .compensable⟩ => true
  | some ⟨d, .irreversible⟩ => approved id d h
/-- May an approval of this digest be given? -/
def approvable (d : Nat) : Option (Prod Nat Tier) → Bool
  | none => false
  | some ⟨e, _⟩ => Nat.beq d e
/-- May the record follow the history? -/
def mayFollow (h : List Record) : Record → Bool
  | .intent id _ _ => not (hasIntent (intentOf id h))
  | .approve id d => and (not (happened id h)) (approvable d (intentOf id h))
  | .deny id => hasIntent (intentOf id h)
  | .outcome id => and (not (happened id h)) (gate id h (intentOf id h))
  | .compensate id => isHead id (pending h)
where
  /-- Is there something? -/
  hasIntent : Option (Prod Nat Tier) → Bool
    | none => false
    | some _ => true
/-- The checker. -/
def accept : List Record → Bool
  | .nil => true
  | .cons r h => and (accept h) (mayFollow h r)

/-- `After h t`: the history `h` is where `t` once was. -/
inductive After {α : Type} (h : List α) : List α → Prop where
  | now : After h h
  | later {t r} : After h t → After h (.cons r t)
/-- Compensations, one after the other. -/
def undo : List Nat → List Record → List Record
  | .nil, h => h
  | .cons a as, h => undo as (.cons (.compensate a) h)
/-- `Sub k l`: what is left of `l` when some elements are struck out. -/
inductive Sub {α : Type} : List α → List α → Prop where
  | nil : Sub .nil .nil
  | take {a k l} : Sub k l → Sub (.cons a k) (.cons a l)
  | skip {a k l} : Sub k l → Sub k (.cons a l)
/-- All outcomes, the newest first. -/
def outcomes : List Record → List Nat
  | .nil => .nil
  | .cons (.outcome i) h => .cons i (outcomes h)
  | .cons (.intent _ _ _) h => outcomes h
  | .cons (.approve _ _) h => outcomes h
  | .cons (.deny _) h => outcomes h
  | .cons (.compensate _) h => outcomes h
end Eclogue.Gate
