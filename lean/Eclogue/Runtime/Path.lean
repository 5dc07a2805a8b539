prelude
import Eclogue.Base
/-!
# Paths

Paths, and finite maps from paths. A path grows at its end: `sub p n` is the child `n` of `p`. Recursion over a path is
therefore recursion over its ancestors, which is what every law about hiding needs.
-/
namespace Eclogue.Files

/-- A path from the root; names are numbers (interned). -/
inductive Path where
  | root
  | sub (dir : Path) (name : Nat)

/-- Equality test on paths. -/
def Path.beq : Path → Path → Bool
  | .root, .root => true
  | .sub p n, .sub q m => and (Nat.beq n m) (Path.beq p q)
  | .root, .sub _ _ => false
  | .sub _ _, .root => false
theorem Path.eq_of_beq : {p q : Path} → Eq (Path.beq p q) true → Eq p q
  | .root, .root, _ => rfl
  | .sub _ _, .sub _ _, h => match and_true h with
    | ⟨a, b⟩ => congr_arg2 Path.sub (eq_of_beq b) (Nat.eq_of_beq_eq_true a)
  | .root, .sub _ _, h => nomatch h
  | .sub _ _, .root, h => nomatch h
theorem Path.beq_refl : (p : Path) → Eq (Path.beq p p) true
  | .root => rfl
  | .sub p n => and_intro (Nat.beq_refl n) (beq_refl p)

/-- `join p r`: the path `r`, taken relative to `p`. -/
def join (p : Path) : Path → Path
  | .root => p
  | .sub r n => .sub (join p r) n
/-- Put a name behind a relative path, if there is one. -/
def extendPath (n : Nat) : Option Path → Option Path
  | none => none
  | some r => some (.sub r n)
/-- `strip p q`: where `q` lies as seen from `p`: `none` outside, `some root` at `p`, `some (sub _ _)` strictly below. -/
def strip (p : Path) : Path → Option Path
  | .root => cond (Path.beq p .root) (some .root) none
  | .sub q n => cond (Path.beq p (.sub q n)) (some .root) (extendPath n (strip p q))
/-- Is `q` a proper ancestor of the path? -/
def above (q : Path) : Path → Bool
  | .root => false
  | .sub p _ => or (Path.beq q p) (above q p)
/-- The proper ancestors. -/
def ancestors : Path → List Path
  | .root => .nil
  | .sub p _ => .cons p (ancestors p)

theorem strip_off_aux {n : Nat} : (b : Bool) → (x : Option Path) → Eq (cond b (some .root) (extendPath n x)) none → Eq x none
  | false, none, _ => rfl
  | true, _, h => nomatch h
  | false, some _, h => nomatch h
/-- Outside for a child: outside for its parent. -/
theorem strip_off {p q : Path} {n : Nat} (h : Eq (strip p (.sub q n)) none) : Eq (strip p q) none := strip_off_aux _ _ h
theorem strip_under_aux {n m : Nat} {r : Path} : (b : Bool) → (x : Option Path) →
    Eq (cond b (some .root) (extendPath n x)) (some (.sub r m)) → Eq x (some r)
  | false, some _, rfl => rfl
  | true, _, h => nomatch h
  | false, none, h => nomatch h
/-- Strictly below for a child: at or below for its parent. -/
theorem strip_under {p q r : Path} {n m : Nat} (h : Eq (strip p (.sub q n)) (some (.sub r m))) : Eq (strip p q) (some r) :=
  strip_under_aux _ _ h
theorem strip_root_aux' {r : Path} {m : Nat} : (b : Bool) → Eq (cond b (some Path.root) none) (some (.sub r m)) → False
  | true, h => nomatch h
  | false, h => nomatch h
/-- The root is strictly below nothing. -/
theorem strip_root {p r : Path} {m : Nat} (h : Eq (strip p .root) (some (.sub r m))) : False := strip_root_aux' _ h
theorem strip_sub_aux {p q : Path} {n : Nat} : (b : Bool) → Eq (Path.beq p (.sub q n)) b → (x : Option Path) → {r : Path} →
    ({s : Path} → Eq x (some s) → Eq q (join p s)) → Eq (cond b (some .root) (extendPath n x)) (some r) → Eq (.sub q n) (join p r)
  | true, hb, _, _, _, rfl => (Path.eq_of_beq hb).symm
  | false, _, some _, _, ih, rfl => congrArg (fun d => Path.sub d n) (ih rfl)
  | false, _, none, _, _, h => nomatch h
theorem strip_root_aux {p : Path} : (b : Bool) → Eq (Path.beq p .root) b → {r : Path} →
    Eq (cond b (some Path.root) none) (some r) → Eq .root (join p r)
  | true, hb, _, rfl => (Path.eq_of_beq hb).symm
  | false, _, _, h => nomatch h
/-- `strip` inverts `join`. -/
theorem strip_eq {p : Path} : (q : Path) → {r : Path} → Eq (strip p q) (some r) → Eq q (join p r)
  | .root, _, h => strip_root_aux _ rfl h
  | .sub q _, _, h => strip_sub_aux _ rfl _ (strip_eq q) h

/-- Number of names in a path. -/
def depth : Path → Nat
  | .root => 0
  | .sub p _ => .succ (depth p)
theorem depth_join (p : Path) : (r : Path) → Eq (depth (join p r)) (Nat.add (depth p) (depth r))
  | .root => rfl
  | .sub r _ => congrArg Nat.succ (depth_join p r)
theorem join_ne {p r : Path} {n : Nat} (h : Eq p (.sub (join p r) n)) : False :=
  ne_add (depth p) (depth r) (Eq.trans (congrArg depth h) (congrArg Nat.succ (depth_join p r)))
theorem strip_self_aux {x : Option Path} : (b : Bool) → Eq b true → Eq (cond b (some Path.root) x) (some .root)
  | _, rfl => rfl
theorem strip_self : (p : Path) → Eq (strip p p) (some .root)
  | .root => rfl
  | .sub p n => strip_self_aux _ (Path.beq_refl (.sub p n))
theorem strip_join_aux {p r : Path} {n : Nat} : (b : Bool) → Eq (Path.beq p (.sub (join p r) n)) b → (x : Option Path) →
    Eq x (some r) → Eq (cond b (some .root) (extendPath n x)) (some (.sub r n))
  | true, hb, _, _ => (join_ne (Path.eq_of_beq hb)).elim
  | false, _, _, rfl => rfl
/-- `join` inverts `strip`. -/
theorem strip_join (p : Path) : (r : Path) → Eq (strip p (join p r)) (some r)
  | .root => strip_self p
  | .sub r _ => strip_join_aux _ rfl _ (strip_join p r)
theorem mem_ancestors_aux {q p : Path} {n : Nat} (ih : Eq (above q p) true → Mem q (ancestors p)) :
    Or (Eq (Path.beq q p) true) (Eq (above q p) true) → Mem q (ancestors (.sub p n))
  | .inl h => Path.eq_of_beq h ▸ .head
  | .inr h => .tail (ih h)
/-- `ancestors` lists what `above` tests. -/
theorem mem_ancestors {q : Path} : (p : Path) → Eq (above q p) true → Mem q (ancestors p)
  | .root, h => nomatch h
  | .sub p _, h => mem_ancestors_aux (mem_ancestors p) (or_cases h)

/-- A finite map: a look-up function, a list of paths, and the promise that the function is `none` outside the list.
Maps are compared point by point (`Same`), never with `Eq`: so no function extensionality is needed. -/
structure PathMap (α : Type) where
  get : Path → Option α
  paths : List Path
  covered : (p : Path) → Or (Eq (get p) none) (Mem p paths)
/-- The empty map. -/
def PathMap.empty {α : Type} : PathMap α := ⟨fun _ => none, .nil, fun _ => .inl rfl⟩
/-- Equality of maps, point by point. -/
def Same {α : Type} (f g : PathMap α) : Prop := (p : Path) → Eq (f.get p) (g.get p)
theorem Same.refl {α : Type} (f : PathMap α) : Same f f := fun _ => rfl
theorem Same.symm {α : Type} {f g : PathMap α} (h : Same f g) : Same g f := fun p => (h p).symm
theorem Same.trans {α : Type} {f g k : PathMap α} (h : Same f g) (h' : Same g k) : Same f k := fun p => (h p).trans (h' p)
end Eclogue.Files
