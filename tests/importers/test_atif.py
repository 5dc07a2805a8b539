"""ATIF: what goes in comes out again; the schema, its reader and the rules."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from importing import imported
from strategies import examples
from support.foreign import exactly
from support.random_atif import DOCUMENTS, written

from eclogue.cli.main import main
from eclogue.core.errors import CannotHappen
from eclogue.core.trace import EffectDeclaration, HostObservation
from eclogue.core.values import record
from eclogue.validator.importers.atif_rules import VERSIONS, schema
from eclogue.validator.importers.foreign_json import members, name_of, read_json, text_of_json
from eclogue.validator.importers.shapes import first_problem

VALIDATOR = jsonschema.Draft202012Validator(schema())
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@settings(RELAXED, max_examples=examples(200))
@given(DOCUMENTS)
def test_what_goes_in_comes_out_again(document: Any) -> None:
    text = written(document)
    done = imported("atif", text.encode("utf-8"))
    ((line, back),) = done.back()
    assert line is None
    assert exactly(back) == exactly(text)


@settings(RELAXED, max_examples=examples(30))
@given(DOCUMENTS)
def test_with_the_commands(document: Any) -> None:
    """`import`, `validate` and `export atif`, on files."""
    text = written(document)
    with TemporaryDirectory() as folder:
        source, trace, back = (str(Path(folder) / name) for name in ("in.json", "t.jsonl", "back.json"))
        Path(source).write_text(text, encoding="utf-8")
        for command in (
            ["import", "atif", source, "--out", trace],
            ["validate", trace],
            ["export", "atif", trace, "--out", back],
        ):
            result = CliRunner().invoke(main, command)
            assert result.exit_code == 0, result.output
        assert result.stderr == ""
        assert exactly(Path(back).read_text(encoding="utf-8")) == exactly(text)


@settings(RELAXED, max_examples=examples(100))
@given(DOCUMENTS)
def test_calls_and_results(document: Any) -> None:
    """Each call that is not copied is a declaration, in the document's order, with its own result."""
    expected: list[tuple[Any, list[Any]]] = []

    def gather(trajectory: Any) -> None:
        for step in trajectory["steps"]:
            if step.get("is_copied_context") is True:
                continue
            results = list(((step.get("observation") or {}).get("results")) or [])
            for call in step.get("tool_calls") or []:
                own = next(
                    (one for one in results if one.get("source_call_id") == call["tool_call_id"]), None
                )
                results = [one for one in results if one is not own]
                expected.append((call, [] if own is None else [own]))
        for inner in trajectory.get("subagent_trajectories") or []:
            gather(inner)

    gather(document)
    records = imported("atif", written(document).encode()).records
    declared = [item for item in records if isinstance(item, EffectDeclaration)]
    observed = [item.value for item in records if isinstance(item, HostObservation)]
    assert [(name_of(item.operation), exactly(text_of_json(item.payload))) for item in declared] == [
        (call["function_name"], exactly(written(call["arguments"]))) for call, _ in expected
    ]
    outcomes = [members(value) for value in observed]
    contents = [exactly(text_of_json(one["content"])) for one in outcomes if "content" in one]
    assert contents == [
        exactly(written(one["content"])) for _, results in expected for one in results if "content" in one
    ]
    statuses = [one["status"] for one in outcomes]
    wanted = ["returned" if results else "missing" for _, results in expected]
    assert wanted[: len(statuses)] == statuses
    assert wanted[len(statuses) :] in ([], ["missing"])


# ------------------------------------------------------------------------------------------------
# The schema


@settings(RELAXED, max_examples=examples(100))
@given(DOCUMENTS)
def test_the_schema_takes_what_is_valid(document: Any) -> None:
    text = written(document)
    VALIDATOR.validate(json.loads(text))
    assert first_problem(read_json(text), schema()) is None


ODD = (None, True, 0, -1, 1.5, 2.0, "", "agent", [], [None], {}, {"type": "text"}, "image/png")


def places(data: Any) -> list[tuple[Any, Any]]:
    """Return each container in a document with each of its keys."""
    found: list[tuple[Any, Any]] = []
    pending = [data]
    while pending:
        item = pending.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item))
        found += [(item, key) for key in keys]
        pending += [item[key] for key in keys if isinstance(item[key], (dict, list))]
    return found


@settings(RELAXED, max_examples=examples(150))
@given(DOCUMENTS)
def test_mutants_against_a_validator(document: Any) -> None:
    """One thing is changed at a time: our reader of the schema and jsonschema's agree on the outcome."""
    rng = Random(written(document))
    for _ in range(6):
        data = json.loads(written(document))
        owner, key = rng.choice(places(data))
        if isinstance(owner, dict) and rng.random() < 0.3:
            owner["more" if rng.random() < 0.5 else rng.choice(("text", "extra", "metrics"))] = rng.choice(
                ODD
            )
        elif isinstance(owner, dict) and rng.random() < 0.3:
            del owner[key]
        else:
            owner[key] = rng.choice(ODD)
        text = json.dumps(data)
        assert (first_problem(read_json(text), schema()) is None) is VALIDATOR.is_valid(data), text


def test_mutants_are_refused_too() -> None:
    """Every value of a small document by every odd one: the agreement is about invalid ones too."""
    step = {"step_id": 1, "source": "user", "message": ""}
    base = {"schema_version": "ATIF-v1.8", "agent": {"name": "a", "version": "1"}, "steps": [step]}
    refused = 0
    for number in range(len(places(base))):
        for odd in ODD:
            data = json.loads(json.dumps(base))
            owner, key = places(data)[number]
            owner[key] = odd
            valid = VALIDATOR.is_valid(data)
            assert (first_problem(read_json(json.dumps(data)), schema()) is None) is valid
            refused += not valid
    assert refused > 80


def test_a_schema_that_is_not_understood() -> None:
    with pytest.raises(CannotHappen, match="anyOf"):
        first_problem(record({}), {"anyOf": []})


def test_versions() -> None:
    assert list(VERSIONS) == schema()["$defs"]["trajectory"]["properties"]["schema_version"]["enum"]
    step = {"step_id": 1, "source": "agent", "message": "", "observation": {"results": [{}]}}
    step["observation"] = {"results": [{"subagent_trajectory_ref": [{"session_id": "s"}]}]}
    document = {"schema_version": "ATIF-v1.6", "agent": {"name": "a", "version": "1"}, "steps": [step]}
    assert imported("atif", json.dumps(document).encode()).imported.version == "ATIF-v1.6"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, None),
        ({"continued_trajectory_ref": "next.json"}, "the trajectory is continued elsewhere"),
        ({"results": []}, "a call has no result"),
        ({"steps": 1}, "the last step is not a message of the agent without a call"),
    ],
)
def test_how_it_ended(change: dict[str, Any], reason: str | None) -> None:
    call = {"tool_call_id": "c", "function_name": "f", "arguments": {}}
    results = change.get("results", [{"source_call_id": "c", "content": "r"}])
    steps = [
        {
            "step_id": 1,
            "source": "agent",
            "message": "",
            "tool_calls": [call],
            "observation": {"results": results},
        },
        {"step_id": 2, "source": "agent", "message": "done"},
    ][: change.get("steps", 2)]
    document = {
        "schema_version": "ATIF-v1.8",
        "agent": {"name": "a", "version": "1"},
        "steps": steps,
        "continued_trajectory_ref": change.get("continued_trajectory_ref"),
    }
    ending = imported("atif", json.dumps(document).encode()).imported.ending
    assert (ending.value is None) is (reason is not None)
    assert reason is None or ending.reason == reason
