"""The lock on what is claimed: `theorems.toml`, with a digest of every statement and all that it means.

A file that a person edits (ids, rules, witness tests) and a command renews (digests). `definitions.lock`
beside it has a digest of each definition, to tell which one changed; what decides is in `theorems.toml`.
"""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import attrs

from eclogue.core.errors import MalformedInput
from eclogue.lean.facts import Facts, mentions

THEOREMS = "theorems.toml"
DEFINITIONS = "definitions.lock"


@attrs.frozen(kw_only=True)
class LockedTheorem:
    """An entry of the lock. People write what it is about, up to `witness`; the rest is renewed.

    `lean` is the theorem and `property` the claim that is its type; `group` is the part of the properties
    that it stands in; `rules` are rule ids; `witness` is the test that runs the claim, `path::function`.
    """

    id: str
    lean: str
    property: str
    group: str
    profile: str
    rules: tuple[str, ...]
    witness: str
    axioms: tuple[str, ...] = ()
    statement: str = ""
    definitions: str = ""


@attrs.frozen(kw_only=True)
class Lock:
    """The whole lock; `named` has the digests of single definitions, `comment` the file's first lines."""

    comment: str = ""
    foundation: str = ""
    theorems: Mapping[str, LockedTheorem] = attrs.field(factory=dict)
    named: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Statement:
    """A theorem's statement as Lean has it now, digested, with the definitions that it rests on."""

    statement: str
    definitions: str
    named: Mapping[str, str]


# ------------------------------------------------------------------------------------------------
# Reading


def read_lock(folder: Path) -> Lock:
    """Return the lock in a folder. Raises `MalformedInput`; a missing file is an empty lock."""
    try:
        text = (folder / THEOREMS).read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except FileNotFoundError:
        return Lock()
    except (OSError, ValueError) as error:
        raise MalformedInput(f"{THEOREMS}: {error}") from error
    theorems: dict[str, LockedTheorem] = {}
    for number, entry in enumerate(data.get("theorem", [])):
        theorem = _entry(entry, f"{THEOREMS}: theorem {number + 1}")
        if theorem.id in theorems:
            raise MalformedInput(f"{THEOREMS}: {theorem.id} stands twice")
        theorems[theorem.id] = theorem
    comment = itertools.takewhile(lambda line: line.startswith("#"), text.splitlines(keepends=True))
    return Lock(
        comment="".join(comment),
        foundation=str(data.get("foundation", "")),
        theorems=theorems,
        named=_read_named(folder / DEFINITIONS),
    )


_FIELD_TYPES: Mapping[str, type] = {"rules": tuple, "axioms": tuple}


def _entry(entry: Mapping[str, object], where: str) -> LockedTheorem:
    """Return an entry whose fields all have the right type; those that are renewed may be missing."""
    given: dict[str, object] = {}
    for field in attrs.fields(LockedTheorem):
        content = entry.get(field.name, field.default)
        if isinstance(content, list) and all(isinstance(item, str) for item in content):
            content = tuple(content)
        if not isinstance(content, _FIELD_TYPES.get(field.name, str)):
            raise MalformedInput(f"{where} has no `{field.name}` of the right type")
        given[field.name] = content
    unknown = entry.keys() - given.keys()
    if unknown:
        raise MalformedInput(f"{where} has an unknown `{min(unknown)}`")
    return LockedTheorem(**given)  # type: ignore[arg-type]


def _read_named(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.split(" ") for line in lines if line and not line.startswith("#"))
    return {pair[0]: pair[-1] for pair in pairs}


# ------------------------------------------------------------------------------------------------
# Digests


class Statements:
    """The statements of all theorems, each computed once; who mentions whom is found once for all."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._own = set(facts.printed)
        self._mentioned: dict[str, set[str]] = {}
        self._digests: dict[str, str] = {}
        self._found: dict[str, Statement] = {}

    def of(self, declaration: str) -> Statement:
        """Return the digests of a theorem's statement: its type, the claim that this names, all below."""
        if declaration not in self._found:
            self._found[declaration] = self._statement(declaration)
        return self._found[declaration]

    def _statement(self, declaration: str) -> Statement:
        printed = self.facts.printed
        text = self.facts.types[declaration]
        claim = [text, printed[text]] if text in printed else [text]
        reached: set[str] = set()
        pending = {name for part in claim for name in mentions(part, self._own)} - {text}
        while pending:
            name = pending.pop()
            reached.add(name)
            pending |= self._mentions(name) - reached - {text}
        named = {name: self._digest(name) for name in sorted(reached)}
        return Statement(
            statement=digest_of("\n".join(claim)), definitions=digest_of(json.dumps(named)), named=named
        )

    def _mentions(self, name: str) -> set[str]:
        if name not in self._mentioned:
            self._mentioned[name] = mentions(self.facts.printed[name], self._own)
        return self._mentioned[name]

    def _digest(self, name: str) -> str:
        if name not in self._digests:
            self._digests[name] = digest_of(self.facts.printed[name])
        return self._digests[name]


def digest_of(text: str) -> str:
    """Return the digest of a text."""
    return f"sha256:{sha256(text.encode()).hexdigest()}"


# ------------------------------------------------------------------------------------------------
# Writing


def write_lock(folder: Path, lock: Lock) -> None:
    """Write both files of the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    head = f"{lock.comment or _COMMENT}\nfoundation = {_quoted(lock.foundation)}\n"
    entries = "".join(_theorem_text(theorem) for theorem in lock.theorems.values())
    (folder / THEOREMS).write_text(head + entries, encoding="utf-8")
    lines = [f"{name} {lock.named[name]}\n" for name in sorted(lock.named)]
    (folder / DEFINITIONS).write_text(_DEFINITIONS_COMMENT + "".join(lines), encoding="utf-8")


_COMMENT = """\
# What is proved, and what exactly it says: a changed statement or definition is refused until
# `eclogue lean renew` is run on purpose. That renews the digests and keeps the rest.
"""
_DEFINITIONS_COMMENT = """\
# A digest of each definition that a statement rests on, written by `eclogue lean renew`.
"""


def _theorem_text(theorem: LockedTheorem) -> str:
    lines = ["\n[[theorem]]\n"]
    for name, content in attrs.asdict(theorem).items():
        if isinstance(content, str):
            lines.append(f"{name} = {_quoted(content)}\n")
        else:
            lines.append(f"{name} = [{', '.join(_quoted(item) for item in content)}]\n")
    return "".join(lines)


def _quoted(text: str) -> str:
    """Return a TOML basic string; JSON's quoting is one for the characters that occur here."""
    return json.dumps(text, ensure_ascii=False)
