"""How strong a claim about a trace is, computed from evidence (rule `valid.strength`).

Nothing takes a strength: `strength_of` looks at what the checks found, and at whether all of them were
about the same trace. Evidence that would support more than replay can does not exist here.
"""

from __future__ import annotations

import enum

import attrs

from eclogue.core.profiles import Profile, TraceProfile
from eclogue.validator.checks import RecordsChecked
from eclogue.validator.lifecycle import Verdict
from eclogue.validator.refs import RefsChecked
from eclogue.validator.replay import Replayed


class Strength(enum.Enum):
    """The strengths that evidence found here can have, the weaker one first."""

    RUNTIME_ONLY = "runtime_only"
    REFERENCE_VALIDATED = "reference_validated"


@attrs.frozen
class Granted:
    """A strength, and in a sentence for people why it is this one."""

    strength: Strength
    reason: str


@attrs.frozen(eq=False)
class Evidence:
    """What the checks of one trace found.

    `checked` is about the whole trace; `replayed` is there where a program was given; `asked` is the
    profile that the trace was asked to lie in.
    """

    checked: RecordsChecked
    replayed: Replayed | None = None
    asked: Profile | None = None

    @property
    def refs(self) -> RefsChecked:
        """What was found about the refs."""
        return self.checked.refs

    @property
    def lifecycle(self) -> Verdict:
        """What the lifecycle rules say."""
        return self.checked.lifecycle

    @property
    def profile(self) -> TraceProfile:
        """The trace's profile; it means nothing where the lifecycle rules reject the trace."""
        return self.checked.profile

    @property
    def in_profile(self) -> bool:
        """Whether the trace lies in the profile that was asked for."""
        return self.asked is None or self.profile.profile.within(self.asked)


def strength_of(evidence: Evidence) -> Granted:
    """Return the strength that evidence supports (`valid.strength`)."""
    missing = _missing(evidence)
    if missing is not None:
        return Granted(Strength.RUNTIME_ONLY, missing)
    assert evidence.replayed is not None
    answers = "recorded in the trace" if evidence.replayed.answers_from_trace else "given"
    reason = (
        f"the trace is this program's run on the host's answers {answers}, in both readings, and keeps the"
        " lifecycle rules"
    )
    return Granted(Strength.REFERENCE_VALIDATED, reason)


def _missing(evidence: Evidence) -> str | None:
    """Return what keeps the evidence from supporting more than that something was recorded."""
    refs, lifecycle, replayed = evidence.refs, evidence.lifecycle, evidence.replayed
    if refs.mismatch is not None:
        return f"the ref of record {refs.mismatch.number} is not that of the trace"
    if lifecycle.rejection is not None:
        return f"record {lifecycle.rejection.number} breaks the rule {lifecycle.rejection.rule}"
    if not evidence.in_profile and evidence.asked is not None:
        return f"the trace is not in the profile {evidence.asked.value}"
    if replayed is None:
        return "no program was given: the trace keeps the lifecycle rules, and any program may have made it"
    if replayed.disagreement is not None:
        return f"the two readings of the program disagree about {replayed.disagreement.about}"
    if replayed.divergence is not None:
        return f"the trace leaves the program's run at record {replayed.divergence.number}"
    if replayed.exhausted is not None:
        return f"replay reached the limit {replayed.exhausted.limit}"
    if not refs.records == lifecycle.records == replayed.records or refs.last != replayed.trace_ref:
        return "the checks were not about one and the same trace"
    return None
