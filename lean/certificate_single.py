"""A certificate in one piece: one file, in which the kernel evaluates the validator on the whole run."""

from __future__ import annotations

from collections.abc import Iterator

from eclogue.lean.certificate_terms import (
    FUEL,
    LIBRARY,
    Subject,
    definition,
    module_text,
    statements,
    theorem,
)
from eclogue.lean.encode import Encoder, answers_term

MODULE = f"{LIBRARY}.Certificate"
"""The module that states what is certified; in one piece there is no other."""
ABOUT = "The certificate of one run: `certificate` says what is certified, the rest says of what."


def single(subject: Subject, *, states_bytes: bool) -> dict[str, str]:
    """Return the modules of the certificate, by name."""
    return {MODULE: module_text(["Eclogue"], ABOUT, _parts(subject, states_bytes=states_bytes))}


def _parts(subject: Subject, *, states_bytes: bool) -> Iterator[str]:
    encoder = Encoder.of(subject.program)
    yield definition("program", "Eclogue.Program", encoder.program(subject.program), "The program.")
    answers = answers_term(subject.values)
    yield definition("answers", "List Eclogue.Value", answers, ANSWERS)
    yield definition("records", "List Eclogue.Record", encoder.records(subject.records), RECORDS)
    yield definition("status", "Eclogue.Status", encoder.status(subject.outcome), STATUS)
    proof = f"Eclogue.Proof.certified {FUEL} program.body answers status records rfl"
    yield theorem("certificate", STATEMENT, proof, CERTIFICATE)
    yield from statements(subject, states_bytes=states_bytes)


ANSWERS = "What the host answered, in order."
RECORDS = "The records of the trace, newest first."
STATUS = "How the run stands."
STATEMENT = "Eclogue.Certificate program.body answers status records"
CERTIFICATE = "The program's run on these answers has this status and these records, and no other."
