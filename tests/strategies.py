"""Hypothesis strategies for values, schemas and source text, and seeds for generated programs.

Small data have native strategies, which Hypothesis shrinks. Programs come from a seed: the generators in
`support` are plain functions of a `random.Random`, which makes them fast (a thousand programs of some
hundred nodes in a second), steerable and measurable. Hypothesis chooses the seeds; what it cannot do to
them, shrink, `support.failing` does to the program itself.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import hypothesis.strategies as st
from hypothesis import Phase, given, settings
from support.random_values import INTS, KEYS, TEXTS, random_value, value_of, wrong_value

from eclogue.core.schema import (
    Atom,
    FieldSchema,
    ListSchema,
    LiteralSchema,
    Schema,
    record_schema,
)
from eclogue.core.values import Value, record

SCALARS = st.characters(exclude_categories=["Cs"])
"""Unicode scalars: characters that are not surrogates."""

texts = st.one_of(st.sampled_from(TEXTS), st.text(SCALARS, max_size=12))
keys = st.one_of(st.sampled_from(KEYS), st.text(SCALARS, max_size=6), st.text("$int", max_size=5))
ints = st.one_of(st.integers(-9, 9), st.sampled_from(INTS), st.integers(), st.integers(-(2**200), 2**200))


def _containers(items: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    lists = st.lists(items, max_size=4).map(tuple)
    return st.one_of(lists, st.dictionaries(keys, items, max_size=4).map(record))


values: st.SearchStrategy[Value] = st.recursive(
    st.one_of(st.none(), st.booleans(), ints, texts), _containers, max_leaves=12
)


def _compound_schemas(items: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    fields = st.dictionaries(keys, st.tuples(st.booleans(), items), max_size=3)
    records = fields.map(
        lambda given: record_schema(FieldSchema(key, *declared) for key, declared in given.items())
    )
    return st.one_of(items.map(ListSchema), records)


schemas: st.SearchStrategy[Schema] = st.recursive(
    st.one_of(st.sampled_from(Atom), values.map(LiteralSchema)), _compound_schemas, max_leaves=6
)


@st.composite
def schemas_with_values(draw: st.DrawFn) -> tuple[Schema, Value]:
    """Return a schema with a value that it accepts, one that it refuses, or any value."""
    schema, rng = draw(schemas), Random(draw(st.integers(0, 2**32)))
    choose: Callable[[Random, Schema], Value] = draw(
        st.sampled_from((value_of, wrong_value, lambda rng, _: random_value(rng)))
    )
    return schema, choose(rng, schema)


# ------------------------------------------------------------------------------------------------
# Seeds and numbers of examples

only_seed: int | None = None
"""The seed of `--program-seed`, if that was given: then the tests over programs run this one alone."""

scale = 1.0
"""What the chosen profile multiplies the numbers of examples with."""


def examples(number: int) -> int:
    """Return a number of examples, scaled by the profile."""
    return max(1, round(number * scale))


def for_seeds(number: int, test: Callable[[int], None]) -> None:
    """Run a test on so many seeds, or on the one of `--program-seed`; Hypothesis does not shrink them."""
    if only_seed is not None:
        test(only_seed)
        return
    chosen = settings(max_examples=examples(number), phases=(Phase.generate,), database=None)
    chosen(given(st.integers(0, 2**32 - 1))(test))()
