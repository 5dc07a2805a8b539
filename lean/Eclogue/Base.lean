prelude
import Eclogue.Foundation
/-!
# Truth values, numbers, lists, options

Small functions and lemmas that every later module uses.
-/
namespace Eclogue

/-! ### truth values -/
/-- Conjunction, decided by the first argument if that is false. -/
def and : Bool → Bool → Bool
  | true, b => b
  | false, _ => false
/-- Disjunction, decided by the first argument if that is true. -/
def or : Bool → Bool → Bool
  | true, _ => true
  | false, b => b
/-- Negation. -/
def not : Bool → Bool
  | true => false
  | false => true
theorem and_true : {a b : Bool} → Eq (and a b) true → And (Eq a true) (Eq b true)
  | true, true, _ => ⟨rfl, rfl⟩
theorem and_intro : {a b : Bool} → Eq a true → Eq b true → Eq (and a b) true
  | true, true, _, _ => rfl
theorem or_left : {a b : Bool} → Eq a true → Eq (or a b) true
  | _, _, rfl => rfl
theorem or_right : {a b : Bool} → Eq b true → Eq (or a b) true
  | true, _, _ => rfl
  | false, _, h => h
theorem or_cases : {a b : Bool} → Eq (or a b) true → Or (Eq a true) (Eq b true)
  | true, _, _ => .inl rfl
  | false, _, h => .inr h
/-- Two truth values that imply each other are equal. -/
theorem bool_ext : {a b : Bool} → (Eq a true → Eq b true) → (Eq b true → Eq a true) → Eq a b
  | true, true, _, _ => rfl
  | false, false, _, _ => rfl
  | true, false, f, _ => (f rfl).symm
  | false, true, _, g => g rfl

/-! ### propositions -/
/-- Each of two propositions implies the other. -/
structure Iff (a b : Prop) : Prop where
  mp : a → b
  mpr : b → a
/-- There are two things in the given relation. -/
abbrev Exists2 {α β : Type} (p : α → β → Prop) : Prop := Exists fun a => Exists fun b => p a b
theorem congr_arg2 {α β γ : Type} (f : α → β → γ) {a a' : α} {b b' : β} (h : Eq a a') (h' : Eq b b') : Eq (f a b) (f a' b') :=
  h ▸ h' ▸ rfl

/-! ### options -/
/-- Go on with what there is, if there is something. -/
def Option.bind {α β : Type} (f : α → Option β) : Option α → Option β
  | none => none
  | some a => f a
/-- The second argument when the test holds, else nothing. -/
def guard {α : Type} (b : Bool) (a : Option α) : Option α := cond b a none
theorem guard_true {α : Type} {b : Bool} (h : Eq b true) (a : Option α) : Eq (guard b a) a := h ▸ rfl
theorem guard_beq {α : Type} (n : Nat) (a : Option α) : Eq (guard (Nat.beq n n) a) a := guard_true (Nat.beq_refl n) a
theorem guard_some {α : Type} {b : Bool} {x : Option α} {a : α} (h : Eq (guard b x) (some a)) : And (Eq b true) (Eq x (some a)) :=
  match b, h with
  | true, h => ⟨rfl, h⟩
theorem guard_eq {α : Type} {a b : Nat} {x : Option α} {y : α} (h : Eq (guard (Nat.beq a b) x) (some y)) : And (Eq a b) (Eq x (some y)) :=
  match guard_some h with
  | ⟨p, q⟩ => ⟨Nat.eq_of_beq_eq_true p, q⟩
theorem bind_some {α β : Type} {f : α → Option β} {b : β} : (x : Option α) → Eq (Option.bind f x) (some b) →
    Exists fun a => And (Eq x (some a)) (Eq (f a) (some b))
  | some a, h => ⟨a, rfl, h⟩

/-! ### lists -/
/-- The number of elements. -/
def length {α : Type} : List α → Nat
  | .nil => 0
  | .cons _ l => Nat.succ (length l)
theorem cons_inj {α : Type} {a b : α} {l k : List α} (h : Eq (List.cons a l) (List.cons b k)) : And (Eq a b) (Eq l k) := match h with
  | rfl => ⟨rfl, rfl⟩
theorem append_nil {α : Type} : (l : List α) → Eq (List.append l .nil) l
  | .nil => rfl
  | .cons x l => congrArg (List.cons x) (append_nil l)
theorem append_assoc {α : Type} : (a b c : List α) → Eq (List.append (List.append a b) c) (List.append a (List.append b c))
  | .nil, _, _ => rfl
  | .cons x a, b, c => congrArg (List.cons x) (append_assoc a b c)
/-- Insert an element after the first `n`; nothing when there are fewer. -/
def insertAt {α : Type} (x : α) : Nat → List α → Option (List α)
  | .zero, l => some (.cons x l)
  | .succ _, .nil => none
  | .succ n, .cons y l => Option.bind (fun l' => some (List.cons y l')) (insertAt x n l)
theorem insert_at_length {α : Type} (x : α) : (a b : List α) → Eq (insertAt x (length a) (List.append a b))
    (some (List.append a (.cons x b)))
  | .nil, _ => rfl
  | .cons y a, b => congrArg (Option.bind (fun l' => some (List.cons y l'))) (insert_at_length x a b)
/-- Are there at least `n` elements? -/
def atLeast {α : Type} : Nat → List α → Bool
  | .zero, _ => true
  | .succ _, .nil => false
  | .succ n, .cons _ l => atLeast n l
theorem at_least_length {α : Type} : (a b : List α) → Eq (atLeast (length a) (List.append a b)) true
  | .nil, .nil => rfl
  | .nil, .cons _ _ => rfl
  | .cons _ a, b => at_least_length a b
/-- The test holds of every element. -/
def all {α : Type} (p : α → Bool) : List α → Bool
  | .nil => true
  | .cons a l => and (p a) (all p l)
/-- The test holds of some element. -/
def any {α : Type} (f : α → Bool) : List α → Bool
  | .nil => false
  | .cons a l => or (f a) (any f l)
/-- The image of a list. -/
def map {α β : Type} (f : α → β) : List α → List β
  | .nil => .nil
  | .cons a l => .cons (f a) (map f l)
/-- The elements that satisfy a test. -/
def filter {α : Type} (f : α → Bool) : List α → List α
  | .nil => .nil
  | .cons a l => cond (f a) (.cons a (filter f l)) (filter f l)
/-- Membership in a list. -/
inductive Mem {α : Type} (a : α) : List α → Prop where
  | head {l} : Mem a (.cons a l)
  | tail {b l} : Mem a l → Mem a (.cons b l)
theorem mem_left {α : Type} {a : α} {l k : List α} : Mem a l → Mem a (List.append l k)
  | .head => .head
  | .tail h => .tail (mem_left h)
theorem mem_right {α : Type} {a : α} {k : List α} : (l : List α) → Mem a k → Mem a (List.append l k)
  | .nil, h => h
  | .cons _ l, h => .tail (mem_right l h)
theorem mem_map {α β : Type} (f : α → β) {a : α} {l : List α} : Mem a l → Mem (f a) (map f l)
  | .head => .head
  | .tail h => .tail (mem_map f h)
theorem any_of_mem {α : Type} {f : α → Bool} {a : α} (h : Eq (f a) true) : {l : List α} → Mem a l → Eq (any f l) true
  | _, .head => or_left h
  | _, .tail m => or_right (any_of_mem h m)
theorem any_witness {α : Type} {f : α → Bool} : {l : List α} → Eq (any f l) true → Exists fun a => Eq (f a) true
  | .nil, h => nomatch h
  | .cons a _, h => match or_cases h with
    | .inl h => ⟨a, h⟩
    | .inr h => any_witness h

/-! ### natural numbers -/
/-- Stated, because the elaborator cannot compare `succ (succ a)` with `succ a` here. -/
theorem ble_succ (a b : Nat) : Eq (Nat.ble (Nat.succ a) (Nat.succ b)) (Nat.ble a b) := rfl
theorem beq_succ (a b : Nat) : Eq (Nat.beq (Nat.succ a) (Nat.succ b)) (Nat.beq a b) := rfl
theorem add_zero_left : (n : Nat) → Eq (Nat.add 0 n) n
  | .zero => rfl
  | .succ n => congrArg Nat.succ (add_zero_left n)
theorem add_succ_left (a : Nat) : (b : Nat) → Eq (Nat.add (Nat.succ a) b) (Nat.succ (Nat.add a b))
  | .zero => rfl
  | .succ b => congrArg Nat.succ (add_succ_left a b)
theorem add_comm (a : Nat) : (b : Nat) → Eq (Nat.add a b) (Nat.add b a)
  | .zero => (add_zero_left a).symm
  | .succ b => Eq.trans (congrArg Nat.succ (add_comm a b)) (add_succ_left b a).symm
theorem add_assoc (a b : Nat) : (c : Nat) → Eq (Nat.add (Nat.add a b) c) (Nat.add a (Nat.add b c))
  | .zero => rfl
  | .succ c => congrArg Nat.succ (add_assoc a b c)
theorem add_swap (a b c : Nat) : Eq (Nat.add a (Nat.add b c)) (Nat.add b (Nat.add a c)) :=
  Eq.trans (add_assoc a b c).symm (Eq.trans (congrArg (fun x => Nat.add x c) (add_comm a b)) (add_assoc b a c))
theorem ne_add : (a b : Nat) → Not (Eq a (.succ (Nat.add a b)))
  | .zero, _, h => nomatch h
  | .succ a, b, h => ne_add a b (Eq.trans (congrArg Nat.pred h) (add_succ_left a b))
end Eclogue
