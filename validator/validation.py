"""Validating a trace file: every check in one pass over its lines, and what they come to (SPEC §14)."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

import attrs

from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import HostAnswer
from eclogue.core.profiles import Profile
from eclogue.core.syntax import Program
from eclogue.core.trace import CompletedWith, Record, RunEnd
from eclogue.validator.checks import RecordChecks
from eclogue.validator.evidence import Evidence, Granted, strength_of
from eclogue.validator.replay import Disagreement, Replayed, replay_of
from eclogue.validator.trace_file import Line
from eclogue.validator.withheld import is_withheld


class Standing(enum.Enum):
    """What validation comes to for a trace that could be read.

    `DISAGREED` is an alarm: two of the project's own oracles contradict each other, and no verdict follows.
    """

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"
    DISAGREED = "disagreed"


class Extent(enum.Enum):
    """How far the run of a trace has come: to its end, in one of two ways, or not yet."""

    COMPLETED = "completed"
    FAILED = "failed"
    PREFIX = "prefix"


@attrs.frozen(eq=False)
class Validation:
    """A trace that was read to its end: what the checks found, and what follows."""

    evidence: Evidence
    granted: Granted
    extent: Extent
    records: int
    """How many records the file has."""
    to_be_replayed: bool = False
    """Whether a program was given, so that without a replay nothing is known."""

    @property
    def standing(self) -> Standing:
        """What the evidence comes to."""
        evidence = self.evidence
        replayed = evidence.replayed
        if replayed is not None and disagreement(evidence, replayed) is not None:
            return Standing.DISAGREED
        if evidence.refs.mismatch or evidence.lifecycle.rejection or not evidence.in_profile:
            return Standing.REJECTED
        if replayed is None:
            return Standing.UNKNOWN if self.to_be_replayed else Standing.ACCEPTED
        if replayed.accepted:
            return Standing.ACCEPTED
        return Standing.REJECTED if replayed.divergence else Standing.UNKNOWN


def disagreement(evidence: Evidence, replayed: Replayed) -> Disagreement | None:
    """Return what two of the project's own oracles say differently about a run, if they do.

    The readings may differ about the program; or the trace is the machine's own, and yet the lifecycle
    rules refuse it, or its refs are not the machine's.
    """
    if replayed.disagreement is not None or not replayed.accepted:
        return replayed.disagreement
    rejection, refs = evidence.lifecycle.rejection, evidence.refs
    if rejection is not None:
        return Disagreement("the lifecycle of this run", "has this trace", str(rejection), "the rules")
    if refs.mismatch is None and refs.last != replayed.trace_ref:
        return Disagreement("the ref of this run", str(replayed.trace_ref), refs.last, "the trace's refs")
    return None


def validate(
    lines: Iterable[Line],
    program: Program | None = None,
    answers: Sequence[HostAnswer] | None = None,
    *,
    profile: Profile | None = None,
    limits: Limits = DEFAULT,
    salt: bytes = b"",
) -> Validation:
    """Validate a trace, given as `trace_file.read_trace` yields it, in one pass and without keeping it.

    With a program the trace is replayed, on the answers, or where these are None on those that it records;
    a redacted trace cannot be. `profile` is one that it has to lie in. Raises what `read_trace` raises,
    `AnswerRefused` for answers that the program does not take, and `LimitExceeded` for a value that is too
    large.
    """
    checks = RecordChecks(salt, limits.value_size)
    replaying = None if program is None else replay_of(program, answers, limits=limits, salt=salt)
    number, record, taken = -1, None, None
    for number, record, ref, _ in lines:
        checks.accept(number, record, ref)
        if taken is None and is_withheld(record):
            taken, replaying = number, None
        if replaying is not None:
            replaying.accept(record)
    replayed = None if replaying is None else replaying.result()
    evidence = Evidence(checks.result(), replayed, profile, withheld=taken)
    extent = _extent(record)
    return Validation(evidence, strength_of(evidence), extent, number + 1, program is not None)


def _extent(last: Record | None) -> Extent:
    if not isinstance(last, RunEnd):
        return Extent.PREFIX
    return Extent.COMPLETED if isinstance(last.outcome, CompletedWith) else Extent.FAILED
