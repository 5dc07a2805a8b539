prelude
import Eclogue.Runtime.Files
/-! What a change of the top layer does to the view: what the flat model does. No invariant of the layers is needed. -/
namespace Eclogue.Files

/-! ### hiding -/
theorem or_congr {a a' b b' : Bool} (h : Eq a a') (k : Eq b b') : Eq (or a b) (or a' b') := congr_arg2 or h k
/-- Layers that agree point by point hide the same paths. -/
theorem hides_congr {u w : Path → Option Entry} (h : (p : Path) → Eq (u p) (w p)) : (p : Path) → Eq (hides u p) (hides w p)
  | .root => rfl
  | .sub p _ => or_congr (congrArg hider (h p)) (hides_congr h p)
theorem over_congr {U W : Layer} {T R : FileTree} (h : Same U W) (k : Same T R) : Same (over U T) (over W R) := fun p =>
  show Eq (showAt (U.get p) (hides U.get p) (T.get p)) (showAt (W.get p) (hides W.get p) (R.get p)) from
    h p ▸ hides_congr h p ▸ k p ▸ rfl
/-- Copy-up of ancestors neither hides nor reveals. -/
theorem hider_up {a : Bool} {v : Option Node} : (u : Option Entry) → Eq (hider (copyUp a v u)) (hider u)
  | some _ => rfl
  | none => match a, v with
    | false, _ => rfl
    | true, none => rfl
    | true, some (.dir _) => rfl
    | true, some (.file _ _) => rfl
    | true, some (.link _) => rfl
theorem content_copy {v : Option Node} {h : Bool} {x : Option Node} (e : Eq (unlessHidden h x) v) : (a : Bool) →
    Eq (showAt (cond a (copyDir v) none) h x) v
  | false => e
  | true => match v, e with
    | none, e => e
    | some (.dir _), _ => rfl
    | some (.file _ _), e => e
    | some (.link _), e => e
/-- Copy-up of an ancestor does not change what is seen there. -/
theorem paint_up {a h h' : Bool} {x v : Option Node} (hh : Eq h' h) : (u : Option Entry) → Eq (showAt u h x) v →
    Eq (showAt (copyUp a v u) h' x) v
  | some _, e => e
  | none, e => hh ▸ content_copy e a

/-! ### stamp -/
section
variable {p : Path} {x : Option Node} {V : FileTree} {U : Layer}
theorem hider_seal : (x : Option Node) → Eq (hider (some (sealed x))) true
  | none => rfl
  | some _ => rfl
theorem content_seal : (x : Option Node) → Eq (content (sealed x)) x
  | none => rfl
  | some _ => rfl
/-- The entry of a stamped layer, by where the path lies. -/
theorem stamp_get {q : Path} {r : Option Path} (e : Eq (strip p q) r) :
    Eq ((U.stamp p x V).get q) (stampAt (some (sealed x)) (copyUp (above q p) (V.get q) (U.get q)) r) := e ▸ rfl
theorem stamp_hides_under : (q : Path) → {r : Path} → {n : Nat} → Eq (strip p q) (some (.sub r n)) →
    Eq (hides (U.stamp p x V).get q) true
  | .root, _, _, e => (strip_root e).elim
  | .sub _q _, .root, _, e => or_left (Eq.trans (congrArg hider (stamp_get (strip_under e))) (hider_seal x))
  | .sub q _, .sub _ _, _, e => or_right (stamp_hides_under q (strip_under e))
theorem stamp_hides_off : (q : Path) → Eq (strip p q) none → Eq (hides (U.stamp p x V).get q) (hides U.get q)
  | .root, _ => rfl
  | .sub q _, e => or_congr (Eq.trans (congrArg hider (stamp_get (strip_off e))) (hider_up _)) (stamp_hides_off q (strip_off e))
theorem stamp_view_aux {L : FileTree} {q : Path} (hV : Eq ((over U L).get q) (V.get q)) : (r : Option Path) → Eq (strip p q) r →
    Eq (showAt (stampAt (some (sealed x)) (copyUp (above q p) (V.get q) (U.get q)) r) (hides (U.stamp p x V).get q) (L.get q))
      (stampAt x (V.get q) r)
  | some .root, _ => content_seal x
  | some (.sub _ _), e => stamp_hides_under q e ▸ rfl
  | none, e => paint_up (stamp_hides_off q e) _ hV
/-- The view of a stamped layer is the stamped view. -/
theorem stamp_view {L : FileTree} (hV : Same (over U L) V) : Same (over (U.stamp p x V) L) (V.stamp p x) :=
  fun q => stamp_view_aux (hV q) _ rfl
end

/-! ### relabel -/
section
variable {p : Path} {m : Nat} {V : FileTree} {U : Layer}
theorem hider_remode : (u : Option Entry) → Eq (hider (some (remode m u))) (hider u)
  | none => rfl
  | some .gone => rfl
  | some (.solid _) => rfl
  | some (.merged _) => rfl
theorem content_remode : (u : Option Entry) → Eq (content (remode m u)) (some (.dir m))
  | none => rfl
  | some .gone => rfl
  | some (.solid _) => rfl
  | some (.merged _) => rfl
theorem relabel_hider {a : Bool} {v : Option Node} {u : Option Entry} : (b : Bool) →
    Eq (hider (cond b (some (remode m u)) (copyUp a v u))) (hider u)
  | true => hider_remode u
  | false => hider_up u
theorem relabel_hides : (q : Path) → Eq (hides (U.relabel p m V).get q) (hides U.get q)
  | .root => rfl
  | .sub q _ => or_congr (relabel_hider _) (relabel_hides q)
theorem relabel_view_aux {h h' a : Bool} {u : Option Entry} {x v : Option Node} (hh : Eq h' h) (hV : Eq (showAt u h x) v) :
    (b : Bool) → Eq (showAt (cond b (some (remode m u)) (copyUp a v u)) h' x) (cond b (some (.dir m)) v)
  | true => content_remode u
  | false => paint_up hh _ hV
/-- The view of a layer with a directory's mode changed is the view so changed. -/
theorem relabel_view {L : FileTree} (hV : Same (over U L) V) : Same (over (U.relabel p m V) L) (V.relabel p m) :=
  fun q => relabel_view_aux (relabel_hides q) (hV q) _
end

/-! ### move -/
section
variable {s d : Path} {V : FileTree} {U : Layer}
theorem move_get {q : Path} {r r' : Option Path} (e : Eq (strip d q) r) (e' : Eq (strip s q) r') :
    Eq ((U.move s d V).get q) (moveEntry V s (copyUp (aboveEither q s d) (V.get q) (U.get q)) r r') := e ▸ e' ▸ rfl
theorem move_hides_target : (q : Path) → {r : Path} → {n : Nat} → Eq (strip d q) (some (.sub r n)) →
    Eq (hides (U.move s d V).get q) true
  | .root, _, _, e => (strip_root e).elim
  | .sub _q _, .root, _, e => or_left (Eq.trans (congrArg hider (move_get (strip_under e) rfl)) (hider_seal _))
  | .sub q _, .sub _ _, _, e => or_right (move_hides_target q (strip_under e))
theorem move_hides_source : (q : Path) → {r : Path} → {n : Nat} → Eq (strip d q) none → Eq (strip s q) (some (.sub r n)) →
    Eq (hides (U.move s d V).get q) true
  | .root, _, _, _, e => (strip_root e).elim
  | .sub _q _, .root, _, e, e' => or_left (congrArg hider (move_get (strip_off e) (strip_under e')))
  | .sub q _, .sub _ _, _, e, e' => or_right (move_hides_source q (strip_off e) (strip_under e'))
theorem move_hides_off : (q : Path) → Eq (strip d q) none → Eq (strip s q) none →
    Eq (hides (U.move s d V).get q) (hides U.get q)
  | .root, _, _ => rfl
  | .sub q _, e, e' => or_congr (Eq.trans (congrArg hider (move_get (strip_off e) (strip_off e'))) (hider_up _))
      (move_hides_off q (strip_off e) (strip_off e'))
theorem paint_copy {y : Option Node} : {h : Bool} → (x : Option Node) → Eq h true → Eq (showAt (copy x) h y) x
  | _, some _, _ => rfl
  | _, none, rfl => rfl
theorem move_view_aux {L : FileTree} {q : Path} (hV : Eq ((over U L).get q) (V.get q)) : (r r' : Option Path) → Eq (strip d q) r →
    Eq (strip s q) r' →
    Eq (showAt (moveEntry V s (copyUp (aboveEither q s d) (V.get q) (U.get q)) r r') (hides (U.move s d V).get q) (L.get q))
      (moveAt V s (V.get q) r r')
  | some .root, _, _, _ => content_seal _
  | some (.sub _ _), _, e, _ => paint_copy _ (move_hides_target q e)
  | none, some .root, _, _ => rfl
  | none, some (.sub _ _), e, e' => move_hides_source q e e' ▸ rfl
  | none, none, e, e' => paint_up (move_hides_off q e e') _ hV
/-- The view of a layer with a subtree moved is the view so changed: also for directories that lie in lower layers. -/
theorem move_view {L : FileTree} (hV : Same (over U L) V) : Same (over (U.move s d V) L) (V.move s d) :=
  fun q => move_view_aux (hV q) _ _ rfl rfl
end

/-- Every primitive change of the top layer is the same change of the view. -/
theorem act_view {U : Layer} {L : FileTree} : (a : Change) → Same (over (a.onLayer (over U L) U) L) (a.onTree (over U L))
  | .skip => .refl _
  | .stamp _ _ => stamp_view (.refl _)
  | .relabel _ _ => relabel_view (.refl _)
  | .move _ _ => move_view (.refl _)
end Eclogue.Files
