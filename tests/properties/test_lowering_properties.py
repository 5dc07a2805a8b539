"""Lowering: a surface program does what the core program does that it was written from."""

from __future__ import annotations

from random import Random

from strategies import for_seeds
from support.cases import writable_case
from support.failing import Case, hold
from support.naive_machine import naive_run
from support.statistics import Tally, classes_of
from support.surface_of_core import surface_of
from support.surface_text import SurfaceWriter

from eclogue.core.denote import read
from eclogue.core.encoding import program_ref
from eclogue.core.run import run
from eclogue.core.syntax import Program
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.lowering import ast
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.lower import lower_task
from eclogue.lowering.parser import parse
from eclogue.lowering.printer import print_source


def surface(case: Case) -> ast.SourceFile:
    return surface_of(case.program, Random(case.seed))


def lowered(text: str) -> Program:
    source = SourceText("test.ecl", text)
    return lower_task(parse(source), source, "main")


def lowering_keeps_what_is_done(case: Case) -> None:
    """Not only the outcome: every record, with its numbers, is the same."""
    program = lowered(SurfaceWriter(Random(case.seed)).text(surface(case)))
    assert well_formed(program) == ()
    assert schema_checked(program) == ()
    ran, expected = run(program, case.answers), naive_run(case.program, case.answers)
    assert ran.outcome == expected.outcome
    assert [record for _, record, _ in ran.records()] == expected.records
    reading = read(program, case.answers)
    assert (reading.outcome, reading.performed) == (ran.outcome, ran.performed())


def layout_does_not_matter(case: Case) -> None:
    """Parentheses, white space, comments, quotes around keys: the ref is the same."""
    tree = surface(case)
    printed = print_source(tree)
    assert parse(SourceText("test.ecl", printed)) == tree
    expected = program_ref(lowered(printed))
    for seed in range(2):
        assert program_ref(lowered(SurfaceWriter(Random(seed)).text(tree))) == expected


def test_lowering_keeps_what_a_program_does() -> None:
    tally = Tally("lowered programs")

    def check(seed: int) -> None:
        case = writable_case(seed)
        hold(lowering_keeps_what_is_done, case)
        tally.add(*classes_of(naive_run(case.program, case.answers)))

    for_seeds(700, check)
    tally.check("nested handlers", "resumes", "aborts", "answers", "closures", "suspensions")


def test_lowering_does_not_depend_on_layout() -> None:
    for_seeds(200, lambda seed: hold(layout_does_not_matter, writable_case(seed)))
