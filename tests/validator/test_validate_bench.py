"""The benchmark of validation runs, on small traces of each family."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "validate.py"


def printed(*arguments: str) -> str:
    command = [sys.executable, str(BENCH), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_table_of_a_family() -> None:
    lines = printed("--quick", "--family", "middle").splitlines()
    assert lines[0].startswith("middle: ")
    rows = [line.split() for line in lines[2:] if line]
    assert [(row[0], row[3]) for row in rows] == [("997", "-"), ("9,997", "-")]


@pytest.mark.parametrize("family", ["sequential", "nested", "inside_out"])
def test_the_traces_of_a_family_are_validated(family: str, tmp_path: Path) -> None:
    path = str(tmp_path / "trace.jsonl")
    assert json.loads(printed("--measure", "write", family, "60", path)) == {"records": 61}
    assert json.loads(printed("--measure", "replay", family, "60", path))["seconds"] > 0
