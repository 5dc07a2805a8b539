prelude
import Eclogue.Runtime.Scope
import Eclogue.Proofs.Runtime.Storage
/-! A world of scopes behaves as a world of copied trees; isolation, discarding, merging. -/
namespace Eclogue.Files

/-! ### the overlay's steps -/
/-! ### the flat model's steps: a fork copies the tree -/
/-! ### refinement of worlds -/
theorem rel_cond {x y : Option Scope} {x' y' : Option FlatScope} (h : RelatedEntry x x') (k : RelatedEntry y y') :
    (b : Bool) → RelatedEntry (cond b x y) (cond b x' y')
  | true => h
  | false => k
theorem rel_set {w : World} {f : FlatWorld} {x : Option Scope} {x' : Option FlatScope} (i : Nat) (h : RelatedEntry x x') (r : Related w f) :
    Related (set i x w) (set i x' f) := fun k => rel_cond h (r k) _
/-- A first scope over one storable base layer is related to the base's own view. -/
theorem start_rel {b : Layer} (c : Closed b) (w : WellFormed (view (.cons b .nil))) :
    RelatedScope ⟨.fresh (.cons b .nil), .cons b .nil, none⟩ ⟨view (.cons b .nil), view (.cons b .nil), none⟩ where
  now := over_empty
  was := .refl _
  par := rfl
  wf := wf_congr over_empty.symm w
  wfLow := w
  closed := ⟨fun _ _ => .inl rfl, c, True.intro⟩
theorem op_rel {s : Scope} {t : FlatScope} (r : RelatedScope s t) (o : Operation) :
    RelatedScope ⟨(s.stack.run o).1, s.base, s.parent⟩ ⟨(t.tree.run o).1, t.base, t.parent⟩ where
  now := (refines r.now o).2
  was := r.was
  par := r.par
  wf := view_wf r.wf o
  wfLow := show WellFormed (view (s.stack.execute (decide s.stack.view o)).1.low) from exec_low (S := s.stack)
      (decide s.stack.view o) ▸ r.wfLow
  closed := ⟨run_closed r.closed.1 r.wf o,
    show AllClosed (s.stack.execute (decide s.stack.view o)).1.low from exec_low (S := s.stack) (decide s.stack.view o) ▸ r.closed.2⟩
theorem op_sim {w : World} {f : FlatWorld} (r : Related w f) (i : Nat)
    (o : Operation) : {x : Option Scope} → {y : Option FlatScope} → RelatedEntry x y →
    RelatedResult (operationStep w i o x) (flatOperationStep f i o y)
  | _, _, .none => ⟨rfl, r⟩
  | _, _, .some h => ⟨congrArg answer (refines h.now o).1, rel_set i (.some (op_rel h o)) r⟩
theorem empty_closed : Closed PathMap.empty := fun _ _ => .inl rfl
theorem fresh_rel {s : Scope} {t : FlatScope} (r : RelatedScope s t) : RelatedScope ⟨.fresh s.stack.freeze, s.base, s.parent⟩
    ⟨t.tree, t.base, t.parent⟩ where
  now := fresh_view.trans r.now
  was := r.was
  par := r.par
  wf := wf_congr fresh_view.symm r.wf
  wfLow := r.wf
  closed := ⟨empty_closed, r.closed⟩
theorem child_rel {s : Scope} {t : FlatScope} (r : RelatedScope s t) (i : Nat) : RelatedScope ⟨.fresh s.stack.freeze,
    s.stack.freeze, some i⟩ ⟨t.tree, t.tree, some i⟩ where
  now := fresh_view.trans r.now
  was := r.now
  par := rfl
  wf := wf_congr fresh_view.symm r.wf
  wfLow := r.wf
  closed := ⟨empty_closed, r.closed⟩
theorem rel_keep {x : Option Scope} {y z : Option FlatScope} : (b : Bool) →
    (Eq b true → Eq z y) → RelatedEntry x y → {x' : Option Scope} → RelatedEntry x' z →
    RelatedEntry (cond b x x') z
  | true, e, h, _, _ => e rfl ▸ h
  | false, _, _, _, h => h
/-- Changing an entry on one side only: the other side is related to the new entry already. -/
theorem rel_set_left {w : World} {f : FlatWorld} {x : Option Scope} {y : Option FlatScope} {i : Nat} (e : Eq (f i) y) (h : RelatedEntry x y)
    (r : Related w f) : Related (set i x w) f :=
  fun k => rel_keep _ (fun b => Eq.trans (congrArg f (Nat.eq_of_beq_eq_true b)).symm e) h (r k)
theorem fork_sim {w : World} {f : FlatWorld} (r : Related w f) (i j : Nat) : {x x' : Option Scope} → {y y' : Option FlatScope} →
    Eq (f i) y → RelatedEntry x y → RelatedEntry x' y' → RelatedResult (forkStep w i j x x') (flatForkStep f i j y y')
  | _, _, _, _, e, .some h, .none => ⟨rfl, rel_set j (.some (child_rel h i)) (rel_set_left e (.some (fresh_rel h)) r)⟩
  | _, _, _, _, _, .none, .none => ⟨rfl, r⟩
  | _, _, _, _, _, .none, .some _ => ⟨rfl, r⟩
  | _, _, _, _, _, .some _, .some _ => ⟨rfl, r⟩
theorem discard_sim {w : World} {f : FlatWorld} (r : Related w f)
    (j : Nat) : {x : Option Scope} → {y : Option FlatScope} → RelatedEntry x y →
    RelatedResult (discardStep w j x) (flatDiscardStep f j y)
  | _, _, .none => ⟨rfl, r⟩
  | _, _, .some _ => ⟨rfl, rel_set j .none r⟩
theorem merge_rel {s c : Scope} {t d : FlatScope} (r : RelatedScope s t) (k : RelatedScope c d)
    (h : Eq (conflicted (view c.base) s.stack.view c.stack.view) false) :
    RelatedScope ⟨merged s c, s.base, s.parent⟩ ⟨merge3 d.base t.tree d.tree, t.base, t.parent⟩ :=
  have w : WellFormed (merge3 (view c.base) s.stack.view c.stack.view) := clean_wf r.wf k.wf h
  have v : Same (merged s c).view (merge3 (view c.base) s.stack.view c.stack.view) := tidy_view r.wfLow w
  { now := v.trans (merge_congr k.was r.now k.now), was := r.was, par := r.par, wf := wf_congr v.symm w, wfLow := r.wfLow,
    closed := ⟨(tidy_storable r.wfLow w).1, r.closed.2⟩ }
theorem merge_go {w : World} {f : FlatWorld} (r : Related w f) (i j : Nat) {s c : Scope} {t d : FlatScope} (h : RelatedScope s t)
    (k : RelatedScope c d) :
    (a b : Bool) → Eq (conflicted (view c.base) s.stack.view c.stack.view) b → RelatedResult (mergeChecked w i j s c a b)
        (flatMergeChecked f i j t d a b)
  | false, _, _ => ⟨rfl, r⟩
  | true, true, _ => ⟨rfl, r⟩
  | true, false, e => ⟨rfl, rel_set j .none (rel_set i (.some (merge_rel h k e)) r)⟩
theorem merge_sim {w : World} {f : FlatWorld} (r : Related w f)
    (i j : Nat) : {x x' : Option Scope} → {y y' : Option FlatScope} → RelatedEntry x y →
    RelatedEntry x' y' → RelatedResult (mergeStep w i j x x') (flatMergeStep f i j y y')
  | _, _, _, _, .none, _ => ⟨rfl, r⟩
  | _, _, _, _, .some _, .none => ⟨rfl, r⟩
  | some s, some c, some t, some d, .some h, .some k =>
    show RelatedResult (mergeChecked w i j s c (isParent i c.parent) (conflicted (view c.base) s.stack.view c.stack.view))
      (flatMergeChecked f i j t d (isParent i d.parent) (conflicted d.base t.tree d.tree)) from
      k.par ▸ conflicted_congr k.was h.now k.now ▸ merge_go r i j h k _ _ rfl
/-- **refinement of worlds**: one command. -/
theorem step_sim {w : World} {f : FlatWorld} (r : Related w f) : (c : Command) → RelatedResult (commandStep w c) (flatStep f c)
  | .op i o => op_sim r i o (r i)
  | .fork i j => fork_sim r i j rfl (r i) (r j)
  | .discard j => discard_sim r j (r j)
  | .merge i j => merge_sim r i j (r i) (r j)
/-- **refinement of worlds**: any commands; a user of an overlay with scopes cannot tell it from copying. -/
theorem runs_sim {w : World} {f : FlatWorld} (r : Related w f) : (cs : List Command) → {l l' : List Answer} → Eq l l' →
    And (Eq (runs w l cs).2 (flatRuns f l' cs).2) (Related (runs w l cs).1 (flatRuns f l' cs).1)
  | .nil, _, _, e => ⟨e, r⟩
  | .cons c cs, _, _, e => runs_sim (step_sim r c).2 cs (congr_arg2 List.cons (step_sim r c).1 e)

theorem rel_lookup {s : Scope} {t : FlatScope} (r : RelatedScope s t) (q : Path) : Eq (overlayLookup s.stack.freeze q) (t.tree.get q) :=
  Eq.trans (lookup_is_view r.closed q) (r.now q)
theorem rel_look (q : Path) : {x : Option Scope} → {y : Option FlatScope} → RelatedEntry x y → Eq (look q x) (flatLook q y)
  | _, _, .none => rfl
  | _, _, .some r => congrArg some (rel_lookup r q)
/-- **the whole way**: after any commands, the overlay's own look-up, in any scope, at any path, finds what the flat model has. -/
theorem lookup_sim {w : World} {f : FlatWorld} (r : Related w f) (cs : List Command) (k : Nat) (q : Path) :
    Eq (look q ((runs w .nil cs).1 k)) (flatLook q ((flatRuns f .nil cs).1 k)) := rel_look q ((runs_sim r cs rfl).2 k)
/-! ### isolation -/
theorem set_same {α : Type} {i : Nat} {x : Option α} {w : Nat → Option α} : Eq (set i x w i) x :=
  congrArg (fun b => (cond b x (w i) : Option α)) (Nat.beq_refl i)
theorem set_other {α : Type} {i k : Nat} {x : Option α} {w : Nat → Option α} (h : Eq (Nat.beq i k) false) : Eq (set i x w k) (w k) :=
  congrArg (fun b => (cond b x (w k) : Option α)) h
theorem op_other {w : World} {i k : Nat} {o : Operation} (h : Eq (Nat.beq i k) false) : (x : Option Scope) → Eq
    ((operationStep w i o x).1 k) (w k)
  | none => rfl
  | some _ => set_other h
theorem fork_other {w : World} {i j k : Nat} (h : Eq (Nat.beq i k) false) (h' : Eq (Nat.beq j k) false) : (x y : Option Scope) →
    Eq ((forkStep w i j x y).1 k) (w k)
  | some _, none => Eq.trans (set_other h') (set_other h)
  | none, _ => rfl
  | some _, some _ => rfl
theorem discard_other {w : World} {j k : Nat} (h : Eq (Nat.beq j k) false) : (x : Option Scope) → Eq ((discardStep w j x).1 k) (w k)
  | none => rfl
  | some _ => set_other h
theorem merge_checked_other {w : World} {i j k : Nat} {s c : Scope} (h : Eq (Nat.beq i k) false) (h' : Eq (Nat.beq j k) false) :
    (a b : Bool) →
    Eq ((mergeChecked w i j s c a b).1 k) (w k)
  | false, _ => rfl
  | true, true => rfl
  | true, false => Eq.trans (set_other h') (set_other h)
theorem merge_other {w : World} {i j k : Nat} (h : Eq (Nat.beq i k) false) (h' : Eq (Nat.beq j k) false) : (x y : Option Scope) →
    Eq ((mergeStep w i j x y).1 k) (w k)
  | some _, some _ => merge_checked_other h h' _ _
  | none, _ => rfl
  | some _, none => rfl
/-- **isolation**: a command leaves all scopes alone that it does not name: siblings, parent and children. -/
theorem step_other {w : World} {k : Nat} : (c : Command) → Avoids k c → Eq ((commandStep w c).1 k) (w k)
  | .op _ _, h => op_other h _
  | .fork _ _, h => fork_other h.1 h.2 _ _
  | .discard _, h => discard_other h _
  | .merge _ _, h => merge_other h.1 h.2 _ _
/-- **isolation**, for any number of commands: work in one sibling, its forks, merges and discards, does not show in another. -/
theorem fork_isolated {k : Nat} : (cs : List Command) → {w : World} → {l : List Answer} → AllAvoid k cs → Eq ((runs w l cs).1 k) (w k)
  | .nil, _, _, _ => rfl
  | .cons c cs, _, _, h => Eq.trans (fork_isolated cs h.2) (step_other c h.1)

theorem fork_child_at {w : World} {i j : Nat} {s : Scope} :
    Eq ((forkStep w i j (some s) none).1 j) (some ⟨.fresh s.stack.freeze, s.stack.freeze, some i⟩) := set_same
theorem fork_parent_at {w : World} {i j : Nat} {s : Scope} (ne : Eq (Nat.beq j i) false) :
    Eq ((forkStep w i j (some s) none).1 i) (some ⟨.fresh s.stack.freeze, s.base, s.parent⟩) := Eq.trans (set_other ne) set_same
/-- A fork succeeds when there is a scope and the new number is free. -/
theorem fork_eq {w : World} {i j : Nat} {x y : Option Scope} (hi : Eq (w i) x) (hj : Eq (w j) y) :
    Eq (commandStep w (.fork i j)) (forkStep w i j x y) := hi ▸ hj ▸ rfl
/-- After a fork the child shows what the parent showed. -/
theorem fork_view_child {w : World} {i j : Nat} {s : Scope} (hi : Eq (w i) (some s)) (hj : Eq (w j) none) :
    Exists fun c => And (Eq ((commandStep w (.fork i j)).1 j) (some c)) (Same c.stack.view s.stack.view) :=
  ⟨⟨.fresh s.stack.freeze, s.stack.freeze, some i⟩, Eq.trans (congrArg (fun r : Prod World Answer => r.1 j)
      (fork_eq hi hj)) fork_child_at, fresh_view⟩
/-- And so does the parent. -/
theorem fork_view_parent {w : World} {i j : Nat} {s : Scope} (ne : Eq (Nat.beq j i) false) (hi : Eq (w i) (some s)) (hj : Eq (w j) none) :
    Exists fun p => And (Eq ((commandStep w (.fork i j)).1 i) (some p)) (Same p.stack.view s.stack.view) :=
  ⟨⟨.fresh s.stack.freeze, s.base, s.parent⟩, Eq.trans (congrArg (fun r : Prod World Answer => r.1 i) (fork_eq hi hj))
      (fork_parent_at ne), fresh_view⟩
/-- **discard restores the parent**: fork, do anything that does not name the parent, discard: the parent shows what it did. -/
theorem discard_restores_parent {w : World} {i j : Nat} {s : Scope} {l : List Answer} (ne : Eq (Nat.beq j i) false)
    (hi : Eq (w i) (some s)) (hj : Eq (w j) none) (cs : List Command) (h : AllAvoid i cs) :
    Exists fun p => And (Eq ((commandStep (runs (commandStep w (.fork i j)).1 l cs).1 (.discard j)).1 i) (some p))
        (Same p.stack.view s.stack.view) :=
  match fork_view_parent ne hi hj with
  | ⟨p, e, v⟩ => ⟨p, Eq.trans (step_other (.discard j) ne) (Eq.trans (fork_isolated cs h) e), v⟩

/-! ### merging at the level of worlds -/
/-- What is left in the parent's place, and the answer, when a merge has no conflict. -/
theorem merge_clean {w : World} {i j : Nat} {s c : Scope} (ne : Eq (Nat.beq j i) false) (hi : Eq (w i) (some s)) (hj : Eq (w j) (some c))
    (hp : Eq (isParent i c.parent) true) (hc : Eq (conflicted (view c.base) s.stack.view c.stack.view) false) :
    And (Eq (commandStep w (.merge i j)).2 .done) (Eq ((commandStep w (.merge i j)).1 i) (some ⟨merged s c, s.base, s.parent⟩)) :=
  have e : Eq (commandStep w (.merge i j)) ⟨set j none (set i (some ⟨merged s c, s.base, s.parent⟩) w), .done⟩ :=
    show Eq (mergeStep w i j (w i) (w j)) _ from hi ▸ hj ▸
      (show Eq (mergeChecked w i j s c (isParent i c.parent) (conflicted (view c.base) s.stack.view c.stack.view)) _ from hp ▸ hc ▸ rfl)
  ⟨congrArg (fun r : Prod World Answer => r.2) e, Eq.trans (congrArg (fun r : Prod World Answer => r.1 i) e)
      (Eq.trans (set_other ne) set_same)⟩
/-- **merging into an unchanged parent** succeeds, and the parent then shows what the child showed. -/
theorem merge_unchanged {w : World} {i j : Nat} {s c : Scope} (ne : Eq (Nat.beq j i) false) (hi : Eq (w i) (some s))
    (hj : Eq (w j) (some c))
    (hp : Eq (isParent i c.parent) true) (un : Same s.stack.view (view c.base)) (wC : WellFormed c.stack.view)
        (wL : WellFormed (view s.stack.low)) :
    And (Eq (commandStep w (.merge i j)).2 .done)
      (Exists fun p => And (Eq ((commandStep w (.merge i j)).1 i) (some p)) (Same p.stack.view c.stack.view)) :=
  have m : Same (merge3 (view c.base) s.stack.view c.stack.view) c.stack.view := merge_applies_delta un
  match merge_clean ne hi hj hp (unchanged_no_conflict un wC) with
  | ⟨a, e⟩ => ⟨a, ⟨⟨merged s c, s.base, s.parent⟩, e, (tidy_view wL (wf_congr m.symm wC)).trans m⟩⟩
end Eclogue.Files
