"""A certificate in several files: each has one stretch of the run, and the last one puts them together.

A stretch goes from a point of the machine to another; `stretch_checked` makes the kernel's evaluation of
so many steps a statement about them, after whatever was recorded before; `stretches_compose` joins two; and
`certified_stretch` says that one from start to stop is a run. So Lean takes the memory of one stretch,
whatever the length of the run and whether or not it ever waits for the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eclogue.core.trace import Record, RunEnd
from eclogue.lean.certificate_single import ANSWERS, CERTIFICATE, MODULE, RECORDS, STATEMENT, STATUS
from eclogue.lean.certificate_terms import (
    LIBRARY,
    Subject,
    definition,
    module_text,
    statements,
    theorem,
)
from eclogue.lean.encode import answers_term, value_term
from eclogue.lean.named_terms import Definition, NamedEncoder
from eclogue.lean.stretches import Stretch

STRETCH_THEOREMS = ("stretch_checked", "stretches_compose", "certified_stretch")
"""The ids of the theorems that a certificate in stretches applies."""
PROGRAM = f"{LIBRARY}.Program"


def segmented(subject: Subject, cut: Sequence[Stretch], *, states_bytes: bool) -> dict[str, str]:
    """Return the modules of the certificate, each after those that it imports."""
    return _Writer(subject, cut).modules(states_bytes=states_bytes)


def stretch_module(number: int) -> str:
    """Return the name of the module of a stretch, which are counted from 1."""
    return f"{LIBRARY}.Stretch{number}"


class _Writer:
    def __init__(self, subject: Subject, cut: Sequence[Stretch]) -> None:
        self.subject = subject
        self.cut = cut
        self.encoder = NamedEncoder(subject.program, [stretch.end for stretch in cut[:-1]])

    def modules(self, *, states_bytes: bool) -> dict[str, str]:
        found = {PROGRAM: module_text(["Eclogue"], "The program of the run.", self._program())}
        previous = PROGRAM
        for number in range(1, len(self.cut) + 1):
            name = stretch_module(number)
            about = f"Stretch {number} of {len(self.cut)} of the run."
            found[name] = module_text([previous], about, self._stretch(number))
            previous = name
        about = "The certificate of one run, in stretches: `certificate` says what is certified."
        found[MODULE] = module_text([previous], about, self._certificate(states_bytes=states_bytes))
        return found

    def _program(self) -> Iterator[str]:
        yield from map(_plain, self.encoder.definitions())
        program = self.encoder.program(self.subject.program)
        yield definition("program", "Eclogue.Program", program, "The program.")
        yield _plain(("point_0", "Eclogue.Point", "Eclogue.Point.start program.body"))

    def _stretch(self, number: int) -> Iterator[str]:
        stretch = self.cut[number - 1]
        if number == len(self.cut):
            yield from map(_plain, self._last_point(stretch))
        else:
            yield from map(_plain, self.encoder.point(number, stretch.end))
        answers = "".join(f"(.cons ({value_term(value)}, {steps}) " for value, steps in stretch.answers)
        closed = f"{answers}.nil{')' * len(stretch.answers)}"
        yield _plain((f"answers_{number}", "List (Prod Eclogue.Value Nat)", closed))
        made = self._made(stretch)
        yield _plain((f"records_{number}", "List Eclogue.Record", self.encoder.records(made)))
        begin, end = f"point_{number - 1}", f"point_{number}"
        statement = (
            f"Eclogue.Stretch {begin} (Eclogue.answersAlone answers_{number}) records_{number} {end}"
        )
        given = f"{stretch.steps} answers_{number} {begin} records_{number} {end}"
        about = f"From {begin} the machine gets to {end}, with these records, whatever was recorded before."
        yield theorem(f"stretch_{number}", statement, f"Eclogue.Proof.stretch_checked {given} rfl", about)

    def _made(self, stretch: Stretch) -> tuple[Record, ...]:
        """Return the records of a stretch; the last one has all that are left: none goes unstated."""
        records = self.subject.records
        if stretch is not self.cut[-1]:
            return records[stretch.begin.next : stretch.end.next]
        ended = isinstance(records[-1], RunEnd)
        return records[stretch.begin.next : len(records) - ended]

    def _last_point(self, stretch: Stretch) -> Iterator[Definition]:
        found: list[Definition] = []
        outcome = self.encoder.outcome(stretch.end, "outcome", found)
        yield from found
        yield "outcome", "Eclogue.Outcome", outcome
        final = f"Eclogue.Point.final outcome {stretch.end.next}"
        yield f"point_{len(self.cut)}", "Eclogue.Point", final

    def _certificate(self, *, states_bytes: bool) -> Iterator[str]:
        subject = self.subject
        answers = answers_term(subject.values)
        yield definition("answers", "List Eclogue.Value", answers, ANSWERS)
        # Joined from the last stretch on, records come as `(… ++ 2) ++ 1`, answers as `1 ++ (2 ++ …)`.
        joined, all_records = f"stretch_{len(self.cut)}", f"records_{len(self.cut)}"
        for number in range(len(self.cut) - 1, 0, -1):
            joined = f"(Eclogue.Proof.stretches_compose _ _ _ _ _ _ _ stretch_{number} {joined})"
            all_records = f"(List.append {all_records} records_{number})"
        yield definition("trace", "List Eclogue.Record", all_records, "What the stretches record, joined.")
        last = subject.records[-1]
        ended = isinstance(last, RunEnd)
        records = f".cons {self.encoder.record(last)} trace" if ended else "trace"
        yield definition("records", "List Eclogue.Record", records, RECORDS)
        yield definition("status", "Eclogue.Status", self.encoder.status(subject.outcome), STATUS)
        given = f"program.body answers trace outcome {self.cut[-1].end.next}"
        yield theorem(
            "certificate", STATEMENT, f"Eclogue.Proof.certified_stretch {given} {joined}", CERTIFICATE
        )
        yield from statements(subject, states_bytes=states_bytes)


def _plain(item: Definition) -> str:
    name, kind, body = item
    return f"noncomputable def {name} : {kind} := {body}\n"
