"""The parts of lowering that do not nest: expressions, checks, performs, arguments, scopes.

A check against `Any` says nothing and is left out, but for those around performs, whose form is fixed.
"""

from __future__ import annotations

from eclogue.core.schema import Atom, Schema
from eclogue.core.syntax import (
    Check,
    Computation,
    Expression,
    Let,
    Literal,
    Perform,
    RecordExpression,
    Return,
    Span,
    Variable,
)
from eclogue.lowering import ast
from eclogue.lowering.cursor import Cursor, Rest
from eclogue.lowering.declarations import Declarations, OperationTypes
from eclogue.lowering.expansion import Budget
from eclogue.lowering.lower_expressions import ExpressionLowering
from eclogue.lowering.scopes import Scope


class PartLowering:
    """Makes terms from parts, counts their nodes in `budget`, collects the `operations` they mention."""

    def __init__(self, declarations: Declarations, budget: Budget) -> None:
        self.operations: dict[str, OperationTypes] = {}
        self._declarations = declarations
        self._types = declarations.types
        self._budget = budget
        self._expressions = ExpressionLowering()
        self._names = self._expressions.names

    def _expression(self, node: ast.Expression, depth: int) -> Expression:
        self._expressions.nodes = 0
        made = self._expressions.lower(node, depth)
        self._budget.spend(self._expressions.nodes, node.span)
        return made

    def _checked(self, schema: Schema, subject: Expression, span: Span | None) -> Expression:
        if schema is Atom.ANY:
            return subject
        self._budget.spend(1 + self._types.size(schema), span)
        return Check(schema, subject, span=span)

    def _returned(self, schema: Schema, subject: Expression, span: Span | None) -> Computation:
        """Return `return check(schema, subject)`; `subject` is counted already."""
        self._budget.spend(1, span)
        return Return(self._checked(schema, subject, span), span=span)

    def _checked_result(self, schema: Schema, made: Computation, span: Span | None) -> Computation:
        """Return a computation followed by a check of its value."""
        if schema is Atom.ANY:
            return made
        self._budget.spend(2, span)
        return Let(made, self._returned(schema, Variable(0, span=span), span), span=span)

    def _unit(self, span: Span) -> Expression:
        self._budget.spend(1, span)
        return Literal(None, span=span)

    def _perform(self, node: ast.PerformComputation, depth: int) -> Computation:
        """Return `let x = perform op(check(P, e)) in return check(R, x)`."""
        operation = self._operation(node.operation)
        arguments = [self._expression(argument, depth) for argument in node.arguments]
        span = node.span
        payload: Expression
        if not arguments:
            payload = self._unit(span)
        elif len(arguments) == 1:
            payload = arguments[0]
        else:
            keys = (parameter.name.text for parameter in operation.declaration.parameters)
            self._budget.spend(1, span)
            payload = RecordExpression(tuple(zip(keys, arguments, strict=True)), span=span)
        schemas = self._types.size(operation.payload) + self._types.size(operation.result)
        self._budget.spend(6 + schemas, span)
        performed = Perform(operation.name, Check(operation.payload, payload, span=span), span=span)
        result = Check(operation.result, Variable(0, span=span), span=span)
        return Let(performed, Return(result, span=span), span=span)

    def _operation(self, name: ast.QualifiedName) -> OperationTypes:
        operation = self._declarations.operations[str(name)]
        self.operations[operation.name] = operation
        return operation

    def _annotation(self, target: Rest) -> Schema:
        statement = target.statement
        return self._types.schema(statement.type) if isinstance(statement, ast.LetStatement) else Atom.ANY

    def _bind_arguments(
        self, cursor: Cursor, arguments: tuple[ast.Expression, ...], parameters: tuple[ast.Parameter, ...]
    ) -> None:
        """Add a piece for each argument; none of them is in scope for the others, or for the caller."""
        for argument, parameter in zip(arguments, parameters, strict=True):
            value = self._expression(argument, cursor.depth)
            bound = self._returned(self._types.schema(parameter.type), value, argument.span)
            self._budget.spend(1, argument.span)
            cursor.add_hidden(bound, argument.span, parameter.name)

    def _isolate(self, parameters: tuple[ast.Parameter, ...]) -> tuple[Scope[int], int]:
        """Begin a scope with nothing but some parameters; returns what `_return_to` wants."""
        outside = (self._names, self._expressions.lowest)
        self._names = self._expressions.names = Scope()
        for level, parameter in enumerate(parameters):
            if parameter.name.text != "_":
                self._names.bind(parameter.name.text, level)
        return outside

    def _return_to(self, outside: tuple[Scope[int], int]) -> None:
        self._names, self._expressions.lowest = outside
        self._expressions.names = self._names
