"""`eclogue step`: a program's run in the terminal, state by state, forward and back."""

from __future__ import annotations

import sys

import click

from eclogue.cli.options import error_format_option, parse_arguments, program_options
from eclogue.cli.reading import read_answer_file
from eclogue.cli.reporting import MALFORMED, reporting
from eclogue.cli.stepping.session import Session
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.syntax import Program
from eclogue.lowering.core_printer import print_core
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.load import load_program
from eclogue.lowering.reading import read_source


@click.command("step")
@click.argument("file")
@program_options
@click.option("--answers", metavar="FILE", help="The host's answers, used at suspensions as they come.")
@click.option(
    "--max-steps",
    type=click.IntRange(min=0),
    default=DEFAULT.steps,
    show_default=True,
    help="Stop the run after so many transitions of the machine.",
)
@error_format_option
def step_command(
    file: str,
    task: str | None,
    arguments: tuple[str, ...],
    answers: str | None,
    max_steps: int,
    error_format: str,
) -> None:
    """Walk through the run of FILE (a source, or core JSON): forward, backward, to records and breakpoints.

    Shows the source, what the machine does next and its rule, the variables, the stack with its handlers,
    the captured continuation, and the trace as it grows. Answers suspensions by hand, and branches there.
    Needs a terminal and the extra `tui`. Press ? for the keys.
    """
    with reporting(error_format, as_json=False):
        program = load_program(file, task=task, arguments=parse_arguments(arguments))
        session = Session(program, read_answer_file(answers), Limits(steps=max_steps))
        source = _source(file, program)
    try:
        from eclogue.cli.stepping.app import Stepper
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "textual":
            raise
        click.echo("error: the stepper needs an extra: in a clone, pip install '.[tui]'", err=True)
        sys.exit(MALFORMED)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo("error: the stepper needs a terminal; `eclogue run --trace -` prints a trace", err=True)
        sys.exit(MALFORMED)
    Stepper(session, source).run()


def _source(file: str, program: Program) -> SourceText:
    """Return the text to show: the source, or a core program as people read it."""
    source = read_source(file)
    if source.text.lstrip()[:1] == "{":
        return SourceText(file, print_core(program))
    return source
