prelude
import Eclogue.Runtime.Storage
import Eclogue.Proofs.Runtime.Merge
/-! The layers that operations and merges make can be stored: whatever they have lies in directories that they have. -/
namespace Eclogue.Files

section
variable {U : Layer} {L V : FileTree}
theorem up_dir_aux {a h : Bool} {x v : Option Node} (ha : Eq a true) (d : Eq (isDirectory v) true) : (u : Option Entry) → Eq
    (showAt u h x) v →
    mayHaveChildren (copyUp a v u)
  | some .gone, e => nomatch Eq.trans (congrArg isDirectory e) d
  | some (.solid (.dir _)), _ => True.intro
  | some (.solid (.file _ _)), e => nomatch Eq.trans (congrArg isDirectory e) d
  | some (.solid (.link _)), e => nomatch Eq.trans (congrArg isDirectory e) d
  | some (.merged _), _ => True.intro
  | none, _ => match a, v, ha, d with
    | true, some (.dir _), _, _ => True.intro
    | true, some (.file _ _), _, d => nomatch d
    | true, some (.link _), _, d => nomatch d
    | true, none, _, d => nomatch d
/-- A copied-up directory may have children. -/
theorem up_dir (hV : Same (over U L) V) {q : Path} {a : Bool} (ha : Eq a true) (d : Eq (isDirectory (V.get q)) true) :
    mayHaveChildren (copyUp a (V.get q) (U.get q)) := up_dir_aux ha d _ (hV q)
theorem may_have_children_up {a : Bool} {v : Option Node} : {u : Option Entry} → mayHaveChildren u → mayHaveChildren (copyUp a v u)
  | some _, h => h
  | none, h => h.elim
theorem up_child_aux {a : Bool} {v : Option Node} {P : Prop} (f : Eq a true → Eq (isDirectory v) true → P) :
    (u : Option Entry) → Or (Eq u none) P → Or (Eq (copyUp a v u) none) P
  | some _, .inr h => .inr h
  | some _, .inl h => nomatch h
  | none, _ => match a, v, f with
    | false, _, _ => .inl rfl
    | true, none, _ => .inl rfl
    | true, some (.file _ _), _ => .inl rfl
    | true, some (.link _), _ => .inl rfl
    | true, some (.dir _), f => .inr (f rfl rfl)
theorem dir_parent (w : WellFormed V) {q : Path} {n : Nat} (d : Eq (isDirectory (V.get (.sub q n))) true) : Eq
    (isDirectory (V.get q)) true :=
  match w.2 q n with
  | .inl e => (dir_some d e).elim
  | .inr h => h
/-- Outside the changed subtrees a layer stays closed, when with a path its ancestors are copied up. -/
theorem up_child (c : Closed U) (w : WellFormed V) (hV : Same (over U L) V) {A : Path → Bool} {q : Path} {n : Nat}
    (hA : Eq (A (.sub q n)) true → Eq (A q) true) :
    Or (Eq (copyUp (A (.sub q n)) (V.get (.sub q n)) (U.get (.sub q n))) none) (mayHaveChildren (copyUp (A q) (V.get q) (U.get q))) :=
  up_child_aux (fun a d => up_dir hV (hA a) (dir_parent w d)) _ (or_map may_have_children_up (c q n))
end
theorem above_self {q : Path} {n : Nat} : Eq (above q (.sub q n)) true := or_left (Path.beq_refl q)
theorem above_up {q : Path} {n : Nat} : (p : Path) → Eq (above (.sub q n) p) true → Eq (above q p) true
  | .root, h => nomatch h
  | .sub p _, h => match or_cases h with
    | .inl e => or_right (show Eq (above q p) true from Path.eq_of_beq e ▸ above_self)
    | .inr e => or_right (above_up p e)
theorem above2_up {q s d : Path} {n : Nat} (h : Eq (aboveEither (.sub q n) s d) true) : Eq (aboveEither q s d) true := match or_cases h with
  | .inl h => or_left (above_up s h)
  | .inr h => or_right (above_up d h)

section
variable {U : Layer} {L V : FileTree}
theorem stamp_off_dir {e : Option Entry} {u : Option Entry} : {r : Option Path} → Eq r none → mayHaveChildren u → mayHaveChildren
    (stampAt e u r)
  | _, rfl, h => h
theorem stamp_closed_aux {p q : Path} {n : Nat} {x : Option Node} (c : Closed U) (w : WellFormed V) (hV : Same (over U L) V)
    (a : ParentDir V p) :
    (r : Option Path) → Eq (strip p (.sub q n)) r →
    Or (Eq (stampAt (some (sealed x)) (copyUp (above (.sub q n) p) (V.get (.sub q n)) (U.get (.sub q n))) r) none)
        (mayHaveChildren ((U.stamp p x V).get q))
  | some (.sub _ _), _ => .inl rfl
  | none, e => or_map (stamp_off_dir (strip_off e)) (up_child (A := fun q => above q p) c w hV (above_up p))
  | some .root, e => match p, a, e, strip_eq (.sub q n) e with
    | .sub _ _, a, _, rfl => .inr (stamp_off_dir strip_parent (up_dir hV above_self a))
theorem remode_dir {m : Nat} {v : Option Entry} : (b : Bool) → (u : Option Entry) → mayHaveChildren v → mayHaveChildren
    (cond b (some (remode m u)) v)
  | false, _, h => h
  | true, none, _ => True.intro
  | true, some .gone, _ => True.intro
  | true, some (.solid _), _ => True.intro
  | true, some (.merged _), _ => True.intro
theorem relabel_closed_aux {p q : Path} {n m : Nat} (c : Closed U) (w : WellFormed V) (hV : Same (over U L) V)
    (a : Eq (isDirectory (V.get p)) true) :
    (b : Bool) → Eq (Path.beq p (.sub q n)) b →
    Or (Eq (cond b (some (remode m (U.get (.sub q n)))) (copyUp (above (.sub q n) p) (V.get (.sub q n)) (U.get (.sub q n)))) none)
      (mayHaveChildren ((U.relabel p m V).get q))
  | false, _ => or_map (remode_dir _ _) (up_child (A := fun q => above q p) c w hV (above_up p))
  | true, e => match p, a, Path.eq_of_beq e with
    | _, a, rfl => .inr (remode_dir _ _ (up_dir hV above_self (dir_parent w a)))
theorem move_off_dir {s : Path} {u : Option Entry} : {r r' : Option Path} → Eq r none → Eq r' none → mayHaveChildren u →
    mayHaveChildren (moveEntry V s u r r')
  | _, _, rfl, rfl, h => h
theorem seal_dir : {x : Option Node} → Eq (isDirectory x) true → mayHaveChildren (some (sealed x))
  | some (.dir _), _ => True.intro
  | some (.file _ _), h => nomatch h
  | some (.link _), h => nomatch h
  | none, h => nomatch h
theorem copy_dir : {x : Option Node} → Eq (isDirectory x) true → mayHaveChildren (copy x)
  | some (.dir _), _ => True.intro
  | some (.file _ _), h => nomatch h
  | some (.link _), h => nomatch h
  | none, h => nomatch h
theorem move_in_dir {s : Path} {u : Option Entry} {r' : Option Path} : (k : Path) → {r : Option Path} → Eq r (some k) →
    Eq (isDirectory (V.get (join s k))) true → mayHaveChildren (moveEntry V s u r r')
  | .root, _, rfl, h => seal_dir h
  | .sub _ _, _, rfl, h => copy_dir h
theorem copy_none {x : Option Node} (h : Eq x none) : Eq (copy x) none := h ▸ rfl
theorem or_first {a b c : Prop} (f : a → c) : Or a b → Or c b
  | .inl h => .inl (f h)
  | .inr h => .inr h
theorem move_closed_aux {s d q : Path} {n : Nat} (c : Closed U) (w : WellFormed V) (hV : Same (over U L) V) (ps : ParentDir V s)
    (pd : ParentDir V d) (o : Eq (strip s d) none) : (r r' : Option Path) → Eq (strip d (.sub q n)) r → Eq (strip s (.sub q n)) r' →
    Or (Eq (moveEntry V s (copyUp (aboveEither (.sub q n) s d) (V.get (.sub q n)) (U.get (.sub q n))) r r') none)
        (mayHaveChildren ((U.move s d V).get q))
  | some (.sub k j), _, e, _ => or_first copy_none (or_map (move_in_dir k (strip_under e)) (w.2 (join s k) j))
  | none, some (.sub _ _), _, _ => .inl rfl
  | none, none, e, e' => or_map (move_off_dir (strip_off e) (strip_off e')) (up_child (A := fun q => aboveEither q s d) c w hV above2_up)
  | some .root, _, e, _ => match d, pd, o, e, strip_eq (.sub q n) e with
    | .sub _ _, pd, o, _, rfl => .inr (move_off_dir strip_parent (strip_off o) (up_dir hV (or_right above_self) pd))
  | none, some .root, e, e' => match s, ps, e', strip_eq (.sub q n) e' with
    | .sub _ _, ps, _, rfl => .inr (move_off_dir (strip_off e) strip_parent (up_dir hV (or_left above_self) ps))
/-- An admissible change keeps the top layer storable. -/
theorem top_closed (c : Closed U) (w : WellFormed V) (hV : Same (over U L) V) : (a : Change) → Admissible V a → Closed (a.onLayer V U)
  | .skip, _ => c
  | .stamp _ _, a => fun _ _ => stamp_closed_aux c w hV a _ rfl
  | .relabel _ _, a => fun _ _ => relabel_closed_aux c w hV a _ rfl
  | .move _ _, a => fun _ _ => move_closed_aux c w hV a.1.1 a.1.2 a.2.1 _ _ rfl rfl
end
theorem exec_closed {S : Stack} (c : Closed S.top) (w : WellFormed S.view) : (k : Plan) → PlanOk S.view k → Closed (S.execute k).1.top
  | .fail _, _ => c
  | .act a, h => top_closed c w (.refl S.view) a h
/-- **operations make layers that an overlay can store**. -/
theorem run_closed {S : Stack} (c : Closed S.top) (w : WellFormed S.view) (o : Operation) : Closed
    (S.run o).1.top := exec_closed c w _ (decide_ok w o)

theorem is_present_false : {x : Option Node} → Eq (not (isPresent x)) true → Eq x none
  | none, _ => rfl
  | some _, h => nomatch h
theorem drop_hider : (h : Bool) → (u : Option Entry) → Eq (hider u) true → Or (Eq h true) (Eq (hider (dropGone h u)) true)
  | true, _, _ => .inl rfl
  | false, _, e => .inr e
theorem drop_mono : (h : Bool) → (u : Option Entry) → Eq (hider (dropGone h u)) true → Eq (hider u) true
  | true, some .gone, e => nomatch e
  | true, some (.solid _), _ => rfl
  | true, some (.merged _), e => nomatch e
  | true, none, e => nomatch e
  | false, _, e => e
theorem or_join {a b : Bool} : Or (Eq a true) (Eq b true) → Eq (or a b) true
  | .inl h => or_left h
  | .inr h => or_right h
section
variable {U : Layer} {L : FileTree}
theorem no_child_of_none (w : WellFormed L) {q : Path} {n : Nat} (h : Eq (L.get q) none) : Eq (L.get (.sub q n)) none := no_child w
    (no_dir h)
theorem trim_hides_mono : (q : Path) → Eq (hides (trim L U).get q) true → Eq (hides U.get q) true
  | .root, h => nomatch h
  | .sub q _, h => match or_cases h with
    | .inl h => or_left (drop_mono _ _ h)
    | .inr h => or_right (trim_hides_mono q h)
theorem trim_hides (w : WellFormed L) : (q : Path) → Eq (hides U.get q) true → Or (Eq (hides (trim L U).get q) true) (Eq (L.get q) none)
  | .root, h => nomatch h
  | .sub q _, h =>
    have copyUp : Eq (hides U.get q) true → Or (Eq (hides (trim L U).get (.sub q _)) true) (Eq (L.get (.sub q _)) none) := fun h =>
      match trim_hides w q h with
      | .inl h => .inl (or_right h)
      | .inr e => .inr (no_child_of_none w e)
    match or_cases h with
    | .inr h => copyUp h
    | .inl h => match drop_hider (or (hides U.get q) (not (isPresent (L.get q)))) (U.get q) h with
      | .inr h => .inl (or_left h)
      | .inl h => match or_cases h with
        | .inl h => copyUp h
        | .inr h => .inr (no_child_of_none w (is_present_false h))
theorem keep_same {h h' : Bool} {x : Option Node} (f : Eq h' true → Eq h true) (g : Eq h true → Or (Eq h' true) (Eq x none)) :
    Eq (unlessHidden h' x) (unlessHidden h x) := match h, h', f, g with
  | true, true, _, _ => rfl
  | false, false, _, _ => rfl
  | false, true, f, _ => nomatch f rfl
  | true, false, _, g => match g rfl with
    | .inl e => nomatch e
    | .inr e => e
theorem trim_paint_aux {h h' : Bool} {x : Option Node} (f : Eq h' true → Eq h true) (g : Eq h true → Or (Eq h' true) (Eq x none)) :
    (t : Bool) →
    Eq (or h (not (isPresent x))) t → (u : Option Entry) → Eq (showAt (dropGone t u) h' x) (showAt u h x)
  | false, _, none => keep_same f g
  | true, _, none => keep_same f g
  | true, _, some (.solid _) => rfl
  | true, _, some (.merged _) => rfl
  | false, _, some _ => rfl
  | true, e, some .gone => match h, or_cases e with
    | _, .inl rfl => keep_same f g
    | _, .inr e => is_present_false e ▸ keep_none h'
/-- Trimming changes no view. -/
theorem trim_view (w : WellFormed L) : Same (over (trim L U) L) (over U L) :=
  fun q => trim_paint_aux (trim_hides_mono q) (trim_hides w q) _ rfl _
theorem drop_gone : (h : Bool) → (u : Option Entry) → Eq (dropGone h u) (some .gone) → Eq h false
  | true, some .gone, e => nomatch e
  | true, some (.solid _), e => nomatch e
  | true, some (.merged _), e => nomatch e
  | true, none, e => nomatch e
  | false, _, _ => rfl
theorem or_false_left : {a b : Bool} → Eq (or a b) false → And (Eq a false) (Eq b false)
  | false, false, _ => ⟨rfl, rfl⟩
  | false, true, h => nomatch h
  | true, _, h => nomatch h
theorem not_true' : {a b : Bool} → (Eq a true → Eq b true) → Eq b false → Eq a false
  | false, _, _, _ => rfl
  | true, _, f, h => nomatch Eq.trans (f rfl).symm h
theorem not_false : {a : Bool} → Eq (not a) false → Eq a true
  | true, _ => rfl
  | false, h => nomatch h
/-- What is left is needed. -/
theorem trim_needed : Needed (trim L U) L := fun q e => match or_false_left (drop_gone _ _ e) with
  | ⟨h, k⟩ => ⟨not_true' (trim_hides_mono q) h, not_false k⟩
theorem drop_dir {h : Bool} : {u : Option Entry} → mayHaveChildren u → mayHaveChildren (dropGone h u)
  | some (.solid (.dir _)), _ => match h with
    | true => True.intro
    | false => True.intro
  | some (.merged _), _ => match h with
    | true => True.intro
    | false => True.intro
  | some .gone, f => f.elim
  | some (.solid (.file _ _)), f => f.elim
  | some (.solid (.link _)), f => f.elim
  | none, f => f.elim
theorem drop_none {h : Bool} : {u : Option Entry} → Eq u none → Eq (dropGone h u) none
  | _, rfl => match h with
    | true => rfl
    | false => rfl
/-- Trimming keeps a layer closed: so the layers of operations, trimmed, can be stored. -/
theorem trim_storable (c : Closed U) : Storable (trim L U) L := ⟨fun q n => match c q n with
  | .inl e => .inl (drop_none e)
  | .inr d => .inr (drop_dir d), trim_needed⟩
end
section
variable {U : Layer} {L V : FileTree}
theorem fill_hides : (q : Path) → Eq (hides (fill V U).get q) (hides U.get q)
  | .root => rfl
  | .sub q _ => or_congr (hider_up _) (fill_hides q)
/-- Filling changes no view. -/
theorem fill_view (hV : Same (over U L) V) : Same (over (fill V U) L) V := fun q => paint_up (fill_hides q) _ (hV q)
theorem busy_child {q : Path} {n : Nat} (h : Eq (isPresent (U.get (.sub q n))) true) : Eq (busy U q) true :=
  any_of_mem (f := fun r => and (above q r) (isPresent (U.get r))) (and_intro above_self h) (isSome_mem' (U.covered (.sub q n)) h)
where
  isSome_mem' {q : Path} : Or (Eq (U.get q) none) (Mem q U.paths) → Eq (isPresent (U.get q)) true → Mem q U.paths
    | .inr m, _ => m
    | .inl h, e => nomatch Eq.trans e.symm (congrArg isPresent h)
theorem any_mono {α : Type} {f g : α → Bool} (h : (a : α) → Eq (f a) true → Eq (g a) true) : (l : List α) → Eq (any f l) true → Eq
    (any g l) true
  | .nil, e => nomatch e
  | .cons a l, e => match or_cases e with
    | .inl e => or_left (h a e)
    | .inr e => or_right (any_mono h l e)
theorem busy_up {q : Path} {n : Nat} (h : Eq (busy U (.sub q n)) true) : Eq (busy U q) true :=
  any_mono (fun r e => and_intro (above_up r (and_true e).1) (and_true e).2) _ h
theorem plain_dir {x v : Option Node} {h : Bool} (hh : Eq h false) (d : Eq (isDirectory x) true) : (u : Option Entry) → Eq (hider u) false →
    Eq (showAt u h x) v → Eq (isDirectory v) true
  | none, _, e => e ▸ hh ▸ d
  | some (.merged _), _, e => e ▸ rfl
  | some .gone, k, _ => nomatch k
  | some (.solid _), k, _ => nomatch k
theorem entry_dir (wL : WellFormed L) (wV : WellFormed V) (hV : Same (over U L) V) (nd : Needed U L) {q : Path} {n : Nat} :
    (u : Option Entry) →
    Eq (U.get (.sub q n)) u → Or (Eq u none) (Eq (isDirectory (V.get q)) true)
  | none, _ => .inl rfl
  | some (.solid _x), e => .inr (match wV.2 q n with
    | .inr d => d
    | .inl z => nomatch Eq.trans z.symm (Eq.trans (hV (.sub q n)).symm
          (congrArg (fun u => showAt u (hides U.get (.sub q n)) (L.get (.sub q n))) e)))
  | some (.merged _m), e => .inr (match wV.2 q n with
    | .inr d => d
    | .inl z => nomatch Eq.trans z.symm (Eq.trans (hV (.sub q n)).symm
          (congrArg (fun u => showAt u (hides U.get (.sub q n)) (L.get (.sub q n))) e)))
  | some .gone, e => .inr (match nd _ e, wL.2 q n with
    | ⟨_, k⟩, .inl z => nomatch Eq.trans k.symm (congrArg isPresent z)
    | ⟨h, _⟩, .inr d => plain_dir (or_false_left h).2 d _ (or_false_left h).1 (hV q))
theorem fill_child {q : Path} {n : Nat} (hV : Same (over U L) V) (w : WellFormed V) : (u : Option Entry) → Eq (U.get (.sub q n)) u →
    Or (Eq u none) (Eq (isDirectory (V.get q)) true) → Or (Eq (copyUp (busy U (.sub q n)) (V.get (.sub q n)) u) none)
        (mayHaveChildren (copyUp (busy U q) (V.get q) (U.get q)))
  | some _, e, .inr d => .inr (up_dir hV (busy_child (congrArg isPresent e)) d)
  | some _, _, .inl z => nomatch z
  | none, _, _ => up_child_aux (fun a d => up_dir hV (busy_up a) (dir_parent w d)) none (.inl rfl)
/-- A filled layer whose whiteouts are needed can be stored. -/
theorem fill_closed (wL : WellFormed L) (wV : WellFormed V) (hV : Same (over U L) V) (nd : Needed U L) : Closed (fill V U) :=
  fun _ _ => fill_child hV wV _ rfl (entry_dir wL wV hV nd _ rfl)
end
theorem up_gone {a : Bool} {v : Option Node} : (u : Option Entry) → Eq (copyUp a v u) (some .gone) → Eq u (some .gone)
  | some _, e => e
  | none, e => match a, v, e with
    | false, _, e => nomatch e
    | true, none, e => nomatch e
    | true, some (.file _ _), e => nomatch e
    | true, some (.link _), e => nomatch e
    | true, some (.dir _), e => nomatch e
/-- Filling adds no whiteout. -/
theorem fill_needed {U : Layer} {L V : FileTree} (nd : Needed U L) : Needed (fill V U) L := fun q e =>
  ⟨Eq.trans (fill_hides q) (nd q (up_gone _ e)).1, (nd q (up_gone _ e)).2⟩
/-- **it shows the merged tree**. -/
theorem tidy_view {L M : FileTree} (wL : WellFormed L) (wM : WellFormed M) : Same (over (tidy L M) L) M := fill_view
    ((trim_view wL).trans (lift_view wL wM))
/-- **and it can be stored**. -/
theorem tidy_storable {L M : FileTree} (wL : WellFormed L) (wM : WellFormed M) : Storable (tidy L M) L :=
  ⟨fill_closed wL wM ((trim_view wL).trans (lift_view wL wM)) trim_needed, fill_needed trim_needed⟩

/-! ### squashing -/
theorem squash_dir {h : Bool} {l : Option Entry} : {u : Option Entry} → mayHaveChildren u → mayHaveChildren (squashAt u h l)
  | some (.solid (.dir _)), _ => True.intro
  | some (.merged _), _ => match l with
    | none => True.intro
    | some .gone => True.intro
    | some (.solid _) => True.intro
    | some (.merged _) => True.intro
  | some .gone, f => f.elim
  | some (.solid (.file _ _)), f => f.elim
  | some (.solid (.link _)), f => f.elim
  | none, f => f.elim
theorem squash_dir_low {h : Bool} {l : Option Entry} (d : mayHaveChildren l) : (u : Option Entry) → Eq
    (hider u) false → Eq h false → mayHaveChildren (squashAt u h l)
  | none, _, e => e ▸ d
  | some (.merged _), _, _ => squash_dir True.intro
  | some .gone, f, _ => nomatch f
  | some (.solid _), f, _ => nomatch f
theorem squash_closed_aux {U L : Layer} {q : Path} {n : Nat} (cU : Closed U) (cL : Closed L) : (h : Bool) → Eq (hides U.get (.sub q n)) h →
    (u : Option Entry) → Eq (U.get (.sub q n)) u → Or (Eq (squashAt u h (L.get (.sub q n))) none) (mayHaveChildren ((squash U L).get q))
  | _, _, some _, e => match cU q n with
    | .inl z => nomatch Eq.trans z.symm e
    | .inr d => .inr (squash_dir d)
  | true, _, none, _ => .inl rfl
  | false, eh, none, _ => match cL q n with
    | .inl z => .inl z
    | .inr d => .inr (squash_dir_low d _ (or_false_left eh).1 (or_false_left eh).2)
/-- Two storable layers make a storable one. -/
theorem squash_closed {U L : Layer} (cU : Closed U) (cL : Closed L) : Closed (squash U L) := fun _ _ => squash_closed_aux cU cL _ rfl _ rfl
/-- Squashed and trimmed, they can be stored; and the view is the same. -/
theorem squash_storable {U L : Layer} {T : FileTree} (cU : Closed U) (cL : Closed L) (w : WellFormed T) :
    And (Storable (trim T (squash U L)) T) (Same (over (trim T (squash U L)) T) (over U (over L T))) :=
  ⟨trim_storable (squash_closed cU cL), (trim_view w).trans squash_view⟩
end Eclogue.Files
