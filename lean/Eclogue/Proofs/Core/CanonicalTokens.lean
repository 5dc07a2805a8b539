prelude
import Eclogue.Proofs.Core.CanonicalText
/-! Strings and tokens: their text determines them. -/
namespace Eclogue

/-! ### strings -/
/-- The value of a hexadecimal digit. -/
def hexValue (c : Nat) : Nat := cond (Nat.ble 87 c) (Nat.sub c 87) (Nat.sub c 48)
/-- What stands behind a backslash, other than `u`. -/
def afterBackslash : Nat → Nat
  | 98 => 8
  | 116 => 9
  | 110 => 10
  | 102 => 12
  | 114 => 13
  | c => c
/-- What stands behind `\u00`. -/
def readHex : List Nat → Option (Prod (Option Nat) (List Nat))
  | .cons _ (.cons _ (.cons a (.cons b rest))) => some (some (Nat.add (Nat.mul 16 (hexValue a)) (hexValue b)), rest)
  | _ => none
/-- The first scalar of a string, or its end. -/
def readScalar : List Nat → Option (Prod (Option Nat) (List Nat))
  | .nil => none
  | .cons c rest => cond (Nat.beq c 34) (some (none, rest)) (cond (Nat.beq c 92) (escaped rest) (some (some c, rest)))
where
  /-- What stands behind a backslash. -/
  escaped : List Nat → Option (Prod (Option Nat) (List Nat))
    | .nil => none
    | .cons c rest => cond (Nat.beq c 117) (readHex rest) (some (some (afterBackslash c), rest))
/-- All numbers below `n` have the property. -/
def Below (P : Nat → Prop) : Nat → Prop
  | .zero => True
  | .succ n => And (P n) (Below P n)
theorem lt_of_ne : (c n : Nat) → Eq (Nat.ble c n) true → Eq (Nat.beq c n) false → Eq (Nat.ble (.succ c) n) true
  | .zero, .zero, _, h => Bool.noConfusion h
  | .zero, .succ n, _, _ => zero_ble n
  | .succ _, .zero, h, _ => Bool.noConfusion h
  | .succ c, .succ n, h, h' => Eq.trans (ble_succ (.succ c) n)
      (lt_of_ne c n (Eq.trans (ble_succ c n).symm h) (Eq.trans (beq_succ c n).symm h'))
theorem below_at {P : Nat → Prop} {c : Nat} : (n : Nat) → Below P n → Eq (Nat.ble (.succ c) n) true → P c
  | .zero, _, h => Bool.noConfusion h
  | .succ n, ⟨p, b⟩, h => go p (below_at n b) h (Nat.beq c n) rfl
where
  go {P : Nat → Prop} {c n : Nat} (p : P n) (ih : Eq (Nat.ble (.succ c) n) true → P c) (h : Eq (Nat.ble c n) true) : (q : Bool) →
      Eq (Nat.beq c n) q → P c
    | true, e => Nat.eq_of_beq_eq_true e ▸ p
    | false, e => ih (lt_of_ne c n h e)
theorem controls (rest : List Nat) : Below (fun c => Eq (readScalar (List.append (escapeControl c) rest)) (some (some c, rest))) 32 :=
  ⟨rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl,
      rfl, rfl, rfl, rfl, rfl, rfl, rfl, True.intro⟩
theorem read_scalar (c : Nat) (rest : List Nat) : Eq (readScalar (List.append (escapeScalar c) rest)) (some (some c, rest)) :=
  go (Nat.ble 32 c) rfl
where
  go : (q : Bool) → Eq (Nat.ble 32 c) q → Eq (readScalar (List.append (cond q (cond (Nat.beq c 34) (.cons 92 (.cons 34 .nil))
      (cond (Nat.beq c 92) (.cons 92 (.cons 92 .nil)) (.cons c .nil))) (escapeControl c)) rest)) (some (some c, rest))
    | true, _ => quote (Nat.beq c 34) rfl
    | false, e => below_at 32 (controls rest) (lt_of_not_le 32 c e)
  quote : (q : Bool) → Eq (Nat.beq c 34) q → Eq (readScalar (List.append (cond q (.cons 92 (.cons 34 .nil))
      (cond (Nat.beq c 92) (.cons 92 (.cons 92 .nil)) (.cons c .nil))) rest)) (some (some c, rest))
    | true, e => congrArg (fun x : Nat => (some (some x, rest) : Option (Prod (Option Nat) (List Nat)))) (Nat.eq_of_beq_eq_true e).symm
    | false, e => backslash e (Nat.beq c 92) rfl
  backslash (n : Eq (Nat.beq c 34) false) : (q : Bool) → Eq (Nat.beq c 92) q →
      Eq (readScalar (List.append (cond q (.cons 92 (.cons 92 .nil)) (.cons c .nil)) rest)) (some (some c, rest))
    | true, e => congrArg (fun x : Nat => (some (some x, rest) : Option (Prod (Option Nat) (List Nat)))) (Nat.eq_of_beq_eq_true e).symm
    | false, e => congr_arg2 (fun p q => (cond p (some (none, rest)) (cond q (readScalar.escaped rest) (some (some c, rest))) :
        Option (Prod (Option Nat) (List Nat)))) n e
theorem some_inj {α : Type} {a b : α} (h : Eq (some a) (some b)) : Eq a b := match h with
  | rfl => rfl
theorem pair_inj {α β : Type} {a a' : α} {b b' : β} (h : Eq (a, b) (a', b')) : And (Eq a a') (Eq b b') := match h with
  | rfl => ⟨rfl, rfl⟩
/-- The text of a string ends where the string does. -/
theorem string_text_inj : {s s' r r' : List Nat} → Eq (stringText s r) (stringText s' r') → And (Eq s s') (Eq r r')
  | .nil, .nil, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .nil, .cons c s', _, r', h => nomatch (pair_inj (some_inj (Eq.trans (congrArg readScalar h) (read_scalar c (stringText s' r'))))).1
  | .cons c s, .nil, r, _, h => nomatch (pair_inj (some_inj (Eq.trans (congrArg readScalar h.symm) (read_scalar c (stringText s r))))).1
  | .cons c s, .cons c' s', r, r', h =>
    have e : Eq (some c, stringText s r) (some c', stringText s' r') :=
      some_inj (Eq.trans (read_scalar c (stringText s r)).symm (Eq.trans (congrArg readScalar h) (read_scalar c' (stringText s' r'))))
    match string_text_inj (pair_inj e).2, some_inj (pair_inj e).1 with
    | ⟨rfl, e⟩, rfl => ⟨rfl, e⟩

/-! ### tokens -/
/-- What kind of token begins here. -/
inductive TokenClass where
  | nothing | null | yes | no | minus | digit | string | openList | closeList | openRecord | closeRecord | comma | colon
/-- The kind of a token. -/
def Token.class : Token → TokenClass
  | .null => .null
  | .bool true => .yes
  | .bool false => .no
  | .number true _ => .minus
  | .number false _ => .digit
  | .string _ => .string
  | .openList => .openList
  | .closeList => .closeList
  | .openRecord => .openRecord
  | .closeRecord => .closeRecord
  | .comma => .comma
  | .colon => .colon
/-- The kind of the token that begins with a character that is no digit. -/
def symbolClass : Nat → TokenClass
  | 110 => .null
  | 116 => .yes
  | 102 => .no
  | 45 => .minus
  | 34 => .string
  | 91 => .openList
  | 93 => .closeList
  | 123 => .openRecord
  | 125 => .closeRecord
  | 44 => .comma
  | 58 => .colon
  | _ => .nothing
/-- The kind of the token that begins a text. -/
def textClass : List Nat → TokenClass
  | .nil => .nothing
  | .cons c _ => cond (isDigit c) .digit (symbolClass c)
theorem decimal_class (n : Nat) (r : List Nat) : Eq (textClass (List.append (decimal n) r)) .digit :=
  match decimal_start n with
  | ⟨d, _, e, h⟩ => Eq.trans (congrArg (fun x => textClass (List.append x r)) e)
      (congrArg (fun q => (cond q .digit (symbolClass (Nat.add 48 d)) : TokenClass)) (is_digit d h))
theorem text_class : (t : Token) → (r : List Nat) → Eq (textClass (t.text r)) t.class
  | .null, _ => rfl
  | .bool true, _ => rfl
  | .bool false, _ => rfl
  | .number true _, _ => rfl
  | .number false n, r => decimal_class n r
  | .string _, _ => rfl
  | .openList, _ => rfl
  | .closeList, _ => rfl
  | .openRecord, _ => rfl
  | .closeRecord, _ => rfl
  | .comma, _ => rfl
  | .colon, _ => rfl
/-- Does a number begin the list? -/
def startsNumber : List Token → Bool
  | .cons (.number _ _) _ => true
  | _ => false
/-- No number stands right behind a number. -/
def Spaced : List Token → Prop
  | .nil => True
  | .cons (.number _ _) ts => And (Eq (startsNumber ts) false) (Spaced ts)
  | .cons _ ts => Spaced ts
theorem spaced_tail : (t : Token) → (ts : List Token) → Spaced (.cons t ts) → Spaced ts
  | .null, _, h => h
  | .bool _, _, h => h
  | .number _ _, _, h => h.2
  | .string _, _, h => h
  | .openList, _, h => h
  | .closeList, _, h => h
  | .openRecord, _, h => h
  | .closeRecord, _, h => h
  | .comma, _, h => h
  | .colon, _, h => h
theorem no_digit : (ts : List Token) → Eq (startsNumber ts) false → Eq (noDigit (tokensText ts)) true
  | .nil, _ => rfl
  | .cons .null _, _ => rfl
  | .cons (.bool true) _, _ => rfl
  | .cons (.bool false) _, _ => rfl
  | .cons (.number _ _) _, h => nomatch h
  | .cons (.string _) _, _ => rfl
  | .cons .openList _, _ => rfl
  | .cons .closeList _, _ => rfl
  | .cons .openRecord _, _ => rfl
  | .cons .closeRecord _, _ => rfl
  | .cons .comma _, _ => rfl
  | .cons .colon _, _ => rfl
/-- Without the first `n` elements. -/
def dropFirst : Nat → List Nat → List Nat
  | .zero, l => l
  | .succ _, .nil => .nil
  | .succ n, .cons _ l => dropFirst n l
theorem token_inj : (t t' : Token) → {ts ts' : List Token} → Eq t.class t'.class → Spaced (.cons t ts) → Spaced (.cons t' ts') →
    Eq (t.text (tokensText ts)) (t'.text (tokensText ts')) → And (Eq t t') (Eq (tokensText ts) (tokensText ts'))
  | .null, .null, _, _, _, _, _, h => ⟨rfl, congrArg (dropFirst 4) h⟩
  | .bool true, .bool true, _, _, _, _, _, h => ⟨rfl, congrArg (dropFirst 4) h⟩
  | .bool false, .bool false, _, _, _, _, _, h => ⟨rfl, congrArg (dropFirst 5) h⟩
  | .number true _, .number true _, ts, ts', _, p, p', h =>
    match decimal_end (no_digit ts p.1) (no_digit ts' p'.1) (cons_inj h).2 with
    | ⟨rfl, e⟩ => ⟨rfl, e⟩
  | .number false _, .number false _, ts, ts', _, p, p', h => match decimal_end (no_digit ts p.1) (no_digit ts' p'.1) h with
    | ⟨rfl, e⟩ => ⟨rfl, e⟩
  | .string _, .string _, _, _, _, _, _, h => match string_text_inj (cons_inj h).2 with
    | ⟨rfl, e⟩ => ⟨rfl, e⟩
  | .openList, .openList, _, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .closeList, .closeList, _, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .openRecord, .openRecord, _, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .closeRecord, .closeRecord, _, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .comma, .comma, _, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .colon, .colon, _, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
theorem class_some : (t : Token) → Eq TokenClass.nothing t.class → False
  | .null, h => nomatch h
  | .bool true, h => nomatch h
  | .bool false, h => nomatch h
  | .number true _, h => nomatch h
  | .number false _, h => nomatch h
  | .string _, h => nomatch h
  | .openList, h => nomatch h
  | .closeList, h => nomatch h
  | .openRecord, h => nomatch h
  | .closeRecord, h => nomatch h
  | .comma, h => nomatch h
  | .colon, h => nomatch h
/-- The text of tokens determines them, when no number stands right behind a number. -/
theorem tokens_text_inj : (ts ts' : List Token) → Spaced ts → Spaced ts' → Eq (tokensText ts) (tokensText ts') → Eq ts ts'
  | .nil, .nil, _, _, _ => rfl
  | .nil, .cons t' ts', _, _, h => (class_some t' (Eq.trans (congrArg textClass h) (text_class t' (tokensText ts')))).elim
  | .cons t ts, .nil, _, _, h => (class_some t (Eq.trans (congrArg textClass h.symm) (text_class t (tokensText ts)))).elim
  | .cons t ts, .cons t' ts', p, p', h =>
    match token_inj t t' (Eq.trans (text_class t (tokensText ts)).symm (Eq.trans (congrArg textClass h)
        (text_class t' (tokensText ts')))) p p' h with
    | ⟨e, e'⟩ => congr_arg2 List.cons e (tokens_text_inj ts ts' (spaced_tail t ts p) (spaced_tail t' ts' p') e')
end Eclogue
