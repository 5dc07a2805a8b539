"""The samples of each format: what they become, and that nothing of them is lost.

`ECLOGUE_RENEW=1 pytest tests/importers` writes the golden files anew; a missing one is a failure.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from importing import HERE, SAMPLES, imported, sample_name
from support.foreign import exactly

from eclogue.cli.main import main
from eclogue.core.trace import EffectDeclaration, HostObservation
from eclogue.core.values import RecordValue

GOLDENS = HERE / "golden"
SCHEMAS = HERE.parents[1] / "validator" / "schema"


def schema(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text()))


def golden(name: str, found: str) -> None:
    path = GOLDENS / name
    if os.environ.get("ECLOGUE_RENEW"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert path.exists(), f"{path} is missing"
    assert found == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("sample", SAMPLES, ids=sample_name)
def test_what_a_sample_becomes(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["import", sample.parent.name, str(sample), "--out", "t.jsonl"])
    assert result.exit_code == 0, result.output
    trace = Path("t.jsonl").read_text(encoding="utf-8")
    extra = Path("t.extra.jsonl").read_text(encoding="utf-8")
    golden(f"{sample_name(sample)}.txt", f"{result.stdout}\n{trace}\n{extra}")
    lines = schema("trace-extra-line")
    for line in extra.splitlines():
        lines.validate(json.loads(line))
    records = schema("trace-record")
    for line in trace.splitlines():
        records.validate(json.loads(line))


@pytest.mark.parametrize("sample", SAMPLES, ids=sample_name)
def test_it_validates_and_is_runtime_only(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        main, ["import", sample.parent.name, str(sample), "--out", "t.jsonl", "--json"]
    )
    said = json.loads(done.stdout)
    schema("import-result").validate(said)
    result = CliRunner().invoke(main, ["validate", "t.jsonl", "--json"])
    found = json.loads(result.stdout)
    assert (result.exit_code, found["verdict"], found["strength"]) == (0, "accepted", "runtime_only")
    assert (found["extent"], found["records"]) == (said["extent"], said["records"])
    assert found["trace_ref"] == said["trace_ref"]


@pytest.mark.parametrize("sample", SAMPLES, ids=sample_name)
def test_nothing_is_lost(sample: Path) -> None:
    done = imported(sample.parent.name, sample.read_bytes())
    back = done.back()
    text = sample.read_text(encoding="utf-8")
    if back and back[0][0] is None:
        assert [exactly(found) for _, found in back] == [exactly(text)]
    else:
        lines = dict(enumerate(text.split("\n"), 1))
        assert [(line, exactly(found)) for line, found in back] == [
            (line, exactly(written)) for line, written in lines.items() if written.strip()
        ]


@pytest.mark.parametrize("sample", SAMPLES, ids=sample_name)
def test_intent_and_outcome_are_apart(sample: Path) -> None:
    """Each observation is of the declaration before it, and says what kind of an outcome it is."""
    done = imported(sample.parent.name, sample.read_bytes())
    counts = done.imported.counts
    calls = [number for number, item in enumerate(done.records) if isinstance(item, EffectDeclaration)]
    assert calls == [2 * number for number in range(counts.calls)]
    seen = dict.fromkeys(counts.results, 0)
    for number in calls:
        observed = done.records[number + 1] if number + 1 < len(done.records) else None
        if observed is None:
            seen["missing"] += 1
            continue
        assert isinstance(observed, HostObservation)
        assert observed.declaration == number
        assert isinstance(observed.value, RecordValue)
        status = observed.value.fields["status"]
        assert isinstance(status, str)
        seen[status] += 1
        assert observed.value.fields.keys() <= {"status", "content"}
        assert status != "missing" or observed.value.fields.keys() == {"status"}
    assert seen == counts.results


def test_every_golden_has_its_sample() -> None:
    found = sorted(path.stem for path in GOLDENS.glob("*.txt") if not path.stem.startswith("error-"))
    assert found == sorted(map(sample_name, SAMPLES))


def test_every_format_has_several_samples() -> None:
    folders = [sample.parent.name for sample in SAMPLES]
    assert all(folders.count(name) >= 3 for name in folders)
    assert len(set(folders)) == 4


def test_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --out the trace is on standard output, and what it lacks is said."""
    monkeypatch.chdir(tmp_path)
    sample = str(HERE / "atif" / "simple.json")
    result = CliRunner().invoke(main, ["import", "atif", sample])
    assert result.exit_code == 0
    assert [json.loads(line)["seq"] for line in result.stdout.splitlines()] == [0, 1, 2]
    assert "not written: give --out or --extra" in result.stderr
    kept = CliRunner().invoke(main, ["import", "atif", sample, "--extra", "kept.jsonl"])
    assert kept.stdout == result.stdout
    assert "kept.jsonl" in kept.stderr
    assert Path("kept.jsonl").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--json",),
        ("--out", "in.json"),
        ("--out", "out.jsonl", "--extra", "in.json"),
        ("--out", "same", "--extra", "./same"),
    ],
)
def test_usage(arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (HERE / "atif" / "simple.json").read_bytes()
    Path("in.json").write_bytes(text)
    assert CliRunner().invoke(main, ["import", "atif", "in.json", *arguments]).exit_code == 2
    assert Path("in.json").read_bytes() == text
    assert [path.name for path in Path().iterdir()] == ["in.json"]
