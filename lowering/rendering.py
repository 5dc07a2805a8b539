"""Diagnostics as text for people and as JSON for machines.

The text form names the place so that a terminal or an editor can jump to it, shows the source line and
marks the span under it:

    repair.ecl:3:11: error[EC0201]: expected an expression, found `;`
      3 |   let x = ;
        |           ^
      hint: …
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from eclogue.core.syntax import Span
from eclogue.lowering.diagnostics import Diagnostic, SourceText

if TYPE_CHECKING:
    from rich.text import Text

TAB_STOP = 4
WIDTH = 100
"""The most cells of a source line that are shown; a longer line is cut at both ends."""
_BEFORE = 40
"""How many characters before a span stay when its line is cut."""
_ELLIPSIS = "…"
_REPLACEMENT = "\ufffd"

_STYLES = {
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "hint": "bold green",
    "place": "bold",
    "margin": "blue",
}

_Piece = tuple[str, str]
"""A style, or nothing, and some text."""


def render(diagnostic: Diagnostic, source: SourceText) -> str:
    """Return a diagnostic as plain text, in several lines, without a line end behind the last."""
    return "".join(text for _, text in _pieces(diagnostic, source))


def render_all(diagnostics: Iterable[Diagnostic], source: SourceText) -> str:
    """Return diagnostics as plain text, with an empty line between two."""
    return "\n\n".join(render(diagnostic, source) for diagnostic in diagnostics)


def styled(diagnostic: Diagnostic, source: SourceText) -> Text:
    """Return the same text as `render`, in colours, for rich to print."""
    from rich.text import Text

    return Text.assemble(*((text, _STYLES.get(style, "")) for style, text in _pieces(diagnostic, source)))


def to_json(diagnostic: Diagnostic, source: SourceText) -> dict[str, Any]:
    """Return a diagnostic as JSON data; lines and columns are null where the whole file is meant."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "file": source.name,
        **_place(diagnostic.span),
        "notes": [{"message": text, **_place(span)} for span, text in diagnostic.notes],
        "hint": diagnostic.hint,
        "page": f"eclogue explain {diagnostic.code}",
    }


def _place(span: Span | None) -> dict[str, int | None]:
    if span is None:
        return dict.fromkeys(("line", "column", "end_line", "end_column"))
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


# ------------------------------------------------------------------------------------------------
# Lines of text


def _pieces(diagnostic: Diagnostic, source: SourceText) -> Iterator[_Piece]:
    severity = diagnostic.severity.value
    margin = _margin(diagnostic)
    yield "place", f"{visible(source.name)}{_at(diagnostic.span)}: "
    yield severity, f"{severity}[{diagnostic.code}]"
    yield "", f": {visible(diagnostic.message)}"
    yield from _excerpt(source, diagnostic.span, margin, "^", severity)
    for span, text in diagnostic.notes:
        yield "", "\n"
        if span is not None:
            yield "place", f"{visible(source.name)}{_at(span)}: "
        yield "note", "note"
        yield "", f": {visible(text)}"
        yield from _excerpt(source, span, margin, "-", "note")
    if diagnostic.hint is not None:
        yield "hint", "\n  hint"
        yield "", f": {visible(diagnostic.hint)}"


def _at(span: Span | None) -> str:
    return "" if span is None else f":{span.line}:{span.column}"


def _margin(diagnostic: Diagnostic) -> int:
    """Return the width of the widest line number that will be shown."""
    spans = [diagnostic.span, *(span for span, _ in diagnostic.notes)]
    return max((len(str(span.line)) for span in spans if span is not None), default=1)


def _excerpt(source: SourceText, span: Span | None, margin: int, mark: str, style: str) -> Iterator[_Piece]:
    """Yield the line where a span begins, and the marks under it."""
    if span is None or span.line > len(source.line_starts):
        return
    line = source.line(span.line)
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    shown, left, width = _window(line, start, max(start, min(end, len(line))))
    yield "margin", f"\n  {span.line:>{margin}} |"
    yield "", f" {shown}".rstrip()
    yield "margin", f"\n  {'':>{margin}} | "
    yield style, " " * left + mark * max(1, width)


def _window(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Return what to show of a line, and where in it, in cells, a range begins and how wide it is."""
    first = 0 if len(line) <= WIDTH else max(0, min(start - _BEFORE, len(line) - WIDTH + 1))
    shown: list[str] = [_ELLIPSIS] if first else []
    cells = len(shown)
    left, right = cells, None
    for position in range(first, len(line)):
        if position == start:
            left = cells
        if position == end:
            right = cells
        if cells >= WIDTH:
            shown.append(_ELLIPSIS)
            cells += 1
            break
        text, width = _shown(line[position], cells)
        shown.append(text)
        cells += width
    else:
        left = cells if start >= len(line) else left
    right = cells if right is None else right
    return "".join(shown), left, right - left


def _shown(char: str, column: int) -> _CharacterCells:
    """Return a character as it is shown at a column, and its width in cells."""
    if char == "\t":
        width = TAB_STOP - column % TAB_STOP
        return " " * width, width
    if not char.isprintable():
        return _REPLACEMENT, 1
    if unicodedata.category(char) in ("Mn", "Me"):
        return char, 0
    return char, 2 if unicodedata.east_asian_width(char) in "WF" else 1


_CharacterCells = tuple[str, int]


def visible(text: str) -> str:
    """Return text that is safe to print: what cannot be seen is replaced, and tabs are spaces."""
    if text.isprintable():
        return text
    return "".join(_shown(char, 0)[0] if char != "\t" else " " for char in text)
