"""What a surface program does, told without the core: an interpreter over the surface tree.

Handled computations are Python generators that yield the operations they perform; a resumption is the rest
of such a generator. It recurses in Python and is for small programs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any

import attrs

from eclogue.core.errors import SCHEMA, TYPE, FailureReason, missing_key
from eclogue.core.outcomes import Completed, Failed
from eclogue.core.schema import Atom, Schema, conforms
from eclogue.core.syntax import BinaryOperator
from eclogue.core.values import RecordValue, Value, equal, record
from eclogue.lowering import ast
from eclogue.lowering.declarations import Declarations, OperationTypes

Requests = Generator[tuple[OperationTypes, Value], Value, Value]
Variables = Mapping[str, Value]


class Failure(Exception):
    """The program fails."""

    def __init__(self, reason: FailureReason) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Completion(Exception):
    """A clause completes by `answer` or `abort`."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


@attrs.frozen(eq=False)
class Told:
    """What a program did."""

    outcome: Completed | Failed
    performed: tuple[tuple[str, Value], ...]
    answers: tuple[Value, ...]


class Interpreter:
    """Runs tasks of a file; `answer` stands in for the host."""

    def __init__(self, declarations: Declarations, answer: Callable[[OperationTypes], Value]) -> None:
        self.declarations = declarations
        self.schema = declarations.types.schema
        self.answer = answer
        self.performed: list[tuple[str, Value]] = []
        self.answers: list[Value] = []

    def run(self, task: str) -> Told:
        declaration = self.declarations.callables[task]
        computation = self.call(declaration, ())
        outcome: Completed | Failed
        try:
            request = next(computation)
            while True:
                value = self.answer(request[0])
                self.answers.append(value)
                request = computation.send(value)
        except StopIteration as stop:
            outcome = Completed(stop.value)
        except Failure as failure:
            outcome = Failed(failure.reason)
        return Told(outcome, tuple(self.performed), tuple(self.answers))

    def checked(self, schema: Schema, value: Value) -> Value:
        if not conforms(schema, value):
            raise Failure(SCHEMA)
        return value

    # -------------------------------------------------------------------------------- expressions

    def value(self, node: ast.Expression, variables: Variables) -> Value:
        match node:
            case ast.LiteralExpression(value):
                return value
            case ast.VariableExpression(name):
                return variables[name.text]
            case ast.ListExpression(items):
                return tuple(self.value(item, variables) for item in items)
            case ast.RecordExpression(fields):
                return record((field.key.text, self.value(field.value, variables)) for field in fields)
            case ast.ProjectExpression(subject, key):
                found = self.value(subject, variables)
                if not isinstance(found, RecordValue):
                    raise Failure(TYPE)
                if key.text not in found.fields:
                    raise Failure(missing_key(key.text))
                return found.fields[key.text]
            case ast.UnaryExpression(operator, operand):
                found = self.value(operand, variables)
                wanted = bool if operator is ast.UnaryOperator.NOT else int
                if type(found) is not wanted:
                    raise Failure(TYPE)
                return not found if operator is ast.UnaryOperator.NOT else -found  # type: ignore[operator]
            case ast.BinaryExpression(operator, left, right):
                return _binary(operator, self.value(left, variables), self.value(right, variables))
        raise TypeError(node)

    def truth(self, node: ast.Expression, variables: Variables) -> bool:
        found = self.value(node, variables)
        if not isinstance(found, bool):
            raise Failure(TYPE)
        return found

    # -------------------------------------------------------------------------------- computations

    def block(self, block: ast.Block, variables: Variables, resume: Any = None) -> Requests:
        variables = dict(variables)
        value: Value = None
        for position, statement in enumerate(block.statements):
            if isinstance(statement, (ast.AnswerStatement, ast.AbortStatement)):
                raise Completion(self.value(statement.value, variables))
            value = yield from self.computation(statement.computation, variables, resume)
            if isinstance(statement, ast.LetStatement):
                if statement.type is not None:
                    self.checked(self.schema(statement.type), value)
                variables[statement.name.text] = value
            last = position == len(block.statements) - 1
            if not isinstance(statement, ast.ReturnStatement) and not (last and block.tail):
                value = None
        return value

    def computation(self, node: ast.Computation, variables: Variables, resume: Any) -> Requests:
        match node:
            case ast.PureComputation(expression):
                return self.value(expression, variables)
            case ast.BlockComputation(block):
                return (yield from self.block(block, variables, resume))
            case ast.IfComputation(condition, then, otherwise):
                if self.truth(condition, variables):
                    return (yield from self.block(then, variables, resume))
                return None if otherwise is None else (yield from self.block(otherwise, variables, resume))
            case ast.ResumeComputation(value):
                return (yield from resume(self.value(value, variables)))
            case ast.PerformComputation(name, arguments):
                operation = self.declarations.operations[str(name)]
                given = [self.value(argument, variables) for argument in arguments]
                payload = self.checked(operation.payload, _payload(operation, given))
                self.performed.append((operation.name, payload))
                return self.checked(operation.result, (yield operation, payload))
            case ast.CallComputation(callee, arguments):
                target = self.declarations.callables[callee.text]
                return (
                    yield from self.call(target, self.arguments(target.parameters, arguments, variables))
                )
            case ast.RepeatComputation(count, _, variable, initial, condition, body):
                state = self.value(initial, variables)
                for _ in range(count):
                    inner = {**variables, variable.text: state}
                    if condition is not None and not self.truth(condition, inner):
                        break
                    state = yield from self.block(body, inner)
                return state
            case ast.ForComputation(variable, items, body):
                values: list[Value] = []
                for item in [self.value(item, variables) for item in items.items]:
                    value = yield from self.block(body, {**variables, variable.text: item})
                    values.append(value)
                return tuple(values)
            case ast.HandleComputation(body, handler, completion):
                inner = variables
                if isinstance(handler, ast.HandlerReference):
                    named = self.declarations.handlers[handler.name.text]
                    given = self.arguments(named.parameters, handler.arguments, variables)
                    inner = {
                        item.name.text: value for item, value in zip(named.parameters, given, strict=True)
                    }
                    handler = named.block
                schema = Atom.ANY if completion is None else self.schema(completion)
                around = _Handler(self, handler, inner, schema)
                return (yield from around.drive(self.block(body, variables), None))
        raise TypeError(node)

    def arguments(
        self,
        parameters: tuple[ast.Parameter, ...],
        arguments: tuple[ast.Expression, ...],
        variables: Variables,
    ) -> tuple[Value, ...]:
        pairs = zip(parameters, arguments, strict=True)
        return tuple(
            self.checked(self.schema(item.type), self.value(given, variables)) for item, given in pairs
        )

    def call(self, target: Any, arguments: tuple[Value, ...]) -> Requests:
        pairs = zip(target.parameters, arguments, strict=True)
        value = yield from self.block(target.body, {item.name.text: given for item, given in pairs})
        return self.checked(self.schema(target.result), value)


class _Handler:
    def __init__(
        self, interpreter: Interpreter, block: ast.HandlerBlock, variables: Variables, completion: Schema
    ) -> None:
        self.interpreter = interpreter
        self.variables = variables
        self.completion = completion
        self.clauses = {
            str(clause.operation): clause
            for clause in block.clauses
            if isinstance(clause, ast.ClauseDeclaration)
        }
        returning = [clause for clause in block.clauses if isinstance(clause, ast.ReturnClause)]
        self.returning = returning[0] if returning else None

    def drive(self, handled: Requests, value: Value) -> Requests:
        """Run the handled computation on from where it waits for a value."""
        while True:
            try:
                operation, payload = handled.send(value)
            except StopIteration as stop:
                return (yield from self.returned(stop.value))
            clause = self.clauses.get(operation.name)
            if clause is not None:
                done = yield from self.clause(clause, operation, payload, handled)
                return self.interpreter.checked(self.completion, done)
            value = yield operation, payload

    def returned(self, value: Value) -> Requests:
        if self.returning is None:
            return value
        inner = {**self.variables, self.returning.parameter.text: value}
        return (yield from self.interpreter.block(self.returning.body, inner))

    def clause(
        self, clause: ast.ClauseDeclaration, operation: OperationTypes, payload: Value, handled: Requests
    ) -> Requests:
        names = [name.text for name in clause.parameters]
        if len(names) == 1:
            own = {names[0]: payload}
        else:
            fields = payload.fields if isinstance(payload, RecordValue) else {}
            declared = (parameter.name.text for parameter in operation.declaration.parameters)
            own = {name: fields[key] for name, key in zip(names, declared, strict=True)}
        inner = {**self.variables, **own}

        def resume(value: Value) -> Requests:
            return (yield from self.drive(handled, value))

        if clause.kind is ast.ClauseKind.FUN:
            value = yield from self.interpreter.block(clause.body, inner)
            return (yield from resume(value))
        try:
            return (yield from self.interpreter.block(clause.body, inner, resume))
        except Completion as completion:
            return completion.value


def _payload(operation: OperationTypes, given: list[Value]) -> Value:
    if len(given) <= 1:
        return given[0] if given else None
    keys = (parameter.name.text for parameter in operation.declaration.parameters)
    return record(zip(keys, given, strict=True))


_INTS: dict[Any, Callable[[Any, Any], Value]] = {
    BinaryOperator.LT: lambda a, b: a < b,
    BinaryOperator.LE: lambda a, b: a <= b,
    ast.SugaredOperator.GT: lambda a, b: a > b,
    ast.SugaredOperator.GE: lambda a, b: a >= b,
    BinaryOperator.ADD: lambda a, b: a + b,
    BinaryOperator.SUB: lambda a, b: a - b,
    BinaryOperator.MUL: lambda a, b: a * b,
}


def _binary(operator: Any, left: Any, right: Any) -> Value:
    kinds = {type(left), type(right)}
    if operator is BinaryOperator.EQ:
        return equal(left, right)
    if operator is BinaryOperator.NE:
        return not equal(left, right)
    if operator in _INTS and kinds == {int}:
        return _INTS[operator](left, right)
    if operator is BinaryOperator.CONCAT and kinds in ({str}, {tuple}):
        return left + right  # type: ignore[no-any-return]
    if operator in (BinaryOperator.AND, BinaryOperator.OR) and kinds == {bool}:
        return (left and right) if operator is BinaryOperator.AND else (left or right)
    raise Failure(TYPE)
