"""Salts: they keep those who have a commitment from guessing its value (SPEC §7, `trace.skeleton`)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from eclogue.cli.files import CannotWrite
from eclogue.cli.reading import refuse
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.reading import read_source

F = TypeVar("F", bound=Callable[..., Any])
_BYTES = 32


def salt_option(command: F) -> F:
    """Add `--salt`."""
    return click.option(
        "--salt", metavar="FILE", help="A file with the salt of the trace's commitments, in hexadecimal."
    )(command)


def read_salt(path: str | None) -> bytes:
    """Return the salt in a file, the empty one without a file; raises `SourceErrors` (EC4701)."""
    if path is None:
        return b""
    source = read_source(path)
    hint = "`eclogue run … --salt FILE` makes a file with a new salt where there is none"
    if not source.text.strip():
        message = "the file is empty, and the empty salt makes nothing unguessable"
        raise refuse("EC4701", message, SourceText(path, ""), None, hint)
    try:
        return bytes.fromhex(source.text.strip())
    except ValueError:
        message = "no salt: a salt is an even number of hexadecimal digits"
        raise refuse("EC4701", message, SourceText(path, ""), None, hint) from None


def salt_for_run(path: str | None) -> bytes:
    """Return the salt in a file, which is made, readable by its owner only, if it is not there."""
    if path is not None and not Path(path).exists():
        salt = secrets.token_bytes(_BYTES)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(f"{salt.hex()}\n")
        except OSError as error:
            raise CannotWrite(path, error) from None
        return salt
    return read_salt(path)
