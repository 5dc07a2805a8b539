"""After an error: how many errors a source has, and that the parser always comes to an end."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from strategies import for_seeds
from support.random_surface import AnySurface
from support.surface_text import SurfaceWriter

from eclogue.lowering.core_reader import parse_core
from eclogue.lowering.diagnostics import MAX_REPORTED, Diagnostic, Severity, SourceErrors, SourceText
from eclogue.lowering.parser import parse
from eclogue.lowering.rendering import render_all
from eclogue.lowering.tables import INTEGER, NAME, TEXT, tables


def refusal(read: Callable[[SourceText], object], text: str) -> tuple[Diagnostic, ...]:
    """Return the errors of a source, which can be rendered; none if it can be read."""
    source = SourceText("test.ecl", text)
    found: tuple[Diagnostic, ...] = ()
    try:
        read(source)
    except SourceErrors as errors:
        found = errors.diagnostics
    assert bool(render_all(found, source)) == bool(found)
    assert all(item.severity is Severity.ERROR for item in found)
    assert len(found) <= MAX_REPORTED
    return found


def places(text: str) -> list[str]:
    """Return the code and the place of each error of a source."""
    return [f"{error.code} {error.span}" for error in refusal(parse, text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # An error in each of several declarations, statements, clauses and operations
        ("task a(): Int { * }\ntask b(): Int { 1 }\ntask c(): Int { / }", ["EC0201 1:17", "EC0201 3:17"]),
        ("task a(): Int {\n let x = *;\n let y = 1;\n let z = /;\n z }", ["EC0201 2:10", "EC0201 4:10"]),
        ("task a(): Int {\n do { let x = *; x }\n let y = / }", ["EC0201 2:15", "EC0201 3:10"]),
        (
            "handler h { ctl a.b( { 1 }\n ctl a.c() { * }\n ctl a.d() 1 }",
            ["EC0201 1:22", "EC0201 2:14", "EC0201 3:12"],
        ),
        (
            "effect e { reversible ctl a(: Int\n reversible ctl b(): * }\ntype t = *",
            ["EC0201 1:29", "EC0201 2:22", "EC0201 3:10"],
        ),
        ("type a = *\ntype b = Int\ntype c = *", ["EC0201 1:10", "EC0201 3:10"]),
        # One slip, one error
        ("task a(): Int { let x = f(1, (2; let y = g(x); y }", ["EC0206 1:26", "EC0206 1:30"]),
        ("task a(): Int { let x = {task: 1, def: *}; x.task }", ["EC0201 1:40"]),
        ("task a(): Int { let x = 1 +\n let y = 2;\n y }", ["EC0201 2:2"]),
        ("task a(): Int { if x = 1 then { 2 } else { 3 } }", ["EC0201 1:22"]),
        ("task a(): Int { if x { 2 } else { 3 } }", ["EC0201 1:22"]),
        ("task a(): Int { [1; 2; 3] }", ["EC0201 1:19", "EC0201 1:22"]),
        ('task a(): Int { f(1.5, x) + "\\q" }', ["EC0105 1:19", "EC0103 1:30"]),
        ("task a(): Int { fs.write(1) }\ntask b(): Int { 1 }", ["EC0201 1:25"]),
        ("task a(): Int { let type = 1; type + type }", ["EC0108 1:21", "EC0108 1:31", "EC0108 1:38"]),
        ("task a(): Int { 1\n\ntask b(): Int { 2 }", ["EC0206 1:15"]),
        ("task a(): Int { 1 }}\ntask b(): Int { 2 }", ["EC0207 1:20"]),
        ("}", ["EC0207 1:1"]),
        ("let x = 1; let y = 2;", ["EC0201 1:1"]),
        # Errors of characters keep the parser quiet about their lines
        ("task a(): Int { let x = $ }\ntask b(): Int { * }", ["EC0101 1:25", "EC0201 2:17"]),
    ],
)
def test_errors_are_found_together_and_do_not_multiply(text: str, wanted: list[str]) -> None:
    assert places(text) == wanted


def test_no_more_errors_are_told_than_one_can_read() -> None:
    wrong = "task a(): Int { let x = *; x }\n" * 100
    assert len(places(wrong)) == MAX_REPORTED
    assert len(places("→ " * 100)) == MAX_REPORTED


def read_as_both(text: str) -> None:
    """Read a text as a source and as a core program; anything but an orderly refusal is raised."""
    refusal(parse, text)
    refusal(parse_core, text)


WORDS = sorted(tables("core").keywords | set(tables("file").marks) | set(tables("core").marks))
OTHERS = [
    "x",
    "fs.write",
    "1",
    '"a"',
    "1.5",
    "$",
    '"',
    "// c\n",
    "\n",
    "# c\n",
    "{ a: 1 }",
    "{",
    "}",
    "(",
    ")",
    ";",
]


def test_any_row_of_words_is_parsed_or_refused() -> None:
    def check(seed: int) -> None:
        rng = Random(seed)
        words = [rng.choice(WORDS if rng.random() < 0.5 else OTHERS) for _ in range(rng.randint(1, 60))]
        read_as_both(rng.choice(("", "task t(): Int { ", "handler h { ", "effect e { ")) + " ".join(words))

    for_seeds(1500, check)


def test_trees_with_words_put_in_left_out_and_exchanged() -> None:
    def check(seed: int) -> None:
        rng = Random(seed)
        words = SurfaceWriter(rng).text(AnySurface(rng).file(60)).split()
        for _ in range(rng.randint(1, 4)):
            place = rng.randint(0, len(words))
            form = rng.randrange(3)
            if form == 0:
                words.insert(place, rng.choice(WORDS + OTHERS))
            elif form == 1:
                del words[place : place + 1]
            else:
                words[place : place + 1] = [rng.choice(WORDS)]
        read_as_both(" ".join(words))

    for_seeds(600, check)


def test_every_kind_of_token_is_told_apart_in_messages() -> None:
    found = {
        places_text: parse_message(places_text)
        for places_text in ("task 1", 'task "a"', "task =", "task let", "task", "type a = b c")
    }
    assert found == {
        "task 1": "expected a name, found the number `1`",
        'task "a"': 'expected a name, found the text "a"',
        "task =": "expected a name, found `=`",
        "task let": "expected a name, found the reserved word `let`",
        "task": "expected a name, found the end of the file",
        "type a = b c": "expected a declaration, the end of the file or `;`, found the name `c`",
    }
    assert {NAME, INTEGER, TEXT}.isdisjoint(WORDS)


def parse_message(text: str) -> str:
    with pytest.raises(SourceErrors) as raised:
        parse(SourceText("test.ecl", text))
    return raised.value.diagnostics[0].message
