"""What a certificate states, as Lean text: the subject, and the theorems about it.

The text is a function of the program, the answers, the records and the profile alone, so that whoever has
these can write it again and compare. Every name is written in full where it belongs to the development.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

from eclogue.core.canonical import text_of
from eclogue.core.encoding import program_text
from eclogue.core.errors import EclogueError, FailureReason
from eclogue.core.outcomes import Completed, Failed, HostAnswer, Outcome, Suspended
from eclogue.core.profiles import Profile, admit, trace_profile
from eclogue.core.syntax import Program
from eclogue.core.trace import (
    CompletedWith,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)
from eclogue.core.values import Value, record
from eclogue.core.wellformed import well_formed
from eclogue.lean.encode import text_term

LIBRARY = "EclogueRun"
"""The namespace of a certificate, and the folder of its modules."""
FUEL = 1_000_000_000
"""Steps that Lean's machine may take between two answers; unused ones cost nothing."""
EVALUATED = "evaluated rfl"
PRELUDE = """\
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
set_option exponentiation.threshold 10000000
set_option smartUnfolding false
"""
"""Deep terms are no mistake here, and clever unfolding is exponential on nested continuations."""


class NotCertifiable(EclogueError):
    """No certificate can say this: the trace is no whole run, or not in the profile that was asked for."""


@attrs.frozen(kw_only=True, eq=False)
class Subject:
    """What one certificate is about; `records` are those of a whole run, the oldest first."""

    program: Program
    answers: tuple[HostAnswer, ...]
    records: tuple[Record, ...]
    profile: Profile

    @property
    def values(self) -> tuple[Value, ...]:
        """The values of the answers."""
        return tuple(answer.value for answer in self.answers)

    @property
    def outcome(self) -> Outcome:
        """How the run stands, as its last record says; raises `NotCertifiable` for a cut-off trace."""
        match self.records[-1] if self.records else None:
            case RunEnd(CompletedWith(value)):
                return Completed(value)
            case RunEnd(FailureReason() as reason):
                return Failed(reason)
            case EffectDeclaration(operation, payload):
                return Suspended(operation, payload)
        raise NotCertifiable("the trace is not that of a whole run: it ends where no run stops")

    @property
    def status(self) -> str:
        """The outcome's name."""
        return type(self.outcome).__name__.lower()

    def check(self) -> None:
        """Raise `NotCertifiable` for what cannot be certified whatever Lean says."""
        problems = well_formed(self.program)
        if problems:
            raise NotCertifiable(f"the program is not well-formed: {problems[0]}")
        _ = self.outcome
        if self.profile is Profile.NONE:
            raise NotCertifiable("a certificate is about a profile of the calculus")
        found = trace_profile(self.records)
        if not found.profile.within(self.profile):
            raise NotCertifiable(f"the trace is not in the profile {self.profile.value}: {found.reason}")


# ------------------------------------------------------------------------------------------------
# Text


def chain(items: Iterable[str]) -> str:
    """Return a `List` of terms, which are given in its order."""
    written = [f"(.cons {item} " for item in items]
    return f"{''.join(written)}.nil{')' * len(written)}"


def definition(name: str, kind: str, body: str, about: str) -> str:
    """Return a definition with its docstring."""
    return f"/-- {about} -/\nnoncomputable def {name} : {kind} := {body}\n"


def theorem(name: str, statement: str, proof: str, about: str) -> str:
    """Return a theorem with its docstring."""
    return f"/-- {about} -/\ntheorem {name} : {statement} := {proof}\n"


def module_text(imports: Sequence[str], about: str, parts: Iterable[str]) -> str:
    """Return a module of the certificate."""
    header = "".join(f"import {name}\n" for name in imports)
    body = "".join(parts)
    return f"prelude\n{header}/-! {about} -/\n{PRELUDE}namespace {LIBRARY}\n\n{body}\nend {LIBRARY}\n"


def statements(subject: Subject, *, states_bytes: bool) -> Iterator[str]:
    """Yield the theorems about the profile and about bytes, for the module that states the certificate."""
    yield theorem(
        "evaluated",
        "{α : Type} → {a b : α} → Eq a b → Eq a b",
        "fun h => h",
        "Says that an equation holds by evaluation; Lean would look at a bare `rfl` twice.",
    )
    yield from (theorem(*said) for said in profile_theorems(subject))
    if states_bytes:
        yield from (theorem(*said) for said in byte_theorems(subject))


def profile_theorems(subject: Subject) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, statement, proof and description of what is said about the profile."""
    profile = subject.profile.value
    if subject.profile is Profile.CORE_A:
        return
    statement = f"Eq (Eclogue.all Eclogue.Record.{profile} records) true"
    about = f"Every record is one of the profile `{profile}`."
    if admit(subject.program).profile.within(subject.profile):
        yield (
            "admitted",
            f"Eq (Eclogue.{profile} program.body) true",
            EVALUATED,
            f"The program is admitted to `{profile}`: so is every run of it, whatever the host answers.",
        )
        proof = (
            f"Eclogue.Proof.valid_{profile} program.body answers status records admitted certificate.valid"
        )
        yield "in_profile", statement, proof, about
    else:
        yield "in_profile", statement, EVALUATED, about


def applied(subject: Subject) -> tuple[str, ...]:
    """Return the ids of the theorems that the certificate applies for the profile."""
    if subject.profile is Profile.CORE_A or not admit(subject.program).profile.within(subject.profile):
        return ()
    return (f"valid_{subject.profile.value}",)


# ------------------------------------------------------------------------------------------------
# Bytes


def record_line(number: int, item: Record) -> str:
    """Return the canonical JSON of a record with its number: the members of its skeleton, values opened."""
    return text_of(record({"record": type(item).__name__, "seq": number, **_members(item)}))


def lines(subject: Subject) -> tuple[str, list[str], list[str]]:
    """Return the canonical text of the program, of each answer's value, and of each record."""
    return (
        program_text(subject.program, annotations=False),
        [text_of(value) for value in subject.values],
        [record_line(number, item) for number, item in enumerate(subject.records)],
    )


def byte_theorems(subject: Subject) -> Iterator[tuple[str, str, str, str]]:
    """Yield what is said about bytes: equations, and conditions under which bytes determine terms."""
    program, answers, records = lines(subject)
    names = "(Eclogue.nameOf program.operations)"
    values = f"(Eclogue.recordsToValues {names} (fun v => v) records)"
    below = "(Eclogue.all (Eclogue.Record.below (Eclogue.length program.operations)) records)"
    yield "program_proper", "Eq program.document.proper true", EVALUATED, "The program's texts are proper."
    yield (
        "answers_proper",
        "Eq (Eclogue.all Eclogue.Value.proper answers) true",
        EVALUATED,
        "So are the answers'.",
    )
    yield "records_proper", f"Eq {values}.proper true", EVALUATED, "So are the trace's."
    yield "declared", "Eq program.declared true", EVALUATED, "Every operation is declared, and once."
    yield "records_below", f"Eq {below} true", EVALUATED, "Every operation of the trace is declared."
    yield (
        "program_bytes",
        f"Eq program.canonicalBytes (Eclogue.Text.bytes {text_term(program)})",
        "Eclogue.Proof.packed_bytes program.document _ program_proper rfl",
        "The canonical bytes of the program: `program_injective` says that they determine it.",
    )
    yield (
        "answers_bytes",
        f"Eq (Eclogue.map Eclogue.Value.canonicalBytes answers) {_texts(answers)}",
        "Eclogue.Proof.packed_values answers _ answers_proper rfl",
        "The canonical bytes of each answer, in order: `canonical_injective` says that they determine it.",
    )
    yield (
        "records_bytes",
        f"Eq (Eclogue.recordLines {names} (fun v => v) records) {_texts(records[::-1])}",
        "Eclogue.Proof.packed_lines _ _ records _ records_proper rfl",
        "The canonical bytes of each record, newest first: `lines_injective` says that they determine it.",
    )


def _texts(written: Iterable[str]) -> str:
    return f"(Eclogue.map Eclogue.Text.bytes ({chain(map(text_term, written))}))"


BYTE_THEOREMS = (
    "packed_bytes",
    "packed_values",
    "packed_lines",
    "canonical_injective",
    "program_injective",
    "lines_injective",
)
"""The ids of the theorems that give bytes, and of those by which bytes determine what they are of."""


def _members(item: Record) -> dict[str, Value]:
    """Return the members of a record's own fields."""
    match item:
        case EffectDeclaration(operation, payload):
            return {"operation": operation, "payload": payload}
        case HandlerSelection(declaration, captured):
            return {"declaration": declaration, "captured": captured}
        case ResumptionHandle(selection):
            return {"selection": selection}
        case ContinuationResume(selection, value) | ResumeReturn(selection, value):
            return {"selection": selection, "value": value}
        case EffectCapture(how, selection, value):
            return {"how": how.value, "selection": selection, "value": value}
        case SelectionClosed(why, selection, cause):
            return {"why": why.value, "selection": selection, "cause": cause}
        case HostObservation(declaration, value):
            return {"declaration": declaration, "value": value}
        case Failure(reason):
            return _reason(reason)
        case RunEnd(CompletedWith(value)):
            return {"status": "completed", "value": value}
        case RunEnd(FailureReason() as reason):
            return {"status": "failed", **_reason(reason)}
    raise TypeError(item)


def _reason(reason: FailureReason) -> dict[str, Value]:
    key: dict[str, Value] = {} if reason.key is None else {"key": reason.key}
    return {"kind": reason.kind.value, **key}
