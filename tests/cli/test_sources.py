"""`eclogue check`, `fmt`, `lower`, `explain` and `import`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from eclogue.cli.main import main
from eclogue.lowering.codes import CODES

PEER = Path(__file__).resolve().parents[1] / "peer" / "kernel-v3"
CROOKED = "# a comment\ntask   main( ):Int{return 1+2   # three\n}\n"
STRAIGHT = "# a comment\ntask main(): Int {\n  return 1 + 2 # three\n}\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("crooked.ecl").write_text(CROOKED, encoding="utf-8")


def eclogue(*arguments: str, given: str | None = None) -> Result:
    result = CliRunner().invoke(main, list(arguments), input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_check_says_what_each_task_is_admitted_to() -> None:
    Path("two.ecl").write_text(
        "effect e { reversible ctl op(): Int }\n"
        "def worker() { let y = perform e.op(); return y }\n"
        "task one(x: Int): Int { handle { worker() } with { ctl e.op() { resume(1) } } }\n"
        "task two(): Int { handle { worker() } with { ctl e.op() { abort(1) } } }\n",
        encoding="utf-8",
    )
    result = eclogue("check", "two.ecl", "--json")
    assert result.exit_code == 0
    tasks = json.loads(result.stdout)["tasks"]
    assert [(task["task"], task["admitted"]) for task in tasks] == [("one", "core0h"), ("two", "core_a")]


def test_fmt_in_place_and_twice() -> None:
    assert eclogue("fmt", "--check", "crooked.ecl").exit_code == 1
    assert "-task   main" in eclogue("fmt", "--diff", "crooked.ecl").stdout
    assert Path("crooked.ecl").read_text(encoding="utf-8") == CROOKED
    assert eclogue("fmt", "crooked.ecl").exit_code == 0
    formatted = Path("crooked.ecl").read_text(encoding="utf-8")
    assert formatted.split() == STRAIGHT.split()
    assert eclogue("fmt", "--check", "crooked.ecl").exit_code == 0


def test_fmt_writes_through_a_link_and_keeps_permissions() -> None:
    Path("crooked.ecl").chmod(0o640)
    Path("link.ecl").symlink_to("crooked.ecl")
    assert eclogue("fmt", "link.ecl").exit_code == 0
    assert Path("link.ecl").is_symlink()
    assert Path("crooked.ecl").read_text(encoding="utf-8") != CROOKED
    assert Path("crooked.ecl").stat().st_mode & 0o777 == 0o640


def test_fmt_of_standard_input() -> None:
    assert eclogue("fmt", "-", given=CROOKED).stdout.split() == STRAIGHT.split()


def test_fmt_loses_nothing_where_there_are_errors() -> None:
    Path("broken.ecl").write_text("task main(: Int { }", encoding="utf-8")
    assert eclogue("fmt", "broken.ecl", "crooked.ecl").exit_code == 2
    assert Path("broken.ecl").read_text(encoding="utf-8") == "task main(: Int { }"


def test_lower_shows_tree_term_and_document() -> None:
    assert "TaskDeclaration" in eclogue("lower", "crooked.ecl", "--emit", "ast").stdout
    assert "return" in eclogue("lower", "crooked.ecl", "--emit", "core").stdout
    document = json.loads(eclogue("lower", "crooked.ecl", "--emit", "json").stdout)
    assert document["format"] == "eclogue-core/1"


@pytest.mark.parametrize("code", sorted(CODES))
def test_explain_every_code(code: str) -> None:
    result = eclogue("explain", code.lower())
    assert result.exit_code == 0
    assert code in result.stdout


def test_explain_what_there_is_not() -> None:
    result = eclogue("explain", "EC0022")
    assert result.exit_code == 2
    assert "did you mean" in result.stderr
    listed = eclogue("explain", "list").stdout.splitlines()
    assert [line.split()[0] for line in listed] == list(CODES)


def test_import_and_run() -> None:
    source = str(PEER / "05_multi_step_observation_stream.json")
    imported = eclogue(
        "import", "kernel-v3", source, "--out", "program.json", "--answers-out", "answers.json"
    )
    assert imported.exit_code == 0, imported.stderr
    result = eclogue("run", "program.json", "--answers", "answers.json", "--json")
    assert json.loads(result.stdout)["value"] == 10


@pytest.mark.parametrize(
    ("text", "exit_code", "code"),
    [
        ("{", 2, "EC4301"),
        ('{"node": "Return"}', 2, "EC4301"),
        ('{"node": "Forward", "payload": {"node": "Lit", "value": 1}}', 1, "EC4302"),
    ],
)
def test_import_refuses(text: str, exit_code: int, code: str) -> None:
    Path("odd.json").write_text(text, encoding="utf-8")
    result = eclogue("import", "kernel-v3", "odd.json", "--out", "program.json")
    assert (result.exit_code, code in result.stderr) == (exit_code, True), result.stderr
    assert not Path("program.json").exists()


def test_help_names_every_command() -> None:
    shown = eclogue("--help").stdout
    for command in ("check", "fmt", "lower", "run", "resume", "import", "explain"):
        assert command in shown
        assert "Exit codes" in " ".join(eclogue(command, "--help").stdout.split()) or command in {
            "import",
            "explain",
        }
