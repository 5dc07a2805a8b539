prelude
import Eclogue.Runtime.WellFormed
/-!
# Squashing and freezing layers
-/
namespace Eclogue.Files

/-- The path lies neither at nor below what an operation names. -/
def Outside (q : Path) : Operation → Prop
  | .write p _ _ => Eq (strip p q) none
  | .mkdir p _ => Eq (strip p q) none
  | .symlink p _ => Eq (strip p q) none
  | .unlink p => Eq (strip p q) none
  | .rmdir p => Eq (strip p q) none
  | .rmtree p => Eq (strip p q) none
  | .chmod p _ => Eq (strip p q) none
  | .rename s d => And (Eq (strip s q) none) (Eq (strip d q) none)

/-- The entry of two layers in one: the upper entry, hidden by the upper layer?, the lower entry. -/
def squashAt : Option Entry → Bool → Option Entry → Option Entry
  | none, true, _ => none
  | none, false, l => l
  | some .gone, _, _ => some .gone
  | some (.solid n), _, _ => some (.solid n)
  | some (.merged m), _, l => some (cond (hider l) (.solid (.dir m)) (.merged m))
theorem squash_cov {h : Bool} {q : Path} {l k : List Path} : (u : Option Entry) → {v : Option Entry} → Or (Eq u none) (Mem q l) →
    Or (Eq v none) (Mem q k) → Or (Eq (squashAt u h v) none) (Mem q (List.append l k))
  | some _, _, .inr m, _ => .inr (mem_left m)
  | none, _, _, .inr m => .inr (mem_right _ m)
  | none, _, _, .inl e => match h with
    | true => .inl rfl
    | false => .inl e
/-- Two layers in one. A directory that merges with a whiteout or a file below becomes opaque. -/
def squash (U L : Layer) : Layer where
  get q := squashAt (U.get q) (hides U.get q) (L.get q)
  paths := List.append U.paths L.paths
  covered q := squash_cov _ (U.covered q) (L.covered q)
/-- The frozen layers of a stack whose top is frozen too. -/
def Stack.freeze (S : Stack) : List Layer := .cons S.top S.low
/-- A new empty top over frozen layers. -/
def Stack.fresh (Ls : List Layer) : Stack := ⟨PathMap.empty, Ls⟩
end Eclogue.Files
