"""Profiles of programs and of traces (SPEC §10; rules `profile.*`, `admit.*`).

A profile is a property of a trace. *Admission* is a test on programs that guarantees it for all their
traces, whatever the host answers; it is sound, not exact. Reasons are sentences for people.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias, Union

import attrs

from eclogue.core.errors import LimitExceeded
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyIf,
    BodyLet,
    Clause,
    Computation,
    Handle,
    If,
    Let,
    Perform,
    Program,
    Resume,
    Return,
    Span,
)
from eclogue.core.trace import (
    Closing,
    CompletedWith,
    Completion,
    EffectCapture,
    EffectDeclaration,
    HandlerSelection,
    Record,
    RunEnd,
    SelectionClosed,
)


class Profile(enum.Enum):
    """The profiles, each within the next. `NONE` is for traces that were imported, not recorded here."""

    CORE0H = "core0h"
    CORE0 = "core0"
    CORE_A = "core_a"
    NONE = "none"

    def within(self, other: Profile) -> bool:
        """Return whether every trace of this profile is one of the other."""
        return _ORDER[self] <= _ORDER[other]


_ORDER = {profile: position for position, profile in enumerate(Profile)}


# ------------------------------------------------------------------------------------------------
# Programs


@attrs.frozen
class Obstacle:
    """Why a program is not admitted to a profile: a reason, and the place that the reason is about."""

    profile: Profile
    reason: str
    span: Span | None


@attrs.frozen
class Admission:
    """The smallest profile that a program is admitted to, and why.

    `obstacles` has the first reason, in source order, against each smaller profile. `span` is the place of
    the last of them, or None where there is none.
    """

    profile: Profile
    reason: str
    span: Span | None
    obstacles: tuple[Obstacle, ...]


def admit(program: Program, limits: Limits = DEFAULT) -> Admission:
    """Return the smallest profile to which a program is admitted (`admit.core0h`, `admit.core0`).

    Linear in the size of the program as a tree; raises `LimitExceeded` where that is too large.
    """
    search = _Search(limits)
    search.run(program.body)
    if search.against_core0h is None:
        return Admission(Profile.CORE0H, "every clause resumes on every path", None, ())
    without_resuming = search.against_core0h
    if search.against_core0 is None:
        reason = f"no clause aborts and no open selection can be dropped, but {without_resuming.reason}"
        return Admission(Profile.CORE0, reason, without_resuming.span, (without_resuming,))
    dropping = search.against_core0
    return Admission(Profile.CORE_A, dropping.reason, dropping.span, (without_resuming, dropping))


@attrs.frozen(eq=False)
class _Barrier:
    """Something around a place where a selection may be open: a selection of `clause`.

    Either the place is in the clause's body (`inside`), or its handler handles the place and the clause may
    resume.
    """

    clause: Clause
    inside: bool


@attrs.frozen(eq=False)
class _Nearest:
    """The nearest enclosing clause for an operation, and how many barriers are outside its handler."""

    clause: Clause
    exit: Answer | Abort | None
    """Where the clause may complete without resuming."""
    barriers: int


_Work: TypeAlias = Union[Computation, Body, Callable[[], None]]


class _Search:
    """Walks a program in source order and finds the first obstacle to each profile.

    The specification's test `adm` goes by two sets: `E`, the operations whose nearest enclosing clause may
    complete without resuming, and `A`, those that may leave. Inside the handler of an operation's nearest
    clause, `E` is constant for it, and `A` loses it exactly at *barriers*: at clause bodies, and around
    handlers of which some clause may resume. So a perform is refused exactly if the nearest clause may
    complete without resuming and there is a barrier between. This needs no sets, and is linear.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.against_core0h: Obstacle | None = None
        self.against_core0: Obstacle | None = None
        self.nearest: defaultdict[str, list[_Nearest]] = defaultdict(list)
        self.barriers: list[_Barrier] = []

    def run(self, body: Computation) -> None:
        """Walk a computation until it ends or both obstacles are known."""
        pending: list[_Work] = [body]
        steps = 0
        while pending and not (self.against_core0h and self.against_core0):
            steps += 1
            if steps > self.limits.program_nodes:
                raise LimitExceeded("program_nodes", self.limits.program_nodes)
            work = pending.pop()
            match work:
                case Let(bound, rest):
                    pending += (rest, bound)
                case BodyLet(bound, body_rest):
                    pending += (body_rest, bound)
                case If(_, then, otherwise):
                    pending += (otherwise, then)
                case BodyIf(_, body_then, body_otherwise):
                    pending += (body_otherwise, body_then)
                case Resume(_, rest):
                    pending.append(rest)
                case Perform():
                    self._perform(work)
                case Handle():
                    pending.extend(reversed(self._handle(work)))
                case Answer() | Abort():
                    self._exit(work)
                case Return():
                    pass
                case _:
                    work()

    def _handle(self, handle: Handle) -> list[_Work]:
        """Enter the handled computation; return it and what comes after it."""
        exits = [(clause, *_exits(clause)) for clause in handle.clauses]
        resuming = next((clause for clause, _, resume in exits if resume), None)
        if resuming:
            self.barriers.append(_Barrier(resuming, inside=False))
        # Of two clauses for one operation the first counts, as everywhere.
        for clause, leaving, _ in reversed(exits):
            self.nearest[clause.operation].append(_Nearest(clause, leaving, len(self.barriers)))
        work: list[_Work] = [handle.body, partial(self._leave_handled, handle), handle.return_clause]
        for clause in handle.clauses:
            work += (partial(self._enter_clause, clause), clause.body, self._leave_barrier)
        if resuming:
            work.append(self._leave_barrier)
        return work

    def _leave_handled(self, handle: Handle) -> None:
        for clause in handle.clauses:
            self.nearest[clause.operation].pop()

    def _enter_clause(self, clause: Clause) -> None:
        self.barriers.append(_Barrier(clause, inside=True))

    def _leave_barrier(self) -> None:
        self.barriers.pop()

    def _perform(self, perform: Perform) -> None:
        enclosing = self.nearest[perform.operation]
        if self.against_core0 or not enclosing:
            return
        nearest = enclosing[-1]
        if nearest.exit is None or len(self.barriers) == nearest.barriers:
            return
        barrier = self.barriers[-1]
        place = "in the body of" if barrier.inside else "under a handler that may resume in"
        between, outer = barrier.clause, nearest.clause
        reason = (
            f"{perform.operation}{_at(perform.span)} is performed {place} the clause for"
            f" {between.operation}{_at(between.span)}, whose selection could be dropped: the clause for"
            f" {outer.operation} around it{_at(outer.span)} may complete without resuming"
            f"{_at(nearest.exit.span)}"
        )
        self.against_core0 = Obstacle(Profile.CORE0, reason, perform.span)

    def _exit(self, node: Answer | Abort) -> None:
        clause = self.barriers[-1].clause
        aborts = isinstance(node, Abort)
        reason = (
            f"the clause for {clause.operation}{_at(clause.span)} may {'abort' if aborts else 'answer'}"
            f" without resuming{_at(node.span)}"
        )
        if not self.against_core0h:
            self.against_core0h = Obstacle(Profile.CORE0H, reason, node.span)
        if aborts and not self.against_core0:
            self.against_core0 = Obstacle(Profile.CORE0, reason, node.span)


def _exits(clause: Clause) -> tuple[Answer | Abort | None, Resume | None]:
    """Return the first place where a clause may complete without resuming, and where it may resume."""
    leaving: Answer | Abort | None = None
    resume: Resume | None = None
    pending: list[Body] = [clause.body]
    while pending:
        body = pending.pop()
        if isinstance(body, BodyLet):
            pending.append(body.body)
        elif isinstance(body, BodyIf):
            pending += (body.otherwise, body.then)
        elif isinstance(body, Resume):
            resume = resume or body
        else:
            leaving = leaving or body
    return leaving, resume


def _at(span: Span | None) -> str:
    return "" if span is None else f" (at {span})"


# ------------------------------------------------------------------------------------------------
# Traces


@attrs.frozen
class TraceProfile:
    """The smallest profile of a trace, and the number of the record that excludes the smaller ones.

    `number` is None where nothing does. `prefix` says that the run did not complete, so that only the
    records so far have been judged.
    """

    profile: Profile
    reason: str
    number: int | None
    prefix: bool


def trace_profile(records: Iterable[Record]) -> TraceProfile:
    """Return the smallest profile of a trace (`profile.core0`, `profile.core0h`), in one pass."""
    profiler = TraceProfiler()
    for number, record in enumerate(records):
        profiler(number, record, None)
    return profiler.result()


class TraceProfiler:
    """Judges a trace while it is made: a `Tracer`. It keeps the operations of open selections only."""

    def __init__(self) -> None:
        self._found: dict[Profile, tuple[int, str]] = {}
        self._declared = ""
        self._open: dict[int, str] = {}
        self._end: RunEnd | None = None

    def __call__(self, number: int, record: Record, span: Span | None) -> None:  # noqa: ARG002
        """Take record `number`."""
        match record:
            case EffectDeclaration(operation):
                self._declared = operation
            case HandlerSelection():
                self._open[number] = self._declared
            case EffectCapture(how, selection):
                operation = self._open.pop(selection, "an unknown operation")
                if how is not Completion.RETURN:
                    aborted = how is Completion.ABORT
                    verb = "aborted" if aborted else "answered without resuming"
                    reason = f"record {number}: the clause for {operation} (selection {selection}) {verb}"
                    self._find(Profile.CORE_A if aborted else Profile.CORE0, number, reason)
            case SelectionClosed(why, selection, cause):
                operation = self._open.pop(selection, "an unknown operation")
                if why is Closing.DROPPED:
                    self._find(
                        Profile.CORE_A,
                        number,
                        f"record {number}: the open selection {selection} for {operation} was dropped by"
                        f" record {cause}",
                    )
            case RunEnd():
                self._end = record

    def _find(self, profile: Profile, number: int, reason: str) -> None:
        self._found.setdefault(profile, (number, reason))

    def result(self) -> TraceProfile:
        """Return the profile of the records so far."""
        prefix = self._end is None or not isinstance(self._end.outcome, CompletedWith)
        so_far = ""
        if prefix:
            so_far = f" (judged as a prefix: the run {'has not ended' if self._end is None else 'failed'})"
        for profile in (Profile.CORE_A, Profile.CORE0):
            if profile in self._found:
                number, reason = self._found[profile]
                return TraceProfile(profile, reason + so_far, number, prefix)
        reason = "no clause answered or aborted, and no selection was dropped"
        return TraceProfile(Profile.CORE0H, reason + so_far, None, prefix)
