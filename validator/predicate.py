"""How a claim is laid out: the predicate of an envelope, as a function of what it says (SPEC §16).

Two use it. `envelope` issues claims, with a strength that was computed from evidence. `verification` writes
a claim again with the strength that it makes, to see whether the rest is what this strength means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from eclogue.core.profiles import Profile
from eclogue.validator.claims_map import ClaimsMap
from eclogue.validator.known_leans import is_known

VERIFIER = "urn:eclogue:verifier:v1"


@attrs.frozen
class Facet:
    """How strong the claim is about one side of a run: its control, its files, its processes."""

    of: str
    strength: str


@attrs.frozen
class RunFacts:
    """What every claim says of its run: profile, status, number of records, digest of the answers."""

    profile: Profile
    status: str
    records: int
    answers: str


@attrs.frozen
class LeanFacts:
    """What a claim says of its certificate and of the Lean that checked it; digests have their prefix."""

    certificate: str
    states_bytes: bool
    segments: int
    applied: tuple[str, ...]
    version: str
    commit: str
    binary: str
    sources: str
    foundation: str


def predicate_of(
    facts: RunFacts,
    strength: str,
    lean: LeanFacts | None,
    known: ClaimsMap,
    *,
    version: str,
    time: str,
    facets: Sequence[Facet] = (),
) -> dict[str, Any]:
    """Return the predicate that makes a claim of this strength.

    `version` is Eclogue's, `time` that of the verification in RFC 3339; `facets` are those beside control.
    """
    states_bytes = lean is not None and lean.states_bytes
    known_lean = lean is not None and is_known(lean.binary)
    assumed = known.assumed(facts.profile, strength, states_bytes=states_bytes, known_lean=known_lean)
    claimed = [each.of for each in facets if each.strength != "runtime_only"]
    assumed = (*assumed, *known.assumed_by(claimed))
    found: dict[str, Any] = {
        "profile": facts.profile.value,
        "strength": strength,
        "outcome": {"status": facts.status, "records": facts.records},
        "verifier": {"id": VERIFIER, "version": {"eclogue": version}},
        "timeVerified": time,
        "inputs": [{"name": "answers", "digest": digest_set(facts.answers)}],
        "facets": [{"of": each.of, "strength": each.strength} for each in _facets(strength, facets)],
        "assumptions": [{"id": item.id, "text": item.text} for item in assumed],
        "nonClaims": [
            {"id": item.id, "text": item.text}
            for item in known.not_claimed(facts.profile, strength, claimed)
        ],
    }
    return found if lean is None else {**found, **_lean(facts.profile, strength, lean, known)}


def _facets(strength: str, others: Sequence[Facet]) -> tuple[Facet, ...]:
    return (Facet("control", strength), *others)


def _lean(profile: Profile, strength: str, lean: LeanFacts, known: ClaimsMap) -> dict[str, Any]:
    claim = known.claims[profile, strength]
    admitted = claim.admitted if f"valid_{profile.value}" in lean.applied else claim.not_admitted
    cited = claim.cited + known.made(lean.segments, states_bytes=lean.states_bytes) + admitted
    return {
        "decides": list(cited.decides),
        "theorems": [_theorem(known, name) for name in known.theorems if name in cited.theorems],
        "certificate": {
            "digest": digest_set(lean.certificate),
            "statesBytes": lean.states_bytes,
            "segments": lean.segments,
            "applies": list(lean.applied),
        },
        "lean": {
            "version": lean.version,
            "commit": lean.commit,
            "binary": {"digest": digest_set(lean.binary)},
            "sources": {"digest": digest_set(lean.sources)},
            "foundation": {"digest": digest_set(lean.foundation)},
        },
    }


def _theorem(known: ClaimsMap, name: str) -> dict[str, Any]:
    theorem = known.theorems[name]
    return {
        "id": theorem.id,
        "decl": theorem.declaration,
        "statementDigest": digest_set(theorem.statement_digest),
        "axioms": list(theorem.axioms),
    }


def digest_set(ref: str) -> dict[str, str]:
    """Return the digest set of in-toto for `sha256:…`."""
    algorithm, _, digits = ref.partition(":")
    return {algorithm: digits}
