"""Run Lean in a child process, and say in one of few words how that went.

What a run reports is either Lean's messages or a *trouble*: the run then says nothing about what it was
given, and whoever asked must answer `unknown`.
"""

from __future__ import annotations

import enum
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Literal

import attrs

MEBI = 1 << 20
GIBI = 1 << 30

CHILD = Path(__file__).resolve().parent / "child.py"
"""The script that a child process starts with."""

_STACK = GIBI
"""Address space that Lean reserves for the stack of one thread."""


class Trouble(enum.Enum):
    """Why a run of Lean says nothing."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASH = "crash"
    KILLED = "killed"
    OUTPUT = "output"
    UNPARSABLE = "unparsable"
    SILENT = "silent"


@attrs.frozen(kw_only=True)
class ChildLimits:
    """How far one run may go: wall-clock seconds, bytes of memory, bytes of any file, threads.

    Its output is such a file, and so is a compiled module.
    """

    seconds: float = 600.0
    memory: int = 8 * GIBI
    output: int = 256 * MEBI
    threads: int = 2


@attrs.frozen(kw_only=True)
class Message:
    """One message of Lean; `line` counts from 1, `column` in characters from 0; `kind` is Lean's word."""

    severity: Literal["information", "warning", "error"]
    line: int
    column: int
    text: str
    kind: str = ""

    @property
    def limit(self) -> bool:
        """Whether Lean gave up here, so that this is no refusal."""
        return self.kind in _LIMIT_KINDS or self.text in _KERNEL_LIMITS


_LIMIT_KINDS = {"runtime.maxRecDepth", "runtime.maxHeartbeats"}
"""The kinds that the elaborator gives to messages about its own limits."""
_KERNEL_LIMITS = {
    "(kernel) deep recursion detected",
    "(kernel) deep recursion detected, use `set_option maxRecDepth <num>` to increase the limit",
    "(kernel) deterministic timeout",
}
"""What the kernel says, and nothing else in the message, when it gives up; it gives no kind to that."""


@attrs.frozen(kw_only=True)
class LeanRun:
    """How a run went. If `trouble` is set, `detail` explains it and the rest is not evidence."""

    code: int
    messages: tuple[Message, ...]
    seconds: float
    trouble: Trouble | None = None
    detail: str = ""

    def of(self, severity: str) -> list[Message]:
        """Return the messages of one severity."""
        return [message for message in self.messages if message.severity == severity]


@attrs.frozen(kw_only=True)
class Finished:
    """What a child left: its exit code (None if it ran out of time), what it wrote, its seconds."""

    code: int | None
    output: bytes
    complete: bool
    errors: str
    seconds: float


def run_child(
    kind: Literal["executable", "library"],
    location: Path,
    arguments: Sequence[str],
    *,
    search_path: Sequence[Path] = (),
    directory: Path | None = None,
    limits: ChildLimits,
) -> Finished:
    """Run Lean once. `search_path`: folders with compiled modules; `directory`: where the child works.

    The output goes to unnamed files, so that a child that writes without end fills no memory here.
    """
    command = [
        sys.executable,
        *("-I", "-S", str(CHILD), kind, str(location)),
        str(limits.memory + (limits.threads + 6) * _STACK),
        str(limits.output + MEBI),
        *arguments,
    ]
    started = time.monotonic()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd=directory,
            env=_environment(search_path),
        )
        try:
            code: int | None = process.wait(timeout=limits.seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        seconds = time.monotonic() - started
        written, complete = _read(output, limits.output)
        complaint, _ = _read(errors, 64 * 1024)
    return Finished(
        code=code,
        output=written,
        complete=complete,
        errors=complaint.decode(errors="replace").strip(),
        seconds=seconds,
    )


def _environment(search_path: Sequence[Path]) -> dict[str, str]:
    """Return the child's environment: nothing of ours that would change what Lean does."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("LEAN")}
    if search_path:
        kept["LEAN_PATH"] = os.pathsep.join(map(str, search_path))
    return kept


def _read(file: IO[bytes], bound: int) -> tuple[bytes, bool]:
    """Return what was written, up to `bound` bytes, and whether that is all."""
    file.seek(0)
    data = file.read(bound + 1)
    return data[:bound], len(data) <= bound


def interpret(finished: Finished, limits: ChildLimits) -> LeanRun:
    """Return what a run with `--json` says: Lean's messages, or the trouble that it had."""
    messages, unparsable = _messages(finished.output) if finished.complete else ((), None)
    trouble, detail = _trouble(finished, messages, unparsable, limits)
    return LeanRun(
        code=-1 if finished.code is None else finished.code,
        messages=messages,
        seconds=finished.seconds,
        trouble=trouble,
        detail=detail,
    )


_MEMORY_COMPLAINTS = ("out of memory", "failed to create thread", "bad_alloc")
"""What stands on standard error when a child came to a bad end for want of memory."""
_MEMORY_MESSAGE = re.compile(r"(?:\([a-z]+\) )?excessive memory consumption detected(?: at '[^'\n]*' .*)?")
"""The whole of a message with which Lean gives up."""


def _trouble(
    finished: Finished, messages: tuple[Message, ...], unparsable: str | None, limits: ChildLimits
) -> tuple[Trouble | None, str]:
    code, complaint = finished.code, _last_line(finished.errors)
    if code is None:
        return Trouble.TIMEOUT, f"Lean did not finish within {limits.seconds:g} s"
    if not finished.complete:
        return Trouble.OUTPUT, f"Lean wrote more than {limits.output // MEBI} MiB"
    said = [message.text for message in messages if message.severity == "error"]
    bad_end = code < 0 or (code != 0 and not said)
    complained = bad_end and any(words in finished.errors for words in _MEMORY_COMPLAINTS)
    if complained or any(_MEMORY_MESSAGE.fullmatch(text) for text in said):
        return Trouble.MEMORY, f"Lean needs more than {limits.memory // MEBI} MiB of memory"
    if code < 0:
        trouble = Trouble.KILLED if -code in (signal.SIGKILL, signal.SIGTERM) else Trouble.CRASH
        return trouble, f"Lean was ended by signal {_signal_name(-code)}{complaint}"
    if unparsable is not None:
        return Trouble.UNPARSABLE, f"Lean wrote a line that is not one of its messages: {unparsable}"
    if code != 0 and not said:
        return Trouble.CRASH, f"Lean ended with exit code {code} and no error message{complaint}"
    if finished.errors and code == 0:
        return Trouble.UNPARSABLE, f"Lean succeeded and yet wrote to standard error{complaint}"
    return None, ""


def _messages(output: bytes) -> tuple[tuple[Message, ...], str | None]:
    """Return the messages, and the first line that is none."""
    found = []
    for line in output.splitlines():
        try:
            data = json.loads(line)
            found.append(
                Message(
                    severity=_severity(data["severity"]),
                    line=int(data["pos"]["line"]),
                    column=int(data["pos"]["column"]),
                    text=_text(data["data"]),
                    kind=_text(data.get("kind", "")),
                )
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return tuple(found), line[:120].decode(errors="replace")
    return tuple(found), None


def _severity(word: object) -> Literal["information", "warning", "error"]:
    if word == "information":
        return "information"
    if word == "warning":
        return "warning"
    if word == "error":
        return "error"
    raise ValueError(word)


def _text(data: object) -> str:
    if not isinstance(data, str):
        raise TypeError(data)
    return data


def _last_line(complaint: str) -> str:
    """Return the end of what was written to standard error, as a continuation of a sentence."""
    return f": {complaint.splitlines()[-1][:300]}" if complaint else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
