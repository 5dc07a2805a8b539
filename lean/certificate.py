"""Certificates of runs: a few Lean files and a manifest, from a program, answers and a trace (SPEC §15).

A certificate says that the program's run on these answers has this status and these records, and no other,
and that the denotation says the same; that the trace lies in a profile; and, unless it would take too long,
which canonical bytes program, answers and records have. `make` writes it and needs no Lean;
`certificate_check` puts it to Lean; `certificate_files` keeps it in a folder.

Making is deterministic: from the same program, answers, records and profile the same files come, byte for
byte, and so the same digest. That is how one checks what a certificate is about: write it again, compare.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

import attrs

from eclogue.core.canonical import commitment
from eclogue.core.encoding import program_ref
from eclogue.core.errors import EclogueError
from eclogue.core.outcomes import HostAnswer
from eclogue.core.profiles import Profile
from eclogue.core.syntax import Program
from eclogue.core.trace import START_REF, Record, next_ref, skeleton
from eclogue.core.values import Value
from eclogue.lean.certificate_segments import STRETCH_THEOREMS, segmented
from eclogue.lean.certificate_single import MODULE, single
from eclogue.lean.certificate_terms import (
    BYTE_THEOREMS,
    LIBRARY,
    NotCertifiable,
    Subject,
    applied,
    lines,
)
from eclogue.lean.lock import Lock, read_lock
from eclogue.lean.sources import HERE
from eclogue.lean.stretches import CannotFollow, Stretch, TooManySteps, stretches
from eclogue.lean.toolchain import COMMIT, VERSION
from eclogue.validator.answers import answers_text

__all__ = [
    "Certificate",
    "CertificateLimits",
    "CertificateTooLarge",
    "NotCertifiable",
    "make",
    "subject_digests",
]

FORMAT = "eclogue-certificate/1"
"""Names this form of manifest and of text: another form is another certificate."""
PROOFS = HERE.parent / "proofs"


class CertificateTooLarge(EclogueError):
    """The run is longer than certificates are made for: nothing is said about it."""


@attrs.frozen(kw_only=True)
class CertificateLimits:
    """Up to where certificates are made. They are part of what a certificate is: other limits, other text.

    `records`: a longer run has none. `stated_bytes`: canonical bytes of program, answers and records
    together, up to which they are stated; above, the encoder has to be trusted for the terms. `steps`: of
    the machine; a longer run has no certificate. `stretch_records`, `stretch_steps`: a run with more of
    either is cut into stretches of at most so many. `text`: characters of all files.
    """

    records: int = 20_000
    stated_bytes: int = 32_768
    steps: int = 400_000
    stretch_records: int = 500
    stretch_steps: int = 5_000
    text: int = 64 << 20


@attrs.frozen(kw_only=True)
class Certificate:
    """A certificate: the text of each Lean module by its name, and what it is about.

    `theorems` are the ids of the claims that it applies, with the digests that `proofs/theorems.toml` locks
    for each: of the statement and of the definitions in it. Digests are SHA-256 in hexadecimal with their
    prefix; `manifest` has all of this as one JSON document, whose digest is the certificate's.
    """

    program_ref: str
    answers_digest: str
    trace_ref: str
    status: str
    records: int
    profile: Profile
    states_bytes: bool
    segments: int
    theorems: Mapping[str, tuple[str, str]]
    foundation: str
    modules: Mapping[str, str]
    """The text of each Lean module by its name, each after those that it imports."""

    @property
    def theorem(self) -> str:
        """The full name of the theorem that is the certificate."""
        return f"{LIBRARY}.certificate"

    @property
    def module(self) -> str:
        """The module with that theorem, the last one."""
        return MODULE

    @property
    def manifest(self) -> str:
        """The manifest: one JSON object that names every file with its digest."""
        document = {
            "format": FORMAT,
            "program_ref": self.program_ref,
            "answers_digest": self.answers_digest,
            "trace_ref": self.trace_ref,
            "status": self.status,
            "records": self.records,
            "profile": self.profile.value,
            "states_bytes": self.states_bytes,
            "segments": self.segments,
            "lean": {"version": VERSION, "commit": COMMIT},
            "foundation_digest": self.foundation,
            "theorems": {
                claim: {"statement": statement, "definitions": definitions}
                for claim, (statement, definitions) in self.theorems.items()
            },
            "files": {file_name(name): text_digest(text) for name, text in self.modules.items()},
        }
        return json.dumps(document, indent=2) + "\n"

    @property
    def digest(self) -> str:
        """The digest of the manifest, and so of everything that the certificate is."""
        return text_digest(self.manifest)


def make(
    program: Program,
    answers: Sequence[HostAnswer],
    records: Sequence[Record],
    profile: Profile,
    *,
    salt: bytes = b"",
    limits: CertificateLimits | None = None,
    lock: Lock | None = None,
) -> Certificate:
    """Write the certificate of one whole run: completed, failed, or suspended after these answers.

    `records` are the trace, oldest first; `salt` is the one of its refs. `lock` is the theorem map, the
    installed one if None. Raises `NotCertifiable` for a trace that is cut off or not in the profile,
    `CertificateTooLarge` for a run beyond `limits`, and `LimitExceeded("value_size")`. A trace that is not
    the program's gives a certificate that Lean refuses.
    """
    bounds = limits or CertificateLimits()
    if len(records) > bounds.records:
        raise CertificateTooLarge(
            f"the trace has {len(records)} records; certificates are made for at most {bounds.records}"
        )
    subject = Subject(program=program, answers=tuple(answers), records=tuple(records), profile=profile)
    subject.check()
    states_bytes = _size(subject) <= bounds.stated_bytes
    cut = _cut(subject, bounds)
    if len(cut) == 1:
        modules = single(subject, states_bytes=states_bytes)
    else:
        modules = segmented(subject, cut, states_bytes=states_bytes)
    if sum(map(len, modules.values())) > bounds.text:
        raise CertificateTooLarge(f"the certificate would have more than {bounds.text} characters")
    main = ("certified",) if len(cut) == 1 else STRETCH_THEOREMS
    theorems = (*main, *applied(subject), *(BYTE_THEOREMS if states_bytes else ()))
    locked = lock or read_lock(PROOFS)
    program_digest, answers_digest, trace_ref = subject_digests(program, answers, records, salt)
    return Certificate(
        program_ref=program_digest,
        answers_digest=answers_digest,
        trace_ref=trace_ref,
        status=subject.status,
        records=len(subject.records),
        profile=profile,
        states_bytes=states_bytes,
        segments=len(cut),
        theorems={claim: _locked(locked, claim) for claim in theorems},
        foundation=locked.foundation,
        modules=modules,
    )


def subject_digests(
    program: Program, answers: Sequence[HostAnswer], records: Sequence[Record], salt: bytes = b""
) -> tuple[str, str, str]:
    """Return the program's ref, the digest of the answers document's canonical bytes, the trace's ref."""

    def commit(value: Value) -> str:
        return commitment(value, salt)

    ref = START_REF
    for number, item in enumerate(records):
        ref = next_ref(ref, skeleton(number, item, commit))
    return program_ref(program), text_digest(answers_text(answers)), ref


def file_name(module: str) -> str:
    """Return the path of a module's file in the certificate's folder."""
    return f"{module.replace('.', '/')}.lean"


def text_digest(text: str) -> str:
    """Return the digest of a text's bytes."""
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def _cut(subject: Subject, bounds: CertificateLimits) -> list[Stretch]:
    try:
        return stretches(
            subject.program.body,
            subject.answers,
            most_records=bounds.stretch_records,
            most_steps=bounds.stretch_steps,
            all_steps=bounds.steps,
        )
    except TooManySteps as error:
        raise CertificateTooLarge(str(error)) from error
    except CannotFollow as error:
        raise NotCertifiable(str(error)) from error


def _size(subject: Subject) -> int:
    program, answers, records = lines(subject)
    return sum(len(text.encode()) for text in (program, *answers, *records))


def _locked(lock: Lock, claim: str) -> tuple[str, str]:
    entry = lock.theorems.get(claim)
    return ("", "") if entry is None else (entry.statement, entry.definitions)
