"""Put a certificate to Lean's kernel, and say what that showed (rules `cert.*`).

What a certificate is about is never read in it: its text is written again from program, answers and records
and must be the same. Then everything that makes an audit of the development must hold, the theorem map
included, and every module of the certificate must compile without a message worse than information, be
written, use no banned construct, and rest on no axiom. A limit that is reached is `UNKNOWN`.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

from eclogue.core.errors import LimitExceeded, MalformedInput
from eclogue.core.outcomes import HostAnswer
from eclogue.core.profiles import Profile
from eclogue.core.syntax import Program
from eclogue.core.trace import Record
from eclogue.lean.audit import fact_problems
from eclogue.lean.banned import banned_constructs
from eclogue.lean.build import LIMIT, Build, Progress, building, ignore_progress, run_problems
from eclogue.lean.cache import Cache
from eclogue.lean.certificate import (
    PROOFS,
    Certificate,
    CertificateLimits,
    CertificateTooLarge,
    NotCertifiable,
    make,
    subject_digests,
)
from eclogue.lean.certificate_terms import LIBRARY
from eclogue.lean.claims import lock_problems
from eclogue.lean.facts import Facts, collect_facts, parse_axioms
from eclogue.lean.lock import Lock, Statements, read_lock
from eclogue.lean.problems import Problem, Verdict
from eclogue.lean.process import ChildLimits, LeanRun
from eclogue.lean.sources import read_module, read_package
from eclogue.lean.toolchain import LeanUnavailable, find_lean
from eclogue.lean.trial import self_test, settings_problems
from eclogue.validator.certificate_evidence import (
    CertificateChecked,
    KernelVerdict,
    LeanIdentity,
    TheoremFound,
)


def available(setting: str | None = None) -> str | None:
    """Return None if a Lean that can check certificates is there, else why not."""
    try:
        find_lean(setting)
    except LeanUnavailable as error:
        return str(error)
    return None


def check(
    certificate: Certificate,
    program: Program,
    answers: Sequence[HostAnswer],
    records: Sequence[Record],
    profile: Profile,
    *,
    salt: bytes = b"",
    limits: CertificateLimits | None = None,
    child: ChildLimits | None = None,
    setting: str | None = None,
) -> CertificateChecked:
    """Say whether a certificate is the one for this program, answers and trace, and what Lean makes of it.

    Never raises for what it is given: what cannot be certified is `REJECTED`, and a limit, a time-out or a
    Lean that is not there is `UNKNOWN`, each with the reason. `child` bounds each run of Lean. For several
    certificates, open a `Checker` once.
    """
    with checking(setting) as checker:
        return checker.check(certificate, program, answers, records, profile, salt, limits, child)


def certify(
    program: Program,
    answers: Sequence[HostAnswer],
    records: Sequence[Record],
    profile: Profile,
    *,
    salt: bytes = b"",
    limits: CertificateLimits | None = None,
    child: ChildLimits | None = None,
    setting: str | None = None,
) -> tuple[Certificate | None, CertificateChecked]:
    """Make the certificate of a run and check it; None if none can be made. Raises nothing, as `check`."""
    with checking(setting) as checker:
        return checker.certify(program, answers, records, profile, salt, limits, child)


@contextlib.contextmanager
def checking(
    setting: str | None = None,
    *,
    proofs: Path = PROOFS,
    cache: Cache | None = None,
    progress: Callable[[Progress], None] = ignore_progress,
) -> Iterator[Checker]:
    """Build the development once for the checks in the block; `proofs` is the folder of the theorem map."""
    try:
        lean = find_lean(setting)
    except LeanUnavailable as error:
        yield Checker(None, [Problem("lean.missing", "Lean", str(error), Verdict.UNKNOWN)])
        return
    package, problems = read_package()
    problems.extend(settings_problems(package.layout))
    for module in package.modules.values():
        problems.extend(banned_constructs(module, package.layout))
    store = cache or Cache()
    problems.extend(self_test(lean, store, ChildLimits()))
    if problems:
        yield Checker(None, problems)
        return
    with building(lean, package, cache=store, progress=progress) as build:
        yield checker_of(build, store, proofs)


def checker_of(build: Build, cache: Cache, proofs: Path = PROOFS) -> Checker:
    """Return the checker for a development that is built; every reason not to trust it is a problem."""
    problems = list(build.problems)
    facts = None if problems else collect_facts(build, cache)
    if isinstance(facts, list):
        problems.extend(facts)
    elif facts is not None:
        problems.extend(fact_problems(build, facts))
        try:
            lock = read_lock(proofs)
        except MalformedInput as error:
            problems.append(Problem("lock.malformed", str(proofs), error.message))
        else:
            statements = Statements(facts)
            problems.extend(lock_problems(lock, build.package, statements))
            return Checker(build, problems, lock=lock, facts=facts)
    return Checker(build, problems)


@attrs.frozen(eq=False)
class Checker:
    """Checks certificates against one build; `problems` say why it is none that can be trusted."""

    build: Build | None
    problems: list[Problem]
    lock: Lock = attrs.field(factory=Lock)
    facts: Facts | None = None

    def certify(
        self,
        program: Program,
        answers: Sequence[HostAnswer],
        records: Sequence[Record],
        profile: Profile,
        salt: bytes = b"",
        limits: CertificateLimits | None = None,
        child: ChildLimits | None = None,
    ) -> tuple[Certificate | None, CertificateChecked]:
        """Make the certificate of a run and check it, as the function of that name."""
        about = _About(program, tuple(answers), tuple(records), profile, salt)
        made = _made(about, limits, self.lock if self.build else None)
        if isinstance(made, Problem):
            return None, self._answer(about, None, [made])
        return made, self._answer(about, made, self.put(made, child))

    def check(
        self,
        certificate: Certificate,
        program: Program,
        answers: Sequence[HostAnswer],
        records: Sequence[Record],
        profile: Profile,
        salt: bytes = b"",
        limits: CertificateLimits | None = None,
        child: ChildLimits | None = None,
    ) -> CertificateChecked:
        """Check one certificate, as the function of that name."""
        about = _About(program, tuple(answers), tuple(records), profile, salt)
        made = _made(about, limits, self.lock if self.build else None)
        problems = [made] if isinstance(made, Problem) else list(differences(certificate, made))
        return self._answer(about, certificate, problems or self.put(certificate, child))

    def put(self, certificate: Certificate, child: ChildLimits | None = None) -> list[Problem]:
        """Put a certificate to Lean as it is, and return what speaks against it.

        That says nothing about what it is a certificate of: `check` writes its text again to know that.
        """
        if self.build is None or self.problems:
            return self.problems
        stale = [claim for claim in certificate.theorems if claim not in self.lock.theorems]
        if stale:
            return [Problem("cert.theorem", stale[0], "is not in the theorem map")]
        with Cache(self.build.workspace).workspace() as work:
            return _Compiling(self.build, certificate, work, child or ChildLimits()).run()

    def _answer(
        self, about: _About, certificate: Certificate | None, problems: Sequence[Problem]
    ) -> CertificateChecked:
        verdict, reason = _judged(problems)
        program_ref, answers_digest, trace_ref = about.digests()
        return CertificateChecked(
            verdict=verdict,
            reason=reason,
            program_ref=program_ref,
            answers_digest=answers_digest,
            trace_ref=trace_ref,
            records=len(about.records),
            profile=about.profile,
            states_bytes=certificate is not None and certificate.states_bytes,
            segments=0 if certificate is None else certificate.segments,
            certificate_digest="" if certificate is None else certificate.digest,
            theorems=tuple(self._theorems(certificate)),
            lean=self._identity(),
        )

    def _theorems(self, certificate: Certificate | None) -> Iterator[TheoremFound]:
        if certificate is None or self.facts is None or self.problems:
            return
        for claim in certificate.theorems:
            entry = self.lock.theorems.get(claim)
            if entry is not None:
                axioms = self.facts.axioms[entry.lean]
                yield TheoremFound(claim, entry.lean, entry.statement, axioms)

    def _identity(self) -> LeanIdentity | None:
        if self.build is None:
            return None
        lean, package = self.build.lean, self.build.package
        return LeanIdentity(
            version=lean.version,
            commit=lean.commit,
            binary_digest=lean.digest,
            sources_digest=package.digest,
            foundation_digest=package.modules[package.layout.foundation].digest,
            found=lean.source,
        )


@attrs.frozen(eq=False)
class _About:
    """What a certificate is to be about."""

    program: Program
    answers: tuple[HostAnswer, ...]
    records: tuple[Record, ...]
    profile: Profile
    salt: bytes

    def digests(self) -> tuple[str, str, str]:
        """Return program ref, digest of the answers, trace ref; empty where a value is too large."""
        try:
            return subject_digests(self.program, self.answers, self.records, self.salt)
        except LimitExceeded:
            return "", "", ""


def _made(about: _About, limits: CertificateLimits | None, lock: Lock | None) -> Certificate | Problem:
    """Write the certificate that these inputs have, or say why they have none."""
    try:
        return make(
            about.program,
            about.answers,
            about.records,
            about.profile,
            salt=about.salt,
            limits=limits,
            lock=lock,
        )
    except NotCertifiable as error:
        return Problem("cert.subject", "trace", str(error))
    except CertificateTooLarge as error:
        return Problem("cert.limit", "trace", str(error), Verdict.UNKNOWN)
    except LimitExceeded as error:
        return Problem("cert.limit", error.limit, str(error), Verdict.UNKNOWN)


def differences(given: Certificate, made: Certificate) -> Iterator[Problem]:
    """Yield how a certificate differs from the one that its subject has (`cert.subject`)."""
    for name, other in (
        ("program_ref", "another program"),
        ("answers_digest", "other answers"),
        ("trace_ref", "another trace"),
        ("records", "a trace of another length"),
        ("status", "another status"),
        ("profile", "another profile"),
        ("foundation", "another foundation"),
    ):
        if getattr(given, name) != getattr(made, name):
            code = "cert.foundation" if name == "foundation" else "cert.subject"
            yield Problem(code, name, f"the certificate is about {other}")
    if dict(given.theorems) != dict(made.theorems):
        yield Problem("cert.theorem", "theorems", "are not those that the theorem map has now")
    for name in given.modules.keys() | made.modules.keys():
        text, wanted = given.modules.get(name), made.modules.get(name)
        if text != wanted:
            yield Problem("cert.text", name, _first_difference(text, wanted))
    if given.digest != made.digest:
        yield Problem("cert.digest", "manifest", "is not that of this program, answers and trace")


def _first_difference(text: str | None, wanted: str | None) -> str:
    if text is None or wanted is None:
        return "is missing from the certificate" if text is None else "does not belong to the certificate"
    pairs = zip(text.splitlines(), wanted.splitlines(), strict=False)
    line = next((number for number, (a, b) in enumerate(pairs, 1) if a != b), None)
    place = "its length" if line is None else f"line {line}"
    return f"is not the text that this program, answers and trace have: {place} differs"


def _judged(problems: Sequence[Problem]) -> tuple[KernelVerdict, str]:
    """Return the verdict and the reason; what follows a limit inside Lean is no refusal."""
    if not problems:
        return KernelVerdict.ACCEPTED, "Lean's kernel accepts the certificate, and no axiom is used"
    refusing = [problem for problem in problems if problem.verdict is Verdict.REJECTED]
    limits = [problem for problem in problems if problem.code == LIMIT]
    if refusing and not limits:
        return KernelVerdict.REJECTED, str(refusing[0])
    return KernelVerdict.UNKNOWN, str((limits or list(problems))[0])


@attrs.frozen(eq=False)
class _Compiling:
    """Compiles a certificate's modules in a folder of their own, beside the development's."""

    build: Build
    certificate: Certificate
    work: Path
    limits: ChildLimits
    theorems: list[str] = attrs.field(factory=list)

    def run(self) -> list[Problem]:
        """Return what went wrong, nothing if everything went well."""
        for name, text in self.certificate.modules.items():
            problems = self._compile(name, text)
            if problems:
                return problems
        return self._axioms()

    def _compile(self, name: str, text: str) -> list[Problem]:
        source = self.work.joinpath(*name.split(".")).with_suffix(".lean")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="utf-8")
        problems: list[Problem] = []
        module = read_module(name, source, problems)
        if module is not None:
            problems.extend(banned_constructs(module, self.build.package.layout))
        if problems or module is None:
            return problems
        self.theorems.extend(
            f"{LIBRARY}.{named.text}"
            for word, named in itertools.pairwise(module.tokens)
            if word.text == "theorem"
        )
        target = source.with_suffix(".olean")
        run = self._lean(["-R", str(self.work), "-o", str(target), str(source)])
        return run_problems(name, run, target)

    def _axioms(self) -> list[Problem]:
        """Ask Lean what the certificate's theorems rest on: it must name each, and no axiom."""
        probe = self.work / "Probe.lean"
        header = f"prelude\nimport {self.certificate.module}\n"
        asked = "".join(f"#print axioms {name}\n" for name in self.theorems)
        probe.write_text(header + asked, encoding="utf-8")
        run = self._lean([str(probe)])
        problems = run_problems(probe.name, run)
        if problems:
            return problems
        first = header.count("\n") + 1
        said = {message.line - first: message.text for message in run.messages}
        for number, name in enumerate(self.theorems):
            axioms = parse_axioms(name, said.get(number, ""))
            if axioms is None:
                text = "Lean did not say which axioms this rests on"
                problems.append(Problem("lean.silent", name, text, Verdict.UNKNOWN))
            elif axioms:
                problems.append(Problem("theorem.axioms", name, f"rests on {', '.join(axioms)}"))
        if self.certificate.theorem not in self.theorems:
            problems.append(Problem("cert.text", self.certificate.theorem, "is not proved"))
        return problems

    def _lean(self, arguments: Sequence[str]) -> LeanRun:
        return self.build.lean.run(
            arguments,
            search_path=[self.build.search_path, self.work],
            directory=self.work,
            limits=self.limits,
        )
