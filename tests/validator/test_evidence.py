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
from eclogue.validator.certificate_evidence import (
    CertificateChecked,
    KernelVerdict,
    LeanIdentity,
    TheoremFound,
)
from eclogue.validator.claims_map import read_claims
from eclogue.validator.envelope import claim_of
from eclogue.validator.evidence import Evidence, Granted, Strength, about, strength_of
from eclogue.validator.known_leans import KNOWN_LIBRARIES
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
    assert list(inspect.signature(strength_of).parameters) == ["evidence", "claims"]
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


def test_strengths_are_in_order_and_the_reserved_one_is_none() -> None:
    assert [strength.value for strength in Strength] == [
        "runtime_only",
        "reference_validated",
        "semantic_adequacy",
    ]
    assert "forward_simulation" not in inspect.getsource(evidence)
    for strength in Strength:
        assert [other for other in Strength if strength.at_least(other)] == list(Strength)[
            : list(Strength).index(strength) + 1
        ]


# ------------------------------------------------------------------------------------------------
# Certificates

CLAIMS = read_claims()
MAKING = CLAIMS.made(1, states_bytes=True).theorems


def theorem(name: str, **changes: Any) -> TheoremFound:
    locked = CLAIMS.theorems[name]
    return attrs.evolve(TheoremFound(name, locked.declaration, locked.statement_digest, ()), **changes)


PROGRAM_REF, ANSWERS_DIGEST, TRACE_REF, RECORDS = about(SOUND)
LEAN = LeanIdentity("4.35.0", "c" * 40, "sha256:0", "sha256:1", CLAIMS.foundation, "package")
CERTIFICATE = CertificateChecked(
    verdict=KernelVerdict.ACCEPTED,
    reason="accepted",
    program_ref=PROGRAM_REF,
    answers_digest=ANSWERS_DIGEST,
    trace_ref=TRACE_REF,
    records=RECORDS,
    profile=SOUND.profile.profile,
    states_bytes=True,
    segments=1,
    certificate_digest="sha256:2",
    theorems=tuple(map(theorem, MAKING)),
    lean=LEAN,
)


def test_a_lean_that_nobody_looked_at_is_an_assumption() -> None:
    known = next(iter(KNOWN_LIBRARIES.values()))
    for digest, assumed in ((known, False), ("sha256:0", True)):
        checked = attrs.evolve(CERTIFICATE, lean=attrs.evolve(LEAN, binary_digest=digest))
        _, predicate = claim_of(attrs.evolve(SOUND, certificate=checked), version="0", time="")
        assert predicate["strength"] == "semantic_adequacy"
        assert ("lean_binary" in {item["id"] for item in predicate["assumptions"]}) is assumed


OTHER_PROFILE = next(each for each in Profile if each is not SOUND.profile.profile)
NOT_COUNTING: dict[str, dict[str, Any]] = {
    "refused": {"verdict": KernelVerdict.REJECTED},
    "not checked": {"verdict": KernelVerdict.UNKNOWN},
    "another program": {"program_ref": "sha256:3"},
    "other answers": {"answers_digest": "sha256:3"},
    "another trace": {"trace_ref": "sha256:3"},
    "one record less": {"records": RECORDS - 1},
    "another profile": {"profile": OTHER_PROFILE},
    "no Lean": {"lean": None},
    "a Lean without a version": {"lean": attrs.evolve(LEAN, version="")},
    "an older foundation": {"lean": attrs.evolve(LEAN, foundation_digest="sha256:3")},
    "no theorem": {"theorems": ()},
    "bytes without their theorems": {"theorems": (theorem("certified"),)},
    "several pieces without their theorems": {"segments": 2},
    "a theorem of another statement": {
        "theorems": (theorem("certified", statement_digest="sha256:3"), *map(theorem, MAKING[1:]))
    },
    "a theorem of another name": {
        "theorems": (theorem("certified", declaration="Mine.certified"), *map(theorem, MAKING[1:]))
    },
    "a theorem on an axiom": {
        "theorems": (theorem("certified", axioms=("propext",)), *map(theorem, MAKING[1:]))
    },
    "a theorem that is not in the map": {
        "theorems": (*map(theorem, MAKING), TheoremFound("more", "More.more", "sha256:3", ()))
    },
}


def with_certificate(**changes: Any) -> Granted:
    return strength_of(attrs.evolve(SOUND, certificate=attrs.evolve(CERTIFICATE, **changes)))


def test_a_certificate_of_this_run_is_semantic_adequacy() -> None:
    assert with_certificate().strength is Strength.SEMANTIC_ADEQUACY
    pieces = CLAIMS.made(3, states_bytes=False).theorems
    several = with_certificate(segments=3, states_bytes=False, theorems=tuple(map(theorem, pieces)))
    assert several.strength is Strength.SEMANTIC_ADEQUACY


@pytest.mark.parametrize("name", NOT_COUNTING)
def test_any_other_certificate_adds_nothing(name: str) -> None:
    granted = with_certificate(**NOT_COUNTING[name])
    assert granted.strength is Strength.REFERENCE_VALIDATED
    assert "; " in granted.reason


@pytest.mark.parametrize("name", WEAKER)
def test_a_certificate_makes_up_for_nothing_else(name: str) -> None:
    lacking = attrs.evolve(WEAKER[name], certificate=CERTIFICATE)
    assert strength_of(lacking).strength is Strength.RUNTIME_ONLY


def test_another_theorem_map_is_another_measure() -> None:
    weakened = attrs.evolve(CLAIMS, foundation="sha256:3")
    certified = attrs.evolve(SOUND, certificate=CERTIFICATE)
    assert strength_of(certified, weakened).strength is Strength.REFERENCE_VALIDATED


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
