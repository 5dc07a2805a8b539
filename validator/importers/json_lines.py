"""Files in JSON Lines, read line by line in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eclogue.core.errors import MalformedInput
from eclogue.core.limits import MEBI
from eclogue.core.values import Value
from eclogue.lowering.diagnostics import BYTE_ORDER_MARK
from eclogue.validator.importers.foreign_json import read_json
from eclogue.validator.importers.trajectory import UTF_8, TrajectoryRefused, not_json

LONGEST_LINE = 64 * MEBI
"""The size in bytes of the longest line that is read."""


def read_json_lines(lines: Iterable[bytes], tool: str) -> Iterator[tuple[int, Value]]:
    """Yield the documents of a file with their lines, which count from 1; empty lines have none.

    Raises `TrajectoryRefused` (EC0004, EC0005, EC4601) for a line that is no JSON.
    """
    for number, data in enumerate(lines, 1):
        if len(data) > LONGEST_LINE:
            message = f"more than {LONGEST_LINE // MEBI} MiB on one line, the most that is read"
            raise TrajectoryRefused("EC0005", message, line=number)
        text = _text(data, number)
        if text and not text.isspace():
            yield number, _document(text, number, tool, cut_off=not data.endswith(b"\n"))


def _text(data: bytes, number: int) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"not UTF-8: byte 0x{data[error.start]:02x} at byte {error.start} of the line"
        offset = len(data[: error.start].decode("utf-8"))
        raise TrajectoryRefused("EC0004", message, line=number, offset=offset, hint=UTF_8) from None
    return text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text


def _document(text: str, number: int, tool: str, *, cut_off: bool) -> Value:
    try:
        return read_json(text)
    except MalformedInput as error:
        hint = f"{tool} writes JSON Lines: each line is one JSON object"
        if cut_off and number > 1:
            hint = "this is the last line, and it was cut off: without it the file can be imported"
        not_json(error, hint, number)
