r"""The files of an executed run, before and after, as a document that goes along with its trace.

    {"base": {"path": ["file", 420, "digest"], …}, "final": {…}, "format": "eclogue-files/1",
     "sandbox": {"provider": "overlay", "fidelity": {"files": "yes", …}}}

Of a file the mode and the SHA-256 of its bytes stand there, of a link its target, of a directory its mode,
of anything else its kind. The root has the empty path. In names and targets a backslash is doubled, and a
byte that is no UTF-8 is written as `\xff`. `sandbox` says what showed the files, and what of a state it
keeps. The document is canonical: one way to write it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from eclogue.core.errors import MalformedInput
from eclogue.runtime.files.files import Directory, File, FileTree, Link, Node, Path, well_formed
from eclogue.runtime.manifest import Entry, Manifest
from eclogue.validator.strict_json import read_strictly, written

FORMAT = "eclogue-files/1"

_ESCAPE = re.compile(rb"\\(\\|x[0-9a-f]{2})")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SPECIAL = ("fifo", "socket", "device")


def document_of(base: Manifest, final: Manifest, provider: str, fidelity: Mapping[str, str]) -> bytes:
    """Return the document of two manifests that a provider showed."""
    sandbox = {"provider": provider, "fidelity": dict(fidelity)}
    found = {"format": FORMAT, "base": _side(base), "final": _side(final), "sandbox": sandbox}
    return written(found) + b"\n"


def _side(manifest: Manifest) -> dict[str, list[Any]]:
    return {told(path): _described(entry) for path, entry in manifest.items()}


def told(data: bytes) -> str:
    """Return bytes as text, so that other bytes have another text."""
    return data.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def meant(text: str) -> str:
    """Return the name that a text of `told` is of; raises `MalformedInput`."""
    data = _ESCAPE.sub(
        lambda match: b"\\" if match[1] == b"\\" else bytes([int(match[1][1:], 16)]), text.encode()
    )
    if told(data) != text:
        raise MalformedInput(f"{text[:80]!r} is not how a name is written")
    return os.fsdecode(data)


def _described(entry: Entry) -> list[Any]:
    node = entry.node
    if node.kind == "file":
        return ["file", node.mode, entry.digest]
    if node.kind == "link":
        return ["link", told(node.target or b"")]
    return [node.kind, node.mode]


def read_document(data: bytes) -> tuple[FileTree, FileTree]:
    """Return the two trees of a document; raises `MalformedInput`."""
    found = read_strictly(data)
    if not isinstance(found, dict) or found.get("format") != FORMAT or len(found) != 4:
        raise MalformedInput(f"it is no document of the format {FORMAT}")
    if written(found) + b"\n" != data:
        raise MalformedInput("it is not in its canonical form")
    return _tree(found.get("base")), _tree(found.get("final"))


def _tree(side: Any) -> FileTree:
    if not isinstance(side, dict):
        raise MalformedInput("it has no files before, or none after")
    found = {_path(path): _node(entry) for path, entry in side.items()}
    if not well_formed(found):
        raise MalformedInput("it has a path that lies in no directory, or no root")
    return found


def _path(text: str) -> Path:
    path = tuple(meant(text).split("/")) if text else ()
    if any(name in ("", ".", "..") or "\0" in name for name in path):
        raise MalformedInput(f"{text[:80]!r} is no path")
    return path


def _node(entry: Any) -> Node:
    match entry:
        case ["file", mode, str(digest)] if _is_mode(mode) and _DIGEST.fullmatch(digest):
            return File(digest, mode)
        case ["link", str(target)]:
            return Link(meant(target))
        case ["directory", mode] if _is_mode(mode):
            return Directory(mode)
        case [kind, mode] if kind in _SPECIAL and _is_mode(mode):
            return File(f"special:{kind}", mode)
    raise MalformedInput(f"{json.dumps(entry)[:80]} is no entry of a manifest")


def _is_mode(mode: Any) -> bool:
    return type(mode) is int and 0 <= mode <= 0o7777
