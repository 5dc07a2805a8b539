"""`eclogue doctor` says what there is, and does without Lean."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from eclogue.cli import doctor
from eclogue.cli.main import main
from eclogue.lean.toolchain import LeanUnavailable
from eclogue.runtime.sandbox import isolation
from eclogue.runtime.sandbox.interface import Availability


def test_what_is_there() -> None:
    result = CliRunner().invoke(main, ["doctor", "--json"])
    found = json.loads(result.stdout)
    assert {"eclogue", "python", "attrs", "lark", "click", "rich", "lean", "proc", "views"} == set(found)
    assert found["lark"]["found"]
    optional = ("lean", "proc", "views")
    assert result.exit_code == (0 if all(found[name]["found"] for name in optional) else 3)


def test_without_lean(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> None:
        raise LeanUnavailable(["path: there is no `lean`"], mismatch=False)

    monkeypatch.setattr(doctor, "find_lean", nowhere)
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 3
    assert "missing  lean" in result.stdout
    assert "path: there is no `lean`" in result.stdout


def test_without_isolation(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Availability(
        "namespaces", usable=False, reason="refused", details={"processes": "not isolated"}
    )
    monkeypatch.setattr(isolation, "probe_processes", lambda: refused)
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 3
    assert "missing  proc     programs cannot be isolated: refused" in result.stdout
    assert "processes: not isolated" in result.stdout
