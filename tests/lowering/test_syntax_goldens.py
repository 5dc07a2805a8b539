"""Each code of the syntax is shown in `tests/programs/neg`, which `test_lowering_errors` runs."""

from __future__ import annotations

from pathlib import Path

from eclogue.lowering.codes import CODES

GOLDENS = Path(__file__).resolve().parents[1] / "programs" / "neg"

NOT_IN_A_SHORT_SOURCE = {"EC0107", "EC0205"}
"""Codes that only a large source shows; `test_malformed_input` has them."""


def test_every_syntax_error_has_a_golden() -> None:
    said = "".join(path.read_text(encoding="utf-8") for path in GOLDENS.glob("*.err"))
    syntax = {code for code in CODES if code.startswith(("EC01", "EC02"))}
    assert {code for code in syntax if f"[{code}]" not in said} == NOT_IN_A_SHORT_SOURCE
