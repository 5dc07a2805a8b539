"""Each example does what its golden file says, down to the last record.

`ECLOGUE_RENEW=1 pytest tests/examples` writes the golden files anew; a missing one is a failure.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from eclogue.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = Path(__file__).parent / "golden"

RUNS: dict[str, tuple[str, ...]] = {
    "hello": ("hello.ecl",),
    "supervisor": (
        "supervisor.ecl", "--arg", 'goal="fix the parser"', "--answers", "supervisor.answers.json",
    ),
    "supervisor_refused": (
        "supervisor.ecl", "--arg", 'goal="fix the parser"', "--answers", "supervisor.refused.answers.json",
    ),
    "retry": ("retry.ecl",),
    "forbidden_write": ("forbidden_write.ecl",),
    "repair": ("repair.ecl", "--arg", 'bug="off by one"', "--answers", "repair.answers.json"),
    "repair_waits": ("repair.ecl", "--arg", 'bug="off by one"'),
    "nested_wraps": ("nested_wraps.ecl",),
    "handler_effects": ("handler_effects.ecl", "--answers", "handler_effects.answers.json"),
    "outer_answers": ("outer_drops_inner.ecl", "--task", "answers"),
    "outer_aborts": ("outer_drops_inner.ecl", "--task", "aborts"),
    "return_zero": ("return_clause.ecl", "--task", "zero"),
    "return_one": ("return_clause.ecl", "--task", "one"),
    "return_many": ("return_clause.ecl", "--task", "many"),
    "return_answered": ("return_clause.ecl", "--task", "answered"),
    "no_clause_between": ("no_clause_between.ecl",),
    "branch_waits": ("two_branches.ecl",),
    "branch_up": ("two_branches.ecl", "--answers", "two_branches.up.answers.json"),
    "branch_down": ("two_branches.ecl", "--answers", "two_branches.down.answers.json"),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_example(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")
    result = CliRunner().invoke(main, ["run", *RUNS[name], "--trace", "-"])
    found = f"exit code {result.exit_code}\n{result.stdout}"
    golden = GOLDENS / f"{name}.txt"
    if os.environ.get("ECLOGUE_RENEW"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    assert golden.exists(), f"{golden} is missing"
    assert found == golden.read_text(encoding="utf-8")


def test_every_example_is_run_and_formatted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")
    programs = sorted(path.name for path in Path().glob("*.ecl"))
    assert sorted({arguments[0] for arguments in RUNS.values()}) == programs
    for program in programs:
        assert CliRunner().invoke(main, ["check", program]).exit_code == 0, program
        formatted = CliRunner().invoke(main, ["fmt", "--diff", "--check", program])
        assert formatted.exit_code == 0, formatted.stdout


def test_every_golden_has_its_run() -> None:
    assert sorted(path.stem for path in GOLDENS.glob("*.txt")) == sorted(RUNS)
