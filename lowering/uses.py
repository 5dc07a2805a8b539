"""Static checks of what a computation uses: variables, operations, tasks, `def`s and named handlers."""

from __future__ import annotations

import attrs

from eclogue.core.schema import Atom, Schema
from eclogue.core.syntax import Span
from eclogue.lowering import ast
from eclogue.lowering.declarations import Declarations, Inlined, find_operation
from eclogue.lowering.expressions import Binding, Expected, ExpressionChecker
from eclogue.lowering.reporter import Reporter


@attrs.frozen(eq=False)
class Escape:
    """An operation that may leave a computation: where, in the present declaration, and where performed."""

    span: Span
    performed: Span


Escapes = dict[str, Escape]


@attrs.frozen(eq=False)
class Summary:
    """What others need to know of a declaration with a body."""

    result: Schema | None
    """The type of its value. For a handler, of its return clause, and None if it has none."""
    escapes: Escapes
    caught: frozenset[str] = frozenset()
    """A handler's operations."""
    completes: bool = False
    """Whether a clause of a handler may complete with anything else than what a resume returned."""


class UseChecker:
    """Knows the scope, and what may escape from the computation that is being checked."""

    def __init__(self, declarations: Declarations, reporter: Reporter) -> None:
        self.summaries: dict[int, Summary] = {}
        """Of the declarations that were checked already, by their ids."""
        self.escapes: Escapes = {}
        self.expressions = ExpressionChecker(reporter)
        self._declarations = declarations
        self._types = declarations.types
        self._reporter = reporter

    # --------------------------------------------------------------------------------------------
    # Names

    def bind(self, name: ast.Name, schema: Schema, *, wanted: bool = False) -> None:
        """Bring a variable into scope; `_` stays out of it."""
        if name.text != "_":
            wanted = wanted and not name.text.startswith("_")
            self.expressions.scope.bind(name.text, Binding(schema, name.span, wanted))

    def leave(self, mark: int) -> None:
        """Take the variables above a mark out of scope."""
        for name, binding in self.expressions.scope.take_back(mark):
            if binding.wanted and not binding.used:
                self._reporter.warning(
                    "EC1171",
                    f"the variable `{name}` is not used",
                    binding.span,
                    hint=f"write `_` or `_{name}` if that is meant",
                )

    # --------------------------------------------------------------------------------------------
    # Operations and calls

    def perform(self, node: ast.PerformComputation) -> Schema:
        """Check a perform and return the type of its result."""
        operation = find_operation(node.operation, self._declarations, self._reporter)
        if operation is None:
            self._arguments(node.arguments, None, None)
            return Atom.ANY
        declared = operation.declaration.parameters
        if len(declared) != len(node.arguments):
            self._reporter.count(
                f"the operation `{operation.name}`",
                len(node.arguments),
                len(declared),
                node.span,
                operation.declaration.span,
                (parameter.name.text for parameter in declared),
            )
        self._arguments(node.arguments, declared, operation.name)
        self.escapes.setdefault(operation.name, Escape(node.span, node.span))
        return operation.result

    def call(self, node: ast.CallComputation) -> Schema:
        """Check a call and return the type of its value."""
        target = self._declarations.callables.get(node.callee.text)
        if target is None:
            self._unknown_callee(node.callee)
            self._arguments(node.arguments, None, None)
            return Atom.ANY
        summary = self._inlined(target, node.arguments, node.span)
        return Atom.ANY if summary is None or summary.result is None else summary.result

    def _unknown_callee(self, name: ast.Name) -> None:
        hint = None
        if self.expressions.scope.find(name.text) is not None:
            hint = f"`{name.text}` is a variable: values cannot be called"
        elif name.text in self._declarations.handlers:
            hint = f"`{name.text}` is a handler: write `handle {{ … }} with {name.text}(…)`"
        self._reporter.unknown("EC1004", "task or def", name, self._declarations.callables, hint=hint)

    def _inlined(
        self, target: Inlined, arguments: tuple[ast.Expression, ...], span: Span
    ) -> Summary | None:
        """Check the arguments of a call, or of a named handler, and let through what escapes from it."""
        if len(target.parameters) != len(arguments):
            self._reporter.count(
                f"`{target.name.text}`",
                len(arguments),
                len(target.parameters),
                span,
                target.name.span,
                (parameter.name.text for parameter in target.parameters),
            )
        self._arguments(arguments, target.parameters, target.name.text)
        summary = self.summaries.get(id(target))
        if summary is not None:
            for operation, escape in summary.escapes.items():
                if operation not in self.escapes:
                    self.escapes[operation] = Escape(span, escape.performed)
        return summary

    def _arguments(
        self,
        arguments: tuple[ast.Expression, ...],
        declared: tuple[ast.Parameter, ...] | None,
        of: str | None,
    ) -> None:
        for position, argument in enumerate(arguments):
            expected = None
            if declared is not None and position < len(declared):
                parameter = declared[position]
                if parameter.type is not None:
                    what = f"the parameter `{parameter.name.text}` of `{of}`"
                    expected = Expected(self._types.schema(parameter.type), parameter.span, what)
            self.expressions.check(argument, expected)

    def let_through(self, inside: Escapes, caught: frozenset[str]) -> None:
        """Let the operations that escape from a handled block go on, but those that are caught."""
        for operation, escape in inside.items():
            if operation not in caught:
                self.escapes.setdefault(operation, escape)

    def named_handler(self, reference: ast.HandlerReference) -> Summary | None:
        """Check the use of a named handler; returns None for one of which nothing is known."""
        target = self._declarations.handlers.get(reference.name.text)
        if target is None:
            hint = None
            if reference.name.text in self._declarations.callables:
                hint = f"`{reference.name.text}` is not a handler: declare one with `handler`"
            self._reporter.unknown(
                "EC1005", "handler", reference.name, self._declarations.handlers, hint=hint
            )
            self._arguments(reference.arguments, None, None)
            return None
        return self._inlined(target, reference.arguments, reference.span)
