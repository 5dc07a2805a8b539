"""The init of a sandbox while the program runs: it reaps, looks at the memory of all, and ends
everything.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from typing import NoReturn

import attrs

from eclogue.runtime.sandbox import syscalls
from eclogue.runtime.sandbox.messages import KILL, reap, say

_LOOK = 50
"""Milliseconds between looks at the memory of all processes, where it is bounded."""


@attrs.frozen
class Processes:
    """All processes of a pid namespace, read from a /proc of it; we are the first of them."""

    proc: int

    def numbers(self) -> list[int]:
        """Return their numbers, without ours."""
        return [int(name) for name in os.listdir(self.proc) if name.isdigit() and name != "1"]

    def alive(self, number: int) -> bool:
        """Whether a process is there and has not ended."""
        return self._read(number, "stat").rpartition(b")")[2].split()[:1] not in ([], [b"Z"], [b"X"])

    def memory(self, bound: int) -> int:
        """Return the bytes of memory of all of them that no file backs.

        What several share is counted once only above the bound: finding out what they share costs more.
        """
        numbers = self.numbers()
        total = sum(self._sum(number, "status", (b"RssAnon", b"RssShmem")) for number in numbers)
        if total <= bound:
            return total
        return sum(self._sum(number, "smaps_rollup", (b"Pss_Anon", b"Pss_Shmem")) for number in numbers)

    def _sum(self, number: int, name: str, kinds: tuple[bytes, ...]) -> int:
        """Return the bytes of these kinds, of which the file says kilobytes."""
        lines = (line.partition(b":") for line in self._read(number, name).splitlines())
        return sum(int(rest.split()[0]) * 1024 for kind, _, rest in lines if kind in kinds)

    def _read(self, number: int, name: str) -> bytes:
        try:
            descriptor = os.open(f"{number}/{name}", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc)
        except OSError:
            return b""
        try:
            return os.read(descriptor, 1 << 14)
        except OSError:
            return b""
        finally:
            os.close(descriptor)


def watch(program: int, control: int, processes: Processes, memory: int | None) -> NoReturn:
    """Wait for the program's end, a word of the controller or too much memory; end everything and
    report.
    """
    children = syscalls.signal_descriptor(signal.SIGCHLD)
    waiting = select.poll()
    waiting.register(children, select.POLLIN)
    waiting.register(control, select.POLLIN)
    status, killed, exceeded = None, False, None
    while status is None and not killed and exceeded is None:
        ready = {number for number, _ in waiting.poll(None if memory is None else _LOOK)}
        if control in ready:
            if os.read(control, len(KILL)) != KILL:
                os._exit(0)
            killed = True
        elif children in ready:
            os.read(children, 128 * 16)
            status = reap(program, os.WNOHANG)
        elif memory is not None and processes.memory(memory) > memory:
            exceeded = "memory"
    left = sum(processes.alive(number) for number in processes.numbers() if number != program)
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    last = reap(program, 0)
    code = last if status is None else status
    say(control, {"ended": code, "left": left, "killed": killed, "exceeded": exceeded})
    os._exit(0)
