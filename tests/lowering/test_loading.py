"""From files to programs: which task, which arguments, and core programs as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.core_text import core_text

from eclogue.core.encoding import program_ref, program_text
from eclogue.core.values import Value, record
from eclogue.lowering.diagnostics import SourceErrors
from eclogue.lowering.expansion import ExpansionRefused
from eclogue.lowering.load import check_source, load_program

TWO = """
effect ask { reversible ctl number(): Int }
type Options = {limit: Int, name?: Text}
def helper() { 1 }
task first(options: Options, count: Int): Int { let unused = 1; options.limit + count }
task second(): Int { perform ask.number() }
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.ecl"
    path.write_text(TWO, encoding="utf-8")
    return path


def refused(
    path: Path, task: str | None, arguments: Mapping[str, Value]
) -> list[tuple[str, str, str | None]]:
    with pytest.raises(SourceErrors) as found:
        load_program(path, task=task, arguments=arguments)
    return [(item.code, item.message, item.hint) for item in found.value.diagnostics]


def test_the_task_that_is_named(two: Path) -> None:
    program = load_program(two, task="second")
    assert (program.task, program.source) == ("second", str(two))


def test_the_only_task_and_main_need_no_name(tmp_path: Path) -> None:
    path = tmp_path / "one.ecl"
    path.write_text("task one(): Int { 1 }", encoding="utf-8")
    assert load_program(path).task == "one"
    path.write_text("task one(): Int { 1 } task main(): Int { 2 }", encoding="utf-8")
    assert load_program(path).task == "main"


def test_tasks_that_are_not_there(two: Path, tmp_path: Path) -> None:
    several = "there are several tasks, and none is called `main`"
    assert refused(two, None, {}) == [("EC1301", several, "say which one with `--task NAME`")]
    assert refused(two, "secnod", {}) == [("EC1302", "there is no task `secnod`", "did you mean `second`?")]
    assert refused(two, "helper", {}) == [
        ("EC1302", "there is no task `helper`", "the tasks are `first`, `second`")
    ]
    empty = tmp_path / "empty.ecl"
    empty.write_text("", encoding="utf-8")
    assert [code for code, _, _ in refused(empty, None, {})] == ["EC0006"]


def test_arguments_are_checked(two: Path) -> None:
    limit = record({"limit": 3})
    assert refused(two, "first", {"count": "5", "options": limit, "cuont": 1}) == [
        ("EC1304", "the task `first` has no parameter `cuont`", "did you mean `count`?"),
        ("EC1305", "the argument `count` of `first`: expected Int, found Text", "it is `Int`"),
    ]
    missing = "the task `first` needs the argument"
    assert refused(two, "first", {}) == [
        (
            "EC1303",
            f"{missing} `options`",
            "give it with `--arg options=JSON`; it is `{limit: Int, name?: Text}`",
        ),
        ("EC1303", f"{missing} `count`", "give it with `--arg count=JSON`; it is `Int`"),
    ]
    assert refused(two, "second", {"x": 1})[0][2] == "it has no parameters"


def test_arguments_stand_around_the_body(two: Path) -> None:
    options = record({"limit": 3})
    program = load_program(two, task="first", arguments={"count": 2, "options": options})
    assert core_text(program.body).startswith(
        'return check({limit: Int, name?: Text}, {"limit":3}); return check(Int, 2); '
    )


def test_everything_in_a_file_is_checked(two: Path) -> None:
    checked = check_source(two)
    assert [name for name, _ in checked.programs] == ["first", "second"]
    assert [item.code for item in checked.warnings] == ["EC1171"]
    assert checked.source.text == TWO
    two.write_text(TWO + "task third(): Int { x }", encoding="utf-8")
    with pytest.raises(SourceErrors):
        check_source(two)
    two.write_text(TWO + "task third(): Int { repeat 1000000000 with x = 0 { x } }", encoding="utf-8")
    with pytest.raises(ExpansionRefused):
        check_source(two)
    assert load_program(two, task="second").task == "second"


def test_core_programs_are_taken_too(two: Path, tmp_path: Path) -> None:
    program = load_program(two, task="second")
    path = tmp_path / "second.json"
    path.write_text(f"\n {program_text(program)}", encoding="utf-8")
    again = load_program(path)
    assert program_ref(again) == program_ref(program)
    assert load_program(path, task="second").task == "second"
    assert [name for name, _ in check_source(path).programs] == ["second"]
    assert refused(path, "first", {"a": 1}) == [
        ("EC1302", "there is no task `first` in this core program", "its task is `second`"),
        (
            "EC1304",
            "a core program has no parameter `a`",
            "a core program is closed: give the arguments when it is made from its source",
        ),
    ]


def test_core_programs_that_are_malformed(two: Path, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"format": 1.5}', encoding="utf-8")
    with pytest.raises(SourceErrors) as found:
        load_program(path)
    (told,) = found.value.diagnostics
    assert told.code == "EC4001"
    assert told.span is not None
    assert (told.span.line, told.span.column) == (1, 12)
    # A perform without its checks.
    text = program_text(load_program(two, task="second"), annotations=False)
    path.write_text(text.replace('{"check":"int","of":{"var":0}}', '{"var":0}'), encoding="utf-8")
    with pytest.raises(SourceErrors) as found:
        check_source(path)
    assert {item.code for item in found.value.diagnostics} == {"EC4001"}


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceErrors) as found:
        load_program(tmp_path / "missing.ecl")
    assert [item.code for item in found.value.diagnostics] == ["EC0001"]
