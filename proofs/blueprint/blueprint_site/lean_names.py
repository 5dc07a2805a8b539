"""The declarations in the Lean sources, by full name, with the text of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_KINDS = "theorem|def|abbrev|inductive|structure|class|instance|opaque|axiom"
_DECLARATION = re.compile(
    rf"(?:@\[[^\]]*\]\s*)*(?:(?:private|protected|noncomputable|unsafe|partial)\s+)*(?:{_KINDS})\s+"
    r"(?P<name>[^\s:({\[⦃]+)"
)
_SCOPE = re.compile(r"(?P<word>namespace|section|mutual|end)\b\s*(?P<name>\S*)")


@dataclass(frozen=True)
class Declaration:
    """A declaration: where it stands, and its text from its docstring on."""

    name: str
    path: str
    line: int
    text: str


def declarations(root: Path) -> dict[str, Declaration]:
    """Return what the `.lean` files below a folder declare, by full name; paths are relative to it."""
    found: dict[str, Declaration] = {}
    for path in sorted(root.rglob("*.lean")):
        for declaration in _in_file(path, path.relative_to(root).as_posix()):
            found[declaration.name] = declaration
    return found


def _in_file(path: Path, shown: str) -> Iterator[Declaration]:
    lines = path.read_text(encoding="utf-8").splitlines()
    scopes: list[str] = []
    commented = False
    for number, line in enumerate(lines):
        if commented or line.startswith("/-"):
            commented = "-/" not in line
            continue
        scope = _SCOPE.match(line)
        if scope and scope["word"] == "end":
            scopes.pop()
        elif scope:
            scopes.append(scope["name"] if scope["word"] == "namespace" else "")
        declared = _DECLARATION.match(line)
        if declared:
            name = ".".join(part for part in (*scopes, declared["name"]) if part)
            yield Declaration(name.removeprefix("_root_."), shown, number + 1, _text(lines, number))


def _text(lines: list[str], number: int) -> str:
    """Return a declaration's lines: back to the start of its docstring, on while lines are indented."""
    first = number
    if first and lines[first - 1].rstrip().endswith("-/"):
        first -= 1
        while first and not lines[first].startswith("/--"):
            first -= 1
    last = number + 1
    while last < len(lines) and lines[last].startswith(" "):
        last += 1
    return "\n".join(lines[first:last])
