"""The hosts `clock`, `random`, `env` and `ask`: the time, numbers from a seed, variables, and a person."""

from __future__ import annotations

import time

from eclogue.core.syntax import Tier
from eclogue.core.values import RecordValue, Value
from eclogue.runtime.hosts.offers import BOOL, INT, TEXT, UNIT, CannotCarryOut, Offer, failed, of, worked
from eclogue.runtime.session import Session


def _now(session: Session, payload: Value) -> Value:  # noqa: ARG001 - there is none
    return time.time_ns() // 1_000_000


def _between(session: Session, payload: Value) -> Value:
    assert isinstance(payload, RecordValue)
    low, high = payload.fields["low"], payload.fields["high"]
    assert isinstance(low, int)
    assert isinstance(high, int)
    if low > high:
        raise CannotCarryOut(f"there is no number from {low} to {high}")
    return session.dice.randint(low, high)


def _variable(session: Session, payload: Value) -> Value:
    name = str(payload)
    found = session.environment().get(name)
    if found is None:
        return failed("not set, or not shown to this run", value="")
    return worked(value=found)


def _asked(session: Session, payload: Value) -> Value:
    answer = session.asked(str(payload))
    if answer is None:
        raise CannotCarryOut("nobody is there to be asked")
    return answer


def _yes(session: Session, payload: Value) -> Value:
    answer = _asked(session, payload)
    return answer if isinstance(answer, bool) else str(answer).strip().lower() in ("y", "yes")


def _text(session: Session, payload: Value) -> Value:
    answer = _asked(session, payload)
    return ("yes" if answer else "no") if isinstance(answer, bool) else answer


SURROUNDINGS = (
    Offer("clock.now", UNIT, INT, Tier.REVERSIBLE, _now),
    Offer("random.between", of(low=INT, high=INT), INT, Tier.REVERSIBLE, _between),
    Offer("env.get", TEXT, of(ok=BOOL, error=TEXT, value=TEXT), Tier.REVERSIBLE, _variable, plain="value"),
    Offer("ask.yes", TEXT, BOOL, Tier.REVERSIBLE, _yes),
    Offer("ask.text", TEXT, TEXT, Tier.REVERSIBLE, _text),
)
"""The time is milliseconds since 1970; `random.between` includes both ends."""
