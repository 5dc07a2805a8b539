"""The lifecycle of traces (SPEC §13; rules `life.*`): what a trace must keep to, whatever its program.

An automaton reads the records in order. It runs no program and shares no code with the machine. What it
keeps is a mode, which says what may come next, and the open selections, of which it looks at the head only.
It is the automaton of `lean/Eclogue/Validator/Lifecycle.lean`, rule by rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import attrs

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
from eclogue.validator.open_selections import RESUMED, RETURNED, Entry, OpenSelections


@attrs.frozen
class Running:
    """The program runs."""


@attrs.frozen
class Raised:
    """A declaration waits for a handler or for the host."""

    declaration: int


@attrs.frozen
class Selected:
    """A selection was made; its resumption handle comes next."""

    selection: int


@attrs.frozen
class ClosingFor:
    """A capture has so many selections left to close, at least one."""

    cause: int
    left: int


@attrs.frozen
class FailedBy:
    """A failure unwinds what is open."""

    failure: int
    reason: FailureReason


@attrs.frozen
class Ended:
    """The run has ended."""


Mode: TypeAlias = Running | Raised | Selected | ClosingFor | FailedBy | Ended

_RUNNING, _ENDED = Running(), Ended()


@attrs.frozen
class Rejection:
    """The first record that breaks a rule: which rule, what could have come here, and what came."""

    number: int
    rule: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"record {self.number} breaks {self.rule}: expected {self.expected}; found {self.found}"


@attrs.frozen
class Verdict:
    """What the lifecycle rules say about a trace.

    `records` counts the accepted ones; `open_selections` those that are open after them. `finished` says
    that the run ended; an accepted trace that is not finished is a prefix.
    """

    records: int
    finished: bool
    open_selections: int
    rejection: Rejection | None = None

    @property
    def accepted(self) -> bool:
        """Whether every record was accepted."""
        return self.rejection is None


class Lifecycle:
    """The automaton: give it the records in order. Each takes the same time, however many came before."""

    __slots__ = ("mode", "next", "opened", "rejection")

    def __init__(self) -> None:
        self.next = 0
        """The number of the next record: how many were accepted."""
        self.mode: Mode = _RUNNING
        self.opened = OpenSelections()
        self.rejection: Rejection | None = None

    def accept(self, number: int, record: Record) -> Rejection | None:
        """Take record `number`; return why it is rejected, or None.

        After a rejection nothing more is accepted: the same one is returned again. Raises `ValueError` for
        a number out of turn, which is no matter of the trace's.
        """
        if self.rejection is not None:
            return self.rejection
        if number != self.next:
            raise ValueError(f"record {number} where {self.next} is next")
        rule, step = _RULES[type(record)]
        mode = step(self, record)
        if mode is None:
            self.rejection = Rejection(number, rule, self._expected(record), describe(record))
            return self.rejection
        self.mode = mode
        self.next = number + 1
        return None

    def verdict(self) -> Verdict:
        """Return what is to be said about the records so far."""
        return Verdict(self.next, self.mode is _ENDED, len(self.opened), self.rejection)

    # Rules: each returns the next mode, or None, having changed nothing, where it refuses.

    def _declaration(self, _: EffectDeclaration) -> Mode | None:
        return Raised(self.next) if self.mode is _RUNNING else None

    def _selection(self, record: HandlerSelection) -> Mode | None:
        if type(self.mode) is not Raised or self.mode.declaration != record.declaration:
            return None
        if not 0 <= record.captured <= len(self.opened):
            return None
        self.opened.push((self.next, record.captured))
        return Selected(self.next)

    def _handle(self, record: ResumptionHandle) -> Mode | None:
        if type(self.mode) is Selected and self.mode.selection == record.selection:
            return _RUNNING
        return None

    def _resume(self, record: ContinuationResume) -> Mode | None:
        phase = self._phase(record.selection)
        if phase is None or phase < 0:
            return None
        self.opened.sink((record.selection, RESUMED), phase)
        return _RUNNING

    def _return(self, record: ResumeReturn) -> Mode | None:
        if self._phase(record.selection) != RESUMED:
            return None
        self.opened.replace((record.selection, RETURNED))
        return _RUNNING

    def _capture(self, record: EffectCapture) -> Mode | None:
        phase = self._phase(record.selection)
        if phase is None or (phase != RETURNED if record.how is Completion.RETURN else phase < 0):
            return None
        self.opened.pop()
        return ClosingFor(self.next, phase) if phase > 0 else _RUNNING

    def _closed(self, record: SelectionClosed) -> Mode | None:
        mode, head = self.mode, self.opened.head
        if head is None or head[0] != record.selection:
            return None
        if type(mode) is ClosingFor and record.why is Closing.DROPPED and mode.cause == record.cause:
            self.opened.pop()
            return ClosingFor(mode.cause, mode.left - 1) if mode.left > 1 else _RUNNING
        if type(mode) is FailedBy and record.why is Closing.FAILED and mode.failure == record.cause:
            self.opened.pop()
            return mode
        return None

    def _observation(self, record: HostObservation) -> Mode | None:
        if type(self.mode) is Raised and self.mode.declaration == record.declaration:
            return _RUNNING
        return None

    def _failure(self, record: Failure) -> Mode | None:
        return FailedBy(self.next, record.reason) if self.mode is _RUNNING else None

    def _end(self, record: RunEnd) -> Mode | None:
        if len(self.opened):
            return None
        if isinstance(record.outcome, CompletedWith):
            return _ENDED if self.mode is _RUNNING else None
        if type(self.mode) is FailedBy and self.mode.reason == record.outcome:
            return _ENDED
        return None

    def _phase(self, selection: int) -> int | None:
        """Return the phase of a selection if the program runs and it is the head."""
        head = self.opened.head
        if self.mode is not _RUNNING or head is None or head[0] != selection:
            return None
        return head[1]

    def _expected(self, found: Record) -> str:
        """Say what could have come in this state."""
        mode, head = self.mode, self.opened.head
        match mode:
            case Running():
                return f"a declaration, a failure, or {_of_the_head(head)}"
            case Raised(declaration):
                if isinstance(found, HandlerSelection) and found.declaration == declaration:
                    return f"at most {len(self.opened)} captured, for so many selections are open"
                return f"a handler's selection for declaration {declaration}, or the host's answer to it"
            case Selected(selection):
                return f"the resumption handle of selection {selection}"
            case ClosingFor(cause):
                return f"selection {_number(head)} dropped because of {cause}"
            case FailedBy(failure, reason):
                if head is None:
                    return f"the end of the run, failed: {reason}"
                return f"selection {head[0]} failed because of {failure}"
            case Ended():
                return "nothing after the end of the run"


def _number(head: Entry | None) -> str:
    return "none" if head is None else str(head[0])


def _of_the_head(head: Entry | None) -> str:
    """Say which record about the head can come while the program runs."""
    if head is None:
        return "the end of a completed run"
    selection, phase = head
    if phase == RESUMED:
        return f"the return to selection {selection}, which was resumed"
    if phase == RETURNED:
        return f"the completion by return of selection {selection}"
    return f"the resume of selection {selection}, or its completion by answer or abort"


_RULES: dict[type[Record], tuple[str, Callable[[Lifecycle, Any], Mode | None]]] = {
    EffectDeclaration: ("life.declaration", Lifecycle._declaration),
    HandlerSelection: ("life.selection", Lifecycle._selection),
    ResumptionHandle: ("life.handle", Lifecycle._handle),
    ContinuationResume: ("life.resume", Lifecycle._resume),
    ResumeReturn: ("life.return", Lifecycle._return),
    EffectCapture: ("life.capture", Lifecycle._capture),
    SelectionClosed: ("life.closed", Lifecycle._closed),
    HostObservation: ("life.observation", Lifecycle._observation),
    Failure: ("life.failure", Lifecycle._failure),
    RunEnd: ("life.end", Lifecycle._end),
}

RULES = tuple(rule for rule, _ in _RULES.values())
"""The ids of the rules, in the specification's order."""


def check_lifecycle(records: Iterable[Record]) -> Verdict:
    """Return what the lifecycle rules say about a trace; reads up to the first record that is rejected."""
    lifecycle = Lifecycle()
    for number, record in enumerate(records):
        if lifecycle.accept(number, record) is not None:
            break
    return lifecycle.verdict()


def describe(record: Record) -> str:
    """Return a record in a few words, without its values."""
    match record:
        case EffectDeclaration(operation):
            return f"the declaration of {operation}"
        case HandlerSelection(declaration, captured):
            return f"a handler's selection for declaration {declaration}, {captured} captured"
        case ResumptionHandle(selection):
            return f"the resumption handle of selection {selection}"
        case ContinuationResume(selection):
            return f"the resume of selection {selection}"
        case ResumeReturn(selection):
            return f"the return to selection {selection}"
        case EffectCapture(how, selection):
            return f"the completion by {how.value} of selection {selection}"
        case SelectionClosed(why, selection, cause):
            return f"selection {selection} {why.value} because of {cause}"
        case HostObservation(declaration):
            return f"the host's answer to declaration {declaration}"
        case Failure(reason):
            return f"a failure: {reason}"
        case RunEnd(CompletedWith()):
            return "the end of a completed run"
        case RunEnd(reason):
            return f"the end of a failed run: {reason}"
