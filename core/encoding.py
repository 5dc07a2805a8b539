"""Programs as JSON values, and the refs that name them (SPEC §11; rules `program.json`, `program.ref`).

A program has exactly one document in this format (leaving annotations aside), so that a ref, the digest
of the document's canonical bytes, is over the nameless term alone. A chain of `let`s is one flat array:
depth does not grow with length. The text is written straight from the term; `decoding` reads it back.

Annotations stand beside the term: `task`, `source`, and the tables `spans` and `names`, which have one item
for each node, null where there is nothing to say. Nodes are numbered in the order in which they begin in
the canonical text, a `let` of a sequence with its item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import TypeAlias, Union

import attrs

from eclogue.core.canonical import quote, text_of
from eclogue.core.decoding import FORMAT, program_from_value
from eclogue.core.errors import LimitExceeded, MalformedInput
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.memory import collector_paused
from eclogue.core.quick import read_quickly
from eclogue.core.schema import Atom, ListSchema, LiteralSchema, Schema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    Body,
    BodyIf,
    BodyLet,
    Check,
    Clause,
    Computation,
    Expression,
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
from eclogue.core.values import Value
from eclogue.core.wellformed import schema_checked, well_formed

__all__ = [
    "FORMAT",
    "load_program",
    "program_from_value",
    "program_ref",
    "program_text",
    "program_to_value",
    "schema_text",
]

Node: TypeAlias = Union[Expression, Computation, Body, Clause]
"""What is numbered: every node of a term, in the order in which it begins in the canonical text."""


def program_ref(program: Program, limits: Limits = DEFAULT) -> str:
    """Return the ref `sha256:…` of a program: of its declarations and nameless term (`program.ref`).

    It does not depend on names, spans, `task` or `source`. Raises `LimitExceeded` for a program that is too
    large as a tree or as text.
    """
    digest = sha256()
    for piece in _document(program, None, limits):
        digest.update(piece.encode())
    return f"sha256:{digest.hexdigest()}"


def program_text(program: Program, *, annotations: bool = True, limits: Limits = DEFAULT) -> str:
    """Return a program's document as canonical JSON text, on one line (`program.json`).

    Raises `LimitExceeded` for a program that is too large as a tree or as text.
    """
    return "".join(_document(program, _Annotations(program) if annotations else None, limits))


def program_to_value(program: Program, *, annotations: bool = True, limits: Limits = DEFAULT) -> Value:
    """Return a program's document as a value, the one whose canonical text `program_text` returns."""
    return read_quickly(program_text(program, annotations=annotations, limits=limits))


_SHOWN_PROBLEMS = 10


def load_program(data: bytes | str, limits: Limits = DEFAULT) -> Program:
    """Return the program in a file that a user gives: well-formed and schema-checked (`program.checked`).

    Raises `MalformedInput`, with the reasons and their places in its message, and `LimitExceeded`.
    """
    with collector_paused():
        program = program_from_value(read_quickly(data), limits)
        problems = (*well_formed(program, limits), *schema_checked(program, limits))
    if problems:
        lines = [str(problem) for problem in problems[:_SHOWN_PROBLEMS]]
        if len(problems) > _SHOWN_PROBLEMS:
            lines.append(f"and {len(problems) - _SHOWN_PROBLEMS} more")
        raise MalformedInput("\n".join(lines))
    return program


# ------------------------------------------------------------------------------------------------
# The document


class _Annotations:
    """Collects names and spans while a term is written, in the order of its nodes."""

    def __init__(self, program: Program) -> None:
        self.task = program.task
        self.source = program.source
        self.names: list[str] = []
        self.spans: list[str] = []

    def note(self, node: Node) -> None:
        name = getattr(node, "name", None)
        span = node.span
        self.names.append("null" if name is None else quote(name))
        self.spans.append(
            "null" if span is None else f"[{span.line},{span.column},{span.end_line},{span.end_column}]"
        )

    def text(self) -> str:
        """Return the object as text, leaving out what nothing is said about."""
        members = [
            ("names", self._table(self.names)),
            ("source", None if self.source is None else quote(self.source)),
            ("spans", self._table(self.spans)),
            ("task", None if self.task is None else quote(self.task)),
        ]
        return "{" + ",".join(f'"{key}":{text}' for key, text in members if text is not None) + "}"

    @staticmethod
    def _table(items: list[str]) -> str | None:
        return f"[{','.join(items)}]" if any(item != "null" for item in items) else None


def _document(program: Program, annotations: _Annotations | None, limits: Limits) -> Iterator[str]:
    """Yield the canonical text of a program's document in pieces."""
    writer = _Writer(limits, annotations.note if annotations else None)
    yield "{"
    term: Iterator[str] = writer.term(program.body)
    if annotations:
        # They stand before the term in the text, but are known only after it.
        term = iter(list(term))
        if (noted := annotations.text()) != "{}":
            yield f'"annotations":{noted},'
    yield '"body":'
    yield from term
    yield f',"format":"{FORMAT}","operations":['
    for position, operation in enumerate(program.operations):
        yield ("," if position else "") + writer.operation(operation)
    yield "]}"


@attrs.frozen(eq=False)
class _Item:
    """A `let` inside a flat sequence: it begins where its bound computation does."""

    let: Let | BodyLet


_Piece: TypeAlias = Union[str, Node, _Item]


class _Writer:
    """Writes terms as canonical text, iteratively, and counts what it writes."""

    def __init__(self, limits: Limits, note: Callable[[Node], None] | None) -> None:
        self.limits = limits
        self.note = note
        self.nodes = 0
        self.size = 0
        self.schemas: dict[int, tuple[Schema, str]] = {}

    def operation(self, operation: Operation) -> str:
        return (
            f'{{"name":{quote(operation.name)},"payload":{self._schema(operation.payload)},'
            f'"result":{self._schema(operation.result)},"tier":"{operation.tier.value}"}}'
        )

    def term(self, root: Computation) -> Iterator[str]:
        pending: list[_Piece] = [root]
        while pending:
            piece = pending.pop()
            if isinstance(piece, str):
                self.size += len(piece) if piece.isascii() else len(piece.encode())
                if self.size > self.limits.program_size:
                    raise LimitExceeded("program_size", self.limits.program_size)
                yield piece
            elif isinstance(piece, _Item):
                self._begin(piece.let)
                pending.append(piece.let.bound)
            elif isinstance(piece, (Let, BodyLet)):
                pending.extend(reversed(_sequence(piece)))
            else:
                self._begin(piece)
                pending.extend(reversed(self._pieces(piece)))

    def _begin(self, node: Node) -> None:
        self.nodes += 1
        if self.nodes > self.limits.program_nodes:
            raise LimitExceeded("program_nodes", self.limits.program_nodes)
        if self.note:
            self.note(node)

    def _pieces(self, node: Node) -> tuple[_Piece, ...]:
        """Return the text of a node with its children in their places."""
        match node:
            case Variable(index):
                return (f'{{"var":{index}}}',)
            case Literal(value):
                return (f'{{"lit":{text_of(value, self.limits.value_size)}}}',)
            case Check(schema, subject):
                return (f'{{"check":{self._schema(schema)},"of":', subject, "}")
            case Return(expression):
                return ('{"return":', expression, "}")
            case Perform(operation, payload):
                return ('{"payload":', payload, f',"perform":{quote(operation)}}}')
            case Project(subject, key):
                return ('{"get":', subject, f',"key":{quote(key)}}}')
            case Binary(operator, left, right):
                return ('{"left":', left, f',"op":"{operator.value}","right":', right, "}")
            case Not(subject):
                return ('{"not":', subject, "}")
            case ListExpression(items):
                return ('{"list":[', *_separated(items), "]}")
            case RecordExpression(fields):
                return ('{"record":[', *_fields(fields), "]}")
            case If(condition, then, otherwise):
                return ('{"else":', otherwise, ',"if":', condition, ',"then":', then, "}")
            case BodyIf(condition, body, other):
                return ('{"else":', other, ',"if":', condition, ',"then":', body, "}")
            case Handle(handled, returning, clauses):
                return (
                    '{"clauses":[',
                    *_separated(clauses),
                    '],"handle":',
                    handled,
                    ',"return":',
                    returning,
                    "}",
                )
            case Clause(operation, body):
                return ('{"body":', body, f',"operation":{quote(operation)}}}')
            case Answer(expression):
                return ('{"answer":', expression, "}")
            case Abort(expression):
                return ('{"abort":', expression, "}")
            case Resume(expression, rest):
                return ('{"resume":', expression, ',"then":', rest, "}")
        raise TypeError(node)

    def _schema(self, schema: Schema) -> str:
        if isinstance(schema, Atom):
            return f'"{schema.value}"'
        known = self.schemas.get(id(schema))
        if known is None:
            # The schema is kept so that its id stays its own.
            known = self.schemas[id(schema)] = (schema, schema_text(schema, self.limits))
        return known[1]


def _sequence(first: Let | BodyLet) -> list[_Piece]:
    """Return the text of a chain of `let`s as one flat array."""
    pieces: list[_Piece] = ['{"seq":[']
    node: Computation | Body = first
    while isinstance(node, (Let, BodyLet)):
        pieces += (_Item(node), ",")
        node = node.body
    pieces += (node, "]}")
    return pieces


def _separated(nodes: tuple[Expression, ...] | tuple[Clause, ...]) -> Iterator[_Piece]:
    for position, node in enumerate(nodes):
        if position:
            yield ","
        yield node


def _fields(fields: tuple[tuple[str, Expression], ...]) -> Iterator[_Piece]:
    for position, (key, expression) in enumerate(fields):
        yield f"{',' if position else ''}[{quote(key)},"
        yield expression
        yield "]"


def schema_text(schema: Schema, limits: Limits = DEFAULT) -> str:
    """Return the canonical text of a schema; raises `LimitExceeded` where sharing makes it too large."""
    out: list[str] = []
    size = 0
    pending: list[str | Schema] = [schema]
    while pending:
        item = pending.pop()
        if isinstance(item, Atom):
            piece = f'"{item.value}"'
        elif isinstance(item, LiteralSchema):
            piece = f'{{"lit":{text_of(item.value, limits.value_size)}}}'
        elif isinstance(item, str):
            piece = item
        elif isinstance(item, ListSchema):
            piece = '{"list":'
            pending += ("}", item.item)
        else:
            piece = '{"record":['
            pending.append("]}")
            for position in range(len(item.fields) - 1, -1, -1):
                field = item.fields[position]
                required = "true" if field.required else "false"
                pending += ("]", field.schema, f"{',' if position else ''}[{quote(field.key)},{required},")
        out.append(piece)
        size += len(piece)
        if size > limits.value_size:
            raise LimitExceeded("value_size", limits.value_size)
    return "".join(out)
