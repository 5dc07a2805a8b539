prelude
import Eclogue.Runtime.Refinement
/-!
# Well-formed trees
-/
namespace Eclogue.Files

/-- Is there a directory? -/
def isDirectory : Option Node → Bool
  | some (.dir _) => true
  | some (.file _ _) => false
  | some (.link _) => false
  | none => false
/-- A tree: the root is a directory, and the parent of all that exists is one. -/
def WellFormed (T : FileTree) : Prop :=
  And (Eq (isDirectory (T.get .root)) true) ((p : Path) → (n : Nat) → Or (Eq (T.get (.sub p n)) none) (Eq (isDirectory (T.get p)) true))
end Eclogue.Files
