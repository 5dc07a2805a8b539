prelude
import Eclogue.Core.TraceDocument
import Eclogue.Proofs.Core.Document
/-! The canonical bytes of a trace determine its records. -/
namespace Eclogue

theorem fields_inj_at {k k' : Text} {v v' : Value} {fs fs' : Fields} (h : Eq (Fields.cons k v fs) (.cons k' v' fs')) :
    And (Eq k k') (And (Eq v v') (Eq fs fs')) := match h with
  | rfl => ⟨rfl, rfl, rfl⟩
/-- The value behind a key. -/
theorem at_key {k k' : Text} {v v' : Value} {fs fs' : Fields} (h : Eq (Fields.cons k v fs) (.cons k' v' fs')) : Eq v v' :=
    (fields_inj_at h).2.1
/-- What stands behind a member. -/
theorem behind {k k' : Text} {v v' : Value} {fs fs' : Fields} (h : Eq (Fields.cons k v fs) (.cons k' v' fs')) : Eq fs fs' :=
    (fields_inj_at h).2.2
theorem at_number {k k' : Text} {n m : Nat} {fs fs' : Fields} (h : Eq (Fields.cons k (number n) fs) (.cons k' (number m) fs')) : Eq n m :=
  number_value_inj (at_key h)
theorem at_text {k k' t u : Text} {fs fs' : Fields} (h : Eq (Fields.cons k (.text t) fs) (.cons k' (.text u) fs')) : Eq t u :=
    text_value_inj (at_key h)

/-! ### words -/
/-- The completion of a word. -/
noncomputable def readCompletion (t : Text) : Completion :=
  cond (Text.beq t (word "return")) .return (cond (Text.beq t (word "answer")) .answer .abort)
theorem read_completion : (h : Completion) → Eq (readCompletion h.word) h
  | .return => rfl
  | .answer => rfl
  | .abort => rfl
theorem completion_inj {a b : Completion} (h : Eq a.word b.word) : Eq a b :=
  Eq.trans (read_completion a).symm (Eq.trans (congrArg readCompletion h) (read_completion b))
/-- The reason of a word. -/
noncomputable def readReason (t : Text) : Closing := cond (Text.beq t (word "dropped")) .dropped .failed
theorem read_reason : (w : Closing) → Eq (readReason w.word) w
  | .dropped => rfl
  | .failed => rfl
theorem reason_word_inj {a b : Closing} (h : Eq a.word b.word) : Eq a b :=
  Eq.trans (read_reason a).symm (Eq.trans (congrArg readReason h) (read_reason b))

/-! ### why something failed -/
/-- Which kind of failure it is. -/
inductive KindForm where
  | other | unbound | type | key | schema
/-- Which kind a failure has. -/
def FailureKind.form : FailureKind → KindForm
  | .unbound => .unbound
  | .type => .type
  | .key _ => .key
  | .schema => .schema
/-- Which kind of failure the members tell. -/
noncomputable def readKind : Fields → KindForm
  | .nil => .other
  | .cons k v _ => cond (Text.beq k (word "key")) .key (go v)
where
  /-- Which kind a word names. -/
  go : Value → KindForm
    | .text t => cond (Text.beq t (word "unbound")) .unbound (cond (Text.beq t (word "type")) .type
        (cond (Text.beq t (word "schema")) .schema .other))
    | _ => .other
theorem kind_form {r : Fields} : (k : FailureKind) → Eq (readKind (reasonFields r k)) k.form
  | .unbound => rfl
  | .type => rfl
  | .key _ => rfl
  | .schema => rfl
theorem kind_inj {r r' : Fields} : (k k' : FailureKind) → Eq k.form k'.form → Eq (reasonFields r k) (reasonFields r' k') →
    And (Eq k k') (Eq r r')
  | .unbound, .unbound, _, h => ⟨rfl, behind h⟩
  | .type, .type, _, h => ⟨rfl, behind h⟩
  | .key _, .key _, _, h => ⟨congrArg FailureKind.key (at_text h), behind (behind h)⟩
  | .schema, .schema, _, h => ⟨rfl, behind h⟩
theorem reason_inj {r r' : Fields} {k k' : FailureKind} (h : Eq (reasonFields r k) (reasonFields r' k')) : And (Eq k k') (Eq r r') :=
  kind_inj k k' (Eq.trans (kind_form k).symm (Eq.trans (congrArg readKind h) (kind_form k'))) h

/-! ### records -/
/-- What kind of record it is. -/
inductive RecordForm where
  | other | declaration | selection | handle | resume | return | capture | closed | observation | failure | completed | failed
/-- The kind of a record. -/
def Record.form : Record → RecordForm
  | .effectDeclaration _ _ => .declaration
  | .handlerSelection _ _ => .selection
  | .resumptionHandle _ => .handle
  | .continuationResume _ _ => .resume
  | .resumeReturn _ _ => .return
  | .effectCapture _ _ _ => .capture
  | .selectionClosed _ _ _ => .closed
  | .hostObservation _ _ => .observation
  | .failure _ => .failure
  | .runEnd (.completed _) => .completed
  | .runEnd (.failed _) => .failed
/-- The kind of a run's end: by its status. -/
noncomputable def readEnd : Option Value → RecordForm
  | some (.text t) => cond (Text.beq t (word "completed")) .completed .failed
  | _ => .other
/-- The kind of a record: by its name. -/
noncomputable def readRecord (status : Option Value) : Option Value → RecordForm
  | some (.text t) =>
    cond (Text.beq t (word "EffectDeclaration")) .declaration (cond (Text.beq t (word "HandlerSelection")) .selection
      (cond (Text.beq t (word "ResumptionHandle")) .handle (cond (Text.beq t (word "ContinuationResume")) .resume
        (cond (Text.beq t (word "ResumeReturn")) .return (cond (Text.beq t (word "EffectCapture")) .capture
          (cond (Text.beq t (word "SelectionClosed")) .closed (cond (Text.beq t (word "HostObservation")) .observation
            (cond (Text.beq t (word "Failure")) .failure (readEnd status)))))))))
  | _ => .other
/-- The kind of the record that members tell. -/
noncomputable def recordForm (fs : Fields) : RecordForm := readRecord (fs.get (word "status")) (fs.get (word "record"))
section
variable {names : Nat → Text} {commit : Value → Value} {n : Nat}
theorem failure_form : (k : FailureKind) → Eq (recordForm (reasonFields (named "Failure" (numbered n .nil)) k)) .failure
  | .unbound => rfl
  | .type => rfl
  | .key _ => rfl
  | .schema => rfl
theorem failed_form : (k : FailureKind) →
    Eq (recordForm (reasonFields (named "RunEnd" (numbered n (.cons (word "status") (.text (word "failed")) .nil))) k)) .failed
  | .unbound => rfl
  | .type => rfl
  | .key _ => rfl
  | .schema => rfl
theorem record_form : (r : Record) → Eq (recordForm (r.fields names commit n)) r.form
  | .effectDeclaration _ _ => rfl
  | .handlerSelection _ _ => rfl
  | .resumptionHandle _ => rfl
  | .continuationResume _ _ => rfl
  | .resumeReturn _ _ => rfl
  | .effectCapture _ _ _ => rfl
  | .selectionClosed _ _ _ => rfl
  | .hostObservation _ _ => rfl
  | .failure k => failure_form k
  | .runEnd (.completed _) => rfl
  | .runEnd (.failed k) => failed_form k
theorem capture_congr {h h' : Completion} {s s' : Nat} {v v' : Value} : Eq h h' → Eq s s' → Eq v v' →
    Eq (Record.effectCapture h s v) (.effectCapture h' s' v')
  | rfl, rfl, rfl => rfl
theorem closed_congr {y y' : Closing} {s s' c c' : Nat} : Eq y y' → Eq s s' → Eq c c' → Eq (Record.selectionClosed y s c)
    (.selectionClosed y' s' c')
  | rfl, rfl, rfl => rfl
theorem record_inj_at {m : Nat} (distinct : Distinct names m) (binding : (v w : Value) → Eq (commit v) (commit w) → Eq v w) {n' : Nat} :
    (r r' : Record) → Eq (r.below m) true → Eq (r'.below m) true → Eq r.form r'.form →
    Eq (r.fields names commit n) (r'.fields names commit n') → Eq r r'
  | .effectDeclaration op _, .effectDeclaration op' _, p, q, _, h =>
    congr_arg2 Record.effectDeclaration (distinct op op' p q (at_text h)) (binding _ _ (at_key (behind h)))
  | .handlerSelection _ _, .handlerSelection _ _, _, _, _, h => congr_arg2 Record.handlerSelection (at_number (behind h)) (at_number h)
  | .resumptionHandle _, .resumptionHandle _, _, _, _, h => congrArg Record.resumptionHandle (at_number (behind h))
  | .continuationResume _ _, .continuationResume _ _, _, _, _, h =>
    congr_arg2 Record.continuationResume (at_number (behind h)) (binding _ _ (at_key (behind (behind (behind h)))))
  | .resumeReturn _ _, .resumeReturn _ _, _, _, _, h =>
    congr_arg2 Record.resumeReturn (at_number (behind h)) (binding _ _ (at_key (behind (behind (behind h)))))
  | .effectCapture _ _ _, .effectCapture _ _ _, _, _, _, h =>
    capture_congr (completion_inj (at_text h)) (at_number (behind (behind h))) (binding _ _ (at_key (behind (behind (behind (behind h))))))
  | .selectionClosed _ _ _, .selectionClosed _ _ _, _, _, _, h =>
    closed_congr (reason_word_inj (at_text (behind (behind (behind (behind h)))))) (at_number (behind (behind h))) (at_number h)
  | .hostObservation _ _, .hostObservation _ _, _, _, _, h =>
    congr_arg2 Record.hostObservation (at_number h) (binding _ _ (at_key (behind (behind (behind h)))))
  | .failure _, .failure _, _, _, _, h => congrArg Record.failure (reason_inj h).1
  | .runEnd (.completed _), .runEnd (.completed _), _, _, _, h =>
    congrArg (fun v => Record.runEnd (.completed v)) (binding _ _ (at_key (behind (behind (behind h)))))
  | .runEnd (.failed _), .runEnd (.failed _), _, _, _, h => congrArg (fun k => Record.runEnd (.failed k)) (reason_inj h).1
theorem record_inj {m : Nat} (distinct : Distinct names m) (binding : (v w : Value) → Eq (commit v) (commit w) → Eq v w) {n' : Nat}
    {r r' : Record}
    (p : Eq (r.below m) true) (q : Eq (r'.below m) true) (h : Eq (Value.record (r.fields names commit n))
        (.record (r'.fields names commit n'))) :
    Eq r r' :=
  have e : Eq (r.fields names commit n) (r'.fields names commit n') := record_value_inj h
  record_inj_at distinct binding r r' p q (Eq.trans (record_form r).symm (Eq.trans (congrArg recordForm e) (record_form r'))) e
where
  record_value_inj {fs gs : Fields} (h : Eq (Value.record fs) (.record gs)) : Eq fs gs := match h with
    | rfl => rfl
theorem records_inj {m : Nat} (distinct : Distinct names m) (binding : (v w : Value) → Eq (commit v) (commit w) → Eq v w) :
    (rs rs' : List Record) → Eq (all (Record.below m) rs) true → Eq (all (Record.below m) rs') true →
    Eq (recordsToValues names commit rs) (recordsToValues names commit rs') → Eq rs rs'
  | .nil, .nil, _, _, _ => rfl
  | .nil, .cons _ _, _, _, h => nomatch h
  | .cons _ _, .nil, _, _, h => nomatch h
  | .cons _ rs, .cons _ rs', p, q, h => congr_arg2 List.cons (record_inj distinct binding (and_true p).1 (and_true q).1
        (values_cons_inj h).1)
      (records_inj distinct binding rs rs' (and_true p).2 (and_true q).2 (values_cons_inj h).2)
end
/-- **trace_injective**. -/
theorem trace_injective {ds : List OperationDeclaration} {commit : Value → Value} {rs rs' : List Record} (d : Eq (distinctNames ds) true)
    (binding : (v w : Value) → Eq (commit v) (commit w) → Eq v w) (p : Eq (all (Record.below (length ds)) rs) true)
    (q : Eq (all (Record.below (length ds)) rs') true) (pp : Eq (recordsToValues (nameOf ds) commit rs).proper true)
    (pq : Eq (recordsToValues (nameOf ds) commit rs').proper true)
    (h : Eq (traceBytes (nameOf ds) commit rs) (traceBytes (nameOf ds) commit rs')) : Eq rs rs' :=
  records_inj (names_distinct ds d) binding rs rs' p q (list_value_inj (canonical_injective pp pq h))
/-- Equal lines are the lines of equal values. -/
theorem lines_values {names : Nat → Text} {commit : Value → Value} : (rs rs' : List Record) →
    Eq (recordsToValues names commit rs).proper true → Eq (recordsToValues names commit rs').proper true →
    Eq (recordLines names commit rs) (recordLines names commit rs') → Eq (recordsToValues names commit rs) (recordsToValues names commit rs')
  | .nil, .nil, _, _, _ => rfl
  | .nil, .cons _ _, _, _, h => nomatch h
  | .cons _ _, .nil, _, _, h => nomatch h
  | .cons _ rs, .cons _ rs', p, q, h => congr_arg2 Values.cons
      (canonical_injective (and_true p).1 (and_true q).1 (list_cons_inj h).1)
      (lines_values rs rs' (and_true p).2 (and_true q).2 (list_cons_inj h).2)
where
  list_cons_inj {a b : List Nat} {l m : List (List Nat)} (h : Eq (List.cons a l) (.cons b m)) : And (Eq a b) (Eq l m) := match h with
    | rfl => ⟨rfl, rfl⟩
/-- **lines_injective**. -/
theorem lines_injective {ds : List OperationDeclaration} {commit : Value → Value} {rs rs' : List Record} (d : Eq (distinctNames ds) true)
    (binding : (v w : Value) → Eq (commit v) (commit w) → Eq v w) (p : Eq (all (Record.below (length ds)) rs) true)
    (q : Eq (all (Record.below (length ds)) rs') true) (pp : Eq (recordsToValues (nameOf ds) commit rs).proper true)
    (pq : Eq (recordsToValues (nameOf ds) commit rs').proper true)
    (h : Eq (recordLines (nameOf ds) commit rs) (recordLines (nameOf ds) commit rs')) : Eq rs rs' :=
  records_inj (names_distinct ds d) binding rs rs' p q (lines_values rs rs' pp pq h)
end Eclogue
