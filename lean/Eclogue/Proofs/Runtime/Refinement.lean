prelude
import Eclogue.Runtime.Refinement
import Eclogue.Proofs.Runtime.Laws
/-! A stack of layers behaves as the flat file system, errors included. -/
namespace Eclogue.Files

/-! ### what is decided depends on the view only, point by point -/
theorem walk_congr {f g : Path → Option Node} (h : (p : Path) → Eq (f p) (g p)) : (p : Path) → Eq (walk f p) (walk g p)
  | .root => rfl
  | .sub p _ => congr_arg2 firstError (walk_congr h p) (congrArg directoryError (h p))
theorem is_present_mem {T : FileTree} {q : Path} : Or (Eq (T.get q) none) (Mem q T.paths) → Eq (isPresent (T.get q)) true → Mem q T.paths
  | .inr m, _ => m
  | .inl h, e => nomatch Eq.trans e.symm (congrArg isPresent h)
theorem has_child_mono {T R : FileTree} (h : Same T R) (p : Path) (e : Eq (hasChild T p) true) : Eq (hasChild R p) true :=
  match any_witness e with
  | ⟨q, hq⟩ => match and_true hq with
    | ⟨c, s⟩ =>
      have s' : Eq (isPresent (R.get q)) true := h q ▸ s
      any_of_mem (f := fun q => and (childOf p q) (isPresent (R.get q))) (and_intro c s') (is_present_mem (R.covered q) s')
theorem has_child_congr {T R : FileTree} (h : Same T R) (p : Path) : Eq (hasChild T p) (hasChild R p) :=
  bool_ext (has_child_mono h p) (has_child_mono h.symm p)
/-- Equal views, equal plans. -/
theorem decide_congr {T R : FileTree} (h : Same T R) : (o : Operation) → Eq (decide T o) (decide R o)
  | .write p c m => congr_arg2 unlessError (walk_congr h p) (congrArg (writePlan p c m) (h p))
  | .mkdir p m => congr_arg2 unlessError (walk_congr h p) (congrArg (createPlan p (.dir m)) (h p))
  | .symlink p t => congr_arg2 unlessError (walk_congr h p) (congrArg (createPlan p (.link t)) (h p))
  | .unlink p => congr_arg2 unlessError (walk_congr h p) (congrArg (unlinkPlan p) (h p))
  | .rmdir p => congrArg (notTheRoot p) (congr_arg2 unlessError (walk_congr h p) (congr_arg2 (rmdirPlan p) (has_child_congr h p) (h p)))
  | .rmtree p => congrArg (notTheRoot p) (congr_arg2 unlessError (walk_congr h p) (congrArg (rmtreePlan p) (h p)))
  | .chmod p m => congr_arg2 unlessError (walk_congr h p) (congrArg (chmodPlan p m) (h p))
  | .rename s d =>
    show Eq (notTheRoot s (notTheRoot d (unlessError (walk T.get s) (unlessError (walk T.get d) (unlessError (sourceError (T.get s))
        (renamePlan s d (hasChild T d) (T.get s) (T.get d) (strip s d) (strip d s)))))))
      (notTheRoot s (notTheRoot d (unlessError (walk R.get s) (unlessError (walk R.get d) (unlessError (sourceError (R.get s))
        (renamePlan s d (hasChild R d) (R.get s) (R.get d) (strip s d) (strip d s))))))) from
      walk_congr h s ▸ walk_congr h d ▸ has_child_congr h d ▸ h s ▸ h d ▸ rfl

/-! ### the flat changes respect equality of views -/
theorem stamp_congr {T R : FileTree} (h : Same T R) (p : Path) (x : Option Node) : Same (T.stamp p x) (R.stamp p x) :=
  fun q => congrArg (fun old => stampAt x old (strip p q)) (h q)
theorem relabel_congr {T R : FileTree} (h : Same T R) (p : Path) (m : Nat) : Same (T.relabel p m) (R.relabel p m) :=
  fun q => congrArg (fun old : Option Node => (cond (Path.beq p q) (some (.dir m)) old : Option Node)) (h q)
theorem move_at_congr {T R : FileTree} (h : Same T R) {s q : Path} : (r r' : Option Path) →
    Eq (moveAt T s (T.get q) r r') (moveAt R s (R.get q) r r')
  | some r, _ => h (join s r)
  | none, some _ => rfl
  | none, none => h q
theorem move_congr {T R : FileTree} (h : Same T R) (s d : Path) : Same (T.move s d) (R.move s d) := fun _ => move_at_congr h _ _
theorem flat_congr {T R : FileTree} (h : Same T R) : (a : Change) → Same (a.onTree T) (a.onTree R)
  | .skip => h
  | .stamp p x => stamp_congr h p x
  | .relabel p m => relabel_congr h p m
  | .move s d => move_congr h s d

/-! ### refinement -/
theorem refines_exec {S : Stack} {T : FileTree} (h : Same S.view T) : (k : Plan) → Agree (S.execute k) (T.execute k)
  | .fail _ => ⟨rfl, h⟩
  | .act a => ⟨rfl, (act_view a).trans (flat_congr h a)⟩
/-- **refinement**: one operation. -/
theorem refines {S : Stack} {T : FileTree} (h : Same S.view T) (o : Operation) : Agree (S.run o) (T.run o) :=
  show Agree (S.execute (decide S.view o)) (T.execute (decide T o)) from decide_congr h o ▸ refines_exec h (decide S.view o)

/-- **refinement**: any sequence of operations gives the same answers and the same view. -/
theorem refines_all {S : Stack} {T : FileTree} (h : Same S.view T) : (os : List Operation) → {l l' : List (Option ErrorCode)} → Eq l l' →
    And (Eq (S.runs l os).2 (T.runs l' os).2) (Same (S.runs l os).1.view (T.runs l' os).1)
  | .nil, _, _, e => ⟨e, h⟩
  | .cons o os, _, _, e => refines_all (refines h o).2 os (congr_arg2 List.cons (refines h o).1 e)
/-- An operation that fails changes nothing at all. -/
theorem exec_fails {S : Stack} {e : ErrorCode} : (k : Plan) → Eq (S.execute k).2 (some e) → Eq (S.execute k).1 S
  | .fail _, _ => rfl
  | .act _, h => nomatch h
theorem failed_unchanged {S : Stack} {o : Operation} {e : ErrorCode} (h : Eq (S.run o).2 (some e)) : Eq (S.run o).1 S := exec_fails _ h
/-- Operations leave the frozen layers alone. -/
theorem exec_low {S : Stack} : (k : Plan) → Eq (S.execute k).1.low S.low
  | .fail _ => rfl
  | .act _ => rfl
end Eclogue.Files
