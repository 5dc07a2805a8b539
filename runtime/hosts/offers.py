"""What a host offers: operations by name, each with its types, its tier and what carries it out.

A host of one's own is a few lines: a function of the session and the payload, offered under a name.

    double = Offer("math.double", Atom.INT, Atom.INT, Tier.REVERSIBLE, lambda _, n: 2 * n)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from eclogue.core.schema import (
    Atom,
    FieldSchema,
    ListSchema,
    LiteralSchema,
    RecordSchema,
    Schema,
    record_schema,
)
from eclogue.core.syntax import Operation, Tier
from eclogue.core.values import RecordValue, Value, record

if TYPE_CHECKING:
    from eclogue.runtime.session import Session

Act = Callable[["Session", Any], Value]
Undo = Callable[["Session", Any, Any], None]

UNIT, BOOL, INT, TEXT, ANY = Atom.NULL, Atom.BOOL, Atom.INT, Atom.TEXT, Atom.ANY


class CannotCarryOut(Exception):
    """An operation that could not be carried out at all: the run stays suspended, without an outcome."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@attrs.frozen(eq=False)
class Offer:
    """One operation of a host.

    `result` is what `act` returns: of a record the program may declare fewer fields, and gets those. Where
    it may fail as a value, it has the fields `ok` and `error`; a program that declares only `plain`, the
    field of that name (or Unit, for the empty name), gets it if all went well, and is suspended if not.
    `undo` is the compensation of a compensable operation: it is given the payload and the result.
    """

    name: str
    payload: Schema
    result: Schema
    tier: Tier
    act: Act
    undo: Undo | None = None
    plain: str | None = None
    touches: frozenset[str] = frozenset()
    """What else it may change: `files` of the current scope, `scopes`, or the `outside`."""

    def answer(self, declared: Operation, given: Value) -> Value:
        """Return a result as the program declares it; raises `CannotCarryOut`."""
        if fits(self.result, declared.result):
            return projected(given, declared.result)
        assert isinstance(given, RecordValue)
        if given.fields["ok"] is not True:
            raise CannotCarryOut(str(given.fields["error"]))
        return given.fields[self.plain] if self.plain else None

    def accepts(self, declared: Operation) -> str | None:
        """Return why a program's declaration does not fit this operation, None if it does."""
        if not fits(declared.payload, self.payload):
            return "its parameters are not those that the host takes"
        if fits(self.result, declared.result):
            return None
        if self.plain is not None and isinstance(self.result, RecordSchema):
            plain = UNIT if not self.plain else self.result.by_key[self.plain].schema
            if fits(plain, declared.result):
                return None
        return "its result is not what the host returns"


def of(**fields: Schema) -> RecordSchema:
    """Return the schema of a record with these fields."""
    return record_schema(FieldSchema(name, True, schema) for name, schema in fields.items())


def worked(**fields: Value) -> RecordValue:
    """Return the result of an operation that went well."""
    return record({"ok": True, "error": "", **fields})


def failed(error: str, **fields: Value) -> RecordValue:
    """Return the result of an operation that failed as a value; the other fields are empty."""
    return record({"ok": False, "error": error, **fields})


def fits(given: Schema, wanted: Schema) -> bool:
    """Whether what one schema accepts can stand where another is wanted; a record may have more fields."""
    if wanted is Atom.ANY:
        return True
    if isinstance(given, LiteralSchema):
        from eclogue.core.schema import conforms

        return conforms(wanted, given.value)
    if isinstance(given, ListSchema) and isinstance(wanted, ListSchema):
        return fits(given.item, wanted.item)
    if isinstance(given, RecordSchema) and isinstance(wanted, RecordSchema):
        return all(_field_fits(given.by_key.get(field.key), field) for field in wanted.fields)
    return given == wanted


def _field_fits(given: FieldSchema | None, wanted: FieldSchema) -> bool:
    if given is None:
        return not wanted.required
    return fits(given.schema, wanted.schema) and (given.required or not wanted.required)


def projected(value: Value, wanted: Schema) -> Value:
    """Return a value with only those fields of its records that a schema has."""
    if isinstance(wanted, RecordSchema) and isinstance(value, RecordValue):
        known: Mapping[str, FieldSchema] = wanted.by_key
        return record(
            {key: projected(item, known[key].schema) for key, item in value.fields.items() if key in known}
        )
    if isinstance(wanted, ListSchema) and isinstance(value, tuple):
        return tuple(projected(item, wanted.item) for item in value)
    return value
