"""Runs of all profiles and outcomes, small enough to put their certificates to Lean."""

from __future__ import annotations

import attrs

from eclogue.core.outcomes import HostAnswer
from eclogue.core.profiles import Profile
from eclogue.core.run import run
from eclogue.core.schema import Atom
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    BinaryOperator,
    BodyLet,
    Clause,
    Computation,
    Handle,
    Let,
    Literal,
    Operation,
    Perform,
    Program,
    Project,
    Resume,
    Return,
    Tier,
    Variable,
)
from eclogue.core.trace import Record
from eclogue.core.values import Value, record

OPERATIONS = tuple(Operation(name, Atom.ANY, Atom.ANY, Tier.REVERSIBLE) for name in ("a", "b"))
RETURN = Return(Variable(0))
RESUMING = Clause("a", Resume(Variable(0), RETURN))
ODD = 'é"\\\n\x01\x7f\u2028𝄞 sorry -/'


@attrs.frozen
class Certified:
    """A run with its answers and trace, and the smallest profile of the trace."""

    program: Program
    answers: tuple[HostAnswer, ...]
    records: tuple[Record, ...]
    profile: Profile


def certified(body: Computation, profile: Profile, *answers: Value) -> Certified:
    """Return the run of a computation that performs `a` and `b`."""
    program = Program(OPERATIONS, body)
    given = tuple(HostAnswer(value) for value in answers)
    records = tuple(item for _, item, _ in run(program, given).records())
    return Certified(program, given, records, profile)


def perform(operation: str, value: Value) -> Perform:
    """Return `perform operation(value)`."""
    return Perform(operation, Literal(value))


def handled(body: Computation, *clauses: Clause) -> Handle:
    """Return the computation under a handler that returns what it returns."""
    return Handle(body, RETURN, clauses)


SUM = Return(Binary(BinaryOperator.ADD, Variable(0), Variable(1)))
TWICE = Let(perform("a", 1), Let(perform("a", 2), SUM))
WAITING = Let(perform("a", record({"k": (None, True, -(2**70))})), Let(perform("b", ODD), SUM))
DROPPED = handled(
    handled(perform("a", 5), Clause("a", BodyLet(perform("b", 0), Resume(Variable(0), RETURN)))),
    Clause("b", Abort(Variable(0))),
)

RUNS: dict[str, Certified] = {
    "resumed": certified(handled(TWICE, RESUMING), Profile.CORE0H),
    "answered": certified(handled(TWICE, Clause("a", Answer(Literal(ODD)))), Profile.CORE0),
    "aborted": certified(DROPPED, Profile.CORE_A),
    "failed": certified(handled(Let(TWICE, Return(Project(Variable(0), "k"))), RESUMING), Profile.CORE0H),
    "key": certified(Return(Project(Literal(record({"": 1})), ODD)), Profile.CORE0H),
    "waits": certified(WAITING, Profile.CORE0H),
    "waits again": certified(WAITING, Profile.CORE0H, 3),
    "answers": certified(WAITING, Profile.CORE0H, 3, 4),
}
