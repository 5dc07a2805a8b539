prelude
import Eclogue.Core.Canonical
import Eclogue.Proofs.Arithmetic
/-! The text of tokens determines the tokens, if no number stands right behind a number. -/
namespace Eclogue

theorem add_left_cancel : (a : Nat) → {b c : Nat} → Eq (Nat.add a b) (Nat.add a c) → Eq b c
  | .zero, b, c, h => Eq.trans (add_zero_left b).symm (Eq.trans h (add_zero_left c))
  | .succ a, b, c, h => add_left_cancel a (succ_inj (Eq.trans (add_succ_left a b).symm (Eq.trans h (add_succ_left a c))))
theorem ble_trans : {a b c : Nat} → Eq (Nat.ble a b) true → Eq (Nat.ble b c) true → Eq (Nat.ble a c) true
  | .zero, _, c, _, _ => zero_ble c
  | .succ _, .zero, _, h, _ => Bool.noConfusion h
  | .succ _, .succ _, .zero, _, h => Bool.noConfusion h
  | .succ a, .succ b, .succ c, h, h' => ble_trans (a := a) (b := b) (c := c) h h'

/-! ### scalars of a text -/
/-- The code of a list of scalars behind a code. -/
def codeOf : Nat → List Nat → Nat
  | code, .nil => code
  | code, .cons c s => codeOf (Nat.add (Nat.mul scalarBase code) c) s
theorem code_of_scalars : (n code : Nat) → (rest : List Nat) → Eq (codeOf (codeLeft n code) (scalarsFrom n code rest)) (codeOf code rest)
  | .zero, _, _ => rfl
  | .succ n, code, rest => Eq.trans (code_of_scalars n (Nat.div code scalarBase) (.cons (Nat.mod code scalarBase) rest))
      (congrArg (fun x => codeOf x rest) (div_mod code 2097151))
theorem length_scalars : (n code : Nat) → (rest : List Nat) → Eq (length (scalarsFrom n code rest)) (Nat.add n (length rest))
  | .zero, _, rest => (add_zero_left (length rest)).symm
  | .succ n, code, rest => Eq.trans (length_scalars n (Nat.div code scalarBase) (.cons (Nat.mod code scalarBase) rest))
      (add_succ_left n (length rest)).symm
/-- Proper texts with the same scalars are equal. -/
theorem scalars_inj : {t u : Text} → Eq t.proper true → Eq u.proper true → Eq t.scalars u.scalars → Eq t u
  | ⟨n, code⟩, ⟨m, code'⟩, p, q, h =>
    have l : Eq n m := Eq.trans (length_scalars n code .nil).symm (Eq.trans (congrArg length h) (length_scalars m code' .nil))
    have e : Eq (codeOf 0 (scalarsFrom n code .nil)) code := Eq.trans (congrArg (fun x => codeOf x (scalarsFrom n code .nil))
        (Nat.eq_of_beq_eq_true p).symm)
      (code_of_scalars n code .nil)
    have e' : Eq (codeOf 0 (scalarsFrom m code' .nil)) code' := Eq.trans (congrArg (fun x => codeOf x (scalarsFrom m code' .nil))
        (Nat.eq_of_beq_eq_true q).symm)
      (code_of_scalars m code' .nil)
    congr_arg2 Text.mk l (Eq.trans e.symm (Eq.trans (congrArg (codeOf 0) h) e'))

/-! ### decimal numbers -/
/-- The number of a list of digits behind a number. -/
def numberOf : Nat → List Nat → Nat
  | n, .nil => n
  | n, .cons d s => numberOf (Nat.add (Nat.mul 10 n) d) s
theorem quotient_smaller {fuel : Nat} : (n : Nat) → Eq (Nat.ble 10 n) true → Eq (Nat.ble n fuel) true →
    Eq (Nat.ble (.succ (Nat.div n 10)) fuel) true
  | .zero, e, _ => Bool.noConfusion e
  | .succ k, _, h => ble_trans (a := .succ (Nat.div (.succ k) 10)) (b := .succ k) (div_lt 8 k) h
theorem number_of_digits : (fuel n : Nat) → (rest : List Nat) → Eq (Nat.ble (.succ n) fuel) true →
    Eq (numberOf 0 (digitsFrom fuel n rest)) (numberOf n rest)
  | .zero, _, _, h => Bool.noConfusion h
  | .succ fuel, n, rest, h => go (fun e => number_of_digits fuel (Nat.div n 10) (.cons (Nat.mod n 10) rest) (quotient_smaller n e h))
      (Nat.ble 10 n) rfl
where
  go {fuel n : Nat} {rest : List Nat} (ih : Eq (Nat.ble 10 n) true →
      Eq (numberOf 0 (digitsFrom fuel (Nat.div n 10) (.cons (Nat.mod n 10) rest)))
      (numberOf (Nat.div n 10) (.cons (Nat.mod n 10) rest))) : (q : Bool) → Eq (Nat.ble 10 n) q →
      Eq (numberOf 0 (cond q (digitsFrom fuel (Nat.div n 10) (.cons (Nat.mod n 10) rest)) (.cons n rest))) (numberOf n rest)
    | true, e => Eq.trans (ih e) (congrArg (fun x => numberOf x rest) (div_mod n 9))
    | false, _ => congrArg (fun x => numberOf x rest) (add_zero_left n)
/-- All elements are decimal digits. -/
def AllDigits : List Nat → Prop
  | .nil => True
  | .cons d s => And (Eq (Nat.ble (.succ d) 10) true) (AllDigits s)
theorem all_digits : (fuel n : Nat) → (rest : List Nat) → AllDigits rest → AllDigits (digitsFrom fuel n rest)
  | .zero, _, _, h => h
  | .succ fuel, n, rest, h => go h (all_digits fuel (Nat.div n 10) (.cons (Nat.mod n 10) rest) ⟨mod_lt n 9, h⟩) (Nat.ble 10 n) rfl
where
  go {fuel n : Nat} {rest : List Nat} (h : AllDigits rest) (ih : AllDigits (digitsFrom fuel (Nat.div n 10) (.cons (Nat.mod n 10) rest))) :
      (q : Bool) → Eq (Nat.ble 10 n) q → AllDigits (cond q (digitsFrom fuel (Nat.div n 10) (.cons (Nat.mod n 10) rest)) (.cons n rest))
    | true, _ => ih
    | false, e => ⟨lt_of_not_le 10 n e, h⟩
/-- There is an element. -/
def IsCons : List Nat → Prop
  | .nil => False
  | .cons _ _ => True
theorem digits_cons : (fuel n d : Nat) → (rest : List Nat) → IsCons (digitsFrom fuel n (.cons d rest))
  | .zero, _, _, _ => True.intro
  | .succ fuel, n, d, rest => go (digits_cons fuel (Nat.div n 10) (Nat.mod n 10) (.cons d rest)) (Nat.ble 10 n)
where
  go {fuel n d : Nat} {rest : List Nat} (ih : IsCons (digitsFrom fuel (Nat.div n 10) (.cons (Nat.mod n 10) (.cons d rest)))) : (q : Bool) →
      IsCons (cond q (digitsFrom fuel (Nat.div n 10) (.cons (Nat.mod n 10) (.cons d rest))) (.cons n (.cons d rest)))
    | true => ih
    | false => True.intro
theorem digits_some (n : Nat) : IsCons (digitsFrom (.succ n) n .nil) := go (Nat.ble 10 n)
where
  go : (q : Bool) → IsCons (cond q (digitsFrom n (Nat.div n 10) (.cons (Nat.mod n 10) .nil)) (.cons n .nil))
    | true => digits_cons n _ _ _
    | false => True.intro
/-- Is it a character for a digit? -/
def isDigit (c : Nat) : Bool := and (Nat.ble 48 c) (Nat.ble c 57)
/-- Nothing begins with a digit here. -/
def noDigit : List Nat → Bool
  | .nil => true
  | .cons c _ => not (isDigit c)
theorem ble_add_left : (a b c : Nat) → Eq (Nat.ble (Nat.add a b) (Nat.add a c)) (Nat.ble b c)
  | .zero, b, c => congr_arg2 Nat.ble (add_zero_left b) (add_zero_left c)
  | .succ a, b, c => Eq.trans (congr_arg2 Nat.ble (add_succ_left a b) (add_succ_left a c)) (ble_add_left a b c)
theorem is_digit (d : Nat) (h : Eq (Nat.ble (.succ d) 10) true) : Eq (isDigit (Nat.add 48 d)) true :=
  and_intro (ble_add 48 d) (Eq.trans (ble_add_left 48 d 9) (Eq.trans (ble_succ d 9).symm h))
/-- Digits that end at something else determine both. -/
theorem digits_end : (s s' r r' : List Nat) → AllDigits s → AllDigits s' → Eq (noDigit r) true → Eq (noDigit r') true →
    Eq (List.append (map (Nat.add 48) s) r) (List.append (map (Nat.add 48) s') r') → And (Eq s s') (Eq r r')
  | .nil, .nil, _, _, _, _, _, _, h => ⟨rfl, h⟩
  | .nil, .cons d _, _, _, _, a, n, _, h => nomatch Eq.trans (Eq.trans n.symm (congrArg noDigit h)) (congrArg not (is_digit d a.1))
  | .cons d _, .nil, _, _, a, _, _, n, h => nomatch Eq.trans (Eq.trans n.symm (congrArg noDigit h.symm)) (congrArg not (is_digit d a.1))
  | .cons _ s, .cons _ s', r, r', a, a', n, n', h => match cons_inj h with
    | ⟨e, h⟩ => match digits_end s s' r r' a.2 a'.2 n n' h, add_left_cancel 48 e with
      | ⟨rfl, e⟩, rfl => ⟨rfl, e⟩
theorem decimal_end {n m : Nat} {r r' : List Nat} (p : Eq (noDigit r) true) (p' : Eq (noDigit r') true)
    (h : Eq (List.append (decimal n) r) (List.append (decimal m) r')) : And (Eq n m) (Eq r r') :=
  match digits_end (digitsFrom (.succ n) n .nil) (digitsFrom (.succ m) m .nil) r r' (all_digits _ _ _ True.intro)
      (all_digits _ _ _ True.intro) p p' h with
  | ⟨e, e'⟩ => ⟨Eq.trans (number_of_digits (.succ n) n .nil (Nat.ble_self (.succ n))).symm
      (Eq.trans (congrArg (numberOf 0) e) (number_of_digits (.succ m) m .nil (Nat.ble_self (.succ m)))), e'⟩
theorem decimal_inj {n m : Nat} (h : Eq (decimal n) (decimal m)) : Eq n m :=
  (decimal_end (r := .nil) (r' := .nil) rfl rfl (congrArg (fun x => List.append x .nil) h)).1
/-- A decimal begins with a digit. -/
theorem decimal_start (n : Nat) : Exists2 fun d s => And (Eq (decimal n) (.cons (Nat.add 48 d) s)) (Eq (Nat.ble (.succ d) 10) true) :=
  go (digitsFrom (.succ n) n .nil) rfl (digits_some n) (all_digits _ _ _ True.intro)
where
  go : (l : List Nat) → Eq (digitsFrom (.succ n) n .nil) l → IsCons l → AllDigits l →
      Exists2 fun d s => And (Eq (decimal n) (.cons (Nat.add 48 d) s)) (Eq (Nat.ble (.succ d) 10) true)
    | .cons d s, e, _, a => ⟨d, map (Nat.add 48) s, congrArg (map (Nat.add 48)) e, a.1⟩
end Eclogue
