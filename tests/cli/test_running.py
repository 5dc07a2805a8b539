"""`eclogue run` and `eclogue resume`: results, exit codes, files, and refusals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from eclogue.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "validator" / "schema"

ASKS = """\
effect host { irreversible ctl ask(q: Text): Int }
task main(start: Int): Int / {host.ask} {
  let a = perform host.ask("first");
  let b = perform host.ask("second");
  return start + a + b
}
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("asks.ecl").write_text(ASKS, encoding="utf-8")
    Path("both.json").write_text('[1, {"operation": "host.ask", "value": 2}]', encoding="utf-8")


def eclogue(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def object_of(result: Result) -> dict[str, object]:
    """Return the one JSON object on standard output, checked against its schema."""
    found = json.loads(result.stdout)
    schema = json.loads((SCHEMAS / "run-result.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    assert isinstance(found, dict)
    return found


def program(name: str, body: str, *, effects: str = "") -> str:
    Path(name).write_text(f"{effects}\ntask main(): Any {{ {body} }}\n", encoding="utf-8")
    return name


def test_completed() -> None:
    result = eclogue("run", "asks.ecl", "--arg", "start=39", "--answers", "both.json", "--json")
    assert result.exit_code == 0
    found = object_of(result)
    assert (found["status"], found["value"], found["records"]) == ("completed", 42, 5)
    assert (found["profile"], found["admitted"], found["strength"]) == ("core0h", "core0h", "runtime_only")


def test_suspended() -> None:
    result = eclogue("run", "asks.ecl", "--arg", "start=0", "--json")
    assert result.exit_code == 3
    found = object_of(result)
    assert (found["status"], found["operation"], found["payload"]) == ("suspended", "host.ask", "first")


def test_failed_with_its_place() -> None:
    result = eclogue("run", program("fails.ecl", "let r: Any = {a: 1}; return r.b"), "--json")
    assert result.exit_code == 1
    failure = object_of(result)["failure"]
    assert isinstance(failure, dict)
    assert (failure["kind"], failure["key"]) == ("key", "b")
    assert failure["span"] == [2, 48, 2, 51]


def test_failed_for_people_shows_the_source() -> None:
    result = eclogue("run", program("fails.ecl", "let r: Any = {a: 1}; return r.b"))
    assert result.exit_code == 1
    assert "key(b)" in result.stdout
    assert "return r.b" in result.stderr
    assert "fails.ecl:2:48" in result.stderr


def test_exhausted() -> None:
    result = eclogue("run", "asks.ecl", "--arg", "start=0", "--max-steps", "2", "--json")
    assert result.exit_code == 3
    found = object_of(result)
    assert (found["status"], found["limit"], found["bound"]) == ("exhausted", "steps", 2)
    assert found["trace_ref"] is None


def test_a_value_too_large_to_write_is_exhausted() -> None:
    doubled = "let x = [0]; " + "let x = [x, x]; " * 60 + "return x"
    result = eclogue("run", program("doubles.ecl", doubled), "--trace", "t.jsonl", "--json")
    assert result.exit_code == 3
    assert object_of(result)["limit"] == "value_size"
    assert not Path("t.jsonl").exists()


def test_a_value_of_the_wrong_schema_fails() -> None:
    Path("wrong.json").write_text('["one"]', encoding="utf-8")
    result = eclogue("run", "asks.ecl", "--arg", "start=0", "--answers", "wrong.json", "--json")
    assert result.exit_code == 1
    failure = object_of(result)["failure"]
    assert isinstance(failure, dict)
    assert failure["kind"] == "schema"


@pytest.mark.parametrize(
    ("answers", "code", "says"),
    [
        ("[1, 2, 3]", "EC4102", "answer"),
        ('[{"operation": "host.tell", "value": 1}]', "EC4102", "host.tell"),
        ("[1,", "EC4101", "answers.json:1"),
        ("{}", "EC4101", "answers.json"),
        ("[1.5]", "EC4101", "answers.json:1:2"),
        ('[{"value": 1, "values": 2}]', "EC4101", "answers.json"),
    ],
)
def test_answers_that_do_not_fit(answers: str, code: str, says: str) -> None:
    Path("answers.json").write_text(answers, encoding="utf-8")
    result = eclogue("run", "asks.ecl", "--arg", "start=0", "--answers", "answers.json")
    assert result.exit_code == 2
    assert code in result.stderr
    assert says in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("asks.ecl",),
        ("asks.ecl", "--arg", "start=one"),
        ("asks.ecl", "--arg", "start"),
        ("asks.ecl", "--arg", 'start="1"'),
        ("asks.ecl", "--arg", "start=1", "--arg", "stop=1"),
        ("asks.ecl", "--arg", "start=1", "--arg", "start=1"),
        ("asks.ecl", "--arg", "start=1", "--task", "mian"),
        ("asks.ecl", "--arg", "start=1", "--answers", "missing.json"),
        ("asks.ecl", "--arg", "start=1", "--json", "--trace", "-"),
        ("asks.ecl", "--arg", "start=1", "--trace", "no/such/folder/t.jsonl"),
        ("missing.ecl",),
        (".",),
    ],
)
def test_misuse_exits_with_2_and_a_message(arguments: tuple[str, ...]) -> None:
    result = eclogue("run", *arguments)
    assert result.exit_code == 2
    assert result.stderr.strip()


@pytest.mark.parametrize("option", ["--trace", "--save"])
@pytest.mark.parametrize("target", ["asks.ecl", "both.json", "./asks.ecl"])
def test_no_input_is_written_over(option: str, target: str) -> None:
    before = Path(target).read_text(encoding="utf-8")
    result = eclogue("run", "asks.ecl", "--arg", "start=0", "--answers", "both.json", option, target)
    assert result.exit_code == 2
    assert "written over" in result.stderr
    assert Path(target).read_text(encoding="utf-8") == before


def test_output_is_utf_8_in_any_locale() -> None:
    text = program("accent.ecl", 'return "é"')
    command = [str(Path(sys.executable).parent / "eclogue"), "run", text]
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "é" in done.stdout.decode("utf-8")


def test_the_trace_file_and_its_schema() -> None:
    eclogue("run", "asks.ecl", "--arg", "start=0", "--answers", "both.json", "--trace", "t.jsonl")
    lines = [json.loads(line) for line in Path("t.jsonl").read_text(encoding="utf-8").splitlines()]
    schema = json.loads((SCHEMAS / "trace-record.schema.json").read_text(encoding="utf-8"))
    for line in lines:
        jsonschema.Draft202012Validator(schema).validate(line)
    names = ["EffectDeclaration", "HostObservation", "EffectDeclaration", "HostObservation", "RunEnd"]
    assert [line["record"] for line in lines] == names
    assert [line["seq"] for line in lines] == [0, 1, 2, 3, 4]


def test_a_saved_run_is_resumed_twice() -> None:
    whole = object_of(eclogue("run", "asks.ecl", "--arg", "start=0", "--answers", "both.json", "--json"))
    assert eclogue("run", "asks.ecl", "--arg", "start=0", "--save", "first.json").exit_code == 3
    Path("one.json").write_text("[1]", encoding="utf-8")
    Path("two.json").write_text("[2]", encoding="utf-8")
    assert eclogue("resume", "first.json", "--answers", "one.json", "--save", "second.json").exit_code == 3
    for _ in range(2):
        result = eclogue("resume", "second.json", "--answers", "two.json", "--json")
        assert result.exit_code == 0
        assert object_of(result)["trace_ref"] == whole["trace_ref"]
        assert object_of(result)["value"] == 3


def test_a_state_is_refused_if_altered_or_for_another_program() -> None:
    eclogue("run", "asks.ecl", "--arg", "start=0", "--save", "state.json")
    state = Path("state.json").read_text(encoding="utf-8")
    Path("altered.json").write_text(state.replace('"first"', '"worst"'), encoding="utf-8")
    altered = eclogue("resume", "altered.json", "--answers", "both.json")
    assert altered.exit_code == 2
    assert "EC4201" in altered.stderr
    for other in (("asks.ecl", "--arg", "start=1"), (program("other.ecl", "return 1"),)):
        result = eclogue("resume", "state.json", *other)
        assert result.exit_code == 2
        assert "EC4201" in result.stderr
    assert eclogue("resume", "state.json", "asks.ecl", "--arg", "start=0").exit_code == 3


def test_a_core_program_in_json_is_a_program() -> None:
    lowered = eclogue("lower", "asks.ecl", "--arg", "start=0", "--emit", "json")
    Path("asks.json").write_text(lowered.stdout, encoding="utf-8")
    of_source = eclogue("run", "asks.ecl", "--arg", "start=0", "--answers", "both.json", "--json")
    of_core = eclogue("run", "asks.json", "--answers", "both.json", "--json")
    assert object_of(of_core) == object_of(of_source)


def test_static_errors_as_json() -> None:
    result = eclogue("run", program("typo.ecl", "return nmae"), "--json", "--error-format", "json")
    assert result.exit_code == 2
    found = json.loads(result.stdout)
    assert found["status"] == "malformed"
    (diagnostic,) = found["diagnostics"]
    assert json.loads(result.stderr) == diagnostic
    schema = json.loads((SCHEMAS / "diagnostic.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(diagnostic)


def test_too_large_an_expansion_exits_with_3() -> None:
    text = "let x = repeat 1000000000 with x = 0 { return x + 1 }; return x"
    result = eclogue("run", program("large.ecl", text))
    assert result.exit_code == 3
    assert "EC3" in result.stderr
