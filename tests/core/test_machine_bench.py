"""The benchmark of the machine runs, on small programs of each family."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "machine.py"


def printed(*arguments: str) -> str:
    command = [sys.executable, str(BENCH), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("family", "steps", "records"),
    [
        ("sequential", 11 * 7 + 8, 6 * 7 + 1),
        ("distinct", 11 * 7 + 8, 6 * 7 + 1),
        ("nested", 14 * 7 + 5, 6 * 7 + 1),
        ("inside_out", 14 * 7 + 5 + 7 * 6 // 2, 6 * 7 + 1),
        ("outermost", 11 * 10 + 8 + 3 * 7 + 10 * 7, 6 * 10 + 1),
        ("pure", 3 * 7 + 5, 1),
    ],
)
def test_each_family_is_what_it_says(family: str, steps: int, records: int) -> None:
    measured = json.loads(printed("--measure", family, "7"))
    assert (measured["steps"], measured["records"]) == (steps, records)


def test_the_table_of_a_family() -> None:
    text = printed("--quick", "--family", "pure")
    assert [line.split()[:3] for line in text.splitlines()[2:4]] == [
        ["1,000", "3,005", "1"],
        ["10,000", "30,005", "1"],
    ]
    assert re.search(r"largest over smallest: \d+\.\d\d", text)
