"""The development itself: every claim is proved, without axioms, as it is locked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from eclogue.lean.audit import PROOFS, Audit, Report
from eclogue.lean.build import Build
from eclogue.lean.lock import read_lock
from eclogue.lean.problems import Verdict
from eclogue.lean.sources import HERE

ROOT = Path(__file__).resolve().parents[2]
PROPERTIES_LINES = 300
MODULE_LINES = 400

SURFACE = set(
    """
    source_eval_to_machine machine_eval_to_source source_eval_deterministic machine_deterministic
    source_eval_total machine_halts denote_adequate scoped_never_unbound trace_monotonic trace_lifecycle
    core0_admission core0h_admission core0h_resumed_once core0h_in_core0 validator_sound validator_complete
    valid_unique replay_sound branch_replay_sound refines_all runs_sim lookup_sim fork_isolated
    discard_restores_parent merge_applies_delta disjoint_merges_commute squash_view tidy_storable
    approved_before intended_before once compensations_reverse pending_order
    """.split()  # noqa: SIM905
)
"""The theorems that the specification promises."""


@pytest.fixture(scope="module")
def report(development: Build) -> Report:
    """Audit the development."""
    assert development
    return Audit().run()


def test_the_development_is_accepted(report: Report) -> None:
    assert [str(problem) for problem in report.problems] == []
    assert report.verdict is Verdict.ACCEPTED


def test_every_promised_theorem_is_there_without_axioms(report: Report) -> None:
    found = {theorem.id: theorem.axioms for theorem in report.theorems}
    assert {name for name in SURFACE if found.get(name) != ()} == set()


def test_rules_of_the_lock_exist() -> None:
    specification = (ROOT / "core" / "SPEC.md").read_text(encoding="utf-8")
    known = set(re.findall(r"[a-z0-9]+\.[a-z0-9_]+", specification))
    for theorem in read_lock(PROOFS).theorems.values():
        assert set(theorem.rules) <= known, theorem.id


def test_witnesses_of_the_lock_exist() -> None:
    for theorem in read_lock(PROOFS).theorems.values():
        path, _, function = theorem.witness.partition("::")
        assert re.search(rf"^def {function}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), (
            f"{theorem.id}: no test {theorem.witness}"
        )


def test_files_are_short() -> None:
    for path in (HERE / "Eclogue").rglob("*.lean"):
        most = PROPERTIES_LINES if path.name == "Properties.lean" else MODULE_LINES
        assert path.read_text(encoding="utf-8").count("\n") <= most, path


WRONG_CLAUSES = [
    ("| n, .succ m => .succ (Nat.add n m)", "| n, .succ _ => n"),
    ("| n, .succ m => Nat.add (Nat.mul n m) n", "| n, .succ m => Nat.mul n m"),
    ("| .succ n => Nat.mul (Nat.pow m n) m", "| .succ n => Nat.mul (Nat.pow m n) n"),
    ("| n, .succ m => Nat.pred (Nat.sub n m)", "| n, .succ m => Nat.sub n m"),
    ("| .succ a => a", "| .succ a => .succ a"),
    (
        "| .zero, .zero => true\n  | .zero, .succ _ => false",
        "| .zero, .zero => false\n  | .zero, .succ _ => false",
    ),
    ("| .zero, .succ _ => false", "| .zero, .succ _ => true"),
    ("| .zero, .succ _ => true", "| .zero, .succ _ => false"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong"), WRONG_CLAUSES)
def test_a_wrong_clause_in_the_foundation_does_not_check(
    development: Build, tmp_path: Path, right: str, wrong: str
) -> None:
    """Each clause that the kernel replaces by its own arithmetic is pinned by an equation beside it."""
    text = (HERE / "Eclogue" / "Foundation.lean").read_text(encoding="utf-8")
    assert right in text
    path = tmp_path / "Foundation.lean"
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    run = development.lean.run([str(path)])
    assert run.trouble is None
    assert run.of("error")
