"""Pages that the build adds to the site: the dependency graphs, and what Lean's names stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from blueprint_site.lean_names import Declaration
from blueprint_site.nodes import Node

if TYPE_CHECKING:
    from pygraphviz import AGraph  # type: ignore[import-untyped,import-not-found,unused-ignore]

_FILLS = [
    "#e8f1fa",
    "#fdf1dd",
    "#e9f6e6",
    "#f6e8f3",
    "#eef0e0",
    "#e4f3f4",
    "#faeae6",
    "#ececf8",
    "#f5f1e4",
    "#e6efe9",
]
_OPEN = "#d9534f"
_DONE = "#2e7d32"
_STYLE = """
body { font-family: sans-serif; margin: 1.5rem; color: #222; }
nav a { margin-right: 1rem; }
svg { max-width: 100%; height: auto; }
pre { background: #f6f6f6; padding: .6rem; overflow-x: auto; }
h2 { margin-top: 2rem; }
"""


# ------------------------------------------------------------------------------------------------
# Graphs


def graph_page(nodes: Mapping[str, Node], audited: Mapping[str, bool], places: Mapping[str, str]) -> str:
    """Return the page with the graph of all chapters, and below it one graph for each chapter.

    `audited` says of each label whether Lean's audit vouches for it; `places` has its address in the site.
    """
    chapters = list(dict.fromkeys(node.chapter for node in nodes.values()))
    fills = {chapter: _FILLS[place % len(_FILLS)] for place, chapter in enumerate(chapters)}
    links = "".join(f'<li><a href="#{_anchor(chapter)}">{escape(chapter)}</a></li>' for chapter in chapters)
    whole = _svg(_overview(_connected(nodes), fills, audited, places))
    single = "".join(
        f'<h2 id="{_anchor(chapter)}">{escape(chapter)}</h2>'
        f"{_svg(_chapter(chapter, nodes, fills, audited, places))}"
        for chapter in chapters
    )
    body = f"""<nav><a href="index.html">Contents</a></nav><h1>What rests on what</h1>
<p>Boxes are definitions, ellipses theorems; an arrow leads from what is used to what uses it. A solid green
border: the Lean names are in the audit, without axioms. A dashed red border: they are not. Each node is a
link. Arrows that follow from others are left out, and so are chapters that have nothing to do with others.
Below there is a graph for each chapter, with what it uses from others in white.</p>
{whole}<ul>{links}</ul>{single}"""
    return _page("What rests on what", body)


def _connected(nodes: Mapping[str, Node]) -> dict[str, Node]:
    """Return the nodes of the chapters that use others, or are used by them."""
    between = {
        frozenset({node.chapter, nodes[used].chapter}) for node in nodes.values() for used in node.uses
    }
    chapters = {chapter for pair in between if len(pair) > 1 for chapter in pair}
    return {label: node for label, node in nodes.items() if node.chapter in chapters}


def _anchor(chapter: str) -> str:
    return re.sub(r"\W+", "-", chapter.lower())


def _new_graph(**settings: str) -> AGraph:
    """Return an empty graph; `pygraphviz` is there wherever leanblueprint is."""
    from pygraphviz import AGraph

    graph = AGraph(directed=True)
    graph.graph_attr.update(fontname="sans-serif", bgcolor="transparent", **settings)
    graph.node_attr.update(
        fontname="sans-serif",
        fontsize="13",
        style="filled",
        height="0.3",
        margin="0.09,0.04",
        penwidth="1.4",
    )
    graph.edge_attr.update(arrowhead="vee", arrowsize="0.6", color="#555555")
    return graph


def _add(graph: AGraph, node: Node, fill: str, audited: bool, place: str) -> None:
    graph.add_node(
        node.label,
        label=_wrapped(node.short),
        tooltip=node.title,
        shape="box" if node.kind == "definition" else "ellipse",
        fillcolor=fill,
        color=_DONE if audited else _OPEN,
        style="filled" if audited else "filled,dashed",
        URL=place,
        target="_top",
    )


def _wrapped(text: str) -> str:
    """Return a label with a line break at the space that is nearest to the middle, if it is long."""
    spaces = [place for place, letter in enumerate(text) if letter == " "]
    if len(text) <= 12 or not spaces:
        return text
    middle = min(spaces, key=lambda place: abs(place - len(text) / 2))
    return f"{text[:middle]}\n{text[middle + 1 :]}"


def _overview(
    nodes: Mapping[str, Node],
    fills: Mapping[str, str],
    audited: Mapping[str, bool],
    places: Mapping[str, str],
) -> AGraph:
    graph = _new_graph(rankdir="LR", nodesep="0.1", ranksep="0.5", newrank="true")
    for label, node in nodes.items():
        _add(graph, node, "white", audited[label], places[label])
    for label, node in nodes.items():
        for used in node.uses:
            graph.add_edge(used, label)
    reduced = graph.tred()
    for chapter, fill in fills.items():
        inside = [label for label, node in nodes.items() if node.chapter == chapter]
        if not inside:
            continue
        reduced.add_subgraph(
            inside,
            name=f"cluster_{_anchor(chapter)}",
            label=chapter,
            style="filled",
            color=fill,
            fontsize="18",
        )
    return reduced


def _chapter(
    chapter: str,
    nodes: Mapping[str, Node],
    fills: Mapping[str, str],
    audited: Mapping[str, bool],
    places: Mapping[str, str],
) -> AGraph:
    graph = _new_graph(rankdir="TB", nodesep="0.2", ranksep="0.4")
    inside = {label: node for label, node in nodes.items() if node.chapter == chapter}
    shown = dict.fromkeys([used for node in inside.values() for used in node.uses] + list(inside))
    for label in shown:
        fill = fills[chapter] if label in inside else "white"
        _add(graph, nodes[label], fill, audited[label], places[label])
    for label, node in inside.items():
        for used in node.uses:
            graph.add_edge(used, label)
    return graph.tred()


def _svg(graph: AGraph) -> str:
    """Return the laid-out graph as an SVG element."""
    drawn: str = graph.draw(format="svg", prog="dot").decode("utf-8")
    return drawn[drawn.index("<svg") :]


# ------------------------------------------------------------------------------------------------
# Lean's names


def names_page(
    names: Iterable[str],
    found: Mapping[str, Declaration],
    claims: Mapping[str, str],
    theorems: Mapping[str, Mapping[str, object]],
) -> str:
    """Return the page to which Lean's names in the document lead.

    `claims` has the name of the proposition that each theorem proves; `theorems` the audit's entries, by
    declaration.
    """
    return _page("Lean names", "".join(_entry(name, found, claims, theorems.get(name)) for name in names))


def _entry(
    name: str,
    found: Mapping[str, Declaration],
    claims: Mapping[str, str],
    theorem: Mapping[str, object] | None,
) -> str:
    declaration = found.get(claims.get(name, name))
    parts = [f'<h2 id="doc/{escape(name)}"><code>{escape(name)}</code></h2>']
    if theorem is not None:
        axioms = theorem["axioms"]
        listed = ", ".join(map(str, axioms)) if isinstance(axioms, list) else ""
        digest = escape(str(theorem["statement_digest"]))
        parts.append(f"<p>Axioms: {escape(listed) or 'none'}. Statement: <code>{digest}</code></p>")
    if declaration is not None:
        place = f"<code>{escape(declaration.path)}</code>, line {declaration.line}"
        parts.append(f"<p>{place}</p><pre>{escape(declaration.text)}</pre>")
    return "".join(parts)


def _page(title: str, body: str) -> str:
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style></head>
<body>{body}</body></html>
"""


def places_of(site: Path, labels: Iterable[str]) -> dict[str, str]:
    """Return the address of each label in a built site: its page and its anchor."""
    wanted = set(labels)
    places: dict[str, str] = {}
    for path in sorted(site.glob("*.html")):
        for label in re.findall(r'id="([^"]+)"', path.read_text(encoding="utf-8")):
            if label in wanted:
                places[label] = f"{path.name}#{label}"
    return places
