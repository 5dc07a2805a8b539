"""Core terms as short text, nameless: `#0` is the innermost variable, `c; d` is `let x = c in d`."""

from __future__ import annotations

from typing import Any

from eclogue.core.canonical import text_of
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
    Project,
    RecordExpression,
    Resume,
    Return,
    Variable,
)
from eclogue.lowering.static_types import type_text


def core_text(node: Any) -> str:
    """Return a small term as text."""
    match node:
        case Literal(value):
            return text_of(value)
        case Variable(index):
            return f"#{index}"
        case ListExpression(items):
            return f"[{', '.join(map(core_text, items))}]"
        case RecordExpression(fields):
            return f"{{{', '.join(f'{key}: {core_text(item)}' for key, item in fields)}}}"
        case Project(subject, key):
            return f"{core_text(subject)}.{key}"
        case Not(subject):
            return f"not {core_text(subject)}"
        case Binary(operator, left, right):
            return f"({core_text(left)} {operator.value} {core_text(right)})"
        case Check(schema, subject):
            return f"check({type_text(schema)}, {core_text(subject)})"
        case Return(expression):
            return f"return {core_text(expression)}"
        case Perform(operation, payload):
            return f"perform {operation}({core_text(payload)})"
        case Answer(expression):
            return f"answer {core_text(expression)}"
        case Abort(expression):
            return f"abort {core_text(expression)}"
        case Resume(expression, body):
            return f"resume {core_text(expression)}; {core_text(body)}"
        case Let(bound, body) | BodyLet(bound, body):
            inner = core_text(bound)
            return (
                f"({inner}); {core_text(body)}" if isinstance(bound, Let) else f"{inner}; {core_text(body)}"
            )
        case If(condition, then, otherwise) | BodyIf(condition, then, otherwise):
            return f"if {core_text(condition)} {{{core_text(then)}}} else {{{core_text(otherwise)}}}"
        case Clause(operation, body):
            return f"{operation} {{{core_text(body)}}}"
        case Handle(body, return_clause, clauses):
            written = [f"return {{{core_text(return_clause)}}}", *map(core_text, clauses)]
            return f"handle {{{core_text(body)}}} with {' '.join(written)}"
    raise TypeError(node)
