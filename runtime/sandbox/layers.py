"""Layers of overlayfs on disk: which names one has, what it hides, and several of them made into one.

A layer is a directory that was the upper of a mount and is never written again. A character device 0:0 in
it is a *whiteout*: the name is gone. A directory with the attribute `…overlay.opaque` hides what is below.
The attribute's prefix, `trusted` or `user`, is the mode in which the layer was written; in the other it
would be overlooked. `lean/Eclogue/Runtime/Layers.lean` has the model, `Storage.lean` what can be stored.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Literal

import attrs

from eclogue.runtime.nodes import Parts, directory, names_in, node_of, remove

Mode = Literal["trusted", "user"]

_INTERNAL = ("opaque", "origin", "impure", "nlink", "redirect", "metacopy", "uuid")


def is_whiteout(found: os.stat_result) -> bool:
    """Whether a name in a layer says that nothing stands there."""
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == 0


def is_opaque(number: int, mode: Mode) -> bool:
    """Whether a directory of a layer hides what the layers below have in it."""
    try:
        return os.getxattr(number, f"{mode}.overlay.opaque") == b"y"
    except OSError as error:
        if error.errno == errno.ENODATA:
            return False
        raise


@attrs.frozen
class Touched:
    """The names that some layers have, the newest layer first: where a view can differ from what is below.

    A directory in which a layer hides what is below has no such list, and neither has any below it.
    """

    layers: tuple[Path, ...]
    mode: Mode

    def names(self, parts: Parts) -> set[bytes] | None:
        """Return the names in a directory that may have changed; None: any may have."""
        found: set[bytes] = set()
        for layer in self.layers:
            try:
                with _opened(layer) as root, directory(root, parts) as number:
                    if is_opaque(number, self.mode):
                        return None
                    found.update(names_in(number))
            except FileNotFoundError:
                continue
            except OSError as error:
                if error.errno in (errno.ENOTDIR, errno.ELOOP):
                    return None
                raise
        return found


class _opened:  # noqa: N801 - used as a function
    """A directory of ours, opened for the time of a block."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> int:
        self.number = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return self.number

    def __exit__(self, *_: object) -> None:
        os.close(self.number)


def is_empty(layer: Path, mode: Mode) -> bool:
    """Whether a layer changes nothing below its root, nor its root."""
    with _opened(layer) as number:
        return not os.listdir(number) and not _root_changed(number, mode)


def _root_changed(number: int, mode: Mode) -> bool:
    return any(not name.startswith(f"{mode}.overlay.") for name in os.listxattr(number))


# ------------------------------------------------------------------------------------------------
# Several layers in one


def squash(layers: Sequence[Path], target: Path, below: int, mode: Mode) -> None:
    """Make one layer of several, the newest first, that shows the same over `below` (`squash_view`).

    `below` is a view of what is beneath them. Files are shared with the layers by hard links. A whiteout
    stays only where it is needed, a directory over something else hides what is below: see `Storage.lean`.
    `target` must be an empty directory. Raises `OSError`.
    """
    with ExitStack() as stack:
        into = stack.enter_context(_opened(target))
        for layer in reversed(layers):
            source = stack.enter_context(_opened(layer))
            _Squash(source, into, below, mode).add()
            _copy_metadata(source, b".", into, b".", mode)


@attrs.frozen
class _Squash:
    """One layer that is laid over what was made so far."""

    source: int
    into: int
    below: int
    mode: Mode

    def add(self) -> None:
        pending: list[tuple[Parts, bool]] = [((), True)]
        while pending:
            parts, merges = pending.pop()
            with directory(self.source, parts) as source, directory(self.into, parts) as into:
                for name in names_in(source):
                    deeper = self._entry(source, into, parts, name, merges)
                    if deeper is not None:
                        pending.append(((*parts, name), deeper))

    def _entry(self, source: int, into: int, parts: Parts, name: bytes, merges: bool) -> bool | None:
        """Lay one name over; for a directory return whether it shows what is below, else None."""
        found = os.stat(name, dir_fd=source, follow_symlinks=False)
        if is_whiteout(found):
            remove(into, name)
            if merges and node_of(self.below, (*parts, name)) is not None:
                os.mknod(name, stat.S_IFCHR, 0, dir_fd=into)
            return None
        if not stat.S_ISDIR(found.st_mode):
            remove(into, name)
            os.link(name, name, src_dir_fd=source, dst_dir_fd=into, follow_symlinks=False)
            return None
        hides = self._hides(source, into, name)
        if hides:
            remove(into, name)
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=into)
        _copy_metadata(source, name, into, name, self.mode)
        shows = merges and not hides and not self._was_opaque(into, name)
        if hides and merges and node_of(self.below, (*parts, name)) is not None:
            _set_opaque(into, name, self.mode)
        return shows

    def _hides(self, source: int, into: int, name: bytes) -> bool:
        """Whether a directory of the layer takes the place of what is there, rather than going into it."""
        with _opened_at(source, name) as number:
            if is_opaque(number, self.mode):
                return True
        try:
            return not stat.S_ISDIR(os.stat(name, dir_fd=into, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False

    def _was_opaque(self, into: int, name: bytes) -> bool:
        with _opened_at(into, name) as number:
            return is_opaque(number, self.mode)


class _opened_at:  # noqa: N801 - used as a function
    """A directory in another, opened for the time of a block."""

    def __init__(self, where: int, name: bytes) -> None:
        self.where, self.name = where, name

    def __enter__(self) -> int:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        self.number = os.open(self.name, flags, dir_fd=self.where)
        return self.number

    def __exit__(self, *_: object) -> None:
        os.close(self.number)


def _set_opaque(where: int, name: bytes, mode: Mode) -> None:
    with _opened_at(where, name) as number:
        os.setxattr(number, f"{mode}.overlay.opaque", b"y")


def _copy_metadata(source: int, name: bytes, into: int, new: bytes, mode: Mode) -> None:
    """Give a directory another one's owner, mode, times and attributes, but not those of the overlay."""
    with _opened_at(source, name) as old, _opened_at(into, new) as number:
        found = os.fstat(old)
        internal = {f"{mode}.overlay.{item}" for item in _INTERNAL}
        for item in os.listxattr(old):
            if item not in internal:
                os.setxattr(number, item, os.getxattr(old, item))
        os.fchown(number, found.st_uid, found.st_gid)
        os.fchmod(number, stat.S_IMODE(found.st_mode))
        os.utime(number, ns=(found.st_atime_ns, found.st_mtime_ns))
