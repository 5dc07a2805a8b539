"""The open selections of a trace, in closing order, the next one to close at the head (SPEC §13).

A resumed selection moves from the head behind the entries that its continuation held, and these may be any
number: the automaton asks for a place by its distance from the head. So that this takes no time that grows
with the distance, the entries stand in blocks. Moving one shifts the entries of one block at most, and
passes whole blocks on the way: one for each `_BLOCK` entries, from the nearer end.
"""

from __future__ import annotations

from typing import TypeAlias

Entry: TypeAlias = tuple[int, int]
"""A selection's number, and its phase: how many entries its continuation holds, or one of the two below."""

RESUMED = -1
RETURNED = -2

_BLOCK = 4096
"""Entries of a block that was split; one that grows to twice as many is split."""


class OpenSelections:
    """A list of which only the head is looked at; `head` is None when it is empty."""

    __slots__ = ("_below", "_blocks", "_top")

    def __init__(self) -> None:
        self._blocks: list[list[Entry]] = []  # below the top block, from the far end; none is empty
        self._below = 0  # entries in them
        self._top: list[Entry] = []  # the head is its last; empty only when there are no others

    def __len__(self) -> int:
        return self._below + len(self._top)

    @property
    def head(self) -> Entry | None:
        """The entry that closes next."""
        return self._top[-1] if self._top else None

    def push(self, entry: Entry) -> None:
        """Put an entry before the head."""
        self._top.append(entry)
        self._split_top()

    def pop(self) -> None:
        """Take the head away; raises `IndexError` if there is none."""
        self._top.pop()
        if not self._top and self._blocks:
            self._top = self._blocks.pop()
            self._below -= len(self._top)

    def replace(self, entry: Entry) -> None:
        """Put an entry in the head's place; raises `IndexError` if there is none."""
        self._top[-1] = entry

    def sink(self, entry: Entry, distance: int) -> None:
        """Take the head away and put an entry behind the next `distance` ones.

        Raises `IndexError` if there are not so many.
        """
        if distance == 0:
            self._top[-1] = entry
            return
        self.pop()
        if distance > len(self):
            raise IndexError(distance)
        if distance <= len(self._top):
            self._top.insert(len(self._top) - distance, entry)
            self._split_top()
        else:
            self._insert_below(entry, distance - len(self._top))

    def _split_top(self) -> None:
        if len(self._top) >= 2 * _BLOCK:
            self._blocks.append(self._top[:_BLOCK])
            self._below += _BLOCK
            del self._top[:_BLOCK]

    def _insert_below(self, entry: Entry, distance: int) -> None:
        """Insert behind so many entries, counted from the near end of the blocks below the top one."""
        blocks = self._blocks
        from_far_end = self._below - distance  # how many entries stay behind the new one
        if distance < from_far_end:
            position = len(blocks) - 1
            while distance > len(blocks[position]):
                distance -= len(blocks[position])
                position -= 1
            place = len(blocks[position]) - distance
        else:
            position, place = 0, from_far_end
            while place > len(blocks[position]):
                place -= len(blocks[position])
                position += 1
        block = blocks[position]
        block.insert(place, entry)
        self._below += 1
        if len(block) >= 2 * _BLOCK:
            blocks[position : position + 1] = [block[:_BLOCK], block[_BLOCK:]]

    def in_order(self) -> list[Entry]:
        """Return all entries, the head first."""
        return [entry for block in (self._top, *reversed(self._blocks)) for entry in reversed(block)]
