"""Verifying a bundle: its files are found and checked again, as far as one asks (SPEC §16)."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from eclogue.cli.files_facet import files_checked
from eclogue.cli.lean_progress import lean_checker
from eclogue.cli.lean_reasons import reasons_and_hint
from eclogue.cli.reading import answers_in
from eclogue.cli.trace_input import digest_of, is_redacted, open_trace
from eclogue.core.canonical import read
from eclogue.core.encoding import program_ref
from eclogue.core.errors import AnswerRefused, LimitExceeded, MalformedInput
from eclogue.core.limits import DEFAULT
from eclogue.core.outcomes import HostAnswer
from eclogue.core.syntax import Program
from eclogue.core.trace import EffectDeclaration, HostObservation
from eclogue.core.values import Value
from eclogue.lean.certificate import CertificateLimits, CertificateTooLarge, NotCertifiable, make
from eclogue.lean.certificate_check import Checker
from eclogue.lean.process import ChildLimits
from eclogue.lean.sources import read_package
from eclogue.lean.toolchain import COMMIT, VERSION
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceErrors
from eclogue.lowering.load import program_in
from eclogue.lowering.reading import read_digested
from eclogue.validator.answers import answers_digest
from eclogue.validator.bundle import Bundle, Statement
from eclogue.validator.certificate_evidence import CertificateChecked, KernelVerdict, LeanIdentity
from eclogue.validator.claims_map import read_claims
from eclogue.validator.dsse import verified
from eclogue.validator.envelope import Subject, lean_facts, performed_in
from eclogue.validator.evidence import Granted, Strength, strength_of
from eclogue.validator.files_evidence import facets_of, files_strength
from eclogue.validator.predicate import Facet, LeanFacts, RunFacts
from eclogue.validator.trace_file import Line
from eclogue.validator.validation import Extent, Standing, Validation, validate
from eclogue.validator.verification import ROLES, Claimed, belongs, claimed_of, differences, subjects_of
from eclogue.validator.withheld import is_withheld

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class Recheck(enum.Enum):
    """How much is found out again, the least first."""

    DIGESTS = "digests"
    REPLAY = "replay"
    LEAN = "lean"


@attrs.frozen(eq=False)
class Asked:
    """What is to be verified and how; `recheck` None takes the strongest there is."""

    folder: Path
    files: Mapping[str, str | None]
    task: str | None
    arguments: Mapping[str, Value]
    recheck: Recheck | None
    key: Ed25519PublicKey | None
    timeout: float | None
    salt: bytes = b""


@attrs.define(eq=False)
class Verified:
    """What verifying came to. `rechecked` is what was found out again; `problems` are in order."""

    rejected: list[Diagnostic] = attrs.field(factory=list)
    unknown: list[Diagnostic] = attrs.field(factory=list)
    remarks: list[Diagnostic] = attrs.field(factory=list)
    claimed: Claimed | None = None
    granted: Granted = Granted(Strength.RUNTIME_ONLY, "nothing was found out again")
    profile: str | None = None
    facts: RunFacts | None = None
    """What was found out about the run, also where the claim says otherwise."""
    rechecked: Recheck | None = None
    lean: LeanIdentity | None = None
    """The Lean that accepted the certificate in this call."""
    signature: str = "none"
    subjects: dict[str, str] = attrs.field(factory=dict)
    """What was found about each subject: `same`, `differs`, `redacted` or `missing`."""
    files: Granted | None = None
    """What was found out about the files of an executed run."""
    validation: Validation | None = None
    program: Program | None = None
    trace: str = ""
    disagreed: bool = False

    @property
    def redacted(self) -> bool:
        """Whether the trace is a redacted one, whose bytes need not be the claim's."""
        return self.subjects.get("trace") == "redacted"

    @property
    def verdict(self) -> str:
        """`accepted`, `rejected` or `unknown`."""
        if self.disagreed:
            return "unknown"
        return "rejected" if self.rejected else "unknown" if self.unknown else "accepted"

    @property
    def exit_code(self) -> int:
        """The exit code that the documentation promises."""
        return 4 if self.disagreed else {"accepted": 0, "rejected": 1, "unknown": 3}[self.verdict]

    def reject(self, code: str, message: str, *notes: str, hint: str | None = None) -> None:
        """Note something that speaks against the claim."""
        self.rejected.append(_error(code, message, notes, hint))

    def cannot_tell(self, code: str, message: str, *notes: str, hint: str | None = None) -> None:
        """Note something that keeps the claim from being checked as it was asked."""
        self.unknown.append(_error(code, message, notes, hint))

    def remark(self, code: str, message: str, *notes: str, hint: str | None = None) -> None:
        """Note something that one should know."""
        plain = tuple((None, note) for note in notes)
        self.remarks.append(Diagnostic(code, Severity.WARNING, message, None, plain, hint))


def _error(code: str, message: str, notes: Sequence[str], hint: str | None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, None, tuple((None, note) for note in notes), hint)


def verify(bundle: Bundle, asked: Asked) -> Verified:
    """Verify a bundle. Raises `SourceErrors` for files that cannot be used at all."""
    found = Verified()
    _signatures(bundle, asked.key, found)
    _companion(bundle, found)
    try:
        subjects = subjects_of(bundle.claim)
        found.claimed = claimed_of(bundle.claim, read_claims())
    except MalformedInput as error:
        found.reject("EC4507", f"the claim is not one that is issued: {error.message}")
        return found
    paths = _located(subjects, asked, found)
    if paths is None or found.rejected:
        return found
    _Rechecking(bundle.claim, found.claimed, subjects, paths, asked, found).run()
    return found


# ------------------------------------------------------------------------------------------------
# The bundle itself


def _signatures(bundle: Bundle, key: Ed25519PublicKey | None, found: Verified) -> None:
    """Check the signatures, of both lines, if there is a key to check them with."""
    statements = [item for item in (bundle.claim, bundle.companion) if item is not None]
    signed = [item for item in statements if item.envelope is not None]
    if key is None:
        if signed:
            found.signature = "not checked"
            found.remark("EC4508", "the bundle is signed, and no --key was given to check that with")
        return
    for item in statements:
        if item.envelope is None:
            found.reject("EC4508", f"line {item.line} of the bundle is not signed")
        elif not verified(item.envelope, key):
            found.reject("EC4508", f"line {item.line} of the bundle is not signed with this key")
    if signed:
        found.signature = "wrong" if found.rejected else "right"


def _companion(bundle: Bundle, found: Verified) -> None:
    if bundle.companion is None:
        found.reject("EC4509", "the bundle has no verification result beside the envelope")
    elif not belongs(bundle.claim, bundle.companion):
        found.reject("EC4509", "the verification result in the bundle is not that of this envelope")


# ------------------------------------------------------------------------------------------------
# Files


def _located(subjects: Mapping[str, Subject], asked: Asked, found: Verified) -> dict[str, str] | None:
    """Return the subjects' files whose bytes are right; None if one is missing."""
    paths: dict[str, str] = {}
    for role in sorted(subjects, key=ROLES.index):
        subject = subjects[role]
        given = asked.files.get(role)
        path = Path(given) if given is not None else asked.folder / subject.name
        if given is None and (path.is_symlink() or not path.is_file()):
            found.subjects[role] = "missing"
            if role == "answers" and found.redacted:
                continue  # they are what was taken out of the trace
            found.cannot_tell(
                "EC4504", f"the {role}, {subject.name}, is not there", hint=f"give it with --{role}"
            )
            continue
        same = digest_of(str(path), trace=role == "trace") == subject.digest
        redacted = not same and role == "trace" and is_redacted(str(path))
        found.subjects[role] = "same" if same else "redacted" if redacted else "differs"
        if not same and not redacted:
            found.reject(
                "EC4505", f"{path.name} is not the {role} that the bundle is about: its bytes differ"
            )
        paths[role] = str(path)
    return None if found.unknown else paths


@attrs.frozen(eq=False)
class _Rechecking:
    """One recheck of a claim whose files are there and have the right bytes."""

    claim: Statement
    claimed: Claimed
    subjects: Mapping[str, Subject]
    paths: Mapping[str, str]
    asked: Asked
    found: Verified

    def run(self) -> None:
        found = self.found
        program = self._program()
        answers = self._answers()
        if program is None or found.rejected:
            return
        wanted = self._wanted()
        if wanted is None:
            return
        seen = _Seen()
        validation = self._validated(program if wanted is not Recheck.DIGESTS else None, answers, seen)
        found.validation, found.program, found.trace = validation, program, self.paths["trace"]
        if validation is None or not self._stands(validation):
            return
        facts = RunFacts(
            validation.evidence.profile.profile,
            _STATUS[validation.extent],
            validation.records,
            answers_digest(seen.answers) if seen.whole else self.claimed.answers,
        )
        found.profile, found.facts = facts.profile.value, facts
        evidence, lean = validation.evidence, self.claimed.lean
        found.rechecked = min(wanted, Recheck.REPLAY, key=list(Recheck).index)
        checked = self._certified(program, validation) if wanted is Recheck.LEAN else None
        if found.disagreed:
            return
        if checked is not None:
            evidence = attrs.evolve(evidence, certificate=checked)
            lean = self._lean(checked)
        elif lean is not None and wanted is not Recheck.DIGESTS:
            lean = self._written(program, validation, lean)
        self._compare(facts, lean, self._facets(validation, wanted))
        if not found.rejected:
            found.granted = strength_of(evidence)
            if wanted is Recheck.DIGESTS:
                found.granted = Granted(Strength.RUNTIME_ONLY, _NOTHING_RUN)

    def _wanted(self) -> Recheck | None:
        """Return how much to find out again; None where that cannot be done."""
        asked = self.asked.recheck
        if not self.found.redacted:
            return asked or Recheck.LEAN
        if asked in {Recheck.REPLAY, Recheck.LEAN}:
            hint = "put its values back with `eclogue restore`, or take --recheck digests"
            self.found.cannot_tell("EC4703", "a redacted trace cannot be run again", hint=hint)
            return None
        return Recheck.DIGESTS

    # -------------------------------------------------------------------------------- inputs

    def _program(self) -> Program | None:
        subject = self.subjects["program"]
        try:
            stated = {name: read(text) for name, text in subject.arguments}
        except MalformedInput as error:
            self.found.reject("EC4507", f"an argument in the bundle is no value: {error.message}")
            return None
        source, digest = read_digested(self.paths["program"])
        if not self._unchanged("program", digest):
            return None
        try:
            program = program_in(
                source,
                task=self.asked.task or subject.task,
                arguments={**stated, **self.asked.arguments},
            )
        except SourceErrors as errors:
            if subject.arguments or any(item.code != "EC1303" for item in errors.diagnostics):
                raise
            message = f"the bundle withholds an argument: {errors.diagnostics[0].message}"
            self.found.cannot_tell("EC4504", message, hint="give it with --arg NAME=JSON")
            return None
        ref = program_ref(program)
        if ref != subject.ref:
            self._other_ref("program", subject.ref, ref)
            return None
        if subject.task != program.task:
            self.found.reject(
                "EC4507",
                "subject.annotations.task is not that of the program",
                f"in the bundle {_short(subject.task)}",
                f"expected {_short(program.task)}",
            )
        return program

    def _answers(self) -> tuple[HostAnswer, ...] | None:
        if "answers" not in self.paths:
            return None
        source, digest = read_digested(self.paths["answers"])
        if not self._unchanged("answers", digest):
            return None
        answers = answers_in(source)
        ref, wanted = answers_digest(answers), self.subjects["answers"].ref
        if ref != wanted:
            self._other_ref("answers", wanted, ref)
        return answers

    def _unchanged(self, role: str, digest: str) -> bool:
        """Whether what was read is what was held against the bundle; say so if it is not."""
        same = self.subjects[role].digest == digest or (role == "trace" and self.found.redacted)
        if not same:
            self.found.reject("EC4505", f"the {role} was changed while it was verified")
        return same

    def _validated(
        self, program: Program | None, answers: tuple[HostAnswer, ...] | None, seen: _Seen
    ) -> Validation | None:
        digest = sha256()
        with open_trace(self.paths["trace"], redacted=True, digest=digest) as lines:
            try:
                found = validate(
                    seen.watch(lines), program, answers if program is not None else None,
                    limits=DEFAULT, salt=self.asked.salt,
                )  # fmt: skip
            except AnswerRefused as error:
                self.found.reject("EC4102", f"the program does not take the answers: {error}")
                return None
        if found.standing is Standing.ACCEPTED:  # then it was read to its end
            self._unchanged("trace", digest.hexdigest())
        return found

    def _stands(self, validation: Validation) -> bool:
        """Return whether the trace is a right one with the right ref; say what is wrong with it."""
        found = self.found
        if validation.standing is Standing.DISAGREED:
            found.disagreed = True
        elif validation.standing is not Standing.ACCEPTED:
            why = validation.granted.reason
            say = found.reject if validation.standing is Standing.REJECTED else found.cannot_tell
            say("EC4510", f"the trace does not stand: {why}", hint="`eclogue validate` says more")
        ref, wanted = validation.evidence.refs.last, self.subjects["trace"].ref
        if validation.standing is Standing.ACCEPTED and ref != wanted:
            self._other_ref("trace", wanted, ref)
        return not (found.rejected or found.unknown or found.disagreed)

    def _other_ref(self, role: str, wanted: str, ref: str) -> None:
        notes = (f"in the bundle {wanted}", f"computed {ref}")
        self.found.reject("EC4506", f"the {role} says something else than the bundle's", *notes)

    # -------------------------------------------------------------------------------- Lean

    def _certified(self, program: Program, validation: Validation) -> CertificateChecked | None:
        """Have Lean check this run's certificate again; None where there is none, or no Lean."""
        found = self.found
        if self.claimed.lean is None:
            if self.asked.recheck is Recheck.LEAN:
                message = "the bundle has no certificate, so that Lean has nothing to check"
                found.cannot_tell(
                    "EC4512", message, hint="`eclogue certify` with Lean makes a bundle with one"
                )
            return None
        replayed = validation.evidence.replayed
        assert replayed is not None
        records = [record for _, record, _ in replayed.run.records()]
        child = ChildLimits() if self.asked.timeout is None else ChildLimits(seconds=self.asked.timeout)
        with self._checker() as checker:
            certificate, checked = checker.certify(
                program, replayed.run.answers, records, validation.evidence.profile.profile,
                salt=self.asked.salt, limits=CertificateLimits(), child=child,
            )  # fmt: skip
            trusted = not checker.problems
        reasons, hint = reasons_and_hint(checked.reason)
        if checked.verdict is KernelVerdict.ACCEPTED:
            found.rechecked = Recheck.LEAN
            found.lean = checked.lean
            if checked.lean is not None and not checked.lean.known:
                message = "the Lean that checked this run is not one whose digest is known here"
                found.remark("EC4515", message, f"Lean {checked.lean}")
            return checked
        if checked.verdict is KernelVerdict.REJECTED and certificate is not None and trusted:
            # It was written from this very run, on which both readings agree: two oracles contradict
            # each other, and that says nothing about the claim.
            found.disagreed = True
            found.remark("EC4511", "Lean refuses the certificate of this run", *reasons)
        elif self.asked.recheck is Recheck.LEAN:
            found.cannot_tell("EC4512", "Lean could not check the certificate", *reasons, hint=hint)
        else:
            message = "Lean could not check the certificate; the run was replayed"
            found.remark("EC4512", message, *reasons, hint=hint)
        return None

    def _checker(self) -> AbstractContextManager[Checker]:
        return lean_checker()

    def _written(self, program: Program, validation: Validation, claimed: LeanFacts) -> LeanFacts:
        """Return what is to be said of the certificate, written again without Lean.

        What only Lean's own files could tell, its binary's digest, stays the claimer's.
        """
        replayed = validation.evidence.replayed
        assert replayed is not None
        records = [record for _, record, _ in replayed.run.records()]
        try:
            made = make(
                program, replayed.run.answers, records, validation.evidence.profile.profile,
                salt=self.asked.salt,
            )  # fmt: skip
        except (NotCertifiable, CertificateTooLarge, LimitExceeded) as error:
            self.found.reject("EC4507", "predicate.certificate: this run has no certificate", str(error))
            return claimed
        package, _ = read_package()
        return LeanFacts(
            certificate=made.digest,
            states_bytes=made.states_bytes,
            segments=made.segments,
            applied=tuple(made.theorems),
            version=VERSION,
            commit=COMMIT,
            binary=claimed.binary,
            sources=package.digest,
            foundation=made.foundation,
        )

    def _lean(self, checked: CertificateChecked) -> LeanFacts:
        """Return what is to be said of the certificate; the binary is the claimer's own."""
        assert self.claimed.lean is not None
        return attrs.evolve(lean_facts(checked), binary=self.claimed.lean.binary)

    def _facets(self, validation: Validation, wanted: Recheck) -> tuple[Facet, ...]:
        """Return the facets beside control: what the files show, or, by digests alone, what is claimed."""
        if wanted is Recheck.DIGESTS:
            return self.claimed.facets if "files" in self.paths else ()
        if "files" not in self.paths:
            return ()
        replayed = validation.evidence.replayed
        assert replayed is not None
        records = [record for _, record, _ in replayed.run.records()]
        checked, digest = files_checked(self.paths["files"], records)
        if self._unchanged("files", digest):
            self.found.files = files_strength(checked)
        return facets_of(checked, performed_in(validation.evidence))

    def _compare(self, facts: RunFacts, lean: LeanFacts | None, facets: Sequence[Facet]) -> None:
        known = read_claims()
        for each in differences(self.claim, self.claimed, facts, lean, known, facets)[:5]:
            self.found.reject(
                "EC4507",
                f"{each.place} is not what this run supports",
                f"in the bundle {_short(each.found)}",
                f"expected {_short(each.expected)}",
            )


_NOTHING_RUN = "digests, refs and lifecycle were checked; nothing was run again"
_STATUS = {Extent.COMPLETED: "completed", Extent.FAILED: "failed", Extent.PREFIX: "suspended"}


def _short(item: object) -> str:
    text = "nothing" if item is None else str(item)
    return text if len(text) <= 100 else text[:100] + "…"


@attrs.define(eq=False)
class _Seen:
    """The host's answers that a trace records, noted while it is read."""

    answers: list[HostAnswer] = attrs.field(factory=list)
    whole: bool = True
    """Whether none of them was redacted."""

    def watch(self, lines: Iterator[Line]) -> Iterator[Line]:
        """Pass the records on."""
        operation = None
        for line in lines:
            record = line[1]
            if isinstance(record, EffectDeclaration):
                operation = record.operation
            elif isinstance(record, HostObservation) and is_withheld(record):
                self.whole = False
            elif isinstance(record, HostObservation):
                self.answers.append(HostAnswer(record.value, operation))
            yield line
