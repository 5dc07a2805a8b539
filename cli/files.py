"""Writing files so that nothing is lost: whole, or not at all and with a clear message."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import click


class CannotWrite(click.ClickException):
    """A file could not be written; exit code 2."""

    exit_code = 2

    def __init__(self, path: str, error: OSError) -> None:
        super().__init__(f"cannot write {path}: {error.strerror or error}")


def keep_inputs(inputs: Iterable[str | None], outputs: Iterable[str | None]) -> None:
    """Raise `click.UsageError` if a file that is read would be written over."""
    read = [Path(path) for path in inputs if path is not None]
    for path in outputs:
        if path is not None and any(_same(Path(path), other) for other in read):
            raise click.UsageError(f"{path} is an input of this command, and would be written over")


def _same(left: Path, right: Path) -> bool:
    try:
        return left.samefile(right)
    except OSError:
        return False


@contextmanager
def replacing(path: str, *, private: bool = False) -> Iterator[TextIO]:
    """Open a text file that takes the place of `path` when the block ends well, and vanishes otherwise.

    A `private` one can be read by its owner only. Text is UTF-8 with line feeds. What is no regular file,
    such as a pipe, is written to directly.
    """
    try:
        target = Path(path).resolve()  # a link stays a link, and what it names is written
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", newline="\n") as file:
                yield file
            return
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise CannotWrite(path, error) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
        os.chmod(name, 0o600 if private else _mode(target))
        os.replace(name, target)
    except OSError as error:
        raise CannotWrite(path, error) from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _mode(target: Path) -> int:
    """Return the permissions that the file has or, if it is new, would have got."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write_text(path: str, text: str) -> None:
    """Write a whole text file, or leave what was there."""
    with replacing(path) as file:
        file.write(text)
