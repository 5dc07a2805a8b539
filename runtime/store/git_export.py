"""A run as a git repository: a commit for each record, with the files as they were after it.

The repository is written with `git fast-import`. A commit's message is the record with its ref, and its
parent the record before; author and time are fixed, so that runs with a common prefix have common commits.
What git cannot hold, such as modes, empty folders and pipes, is named in the message of the commit.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from eclogue.runtime.nodes import Parts, contents, directory, joined, names_in, node_at
from eclogue.runtime.sandbox.interface import SandboxError, StateName
from eclogue.runtime.scope import World
from eclogue.runtime.store.log import Note, Stored

_WHO = b"eclogue <eclogue@localhost>"


def export_git(
    stored: Sequence[Stored],
    notes: Sequence[Note],
    world: World,
    target: Path,
    told: Callable[[Stored], str],
) -> None:
    """Write a run to a new bare repository; `told` says what a record says.

    Raises `SandboxError` where there is no git, it refuses, or the folder is there already.
    """
    if target.exists():
        raise SandboxError(f"{target} is there already", "name a new folder")
    _git("init", "-q", "--bare", "--initial-branch=main", str(target))
    states = {note["seq"]: note["state"] for note in notes if "state" in note}
    command = ["git", "-C", str(target), "fast-import", "--quiet", "--done"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as importing:
        assert importing.stdin is not None
        assert importing.stderr is not None
        try:
            _stream(importing.stdin, stored, states, world, told)
            importing.stdin.close()
        except BrokenPipeError:
            pass
        problem = importing.stderr.read().decode("utf-8", "replace").strip()
    if importing.returncode != 0:
        raise SandboxError(f"git does not take the run: {problem[:500]}")


def _git(*arguments: str) -> None:
    try:
        subprocess.run(["git", *arguments], check=True, capture_output=True)
    except FileNotFoundError:
        raise SandboxError("there is no git on this machine") from None
    except subprocess.CalledProcessError as error:
        raise SandboxError(f"git: {error.stderr.decode('utf-8', 'replace').strip()}") from None


def _stream(
    out: IO[bytes],
    stored: Sequence[Stored],
    states: dict[int, str],
    world: World,
    told: Callable[[Stored], str],
) -> None:
    state = states.get(-1, "base")
    shown = None
    for item in stored:
        state = states.get(item.number, state)
        files: list[tuple[bytes, bytes, bytes]] = []
        left_out = ""
        if state != shown:
            root = world.state_root(StateName(state))
            files, left_out = _files(root)
        message = (
            f"{item.number}  {told(item)}\n\nEclogue-Ref: {item.ref}\nEclogue-State: {state}\n{left_out}"
        )
        text = message.encode("utf-8", "backslashreplace")
        out.write(b"commit refs/heads/main\ncommitter %s %d +0000\n" % (_WHO, item.number))
        out.write(b"data %d\n%s\n" % (len(text), text))
        if state != shown:
            out.write(b"deleteall\n")
            for mode, path, data in files:
                out.write(b"M %s inline %s\ndata %d\n" % (mode, _quoted(path), len(data)))
                out.write(data)
                out.write(b"\n")
            shown = state
        out.write(b"\n")
    out.write(b"done\n")


def _quoted(path: bytes) -> bytes:
    """Write a path as fast-import reads it, whatever bytes are in it."""
    safe = (
        b"\\%03o" % byte if byte < 0x20 or byte >= 0x7F or byte in b'"\\' else bytes([byte])
        for byte in path
    )
    return b'"' + b"".join(safe) + b'"'


def _files(root: int) -> tuple[list[tuple[bytes, bytes, bytes]], str]:
    """Return git's modes, paths and contents, and lines that name what git does not hold."""
    found, left = [], []
    for path, kind, mode, data in _walk(root):
        if data is None:
            left.append(f"Eclogue-Not-In-Git: {kind} {path!r}\n")
        else:
            found.append((mode, path, data))
            if mode != b"120000" and kind not in ("file 0644", "file 0755"):
                left.append(f"Eclogue-Not-In-Git: {kind} {path!r}\n")
    return found, "".join(left[:1000])


def _walk(root: int) -> Iterator[tuple[bytes, str, bytes, bytes | None]]:
    pending: list[Parts] = [()]
    while pending:
        parts = pending.pop()
        with directory(root, parts) as where:
            names = names_in(where)
            if not names and parts:
                yield joined(parts), "empty folder", b"", None
            for name in names:
                node = node_at(where, name)
                path = joined((*parts, name))
                if node is None or name == b".git":
                    yield path, "repository", b"", None
                elif node.kind == "directory":
                    pending.append((*parts, name))
                elif node.kind == "link":
                    yield path, "link", b"120000", node.target
                elif node.kind == "file":
                    executable = b"100755" if node.mode & 0o111 else b"100644"
                    yield path, f"file {node.mode:04o}", executable, b"".join(contents(where, name))
                else:
                    yield path, node.kind, b"", None
