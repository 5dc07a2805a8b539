"""`eclogue run` and `eclogue resume`: a program on the machine; its result, trace and saved state."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import attrs
import click

from eclogue.cli.failures import failure_diagnostic
from eclogue.cli.files import keep_inputs, replacing, write_text
from eclogue.cli.options import error_format_option, parse_arguments, program_options
from eclogue.cli.reading import read_answer_file, read_state, refuse
from eclogue.cli.reporting import print_all, reporting
from eclogue.cli.result import RunResult, json_text, result_of
from eclogue.cli.salts import read_salt, salt_for_run, salt_option
from eclogue.cli.show import trace_lines
from eclogue.cli.summary import output_console, summary_lines
from eclogue.core import run as machine
from eclogue.core.encoding import program_to_value
from eclogue.core.errors import AnswerRefused
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import Exhausted, Failed, Suspended
from eclogue.core.run import Run
from eclogue.core.saved import save
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.load import load_program
from eclogue.validator.trace_file import write_trace

F = TypeVar("F", bound=Callable[..., Any])


@attrs.frozen
class Outputs:
    """Where the parts of a result go: files, or `-` for a readable trace on standard output.

    `salt` is that of the trace's commitments.
    """

    trace: str | None
    save: str | None
    as_json: bool
    salt: bytes


def _run_options(command: F) -> F:
    """Add the options that `run` and `resume` share."""
    for option in (
        salt_option,
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option("--max-seconds", type=click.FloatRange(min=0), help="Stop the run after this time."),
        click.option(
            "--max-steps",
            type=click.IntRange(min=0),
            default=DEFAULT.steps,
            show_default=True,
            help="Stop the run after so many transitions of the machine.",
        ),
        click.option("--save", metavar="STATE", help="Save a suspended run, to be resumed later."),
        click.option(
            "--trace",
            metavar="OUT.jsonl",
            help="Write the trace as JSON Lines; - prints it for people.",
        ),
        click.option(
            "--answers",
            metavar="FILE",
            help="The host's answers: a JSON list, taken in order by suspensions.",
        ),
    ):
        command = option(command)
    return command


@click.command("run")
@click.argument("file")
@program_options
@_run_options
@error_format_option
def run_command(
    file: str,
    task: str | None,
    arguments: tuple[str, ...],
    answers: str | None,
    trace: str | None,
    save: str | None,
    max_steps: int,
    max_seconds: float | None,
    salt: str | None,
    as_json: bool,
    error_format: str,
) -> None:
    """Run a program (FILE.ecl, or core JSON) on the trace machine.

    Exit codes: 0 completed; 1 failed; 2 usage, malformed input, static errors, I/O; 3 suspended without an
    answer, exhausted, or too large to expand.
    """
    keep_inputs((file, answers, salt), (trace, save))
    limits = Limits(steps=max_steps, seconds=max_seconds)
    with reporting(error_format, as_json):
        outputs = _outputs(trace, save, as_json, salt_for_run(salt))
        program = load_program(file, task=task, arguments=parse_arguments(arguments))
        given = read_answer_file(answers)
        with _answers_fit(answers):
            run = machine.run(program, given, limits=limits)
        _finish(run, file, outputs, error_format)


@click.command("resume")
@click.argument("state")
@click.argument("program", required=False)
@program_options
@_run_options
@error_format_option
def resume_command(
    state: str,
    program: str | None,
    task: str | None,
    arguments: tuple[str, ...],
    answers: str | None,
    trace: str | None,
    save: str | None,
    max_steps: int,
    max_seconds: float | None,
    salt: str | None,
    as_json: bool,
    error_format: str,
) -> None:
    """Continue the run saved in STATE, giving it the answers; the state itself stays as it is.

    The state holds its program; where PROGRAM is given, the state must have been made for it. The trace is
    the whole one, from the start of the run. Exit codes as for `run`.
    """
    keep_inputs((state, program, answers, salt), (trace, save))
    limits = Limits(steps=max_steps, seconds=max_seconds)
    with reporting(error_format, as_json):
        outputs = _outputs(trace, save, as_json, read_salt(salt))
        own = None
        if program is not None:
            own = load_program(program, task=task, arguments=parse_arguments(arguments))
        elif task is not None or arguments:
            raise click.UsageError("--task and --arg choose a PROGRAM, and none is given")
        run = read_state(state, own, limits, outputs.salt)
        given = read_answer_file(answers)
        with _answers_fit(answers):
            for answer in given:
                run = machine.resume(run, answer, limits=limits)
        _finish(run, program or state, outputs, error_format)


def _outputs(trace: str | None, save: str | None, as_json: bool, salt: bytes) -> Outputs:
    if as_json and trace == "-":
        raise click.UsageError("--json and --trace - cannot share standard output; name a file")
    if trace is not None and save is not None and Path(trace).resolve() == Path(save).resolve():
        raise click.UsageError("--trace and --save name the same file")
    return Outputs(trace, save, as_json, salt)


def _finish(run: Run, source: str, outputs: Outputs, error_format: str) -> None:
    """Write what was asked for, print the result, and exit with its code."""
    result = result_of(run, outputs.salt)
    _write_trace(result, outputs)
    _save(result, outputs)
    if outputs.as_json:
        click.echo(json_text(result))
    else:
        _print(result, source, outputs, error_format)
    sys.exit(result.exit_code)


@contextmanager
def _answers_fit(path: str | None) -> Iterator[None]:
    """Turn an answer that fits no suspension into a diagnostic about the answers' file (EC4102)."""
    try:
        yield
    except AnswerRefused as error:
        hint = "answers are taken in order, one for each suspension; run without them to see what waits"
        raise refuse("EC4102", str(error), SourceText(path or "answers", ""), None, hint) from None


def _write_trace(result: RunResult, outputs: Outputs) -> None:
    path = outputs.trace
    if path is None or path == "-":
        return
    if isinstance(result.outcome, Exhausted) and result.outcome.limit == "value_size":
        click.echo(f"note: {path} is not written: a value in the trace is too large to write", err=True)
        return
    run = result.run
    with replacing(path) as file:
        write_trace(run.records(), run.refs(outputs.salt), file, run.limits.value_size)


def _save(result: RunResult, outputs: Outputs) -> None:
    path = outputs.save
    if path is None:
        return
    if not isinstance(result.outcome, Suspended):
        click.echo(
            f"note: {path} is not written: the run is {result.status}, and only a suspended run goes on",
            err=True,
        )
        return
    program = program_to_value(result.run.program)
    state = save(result.run, result.program_ref, program_document=program, salt=outputs.salt)
    write_text(path, state.decode())


def _print(result: RunResult, source: str, outputs: Outputs, error_format: str) -> None:
    console = output_console()
    if outputs.trace == "-":
        for line in trace_lines(result.run.records(), result.run.program.source):
            console.print(line)
        console.print()
    for fact in summary_lines(result, source):
        console.print(fact)
    if isinstance(result.outcome, Failed):
        diagnostic, text = failure_diagnostic(result.outcome, result.run.program, source)
        print_all([diagnostic], text, error_format)
    if isinstance(result.outcome, Suspended) and outputs.save is None:
        click.echo("hint: answer it with --answers FILE, or keep the run with --save STATE", err=True)
