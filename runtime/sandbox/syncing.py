"""Having what was written to one file system survive a loss of power."""

from __future__ import annotations

import os
from pathlib import Path

from eclogue.runtime.sandbox import syscalls


def sync_file_system(folder: Path) -> None:
    """Write everything to the disk that the file system of a folder has not written yet; raises `OSError`.

    Where the system knows no such call, all file systems are written.
    """
    if not syscalls.LINUX:
        os.sync()
        return
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        syscalls.sync_file_system(number)
    finally:
        os.close(number)
