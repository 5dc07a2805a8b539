prelude
import Eclogue.Core.Expressions
/-! Equality of values is sound and complete. -/
namespace Eclogue

theorem Bool.eq_of_beq : {a b : Bool} → Eq (Bool.beq a b) true → Eq a b
  | true, true, _ => rfl
  | false, false, _ => rfl
theorem Bool.beq_refl : (a : Bool) → Eq (Bool.beq a a) true
  | true => rfl
  | false => rfl
theorem Int.eq_of_beq : {a b : Int} → Eq (Int.beq a b) true → Eq a b
  | .ofNat _, .ofNat _, h => congrArg Int.ofNat (Nat.eq_of_beq_eq_true h)
  | .negSucc _, .negSucc _, h => congrArg Int.negSucc (Nat.eq_of_beq_eq_true h)
theorem Int.beq_refl : (a : Int) → Eq (Int.beq a a) true
  | .ofNat n => Nat.beq_refl n
  | .negSucc n => Nat.beq_refl n
theorem Text.eq_of_beq : {a b : Text} → Eq (Text.beq a b) true → Eq a b
  | ⟨_, _⟩, ⟨_, _⟩, h => match and_true h with
    | ⟨p, q⟩ => congr_arg2 Text.mk (Nat.eq_of_beq_eq_true p) (Nat.eq_of_beq_eq_true q)
theorem Text.beq_refl (a : Text) : Eq (Text.beq a a) true := and_intro (Nat.beq_refl _) (Nat.beq_refl _)

mutual
theorem Value.eq_of_beq : {a b : Value} → Eq (Value.beq a b) true → Eq a b
  | .null, .null, _ => rfl
  | .bool _, .bool _, h => congrArg Value.bool (Bool.eq_of_beq h)
  | .int _, .int _, h => congrArg Value.int (Int.eq_of_beq h)
  | .text _, .text _, h => congrArg Value.text (Text.eq_of_beq h)
  | .list _, .list _, h => congrArg Value.list (Values.eq_of_beq h)
  | .record _, .record _, h => congrArg Value.record (Fields.eq_of_beq h)
theorem Values.eq_of_beq : {a b : Values} → Eq (Values.beq a b) true → Eq a b
  | .nil, .nil, _ => rfl
  | .cons _ _, .cons _ _, h => match and_true h with
    | ⟨p, q⟩ => congr_arg2 Values.cons (Value.eq_of_beq p) (Values.eq_of_beq q)
theorem Fields.eq_of_beq : {a b : Fields} → Eq (Fields.beq a b) true → Eq a b
  | .nil, .nil, _ => rfl
  | .cons _ _ _, .cons _ _ _, h => match and_true h with
    | ⟨p, q⟩ => match and_true q with
      | ⟨q, r⟩ => match Text.eq_of_beq p with
        | rfl => congr_arg2 (Fields.cons _) (Value.eq_of_beq q) (Fields.eq_of_beq r)
end
mutual
theorem Value.beq_refl : (a : Value) → Eq (Value.beq a a) true
  | .null => rfl
  | .bool b => Bool.beq_refl b
  | .int i => Int.beq_refl i
  | .text t => Text.beq_refl t
  | .list vs => Values.beq_refl vs
  | .record fs => Fields.beq_refl fs
theorem Values.beq_refl : (a : Values) → Eq (Values.beq a a) true
  | .nil => rfl
  | .cons v vs => and_intro (Value.beq_refl v) (Values.beq_refl vs)
theorem Fields.beq_refl : (a : Fields) → Eq (Fields.beq a a) true
  | .nil => rfl
  | .cons k v vs => and_intro (Text.beq_refl k) (and_intro (Value.beq_refl v) (Fields.beq_refl vs))
end

theorem FailureKind.eq_of_beq : {a b : FailureKind} → Eq (FailureKind.beq a b) true → Eq a b
  | .unbound, .unbound, _ => rfl
  | .type, .type, _ => rfl
  | .key _, .key _, h => congrArg FailureKind.key (Text.eq_of_beq h)
  | .schema, .schema, _ => rfl
theorem FailureKind.beq_refl : (a : FailureKind) → Eq (FailureKind.beq a a) true
  | .unbound => rfl
  | .type => rfl
  | .key k => Text.beq_refl k
  | .schema => rfl
end Eclogue
