"""`eclogue lean`: what it prints, and its exit codes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.lean_packages import locked, mini_audit, overlay, pretender

from eclogue.cli import lean_commands
from eclogue.cli.lean_commands import lean_group
from eclogue.lean.audit import Audit
from eclogue.lean.cache import Cache
from eclogue.lean.toolchain import COMMIT, VERSION, Lean


@pytest.fixture
def audit(lean: Lean, lean_cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """Let the command audit the small package."""
    assert lean
    small = locked(mini_audit(tmp_path, lean_cache))
    settings = {"layout": small.layout, "proofs": small.proofs, "cache": small.cache}
    monkeypatch.setattr(lean_commands, "Audit", partial(Audit, **settings))
    return small


def test_the_json_is_one_object_with_the_published_members(audit: Audit, lean: Lean) -> None:
    assert audit
    result = CliRunner().invoke(lean_group, ["check", "--json"])
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert list(found) == ["status", "lean", "modules", "theorems", "seconds"]
    assert found["status"] == "accepted"
    assert found["lean"] == {"version": VERSION, "commit": COMMIT, "source": lean.source}
    assert found["modules"] == 6
    (first, _) = found["theorems"]
    assert list(first) == ["id", "decl", "profile", "axioms", "statement_digest"]
    assert (first["id"], first["decl"], first["axioms"]) == ("double_even", "Mini.Proof.double_even", [])
    assert first["statement_digest"].startswith("sha256:")


def test_the_table_names_every_theorem(audit: Audit) -> None:
    assert audit
    result = CliRunner().invoke(lean_group, ["check", "--fresh"])
    assert result.exit_code == 0
    for word in ("double_even", "double_zero", "none", VERSION, "6 modules", "accepted"):
        assert word in result.stdout
    assert result.stderr == ""


def test_a_rejection_exits_with_1_and_says_why_on_standard_error(audit: Audit) -> None:
    overlay(audit, "weakened_statement")
    result = CliRunner().invoke(lean_group, ["check", "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["status"] == "rejected"
    assert "statement.changed double_even" in result.stderr


def test_renewal_says_what_changed(audit: Audit) -> None:
    overlay(audit, "weakened_statement")
    result = CliRunner().invoke(lean_group, ["renew"])
    assert result.exit_code == 0
    assert "renewed: double_even: statement" in result.stdout
    assert CliRunner().invoke(lean_group, ["check"]).exit_code == 0


def test_without_a_matching_lean_the_answer_is_unknown(
    audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert audit
    monkeypatch.setenv("ECLOGUE_LEAN", pretender(tmp_path / "old", "exit 0", version="4.34.0"))
    result = CliRunner().invoke(lean_group, ["check", "--json"])
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert (found["status"], found["lean"], found["theorems"]) == ("unknown", None, [])
    assert "lean.mismatch" in result.stderr
