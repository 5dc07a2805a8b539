"""What the README shows is what the commands print.

`ECLOGUE_RENEW=1 pytest tests/project/test_readme.py` writes the outputs anew.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from support.console import BLOCK, compare, printed

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"


def test_the_tour_shows_real_output(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    assert len(BLOCK.findall(README.read_text(encoding="utf-8"))) >= 4
    compare(README, tmp_path)


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
