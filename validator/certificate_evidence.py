"""What Lean's kernel said about one run's certificate: data, made by the bridge, judged by `evidence`."""

from __future__ import annotations

import enum

import attrs

from eclogue.core.profiles import Profile


class KernelVerdict(enum.Enum):
    """What came of putting a certificate to Lean: a time-out or a Lean that could not run is `UNKNOWN`."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


@attrs.frozen
class TheoremFound:
    """A theorem that the certificate applies, as the compiled development has it."""

    id: str
    declaration: str
    statement_digest: str
    """SHA-256, in hexadecimal, of the statement as `proofs/theorems.toml` locks it."""
    axioms: tuple[str, ...]


@attrs.frozen
class LeanIdentity:
    """Which Lean checked, and against which sources; digests are SHA-256 in hexadecimal."""

    version: str
    commit: str
    binary_digest: str
    sources_digest: str
    foundation_digest: str


@attrs.frozen
class CertificateChecked:
    """What a certificate is about, and what the kernel said of it.

    `program_ref`, `answers_digest` (SHA-256 of the canonical bytes of the answers document), `trace_ref`
    and `records` are those of the bytes, or where it states none of the terms, that it is about.
    """

    verdict: KernelVerdict
    reason: str
    program_ref: str
    answers_digest: str
    trace_ref: str
    records: int
    profile: Profile
    states_bytes: bool
    """Whether it states canonical bytes, so that the encoder need not be trusted."""
    segments: int
    certificate_digest: str
    theorems: tuple[TheoremFound, ...]
    lean: LeanIdentity | None
