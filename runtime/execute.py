"""Executing a program: the machine runs, and what it asks of the host is done, in a sandbox, past a gate.

The records are the machine's own: an intent is an `EffectDeclaration`, its outcome a `HostObservation`.
An operation that is refused, or that cannot be carried out at all, has no outcome: the run stays suspended
and says why. Everything is written down as it happens, so that a run that was interrupted goes on: what
has an outcome is not done again, what has none is done from the file state before it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence

import attrs

from eclogue.core import run as machine
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import Failed, HostAnswer, Suspended
from eclogue.core.run import Run
from eclogue.core.syntax import Operation, Program, Tier
from eclogue.core.trace import EffectDeclaration, HostObservation
from eclogue.core.values import RecordValue, Value
from eclogue.runtime.gate import Decision, Gate, Policy, stricter
from eclogue.runtime.hosts.offers import CannotCarryOut, Offer
from eclogue.runtime.hosts.registry import Offers
from eclogue.runtime.hosts.scopes import follow
from eclogue.runtime.replaying import Rebuilding, replay
from eclogue.runtime.sandbox.interface import SandboxError, StateName
from eclogue.runtime.session import Session
from eclogue.runtime.store import Note, RunLog, Stored

Approve = Callable[[str, Value, Tier], bool | None]
"""Asks whether an operation may happen: yes, no, or None where nobody can say."""

_TRIES = 3
"""How often a compensation is tried."""


@attrs.frozen
class Waiting:
    """Why a run is suspended: the operation, and the reason for people. `refused`: somebody said no."""

    number: int
    operation: str
    payload: Value
    reason: str
    refused: bool = False
    wants_approval: bool = False


@attrs.frozen
class Compensated:
    """A compensation that was carried out, or that failed for a reason."""

    number: int
    operation: str
    problem: str | None = None


@attrs.frozen(eq=False)
class Executed:
    """How far a run got."""

    run: Run
    waiting: Waiting | None
    compensated: tuple[Compensated, ...]
    carried_out: int
    """Operations that were carried out by this call."""
    reused: int
    """Operations whose outcomes were there already."""


@attrs.frozen
class _Done:
    """A compensable operation that happened, and in which scope."""

    number: int
    offer: Offer
    payload: Value
    result: Value
    scope: str


@attrs.define(eq=False)
class Executor:
    """Executes one run. `answers` are for operations that no host offers, taken in order."""

    program: Program
    session: Session
    log: RunLog
    offers: Offers
    policy: Policy = attrs.field(factory=Policy)
    approve: Approve = lambda *_: None
    answers: list[HostAnswer] = attrs.field(factory=list)
    compensate_refusals: bool = False
    limits: Limits = DEFAULT
    gate: Gate = attrs.field(factory=Gate)
    _done: list[_Done] = attrs.field(factory=list)
    _compensated: list[Compensated] = attrs.field(factory=list)
    _carried_out: int = 0
    _reused: int = 0

    def execute(self) -> Executed:
        """Run a program from its beginning."""
        run = machine.run(self.program, limits=self.limits, tracer=self.log)
        self._note_beginning()
        return self._go_on(run)

    def go_on(self, stored: Sequence[Stored], notes: Sequence[Note]) -> Executed:
        """Go on with a run from its records and the notes beside them, in the order of their coming.

        Nothing that has an outcome is carried out again.
        """
        self._recall(stored, notes)
        answers = _answers(stored)
        self._reused = len(answers)
        run = machine.run(self.program, answers, limits=self.limits, tracer=self.log)
        self._at_last_state(stored, notes)
        self.session.again = bool(stored) and isinstance(stored[-1].record, EffectDeclaration)
        return self._go_on(run)

    def reuse(
        self, stored: Sequence[Stored], changed: Mapping[int, Value], rebuilding: Rebuilding
    ) -> Executed:
        """Execute a program from where it differs from a recorded run: what comes before is reused.

        What is reused was done in that run: it passes no gate here, and is not compensated here.
        """
        found = replay(
            self.program, stored, changed=changed, salt=self.log.salt, limits=self.limits, tracer=self.log
        )
        self._note_beginning()
        for outcome in found.reused:
            rebuilding.after(outcome)
            self.log.note(outcome.number, reused=True)
            offer = self.offers.get(outcome.operation)
            if offer is not None:
                self._recall_kept(outcome.operation, offer, outcome.payload)
                if offer.touches & {"files", "scopes"}:
                    self._note_state(outcome.number + 1)
        self._reused = len(found.reused)
        return self._go_on(found.run)

    # ---------------------------------------------------------------------------- going on

    def _go_on(self, run: Run) -> Executed:
        waiting = None
        try:
            while isinstance(run.outcome, Suspended):
                found = self._outcome(run, run.outcome)
                self.session.again = False
                if isinstance(found, Waiting):
                    waiting = found
                    break
                run = self._observed(run, run.outcome, found)
        except KeyboardInterrupt:
            assert isinstance(run.outcome, Suspended)
            number = run.record_count - 1
            waiting = Waiting(number, run.outcome.operation, run.outcome.payload, "the run was interrupted")
        if isinstance(run.outcome, Failed) or (
            waiting is not None and waiting.refused and self.compensate_refusals
        ):
            self._compensate(lambda _: True)
        if waiting is not None:
            self.log.note(waiting.number, waiting=waiting.reason)
        self._sync()
        return Executed(run, waiting, tuple(self._compensated), self._carried_out, self._reused)

    def _observed(self, run: Run, waits: Suspended, value: Value) -> Run:
        """Give the machine an outcome, after the file state that belongs to it was frozen."""
        number = run.record_count - 1
        offer = self.offers.get(waits.operation)
        if offer is not None:
            follow(self.session, waits.operation, waits.payload, value)
            if offer.touches & {"files", "scopes"}:
                self.session.scope.freeze()
        next_run = machine.resume(run, HostAnswer(value, waits.operation), tracer=self.log)
        if offer is not None:
            self.gate.outcome(number)
            self.log.note(number, gate="outcome")
            self._remember(number, offer, waits.payload, value)
            if offer.touches & {"files", "scopes"}:
                self._note_state(number + 1)
            if waits.operation == "scope.merge":
                self._sync()
        return next_run

    def _note_beginning(self) -> None:
        """Write down what the sandbox is, and the state that the run begins with."""
        world = self.session.world
        self.log.note(-1, provider=world.provider, fidelity=dict(world.fidelity))
        self._note_state(-1)

    def _note_state(self, number: int) -> None:
        scope = self.session.scope
        self.log.note(number, state=scope.freeze(), scope=scope.name)

    def _remember(self, number: int, offer: Offer, payload: Value, result: Value) -> None:
        if self.gate.intents[number][1] is Tier.COMPENSABLE:
            self._done.append(_Done(number, offer, payload, result, self.session.current))

    def _sync(self) -> None:
        self.session.world.sync()
        self.log.sync()

    # ---------------------------------------------------------------------------- one operation

    def _outcome(self, run: Run, waits: Suspended) -> Value | Waiting:
        """Return what an operation comes to, or why it has no outcome."""
        number = run.record_count - 1
        offer, declared = self.offers.get(waits.operation), self._declared(waits.operation)

        def wait(reason: str, *, refused: bool = False, wants: bool = False) -> Waiting:
            return Waiting(number, waits.operation, waits.payload, reason, refused, wants)

        if offer is None:
            if self.answers and self.answers[0].operation in (None, waits.operation):
                self._carried_out += 1
                return self.answers.pop(0).value
            return wait("no host offers this operation, and no answer was given")
        tier = stricter(declared.tier, offer.tier)
        if number not in self.gate.intents:
            self.gate.intent(number, self.log.last, tier)
            self.log.note(number, gate="intent", digest=self.log.last, tier=tier.value)
        refusal = self._past_the_gate(number, waits, tier)
        if refusal is not None:
            return wait(refusal[0], refused=refusal[1], wants=refusal[2])
        if tier is Tier.IRREVERSIBLE:
            self.log.note(number, calling=True)
            self._sync()
        return self._carry_out(number, offer, declared, waits, wait)

    def _carry_out(
        self,
        number: int,
        offer: Offer,
        declared: Operation,
        waits: Suspended,
        wait: Callable[[str], Waiting],
    ) -> Value | Waiting:
        if waits.operation == "scope.discard":
            problem = self._compensate_scope()
            if problem is not None:
                return wait(problem)
        began = time.monotonic()
        try:
            value = offer.answer(declared, offer.act(self.session, waits.payload))
        except CannotCarryOut as error:
            return wait(error.reason)
        except SandboxError as error:
            return wait(error.message)
        except OSError as error:
            where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
            return wait(f"{where}{error.strerror or error}")
        except Exception as error:  # a host of a user's own may raise anything
            return wait(f"the host failed: {type(error).__name__}: {error}")
        problem = _no_value(value)
        if problem is not None:
            return wait(f"the host returned what is no value: {problem}")
        self.log.note(number, host=offer.name.partition(".")[0], seconds=round(time.monotonic() - began, 6))
        self._carried_out += 1
        return value

    def _declared(self, name: str) -> Operation:
        return next(item for item in self.program.operations if item.name == name)

    def _past_the_gate(self, number: int, waits: Suspended, tier: Tier) -> tuple[str, bool, bool] | None:
        """Return None if an operation may happen; else the reason, whether it was refused, or waits."""
        decision = self.policy.decide(waits.operation, tier)
        if decision is Decision.DENY:
            self._deny(number, "policy")
            return "the policy refuses it", True, False
        if decision is Decision.DRY_RUN:
            return "a dry run does not carry it out", False, False
        if decision is Decision.ASK and not self.gate.is_approved(number):
            said = self.approve(waits.operation, waits.payload, tier)
            if said is None:
                return f"it is {tier.value}, and waits for an approval", False, True
            if not said:
                self._deny(number, "person")
                return "it was not approved", True, False
            self._approve(number, "person")
        elif tier is Tier.IRREVERSIBLE and not self.gate.may_happen(number):
            self._approve(number, "policy")
        return None

    def _approve(self, number: int, who: str) -> None:
        digest = self.gate.intents[number][0]
        self.gate.approve(number, digest)
        self.log.note(number, gate="approve", digest=digest, by=who)

    def _deny(self, number: int, who: str) -> None:
        self.gate.deny(number)
        self.log.note(number, gate="deny", by=who)

    # ---------------------------------------------------------------------------- compensations

    def _compensate_scope(self) -> str | None:
        """Undo what was done in the current scope and can be; return why that is not possible."""
        ending = set(self.session.world.family(self.session.current))
        inside = [done for done in self._done if done.scope in ending]
        if inside and self._done[-len(inside) :] != inside:
            return "what was done in this scope must be undone, and something later was done outside of it"
        before = len(self._compensated)
        self._compensate(lambda done: done.scope in ending)
        problem = next((item.problem for item in self._compensated[before:] if item.problem), None)
        return None if problem is None else f"a compensation failed: {problem}"

    def _compensate(self, wanted: Callable[[_Done], bool]) -> None:
        """Compensate the newest first; one that fails is tried again, told, and stops the rest."""
        while self._done and wanted(self._done[-1]):
            done = self._done[-1]
            problem = self._undo(done)
            self._compensated.append(Compensated(done.number, done.offer.name, problem))
            if problem is not None:
                self.log.note(done.number, compensation_failed=problem)
                return
            self.gate.compensate(done.number)
            self.log.note(done.number, gate="compensate")
            self._done.pop()

    def _undo(self, done: _Done) -> str | None:
        if done.offer.undo is None:
            return "its host offers no compensation"
        problem = ""
        for _ in range(_TRIES):
            try:
                done.offer.undo(self.session, done.payload, done.result)
                return None
            except Exception as error:  # a host of a user's own may raise anything
                problem = str(error) or type(error).__name__
        return problem

    # ---------------------------------------------------------------------------- recalling

    def _recall(self, stored: Sequence[Stored], notes: Sequence[Note]) -> None:
        """Have session and gate be as they were after these records and notes."""
        operations: dict[int, tuple[str, Value]] = {}
        found: dict[int, _Done] = {}
        for item in stored:
            if isinstance(item.record, EffectDeclaration):
                operations[item.number] = (item.record.operation, item.record.payload)
            elif isinstance(item.record, HostObservation):
                number, result = item.record.declaration, item.record.value
                name, payload = operations[number]
                offer = self.offers.get(name)
                if offer is not None:
                    follow(self.session, name, payload, result)
                    found[number] = _Done(number, offer, payload, result, self.session.current)
                    self._recall_kept(name, offer, payload)
        for note in notes:
            if "gate" in note:
                self.gate.take(note["gate"], note["seq"], note.get("digest", ""), note.get("tier", ""))
        for number in found:
            if number in self.gate.intents and number not in self.gate.happened:
                self.gate.outcome(number)  # the note of it was lost
                self.log.note(number, gate="outcome")
        self._done = [found[number] for number in self.gate.pending]

    def _recall_kept(self, name: str, offer: Offer, payload: Value) -> None:
        """Have what hosts keep be as it was after an operation."""
        if name == "random.between":
            offer.act(self.session, payload)
        elif name == "model.call":
            used = self.session.kept.setdefault("model", 0)
            assert isinstance(used, int)
            self.session.kept["model"] = used + 1

    def _at_last_state(self, stored: Sequence[Stored], notes: Sequence[Note]) -> None:
        """Throw away what an operation without an outcome has written."""
        if not stored or not isinstance(stored[-1].record, EffectDeclaration):
            return
        offer = self.offers.get(stored[-1].record.operation)
        if offer is None or "files" not in offer.touches:
            return
        states = [note["state"] for note in notes if note.get("scope") == self.session.current]
        if states:
            self.session.scope.revert(StateName(states[-1]))


def _no_value(value: object) -> str | None:
    """Return why something is no value of the calculus, None if it is one; a host may return anything."""
    pending, seen = [value], 0
    while pending:
        item = pending.pop()
        seen += 1
        if item is None or type(item) in (bool, int):
            continue
        if isinstance(item, str):
            if not item.isascii() and any("\ud800" <= char <= "\udfff" for char in item):
                return "a text with half a surrogate pair"
        elif isinstance(item, tuple):
            pending.extend(item)
        elif isinstance(item, RecordValue):
            pending.extend((*item.fields, *item.fields.values()))
        else:
            return f"a Python {type(item).__name__}"
        if seen > DEFAULT.list_length:
            return "it is too large"
    return None


def _answers(stored: Sequence[Stored]) -> list[HostAnswer]:
    """Return the outcomes that are recorded, each with its operation."""
    operations = {
        item.number: item.record.operation for item in stored if isinstance(item.record, EffectDeclaration)
    }
    return [
        HostAnswer(item.record.value, operations[item.record.declaration])
        for item in stored
        if isinstance(item.record, HostObservation)
    ]


def may_have_happened(stored: Sequence[Stored]) -> Stored | None:
    """Return the last record if it is an irreversible operation that was begun and has no outcome."""
    if not stored or not isinstance(stored[-1].record, EffectDeclaration):
        return None
    return stored[-1] if any(note.get("calling") for note in stored[-1].notes) else None
