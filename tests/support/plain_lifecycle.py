"""An oracle: the lifecycle automaton once more, as plainly as Lean has it, with a list that is copied."""

from __future__ import annotations

from typing import TypeAlias, Union

from eclogue.core.errors import FailureReason
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

Phase: TypeAlias = Union[int, str]
"""How many entries a selection's continuation holds, or `resumed`, or `returned`."""
Mode: TypeAlias = tuple[Union[str, int, FailureReason], ...]
State: TypeAlias = tuple[int, Mode, tuple[tuple[int, Phase], ...]]
"""The number of records, the mode, and the open selections in closing order."""

START: State = (0, ("run",), ())


def closing_mode(cause: int, left: int) -> Mode:
    return ("closing", cause, left - 1) if left else ("run",)


def accepted(state: State, record: Record) -> State | None:
    """Return the state after a record, or None if it is not accepted."""
    n, mode, opened = state
    after = n + 1
    head = opened[0] if opened else None
    run = mode == ("run",)
    match record:
        case EffectDeclaration() if run:
            return after, ("raised", n), opened
        case HandlerSelection(d, m) if mode == ("raised", d) and m <= len(opened):
            return after, ("selected", n), ((n, m), *opened)
        case ResumptionHandle(s) if mode == ("selected", s):
            return after, ("run",), opened
        case HostObservation(d) if mode == ("raised", d):
            return after, ("run",), opened
        case ContinuationResume(s) if run and head and head[0] == s and isinstance(head[1], int):
            held, rest = opened[1 : 1 + head[1]], opened[1 + head[1] :]
            return after, ("run",), (*held, (s, "resumed"), *rest)
        case ResumeReturn(s) if run and head == (s, "resumed"):
            return after, ("run",), ((s, "returned"), *opened[1:])
        case EffectCapture(Completion.RETURN, s) if run and head == (s, "returned"):
            return after, ("run",), opened[1:]
        case EffectCapture(Completion.ANSWER | Completion.ABORT, s) if run and head and head[0] == s:
            return (after, closing_mode(n, head[1]), opened[1:]) if isinstance(head[1], int) else None
        case SelectionClosed(Closing.DROPPED, s, c) if head and head[0] == s and mode[:2] == ("closing", c):
            left = mode[2]
            assert isinstance(left, int)
            return after, closing_mode(c, left), opened[1:]
        case SelectionClosed(Closing.FAILED, s, c) if head and head[0] == s and mode[:2] == ("failed", c):
            return after, mode, opened[1:]
        case Failure(reason) if run:
            return after, ("failed", n, reason), opened
        case RunEnd(CompletedWith()) if run and not opened:
            return after, ("ended",), ()
        case RunEnd(FailureReason() as reason) if mode[0] == "failed" and not opened:
            return (after, ("ended",), ()) if mode[2] == reason else None
    return None
