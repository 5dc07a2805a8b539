"""Parser, resolver, lowering: the tree that was written is found, anything else is refused in order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from strategies import for_seeds
from support.cases import writable_program
from support.failing import Case
from support.mutations import mutated
from support.random_programs import directed_program, undirected_program
from support.random_surface import AnySurface
from support.readings import readings_agree
from support.statistics import Tally
from support.surface_of_core import surface_of
from support.surface_text import SurfaceWriter
from support.terms import annotated

from eclogue.core.decoding import program_from_value
from eclogue.core.encoding import program_ref, program_to_value
from eclogue.core.syntax import Program
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.lowering import ast
from eclogue.lowering.core_printer import print_core
from eclogue.lowering.core_reader import parse_core
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceErrors, SourceText
from eclogue.lowering.formatter import format_source
from eclogue.lowering.lower import check_file, lower_task
from eclogue.lowering.parser import parse
from eclogue.lowering.printer import print_source

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.ecl"))


def any_text(rng: Random) -> tuple[ast.SourceFile, str]:
    """Return any surface tree, and a text that it was written to."""
    tree = AnySurface(rng).file(rng.choice((5, 20, 60, 150)))
    return tree, SurfaceWriter(rng).text(tree)


def parsed(text: str) -> ast.SourceFile:
    return parse(SourceText("test.ecl", text))


def test_what_was_written_is_parsed() -> None:
    def check(seed: int) -> None:
        tree, text = any_text(Random(seed))
        assert parsed(text) == tree, text

    for_seeds(800, check)


def test_what_was_printed_is_parsed() -> None:
    def check(seed: int) -> None:
        tree, _ = any_text(Random(seed))
        text = print_source(tree)
        assert parsed(text) == tree, text
        assert print_source(parsed(text)) == text

    for_seeds(500, check)


def test_formatting_keeps_the_tree_and_the_comments() -> None:
    def check(seed: int) -> None:
        tree, text = any_text(Random(seed))
        formatted = format_source(SourceText("test.ecl", text))
        again = parsed(formatted)
        assert again == tree, text
        assert comments(again) == comments(parsed(text)), text
        assert format_source(SourceText("test.ecl", formatted)) == formatted, text

    for_seeds(700, check)


def comments(file: ast.SourceFile) -> list[str]:
    return [comment.text.rstrip() for comment in file.comments]


# ------------------------------------------------------------------------------------------------
# Never a traceback


def outcome(text: str) -> str:
    """Take a text all the way; return what became of it. Anything but an orderly refusal is raised."""
    source = SourceText("test.ecl", text)
    try:
        file = parse(source)
    except SourceErrors as errors:
        check_diagnostics(errors.diagnostics, source)
        return "syntax errors"
    found = check_file(file, source)
    for task in [item.name.text for item in file.declarations if isinstance(item, ast.TaskDeclaration)]:
        try:
            program = lower_task(file, source, task)
        except SourceErrors as errors:
            check_diagnostics(errors.diagnostics, source)
        else:
            assert all(item.severity is Severity.WARNING for item in found)
            check_program(program)
            return "a program"
    return "other errors"


def check_diagnostics(diagnostics: tuple[Diagnostic, ...], source: SourceText) -> None:
    assert any(item.severity is Severity.ERROR for item in diagnostics)
    for item in diagnostics:
        for span in (item.span, *(place for place, _ in item.notes)):
            if span is not None:
                start = source.offset(span.line, span.column)
                end = source.offset(span.end_line, span.end_column)
                assert 0 <= start <= end <= len(source.text)


def check_program(program: Program) -> None:
    assert well_formed(program) == ()
    assert schema_checked(program) == ()
    assert program_ref(program_from_value(program_to_value(program))) == program_ref(program)
    readings_agree(Case(0, program))


def refused_or_lowered(number: int, title: str, make: Callable[[Random], str]) -> Tally:
    tally = Tally(title)

    def check(seed: int) -> None:
        text = make(Random(seed))
        try:
            tally.add(outcome(text))
        except Exception as failure:
            failure.add_note(f"the text: {text!r}")
            raise

    for_seeds(number, check)
    return tally


def test_any_tree_is_refused_or_lowered() -> None:
    refused_or_lowered(1000, "any surface trees", lambda rng: any_text(rng)[1])


def test_damaged_texts_are_refused_or_lowered() -> None:
    refused_or_lowered(1000, "damaged texts", lambda rng: mutated(rng, any_text(rng)[1]))


def test_damaged_programs_are_refused_or_lowered() -> None:
    def make(rng: Random) -> str:
        return mutated(rng, SurfaceWriter(rng).text(surface_of(writable_program(rng), rng)))

    tally = refused_or_lowered(700, "damaged programs", make)
    tally.check("syntax errors", "other errors", "a program")


def test_damaged_core_texts_are_refused_or_read() -> None:
    def check(seed: int) -> None:
        rng = Random(seed)
        make = rng.choice((directed_program, undirected_program))
        source = SourceText("test.ecl", mutated(rng, print_core(annotated(make(rng), rng))))
        try:
            program = parse_core(source)
        except SourceErrors as errors:
            check_diagnostics(errors.diagnostics, source)
        else:
            assert program_ref(parse_core(SourceText("again.ecl", print_core(program)))) == program_ref(
                program
            )

    for_seeds(500, check)


def test_damaged_examples_are_refused_or_lowered() -> None:
    texts = [path.read_text(encoding="utf-8") for path in EXAMPLES]
    assert texts
    refused_or_lowered(1000, "damaged examples", lambda rng: mutated(rng, rng.choice(texts)))
