"""Schemas (SPEC §2): what a value must look like. Records are closed; `Unit` is null.

A schema check is an expression of the calculus, so no rule of either reading mentions schemas.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TypeAlias, Union

import attrs

from eclogue.core.values import RecordValue, Value, equal


class Atom(enum.Enum):
    """The schemas without parts; `ANY` accepts every value."""

    ANY = "any"
    NULL = "null"
    BOOL = "bool"
    INT = "int"
    TEXT = "text"


@attrs.frozen(eq=False)
class LiteralSchema:
    """Accepts exactly this value."""

    value: Value


@attrs.frozen(eq=False)
class ListSchema:
    """Accepts lists whose items it accepts."""

    item: Schema


@attrs.frozen(eq=False)
class FieldSchema:
    """One declared key of a record schema."""

    key: str
    required: bool
    schema: Schema


@attrs.frozen(eq=False)
class RecordSchema:
    """Accepts records that have every required key and no undeclared one.

    `fields` are in ascending code-point order of their unique keys; build one with `record_schema`.
    """

    fields: tuple[FieldSchema, ...]
    required: int = attrs.field(init=False)
    by_key: dict[str, FieldSchema] = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "required", sum(field.required for field in self.fields))
        object.__setattr__(self, "by_key", {field.key: field for field in self.fields})


Schema: TypeAlias = Union[Atom, LiteralSchema, ListSchema, RecordSchema]


def record_schema(fields: Iterable[FieldSchema]) -> RecordSchema:
    """Return the record schema with these fields, whose keys must differ."""
    ordered = sorted(fields, key=lambda field: field.key)
    if len({field.key for field in ordered}) != len(ordered):
        raise ValueError("a record schema declares a key twice")
    return RecordSchema(tuple(ordered))


ATOM_TYPES: dict[Atom, type] = {
    Atom.NULL: type(None),
    Atom.BOOL: bool,
    Atom.INT: int,
    Atom.TEXT: str,
}
"""The Python type of the values that an atom accepts; `ANY` has none."""


def conforms(schema: Schema, value: Value) -> bool:
    """Return whether the schema accepts the value (`schema.conforms`).

    Linear in the number of distinct pairs of schema node and value node; no recursion.
    """
    if isinstance(schema, Atom):
        return schema is Atom.ANY or type(value) is ATOM_TYPES[schema]
    pending: list[tuple[Schema, Value]] = [(schema, value)]
    seen: set[tuple[int, int]] = set()
    while pending:
        wanted, given = pending.pop()
        if isinstance(wanted, Atom):
            if wanted is not Atom.ANY and type(given) is not ATOM_TYPES[wanted]:
                return False
        elif isinstance(wanted, LiteralSchema):
            if not equal(wanted.value, given):
                return False
        else:
            pair = (id(wanted), id(given))
            if pair not in seen:
                seen.add(pair)
                parts = _parts(wanted, given)
                if parts is None:
                    return False
                pending.extend(parts)
    return True


def _parts(schema: ListSchema | RecordSchema, value: Value) -> list[tuple[Schema, Value]] | None:
    """Return what remains to be checked, or None if the value has the wrong shape."""
    if isinstance(schema, ListSchema):
        if not isinstance(value, tuple):
            return None
        return [(schema.item, item) for item in value]
    if not isinstance(value, RecordValue):
        return None
    parts: list[tuple[Schema, Value]] = []
    required = 0
    for key, item in value.fields.items():
        field = schema.by_key.get(key)
        if field is None:
            return None
        required += field.required
        parts.append((field.schema, item))
    return parts if required == schema.required else None
