"""Providers of views: kernel overlayfs, with one mount a view, and plain copies, which work anywhere.

A *layer* is a directory that is not written any more, an *upper* one that is. A view is what a chain of
layers, the newest first, shows over the base, with an upper to be written to or without one. What stands
where on disk is the provider's own: `World` knows only names.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import attrs

from eclogue.runtime.changes import Everything, Pruning
from eclogue.runtime.merging import apply as apply_changes
from eclogue.runtime.nodes import remove
from eclogue.runtime.sandbox import layers
from eclogue.runtime.sandbox.interface import Availability, SandboxError
from eclogue.runtime.sandbox.keeper import Keeper
from eclogue.runtime.sandbox.process import Spawner

MOST_LAYERS = 400
"""Layers of one mount; the kernel takes 500."""

FIDELITY: Mapping[str, str] = {
    "files": "yes",
    "metadata": "yes",
    "hard links": "no",
    "processes": "quiesced",
    "sockets": "no",
    "memory": "no",
}
"""What of a sandbox's state a fork, a revert or a discard keeps, with every provider."""


class Views(Protocol):
    """What a world needs of a provider. Names are of layers and uppers, chains the newest layer first."""

    name: str

    @property
    def mode(self) -> str:
        """The mode of its layers, which only the same provider in the same mode can read again."""

    def new_upper(self, name: str, chain: Sequence[str]) -> None:
        """Make an upper that shows the chain."""

    def view(self, upper: str, chain: Sequence[str]) -> int:
        """Return a descriptor of the root of what an upper shows; it stays the provider's."""

    def state(self, chain: Sequence[str]) -> int:
        """Return a descriptor of the root of what a chain shows, to be read; it stays the provider's."""

    def is_clean(self, upper: str, chain: Sequence[str]) -> bool:
        """Whether nothing was written to an upper that lies on a chain."""

    def close_view(self, upper: str) -> None:
        """Forget a view; raises `SandboxError` while something writes to it."""

    def freeze(self, upper: str) -> None:
        """Have an upper, whose view is closed, be a layer of the same name."""

    def drop(self, name: str) -> None:
        """Remove a layer or an upper."""

    def touched(self, names: Sequence[str]) -> Pruning:
        """Return where these layers and uppers can differ from what is below them."""

    def squash(self, names: Sequence[str], below: Sequence[str], new: str) -> bool:
        """Make one layer of several that lie on another; False: this provider has no need to."""

    @property
    def spawner(self) -> Spawner | None:
        """Who starts processes where the views are seen; None: anybody."""

    def close(self) -> None:
        """Give back all that was opened; what is on disk stays."""


# ------------------------------------------------------------------------------------------------
# Kernel overlayfs


@attrs.define(eq=False)
class Overlay:
    """Views by kernel overlayfs: a fork costs the same whatever the size of the tree."""

    base: Path
    folder: Path
    mode: layers.Mode
    keeper: Keeper
    name: str = "overlay"
    _views: dict[str, int] = attrs.field(factory=dict)
    _states: dict[tuple[str, ...], tuple[str, int]] = attrs.field(factory=dict)
    _count: int = 0

    @staticmethod
    def open(base: Path, folder: Path, mode: layers.Mode) -> Overlay:
        """Start its keeper; raises `SandboxError`."""
        for name in ("layers", "work", "views"):
            (folder / name).mkdir(exist_ok=True)
        link = folder / "base"
        if not link.is_symlink():
            link.symlink_to(base)
        return Overlay(base, folder, mode, Keeper.start(folder, privileged=mode == "trusted"))

    def new_upper(self, name: str, chain: Sequence[str]) -> None:
        """Make an empty upper, with the metadata that the root has."""
        made, like = self.folder / "layers" / name, self._top(chain)
        made.mkdir()
        found = os.stat(like)
        os.chown(made, found.st_uid, found.st_gid)
        made.chmod(found.st_mode & 0o7777)
        os.utime(made, ns=(found.st_atime_ns, found.st_mtime_ns))

    def _top(self, chain: Sequence[str]) -> Path:
        return self.folder / "layers" / chain[0] if chain else self.base

    def view(self, upper: str, chain: Sequence[str]) -> int:
        """Mount an upper, unless it is mounted."""
        if upper not in self._views:
            work = self.folder / "work" / upper
            _remove(work)
            work.mkdir()
            place = f"views/{upper}"
            self._views[upper] = self._mount(chain, f"layers/{upper}", f"work/{upper}", place)
        return self._views[upper]

    def _mount(self, chain: Sequence[str], upper: str | None, work: str | None, at: str) -> int:
        lowers = [*(f"layers/{name}" for name in chain), "base"]
        flags = ["userxattr"] if self.mode == "user" else ["redirect_dir=off"]
        if upper is not None:
            flags.append("volatile")
        return self.keeper.mount(lowers, upper, work, at, flags)

    def state(self, chain: Sequence[str]) -> int:
        """Mount a chain to be read; the base alone needs no mount."""
        key = tuple(chain)
        if key not in self._states:
            if chain:
                self._count += 1
                place = f"views/state-{self._count}"
                self._states[key] = (place, self._mount(chain, None, None, place))
            else:
                self._states[key] = ("", os.open(self.base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        self._limit_states(key)
        return self._states[key][1]

    def _limit_states(self, kept: tuple[str, ...]) -> None:
        """Close the states that were opened first, so that their number stays small."""
        for key in list(self._states)[:-8]:
            if key != kept:
                self._close_state(key)

    def _close_state(self, key: tuple[str, ...]) -> None:
        place, number = self._states.pop(key)
        os.close(number)
        if place:
            self.keeper.unmount(place)
            with suppress(OSError):
                (self.folder / place).rmdir()

    def is_clean(self, upper: str, chain: Sequence[str]) -> bool:
        """Whether an upper has nothing in it, and its root is as the chain has it."""
        made, like = self.folder / "layers" / upper, self._top(chain)
        same = [(item.st_mode, item.st_uid, item.st_gid) for item in (os.stat(made), os.stat(like))]
        return same[0] == same[1] and layers.is_empty(made, self.mode)

    def close_view(self, upper: str) -> None:
        """Unmount an upper, if it is mounted."""
        if upper not in self._views:
            return
        self.keeper.unmount(f"views/{upper}")
        os.close(self._views.pop(upper))
        with suppress(OSError):
            (self.folder / "views" / upper).rmdir()
        _remove(self.folder / "work" / upper)

    def freeze(self, upper: str) -> None:
        """Nothing is left to do: the directory is the layer."""

    def drop(self, name: str) -> None:
        """Remove a directory, whatever is in it."""
        for key in [key for key in self._states if name in key]:
            self._close_state(key)
        _remove(self.folder / "layers" / name)
        _remove(self.folder / "work" / name)

    def touched(self, names: Sequence[str]) -> Pruning:
        """Return the names that the layers have."""
        return layers.Touched(tuple(self.folder / "layers" / name for name in names), self.mode)

    def squash(self, names: Sequence[str], below: Sequence[str], new: str) -> bool:
        """Make one layer of several."""
        target = self.folder / "layers" / new
        target.mkdir()
        found = [self.folder / "layers" / name for name in names]
        layers.squash(found, target, self.state(below), self.mode)
        return True

    @property
    def spawner(self) -> Spawner | None:
        """The keeper: only it sees the views."""
        return self.keeper

    def close(self) -> None:
        """End the keeper, and with it all mounts."""
        for number in self._views.values():
            os.close(number)
        for _, number in self._states.values():
            os.close(number)
        self._views.clear()
        self._states.clear()
        self.keeper.close()


def _remove(path: Path) -> None:
    """Remove a directory of ours, also where an unprivileged user left folders that nobody may enter."""
    try:
        where = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        remove(where, os.fsencode(path.name))
    finally:
        os.close(where)


# ------------------------------------------------------------------------------------------------
# Plain copies


@attrs.define(eq=False)
class Copies:
    """Views that are whole copies. A fork costs as much as the tree is large; nothing else is needed."""

    base: Path
    folder: Path
    name: str = "copy"
    mode: str = "copy"
    _open: dict[str, int] = attrs.field(factory=dict)
    _untouched: set[str] = attrs.field(factory=set)
    """Uppers that were made here and never looked at; after a reopening nothing is known of any."""

    @staticmethod
    def open(base: Path, folder: Path) -> Copies:
        """Copy the base, once, so that what becomes of it does not show through."""
        (folder / "trees").mkdir(exist_ok=True)
        found = Copies(base, folder)
        pristine = folder / "trees" / _PRISTINE
        if not pristine.exists():
            _copy_tree(base, folder / "trees" / (_PRISTINE + ".new"))
            (folder / "trees" / (_PRISTINE + ".new")).rename(pristine)
        return found

    def new_upper(self, name: str, chain: Sequence[str]) -> None:
        """Copy the tree of the newest layer."""
        _copy_tree(self._tree(chain), self.folder / "trees" / name)
        self._untouched.add(name)

    def _tree(self, chain: Sequence[str]) -> Path:
        return self.folder / "trees" / (chain[0] if chain else _PRISTINE)

    def view(self, upper: str, chain: Sequence[str]) -> int:  # noqa: ARG002 - the copy is the view
        """Open a tree."""
        self._untouched.discard(upper)
        return self._opened(upper)

    def state(self, chain: Sequence[str]) -> int:
        """Open the tree of the newest layer."""
        return self._opened(self._tree(chain).name)

    def _opened(self, name: str) -> int:
        if name not in self._open:
            path = self.folder / "trees" / name
            self._open[name] = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return self._open[name]

    def is_clean(self, upper: str, chain: Sequence[str]) -> bool:  # noqa: ARG002 - a copy does not tell
        """Whether a view was never looked at."""
        return upper in self._untouched

    def close_view(self, upper: str) -> None:
        """Close a tree."""
        if upper in self._open:
            os.close(self._open.pop(upper))

    def freeze(self, upper: str) -> None:
        """Nothing is left to do: the tree is the layer."""

    def drop(self, name: str) -> None:
        """Remove a tree."""
        self.close_view(name)
        _remove(self.folder / "trees" / name)

    def touched(self, names: Sequence[str]) -> Pruning:  # noqa: ARG002 - a copy does not tell
        """Nothing is known of where copies differ."""
        return Everything()

    def squash(self, names: Sequence[str], below: Sequence[str], new: str) -> bool:  # noqa: ARG002
        """Trees do not lie on one another."""
        return False

    @property
    def spawner(self) -> Spawner | None:
        """Anybody: a copy is seen by all."""
        return None

    def close(self) -> None:
        """Close every tree."""
        for number in self._open.values():
            os.close(number)
        self._open.clear()


_PRISTINE = "base"


def _copy_tree(source: Path, target: Path) -> None:
    """Copy a tree with all that can be copied; `target` must not be there, and is whole or not there."""
    try:
        _copied(source, target)
    except OSError as error:
        name = os.fsdecode(error.filename) if error.filename else str(source)
        raise SandboxError(f"{source} cannot be copied: {name}: {error.strerror}", _OWN) from None


_OWN = "a copy needs to read every file, and to give it the owner that it has"


def _copied(source: Path, target: Path) -> None:
    from eclogue.runtime.changes import differences

    new = target.with_name(target.name + ".part")
    _remove(new)
    new.mkdir()
    old = os.open(source, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    made = os.open(new, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        apply_changes(list(differences(made, old, Everything())), old, made)
        found = os.fstat(old)
        os.utime(made, ns=(found.st_atime_ns, found.st_mtime_ns))
    finally:
        os.close(old)
        os.close(made)
    new.rename(target)


# ------------------------------------------------------------------------------------------------
# Which can be had


def probe(folder: Path | None = None) -> list[Availability]:
    """Try every provider in a folder (default: for temporary files), and say why one cannot be had."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        return [*_overlay_found(Path(scratch)), Availability("copy", True, fidelity=FIDELITY)]


def _overlay_found(scratch: Path) -> list[Availability]:
    if not sys.platform.startswith("linux"):
        return [Availability("overlay", False, "overlayfs is Linux's own")]
    reasons = []
    for mode in _modes():
        place = scratch / mode
        (place / "state").mkdir(parents=True)
        (place / "base").mkdir()
        try:
            _try_overlay(place, mode)
        except (SandboxError, OSError) as error:
            reasons.append(f"{_WHO[mode]}: {getattr(error, 'message', None) or error}")
            continue
        details = {"mode": mode, "as": _WHO[mode], "kernel": os.uname().release}
        return [Availability("overlay", True, None, details, FIDELITY)]
    return [Availability("overlay", False, "; ".join(reasons))]


_WHO = {"trusted": "root", "user": "a user namespace"}


def _modes() -> list[layers.Mode]:
    return ["trusted", "user"] if os.geteuid() == 0 else ["user"]


def _try_overlay(place: Path, mode: layers.Mode) -> None:
    (place / "base" / "gone").write_bytes(b"")
    found = Overlay.open(place / "base", place / "state", mode)
    try:
        found.new_upper("u", ())
        view = found.view("u", ())
        os.unlink("gone", dir_fd=view)
        os.mkdir("made", dir_fd=view)
    finally:
        found.close()
    if not layers.is_whiteout(os.stat(place / "state" / "layers" / "u" / "gone", follow_symlinks=False)):
        raise SandboxError("removing a file left no whiteout")
