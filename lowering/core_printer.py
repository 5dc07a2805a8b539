"""Core programs and values as text that a person can read beside SPEC §4.

The notation is that of the specification. `lit v` marks a list or record that is a literal, and
operands that are themselves compound stand in parentheses. A bound variable has the name that its binder is
annotated with, with a number where a variable of that name is in scope already; where there is no name that
could be written, the binder is `_` and the variable its de Bruijn index, `@0` for the innermost binder.
`core_reader.parse_core` reads the text back. Nothing here recurses.
"""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import attrs

from eclogue.core.canonical import decimal
from eclogue.core.errors import LimitExceeded
from eclogue.core.limits import DEFAULT
from eclogue.core.schema import Atom, FieldSchema, ListSchema, LiteralSchema, RecordSchema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    BodyIf,
    BodyLet,
    Check,
    Clause,
    Handle,
    If,
    Let,
    ListExpression,
    Literal,
    Not,
    Operation,
    Perform,
    Program,
    Project,
    RecordExpression,
    Resume,
    Return,
    Variable,
)
from eclogue.core.values import RecordValue, Value
from eclogue.lowering.printer import print_key, quote
from eclogue.lowering.tables import tables

_INDENTATION = "  "
_DEEPEST_INDENTATION = 40


def print_core(program: Program, limit: int = DEFAULT.program_size) -> str:
    """Return the text of a program, which ends in a line end.

    Sharing can make a program exponentially larger on paper than it is in memory: raises
    `LimitExceeded("program_size")` before writing more than `limit` characters.
    """
    pieces: list[_Piece] = []
    for operation in program.operations:
        pieces += [operation, "\n"]
    if program.operations:
        pieces.append("\n")
    return _Writer(limit, "program_size").written([*pieces, program.body, "\n"])


def print_value(value: Value, length: int | None = None) -> str:
    """Return the text of a value; if that is longer than `length`, its beginning and `…`.

    Raises `LimitExceeded("value_size")` for a value that is whole and too large to be written.
    """
    if length is None:
        return _Writer(DEFAULT.value_size, "value_size").written([_Held(value)])
    writer = _Writer(length, "value_size")
    try:
        return writer.written([_Held(value)])
    except LimitExceeded:
        return "".join(writer.out)[:length] + "…"


# ------------------------------------------------------------------------------------------------
# Pieces


class _Break(enum.Enum):
    """A line end, and what becomes of the indentation behind it."""

    STAY = 0
    DEEPER = 1
    BACK = -1


@attrs.frozen(eq=False)
class _Held:
    """A value to be written, which might otherwise look like a piece."""

    value: Value


@attrs.frozen(eq=False)
class _Operand:
    """An expression where only an operand may stand."""

    expression: Any


@attrs.frozen(eq=False)
class _Bind:
    """Puts a variable in scope, under the name that was written for it, or none."""

    name: str | None


@attrs.frozen(eq=False)
class _Unbind:
    """Takes the innermost variable out of scope."""


_UNBIND = _Unbind()
_Piece: TypeAlias = Any
"""Text, a line end, a change of scope, a value, or a node."""


class _Scope:
    """The variables in scope, innermost last, by the names they are written with."""

    def __init__(self) -> None:
        self.names: list[str | None] = []
        self.taken: set[str] = set()
        self.numbers: dict[str, int] = {}

    def choose(self, wanted: str | None) -> str | None:
        """Return a name for a new variable, close to the one wanted; None if that cannot be a name."""
        if wanted is None or wanted == "_" or not _can_be_name(wanted):
            return None
        if wanted not in self.taken and wanted not in tables("core").keywords:
            return wanted
        number = self.numbers.get(wanted, 1) + 1
        while f"{wanted}_{number}" in self.taken:
            number += 1
        self.numbers[wanted] = number
        return f"{wanted}_{number}"

    def bind(self, name: str | None) -> None:
        self.names.append(name)
        if name is not None:
            self.taken.add(name)

    def unbind(self) -> None:
        name = self.names.pop()
        if name is not None:
            self.taken.discard(name)

    def reference(self, index: int) -> str:
        name = self.names[-1 - index] if index < len(self.names) else None
        return f"@{index}" if name is None else name


def _can_be_name(text: str) -> bool:
    return text.isidentifier() and (text.isascii() or unicodedata.is_normalized("NFC", text))


class _Writer:
    """Writes pieces, up to a number of characters; `limit` is the name of that bound."""

    def __init__(self, bound: int, limit: str) -> None:
        self.bound = bound
        self.limit = limit
        self.out: list[str] = []
        self.scope = _Scope()

    def written(self, pieces: Sequence[_Piece]) -> str:
        size = 0
        depth = 0
        pending: list[_Piece] = list(reversed(pieces))
        while pending:
            piece = pending.pop()
            if isinstance(piece, _Break):
                depth += piece.value
                piece = "\n" + _INDENTATION * min(depth, _DEEPEST_INDENTATION)
            if isinstance(piece, str):
                self.out.append(piece)
                size += len(piece)
                if size > self.bound:
                    raise LimitExceeded(self.limit, self.bound)
            elif isinstance(piece, _Bind):
                self.scope.bind(piece.name)
            elif piece is _UNBIND:
                self.scope.unbind()
            else:
                pending.extend(reversed(_WRITERS[type(piece)](piece, self)))
        return "".join(self.out)

    def binder(self, name: str | None) -> tuple[str, _Bind]:
        """Return what to write for a new variable, and the piece that puts it in scope."""
        chosen = self.scope.choose(name)
        return chosen or "_", _Bind(chosen)


def _separated(items: Iterable[_Piece], opening: str, closing: str) -> list[_Piece]:
    pieces: list[_Piece] = [opening]
    for item in items:
        if len(pieces) > 1:
            pieces.append(", ")
        pieces.append(item)
    pieces.append(closing)
    return pieces


# ------------------------------------------------------------------------------------------------
# Values and schemas


def _held(piece: _Held, writer: _Writer) -> list[_Piece]:
    value = piece.value
    if value is None or isinstance(value, bool):
        return [{None: "null", True: "true", False: "false"}[value]]
    if isinstance(value, int):
        return [decimal(value)]
    if isinstance(value, str):
        # Of a text that is longer than all that may be written, the beginning is enough.
        return [quote(value if len(value) <= writer.bound else value[: writer.bound + 1])]
    if isinstance(value, RecordValue):
        return _record(((key, _Held(item)) for key, item in value.fields.items()))
    return _separated((_Held(item) for item in value), "[", "]")


def _record(fields: Iterable[tuple[str, _Piece]]) -> list[_Piece]:
    pieces: list[_Piece] = ["{"]
    for key, item in fields:
        pieces += [", " if len(pieces) > 1 else "", print_key(key), ": ", item]
    pieces.append("}")
    return pieces


def _field_schema(node: FieldSchema, _writer: _Writer) -> list[_Piece]:
    return [print_key(node.key), ": " if node.required else "?: ", node.schema]


# ------------------------------------------------------------------------------------------------
# Programs


def _operation(node: Operation, _writer: _Writer) -> list[_Piece]:
    name = _operation_name(node.name)
    return [f"operation {name}: ", node.payload, " -> ", node.result, f" {node.tier.value}"]


def _operation_name(name: str) -> str:
    parts = name.split(".")
    plain = all(_can_be_name(part) and part not in tables("core").keywords for part in parts)
    return name if plain else quote(name)


def _let(node: Let | BodyLet, writer: _Writer) -> list[_Piece]:
    name, bind = writer.binder(node.name)
    bound: list[_Piece] = [node.bound]
    if isinstance(node.bound, Let):
        bound = ["{", _Break.DEEPER, node.bound, _Break.BACK, "}"]
    return [f"let {name} = ", *bound, ";", _Break.STAY, bind, node.body, _UNBIND]


def _resume(node: Resume, writer: _Writer) -> list[_Piece]:
    name, bind = writer.binder(node.name)
    return [f"let {name} = resume ", node.expression, ";", _Break.STAY, bind, node.body, _UNBIND]


def _braces(node: _Piece) -> list[_Piece]:
    if isinstance(node, (Return, Perform, Answer, Abort)):
        return ["{ ", node, " }"]
    return ["{", _Break.DEEPER, node, _Break.BACK, "}"]


def _if(node: If | BodyIf, _writer: _Writer) -> list[_Piece]:
    return ["if ", node.condition, " then ", *_braces(node.then), " else ", *_braces(node.otherwise)]


def _perform(node: Perform, _writer: _Writer) -> list[_Piece]:
    return [f"perform {_operation_name(node.operation)}(", node.payload, ")"]


def _handle(node: Handle, writer: _Writer) -> list[_Piece]:
    name, bind = writer.binder(node.name)
    pieces: list[_Piece] = ["handle ", *_braces(node.body), " with {", _Break.DEEPER]
    pieces += [f"return({name}) ", bind, *_braces(node.return_clause), _UNBIND]
    for clause in node.clauses:
        pieces += [_Break.STAY, clause]
    return [*pieces, _Break.BACK, "}"]


def _clause(node: Clause, writer: _Writer) -> list[_Piece]:
    name, bind = writer.binder(node.name)
    return [f"{_operation_name(node.operation)}({name}) ", bind, *_braces(node.body), _UNBIND]


# ------------------------------------------------------------------------------------------------
# Expressions


def _literal(node: Literal, _writer: _Writer) -> list[_Piece]:
    compound = isinstance(node.value, (tuple, RecordValue))
    return ["lit " if compound else "", _Held(node.value)]


def _operand(piece: _Operand, _writer: _Writer) -> list[_Piece]:
    expression = piece.expression
    return ["(", expression, ")"] if isinstance(expression, (Binary, Not)) else [expression]


def _binary(node: Binary, _writer: _Writer) -> list[_Piece]:
    return [_Operand(node.left), f" {node.operator.value} ", _Operand(node.right)]


def _word(word: str) -> Callable[[Any, _Writer], list[_Piece]]:
    """Return the writer of something of the form `word e`."""
    return lambda node, _: [f"{word} ", node.expression]


_WRITERS: dict[type, Callable[[Any, _Writer], list[_Piece]]] = {
    _Held: _held,
    Atom: lambda node, _: [node.value],
    LiteralSchema: lambda node, _: ["lit ", _Held(node.value)],
    ListSchema: lambda node, _: ["[", node.item, "]"],
    RecordSchema: lambda node, _: _separated(node.fields, "{", "}"),
    FieldSchema: _field_schema,
    Operation: _operation,
    Let: _let,
    BodyLet: _let,
    Return: _word("return"),
    Perform: _perform,
    Handle: _handle,
    If: _if,
    BodyIf: _if,
    Clause: _clause,
    Answer: _word("answer"),
    Abort: _word("abort"),
    Resume: _resume,
    _Operand: _operand,
    Literal: _literal,
    Variable: lambda node, writer: [writer.scope.reference(node.index)],
    ListExpression: lambda node, _: _separated(node.items, "[", "]"),
    RecordExpression: lambda node, _: _record(node.fields),
    Project: lambda node, _: [_Operand(node.subject), f".{print_key(node.key)}"],
    Not: lambda node, _: ["not ", _Operand(node.subject)],
    Binary: _binary,
    Check: lambda node, _: ["check(", node.schema, ", ", node.subject, ")"],
}
