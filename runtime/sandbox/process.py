"""Running a program inside a view of a workspace, in namespaces of its own, within limits.

`run_in` is the whole interface. What the program sees is described in `system_view.py`, what is refused
to it in `seccomp.py` and `landlock.py`, who watches over it in `launching.py`; what is not claimed in
docs/sandbox.md.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import attrs

from eclogue.runtime.sandbox.interface import Finished, ProcessLimits, SandboxError
from eclogue.runtime.sandbox.launching import KILL, Ends, Launch, enter_and_exec, prepare
from eclogue.runtime.sandbox.messages import read_report

BASE_ENVIRONMENT: Mapping[str, str] = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
}
"""All that a program finds in its environment besides what it is given; nothing comes from the host's."""

_GRACE = 5.0
"""Seconds between asking the sandbox to end and ending it from outside."""
_CHUNK = 1 << 16

Text = str | bytes


class Spawner(Protocol):
    """Whoever forks: the process that holds the mounts, where the view is visible only there."""

    def spawn(self, launch: Launch, ends: Ends) -> int:
        """Fork, call `enter_and_exec(launch, ends)` in the child, and return a pidfd of the child.

        The spawner reaps the child. The descriptors stay the caller's.
        """
        ...


@attrs.frozen
class ViewHandle:
    """A view in which processes can run: a descriptor of its root, and who forks (None: the caller)."""

    directory: int
    spawner: Spawner | None = None


def run_in(
    view: ViewHandle,
    argv: Sequence[Text],
    *,
    env: Mapping[str, str] | Mapping[bytes, bytes] | None = None,
    cwd: Text = b"",
    stdin: bytes = b"",
    limits: ProcessLimits | None = None,
    network: bool = False,
    readable: Sequence[Path] = (),
) -> Finished:
    """Run a program in a sandbox and wait until it, and everything that it started, is gone.

    `env` is added to `BASE_ENVIRONMENT`; `cwd` is relative to the workspace, or absolute within the
    sandbox; `readable` are paths of the host that are shown as well, read-only, at the same place. With
    `network` the sandbox shares the host's network, its loopback included. Raises `CannotStart` if there
    is no such program or directory, and `SandboxError` if the sandbox itself cannot be made.
    """
    launch = Launch(
        argv=tuple(_raw(item) for item in argv),
        env=_environment(env or {}),
        cwd=_raw(cwd),
        limits=limits or ProcessLimits(),
        network=network,
        readable=tuple(os.fsencode(path) for path in readable),
    )
    _check(launch)
    return _Run(launch, stdin).carry_out(view)


def _raw(text: Text) -> bytes:
    return os.fsencode(text)


def _environment(given: Mapping[str, str] | Mapping[bytes, bytes]) -> tuple[tuple[bytes, bytes], ...]:
    named = {os.fsencode(name): os.fsencode(value) for name, value in BASE_ENVIRONMENT.items()}
    named.update((os.fsencode(name), os.fsencode(value)) for name, value in given.items())
    return tuple(named.items())


def _check(launch: Launch) -> None:
    if not launch.argv or not launch.argv[0]:
        raise SandboxError("there is no program to run: argv is empty")
    texts = [*launch.argv, launch.cwd, *(text for pair in launch.env for text in pair)]
    if any(b"\0" in text for text in texts):
        raise SandboxError("an argument, a variable or the directory contains a NUL byte")
    if any(not name or b"=" in name for name, _ in launch.env):
        raise SandboxError("a variable's name is empty or contains '='")
    for path in launch.readable:
        if not path.startswith(b"/") or os.path.normpath(path) == b"/":
            raise SandboxError(f"{os.fsdecode(path)} cannot be shown: name an absolute path that is not /")
        if path.split(b"/")[1] in (b"workspace", b"proc", b"dev"):
            raise SandboxError(f"{os.fsdecode(path)} cannot be shown: a sandbox has its own folder there")


class _Kept:
    """The beginning of a stream, and the number of bytes that came after it."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.data = bytearray()
        self.dropped = 0

    def add(self, chunk: bytes) -> None:
        kept = chunk[: max(0, self.most - len(self.data))]
        self.data += kept
        self.dropped += len(chunk) - len(kept)


class _Run:
    """One run: its pipes, and the conversation with the sandbox's init."""

    def __init__(self, launch: Launch, stdin: bytes) -> None:
        self.launch = launch
        self.unsent = memoryview(stdin)
        self.out = _Kept(launch.limits.output)
        self.err = _Kept(launch.limits.output)
        self.reports: list[bytes] = []
        self.timed_out = False
        self.selector = selectors.DefaultSelector()

    def carry_out(self, view: ViewHandle) -> Finished:
        started = time.monotonic()
        mine, theirs = self._open()
        self.control = mine[0]
        gate = None
        try:
            gate = _Gate.start(view, self.launch, Ends(view.directory, *theirs))
            for number in theirs:
                os.close(number)
            theirs = ()
            self._converse(mine, started)
        finally:
            for number in (*theirs, *(key.fd for key in list(self.selector.get_map().values()))):
                os.close(number)
            self.selector.close()
            if gate is not None:
                gate.wait(_GRACE)
        return self._finished(time.monotonic() - started)

    def _open(self) -> tuple[tuple[int, int, int, int], tuple[int, ...]]:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        stdin, to_stdin = os.pipe2(os.O_CLOEXEC)
        from_out, out = os.pipe2(os.O_CLOEXEC)
        from_err, err = os.pipe2(os.O_CLOEXEC)
        for number in (to_stdin, from_out, from_err):
            os.set_blocking(number, False)
        return (here.detach(), to_stdin, from_out, from_err), (there.detach(), stdin, out, err)

    def _converse(self, mine: tuple[int, int, int, int], started: float) -> None:
        control, stdin, out, err = mine
        self.selector.register(control, selectors.EVENT_READ, self._hear)
        self.selector.register(out, selectors.EVENT_READ, lambda number: self._collect(number, self.out))
        self.selector.register(err, selectors.EVENT_READ, lambda number: self._collect(number, self.err))
        self.selector.register(stdin, selectors.EVENT_WRITE, self._feed)
        seconds = self.launch.limits.seconds
        deadline = None if seconds is None else started + seconds
        while self.selector.get_map():
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready = self.selector.select(remaining)
            for key, _ in ready:
                key.data(key.fd)
            if deadline is not None and time.monotonic() >= deadline:
                if self.timed_out:
                    raise SandboxError("the sandbox did not end when it was told to")
                self.timed_out = self._tell_to_end()
                deadline += _GRACE

    def _tell_to_end(self) -> bool:
        """Ask the init to end everything; False if it has ended by itself meanwhile."""
        try:
            os.write(self.control, KILL)
        except OSError:
            return False
        return True

    def _done_with(self, number: int) -> None:
        self.selector.unregister(number)
        os.close(number)

    def _hear(self, number: int) -> None:
        try:
            packet = os.read(number, _CHUNK)
        except ConnectionError:
            packet = b""
        if packet:
            self.reports.append(packet)
        else:
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
        ended = read_report(self.reports, self.launch.argv[0], self.launch.cwd)
        return Finished(
            code=ended.code,
            out=bytes(self.out.data),
            err=bytes(self.err.data),
            out_dropped=self.out.dropped,
            err_dropped=self.err.dropped,
            timed_out=self.timed_out and ended.killed,
            seconds=seconds,
            left_running=ended.left,
        )


@attrs.frozen
class _Gate:
    """The process that was forked for a run, by us or by a spawner."""

    pidfd: int
    pid: int | None

    @staticmethod
    def start(view: ViewHandle, launch: Launch, ends: Ends) -> _Gate:
        if view.spawner is not None:
            return _Gate(view.spawner.spawn(launch, ends), None)
        prepare()
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            pid = os.fork()
            if pid == 0:
                enter_and_exec(launch, ends)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        return _Gate(os.pidfd_open(pid), pid)

    def wait(self, grace: float) -> None:
        """Wait until it has ended; end it after `grace` seconds."""
        try:
            if not _ends_within(self.pidfd, grace):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
                _ends_within(self.pidfd, None)
            if self.pid is not None:
                os.waitpid(self.pid, 0)
        except (ChildProcessError, ProcessLookupError):
            return
        finally:
            os.close(self.pidfd)


def _ends_within(pidfd: int, seconds: float | None) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(pidfd, selectors.EVENT_READ)
        return bool(selector.select(seconds))
