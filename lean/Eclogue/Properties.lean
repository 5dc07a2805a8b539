prelude
import Eclogue.Core.Denote
import Eclogue.Core.Scoping
import Eclogue.Core.Checked
import Eclogue.Core.Packed
import Eclogue.Validator.Counting
import Eclogue.Validator.Stretches
import Eclogue.Runtime.Scope
import Eclogue.Runtime.Rename
import Eclogue.Runtime.LinearGate
/-!
# What is claimed

Every claim about the calculus, as a proposition, in the words of the definitions. This file imports definitions only; the proofs
are in `Eclogue/Proofs`, and `Eclogue/Proof.lean` has one theorem of the same name for each proposition below.

How to read it. A closed program is a `Computation` `c`. Its meaning is the tree `denote c .nil`: a value, a failure, or an
operation and for each answer a tree (and marks where operations were performed); `handle` is a fold over trees, nothing else.
`Eval .nil c .empty o t` is the big-step semantics: the program has the outcome `o` and the trace `t`. `Steps (start c) (final o t)`
is the machine. `Run c answers o t` and `MachineRun (start c) answers (final o t)` are the same with answers of a host. A trace
lists its records newest first.
-/
namespace Eclogue.Properties

/-! ## The meaning of programs: the tree, and what realizes it -/
/-- The outcome of a program in the big-step semantics realizes the tree that the program denotes: the same value, failure or
operation, and the same operations performed on the way; and an operation, however and whenever it is answered, goes on as the
subtree says. -/
def denote_adequate : Prop := ∀ c o t, Eval .nil c .empty o t → Realizes (denote c .nil) .nil o (declared t)
/-- The converse: the tree is the only one that the outcome realizes, so the big-step semantics determines the meaning. -/
def denote_unique : Prop := ∀ c o t T, Eval .nil c .empty o t → Realizes T .nil o (declared t) → Tree.Same T (denote c .nil)
/-- What can be observed is the same, for all answers of a host: some run of the program on the answers performs these operations and
has this status exactly when the tree, read along the answers, says so. Too many answers are no run, and no reading. -/
def denote_observed : Prop := ∀ c answers performed status,
  Iff (Exists2 fun o t => And (Run c answers o t) (And (Eq (declared t) performed) (Eq o.status status)))
    (Eq ((denote c .nil).read answers .nil) (some (performed, status)))
/-- And so it is for the machine. -/
def machine_observed : Prop := ∀ c answers performed status,
  Iff (Exists2 fun o t => And (MachineRun (start c) answers (final o t)) (And (Eq (declared t) performed) (Eq o.status status)))
    (Eq ((denote c .nil).read answers .nil) (some (performed, status)))

/-! ## 1, 2: source and machine agree, outcome and trace -/
/-- What the source semantics derives, the machine does. -/
def source_eval_to_machine : Prop := ∀ c o t, Eval .nil c .empty o t → Steps (start c) (final o t)
/-- What the machine does, the source semantics derives. -/
def machine_eval_to_source : Prop := ∀ c o t, Steps (start c) (final o t) → Eval .nil c .empty o t
/-- The first, for runs with answers of a host. -/
def source_run_to_machine : Prop := ∀ c answers o t, Run c answers o t → MachineRun (start c) answers (final o t)
/-- The second, for runs with answers of a host. -/
def machine_run_to_source : Prop := ∀ c answers o t, MachineRun (start c) answers (final o t) → Run c answers o t

/-! ## 3: determinism -/
/-- A computation has one outcome and one trace, in any environment and after any trace. -/
def source_eval_deterministic : Prop := ∀ ρ c t o o' t₁ t₂, Eval ρ c t o t₁ → Eval ρ c t o' t₂ → And (Eq o o') (Eq t₁ t₂)
/-- A program has one outcome and one trace for the same answers. -/
def run_deterministic : Prop := ∀ c answers o o' t t', Run c answers o t → Run c answers o' t' → And (Eq o o') (Eq t t')
/-- A state in which the machine stops is reached by one run only, and there is one such state. -/
def machine_deterministic : Prop := ∀ s a b, Steps s a → Steps s b → Eq (step a) none → Eq (step b) none → Eq a b

/-! ## 4: totality -/
/-- Every program has an outcome. -/
def source_eval_total : Prop := ∀ c, Exists2 fun o t => Eval .nil c .empty o t
/-- The machine halts on every program. -/
def machine_halts : Prop := ∀ c, Exists2 fun o t => Steps (start c) (final o t)
/-- With any answers a run goes on until they are used up, or until it ends. -/
def run_total : Prop := ∀ c answers, Exists2 fun used rest => Exists2 fun o t =>
  And (Eq answers (List.append used rest)) (And (Run c used o t) (Or (Eq rest .nil) o.Ended))
/-- A program whose variables have binders never fails with `unbound`, whatever the host answers. -/
def scoped_never_unbound : Prop := ∀ c answers s,
  Eq (inScope c 0) true → MachineRun (start c) answers s → Every Record.bound s.trace

/-! ## 5: the trace only grows -/
/-- Steps and answers only add records. -/
def trace_monotonic : Prop := ∀ s answers s', MachineRun s answers s' → Grows s.trace s'.trace

/-! ## 6: lifecycle and profiles -/
/-- The automaton accepts every trace that the machine ever has, and its open selections are those of control and stack. -/
def trace_lifecycle : Prop := ∀ c answers s, MachineRun (start c) answers s → LiveState s
/-- The published trace of a run that ended takes the automaton to its end, with nothing open. -/
def ended_lifecycle : Prop := ∀ c answers o t, Run c answers o t → o.Ended →
  Eq (lifecycle (published o t).records) (some ⟨Nat.succ t.next, .ended, .nil⟩)
/-- Acceptance by the automaton, of any trace, whoever made it: each number was selected at most once, … -/
def made_once : Prop := ∀ s records, Or (Eq (timesMade s records) 0) (Eq (timesMade s records) 1)
/-- … resumed at most as often as it was made, … -/
def resumed_at_most_once : Prop := ∀ s records state, Eq (lifecycle records) (some state) →
  Exists fun k => Eq (timesMade s records) (Nat.add k (timesResumed s records))
/-- … ended at most as often as it was made, … -/
def ended_at_most_once : Prop := ∀ s records state, Eq (lifecycle records) (some state) →
  Exists fun k => Eq (timesMade s records) (Nat.add (timesEnded s records) k)
/-- … and, when nothing is open, ended exactly as often. -/
def ends_once : Prop := ∀ s records n mode, Eq (lifecycle records) (some ⟨n, mode, .nil⟩) →
  Eq (timesEnded s records) (timesMade s records)
/-- A program that `core0` admits never aborts and never drops a selection, in any run and at any moment. -/
def core0_admission : Prop := ∀ c answers s, Eq (core0 c) true → MachineRun (start c) answers s → Every Record.core0 s.trace
/-- In a run of a program that `core0h` admits every clause completes after a resume. -/
def core0h_admission : Prop := ∀ c answers s, Eq (core0h c) true → MachineRun (start c) answers s → Every Record.core0h s.trace
/-- When such a run completes, each selection was resumed, returned to and captured as often as it was made: once. -/
def core0h_resumed_once : Prop := ∀ c answers v t, Eq (core0h c) true → MachineRun (start c) answers (final (.completed v) t) →
  ∀ s, And (Eq (timesResumed s t.records) (timesMade s t.records))
    (And (Eq (timesReturned s t.records) (timesMade s t.records)) (Eq (timesCaptured s t.records) (timesMade s t.records)))
/-- `core0h` is part of `core0`: programs, and records. -/
def core0h_in_core0 : Prop :=
  And (∀ c, Eq (core0h c) true → Eq (core0 c) true) (∀ r : Record, Eq r.core0h true → Eq r.core0 true)

/-- A program in which every operation is performed with both schema checks (`checked`): every declared payload is of its schema, and
right after a resumed value or a host's answer that is not of its schema there is a failure of kind `schema`. -/
def schema_checked : Prop := ∀ σ c answers s, Eq (checked σ c) true → MachineRun (start c) answers s →
  Eq (schemasKept σ s.trace.records) true
/-- When such a run completes, every payload, every resumed value and every answer was of its schema. -/
def schema_met : Prop := ∀ σ c answers v t, Eq (checked σ c) true → MachineRun (start c) answers (final (.completed v) t) →
  Eq (schemasMet σ t.records) true

/-! ## 7: the validator -/
/-- What the validator accepts is the published trace of the program's run, in the source semantics. -/
def validator_sound : Prop := ∀ fuel c answers status records,
  Eq (validate fuel c answers status records) true → ValidTrace c answers status records
/-- With enough fuel it accepts every such trace. -/
def validator_complete : Prop := ∀ c answers status records, ValidTrace c answers status records →
  Exists fun n => ∀ k, Eq (validate (Nat.add k n) c answers status records) true
/-- There is one such status and one such trace, and no other. -/
def valid_unique : Prop := ∀ c answers status status' records records',
  ValidTrace c answers status records → ValidTrace c answers status' records' → And (Eq status status') (Eq records records')
/-- Its status, and the operations performed in it, are what the denotation says. -/
def valid_denoted : Prop := ∀ c answers status records, ValidTrace c answers status records →
  Eq ((denote c .nil).read answers .nil) (some (declaredIn records, status))
/-- It passes the lifecycle automaton. -/
def valid_lifecycle : Prop := ∀ c answers status records, ValidTrace c answers status records →
  Exists fun state => Eq (lifecycle records) (some state)
/-- It is a trace of `core0` when the program is admitted. -/
def valid_core0 : Prop := ∀ c answers status records, Eq (core0 c) true → ValidTrace c answers status records →
  Eq (all Record.core0 records) true
/-- It is a trace of `core0h` when the program is admitted. -/
def valid_core0h : Prop := ∀ c answers status records, Eq (core0h c) true → ValidTrace c answers status records →
  Eq (all Record.core0h records) true

/-- The certificate of a run: what the validator accepts is the run's status and trace in the source semantics, there is no other, the
denotation says the same, and the lifecycle automaton accepts it. -/
def certified : Prop := ∀ fuel c answers status records,
  Eq (validate fuel c answers status records) true → Certificate c answers status records

/-- A run in pieces. What the kernel finds by so many steps from a point, after no record, holds after any records. -/
def stretch_checked : Prop := ∀ n l p records q,
  Eq (runStretch n l p) (some (q.after records)) → Stretch p (answersAlone l) records q
/-- Two stretches, of which the second begins where the first ends, are one. -/
def stretches_compose : Prop := ∀ p q r first second before after,
  Stretch p first before q → Stretch q second after r → Stretch p (List.append first second) (List.append after before) r
/-- A stretch from the start of a program to a state in which it stops is a run: it has its certificate. -/
def certified_stretch : Prop := ∀ c answers records o next, Stretch (.start c) answers records (.final o next) →
  Certificate c answers o.status (published o ⟨next, records⟩).records

/-! ## canonical bytes -/
/-- The canonical JSON bytes of a value determine it (`proper`: no text claims fewer scalars than its code has). -/
def canonical_injective : Prop := ∀ v w : Value, Eq v.proper true → Eq w.proper true → Eq v.canonicalBytes w.canonicalBytes → Eq v w

/-- The canonical bytes of a program's document determine the program: its declarations and its term. -/
def program_injective : Prop := ∀ p q : Program, Eq p.declared true → Eq q.declared true → Eq p.document.proper true →
  Eq q.document.proper true → Eq p.canonicalBytes q.canonicalBytes → Eq p q

/-- The canonical bytes of a trace determine its records, when what stands for a value (itself, or its commitment) determines it. -/
def trace_injective : Prop := ∀ (declarations : List OperationDeclaration) commit records records',
  Eq (distinctNames declarations) true → (∀ v w, Eq (commit v) (commit w) → Eq v w) →
  Eq (all (Record.below (length declarations)) records) true → Eq (all (Record.below (length declarations)) records') true →
  Eq (recordsToValues (nameOf declarations) commit records).proper true →
  Eq (recordsToValues (nameOf declarations) commit records').proper true →
  Eq (traceBytes (nameOf declarations) commit records) (traceBytes (nameOf declarations) commit records') → Eq records records'

/-- And so do the canonical bytes of its records, one line for each. -/
def lines_injective : Prop := ∀ (declarations : List OperationDeclaration) commit records records',
  Eq (distinctNames declarations) true → (∀ v w, Eq (commit v) (commit w) → Eq v w) →
  Eq (all (Record.below (length declarations)) records) true → Eq (all (Record.below (length declarations)) records') true →
  Eq (recordsToValues (nameOf declarations) commit records).proper true →
  Eq (recordsToValues (nameOf declarations) commit records').proper true →
  Eq (recordLines (nameOf declarations) commit records) (recordLines (nameOf declarations) commit records') → Eq records records'

/-- The canonical bytes of a value are those of its packed canonical text, which takes fewer steps to evaluate. -/
def packed_bytes : Prop := ∀ (v : Value) t, Eq v.proper true → Eq v.packed t → Eq v.canonicalBytes t.bytes
/-- The same for several values. -/
def packed_values : Prop := ∀ values texts, Eq (all Value.proper values) true → Eq (map Value.packed values) texts →
  Eq (map Value.canonicalBytes values) (map Text.bytes texts)
/-- The same for the records of a trace. -/
def packed_lines : Prop := ∀ names commit records texts, Eq (recordsToValues names commit records).proper true →
  Eq (packedLines names commit records) texts → Eq (recordLines names commit records) (map Text.bytes texts)

/-! ## 8: replay and branches -/
/-- Running on `a ++ b` is running on `a`, then continuing on `b`. -/
def replay_sound : Prop := ∀ c a b o t, Iff (Run c (List.append a b) o t)
  (Exists2 fun o₁ t₁ => And (Run c a o₁ t₁) (Continues o₁ t₁ b o t))
/-- From a common point, reached with the answers `a`, any finite set of branches continue that point exactly when each is a run of
the program on `a` and its own answers; and then each extends the common trace. -/
def branch_replay_sound : Prop := ∀ c a o t, Run c a o t → ∀ branches,
  And (Iff (Each (fun b => Continues o t b.answers b.outcome b.trace) branches)
      (Each (fun b => Run c (List.append a b.answers) b.outcome b.trace) branches))
    (Each (fun b => Run c (List.append a b.answers) b.outcome b.trace) branches → Each (fun b => Grows t b.trace) branches)
end Eclogue.Properties

namespace Eclogue.Properties
open Eclogue.Files

/-! ## 9: layered file systems (trees are compared path by path: `Same`) -/
/-- A stack of layers behaves as the flat file system: the same answers, errors included, and the same view, for any operations. -/
def refines_all : Prop := ∀ (S : Stack) (T : FileTree), Same S.view T → ∀ operations,
  And (Eq (S.runs .nil operations).2 (T.runs .nil operations).2) (Same (S.runs .nil operations).1.view (T.runs .nil operations).1)
/-- An operation that fails changes nothing at all. -/
def failed_unchanged : Prop := ∀ (S : Stack) o e, Eq (S.run o).2 (some e) → Eq (S.run o).1 S
/-- An operation changes no path outside those that it names. -/
def view_other : Prop := ∀ (S : Stack) o q, Outside q o → Eq ((S.run o).1.view.get q) (S.view.get q)
/-- Well-formed views stay well formed. -/
def view_wf : Prop := ∀ (S : Stack) o, WellFormed S.view → WellFormed (S.run o).1.view
/-- The look-up that overlayfs does finds what the view has, for layers that can be stored. -/
def lookup_is_view : Prop := ∀ layers, AllClosed layers → ∀ q, Eq (overlayLookup layers q) ((view layers).get q)
/-- The system call `rename` refines the flat one, or answers EXDEV and changes nothing. -/
def rename_call_refines : Prop := ∀ (S : Stack) (T : FileTree), Same S.view T → ∀ s d,
  Or (Eq (renameCall S s d) ⟨S, some .exdev⟩) (Agree (renameCall S s d) (T.run (.rename s d)))
/-- Two layers squashed into one show the same, over whatever lies below. -/
def squash_view : Prop := ∀ U L T, Same (over (squash U L) T) (over U (over L T))
/-- The layer made for a merged tree can be stored, and shows it. -/
def tidy_storable : Prop := ∀ L M, WellFormed L → WellFormed M → And (Storable (tidy L M) L) (Same (over (tidy L M) L) M)
/-- A first scope over a base layer that can be stored is related to a copy of the base. -/
def start_related : Prop := ∀ b, Closed b → WellFormed (view (.cons b .nil)) →
  RelatedScope ⟨.fresh (.cons b .nil), .cons b .nil, none⟩ ⟨view (.cons b .nil), view (.cons b .nil), none⟩
/-- A world of scopes, with operations, forks, discards and merges, behaves as a world of copied trees, answers included. -/
def runs_sim : Prop := ∀ w f, Related w f → ∀ commands,
  And (Eq (runs w .nil commands).2 (flatRuns f .nil commands).2) (Related (runs w .nil commands).1 (flatRuns f .nil commands).1)
/-- After any commands, in any scope, at any path, the overlay's own look-up finds what the copied tree has. -/
def lookup_sim : Prop := ∀ w f, Related w f → ∀ commands k q,
  Eq (look q ((runs w .nil commands).1 k)) (flatLook q ((flatRuns f .nil commands).1 k))
/-- Commands that do not name a scope leave it alone. -/
def fork_isolated : Prop := ∀ k commands w log, AllAvoid k commands → Eq ((runs w log commands).1 k) (w k)
/-- Fork, do anything that does not name the parent, discard: the parent shows what it did. -/
def discard_restores_parent : Prop := ∀ (w : World) i j s log, Eq (Nat.beq j i) false → Eq (w i) (some s) → Eq (w j) none →
  ∀ commands, AllAvoid i commands → Exists fun p =>
    And (Eq ((commandStep (runs (commandStep w (.fork i j)).1 log commands).1 (.discard j)).1 i) (some p)) (Same p.stack.view s.stack.view)
/-- After a fork the child shows what the parent showed. -/
def fork_view_child : Prop := ∀ (w : World) i j s, Eq (w i) (some s) → Eq (w j) none →
  Exists fun c => And (Eq ((commandStep w (.fork i j)).1 j) (some c)) (Same c.stack.view s.stack.view)
/-- Merging into a parent that did not change since the fork gives the child's view. -/
def merge_applies_delta : Prop := ∀ B P C, Same P B → Same (merge3 B P C) C
/-- In a world: that merge succeeds, and the parent then shows what the child showed. -/
def merge_unchanged : Prop := ∀ (w : World) i j s c, Eq (Nat.beq j i) false → Eq (w i) (some s) → Eq (w j) (some c) →
  Eq (isParent i c.parent) true → Same s.stack.view (view c.base) → WellFormed c.stack.view → WellFormed (view s.stack.low) →
  And (Eq (commandStep w (.merge i j)).2 .done)
    (Exists fun p => And (Eq ((commandStep w (.merge i j)).1 i) (some p)) (Same p.stack.view c.stack.view))
/-- Merges of deltas that touch no path in common commute, also from different fork points. -/
def disjoint_merges_commute : Prop := ∀ B C B' C' P, Disjoint B C B' C' →
  Same (merge3 B' (merge3 B P C) C') (merge3 B (merge3 B' P C') C)
/-- Deltas that moreover touch no directory and its child merge without a conflict. -/
def separate_no_conflict : Prop := ∀ B P C, WellFormed P → WellFormed C → Separate B P C → Eq (conflicted B P C) false
end Eclogue.Properties

namespace Eclogue.Properties
open Eclogue.Gate

/-! ## 10: the gate (a history lists its records newest first; `After h t`: `h` is where `t` once was) -/
/-- At the moment of an irreversible outcome an approval of exactly what was intended had been given, and not denied since. -/
def approved_before : Prop := ∀ t h id digest, Eq (accept t) true → After (.cons (.outcome id) h) t →
  Eq (intentOf id h) (some ⟨digest, .irreversible⟩) → And (Mem (.approve id digest) h) (Eq (approved id digest h) true)
/-- Nothing happens that was not intended. -/
def intended_before : Prop := ∀ t h id, Eq (accept t) true → After (.cons (.outcome id) h) t → Not (Eq (intentOf id h) none)
/-- Nothing happens twice. -/
def once : Prop := ∀ t h id, Eq (accept t) true → After (.cons (.outcome id) h) t → Eq (happened id h) false
/-- Compensations that are accepted take the pending outcomes from the newest on. -/
def compensations_reverse : Prop := ∀ ids h, Eq (accept (undo ids h)) true → Exists fun rest => Eq (pending h) (List.append ids rest)
/-- The pending outcomes are in the order in which they happened, the newest first. -/
def pending_order : Prop := ∀ h, Sub (pending h) (outcomes h)
/-- The checker that goes through a history once gives the same verdict. -/
def linear_gate_agrees : Prop := ∀ h, Eq (acceptOnce h) (accept h)
end Eclogue.Properties
