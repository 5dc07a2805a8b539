"""The keeper: a child process that holds mounts, in a mount namespace of its own.

What it mounts is seen by nobody else, except through the descriptors that it hands over, and vanishes with
it; and it ends with its controller. Unprivileged, it is in a user namespace of its own too, with the
controller's own user and group mapped to themselves. A request is one packet, a JSON object, with
descriptors beside it; so is the answer.
"""

from __future__ import annotations

import array
import errno
import json
import os
import signal
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import attrs

from eclogue.runtime.sandbox import syscalls
from eclogue.runtime.sandbox.interface import SandboxError
from eclogue.runtime.sandbox.launching import Ends, Launch, enter_and_exec

_PACKET = 1 << 18
_DESCRIPTORS = 8


@attrs.define(eq=False)
class Keeper:
    """The controller's end of the conversation with a keeper. `messages` counts the requests."""

    connection: socket.socket
    pid: int
    messages: int = 0
    _turn: threading.Lock = attrs.field(factory=threading.Lock)
    """Programs may be started by several threads: an answer belongs to the request before it."""

    @staticmethod
    def start(folder: Path, *, privileged: bool) -> Keeper:
        """Fork a keeper that works in a folder, to which the paths of its requests are relative.

        Raises `SandboxError` where it cannot have namespaces of its own.
        """
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            pid = os.fork()
            if pid == 0:
                here.close()
                _serve(there, folder, privileged)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        there.close()
        keeper = Keeper(here, pid)
        try:
            keeper._receive()
        except SandboxError:
            keeper.close()
            raise
        return keeper

    def mount(
        self, lowers: Sequence[str], upper: str | None, work: str | None, at: str, flags: Sequence[str]
    ) -> int:
        """Mount an overlay, the newest lower layer first, and return a descriptor of its root.

        Without an upper it is read-only. Raises `SandboxError`.
        """
        request = {"do": "mount", "lowers": list(lowers), "upper": upper, "work": work, "at": at}
        (number,) = self._ask({**request, "flags": list(flags)})
        return number

    def unmount(self, at: str) -> None:
        """Take a mount away; raises `SandboxError` if something still writes to it, and leaves it then."""
        self._ask({"do": "unmount", "at": at})

    def spawn(self, launch: Launch, ends: Ends) -> int:
        """Fork the gate of a sandbox where the mounts are seen; return a pidfd of it (`Spawner`)."""
        # Arguments and environment can be larger than a packet.
        written = os.memfd_create("launch", os.MFD_CLOEXEC)
        try:
            with os.fdopen(os.dup(written), "wb") as file:
                file.write(launch.to_bytes())
            (number,) = self._ask({"do": "spawn"}, descriptors=(written, *ends.numbers()))
        finally:
            os.close(written)
        return number

    def close(self) -> None:
        """End the keeper, and with it all that it mounted."""
        self.connection.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def _ask(self, request: dict[str, Any], descriptors: Sequence[int] = ()) -> list[int]:
        with self._turn:
            self.messages += 1
            try:
                _send(self.connection, request, descriptors)
            except OSError as error:
                raise _gone(error) from None
            return self._receive()

    def _receive(self) -> list[int]:
        try:
            answer, descriptors = _received(self.connection)
        except OSError as error:
            raise _gone(error) from None
        if answer is None:
            raise _gone(None)
        if "error" in answer:
            raise SandboxError(answer["error"], answer.get("hint"))
        return descriptors


def _gone(error: OSError | None) -> SandboxError:
    detail = "" if error is None else f" ({error.strerror or error})"
    return SandboxError(f"the process that holds the sandbox's mounts is gone{detail}")


def _send(connection: socket.socket, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
    control = []
    if descriptors:
        control.append((socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors).tobytes()))
    connection.sendmsg([json.dumps(message).encode()], control)


def _received(connection: socket.socket) -> tuple[Any, list[int]]:
    space = socket.CMSG_SPACE(_DESCRIPTORS * array.array("i").itemsize)
    data, control, _, _ = connection.recvmsg(_PACKET, space, socket.MSG_CMSG_CLOEXEC)
    numbers = array.array("i")
    for level, kind, payload in control:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers.frombytes(payload[: len(payload) - len(payload) % numbers.itemsize])
    return (json.loads(data) if data else None), list(numbers)


# ------------------------------------------------------------------------------------------------
# The child


def _serve(connection: socket.socket, folder: Path, privileged: bool) -> NoReturn:
    try:
        _prepare(connection, folder, privileged)
        while True:
            request, descriptors = _received(connection)
            if request is None:
                break
            _reap()
            _answer(connection, request, descriptors)
    finally:
        os._exit(0)


def _prepare(connection: socket.socket, folder: Path, privileged: bool) -> None:
    try:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        for number in signal.valid_signals():
            with suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        kept = connection.fileno()
        for standard in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), standard)
        if kept > 3:
            syscalls.close_range(3, kept - 1)
        syscalls.close_range(kept + 1)
        user, group = os.geteuid(), os.getegid()
        syscalls.unshare(syscalls.CLONE_NEWNS | (0 if privileged else syscalls.CLONE_NEWUSER))
        if not privileged:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        syscalls.mount(b"none", b"/", b"", syscalls.MS_REC | syscalls.MS_PRIVATE)
        os.chdir(folder)
        os.umask(0)
        # Places to mount on take no room on the disk: nobody else sees them.
        syscalls.mount(b"tmpfs", b"views", b"tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, b"mode=700")
    except OSError as error:
        hint = "see `eclogue doctor`; `--provider copy` needs no mounts"
        _send(connection, {"error": f"no mounts can be made here: {error.strerror}", "hint": hint})
        os._exit(1)
    _send(connection, {})


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _answer(connection: socket.socket, request: Any, descriptors: list[int]) -> None:
    found: list[int] = []
    try:
        if request["do"] == "mount":
            found = [_mount(request)]
        elif request["do"] == "unmount":
            _unmount(request["at"])
        else:
            found = [_spawn(*descriptors)]
        message: dict[str, Any] = {}
    except OSError as error:
        message = {"error": f"{error.strerror or error}", "errno": error.errno}
    finally:
        for number in descriptors:
            os.close(number)
    _send(connection, message, found)
    for number in found:
        os.close(number)


def _mount(request: Any) -> int:
    lowers = [os.fsencode(name) for name in request["lowers"]]
    at = os.fsencode(request["at"])
    flags = [flag.encode() for flag in request["flags"]]
    upper, work = (None if request[key] is None else os.fsencode(request[key]) for key in ("upper", "work"))
    os.makedirs(at, exist_ok=True)
    try:
        _new_mount(lowers, upper, work, at, flags)
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EINVAL):
            raise
        _old_mount(lowers, upper, work, at, flags)
    if work is not None:
        _take_less_room(work)
    return os.open(at, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _take_less_room(work: bytes) -> None:
    """Remove the marks by which a volatile mount is not mounted again: no work folder is used twice."""
    inner = work + b"/work/incompat"
    with suppress(OSError):
        os.unlink(inner + b"/volatile/dirty")
        os.rmdir(inner + b"/volatile")
        os.rmdir(inner)


def _new_mount(
    lowers: Sequence[bytes], upper: bytes | None, work: bytes | None, at: bytes, flags: Sequence[bytes]
) -> None:
    """Mount with one parameter a layer, so that no string of options is cut."""
    context = syscalls.fsopen(b"overlay")
    tree = -1
    try:
        syscalls.fsconfig(context, syscalls.FSCONFIG_SET_STRING, b"source", b"eclogue")
        for lower in lowers:
            syscalls.fsconfig(context, syscalls.FSCONFIG_SET_STRING, b"lowerdir+", lower)
        for key, value in ((b"upperdir", upper), (b"workdir", work)):
            if value is not None:
                syscalls.fsconfig(context, syscalls.FSCONFIG_SET_STRING, key, value)
        for flag in flags:
            name, _, value = flag.partition(b"=")
            command = syscalls.FSCONFIG_SET_STRING if value else syscalls.FSCONFIG_SET_FLAG
            syscalls.fsconfig(context, command, name, value or None)
        syscalls.fsconfig(context, syscalls.FSCONFIG_CMD_CREATE)
        tree = syscalls.fsmount(context, syscalls.MOUNT_ATTR_NOSUID | syscalls.MOUNT_ATTR_NODEV)
        syscalls.move_mount(tree, syscalls.AT_FDCWD, at)
    finally:
        os.close(context)
        if tree >= 0:
            os.close(tree)


_OPTIONS = 4095
"""Bytes of options that mount(2) takes; what is beyond is cut without a word."""


def _old_mount(
    lowers: Sequence[bytes], upper: bytes | None, work: bytes | None, at: bytes, flags: Sequence[bytes]
) -> None:
    """Mount with a string of options, as kernels before 6.8 want it; our paths are short and plain."""
    options = [b"lowerdir=" + b":".join(lowers), *flags]
    if upper is not None and work is not None:
        options += [b"upperdir=" + upper, b"workdir=" + work]
    text = b",".join(options)
    if len(text) > _OPTIONS:
        raise OSError(errno.E2BIG, f"{len(lowers)} layers are more than one mount takes here")
    syscalls.mount(b"eclogue", at, b"overlay", syscalls.MS_NOSUID | syscalls.MS_NODEV, text)


def _unmount(at: str) -> None:
    """Make the mount read-only first: that fails while something still writes to it."""
    path = os.fsencode(at)
    syscalls.mount(
        b"none", path, b"", _REMOUNT | syscalls.MS_RDONLY | syscalls.MS_NOSUID | syscalls.MS_NODEV
    )
    syscalls.unmount(path, syscalls.MNT_DETACH)


_REMOUNT = 32


def _spawn(written: int, *ends: int) -> int:
    launch = Launch.from_bytes(os.pread(written, os.fstat(written).st_size, 0))
    child = os.fork()
    if child == 0:
        enter_and_exec(launch, Ends(*ends))
    return os.pidfd_open(child)
