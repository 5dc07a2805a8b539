"""`claims.toml` names only what is proved, and promises no more than the code issues."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import pytest
from proof_files import ROOT, claims, proved, stated, theorems

from eclogue.validator.evidence import Strength

PROFILES = ("core0h", "core0", "core_a")
STRENGTHS = ("runtime_only", "reference_validated", "forward_simulation", "semantic_adequacy")
NAMED_AT_LEAST = {
    "denote_adequate",
    "denote_unique",
    "source_eval_to_machine",
    "machine_eval_to_source",
    "source_eval_deterministic",
    "machine_deterministic",
    "validator_sound",
    "valid_unique",
    "trace_lifecycle",
}
ADMISSION = {
    "core0h": {"core0h_admission", "core0h_resumed_once", "valid_core0h"},
    "core0": {"core0_admission", "valid_core0"},
    "core_a": set[str](),
}


def entries() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (profile, name, claims()["profile"][profile][name]) for profile in PROFILES for name in STRENGTHS
    ]


def issued() -> set[str]:
    return {strength["id"] for strength in claims()["strength"] if strength["issued"]}


def test_every_profile_has_every_strength() -> None:
    assert tuple(claims()["profile"]) == PROFILES
    assert all(tuple(claims()["profile"][profile]) == STRENGTHS for profile in PROFILES)
    assert tuple(strength["id"] for strength in claims()["strength"]) == STRENGTHS


def cited(entry: dict[str, Any]) -> set[str]:
    """Return the theorems that an entry names, whether the program is admitted or not."""
    parts = (entry, entry.get("admitted", {}), entry.get("not_admitted", {}))
    return {theorem for part in parts for theorem in part.get("theorems", [])}


def all_cited() -> set[str]:
    named = {theorem for _, _, entry in entries() for theorem in cited(entry)}
    return named | {theorem for entry in claims()["certificate"].values() for theorem in entry["theorems"]}


def test_every_theorem_is_stated_and_proved() -> None:
    named = all_cited()
    named |= {theorem for entry in claims()["apart"] for theorem in entry["theorems"]}
    assert named <= set(stated())
    assert named <= set(proved())


def test_every_theorem_is_named_or_stands_apart_with_a_reason() -> None:
    named = all_cited()
    apart = [theorem for entry in claims()["apart"] for theorem in entry["theorems"]]
    assert all(entry["why"] for entry in claims()["apart"])
    assert sorted([*named, *apart]) == sorted(entry["id"] for entry in theorems())


@pytest.mark.parametrize("profile", PROFILES)
def test_semantic_adequacy_names_what_it_means(profile: str) -> None:
    entry = claims()["profile"][profile]["semantic_adequacy"]
    assert set(entry["theorems"]) >= NAMED_AT_LEAST
    assert len(set(entry["theorems"])) == len(entry["theorems"])
    assert entry["decides"] == []
    if ADMISSION[profile]:
        assert set(entry["admitted"]["theorems"]) >= ADMISSION[profile]
        assert entry["admitted"]["decides"] == [f"{profile} c = true"]
        assert entry["not_admitted"]["decides"] == [f"all Record.{profile} records = true"]
    else:
        assert "admitted" not in entry


def test_what_a_certificate_rests_on_depends_on_how_it_was_made() -> None:
    made = claims()["certificate"]
    assert set(made) == {"whole", "pieces", "bytes"}
    assert made["whole"]["decides"] == ["validate fuel c answers status records = true"]
    named = [theorem for entry in made.values() for theorem in entry["theorems"]]
    assert len(set(named)) == len(named)


@pytest.mark.parametrize("profile", PROFILES)
def test_semantic_adequacy_says_what_it_rests_on(profile: str) -> None:
    entry = claims()["profile"][profile]["semantic_adequacy"]
    assert {"host_answers", "lean_kernel", "lean_binary", "foundation", "encoder"} <= set(
        entry["assumptions"]
    )


def test_a_narrower_profile_names_what_a_wider_one_does() -> None:
    named = [cited(claims()["profile"][profile]["semantic_adequacy"]) for profile in PROFILES]
    assert named[0] > named[1] > named[2]


def test_weaker_strengths_name_no_theorem_and_claim_less() -> None:
    for profile, name, entry in entries():
        if name == "semantic_adequacy":
            continue
        assert entry["theorems"] == [], (profile, name)
        assert entry["decides"] == [], (profile, name)
    for profile in PROFILES:
        weakest, validated, _, adequate = (
            set(claims()["profile"][profile][name]["non_claims"]) for name in STRENGTHS
        )
        assert weakest > validated > adequate > set()


def test_assumptions_and_non_claims_are_explained_and_used() -> None:
    for kind in ("assumption", "non_claim"):
        explained = {entry["id"] for entry in claims()[kind] if entry["text"]}
        used = {item for _, _, entry in entries() for item in entry[f"{kind}s"]}
        used |= set(claims()["facet"]["files"][f"{kind}s"])
        assert used == explained


def test_the_reserved_strength_is_empty_and_never_issued() -> None:
    (reserved,) = (strength for strength in claims()["strength"] if strength["reserved"])
    assert reserved["id"] == "forward_simulation"
    assert not reserved["issued"]
    for profile in PROFILES:
        assert not any(claims()["profile"][profile]["forward_simulation"].values())


# ------------------------------------------------------------------------------------------------
# Against the code and the README


def test_only_issued_strengths_are_granted_by_the_commands() -> None:
    """No module of a command names a strength that is not issued."""
    texts = {
        node.value
        for package in ("cli", "validator")
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert texts & set(STRENGTHS) == issued()


def test_the_published_schemas_know_no_other_strength() -> None:
    folder = ROOT / "validator" / "schema"
    adequate = {"semantic_adequacy"}  # only with Lean, which validating does not ask
    needed = {
        "run-result": issued(),
        "validate-result": issued() - adequate,
        "certify-result": issued(),
        "verify-result": issued(),
    }
    for name, granted in needed.items():
        schema = (folder / f"{name}.schema.json").read_text(encoding="utf-8")
        found = _enumerations(json.loads(schema))
        assert found
        assert all(set(STRENGTHS) - {"forward_simulation"} >= strengths for strengths in found)
        assert all(strengths >= granted for strengths in found)


def _enumerations(schema: object) -> list[set[str]]:
    """Return the enumerations in a JSON Schema that are of strengths."""
    if isinstance(schema, list):
        return [found for item in schema for found in _enumerations(item)]
    if not isinstance(schema, dict):
        return []
    below = [found for item in schema.values() for found in _enumerations(item)]
    own = schema.get("enum")
    return [*below, set(own) - {None}] if isinstance(own, list) and "runtime_only" in own else below


def test_the_readme_claims_what_is_issued() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^  strength +(\w+)", readme, re.MULTILINE))
    shown |= set(re.findall(r'"strength": "(\w+)"', readme))
    assert shown
    assert shown <= issued()
    section = readme.partition("## What is not claimed\n")[2].partition("\n## ")[0]
    assert ("Every run is `runtime_only`" in section) == (issued() == {"runtime_only"})
    assert {name for name in STRENGTHS if f"`{name}`" in section} >= issued()


def test_the_code_computes_the_issued_strengths_and_no_others() -> None:
    assert {strength.value for strength in Strength} == issued()
