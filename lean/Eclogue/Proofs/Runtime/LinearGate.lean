prelude
import Eclogue.Runtime.LinearGate
import Eclogue.Proofs.Arithmetic
import Eclogue.Proofs.Runtime.Gate
/-! The checker in one pass gives the verdict of the simple one. -/
namespace Eclogue.Gate

/-! ### the table -/
theorem get_empty {α : Type} : (l : List Bool) → Eq (Table.get l (Table.empty : Table α)) none
  | .nil => rfl
  | .cons false _ => rfl
  | .cons true _ => rfl
theorem get_set_same {α : Type} {a : α} : (l : List Bool) → (t : Table α) → Eq (Table.get l (Table.set a l t)) (some a)
  | .nil, .empty => rfl
  | .nil, .node _ _ _ => rfl
  | .cons false l, .empty => get_set_same l .empty
  | .cons true l, .empty => get_set_same l .empty
  | .cons false l, .node _ zero _ => get_set_same l zero
  | .cons true l, .node _ _ one => get_set_same l one
theorem get_set_other {α : Type} {a : α} : (l k : List Bool) → (t : Table α) → Not (Eq l k) →
    Eq (Table.get k (Table.set a l t)) (Table.get k t)
  | .nil, .nil, _, n => (n rfl).elim
  | .nil, .cons false k, .empty, _ => get_empty k
  | .nil, .cons true k, .empty, _ => get_empty k
  | .nil, .cons false _, .node _ _ _, _ => rfl
  | .nil, .cons true _, .node _ _ _, _ => rfl
  | .cons false _, .nil, .empty, _ => rfl
  | .cons true _, .nil, .empty, _ => rfl
  | .cons false _, .nil, .node _ _ _, _ => rfl
  | .cons true _, .nil, .node _ _ _, _ => rfl
  | .cons false l, .cons false k, .empty, n => Eq.trans (get_set_other l k .empty (fun e => n (congrArg (List.cons false) e))) (get_empty k)
  | .cons true l, .cons true k, .empty, n => Eq.trans (get_set_other l k .empty (fun e => n (congrArg (List.cons true) e))) (get_empty k)
  | .cons false _, .cons true k, .empty, _ => get_empty k
  | .cons true _, .cons false k, .empty, _ => get_empty k
  | .cons false l, .cons false k, .node _ zero _, n => get_set_other l k zero (fun e => n (congrArg (List.cons false) e))
  | .cons true l, .cons true k, .node _ _ one, n => get_set_other l k one (fun e => n (congrArg (List.cons true) e))
  | .cons false _, .cons true _, .node _ _ _, _ => rfl
  | .cons true _, .cons false _, .node _ _ _, _ => rfl

/-! ### digits -/
/-- A truth value as a digit. -/
def digit : Bool → Nat
  | true => 1
  | false => 0
/-- The number that has these digits. -/
def number : List Bool → Nat
  | .nil => 0
  | .cons b l => Nat.add (Nat.mul 2 (number l)) (digit b)
theorem digit_mod : (r : Nat) → Eq (Nat.ble (.succ r) (.succ (.succ .zero))) true → Eq (digit (Nat.beq r 1)) r
  | .zero, _ => rfl
  | .succ .zero, _ => rfl
  | .succ (.succ r), h => nomatch Eq.trans h.symm (Eq.trans (ble_succ (.succ (.succ r)) (.succ .zero))
      (Eq.trans (ble_succ (.succ r) .zero) (Nat.ble_succ_zero r)))
theorem number_digits : (fuel n : Nat) → Eq (Nat.ble n fuel) true → Eq (number (digits fuel n)) n
  | .zero, .zero, _ => rfl
  | .zero, .succ _, h => Bool.noConfusion h
  | .succ _, .zero, _ => rfl
  | .succ fuel, .succ n, h =>
    have ih : Eq (number (digits fuel (Nat.div (.succ n) 2))) (Nat.div (.succ n) 2) :=
      number_digits fuel (Nat.div (.succ n) 2) (ble_trans (div_lt 0 n) h)
    Eq.trans (congr_arg2 (fun x y => Nat.add (Nat.mul 2 x) y) ih (digit_mod _ (mod_lt (.succ n) 1))) (div_mod (.succ n) 1)
where
  ble_trans : {a b c : Nat} → Eq (Nat.ble a b) true → Eq (Nat.ble b c) true → Eq (Nat.ble a c) true
    | .zero, _, c, _, _ => zero_ble c
    | .succ _, .zero, _, h, _ => Bool.noConfusion h
    | .succ _, .succ _, .zero, _, h => Bool.noConfusion h
    | .succ a, .succ b, .succ c, h, h' => ble_trans (a := a) (b := b) (c := c) h h'
/-- Two numbers with the same place are equal. -/
theorem key_inj {n m : Nat} (h : Eq (key n) (key m)) : Eq n m :=
  Eq.trans (number_digits n n (Nat.ble_self n)).symm (Eq.trans (congrArg number h) (number_digits m m (Nat.ble_self m)))
theorem key_ne {n m : Nat} (h : Eq (Nat.beq n m) false) : Not (Eq (key n) (key m)) := fun e =>
  nomatch Eq.trans h.symm (Eq.trans (congrArg (fun x => Nat.beq x m) (key_inj e)) (Nat.beq_refl m))
theorem known_same {s : Pass} {id : Nat} {k : Known} : Eq ((s.note id k).known id) (some k) := get_set_same (key id) s.table
theorem known_other {s : Pass} {id i : Nat} {k : Known} (h : Eq (Nat.beq id i) false) : Eq ((s.note id k).known i) (s.known i) :=
  get_set_other (key id) (key i) s.table (key_ne h)

/-! ### what is kept is what the history says -/
/-- What is known of a number is what the history says of it. -/
def Tells (h : List Record) (id : Nat) : Option Known → Prop
  | none => And (Eq (intentOf id h) none) (And (Eq (happened id h) false) ((d : Nat) → Eq (approved id d h) false))
  | some k => And (Eq (intentOf id h) (some ⟨k.digest, k.tier⟩)) (And (Eq (happened id h) k.happened)
        (Eq (approved id k.digest h) k.approved))
/-- What the checker keeps is what the history says. -/
structure Follows (h : List Record) (s : Pass) : Prop where
  known : (id : Nat) → Tells h id (s.known id)
  pending : Eq s.pending (pending h)
/-- The verdict of one step. -/
def StepVerdict (h : List Record) (r : Record) : Option Pass → Prop
  | none => Eq (mayFollow h r) false
  | some s => And (Eq (mayFollow h r) true) (Follows (.cons r h) s)
/-- The verdict of a pass. -/
def Verdict (h : List Record) : Option Pass → Prop
  | none => Eq (accept h) false
  | some s => And (Eq (accept h) true) (Follows h s)
theorem cond_true {α : Type} {q : Bool} {a b : α} (e : Eq q true) : Eq (cond q a b) a := congrArg (fun q => (cond q a b : α)) e
theorem cond_false {α : Type} {q : Bool} {a b : α} (e : Eq q false) : Eq (cond q a b) b := congrArg (fun q => (cond q a b : α)) e
theorem note_follows {h : List Record} {r : Record} {s : Pass} {i : Nat} {k : Known} {p : List Nat} (f : Follows h s)
    (same : Tells (.cons r h) i (some k)) (other : (id : Nat) → Eq (Nat.beq i id) false → (x : Option Known) → Tells h id x →
        Tells (.cons r h) id x)
    (e : Eq p (pending (.cons r h))) : Follows (.cons r h) ⟨s.table.set k (key i), p⟩ :=
  ⟨fun id => go id (Nat.beq i id) rfl, e⟩
where
  go (id : Nat) : (q : Bool) → Eq (Nat.beq i id) q → Tells (.cons r h) id (Table.get (key id) (s.table.set k (key i)))
    | true, e => match id, Nat.eq_of_beq_eq_true e with
      | _, rfl => Eq.subst (motive := fun x => Tells (.cons r h) i x) (known_same (s := s) (id := i) (k := k)).symm same
    | false, e => Eq.subst (motive := fun x => Tells (.cons r h) id x) (known_other (s := s) (k := k) e).symm (other id e _ (f.known id))
theorem guard_verdict {h : List Record} {r : Record} {s : Pass} : (q : Bool) → Eq (mayFollow h r) q →
    (Eq q true → Follows (.cons r h) s) → StepVerdict h r (guard q (some s))
  | true, e, f => ⟨e, f rfl⟩
  | false, e, _ => e

theorem intent_verdict {h : List Record} {s : Pass} {i d : Nat} {t : Tier} (f : Follows h s) : (x : Option Known) → Tells h i x →
    StepVerdict h (.intent i d t) (s.intent i d t x)
  | some _, e => congrArg (fun x => not (mayFollow.hasIntent x)) e.1
  | none, e => ⟨congrArg (fun x => not (mayFollow.hasIntent x)) e.1,
      note_follows f ⟨cond_true (Nat.beq_refl i), e.2.1, e.2.2 d⟩ other f.pending⟩
where
  other (id : Nat) (e : Eq (Nat.beq i id) false) : (x : Option Known) → Tells h id x → Tells (.cons (.intent i d t) h) id x
    | none, y => ⟨Eq.trans (cond_false e) y.1, y.2⟩
    | some _, y => ⟨Eq.trans (cond_false e) y.1, y.2⟩
theorem approve_verdict {h : List Record} {s : Pass} {i d : Nat} (f : Follows h s) : (x : Option Known) → Tells h i x →
    StepVerdict h (.approve i d) (s.approve i d x)
  | none, e => Eq.trans (congr_arg2 (fun p x => and (not p) (approvable d x)) e.2.1 e.1) rfl
  | some ⟨_, _, _, _⟩, e => guard_verdict _ (congr_arg2 (fun p x => and (not p) (approvable d x)) e.2.1 e.1) (fun q =>
      note_follows f ⟨e.1, e.2.1, Eq.trans (cond_true (Nat.beq_refl i)) (cond_true (and_true q).2)⟩ other f.pending)
where
  other (id : Nat) (e : Eq (Nat.beq i id) false) : (x : Option Known) → Tells h id x → Tells (.cons (.approve i d) h) id x
    | none, y => ⟨y.1, y.2.1, fun d' => Eq.trans (cond_false e) (y.2.2 d')⟩
    | some _, y => ⟨y.1, y.2.1, Eq.trans (cond_false e) y.2.2⟩
theorem deny_verdict {h : List Record} {s : Pass} {i : Nat} (f : Follows h s) : (x : Option Known) → Tells h i x →
    StepVerdict h (.deny i) (s.deny i x)
  | none, e => congrArg mayFollow.hasIntent e.1
  | some _, e => ⟨congrArg mayFollow.hasIntent e.1, note_follows f ⟨e.1, e.2.1, cond_true (Nat.beq_refl i)⟩ other f.pending⟩
where
  other (id : Nat) (e : Eq (Nat.beq i id) false) : (x : Option Known) → Tells h id x → Tells (.cons (.deny i) h) id x
    | none, y => ⟨y.1, y.2.1, fun d' => Eq.trans (cond_false e) (y.2.2 d')⟩
    | some _, y => ⟨y.1, y.2.1, Eq.trans (cond_false e) y.2.2⟩
theorem gate_allowed {h : List Record} {i d : Nat} {a p : Bool} (e : Eq (approved i d h) a) : (t : Tier) →
    Eq (gate i h (some ⟨d, t⟩)) (Known.allowed ⟨d, t, a, p⟩)
  | .reversible => rfl
  | .compensable => rfl
  | .irreversible => e
theorem compensable_same {d : Nat} {a p : Bool} : (t : Tier) → Eq (Known.compensable ⟨d, t, a, p⟩) (isCompensable (some ⟨d, t⟩))
  | .reversible => rfl
  | .compensable => rfl
  | .irreversible => rfl
theorem outcome_verdict {h : List Record} {s : Pass} {i : Nat} (f : Follows h s) : (x : Option Known) → Tells h i x →
    StepVerdict h (.outcome i) (s.outcome i x)
  | none, e => Eq.trans (congr_arg2 (fun p x => and (not p) (gate i h x)) e.2.1 e.1) rfl
  | some ⟨_, t, _, p⟩, e => guard_verdict _
      (Eq.trans (congr_arg2 (fun p x => and (not p) (gate i h x)) e.2.1 e.1) (congrArg (and (not p)) (gate_allowed e.2.2 t)))
      (fun _ => note_follows f ⟨e.1, cond_true (Nat.beq_refl i), e.2.2⟩ other
        (congr_arg2 (fun c l => (cond c (.cons i l) l : List Nat)) (Eq.trans (compensable_same t)
            (congrArg isCompensable e.1.symm)) f.pending))
where
  other (id : Nat) (e : Eq (Nat.beq i id) false) : (x : Option Known) → Tells h id x → Tells (.cons (.outcome i) h) id x
    | none, y => ⟨y.1, Eq.trans (cond_false e) y.2.1, y.2.2⟩
    | some _, y => ⟨y.1, Eq.trans (cond_false e) y.2.1, y.2.2⟩
theorem compensate_verdict {h : List Record} {s : Pass} {i : Nat} (f : Follows h s) : (l : List Nat) → Eq l (pending h) →
    StepVerdict h (.compensate i) (s.compensate i l)
  | .nil, e => congrArg (isHead i) e.symm
  | .cons _ _, e => guard_verdict _ (congrArg (isHead i) e.symm) (fun q =>
      ⟨fun id => same id _ (f.known id), (Eq.trans (congrArg (remove i) e.symm) (cond_true q)).symm⟩)
where
  same (id : Nat) : (x : Option Known) → Tells h id x → Tells (.cons (.compensate i) h) id x
    | none, y => y
    | some _, y => y
theorem next_verdict {h : List Record} {s : Pass} (f : Follows h s) : (r : Record) → StepVerdict h r (s.next r)
  | .intent i _ _ => intent_verdict f _ (f.known i)
  | .approve i _ => approve_verdict f _ (f.known i)
  | .deny i => deny_verdict f _ (f.known i)
  | .outcome i => outcome_verdict f _ (f.known i)
  | .compensate _ => compensate_verdict f _ f.pending
theorem step_verdict {h : List Record} {r : Record} (a : Eq (accept h) true) : (x : Option Pass) → StepVerdict h r x → Verdict (.cons r h) x
  | none, v => Eq.trans (congr_arg2 and a v) rfl
  | some _, ⟨v, f⟩ => ⟨and_intro a v, f⟩
theorem one_pass_verdict : (h : List Record) → Verdict h (onePass h)
  | .nil => ⟨rfl, fun id => Eq.subst (motive := fun x => Tells .nil id x) (get_empty (key id)).symm ⟨rfl, rfl, fun _ => rfl⟩, rfl⟩
  | .cons _ h => go (onePass h) (one_pass_verdict h)
where
  go {h : List Record} {r : Record} : (x : Option Pass) → Verdict h x → Verdict (.cons r h) (Option.bind (fun s : Pass => s.next r) x)
    | none, v => congrArg (fun a => and a (mayFollow h r)) v
    | some s, ⟨a, f⟩ => step_verdict a (s.next r) (next_verdict f r)
/-- **linear_gate_agrees**. -/
theorem linear_gate_agrees (h : List Record) : Eq (acceptOnce h) (accept h) := go (onePass h) (one_pass_verdict h)
where
  go {h : List Record} : (x : Option Pass) → Verdict h x → Eq (isThere x) (accept h)
    | none, v => v.symm
    | some _, v => v.1.symm
end Eclogue.Gate
