"""What the README shows is what the commands print.

`ECLOGUE_RENEW=1 pytest tests/project/test_readme.py` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from support.closing import notice

from eclogue.lean.certificate_check import available

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def outputs(block: str, folder: Path) -> str:
    """Return a block with the commands as they are and their outputs as they come."""
    if "--recheck lean" in block and available() is not None:
        notice("The README's path with Lean was not compared: there is no Lean here.")
        return block
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    assert commands, block
    return "\n".join(f"$ {command}\n{printed(command, folder)}" for command in commands)


def printed(command: str, folder: Path) -> str:
    """Return what a command prints, standard error after standard output as a terminal shows it."""
    scripts = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": f"{scripts}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode in {0, 1, 2, 3}, done.stdout
    return done.stdout


def test_the_tour_shows_real_output(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    text = README.read_text(encoding="utf-8")
    assert len(BLOCK.findall(text)) >= 4
    renewed = BLOCK.sub(lambda match: f"```console\n{outputs(match[1], tmp_path)}```", text)
    if os.environ.get("ECLOGUE_RENEW"):
        README.write_text(renewed, encoding="utf-8")
    assert renewed == README.read_text(encoding="utf-8")


def test_the_program_on_the_language_page_checks(tmp_path: Path) -> None:
    blocks = re.findall(r"```ecl\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1
    (tmp_path / "page.ecl").write_text(blocks[0], encoding="utf-8")
    assert printed("eclogue check page.ecl --json", tmp_path).startswith('{"status": "checked"')


def test_ci_runs_the_test_command_of_the_readme() -> None:
    commands = re.findall(r"```sh\n(.*?)\n```", README.read_text(encoding="utf-8"))
    assert len(commands) == 3
    assert commands[1].endswith("-m pytest")
    assert "grep -m 1 -- '-m pytest$' README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
