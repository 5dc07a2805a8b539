"""The gate: what may happen, decided before it has happened (`lean/Eclogue/Runtime/LinearGate.lean`).

Every operation that reaches the host is an *intent*, named by the number of its declaration and by the
ref of that record, which is its digest. An irreversible one needs an approval of that digest first; an
outcome comes once; what can be compensated is pending until it is, the newest first.
"""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import attrs

from eclogue.core.syntax import Tier
from eclogue.runtime.sandbox.interface import SandboxError

_ORDER = (Tier.REVERSIBLE, Tier.COMPENSABLE, Tier.IRREVERSIBLE)


def stricter(one: Tier, other: Tier) -> Tier:
    """Return the stricter of two tiers: what the program says and what the host says."""
    return max(one, other, key=_ORDER.index)


class GateViolation(Exception):
    """Something that may not follow what has happened; it is a mistake of the runtime, never of a user."""


@attrs.define(eq=False)
class Gate:
    """The history of a run's intents, in the form that answers each question at once."""

    intents: dict[int, tuple[str, Tier]] = attrs.field(factory=dict)
    approvals: dict[int, str] = attrs.field(factory=dict)
    happened: set[int] = attrs.field(factory=set)
    pending: list[int] = attrs.field(factory=list)
    """Compensable outcomes that were not compensated, the oldest first."""

    def intent(self, number: int, digest: str, tier: Tier) -> None:
        """Take it that an operation is asked for."""
        if number in self.intents:
            raise GateViolation(f"intent {number} is there already")
        self.intents[number] = (digest, tier)

    def approve(self, number: int, digest: str) -> None:
        """Take it that somebody lets this very intent happen."""
        if number in self.happened or self._digest(number) != digest:
            raise GateViolation(f"an approval of {number} that is not its intent's")
        self.approvals[number] = digest

    def deny(self, number: int) -> None:
        """Take it that somebody does not, or no longer."""
        self._digest(number)
        self.approvals.pop(number, None)

    def may_happen(self, number: int) -> bool:
        """Whether an intent's tier and approvals let it happen."""
        digest, tier = self.intents[number]
        return tier is not Tier.IRREVERSIBLE or self.approvals.get(number) == digest

    def is_approved(self, number: int) -> bool:
        """Whether somebody has approved this very intent."""
        return self.approvals.get(number) == self.intents[number][0]

    def outcome(self, number: int) -> None:
        """Take it that it has happened."""
        self._digest(number)
        if number in self.happened or not self.may_happen(number):
            raise GateViolation(f"an outcome of {number} that may not be")
        self.happened.add(number)
        if self.intents[number][1] is Tier.COMPENSABLE:
            self.pending.append(number)

    def compensate(self, number: int) -> None:
        """Take it that the newest of what is pending is made up for."""
        if not self.pending or self.pending[-1] != number:
            raise GateViolation(f"{number} is not the next to be compensated")
        self.pending.pop()

    def _digest(self, number: int) -> str:
        if number not in self.intents:
            raise GateViolation(f"there is no intent {number}")
        return self.intents[number][0]

    def take(self, kind: str, number: int, digest: str = "", tier: str = "") -> None:
        """Follow what is written of a gate: intent, approve, deny, outcome or compensate."""
        steps: Mapping[str, Any] = {
            "intent": lambda: self.intent(number, digest, Tier(tier)),
            "approve": lambda: self.approve(number, digest),
            "deny": lambda: self.deny(number),
            "outcome": lambda: self.outcome(number),
            "compensate": lambda: self.compensate(number),
        }
        steps[kind]()


# ------------------------------------------------------------------------------------------------
# Policies


class Decision(enum.Enum):
    """What is to become of an operation."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"
    DRY_RUN = "dry-run"


@attrs.frozen
class Policy:
    """Decisions by operation (a pattern such as `model.*`; the last that matches counts) and by tier."""

    tiers: Mapping[Tier, Decision] = attrs.field(
        factory=lambda: {
            Tier.REVERSIBLE: Decision.ALLOW,
            Tier.COMPENSABLE: Decision.ALLOW,
            Tier.IRREVERSIBLE: Decision.ASK,
        }
    )
    operations: tuple[tuple[str, Decision], ...] = ()

    def decide(self, operation: str, tier: Tier) -> Decision:
        """Return the decision about an operation of this tier."""
        named = [decision for pattern, decision in self.operations if fnmatchcase(operation, pattern)]
        return named[-1] if named else self.tiers[tier]


def read_policy(path: str | Path) -> Policy:
    """Return the policy in a TOML file with the tables `tiers` and `operations`; raises `SandboxError`."""
    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SandboxError(f"{path}: {error}", _FORM) from None
    unknown = sorted(found.keys() - {"tiers", "operations"})
    if unknown:
        raise SandboxError(f"{path}: there is no table {unknown[0]!r} in a policy", _FORM)
    tiers = dict(Policy().tiers)
    for name, word in _table(found, "tiers", path).items():
        if name not in [tier.value for tier in Tier]:
            raise SandboxError(
                f"{path}: there is no tier {name!r}", "reversible, compensable, irreversible"
            )
        tiers[Tier(name)] = _decision(word, path)
    operations = tuple(
        (name, _decision(word, path)) for name, word in _table(found, "operations", path).items()
    )
    return Policy(tiers, operations)


_FORM = 'a policy has tables: [tiers] with irreversible = "ask", [operations] with "model.*" = "allow"'


def _table(found: Mapping[str, Any], name: str, path: str | Path) -> Mapping[str, Any]:
    table = found.get(name, {})
    if not isinstance(table, dict):
        raise SandboxError(f"{path}: {name} is not a table", _FORM)
    return table


def _decision(word: object, path: str | Path) -> Decision:
    try:
        return Decision(word)
    except ValueError:
        words = ", ".join(item.value for item in Decision)
        raise SandboxError(f"{path}: {word!r} is no decision", f"there are {words}") from None
