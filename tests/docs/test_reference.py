"""The reference is what the code has now, and every rule, diagnostic and theorem has a place in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.reference import pages

from eclogue.lowering.codes import CODES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", pages())
def test_a_page_of_the_reference_is_current(name: str) -> None:
    text = pages()[name]
    if os.environ.get("ECLOGUE_RENEW"):
        (FOLDER / name).write_text(text, encoding="utf-8")
    assert (FOLDER / name).read_text(encoding="utf-8") == text, "ECLOGUE_RENEW=1 pytest tests/docs"


def test_everything_has_a_place() -> None:
    found = pages()
    assert all(f"\n## {code}: " in found["diagnostics.md"] for code in CODES)
    assert found["rules.md"].count("\n## ") > 90
    for name in ("core0.perform", "frame.catch", "corea.close", "envelope.facet", "valid.files"):
        assert f"\n## {name}\n" in found["rules.md"]
    assert "](theorems.md#denote_adequate)" in found["rules.md"]
    assert "](rules.md#core0perform)" in found["theorems.md"]
    assert "## eclogue export git" in found["commands.md"]
