"""Merging texts by lines, on request, where both sides changed different places of a file (with merge3)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import attrs

from eclogue.runtime.nodes import Node, Parts, contents, directory, node_of, set_metadata, split
from eclogue.runtime.sandbox.interface import Conflict, SandboxError

_LARGEST = 8 << 20
"""Bytes of a file that is merged by lines."""


@attrs.frozen
class _Text:
    path: Parts
    data: bytes
    metadata: Node


def merge_lines(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return what two changes of a text come to together, None where they touch. Raises `SandboxError`."""
    try:
        from merge3 import Merge3
    except ImportError:
        raise SandboxError(
            "merging by lines needs the library merge3", "install the extra `sandbox`"
        ) from None
    if any(b"\0" in data for data in (base, ours, theirs)):
        return None
    before, left, right = (data.splitlines(keepends=True) for data in (base, ours, theirs))
    found: list[bytes] = []
    for group in Merge3(before, left, right).merge_groups():
        if group[0] == "conflict":
            return None
        found.extend(group[1])
    return b"".join(found)


def merged_by_lines(
    conflicts: Sequence[Conflict], base: int, parent: int, child: int
) -> frozenset[Parts] | None:
    """Merge the files that are in conflict, and write them to the child; return their paths.

    None where one cannot be merged, and then nothing was written.
    """
    texts = [_merged(conflict, base, parent, child) for conflict in conflicts]
    found = [text for text in texts if text is not None]
    if len(found) < len(texts):
        return None
    for text in found:
        with directory(child, text.path[:-1]) as where:
            number = os.open(
                text.path[-1], os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=where
            )
            with os.fdopen(number, "wb") as file:
                file.write(text.data)
            set_metadata(text.metadata, where, text.path[-1])
    return frozenset(text.path for text in found)


def _merged(conflict: Conflict, base: int, parent: int, child: int) -> _Text | None:
    path = split(conflict.path)
    nodes = [node_of(root, path) for root in (base, parent, child)]
    if conflict.kind != "both" or any(not _is_text(node) for node in nodes):
        return None
    before, ours, theirs = (attrs.evolve(node, size=0) for node in nodes if node is not None)
    if before not in (ours, theirs):
        return None
    data = merge_lines(*(b"".join(_bytes(root, path)) for root in (base, parent, child)))
    return None if data is None else _Text(path, data, ours if theirs == before else theirs)


def _is_text(node: Node | None) -> bool:
    return node is not None and node.kind == "file" and node.size <= _LARGEST


def _bytes(root: int, path: Parts) -> Iterator[bytes]:
    with directory(root, path[:-1]) as where:
        yield from contents(where, path[-1])
