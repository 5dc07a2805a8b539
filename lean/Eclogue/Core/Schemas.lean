prelude
import Eclogue.Core.Values
/-!
# Schemas

What a payload, a resumed value or a completion must look like. A check is an expression (`Expression.check`), so no rule of
the source semantics or of the machine mentions schemas.
-/
namespace Eclogue

mutual
/-- A schema; `literal v` accepts `v` only; a record schema is closed: it names all keys that may occur. -/
inductive Schema where
  | any
  | null
  | bool
  | int
  | text
  | literal (v : Value)
  | list (s : Schema)
  | record (fs : FieldSchemas)
/-- The fields of a record schema: key, whether it is required, schema. -/
inductive FieldSchemas where
  | nil
  | cons (k : Text) (required : Bool) (s : Schema) (fs : FieldSchemas)
end
/-- The test holds of every value of a list. -/
def Values.all (p : Value → Bool) : Values → Bool
  | .nil => true
  | .cons v vs => and (p v) (Values.all p vs)
/-- Does a record schema name the key? -/
def FieldSchemas.has (k : Text) : FieldSchemas → Bool
  | .nil => false
  | .cons l _ _ fs => cond (Text.beq k l) true (FieldSchemas.has k fs)
/-- Are all keys of a record named by the schema? -/
def Fields.declared (ss : FieldSchemas) : Fields → Bool
  | .nil => true
  | .cons k _ fs => and (ss.has k) (Fields.declared ss fs)
/-- A field that is there satisfies the test; one that is missing must not be required. -/
def presentOrOptional (required : Bool) (p : Value → Bool) : Option Value → Bool
  | none => not required
  | some v => p v
mutual
/-- `schema.conforms`: does the schema accept the value? -/
def Schema.conforms : Schema → Value → Bool
  | .any, _ => true
  | .null, .null => true
  | .bool, .bool _ => true
  | .int, .int _ => true
  | .text, .text _ => true
  | .literal v, w => Value.beq v w
  | .list s, .list vs => Values.all (fun v => Schema.conforms s v) vs
  | .record ss, .record fs => and (Fields.declared ss fs) (FieldSchemas.conform ss fs)
  | _, _ => false
/-- Do the field schemas accept the fields of a record? -/
def FieldSchemas.conform : FieldSchemas → Fields → Bool
  | .nil, _ => true
  | .cons k required s ss, fs =>
    and (presentOrOptional required (fun v => Schema.conforms s v) (Fields.get k fs)) (FieldSchemas.conform ss fs)
end
end Eclogue
