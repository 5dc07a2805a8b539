prelude
import Eclogue.Base
/-!
# Values

Finite, JSON-compatible values. Each has one representation: the fields of a record are kept in the code-point order of
their keys. Integers are unbounded. `true` is not `1`: kinds are kept apart by the constructors.
-/
namespace Eclogue

/-- An unbounded integer: `ofNat n` is n, `negSucc n` is -(n + 1). -/
inductive Int where
  | ofNat (n : Nat)
  | negSucc (n : Nat)
/-- The size of the alphabet in which text is packed: every Unicode scalar is below 2²¹. -/
abbrev scalarBase : Nat := 2097152
/-- Text as the number of its Unicode scalars and one number, the scalars as its digits in base 2²¹, the first one highest. -/
structure Text where
  length : Nat
  code : Nat

mutual
/-- A value. -/
inductive Value where
  | null
  | bool (b : Bool)
  | int (i : Int)
  | text (t : Text)
  | list (vs : Values)
  | record (fs : Fields)
/-- A list of values. -/
inductive Values where
  | nil
  | cons (v : Value) (vs : Values)
/-- The fields of a record, in the order of their keys. -/
inductive Fields where
  | nil
  | cons (k : Text) (v : Value) (fs : Fields)
end

/-! ### equality -/
/-- Equality of truth values. -/
def Bool.beq : Bool → Bool → Bool
  | true, b => b
  | false, b => not b
/-- Equality of integers. -/
def Int.beq : Int → Int → Bool
  | .ofNat a, .ofNat b => Nat.beq a b
  | .negSucc a, .negSucc b => Nat.beq a b
  | .ofNat _, .negSucc _ => false
  | .negSucc _, .ofNat _ => false
/-- Equality of texts. -/
def Text.beq (a b : Text) : Bool := and (Nat.beq a.length b.length) (Nat.beq a.code b.code)
mutual
/-- `value.equal`: equality of values. -/
def Value.beq : Value → Value → Bool
  | .null, .null => true
  | .bool a, .bool b => Bool.beq a b
  | .int a, .int b => Int.beq a b
  | .text a, .text b => Text.beq a b
  | .list a, .list b => Values.beq a b
  | .record a, .record b => Fields.beq a b
  | _, _ => false
/-- Equality of lists of values. -/
def Values.beq : Values → Values → Bool
  | .nil, .nil => true
  | .cons v vs, .cons w ws => and (Value.beq v w) (Values.beq vs ws)
  | _, _ => false
/-- Equality of the fields of records. -/
def Fields.beq : Fields → Fields → Bool
  | .nil, .nil => true
  | .cons k v vs, .cons l w ws => and (Text.beq k l) (and (Value.beq v w) (Fields.beq vs ws))
  | _, _ => false
end

/-! ### integers -/
/-- The difference of two natural numbers. -/
def subNat (a b : Nat) : Int := cond (Nat.ble b a) (.ofNat (Nat.sub a b)) (.negSucc (Nat.pred (Nat.sub b a)))
/-- Addition. -/
def Int.add : Int → Int → Int
  | .ofNat a, .ofNat b => .ofNat (Nat.add a b)
  | .ofNat a, .negSucc b => subNat a (Nat.succ b)
  | .negSucc a, .ofNat b => subNat b (Nat.succ a)
  | .negSucc a, .negSucc b => .negSucc (Nat.succ (Nat.add a b))
/-- The opposite number. -/
def Int.negate : Int → Int
  | .ofNat a => subNat 0 a
  | .negSucc a => .ofNat (Nat.succ a)
/-- Multiplication. -/
def Int.mul : Int → Int → Int
  | .ofNat a, .ofNat b => .ofNat (Nat.mul a b)
  | .ofNat a, .negSucc b => Int.negate (.ofNat (Nat.mul a (Nat.succ b)))
  | .negSucc a, .ofNat b => Int.negate (.ofNat (Nat.mul (Nat.succ a) b))
  | .negSucc a, .negSucc b => .ofNat (Nat.mul (Nat.succ a) (Nat.succ b))
/-- Is the first number at most the second? -/
def Int.le : Int → Int → Bool
  | .ofNat a, .ofNat b => Nat.ble a b
  | .ofNat _, .negSucc _ => false
  | .negSucc _, .ofNat _ => true
  | .negSucc a, .negSucc b => Nat.ble b a

/-! ### text, lists, records -/
/-- A text with one more scalar behind it. -/
def Text.push (a : Text) (scalar : Nat) : Text := ⟨Nat.succ a.length, Nat.add (Nat.mul a.code scalarBase) scalar⟩
/-- A text with more characters behind it. -/
def Text.pushAll (a : Text) : List Char → Text
  | .nil => a
  | .cons c cs => Text.pushAll (a.push c.toNat) cs
/-- The text that a literal of Lean writes. -/
noncomputable def Text.ofString (s : String) : Text := Text.pushAll ⟨0, 0⟩ s.toList
/-- Concatenation of texts, by arithmetic. -/
def Text.append (a b : Text) : Text :=
  ⟨Nat.add a.length b.length, Nat.add (Nat.mul a.code (Nat.pow scalarBase b.length)) b.code⟩
/-- The code of a text with `n` scalars U+0000 behind it. -/
def Text.padded (a : Text) (n : Nat) : Nat := Nat.mul a.code (Nat.pow scalarBase n)
/-- Code-point order, the shorter of two texts first if it begins the other: the shorter one is padded, then codes compare. -/
def Text.le (a b : Text) : Bool :=
  cond (Nat.ble a.length b.length) (Nat.ble (a.padded (Nat.sub b.length a.length)) b.code)
    (not (Nat.ble (b.padded (Nat.sub a.length b.length)) a.code))
/-- Concatenation of lists. -/
def Values.append : Values → Values → Values
  | .nil, ws => ws
  | .cons v vs, ws => .cons v (Values.append vs ws)
/-- Set a field, keeping the order of keys. -/
def Fields.put (k : Text) (v : Value) : Fields → Fields
  | .nil => .cons k v .nil
  | .cons l w fs =>
    cond (Text.beq k l) (.cons k v fs) (cond (Text.le k l) (.cons k v (.cons l w fs)) (.cons l w (Fields.put k v fs)))
/-- The value of a field, if there is one. -/
def Fields.get (k : Text) : Fields → Option Value
  | .nil => none
  | .cons l v fs => cond (Text.beq k l) (some v) (Fields.get k fs)
end Eclogue
