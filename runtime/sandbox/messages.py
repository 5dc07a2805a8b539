"""What those who watch over a program report to the controller, said and read.

A report is a line, a JSON object: `{"failed": {"stage", "errno", "text"}}` if the program could not be
started, `{"ended": code, "left": number, "killed": bool, "exceeded": limit}` when it has ended. The
controller says one thing: `KILL`.
"""

from __future__ import annotations

import errno
import json
import os
from typing import Any

import attrs

from eclogue.runtime.sandbox.interface import SandboxError

KILL = b"kill"
"""What the controller says to end everything."""


class Stage(Exception):
    """What was being done in a child when the system refused something."""

    def __init__(self, stage: str, error: OSError) -> None:
        super().__init__(stage)
        self.stage = stage
        self.error = error


def say_failed(control: int, error: BaseException) -> None:
    """Report that the program could not be started."""
    stage, number, text = "launch", 0, f"{type(error).__name__}: {error}"
    if isinstance(error, Stage):
        stage, number, text = error.stage, error.error.errno or 0, error.error.strerror or str(error.error)
    say(control, {"failed": {"stage": stage, "errno": number, "text": text}})


def say(control: int, message: object) -> None:
    """Report something; that nobody listens any more is no error."""
    try:
        os.write(control, json.dumps(message).encode() + b"\n")
    except OSError:
        return


def reap(program: int, flags: int) -> int | None:
    """Collect children that have ended (without WNOHANG: all); return how the program ended, if it did."""
    found = None
    while True:
        try:
            child, status = os.waitpid(-1, flags)
        except ChildProcessError:
            return found
        if child == 0:
            return found
        if child == program:
            found = os.waitstatus_to_exitcode(status)


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
    """Whether it was ended because the controller said so."""
    exceeded: str | None
    """The limit because of which it was ended: `memory`."""


_STAGES: dict[str, tuple[str, str | None]] = {
    "namespaces": (
        "a sandbox for processes needs namespaces of its own, and the kernel refuses them: {text}",
        "see `eclogue doctor`; in a container, allow unprivileged user namespaces",
    ),
    "identity": (
        "the kernel refuses to map this user into the sandbox: {text}",
        "a process that has changed its user id must be dumpable",
    ),
    "elsewhere": (
        "the view is not mounted where the program was to be started",
        "a view that is mounted in another namespace needs that namespace's process to start programs",
    ),
    "view": ("the sandbox's root could not be made: {text}", "see `eclogue doctor`"),
    "filter": ("the filter of system calls could not be put up: {text}", "see `eclogue doctor`"),
    "launch": ("the sandbox's first process failed: {text}", None),
}


def read_report(said: bytes, program: bytes, cwd: bytes) -> Ended:
    """Read all that was reported of one run. Raises `CannotStart` and `SandboxError`."""
    reports = [json.loads(line) for line in said.splitlines()]
    for report in reports:
        if "failed" in report:
            raise _error(report["failed"], os.fsdecode(program), os.fsdecode(cwd))
    for report in reports:
        if "ended" in report:
            return Ended(report["ended"], report["left"], report["killed"], report["exceeded"])
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
