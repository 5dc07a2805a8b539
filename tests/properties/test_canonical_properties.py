"""Canonical bytes: they read back, agree with RFC 8785 where it is defined, and tell values apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import hypothesis.strategies as st
import pytest
import rfc8785
from hypothesis import given, settings
from strategies import examples, keys, values
from support.naive_machine import same
from support.near_misses import near_values

from eclogue.core.canonical import SAFE_INTEGER, commitment, read, write, written_size
from eclogue.core.errors import LimitExceeded, MalformedInput
from eclogue.core.quick import read_quickly
from eclogue.core.values import RecordValue, Value, equal, record


def plain(value: Value) -> object:
    """Return a value as Python's json module would have read it."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, RecordValue):
        return {key: plain(item) for key, item in value.fields.items()}
    return value


def parts(value: Value) -> list[Value]:
    found, pending = [], [value]
    while pending:
        item = pending.pop()
        found.append(item)
        if isinstance(item, tuple):
            pending.extend(item)
        elif isinstance(item, RecordValue):
            pending.extend(item.fields.values())
    return found


def within_rfc8785(value: Value) -> bool:
    """Return whether RFC 8785 writes this value, and with its keys in the same order."""
    for item in parts(value):
        if type(item) is int and not -SAFE_INTEGER < item < SAFE_INTEGER:
            return False
        if isinstance(item, RecordValue):
            names = list(item.fields)
            if any(name.startswith("$") for name in names):
                return False
            if names != sorted(names, key=lambda name: name.encode("utf-16-be")):
                return False
    return True


@settings(max_examples=examples(1000))
@given(values)
def test_canonical_bytes_read_back(value: Value) -> None:
    data = write(value)
    assert same(read(data), value)
    assert same(read_quickly(data), value)
    assert write(read(data)) == data


@settings(max_examples=examples(1000))
@given(values.filter(within_rfc8785))
def test_canonical_bytes_are_rfc_8785s_where_both_are_defined(value: Value) -> None:
    assert write(value) == rfc8785.dumps(plain(value))


@settings(max_examples=examples(500))
@given(values)
def test_canonical_bytes_are_json(value: Value) -> None:
    """Whatever another JSON reader makes of them, it can write and we read the same value again."""
    again = json.dumps(json.loads(write(value)), indent=1, ensure_ascii=True)
    assert same(read(again), value)


@settings(max_examples=examples(500))
@given(values, values)
def test_different_values_have_different_bytes(left: Value, right: Value) -> None:
    assert (write(left) == write(right)) == same(left, right)


@settings(max_examples=examples(1000))
@given(values, st.integers(0, 2**32 - 1))
def test_values_that_are_nearly_equal_have_different_bytes(value: Value, seed: int) -> None:
    """A value and what one change makes of it: `true` for `1`, `"1"` for `1`, `$int` look-alikes."""
    found = [value, *near_values(value, Random(seed))]
    written = [write(item) for item in found]
    for position, left in enumerate(found):
        for other in range(position):
            alike = same(left, found[other])
            assert (written[position] == written[other]) == alike
            assert equal(left, found[other]) == alike
            assert (commitment(left) == commitment(found[other])) == alike


@settings(max_examples=examples(500))
@given(st.dictionaries(keys, values, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_key_order_cannot_be_observed(fields: dict[str, Value], rng: Random) -> None:
    shuffled = list(fields.items())
    rng.shuffle(shuffled)
    assert write(record(shuffled)) == write(record(fields))
    document = "{" + ",".join(f"{_key(key)}:{write(item).decode()}" for key, item in shuffled) + "}"
    assert same(read(document), record(fields))


def _key(key: str) -> str:
    return json.dumps(f"${key}" if key.startswith("$") else key)


@settings(max_examples=examples(500))
@given(values, st.integers(0, 300))
def test_the_limit_is_on_the_bytes(value: Value, limit: int) -> None:
    data = write(value)
    assert written_size(value) == len(data)
    if len(data) <= limit:
        assert write(value, limit) == data
    else:
        with pytest.raises(LimitExceeded):
            write(value, limit)


_PIECES = st.sampled_from(
    [
        *'[]{},:" \\/-0123456789.eE+$',
        *("null", "true", "false", '"a"', '"$int"', '"$$int"', '{"$int":"', '"}', "9007199254740992", "-0"),
        *("\\u0000", "\\ud800", "\\ud83d\\ude00", "\ud800", "\x00", "\t", "é"),
    ]
)


@settings(max_examples=examples(2000))
@given(st.lists(_PIECES, max_size=12).map("".join))
def test_reading_anything_gives_a_value_or_malformed_input(text: str) -> None:
    check_both_readers(text)


def check_both_readers(data: str | bytes) -> None:
    """Check that both readers find the same value, which can be written, or have the same complaint."""
    found, quickly = outcome_of(read, data), outcome_of(read_quickly, data)
    if isinstance(found, MalformedInput):
        assert isinstance(quickly, MalformedInput)
        assert (quickly.message, quickly.offset) == (found.message, found.offset)
    else:
        assert not isinstance(quickly, MalformedInput)
        assert same(quickly, found)
        assert same(read(write(found)), found)


def outcome_of(reader: Callable[[str | bytes], Value], data: str | bytes) -> Value | MalformedInput:
    try:
        return reader(data)
    except MalformedInput as refused:
        return refused


@settings(max_examples=examples(1000))
@given(values, st.data())
def test_reading_damaged_bytes_gives_a_value_or_malformed_input(value: Value, data: st.DataObject) -> None:
    good = write(value)
    position = data.draw(st.integers(0, len(good) - 1))
    replacement = data.draw(st.binary(max_size=2))
    check_both_readers(good[:position] + replacement + good[position + 1 :])
