prelude
import Eclogue.Core.Checked
import Eclogue.Proofs.Validator.Ledger
/-! Programs that pass `checked` keep the schemas of their operations, in all runs. -/
namespace Eclogue

/-! ### the test -/
mutual
theorem Schema.eq_of_beq : {a b : Schema} → Eq (Schema.beq a b) true → Eq a b
  | .any, .any, _ => rfl
  | .null, .null, _ => rfl
  | .bool, .bool, _ => rfl
  | .int, .int, _ => rfl
  | .text, .text, _ => rfl
  | .literal _, .literal _, h => congrArg Schema.literal (Value.eq_of_beq h)
  | .list _, .list _, h => congrArg Schema.list (Schema.eq_of_beq h)
  | .record _, .record _, h => congrArg Schema.record (FieldSchemas.eq_of_beq h)
theorem FieldSchemas.eq_of_beq : {a b : FieldSchemas} → Eq (FieldSchemas.beq a b) true → Eq a b
  | .nil, .nil, _ => rfl
  | .cons _ _ _ _, .cons _ _ _ _, h => match and_true h with
    | ⟨p, q⟩ => match and_true p, and_true q with
      | ⟨k, r⟩, ⟨s, fs⟩ => match Text.eq_of_beq k, Bool.eq_of_beq r with
        | rfl, rfl => congr_arg2 (FieldSchemas.cons _ _) (Schema.eq_of_beq s) (FieldSchemas.eq_of_beq fs)
end
theorem check_accepts {s : Schema} {v : Value} : {w : Value} → Eq (checkSchema s w) (.ok v) → Eq (s.conforms v) true :=
  fun h => go _ rfl h
where
  go {s : Schema} {v w : Value} : (q : Bool) → Eq (s.conforms w) q → Eq (cond q (Result.ok w) (.err .schema)) (.ok v) →
      Eq (s.conforms v) true
    | true, e, rfl => e
theorem check_refuses {s : Schema} {v : Value} (h : Eq (s.conforms v) false) : Eq (checkSchema s v) (.err .schema) :=
  congrArg (fun q => (cond q (Result.ok v) (.err .schema) : Result Value)) h
theorem bind_accepts {s : Schema} {v : Value} : (r : Result Value) → Eq (r.bind (checkSchema s)) (.ok v) → Eq (s.conforms v) true
  | .ok _, h => check_accepts h
/-- A checked payload that could be evaluated is of its schema. -/
theorem payload_accepted {s ρ v} : (e : Expression) → Eq (checksPayload s e) true → Eq (evaluate ρ e) (.ok v) → Eq (s.conforms v) true
  | .check s' e, h, h' => match s', Schema.eq_of_beq h with
    | _, rfl => bind_accepts (evaluate ρ e) h'
theorem innermost_value {ρ v} : (e : Expression) → Eq (isInnermost e) true → Eq (evaluate (.cons v ρ) e) (.ok v)
  | .variable .zero, _ => rfl
theorem check_fails {ρ v} {s : Schema} (r : Eq (s.conforms v) false) : (e : Expression) → Eq (checksInnermost s e) true →
    Eq (evaluate (.cons v ρ) e) (.err .schema)
  | .check s' e, h => match and_true h with
    | ⟨p, q⟩ => match s', Schema.eq_of_beq p with
      | _, rfl => Eq.trans (congrArg (Result.bind (checkSchema s)) (innermost_value e q)) (check_refuses r)
/-- Checking a result of the wrong schema fails. -/
theorem result_fails {ρ v s} (r : Eq (Schema.conforms s v) false) : (k : Computation) → Eq (checksResult s k) true →
    Eq (headOf (.cons v ρ) k) (.err .schema)
  | .return e, h => check_fails r e h
theorem result_checked {σ s} : (k : Computation) → Eq (checksResult s k) true → Eq (checked σ k) true
  | .return _, _ => rfl

/-! ### numbers of records name the same operations later -/
theorem lt_succ : (a b : Nat) → Eq (Nat.ble (Nat.succ a) b) true → Eq (Nat.ble (Nat.succ a) (Nat.succ b)) true
  | a, b, h => Eq.trans (ble_succ a b) (ble_of_succ a b h)
theorem lt_self (a : Nat) : Eq (Nat.ble (Nat.succ a) (Nat.succ a)) true := ble_refl (Nat.succ a)
theorem below_cond {a n : Nat} {x y : Option Nat} {op : Nat} (ih : Eq y (some op) → Eq (Nat.ble (Nat.succ a) n) true) : (q : Bool) →
    Eq (Nat.beq n a) q → Eq (cond q x y) (some op) → Eq (Nat.ble (Nat.succ a) (Nat.succ n)) true
  | true, e, _ => Nat.eq_of_beq_eq_true e ▸ lt_self n
  | false, _, h => lt_succ a n (ih h)
theorem declared_below {d op : Nat} : (rs : List Record) → Eq (declaredOperation d rs) (some op) →
    Eq (Nat.ble (Nat.succ d) (length rs)) true
  | .cons (.effectDeclaration _ _) rs, h => below_cond (declared_below rs) _ rfl h
  | .cons (.handlerSelection _ _) rs, h => lt_succ d (length rs) (declared_below rs h)
  | .cons (.resumptionHandle _) rs, h => lt_succ d (length rs) (declared_below rs h)
  | .cons (.continuationResume _ _) rs, h => lt_succ d (length rs) (declared_below rs h)
  | .cons (.resumeReturn _ _) rs, h => lt_succ d (length rs) (declared_below rs h)
  | .cons (.effectCapture _ _ _) rs, h => lt_succ d (length rs) (declared_below rs h)
  | .cons (.selectionClosed _ _ _) rs, h => lt_succ d (length rs) (declared_below rs h)
  | .cons (.hostObservation _ _) rs, h => lt_succ d (length rs) (declared_below rs h)
  | .cons (.failure _) rs, h => lt_succ d (length rs) (declared_below rs h)
  | .cons (.runEnd _) rs, h => lt_succ d (length rs) (declared_below rs h)
theorem selected_below {s op : Nat} : (rs : List Record) → Eq (selectedOperation s rs) (some op) →
    Eq (Nat.ble (Nat.succ s) (length rs)) true
  | .cons (.handlerSelection _ _) rs, h => below_cond (selected_below rs) _ rfl h
  | .cons (.effectDeclaration _ _) rs, h => lt_succ s (length rs) (selected_below rs h)
  | .cons (.resumptionHandle _) rs, h => lt_succ s (length rs) (selected_below rs h)
  | .cons (.continuationResume _ _) rs, h => lt_succ s (length rs) (selected_below rs h)
  | .cons (.resumeReturn _ _) rs, h => lt_succ s (length rs) (selected_below rs h)
  | .cons (.effectCapture _ _ _) rs, h => lt_succ s (length rs) (selected_below rs h)
  | .cons (.selectionClosed _ _ _) rs, h => lt_succ s (length rs) (selected_below rs h)
  | .cons (.hostObservation _ _) rs, h => lt_succ s (length rs) (selected_below rs h)
  | .cons (.failure _) rs, h => lt_succ s (length rs) (selected_below rs h)
  | .cons (.runEnd _) rs, h => lt_succ s (length rs) (selected_below rs h)
/-- What the records of the first list name, those of the second name too. -/
structure Later (rs rs' : List Record) : Prop where
  declared : (d op : Nat) → Eq (declaredOperation d rs) (some op) → Eq (declaredOperation d rs') (some op)
  selected : (s op : Nat) → Eq (selectedOperation s rs) (some op) → Eq (selectedOperation s rs') (some op)
theorem Later.refl (rs : List Record) : Later rs rs := ⟨fun _ _ h => h, fun _ _ h => h⟩
theorem Later.trans {a b c : List Record} (p : Later a b) (q : Later b c) : Later a c :=
  ⟨fun d op h => q.declared d op (p.declared d op h), fun s op h => q.selected s op (p.selected s op h)⟩
theorem cond_old {a n : Nat} {x y : Option Nat} (h : Eq (Nat.ble (Nat.succ a) n) true) : Eq (cond (Nat.beq n a) x y) y :=
  congrArg (fun q => (cond q x y : Option Nat)) (beq_of_lt a n h)
theorem later_push {rs : List Record} : (r : Record) → Later rs (.cons r rs)
  | .effectDeclaration _ _ => ⟨fun _ _ h => Eq.trans (cond_old (declared_below rs h)) h, fun _ _ h => h⟩
  | .handlerSelection _ _ => ⟨fun _ _ h => h, fun _ _ h => Eq.trans (cond_old (selected_below rs h)) h⟩
  | .resumptionHandle _ => ⟨fun _ _ h => h, fun _ _ h => h⟩
  | .continuationResume _ _ => ⟨fun _ _ h => h, fun _ _ h => h⟩
  | .resumeReturn _ _ => ⟨fun _ _ h => h, fun _ _ h => h⟩
  | .effectCapture _ _ _ => ⟨fun _ _ h => h, fun _ _ h => h⟩
  | .selectionClosed _ _ _ => ⟨fun _ _ h => h, fun _ _ h => h⟩
  | .hostObservation _ _ => ⟨fun _ _ h => h, fun _ _ h => h⟩
  | .failure _ => ⟨fun _ _ h => h, fun _ _ h => h⟩
  | .runEnd _ => ⟨fun _ _ h => h, fun _ _ h => h⟩
theorem later_close {w n} : (L : List OpenSelection) → {t : Trace} → Later t.records (closeAll w n L t).records
  | .nil, t => .refl t.records
  | .cons o L, t => Later.trans (later_push (.selectionClosed w o.selection n))
      (later_close L (t := t.push (.selectionClosed w o.selection n)))

/-! ### traces -/
/-- The trace keeps the schemas, and is as long as it says. -/
structure KeepsSchemas (σ : Signatures) (t : Trace) : Prop where
  kept : Eq (schemasKept σ t.records) true
  count : Eq (length t.records) t.next
/-- Moreover the newest record is no wrong result. -/
structure Calm (σ : Signatures) (t : Trace) : Prop where
  kept : KeepsSchemas σ t
  calm : Eq (wrongResult σ t.records) false
theorem kept_push {σ t} (h : Calm σ t) (r : Record) (p : Eq (rightPayload σ r) true) : KeepsSchemas σ (t.push r) :=
  ⟨and_intro p (and_intro (or_left (congrArg not h.calm)) h.kept.kept), congrArg Nat.succ h.kept.count⟩
theorem Calm.push {σ t} (h : Calm σ t) (r : Record) (p : Eq (rightPayload σ r) true) (q : Eq (wrongResult σ (.cons r t.records)) false) :
    Calm σ (t.push r) := ⟨kept_push h r p, q⟩
theorem Calm.close {σ w n} : (L : List OpenSelection) → {t : Trace} → Calm σ t → Calm σ (closeAll w n L t)
  | .nil, _, h => h
  | .cons o L, _, h => Calm.close L (h.push (.selectionClosed w o.selection n) rfl rfl)
theorem Calm.select {σ d K t} (h : Calm σ t) : Calm σ (recordSelection d K t) :=
  (h.push (.handlerSelection d (length (openIn K))) rfl rfl).push (.resumptionHandle t.next) rfl rfl
end Eclogue
