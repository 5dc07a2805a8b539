"""Where the parser is when it meets a token that cannot stand there, and what may be done about it."""

from __future__ import annotations

from typing import Any

import attrs

from eclogue.core.syntax import Span
from eclogue.lowering.diagnostics import Diagnostic, Severity
from eclogue.lowering.expectations import COMPUTATIONS, DECLARATIONS, ENDINGS, found
from eclogue.lowering.lexer import Tokens
from eclogue.lowering.tables import END, INTEGER, NAME, TEXT, Tables

OPENERS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = {closer: opener for opener, closer in OPENERS.items()}
STATEMENTS = ENDINGS | COMPUTATIONS
VALUES = frozenset({NAME, INTEGER, TEXT, "null", "true", "false", "(", "[", "{", "not"})


@attrs.frozen
class Mend:
    """A change to the tokens after which the parser may go on: by default, read the token as `kind`."""

    kind: str = ""
    insert: bool = False
    drop: bool = False


@attrs.frozen
class Situation:
    """Where the parser is when it meets a token that cannot stand there.

    `openers` are the open brackets, as tokens, outermost first; `block` tells whether the innermost of
    them is a block's brace, and `statement` is the kind of the first token of the statement in that block.
    """

    grammar: Tables
    tokens: Tokens
    index: int
    states: tuple[int, ...]
    values: tuple[Any, ...]
    openers: tuple[int, ...]
    expected: frozenset[str]
    block: bool
    statement: str | None

    @property
    def kind(self) -> str:
        """The kind of the token in the way."""
        return self.tokens.kinds[self.index]

    def before(self, distance: int = 1) -> str:
        """Return the kind of a token before it."""
        return self.tokens.kinds[self.index - distance] if self.index >= distance else END

    def following(self) -> str:
        """Return the kind of the token after it."""
        return self.tokens.kinds[self.index + 1] if self.kind != END else END

    def span(self) -> Span:
        """Return the span of the token in the way."""
        return self.tokens.span(self.index, self.index)

    def found(self) -> str:
        """Return the token in the way, in words."""
        return found(self.tokens, self.index, self.grammar)

    def on_new_line(self) -> bool:
        """Return whether the token is the first on its line."""
        lines = self.tokens.lines
        return self.index == 0 or lines[self.index] != lines[self.index - 1]

    def error(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        *,
        notes: tuple[tuple[Span | None, str], ...] = (),
        hint: str | None = None,
    ) -> Diagnostic:
        """Return an error, by default about the token in the way."""
        return Diagnostic(code, Severity.ERROR, message, span or self.span(), notes, hint)


def is_declaration(tokens: Tokens, index: int) -> bool:
    """Return whether a declaration begins at a token: its words may also be keys of records."""
    kind = tokens.kinds[index]
    if kind not in DECLARATIONS or tokens.kinds[index + 1] != NAME:
        return False
    return tokens.kinds[index - 1] != "." and tokens.kinds[index + 2] in _AFTER_NAME[kind]


_AFTER_NAME = {"effect": "{", "type": "=", "task": "(", "def": "(", "handler": "({"}
