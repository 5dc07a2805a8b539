"""What is claimed now against what is locked: the comparison, and the renewal on purpose."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from eclogue.lean.facts import Facts
from eclogue.lean.lock import DEFINITIONS, THEOREMS, Lock, LockedTheorem, Statement, Statements
from eclogue.lean.problems import Problem
from eclogue.lean.sources import Package


def claims_of(package: Package, facts: Facts) -> dict[str, str]:
    """Return id and full name of each claim: what the module of properties declares."""
    home = package.layout.properties
    return {name.rpartition(".")[2]: name for name, module in facts.modules.items() if module == home}


def theorem_of(package: Package, claim: str) -> str:
    """Return the full name of the theorem that proves a claim."""
    return f"{package.layout.library}.Proof.{claim}"


def _foundation_digest(package: Package) -> str:
    """Return the digest of the foundation; a package without one has none that could be locked."""
    foundation = package.modules.get(package.layout.foundation)
    return "" if foundation is None else foundation.digest


def lock_problems(lock: Lock, package: Package, statements: Statements) -> Iterator[Problem]:
    """Yield what differs from the lock, and every claim without a theorem of exactly that type."""
    facts = statements.facts
    claims = claims_of(package, facts)
    if not claims:
        yield Problem("theorem.none", package.layout.properties, "claims nothing")
    foundation = _foundation_digest(package)
    if not foundation or lock.foundation != foundation:
        yield Problem("foundation.changed", package.layout.foundation, "is not the file that is locked")
    for claim, name in claims.items():
        theorem = theorem_of(package, claim)
        if theorem not in facts.types:
            yield Problem("theorem.unproved", claim, f"no theorem {theorem}")
        elif facts.types[theorem] != name:
            yield Problem("theorem.mismatch", claim, f"the type of {theorem} is not {name}")
        if claim not in lock.theorems:
            yield Problem("lock.unlisted", claim, f"is not in {THEOREMS}")
    for entry in lock.theorems.values():
        if claims.get(entry.id) != entry.property or entry.lean != theorem_of(package, entry.id):
            yield Problem("lock.stale", entry.id, "names a claim or a theorem that is not there")
        elif entry.lean in facts.types:
            yield from _changes(entry, lock, statements.of(entry.lean))
        if entry.axioms:
            yield Problem("theorem.axioms", entry.id, f"{THEOREMS} lists axioms; none is allowed")


def _changes(entry: LockedTheorem, lock: Lock, now: Statement) -> Iterator[Problem]:
    if entry.statement != now.statement:
        yield Problem("statement.changed", entry.id, "says something else than what is locked")
    if entry.definitions != now.definitions:
        changed = sorted(name for name in now.named if lock.named.get(name) != now.named[name])
        text = f"what it means changed: {', '.join(changed[:8]) or f'see {DEFINITIONS}'}"
        yield Problem("definitions.changed", entry.id, text)


def renewed(lock: Lock, package: Package, statements: Statements, changes: list[str]) -> Lock:
    """Return the lock for what the package says now, and add to `changes` what that changes."""
    theorems: dict[str, LockedTheorem] = {}
    named: dict[str, str] = {}
    facts = statements.facts
    claims = claims_of(package, facts)
    order = [
        *(claim for claim in lock.theorems if claim in claims),
        *sorted(claims.keys() - lock.theorems.keys()),
    ]
    for claim in order:
        theorem = theorem_of(package, claim)
        if theorem not in facts.types:
            continue
        now = statements.of(theorem)
        named.update(now.named)
        old = lock.theorems.get(claim) or LockedTheorem(
            id=claim, lean=theorem, property=claims[claim], group="", profile="", rules=(), witness=""
        )
        new = attrs.evolve(
            old,
            lean=theorem,
            property=claims[claim],
            axioms=facts.axioms[theorem],
            statement=now.statement,
            definitions=now.definitions,
        )
        theorems[claim] = new
        if new != old:
            what = (
                "new"
                if claim not in lock.theorems
                else "statement"
                if new.statement != old.statement
                else "meaning"
            )
            changes.append(f"{claim}: {what}")
    changes.extend(f"{claim}: gone" for claim in lock.theorems if claim not in theorems)
    changes.extend(f"{name}: definition" for name in sorted(named) if lock.named.get(name) != named[name])
    foundation = _foundation_digest(package)
    if foundation != lock.foundation:
        changes.append("the foundation")
    return Lock(comment=lock.comment, foundation=foundation, theorems=theorems, named=named)
