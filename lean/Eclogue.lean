prelude
import Eclogue.Proof
import Eclogue.Examples.Orders
import Eclogue.Examples.Clauses
import Eclogue.Examples.Closing
import Eclogue.Examples.Handlers
import Eclogue.Examples.Schemas
import Eclogue.Examples.Expressions
import Eclogue.Examples.Lifecycle
import Eclogue.Examples.Files
import Eclogue.Examples.Canonical
import Eclogue.Examples.Document
/-! The calculus, its two semantics and its machine, the validator, the layered file systems and the gate, with all proofs. -/
