"""What a run came to, as one JSON object (`validator/schema/run-result.schema.json`) or for people.

The strength is `runtime_only` for every run: nothing in this module validates anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import attrs

from eclogue.core.canonical import quote, text_of
from eclogue.core.encoding import program_ref
from eclogue.core.errors import LimitExceeded
from eclogue.core.outcomes import Completed, Exhausted, Failed, Suspended
from eclogue.core.profiles import Admission, TraceProfile, admit, trace_profile
from eclogue.core.run import Run
from eclogue.core.syntax import Span
from eclogue.core.values import Value, record
from eclogue.validator.certificate_evidence import LeanIdentity

STRENGTH: Final = "runtime_only"
STRENGTH_REASON: Final = "the run was recorded; no validator has checked its trace"

EXIT_CODES: Final = {"completed": 0, "failed": 1, "suspended": 3, "exhausted": 3}


@attrs.frozen
class RunResult:
    """A run with everything that is reported about it.

    `trace_ref` is None for an exhausted run, which supports no claim. `profile` is the trace's, judged
    as a prefix where the run did not end.
    """

    run: Run
    outcome: Completed | Suspended | Failed | Exhausted
    admission: Admission
    profile: TraceProfile
    program_ref: str
    trace_ref: str | None

    @property
    def status(self) -> str:
        """`completed`, `suspended`, `failed` or `exhausted`."""
        return type(self.outcome).__name__.lower()

    @property
    def exit_code(self) -> int:
        """The exit code that the documentation promises for this status."""
        return EXIT_CODES[self.status]


def result_of(run: Run, salt: bytes = b"") -> RunResult:
    """Return what is reported about a run; a value too large to write makes it exhausted.

    `salt` is that of the commitments which the trace's ref is made of.
    """
    outcome = run.outcome
    trace_ref = None
    if not isinstance(outcome, Exhausted):
        try:
            trace_ref = run.trace_ref(salt)
            _write_outcome(outcome, run)
        except LimitExceeded as exceeded:
            outcome, trace_ref = Exhausted(exceeded.limit, exceeded.bound), None
    return RunResult(
        run,
        outcome,
        admit(run.program),
        trace_profile(item for _, item, _ in run.records()),
        program_ref(run.program),
        trace_ref,
    )


def _write_outcome(outcome: Completed | Suspended | Failed, run: Run) -> None:
    """Raise `LimitExceeded` if the outcome holds a value that is too large to write."""
    if isinstance(outcome, Completed):
        text_of(outcome.value, run.limits.value_size)
    elif isinstance(outcome, Suspended):
        text_of(outcome.payload, run.limits.value_size)


def json_text(result: RunResult) -> str:
    """Return the result as one JSON object on one line, its members in reading order."""
    return members_text(result_members(result))


def result_members(result: RunResult) -> list[tuple[str, str]]:
    """Return the members of a result's JSON object, each with its value as a JSON text."""
    members: dict[str, Value] = {"status": result.status}
    if result.run.program.task is not None:
        members["task"] = result.run.program.task
    members |= _outcome_members(result.outcome)
    members |= {
        "profile": result.profile.profile.value,
        "profile_reason": result.profile.reason,
        "admitted": result.admission.profile.value,
        "admitted_reason": result.admission.reason,
        "strength": STRENGTH,
        "strength_reason": STRENGTH_REASON,
        "steps": result.run.steps,
        "records": result.run.record_count,
        "program_ref": result.program_ref,
        "trace_ref": result.trace_ref,
    }
    return [(key, text_of(value)) for key, value in members.items()]


def object_text(members: dict[str, Value]) -> str:
    """Return a JSON object with its members in the given order, its values in canonical form."""
    return members_text((key, text_of(value)) for key, value in members.items())


def members_text(members: Iterable[tuple[str, str]]) -> str:
    """Return a JSON object of members whose values are JSON texts already."""
    return "{" + ", ".join(f"{quote(key)}: {text}" for key, text in members) + "}"


def lean_json(lean: LeanIdentity | None) -> str:
    """Return which Lean checked as a JSON object, null where none did."""
    if lean is None:
        return "null"
    members: dict[str, Value] = {
        "version": lean.version,
        "found": lean.found,
        "digest": lean.binary_digest,
        "known": lean.known,
    }
    return object_text(members)


def _outcome_members(outcome: Completed | Suspended | Failed | Exhausted) -> dict[str, Value]:
    match outcome:
        case Completed(value):
            return {"value": value}
        case Suspended(operation, payload):
            return {"operation": operation, "payload": payload} | _span_member(outcome.span)
        case Failed(reason):
            failure: dict[str, Value] = {"kind": reason.kind.value}
            if reason.key is not None:
                failure["key"] = reason.key
            if outcome.detail is not None:
                failure["detail"] = outcome.detail
            return {"failure": record(failure | _span_member(outcome.span))}
        case Exhausted(limit, bound):
            return {"limit": limit, "bound": round(bound)}


def _span_member(span: Span | None) -> dict[str, Value]:
    if span is None:
        return {}
    return {"span": (span.line, span.column, span.end_line, span.end_column)}
