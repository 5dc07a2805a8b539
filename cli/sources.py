"""`eclogue check`, `fmt`, `lower` and `explain`: what can be done with a source without running it."""

from __future__ import annotations

import difflib
import sys

import click
from rich.markdown import Markdown
from rich.text import Text

from eclogue.cli.ast_tree import tree_lines
from eclogue.cli.files import write_text
from eclogue.cli.options import error_format_option, parse_arguments, program_options
from eclogue.cli.reporting import diagnostic_json, print_all, reporting
from eclogue.cli.result import members_text, object_text
from eclogue.cli.summary import output_console
from eclogue.core.encoding import program_ref, program_text
from eclogue.core.profiles import Admission, admit
from eclogue.lowering.codes import CODES, page
from eclogue.lowering.core_printer import print_core
from eclogue.lowering.diagnostics import SourceText, did_you_mean
from eclogue.lowering.formatter import format_source
from eclogue.lowering.load import Checked, check_source, load_program
from eclogue.lowering.parser import parse
from eclogue.lowering.reading import decode_source, read_source


@click.command("check")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def check_command(file: str, as_json: bool, error_format: str) -> None:
    """Check a source (FILE.ecl, or core JSON), and say to which profile each of its tasks is admitted.

    Exit codes: 0 no errors, warnings are printed; 2 errors; 3 a task is too large to expand.
    """
    with reporting(error_format, as_json):
        checked = check_source(file)
        admissions = [(name or "program", admit(program)) for name, program in checked.programs]
        print_all(checked.warnings, checked.source, error_format)
        if as_json:
            click.echo(_check_json(checked, admissions))
            return
        console = output_console()
        console.print(Text.assemble(("checked", "bold green"), f"  {file}"))
        console.print()
        for name, admission in admissions:
            place = f" ({file}:{admission.span})" if admission.span is not None else ""
            console.print(f"  {name:<12} {admission.profile.value:<7} {admission.reason}{place}")


def _check_json(checked: Checked, admissions: list[tuple[str, Admission]]) -> str:
    tasks = ", ".join(
        object_text(
            {
                "task": name,
                "admitted": admission.profile.value,
                "admitted_reason": admission.reason,
            }
        )
        for name, admission in admissions
    )
    warnings = ", ".join(diagnostic_json(item, checked.source) for item in checked.warnings)
    return members_text(
        [("status", '"checked"'), ("tasks", f"[{tasks}]"), ("diagnostics", f"[{warnings}]")]
    )


@click.command("fmt")
@click.argument("files", nargs=-1, required=True, metavar="FILE.ecl…")
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit 1 if a file would change.")
@click.option("--diff", "show_diff", is_flag=True, help="Change nothing; print what would change.")
@error_format_option
def fmt_command(files: tuple[str, ...], only_check: bool, show_diff: bool, error_format: str) -> None:
    """Format sources in place; `-` formats standard input to standard output.

    Only white space changes: comments are kept, and lines end in line feeds.

    Exit codes: 0 formatted; 1 with --check, a file would change; 2 errors; that file is left as it is.
    """
    worst = 0
    for name in files:
        with reporting(error_format, as_json=False):
            worst = max(worst, _format(name, only_check, show_diff))
    sys.exit(worst)


def _format(name: str, only_check: bool, show_diff: bool) -> int:
    """Format one file; return 1 if it would change and must not."""
    source = _standard_input() if name == "-" else read_source(name)
    text = format_source(source)
    if show_diff:
        before, after = source.text.splitlines(keepends=True), text.splitlines(keepends=True)
        click.echo("".join(difflib.unified_diff(before, after, name, f"{name} (formatted)")), nl=False)
    if name == "-" and not (only_check or show_diff):
        click.echo(text, nl=False)
    elif text == source.text:
        return 0
    elif only_check:
        click.echo(f"{name} would be formatted", err=True)
        return 1
    elif not show_diff:
        write_text(name, text)
        click.echo(f"formatted {name}", err=True)
    return 0


def _standard_input() -> SourceText:
    return decode_source("-", sys.stdin.buffer.read())


@click.command("lower")
@click.argument("file")
@click.option(
    "--emit",
    type=click.Choice(["ast", "core", "json"]),
    default="core",
    show_default=True,
    help="The surface tree; the core term as text; the core program as JSON.",
)
@program_options
@error_format_option
def lower_command(
    file: str, emit: str, task: str | None, arguments: tuple[str, ...], error_format: str
) -> None:
    """Show what a source (FILE.ecl, or core JSON) means: its tree, or the core program of a task.

    Exit codes: 0 shown; 2 errors; 3 the program is too large to expand.
    """
    with reporting(error_format, as_json=False):
        if emit == "ast":
            for line in tree_lines(parse(read_source(file))):
                click.echo(line)
            return
        program = load_program(file, task=task, arguments=parse_arguments(arguments))
        if emit == "core":
            click.echo(f"# {program_ref(program)}")
            click.echo(print_core(program), nl=False)
        else:
            click.echo(program_text(program))


@click.command("explain")
@click.argument("code")
def explain_command(code: str) -> None:
    """Print the page of a diagnostic code, such as EC1001; `list` prints all codes with their titles."""
    if code == "list":
        for known, title in CODES.items():
            click.echo(f"{known}  {title}")
        return
    wanted = code.upper()
    if wanted not in CODES:
        near = did_you_mean(wanted, CODES)
        hint = f"did you mean {near}?" if near else "`eclogue explain list` prints them all"
        raise click.BadParameter(f"there is no diagnostic {code}; {hint}", param_hint="CODE")
    console = output_console()
    text = page(wanted)
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        click.echo(text, nl=False)
