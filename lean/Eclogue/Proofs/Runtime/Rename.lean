prelude
import Eclogue.Runtime.Rename
import Eclogue.Proofs.Runtime.View
/-! The system call refines the flat rename, or answers EXDEV. -/
namespace Eclogue.Files

theorem call_cond {S : Stack}  {x : Prod Stack (Option ErrorCode)} {y : Prod FileTree (Option ErrorCode)} (h : Agree x y) : (b : Bool) →
    Or (Eq (cond b (⟨S, some .exdev⟩ : Prod Stack (Option ErrorCode)) x) ⟨S, some .exdev⟩) (Agree (cond b ⟨S, some .exdev⟩ x) y)
  | true => .inl rfl
  | false => .inr h
theorem call_refines {S : Stack} {T : FileTree} {s : Path} (h : Same S.view T) : (k : Plan) →
    Or (Eq (callExec S s k) ⟨S, some .exdev⟩) (Agree (callExec S s k) (T.execute k))
  | .fail e => .inr (refines_exec h (.fail e))
  | .act .skip => .inr (refines_exec h (.act .skip))
  | .act (.stamp p x) => .inr (refines_exec h (.act (.stamp p x)))
  | .act (.relabel p m) => .inr (refines_exec h (.act (.relabel p m)))
  | .act (.move s' d) => call_cond (refines_exec h (.act (.move s' d))) _
/-- **the system call refines the flat rename, or answers `EXDEV` and changes nothing**. -/
theorem rename_call_refines {S : Stack} {T : FileTree} (h : Same S.view T) (s d : Path) :
    Or (Eq (renameCall S s d) ⟨S, some .exdev⟩) (Agree (renameCall S s d) (T.run (.rename s d))) :=
  show Or (Eq (callExec S s (decide S.view (.rename s d))) _) (Agree (callExec S s (decide S.view (.rename s d)))
      (T.execute (decide T (.rename s d)))) from
    decide_congr h (.rename s d) ▸ call_refines h (decide S.view (.rename s d))
end Eclogue.Files
