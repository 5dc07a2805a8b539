prelude
import Eclogue.Core.Schemas
/-!
# Expressions

Pure, and total: what can go wrong is a result of its own, a failure with its kind.
-/
namespace Eclogue

/-- `expr.failure`: why an expression failed: a variable that no binder introduces, an operand of the wrong type, a missing key of a record,
a value that its schema does not accept. -/
inductive FailureKind where
  | unbound
  | type
  | key (k : Text)
  | schema
/-- Equality of failure kinds. -/
def FailureKind.beq : FailureKind → FailureKind → Bool
  | .unbound, .unbound => true
  | .type, .type => true
  | .key a, .key b => Text.beq a b
  | .schema, .schema => true
  | _, _ => false
/-- The result of a pure evaluation: a thing, or a failure. -/
inductive Result (α : Type) where
  | ok (a : α)
  | err (k : FailureKind)
/-- Go on with the result unless it is a failure. -/
def Result.bind {α β : Type} (f : α → Result β) : Result α → Result β
  | .ok a => f a
  | .err k => .err k

/-- The binary operators; `and` and `or` are strict in both operands. -/
inductive BinaryOperator where
  | eq | ne | lt | le | add | sub | mul | concat | and | or
mutual
/-- An expression; a variable is the number of binders between its use and its own binder. -/
inductive Expression where
  | literal (v : Value)
  | variable (i : Nat)
  | list (es : Expressions)
  | record (fs : FieldExpressions)
  | project (e : Expression) (k : Text)
  | not (e : Expression)
  | binary (op : BinaryOperator) (a b : Expression)
  | check (s : Schema) (e : Expression)
/-- A list of expressions. -/
inductive Expressions where
  | nil
  | cons (e : Expression) (es : Expressions)
/-- The fields of a record expression, in the order of evaluation. -/
inductive FieldExpressions where
  | nil
  | cons (k : Text) (e : Expression) (fs : FieldExpressions)
end
/-- The values of the variables, the innermost binder's first. -/
abbrev Environment := List Value

/-- `expr.variable`: the value of a variable. -/
def lookup : Environment → Nat → Result Value
  | .nil, _ => .err .unbound
  | .cons v _, .zero => .ok v
  | .cons _ ρ, .succ n => lookup ρ n
/-- A value that is there, or a failure of the given kind. -/
def Result.ofOption (k : FailureKind) : Option Value → Result Value
  | none => .err k
  | some v => .ok v
/-- `expr.project`: a field of a record. -/
def projectKey (k : Text) : Value → Result Value
  | .record fs => .ofOption (.key k) (Fields.get k fs)
  | _ => .err .type
/-- `expr.check`: the value itself if the schema accepts it. -/
def checkSchema (s : Schema) (v : Value) : Result Value := cond (Schema.conforms s v) (.ok v) (.err .schema)

/-! ### views of a value: of the wanted type, or a failure of kind `type` -/
/-- A value as a truth value. -/
def asBool : Value → Result Bool
  | .bool b => .ok b
  | _ => .err .type
/-- A value as an integer. -/
def asInt : Value → Result Int
  | .int i => .ok i
  | _ => .err .type
/-- A value as a text. -/
def asText : Value → Result Text
  | .text t => .ok t
  | _ => .err .type
/-- A value as a list. -/
def asList : Value → Result Values
  | .list vs => .ok vs
  | _ => .err .type

/-! ### operators -/
/-- `expr.not`: `not` on values. -/
def notValue (v : Value) : Result Value := (asBool v).bind fun b => .ok (.bool (not b))
/-- An operator on two integers. -/
def onInts (f : Int → Int → Value) (a b : Value) : Result Value := (asInt a).bind fun x => (asInt b).bind fun y => .ok (f x y)
/-- An operator on two truth values. -/
def onBools (f : Bool → Bool → Bool) (a b : Value) : Result Value :=
  (asBool a).bind fun x => (asBool b).bind fun y => .ok (.bool (f x y))
/-- `++` on two texts or two lists. -/
def concatValues : Value → Value → Result Value
  | .text a, b => (asText b).bind fun y => .ok (.text (Text.append a y))
  | .list a, b => (asList b).bind fun y => .ok (.list (Values.append a y))
  | _, _ => .err .type
/-- `expr.binary`: the binary operators on values. -/
def applyOperator : BinaryOperator → Value → Value → Result Value
  | .eq, a, b => .ok (.bool (Value.beq a b))
  | .ne, a, b => .ok (.bool (not (Value.beq a b)))
  | .lt, a, b => onInts (fun x y => .bool (not (Int.le y x))) a b
  | .le, a, b => onInts (fun x y => .bool (Int.le x y)) a b
  | .add, a, b => onInts (fun x y => .int (Int.add x y)) a b
  | .sub, a, b => onInts (fun x y => .int (Int.add x (Int.negate y))) a b
  | .mul, a, b => onInts (fun x y => .int (Int.mul x y)) a b
  | .concat, a, b => concatValues a b
  | .and, a, b => onBools and a b
  | .or, a, b => onBools or a b

/-! ### evaluation -/
mutual
/-- The result of an expression, evaluated left to right; `expr.literal`: a literal is its value. -/
def evaluate (ρ : Environment) : Expression → Result Value
  | .literal v => .ok v
  | .variable i => lookup ρ i
  | .list es => (evaluateList ρ es).bind fun vs => .ok (.list vs)
  | .record fs => (evaluateFields ρ fs .nil).bind fun vs => .ok (.record vs)
  | .project e k => (evaluate ρ e).bind (projectKey k)
  | .not e => (evaluate ρ e).bind notValue
  | .binary op a b => (evaluate ρ a).bind fun x => (evaluate ρ b).bind fun y => applyOperator op x y
  | .check s e => (evaluate ρ e).bind (checkSchema s)
/-- `expr.list`: the results of a list of expressions, up to the first failure. -/
def evaluateList (ρ : Environment) : Expressions → Result Values
  | .nil => .ok .nil
  | .cons e es => (evaluate ρ e).bind fun v => (evaluateList ρ es).bind fun vs => .ok (.cons v vs)
/-- `expr.record`: the fields of a record expression, evaluated and set in the order in which they stand, so a later one wins. -/
def evaluateFields (ρ : Environment) : FieldExpressions → Fields → Result Fields
  | .nil, set => .ok set
  | .cons k e fs, set => (evaluate ρ e).bind fun v => evaluateFields ρ fs (Fields.put k v set)
end
/-- The condition of an `if` must be a truth value. -/
def asCondition (v : Value) : Result Value := (asBool v).bind fun b => .ok (.bool b)
/-- The branch that a truth value chooses. -/
def choose {α : Type} : Value → α → α → α
  | .bool true, a, _ => a
  | _, _, b => b
end Eclogue
