"""Outcomes of a program (SPEC §6), common to both readings, and the host's answers."""

from __future__ import annotations

from typing import TypeAlias, Union

import attrs

from eclogue.core.errors import FailureReason
from eclogue.core.syntax import Span
from eclogue.core.values import ByValue, Value


@attrs.frozen(unsafe_hash=False)
class Completed:
    """The program returned this value."""

    value: Value = attrs.field(eq=ByValue)


@attrs.frozen(unsafe_hash=False)
class Suspended:
    """An operation that no handler catches reached the top: a request to the host."""

    operation: str
    payload: Value = attrs.field(eq=ByValue)
    span: Span | None = attrs.field(default=None, eq=False)


@attrs.frozen(unsafe_hash=False)
class Failed:
    """The program failed. `span` and `detail` explain it to people and are not part of the semantics."""

    reason: FailureReason
    span: Span | None = attrs.field(default=None, eq=False)
    detail: str | None = attrs.field(default=None, eq=False)


@attrs.frozen(unsafe_hash=False)
class Exhausted:
    """Not an outcome: the run exceeded `limit` (a field of `Limits`), and nothing can be said."""

    limit: str
    bound: float


Outcome: TypeAlias = Union[Completed, Suspended, Failed]


@attrs.frozen(unsafe_hash=False)
class HostAnswer:
    """What the host answers to a suspension; `operation`, if given, must be the one that waits."""

    value: Value = attrs.field(eq=ByValue)
    operation: str | None = None
