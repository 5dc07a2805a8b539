"""The runs of a workspace: numbered folders, each with the inputs that its run had."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs

from eclogue.core.canonical import text_of
from eclogue.core.decoding import program_from_value
from eclogue.core.encoding import program_ref, program_to_value
from eclogue.core.errors import MalformedInput
from eclogue.core.syntax import Program
from eclogue.runtime.sandbox.interface import SandboxError
from eclogue.runtime.store.log import DamagedRun

FORMAT = "eclogue-executed/1"
INPUTS = "run.json"


@attrs.frozen
class RunInputs:
    """What a run was started with. `settings` are the command's: provider, policy, hosts' files, limits."""

    program: Program
    source: str
    """The text of the program's file, so that places in it can be shown later."""
    workspace: str
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    salt: str = ""
    """The commitments' salt in hexadecimal: whoever has the state has the values too."""

    def to_text(self) -> str:
        """Write it as JSON."""
        return json.dumps(
            {
                "format": FORMAT,
                "program": text_of(program_to_value(self.program)),
                "program_ref": program_ref(self.program),
                "source": self.source,
                "workspace": self.workspace,
                "settings": dict(self.settings),
                "salt": self.salt,
            },
            indent=1,
        )

    @staticmethod
    def from_text(text: str, where: Path) -> RunInputs:
        """Read what `to_text` wrote; raises `DamagedRun`."""
        from eclogue.core.canonical import read

        try:
            found = json.loads(text)
            if found["format"] != FORMAT:
                raise DamagedRun(f"{where} is of the format {found['format']}, not {FORMAT}")
            program = program_from_value(read(found["program"]))
            if program_ref(program) != found["program_ref"]:
                raise DamagedRun(f"{where}: the program is not the one that it was written for")
            return RunInputs(program, found["source"], found["workspace"], found["settings"], found["salt"])
        except (ValueError, KeyError, TypeError, MalformedInput) as error:
            raise DamagedRun(f"{where}: it is damaged: {error}") from None


@attrs.frozen
class Runs:
    """The folder of a workspace's runs."""

    folder: Path

    @staticmethod
    def of_workspace(workspace: Path) -> Runs:
        """Return the folder that belongs to a workspace, in the user's state folder."""
        digest = sha256(os.fsencode(workspace.resolve())).hexdigest()[:16]
        return Runs(_state_home() / f"{workspace.resolve().name or 'root'}-{digest}")

    def numbers(self) -> list[int]:
        """Return the runs' numbers, the oldest first."""
        runs = self.folder / "runs"
        if not runs.is_dir():
            return []
        return sorted(int(name) for name in os.listdir(runs) if name.isdigit())

    def begin(self, inputs: RunInputs) -> Path:
        """Make the folder of a new run and write its inputs; raises `OSError`."""
        (self.folder / "runs").mkdir(parents=True, exist_ok=True, mode=0o700)
        number = max(self.numbers(), default=0)
        while True:
            number += 1
            folder = self.folder / "runs" / str(number)
            try:
                folder.mkdir(mode=0o700)
                break
            except FileExistsError:
                continue
        new = folder / (INPUTS + ".new")
        new.write_text(inputs.to_text(), encoding="utf-8", errors="surrogateescape")
        new.rename(folder / INPUTS)
        return folder

    def run(self, number: int | None = None) -> Path:
        """Return a run's folder, the latest by default; raises `SandboxError`."""
        known = self.numbers()
        if not known:
            raise SandboxError(f"there is no run in {self.folder}", "`eclogue exec` makes one")
        chosen = known[-1] if number is None else number
        if chosen not in known:
            shown = ", ".join(map(str, known[-10:]))
            raise SandboxError(f"there is no run {chosen}", f"there are {shown}")
        return self.folder / "runs" / str(chosen)


def read_inputs(folder: Path) -> RunInputs:
    """Return what a run was started with; raises `DamagedRun`."""
    path = folder / INPUTS
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise DamagedRun(f"{path}: {error.strerror}") from None
    return RunInputs.from_text(text, path)


def _state_home() -> Path:
    given = os.environ.get("XDG_STATE_HOME")
    if given and Path(given).is_absolute():
        return Path(given) / "eclogue"
    try:
        return Path.home() / ".local" / "state" / "eclogue"
    except RuntimeError:
        raise SandboxError(
            "there is no home folder to keep runs in", "name a folder with --state"
        ) from None
