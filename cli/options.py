"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from eclogue.core.canonical import read
from eclogue.core.errors import MalformedInput
from eclogue.core.values import Value

F = TypeVar("F", bound=Callable[..., Any])


def error_format_option(command: F) -> F:
    """Add `--error-format`."""
    return click.option(
        "--error-format",
        type=click.Choice(["human", "json"]),
        default="human",
        help="How diagnostics are printed on standard error; json is one object a line.",
    )(command)


def program_options(command: F) -> F:
    """Add the options that choose a task and give its arguments."""
    command = click.option(
        "--arg",
        "arguments",
        multiple=True,
        metavar="NAME=JSON",
        help="An argument of the task; text needs its quotes: --arg 'bug=\"it fails\"'.",
    )(command)
    return click.option(
        "--task",
        metavar="NAME",
        help="The task to take, where a file has several; default the only one, else main.",
    )(command)


def parse_arguments(given: tuple[str, ...]) -> dict[str, Value]:
    """Return the values of `NAME=JSON` options; raises `click.UsageError` for any other shape."""
    arguments: dict[str, Value] = {}
    for item in given:
        name, equals, text = item.partition("=")
        name = name.strip()
        if not equals or not name:
            raise click.UsageError(f"--arg {item!r}: write NAME=JSON")
        if name in arguments:
            raise click.UsageError(f"--arg {name}: given twice")
        try:
            arguments[name] = read(text)
        except MalformedInput as error:
            raise click.UsageError(f"--arg {name}: {error.message}{_json_hint(text)}") from None
    return arguments


def _json_hint(text: str) -> str:
    if text[:1].isalpha():
        return f" (text needs its quotes: --arg 'NAME=\"{text}\"')"
    return ""
