"""Tokens of Lean source text, as far as an audit needs them: words and symbols, no comments, no strings.

Knows line comments, nested block comments (documentation included), strings with escapes and gaps, raw
strings, character literals, and identifiers with primes, subscripts and `«»`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from eclogue.core.errors import EclogueError


class LeanSyntaxError(EclogueError):
    """Source text that ends inside a comment or a string, or whose header is not of the plain form."""


@attrs.frozen
class Token:
    """A word (an identifier, keyword or number) or one other character; `line` counts from 1."""

    text: str
    line: int
    is_word: bool


# In Lean λ, Π and Σ are symbols and a number ends where a letter begins: else a keyword could hide here.
_LETTER = r"[^\W\dλΠΣ]"
_WORD_START = rf"(?:{_LETTER}|«[^»\n]*»)"
_WORD_REST = rf"(?:{_LETTER}|[\d'!?₀-₉ₐ-ₜᵢ-ᵪⱼ])"
_IDENTIFIER = rf"{_WORD_START}{_WORD_REST}*(?:\.{_WORD_START}{_WORD_REST}*)*"
_NUMBER = r"0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?"
_SCANNER = re.compile(
    rf"""
    (?P<space>\s+)
  | (?P<line_comment>--[^\n]*)
  | (?P<block_comment>/-)
  | (?P<raw_string>r(?P<hashes>\#*)")
  | (?P<string>")
  | (?P<character>'(?:\\(?:x[0-9a-fA-F]{{2}}|u[0-9a-fA-F]{{4}}|.)|[^\\'\n])')
  | (?P<word>{_IDENTIFIER}|{_NUMBER})
  | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/-|-/")
_STRING_REST = re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a source text. Raises `LeanSyntaxError` if a comment or string does not end."""
    line, counted = 1, 0
    for kind, start, end in _pieces(text):
        if kind in ("word", "symbol"):
            line += text.count("\n", counted, start)
            counted = start
            yield Token(text[start:end], line, kind == "word")


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of every piece of the text, comments and blanks included."""
    position = 0
    while position < len(text):
        match = _SCANNER.match(text, position)
        assert match is not None
        assert match.lastgroup is not None
        kind, start = match.lastgroup, position
        if kind == "block_comment":
            position = _end_of_comment(text, match.end())
        elif kind == "string":
            position = _end(_STRING_REST.match(text, match.end()), text, start, "string")
        elif kind == "raw_string":
            closing = re.compile(re.escape('"' + match["hashes"]))
            position = _end(closing.search(text, match.end()), text, start, "string")
        else:
            position = match.end()
        yield kind, start, position


def _end_of_comment(text: str, position: int) -> int:
    start, depth = position, 1
    while depth:
        edge = _COMMENT_EDGE.search(text, position)
        position = _end(edge, text, start, "comment")
        depth += 1 if text[position - 2 : position] == "/-" else -1
    return position


def _end(match: re.Match[str] | None, text: str, start: int, what: str) -> int:
    if match is None:
        line = text.count("\n", 0, start) + 1
        raise LeanSyntaxError(f"line {line}: this {what} does not end")
    return match.end()
