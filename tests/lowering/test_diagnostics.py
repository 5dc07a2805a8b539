"""Diagnostics: source texts, suggestions, and how they are shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eclogue.core.errors import CannotHappen
from eclogue.core.syntax import Span
from eclogue.lowering.diagnostics import (
    Diagnostic,
    Diagnostics,
    Severity,
    SourceErrors,
    SourceText,
    did_you_mean,
)
from eclogue.lowering.rendering import WIDTH, render, render_all, styled, to_json, visible


def error(span: Span | None, message: str = "wrong", **more: object) -> Diagnostic:
    return Diagnostic("EC0201", Severity.ERROR, message, span, **more)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------
# Source texts


@given(st.text(alphabet="ab\t\r\n\u2028é"))
def test_places_and_offsets_are_inverse(text: str) -> None:
    source = SourceText("x", text)
    for offset in range(len(text) + 1):
        line, column = source.position(offset)
        assert source.offset(line, column) == offset
        assert source.line(line)[: column - 1].replace("\n", "") == source.line(line)[: column - 1]
    lines = [source.line(number) for number in range(1, len(source.line_starts) + 1)]
    assert "\n".join(lines) == text.replace("\r\n", "\n").replace("\r", "\n")


def test_there_is_no_line_before_the_first_or_after_the_last() -> None:
    source = SourceText("x", "a\nb")
    for number in (0, 3):
        with pytest.raises(IndexError):
            source.line(number)


def test_an_excerpt_is_what_a_span_covers() -> None:
    source = SourceText("x", "ab\r\ncd\ne")
    assert source.excerpt(source.span(1, 6)) == "b\r\ncd"
    assert source.span(1, 6) == Span(1, 2, 2, 3)


# ------------------------------------------------------------------------------------------------
# Collecting


def test_codes_are_those_of_the_table() -> None:
    with pytest.raises(CannotHappen):
        Diagnostic("EC9999", Severity.ERROR, "wrong", None)


def test_errors_are_raised_in_the_order_of_their_places() -> None:
    found = Diagnostics(SourceText("x", "abc"))
    found.raise_errors()
    found.warning("EC0201", "careful", Span(1, 1, 1, 2))
    assert not found.has_errors
    found.raise_errors()
    found.error("EC0202", "second", Span(2, 1, 2, 2))
    found.error("EC0201", "first", Span(1, 3, 1, 4), hint="mend it")
    found.error("EC0001", "whole file", None)
    with pytest.raises(SourceErrors, match="EC0001: whole file; EC0201: careful") as raised:
        found.raise_errors()
    assert [item.message for item in raised.value.diagnostics] == [
        "whole file",
        "careful",
        "first",
        "second",
    ]
    assert raised.value.source is found.source


# ------------------------------------------------------------------------------------------------
# Suggestions


@pytest.mark.parametrize(
    ("name", "candidates", "wanted"),
    [
        ("writ", ["write", "read"], "write"),
        ("wirte", ["write", "read"], "write"),
        ("fs", ["sf", "proc"], "sf"),
        ("FS", ["fs"], "fs"),
        ("x", ["y", "z"], "y"),
        ("patch", ["path", "batch", "patch"], "batch"),
        ("model", ["proc", "audit"], None),
        ("a", [], None),
        ("a" * 200, ["a" * 199], None),
    ],
)
def test_suggestions(name: str, candidates: list[str], wanted: str | None) -> None:
    assert did_you_mean(name, candidates) == wanted


@given(st.text(max_size=12), st.lists(st.text(max_size=12)))
def test_a_suggestion_is_another_candidate_in_whatever_order(name: str, candidates: list[str]) -> None:
    found = did_you_mean(name, candidates)
    assert found is None or (found in candidates and found != name)
    assert did_you_mean(name, reversed(candidates)) == found


# ------------------------------------------------------------------------------------------------
# For people


def lines(text: str, span: Span | None) -> list[str]:
    return render(error(span), SourceText("a.ecl", text)).splitlines()


def test_a_place_its_line_and_a_mark() -> None:
    assert lines("ab cd ef", Span(1, 4, 1, 6)) == [
        "a.ecl:1:4: error[EC0201]: wrong",
        "  1 | ab cd ef",
        "    |    ^^",
    ]


def test_without_a_place_there_is_no_line() -> None:
    assert lines("ab", None) == ["a.ecl: error[EC0201]: wrong"]


@pytest.mark.parametrize(
    ("text", "span", "shown", "marks"),
    [
        ("\tx y", Span(1, 2, 1, 3), "    x y", "    ^"),
        ("a\tb\tc", Span(1, 4, 1, 6), "a   b   c", "     ^^^^"),
        ("名前 x", Span(1, 1, 1, 3), "名前 x", "^^^^"),
        ("名前 x", Span(1, 4, 1, 5), "名前 x", "     ^"),
        ("e\u0301e\u0301 x", Span(1, 3, 1, 5), "e\u0301e\u0301 x", " ^"),
        ("e\u0301 x", Span(1, 4, 1, 5), "e\u0301 x", "  ^"),
        ("a\x1b\u200b\ud800b", Span(1, 5, 1, 6), "a\ufffd\ufffd\ufffdb", "    ^"),
        ("ab", Span(1, 3, 1, 3), "ab", "  ^"),
        ("ab", Span(1, 9, 1, 12), "ab", "  ^"),
        ("ab\ncd", Span(1, 2, 2, 2), "ab", " ^"),
        ("abc\ncd", Span(1, 2, 2, 1), "abc", " ^^"),
        ("", Span(1, 1, 1, 1), "", "^"),
    ],
)
def test_marks_stand_under_what_they_mark(text: str, span: Span, shown: str, marks: str) -> None:
    assert lines(text, span)[1:] == [f"  1 | {shown}".rstrip(), f"    | {marks}"]


@pytest.mark.parametrize(
    ("span", "marked"),
    [
        (Span(1, 1, 1, 4), "000"),
        (Span(1, 501, 1, 505), "0125"),
        (Span(1, 997, 1, 1001), "0249"),
        (Span(1, 2, 1, 900), None),
        (Span(1, 999, 1, 1001), "49"),
    ],
)
def test_long_lines_are_cut_around_the_place(span: Span, marked: str | None) -> None:
    text = "".join(f"{number:04}" for number in range(250))
    _, shown, marks = lines(text, span)
    assert len(shown) <= WIDTH + 8
    start, end = marks.index("^"), marks.rindex("^") + 1
    if marked is not None:
        assert shown[start:end] == marked
    else:
        assert set(shown[start : end - 1]) <= set("0123456789")


def test_notes_and_hints() -> None:
    notes = ((Span(10, 1, 10, 2), "here"), (None, "and nowhere"))
    text = "\n".join(f"line {number}" for number in range(1, 11))
    found = render(error(Span(9, 1, 9, 5), notes=notes, hint="mend it"), SourceText("a.ecl", text))
    assert found.splitlines() == [
        "a.ecl:9:1: error[EC0201]: wrong",
        "   9 | line 9",
        "     | ^^^^",
        "a.ecl:10:1: note: here",
        "  10 | line 10",
        "     | -",
        "note: and nowhere",
        "  hint: mend it",
    ]


def test_several_stand_apart() -> None:
    source = SourceText("a", "b")
    assert (
        render_all([error(None), error(None)], source)
        == "a: error[EC0201]: wrong\n\na: error[EC0201]: wrong"
    )


def test_colours_change_nothing_but_colours() -> None:
    source = SourceText("a.ecl", "ab cd")
    item = error(Span(1, 1, 1, 3), notes=((Span(1, 4, 1, 6), "here"),), hint="mend it")
    text = styled(item, source)
    assert text.plain == render(item, source)
    assert {str(span.style) for span in text.spans} >= {"bold red", "bold cyan", "bold green"}


@given(st.text(), st.integers(1, 5), st.integers(1, 20), st.integers(0, 30))
def test_anything_can_be_shown(text: str, line: int, column: int, length: int) -> None:
    shown = render(error(Span(line, column, line, column + length), text), SourceText(text, text))
    assert all(part.isprintable() for part in shown.split("\n"))


def test_messages_cannot_control_the_terminal() -> None:
    assert visible("a\x1b[31m\tb\u202e") == "a\ufffd[31m b\ufffd"


# ------------------------------------------------------------------------------------------------
# For machines


def test_json() -> None:
    item = error(Span(1, 2, 3, 4), notes=((Span(5, 6, 7, 8), "here"), (None, "there")), hint="mend it")
    assert json.loads(json.dumps(to_json(item, SourceText("a.ecl", "")))) == {
        "code": "EC0201",
        "severity": "error",
        "message": "wrong",
        "file": "a.ecl",
        "line": 1,
        "column": 2,
        "end_line": 3,
        "end_column": 4,
        "notes": [
            {"message": "here", "line": 5, "column": 6, "end_line": 7, "end_column": 8},
            {"message": "there", "line": None, "column": None, "end_line": None, "end_column": None},
        ],
        "hint": "mend it",
        "page": "eclogue explain EC0201",
    }


def test_json_of_what_is_about_the_whole_file() -> None:
    item = Diagnostic("EC0001", Severity.WARNING, "careful", None)
    found = to_json(item, SourceText("a", ""))
    assert (found["severity"], found["line"], found["notes"], found["hint"]) == ("warning", None, [], None)
