"""Traces that are almost another's: all that differ from it in one field, or in one record's place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import attrs

from eclogue.core.errors import SCHEMA, TYPE, FailureReason, missing_key
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
from eclogue.core.values import Value


@attrs.frozen(eq=False)
class Mutant:
    """A trace that is not the one it was made from, and how it was made.

    `kind` names what was changed, such as `ResumeReturn.selection` or `deletion`; `number` is the first
    record that differs, or that is not there.
    """

    kind: str
    number: int
    records: Sequence[Record]


def mutants(records: Sequence[Record], rng: Random) -> Iterator[Mutant]:
    """Yield every mutant of a trace; of swaps all of neighbours, and for each record one with another."""
    for number, record in enumerate(records):
        before, after = records[:number], records[number + 1 :]
        for kind, changed in changes(record, number, len(records)):
            if changed != record:
                yield Mutant(kind, number, [*before, changed, *after])
        if after:
            yield Mutant("deletion", number, [*before, *after])
        yield Mutant("truncation", number, before)
        yield Mutant("duplication", number + 1, [*before, record, record, *after])
        for other in {number + 1, rng.randrange(number, len(records))} - {number, len(records)}:
            swapped = list(records)
            swapped[number], swapped[other] = swapped[other], swapped[number]
            if swapped[number] != record:
                yield Mutant(f"swap of {_pair(record, records[other])}", number, swapped)


def _pair(left: Record, right: Record) -> str:
    return " and ".join(sorted((type(left).__name__, type(right).__name__)))


def changes(record: Record, number: int, length: int) -> Iterator[tuple[str, Record]]:
    """Yield the changes of one field of a record, each with the field's name."""
    for field in record.__attrs_attrs__:
        content = getattr(record, field.name)
        for other in _others(field.name, content, number, length):
            yield f"{type(record).__name__}.{field.name}", attrs.evolve(record, **{field.name: other})
    if isinstance(record, ContinuationResume):
        yield "ContinuationResume.record", ResumeReturn(record.selection, record.value)
    if isinstance(record, ResumeReturn):
        yield "ResumeReturn.record", ContinuationResume(record.selection, record.value)


def _others(name: str, content: Any, number: int, length: int) -> Iterator[Any]:
    match name, content:
        case ("operation", _):
            yield from (content + "x", content.upper(), "")
        case ("payload" | "value", _):
            yield from other_values(content)
        case ("outcome", CompletedWith(value)):
            yield from (CompletedWith(other) for other in other_values(value))
            yield SCHEMA
        case ("outcome", FailureReason()):
            yield CompletedWith(None)
            yield from _other_reasons(content)
        case ("reason", _):
            yield from _other_reasons(content)
        case ("how" | "why", _):
            yield from type(content)
        case _:
            yield from {max(0, content - 1), content + 1, 0, max(0, number - 1), number, length}


def _other_reasons(reason: FailureReason) -> Iterator[FailureReason]:
    yield from (TYPE, SCHEMA, missing_key("k"))
    if reason.key is not None:
        yield missing_key(reason.key + "x")


def other_values(value: Value) -> Iterator[Value]:
    """Yield a few other values: of another kind that some take for the same, and with the value inside."""
    alike: dict[type, Callable[[Any], Value]] = {
        bool: int,
        int: str,
        type(None): lambda _: False,
        str: lambda text: text + "\0",
        tuple: lambda items: (*items, None),
    }
    if type(value) in alike:
        yield alike[type(value)](value)
    if value == 1 or value == 0:
        yield bool(value) if type(value) is int else int(bool(value))
    yield (value,)


def random_record(rng: Random, about: int) -> Record:
    """Return any record; the numbers in it are below `about`, or a little above."""
    number, small = rng.randrange(about + 2), rng.randrange(4)
    reason = rng.choice((TYPE, missing_key("k")))
    return rng.choice(
        (
            EffectDeclaration("a.b", small),
            HandlerSelection(number, small),
            ResumptionHandle(number),
            ContinuationResume(number, small),
            ResumeReturn(number, small),
            EffectCapture(rng.choice(list(Completion)), number, small),
            SelectionClosed(rng.choice(list(Closing)), number, number + small),
            HostObservation(number, small),
            Failure(reason),
            RunEnd(rng.choice((reason, CompletedWith(small)))),
        )
    )
