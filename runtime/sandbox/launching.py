"""What happens between a fork and a program in a sandbox: three processes, the last is the program.

`enter_and_exec` runs in a child that was just forked, by `process.run_in` or by the process that holds
the mounts. That child (the *gate*) leaves the host's namespaces and forks the first process of the new
pid namespace (the *init*), which builds the root, gives up every capability, forks the program and waits:
it reaps whatever ends, and when the program has ended, or when it is told to, or when the controller is
gone, it kills what is left. The kernel kills all processes of a pid namespace with its init, and the init
dies with the gate and the gate with the process that forked it, so that nothing outlives any of them.

What is said to the controller is described in `messages.py`.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import signal
import socket
import struct
from typing import NoReturn

import attrs

from eclogue.runtime.sandbox import landlock, seccomp, syscalls
from eclogue.runtime.sandbox.interface import ProcessLimits
from eclogue.runtime.sandbox.limits import apply_limits
from eclogue.runtime.sandbox.messages import Stage, say_failed
from eclogue.runtime.sandbox.system_view import HOST_NAME, INNER_ID, WORKSPACE, enter_view
from eclogue.runtime.sandbox.watching import Processes, watch

_ALWAYS = (
    syscalls.CLONE_NEWUSER
    | syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUTS
    | syscalls.CLONE_NEWCGROUP
)
_ABOVE = 20
"""Descriptors are moved to numbers from here on, so that 0, 1 and 2 are free."""


@attrs.frozen
class Launch:
    """A program to be started in a sandbox; a value that can be sent to another process."""

    argv: tuple[bytes, ...]
    env: tuple[tuple[bytes, bytes], ...]
    cwd: bytes
    """From /workspace, or absolute within the sandbox."""
    limits: ProcessLimits
    network: bool = False
    readable: tuple[bytes, ...] = ()

    def to_bytes(self) -> bytes:
        """Write it as JSON; names that are not text survive."""
        text = os.fsdecode
        return json.dumps(
            {
                "argv": [text(item) for item in self.argv],
                "env": [[text(name), text(value)] for name, value in self.env],
                "cwd": text(self.cwd),
                "limits": attrs.asdict(self.limits),
                "network": self.network,
                "readable": [text(path) for path in self.readable],
            }
        ).encode()

    @staticmethod
    def from_bytes(written: bytes) -> Launch:
        """Read what `to_bytes` wrote."""
        read = json.loads(written)
        raw = os.fsencode
        return Launch(
            argv=tuple(raw(item) for item in read["argv"]),
            env=tuple((raw(name), raw(value)) for name, value in read["env"]),
            cwd=raw(read["cwd"]),
            limits=ProcessLimits(**read["limits"]),
            network=read["network"],
            readable=tuple(raw(path) for path in read["readable"]),
        )


@attrs.frozen
class Ends:
    """The descriptors of a launch: the view, a socket to the controller, the program's three."""

    view: int
    control: int
    stdin: int
    stdout: int
    stderr: int

    def numbers(self) -> tuple[int, ...]:
        """Return them in the order of the fields."""
        return (self.view, self.control, self.stdin, self.stdout, self.stderr)


def prepare() -> None:
    """Work out, once, what every child needs and what does not depend on it; to be called before forks."""
    if seccomp.supported():
        seccomp.build(os.uname().machine)
    syscalls.landlock_version()


def enter_and_exec(launch: Launch, ends: Ends) -> NoReturn:
    """Be the gate: for a child that was just forked, has one thread, and has nothing else to do.

    Never returns. Whoever forked waits for this process; it ends when every process of the sandbox is gone.
    """
    control = ends.control
    try:
        gc.disable()
        syscalls.wipe_arguments()
        _no_signals_of_the_host()
        ends = _only(ends)
        control = ends.control
        _leave_namespaces(ends.view, launch.network)
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        inner = os.fork()
        if inner == 0:
            _be_init(launch, ends)
        syscalls.close_range(0)
        os.waitpid(inner, 0)
        os._exit(0)
    except BaseException as error:
        say_failed(control, error)
    finally:
        os._exit(125)


def _no_signals_of_the_host() -> None:
    """Leave the controller's session and its handlers; a signal to its process group does not reach us."""
    os.setsid()
    syscalls.forget_signal_handlers()
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _only(ends: Ends) -> Ends:
    """Move the descriptors out of the way and close every other one."""
    moved = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for number in ends.numbers()]
    first = 0
    for number in sorted(moved):
        if number > first:
            syscalls.close_range(first, number - 1)
        first = number + 1
    syscalls.close_range(first)
    for _ in range(3):
        os.open(os.devnull, os.O_RDWR)
    return Ends(*moved)


def _leave_namespaces(view: int, network: bool) -> None:
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        # The root of a user namespace may not be allowed to, and has nobody's groups to lose.
        with contextlib.suppress(PermissionError):
            os.setgroups(())
    # The current directory moves along into the new mount namespace, which a descriptor does not.
    os.fchdir(view)
    try:
        syscalls.unshare(_ALWAYS | (0 if network else syscalls.CLONE_NEWNET))
    except OSError as error:
        raise Stage("namespaces", error) from None
    try:
        _write(b"/proc/self/setgroups", b"deny")
        _write(b"/proc/self/uid_map", b"%d %d 1" % (INNER_ID, user))
        _write(b"/proc/self/gid_map", b"%d %d 1" % (INNER_ID, group))
    except OSError as error:
        raise Stage("identity", error) from None
    # This process and the init hold a copy of the controller's memory: not for the sandbox to look at.
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)


def _write(path: bytes, text: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text)
    finally:
        os.close(descriptor)


def _be_init(launch: Launch, ends: Ends) -> NoReturn:
    try:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        processes = _furnish(launch)
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGCHLD,))
        program = os.fork()
        if program == 0:
            _be_program(launch, ends)
        for number in (ends.view, ends.stdin, ends.stdout, ends.stderr):
            os.close(number)
        watch(program, ends.control, processes, launch.limits.memory)
    except BaseException as error:
        say_failed(ends.control, error)
    finally:
        os._exit(125)


def _furnish(launch: Launch) -> Processes:
    """Make the root, give up all capabilities; return all its processes, those hidden inside too."""
    limits = launch.limits
    try:
        socket.sethostname(HOST_NAME)
        if not launch.network:
            _raise_loopback()
        processes = Processes(syscalls.detached_proc())
        enter_view(
            network=launch.network,
            readable=launch.readable,
            scratch=limits.memory,
            most_processes=limits.processes,
        )
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        syscalls.drop_capabilities()
        return processes
    except OSError as error:
        raise Stage("view", error) from None


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH22x", b"lo", 0x1 | 0x40)  # IFF_UP, IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8914, request)  # SIOCSIFFLAGS


def _be_program(launch: Launch, ends: Ends) -> NoReturn:
    try:
        os.setsid()
        for place, number in enumerate((ends.stdin, ends.stdout, ends.stderr)):
            os.dup2(number, place)
        syscalls.close_range(3, flags=syscalls.CLOSE_RANGE_CLOEXEC)
        os.umask(0o022)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        apply_limits(launch.limits, alone=True)
        _restrict()
        _change_directory(launch.cwd)
        _execute(launch)
    except BaseException as error:
        say_failed(ends.control, error)
    finally:
        os._exit(127)


def _restrict() -> None:
    try:
        landlock.restrict(syscalls.landlock_version())
        seccomp.install()
    except OSError as error:
        raise Stage("filter", error) from None


def _change_directory(cwd: bytes) -> None:
    try:
        os.chdir(WORKSPACE)
        if cwd:
            os.chdir(cwd)
    except OSError as error:
        raise Stage("directory", error) from None


def _execute(launch: Launch) -> NoReturn:
    try:
        os.execvpe(launch.argv[0], launch.argv, dict(launch.env))
    except OSError as error:
        raise Stage("program", error) from None
