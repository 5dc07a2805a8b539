"""Strengths come from evidence, and from evidence about one trace only."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
from strategies import for_seeds
from support.cases import directed_case
from support.failing import Case

from eclogue.core.errors import AnswerRefused
from eclogue.core.limits import Limits
from eclogue.core.outcomes import Exhausted, HostAnswer
from eclogue.core.profiles import Profile, trace_profile
from eclogue.core.run import Run, run
from eclogue.validator import evidence
from eclogue.validator.evidence import Evidence, Strength, strength_of
from eclogue.validator.lifecycle import Rejection
from eclogue.validator.refs import RefMismatch
from eclogue.validator.replay import Disagreement, Divergence, compare_readings, replay_of
from eclogue.validator.trace_file import Line
from eclogue.validator.validation import Standing, Validation, validate

SALT = b"salt"


def lines_of(ran: Run, salt: bytes = b"") -> Iterator[Line]:
    for (number, record, span), ref in zip(ran.records(), ran.refs(salt), strict=True):
        yield number, record, ref, span


def validated(case: Case, **options: Any) -> Validation:
    return validate(lines_of(run(case.program, case.answers)), case.program, case.answers, **options)


CASE = directed_case(12)


def test_every_run_is_reference_validated() -> None:
    def one(seed: int) -> None:
        case = directed_case(seed)
        ran = run(case.program, case.answers)
        profile = trace_profile(record for _, record, _ in ran.records()).profile
        for answers in (case.answers, None):
            found = validate(lines_of(ran), case.program, answers, profile=profile)
            assert found.standing is Standing.ACCEPTED
            assert found.granted.strength is Strength.REFERENCE_VALIDATED
            assert found.evidence.refs.last == ran.trace_ref()
            assert found.records == ran.record_count
        alone = validate(lines_of(ran))
        assert (alone.standing, alone.granted.strength) == (Standing.ACCEPTED, Strength.RUNTIME_ONLY)

    for_seeds(100, one)


def test_a_salt_is_an_input() -> None:
    ran = run(CASE.program, CASE.answers)
    salted = validate(lines_of(ran, SALT), CASE.program, CASE.answers, salt=SALT)
    assert salted.granted.strength is Strength.REFERENCE_VALIDATED
    unsalted = validate(lines_of(ran, SALT), CASE.program, CASE.answers)
    assert unsalted.standing is Standing.REJECTED
    assert unsalted.evidence.refs.mismatch is not None


def test_no_parameter_is_a_strength() -> None:
    """Neither of the function, nor of anything that the evidence consists of."""
    assert list(inspect.signature(strength_of).parameters) == ["evidence"]
    seen, pending = set[type](), [Evidence]
    while pending:
        kind = pending.pop()
        if kind in seen or not attrs.has(kind):
            continue
        seen.add(kind)
        for field in attrs.fields(attrs.resolve_types(kind)):
            assert "Strength" not in str(field.type)
            pending += [part for part in (field.type, *getattr(field.type, "__args__", ())) if part]
    assert len(seen) > 4


SOUND = validated(CASE).evidence
ANOTHER = validated(directed_case(15)).evidence


def replayed(**changes: Any) -> Evidence:
    assert SOUND.replayed is not None
    return attrs.evolve(SOUND, replayed=attrs.evolve(SOUND.replayed, **changes))


def checked(**changes: Any) -> Evidence:
    return attrs.evolve(SOUND, checked=attrs.evolve(SOUND.checked, **changes))


WEAKER = {
    "no replay": attrs.evolve(SOUND, replayed=None),
    "another trace": attrs.evolve(SOUND, checked=ANOTHER.checked),
    "another run": attrs.evolve(SOUND, replayed=ANOTHER.replayed),
    "a profile not met": attrs.evolve(
        checked(profile=attrs.evolve(SOUND.profile, profile=Profile.CORE_A)), asked=Profile.CORE0
    ),
    "a rule broken": checked(
        lifecycle=attrs.evolve(SOUND.lifecycle, rejection=Rejection(0, "life.end", "", ""))
    ),
    "rules for fewer records": checked(lifecycle=attrs.evolve(SOUND.lifecycle, records=1)),
    "a wrong ref": checked(refs=attrs.evolve(SOUND.refs, mismatch=RefMismatch(0, "", ""))),
    "another last ref": checked(refs=attrs.evolve(SOUND.refs, last=ANOTHER.refs.last)),
    "one record less": checked(refs=attrs.evolve(SOUND.refs, records=SOUND.refs.records - 1)),
    "a record replayed less": replayed(records=SOUND.refs.records - 1),
    "no ref of the run": replayed(trace_ref=None),
    "a divergence": replayed(divergence=Divergence(0, None, None, None)),
    "a disagreement": replayed(disagreement=Disagreement("", "", "")),
    "a limit": replayed(exhausted=Exhausted("steps", 1)),
}


@pytest.mark.parametrize("name", WEAKER)
def test_less_evidence_is_less_strength(name: str) -> None:
    assert strength_of(SOUND).strength is Strength.REFERENCE_VALIDATED
    granted = strength_of(WEAKER[name])
    assert granted.strength is Strength.RUNTIME_ONLY
    assert granted.reason


def test_no_more_is_granted_than_this_evidence_supports() -> None:
    assert [strength.value for strength in Strength] == ["runtime_only", "reference_validated"]
    assert "semantic_adequacy" not in inspect.getsource(evidence)


# ------------------------------------------------------------------------------------------------
# Replay


def test_answers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(AnswerRefused):
        replay_of(CASE.program, [*CASE.answers, *(HostAnswer(None, "no.such") for _ in range(9))])


def test_limits_leave_it_open() -> None:
    """A trace that is right as far as the run came is neither accepted nor rejected."""
    whole = run(CASE.program, CASE.answers)
    seen = set()
    for steps in range(0, whole.steps, max(1, whole.steps // 25)):
        limited = Limits(steps=steps)
        found = validate(lines_of(whole), CASE.program, CASE.answers, limits=limited)
        seen.add(found.standing)
        assert found.granted.strength is Strength.RUNTIME_ONLY
    assert seen == {Standing.UNKNOWN}


def test_readings_of_a_run_agree() -> None:
    assert compare_readings(run(CASE.program, CASE.answers)) == (None, None)
