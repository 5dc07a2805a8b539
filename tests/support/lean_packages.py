"""Small Lean packages to audit, and programs that pretend to be Lean."""

from __future__ import annotations

import shutil
from pathlib import Path

from eclogue.lean.audit import Audit, Report
from eclogue.lean.cache import Cache
from eclogue.lean.problems import Verdict
from eclogue.lean.sources import Layout
from eclogue.lean.toolchain import COMMIT, VERSION

NEGATIVE = Path(__file__).resolve().parents[1] / "lean" / "negative"


def mini_audit(folder: Path, cache: Cache, setting: str | None = None) -> Audit:
    """Return the audit of a copy of the small package in the folder, not yet locked."""
    shutil.copytree(NEGATIVE / "base", folder / "lean")
    layout = Layout(root=folder / "lean", library="Mini")
    return Audit(layout=layout, proofs=folder / "proofs", cache=cache, setting=setting)


def locked(audit: Audit) -> Audit:
    """Return the audit after its package was locked as it is, with all well."""
    report, changes = audit.renew()
    assert report.verdict is Verdict.ACCEPTED, report.problems
    assert changes
    return audit


def overlay(audit: Audit, case: str) -> None:
    """Put the files of a bad package over the good one."""
    shutil.copytree(NEGATIVE / case, audit.layout.root, dirs_exist_ok=True)


def codes(report: Report) -> set[str]:
    """Return the codes of a report's problems."""
    return {problem.code for problem in report.problems}


def pretender(path: Path, body: str, version: str = VERSION, commit: str = COMMIT) -> str:
    """Write a program that tells this version, as Lean would, and otherwise runs `body`, a shell script."""
    told = f"Lean (version {version}, x86_64-unknown-linux-gnu, commit {commit}, Release)"
    path.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{told}"; exit 0; fi\n{body}\n')
    path.chmod(0o755)
    return str(path)
