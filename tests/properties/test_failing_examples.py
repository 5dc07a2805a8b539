"""When a property fails, a small program is shown, saved, and can be had again from its seed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import failing
from support.cases import directed_case
from support.failing import Case, hold
from support.naive_machine import naive_run
from support.terms import free_variables, reductions, size, without_binder

from eclogue.core.canonical import read
from eclogue.core.decoding import program_from_value
from eclogue.core.syntax import Let, Literal, Perform, Program, Return, Variable
from eclogue.lowering.core_printer import print_core


def nothing_is_performed(case: Case) -> None:
    """Hold of few programs: a property to see fail."""
    assert not any("Declaration" in type(record).__name__ for record in naive_run(case.program).records)


def test_a_failing_program_is_made_small_and_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failing, "FOLDER", tmp_path)
    case = next(case for case in map(directed_case, range(100)) if fails(case))
    with pytest.raises(AssertionError) as raised:
        hold(nothing_is_performed, case)
    notes = "\n".join(raised.value.__notes__)
    assert f"--program-seed {case.seed}" in notes
    (saved,) = tmp_path.glob(f"*_{case.seed}.json")
    assert str(saved) in notes
    smallest = program_from_value(read(saved.read_bytes()))
    assert isinstance(smallest.body, Perform)
    assert smallest.operations == ()
    assert fails(Case(0, smallest))
    assert "perform" in saved.with_suffix(".core.ecl").read_text(encoding="utf-8")


def fails(case: Case) -> bool:
    try:
        nothing_is_performed(case)
    except AssertionError:
        return True
    return False


def test_a_seed_runs_one_program() -> None:
    """The command that is printed runs the program of that seed and no other."""
    test = Path(__file__).with_name("test_readings_agree.py")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(test), "-k", "undirected", "--program-seed", "77"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "1 programs" in done.stdout


def test_reductions_are_smaller_or_simpler_and_bind_what_they_did() -> None:
    for seed in range(10):
        body = directed_case(seed).program.body
        for smaller in reductions(body):
            assert size(smaller) <= size(body)
            assert free_variables(smaller) <= free_variables(body)


def test_a_binder_is_taken_away_with_its_variable() -> None:
    """`let y = x; let z = outer; y` without `x`: null in its place, and the outer variable one nearer."""
    term = Let(Return(Variable(0)), Let(Return(Variable(2)), Return(Variable(1))))
    gone = without_binder(term)
    assert print_core(Program((), Let(Return(Literal(5)), gone))) == print_core(
        Program(
            (),
            Let(
                Return(Literal(5)),
                Let(Return(Literal(None)), Let(Return(Variable(1)), Return(Variable(1)))),
            ),
        )
    )
