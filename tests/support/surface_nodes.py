"""Nodes of surface trees that stand in no text."""

from __future__ import annotations

from eclogue.core.syntax import Span
from eclogue.lowering import ast

NOWHERE = Span(1, 1, 1, 1)
"""The span of a generated node."""


def name(text: str) -> ast.Name:
    """Return an identifier."""
    return ast.Name(text, span=NOWHERE)


def variable(text: str) -> ast.VariableExpression:
    """Return a variable."""
    return ast.VariableExpression(name(text), span=NOWHERE)


def unary(operator: ast.UnaryOperator, operand: ast.Expression) -> ast.UnaryExpression:
    """Return a unary operator with its operand."""
    return ast.UnaryExpression(operator, operand, span=NOWHERE)


def pure(expression: ast.Expression) -> ast.PureComputation:
    """Return an expression as a computation."""
    return ast.PureComputation(expression, span=NOWHERE)


def let(text: str, computation: ast.Computation) -> ast.LetStatement:
    """Return a `let` of a variable called `text`."""
    return ast.LetStatement(name(text), None, computation, span=NOWHERE)


def run(computation: ast.Computation) -> ast.RunStatement:
    """Return a computation as a statement."""
    return ast.RunStatement(computation, span=NOWHERE)


def only(computation: ast.Computation) -> ast.Block:
    """Return a block with the value of one computation."""
    return ast.Block((run(computation),), tail=True, span=NOWHERE)


def qualified(operation: str) -> ast.QualifiedName:
    """Return the name `effect.operation` in its parts."""
    effect, _, own = operation.partition(".")
    return ast.QualifiedName(name(effect), name(own), span=NOWHERE)
