"""Short names for terms, for the tests of the denotational reading; variables are de Bruijn indices."""

from __future__ import annotations

from eclogue.core.denote import Reading, read
from eclogue.core.errors import FailureReason
from eclogue.core.outcomes import Completed, Failed, HostAnswer
from eclogue.core.syntax import (
    Binary,
    BinaryOperator,
    Body,
    Clause,
    Computation,
    Expression,
    Handle,
    Let,
    Literal,
    Perform,
    Program,
    Resume,
    Return,
    Span,
    Variable,
)
from eclogue.core.values import Value


def lit(value: Value, span: Span | None = None) -> Literal:
    return Literal(value, span=span)


def var(index: int) -> Variable:
    return Variable(index)


def ret(value: Value) -> Return:
    return Return(Literal(value))


def binary(left: Expression, operator: str, right: Expression, span: Span | None = None) -> Binary:
    return Binary(BinaryOperator(operator), left, right, span=span)


def joined(*parts: Expression | str) -> Expression:
    """Concatenate some texts, associated to the left."""
    result: Expression = lit("")
    for part in parts:
        result = binary(result, "++", lit(part) if isinstance(part, str) else part)
    return result


def perform(operation: str, payload: Expression | None = None) -> Perform:
    return Perform(operation, lit(None) if payload is None else payload)


def lets(*computations: Computation) -> Computation:
    """Bind each computation but the last, one inside the other."""
    result = computations[-1]
    for bound in reversed(computations[:-1]):
        result = Let(bound, result)
    return result


def handle(body: Computation, *clauses: Clause, returning: Computation | None = None) -> Handle:
    """Handle with these clauses; the return clause is `return x` unless given."""
    return Handle(body, Return(var(0)) if returning is None else returning, clauses)


def clause(operation: str, body: Body) -> Clause:
    return Clause(operation, body)


def resuming(operation: str, value: Expression | None = None) -> Clause:
    """Make a clause that only resumes, with its payload unless a value is given."""
    return Clause(operation, Resume(var(0) if value is None else value, Return(var(0))))


def wrapping(operation: str) -> Clause:
    """Make a clause that resumes with its payload and returns `operation⟨payload⟩(result)`."""
    return Clause(operation, Resume(var(0), Return(joined(f"{operation}⟨", var(1), "⟩(", var(0), ")"))))


def program(body: Computation) -> Program:
    return Program((), body)


def run(body: Computation, *answers: HostAnswer | Value) -> Reading:
    """Read a computation as a program, with these answers of the host."""
    given = [answer if isinstance(answer, HostAnswer) else HostAnswer(answer) for answer in answers]
    return read(program(body), given)


def completed(value: Value, *performed: tuple[str, Value]) -> Reading:
    return Reading(Completed(value), performed)


def failed(reason: FailureReason, *performed: tuple[str, Value]) -> Reading:
    return Reading(Failed(reason), performed)
