"""Recursive functions that do not recurse in Python, for terms of any depth.

A function over a nested term is written as a generator that yields the steps whose results it needs:
`left = yield visit(node.left)`. `run` keeps the waiting generators in a list instead of on the stack of the
interpreter. One step costs about a microsecond, so that the machine does not use this; readers do.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

Step: TypeAlias = Generator["Step", Any, Any]
"""A computation that yields the steps it waits for, is sent their results, and returns its own."""


def run(step: Step) -> Any:
    """Return the result of a step; an exception in any step ends them all."""
    waiting = [step]
    result: Any = None
    while waiting:
        try:
            needed = waiting[-1].send(result)
        except StopIteration as stop:
            waiting.pop()
            result = stop.value
        else:
            waiting.append(needed)
            result = None
    return result
