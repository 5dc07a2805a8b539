"""The controller is killed while a sandbox starts, runs or ends: nothing of the sandbox stays.

The test's child is made the reaper of all its descendants, so that whatever outlives the controller
becomes its child, and can be counted.
"""

from __future__ import annotations

import mmap
import os
import random
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest
from support.boxed import Boxed
from support.users import become_reaper, everybody_ends

from eclogue.runtime.sandbox import launching, syscalls, system_view, watching
from eclogue.runtime.sandbox.interface import ProcessLimits, SandboxError
from eclogue.runtime.sandbox.process import ViewHandle, run_in

LASTING = "sleep 1000 & setsid sleep 1000 & (trap '' TERM HUP; while :; do sleep 0.001; done) & wait"
SHORT = "setsid sleep 1000 & sleep 0.002"
POINTS = 60


def start(view: ViewHandle, script: str) -> int:
    """Fork a controller that runs the script in the view."""
    controller = os.fork()
    if controller == 0:
        try:
            run_in(view, ["/bin/sh", "-c", script], limits=ProcessLimits(seconds=None))
        finally:
            os._exit(0)
    return controller


def mounts() -> str:
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


@pytest.mark.parametrize("script", [LASTING, SHORT], ids=["while it runs", "from start to end"])
def test_killed_at_random_points(box: Boxed, script: str) -> None:
    def crashes(view: ViewHandle) -> tuple[list[float], bool]:
        become_reaper()
        before, chance = mounts(), random.Random(5)
        survived = []
        for _ in range(POINTS):
            moment = chance.uniform(0.0, 0.025)
            controller = start(view, script)
            time.sleep(moment)
            os.kill(controller, signal.SIGKILL)
            if not everybody_ends():
                survived.append(moment)
        return survived, before == mounts()

    assert box.do(crashes) == ([], True)


STAGES: tuple[tuple[Any, str], ...] = (
    (launching, "_no_signals_of_the_host"),
    (launching, "_only"),
    (launching, "_leave_namespaces"),
    (launching, "_be_init"),
    (launching, "_furnish"),
    (launching, "enter_view"),
    (system_view, "_new_root"),
    (system_view, "_private_mounts"),
    (system_view, "_leave_the_host"),
    (syscalls, "drop_capabilities"),
    (launching, "_be_program"),
    (launching, "apply_limits"),
    (launching, "_restrict"),
    (launching, "_execute"),
    (launching, "watch"),
    (watching.Processes, "numbers"),
    (watching, "say"),
)


class Stop:
    """A place at which a process of the sandbox waits until its controller has been killed."""

    def __init__(self) -> None:
        self.shared = mmap.mmap(-1, 2)

    def at(self, module: Any, name: str) -> None:
        """Let the function of this name wait before it does its work."""
        function: Callable[..., Any] = getattr(module, name)

        def waiting(*arguments: Any, **named: Any) -> Any:
            self.shared[0] = 1
            while not self.shared[1]:
                time.sleep(0.0005)
            return function(*arguments, **named)

        setattr(module, name, waiting)

    def reached(self) -> bool:
        """Wait until a process is there."""
        deadline = time.monotonic() + 20
        while not self.shared[0] and time.monotonic() < deadline:
            time.sleep(0.0005)
        return bool(self.shared[0])

    def go_on(self) -> None:
        self.shared[1] = 1


@pytest.mark.parametrize(("module", "name"), STAGES, ids=[name for _, name in STAGES])
def test_killed_at_each_stage(box: Boxed, module: Any, name: str) -> None:
    def crash(view: ViewHandle) -> tuple[bool, bool]:
        become_reaper()
        stop = Stop()
        stop.at(module, name)
        controller = start(view, "setsid sleep 1000 & sleep 0.01")
        reached = stop.reached()
        os.kill(controller, signal.SIGKILL)
        os.waitpid(controller, 0)
        stop.go_on()
        return reached, everybody_ends()

    assert box.do(crash) == (True, True)


@pytest.mark.parametrize("whom", ["gate", "init"])
def test_a_sandbox_whose_own_processes_are_killed_is_an_error_and_leaves_nothing(
    box: Boxed, whom: str
) -> None:
    def crash(view: ViewHandle) -> tuple[str, bool]:
        become_reaper()
        us = os.getpid()
        killer = os.fork()
        if killer == 0:
            kill_descendant(us, 1 if whom == "gate" else 2)
            os._exit(0)
        with pytest.raises(SandboxError) as caught:
            run_in(view, ["/bin/sh", "-c", LASTING])
        return caught.value.message, everybody_ends()

    assert box.do(crash) == ("the sandbox's first process was ended from outside", True)


def kill_descendant(ancestor: int, depth: int) -> None:
    """Kill the child (1) or grandchild (2) of a process that belongs to a sandbox in which a shell runs."""
    while True:
        for path in descendants(ancestor):
            if len(path) >= 3 and os.getpid() not in path and name_of(path[2]) in ("sh", "dash", "bash"):
                os.kill(path[depth - 1], signal.SIGKILL)
                return
        time.sleep(0.001)


def descendants(ancestor: int, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Return the path of pids to each descendant."""
    last = path[-1] if path else ancestor
    try:
        with open(f"/proc/{last}/task/{last}/children", encoding="utf-8") as file:
            children = [int(number) for number in file.read().split()]
    except OSError:
        return []
    return [
        longer for child in children for longer in [(*path, child), *descendants(ancestor, (*path, child))]
    ]


def name_of(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def test_an_interrupted_controller_ends_the_sandbox(box: Boxed) -> None:
    def interrupt(view: ViewHandle) -> tuple[bool, bool]:
        become_reaper()
        signal.signal(signal.SIGALRM, _raise_interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            run_in(view, ["/bin/sh", "-c", LASTING])
        return everybody_ends(), True

    assert box.do(interrupt) == (True, True)


def _raise_interrupt(*_: object) -> None:
    raise KeyboardInterrupt
