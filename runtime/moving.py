"""Copying a tree from one name to another, where renaming is not possible."""

from __future__ import annotations

import os

from eclogue.runtime.nodes import Node, make, names_in, node_at, set_time

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def copy_tree(source: int, name: bytes, target: int, new: bytes) -> None:
    """Copy what stands under a name, with all that is in it, to a name that is free; raises `OSError`."""
    node = node_at(source, name)
    if node is None:
        raise FileNotFoundError(name)
    make(node, source, name, target, new)
    if node.kind != "directory":
        return
    pending: list[tuple[Node, int, bytes, int, bytes, bool]] = [(node, source, name, target, new, False)]
    opened: list[int] = []
    try:
        while pending:
            node, there, old_name, here, new_name, filled = pending.pop()
            if filled:
                set_time(node, here, new_name)
                continue
            pending.append((node, there, old_name, here, new_name, True))
            inner, made = os.open(old_name, _FLAGS, dir_fd=there), os.open(new_name, _FLAGS, dir_fd=here)
            opened += [inner, made]
            for item in names_in(inner):
                below = node_at(inner, item)
                if below is not None:
                    make(below, inner, item, made, item)
                    if below.kind == "directory":
                        pending.append((below, inner, item, made, item, False))
    finally:
        for number in opened:
            os.close(number)
