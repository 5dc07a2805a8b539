"""Opening the trace files that commands take, with errors that name the file and the line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from eclogue.cli.reading import refuse
from eclogue.core.errors import MalformedInput
from eclogue.lowering.diagnostics import SourceErrors, SourceText
from eclogue.validator.trace_file import Line, RedactedTrace, read_trace


class Redacted(SourceErrors):
    """A trace that is well-formed, and of which values are missing."""


@contextmanager
def open_trace(path: str) -> Iterator[Iterator[Line]]:
    """Open a trace file; raises `SourceErrors` for one that cannot be read (EC0001 to EC0003, EC4401)."""
    source = SourceText(path, "")
    with opened(path) as file:
        try:
            yield read_trace(file)
        except MalformedInput as error:
            item = refuse("EC4401", error.message, source, None)
            kind = Redacted if isinstance(error, RedactedTrace) else SourceErrors
            raise kind(item.diagnostics, source) from None


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; raises `SourceErrors` where that cannot be done (EC0001 to EC0003)."""
    source = SourceText(path, "")
    try:
        with Path(path).open("rb") as file:
            yield file
    except FileNotFoundError:
        raise refuse("EC0001", "file not found", source, None) from None
    except IsADirectoryError:
        raise refuse(
            "EC0002", "this is a directory, not a file", source, None, "name a file in it"
        ) from None
    except OSError as error:
        raise refuse("EC0003", f"cannot be read: {error.strerror or error}", source, None) from None


def read_bytes(path: str, most: int | None = None) -> bytes:
    """Return a whole file, or of a larger one its first `most` bytes; raises as `opened`."""
    source = SourceText(path, "")
    with opened(path) as file:
        try:
            return file.read() if most is None else file.read(most)
        except OSError as error:
            raise refuse("EC0003", f"cannot be read: {error.strerror or error}", source, None) from None
