"""Whether a program makes sense: closed, declared, schema-checked (SPEC §11, rule `program.checked`).

Every term has an outcome in both readings, so that these are not conditions of the semantics. They are what
programs from outside must satisfy, and what lowering promises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias, Union

import attrs

from eclogue.core.errors import LimitExceeded
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.paths import ROOT, Path
from eclogue.core.schema import ListSchema, LiteralSchema, RecordSchema, Schema
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
    Not,
    Operation,
    Perform,
    Program,
    Project,
    RecordExpression,
    Resume,
    Return,
    Span,
    Variable,
)
from eclogue.core.values import equal

Node: TypeAlias = Union[Expression, Computation, Body, Clause]
"""Any node of a term."""


@attrs.frozen
class Problem:
    """One thing that is wrong with a program, and where: in its JSON document, and in its source."""

    rule: str
    message: str
    path: str
    span: Span | None

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def well_formed(program: Program, limits: Limits = DEFAULT) -> tuple[Problem, ...]:
    """Return what is wrong with a program's names: none of it if it is well-formed.

    Variables are bound, operations that are performed or handled are declared, once and in order, and no
    handler has two clauses for one operation. Raises `LimitExceeded` for a program too large as a tree.
    """
    problems = list(_declarations(program))
    declared = {operation.name for operation in program.operations}
    for node, _, depth, path in _walk(program, limits):
        if isinstance(node, Variable):
            if not 0 <= node.index < depth:
                message = f"variable {node.index} is not bound here ({depth} are)"
                problems.append(Problem("expr.variable", message, str(path / "var"), node.span))
        elif isinstance(node, Perform):
            if node.operation not in declared:
                problems.append(_undeclared(node, path / "perform"))
        elif isinstance(node, Handle):
            problems += _clause_problems(node, declared, path / "clauses")
    return tuple(problems)


def _declarations(program: Program) -> Iterator[Problem]:
    names = [operation.name for operation in program.operations]
    for position, (name, following) in enumerate(pairwise(names)):
        if name >= following:
            path = str(ROOT / "operations" / (position + 1))
            yield Problem("program.json", "operations stand in ascending order of their names", path, None)


def _undeclared(node: Perform | Clause, path: Path) -> Problem:
    message = f"operation {node.operation} is not declared"
    return Problem("program.checked", message, str(path), node.span)


def _clause_problems(node: Handle, declared: set[str], path: Path) -> Iterator[Problem]:
    seen: set[str] = set()
    for position, clause in enumerate(node.clauses):
        place = path / position / "operation"
        if clause.operation not in declared:
            yield _undeclared(clause, place)
        if clause.operation in seen:
            message = f"{clause.operation} has another clause in this handler"
            yield Problem("program.json", message, str(place), clause.span)
        seen.add(clause.operation)


def schema_checked(program: Program, limits: Limits = DEFAULT) -> tuple[Problem, ...]:
    """Return the performs that are not written as lowering writes them (`program.checked`).

    That is `let x = perform op(check(P, e)); return check(R, x)` with the declared payload schema `P` and
    result schema `R`. Undeclared operations are `well_formed`'s business. Raises `LimitExceeded` for a
    program too large as a tree.
    """
    declared = {operation.name: operation for operation in program.operations}
    problems = []
    for node, parent, _, path in _walk(program, limits):
        if isinstance(node, Perform) and (operation := declared.get(node.operation)) is not None:
            message = _unchecked(node, parent, operation)
            if message is not None:
                problems.append(Problem("program.checked", message, str(path), node.span))
    return tuple(problems)


def _unchecked(node: Perform, parent: Node | None, operation: Operation) -> str | None:
    payload = node.payload
    if not (isinstance(payload, Check) and same_schema(payload.schema, operation.payload)):
        return f"the payload of {operation.name} is not checked against its declared schema"
    if isinstance(parent, Let) and parent.bound is node and isinstance(parent.body, Return):
        result = parent.body.expression
        if isinstance(result, Check) and same_schema(result.schema, operation.result):
            subject = result.subject
            if isinstance(subject, Variable) and subject.index == 0:
                return None
    return f"the result of {operation.name} is not checked at once against its declared schema"


def same_schema(left: Schema, right: Schema) -> bool:
    """Return whether two schemas are the same, part for part; no recursion, however much they share."""
    pending: list[tuple[Schema, Schema]] = [(left, right)]
    seen: set[tuple[int, int]] = set()
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        pair = (id(a), id(b))
        if pair in seen:
            continue
        seen.add(pair)
        if isinstance(a, LiteralSchema) and isinstance(b, LiteralSchema):
            if not equal(a.value, b.value):
                return False
        elif isinstance(a, ListSchema) and isinstance(b, ListSchema):
            pending.append((a.item, b.item))
        elif isinstance(a, RecordSchema) and isinstance(b, RecordSchema):
            if [(field.key, field.required) for field in a.fields] != [
                (field.key, field.required) for field in b.fields
            ]:
                return False
            pending += ((x.schema, y.schema) for x, y in zip(a.fields, b.fields, strict=True))
        else:
            return False
    return True


# ------------------------------------------------------------------------------------------------
# Walking a term

_Place: TypeAlias = tuple[Node, Union[Node, None], int, Path]
"""A node, its parent, the number of variables bound around it, and its place in the document."""


def _walk(program: Program, limits: Limits) -> Iterator[_Place]:
    """Yield every node of a program in source order, each before its parts."""
    pending: list[_Place] = [_place(program.body, None, 0, ROOT / "body")]
    nodes = 0
    while pending:
        place = pending.pop()
        nodes += 1
        if nodes > limits.program_nodes:
            raise LimitExceeded("program_nodes", limits.program_nodes)
        yield place
        pending.extend(reversed(list(_parts(*place))))


def _place(node: Node, parent: Node | None, depth: int, path: Path) -> _Place:
    """Return the place of a node; a `let` that begins a sequence is the first item of it."""
    if isinstance(node, (Let, BodyLet)):
        path = path / "seq" / 0
    return node, parent, depth, path


def _parts(node: Node, _parent: Node | None, depth: int, path: Path) -> Iterable[_Place]:
    """Return the places of a node's parts."""
    match node:
        case Let(bound, body) | BodyLet(bound, body):
            return _let_parts(node, bound, body, depth, path)
        case Return(expression):
            parts: tuple[tuple[Node, str], ...] = ((expression, "return"),)
        case Perform(_, payload):
            parts = ((payload, "payload"),)
        case Check(_, subject):
            parts = ((subject, "of"),)
        case Project(subject, _):
            parts = ((subject, "get"),)
        case Not(subject):
            parts = ((subject, "not"),)
        case Binary(_, left, right):
            parts = ((left, "left"), (right, "right"))
        case If(condition, then, otherwise):
            parts = ((condition, "if"), (then, "then"), (otherwise, "else"))
        case BodyIf(condition, body_then, body_otherwise):
            parts = ((condition, "if"), (body_then, "then"), (body_otherwise, "else"))
        case Answer(expression):
            parts = ((expression, "answer"),)
        case Abort(expression):
            parts = ((expression, "abort"),)
        case ListExpression(items):
            return [_place(item, node, depth, path / "list" / i) for i, item in enumerate(items)]
        case RecordExpression(fields):
            return [
                _place(item, node, depth, path / "record" / i / 1) for i, (_, item) in enumerate(fields)
            ]
        case Handle(handled, returning, clauses):
            return [
                _place(handled, node, depth, path / "handle"),
                _place(returning, node, depth + 1, path / "return"),
                *(_place(clause, node, depth, path / "clauses" / i) for i, clause in enumerate(clauses)),
            ]
        case Clause(_, clause_body):
            return (_place(clause_body, node, depth + 1, path / "body"),)
        case Resume(expression, rest):
            return (
                _place(expression, node, depth, path / "resume"),
                _place(rest, node, depth + 1, path / "then"),
            )
        case _:
            return ()
    return [_place(part, node, depth, path / key) for part, key in parts]


def _let_parts(
    node: Let | BodyLet, bound: Computation, body: Computation | Body, depth: int, path: Path
) -> tuple[_Place, _Place]:
    """Return the parts of a `let`, which stands at `path`, an item of its sequence."""
    assert path.parent is not None
    assert isinstance(path.step, int)
    return _place(bound, node, depth, path), (body, node, depth + 1, path.parent / (path.step + 1))
