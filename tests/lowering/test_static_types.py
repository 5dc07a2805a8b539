"""What is known of values before a run: differences, joins and widenings of types."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from strategies import schemas
from support.random_values import value_of

from eclogue.core.schema import (
    Atom,
    FieldSchema,
    ListSchema,
    LiteralSchema,
    RecordSchema,
    Schema,
    conforms,
    record_schema,
)
from eclogue.core.values import record
from eclogue.lowering.static_types import (
    is_subtype,
    join,
    key_text,
    literal_type,
    mismatch,
    type_text,
    widen,
)

DEEP = 50_000


def of(*fields: tuple[str, bool, Schema]) -> RecordSchema:
    return record_schema(FieldSchema(*field) for field in fields)


ONE = of(("a", True, Atom.INT))
MAYBE = of(("a", False, Atom.INT))

DIFFERENT = [
    (Atom.INT, Atom.TEXT, ((), "`Text`", "`Int`")),
    (Atom.NULL, Atom.BOOL, ((), "`Bool`", "`Unit`")),
    (literal_type("a"), literal_type("b"), ((), '`"b"`', '`"a"`')),
    (literal_type(True), literal_type(1), ((), "`1`", "`true`")),
    (literal_type(1), Atom.TEXT, ((), "`Text`", "`1`")),
    (Atom.TEXT, literal_type(1), ((), "`1`", "`Text`")),
    (ListSchema(Atom.INT), Atom.INT, ((), "`Int`", "`List[Int]`")),
    (ONE, ListSchema(Atom.ANY), ((), "`List[Any]`", "`{a: Int}`")),
    (ONE, of(), ((), "`{}`", "a record with the key `a`")),
    (of(), ONE, ((), "a record with the key `a`", "`{}`")),
    (of(("b", True, ONE)), of(("b", True, of(("a", True, Atom.TEXT)))), (("b", "a"), "`Text`", "`Int`")),
    (ONE, of(("a", False, Atom.TEXT)), (("a",), "`Text`", "`Int`")),
    (MAYBE, of(("a", True, Atom.TEXT)), (("a",), "`Text`", "`Int`")),
]


@pytest.mark.parametrize(("given_type", "wanted", "told"), DIFFERENT)
def test_differences_are_found(
    given_type: Schema, wanted: Schema, told: tuple[tuple[str, ...], str, str]
) -> None:
    found = mismatch(given_type, wanted)
    assert found is not None
    assert (found.path, found.expected, found.got) == told


PERHAPS = [
    (Atom.ANY, Atom.INT),
    (Atom.INT, Atom.ANY),
    (Atom.INT, literal_type(1)),
    # Both have the empty list, or the empty record.
    (ListSchema(Atom.INT), ListSchema(Atom.TEXT)),
    (MAYBE, of(("a", False, Atom.TEXT))),
    (MAYBE, of()),
    (of(), MAYBE),
    (MAYBE, ONE),
    (of(("l", True, ListSchema(Atom.INT))), of(("l", True, ListSchema(Atom.BOOL)))),
]


@pytest.mark.parametrize(("given_type", "wanted"), PERHAPS)
def test_what_may_fit_is_no_difference(given_type: Schema, wanted: Schema) -> None:
    assert mismatch(given_type, wanted) is None


@given(schemas, schemas)
def test_a_difference_is_certain(left: Schema, right: Schema) -> None:
    value = value_of(Random(0), left)
    if mismatch(left, right) is not None:
        assert not conforms(right, value)


@given(schemas, schemas)
def test_a_subtype_has_no_other_values(left: Schema, right: Schema) -> None:
    value = value_of(Random(0), left)
    if is_subtype(left, right):
        assert conforms(right, value)
        assert mismatch(left, right) is None


@given(schemas, schemas)
def test_a_join_has_the_values_of_both(left: Schema, right: Schema) -> None:
    joined = join(left, right)
    assert conforms(joined, value_of(Random(0), left))
    assert conforms(joined, value_of(Random(1), right))


@given(schemas)
def test_a_widened_type_has_the_values(schema: Schema) -> None:
    widened = widen(schema)
    assert conforms(widened, value_of(Random(0), schema))
    assert is_subtype(schema, widened) or isinstance(schema, LiteralSchema)


def test_joins() -> None:
    assert join(literal_type(1), literal_type(2)) is Atom.INT
    assert join(literal_type(1), Atom.INT) is Atom.INT
    assert join(literal_type(1), literal_type("a")) is Atom.ANY
    assert join(literal_type(True), literal_type(False)) is Atom.BOOL
    assert type_text(join(ListSchema(literal_type(1)), ListSchema(literal_type(2)))) == "List[Int]"
    assert type_text(join(ONE, of(("a", True, literal_type(3))))) == "{a: Int}"
    assert type_text(join(ONE, of(("b", True, Atom.TEXT)))) == "{a?: Int, b?: Text}"
    assert type_text(join(ONE, of(("a", True, Atom.TEXT)))) == "{a: Any}"
    assert join(ONE, ListSchema(Atom.INT)) is Atom.ANY


def test_widenings() -> None:
    assert widen(literal_type("a")) is Atom.TEXT
    assert widen(literal_type(None)) is Atom.NULL
    state = of(("n", True, literal_type(0)), ("l", False, ListSchema(literal_type(True))))
    assert type_text(widen(state)) == "{l?: List[Bool], n: Int}"


def deep(schema: Schema) -> Schema:
    for _ in range(DEEP):
        schema = of(("k", True, schema), ("l", True, schema))
    return schema


def test_deep_types_that_share_their_parts() -> None:
    ints, texts = deep(Atom.INT), deep(Atom.TEXT)
    difference = mismatch(ints, texts)
    assert difference is not None
    assert len(difference.path) == DEEP
    assert mismatch(ints, deep(Atom.INT)) is None
    assert is_subtype(ints, deep(Atom.ANY))
    assert not is_subtype(ints, texts)
    assert type_text(widen(ints)).startswith("{k: {k: {k: …, l: …}, l:")
    joined = join(ints, texts)
    assert is_subtype(ints, joined)
    assert is_subtype(texts, joined)


def test_texts() -> None:
    assert type_text(of(("a b", True, Atom.ANY), ("größe", False, ListSchema(Atom.NULL)))) == (
        '{"a b": Any, größe?: List[Unit]}'
    )
    wide = of(*((f"k{number}", True, Atom.INT) for number in range(10)))
    assert type_text(wide).endswith("k7: Int, …}")
    assert type_text(LiteralSchema("x" * 100)) == "Text"
    assert type_text(LiteralSchema(())) == "[]"
    assert type_text(LiteralSchema((1,))) == "a list"
    assert type_text(LiteralSchema(record({}))) == "{}"
    assert type_text(LiteralSchema(record({"a": 1}))) == "a record"
    assert key_text("with") == "with"
    assert key_text("1") == '"1"'
