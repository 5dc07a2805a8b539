"""The reference, made from the code: diagnostics, rules, theorems, commands and their options, schemas.

`ECLOGUE_RENEW=1 pytest tests/docs` writes docs/reference anew.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from eclogue.cli.main import main
from eclogue.lowering.codes import CODES, page

ROOT = Path(__file__).resolve().parents[2]
_RULE = re.compile(r"\b(?:[a-z][a-z0-9_]*)\.[a-z][a-z0-9_]*\b")


def pages() -> dict[str, str]:
    """Return the pages of the reference by their names."""
    theorems = tomllib.loads((ROOT / "proofs" / "theorems.toml").read_text(encoding="utf-8"))["theorem"]
    rules = _rules()
    return {
        "README.md": _index(),
        "diagnostics.md": _joined("Diagnostics", _diagnostics()),
        "rules.md": _joined("Rules", _rule_lines(rules, theorems)),
        "theorems.md": _joined("Theorems", _theorem_lines(theorems, rules)),
        "commands.md": _joined("Commands", _commands(main, "eclogue")),
        "schemas.md": _joined("Schemas", _schemas()),
    }


def _joined(title: str, lines: Iterator[str]) -> str:
    return f"# {title}\n\n{_MADE}\n\n" + "\n".join(lines).rstrip() + "\n"


_MADE = "This page is made from the code; a test compares them."


def _index() -> str:
    names = {
        "commands": "every command and its options",
        "diagnostics": "every diagnostic code, with its page",
        "rules": "every rule of the specification, and the theorems about it",
        "theorems": "every theorem, its name in Lean, its witness, and the rules it speaks about",
        "schemas": "the JSON Schemas of all documents",
    }
    lines = [f"- [{name.capitalize()}]({name}.md): {text}" for name, text in names.items()]
    more = "The language is on one page of the [README](../../README.md#the-language-on-one-page); the"
    return (
        f"# Reference\n\n{_MADE}\n\n" + "\n".join(lines) + f"\n\n{more} specification is "
        "[core/SPEC.md](../../core/SPEC.md).\n"
    )


def _diagnostics() -> Iterator[str]:
    for code in sorted(CODES):
        text = page(code)
        yield re.sub(r"^# ", "## ", text.strip(), count=1) + "\n"


# ------------------------------------------------------------------------------------------------
# Rules and theorems


def _rules() -> dict[str, str]:
    """Return each rule of the specification with the section that it stands in."""
    found: dict[str, str] = {}
    section = ""
    for line in (ROOT / "core" / "SPEC.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        named = re.findall(r"\*\*([a-z0-9_]+\.[a-z0-9_]+)\*\*", line)
        if line.startswith("| ") and (match := _RULE.match(line[2:])):
            named.append(match[0])
        named += re.findall(r"\(([a-z0-9_]+\.[a-z0-9_]+)\)\s*$", line)
        for rule in named:
            found.setdefault(rule, section)
    return found


def _rule_lines(rules: Mapping[str, str], theorems: list[dict[str, Any]]) -> Iterator[str]:
    for rule in sorted(rules):
        about = [theorem["id"] for theorem in theorems if rule in theorem["rules"]]
        anchor = rules[rule].lower().replace(" ", "-").replace(".", "").replace(",", "")
        yield f"## {rule}\n"
        yield f"In [§ {rules[rule]}](../../core/SPEC.md#{anchor})."
        if about:
            links = ", ".join(f"[{name}](theorems.md#{name})" for name in about)
            yield f"Theorems about it: {links}."
        yield ""


def _theorem_lines(theorems: list[dict[str, Any]], rules: Mapping[str, str]) -> Iterator[str]:
    for theorem in theorems:
        yield f"## {theorem['id']}\n"
        yield (
            f"`{theorem['lean']}`, stated as `{theorem['property']}`; axioms: none."
            if not theorem["axioms"]
            else f"`{theorem['lean']}`; axioms: {', '.join(theorem['axioms'])}."
        )
        yield f"Witness: `{theorem['witness']}`."
        links = [
            f"[{rule}](rules.md#{rule.replace('.', '')})" if rule in rules else f"`{rule}`"
            for rule in theorem["rules"]
        ]
        if links:
            yield f"Rules: {', '.join(links)}."
        yield ""


# ------------------------------------------------------------------------------------------------
# Commands and schemas


def _commands(group: click.Group, name: str) -> Iterator[str]:
    for each in sorted(group.commands):
        command = group.commands[each]
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {each}")
        else:
            yield from _command(command, f"{name} {each}")


def _command(command: click.Command, name: str) -> Iterator[str]:
    arguments = [item for item in command.params if isinstance(item, click.Argument)]
    shown = " ".join([name, *(str(item.metavar or item.name).upper() for item in arguments)])
    yield f"## {name}\n"
    yield f"```text\n{shown}\n```\n"
    yield re.sub(r"\n\s*\n", "\n\n", "\n".join(line.strip() for line in (command.help or "").splitlines()))
    yield ""
    for item in command.params:
        if isinstance(item, click.Option):
            yield f"- `{', '.join(item.opts)}`: {item.help or ''}"
    yield ""


def _schemas() -> Iterator[str]:
    for path in sorted((ROOT / "validator" / "schema").glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        title = document.get("title", path.stem)
        yield f"- [{path.name}](../../validator/schema/{path.name}): {title}."
