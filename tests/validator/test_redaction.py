"""Redaction: refs, lifecycle and profile stay, values go, and nothing else tells them."""

from __future__ import annotations

import io
import json
from random import Random

import pytest
from strategies import for_seeds
from support.cases import directed_case
from support.random_values import random_value

from eclogue.core.canonical import text_of
from eclogue.core.errors import MalformedInput
from eclogue.core.limits import DEFAULT
from eclogue.core.run import run
from eclogue.core.trace import CompletedWith, EffectDeclaration, HostObservation, Record, RunEnd
from eclogue.core.values import RecordValue, Value, record
from eclogue.validator.evidence import Strength
from eclogue.validator.redaction import (
    RECORDS,
    NotRedactable,
    committed,
    read_selector,
    select,
    texts_of,
    without_commitment,
)
from eclogue.validator.trace_file import RedactedTrace, line, read_trace, write_trace
from eclogue.validator.validation import Standing, validate
from eclogue.validator.withheld import is_withheld, value_member, value_of, with_value

SALT = b"\x01\x02"


def redacted_text(seed: int, salt: bytes) -> tuple[str, str, int]:
    """Return a run's trace, the same with random values taken out, and how many were."""
    case, rng = directed_case(seed), Random(seed)
    done = run(case.program, case.answers)
    original = io.StringIO()
    write_trace(done.records(), done.refs(salt), original)
    lines, count = [], 0
    for (number, item, span), ref in zip(done.records(), done.refs(salt), strict=True):
        if value_member(item) is not None and rng.random() < 0.4:
            item = with_value(item, committed(value_of(item), salt, DEFAULT.value_size))  # type: ignore[arg-type]  # noqa: PLW2901
            count += 1
        lines.append(line(number, item, span, ref) + "\n")
    return original.getvalue(), "".join(lines), count


def test_refs_lifecycle_and_profile_of_a_redacted_trace_are_those_of_the_trace() -> None:
    taken = 0

    def check(seed: int) -> None:
        nonlocal taken
        salt = SALT if seed % 2 else b""
        original, redacted, count = redacted_text(seed, salt)
        taken += count
        whole = validate(read_trace(io.StringIO(original)), salt=salt)
        found = validate(read_trace(io.StringIO(redacted), redacted=True), salt=salt)
        assert found.standing is Standing.ACCEPTED
        assert found.granted.strength is Strength.RUNTIME_ONLY
        assert found.evidence.checked == whole.evidence.checked
        assert ("is redacted" in found.granted.reason) is (count > 0)

    for_seeds(100, check)
    assert taken


def test_a_redacted_trace_is_not_replayed() -> None:
    case = directed_case(12)
    _, redacted, count = redacted_text(12, b"")
    assert count
    found = validate(read_trace(io.StringIO(redacted), redacted=True), case.program, case.answers)
    assert (found.standing, found.granted.strength) == (Standing.UNKNOWN, Strength.RUNTIME_ONLY)
    with pytest.raises(RedactedTrace):
        list(read_trace(io.StringIO(redacted)))


def test_another_commitment_is_another_ref() -> None:
    _, redacted, _ = redacted_text(12, b"")
    first = redacted.index('"$commitment":"sha256:') + len('"$commitment":"sha256:')
    digit = "1" if redacted[first] != "1" else "2"
    forged = redacted[:first] + digit + redacted[first + 1 :]
    found = validate(read_trace(io.StringIO(forged), redacted=True))
    assert found.standing is Standing.REJECTED


def test_no_value_looks_like_a_commitment() -> None:
    """A record with this very key is written with one more `$`, wherever it stands."""
    ref = "sha256:" + "0" * 64
    sly: Value = record({"$commitment": ref})
    for value in (sly, (sly,), record({"value": sly}), record({"payload": sly}), text_of(sly)):
        text = line(0, EffectDeclaration("a.b", value), None, ref)
        assert without_commitment(text) is None
        ((_, found, _, _),) = read_trace([text], redacted=True)
        assert value_of(found) == value
        assert not is_withheld(found)


@pytest.mark.parametrize(
    "text",
    [
        '{"seq":0,"record":"EffectDeclaration","operation":"a.b","payload":{"value":{"$commitment":"R"}},"ref":"R"}',
        '{"seq":0,"record":"EffectDeclaration","operation":"a.b","payload":[{"$commitment":"R"}],"ref":"R"}',
        '{"seq":0,"record":"EffectDeclaration","operation":"a.b","payload":{"$commitment":"sha256:0"},"ref":"R"}',
        '{"seq":0,"record":"EffectDeclaration","operation":{"$commitment":"R"},"payload":1,"ref":"R"}',
        '{"seq":0,"record":"EffectDeclaration","operation":"a.b","payload":1,"value":{"$commitment":"R"},"ref":"R"}',
        '{"seq":0,"record":"EffectDeclaration","operation":"a.b","payload":{"$commitment":"R","x":1},"ref":"R"}',
    ],
)
def test_commitments_stand_for_whole_values_only(text: str) -> None:
    given = text.replace('"R"', f'"sha256:{"0" * 64}"')
    with pytest.raises(MalformedInput):
        list(read_trace([given], redacted=True))


# ------------------------------------------------------------------------------------------------
# What is chosen


def declared(*pairs: tuple[str, Value]) -> list[Record]:
    """Return a trace in which each operation is performed and answered with twice its payload in a list."""
    found: list[Record] = []
    for operation, payload in pairs:
        found += [EffectDeclaration(operation, payload), HostObservation(len(found), (payload, payload))]
    return [*found, RunEnd(CompletedWith(None))]


TRACE = declared(("model.call", "a secret text"), ("fs.read", "notes"), ("model.rate", 123456))


@pytest.mark.parametrize(
    ("selector", "numbers"),
    [
        ("model.*", {0, 1, 4, 5}),
        ("model.call", {0, 1}),
        ("model.*:payload", {0, 4}),
        ("*:result", {1, 3, 5}),
        ("RunEnd", {6}),
        ("HostObservation", {1, 3, 5}),
        ("other.*", set()),
    ],
)
def test_operations_and_records_are_chosen(selector: str, numbers: set[int]) -> None:
    assert select(TRACE, [read_selector(selector)]).numbers == numbers


@pytest.mark.parametrize("text", ["", "model", "a b.c", "model.call:both", "Failure", ":payload"])
def test_other_selections_are_refused(text: str) -> None:
    with pytest.raises(MalformedInput, match="RunEnd"):
        read_selector(text)


def test_what_still_tells_a_value_is_found_or_goes_too() -> None:
    found = select(TRACE, [read_selector("model.call:payload")])
    assert [(item.number, item.why) for item in found.kept] == [
        (1, "a text or number in the value of record 0, of 13 characters")
    ]
    number = select(TRACE, [read_selector("model.rate:payload")])
    assert [(item.number, item.why) for item in number.kept] == [
        (5, "a text or number in the value of record 4, of 6 characters")
    ]
    assert select(TRACE, [read_selector("model.*:payload")], everywhere=True).numbers == {0, 1, 4, 5}


def test_a_secret_is_found_in_texts_and_in_keys() -> None:
    trace = declared(
        ("a.b", record({"key with hush": 1})), ("a.c", ("x", ("say hush now",))), ("a.d", "quiet")
    )
    assert select(trace, [], ["hush"]).numbers == {0, 1, 2, 3}


def test_a_secret_in_a_name_is_refused() -> None:
    with pytest.raises(NotRedactable, match="record 2"):
        select(TRACE, [], ["fs.re"])


def test_nothing_left_tells_what_was_taken_everywhere() -> None:
    def check(seed: int) -> None:
        rng = Random(seed)
        pairs = [(f"op.{number}", random_value(rng)) for number in range(5)]
        trace = declared(*pairs)
        gone = select(trace, [read_selector("op.2")], everywhere=True).numbers
        texts = {text for text in texts_of(value_of(trace[4])) if len(text) >= 4}
        for number, item in enumerate(trace):
            if number not in gone and value_member(item) is not None:
                assert not any(text in other for text in texts for other in texts_of(value_of(item)))

    for_seeds(150, check)


def test_texts_are_all_texts() -> None:
    value = record({"k": ("a", record({"l": "b"})), "m": 1})
    assert sorted(texts_of(value)) == ["1", "a", "b", "k", "l", "m"]
    assert isinstance(value, RecordValue)


def test_every_record_that_can_be_named_has_a_value() -> None:
    names = {type(item).__name__ for item in TRACE} | set(RECORDS)
    assert set(RECORDS) <= names
    assert json.loads(line(0, TRACE[0], None, "r"))["payload"] == "a secret text"
