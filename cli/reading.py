"""Reading the documents that commands take: answers and saved states, with errors that say where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, TypeVar

from eclogue.core.decoding import program_from_value
from eclogue.core.encoding import program_ref
from eclogue.core.errors import MalformedInput
from eclogue.core.limits import Limits
from eclogue.core.outcomes import HostAnswer
from eclogue.core.run import Run
from eclogue.core.saved import embedded_program, load
from eclogue.core.syntax import Program, Span
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceErrors, SourceText
from eclogue.lowering.reading import open_input, read_source
from eclogue.validator.answers import read_answers

T = TypeVar("T")


def refuse(
    code: str, message: str, source: SourceText, span: Span | None, hint: str | None = None
) -> SourceErrors:
    """Return the one-diagnostic error about a document."""
    return SourceErrors([Diagnostic(code, Severity.ERROR, message, span, hint=hint)], source)


def read_document(path: str, code: str, reader: Callable[[str], T], hint: str | None = None) -> T:
    """Return what `reader` makes of a file's text; raises `SourceErrors` with `code` where it cannot."""
    return document_in(read_source(path), code, reader, hint)


def document_in(source: SourceText, code: str, reader: Callable[[str], T], hint: str | None = None) -> T:
    """Return what `reader` makes of a text; raises `SourceErrors` with `code` where it cannot."""
    try:
        return reader(source.text)
    except MalformedInput as error:
        raise refuse(code, error.message, source, place(source, error.offset), hint) from None


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file to read its bytes; raises `SourceErrors` if that is not possible (EC0001 to EC0003)."""
    source = SourceText(path, "")
    try:
        with open_input(path) as file:
            yield file
    except FileNotFoundError:
        raise refuse("EC0001", "file not found", source, None) from None
    except IsADirectoryError:
        raise refuse(
            "EC0002", "this is a directory, not a file", source, None, "name a file in it"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise refuse("EC0003", f"cannot be read: {reason or error}", source, None) from None


def place(source: SourceText, offset: int | None) -> Span | None:
    """Return the one-character span at an offset of a document."""
    if offset is None:
        return None
    start = min(offset, len(source.text))
    return source.span(start, min(start + 1, len(source.text)))


def read_answer_file(path: str | None) -> tuple[HostAnswer, ...]:
    """Return the host's answers in a file, none where there is no file (EC4101)."""
    return () if path is None else answers_in(read_source(path))


def answers_in(source: SourceText) -> tuple[HostAnswer, ...]:
    """Return the host's answers in a file's text (EC4101)."""
    hint = 'write a JSON list, each item a value or {"value": …, "operation": "effect.operation"}'
    return document_in(source, "EC4101", read_answers, hint)


def read_state(path: str, program: Program | None, limits: Limits, salt: bytes = b"") -> Run:
    """Return the suspended run that a saved state leads to (EC4201).

    `program`, if given, is the one that the state must have been made for; else the state's own is taken.
    """

    def reader(text: str) -> Run:
        data = text.encode()
        own = program if program is not None else program_from_value(embedded_program(data))
        return load(data, own, program_ref(own), limits=limits, salt=salt)

    return read_document(path, "EC4201", reader, "a saved state is what `eclogue run --save STATE` writes")
