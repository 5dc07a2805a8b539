"""`eclogue export`: traces in other tools' formats."""

from __future__ import annotations

from pathlib import Path

import attrs
import click

from eclogue.cli.files import keep_inputs, write_text
from eclogue.cli.importing_trajectories import extra_beside
from eclogue.cli.options import error_format_option
from eclogue.cli.reading import opened, refuse
from eclogue.cli.reporting import Refused, reporting
from eclogue.cli.result import object_text
from eclogue.cli.trace_input import open_trace
from eclogue.cli.version import version_text
from eclogue.core.errors import MalformedInput
from eclogue.core.syntax import Span
from eclogue.core.trace import Record
from eclogue.core.values import Value, record
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceText
from eclogue.validator.exporters.atif import export_trace
from eclogue.validator.exporters.restore import restored
from eclogue.validator.importers.extra_file import Extra, MovedToRecords, read_extra
from eclogue.validator.importers.foreign_json import text_of_json
from eclogue.validator.lifecycle import Lifecycle
from eclogue.validator.refs import RefChain


@click.group("export")
def export_group() -> None:
    """Export a trace to another tool's format."""


@attrs.frozen
class _Trace:
    """A trace that was read: its refs fit, and it keeps the lifecycle rules."""

    records: tuple[tuple[int, Record, Span | None], ...]
    ref: str


@attrs.frozen
class _Export:
    """The text of a document, and what is to be said about it; `lossless` says that nothing was lost."""

    text: str
    lossless: bool
    notes: tuple[str, ...]
    left_out: dict[str, int]


@export_group.command("atif", short_help="A trajectory in ATIF v1.8.")
@click.argument("trace")
@click.option(
    "--extra",
    metavar="FILE",
    help="The extra file of an imported trace; default NAME.extra.jsonl beside it, if there is one.",
)
@click.option("--out", metavar="FILE", help="Where the document goes; default standard output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; needs --out.")
@error_format_option
def export_atif_command(
    trace: str, extra: str | None, out: str | None, as_json: bool, error_format: str
) -> None:
    """Export TRACE as a trajectory in ATIF v1.8 (Agent Trajectory Interchange Format).

    A trace that was imported from ATIF gives the imported document back, as the same JSON values. Any
    other export is lossy, and says so: handler selections, resumptions and aborts have no place in ATIF.
    Exit codes: 0 exported; 1 the trace breaks the rules of traces, or the extra file is another trace's; 2
    malformed input, usage, I/O; 3 a redacted trace, or a value that is too large.
    """
    if as_json and out is None:
        raise click.UsageError("--json needs --out: standard output can carry only one of them")
    beside = extra_beside(trace)
    chosen = extra if extra is not None or beside is None or not Path(beside).exists() else beside
    keep_inputs((trace, chosen), (out,))
    with reporting(error_format, as_json):
        read = _read_trace(trace)
        export = _export(read, trace, chosen)
        if out is None:
            click.echo(export.text)
        else:
            write_text(out, export.text + "\n")
        for note in export.notes:
            click.echo(f"note: {note}", err=True)
        if as_json:
            click.echo(_json(export, read.ref))


def _json(export: _Export, trace_ref: str) -> str:
    members: dict[str, Value] = {
        "status": "exported",
        "format": "atif",
        "lossless": export.lossless,
        "left_out": record(export.left_out),
        "notes": export.notes,
        "trace_ref": trace_ref,
    }
    return object_text(members)


def _export(trace: _Trace, path: str, extra_path: str | None) -> _Export:
    extra = None if extra_path is None else _read_extra(extra_path)
    if extra is not None and extra_path is not None:
        _belongs(extra, extra_path, trace, path)
        if extra.format == "atif":
            return _Export(_restored(extra, extra_path, trace), True, (), {})
    found = export_trace(trace.records, trace.ref, version_text())
    notes = [found.notes]
    if extra is None:
        notes.append(
            "no extra file was found beside the trace: if it was imported, what has no place in records is"
            " not in the export; name the file with --extra"
        )
    if extra is not None:
        notes.append(f"what {extra_path} holds of the {extra.format} file is not in the export")
    return _Export(text_of_json(found.document), False, tuple(notes), found.left_out)


def _restored(extra: Extra, extra_path: str, trace: _Trace) -> str:
    moved = MovedToRecords(item for _, item, _ in trace.records)
    try:
        return "\n".join(text for _, text in restored(extra, moved))
    except MalformedInput as error:
        raise refuse("EC4606", error.message, SourceText(extra_path, ""), None) from None


def _belongs(extra: Extra, extra_path: str, trace: _Trace, path: str) -> None:
    if (extra.records, extra.trace_ref) != (len(trace.records), trace.ref):
        notes = (
            (None, f"it was written with {extra.records} records and the last ref {extra.trace_ref}"),
            (None, f"{path} has {len(trace.records)} records and the last ref {trace.ref}"),
        )
        message = f"this is not the extra file of {path}"
        item = Diagnostic("EC4607", Severity.ERROR, message, None, notes)
        raise Refused([item], SourceText(extra_path, ""))


def _read_extra(path: str) -> Extra:
    hint = "import the original file again"
    with opened(path) as file:
        try:
            return read_extra(file)
        except MalformedInput as error:
            raise refuse("EC4606", error.message, SourceText(path, ""), None, hint) from None


def _read_trace(path: str) -> _Trace:
    """Return a trace; raises `SourceErrors` (EC4401 to EC4403) for one that is not as traces are."""
    source = SourceText(path, "")
    refs, lifecycle = RefChain(), Lifecycle()
    records: list[tuple[int, Record, Span | None]] = []
    with open_trace(path) as lines:
        for number, item, ref, span in lines:
            if refs.accept(number, item, ref) is not None:
                message = f"record {number} has another ref than its content gives"
                raise Refused([Diagnostic("EC4402", Severity.ERROR, message, None)], source)
            rejection = lifecycle.accept(number, item)
            if rejection is not None:
                raise Refused([Diagnostic("EC4403", Severity.ERROR, str(rejection), None)], source)
            records.append((number, item, span))
    return _Trace(tuple(records), refs.result().last)
