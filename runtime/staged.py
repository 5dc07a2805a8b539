"""A merge into a workspace that is carried out as a whole, also if the controller dies in the middle.

All that is to come is copied first, into a tree of its own beside a list of what changes. Then the merge is
begun; carrying it out twice, or again after half of it, leads to the same workspace.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import attrs

from eclogue.runtime import merging
from eclogue.runtime.changes import Difference
from eclogue.runtime.nodes import Node, directory, make, set_time


@attrs.frozen
class Staged:
    """A folder with `tree`, what is to come, and `list`, what changes; the list is written last."""

    folder: Path
    changes: tuple[Difference, ...]

    @staticmethod
    def write(folder: Path, changes: Sequence[Difference], source: int) -> Staged:
        """Copy what is to come; raises `OSError`."""
        Staged.clear(folder)
        tree = folder / "tree"
        tree.mkdir(parents=True)
        number = os.open(tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for change in changes:
                if change.after is not None and change.path:
                    _stage(change, source, number)
        finally:
            os.close(number)
        text = json.dumps([_written(change) for change in changes])
        (folder / "list.new").write_text(text, encoding="utf-8")
        (folder / "list.new").rename(folder / "list")
        return Staged(folder, tuple(changes))

    @staticmethod
    def read(folder: Path) -> Staged:
        """Read what `write` left."""
        found = json.loads((folder / "list").read_text(encoding="utf-8"))
        return Staged(folder, tuple(_read(item) for item in found))

    def carry_out(self, target: int) -> None:
        """Change the workspace; raises `OSError`."""
        number = os.open(self.folder / "tree", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            merging.apply(self.changes, number, target)
        finally:
            os.close(number)

    def remove(self) -> None:
        """Remove the copies."""
        Staged.clear(self.folder)

    @staticmethod
    def clear(folder: Path) -> None:
        """Remove a folder of copies, if it is there."""
        (folder / "list").unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def _stage(change: Difference, source: int, tree: int) -> None:
    after, path = change.after, change.path
    assert after is not None
    here = tree
    opened = []
    try:
        for part in path[:-1]:
            with suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=here)
            here = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            opened.append(here)
        if after.kind == "directory":
            with suppress(FileExistsError):
                os.mkdir(path[-1], 0o700, dir_fd=here)
            return
        with directory(source, path[:-1]) as there:
            make(after, there, path[-1], here, path[-1])
            set_time(after, here, path[-1])
    finally:
        for number in opened:
            os.close(number)


def _written(change: Difference) -> object:
    text = os.fsdecode
    return {
        "path": [text(part) for part in change.path],
        "before": _node_written(change.before),
        "after": _node_written(change.after),
        "content_same": change.content_same,
    }


def _node_written(node: Node | None) -> object:
    if node is None:
        return None
    found = attrs.asdict(node)
    found["target"] = None if node.target is None else os.fsdecode(node.target)
    found["attributes"] = [[name, value.hex()] for name, value in node.attributes]
    return found


def _read(item: dict[str, object]) -> Difference:
    path = item["path"]
    assert isinstance(path, list)
    return Difference(
        tuple(os.fsencode(part) for part in path),
        _node_read(item["before"]),
        _node_read(item["after"]),
        bool(item["content_same"]),
    )


def _node_read(found: object) -> Node | None:
    if not isinstance(found, dict):
        return None
    target = found["target"]
    return Node(
        **{
            **found,
            "target": None if target is None else os.fsencode(target),
            "attributes": tuple((name, bytes.fromhex(value)) for name, value in found["attributes"]),
        }
    )
