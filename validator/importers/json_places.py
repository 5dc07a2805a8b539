"""Where something stands in a JSON text: for messages, after a reader has found that it is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Keys and positions, from the outermost inwards."""

_TOKEN = re.compile(
    r'[ \t\n\r]*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<mark>[\[\]{},:])|(?P<other>[^\s\[\]{},:"]+))', re.DOTALL
)
_NO_JSON = ("NaN", "Infinity", "-Infinity")


class _Open:
    """A container that is being read: the step to its current item, and the keys that it has had."""

    __slots__ = ("keys", "step")

    def __init__(self, is_list: bool) -> None:
        self.step: str | int | None = 0 if is_list else None
        self.keys: set[str] | None = None if is_list else set()


class _Walk:
    """Goes through the tokens of a JSON text that is well-formed, or nearly so."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stack: list[_Open] = []
        self.repeated = False
        """Whether the key that was just read stood in its object before."""

    def __iter__(self) -> Iterator[tuple[str, int, str]]:
        """Yield `key` or `value`, the offset, and the token."""
        for found in _TOKEN.finditer(self.text):
            kind = found.lastgroup or ""
            token, at = found[kind], found.start(kind)
            if kind == "mark":
                if token in "[{":
                    yield "value", at, token
                    self.stack.append(_Open(token == "["))
                else:
                    self._mark(token)
            elif kind == "text" and self._key(token):
                yield "key", at, token
            else:
                yield "value", at, token

    def _mark(self, token: str) -> None:
        top = self.stack[-1] if self.stack else None
        if token in "]}" and self.stack:
            self.stack.pop()
        elif token == "," and top is not None:
            top.step = top.step + 1 if type(top.step) is int else None

    def _key(self, token: str) -> bool:
        top = self.stack[-1] if self.stack else None
        if top is None or top.keys is None or top.step is not None:
            return False
        name: str = json.loads(token, strict=False)
        self.repeated = name in top.keys
        top.keys.add(name)
        top.step = name
        return True

    def is_at(self, path: Path) -> bool:
        """Return whether the last value that was yielded stands at a path."""
        return len(self.stack) == len(path) and all(
            one.step == step for one, step in zip(self.stack, path, strict=True)
        )


def offset_of(text: str, path: Path) -> int | None:
    """Return the offset of the value at a path, or None if there is none."""
    walk = _Walk(text)
    return next((at for kind, at, _ in walk if kind == "value" and walk.is_at(path)), None)


def offset_of_key(text: str, path: Path) -> int | None:
    """Return the offset of the key that a path ends with, or None if there is none."""
    walk = _Walk(text)
    return next((at for kind, at, _ in walk if kind == "key" and walk.is_at(path)), None)


def first_refused(text: str) -> int | None:
    """Return the offset of the first key that an object has twice, or of the first `NaN` or its like."""
    walk = _Walk(text)
    for kind, at, token in walk:
        if (kind == "key" and walk.repeated) or (kind == "value" and token in _NO_JSON):
            return at
    return None


def path_text(path: Path) -> str:
    """Return a path as people write it, such as `steps[3].message`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "the document"
