"""`eclogue import atif|claude-code|openhands|swe-agent`: other tools' trajectories as traces."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from eclogue.cli.files import keep_inputs, replacing
from eclogue.cli.options import error_format_option
from eclogue.cli.reading import opened, place, refuse
from eclogue.cli.reporting import Unsupported, reporting
from eclogue.cli.result import object_text
from eclogue.cli.trace_input import read_bytes
from eclogue.core.syntax import Span
from eclogue.core.values import Value, record
from eclogue.lowering.diagnostics import BYTE_ORDER_MARK, SourceErrors, SourceText
from eclogue.lowering.reading import MAX_BYTES
from eclogue.validator.importers.importing import Imported, import_trajectory
from eclogue.validator.importers.trajectory import STRENGTH_REASON, TrajectoryRefused

_DESCRIPTIONS = {
    "atif": "a trajectory in ATIF (Agent Trajectory Interchange Format, v1.0 to v1.8), one JSON object",
    "claude-code": "a session of Claude Code, in JSON Lines",
    "openhands": "a log of OpenHands's events, a JSON list or JSON Lines, of either generation",
    "swe-agent": "a trajectory of SWE-agent (.traj), one JSON object",
}
_SHORT = {
    "atif": "A trajectory in ATIF, v1.0 to v1.8.",
    "claude-code": "A session of Claude Code.",
    "openhands": "A log of OpenHands's events.",
    "swe-agent": "A trajectory of SWE-agent.",
}


def commands() -> Iterator[click.Command]:
    """Yield the command of each format."""
    for name, description in _DESCRIPTIONS.items():
        yield _command(name, description)


def _command(name: str, description: str) -> click.Command:
    """Return the command of a format."""

    def run(file: str, out: str | None, extra: str | None, as_json: bool, error_format: str) -> None:
        if as_json and out is None:
            raise click.UsageError("--json needs --out: standard output can carry only one of them")
        _import(name, file, out, extra or extra_beside(out), error_format, as_json)

    run.__doc__ = f"""Import FILE, {description}, as a trace.

    Each tool call becomes a declaration, its result the observation of that declaration, in the order of
    the calls. What has no place in records goes to the extra file, and nothing is lost. The trace is
    runtime_only. Exit codes: 0 imported; 2 malformed input, another format, usage, I/O; 3 a version that is
    not known, or a value that is too large.
    """
    command: Callable[..., None] = error_format_option(run)
    command = click.option("--json", "as_json", is_flag=True, help="Print one JSON object; needs --out.")(
        command
    )
    command = click.option(
        "--extra",
        metavar="FILE",
        help="Where the extra file goes; default beside --out, as NAME.extra.jsonl.",
    )(command)
    command = click.option(
        "--out", metavar="TRACE.jsonl", help="Where the trace goes; default standard output."
    )(command)
    command = click.argument("file")(command)
    return click.command(name, short_help=_SHORT[name])(command)


def extra_beside(trace: str | None) -> str | None:
    """Return where the extra file of a trace is: beside it, under its name."""
    return None if trace is None else f"{trace.removesuffix('.jsonl')}.extra.jsonl"


def _import(
    name: str, file: str, out: str | None, extra: str | None, error_format: str, as_json: bool
) -> None:
    keep_inputs((file,), (out, extra))
    if out is not None and extra is not None and Path(out).resolve() == Path(extra).resolve():
        raise click.UsageError("--out and --extra name the same file")
    with reporting(error_format, as_json):
        with _trace_file(out) as trace, _extra_file(extra) as extra_file:
            imported = _imported(name, file, trace, extra_file)
        if as_json:
            click.echo(_json(imported, extra))
        else:
            for line in _lines(imported, extra):
                click.echo(line, err=out is None)


@contextmanager
def _trace_file(out: str | None) -> Iterator[TextIO]:
    """Open where a trace goes; standard output gets it only when it is whole."""
    if out is not None:
        with replacing(out) as file:
            yield file
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as file:
        yield file
        file.seek(0)
        shutil.copyfileobj(file, sys.stdout)


@contextmanager
def _extra_file(path: str | None) -> Iterator[TextIO]:
    if path is not None:
        with replacing(path) as file:
            yield file
        return
    yield _Nowhere()


class _Nowhere(io.StringIO):
    """A file that keeps nothing."""

    def write(self, text: str) -> int:
        """Take text."""
        return len(text)


def _imported(name: str, path: str, trace: TextIO, extra: TextIO) -> Imported:
    """Import a file; raises `SourceErrors` for one that cannot be read or is refused."""
    try:
        with opened(path) as file:
            return import_trajectory(name, file, trace, extra)
    except TrajectoryRefused as error:
        raise _refusal(path, error) from None


def _refusal(path: str, error: TrajectoryRefused) -> SourceErrors:
    """Return a refusal with its place in the file, which is read again to be shown, if that is possible."""
    source, span = SourceText(path, ""), None
    again = Path(path).is_file()
    if error.line is not None:
        column = (error.offset or 0) + 1
        source = SourceText(path, "\n" * (error.line - 1) + (_line(path, error.line) if again else ""))
        span = Span(error.line, column, error.line, column + 1)
    elif error.offset is not None and again:
        source = SourceText(path, read_bytes(path, MAX_BYTES).decode("utf-8", "replace"))
        span = place(source, error.offset)
    found = refuse(error.code, error.message, source, span, error.hint)
    return Unsupported(found.diagnostics, source) if error.unsupported else found


def _line(path: str, number: int) -> str:
    data = b""
    with opened(path) as file:
        for _ in range(number):
            data = file.readline(MAX_BYTES)
    return data.decode("utf-8", "replace").removeprefix(BYTE_ORDER_MARK).rstrip("\r\n").replace("\r", " ")


# ------------------------------------------------------------------------------------------------
# What was imported


def _json(imported: Imported, extra: str | None) -> str:
    counts = imported.counts
    members: dict[str, Value] = {
        "status": "imported",
        "format": imported.format,
        "format_version": imported.version,
        "extent": _extent(imported),
        "extent_reason": imported.ending.reason,
        "strength": "runtime_only",
        "strength_reason": STRENGTH_REASON,
        "records": imported.records,
        "calls": counts.calls,
        "results": record(counts.results),
        "unmatched_results": counts.unmatched,
        "repeated_ids": counts.repeated_ids,
        "late_results": counts.late,
        "copied_calls": imported.copied,
        "sub_agent_calls": imported.delegated,
        "unknown": record(imported.unknown),
        "extra": extra,
        "trace_ref": imported.trace_ref,
    }
    return object_text(members)


def _extent(imported: Imported) -> str:
    return "prefix" if imported.ending.value is None else "completed"


def _lines(imported: Imported, extra: str | None) -> Iterator[str]:
    counts = imported.counts
    extent = "a prefix" if imported.ending.value is None else "a completed run"
    yield f"imported  {_count(imported.records)}, {extent}: {imported.ending.reason}"
    yield ""
    results = ", ".join(f"{count} {status}" for status, count in counts.results.items() if count)
    yield f"  calls     {counts.calls}{f': {results}' if results else ''}"
    for name, text in _remarks(imported):
        yield f"  {name:<9} {text}"
    yield f"  strength  runtime_only: {STRENGTH_REASON}"
    kept = extra or "not written: give --out or --extra to keep what has no place in records"
    yield f"  extra     {kept}"
    yield f"  trace     {imported.trace_ref}"


def _count(records: int) -> str:
    return f"{records:,} {'record' if records == 1 else 'records'}"


def _remarks(imported: Imported) -> Iterator[tuple[str, str]]:
    counts = imported.counts
    if imported.version is not None:
        yield "format", imported.version
    for name, count, text in (
        (
            "order",
            counts.late,
            "with a result that came after a later call: the records are ordered by call",
        ),
        ("ids", counts.repeated_ids, "with an id that an earlier call has"),
        ("agents", imported.delegated, "made by sub-agents"),
        ("copied", imported.copied, "that are copies of calls made elsewhere: no records"),
        ("results", counts.unmatched, "that belong to no call that waits: in the extra file only"),
    ):
        if count:
            yield name, f"{count} {text}"
    if imported.unknown:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(imported.unknown.items()))
        yield "unknown", f"{kinds}: kept in the extra file"
