"""Imported files, from their traces and extra files: the same JSON values that were imported."""

from __future__ import annotations

from collections.abc import Iterator

from eclogue.validator.importers.extra_file import Extra, MovedToRecords
from eclogue.validator.importers.foreign_json import text_of_json


def restored(extra: Extra, moved: MovedToRecords) -> Iterator[tuple[int | None, str]]:
    """Yield the documents of the imported file as JSON on one line each, with the lines that they stood on.

    Raises `MalformedInput` where a template names a record that the trace does not have.
    """
    for line, template in extra.templates:
        yield line, text_of_json(template, moved)
