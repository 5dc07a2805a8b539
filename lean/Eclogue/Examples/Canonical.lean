prelude
import Eclogue.Core.Canonical
/-! Canonical bytes of some values, by evaluation. -/
set_option maxRecDepth 100000
namespace Eclogue.Examples

/-- The bytes of a text literal of ASCII characters. -/
noncomputable def ascii (s : String) : List Nat := map Char.toNat s.toList
/-- A record with one field. -/
noncomputable def single (k : String) (v : Value) : Value := .record (.cons (Text.ofString k) v .nil)
/-- A text value. -/
noncomputable def word (s : String) : Value := .text (Text.ofString s)

example : Eq (Value.canonicalBytes (single "a" (.list (.cons .null (.cons (.bool true) (.cons (.int (.negSucc 11)) .nil))))))
  (ascii "{\"a\":[null,true,-12]}") := rfl
/-! A key that begins with `$` gets one more; a large integer is a record of its own. -/
example : Eq (Value.canonicalBytes (single "$int" (word "1"))) (ascii "{\"$$int\":\"1\"}") := rfl
example : Eq (Value.canonicalBytes (.int (.ofNat 9007199254740991))) (ascii "9007199254740991") := rfl
example : Eq (Value.canonicalBytes (.int (.ofNat 9007199254740992))) (ascii "{\"$int\":\"9007199254740992\"}") := rfl
example : Eq (Value.canonicalBytes (.int (.negSucc 9007199254740991))) (ascii "{\"$int\":\"-9007199254740992\"}") := rfl
/-! Escapes. -/
example : Eq (Value.canonicalBytes (word "a\"b\\c\nd\te")) (ascii "\"a\\\"b\\\\c\\nd\\te\"") := rfl
example : Eq (Value.canonicalBytes (.text ⟨1, 31⟩)) (ascii "\"\\u001f\"") := rfl
/-! UTF-8, in one to four bytes: U+007F, U+00E9, U+20AC, U+1F600. -/
example : Eq (Value.canonicalBytes (.text ⟨1, 127⟩)) (.cons 34 (.cons 127 (.cons 34 .nil))) := rfl
example : Eq (Value.canonicalBytes (.text ⟨1, 233⟩)) (.cons 34 (.cons 195 (.cons 169 (.cons 34 .nil)))) := rfl
example : Eq (Value.canonicalBytes (.text ⟨1, 8364⟩)) (.cons 34 (.cons 226 (.cons 130 (.cons 172 (.cons 34 .nil))))) := rfl
example : Eq (Value.canonicalBytes (.text ⟨1, 128512⟩))
  (.cons 34 (.cons 240 (.cons 159 (.cons 152 (.cons 128 (.cons 34 .nil)))))) := rfl
/-! Keys in code-point order, whatever the order in which they are set. -/
example : Eq (Value.canonicalBytes (.record (Fields.put (Text.ofString "aa") .null (Fields.put (Text.ofString "b") .null
    (Fields.put (Text.ofString "a") .null .nil))))) (ascii "{\"a\":null,\"aa\":null,\"b\":null}") := rfl
/-! Texts that literals write are proper; one whose code has more scalars than it claims is not. -/
example : Eq (Value.proper (word "héllo")) true := rfl
example : Eq (Value.proper (.text ⟨1, 4194304⟩)) false := rfl
end Eclogue.Examples
