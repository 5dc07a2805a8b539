prelude
import Eclogue.Runtime.Files
/-!
# Refinement

What it means that a stack of layers behaves as the flat file system.
-/
namespace Eclogue.Files

/-- The answers agree, and the views agree afterwards. -/
def Agree (a : Prod Stack (Option ErrorCode)) (b : Prod FileTree (Option ErrorCode)) : Prop := And (Eq a.2 b.2) (Same a.1.view b.1)
/-- Run operations one after the other and collect the answers, the last first. -/
def Stack.runs (S : Stack) (log : List (Option ErrorCode)) : List Operation → Prod Stack (List (Option ErrorCode))
  | .nil => ⟨S, log⟩
  | .cons o os => (S.run o).1.runs (.cons (S.run o).2 log) os
/-- The same on a tree. -/
def FileTree.runs (T : FileTree) (log : List (Option ErrorCode)) : List Operation → Prod FileTree (List (Option ErrorCode))
  | .nil => ⟨T, log⟩
  | .cons o os => FileTree.runs (T.run o).1 (.cons (T.run o).2 log) os
end Eclogue.Files
