prelude
import Eclogue.Examples.Notation
/-! Inner effect first, then outer: all orders, three levels deep. -/
set_option maxRecDepth 100000
namespace Eclogue.Examples

/-- Three handlers whose clauses resume and then wrap the result; the operations come in the order a, b, c. -/
noncomputable def ordersAbc : Computation :=
  .handle
    (.handle
      (.handle
        (.let
          (.perform 1 (.literal .null))
          (.let (.perform 2 (.literal .null)) (.let (.perform 3 (.literal .null)) (.return (.literal (text "w"))))))
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
    (clause
      3
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "c(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def ordersAbcTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 4 1)
  |>.then (.resumptionHandle 5)
  |>.then (.continuationResume 5 (text "x"))
  |>.then (.effectDeclaration 3 .null)
  |>.then (.handlerSelection 8 2)
  |>.then (.resumptionHandle 9)
  |>.then (.continuationResume 9 (text "x"))
  |>.then (.resumeReturn 1 (text "w"))
  |>.then (.effectCapture .return 1 (text "a(w)"))
  |>.then (.resumeReturn 5 (text "a(w)"))
  |>.then (.effectCapture .return 5 (text "b(a(w))"))
  |>.then (.resumeReturn 9 (text "b(a(w))"))
  |>.then (.effectCapture .return 9 (text "c(b(a(w)))"))
  |>.then (.runEnd (.completed (text "c(b(a(w)))")))
theorem orders_abc_valid : ValidTrace ordersAbc .nil (.completed (text "c(b(a(w)))")) ordersAbcTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted ordersAbc .nil) (some (declaredIn ordersAbcTrace, (.completed (text "c(b(a(w)))")))) := rfl
example : Eq (mutantsRefused ordersAbc .nil (.completed (text "c(b(a(w)))")) ordersAbcTrace) true := rfl
example : Eq (verdicts ordersAbc) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 ordersAbcTrace) true := rfl

/-- Three handlers whose clauses resume and then wrap the result; the operations come in the order a, c, b. -/
noncomputable def ordersAcb : Computation :=
  .handle
    (.handle
      (.handle
        (.let
          (.perform 1 (.literal .null))
          (.let (.perform 3 (.literal .null)) (.let (.perform 2 (.literal .null)) (.return (.literal (text "w"))))))
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
    (clause
      3
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "c(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def ordersAcbTrace : List Record := trace
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 3 .null)
  |>.then (.handlerSelection 4 1)
  |>.then (.resumptionHandle 5)
  |>.then (.continuationResume 5 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 8 1)
  |>.then (.resumptionHandle 9)
  |>.then (.continuationResume 9 (text "x"))
  |>.then (.resumeReturn 1 (text "w"))
  |>.then (.effectCapture .return 1 (text "a(w)"))
  |>.then (.resumeReturn 9 (text "a(w)"))
  |>.then (.effectCapture .return 9 (text "b(a(w))"))
  |>.then (.resumeReturn 5 (text "b(a(w))"))
  |>.then (.effectCapture .return 5 (text "c(b(a(w)))"))
  |>.then (.runEnd (.completed (text "c(b(a(w)))")))
theorem orders_acb_valid : ValidTrace ordersAcb .nil (.completed (text "c(b(a(w)))")) ordersAcbTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted ordersAcb .nil) (some (declaredIn ordersAcbTrace, (.completed (text "c(b(a(w)))")))) := rfl
example : Eq (mutantsRefused ordersAcb .nil (.completed (text "c(b(a(w)))")) ordersAcbTrace) true := rfl
example : Eq (verdicts ordersAcb) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 ordersAcbTrace) true := rfl

/-- Three handlers whose clauses resume and then wrap the result; the operations come in the order b, a, c. -/
noncomputable def ordersBac : Computation :=
  .handle
    (.handle
      (.handle
        (.let
          (.perform 2 (.literal .null))
          (.let (.perform 1 (.literal .null)) (.let (.perform 3 (.literal .null)) (.return (.literal (text "w"))))))
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
    (clause
      3
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "c(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def ordersBacTrace : List Record := trace
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 4 0)
  |>.then (.resumptionHandle 5)
  |>.then (.continuationResume 5 (text "x"))
  |>.then (.effectDeclaration 3 .null)
  |>.then (.handlerSelection 8 2)
  |>.then (.resumptionHandle 9)
  |>.then (.continuationResume 9 (text "x"))
  |>.then (.resumeReturn 5 (text "w"))
  |>.then (.effectCapture .return 5 (text "a(w)"))
  |>.then (.resumeReturn 1 (text "a(w)"))
  |>.then (.effectCapture .return 1 (text "b(a(w))"))
  |>.then (.resumeReturn 9 (text "b(a(w))"))
  |>.then (.effectCapture .return 9 (text "c(b(a(w)))"))
  |>.then (.runEnd (.completed (text "c(b(a(w)))")))
theorem orders_bac_valid : ValidTrace ordersBac .nil (.completed (text "c(b(a(w)))")) ordersBacTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted ordersBac .nil) (some (declaredIn ordersBacTrace, (.completed (text "c(b(a(w)))")))) := rfl
example : Eq (mutantsRefused ordersBac .nil (.completed (text "c(b(a(w)))")) ordersBacTrace) true := rfl
example : Eq (verdicts ordersBac) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 ordersBacTrace) true := rfl

/-- Three handlers whose clauses resume and then wrap the result; the operations come in the order b, c, a. -/
noncomputable def ordersBca : Computation :=
  .handle
    (.handle
      (.handle
        (.let
          (.perform 2 (.literal .null))
          (.let (.perform 3 (.literal .null)) (.let (.perform 1 (.literal .null)) (.return (.literal (text "w"))))))
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
    (clause
      3
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "c(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def ordersBcaTrace : List Record := trace
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 3 .null)
  |>.then (.handlerSelection 4 1)
  |>.then (.resumptionHandle 5)
  |>.then (.continuationResume 5 (text "x"))
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 8 0)
  |>.then (.resumptionHandle 9)
  |>.then (.continuationResume 9 (text "x"))
  |>.then (.resumeReturn 9 (text "w"))
  |>.then (.effectCapture .return 9 (text "a(w)"))
  |>.then (.resumeReturn 1 (text "a(w)"))
  |>.then (.effectCapture .return 1 (text "b(a(w))"))
  |>.then (.resumeReturn 5 (text "b(a(w))"))
  |>.then (.effectCapture .return 5 (text "c(b(a(w)))"))
  |>.then (.runEnd (.completed (text "c(b(a(w)))")))
theorem orders_bca_valid : ValidTrace ordersBca .nil (.completed (text "c(b(a(w)))")) ordersBcaTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted ordersBca .nil) (some (declaredIn ordersBcaTrace, (.completed (text "c(b(a(w)))")))) := rfl
example : Eq (mutantsRefused ordersBca .nil (.completed (text "c(b(a(w)))")) ordersBcaTrace) true := rfl
example : Eq (verdicts ordersBca) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 ordersBcaTrace) true := rfl

/-- Three handlers whose clauses resume and then wrap the result; the operations come in the order c, a, b. -/
noncomputable def ordersCab : Computation :=
  .handle
    (.handle
      (.handle
        (.let
          (.perform 3 (.literal .null))
          (.let (.perform 1 (.literal .null)) (.let (.perform 2 (.literal .null)) (.return (.literal (text "w"))))))
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
    (clause
      3
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "c(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def ordersCabTrace : List Record := trace
  |>.then (.effectDeclaration 3 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 4 0)
  |>.then (.resumptionHandle 5)
  |>.then (.continuationResume 5 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 8 1)
  |>.then (.resumptionHandle 9)
  |>.then (.continuationResume 9 (text "x"))
  |>.then (.resumeReturn 5 (text "w"))
  |>.then (.effectCapture .return 5 (text "a(w)"))
  |>.then (.resumeReturn 9 (text "a(w)"))
  |>.then (.effectCapture .return 9 (text "b(a(w))"))
  |>.then (.resumeReturn 1 (text "b(a(w))"))
  |>.then (.effectCapture .return 1 (text "c(b(a(w)))"))
  |>.then (.runEnd (.completed (text "c(b(a(w)))")))
theorem orders_cab_valid : ValidTrace ordersCab .nil (.completed (text "c(b(a(w)))")) ordersCabTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted ordersCab .nil) (some (declaredIn ordersCabTrace, (.completed (text "c(b(a(w)))")))) := rfl
example : Eq (mutantsRefused ordersCab .nil (.completed (text "c(b(a(w)))")) ordersCabTrace) true := rfl
example : Eq (verdicts ordersCab) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 ordersCabTrace) true := rfl

/-- Three handlers whose clauses resume and then wrap the result; the operations come in the order c, b, a. -/
noncomputable def ordersCba : Computation :=
  .handle
    (.handle
      (.handle
        (.let
          (.perform 3 (.literal .null))
          (.let (.perform 2 (.literal .null)) (.let (.perform 1 (.literal .null)) (.return (.literal (text "w"))))))
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
    (clause
      3
      (.resume
        (.literal (text "x"))
        (.return (.binary .concat (.literal (text "c(")) (.binary .concat (.variable 0) (.literal (text ")")))))))
/-- The trace of its run. -/
noncomputable def ordersCbaTrace : List Record := trace
  |>.then (.effectDeclaration 3 .null)
  |>.then (.handlerSelection 0 0)
  |>.then (.resumptionHandle 1)
  |>.then (.continuationResume 1 (text "x"))
  |>.then (.effectDeclaration 2 .null)
  |>.then (.handlerSelection 4 0)
  |>.then (.resumptionHandle 5)
  |>.then (.continuationResume 5 (text "x"))
  |>.then (.effectDeclaration 1 .null)
  |>.then (.handlerSelection 8 0)
  |>.then (.resumptionHandle 9)
  |>.then (.continuationResume 9 (text "x"))
  |>.then (.resumeReturn 9 (text "w"))
  |>.then (.effectCapture .return 9 (text "a(w)"))
  |>.then (.resumeReturn 5 (text "a(w)"))
  |>.then (.effectCapture .return 5 (text "b(a(w))"))
  |>.then (.resumeReturn 1 (text "b(a(w))"))
  |>.then (.effectCapture .return 1 (text "c(b(a(w)))"))
  |>.then (.runEnd (.completed (text "c(b(a(w)))")))
theorem orders_cba_valid : ValidTrace ordersCba .nil (.completed (text "c(b(a(w)))")) ordersCbaTrace :=
  validator_sound (fuel := 100) rfl
example : Eq (denoted ordersCba .nil) (some (declaredIn ordersCbaTrace, (.completed (text "c(b(a(w)))")))) := rfl
example : Eq (mutantsRefused ordersCba .nil (.completed (text "c(b(a(w)))")) ordersCbaTrace) true := rfl
example : Eq (verdicts ordersCba) ⟨true, true, true⟩ := rfl
example : Eq (all Record.core0 ordersCbaTrace) true := rfl

#print axioms orders_abc_valid
#print axioms orders_acb_valid
#print axioms orders_bac_valid
#print axioms orders_bca_valid
#print axioms orders_cab_valid
#print axioms orders_cba_valid
end Eclogue.Examples
