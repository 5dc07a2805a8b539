"""The gate: build everything, ask Lean about everything, compare with what is locked, and give a verdict.

`#print axioms` alone is no gate: it reports "no axioms" for a theorem whose dependency failed. What decides
is all of this together: Lean itself was tried out; every source file is reachable, begins with `prelude`
and uses no banned construct; every module compiled without an error or a warning and was written; no
declaration rests on an axiom; every claim has a theorem of exactly that type; and statements, definitions
and the foundation are the locked ones.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs

from eclogue.core.errors import MalformedInput
from eclogue.lean.banned import banned_constructs
from eclogue.lean.build import Build, Progress, building, ignore_progress
from eclogue.lean.cache import Cache
from eclogue.lean.claims import claims_of, lock_problems, renewed, theorem_of
from eclogue.lean.facts import Facts, collect_facts
from eclogue.lean.lock import Lock, Statements, read_lock, write_lock
from eclogue.lean.problems import Problem, Verdict, verdict_of
from eclogue.lean.process import ChildLimits
from eclogue.lean.sources import HERE, Layout, Package, read_package
from eclogue.lean.toolchain import Lean, LeanUnavailable, find_lean
from eclogue.lean.trial import self_test, settings_problems

PROOFS = HERE.parent / "proofs"


@attrs.frozen(kw_only=True)
class TheoremReport:
    """A theorem as it stands now; `seconds` is what compiling the proofs that it rests on took."""

    id: str
    declaration: str
    profile: str
    axioms: tuple[str, ...]
    statement_digest: str
    seconds: float


@attrs.frozen(kw_only=True)
class Report:
    """The result of an audit: a verdict, the reasons if it is not `accepted`, and what was looked at.

    `declarations` counts those whose axioms Lean was asked for, `lines` those of the Lean sources.
    """

    verdict: Verdict
    problems: tuple[Problem, ...]
    lean: Lean | None
    modules: int
    lines: int
    declarations: int
    theorems: tuple[TheoremReport, ...]
    source_digest: str
    seconds: float

    def to_json(self) -> dict[str, object]:
        """Return the report as JSON data."""
        lean = self.lean
        return {
            "status": self.verdict.value,
            "lean": lean and {"version": lean.version, "commit": lean.commit, "source": lean.source},
            "modules": self.modules,
            "theorems": [
                {
                    "id": theorem.id,
                    "decl": theorem.declaration,
                    "profile": theorem.profile,
                    "axioms": list(theorem.axioms),
                    "statement_digest": theorem.statement_digest,
                }
                for theorem in self.theorems
            ],
            "seconds": round(self.seconds, 2),
        }


@attrs.frozen(kw_only=True)
class Audit:
    """What to audit, and how: the package, the folder of the lock, a setting that says where Lean is."""

    layout: Layout = attrs.field(factory=Layout)
    proofs: Path = PROOFS
    setting: str | None = None
    cache: Cache = attrs.field(factory=Cache)
    fresh: bool = False
    workers: int = 2
    limits: ChildLimits = attrs.field(factory=ChildLimits)

    def run(self, progress: Callable[[Progress], None] = ignore_progress) -> Report:
        """Return the report; every way in which this can go wrong is a problem in it."""
        return self._run(progress, None)

    def renew(self, progress: Callable[[Progress], None] = ignore_progress) -> tuple[Report, list[str]]:
        """Lock what the package says now, if nothing else is wrong with it; return also what changed."""
        changes: list[str] = []
        return self._run(progress, changes), changes

    def _run(self, progress: Callable[[Progress], None], changes: list[str] | None) -> Report:
        started = time.monotonic()
        package, problems = read_package(self.layout)
        problems.extend(settings_problems(self.layout))
        for module in package.modules.values():
            problems.extend(banned_constructs(module, self.layout))
        lean, lock, found = None, Lock(), _Found()
        try:
            lock = read_lock(self.proofs)
            lean = find_lean(self.setting)
            distrust = self_test(lean, self.cache, self.limits)
            found = _Found(problems=distrust) if distrust else self._build(lean, package, progress)
            problems.extend(found.problems)
        except MalformedInput as error:
            problems.append(Problem("lock.malformed", str(self.proofs), error.message))
        except LeanUnavailable as error:
            code = "lean.mismatch" if error.mismatch else "lean.missing"
            problems.append(Problem(code, "Lean", str(error), Verdict.UNKNOWN))
        if changes is not None and found.statements is not None and not problems:
            lock = renewed(lock, package, found.statements, changes)
            write_lock(self.proofs, lock)
        if found.statements is not None:
            problems.extend(lock_problems(lock, package, found.statements))
        return Report(
            verdict=verdict_of(problems),
            problems=tuple(problems),
            lean=lean,
            modules=len(found.seconds),
            lines=package.lines,
            declarations=len(found.statements.facts.axioms) if found.statements else 0,
            theorems=tuple(_reports(lock, package, found)),
            source_digest=package.digest,
            seconds=time.monotonic() - started,
        )

    def _build(self, lean: Lean, package: Package, progress: Callable[[Progress], None]) -> _Found:
        with building(
            lean,
            package,
            cache=self.cache,
            fresh=self.fresh,
            workers=self.workers,
            limits=self.limits,
            progress=progress,
        ) as build:
            problems = list(build.problems)
            seconds = {name: module.seconds for name, module in build.modules.items()}
            if problems or self.layout.library not in build.modules:
                return _Found(problems=problems, seconds=seconds)
            facts = collect_facts(build, self.cache, fresh=self.fresh)
            if isinstance(facts, list):
                return _Found(problems=facts, seconds=seconds)
            problems.extend(fact_problems(build, facts))
            return _Found(problems=problems, seconds=seconds, statements=Statements(facts))


@attrs.frozen(kw_only=True)
class _Found:
    problems: list[Problem] = attrs.field(factory=list)
    seconds: Mapping[str, float] = attrs.field(factory=dict)
    statements: Statements | None = None


# ------------------------------------------------------------------------------------------------
# After the build


def fact_problems(build: Build, facts: Facts) -> Iterator[Problem]:
    """Yield every declaration that rests on an axiom, and every theorem that Lean does not list."""
    for name, axioms in facts.axioms.items():
        if axioms:
            yield Problem("theorem.axioms", name, f"rests on {', '.join(axioms)}")
    for module in build.package.closure(build.package.layout.library):
        listed = [f".{name}" for name, home in facts.modules.items() if home == module]
        for word, named in itertools.pairwise(build.package.modules[module].tokens):
            if word.text == "theorem" and not any(name.endswith(f".{named.text}") for name in listed):
                yield Problem("theorem.unreported", named.text, f"Lean lists no such theorem in {module}")


def _reports(lock: Lock, package: Package, found: _Found) -> Iterator[TheoremReport]:
    """Yield a report for each claim that has a theorem, in the order of the lock."""
    if found.statements is None:
        return
    facts = found.statements.facts
    order = {claim: number for number, claim in enumerate(lock.theorems)}
    for claim in sorted(claims_of(package, facts), key=lambda claim: (order.get(claim, len(order)), claim)):
        theorem = theorem_of(package, claim)
        if theorem in facts.types:
            yield TheoremReport(
                id=claim,
                declaration=theorem,
                profile=lock.theorems[claim].profile if claim in lock.theorems else "",
                axioms=facts.axioms[theorem],
                statement_digest=found.statements.of(theorem).statement,
                seconds=_proof_seconds(theorem, package, found),
            )


def _proof_seconds(theorem: str, package: Package, found: _Found) -> float:
    """Return the seconds that compiling the proofs took that a theorem rests on, directly or not."""
    cited = found.statements.facts.proofs.get(theorem, ()) if found.statements else ()
    modules = {
        module
        for home in cited
        for module in package.closure(home)
        if package.layout.is_proof(module) and module != f"{package.layout.library}.Proof"
    }
    return sum(found.seconds.get(module, 0.0) for module in modules)
