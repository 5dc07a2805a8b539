"""Lowering keeps the meaning of surface programs, told by an interpreter that knows nothing of the core."""

from __future__ import annotations

from random import Random

import strategies
from strategies import for_seeds
from support.directed_surface import DirectedSurface
from support.statistics import Tally
from support.surface_meaning import Interpreter, Told

from eclogue.core.denote import read
from eclogue.core.outcomes import Failed, HostAnswer
from eclogue.core.run import run
from eclogue.core.syntax import Program
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.lowering.declarations import read_declarations
from eclogue.lowering.diagnostics import Severity, SourceText
from eclogue.lowering.lower import check_file, lower_task
from eclogue.lowering.parser import parse
from eclogue.lowering.rendering import render_all
from eclogue.lowering.reporter import Reporter

ANSWERS = {"a.get": (0, 1, 5, True), "a.put": (True, False), "a.pair": ("p", "", 3), "a.note": (2,)}


def told(text: str, seed: int) -> tuple[Program, Told]:
    """Return the core program of a text, and what its surface does."""
    source = SourceText(f"seed {seed}", text)
    file = parse(source)
    errors = [item for item in check_file(file, source) if item.severity is Severity.ERROR]
    assert not errors, render_all(errors, source)
    rng = Random(seed)
    declarations = read_declarations(file, Reporter(source))
    interpreter = Interpreter(declarations, lambda operation: rng.choice(ANSWERS[operation.name]))
    return lower_task(file, source, "main"), interpreter.run("main")


def test_lowering_keeps_the_meaning_of_the_surface() -> None:
    tally = Tally("surface programs")

    def check(seed: int) -> None:
        text = DirectedSurface(Random(seed)).text(40)
        program, expected = told(text, seed)
        assert well_formed(program) == ()
        assert schema_checked(program) == ()
        answers = [HostAnswer(value) for value in expected.answers]
        ran, reading = run(program, answers), read(program, answers)
        assert ran.outcome == expected.outcome, text
        assert reading.outcome == expected.outcome, text
        performed = tuple((operation, payload) for operation, payload in ran.performed())
        assert performed == expected.performed, text
        kinds = {type(record).__name__ for _, record, _ in ran.records()}
        tally.add(*kinds, *(["failures"] if isinstance(ran.outcome, Failed) else ["completed"]))

    for_seeds(1500, check)
    if strategies.only_seed is None:
        for name in ("HandlerSelection", "ResumeReturn", "HostObservation", "failures", "completed"):
            assert tally.share(name) >= 0.05
