"""Breakpoints: a line of the source, an operation, or a kind of record."""

from __future__ import annotations

import attrs

from eclogue.core import cells, trace
from eclogue.core.inspection import control_of
from eclogue.core.state import State
from eclogue.core.syntax import Program

RECORDS = (
    "EffectDeclaration",
    "HandlerSelection",
    "ResumptionHandle",
    "ContinuationResume",
    "ResumeReturn",
    "EffectCapture",
    "SelectionClosed",
    "HostObservation",
    "Failure",
    "RunEnd",
)


@attrs.frozen
class Breakpoint:
    """Where to stop: exactly one of the fields is set.

    At a `line`, when the machine comes to a term that begins there; at an `operation`, when it has been
    performed; at a `record`, when one of that name has been made.
    """

    line: int | None = None
    operation: str | None = None
    record: str | None = None

    def __str__(self) -> str:
        return f"line {self.line}" if self.line is not None else str(self.operation or self.record)


def read_breakpoint(text: str, program: Program, lines: int) -> Breakpoint:
    """Return the breakpoint that is meant by a number, an operation or a record's name.

    Raises `ValueError`, with a message for people, where there is no such line, operation or record.
    """
    word = text.strip()
    if word.isdecimal():
        if not 1 <= int(word) <= lines:
            raise ValueError(f"there is no line {word}: the source has {lines}")
        return Breakpoint(line=int(word))
    operations = [operation.name for operation in program.operations]
    if word in operations:
        return Breakpoint(operation=word)
    if word in RECORDS:
        return Breakpoint(record=word)
    known = ", ".join(operations) or "none are declared"
    raise ValueError(f"`{word}` is no line, no operation ({known}) and no record such as EffectCapture")


def reached(point: Breakpoint, before: State, after: State) -> bool:
    """Return whether a breakpoint is reached by the step from one state to the next."""
    if point.line is not None:
        span, old = control_of(after).span, control_of(before).span
        return span is not None and span != old and span.line == point.line
    for _, record, _ in cells.records(after.trace, before.trace[1]):
        if point.record == type(record).__name__:
            return True
        if isinstance(record, trace.EffectDeclaration) and record.operation == point.operation:
            return True
    return False
