"""`eclogue validate`: verdicts, strengths, exit codes, and what is said about what is wrong."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import attrs
import jsonschema
import pytest
from click.testing import CliRunner, Result

from eclogue.cli.main import main
from eclogue.core import denote
from eclogue.core.errors import AnswerRefused
from eclogue.core.outcomes import Completed, Exhausted
from eclogue.core.trace import START_REF, CompletedWith, Record, RunEnd, next_ref, skeleton
from eclogue.validator import checks, lifecycle
from eclogue.validator.trace_file import line, read_trace

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "validator/schema/validate-result.schema.json").read_text(encoding="utf-8"))

SOURCE = """\
effect host { irreversible ctl ask(q: Text): Int }
effect local { reversible ctl pick(n: Int): Int }
task main(start: Int): Int / {host.ask} {
  handle {
    let a = perform local.pick(start);
    let b = perform host.ask("more");
    return a + b
  } with {
    ctl local.pick(n) { if n == 0 then { answer(0) }; let r = resume(n + 1); return r * 2 }
  }: Int
}
"""
PROGRAM = ("--program", "asks.ecl", "--arg", "start=1")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("asks.ecl").write_text(SOURCE, encoding="utf-8")
    Path("answers.json").write_text("[5]", encoding="utf-8")
    run("--arg", "start=1", "--answers", "answers.json", trace="t.jsonl")


def eclogue(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def run(*arguments: str, trace: str) -> None:
    eclogue("run", "asks.ecl", *arguments, "--trace", trace)


def validate(*arguments: str, code: int) -> dict[str, Any]:
    """Return the one JSON object on standard output, checked against its schema."""
    result = eclogue("validate", *arguments, "--json")
    assert result.exit_code == code, result.output
    found = json.loads(result.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert isinstance(found, dict)
    return found


def codes(found: dict[str, Any]) -> list[str]:
    return [item["code"] for item in found["diagnostics"]]


def records_of(name: str) -> list[Record]:
    with Path(name).open("rb") as file:
        return [record for _, record, _, _ in read_trace(file)]


def write(name: str, records: list[Record]) -> str:
    """Write a trace whose refs fit its records."""
    file, ref = io.StringIO(), START_REF
    for number, record in enumerate(records):
        ref = next_ref(ref, skeleton(number, record))
        file.write(line(number, record, None, ref) + "\n")
    Path(name).write_text(file.getvalue(), encoding="utf-8")
    return name


# ------------------------------------------------------------------------------------------------
# Accepted


def test_without_a_program_only_the_rules_are_checked() -> None:
    found = validate("t.jsonl", code=0)
    assert (found["verdict"], found["strength"], found["extent"]) == (
        "accepted",
        "runtime_only",
        "completed",
    )
    assert "no program was given" in found["strength_reason"]
    assert (found["profile"], found["records"], found["answers"]) == ("core0h", 9, None)
    assert found["program_ref"] is None


@pytest.mark.parametrize("answers", [(), ("--answers", "answers.json")])
def test_with_a_program_the_trace_is_replayed(answers: tuple[str, ...]) -> None:
    found = validate("t.jsonl", *PROGRAM, *answers, "--profile", "core0h", code=0)
    assert (found["verdict"], found["strength"]) == ("accepted", "reference_validated")
    assert found["answers"] == ("given" if answers else "trace")
    assert ("given" if answers else "recorded in the trace") in found["strength_reason"]
    ran = json.loads(
        eclogue("run", "asks.ecl", "--arg", "start=1", "--answers", "answers.json", "--json").stdout
    )
    assert (found["trace_ref"], found["program_ref"]) == (ran["trace_ref"], ran["program_ref"])
    assert ran["strength"] == "runtime_only"


def test_a_suspended_run_is_a_prefix() -> None:
    run("--arg", "start=1", trace="waits.jsonl")
    found = validate("waits.jsonl", *PROGRAM, code=0)
    assert (found["extent"], found["strength"]) == ("prefix", "reference_validated")
    assert "judged as a prefix" in found["profile_reason"]
    found = validate("waits.jsonl", *PROGRAM, "--answers", "answers.json", code=1)
    assert found["divergence"]["found"] is None
    assert found["divergence"]["expected"]["record"] == "HostObservation"


def test_a_failed_run_is_a_trace_too() -> None:
    Path("wrong.json").write_text('["five"]', encoding="utf-8")
    run("--arg", "start=1", "--answers", "wrong.json", trace="failed.jsonl")
    found = validate("failed.jsonl", *PROGRAM, code=0)
    assert (found["extent"], found["strength"]) == ("failed", "reference_validated")


def test_a_core_program_will_do() -> None:
    lowered = eclogue("lower", "asks.ecl", "--arg", "start=1", "--emit", "json").stdout
    Path("asks.json").write_text(lowered, encoding="utf-8")
    assert validate("t.jsonl", "--program", "asks.json", code=0)["strength"] == "reference_validated"


def test_for_people() -> None:
    result = eclogue("validate", "t.jsonl", *PROGRAM)
    assert result.exit_code == 0
    first, _, profile, strength, answers, program, trace = result.stdout.splitlines()
    assert first == "accepted  9 records, a completed run"
    assert profile.startswith("  profile   core0h: ")
    assert strength.startswith("  strength  reference_validated: ")
    assert answers == "  answers   1, recorded in the trace"
    assert program.startswith("  program   sha256:")
    assert trace.startswith("  trace     sha256:")
    assert result.stderr == ""


# ------------------------------------------------------------------------------------------------
# Rejected


def test_a_changed_value_breaks_its_ref() -> None:
    text = Path("t.jsonl").read_text(encoding="utf-8")
    Path("u.jsonl").write_text(
        text.replace('"status":"completed","value":14', '"status":"completed","value":15')
    )
    found = validate("u.jsonl", code=1)
    assert (found["verdict"], found["trace_ref"], codes(found)) == ("rejected", None, ["EC4402"])
    assert found["diagnostics"][0]["line"] == 9
    assert codes(validate("u.jsonl", *PROGRAM, code=1)) == ["EC4402", "EC4404"]


def test_a_forged_trace_is_not_the_run() -> None:
    """Its refs are made anew, so that only replay sees it."""
    records = records_of("t.jsonl")
    declared: Any = records[0]
    write("u.jsonl", [attrs.evolve(declared, payload=2), *records[1:]])
    assert validate("u.jsonl", code=0)["strength"] == "runtime_only"
    found = validate("u.jsonl", *PROGRAM, code=1)
    assert (found["verdict"], found["strength"], codes(found)) == ("rejected", "runtime_only", ["EC4404"])
    divergence = found["divergence"]
    assert (divergence["record"], divergence["span"]) == (0, [5, 13, 5, 38])
    assert (divergence["expected"]["payload"], divergence["found"]["payload"]) == (1, 2)
    shown = eclogue("validate", "u.jsonl", *PROGRAM).stderr
    assert "u.jsonl:1:1: error[EC4404]: record 0 is not the run's" in shown
    assert "expected  EffectDeclaration  local.pick(1)" in shown
    assert "found     EffectDeclaration  local.pick(2)" in shown
    assert "asks.ecl:5:13" in shown


def test_a_broken_rule_is_named() -> None:
    records = records_of("t.jsonl")
    del records[2]
    write("u.jsonl", records)
    found = validate("u.jsonl", *PROGRAM, code=1)
    assert codes(found) == ["EC4403", "EC4404"]
    assert found["profile"] is None
    assert found["rejection"] == {
        "record": 2,
        "rule": "life.resume",
        "expected": "the resumption handle of selection 1",
        "found": "the resume of selection 1",
    }


def test_a_run_with_a_value_too_large_to_write_rejects_another_trace() -> None:
    doubled = "let x = [0]; " + "let x = [x, x]; " * 60 + "return x"
    Path("doubles.ecl").write_text(f"task main(): Any {{ {doubled} }}\n", encoding="utf-8")
    write("one.jsonl", [RunEnd(CompletedWith(1))])
    found = validate("one.jsonl", "--program", "doubles.ecl", code=1)
    assert found["divergence"]["expected"] == {"seq": 0, "record": "RunEnd", "too_large": True}
    assert eclogue("validate", "one.jsonl", "--program", "doubles.ecl").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "at"),
    [
        (("--arg", "start=2"), 0),
        (("--arg", "start=0"), 0),
        (("--arg", "start=1", "--answers", "six.json"), 5),
    ],
)
def test_another_program_or_other_answers(arguments: tuple[str, ...], at: int) -> None:
    Path("six.json").write_text("[6]", encoding="utf-8")
    found = validate("t.jsonl", "--program", "asks.ecl", *arguments, code=1)
    assert found["divergence"]["record"] == at


def test_what_is_cut_off_is_not_the_run() -> None:
    records = records_of("t.jsonl")
    write("u.jsonl", records[:-1])
    assert validate("u.jsonl", code=0)["extent"] == "prefix"
    found = validate("u.jsonl", *PROGRAM, code=1)
    assert found["divergence"]["found"] is None
    write("u.jsonl", [*records, records[-1]])
    found = validate("u.jsonl", *PROGRAM, code=1)
    assert found["divergence"]["expected"] is None
    assert found["rejection"]["rule"] == "life.end"


def test_a_profile_that_is_not_met() -> None:
    Path("none.json").write_text("[]", encoding="utf-8")
    run("--arg", "start=0", trace="answered.jsonl")
    zero = ("--program", "asks.ecl", "--arg", "start=0")
    assert validate("answered.jsonl", *zero, "--profile", "core0", code=0)["profile"] == "core0"
    found = validate("answered.jsonl", *zero, "--profile", "core0h", code=1)
    assert (found["verdict"], found["strength"], codes(found)) == ("rejected", "runtime_only", ["EC4405"])


# ------------------------------------------------------------------------------------------------
# Neither


def test_a_limit_makes_it_unknown() -> None:
    found = validate("t.jsonl", *PROGRAM, "--max-steps", "3", code=3)
    assert (found["verdict"], found["strength"], codes(found)) == ("unknown", "runtime_only", ["EC4407"])


@pytest.mark.parametrize("data", [b"{}\n", b"nonsense", b'{"seq":1}', b"\xff", b"\n", b'{"seq":0,"seq":0}'])
def test_malformed(data: bytes) -> None:
    Path("u.jsonl").write_bytes(data)
    found = validate("u.jsonl", code=2)
    assert (found["verdict"], found["strength"], codes(found)) == ("malformed", "runtime_only", ["EC4401"])


def test_a_wrong_commitment_gives_a_wrong_ref() -> None:
    text = Path("t.jsonl").read_text(encoding="utf-8")
    redacted = text.replace('"payload":"more"', '"payload":{"$commitment":"sha256:' + "0" * 64 + '"}')
    assert redacted != text
    Path("u.jsonl").write_text(redacted, encoding="utf-8")
    found = validate("u.jsonl", code=1)
    assert (found["verdict"], codes(found)) == ("rejected", ["EC4402"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("missing.jsonl",), "EC0001"),
        ((".",), "EC0002"),
        (("t.jsonl", "--program", "missing.ecl"), "EC0001"),
        (("t.jsonl", "--program", "asks.ecl"), "EC1303"),
        (("t.jsonl", *PROGRAM, "--answers", "many.json"), "EC4102"),
        (("t.jsonl", *PROGRAM, "--answers", "asks.ecl"), "EC4101"),
    ],
)
def test_what_cannot_be_read(arguments: tuple[str, ...], code: str) -> None:
    Path("many.json").write_text("[5, 6]", encoding="utf-8")
    found = validate(*arguments, code=2)
    assert (found["verdict"], codes(found)) == ("malformed", [code])


@pytest.mark.parametrize(
    "arguments",
    [("--answers", "answers.json"), ("--arg", "start=1"), ("--task", "main"), ("--profile", "none")],
)
def test_misuse(arguments: tuple[str, ...]) -> None:
    result = eclogue("validate", "t.jsonl", *arguments)
    assert result.exit_code == 2
    assert result.stderr


# ------------------------------------------------------------------------------------------------
# Alarms: an oracle is made to lie


def wrong_reading(*arguments: Any, **options: Any) -> denote.Reading:
    found = _read(*arguments, **options)
    return attrs.evolve(found, outcome=Completed(41))


def less_performed(*arguments: Any, **options: Any) -> denote.Reading:
    found = _read(*arguments, **options)
    return attrs.evolve(found, performed=found.performed[:-1])


def another_payload(*arguments: Any, **options: Any) -> denote.Reading:
    found = _read(*arguments, **options)
    return attrs.evolve(found, performed=((found.performed[0][0], True), *found.performed[1:]))


def another_operation(*arguments: Any, **options: Any) -> denote.Reading:
    found = _read(*arguments, **options)
    return attrs.evolve(found, performed=(("a.b", found.performed[0][1]), *found.performed[1:]))


def refusing(*_arguments: Any, **_options: Any) -> denote.Reading:
    raise AnswerRefused("no")


def exhausted(*arguments: Any, **options: Any) -> denote.Reading:
    return attrs.evolve(_read(*arguments, **options), outcome=Exhausted("steps", 7))


_read = denote.read


@pytest.mark.parametrize(
    ("lie", "about", "machine", "other"),
    [
        (wrong_reading, "the outcome", "completed with 14", "completed with 41"),
        (another_payload, "operation 1 of those performed", "local.pick(1)", "local.pick(true)"),
        (another_operation, "operation 1 of those performed", "local.pick(1)", "a.b(1)"),
        (refusing, "the host's answers", "takes them", "refuses one: no"),
        (less_performed, "operation 2 of those performed", 'host.ask("more")', "no such operation"),
    ],
)
def test_readings_that_disagree_are_an_alarm(
    lie: Any, about: str, machine: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(denote, "read", lie)
        found = validate("t.jsonl", *PROGRAM, code=4)
    assert (found["verdict"], found["strength"], codes(found)) == ("unknown", "runtime_only", ["EC4406"])
    assert found["disagreement"] == {
        "about": about,
        "machine": machine,
        "oracle": "the denotation",
        "other": other,
    }
    saved = Path(found["saved"])
    assert (saved / "trace.jsonl").read_bytes() == Path("t.jsonl").read_bytes()
    assert json.loads((saved / "answers.json").read_text(encoding="utf-8")) == [
        {"operation": "host.ask", "value": 5}
    ]
    monkeypatch.chdir(saved)
    again = validate("trace.jsonl", "--program", "program.json", "--answers", "answers.json", code=0)
    assert again["strength"] == "reference_validated"


def test_a_reading_that_reaches_a_limit_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(denote, "read", exhausted)
    found = validate("t.jsonl", *PROGRAM, code=3)
    assert (found["verdict"], found["strength"], codes(found)) == ("unknown", "runtime_only", ["EC4407"])


def test_a_rule_that_refuses_the_machines_own_trace_is_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(lifecycle.Lifecycle):
        def accept(self, number: int, record: Record) -> lifecycle.Rejection | None:
            if number == 3:
                self.rejection = lifecycle.Rejection(3, "life.resume", "something", "something else")
            return super().accept(number, record)

    monkeypatch.setattr(checks, "Lifecycle", Broken)
    found = validate("t.jsonl", *PROGRAM, code=4)
    assert found["disagreement"]["oracle"] == "the rules"
    assert validate("t.jsonl", code=1)["disagreement"] is None
