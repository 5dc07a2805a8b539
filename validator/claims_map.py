"""What is claimed about a run, as `proofs/claims.toml` and `proofs/theorems.toml` have it.

Envelopes say nothing of their own: theorems, assumptions and non-claims come from these files, by profile
and strength, and so do the digests that a certificate's theorems must have.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from eclogue.core.errors import MalformedInput
from eclogue.core.profiles import Profile

PROOFS = Path(__file__).resolve().parent.parent / "proofs"


@attrs.frozen
class Theorem:
    """A theorem of the map: id, name in Lean, digest `sha256:…` of its statement, and axioms."""

    id: str
    declaration: str
    statement_digest: str
    axioms: tuple[str, ...]


@attrs.frozen
class Said:
    """An assumption or a non-claim: its id and its sentence."""

    id: str
    text: str


@attrs.frozen
class Cited:
    """Ids of theorems, and the equations that are evaluated for the run at hand."""

    theorems: tuple[str, ...] = ()
    decides: tuple[str, ...] = ()

    def __add__(self, other: Cited) -> Cited:
        return Cited(self.theorems + other.theorems, self.decides + other.decides)


@attrs.frozen
class Claim:
    """What one strength means in one profile: what it cites, assumes and does not say.

    `admitted` is cited besides where the program is admitted to the profile, else `not_admitted`.
    """

    cited: Cited
    admitted: Cited
    not_admitted: Cited
    assumptions: tuple[str, ...]
    non_claims: tuple[str, ...]


@attrs.frozen
class FacetSays:
    """What a facet assumes and does not say besides, and the non-claims that this stands for."""

    assumptions: tuple[str, ...]
    non_claims: tuple[str, ...]
    instead_of: tuple[str, ...]


@attrs.frozen(eq=False)
class ClaimsMap:
    """Both files as data. `issued` are the strengths that any command may grant."""

    foundation: str
    theorems: Mapping[str, Theorem]
    issued: frozenset[str]
    claims: Mapping[tuple[Profile, str], Claim]
    whole: Cited
    """What a certificate rests on that is in one piece; in several pieces; that states bytes."""
    pieces: Cited
    stated_bytes: Cited
    assumptions: Mapping[str, Said]
    falls_with_bytes: frozenset[str]
    """Assumptions that are none where a certificate states bytes; where the Lean is a known one."""
    falls_with_known_lean: frozenset[str]
    non_claims: Mapping[str, Said]
    facets: Mapping[str, FacetSays]
    """What a facet beside control adds, by its name."""

    def made(self, segments: int, *, states_bytes: bool) -> Cited:
        """Return what a certificate that was made in this way rests on."""
        main = self.whole if segments == 1 else self.pieces
        return main + self.stated_bytes if states_bytes else main

    def assumed(
        self, profile: Profile, strength: str, *, states_bytes: bool = False, known_lean: bool = False
    ) -> tuple[Said, ...]:
        """Return what a claim rests on."""
        falls = self.falls_with_bytes if states_bytes else frozenset[str]()
        falls |= self.falls_with_known_lean if known_lean else frozenset[str]()
        wanted = self.claims[profile, strength].assumptions
        return tuple(self.assumptions[name] for name in wanted if name not in falls)

    def not_claimed(self, profile: Profile, strength: str, facets: Iterable[str] = ()) -> tuple[Said, ...]:
        """Return what a claim with these facets, beside control, does not say."""
        says = [self.facets[name] for name in facets if name in self.facets]
        dropped = {name for each in says for name in each.instead_of}
        kept = [name for name in self.claims[profile, strength].non_claims if name not in dropped]
        return tuple(
            self.non_claims[name] for name in (*kept, *(n for each in says for n in each.non_claims))
        )

    def assumed_by(self, facets: Iterable[str]) -> tuple[Said, ...]:
        """Return what facets rest on besides."""
        says = [self.facets[name] for name in facets if name in self.facets]
        return tuple(self.assumptions[name] for each in says for name in each.assumptions)


@functools.cache
def read_claims(folder: Path = PROOFS) -> ClaimsMap:
    """Return the claims and theorems in a folder. Raises `MalformedInput` for files of another form."""
    try:
        claims = tomllib.loads((folder / "claims.toml").read_text(encoding="utf-8"))
        theorems = tomllib.loads((folder / "theorems.toml").read_text(encoding="utf-8"))
        return _map(claims, theorems)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise MalformedInput(f"{folder.name}: the claims cannot be read: {error!r}") from error


def _map(claims: Mapping[str, Any], theorems: Mapping[str, Any]) -> ClaimsMap:
    return ClaimsMap(
        foundation=theorems["foundation"],
        theorems={
            entry["id"]: Theorem(entry["id"], entry["lean"], entry["statement"], tuple(entry["axioms"]))
            for entry in theorems["theorem"]
        },
        issued=frozenset(entry["id"] for entry in claims["strength"] if entry["issued"]),
        claims={
            (Profile(profile), strength): Claim(
                cited=_cited(entry),
                admitted=_cited(entry.get("admitted")),
                not_admitted=_cited(entry.get("not_admitted")),
                assumptions=tuple(entry["assumptions"]),
                non_claims=tuple(entry["non_claims"]),
            )
            for profile, strengths in claims["profile"].items()
            for strength, entry in strengths.items()
        },
        whole=_cited(claims["certificate"]["whole"]),
        pieces=_cited(claims["certificate"]["pieces"]),
        stated_bytes=_cited(claims["certificate"]["bytes"]),
        assumptions={entry["id"]: Said(entry["id"], entry["text"]) for entry in claims["assumption"]},
        falls_with_bytes=_falling(claims, "falls_with_stated_bytes"),
        falls_with_known_lean=_falling(claims, "falls_with_known_lean"),
        non_claims={entry["id"]: Said(entry["id"], entry["text"]) for entry in claims["non_claim"]},
        facets={
            name: FacetSays(
                tuple(entry["assumptions"]), tuple(entry["non_claims"]), tuple(entry["instead_of"])
            )
            for name, entry in claims["facet"].items()
        },
    )


def _falling(claims: Mapping[str, Any], how: str) -> frozenset[str]:
    return frozenset(entry["id"] for entry in claims["assumption"] if entry.get(how, False))


def _cited(entry: Mapping[str, Any] | None) -> Cited:
    return Cited() if entry is None else Cited(tuple(entry["theorems"]), tuple(entry["decides"]))
