"""What the denotation, the machine and the naive machine say about a case, and that they say the same."""

from __future__ import annotations

from typing import TypeAlias, Union

from eclogue.core.denote import read
from eclogue.core.errors import AnswerRefused
from eclogue.core.limits import Limits
from eclogue.core.outcomes import Exhausted, Outcome
from eclogue.core.run import run
from eclogue.core.trace import EffectDeclaration, Record
from eclogue.core.values import Value
from support.failing import Case
from support.lifecycle import check_lifecycle
from support.naive_machine import naive_run

LIMITS = Limits(steps=500_000)

Performed: TypeAlias = tuple[tuple[str, Value], ...]
Observed: TypeAlias = Union[tuple[Outcome, Performed], str]
"""What a reading says: outcome and operations performed, or that it refused an answer."""


def naively(case: Case) -> tuple[Observed, list[Record]]:
    try:
        machine = naive_run(case.program, case.answers)
    except AnswerRefused:
        return "refused", []
    return (machine.outcome, performed(machine.records)), machine.records


def performed(records: list[Record]) -> Performed:
    return tuple(
        (record.operation, record.payload) for record in records if isinstance(record, EffectDeclaration)
    )


def by_machine(case: Case) -> tuple[Observed, list[Record]]:
    try:
        ran = run(case.program, case.answers, limits=LIMITS)
    except AnswerRefused:
        return "refused", []
    assert not isinstance(ran.outcome, Exhausted)
    return (ran.outcome, ran.performed()), [record for _, record, _ in ran.records()]


def by_denotation(case: Case) -> Observed:
    try:
        reading = read(case.program, case.answers, limits=LIMITS)
    except AnswerRefused:
        return "refused"
    assert not isinstance(reading.outcome, Exhausted)
    return reading.outcome, reading.performed


def readings_agree(case: Case) -> None:
    """Raise `AssertionError` unless all three agree, and the trace keeps the lifecycle rules."""
    expected, records = naively(case)
    machine, machine_records = by_machine(case)
    assert by_denotation(case) == machine
    assert machine == expected
    assert machine_records == records
    check_lifecycle(machine_records)
