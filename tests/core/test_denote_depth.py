"""Long and deep programs in the denotational reading: no recursion, and work linear in what happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from denote_deep import (
    effects_around_resumes,
    handlers_passed,
    left_nested_effects,
    left_nested_lets,
    nested_handlers_performing,
    resumes_with_work_left,
    sequential_effects,
    sequential_lets,
)
from denote_terms import program

from eclogue.core.denote import Meter, PerformedNode, ValueLeaf, denote, force
from eclogue.core.syntax import Computation

MILLION, LONG = 1_000_000, 50_000


@pytest.mark.parametrize(
    ("case", "size", "expected"),
    [
        ("far_variables", MILLION, "completed 7, performed 0"),
        ("sequential_effects", MILLION, "completed 1, performed 1000000"),
        ("resumes_with_work_left", LONG, "completed 50000, performed 50000"),
        ("effects_around_resumes", LONG, "completed 1, performed 150000"),
        ("nested_handlers_performing", LONG, "completed 'in', performed 50000"),
        ("handlers_passed", LONG, "completed 'out', performed 50001"),
        ("handlers_dropped", LONG, "completed 'out', performed 50001"),
        ("nested_return_clauses", LONG, "completed 50000, performed 0"),
        ("handlers_in_clauses", LONG, "completed 0, performed 50000"),
        ("left_nested_lets", 100_000, "completed 100000, performed 0"),
        ("left_nested_effects", 100_000, "completed 1, performed 100001"),
        ("left_nested_effects_dropped", LONG, "completed 'dropped', performed 1"),
        ("failure_at_depth", LONG, "failed unbound, performed 50000"),
        ("deep_value", MILLION, "completed tuple, performed 0"),
        ("deep_expression", MILLION, "completed False, performed 0"),
        ("deep_to_the_right", MILLION, "completed 1000000, performed 0"),
        (
            "host_operations",
            LONG,
            "suspended ask, performed 1\nsuspended ask, performed 2\ncompleted 1, performed 50000",
        ),
    ],
)
def test_nothing_recurses(case: str, size: int, expected: str) -> None:
    script = Path(__file__).with_name("denote_deep.py")
    command = [sys.executable, str(script), case, str(size)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout == f"{expected}\nlet go\n"


def nodes_forced(body: Computation) -> int:
    meter = Meter()
    head = force(denote(program(body)), meter)
    while isinstance(head, PerformedNode):
        head = force(head.rest, meter)
    assert isinstance(head, ValueLeaf)
    return meter.steps


@pytest.mark.parametrize(
    "case",
    [
        sequential_lets,
        sequential_effects,
        resumes_with_work_left,
        effects_around_resumes,
        nested_handlers_performing,
        handlers_passed,
        left_nested_lets,
        left_nested_effects,
    ],
)
def test_the_nodes_forced_are_linear_in_the_size(case: Callable[[int], Computation]) -> None:
    small, medium, large = (nodes_forced(case(size)) for size in (100, 200, 1200))
    assert large - medium == 10 * (medium - small)
