"""Replay: a trace against its program and the host's answers (rules `valid.replay`, `valid.readings`).

The program is run again, on the machine, and the trace must be that run's, record by record. The
denotational reading is asked too: it must give the same outcome and the same operations performed, or one
of the two readings is wrong and nothing can be said about the trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import attrs

from eclogue.core import denote
from eclogue.core import run as machine
from eclogue.core.errors import AnswerRefused
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import Completed, Exhausted, Failed, HostAnswer, Outcome, Suspended
from eclogue.core.run import Run
from eclogue.core.syntax import Program, Span
from eclogue.core.trace import HostObservation, Record
from eclogue.core.values import Value, equal
from eclogue.lowering.core_printer import print_value

Placed: TypeAlias = tuple[int, Record, Span | None]
"""A record's number, the record, and the span of the term that it came from."""


@attrs.frozen
class Divergence:
    """The first place where a trace is not the run's.

    `expected` is the run's record, None where the run has no further one; `found` is the trace's, None
    where the trace ends. `span` is that of the term that the expected record, or else the last one before
    it, came from.
    """

    number: int
    expected: Record | None
    found: Record | None
    span: Span | None


@attrs.frozen
class Disagreement:
    """Something that the machine and another oracle, the denotation if not named, say differently."""

    about: str
    machine: str
    other: str
    oracle: str = "the denotation"


@attrs.frozen(eq=False)
class Replayed:
    """What replay found. At most one of `divergence`, `disagreement` and `exhausted` says why not more.

    `records` counts those that are the run's. `trace_ref` is the run's own, with an empty salt unless
    another was given; None where the replay is not accepted. `answers_from_trace` says that the host's
    answers are those that the trace records.
    """

    run: Run
    records: int
    answers_from_trace: bool
    trace_ref: str | None
    divergence: Divergence | None
    disagreement: Disagreement | None
    exhausted: Exhausted | None

    @property
    def accepted(self) -> bool:
        """Whether the trace is the run's, the whole of it, and both readings agree about the run."""
        return self.divergence is None and self.disagreement is None and self.exhausted is None


class Replay:
    """Compares a trace with a run, record by record as they come.

    With `take_answers`, a run that waits for the host goes on with the value of the HostObservation that
    stands in the trace there. The refs that are compared have this salt.
    """

    def __init__(self, run: Run, *, take_answers: bool = False, salt: bytes = b"") -> None:
        self._run = run
        self._take_answers = take_answers
        self._salt = salt
        self._expected: Iterator[Placed] = run.records()
        self._span: Span | None = None
        self._records = 0
        self._divergence: Divergence | None = None
        self._beyond = False  # the trace goes on where the run was exhausted

    def accept(self, record: Record) -> Divergence | None:
        """Take the next record of the trace; after a divergence nothing more is compared."""
        if self._divergence is not None or self._beyond:
            return self._divergence
        expected = self._next(record)
        if expected is None and isinstance(self._run.outcome, Exhausted):
            self._beyond = True
        elif expected is None or expected[1] != record:
            self._diverge(expected, record)
        else:
            self._span = expected[2] or self._span
            self._records += 1
        return self._divergence

    def end(self) -> Divergence | None:
        """Say that the trace has ended; return where it is not the run's, the run going on included."""
        if self._divergence is None and not self._beyond:
            left = next(self._expected, None)
            if left is not None:
                self._diverge(left, None)
        return self._divergence

    def result(self) -> Replayed:
        """Return what is to be said now that the trace has ended, with the denotational reading asked."""
        outcome = self._run.outcome
        divergence = self.end()
        disagreement, exhausted = None, outcome if isinstance(outcome, Exhausted) else None
        if exhausted is None:
            disagreement, exhausted = compare_readings(self._run)
        # The readings come first: where they disagree, nothing follows from the one that ran.
        divergence = None if disagreement else divergence
        if divergence is not None:
            exhausted = None
        accepted = divergence is None and disagreement is None and exhausted is None
        ref = self._run.trace_ref(self._salt) if accepted else None
        return Replayed(
            self._run, self._records, self._take_answers, ref, divergence, disagreement, exhausted
        )

    def _next(self, found: Record) -> Placed | None:
        expected = next(self._expected, None)
        if expected is not None or not self._take_answers:
            return expected
        if isinstance(found, HostObservation) and isinstance(self._run.outcome, Suspended):
            new: list[Placed] = []
            self._run = machine.resume(
                self._run, HostAnswer(found.value), tracer=lambda *told: new.append(told)
            )
            self._expected = iter(new)
        return next(self._expected, None)

    def _diverge(self, expected: Placed | None, found: Record | None) -> None:
        span = expected[2] if expected is not None else None
        record = expected[1] if expected is not None else None
        self._divergence = Divergence(self._records, record, found, span or self._span)


def replay_of(
    program: Program,
    answers: Sequence[HostAnswer] | None,
    *,
    limits: Limits = DEFAULT,
    salt: bytes = b"",
) -> Replay:
    """Run a program on the host's answers, and return what compares traces with that run.

    Where `answers` is None, they are taken from the trace. Raises `AnswerRefused` for answers that do not
    fit the program's suspensions.
    """
    run = machine.run(program, answers or (), limits=limits)
    return Replay(run, take_answers=answers is None, salt=salt)


# ------------------------------------------------------------------------------------------------
# Both readings


def compare_readings(run: Run) -> tuple[Disagreement | None, Exhausted | None]:
    """Return where the denotation does not agree with the machine's run, or the limit that it met."""
    assert not isinstance(run.outcome, Exhausted)
    try:
        reading = denote.read(run.program, run.answers, limits=run.limits)
    except AnswerRefused as refused:
        return Disagreement("the host's answers", "takes them", f"refuses one: {refused}"), None
    if isinstance(reading.outcome, Exhausted):
        return None, reading.outcome
    if reading.outcome != run.outcome:
        return Disagreement("the outcome", says(run.outcome), says(reading.outcome)), None
    return _performed_alike(run.performed(), reading.performed), None


_Performed: TypeAlias = Sequence[tuple[str, Value]]


def _performed_alike(by_machine: _Performed, by_denotation: _Performed) -> Disagreement | None:
    length = max(len(by_machine), len(by_denotation))
    for position in range(length):
        ours, theirs = _at(by_machine, position), _at(by_denotation, position)
        if ours is None or theirs is None or ours[0] != theirs[0] or not equal(ours[1], theirs[1]):
            about = f"operation {position + 1} of those performed"
            return Disagreement(about, _operation(ours), _operation(theirs))
    return None


def _at(performed: _Performed, position: int) -> tuple[str, Value] | None:
    return performed[position] if position < len(performed) else None


_SHORT = 200
"""Characters of a value that is shown to people."""


def _operation(performed: tuple[str, Value] | None) -> str:
    if performed is None:
        return "no such operation"
    return f"{performed[0]}({print_value(performed[1], _SHORT)})"


def says(outcome: Outcome) -> str:
    """Return an outcome in a few words."""
    match outcome:
        case Completed(value):
            return f"completed with {print_value(value, _SHORT)}"
        case Suspended(operation, payload):
            return f"suspended on {_operation((operation, payload))}"
        case Failed(reason):
            return f"failed: {reason}"
