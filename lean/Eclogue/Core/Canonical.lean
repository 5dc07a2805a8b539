prelude
import Eclogue.Core.Values
/-!
# Canonical bytes

The canonical JSON bytes of a value: RFC 8785, with two differences that make writing total and injective. An integer of 2⁵³ or more
in magnitude is `{"$int":"…"}`, and a record key that begins with `$` gets one more `$`; the keys of a record stand in the order of
the record, which is code-point order.

In three layers: a value is a list of tokens, tokens are a text (a list of Unicode scalars), a text is bytes (UTF-8). Each function
takes what comes behind, so that nothing is concatenated.
-/
namespace Eclogue

/-! ### scalars of a text, digits of a number -/
/-- The last `n` scalars of a code, in front of others. -/
noncomputable def scalarsFrom : (n code : Nat) → List Nat → List Nat
  | .zero, _, rest => rest
  | .succ n, code, rest => scalarsFrom n (Nat.div code scalarBase) (.cons (Nat.mod code scalarBase) rest)
/-- The Unicode scalars of a text. -/
noncomputable def Text.scalars (t : Text) : List Nat := scalarsFrom t.length t.code .nil
/-- What is left of a code without its last `n` scalars. -/
noncomputable def codeLeft : (n code : Nat) → Nat
  | .zero, code => code
  | .succ n, code => codeLeft n (Nat.div code scalarBase)
/-- The decimal digits of a number, in front of others, for numbers below `fuel`. -/
noncomputable def digitsFrom : (fuel n : Nat) → List Nat → List Nat
  | .zero, _, rest => rest
  | .succ fuel, n, rest => cond (Nat.ble 10 n) (digitsFrom fuel (Nat.div n 10) (.cons (Nat.mod n 10) rest)) (.cons n rest)
/-- A number in decimal. -/
noncomputable def decimal (n : Nat) : List Nat := map (Nat.add 48) (digitsFrom (.succ n) n .nil)

/-! ### tokens -/
/-- A token of JSON. -/
inductive Token where
  | null
  | bool (b : Bool)
  | number (negative : Bool) (n : Nat)
  | string (s : List Nat)
  | openList | closeList | openRecord | closeRecord | comma | colon
/-- A key that begins with `$` gets one more. -/
def escapeKey : List Nat → List Nat
  | .nil => .nil
  | .cons c s => cond (Nat.beq c 36) (.cons 36 (.cons c s)) (.cons c s)
/-- Is the number negative? -/
def Int.negative : Int → Bool
  | .ofNat _ => false
  | .negSucc _ => true
/-- The magnitude of a number. -/
def Int.magnitude : Int → Nat
  | .ofNat n => n
  | .negSucc n => .succ n
/-- An integer in decimal. -/
noncomputable def Int.decimal (i : Int) : List Nat := cond i.negative (.cons 45 (Eclogue.decimal i.magnitude)) (Eclogue.decimal i.magnitude)
/-- The text `$int`. -/
def dollarInt : List Nat := .cons 36 (.cons 105 (.cons 110 (.cons 116 .nil)))
/-- An integer: a number if it is small, else a record of its own. -/
noncomputable def intTokens (i : Int) (rest : List Token) : (small : Bool) → List Token
  | true => .cons (.number i.negative i.magnitude) rest
  | false => .cons .openRecord (.cons (.string dollarInt) (.cons .colon (.cons (.string i.decimal) (.cons .closeRecord rest))))
mutual
/-- The tokens of a value. -/
noncomputable def Value.tokens : Value → List Token → List Token
  | .null, rest => .cons .null rest
  | .bool b, rest => .cons (.bool b) rest
  | .int i, rest => intTokens i rest (Nat.ble (.succ i.magnitude) 9007199254740992)
  | .text t, rest => .cons (.string t.scalars) rest
  | .list vs, rest => .cons .openList (vs.tokens rest)
  | .record fs, rest => .cons .openRecord (fs.tokens rest)
/-- The tokens of a list, up to its end. -/
noncomputable def Values.tokens : Values → List Token → List Token
  | .nil, rest => .cons .closeList rest
  | .cons v vs, rest => v.tokens (vs.moreTokens rest)
/-- The tokens of the rest of a list. -/
noncomputable def Values.moreTokens : Values → List Token → List Token
  | .nil, rest => .cons .closeList rest
  | .cons v vs, rest => .cons .comma (v.tokens (vs.moreTokens rest))
/-- The tokens of the fields of a record, up to its end. -/
noncomputable def Fields.tokens : Fields → List Token → List Token
  | .nil, rest => .cons .closeRecord rest
  | .cons k v fs, rest => .cons (.string (escapeKey k.scalars)) (.cons .colon (v.tokens (fs.moreTokens rest)))
/-- The tokens of the other fields of a record. -/
noncomputable def Fields.moreTokens : Fields → List Token → List Token
  | .nil, rest => .cons .closeRecord rest
  | .cons k v fs, rest => .cons .comma (.cons (.string (escapeKey k.scalars)) (.cons .colon (v.tokens (fs.moreTokens rest))))
end

/-! ### text -/
/-- A hexadecimal digit. -/
def hexDigit (d : Nat) : Nat := cond (Nat.ble 10 d) (Nat.add 87 d) (Nat.add 48 d)
/-- A control character in a string. -/
noncomputable def escapeControl : Nat → List Nat
  | 8 => .cons 92 (.cons 98 .nil)
  | 9 => .cons 92 (.cons 116 .nil)
  | 10 => .cons 92 (.cons 110 .nil)
  | 12 => .cons 92 (.cons 102 .nil)
  | 13 => .cons 92 (.cons 114 .nil)
  | c => .cons 92 (.cons 117 (.cons 48 (.cons 48 (.cons (hexDigit (Nat.div c 16)) (.cons (hexDigit (Nat.mod c 16)) .nil)))))
/-- A scalar in a string. -/
noncomputable def escapeScalar (c : Nat) : List Nat :=
  cond (Nat.ble 32 c) (cond (Nat.beq c 34) (.cons 92 (.cons 34 .nil)) (cond (Nat.beq c 92) (.cons 92 (.cons 92 .nil)) (.cons c .nil)))
    (escapeControl c)
/-- The scalars of a string and its closing quotation mark. -/
noncomputable def stringText : List Nat → List Nat → List Nat
  | .nil, rest => .cons 34 rest
  | .cons c s, rest => List.append (escapeScalar c) (stringText s rest)
/-- The text of a token. -/
noncomputable def Token.text : Token → List Nat → List Nat
  | .null, rest => .cons 110 (.cons 117 (.cons 108 (.cons 108 rest)))
  | .bool true, rest => .cons 116 (.cons 114 (.cons 117 (.cons 101 rest)))
  | .bool false, rest => .cons 102 (.cons 97 (.cons 108 (.cons 115 (.cons 101 rest))))
  | .number true n, rest => .cons 45 (List.append (decimal n) rest)
  | .number false n, rest => List.append (decimal n) rest
  | .string s, rest => .cons 34 (stringText s rest)
  | .openList, rest => .cons 91 rest
  | .closeList, rest => .cons 93 rest
  | .openRecord, rest => .cons 123 rest
  | .closeRecord, rest => .cons 125 rest
  | .comma, rest => .cons 44 rest
  | .colon, rest => .cons 58 rest
/-- The text of a list of tokens. -/
noncomputable def tokensText : List Token → List Nat
  | .nil => .nil
  | .cons t ts => t.text (tokensText ts)

/-! ### bytes -/
/-- How many bytes a scalar takes. -/
inductive Width where
  | one | two | three | four
/-- The width of a scalar in UTF-8. -/
def width (c : Nat) : Width :=
  cond (Nat.ble 128 c) (cond (Nat.ble 2048 c) (cond (Nat.ble 65536 c) .four .three) .two) .one
/-- A byte that continues a scalar. -/
noncomputable def continuation (c : Nat) : Nat := Nat.add 128 (Nat.mod c 64)
/-- A scalar in so many bytes. -/
noncomputable def scalarBytes (c : Nat) (rest : List Nat) : Width → List Nat
  | .one => .cons c rest
  | .two => .cons (Nat.add 192 (Nat.div c 64)) (.cons (continuation c) rest)
  | .three => .cons (Nat.add 224 (Nat.div (Nat.div c 64) 64)) (.cons (continuation (Nat.div c 64)) (.cons (continuation c) rest))
  | .four => .cons (Nat.add 240 (Nat.div (Nat.div (Nat.div c 64) 64) 64)) (.cons (continuation (Nat.div (Nat.div c 64) 64))
      (.cons (continuation (Nat.div c 64)) (.cons (continuation c) rest)))
/-- A text in UTF-8. -/
noncomputable def utf8 : List Nat → List Nat
  | .nil => .nil
  | .cons c s => scalarBytes c (utf8 s) (width c)
/-- `canonical.write`: the canonical bytes of a value. -/
noncomputable def Value.canonicalBytes (v : Value) : List Nat := utf8 (tokensText (v.tokens .nil))

/-! ### proper values -/
/-- A text whose code has no more than its scalars. -/
noncomputable def Text.proper (t : Text) : Bool := Nat.beq (codeLeft t.length t.code) 0
mutual
/-- A value of which all texts are proper: every value that a literal can write. -/
noncomputable def Value.proper : Value → Bool
  | .null => true
  | .bool _ => true
  | .int _ => true
  | .text t => t.proper
  | .list vs => vs.proper
  | .record fs => fs.proper
/-- The same for lists. -/
noncomputable def Values.proper : Values → Bool
  | .nil => true
  | .cons v vs => and v.proper vs.proper
/-- The same for the fields of a record. -/
noncomputable def Fields.proper : Fields → Bool
  | .nil => true
  | .cons k v fs => and k.proper (and v.proper fs.proper)
end
end Eclogue
