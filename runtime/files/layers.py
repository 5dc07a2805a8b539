"""Layers made of layers and of trees, and what can be stored (Lean: Layers, Merge, Storage, Lookup)."""

from __future__ import annotations

from collections.abc import Sequence

from eclogue.runtime.files.files import (
    Directory,
    Entry,
    FileTree,
    Gone,
    Layer,
    Merged,
    Node,
    Path,
    Solid,
    content,
    copy_up,
    hider,
    hides,
    is_directory,
)


def squash(layer: Layer, low: Layer) -> Layer:
    """Return one layer that shows the same as two (`squash`, theorem `squash_view`)."""
    found: dict[Path, Entry] = {}
    for path in layer.keys() | low.keys():
        entry = layer.get(path)
        if entry is not None:
            seals = isinstance(entry, Merged) and hider(low.get(path))
            found[path] = Solid(Directory(entry.mode)) if seals and isinstance(entry, Merged) else entry
        elif not hides(layer, path):
            found[path] = low[path]
    return found


def merge3(base: FileTree, parent: FileTree, child: FileTree) -> FileTree:
    """Return the parent with the child's changes since the fork (`merge3`)."""
    found = {}
    for path in parent.keys() | child.keys():
        node = parent.get(path) if child.get(path) == base.get(path) else child.get(path)
        if node is not None:
            found[path] = node
    return found


def conflicts(base: FileTree, parent: FileTree, child: FileTree) -> list[Path]:
    """Return the paths that stand against a merge: changed on both sides, or left without a directory."""
    merged = merge3(base, parent, child)
    return sorted(
        path
        for path in parent.keys() | child.keys()
        if _clash(base.get(path), parent.get(path), child.get(path)) or _orphan(merged, path)
    )


def _clash(base: Node | None, parent: Node | None, child: Node | None) -> bool:
    return child not in (base, parent) and parent != base


def _orphan(merged: FileTree, path: Path) -> bool:
    return bool(path) and path in merged and not is_directory(merged.get(path[:-1]))


def lift(low: FileTree, merged: FileTree) -> Layer:
    """Return the layer that makes one tree of another (`lift`, theorem `lift_view`)."""
    return {
        path: _turn(merged.get(path), low.get(path))
        for path in merged.keys() | low.keys()
        if merged.get(path) != low.get(path)
    }


def _turn(node: Node | None, low: Node | None) -> Entry:
    if node is None:
        return Gone()
    return Merged(node.mode) if isinstance(node, Directory) and is_directory(low) else Solid(node)


def trim(low: FileTree, layer: Layer) -> Layer:
    """Return a layer without the whiteouts that are not needed (`trim`).

    An overlay lists a needless one as a name that cannot be found, where a directory does not merge.
    """
    return {
        path: entry
        for path, entry in layer.items()
        if not (isinstance(entry, Gone) and (hides(layer, path) or path not in low))
    }


def fill(seen: FileTree, layer: Layer) -> Layer:
    """Return a layer with the directories above all that it has (`fill`)."""
    for path in list(layer):
        layer = copy_up(layer, seen, path)
    return layer


def tidy(low: FileTree, merged: FileTree) -> Layer:
    """Return the layer to be written to disk for a tree over another (`tidy`, theorem `tidy_storable`)."""
    return fill(merged, trim(low, lift(low, merged)))


def closed(layer: Layer) -> bool:
    """Whether whatever a layer has lies in directories that it has (`Closed`)."""
    return all(path[:-1] in layer and is_directory(content(layer[path[:-1]])) for path in layer if path)


def storable(layer: Layer, low: FileTree) -> bool:
    """Whether an overlay can store a layer: closed, and all whiteouts needed (`Storable`)."""
    return closed(layer) and trim(low, layer) == layer


def overlay_lookup(layers: Sequence[Layer], path: Path) -> Node | None:
    """Return what an overlay's own walk finds (`overlayLookup`, theorem `lookup_is_view`)."""
    live = list(layers)
    for length in range(len(path) + 1):
        found: list[Layer] = []
        for layer in live:
            entry = layer.get(path[:length])
            if entry is None:
                continue
            if isinstance(entry, Gone) or (found and not is_directory(content(entry))):
                break
            found.append(layer)
            if isinstance(entry, Solid):
                break
        live = found
    return content(live[0][path]) if live else None
