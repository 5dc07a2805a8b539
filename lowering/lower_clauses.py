"""From handlers to core clauses (SPEC §12).

A clause body is a path that branches: what follows an `if` of which a branch completes the clause stands
in the branch that goes on. A clause with several parameters binds them to the fields of its payload first.
"""

from __future__ import annotations

import attrs

from eclogue.core.errors import CannotHappen
from eclogue.core.schema import Atom, Schema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyIf,
    Clause,
    Computation,
    Expression,
    Project,
    Resume,
    Return,
    Span,
    Variable,
)
from eclogue.core.trampoline import Step
from eclogue.lowering import ast
from eclogue.lowering.cursor import Cursor, Rest, body_chain, bound_name
from eclogue.lowering.declarations import OperationTypes
from eclogue.lowering.lower_computations import ComputationLowering, HandlerParts
from eclogue.lowering.paths import control_nodes


@attrs.frozen(eq=False)
class _Clause:
    """What the path through a clause body needs to know of its clause."""

    completion: Schema
    controls: frozenset[int]
    resumes_with_value: bool
    """Whether it is a `fun` clause: the value of its block is resumed with."""


class ClauseLowering(ComputationLowering):
    """Lowers everything that a task may hold."""

    def handler_parts(self, block: ast.HandlerBlock, depth: int, completion: Schema) -> Step:
        """Return the `HandlerParts` of a handler in the present scope."""
        returned: str | None = None
        return_clause: Computation | None = None
        clauses: list[Clause] = []
        for clause in block.clauses:
            mark = self._names.mark()
            if isinstance(clause, ast.ClauseDeclaration):
                clauses.append((yield self._clause(clause, depth, completion)))
            else:
                if clause.parameter.text != "_":
                    returned = clause.parameter.text
                    self._names.bind(returned, depth)
                return_clause = yield self._block(clause.body, depth + 1)
            self._names.take_back(mark)
        if return_clause is None:
            self._budget.spend(2, block.span)
            return_clause = Return(Variable(0, span=block.span), span=block.span)
        return HandlerParts(returned, return_clause, tuple(clauses))

    def _clause(self, node: ast.ClauseDeclaration, depth: int, completion: Schema) -> Step:
        operation = self._operation(node.operation)
        self._budget.spend(1, node.span)
        cursor = Cursor(self._names, depth + 1, node.body)
        name = None
        if len(node.parameters) == 1 and node.parameters[0].text != "_":
            name = node.parameters[0].text
            self._names.bind(name, depth)
        elif len(node.parameters) > 1:
            self._take_payload_apart(cursor, node, operation, depth)
        implicit = node.kind is ast.ClauseKind.FUN
        controls = frozenset() if implicit else control_nodes(node.body)
        body = yield self._path(cursor, _Clause(completion, controls, implicit))
        return Clause(operation.name, body, span=node.span, name=name)

    def _take_payload_apart(
        self, cursor: Cursor, node: ast.ClauseDeclaration, operation: OperationTypes, level: int
    ) -> None:
        """Bind the parameters of a clause, but `_`, to the fields of the payload, which is at `level`."""
        for name, declared in zip(node.parameters, operation.declaration.parameters, strict=True):
            if name.text != "_":
                payload = Variable(cursor.depth - 1 - level, span=name.span)
                self._budget.spend(3, name.span)
                field = Project(payload, declared.name.text, span=name.span)
                bound = self._returned(Atom.ANY, field, name.span)
                cursor.add(bound, name.span, name)

    # --------------------------------------------------------------------------------------------
    # Clause bodies

    def _path(self, cursor: Cursor, clause: _Clause) -> Step:
        """Return the body of a clause from a place on a path that has not resumed yet."""
        end: Body | None = None
        while end is None:
            if cursor.at_end():
                if not self._leave_without_value(cursor):
                    end = self._implicit_resume(self._unit(cursor.block.span), cursor.block.span, clause)
                continue
            statement = cursor.block.statements[cursor.position]
            if isinstance(statement, (ast.AnswerStatement, ast.AbortStatement)):
                end = self._completion(statement, cursor.depth, clause)
                continue
            computation = statement.computation
            target = cursor.target()
            if isinstance(computation, ast.ResumeComputation):
                end = yield self._resume(computation, target, cursor.depth, clause)
            elif isinstance(computation, ast.IfComputation) and id(computation) in clause.controls:
                end = yield self._branches(computation, target, cursor.depth, clause)
            elif isinstance(computation, ast.BlockComputation) and id(computation) in clause.controls:
                cursor.enter(computation.block, target)
            elif target is not None:
                bound = yield self._computation(computation, cursor.depth, self._annotation(target))
                self._bind(cursor, bound, target)
            else:
                end = yield self._resume_with_value(computation, cursor, clause)
        cursor.close()
        return body_chain(cursor.pieces, end)

    def _completion(
        self, node: ast.AnswerStatement | ast.AbortStatement, depth: int, clause: _Clause
    ) -> Body:
        value = self._checked(clause.completion, self._expression(node.value, depth), node.span)
        self._budget.spend(1, node.span)
        if isinstance(node, ast.AnswerStatement):
            return Answer(value, span=node.span)
        return Abort(value, span=node.span)

    def _branches(self, node: ast.IfComputation, target: Rest | None, depth: int, clause: _Clause) -> Step:
        """Return an `if` with control: what follows it stands in the one branch that goes on."""
        condition = self._expression(node.condition, depth)
        self._budget.spend(1, node.span)
        then = yield self._path(Cursor(self._names, depth, node.then, rest=target), clause)
        beside = ast.Block((), span=node.span) if node.otherwise is None else node.otherwise
        otherwise = yield self._path(Cursor(self._names, depth, beside, rest=target), clause)
        return BodyIf(condition, then, otherwise, span=node.span)

    def _resume(
        self, node: ast.ResumeComputation, target: Rest | None, depth: int, clause: _Clause
    ) -> Step:
        """Return `let x = resume e;` and what the path does with `x`, which is a computation."""
        value = self._expression(node.value, depth)
        self._budget.spend(1, node.span)
        if target is None:
            return Resume(value, self._completed(0, node.span, clause), span=node.span)
        name = bound_name(target.statement)
        cursor = Cursor(self._names, depth, target.block)
        cursor.go_on(target)
        schema = self._annotation(target)
        named: str | None = None
        if schema is Atom.ANY:
            named = cursor.pass_binder(name)
        else:
            cursor.pass_binder(None)
            self._budget.spend(2, target.statement.span)
            returned = self._returned(schema, Variable(0, span=node.span), node.span)
            cursor.add(returned, target.statement.span, name)
        body = yield self._course(cursor, clause.completion)
        return Resume(value, body, span=node.span, name=named)

    def _completed(self, index: int, span: Span, clause: _Clause) -> Computation:
        """Return the completion with a variable."""
        self._budget.spend(1, span)
        return self._returned(clause.completion, Variable(index, span=span), span)

    def _resume_with_value(self, node: ast.Computation, cursor: Cursor, clause: _Clause) -> Step:
        """Return the end of a `fun` clause, which resumes with the value of its block."""
        if isinstance(node, ast.PureComputation):
            value = self._expression(node.expression, cursor.depth)
        else:
            bound = yield self._computation(node, cursor.depth)
            self._budget.spend(2, node.span)
            cursor.add(bound, node.span, None)
            value = Variable(0, span=node.span)
        return self._implicit_resume(value, node.span, clause)

    def _implicit_resume(self, value: Expression, span: Span, clause: _Clause) -> Body:
        if not clause.resumes_with_value:
            raise CannotHappen("a path that does not complete its clause, after resolution")
        self._budget.spend(1, span)
        return Resume(value, self._completed(0, span, clause), span=span)
