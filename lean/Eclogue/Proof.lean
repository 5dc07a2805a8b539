prelude
import Eclogue.Properties
import Eclogue.Proofs.Core.Adequacy
import Eclogue.Proofs.Core.Scoping
import Eclogue.Proofs.Core.CheckedRuns
import Eclogue.Proofs.Core.TraceDocument
import Eclogue.Proofs.Core.Packed
import Eclogue.Proofs.Validator.Stretches
import Eclogue.Proofs.Runtime.Scope
import Eclogue.Proofs.Runtime.Rename
import Eclogue.Proofs.Runtime.LinearGate
/-!
# Every claim is proved

One theorem for each proposition of `Eclogue/Properties.lean`, under the same name, by its proof in `Eclogue/Proofs`; and after each
the axioms that it rests on: there are none.
-/
namespace Eclogue.Proof

theorem denote_adequate : Properties.denote_adequate := fun _ _ _ => Eclogue.denote_adequate
theorem denote_unique : Properties.denote_unique := fun _ _ _ _ => Eclogue.denote_unique
theorem denote_observed : Properties.denote_observed := fun _ _ _ _ => Eclogue.denote_observed
theorem machine_observed : Properties.machine_observed := fun _ _ _ _ => Eclogue.machine_observed
theorem source_eval_to_machine : Properties.source_eval_to_machine := fun _ _ _ => Eclogue.source_eval_to_machine
theorem machine_eval_to_source : Properties.machine_eval_to_source := fun _ _ _ => Eclogue.machine_eval_to_source
theorem source_run_to_machine : Properties.source_run_to_machine := fun _ _ _ _ => Eclogue.run_to_machine
theorem machine_run_to_source : Properties.machine_run_to_source := fun _ _ _ _ => Eclogue.machine_to_run
theorem source_eval_deterministic : Properties.source_eval_deterministic := fun _ _ _ _ _ _ _ => Eclogue.source_eval_deterministic
theorem run_deterministic : Properties.run_deterministic := fun _ _ _ _ _ _ => Eclogue.run_deterministic
theorem machine_deterministic : Properties.machine_deterministic := fun _ _ _ => Eclogue.steps_deterministic
theorem source_eval_total : Properties.source_eval_total := Eclogue.source_eval_total
theorem machine_halts : Properties.machine_halts := Eclogue.machine_halts
theorem run_total : Properties.run_total := Eclogue.run_total
theorem scoped_never_unbound : Properties.scoped_never_unbound := fun _ _ _ => Eclogue.scoped_never_unbound
theorem trace_monotonic : Properties.trace_monotonic := fun _ _ _ => Eclogue.run_monotonic
theorem trace_lifecycle : Properties.trace_lifecycle := fun _ _ _ => Eclogue.trace_lifecycle_runs
theorem ended_lifecycle : Properties.ended_lifecycle := fun _ _ _ _ => Eclogue.run_lifecycle
theorem made_once : Properties.made_once := fun _ => Eclogue.made_once
theorem resumed_at_most_once : Properties.resumed_at_most_once := fun _ _ _ => Eclogue.resumed_at_most_once
theorem ended_at_most_once : Properties.ended_at_most_once := fun _ _ _ => Eclogue.ended_at_most_once
theorem ends_once : Properties.ends_once := fun _ _ _ _ => Eclogue.ends_once
theorem core0_admission : Properties.core0_admission := fun _ _ _ => Eclogue.core0_admission_runs
theorem core0h_admission : Properties.core0h_admission := fun _ _ _ => Eclogue.core0h_admission_runs
theorem core0h_resumed_once : Properties.core0h_resumed_once := fun _ _ _ _ => Eclogue.core0h_resumed_once
theorem core0h_in_core0 : Properties.core0h_in_core0 := ⟨fun _ => Eclogue.core0h_core0, Eclogue.core0h_sub_core0⟩
theorem schema_checked : Properties.schema_checked := fun _ _ _ _ => Eclogue.schema_checked
theorem schema_met : Properties.schema_met := fun _ _ _ _ _ => Eclogue.schema_met
theorem validator_sound : Properties.validator_sound := fun _ _ _ _ _ => Eclogue.validator_sound
theorem validator_complete : Properties.validator_complete := fun _ _ _ _ => Eclogue.validator_complete
theorem valid_unique : Properties.valid_unique := fun _ _ _ _ _ _ => Eclogue.valid_unique
theorem valid_denoted : Properties.valid_denoted := fun _ _ _ _ => Eclogue.valid_denoted
theorem valid_lifecycle : Properties.valid_lifecycle := fun _ _ _ _ => Eclogue.valid_lifecycle
theorem valid_core0 : Properties.valid_core0 := fun _ _ _ _ => Eclogue.valid_core0
theorem valid_core0h : Properties.valid_core0h := fun _ _ _ _ => Eclogue.valid_core0h
theorem certified : Properties.certified := fun _ _ _ _ _ => Eclogue.certified
theorem stretch_checked : Properties.stretch_checked := fun _ _ _ _ _ => Eclogue.stretch_checked
theorem stretches_compose : Properties.stretches_compose := fun _ _ _ _ _ _ _ => Eclogue.stretches_compose
theorem certified_stretch : Properties.certified_stretch := fun _ _ _ _ _ => Eclogue.certified_stretch
theorem canonical_injective : Properties.canonical_injective := fun _ _ => Eclogue.canonical_injective
theorem program_injective : Properties.program_injective := fun _ _ => Eclogue.program_injective
theorem trace_injective : Properties.trace_injective := fun _ _ _ _ => Eclogue.trace_injective
theorem lines_injective : Properties.lines_injective := fun _ _ _ _ => Eclogue.lines_injective
theorem packed_bytes : Properties.packed_bytes := fun _ _ p e => Eq.trans (Eclogue.packed_bytes p) (congrArg Text.bytes e)
theorem packed_values : Properties.packed_values := fun values _ p e => Eq.trans (Eclogue.packed_values values p) (congrArg (map Text.bytes) e)
theorem packed_lines : Properties.packed_lines := fun _ _ records _ p e => Eq.trans (Eclogue.packed_lines records p)
  (congrArg (map Text.bytes) e)
theorem replay_sound : Properties.replay_sound := fun _ _ _ _ _ => Eclogue.replay_sound
theorem branch_replay_sound : Properties.branch_replay_sound := fun _ _ _ _ => Eclogue.branch_replay_sound
theorem refines_all : Properties.refines_all := fun _ _ h operations => Files.refines_all h operations rfl
theorem failed_unchanged : Properties.failed_unchanged := fun _ _ _ => Files.failed_unchanged
theorem view_other : Properties.view_other := fun _ _ _ => Files.view_other
theorem view_wf : Properties.view_wf := fun _ o w => Files.view_wf w o
theorem lookup_is_view : Properties.lookup_is_view := fun _ => Files.lookup_is_view
theorem rename_call_refines : Properties.rename_call_refines := fun _ _ => Files.rename_call_refines
theorem squash_view : Properties.squash_view := fun _ _ _ => Files.squash_view
theorem tidy_storable : Properties.tidy_storable := fun _ _ l m => ⟨Files.tidy_storable l m, Files.tidy_view l m⟩
theorem start_related : Properties.start_related := fun _ => Files.start_rel
theorem runs_sim : Properties.runs_sim := fun _ _ r commands => Files.runs_sim r commands rfl
theorem lookup_sim : Properties.lookup_sim := fun _ _ => Files.lookup_sim
theorem fork_isolated : Properties.fork_isolated := fun _ commands _ _ => Files.fork_isolated commands
theorem discard_restores_parent : Properties.discard_restores_parent := fun _ _ _ _ _ ne hi hj => Files.discard_restores_parent ne hi hj
theorem fork_view_child : Properties.fork_view_child := fun _ _ _ _ => Files.fork_view_child
theorem merge_applies_delta : Properties.merge_applies_delta := fun _ _ _ => Files.merge_applies_delta
theorem merge_unchanged : Properties.merge_unchanged := fun _ _ _ _ _ => Files.merge_unchanged
theorem disjoint_merges_commute : Properties.disjoint_merges_commute := fun _ _ _ _ _ => Files.disjoint_merges_commute
theorem separate_no_conflict : Properties.separate_no_conflict := fun _ _ _ => Files.separate_no_conflict
theorem approved_before : Properties.approved_before := fun _ _ _ _ => Gate.approved_before
theorem intended_before : Properties.intended_before := fun _ _ _ => Gate.intended_before
theorem once : Properties.once := fun _ _ _ => Gate.once
theorem compensations_reverse : Properties.compensations_reverse := fun ids _ => Gate.compensations_reverse ids
theorem pending_order : Properties.pending_order := Gate.pending_order
theorem linear_gate_agrees : Properties.linear_gate_agrees := Gate.linear_gate_agrees

#print axioms denote_adequate
#print axioms denote_unique
#print axioms denote_observed
#print axioms machine_observed
#print axioms source_eval_to_machine
#print axioms machine_eval_to_source
#print axioms source_run_to_machine
#print axioms machine_run_to_source
#print axioms source_eval_deterministic
#print axioms run_deterministic
#print axioms machine_deterministic
#print axioms source_eval_total
#print axioms machine_halts
#print axioms run_total
#print axioms scoped_never_unbound
#print axioms trace_monotonic
#print axioms trace_lifecycle
#print axioms ended_lifecycle
#print axioms made_once
#print axioms resumed_at_most_once
#print axioms ended_at_most_once
#print axioms ends_once
#print axioms core0_admission
#print axioms core0h_admission
#print axioms core0h_resumed_once
#print axioms core0h_in_core0
#print axioms schema_checked
#print axioms schema_met
#print axioms validator_sound
#print axioms validator_complete
#print axioms valid_unique
#print axioms valid_denoted
#print axioms valid_lifecycle
#print axioms valid_core0
#print axioms valid_core0h
#print axioms certified
#print axioms stretch_checked
#print axioms stretches_compose
#print axioms certified_stretch
#print axioms canonical_injective
#print axioms program_injective
#print axioms trace_injective
#print axioms lines_injective
#print axioms packed_bytes
#print axioms packed_values
#print axioms packed_lines
#print axioms replay_sound
#print axioms branch_replay_sound
#print axioms refines_all
#print axioms failed_unchanged
#print axioms view_other
#print axioms view_wf
#print axioms lookup_is_view
#print axioms rename_call_refines
#print axioms squash_view
#print axioms tidy_storable
#print axioms start_related
#print axioms runs_sim
#print axioms lookup_sim
#print axioms fork_isolated
#print axioms discard_restores_parent
#print axioms fork_view_child
#print axioms merge_applies_delta
#print axioms merge_unchanged
#print axioms disjoint_merges_commute
#print axioms separate_no_conflict
#print axioms approved_before
#print axioms intended_before
#print axioms once
#print axioms compensations_reverse
#print axioms pending_order
#print axioms linear_gate_agrees
end Eclogue.Proof
