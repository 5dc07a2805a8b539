"""What sandboxes, scopes and processes hand to one another: the types, and nothing that acts."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NewType, TypeAlias, Union

import attrs

StateName = NewType("StateName", str)
"""The name of a frozen file state of a world; what it stands for never changes."""


@attrs.frozen
class Availability:
    """Whether a provider can work here, and if not, why.

    `fidelity` says for each kind of state (files, processes, sockets, …) whether the provider keeps it:
    `yes`, `quiesced` (only when nothing runs) or `no`.
    """

    provider: str
    usable: bool
    reason: str | None = None
    details: Mapping[str, str] = attrs.field(factory=dict)
    fidelity: Mapping[str, str] = attrs.field(factory=dict)


class SandboxError(Exception):
    """A sandbox could not do what it was asked; the message says why, and the hint what would help.

    Nothing has been changed when it is raised, unless the message says otherwise.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ChangeKind(enum.Enum):
    """What became of a path between two file states."""

    ADDED = "added"
    REMOVED = "removed"
    CONTENT = "content"
    METADATA = "metadata"
    KIND = "kind"


@attrs.frozen
class Change:
    """A path that differs between two file states: relative, in bytes, without a leading slash."""

    path: bytes
    kind: ChangeKind
    before: str | None = None
    """For people: kind, mode and size of what was there; None if nothing was."""
    after: str | None = None


@attrs.frozen
class Conflict:
    """A path that both sides of a merge changed, differently; `kind` as in the model of files.

    The three texts describe what stands there at the fork point, in the parent and in the child.
    """

    path: bytes
    kind: str
    base: str | None
    ours: str | None
    theirs: str | None


@attrs.frozen
class Merged:
    """A merge was carried out; these paths changed in the parent."""

    changes: tuple[Change, ...]


@attrs.frozen
class Conflicts:
    """A merge was not carried out, and nothing was changed: these paths stand against it."""

    conflicts: tuple[Conflict, ...]


MergeResult: TypeAlias = Union[Merged, Conflicts]


@attrs.frozen
class ProcessLimits:
    """Bounds of one process and all that it starts. Seconds of wall time, bytes; None: no bound."""

    seconds: float | None = 60.0
    memory: int | None = None
    output: int = 1_000_000
    """Bytes of standard output, and of standard error, that are kept; the rest is counted and dropped."""
    processes: int | None = 512
    file_size: int | None = None


@attrs.frozen
class Finished:
    """How a process ended. `code` is its exit code, or minus the signal that killed it."""

    code: int
    out: bytes
    err: bytes
    out_dropped: int
    err_dropped: int
    timed_out: bool
    seconds: float
    left_running: int
    """Processes that were still alive when the first one ended, and were killed."""
    exceeded: str | None = None
    """The limit because of which everything was ended, besides time: `memory`."""
