"""A run that can be walked in both directions, answered by hand, and branched where it was suspended.

States of the machine are values, so that going back is looking again. Every `_STRIDE`-th state is kept; the
ones between are stepped to again. A branch is a suspension with the host's answer to it: what comes before
is its parent's, and stays there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs

from eclogue.core.errors import AnswerRefused
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import HostAnswer, Suspended
from eclogue.core.state import State, advance, observe, start
from eclogue.core.syntax import Program
from eclogue.core.values import Value

_STRIDE = 64


@attrs.define(eq=False)
class Branch:
    """What follows one answer, or the beginning of the run.

    `base` is the position of its first state; its parent has the positions before it. `last` is the
    position of its final state, once that has been reached; `exceeded` says which limit ended it instead.
    """

    number: int
    parent: Branch | None
    base: int
    answer: HostAnswer | None
    kept: list[State]
    last: int | None = None
    exceeded: str | None = None


class Session:
    """A program's run, at a position: position 0 is the state in which the program starts.

    The answers given are used at suspensions as they come, one for each; after that `answer` gives more.
    Raises `AnswerRefused` where an answer is for another operation than the one that waits.
    """

    def __init__(
        self, program: Program, answers: Sequence[HostAnswer] = (), limits: Limits = DEFAULT
    ) -> None:
        self.program = program
        self._waiting = list(answers)
        root = Branch(0, None, 0, None, [start(program, limits)])
        self.branches = [root]
        self.branch = root
        self.position = 0
        self._most = math.inf if limits.steps is None else limits.steps
        self._memory: tuple[Branch, int, State] | None = None

    # -------------------------------------------------------------------------------- where it stands

    @property
    def state(self) -> State:
        """The state at the position."""
        return self.state_at(self.position)

    @property
    def record_count(self) -> int:
        """How many records the trace has at the position."""
        count: int = self.state.trace[1] + 1
        return count

    @property
    def suspended(self) -> Suspended | None:
        """What the host is asked at the position, if it is asked anything."""
        outcome = self.state.outcome
        return outcome if isinstance(outcome, Suspended) else None

    def state_at(self, position: int) -> State:
        """Return the state at a position that has been reached."""
        branch = self.branch
        while position < branch.base:
            assert branch.parent is not None
            branch = branch.parent
        offset = position - branch.base
        remembered = self._memory
        state = branch.kept[offset // _STRIDE]
        distance = offset % _STRIDE
        if remembered is not None and remembered[0] is branch and 0 <= position - remembered[1] < distance:
            state, distance = remembered[2], position - remembered[1]
        state, applied, exceeded = advance(state, distance)
        assert applied == distance
        assert exceeded is None
        self._memory = (branch, position, state)
        return state

    # -------------------------------------------------------------------------------- moving

    def forward(self) -> bool:
        """Go on by one state, if there is one. At a suspension a waiting answer is used."""
        if self.branch.last == self.position:
            return self._use_answer()
        if self.position >= self._most:
            self.branch.exceeded = f"steps (bound {self._most})"
            return False
        following, applied, exceeded = advance(self.state, 1)
        if exceeded is not None:
            self.branch.exceeded = str(exceeded)
            return False
        if not applied:
            self.branch.last = self.position
            return self._use_answer()
        self._arrive(following)
        return True

    def back(self) -> bool:
        """Go back by one state, if there is one; into the parent of a branch too."""
        if self.position == 0:
            return False
        self.position -= 1
        while self.position < self.branch.base:
            assert self.branch.parent is not None
            self.branch = self.branch.parent
        return True

    def to(self, position: int) -> bool:
        """Go to a position, forward as far as there are states; return whether it was reached."""
        while self.position > max(position, 0):
            if self.position - 1 < self.branch.base:
                self.back()
            else:
                self.position = max(position, self.branch.base)
        while self.position < position:
            if not self.forward():
                return False
        return True

    def to_end(self) -> None:
        """Go on until nothing follows without an answer."""
        while self.forward():
            pass

    def to_next_record(self) -> bool:
        """Go on until the trace has grown; return whether it has."""
        before = self.record_count
        while self.forward():
            if self.record_count > before:
                return True
        return False

    def to_previous_record(self) -> bool:
        """Go back until the trace is shorter; return whether it is."""
        before = self.record_count
        while self.back():
            if self.record_count < before:
                return True
        return False

    # -------------------------------------------------------------------------------- branches

    def answer(self, value: Value) -> Branch:
        """Answer the suspension at the position, and go to the state that follows; raises `AnswerRefused`.

        The same suspension can be answered again: each answer begins a branch.
        """
        waiting = self.suspended
        if waiting is None:
            raise AnswerRefused("the run is not suspended here")
        self.branch.last = self.position
        return self._branch(HostAnswer(value, waiting.operation))

    def switch(self, number: int) -> None:
        """Go to a branch: to its last known state; raises `IndexError` if there is none of this number."""
        self.branch = self.branches[number]
        self.position = self._reached(self.branch)

    def _reached(self, branch: Branch) -> int:
        """Return the furthest position of a branch whose state is kept."""
        return branch.base + (len(branch.kept) - 1) * _STRIDE if branch.last is None else branch.last

    def _use_answer(self) -> bool:
        """Use the next answer that was given beforehand, if the run waits for one."""
        waiting = self.suspended
        if waiting is None:
            return False
        here = (self.branch, self.position + 1)
        known = [branch for branch in self.branches if (branch.parent, branch.base) == here]
        if known:
            self.branch = known[-1]
            self.position += 1
            return True
        if not self._waiting:
            return False
        given = self._waiting[0]
        if given.operation not in (None, waiting.operation):
            raise AnswerRefused(
                f"the answer is for `{given.operation}`, and `{waiting.operation}` waits for one"
            )
        del self._waiting[0]
        self._branch(HostAnswer(given.value, waiting.operation))
        return True

    def _branch(self, answer: HostAnswer) -> Branch:
        state = observe(self.state, answer.value)
        branch = Branch(len(self.branches), self.branch, self.position + 1, answer, [state])
        self.branches.append(branch)
        self.branch = branch
        self.position += 1
        return branch

    def _arrive(self, state: State) -> None:
        """Note the state that follows the position, and go there."""
        self.position += 1
        branch = self.branch
        offset = self.position - branch.base
        if offset % _STRIDE == 0 and offset // _STRIDE == len(branch.kept):
            branch.kept.append(state)
        self._memory = (branch, self.position, state)
