"""Without leanblueprint the blueprint is not built, and one line at the end says so."""

from __future__ import annotations

import importlib.util

import pytest
from support.closing import notice

_REASON = "leanblueprint is not installed (extra [docs])"


@pytest.fixture
def leanblueprint() -> None:
    """Skip a test that builds the blueprint where that cannot be done."""
    if importlib.util.find_spec("leanblueprint") is None:
        notice(f"The blueprint was not built: {_REASON}.")
        pytest.skip(_REASON)
