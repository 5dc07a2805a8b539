"""`eclogue log`, `show`, `watch`, `diff`, `merge`, `fork`, `discard`, `revert`, `gc`: on executed runs."""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Iterator

import click
from rich.text import Text

from eclogue.cli.files import write_text
from eclogue.cli.options import error_format_option
from eclogue.cli.reporting import print_all
from eclogue.cli.result import members_text
from eclogue.cli.show import record_line
from eclogue.cli.summary import counted, output_console
from eclogue.cli.workspace import Chosen, chosen_run, run_option, runs_of, sandboxing, workspace_options
from eclogue.core.canonical import quote
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceText
from eclogue.runtime.files.manifests import document_of
from eclogue.runtime.manifest import manifest_of
from eclogue.runtime.nodes import node_of, split
from eclogue.runtime.reading_trees import text_at
from eclogue.runtime.sandbox.interface import Change, Conflicts, MergeResult, SandboxError, StateName
from eclogue.runtime.store import Stored, read_notes, watch
from eclogue.validator.trace_file import line

_SHORT = 12


@click.command("log")
@workspace_options
@run_option
@click.option("--trace", metavar="OUT.jsonl", help="Write the trace there, for validate and certify.")
@click.option("--files", metavar="OUT.json", help="Write the files before and after there, for certify.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def log_command(
    workspace: str,
    state: str | None,
    number: int | None,
    trace: str | None,
    files: str | None,
    as_json: bool,
    error_format: str,
) -> None:
    """Show a run's records: refs, scopes, what its hosts did, what was approved. All runs, without --run.

    Exit codes: 0; 2 no such run, or a damaged one.
    """
    with sandboxing(error_format, as_json):
        chosen = chosen_run(workspace, state, number)
        records = chosen.records()
        if trace is not None:
            lines = [line(item.number, item.record, item.span, item.ref) + "\n" for item in records]
            write_text(trace, "".join(lines))
        if files is not None:
            _write_files(chosen, files)
        if as_json:
            click.echo(_log_json(chosen, records))
            return
        console = output_console()
        program = chosen.inputs.program
        console.print(
            Text(f"run {chosen.number}  {program.task or ''}  {program.source or ''}".rstrip(), "bold")
        )
        for text in log_lines(records):
            console.print(text)


def _write_files(chosen: Chosen, path: str) -> None:
    """Write the files of the workspace and of the run's first scope, as a document for the facet."""
    with chosen.world() as world:
        world.check_base()
        before, after = (manifest_of(root) for root in world.compared_roots(world.root.name))
        write_text(path, document_of(before, after, world.provider, world.fidelity).decode())


def log_lines(records: list[Stored]) -> Iterator[Text]:
    """Yield a line for each record: a graph of scopes, the ref, what it says, and what stands beside it."""
    scopes = ["main"]
    for item in records:
        rails = "│ " * (len(scopes) - 1)
        beside = "  ".join(_beside(note) for note in item.notes if _beside(note))
        yield Text.assemble(
            (f"{item.number:>4} ", "dim"),
            (f"{rails}● ", "cyan"),
            (item.ref[7 : 7 + _SHORT], "yellow"),
            f"  {record_line(item.record)}",
            (f"  {beside}" if beside else "", "dim"),
        )
        for note in item.notes:
            if "scope" in note:
                scopes = _after(scopes, str(note["scope"]))


def _after(scopes: list[str], name: str) -> list[str]:
    """Return the scopes around the current one, which has this name now."""
    if name in scopes:
        return scopes[: scopes.index(name) + 1]
    return [*scopes, name]


def _beside(note: object) -> str:
    """Return a note in a few words, nothing for one that says only how."""
    assert isinstance(note, dict)
    if note.get("gate") == "approve":
        return f"approved by {note['by']}"
    if note.get("gate") == "deny":
        return f"refused by {note['by']}"
    if note.get("gate") == "compensate":
        return "compensated"
    if "compensation_failed" in note:
        return f"NOT compensated: {note['compensation_failed']}"
    if "waiting" in note:
        return f"waits: {note['waiting']}"
    if "state" in note:
        return f"[{note['scope']}@{note['state']}]"
    return ""


def _log_json(chosen: Chosen, records: list[Stored]) -> str:
    items = ", ".join(_stored_json(item) for item in records)
    return members_text([("run", str(chosen.number)), ("records", f"[{items}]")])


def _stored_json(item: Stored) -> str:
    notes = json.dumps([dict(note) for note in item.notes], ensure_ascii=False)
    return members_text(
        [
            ("seq", str(item.number)),
            ("record", quote(type(item.record).__name__)),
            ("ref", quote(item.ref)),
            ("parent", quote(item.parent)),
            ("state", "null" if item.state is None else quote(item.state)),
            ("notes", notes),
        ]
    )


@click.command("show")
@click.argument("ref")
@workspace_options
@run_option
@error_format_option
def show_command(
    ref: str, workspace: str, state: str | None, number: int | None, error_format: str
) -> None:
    """Show one record in full: REF is its number, or the beginning of its ref.

    Exit codes: 0; 2 no such record.
    """
    with sandboxing(error_format, as_json=False):
        chosen = chosen_run(workspace, state, number)
        item = record_named(chosen.records(), ref)
        click.echo(line(item.number, item.record, item.span, item.ref))
        for note in item.notes:
            click.echo(json.dumps(dict(note), ensure_ascii=False))


def record_named(records: list[Stored], ref: str) -> Stored:
    """Return the record of this number, or whose ref begins so; raises `SandboxError`."""
    text = ref.removeprefix("sha256:")
    found = [item for item in records if str(item.number) == ref]
    found = found or [item for item in records if len(text) >= 4 and item.ref[7:].startswith(text)]
    if len(found) != 1:
        how_many = "several records" if found else "no record"
        raise SandboxError(f"{how_many} with the ref {ref}", "`eclogue log` shows numbers and refs")
    return found[0]


@click.command("watch")
@workspace_options
@run_option
@error_format_option
def watch_command(workspace: str, state: str | None, number: int | None, error_format: str) -> None:
    """Follow a run's records as they come, until it is no longer executed. Nothing of the run changes.

    Exit codes: 0; 2 no such run.
    """
    with sandboxing(error_format, as_json=False):
        chosen = chosen_run(workspace, state, number)
        for item in watch(chosen.folder, salt=chosen.salt, ended=lambda: not _is_executed(chosen)):
            click.echo(f"{item.number:>4}  {item.ref[7 : 7 + _SHORT]}  {record_line(item.record)}")
            sys.stdout.flush()


def _is_executed(chosen: Chosen) -> bool:
    """Whether somebody holds the lock of a run's world; asking takes no lock."""
    import fcntl

    try:
        number = os.open(chosen.folder / "world" / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(number)
    return False


# ------------------------------------------------------------------------------------------------
# Files


@click.command("diff")
@click.argument("states", nargs=-1, metavar="[LEFT [RIGHT]]")
@workspace_options
@run_option
@click.option("--scope", "scope", default="main", show_default=True, help="The scope that is compared.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def diff_command(
    states: tuple[str, ...], workspace: str, state: str | None, number: int | None, scope: str,
    as_json: bool, error_format: str,
) -> None:  # fmt: skip
    """Show what a run changed: of the workspace, since the state LEFT, or from LEFT to RIGHT.

    LEFT and RIGHT are records' numbers or refs; the file state after that record is meant. Exit codes: 0
    also where nothing differs; 2 no such run or record.
    """
    if len(states) > 2:
        raise click.UsageError("give at most two states")
    with sandboxing(error_format, as_json):
        chosen = chosen_run(workspace, state, number)
        records = chosen.records()
        wanted = [_state_after(chosen, records, ref) for ref in states]
        with chosen.world() as world:
            changes = world.compare(scope, *wanted)
            if as_json:
                items = ", ".join(
                    members_text([("path", quote(_path(item.path))), ("change", quote(item.kind.value))])
                    for item in changes
                )
                click.echo(members_text([("run", str(chosen.number)), ("changes", f"[{items}]")]))
                return
            console = output_console()
            roots = world.compared_roots(scope, *wanted)
            for change in changes:
                for text in diff_lines(change, *roots):
                    console.print(text)


def _state_after(chosen: Chosen, records: list[Stored], ref: str) -> StateName:
    """Return the last state that was frozen up to a record."""
    item = record_named(records, ref)
    states = [note for note in read_notes(chosen.folder) if "state" in note and note["seq"] <= item.number]
    if not states:
        raise SandboxError(f"no file state was recorded up to record {item.number}")
    return StateName(states[-1]["state"])


def diff_lines(change: Change, old: int, new: int) -> Iterator[Text]:
    """Yield a change as people read one: a heading, and for texts the lines that differ."""
    path = _path(change.path) or "."
    yield Text.assemble(
        (f"{change.kind.value:<9}", "bold"),
        path,
        (f"  {change.before or 'nothing'} → {change.after or 'nothing'}", "dim"),
    )
    parts = split(change.path)
    sides = [text_at(root, parts) if node_of(root, parts) is not None else "" for root in (old, new)]
    if not parts or sides[0] is None or sides[1] is None:
        return
    before, after = (side.splitlines(keepends=True) for side in sides if side is not None)
    for text in difflib.unified_diff(before, after, f"a/{path}", f"b/{path}"):
        style = {"+": "green", "-": "red", "@": "cyan"}.get(text[:1], "")
        yield Text("  " + _visible(text.rstrip("\n")), style)


def _path(path: bytes) -> str:
    return _visible(path.decode("utf-8", "backslashreplace"))


def _visible(text: str) -> str:
    return "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in text)


@click.command("merge")
@click.argument("scope", required=False)
@workspace_options
@run_option
@click.option("--lines", is_flag=True, help="Merge texts that were changed in different places.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def merge_command(
    scope: str | None, workspace: str, state: str | None, number: int | None, lines: bool, as_json: bool,
    error_format: str,
) -> None:  # fmt: skip
    """Merge a run into the workspace, or the open scope SCOPE of it into its parent.

    All of it, or with conflicts nothing. Exit codes: 0 merged; 1 conflicts; 2 no such run or scope.
    """
    with sandboxing(error_format, as_json):
        chosen = chosen_run(workspace, state, number)
        with chosen.world() as world:
            found = world.apply(lines=lines) if scope is None else world.scope(scope).merge(lines=lines)
        if as_json:
            click.echo(_merge_json(found))
        elif isinstance(found, Conflicts):
            print_all(_conflicts(found), SourceText("merge", ""), error_format)
        else:
            where = chosen.inputs.workspace if scope is None else "its parent"
            click.echo(f"merged  {counted(len(found.changes), 'path')} into {where}")
            for change in found.changes:
                click.echo(f"  {change.kind.value:<9} {_path(change.path) or '.'}")
        sys.exit(1 if isinstance(found, Conflicts) else 0)


def _conflicts(found: Conflicts) -> list[Diagnostic]:
    items = []
    for item in found.conflicts:
        sides = (("at the fork", item.base), ("in the parent", item.ours), ("in the scope", item.theirs))
        notes = tuple((None, f"{name}: {text or 'nothing'}") for name, text in sides)
        message = (
            f"{_path(item.path)}: both sides changed it"
            if item.kind == "both"
            else (f"{_path(item.path)}: its folder is gone on one side and used on the other")
        )
        items.append(Diagnostic("EC6003", Severity.ERROR, message, None, notes))
    return items


def _merge_json(found: MergeResult) -> str:
    conflicts, changes = "", ""
    if isinstance(found, Conflicts):
        conflicts = ", ".join(
            members_text([("path", quote(_path(item.path))), ("kind", quote(item.kind))])
            for item in found.conflicts
        )
    else:
        changes = ", ".join(
            members_text([("path", quote(_path(item.path))), ("change", quote(item.kind.value))])
            for item in found.changes
        )
    merged = "false" if isinstance(found, Conflicts) else "true"
    return members_text([("merged", merged), ("changes", f"[{changes}]"), ("conflicts", f"[{conflicts}]")])


@click.command("fork")
@click.argument("name")
@click.option("--from", "parent", default="main", show_default=True, help="The scope that is forked.")
@workspace_options
@run_option
@error_format_option
def fork_command(
    name: str, parent: str, workspace: str, state: str | None, number: int | None, error_format: str
) -> None:
    """Open a scope NAME that begins as another one of the run is now. Exit codes: 0; 2 it cannot be."""
    with sandboxing(error_format, as_json=False), chosen_run(workspace, state, number).world() as world:
        world.scope(parent).fork(name)
        click.echo(f"forked  {name} from {parent}")


@click.command("discard")
@click.argument("name")
@workspace_options
@run_option
@error_format_option
def discard_command(
    name: str, workspace: str, state: str | None, number: int | None, error_format: str
) -> None:
    """Throw the open scope NAME away, with those forked from it. Exit codes: 0; 2 there is none."""
    with sandboxing(error_format, as_json=False), chosen_run(workspace, state, number).world() as world:
        world.scope(name).discard()
        click.echo(f"discarded  {name}")


@click.command("revert")
@click.argument("ref")
@click.option("--scope", "scope", default="main", show_default=True, help="The scope that is reverted.")
@workspace_options
@run_option
@error_format_option
def revert_command(
    ref: str, scope: str, workspace: str, state: str | None, number: int | None, error_format: str
) -> None:
    """Have a scope's files be as they were after the record REF. Exit codes: 0; 2 no such state."""
    with sandboxing(error_format, as_json=False):
        chosen = chosen_run(workspace, state, number)
        wanted = _state_after(chosen, chosen.records(), ref)
        with chosen.world() as world:
            world.scope(scope).revert(wanted)
        click.echo(f"reverted  {scope} to the state {wanted}")


@click.command("gc")
@workspace_options
@click.option(
    "--keep", type=click.IntRange(min=0), default=20, show_default=True, help="Runs to keep, the latest."
)
@click.option(
    "--pin", type=click.IntRange(min=1), multiple=True, metavar="N", help="Runs to keep in any case."
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@error_format_option
def gc_command(
    workspace: str, state: str | None, keep: int, pin: tuple[int, ...], dry_run: bool, error_format: str
) -> None:
    """Remove old runs, with their records and file states, and say how much room each takes.

    A run that is executed is kept. Exit codes: 0; 2 no such workspace.
    """
    from eclogue.runtime.store.retention import remove_run, size_of

    with sandboxing(error_format, as_json=False):
        runs = runs_of(workspace, state)
        numbers = runs.numbers()
        going = [n for n in (numbers[:-keep] if keep else numbers) if n not in pin]
        for number in numbers:
            folder = runs.run(number)
            size = size_of(folder)
            goes = number in going and (dry_run or remove_run(folder))
            click.echo(f"run {number:>4}  {size:>12,} bytes  {'goes' if goes else 'stays'}")


@click.command("git", short_help="An executed run as a git repository.")
@workspace_options
@run_option
@click.option("--out", metavar="DIR", required=True, help="The new bare repository.")
@error_format_option
def export_git_command(
    workspace: str, state: str | None, number: int | None, out: str, error_format: str
) -> None:
    """Export an executed run as a git repository: a commit for each record, with the files after it.

    Then `git log --graph`, `git diff` between two commits and `git fsck` work on it. What git cannot hold
    stands in the commits' messages. Exit codes: 0 exported; 2 no such run, no git, or DIR is there.
    """
    from pathlib import Path

    from eclogue.runtime.store.git_export import export_git

    with sandboxing(error_format, as_json=False):
        chosen = chosen_run(workspace, state, number)
        records = chosen.records()
        with chosen.world() as world:
            if world.applied and world.provider != "copy":
                raise SandboxError("the run was merged into the workspace, which its file states lay on")
            export_git(
                records, read_notes(chosen.folder), world, Path(out), lambda item: record_line(item.record)
            )
        click.echo(f"exported  {counted(len(records), 'record')} as commits, in {out}")


COMMANDS = (
    log_command,
    show_command,
    watch_command,
    diff_command,
    merge_command,
    fork_command,
    discard_command,
    revert_command,
    gc_command,
)
