"""Admission of programs, against the specification's test by sets; profiles of traces."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.random_programs import directed_program, undirected_program

from eclogue.core.errors import SCHEMA, LimitExceeded
from eclogue.core.limits import Limits
from eclogue.core.profiles import Profile, TraceProfiler, admit, trace_profile
from eclogue.core.schema import Atom
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyIf,
    BodyLet,
    Clause,
    Computation,
    Handle,
    If,
    Let,
    Literal,
    Operation,
    Perform,
    Program,
    Resume,
    Return,
    Span,
    Tier,
    Variable,
)
from eclogue.core.trace import (
    Closing,
    CompletedWith,
    Completion,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)

UNIT = Literal(None)
DONE = Return(UNIT)
ANSWERS = Answer(UNIT)
ABORTS = Abort(UNIT)
RESUMES = Resume(UNIT, Return(Variable(0)))
BOTH = BodyIf(Literal(True), RESUMES, ANSWERS)


def perform(operation: str, span: Span | None = None) -> Perform:
    return Perform(operation, UNIT, span=span)


def handle(body: Computation, *clauses: tuple[str, Body], returning: Computation = DONE) -> Handle:
    return Handle(body, returning, tuple(Clause(operation, clause) for operation, clause in clauses))


def program(body: Computation) -> Program:
    names = ("a.x", "a.y", "a.z")
    return Program(tuple(Operation(n, Atom.ANY, Atom.ANY, Tier.REVERSIBLE) for n in names), body)


def admitted(body: Computation) -> Profile:
    return admit(program(body)).profile


# ------------------------------------------------------------------------------------------------
# The specification's test, by sets, as it is written there


def adm(node: Computation, answered: AbstractSet[str], escaping: AbstractSet[str]) -> bool:
    match node:
        case Perform(operation):
            return operation in escaping
        case Let(bound, body):
            return adm(bound, answered, escaping) and adm(body, answered, escaping)
        case If(_, then, otherwise):
            return adm(then, answered, escaping) and adm(otherwise, answered, escaping)
        case Handle(body, returning, clauses):
            allowed = escaping - answered if any(may_resume(c.body) for c in clauses) else escaping
            own = {clause.operation for clause in clauses}
            inside = (answered - own) | {c.operation for c in clauses if may_exit(c.body)}
            return (
                adm(body, inside, allowed | own)
                and adm(returning, answered, allowed)
                and all(adm_body(clause.body, answered, allowed - answered) for clause in clauses)
            )
    return True


def adm_body(node: Body, answered: AbstractSet[str], escaping: AbstractSet[str]) -> bool:
    match node:
        case BodyLet(bound, body):
            return adm(bound, answered, escaping) and adm_body(body, answered, escaping)
        case BodyIf(_, then, otherwise):
            return adm_body(then, answered, escaping) and adm_body(otherwise, answered, escaping)
        case Resume(_, body):
            return adm(body, answered, escaping)
    return isinstance(node, Answer)


def may_resume(node: Body) -> bool:
    match node:
        case BodyLet(_, body):
            return may_resume(body)
        case BodyIf(_, then, otherwise):
            return may_resume(then) or may_resume(otherwise)
    return isinstance(node, Resume)


def may_exit(node: Body) -> bool:
    match node:
        case BodyLet(_, body):
            return may_exit(body)
        case BodyIf(_, then, otherwise):
            return may_exit(then) or may_exit(otherwise)
    return not isinstance(node, Resume)


def always_resumes(node: Computation | Body) -> bool:
    match node:
        case Let(bound, body) | BodyLet(bound, body):
            return always_resumes(bound) and always_resumes(body)
        case If(_, then, otherwise) | BodyIf(_, then, otherwise):
            return always_resumes(then) and always_resumes(otherwise)
        case Resume(_, rest):
            return always_resumes(rest)
        case Handle(body, returning, clauses):
            parts = (body, returning, *(clause.body for clause in clauses))
            return all(always_resumes(part) for part in parts)
    return not isinstance(node, (Answer, Abort))


def by_sets(body: Computation) -> Profile:
    everything = frozenset(
        f"{e}.{n}" for e in ("state", "log", "net", "a") for n in ["get", "put", "note", "x", "y", "z"]
    )
    if always_resumes(body):
        return Profile.CORE0H
    return Profile.CORE0 if adm(body, frozenset(), everything) else Profile.CORE_A


@settings(max_examples=400)
@given(st.integers(0, 2**32), st.booleans())
def test_admission_is_the_test_by_sets(seed: int, directed: bool) -> None:
    rng = Random(seed)
    generated = directed_program(rng) if directed else undirected_program(rng)
    assert admit(generated).profile is by_sets(generated.body)


def small_body(rng: Random, depth: int) -> Body:
    if depth and rng.random() < 0.4:
        return BodyLet(small(rng, depth - 1), small_body(rng, depth - 1))
    if depth and rng.random() < 0.2:
        return BodyIf(Literal(True), small_body(rng, depth - 1), small_body(rng, depth - 1))
    if rng.random() < 0.45:
        return Answer(UNIT)
    return Resume(UNIT, small(rng, depth - 1))


def small(rng: Random, depth: int) -> Computation:
    """Return a program of performs and handlers only, so that the profiles are evenly met."""
    if depth <= 0 or rng.random() < 0.2:
        return perform(rng.choice("xyz").join(("a.", "")))
    if rng.random() < 0.3:
        return Let(small(rng, depth - 1), small(rng, depth - 1))
    names = rng.sample(["a.x", "a.y", "a.z"], rng.choice((1, 1, 2)))
    clauses = ((name, small_body(rng, depth - 2)) for name in names)
    return handle(small(rng, depth - 1), *clauses, returning=small(rng, 0) if rng.random() < 0.2 else DONE)


def test_admission_is_the_test_by_sets_where_the_profiles_are_evenly_met() -> None:
    met = dict.fromkeys((Profile.CORE0H, Profile.CORE0, Profile.CORE_A), 0)
    for seed in range(4000):
        body = small(Random(seed), 5)
        expected = by_sets(body)
        assert admitted(body) is expected, seed
        met[expected] += 1
    assert min(met.values()) > 400, met


# ------------------------------------------------------------------------------------------------
# By example


@pytest.mark.parametrize(
    ("body", "profile"),
    [
        (DONE, Profile.CORE0H),
        (perform("a.x"), Profile.CORE0H),
        (handle(perform("a.x"), ("a.x", RESUMES)), Profile.CORE0H),
        (handle(perform("a.x"), ("a.x", ANSWERS)), Profile.CORE0),
        (handle(perform("a.x"), ("a.x", BOTH)), Profile.CORE0),
        (handle(DONE, ("a.x", ABORTS)), Profile.CORE_A),
        # Exception-style handlers around each other drop nothing that is open.
        (handle(handle(perform("a.x"), ("a.y", ANSWERS)), ("a.x", ANSWERS)), Profile.CORE0),
        # An inner handler that may resume may have a selection open when the outer clause answers.
        (handle(handle(perform("a.x"), ("a.y", RESUMES)), ("a.x", ANSWERS)), Profile.CORE_A),
        (handle(handle(DONE, ("a.y", BOTH), returning=perform("a.x")), ("a.x", ANSWERS)), Profile.CORE_A),
        # A clause body is a running selection.
        (
            handle(handle(DONE, ("a.y", BodyLet(perform("a.x"), ANSWERS))), ("a.x", ANSWERS)),
            Profile.CORE_A,
        ),
        # A resuming clause in between shields.
        (
            handle(
                handle(handle(perform("a.x"), ("a.y", RESUMES)), ("a.x", RESUMES)),
                ("a.x", ANSWERS),
            ),
            Profile.CORE0,
        ),
        # Answered in another part of the program.
        (
            Let(
                handle(perform("a.x"), ("a.x", ANSWERS)),
                handle(perform("a.x"), ("a.y", RESUMES)),
            ),
            Profile.CORE0,
        ),
        # Answering in the same handler, also after its own earlier resume, drops nothing.
        (handle(Let(perform("a.x"), perform("a.x")), ("a.x", BOTH)), Profile.CORE0),
        (handle(Let(perform("a.y"), perform("a.x")), ("a.x", ANSWERS), ("a.y", RESUMES)), Profile.CORE0),
    ],
)
def test_admission_by_example(body: Computation, profile: Profile) -> None:
    assert admitted(body) is profile
    assert by_sets(body) is profile


def test_reasons_name_operations_clauses_and_places() -> None:
    body = Handle(
        Handle(
            perform("a.x", Span(2, 7, 2, 20)),
            DONE,
            (Clause("a.y", RESUMES, span=Span(3, 1, 3, 9)),),
        ),
        DONE,
        (Clause("a.x", Answer(UNIT, span=Span(5, 9, 5, 20)), span=Span(5, 1, 5, 30)),),
    )
    admission = admit(program(body))
    assert admission.profile is Profile.CORE_A
    assert admission.span == Span(2, 7, 2, 20)
    assert admission.reason == (
        "a.x (at 2:7) is performed under a handler that may resume in the clause for a.y (at 3:1), whose"
        " selection could be dropped: the clause for a.x around it (at 5:1) may complete without resuming"
        " (at 5:9)"
    )
    core0h, core0 = admission.obstacles
    assert (core0h.profile, core0h.span) == (Profile.CORE0H, Span(5, 9, 5, 20))
    assert core0h.reason == "the clause for a.x (at 5:1) may answer without resuming (at 5:9)"
    assert (core0.profile, core0.reason) == (Profile.CORE0, admission.reason)


def test_reasons_of_the_smaller_profiles() -> None:
    assert admit(program(DONE)).obstacles == ()
    answering = admit(program(handle(perform("a.x"), ("a.x", ANSWERS))))
    assert "no clause aborts" in answering.reason
    assert [obstacle.profile for obstacle in answering.obstacles] == [Profile.CORE0H]
    aborting = admit(program(handle(DONE, ("a.x", ABORTS))))
    assert aborting.reason == "the clause for a.x may abort without resuming"
    assert [obstacle.profile for obstacle in aborting.obstacles] == [Profile.CORE0H, Profile.CORE0]


def test_profiles_are_ordered_by_inclusion() -> None:
    order = [Profile.CORE0H, Profile.CORE0, Profile.CORE_A, Profile.NONE]
    assert [[a.within(b) for b in order] for a in order] == [
        [True, True, True, True],
        [False, True, True, True],
        [False, False, True, True],
        [False, False, False, True],
    ]


@pytest.mark.parametrize("clause", [RESUMES, ANSWERS])
def test_ten_thousand_handlers(clause: Body) -> None:
    body: Computation = perform("op.0")
    for number in range(10_000):
        body = handle(body, (f"op.{number}", clause))
    expected = Profile.CORE0H if clause is RESUMES else Profile.CORE0
    assert admitted(body) is expected


def test_deep_in_every_direction() -> None:
    chain: Computation = DONE
    body: Body = ANSWERS
    clauses: Computation = DONE
    for _ in range(30_000):
        chain = Let(DONE, chain)
        body = BodyLet(DONE, body)
        clauses = handle(DONE, ("a.x", Resume(UNIT, clauses)))
    assert admitted(chain) is Profile.CORE0H
    assert admitted(clauses) is Profile.CORE0H
    assert admitted(handle(chain, ("a.x", body))) is Profile.CORE0


def test_sharing_is_bounded() -> None:
    body: Computation = DONE
    for _ in range(60):
        body = Let(body, body)
    with pytest.raises(LimitExceeded, match="program_nodes"):
        admit(program(body), Limits(program_nodes=10_000))


# ------------------------------------------------------------------------------------------------
# Traces

SELECTED: list[Record] = [EffectDeclaration("a.x", None), HandlerSelection(0, 0), ResumptionHandle(1)]
RESUMED = [*SELECTED, ContinuationResume(1, 5), ResumeReturn(1, 6), EffectCapture(Completion.RETURN, 1, 6)]
END = RunEnd(CompletedWith(None))


def test_a_trace_of_resumes() -> None:
    profile = trace_profile([*RESUMED, END])
    assert (profile.profile, profile.number, profile.prefix) == (Profile.CORE0H, None, False)
    assert profile.reason == "no clause answered or aborted, and no selection was dropped"


def test_an_answer_leaves_core0h() -> None:
    answered = [*SELECTED, EffectCapture(Completion.ANSWER, 1, 6)]
    profile = trace_profile([*answered, EffectCapture(Completion.ANSWER, 1, 6), END])
    assert (profile.profile, profile.number) == (Profile.CORE0, 3)
    assert profile.reason == "record 3: the clause for a.x (selection 1) answered without resuming"


def test_an_abort_leaves_core0() -> None:
    profile = trace_profile([*SELECTED, EffectCapture(Completion.ABORT, 1, 6), END])
    assert (profile.profile, profile.number) == (Profile.CORE_A, 3)
    assert profile.reason == "record 3: the clause for a.x (selection 1) aborted"


def test_a_dropped_selection_leaves_core0_and_is_named() -> None:
    records = [
        *SELECTED,
        EffectDeclaration("a.y", None),
        HandlerSelection(3, 1),
        ResumptionHandle(4),
        EffectCapture(Completion.ANSWER, 4, None),
        SelectionClosed(Closing.DROPPED, 1, 6),
        END,
    ]
    profile = trace_profile(records)
    assert (profile.profile, profile.number) == (Profile.CORE_A, 7)
    assert profile.reason == "record 7: the open selection 1 for a.x was dropped by record 6"


def test_a_failure_may_close_selections() -> None:
    records = [*SELECTED, Failure(SCHEMA), SelectionClosed(Closing.FAILED, 1, 3), RunEnd(SCHEMA)]
    profile = trace_profile(records)
    assert (profile.profile, profile.prefix) == (Profile.CORE0H, True)
    assert profile.reason.endswith("(judged as a prefix: the run failed)")


def test_a_prefix_says_so() -> None:
    profile = trace_profile([EffectDeclaration("a.x", None)])
    assert (profile.profile, profile.prefix) == (Profile.CORE0H, True)
    assert profile.reason.endswith("(judged as a prefix: the run has not ended)")


def test_the_profiler_is_a_tracer_and_forgets_what_is_closed() -> None:
    profiler = TraceProfiler()
    for number, record in enumerate(RESUMED * 3):
        profiler(number, record, Span(1, 1, 1, 2))
    assert profiler.result().profile is Profile.CORE0H


def test_a_trace_that_no_run_leaves_is_judged_all_the_same() -> None:
    profile = trace_profile([EffectCapture(Completion.ABORT, 9, None)])
    assert profile.reason.startswith("record 0: the clause for an unknown operation (selection 9) aborted")
