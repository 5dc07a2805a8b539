prelude
import Eclogue.Examples.Notation
/-! Expressions and schemas, by evaluation. -/
set_option maxRecDepth 100000
namespace Eclogue.Examples

/-- A field key. -/
noncomputable def key (s : String) : Text := Text.ofString s
/-- The literal of a number. -/
def lit (n : Nat) : Expression := .literal (integer n)

/-! Of two fields with one key the later one wins; the order of keys cannot be observed. -/
example : Eq (evaluate .nil (.record (.cons (key "k") (lit 1) (.cons (key "k") (lit 2) .nil))))
  (.ok (.record (.cons (key "k") (integer 2) .nil))) := rfl
example : Eq (evaluate .nil (.record (.cons (key "b") (lit 1) (.cons (key "a") (lit 2) .nil))))
  (evaluate .nil (.record (.cons (key "a") (lit 2) (.cons (key "b") (lit 1) .nil)))) := rfl
/-! Keys are ordered by code points, not by length. -/
example : Eq (Text.le (key "aa") (key "b")) true := rfl
example : Eq (Text.le (key "b") (key "aa")) false := rfl
example : Eq (Text.le (key "a") (key "aa")) true := rfl
/-! The first failure counts, from left to right; `and` is strict. -/
example : Eq (evaluate .nil (.list (.cons (.variable 0) (.cons (.not (lit 1)) .nil)))) (.err .unbound) := rfl
example : Eq (evaluate .nil (.binary .and (.literal (.bool false)) (lit 1))) (.err .type) := rfl
example : Eq (evaluate .nil (.project (.literal (.record .nil)) (key "k"))) (.err (.key (key "k"))) := rfl
example : Eq (evaluate .nil (.project (lit 1) (key "k"))) (.err .type) := rfl
/-! Kinds are kept apart. -/
example : Eq (evaluate .nil (.binary .eq (.literal (.bool true)) (lit 1))) (.ok (.bool false)) := rfl
example : Eq (evaluate .nil (.binary .concat (.literal (text "a\u00e9")) (.literal (text "b")))) (.ok (text "aéb")) := rfl
example : Eq (evaluate .nil (.binary .sub (lit 1) (lit 3))) (.ok (.int (.negSucc 1))) := rfl
/-! Schemas: a literal accepts its value only; a record schema is closed, and a field may be optional. -/
example : Eq (Schema.conforms (.literal (integer 1)) (integer 1)) true := rfl
example : Eq (Schema.conforms (.literal (integer 1)) (.bool true)) false := rfl
example : Eq (evaluate .nil (.check (.literal (text "yes")) (.literal (text "no")))) (.err .schema) := rfl
/-- A record schema with one required and one optional field. -/
noncomputable def fields : Schema := .record (.cons (key "p") true .text (.cons (key "q") false .int .nil))
example : Eq (fields.conforms (.record (.cons (key "p") (text "x") .nil))) true := rfl
example : Eq (fields.conforms (.record (.cons (key "q") (integer 1) .nil))) false := rfl
example : Eq (fields.conforms (.record (.cons (key "p") (text "x") (.cons (key "r") .null .nil)))) false := rfl
end Eclogue.Examples
