"""Driving the machine: runs under limits, the host's answers, and what a run leaves (SPEC §9)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

import attrs

from eclogue.core import cells
from eclogue.core.errors import AnswerRefused, CannotHappen, LimitExceeded
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.memory import collector_paused, resident_memory
from eclogue.core.outcomes import Exhausted, HostAnswer, Outcome, Suspended
from eclogue.core.state import State, advance, observe, start
from eclogue.core.syntax import Program, Span
from eclogue.core.trace import EffectDeclaration, HostObservation, Record, Tracer, discard
from eclogue.core.values import Value


@attrs.frozen(eq=False)
class Run:
    """A program's run, up to its outcome or to the limit that exhausted it.

    A suspended run is a value: `resume` continues it, as often as one likes, and leaves it as it is.
    """

    outcome: Outcome | Exhausted
    steps: int
    """Transitions of the machine; a host's answer is none."""
    limits: Limits = attrs.field(repr=False)
    program: Program = attrs.field(repr=False)
    state: State = attrs.field(repr=False)

    @property
    def record_count(self) -> int:
        """How many records the trace has."""
        count: int = self.state.trace[1] + 1
        return count

    @property
    def answers(self) -> tuple[HostAnswer, ...]:
        """The host's answers so far, each with the operation that it answered."""
        return tuple(
            # Nothing is recorded while a run is suspended: the declaration stands right before.
            HostAnswer(value, previous[3])
            for previous, _, make, _, value, _ in cells.oldest_first(self.state.trace)
            if make is HostObservation
        )

    def records(self) -> Iterator[tuple[int, Record, Span | None]]:
        """Yield the trace: number, record and span of the term it came from, the oldest first."""
        return cells.records(self.state.trace)

    def performed(self) -> tuple[tuple[str, Value], ...]:
        """Return the operations performed, with their payloads, in order."""
        return tuple(
            (operation, payload)
            for _, _, make, operation, payload, _ in cells.oldest_first(self.state.trace)
            if make is EffectDeclaration
        )

    def refs(self, salt: bytes = b"") -> Iterator[str]:
        """Yield the refs of the records, the oldest first (`trace.ref`).

        Values are written out here, and not before: raises `LimitExceeded("value_size")` at one whose
        canonical form exceeds `limits.value_size`. Such a run counts as exhausted to those who need refs.
        """
        return cells.refs(self.state.trace, salt, self.limits.value_size)

    def trace_ref(self, salt: bytes = b"") -> str:
        """Return the ref of the last record, `START_REF` if there is none; raises as `refs`."""
        return cells.last_ref(self.state.trace, salt, self.limits.value_size)


def run(
    program: Program,
    answers: Sequence[HostAnswer] = (),
    *,
    limits: Limits = DEFAULT,
    tracer: Tracer = discard,
) -> Run:
    """Run a program, giving the answers to its suspensions in order.

    `limits.steps` is for the whole run, `limits.seconds` for this call. The tracer is told the records in
    bursts, all of them before the run returns. Raises `AnswerRefused` for an answer to another operation
    than the one that waits, and for an answer too many; an exhausted run takes no more answers.
    """
    deadline = _deadline(limits)
    with collector_paused():
        driven = _drive(start(program, limits), 0, -1, limits, deadline, tracer)
        for answer in answers:
            if driven.exhausted:
                break
            driven = _answer(driven, answer, limits, deadline, tracer)
    return driven.as_run(program, limits)


def resume(run: Run, answer: HostAnswer, *, limits: Limits | None = None, tracer: Tracer = discard) -> Run:
    """Continue a suspended run with the host's answer (`host.observe`).

    The same run can be resumed several times: the branches share its trace. The tracer is told the new
    records only. `limits` are the run's own unless given, and hold from here on. Raises as `run`.
    """
    bounds = limits or run.limits
    exhausted = run.outcome if isinstance(run.outcome, Exhausted) else None
    driven = _Driven(run.state.limited(bounds), run.steps, exhausted)
    with collector_paused():
        driven = _answer(driven, answer, bounds, _deadline(bounds), tracer)
    return driven.as_run(run.program, bounds)


@attrs.frozen(eq=False)
class _Driven:
    """How far the machine was driven: to a final state, or to a limit."""

    state: State
    steps: int
    exhausted: Exhausted | None

    def as_run(self, program: Program, limits: Limits) -> Run:
        outcome = self.exhausted or self.state.outcome
        if outcome is None:
            raise CannotHappen("the machine stopped before it was done")
        return Run(outcome, self.steps, limits, program, self.state)


def _answer(
    driven: _Driven, answer: HostAnswer, limits: Limits, deadline: float, tracer: Tracer
) -> _Driven:
    """Answer a suspended state and go on."""
    waiting = driven.exhausted or driven.state.outcome
    if not isinstance(waiting, Suspended):
        raise AnswerRefused(f"an answer too many: the run is {type(waiting).__name__.lower()}")
    if answer.operation is not None and answer.operation != waiting.operation:
        raise AnswerRefused(f"the answer is for {answer.operation}, but {waiting.operation} waits")
    told: int = driven.state.trace[1]
    return _drive(observe(driven.state, answer.value), driven.steps, told, limits, deadline, tracer)


# ------------------------------------------------------------------------------------------------
# Bursts: limits on time and memory are looked at between them

_FIRST_BURST = 32
_LONGEST_BURST = 32_768
_SHORT, _LONG = 0.02, 0.1
"""Seconds: a burst that takes less may be longer next time, one that takes more is to be shorter."""


def _drive(state: State, steps: int, told: int, limits: Limits, deadline: float, tracer: Tracer) -> _Driven:
    """Apply rules until the state is final or a limit is exceeded; records above `told` are new."""
    most = _FIRST_BURST
    exhausted: Exhausted | None = None
    while state.rule is not None and exhausted is None:
        began = time.monotonic()
        burst = most if limits.steps is None else min(most, limits.steps - steps)
        state, applied, exceeded = advance(state, burst)
        steps += applied
        if tracer is not discard:
            told = _tell(tracer, state, told)
        if state.rule is None:
            break
        now = time.monotonic()
        exhausted = _exhausted(exceeded, steps, now > deadline, limits)
        if now - began < _SHORT:
            most = min(2 * most, _LONGEST_BURST)
        elif now - began > _LONG:
            most = max(most // 8, 1)
    return _Driven(state, steps, exhausted)


def _exhausted(
    exceeded: LimitExceeded | MemoryError | None, steps: int, late: bool, limits: Limits
) -> Exhausted | None:
    """Return the limit that a run that is not done has exceeded, if it has (`limit.exhausted`)."""
    if isinstance(exceeded, LimitExceeded):
        return Exhausted(exceeded.limit, exceeded.bound)
    if limits.steps is not None and steps >= limits.steps:
        return Exhausted("steps", limits.steps)
    if limits.seconds is not None and late:
        return Exhausted("seconds", limits.seconds)
    if exceeded is not None or (limits.memory is not None and resident_memory() > limits.memory):
        return Exhausted("memory", resident_memory() if limits.memory is None else limits.memory)
    return None


def _deadline(limits: Limits) -> float:
    return math.inf if limits.seconds is None else time.monotonic() + limits.seconds


def _tell(tracer: Tracer, state: State, told: int) -> int:
    """Tell the tracer the records above `told`; return the number of the last one."""
    for number, record, span in cells.records(state.trace, told):
        tracer(number, record, span)
        told = number
    return told
