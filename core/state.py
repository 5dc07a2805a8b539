"""States of the machine, and its step (SPEC §8)."""

from __future__ import annotations

import attrs

from eclogue.core.cells import START, Cell
from eclogue.core.environment import EMPTY
from eclogue.core.errors import CannotHappen, LimitExceeded
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.machine import COMPUTATIONS, END, ERR, Transition
from eclogue.core.operators import ExpressionFailed
from eclogue.core.outcomes import Outcome, Suspended
from eclogue.core.prepared import Prepared
from eclogue.core.stack import OUTSIDE
from eclogue.core.syntax import Program
from eclogue.core.trace import HostObservation
from eclogue.core.values import Value


@attrs.frozen(eq=False, repr=False)
class State:
    """A state of the machine. It is immutable, whole, and never used up: to fork is to keep it."""

    transition: Transition
    prepared: Prepared

    @property
    def rule(self) -> str | None:
        """The id of the rule that applies; None if the state is final."""
        rule = self.transition[0]
        return None if rule is None else rule.__name__.replace("_", ".", 1)

    def limited(self, limits: Limits) -> State:
        """Return the same state, to go on under these limits on values."""
        return self if limits == self.prepared.limits else State(self.transition, Prepared(limits))

    @property
    def trace(self) -> Cell:
        """The newest cell of the trace (see `cells`)."""
        return self.transition[5]

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of a final state, else None."""
        rule, control, *_ = self.transition
        if rule is not None:
            return None
        if isinstance(control, tuple):
            node, _number, payload, _frames, _segments = control
            return Suspended(node.operation, payload, node.span)
        return control  # type: ignore[no-any-return]


def start(program: Program, limits: Limits = DEFAULT) -> State:
    """Return the state in which a program starts, to run under these limits on values."""
    body = program.body
    return State((COMPUTATIONS[type(body)], body, EMPTY, END, OUTSIDE, START), Prepared(limits))


def step(state: State) -> State | None:
    """Return the next state, or None if the state is final. Deterministic: exactly one rule applies.

    Raises `LimitExceeded` if a value would become too large.
    """
    following, applied, exceeded = advance(state, 1)
    if exceeded:
        raise exceeded
    return following if applied else None


def advance(state: State, most: int) -> tuple[State, int, LimitExceeded | MemoryError | None]:
    """Apply rules until the state is final, but at most so many.

    Return the state reached, how many rules were applied, and why it could not go on, if it could not.
    """
    rule, control, environment, frames, segments, trace = state.transition
    prepared = state.prepared
    applied = 0
    exceeded: LimitExceeded | MemoryError | None = None
    while rule is not None and applied < most:
        try:
            rule, control, environment, frames, segments, trace = rule(
                control, environment, frames, segments, trace, prepared
            )
        except (ExpressionFailed, IndexError) as problem:
            if rule not in ERR:
                raise CannotHappen(f"{rule.__name__} evaluates no expression") from problem
            rule = ERR[rule]
            continue
        except (LimitExceeded, MemoryError) as problem:
            exceeded = problem.with_traceback(None)  # which would hold all of this
            break
        applied += 1
    return State((rule, control, environment, frames, segments, trace), prepared), applied, exceeded


def observe(state: State, value: Value) -> State:
    """`host.observe`: return the state in which the host has answered a suspended one with this value."""
    _rule, control, _environment, frames, segments, trace = state.transition
    node, declaration, _payload, _frames, _segments = control
    trace = (trace, trace[1] + 1, HostObservation, declaration, value, node.span)
    return State((frames[0], value, None, frames, segments, trace), state.prepared)
