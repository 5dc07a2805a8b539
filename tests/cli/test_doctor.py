"""`eclogue doctor` says what there is, and does without Lean."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from eclogue.cli import doctor
from eclogue.cli.main import main
from eclogue.lean.toolchain import LeanUnavailable


def test_what_is_there() -> None:
    result = CliRunner().invoke(main, ["doctor", "--json"])
    found = json.loads(result.stdout)
    assert {"eclogue", "python", "attrs", "lark", "click", "rich", "lean"} == set(found)
    assert found["lark"]["found"]
    assert result.exit_code == (0 if found["lean"]["found"] else 3)


def test_without_lean(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> None:
        raise LeanUnavailable(["path: there is no `lean`"], mismatch=False)

    monkeypatch.setattr(doctor, "find_lean", nowhere)
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 3
    assert "missing  lean" in result.stdout
    assert "path: there is no `lean`" in result.stdout
