"""Every accepted trace up to a length has a program that leaves it, or belongs to a class that has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

import pytest
from producible import NotProducible, program_for, successors
from support import plain_lifecycle

from eclogue.core.errors import SCHEMA, TYPE, missing_key
from eclogue.core.run import run
from eclogue.core.trace import EffectDeclaration, Failure, Record, ResumptionHandle, RunEnd
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.validator.lifecycle import check_lifecycle

LENGTH = 8
UNBOUND_FAILURE = "a failure of kind unbound"
SPLIT = "a continuation that was captured is captured in part"


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


@cache
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
    print(length, dict(counts))
    assert set(counts) <= {"produced", UNBOUND_FAILURE, SPLIT}
    assert counts["produced"]
