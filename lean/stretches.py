"""Cutting a run into stretches of bounded size, between points of the machine (`cert.segments`)."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import HostAnswer
from eclogue.core.syntax import Computation
from eclogue.core.values import Value
from eclogue.lean.stretch_machine import Point, Raised, Stepper, answered, start


class CannotFollow(Exception):
    """The program has no run on these answers."""


class TooManySteps(Exception):
    """The run takes more steps than are allowed."""


@attrs.frozen(eq=False)
class Stretch:
    """From `begin` so many `steps`; then each answer, and the steps that follow it; that leads to `end`."""

    begin: Point
    steps: int
    answers: tuple[tuple[Value, int], ...]
    end: Point


def stretches(
    computation: Computation,
    answers: Sequence[HostAnswer],
    *,
    most_records: int,
    most_steps: int,
    all_steps: int,
    limits: Limits = DEFAULT,
) -> list[Stretch]:
    """Cut the run of a computation on the host's answers.

    A stretch ends after the step with which it has `most_records` or `most_steps`. Raises `CannotFollow`,
    `TooManySteps` beyond `all_steps`, and `LimitExceeded`.
    """
    cutting = _Cutting(start(computation), most_records, most_steps)
    stepper = Stepper(limits)
    waiting = iter(answers)
    total = 0
    while True:
        while not cutting.now.final:
            total += 1
            if total > all_steps:
                raise TooManySteps(f"the run takes more than {all_steps} steps")
            cutting.step(stepper)
        answer = next(waiting, _NONE)
        if isinstance(answer, _None):
            return cutting.finish()
        cutting.answer(answer)


class _None:
    """No answer is left."""


_NONE = _None()


class _Cutting:
    def __init__(self, begin: Point, most_records: int, most_steps: int) -> None:
        self.now = begin
        self._most_records = most_records
        self._most_steps = most_steps
        self._cut: list[Stretch] = []
        self._begin_here()

    def _begin_here(self) -> None:
        self._begin = self.now
        self._steps = 0
        self._counts = [0]
        self._answers: list[Value] = []

    def step(self, stepper: Stepper) -> None:
        self.now = stepper.step(self.now)
        self._steps += 1
        self._counts[-1] += 1
        if self.now.next - self._begin.next >= self._most_records or self._steps >= self._most_steps:
            self._end_here()

    def answer(self, answer: HostAnswer) -> None:
        waiting = self.now.control
        following = answered(self.now, answer.value)
        if following is None or not isinstance(waiting, Raised):
            raise CannotFollow("there is an answer to which no operation waits")
        if answer.operation not in (None, waiting.operation):
            raise CannotFollow(f"an answer is for {answer.operation}, but {waiting.operation} waits")
        self.now = following
        self._answers.append(answer.value)
        self._counts.append(0)

    def _end_here(self) -> None:
        first, *others = self._counts
        answers = tuple(zip(self._answers, others, strict=True))
        self._cut.append(Stretch(self._begin, first, answers, self.now))
        self._begin_here()

    def finish(self) -> list[Stretch]:
        """Return the stretches; the last one ends where the run stops."""
        if self._steps or self._answers or not self._cut:
            self._end_here()
        return self._cut
