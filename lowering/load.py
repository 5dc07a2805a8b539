"""From a file to programs, whether it is a source (`.ecl`) or a core program as JSON.

Which of the two it is shows in its first character: a program as JSON begins with `{`, and no source does.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs

from eclogue.core import encoding
from eclogue.core.errors import MalformedInput
from eclogue.core.syntax import Program
from eclogue.core.values import Value
from eclogue.lowering.diagnostics import Diagnostic, Diagnostics, Severity, SourceErrors, SourceText
from eclogue.lowering.lower import lower_every_task, lower_task
from eclogue.lowering.parser import parse
from eclogue.lowering.reading import read_source


@attrs.frozen(eq=False)
class Checked:
    """A file without errors."""

    source: SourceText
    warnings: tuple[Diagnostic, ...]
    programs: tuple[tuple[str | None, Program], ...]
    """Each task by its name, with null for every argument; a core program by the name it gives, if any."""


def load_program(
    path: str | Path, *, task: str | None = None, arguments: Mapping[str, Value] | None = None
) -> Program:
    """Return the program in a file: of a source the task that is meant, with its arguments.

    A core program is what it is: `task` can only confirm its name, and it takes no arguments. Raises
    `SourceErrors` (`ExpansionRefused` where that is all), and `LimitExceeded` for a core program too large.
    """
    return program_in(read_source(path), task=task, arguments=arguments)


def program_in(
    source: SourceText, *, task: str | None = None, arguments: Mapping[str, Value] | None = None
) -> Program:
    """Return the program that a file's text has, as `load_program`; raises as that."""
    given = {} if arguments is None else arguments
    if not _is_document(source):
        return lower_task(parse(source), source, task, given)
    program = _core_program(source)
    diagnostics = Diagnostics(source)
    if task is not None and task != program.task:
        known = f"its task is `{program.task}`" if program.task else "leave the task out"
        diagnostics.error("EC1302", f"there is no task `{task}` in this core program", None, hint=known)
    for name in given:
        hint = "a core program is closed: give the arguments when it is made from its source"
        diagnostics.error("EC1304", f"a core program has no parameter `{name}`", None, hint=hint)
    diagnostics.raise_errors()
    return program


def check_source(path: str | Path) -> Checked:
    """Return what a file holds, all of it checked; raises as `load_program`."""
    source = read_source(path)
    if _is_document(source):
        program = _core_program(source)
        return Checked(source, (), ((program.task, program),))
    warnings, programs = lower_every_task(parse(source), source)
    return Checked(source, warnings, tuple((program.task, program) for program in programs))


def _is_document(source: SourceText) -> bool:
    return source.text.lstrip()[:1] == "{"


def _core_program(source: SourceText) -> Program:
    """Return the program in a JSON document (`program.json`); raises `SourceErrors` (EC4001)."""
    try:
        return encoding.load_program(source.text)
    except MalformedInput as error:
        raise SourceErrors((_malformed(error, source),), source) from None


def _malformed(error: MalformedInput, source: SourceText) -> Diagnostic:
    span = None
    if error.offset is not None:
        start = min(error.offset, len(source.text))
        span = source.span(start, min(start + 1, len(source.text)))
    message, *others = error.message.split("\n")
    notes = tuple((None, other) for other in others)
    return Diagnostic("EC4001", Severity.ERROR, message, span, notes)
