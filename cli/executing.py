"""`eclogue exec`: a program on real files and processes, in a sandbox over a workspace."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import attrs
import click
from rich.text import Text

from eclogue.cli.failures import failure_diagnostic
from eclogue.cli.options import error_format_option, parse_arguments, program_options
from eclogue.cli.reading import read_answer_file
from eclogue.cli.reporting import print_all
from eclogue.cli.result import RunResult, members_text, result_members, result_of
from eclogue.cli.salts import salt_for_run, salt_option
from eclogue.cli.summary import counted, output_console, summary_lines
from eclogue.cli.workspace import Chosen, chosen_run, on_terminal, runs_of, sandboxing, workspace_options
from eclogue.core.canonical import quote, text_of
from eclogue.core.outcomes import Failed
from eclogue.core.syntax import Program, Tier
from eclogue.core.values import Value
from eclogue.lowering.core_printer import print_value
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceErrors, SourceText
from eclogue.lowering.load import program_in
from eclogue.lowering.reading import read_source
from eclogue.runtime.execute import Executed, Executor, Waiting, may_have_happened
from eclogue.runtime.gate import Policy, read_policy
from eclogue.runtime.hosts.registry import Offers, misfits, with_own
from eclogue.runtime.sandbox.interface import Change, Conflicts, ProcessLimits, SandboxError
from eclogue.runtime.scope import World, check_places
from eclogue.runtime.session import Session, Settings
from eclogue.runtime.store import RunInputs, RunLog, read_notes
from eclogue.runtime.store.retention import remove_run


@attrs.frozen
class Asked:
    """What `exec` was asked for, besides the program: how to judge, whom to ask, how to print."""

    policy: Policy
    offers: Offers
    approved: tuple[str, ...]
    answers: str | None
    compensate: bool
    merge: bool
    as_json: bool
    error_format: str
    state: str | None
    """The state folder, where one was named."""


@click.command("exec")
@click.argument("program", required=False)
@program_options
@workspace_options
@click.option("--policy", metavar="FILE", help="What is allowed, asked, denied or only pretended (TOML).")
@click.option(
    "--approve", "approved", multiple=True, metavar="OP", help="Approve operations: model.call, mail.*"
)
@click.option(
    "--answers", metavar="FILE", help="Answers to operations that no host offers, taken in order."
)
@click.option("--host", "hosts", multiple=True, metavar="FILE.py", help="Hosts of your own.")
@click.option(
    "--provider",
    type=click.Choice(["auto", "overlay", "copy"]),
    default="auto",
    show_default=True,
    help="How the sandbox is made; see `eclogue doctor`.",
)
@click.option("--model-script", metavar="FILE", help="Answers of a scripted model, a JSON list.")
@click.option(
    "--model", "model_url", metavar="URL", help="An endpoint that speaks OpenAI's chat interface."
)
@click.option("--model-name", default="default", help="The model to ask for there.")
@click.option(
    "--allow-host", "allowed", multiple=True, metavar="HOST", help="A host that http.get may ask."
)
@click.option(
    "--readable", multiple=True, metavar="PATH", help="A path of this machine that programs may read."
)
@click.option("--env", "variables", multiple=True, metavar="NAME", help="A variable that programs may see.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where random.between begins.")
@click.option("--max-seconds", type=click.FloatRange(min=0), default=60.0, help="For each process.")
@click.option(
    "--on-refusal",
    type=click.Choice(["keep", "compensate"]),
    default="keep",
    show_default=True,
    help="Whether a refused operation undoes what can be compensated.",
)
@click.option(
    "--merge-on",
    type=click.Choice(["never", "success"]),
    default="never",
    show_default=True,
    help="Whether a completed run is merged into the workspace.",
)
@click.option("--continue", "number", type=click.IntRange(min=1), metavar="N", help="Go on with run N.")
@salt_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def exec_command(
    program: str | None,
    task: str | None,
    arguments: tuple[str, ...],
    workspace: str,
    state: str | None,
    policy: str | None,
    approved: tuple[str, ...],
    answers: str | None,
    hosts: tuple[str, ...],
    provider: str,
    model_script: str | None,
    model_url: str | None,
    model_name: str,
    allowed: tuple[str, ...],
    readable: tuple[str, ...],
    variables: tuple[str, ...],
    seed: int,
    max_seconds: float,
    on_refusal: str,
    merge_on: str,
    number: int | None,
    salt: str | None,
    as_json: bool,
    error_format: str,
) -> None:
    """Execute PROGRAM on the files of a workspace, in a sandbox.

    The workspace is not touched: `eclogue diff` shows what the run changed, and `eclogue merge` writes it
    there. What is irreversible waits for an approval: a policy, --approve, or a person at the terminal. A
    run that waits or was interrupted goes on with --continue N. Exit codes: 0 completed; 1 failed, or the
    merge has conflicts; 2 usage, malformed input, static errors, I/O; 3 suspended or exhausted.
    """
    if (program is None) == (number is None):
        raise click.UsageError("give a PROGRAM, or --continue N")
    with sandboxing(error_format, as_json), _terminated():
        asked = Asked(
            Policy() if policy is None else read_policy(policy), {}, approved, answers,
            on_refusal == "compensate", merge_on == "success", as_json, error_format, state,
        )  # fmt: skip
        if program is None:
            chosen = chosen_run(workspace, state, number)
            own = hosts or tuple(chosen.inputs.settings["hosts"])
            _go_on(chosen, attrs.evolve(asked, offers=with_own(own)))
        hosts = tuple(str(Path(path).resolve()) for path in hosts)
        asked = attrs.evolve(asked, offers=with_own(hosts))
        settings = Settings(
            seed=seed,
            limits=ProcessLimits(seconds=max_seconds),
            readable=tuple(str(Path(path).resolve()) for path in readable),
            environment=variables,
            model_script=None if model_script is None else str(Path(model_script).resolve()),
            model_url=model_url,
            model_name=model_name,
            allowed_hosts=allowed,
        )
        assert program is not None
        source = read_source(program)
        closed = program_in(source, task=task, arguments=parse_arguments(arguments))
        _check_hosts(closed, asked.offers, source)
        inputs = RunInputs(
            closed, source.text, str(Path(workspace).resolve()),
            {**attrs.asdict(settings), "provider": provider, "hosts": hosts}, salt_for_run(salt).hex(),
        )  # fmt: skip
        runs = runs_of(workspace, state)
        check_places(Path(workspace).resolve(), runs.folder)
        folder = runs.begin(inputs)
        _begin(Chosen(folder, inputs), asked, provider)


def _check_hosts(program: Program, offers: Offers, source: SourceText) -> None:
    """Refuse a program that declares an operation of a host with other types (EC6002)."""
    found = misfits(program, offers)
    if found:
        items = [
            Diagnostic("EC6002", Severity.ERROR, f"{operation.name}: {reason}", None, hint=_SEE)
            for operation, reason in found
        ]
        raise SourceErrors(items, source)


_SEE = "docs/running.md lists what each host takes and returns"


@contextmanager
def _terminated() -> Iterator[None]:
    """Have SIGTERM end a run as Ctrl-C does: with what was done written down."""

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _begin(chosen: Chosen, asked: Asked, provider: str) -> None:
    workspace = Path(chosen.inputs.workspace)
    with _created(chosen, workspace, provider) as world:
        log = RunLog.create(chosen.folder, chosen.salt)
        executor = executor_for(chosen, asked, world, log)
        executor.answers = list(read_answer_file(asked.answers))
        finish(chosen, asked, world, executor.execute())


def _created(chosen: Chosen, workspace: Path, provider: str) -> World:
    """Open the run's world; a run whose world cannot be had leaves nothing."""
    try:
        return World.create(workspace, chosen.folder / "world", provider=provider)
    except (SandboxError, OSError):
        remove_run(chosen.folder)
        raise


def _go_on(chosen: Chosen, asked: Asked) -> None:
    with chosen.world() as world:
        log = RunLog.reopen(chosen.folder, chosen.salt)
        stored, notes = chosen.records(), read_notes(chosen.folder)
        if any(note.get("gate") == "compensate" for note in notes):
            raise SandboxError("what this run did was undone, so that it cannot go on", "start a new run")
        doubtful = may_have_happened(stored)
        executor = executor_for(chosen, asked, world, log)
        if doubtful is not None and not _confirmed(executor, doubtful):
            message = f"{doubtful.record.operation} may have happened when the run was interrupted"  # type: ignore[union-attr]
            hint = "see whether it did; --approve it to have it done again"
            raise SandboxError(message, hint)
        executor.answers = list(read_answer_file(asked.answers))
        finish(chosen, asked, world, executor.go_on(stored, notes))


def _confirmed(executor: Executor, doubtful: Any) -> bool:
    record = doubtful.record
    return executor.approve(record.operation, record.payload, Tier.IRREVERSIBLE) is True


def executor_for(chosen: Chosen, asked: Asked, world: World, log: RunLog) -> Executor:
    """Return what executes a run in a world, with the settings that it was started with."""
    known = {field.name for field in attrs.fields(Settings)}
    given = {key: value for key, value in chosen.inputs.settings.items() if key in known}
    given["limits"] = ProcessLimits(**given["limits"])
    for key in ("readable", "environment", "allowed_hosts"):
        given[key] = tuple(given[key])
    session = Session(world, Settings(**given), chosen.folder, _asks(asked))
    return Executor(
        chosen.inputs.program, session, log, asked.offers, asked.policy, _approves(asked),
        compensate_refusals=asked.compensate,
    )  # fmt: skip


def _asks(asked: Asked) -> Callable[[str], bool | str | None]:
    def ask(question: str) -> bool | str | None:
        if asked.as_json or not on_terminal():
            return None
        answer: str = click.prompt(_visible(question), err=True)
        return answer

    return ask


def _approves(asked: Asked) -> Callable[[str, Value, Tier], bool | None]:
    def approve(operation: str, payload: Value, tier: Tier) -> bool | None:
        if any(fnmatchcase(operation, pattern) for pattern in asked.approved):
            return True
        if asked.as_json or not on_terminal():
            return None
        what = _visible(f"{operation}({print_value(payload)})")
        return click.confirm(f"{tier.value}: {what[:2000]}\nMay it happen?", err=True)

    return approve


def _visible(text: str) -> str:
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)


# ------------------------------------------------------------------------------------------------
# What is printed


@attrs.frozen(eq=False)
class _Told:
    """All that there is to tell about an executed run."""

    chosen: Chosen
    world: World
    executed: Executed
    result: RunResult
    changes: Sequence[Change]
    merged: bool | None
    conflicts: Sequence[str] = ()
    state: str | None = None

    @property
    def exit_code(self) -> int:
        return 1 if self.conflicts else self.result.exit_code


def finish(chosen: Chosen, asked: Asked, world: World, executed: Executed) -> None:
    """Merge a run if that was asked for, print what became of it, and exit with its code."""
    result = result_of(executed.run, chosen.salt)
    scopes = {scope.name for scope in world.scopes()}
    changes = world.root.diff()
    merged, conflicts = None, []
    if asked.merge and result.status == "completed":
        if scopes == {world.root.name}:
            found = world.apply()
            merged = not isinstance(found, Conflicts)
            conflicts = (
                [_path(item.path) for item in found.conflicts] if isinstance(found, Conflicts) else []
            )
        else:
            merged, conflicts = False, [f"scope {name} is open" for name in sorted(scopes - {"main"})]
    told = _Told(chosen, world, executed, result, changes, merged, conflicts, asked.state)
    if asked.as_json:
        click.echo(executed_json(told))
    else:
        console = output_console()
        for line in executed_lines(told):
            console.print(line)
        if isinstance(result.outcome, Failed):
            program = executed.run.program
            diagnostic, text = failure_diagnostic(result.outcome, program, program.source or "")
            print_all([diagnostic], text, asked.error_format)
    sys.exit(told.exit_code)


def _path(path: bytes) -> str:
    return _visible(path.decode("utf-8", "backslashreplace"))


def executed_lines(told: _Told) -> Iterator[Text]:
    """Yield what became of a run, for people."""
    program = told.executed.run.program
    yield from summary_lines(told.result, program.source or "")
    for name, text in _facts(told):
        yield Text.assemble("  ", (f"{name:<10}", "dim"), text)


def _facts(told: _Told) -> Iterator[tuple[str, str]]:
    executed, world = told.executed, told.world
    reused = f", {executed.reused} reused" if executed.reused else ""
    yield (
        "executed",
        f"{counted(executed.carried_out, 'operation')}{reused}, with the provider {world.provider}",
    )
    yield "number", f"run {told.chosen.number} of {told.chosen.inputs.workspace}"
    if executed.waiting is not None:
        yield "waits", f"{executed.waiting.operation}: {_visible(executed.waiting.reason)}"
        if not executed.compensated:
            yield "go on", _how_to_go_on(told.chosen, executed.waiting, told.state)
    for item in executed.compensated:
        what = f"{item.operation} (record {item.number})"
        yield (
            "undone" if item.problem is None else "NOT UNDONE",
            what if item.problem is None else (f"{what}: {_visible(item.problem)}"),
        )
    left_open = [scope.name for scope in world.scopes() if scope.parent is not None]
    if left_open:
        yield (
            "open",
            f"scopes that were neither merged nor discarded: {', '.join(map(_visible, left_open))}",
        )
    yield "changes", _changes(told)


def _how_to_go_on(chosen: Chosen, waiting: Waiting, state: str | None) -> str:
    approve = f" --approve {waiting.operation}" if waiting.wants_approval else ""
    where = "" if state is None else f" --state {state}"
    return f"eclogue exec --continue {chosen.number}{approve} --workspace {chosen.inputs.workspace}{where}"


def _changes(told: _Told) -> str:
    paths = [_path(change.path) or "." for change in told.changes]
    shown = ", ".join(paths[:4]) + (", …" if len(paths) > 4 else "")
    if not paths:
        return "none"
    if told.merged:
        return f"{shown}: merged into the workspace"
    if told.conflicts:
        return f"{shown}: NOT merged: {', '.join(told.conflicts[:4])}"
    return f"{shown}: see them with `eclogue diff`, keep them with `eclogue merge`"


def executed_json(told: _Told) -> str:
    """Return what became of a run as one JSON object (`validator/schema/exec-result.schema.json`)."""
    executed, waiting = told.executed, told.executed.waiting
    wait = "null"
    if waiting is not None:
        wait = members_text(
            [
                ("record", str(waiting.number)),
                ("operation", quote(waiting.operation)),
                ("reason", quote(waiting.reason)),
                ("wants_approval", "true" if waiting.wants_approval else "false"),
            ]
        )
    undone = ", ".join(
        members_text(
            [
                ("record", str(item.number)),
                ("operation", quote(item.operation)),
                ("problem", "null" if item.problem is None else quote(item.problem)),
            ]
        )
        for item in executed.compensated
    )
    changes = ", ".join(
        members_text([("path", quote(_path(item.path))), ("change", quote(item.kind.value))])
        for item in told.changes
    )
    merged = {None: "null", True: "true", False: "false"}[told.merged]
    return members_text(
        [
            *result_members(told.result),
            ("run", str(told.chosen.number)),
            ("provider", quote(told.world.provider)),
            ("carried_out", str(executed.carried_out)),
            ("reused", str(executed.reused)),
            ("waiting", wait),
            ("compensated", f"[{undone}]"),
            ("changes", f"[{changes}]"),
            ("merged", merged),
            ("conflicts", text_of(tuple(told.conflicts))),
        ]
    )
