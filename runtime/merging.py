"""Three-way merges, path by path, against the state at the fork (`lean/Eclogue/Runtime/Merge.lean`).

The child's changes are applied to the parent where the parent still is as it was at the fork, or is
already as the child has it. Everything else is a conflict, and then nothing is changed. One layer is never
laid over another: that would undo what the parent did since, such as a chmod of a directory.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

import attrs

from eclogue.runtime.changes import Difference
from eclogue.runtime.nodes import (
    Node,
    Parts,
    directory,
    joined,
    make,
    names_in,
    node_of,
    remove,
    same_content,
    set_metadata,
    set_time,
)
from eclogue.runtime.sandbox.interface import Conflict


@attrs.frozen(eq=False)
class Plan:
    """What a merge comes to: the differences that are to be applied, or the conflicts that forbid it."""

    apply: tuple[Difference, ...]
    conflicts: tuple[Conflict, ...]


def plan(
    changes: Sequence[Difference],
    base: int,
    child: int,
    parent: int,
    resolved: frozenset[Parts] = frozenset(),
) -> Plan:
    """Compare a child's changes since the fork with the parent as it is now; the three are views' roots.

    At a `resolved` path the child has what both sides come to. Raises `OSError`.
    """
    wanted, conflicts = [], []
    removed = {change.path for change in changes if not _is_directory(change.after)}
    for change in changes:
        ours = node_of(parent, change.path)
        if _same(ours, change.after, parent, child, change.path):
            continue
        if change.path in resolved or _is_as_before(change, ours, parent, base):
            wanted.append(change)
        else:
            conflicts.append(_conflict(change, "both", ours))
    conflicts.extend(_orphans(wanted, parent, removed))
    return Plan(tuple(wanted), tuple(sorted(conflicts, key=lambda item: item.path)))


def _is_directory(node: Node | None) -> bool:
    return node is not None and node.kind == "directory"


def _same(ours: Node | None, theirs: Node | None, parent: int, child: int, path: Parts) -> bool:
    if ours != theirs:
        return False
    if ours is None or ours.kind != "file":
        return True
    with directory(parent, path[:-1]) as here, directory(child, path[:-1]) as there:
        return same_content(here, path[-1], there, path[-1])


def _is_as_before(change: Difference, ours: Node | None, parent: int, base: int) -> bool:
    """Whether the parent still has there what stood there at the fork."""
    return ours == change.before and _same(ours, change.before, parent, base, change.path)


def _orphans(wanted: Sequence[Difference], parent: int, removed: set[Parts]) -> list[Conflict]:
    """Return the changes after which a path would stand in a directory that is not there.

    A directory goes only if the parent has nothing in it that stays, and what is added needs a directory.
    """
    found = []
    made = {change.path for change in wanted if _is_directory(change.after)}
    for change in wanted:
        if _is_directory(change.before) and not _is_directory(change.after):
            try:
                with directory(parent, change.path) as number:
                    names = names_in(number)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                    raise
                names = []
            staying = [name for name in names if (*change.path, name) not in removed]
            if staying:
                found.append(_conflict(change, "orphan", node_of(parent, change.path)))
        above = change.path[:-1]
        if change.after is not None and above and above not in made:
            ours = node_of(parent, above)
            if not _is_directory(ours) or above in removed:
                found.append(_conflict(change, "orphan", None))
    return found


def _conflict(change: Difference, kind: str, ours: Node | None) -> Conflict:
    return Conflict(joined(change.path), kind, _told(change.before), _told(ours), _told(change.after))


def _told(node: Node | None) -> str | None:
    return None if node is None else node.told()


# ------------------------------------------------------------------------------------------------
# Applying


def apply(changes: Sequence[Difference], source: int, target: int) -> None:
    """Make a tree differ as it should: first what goes, the deepest first, then what comes.

    Doing it again after it was interrupted leads to the same tree. Raises `OSError`.
    """
    for change in reversed(changes):
        if change.path and _goes(change):
            _without(target, change.path)
    for change in changes:
        if change.after is not None:
            _become(change, source, target)
    for change in reversed(changes):
        if _is_directory(change.after):
            _settle(change, target)


def _goes(change: Difference) -> bool:
    if change.before is None or change.after is None:
        return change.after is None
    return change.before.kind != change.after.kind


def _without(target: int, path: Parts) -> None:
    try:
        with directory(target, path[:-1]) as where:
            remove(where, path[-1])
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            raise


def _become(change: Difference, source: int, target: int) -> None:
    """Have a path show what it shows in the source."""
    after, path = change.after, change.path
    assert after is not None
    if not path:
        return
    with directory(source, path[:-1]) as there, directory(target, path[:-1]) as here:
        ours = node_of(here, path[-1:])
        if ours is not None and ours.kind == after.kind == "directory":
            set_metadata(after, here, path[-1])
        elif ours is not None and change.content_same and ours.kind == after.kind == "file":
            set_metadata(after, here, path[-1])
            set_time(after, here, path[-1])
        elif after.kind == "directory":
            remove(here, path[-1])
            make(after, there, path[-1], here, path[-1])
        else:
            remove(here, _NEW)
            make(after, there, path[-1], here, _NEW)
            if ours is not None and ours.kind == "directory":
                remove(here, path[-1])
            os.rename(_NEW, path[-1], src_dir_fd=here, dst_dir_fd=here)


_NEW = b".eclogue.merging"
"""What a file is called until it is whole; a merge that was interrupted begins by removing it."""


def _settle(change: Difference, target: int) -> None:
    """Give a directory its time, once all that goes into it is in it, and the root its metadata."""
    assert change.after is not None
    if not change.path:
        set_metadata(change.after, target, b".")
        return
    with directory(target, change.path[:-1]) as where:
        set_time(change.after, where, change.path[-1])
