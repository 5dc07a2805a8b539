"""Why a value does not conform to a schema, in words for people. No rule depends on this text."""

from __future__ import annotations

from eclogue.core.canonical import quote
from eclogue.core.errors import CannotHappen
from eclogue.core.schema import (
    Atom,
    ListSchema,
    LiteralSchema,
    RecordSchema,
    Schema,
    conforms,
)
from eclogue.core.values import RecordValue, Value, kind_name

_ATOM_NAMES = {Atom.ANY: "Any", Atom.NULL: "Unit", Atom.BOOL: "Bool", Atom.INT: "Int", Atom.TEXT: "Text"}
_SHOWN = 40
"""Characters of a text, and steps of a path, beyond which the middle or the start is left out."""


def mismatch(schema: Schema, value: Value) -> str:
    """Return where and how a value departs from a schema that it does not conform to.

    The place is the first one in order, such as `expected Int, found Text at .files[3].size`.
    Linear in the number of distinct pairs of schema node and value node.
    """
    path: list[str | int] = []
    seen: set[tuple[int, int]] = set()
    pending: list[tuple[int, str | int, Schema, Value]] = [(0, "", schema, value)]
    while pending:
        depth, step, wanted, given = pending.pop()
        if (id(wanted), id(given)) in seen:
            continue
        seen.add((id(wanted), id(given)))
        del path[depth:]
        path.append(step)
        if isinstance(wanted, ListSchema) and isinstance(given, tuple):
            places = range(len(given) - 1, -1, -1)
            pending.extend((depth + 1, place, wanted.item, given[place]) for place in places)
        elif isinstance(wanted, RecordSchema) and isinstance(given, RecordValue):
            problem = _keys(wanted, given)
            if problem:
                return problem + _place(path)
            for key, item in reversed(list(given.fields.items())):
                pending.append((depth + 1, key, wanted.by_key[key].schema, item))
        elif not conforms(wanted, given):
            return f"expected {_schema_name(wanted)}, found {_value_name(wanted, given)}" + _place(path)
    raise CannotHappen("the value conforms to the schema")


def _keys(schema: RecordSchema, value: RecordValue) -> str | None:
    """Return what is wrong with a record's keys, or None."""
    for key in value.fields:
        if key not in schema.by_key:
            return f"the key {_shortened(quote(key))} is not in the schema"
    for field in schema.fields:
        if field.required and field.key not in value.fields:
            return f"the key {_shortened(quote(field.key))} is missing"
    return None


def _schema_name(schema: Schema) -> str:
    if isinstance(schema, Atom):
        return _ATOM_NAMES[schema]
    if isinstance(schema, ListSchema):
        return "List"
    if isinstance(schema, RecordSchema):
        return "Record"
    shown = _atom(schema.value)
    return f"the {kind_name(schema.value)}{shown}" if shown else f"a certain {kind_name(schema.value)}"


def _value_name(schema: Schema, value: Value) -> str:
    if not isinstance(schema, LiteralSchema):
        return kind_name(value)
    if kind_name(value) != kind_name(schema.value):
        return f"{kind_name(value)}{_atom(value)}"
    return _atom(value).lstrip() or f"another {kind_name(value)}"


def _atom(value: Value) -> str:
    """Return a space and a short form of a value without parts, else nothing."""
    if isinstance(value, bool):
        return " true" if value else " false"
    if isinstance(value, int):
        return f" {value}" if abs(value) < 10**_SHOWN else ""
    if isinstance(value, str):
        return f" {_shortened(quote(value[: _SHOWN + 1]))}"
    return ""


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN + 2 else f"{text[:_SHOWN]}…"


def _place(path: list[str | int]) -> str:
    """Return the end of a message that says where in the value, if not at its root."""
    steps = path[1:]
    if not steps:
        return ""
    shown = "".join(f"[{s}]" if isinstance(s, int) else f".{_shortened(s)}" for s in steps[-_SHOWN:])
    return f" at {'…' if len(steps) > _SHOWN else ''}{shown}"
