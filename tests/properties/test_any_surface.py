"""Whatever a surface tree says, checking it ends in diagnostics or in programs, and never otherwise."""

from __future__ import annotations

import re
from random import Random

from strategies import for_seeds
from support.directed_surface import DirectedSurface
from support.random_surface import AnySurface
from support.statistics import Tally

from eclogue.core.syntax import Program
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceErrors, SourceText
from eclogue.lowering.lower import check_file, lower_every_task
from eclogue.lowering.parser import parse

NOWHERE = SourceText("test.ecl", "")


def test_any_surface_tree_is_refused_with_reasons_or_lowered() -> None:
    def check(seed: int) -> None:
        tree = AnySurface(Random(seed)).file(60)
        errors = {item for item in check_file(tree, NOWHERE) if item.severity is Severity.ERROR}
        programs: tuple[Program, ...] = ()
        told: set[Diagnostic] = set()
        try:
            _, programs = lower_every_task(tree, NOWHERE)
        except SourceErrors as refused:
            told = set(refused.diagnostics)
        assert told <= errors
        assert bool(told) == bool(errors)
        assert all(well_formed(program) == () for program in programs)

    for_seeds(1000, check)


EXCHANGED = (
    r"\b(x|y|z|größe|v1|v2|0|1|7|true|false)\b",
    r"\b(Int|Text|Bool|Any)\b",
    r"\ba\.(get|put|pair|note)\b",
    r"\b(resume|answer|abort)\b",
    r"\b(ctl|fun)\b",
    r" (==|<|\+|\+\+|and) ",
    r"\b(f0|f1|f2|h0|h1)\b",
    r"[,;] ",
)


def damaged(rng: Random) -> str:
    """Return a program in which a few words have been replaced by others of their sort."""
    text = DirectedSurface(rng).text(40)
    for _ in range(rng.randint(1, 3)):
        found = list(re.finditer(rng.choice(EXCHANGED), text))
        if found:
            place = rng.choice(found)
            text = text[: place.start()] + rng.choice(found)[0] + text[place.end() :]
    return text


def test_damaged_sources_are_refused_with_reasons_or_lowered() -> None:
    tally = Tally("damaged sources")

    def check(seed: int) -> None:
        source = SourceText("test.ecl", damaged(Random(seed)))
        try:
            _, programs = lower_every_task(parse(source), source)
        except SourceErrors as refused:
            codes = [item.code for item in refused.diagnostics]
            tally.add(*codes)
            assert codes
        else:
            tally.add("lowered")
            for program in programs:
                assert well_formed(program) == ()
                assert schema_checked(program) == ()

    for_seeds(1000, check)
    assert tally.counts["lowered"] > 0
