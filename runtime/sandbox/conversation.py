"""The controller's side of a run: feeding the program, collecting what it writes, ending it when time is
up.
"""

from __future__ import annotations

import os
import selectors
import socket
import time
from collections.abc import Callable

import attrs

from eclogue.runtime.sandbox.interface import Finished, SandboxError
from eclogue.runtime.sandbox.launching import Ends, Launch
from eclogue.runtime.sandbox.messages import KILL, read_report

GRACE = 5.0
"""Seconds between asking a sandbox to end and ending it from outside."""
_CHUNK = 1 << 16

Wait = Callable[[float], None]
"""Waits until all of a sandbox is gone, and ends it from outside after so many seconds."""


@attrs.define
class _Kept:
    """The beginning of a stream, and the number of bytes that came after it."""

    most: int
    data: bytearray = attrs.field(factory=bytearray)
    dropped: int = 0

    def add(self, chunk: bytes) -> None:
        kept = chunk[: max(0, self.most - len(self.data))]
        self.data += kept
        self.dropped += len(chunk) - len(kept)


@attrs.frozen
class _Pipes:
    """Our ends of a run's pipes."""

    control: int
    stdin: int
    stdout: int
    stderr: int


class Conversation:
    """One run: its pipes, and the conversation with whoever watches over the program."""

    def __init__(self, launch: Launch, stdin: bytes) -> None:
        self.launch = launch
        self.unsent = memoryview(stdin)
        self.out = _Kept(launch.limits.output)
        self.err = _Kept(launch.limits.output)
        self.said = bytearray()
        self.timed_out = False
        self.selector = selectors.PollSelector()

    def carry_out(self, view: int, start: Callable[[Launch, Ends], Wait]) -> Finished:
        """Start the program, stay with it until everything is gone, and say how it ended."""
        started = time.monotonic()
        mine, theirs = _open(view)
        wait: Wait | None = None
        try:
            try:
                self._listen(mine)
                wait = start(self.launch, theirs)
            finally:
                for number in theirs.numbers()[1:]:
                    os.close(number)
            self._converse(mine.control, started)
        finally:
            for key in list(self.selector.get_map().values()):
                self._done_with(key.fd)
            self.selector.close()
            if wait is not None:
                wait(GRACE)
        return self._finished(time.monotonic() - started)

    def _listen(self, mine: _Pipes) -> None:
        self.selector.register(mine.control, selectors.EVENT_READ, self._hear)
        self.selector.register(
            mine.stdout, selectors.EVENT_READ, lambda number: self._collect(number, self.out)
        )
        self.selector.register(
            mine.stderr, selectors.EVENT_READ, lambda number: self._collect(number, self.err)
        )
        self.selector.register(mine.stdin, selectors.EVENT_WRITE, self._feed)

    def _converse(self, control: int, started: float) -> None:
        seconds = self.launch.limits.seconds
        deadline = None if seconds is None else started + seconds
        while self.selector.get_map():
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            for key, _ in self.selector.select(remaining):
                key.data(key.fd)
            if deadline is not None and time.monotonic() >= deadline:
                if self.timed_out:
                    raise SandboxError("the sandbox did not end when it was told to")
                self.timed_out = self._tell_to_end(control)
                deadline += GRACE

    def _tell_to_end(self, control: int) -> bool:
        """Ask for everything to end; False if it has ended by itself meanwhile."""
        if control not in self.selector.get_map():
            return False
        try:
            os.write(control, KILL)
        except OSError:
            return False
        return True

    def _done_with(self, number: int) -> None:
        self.selector.unregister(number)
        os.close(number)

    def _hear(self, number: int) -> None:
        try:
            words = os.read(number, _CHUNK)
        except ConnectionError:
            words = b""
        self.said += words
        if not words:
            self._done_with(number)

    def _collect(self, number: int, kept: _Kept) -> None:
        chunk = os.read(number, _CHUNK)
        if chunk:
            kept.add(chunk)
        else:
            self._done_with(number)

    def _feed(self, number: int) -> None:
        try:
            self.unsent = self.unsent[os.write(number, self.unsent[:_CHUNK]) :]
        except BrokenPipeError:
            self.unsent = memoryview(b"")
        if not self.unsent:
            self._done_with(number)

    def _finished(self, seconds: float) -> Finished:
        ended = read_report(bytes(self.said), self.launch.argv[0], self.launch.cwd)
        return Finished(
            code=ended.code,
            out=bytes(self.out.data),
            err=bytes(self.err.data),
            out_dropped=self.out.dropped,
            err_dropped=self.err.dropped,
            timed_out=self.timed_out and ended.killed,
            seconds=seconds,
            left_running=ended.left,
            exceeded=ended.exceeded,
        )


def _open(view: int) -> tuple[_Pipes, Ends]:
    """Open a run's pipes; raises `SandboxError`, and leaves nothing open then."""
    opened: list[int] = []
    try:
        opened += [end.detach() for end in socket.socketpair()]
        for _ in range(3):
            opened += os.pipe()
    except OSError as error:
        for number in opened:
            os.close(number)
        raise SandboxError(f"no pipes to a program can be opened: {error.strerror}") from None
    here, there, stdin, to_stdin, from_stdout, stdout, from_stderr, stderr = opened
    for number in (to_stdin, from_stdout, from_stderr):
        os.set_blocking(number, False)
    return _Pipes(here, to_stdin, from_stdout, from_stderr), Ends(view, there, stdin, stdout, stderr)
