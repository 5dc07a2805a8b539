"""An oracle: the machine of SPEC §8 once more, one frame at a time and as plainly as possible.

It is a transcription of the formal machine (rules `step`, `pop`, `popDone`, `openF`, `close`) and is slow
on purpose: continuations are tuples that are copied, and `opens` walks them. It shares no code with the
project's machine but the types of terms and records, so that their records can be compared one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, Union

import attrs

from eclogue.core.errors import (
    SCHEMA,
    TYPE,
    UNBOUND,
    AnswerRefused,
    FailureReason,
    missing_key,
)
from eclogue.core.outcomes import Completed, Failed, HostAnswer, Outcome, Suspended
from eclogue.core.schema import Atom, ListSchema, LiteralSchema, Schema
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
    Perform,
    Program,
    Project,
    RecordExpression,
    Resume,
    Return,
    Variable,
)
from eclogue.core.trace import (
    Closing,
    CompletedWith,
    Completion,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)
from eclogue.core.values import RecordValue, Value, record

Environment: TypeAlias = tuple[Value, ...]

# ------------------------------------------------------------------------------------------------
# Values, schemas, expressions


def same(left: Value, right: Value) -> bool:
    """Return whether two values are equal, by plain recursion (`value.equal`)."""
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, RecordValue) and isinstance(right, RecordValue):
        return set(left.fields) == set(right.fields) and all(
            same(item, right.fields[key]) for key, item in left.fields.items()
        )
    return left == right


def accepts(schema: Schema, value: Value) -> bool:
    """Return whether a schema accepts a value, by plain recursion (`schema.conforms`)."""
    if isinstance(schema, Atom):
        wanted = {Atom.NULL: type(None), Atom.BOOL: bool, Atom.INT: int, Atom.TEXT: str}.get(schema)
        return wanted is None or type(value) is wanted
    if isinstance(schema, LiteralSchema):
        return same(schema.value, value)
    if isinstance(schema, ListSchema):
        return isinstance(value, tuple) and all(accepts(schema.item, item) for item in value)
    if not isinstance(value, RecordValue):
        return False
    declared = {field.key: field for field in schema.fields}
    return set(value.fields) <= set(declared) and all(
        accepts(field.schema, value.fields[key]) if key in value.fields else not field.required
        for key, field in declared.items()
    )


class _Fails(Exception):
    def __init__(self, reason: FailureReason) -> None:
        self.reason = reason


def evaluate(env: Environment, expression: Expression) -> Value:
    match expression:
        case Literal(value):
            return value
        case Variable(index):
            if index >= len(env):
                raise _Fails(UNBOUND)
            return env[index]
        case ListExpression(items):
            return tuple(evaluate(env, item) for item in items)
        case RecordExpression(fields):
            return record([(key, evaluate(env, item)) for key, item in fields])
        case Project(subject, key):
            value = evaluate(env, subject)
            if not isinstance(value, RecordValue):
                raise _Fails(TYPE)
            if key not in value.fields:
                raise _Fails(missing_key(key))
            return value.fields[key]
        case Not(subject):
            return not _boolean(evaluate(env, subject))
        case Check(schema, subject):
            value = evaluate(env, subject)
            if not accepts(schema, value):
                raise _Fails(SCHEMA)
            return value
        case Binary(operator, left, right):
            first = evaluate(env, left)
            return _binary(operator, first, evaluate(env, right))
    raise TypeError(expression)


def _binary(operator: BinaryOperator, left: Value, right: Value) -> Value:
    match operator:
        case BinaryOperator.EQ:
            return same(left, right)
        case BinaryOperator.NE:
            return not same(left, right)
        case BinaryOperator.AND | BinaryOperator.OR:
            first, second = _boolean(left), _boolean(right)
            return (first and second) if operator is BinaryOperator.AND else (first or second)
        case BinaryOperator.CONCAT:
            if isinstance(left, str) and isinstance(right, str):
                return left + right
            if isinstance(left, tuple) and isinstance(right, tuple):
                return left + right
            raise _Fails(TYPE)
    if type(left) is not int or type(right) is not int:
        raise _Fails(TYPE)
    match operator:
        case BinaryOperator.LT:
            return left < right
        case BinaryOperator.LE:
            return left <= right
        case BinaryOperator.ADD:
            return left + right
        case BinaryOperator.SUB:
            return left - right
        case BinaryOperator.MUL:
            return left * right
    raise TypeError(operator)


def _boolean(value: Value) -> bool:
    if not isinstance(value, bool):
        raise _Fails(TYPE)
    return value


# ------------------------------------------------------------------------------------------------
# Frames and controls


@attrs.frozen(eq=False)
class Bind:
    env: Environment
    rest: Computation


@attrs.frozen(eq=False)
class Handler:
    env: Environment
    return_clause: Computation
    clauses: tuple[Clause, ...]

    def clause(self, operation: str) -> Clause | None:
        return next((clause for clause in self.clauses if clause.operation == operation), None)


@attrs.frozen(eq=False)
class BodyBind:
    env: Environment
    selection: int
    captured: Stack
    rest: Body


@attrs.frozen(eq=False)
class Returning:
    """The frame `resume_return`."""

    env: Environment
    selection: int
    rest: Computation


@attrs.frozen(eq=False)
class Complete:
    selection: int


Frame: TypeAlias = Union[Bind, Handler, BodyBind, Returning, Complete]
Stack: TypeAlias = tuple[Frame, ...]


def opens(stack: Stack) -> list[int]:
    """Return the open selections of a continuation in closing order."""
    found: list[int] = []
    for frame in stack:
        if isinstance(frame, BodyBind):
            found += [frame.selection, *opens(frame.captured)]
        elif isinstance(frame, (Returning, Complete)):
            found.append(frame.selection)
    return found


@attrs.frozen(eq=False)
class Run:
    env: Environment
    computation: Computation


@attrs.frozen(eq=False)
class RunBody:
    env: Environment
    selection: int
    captured: Stack
    body: Body


@attrs.frozen(eq=False)
class Done:
    value: Value


@attrs.frozen(eq=False)
class Raised:
    declaration: int
    operation: str
    payload: Value
    captured: Stack


@attrs.frozen(eq=False)
class Failing:
    reason: FailureReason
    record: int


Control: TypeAlias = Union[Run, RunBody, Done, Raised, Failing]


class NaiveMachine:
    """A run of a program: its `records` so far, and what the statistics want to know beside them."""

    def __init__(self, program: Program) -> None:
        self.records: list[Record] = []
        self.control: Control = Run((), program.body)
        self.stack: Stack = ()
        self.return_clauses_after_resume = 0
        self.failed_in_body = False
        self.most_handlers = 0
        self._to_the_end()

    @property
    def outcome(self) -> Outcome:
        match self.control:
            case Done(value):
                return Completed(value)
            case Raised(_, operation, payload, _):
                return Suspended(operation, payload)
            case Failing(reason, _):
                return Failed(reason)
        raise AssertionError(self.control)

    def answer(self, given: HostAnswer) -> None:
        """Go on with a host's answer (`host.observe`)."""
        waiting = self.control
        if not isinstance(waiting, Raised) or given.operation not in (None, waiting.operation):
            raise AnswerRefused("no suspension that this answers")
        self._push(HostObservation(waiting.declaration, given.value))
        self.control, self.stack = Done(given.value), waiting.captured
        self._to_the_end()

    def _to_the_end(self) -> None:
        while True:
            try:
                final = self._step()
            except _Fails as failure:
                self._fail(failure.reason)
                continue
            if final:
                return

    def _push(self, entry: Record) -> int:
        self.records.append(entry)
        return len(self.records) - 1

    def _close(self, why: Closing, selections: list[int], cause: int) -> None:
        for selection in selections:
            self._push(SelectionClosed(why, selection, cause))

    def _fail(self, reason: FailureReason) -> None:
        """Fail, since the expression of the running computation or body did."""
        failed = self.control
        number = self._push(Failure(reason))
        self.failed_in_body = isinstance(failed, RunBody) or any(
            isinstance(frame, (BodyBind, Complete)) for frame in self.stack
        )
        if isinstance(failed, RunBody):
            self._close(Closing.FAILED, [failed.selection, *opens(failed.captured)], number)
        self.control = Failing(reason, number)

    def _step(self) -> bool:
        """Make one step; return whether the run is final."""
        match self.control:
            case Run(env, computation):
                self._run(env, computation)
                return False
            case RunBody(env, selection, captured, body):
                self._run_body(env, selection, captured, body)
                return False
        if not self.stack:
            if isinstance(self.control, Done):
                self._push(RunEnd(CompletedWith(self.control.value)))
            elif isinstance(self.control, Failing):
                self._push(RunEnd(self.control.reason))
            return True
        frame, self.stack = self.stack[0], self.stack[1:]
        match self.control:
            case Done(value):
                self._return_to(frame, value)
            case Raised() as raised:
                self._raise_at(frame, raised)
            case Failing(_, number):
                self._close(Closing.FAILED, opens((frame,)), number)
        return False

    def _run(self, env: Environment, computation: Computation) -> None:
        match computation:
            case Return(expression):
                self.control = Done(evaluate(env, expression))
            case Let(bound, body):
                self.stack = (Bind(env, body), *self.stack)
                self.control = Run(env, bound)
            case Perform(operation, payload):
                value = evaluate(env, payload)
                declaration = self._push(EffectDeclaration(operation, value))
                around = sum(isinstance(frame, Handler) for frame in self.stack)
                self.most_handlers = max(self.most_handlers, around)
                self.control = Raised(declaration, operation, value, ())
            case Handle(body, return_clause, clauses):
                self.stack = (Handler(env, return_clause, clauses), *self.stack)
                self.control = Run(env, body)
            case If(condition, then, otherwise):
                chosen = then if _boolean(evaluate(env, condition)) else otherwise
                self.control = Run(env, chosen)

    def _run_body(self, env: Environment, selection: int, captured: Stack, body: Body) -> None:
        match body:
            case BodyLet(bound, rest):
                self.stack = (BodyBind(env, selection, captured, rest), *self.stack)
                self.control = Run(env, bound)
            case BodyIf(condition, then, otherwise):
                chosen = then if _boolean(evaluate(env, condition)) else otherwise
                self.control = RunBody(env, selection, captured, chosen)
            case Answer(expression):
                self._drop(Completion.ANSWER, selection, evaluate(env, expression), captured)
            case Abort(expression):
                self._drop(Completion.ABORT, selection, evaluate(env, expression), captured)
            case Resume(expression, rest):
                value = evaluate(env, expression)
                self._push(ContinuationResume(selection, value))
                self.stack = (*captured, Returning(env, selection, rest), *self.stack)
                self.control = Done(value)

    def _drop(self, how: Completion, selection: int, value: Value, captured: Stack) -> None:
        cause = self._push(EffectCapture(how, selection, value))
        self._close(Closing.DROPPED, opens(captured), cause)
        self.control = Done(value)

    def _return_to(self, frame: Frame, value: Value) -> None:
        match frame:
            case Bind(env, rest):
                self.control = Run((value, *env), rest)
            case Handler(env, return_clause, _):
                if self.stack and isinstance(self.stack[0], Returning):
                    self.return_clauses_after_resume += 1
                self.control = Run((value, *env), return_clause)
            case BodyBind(env, selection, captured, rest):
                self.control = RunBody((value, *env), selection, captured, rest)
            case Returning(env, selection, rest):
                self._push(ResumeReturn(selection, value))
                self.stack = (Complete(selection), *self.stack)
                self.control = Run((value, *env), rest)
            case Complete(selection):
                self._push(EffectCapture(Completion.RETURN, selection, value))

    def _raise_at(self, frame: Frame, raised: Raised) -> None:
        captured = (*raised.captured, frame)
        clause = frame.clause(raised.operation) if isinstance(frame, Handler) else None
        if clause is None or not isinstance(frame, Handler):
            self.control = attrs.evolve(raised, captured=captured)
            return
        selection = self._push(HandlerSelection(raised.declaration, len(opens(captured))))
        self._push(ResumptionHandle(selection))
        self.control = RunBody((raised.payload, *frame.env), selection, captured, clause.body)


def naive_run(program: Program, answers: Sequence[HostAnswer] = ()) -> NaiveMachine:
    """Run a program on host answers; raises `AnswerRefused` if one fits no suspension."""
    machine = NaiveMachine(program)
    for given in answers:
        machine.answer(given)
    return machine
