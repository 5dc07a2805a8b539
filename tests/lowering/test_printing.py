"""The printer: what it prints reads back to the same tree, with no more parentheses than needed."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import for_seeds
from support.random_surface import AnySurface

from eclogue.lowering import ast
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.parser import parse
from eclogue.lowering.printer import print_expression, print_key, print_source, print_type, quote


def parsed(text: str) -> ast.SourceFile:
    return parse(SourceText("test.ecl", text))


def test_what_is_printed_is_read() -> None:
    def check(seed: int) -> None:
        rng = Random(seed)
        tree = AnySurface(rng).file(rng.choice((5, 20, 60, 150)))
        text = print_source(tree)
        assert parsed(text) == tree, text
        assert print_source(parsed(text)) == text

    for_seeds(1000, check)


def expression(text: str) -> ast.Expression:
    (task,) = parsed(f"task t(): Any {{ return {text} }}").declarations
    assert isinstance(task, ast.TaskDeclaration)
    (statement,) = task.body.statements
    assert isinstance(statement, ast.ReturnStatement)
    assert isinstance(statement.computation, ast.PureComputation)
    return statement.computation.expression


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("((a + b)) + (c)", "a + b + c"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a * b) + c", "a * b + c"),
        ("(a + b) * c", "(a + b) * c"),
        ("(a ++ b) == (c)", "a ++ b == c"),
        ("(a == b) == c", "(a == b) == c"),
        ("not (a == b)", "not a == b"),
        ("(not a) == b", "(not a) == b"),
        ("not (a and b)", "not (a and b)"),
        ("(not a) and (b or c)", "not a and (b or c)"),
        ("-(a.b)", "-a.b"),
        ("(-a).b", "(-a).b"),
        ("-(-a)", "--a"),
        ("-(a * b)", "-(a * b)"),
        ("(1).k", "1.k"),
        ('{"a": 1, "a b": 2, "if": 3, b: b}', '{a: 1, "a b": 2, if: 3, b: b}'),
        ("{a, b}", "{a, b}"),
        ("null", "()"),
        ('x."k"."a b"', 'x.k."a b"'),
    ],
)
def test_there_are_no_more_parentheses_than_needed(written: str, printed: str) -> None:
    assert print_expression(expression(written)) == printed
    assert expression(printed) == expression(written)


def test_a_negative_literal_is_printed_as_what_it_equals() -> None:
    span = expression("a").span
    key = ast.Name("k", span=span)
    projected = ast.ProjectExpression(ast.LiteralExpression(-5, span=span), key, span=span)
    assert print_expression(projected) == "(-5).k"


@pytest.mark.parametrize(
    "text",
    ["Int", "List[Int]", '{a: Int, "a b"?: Text}', "-3", '"ok"', "true", "()", "{}", "List[{k?: List[T]}]"],
)
def test_types(text: str) -> None:
    (declaration,) = parsed(f"type t = {text}").declarations
    assert isinstance(declaration, ast.TypeDeclaration)
    assert print_type(declaration.type) == text


@given(st.text())
def test_texts_are_quoted_so_that_they_can_be_seen_and_read(text: str) -> None:
    quoted = quote(text)
    assert quoted.isprintable()
    assert expression(quoted) == ast.LiteralExpression(text, span=expression("1").span)


@given(st.text())
def test_keys_are_read(key: str) -> None:
    projected = expression(f"x.{print_key(key)}")
    assert isinstance(projected, ast.ProjectExpression)
    assert projected.key.text == key


PRINTED = """\
effect fs {
  reversible ctl write(path: Text): Unit
}

effect none {}

type T = Int

handler h(x) {
  return(y) { y }
  ctl fs.write(p) {
    let z = perform fs.write(p);
    resume(z)
  }
}

def f(a, b: Int): Int / {fs, fs.write} {}

task main(n: Int): Int {
  let x = handle { f(1, 2) } with h(n): Int;
  if x > 1 then { x; } else if x < 1 then { return 2 } else {}
  repeat 3 with y = 1 while y < 2 { return y + 1 }
  for z in [1, 2] {
    do { z }
  }
  x
}
"""


def test_the_layout() -> None:
    assert print_source(parsed(PRINTED)) == PRINTED
    assert print_source(parsed(" ".join(PRINTED.split()))) == PRINTED
    assert print_source(parsed("")) == ""
