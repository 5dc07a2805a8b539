"""From surface computations to core computations (SPEC §12), for files without errors.

Variables are numbered by level, 0 for the outermost, so that a body lowered once fits wherever as many
variables are in scope; the body of a `def` depends on its parameters alone and is made once and shared.
The functions over nested terms are steps (`core.trampoline`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import attrs

from eclogue.core.errors import CannotHappen
from eclogue.core.schema import Atom, Schema
from eclogue.core.syntax import (
    Clause,
    Computation,
    Handle,
    If,
    Let,
    ListExpression,
    Literal,
    Return,
    Span,
    Variable,
)
from eclogue.core.trampoline import Step, run
from eclogue.core.values import Value
from eclogue.lowering import ast
from eclogue.lowering.cursor import Cursor, Rest, bound_name, let_chain
from eclogue.lowering.declarations import Callable, Declarations
from eclogue.lowering.expansion import Budget
from eclogue.lowering.lower_expressions import OUTERMOST
from eclogue.lowering.lower_parts import PartLowering
from eclogue.lowering.scopes import Scope


@attrs.frozen(eq=False)
class HandlerParts:
    """The lowered clauses of a handler."""

    returned: str | None
    return_clause: Computation
    clauses: tuple[Clause, ...]


class ComputationLowering(PartLowering, ABC):
    """Lowers computations; clauses are for the subclass.

    With `measuring`, loops are counted but not written out: if `abridged` is set afterwards, the terms are
    good for nothing.
    """

    def __init__(self, declarations: Declarations, budget: Budget, *, measuring: bool) -> None:
        super().__init__(declarations, budget)
        self.abridged = False
        self._measuring = measuring
        self._bodies: dict[int, tuple[Computation, int]] = {}
        self._handlers: dict[tuple[int, int], tuple[HandlerParts, int, Schema]] = {}

    def task(self, task: ast.TaskDeclaration, arguments: Mapping[str, Value]) -> Computation:
        """Return the closed computation of a task; an argument that is missing counts as null.

        Raises `TooManyNodes` if its tree is beyond the bound; the lowering may be used again then.
        """
        cursor = Cursor(Scope(), 0, task.body)
        self._budget.spent = 0
        for parameter in task.parameters:
            span = parameter.span
            self._budget.spend(2, span)
            value = Literal(arguments.get(parameter.name.text), span=span)
            bound = self._returned(self._types.schema(parameter.type), value, span)
            cursor.add_hidden(bound, span, parameter.name)
        body: Computation = run(self._body(task, task.span))
        return let_chain(cursor.pieces, body)

    # --------------------------------------------------------------------------------------------
    # Blocks

    def _block(self, block: ast.Block, depth: int, schema: Schema = Atom.ANY) -> Step:
        """Return the computation of a block whose value is checked against `schema`."""
        return self._course(Cursor(self._names, depth, block), schema)

    def _course(self, cursor: Cursor, schema: Schema) -> Step:
        """Return the computation of a path without control, up to its end."""
        end: Computation | None = None
        while end is None:
            if cursor.at_end():
                if not self._leave_without_value(cursor):
                    span = cursor.block.span
                    end = self._returned(schema, self._unit(span), span)
                continue
            computation = _computation_of(cursor)
            target = cursor.target()
            if target is None:
                end = yield self._computation(computation, cursor.depth, schema)
            else:
                bound = yield self._computation(computation, cursor.depth, self._annotation(target))
                self._bind(cursor, bound, target)
        cursor.close()
        return let_chain(cursor.pieces, end)

    def _bind(self, cursor: Cursor, bound: Computation, target: Rest) -> None:
        """Bind the value of the present statement where it goes, and go on there."""
        self._budget.spend(1, target.statement.span)
        cursor.go_on(target)
        cursor.add(bound, target.statement.span, bound_name(target.statement))

    def _leave_without_value(self, cursor: Cursor) -> bool:
        """Go on behind a block that ended without a value; returns whether there is anything behind it."""
        rest = cursor.rest
        if rest is None:
            return False
        if isinstance(rest.statement, ast.LetStatement):
            span = cursor.block.span
            bound = self._returned(self._annotation(rest), self._unit(span), span)
            self._bind(cursor, bound, rest)
        else:
            cursor.go_on(rest)
        return True

    # --------------------------------------------------------------------------------------------
    # Computations

    def _computation(self, node: ast.Computation, depth: int, schema: Schema = Atom.ANY) -> Step:
        """Return the core computation of one whose value is checked against `schema`."""
        if isinstance(node, ast.PureComputation):
            return self._returned(schema, self._expression(node.expression, depth), node.span)
        if isinstance(node, ast.BlockComputation):
            return (yield self._block(node.block, depth, schema))
        if isinstance(node, ast.IfComputation):
            return (yield self._if(node, depth, schema))
        made: Computation
        if isinstance(node, ast.PerformComputation):
            made = self._perform(node, depth)
        elif isinstance(node, ast.CallComputation):
            made = yield self._call(node, depth)
        elif isinstance(node, ast.HandleComputation):
            made = yield self._handle(node, depth)
        elif isinstance(node, ast.RepeatComputation):
            made = yield self._repeat(node, depth)
        elif isinstance(node, ast.ForComputation):
            made = yield self._for(node, depth)
        else:
            raise CannotHappen("a resume off the paths of its clause, after resolution")
        return self._checked_result(schema, made, node.span)

    def _if(self, node: ast.IfComputation, depth: int, schema: Schema) -> Step:
        condition = self._expression(node.condition, depth)
        self._budget.spend(1, node.span)
        then = yield self._block(node.then, depth, schema)
        if node.otherwise is not None:
            otherwise = yield self._block(node.otherwise, depth, schema)
        else:
            otherwise = self._returned(schema, self._unit(node.span), node.span)
        return If(condition, then, otherwise, span=node.span)

    # --------------------------------------------------------------------------------------------
    # Calls

    def _call(self, node: ast.CallComputation, depth: int) -> Step:
        target = self._declarations.callables[node.callee.text]
        cursor = Cursor(self._names, depth, target.body)
        self._bind_arguments(cursor, node.arguments, target.parameters)
        body = yield self._body(target, node.span)
        return let_chain(cursor.pieces, body)

    def _body(self, target: Callable, span: Span) -> Step:
        """Return the body of a task or `def`, in whose scope are its parameters and nothing else."""
        known = self._bodies.get(id(target))
        if known is None:
            before = self._budget.spent
            outside = self._isolate(target.parameters)
            made = yield self._block(target.body, len(target.parameters), self._types.schema(target.result))
            self._return_to(outside)
            self._bodies[id(target)] = (made, self._budget.spent - before)
            return made
        self._budget.spend(known[1], span)
        return known[0]

    # --------------------------------------------------------------------------------------------
    # Loops

    def _repeat(self, node: ast.RepeatComputation, depth: int) -> Step:
        """Return `let x = e in` the rounds, each `if e₂ then (let x = c in …) else return x`."""
        initial = self._returned(Atom.ANY, self._expression(node.initial, depth), node.initial.span)
        name = None if node.variable.text == "_" else node.variable.text
        state = Variable(0, span=node.variable.span, name=name)
        self._budget.spend(3, node.span)
        rounds = yield self._rounds(node, depth)
        result: Computation = Return(state, span=node.variable.span)
        stopped = Return(state, span=node.variable.span)
        for condition, body in reversed(rounds):
            result = Let(body, result, span=node.body.span, name=name)
            if condition is not None:
                result = If(condition, result, stopped, span=condition.span)
        return Let(initial, result, span=node.span, name=name)

    def _rounds(self, node: ast.RepeatComputation, depth: int) -> Step:
        """Return condition and body of each round; the first has the initial state at level `depth`."""
        if node.count == 0:
            return []
        outside, self._expressions.lowest = self._expressions.lowest, OUTERMOST
        before = self._budget.spent
        rounds = [(yield self._round(node, depth))]
        spent = self._budget.spent - before
        depends = self._expressions.lowest < depth
        self._expressions.lowest = min(outside, self._expressions.lowest)
        more = node.count - 1
        self._budget.require(more * spent, node.span)
        if depends and not self._measuring:
            for number in range(1, node.count):
                written_out = yield self._round(node, depth + number)
                rounds.append(written_out)
            return rounds
        self._budget.spend(more * spent, node.span)
        if depends and more:
            self.abridged = True
            return rounds
        return rounds * node.count

    def _round(self, node: ast.RepeatComputation, level: int) -> Step:
        """Return condition and body of the round that has its state at `level`."""
        mark = self._names.mark()
        if node.variable.text != "_":
            self._names.bind(node.variable.text, level)
        condition = None
        self._budget.spend(1, node.body.span)
        if node.condition is not None:
            condition = self._expression(node.condition, level + 1)
            self._budget.spend(3, node.condition.span)
        body = yield self._block(node.body, level + 1)
        self._names.take_back(mark)
        return condition, body

    def _for(self, node: ast.ForComputation, depth: int) -> Step:
        """Return `let x₁ = e₁ in … let y₁ = c[x₁] in … return [y₁, …]`: the items, then the rounds."""
        cursor = Cursor(self._names, depth, node.body)
        items = node.items.items
        for item in items:
            bound = self._returned(Atom.ANY, self._expression(item, cursor.depth), item.span)
            self._budget.spend(1, item.span)
            cursor.add_hidden(bound, item.span, node.variable)
        for number in range(len(items)):
            before = self._budget.spent
            mark = self._names.mark()
            if node.variable.text != "_":
                self._names.bind(node.variable.text, depth + number)
            body = yield self._block(node.body, cursor.depth)
            self._names.take_back(mark)
            self._budget.spend(2, node.body.span)
            cursor.add_hidden(body, node.body.span, None)
            if number == 0:
                others = (len(items) - 1) * (self._budget.spent - before)
                self._budget.require(others, node.span)
                if self._measuring and len(items) > 1:
                    self._budget.spend(others, node.span)
                    self.abridged = True
                    break
        values = tuple(Variable(index, span=node.span) for index in reversed(range(len(items))))
        self._budget.spend(1, node.span)
        result = self._returned(Atom.ANY, ListExpression(values, span=node.span), node.span)
        return let_chain(cursor.pieces, result)

    # --------------------------------------------------------------------------------------------
    # Handlers

    def _handle(self, node: ast.HandleComputation, depth: int) -> Step:
        completion = self._types.schema(node.completion)
        handler = node.handler
        cursor = Cursor(self._names, depth, node.body)
        if isinstance(handler, ast.HandlerReference):
            target = self._declarations.handlers[handler.name.text]
            self._bind_arguments(cursor, handler.arguments, target.parameters)
        body = yield self._block(node.body, cursor.depth)
        parts: HandlerParts
        if isinstance(handler, ast.HandlerReference):
            parts = yield self._named(target, completion, handler.span)
        else:
            parts = yield self.handler_parts(handler, depth, completion)
        self._budget.spend(1, node.span)
        made = Handle(body, parts.return_clause, parts.clauses, span=node.span, name=parts.returned)
        return let_chain(cursor.pieces, made)

    def _named(self, target: ast.HandlerDeclaration, completion: Schema, span: Span) -> Step:
        """Return the clauses of a named handler, in whose scope are its parameters and nothing else."""
        known = self._handlers.get((id(target), id(completion)))
        if known is None:
            before = self._budget.spent
            outside = self._isolate(target.parameters)
            parts = yield self.handler_parts(target.block, len(target.parameters), completion)
            self._return_to(outside)
            spent = self._budget.spent - before
            self._handlers[id(target), id(completion)] = (parts, spent, completion)
            return parts
        self._budget.spend(known[1], span)
        return known[0]

    @abstractmethod
    def handler_parts(self, block: ast.HandlerBlock, depth: int, completion: Schema) -> Step:
        """Return the `HandlerParts` of a handler in the present scope."""


def _computation_of(cursor: Cursor) -> ast.Computation:
    statement = cursor.block.statements[cursor.position]
    if isinstance(statement, (ast.AnswerStatement, ast.AbortStatement)):
        raise CannotHappen("a completion off the paths of its clause, after resolution")
    return statement.computation
