prelude
import Eclogue.Examples.Notation
/-! Return clauses, handlers in between, hosts, failures. -/
set_option maxRecDepth 100000
namespace Eclogue.Examples

/-- A return clause after no resume. -/
noncomputable def return0 : Computation :=
  .handle
    (.return (.literal (text "w")))
    (.return (.binary .concat (.literal (text "r:")) (.variable 0)))
    (clause
      1
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def return0Trace : List Record := trace
  |>.then (.runEnd (.completed (text "r:w")))
theorem return_0_valid : ValidTrace return0 .nil (.completed (text "r:w")) return0Trace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted return0 .nil) (some (declaredIn return0Trace, (.completed (text "r:w")))) := rfl
example : Eq (mutantsRefused return0 .nil (.completed (text "r:w")) return0Trace) true := rfl
example : Eq (verdicts return0) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 return0Trace) true := rfl

/-- A return clause after one resume. -/
noncomputable def return1 : Computation :=
  .handle
    (.let (.perform 1 (.literal .null)) (.return (.literal (text "w"))))
    (.return (.binary .concat (.literal (text "r:")) (.variable 0)))
    (clause
      1
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def return1Trace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.resumeReturn 1 (text "r:w"))
  |>.then (.effectCapture .return 1 (text "a(r:w)"))
  |>.then (.runEnd (.completed (text "a(r:w)")))
theorem return_1_valid : ValidTrace return1 .nil (.completed (text "a(r:w)")) return1Trace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted return1 .nil) (some (declaredIn return1Trace, (.completed (text "a(r:w)")))) := rfl
example : Eq (mutantsRefused return1 .nil (.completed (text "a(r:w)")) return1Trace) true := rfl
example : Eq (verdicts return1) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 return1Trace) true := rfl

/-- A return clause after two resumes. -/
noncomputable def return2 : Computation :=
  .handle
    (.let (.perform 1 (.literal .null)) (.let (.perform 1 (.literal .null)) (.return (.literal (text "w")))))
    (.return (.binary .concat (.literal (text "r:")) (.variable 0)))
    (clause
      1
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def return2Trace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 4 0)
  |>.then (.resumptionHandle 5)
  |>.then (.continuationResume 5 (text "x"))
  |>.then (.resumeReturn 5 (text "r:w"))
  |>.then (.effectCapture .return 5 (text "a(r:w)"))
  |>.then (.resumeReturn 1 (text "a(r:w)"))
  |>.then (.effectCapture .return 1 (text "a(a(r:w))"))
  |>.then (.runEnd (.completed (text "a(a(r:w))")))
theorem return_2_valid : ValidTrace return2 .nil (.completed (text "a(a(r:w))")) return2Trace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted return2 .nil) (some (declaredIn return2Trace, (.completed (text "a(a(r:w))")))) := rfl
example : Eq (mutantsRefused return2 .nil (.completed (text "a(a(r:w))")) return2Trace) true := rfl
example : Eq (verdicts return2) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 return2Trace) true := rfl

/-- A handler without a clause for the operation stands in between. -/
noncomputable def handlerBetween : Computation :=
  .handle
    (.handle
      (.let (.perform 1 (.literal .null)) (.return (.binary .concat (.literal (text "got ")) (.variable 0))))
      (.return (.binary .concat (.literal (text "r:")) (.variable 0)))
      (clause
        2
        (.resume
          (.literal (text "x"))
          (.return (.binary .concat (.literal (text "b(")) (.binary .concat (.variable 0) (.literal (text ")"))))))))
    returnIt
    (clause
      1
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def handlerBetweenTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.resumeReturn 1 (text "r:got x"))
  |>.then (.effectCapture .return 1 (text "a(r:got x)"))
  |>.then (.runEnd (.completed (text "a(r:got x)")))
theorem handler_between_valid : ValidTrace handlerBetween .nil (.completed (text "a(r:got x)")) handlerBetweenTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted handlerBetween .nil) (some (declaredIn handlerBetweenTrace, (.completed (text "a(r:got x)")))) := rfl
example : Eq (mutantsRefused handlerBetween .nil (.completed (text "a(r:got x)")) handlerBetweenTrace) true := rfl
example : Eq (verdicts handlerBetween) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 handlerBetweenTrace) true := rfl

/-- An operation that nobody handles: the run is suspended. -/
noncomputable def host0 : Computation :=
  .handle
    (.let
      (.perform 1 (.literal .null))
      (.let (.perform 9 (.literal (text "q"))) (.return (.binary .concat (.variable 0) (.variable 1)))))
    returnIt
    (clause
      1
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def host0Trace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 9 (text "q"))
theorem host_0_valid : ValidTrace host0 .nil (.suspended 9 (text "q")) host0Trace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted host0 .nil) (some (declaredIn host0Trace, (.suspended 9 (text "q")))) := rfl
example : Eq (mutantsRefused host0 .nil (.suspended 9 (text "q")) host0Trace) true := rfl
example : Eq (verdicts host0) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 host0Trace) true := rfl

/-- The same run, answered by the host. -/
noncomputable def host1 : Computation :=
  .handle
    (.let
      (.perform 1 (.literal .null))
      (.let (.perform 9 (.literal (text "q"))) (.return (.binary .concat (.variable 0) (.variable 1)))))
    returnIt
    (clause
      1
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def host1Trace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 9 (text "q"))
  |>.then (.hostObservation 4 (text "one"))
  |>.then (.resumeReturn 1 (text "onex"))
  |>.then (.effectCapture .return 1 (text "a(onex)"))
  |>.then (.runEnd (.completed (text "a(onex)")))
theorem host_1_valid : ValidTrace host1 (.cons (text "one") .nil) (.completed (text "a(onex)")) host1Trace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted host1 (.cons (text "one") .nil)) (some (declaredIn host1Trace, (.completed (text "a(onex)")))) := rfl
example : Eq (mutantsRefused host1 (.cons (text "one") .nil) (.completed (text "a(onex)")) host1Trace) true := rfl
example : Eq (verdicts host1) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 host1Trace) true := rfl

/-- The same run from the same point, answered otherwise: a second branch. -/
noncomputable def host2 : Computation :=
  .handle
    (.let
      (.perform 1 (.literal .null))
      (.let (.perform 9 (.literal (text "q"))) (.return (.binary .concat (.variable 0) (.variable 1)))))
    returnIt
    (clause
      1
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def host2Trace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 9 (text "q"))
  |>.then (.hostObservation 4 (text "two"))
  |>.then (.resumeReturn 1 (text "twox"))
  |>.then (.effectCapture .return 1 (text "a(twox)"))
  |>.then (.runEnd (.completed (text "a(twox)")))
theorem host_2_valid : ValidTrace host2 (.cons (text "two") .nil) (.completed (text "a(twox)")) host2Trace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted host2 (.cons (text "two") .nil)) (some (declaredIn host2Trace, (.completed (text "a(twox)")))) := rfl
example : Eq (mutantsRefused host2 (.cons (text "two") .nil) (.completed (text "a(twox)")) host2Trace) true := rfl
example : Eq (verdicts host2) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 host2Trace) true := rfl

/-- A failure in a handled computation. -/
noncomputable def failsOutside : Computation :=
  .handle
    (.let
      (.perform 1 (.literal .null))
      (.return (.project (.literal (.record (.cons (Text.ofString "k") (integer 1) .nil))) (Text.ofString "m"))))
    returnIt
    (clause
      1
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def failsOutsideTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.failure (.key (Text.ofString "m")))
  |>.then (.selectionClosed .failed 1 4)
  |>.then (.runEnd (.failed (.key (Text.ofString "m"))))
theorem fails_outside_valid : ValidTrace failsOutside .nil (.failed (.key (Text.ofString "m"))) failsOutsideTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted failsOutside .nil) (some (declaredIn failsOutsideTrace, (.failed (.key (Text.ofString "m"))))) := rfl
example : Eq (mutantsRefused failsOutside .nil (.failed (.key (Text.ofString "m"))) failsOutsideTrace) true := rfl
example : Eq (verdicts failsOutside) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 failsOutsideTrace) true := rfl

/-- A failure in a clause body that has captured an open selection. -/
noncomputable def failsBody : Computation :=
  .handle
    (.handle
      (.let (.perform 1 (.literal .null)) (.let (.perform 2 (.literal .null)) (.return (.literal (integer 1)))))
      returnIt
      (clause
        1
        (.resume
          (.literal (text "x"))
          (.return (.binary .concat (.literal (text "a(")) (.binary .concat (.variable 0) (.literal (text ")"))))))))
    returnIt
    (clause 2 (.resume (.binary .add (.literal (integer 1)) (.literal (text "x"))) returnIt))
/-- The trace of its run. -/
noncomputable def failsBodyTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 4 1)
  |>.then (.resumptionHandle 5)
  |>.then (.failure .type)
  |>.then (.selectionClosed .failed 5 7)
  |>.then (.selectionClosed .failed 1 7)
  |>.then (.runEnd (.failed .type))
theorem fails_body_valid : ValidTrace failsBody .nil (.failed .type) failsBodyTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted failsBody .nil) (some (declaredIn failsBodyTrace, (.failed .type))) := rfl
example : Eq (mutantsRefused failsBody .nil (.failed .type) failsBodyTrace) true := rfl
example : Eq (verdicts failsBody) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 failsBodyTrace) true := rfl

/-- Records, lists, texts, integers and their operators. -/
noncomputable def valueOperations : Computation :=
  .let
    (.return
      (.record
        (.cons
          (Text.ofString "b")
          (.literal (.list (.cons (integer 1) (.cons (.int (.negSucc 1)) (.cons (.bool true) .nil)))))
          (.cons (Text.ofString "a") (.literal (text "é")) .nil))))
    (.if
      (.binary
        .eq
        (.variable 0)
        (.literal
          (.record
            (.cons
              (Text.ofString "a")
              (text "é")
              (.cons
                (Text.ofString "b")
                (.list (.cons (integer 1) (.cons (.int (.negSucc 1)) (.cons (.bool true) .nil))))
                .nil)))))
      (.return
        (.binary .mul (.literal (.int (.negSucc 2))) (.binary .sub (.literal (integer 4)) (.literal (integer 10)))))
      (.return (.literal (integer 0))))
/-- The trace of its run. -/
noncomputable def valueOperationsTrace : List Record := trace
  |>.then (.runEnd (.completed (integer 18)))
theorem value_operations_valid : ValidTrace valueOperations .nil (.completed (integer 18)) valueOperationsTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted valueOperations .nil) (some (declaredIn valueOperationsTrace, (.completed (integer 18)))) := rfl
example : Eq (mutantsRefused valueOperations .nil (.completed (integer 18)) valueOperationsTrace) true := rfl
example : Eq (verdicts valueOperations) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 valueOperationsTrace) true := rfl

#print axioms return_0_valid
#print axioms return_1_valid
#print axioms return_2_valid
#print axioms handler_between_valid
#print axioms host_0_valid
#print axioms host_1_valid
#print axioms host_2_valid
#print axioms fails_outside_valid
#print axioms fails_body_valid
#print axioms value_operations_valid
end Eclogue.Examples
