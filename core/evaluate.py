"""The machine's evaluator of expressions (SPEC §5).

There are two ways to the same result. `compiled` turns an expression into a Python function of the
environment, for the many small ones that are evaluated again and again. `evaluate` walks it with an
explicit stack: for large expressions, and to find the sub-expression that failed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from eclogue.core.environment import Environment, lookup
from eclogue.core.errors import UNBOUND
from eclogue.core.operators import ExpressionFailed, Operator, Operators, checked, negate, project
from eclogue.core.schema import ATOM_TYPES, Atom
from eclogue.core.syntax import (
    Binary,
    Check,
    Expression,
    ListExpression,
    Literal,
    Not,
    Project,
    RecordExpression,
    Variable,
)
from eclogue.core.values import RecordValue, Value

Function: TypeAlias = Callable[[Environment], Value]
"""An expression as a function. It raises `ExpressionFailed`, or `IndexError` for an unbound variable."""

# ------------------------------------------------------------------------------------------------
# Compiling

_DEPTH = 24
"""Levels up to which an expression is compiled; that bounds the recursion, of compiling and of calling."""
_SIZE = 2_000
"""Nodes up to which an expression is compiled, a shared one counted wherever it occurs."""


def compiled(expression: Expression, operators: Operators) -> Function:
    """Return a function that evaluates the expression; a large one is walked."""
    try:
        return _Compiler(operators).function(expression, _DEPTH)
    except _TooLarge:
        return lambda environment: evaluate(expression, environment, operators)


class _TooLarge(Exception):
    """The expression is to be walked instead."""


class _Compiler:
    """Compiles one expression, as long as `fuel`, a number of nodes, lasts."""

    def __init__(self, operators: Operators) -> None:
        self.operators = operators
        self.fuel = _SIZE

    def function(self, expression: Expression, depth: int) -> Function:
        """Return the function of an expression that is at most `depth` levels deep."""
        self.fuel -= 1
        if depth == 0 or self.fuel < 0:
            raise _TooLarge
        if isinstance(expression, Literal):
            return _literal(expression.value)
        if isinstance(expression, Variable):
            return _variable(expression.index)
        if isinstance(expression, Check):
            return _check(expression, self.function(expression.subject, depth - 1))
        if isinstance(expression, Project):
            return _project(expression.key, self.function(expression.subject, depth - 1))
        if isinstance(expression, Not):
            return _not(self.function(expression.subject, depth - 1))
        if isinstance(expression, Binary):
            left = self.function(expression.left, depth - 1)
            right = self.function(expression.right, depth - 1)
            return _binary(self.operators.binary[expression.operator], left, right)
        if isinstance(expression, ListExpression):
            items = [self.function(item, depth - 1) for item in expression.items]
            return _list(items, self.operators)
        fields = [(key, self.function(item, depth - 1)) for key, item in expression.fields]
        return _record(fields)


def _literal(value: Value) -> Function:
    return lambda environment: value  # noqa: ARG005


def _variable_0(environment: Environment) -> Value:
    value: Value = environment[3]
    return value


def _variable_1(environment: Environment) -> Value:
    value: Value = environment[2][3]
    return value


def _variable_2(environment: Environment) -> Value:
    value: Value = environment[2][2][3]
    return value


_NEAR = (_variable_0, _variable_1, _variable_2)


def _variable(index: int) -> Function:
    return _NEAR[index] if index < len(_NEAR) else lambda environment: lookup(environment, index)


def _check(expression: Check, subject: Function) -> Function:
    schema = expression.schema
    if schema is Atom.ANY:
        return subject
    if not isinstance(schema, Atom):
        return lambda environment: checked(schema, subject(environment))
    wanted = ATOM_TYPES[schema]

    def check_kind(environment: Environment) -> Value:
        value = subject(environment)
        return value if type(value) is wanted else checked(schema, value)

    return check_kind


def _project(key: str, subject: Function) -> Function:
    return lambda environment: project(subject(environment), key)


def _not(subject: Function) -> Function:
    return lambda environment: negate(subject(environment))


def _binary(operator: Operator, left: Function, right: Function) -> Function:
    return lambda environment: operator(left(environment), right(environment))


def _list(items: list[Function], operators: Operators) -> Function:
    return lambda environment: operators.list_of([item(environment) for item in items])


def _record(fields: list[tuple[str, Function]]) -> Function:
    functions = [function for _, function in fields]
    last = {key: position for position, (key, _) in enumerate(fields)}
    layout = [(key, last[key]) for key in sorted(last)]

    def build(environment: Environment) -> Value:
        values = [function(environment) for function in functions]
        return RecordValue({key: values[position] for key, position in layout})

    return build


# ------------------------------------------------------------------------------------------------
# Walking


def evaluate(expression: Expression, environment: Environment, operators: Operators) -> Value:
    """Return the value of an expression, each of its nodes evaluated once, however much they are shared.

    Raises `ExpressionFailed`, whose `expression` is the innermost one that failed, and `LimitExceeded`.
    """
    values: list[Value] = []
    known: dict[Expression, Value] = {}
    uses = _uses(expression)
    pending: list[tuple[Expression, bool]] = [(expression, False)]
    while pending:
        node, ready = pending.pop()
        if node in known:
            value = known[node]
        elif not ready and (parts := _parts(node)):
            pending.append((node, True))
            pending.extend([(part, False) for part in reversed(parts)])
            continue
        else:
            try:
                value = _applied(node, values, environment, operators)
            except ExpressionFailed as failed:
                failed.expression = node
                raise
        _keep(node, value, uses, known)
        values.append(value)
    return values[0]


def _uses(expression: Expression) -> dict[Expression, int]:
    """Return how often each node stands in the expression, as a part of a distinct node."""
    uses: dict[Expression, int] = {}
    pending = [expression]
    while pending:
        node = pending.pop()
        if node in uses:
            uses[node] += 1
        else:
            uses[node] = 1
            pending.extend(_parts(node))
    return uses


def _keep(
    node: Expression, value: Value, uses: dict[Expression, int], known: dict[Expression, Value]
) -> None:
    """Remember a value for as long as the node is still to be met elsewhere."""
    uses[node] -= 1
    if uses[node]:
        known[node] = value
    else:
        known.pop(node, None)


def _parts(node: Expression) -> tuple[Expression, ...]:
    """Return the sub-expressions in the order of their evaluation."""
    if isinstance(node, (Literal, Variable)):
        return ()
    if isinstance(node, Binary):
        return (node.left, node.right)
    if isinstance(node, ListExpression):
        return node.items
    if isinstance(node, RecordExpression):
        return tuple([item for _, item in node.fields])
    return (node.subject,)


def _applied(
    node: Expression, values: list[Value], environment: Environment, operators: Operators
) -> Value:
    """Return a node's value, taking those of its parts from the end of `values`."""
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, Variable):
        return _found(node, environment)
    if isinstance(node, Binary):
        right = values.pop()
        left = values.pop()
        return operators.binary[node.operator](left, right)
    if isinstance(node, ListExpression):
        return operators.list_of(_taken(len(node.items), values))
    if isinstance(node, RecordExpression):
        fields = dict(zip([key for key, _ in node.fields], _taken(len(node.fields), values), strict=True))
        return RecordValue({key: fields[key] for key in sorted(fields)})
    if isinstance(node, Project):
        return project(values.pop(), node.key)
    if isinstance(node, Not):
        return negate(values.pop())
    return checked(node.schema, values.pop())


def _found(node: Variable, environment: Environment) -> Value:
    try:
        return lookup(environment, node.index)
    except IndexError:
        name = node.name or f"number {node.index}"
        raise ExpressionFailed(UNBOUND, f"no value is bound to the variable {name}") from None


def _taken(count: int, values: list[Value]) -> list[Value]:
    start = len(values) - count
    taken = values[start:]
    del values[start:]
    return taken
