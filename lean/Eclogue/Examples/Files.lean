prelude
import Eclogue.Proofs.Runtime.Scope
import Eclogue.Proofs.Runtime.Rename
/-! Examples of layers and scopes, closed by evaluation; among them laws that one might expect and that are false. -/
namespace Eclogue.Files.Examples

/-- `/d`. -/
def d : Path := .sub .root 1
/-- `/d/x`, `/d/y`. -/
def x : Path := .sub d 10
/-- `/d/y`. -/
def y : Path := .sub d 11
/-- A layer with the root directory only. -/
def rootLayer : Layer where
  get
    | .root => some (.solid (.dir 5))
    | .sub _ _ => none
  paths := .cons .root .nil
  covered
    | .root => .inr .head
    | .sub _ _ => .inl rfl
theorem root_closed : Closed rootLayer := fun _ _ => .inl rfl
theorem root_wf : WellFormed (view (.cons rootLayer .nil)) := ⟨rfl, fun _ _ => .inl (keep_none _)⟩
/-- The assumptions of the refinement can be met: a first scope over an empty root, as an overlay and as a flat tree. -/
def world : World := set 0 (some ⟨.fresh (.cons rootLayer .nil), .cons rootLayer .nil, none⟩) (fun _ => none)
/-- The same world of copied trees. -/
def fworld : FlatWorld := set 0 (some ⟨view (.cons rootLayer .nil), view (.cons rootLayer .nil), none⟩) (fun _ => none)
theorem world_rel : Related world fworld := rel_set 0 (.some (start_rel root_closed root_wf)) (fun _ => .none)
/-- So, for any commands at all, the overlay's look-up finds what the flat model has. -/
theorem world_lookup (cs : List Command) (k : Nat) (q : Path) :
    Eq (look q ((runs world .nil cs).1 k)) (flatLook q ((flatRuns fworld .nil cs).1 k)) := lookup_sim world_rel cs k q
/-- The base: `/d` with mode 5, `/d/x`. -/
def base : Layer := (Stack.runs ⟨rootLayer, .nil⟩ .nil (.cons (.mkdir d 5) (.cons (.write x 100 6) .nil))).1.top
/-- A scope that was just forked. -/
def start : Stack := .fresh (.cons base .nil)
/-- Run operations in the scope. -/
def run (os : List Operation) : Stack := (start.runs .nil os).1
/-- The fork point. -/
def B : FileTree := start.view

/-! `rm -r d; mkdir d; touch d/y`: only `d/y` is there, because the new `d` is opaque. -/
def again : Stack := run (.cons (.rmtree d) (.cons (.mkdir d 7) (.cons (.write y 1 6) .nil)))
example : Eq (again.view.get x) none := rfl
example : Eq (again.view.get y) (some (.file 1 6)) := rfl
example : Eq (again.top.get d) (some (.solid (.dir 7))) := rfl
/-- Opaque directories become merged ones: a copy of an upper without its extended attributes. -/
def forget : Option Entry → Option Entry
  | some (.solid (.dir m)) => some (.merged m)
  | e => e
/-! FALSE LAW 1: an upper can be copied without its attributes. The old file is back: -/
example : Eq (showAt (forget (again.top.get x)) (hides (fun q => forget (again.top.get q)) x) ((view again.low).get x))
    (some (.file 100 6)) := rfl

/-! FALSE LAW 2: to merge a child, lay its top layer over the parent. The child wrote `d/y`, and so copied `d` up; the
parent changed the mode of `d` meanwhile. Stacking loses that change, the three-way merge does not. -/
def writer : Stack := run (.cons (.write y 1 6) .nil)
/-- The parent changed the mode of `d`. -/
def chmodder : Stack := run (.cons (.chmod d 7) .nil)
example : Eq ((over writer.top chmodder.view).get d) (some (.dir 5)) := rfl
example : Eq ((merge3 B chmodder.view writer.view).get d) (some (.dir 7)) := rfl
example : Eq (conflicted B chmodder.view writer.view) false := rfl

/-! FALSE LAW 3: deltas that have no path in common merge, in either order, to the same. One child removes `d`, the other
writes `d/y`. Laid over each other, the order matters; merged path by path, `d/y` would be an orphan: a conflict. -/
def remover : Stack := run (.cons (.rmtree d) .nil)
example : Eq ((over remover.top (over writer.top B)).get y) none := rfl
example : Eq ((over writer.top (over remover.top B)).get y) (some (.file 1 6)) := rfl
example : Eq (conflict B remover.view writer.view y) true := rfl
example : Eq (clash (B.get y) (remover.view.get y) (writer.view.get y)) false := rfl

/-! FALSE LAW 4: squashing is "the upper entry wins". The kernel may make a directory merged, not opaque, where a whiteout of a
frozen layer left nothing to hide. Over the whiteout it shows no file; if the whiteout were dropped, the file would be back. -/
def fresh : Layer := Layer.relabel d 7 B PathMap.empty
example : Eq (fresh.get d) (some (.merged 7)) := rfl
example : Eq ((over fresh (over remover.top B)).get x) none := rfl
example : Eq ((over fresh B).get x) (some (.file 100 6)) := rfl
example : Eq ((squash fresh remover.top).get d) (some (.solid (.dir 7))) := rfl
example : Eq ((over (squash fresh remover.top) B).get x) none := rfl

/-! FALSE LAW 5: the system call `rename` does what the flat model does. For a directory from below it is refused: -/
example : Eq (renameCall start d (.sub .root 2)).2 (some .exdev) := rfl
example : Eq (start.run (.rename d (.sub .root 2))).2 none := rfl
example : Eq ((start.run (.rename d (.sub .root 2))).1.view.get (.sub (.sub .root 2) 10)) (some (.file 100 6)) := rfl
example : Eq ((start.run (.rename d (.sub .root 2))).1.view.get x) none := rfl
/-! A directory that only the top layer has can be renamed: -/
example : Eq (renameCall again d (.sub .root 2)).2 none := rfl

/-! Scopes: two children of scope 0; the first removes `d`, the second writes `d/y`; whichever comes second is in conflict. -/
def story : List Command := .cons (.op 0 (.mkdir d 5)) (.cons (.fork 0 1)
    (.cons (.fork 0 2) (.cons (.op 1 (.rmtree d)) (.cons (.op 2 (.write y 1 6))
  (.cons (.merge 0 1) (.cons (.merge 0 2) .nil))))))
example : Eq (runs world .nil story).2 (.cons .conflict (.cons .done
    (.cons .done (.cons .done (.cons .done (.cons .done (.cons .done .nil))))))) := rfl
end Eclogue.Files.Examples
