prelude
import Eclogue.Core.Program
import Eclogue.Core.Canonical
/-!
# Programs as JSON

The document of a program, as a value: its declarations and its nameless term (`program.json`). A chain of `let`s is one flat
array, so that depth does not grow with length. The canonical bytes of this value are what names a program.
-/
namespace Eclogue

/-- A word as a text. -/
noncomputable abbrev word (s : String) : Text := Text.ofString s
/-- A record with one field. -/
def record1 (k : Text) (v : Value) : Value := .record (.cons k v .nil)
/-- A record with two fields. -/
def record2 (k : Text) (v : Value) (k' : Text) (v' : Value) : Value := .record (.cons k v (.cons k' v' .nil))
/-- A record with three fields. -/
def record3 (k : Text) (v : Value) (k' : Text) (v' : Value) (k'' : Text) (v'' : Value) : Value :=
  .record (.cons k v (.cons k' v' (.cons k'' v'' .nil)))
/-- A list of two values. -/
def list2 (v w : Value) : Value := .list (.cons v (.cons w .nil))
/-- A list of three values. -/
def list3 (u v w : Value) : Value := .list (.cons u (.cons v (.cons w .nil)))

/-! ### schemas -/
mutual
/-- A schema as a value. -/
noncomputable def Schema.toValue : Schema → Value
  | .any => .text (word "any")
  | .null => .text (word "null")
  | .bool => .text (word "bool")
  | .int => .text (word "int")
  | .text => .text (word "text")
  | .literal v => record1 (word "lit") v
  | .list s => record1 (word "list") s.toValue
  | .record fs => record1 (word "record") (.list fs.toValues)
/-- Field schemas as values: key, whether it is required, schema. -/
noncomputable def FieldSchemas.toValues : FieldSchemas → Values
  | .nil => .nil
  | .cons k required s fs => .cons (list3 (.text k) (.bool required) s.toValue) fs.toValues
end

/-! ### expressions -/
/-- The sign of an operator. -/
noncomputable def BinaryOperator.sign : BinaryOperator → Text
  | .eq => word "=="
  | .ne => word "!="
  | .lt => word "<"
  | .le => word "<="
  | .add => word "+"
  | .sub => word "-"
  | .mul => word "*"
  | .concat => word "++"
  | .and => word "and"
  | .or => word "or"
mutual
/-- An expression as a value. -/
noncomputable def Expression.toValue : Expression → Value
  | .literal v => record1 (word "lit") v
  | .variable i => record1 (word "var") (.int (.ofNat i))
  | .list es => record1 (word "list") (.list es.toValues)
  | .record fs => record1 (word "record") (.list fs.toValues)
  | .project e k => record2 (word "get") e.toValue (word "key") (.text k)
  | .not e => record1 (word "not") e.toValue
  | .binary op a b => record3 (word "left") a.toValue (word "op") (.text op.sign) (word "right") b.toValue
  | .check s e => record2 (word "check") s.toValue (word "of") e.toValue
/-- Expressions as values. -/
noncomputable def Expressions.toValues : Expressions → Values
  | .nil => .nil
  | .cons e es => .cons e.toValue es.toValues
/-- The fields of a record expression as values: key, expression. -/
noncomputable def FieldExpressions.toValues : FieldExpressions → Values
  | .nil => .nil
  | .cons k e fs => .cons (list2 (.text k) e.toValue) fs.toValues
end

/-! ### computations -/
/-- A chain of computations as a value: the only one, or a sequence. -/
noncomputable def sequence : Values → Value
  | .nil => .null
  | .cons v .nil => v
  | .cons v (.cons w vs) => record1 (word "seq") (.list (.cons v (.cons w vs)))
mutual
/-- The chain of a computation: what is bound in turn, and the last. -/
noncomputable def Computation.chain (names : Nat → Text) : Computation → Values
  | .return e => .cons (record1 (word "return") e.toValue) .nil
  | .let c k => .cons (sequence (c.chain names)) (k.chain names)
  | .perform op e => .cons (record2 (word "payload") e.toValue (word "perform") (.text (names op))) .nil
  | .handle c r clauses => .cons (record3 (word "clauses") (.list (clauses.toValues names)) (word "handle") (sequence (c.chain names))
      (word "return") (sequence (r.chain names))) .nil
  | .if e a b => .cons (record3 (word "else") (sequence (b.chain names)) (word "if") e.toValue (word "then")
        (sequence (a.chain names))) .nil
/-- Clauses as values. -/
noncomputable def Clauses.toValues (names : Nat → Text) : Clauses → Values
  | .nil => .nil
  | .cons op b clauses => .cons (record2 (word "body") (sequence (b.chain names)) (word "operation") (.text (names op)))
        (clauses.toValues names)
/-- The chain of a clause body. -/
noncomputable def ClauseBody.chain (names : Nat → Text) : ClauseBody → Values
  | .let c b => .cons (sequence (c.chain names)) (b.chain names)
  | .if e a b => .cons (record3 (word "else") (sequence (b.chain names)) (word "if") e.toValue (word "then")
        (sequence (a.chain names))) .nil
  | .answer e => .cons (record1 (word "answer") e.toValue) .nil
  | .abort e => .cons (record1 (word "abort") e.toValue) .nil
  | .resume e k => .cons (record2 (word "resume") e.toValue (word "then") (sequence (k.chain names))) .nil
end

/-! ### programs -/
/-- A tier as a word. -/
noncomputable def Tier.word : Tier → Text
  | .reversible => Eclogue.word "reversible"
  | .compensable => Eclogue.word "compensable"
  | .irreversible => Eclogue.word "irreversible"
/-- A declaration as a value. -/
noncomputable def OperationDeclaration.toValue (d : OperationDeclaration) : Value :=
  .record (.cons (word "name") (.text d.name) (.cons (word "payload") d.signature.payload.toValue
    (.cons (word "result") d.signature.result.toValue (.cons (word "tier") (.text d.tier.word) .nil))))
/-- Declarations as values. -/
noncomputable def declarationsToValues : List OperationDeclaration → Values
  | .nil => .nil
  | .cons d ds => .cons d.toValue (declarationsToValues ds)
/-- The document of a program. -/
noncomputable def Program.document (p : Program) : Value :=
  record3 (word "body") (sequence (p.body.chain (nameOf p.operations))) (word "format") (.text (word "eclogue-core/1"))
    (word "operations") (.list (declarationsToValues p.operations))
/-- The canonical bytes of a program, of which `program.ref` is the digest. -/
noncomputable def Program.canonicalBytes (p : Program) : List Nat := p.document.canonicalBytes
end Eclogue
