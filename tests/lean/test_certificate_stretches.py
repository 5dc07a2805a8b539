"""Certificates in stretches: any run can be cut anywhere, and Lean accepts the pieces and their sum."""

from __future__ import annotations

from itertools import pairwise

import attrs
import pytest
from strategies import for_seeds
from support.cases import directed_case, undirected_case
from support.certified_runs import OPERATIONS, RESUMING, RETURN, RUNS, Certified, handled, perform
from support.failing import Case, hold

from eclogue.core.outcomes import Completed, Exhausted, Failed, Suspended
from eclogue.core.profiles import Profile, trace_profile
from eclogue.core.run import run
from eclogue.core.syntax import Computation, Let, Program
from eclogue.core.trace import EffectCapture, EffectDeclaration, RunEnd
from eclogue.core.wellformed import well_formed
from eclogue.lean.build import Build
from eclogue.lean.cache import Cache
from eclogue.lean.certificate import CertificateLimits, make
from eclogue.lean.certificate_check import Checker, checker_of
from eclogue.lean.stretch_machine import Failing, Raised, Returned
from eclogue.lean.stretches import stretches
from eclogue.validator.certificate_evidence import KernelVerdict

ALL = 10**9


@pytest.fixture(scope="module")
def checker(development: Build) -> Checker:
    """Check against the development that all tests share."""
    return checker_of(development, Cache())


def _cuts_agree(case: Case) -> None:
    """Cut the run after each record; the pieces fit together and come to the machine's outcome."""
    ran = run(case.program, case.answers)
    values = [answer.value for answer in case.answers]
    cut = stretches(case.program.body, case.answers, most_records=1, most_steps=ALL, all_steps=ALL)
    records = [item for _, item, _ in ran.records()]
    for earlier, later in pairwise(cut):
        assert earlier.end is later.begin
    assert [value for stretch in cut for value, _ in stretch.answers] == values
    end = cut[-1].end
    assert end.next == len(records) - isinstance(records[-1], RunEnd)
    match ran.outcome:
        case Completed(value):
            assert isinstance(end.control, Returned)
            assert attrs.evolve(ran.outcome, value=end.control.value) == Completed(value)
        case Failed(reason):
            assert isinstance(end.control, Failing)
            assert end.control.reason == reason
        case Suspended(operation, payload):
            assert isinstance(end.control, Raised)
            assert EffectDeclaration(end.control.operation, end.control.payload) == EffectDeclaration(
                operation, payload
            )
        case Exhausted():
            raise AssertionError("a generated case is small")


def test_runs_are_cut_as_the_machine_goes() -> None:
    for_seeds(200, lambda seed: hold(_cuts_agree, directed_case(seed)))
    for_seeds(200, lambda seed: hold(_cuts_agree, undirected_case(seed)))


def test_a_stretch_has_a_bounded_size() -> None:
    body: Computation = RETURN
    for number in range(100):
        body = Let(perform("a", number), body)
    cut = stretches(handled(body, RESUMING), [], most_records=20, most_steps=50, all_steps=ALL)
    for stretch in cut:
        assert stretch.end.next - stretch.begin.next <= 20
        assert stretch.steps <= 50
    assert cut[-1].end.next == 600


@pytest.mark.parametrize("name", ["resumed", "aborted", "failed", "answers"])
def test_a_run_in_stretches_is_accepted(checker: Checker, name: str) -> None:
    about = RUNS[name]
    limits = CertificateLimits(stretch_records=3)
    certificate, found = checker.certify(
        about.program, about.answers, about.records, about.profile, limits=limits
    )
    assert certificate is not None
    assert (found.verdict, found.states_bytes) == (KernelVerdict.ACCEPTED, True), found.reason
    assert found.segments == len(certificate.modules) - 2 >= 2
    named = {theorem.id for theorem in found.theorems}
    assert {"stretch_checked", "stretches_compose", "certified_stretch"} <= named
    assert "certified" not in named


def test_stretches_of_generated_runs_are_accepted(checker: Checker) -> None:
    """States of all kinds are written: those of runs with much going on, cut in two or three."""
    chosen: dict[str, tuple[Certified, int]] = {}

    def choose(seed: int) -> None:
        case = directed_case(seed)
        records = tuple(item for _, item, _ in run(case.program, case.answers).records())
        if not 25 <= len(records) <= 60 or well_formed(case.program):
            return
        profile = trace_profile(records).profile
        kind = f"{profile.value} {type(records[-1]).__name__} {bool(case.answers)}"
        about = Certified(case.program, tuple(case.answers), records, profile)
        chosen.setdefault(kind, (about, seed))

    for seed in range(300):  # the same ones always: what follows wants each profile among them
        choose(seed)
    assert {kind.split()[0] for kind in chosen} == {"core0h", "core0", "core_a"}
    for about, seed in list(chosen.values())[:6]:
        limits = CertificateLimits(stretch_records=len(about.records) // 2, stated_bytes=0)
        _, found = checker.certify(
            about.program, about.answers, about.records, about.profile, limits=limits
        )
        assert found.verdict is KernelVerdict.ACCEPTED, f"seed {seed}: {found.reason}"
        assert found.segments >= 2


def test_a_flipped_record_in_a_later_stretch_is_refused(checker: Checker) -> None:
    about = RUNS["resumed"]
    last = about.records[-2]
    assert isinstance(last, EffectCapture)
    flipped = (*about.records[:-2], attrs.evolve(last, value=7), about.records[-1])
    limits = CertificateLimits(stretch_records=5)
    _, found = checker.certify(about.program, (), flipped, Profile.CORE0H, limits=limits)
    assert found.verdict is KernelVerdict.REJECTED
    assert found.reason.startswith("module.error EclogueRun.Stretch3")


@pytest.mark.parametrize("place", [3, 12])
def test_a_trace_of_another_length_is_refused(checker: Checker, place: int) -> None:
    """Without stated bytes too, every record of the trace is one that Lean compares."""
    about = RUNS["resumed"]
    assert len(about.records) == 13
    limits = CertificateLimits(stretch_records=5, stated_bytes=0)
    body, end = about.records[:-1], about.records[-1:]
    more = (*body[:place], EffectDeclaration("a", 7), *body[place:], *end)
    fewer = (*body[: place - 1], *body[place:], *end)
    for records in (more, fewer):
        _, found = checker.certify(about.program, (), records, Profile.CORE0H, limits=limits)
        assert found.verdict is KernelVerdict.REJECTED
        assert found.reason.startswith("module.error EclogueRun.Stretch")


def test_what_grows_is_written_once() -> None:
    """Environments and stacks that later points share are words there: the text is linear."""

    def size(count: int) -> int:
        body: Computation = RETURN
        for number in range(count):
            body = Let(perform("a", number), body)
        program = Program(OPERATIONS, handled(body, RESUMING))
        records = [item for _, item, _ in run(program).records()]
        limits = CertificateLimits(stretch_records=60)
        made = make(program, (), records, Profile.CORE0H, limits=limits)
        return sum(map(len, made.modules.values()))

    assert size(800) < 2.2 * size(400)
