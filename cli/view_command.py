"""`eclogue view`: runs as one self-contained page, to be walked through in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from eclogue.cli.certification import TRACE
from eclogue.cli.corpus import ARGUMENTS, read_arguments
from eclogue.cli.files import keep_inputs, write_text
from eclogue.cli.options import error_format_option, parse_arguments, program_options
from eclogue.cli.reading import refuse
from eclogue.cli.reporting import reporting
from eclogue.cli.summary import counted
from eclogue.cli.trace_input import open_trace
from eclogue.cli.viewing.data import Shown, document_of
from eclogue.cli.viewing.page import page_of
from eclogue.core import run as machine
from eclogue.core.errors import AnswerRefused
from eclogue.core.outcomes import HostAnswer
from eclogue.core.syntax import Program
from eclogue.core.trace import EffectDeclaration, HostObservation
from eclogue.core.values import Value
from eclogue.lowering.core_printer import print_core
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.load import program_in
from eclogue.lowering.reading import read_source
from eclogue.validator.trace_file import Line


@click.command("view")
@click.argument("trace")
@click.option("--program", metavar="PROGRAM", help="The trace's program, to show its source and states.")
@program_options
@click.option("--out", metavar="PAGE.html", help="The page; default NAME.html beside the trace or folder.")
@error_format_option
def view_command(
    trace: str,
    program: str | None,
    task: str | None,
    arguments: tuple[str, ...],
    out: str | None,
    error_format: str,
) -> None:
    """Write one HTML page that shows a run: TRACE, or every NAME.trace.jsonl of a folder with its NAME.ecl.

    The page loads nothing from elsewhere. It shows the records as a sequence between program, handlers and
    host, and, where the program is given, source and states; of several runs their common prefixes, and
    what waits for a decision. Exit codes: 0 written; 1 the trace is not this program's; 2 malformed input,
    I/O; 3 a redacted trace.
    """
    path = Path(trace)
    target = out or str(path.with_name(f"{path.name.removesuffix('.jsonl')}.html"))
    keep_inputs((trace if path.is_file() else None, program), (target,))
    with reporting(error_format, as_json=False):
        if path.is_dir():
            runs = _folder(path)
        else:
            runs = [
                _shown(path, None if program is None else Path(program), task, parse_arguments(arguments))
            ]
        write_text(target, page_of(document_of(runs), f"Eclogue: {path.name}"))
        total = sum(len(run.records) for run in runs)
        click.echo(f"written  {target}: {counted(len(runs), 'run')}, {counted(total, 'record')}")


def _folder(folder: Path) -> list[Shown]:
    traces = sorted(path for path in folder.iterdir() if path.name.endswith(TRACE) and path.is_file())
    if not traces:
        raise refuse("EC0001", f"there is no trace, NAME{TRACE}, in it", SourceText(str(folder), ""), None)
    found = []
    for trace in traces:
        stem = trace.name.removesuffix(TRACE)
        program = folder / f"{stem}.ecl"
        given = read_arguments(folder / f"{stem}{ARGUMENTS}")
        found.append(_shown(trace, program if program.is_file() else None, None, given))
    return found


def _shown(trace: Path, program: Path | None, task: str | None, arguments: dict[str, Value]) -> Shown:
    with open_trace(str(trace)) as lines:
        records = list(lines)
    name = trace.name.removesuffix(".jsonl").removesuffix(".trace")
    if program is None:
        return Shown(name, records)
    source = read_source(program)
    closed = program_in(source, task=task, arguments=arguments)
    text = print_core(closed) if source.text.lstrip()[:1] == "{" else source.text
    _check(trace, records, closed)
    return Shown(name, records, closed, text)


def _check(trace: Path, records: list[Line], program: Program) -> None:
    """Refuse to show states that are not the trace's (EC4404)."""
    operation, answers = "", []
    for _, record, _, _ in records:
        if isinstance(record, EffectDeclaration):
            operation = record.operation
        elif isinstance(record, HostObservation):
            answers.append(HostAnswer(record.value, operation))
    try:
        run = machine.run(program, answers)
    except AnswerRefused as error:
        raise refuse(
            "EC4404", f"not this program's run: {error}", SourceText(str(trace), ""), None
        ) from None
    own = [record for _, record, _ in run.records()][: len(records)]
    for number, (mine, (_, given, _, _)) in enumerate(zip(own, records, strict=False)):
        if mine != given:
            message = f"record {number} is not what this program leaves"
            hint = "give the program, task and arguments that it is the trace of"
            raise refuse("EC4404", message, SourceText(str(trace), ""), None, hint)
    if len(own) < len(records):
        raise refuse("EC4404", "the program's run ends before", SourceText(str(trace), ""), None)
