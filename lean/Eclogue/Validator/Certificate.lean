prelude
import Eclogue.Validator.Replay
import Eclogue.Core.Denote
/-!
# Certificates

What the certificate of a run says. It is obtained by one application of a theorem, and the kernel's evaluation of the validator.
-/
namespace Eclogue

/-- The program's run on these answers has this status and these records, in the source semantics; no other status and no other
records; the denotation says the same; and the records pass the lifecycle automaton. -/
structure Certificate (c : Computation) (answers : List Value) (status : Status) (records : List Record) : Prop where
  valid : ValidTrace c answers status records
  only : (status' : Status) → (records' : List Record) → ValidTrace c answers status' records' →
      And (Eq status' status) (Eq records' records)
  denoted : Eq ((denote c .nil).read answers .nil) (some (declaredIn records, status))
  accepted : Exists fun state => Eq (lifecycle records) (some state)
end Eclogue
