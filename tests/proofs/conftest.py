"""Without leanblueprint the blueprint is not built, and one line at the end says so."""

from __future__ import annotations

import importlib.util

import pytest

_REASON = "leanblueprint is not installed (extra [docs])"
_skipped: list[str] = []


@pytest.fixture
def leanblueprint() -> None:
    """Skip a test that builds the blueprint where that cannot be done."""
    if importlib.util.find_spec("leanblueprint") is None:
        _skipped.append(_REASON)
        pytest.skip(_REASON)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _skipped:
        terminalreporter.write_line(f"The blueprint was not built: {_skipped[0]}.", yellow=True)
