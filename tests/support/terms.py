"""Walks over core terms that are small enough to recurse: annotations, substitution, size, reductions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

import attrs

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
    Perform,
    Program,
    Project,
    RecordExpression,
    Resume,
    Return,
    Span,
    Variable,
)

Node: TypeAlias = Any
"""An expression, a computation, a clause body or a clause."""

_CHILDREN: dict[type, tuple[tuple[str, int], ...]] = {
    Literal: (),
    Variable: (),
    ListExpression: (("items", 0),),
    RecordExpression: (("fields", 0),),
    Project: (("subject", 0),),
    Not: (("subject", 0),),
    Binary: (("left", 0), ("right", 0)),
    Check: (("subject", 0),),
    Return: (("expression", 0),),
    Let: (("bound", 0), ("body", 1)),
    Perform: (("payload", 0),),
    Handle: (("body", 0), ("return_clause", 1), ("clauses", 0)),
    If: (("condition", 0), ("then", 0), ("otherwise", 0)),
    Clause: (("body", 1),),
    BodyLet: (("bound", 0), ("body", 1)),
    BodyIf: (("condition", 0), ("then", 0), ("otherwise", 0)),
    Answer: (("expression", 0),),
    Abort: (("expression", 0),),
    Resume: (("expression", 0), ("body", 1)),
}
"""Of each node, the fields with terms in them, and how many variables are bound there."""


def map_children(node: Node, change: Callable[[Node, int], Node]) -> Node:
    """Return a node with each child replaced by `change(child, binders)`."""
    new: dict[str, Any] = {}
    for name, binders in _CHILDREN[type(node)]:
        child = getattr(node, name)
        if isinstance(node, RecordExpression):
            new[name] = tuple((key, change(item, binders)) for key, item in child)
        elif isinstance(child, tuple):
            new[name] = tuple(change(item, binders) for item in child)
        else:
            new[name] = change(child, binders)
    return attrs.evolve(node, **new)


def children(node: Node) -> list[Node]:
    """Return a node's children, from left to right."""
    found: list[Node] = []
    for name, _ in _CHILDREN[type(node)]:
        child = getattr(node, name)
        if isinstance(node, RecordExpression):
            found.extend(item for _, item in child)
        elif isinstance(child, tuple):
            found.extend(child)
        else:
            found.append(child)
    return found


def size(node: Node) -> int:
    """Return how many nodes a term has."""
    return 1 + sum(size(child) for child in children(node))


def annotated(program: Program, rng: Random) -> Program:
    """Return the same program with other names and spans."""

    def visit(node: Node, _binders: int = 0) -> Node:
        start = rng.randint(1, 9)
        spans = Span(start, rng.randint(1, 80), start + 1, rng.randint(1, 80)), None
        new: dict[str, Any] = {"span": rng.choice(spans)}
        if hasattr(node, "name"):
            new["name"] = rng.choice(("x", "y", "result", None))
        return attrs.evolve(map_children(node, visit), **new)

    task, source = rng.choice(("main", "other", None)), rng.choice(("a.ecl", None))
    return attrs.evolve(program, body=visit(program.body), task=task, source=source)


def free_variables(node: Node) -> frozenset[int]:
    """Return the indices of the variables that a term does not bind itself."""
    if isinstance(node, Variable):
        return frozenset((node.index,))
    found: set[int] = set()
    for name, binders in _CHILDREN[type(node)]:
        child = getattr(node, name)
        if isinstance(node, RecordExpression):
            child = tuple(item for _, item in child)
        for part in child if isinstance(child, tuple) else (child,):
            found |= {index - binders for index in free_variables(part) if index >= binders}
    return frozenset(found)


def without_binder(node: Node, depth: int = 0) -> Node:
    """Return a term with the variable of index `depth` replaced by null and its binder gone."""
    if isinstance(node, Variable):
        if node.index == depth:
            return Literal(None)
        return Variable(node.index - 1) if node.index > depth else node
    return map_children(node, lambda child, binders: without_binder(child, depth + binders))


# ------------------------------------------------------------------------------------------------
# Reductions


def reductions(node: Node) -> Iterator[Node]:
    """Yield smaller terms of the same sort, each one change away, the largest changes first."""
    yield from _local(node)
    for name, _ in _CHILDREN[type(node)]:
        child = getattr(node, name)
        if not isinstance(child, tuple):
            for smaller in reductions(child):
                yield attrs.evolve(node, **{name: smaller})
            continue
        for position, item in enumerate(child):
            before, after = child[:position], child[position + 1 :]
            yield attrs.evolve(node, **{name: before + after})
            if isinstance(item, tuple):
                changed: Iterator[Any] = ((item[0], smaller) for smaller in reductions(item[1]))
            else:
                changed = reductions(item)
            for smaller in changed:
                yield attrs.evolve(node, **{name: (*before, smaller, *after)})


def _local(node: Node) -> Iterator[Node]:
    """Yield replacements of the node itself."""
    match node:
        case Literal(value):
            yield from (Literal(simple) for simple in (None, 0, True) if _simpler(simple, value))
        case Return(Literal()):
            pass
        case Return() | Perform() | Let() | Handle() | If():
            yield Return(Literal(None))
            yield from _computations(node)
        case BodyLet(_, body):
            yield without_binder(body)
        case BodyIf(_, then, otherwise):
            yield then
            yield otherwise
        case Resume(expression, _):
            yield Answer(expression)
            if not isinstance(node.body, Return):
                yield Resume(expression, Return(Variable(0)))
        case Abort(expression):
            yield Answer(expression)
        case Answer() | Clause():
            pass
        case _:
            yield Literal(None)
            yield from children(node)


def _simpler(simple: object, value: object) -> bool:
    order = [type(None), int, bool]
    rank = order.index(type(value)) if type(value) in order else len(order)
    return order.index(type(simple)) < rank or (type(value) is int and simple == 0 != value)


def _computations(node: Node) -> Iterator[Node]:
    match node:
        case Let(bound, body):
            yield without_binder(body)
            yield bound
        case Handle(body, return_clause, _):
            yield body
            yield without_binder(return_clause)
            yield from (_as_computation(clause.body) for clause in node.clauses[:1] if _plain(clause.body))
        case If(_, then, otherwise):
            yield then
            yield otherwise
        case Perform(_, payload):
            yield Return(payload)


def _plain(body: Node) -> bool:
    return isinstance(body, (Answer, Abort))


def _as_computation(body: Node) -> Node:
    return Return(without_binder(body.expression))
