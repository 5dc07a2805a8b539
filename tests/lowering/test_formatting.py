"""The formatter: it changes white space alone, keeps comments, and leaves its own output as it is."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from strategies import for_seeds
from support.random_surface import AnySurface
from support.surface_text import SurfaceWriter

from eclogue.lowering import ast
from eclogue.lowering.diagnostics import Diagnostics, SourceErrors, SourceText
from eclogue.lowering.formatter import WIDTH, format_source
from eclogue.lowering.lexer import tokenize
from eclogue.lowering.parser import parse
from eclogue.lowering.printer import print_source
from eclogue.lowering.tables import tables

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.ecl"))


def formatted(text: str) -> str:
    return format_source(SourceText("test.ecl", text))


def parts(text: str) -> tuple[list[str], list[tuple[int, str, bool]]]:
    """Return the tokens of a text; and the comments: behind how many tokens, what, and whether alone."""
    source = SourceText("test.ecl", text)
    tokens = tokenize(source, tables("file"), Diagnostics())
    words = [tokens.text(index) for index in range(len(tokens.kinds))]
    comments = []
    for comment in tokens.comments:
        start = source.offset(comment.span.line, comment.span.column)
        behind = sum(end <= start for end in tokens.ends[:-1])
        comments.append((behind, comment.text.rstrip(), comment.alone))
    return words, comments


def check(text: str) -> str:
    """Check everything that is promised of a text's layout, and return it."""
    result = formatted(text)
    assert parts(result) == parts(text), text
    assert formatted(result) == result, text
    assert ast.same(parse(SourceText("x", result)), parse(SourceText("x", text)))
    assert result == "" or (result.endswith("\n") and not result.endswith("\n\n"))
    assert "\n\n\n" not in result
    assert "\r" not in result
    assert all(line == line.rstrip() for line in result.split("\n"))
    return result


def test_any_layout_of_any_tree() -> None:
    def of_seed(seed: int) -> None:
        rng = Random(seed)
        tree = AnySurface(rng).file(rng.choice((5, 20, 60, 150)))
        check(SurfaceWriter(rng).text(tree))
        check(print_source(tree))

    for_seeds(600, of_seed)


def test_the_examples_are_formatted() -> None:
    assert EXAMPLES
    for path in EXAMPLES:
        check(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", ["", "\n\n", " \t"])
def test_nothing_stays_nothing(text: str) -> None:
    assert formatted(text) == ""


def test_wrong_sources_are_refused() -> None:
    with pytest.raises(SourceErrors, match="EC0203"):
        formatted("task main(): Any { return 1; 2 }")


# ------------------------------------------------------------------------------------------------
# Layouts by hand


def test_one_line_stays_one_line_while_it_fits() -> None:
    line = "effect fs { reversible ctl write(path: Text, text: Text): Unit }\n"
    assert check(line.replace(" ", "   ")) == line
    clause = "handler h { ctl a.b(p) { let t = perform a.b(p); resume(t) } }\n"
    assert check(clause) == clause


def test_what_was_broken_stays_broken() -> None:
    text = "task main(): Any {\n  f({\n    a: 1, b: [\n 2,3] })\n}\n"
    assert check(text) == (
        "task main(): Any {\n  f({\n    a: 1,\n    b: [\n      2,\n      3\n    ]\n  })\n}\n"
    )


def test_what_does_not_fit_is_broken() -> None:
    names = [f"parameter_number_{number}" for number in range(6)]
    text = f"def f({', '.join(names)}) {{ g({', '.join(names)}) }}"
    assert len(text) > WIDTH
    lines = "".join(f"  {name},\n" for name in names)[:-2]
    inner = lines.replace("  ", "    ")
    assert check(text) == f"def f(\n{lines}\n) {{\n  g(\n{inner}\n  )\n}}\n"


def test_operators_are_broken_from_the_loosest() -> None:
    name = "a" * 25
    text = f"task t(): Any {{ return {name} + {name} * {name} == {name} ++ {name} and {name} }}"
    assert check(text) == (
        f"task t(): Any {{\n  return {name} + {name} * {name}\n"
        f"    == {name} ++ {name}\n    and {name}\n}}\n"
    )


def test_the_blocks_of_an_if_are_broken_together() -> None:
    text = "task t(): Any { if a then { b } else {\n c } }"
    assert check(text) == "task t(): Any {\n  if a then {\n    b\n  } else {\n    c\n  }\n}\n"


COMMENTS = """\
# at the top

# of the first
effect fs { # behind the brace
 # before an operation

 reversible ctl write(path: Text): Unit # behind it


 # dangling
}
task t(): Any {



  # first
  let x = # in the middle
    # alone in the middle
     5; # at the end
  f(1, # one
   2)

  # last
}
# at the end
"""

COMMENTS_FORMATTED = """\
# at the top

# of the first
effect fs {  # behind the brace
  # before an operation

  reversible ctl write(path: Text): Unit  # behind it

  # dangling
}
task t(): Any {
  # first
  let x =  # in the middle
    # alone in the middle
    5;  # at the end
  f(
    1,  # one
    2
  )

  # last
}
# at the end
"""


def test_comments_stay_where_they_are() -> None:
    assert check(COMMENTS) == COMMENTS_FORMATTED
    assert check(COMMENTS.replace("\n", "\r\n")) == COMMENTS_FORMATTED


def test_optional_commas_and_semicolons_are_kept() -> None:
    text = "type A = {a: Int,};\ntask t(): Any { if a then { b, } else { c; }; }\n"
    assert check(text.replace("b, ", "b; ")) == text.replace("b, ", "b; ")
