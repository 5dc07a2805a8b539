"""What differs between two trees: every path, with what stood there before and what stands there after.

Times are not compared: a file that was only touched is no change. Where it is known which names can differ
(`Touched`), only those are looked at, so that the work depends on what was written and not on the tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import attrs

from eclogue.runtime.nodes import Node, Parts, directory, joined, names_in, node_at, node_of, same_content
from eclogue.runtime.sandbox.interface import Change, ChangeKind


class Pruning(Protocol):
    """What is known of where two trees can differ."""

    def names(self, parts: Parts) -> set[bytes] | None:
        """Return the names in a directory that may differ; None: any may, there and below."""


class Everything:
    """Nothing is known."""

    def names(self, parts: Parts) -> set[bytes] | None:  # noqa: ARG002 - the protocol's
        """Return None."""
        return None


@attrs.frozen
class Difference:
    """A path at which two trees differ; None: nothing stands there."""

    path: Parts
    before: Node | None
    after: Node | None
    content_same: bool = False
    """Whether both are files with the same bytes, or both of another kind that has none."""

    def as_change(self) -> Change:
        """Return it as it is told to others."""
        return Change(joined(self.path), self._kind(), _told(self.before), _told(self.after))

    def _kind(self) -> ChangeKind:
        if self.before is None:
            return ChangeKind.ADDED
        if self.after is None:
            return ChangeKind.REMOVED
        if self.before.kind != self.after.kind:
            return ChangeKind.KIND
        return ChangeKind.METADATA if self._only_metadata() else ChangeKind.CONTENT

    def _only_metadata(self) -> bool:
        assert self.before is not None
        assert self.after is not None
        return self.content_same and (self.before.target, self.before.device) == (
            self.after.target,
            self.after.device,
        )


def _told(node: Node | None) -> str | None:
    return None if node is None else node.told()


def differences(old: int, new: int, pruning: Pruning) -> Iterator[Difference]:
    """Yield what differs between two trees, a directory before what is in it, names in order.

    Raises `OSError` where one cannot be read.
    """
    root = _compared((), old, b".", node_of(old, ()), new, b".", node_of(new, ()))
    if root is not None:
        yield root
    pending: list[tuple[Parts, bool, bool, bool]] = [((), True, True, True)]
    while pending:
        parts, in_old, in_new, pruned = pending.pop()
        deeper = []
        for found, both in _in_directory(
            old if in_old else None, new if in_new else None, parts, pruning, pruned
        ):
            difference, name, pruned_below = found
            if difference is not None:
                yield difference
            if both != (False, False):
                deeper.append(((*parts, name), *both, pruned_below))
        pending.extend(reversed(deeper))


_Found = tuple[Difference | None, bytes, bool]


def _in_directory(
    old: int | None, new: int | None, parts: Parts, pruning: Pruning, pruned: bool
) -> Iterator[tuple[_Found, tuple[bool, bool]]]:
    """Yield what differs in one directory, and for each name whether it is a directory on either side."""
    wanted = pruning.names(parts) if pruned and old is not None and new is not None else None
    with _Side(old, parts) as before, _Side(new, parts) as after:
        names = wanted if wanted is not None else before.names() | after.names()
        for name in sorted(names):
            left, right = before.node(name), after.node(name)
            sides = (
                left is not None and left.kind == "directory",
                right is not None and right.kind == "directory",
            )
            difference = _compared((*parts, name), before.number, name, left, after.number, name, right)
            yield (difference, name, wanted is not None and all(sides)), sides


class _Side:
    """A directory of one tree, or nothing where that tree has none there."""

    def __init__(self, root: int | None, parts: Parts) -> None:
        self.opened = None if root is None else directory(root, parts)
        self.number = -1

    def __enter__(self) -> _Side:
        if self.opened is not None:
            self.number = self.opened.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self.opened is not None:
            self.opened.__exit__(None, None, None)

    def names(self) -> set[bytes]:
        return set() if self.opened is None else set(names_in(self.number))

    def node(self, name: bytes) -> Node | None:
        return None if self.opened is None else node_at(self.number, name)


def _compared(
    parts: Parts,
    old: int,
    old_name: bytes,
    before: Node | None,
    new: int,
    new_name: bytes,
    after: Node | None,
) -> Difference | None:
    same = False
    if before is not None and after is not None and before.kind == after.kind:
        same = before.size == after.size and (
            before.kind != "file" or same_content(old, old_name, new, new_name)
        )
        if same and before == after:
            return None
    elif before == after:
        return None
    return Difference(parts, before, after, same)
