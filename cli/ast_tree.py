"""The surface tree as indented text, for `eclogue lower --emit ast`."""

from __future__ import annotations

import enum
from collections.abc import Iterator

import attrs

from eclogue.core.canonical import text_of
from eclogue.core.syntax import Span


def tree_lines(root: object) -> Iterator[str]:
    """Yield a line for each node: its name, its plain fields, and `@line:column`; children below it."""
    pending: list[tuple[int, str, object]] = [(0, "", root)]
    while pending:
        depth, label, node = pending.pop()
        prefix = "  " * depth + label
        if isinstance(node, tuple):
            yield f"{prefix}[{len(node)}]"
            pending.extend((depth + 1, "", item) for item in reversed(node))
        elif attrs.has(kind := type(node)):
            fields = [(field.name, getattr(node, field.name)) for field in attrs.fields(kind)]
            plain = [f"{name}={_plain(value)}" for name, value in fields if _is_plain(name, value)]
            yield " ".join([prefix + type(node).__name__, *plain, *_place(node)])
            children = [(name, value) for name, value in fields if _is_child(value)]
            pending.extend((depth + 1, f"{name}: ", value) for name, value in reversed(children))


def _is_child(value: object) -> bool:
    return (isinstance(value, tuple) and value != ()) or (
        attrs.has(type(value)) and not isinstance(value, Span)
    )


def _is_plain(name: str, value: object) -> bool:
    return not _is_child(value) and not isinstance(value, Span) and value != () and name != "comments"


def _plain(value: object) -> str:
    if isinstance(value, enum.Enum):
        return str(value.value)
    if value is None or isinstance(value, (bool, int, str)):
        return text_of(value)
    raise TypeError(value)


def _place(node: object) -> list[str]:
    span = getattr(node, "span", None)
    return [f"@{span}"] if isinstance(span, Span) else []
