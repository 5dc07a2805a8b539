"""Short names for terms, and traces as text, for the tests of the machine."""

from __future__ import annotations

from typing import Any

from eclogue.core.canonical import text_of
from eclogue.core.run import Run
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    BinaryOperator,
    Body,
    BodyLet,
    Clause,
    Computation,
    Expression,
    Handle,
    Let,
    ListExpression,
    Literal,
    Perform,
    Program,
    Resume,
    Return,
    Variable,
)
from eclogue.core.trace import (
    CompletedWith,
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
from eclogue.core.values import from_python


def expr(e: Any) -> Expression:
    """Return an expression as it is, a list as a list expression, other Python data as a literal."""
    if isinstance(e, list):
        return ListExpression(tuple(expr(item) for item in e))
    if e is None or isinstance(e, (bool, int, str, tuple, dict)):
        return Literal(from_python(e))
    return e  # type: ignore[no-any-return]


def var(index: int) -> Variable:
    return Variable(index)


def op(left: Any, operator: str, right: Any) -> Binary:
    return Binary(BinaryOperator(operator), expr(left), expr(right))


def ret(e: Any) -> Return:
    return Return(expr(e))


def let(bound: Computation, *rest: Computation) -> Computation:
    """Return the computations in sequence, the value of each bound in all that follow."""
    return Let(bound, let(*rest)) if rest else bound


def perform(operation: str, e: Any = None) -> Perform:
    return Perform(operation, expr(e))


def handle(body: Computation, /, *, returning: Computation | None = None, **clauses: Body) -> Handle:
    made = tuple(Clause(operation, clause) for operation, clause in clauses.items())
    return Handle(body, returning or ret(var(0)), made)


def body(bound: Computation, *rest: Any) -> Any:
    """Return a clause body: computations, each bound in all that follows, then how it ends."""
    return BodyLet(bound, body(*rest)) if rest else bound


def answer(e: Any) -> Answer:
    return Answer(expr(e))


def abort(e: Any) -> Abort:
    return Abort(expr(e))


def resume_with(e: Any, *rest: Computation) -> Resume:
    """Return the body that resumes; without more it returns what comes back."""
    return Resume(expr(e), let(*rest) if rest else ret(var(0)))


def program(computation: Computation) -> Program:
    return Program((), computation)


def shown(run: Run) -> list[str]:
    """Return a run's trace, a line for each record: its number and what it says."""
    return [f"{number} {words(record)}" for number, record, _ in run.records()]


def lines(text: str) -> list[str]:
    """Return the lines of an expected trace."""
    return [line.strip() for line in text.strip().splitlines()]


def words(record: Record) -> str:
    """Return all that a record says, on one line."""
    match record:
        case EffectDeclaration(operation, payload):
            return f"declare {operation} {text_of(payload)}"
        case HandlerSelection(declaration, captured):
            return f"select for {declaration} capturing {captured}"
        case ResumptionHandle(selection):
            return f"resumption {selection}"
        case ContinuationResume(selection, value):
            return f"resume {selection} {text_of(value)}"
        case ResumeReturn(selection, value):
            return f"back {selection} {text_of(value)}"
        case EffectCapture(how, selection, value):
            return f"{how.value} {selection} {text_of(value)}"
        case SelectionClosed(why, selection, cause):
            return f"close {selection} {why.value} by {cause}"
        case HostObservation(declaration, value):
            return f"observe {declaration} {text_of(value)}"
        case Failure(reason):
            return f"failure {reason}"
        case RunEnd(CompletedWith(value)):
            return f"end {text_of(value)}"
        case RunEnd(reason):
            return f"end failed {reason}"
    raise TypeError(record)
