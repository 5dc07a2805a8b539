"""The audit accepts a good package and refuses each bad one for its own reason."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import attrs
import pytest
from support.lean_packages import NEGATIVE, codes, locked, mini_audit, overlay, pretender

from eclogue.lean.audit import Audit
from eclogue.lean.cache import Cache
from eclogue.lean.lock import DEFINITIONS, THEOREMS
from eclogue.lean.problems import Verdict
from eclogue.lean.process import ChildLimits
from eclogue.lean.toolchain import Lean
from eclogue.lean.trial import SELF_TEST

REASONS = {
    "added_axiom": {"module.banned", "theorem.axioms"},
    "broken_dependency": {"module.error", "module.blocked"},
    "broken_proof": {"module.error", "module.blocked"},
    "changed_definition": {"definitions.changed"},
    "falsehood": {"foundation.changed"},
    "hidden_options": {"package.settings"},
    "hole": {"module.banned", "module.error", "module.blocked"},
    "import_cycle": {"module.cycle", "module.unreachable"},
    "kernel_skipped": {"module.banned"},
    "new_claim": {"lock.unlisted"},
    "no_prelude": {"module.header", "module.import", "module.blocked"},
    "other_claim": {"theorem.mismatch", "statement.changed", "definitions.changed"},
    "statement_from_proof": {"module.direction"},
    "unimported_file": {"module.unreachable"},
    "unproved_claim": {"theorem.unproved"},
    "warning": {"module.warning", "module.blocked"},
    "weakened_statement": {"statement.changed"},
    "wrong_clause": {"module.error", "module.blocked"},
}
"""For each bad package all codes of its problems: this and nothing else is wrong with it."""


@pytest.fixture
def audit(lean: Lean, lean_cache: Cache, tmp_path: Path) -> Audit:
    """Lock the small package, and give its audit."""
    assert lean
    return locked(mini_audit(tmp_path, lean_cache))


def test_every_bad_package_has_its_reason() -> None:
    assert {path.name for path in NEGATIVE.iterdir() if path.is_dir()} == {"base", *REASONS}


def test_a_good_package_is_accepted(audit: Audit) -> None:
    report = audit.run()
    assert report.problems == ()
    assert [theorem.id for theorem in report.theorems] == ["double_even", "double_zero"]
    assert all(theorem.axioms == () for theorem in report.theorems)
    assert report.modules == 6


@pytest.mark.parametrize("case", sorted(REASONS))
def test_a_bad_package_is_refused(audit: Audit, case: str) -> None:
    overlay(audit, case)
    report = audit.run()
    assert report.verdict is Verdict.REJECTED
    assert codes(report) == REASONS[case]


def test_the_changed_definition_is_named(audit: Audit) -> None:
    overlay(audit, "changed_definition")
    assert all("Mini.double" in problem.text for problem in audit.run().problems)


def test_the_lean_that_checks_the_falsehood_reports_no_axioms(audit: Audit) -> None:
    overlay(audit, "falsehood")
    assert all(theorem.axioms == () for theorem in audit.run().theorems)


def test_renewal_accepts_the_change_and_says_what_it_is(audit: Audit) -> None:
    overlay(audit, "weakened_statement")
    report, changes = audit.renew()
    assert report.verdict is Verdict.ACCEPTED
    assert changes == ["double_even: statement"]
    assert audit.run().verdict is Verdict.ACCEPTED


def test_renewal_locks_nothing_that_does_not_check(audit: Audit) -> None:
    before = (audit.proofs / THEOREMS).read_text()
    for case in ("weakened_statement", "kernel_skipped"):
        overlay(audit, case)
    report, changes = audit.renew()
    assert report.verdict is Verdict.REJECTED
    assert changes == []
    assert (audit.proofs / THEOREMS).read_text() == before


def test_comments_and_layout_are_no_change(audit: Audit) -> None:
    path = audit.layout.root / "Mini" / "Definitions.lean"
    path.write_text(path.read_text().replace("/-- Add a number to itself. -/", "/-- Twice. -/\n\n"))
    assert audit.run().problems == ()


def test_a_lock_with_an_axiom_is_refused(audit: Audit) -> None:
    path = audit.proofs / THEOREMS
    path.write_text(path.read_text().replace("axioms = []", 'axioms = ["Mini.choice"]', 1))
    assert codes(audit.run()) == {"theorem.axioms"}


def test_a_lock_that_names_what_is_not_there_is_refused(audit: Audit) -> None:
    path = audit.proofs / THEOREMS
    path.write_text(path.read_text().replace('id = "double_even"', 'id = "double_odd"'))
    assert codes(audit.run()) == {"lock.unlisted", "lock.stale"}


def test_a_missing_lock_is_refused(audit: Audit) -> None:
    (audit.proofs / THEOREMS).unlink()
    (audit.proofs / DEFINITIONS).unlink()
    assert codes(audit.run()) == {"lock.unlisted", "foundation.changed"}


def test_a_malformed_lock_is_refused(audit: Audit) -> None:
    (audit.proofs / THEOREMS).write_text("[[theorem]]\nid = 3\n")
    assert codes(audit.run()) == {"lock.malformed"}


def test_another_toolchain_is_refused(audit: Audit) -> None:
    (audit.layout.root / "lean-toolchain").write_text("leanprover/lean4:v4.34.0\n")
    assert codes(audit.run()) == {"package.settings"}


# ------------------------------------------------------------------------------------------------
# A Lean that does not do its work


PRETENDERS = {
    "lean.silent": "exit 0",
    "lean.unparsable": "echo all well",
    "lean.crash": "kill -SEGV $$",
    "lean.killed": "kill -KILL $$",
    "lean.timeout": "exec sleep 60",
    "lean.memory": "echo 'INTERNAL PANIC: out of memory' >&2; exit 1",
}


@pytest.mark.skipif(sys.platform == "win32", reason="the pretenders are shell scripts")
@pytest.mark.parametrize("code", sorted(PRETENDERS))
def test_a_lean_that_does_not_answer_is_unknown(lean_cache: Cache, tmp_path: Path, code: str) -> None:
    setting = pretender(tmp_path / "lean-program", PRETENDERS[code])
    audit = attrs.evolve(
        mini_audit(tmp_path, lean_cache, setting), limits=ChildLimits(seconds=2.0), proofs=tmp_path / "none"
    )
    report = audit.run()
    assert code in codes(report)
    assert report.verdict is Verdict.UNKNOWN


@pytest.mark.skipif(sys.platform == "win32", reason="the pretenders are shell scripts")
def test_a_lean_that_agrees_to_everything_is_unknown(lean_cache: Cache, tmp_path: Path) -> None:
    writes = 'while [ $# -gt 0 ]; do case "$1" in -o|-i) echo "{}" > "$2";; esac; shift; done'
    audit = mini_audit(tmp_path, lean_cache, pretender(tmp_path / "lean-program", writes))
    report = audit.run()
    assert report.verdict is Verdict.UNKNOWN
    assert codes(report) == {"lean.silent"}


@pytest.mark.skipif(sys.platform == "win32", reason="the pretenders are shell scripts")
@pytest.mark.parametrize(
    ("index", "code"), [("{}", "lean.unparsable"), ('{"references":{}}', "theorem.unreported")]
)
def test_a_lean_that_knows_its_self_test_is_unknown(
    lean: Lean, tmp_path: Path, index: str, code: str
) -> None:
    """It answers the trial as Lean does, and from then on agrees to everything."""
    (tmp_path / "SelfTest.lean").write_text(SELF_TEST)
    true_answer = lean.run([str(tmp_path / "SelfTest.lean")])
    lines = [
        json.dumps(
            {"severity": message.severity, "pos": {"line": message.line, "column": 0}, "data": message.text}
        )
        for message in true_answer.messages
    ]
    (tmp_path / "answer").write_text("\n".join(lines) + "\n")
    (tmp_path / "index").write_text(index)
    body = (
        f'case "$*" in *SelfTest*) cat {tmp_path}/answer; exit 1;; esac\n'
        f'while [ $# -gt 0 ]; do case "$1" in -o|-i) cat {tmp_path}/index > "$2";; esac; shift; done'
    )
    audit = mini_audit(tmp_path, Cache(tmp_path / "cache"), pretender(tmp_path / "lean-program", body))
    report = audit.run()
    assert report.verdict is not Verdict.ACCEPTED
    assert code in codes(report)


@pytest.mark.skipif(sys.platform == "win32", reason="the pretenders are shell scripts")
def test_another_version_is_unknown(lean_cache: Cache, tmp_path: Path) -> None:
    setting = pretender(tmp_path / "lean-program", "exit 0", version="4.34.0")
    report = mini_audit(tmp_path, lean_cache, setting).run()
    assert report.verdict is Verdict.UNKNOWN
    assert codes(report) == {"lean.mismatch"}


def test_too_little_memory_is_unknown(lean: Lean, tmp_path: Path) -> None:
    assert lean
    audit = mini_audit(tmp_path, Cache(tmp_path / "cache"))
    report = attrs.evolve(audit, limits=ChildLimits(memory=80 << 20)).run()
    assert report.verdict is Verdict.UNKNOWN
    assert "lean.memory" in codes(report)
