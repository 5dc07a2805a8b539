"""Statistics of what the generated programs reach: counted by a test, printed at the end of the run."""

from __future__ import annotations

from collections import Counter

from eclogue.core.outcomes import Failed, Suspended
from eclogue.core.trace import (
    Closing,
    Completion,
    ContinuationResume,
    EffectCapture,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    SelectionClosed,
)
from support.naive_machine import NaiveMachine

TALLIES: list[Tally] = []
"""The tallies of this run, for the terminal summary."""


_ENOUGH = 500
_LEAST = 0.05


class Tally:
    """How many programs belong to each class."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.total = 0
        self.counts: Counter[str] = Counter()
        TALLIES.append(self)

    def add(self, *classes: str) -> None:
        """Count one program that belongs to these classes."""
        self.total += 1
        self.counts.update(set(classes))

    def share(self, name: str) -> float:
        """Return the part of the programs that belong to a class."""
        return self.counts[name] / max(1, self.total)

    def check(self, *names: str) -> None:
        """Raise `AssertionError` if too few programs belong to one of these classes.

        Small samples say nothing and are not judged.
        """
        if self.total >= _ENOUGH:
            for name in names:
                assert self.share(name) >= _LEAST, f"too few programs: {name} {self.share(name):.1%}"

    def lines(self) -> list[str]:
        """Return the statistics as text."""
        width = max((len(name) for name in self.counts), default=0)
        rows = [f"{self.total} programs"]
        rows += [
            f"  {name:{width}}  {count:6d}  {self.share(name):6.1%}"
            for name, count in sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        ]
        return rows


def classes_of(machine: NaiveMachine) -> set[str]:
    """Return the classes that a run belongs to."""
    found = {name for record in machine.records for name in _classes_of_record(record)}
    if _resumed_at_once(machine.records) >= 3:
        found.add("resumes three deep")
    if machine.most_handlers >= 3:
        found.add("performs under three handlers")
    if machine.return_clauses_after_resume:
        found.add("return clauses after resume")
    if machine.failed_in_body:
        found.add("failures inside clause bodies")
    if isinstance(machine.outcome, Failed):
        found |= {"failures", f"failures: {machine.outcome.reason.kind.value}"}
    if isinstance(machine.outcome, Suspended) or "host answers" in found:
        found.add("suspensions")
    if isinstance(machine.outcome, Suspended):
        found.add("suspended at the end")
    return found


def _classes_of_record(record: Record) -> tuple[str, ...]:
    match record:
        case HandlerSelection(_, captured):
            return ("handled", "nested handlers") if captured else ("handled",)
        case ContinuationResume():
            return ("resumes",)
        case EffectCapture(Completion.ANSWER):
            return ("answers",)
        case EffectCapture(Completion.ABORT):
            return ("aborts",)
        case SelectionClosed(Closing.DROPPED):
            return ("closures", "closures: dropped")
        case SelectionClosed(Closing.FAILED):
            return ("closures", "closures: failed")
        case HostObservation():
            return ("host answers",)
    return ()


def _resumed_at_once(records: list[Record]) -> int:
    """Return how many selections were resumed and not yet returned to at the same time, at most."""
    now: set[int] = set()
    most = 0
    for record in records:
        match record:
            case ContinuationResume(selection):
                now.add(selection)
                most = max(most, len(now))
            case ResumeReturn(selection) | SelectionClosed(_, selection):
                now.discard(selection)
    return most
