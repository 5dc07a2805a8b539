"""What can go wrong, by whose doing.

Four things are kept apart. A *failure* is an outcome of the program (`FailureReason`); a *limit* that
is exceeded ends a run without an outcome (`LimitExceeded`); *malformed input* is the caller's or the
user's mistake (`MalformedInput`, `AnswerRefused`); and `CannotHappen` is a bug in Eclogue.
"""

from __future__ import annotations

import enum

import attrs


class FailureKind(enum.Enum):
    """The kinds of failure, and there are no others (rule `expr.failure`)."""

    UNBOUND = "unbound"
    TYPE = "type"
    KEY = "key"
    SCHEMA = "schema"


@attrs.frozen
class FailureReason:
    """Why a program failed: a kind, and for `key` the record key that is missing.

    This much is part of the semantics, the same in every reading; spans and explanations are not.
    """

    kind: FailureKind
    key: str | None = None

    def __str__(self) -> str:
        return self.kind.value if self.key is None else f"{self.kind.value}({self.key})"


UNBOUND = FailureReason(FailureKind.UNBOUND)
TYPE = FailureReason(FailureKind.TYPE)
SCHEMA = FailureReason(FailureKind.SCHEMA)


def missing_key(key: str) -> FailureReason:
    """Return the reason for projecting a key that the record does not have."""
    return FailureReason(FailureKind.KEY, key)


class EclogueError(Exception):
    """Base of the errors that Eclogue raises on purpose."""


class LimitExceeded(EclogueError):
    """A run would exceed a limit; it has no outcome and supports no claim (rule `limit.exhausted`).

    `limit` is a field name of `eclogue.core.limits.Limits`, `bound` its value in that field's unit.
    """

    def __init__(self, limit: str, bound: float) -> None:
        super().__init__(f"limit {limit} exceeded (bound {bound})")
        self.limit = limit
        self.bound = bound


class MalformedInput(EclogueError):
    """Bytes or a document that are not what they should be.

    `offset` counts characters from the start of the text, where that is known.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class AnswerRefused(EclogueError):
    """A host answer that fits no suspension: for another operation, or one too many (`host.observe`)."""


class CannotHappen(EclogueError):
    """An invariant of Eclogue itself is broken: a bug, never the user's doing."""
