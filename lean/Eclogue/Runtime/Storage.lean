prelude
import Eclogue.Runtime.Merge
/-!
# Layers that can be stored

A directory's listing is filtered for whiteouts only where layers merge: a whiteout elsewhere shows up as a name that cannot
be found. So a stored layer has whiteouts only where a lower layer shows something and nothing hides it already.
-/
namespace Eclogue.Files

/-! ### tidying: a layer with the same view that can be stored

A directory's listing is filtered for whiteouts only where layers merge: a whiteout elsewhere shows up as a name that cannot
be found. So a stored layer has whiteouts only where a lower layer shows something and nothing hides it already. -/
/-- Whiteouts stand where the tree below shows something, and under no hider. -/
def Needed (U : Layer) (L : FileTree) : Prop := (q : Path) → Eq (U.get q) (some .gone) → And (Eq (hides U.get q) false)
    (Eq (isPresent (L.get q)) true)
/-- Can the layer be stored, over this tree? -/
def Storable (U : Layer) (L : FileTree) : Prop := And (Closed U) (Needed U L)
/-- An entry without its whiteout, if the flag says that it is not needed. -/
def dropGone : Bool → Option Entry → Option Entry
  | true, some .gone => none
  | true, some (.solid n) => some (.solid n)
  | true, some (.merged m) => some (.merged m)
  | true, none => none
  | false, u => u
theorem drop_cov {q : Path} {l : List Path} : (h : Bool) → (u : Option Entry) → Or (Eq u none) (Mem q l) → Or
    (Eq (dropGone h u) none) (Mem q l)
  | true, some .gone, _ => .inl rfl
  | true, some (.solid _), .inr m => .inr m
  | true, some (.merged _), .inr m => .inr m
  | true, none, _ => .inl rfl
  | false, _, h => h
/-- Without the whiteouts that are not needed over `L`. -/
def trim (L : FileTree) (U : Layer) : Layer where
  get q := dropGone (or (hides U.get q) (not (isPresent (L.get q)))) (U.get q)
  paths := U.paths
  covered q := drop_cov _ _ (U.covered q)
/-- Does the layer have anything strictly below? -/
def busy (U : Layer) (q : Path) : Bool := any (fun r => and (above q r) (isPresent (U.get r))) U.paths
theorem fill_cov {U : Layer} {V : FileTree} {q : Path} {a : Bool} : (u : Option Entry) → Or (Eq u none) (Mem q U.paths) → Or
    (Eq (V.get q) none) (Mem q V.paths) →
    Or (Eq (copyUp a (V.get q) u) none) (Mem q (List.append U.paths V.paths))
  | some _, .inr m, _ => .inr (mem_left m)
  | none, _, .inr m => .inr (mem_right _ m)
  | none, _, .inl e => match a with
    | false => .inl rfl
    | true => .inl (show Eq (copyDir (V.get q)) none from e ▸ rfl)
/-- With the ancestors of all that it has copied up. -/
def fill (V : FileTree) (U : Layer) : Layer where
  get q := copyUp (busy U q) (V.get q) (U.get q)
  paths := List.append U.paths V.paths
  covered q := fill_cov _ (U.covered q) (V.covered q)
/-- The layer to write to disk for a merged tree. -/
def tidy (L M : FileTree) : Layer := fill M (trim L (lift L M))
end Eclogue.Files
