"""Random values and schemas, and values that a schema accepts or refuses."""

from __future__ import annotations

from random import Random

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
from eclogue.core.values import Value, record
from support.choices import Weighted, chance

KEYS = ("a", "b", "code", "out", "ok", "a b", "$int", "$", "é", "\U0001f600", "\uffee")
"""Record keys; some need escapes, and the last two sort differently by UTF-16 code units."""

TEXTS = ("", "a", "b", "ok", "1", "true", "fix: ", "é", "\U0001f600", 'a"b\\', "\n\t\x01", "$int", "\u2028")

INTS = (0, 1, 2, 3, -1, -2, 7, 10, 255, 2**53 - 1, 2**53, -(2**53), 2**53 + 1, -(2**63), 10**30)

_ATOMS = Weighted(
    (4, Atom.INT),
    (3, Atom.TEXT),
    (3, Atom.BOOL),
    (1, Atom.NULL),
    (1, Atom.ANY),
)
_SHAPES = Weighted((6, "atom"), (1, "list"), (2, "record"), (0.5, "literal"))


def random_key(rng: Random) -> str:
    """Return a record key, plain in most cases."""
    return rng.choice(KEYS[:5]) if chance(rng, 0.85) else rng.choice(KEYS)


def random_schema(rng: Random, depth: int = 2) -> Schema:
    """Return a schema of at most this depth."""
    shape = _SHAPES.pick(rng) if depth else "atom"
    if shape == "list":
        return ListSchema(random_schema(rng, depth - 1))
    if shape == "record":
        keys = {random_key(rng) for _ in range(rng.randint(0, 3))}
        return record_schema(
            FieldSchema(key, chance(rng, 0.75), random_schema(rng, depth - 1)) for key in sorted(keys)
        )
    if shape == "literal":
        return LiteralSchema(random_value(rng, depth - 1))
    return _ATOMS.pick(rng)


def random_value(rng: Random, depth: int = 2) -> Value:
    """Return any value of at most this depth."""
    kind = rng.randrange(7 if depth else 5)
    if kind == 0:
        return None
    if kind == 1:
        return chance(rng, 0.5)
    if kind == 2:
        return random_int(rng)
    if kind in (3, 4):
        return random_text(rng)
    size = rng.randint(0, 3)
    if kind == 5:
        return tuple(random_value(rng, depth - 1) for _ in range(size))
    return record((random_key(rng), random_value(rng, depth - 1)) for _ in range(size))


def random_int(rng: Random) -> int:
    """Return an int, small in most cases."""
    return rng.randint(-3, 6) if chance(rng, 0.9) else rng.choice(INTS)


def random_text(rng: Random) -> str:
    """Return a short text."""
    return rng.choice(TEXTS[:7]) if chance(rng, 0.85) else rng.choice(TEXTS)


def value_of(rng: Random, schema: Schema) -> Value:
    """Return a value that the schema accepts."""
    if isinstance(schema, Atom):
        return _atom_value(rng, schema)
    if isinstance(schema, LiteralSchema):
        return schema.value
    if isinstance(schema, ListSchema):
        return tuple(value_of(rng, schema.item) for _ in range(rng.randint(0, 2)))
    return record(
        (field.key, value_of(rng, field.schema))
        for field in schema.fields
        if field.required or chance(rng, 0.5)
    )


def _atom_value(rng: Random, atom: Atom) -> Value:
    if atom is Atom.NULL:
        return None
    if atom is Atom.BOOL:
        return chance(rng, 0.5)
    if atom is Atom.INT:
        return random_int(rng)
    if atom is Atom.TEXT:
        return random_text(rng)
    return random_value(rng)


def wrong_value(rng: Random, schema: Schema) -> Value:
    """Return a value that the schema refuses, often a near miss; any value if it seems to refuse none."""
    value: Value = None
    for _ in range(8):
        value = _near_miss(rng, schema) if chance(rng, 0.5) else random_value(rng)
        if not conforms(schema, value):
            break
    return value


def _near_miss(rng: Random, schema: Schema) -> Value:
    if isinstance(schema, RecordSchema) and schema.fields:
        fields = [(field.key, value_of(rng, field.schema)) for field in schema.fields]
        if chance(rng, 0.5):
            fields.pop(rng.randrange(len(fields)))
        else:
            fields.append((random_key(rng), random_value(rng, 1)))
        return record(fields)
    if isinstance(schema, ListSchema):
        return (value_of(rng, schema.item), random_value(rng, 1))
    return {Atom.BOOL: 1, Atom.INT: True, Atom.TEXT: 1, Atom.NULL: False}.get(schema)  # type: ignore[call-overload]


def fits(given: Schema, wanted: Schema) -> bool:
    """Return whether every value of `given` is surely accepted by `wanted`."""
    if given is wanted or wanted is Atom.ANY:
        return True
    if isinstance(given, LiteralSchema):
        return conforms(wanted, given.value)
    if isinstance(given, ListSchema) and isinstance(wanted, ListSchema):
        return fits(given.item, wanted.item)
    if isinstance(given, RecordSchema) and isinstance(wanted, RecordSchema):
        return given.by_key.keys() == wanted.by_key.keys() and all(
            (mine.required or not theirs.required) and fits(mine.schema, theirs.schema)
            for mine, theirs in zip(given.fields, wanted.fields, strict=True)
        )
    return False
