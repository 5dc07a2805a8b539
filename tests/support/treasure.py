"""Things of the host that a sandbox must not reach: a file, a process, ports and sockets, with a secret
in each.
"""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import attrs

from support.users import NOBODY, has_root


@attrs.frozen
class Treasure:
    """What was laid out; everything of it belongs to the user who runs the sandbox, and is open to all."""

    token: str
    folder: Path
    pid: int
    port: int
    abstract: str
    segment: int

    def given(self, *, inside: bool, filtered: bool = True) -> str:
        """Return what an attack is told: all names and numbers. It has to get at the contents."""
        return json.dumps(
            {
                "token": self.token,
                "folder": str(self.folder),
                "pid": self.pid,
                "port": self.port,
                "abstract": self.abstract,
                "segment": self.segment,
                "address": ctypes.addressof(ctypes.create_string_buffer(64)),
                "nodename": os.uname().nodename,
                "inside": inside,
                "filtered": filtered,
            }
        )


@contextmanager
def treasure(who: str) -> Iterator[Treasure]:
    """Lay everything out for `root` or `nobody`, and remove it."""
    user = NOBODY if who == "nobody" and has_root() else os.geteuid()
    token = secrets.token_hex(16)
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="eclogue-treasure-"))
        stack.callback(shutil.rmtree, folder)
        (folder / "treasure").write_text(token)
        shared = Path("/dev/shm") / folder.name
        shared.write_text(token)
        stack.callback(shared.unlink)
        for path in (folder, folder / "treasure", shared):
            path.chmod(0o777)
            os.chown(path, user, -1)
        process = subprocess.Popen(
            ["/bin/sh", "-c", "while :; do sleep 1000; done", token],
            env={"TREASURE": token},
            user=user if has_root() else None,
            start_new_session=True,
        )
        stack.callback(_end, process)
        port, abstract = _listen(stack, folder)
        segment = _segment(stack)
        yield Treasure(token, folder, process.pid, port, abstract, segment)


def _end(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, 9)
    process.wait()


def _listen(stack: ExitStack, folder: Path) -> tuple[int, str]:
    tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=64))
    name = "eclogue-" + secrets.token_hex(8)
    for address in ("\0" + name, str(folder / "socket")):
        end = stack.enter_context(socket.socket(socket.AF_UNIX))
        end.bind(address)
        end.listen(64)
    (folder / "socket").chmod(0o777)
    return tcp.getsockname()[1], name


def _segment(stack: ExitStack) -> int:
    libc = ctypes.CDLL(None)
    key = secrets.randbelow(1 << 30) + 1
    number = libc.shmget(key, 64, 0o1666)  # IPC_CREAT
    assert number >= 0
    stack.callback(libc.shmctl, number, 0, None)  # IPC_RMID
    return key
