prelude
/-!
# Foundation

The only file of this package that is not about the calculus. It has, under the names that Lean's elaborator and kernel
look up, the few types and functions that the rest needs: equality, the connectives, Booleans, natural numbers, lists,
options. Every other module rests on this one and on the kernel alone.

The kernel evaluates some functions on natural-number literals *by name*, with its own arithmetic. For each of them that is defined
here (`Nat.add`, `Nat.sub`, `Nat.mul`, `Nat.pow`, `Nat.div`, `Nat.mod`, `Nat.beq`, `Nat.ble`) the recursion equations that determine
the function are proved below, so that a wrong clause cannot hide.
-/
universe u v w
set_option bootstrap.inductiveCheckResultingUniverse false in
/-- The type with one element, in any universe. -/
inductive PUnit : Sort u where
  | unit : PUnit
/-- Looked up by the compiler; not used by any proof. -/
def lcErased : Type := PUnit
/-- Looked up by the compiler; not used by any proof. -/
def lcAny : Type := PUnit
/-- Looked up by the compiler; not used by any proof. -/
def lcVoid : Type := PUnit
/-- The type with one element. -/
abbrev Unit : Type := PUnit
/-- The element of `Unit`. -/
@[match_pattern] abbrev Unit.unit : Unit := PUnit.unit

/-- The true proposition. -/
inductive True : Prop where
  | intro : True
/-- The proposition without a proof. -/
inductive False : Prop
/-- Negation. -/
def Not (a : Prop) : Prop := a → False
/-- Anything follows from `False`. -/
def False.elim {C : Sort u} (h : False) : C := h.rec
/-- The identity function. -/
def id {α : Sort u} (a : α) : α := a

/-- Equality. -/
inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a
set_option linter.defProp false in
/-- The proof that a thing equals itself. -/
@[match_pattern] def rfl {α : Sort u} {a : α} : Eq a a := Eq.refl a
/-- Replacement of equals, not depending on the proof. -/
abbrev Eq.ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : Eq a b) : motive b := h.rec m
theorem Eq.subst {α : Sort u} {motive : α → Prop} {a b : α} (h₁ : Eq a b) (h₂ : motive a) : motive b := Eq.ndrec h₂ h₁
theorem Eq.symm {α : Sort u} {a b : α} (h : Eq a b) : Eq b a := h.rec (Eq.refl a)
theorem Eq.trans {α : Sort u} {a b c : α} (h₁ : Eq a b) (h₂ : Eq b c) : Eq a c := h₂.rec h₁
/-- Replacement of equals, right to left. -/
abbrev Eq.ndrec_symm.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : Eq b a) : motive b := h.symm.ndrec m
/-- An element of a type is one of an equal type. -/
def cast {α β : Sort u} (h : Eq α β) (a : α) : β := h.rec a
theorem congrArg {α : Sort u} {β : Sort v} {a₁ a₂ : α} (f : α → β) (h : Eq a₁ a₂) : Eq (f a₁) (f a₂) := h.rec (Eq.refl (f a₁))
/-- Equality between elements of types that are not known to be equal. -/
inductive HEq : {α : Sort u} → α → {β : Sort u} → β → Prop where
  | refl (a : α) : HEq a a
theorem eq_of_heq {α : Sort u} {a a' : α} (h : HEq a a') : Eq a a' :=
  have : (α β : Sort u) → (a : α) → (b : β) → HEq a b → (h : Eq α β) → Eq (cast h a) b :=
    fun _ _ _ _ h₁ => h₁.rec (fun _ => rfl)
  this α α a a' h rfl

theorem heq_of_eq {α : Sort u} {a a' : α} (h : Eq a a') : HEq a a' := h.rec (HEq.refl a)

/-- Pairs. -/
structure Prod (α : Type u) (β : Type v) where
  mk ::
  fst : α
  snd : β
/-- Pairs, in any universe. -/
structure PProd (α : Sort u) (β : Sort v) where
  fst : α
  snd : β
set_option bootstrap.inductiveCheckResultingUniverse false in
/-- A type, raised to a larger universe. -/
structure PULift.{r, s} (α : Sort s) : Sort (max s r 1) where
  up ::
  down : α
/-- Conjunction. -/
structure And (a b : Prop) : Prop where
  intro ::
  left : a
  right : b
/-- Disjunction. -/
inductive Or (a b : Prop) : Prop where
  | inl (h : a) : Or a b
  | inr (h : b) : Or a b
set_option genCtorIdx false in
/-- The truth values. -/
inductive Bool : Type where
  | false : Bool
  | true : Bool
export Bool (false true)

/-- The value that a truth value selects. -/
@[macro_inline] def cond {α : Sort u} (c : Bool) (x y : α) : α :=
  match c with
  | true => x
  | false => y

/-- Existence. -/
inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

/-- A proposition of which it is known whether it holds. -/
class inductive Decidable (p : Prop) where
  | isFalse (h : Not p) : Decidable p
  | isTrue (h : p) : Decidable p
/-- The value that a decidable proposition selects, given its proof. -/
@[macro_inline] def dite {α : Sort u} (c : Prop) [h : Decidable c] (t : c → α) (e : Not c → α) : α :=
  match h with
  | .isTrue h => t h
  | .isFalse h => e h
/-- The value that a decidable proposition selects. -/
@[macro_inline] def ite {α : Sort u} (c : Prop) [h : Decidable c] (t e : α) : α :=
  match h with
  | .isTrue _ => t
  | .isFalse _ => e
/-- Equality is decidable. -/
abbrev DecidableEq (α : Sort u) := (a b : α) → Decidable (Eq a b)

set_option genCtorIdx false in
/-- Natural numbers. -/
inductive Nat where
  | zero : Nat
  | succ (n : Nat) : Nat

/-- How a numeral is read. -/
class OfNat (α : Type u) (_ : Nat) where
  ofNat : α
/-- A numeral is a natural number. -/
@[default_instance 100] instance instOfNatNat (n : Nat) : OfNat Nat n where
  ofNat := n

set_option bootstrap.genMatcherCode false in
/-- Addition. -/
@[extern "lean_nat_add"]
protected def Nat.add : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => .succ (Nat.add n m)
set_option bootstrap.genMatcherCode false in
/-- Multiplication. -/
@[extern "lean_nat_mul"]
protected def Nat.mul : (@& Nat) → (@& Nat) → Nat
  | _, .zero => 0
  | n, .succ m => Nat.add (Nat.mul n m) n
set_option bootstrap.genMatcherCode false in
/-- Power. -/
@[extern "lean_nat_pow"]
protected def Nat.pow (m : @& Nat) : (@& Nat) → Nat
  | .zero => 1
  | .succ n => Nat.mul (Nat.pow m n) m
set_option bootstrap.genMatcherCode false in
/-- Predecessor; zero of zero. -/
@[extern "lean_nat_pred"]
def Nat.pred : (@& Nat) → Nat
  | .zero => 0
  | .succ a => a
set_option bootstrap.genMatcherCode false in
/-- Subtraction; zero where the result would be negative. -/
@[extern "lean_nat_sub"]
protected def Nat.sub : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => Nat.pred (Nat.sub n m)
set_option bootstrap.genMatcherCode false in
/-- Equality of natural numbers as a truth value, by recursion. -/
noncomputable def Nat.equal : Nat → Nat → Bool
  | .zero, .zero => true
  | .zero, .succ _ => false
  | .succ _, .zero => false
  | .succ n, .succ m => Nat.equal n m
set_option bootstrap.genMatcherCode false in
/-- The order of natural numbers as a truth value, by recursion. -/
noncomputable def Nat.atMost : Nat → Nat → Bool
  | .zero, .zero => true
  | .zero, .succ _ => true
  | .succ _, .zero => false
  | .succ n, .succ m => Nat.atMost n m
/-- Equality of natural numbers as a truth value. -/
@[extern "lean_nat_dec_eq"]
def Nat.beq (n m : @& Nat) : Bool := Nat.equal n m
/-- The order of natural numbers as a truth value. -/
@[extern "lean_nat_dec_le"]
def Nat.ble (n m : @& Nat) : Bool := Nat.atMost n m

set_option bootstrap.genMatcherCode false in
/-- Division by repeated subtraction, at most `fuel` times. -/
noncomputable def Nat.divFuel : (fuel n m : Nat) → Nat
  | .zero, _, _ => 0
  | .succ fuel, n, m => cond (Nat.ble m n) (.succ (Nat.divFuel fuel (Nat.sub n m) m)) 0
set_option bootstrap.genMatcherCode false in
/-- The remainder by repeated subtraction, at most `fuel` times. -/
noncomputable def Nat.modFuel : (fuel n m : Nat) → Nat
  | .zero, n, _ => n
  | .succ fuel, n, m => cond (Nat.ble m n) (Nat.modFuel fuel (Nat.sub n m) m) n
set_option bootstrap.genMatcherCode false in
/-- Division; zero when the divisor is zero. -/
protected noncomputable def Nat.div (n : Nat) : Nat → Nat
  | .zero => 0
  | .succ m => Nat.divFuel n n (.succ m)
set_option bootstrap.genMatcherCode false in
/-- The remainder; the number itself when the divisor is zero. -/
protected noncomputable def Nat.mod (n : Nat) : Nat → Nat
  | .zero => n
  | .succ m => Nat.modFuel n n (.succ m)

/-! ### the recursion equations of every function that the kernel evaluates by name

Variables on at least one side keep the kernel's own arithmetic out of these proofs. An equation without
any (`0 = 0`, `0 ≤ 0`) is stated for the function, under a name that the kernel does not know, of which `Nat.beq` or `Nat.ble`
is the abbreviation. -/
theorem Nat.add_zero (n : Nat) : Eq (Nat.add n 0) n := rfl
theorem Nat.add_succ (n m : Nat) : Eq (Nat.add n (Nat.succ m)) (Nat.succ (Nat.add n m)) := rfl
theorem Nat.mul_zero (n : Nat) : Eq (Nat.mul n 0) 0 := rfl
theorem Nat.mul_succ (n m : Nat) : Eq (Nat.mul n (Nat.succ m)) (Nat.add (Nat.mul n m) n) := rfl
theorem Nat.pow_zero (n : Nat) : Eq (Nat.pow n 0) 1 := rfl
theorem Nat.pow_succ (n m : Nat) : Eq (Nat.pow n (Nat.succ m)) (Nat.mul (Nat.pow n m) n) := rfl
theorem Nat.pred_succ (n : Nat) : Eq (Nat.pred (Nat.succ n)) n := rfl
theorem Nat.sub_zero (n : Nat) : Eq (Nat.sub n 0) n := rfl
theorem Nat.sub_succ (n m : Nat) : Eq (Nat.sub n (Nat.succ m)) (Nat.pred (Nat.sub n m)) := rfl
theorem Nat.beq_zero_succ (m : Nat) : Eq (Nat.beq .zero (Nat.succ m)) false := rfl
theorem Nat.beq_succ_zero (n : Nat) : Eq (Nat.beq (Nat.succ n) .zero) false := rfl
theorem Nat.beq_succ_succ (n m : Nat) : Eq (Nat.beq (Nat.succ n) (Nat.succ m)) (Nat.beq n m) := rfl
theorem Nat.ble_zero_succ (m : Nat) : Eq (Nat.ble .zero (Nat.succ m)) true := rfl
theorem Nat.ble_succ_zero (n : Nat) : Eq (Nat.ble (Nat.succ n) .zero) false := rfl
theorem Nat.ble_succ_succ (n m : Nat) : Eq (Nat.ble (Nat.succ n) (Nat.succ m)) (Nat.ble n m) := rfl
theorem Nat.beq_eq_equal (n m : Nat) : Eq (Nat.beq n m) (Nat.equal n m) := rfl
theorem Nat.equal_zero_zero : Eq (Nat.equal .zero .zero) true := rfl
theorem Nat.ble_eq_at_most (n m : Nat) : Eq (Nat.ble n m) (Nat.atMost n m) := rfl
theorem Nat.at_most_zero_zero : Eq (Nat.atMost .zero .zero) true := rfl

theorem Nat.ble_pred : {n f : Nat} → Eq (Nat.ble n (.succ f)) true → Eq (Nat.ble (Nat.pred n) f) true
  | .zero, .zero, _ => rfl
  | .zero, .succ _, _ => rfl
  | .succ _, _, h => h
theorem Nat.ble_of_succ : (a b : Nat) → Eq (Nat.ble (.succ a) b) true → Eq (Nat.ble a b) true
  | .zero, .zero, h => Bool.noConfusion h
  | .zero, .succ _, _ => rfl
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ a, .succ b, h => Eq.trans (Nat.ble_succ_succ a b) (Nat.ble_of_succ a b (Eq.trans (Nat.ble_succ_succ (.succ a) b).symm h))
theorem Nat.ble_pred_left : {n f : Nat} → Eq (Nat.ble n f) true → Eq (Nat.ble (Nat.pred n) f) true
  | .zero, _, h => h
  | .succ n, f, h => Nat.ble_of_succ n f h
theorem Nat.ble_sub {n f : Nat} (h : Eq (Nat.ble n f) true) : (m : Nat) → Eq (Nat.ble (Nat.sub n m) f) true
  | .zero => h
  | .succ m => Nat.ble_pred_left (Nat.ble_sub h m)
theorem Nat.ble_self : (n : Nat) → Eq (Nat.ble n n) true
  | .zero => rfl
  | .succ n => Nat.ble_self n
theorem Nat.div_fuel_eq (m : Nat) : (f g n : Nat) → Eq (Nat.ble n f) true → Eq (Nat.ble n g) true →
    Eq (Nat.divFuel f n (.succ m)) (Nat.divFuel g n (.succ m))
  | .zero, .zero, _, _, _ => rfl
  | .zero, .succ _, .zero, _, _ => rfl
  | .succ _, .zero, .zero, _, _ => rfl
  | .zero, .succ _, .succ _, h, _ => Bool.noConfusion h
  | .succ _, .zero, .succ _, _, h => Bool.noConfusion h
  | .succ f, .succ g, n, h, h' => congrArg (fun x => cond (Nat.ble (.succ m) n) (Nat.succ x) 0)
      (Nat.div_fuel_eq m f g (Nat.sub n (.succ m)) (Nat.ble_pred (Nat.ble_sub h m)) (Nat.ble_pred (Nat.ble_sub h' m)))
theorem Nat.mod_fuel_eq (m : Nat) : (f g n : Nat) → Eq (Nat.ble n f) true → Eq (Nat.ble n g) true →
    Eq (Nat.modFuel f n (.succ m)) (Nat.modFuel g n (.succ m))
  | .zero, .zero, _, _, _ => rfl
  | .zero, .succ _, .zero, _, _ => rfl
  | .succ _, .zero, .zero, _, _ => rfl
  | .zero, .succ _, .succ _, h, _ => Bool.noConfusion h
  | .succ _, .zero, .succ _, _, h => Bool.noConfusion h
  | .succ f, .succ g, n, h, h' => congrArg (fun x => cond (Nat.ble (.succ m) n) x n)
      (Nat.mod_fuel_eq m f g (Nat.sub n (.succ m)) (Nat.ble_pred (Nat.ble_sub h m)) (Nat.ble_pred (Nat.ble_sub h' m)))
theorem Nat.div_zero (n : Nat) : Eq (Nat.div n 0) 0 := rfl
theorem Nat.div_succ (m : Nat) : (n : Nat) →
    Eq (Nat.div n (.succ m)) (cond (Nat.ble (.succ m) n) (Nat.succ (Nat.div (Nat.sub n (.succ m)) (.succ m))) 0)
  | .zero => rfl
  | .succ n => congrArg (fun x => cond (Nat.ble (.succ m) (.succ n)) (Nat.succ x) 0)
      (Nat.div_fuel_eq m n _ _ (Nat.ble_pred (Nat.ble_sub (Nat.ble_self (.succ n)) m)) (Nat.ble_self _))
theorem Nat.mod_zero (n : Nat) : Eq (Nat.mod n 0) n := rfl
theorem Nat.mod_succ (m : Nat) : (n : Nat) →
    Eq (Nat.mod n (.succ m)) (cond (Nat.ble (.succ m) n) (Nat.mod (Nat.sub n (.succ m)) (.succ m)) n)
  | .zero => rfl
  | .succ n => congrArg (fun x : Nat => (cond (Nat.ble (.succ m) (.succ n)) x (Nat.succ n) : Nat))
      (Nat.mod_fuel_eq m n (Nat.sub (.succ n) (.succ m)) (Nat.sub (.succ n) (.succ m))
        (Nat.ble_pred (Nat.ble_sub (Nat.ble_self (.succ n)) m)) (Nat.ble_self _))

theorem Nat.eq_of_beq_eq_true : {n m : Nat} → Eq (Nat.beq n m) true → Eq n m
  | .zero, .zero, _ => rfl
  | .zero, .succ _, h => Bool.noConfusion h
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ _, .succ _, h => congrArg Nat.succ (Nat.eq_of_beq_eq_true h)
theorem Nat.beq_refl : (n : Nat) → Eq (Nat.beq n n) true
  | .zero => rfl
  | .succ n => Nat.beq_refl n
theorem Nat.ne_of_beq_eq_false {n m : Nat} (h : Eq (Nat.beq n m) false) : Not (Eq n m) :=
  fun e => Bool.noConfusion (Eq.trans (Eq.symm (Nat.beq_refl n))
      (e.rec (motive := fun x _ => Eq (Nat.beq n x) false → Eq (Nat.beq n n) false) (fun h => h) (h)))
/-- Looked up by name: impossible constructor equations in pattern matching. -/
theorem noConfusion_of_Nat {α : Sort u} (f : α → Nat) {a b : α} (h : Eq a b) :
    (Nat.beq (f a) (f b)).rec (motive := fun _ => Prop) False True :=
  Eq.subst (motive := fun b => (Nat.beq (f a) (f b)).rec (motive := fun _ => Prop) False True) h
    (Eq.subst (motive := fun x => Bool.rec (motive := fun _ => Prop) False True x) (Eq.symm (Nat.beq_refl (f a))) True.intro)
/-- Equality of natural numbers, decided. -/
@[extern "lean_nat_dec_eq"]
def Nat.decEq (n m : @& Nat) : Decidable (Eq n m) :=
  match h : Nat.beq n m with
  | true => .isTrue (Nat.eq_of_beq_eq_true h)
  | false => .isFalse (Nat.ne_of_beq_eq_false h)
/-- Equality of natural numbers is decidable. -/
instance instDecidableEqNat : DecidableEq Nat := Nat.decEq
attribute [gen_constructor_elims] Bool
attribute [gen_constructor_elims] Nat

/-- Lists. -/
inductive List (α : Type u) where
  | nil : List α
  | cons (head : α) (tail : List α) : List α
/-- An element, or none. -/
inductive Option (α : Type u) where
  | none : Option α
  | some (val : α) : Option α
export Option (none some)

/-- Concatenation of lists. -/
def List.append {α : Type u} : List α → List α → List α
  | .nil, ys => ys
  | .cons x xs, ys => .cons x (List.append xs ys)

/-! ### text literals -/
/-- A character; the kernel reads a character literal as `Char.ofNat` of its code point. -/
structure Char where
  ofNat ::
  toNat : Nat
/-- A text literal; the kernel reads one as `String.ofList` of its characters. -/
structure String where
  ofList ::
  toList : List Char
