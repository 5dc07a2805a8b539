"""The list of theorems is the list of what is stated and proved, and its rule ids exist."""

from __future__ import annotations

import re

import pytest
from proof_files import LIBRARY, ROOT, proved, stated, theorems


def test_every_claim_is_proved_and_listed() -> None:
    listed = [entry["id"] for entry in theorems()]
    assert len(stated()) > 60
    assert sorted(listed) == sorted(stated()) == sorted(proved())
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("entry", theorems(), ids=lambda entry: entry["id"])
def test_an_entry_names_its_claim_and_its_theorem(entry: dict[str, object]) -> None:
    assert entry["lean"] == f"Eclogue.Proof.{entry['id']}"
    assert entry["property"] == f"Eclogue.Properties.{entry['id']}"
    assert entry["profile"] in {"core0h", "core0", "core_a", "files", "gate"}


def test_the_rules_are_rules_of_the_specification_or_of_the_definitions() -> None:
    specification = (ROOT / "core" / "SPEC.md").read_text(encoding="utf-8")
    in_lean = {
        rule
        for path in LIBRARY.rglob("*.lean")
        for rule in re.findall(r"`([a-z0-9]+\.[a-z_0-9]+)`", path.read_text(encoding="utf-8"))
    }
    for rule in {rule for entry in theorems() for rule in entry["rules"]}:
        assert rule in in_lean or re.search(rf"\b{re.escape(rule)}\b", specification), rule
