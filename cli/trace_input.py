"""Opening the trace files that commands take, with errors that name the file and the line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from eclogue.cli.reading import opened, refuse
from eclogue.cli.reporting import Unsupported
from eclogue.core.syntax import Span
from eclogue.lowering.diagnostics import SourceText
from eclogue.validator.redaction import without_commitment
from eclogue.validator.trace_file import Line, MalformedTrace, RedactedTrace, read_trace


@contextmanager
def open_trace(path: str, *, redacted: bool = False) -> Iterator[Iterator[Line]]:
    """Open a trace file, which may be `redacted`.

    Raises `SourceErrors` for one that cannot be read (EC0001 to EC0003, EC4401).
    """
    with opened(path) as file:
        try:
            yield read_trace(file, redacted=redacted)
        except MalformedTrace as error:
            column = 1 if error.offset is None else error.offset + 1
            span = Span(error.line, column, error.line, column + 1)
            source = excerpts(path, {error.line})
            if isinstance(error, RedactedTrace):
                item = refuse("EC4703", error.problem, source, span, _REDACTED)
                raise Unsupported(item.diagnostics, source) from None
            raise refuse("EC4401", error.problem, source, span, _HINT) from None


_HINT = "a trace has one record a line, as `eclogue run PROGRAM --trace FILE` writes it"
_REDACTED = "put its values back with `eclogue restore`"
_SHOWN = 200
"""Characters of a line of a trace that are kept to be shown."""


def excerpts(path: str, wanted: set[int]) -> SourceText:
    """Return some lines of a file, in their places, all others empty."""
    shown: list[str] = []
    with suppress(OSError), Path(path).open("rb") as file:
        for number, data in enumerate(islice(file, max(wanted, default=0)), 1):
            text = data[: 4 * _SHOWN].decode("utf-8", "replace").rstrip("\r\n")
            shown.append(text[:_SHOWN] if number in wanted else "")
    return SourceText(path, "\n".join(shown))


def is_redacted(path: str) -> bool:
    """Return whether a trace file has a line of which a value was taken out; raises as `opened`."""
    with opened(path) as file:
        return any(without_commitment(line.decode("utf-8", "replace")) is not None for line in file)


def read_bytes(path: str, most: int | None = None) -> bytes:
    """Return a whole file, or of a larger one its first `most` bytes; raises as `opened`."""
    source = SourceText(path, "")
    with opened(path) as file:
        try:
            return file.read() if most is None else file.read(most)
        except OSError as error:
            raise refuse("EC0003", f"cannot be read: {error.strerror or error}", source, None) from None
