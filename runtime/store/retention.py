"""How much room runs take, and removing them."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from eclogue.runtime.nodes import remove


def size_of(folder: Path) -> int:
    """Return the bytes that a run takes on disk; a file that several layers share counts once."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for where, folders, names in os.walk(folder):
        for name in (*folders, *names):
            status = os.lstat(os.path.join(where, name))
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                total += status.st_blocks * 512
    return total


def remove_run(folder: Path) -> bool:
    """Remove a run with all that belongs to it; False, and nothing is removed, while it is in use."""
    lock = folder / "world" / "lock"
    try:
        number = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        number = -1
    try:
        if number >= 0:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        where = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            remove(where, os.fsencode(folder.name))
        finally:
            os.close(where)
    except BlockingIOError:
        return False
    finally:
        if number >= 0:
            os.close(number)
    return True
