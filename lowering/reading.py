"""Reading source files."""

from __future__ import annotations

import errno
import os
import re
import stat
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from eclogue.core.limits import MEBI
from eclogue.lowering.diagnostics import BYTE_ORDER_MARK, Diagnostics, SourceText

MAX_BYTES = 64 * MEBI
"""The size of the largest source file that is read."""


_GIVEN = re.compile(r"/dev/stdin|/(?:dev|proc/self)/fd/[0-9]+")
"""Names of what this process was given open, such as standard input; a shell's `<(…)` is one too."""


def open_input(path: str | Path) -> BinaryIO:
    """Open a file to read its bytes.

    Raises `OSError`, and `ValueError` for what can be no name. A pipe, a socket or a device is refused
    rather than waited for, unless it is one that this process was given open.
    """
    if _GIVEN.fullmatch(str(path)):
        return open(path, "rb")
    # The kind is looked at before too: opening some devices does something.
    _only_regular(os.stat(path).st_mode)
    handle = os.open(path, os.O_RDONLY | _AT_ONCE)
    try:
        _only_regular(os.fstat(handle).st_mode)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


_AT_ONCE = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))


def _only_regular(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise OSError(errno.EINVAL, f"it is {kind}, not a file")


def read_source(path: str | Path) -> SourceText:
    """Return the text of a UTF-8 file, named as it was given.

    Raises `SourceErrors` for a path that cannot be read (EC0001 to EC0003), for bytes that are not UTF-8
    (EC0004, at the first of them) and for a file over `MAX_BYTES` (EC0005).
    """
    return read_digested(path)[0]


def read_digested(path: str | Path) -> tuple[SourceText, str]:
    """Return a file's text and the SHA-256 of the very bytes that were read, in hexadecimal.

    Raises as `read_source`.
    """
    data = _bytes(Path(path), str(path))
    return decode_source(str(path), data), sha256(data).hexdigest()


def decode_source(name: str, data: bytes) -> SourceText:
    """Return bytes as a source text; raises `SourceErrors` (EC0004) if they are not UTF-8."""
    try:
        return SourceText(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        start = error.start
    # The text before the bad byte is as it should be, so that the byte's place can be told and shown.
    source = SourceText(name, data.decode("utf-8", errors="replace"))
    good = len(data[:start].decode("utf-8").removeprefix(BYTE_ORDER_MARK))
    diagnostics = Diagnostics(source)
    diagnostics.error(
        "EC0004",
        f"not UTF-8: byte 0x{data[start]:02x} at offset {start}",
        source.span(good, good + 1),
        hint=_encoding_hint(data),
    )
    diagnostics.raise_errors()
    return source


def _encoding_hint(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "this looks like UTF-16: save the file as UTF-8"
    return "save the file as UTF-8"


def _bytes(path: Path, name: str) -> bytes:
    try:
        with open_input(path) as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        _refuse(name, "EC0001", "file not found")
    except IsADirectoryError:
        _refuse(name, "EC0002", "this is a directory, not a file", "name a file in it")
    except (OSError, ValueError) as error:
        _refuse(name, "EC0003", f"cannot be read: {_reason(error)}")
    else:
        if len(data) > MAX_BYTES:
            _refuse(name, "EC0005", f"more than {MAX_BYTES // MEBI} MiB, the most that is read")
        return data
    raise AssertionError("a refusal raises")


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error)


def _refuse(name: str, code: str, message: str, hint: str | None = None) -> None:
    diagnostics = Diagnostics(SourceText(name, ""))
    diagnostics.error(code, message, None, hint=hint)
    diagnostics.raise_errors()
