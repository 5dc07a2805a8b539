"""Reading a claim of somebody else's: its subjects, and whether it says what its strength means.

Nothing in a claim is believed. What can be found out again is, and the claim is written anew from that;
where the two differ the claim is refused, with the place. The fields that say who verified, when, and with
which Lean binary are not compared with this machine; the companion binds them to the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Any

import attrs

from eclogue.core.errors import MalformedInput
from eclogue.validator.bundle import Statement
from eclogue.validator.claims_map import ClaimsMap
from eclogue.validator.envelope import Subject, companion_of, descriptor
from eclogue.validator.evidence import Strength
from eclogue.validator.predicate import Facet, LeanFacts, RunFacts, predicate_of

ROLES = ("program", "trace", "answers", "files")


@attrs.frozen
class Claimed:
    """What a claim says of itself: strength, time, version, and its certificate if it has one."""

    strength: Strength
    time: str
    version: str
    answers: str
    """The digest of the answers, which nobody can find out again from a redacted trace."""
    lean: LeanFacts | None
    facets: tuple[Facet, ...] = ()
    """Those beside control."""


class FieldRefused(MalformedInput):
    """A field of a claim that has another form than claims have."""


def subjects_of(statement: Statement) -> dict[str, Subject]:
    """Return the subjects by role; raises `MalformedInput` for subjects of another form."""
    listed = statement.document.get("subject")
    if not isinstance(listed, list):
        raise MalformedInput("the statement has no list of subjects")
    found: dict[str, Subject] = {}
    for number, item in enumerate(listed):
        subject = _subject(item, f"subject[{number}]")
        if subject.role in found:
            raise MalformedInput(f"subject[{number}]: there is another subject in the role {subject.role}")
        found[subject.role] = subject
    for role in ROLES[:2]:
        if role not in found:
            raise MalformedInput(f"the claim has no subject in the role {role}")
    if listed != [descriptor(found[role]) for role in ROLES if role in found]:
        raise MalformedInput("the subjects are not in the order and the form that they are written in")
    return found


def _subject(item: Any, where: str) -> Subject:
    fields = _object(item, where, {"name", "digest", "annotations"})
    notes = _object(fields["annotations"], f"{where}.annotations", {"role", "ref"}, {"task", "arguments"})
    name = _text(fields["name"], f"{where}.name")
    if not plain_name(name):
        raise MalformedInput(f"{where}.name: {name!r} is not the plain name of a file")
    role = _text(notes["role"], f"{where}.annotations.role")
    if role not in ROLES:
        raise MalformedInput(f"{where}.annotations.role: {role!r} is not one of {', '.join(ROLES)}")
    if role != "program" and len(notes) > 2:
        raise MalformedInput(f"{where}.annotations: only a program has a task and arguments")
    arguments = notes.get("arguments", {})
    given = _object(arguments, f"{where}.annotations.arguments", set(), None)
    task = notes.get("task")
    return Subject(
        name=name,
        role=role,
        digest=_digest(fields["digest"], f"{where}.digest").removeprefix("sha256:"),
        ref=_ref(notes["ref"], f"{where}.annotations.ref"),
        task=None if task is None else _text(task, f"{where}.annotations.task"),
        arguments=tuple(
            (key, _text(value, f"{where}.annotations.arguments")) for key, value in given.items()
        ),
    )


def plain_name(name: str) -> bool:
    """Return whether a name is that of a file in the same folder, and of nothing else anywhere."""
    return (
        0 < len(name.encode("utf-8", "surrogatepass")) <= 255
        and name not in {".", ".."}
        and name.isprintable()  # no control characters, none that reorder text, no half of a pair
        and not re.search(r"[/\\]", name)
        and not re.fullmatch(r"[A-Za-z]:.*", name)
    )


def claimed_of(statement: Statement, known: ClaimsMap) -> Claimed:
    """Return what a claim says of itself; raises `FieldRefused` for what no claim says."""
    predicate = statement.document.get("predicate")
    if not isinstance(predicate, dict):
        raise FieldRefused("predicate: is no object")
    try:
        strength = Strength(predicate.get("strength"))
    except ValueError:
        raise FieldRefused("predicate.strength: is no strength that is issued") from None
    if strength is Strength.RUNTIME_ONLY:
        raise FieldRefused("predicate.strength: no envelope is issued for runtime_only")
    time = _text(predicate.get("timeVerified"), "predicate.timeVerified")
    if not _TIME.fullmatch(time) or not _is_time(time):
        raise FieldRefused("predicate.timeVerified: is no time like 2026-01-31T12:00:00Z")
    verifier = predicate.get("verifier")
    versions = verifier.get("version") if isinstance(verifier, dict) else None
    version = _text(versions.get("eclogue") if isinstance(versions, dict) else None, "predicate.verifier")
    if not _VERSION.fullmatch(version):
        raise FieldRefused("predicate.verifier.version.eclogue: is no version like 1.2.3")
    lean = None
    if strength is Strength.SEMANTIC_ADEQUACY:
        lean = _lean(predicate, known)
    return Claimed(strength, time, version, _inputs(predicate), lean, _facets(predicate))


def _facets(predicate: Mapping[str, Any]) -> tuple[Facet, ...]:
    """Return the facets that a claim has beside control."""
    listed = predicate.get("facets")
    if not isinstance(listed, list) or not listed:
        raise FieldRefused("predicate.facets: is no list of facets")
    found = []
    for number, item in enumerate(listed):
        where = f"predicate.facets[{number}]"
        fields = _object(item, where, {"of", "strength"})
        found.append(Facet(_text(fields["of"], where), _text(fields["strength"], where)))
    return tuple(found[1:])


def _inputs(predicate: Mapping[str, Any]) -> str:
    """Return the digest of the answers that a claim names."""
    inputs = predicate.get("inputs")
    if not isinstance(inputs, list) or len(inputs) != 1:
        raise FieldRefused("predicate.inputs: is no list of the one input, the answers")
    item = _object(inputs[0], "predicate.inputs[0]", {"name", "digest"})
    return _digest(item["digest"], "predicate.inputs[0].digest")


_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,64}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _lean(predicate: Mapping[str, Any], known: ClaimsMap) -> LeanFacts:
    where = "predicate.certificate"
    certificate = _object(
        predicate.get("certificate"), where, {"digest", "statesBytes", "segments", "applies"}
    )
    lean = _object(
        predicate.get("lean"), "predicate.lean", {"version", "commit", "binary", "sources", "foundation"}
    )
    applied = certificate["applies"]
    if not isinstance(applied, list) or not all(name in known.theorems for name in map(str, applied)):
        raise FieldRefused(f"{where}.applies: names what is no theorem of the map")
    if not isinstance(certificate["statesBytes"], bool):
        raise FieldRefused(f"{where}.statesBytes: is neither true nor false")
    if type(certificate["segments"]) is not int or certificate["segments"] < 1:
        raise FieldRefused(f"{where}.segments: is no number of segments")
    made = known.made(certificate["segments"], states_bytes=certificate["statesBytes"]).theorems
    profile = predicate.get("profile")
    if tuple(name for name in applied if name != f"valid_{profile}") != made:
        raise FieldRefused(f"{where}.applies: is not what such a certificate applies")

    def digest(name: str) -> str:
        inner = _object(lean[name], f"predicate.lean.{name}", {"digest"})
        return _digest(inner["digest"], f"predicate.lean.{name}.digest")

    if digest("foundation") != known.foundation:
        raise FieldRefused("predicate.lean.foundation: is not the foundation that the theorem map locks")
    return LeanFacts(
        certificate=_digest(certificate["digest"], f"{where}.digest"),
        states_bytes=certificate["statesBytes"],
        segments=certificate["segments"],
        applied=tuple(applied),
        version=_text(lean["version"], "predicate.lean.version"),
        commit=_text(lean["commit"], "predicate.lean.commit"),
        binary=digest("binary"),
        sources=digest("sources"),
        foundation=digest("foundation"),
    )


# ------------------------------------------------------------------------------------------------
# What differs


@attrs.frozen
class Difference:
    """A place of a claim where something else would have to stand."""

    place: str
    expected: object
    found: object


def differences(
    statement: Statement,
    claimed: Claimed,
    facts: RunFacts,
    lean: LeanFacts | None,
    known: ClaimsMap,
    facets: Sequence[Facet] = (),
) -> list[Difference]:
    """Return how a claim differs from the one that its strength means for this run (`envelope.recheck`).

    `lean` is what there is to be said about the certificate, `facets` about the sides of the run beside
    control: what was found out, or what is claimed.
    """
    expected = predicate_of(
        facts, claimed.strength.value, lean, known,
        version=claimed.version, time=claimed.time, facets=facets,
    )  # fmt: skip
    found: list[Difference] = []
    _compare(expected, statement.document["predicate"], "predicate", found)
    unknown = sorted(statement.document.keys() - {"_type", "subject", "predicateType", "predicate"})
    return [*found, *(Difference(key, None, statement.document[key]) for key in unknown)]


def _compare(expected: Any, given: Any, place: str, found: list[Difference]) -> None:
    """Compare two documents; the expected one is of our making, and not deep."""
    if type(expected) is not type(given):
        found.append(Difference(place, expected, given))
    elif isinstance(expected, dict):
        for key in sorted(expected.keys() | given.keys()):
            if key in expected and key in given:
                _compare(expected[key], given[key], f"{place}.{key}", found)
            else:  # also where a member that may not be there is null
                found.append(Difference(f"{place}.{key}", expected.get(key), given.get(key)))
    elif isinstance(expected, list):
        if len(expected) != len(given):
            found.append(Difference(place, expected, given))
            return
        for number, (left, right) in enumerate(zip(expected, given, strict=True)):
            _compare(left, right, f"{place}[{number}]", found)
    elif expected != given:
        found.append(Difference(place, expected, given))


def belongs(claim: Statement, companion: Statement) -> bool:
    """Return whether a companion is the one of this claim, to the byte."""
    said = claim.document
    try:
        return companion_of(claim.payload, said["subject"], said["predicate"]) == companion.payload
    except (KeyError, TypeError, AttributeError):
        return False


# ------------------------------------------------------------------------------------------------
# Fields


_NOTHING_ELSE: frozenset[str] = frozenset()


def _object(
    item: Any, where: str, needed: set[str], more: Set[str] | None = _NOTHING_ELSE
) -> dict[str, Any]:
    """Return an object with these members; with `more` None, with any others too."""
    if not isinstance(item, dict):
        raise FieldRefused(f"{where}: is no object")
    missing = sorted(needed - item.keys())
    if missing:
        raise FieldRefused(f"{where}: has no `{missing[0]}`")
    unknown = [] if more is None else sorted(item.keys() - needed - more)
    if unknown:
        raise FieldRefused(f"{where}: has an unknown `{unknown[0]}`")
    return item


def _text(item: Any, where: str) -> str:
    if not isinstance(item, str):
        raise FieldRefused(f"{where}: is no text")
    return item


def _ref(item: Any, where: str) -> str:
    text = _text(item, where)
    if not re.fullmatch("sha256:[0-9a-f]{64}", text):
        raise FieldRefused(f"{where}: is no ref like sha256:…")
    return text


def _digest(item: Any, where: str) -> str:
    digits = _object(item, where, {"sha256"})["sha256"]
    if not isinstance(digits, str) or not re.fullmatch("[0-9a-f]{64}", digits):
        raise FieldRefused(f"{where}: is no SHA-256 digest in hexadecimal")
    return f"sha256:{digits}"
