"""`eclogue lsp`: the language server, for editors."""

from __future__ import annotations

import sys

import click

from eclogue.cli.reporting import MALFORMED


@click.command("lsp")
def lsp_command() -> None:
    """Serve editors: the Language Server Protocol over standard input and output.

    Needs the extra `lsp`. Exit code 2 where it is not installed.
    """
    try:
        from eclogue.cli.language_server import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        click.echo("error: the language server needs an extra: in a clone, pip install '.[lsp]'", err=True)
        sys.exit(MALFORMED)
    make_server().start_io()
