"""Odd and hostile sources: each gets a tree or a clear diagnostic, never a traceback, in linear work."""

from __future__ import annotations

from pathlib import Path

import pytest

from eclogue.core.syntax import Span
from eclogue.lowering import ast
from eclogue.lowering.diagnostics import MAX_REPORTED, Diagnostic, SourceErrors, SourceText
from eclogue.lowering.formatter import format_source
from eclogue.lowering.parser import MAX_NESTING, parse
from eclogue.lowering.printer import print_source
from eclogue.lowering.reading import decode_source, read_source
from eclogue.lowering.rendering import render_all


def parsed(text: str) -> ast.SourceFile:
    return parse(SourceText("test.ecl", text))


def errors(text: str) -> tuple[Diagnostic, ...]:
    """Return the errors of a source, after rendering them."""
    source = SourceText("test.ecl", text)
    with pytest.raises(SourceErrors) as raised:
        parse(source)
    assert raised.value.source is source
    assert 1 <= len(raised.value.diagnostics) <= MAX_REPORTED
    assert max(map(len, render_all(raised.value.diagnostics, source).splitlines())) < 250
    return raised.value.diagnostics


def task(statements: str) -> str:
    return f"task main(): Any {{ {statements} }}"


# ------------------------------------------------------------------------------------------------
# Line ends, tabs, marks


LINES = ["task main(): Any {", "\tlet x = 1;", "\t  return y z", "}", ""]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks(end: str, mark: str) -> None:
    (error,) = errors(mark + end.join(LINES))
    assert error.span == Span(3, 13, 3, 14)
    source = SourceText("x", mark + end.join(LINES))
    assert [source.line(number) for number in range(1, 6)] == LINES
    good = mark + end.join(LINES).replace("y z", "y")
    assert parsed(good) == parsed(good.removeprefix("\ufeff").replace(end, "\n"))
    assert parsed(good).declarations[0].span == Span(1, 1, 4, 2)


def test_a_byte_order_mark_is_one_only_at_the_beginning() -> None:
    (error,) = errors("\ufeff\ufefftask main(): Any { 1 }")
    assert (error.code, error.span) == ("EC0101", Span(1, 1, 1, 2))


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85", "\x0b"])
def test_other_separators_end_no_line(char: str) -> None:
    assert len(SourceText("x", f"a{char}b").line_starts) == 1
    (error,) = errors(task(f"1;{char}2"))
    assert (error.code, error.span) == ("EC0101", Span(1, 22, 1, 23))


def test_a_comment_may_end_the_file() -> None:
    assert [comment.text for comment in parsed("# a\r# b").comments] == ["# a", "# b"]


# ------------------------------------------------------------------------------------------------
# Names and texts beyond ASCII


def test_names_of_any_script() -> None:
    assert parsed(task("let größe = 1; let 名前 = größe; let שם = 名前; return שם + x１")) is not None


def test_names_that_differ_in_composition_are_the_same() -> None:
    composed, decomposed = (
        task("let \u00e9 = 1; return \u00e9.\u00e9"),
        task("let e\u0301 = 1; return e\u0301.e\u0301"),
    )
    assert composed != decomposed
    assert parsed(composed) == parsed(decomposed)


def test_texts_and_keys_in_quotes_are_not_normalised() -> None:
    assert parsed(task('"\u00e9"')) != parsed(task('"e\u0301"'))
    assert parsed(task('x."\u00e9"')) != parsed(task('x."e\u0301"'))


@pytest.mark.parametrize("char", ["→", "\u00a0", "\u200b", "\U0001f600", "½", "\x00", "\x1b", "“"])
def test_other_characters_are_refused_where_they_stand(char: str) -> None:
    error = errors(task(f"let a = b{char}"))[0]
    assert (error.code, error.span) == ("EC0101", Span(1, 29, 1, 30))


# ------------------------------------------------------------------------------------------------
# Files


@pytest.mark.parametrize("text", ["", "\ufeff", "\n\n", "# only a comment", " \t\f\r\n"])
def test_an_empty_source_is_a_tree_without_declarations(text: str) -> None:
    assert parsed(text).declarations == ()


def file_error(path: Path) -> Diagnostic:
    with pytest.raises(SourceErrors) as raised:
        read_source(path)
    (diagnostic,) = raised.value.diagnostics
    assert raised.value.source is not None
    assert raised.value.source.name == str(path)
    return diagnostic


def test_a_file_is_read_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.ecl").write_bytes(b"\xef\xbb\xbftask main(): Any { 1 }\r\n")
    source = read_source(tmp_path / "a.ecl")
    assert source == SourceText(str(tmp_path / "a.ecl"), "task main(): Any { 1 }\r\n")


def test_a_missing_file_a_directory_and_a_file_that_is_none(tmp_path: Path) -> None:
    assert file_error(tmp_path / "missing.ecl").code == "EC0001"
    assert file_error(tmp_path).code == "EC0002"
    (tmp_path / "file").touch()
    assert file_error(tmp_path / "file" / "a.ecl").code == "EC0003"
    assert file_error(tmp_path / ("n" * 5000)).code == "EC0003"


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"\xff", Span(1, 1, 1, 2), "not UTF-8: byte 0xff at offset 0"),
        (b"a\xc3\xa9\r\nb\xe9c", Span(2, 2, 2, 3), "not UTF-8: byte 0xe9 at offset 6"),
        (b"\xef\xbb\xbfab\xed\xa0\x80", Span(1, 3, 1, 4), "not UTF-8: byte 0xed at offset 5"),
        (b"ab\xc3", Span(1, 3, 1, 4), "not UTF-8: byte 0xc3 at offset 2"),
        (b"\xc0\xaf", Span(1, 1, 1, 2), "not UTF-8: byte 0xc0 at offset 0"),
    ],
)
def test_bytes_that_are_not_utf_8(data: bytes, place: Span, message: str) -> None:
    with pytest.raises(SourceErrors) as raised:
        decode_source("a.ecl", data)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, diagnostic.span, diagnostic.message) == ("EC0004", place, message)
    assert raised.value.source is not None
    assert render_all(raised.value.diagnostics, raised.value.source)


def test_utf_16_is_recognised() -> None:
    with pytest.raises(SourceErrors, match="EC0004") as raised:
        decode_source("a.ecl", "task".encode("utf-16"))
    assert raised.value.diagnostics[0].hint == "this looks like UTF-16: save the file as UTF-8"


# ------------------------------------------------------------------------------------------------
# Size and depth


DEEP = 10_000


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (task(f"return {'(' * DEEP}1{')' * DEEP}"), 20 + 7 + MAX_NESTING - 1),
        (task(f"return {'[' * DEEP}{']' * DEEP}"), 20 + 7 + MAX_NESTING - 1),
        (task(f"return {'{a: ' * DEEP}1{'}' * DEEP}"), 20 + 7 + 4 * (MAX_NESTING - 1)),
        (task(f"return {'-' * DEEP}1"), 20 + 7 + MAX_NESTING - 1),
        (task(f"return {'not ' * DEEP}true"), 20 + 7 + 4 * (MAX_NESTING - 1)),
        (task(f"return {'-(' * DEEP}1{')' * DEEP}"), 20 + 7 + MAX_NESTING - 1),
        (task(f"{'do { ' * DEEP}{'}' * DEEP}"), 20 + 3 + 5 * (MAX_NESTING - 1)),
        (f"type t = {'List[' * DEEP}Int{']' * DEEP}", 10 + 4 + 5 * MAX_NESTING),
    ],
    ids=["parentheses", "lists", "records", "minus", "not", "mixed", "blocks", "types"],
)
def test_what_nests_too_deeply_is_refused_where_it_does(text: str, column: int) -> None:
    (error,) = errors(text)
    assert error.code == "EC0205"
    assert error.span == Span(1, column, 1, column + (3 if text[column - 1] == "n" else 1))


def test_the_bound_itself_is_not_too_deep() -> None:
    deep = MAX_NESTING - 1  # the brace of the task is one level
    for text in (f"{'(' * deep}1{')' * deep}", f"{'-' * deep}1", f"{'[' * deep}{']' * deep}"):
        tree = parsed(task(f"return {text}"))
        assert ast.same(parsed(print_source(tree)), tree)


LONG = 100_000


@pytest.mark.parametrize(
    "expression",
    [" ++ ".join(["a"] * LONG), "a" + ".k" * LONG, "a < b" + " and a" * LONG, f"[{'a, ' * LONG}]"],
    ids=["operators", "projections", "words", "lists"],
)
def test_long_chains_are_not_deep(expression: str) -> None:
    text = task(f"return {expression}")
    formatted = format_source(SourceText("x", text))
    assert ast.same(parsed(formatted), parsed(text))


def test_long_chains_of_else_if() -> None:
    tree = parsed(task("if a then {} else " * 10_000 + "{}"))
    assert ast.same(parsed(print_source(tree)), tree)


def test_a_large_file() -> None:
    declaration = "def f(a, b) { let x = perform fs.write(a); if x == b then { g(x) } else { {k: x}.k } }\n"
    count = 5_000_000 // len(declaration) + 1
    tree = parsed(declaration * count)
    assert len(tree.declarations) == count
    assert tree.declarations[-1].span == Span(count, 1, count, len(declaration))
    assert ast.same(tree.declarations[0], tree.declarations[-1])


def test_an_error_at_the_end_of_a_large_file() -> None:
    text = "def f(a, b) { return a ++ b }\n" * 100_000 + "def g( { }\n"
    assert [(error.code, error.span and error.span.line) for error in errors(text)] == [("EC0201", 100_001)]


@pytest.mark.parametrize(
    "text",
    [
        "(" * LONG,
        "}" * LONG,
        "task " * LONG,
        '"' * LONG,
        "→a" * LONG,
        "é→" * LONG,
        "/*" * LONG,
        "'" * LONG,
        "1.2.3e" * LONG,
        "\\u{" * LONG,
        '"' + "\\u{" * LONG,
        "task t(): Int { " * LONG,
        "task t(): Int { let " * LONG,
        "task t(): Int { f(" + "; " * LONG,
        "\n" * LONG + "x",
        "x" * LONG,
        "0" * LONG,
        "\x00" * LONG,
        "task t(): Int { " + "x y " * LONG,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_large_nonsense_is_refused(text: str) -> None:
    errors(text)


def test_long_numbers() -> None:
    digits = "9" * 1_000_000
    (declaration,) = parsed(f"type t = -{digits}").declarations
    assert isinstance(declaration, ast.TypeDeclaration)
    assert isinstance(declaration.type, ast.LiteralType)
    assert declaration.type.literal.value == -(10**1_000_000 - 1)
    (error,) = errors(f"type t = {digits}9")
    assert (error.code, error.message) == ("EC0107", "a number of 1000001 digits; at most 1000000 are read")


def test_surrogates_in_a_text_from_python_are_refused() -> None:
    assert {error.code for error in errors(task('"\ud800"'))} == {"EC0104"}
    assert errors(task("\ud800"))[0].code == "EC0101"
