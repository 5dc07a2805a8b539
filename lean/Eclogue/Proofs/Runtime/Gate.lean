prelude
import Eclogue.Runtime.Gate
/-! What an accepted history guarantees. -/
namespace Eclogue.Gate


/-- What was accepted was accepted at every moment. -/
theorem accept_prefix {h : List Record} : {t : List Record} → After h t → Eq (accept t) true → Eq (accept h) true
  | _, .now, a => a
  | _, .later p, a => accept_prefix p (and_true a).1

theorem approve_aux {id d i e : Nat} {h : List Record} (ih : Eq (approved id d h) true → Mem (.approve id d) h) : (b c : Bool) →
    Eq (Nat.beq i id) b → Eq (Nat.beq e d) c → Eq (cond b (cond c true (approved id d h)) (approved id d h)) true →
    Mem (.approve id d) (.cons (.approve i e) h)
  | true, true, p, q, _ => Nat.eq_of_beq_eq_true p ▸ Nat.eq_of_beq_eq_true q ▸ .head
  | true, false, _, _, x => .tail (ih x)
  | false, _, _, _, x => .tail (ih x)
theorem deny_aux {id d : Nat} {h : List Record} {r : Record} (ih : Eq (approved id d h) true → Mem (.approve id d) h) : (b : Bool) →
    Eq (cond b false (approved id d h)) true → Mem (.approve id d) (.cons r h)
  | false, x => .tail (ih x)
  | true, x => nomatch x
/-- The look-up of an approval finds one. -/
theorem approved_mem {id d : Nat} : (h : List Record) → Eq (approved id d h) true → Mem (.approve id d) h
  | .nil, x => nomatch x
  | .cons (.approve _ _) h, x => approve_aux (approved_mem h) _ _ rfl rfl x
  | .cons (.deny _) h, x => deny_aux (approved_mem h) _ x
  | .cons (.intent _ _ _) h, x => .tail (approved_mem h x)
  | .cons (.outcome _) h, x => .tail (approved_mem h x)
  | .cons (.compensate _) h, x => .tail (approved_mem h x)
theorem gate_approved {id d : Nat} {h : List Record} : {x : Option (Prod Nat Tier)} → Eq x (some ⟨d, .irreversible⟩) →
    Eq (gate id h x) true → Eq (approved id d h) true
  | _, rfl, g => g
/-- **approval first**: in an accepted history, at the moment of an irreversible outcome, an approval of exactly what was
intended had been given before. -/
theorem approved_before {t h : List Record} {id d : Nat} (a : Eq (accept t) true) (p : After (.cons (.outcome id) h) t)
    (i : Eq (intentOf id h) (some ⟨d, .irreversible⟩)) : And (Mem (.approve id d) h) (Eq (approved id d h) true) :=
  have g : Eq (approved id d h) true := gate_approved i (and_true (and_true (accept_prefix p a)).2).2
  ⟨approved_mem h g, g⟩
/-- Nothing happens that was not intended. -/
theorem intended_before {t h : List Record} {id : Nat} (a : Eq (accept t) true) (p : After (.cons (.outcome id) h) t)
    (i : Eq (intentOf id h) none) : False := nomatch Eq.trans (congrArg (gate id h) i).symm (and_true (and_true (accept_prefix p a)).2).2
/-- Nothing happens twice. -/
theorem once {t h : List Record} {id : Nat} (a : Eq (accept t) true) (p : After (.cons (.outcome id) h) t) : Eq (happened id h) false :=
  match happened id h, (and_true (and_true (accept_prefix p a)).2).1 with
  | false, _ => rfl
  | true, x => nomatch x

theorem undo_after : (as : List Nat) → {h : List Record} → After h (undo as h)
  | .nil, _ => .now
  | .cons _ as, _ => after_cons (undo_after as)
where
  after_cons {r : Record} {h : List Record} : {t : List Record} → After (.cons r h) t → After h t
    | _, .now => .later .now
    | _, .later p => .later (after_cons p)
theorem head_cases {a : Nat} : (l : List Nat) → Eq (isHead a l) true → Exists fun k => Eq l (.cons a k)
  | .cons _b k, e => ⟨k, Nat.eq_of_beq_eq_true e ▸ rfl⟩
  | .nil, e => nomatch e
theorem remove_head {a : Nat} {k : List Nat} : Eq (remove a (.cons a k)) k :=
  congrArg (fun b => (cond b k (.cons a (remove a k)) : List Nat)) (Nat.beq_refl a)
theorem reverse_aux {a : Nat} {as : List Nat} {h : List Record} (x : Exists fun k => Eq (pending h) (.cons a k))
    (y : Exists fun k => Eq (remove a (pending h)) (List.append as k)) : Exists fun k => Eq (pending h) (List.append (.cons a as) k) :=
  match x, y with
  | ⟨_, e⟩, ⟨k, e'⟩ => ⟨k, Eq.trans e (congrArg (List.cons a) (Eq.trans remove_head.symm (Eq.trans (congrArg (remove a) e).symm e')))⟩
/-- **compensations run in reverse order**: an accepted run of compensations takes the pending outcomes from the newest on. -/
theorem compensations_reverse : (as : List Nat) → {h : List Record} → Eq (accept (undo as h)) true →
    Exists fun k => Eq (pending h) (List.append as k)
  | .nil, h, _ => ⟨pending h, rfl⟩
  | .cons _a as, _, e => reverse_aux (head_cases _ (and_true (accept_prefix (undo_after as) e)).2) (compensations_reverse as e)

theorem sub_cond {a : Nat} {k l : List Nat} (s : Sub k l) : (b : Bool) → Sub (cond b (.cons a k) k) (.cons a l)
  | true => .take s
  | false => .skip s
theorem sub_tail_cond {a b : Nat} {k l : List Nat} (s : Sub k l) (r : Sub (remove a k) l) : (c : Bool) →
    Sub (cond c k (.cons b (remove a k))) (.cons b l)
  | true => .skip s
  | false => .take r
theorem sub_remove {a : Nat} : {k l : List Nat} → Sub k l → Sub (remove a k) l
  | _, _, .nil => .nil
  | _, _, .skip s => .skip (sub_remove s)
  | _, _, .take s => sub_tail_cond s (sub_remove s) _
/-- The pending outcomes are in the order in which they happened, the newest first. -/
theorem pending_order : (h : List Record) → Sub (pending h) (outcomes h)
  | .nil => .nil
  | .cons (.outcome _) h => sub_cond (pending_order h) _
  | .cons (.compensate _) h => sub_remove (pending_order h)
  | .cons (.intent _ _ _) h => pending_order h
  | .cons (.approve _ _) h => pending_order h
  | .cons (.deny _) h => pending_order h
/-! examples: accepted, refused -/
example : Eq (accept (.cons (.outcome 1) (.cons (.approve 1 77) (.cons (.intent 1 77 .irreversible) .nil)))) true := rfl
example : Eq (accept (.cons (.outcome 1) (.cons (.intent 1 77 .irreversible) .nil))) false := rfl
example : Eq (accept (.cons (.outcome 1) (.cons (.deny 1) (.cons (.approve 1 77) (.cons (.intent 1 77 .irreversible) .nil))))) false := rfl
example : Eq (accept (.cons (.approve 1 78) (.cons (.intent 1 77 .irreversible) .nil))) false := rfl
example : Eq (accept (undo (.cons 2 (.cons 1 .nil)) (.cons (.outcome 2) (.cons (.outcome 1)
    (.cons (.intent 2 5 .compensable) (.cons (.intent 1 5 .compensable) .nil)))))) true := rfl
example : Eq (accept (undo (.cons 1 (.cons 2 .nil)) (.cons (.outcome 2) (.cons (.outcome 1)
    (.cons (.intent 2 5 .compensable) (.cons (.intent 1 5 .compensable) .nil)))))) false := rfl
end Eclogue.Gate
