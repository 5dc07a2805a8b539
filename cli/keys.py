"""`eclogue keys`: Ed25519 keys for signing envelopes, and reading them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eclogue.cli.files import CannotWrite
from eclogue.cli.reading import refuse
from eclogue.cli.reporting import MALFORMED
from eclogue.cli.trace_input import read_bytes
from eclogue.core.errors import MalformedInput
from eclogue.lowering.diagnostics import SourceText
from eclogue.validator.dsse import (
    SigningUnavailable,
    key_id,
    new_key,
    read_private_key,
    read_public_key,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


@click.group("keys")
def keys_group() -> None:
    """Keys for signing envelopes: Ed25519, in PEM, as `openssl genpkey -algorithm ed25519` makes them."""


@keys_group.command("new")
@click.argument("name")
def new_command(name: str) -> None:
    """Make NAME.key, which only its owner can read, and NAME.pub, to be given to others."""
    try:
        private, public = new_key()
    except SigningUnavailable as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(MALFORMED)
    _write_new(f"{name}.key", private, 0o600)
    _write_new(f"{name}.pub", public, 0o644)
    click.echo(f"{name}.key (keep it to yourself) and {name}.pub: {key_id(read_public_key(public))}")


def _write_new(path: str, data: bytes, mode: int) -> None:
    """Write a file that is not there yet."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except FileExistsError:
        raise click.UsageError(f"{path} is there already; a key is not written over") from None
    except OSError as error:
        raise CannotWrite(path, error) from None


def private_key(path: str) -> Ed25519PrivateKey:
    """Return the private key in a file; raises `SourceErrors` (EC4513)."""
    try:
        return read_private_key(read_bytes(path, _LARGEST))
    except (MalformedInput, SigningUnavailable) as error:
        raise refuse("EC4513", str(error), SourceText(path, ""), None, _HINT) from None


def public_key(path: str) -> Ed25519PublicKey:
    """Return the public key in a file; raises `SourceErrors` (EC4513)."""
    try:
        return read_public_key(read_bytes(path, _LARGEST))
    except (MalformedInput, SigningUnavailable) as error:
        raise refuse("EC4513", str(error), SourceText(Path(path).name, ""), None, _HINT) from None


_HINT = "`eclogue keys new NAME` makes NAME.key to sign with and NAME.pub to check with"
_LARGEST = 1 << 20
"""Bytes that are read of a file with a key."""
