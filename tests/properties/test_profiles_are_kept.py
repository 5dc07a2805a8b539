"""Admission: an admitted program's traces never leave its profile, and the test is the specification's."""

from __future__ import annotations

from collections import Counter

from strategies import for_seeds
from support.cases import directed_case, undirected_case
from support.failing import Case, hold
from support.statistics import Tally

from eclogue.core.profiles import Profile, admit, trace_profile
from eclogue.core.run import run
from eclogue.core.syntax import (
    Abort,
    Answer,
    BodyIf,
    BodyLet,
    Clause,
    Handle,
    If,
    Let,
    Perform,
    Program,
    Resume,
    Return,
)
from eclogue.core.trace import (
    Closing,
    CompletedWith,
    Completion,
    ContinuationResume,
    EffectCapture,
    HandlerSelection,
    Record,
    RunEnd,
    SelectionClosed,
)

# ------------------------------------------------------------------------------------------------
# The specification's test, by sets (SPEC §10, `admit.core0`)


class _Everything:
    """The set of all operations, without those taken out."""

    def __init__(self, without: frozenset[str] = frozenset()) -> None:
        self.without = without

    def __contains__(self, operation: str) -> bool:
        return operation not in self.without

    def minus(self, operations: frozenset[str]) -> _Everything:
        return _Everything(self.without | operations)

    def plus(self, operations: frozenset[str]) -> _Everything:
        return _Everything(self.without - operations)


def adm(node: object, answered: frozenset[str], allowed: _Everything) -> bool:
    """`adm(c, E, A)`: with `answered` for E and `allowed` for A."""
    match node:
        case Return() | Answer():
            return True
        case Abort():
            return False
        case Perform(operation):
            return operation in allowed
        case Let(first, second) | BodyLet(first, second):
            return adm(first, answered, allowed) and adm(second, answered, allowed)
        case If(_, then, otherwise) | BodyIf(_, then, otherwise):
            return adm(then, answered, allowed) and adm(otherwise, answered, allowed)
        case Resume(_, rest):
            return adm(rest, answered, allowed)
        case Handle(body, return_clause, clauses):
            leaving = allowed.minus(answered) if any(map(may_resume, clauses)) else allowed
            own = frozenset(clause.operation for clause in clauses)
            exiting = frozenset(clause.operation for clause in clauses if may_exit(clause))
            return (
                adm(return_clause, answered, leaving)
                and all(adm(clause.body, answered, leaving.minus(answered)) for clause in clauses)
                and adm(body, (answered - own) | exiting, leaving.plus(own))
            )
    raise TypeError(node)


def endings(node: object) -> list[object]:
    match node:
        case Clause(_, body) | BodyLet(_, body):
            return endings(body)
        case BodyIf(_, then, otherwise):
            return endings(then) + endings(otherwise)
    return [node]


def may_resume(clause: Clause) -> bool:
    return any(isinstance(ending, Resume) for ending in endings(clause))


def may_exit(clause: Clause) -> bool:
    return any(not isinstance(ending, Resume) for ending in endings(clause))


def clauses_in(node: object) -> list[Clause]:
    match node:
        case Let(first, second) | BodyLet(first, second):
            return clauses_in(first) + clauses_in(second)
        case If(_, first, second) | BodyIf(_, first, second):
            return clauses_in(first) + clauses_in(second)
        case Resume(_, rest) | Clause(_, rest):
            return clauses_in(rest)
        case Handle(body, return_clause, clauses):
            inner = [found for clause in clauses for found in clauses_in(clause)]
            return [*clauses, *inner, *clauses_in(body), *clauses_in(return_clause)]
    return []


def admitted_by_the_specification(program: Program) -> Profile:
    if not any(map(may_exit, clauses_in(program.body))):
        return Profile.CORE0H
    if adm(program.body, frozenset(), _Everything()):
        return Profile.CORE0
    return Profile.CORE_A


# ------------------------------------------------------------------------------------------------


def profile_by_definition(records: list[Record]) -> Profile:
    captures = {record.how for record in records if isinstance(record, EffectCapture)}
    dropped = any(
        isinstance(record, SelectionClosed) and record.why is Closing.DROPPED for record in records
    )
    if Completion.ABORT in captures or dropped:
        return Profile.CORE_A
    return Profile.CORE0 if Completion.ANSWER in captures else Profile.CORE0H


def admission_is_the_specifications(case: Case) -> None:
    assert admit(case.program).profile is admitted_by_the_specification(case.program)


def profile_is_kept(case: Case) -> None:
    admitted = admit(case.program).profile
    for number in range(len(case.answers) + 1):
        ran = run(case.program, case.answers[:number])
        records = [record for _, record, _ in ran.records()]
        found = trace_profile(records)
        assert found.profile is profile_by_definition(records)
        assert found.profile.within(admitted)
        completed = (
            bool(records)
            and isinstance(records[-1], RunEnd)
            and isinstance(records[-1].outcome, CompletedWith)
        )
        assert found.prefix == (not completed)
        if completed and admitted is Profile.CORE0H:
            check_resumed_once(records)


def check_resumed_once(records: list[Record]) -> None:
    """`core0h`: in a completed run each selection was resumed exactly once."""
    resumes = Counter(record.selection for record in records if isinstance(record, ContinuationResume))
    selections = {number for number, record in enumerate(records) if isinstance(record, HandlerSelection)}
    assert set(resumes) == selections
    assert all(times == 1 for times in resumes.values())


def test_admission_is_the_specifications() -> None:
    for_seeds(1000, lambda seed: hold(admission_is_the_specifications, directed_case(seed)))
    for_seeds(500, lambda seed: hold(admission_is_the_specifications, undirected_case(seed)))


def test_an_admitted_profile_is_never_left() -> None:
    tally = Tally("profiles of directed programs")

    def check(seed: int) -> None:
        case = directed_case(seed)
        hold(profile_is_kept, case)
        ran = run(case.program, case.answers)
        found = trace_profile(record for _, record, _ in ran.records()).profile
        admitted = admit(case.program).profile
        tally.add(f"admitted to {admitted.value}", f"trace in {found.value}")

    for_seeds(1500, check)
    tally.check("admitted to core0h", "admitted to core0", "admitted to core_a")


def test_an_admitted_profile_is_never_left_by_undirected_programs() -> None:
    for_seeds(700, lambda seed: hold(profile_is_kept, undirected_case(seed)))
