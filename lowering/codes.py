"""The codes of diagnostics, and their pages.

Every code has a title here and a page in `pages/CODE.md`, which `eclogue explain CODE` prints. Codes are
never used again for something else.
"""

from __future__ import annotations

from importlib.resources import files

_SYNTAX: dict[str, str] = {
    # Files
    "EC0001": "file not found",
    "EC0002": "a directory where a file is wanted",
    "EC0003": "the file cannot be read",
    "EC0004": "the file is not UTF-8",
    "EC0005": "the file is too large",
    "EC0006": "the file has no task",
    # Characters and words
    "EC0101": "a character that is not part of the language",
    "EC0102": "a text that does not end on its line",
    "EC0103": "an unknown escape in a text",
    "EC0104": "an escape that is no Unicode scalar",
    "EC0105": "a float",
    "EC0106": "a malformed number",
    "EC0107": "a number with too many digits",
    "EC0108": "a reserved word as a name",
    "EC0109": "an invisible character that reorders text",
    # Syntax
    "EC0201": "something else was expected here",
    "EC0202": "a missing semicolon",
    "EC0203": "a statement after the end of a block",
    "EC0204": "comparisons in a row",
    "EC0205": "nested too deeply",
    "EC0206": "a bracket that is not closed",
    "EC0207": "a bracket that closes nothing",
    "EC0208": "a computation inside an expression",
}

_NAMES_AND_SCHEMAS: dict[str, str] = {}

_EFFECTS_AND_HANDLERS: dict[str, str] = {}

_EXPANSION: dict[str, str] = {}

_DOCUMENTS: dict[str, str] = {}

CODES: dict[str, str] = {
    **_SYNTAX,
    **_NAMES_AND_SCHEMAS,
    **_EFFECTS_AND_HANDLERS,
    **_EXPANSION,
    **_DOCUMENTS,
}
"""Code to title: EC0… files and syntax, EC1… names and schemas, EC2… effects and handlers, EC3… expansion,
EC4… documents in JSON."""


def page(code: str) -> str:
    """Return the page of a code, in Markdown; raises `KeyError` for a code that does not exist."""
    if code not in CODES:
        raise KeyError(code)
    return (files("eclogue.lowering") / "pages" / f"{code}.md").read_text(encoding="utf-8")
