"""What an audit finds wrong, and the verdict that follows from it."""

from __future__ import annotations

import enum
from collections.abc import Iterable

import attrs


class Verdict(enum.Enum):
    """The answer of an audit. `UNKNOWN`: Lean was missing, or said nothing that counts."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


@attrs.frozen
class Problem:
    """One reason not to accept. `code` is stable; `where` names a module, declaration or theorem id."""

    code: str
    where: str
    text: str
    verdict: Verdict = Verdict.REJECTED

    def __str__(self) -> str:
        return f"{self.code} {self.where}: {self.text}"


def verdict_of(problems: Iterable[Problem]) -> Verdict:
    """Return the verdict: one rejection rejects, else one doubt leaves it unknown, else it is accepted."""
    found = {problem.verdict for problem in problems}
    if Verdict.REJECTED in found:
        return Verdict.REJECTED
    return Verdict.UNKNOWN if found else Verdict.ACCEPTED
