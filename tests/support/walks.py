"""Sequences of records that the plain automaton accepts, whether or not any program has them."""

from __future__ import annotations

from random import Random

from eclogue.core.errors import TYPE, missing_key
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
from support.plain_lifecycle import START, State, accepted


def walk(rng: Random, length: int) -> list[Record]:
    """Return an accepted trace of at most so many records; what continuations hold need not be nested."""
    state, records = START, list[Record]()
    while len(records) < length and state[1] != ("ended",):
        records.append(_next(rng, state))
        following = accepted(state, records[-1])
        assert following is not None, (state, records[-1])
        state = following
    return records


def _next(rng: Random, state: State) -> Record:
    """Return a record that can come in this state; with many declarations, so that much is open."""
    _, mode, opened = state
    selection, phase = opened[0] if opened else (None, None)
    match mode:
        case ("raised", int(d)):
            m = rng.choice((0, len(opened), rng.randint(0, len(opened))))
            return HostObservation(d, None) if rng.random() < 0.1 else HandlerSelection(d, m)
        case ("selected", int(s)):
            return ResumptionHandle(s)
        case ("closing", int(c), _):
            assert selection is not None
            return SelectionClosed(Closing.DROPPED, selection, c)
        case ("failed", int(n), reason):
            if selection is None:
                assert not isinstance(reason, (int, str))
                return RunEnd(reason)
            return SelectionClosed(Closing.FAILED, selection, n)
    if rng.random() < 0.01:
        return Failure(rng.choice((TYPE, missing_key("k"))))
    if selection is None:
        return RunEnd(CompletedWith(1)) if rng.random() < 0.05 else EffectDeclaration("a.b", None)
    if rng.random() < 0.3:
        return EffectDeclaration("a.b", None)
    if phase == "resumed":
        return ResumeReturn(selection, None)
    if phase == "returned":
        return EffectCapture(Completion.RETURN, selection, None)
    if rng.random() < 0.1:
        return EffectCapture(rng.choice((Completion.ANSWER, Completion.ABORT)), selection, None)
    return ContinuationResume(selection, None)
