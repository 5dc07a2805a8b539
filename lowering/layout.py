"""Laying out tokens and comments in lines of a limited width.

A document is made of tokens, spaces, places where a line may end, and groups. A group stands on one line,
all its places for line ends being spaces or nothing, or else each of them ends a line. It is broken if it
must be, because it was so in the source or holds a comment, and if it would not fit (Oppen 1980).

Every token of a source is printed once and in order, with the comments around it where they were: those on
lines of their own before the token that follows them, one behind a token at the end of its line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, Union

import attrs

INDENTATION = 2
_DEEPEST_INDENTATION = 80


class _Composite:
    """A part with parts; how comments at its ends and breaks inside it bear on what is around it.

    `before` and `after` tell of a comment before its first and behind its last token, `blank_above` of an
    empty line before all of it; `broken` tells of a line end in it that cannot be avoided.
    """

    __slots__ = ("after", "before", "blank_above", "broken", "parts")

    def __init__(self, parts: Iterable[Part], *, broken: bool = False) -> None:
        self.parts: list[Part] = []
        self.before = False
        self.after = False
        self.blank_above = False
        self.broken = broken
        self.add(parts)

    def add(self, parts: Iterable[Part]) -> None:
        """Add parts at the end."""
        for part in parts:
            if isinstance(part, str):
                self.broken |= self.after
                self.after = False
            else:
                if not self.parts:
                    self.before = part.before
                    self.blank_above = part.blank_above
                else:
                    self.broken |= part.before
                self.broken |= part.broken | self.after
                self.after = part.after
            self.parts.append(part)


class Concatenation(_Composite):
    """Parts one behind the other."""

    __slots__ = ()


class Nest(_Composite):
    """Parts whose lines are indented one step further."""

    __slots__ = ()


class Group(_Composite):
    """Parts that are on one line or broken together.

    `bracketed` tells whether the first and last token are a pair of brackets.
    """

    __slots__ = ("bracketed",)

    def __init__(self, parts: Iterable[Part], *, broken: bool = False, bracketed: bool = False) -> None:
        super().__init__(parts, broken=broken)
        self.bracketed = bracketed


@attrs.frozen
class CommentLine:
    """A comment on a line of its own; `blank` tells whether an empty line goes before it."""

    text: str
    blank: bool


@attrs.frozen
class Token:
    """A token's text and the comments around it.

    `leading` stand before it, each on a line, and `trailing` behind it on its line. `blank` tells of an
    empty line before the token itself, `blank_above` of one before it and all its comments.
    """

    text: str
    leading: tuple[CommentLine, ...] = ()
    trailing: str | None = None
    blank: bool = False
    blank_above: bool = False

    @property
    def before(self) -> bool:
        """Whether comments stand before it."""
        return bool(self.leading)

    @property
    def after(self) -> bool:
        """Whether a comment stands behind it."""
        return self.trailing is not None

    @property
    def broken(self) -> bool:
        """Never: its comments are at its ends."""
        return False


@attrs.frozen
class Comments:
    """Comments on lines of their own with no token behind them."""

    lines: tuple[CommentLine, ...]

    before = True
    after = True
    broken = True
    blank_above = False


@attrs.frozen
class Line:
    """A place for a line end; `flat` stands there if the group is on one line.

    `blank` asks for an empty line. A line end that is `broken` cannot be avoided.
    """

    flat: str = " "
    blank: bool = False
    broken: bool = False

    before = False
    after = False
    blank_above = False


Part: TypeAlias = Union[str, Token, Comments, Line, Concatenation, Nest, Group]


def lay_out(part: Part, width: int) -> str:
    """Return the text of a document in lines of at most `width` characters, where that can be done.

    Takes time linear in the document and the text; does not recurse.
    """
    return _Printer(width).run(part)


class _Printer:
    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[str] = []
        self.line: list[str] = []
        self.margin = 0
        self.column = 0
        self.comment_ends_line = False
        self.pending: list[tuple[int, bool, Part]] = []
        """What is still to be printed: steps of indentation, whether on one line, and the part."""

    def run(self, part: Part) -> str:
        self.pending.append((0, False, part))
        while self.pending:
            indent, flat, item = self.pending.pop()
            if isinstance(item, str):
                self._write(item)
            elif isinstance(item, Token):
                self._token(item, indent)
            elif isinstance(item, Line):
                if flat:
                    self._write(item.flat)
                else:
                    self._end_line(indent, blank=item.blank)
            elif isinstance(item, Comments):
                self._comments(item.lines, indent)
            else:
                if isinstance(item, Nest):
                    indent += 1
                elif isinstance(item, Group):
                    flat = flat or (not item.broken and self._fits(item))
                self.pending.extend((indent, flat, part) for part in reversed(item.parts))
        self._end_line(0)
        return "\n".join(self.lines).strip("\n") + "\n" if any(self.lines) else ""

    def _write(self, text: str) -> None:
        self.line.append(text)
        self.column += len(text)

    def _end_line(self, indent: int, *, blank: bool = False) -> None:
        text = "".join(self.line).rstrip()
        self.lines.append(" " * self.margin + text if text else "")
        if blank:
            self.lines.append("")
        self.line = []
        self.margin = INDENTATION * min(indent, _DEEPEST_INDENTATION)
        self.column = self.margin
        self.comment_ends_line = False

    def _token(self, token: Token, indent: int) -> None:
        if token.leading:
            deeper = self._comments(token.leading, indent)
            self._end_line(deeper, blank=token.blank)
        elif self.comment_ends_line:
            self._end_line(indent + 1)
        self._write(token.text)
        if token.trailing is not None:
            self._write(f"  {token.trailing}")
            self.comment_ends_line = True

    def _comments(self, lines: tuple[CommentLine, ...], indent: int) -> int:
        """Print comments on lines of their own; return the indentation, one step more within a line."""
        if self.line:
            indent += 1
            self._end_line(indent)
        for position, comment in enumerate(lines):
            if position:
                self._end_line(indent, blank=comment.blank)
            self._write(comment.text)
        self.comment_ends_line = True
        return indent

    def _fits(self, group: Group) -> bool:
        """Whether a group fits in the line, with what follows up to the next place for a line end."""
        room = self.width - self.column
        inside: list[Part] = [group]
        while inside:
            item = inside.pop()
            if isinstance(item, _Composite):
                inside.extend(reversed(item.parts))
                continue
            room -= _width(item)
            if room < 0:
                return False
        return group.after or self._rest_fits(room)

    def _rest_fits(self, room: int) -> bool:
        for _, _, item in reversed(self.pending):
            following: list[Part] = [item]
            while following:
                part = following.pop()
                if isinstance(part, (Line, Comments)) or (not isinstance(part, str) and part.before):
                    return True
                if isinstance(part, _Composite):
                    following.extend(reversed(part.parts))
                    continue
                room -= _width(part)
                if room < 0:
                    return False
                if isinstance(part, Token) and part.after:
                    return True
        return True


def _width(part: str | Token | Comments | Line) -> int:
    """Return the width of a part on one line; comments behind a token do not count."""
    if isinstance(part, str):
        return len(part)
    if isinstance(part, Token):
        return len(part.text)
    return len(part.flat) if isinstance(part, Line) else 0
