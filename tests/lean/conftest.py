"""Lean for the tests that need it; without it they are skipped, and one line at the end says so."""

from __future__ import annotations

import pytest

from eclogue.lean.cache import Cache
from eclogue.lean.toolchain import Lean, LeanUnavailable, find_lean

_missing: list[str] = []


@pytest.fixture(scope="session")
def lean() -> Lean:
    """Find the Lean of this machine."""
    try:
        return find_lean()
    except LeanUnavailable as error:
        _missing.append(str(error).splitlines()[0])
        pytest.skip("Lean is not installed")


@pytest.fixture(scope="session")
def lean_cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """Make a cache of compiled modules for this test run alone."""
    return Cache(tmp_path_factory.mktemp("lean-cache"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _missing:
        terminalreporter.write_line(f"Lean was skipped: {_missing[0]} No theorem was checked.", yellow=True)
