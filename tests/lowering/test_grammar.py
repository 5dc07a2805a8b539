"""The grammar itself: no conflicts, a method for each rule, the reserved words."""

from __future__ import annotations

import logging

import lark
import pytest

from eclogue.lowering.builder import SurfaceBuilder, methods
from eclogue.lowering.core_reader import CoreBuilder
from eclogue.lowering.diagnostics import Diagnostics, SourceText
from eclogue.lowering.formatter import LayoutBuilder
from eclogue.lowering.lexer import Tokens
from eclogue.lowering.tables import Reduction, grammar_text, tables

NO_TOKENS = Tokens(SourceText("nothing", ""))


def conflicts(grammar: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what Lark says of conflicts that it resolves; it raises an error for the others."""
    caplog.set_level(logging.DEBUG, logger=lark.logger.name)
    caplog.clear()
    lark.logger.propagate = True
    lark.logger.setLevel(logging.DEBUG)
    try:
        lark.Lark(grammar, parser="lalr", start=["file", "core"], debug=True)
    finally:
        lark.logger.setLevel(logging.CRITICAL)
    return [message for message in caplog.messages if "onflict" in message or "ollision" in message]


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    assert conflicts(grammar_text(), caplog) == []


def test_a_conflict_would_be_noticed(caplog: pytest.LogCaptureFixture) -> None:
    ambiguous = grammar_text().replace("?sum: product |", "?sum: product | sum sum |")
    assert conflicts(ambiguous, caplog) != []


def actions(start: str) -> set[str]:
    reductions = (action for row in tables(start).actions for action in row.values())
    return {
        item.action
        for item in reductions
        if isinstance(item, Reduction) and not item.transparent and not item.repeated
    }


@pytest.mark.parametrize(
    ("start", "builder"),
    [
        ("file", SurfaceBuilder(NO_TOKENS, Diagnostics())),
        ("file", LayoutBuilder(NO_TOKENS)),
        ("core", CoreBuilder(NO_TOKENS, Diagnostics())),
    ],
    ids=["surface", "layout", "core"],
)
def test_builders_have_a_method_for_each_rule_and_no_other(start: str, builder: object) -> None:
    assert set(methods(builder)) == actions(start)


RESERVED = """
List abort and answer compensable ctl def do effect else false for fun handle handler if in irreversible let
not null or perform repeat resume return reversible task then true type while with
"""


def test_the_reserved_words() -> None:
    assert tables("file").keywords == set(RESERVED.split())
    assert tables("core").keywords - tables("file").keywords == {"check", "lit", "operation"}
