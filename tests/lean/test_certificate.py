"""Certificates: the kernel accepts those of runs; changes to one, or to what it is about, are refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.certified_runs import RUNS, Certified

from eclogue.core.outcomes import HostAnswer
from eclogue.core.profiles import Profile
from eclogue.core.syntax import Literal, Program, Return
from eclogue.core.trace import CompletedWith, EffectDeclaration, RunEnd
from eclogue.lean import certificate_check
from eclogue.lean.build import Build
from eclogue.lean.cache import Cache
from eclogue.lean.certificate import PROOFS, Certificate, CertificateLimits, NotCertifiable, make
from eclogue.lean.certificate_check import Checker, available, certify, check, checker_of
from eclogue.lean.process import ChildLimits
from eclogue.validator.certificate_evidence import CertificateChecked, KernelVerdict

RUN = RUNS["resumed"]


@pytest.fixture(scope="module")
def checker(development: Build) -> Checker:
    """Check against the development that all tests share."""
    found = checker_of(development, Cache())
    assert found.problems == []
    return found


def made(about: Certified = RUN, **changes: Any) -> Certificate:
    return attrs.evolve(make(about.program, about.answers, about.records, about.profile), **changes)


def checked(checker: Checker, certificate: Certificate, about: Certified = RUN) -> CertificateChecked:
    return checker.check(certificate, about.program, about.answers, about.records, about.profile)


@pytest.mark.parametrize("name", RUNS)
def test_the_kernel_accepts_runs_of_all_profiles(checker: Checker, name: str) -> None:
    about = RUNS[name]
    certificate, found = checker.certify(about.program, about.answers, about.records, about.profile)
    assert (found.verdict, found.segments) == (KernelVerdict.ACCEPTED, 1), found.reason
    assert certificate is not None
    assert found.states_bytes
    assert found.records == len(about.records)
    assert found.certificate_digest == certificate.digest
    assert all(theorem.axioms == () for theorem in found.theorems)
    named = {theorem.id for theorem in found.theorems}
    assert {"certified", "canonical_injective", "program_injective", "lines_injective"} <= named
    assert found.lean is not None
    assert found.lean.foundation_digest == certificate.foundation


def test_a_certificate_is_made_the_same_again() -> None:
    assert made() == made()
    assert made().digest == made().digest
    assert made().digest != made(RUNS["answered"]).digest


# ------------------------------------------------------------------------------------------------
# About something else

OTHERS: dict[str, tuple[Certified, str]] = {
    "another program": (
        attrs.evolve(RUN, program=Program(RUN.program.operations, RUNS["answered"].program.body)),
        "another program",
    ),
    "other answers": (attrs.evolve(RUNS["waits again"], answers=(HostAnswer(4),)), "other answers"),
    "named answers": (attrs.evolve(RUNS["waits again"], answers=(HostAnswer(3, "a"),)), "other answers"),
    "another trace": (
        attrs.evolve(RUN, records=(EffectDeclaration("a", 9), *RUN.records[1:])),
        "another trace",
    ),
    "another status": (
        attrs.evolve(RUN, records=(*RUN.records[:-1], RunEnd(CompletedWith(4)))),
        "another trace",
    ),
    "another profile": (attrs.evolve(RUN, profile=Profile.CORE0), "another profile"),
    "a cut trace": (attrs.evolve(RUN, records=RUN.records[:-1]), "not that of a whole run"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_certificate_of_something_else_is_refused(checker: Checker, name: str) -> None:
    about, reason = OTHERS[name]
    original = RUNS["waits again"] if "answers" in name else RUN
    found = checked(checker, made(original), about)
    assert found.verdict is KernelVerdict.REJECTED
    assert reason in found.reason


@pytest.mark.parametrize("name", ["another program", "other answers", "another trace", "another status"])
def test_the_kernel_refuses_what_is_not_so(checker: Checker, name: str) -> None:
    about, _ = OTHERS[name]
    _, found = checker.certify(about.program, about.answers, about.records, about.profile)
    assert found.verdict is KernelVerdict.REJECTED
    assert found.reason.startswith("module.error EclogueRun.Certificate")


def test_another_program_of_one_value_is_refused(checker: Checker) -> None:
    one = Certified(Program((), Return(Literal(1))), (), (RunEnd(CompletedWith(2)),), Profile.CORE0H)
    _, found = checker.certify(one.program, one.answers, one.records, one.profile)
    assert found.verdict is KernelVerdict.REJECTED


# ------------------------------------------------------------------------------------------------
# Another text


def edited(old: str, new: str) -> Callable[[Certificate], Certificate]:
    def edit(certificate: Certificate) -> Certificate:
        text = certificate.modules[certificate.module]
        assert old in text
        return attrs.evolve(certificate, modules={certificate.module: text.replace(old, new, 1)})

    return edit


END = "\nend EclogueRun\n"
PROVED = "Eclogue.Proof.certified 1000000000 program.body answers status records rfl"
STATED = "theorem certificate : Eclogue.Certificate program.body answers status records"
WEAKER = (
    "theorem weaker {P Q : Prop} (h : P → P) : Eq P P := rfl\n"
    "theorem certificate : Eq (Eclogue.Certificate program.body answers status records) "
    "(Eclogue.Certificate program.body answers status records)"
)
EDITS: dict[str, tuple[Callable[[Certificate], Certificate], str | None]] = {
    "a comment": (edited(END, f"-- fine{END}"), None),
    "a weaker statement": (edited(f"{STATED} := {PROVED}", f"{WEAKER} := rfl"), None),
    "another name": (edited("namespace EclogueRun", "namespace Eclogue"), "module.error"),
    "a redefinition": (
        edited("namespace EclogueRun\n", "namespace EclogueRun\ndef Eclogue.Certificate := True\n"),
        None,
    ),
    "a hole": (edited(PROVED, "sorry"), "module.banned"),
    "a hidden hole": (edited(PROVED, "sorryAx _ true"), "module.banned"),
    "an axiom": (edited(END, f"axiom more (P : Prop) : P{END}"), "module.banned"),
    "an unchecked kernel": (
        edited("set_option maxHeartbeats 0", "set_option debug.skipKernelTC true"),
        "module.banned",
    ),
    "an attribute": (edited(STATED, f"@[implemented_by program] {STATED}"), "module.banned"),
    "native evaluation": (edited("records rfl", "records (by native_decide)"), "module.banned"),
    "a syntax": (edited(END, f'macro "rfl" : term => `(_){END}'), "module.banned"),
    "another proof": (edited(PROVED, PROVED.replace("records rfl", "answers rfl")), "module.error"),
    "no theorem": (edited(f"{STATED} :=", f"{STATED.replace('theorem', 'noncomputable def')} :="), None),
    "two files": (
        lambda given: attrs.evolve(given, modules={"EclogueRun.More": "prelude\n", **given.modules}),
        None,
    ),
    "no file": (lambda given: attrs.evolve(given, modules={}), None),
}


@pytest.mark.parametrize("name", EDITS)
def test_another_text_is_refused(checker: Checker, name: str) -> None:
    edit, code = EDITS[name]
    certificate = edit(made())
    found = checked(checker, certificate)
    assert found.verdict is KernelVerdict.REJECTED
    assert found.reason.startswith("cert.text")
    if code is not None:
        # The text is refused before Lean sees it; and were it not, Lean or the list of banned words would.
        assert checker.put(certificate)[0].code == code


def test_lean_is_asked_for_axioms(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate_check, "banned_constructs", lambda *_: ())
    assumed = edited(PROVED, "more _")(
        edited("set_option", "axiom more (P : Prop) : P\nset_option")(made())
    )
    problems = checker.put(assumed)
    assert "theorem.axioms" in {problem.code for problem in problems}
    assert "rests on more" in {problem.text for problem in problems}


def test_a_certificate_that_proves_something_else_is_noticed(checker: Checker) -> None:
    certificate = edited("theorem certificate", "theorem renamed")(made(RUNS["aborted"]))
    assert [problem.text for problem in checker.put(certificate)] == ["is not proved"]


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "program": ({"program_ref": "sha256:" + "0" * 64}, "another program"),
    "answers": ({"answers_digest": "sha256:" + "0" * 64}, "other answers"),
    "trace": ({"trace_ref": "sha256:" + "0" * 64}, "another trace"),
    "status": ({"status": "failed"}, "another status"),
    "records": ({"records": 1}, "another length"),
    "profile": ({"profile": Profile.CORE_A}, "another profile"),
    "foundation": ({"foundation": "sha256:" + "0" * 64}, "another foundation"),
    "theorems": ({"theorems": {"certified": ("sha256:" + "0" * 64, "")}}, "theorem map"),
    "bytes": ({"states_bytes": False}, "cert.digest"),
    "segments": ({"segments": 2}, "cert.digest"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_field_of_the_manifest_counts(checker: Checker, name: str) -> None:
    changes, reason = CHANGES[name]
    found = checked(checker, made(**changes))
    assert found.verdict is KernelVerdict.REJECTED
    assert reason in found.reason


# ------------------------------------------------------------------------------------------------
# Another development


def test_an_older_theorem_map_is_refused(development: Build, checker: Checker, tmp_path: Path) -> None:
    proofs = tmp_path / "proofs"
    shutil.copytree(PROOFS, proofs, ignore=shutil.ignore_patterns("blueprint"))
    lock = proofs / "theorems.toml"
    text = lock.read_text(encoding="utf-8")
    for old, code in (
        (checker.lock.theorems["certified"].statement, "statement.changed certified"),
        (checker.lock.theorems["certified"].definitions, "definitions.changed certified"),
        (checker.lock.foundation, "foundation.changed"),
    ):
        lock.write_text(text.replace(old, "sha256:" + "0" * 64), encoding="utf-8")
        older = checker_of(development, Cache(), proofs)
        _, found = older.certify(RUN.program, RUN.answers, RUN.records, RUN.profile)
        assert found.verdict is KernelVerdict.REJECTED
        assert found.reason.startswith(code)
        assert found.theorems == ()
    lock.write_text("not TOML", encoding="utf-8")
    assert checker_of(development, Cache(), proofs).problems[0].code == "lock.malformed"


# ------------------------------------------------------------------------------------------------
# Nothing can be said


def test_without_lean_nothing_is_said(tmp_path: Path) -> None:
    certificate, found = certify(
        RUN.program, RUN.answers, RUN.records, RUN.profile, setting=str(tmp_path / "none")
    )
    assert certificate is not None
    assert (found.verdict, found.lean, found.theorems) == (KernelVerdict.UNKNOWN, None, ())
    assert "was not found" in found.reason
    assert "was not found" in (available(str(tmp_path / "none")) or "")


def test_a_limit_is_no_verdict(checker: Checker) -> None:
    given = (RUN.program, RUN.answers, RUN.records, RUN.profile)
    _, late = checker.certify(*given, child=ChildLimits(seconds=0.01))
    assert (late.verdict, "did not finish" in late.reason) == (KernelVerdict.UNKNOWN, True)
    for limits in (CertificateLimits(records=3), CertificateLimits(steps=3), CertificateLimits(text=100)):
        none, long = checker.certify(*given, limits=limits)
        assert (none, long.verdict) == (None, KernelVerdict.UNKNOWN)
        assert long.reason.startswith("cert.limit")


def test_bytes_are_left_out_of_what_is_long(checker: Checker) -> None:
    limits = CertificateLimits(stated_bytes=10)
    certificate, found = checker.certify(RUN.program, RUN.answers, RUN.records, RUN.profile, limits=limits)
    assert certificate is not None
    assert (found.verdict, found.states_bytes) == (KernelVerdict.ACCEPTED, False)
    assert "canonicalBytes" not in certificate.modules[certificate.module]


def test_what_has_no_certificate_is_said_so() -> None:
    with pytest.raises(NotCertifiable, match="not in the profile core0h"):
        made(attrs.evolve(RUNS["answered"], profile=Profile.CORE0H))
    with pytest.raises(NotCertifiable, match="about a profile"):
        made(attrs.evolve(RUN, profile=Profile.NONE))
    with pytest.raises(NotCertifiable, match="well-formed"):
        made(attrs.evolve(RUN, program=Program((), RUN.program.body)))
    with pytest.raises(NotCertifiable, match="an answer is for b, but a waits"):
        made(attrs.evolve(RUNS["waits again"], answers=(HostAnswer(3, "b"),)))
    with pytest.raises(NotCertifiable, match="no operation waits"):
        made(attrs.evolve(RUN, answers=(HostAnswer(1),)))


@pytest.mark.usefixtures("development")
def test_one_call_checks_a_certificate() -> None:
    about = RUNS["key"]
    found = check(made(about), about.program, about.answers, about.records, about.profile)
    assert found.verdict is KernelVerdict.ACCEPTED
