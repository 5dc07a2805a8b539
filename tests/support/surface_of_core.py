"""Core programs as surface programs: lowering ought to take them back to what they do.

Only programs of which no expression fails can be written so: checks other than those around performs have
no surface form and are left out. Sugar is put in at random (`fun`, `def`, tasks, named handlers, named
types, `for`, `repeat`, `else`-less `if`, `>`), all of it without effect on the records of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, TypeAlias

from eclogue.core.schema import Atom, ListSchema, RecordSchema, Schema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    BinaryOperator,
    Body,
    BodyIf,
    BodyLet,
    Check,
    Clause,
    Computation,
    Expression,
    Handle,
    If,
    Let,
    ListExpression,
    Literal,
    Not,
    Operation,
    Perform,
    Program,
    Project,
    RecordExpression,
    Resume,
    Return,
    Variable,
)
from eclogue.core.values import RecordValue, Value
from eclogue.lowering import ast
from support.choices import chance
from support.core_shapes import (
    effect_of,
    exits,
    is_variable,
    only_resumes,
    performed,
    resuming_operations,
    several_parameters,
)
from support.surface_nodes import NOWHERE, let, name, only, pure, qualified, run, unary, variable
from support.terms import free_variables

Names: TypeAlias = tuple[str, ...]
"""The names of the variables, innermost first; an inner one may hide an outer one that is not used."""

_POOL = ("x", "y", "value", "größe", "名前", "_1", "Int", "task_")
_SUGARED = {BinaryOperator.LE: ast.SugaredOperator.GT, BinaryOperator.LT: ast.SugaredOperator.GE}
"""Of a comparison, the one that is its negation."""
_ATOMS = {Atom.ANY: "Any", Atom.NULL: "Unit", Atom.BOOL: "Bool", Atom.INT: "Int", Atom.TEXT: "Text"}


def surface_of(program: Program, rng: Random) -> ast.SourceFile:
    """Return a file whose task `main` does what a core program does."""
    return _Writer(program, rng).file()


class _Writer:
    """Writes one program; what it makes on the way to be called by name is in `declarations`."""

    def __init__(self, program: Program, rng: Random) -> None:
        self.rng = rng
        self.program = program
        self.operations = {operation.name: operation for operation in program.operations}
        self.declarations: list[ast.Declaration] = []
        self.implicit = resuming_operations(program) if chance(rng, 0.6) else set()
        self.number = 0

    def file(self) -> ast.SourceFile:
        effects = [self._effect(prefix) for prefix in sorted({effect_of(name) for name in self.operations})]
        block = self.block((), self.program.body)
        main = ast.TaskDeclaration(name("main"), (), self._any(), None, block, span=NOWHERE)
        declarations = [*effects, *self.declarations, main]
        self.rng.shuffle(declarations)
        return ast.SourceFile(tuple(declarations), span=NOWHERE)

    def _fresh(self, prefix: str) -> ast.Name:
        self.number += 1
        return name(f"{prefix}{self.number}")

    # -------------------------------------------------------------------------------- declarations

    def _effect(self, effect: str) -> ast.EffectDeclaration:
        own = [item for item in self.program.operations if effect_of(item.name) == effect]
        return ast.EffectDeclaration(name(effect), tuple(map(self._operation, own)), span=NOWHERE)

    def _operation(self, operation: Operation) -> ast.OperationDeclaration:
        fields = several_parameters(operation)
        if fields:
            parameters = tuple(self._parameter(field.key, self.type(field.schema)) for field in fields)
        elif operation.payload is Atom.NULL:
            parameters = ()
        else:
            parameters = (self._parameter("payload", self.type(operation.payload)),)
        kind = ast.ClauseKind.FUN if operation.name in self.implicit else ast.ClauseKind.CTL
        return ast.OperationDeclaration(
            operation.tier,
            kind,
            name(operation.name.split(".")[1]),
            parameters,
            self.type(operation.result),
            span=NOWHERE,
        )

    def _parameter(self, key: str, declared: ast.Type | None) -> ast.Parameter:
        return ast.Parameter(name(key), declared, span=NOWHERE)

    def _any(self) -> ast.Type:
        return ast.NamedType(name("Any"), span=NOWHERE)

    def type(self, schema: Schema) -> ast.Type:
        written = self._type(schema)
        if isinstance(schema, Atom) or chance(self.rng, 0.7):
            return written
        alias = self._fresh("Alias")
        self.declarations.append(ast.TypeDeclaration(alias, written, span=NOWHERE))
        return ast.NamedType(alias, span=NOWHERE)

    def _type(self, schema: Schema) -> ast.Type:
        if isinstance(schema, Atom):
            return ast.NamedType(name(_ATOMS[schema]), span=NOWHERE)
        if isinstance(schema, ListSchema):
            return ast.ListType(self.type(schema.item), span=NOWHERE)
        if isinstance(schema, RecordSchema):
            fields = [
                ast.FieldType(name(field.key), field.required, self.type(field.schema), span=NOWHERE)
                for field in schema.fields
            ]
            self.rng.shuffle(fields)
            return ast.RecordType(tuple(fields), span=NOWHERE)
        assert not isinstance(schema.value, (tuple, RecordValue))
        return ast.LiteralType(ast.LiteralExpression(schema.value, span=NOWHERE), span=NOWHERE)

    # -------------------------------------------------------------------------------- expressions

    def expression(self, names: Names, expression: Expression) -> ast.Expression:
        match expression:
            case Literal(value):
                return self._value(value)
            case Variable(index):
                return variable(names[index])
            case ListExpression(items):
                written = tuple(self.expression(names, item) for item in items)
                return ast.ListExpression(written, span=NOWHERE)
            case RecordExpression(fields):
                # Of a key that occurs twice the later one wins; the surface refuses such records.
                last = dict(fields)
                return self._record((key, self.expression(names, item)) for key, item in last.items())
            case Project(subject, key):
                return ast.ProjectExpression(self.expression(names, subject), name(key), span=NOWHERE)
            case Check(_, subject):
                return self.expression(names, subject)
            case Not(subject):
                return self._not(names, subject)
            case Binary():
                return self._binary(names, expression)
        raise TypeError(expression)

    def _value(self, value: Value) -> ast.Expression:
        if isinstance(value, tuple):
            return ast.ListExpression(tuple(map(self._value, value)), span=NOWHERE)
        if isinstance(value, RecordValue):
            return self._record((key, self._value(item)) for key, item in value.fields.items())
        if type(value) is int and value < 0:
            return unary(ast.UnaryOperator.NEGATE, ast.LiteralExpression(-value, span=NOWHERE))
        return ast.LiteralExpression(value, span=NOWHERE)

    def _record(self, fields: Iterable[tuple[str, ast.Expression]]) -> ast.RecordExpression:
        written = tuple(ast.FieldExpression(name(key), item, span=NOWHERE) for key, item in fields)
        return ast.RecordExpression(written, span=NOWHERE)

    def _not(self, names: Names, subject: Expression) -> ast.Expression:
        if isinstance(subject, Binary) and subject.operator in _SUGARED and chance(self.rng, 0.5):
            return self._operation_of(names, _SUGARED[subject.operator], subject)
        return unary(ast.UnaryOperator.NOT, self.expression(names, subject))

    def _binary(self, names: Names, binary: Binary) -> ast.Expression:
        if binary.operator in _SUGARED and chance(self.rng, 0.4):
            sugared = self._operation_of(names, _SUGARED[binary.operator], binary)
            return unary(ast.UnaryOperator.NOT, sugared)
        return self._operation_of(names, binary.operator, binary)

    def _operation_of(
        self, names: Names, operator: BinaryOperator | ast.SugaredOperator, binary: Binary
    ) -> ast.BinaryExpression:
        left, right = self.expression(names, binary.left), self.expression(names, binary.right)
        return ast.BinaryExpression(operator, left, right, span=NOWHERE)

    # -------------------------------------------------------------------------------- computations

    def _binder(self, names: Names, body: Any) -> str:
        """Return a name for the variable that is bound in `body`; a used outer one is not hidden."""
        visible = {names[index - 1] for index in free_variables(body) if index}
        choices = [candidate for candidate in _POOL if candidate not in visible]
        return self.rng.choice(choices) if choices and chance(self.rng, 0.6) else self._fresh("v").text

    def block(self, names: Names, computation: Computation) -> ast.Block:
        """Return a block with the value of a computation."""
        statements: list[ast.Statement] = []
        while isinstance(computation, Let) and performed(computation, self.operations) is None:
            bound, body = computation.bound, computation.body
            new = self._binder(names, body)
            statements.append(self._let(names, new, bound, body))
            names, computation = (new, *names), body
        last = self.computation(names, computation)
        tail = chance(self.rng, 0.5)
        statements.append(run(last) if tail else ast.ReturnStatement(last, span=NOWHERE))
        return ast.Block(tuple(statements), tail=tail, span=NOWHERE)

    def _let(self, names: Names, new: str, bound: Computation, body: Any) -> ast.Statement:
        computation = self.computation(names, bound)
        if 0 not in free_variables(body):
            # A `return` in a block whose value is discarded is refused, so blocks are bound.
            simple = isinstance(computation, (ast.PerformComputation, ast.CallComputation))
            return run(computation) if simple and chance(self.rng, 0.7) else let("_", computation)
        return let(new, computation)

    def computation(self, names: Names, computation: Computation) -> ast.Computation:
        if chance(self.rng, 0.04):
            return self._call(names, computation)
        match computation:
            case Return(expression):
                return self._return(names, expression)
            case Let():
                operation = performed(computation, self.operations)
                if operation is None:
                    return ast.BlockComputation(self.block(names, computation), span=NOWHERE)
                return self._perform(names, operation, computation)
            case Handle():
                return self._handle(names, computation)
            case If(condition, then, otherwise):
                return ast.IfComputation(
                    self.expression(names, condition),
                    self.block(names, then),
                    self.block(names, otherwise),
                    span=NOWHERE,
                )
        raise TypeError(computation)

    def _return(self, names: Names, expression: Expression) -> ast.Computation:
        rng = self.rng
        written = self.expression(names, expression)
        if isinstance(written, ast.ListExpression) and chance(rng, 0.3):
            body = only(pure(variable("item")))
            return ast.ForComputation(name("item"), written, body, span=NOWHERE)
        if chance(rng, 0.05):
            # No round, or rounds that keep the state.
            count, condition = rng.choice(((0, None), (2, None), (3, False)))
            never = None if condition is None else ast.LiteralExpression(condition, span=NOWHERE)
            body = only(pure(variable("state")))
            return ast.RepeatComputation(count, NOWHERE, name("state"), written, never, body, span=NOWHERE)
        return pure(written)

    def _perform(self, names: Names, operation: Operation, checked: Let) -> ast.Computation:
        assert isinstance(checked.bound, Perform)
        operation_name = qualified(operation.name)
        payload = self.expression(names, checked.bound.payload)
        fields = several_parameters(operation)
        if fields:
            keys = [field.key for field in fields]
            arguments = tuple(
                ast.ProjectExpression(variable("payload"), name(key), span=NOWHERE) for key in keys
            )
            perform = ast.PerformComputation(operation_name, arguments, span=NOWHERE)
            statements = (let("payload", pure(payload)), run(perform))
            return ast.BlockComputation(ast.Block(statements, tail=True, span=NOWHERE), span=NOWHERE)
        arguments = () if operation.payload is Atom.NULL else (payload,)
        return ast.PerformComputation(operation_name, arguments, span=NOWHERE)

    def _call(self, names: Names, computation: Computation) -> ast.Computation:
        """Return a call of a new `def` or task with the variables that the computation uses."""
        used = sorted({names[index] for index in free_variables(computation)})
        callee, block = self._fresh("f"), self.block(names, computation)
        arguments = tuple(variable(text) for text in used)
        if chance(self.rng, 0.5):
            parameters = tuple(self._parameter(text, self._any()) for text in used)
            made: ast.Declaration = ast.TaskDeclaration(
                callee, parameters, self._any(), None, block, span=NOWHERE
            )
        else:
            parameters = tuple(self._parameter(text, None) for text in used)
            made = ast.DefDeclaration(callee, parameters, None, None, block, span=NOWHERE)
        self.declarations.append(made)
        return ast.CallComputation(callee, arguments, span=NOWHERE)

    # -------------------------------------------------------------------------------- handlers

    def _handle(self, names: Names, handle: Handle) -> ast.HandleComputation:
        clauses: list[Any] = [self._clause(names, clause) for clause in handle.clauses]
        returning = handle.return_clause
        identity = isinstance(returning, Return) and is_variable(returning.expression, 0)
        if not identity or chance(self.rng, 0.2):
            new = self._binder(names, returning)
            clauses.append(ast.ReturnClause(name(new), self.block((new, *names), returning), span=NOWHERE))
        self.rng.shuffle(clauses)
        block: ast.HandlerBlock | ast.HandlerReference = ast.HandlerBlock(tuple(clauses), span=NOWHERE)
        if chance(self.rng, 0.2):
            block = self._named(names, handle, block)
        completion = self._any() if chance(self.rng, 0.1) else None
        return ast.HandleComputation(self.block(names, handle.body), block, completion, span=NOWHERE)

    def _named(self, names: Names, handle: Handle, block: ast.HandlerBlock) -> ast.HandlerReference:
        used: set[int] = set().union(*map(free_variables, handle.clauses))
        used |= {index - 1 for index in free_variables(handle.return_clause) if index}
        texts = sorted({names[index] for index in used})
        declared = self._fresh("h")
        parameters = tuple(self._parameter(text, None) for text in texts)
        self.declarations.append(ast.HandlerDeclaration(declared, parameters, block, span=NOWHERE))
        return ast.HandlerReference(declared, tuple(map(variable, texts)), span=NOWHERE)

    def _clause(self, names: Names, clause: Clause) -> ast.ClauseDeclaration:
        operation = self.operations[clause.operation]
        implicit = clause.operation in self.implicit or (
            only_resumes(clause.body) and chance(self.rng, 0.3)
        )
        new = self._binder(names, clause.body)
        inner = (new, *names)
        statements = list(self._statements(inner, clause.body, implicit))
        parameters: tuple[str, ...] = (new,)
        fields = several_parameters(operation)
        if fields:
            parameters = tuple(self._fresh("p").text for _ in fields)
            pairs = zip(fields, parameters, strict=True)
            payload = self._record((field.key, variable(text)) for field, text in pairs)
            statements.insert(0, let(new, pure(payload)))
        elif operation.payload is Atom.NULL:
            parameters = ()
            statements.insert(0, let(new, pure(ast.LiteralExpression(None, span=NOWHERE))))
        tail = isinstance(statements[-1], ast.RunStatement)
        return ast.ClauseDeclaration(
            ast.ClauseKind.FUN if implicit else ast.ClauseKind.CTL,
            qualified(clause.operation),
            tuple(map(name, parameters)),
            ast.Block(tuple(statements), tail=tail, span=NOWHERE),
            span=NOWHERE,
        )

    def _body_block(self, names: Names, body: Body) -> ast.Block:
        statements = tuple(self._statements(names, body, implicit=False))
        return ast.Block(statements, tail=isinstance(statements[-1], ast.RunStatement), span=NOWHERE)

    def _statements(self, names: Names, body: Body, implicit: bool) -> Iterator[ast.Statement]:
        """Yield the statements of a clause body; a last one without `return` is a tail."""
        while isinstance(body, BodyLet):
            new = self._binder(names, body.body)
            yield self._let(names, new, body.bound, body.body)
            names, body = (new, *names), body.body
        match body:
            case Answer(expression):
                yield ast.AnswerStatement(self.expression(names, expression), span=NOWHERE)
            case Abort(expression):
                yield ast.AbortStatement(self.expression(names, expression), span=NOWHERE)
            case BodyIf(condition, then, otherwise):
                yield from self._branches(names, condition, then, otherwise)
            case Resume(expression, rest):
                written = self.expression(names, expression)
                if implicit:
                    yield ast.ReturnStatement(pure(written), span=NOWHERE)
                else:
                    yield from self._resume(names, written, rest)

    def _branches(
        self, names: Names, condition: Expression, then: Body, otherwise: Body
    ) -> Iterator[ast.Statement]:
        written, first = self.expression(names, condition), self._body_block(names, then)
        if exits(then) and chance(self.rng, 0.6):  # the rest goes into the `else`
            yield run(ast.IfComputation(written, first, None, span=NOWHERE))
            yield from self._statements(names, otherwise, implicit=False)
        else:
            second = self._body_block(names, otherwise)
            yield run(ast.IfComputation(written, first, second, span=NOWHERE))

    def _resume(self, names: Names, value: ast.Expression, rest: Computation) -> Iterator[ast.Statement]:
        resume = ast.ResumeComputation(value, span=NOWHERE)
        if isinstance(rest, Return) and is_variable(rest.expression, 0) and chance(self.rng, 0.7):
            yield run(resume) if chance(self.rng, 0.5) else ast.ReturnStatement(resume, span=NOWHERE)
            return
        new = self._binder(names, rest)
        yield let(new if 0 in free_variables(rest) else "_", resume)
        yield from self.block((new, *names), rest).statements
