"""The blueprint names what exists, in an order that can be read, and builds to a site."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from proof_files import BLUEPRINT, LIBRARY, PROOFS, ROOT, proved, stand_in_audit, theorems

# `proof_files` puts the folder of the blueprint on the path.
from blueprint_site.lean_names import declarations  # isort: skip
from blueprint_site.nodes import BadSource, Node, read_nodes  # isort: skip
from blueprint_site.site import shortened, vouched  # isort: skip

SOURCE = BLUEPRINT / "src"


@pytest.fixture(scope="module")
def nodes() -> dict[str, Node]:
    found: dict[str, Node] = read_nodes(SOURCE)
    return found


def test_every_lean_name_is_declared(nodes: dict[str, Node]) -> None:
    found = declarations(LIBRARY.parent)
    for node in nodes.values():
        for name in node.lean:
            assert name in found, f"{node.label}: {name}"


def test_every_definition_is_one_that_a_statement_rests_on(nodes: dict[str, Node]) -> None:
    known = vouched(stand_in_audit(), PROOFS, LIBRARY.parent)
    for node in nodes.values():
        assert [known.problem(name) for name in node.lean] == [None] * len(node.lean), node.label


def test_every_theorem_stands_in_the_document_once(nodes: dict[str, Node]) -> None:
    named = [name for node in nodes.values() if node.kind == "theorem" for name in node.lean]
    assert sorted(named) == sorted(f"Eclogue.Proof.{claim}" for claim in proved())


def test_definitions_name_no_theorem(nodes: dict[str, Node]) -> None:
    for node in nodes.values():
        if node.kind == "definition":
            assert not any(name.startswith(("Eclogue.Proof.", "Eclogue.Properties.")) for name in node.lean)


def test_rule_ids_are_those_of_the_specification(nodes: dict[str, Node]) -> None:
    specification = (ROOT / "core" / "SPEC.md").read_text(encoding="utf-8")
    listed = {rule for entry in theorems() for rule in entry["rules"]}
    for node in nodes.values():
        for rule in node.rules:
            known = (
                any(name.startswith(rule[:-1]) for name in listed)
                if rule.endswith(".*")
                else rule in listed
            )
            assert known or f"**{rule}**" in specification, f"{node.label}: {rule}"


def test_no_status_is_typed() -> None:
    for path in SOURCE.glob("*.tex"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert not any(r"\leanok" in line for line in lines if not line.startswith("%")), path.name


DEFINITION = r"\begin{definition}[T]\label{def:a}\lean{A}%s\end{definition}"
GOOD = DEFINITION % r"\status{def:a}\facts{def:a}"
THEOREM = r"\begin{theorem}[T]\label{thm:b}\lean{B}\uses{def:a}\status{thm:b}\facts{thm:b}\end{theorem}"
PROOF = r"\begin{proof}\status{thm:b} x \end{proof}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD, "no chapter"),
        (r"\chapter{C}" + DEFINITION % "", "status"),
        (r"\chapter{C}" + GOOD + GOOD, "stands twice"),
        (r"\chapter{C}" + THEOREM + PROOF, "not defined before"),
        (r"\chapter{C}" + GOOD + THEOREM, "and in a proof"),
        (r"\chapter{C}" + GOOD.replace(r"\lean{A}", ""), "Lean names"),
        (r"\chapter{C}" + GOOD + THEOREM.replace(r"\facts{thm:b}", "") + PROOF, "facts"),
    ],
)
def test_a_bad_source_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "content.tex").write_text(r"\input{one}", encoding="utf-8")
    (tmp_path / "one.tex").write_text(text, encoding="utf-8")
    with pytest.raises(BadSource, match=message):
        read_nodes(tmp_path)


def test_declarations_are_found_by_full_name(tmp_path: Path) -> None:
    text = """\
/-! namespace Comment -/
namespace A.B
/-- Two
lines. -/
@[simp] noncomputable def f (n : Nat) :=
  n
mutual
inductive T where
  | c
end
end A.B
/-
theorem commented : True := trivial
-/
theorem top : True := trivial
"""
    (tmp_path / "M.lean").write_text(text, encoding="utf-8")
    found = declarations(tmp_path)
    assert list(found) == ["A.B.f", "A.B.T", "top"]
    assert found["A.B.f"].text.startswith("/-- Two\nlines. -/\n@[simp]")
    assert found["A.B.f"].line == 5


def test_a_name_needs_the_sources_and_the_audit() -> None:
    lean = LIBRARY.parent
    known = vouched(stand_in_audit(), PROOFS, lean)
    assert known.problem("Eclogue.denote") is None
    assert known.problem("Eclogue.Proof.denote_adequate") is None
    assert known.problem("Eclogue.Proof.denote_adequat") == "is not declared in the Lean sources"
    assert known.problem("Eclogue.Steps.trans") == "is not in definitions.lock: no statement rests on it"
    unlisted = vouched(stand_in_audit() | {"theorems": []}, PROOFS, lean)
    assert unlisted.problem("Eclogue.Proof.denote_adequate") == "is not in the audit"
    refused = vouched(stand_in_audit() | {"status": "rejected"}, PROOFS, lean)
    assert refused.problem("Eclogue.denote") == "stands in a development that the audit did not accept"


def test_a_group_of_rules_is_shortened_when_all_of_it_is_there() -> None:
    every = {"a.x", "a.y", "a.z", "b.x", "b.y", "b.z"}
    assert shortened(["a.x", "a.y", "a.z", "b.x", "b.y"], every) == ["a.*", "b.x", "b.y"]


# ------------------------------------------------------------------------------------------------
# Building


def build(folder: Path, report: str) -> subprocess.CompletedProcess[str]:
    audit = folder / "audit.json"
    audit.write_text(report, encoding="utf-8")
    command = [sys.executable, BLUEPRINT / "build.py", "--audit", audit, "--output", folder / "out"]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.usefixtures("leanblueprint")
def test_the_site_is_built_and_complete(tmp_path: Path, nodes: dict[str, Node]) -> None:
    done = build(tmp_path, json.dumps(stand_in_audit()))
    assert done.returncode == 0, done.stderr
    site = tmp_path / "out" / "web"
    pages = {path.name: path.read_text(encoding="utf-8") for path in site.glob("*.html")}
    assert sum(text.count("✓") for text in pages.values()) == len(nodes)
    graphs = pages["dep_graph_document.html"]
    assert graphs.count("<svg") == 1 + len({node.chapter for node in nodes.values()})
    for label in nodes:
        assert len(re.findall(rf"<title>{label}</title>", graphs)) >= 1
    names = (site / "find" / "index.html").read_text(encoding="utf-8")
    for node in nodes.values():
        assert all(f'id="doc/{name}"' in names for name in node.lean)
    for text in (*pages.values(), names):
        assert not re.search(r'(?:src|href)="(?:https?:)?//', text)


@pytest.mark.usefixtures("leanblueprint")
def test_what_the_audit_does_not_vouch_for_is_shown_and_told(
    tmp_path: Path, nodes: dict[str, Node]
) -> None:
    report = stand_in_audit()
    report["theorems"][0]["axioms"] = ["sorryAx"]
    first, missing = report["theorems"][0]["decl"], report["theorems"].pop()["decl"]
    done = build(tmp_path, json.dumps(report))
    assert done.returncode == 1
    assert f"{first} rests on axioms: ['sorryAx']" in done.stderr
    assert f"{missing} is not in the audit" in done.stderr
    pages = "".join(
        path.read_text(encoding="utf-8") for path in (tmp_path / "out" / "web").glob("sect*.html")
    )
    assert pages.count("✓") == len(nodes) - 2


@pytest.mark.usefixtures("leanblueprint")
def test_a_development_that_is_not_accepted_has_no_status(tmp_path: Path) -> None:
    done = build(tmp_path, json.dumps(stand_in_audit() | {"status": "unknown"}))
    assert done.returncode == 1
    pages = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "out" / "web").glob("*.html"))
    assert "✓" not in pages


@pytest.mark.parametrize("text", ["", "[]", "{}"])
def test_without_a_report_nothing_is_built(tmp_path: Path, text: str) -> None:
    done = build(tmp_path, text)
    assert done.returncode == 2
    assert "report" in done.stderr
    assert not (tmp_path / "out").exists()
