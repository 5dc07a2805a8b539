"""Equality of values and acceptance by schemas, against plainly recursive oracles."""

from __future__ import annotations

from random import Random

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from strategies import examples, schemas_with_values, values
from support.naive_machine import accepts, same
from support.near_misses import near_values

from eclogue.core.canonical import read, write
from eclogue.core.errors import MalformedInput
from eclogue.core.schema import Schema, conforms
from eclogue.core.values import ByValue, RecordValue, Value, equal, from_python


@settings(max_examples=examples(700))
@given(schemas_with_values())
def test_schemas_accept_what_the_oracle_accepts(pair: tuple[Schema, Value]) -> None:
    schema, value = pair
    assert conforms(schema, value) == accepts(schema, value)


@settings(max_examples=examples(700))
@given(schemas_with_values(), st.integers(0, 2**32 - 1))
def test_schemas_tell_near_values_apart(pair: tuple[Schema, Value], seed: int) -> None:
    schema, value = pair
    for near in near_values(value, Random(seed)):
        assert conforms(schema, near) == accepts(schema, near)


@settings(max_examples=examples(700))
@given(values, values)
def test_equality_is_the_oracles(left: Value, right: Value) -> None:
    assert equal(left, right) == same(left, right)
    assert equal(left, read(write(left)))
    assert (ByValue(left) == ByValue(right)) == same(left, right)


@settings(max_examples=examples(700))
@given(values, st.integers(0, 2**32 - 1))
def test_equality_on_nearly_equal_values_is_the_oracles(value: Value, seed: int) -> None:
    for near in near_values(value, Random(seed)):
        assert equal(value, near) == same(value, near)
        assert equal(near, value) == same(value, near)


def as_python(value: Value) -> object:
    if isinstance(value, tuple):
        return [as_python(item) for item in value]
    if isinstance(value, RecordValue):
        return {key: as_python(item) for key, item in reversed(value.fields.items())}
    return value


@settings(max_examples=examples(700))
@given(values)
def test_python_data_are_values(value: Value) -> None:
    assert same(from_python(as_python(value)), value)


_NO_VALUES = st.sampled_from(
    [1.0, float("nan"), b"x", {1: 2}, {"\ud800": 1}, "\udfff", object(), {None: 1}]
)


@settings(max_examples=examples(300))
@given(values, _NO_VALUES, st.booleans())
def test_other_python_data_are_refused_at_any_depth(value: Value, wrong: object, under_a_key: bool) -> None:
    data = [as_python(value), {"k": wrong} if under_a_key else [wrong]]
    with pytest.raises(MalformedInput):
        from_python(data)
