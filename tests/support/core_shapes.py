"""Shapes of core programs that the surface has a way to say."""

from __future__ import annotations

from typing import Any

from eclogue.core.schema import FieldSchema, ListSchema, LiteralSchema, RecordSchema, Schema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyLet,
    Check,
    Clause,
    Computation,
    Expression,
    Let,
    Operation,
    Perform,
    Program,
    Resume,
    Return,
    Variable,
)
from eclogue.core.values import RecordValue
from support.terms import children


def has_surface_form(program: Program) -> bool:
    """Return whether there is a surface type for each schema of a program's operations."""
    return all(
        _has_type(schema)
        for operation in program.operations
        for schema in (operation.payload, operation.result)
    )


def _has_type(schema: Schema) -> bool:
    if isinstance(schema, ListSchema):
        return _has_type(schema.item)
    if isinstance(schema, RecordSchema):
        return all(_has_type(field.schema) for field in schema.fields)
    return not (isinstance(schema, LiteralSchema) and isinstance(schema.value, (tuple, RecordValue)))


def effect_of(operation: str) -> str:
    """Return the effect of an operation."""
    return operation.split(".")[0]


def is_variable(expression: Expression, index: int) -> bool:
    """Return whether an expression is this variable, checked or not."""
    while isinstance(expression, Check):
        expression = expression.subject
    return isinstance(expression, Variable) and expression.index == index


def exits(body: Body) -> bool:
    """Return whether a body completes without resuming on its only path."""
    while isinstance(body, BodyLet):
        body = body.body
    return isinstance(body, (Answer, Abort))


def only_resumes(body: Body) -> bool:
    """Return whether a body computes, resumes, and gives what comes back: what a `fun` clause says."""
    while isinstance(body, BodyLet):
        body = body.body
    return (
        isinstance(body, Resume) and isinstance(body.body, Return) and is_variable(body.body.expression, 0)
    )


def performed(computation: Computation, operations: dict[str, Operation]) -> Operation | None:
    """Return the operation of a perform with its checks, as lowering writes it."""
    if isinstance(computation, Let) and isinstance(computation.bound, Perform):
        return operations[computation.bound.operation]
    return None


def several_parameters(operation: Operation) -> tuple[FieldSchema, ...]:
    """Return the fields of a payload that several parameters make up; none if one parameter does."""
    payload = operation.payload
    if not isinstance(payload, RecordSchema) or len(payload.fields) < 2:
        return ()
    plain = all(field.required and field.key.isidentifier() for field in payload.fields)
    return payload.fields if plain else ()


def resuming_operations(program: Program) -> set[str]:
    """Return the operations of which every clause could be a `fun` clause."""
    names = {operation.name for operation in program.operations}
    pending: list[Any] = [program.body]
    while pending:
        node = pending.pop()
        if isinstance(node, Clause) and not only_resumes(node.body):
            names.discard(node.operation)
        pending.extend(children(node))
    return names
