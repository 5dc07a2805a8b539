"""Why Lean did not check a certificate, told apart: what was found, and what to do about it."""

from __future__ import annotations

_MISSING = "lean.missing"
"""How a reason begins that names the places which were looked at, one a line, and ends with a hint."""


def reasons_and_hint(reason: str) -> tuple[tuple[str, ...], str | None]:
    """Return the lines of a reason that say something about this machine, and the hint in it, if any.

    Of what Lean wrote about a certificate, which may be long, only the first line is told.
    """
    lines = [line.strip() for line in reason.splitlines()]
    if not reason.startswith(_MISSING) or len(lines) < 2:
        return tuple(lines[:1]), None
    return tuple(lines[:-1]), lines[-1]
