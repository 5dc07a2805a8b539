prelude
import Eclogue.Runtime.Layers
/-!
# The system call `rename`

An overlay without redirects refuses it (`EXDEV`) for a directory that lower layers have a part in; `mv` then copies.
`Operation.rename` is what `mv` does.
-/
namespace Eclogue.Files

/-- Have lower layers a part in this directory? -/
def crosses (S : Stack) (s : Path) : Bool :=
  and (isDirectory ((view S.low).get s)) (and (not (hides S.top.get s)) (not (hider (S.top.get s))))
/-- The call's answer, when the plan is known. -/
def callExec (S : Stack) (s : Path) (k : Plan) : Prod Stack (Option ErrorCode) :=
  match k with
  | .act (.move s' d) => cond (and (isDirectory (S.view.get s)) (crosses S s)) ⟨S, some .exdev⟩ (S.execute (.act (.move s' d)))
  | k => S.execute k
/-- The system call. -/
def renameCall (S : Stack) (s d : Path) : Prod Stack (Option ErrorCode) := callExec S s (decide S.view (.rename s d))
end Eclogue.Files
