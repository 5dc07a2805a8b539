"""Compiled modules on disk, each under the digest of everything that it depends on.

An entry is written in a folder of its own and appears under its key by one rename, so that two processes
may build at once and either may be killed. It is used only if its files have the digests that it lists.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import attrs

_KEEP_SECONDS = 30 * 24 * 3600.0
_ABANDONED_SECONDS = 24 * 3600.0
_REPORT = "report.json"


def default_cache() -> Path:
    """Return the folder for compiled modules in the user's cache folder."""
    if given := os.environ.get("XDG_CACHE_HOME"):
        base = Path(given)
    elif sys.platform == "darwin":
        base = _home() / "Library" / "Caches"
    elif local := os.environ.get("LOCALAPPDATA"):
        base = Path(local)
    else:
        base = _home() / ".cache"
    return base / "eclogue" / "lean"


def _home() -> Path:
    """Return the user's home folder or, where there is none, a path at which nothing can be kept."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


@attrs.frozen
class Entry:
    """What the cache has under a key: files by name, and the report about them."""

    files: Mapping[str, Path]
    report: Mapping[str, object]


@attrs.frozen
class Cache:
    """A folder of entries; created when it is first written."""

    root: Path = attrs.field(factory=default_cache)

    def load(self, key: str) -> Entry | None:
        """Return the entry under the key, if it is there and whole."""
        folder = self._folder(key)
        try:
            listed = json.loads((folder / _REPORT).read_bytes())
            files = {name: folder / name for name in listed["files"]}
            whole = all(_digest(path) == listed["files"][name] for name, path in files.items())
            if not whole:
                return None
            os.utime(folder)
            return Entry(files, listed["report"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def store(self, key: str, files: Mapping[str, Path], report: Mapping[str, object]) -> None:
        """Put copies of the files and the report under the key, unless a whole entry is there already.

        A cache that cannot be written is no reason to fail: then nothing is stored.
        """
        if self.load(key) is not None:
            return
        try:
            with self.workspace() as work:
                self._fill(work / "entry", files, report)
                self._publish(work, self._folder(key))
        except OSError:
            return

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """Make a folder for the time of the block, on the cache's own disk if that can be written."""
        parent = self.root / "work"
        try:
            parent.mkdir(parents=True, exist_ok=True)
            work = Path(tempfile.mkdtemp(dir=parent))
        except OSError:
            work = Path(tempfile.mkdtemp())
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def prune(self) -> None:
        """Remove entries that were not used for a month, and what killed processes left behind."""
        now = time.time()
        for pattern, seconds in (("work/*", _ABANDONED_SECONDS), ("entries/*/*", _KEEP_SECONDS)):
            for folder in self.root.glob(pattern):
                with contextlib.suppress(OSError):
                    if now - folder.stat().st_mtime > seconds:
                        shutil.rmtree(folder, ignore_errors=True)

    def _folder(self, key: str) -> Path:
        return self.root / "entries" / key[:2] / key[2:]

    @staticmethod
    def _fill(entry: Path, files: Mapping[str, Path], report: Mapping[str, object]) -> None:
        entry.mkdir()
        for name, path in files.items():
            shutil.copyfile(path, entry / name)
        listed = {"files": {name: _digest(entry / name) for name in files}, "report": report}
        (entry / _REPORT).write_text(json.dumps(listed), encoding="utf-8")

    @staticmethod
    def _publish(work: Path, folder: Path) -> None:
        """Rename `work/entry` to `folder`; a broken entry goes out of the way first, also by a rename."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(2):
            try:
                os.rename(work / "entry", folder)
            except OSError:
                with contextlib.suppress(OSError):
                    os.rename(folder, work / f"old{attempt}")
            else:
                return


def link(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`, by a link if the disk allows it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _digest(path: Path) -> str:
    return f"sha256:{sha256(path.read_bytes()).hexdigest()}"
