"""What the commands on executed runs share: where a workspace's runs are, and errors of sandboxes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import attrs
import click

from eclogue.cli.reading import refuse
from eclogue.cli.reporting import reporting
from eclogue.lowering.diagnostics import SourceText
from eclogue.runtime.sandbox.interface import SandboxError
from eclogue.runtime.scope import World
from eclogue.runtime.store import DamagedRun, RunInputs, Runs, Stored, read_inputs, read_log

F = TypeVar("F", bound=Callable[..., Any])


@attrs.frozen
class Chosen:
    """A run that a command is about."""

    folder: Path
    inputs: RunInputs

    @property
    def number(self) -> int:
        """The run's number."""
        return int(self.folder.name)

    @property
    def salt(self) -> bytes:
        """The salt of its commitments."""
        return bytes.fromhex(self.inputs.salt)

    def records(self) -> list[Stored]:
        """Return its records, refs checked; raises `DamagedRun`."""
        return list(read_log(self.folder, salt=self.salt))

    def world(self) -> World:
        """Open its world."""
        return World.reopen(self.folder / "world")


def workspace_options(command: F) -> F:
    """Add `--workspace` and `--state`."""
    command = click.option(
        "--state", metavar="DIR", help="Where runs are kept; default a folder in the user's state folder."
    )(command)
    return click.option(
        "--workspace", metavar="DIR", default=".", show_default=True, help="The folder that runs are about."
    )(command)


def run_option(command: F) -> F:
    """Add `--run`."""
    return click.option(
        "--run", "number", type=click.IntRange(min=1), metavar="N", help="The run; default the latest."
    )(command)


def runs_of(workspace: str, state: str | None) -> Runs:
    """Return the folder of a workspace's runs; raises `SandboxError`."""
    path = Path(workspace)
    if not path.is_dir():
        raise SandboxError(f"{workspace} is no folder", "name the workspace with --workspace")
    return Runs(Path(state).resolve()) if state is not None else Runs.of_workspace(path)


def chosen_run(workspace: str, state: str | None, number: int | None) -> Chosen:
    """Return the run that is meant; raises `SandboxError`."""
    folder = runs_of(workspace, state).run(number)
    return Chosen(folder, read_inputs(folder))


@contextmanager
def sandboxing(error_format: str, as_json: bool) -> Iterator[None]:
    """Turn the errors of sandboxes and stores into diagnostics (EC6001, EC6004), as `reporting`."""
    with reporting(error_format, as_json):
        try:
            yield
        except DamagedRun as error:
            raise refuse("EC6004", error.message, SourceText("run", ""), None, error.hint) from None
        except SandboxError as error:
            raise refuse("EC6001", error.message, SourceText("sandbox", ""), None, error.hint) from None
        except OSError as error:
            if isinstance(error, BrokenPipeError) or error.filename is None:
                raise
            message = f"{error.filename}: {error.strerror}"
            raise refuse("EC6001", message, SourceText("sandbox", ""), None) from None


def on_terminal() -> bool:
    """Whether a person is there to be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()
