"""From a trace that the lifecycle rules accept to a program that leaves it, or why there is none.

The program is straight-line code: above each open selection, and beneath the last, stands a *region*, a
list of computations that run one after the other. A selection that captures so many entries wraps what the
region beneath them is at in a handler of its own; the rest of that region goes on beneath. For that,
operations must have different names: two of one name may need handlers that exclude each other (SPEC §13,
limits).
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from eclogue.core.errors import FailureKind, FailureReason
from eclogue.core.outcomes import HostAnswer
from eclogue.core.schema import Atom
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyLet,
    Check,
    Clause,
    Computation,
    Expression,
    Handle,
    Let,
    Literal,
    Not,
    Operation,
    Perform,
    Program,
    Project,
    RecordExpression,
    Resume,
    Return,
    Tier,
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

NULL = Literal(None)


class NotProducible(Exception):
    """No program leaves such a trace; the text is the class (SPEC §13, limits)."""


@attrs.define(eq=False)
class Region:
    """Computations one after the other, and the expression that the last one returns."""

    items: list[Perform | Handled] = attrs.field(factory=list)
    result: Expression = NULL


@attrs.define(eq=False)
class Clausal(Region):
    """A region that is a clause body: how it completes, and what follows its resume."""

    how: type[Answer] | type[Abort] | type[Resume] = Answer
    rest: Region = attrs.field(factory=Region)


@attrs.define(eq=False)
class Handled:
    """A region under a handler with one clause."""

    inner: Region
    operation: str
    clause: Clausal


@attrs.define(eq=False)
class Open:
    """An open selection; before its resume with the regions and the selections that it captured."""

    clause: Clausal
    regions: list[Region] | None
    held: list[Open]

    def entries(self) -> int:
        """How many open selections it stands for: itself, and all that it captured."""
        return 1 + sum(each.entries() for each in self.held)


class _Builder:
    """The stack while a trace is read: `regions[i]` runs above `opened[i]`, the last one above nothing."""

    def __init__(self) -> None:
        self.main = Region()
        self.regions: list[Region] = [self.main]
        self.opened: list[Open] = []
        self.answers: list[HostAnswer] = []
        self.operation = ""

    def read(self, record: Record) -> None:
        here = self.regions[0]
        match record:
            case EffectDeclaration(operation, payload):
                self.operation = operation
                here.items.append(Perform(operation, Check(Atom.ANY, Literal(payload))))
            case HandlerSelection(_, captured):
                self._select(captured)
            case HostObservation(_, value):
                self.answers.append(HostAnswer(value, self.operation))
            case ContinuationResume(_, value):
                selection = self.opened[0]
                assert selection.regions is not None
                selection.clause.how, selection.clause.result = Resume, Literal(value)
                self.regions[:1] = selection.regions
                self.opened[:1] = [*selection.held, Open(selection.clause, None, [])]
            case ResumeReturn(_, value):
                here.result = Literal(value)
                self.regions[0] = self.opened[0].clause.rest
            case EffectCapture(how, _, value):
                here.result = Literal(value)
                if isinstance(here, Clausal):
                    here.how = Abort if how is Completion.ABORT else Answer
                del self.regions[0], self.opened[0]
            case Failure(reason):
                here.result = failing(reason)
            case RunEnd(CompletedWith(value)):
                here.result = Literal(value)
            case ResumptionHandle() | SelectionClosed() | RunEnd():
                pass  # these follow from what came before

    def _select(self, captured: int) -> None:
        """Wrap what the region beneath the captured selections is at."""
        depth = 0
        while captured > 0:
            captured -= self.opened[depth].entries()
            depth += 1
        if captured < 0:
            raise NotProducible("a continuation that was captured is captured in part")
        around = self.regions[depth]
        inner, clause = Region([around.items.pop()]), Clausal()
        around.items.append(Handled(inner, self.operation, clause))
        selection = Open(clause, [*self.regions[:depth], inner], self.opened[:depth])
        self.regions[:depth] = [clause]
        self.opened[:depth] = [selection]


def program_for(records: Sequence[Record]) -> tuple[Program, list[HostAnswer]]:
    """Return a program and host answers whose run leaves exactly this trace, which has ended or waits.

    Raises `NotProducible` with the class of a trace that is no program's.
    """
    builder = _Builder()
    for record in records:
        builder.read(record)
    names = sorted({record.operation for record in records if isinstance(record, EffectDeclaration)})
    operations = tuple(Operation(name, Atom.ANY, Atom.ANY, Tier.REVERSIBLE) for name in names)
    return Program(operations, computation(builder.main)), builder.answers


def failing(reason: FailureReason) -> Expression:
    """Return a closed expression that fails so."""
    match reason.kind:
        case FailureKind.TYPE:
            return Not(NULL)
        case FailureKind.SCHEMA:
            return Check(Atom.INT, NULL)
        case FailureKind.KEY:
            assert reason.key is not None
            return Project(RecordExpression(()), reason.key)
        case FailureKind.UNBOUND:
            raise NotProducible("a failure of kind unbound")


def computation(region: Region) -> Computation:
    """Return the computation of a region."""
    made: Computation = Return(region.result)
    for item in reversed(region.items):
        made = Let(_item(item), made)
    return made


def body(region: Clausal) -> Body:
    """Return the clause body of a region."""
    made: Body
    if region.how is Resume:
        made = Resume(region.result, computation(region.rest))
    else:
        made = Abort(region.result) if region.how is Abort else Answer(region.result)
    for item in reversed(region.items):
        made = BodyLet(_item(item), made)
    return made


def _item(item: Perform | Handled) -> Computation:
    if isinstance(item, Perform):
        return Let(item, Return(Check(Atom.ANY, Variable(0))))
    clause = Clause(item.operation, body(item.clause))
    return Handle(computation(item.inner), Return(Variable(0)), (clause,))


# ------------------------------------------------------------------------------------------------
# Traces to build from


def successors(number: int, mode: tuple[object, ...], opened: Sequence[tuple[int, object]]) -> list[Record]:
    """Return the records, values aside, that may come in a state of the automaton (`plain_lifecycle`).

    An operation is called by the number of its declaration; failures are `schema` or `unbound`,
    and the end of a failed run has the reason that it failed for, among others.
    """
    head = opened[0][0] if opened else -1
    cause = mode[1] if len(mode) > 1 else -1
    assert isinstance(cause, int)
    reasons = [FailureReason(kind) for kind in (FailureKind.SCHEMA, FailureKind.UNBOUND)]
    ends = [*reasons, *(each for each in mode if isinstance(each, FailureReason) and each not in reasons)]
    return [
        EffectDeclaration(f"o.n{number}", number),
        *(HandlerSelection(cause, captured) for captured in range(len(opened) + 1)),
        ResumptionHandle(cause),
        ContinuationResume(head, number),
        ResumeReturn(head, number),
        *(EffectCapture(how, head, number) for how in Completion),
        *(SelectionClosed(why, head, cause) for why in Closing),
        HostObservation(cause, number),
        *(Failure(reason) for reason in reasons),
        RunEnd(CompletedWith(number)),
        *(RunEnd(reason) for reason in ends),
    ]
