"""Console blocks in documents: their commands are run, and what they print is what stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from eclogue.lean.certificate_check import available
from support.closing import notice

BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def renewed(text: str, folder: Path) -> str:
    """Return a document with the outputs of its console blocks as they come, run in a folder."""
    return BLOCK.sub(lambda match: f"```console\n{outputs(match[1], folder)}```", text)


def compare(document: Path, folder: Path) -> None:
    """Compare a document with its outputs as they come; with ECLOGUE_RENEW=1, write them first."""
    text = renewed(document.read_text(encoding="utf-8"), folder)
    if os.environ.get("ECLOGUE_RENEW"):
        document.write_text(text, encoding="utf-8")
    assert text == document.read_text(encoding="utf-8")


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
