"""`eclogue export atif`: valid ATIF v1.8 for every trace, and honest about what it loses."""

from __future__ import annotations

import io
import json
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result
from importing import HERE, imported
from strategies import for_seeds
from support.random_programs import directed_program, random_answer, undirected_program

from eclogue.cli.main import main
from eclogue.core.canonical import read
from eclogue.core.outcomes import HostAnswer, Suspended
from eclogue.core.run import Run, run
from eclogue.core.trace import EffectDeclaration, Failure, HandlerSelection, HostObservation, RunEnd
from eclogue.core.values import RecordValue
from eclogue.validator.exporters.atif import export_trace
from eclogue.validator.importers.atif_rules import check, schema
from eclogue.validator.importers.foreign_json import read_json, text_of_json
from eclogue.validator.trace_file import write_trace

ROOT = HERE.parents[1]
VALIDATOR = jsonschema.Draft202012Validator(schema())
RESULT = jsonschema.Draft202012Validator(
    json.loads((ROOT / "validator" / "schema" / "export-result.schema.json").read_text())
)


def some_run(seed: int) -> Run:
    """Return a run of a random program, answered for a while."""
    rng = Random(seed)
    program = directed_program(rng) if seed % 2 else undirected_program(rng)
    answers: list[HostAnswer] = []
    done = run(program, answers)
    while isinstance(done.outcome, Suspended) and len(answers) < 4:
        answers.append(HostAnswer(random_answer(rng, program, done.outcome.operation, 0.1)))
        done = run(program, answers)
    return done


def test_every_trace_is_valid_atif_and_nothing_is_hidden() -> None:
    totals = {"calls": 0, "observations": 0, "left out": 0}

    def check_one(seed: int) -> None:
        done = some_run(seed)
        records = list(done.records())
        exported = export_trace(iter(records), done.trace_ref(), "1")
        text = text_of_json(exported.document)
        data: Any = json.loads(text)
        VALIDATOR.validate(data)
        check(read_json(text), text)
        of = {kind: [item for _, item, _ in records if type(item) is kind] for kind in KINDS}
        calls = [step["tool_calls"][0] for step in data["steps"] if "tool_calls" in step]
        assert [call["function_name"] for call in calls] == [
            item.operation for item in of[EffectDeclaration]
        ]
        for call, item in zip(calls, of[EffectDeclaration], strict=True):
            payload = (
                call["arguments"] if isinstance(item.payload, RecordValue) else call["arguments"]["payload"]
            )
            assert json.dumps(payload, sort_keys=True) == json.dumps(plain(item.payload), sort_keys=True)
        results = [step["observation"]["results"][0] for step in data["steps"] if "observation" in step]
        for result, item in zip(results, of[HostObservation], strict=True):
            as_text = isinstance(item.value, str)
            assert result["content"] == item.value if as_text else read(result["content"]) == item.value
        placed = sum(map(len, of.values())) - len(of[HandlerSelection])
        assert placed + sum(exported.left_out.values()) == len(records)
        assert exported.left_out.get("HandlerSelection", 0) == len(of[HandlerSelection])
        assert all(name in data["notes"] for name in exported.left_out)
        assert data["steps"][-1]["source"] == "system"
        assert exported.steps == len(data["steps"]) == data["final_metrics"]["total_steps"]
        totals["calls"] += len(calls)
        totals["observations"] += len(results)
        totals["left out"] += sum(exported.left_out.values())

    for_seeds(150, check_one)
    assert all(totals.values()), totals


KINDS: tuple[type[Any], ...] = (EffectDeclaration, HostObservation, RunEnd, Failure, HandlerSelection)


def plain(value: Any) -> Any:
    if isinstance(value, RecordValue):
        return {key: plain(item) for key, item in value.fields.items()}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def test_the_steps_of_a_run(tmp_path: Path) -> None:
    data = exported("supervisor_refused", tmp_path)
    shown = [
        (
            step["step_id"],
            step["source"],
            [call["function_name"] for call in step.get("tool_calls", [])],
            [result["content"] for result in step.get("observation", {}).get("results", [])],
        )
        for step in data["steps"]
    ]
    assert shown == [
        (1, "agent", ["plan.next"], []),
        (2, "agent", ["model.call"], []),
        (3, "agent", ["audit.intent"], ["null"]),
        (4, "agent", ["model.call"], []),
        (5, "agent", ["person.approve"], ["false"]),
        (6, "system", [], []),
    ]
    assert data["steps"][-1]["message"] == 'The run completed with {"approved":false,"summary":"refused"}'
    assert data["extra"]["eclogue"]["left_out"] == {
        "EffectCapture": 1,
        "ContinuationResume": 1,
        "HandlerSelection": 3,
        "ResumptionHandle": 3,
        "SelectionClosed": 2,
    }
    assert "2 SelectionClosed" in data["notes"]


def exported(name: str, folder: Path) -> Any:
    """Return an example's trace as ATIF, made with the commands."""
    arguments = ["--arg", 'goal="x"', "--answers", str(ROOT / "examples/supervisor.refused.answers.json")]
    assert name == "supervisor_refused"
    trace = str(folder / "t.jsonl")
    CliRunner().invoke(main, ["run", str(ROOT / "examples/supervisor.ecl"), *arguments, "--trace", trace])
    result = CliRunner().invoke(main, ["export", "atif", trace])
    assert result.exit_code == 0
    assert "note: Exported by Eclogue" in result.stderr, "a lossy export says so"
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("answers", "message"), [(0, "waits for the host's answer"), (9, "completed with")]
)
def test_how_it_ends(answers: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = [] if not answers else ["--answers", str(ROOT / "examples/two_branches.up.answers.json")]
    CliRunner().invoke(main, ["run", str(ROOT / "examples/two_branches.ecl"), *given, "--trace", "t.jsonl"])
    data = json.loads(CliRunner().invoke(main, ["export", "atif", "t.jsonl"]).stdout)
    assert message in data["steps"][-1]["message"]


# ------------------------------------------------------------------------------------------------
# Imported traces


@pytest.fixture
def _imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = imported("atif", (HERE / "atif" / "simple.json").read_bytes())
    Path("t.jsonl").write_text(done.trace_text, encoding="utf-8")
    Path("t.extra.jsonl").write_text(done.extra_text, encoding="utf-8")


def export(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["export", "atif", "t.jsonl", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.usefixtures("_imported")
def test_an_imported_document_comes_back() -> None:
    result = export("--out", "back.json", "--json")
    said = json.loads(result.stdout)
    RESULT.validate(said)
    assert (said["lossless"], said["left_out"], said["notes"]) == (True, {}, [])
    assert result.stderr == ""


@pytest.mark.usefixtures("_imported")
def test_without_its_extra_file_it_is_a_trace_like_others() -> None:
    Path("t.extra.jsonl").rename("elsewhere.jsonl")
    result = export("--out", "back.json", "--json")
    said = json.loads(result.stdout)
    RESULT.validate(said)
    assert said["lossless"] is False
    VALIDATOR.validate(json.loads(Path("back.json").read_text(encoding="utf-8")))
    assert json.loads(export("--extra", "elsewhere.jsonl").stdout)["session_id"] == "s-1"


def test_of_other_formats_what_is_beside_calls_stays_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = imported("claude-code", (HERE / "claude-code" / "parallel.jsonl").read_bytes())
    Path("t.jsonl").write_text(done.trace_text, encoding="utf-8")
    Path("t.extra.jsonl").write_text(done.extra_text, encoding="utf-8")
    result = export()
    VALIDATOR.validate(json.loads(result.stdout))
    assert "what t.extra.jsonl holds of the claude-code file is not in the export" in result.stderr


def changed(old: str, new: str, name: str) -> None:
    text = Path(name).read_text(encoding="utf-8")
    assert old in text
    Path(name).write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.usefixtures("_imported")
@pytest.mark.parametrize(
    ("old", "new", "name", "code", "exit_code"),
    [
        ('"path":"."', '"path":"/"', "t.jsonl", "EC4402", 1),
        ('"seq":1', '"seq":2', "t.jsonl", "EC4401", 2),
        ('{"path":"."}', '{"$commitment":"sha256:' + "0" * 64 + '"}', "t.jsonl", "EC4703", 3),
        ('"records":3', '"records":4', "t.extra.jsonl", "EC4607", 1),
        ("sha256:9", "sha256:8", "t.extra.jsonl", "EC4607", 1),
        ("eclogue-extra/1", "eclogue-extra/2", "t.extra.jsonl", "EC4606", 2),
        ('"format":"atif"', '"form":"atif"', "t.extra.jsonl", "EC4606", 2),
        ('"line":null', '"line":"1"', "t.extra.jsonl", "EC4606", 2),
        ('{"records"', 'x{"records"', "t.extra.jsonl", "EC4606", 2),
        ('{"records"', '[]\n{"records"', "t.extra.jsonl", "EC4606", 2),
        ('"%payload":0', '"%payload":1', "t.extra.jsonl", "EC4606", 2),
        ('"%payload":0', '"%payload":9', "t.extra.jsonl", "EC4606", 2),
        ('"%content":1', '"%content":2', "t.extra.jsonl", "EC4606", 2),
        ('"%number":"1.0e-3"', '"%number":"1.0e"', "t.extra.jsonl", "EC4606", 2),
    ],
)
def test_files_that_were_changed(old: str, new: str, name: str, code: str, exit_code: int) -> None:
    changed(old, new, name)
    result = export("--out", "back.json", "--json")
    said = json.loads(result.stdout)
    RESULT.validate(said)
    assert ([item["code"] for item in said["diagnostics"]], result.exit_code) == ([code], exit_code)
    assert not Path("back.json").exists()


@pytest.mark.usefixtures("_imported")
def test_extra_files_that_were_cut_off_or_go_on() -> None:
    lines = Path("t.extra.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for kept in ([], lines[:1], lines[:2], [*lines, lines[2]]):
        Path("t.extra.jsonl").write_text("".join(kept), encoding="utf-8")
        result = export()
        assert (result.exit_code, "EC4606" in result.stderr) == (2, True), result.stderr


def test_a_trace_that_breaks_a_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    from eclogue.core.trace import START_REF, next_ref, skeleton

    item = HostObservation(0, None)
    file = io.StringIO()
    write_trace([(0, item, None)], [next_ref(START_REF, skeleton(0, item))], file)
    Path("t.jsonl").write_text(file.getvalue(), encoding="utf-8")
    result = export()
    assert (result.exit_code, "EC4403" in result.stderr) == (1, True)


@pytest.mark.usefixtures("_imported")
def test_usage() -> None:
    for arguments in (("--json",), ("--out", "t.jsonl"), ("--out", "t.extra.jsonl")):
        assert export(*arguments).exit_code == 2
    for arguments, code in ((("--extra", "none.jsonl"), "EC0001"), (("--extra", "."), "EC0002")):
        result = export(*arguments)
        assert (result.exit_code, code in result.stderr) == (2, True)
