"""The trace as the machine keeps it: a persistent list of cells, the newest first.

A cell is the tuple `(previous, number, make, a, b, span)`: the record with this number is `make(a, b)`, and
`span` is that of the term it came from. States share their common past, so that to fork costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from eclogue.core.canonical import commitment, quote
from eclogue.core.errors import FailureReason
from eclogue.core.syntax import Span
from eclogue.core.trace import (
    START_REF,
    Closing,
    Commit,
    CompletedWith,
    Completion,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
    capture_skeleton,
    declaration_skeleton,
    next_ref,
    resume_skeleton,
    skeleton,
)
from eclogue.core.values import Value

Cell: TypeAlias = tuple[Any, ...]

START: Cell = (None, -1)
"""What stands before the first record."""


def handle_made(selection: int, _: None) -> ResumptionHandle:
    """Make the record that a selection's captured continuation exists."""
    return ResumptionHandle(selection)


def returned(selection: int, value: Value) -> EffectCapture:
    """Make the record that a clause completed after a resume."""
    return EffectCapture(Completion.RETURN, selection, value)


def answered(selection: int, value: Value) -> EffectCapture:
    """Make the record that a clause completed without a resume."""
    return EffectCapture(Completion.ANSWER, selection, value)


def aborted(selection: int, value: Value) -> EffectCapture:
    """Make the record that a clause aborted."""
    return EffectCapture(Completion.ABORT, selection, value)


def dropped(selection: int, cause: int) -> SelectionClosed:
    """Make the record that a selection was dropped with a continuation."""
    return SelectionClosed(Closing.DROPPED, selection, cause)


def unwound(selection: int, cause: int) -> SelectionClosed:
    """Make the record that a failure unwound a selection."""
    return SelectionClosed(Closing.FAILED, selection, cause)


def failure_made(reason: FailureReason, _: None) -> Failure:
    """Make the record that the program failed."""
    return Failure(reason)


def run_ended(outcome: CompletedWith | FailureReason, _: None) -> RunEnd:
    """Make the record that the run ended."""
    return RunEnd(outcome)


def oldest_first(last: Cell, after: int = -1) -> list[Cell]:
    """Return the cells up to this one with numbers above `after`."""
    cells: list[Cell] = []
    while last[1] > after:
        cells.append(last)
        last = last[0]
    cells.reverse()
    return cells


def records(last: Cell, after: int = -1) -> Iterator[tuple[int, Record, Span | None]]:
    """Yield number, record and span, the oldest first, of the records with numbers above `after`."""
    for _, number, make, a, b, span in oldest_first(last, after):
        yield number, make(a, b), span


# ------------------------------------------------------------------------------------------------
# Refs

_Skeleton: TypeAlias = Callable[[int, Any, Any, Commit], str]


def _declaration(number: int, operation: str, payload: Value, commit: Commit) -> str:
    return declaration_skeleton(number, quote(operation), commit(payload))


def _resume(number: int, selection: int, value: Value, commit: Commit) -> str:
    return resume_skeleton("ContinuationResume", number, selection, commit(value))


def _resume_return(number: int, selection: int, value: Value, commit: Commit) -> str:
    return resume_skeleton("ResumeReturn", number, selection, commit(value))


def _return(number: int, selection: int, value: Value, commit: Commit) -> str:
    return capture_skeleton("return", number, selection, commit(value))


_SKELETONS: dict[Callable[..., Record], _Skeleton] = {
    EffectDeclaration: _declaration,
    ContinuationResume: _resume,
    ResumeReturn: _resume_return,
    returned: _return,
}
"""The kinds of records that are frequent, straight from their cells."""

_REMEMBERED = 65_536
"""Commitments that are kept at a time."""


def refs(last: Cell, salt: bytes, limit: int) -> Iterator[str]:
    """Yield the refs of the records up to this cell, the oldest first (`trace.ref`).

    Raises `LimitExceeded("value_size")` at a value whose canonical form has more than `limit` bytes.
    """
    # The same value stands in many records. The cells keep every value alive, so ids name them.
    committed: dict[int, str] = {}

    def commit(value: Value) -> str:
        known = committed.get(id(value))
        if known is None:
            if len(committed) >= _REMEMBERED:
                committed.clear()
            known = committed[id(value)] = commitment(value, salt, limit)
        return known

    previous = START_REF
    for _, number, make, a, b, _ in oldest_first(last):
        frequent = _SKELETONS.get(make)
        text = frequent(number, a, b, commit) if frequent else skeleton(number, make(a, b), commit)
        previous = next_ref(previous, text)
        yield previous


def last_ref(last: Cell, salt: bytes, limit: int) -> str:
    """Return the ref of the record in this cell; raises as `refs`."""
    ref = START_REF
    for ref in refs(last, salt, limit):  # noqa: B007
        pass
    return ref
