"""The quick reader reads what the canonical reader reads, and refuses what it refuses."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import values

from eclogue.core.canonical import read, text_of
from eclogue.core.errors import MalformedInput
from eclogue.core.quick import read_quickly
from eclogue.core.values import Value, equal

PLAIN = [*'[]{}:,"\\ \n', "true", "null", "7", '"a"', '"é"', "-9007199254740991"]
ODD = ["-0", "01", "1.5", "1e3", "NaN", "9007199254740992", "\ufeff", "\ud800"]
ODD_TEXT = ['"$int"', '"$$x"', '"$x"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\x"']
JSON_PIECES = st.sampled_from([*PLAIN, *ODD, *ODD_TEXT])


def outcome(reader: object, text: str | bytes) -> Value | tuple[str, str, int | None]:
    assert callable(reader)
    try:
        value: Value = reader(text)
    except MalformedInput as error:
        return ("refused", error.message, error.offset)
    return value


def same(text: str | bytes) -> None:
    assert equal(outcome(read_quickly, text), outcome(read, text)), text


@given(values)
def test_canonical_text(value: Value) -> None:
    text = text_of(value)
    assert equal(read_quickly(text), value)
    assert equal(read_quickly(text.encode()), value)


@given(st.lists(JSON_PIECES, max_size=12).map("".join))
@example('{"a":1,"a":2}')
@example('{"a":{"$int":"9007199254740992"}}')
@example('{"$int":"9007199254740992","b":1}')
@example('{"$int":"5"}')
@example('{"$$int":"5"}')
@example('["\\ud83d\\ude00","\\ud83d"]')
@example("[1,[2,[]],{}]")
@example("[1] 2")
@example('"a\tb"')
@example("")
def test_any_text(text: str) -> None:
    same(text)


@given(st.binary(max_size=8))
def test_any_bytes(data: bytes) -> None:
    same(data)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5
    )
)
def test_what_others_write(data: object) -> None:
    same(json.dumps(data))
    same(json.dumps({"k": data}, indent=1, ensure_ascii=False, skipkeys=True))


@pytest.mark.parametrize("depth", [500, 5_000, 200_000])
def test_depth(depth: int) -> None:
    text = '[{"k":' * depth + "1" + "}]" * depth
    assert equal(read_quickly(text), read(text))
