prelude
import Eclogue.Core.Checked
/-!
# Programs

A program is a closed computation with the declarations of its operations. In the computation an operation is a number: the place
of its declaration.
-/
namespace Eclogue

/-- What it takes to take an operation back: discarding the scope undoes it; another operation makes up for it; nothing does. -/
inductive Tier where
  | reversible | compensable | irreversible
/-- The declaration of an operation. -/
structure OperationDeclaration where
  name : Text
  signature : Signature
  tier : Tier
/-- A program. -/
structure Program where
  operations : List OperationDeclaration
  body : Computation
/-- The name of an operation, by number. -/
def nameOf : List OperationDeclaration → Nat → Text
  | .nil, _ => ⟨0, 0⟩
  | .cons d _, .zero => d.name
  | .cons _ ds, .succ n => nameOf ds n
/-- Is the name among those declared? -/
def declaresName (name : Text) : List OperationDeclaration → Bool
  | .nil => false
  | .cons d ds => or (Text.beq name d.name) (declaresName name ds)
/-- No name is declared twice. -/
def distinctNames : List OperationDeclaration → Bool
  | .nil => true
  | .cons d ds => and (not (declaresName d.name ds)) (distinctNames ds)
mutual
/-- All operations of the computation are below `n`. -/
def operationsBelow (n : Nat) : Computation → Bool
  | .return _ => true
  | .let c k => and (operationsBelow n c) (operationsBelow n k)
  | .perform op _ => Nat.ble (.succ op) n
  | .handle c r clauses => and (operationsBelow n c) (and (operationsBelow n r) (clausesBelow n clauses))
  | .if _ a b => and (operationsBelow n a) (operationsBelow n b)
/-- The same for the clauses of a handler. -/
def clausesBelow (n : Nat) : Clauses → Bool
  | .nil => true
  | .cons op b clauses => and (Nat.ble (.succ op) n) (and (bodyBelow n b) (clausesBelow n clauses))
/-- The same for a clause body. -/
def bodyBelow (n : Nat) : ClauseBody → Bool
  | .let c b => and (operationsBelow n c) (bodyBelow n b)
  | .if _ a b => and (bodyBelow n a) (bodyBelow n b)
  | .answer _ => true
  | .abort _ => true
  | .resume _ k => operationsBelow n k
end
/-- Every operation of the program is declared, and once. -/
def Program.declared (p : Program) : Bool := and (distinctNames p.operations) (operationsBelow (length p.operations) p.body)
end Eclogue
