"""Lean for the tests that need it; without it they are skipped, and one line at the end says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.closing import notice

from eclogue.lean.build import Build, building
from eclogue.lean.cache import Cache
from eclogue.lean.sources import read_package
from eclogue.lean.toolchain import Lean, LeanUnavailable, find_lean


@pytest.fixture(scope="session")
def lean() -> Lean:
    """Find the Lean of this machine."""
    try:
        return find_lean()
    except LeanUnavailable as error:
        notice(f"Lean was skipped: {str(error).splitlines()[0]} No theorem was checked.")
        pytest.skip("Lean is not installed")


@pytest.fixture(scope="session")
def lean_cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """Make a cache of compiled modules for this test run alone."""
    return Cache(tmp_path_factory.mktemp("lean-cache"))


@pytest.fixture(scope="session")
def development(lean: Lean) -> Iterator[Build]:
    """Build the development itself, once for all tests, with the user's cache."""
    package, problems = read_package()
    assert problems == []
    with building(lean, package) as build:
        assert build.problems == ()
        yield build


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep these tests in one process: they share the compiled modules."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("lean"))
