"""Why a run failed, shown where it is in the source."""

from __future__ import annotations

from pathlib import Path

from eclogue.core.errors import FailureKind
from eclogue.core.outcomes import Failed
from eclogue.core.syntax import Program
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceErrors, SourceText
from eclogue.lowering.reading import read_source

_CODES = {
    FailureKind.UNBOUND: "EC5001",
    FailureKind.TYPE: "EC5002",
    FailureKind.KEY: "EC5003",
    FailureKind.SCHEMA: "EC5004",
}


def failure_diagnostic(
    failed: Failed, program: Program, given: str
) -> tuple[Diagnostic, SourceText | None]:
    """Return the diagnostic of a failed run, and its source if that can still be read.

    `given` is the file that the program was read from. Without the source its place stands in a note.
    """
    source = _source(program, given)
    detail = f": {failed.detail}" if failed.detail else ""
    message = f"the run failed, {failed.reason}{detail}"
    code = _CODES[failed.reason.kind]
    if source is not None and failed.span is not None and failed.span.line <= len(source.line_starts):
        return Diagnostic(code, Severity.ERROR, message, failed.span), source
    notes = () if failed.span is None else ((None, f"at {program.source}:{failed.span}"),)
    return Diagnostic(code, Severity.ERROR, message, None, notes), None


def _source(program: Program, given: str) -> SourceText | None:
    """Return the text that the program came from.

    A document can name any file as its source, so only a source below this folder is opened for one: an
    `.ecl` file that is reached without links and without going up.
    """
    if program.source is None or not (program.source == given or _below_here(program.source)):
        return None
    try:
        return read_source(program.source)
    except SourceErrors:
        return None


def _below_here(name: str) -> bool:
    path = Path(name)
    try:
        plain = path.suffix == ".ecl" and not path.is_absolute() and ".." not in path.parts
        return plain and path.is_file() and path.resolve() == Path.cwd().resolve() / path
    except (OSError, ValueError):
        return False
