"""From text to tokens: the terminals of `grammar.lark`, with their places, and the comments between them.

What is no token of the language is a diagnostic, and as far as one can see what was meant a token stands in
for it, so that the parser can go on.
"""

from __future__ import annotations

import functools
import re
from array import array

import attrs

from eclogue.core.syntax import Span
from eclogue.lowering.ast import Comment
from eclogue.lowering.diagnostics import MAX_REPORTED, Diagnostics, SourceText
from eclogue.lowering.spelling import (
    MAX_DIGITS,
    REORDERING,
    Problem,
    bad_escapes,
    number,
    reordering,
    stray,
    text_literal,
    too_many_digits,
)
from eclogue.lowering.tables import END, INTEGER, NAME, TEXT, Tables


@attrs.frozen(eq=False)
class Tokens:
    """The tokens of a source, side by side: kind, offsets of start and end, line; the last is `END`."""

    source: SourceText
    kinds: list[str] = attrs.field(factory=list)
    starts: array[int] = attrs.field(factory=lambda: array("q"))
    ends: array[int] = attrs.field(factory=lambda: array("q"))
    lines: array[int] = attrs.field(factory=lambda: array("q"))
    comments: list[Comment] = attrs.field(factory=list)

    def text(self, index: int) -> str:
        """Return a token as it was written."""
        return self.source.text[self.starts[index] : self.ends[index]]

    def span(self, first: int, last: int) -> Span:
        """Return the span from the start of one token to the end of another."""
        starts = self.source.line_starts
        line = self.lines[first]
        end_line = self.lines[last]
        return Span(
            line,
            self.starts[first] - starts[line - 1] + 1,
            end_line,
            self.ends[last] - starts[end_line - 1] + 1,
        )


def tokenize(source: SourceText, tables: Tables, diagnostics: Diagnostics) -> Tokens:
    """Return the tokens of a source; what is none is reported to `diagnostics`. Linear in the text."""
    return _Lexer(source, tables, diagnostics).run()


@functools.cache
def _pattern(tables: Tables) -> re.Pattern[str]:
    """Return the pattern of one token, white space before it included; each alternative is a group."""
    marks = "|".join(re.escape(mark) + _NOT_A_COMMENT.get(mark, "") for mark in tables.marks)
    groups = {
        NAME: tables.patterns[NAME],
        "MARK": marks,
        INTEGER: tables.patterns[INTEGER],
        TEXT: tables.patterns[TEXT],
        "COMMENT": r"#[^\r\n]*",
        "STRAY": r"[^ \t\r\n\f]",
    }
    body = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in groups.items())
    return re.compile(rf"[ \t\r\n\f]*(?:{body})")


_NOT_A_COMMENT = {"/": "(?![/*])"}


class _Lexer:
    def __init__(self, source: SourceText, tables: Tables, diagnostics: Diagnostics) -> None:
        self.source = source
        self.tables = tables
        self.diagnostics = diagnostics
        self.tokens = Tokens(source)
        self.line_starts = (*source.line_starts, len(source.text) + 1)
        self.line = 1

    def run(self) -> Tokens:
        position: int | None = 0
        while position is not None:
            position = self._scan(position)
        end = len(self.source.text)
        self._add(END, end, end)
        return self.tokens

    def _scan(self, position: int) -> int | None:
        """Read tokens up to the end, or past something that wants a closer look; return where to go on."""
        keywords = self.tables.keywords
        line_starts = self.line_starts
        line = self.line
        next_line = line_starts[line]
        add_kind = self.tokens.kinds.append
        add_start = self.tokens.starts.append
        add_end = self.tokens.ends.append
        add_line = self.tokens.lines.append
        for match in _pattern(self.tables).finditer(self.source.text, position):
            kind = match.lastgroup
            assert kind is not None
            start, end = match.span(kind)
            while start >= next_line:
                line += 1
                next_line = line_starts[line]
            if kind == NAME:
                word = match[kind]
                if word in keywords:
                    kind = word
                elif not word.isascii() and not word.isidentifier():
                    return self._at(line, self._bad_name(start, word))
            elif kind == "MARK":
                kind = match[kind]
            elif kind == "COMMENT":
                self._comment(line, start, end)
                continue
            elif kind == "STRAY":
                return self._at(line, self._stray(start))
            elif kind == INTEGER:
                if end - start > MAX_DIGITS:
                    self._report(too_many_digits(start, end))
            elif "\\u" in match[kind]:
                self._report(*bad_escapes(self.source.text, start, end))
            add_kind(kind)
            add_start(start)
            add_end(end)
            add_line(line)
        return None

    def _at(self, line: int, position: int) -> int:
        self.line = line
        return position

    def _add(self, kind: str, start: int, end: int) -> None:
        self.tokens.kinds.append(kind)
        self.tokens.starts.append(start)
        self.tokens.ends.append(end)
        self.tokens.lines.append(self.source.position(start)[0])

    def _report(self, *problems: Problem) -> None:
        for problem in problems:
            span = self.source.span(problem.start, problem.end)
            self.diagnostics.error(problem.code, problem.message, span, hint=problem.hint)
        if len(self.diagnostics.items) >= MAX_REPORTED:
            self.diagnostics.raise_errors()

    def _comment(self, line: int, start: int, end: int) -> None:
        text = self.source.text[start:end]
        lines = self.tokens.lines
        alone = not lines or lines[-1] != line
        self.tokens.comments.append(Comment(text, span=self.source.span(start, end), alone=alone))
        if not text.isascii():
            self._report(*(reordering(m[0], start + m.start()) for m in REORDERING.finditer(text)))

    def _stray(self, start: int) -> int:
        """Report what begins no token, put a token in its place if there is one; return where it ends."""
        text = self.source.text
        if text[start] == '"':
            found = text_literal(text, start)
        elif text[start] in "0123456789":
            found = number(text, start)
        else:
            found = stray(text, start, self.tables.marks)
        self._report(*found.problems)
        if found.kind is not None:
            self._add(found.kind, start, found.end)
        return found.end

    def _bad_name(self, start: int, word: str) -> int:
        """Keep the beginning of a word that is a name, and report what cannot be part of one."""
        good = 0
        while good < len(word) and ("a" * (good > 0) + word[good]).isidentifier():
            good += 1
        if good == 0:
            return self._stray(start)
        name = word[:good]
        self._add(name if name in self.tables.keywords else NAME, start, start + good)
        return self._stray(start + good)
