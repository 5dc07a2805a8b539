prelude
import Eclogue.Core.Profiles
/-!
# Scoping

A test on programs: every variable has a binder. Lowering guarantees it; at run time an unbound variable would be a failure.
-/
namespace Eclogue

mutual
/-- All variables of the expression are below `n`. -/
def scopedExpression : Expression → Nat → Bool
  | .literal _, _ => true
  | .variable i, n => Nat.ble (Nat.succ i) n
  | .list es, n => scopedExpressions es n
  | .record fs, n => scopedFields fs n
  | .project e _, n => scopedExpression e n
  | .not e, n => scopedExpression e n
  | .binary _ a b, n => and (scopedExpression a n) (scopedExpression b n)
  | .check _ e, n => scopedExpression e n
/-- The same for a list of expressions. -/
def scopedExpressions : Expressions → Nat → Bool
  | .nil, _ => true
  | .cons e es, n => and (scopedExpression e n) (scopedExpressions es n)
/-- The same for the fields of a record expression. -/
def scopedFields : FieldExpressions → Nat → Bool
  | .nil, _ => true
  | .cons _ e fs, n => and (scopedExpression e n) (scopedFields fs n)
end
mutual
/-- All variables of the computation have binders, when `n` are bound outside. -/
def inScope : Computation → Nat → Bool
  | .return e, n => scopedExpression e n
  | .let c k, n => and (inScope c n) (inScope k (Nat.succ n))
  | .perform _ e, n => scopedExpression e n
  | .handle c r clauses, n => and (inScope c n) (and (inScope r (Nat.succ n)) (scopedClauses clauses (Nat.succ n)))
  | .if e a b, n => and (scopedExpression e n) (and (inScope a n) (inScope b n))
/-- The same for the clauses of a handler, their payload being bound. -/
def scopedClauses : Clauses → Nat → Bool
  | .nil, _ => true
  | .cons _ b clauses, n => and (scopedBody b n) (scopedClauses clauses n)
/-- The same for a clause body. -/
def scopedBody : ClauseBody → Nat → Bool
  | .let c b, n => and (inScope c n) (scopedBody b (Nat.succ n))
  | .if e a b, n => and (scopedExpression e n) (and (scopedBody a n) (scopedBody b n))
  | .answer e, n => scopedExpression e n
  | .abort e, n => scopedExpression e n
  | .resume e k, n => and (scopedExpression e n) (inScope k (Nat.succ n))
end
/-- Not a failure of kind `unbound`. -/
def FailureKind.bound : FailureKind → Bool
  | .unbound => false
  | _ => true
/-- No failure of kind `unbound`. -/
def Record.bound : Record → Bool
  | .failure k => k.bound
  | _ => true
end Eclogue
