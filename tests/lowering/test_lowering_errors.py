"""Sources that are wrong, with everything that is told about them, word by word.

`tests/programs/neg/NAME.err` is what is told about `NAME.ecl`; a missing one is a failure. After a change
that is meant, `RENEW_GOLDENS=1 pytest tests/lowering/test_lowering_errors.py` writes the files, to be read
before they are committed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eclogue.lowering.codes import CODES
from eclogue.lowering.diagnostics import SourceErrors
from eclogue.lowering.lower import check_file
from eclogue.lowering.parser import parse
from eclogue.lowering.reading import decode_source
from eclogue.lowering.rendering import render_all

PROGRAMS = Path(__file__).resolve().parents[1] / "programs" / "neg"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.ecl"))


def told(name: str) -> str:
    source = decode_source(f"{name}.ecl", (PROGRAMS / f"{name}.ecl").read_bytes())
    try:
        diagnostics = check_file(parse(source), source)
    except SourceErrors as errors:
        diagnostics = errors.diagnostics
    return render_all(diagnostics, source) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_told_about_a_wrong_source(name: str) -> None:
    found = told(name)
    golden = PROGRAMS / f"{name}.err"
    if os.environ.get("RENEW_GOLDENS"):
        golden.write_text(found, encoding="utf-8", newline="")
    assert golden.is_file()
    assert found == golden.read_text(encoding="utf-8")
    assert found.strip()


def test_no_golden_is_left_over() -> None:
    assert NAMES
    assert sorted(path.stem for path in PROGRAMS.glob("*.err")) == NAMES


def test_every_static_error_has_a_golden() -> None:
    goldens = "".join(path.read_text(encoding="utf-8") for path in PROGRAMS.glob("*.err"))
    static = [code for code in CODES if code.startswith(("EC10", "EC11", "EC12", "EC2", "EC3"))]
    assert [code for code in static if f"[{code}]" not in goldens] == []
