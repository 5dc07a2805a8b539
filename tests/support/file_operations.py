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


KINDS = ("write", "make", "link", "unlink", "remove", "clear", "mode", "rename")
OFTEN = (3, 6, 1, 1, 1, 3, 2, 4)


def random_path(rng: Random, tree: FileTree, recent: list[Path]) -> Path:
    """Return a path: one that was just used, one that is there, one in what is there, or any."""
    choice = rng.random()
    if recent and choice < 0.5:
        path = rng.choice(recent[-2:])
        return (*path, rng.choice(NAMES))[:4] if rng.random() < 0.25 else path
    if choice < 0.75:
        return rng.choice(sorted(tree))
    if choice < 0.9:
        return (*rng.choice(sorted(tree)), rng.choice(NAMES))[:4]
    return tuple(rng.choice(NAMES) for _ in range(rng.randrange(1, 4)))


def random_operation(rng: Random, tree: FileTree, recent: list[Path]) -> Operation:
    """Return an operation on a tree.

    Directories that have something in them are often removed, and made again as they were or of others:
    most of what an overlay can get wrong shows only then.
    """
    again = _again(rng, tree, recent[-1]) if recent and rng.random() < 0.6 else None
    if again is not None:
        return again
    if rng.random() < 0.1:
        full = sorted({path[:-1] for path in tree if len(path) > 1})
        if full:
            recent.append(rng.choice(full))
            return RemoveTree(recent[-1])
    path = random_path(rng, tree, recent)
    recent.append(path)
    (kind,) = rng.choices(KINDS, OFTEN)
    if kind == "make":
        return MakeDirectory(path, rng.choice((0o755, 0o700)))
    if kind == "link":
        return MakeLink(path, f"/nowhere/{rng.randrange(5)}")
    if kind == "unlink":
        return Unlink(path)
    if kind == "remove":
        return RemoveDirectory(path)
    if kind == "clear":
        return RemoveTree(path)
    if kind == "mode":
        return ChangeMode(path, rng.choice((0o755, 0o711, 0o740, 0o700)))
    if kind == "rename":
        target = random_path(rng, tree, recent)
        recent.append(target)
        return Rename(path, target)
    return Write(path, str(rng.randrange(100)), rng.choice((0o644, 0o600)))


def _again(rng: Random, tree: FileTree, path: Path) -> Operation | None:
    """Return an operation that makes a directory where one was; None where something is."""
    if path in tree or not isinstance(tree.get(path[:-1]), Directory):
        return None
    others = sorted(other for other in tree if other and isinstance(tree[other], Directory))
    if others and rng.random() < 0.4:
        return Rename(rng.choice(others), path)
    return MakeDirectory(path, rng.choice((0o755, 0o700)))


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
