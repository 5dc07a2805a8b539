prelude
import Eclogue.Runtime.Lookup
import Eclogue.Proofs.Runtime.View
/-! The overlay's look-up is the pointwise view. -/
namespace Eclogue.Files

/-- Strictly below. -/
inductive Below (p : Path) : Path → Prop where
  | child {n} : Below p (.sub p n)
  | deeper {q n} : Below p q → Below p (.sub q n)
theorem below_child {p : Path} {n : Nat} : {q : Path} → Below (.sub p n) q → Below p q
  | _, .child => .deeper .child
  | _, .deeper b => .deeper (below_child b)

section
variable {U : Layer} {p : Path}
theorem none_may_have_children {u : Option Entry} (e : Eq u none) (h : mayHaveChildren u) : False := (e ▸ h : mayHaveChildren none)
theorem none_below_step (c : Closed U) {q : Path} {n : Nat} (f : Not (mayHaveChildren (U.get q))) : Eq
    (U.get (.sub q n)) none := match c q n with
  | .inl e => e
  | .inr d => (f d).elim
/-- Below what is no directory a layer has nothing. -/
theorem none_below (c : Closed U) (f : Not (mayHaveChildren (U.get p))) : {q : Path} → Below p q → Eq (U.get q) none
  | _, .child => none_below_step c f
  | _, .deeper b => none_below_step c (none_may_have_children (none_below c f b))
theorem hides_none (c : Closed U) (e : Eq (U.get p) none) : {q : Path} → Below p q → Eq (hides U.get q) (hides U.get p)
  | _, .child => congr_arg2 or (congrArg hider e) rfl
  | _, .deeper b => congr_arg2 or (congrArg hider (none_below c (none_may_have_children e) b)) (hides_none c e b)
theorem hides_hider (h : Eq (hider (U.get p)) true) : {q : Path} → Below p q → Eq (hides U.get q) true
  | _, .child => or_left h
  | _, .deeper b => or_right (hides_hider h b)
end

/-- No layer but the last hides anything at the path. -/
def Chain (p : Path) : List Layer → Prop
  | .nil => True
  | .cons U Us => And (Or (Eq Us .nil) (Eq (hides U.get p) false)) (Chain p Us)
/-- One path of a stack. -/
def viewAt (Us : List Layer) (q : Path) : Option Node := (view Us).get q
theorem keep_chain {Us : List Layer} {h : Bool} {q : Path} : Or (Eq Us .nil) (Eq h false) → Eq (unlessHidden h (viewAt Us q)) (viewAt Us q)
  | .inl e => e ▸ keep_none h
  | .inr e => e ▸ rfl
theorem at_none {U : Layer} {Us : List Layer} {q : Path} (e : Eq (U.get q) none) : Eq (viewAt (.cons U Us) q)
    (unlessHidden (hides U.get q) (viewAt Us q)) :=
  congrArg (fun u => showAt u (hides U.get q) (viewAt Us q)) e
theorem at_hidden {U : Layer} {Us : List Layer} {q : Path} (h : Eq (hides U.get q) true) : Eq (viewAt (.cons U Us) q)
    (viewAt (.cons U .nil) q) :=
  have f : (u : Option Entry) → Eq (showAt u true (viewAt Us q)) (showAt u true none) := fun u => match u with
    | none => rfl
    | some _ => rfl
  Eq.trans (congrArg (fun h => showAt (U.get q) h (viewAt Us q)) h)
      (Eq.trans (f (U.get q)) (congrArg (fun h => showAt (U.get q) h none) h.symm))
theorem at_gone {U : Layer} {Us : List Layer} {q : Path} (e : Eq (U.get q) none) (h : Eq (hides U.get q) true) : Eq
    (viewAt (.cons U Us) q) none :=
  Eq.trans (at_none e) (congrArg (fun h => unlessHidden h (viewAt Us q)) h)
theorem at_cons {U : Layer} {Us Vs : List Layer} {q : Path} (e : Eq (viewAt Us q) (viewAt Vs q)) : Eq (viewAt (.cons U Us) q)
    (viewAt (.cons U Vs) q) :=
  congrArg (showAt (U.get q) (hides U.get q)) e

/-! at the path itself -/
theorem scan_at_aux {U : Layer} {Us ds : List Layer} {q : Path} (h : Or (Eq Us .nil) (Eq (hides U.get q) false))
    (ih : Eq (viewAt Us q) (shown q (scan q Us))) : (u : Option Entry) → Eq (U.get q) u →
    Eq (viewAt (.cons U Us) q) (shown q (findOne U (scan q Us) ds u))
  | none, e => Eq.trans (at_none e) (Eq.trans (keep_chain h) ih)
  | some .gone, e => congrArg (fun u => showAt u (hides U.get q) (viewAt Us q)) e
  | some (.solid _n), e => Eq.trans (congrArg (fun u => showAt u (hides U.get q) (viewAt Us q)) e) (congrArg entryShows e).symm
  | some (.merged _m), e => Eq.trans (congrArg (fun u => showAt u (hides U.get q) (viewAt Us q)) e) (congrArg entryShows e).symm
theorem scan_at {q : Path} : (Us : List Layer) → Chain q Us → Eq (viewAt Us q) (shown q (scan q Us))
  | .nil, _ => rfl
  | .cons _ Us, c => scan_at_aux c.1 (scan_at Us c.2) _ rfl

/-! strictly below it -/
section
variable {U : Layer} {Us : List Layer} {p q : Path}
theorem skip_layer (c : Closed U) (h : Or (Eq Us .nil) (Eq (hides U.get p) false)) (b : Below p q) (e : Eq (U.get p) none) :
    Eq (viewAt (.cons U Us) q) (viewAt Us q) :=
  Eq.trans (at_none (none_below c (none_may_have_children e) b)) (Eq.trans (congrArg (fun h => unlessHidden h (viewAt Us q))
      (hides_none c e b)) (keep_chain h))
theorem stop_layer (c : Closed U) (b : Below p q) {u : Option Entry} (e : Eq (U.get p) u) (f : Not (mayHaveChildren u))
    (h : Eq (hider u) true) :
    Eq (viewAt (.cons U Us) q) none :=
  at_gone (none_below c (fun d => f (e ▸ d)) b) (hides_hider (e ▸ h) b)
theorem merging_below_aux (c : Closed U) (h : Or (Eq Us .nil) (Eq (hides U.get p) false)) (b : Below p q)
    (ih : Eq (viewAt Us q) (viewAt (merging p Us) q)) : (u : Option Entry) → Eq (U.get p) u →
    Eq (viewAt (.cons U Us) q) (viewAt (mergeOne U (merging p Us) u) q)
  | none, e => Eq.trans (skip_layer c h b e) ih
  | some .gone, e => stop_layer c b e id rfl
  | some (.solid (.dir _)), e => at_hidden (hides_hider (e ▸ rfl) b)
  | some (.solid (.file _ _)), e => stop_layer c b e id rfl
  | some (.solid (.link _)), e => stop_layer c b e id rfl
  | some (.merged _), _ => at_cons ih
theorem scan_below_aux (c : Closed U) (h : Or (Eq Us .nil) (Eq (hides U.get p) false)) (b : Below p q)
    (ih : Eq (viewAt Us q) (viewAt (scan p Us) q)) (im : Eq (viewAt Us q) (viewAt (merging p Us) q)) : (u : Option Entry) → Eq (U.get p) u →
    Eq (viewAt (.cons U Us) q) (viewAt (findOne U (scan p Us) (merging p Us) u) q)
  | none, e => Eq.trans (skip_layer c h b e) ih
  | some .gone, e => stop_layer c b e id rfl
  | some (.solid _), e => at_hidden (hides_hider (e ▸ rfl) b)
  | some (.merged _), _ => at_cons im
end
theorem merging_below {p q : Path} (b : Below p q) : (Us : List Layer) → AllClosed Us → Chain p Us → Eq (viewAt Us q)
    (viewAt (merging p Us) q)
  | .nil, _, _ => rfl
  | .cons _ Us, a, c => merging_below_aux a.1 c.1 b (merging_below b Us a.2 c.2) _ rfl
theorem scan_below {p q : Path} (b : Below p q) : (Us : List Layer) → AllClosed Us → Chain p Us → Eq (viewAt Us q) (viewAt (scan p Us) q)
  | .nil, _, _ => rfl
  | .cons _ Us, a, c => scan_below_aux a.1 c.1 b (scan_below b Us a.2 c.2) (merging_below b Us a.2 c.2) _ rfl

/-! the lists of contributing layers -/
section
variable {p : Path} {n : Nat}
theorem merged_chain {U : Layer} {Us Vs : List Layer} {m : Nat} (e : Eq (U.get p) (some (.merged m))) (f : Eq Us .nil → Eq Vs .nil) :
    Or (Eq Us .nil) (Eq (hides U.get p) false) → Or (Eq Vs .nil) (Eq (hides U.get (.sub p n)) false)
  | .inl h => .inl (f h)
  | .inr h => .inr (congr_arg2 or (congrArg hider e) h)
theorem merging_nil : {Us : List Layer} → Eq Us .nil → Eq (merging p Us) .nil
  | _, rfl => rfl
theorem merging_chain_aux {U : Layer} {Us : List Layer} (h : Or (Eq Us .nil) (Eq (hides U.get p) false))
    (ih : Chain (.sub p n) (merging p Us)) : (u : Option Entry) → Eq (U.get p) u → Chain (.sub p n) (mergeOne U (merging p Us) u)
  | none, _ => ih
  | some .gone, _ => True.intro
  | some (.solid (.dir _)), _ => ⟨.inl rfl, True.intro⟩
  | some (.solid (.file _ _)), _ => True.intro
  | some (.solid (.link _)), _ => True.intro
  | some (.merged _), e => ⟨merged_chain e merging_nil h, ih⟩
theorem merging_chain : (Us : List Layer) → Chain p Us → Chain (.sub p n) (merging p Us)
  | .nil, _ => True.intro
  | .cons _ Us, c => merging_chain_aux c.1 (merging_chain Us c.2) _ rfl
theorem scan_chain_aux {U : Layer} {Us : List Layer} (h : Or (Eq Us .nil) (Eq (hides U.get p) false))
    (ih : Chain (.sub p n) (scan p Us)) (im : Chain (.sub p n) (merging p Us)) : (u : Option Entry) → Eq (U.get p) u →
    Chain (.sub p n) (findOne U (scan p Us) (merging p Us) u)
  | none, _ => ih
  | some .gone, _ => True.intro
  | some (.solid _), _ => ⟨.inl rfl, True.intro⟩
  | some (.merged _), e => ⟨merged_chain e merging_nil h, im⟩
theorem scan_chain : (Us : List Layer) → Chain p Us → Chain (.sub p n) (scan p Us)
  | .nil, _ => True.intro
  | .cons _ Us, c => scan_chain_aux c.1 (scan_chain Us c.2) (merging_chain Us c.2) _ rfl
theorem merge_one_closed {U : Layer} {rest : List Layer} (c : Closed U) (r : AllClosed rest) : (u : Option Entry) → AllClosed
    (mergeOne U rest u)
  | none => r
  | some .gone => True.intro
  | some (.solid (.dir _)) => ⟨c, True.intro⟩
  | some (.solid (.file _ _)) => True.intro
  | some (.solid (.link _)) => True.intro
  | some (.merged _) => ⟨c, r⟩
theorem merging_closed : (Us : List Layer) → AllClosed Us → AllClosed (merging p Us)
  | .nil, _ => True.intro
  | .cons _ Us, a => merge_one_closed a.1 (merging_closed Us a.2) _
theorem find_one_closed {U : Layer} {rest dirs : List Layer} (c : Closed U) (r : AllClosed rest) (d : AllClosed dirs) : (u : Option Entry) →
    AllClosed (findOne U rest dirs u)
  | none => r
  | some .gone => True.intro
  | some (.solid _) => ⟨c, True.intro⟩
  | some (.merged _) => ⟨c, d⟩
theorem scan_closed : (Us : List Layer) → AllClosed Us → AllClosed (scan p Us)
  | .nil, _ => True.intro
  | .cons _ Us, a => find_one_closed a.1 (scan_closed Us a.2) (merging_closed Us a.2) _
end
theorem root_chain : (Us : List Layer) → Chain .root Us
  | .nil => True.intro
  | .cons _ Us => ⟨.inr rfl, root_chain Us⟩
theorem before_chain {Us : List Layer} : (p : Path) → Chain p (before Us p)
  | .root => root_chain Us
  | .sub p _ => scan_chain _ (before_chain p)
theorem before_closed {Us : List Layer} (a : AllClosed Us) : (p : Path) → AllClosed (before Us p)
  | .root => a
  | .sub p _ => scan_closed _ (before_closed a p)
theorem before_at {Us : List Layer} (a : AllClosed Us) : (p : Path) → {q : Path} → Or (Eq q p) (Below p q) → Eq (viewAt Us q)
    (viewAt (before Us p) q)
  | .root, _, _ => rfl
  | .sub p _, _, .inl e => Eq.trans (before_at a p (.inr (e ▸ .child))) (scan_below (e ▸ .child) _ (before_closed a p) (before_chain p))
  | .sub p _, _, .inr b => Eq.trans (before_at a p (.inr (below_child b))) (scan_below (below_child b) _ (before_closed a p)
        (before_chain p))
/-- **the overlay's look-up is the view**, for layers that an overlay can store. -/
theorem lookup_is_view {Us : List Layer} (a : AllClosed Us) (q : Path) : Eq (overlayLookup Us q) ((view Us).get q) :=
  (Eq.trans (before_at a q (.inl rfl)) (scan_at _ (before_chain q))).symm
end Eclogue.Files
