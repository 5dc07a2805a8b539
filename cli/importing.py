"""`eclogue import`: other tools' documents, as programs of this language or as traces."""

from __future__ import annotations

import click

from eclogue.cli.files import keep_inputs, write_text
from eclogue.cli.importing_trajectories import commands
from eclogue.cli.options import error_format_option
from eclogue.cli.reading import read_document
from eclogue.cli.reporting import Refused, reporting
from eclogue.cli.result import object_text
from eclogue.core.encoding import program_ref, program_text
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceText
from eclogue.validator.answers import answers_text
from eclogue.validator.importers.kernel_v3 import Imported, ImportRefused, import_text


@click.group("import")
def import_group() -> None:
    """Import another tool's document: kernel-v3 as a program, everything else as a trace."""


@import_group.command("kernel-v3", short_help="A program of the kernel-v3 reference.")
@click.argument("file")
@click.option("--out", metavar="PROGRAM.json", help="Where the program goes; default standard output.")
@click.option("--answers-out", metavar="ANSWERS.json", help="Where the host's answers go.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; needs --out.")
@error_format_option
def kernel_v3_command(
    file: str, out: str | None, answers_out: str | None, as_json: bool, error_format: str
) -> None:
    """Import FILE, a JSON syntax tree of the kernel-v3 reference, as a core program.

    Exit codes: 0 imported; 1 the document is refused, with a reason; 2 malformed input, usage, I/O.
    """
    if as_json and out is None:
        raise click.UsageError("--json needs --out: standard output can carry only one of them")
    keep_inputs((file,), (out, answers_out))
    with reporting(error_format, as_json):
        imported = _imported(file)
        program = program_text(imported.program) + "\n"
        if answers_out is not None:
            write_text(answers_out, answers_text(imported.answers) + "\n")
        if out is None:
            click.echo(program, nl=False)
        else:
            write_text(out, program)
        if as_json:
            click.echo(
                object_text(
                    {
                        "status": "imported",
                        "program_ref": program_ref(imported.program),
                        "answers": len(imported.answers),
                        "notes": tuple(imported.notes),
                    }
                )
            )
        for note in imported.notes:
            click.echo(f"note: {note}", err=True)


for command in commands():
    import_group.add_command(command)


def _imported(file: str) -> Imported:
    """Return what a file holds; raises `SourceErrors`, `Refused` where there is no such program here."""

    def reader(text: str) -> Imported:
        try:
            return import_text(text)
        except ImportRefused as error:
            item = Diagnostic("EC4302", Severity.ERROR, error.reason, None, ((None, f"at {error.path}"),))
            raise Refused([item], SourceText(file, text)) from None

    return read_document(file, "EC4301", reader)
