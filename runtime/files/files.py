"""Trees, layers, and the operations on them (twin of `lean/Eclogue/Runtime/Files.lean`).

A path is a tuple of names from the root. A tree is a mapping from paths to nodes, a layer one from paths to
entries; neither is changed in place. What a file contains is any value that can be compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, TypeAlias, Union

import attrs

Path: TypeAlias = tuple[str, ...]


@attrs.frozen
class File:
    """A regular file: its content and its mode."""

    content: Hashable
    mode: int


@attrs.frozen
class Link:
    """A symbolic link."""

    target: str


@attrs.frozen
class Directory:
    """A directory."""

    mode: int


Node: TypeAlias = Union[File, Link, Directory]


@attrs.frozen
class Gone:
    """Nothing stands here, whatever the layers below have."""


@attrs.frozen
class Solid:
    """A node stands here, and what the layers below have here and beneath is hidden."""

    node: Node


@attrs.frozen
class Merged:
    """A directory that shows what the layers below have in it."""

    mode: int


Entry: TypeAlias = Union[Gone, Solid, Merged]
FileTree: TypeAlias = Mapping[Path, Node]
Layer: TypeAlias = Mapping[Path, Entry]
ErrorCode: TypeAlias = Literal[
    "ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ENOTEMPTY", "ELOOP", "EINVAL", "EBUSY"
]

EMPTY: FileTree = {(): Directory(0o755)}
"""A tree with its root and nothing else."""


def ancestors(path: Path) -> list[Path]:
    """Return the proper ancestors, from the root (`ancestors`)."""
    return [path[:length] for length in range(len(path))]


def within(path: Path, other: Path) -> bool:
    """Whether the other path lies at or below this one (`above`)."""
    return other[: len(path)] == path


def content(entry: Entry) -> Node | None:
    """Return what an entry shows (`content`)."""
    if isinstance(entry, Solid):
        return entry.node
    return Directory(entry.mode) if isinstance(entry, Merged) else None


def hider(entry: Entry | None) -> bool:
    """Whether an entry hides what lies below it (`hider`)."""
    return entry is not None and not isinstance(entry, Merged)


def hides(layer: Layer, path: Path) -> bool:
    """Whether a layer hides a path by an entry above it (`hides`)."""
    return any(hider(layer.get(above)) for above in ancestors(path))


def over(layer: Layer, tree: FileTree) -> FileTree:
    """Return what a layer shows over a tree (`over`)."""
    found = {}
    for path in layer.keys() | tree.keys():
        entry = layer.get(path)
        node = content(entry) if entry is not None else None if hides(layer, path) else tree.get(path)
        if node is not None:
            found[path] = node
    return found


def view(layers: Sequence[Layer]) -> FileTree:
    """Return what layers show, the newest first (`view`)."""
    found: FileTree = {}
    for layer in reversed(layers):
        found = over(layer, found)
    return found


def is_directory(node: Node | None) -> bool:
    """Whether a node is a directory."""
    return isinstance(node, Directory)


def well_formed(tree: FileTree) -> bool:
    """Whether the root is a directory, and all else lies in one (`WellFormed`)."""
    return is_directory(tree.get(())) and all(is_directory(tree.get(path[:-1])) for path in tree if path)


# ------------------------------------------------------------------------------------------------
# Operations and their plans


@attrs.frozen
class Write:
    """Write a whole file; `mode` is a new one's."""

    path: Path
    content: Hashable
    mode: int = 0o644


@attrs.frozen
class MakeDirectory:
    """Make a directory."""

    path: Path
    mode: int = 0o755


@attrs.frozen
class MakeLink:
    """Make a symbolic link."""

    path: Path
    target: str


@attrs.frozen
class Unlink:
    """Remove what is no directory."""

    path: Path


@attrs.frozen
class RemoveDirectory:
    """Remove an empty directory."""

    path: Path


@attrs.frozen
class RemoveTree:
    """Remove whatever stands at a path, with all that is in it."""

    path: Path


@attrs.frozen
class ChangeMode:
    """Change a mode."""

    path: Path
    mode: int


@attrs.frozen
class Rename:
    """Rename, as `mv` does it: a directory that cannot be renamed is copied."""

    path: Path
    target: Path


Operation: TypeAlias = Union[
    Write, MakeDirectory, MakeLink, Unlink, RemoveDirectory, RemoveTree, ChangeMode, Rename
]


@attrs.frozen
class Stamp:
    """The subtree becomes one node, or nothing."""

    path: Path
    node: Node | None


@attrs.frozen
class Relabel:
    """A directory gets a mode."""

    path: Path
    mode: int


@attrs.frozen
class Move:
    """A subtree goes to another place."""

    source: Path
    target: Path


@attrs.frozen
class Skip:
    """Nothing changes."""


Change: TypeAlias = Union[Stamp, Relabel, Move, Skip]
Plan: TypeAlias = Union[Change, ErrorCode]
"""What an operation does, or the error that it ends with (`Plan`)."""


def walk(tree: FileTree, path: Path) -> ErrorCode | None:
    """Return the error on the way to a path (`walk`)."""
    for above in ancestors(path):
        if above not in tree:
            return "ENOENT"
        if not is_directory(tree[above]):
            return "ENOTDIR"
    return None


def has_child(tree: FileTree, path: Path) -> bool:
    """Whether a directory has something in it (`hasChild`)."""
    return any(len(other) == len(path) + 1 and within(path, other) for other in tree)


def decide(tree: FileTree, operation: Operation) -> Plan:
    """Return the plan of an operation on what is seen (`decide`)."""
    path = operation.path
    target = operation.target if isinstance(operation, Rename) else None
    if isinstance(operation, (RemoveDirectory, RemoveTree, Rename)) and (path == () or target == ()):
        return "EBUSY"
    error = walk(tree, path)
    if error is None and isinstance(target, tuple):
        error = walk(tree, target)
    return error or _planned(tree, operation, tree.get(path))


def _planned(tree: FileTree, operation: Operation, node: Node | None) -> Plan:
    path = operation.path
    match operation:
        case Write(_, written, mode):
            if node is None or isinstance(node, File):
                return Stamp(path, File(written, mode if node is None else node.mode))
            return "ELOOP" if isinstance(node, Link) else "EISDIR"
        case MakeDirectory(_, mode):
            return Stamp(path, Directory(mode)) if node is None else "EEXIST"
        case MakeLink(_, target):
            return Stamp(path, Link(target)) if node is None else "EEXIST"
    if node is None:
        return "ENOENT"
    match operation:
        case Unlink():
            return "EISDIR" if is_directory(node) else Stamp(path, None)
        case RemoveDirectory():
            if not is_directory(node):
                return "ENOTDIR"
            return "ENOTEMPTY" if has_child(tree, path) else Stamp(path, None)
        case RemoveTree():
            return Stamp(path, None)
        case ChangeMode(_, mode):
            if isinstance(node, Link):
                return "ELOOP"
            return Stamp(path, File(node.content, mode)) if isinstance(node, File) else Relabel(path, mode)
        case Rename(_, goal):
            return rename_plan(tree, path, goal, node)
    raise TypeError(operation)


def rename_plan(tree: FileTree, source: Path, target: Path, node: Node) -> Plan:
    """Return the plan of renaming what is there (`renamePlan`)."""
    if source == target:
        return Skip()
    if within(source, target):
        return "EINVAL"
    if within(target, source):
        return "ENOTEMPTY"
    there = tree.get(target)
    if there is not None:
        if is_directory(node) and not is_directory(there):
            return "ENOTDIR"
        if not is_directory(node) and is_directory(there):
            return "EISDIR"
        if is_directory(there) and has_child(tree, target):
            return "ENOTEMPTY"
    return Move(source, target)


def on_tree(change: Change, tree: FileTree) -> FileTree:
    """Return a tree with a change (`Change.onTree`)."""
    match change:
        case Stamp(path, node):
            found = {other: item for other, item in tree.items() if not within(path, other)}
            return found if node is None else {**found, path: node}
        case Relabel(path, mode):
            return {**tree, path: Directory(mode)}
        case Move(source, target):
            found = {
                path: node
                for path, node in tree.items()
                if not within(source, path) and not within(target, path)
            }
            moved = {
                target + path[len(source) :]: node for path, node in tree.items() if within(source, path)
            }
            return {**found, **moved}
        case Skip():
            return tree
    raise TypeError(change)


def copy_up(layer: Layer, seen: FileTree, path: Path) -> Layer:
    """Return a layer that has the directories above a path too (`copyUp`)."""
    above = {}
    for each in ancestors(path):
        node = seen.get(each)
        if isinstance(node, Directory):
            above[each] = Merged(node.mode)
    return {**above, **layer}


def sealed(node: Node | None) -> Entry:
    """Return the entry that shows a node and hides what is below (`sealed`)."""
    return Gone() if node is None else Solid(node)


def on_layer(change: Change, seen: FileTree, layer: Layer) -> Layer:
    """Return the top layer with a change of what is seen (`Change.onLayer`)."""
    match change:
        case Stamp(path, node):
            kept = {
                other: entry
                for other, entry in copy_up(layer, seen, path).items()
                if not within(path, other)
            }
            return {**kept, path: sealed(node)}
        case Relabel(path, mode):
            entry: Entry = Solid(Directory(mode)) if hider(layer.get(path)) else Merged(mode)
            return {**copy_up(layer, seen, path), path: entry}
        case Move(source, target):
            both = copy_up(copy_up(layer, seen, source), seen, target)
            kept = {
                path: entry
                for path, entry in both.items()
                if not within(source, path) and not within(target, path)
            }
            moved: dict[Path, Entry] = {
                target + path[len(source) :]: Solid(node)
                for path, node in seen.items()
                if within(source, path)
            }
            return {**kept, source: Gone(), **moved}
        case Skip():
            return layer
    raise TypeError(change)


def run_tree(tree: FileTree, operation: Operation) -> tuple[FileTree, ErrorCode | None]:
    """Carry an operation out on a tree (`FileTree.run`)."""
    plan = decide(tree, operation)
    return (tree, plan) if isinstance(plan, str) else (on_tree(plan, tree), None)


def run_stack(layers: Sequence[Layer], operation: Operation) -> tuple[tuple[Layer, ...], ErrorCode | None]:
    """Carry an operation out on layers, the newest first, of which only that one changes (`Stack.run`)."""
    seen = view(layers)
    plan = decide(seen, operation)
    if isinstance(plan, str):
        return tuple(layers), plan
    return (on_layer(plan, seen, layers[0]), *layers[1:]), None


def crosses(layer: Layer, low: FileTree, source: Path) -> bool:
    """Whether rename(2) refuses a directory, because lower layers have part of it (`crosses`)."""
    return is_directory(low.get(source)) and not hides(layer, source) and not hider(layer.get(source))
