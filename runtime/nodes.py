"""One file, directory, link or special file: what there is to know of it, and making another like it.

Everything is named by a directory's descriptor and one name in it, and no link is followed, so that a tree
that somebody else writes to cannot lead anywhere. Names and link targets are bytes.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import attrs

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_BLOCK = 1 << 20
_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}

Parts = tuple[bytes, ...]
"""A path below a tree's root, name by name; the root itself is the empty one."""


@attrs.frozen
class Node:
    """What stands under a name. Sizes are bytes, times nanoseconds.

    `target` is a link's, `device` a device's. Neither `modified` nor `links` is compared.
    """

    kind: str
    mode: int
    owner: int
    group: int
    size: int = 0
    device: int = 0
    target: bytes | None = None
    attributes: tuple[tuple[str, bytes], ...] = ()
    modified: int = attrs.field(default=0, eq=False)
    links: int = attrs.field(default=1, eq=False)

    def told(self) -> str:
        """Return the node in a few words for people."""
        if self.kind == "link":
            return f"link to {os.fsdecode(self.target or b'')}"
        size = f", {self.size} bytes" if self.kind == "file" else ""
        names = f", one of {self.links} names" if self.links > 1 else ""
        return f"{self.kind} {self.mode:04o}{size}{names}"


def split(path: bytes) -> Parts:
    """Return a relative path's names; raises `ValueError` for one that goes up or is absolute."""
    parts = tuple(part for part in path.split(b"/") if part not in (b"", b"."))
    if path.startswith(b"/") or b".." in parts or b"\0" in path:
        raise ValueError(f"{os.fsdecode(path)!r} is not a path below the workspace")
    return parts


def joined(parts: Parts) -> bytes:
    """Return the path of some names."""
    return b"/".join(parts)


@contextmanager
def directory(root: int, parts: Parts) -> Iterator[int]:
    """Open a directory below a root, name by name, and close it again; raises `OSError`."""
    here = os.open(b".", _DIRECTORY, dir_fd=root)
    try:
        for part in parts:
            below = os.open(part, _DIRECTORY, dir_fd=here)
            os.close(here)
            here = below
        yield here
    finally:
        os.close(here)


def node_at(where: int, name: bytes) -> Node | None:
    """Return what stands under a name in a directory, None if nothing does; raises `OSError`."""
    try:
        found = os.stat(name, dir_fd=where, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return _node(where, name, found)


def node_of(root: int, parts: Parts) -> Node | None:
    """Return what stands at a path below a root, None if nothing does."""
    if not parts:
        return _node(root, b".", os.stat(root))
    try:
        with directory(root, parts[:-1]) as where:
            return node_at(where, parts[-1])
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise


def _node(where: int, name: bytes, found: os.stat_result) -> Node:
    kind = _KINDS[stat.S_IFMT(found.st_mode)]
    return Node(
        kind=kind,
        mode=0o777 if kind == "link" else stat.S_IMODE(found.st_mode),
        owner=found.st_uid,
        group=found.st_gid,
        size=found.st_size if kind == "file" else 0,
        device=found.st_rdev if kind == "device" else 0,
        target=os.readlink(name, dir_fd=where) if kind == "link" else None,
        attributes=_attributes(where, name) if kind in ("file", "directory") else (),
        modified=found.st_mtime_ns,
        links=found.st_nlink if kind == "file" else 1,
    )


def _attributes(where: int, name: bytes) -> tuple[tuple[str, bytes], ...]:
    """Return the extended attributes that a person may have set, sorted."""
    if not hasattr(os, "listxattr"):
        return ()
    try:
        path = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=where)
    except OSError:
        return ()
    try:
        names = [item for item in os.listxattr(path) if item.startswith(("user.", "system.posix_acl"))]
        return tuple((item, os.getxattr(path, item)) for item in sorted(names))
    except OSError:
        return ()
    finally:
        os.close(path)


def names_in(where: int) -> list[bytes]:
    """Return the names in a directory, sorted."""
    return sorted(os.fsencode(name) for name in os.listdir(where))


def same_content(left: int, left_name: bytes, right: int, right_name: bytes) -> bool:
    """Whether two regular files have the same bytes."""
    with _reading(left, left_name) as first, _reading(right, right_name) as second:
        while True:
            block = os.read(first, _BLOCK)
            if block != _exactly(second, len(block)):
                return False
            if not block:
                return not os.read(second, 1)


def _exactly(descriptor: int, count: int) -> bytes:
    found = b""
    while len(found) < count and (block := os.read(descriptor, count - len(found))):
        found += block
    return found


@contextmanager
def _reading(where: int, name: bytes) -> Iterator[int]:
    number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=where)
    try:
        yield number
    finally:
        os.close(number)


def contents(where: int, name: bytes) -> Iterator[bytes]:
    """Yield the bytes of a regular file, block by block."""
    with _reading(where, name) as number:
        while block := os.read(number, _BLOCK):
            yield block


# ------------------------------------------------------------------------------------------------
# Making and removing


def make(node: Node, source: int, source_name: bytes, where: int, name: bytes) -> None:
    """Make, under a name that is free, what stands under another; a directory is made empty.

    Times of directories are left to `settle`, since what is put into them changes them. Raises `OSError`.
    """
    if node.kind == "file":
        _copy(source, source_name, where, name)
    elif node.kind == "directory":
        os.mkdir(name, 0o700, dir_fd=where)
    elif node.kind == "link":
        os.symlink(node.target or b"", name, dir_fd=where)
    else:
        _make_special(node, where, name)
    set_metadata(node, where, name)
    if node.kind != "directory":
        set_time(node, where, name)


def _copy(source: int, source_name: bytes, where: int, name: bytes) -> None:
    """Copy a file's bytes, holes as holes."""
    with _reading(source, source_name) as reading:
        size = os.fstat(reading).st_size
        writing = os.open(
            name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=where
        )
        try:
            for start, end in _extents(reading, size):
                _copy_range(reading, writing, start, end)
            os.ftruncate(writing, size)
        finally:
            os.close(writing)


def _extents(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < size:
        try:
            start = os.lseek(descriptor, start, os.SEEK_DATA)
            end = os.lseek(descriptor, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            end = size
        yield start, end
        start = end


def _copy_range(reading: int, writing: int, start: int, end: int) -> None:
    os.lseek(reading, start, os.SEEK_SET)
    os.lseek(writing, start, os.SEEK_SET)
    left = end - start
    while left > 0 and (block := os.read(reading, min(left, _BLOCK))):
        view = memoryview(block)
        while view:
            view = view[os.write(writing, view) :]
        left -= len(block)


def _make_special(node: Node, where: int, name: bytes) -> None:
    kinds = {"fifo": stat.S_IFIFO, "socket": stat.S_IFSOCK, "device": stat.S_IFCHR}
    os.mknod(name, kinds[node.kind] | 0o600, node.device, dir_fd=where)


def set_metadata(node: Node, where: int, name: bytes) -> None:
    """Give a node's owner, mode and attributes to what stands under a name; raises `OSError`."""
    found = os.stat(name, dir_fd=where, follow_symlinks=False)
    if (found.st_uid, found.st_gid) != (node.owner, node.group):
        os.chown(name, node.owner, node.group, dir_fd=where, follow_symlinks=False)
    if node.kind == "link":
        return
    if node.kind not in ("file", "directory"):
        os.chmod(name, node.mode, dir_fd=where)
        return
    number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=where)
    try:
        if hasattr(os, "setxattr"):
            wanted = dict(node.attributes)
            for item in _attributes(where, name):
                if item[0] not in wanted:
                    os.removexattr(number, item[0])
            for item in node.attributes:
                os.setxattr(number, *item)
        os.fchmod(number, node.mode)
    finally:
        os.close(number)


def set_time(node: Node, where: int, name: bytes) -> None:
    """Give a node's time of modification to what stands under a name."""
    with suppress(NotImplementedError):
        os.utime(name, ns=(node.modified, node.modified), dir_fd=where, follow_symlinks=False)


def remove(where: int, name: bytes) -> None:
    """Remove what stands under a name, with all that is in it, following no link; raises `OSError`."""
    try:
        os.unlink(name, dir_fd=where)
        return
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno not in (errno.EISDIR, errno.EPERM):
            raise
    _clear(where, name)


def _clear(where: int, name: bytes) -> None:
    """Remove a directory, however deep, with a stack of our own."""
    stack = [(where, name, False)]
    opened: list[int] = []
    try:
        while stack:
            parent, here, emptied = stack.pop()
            if emptied:
                os.close(opened.pop())
                os.rmdir(here, dir_fd=parent)
                continue
            number = _opened_for_clearing(parent, here)
            opened.append(number)
            stack.append((parent, here, True))
            for item in names_in(number):
                try:
                    os.unlink(item, dir_fd=number)
                except OSError as error:
                    if error.errno not in (errno.EISDIR, errno.EPERM):
                        raise
                    stack.append((number, item, False))
    finally:
        for number in opened:
            os.close(number)


def _opened_for_clearing(parent: int, name: bytes) -> int:
    try:
        return os.open(name, _DIRECTORY, dir_fd=parent)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=parent)
        return os.open(name, _DIRECTORY, dir_fd=parent)
