"""Every accepted trace up to a length has a program that leaves it, or belongs to a class that has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import attrs
import pytest
from producible import NotProducible, program_for, successors
from small_programs import SmallPrograms
from strategies import for_seeds
from support import plain_lifecycle
from support.cases import directed_case, undirected_case
from support.walks import walk

from eclogue.core.errors import SCHEMA, TYPE, UNBOUND, FailureKind, FailureReason, missing_key
from eclogue.core.outcomes import HostAnswer, Suspended
from eclogue.core.run import resume, run
from eclogue.core.syntax import Program, Return, Variable
from eclogue.core.trace import (
    Closing,
    CompletedWith,
    Completion,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.validator.lifecycle import check_lifecycle
from eclogue.validator.refs import RefChain
from eclogue.validator.trace_file import read_trace

LENGTH = 11
FIRST_SPLIT = 8
"""No trace is shorter that captures in part what was captured."""
UNBOUND_FAILURE = "a failure of kind unbound"
SPLIT = "a continuation that was captured is captured in part"
COUNTED = {1: (3, 1, 0), 5: (17, 5, 0), 8: (121, 31, 1), 11: (1208, 327, 35)}
"""Of a length, how many accepted traces are produced, fail unbound, and split a continuation."""
ACCEPT = Path(__file__).resolve().parents[1] / "traces/accept"


def accepted(length: int) -> Iterator[tuple[tuple[Record, ...], plain_lifecycle.State]]:
    """Yield every accepted trace of a length, values aside, with the state of the automaton after it."""
    pending: list[tuple[tuple[Record, ...], plain_lifecycle.State]] = [((), plain_lifecycle.START)]
    while pending:
        trace, state = pending.pop()
        if len(trace) == length:
            yield trace, state
            continue
        for record in successors(*state):
            after = plain_lifecycle.accepted(state, record)
            if after is not None:
                pending.append(((*trace, record), after))


def ended(trace: Sequence[Record], state: plain_lifecycle.State) -> list[Record]:
    """Return an accepted trace, gone on with until its run has ended or waits for the host."""
    whole = list(trace)
    while state[1][0] not in ("raised", "ended"):
        if state[1] == ("run",):
            whole.append(Failure(SCHEMA))
        else:
            whole.append(
                next(
                    record
                    for record in successors(*state)
                    if plain_lifecycle.accepted(state, record) is not None
                )
            )
        following = plain_lifecycle.accepted(state, whole[-1])
        assert following is not None
        state = following
    return whole


def check_program(trace: Sequence[Record]) -> None:
    program, answers = program_for(trace)
    assert not well_formed(program)
    assert not schema_checked(program)
    assert [record for _, record, _ in run(program, answers).records()] == list(trace)


def classes(length: int) -> Counter[str]:
    """Count the accepted traces of a length by what the construction says; each program built is run."""
    counts: Counter[str] = Counter()
    for trace, state in accepted(length):
        try:
            check_program(ended(trace, state))
        except NotProducible as error:
            counts[str(error)] += 1
        else:
            counts["produced"] += 1
    return counts


@pytest.mark.parametrize("length", range(1, LENGTH + 1))
def test_every_accepted_trace_is_produced_or_in_a_class_of_those_that_are_not(length: int) -> None:
    counts = classes(length)
    assert set(counts) <= {"produced", UNBOUND_FAILURE, SPLIT}
    assert (counts[SPLIT] > 0) == (length >= FIRST_SPLIT)
    if length in COUNTED:
        assert tuple(counts[each] for each in ("produced", UNBOUND_FAILURE, SPLIT)) == COUNTED[length]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_no_accepted_trace_is_left_out(length: int) -> None:
    """Whatever the numbers in the records are: the ones tried are the only ones that are accepted."""
    tried = {shape(trace) for trace, _ in accepted(length)}
    found: set[tuple[Any, ...]] = set()
    pending: list[tuple[Record, ...]] = [()]
    while pending:
        trace = pending.pop()
        if len(trace) == length:
            found.add(shape(trace))
            continue
        pending.extend(
            longer
            for record in every_record(length)
            if check_lifecycle(longer := (*trace, record)).accepted
        )
    assert tried == found


def every_record(length: int) -> Iterator[Record]:
    """Yield the records of every kind, values aside, whose numbers are below a length."""
    numbers, reasons = range(length), (SCHEMA, UNBOUND)
    yield EffectDeclaration("o.a", None)
    yield from (Failure(reason) for reason in reasons)
    yield from (RunEnd(outcome) for outcome in (CompletedWith(None), *reasons))
    for first in numbers:
        yield from (ResumptionHandle(first), ContinuationResume(first, None), ResumeReturn(first, None))
        yield HostObservation(first, None)
        yield from (EffectCapture(how, first, None) for how in Completion)
        for second in numbers:
            yield HandlerSelection(first, second)
            yield from (SelectionClosed(why, first, second) for why in Closing)


def test_longer_accepted_traces_are_produced_or_split_a_continuation() -> None:
    """Random ones, in which what is captured need not be whole frames."""
    counts: Counter[str] = Counter()

    def check(seed: int) -> None:
        rng = Random(seed)
        trace = renamed(walk(rng, rng.randint(LENGTH + 1, 40)))
        try:
            check_program([*trace, *_rest(trace)])
        except NotProducible as error:
            counts[str(error)] += 1
        else:
            counts["produced"] += 1

    for_seeds(1500, check)
    assert set(counts) == {"produced", SPLIT}
    assert min(counts.values()) > 50


@pytest.mark.parametrize("reason", [TYPE, SCHEMA, missing_key("k"), missing_key("")])
def test_every_other_failure_is_produced(reason: FailureReason) -> None:
    check_program([Failure(reason), RunEnd(reason)])


# ------------------------------------------------------------------------------------------------
# Nothing that a program leaves is in a class of those that are not


def runs_of(program: Program, most: int = 4) -> list[Record]:
    """Return the trace of a program, whose host answers null, so many times at most."""
    made = run(program)
    for _ in range(most):
        if not isinstance(made.outcome, Suspended):
            break
        made = resume(made, HostAnswer(None))
    return [record for _, record, _ in made.records()]


def shape(records: Sequence[Record]) -> tuple[Any, ...]:
    """Return a trace without its values and names; of the kinds of failure only unbound is kept apart."""
    return tuple(_shape(record) for record in records)


def _shape(record: Record) -> tuple[Any, ...]:
    match record:
        case EffectDeclaration():
            return ("EffectDeclaration",)
        case Failure(reason) | RunEnd(FailureReason() as reason):
            return type(record).__name__, reason.kind is FailureKind.UNBOUND
        case RunEnd():
            return ("RunEnd",)
    fields = {name: item for name, item in attrs.asdict(record).items() if name != "value"}
    return type(record).__name__, *fields.values()


def test_no_small_program_is_in_such_a_class() -> None:
    sizes = [(SmallPrograms(("o.a", "o.b", "o.c")), 7), (SmallPrograms(("o.a", "o.b")), 8)]
    longest = selections = 0
    for programs, most in sizes:
        for size in range(1, most + 1):
            for program in programs.programs(size):
                records = runs_of(program)
                program_for(records)
                longest = max(longest, len(records))
                selections += sum(isinstance(record, HandlerSelection) for record in records)
    assert longest > FIRST_SPLIT
    assert selections > 10_000


def test_no_random_program_is_in_such_a_class() -> None:
    nested = 0

    def check(seed: int) -> None:
        nonlocal nested
        for case in (directed_case(seed), undirected_case(seed)):
            if well_formed(case.program):
                continue
            records = [record for _, record, _ in run(case.program, case.answers).records()]
            program_for(records)
            nested += sum(
                isinstance(record, HandlerSelection) and record.captured > 1 for record in records
            )

    for_seeds(1000, check)
    assert nested > 20


def test_an_open_program_fails_unbound_and_is_refused() -> None:
    """Closed programs do not: `scoped_never_unbound`, which is proved."""
    program = Program((), Return(Variable(0)))
    assert well_formed(program)
    assert runs_of(program) == [Failure(UNBOUND), RunEnd(UNBOUND)]


# ------------------------------------------------------------------------------------------------
# Witnesses


def witness(name: str) -> list[Record]:
    """Return a trace that is accepted, with right refs."""
    chain, records = RefChain(), []
    with (ACCEPT / name).open("rb") as file:
        for number, record, ref, _ in read_trace(file):
            assert chain.accept(number, record, ref) is None
            records.append(record)
    assert check_lifecycle(records).accepted
    return records


def test_a_failure_unbound_is_accepted_and_no_programs() -> None:
    records = witness("unbound.jsonl")
    assert records == [Failure(UNBOUND), RunEnd(UNBOUND)]
    with pytest.raises(NotProducible, match=UNBOUND_FAILURE):
        program_for(records)


def test_a_split_continuation_is_accepted_and_no_programs() -> None:
    """The last selection captures the one at the head, and not the one that this had captured itself."""
    records = witness("split.jsonl")
    assert len(records) == FIRST_SPLIT
    assert [record.captured for record in records if isinstance(record, HandlerSelection)] == [0, 1, 1]
    with pytest.raises(NotProducible, match=SPLIT):
        program_for(records)


def test_exclusive_handlers_are_accepted_and_no_programs() -> None:
    """With names, more: a handler would have caught earlier what the host answered.

    The handler that catches last is outside of an unfinished clause body. It was there while that body
    performed the same operation before, and lets no such operation pass.
    """
    records = witness("exclusive_handlers.jsonl")
    distinct = renamed(records)
    check_program([*distinct, *_rest(distinct)])
    operations = {record.operation for record in records if isinstance(record, EffectDeclaration)}
    assert len(operations) == 1
    produced: set[tuple[Any, ...]] = set()
    programs = SmallPrograms(tuple(operations), branching=True)
    for size in range(1, 10):
        for program in programs.programs(size):
            found = shape(runs_of(program))
            produced.update(found[:end] for end in range(1, len(found) + 1))
    missing = [
        trace
        for length in range(1, len(records) + 1)
        for trace, _ in accepted(length)
        if shape(trace) not in produced and ("Failure", True) not in shape(trace)
    ]
    assert [shape(trace) for trace in missing] == [shape(records)]


def renamed(records: Sequence[Record]) -> list[Record]:
    """Return a trace in which each declaration is of an operation of its own."""
    return [
        attrs.evolve(record, operation=f"o.n{number}") if isinstance(record, EffectDeclaration) else record
        for number, record in enumerate(records)
    ]


def _rest(records: Sequence[Record]) -> list[Record]:
    state = plain_lifecycle.START
    for record in records:
        following = plain_lifecycle.accepted(state, record)
        assert following is not None
        state = following
    return ended(records, state)[len(records) :]
