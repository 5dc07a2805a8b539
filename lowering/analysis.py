"""A source as an editor has it, finished or not: what is wrong with it, and what its names stand for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import attrs

from eclogue.lowering import ast
from eclogue.lowering.diagnostics import Diagnostic, SourceErrors, SourceText
from eclogue.lowering.lower import lower_every_task
from eclogue.lowering.occurrences import Occurrence, Occurrences, occurrences
from eclogue.lowering.parser import parse


@attrs.frozen(eq=False)
class Analysis:
    """What is known of a text; `tree` and `names` are None where it has syntax errors."""

    source: SourceText
    diagnostics: tuple[Diagnostic, ...]
    tree: ast.SourceFile | None

    @cached_property
    def names(self) -> Occurrences | None:
        """What the names stand for."""
        return None if self.tree is None else occurrences(self.tree)


def analyse(source: SourceText) -> Analysis:
    """Return what is known of a text. It raises nothing for what is wrong with it."""
    try:
        tree = parse(source)
    except SourceErrors as errors:
        return Analysis(source, errors.diagnostics, None)
    try:
        diagnostics, _ = lower_every_task(tree, source)
    except SourceErrors as errors:
        diagnostics = errors.diagnostics
    return Analysis(source, diagnostics, tree)


class RenameRefused(Exception):
    """A new name that is none, or that would change what some name stands for."""


def renaming(analysis: Analysis, occurrence: Occurrence, new: str) -> tuple[tuple[Occurrence, str], ...]:
    """Return the occurrences to replace, in order, each with its new text.

    The text that this leads to is looked at: raises `RenameRefused` where it has errors that the old one
    has not, or where any name in it would stand for something else.
    """
    assert analysis.names is not None
    definition = occurrence.definition
    old = definition.name.text
    edits = tuple(
        (item, f"{old}: {new}" if item.shorthand else new) for item in analysis.names.of(definition)
    )
    renamed = analyse(SourceText(analysis.source.name, replaced(analysis.source, edits)))
    if renamed.names is None:
        raise RenameRefused(f"`{new}` cannot be a name here")
    if _binding(renamed.names) != _binding(analysis.names):
        raise RenameRefused(f"with the name `{new}`, a name would stand for something else")
    if len(renamed.diagnostics) > len(analysis.diagnostics):
        raise RenameRefused(f"`{new}` cannot be the name: {_new_message(renamed, analysis)}")
    return edits


def replaced(source: SourceText, edits: Iterable[tuple[Occurrence, str]]) -> str:
    """Return a text with occurrences replaced, which are given in order and do not overlap."""
    parts: list[str] = []
    position = 0
    for occurrence, new in edits:
        span = occurrence.span
        parts += (source.text[position : source.offset(span.line, span.column)], new)
        position = source.offset(span.end_line, span.end_column)
    return "".join((*parts, source.text[position:]))


def _binding(names: Occurrences) -> list[int]:
    """Return for each occurrence, in order, which definition it is of, by the definition's place."""
    places = {id(definition): place for place, definition in enumerate(names.definitions())}
    return [places[id(item.definition)] for item in names.items]


def _new_message(renamed: Analysis, analysis: Analysis) -> str:
    known = {item.message for item in analysis.diagnostics}
    return next((item.message for item in renamed.diagnostics if item.message not in known), "it is taken")
