prelude
import Eclogue.Core.Profiles
/-!
# Schemas at the boundaries

A test on programs: every operation is performed as `let x = perform op(check(P, e)) in return check(R, x)`, where `P` and `R` are the
declared schemas of the operation. And what that means for traces: every declared payload is of its schema, and a value that is
resumed, or answered by the host, against its schema is followed at once by a failure of kind `schema`.
-/
namespace Eclogue

mutual
/-- Equality of schemas. -/
def Schema.beq : Schema → Schema → Bool
  | .any, .any => true
  | .null, .null => true
  | .bool, .bool => true
  | .int, .int => true
  | .text, .text => true
  | .literal v, .literal w => Value.beq v w
  | .list s, .list s' => Schema.beq s s'
  | .record fs, .record fs' => FieldSchemas.beq fs fs'
  | _, _ => false
/-- Equality of field schemas. -/
def FieldSchemas.beq : FieldSchemas → FieldSchemas → Bool
  | .nil, .nil => true
  | .cons k r s fs, .cons k' r' s' fs' => and (and (Text.beq k k') (Bool.beq r r')) (and (Schema.beq s s') (FieldSchemas.beq fs fs'))
  | _, _ => false
end
/-- What is declared of an operation: the schema of its payload, and of its result. -/
structure Signature where
  payload : Schema
  result : Schema
/-- The declarations of all operations. -/
abbrev Signatures := Nat → Signature

/-! ### the test on programs -/
/-- The expression is `check(s, …)`. -/
def checksPayload (s : Schema) : Expression → Bool
  | .check s' _ => Schema.beq s' s
  | _ => false
/-- The expression is the innermost variable. -/
def isInnermost : Expression → Bool
  | .variable .zero => true
  | _ => false
/-- The expression is `check(s, x)` for the innermost variable `x`. -/
def checksInnermost (s : Schema) : Expression → Bool
  | .check s' e => and (Schema.beq s' s) (isInnermost e)
  | _ => false
/-- The computation is `return check(s, x)` for the innermost variable `x`. -/
def checksResult (s : Schema) : Computation → Bool
  | .return e => checksInnermost s e
  | _ => false
/-- The computation performs an operation on a checked payload, and `k` checks the result. -/
def checksPerform (σ : Signatures) (k : Computation) : Computation → Bool
  | .perform op e => and (checksPayload (σ op).payload e) (checksResult (σ op).result k)
  | _ => false
mutual
/-- `program.checked`: every operation is performed with both checks. -/
def checked (σ : Signatures) : Computation → Bool
  | .return _ => true
  | .let c k => or (checksPerform σ k c) (and (checked σ c) (checked σ k))
  | .perform _ _ => false
  | .handle c r clauses => and (checked σ c) (and (checked σ r) (checkedClauses σ clauses))
  | .if _ a b => and (checked σ a) (checked σ b)
/-- The same for the clauses of a handler. -/
def checkedClauses (σ : Signatures) : Clauses → Bool
  | .nil => true
  | .cons _ b clauses => and (checkedBody σ b) (checkedClauses σ clauses)
/-- The same for a clause body. -/
def checkedBody (σ : Signatures) : ClauseBody → Bool
  | .let c b => and (checked σ c) (checkedBody σ b)
  | .if _ a b => and (checkedBody σ a) (checkedBody σ b)
  | .answer _ => true
  | .abort _ => true
  | .resume _ k => checked σ k
end

/-! ### what it means for traces -/
/-- The operation of the declaration with this number. -/
def declaredOperation (d : Nat) : List Record → Option Nat
  | .nil => none
  | .cons (.effectDeclaration op _) rs => cond (Nat.beq (length rs) d) (some op) (declaredOperation d rs)
  | .cons _ rs => declaredOperation d rs
/-- The operation of the selection with this number. -/
def selectedOperation (s : Nat) : List Record → Option Nat
  | .nil => none
  | .cons (.handlerSelection d _) rs => cond (Nat.beq (length rs) s) (declaredOperation d rs) (selectedOperation s rs)
  | .cons _ rs => selectedOperation s rs
/-- The value is not a result of the operation (nor of an unknown one). -/
def refusesResult (σ : Signatures) (v : Value) : Option Nat → Bool
  | none => true
  | some op => not ((σ op).result.conforms v)
/-- The newest record resumes a selection, or answers a declaration, with a value that is not a result of its operation. -/
def wrongResult (σ : Signatures) : List Record → Bool
  | .cons (.continuationResume s v) rs => refusesResult σ v (selectedOperation s rs)
  | .cons (.hostObservation d v) rs => refusesResult σ v (declaredOperation d rs)
  | _ => false
/-- A declaration has a payload of its operation. -/
def rightPayload (σ : Signatures) : Record → Bool
  | .effectDeclaration op v => (σ op).payload.conforms v
  | _ => true
/-- The record is a failure of kind `schema`. -/
def isSchemaFailure : Record → Bool
  | .failure .schema => true
  | _ => false
/-- Every declared payload is of its schema; and right after a wrong result there is a failure of kind `schema`. -/
def schemasKept (σ : Signatures) : List Record → Bool
  | .nil => true
  | .cons r rs => and (rightPayload σ r) (and (or (not (wrongResult σ rs)) (isSchemaFailure r)) (schemasKept σ rs))
/-- Every declared payload, and every value that was resumed or that the host answered, is of its schema. -/
def schemasMet (σ : Signatures) : List Record → Bool
  | .nil => true
  | .cons r rs => and (rightPayload σ r) (and (not (wrongResult σ (.cons r rs))) (schemasMet σ rs))
end Eclogue
