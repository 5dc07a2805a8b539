"""How strong a claim about a trace is, computed from evidence (rule `valid.strength`).

Nothing takes a strength: `strength_of` looks at what the checks found, and at whether all of them were
about the same run. What Lean's kernel said counts only if it was said of this very program, answers and
trace, on the theorems and the foundation that the theorem map locks.
"""

from __future__ import annotations

import enum

import attrs

from eclogue.core.encoding import program_ref
from eclogue.core.profiles import Profile, TraceProfile
from eclogue.validator.answers import answers_digest
from eclogue.validator.certificate_evidence import CertificateChecked, KernelVerdict
from eclogue.validator.checks import RecordsChecked
from eclogue.validator.claims_map import ClaimsMap, read_claims
from eclogue.validator.lifecycle import Verdict
from eclogue.validator.refs import RefsChecked
from eclogue.validator.replay import Replayed


class Strength(enum.Enum):
    """The strengths that evidence found here can have, the weaker one first."""

    RUNTIME_ONLY = "runtime_only"
    REFERENCE_VALIDATED = "reference_validated"
    SEMANTIC_ADEQUACY = "semantic_adequacy"

    def at_least(self, other: Strength) -> bool:
        """Whether this strength is the other one or a stronger one."""
        order = list(Strength)
        return order.index(self) >= order.index(other)


@attrs.frozen
class Granted:
    """A strength, and in a sentence for people why it is this one."""

    strength: Strength
    reason: str


@attrs.frozen(eq=False)
class Evidence:
    """What the checks of one trace found.

    `checked` is about the whole trace; `replayed` is there where a program was given; `asked` is the
    profile that the trace was asked to lie in; `certificate` is what Lean said, where it was asked.
    """

    checked: RecordsChecked
    replayed: Replayed | None = None
    asked: Profile | None = None
    certificate: CertificateChecked | None = None
    withheld: int | None = None
    """The first record whose value was redacted: from there on nothing can be run again."""

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


def strength_of(evidence: Evidence, claims: ClaimsMap | None = None) -> Granted:
    """Return the strength that evidence supports (`valid.strength`).

    `claims` is the theorem map to hold a certificate against, the installed one unless given.
    """
    missing = _missing(evidence)
    if missing is not None:
        return Granted(Strength.RUNTIME_ONLY, missing)
    assert evidence.replayed is not None
    answers = "recorded in the trace" if evidence.replayed.answers_from_trace else "given"
    reason = (
        f"the trace is this program's run on the host's answers {answers}, in both readings, and keeps the"
        " lifecycle rules"
    )
    if evidence.certificate is None:
        return Granted(Strength.REFERENCE_VALIDATED, reason)
    lacking = _not_certified(evidence.certificate, evidence, claims or read_claims())
    if lacking is not None:
        return Granted(Strength.REFERENCE_VALIDATED, f"{reason}; {lacking}")
    return Granted(
        Strength.SEMANTIC_ADEQUACY,
        f"{reason}; and Lean's kernel has checked that the source semantics gives this outcome with this"
        " trace, and no other",
    )


def _not_certified(found: CertificateChecked, evidence: Evidence, claims: ClaimsMap) -> str | None:
    """Return what keeps a certificate from counting, in words; None if nothing does."""
    if found.verdict is not KernelVerdict.ACCEPTED:
        asked = "refused the certificate" if found.verdict is KernelVerdict.REJECTED else "did not check it"
        return f"Lean {asked}: {(found.reason.splitlines() or ['for no reason'])[0]}"
    if (found.program_ref, found.answers_digest, found.trace_ref, found.records) != about(evidence):
        return "the certificate is about another run"
    if found.profile is not evidence.profile.profile:
        return f"the certificate is about the profile {found.profile.value}"
    if found.lean is None or not found.lean.version or found.lean.foundation_digest != claims.foundation:
        return "the certificate was not checked on the foundation that the theorem map locks"
    needed = claims.made(found.segments, states_bytes=found.states_bytes).theorems
    missing = [name for name in needed if name not in {theorem.id for theorem in found.theorems}]
    if missing:
        return f"the certificate does not apply the theorem {missing[0]}"
    for theorem in found.theorems:
        locked = claims.theorems.get(theorem.id)
        said = (theorem.declaration, theorem.statement_digest, theorem.axioms)
        if locked is None or said != (locked.declaration, locked.statement_digest, ()):
            return f"the theorem {theorem.id} is not the one that the theorem map locks"
    return None


def about(evidence: Evidence) -> tuple[str, str, str, int]:
    """Return what a replay was about: program ref, digest of the answers, trace ref, number of records."""
    replayed = evidence.replayed
    assert replayed is not None
    return (
        program_ref(replayed.run.program),
        answers_digest(replayed.run.answers),
        evidence.refs.last,
        evidence.refs.records,
    )


def _missing(evidence: Evidence) -> str | None:
    """Return what keeps the evidence from supporting more than that something was recorded."""
    refs, lifecycle, replayed = evidence.refs, evidence.lifecycle, evidence.replayed
    if refs.mismatch is not None:
        return f"the ref of record {refs.mismatch.number} is not that of the trace"
    if lifecycle.rejection is not None:
        return f"record {lifecycle.rejection.number} breaks the rule {lifecycle.rejection.rule}"
    if not evidence.in_profile and evidence.asked is not None:
        return f"the trace is not in the profile {evidence.asked.value}"
    if evidence.withheld is not None:
        return f"the value of record {evidence.withheld} is redacted, so that nothing can be run again"
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
