"""What a workspace was like when a world was opened on it, so that a change behind its back is noticed."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from eclogue.runtime.sandbox.interface import SandboxError

Baseline = dict[str, list[int]]
"""For each path: kind and mode, size, times of modification and of change in nanoseconds, inode, owner,
group. Of a directory the size and the time of change are left out: a mount may touch them."""


def baseline_of(base: Path) -> Baseline:
    """Look at every path below a workspace, following no link.

    Raises `SandboxError` for one that cannot be a sandbox's base: something is mounted in it.
    """
    device = os.lstat(base).st_dev
    found: Baseline = {}
    for path, status in _walk(os.fsencode(base)):
        if status.st_dev != device:
            name = os.fsdecode(path)
            raise SandboxError(f"another file system is mounted at {name}", "unmount it, or use its parent")
        folder = stat.S_ISDIR(status.st_mode)
        found[os.fsdecode(os.path.relpath(path, os.fsencode(base)))] = [
            status.st_mode,
            0 if folder else status.st_size,
            status.st_mtime_ns,
            0 if folder else status.st_ctime_ns,
            status.st_ino,
            status.st_uid,
            status.st_gid,
        ]
    return found


def _walk(base: bytes) -> Iterator[tuple[bytes, os.stat_result]]:
    yield base, os.lstat(base)
    pending = [base]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                yield entry.path, status
                if stat.S_ISDIR(status.st_mode):
                    pending.append(entry.path)


def changed_paths(before: Baseline, now: Baseline) -> list[str]:
    """Return the paths that differ, sorted."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def foreign_owner(found: Baseline) -> str | None:
    """Return a path that belongs to somebody whom this user's namespace has no number for, if one does."""
    user, group = os.geteuid(), os.getegid()
    return next((name for name, facts in found.items() if (facts[5], facts[6]) != (user, group)), None)


def save(found: Baseline, path: Path) -> None:
    """Write it down."""
    path.write_text(json.dumps(found), encoding="utf-8", errors="surrogateescape")


def load(path: Path) -> Baseline:
    """Read what `save` wrote."""
    found: Baseline = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
    return found
