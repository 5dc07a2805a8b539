"""Values and traces for people: short lines, the structure of selections shown by indentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eclogue.core.syntax import Span
from eclogue.core.trace import (
    CompletedWith,
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
from eclogue.lowering.core_printer import print_value

_SHORT = 60


def trace_lines(records: Iterable[tuple[int, Record, Span | None]], source: str | None) -> Iterator[str]:
    """Yield a line for each record: number, name, what it says, and where in the source it comes from."""
    place = f"{source}:" if source else ""
    levels: dict[int, int] = {}  # open selection -> how far it indents what follows
    depth = 0
    for number, item, span in records:
        if isinstance(item, (ResumeReturn, EffectCapture, SelectionClosed)):
            left = 1 if isinstance(item, ResumeReturn) else 0
            depth += left - levels.pop(item.selection, 0)
            if left:
                levels[item.selection] = left
        text = f"{'  ' * min(depth, 12)}{record_line(item)}"
        where = f"  {place}{span}" if span is not None else ""
        yield f"{number:>4}  {text:<72}{where}".rstrip()
        if isinstance(item, (ResumptionHandle, ContinuationResume)):
            levels[item.selection] = levels.get(item.selection, 0) + 1
            depth += 1


def record_line(item: Record, length: int = _SHORT) -> str:
    """Return a record's name and what it says, each value cut to this length."""
    return type(item).__name__ + _says(item, length)


def _says(item: Record, length: int) -> str:
    match item:
        case EffectDeclaration(operation, payload):
            return f"  {operation}({_arguments(payload, length)})"
        case HandlerSelection(declaration, captured):
            return f"  for {declaration}" + (f", capturing {captured} open" if captured else "")
        case ResumptionHandle(selection):
            return f"  of {selection}"
        case ContinuationResume(selection, value):
            return f"  {selection} with {print_value(value, length)}"
        case ResumeReturn(selection, value):
            return f"  {selection} with {print_value(value, length)}"
        case EffectCapture(how, selection, value):
            return f"  {selection} by {how.value} with {print_value(value, length)}"
        case SelectionClosed(why, selection, cause):
            return f"  {selection} {why.value} because of {cause}"
        case HostObservation(declaration, value):
            return f"  {declaration} with {print_value(value, length)}"
        case Failure(reason):
            return f"  {reason}"
        case RunEnd(CompletedWith(value)):
            return f"  completed with {print_value(value, length)}"
        case RunEnd(reason):
            return f"  failed: {reason}"


def _arguments(payload: Value, length: int) -> str:
    return "" if payload is None else print_value(payload, length)
