prelude
import Eclogue.Runtime.WellFormed
import Eclogue.Proofs.Runtime.Refinement
/-! Well-formed trees stay well formed. -/
namespace Eclogue.Files

theorem wf_congr {T R : FileTree} (h : Same T R) (w : WellFormed T) : WellFormed R :=
  ⟨h .root ▸ w.1, fun p n => h p ▸ h (.sub p n) ▸ w.2 p n⟩
/-- The parent exists and is a directory (the root has none). -/
def ParentDir (T : FileTree) : Path → Prop
  | .root => False
  | .sub p _ => Eq (isDirectory (T.get p)) true
/-- When a primitive change keeps a tree well formed. -/
def Admissible (T : FileTree) : Change → Prop
  | .skip => True
  | .stamp p _ => ParentDir T p
  | .relabel p _ => Eq (isDirectory (T.get p)) true
  | .move s d => And (And (ParentDir T s) (ParentDir T d)) (And (Eq (strip s d) none) (Eq (strip d s) none))

theorem strip_parent_aux {q : Path} {n : Nat} : (r : Option Path) → Eq (strip (.sub q n) q) r → Eq r none
  | none, _ => rfl
  | some r, e => (ne_add (depth q) (depth r) (Eq.trans (congrArg depth (strip_eq q e))
      (Eq.trans (depth_join (.sub q n) r) (add_succ_left (depth q) (depth r))))).elim
/-- A parent is outside its child. -/
theorem strip_parent {q : Path} {n : Nat} : Eq (strip (.sub q n) q) none := strip_parent_aux _ rfl

section
variable {T : FileTree}
theorem off_dir {x old : Option Node} : {r : Option Path} → Eq r none → Eq (isDirectory old) true → Eq (isDirectory (stampAt x old r)) true
  | _, rfl, h => h
theorem off_dir2 {s : Path} {old : Option Node} : {r r' : Option Path} → Eq r none → Eq r' none → Eq (isDirectory old) true →
    Eq (isDirectory (moveAt T s old r r')) true
  | _, _, rfl, rfl, h => h
theorem at_dir {s k : Path} {old : Option Node} {r' : Option Path} : {r : Option Path} → Eq r (some k) →
    Eq (isDirectory (T.get (join s k))) true → Eq (isDirectory (moveAt T s old r r')) true
  | _, rfl, h => h
theorem or_map {a b c : Prop} (f : b → c) : Or a b → Or a c
  | .inl h => .inl h
  | .inr h => .inr (f h)
theorem stamp_wf_aux {p q : Path} {n : Nat} {x : Option Node} (w : WellFormed T) (a : ParentDir T p) : (r : Option Path) →
    Eq (strip p (.sub q n)) r →
    Or (Eq (stampAt x (T.get (.sub q n)) r) none) (Eq (isDirectory (stampAt x (T.get q) (strip p q))) true)
  | some (.sub _ _), _ => .inl rfl
  | none, e => or_map (off_dir (strip_off e)) (w.2 q n)
  | some .root, e => match p, a, e, strip_eq (.sub q n) e with
    | .sub _ _, a, _, rfl => .inr (off_dir strip_parent a)
theorem stamp_wf {x : Option Node} (w : WellFormed T) : {p : Path} → ParentDir T p → WellFormed (T.stamp p x)
  | .sub _ _, a => ⟨w.1, fun _ _ => stamp_wf_aux w a _ rfl⟩
theorem dir_cond {m : Nat} {x : Option Node} (h : Eq (isDirectory x) true) : (b : Bool) → Eq (isDirectory (cond b (some (.dir m)) x)) true
  | true => rfl
  | false => h
theorem dir_some {x : Option Node} (h : Eq (isDirectory x) true) (e : Eq x none) : False := nomatch Eq.trans h.symm (congrArg isDirectory e)
theorem relabel_wf_aux {p q : Path} {n m : Nat} (_w : WellFormed T) (a : Eq (isDirectory (T.get p)) true) : (b : Bool) →
    Eq (Path.beq p (.sub q n)) b → Or (Eq (T.get (.sub q n)) none) (Eq (isDirectory (T.get q)) true) →
    Or (Eq (cond b (some (.dir m)) (T.get (.sub q n))) none) (Eq (isDirectory (cond (Path.beq p q) (some (.dir m)) (T.get q))) true)
  | _, _, .inr h => .inr (dir_cond h _)
  | false, _, .inl h => .inl h
  | true, e, .inl h => (dir_some a (Path.eq_of_beq e ▸ h)).elim
theorem relabel_wf {p : Path} {m : Nat} (w : WellFormed T) (a : Eq (isDirectory (T.get p)) true) : WellFormed (T.relabel p m) :=
  ⟨dir_cond w.1 _, fun q n => relabel_wf_aux w a _ rfl (w.2 q n)⟩
theorem move_wf_aux {s d q : Path} {n : Nat} (w : WellFormed T) (pd : ParentDir T d) (o : Eq (strip s d) none) : (r r' : Option Path) →
    Eq (strip d (.sub q n)) r → Eq (strip s (.sub q n)) r' →
    Or (Eq (moveAt T s (T.get (.sub q n)) r r') none) (Eq (isDirectory (moveAt T s (T.get q) (strip d q) (strip s q))) true)
  | some (.sub r k), _, e, _ => or_map (at_dir (strip_under e)) (w.2 (join s r) k)
  | none, some _, _, _ => .inl rfl
  | none, none, e, e' => or_map (off_dir2 (strip_off e) (strip_off e')) (w.2 q n)
  | some .root, _, e, _ => match d, pd, o, e, strip_eq (.sub q n) e with
    | .sub _ _, pd, o, _, rfl => .inr (off_dir2 strip_parent (strip_off o) pd)
theorem move_wf (w : WellFormed T) : {s d : Path} → ParentDir T s → ParentDir T d → Eq (strip s d) none → WellFormed (T.move s d)
  | .sub _ _, .sub _ _, _, pd, o => ⟨w.1, fun _ _ => move_wf_aux w pd o _ _ rfl rfl⟩
/-- An admissible change keeps a tree well formed. -/
theorem flat_wf (w : WellFormed T) : (a : Change) → Admissible T a → WellFormed (a.onTree T)
  | .skip, _ => w
  | .stamp _ _, a => stamp_wf w a
  | .relabel _ _, a => relabel_wf w a
  | .move _ _, a => move_wf w a.1.1 a.1.2 a.2.1

/-! ### every plan is admissible -/
/-- A plan that fails or is admissible. -/
def PlanOk (T : FileTree) : Plan → Prop
  | .fail _ => True
  | .act a => Admissible T a
theorem after_ok {k : Plan} : (e : Option ErrorCode) → (Eq e none → PlanOk T k) → PlanOk T (unlessError e k)
  | some _, _ => True.intro
  | none, f => f rfl
theorem directory_error_none : {x : Option Node} → Eq (directoryError x) none → Eq (isDirectory x) true
  | some (.dir _), _ => rfl
  | some (.file _ _), h => nomatch h
  | some (.link _), h => nomatch h
  | none, h => nomatch h
theorem first_error_none : {a b : Option ErrorCode} → Eq (firstError a b) none → Eq b none
  | none, _, h => h
  | some _, _, h => nomatch h
theorem walk_parent {p : Path} {n : Nat} (e : Eq (walk T.get (.sub p n)) none) : ParentDir T (.sub p n) :=
  directory_error_none (first_error_none e)
theorem parent_ok (w : WellFormed T) : (p : Path) → Eq (walk T.get p) none → Eq (isDirectory (T.get p)) false → ParentDir T p
  | .root, _, h => nomatch Eq.trans w.1.symm h
  | .sub _ _, e, _ => walk_parent e
theorem write_ok {p : Path} {c m : Nat} (w : WellFormed T) (e : Eq (walk T.get p) none) : (x : Option Node) → Eq (T.get p) x →
    PlanOk T (writePlan p c m x)
  | none, h => parent_ok w p e (h ▸ rfl)
  | some (.file _ _), h => parent_ok w p e (h ▸ rfl)
  | some (.link _), _ => True.intro
  | some (.dir _), _ => True.intro
theorem create_ok {p : Path} {n : Node} (w : WellFormed T) (e : Eq (walk T.get p) none) : (x : Option Node) → Eq (T.get p) x →
    PlanOk T (createPlan p n x)
  | none, h => parent_ok w p e (h ▸ rfl)
  | some _, _ => True.intro
theorem unlink_ok {p : Path} (w : WellFormed T) (e : Eq (walk T.get p) none) : (x : Option Node) → Eq (T.get p) x →
    PlanOk T (unlinkPlan p x)
  | none, _ => True.intro
  | some (.file _ _), h => parent_ok w p e (h ▸ rfl)
  | some (.link _), h => parent_ok w p e (h ▸ rfl)
  | some (.dir _), _ => True.intro
theorem rmdir_ok {p : Path} (a : ParentDir T p) : (b : Bool) → (x : Option Node) → PlanOk T (rmdirPlan p b x)
  | false, none => True.intro
  | true, none => True.intro
  | false, some (.file _ _) => True.intro
  | true, some (.file _ _) => True.intro
  | false, some (.link _) => True.intro
  | true, some (.link _) => True.intro
  | true, some (.dir _) => True.intro
  | false, some (.dir _) => a
theorem rmtree_ok {p : Path} (a : ParentDir T p) : (x : Option Node) → PlanOk T (rmtreePlan p x)
  | none => True.intro
  | some _ => a
theorem chmod_ok {p : Path} {m : Nat} (w : WellFormed T) (e : Eq (walk T.get p) none) : (x : Option Node) → Eq (T.get p) x →
    PlanOk T (chmodPlan p m x)
  | none, _ => True.intro
  | some (.file _ _), h => parent_ok w p e (h ▸ rfl)
  | some (.link _), _ => True.intro
  | some (.dir _), h => show Eq (isDirectory (T.get p)) true from h ▸ rfl
theorem onto_ok {s d : Path} (a : Admissible T (.move s d)) : (b : Bool) → (n : Node) → (y : Option Node) →
    PlanOk T (ontoPlan s d b n y)
  | false, .file _ _, none => a
  | false, .file _ _, some (.file _ _) => a
  | false, .file _ _, some (.link _) => a
  | false, .file _ _, some (.dir _) => True.intro
  | false, .link _, none => a
  | false, .link _, some (.file _ _) => a
  | false, .link _, some (.link _) => a
  | false, .link _, some (.dir _) => True.intro
  | false, .dir _, none => a
  | false, .dir _, some (.file _ _) => True.intro
  | false, .dir _, some (.link _) => True.intro
  | false, .dir _, some (.dir _) => a
  | true, .file _ _, none => a
  | true, .file _ _, some (.file _ _) => a
  | true, .file _ _, some (.link _) => a
  | true, .file _ _, some (.dir _) => True.intro
  | true, .link _, none => a
  | true, .link _, some (.file _ _) => a
  | true, .link _, some (.link _) => a
  | true, .link _, some (.dir _) => True.intro
  | true, .dir _, none => a
  | true, .dir _, some (.file _ _) => True.intro
  | true, .dir _, some (.link _) => True.intro
  | true, .dir _, some (.dir _) => True.intro
theorem rename_ok {s d : Path} {b : Bool} {y : Option Node} (as : ParentDir T s) (ad : ParentDir T d) : (x : Option Node) →
    (r r' : Option Path) → Eq (strip s d) r → Eq (strip d s) r' → PlanOk T (renamePlan s d b x y r r')
  | _, some .root, _, _, _ => True.intro
  | _, some (.sub _ _), _, _, _ => True.intro
  | _, none, some _, _, _ => True.intro
  | none, none, none, _, _ => True.intro
  | some n, none, none, e, e' => onto_ok ⟨⟨as, ad⟩, ⟨e, e'⟩⟩ b n y
/-- Whatever is decided is admissible. -/
theorem decide_ok (w : WellFormed T) : (o : Operation) → PlanOk T (decide T o)
  | .write _ _ _ => after_ok _ fun e => write_ok w e _ rfl
  | .mkdir _ _ => after_ok _ fun e => create_ok w e _ rfl
  | .symlink _ _ => after_ok _ fun e => create_ok w e _ rfl
  | .unlink _ => after_ok _ fun e => unlink_ok w e _ rfl
  | .rmdir .root => True.intro
  | .rmdir (.sub _ _) => after_ok _ fun e => rmdir_ok (walk_parent e) _ _
  | .rmtree .root => True.intro
  | .rmtree (.sub _ _) => after_ok _ fun e => rmtree_ok (walk_parent e) _
  | .chmod _ _ => after_ok _ fun e => chmod_ok w e _ rfl
  | .rename .root _ => True.intro
  | .rename (.sub _ _) .root => True.intro
  | .rename (.sub _ _) (.sub _ _) => after_ok _ fun e => after_ok _ fun e' => after_ok _ fun _ =>
      rename_ok (walk_parent e) (walk_parent e') _ _ _ rfl rfl
theorem exec_wf (w : WellFormed T) : (k : Plan) → PlanOk T k → WellFormed (T.execute k).1
  | .fail _, _ => w
  | .act a, h => flat_wf w a h
/-- **well-formed trees stay well formed**. -/
theorem run_wf (w : WellFormed T) (o : Operation) : WellFormed (T.run o).1 := exec_wf w _ (decide_ok w o)
end
/-- The same for views of stacks. -/
theorem view_wf {S : Stack} (w : WellFormed S.view) (o : Operation) : WellFormed (S.run o).1.view :=
  wf_congr (refines (.refl S.view) o).2.symm (run_wf w o)
end Eclogue.Files
