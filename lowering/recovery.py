"""After a syntax error: report it, and find a place to go on from.

Small slips are mended where they stand: a token is put in, taken out or read as another, and the parser
goes on as if it had been written so. Otherwise everything up to the end of the statement, clause, operation
or declaration is skipped. What is parsed after an error is looked at for more errors and never used.
"""

from __future__ import annotations

from typing import Any, NoReturn

import attrs

from eclogue.lowering.diagnostics import MAX_REPORTED, Diagnostics
from eclogue.lowering.expectations import COMPUTATIONS, ENDINGS, TIERS, expected
from eclogue.lowering.lexer import Tokens
from eclogue.lowering.situation import CLOSERS, OPENERS, Mend, Situation, is_declaration
from eclogue.lowering.syntax_errors import explain
from eclogue.lowering.tables import END, Tables


@attrs.frozen
class _Frame:
    """An open construct that is made of separate parts.

    `height` is that of the stack between two parts, `beginnings` are tokens that begin one, and
    `semicolons` tells whether they may end in a semicolon.
    """

    height: int
    beginnings: frozenset[str]
    semicolons: bool


_KINDS_OF_FRAMES: tuple[tuple[str, frozenset[str], bool], ...] = (
    ("let", ENDINGS | COMPUTATIONS, True),
    ("ctl", frozenset({"ctl", "fun"}), False),
    ("reversible", TIERS, False),
)
"""For blocks, handlers and effects, a token that may stand first in them; then as in `_Frame`."""


class Recovery:
    """The parser's helper in trouble; it shares the parser's tokens and stacks, and changes them in place.

    Without `go_on` the first error ends the parse.
    """

    def __init__(
        self,
        grammar: Tables,
        tokens: Tokens,
        states: list[int],
        values: list[Any],
        diagnostics: Diagnostics,
        *,
        go_on: bool,
    ) -> None:
        self._grammar = grammar
        self._tokens = tokens
        self._states = states
        self._values = values
        self._diagnostics = diagnostics
        self._go_on = go_on
        self._quiet_lines = {item.span.line for item in diagnostics.items if item.span is not None}
        self._resumed_at = -1

    def open_brackets(self, height: int = 0) -> tuple[int, ...]:
        """Return the opening brackets on the stack from a height on, as tokens, outermost first."""
        return tuple(self._values[place] for place in self._open_places() if place >= height)

    def _open_places(self) -> list[int]:
        """Return the heights on the stack of the brackets that are open, outermost first."""
        kinds = self._tokens.kinds
        places: list[int] = []
        for place, value in enumerate(self._values):
            if type(value) is int and kinds[value] in OPENERS:
                places.append(place)
            elif type(value) is int and kinds[value] in CLOSERS:
                places.pop()
        return places

    def nested_too_deeply(self, index: int, bound: int) -> NoReturn:
        """Raise the error for something that nests too deeply, after those found before."""
        self._diagnostics.error(
            "EC0205",
            f"nested too deeply: more than {bound} levels",
            self._tokens.span(index, index),
            hint="give a name to an inner part, by `let` or `def`",
        )
        self._diagnostics.raise_errors()
        raise AssertionError("an error was just added")

    def recover(self, index: int) -> int:
        """Report the token at `index`, which cannot stand there, and return the token to go on from.

        Raises `SourceErrors` where there is no going on.
        """
        frame = self._frame()
        error, mend = explain(self._situation(index, frame))
        if error is not None and self._is_news(index):
            self._diagnostics.items.append(error)
        if not self._go_on or len(self._diagnostics.items) >= MAX_REPORTED:
            self._diagnostics.raise_errors()
        if mend is not None:
            self._mend(index, mend)
            return index
        self._resumed_at = self._skip(index, frame)
        return self._resumed_at

    def _situation(self, index: int, frame: _Frame) -> Situation:
        first = self._values[frame.height] if frame.height < len(self._values) else None
        return Situation(
            grammar=self._grammar,
            tokens=self._tokens,
            index=index,
            states=tuple(self._states),
            values=tuple(self._values),
            openers=self.open_brackets(),
            expected=expected(self._grammar, self._states),
            block=frame.semicolons and not self.open_brackets(frame.height),
            statement=self._tokens.kinds[first] if type(first) is int else None,
        )

    def _is_news(self, index: int) -> bool:
        """Whether an error here is not just an echo of one before."""
        return index != self._resumed_at and self._tokens.lines[index] not in self._quiet_lines

    def _mend(self, index: int, mend: Mend) -> None:
        tokens = self._tokens
        if mend.drop:
            del tokens.kinds[index], tokens.starts[index], tokens.ends[index], tokens.lines[index]
        elif mend.insert:
            end = tokens.ends[index - 1]
            tokens.kinds.insert(index, mend.kind)
            tokens.starts.insert(index, end)
            tokens.ends.insert(index, end)
            tokens.lines.insert(index, tokens.lines[index - 1])
        else:
            tokens.kinds[index] = mend.kind

    # Skipping

    def _frame(self) -> _Frame:
        """Return the innermost open block, handler or effect, else the file."""
        for place in reversed(self._open_places()):
            row = self._grammar.actions[self._states[place]]
            for sign, beginnings, semicolons in _KINDS_OF_FRAMES:
                if sign in row and "then" not in row:  # `then` begins nothing, but may be a record's key
                    return _Frame(self._between_parts(place + 1), beginnings, semicolons)
        return self._file_frame()

    def _between_parts(self, height: int) -> int:
        """Return a height, or one more if the list of the parts so far lies there."""
        return height + (height < len(self._values) and type(self._values[height]) is list)

    def _skip(self, index: int, frame: _Frame) -> int:
        """Drop the part of `frame` that is being read; return the token to go on from."""
        tokens = self._tokens
        open_kinds = [tokens.kinds[token] for token in self.open_brackets(frame.height)]
        while True:
            kind = tokens.kinds[index]
            if kind == END or is_declaration(tokens, index):
                frame = self._file_frame()
                break
            if kind in OPENERS:
                open_kinds.append(kind)
            elif kind in CLOSERS:
                if CLOSERS[kind] in open_kinds:
                    while open_kinds.pop() != CLOSERS[kind]:
                        pass
                elif kind == "}" and frame.height > 2:
                    break
            elif kind == ";" or self._begins(index, frame):
                while open_kinds and open_kinds[-1] != "{":
                    open_kinds.pop()
                if not open_kinds and kind == ";" and frame.semicolons:
                    index += 1
                    break
                if not open_kinds and kind != ";":
                    break
            index += 1
        del self._states[frame.height :], self._values[frame.height :]
        return index

    def _begins(self, index: int, frame: _Frame) -> bool:
        """Whether a part of the frame probably begins at a token, the first on its line."""
        tokens = self._tokens
        return (
            tokens.kinds[index] in frame.beginnings
            and index > 0
            and tokens.lines[index] != tokens.lines[index - 1]
        )

    def _file_frame(self) -> _Frame:
        return _Frame(self._between_parts(1), frozenset(), semicolons=False)
