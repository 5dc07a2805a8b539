"""The site: what is generated for it, how it is built, and what is wrong with it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from blueprint_site.lean_names import Declaration, declarations
from blueprint_site.nodes import BadSource, Node, read_nodes
from blueprint_site.pages import graph_page, names_page, places_of

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
SOURCE = HERE / "src"
OUTPUT = HERE / "build"
THEOREMS = "theorems.toml"
DEFINITIONS = "definitions.lock"
GENERATED = "generated.tex"
_LINK = "./find/#doc/"
"""How leanblueprint begins links of Lean names; that needs a server, a file's name does not."""


class NotBuilt(Exception):
    """The site could not be built."""


@dataclass(frozen=True)
class Vouched:
    """What the audit vouches for, and the Lean sources: all that a status is computed from.

    An accepted audit has compiled every source file, found no axiom in any declaration, and compared what
    the statements mean with the lock. So it vouches for a definition of the sources that is locked (some
    statement rests on it), and for a theorem that it lists without axioms.
    """

    accepted: bool
    theorems: Mapping[str, Mapping[str, object]]
    claims: Mapping[str, str]
    rules: Mapping[str, tuple[str, ...]]
    locked: frozenset[str]
    found: Mapping[str, Declaration]

    def problem(self, name: str) -> str | None:
        """Return what is wrong with a Lean name, or nothing."""
        if name not in self.found:
            return "is not declared in the Lean sources"
        if name.startswith("Eclogue.Proof."):
            theorem = self.theorems.get(name)
            if theorem is None:
                return "is not in the audit"
            if theorem["axioms"] != []:
                return f"rests on axioms: {theorem['axioms']}"
        elif name not in self.locked:
            return f"is not in {DEFINITIONS}: no statement rests on it"
        return None if self.accepted else "stands in a development that the audit did not accept"


# ------------------------------------------------------------------------------------------------
# Reading


def read_audit(path: Path | None) -> Mapping[str, object]:
    """Return an audit's report: that of the file, or a new one. Raises `NotBuilt`."""
    try:
        text = path.read_text(encoding="utf-8") if path else _audit()
        report = json.loads(text)
    except (OSError, ValueError) as error:
        raise NotBuilt(f"no report of an audit: {error}") from error
    if not isinstance(report, dict) or not isinstance(report.get("theorems"), list):
        raise NotBuilt("the report is not one of `eclogue lean check --json`")
    return report


def _audit() -> str:
    command = Path(sys.executable).parent / "eclogue"
    return subprocess.run(
        [command, "lean", "check", "--json"], stdout=subprocess.PIPE, text=True, check=False
    ).stdout


def vouched(report: Mapping[str, object], proofs: Path, lean: Path) -> Vouched:
    """Return what a report vouches for, together with the lock and the Lean sources."""
    entries = tomllib.loads((proofs / THEOREMS).read_text(encoding="utf-8"))["theorem"]
    locked = (proofs / DEFINITIONS).read_text(encoding="utf-8").splitlines()
    listed = report["theorems"]
    assert isinstance(listed, list)
    return Vouched(
        accepted=report.get("status") == "accepted",
        theorems={entry["decl"]: entry for entry in listed},
        claims={entry["lean"]: entry["property"] for entry in entries},
        rules={entry["lean"]: tuple(entry["rules"]) for entry in entries},
        locked=frozenset(line.partition(" ")[0] for line in locked if not line.startswith("#")),
        found=declarations(lean),
    )


# ------------------------------------------------------------------------------------------------
# The generated part of the sources


def generated(nodes: Mapping[str, Node], known: Vouched) -> str:
    """Return the file that gives the macros `status` and `facts` their meaning for each label."""
    lines = ["% Written by build.py from the audit and theorems.toml; do not edit."]
    for label, node in nodes.items():
        status = r"\leanok" if not any(known.problem(name) for name in node.lean) else ""
        lines.append(rf"\expandafter\def\csname status-{label}\endcsname{{{status}}}")
        lines.append(rf"\expandafter\def\csname facts-{label}\endcsname{{{_facts(node, known)}}}")
    return "\n".join(lines) + "\n"


def _facts(node: Node, known: Vouched) -> str:
    lean = rf"\par Lean: \texttt{{{_texts(node.lean)}}}."
    if node.kind != "theorem":
        return lean
    rules = dict.fromkeys(rule for name in node.lean for rule in known.rules.get(name, ()))
    axioms = sorted({str(axiom) for name in node.lean for axiom in _axioms(name, known)})
    said = _texts(shortened(rules, {rule for some in known.rules.values() for rule in some}))
    about = rf" Rules: \texttt{{{said}}}." if rules else ""
    return rf"{lean} Axioms: {_texts(axioms) or 'none'}.{about}"


def _axioms(name: str, known: Vouched) -> list[object]:
    listed = known.theorems.get(name, {}).get("axioms", ["not in the audit"])
    return listed if isinstance(listed, list) else []


def shortened(rules: Iterable[str], every: set[str]) -> list[str]:
    """Return rule ids, with `group.*` in the place of a group of which all are there."""
    given = list(rules)
    groups = dict.fromkeys(rule.partition(".")[0] for rule in given)
    short: list[str] = []
    for group in groups:
        mine = [rule for rule in given if rule.startswith(f"{group}.")]
        all_of_it = {rule for rule in every if rule.startswith(f"{group}.")}
        short.extend([f"{group}.*"] if len(mine) > 2 and set(mine) == all_of_it else mine)
    return short


def _texts(items: Iterable[str]) -> str:
    return ", ".join(items).replace("_", r"\_")


# ------------------------------------------------------------------------------------------------
# Building


def build(report: Mapping[str, object], output: Path) -> list[str]:
    """Build the site as `web` in a folder; return what is wrong with it. Raises `NotBuilt`."""
    if find_spec("leanblueprint") is None:
        raise NotBuilt("leanblueprint is not installed: it comes with the extra `[docs]`")
    try:
        known = vouched(report, ROOT / "proofs", ROOT / "lean")
        nodes = read_nodes(SOURCE)
    except (OSError, BadSource) as error:
        raise NotBuilt(str(error)) from error
    for made in ("src", "web"):
        shutil.rmtree(output / made, ignore_errors=True)
    shutil.copytree(SOURCE, output / "src")
    (output / "src" / GENERATED).write_text(generated(nodes, known), encoding="utf-8")
    _run_plastex(output / "src")
    return list(_finish(nodes, known, output))


def _run_plastex(source: Path) -> None:
    command = [str(Path(sys.executable).parent / "plastex"), "-c", "plastex.cfg", "--no-mathjax", "web.tex"]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    complaints = [
        line for line in done.stderr.splitlines() if line.startswith(("ERROR", "WARNING: File not found"))
    ]
    if done.returncode or complaints:
        raise NotBuilt("\n".join(["plasTeX failed", *complaints[:10], *done.stderr.splitlines()[-10:]]))


def _finish(nodes: Mapping[str, Node], known: Vouched, output: Path) -> Iterator[str]:
    """Check the names that plasTeX found, and write the pages that only the build can write."""
    site = output / "web"
    names = (output / "lean_decls").read_text(encoding="utf-8").split()
    if set(names) != {name for node in nodes.values() for name in node.lean}:
        raise NotBuilt("plasTeX and the build read different Lean names from the sources")
    for path in site.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(_LINK, "find/index.html#doc/"), encoding="utf-8")
    places = places_of(site, nodes)
    for label in nodes.keys() - places.keys():
        raise NotBuilt(f"{label} has no place in the site")
    audited = {label: not any(map(known.problem, node.lean)) for label, node in nodes.items()}
    (site / "dep_graph_document.html").write_text(graph_page(nodes, audited, places), encoding="utf-8")
    (site / "find").mkdir()
    page = names_page(dict.fromkeys(names), known.found, known.claims, known.theorems)
    (site / "find" / "index.html").write_text(page, encoding="utf-8")
    for name in dict.fromkeys(names):
        problem = known.problem(name)
        if problem:
            yield f"{name} {problem}"
    for name in known.claims.keys() - set(names):
        yield f"{name} is a theorem that the document leaves out"
