"""Certifying one run: its trace is validated, Lean is asked, and the envelope says what that comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from eclogue.cli.certified_before import CertifiedBefore
from eclogue.cli.files import WouldReplace, new_or_same, write_text
from eclogue.cli.files_facet import files_checked
from eclogue.cli.reading import answers_in, refuse
from eclogue.cli.trace_input import open_trace
from eclogue.cli.validation_report import Report
from eclogue.cli.version import version_text
from eclogue.core import run as machine
from eclogue.core.canonical import text_of
from eclogue.core.encoding import program_ref
from eclogue.core.errors import AnswerRefused
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import Exhausted, HostAnswer
from eclogue.core.syntax import Program
from eclogue.core.values import Value
from eclogue.lean.certificate import Certificate, CertificateLimits
from eclogue.lean.certificate_check import Checker
from eclogue.lean.process import ChildLimits
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.load import program_in
from eclogue.lowering.reading import read_digested
from eclogue.validator.answers import answers_digest
from eclogue.validator.bundle import BundleTooLarge, bundle_text
from eclogue.validator.certificate_evidence import CertificateChecked, KernelVerdict
from eclogue.validator.envelope import Subject, claim_of, statements
from eclogue.validator.evidence import Granted
from eclogue.validator.files_evidence import files_strength
from eclogue.validator.trace_file import write_trace
from eclogue.validator.validation import Standing, Validation, validate
from eclogue.validator.verification import plain_name

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

BUNDLE = ".intoto.jsonl"
TRACE = ".trace.jsonl"


@attrs.frozen(eq=False)
class Request:
    """What is to be certified, and how: paths, and the options of the command."""

    program: str
    task: str | None = None
    arguments: Mapping[str, Value] = attrs.field(factory=dict)
    trace: str | None = None
    answers: str | None = None
    files: str | None = None
    """The files of an executed run, before and after."""
    out: str | None = None
    key: Ed25519PrivateKey | None = None
    timeout: float | None = None
    private_arguments: bool = False
    salt: bytes = b""
    limits: Limits = DEFAULT

    @property
    def bundle(self) -> str:
        """Where the bundle goes: beside the trace, or else the program."""
        if self.out is not None:
            return self.out
        beside = Path(self.trace or self.program)
        stem = beside.name.removesuffix(".jsonl").removesuffix(".trace") if self.trace else beside.stem
        return str(beside.with_name(stem + BUNDLE))

    @property
    def trace_path(self) -> str:
        """The trace: the one given, or where a new one goes, beside the bundle."""
        if self.trace is not None:
            return self.trace
        bundle = Path(self.bundle)
        return str(bundle.with_name(bundle.name.removesuffix(BUNDLE) + TRACE))


@attrs.frozen(eq=False)
class Certified:
    """What became of a request. `granted` and `bundle` are there only where an envelope was written."""

    request: Request
    program: Program
    validation: Validation
    granted: Granted | None
    bundle: str | None
    certificate: Certificate | None
    checked: CertificateChecked | None
    files: Granted | None = None
    """What was found about the files of an executed run."""
    trusted: bool = True
    """Whether the Lean development passed its own audit, so that a refusal is about the run."""

    @property
    def report(self) -> Report:
        """The validation's report."""
        return Report(self.validation, self.request.trace_path, self.program)

    @property
    def alarm(self) -> bool:
        """Whether Lean refuses a run on which the Python readings agree."""
        return (
            self.certificate is not None
            and self.checked is not None
            and self.checked.verdict is KernelVerdict.REJECTED
            and self.validation.standing is Standing.ACCEPTED
            and self.trusted
        )


def certify(request: Request, checker: Checker) -> Certified:
    """Certify one run and write its bundle, or write nothing where there is nothing to claim.

    Raises `SourceErrors` and `LimitExceeded` for input that cannot be used, `click.UsageError` for names
    that a bundle cannot have, and `CannotWrite`.
    """
    source, program_digest = read_digested(request.program)
    program = program_in(source, task=request.task, arguments=request.arguments)
    given, digests = None, {"program": program_digest}
    if request.answers is not None:
        text, digests["answers"] = read_digested(request.answers)
        given = answers_in(text)
    _distinct_names(request)
    if request.trace is None:
        _run(request, program, given or ())
    validation, digests["trace"] = _validated(request, program, given)
    if validation.standing is not Standing.ACCEPTED:
        return Certified(request, program, validation, None, None, None, None)
    certificate, checked = _asked(request, program, validation, checker)
    trusted = not checker.problems
    done = Certified(request, program, validation, None, None, certificate, checked, trusted=trusted)
    if done.alarm:
        return done
    evidence = attrs.evolve(validation.evidence, certificate=checked)
    time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    files = None
    if request.files is not None:
        replayed = validation.evidence.replayed
        assert replayed is not None
        files, digests["files"] = files_checked(
            request.files, [record for _, record, _ in replayed.run.records()]
        )
    granted, predicate = claim_of(evidence, version=version_text(), time=time, files=files)
    subjects = _subjects(request, program, validation, given, digests)
    try:
        written = bundle_text(statements(predicate, subjects), request.key)
    except BundleTooLarge as error:
        hint = "with --private-arguments the task's arguments stay out of it"
        raise refuse("EC0005", str(error), SourceText(request.bundle, ""), None, hint) from None
    write_text(request.bundle, written)
    CertifiedBefore().note(written.encode())
    found = None if files is None else files_strength(files)
    return attrs.evolve(done, granted=granted, bundle=request.bundle, files=found)


def _distinct_names(request: Request) -> None:
    more = [path for path in (request.answers, request.files) if path is not None]
    paths = [request.program, request.trace_path, *more]
    names = [Path(path).name for path in paths]
    for name in names:
        if not plain_name(name):
            raise click.UsageError(f"{name!r} is no name that a bundle can have")
    if len(set(names)) < len(names):
        raise click.UsageError(
            "program, trace, answers and files need different file names: a bundle finds them by name"
        )


def _run(request: Request, program: Program, answers: Sequence[HostAnswer]) -> None:
    """Run the program and write its trace."""
    try:
        run = machine.run(program, answers, limits=request.limits)
    except AnswerRefused as error:
        raise _answers_refused(request, error) from None
    if isinstance(run.outcome, Exhausted):
        message = f"the run reached the limit {run.outcome.limit}: it has no outcome, and supports no claim"
        raise refuse("EC4407", message, SourceText(request.program, ""), None)
    try:
        with new_or_same(request.trace_path) as file:
            write_trace(run.records(), run.refs(request.salt), file)
    except WouldReplace as error:
        name = request.trace_path
        raise WouldReplace(f"{error.message}: certify it with --trace {name}, or name --out") from None


def _validated(
    request: Request, program: Program, given: tuple[HostAnswer, ...] | None
) -> tuple[Validation, str]:
    """Validate the trace; return too the digest of the very bytes that were validated."""
    digest = sha256()
    with open_trace(request.trace_path, digest=digest) as lines:
        try:
            found = validate(lines, program, given, limits=request.limits, salt=request.salt)
            return found, digest.hexdigest()
        except AnswerRefused as error:
            raise _answers_refused(request, error) from None


def _answers_refused(request: Request, error: AnswerRefused) -> Exception:
    hint = "they are taken in order, one for each suspension"
    return refuse("EC4102", str(error), SourceText(request.answers or "answers", ""), None, hint)


def _asked(
    request: Request, program: Program, validation: Validation, checker: Checker
) -> tuple[Certificate | None, CertificateChecked]:
    """Ask Lean about a run that was replayed."""
    replayed = validation.evidence.replayed
    assert replayed is not None
    records = [record for _, record, _ in replayed.run.records()]
    child = ChildLimits() if request.timeout is None else ChildLimits(seconds=request.timeout)
    profile = validation.evidence.profile.profile
    return checker.certify(
        program, replayed.run.answers, records, profile,
        salt=request.salt, limits=CertificateLimits(), child=child,
    )  # fmt: skip


def _subjects(
    request: Request,
    program: Program,
    validation: Validation,
    given: tuple[HostAnswer, ...] | None,
    digests: Mapping[str, str],
) -> list[Subject]:
    """Return the files that the claim is about, with the digests of what was read of them, by role."""
    arguments = (
        ()
        if request.private_arguments
        else tuple((name, text_of(value)) for name, value in sorted(request.arguments.items()))
    )
    name, ref = Path(request.program).name, program_ref(program)
    found = [
        Subject(name, "program", digests["program"], ref, program.task, arguments),
        Subject(Path(request.trace_path).name, "trace", digests["trace"], validation.evidence.refs.last),
    ]
    if request.answers is not None and given is not None:
        name, ref = Path(request.answers).name, answers_digest(given)
        found.append(Subject(name, "answers", digests["answers"], ref))
    if request.files is not None:
        digest = digests["files"]
        found.append(Subject(Path(request.files).name, "files", digest, f"sha256:{digest}"))
    return found
