"""Running a program inside a view of a workspace, in namespaces of its own, within limits.

`run_in` is the whole interface. What the program sees is described in `system_view.py`, what is refused
to it in `seccomp.py` and `landlock.py`, who watches over it in `launching.py`; what is not claimed in
docs/sandbox.md.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, Protocol

import attrs

from eclogue.runtime.sandbox import syscalls
from eclogue.runtime.sandbox.conversation import Conversation, Wait
from eclogue.runtime.sandbox.interface import Finished, ProcessLimits, SandboxError
from eclogue.runtime.sandbox.launching import Ends, Launch, enter_and_exec, prepare
from eclogue.runtime.sandbox.plain_launching import start_plainly

BASE_ENVIRONMENT: Mapping[str, str] = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
}
"""All that a program finds in its environment besides what it is given; nothing comes from the host's."""

PLAINLY = "they can be run without isolation, if that is asked for: with all that the user can do and reach"

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
    isolated: bool = True,
) -> Finished:
    """Run a program in a sandbox and wait until it, and everything that it started, is gone.

    `env` is added to `BASE_ENVIRONMENT`; `cwd` is relative to the workspace, or absolute within the
    sandbox. `readable` are paths of the host that are shown as well, read-only, at the same place. With
    `network` the sandbox shares the host's network, its loopback included. Without `isolated` the program
    runs as any other program of the user's: in the view, within the limits, with the given environment,
    and no more than that.

    Raises `CannotStart` if there is no such program or directory, and `SandboxError` if the sandbox itself
    cannot be made. The thread that calls must live until the call returns: the sandbox ends with it.
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
    if isolated and not syscalls.LINUX:
        raise SandboxError("programs cannot be isolated here: namespaces are a part of Linux", PLAINLY)
    return Conversation(launch, stdin).carry_out(view.directory, _start(view, isolated))


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


def _start(view: ViewHandle, isolated: bool) -> Callable[[Launch, Ends], Wait]:
    """Return what forks for a run in this view."""

    def start(launch: Launch, ends: Ends) -> Wait:
        if isolated and view.spawner is not None:
            return _waiting(view.spawner.spawn(launch, ends), None)
        prepare()
        child = _fork(enter_and_exec if isolated else start_plainly, launch, ends)
        return _waiting_for(child)

    return start


def _waiting_for(child: int) -> Wait:
    try:
        return _waiting(os.pidfd_open(child), child)
    except (AttributeError, OSError):
        # This is not Linux, or no descriptor is left: the child is there all the same.
        return _patiently(child)


def _fork(become: Callable[[Launch, Ends], NoReturn], launch: Launch, ends: Ends) -> int:
    # No handler of the controller's may run in the child; it gives every signal its default action first.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        child = os.fork()
        if child == 0:
            become(launch, ends)
        return child
    except OSError as error:
        raise SandboxError(f"no process can be started: {error.strerror}") from None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _waiting(pidfd: int, child: int | None) -> Wait:
    """Wait for a process by its descriptor; it is reaped if it is a child of ours."""

    def wait(grace: float) -> None:
        try:
            if not _ends_within(pidfd, grace):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                _ends_within(pidfd, None)
            if child is not None:
                os.waitpid(child, 0)
        except (ChildProcessError, ProcessLookupError):
            return
        finally:
            os.close(pidfd)

    return wait


def _ends_within(pidfd: int, seconds: float | None) -> bool:
    with selectors.PollSelector() as selector:
        selector.register(pidfd, selectors.EVENT_READ)
        return bool(selector.select(seconds))


def _patiently(child: int) -> Wait:
    """Wait for a child where there are no descriptors of processes."""

    def wait(grace: float) -> None:
        deadline = time.monotonic() + grace
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(child, os.WNOHANG)[0] == 0:
                if time.monotonic() > deadline:
                    os.kill(child, signal.SIGKILL)
                time.sleep(0.001)

    return wait
