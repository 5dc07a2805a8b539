"""Writing files so that nothing is lost: whole, or not at all and with a clear message."""

from __future__ import annotations

import errno
import filecmp
import os
import secrets
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
        handle, name = _create_beside(target, 0o600 if private else 0o666)
    except OSError as error:
        raise CannotWrite(path, error) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
        if target.exists() and not private:
            os.chmod(name, target.stat().st_mode & 0o7777)
        os.replace(name, target)
    except OSError as error:
        raise CannotWrite(path, error) from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _create_beside(target: Path, mode: int) -> tuple[int, str]:
    """Create a file in the target's folder, with these permissions less those that new files lack here."""
    for _ in range(100):
        name = str(target.with_name(f".eclogue.{secrets.token_hex(8)}"))
        with suppress(FileExistsError):
            return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NOFOLLOW, mode), name
    raise FileExistsError(errno.EEXIST, "no free name beside it", str(target))


_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class WouldReplace(click.UsageError):
    """A file would be written over that is of another content."""


@contextmanager
def new_or_same(path: str) -> Iterator[TextIO]:
    """Open a text file as `replacing`, whose place must be free or taken by a file of the same content.

    Raises `WouldReplace`, and leaves what was there.
    """
    target = Path(path)
    if not target.exists():
        with replacing(path) as file:
            yield file
        return
    try:
        handle, name = _create_beside(target.resolve(), 0o600)
    except OSError as error:
        raise CannotWrite(path, error) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
        same = target.is_file() and filecmp.cmp(name, target, shallow=False)
    except OSError as error:
        raise CannotWrite(path, error) from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)
    if not same:
        raise WouldReplace(f"{path} is there already, with another content, and is not written over")


@contextmanager
def both_or_none(path: str, private: str) -> Iterator[tuple[TextIO, TextIO]]:
    """Open two new files, the second readable by its owner only, as `replacing`: both appear, or neither.

    The second must not be there before.
    """
    existed = os.path.lexists(private)
    try:
        with replacing(path) as out, replacing(private, private=True) as store:
            yield out, store
    except BaseException:
        if not existed:
            with suppress(OSError):
                os.unlink(private)
        raise


def write_text(path: str, text: str) -> None:
    """Write a whole text file, or leave what was there."""
    with replacing(path) as file:
        file.write(text)
