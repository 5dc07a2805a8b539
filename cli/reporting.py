"""From errors to standard error and exit codes: diagnostics for people or as JSON, never a traceback."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from eclogue.cli.result import members_text, object_text
from eclogue.cli.summary import PlainConsole
from eclogue.core.errors import LimitExceeded
from eclogue.lowering.diagnostics import Diagnostic, SourceErrors, SourceText
from eclogue.lowering.expansion import ExpansionRefused
from eclogue.lowering.rendering import styled, to_json

NO_SOURCE = SourceText("", "")

MALFORMED = 2
UNSUPPORTED = 3


class Refused(SourceErrors):
    """A document that is well-formed and refused all the same; exit code 1."""


class Unsupported(SourceErrors):
    """A document that may well be right, and that this version does not know; exit code 3."""


@contextmanager
def reporting(error_format: str, as_json: bool) -> Iterator[None]:
    """Turn the errors of the block into diagnostics on standard error and the documented exit code.

    With `as_json`, one object with the diagnostics stands on standard output too.
    """
    try:
        yield
    except SourceErrors as errors:
        print_all(errors.diagnostics, errors.source, error_format)
        status, code = _verdict(errors)
        if as_json:
            items = ", ".join(diagnostic_json(item, errors.source) for item in errors.diagnostics)
            click.echo(members_text([("status", f'"{status}"'), ("diagnostics", f"[{items}]")]))
        sys.exit(code)
    except LimitExceeded as exceeded:
        click.echo(f"error: the limit {exceeded.limit} of {exceeded.bound:,} was reached", err=True)
        if as_json:
            click.echo(
                object_text(
                    {"status": "exhausted", "limit": exceeded.limit, "bound": round(exceeded.bound)}
                )
            )
        sys.exit(UNSUPPORTED)


def _verdict(errors: SourceErrors) -> tuple[str, int]:
    if isinstance(errors, Refused):
        return "rejected", 1
    if isinstance(errors, (ExpansionRefused, Unsupported)):
        return "unsupported", UNSUPPORTED
    return "malformed", MALFORMED


def print_all(diagnostics: Iterable[Diagnostic], source: SourceText | None, error_format: str) -> None:
    """Print diagnostics on standard error, in the chosen format."""
    if error_format == "json":
        for item in diagnostics:
            click.echo(diagnostic_json(item, source), err=True)
        return
    console = PlainConsole(stderr=True)
    for position, item in enumerate(diagnostics):
        if position:
            console.print()
        console.print(styled(item, source or NO_SOURCE))


def diagnostic_json(diagnostic: Diagnostic, source: SourceText | None) -> str:
    """Return a diagnostic as one JSON object on one line (`validator/schema/diagnostic.schema.json`)."""
    return json.dumps(to_json(diagnostic, source or NO_SOURCE), ensure_ascii=False)
