prelude
import Eclogue.Runtime.Merge
import Eclogue.Proofs.Runtime.Lookup
/-! Laws of merging. -/
namespace Eclogue.Files

/-! ### equality tests on nodes -/
theorem Node.eq_of_beq : {a b : Node} → Eq (Node.beq a b) true → Eq a b
  | .file _ _, .file _ _, h => match and_true h with
    | ⟨p, q⟩ => congr_arg2 Node.file (Nat.eq_of_beq_eq_true p) (Nat.eq_of_beq_eq_true q)
  | .link _, .link _, h => congrArg Node.link (Nat.eq_of_beq_eq_true h)
  | .dir _, .dir _, h => congrArg Node.dir (Nat.eq_of_beq_eq_true h)
  | .file _ _, .link _, h => nomatch h
  | .file _ _, .dir _, h => nomatch h
  | .link _, .file _ _, h => nomatch h
  | .link _, .dir _, h => nomatch h
  | .dir _, .file _ _, h => nomatch h
  | .dir _, .link _, h => nomatch h
theorem Node.beq_refl : (a : Node) → Eq (Node.beq a a) true
  | .file a b => and_intro (Nat.beq_refl a) (Nat.beq_refl b)
  | .link a => Nat.beq_refl a
  | .dir a => Nat.beq_refl a
theorem eq_of_same : {a b : Option Node} → Eq (same a b) true → Eq a b
  | none, none, _ => rfl
  | some _, some _, h => congrArg some (Node.eq_of_beq h)
  | none, some _, h => nomatch h
  | some _, none, h => nomatch h
theorem same_refl : (a : Option Node) → Eq (same a a) true
  | none => rfl
  | some a => Node.beq_refl a
theorem same_of_eq {a b : Option Node} (h : Eq a b) : Eq (same a b) true := h ▸ same_refl a

/-! ### three-way merge: `B` the fork point, `P` the parent now, `C` the child -/
section
variable {B P C : FileTree}
theorem present_mem {q : Path} (h : Eq (or (isPresent (P.get q)) (isPresent (C.get q))) true) : Mem q (List.append P.paths C.paths) :=
  match or_cases h with
  | .inl h => mem_left (is_present_mem (P.covered q) h)
  | .inr h => mem_right _ (is_present_mem (C.covered q) h)
/-- One conflict is enough: the test over the finite list speaks for all paths. -/
theorem conflicted_of {q : Path} (h : Eq (conflict B P C q) true) : Eq (conflicted B P C) true :=
  any_of_mem h (present_mem (and_true h).1)
theorem not_conflict {q : Path} (h : Eq (conflicted B P C) false) : (b : Bool) → Eq (conflict B P C q) b → Eq b false
  | false, _ => rfl
  | true, e => nomatch Eq.trans (conflicted_of e).symm h

/-! ### laws -/
theorem applies_aux {b p c : Option Node} (h : Eq p b) : (t : Bool) → Eq (same c b) t → Eq (cond t p c) c
  | true, e => Eq.trans h (eq_of_same e).symm
  | false, _ => rfl
/-- **merging into an unchanged parent gives the child's view**. -/
theorem merge_applies_delta (h : Same P B) : Same (merge3 B P C) C := fun q => applies_aux (h q) _ rfl
theorem no_clash_parent {b p c : Option Node} (h : Eq p b) : Eq (clash b p c) false :=
  show Eq (and (not (same c b)) (and (not (same p b)) (not (same p c)))) false from
    same_of_eq h ▸ (match (same c b) with | true => rfl | false => rfl)
theorem no_clash_child {b p c : Option Node} (h : Eq c b) : Eq (clash b p c) false :=
  show Eq (and (not (same c b)) (and (not (same p b)) (not (same p c)))) false from same_of_eq h ▸ rfl
theorem no_orphan {M : FileTree} (w : WellFormed M) : (q : Path) → Eq (orphan M q) false
  | .root => rfl
  | .sub p n => match w.2 p n with
    | .inl h => show Eq (and (isPresent (M.get (.sub p n))) (not (isDirectory (M.get p)))) false from h ▸ rfl
    | .inr h => show Eq (and (isPresent (M.get (.sub p n))) (not (isDirectory (M.get p)))) false from
        h ▸ (match isPresent (M.get (.sub p n)) with | true => rfl | false => rfl)
theorem off_aux : (g : Bool) → {c o : Bool} → Eq c false → Eq o false → Eq (and g (or c o)) false
  | true, _, _, rfl, rfl => rfl
  | false, _, _, _, _ => rfl
theorem conflict_off {q : Path} (h : Eq (clash (B.get q) (P.get q) (C.get q)) false) (w : WellFormed (merge3 B P C)) :
    Eq (conflict B P C q) false := off_aux _ h (no_orphan w q)
theorem any_false {α : Type} {f : α → Bool} (h : (a : α) → Eq (f a) false) : (l : List α) → Eq (any f l) false
  | .nil => rfl
  | .cons a l => congr_arg2 or (h a) (any_false h l)
/-- A merge into an unchanged parent has no conflict. -/
theorem unchanged_no_conflict (h : Same P B) (w : WellFormed C) : Eq (conflicted B P C) false :=
  any_false (fun q => conflict_off (no_clash_parent (h q)) (wf_congr (merge_applies_delta h).symm w)) _

theorem commute_aux {b b' p c c' : Option Node} : (t t' : Bool) → Eq (same c b) t → Eq (same c' b') t' → Or (Eq c b) (Eq c' b') →
    Eq (cond t' (cond t p c) c') (cond t (cond t' p c') c)
  | true, true, _, _, _ => rfl
  | true, false, _, _, _ => rfl
  | false, true, _, _, _ => rfl
  | false, false, e, _, .inl h => nomatch Eq.trans e.symm (same_of_eq h)
  | false, false, _, e, .inr h => nomatch Eq.trans e.symm (same_of_eq h)
/-- **disjoint merges commute**, also when the two children were forked at different times. -/
theorem disjoint_merges_commute {B' C' : FileTree} (h : Disjoint B C B' C') :
    Same (merge3 B' (merge3 B P C) C') (merge3 B (merge3 B' P C') C) := fun q => commute_aux _ _ rfl rfl (h q)

theorem merge_kept {q : Path} : {t : Bool} → Eq (same (C.get q) (B.get q)) t → Eq t true → Eq ((merge3 B P C).get q) (P.get q)
  | _, e, rfl => congrArg (fun t => (cond t (P.get q) (C.get q) : Option Node)) e
theorem merge_new {q : Path} : {t : Bool} → Eq (same (C.get q) (B.get q)) t → Eq t false → Eq ((merge3 B P C).get q) (C.get q)
  | _, e, rfl => congrArg (fun t => (cond t (P.get q) (C.get q) : Option Node)) e
/-- Where the child kept the fork point's node, the parent's stands. -/
theorem merge_at_kept {q : Path} (h : Kept B C q) : Eq ((merge3 B P C).get q) (P.get q) := merge_kept rfl (same_of_eq h)
theorem merge_at_parent_aux {q : Path} (h : Kept B P q) : (t : Bool) → Eq (same (C.get q) (B.get q)) t →
    Eq ((merge3 B P C).get q) (C.get q)
  | false, e => merge_new e rfl
  | true, e => Eq.trans (merge_kept e rfl) (Eq.trans h (eq_of_same e).symm)
/-- Where the parent kept the fork point's node, the child's stands. -/
theorem merge_at_parent {q : Path} (h : Kept B P q) : Eq ((merge3 B P C).get q) (C.get q) := merge_at_parent_aux h _ rfl
theorem wf_step {x x' y y' : Option Node} (hx : Eq x x') (hy : Eq y y') (h : Or (Eq x' none) (Eq (isDirectory y') true)) :
    Or (Eq x none) (Eq (isDirectory y) true) := hx ▸ hy ▸ h
theorem separate_wf_aux (wP : WellFormed P) (wC : WellFormed C) {p : Path} {n : Nat} : Or (Kept B C p) (Kept B P (.sub p n)) →
    Or (Kept B P p) (Kept B C (.sub p n)) → Or (Kept B C p) (Kept B P p) →
    Or (Kept B C (.sub p n)) (Kept B P (.sub p n)) →
    Or (Eq ((merge3 B P C).get (.sub p n)) none) (Eq (isDirectory ((merge3 B P C).get p)) true)
  | .inr k, .inl k', _, _ => wf_step (merge_at_parent k) (merge_at_parent k') (wC.2 p n)
  | .inl k, .inr k', _, _ => wf_step (merge_at_kept k') (merge_at_kept k) (wP.2 p n)
  | .inl _, .inl k', _, .inr k => wf_step (merge_at_parent k) (merge_at_parent k') (wC.2 p n)
  | .inl k', .inl _, _, .inl k => wf_step (merge_at_kept k) (merge_at_kept k') (wP.2 p n)
  | .inr _, .inr k, .inl k', _ => wf_step (merge_at_kept k) (merge_at_kept k') (wP.2 p n)
  | .inr k, .inr _, .inr k', _ => wf_step (merge_at_parent k) (merge_at_parent k') (wC.2 p n)
theorem root_wf {p c : Option Node} (hp : Eq (isDirectory p) true) (hc : Eq (isDirectory c) true) : (t : Bool) → Eq
    (isDirectory (cond t p c)) true
  | true => hp
  | false => hc
/-- Separate deltas merge into a well-formed tree. -/
theorem separate_wf (wP : WellFormed P) (wC : WellFormed C) (s : Separate B P C) : WellFormed (merge3 B P C) :=
  ⟨root_wf wP.1 wC.1 _, fun p n => separate_wf_aux wP wC (s.2 p n).1 (s.2 p n).2 (s.1 p) (s.1 (.sub p n))⟩
/-- **separate deltas merge without a conflict**. -/
theorem separate_no_conflict (wP : WellFormed P) (wC : WellFormed C) (s : Separate B P C) : Eq (conflicted B P C) false :=
  any_false (fun q => conflict_off (match s.1 q with | .inl h => no_clash_child h | .inr h => no_clash_parent h) (separate_wf wP wC s)) _

theorem not_true {a : Bool} : Eq (not a) false → Eq a true := match a with
  | true => fun _ => rfl
  | false => fun h => nomatch h
theorem guard_aux {g s c d : Bool} : Eq s true → Eq g true → Eq (and g (or c (and s (not d)))) false → Eq d true :=
  match g, s, c, d with
  | true, true, false, true => fun _ _ _ => rfl
  | true, true, false, false => fun _ _ h => nomatch h
  | true, true, true, _ => fun _ _ h => nomatch h
  | false, _, _, _ => fun _ h _ => nomatch h
  | _, false, _, _ => fun h _ _ => nomatch h
theorem present_aux {p c : Option Node} : (t : Bool) → Eq (isPresent (cond t p c)) true → Eq (or (isPresent p) (isPresent c)) true
  | true, h => or_left h
  | false, h => or_right h
theorem clean_wf_aux {p : Path} {n : Nat} (h : Eq (conflicted B P C) false) : (x : Option Node) → Eq ((merge3 B P C).get (.sub p n)) x →
    Or (Eq x none) (Eq (isDirectory ((merge3 B P C).get p)) true)
  | none, _ => .inl rfl
  | some _, e =>
    have s : Eq (isPresent ((merge3 B P C).get (.sub p n))) true := congrArg isPresent e
    .inr (guard_aux s (present_aux _ s) (not_conflict h (conflict B P C (.sub p n)) rfl))
/-- A merge without conflicts gives a well-formed tree. -/
theorem clean_wf (wP : WellFormed P) (wC : WellFormed C) (h : Eq (conflicted B P C) false) : WellFormed (merge3 B P C) :=
  ⟨root_wf wP.1 wC.1 _, fun _ _ => clean_wf_aux h _ rfl⟩
end

section
variable {B P C : FileTree}
theorem merge_congr {B' P' C' : FileTree} (b : Same B B') (p : Same P P') (c : Same C C') : Same (merge3 B P C)
    (merge3 B' P' C') := fun q =>
  show Eq (cond (same (C.get q) (B.get q)) (P.get q) (C.get q)) (cond (same (C'.get q) (B'.get q)) (P'.get q) (C'.get q)) from
    b q ▸ p q ▸ c q ▸ rfl
theorem orphan_congr {M M' : FileTree} (h : Same M M') : (q : Path) → Eq (orphan M q) (orphan M' q)
  | .root => rfl
  | .sub p n => congr_arg2 (fun x y => and (isPresent x) (not (isDirectory y))) (h (.sub p n)) (h p)
theorem conflict_congr {B' P' C' : FileTree} (b : Same B B') (p : Same P P') (c : Same C C') (q : Path) :
    Eq (conflict B P C q) (conflict B' P' C' q) :=
  congr_arg2 and (congr_arg2 or (congrArg isPresent (p q)) (congrArg isPresent (c q)))
    (congr_arg2 or (show Eq (clash (B.get q) (P.get q) (C.get q)) (clash (B'.get q) (P'.get q) (C'.get q)) from b q ▸ p q ▸ c q ▸ rfl)
      (orphan_congr (merge_congr b p c) q))
theorem conflicted_mono {B' P' C' : FileTree} (b : Same B B') (p : Same P P') (c : Same C C') (h : Eq (conflicted B P C) true) :
    Eq (conflicted B' P' C') true := match any_witness h with
  | ⟨q, hq⟩ => conflicted_of (Eq.trans (conflict_congr b p c q).symm hq)
/-- Whether a merge has conflicts depends on the views only. -/
theorem conflicted_congr {B' P' C' : FileTree} (b : Same B B') (p : Same P P') (c : Same C C') :
    Eq (conflicted B P C) (conflicted B' P' C') := bool_ext (conflicted_mono b p c) (conflicted_mono b.symm p.symm c.symm)
end

/-! ### diff -/
theorem patch_at_cond {x old : Option Node} : (t : Bool) → Eq (patchAt old (cond t none (some x))) (cond t old x)
  | true => rfl
  | false => rfl
/-- A three-way merge is the child's diff applied to the parent. -/
theorem merge_is_patch {B P C : FileTree} (q : Path) : Eq ((merge3 B P C).get q) (patchAt (P.get q) ((diff B C).get q)) :=
    (patch_at_cond _).symm
/-- The diff against the fork point, applied there, gives the tree. -/
theorem patch_diff {B T : FileTree} (q : Path) : Eq (patchAt (B.get q) ((diff B T).get q)) (T.get q) :=
  Eq.trans (merge_is_patch q).symm (merge_applies_delta (.refl B) q)
theorem diff_same_aux {x y : Option Node} (h : Eq x y) : Eq (cond (same x y) (none : Option (Option Node))
    (some x)) none := h ▸ same_refl x ▸ rfl
/-- Equal views, empty diff. -/
theorem diff_same {B T : FileTree} (h : Same T B) (q : Path) : Eq ((diff B T).get q) none := diff_same_aux (h q)
theorem diff_empty_aux {x y : Option Node} : (t : Bool) → Eq (same x y) t → Eq (cond t none (some x)) (none : Option (Option Node)) → Eq x y
  | true, e, _ => eq_of_same e
  | false, _, h => nomatch h
/-- Empty diff, equal views. -/
theorem diff_empty {B T : FileTree} (h : (q : Path) → Eq ((diff B T).get q) none) : Same T B := fun q => diff_empty_aux _ rfl (h q)

/-! ### a tree as a layer over another -/
theorem turn_content : (x y : Option Node) → Eq (content (liftAt x y)) x
  | none, _ => rfl
  | some (.dir _), some (.dir _) => rfl
  | some (.dir _), some (.file _ _) => rfl
  | some (.dir _), some (.link _) => rfl
  | some (.dir _), none => rfl
  | some (.file _ _), _ => rfl
  | some (.link _), _ => rfl
theorem turn_hider : (t : Bool) → (x y : Option Node) → Eq (hider (cond t none (some (liftAt x y)))) true →
    Or (Eq (isDirectory x) false) (Eq (isDirectory y) false)
  | true, _, _, h => nomatch h
  | false, none, _, _ => .inl rfl
  | false, some (.file _ _), _, _ => .inl rfl
  | false, some (.link _), _, _ => .inl rfl
  | false, some (.dir _), none, _ => .inr rfl
  | false, some (.dir _), some (.file _ _), _ => .inr rfl
  | false, some (.dir _), some (.link _), _ => .inr rfl
  | false, some (.dir _), some (.dir _), h => nomatch h
theorem no_child {T : FileTree} (w : WellFormed T) {p : Path} {n : Nat} (h : Eq (isDirectory (T.get p)) false) : Eq
    (T.get (.sub p n)) none :=
  match w.2 p n with
  | .inl e => e
  | .inr e => nomatch Eq.trans e.symm h
theorem no_dir {x : Option Node} (h : Eq x none) : Eq (isDirectory x) false := h ▸ rfl
section
variable {L M : FileTree}
theorem or_child (wL : WellFormed L) (wM : WellFormed M) {p : Path} {n : Nat} : Or (Eq (isDirectory (M.get p)) false)
    (Eq (isDirectory (L.get p)) false) →
    Or (Eq (M.get (.sub p n)) none) (Eq (L.get (.sub p n)) none)
  | .inl h => .inl (no_child wM h)
  | .inr h => .inr (no_child wL h)
theorem lift_hidden (wL : WellFormed L) (wM : WellFormed M) : (q : Path) → Eq (hides (lift L M).get q) true → Or
    (Eq (M.get q) none) (Eq (L.get q) none)
  | .root, h => nomatch h
  | .sub p _, h => match or_cases h with
    | .inl h => or_child wL wM (turn_hider _ _ _ h)
    | .inr h => match lift_hidden wL wM p h with
      | .inl e => .inl (no_child wM (no_dir e))
      | .inr e => .inr (no_child wL (no_dir e))
theorem keep_eq {x y : Option Node} (e : Eq x y) : (h : Bool) → (Eq h true → Or (Eq x none) (Eq y none)) → Eq (unlessHidden h y) x
  | false, _ => e.symm
  | true, f => match f rfl with
    | .inl n => n.symm
    | .inr n => Eq.trans n.symm e.symm
theorem lift_paint {x y : Option Node} {h : Bool} (f : Eq h true → Or (Eq x none) (Eq y none)) : (t : Bool) → Eq (same x y) t →
    Eq (showAt (cond t none (some (liftAt x y))) h y) x
  | true, e => keep_eq (eq_of_same e) h f
  | false, _ => turn_content x y
/-- The lifted layer over `L` shows `M`; here well-formedness is needed. -/
theorem lift_view (wL : WellFormed L) (wM : WellFormed M) : Same (over (lift L M) L) M := fun q => lift_paint (lift_hidden wL wM q) _ rfl
end
end Eclogue.Files
