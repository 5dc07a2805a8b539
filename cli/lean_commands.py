"""`eclogue lean`: check the Lean development, or lock on purpose what it says now."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from eclogue.cli.summary import output_console
from eclogue.lean.audit import Audit, Report
from eclogue.lean.build import Progress, ignore_progress
from eclogue.lean.problems import Verdict

EXIT_CODES = {Verdict.ACCEPTED: 0, Verdict.REJECTED: 1, Verdict.UNKNOWN: 3}
_STYLES = {Verdict.ACCEPTED: "green", Verdict.REJECTED: "bold red", Verdict.UNKNOWN: "yellow"}


@click.group("lean")
def lean_group() -> None:
    """Check the Lean development: every theorem, by Lean itself."""


@lean_group.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
@click.option("--fresh", is_flag=True, help="Build everything anew, using no cache.")
def check_command(as_json: bool, fresh: bool) -> None:
    """Build and audit the whole development; list every theorem with the axioms that it rests on.

    Exit codes: 0 accepted; 1 rejected; 3 unknown, because Lean is missing or did not answer.
    """
    with _progress() as progress:
        report = Audit(fresh=fresh).run(progress)
    if as_json:
        click.echo(json.dumps(report.to_json()))
    else:
        _print_report(report)
    for problem in report.problems:
        click.echo(str(problem), err=True)
    sys.exit(EXIT_CODES[report.verdict])


@lean_group.command("renew")
def renew_command() -> None:
    """Lock the statements as they are now; each line printed is a claim that means something else."""
    with _progress() as progress:
        report, changes = Audit().renew(progress)
    for change in changes:
        click.echo(f"renewed: {change}")
    for problem in report.problems:
        click.echo(str(problem), err=True)
    click.echo(f"{report.verdict.value}, {len(changes)} changes")
    sys.exit(EXIT_CODES[report.verdict])


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """Show on standard error how far the build is, if that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield ignore_progress
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("compiling", total=None)

        def advance(progress: Progress) -> None:
            bar.update(task, description=progress.module, completed=progress.done, total=progress.total)

        yield advance


def _print_report(report: Report) -> None:
    console = output_console()
    if report.theorems:
        console.print(_table(report))
    if report.lean is not None:
        lean = report.lean
        place = f"Lean {lean.version}, commit {lean.commit[:12]}, from {lean.source}: {lean.location}"
        console.print(Text(place))
        digests = f"digest of Lean {lean.digest}\ndigest of the sources {report.source_digest}"
        console.print(Text(digests))
    summary = (
        f"{report.modules} modules, {report.lines} lines, {report.declarations} declarations, "
        f"{len(report.theorems)} claims, {report.seconds:.1f} s: "
    )
    console.print(Text(summary).append(report.verdict.value, style=_STYLES[report.verdict]))


def _table(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("theorem", no_wrap=True)
    table.add_column("profile", no_wrap=True)
    table.add_column("axioms")
    table.add_column("seconds", justify="right")
    for theorem in report.theorems:
        axioms = Text(", ".join(theorem.axioms), style="bold red") if theorem.axioms else Text("none")
        table.add_row(theorem.id, theorem.profile, axioms, f"{theorem.seconds:.1f}")
    return table
