"""Trace records, their refs, and the Tracer protocol (SPEC §7). No I/O.

Records are numbered from 0 and name each other by number; a selection's number also names its
resumption. A ref is a digest chained over the predecessor's ref and the record's *skeleton*, in which each
value is replaced by its commitment, so that values can be redacted and refs still verify.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from hashlib import sha256
from typing import ClassVar, Protocol, TypeAlias, Union

import attrs

from eclogue.core.canonical import commitment, digest, quote
from eclogue.core.errors import FailureReason
from eclogue.core.syntax import Span
from eclogue.core.values import ByValue, Value

START_REF = digest(b"eclogue-trace/1")
"""The ref before the first record: fixed, and versioned by its text."""

Commit: TypeAlias = Callable[[Value], str]
"""A function from values to their commitments."""


class Completion(enum.Enum):
    """How a clause completed: after a resume, without one, or without one and saying so."""

    RETURN = "return"
    ANSWER = "answer"
    ABORT = "abort"


class Closing(enum.Enum):
    """Why a selection was closed: dropped with a continuation, or unwound by a failure."""

    DROPPED = "dropped"
    FAILED = "failed"


@attrs.frozen(unsafe_hash=False)
class EffectDeclaration:
    """An operation was performed with this payload: the intent."""

    rule: ClassVar[str] = "core0.perform"
    operation: str
    payload: Value = attrs.field(eq=ByValue)


@attrs.frozen(unsafe_hash=False)
class HandlerSelection:
    """A clause was chosen for a declaration; its continuation captured so many open selections."""

    rule: ClassVar[str] = "frame.catch"
    declaration: int
    captured: int


@attrs.frozen(unsafe_hash=False)
class ResumptionHandle:
    """The selection's captured continuation exists."""

    rule: ClassVar[str] = "frame.catch"
    selection: int


@attrs.frozen(unsafe_hash=False)
class ContinuationResume:
    """The captured continuation was resumed with this value."""

    rule: ClassVar[str] = "body.resume"
    selection: int
    value: Value = attrs.field(eq=ByValue)


@attrs.frozen(unsafe_hash=False)
class ResumeReturn:
    """The resumed computation came back to the clause with this value."""

    rule: ClassVar[str] = "frame.resume_return"
    selection: int
    value: Value = attrs.field(eq=ByValue)


@attrs.frozen(unsafe_hash=False)
class EffectCapture:
    """The clause completed, in this way and with this value."""

    rule: ClassVar[str] = "frame.complete"
    how: Completion
    selection: int
    value: Value = attrs.field(eq=ByValue)


@attrs.frozen(unsafe_hash=False)
class SelectionClosed:
    """An open selection ended otherwise; `cause` is an EffectCapture's or a Failure's number."""

    rule: ClassVar[str] = "corea.close"
    why: Closing
    selection: int
    cause: int


@attrs.frozen(unsafe_hash=False)
class HostObservation:
    """The host answered a suspended declaration with this value: the outcome of the intent."""

    rule: ClassVar[str] = "host.observe"
    declaration: int
    value: Value = attrs.field(eq=ByValue)


@attrs.frozen(unsafe_hash=False)
class Failure:
    """The program failed."""

    rule: ClassVar[str] = "core0.err"
    reason: FailureReason


@attrs.frozen(unsafe_hash=False)
class RunEnd:
    """The run ended: completed with a value, or failed for a reason. A suspended run has no end."""

    rule: ClassVar[str] = "run.end"
    outcome: CompletedWith | FailureReason


@attrs.frozen(unsafe_hash=False)
class CompletedWith:
    """The value that a completed run ends with."""

    value: Value = attrs.field(eq=ByValue)


Record: TypeAlias = Union[
    EffectDeclaration,
    HandlerSelection,
    ResumptionHandle,
    ContinuationResume,
    ResumeReturn,
    EffectCapture,
    SelectionClosed,
    HostObservation,
    Failure,
    RunEnd,
]


class Tracer(Protocol):
    """Something that is told each record, in order, with the span of the term that it came from."""

    def __call__(self, number: int, record: Record, span: Span | None) -> None:
        """Take record `number`."""


def discard(number: int, record: Record, span: Span | None) -> None:
    """Do nothing: the default tracer."""


# ------------------------------------------------------------------------------------------------
# Refs


def skeleton(number: int, record: Record, commit: Commit = commitment) -> str:
    """Return a record's canonical JSON with each value replaced by its commitment (`trace.skeleton`)."""
    match record:
        case EffectDeclaration(operation, payload):
            return declaration_skeleton(number, quote(operation), commit(payload))
        case HandlerSelection(declaration, captured):
            return (
                f'{{"captured":{captured},"declaration":{declaration},'
                f'"record":"HandlerSelection","seq":{number}}}'
            )
        case ResumptionHandle(selection):
            return f'{{"record":"ResumptionHandle","selection":{selection},"seq":{number}}}'
        case ContinuationResume(selection, value) | ResumeReturn(selection, value):
            return resume_skeleton(type(record).__name__, number, selection, commit(value))
        case EffectCapture(how, selection, value):
            return capture_skeleton(how.value, number, selection, commit(value))
        case SelectionClosed(why, selection, cause):
            return (
                f'{{"cause":{cause},"record":"SelectionClosed","selection":{selection},'
                f'"seq":{number},"why":"{why.value}"}}'
            )
        case HostObservation(declaration, value):
            return (
                f'{{"declaration":{declaration},"record":"HostObservation",'
                f'"seq":{number},"value":"{commit(value)}"}}'
            )
        case Failure(reason):
            return f'{{{_reason(reason)},"record":"Failure","seq":{number}}}'
        case RunEnd(CompletedWith(value)):
            return f'{{"record":"RunEnd","seq":{number},"status":"completed","value":"{commit(value)}"}}'
        case RunEnd(FailureReason() as reason):
            return f'{{{_reason(reason)},"record":"RunEnd","seq":{number},"status":"failed"}}'
    raise TypeError(record)


def declaration_skeleton(number: int, quoted_operation: str, committed: str) -> str:
    """Return the skeleton of an EffectDeclaration from its ready parts."""
    return (
        f'{{"operation":{quoted_operation},"payload":"{committed}",'
        f'"record":"EffectDeclaration","seq":{number}}}'
    )


def resume_skeleton(record: str, number: int, selection: int, committed: str) -> str:
    """Return the skeleton of a ContinuationResume or ResumeReturn from its ready parts."""
    return f'{{"record":"{record}","selection":{selection},"seq":{number},"value":"{committed}"}}'


def capture_skeleton(how: str, number: int, selection: int, committed: str) -> str:
    """Return the skeleton of an EffectCapture from its ready parts."""
    return (
        f'{{"how":"{how}","record":"EffectCapture","selection":{selection},'
        f'"seq":{number},"value":"{committed}"}}'
    )


def _reason(reason: FailureReason) -> str:
    """Return the members of a failure's skeleton that come before `record`."""
    if reason.key is None:
        return f'"kind":"{reason.kind.value}"'
    return f'"key":{quote(reason.key)},"kind":"{reason.kind.value}"'


def next_ref(previous: str, record_skeleton: str) -> str:
    """Return the ref of a record: the digest of the previous ref, a line feed and its skeleton."""
    return "sha256:" + sha256(f"{previous}\n{record_skeleton}".encode()).hexdigest()
