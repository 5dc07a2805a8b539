"""`eclogue validate`: a trace against the rules, and against its program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import click

from eclogue.cli.disagreement import save_disagreement
from eclogue.cli.options import error_format_option, parse_arguments, program_options
from eclogue.cli.reading import read_answer_file, refuse
from eclogue.cli.reporting import MALFORMED, UNSUPPORTED, Unsupported, print_all
from eclogue.cli.salts import read_salt, salt_option
from eclogue.cli.summary import output_console
from eclogue.cli.trace_input import excerpts, open_trace
from eclogue.cli.validation_report import Report, diagnostics_of, failure_json, report_json, report_lines
from eclogue.core.errors import AnswerRefused, LimitExceeded
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import HostAnswer
from eclogue.core.profiles import Profile
from eclogue.core.syntax import Program
from eclogue.lowering.diagnostics import SourceErrors, SourceText
from eclogue.lowering.expansion import ExpansionRefused
from eclogue.lowering.load import load_program
from eclogue.validator.validation import Standing, Validation, validate

_PROFILES = [profile.value for profile in Profile if profile is not Profile.NONE]


@click.command("validate")
@click.argument("trace")
@click.option("--program", metavar="PROGRAM", help="Replay the trace against it: FILE.ecl, or core JSON.")
@program_options
@click.option(
    "--answers",
    metavar="FILE",
    help="The host's answers; default those that the trace records. Needs --program.",
)
@click.option("--profile", type=click.Choice(_PROFILES), help="The profile that the trace has to lie in.")
@click.option(
    "--max-steps",
    type=click.IntRange(min=0),
    default=DEFAULT.steps,
    show_default=True,
    help="Give up a replay after so many transitions of the machine.",
)
@salt_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def validate_command(
    trace: str,
    program: str | None,
    task: str | None,
    arguments: tuple[str, ...],
    answers: str | None,
    profile: str | None,
    max_steps: int,
    salt: str | None,
    as_json: bool,
    error_format: str,
) -> None:
    """Check TRACE, a file in JSON Lines: its refs, the lifecycle rules, its profile, and its program's run.

    With --program the program runs again, on both readings, and the trace has to be that run's; only then
    can it be more than runtime_only. Exit codes: 0 accepted; 1 rejected, or not in the profile asked for; 2
    usage, malformed input, static errors, I/O; 3 unknown or unsupported; 4 two readings disagree.
    """
    if program is None and (task is not None or arguments or answers is not None):
        raise click.UsageError("--task, --arg and --answers are about a --program, and none is given")
    asked = None if profile is None else Profile(profile)
    with failures(error_format, as_json):
        against = None
        if program is not None:
            against = load_program(program, task=task, arguments=parse_arguments(arguments))
        given = None if answers is None else read_answer_file(answers)
        validation = _validated(
            trace, against, given, answers, asked, Limits(steps=max_steps), read_salt(salt)
        )
        report = Report(validation, trace, against)
        if validation.standing is Standing.DISAGREED:
            report = attrs.evolve(report, saved=save_disagreement(report, validation.evidence.replayed))
        _print(report, error_format, as_json)
        sys.exit(report.exit_code)


def _validated(
    path: str,
    program: Program | None,
    answers: tuple[HostAnswer, ...] | None,
    answer_file: str | None,
    asked: Profile | None,
    limits: Limits,
    salt: bytes,
) -> Validation:
    with open_trace(path, redacted=True) as lines:
        try:
            return validate(lines, program, answers, profile=asked, limits=limits, salt=salt)
        except AnswerRefused as error:
            hint = "they are taken in order, one for each suspension; without --answers the trace's are"
            raise refuse(
                "EC4102", str(error), SourceText(answer_file or "answers", ""), None, hint
            ) from None


@contextmanager
def failures(error_format: str, as_json: bool) -> Iterator[None]:
    """Turn what keeps a trace from being validated into diagnostics, a verdict and its exit code."""
    try:
        yield
    except SourceErrors as errors:
        print_all(errors.diagnostics, errors.source, error_format)
        unsupported = isinstance(errors, (ExpansionRefused, Unsupported))
        verdict = "unsupported" if unsupported else "malformed"
        if as_json:
            reason = f"nothing was checked: {errors.diagnostics[0].message}"
            click.echo(failure_json(verdict, reason, errors.diagnostics, errors.source))
        sys.exit(UNSUPPORTED if unsupported else MALFORMED)
    except LimitExceeded as exceeded:
        message = f"the limit {exceeded.limit} of {exceeded.bound:,} was reached"
        click.echo(f"error: {message}", err=True)
        if as_json:
            click.echo(failure_json("unknown", message, (), None))
        sys.exit(UNSUPPORTED)


def _print(report: Report, error_format: str, as_json: bool) -> None:
    if as_json:
        click.echo(report_json(report))
        _print_diagnostics(report, error_format)
    else:
        print_report(report, error_format)


def print_report(report: Report, error_format: str) -> None:
    """Print a report for people, and its diagnostics on standard error."""
    console = output_console()
    for line in report_lines(report):
        console.print(line)
    _print_diagnostics(report, error_format)


def _print_diagnostics(report: Report, error_format: str) -> None:
    found = diagnostics_of(report)
    if found:
        lines = {item.span.line for item in found if item.span is not None}
        print_all(found, excerpts(report.trace, lines), error_format)
