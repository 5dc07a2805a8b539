prelude
import Eclogue.Proofs.Core.CanonicalTokens
/-! The tokens of a value determine the value, and no number stands right behind a number in them. -/
namespace Eclogue

/-! ### keys -/
/-- The inverse of `escapeKey`. -/
def unescapeKey : List Nat → List Nat
  | .nil => .nil
  | .cons c s => cond (Nat.beq c 36) s (.cons c s)
theorem unescape_escape : (s : List Nat) → Eq (unescapeKey (escapeKey s)) s
  | .nil => rfl
  | .cons c _ => go (Nat.beq c 36) rfl
where
  go {c : Nat} {s : List Nat} : (q : Bool) → Eq (Nat.beq c 36) q → Eq (unescapeKey (cond q (.cons 36 (.cons c s)) (.cons c s))) (.cons c s)
    | true, _ => rfl
    | false, e => congrArg (fun q => (cond q s (.cons c s) : List Nat)) e
theorem escape_key_inj {s s' : List Nat} (h : Eq (escapeKey s) (escapeKey s')) : Eq s s' :=
  Eq.trans (unescape_escape s).symm (Eq.trans (congrArg unescapeKey h) (unescape_escape s'))
/-- No escaped key is `$int`. -/
theorem key_not_int : (s : List Nat) → Eq dollarInt (escapeKey s) → False
  | .nil, h => nomatch h
  | .cons c _, h => go (Nat.beq c 36) rfl h
where
  go {c : Nat} {s : List Nat} : (q : Bool) → Eq (Nat.beq c 36) q → Eq dollarInt (cond q (.cons 36 (.cons c s)) (.cons c s)) → False
    | true, e, h => nomatch Eq.trans (congrArg (fun x => Nat.beq x 36) (cons_inj (cons_inj h).2).1) e
    | false, e, h => nomatch Eq.trans (congrArg (fun x => Nat.beq x 36) (cons_inj h).1) e

/-! ### integers -/
theorem minus_no_digit {n : Nat} {l : List Nat} (h : Eq (decimal n) (.cons 45 l)) : False := match decimal_start n with
  | ⟨d, _, e, p⟩ => nomatch Eq.trans (is_digit d p).symm (congrArg isDigit (cons_inj (Eq.trans e.symm h)).1)
theorem int_decimal_inj : {i j : Int} → Eq i.decimal j.decimal → Eq i j
  | .ofNat _, .ofNat _, h => congrArg Int.ofNat (decimal_inj h)
  | .ofNat _, .negSucc _, h => (minus_no_digit h).elim
  | .negSucc _, .ofNat _, h => (minus_no_digit h.symm).elim
  | .negSucc _, .negSucc _, h => congrArg Int.negSucc (succ_inj (decimal_inj (cons_inj h).2))
theorem number_inj {b b' : Bool} {n n' : Nat} (h : Eq (Token.number b n) (.number b' n')) : And (Eq b b') (Eq n n') := match h with
  | rfl => ⟨rfl, rfl⟩
theorem string_inj {s s' : List Nat} (h : Eq (Token.string s) (.string s')) : Eq s s' := match h with
  | rfl => rfl
theorem bool_inj {b b' : Bool} (h : Eq (Token.bool b) (.bool b')) : Eq b b' := match h with
  | rfl => rfl
theorem int_of_parts : {i j : Int} → Eq i.negative j.negative → Eq i.magnitude j.magnitude → Eq i j
  | .ofNat _, .ofNat _, _, h => congrArg Int.ofNat h
  | .negSucc _, .negSucc _, _, h => congrArg Int.negSucc (succ_inj h)
theorem int_inj {i j : Int} {k k' : List Token} : (q q' : Bool) → Eq (intTokens i k q) (intTokens j k' q') → And (Eq i j) (Eq k k')
  | true, true, h => match number_inj (cons_inj h).1 with
    | ⟨b, n⟩ => ⟨int_of_parts b n, (cons_inj h).2⟩
  | false, false, h =>
    have h₃ : And _ _ := cons_inj (cons_inj (cons_inj (cons_inj h).2).2).2
    ⟨int_decimal_inj (string_inj h₃.1), (cons_inj h₃.2).2⟩
  | true, false, h => nomatch (cons_inj h).1
  | false, true, h => nomatch (cons_inj h).1
/-- The list begins with a value that is neither an integer nor a record. -/
def plainStart : List Token → Bool
  | .cons .null _ => true
  | .cons (.bool _) _ => true
  | .cons (.string _) _ => true
  | .cons .openList _ => true
  | _ => false
theorem int_plain {i : Int} {k T : List Token} : (q : Bool) → Eq (intTokens i k q) T → Eq (plainStart T) true → False
  | true, h, p => nomatch Eq.trans p.symm (congrArg plainStart h.symm)
  | false, h, p => nomatch Eq.trans p.symm (congrArg plainStart h.symm)
theorem int_record {i : Int} {k k' : List Token} : (q : Bool) → (fs : Fields) →
    Eq (intTokens i k q) (.cons .openRecord (fs.tokens k')) → False
  | true, _, h => nomatch (cons_inj h).1
  | false, .nil, h => nomatch (cons_inj (cons_inj h).2).1
  | false, .cons key _ _, h => key_not_int key.scalars (string_inj (cons_inj (cons_inj h).2).1)
/-- The list begins with a value. -/
def startsValue : List Token → Bool
  | .cons .closeList _ => false
  | _ => true
theorem int_starts (i : Int) (k : List Token) : (q : Bool) → Eq (startsValue (intTokens i k q)) true
  | true => rfl
  | false => rfl
theorem starts_value : (v : Value) → (k : List Token) → Eq (startsValue (v.tokens k)) true
  | .null, _ => rfl
  | .bool _, _ => rfl
  | .int i, k => int_starts i k (Nat.ble (.succ i.magnitude) 9007199254740992)
  | .text _, _ => rfl
  | .list _, _ => rfl
  | .record _, _ => rfl
theorem close_no_value {v : Value} {k k' : List Token} (h : Eq (.cons .closeList k) (v.tokens k')) : False :=
  nomatch Eq.trans (congrArg startsValue h) (starts_value v k')

theorem key_inj {k l : Text} (p : Eq k.proper true) (q : Eq l.proper true)
    (h : Eq (Token.string (escapeKey k.scalars)) (.string (escapeKey l.scalars))) : Eq k l :=
  scalars_inj p q (escape_key_inj (string_inj h))
theorem fields_congr {k l : Text} {v w : Value} {fs gs : Fields} : Eq k l → Eq v w → Eq fs gs → Eq (Fields.cons k v fs) (.cons l w gs)
  | rfl, rfl, rfl => rfl

/-! ### values -/
mutual
theorem value_inj : (v w : Value) → Eq v.proper true → Eq w.proper true → {k k' : List Token} → Eq (v.tokens k) (w.tokens k') →
    And (Eq v w) (Eq k k')
  | .null, .null, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .bool _, .bool _, _, _, _, _, h => ⟨congrArg Value.bool (bool_inj (cons_inj h).1), (cons_inj h).2⟩
  | .int _, .int _, _, _, _, _, h => match int_inj _ _ h with
    | ⟨e, e'⟩ => ⟨congrArg Value.int e, e'⟩
  | .text _, .text _, p, q, _, _, h => ⟨congrArg Value.text (scalars_inj p q (string_inj (cons_inj h).1)), (cons_inj h).2⟩
  | .list vs, .list ws, p, q, _, _, h => match values_inj vs ws p q (cons_inj h).2 with
    | ⟨e, e'⟩ => ⟨congrArg Value.list e, e'⟩
  | .record fs, .record gs, p, q, _, _, h => match fields_inj fs gs p q (cons_inj h).2 with
    | ⟨e, e'⟩ => ⟨congrArg Value.record e, e'⟩
  | .int _, .null, _, _, _, _, h => (int_plain _ h rfl).elim
  | .int _, .bool _, _, _, _, _, h => (int_plain _ h rfl).elim
  | .int _, .text _, _, _, _, _, h => (int_plain _ h rfl).elim
  | .int _, .list _, _, _, _, _, h => (int_plain _ h rfl).elim
  | .int _, .record fs, _, _, _, _, h => (int_record _ fs h).elim
  | .null, .int _, _, _, _, _, h => (int_plain _ h.symm rfl).elim
  | .bool _, .int _, _, _, _, _, h => (int_plain _ h.symm rfl).elim
  | .text _, .int _, _, _, _, _, h => (int_plain _ h.symm rfl).elim
  | .list _, .int _, _, _, _, _, h => (int_plain _ h.symm rfl).elim
  | .record fs, .int _, _, _, _, _, h => (int_record _ fs h.symm).elim
termination_by structural x => x
theorem values_inj : (vs ws : Values) → Eq vs.proper true → Eq ws.proper true → {k k' : List Token} → Eq (vs.tokens k) (ws.tokens k') →
    And (Eq vs ws) (Eq k k')
  | .nil, .nil, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .nil, .cons _ _, _, _, _, _, h => (close_no_value h).elim
  | .cons _ _, .nil, _, _, _, _, h => (close_no_value h.symm).elim
  | .cons v vs, .cons w ws, p, q, _, _, h => match value_inj v w (and_true p).1 (and_true q).1 h with
    | ⟨e, h⟩ => match more_values_inj vs ws (and_true p).2 (and_true q).2 h with
      | ⟨e', h⟩ => ⟨congr_arg2 Values.cons e e', h⟩
termination_by structural x => x
theorem more_values_inj : (vs ws : Values) → Eq vs.proper true → Eq ws.proper true → {k k' : List Token} →
    Eq (vs.moreTokens k) (ws.moreTokens k') → And (Eq vs ws) (Eq k k')
  | .nil, .nil, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .nil, .cons _ _, _, _, _, _, h => nomatch (cons_inj h).1
  | .cons _ _, .nil, _, _, _, _, h => nomatch (cons_inj h).1
  | .cons v vs, .cons w ws, p, q, _, _, h => match value_inj v w (and_true p).1 (and_true q).1 (cons_inj h).2 with
    | ⟨e, h⟩ => match more_values_inj vs ws (and_true p).2 (and_true q).2 h with
      | ⟨e', h⟩ => ⟨congr_arg2 Values.cons e e', h⟩
termination_by structural x => x
theorem fields_inj : (fs gs : Fields) → Eq fs.proper true → Eq gs.proper true → {k k' : List Token} → Eq (fs.tokens k) (gs.tokens k') →
    And (Eq fs gs) (Eq k k')
  | .nil, .nil, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .nil, .cons _ _ _, _, _, _, _, h => nomatch (cons_inj h).1
  | .cons _ _ _, .nil, _, _, _, _, h => nomatch (cons_inj h).1
  | .cons _ v fs, .cons _ w gs, p, q, _, _, h =>
    match value_inj v w (and_true (and_true p).2).1 (and_true (and_true q).2).1 (cons_inj (cons_inj h).2).2 with
    | ⟨e, h'⟩ => match more_fields_inj fs gs (and_true (and_true p).2).2 (and_true (and_true q).2).2 h' with
      | ⟨e', h'⟩ => ⟨fields_congr (key_inj (and_true p).1 (and_true q).1 (cons_inj h).1) e e', h'⟩
termination_by structural x => x
theorem more_fields_inj : (fs gs : Fields) → Eq fs.proper true → Eq gs.proper true → {k k' : List Token} →
    Eq (fs.moreTokens k) (gs.moreTokens k') → And (Eq fs gs) (Eq k k')
  | .nil, .nil, _, _, _, _, h => ⟨rfl, (cons_inj h).2⟩
  | .nil, .cons _ _ _, _, _, _, _, h => nomatch (cons_inj h).1
  | .cons _ _ _, .nil, _, _, _, _, h => nomatch (cons_inj h).1
  | .cons _ v fs, .cons _ w gs, p, q, _, _, h =>
    match value_inj v w (and_true (and_true p).2).1 (and_true (and_true q).2).1 (cons_inj (cons_inj (cons_inj h).2).2).2 with
    | ⟨e, h'⟩ => match more_fields_inj fs gs (and_true (and_true p).2).2 (and_true (and_true q).2).2 h' with
      | ⟨e', h'⟩ => ⟨fields_congr (key_inj (and_true p).1 (and_true q).1 (cons_inj (cons_inj h).2).1) e e', h'⟩
termination_by structural x => x
end

/-! ### spacing -/
theorem int_spaced (i : Int) {k : List Token} (s : Spaced k) (n : Eq (startsNumber k) false) : (q : Bool) → Spaced (intTokens i k q)
  | true => ⟨n, s⟩
  | false => s
theorem more_values_start (k : List Token) : (vs : Values) → Eq (startsNumber (vs.moreTokens k)) false
  | .nil => rfl
  | .cons _ _ => rfl
theorem more_fields_start (k : List Token) : (fs : Fields) → Eq (startsNumber (fs.moreTokens k)) false
  | .nil => rfl
  | .cons _ _ _ => rfl
mutual
theorem value_spaced : (v : Value) → {k : List Token} → Spaced k → Eq (startsNumber k) false → Spaced (v.tokens k)
  | .null, _, s, _ => s
  | .bool _, _, s, _ => s
  | .int i, _, s, n => int_spaced i s n _
  | .text _, _, s, _ => s
  | .list vs, _, s, _ => values_spaced vs s
  | .record fs, _, s, _ => fields_spaced fs s
theorem values_spaced : (vs : Values) → {k : List Token} → Spaced k → Spaced (vs.tokens k)
  | .nil, _, s => s
  | .cons v vs, k, s => value_spaced v (more_values_spaced vs s) (more_values_start k vs)
theorem more_values_spaced : (vs : Values) → {k : List Token} → Spaced k → Spaced (vs.moreTokens k)
  | .nil, _, s => s
  | .cons v vs, k, s => value_spaced v (more_values_spaced vs s) (more_values_start k vs)
theorem fields_spaced : (fs : Fields) → {k : List Token} → Spaced k → Spaced (fs.tokens k)
  | .nil, _, s => s
  | .cons _ v fs, k, s => value_spaced v (more_fields_spaced fs s) (more_fields_start k fs)
theorem more_fields_spaced : (fs : Fields) → {k : List Token} → Spaced k → Spaced (fs.moreTokens k)
  | .nil, _, s => s
  | .cons _ v fs, k, s => value_spaced v (more_fields_spaced fs s) (more_fields_start k fs)
end
/-- The canonical text determines a value. -/
theorem value_text_inj {v w : Value} (p : Eq v.proper true) (q : Eq w.proper true)
    (h : Eq (tokensText (v.tokens .nil)) (tokensText (w.tokens .nil))) : Eq v w :=
  (value_inj v w p q (tokens_text_inj (v.tokens .nil) (w.tokens .nil) (value_spaced v True.intro rfl) (value_spaced w True.intro rfl) h)).1
end Eclogue
