prelude
import Eclogue.Examples.Notation
/-! Traces that the lifecycle automaton accepts, and traces that it refuses, each for its own reason. -/
namespace Eclogue.Examples

/-! Accepted. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.resumeReturn 1 (integer 2))
    |>.then (.effectCapture .return 1 (integer 3))
    |>.then (.runEnd (.completed (integer 3))))) (some ⟨7, .ended, .nil⟩) := rfl

/-! Accepted. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 4 1)
    |>.then (.resumptionHandle 5)
    |>.then (.effectCapture .abort 5 (integer 1))
    |>.then (.selectionClosed .dropped 1 7)
    |>.then (.runEnd (.completed (integer 3))))) (some ⟨10, .ended, .nil⟩) := rfl

/-! Resumed twice: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.continuationResume 1 (integer 1)))) none := rfl

/-! Returned, not resumed: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.resumeReturn 1 (integer 2)))) none := rfl

/-! Captured by return before returning: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.effectCapture .return 1 (integer 3)))) none := rfl

/-! Captured twice: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.resumeReturn 1 (integer 2))
    |>.then (.effectCapture .return 1 (integer 3))
    |>.then (.effectCapture .return 1 (integer 3)))) none := rfl

/-! Ends while open: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.resumeReturn 1 (integer 2))
    |>.then (.runEnd (.completed (integer 3))))) none := rfl

/-! After the end: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.resumeReturn 1 (integer 2))
    |>.then (.effectCapture .return 1 (integer 3))
    |>.then (.runEnd (.completed (integer 3)))
    |>.then (.effectDeclaration 1 .null))) none := rfl

/-! Selection without declaration: refused. -/
example : Eq (lifecycle (trace
    |>.then (.handlerSelection 0 0))) none := rfl

/-! Captures more than is open: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 1))) none := rfl

/-! Answered after resuming: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.effectCapture .answer 1 (integer 3)))) none := rfl

/-! Inner resumed while captured: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 4 1)
    |>.then (.resumptionHandle 5)
    |>.then (.resumeReturn 1 (integer 2)))) none := rfl

/-! Outer returns before inner: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 4 1)
    |>.then (.resumptionHandle 5)
    |>.then (.continuationResume 5 (integer 1))
    |>.then (.resumeReturn 5 (integer 2)))) none := rfl

/-! Dropped but not closed: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 4 1)
    |>.then (.resumptionHandle 5)
    |>.then (.effectCapture .abort 5 (integer 1))
    |>.then (.runEnd (.completed (integer 3))))) none := rfl

/-! Closed under another cause: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 4 1)
    |>.then (.resumptionHandle 5)
    |>.then (.effectCapture .abort 5 (integer 1))
    |>.then (.selectionClosed .dropped 1 5))) none := rfl

/-! Closed without a cause: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 4 1)
    |>.then (.resumptionHandle 5)
    |>.then (.selectionClosed .dropped 1 5))) none := rfl

/-! Goes on after a failure: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.handlerSelection 0 0)
    |>.then (.resumptionHandle 1)
    |>.then (.continuationResume 1 (integer 1))
    |>.then (.failure .type)
    |>.then (.effectDeclaration 1 .null))) none := rfl

/-! Observed twice: refused. -/
example : Eq (lifecycle (trace
    |>.then (.effectDeclaration 1 .null)
    |>.then (.hostObservation 0 (integer 1))
    |>.then (.hostObservation 0 (integer 1)))) none := rfl
end Eclogue.Examples
