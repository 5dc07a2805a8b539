"""The whole of a tree written down: every path with its kind, mode, owner, time, attributes and content."""

from __future__ import annotations

from hashlib import sha256

import attrs

from eclogue.runtime.nodes import Node, Parts, contents, directory, joined, names_in, node_at, node_of


@attrs.frozen
class Entry:
    """One path of a manifest. `digest` is the SHA-256 of a file's bytes, in hexadecimal."""

    node: Node
    digest: str | None
    modified: int
    """Nanoseconds; here it counts, as in a node it does not."""


Manifest = dict[bytes, Entry]
"""Entries by path; the root is the empty path."""


def manifest_of(root: int) -> Manifest:
    """Read a whole tree; raises `OSError`."""
    top = node_of(root, ())
    assert top is not None
    found: Manifest = {b"": Entry(top, None, top.modified)}
    pending: list[Parts] = [()]
    while pending:
        parts = pending.pop()
        with directory(root, parts) as where:
            for name in names_in(where):
                node = node_at(where, name)
                if node is None:
                    continue
                found[joined((*parts, name))] = Entry(node, _digest(where, name, node), node.modified)
                if node.kind == "directory":
                    pending.append((*parts, name))
    return found


def _digest(where: int, name: bytes, node: Node) -> str | None:
    if node.kind != "file":
        return None
    digest = sha256()
    for block in contents(where, name):
        digest.update(block)
    return digest.hexdigest()
