prelude
import Eclogue.Core.Packed
import Eclogue.Proofs.Core.Canonical
/-! The packed canonical text is the canonical text. -/
namespace Eclogue

/-! ### arithmetic -/
theorem mul_assoc (a b : Nat) : (c : Nat) → Eq (Nat.mul a (Nat.mul b c)) (Nat.mul (Nat.mul a b) c)
  | .zero => rfl
  | .succ c => Eq.trans (mul_add a (Nat.mul b c) b) (congrArg (fun x => Nat.add x (Nat.mul a b)) (mul_assoc a b c))
theorem zero_mul : (a : Nat) → Eq (Nat.mul 0 a) 0
  | .zero => rfl
  | .succ a => zero_mul a
theorem succ_mul (a : Nat) : (b : Nat) → Eq (Nat.mul (.succ a) b) (Nat.add (Nat.mul a b) b)
  | .zero => rfl
  | .succ b => congrArg Nat.succ (Eq.trans (congrArg (fun x => Nat.add x a) (succ_mul a b)) (regroup (Nat.mul a b) b a))
theorem mul_comm : (a b : Nat) → Eq (Nat.mul a b) (Nat.mul b a)
  | .zero, b => zero_mul b
  | .succ a, b => Eq.trans (succ_mul a b) (congrArg (fun x => Nat.add x b) (mul_comm a b))
theorem succ_not_le : (n : Nat) → Eq (Nat.ble (.succ n) n) true → False
  | .zero, h => Bool.noConfusion h
  | .succ n, h => succ_not_le n (Eq.trans (ble_succ (.succ n) n).symm h)
theorem add_right_cancel {a b : Nat} (c : Nat) (h : Eq (Nat.add a c) (Nat.add b c)) : Eq a b :=
  add_left_cancel c (Eq.trans (add_comm c a) (Eq.trans h (add_comm b c)))
theorem not_below {m q x y : Nat} (p : Eq (Nat.ble (.succ x) (.succ m)) true)
    (h : Eq x (Nat.add (Nat.add (Nat.mul (.succ m) q) (.succ m)) y)) : False :=
  have e : Eq (Nat.add (.succ m) (Nat.add (Nat.mul (.succ m) q) y)) x :=
    Eq.trans (add_comm (.succ m) (Nat.add (Nat.mul (.succ m) q) y)) (Eq.trans (regroup (Nat.mul (.succ m) q) y (.succ m)) h.symm)
  have l : Eq (Nat.ble (.succ m) x) true := ble_of_add e
  succ_not_le x (ble_trans p l)
/-- Quotient and remainder are determined. -/
theorem quotient_unique (m : Nat) : (a b : Nat) → {x y : Nat} → Eq (Nat.ble (.succ x) (.succ m)) true →
    Eq (Nat.ble (.succ y) (.succ m)) true → Eq (Nat.add (Nat.mul (.succ m) a) x) (Nat.add (Nat.mul (.succ m) b) y) → And (Eq a b) (Eq x y)
  | .zero, .zero, x, y, _, _, h => ⟨rfl, Eq.trans (add_zero_left x).symm (Eq.trans h (add_zero_left y))⟩
  | .succ a, .succ b, x, y, p, q, h =>
    have e := add_right_cancel (.succ m) (Eq.trans (regroup (Nat.mul (.succ m) a) (.succ m) x).symm
      (Eq.trans h (regroup (Nat.mul (.succ m) b) (.succ m) y)))
    match quotient_unique m a b p q e with
    | ⟨i, j⟩ => ⟨congrArg Nat.succ i, j⟩
  | .zero, .succ _, x, _, p, _, h => (not_below p (Eq.trans (add_zero_left x).symm h)).elim
  | .succ _, .zero, _, y, _, q, h => (not_below q (Eq.trans (add_zero_left y).symm h.symm)).elim
theorem divided (m x c : Nat) : And (Eq (Nat.div (Nat.add (Nat.mul x (.succ m)) c) (.succ m)) (Nat.add x (Nat.div c (.succ m))))
    (Eq (Nat.mod (Nat.add (Nat.mul x (.succ m)) c) (.succ m)) (Nat.mod c (.succ m))) :=
  quotient_unique m _ _ (mod_lt _ m) (mod_lt c m) (Eq.trans (div_mod (Nat.add (Nat.mul x (.succ m)) c) m)
    (Eq.trans (congrArg (fun y => Nat.add y c) (mul_comm x (.succ m))) (Eq.trans
      (congrArg (Nat.add (Nat.mul (.succ m) x)) (div_mod c m).symm)
      (Eq.trans (add_assoc (Nat.mul (.succ m) x) (Nat.mul (.succ m) (Nat.div c (.succ m))) (Nat.mod c (.succ m))).symm
        (congrArg (fun y => Nat.add y (Nat.mod c (.succ m))) (mul_add (.succ m) x (Nat.div c (.succ m))).symm)))))
theorem undivided {m c : Nat} (h : Eq (Nat.ble (.succ c) (.succ m)) true) : And (Eq (Nat.div c (.succ m)) 0) (Eq (Nat.mod c (.succ m)) c) :=
  quotient_unique m _ 0 (mod_lt c m) h (Eq.trans (div_mod c m) (add_zero_left c).symm)

/-! ### texts -/
theorem over_power (B n x c : Nat) : Eq (Nat.add (Nat.mul x (Nat.pow B (.succ n))) c) (Nat.add (Nat.mul (Nat.mul x (Nat.pow B n)) B) c) :=
  congrArg (fun y => Nat.add y c) (mul_assoc x (Nat.pow B n) B)
theorem over_one (B x c : Nat) : Eq (Nat.add (Nat.mul x (Nat.pow B 0)) c) (Nat.add x c) := congrArg (fun y => Nat.add y c) (add_zero_left x)
theorem over_code (n x c : Nat) : Eq (Nat.add (Nat.mul x (Nat.pow scalarBase (.succ n))) c)
    (Nat.add (Nat.mul (Nat.mul x (Nat.pow scalarBase n)) scalarBase) c) := over_power scalarBase n x c
theorem base_divided (x c : Nat) : And (Eq (Nat.div (Nat.add (Nat.mul x scalarBase) c) scalarBase) (Nat.add x (Nat.div c scalarBase)))
    (Eq (Nat.mod (Nat.add (Nat.mul x scalarBase) c) scalarBase) (Nat.mod c scalarBase)) := divided 2097151 x c
theorem base_undivided {c : Nat} (h : Eq (Nat.ble (.succ c) scalarBase) true) : And (Eq (Nat.div c scalarBase) 0) (Eq (Nat.mod c scalarBase) c) :=
  undivided (m := 2097151) h
theorem code_left_succ (n code : Nat) : Eq (codeLeft (.succ n) code) (codeLeft n (Nat.div code scalarBase)) := rfl
theorem scalars_succ (n code : Nat) (rest : List Nat) : Eq (scalarsFrom (.succ n) code rest)
    (scalarsFrom n (Nat.div code scalarBase) (.cons (Nat.mod code scalarBase) rest)) := rfl
theorem left_over (x : Nat) : (n c : Nat) → Eq (codeLeft n (Nat.add (Nat.mul x (Nat.pow scalarBase n)) c)) (Nat.add x (codeLeft n c))
  | .zero, c => over_one scalarBase x c
  | .succ n, c => Eq.trans (congrArg (codeLeft (.succ n)) (over_code n x c))
      (Eq.trans (code_left_succ n (Nat.add (Nat.mul (Nat.mul x (Nat.pow scalarBase n)) scalarBase) c))
        (Eq.trans (congrArg (codeLeft n) (base_divided (Nat.mul x (Nat.pow scalarBase n)) c).1)
          (Eq.trans (left_over x n (Nat.div c scalarBase)) (congrArg (Nat.add x) (code_left_succ n c).symm))))
theorem scalars_over (x : Nat) : (n c : Nat) → (rest : List Nat) →
    Eq (scalarsFrom n (Nat.add (Nat.mul x (Nat.pow scalarBase n)) c) rest) (scalarsFrom n c rest)
  | .zero, _, _ => rfl
  | .succ n, c, rest => Eq.trans (congrArg (fun y => scalarsFrom (.succ n) y rest) (over_code n x c))
      (Eq.trans (scalars_succ n (Nat.add (Nat.mul (Nat.mul x (Nat.pow scalarBase n)) scalarBase) c) rest)
        (Eq.trans (congr_arg2 (fun q r => scalarsFrom n q (.cons r rest)) (base_divided (Nat.mul x (Nat.pow scalarBase n)) c).1
            (base_divided (Nat.mul x (Nat.pow scalarBase n)) c).2)
          (Eq.trans (scalars_over x n (Nat.div c scalarBase) (.cons (Nat.mod c scalarBase) rest)) (scalars_succ n c rest).symm)))
theorem left_add (m : Nat) : (n code : Nat) → Eq (codeLeft (Nat.add m n) code) (codeLeft m (codeLeft n code))
  | .zero, _ => rfl
  | .succ n, code => left_add m n (Nat.div code scalarBase)
theorem scalars_add (m : Nat) : (n code : Nat) → (rest : List Nat) →
    Eq (scalarsFrom (Nat.add m n) code rest) (scalarsFrom m (codeLeft n code) (scalarsFrom n code rest))
  | .zero, _, _ => rfl
  | .succ n, code, rest => scalars_add m n (Nat.div code scalarBase) (.cons (Nat.mod code scalarBase) rest)
theorem scalars_rest : (n code : Nat) → (rest : List Nat) → Eq (scalarsFrom n code rest) (List.append (scalarsFrom n code .nil) rest)
  | .zero, _, _ => rfl
  | .succ n, code, rest =>
    Eq.trans (scalars_rest n (Nat.div code scalarBase) (.cons (Nat.mod code scalarBase) rest))
      (Eq.trans (append_assoc (scalarsFrom n (Nat.div code scalarBase) .nil) (.cons (Nat.mod code scalarBase) .nil) rest).symm
        (congrArg (fun l => List.append l rest) (scalars_rest n (Nat.div code scalarBase) (.cons (Nat.mod code scalarBase) .nil)).symm))
/-- The text is proper, and these are its scalars. -/
def Spells (t : Text) (s : List Nat) : Prop := And (Eq (codeLeft t.length t.code) 0) (Eq t.scalars s)
theorem Spells.append : {a b : Text} → {s r : List Nat} → Spells a s → Spells b r → Spells (a.append b) (List.append s r)
  | ⟨n, x⟩, ⟨m, c⟩, _, _, ⟨p, rfl⟩, ⟨q, rfl⟩ =>
    have left : Eq (codeLeft m (Nat.add (Nat.mul x (Nat.pow scalarBase m)) c)) x := Eq.trans (left_over x m c) (congrArg (Nat.add x) q)
    ⟨Eq.trans (left_add n m _) (Eq.trans (congrArg (codeLeft n) left) p),
      Eq.trans (scalars_add n m _ .nil) (Eq.trans (congr_arg2 (scalarsFrom n) left (scalars_over x m c .nil))
        (scalars_rest n x (scalarsFrom m c .nil)))⟩
/-- Below the base of texts. -/
def smallScalar (c : Nat) : Bool := Nat.ble (.succ c) scalarBase
theorem spells_one {c : Nat} (h : Eq (smallScalar c) true) : Spells ⟨1, c⟩ (.cons c .nil) :=
  match base_undivided h with
  | ⟨p, q⟩ => ⟨p, congrArg (fun x => List.cons x .nil) q⟩
theorem spells_list : (s : List Nat) → Eq (all smallScalar s) true → Spells (packList s) s
  | .nil, _ => ⟨rfl, rfl⟩
  | .cons _ s, h => Spells.append (spells_one (and_true h).1) (spells_list s (and_true h).2)
/-! ### small scalars -/
theorem small_mod (c : Nat) : Eq (smallScalar (Nat.mod c scalarBase)) true := mod_lt c 2097151
theorem small_scalars : (n code : Nat) → (rest : List Nat) → Eq (all smallScalar rest) true → Eq (all smallScalar (scalarsFrom n code rest)) true
  | .zero, _, _, h => h
  | .succ n, code, rest, h => Eq.trans (congrArg (all smallScalar) (scalars_succ n code rest))
      (small_scalars n (Nat.div code scalarBase) (.cons (Nat.mod code scalarBase) rest) (and_intro (small_mod code) h))
theorem small_text : (t : Text) → Eq (all smallScalar t.scalars) true
  | ⟨n, code⟩ => small_scalars n code .nil rfl
theorem small_append : (s r : List Nat) → Eq (all smallScalar s) true → Eq (all smallScalar r) true → Eq (all smallScalar (List.append s r)) true
  | .nil, _, _, h => h
  | .cons _ s, r, h, k => and_intro (and_true h).1 (small_append s r (and_true h).2 k)
theorem small_controls : Below (fun c => Eq (all smallScalar (escapeControl c)) true) 32 :=
  ⟨rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl, rfl,
      rfl, rfl, rfl, rfl, rfl, rfl, rfl, True.intro⟩
theorem small_escape (c : Nat) (h : Eq (smallScalar c) true) : Eq (all smallScalar (escapeScalar c)) true := go (Nat.ble 32 c) rfl
where
  go : (q : Bool) → Eq (Nat.ble 32 c) q → Eq (all smallScalar (cond q (cond (Nat.beq c 34) (.cons 92 (.cons 34 .nil))
      (cond (Nat.beq c 92) (.cons 92 (.cons 92 .nil)) (.cons c .nil))) (escapeControl c))) true
    | true, _ => quote (Nat.beq c 34)
    | false, e => below_at 32 small_controls (lt_of_not_le 32 c e)
  quote : (q : Bool) → Eq (all smallScalar (cond q (.cons 92 (.cons 34 .nil)) (cond (Nat.beq c 92) (.cons 92 (.cons 92 .nil)) (.cons c .nil)))) true
    | true => rfl
    | false => backslash (Nat.beq c 92)
  backslash : (q : Bool) → Eq (all smallScalar (cond q (.cons 92 (.cons 92 .nil)) (.cons c .nil))) true
    | true => rfl
    | false => and_intro h rfl
theorem small_string : (s : List Nat) → Eq (all smallScalar s) true → Eq (all smallScalar (stringText s .nil)) true
  | .nil, _ => rfl
  | .cons c s, h => small_append (escapeScalar c) (stringText s .nil) (small_escape c (and_true h).1) (small_string s (and_true h).2)
theorem small_digits : (s : List Nat) → AllDigits s → Eq (all smallScalar (map (Nat.add 48) s)) true
  | .nil, _ => rfl
  | .cons d s, ⟨h, t⟩ => and_intro (small_digit (Nat.add 48 d) (and_true (is_digit d h)).2) (small_digits s t)
where
  small_digit (c : Nat) (h : Eq (Nat.ble c 57) true) : Eq (smallScalar c) true :=
    have l : Eq (Nat.ble (.succ c) (.succ 57)) true := Eq.trans (ble_succ c 57) h
    ble_trans l rfl
theorem small_decimal (n : Nat) : Eq (all smallScalar (decimal n)) true := small_digits _ (all_digits _ _ _ True.intro)
theorem small_key : (s : List Nat) → Eq (all smallScalar s) true → Eq (all smallScalar (escapeKey s)) true
  | .nil, _ => rfl
  | .cons c _, h => go (Nat.beq c 36) h
where
  go {c : Nat} {s : List Nat} : (q : Bool) → Eq (all smallScalar (List.cons c s)) true →
      Eq (all smallScalar (cond q (.cons 36 (.cons c s)) (.cons c s))) true
    | true, h => and_intro rfl h
    | false, h => h

/-! ### tokens -/
/-- The text is proper, and is what the tokens in front of others are written as. -/
def Writes (t : Text) (tokens : List Token → List Token) : Prop :=
  And (Eq (codeLeft t.length t.code) 0) (∀ rest, Eq (tokensText (tokens rest)) (List.append t.scalars (tokensText rest)))
theorem writes_of {t : Text} {s : List Nat} {f : List Token → List Token} (h : Spells t s)
    (e : ∀ rest, Eq (tokensText (f rest)) (List.append s (tokensText rest))) : Writes t f :=
  ⟨h.1, fun rest => Eq.trans (e rest) (congrArg (fun l => List.append l (tokensText rest)) h.2.symm)⟩
theorem Writes.append {a b : Text} {f g : List Token → List Token} (h : Writes a f) (k : Writes b g) :
    Writes (a.append b) (fun rest => f (g rest)) :=
  writes_of (Spells.append ⟨h.1, rfl⟩ ⟨k.1, rfl⟩) (fun rest => Eq.trans (h.2 (g rest)) (Eq.trans
    (congrArg (List.append a.scalars) (k.2 rest)) (append_assoc a.scalars b.scalars (tokensText rest)).symm))
theorem string_rest : (s rest : List Nat) → Eq (stringText s rest) (List.append (stringText s .nil) rest)
  | .nil, _ => rfl
  | .cons c s, rest => Eq.trans (congrArg (List.append (escapeScalar c)) (string_rest s rest))
      (append_assoc (escapeScalar c) (stringText s .nil) rest).symm
theorem writes_escaped (s : List Nat) (h : Eq (all smallScalar s) true) : Writes (packEscaped s) (List.cons (Token.string s)) :=
  writes_of (spells_list (.cons 34 (stringText s .nil)) (and_intro rfl (small_string s h)))
    (fun rest => congrArg (List.cons 34) (string_rest s (tokensText rest)))
theorem plain_escape (c : Nat) (h : Eq (plainScalar c) true) : Eq (escapeScalar c) (.cons c .nil) :=
  go (Nat.ble 32 c) (Nat.beq c 34) (Nat.beq c 92) (and_true h).1 (and_true (and_true h).2).1 (and_true (and_true h).2).2
where
  go : (p q r : Bool) → Eq p true → Eq (not q) true → Eq (not r) true → Eq (cond p (cond q (List.cons 92 (.cons 34 .nil))
      (cond r (.cons 92 (.cons 92 .nil)) (.cons c .nil))) (escapeControl c)) (.cons c .nil)
    | true, false, false, _, _, _ => rfl
theorem plain_string : (s rest : List Nat) → Eq (all plainScalar s) true → Eq (stringText s rest) (List.append s (.cons 34 rest))
  | .nil, _, _ => rfl
  | .cons c s, rest, h => Eq.trans (congrArg (fun l => List.append l (stringText s rest)) (plain_escape c (and_true h).1))
      (congrArg (List.cons c) (plain_string s rest (and_true h).2))
theorem writes_quoted (t : Text) (p : Eq t.proper true) (h : Eq (all plainScalar t.scalars) true) :
    Writes (quoted t) (List.cons (Token.string t.scalars)) :=
  writes_of (Spells.append (spells_one (c := 34) rfl) (Spells.append ⟨Nat.eq_of_beq_eq_true p, rfl⟩ (spells_one (c := 34) rfl)))
    (fun rest => congrArg (List.cons 34) (Eq.trans (plain_string t.scalars (tokensText rest) h)
      (append_assoc t.scalars (.cons 34 .nil) (tokensText rest)).symm))
theorem writes_string (t : Text) (p : Eq t.proper true) : (q : Bool) → Eq (all plainScalar t.scalars) q →
    Writes (packString t q) (List.cons (Token.string t.scalars))
  | true, h => writes_quoted t p h
  | false, _ => writes_escaped t.scalars (small_text t)
theorem undollared : (s : List Nat) → Eq (noDollar s) true → Eq (escapeKey s) s
  | .nil, _ => rfl
  | .cons c _, h => go (Nat.beq c 36) h
where
  go {c : Nat} {s : List Nat} : (q : Bool) → Eq (not q) true → Eq (cond q (List.cons 36 (.cons c s)) (.cons c s)) (.cons c s)
    | false, _ => rfl
theorem writes_key (t : Text) (p : Eq t.proper true) : (q : Bool) → Eq (and (noDollar t.scalars) (all plainScalar t.scalars)) q →
    Writes (packKey t q) (List.cons (Token.string (escapeKey t.scalars)))
  | true, h => Eq.subst (motive := fun s => Writes (quoted t) (List.cons (Token.string s))) (undollared t.scalars (and_true h).1).symm
      (writes_quoted t p (and_true h).2)
  | false, _ => writes_escaped (escapeKey t.scalars) (small_key t.scalars (small_text t))
theorem writes_number (n : Nat) : (q : Bool) → Writes (packList (numberText n q)) (List.cons (Token.number q n))
  | true => writes_of (spells_list (.cons 45 (decimal n)) (and_intro rfl (small_decimal n))) (fun _ => rfl)
  | false => writes_of (spells_list (decimal n) (small_decimal n)) (fun _ => rfl)
theorem small_int (i : Int) : (q : Bool) → Eq (all smallScalar (cond q (.cons 45 (decimal i.magnitude)) (decimal i.magnitude))) true
  | true => and_intro rfl (small_decimal i.magnitude)
  | false => small_decimal i.magnitude
theorem writes_int (i : Int) : (q : Bool) → Writes (packInt i q) (fun rest => intTokens i rest q)
  | true => writes_number i.magnitude i.negative
  | false => Writes.append (writes_of (f := List.cons .openRecord) (spells_one (c := 123) rfl) (fun _ => rfl))
      (Writes.append (writes_escaped dollarInt rfl)
        (Writes.append (writes_of (f := List.cons .colon) (spells_one (c := 58) rfl) (fun _ => rfl))
          (Writes.append (writes_escaped i.decimal (small_int i i.negative))
            (writes_of (f := List.cons .closeRecord) (spells_one (c := 125) rfl) (fun _ => rfl)))))
theorem writes_one (token : Token) (c : Nat) (h : Eq (smallScalar c) true) (e : ∀ rest, Eq (token.text rest) (.cons c rest)) :
    Writes ⟨1, c⟩ (List.cons token) :=
  writes_of (spells_one h) (fun rest => e (tokensText rest))
mutual
theorem value_writes : (v : Value) → Eq v.proper true → Writes v.packed v.tokens
  | .null, _ => writes_of (t := word "null") (f := List.cons .null) ⟨rfl, rfl⟩ (fun _ => rfl)
  | .bool true, _ => writes_of (t := word "true") (f := List.cons (.bool true)) ⟨rfl, rfl⟩ (fun _ => rfl)
  | .bool false, _ => writes_of (t := word "false") (f := List.cons (.bool false)) ⟨rfl, rfl⟩ (fun _ => rfl)
  | .int i, _ => writes_int i (Nat.ble (.succ i.magnitude) 9007199254740992)
  | .text t, h => writes_string t h (all plainScalar t.scalars) rfl
  | .list vs, h => Writes.append (f := List.cons .openList) (g := vs.tokens) (writes_one .openList 91 rfl (fun _ => rfl)) (values_writes vs h)
  | .record fs, h => Writes.append (f := List.cons .openRecord) (g := fs.tokens) (writes_one .openRecord 123 rfl (fun _ => rfl)) (fields_writes fs h)
theorem values_writes : (vs : Values) → Eq vs.proper true → Writes vs.packed vs.tokens
  | .nil, _ => writes_one .closeList 93 rfl (fun _ => rfl)
  | .cons v vs, h => Writes.append (f := v.tokens) (g := vs.moreTokens) (value_writes v (and_true h).1) (more_values_writes vs (and_true h).2)
theorem more_values_writes : (vs : Values) → Eq vs.proper true → Writes vs.morePacked vs.moreTokens
  | .nil, _ => writes_one .closeList 93 rfl (fun _ => rfl)
  | .cons v vs, h => Writes.append (f := List.cons .comma) (g := fun rest => v.tokens (vs.moreTokens rest)) (writes_one .comma 44 rfl (fun _ => rfl))
      (Writes.append (f := v.tokens) (g := vs.moreTokens) (value_writes v (and_true h).1) (more_values_writes vs (and_true h).2))
theorem fields_writes : (fs : Fields) → Eq fs.proper true → Writes fs.packed fs.tokens
  | .nil, _ => writes_one .closeRecord 125 rfl (fun _ => rfl)
  | .cons k v fs, h => Writes.append (f := List.cons (.string (escapeKey k.scalars))) (g := fun rest => .cons .colon (v.tokens (fs.moreTokens rest)))
      (writes_key k (and_true h).1 _ rfl)
      (Writes.append (f := List.cons .colon) (g := fun rest => v.tokens (fs.moreTokens rest)) (writes_one .colon 58 rfl (fun _ => rfl))
        (Writes.append (f := v.tokens) (g := fs.moreTokens) (value_writes v (and_true (and_true h).2).1) (more_fields_writes fs (and_true (and_true h).2).2)))
theorem more_fields_writes : (fs : Fields) → Eq fs.proper true → Writes fs.morePacked fs.moreTokens
  | .nil, _ => writes_one .closeRecord 125 rfl (fun _ => rfl)
  | .cons k v fs, h => Writes.append (f := List.cons .comma)
      (g := fun rest => .cons (.string (escapeKey k.scalars)) (.cons .colon (v.tokens (fs.moreTokens rest)))) (writes_one .comma 44 rfl (fun _ => rfl))
      (Writes.append (f := List.cons (.string (escapeKey k.scalars))) (g := fun rest => .cons .colon (v.tokens (fs.moreTokens rest)))
        (writes_key k (and_true h).1 _ rfl)
        (Writes.append (f := List.cons .colon) (g := fun rest => v.tokens (fs.moreTokens rest)) (writes_one .colon 58 rfl (fun _ => rfl))
          (Writes.append (f := v.tokens) (g := fs.moreTokens) (value_writes v (and_true (and_true h).2).1) (more_fields_writes fs (and_true (and_true h).2).2))))
end
/-- **packed_bytes**. -/
theorem packed_bytes {v : Value} (p : Eq v.proper true) : Eq v.canonicalBytes v.packed.bytes :=
  congrArg utf8 (Eq.trans ((value_writes v p).2 .nil) (append_nil v.packed.scalars))
/-- **packed_values**. -/
theorem packed_values : (vs : List Value) → Eq (all Value.proper vs) true → Eq (map Value.canonicalBytes vs)
    (map Text.bytes (map Value.packed vs))
  | .nil, _ => rfl
  | .cons _ vs, h => congr_arg2 List.cons (packed_bytes (and_true h).1) (packed_values vs (and_true h).2)
/-- **packed_lines**. -/
theorem packed_lines {names : Nat → Text} {commit : Value → Value} : (records : List Record) →
    Eq (recordsToValues names commit records).proper true → Eq (recordLines names commit records) (map Text.bytes (packedLines names commit records))
  | .nil, _ => rfl
  | .cons _ rs, h => congr_arg2 List.cons (packed_bytes (and_true h).1) (packed_lines rs (and_true h).2)
end Eclogue
