"""Importing a trajectory: a file of one of the formats becomes a trace and its extra file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TextIO, TypeAlias

import attrs

from eclogue.core.trace import START_REF, Record, next_ref, skeleton
from eclogue.validator.importers.atif import import_atif
from eclogue.validator.importers.calls import Calls, Counts
from eclogue.validator.importers.claude_code import import_claude_code
from eclogue.validator.importers.extra_file import ExtraFile
from eclogue.validator.importers.json_lines import LONGEST_LINE
from eclogue.validator.importers.openhands import import_openhands
from eclogue.validator.importers.swe_agent import import_swe_agent
from eclogue.validator.importers.trajectory import LARGEST_DOCUMENT, Ending, Import, document_text
from eclogue.validator.trace_file import line

_OfText: TypeAlias = Callable[[str, Import], Ending]
_OfLines: TypeAlias = Callable[[Iterable[bytes], Import], Ending]

DOCUMENTS: dict[str, _OfText] = {"atif": import_atif, "swe-agent": import_swe_agent}
"""The formats whose files are one JSON document each."""
LINES: dict[str, _OfLines] = {"claude-code": import_claude_code, "openhands": import_openhands}
"""The formats whose files are read line by line."""


@attrs.frozen
class Imported:
    """What became of a file. `records` counts all of the trace, `trace_ref` is the last ref."""

    format: str
    version: str | None
    ending: Ending
    records: int
    trace_ref: str
    counts: Counts
    unknown: dict[str, int]
    copied: int
    delegated: int


class _TraceWriter:
    """Writes records as they come, with their numbers and refs."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._number = 0
        self.ref = START_REF

    def __call__(self, record: Record) -> None:
        self.ref = next_ref(self.ref, skeleton(self._number, record))
        self._file.write(line(self._number, record, None, self.ref) + "\n")
        self._number += 1


def import_trajectory(format_name: str, file: BinaryIO, trace: TextIO, extra: TextIO) -> Imported:
    """Write a file's trace and its extra file; say what was found.

    Raises `TrajectoryRefused` for a file that is not imported, and `LimitExceeded` for a value that is too
    large for a trace; what was written until then is of no use.
    """
    writer = _TraceWriter(trace)
    calls = Calls(writer)
    extra_file = ExtraFile(extra, format_name)
    into = Import(calls, extra_file)
    if format_name in DOCUMENTS:
        ending = DOCUMENTS[format_name](document_text(file.read(LARGEST_DOCUMENT + 1)), into)
    else:
        ending = LINES[format_name](_lines(file), into)
    calls.finish(ending.value)
    extra_file.close(calls.records, writer.ref)
    return Imported(
        format_name,
        into.version,
        ending,
        calls.records,
        writer.ref,
        calls.counts,
        into.unknown,
        into.copied,
        into.delegated,
    )


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, none of them much longer than the longest that is read."""
    while data := file.readline(LONGEST_LINE + 1):
        yield data
