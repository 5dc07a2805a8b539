"""What Lean's kernel said about one run's certificate: data, made by the bridge, judged by `evidence`."""

from __future__ import annotations

import enum

import attrs

from eclogue.core.profiles import Profile
from eclogue.validator.known_leans import is_known


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
    """Which Lean checked, and against which sources; digests are `sha256:…`.

    `found` says where: `package`, `path` or `setting`.
    """

    version: str
    commit: str
    binary_digest: str
    sources_digest: str
    foundation_digest: str
    found: str

    @property
    def known(self) -> bool:
        """Whether the Lean is one that has been looked at."""
        return is_known(self.binary_digest)

    def __str__(self) -> str:
        known = "a known one" if self.known else f"not a known one ({self.binary_digest})"
        return f"{self.version}, {_FOUND[self.found]}, {known}"


_FOUND = {
    "package": "of the package",
    "path": "found on PATH",
    "setting": "named by ECLOGUE_LEAN",
}


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
