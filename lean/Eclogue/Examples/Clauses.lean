prelude
import Eclogue.Examples.Notation
/-! Clause bodies: before and after a resume; answers, aborts and what they close. -/
set_option maxRecDepth 100000
namespace Eclogue.Examples

/-- A clause that performs an outer operation before it resumes. -/
noncomputable def performBefore : Computation :=
  .handle
    (.handle
      (.let (.perform 1 (.literal .null)) (.return (.literal (text "w"))))
      returnIt
      (clause 1 (.let (.perform 2 (.literal .null)) (.resume (.variable 0) returnIt))))
    returnIt
    (clause
      2
      (.resume
        (.literal (text "y"))
        (.return (.binary .concat (.literal (text "b(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def performBeforeTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 3 1)
  |>.then (.resumptionHandle 4)
  |>.then (.continuationResume 4 (text "y"))
  |>.then (.continuationResume 1 (text "y"))
  |>.then (.resumeReturn 1 (text "w"))
  |>.then (.effectCapture .return 1 (text "w"))
  |>.then (.resumeReturn 4 (text "w"))
  |>.then (.effectCapture .return 4 (text "b(w)"))
  |>.then (.runEnd (.completed (text "b(w)")))
theorem perform_before_valid : ValidTrace performBefore .nil (.completed (text "b(w)")) performBeforeTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted performBefore .nil) (some (declaredIn performBeforeTrace, (.completed (text "b(w)")))) := rfl
example : Eq (mutantsRefused performBefore .nil (.completed (text "b(w)")) performBeforeTrace) true := rfl
example : Eq (verdicts performBefore) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 performBeforeTrace) true := rfl

/-- A clause that performs an outer operation after it has resumed. -/
noncomputable def performAfter : Computation :=
  .handle
    (.handle
      (.let (.perform 1 (.literal .null)) (.return (.literal (text "w"))))
      returnIt
      (clause
        1
        (.resume
          (.literal (text "x"))
          (.let (.perform 2 (.literal .null)) (.return (.binary .concat (.variable 0) (.variable 1)))))))
    returnIt
    (clause
      2
      (.resume
        (.literal (text "y"))
        (.return (.binary .concat (.literal (text "b(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def performAfterTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.resumeReturn 1 (text "w"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 5 1)
  |>.then (.resumptionHandle 6)
  |>.then (.continuationResume 6 (text "y"))
  |>.then (.effectCapture .return 1 (text "yw"))
  |>.then (.resumeReturn 6 (text "yw"))
  |>.then (.effectCapture .return 6 (text "b(yw)"))
  |>.then (.runEnd (.completed (text "b(yw)")))
theorem perform_after_valid : ValidTrace performAfter .nil (.completed (text "b(yw)")) performAfterTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted performAfter .nil) (some (declaredIn performAfterTrace, (.completed (text "b(yw)")))) := rfl
example : Eq (mutantsRefused performAfter .nil (.completed (text "b(yw)")) performAfterTrace) true := rfl
example : Eq (verdicts performAfter) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 performAfterTrace) true := rfl

/-- A clause answers after an earlier selection of the same handler has resumed and not returned. -/
noncomputable def sameHandler : Computation :=
  .handle
    (.let (.perform 1 (.literal .null)) (.let (.perform 2 (.literal .null)) (.return (.literal (text "w")))))
    returnIt
    (.cons
      1
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")"))))))
      (.cons 2 (.answer (.literal (text "stop"))) .nil))
/-- The trace of its run. -/
noncomputable def sameHandlerTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 4 0)
  |>.then (.resumptionHandle 5)
  |>.then (.effectCapture .answer 5 (text "stop"))
  |>.then (.resumeReturn 1 (text "stop"))
  |>.then (.effectCapture .return 1 (text "a(stop)"))
  |>.then (.runEnd (.completed (text "a(stop)")))
theorem same_handler_valid : ValidTrace sameHandler .nil (.completed (text "a(stop)")) sameHandlerTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted sameHandler .nil) (some (declaredIn sameHandlerTrace, (.completed (text "a(stop)")))) := rfl
example : Eq (mutantsRefused sameHandler .nil (.completed (text "a(stop)")) sameHandlerTrace) true := rfl
example : Eq (verdicts sameHandler) ⟨true, true, false⟩ := rfl
example : Eq (all Record.core0 sameHandlerTrace) true := rfl

/-- Nested handlers that only answer, in the way of exceptions. -/
noncomputable def nestedExn : Computation :=
  .handle
    (.handle
      (.let (.perform 2 (.literal (text "e"))) (.return (.literal (text "w"))))
      returnIt
      (clause 1 (.answer (.literal (text "a")))))
    returnIt
    (clause 2 (.answer (.variable 0)))
/-- The trace of its run. -/
noncomputable def nestedExnTrace : List Record := trace
  |>.then (.effectDeclaration 2 (text "e"))
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.effectCapture .answer 1 (text "e"))
  |>.then (.runEnd (.completed (text "e")))
theorem nested_exn_valid : ValidTrace nestedExn .nil (.completed (text "e")) nestedExnTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted nestedExn .nil) (some (declaredIn nestedExnTrace, (.completed (text "e")))) := rfl
example : Eq (mutantsRefused nestedExn .nil (.completed (text "e")) nestedExnTrace) true := rfl
example : Eq (verdicts nestedExn) ⟨true, true, false⟩ := rfl
example : Eq (all Record.core0 nestedExnTrace) true := rfl

/-- An operation that is answered in another part of the program only. -/
noncomputable def answeredElsewhere : Computation :=
  .let
    (.handle (.perform 2 (.literal .null)) returnIt (clause 2 (.answer (.literal (text "e")))))
    (.handle
      (.let (.perform 1 (.literal .null)) (.let (.perform 2 (.literal .null)) (.return (.literal (text "w")))))
      returnIt
      (clause
        1
        (.resume
          (.literal (text "x"))
          (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")"))))))))
/-- The trace of its run. -/
noncomputable def answeredElsewhereTrace : List Record := trace
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.effectCapture .answer 1 (text "e"))
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 4 0)
  |>.then (.resumptionHandle 5)
  |>.then (.continuationResume 5 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.hostObservation 8 (text "host"))
  |>.then (.resumeReturn 5 (text "w"))
  |>.then (.effectCapture .return 5 (text "a(w)"))
  |>.then (.runEnd (.completed (text "a(w)")))
theorem answered_elsewhere_valid : ValidTrace answeredElsewhere (.cons (text "host") .nil) (.completed (text "a(w)")) answeredElsewhereTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted answeredElsewhere (.cons (text "host") .nil)) (some (declaredIn answeredElsewhereTrace, (.completed (text "a(w)")))) := rfl
example : Eq (mutantsRefused answeredElsewhere (.cons (text "host") .nil) (.completed (text "a(w)")) answeredElsewhereTrace) true := rfl
example : Eq (verdicts answeredElsewhere) ⟨true, true, false⟩ := rfl
example : Eq (all Record.core0 answeredElsewhereTrace) true := rfl

/-- An inner clause that resumes hides an outer one that answers. -/
noncomputable def shadowed : Computation :=
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
      (clause
        2
        (.resume
          (.literal (text "x"))
          (.return (.binary .concat (.literal (text "b(")) (.binary .concat (.variable 0) (.literal (text ")"))))))))
    returnIt
    (clause 2 (.answer (.literal (text "e"))))
/-- The trace of its run. -/
noncomputable def shadowedTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 4 1)
  |>.then (.resumptionHandle 5)
  |>.then (.continuationResume 5 (text "x"))
  |>.then (.resumeReturn 1 (text "w"))
  |>.then (.effectCapture .return 1 (text "a(w)"))
  |>.then (.resumeReturn 5 (text "a(w)"))
  |>.then (.effectCapture .return 5 (text "b(a(w))"))
  |>.then (.runEnd (.completed (text "b(a(w))")))
theorem shadowed_valid : ValidTrace shadowed .nil (.completed (text "b(a(w))")) shadowedTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted shadowed .nil) (some (declaredIn shadowedTrace, (.completed (text "b(a(w))")))) := rfl
example : Eq (mutantsRefused shadowed .nil (.completed (text "b(a(w))")) shadowedTrace) true := rfl
example : Eq (verdicts shadowed) ⟨true, true, false⟩ := rfl
example : Eq (all Record.core0 shadowedTrace) true := rfl

/-- A clause that resumes on one path and answers on the other. -/
noncomputable def answerOrResume : Computation :=
  .handle
    (.let (.perform 1 (.literal (integer 3))) returnIt)
    returnIt
    (clause
      1
      (.if
        (.binary .lt (.variable 0) (.literal (integer 2)))
        (.resume (.variable 0) returnIt)
        (.answer (.literal (text "big")))))
/-- The trace of its run. -/
noncomputable def answerOrResumeTrace : List Record := trace
  |>.then (.effectDeclaration 1 (integer 3))
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.effectCapture .answer 1 (text "big"))
  |>.then (.runEnd (.completed (text "big")))
theorem answer_or_resume_valid : ValidTrace answerOrResume .nil (.completed (text "big")) answerOrResumeTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted answerOrResume .nil) (some (declaredIn answerOrResumeTrace, (.completed (text "big")))) := rfl
example : Eq (mutantsRefused answerOrResume .nil (.completed (text "big")) answerOrResumeTrace) true := rfl
example : Eq (verdicts answerOrResume) ⟨true, true, false⟩ := rfl
example : Eq (all Record.core0 answerOrResumeTrace) true := rfl

#print axioms perform_before_valid
#print axioms perform_after_valid
#print axioms same_handler_valid
#print axioms nested_exn_valid
#print axioms answered_elsewhere_valid
#print axioms shadowed_valid
#print axioms answer_or_resume_valid
end Eclogue.Examples
