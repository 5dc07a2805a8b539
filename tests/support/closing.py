"""What is told at the end of a test run, also when the tests ran in several processes."""

from __future__ import annotations

from typing import Any

from support.statistics import TALLIES, Tally

NOTICES: list[str] = []
"""Lines that must be seen: what was left out, and why."""


def notice(line: str) -> None:
    """Have a line printed at the end, once."""
    if line not in NOTICES:
        NOTICES.append(line)


def packed() -> dict[str, Any]:
    """Return all that is to be told, as data that another process can take."""
    return {
        "notices": NOTICES,
        "tallies": [(each.title, each.total, dict(each.counts)) for each in TALLIES],
    }


def unpack(data: dict[str, Any]) -> None:
    """Take what another process has to tell."""
    for line in data["notices"]:
        notice(line)
    for title, total, counts in data["tallies"]:
        tally = Tally(title)
        tally.total = total
        tally.counts.update(counts)
