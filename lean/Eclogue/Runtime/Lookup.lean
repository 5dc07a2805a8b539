prelude
import Eclogue.Runtime.Layers
/-!
# The look-up of an overlay

The look-up that an overlay really does. It walks from the root, name by name, and keeps the list of the layers that still
contribute; what lies below a whiteout, an opaque directory or a file drops out.
-/
namespace Eclogue.Files

/-- An entry that may have children. -/
def mayHaveChildren : Option Entry → Prop
  | none => False
  | some .gone => False
  | some (.solid (.dir _)) => True
  | some (.solid (.file _ _)) => False
  | some (.solid (.link _)) => False
  | some (.merged _) => True
/-- A layer as an overlay can store it: whatever it has lies in a directory that it has too. -/
def Closed (U : Layer) : Prop := (p : Path) → (n : Nat) → Or (Eq (U.get (.sub p n)) none) (mayHaveChildren (U.get p))
/-- All layers can be stored. -/
def AllClosed : List Layer → Prop
  | .nil => True
  | .cons U Us => And (Closed U) (AllClosed Us)

/-- One layer of a look-up that is merging directories: its entry, itself, the rest's contribution. -/
def mergeOne (U : Layer) (rest : List Layer) : Option Entry → List Layer
  | none => rest
  | some .gone => .nil
  | some (.solid (.dir _)) => .cons U .nil
  | some (.solid (.file _ _)) => .nil
  | some (.solid (.link _)) => .nil
  | some (.merged _) => .cons U rest
/-- The layers that go on contributing to a directory found above. -/
def merging (q : Path) : List Layer → List Layer
  | .nil => .nil
  | .cons U Us => mergeOne U (merging q Us) (U.get q)
/-- One layer of a look-up that has found nothing yet. -/
def findOne (U : Layer) (rest dirs : List Layer) : Option Entry → List Layer
  | none => rest
  | some .gone => .nil
  | some (.solid _) => .cons U .nil
  | some (.merged _) => .cons U dirs
/-- The layers that contribute to a path, of those that contribute to its directory. -/
def scan (q : Path) : List Layer → List Layer
  | .nil => .nil
  | .cons U Us => findOne U (scan q Us) (merging q Us) (U.get q)
/-- The layers that contribute to the directory of a path. -/
def before (Us : List Layer) : Path → List Layer
  | .root => Us
  | .sub p _ => scan p (before Us p)
/-- What an entry shows at its own path. -/
def entryShows : Option Entry → Option Node
  | none => none
  | some e => content e
/-- What the topmost of the contributing layers shows. -/
def shown (q : Path) : List Layer → Option Node
  | .nil => none
  | .cons U _ => entryShows (U.get q)
/-- The overlay's look-up. -/
def overlayLookup (Us : List Layer) (q : Path) : Option Node := shown q (scan q (before Us q))
end Eclogue.Files
