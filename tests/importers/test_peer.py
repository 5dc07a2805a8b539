"""The peer fixtures, with the commands: they import, run and validate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from importing import HERE

from eclogue.cli.main import main

CASES = sorted((HERE.parent / "peer" / "kernel-v3").glob("*.json"))

WAITS = {"01_record_expr_in_payload"}
"""Those whose run waits for an answer that the fixture does not have."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_import_run_validate(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = (
        ["import", "kernel-v3", str(case), "--out", "p.json", "--answers-out", "a.json"],
        ["run", "p.json", "--answers", "a.json", "--trace", "t.jsonl"],
        ["validate", "t.jsonl", "--program", "p.json", "--answers", "a.json", "--json"],
    )
    codes = []
    for command in commands:
        result = CliRunner().invoke(main, command)
        codes.append(result.exit_code)
    found = json.loads(result.stdout)
    assert codes == [0, 3 if case.stem in WAITS else 0, 0]
    assert (found["verdict"], found["strength"]) == ("accepted", "reference_validated")


def test_there_are_fixtures() -> None:
    assert len(CASES) == 6
