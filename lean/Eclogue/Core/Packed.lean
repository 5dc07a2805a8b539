prelude
import Eclogue.Core.TraceDocument
/-!
# Canonical text, packed

The canonical text of a value once more, as a text: its length and one number. A text that stands for itself in a string is taken as it
is, so evaluating this takes a few steps for each token and not for each byte. That it is the same text is proved.
-/
namespace Eclogue

/-- The UTF-8 bytes of a text. -/
noncomputable def Text.bytes (t : Text) : List Nat := utf8 t.scalars
/-- A scalar that stands for itself in a string. -/
def plainScalar (c : Nat) : Bool := and (Nat.ble 32 c) (and (not (Nat.beq c 34)) (not (Nat.beq c 92)))
/-- A list of scalars, packed. -/
def packList : List Nat → Text
  | .nil => ⟨0, 0⟩
  | .cons c s => Text.append ⟨1, c⟩ (packList s)
/-- A text between quotation marks. -/
def quoted (t : Text) : Text := Text.append ⟨1, 34⟩ (Text.append t ⟨1, 34⟩)
/-- A string, with its escapes. -/
noncomputable def packEscaped (s : List Nat) : Text := packList (.cons 34 (stringText s .nil))
/-- The string of a text: as it is if it is plain. -/
noncomputable def packString (t : Text) : (plain : Bool) → Text
  | true => quoted t
  | false => packEscaped t.scalars
/-- Does the text not begin with `$`? -/
def noDollar : List Nat → Bool
  | .nil => true
  | .cons c _ => not (Nat.beq c 36)
/-- The string of a key: as it is if it is plain and does not begin with `$`. -/
noncomputable def packKey (t : Text) : (plain : Bool) → Text
  | true => quoted t
  | false => packEscaped (escapeKey t.scalars)
/-- The text of a token for a number. -/
noncomputable def numberText (n : Nat) : (negative : Bool) → List Nat
  | true => .cons 45 (decimal n)
  | false => decimal n
/-- An integer, small or not. -/
noncomputable def packInt (i : Int) : (small : Bool) → Text
  | true => packList (numberText i.magnitude i.negative)
  | false => Text.append ⟨1, 123⟩ (Text.append (packEscaped dollarInt) (Text.append ⟨1, 58⟩
      (Text.append (packEscaped i.decimal) ⟨1, 125⟩)))
mutual
/-- The canonical text of a value. -/
noncomputable def Value.packed : Value → Text
  | .null => word "null"
  | .bool true => word "true"
  | .bool false => word "false"
  | .int i => packInt i (Nat.ble (.succ i.magnitude) 9007199254740992)
  | .text t => packString t (all plainScalar t.scalars)
  | .list vs => Text.append ⟨1, 91⟩ vs.packed
  | .record fs => Text.append ⟨1, 123⟩ fs.packed
/-- The text of a list, up to its end. -/
noncomputable def Values.packed : Values → Text
  | .nil => ⟨1, 93⟩
  | .cons v vs => Text.append v.packed vs.morePacked
/-- The text of the rest of a list. -/
noncomputable def Values.morePacked : Values → Text
  | .nil => ⟨1, 93⟩
  | .cons v vs => Text.append ⟨1, 44⟩ (Text.append v.packed vs.morePacked)
/-- The text of the fields of a record, up to its end. -/
noncomputable def Fields.packed : Fields → Text
  | .nil => ⟨1, 125⟩
  | .cons k v fs => Text.append (packKey k (and (noDollar k.scalars) (all plainScalar k.scalars)))
      (Text.append ⟨1, 58⟩ (Text.append v.packed fs.morePacked))
/-- The text of the other fields of a record. -/
noncomputable def Fields.morePacked : Fields → Text
  | .nil => ⟨1, 125⟩
  | .cons k v fs => Text.append ⟨1, 44⟩ (Text.append (packKey k (and (noDollar k.scalars) (all plainScalar k.scalars)))
      (Text.append ⟨1, 58⟩ (Text.append v.packed fs.morePacked)))
end
/-- The canonical text of each record of a trace, newest first. -/
noncomputable def packedLines (names : Nat → Text) (commit : Value → Value) : List Record → List Text
  | .nil => .nil
  | .cons r rs => .cons (Value.record (r.fields names commit (length rs))).packed (packedLines names commit rs)
end Eclogue
