"""What rules ask of terms: the value that a term needs first, or how it fails; the clauses of a handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eclogue.core.environment import Environment
from eclogue.core.errors import CannotHappen
from eclogue.core.evaluate import compiled, evaluate
from eclogue.core.limits import Limits
from eclogue.core.operators import ExpressionFailed, expected, operators
from eclogue.core.outcomes import Failed
from eclogue.core.syntax import (
    Abort,
    Answer,
    BodyIf,
    Expression,
    Handle,
    If,
    Perform,
    Resume,
    Return,
)
from eclogue.core.values import Value


class Prepared(dict[Expression | Handle, Any]):
    """What is derived from terms once: functions of expressions, clauses by operation.

    A memory on which nothing depends; the states of one run share it, in several threads too.
    """

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits
        self.operators = operators(limits)

    def __missing__(self, term: Expression | Handle) -> Any:
        made: Any
        if isinstance(term, Handle):
            made = {clause.operation: clause for clause in reversed(term.clauses)}
        else:
            made = compiled(term, self.operators)
        self[term] = made
        return made


def failure_of(node: Any, environment: Environment, prepared: Prepared) -> Failed:
    """Return the failure of the expression that a term needs, placed at the innermost that failed."""
    expression: Expression = _NEEDS[type(node)](node)
    try:
        value = evaluate(expression, environment, prepared.operators)
        if not isinstance(node, (If, BodyIf)) or isinstance(value, bool):
            raise CannotHappen("an expression failed once and then had a value")
        problem = expected("Bool", value)
    except ExpressionFailed as failed:
        problem = failed.with_traceback(None)
    innermost = problem.expression or expression
    return Failed(problem.reason, innermost.span or node.span, problem.detail)


def truth(condition: Value) -> bool:
    """Return a condition's truth; raises `ExpressionFailed` for what is not a boolean."""
    if type(condition) is bool:
        return condition
    raise expected("Bool", condition)


def _expression(node: Return | Answer | Abort | Resume) -> Expression:
    return node.expression


def _condition(node: If | BodyIf) -> Expression:
    return node.condition


def _payload(node: Perform) -> Expression:
    return node.payload


_NEEDS: dict[type, Callable[[Any], Expression]] = {
    Return: _expression,
    Perform: _payload,
    If: _condition,
    BodyIf: _condition,
    Answer: _expression,
    Abort: _expression,
    Resume: _expression,
}
