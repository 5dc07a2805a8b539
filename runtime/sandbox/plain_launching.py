"""Running a program without isolation: for systems without namespaces, and only when it is asked for.

The program gets the given environment alone, the limits, and a process group of its own, which is killed
when the program ends, when it is told to, and when the controller is gone. It can do and reach all that
the user can, and what leaves its process group stays.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import select
import signal
from typing import NoReturn

from eclogue.runtime.sandbox.launching import Ends, Launch
from eclogue.runtime.sandbox.limits import apply_limits
from eclogue.runtime.sandbox.messages import KILL, Stage, reap, say, say_failed

_MILLISECONDS = 5
_ABOVE = 20


def start_plainly(launch: Launch, ends: Ends) -> NoReturn:
    """Watch over a program: to be called in a child that was just forked. Never returns."""
    control = ends.control
    try:
        gc.disable()
        os.setsid()
        ends = _only(ends)
        control = ends.control
        program = os.fork()
        if program == 0:
            _be_program(launch, ends)
        with contextlib.suppress(OSError):
            os.setpgid(program, program)
        for number in (ends.view, ends.stdin, ends.stdout, ends.stderr):
            os.close(number)
        _watch(program, control)
    except BaseException as error:
        say_failed(control, error)
    finally:
        os._exit(125)


def _only(ends: Ends) -> Ends:
    for handled in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(handled, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    moved = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for number in ends.numbers()]
    first = 0
    for number in sorted(moved):
        os.closerange(first, number)
        first = number + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
    for _ in range(3):
        os.open(os.devnull, os.O_RDWR)
    return Ends(*moved)


def _be_program(launch: Launch, ends: Ends) -> NoReturn:
    try:
        os.setpgid(0, 0)
        for place, number in enumerate((ends.stdin, ends.stdout, ends.stderr)):
            os.dup2(number, place)
        os.umask(0o022)
        apply_limits(launch.limits, alone=False)
        try:
            os.fchdir(ends.view)
            os.chdir(launch.cwd or b".")
        except OSError as error:
            raise Stage("directory", error) from None
        try:
            os.execvpe(launch.argv[0], launch.argv, dict(launch.env))
        except OSError as error:
            raise Stage("program", error) from None
    except BaseException as error:
        say_failed(ends.control, error)
    finally:
        os._exit(127)


def _watch(program: int, control: int) -> NoReturn:
    told = select.poll()
    told.register(control, select.POLLIN)
    status = None
    killed = False
    while status is None:
        if told.poll(_MILLISECONDS):
            os.read(control, len(KILL))
            killed = True
            break
        status = reap(program, os.WNOHANG)
    left = _end_group(program)
    if status is None:
        status = reap(program, 0)
    say(control, {"ended": status, "left": 0 if killed else left, "killed": killed, "exceeded": None})
    os._exit(0)


def _end_group(program: int) -> int:
    """Kill the program's group; return 1 if anything was left in it, however much it was."""
    try:
        os.killpg(program, signal.SIGKILL)
    except OSError:
        return 0
    return 1
