"""No statement survives the mutants of the definitions: each makes the proof of its theorem fail.

`mutants.toml` has for each a place, an old and a new text, and the theorem that it breaks. The mutant is
well formed: its definitions still compile; what fails is a proof that the theorem rests on. That all
statements still compile too is looked at with `ECLOGUE_TESTS=long`, as it takes twice the time.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path

import attrs
import pytest

from eclogue.lean.build import Build, building
from eclogue.lean.cache import Cache
from eclogue.lean.facts import Facts, collect_facts
from eclogue.lean.sources import Layout, read_package

MUTANTS = tomllib.loads(Path(__file__).with_name("mutants.toml").read_text(encoding="utf-8"))["mutant"]


@pytest.fixture(scope="module")
def facts(development: Build) -> Facts:
    """Ask Lean what the theorems rest on."""
    found = collect_facts(development, Cache())
    assert isinstance(found, Facts)
    return found


def mutated(build: Build, folder: Path, mutant: dict[str, str]) -> Layout:
    """Write the package with the mutant in it."""
    layout = attrs.evolve(build.package.layout, root=folder)
    for module in build.package.modules.values():
        target = folder / module.path.relative_to(build.package.layout.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(module.path, target)
    path = folder / mutant["file"]
    text = path.read_text(encoding="utf-8")
    assert text.count(mutant["old"]) == 1, "the mutant is stale: its old text does not stand there once"
    path.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    return layout


def test_every_theorem_has_a_mutant(facts: Facts) -> None:
    claims = {
        name.rpartition(".")[2] for name, home in facts.modules.items() if home.endswith(".Properties")
    }
    assert claims == {mutant["breaks"] for mutant in MUTANTS}


@pytest.mark.parametrize(
    "mutant", MUTANTS, ids=[f"{number}-{mutant['breaks']}" for number, mutant in enumerate(MUTANTS)]
)
def test_a_mutant_breaks_the_proof(
    development: Build, facts: Facts, tmp_path: Path, mutant: dict[str, str]
) -> None:
    layout = mutated(development, tmp_path, mutant)
    package, problems = read_package(layout)
    assert problems == []
    theorem = f"{layout.library}.Proof.{mutant['breaks']}"
    stating = package.closure(layout.properties)
    proving = {home for cited in facts.proofs[theorem] for home in package.closure(cited)}
    thorough = os.environ.get("ECLOGUE_TESTS") == "long"
    with building(development.lean, package, only=stating | proving if thorough else proving) as build:
        failed = {problem.where for problem in build.problems if problem.code == "module.error"}
        assert failed, f"no proof of {mutant['breaks']} notices that {mutant['why']}: {build.problems}"
        assert all(layout.is_proof(module) for module in failed), "the mutant is no well-formed definition"
        if thorough:
            assert stating <= build.modules.keys()
