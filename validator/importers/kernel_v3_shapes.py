"""The shapes of kernel-v3 documents: objects, nodes, members, schemas; see `kernel_v3`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn, TypeAlias

from eclogue.core.errors import MalformedInput
from eclogue.core.paths import Path
from eclogue.core.schema import Atom, ListSchema, LiteralSchema, Schema
from eclogue.core.values import RecordValue, Value


class ImportRefused(MalformedInput):
    """A document that can be read and is refused all the same: this language has no such program.

    `path` is the place in the document, `reason` what is there.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = str(path)
        self.reason = reason


Fields: TypeAlias = Mapping[str, Value]


def _malformed(path: Path, message: str) -> NoReturn:
    raise MalformedInput(f"{path}: {message}")


def as_record(value: Value, path: Path) -> Fields:
    """Return the members of an object; raises `MalformedInput` for anything else."""
    if not isinstance(value, RecordValue):
        _malformed(path, "expected an object")
    return value.fields


def as_list(value: Value, path: Path) -> tuple[Value, ...]:
    """Return the items of a list; raises `MalformedInput` for anything else."""
    if not isinstance(value, tuple):
        _malformed(path, "expected a list")
    return value


def as_text(value: Value, path: Path) -> str:
    """Return a text; raises `MalformedInput` for anything else."""
    if not isinstance(value, str):
        _malformed(path, "expected text")
    return value


def member(fields: Fields, key: str, path: Path) -> Value:
    """Return a member of an object; raises `MalformedInput` if it is missing."""
    if key not in fields:
        _malformed(path, f'"{key}" is missing')
    return fields[key]


def members(value: Value, path: Path, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> Fields:
    """Return the members of an object that has these and, at most, the optional ones.

    Raises `MalformedInput` if one is missing, `ImportRefused` if there is another.
    """
    fields = as_record(value, path)
    for key in required:
        member(fields, key, path)
    for key in fields:
        if key not in required and key not in optional:
            raise ImportRefused(path / key, "this member is not known, and might change the meaning")
    return fields


def node_name(value: Value, path: Path) -> str:
    """Return the name of a node."""
    return as_text(member(as_record(value, path), "node", path), path / "node")


def effect_kind(fields: Fields, path: Path) -> str:
    """Return the operation that a node or signature is about."""
    kind = as_text(fields["effect_kind"], path / "effect_kind")
    if not kind:
        raise ImportRefused(path / "effect_kind", "an operation has a name")
    return kind


Signatures: TypeAlias = dict[str, tuple[Schema, Schema]]
"""The payload and result schemas of operations."""

_ATOMS = {
    "AnySchema": Atom.ANY,
    "BoolSchema": Atom.BOOL,
    "IntSchema": Atom.INT,
    "NullSchema": Atom.NULL,
    "StrSchema": Atom.TEXT,
}
_TYPES = {"bool": Atom.BOOL, "int": Atom.INT, "str": Atom.TEXT}
_OPEN_RECORDS = ("RecordSchema", "TaggedRecordSchema")


def schema_of(value: Value, path: Path, notes: list[str]) -> Schema:
    """Return a schema; lists of lists are peeled off from the outside."""
    lists = 0
    while (node := node_name(value, path)) == "ListSchema":
        value, path = members(value, path, ("item", "node"))["item"], path / "item"
        lists += 1
    schema = _inner_schema(node, value, path, notes)
    for _ in range(lists):
        schema = ListSchema(schema)
    return schema


def _inner_schema(node: str, value: Value, path: Path, notes: list[str]) -> Schema:
    if node in _ATOMS:
        members(value, path, ("node",))
        return _ATOMS[node]
    if node == "LiteralSchema":
        return LiteralSchema(members(value, path, ("node", "value"))["value"])
    if node == "TypeSchema":
        name = as_text(members(value, path, ("node", "type"))["type"], path / "type")
        if name in _TYPES:
            if name == "int":
                notes.append(f"{path}: TypeSchema of int accepts booleans in kernel-v3; here ints only")
            return _TYPES[name]
        raise ImportRefused(path / "type", f"the Python type {name} has no schema here")
    if node in _OPEN_RECORDS:
        raise ImportRefused(path, f"{node} accepts records with further keys, and no schema here does")
    raise ImportRefused(path / "node", f"the schema {node} is not known")
