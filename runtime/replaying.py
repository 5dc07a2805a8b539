"""Replaying a run from its record: nothing is carried out that has an outcome there.

With another program, or another outcome of one operation, what comes before the first difference is reused:
outcomes are taken from the record, and file states from the world in which they were made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from eclogue.core import run as machine
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import HostAnswer, Suspended
from eclogue.core.run import Run
from eclogue.core.syntax import Program
from eclogue.core.trace import EffectDeclaration, HostObservation, Tracer, discard
from eclogue.core.values import Value, equal
from eclogue.runtime import merging
from eclogue.runtime.changes import differences
from eclogue.runtime.hosts.registry import Offers
from eclogue.runtime.hosts.scopes import follow
from eclogue.runtime.sandbox.interface import StateName
from eclogue.runtime.scope import ROOT, World
from eclogue.runtime.session import Session
from eclogue.runtime.store import Note, Stored


@attrs.frozen(eq=False)
class Outcome:
    """An operation of a run with its recorded outcome. `number` is that of its declaration."""

    number: int
    operation: str
    payload: Value
    value: Value


def outcomes(stored: Sequence[Stored]) -> list[Outcome]:
    """Return the operations of a run that have an outcome, in order."""
    asked: dict[int, EffectDeclaration] = {}
    found = []
    for item in stored:
        if isinstance(item.record, EffectDeclaration):
            asked[item.number] = item.record
        elif isinstance(item.record, HostObservation):
            about = asked[item.record.declaration]
            found.append(
                Outcome(item.record.declaration, about.operation, about.payload, item.record.value)
            )
    return found


@attrs.frozen(eq=False)
class Replayed:
    """How far a program comes on recorded outcomes; `first` is the first record that differs."""

    run: Run
    reused: tuple[Outcome, ...]
    first: int | None


def replay(
    program: Program,
    stored: Sequence[Stored],
    *,
    changed: Mapping[int, Value] | None = None,
    salt: bytes = b"",
    limits: Limits = DEFAULT,
    tracer: Tracer = discard,
) -> Replayed:
    """Run a program on recorded outcomes as long as it asks for the same, and compare the records.

    `changed` are other outcomes, by the number of the declaration.
    """
    given = changed or {}
    run = machine.run(program, limits=limits, tracer=tracer)
    reused: list[Outcome] = []
    for outcome in outcomes(stored):
        waits = run.outcome
        if not isinstance(waits, Suspended) or waits.operation != outcome.operation:
            break
        if not equal(waits.payload, outcome.payload):
            break
        value = given.get(outcome.number, outcome.value)
        reused.append(attrs.evolve(outcome, value=value))
        run = machine.resume(run, HostAnswer(value, waits.operation), tracer=tracer)
    return Replayed(run, tuple(reused), _first_difference(run, stored, salt))


def _first_difference(run: Run, stored: Sequence[Stored], salt: bytes) -> int | None:
    refs = list(run.refs(salt))
    for number, (ref, item) in enumerate(zip(refs, stored, strict=False)):
        if ref != item.ref:
            return number
    return None if len(refs) == len(stored) else min(len(refs), len(stored))


@attrs.define(eq=False)
class Rebuilding:
    """Has a new world show what an old one showed after each reused operation."""

    old: World
    session: Session
    offers: Offers
    notes: Sequence[Note]
    _states: dict[str, str] = attrs.field(factory=lambda: {ROOT: "base"})

    def after(self, outcome: Outcome) -> None:
        """Do what an operation did to files and scopes; raises `SandboxError`."""
        offer = self.offers.get(outcome.operation)
        if offer is None:
            return
        if "scopes" in offer.touches and self._did_something(outcome):
            offer.act(self.session, outcome.payload)
        follow(self.session, outcome.operation, outcome.payload, outcome.value)
        states = [note for note in self.notes if note["seq"] == outcome.number + 1 and "state" in note]
        for note in states:
            if "files" in offer.touches:
                self._show(note["scope"], note["state"])
            self._states[note["scope"]] = note["state"]

    def _did_something(self, outcome: Outcome) -> bool:
        """Whether it was no merge that ended with conflicts."""
        fields: Mapping[str, Value] = getattr(outcome.value, "fields", {})
        return fields.get("merged", True) is True

    def _show(self, scope: str, state: str) -> None:
        """Bring the new scope from the last state to the next one."""
        pruning = self.old.touched_between(StateName(self._states[scope]), StateName(state))
        source, target = self.old.state_root(StateName(state)), self.session.world.scope(scope).directory()
        merging.apply(list(differences(target, source, pruning)), source, target)
