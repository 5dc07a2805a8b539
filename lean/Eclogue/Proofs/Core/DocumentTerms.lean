prelude
import Eclogue.Core.Document
import Eclogue.Proofs.Core.Checked
import Eclogue.Proofs.Core.Canonical
/-! The document of a term determines the term: schemas and expressions. -/
namespace Eclogue

/-! ### values made of records and lists -/
theorem text_value_inj {t u : Text} (h : Eq (Value.text t) (.text u)) : Eq t u := match h with
  | rfl => rfl
theorem bool_value_inj {b b' : Bool} (h : Eq (Value.bool b) (.bool b')) : Eq b b' := match h with
  | rfl => rfl
theorem number_value_inj {n m : Nat} (h : Eq (Value.int (.ofNat n)) (.int (.ofNat m))) : Eq n m := match h with
  | rfl => rfl
theorem list_value_inj {vs ws : Values} (h : Eq (Value.list vs) (.list ws)) : Eq vs ws := match h with
  | rfl => rfl
theorem values_cons_inj {v w : Value} {vs ws : Values} (h : Eq (Values.cons v vs) (.cons w ws)) : And (Eq v w) (Eq vs ws) := match h with
  | rfl => ⟨rfl, rfl⟩
theorem record1_inj {k k' : Text} {v v' : Value} (h : Eq (record1 k v) (record1 k' v')) : Eq v v' := match h with
  | rfl => rfl
theorem record2_inj {k l k' l' : Text} {v w v' w' : Value} (h : Eq (record2 k v l w) (record2 k' v' l' w')) : And (Eq v v')
    (Eq w w') := match h with
  | rfl => ⟨rfl, rfl⟩
theorem record3_inj {k l m k' l' m' : Text} {u v w u' v' w' : Value} (h : Eq (record3 k u l v m w) (record3 k' u' l' v' m' w')) :
    And (Eq u u') (And (Eq v v') (Eq w w')) := match h with
  | rfl => ⟨rfl, rfl, rfl⟩
theorem list2_inj {v w v' w' : Value} (h : Eq (list2 v w) (list2 v' w')) : And (Eq v v') (Eq w w') := match h with
  | rfl => ⟨rfl, rfl⟩
theorem list3_inj {u v w u' v' w' : Value} (h : Eq (list3 u v w) (list3 u' v' w')) : And (Eq u u') (And (Eq v v') (Eq w w')) := match h with
  | rfl => ⟨rfl, rfl, rfl⟩

/-! ### forms -/
/-- What kind of term a value writes. -/
inductive Form where
  | other | any | null | bool | int | text | literal | list | record | variable | project | negation | binary | check
  | return | perform | handle | branch | seq | answer | abort | resume
/-- The form that a word announces. -/
noncomputable def readForm (k : Text) : Form :=
  cond (Text.beq k (word "any")) .any (
  cond (Text.beq k (word "null")) .null (
  cond (Text.beq k (word "bool")) .bool (
  cond (Text.beq k (word "int")) .int (
  cond (Text.beq k (word "text")) .text (
  cond (Text.beq k (word "lit")) .literal (
  cond (Text.beq k (word "list")) .list (
  cond (Text.beq k (word "record")) .record (
  cond (Text.beq k (word "var")) .variable (
  cond (Text.beq k (word "get")) .project (
  cond (Text.beq k (word "not")) .negation (
  cond (Text.beq k (word "left")) .binary (
  cond (Text.beq k (word "check")) .check (
  cond (Text.beq k (word "return")) .return (
  cond (Text.beq k (word "payload")) .perform (
  cond (Text.beq k (word "clauses")) .handle (
  cond (Text.beq k (word "else")) .branch (
  cond (Text.beq k (word "seq")) .seq (
  cond (Text.beq k (word "answer")) .answer (
  cond (Text.beq k (word "abort")) .abort (
  cond (Text.beq k (word "resume")) .resume (
  .other)))))))))))))))))))))
/-- The form of a value: by its word, or by its first key. -/
noncomputable def formOf : Value → Form
  | .text t => readForm t
  | .record (.cons k _ _) => readForm k
  | _ => .other
/-- The form of a schema. -/
def Schema.form : Schema → Form
  | .any => .any
  | .null => .null
  | .bool => .bool
  | .int => .int
  | .text => .text
  | .literal _ => .literal
  | .list _ => .list
  | .record _ => .record
theorem schema_form : (s : Schema) → Eq (formOf s.toValue) s.form
  | .any => rfl
  | .null => rfl
  | .bool => rfl
  | .int => rfl
  | .text => rfl
  | .literal _ => rfl
  | .list _ => rfl
  | .record _ => rfl
theorem same_schema_form {s s' : Schema} (h : Eq s.toValue s'.toValue) : Eq s.form s'.form :=
  Eq.trans (schema_form s).symm (Eq.trans (congrArg formOf h) (schema_form s'))
/-- The form of an expression. -/
def Expression.form : Expression → Form
  | .literal _ => .literal
  | .variable _ => .variable
  | .list _ => .list
  | .record _ => .record
  | .project _ _ => .project
  | .not _ => .negation
  | .binary _ _ _ => .binary
  | .check _ _ => .check
theorem expression_form : (e : Expression) → Eq (formOf e.toValue) e.form
  | .literal _ => rfl
  | .variable _ => rfl
  | .list _ => rfl
  | .record _ => rfl
  | .project _ _ => rfl
  | .not _ => rfl
  | .binary _ _ _ => rfl
  | .check _ _ => rfl
theorem same_expression_form {e e' : Expression} (h : Eq e.toValue e'.toValue) : Eq e.form e'.form :=
  Eq.trans (expression_form e).symm (Eq.trans (congrArg formOf h) (expression_form e'))

/-! ### schemas -/
theorem schema_fields_congr {k k' : Text} {b b' : Bool} {s s' : Schema} {fs fs' : FieldSchemas} :
    Eq k k' → Eq b b' → Eq s s' → Eq fs fs' → Eq (FieldSchemas.cons k b s fs) (.cons k' b' s' fs')
  | rfl, rfl, rfl, rfl => rfl
mutual
theorem schema_inj : (s s' : Schema) → Eq s.form s'.form → Eq s.toValue s'.toValue → Eq s s'
  | .any, .any, _, _ => rfl
  | .null, .null, _, _ => rfl
  | .bool, .bool, _, _ => rfl
  | .int, .int, _, _ => rfl
  | .text, .text, _, _ => rfl
  | .literal _, .literal _, _, h => congrArg Schema.literal (record1_inj h)
  | .list s, .list s', _, h => congrArg Schema.list (schema_inj s s' (same_schema_form (record1_inj h)) (record1_inj h))
  | .record fs, .record fs', _, h => congrArg Schema.record (field_schemas_inj fs fs' (list_value_inj (record1_inj h)))
termination_by structural x => x
theorem field_schemas_inj : (fs fs' : FieldSchemas) → Eq fs.toValues fs'.toValues → Eq fs fs'
  | .nil, .nil, _ => rfl
  | .nil, .cons _ _ _ _, h => nomatch h
  | .cons _ _ _ _, .nil, h => nomatch h
  | .cons _ _ s fs, .cons _ _ s' fs', h =>
    schema_fields_congr (text_value_inj (list3_inj (values_cons_inj h).1).1) (bool_value_inj (list3_inj (values_cons_inj h).1).2.1)
      (schema_inj s s' (same_schema_form (list3_inj (values_cons_inj h).1).2.2) (list3_inj (values_cons_inj h).1).2.2)
      (field_schemas_inj fs fs' (values_cons_inj h).2)
termination_by structural x => x
end

/-! ### expressions -/
/-- The operator of a sign. -/
noncomputable def readSign (t : Text) : BinaryOperator :=
  cond (Text.beq t (word "==")) .eq (cond (Text.beq t (word "!=")) .ne (cond (Text.beq t (word "<")) .lt (cond (Text.beq t (word "<=")) .le
    (cond (Text.beq t (word "+")) .add (cond (Text.beq t (word "-")) .sub (cond (Text.beq t (word "*")) .mul
      (cond (Text.beq t (word "++")) .concat (cond (Text.beq t (word "and")) .and .or))))))))
theorem read_sign : (op : BinaryOperator) → Eq (readSign op.sign) op
  | .eq => rfl
  | .ne => rfl
  | .lt => rfl
  | .le => rfl
  | .add => rfl
  | .sub => rfl
  | .mul => rfl
  | .concat => rfl
  | .and => rfl
  | .or => rfl
theorem sign_inj {a b : BinaryOperator} (h : Eq a.sign b.sign) : Eq a b :=
    Eq.trans (read_sign a).symm (Eq.trans (congrArg readSign h) (read_sign b))
theorem binary_congr {op op' : BinaryOperator} {a b a' b' : Expression} : Eq op op' → Eq a a' → Eq b b' →
    Eq (Expression.binary op a b) (.binary op' a' b')
  | rfl, rfl, rfl => rfl
theorem field_expressions_congr {k k' : Text} {e e' : Expression} {fs fs' : FieldExpressions} :
    Eq k k' → Eq e e' → Eq fs fs' → Eq (FieldExpressions.cons k e fs) (.cons k' e' fs')
  | rfl, rfl, rfl => rfl
mutual
theorem expression_inj : (e e' : Expression) → Eq e.form e'.form → Eq e.toValue e'.toValue → Eq e e'
  | .literal _, .literal _, _, h => congrArg Expression.literal (record1_inj h)
  | .variable _, .variable _, _, h => congrArg Expression.variable (number_value_inj (record1_inj h))
  | .list es, .list es', _, h => congrArg Expression.list (expressions_inj es es' (list_value_inj (record1_inj h)))
  | .record fs, .record fs', _, h => congrArg Expression.record (field_expressions_inj fs fs' (list_value_inj (record1_inj h)))
  | .project e _, .project e' _, _, h => congr_arg2 Expression.project
        (expression_inj e e' (same_expression_form (record2_inj h).1) (record2_inj h).1)
      (text_value_inj (record2_inj h).2)
  | .not e, .not e', _, h => congrArg Expression.not (expression_inj e e' (same_expression_form (record1_inj h)) (record1_inj h))
  | .binary _ a b, .binary _ a' b', _, h => binary_congr (sign_inj (text_value_inj (record3_inj h).2.1))
      (expression_inj a a' (same_expression_form (record3_inj h).1) (record3_inj h).1)
      (expression_inj b b' (same_expression_form (record3_inj h).2.2) (record3_inj h).2.2)
  | .check s e, .check s' e', _, h => congr_arg2 Expression.check (schema_inj s s' (same_schema_form (record2_inj h).1) (record2_inj h).1)
      (expression_inj e e' (same_expression_form (record2_inj h).2) (record2_inj h).2)
termination_by structural x => x
theorem expressions_inj : (es es' : Expressions) → Eq es.toValues es'.toValues → Eq es es'
  | .nil, .nil, _ => rfl
  | .nil, .cons _ _, h => nomatch h
  | .cons _ _, .nil, h => nomatch h
  | .cons e es, .cons e' es', h => congr_arg2 Expressions.cons (expression_inj e e' (same_expression_form (values_cons_inj h).1)
        (values_cons_inj h).1)
      (expressions_inj es es' (values_cons_inj h).2)
termination_by structural x => x
theorem field_expressions_inj : (fs fs' : FieldExpressions) → Eq fs.toValues fs'.toValues → Eq fs fs'
  | .nil, .nil, _ => rfl
  | .nil, .cons _ _ _, h => nomatch h
  | .cons _ _ _, .nil, h => nomatch h
  | .cons _ e fs, .cons _ e' fs', h => field_expressions_congr (text_value_inj (list2_inj (values_cons_inj h).1).1)
      (expression_inj e e' (same_expression_form (list2_inj (values_cons_inj h).1).2) (list2_inj (values_cons_inj h).1).2)
      (field_expressions_inj fs fs' (values_cons_inj h).2)
termination_by structural x => x
end
end Eclogue
