"""The outermost layer of the command: what goes wrong with its own output, whatever it was doing."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn, TextIO

import click

from eclogue.cli.main import main

CANNOT_WRITE = 2
READER_GONE = 128 + int(getattr(signal, "SIGPIPE", 13))
"""What a shell makes of a command whose reader went away, as in `eclogue … | head -1`: neither a pass nor
a rejection."""


def command() -> None:
    """Run `eclogue`: it ends with a documented exit code also where its output cannot be written."""
    output = sys.stdout
    try:
        code = _exit_code()
        if sys.stdout is not output:  # click noticed first that nobody reads, and put its own there
            raise BrokenPipeError
        sys.stdout.flush()
    except BrokenPipeError:
        _end(READER_GONE)
    except OSError as error:
        _end(CANNOT_WRITE, f"error: the output cannot be written: {error.strerror or error}")
    except UnicodeEncodeError as error:
        text = ascii(error.object)[:200]
        _end(CANNOT_WRITE, f"error: {text} is no text that can be written as UTF-8")
    sys.exit(code)


def _end(code: int, message: str = "") -> NoReturn:
    """End with a message, if there is still somewhere to write it."""
    _drop(sys.stdout)
    if message:
        try:
            click.echo(message, err=True)
        except OSError:
            _drop(sys.stderr)
    sys.exit(code)


def _exit_code() -> int:
    """Run the command that was asked for; click's own errors are shown as it shows them."""
    try:
        found = main.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Aborted!", err=True)
        return 128 + signal.SIGINT
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    return found if isinstance(found, int) else 0


def _drop(stream: TextIO) -> None:
    """Keep the interpreter from writing at its end what could not be written now."""
    with open(os.devnull, "wb") as nothing:
        try:
            os.dup2(nothing.fileno(), stream.fileno())
        except (OSError, ValueError):
            return
