"""Applying a unified diff of one text, strictly: every line of context must be where the diff has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class PatchRefused(ValueError):
    """A patch that is malformed, or that does not fit the text."""


def patched(text: str, patch: str) -> str:
    """Return a text with a patch applied; raises `PatchRefused`."""
    lines = text.splitlines(keepends=True)
    out: list[str] = []
    place = 0
    hunks = list(_hunks(patch))
    if not hunks:
        raise PatchRefused("the patch has no hunk")
    for start, old, new in hunks:
        first = start - 1 if old else start
        if first < place or lines[first : first + len(old)] != old:
            raise PatchRefused(f"the hunk at line {start} does not fit")
        out += lines[place:first] + new
        place = first + len(old)
    return "".join(out + lines[place:])


def _hunks(patch: str) -> Iterator[tuple[int, list[str], list[str]]]:
    lines = patch.splitlines(keepends=True)
    number = 0
    while number < len(lines):
        match = _HUNK.match(lines[number])
        number += 1
        if match is None:
            continue
        old: list[str] = []
        new: list[str] = []
        wanted = int(match[2] or 1), int(match[4] or 1)
        while number < len(lines) and (len(old), len(new)) != wanted:
            _take(lines[number], lines[number - 1], old, new)
            number += 1
        if number < len(lines) and lines[number].startswith("\\"):
            _without_end(lines[number - 1], old, new)
            number += 1
        if (len(old), len(new)) != wanted:
            raise PatchRefused(f"the hunk at line {match[1]} is cut short")
        yield int(match[1]), old, new


def _take(line: str, before: str, old: list[str], new: list[str]) -> None:
    kind, rest = line[:1], line[1:]
    if kind == "\\":
        _without_end(before, old, new)
        return
    if kind not in ("+", "-", " ", "\n"):
        raise PatchRefused(f"a line of the patch begins with {kind!r}")
    content = "\n" if kind == "\n" else rest
    if kind != "+":
        old.append(content)
    if kind != "-":
        new.append(content)


def _without_end(before: str, old: list[str], new: list[str]) -> None:
    """Take the line end away from the line before, which the text does not have there."""
    for side, kinds in ((old, (" ", "-")), (new, (" ", "+"))):
        if side and before[:1] in kinds:
            side[-1] = side[-1].rstrip("\n")
