"""Opening the trace files that commands take, with errors that name the file and the line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Protocol

from eclogue.cli.reading import opened, refuse
from eclogue.cli.reporting import Unsupported
from eclogue.core.limits import DEFAULT, MEBI
from eclogue.core.syntax import Span
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.reading import MAX_BYTES, open_input
from eclogue.validator.redaction import without_commitment
from eclogue.validator.trace_file import Line, MalformedTrace, RedactedTrace, read_trace


class Digest(Protocol):
    """Something that is told the bytes that are read, such as `hashlib.sha256()`."""

    def update(self, data: bytes, /) -> None:
        """Take the bytes that come next."""


@contextmanager
def open_trace(
    path: str, *, redacted: bool = False, digest: Digest | None = None
) -> Iterator[Iterator[Line]]:
    """Open a trace file, which may be `redacted`; `digest` is told the bytes of the lines that are read.

    Raises `SourceErrors` for one that cannot be read (EC0001 to EC0003, EC4401).
    """
    with opened(path) as file:
        try:
            yield read_trace(_lines(file, digest), redacted=redacted)
        except MalformedTrace as error:
            column = 1 if error.offset is None else error.offset + 1
            span = Span(error.line, column, error.line, column + 1)
            source = excerpts(path, {error.line})
            if isinstance(error, RedactedTrace):
                item = refuse("EC4703", error.problem, source, span, _REDACTED)
                raise Unsupported(item.diagnostics, source) from None
            raise refuse("EC4401", error.problem, source, span, _HINT) from None


MAX_LINE = 2 * DEFAULT.value_size
"""Bytes of the longest line that is read of a trace: one value can be as large as half of it."""


def _lines(file: BinaryIO, digest: Digest | None = None) -> Iterator[bytes]:
    """Yield the lines of a trace, and tell the digest; raises `MalformedTrace` at one that is too long."""
    number = 0
    while data := file.readline(MAX_LINE + 1):
        number += 1
        if len(data) > MAX_LINE:
            raise MalformedTrace(number, f"a line of more than {MAX_LINE // MEBI} MiB")
        if digest is not None:
            digest.update(data)
        yield data


_HINT = "a trace has one record a line, as `eclogue run PROGRAM --trace FILE` writes it"
_REDACTED = "put its values back with `eclogue restore`"
_SHOWN = 200
"""Characters of a line of a trace that are kept to be shown."""


def excerpts(path: str, wanted: set[int]) -> SourceText:
    """Return some lines of a file, in their places, all others empty."""
    shown: list[str] = []
    with suppress(OSError), open_input(path) as file:
        for number in range(1, max(wanted, default=0) + 1):
            data = file.readline(MAX_LINE + 1)
            text = data[: 4 * _SHOWN].decode("utf-8", "replace").rstrip("\r\n")
            shown.append(text[:_SHOWN] if number in wanted else "")
            if not data.endswith(b"\n"):  # it is the last one, or one that is too long to be read
                break
    return SourceText(path, "\n".join(shown))


def is_redacted(path: str) -> bool:
    """Return whether a trace file has a line of which a value was taken out; raises as `opened`."""
    with opened(path) as file, suppress(MalformedTrace):
        return any(without_commitment(line.decode("utf-8", "replace")) is not None for line in _lines(file))
    return False


def digest_of(path: str, *, trace: bool) -> str:
    """Return the SHA-256 of the bytes of a `trace`, or of a source, in hexadecimal.

    The file must be one that can be read again. Raises `SourceErrors` as `opened`, and for what is larger
    than it may be: a source of more than `MAX_BYTES` (EC0005), a line of a trace of more than `MAX_LINE`
    (EC4401).
    """
    digest = hashlib.sha256()
    source = SourceText(path, "")
    with opened(path) as file:
        if not file.seekable():
            message = "cannot be read: it is read more than once, and a pipe cannot be"
            raise refuse("EC0003", message, source, None, "write it to a file first")
        try:
            blocks = _lines(file) if trace else iter(lambda: file.read(MEBI), b"")
            for block in blocks:
                digest.update(block)
                if not trace and file.tell() > MAX_BYTES:
                    message = f"more than {MAX_BYTES // MEBI} MiB, the most that is read"
                    raise refuse("EC0005", message, source, None)
        except MalformedTrace as error:
            raise refuse("EC4401", f"line {error.line}: {error.problem}", source, None, _HINT) from None
        except OSError as error:
            raise refuse("EC0003", f"cannot be read: {error.strerror or error}", source, None) from None
    return digest.hexdigest()


def read_bytes(path: str, most: int | None = None) -> bytes:
    """Return a whole file, or of a larger one its first `most` bytes; raises as `opened`."""
    source = SourceText(path, "")
    with opened(path) as file:
        try:
            return file.read() if most is None else file.read(most)
        except OSError as error:
            raise refuse("EC0003", f"cannot be read: {error.strerror or error}", source, None) from None
