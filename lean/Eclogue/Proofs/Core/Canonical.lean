prelude
import Eclogue.Proofs.Core.CanonicalValues
/-! UTF-8 is injective, and so are canonical bytes. -/
namespace Eclogue

theorem mul_add (a b : Nat) : (c : Nat) → Eq (Nat.mul a (Nat.add b c)) (Nat.add (Nat.mul a b) (Nat.mul a c))
  | .zero => rfl
  | .succ c => Eq.trans (congrArg (fun x => Nat.add x a) (mul_add a b c)) (add_assoc (Nat.mul a b) (Nat.mul a c) a)
theorem product_below {m k n q r : Nat} (e : Eq (Nat.add (Nat.mul m q) r) n) (h : Eq (Nat.ble k q) true) : Eq
    (Nat.ble (Nat.mul m k) n) true :=
  have s : Eq (Nat.mul m q) (Nat.add (Nat.mul m k) (Nat.mul m (Nat.sub q k))) :=
    Eq.trans (congrArg (Nat.mul m) (Eq.trans (sub_add q k h).symm (add_comm (Nat.sub q k) k))) (mul_add m k (Nat.sub q k))
  ble_of_add (Eq.trans (add_assoc (Nat.mul m k) (Nat.mul m (Nat.sub q k)) r).symm (Eq.trans (congrArg (fun x => Nat.add x r) s.symm) e))
/-- The quotient is below `k` when the number is below divisor times `k`. -/
theorem quotient_below (m k n : Nat) (h : Eq (Nat.ble (Nat.mul (.succ m) k) n) false) : Eq (Nat.ble k (Nat.div n (.succ m))) false :=
  go (Nat.ble k (Nat.div n (.succ m))) rfl
where
  go : (q : Bool) → Eq (Nat.ble k (Nat.div n (.succ m))) q → Eq q false
    | false, _ => rfl
    | true, e => nomatch Eq.trans h.symm (product_below (div_mod n m) e)

/-! ### how many bytes a scalar takes -/
/-- The width of the scalar that begins with the byte. -/
def widthOf (b : Nat) : Width := cond (Nat.ble 128 b) (cond (Nat.ble 224 b) (cond (Nat.ble 240 b) .four .three) .two) .one
/-- The first byte. -/
def firstByte : List Nat → Nat
  | .nil => 0
  | .cons b _ => b
theorem width_one {b : Nat} (h : Eq (Nat.ble 128 b) false) : Eq (widthOf b) .one :=
  congrArg (fun q => (cond q (cond (Nat.ble 224 b) (cond (Nat.ble 240 b) .four .three) .two) .one : Width)) h
theorem width_two {b : Nat} (h : Eq (Nat.ble 128 b) true) (h' : Eq (Nat.ble 224 b) false) : Eq (widthOf b) .two :=
  congr_arg2 (fun p q => (cond p (cond q (cond (Nat.ble 240 b) .four .three) .two) .one : Width)) h h'
theorem width_three {b : Nat} (h : Eq (Nat.ble 128 b) true) (h' : Eq (Nat.ble 224 b) true) (h'' : Eq (Nat.ble 240 b) false) : Eq
    (widthOf b) .three :=
  Eq.trans (congr_arg2 (fun p q => (cond p (cond q (cond (Nat.ble 240 b) .four .three) .two) .one : Width)) h h')
    (congrArg (fun q => (cond q .four .three : Width)) h'')
theorem width_four {b : Nat} (h : Eq (Nat.ble 128 b) true) (h' : Eq (Nat.ble 224 b) true) (h'' : Eq (Nat.ble 240 b) true) : Eq
    (widthOf b) .four :=
  Eq.trans (congr_arg2 (fun p q => (cond p (cond q (cond (Nat.ble 240 b) .four .three) .two) .one : Width)) h h')
    (congrArg (fun q => (cond q .four .three : Width)) h'')
theorem at_least {a b : Nat} (x : Nat) (h : Eq (Nat.ble a b) true) : Eq (Nat.ble a (Nat.add b x)) true := ble_trans h (ble_add b x)
/-- The first byte of a scalar says how many bytes it takes. -/
theorem first_width (c : Nat) (rest : List Nat) : Eq (widthOf (firstByte (scalarBytes c rest (width c)))) (width c) :=
    one (Nat.ble 128 c) rfl
where
  one : (q : Bool) → Eq (Nat.ble 128 c) q →
      Eq (widthOf (firstByte (scalarBytes c rest (cond q (cond (Nat.ble 2048 c) (cond (Nat.ble 65536 c) .four .three) .two) .one))))
        (cond q (cond (Nat.ble 2048 c) (cond (Nat.ble 65536 c) .four .three) .two) .one)
    | false, e => width_one e
    | true, _ => two (Nat.ble 2048 c) rfl
  two : (q : Bool) → Eq (Nat.ble 2048 c) q →
      Eq (widthOf (firstByte (scalarBytes c rest (cond q (cond (Nat.ble 65536 c) .four .three) .two))))
          (cond q (cond (Nat.ble 65536 c) .four .three) .two)
    | false, e => width_two (at_least _ rfl) (Eq.trans (ble_add_left 192 32 _) (quotient_below 63 32 c e))
    | true, _ => three (Nat.ble 65536 c) rfl
  three : (q : Bool) → Eq (Nat.ble 65536 c) q →
      Eq (widthOf (firstByte (scalarBytes c rest (cond q .four .three)))) (cond q .four .three)
    | false, e => width_three (at_least _ rfl) (at_least _ rfl)
        (Eq.trans (ble_add_left 224 16 _) (quotient_below 63 16 (Nat.div c 64) (quotient_below 63 1024 c e)))
    | true, _ => width_four (at_least _ rfl) (at_least _ rfl) (at_least _ rfl)
/-- A scalar is its quotient and its last byte. -/
theorem scalar_of_parts {c c' : Nat} (h : Eq (Nat.div c 64) (Nat.div c' 64)) (h' : Eq (continuation c) (continuation c')) : Eq c c' :=
  Eq.trans (div_mod c 63).symm (Eq.trans (congr_arg2 (fun q r => Nat.add (Nat.mul 64 q) r) h (add_left_cancel 128 h')) (div_mod c' 63))
theorem scalar_bytes_inj {c c' : Nat} {r r' : List Nat} : (w : Width) → Eq (scalarBytes c r w) (scalarBytes c' r' w) →
    And (Eq c c') (Eq r r')
  | .one, h => cons_inj h
  | .two, h => match cons_inj h with
    | ⟨a, h⟩ => match cons_inj h with
      | ⟨b, h⟩ => ⟨scalar_of_parts (add_left_cancel 192 a) b, h⟩
  | .three, h => match cons_inj h with
    | ⟨a, h⟩ => match cons_inj h with
      | ⟨b, h⟩ => match cons_inj h with
        | ⟨d, h⟩ => ⟨scalar_of_parts (scalar_of_parts (add_left_cancel 224 a) b) d, h⟩
  | .four, h => match cons_inj h with
    | ⟨a, h⟩ => match cons_inj h with
      | ⟨b, h⟩ => match cons_inj h with
        | ⟨d, h⟩ => match cons_inj h with
          | ⟨e, h⟩ => ⟨scalar_of_parts (scalar_of_parts (scalar_of_parts (add_left_cancel 240 a) b) d) e, h⟩
theorem bytes_some {c : Nat} {r : List Nat} : (w : Width) → Eq (List.nil) (scalarBytes c r w) → False
  | .one, h => nomatch h
  | .two, h => nomatch h
  | .three, h => nomatch h
  | .four, h => nomatch h
theorem scalar_end {c c' : Nat} {r r' : List Nat} (h : Eq (scalarBytes c r (width c)) (scalarBytes c' r' (width c'))) : And
    (Eq c c') (Eq r r') :=
  have w : Eq (width c) (width c') := Eq.trans (first_width c r).symm (Eq.trans (congrArg (fun x => widthOf (firstByte x)) h)
      (first_width c' r'))
  scalar_bytes_inj (width c') (Eq.trans (congrArg (scalarBytes c r) w).symm h)
/-- **utf8_injective**. -/
theorem utf8_inj : {s s' : List Nat} → Eq (utf8 s) (utf8 s') → Eq s s'
  | .nil, .nil, _ => rfl
  | .nil, .cons c _, h => (bytes_some (width c) h).elim
  | .cons c _, .nil, h => (bytes_some (width c) h.symm).elim
  | .cons _ _, .cons _ _, h => match scalar_end h with
    | ⟨e, h⟩ => congr_arg2 List.cons e (utf8_inj h)
/-- **canonical_injective**. -/
theorem canonical_injective {v w : Value} (p : Eq v.proper true) (q : Eq w.proper true)
    (h : Eq v.canonicalBytes w.canonicalBytes) : Eq v w :=
  value_text_inj p q (utf8_inj h)
end Eclogue
