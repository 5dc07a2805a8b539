"""`eclogue doctor`: what this installation has, what it can do with it, and why not more."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import attrs
import click
from rich.text import Text

from eclogue.cli.result import object_text
from eclogue.cli.summary import output_console
from eclogue.cli.version import version_text
from eclogue.core.values import Value, record
from eclogue.lean.toolchain import LeanUnavailable, find_lean

_LIBRARIES = ("attrs", "lark", "click", "rich")


@attrs.frozen
class Finding:
    """One thing that was looked for: whether it is there, and what is to be said about it."""

    name: str
    found: bool
    says: tuple[str, ...]


def findings() -> list[Finding]:
    """Look for everything."""
    return [
        Finding("eclogue", True, (version_text(),)),
        Finding(
            "python", True, (f"{platform.python_version()} on {platform.system()} {platform.machine()}",)
        ),
        *(_library(name) for name in _LIBRARIES),
        _lean(),
        _processes(),
        _views(),
    ]


def _library(name: str) -> Finding:
    try:
        return Finding(name, True, (version(name),))
    except PackageNotFoundError:
        return Finding(name, False, ("not installed",))


def _lean() -> Finding:
    try:
        lean = find_lean()
    except LeanUnavailable as error:
        says = (*str(error).splitlines(), "Without it programs run all the same, and no proof is checked.")
        return Finding("lean", False, tuple(line.strip() for line in says))
    return Finding(
        "lean",
        True,
        (
            f"{lean.version}, commit {lean.commit[:12]}, from {lean.source}",
            f"{lean.digest}, {'a known one' if lean.known else 'not a known one'}",
        ),
    )


def _processes() -> Finding:
    """Whether `eclogue exec` can run programs isolated: tried out, by running one."""
    # Imported here: no other command of those that every run starts with needs it.
    from eclogue.runtime.sandbox.isolation import probe_processes

    available = probe_processes()
    says = [f"{name}: {text}" for name, text in available.details.items()]
    if available.usable:
        return Finding("proc", True, ("programs run isolated in sandboxes", *says))
    return Finding("proc", False, (f"programs cannot be isolated: {available.reason}", *says))


def _views() -> Finding:
    """Which providers of sandboxes can be had, tried out by making one, and what they keep of a state."""
    from eclogue.runtime.sandbox.providers import FIDELITY, probe

    overlay, copy = probe()
    says = []
    if overlay.usable:
        says.append(f"overlay as {overlay.details['as']}, kernel {overlay.details['kernel']}")
    else:
        says.append(f"no overlay: {overlay.reason}")
    says.append(f"{copy.provider}: works everywhere, and a fork costs as much as the workspace is large")
    says.append("a fork keeps " + ", ".join(f"{kind}: {kept}" for kind, kept in FIDELITY.items()))
    return Finding("views", overlay.usable, tuple(says))


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor_command(as_json: bool) -> None:
    """Say what this installation has: Python, libraries, Lean, sandboxes; and why not more.

    Exit codes: 0 all is there; 3 something optional is missing.
    """
    found = findings()
    if as_json:
        members: dict[str, Value] = {
            item.name: record({"found": item.found, "says": item.says}) for item in found
        }
        click.echo(object_text(members))
    else:
        console = output_console()
        for item in found:
            mark = ("found  ", "green") if item.found else ("missing", "yellow")
            for line, text in enumerate(item.says):
                console.print(Text.assemble(mark if line == 0 else " " * 7, f"  {item.name:<8} {text}"))
    click.get_current_context().exit(0 if all(item.found for item in found) else 3)
