"""The blueprint's definitions and theorems, read from its sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_CHAPTER = re.compile(r"\\chapter\{(?P<title>[^}]*)\}")
_INPUT = re.compile(r"\\input\{(?P<name>[^}]*)\}")
_BLOCK = re.compile(
    r"\\begin\{(?P<kind>definition|theorem|proof)\}(?:\[(?P<title>[^\]]*)\])?(?P<text>.*?)\\end\{(?P=kind)\}",
    re.DOTALL,
)


class BadSource(Exception):
    """A definition or theorem of the blueprint is not written as it has to be."""


@dataclass(frozen=True)
class Node:
    """A definition or theorem: its label, its Lean names, the labels it uses, the rule ids typed in it."""

    label: str
    kind: str
    title: str
    chapter: str
    lean: tuple[str, ...]
    uses: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def short(self) -> str:
        """The label without its kind, as the graph shows it."""
        return self.label.partition(":")[2].replace("_", " ")


def read_nodes(source: Path) -> dict[str, Node]:
    """Return the nodes of the document in a folder, by label, in order. Raises `BadSource`."""
    nodes: dict[str, Node] = {}
    content = (source / "content.tex").read_text(encoding="utf-8")
    for match in _INPUT.finditer(content):
        path = source / f"{match['name']}.tex"
        for node in _in_chapter(path.read_text(encoding="utf-8"), path.name):
            if node.label in nodes:
                raise BadSource(f"{path.name}: {node.label} stands twice")
            nodes[node.label] = node
    _check_uses(nodes)
    return nodes


def _in_chapter(text: str, where: str) -> list[Node]:
    chapter = _CHAPTER.search(text)
    if chapter is None:
        raise BadSource(f"{where}: no chapter")
    nodes: list[Node] = []
    for block in _BLOCK.finditer(text):
        if block["kind"] == "proof":
            nodes[-1] = _with_proof(nodes[-1], block["text"], where)
        else:
            nodes.append(_node(block, chapter["title"], where))
    for node in nodes:
        if node.kind == "theorem" and text.count(f"\\status{{{node.label}}}") != 2:
            raise BadSource(f"{where}: {node.label} needs its \\status in the statement and in a proof")
    return nodes


def _node(block: re.Match[str], chapter: str, where: str) -> Node:
    text = block["text"]
    labels, lean = _listed(text, "label"), _listed(text, "lean")
    if len(labels) != 1 or not lean or not block["title"]:
        raise BadSource(f"{where}: {block['title'] or labels} needs a title, one label and Lean names")
    for macro in ("status", "facts"):
        if _listed(text, macro) != labels:
            raise BadSource(f"{where}: {labels[0]} needs \\{macro}{{{labels[0]}}}")
    rules = tuple(rule.replace("\\_", "_") for rule in _listed(text, "rules"))
    return Node(
        label=labels[0],
        kind=block["kind"],
        title=block["title"],
        chapter=chapter,
        lean=lean,
        uses=_listed(text, "uses"),
        rules=rules,
    )


def _with_proof(node: Node, text: str, where: str) -> Node:
    if _listed(text, "status") != (node.label,):
        raise BadSource(f"{where}: the proof of {node.label} needs \\status{{{node.label}}}")
    merged = tuple(dict.fromkeys((*node.uses, *_listed(text, "uses"))))
    return Node(node.label, node.kind, node.title, node.chapter, node.lean, merged, node.rules)


def _listed(text: str, macro: str) -> tuple[str, ...]:
    """Return the comma-separated arguments of a macro."""
    found = re.findall(rf"\\{macro}\{{([^}}]*)\}}", text)
    return tuple(item.strip() for argument in found for item in argument.split(","))


def _check_uses(nodes: Mapping[str, Node]) -> None:
    """Every label that is used stands before its use, so that reading in order is possible."""
    seen: set[str] = set()
    for label, node in nodes.items():
        for used in node.uses:
            if used not in seen:
                raise BadSource(f"{label} uses {used}, which is not defined before it")
        seen.add(label)
