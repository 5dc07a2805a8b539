"""Random operations on files, which favour paths that were just used; and carrying them out on a folder."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from random import Random

from eclogue.runtime.files.files import (
    ChangeMode,
    Directory,
    File,
    FileTree,
    Link,
    MakeDirectory,
    MakeLink,
    Operation,
    Path,
    RemoveDirectory,
    RemoveTree,
    Rename,
    Unlink,
    Write,
)
from eclogue.runtime.moving import copy_tree
from eclogue.runtime.nodes import contents, directory, names_in, node_at, remove

NAMES = ("a", "b", "c")


def random_path(rng: Random, tree: FileTree, recent: list[Path]) -> Path:
    """Return a path: one that was just used, one that is there, one in what is there, or any."""
    choice = rng.random()
    if recent and choice < 0.35:
        return rng.choice(recent[-3:])
    if choice < 0.65:
        return rng.choice(sorted(tree))
    if choice < 0.85:
        return (*rng.choice(sorted(tree)), rng.choice(NAMES))[:4]
    return tuple(rng.choice(NAMES) for _ in range(rng.randrange(1, 4)))


def random_operation(rng: Random, tree: FileTree, recent: list[Path]) -> Operation:
    """Return an operation on a tree."""
    path = random_path(rng, tree, recent)
    recent.append(path)
    kind = rng.randrange(8)
    if kind == 0:
        return Write(path, str(rng.randrange(100)), rng.choice((0o644, 0o600)))
    if kind == 1:
        return MakeDirectory(path, rng.choice((0o755, 0o700)))
    if kind == 2:
        return MakeLink(path, f"/nowhere/{rng.randrange(5)}")
    if kind == 3:
        return rng.choice((Unlink(path), RemoveDirectory(path)))
    if kind == 4:
        return RemoveTree(path)
    if kind == 5:
        return ChangeMode(path, rng.choice((0o755, 0o711, 0o740, 0o700)))
    if kind == 6:
        return Rename(path, random_path(rng, tree, recent))
    return Write(path, str(rng.randrange(100)))


def scan(root: int) -> FileTree:
    """Return a folder as a tree of the model."""
    found: dict[Path, File | Link | Directory] = {(): Directory(stat.S_IMODE(os.fstat(root).st_mode))}
    pending: list[tuple[bytes, ...]] = [()]
    while pending:
        parts = pending.pop()
        with directory(root, parts) as where:
            for name in names_in(where):
                node = node_at(where, name)
                assert node is not None, f"{name!r} is listed and not there"
                path = tuple(os.fsdecode(part) for part in (*parts, name))
                if node.kind == "directory":
                    found[path] = Directory(node.mode)
                    pending.append((*parts, name))
                elif node.kind == "link":
                    found[path] = Link(os.fsdecode(node.target or b""))
                else:
                    found[path] = File(b"".join(contents(where, name)).decode(), node.mode)
    return found


def carry_out(root: int, operation: Operation) -> tuple[str | None, bool]:
    """Carry an operation out below a folder; return its error, and whether EXDEV came up."""
    parts = tuple(os.fsencode(part) for part in operation.path)
    target = (
        tuple(os.fsencode(part) for part in operation.target) if isinstance(operation, Rename) else None
    )
    busy = isinstance(operation, (RemoveDirectory, RemoveTree, Rename)) and (not parts or target == ())
    if busy:
        return "EBUSY", False
    try:
        with directory(root, parts[:-1]) as where:
            name = parts[-1] if parts else b"."
            if target is not None:
                with directory(root, target[:-1]) as there:
                    return None, _rename(where, name, there, target[-1])
            _one(where, name, operation)
    except OSError as error:
        return errno.errorcode[error.errno or 0], False
    return None, False


def _one(where: int, name: bytes, operation: Operation) -> None:
    match operation:
        case Write(_, text, mode):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            number = os.open(name, flags, mode, dir_fd=where)
            os.write(number, str(text).encode())
            os.close(number)
        case MakeDirectory(_, mode):
            os.mkdir(name, mode, dir_fd=where)
        case MakeLink(_, goal):
            os.symlink(goal, name, dir_fd=where)
        case Unlink():
            os.unlink(name, dir_fd=where)
        case RemoveDirectory():
            os.rmdir(name, dir_fd=where)
        case RemoveTree():
            os.stat(name, dir_fd=where, follow_symlinks=False)
            remove(where, name)
        case ChangeMode(_, mode):
            if stat.S_ISLNK(os.stat(name, dir_fd=where, follow_symlinks=False).st_mode):
                raise OSError(errno.ELOOP, "a link")
            os.chmod(name, mode, dir_fd=where)


def _rename(where: int, name: bytes, there: int, new: bytes) -> bool:
    try:
        os.rename(name, new, src_dir_fd=where, dst_dir_fd=there)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with suppress(FileNotFoundError):
            os.rmdir(new, dir_fd=there)
        copy_tree(where, name, there, new)
        remove(where, name)
        return True
    return False
