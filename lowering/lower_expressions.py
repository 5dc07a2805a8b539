"""From surface expressions to core expressions (SPEC §12)."""

from __future__ import annotations

from eclogue.core.errors import CannotHappen
from eclogue.core.syntax import (
    Binary,
    BinaryOperator,
    Expression,
    ListExpression,
    Literal,
    Not,
    Project,
    RecordExpression,
    Variable,
)
from eclogue.lowering import ast
from eclogue.lowering.scopes import Scope

OUTERMOST = 1 << 60
"""More than any level: what `lowest` is while no variable was mentioned."""


class ExpressionLowering:
    """Lowers expressions in a scope that gives the level of each variable, 0 for the outermost.

    `nodes` counts the nodes made. `lowest` is the lowest level that was mentioned: its owner sets and reads
    it to find out whether a term depends on what is around it.
    """

    def __init__(self) -> None:
        self.names: Scope[int] = Scope()
        self.nodes = 0
        self.lowest = OUTERMOST

    def lower(self, expression: ast.Expression, depth: int) -> Expression:
        """Return the core expression; `depth` is the number of variables in scope."""
        made: list[Expression] = []
        pending: list[tuple[ast.Expression, bool]] = [(expression, False)]
        while pending:
            node, ready = pending.pop()
            if ready:
                self._assemble(node, made)
            elif isinstance(node, ast.VariableExpression):
                made.append(self._variable(node, depth))
            elif isinstance(node, ast.LiteralExpression):
                made.append(self._literal(node, node.value))
            elif (number := _negative_literal(node)) is not None:
                made.append(self._literal(node, number))
            else:
                pending.append((node, True))
                pending.extend((part, False) for part in reversed(_parts(node)))
        return made[0]

    def _variable(self, node: ast.VariableExpression, depth: int) -> Variable:
        level = self.names.find(node.name.text)
        if level is None:
            raise CannotHappen(f"unknown variable {node.name.text} after resolution")
        self.nodes += 1
        self.lowest = min(self.lowest, level)
        return Variable(depth - 1 - level, span=node.span, name=node.name.text)

    def _literal(self, node: ast.Expression, value: bool | int | str | None) -> Literal:
        self.nodes += 1
        return Literal(value, span=node.span)

    def _assemble(self, node: ast.Expression, made: list[Expression]) -> None:
        """Replace the parts of a node at the end of `made` by what it makes of them."""
        self.nodes += 1
        span = node.span
        if isinstance(node, ast.BinaryExpression):
            right = made.pop()
            made[-1] = self._binary(node, made[-1], right)
        elif isinstance(node, ast.ProjectExpression):
            made[-1] = Project(made[-1], node.key.text, span=span)
        elif isinstance(node, ast.UnaryExpression):
            if node.operator is ast.UnaryOperator.NOT:
                made[-1] = Not(made[-1], span=span)
            else:
                made[-1] = Binary(BinaryOperator.SUB, self._literal(node, 0), made[-1], span=span)
        elif isinstance(node, ast.ListExpression):
            made.append(ListExpression(_taken(made, len(node.items)), span=span))
        elif isinstance(node, ast.RecordExpression):
            values = _taken(made, len(node.fields))
            keys = (field.key.text for field in node.fields)
            made.append(RecordExpression(tuple(zip(keys, values, strict=True)), span=span))

    def _binary(self, node: ast.BinaryExpression, left: Expression, right: Expression) -> Expression:
        operator = node.operator
        if isinstance(operator, BinaryOperator):
            return Binary(operator, left, right, span=node.span)
        self.nodes += 1
        return Not(Binary(_NEGATED[operator], left, right, span=node.span), span=node.span)


_NEGATED = {
    ast.SugaredOperator.GT: BinaryOperator.LE,
    ast.SugaredOperator.GE: BinaryOperator.LT,
}


def _parts(node: ast.Expression) -> tuple[ast.Expression, ...]:
    if isinstance(node, ast.BinaryExpression):
        return (node.left, node.right)
    if isinstance(node, ast.ProjectExpression):
        return (node.subject,)
    if isinstance(node, ast.UnaryExpression):
        return (node.operand,)
    if isinstance(node, ast.ListExpression):
        return node.items
    if isinstance(node, ast.RecordExpression):
        return tuple(field.value for field in node.fields)
    return ()


def _negative_literal(node: ast.Expression) -> int | None:
    """Return the value of a minus sign before a number: one literal."""
    if not isinstance(node, ast.UnaryExpression) or node.operator is not ast.UnaryOperator.NEGATE:
        return None
    operand = node.operand
    if isinstance(operand, ast.LiteralExpression) and type(operand.value) is int:
        return -operand.value
    return None


def _taken(made: list[Expression], number: int) -> tuple[Expression, ...]:
    start = len(made) - number
    taken = tuple(made[start:])
    del made[start:]
    return taken
