"""The two grammars that colour: they know the language's words, and split a source where its lexer does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace
from strategies import for_seeds
from support.directed_surface import DirectedSurface

from eclogue.lowering.diagnostics import Diagnostics, SourceText
from eclogue.lowering.highlighting import BUILT_IN_TYPES, EclogueLexer
from eclogue.lowering.lexer import tokenize
from eclogue.lowering.tables import INTEGER, NAME, TEXT, tables

ROOT = Path(__file__).resolve().parents[2]
VSCODE = ROOT / "docs" / "editors" / "vscode"
EXAMPLES = sorted((ROOT / "examples").glob("*.ecl"))
WORDS = tables("file").keywords


def coloured(text: str) -> list[tuple[int, object, str]]:
    """Return the tokens that are seen: offset, colour and text; the pieces of one text are joined."""
    found: list[tuple[int, object, str]] = []
    for offset, kind, piece in EclogueLexer(ensurenl=False, stripnl=False).get_tokens_unprocessed(text):
        assert kind is not Error, (offset, piece)
        if kind in Whitespace or kind in Comment:
            continue
        if kind in String and found and found[-1][1] is String and not _closed(found[-1][2]):
            found[-1] = (found[-1][0], String, found[-1][2] + piece)
        else:
            found.append((offset, String if kind in String else kind, piece))
    return found


def _closed(text: str) -> bool:
    return re.fullmatch(r'"(?:[^"\\]|\\.)*"', text) is not None


def fits(kind: str, colour: object) -> bool:
    """Whether a token of this kind may have this colour."""
    if kind == NAME:
        return colour in Name
    if kind == INTEGER:
        return colour in Number
    if kind == TEXT:
        return colour is String
    if kind in WORDS:
        # A keyword may be the name of a field, and then is coloured as a keyword too.
        return colour in Keyword or colour in Operator or colour in Name
    return colour in Punctuation or colour in Operator


def check(text: str) -> None:
    tokens = tokenize(SourceText("test.ecl", text), tables("file"), Diagnostics())
    expected = [(tokens.starts[i], tokens.kinds[i], tokens.text(i)) for i in range(len(tokens.kinds) - 1)]
    found = coloured(text)
    assert [(start, piece) for start, _, piece in expected] == [(start, piece) for start, _, piece in found]
    for (_, kind, piece), (_, colour, _) in zip(expected, found, strict=True):
        assert fits(kind, colour), (kind, colour, piece)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_split_as_the_language_splits_them(path: Path) -> None:
    check(path.read_text(encoding="utf-8"))


def test_generated_sources_are_split_as_the_language_splits_them() -> None:
    for_seeds(100, lambda seed: check(DirectedSurface(Random(seed)).text(30)))


def test_pygments_finds_the_lexer_by_name_and_by_file() -> None:
    assert get_lexer_by_name("eclogue").name == "Eclogue"
    assert get_lexer_for_filename("repair.ecl").name == "Eclogue"


def test_what_is_no_token_is_marked_and_the_rest_goes_on() -> None:
    kinds = [kind for _, kind, _ in EclogueLexer().get_tokens_unprocessed('let x = "open\nlet y = @;')]
    assert kinds.count(Error) == 1
    assert kinds.count(Keyword) == 2


def test_the_textmate_grammar_knows_every_word_of_the_language() -> None:
    grammar = json.loads((VSCODE / "eclogue.tmLanguage.json").read_text(encoding="utf-8"))
    known = set()
    for entry in grammar["repository"].values():
        for pattern in entry.get("patterns", [entry]):
            match = re.fullmatch(r"\\b\(\?:([A-Za-z|]+)\)\\b", pattern.get("match", ""))
            if match:
                known |= set(match[1].split("|"))
    assert known == set(WORDS) | set(BUILT_IN_TYPES)
    assert {part["include"][1:] for part in grammar["patterns"]} == set(grammar["repository"])


def test_the_extension_names_files_that_are_there() -> None:
    package = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))
    contributed = package["contributes"]
    paths = [item["configuration"] for item in contributed["languages"]]
    paths += [item["path"] for item in contributed["grammars"]]
    for path in paths:
        json.loads((VSCODE / path).read_text(encoding="utf-8"))
