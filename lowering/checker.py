"""Static checks of computations: types, paths through clauses, and what escapes.

Each declaration's body is walked once. The functions over nested terms are steps (`core.trampoline`).
"""

from __future__ import annotations

import attrs

from eclogue.core.schema import Atom, ListSchema, Schema
from eclogue.core.syntax import Span
from eclogue.core.trampoline import Step
from eclogue.lowering import ast
from eclogue.lowering.clause_heads import clause_operation, only_resumes, single_return_clause
from eclogue.lowering.declarations import OperationTypes
from eclogue.lowering.expressions import Expected
from eclogue.lowering.paths import (
    ClausePath,
    Flow,
    Place,
    Use,
    Where,
    control_nodes,
    report_after_resume,
    report_misplaced,
    report_open_end,
    report_statement_after,
)
from eclogue.lowering.static_types import EMPTY_LIST, is_subtype, join, widen
from eclogue.lowering.uses import Summary, UseChecker


class ComputationChecker(UseChecker):
    """Checks the computations of one declaration after the other."""

    # --------------------------------------------------------------------------------------------
    # Blocks

    def block(self, block: ast.Block, where: Where, use: Use) -> Step:
        """Check a block; returns its `Flow`."""
        mark = self.expressions.scope.mark()
        flow: Flow = yield self._statements(block, where, use)
        self.leave(mark)
        return flow

    def _statements(self, block: ast.Block, where: Where, use: Use) -> Step:
        statements = block.statements
        flow = Flow(Atom.NULL)
        for position, statement in enumerate(statements):
            last = position == len(statements) - 1
            if isinstance(statement, (ast.AnswerStatement, ast.AbortStatement)):
                self._completion(statement, where)
                flow = Flow(Atom.ANY, open_ends=0, controls=True)
            else:
                tail = last and (block.tail or isinstance(statement, ast.ReturnStatement))
                inner = self._use_of(statement, where, use, tail=tail, last=last)
                flow = yield self._statement(statement, where, inner)
                if tail and flow.open_ends:
                    return self._end_of_path(flow, where, use, statement.span)
                if isinstance(statement, ast.ReturnStatement):
                    flow = Flow(flow.type, open_ends=0)
            if not last and (flow.open_ends != 1 or flow.branch_resumes):
                report_statement_after(flow, statement, statements[position + 1], self._reporter)
                return Flow(Atom.ANY, open_ends=0, controls=True)
            if flow.open_ends == 0:
                return flow
        return self._end_without_value(block, where, use, flow)

    def _use_of(self, statement: ast.Statement, where: Where, use: Use, *, tail: bool, last: bool) -> Use:
        """Return what becomes of the value of one statement of a block."""
        if isinstance(statement, ast.ReturnStatement) and use.dropped:
            self._reporter.error(
                "EC2210",
                "`return` gives the value of this block, which is discarded",
                statement.span,
                hint="it does not leave what is around the block: put what follows into an `else`",
            )
        if tail:
            resumed = where.path is not None and where.path.resumed is not None
            expected = where.path.completion if where.path and resumed and not use.follows else use.expected
            dropped = use.dropped and not isinstance(statement, ast.ReturnStatement)
            return Use(expected, use.follows, dropped)
        follows = use.follows or not last
        if isinstance(statement, ast.LetStatement):
            return Use(self._annotation(statement), follows)
        return Use(None, follows, dropped=True)

    def _annotation(self, statement: ast.LetStatement) -> Expected | None:
        if statement.type is None:
            return None
        what = f"the variable `{statement.name.text}`"
        return Expected(self._types.schema(statement.type), statement.type.span, what)

    def _statement(
        self, statement: ast.LetStatement | ast.RunStatement | ast.ReturnStatement, where: Where, use: Use
    ) -> Step:
        flow: Flow = yield self.computation(statement.computation, where, use)
        if isinstance(statement, ast.LetStatement) and flow.open_ends:
            schema = flow.type if use.expected is None else use.expected.schema
            self.bind(statement.name, schema, wanted=True)
        return flow

    def _end_of_path(self, flow: Flow, where: Where, use: Use, span: Span) -> Flow:
        """Return the flow of a block that ends with a value; a clause's path must have resumed before."""
        path = where.path
        if path is None or use.follows or path.resumed is not None:
            return flow
        if not flow.controls:
            report_open_end(path, span, "a path ends", self._reporter)
        return Flow(Atom.ANY, open_ends=0, controls=True)

    def _end_without_value(self, block: ast.Block, where: Where, use: Use, flow: Flow) -> Flow:
        """Return the flow of a block whose value is `()`. `flow` is that of its last statement."""
        path = where.path
        last = block.statements[-1] if block.statements else None
        span = block.span if last is None else last.span
        expected = use.expected
        if path is not None and not use.follows:
            if path.resumed is None:
                report_open_end(path, span, "a path ends", self._reporter)
                return Flow(Atom.ANY, open_ends=0, controls=True)
            expected = path.completion
            if isinstance(last, ast.RunStatement) and isinstance(last.computation, ast.ResumeComputation):
                self._reporter.warning(
                    "EC2211",
                    "what the resume returns is discarded, and the clause completes with `()`",
                    last.span,
                    hint="leave out the semicolon behind it",
                )
        if expected is not None and not use.dropped:
            hint = "give a value with `return e`"
            if isinstance(last, ast.RunStatement):
                hint = "leave out the semicolon to give the value of the last statement"
            self.expressions.compare(Atom.NULL, expected, span, hint)
        return attrs.evolve(flow, type=Atom.NULL)

    def _completion(self, statement: ast.AnswerStatement | ast.AbortStatement, where: Where) -> None:
        path = where.path
        self.expressions.check(statement.value, path.completion if path else None)
        if path is None:
            report_misplaced(statement, where, self._reporter)
        elif path.resumed is not None:
            report_after_resume(statement, path, self._reporter)

    # --------------------------------------------------------------------------------------------
    # Computations

    def computation(self, node: ast.Computation, where: Where, use: Use) -> Step:
        """Check a computation; returns its `Flow`, in which only `if`, `do` and `resume` have control."""
        if isinstance(node, ast.PureComputation):
            return Flow(self.expressions.check(node.expression, use.expected))
        if isinstance(node, ast.ResumeComputation):
            return self._resume(node, where, use)
        if isinstance(node, ast.IfComputation):
            return (yield self._if(node, where, use))
        if isinstance(node, ast.BlockComputation):
            if where.path is None or id(node) not in where.path.controls:
                beside: Flow = yield self.block(
                    node.block, where.beside(), Use(use.expected, dropped=use.dropped)
                )
                return Flow(beside.type)
            flow: Flow = yield self.block(node.block, where, use)
            return attrs.evolve(flow, controls=True)
        schema: Schema
        if isinstance(node, ast.PerformComputation):
            schema = self.perform(node)
        elif isinstance(node, ast.CallComputation):
            schema = self.call(node)
        elif isinstance(node, ast.HandleComputation):
            schema = yield self._handle(node, where)
        elif isinstance(node, ast.RepeatComputation):
            schema = yield self._repeat(node, where)
        else:
            schema = yield self._for(node, where)
        if use.expected is not None:
            self.expressions.compare(schema, use.expected, node.span)
        return Flow(schema)

    def _resume(self, node: ast.ResumeComputation, where: Where, use: Use) -> Flow:
        path = where.path
        self.expressions.check(node.value, path.resumption if path else None)
        if path is None:
            report_misplaced(node, where, self._reporter)
            return Flow(Atom.ANY)
        if path.resumed is not None:
            report_after_resume(node, path, self._reporter)
        path.resumed = path.resumed or node.span
        if use.expected is not None:
            self.expressions.compare(path.comes_back, use.expected, node.span)
        return Flow(path.comes_back, controls=True)

    def _if(self, node: ast.IfComputation, where: Where, use: Use) -> Step:
        self.expressions.condition(node.condition)
        if where.path is None or id(node) not in where.path.controls:
            return (yield self._plain_if(node, where.beside(), Use(use.expected, dropped=use.dropped)))
        path = where.path
        before = path.resumed
        then: Flow = yield self.block(node.then, where, use)
        resumes = path.resumed is not before
        path.resumed = before
        if node.otherwise is not None:
            otherwise: Flow = yield self.block(node.otherwise, where, use)
            resumes = resumes or path.resumed is not before
        else:
            otherwise = Flow(Atom.NULL)
            if before is None and not use.follows:
                report_open_end(path, node.span, "the path beside this `if` ends", self._reporter)
        path.resumed = before
        ends = [flow for flow in (then, otherwise) if flow.open_ends]
        schema = join(ends[0].type, ends[-1].type) if ends else Atom.ANY
        if not use.follows:
            ends = []
        open_ends = sum(flow.open_ends for flow in ends)
        return Flow(schema, open_ends, controls=True, branch_resumes=resumes)

    def _plain_if(self, node: ast.IfComputation, where: Where, use: Use) -> Step:
        then: Flow = yield self.block(node.then, where, use)
        if node.otherwise is not None:
            otherwise: Flow = yield self.block(node.otherwise, where, use)
            return Flow(join(then.type, otherwise.type))
        if use.expected is not None and not use.dropped:
            hint = "without `else` the value is `()`"
            self.expressions.compare(Atom.NULL, use.expected, node.span, hint)
        return Flow(join(then.type, Atom.NULL))

    def _repeat(self, node: ast.RepeatComputation, where: Where) -> Step:
        # Whatever the state is later, in the first round it is the initial value: an error found with its
        # type is certain. If a round keeps the type, all rounds do.
        state = widen(self.expressions.check(node.initial))
        mark = self.expressions.scope.mark()
        self.bind(node.variable, state)
        if node.condition is not None:
            self.expressions.condition(node.condition)
        flow: Flow = yield self.block(node.body, where.within(Place.LOOP), Use())
        self.leave(mark)
        return state if node.count == 0 or is_subtype(flow.type, state) else Atom.ANY

    def _for(self, node: ast.ForComputation, where: Where) -> Step:
        items = self.expressions.check(node.items)
        assert isinstance(items, ListSchema)
        mark = self.expressions.scope.mark()
        self.bind(node.variable, items.item)
        flow: Flow = yield self.block(node.body, where.within(Place.LOOP), Use())
        self.leave(mark)
        return ListSchema(flow.type) if node.items.items else EMPTY_LIST

    # --------------------------------------------------------------------------------------------
    # Handlers

    def _handle(self, node: ast.HandleComputation, where: Where) -> Step:
        outside = self.escapes
        self.escapes = {}
        body: Flow = yield self.block(node.body, where.within(Place.HANDLED), Use())
        inside, self.escapes = self.escapes, outside
        completion = None
        if node.completion is not None:
            schema = self._types.schema(node.completion)
            completion = Expected(schema, node.completion.span, "the completion of this clause")
        handler = node.handler
        summary: Summary | None
        if isinstance(handler, ast.HandlerReference):
            summary = self.named_handler(handler)
        else:
            summary = yield self.handler_block(handler, where, body.type, completion)
        if summary is None:
            self.let_through(inside, frozenset())
            return Atom.ANY
        self.let_through(inside, summary.caught)
        returned = body.type if summary.result is None else summary.result
        if not summary.completes:
            return returned
        return join(returned, Atom.ANY if completion is None else completion.schema)

    def handler_block(
        self, block: ast.HandlerBlock, where: Where, body: Schema, completion: Expected | None
    ) -> Step:
        """Check the clauses of a handler around a block with values of type `body`; returns its `Summary`.

        What escapes from the clauses is added to `escapes`, and the summary does not repeat it.
        """
        returning = single_return_clause(block, self._reporter)
        result: Schema | None = None
        if returning is not None:
            mark = self.expressions.scope.mark()
            self.bind(returning.parameter, body)
            flow: Flow = yield self.block(returning.body, where.within(Place.RETURN_CLAUSE), Use())
            self.leave(mark)
            result = flow.type
        returned = body if result is None else result
        comes_back = join(returned, Atom.ANY if completion is None else completion.schema)
        seen: dict[str, ast.ClauseDeclaration] = {}
        completes = False
        for clause in block.clauses:
            if isinstance(clause, ast.ClauseDeclaration):
                operation = clause_operation(clause, seen, self._declarations, self._reporter)
                yield self._clause(clause, operation, where, comes_back, completion)
                completes = completes or not only_resumes(clause)
        return Summary(result, {}, frozenset(seen), completes)

    def _clause(
        self,
        clause: ast.ClauseDeclaration,
        operation: OperationTypes | None,
        where: Where,
        comes_back: Schema,
        completion: Expected | None,
    ) -> Step:
        mark = self.expressions.scope.mark()
        resumption = None
        if operation is not None:
            declared = operation.declaration
            resumption = Expected(
                operation.result, declared.result.span, f"the result of `{operation.name}`"
            )
        for position, name in enumerate(clause.parameters):
            known = operation is not None and position < len(operation.parameters)
            self.bind(name, operation.parameters[position] if operation and known else Atom.ANY)
        if clause.kind is ast.ClauseKind.FUN:
            yield self.block(clause.body, where.within(Place.FUN_CLAUSE), Use(resumption))
        else:
            path = ClausePath(
                str(clause.operation), resumption, comes_back, completion, control_nodes(clause.body)
            )
            yield self.block(clause.body, Where(Place.CLAUSE, path, True), Use())
        self.leave(mark)
