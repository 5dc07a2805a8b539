"""The machine as Lean has it, step by step, to find the points at which a long run can be cut.

It counts records and makes none, and its word counts for nothing: Lean's kernel evaluates every stretch.
Frames, steps and the order of rules are those of `Eclogue/Core/Machine.lean`, one frame a step, because a
stretch is so many of *its* steps.
"""

from __future__ import annotations

from typing import TypeAlias, Union

import attrs

from eclogue.core.environment import EMPTY, Environment, extend
from eclogue.core.errors import TYPE, UNBOUND, FailureReason
from eclogue.core.evaluate import compiled
from eclogue.core.limits import Limits
from eclogue.core.operators import ExpressionFailed, operators
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyIf,
    BodyLet,
    Clause,
    Computation,
    Expression,
    Handle,
    If,
    Let,
    Perform,
    Return,
)
from eclogue.core.values import Value


@attrs.frozen(eq=False)
class Captured:
    """A captured continuation: its outermost frame, what is inside, how many selections it holds."""

    frame: Frame
    inside: Captured | None
    open: int


@attrs.frozen(eq=False)
class Bind:
    """`let x = □; rest`."""

    environment: Environment
    rest: Computation


@attrs.frozen(eq=False)
class Handler:
    """`handle □ with …`."""

    environment: Environment
    handle: Handle


@attrs.frozen(eq=False)
class BodyBind:
    """`let x = □; rest` in the clause body of a selection."""

    environment: Environment
    selection: int
    captured: Captured | None
    rest: Body


@attrs.frozen(eq=False)
class ResumeReturn:
    """`let x = resume □; rest`, its continuation running."""

    environment: Environment
    selection: int
    rest: Computation


@attrs.frozen(eq=False)
class Complete:
    """The clause of a selection, after its resume."""

    selection: int


Frame: TypeAlias = Union[Bind, Handler, BodyBind, ResumeReturn, Complete]


@attrs.frozen(eq=False)
class Stack:
    """The frames around what runs, the innermost first."""

    frame: Frame
    outside: Stack | None


@attrs.frozen(eq=False)
class Running:
    """Control: a computation runs."""

    environment: Environment
    computation: Computation


@attrs.frozen(eq=False)
class InBody:
    """Control: the clause body of a selection runs."""

    environment: Environment
    selection: int
    captured: Captured | None
    body: Body


@attrs.frozen(eq=False)
class Returned:
    """Control: the outcome `completed`."""

    value: Value


@attrs.frozen(eq=False)
class Raised:
    """Control: the outcome `suspended`, on its way outward."""

    declaration: int
    operation: str
    payload: Value
    captured: Captured | None


@attrs.frozen(eq=False)
class Failing:
    """Control: the outcome `failed`, and the number of its record."""

    reason: FailureReason
    number: int


Control: TypeAlias = Union[Running, InBody, Returned, Raised, Failing]


@attrs.frozen(eq=False)
class Point:
    """A state without its records: control, stack, and how many records there were."""

    control: Control
    stack: Stack | None
    next: int

    @property
    def final(self) -> bool:
        """Whether no step is possible."""
        return self.stack is None and not isinstance(self.control, (Running, InBody))


def start(computation: Computation) -> Point:
    """Return the point at which a closed program starts."""
    return Point(Running(EMPTY, computation), None, 0)


def answered(point: Point, value: Value) -> Point | None:
    """`host.observe`: return the point after the host's answer, or None if nothing waits for one."""
    control = point.control
    if point.stack is not None or not isinstance(control, Raised):
        return None
    return Point(Returned(value), _restored(control.captured, None), point.next + 1)


class Stepper:
    """Makes steps; each expression of the program is compiled once."""

    def __init__(self, limits: Limits) -> None:
        self._operators = operators(limits)
        self._functions: dict[Expression, object] = {}

    def step(self, point: Point) -> Point:
        """Return the next point; raises `LimitExceeded` if a value would become too large."""
        control, stack, number = point.control, point.stack, point.next
        if isinstance(control, Running):
            return self._run(control, stack, number)
        if isinstance(control, InBody):
            return self._body(control, stack, number)
        assert stack is not None, "the point is final"
        return _meet(control, stack.frame, stack.outside, number)

    def _run(self, control: Running, stack: Stack | None, number: int) -> Point:
        environment, computation = control.environment, control.computation
        match computation:
            case Let(bound, rest):
                return Point(Running(environment, bound), Stack(Bind(environment, rest), stack), number)
            case Handle(body):
                frame = Handler(environment, computation)
                return Point(Running(environment, body), Stack(frame, stack), number)
            case Return(expression) | Perform(_, expression) | If(expression):
                value = self._value(expression, environment, condition=isinstance(computation, If))
                if isinstance(value, FailureReason):
                    return Point(Failing(value, number), stack, number + 1)
                return _ran(computation, environment, value, stack, number)

    def _body(self, control: InBody, stack: Stack | None, number: int) -> Point:
        environment, selection, captured = control.environment, control.selection, control.captured
        body = control.body
        if isinstance(body, BodyLet):
            frame = BodyBind(environment, selection, captured, body.body)
            return Point(Running(environment, body.bound), Stack(frame, stack), number)
        expression = body.condition if isinstance(body, BodyIf) else body.expression
        value = self._value(expression, environment, condition=isinstance(body, BodyIf))
        held = _held(captured)
        if isinstance(value, FailureReason):
            return Point(Failing(value, number), stack, number + 2 + held)
        if isinstance(body, BodyIf):
            chosen = body.then if value is True else body.otherwise
            return Point(InBody(environment, selection, captured, chosen), stack, number)
        if isinstance(body, (Answer, Abort)):
            return Point(Returned(value), stack, number + 1 + held)
        around = Stack(ResumeReturn(environment, selection, body.body), stack)
        return Point(Returned(value), _restored(captured, around), number + 1)

    def _value(
        self, expression: Expression, environment: Environment, *, condition: bool
    ) -> Value | FailureReason:
        function = self._functions.get(expression)
        if function is None:
            function = self._functions[expression] = compiled(expression, self._operators)
        try:
            value: Value = function(environment)  # type: ignore[operator]
        except ExpressionFailed as failed:
            return failed.reason
        except IndexError:
            return UNBOUND
        return TYPE if condition and not isinstance(value, bool) else value


def _ran(
    computation: Computation, environment: Environment, value: Value, stack: Stack | None, number: int
) -> Point:
    match computation:
        case Perform(operation):
            return Point(Raised(number, operation, value, None), stack, number + 1)
        case If(_, then, otherwise):
            return Point(Running(environment, then if value is True else otherwise), stack, number)
    return Point(Returned(value), stack, number)


def _meet(control: Returned | Raised | Failing, frame: Frame, outside: Stack | None, number: int) -> Point:
    if isinstance(control, Returned):
        return _return_to(control.value, frame, outside, number)
    if isinstance(control, Failing):
        return Point(control, outside, number + _opened(frame))
    captured = Captured(frame, control.captured, _opened(frame) + _held(control.captured))
    clause = _clause(control.operation, frame)
    if clause is None or not isinstance(frame, Handler):
        raised = Raised(control.declaration, control.operation, control.payload, captured)
        return Point(raised, outside, number)
    environment = extend(frame.environment, control.payload)
    return Point(InBody(environment, number, captured, clause.body), outside, number + 2)


def _return_to(value: Value, frame: Frame, outside: Stack | None, number: int) -> Point:
    match frame:
        case Bind(environment, rest):
            return Point(Running(extend(environment, value), rest), outside, number)
        case Handler(environment, handle):
            return Point(Running(extend(environment, value), handle.return_clause), outside, number)
        case BodyBind(environment, selection, captured, body):
            return Point(InBody(extend(environment, value), selection, captured, body), outside, number)
        case ResumeReturn(environment, selection, rest):
            around = Stack(Complete(selection), outside)
            return Point(Running(extend(environment, value), rest), around, number + 1)
        case Complete():
            return Point(Returned(value), outside, number + 1)


def _clause(operation: str, frame: Frame) -> Clause | None:
    """Return the clause that a frame has for an operation: the first one, as everywhere."""
    clauses = frame.handle.clauses if isinstance(frame, Handler) else ()
    return next((clause for clause in clauses if clause.operation == operation), None)


def _held(captured: Captured | None) -> int:
    return 0 if captured is None else captured.open


def _opened(frame: Frame) -> int:
    """Return how many open selections a frame holds."""
    if isinstance(frame, BodyBind):
        return 1 + _held(frame.captured)
    return int(isinstance(frame, (ResumeReturn, Complete)))


def _restored(captured: Captured | None, stack: Stack | None) -> Stack | None:
    """Return the stack with the captured frames put back inside it."""
    while captured is not None:
        stack = Stack(captured.frame, stack)
        captured = captured.inside
    return stack


def frames(captured: Captured | None) -> list[Frame]:
    """Return the captured frames, the innermost first."""
    found = []
    while captured is not None:
        found.append(captured.frame)
        captured = captured.inside
    found.reverse()
    return found
