prelude
import Eclogue.Runtime.Layers
import Eclogue.Proofs.Runtime.WellFormed
/-! Laws in the style of get and set; squashing and freezing change no view. -/
namespace Eclogue.Files

/-! ### an operation changes nothing outside the paths that it names -/
/-- A property of the change that a plan makes, if it makes one. -/
def PlanAt (Q : Change → Prop) : Plan → Prop
  | .fail _ => True
  | .act a => Q a
/-- The path lies neither at nor below what a change names. -/
def Untouched (q : Path) : Change → Prop
  | .skip => True
  | .stamp p _ => Eq (strip p q) none
  | .relabel p _ => Eq (strip p q) none
  | .move s d => And (Eq (strip s q) none) (Eq (strip d q) none)
section
variable {Q : Change → Prop}
theorem after_at {k : Plan} : (e : Option ErrorCode) → PlanAt Q k → PlanAt Q (unlessError e k)
  | some _, _ => True.intro
  | none, h => h
theorem root_at {k : Plan} : (p : Path) → PlanAt Q k → PlanAt Q (notTheRoot p k)
  | .root, _ => True.intro
  | .sub _ _, h => h
theorem write_at {p : Path} {c m : Nat} (h : (x : Option Node) → Q (.stamp p x)) : (x : Option Node) → PlanAt Q (writePlan p c m x)
  | none => h _
  | some (.file _ _) => h _
  | some (.link _) => True.intro
  | some (.dir _) => True.intro
theorem create_at {p : Path} {n : Node} (h : (x : Option Node) → Q (.stamp p x)) : (x : Option Node) → PlanAt Q (createPlan p n x)
  | none => h _
  | some _ => True.intro
theorem unlink_at {p : Path} (h : (x : Option Node) → Q (.stamp p x)) : (x : Option Node) → PlanAt Q (unlinkPlan p x)
  | none => True.intro
  | some (.file _ _) => h _
  | some (.link _) => h _
  | some (.dir _) => True.intro
theorem rmdir_at {p : Path} (h : (x : Option Node) → Q (.stamp p x)) : (b : Bool) → (x : Option Node) → PlanAt Q (rmdirPlan p b x)
  | false, none => True.intro
  | true, none => True.intro
  | false, some (.file _ _) => True.intro
  | true, some (.file _ _) => True.intro
  | false, some (.link _) => True.intro
  | true, some (.link _) => True.intro
  | true, some (.dir _) => True.intro
  | false, some (.dir _) => h _
theorem rmtree_at {p : Path} (h : (x : Option Node) → Q (.stamp p x)) : (x : Option Node) → PlanAt Q (rmtreePlan p x)
  | none => True.intro
  | some _ => h _
theorem chmod_at {p : Path} {m : Nat} (h : (x : Option Node) → Q (.stamp p x)) (h' : Q (.relabel p m)) : (x : Option Node) →
    PlanAt Q (chmodPlan p m x)
  | none => True.intro
  | some (.file _ _) => h _
  | some (.link _) => True.intro
  | some (.dir _) => h'
theorem onto_at {s d : Path} (h : Q (.move s d)) : (b : Bool) → (n : Node) → (y : Option Node) → PlanAt Q (ontoPlan s d b n y)
  | false, .file _ _, none => h
  | false, .file _ _, some (.file _ _) => h
  | false, .file _ _, some (.link _) => h
  | false, .file _ _, some (.dir _) => True.intro
  | false, .link _, none => h
  | false, .link _, some (.file _ _) => h
  | false, .link _, some (.link _) => h
  | false, .link _, some (.dir _) => True.intro
  | false, .dir _, none => h
  | false, .dir _, some (.file _ _) => True.intro
  | false, .dir _, some (.link _) => True.intro
  | false, .dir _, some (.dir _) => h
  | true, .file _ _, none => h
  | true, .file _ _, some (.file _ _) => h
  | true, .file _ _, some (.link _) => h
  | true, .file _ _, some (.dir _) => True.intro
  | true, .link _, none => h
  | true, .link _, some (.file _ _) => h
  | true, .link _, some (.link _) => h
  | true, .link _, some (.dir _) => True.intro
  | true, .dir _, none => h
  | true, .dir _, some (.file _ _) => True.intro
  | true, .dir _, some (.link _) => True.intro
  | true, .dir _, some (.dir _) => True.intro
theorem rename_at {s d : Path} {b : Bool} {y : Option Node} (h : Q (.move s d)) (h' : Q .skip) : (x : Option Node) →
    (r r' : Option Path) → PlanAt Q (renamePlan s d b x y r r')
  | _, some .root, _ => h'
  | _, some (.sub _ _), _ => True.intro
  | _, none, some _ => True.intro
  | none, none, none => True.intro
  | some n, none, none => onto_at h b n y
end
theorem decide_outside {T : FileTree} {q : Path} : (o : Operation) → Outside q o → PlanAt (Untouched q) (decide T o)
  | .write _ _ _, h => after_at _ (write_at (Q := Untouched q) (fun _ => h) _)
  | .mkdir _ _, h => after_at _ (create_at (Q := Untouched q) (fun _ => h) _)
  | .symlink _ _, h => after_at _ (create_at (Q := Untouched q) (fun _ => h) _)
  | .unlink _, h => after_at _ (unlink_at (Q := Untouched q) (fun _ => h) _)
  | .rmdir _, h => root_at _ (after_at _ (rmdir_at (Q := Untouched q) (fun _ => h) _ _))
  | .rmtree _, h => root_at _ (after_at _ (rmtree_at (Q := Untouched q) (fun _ => h) _))
  | .chmod _ _, h => after_at _ (chmod_at (Q := Untouched q) (fun _ => h) h _)
  | .rename _ _, h => root_at _ (root_at _ (after_at _ (after_at _ (after_at _ (rename_at (Q := Untouched q) h True.intro _ _ _)))))
theorem relabel_off {p q : Path} {x y : Option Node} (h : Eq (strip p q) none) : (b : Bool) → Eq (Path.beq p q) b → Eq (cond b x y) y
  | false, _ => rfl
  | true, e => nomatch Eq.trans h.symm (show Eq (strip p q) (some .root) from Path.eq_of_beq e ▸ strip_self p)
theorem flat_other {T : FileTree} {q : Path} : (a : Change) → Untouched q a → Eq ((a.onTree T).get q) (T.get q)
  | .skip, _ => rfl
  | .stamp _ x, h => congrArg (stampAt x (T.get q)) h
  | .relabel _ _, h => relabel_off h _ rfl
  | .move s _, h => congr_arg2 (moveAt T s (T.get q)) h.2 h.1
theorem exec_other {T : FileTree} {q : Path} : (k : Plan) → PlanAt (Untouched q) k → Eq ((T.execute k).1.get q) (T.get q)
  | .fail _, _ => rfl
  | .act a, h => flat_other a h
/-- **frame law**: an operation changes no path outside those that it names; in the view of a stack. -/
theorem view_other {S : Stack} {o : Operation} {q : Path} (h : Outside q o) : Eq ((S.run o).1.view.get q) (S.view.get q) :=
  Eq.trans ((refines (.refl S.view) o).2 q) (exec_other _ (decide_outside o h))

/-! ### what an operation that succeeds puts in place -/
section
variable {T : FileTree} {p : Path}
theorem stamp_same {x : Option Node} : Eq ((T.stamp p x).get p) x := congrArg (stampAt x (T.get p)) (strip_self p)
theorem stamp_none_in {old : Option Node} : (r : Path) → Eq (stampAt none old (some r)) none
  | .root => rfl
  | .sub _ _ => rfl
theorem stamp_gone {r : Path} : Eq ((T.stamp p none).get (join p r)) none :=
  Eq.trans (congrArg (stampAt none (T.get (join p r))) (strip_join p r)) (stamp_none_in r)
theorem write_same {c m : Nat} : (e : Option ErrorCode) → (x : Option Node) → Eq (T.execute (unlessError e (writePlan p c m x))).2 none →
    Exists fun m' => Eq ((T.execute (unlessError e (writePlan p c m x))).1.get p) (some (.file c m'))
  | some _, _, h => nomatch h
  | none, none, _ => ⟨m, stamp_same⟩
  | none, some (.file _ m'), _ => ⟨m', stamp_same⟩
  | none, some (.link _), h => nomatch h
  | none, some (.dir _), h => nomatch h
theorem create_same {n : Node} : (e : Option ErrorCode) → (x : Option Node) → Eq (T.execute (unlessError e (createPlan p n x))).2 none →
    Eq ((T.execute (unlessError e (createPlan p n x))).1.get p) (some n)
  | some _, _, h => nomatch h
  | none, none, _ => stamp_same
  | none, some _, h => nomatch h
theorem rmtree_gone {r : Path} : (e : Option ErrorCode) → (x : Option Node) → Eq (T.execute (unlessError e (rmtreePlan p x))).2 none →
    Eq ((T.execute (unlessError e (rmtreePlan p x))).1.get (join p r)) none
  | some _, _, h => nomatch h
  | none, some _, _ => stamp_gone
  | none, none, h => nomatch h
theorem unlink_gone : (e : Option ErrorCode) → (x : Option Node) → Eq (T.execute (unlessError e (unlinkPlan p x))).2 none →
    Eq ((T.execute (unlessError e (unlinkPlan p x))).1.get p) none
  | some _, _, h => nomatch h
  | none, some (.file _ _), _ => stamp_same
  | none, some (.link _), _ => stamp_same
  | none, some (.dir _), h => nomatch h
  | none, none, h => nomatch h
theorem move_target {s d r : Path} : Eq ((T.move s d).get (join d r)) (T.get (join s r)) :=
  congrArg (fun x => moveAt T s (T.get (join d r)) x (strip s (join d r))) (strip_join d r)
end
section
variable {S : Stack} {p : Path}
theorem carry {o : Operation} {q : Path} {x : Option Node} (h : Eq (S.run o).2 none)
    (f : Eq (S.view.run o).2 none → Eq ((S.view.run o).1.get q) x) : Eq ((S.run o).1.view.get q) x :=
  Eq.trans ((refines (.refl S.view) o).2 q) (f (Eq.trans (refines (.refl S.view) o).1.symm h))
/-- What was written is there (with the mode that the file had, if there was one). -/
theorem view_write_same {c m : Nat} (h : Eq (S.run (.write p c m)).2 none) :
    Exists fun m' => Eq ((S.run (.write p c m)).1.view.get p) (some (.file c m')) :=
  match write_same (walk S.view.get p) (S.view.get p) (Eq.trans (refines (.refl S.view) (.write p c m)).1.symm h) with
  | ⟨m', e⟩ => ⟨m', Eq.trans ((refines (.refl S.view) (.write p c m)).2 p) e⟩
theorem view_mkdir_same {m : Nat} (h : Eq (S.run (.mkdir p m)).2 none) : Eq ((S.run (.mkdir p m)).1.view.get p) (some (.dir m)) :=
  carry h (create_same _ _)
theorem view_symlink_same {t : Nat} (h : Eq (S.run (.symlink p t)).2 none) :
    Eq ((S.run (.symlink p t)).1.view.get p) (some (.link t)) := carry h (create_same _ _)
theorem view_unlink (h : Eq (S.run (.unlink p)).2 none) : Eq ((S.run (.unlink p)).1.view.get p) none := carry h (unlink_gone _ _)
theorem rmtree_gone' {T : FileTree} {r : Path} : (p : Path) → Eq (T.run (.rmtree p)).2 none → Eq ((T.run (.rmtree p)).1.get (join p r)) none
  | .root, h => nomatch h
  | .sub _ _, h => rmtree_gone _ _ h
/-- After the removal of a tree nothing is left of it, whatever the lower layers have. -/
theorem view_rmtree {r : Path} (h : Eq (S.run (.rmtree p)).2 none) : Eq ((S.run (.rmtree p)).1.view.get (join p r)) none :=
  carry h (rmtree_gone' p)
end

/-! ### squashing two layers -/
theorem squash_hider {h k : Bool} : (u l : Option Entry) →
    Eq (or (hider (squashAt u h l)) (or h k)) (or (or (hider u) h) (or (hider l) k))
  | none, _l => match h with
    | true => rfl
    | false => rfl
  | some .gone, _ => rfl
  | some (.solid _), _ => rfl
  | some (.merged _), none => rfl
  | some (.merged _), some (.merged _) => rfl
  | some (.merged _), some .gone => match h with
    | true => rfl
    | false => rfl
  | some (.merged _), some (.solid _) => match h with
    | true => rfl
    | false => rfl
theorem squash_hides {U L : Layer} : (q : Path) → Eq (hides (squash U L).get q) (or (hides U.get q) (hides L.get q))
  | .root => rfl
  | .sub q _ => Eq.trans (congrArg (or (hider ((squash U L).get q))) (squash_hides q)) (squash_hider (U.get q) (L.get q))
theorem squash_paint {h k : Bool} {x : Option Node} : (u l : Option Entry) →
    Eq (showAt (squashAt u h l) (or h k) x) (showAt u h (showAt l k x))
  | none, _l => match h with
    | true => rfl
    | false => rfl
  | some .gone, _ => rfl
  | some (.solid _), _ => rfl
  | some (.merged _), none => rfl
  | some (.merged _), some (.merged _) => rfl
  | some (.merged _), some .gone => rfl
  | some (.merged _), some (.solid _) => rfl
/-- **squashing preserves the view**, over whatever lies below; no invariant of the layers is needed. -/
theorem squash_view {U L : Layer} {T : FileTree} : Same (over (squash U L) T) (over U (over L T)) := fun q =>
  Eq.trans (congrArg (fun h => showAt ((squash U L).get q) h (T.get q)) (squash_hides q)) (squash_paint (U.get q) (L.get q))
/-- In a stack, at any depth. -/
theorem squash_at {U L : Layer} {Ls : List Layer} : (above : List Layer) →
    Same (view (List.append above (.cons (squash U L) Ls))) (view (List.append above (.cons U (.cons L Ls))))
  | .nil => squash_view
  | .cons A As => over_congr (.refl A) (squash_at As)

/-! ### freezing the top layer -/
theorem hides_empty : (q : Path) → Eq (hides (PathMap.empty : Layer).get q) false
  | .root => rfl
  | .sub q _ => hides_empty q
/-- An empty layer shows what is below. -/
theorem over_empty {T : FileTree} : Same (over PathMap.empty T) T := fun q => congrArg (fun h => unlessHidden h (T.get q)) (hides_empty q)
/-- Freezing changes no view. -/
theorem fresh_view {S : Stack} : Same (Stack.fresh S.freeze).view S.view := over_empty
end Eclogue.Files
