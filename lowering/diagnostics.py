"""Diagnostics: what is wrong with a source, where, and how to mend it.

A function of this package that can fail on the user's input either returns its value or raises
`SourceErrors`. One that can find several errors collects them in `Diagnostics` and raises at its end.
Rendering, for people and for machines, is in `rendering`; the codes and their pages are in `codes`.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from collections.abc import Iterable

import attrs

from eclogue.core.errors import CannotHappen, EclogueError
from eclogue.core.syntax import Span
from eclogue.lowering.codes import CODES

# ------------------------------------------------------------------------------------------------
# Source texts

BYTE_ORDER_MARK = "\ufeff"
_LINE_END = re.compile(r"\r\n|\r|\n")


def _without_mark(text: str) -> str:
    return text.removeprefix(BYTE_ORDER_MARK)


@attrs.frozen
class SourceText:
    """The text of a source and the name to report it by.

    A leading byte order mark is not part of the text. Lines end at LF, CRLF or a lone CR, and at nothing
    else; lines and columns count from 1, columns in characters (a tab is one).
    """

    name: str
    text: str = attrs.field(converter=_without_mark, repr=False)
    line_starts: tuple[int, ...] = attrs.field(init=False, eq=False, repr=False)
    """The offset of each line's first character."""

    @line_starts.default
    def _find_lines(self) -> tuple[int, ...]:
        return (0, *(match.end() for match in _LINE_END.finditer(self.text)))

    def line(self, number: int) -> str:
        """Return a line without its end; raises `IndexError` if there is no such line."""
        if not 1 <= number <= len(self.line_starts):
            raise IndexError(number)
        start = self.line_starts[number - 1]
        if number == len(self.line_starts):
            return self.text[start:]
        return self.text[start : self.line_starts[number]].rstrip("\r\n")

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of the character at an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column."""
        return self.line_starts[line - 1] + column - 1

    def span(self, start: int, end: int) -> Span:
        """Return the span of a half-open range of offsets."""
        return Span(*self.position(start), *self.position(end))

    def excerpt(self, span: Span) -> str:
        """Return the text that a span covers."""
        return self.text[self.offset(span.line, span.column) : self.offset(span.end_line, span.end_column)]


# ------------------------------------------------------------------------------------------------
# Diagnostics

MAX_REPORTED = 20
"""A pass that goes on after errors stops when it has found this many."""


class Severity(enum.Enum):
    """An error leaves nothing to go on with; a warning does not stop anything."""

    ERROR = "error"
    WARNING = "warning"


def _known_code(_instance: object, _attribute: object, code: str) -> None:
    if code not in CODES:
        raise CannotHappen(f"the diagnostic code {code} is not in the table")


@attrs.frozen
class Diagnostic:
    """One thing to tell about a source.

    `span` is None where the whole file is meant. `notes` are further remarks, each with a place of its
    own or None. `hint` says how to mend it. Messages begin in lower case, quote source text in backticks
    and have no full stop.
    """

    code: str = attrs.field(validator=_known_code)
    severity: Severity
    message: str
    span: Span | None
    notes: tuple[tuple[Span | None, str], ...] = ()
    hint: str | None = None


class SourceErrors(EclogueError):
    """A source that cannot be used: one or more diagnostics, at least one of them an error.

    `source` is the text that their spans are about, where the raiser had it.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], source: SourceText | None = None) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        self.source = source
        super().__init__("; ".join(f"{item.code}: {item.message}" for item in self.diagnostics))


class Diagnostics:
    """Collects diagnostics while a pass goes on after an error."""

    def __init__(self, source: SourceText | None = None) -> None:
        self.source = source
        self.items: list[Diagnostic] = []

    def error(
        self,
        code: str,
        message: str,
        span: Span | None,
        *,
        notes: tuple[tuple[Span | None, str], ...] = (),
        hint: str | None = None,
    ) -> None:
        """Add an error."""
        self.items.append(Diagnostic(code, Severity.ERROR, message, span, notes, hint))

    def warning(
        self,
        code: str,
        message: str,
        span: Span | None,
        *,
        notes: tuple[tuple[Span | None, str], ...] = (),
        hint: str | None = None,
    ) -> None:
        """Add a warning."""
        self.items.append(Diagnostic(code, Severity.WARNING, message, span, notes, hint))

    @property
    def has_errors(self) -> bool:
        """Whether any of them is an error."""
        return any(item.severity is Severity.ERROR for item in self.items)

    def in_order(self) -> tuple[Diagnostic, ...]:
        """Return them in the order of their places, those about the whole file first."""
        return tuple(sorted(self.items, key=_place))

    def raise_errors(self) -> None:
        """Raise `SourceErrors` with everything collected, if any of it is an error."""
        if self.has_errors:
            raise SourceErrors(self.in_order(), self.source)


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    span = diagnostic.span
    return (0, 0) if span is None else (span.line, span.column)


# ------------------------------------------------------------------------------------------------
# Suggestions

_LONGEST_SUGGESTION = 60


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate nearest to a misspelt name, or None if none is near.

    Near means: at most one edit for each three characters, an edit being a character inserted, left out
    or replaced, two neighbours exchanged, or any change of case. Of equally near ones the first in
    alphabetical order is taken.
    """
    best: tuple[int, str] | None = None
    for candidate in candidates:
        bound = max(1, max(len(name), len(candidate)) // 3)
        if abs(len(name) - len(candidate)) > bound or len(candidate) > _LONGEST_SUGGESTION:
            continue
        if candidate.casefold() == name.casefold():
            distance = int(candidate != name)
        else:
            distance = _edits(name, candidate)
        if distance <= bound and candidate != name and (best is None or (distance, candidate) < best):
            best = (distance, candidate)
    return None if best is None else best[1]


def _edits(left: str, right: str) -> int:
    """Return the edit distance of two words, exchanged neighbours counted once."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        last, row, before = before, [i], row
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
