"""The pages of the codes: each code has one, and its first example shows the error, its second none.

Blocks marked `ecl` are sources, `core` core programs as text; other blocks are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from eclogue.lowering.codes import CODES, page
from eclogue.lowering.core_reader import parse_core
from eclogue.lowering.diagnostics import Diagnostic, SourceErrors, SourceText
from eclogue.lowering.lower import check_file, lower_task
from eclogue.lowering.parser import parse
from eclogue.lowering.reading import MAX_BYTES, read_source

_BLOCK = re.compile(r"^```(ecl|core)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(code: str) -> list[tuple[str, str]]:
    return _BLOCK.findall(page(code))


def told(
    language: str, text: str, task: str | None = None, *, lower: bool = False
) -> tuple[Diagnostic, ...]:
    """Read and check a text, and lower a task of it if asked to; return what is told about it."""
    source = SourceText("example", text)
    try:
        if language == "core":
            parse_core(source)
            return ()
        file = parse(source)
        found = check_file(file, source)
        if lower and not found:
            lower_task(file, source, task)
    except SourceErrors as errors:
        return errors.diagnostics
    return found


def codes_of(diagnostics: tuple[Diagnostic, ...]) -> set[str]:
    return {item.code for item in diagnostics}


ABOUT_THE_TASK = {"EC0006": None, "EC1301": None, "EC1302": "one", "EC1303": None}
"""Codes about the choice of a task or its arguments, with the task to choose in the example."""

# ------------------------------------------------------------------------------------------------


def test_each_code_has_a_page_and_each_page_a_code() -> None:
    names = {entry.name for entry in (files("eclogue.lowering") / "pages").iterdir()}
    assert names == {f"{code}.md" for code in CODES}


@pytest.mark.parametrize("code", CODES)
def test_a_page_has_the_title_of_its_code(code: str) -> None:
    heading, blank, *_ = page(code).splitlines()
    assert heading == f"# {code}: {CODES[code]}"
    assert blank == ""


def test_there_is_no_page_of_another_code() -> None:
    with pytest.raises(KeyError):
        page("EC9999")


@pytest.mark.parametrize("code", [code for code in CODES if len(examples(code)) == 2])
def test_the_first_example_shows_the_error_and_the_second_does_not(code: str) -> None:
    (language, wrong), (_, mended) = examples(code)
    lower = code in ABOUT_THE_TASK
    assert code in codes_of(told(language, wrong, ABOUT_THE_TASK.get(code), lower=lower))
    assert told(language, mended, lower=lower) == ()


# ------------------------------------------------------------------------------------------------
# Codes of the syntax whose example does not fit on a page


def of_file(path: Path) -> set[str]:
    try:
        read_source(path)
    except SourceErrors as errors:
        return codes_of(errors.diagnostics)
    return set()


def missing(folder: Path) -> set[str]:
    return of_file(folder / "missing.ecl")


def unreadable(folder: Path) -> set[str]:
    return of_file(folder / "a\0b.ecl")


def not_utf_8(folder: Path) -> set[str]:
    (folder / "latin.ecl").write_bytes("# é".encode("latin-1"))
    return of_file(folder / "latin.ecl")


def too_large(folder: Path) -> set[str]:
    with (folder / "large.ecl").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    return of_file(folder / "large.ecl")


def text(wrong: str) -> Callable[[Path], set[str]]:
    return lambda _: codes_of(told("ecl", wrong))


TRIGGERS: dict[str, Callable[[Path], set[str]]] = {
    "EC0001": missing,
    "EC0002": of_file,
    "EC0003": unreadable,
    "EC0004": not_utf_8,
    "EC0005": too_large,
    "EC0107": text(f"task main(): Int {{ return {'9' * 1_000_001} }}"),
    "EC0109": text("# \u202e"),
    "EC0205": text(f"task main(): Int {{ return {'(' * 1000}1{')' * 1000} }}"),
}


@pytest.mark.parametrize("code", TRIGGERS)
def test_other_errors_of_the_syntax_can_be_had(code: str, tmp_path: Path) -> None:
    assert TRIGGERS[code](tmp_path) == {code}


def test_every_error_of_the_syntax_is_shown() -> None:
    syntax = {code for code in CODES if code.startswith("EC0")}
    assert {code for code in syntax if len(examples(code)) != 2} == set(TRIGGERS)
