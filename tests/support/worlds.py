"""Worlds for tests: each provider as root and without privileges, over a workspace that the test writes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import attrs

from eclogue.runtime.manifest import Manifest, manifest_of
from eclogue.runtime.scope import Scope, World
from support.users import NOBODY, as_nobody, has_root, in_child

R = TypeVar("R")

KINDS = ("overlay-root", "overlay-nobody", "copy-root", "copy-nobody")


@attrs.frozen
class Place:
    """A workspace with a folder for a world beside it, for one provider and one user."""

    kind: str
    folder: Path

    @property
    def base(self) -> Path:
        """The workspace."""
        return self.folder / "base"

    @property
    def state(self) -> Path:
        """The world's folder."""
        return self.folder / "state"

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self.kind.partition("-")[0]

    def do(self, function: Callable[[Place], R]) -> R:
        """Call a function as the user, in a child."""
        if self.kind.endswith("nobody"):
            return as_nobody(lambda: function(self))
        return in_child(lambda: function(self))

    def create(self) -> World:
        """Open a new world."""
        return World.create(self.base, self.state, provider=self.provider)


@contextmanager
def placed(kind: str) -> Iterator[Place]:
    """Make an empty place; not in pytest's folders, which only their owner can enter."""
    folder = Path(tempfile.mkdtemp(prefix="eclogue-world-"))
    try:
        (folder / "base").mkdir()
        if kind.endswith("nobody") and has_root():
            for path in (folder, folder / "base"):
                os.chown(path, NOBODY, NOBODY)
        yield Place(kind, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write(scope: Scope, path: str, text: str, mode: int = 0o644) -> None:
    """Write a whole file in a scope."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    number = os.open(path, flags, mode, dir_fd=scope.directory())
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(text)


def read(scope: Scope, path: str) -> str:
    """Read a file in a scope."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=scope.directory())
    with os.fdopen(number, encoding="utf-8") as file:
        return file.read()


def names(scope: Scope, path: str = ".") -> list[str]:
    """Return the names in a folder of a scope."""
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY, dir_fd=scope.directory())
    try:
        return sorted(os.listdir(number))
    finally:
        os.close(number)


def tree(folder: Path) -> Manifest:
    """Return the manifest of a folder on disk."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return manifest_of(number)
    finally:
        os.close(number)
