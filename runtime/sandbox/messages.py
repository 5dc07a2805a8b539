"""What the init of a sandbox reports, read: how the program ended, or why it could not be started."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from typing import Any

import attrs

from eclogue.runtime.sandbox.interface import SandboxError


class CannotStart(SandboxError):
    """A program could not be started; the sandbox itself is in order.

    `reason` is `no-program`, `not-executable` or `no-directory`.
    """

    def __init__(self, message: str, hint: str | None = None, reason: str = "no-program") -> None:
        super().__init__(message, hint)
        self.reason = reason


@attrs.frozen
class Ended:
    """How a program ended: its exit code or minus its signal, and how many processes it left."""

    code: int
    left: int
    killed: bool
    """Whether the init ended it because it was told to."""


_STAGES: dict[str, tuple[str, str | None]] = {
    "namespaces": (
        "a sandbox for processes needs namespaces of its own, and the kernel refuses them: {text}",
        "see `eclogue doctor`; in a container, allow unprivileged user namespaces",
    ),
    "identity": (
        "the kernel refuses to map this user into the sandbox: {text}",
        "a process that has changed its user id must be dumpable",
    ),
    "view": ("the sandbox's root could not be made: {text}", "see `eclogue doctor`"),
    "filter": ("the filter of system calls could not be put up: {text}", "see `eclogue doctor`"),
    "launch": ("the sandbox's first process failed: {text}", None),
}


def read_report(packets: Sequence[bytes], program: bytes, cwd: bytes) -> Ended:
    """Read all packets of one run. Raises `CannotStart` and `SandboxError`."""
    reports = [json.loads(packet) for packet in packets]
    for report in reports:
        if "failed" in report:
            raise _error(report["failed"], os.fsdecode(program), os.fsdecode(cwd))
    for report in reports:
        if "ended" in report:
            return Ended(report["ended"], report["left"], report["killed"])
    raise SandboxError("the sandbox's first process was ended from outside", "was there enough memory?")


def _error(failed: dict[str, Any], program: str, cwd: str) -> SandboxError:
    stage, number, text = failed["stage"], failed["errno"], failed["text"]
    if stage == "directory":
        return CannotStart(
            f"cannot work in {cwd!r}: {text}", "it is sought from /workspace", "no-directory"
        )
    if stage == "program" and number in (errno.ENOENT, errno.ENOTDIR):
        hint = "only /usr, /bin, /lib and the workspace are there, and what is shown as `readable`"
        return CannotStart(f"there is no program {program!r} in the sandbox", hint)
    if stage == "program":
        return CannotStart(f"cannot execute {program!r}: {text}", None, "not-executable")
    message, advice = _STAGES[stage]
    return SandboxError(message.format(text=text), advice)
