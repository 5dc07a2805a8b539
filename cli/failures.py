"""Why a run failed, shown where it is in the source."""

from __future__ import annotations

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


def failure_diagnostic(failed: Failed, program: Program) -> tuple[Diagnostic, SourceText | None]:
    """Return the diagnostic of a failed run, and its source if that can still be read.

    Without the source its place stands in a note.
    """
    source = _source(program)
    detail = f": {failed.detail}" if failed.detail else ""
    message = f"the run failed, {failed.reason}{detail}"
    code = _CODES[failed.reason.kind]
    if source is not None and failed.span is not None and failed.span.line <= len(source.line_starts):
        return Diagnostic(code, Severity.ERROR, message, failed.span), source
    notes = () if failed.span is None else ((None, f"at {program.source}:{failed.span}"),)
    return Diagnostic(code, Severity.ERROR, message, None, notes), None


def _source(program: Program) -> SourceText | None:
    if program.source is None:
        return None
    try:
        return read_source(program.source)
    except SourceErrors:
        return None
