"""Names in scope, with what they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Scope(Generic[T]):
    """A stack of named entries. The latest of a name hides the others until it is taken back.

    Binding and looking up take constant time, however many names there are: a block of 100,000 `let`s is
    ordinary.
    """

    def __init__(self) -> None:
        self._entries: list[tuple[str, T]] = []
        self._by_name: dict[str, list[T]] = {}

    def bind(self, name: str, entry: T) -> None:
        """Add an entry on top."""
        self._entries.append((name, entry))
        self._by_name.setdefault(name, []).append(entry)

    def find(self, name: str) -> T | None:
        """Return the latest entry of a name, or None."""
        entries = self._by_name.get(name)
        return entries[-1] if entries else None

    def mark(self) -> int:
        """Return the present height, for `take_back`."""
        return len(self._entries)

    def take_back(self, mark: int) -> list[tuple[str, T]]:
        """Remove the entries above a mark and return them, lowest first."""
        removed = self._entries[mark:]
        del self._entries[mark:]
        for name, _ in removed:
            self._by_name[name].pop()
        return removed

    def names(self) -> Iterator[str]:
        """Yield the names that can be found, each once, in the order in which they were first bound."""
        return (name for name, entries in self._by_name.items() if entries)
