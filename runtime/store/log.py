"""One run's records on disk, appended as they come and read while they do.

The death of the writer loses at most the record that was being written; a loss of power, at most what came
after the last `sync`. A reader takes no lock and writes nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from eclogue.core.canonical import commitment
from eclogue.core.limits import DEFAULT
from eclogue.core.syntax import Span
from eclogue.core.trace import START_REF, Record, next_ref, skeleton
from eclogue.runtime.journal import Journal, whole_entries
from eclogue.runtime.sandbox.interface import SandboxError
from eclogue.validator.refs import RefChain
from eclogue.validator.trace_file import MalformedTrace, line, read_trace

TRACE = "trace.jsonl"
BESIDE = "beside"

Note = Mapping[str, Any]
"""What stands beside a record, outside of what refs and claims are about: JSON values by name."""


class DamagedRun(SandboxError):
    """A run's file is not as it was written; what comes before the damage can still be read."""


@attrs.frozen
class Stored:
    """A record of a run: its number, ref and place, and the ref before it."""

    number: int
    record: Record
    span: Span | None
    ref: str
    parent: str
    notes: tuple[Note, ...] = ()

    @property
    def state(self) -> str | None:
        """The file state after this record, where it was frozen then."""
        return next((note["state"] for note in reversed(self.notes) if "state" in note), None)


@attrs.define(eq=False)
class RunLog:
    """A run that is being written: one writer at a time, which has the world's lock."""

    folder: Path
    _trace: int
    _beside: Journal
    salt: bytes = b""
    last: str = START_REF
    count: int = 0

    @staticmethod
    def create(folder: Path, salt: bytes = b"") -> RunLog:
        """Begin a run's files in a folder that is there."""
        number = os.open(folder / TRACE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        journal, _ = Journal.open(folder / BESIDE)
        return RunLog(folder, number, journal, salt)

    @staticmethod
    def reopen(folder: Path, salt: bytes = b"") -> RunLog:
        """Go on with a run; a torn last line is cut off. Raises `DamagedRun`."""
        number = os.open(folder / TRACE, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        size = os.fstat(number).st_size
        whole = _whole_size(folder / TRACE)
        if whole < size:
            os.ftruncate(number, whole)
        journal, _ = Journal.open(folder / BESIDE)
        log = RunLog(folder, number, journal, salt)
        for stored in read_log(folder, salt=salt):
            log.last, log.count = stored.ref, stored.number + 1
        return log

    def __call__(self, number: int, record: Record, span: Span | None) -> None:
        """Append a record, as the machine tells it (`Tracer`); raises `OSError`."""
        if number < self.count:
            return  # it was written before: the run was gone through again to get here
        self.last = next_ref(self.last, skeleton(number, record, self._commit))
        text = line(number, record, span, self.last) + "\n"
        _append(self._trace, text.encode())
        self.count = number + 1

    def _commit(self, value: Any) -> str:
        return commitment(value, self.salt, DEFAULT.value_size)

    def note(self, number: int, **facts: Any) -> None:
        """Put facts beside a record, with the time; raises `OSError`."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._beside.add(seq=number, at=at, **facts)

    def sync(self) -> None:
        """Have what was written survive a loss of power."""
        os.fsync(self._trace)
        self._beside.sync()

    def close(self) -> None:
        """Close the files."""
        os.close(self._trace)
        self._beside.close()


def _append(descriptor: int, data: bytes) -> None:
    end = os.lseek(descriptor, 0, os.SEEK_END)
    written = 0
    try:
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        os.ftruncate(descriptor, end)
        raise


def _whole_size(path: Path) -> int:
    """Return how many bytes of a file are whole lines."""
    data = path.read_bytes()
    return data.rfind(b"\n") + 1


Beside = Mapping[int, tuple[Note, ...]]


def read_notes(folder: Path) -> list[Note]:
    """Return what stands beside the records in the order of its coming, `seq` being the record."""
    return list(whole_entries(folder / BESIDE))


def read_beside(folder: Path) -> Beside:
    """Return what stands beside the records, by number; raises `SandboxError` for a damaged journal."""
    found: dict[int, list[Note]] = {}
    for entry in whole_entries(folder / BESIDE):
        found.setdefault(entry["seq"], []).append({k: v for k, v in entry.items() if k != "seq"})
    return {number: tuple(notes) for number, notes in found.items()}


def read_log(folder: Path, *, salt: bytes = b"", redacted: bool = True) -> Iterator[Stored]:
    """Yield a run's records, each with its ref checked; a torn last line is left out.

    Raises `DamagedRun` at the first that is not as it was written, naming it.
    """
    beside = read_beside(folder)
    yield from _checked(folder, _whole_lines(folder), beside.get, salt, redacted=redacted)


def watch(
    folder: Path, *, salt: bytes = b"", ended: Callable[[], bool], pause: float = 0.05
) -> Iterator[Stored]:
    """Yield a run's records, those that are there and those that come, until it `ended`.

    It only reads: a run that is watched has the same bytes as one that is not.
    """
    lines = _following_lines(folder, ended, pause)
    yield from _checked(folder, lines, lambda number: read_beside(folder).get(number), salt, redacted=True)


def _checked(
    folder: Path,
    lines: Iterator[bytes],
    beside: Callable[[int], tuple[Note, ...] | None],
    salt: bytes,
    *,
    redacted: bool,
) -> Iterator[Stored]:
    chain = RefChain(salt)
    parent = START_REF
    path = folder / TRACE
    try:
        for number, record, ref, span in read_trace(lines, redacted=redacted):
            if chain.accept(number, record, ref) is not None:
                raise DamagedRun(f"{path}: the ref of record {number} is not that of its content")
            yield Stored(number, record, span, ref, parent, beside(number) or ())
            parent = ref
    except MalformedTrace as error:
        raise DamagedRun(f"{path}: line {error.line}: {error.problem}") from None
    except FileNotFoundError:
        raise DamagedRun(f"{path} is not there") from None


def _whole_lines(folder: Path) -> Iterator[bytes]:
    with (folder / TRACE).open("rb") as file:
        yield from (data for data in file if data.endswith(b"\n"))


def _following_lines(folder: Path, ended: Callable[[], bool], pause: float) -> Iterator[bytes]:
    with (folder / TRACE).open("rb") as file:
        part = b""
        while True:
            last = ended()
            while data := file.readline():
                part += data
                if part.endswith(b"\n"):
                    yield part
                    part = b""
            if last:
                return
            time.sleep(pause)
