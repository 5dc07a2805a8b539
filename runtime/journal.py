"""A file of what happened, one JSON object a line, that is only ever appended to.

Each line begins with a checksum of the rest, so that a line that was not written to its end is known for
what it is: it and nothing before it is lost. Until `sync`, what was written can be lost with the power.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import attrs

from eclogue.runtime.sandbox.interface import SandboxError


@attrs.define(eq=False)
class Journal:
    """A journal that is open for appending."""

    path: Path
    descriptor: int

    @staticmethod
    def open(path: Path) -> tuple[Journal, list[dict[str, Any]]]:
        """Open a journal, new or old; return it with its entries. A torn last line is cut off.

        Raises `SandboxError` where a line before the last is damaged.
        """
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            data = path.read_bytes()
            entries, whole = _entries(data, path)
            if whole < len(data):
                os.ftruncate(descriptor, whole)
        except BaseException:
            os.close(descriptor)
            raise
        return Journal(path, descriptor), entries

    def add(self, **entry: Any) -> None:
        """Append an entry; raises `OSError`, and then nothing was appended."""
        text = json.dumps(entry, separators=(",", ":")).encode()
        line = b"%08x %s\n" % (zlib.crc32(text), text)
        end = os.lseek(self.descriptor, 0, os.SEEK_END)
        written = 0
        try:
            while written < len(line):
                written += os.write(self.descriptor, line[written:])
        except OSError:
            os.ftruncate(self.descriptor, end)
            raise

    def sync(self) -> None:
        """Have it survive a loss of power."""
        os.fsync(self.descriptor)

    def close(self) -> None:
        """Close the file."""
        os.close(self.descriptor)


def whole_entries(path: Path) -> list[dict[str, Any]]:
    """Return a journal's entries without opening it for writing; a torn last line is left out.

    Raises `SandboxError` where a line before the last is damaged.
    """
    try:
        return _entries(path.read_bytes(), path)[0]
    except FileNotFoundError:
        return []


def _entries(data: bytes, path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the entries, and how many bytes of the file are whole lines."""
    found: list[dict[str, Any]] = []
    place = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if number == len(lines):
            break
        text = line[9:]
        if line[:9] != b"%08x " % zlib.crc32(text):
            if number == len(lines) - 1:
                break
            raise SandboxError(f"{path}: line {number} is damaged", "restore the file from a copy of it")
        found.append(json.loads(text))
        place += len(line) + 1
    return found, place
