"""The published JSON Schemas against what is written, and against the readers on mutated documents."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from support.random_programs import Flavour, directed_program, undirected_program
from support.random_values import random_value
from support.terms import annotated

from eclogue.core.canonical import text_of
from eclogue.core.decoding import program_from_value
from eclogue.core.encoding import program_ref, program_text, program_to_value
from eclogue.core.errors import MalformedInput
from eclogue.core.outcomes import HostAnswer, Suspended
from eclogue.core.profiles import Profile
from eclogue.core.quick import read_quickly
from eclogue.core.run import run
from eclogue.core.saved import save
from eclogue.core.values import record
from eclogue.validator.answers import answers_text, read_answers
from eclogue.validator.claims_map import read_claims
from eclogue.validator.predicate import LeanFacts, RunFacts, predicate_of
from eclogue.validator.trace_file import read_trace, write_trace

FOLDER = Path(__file__).resolve().parents[2] / "validator" / "schema"
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in FOLDER.glob("*.json")
}
VALIDATORS = {name: jsonschema.Draft202012Validator(schema) for name, schema in SCHEMAS.items()}


def accepts(name: str, data: object) -> bool:
    return VALIDATORS[name].is_valid(data)


def test_which_schemas_there_are() -> None:
    assert set(SCHEMAS) == {
        "answers",
        "atif",
        "certify-result",
        "core-program",
        "diagnostic",
        "envelope",
        "exec-result",
        "export-result",
        "import-result",
        "redact-result",
        "run-result",
        "state",
        "trace-extra-line",
        "trace-record",
        "validate-result",
        "verify-result",
    }


@pytest.mark.parametrize("name", SCHEMAS)
def test_they_are_schemas_and_stand_alone(name: str) -> None:
    schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:eclogue:schema:{name}:1"
    assert all(target.startswith("#/$defs/") for target in references(schema))
    used = {target.removeprefix("#/$defs/") for target in references(schema)}
    assert used == set(schema["$defs"])


def references(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, item in schema.items():
            if key == "$ref":
                yield item
            yield from references(item)
    elif isinstance(schema, list):
        for item in schema:
            yield from references(item)


def test_what_they_share_is_the_same() -> None:
    shared: dict[str, Any] = {}
    for schema in SCHEMAS.values():
        for name in ("value", "integer", "long_integer", "span", "ref", "diagnostic", "position"):
            if name in schema["$defs"]:
                assert shared.setdefault(name, schema["$defs"][name]) == schema["$defs"][name]


# ------------------------------------------------------------------------------------------------
# What is written


def small_program(seed: int) -> Any:
    rng = Random(seed)
    program = (
        undirected_program(rng) if seed % 3 == 0 else directed_program(rng, Flavour(40, "any", 0.0, 0.4))
    )
    return annotated(program, rng)


def trace_lines(seed: int) -> list[str]:
    file = io.StringIO()
    done = run(small_program(seed))
    write_trace(done.records(), done.refs(), file)
    return file.getvalue().split("\n")[:-1]


def test_programs() -> None:
    for seed in range(60):
        assert accepts("core-program", json.loads(program_text(small_program(seed)))), seed


def test_traces() -> None:
    names = set()
    for seed in range(150):
        for text in trace_lines(seed):
            data = json.loads(text)
            names.add(data["record"])
            assert accepts("trace-record", data), text
    assert len(names) == 9  # all but HostObservation, which the next test has


def test_answered_runs_and_states() -> None:
    states = 0
    for seed in range(120):
        program = small_program(seed)
        done = run(program)
        if not isinstance(done.outcome, Suspended):
            continue
        answered = run(program, [HostAnswer(random_value(Random(seed)))])
        file = io.StringIO()
        write_trace(answered.records(), answered.refs(), file)
        lines = [json.loads(text) for text in file.getvalue().split("\n")[:-1]]
        assert "HostObservation" in {data["record"] for data in lines}
        assert all(accepts("trace-record", data) for data in lines)
        for suspended in (done, answered):
            if isinstance(suspended.outcome, Suspended):
                states += 1
                document = program_to_value(program) if seed % 2 else None
                data = json.loads(save(suspended, program_ref(program), program_document=document))
                assert accepts("state", data)
                for key in data.keys() - {"program"}:
                    assert not accepts("state", {other: data[other] for other in data if other != key})
                assert not accepts("state", data | {"more": 1})
                assert not accepts("state", data | {"format": "eclogue-state/2"})
                assert not accepts("state", data | {"steps": -1})
                assert not accepts("state", data | {"program": {"format": "eclogue-core/1"}})
    assert states > 20


def test_answers() -> None:
    for seed in range(100):
        rng = Random(seed)
        answers = [HostAnswer(random_value(rng), rng.choice((None, "a.b"))) for _ in range(3)]
        assert accepts("answers", json.loads(answers_text(answers)))


# ------------------------------------------------------------------------------------------------
# Mutants, with the readers as the measure


SCALARS: list[Any] = [
    None,
    True,
    0,
    -1,
    7,
    2**53,
    "",
    "any",
    "==",
    "x",
    [],
    {},
    {"$x": 1},
    {"$int": "9007199254740992"},
]


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(data, dict):
        for key, item in data.items():
            yield from places(item, (*path, key))
    elif isinstance(data, list):
        for position, item in enumerate(data):
            yield from places(item, (*path, position))


def mutant(data: Any, rng: Random) -> Any:
    """Return a copy that differs in one place: an item replaced, removed, added or renamed."""
    data = json.loads(json.dumps(data))
    path = rng.choice(list(places(data)))
    if not path:
        return rng.choice(SCALARS)
    parent = data
    for step in path[:-1]:
        parent = parent[step]
    step = path[-1]
    change = rng.choice(("replace", "replace", "remove", "add", "rename"))
    if change == "replace":
        parent[step] = rng.choice(SCALARS)
    elif change == "remove":
        del parent[step]
    elif isinstance(parent, list):
        parent.insert(step, rng.choice(SCALARS))
    elif change == "add":
        parent[rng.choice(("more", "$more", "key", "span", "value"))] = rng.choice(SCALARS)
    else:
        parent["re" + step] = parent.pop(step)
    return data


def refusal(reader: Callable[[str], object], data: Any) -> str | None:
    try:
        reader(json.dumps(data))
    except MalformedInput as error:
        return error.message
    return None


def compare(
    name: str, reader: Callable[[str], object], data: Any, beyond: tuple[str, ...], tries: int, rng: Random
) -> int:
    """Compare schema and reader on mutants; return how many both refuse.

    What the reader takes, the schema takes. What the reader refuses, the schema refuses, unless the message
    has one of the phrases in `beyond`, which stand for what a schema cannot say.
    """
    refused = 0
    for _ in range(tries):
        changed = mutant(data, rng)
        message = refusal(reader, changed)
        if message is None:
            assert accepts(name, changed), changed
        elif not any(phrase in message for phrase in beyond):
            assert not accepts(name, changed), (message, changed)
            refused += 1
    return refused


BEYOND_PROGRAM = (
    "ascending order",
    "has another clause in this handler",
    "the last item of a sequence is not a sequence",
    "expected one item for each of the",
    "a node that binds and mentions nothing has no name",
)


def test_mutants_of_programs() -> None:
    refused = 0
    for seed in range(30):
        program = small_program(seed)
        for document in (program_text(program), program_text(program, annotations=False)):
            refused += compare(
                "core-program",
                lambda text: program_from_value(read_quickly(text)),
                json.loads(document),
                # A clause body is the last item of a sequence only: the schema allows it before.
                (*BEYOND_PROGRAM, "expected a computation"),
                6,
                Random(seed),
            )
    assert refused > 120


def test_mutants_of_traces() -> None:
    refused = 0
    for seed in range(60):
        for text in trace_lines(seed)[:12]:
            data = json.loads(text) | {"seq": 0}
            refused += compare(
                "trace-record", lambda line: list(read_trace([line])), data, ('"seq" is',), 6, Random(seed)
            )
    assert refused > 1000


def test_mutants_of_answers() -> None:
    refused = 0
    for seed in range(200):
        rng = Random(seed)
        answers = [HostAnswer(random_value(rng), rng.choice((None, "a.b"))), HostAnswer(record({"a": 1}))]
        refused += compare("answers", read_answers, json.loads(answers_text(answers)), (), 10, rng)
    assert refused > 300


# ------------------------------------------------------------------------------------------------
# Results and diagnostics, by example

REF = "sha256:" + "0" * 64
REPORT = {
    "profile": "core0h",
    "profile_reason": "…",
    "admitted": "core0",
    "admitted_reason": "…",
    "strength": "runtime_only",
    "strength_reason": "…",
    "steps": 3,
    "records": 1,
    "program_ref": REF,
    "trace_ref": REF,
}
DIAGNOSTIC = {
    "code": "EC1203",
    "severity": "error",
    "message": "…",
    "file": "a.ecl",
    "line": 1,
    "column": 2,
    "end_line": 1,
    "end_column": 5,
    "notes": [{"message": "…", "line": None, "column": None, "end_line": None, "end_column": None}],
    "hint": None,
    "page": "eclogue explain EC1203",
}
RESULTS: list[dict[str, Any]] = [
    {"status": "completed", "value": [1, {"$$a": None}], **REPORT},
    {"status": "completed", "task": "main", "value": None, **REPORT},
    {"status": "suspended", "operation": "fs.read", "payload": "a", "span": [1, 2, 1, 3], **REPORT},
    {
        "status": "failed",
        "failure": {"kind": "key", "key": "k", "detail": "…", "span": [1, 2, 1, 3]},
        **REPORT,
    },
    {"status": "failed", "failure": {"kind": "schema"}, **REPORT},
    {"status": "exhausted", "limit": "steps", "bound": 10, **REPORT, "trace_ref": None},
    {"status": "exhausted", "limit": "program_nodes", "bound": 10},
    {"status": "malformed", "diagnostics": [DIAGNOSTIC]},
]


@pytest.mark.parametrize("result", RESULTS)
def test_results(result: dict[str, Any]) -> None:
    assert accepts("run-result", result)
    for key in result.keys() - {"task", "span"}:
        assert not accepts("run-result", {other: result[other] for other in result if other != key}), key
    for more in (
        {"more": 1},
        {"status": "done"},
        {"profile": "core1"},
        {"strength": "proved"},
        {"diagnostics": []},
    ):
        assert not accepts("run-result", result | more), more
    for other in RESULTS:
        if other["status"] != result["status"]:
            assert not accepts("run-result", result | {"status": other["status"]})


@pytest.mark.parametrize(
    ("status", "change"),
    [
        ("failed", {"failure": {"kind": "key"}}),
        ("failed", {"failure": {"kind": "type", "key": "k"}}),
        ("failed", {"failure": {"kind": "odd"}}),
        ("failed", {"failure": {"kind": "type", "span": [1, 2, 3]}}),
        ("completed", {"value": 1.5}),
        ("completed", {"value": 2**53}),
        ("completed", {"value": {"$a": 1}}),
        ("completed", {"trace_ref": None}),
        ("completed", {"program_ref": REF + "\n"}),
        ("completed", {"records": -1}),
    ],
)
def test_results_that_are_none(status: str, change: dict[str, Any]) -> None:
    result = next(item for item in RESULTS if item["status"] == status)
    assert not accepts("run-result", result | change)


def test_diagnostics() -> None:
    assert accepts("diagnostic", DIAGNOSTIC)
    assert accepts("diagnostic", DIAGNOSTIC | {"line": None, "hint": "…", "notes": []})
    for key in DIAGNOSTIC:
        assert not accepts("diagnostic", {other: DIAGNOSTIC[other] for other in DIAGNOSTIC if other != key})
    for change in (
        {"code": "E1"},
        {"severity": "note"},
        {"line": 0},
        {"notes": [{}]},
        {"page": ""},
        {"more": 1},
    ):
        assert not accepts("diagnostic", DIAGNOSTIC | change)


def test_values() -> None:
    for seed in range(300):
        text = text_of(random_value(Random(seed)))
        assert accepts("answers", [{"value": json.loads(text)}]), text
    for bad in (1.5, 2**53, -(2**53), {"$a": 1}, {"$int": "5"}, {"$int": 5}, {"$int": "9" * 20, "a": 1}):
        assert not accepts("answers", [{"value": [bad]}]), bad


VALIDATED: dict[str, Any] = {
    "verdict": "accepted",
    "profile": "core0h",
    "profile_reason": "…",
    "strength": "reference_validated",
    "strength_reason": "…",
    "extent": "completed",
    "records": 7,
    "answers": "trace",
    "program_ref": REF,
    "trace_ref": REF,
    "saved": None,
    "rejection": None,
    "divergence": None,
    "disagreement": None,
    "diagnostics": [],
}
NOT_READ: dict[str, Any] = {
    "verdict": "malformed",
    "profile": None,
    "strength": "runtime_only",
    "strength_reason": "…",
    "diagnostics": [DIAGNOSTIC],
}


def test_results_of_validation() -> None:
    assert accepts("validate-result", VALIDATED)
    assert accepts("validate-result", NOT_READ)
    for result in (VALIDATED, NOT_READ):
        for key in result:
            less = {other: result[other] for other in result if other != key}
            assert not accepts("validate-result", less), key
        assert not accepts("validate-result", result | {"more": 1})


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "rejected"},
        {"verdict": "rejected", "diagnostics": [DIAGNOSTIC]},
        {"verdict": "rejected", "strength": "runtime_only"},
        {"strength": "semantic_adequacy"},
        {"strength": "forward_simulation"},
        {"program_ref": None},
        {"answers": None},
        {"trace_ref": None},
        {"profile": None},
        {"profile": "none"},
        {"diagnostics": [DIAGNOSTIC]},
        {"rejection": {"record": 1, "rule": "life.end", "expected": "…", "found": "…"}},
        {"divergence": {"record": 1, "expected": None, "found": None, "span": None}},
    ],
)
def test_validation_promises_no_more_than_it_found(change: dict[str, Any]) -> None:
    """What is rejected has a reason and no strength; what is validated names its program and its trace."""
    assert not accepts("validate-result", VALIDATED | change)


def test_what_was_not_read_has_no_strength() -> None:
    for change in ({"strength": "reference_validated"}, {"verdict": "accepted"}, {"profile": "core0"}):
        assert not accepts("validate-result", NOT_READ | change)


# ------------------------------------------------------------------------------------------------
# Envelopes

CLAIMS = read_claims()
DIGEST = {"sha256": "0" * 64}
SUBJECTS = [
    {"name": "a.ecl", "digest": DIGEST, "annotations": {"role": "program", "ref": REF, "task": "main"}},
    {"name": "a.jsonl", "digest": DIGEST, "annotations": {"role": "trace", "ref": REF}},
]


def envelope(*, certified: bool) -> dict[str, Any]:
    facts = RunFacts(Profile.CORE0, "completed", 3, REF)
    applied = CLAIMS.made(1, states_bytes=True).theorems
    lean = LeanFacts(REF, True, 1, applied, "4.35.0", "c" * 40, REF, REF, REF) if certified else None
    strength = "semantic_adequacy" if certified else "reference_validated"
    time = "2026-01-31T12:00:00Z"
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": SUBJECTS,
        "predicateType": "urn:eclogue:run-envelope:v1",
        "predicate": predicate_of(facts, strength, lean, CLAIMS, version="0", time=time),
    }


@pytest.mark.parametrize("certified", [True, False])
def test_envelopes_and_what_is_missing_or_too_much(certified: bool) -> None:
    document = envelope(certified=certified)
    assert accepts("envelope", document)
    for key in document:
        assert not accepts("envelope", {other: document[other] for other in document if other != key})
    predicate = document["predicate"]
    for key in predicate:
        less = {other: predicate[other] for other in predicate if other != key}
        assert not accepts("envelope", document | {"predicate": less}), key
    assert not accepts("envelope", document | {"predicate": predicate | {"more": 1}})
    for strength in ("runtime_only", "forward_simulation"):
        assert not accepts("envelope", document | {"predicate": predicate | {"strength": strength}})


def test_no_envelope_claims_adequacy_without_a_certificate() -> None:
    document = envelope(certified=False)
    stronger = document["predicate"] | {"strength": "semantic_adequacy"}
    assert not accepts("envelope", document | {"predicate": stronger})
