prelude
import Eclogue.Examples.Notation
/-! What an outer answer or abort closes. -/
set_option maxRecDepth 100000
namespace Eclogue.Examples

/-- An outer clause answers while an inner selection has resumed: the inner one is closed. -/
noncomputable def closesAnswer : Computation :=
  .handle
    (.handle
      (.let (.perform 1 (.literal .null)) (.let (.perform 2 (.literal .null)) (.return (.literal (text "w")))))
      returnIt
      (clause
        1
        (.resume
          (.literal (text "x"))
          (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")"))))))))
    returnIt
    (clause 2 (.answer (.literal (text "stop"))))
/-- The trace of its run. -/
noncomputable def closesAnswerTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 4 1)
  |>.then (.resumptionHandle 5)
  |>.then (.effectCapture .answer 5 (text "stop"))
  |>.then (.selectionClosed .dropped 1 7)
  |>.then (.runEnd (.completed (text "stop")))
theorem closes_answer_valid : ValidTrace closesAnswer .nil (.completed (text "stop")) closesAnswerTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted closesAnswer .nil) (some (declaredIn closesAnswerTrace, (.completed (text "stop")))) := rfl
example : Eq (mutantsRefused closesAnswer .nil (.completed (text "stop")) closesAnswerTrace) true := rfl
example : Eq (verdicts closesAnswer) ⟨true, false, false⟩ := rfl

/-- An outer clause answers while an inner selection computes before its resume: the inner one is closed. -/
noncomputable def closesBeforeAnswer : Computation :=
  .handle
    (.handle
      (.let (.perform 1 (.literal .null)) (.return (.literal (text "w"))))
      returnIt
      (clause 1 (.let (.perform 2 (.literal .null)) (.resume (.variable 0) returnIt))))
    returnIt
    (clause 2 (.answer (.literal (text "stop"))))
/-- The trace of its run. -/
noncomputable def closesBeforeAnswerTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 3 1)
  |>.then (.resumptionHandle 4)
  |>.then (.effectCapture .answer 4 (text "stop"))
  |>.then (.selectionClosed .dropped 1 6)
  |>.then (.runEnd (.completed (text "stop")))
theorem closes_before_answer_valid : ValidTrace closesBeforeAnswer .nil (.completed (text "stop")) closesBeforeAnswerTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted closesBeforeAnswer .nil) (some (declaredIn closesBeforeAnswerTrace, (.completed (text "stop")))) := rfl
example : Eq (mutantsRefused closesBeforeAnswer .nil (.completed (text "stop")) closesBeforeAnswerTrace) true := rfl
example : Eq (verdicts closesBeforeAnswer) ⟨true, false, false⟩ := rfl

/-- An outer clause aborts while an inner selection has resumed. -/
noncomputable def closesAbort : Computation :=
  .handle
    (.handle
      (.let (.perform 1 (.literal .null)) (.let (.perform 2 (.literal .null)) (.return (.literal (text "w")))))
      returnIt
      (clause
        1
        (.resume
          (.literal (text "x"))
          (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")"))))))))
    returnIt
    (clause 2 (.abort (.literal (text "stop"))))
/-- The trace of its run. -/
noncomputable def closesAbortTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 4 1)
  |>.then (.resumptionHandle 5)
  |>.then (.effectCapture .abort 5 (text "stop"))
  |>.then (.selectionClosed .dropped 1 7)
  |>.then (.runEnd (.completed (text "stop")))
theorem closes_abort_valid : ValidTrace closesAbort .nil (.completed (text "stop")) closesAbortTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted closesAbort .nil) (some (declaredIn closesAbortTrace, (.completed (text "stop")))) := rfl
example : Eq (mutantsRefused closesAbort .nil (.completed (text "stop")) closesAbortTrace) true := rfl
example : Eq (verdicts closesAbort) ⟨true, false, false⟩ := rfl

/-- An outer clause aborts while an inner selection computes before its resume. -/
noncomputable def closesBeforeAbort : Computation :=
  .handle
    (.handle
      (.let (.perform 1 (.literal .null)) (.return (.literal (text "w"))))
      returnIt
      (clause 1 (.let (.perform 2 (.literal .null)) (.resume (.variable 0) returnIt))))
    returnIt
    (clause 2 (.abort (.literal (text "stop"))))
/-- The trace of its run. -/
noncomputable def closesBeforeAbortTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 3 1)
  |>.then (.resumptionHandle 4)
  |>.then (.effectCapture .abort 4 (text "stop"))
  |>.then (.selectionClosed .dropped 1 6)
  |>.then (.runEnd (.completed (text "stop")))
theorem closes_before_abort_valid : ValidTrace closesBeforeAbort .nil (.completed (text "stop")) closesBeforeAbortTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted closesBeforeAbort .nil) (some (declaredIn closesBeforeAbortTrace, (.completed (text "stop")))) := rfl
example : Eq (mutantsRefused closesBeforeAbort .nil (.completed (text "stop")) closesBeforeAbortTrace) true := rfl
example : Eq (verdicts closesBeforeAbort) ⟨true, false, false⟩ := rfl

/-- An outer clause answers while two inner selections are open: innermost first. -/
noncomputable def closesTwo : Computation :=
  .handle
    (.handle
      (.handle
        (.let (.perform 1 (.literal .null)) (.let (.perform 2 (.literal .null)) (.return (.literal (text "w")))))
        returnIt
        (clause
          1
          (.resume
            (.literal (text "x"))
            (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")"))))))))
      returnIt
      (clause 2 (.let (.perform 3 (.literal .null)) (.resume (.variable 0) returnIt))))
    returnIt
    (clause 3 (.answer (.literal (text "stop"))))
/-- The trace of its run. -/
noncomputable def closesTwoTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 4 1)
  |>.then (.resumptionHandle 5)
  |>.then (.effectDeclaration 3 .null)
  |>.then (.handlerSelection 7 2)
  |>.then (.resumptionHandle 8)
  |>.then (.effectCapture .answer 8 (text "stop"))
  |>.then (.selectionClosed .dropped 5 10)
  |>.then (.selectionClosed .dropped 1 10)
  |>.then (.runEnd (.completed (text "stop")))
theorem closes_two_valid : ValidTrace closesTwo .nil (.completed (text "stop")) closesTwoTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted closesTwo .nil) (some (declaredIn closesTwoTrace, (.completed (text "stop")))) := rfl
example : Eq (mutantsRefused closesTwo .nil (.completed (text "stop")) closesTwoTrace) true := rfl
example : Eq (verdicts closesTwo) ⟨true, false, false⟩ := rfl

#print axioms closes_answer_valid
#print axioms closes_before_answer_valid
#print axioms closes_abort_valid
#print axioms closes_before_abort_valid
#print axioms closes_two_valid
end Eclogue.Examples
