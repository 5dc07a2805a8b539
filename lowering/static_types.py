"""What is known of a value before the program runs: a gradual type, which is a schema.

`Any` means that nothing is known. The tests here are for *certain* errors: `mismatch` finds a difference
only where no value of the one type conforms to the other schema. All of them end, and take time linear in
the number of distinct pairs of nodes: types share their parts and may be very deep.
"""

from __future__ import annotations

import re

import attrs

from eclogue.core.canonical import text_of
from eclogue.core.errors import LimitExceeded
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
from eclogue.core.values import RecordValue, Value

LITERAL_TRUE = LiteralSchema(True)
LITERAL_FALSE = LiteralSchema(False)
EMPTY_LIST = ListSchema(Atom.ANY)

_ATOMS: dict[type, Atom] = {type(None): Atom.NULL, bool: Atom.BOOL, int: Atom.INT, str: Atom.TEXT}

# ------------------------------------------------------------------------------------------------
# Types of literals


def literal_type(value: bool | int | str | None) -> Schema:
    """Return the type of a literal: the value itself, so that it can be compared with a literal type."""
    if value is None:
        return Atom.NULL
    if value is True:
        return LITERAL_TRUE
    if value is False:
        return LITERAL_FALSE
    return LiteralSchema(value)


def atom_of(schema: Schema) -> Atom | None:
    """Return the kind of a type without parts (`Any` has none), or None."""
    if isinstance(schema, LiteralSchema):
        return _ATOMS.get(type(schema.value))
    return schema if isinstance(schema, Atom) and schema is not Atom.ANY else None


# ------------------------------------------------------------------------------------------------
# Certain differences


@attrs.frozen
class Mismatch:
    """Why no value of a type conforms to a schema.

    `path` leads to the place in the value, `expected` and `got` are in the words of the language.
    """

    path: tuple[str, ...]
    expected: str
    got: str


_Path = tuple["_Path", str] | None


def mismatch(given: Schema, wanted: Schema) -> Mismatch | None:
    """Return why no value of the type `given` conforms to `wanted`, or None if one may."""
    pending: list[tuple[Schema, Schema, _Path]] = [(given, wanted, None)]
    seen: set[tuple[int, int]] = set()
    while pending:
        left, right, path = pending.pop()
        if left is right or left is Atom.ANY or right is Atom.ANY:
            continue
        if isinstance(left, RecordSchema) and isinstance(right, RecordSchema):
            pair = (id(left), id(right))
            if pair in seen:
                continue
            seen.add(pair)
            difference = _key_difference(left, right)
            if difference is not None:
                return Mismatch(_steps(path), *difference)
            pending.extend(
                (field.schema, right.by_key[field.key].schema, (path, field.key))
                for field in reversed(left.fields)
                if field.key in right.by_key and (field.required or right.by_key[field.key].required)
            )
        elif not _overlap(left, right):
            return Mismatch(_steps(path), f"`{type_text(right)}`", f"`{type_text(left)}`")
    return None


def _key_difference(given: RecordSchema, wanted: RecordSchema) -> tuple[str, str] | None:
    """Return what is expected and got where the keys of two record types exclude one another."""
    for field in wanted.fields:
        if field.required and field.key not in given.by_key:
            return f"a record with the key `{field.key}`", f"`{type_text(given)}`"
    for field in given.fields:
        if field.required and field.key not in wanted.by_key:
            return f"`{type_text(wanted)}`", f"a record with the key `{field.key}`"
    return None


def _overlap(left: Schema, right: Schema) -> bool:
    """Return whether a value may belong to two types that are not both records."""
    if isinstance(left, LiteralSchema):
        return conforms(right, left.value)
    if isinstance(right, LiteralSchema):
        return conforms(left, right.value)
    # Two lists always share the empty one.
    return isinstance(left, ListSchema) and isinstance(right, ListSchema)


def _steps(path: _Path) -> tuple[str, ...]:
    steps: list[str] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return tuple(reversed(steps))


# ------------------------------------------------------------------------------------------------
# Joining


def is_subtype(small: Schema, large: Schema) -> bool:
    """Return whether every value of one type is surely one of the other."""
    pending: list[tuple[Schema, Schema]] = [(small, large)]
    seen: set[tuple[int, int]] = set()
    while pending:
        left, right = pending.pop()
        if left is right or right is Atom.ANY:
            continue
        if isinstance(left, LiteralSchema):
            if not conforms(right, left.value):
                return False
        elif isinstance(left, ListSchema) and isinstance(right, ListSchema):
            pending.append((left.item, right.item))
        elif isinstance(left, RecordSchema) and isinstance(right, RecordSchema):
            if (id(left), id(right)) in seen:
                continue
            seen.add((id(left), id(right)))
            if not _keys_fit(left, right):
                return False
            pending.extend((field.schema, right.by_key[field.key].schema) for field in left.fields)
        else:
            return False
    return True


def _keys_fit(small: RecordSchema, large: RecordSchema) -> bool:
    required = sum(
        field.required and large.by_key[field.key].required
        for field in small.fields
        if field.key in large.by_key
    )
    return required == large.required and all(field.key in large.by_key for field in small.fields)


_DEPTH = 4
"""How deep `join` and `widen` look; below it a type becomes `Any`, which is always right."""


def join(left: Schema, right: Schema) -> Schema:
    """Return a type that has the values of both."""
    return _join(left, right, _DEPTH, {})


def _join(left: Schema, right: Schema, depth: int, known: dict[tuple[int, int, int], Schema]) -> Schema:
    if left is right or is_subtype(left, right):
        return right
    if is_subtype(right, left):
        return left
    atom = atom_of(left)
    if depth == 0 or (atom is not None and atom is not atom_of(right)):
        return Atom.ANY
    if atom is not None:
        return atom
    place = (id(left), id(right), depth)
    if place not in known:
        known[place] = _join_parts(left, right, depth - 1, known)
    return known[place]


def _join_parts(
    left: Schema, right: Schema, depth: int, known: dict[tuple[int, int, int], Schema]
) -> Schema:
    if isinstance(left, ListSchema) and isinstance(right, ListSchema):
        return ListSchema(_join(left.item, right.item, depth, known))
    if not (isinstance(left, RecordSchema) and isinstance(right, RecordSchema)):
        return Atom.ANY
    fields = [
        FieldSchema(
            field.key,
            field.required and other.required,
            _join(field.schema, other.schema, depth, known),
        )
        for field in left.fields
        if (other := right.by_key.get(field.key)) is not None
    ]
    for own, foreign in ((left, right), (right, left)):
        fields += [
            FieldSchema(field.key, False, field.schema)
            for field in own.fields
            if field.key not in foreign.by_key
        ]
    return record_schema(fields)


def widen(schema: Schema) -> Schema:
    """Return a type without literals that has all values of this one: what a loop's state may become."""
    return _widen(schema, _DEPTH, {})


def _widen(schema: Schema, depth: int, known: dict[tuple[int, int], Schema]) -> Schema:
    atom = atom_of(schema)
    if atom is not None:
        return atom
    if depth == 0:
        return Atom.ANY
    place = (id(schema), depth)
    if place not in known:
        known[place] = _widen_parts(schema, depth - 1, known)
    return known[place]


def _widen_parts(schema: Schema, depth: int, known: dict[tuple[int, int], Schema]) -> Schema:
    if isinstance(schema, ListSchema):
        return ListSchema(_widen(schema.item, depth, known))
    if isinstance(schema, RecordSchema):
        return record_schema(
            FieldSchema(field.key, field.required, _widen(field.schema, depth, known))
            for field in schema.fields
        )
    return Atom.ANY


# ------------------------------------------------------------------------------------------------
# Text

_ATOM_TEXTS = {
    Atom.ANY: "Any",
    Atom.NULL: "Unit",
    Atom.BOOL: "Bool",
    Atom.INT: "Int",
    Atom.TEXT: "Text",
}
_PLAIN_KEY = re.compile(r"[^\W\d]\w*")
_SHOWN_DEPTH = 3
_SHOWN_FIELDS = 8
_SHOWN_LITERAL = 60


def type_text(schema: Schema, depth: int = _SHOWN_DEPTH) -> str:
    """Return a type as it is written, cut short where it is large."""
    if isinstance(schema, Atom):
        return _ATOM_TEXTS[schema]
    if isinstance(schema, LiteralSchema):
        return value_text(schema.value)
    if depth == 0:
        return "…"
    if isinstance(schema, ListSchema):
        return f"List[{type_text(schema.item, depth - 1)}]"
    shown = [
        f"{key_text(field.key)}{'' if field.required else '?'}: {type_text(field.schema, depth - 1)}"
        for field in schema.fields[:_SHOWN_FIELDS]
    ]
    if len(schema.fields) > _SHOWN_FIELDS:
        shown.append("…")
    return f"{{{', '.join(shown)}}}"


def key_text(key: str) -> str:
    """Return a record key as it is written."""
    return key if _PLAIN_KEY.fullmatch(key) else text_of(key)


def value_text(value: Value) -> str:
    """Return a value in a message: itself if it is short, else its kind."""
    if isinstance(value, tuple):
        return "a list" if value else "[]"
    if isinstance(value, RecordValue):
        return "a record" if value.fields else "{}"
    if value is None:
        return "()"
    try:
        return text_of(value, _SHOWN_LITERAL)
    except LimitExceeded:
        return _ATOM_TEXTS[_ATOMS[type(value)]]
