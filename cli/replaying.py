"""`eclogue replay`: a run from its record, all of it or up to what a change affects."""

from __future__ import annotations

import sys
from pathlib import Path

import attrs
import click

from eclogue.cli.executing import Asked, executor_for, finish
from eclogue.cli.options import error_format_option, parse_arguments, program_options
from eclogue.cli.result import members_text
from eclogue.cli.run_commands import record_named
from eclogue.cli.summary import counted
from eclogue.cli.workspace import Chosen, chosen_run, run_option, runs_of, sandboxing, workspace_options
from eclogue.core.canonical import read
from eclogue.core.errors import MalformedInput
from eclogue.core.syntax import Program
from eclogue.core.trace import EffectDeclaration
from eclogue.core.values import Value
from eclogue.lowering.load import program_in
from eclogue.lowering.reading import read_source
from eclogue.runtime.gate import Policy, read_policy
from eclogue.runtime.hosts.registry import with_own
from eclogue.runtime.replaying import Rebuilding, Replayed, replay
from eclogue.runtime.sandbox.interface import SandboxError
from eclogue.runtime.scope import World
from eclogue.runtime.store import RunLog, Stored, read_notes


@click.command("replay")
@click.option("--from", "place", metavar="REF", help="Replay up to this record, and stop there.")
@click.option("--program", metavar="PROGRAM", help="Another program; what it does not affect is reused.")
@program_options
@click.option(
    "--change", "changes", multiple=True, metavar="REF=JSON", help="Another outcome of the operation REF."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be reused, and carry nothing out.")
@click.option("--approve", "approved", multiple=True, metavar="OP", help="As for exec.")
@click.option("--policy", metavar="FILE", help="As for exec.")
@workspace_options
@run_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def replay_command(
    place: str | None, program: str | None, task: str | None, arguments: tuple[str, ...],
    changes: tuple[str, ...], dry_run: bool, approved: tuple[str, ...], policy: str | None,
    workspace: str, state: str | None, number: int | None, as_json: bool, error_format: str,
) -> None:  # fmt: skip
    """Run a run again from its record, without carrying anything out, and compare.

    With --program or --change, the records before the first one that is affected are reused, and the rest
    is executed as a new run. Exit codes: 0 the same records; 1 they drift, without a change; of a new run
    those of exec; 2 no such run or record.
    """
    with sandboxing(error_format, as_json):
        chosen = chosen_run(workspace, state, number)
        stored = chosen.records()
        if place is not None:
            stored = stored[: record_named(stored, place).number + 1]
        other = _changed(stored, changes)
        own = chosen.inputs.program if program is None else _program(program, task, arguments)
        if program is None and not other:
            _compare(replay(own, stored, salt=chosen.salt), stored, as_json)
        if dry_run:
            _tell(replay(own, stored, changed=other, salt=chosen.salt), stored)
        asked = Asked(
            Policy() if policy is None else read_policy(policy), with_own(chosen.inputs.settings["hosts"]),
            approved, None, False, False, as_json, error_format, state,
        )  # fmt: skip
        source = chosen.inputs.source if program is None else read_source(program).text
        _execute(chosen, stored, own, other, asked, workspace, state, source)


def _program(path: str, task: str | None, arguments: tuple[str, ...]) -> Program:
    return program_in(read_source(path), task=task, arguments=parse_arguments(arguments))


def _changed(stored: list[Stored], changes: tuple[str, ...]) -> dict[int, Value]:
    found = {}
    for change in changes:
        ref, equals, text = change.partition("=")
        if not equals:
            raise click.UsageError(f"--change {change!r}: write REF=JSON")
        item = record_named(stored, ref)
        if not isinstance(item.record, EffectDeclaration):
            raise SandboxError(f"record {item.number} is no operation", "name the record that declares it")
        try:
            found[item.number] = read(text)
        except MalformedInput as error:
            raise click.UsageError(f"--change {ref}: {error.message}") from None
    return found


def _compare(found: Replayed, stored: list[Stored], as_json: bool) -> None:
    """Say whether a replay has the recorded records, and end with it."""
    same = found.first is None or found.first >= len(stored)
    if as_json:
        first = "null" if same else str(found.first)
        click.echo(
            members_text(
                [
                    ("records", str(len(stored))),
                    ("reused", str(len(found.reused))),
                    ("same", "true" if same else "false"),
                    ("first", first),
                ]
            )
        )
    elif same:
        click.echo(f"the same  {counted(len(stored), 'record')}, nothing was carried out")
    else:
        click.echo(f"drift  record {found.first} is not what it was")
    sys.exit(0 if same else 1)


def _tell(found: Replayed, stored: list[Stored]) -> None:
    first = len(stored) if found.first is None else found.first
    click.echo(
        f"reusable  {counted(first, 'record')} of {len(stored)}, {counted(len(found.reused), 'outcome')}"
    )
    sys.exit(0)


def _execute(
    chosen: Chosen,
    stored: list[Stored],
    program: Program,
    changed: dict[int, Value],
    asked: Asked,
    workspace: str,
    state: str | None,
    source: str,
) -> None:
    inputs = attrs.evolve(chosen.inputs, program=program, source=source)
    folder = runs_of(workspace, state).begin(inputs)
    new = Chosen(folder, inputs)
    provider = str(chosen.inputs.settings["provider"])
    with (
        chosen.world() as old,
        World.create(Path(inputs.workspace), folder / "world", provider=provider) as world,
    ):
        old.check_base()
        log = RunLog.create(folder, new.salt)
        executor = executor_for(new, asked, world, log)
        rebuilding = Rebuilding(old, executor.session, executor.offers, read_notes(chosen.folder))
        finish(new, asked, world, executor.reuse(stored, changed, rebuilding))
