prelude
/-! A small foundation of its own, so that these packages do not change with the real one. -/
universe u v w
set_option bootstrap.inductiveCheckResultingUniverse false in
inductive PUnit : Sort u where
  | unit : PUnit
-- names the compiler front end looks up (never used in proofs)
def lcErased : Type := PUnit
def lcAny : Type := PUnit
def lcVoid : Type := PUnit
abbrev Unit : Type := PUnit
@[match_pattern] abbrev Unit.unit : Unit := PUnit.unit

inductive True : Prop where
  | intro : True
inductive False : Prop
def Not (a : Prop) : Prop := a → False
def False.elim {C : Sort u} (h : False) : C := h.rec
def id {α : Sort u} (a : α) : α := a

inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a
set_option linter.defProp false in
@[match_pattern] def rfl {α : Sort u} {a : α} : Eq a a := Eq.refl a
abbrev Eq.ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : Eq a b) : motive b := h.rec m
theorem Eq.subst {α : Sort u} {motive : α → Prop} {a b : α} (h₁ : Eq a b) (h₂ : motive a) : motive b := Eq.ndrec h₂ h₁
theorem Eq.symm {α : Sort u} {a b : α} (h : Eq a b) : Eq b a := h.rec (Eq.refl a)
theorem Eq.trans {α : Sort u} {a b c : α} (h₁ : Eq a b) (h₂ : Eq b c) : Eq a c := h₂.rec h₁
abbrev Eq.ndrec_symm.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : Eq b a) : motive b := h.symm.ndrec m
def cast {α β : Sort u} (h : Eq α β) (a : α) : β := h.rec a
theorem congrArg {α : Sort u} {β : Sort v} {a₁ a₂ : α} (f : α → β) (h : Eq a₁ a₂) : Eq (f a₁) (f a₂) := h.rec (Eq.refl (f a₁))
inductive HEq : {α : Sort u} → α → {β : Sort u} → β → Prop where
  | refl (a : α) : HEq a a
theorem eq_of_heq {α : Sort u} {a a' : α} (h : HEq a a') : Eq a a' :=
  have : (α β : Sort u) → (a : α) → (b : β) → HEq a b → (h : Eq α β) → Eq (cast h a) b :=
    fun _ _ _ _ h₁ => h₁.rec (fun _ => rfl)
  this α α a a' h rfl

theorem heq_of_eq {α : Sort u} {a a' : α} (h : Eq a a') : HEq a a' := h.rec (HEq.refl a)

structure Prod (α : Type u) (β : Type v) where
  mk ::
  fst : α
  snd : β
structure PProd (α : Sort u) (β : Sort v) where
  fst : α
  snd : β
set_option bootstrap.inductiveCheckResultingUniverse false in
structure PULift.{r, s} (α : Sort s) : Sort (max s r 1) where
  up ::
  down : α
structure And (a b : Prop) : Prop where
  intro ::
  left : a
  right : b
inductive Or (a b : Prop) : Prop where
  | inl (h : a) : Or a b
  | inr (h : b) : Or a b
set_option genCtorIdx false in
inductive Bool : Type where
  | false : Bool
  | true : Bool
export Bool (false true)

@[macro_inline] def cond {α : Sort u} (c : Bool) (x y : α) : α :=
  match c with
  | true => x
  | false => y

inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

class inductive Decidable (p : Prop) where
  | isFalse (h : Not p) : Decidable p
  | isTrue (h : p) : Decidable p
@[macro_inline] def dite {α : Sort u} (c : Prop) [h : Decidable c] (t : c → α) (e : Not c → α) : α :=
  match h with
  | .isTrue h => t h
  | .isFalse h => e h
@[macro_inline] def ite {α : Sort u} (c : Prop) [h : Decidable c] (t e : α) : α :=
  match h with
  | .isTrue _ => t
  | .isFalse _ => e
abbrev DecidableEq (α : Sort u) := (a b : α) → Decidable (Eq a b)

set_option genCtorIdx false in
inductive Nat where
  | zero : Nat
  | succ (n : Nat) : Nat

class OfNat (α : Type u) (_ : Nat) where
  ofNat : α
@[default_instance 100] instance instOfNatNat (n : Nat) : OfNat Nat n where
  ofNat := n

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_add"]
protected def Nat.add : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => .succ (Nat.add n m)
set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_mul"]
protected def Nat.mul : (@& Nat) → (@& Nat) → Nat
  | _, .zero => 0
  | n, .succ m => Nat.add (Nat.mul n m) n
-- the kernel evaluates this name on literals, as it does add, mul, sub, beq, ble: its equations must be these
set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_pow"]
protected def Nat.pow (m : @& Nat) : (@& Nat) → Nat
  | .zero => 1
  | .succ n => Nat.mul (Nat.pow m n) m
set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_pred"]
def Nat.pred : (@& Nat) → Nat
  | .zero => 0
  | .succ a => a
set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_sub"]
protected def Nat.sub : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => Nat.pred (Nat.sub n m)
set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_dec_eq"]
def Nat.beq : (@& Nat) → (@& Nat) → Bool
  | .zero, .zero => true
  | .zero, .succ _ => false
  | .succ _, .zero => false
  | .succ n, .succ m => Nat.beq n m
set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_dec_le"]
def Nat.ble : (@& Nat) → (@& Nat) → Bool
  | .zero, .zero => true
  | .zero, .succ _ => true
  | .succ _, .zero => false
  | .succ n, .succ m => Nat.ble n m

-- the recursion equations of every function that the kernel evaluates by name
example (n : Nat) : Eq (Nat.add n 0) n := rfl
example (n m : Nat) : Eq (Nat.add n (Nat.succ m)) (Nat.succ (Nat.add n m)) := rfl
example (n : Nat) : Eq (Nat.mul n 0) 0 := rfl
example (n m : Nat) : Eq (Nat.mul n (Nat.succ m)) (Nat.add (Nat.mul n m) n) := rfl
example (n : Nat) : Eq (Nat.pow n 0) 1 := rfl
example (n m : Nat) : Eq (Nat.pow n (Nat.succ m)) (Nat.mul (Nat.pow n m) n) := rfl
example (n : Nat) : Eq (Nat.sub n 0) n := rfl
example (n m : Nat) : Eq (Nat.sub n (Nat.succ m)) (Nat.pred (Nat.sub n m)) := rfl
example (n m : Nat) : Eq (Nat.beq (Nat.succ n) (Nat.succ m)) (Nat.beq n m) := rfl
example (n m : Nat) : Eq (Nat.ble (Nat.succ n) (Nat.succ m)) (Nat.ble n m) := rfl

theorem Nat.eq_of_beq_eq_true : {n m : Nat} → Eq (Nat.beq n m) true → Eq n m
  | .zero, .zero, _ => rfl
  | .zero, .succ _, h => Bool.noConfusion h
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ _, .succ _, h => congrArg Nat.succ (Nat.eq_of_beq_eq_true h)
theorem Nat.beq_refl : (n : Nat) → Eq (Nat.beq n n) true
  | .zero => rfl
  | .succ n => Nat.beq_refl n
theorem Nat.ne_of_beq_eq_false {n m : Nat} (h : Eq (Nat.beq n m) false) : Not (Eq n m) :=
  fun e => Bool.noConfusion (Eq.trans (Eq.symm (Nat.beq_refl n)) (e.rec (motive := fun x _ => Eq (Nat.beq n x) false → Eq (Nat.beq n n) false) (fun h => h) (h)))
/-- looked up by name: impossible constructor equations in pattern matching -/
theorem noConfusion_of_Nat {α : Sort u} (f : α → Nat) {a b : α} (h : Eq a b) :
    (Nat.beq (f a) (f b)).rec (motive := fun _ => Prop) False True :=
  Eq.subst (motive := fun b => (Nat.beq (f a) (f b)).rec (motive := fun _ => Prop) False True) h
    (Eq.subst (motive := fun x => Bool.rec (motive := fun _ => Prop) False True x) (Eq.symm (Nat.beq_refl (f a))) True.intro)
@[extern "lean_nat_dec_eq"]
def Nat.decEq (n m : @& Nat) : Decidable (Eq n m) :=
  match h : Nat.beq n m with
  | true => .isTrue (Nat.eq_of_beq_eq_true h)
  | false => .isFalse (Nat.ne_of_beq_eq_false h)
instance instDecidableEqNat : DecidableEq Nat := Nat.decEq
attribute [gen_constructor_elims] Bool
attribute [gen_constructor_elims] Nat

inductive List (α : Type u) where
  | nil : List α
  | cons (head : α) (tail : List α) : List α
inductive Option (α : Type u) where
  | none : Option α
  | some (val : α) : Option α
export Option (none some)

def List.append {α : Type u} : List α → List α → List α
  | .nil, ys => ys
  | .cons x xs, ys => .cons x (List.append xs ys)
