"""Other tools' JSON as values: nothing is lost, and different documents have different values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples
from support.foreign import Token, exactly

from eclogue.core.canonical import read, text_of
from eclogue.core.errors import MalformedInput
from eclogue.core.values import RecordValue, Value, equal, record
from eclogue.validator.importers.foreign_json import (
    changed,
    is_object,
    is_string,
    json_of,
    key_of,
    name_of,
    number_token,
    read_json,
    text_of_json,
)
from eclogue.validator.importers.json_places import offset_of, offset_of_key, path_text
from eclogue.validator.importers.shapes import is_whole

NUMBERS = st.one_of(
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["-0", "0.0", "1.0", "1e3", "1E+3", "1000", "0.10", "0.1", "-0.0", "1e400", "9" * 1001]
    ),
)
NAMES = st.one_of(
    st.text(st.characters(codec=None), max_size=4),
    st.sampled_from(
        ["%", "%%", "%number", "%text", "%u", "%u00", "%payload", "$int", "$", "\ud800", "%\udfff"]
    ),
)


def literal(text: str) -> str:
    return json.dumps(text)


TEXTS = st.recursive(
    st.one_of(NUMBERS, NAMES.map(literal), st.sampled_from(["null", "true", "false"])),
    lambda parts: st.one_of(
        st.lists(parts, max_size=3).map(lambda items: f"[{','.join(items)}]"),
        st.dictionaries(NAMES, parts, max_size=3).map(
            lambda fields: "{" + ",".join(f"{literal(key)}:{item}" for key, item in fields.items()) + "}"
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=examples(300), deadline=None)
@given(TEXTS)
def test_what_is_read_is_written_again(text: str) -> None:
    value = read_json(text)
    assert exactly(text_of_json(value)) == exactly(text)
    assert equal(read(text_of(value)), value), "it is a value like all others"
    assert equal(read_json(text_of_json(value)), value)


@settings(max_examples=examples(300), deadline=None)
@given(TEXTS, TEXTS)
def test_different_documents_have_different_values(left: str, right: str) -> None:
    assert equal(read_json(left), read_json(right)) is (exactly(left) == exactly(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ('{"%number":"1.0"}', "1.0"),
        ('{"%text":"\\\\ud800"}', '"\\ud800"'),
        ('{"%u00e9":1}', '{"é":1}'),
        ('{"%payload":1}', '{"%%payload":1}'),
        ("1", "1.0"),
        ("1", "true"),
        ("0", "-0"),
        ("1e2", "100"),
        ('"\\ud83d"', '"\\ud83d\\ude00"'),
    ],
)
def test_lookalikes(left: str, right: str) -> None:
    assert not equal(read_json(left), read_json(right))
    assert exactly(text_of_json(read_json(left))) == exactly(left)
    assert exactly(text_of_json(read_json(right))) == exactly(right)


def test_tokens_differ_from_what_they_look_like() -> None:
    assert exactly("1") == Token("1") != "1"
    assert exactly("[1.0]") != exactly("[1.00]")


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("", "the JSON ends too early", 0),
        ('{"a": [1, 2', "the JSON ends too early", 11),
        ('{"a": "tex', "the JSON ends too early", 6),
        ("1 2", "something follows the JSON value", 2),
        ("{'a': 1}", "not JSON: expecting property name enclosed in double quotes", 1),
        ('{"a": 1, "b": [{"c": 2, "c": 3}]}', "a key stands twice in one object", 24),
        ('{"a": 1, "\\u0061": 2}', "a key stands twice in one object", 9),
        ('{"a": ["NaN", NaN]}', "NaN is not JSON", 14),
        ("[-Infinity]", "-Infinity is not JSON", 1),
        ('["\x01"]', "not JSON: invalid control character at", 2),
    ],
)
def test_what_is_refused(text: str, message: str, offset: int) -> None:
    with pytest.raises(MalformedInput) as found:
        read_json(text)
    assert (found.value.message, found.value.offset) == (message, offset)


def test_nesting() -> None:
    """What the decoder reads, everything else copes with; what it does not is refused, not a crash."""
    for text in ("[" * 300 + "]" * 300, '{"a":' * 300 + "1" + "}" * 300):
        value = read_json(text)
        assert exactly(text_of_json(value)) == exactly(text)
        assert changed(value, {0: {}}) is value
    with pytest.raises(MalformedInput, match="nested too deeply"):
        read_json("[" * 1_000_000 + "]" * 1_000_000)


def deep(levels: int) -> Value:
    value: Value = 1
    for _ in range(levels):
        value = (value, record({"%": value}))
    return value


def test_values_of_ours_as_json() -> None:
    value = json_of(record({"%number": "1.0", "a": (1, None, "%"), "$int": "5"}))
    assert json.loads(text_of_json(value)) == {"%number": "1.0", "a": [1, None, "%"], "$int": "5"}
    assert isinstance(json_of(deep(3_000)), tuple), "sharing is kept: the value has 2^3000 leaves"


@given(st.text(st.characters(codec=None), max_size=6))
def test_names_and_keys(name: str) -> None:
    assert name_of(key_of(name)) == name


@pytest.mark.parametrize(
    "mark", [{"%number": "01"}, {"%number": 1}, {"%text": '"'}, {"%odd": 1}, {"%payload": 0}]
)
def test_marks_that_no_reading_gives(mark: dict[str, Value]) -> None:
    with pytest.raises(MalformedInput):
        text_of_json((record(mark),))


@pytest.mark.parametrize(
    ("token", "whole"),
    [
        ("1.0", True), ("1.5", False), ("1.5e1", True), ("1.25e1", False), ("100e-2", True),
        ("100e-3", False),
        ("0e-99999999999", True), ("1e-99999999999", False), ("1e99999999999", True), ("-0", True),
        ("0.0", True), ("1e+05", True), ("10e-0001", True), ("-2.50e1", True),
    ],
)  # fmt: skip
def test_whole_numbers(token: str, whole: bool) -> None:
    assert is_whole(token) is whole


def test_what_values_were() -> None:
    value = read_json('["\\ud800", "a", 1.5, {"a": 1}, {}, 7]')
    assert isinstance(value, tuple)
    assert [is_string(item) for item in value] == [True, True, False, False, False, False]
    assert [is_object(item) for item in value] == [False, False, False, True, True, False]
    assert [number_token(item) for item in value] == [None, None, "1.5", None, None, None]
    assert isinstance(value[0], RecordValue)


PLACES: list[tuple[tuple[str | int, ...], str]] = [
    ((), "{"),
    (("a",), "["),
    (("a", 1), '"x"'),
    (("a", 2, "b"), "-1"),
    (("c",), "{"),
    (("c", 'q"'), "null"),
]


@pytest.mark.parametrize(("path", "token"), PLACES)
def test_places(path: tuple[str | int, ...], token: str) -> None:
    text = ' {"a" : [ 1.5e3, "x", {"b":-1}], "c": {"q\\"": null}}'
    offset = offset_of(text, path)
    assert offset is not None
    assert text.startswith(token, offset)


def test_places_of_keys_and_paths() -> None:
    text = '{"a": 1, "b": {"a": "a"}}'
    assert offset_of_key(text, ("b", "a")) == text.index('"a"', 5)
    assert offset_of_key(text, ("a",)) == 1
    assert offset_of(text, ("c",)) is None
    assert offset_of_key(text, ("b", "b")) is None
    assert path_text(("steps", 3, "message")) == "steps[3].message"
    assert path_text(()) == "the document"


def test_changes() -> None:
    value: Any = read_json('[{"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 2}}]')
    inner = value[1].fields["b"]
    found: Any = changed(value, {id(inner): {"c": "new"}, id(value[1]): {"a": None}})
    assert json.loads(text_of_json(found)) == [{"a": 1, "b": {"c": 2}}, {"a": None, "b": {"c": "new"}}]
    assert found[0] is value[0]
    assert changed(value, {}) is value
