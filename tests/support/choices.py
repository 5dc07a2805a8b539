"""Weighted random choices."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Weighted(Generic[Item]):
    """Items with weights, to pick from."""

    def __init__(self, *pairs: tuple[float, Item]) -> None:
        self._items = [item for _, item in pairs]
        self._bounds = list(accumulate(weight for weight, _ in pairs))

    def pick(self, rng: Random) -> Item:
        """Return one item, each as likely as its weight says."""
        position = bisect(self._bounds, rng.random() * self._bounds[-1])
        return self._items[min(position, len(self._items) - 1)]


def chance(rng: Random, probability: float) -> bool:
    """Return true with this probability."""
    return rng.random() < probability


def shares(rng: Random, total: int, parts: int) -> Sequence[int]:
    """Return `parts` non-negative ints with the sum `total`, split at random."""
    cuts = sorted(rng.randint(0, total) for _ in range(parts - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, total], strict=True)]
