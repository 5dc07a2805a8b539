"""The files of an executed run, before and after, as a document that goes along with its trace.

    {"base": {"path": ["file", 420, "digest"], …}, "final": {…}, "format": "eclogue-files/1",
     "sandbox": {"provider": "overlay", "fidelity": {"files": "yes", …}}}

Of a file the mode and the SHA-256 of its bytes stand there, of a link its target, of a directory its mode,
of anything else its kind. The root has the empty path. `sandbox` says what showed them, and what of a state
it keeps. The document is canonical: one way to write it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from eclogue.core.errors import MalformedInput
from eclogue.runtime.files.files import Directory, File, FileTree, Link, Node
from eclogue.runtime.manifest import Entry, Manifest
from eclogue.validator.strict_json import read_strictly, written

FORMAT = "eclogue-files/1"


def document_of(base: Manifest, final: Manifest, provider: str, fidelity: Mapping[str, str]) -> bytes:
    """Return the document of two manifests that a provider showed."""
    sandbox = {"provider": provider, "fidelity": dict(fidelity)}
    found = {"format": FORMAT, "base": _side(base), "final": _side(final), "sandbox": sandbox}
    return written(found) + b"\n"


def _side(manifest: Manifest) -> dict[str, list[Any]]:
    return {path.decode("utf-8", "backslashreplace"): _described(entry) for path, entry in manifest.items()}


def _described(entry: Entry) -> list[Any]:
    node = entry.node
    if node.kind == "file":
        return ["file", node.mode, entry.digest]
    if node.kind == "link":
        return ["link", os.fsdecode(node.target or b"").encode("utf-8", "backslashreplace").decode()]
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
    found = {tuple(path.split("/")) if path else (): _node(entry) for path, entry in side.items()}
    if not isinstance(found.get(()), Directory):
        raise MalformedInput("it has no root")
    return found


def _node(entry: Any) -> Node:
    try:
        match entry:
            case ["file", int(mode), str(digest)]:
                return File(digest, mode)
            case ["link", str(target)]:
                return Link(target)
            case ["directory", int(mode)]:
                return Directory(mode)
            case [str(kind), int(mode)]:
                return File(f"special:{kind}", mode)
    except (TypeError, ValueError):
        pass
    raise MalformedInput(f"{json.dumps(entry)[:80]} is no entry of a manifest")
