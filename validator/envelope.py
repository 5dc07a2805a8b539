"""The proof envelope: what is claimed about one run, from the evidence that there is (SPEC §16).

The strength of a claim is `strength_of` the evidence, and nothing here can be told one. There is no
envelope for a run that was rejected, and none for one that was recorded and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import attrs

from eclogue.core.errors import EclogueError
from eclogue.core.outcomes import Completed, Failed
from eclogue.validator.bundle import PREDICATE_TYPE, STATEMENT_TYPE, SVR_TYPE
from eclogue.validator.certificate_evidence import CertificateChecked
from eclogue.validator.claims_map import ClaimsMap, read_claims
from eclogue.validator.evidence import Evidence, Granted, Strength, about, strength_of
from eclogue.validator.files_evidence import FilesChecked, facets_of
from eclogue.validator.predicate import LeanFacts, RunFacts, predicate_of
from eclogue.validator.strict_json import written
from eclogue.validator.validation import disagreement


class NothingToClaim(EclogueError):
    """The evidence supports no claim: the run was rejected, or nothing was compared with it."""


@attrs.frozen
class Subject:
    """A file that the claim is about.

    `role` is `program`, `trace`, `answers` or `files`; `digest` is the SHA-256 of its bytes, in
    hexadecimal; `ref` is the ref of what it says. `task` and `arguments` (canonical JSON by name) say which
    closed program of a source is meant.
    """

    name: str
    role: str
    digest: str
    ref: str
    task: str | None = None
    arguments: tuple[tuple[str, str], ...] = ()


def claim_of(
    evidence: Evidence,
    *,
    version: str,
    time: str,
    files: FilesChecked | None = None,
    claims: ClaimsMap | None = None,
) -> tuple[Granted, dict[str, Any]]:
    """Return what is granted and the predicate that says it (`envelope.claim`).

    `version` is Eclogue's, `time` that of the verification in RFC 3339; with `files`, what was
    found about the files of an executed run, the claim has facets beside control.
    Raises `NothingToClaim` where the evidence does not support `reference_validated`.
    """
    known = claims or read_claims()
    granted = strength_of(evidence, known)
    if evidence.replayed is None or granted.strength is Strength.RUNTIME_ONLY:
        raise NothingToClaim(granted.reason)
    if disagreement(evidence, evidence.replayed) is not None:
        raise NothingToClaim("two readings of the program disagree")
    lean = None
    if granted.strength is Strength.SEMANTIC_ADEQUACY and evidence.certificate is not None:
        lean = lean_facts(evidence.certificate)
    facts = run_facts(evidence)
    facets = facets_of(files, performed_in(evidence))
    strength = granted.strength.value
    return granted, predicate_of(facts, strength, lean, known, version=version, time=time, facets=facets)


def performed_in(evidence: Evidence) -> list[str]:
    """Return the operations that a run that was replayed performed."""
    assert evidence.replayed is not None
    return [operation for operation, _ in evidence.replayed.run.performed()]


def run_facts(evidence: Evidence) -> RunFacts:
    """Return what a claim says of a run that was replayed."""
    assert evidence.replayed is not None
    _, answers, _, records = about(evidence)
    outcome = evidence.replayed.run.outcome
    status = {Completed: "completed", Failed: "failed"}.get(type(outcome), "suspended")
    return RunFacts(evidence.profile.profile, status, records, answers)


def lean_facts(found: CertificateChecked) -> LeanFacts:
    """Return what a claim says of a certificate that was checked."""
    assert found.lean is not None
    return LeanFacts(
        certificate=found.certificate_digest,
        states_bytes=found.states_bytes,
        segments=found.segments,
        applied=tuple(theorem.id for theorem in found.theorems),
        version=found.lean.version,
        commit=found.lean.commit,
        binary=found.lean.binary_digest,
        sources=found.lean.sources_digest,
        foundation=found.lean.foundation_digest,
    )


# ------------------------------------------------------------------------------------------------
# Statements


def statements(predicate: dict[str, Any], subjects: Sequence[Subject]) -> tuple[bytes, bytes]:
    """Return the bytes of the envelope's statement and of its companion."""
    described = [descriptor(subject) for subject in subjects]
    claim = written(_statement(described, PREDICATE_TYPE, predicate))
    return claim, companion_of(claim, described, predicate)


def companion_of(claim: bytes, subjects: Sequence[Any], predicate: dict[str, Any]) -> bytes:
    """Return the Simple Verification Result that belongs to an envelope's statement (`envelope.companion`).

    It names that statement by its digest, so that neither can be changed alone.
    """
    properties = [
        f"ECLOGUE_STRENGTH_{predicate['strength']}".upper(),
        f"ECLOGUE_PROFILE_{predicate['profile']}".upper(),
        f"ECLOGUE_STATUS_{predicate['outcome']['status']}".upper(),
    ]
    verifier = {
        "id": predicate["verifier"]["id"],
        "policies": [{"uri": PREDICATE_TYPE, "digest": {"sha256": sha256(claim).hexdigest()}}],
    }
    result = {"verifier": verifier, "timeCreated": predicate["timeVerified"], "properties": properties}
    return written(_statement(list(subjects), SVR_TYPE, result))


def _statement(subjects: list[Any], kind: str, predicate: dict[str, Any]) -> dict[str, Any]:
    return {
        "_type": STATEMENT_TYPE,
        "subject": subjects,
        "predicateType": kind,
        "predicate": predicate,
    }


def descriptor(subject: Subject) -> dict[str, Any]:
    """Return the resource descriptor that a statement has for a file."""
    annotations: dict[str, Any] = {"role": subject.role, "ref": subject.ref}
    if subject.task is not None:
        annotations["task"] = subject.task
    if subject.arguments:
        annotations["arguments"] = dict(subject.arguments)
    return {"name": subject.name, "digest": {"sha256": subject.digest}, "annotations": annotations}
