"""Before anything is compiled: the settings of the package, and a trial of Lean itself."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from eclogue.lean.build import run_problems
from eclogue.lean.cache import Cache
from eclogue.lean.facts import parse_axioms
from eclogue.lean.problems import Problem, Verdict
from eclogue.lean.process import ChildLimits
from eclogue.lean.sources import Layout
from eclogue.lean.toolchain import VERSION, Lean

_LAKE_KEYS = {"name", "version", "defaultTargets", "lean_lib"}


def settings_problems(layout: Layout) -> Iterator[Problem]:
    """Yield what is wrong with the Lake files: another toolchain, or options that no source shows."""
    try:
        pinned = (layout.root / "lean-toolchain").read_text(encoding="utf-8").strip()
        lake = tomllib.loads((layout.root / "lakefile.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        yield Problem("package.settings", "lakefile.toml", str(error))
        return
    if pinned != f"leanprover/lean4:v{VERSION}":
        yield Problem("package.settings", "lean-toolchain", f"pins {pinned}, not version {VERSION}")
    unknown = lake.keys() - _LAKE_KEYS
    if unknown or lake.get("lean_lib") != [{"name": layout.library}]:
        yield Problem("package.settings", "lakefile.toml", "has settings that the audit does not know")


SELF_TEST = """\
prelude
theorem false_proof (P : Prop) (Q : Prop) (h : P) : Q := h
axiom assumed (P : Prop) : P
theorem from_axiom (P : Prop) : P := assumed P
#print axioms from_axiom
"""
"""A proof of the wrong thing, which must be refused, and a theorem from an axiom, which must be named."""


def self_test(lean: Lean, cache: Cache, limits: ChildLimits) -> list[Problem]:
    """Try Lean out: it must refuse a proof of the wrong thing, and name the axiom of a theorem."""
    with cache.workspace() as work:
        path = work / "SelfTest.lean"
        path.write_text(SELF_TEST, encoding="utf-8")
        run = lean.run([str(path)], limits=limits)
    if run.trouble is not None:
        return run_problems("self-test", run)
    refused = {message.line for message in run.of("error")} == {2}
    axioms = [parse_axioms("from_axiom", message.text) for message in run.of("information")]
    if run.code == 0 or not refused or axioms != [("assumed",)]:
        text = "this Lean accepts a false proof, or does not name an axiom: nothing that it says counts"
        code = "lean.silent" if not run.messages else "lean.untrustworthy"
        return [Problem(code, "self-test", text, Verdict.UNKNOWN)]
    return []
