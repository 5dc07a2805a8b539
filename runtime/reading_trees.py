"""Reading a file of a view as text, to be shown."""

from __future__ import annotations

from eclogue.runtime.nodes import Parts, contents, directory, node_of

_LARGEST = 1 << 20


def text_at(root: int, parts: Parts) -> str | None:
    """Return the text of a file below a root; None for what is no file, is large, or is not UTF-8 text."""
    node = node_of(root, parts)
    if node is None or node.kind != "file" or node.size > _LARGEST:
        return None
    with directory(root, parts[:-1]) as where:
        data = b"".join(contents(where, parts[-1]))
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None
