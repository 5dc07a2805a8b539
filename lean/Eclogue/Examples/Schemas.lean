prelude
import Eclogue.Examples.Notation
/-! Checks at the three boundaries. -/
set_option maxRecDepth 100000
namespace Eclogue.Examples

/-- Payload and answer satisfy their schemas, at the host. -/
noncomputable def schemaOkHost : Computation :=
  .let
    (.perform
      9
      (.check
        (.record (.cons (Text.ofString "p") true .text (.cons (Text.ofString "q") false (.list .int) .nil)))
        (.literal
          (.record
            (.cons (Text.ofString "p") (text "x") (.cons (Text.ofString "q") (.list (.cons (integer 1) .nil)) .nil))))))
    (.return (.check .text (.variable 0)))
/-- The trace of its run. -/
noncomputable def schemaOkHostTrace : List Record := trace
  |>.then (.effectDeclaration
            9
            (.record
              (.cons (Text.ofString "p") (text "x") (.cons (Text.ofString "q") (.list (.cons (integer 1) .nil)) .nil))))
  |>.then (.hostObservation 0 (text "y"))
  |>.then (.runEnd (.completed (text "y")))
theorem schema_ok_host_valid : ValidTrace schemaOkHost (.cons (text "y") .nil) (.completed (text "y")) schemaOkHostTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted schemaOkHost (.cons (text "y") .nil)) (some (declaredIn schemaOkHostTrace, (.completed (text "y")))) := rfl
example : Eq (mutantsRefused schemaOkHost (.cons (text "y") .nil) (.completed (text "y")) schemaOkHostTrace) true := rfl
example : Eq (verdicts schemaOkHost) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 schemaOkHostTrace) true := rfl

/-- Payload and resumed value satisfy their schemas, at a clause. -/
noncomputable def schemaOkClause : Computation :=
  .handle
    (.let
      (.perform
        1
        (.check
          (.record (.cons (Text.ofString "p") true .text (.cons (Text.ofString "q") false (.list .int) .nil)))
          (.literal
            (.record
              (.cons (Text.ofString "p") (text "x") (.cons (Text.ofString "q") (.list (.cons (integer 1) .nil)) .nil))))))
      (.return (.check .text (.variable 0))))
    returnIt
    (clause 1 (.resume (.literal (text "y")) returnIt))
/-- The trace of its run. -/
noncomputable def schemaOkClauseTrace : List Record := trace
  |>.then (.effectDeclaration
            1
            (.record
              (.cons (Text.ofString "p") (text "x") (.cons (Text.ofString "q") (.list (.cons (integer 1) .nil)) .nil))))
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "y"))
  |>.then (.resumeReturn 1 (text "y"))
  |>.then (.effectCapture .return 1 (text "y"))
  |>.then (.runEnd (.completed (text "y")))
theorem schema_ok_clause_valid : ValidTrace schemaOkClause .nil (.completed (text "y")) schemaOkClauseTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted schemaOkClause .nil) (some (declaredIn schemaOkClauseTrace, (.completed (text "y")))) := rfl
example : Eq (mutantsRefused schemaOkClause .nil (.completed (text "y")) schemaOkClauseTrace) true := rfl
example : Eq (verdicts schemaOkClause) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 schemaOkClauseTrace) true := rfl

/-- A payload without a required key, to the host. -/
noncomputable def schemaPayloadHost : Computation :=
  .let
    (.perform
      9
      (.check
        (.record (.cons (Text.ofString "p") true .text (.cons (Text.ofString "q") false (.list .int) .nil)))
        (.literal (.record (.cons (Text.ofString "q") (.list (.cons (integer 1) .nil)) .nil)))))
    (.return (.check .text (.variable 0)))
/-- The trace of its run. -/
noncomputable def schemaPayloadHostTrace : List Record := trace
  |>.then (.failure .schema)
  |>.then (.runEnd (.failed .schema))
theorem schema_payload_host_valid : ValidTrace schemaPayloadHost .nil (.failed .schema) schemaPayloadHostTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted schemaPayloadHost .nil) (some (declaredIn schemaPayloadHostTrace, (.failed .schema))) := rfl
example : Eq (mutantsRefused schemaPayloadHost .nil (.failed .schema) schemaPayloadHostTrace) true := rfl
example : Eq (verdicts schemaPayloadHost) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 schemaPayloadHostTrace) true := rfl

/-- A payload without a required key, to a clause. -/
noncomputable def schemaPayloadClause : Computation :=
  .handle
    (.let
      (.perform
        1
        (.check
          (.record (.cons (Text.ofString "p") true .text (.cons (Text.ofString "q") false (.list .int) .nil)))
          (.literal (.record (.cons (Text.ofString "q") (.list (.cons (integer 1) .nil)) .nil)))))
      (.return (.check .text (.variable 0))))
    returnIt
    (clause 1 (.resume (.literal (text "y")) returnIt))
/-- The trace of its run. -/
noncomputable def schemaPayloadClauseTrace : List Record := trace
  |>.then (.failure .schema)
  |>.then (.runEnd (.failed .schema))
theorem schema_payload_clause_valid : ValidTrace schemaPayloadClause .nil (.failed .schema) schemaPayloadClauseTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted schemaPayloadClause .nil) (some (declaredIn schemaPayloadClauseTrace, (.failed .schema))) := rfl
example : Eq (mutantsRefused schemaPayloadClause .nil (.failed .schema) schemaPayloadClauseTrace) true := rfl
example : Eq (verdicts schemaPayloadClause) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 schemaPayloadClauseTrace) true := rfl

/-- A payload with a key that the schema does not name, to the host. -/
noncomputable def schemaExtraHost : Computation :=
  .let
    (.perform
      9
      (.check
        (.record (.cons (Text.ofString "p") true .text (.cons (Text.ofString "q") false (.list .int) .nil)))
        (.literal (.record (.cons (Text.ofString "p") (text "x") (.cons (Text.ofString "z") (integer 1) .nil))))))
    (.return (.check .text (.variable 0)))
/-- The trace of its run. -/
noncomputable def schemaExtraHostTrace : List Record := trace
  |>.then (.failure .schema)
  |>.then (.runEnd (.failed .schema))
theorem schema_extra_host_valid : ValidTrace schemaExtraHost .nil (.failed .schema) schemaExtraHostTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted schemaExtraHost .nil) (some (declaredIn schemaExtraHostTrace, (.failed .schema))) := rfl
example : Eq (mutantsRefused schemaExtraHost .nil (.failed .schema) schemaExtraHostTrace) true := rfl
example : Eq (verdicts schemaExtraHost) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 schemaExtraHostTrace) true := rfl

/-- A payload with a key that the schema does not name, to a clause. -/
noncomputable def schemaExtraClause : Computation :=
  .handle
    (.let
      (.perform
        1
        (.check
          (.record (.cons (Text.ofString "p") true .text (.cons (Text.ofString "q") false (.list .int) .nil)))
          (.literal (.record (.cons (Text.ofString "p") (text "x") (.cons (Text.ofString "z") (integer 1) .nil))))))
      (.return (.check .text (.variable 0))))
    returnIt
    (clause 1 (.resume (.literal (text "y")) returnIt))
/-- The trace of its run. -/
noncomputable def schemaExtraClauseTrace : List Record := trace
  |>.then (.failure .schema)
  |>.then (.runEnd (.failed .schema))
theorem schema_extra_clause_valid : ValidTrace schemaExtraClause .nil (.failed .schema) schemaExtraClauseTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted schemaExtraClause .nil) (some (declaredIn schemaExtraClauseTrace, (.failed .schema))) := rfl
example : Eq (mutantsRefused schemaExtraClause .nil (.failed .schema) schemaExtraClauseTrace) true := rfl
example : Eq (verdicts schemaExtraClause) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 schemaExtraClauseTrace) true := rfl

/-- A host answer that is not of the schema. -/
noncomputable def schemaAnswerHost : Computation :=
  .let
    (.perform
      9
      (.check
        (.record (.cons (Text.ofString "p") true .text (.cons (Text.ofString "q") false (.list .int) .nil)))
        (.literal (.record (.cons (Text.ofString "p") (text "x") .nil)))))
    (.return (.check .text (.variable 0)))
/-- The trace of its run. -/
noncomputable def schemaAnswerHostTrace : List Record := trace
  |>.then (.effectDeclaration 9 (.record (.cons (Text.ofString "p") (text "x") .nil)))
  |>.then (.hostObservation 0 (integer 7))
  |>.then (.failure .schema)
  |>.then (.runEnd (.failed .schema))
theorem schema_answer_host_valid : ValidTrace schemaAnswerHost (.cons (integer 7) .nil) (.failed .schema) schemaAnswerHostTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted schemaAnswerHost (.cons (integer 7) .nil)) (some (declaredIn schemaAnswerHostTrace, (.failed .schema))) := rfl
example : Eq (mutantsRefused schemaAnswerHost (.cons (integer 7) .nil) (.failed .schema) schemaAnswerHostTrace) true := rfl
example : Eq (verdicts schemaAnswerHost) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 schemaAnswerHostTrace) true := rfl

/-- A resumed value that is not of the schema. -/
noncomputable def schemaAnswerClause : Computation :=
  .handle
    (.let
      (.perform
        1
        (.check
          (.record (.cons (Text.ofString "p") true .text (.cons (Text.ofString "q") false (.list .int) .nil)))
          (.literal (.record (.cons (Text.ofString "p") (text "x") .nil)))))
      (.return (.check .text (.variable 0))))
    returnIt
    (clause 1 (.resume (.literal (integer 7)) returnIt))
/-- The trace of its run. -/
noncomputable def schemaAnswerClauseTrace : List Record := trace
  |>.then (.effectDeclaration 1 (.record (.cons (Text.ofString "p") (text "x") .nil)))
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (integer 7))
  |>.then (.failure .schema)
  |>.then (.selectionClosed .failed 1 4)
  |>.then (.runEnd (.failed .schema))
theorem schema_answer_clause_valid : ValidTrace schemaAnswerClause .nil (.failed .schema) schemaAnswerClauseTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted schemaAnswerClause .nil) (some (declaredIn schemaAnswerClauseTrace, (.failed .schema))) := rfl
example : Eq (mutantsRefused schemaAnswerClause .nil (.failed .schema) schemaAnswerClauseTrace) true := rfl
example : Eq (verdicts schemaAnswerClause) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 schemaAnswerClauseTrace) true := rfl

#print axioms schema_ok_host_valid
#print axioms schema_ok_clause_valid
#print axioms schema_payload_host_valid
#print axioms schema_payload_clause_valid
#print axioms schema_extra_host_valid
#print axioms schema_extra_clause_valid
#print axioms schema_answer_host_valid
#print axioms schema_answer_clause_valid
end Eclogue.Examples
