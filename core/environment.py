"""Environments of the machine: the values of the variables in scope, innermost first.

An environment is a persistent list with jumps (Myers 1983, *An applicative random-access stack*):
extending it takes constant time and shares everything, looking up the n-th variable takes logarithmic
time. A cell is the tuple `(length, jump, rest, value)`, where `jump` is a cell further out; how far out
depends on the length alone.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from eclogue.core.values import Value

Environment: TypeAlias = tuple[Any, ...]

EMPTY: Environment = (0, (0, (1,)))
"""The environment without variables. It has no value, so that reading one raises `IndexError`; the stubs in
place of its jump let `extend` do without a special case."""


def extend(environment: Environment, value: Value) -> Environment:
    """Return the environment with one more variable, innermost, of this value."""
    length = environment[0]
    jump = environment[1]
    middle = jump[0]
    further = jump[1]
    if length - middle == middle - further[0]:
        return (length + 1, further, environment, value)
    return (length + 1, environment, environment, value)


def lookup(environment: Environment, index: int) -> Value:
    """Return the value of the variable with this de Bruijn index; raises `IndexError` if there is none."""
    wanted = environment[0] - index
    if wanted < 1:
        raise IndexError(index)
    while environment[0] != wanted:
        jump = environment[1]
        environment = jump if jump[0] >= wanted else environment[2]
    value: Value = environment[3]
    return value
