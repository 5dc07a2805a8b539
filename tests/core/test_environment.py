"""Environments of the machine."""

from __future__ import annotations

import pytest

from eclogue.core.environment import EMPTY, Environment, extend, lookup


def jumps_taken(environment: Environment, index: int) -> int:
    """Return how many cells a look-up visits."""
    wanted, visited = environment[0] - index, 0
    while environment[0] != wanted:
        environment = environment[1] if environment[1][0] >= wanted else environment[2]
        visited += 1
    return visited


def test_every_variable_is_found_at_every_length() -> None:
    environment = EMPTY
    for length in range(1, 300):
        environment = extend(environment, length)
        assert [lookup(environment, index) for index in range(length)] == list(range(length, 0, -1))


@pytest.mark.parametrize("length", [0, 1, 2, 3, 100])
def test_a_variable_that_nobody_bound_is_not_found(length: int) -> None:
    environment = EMPTY
    for value in range(length):
        environment = extend(environment, value)
    for index in (length, length + 1, length + 10**6):
        with pytest.raises(IndexError):
            lookup(environment, index)


def test_an_environment_is_persistent() -> None:
    base = extend(extend(EMPTY, "a"), "b")
    left, right = extend(base, "left"), extend(base, "right")
    assert [lookup(left, index) for index in range(3)] == ["left", "b", "a"]
    assert [lookup(right, index) for index in range(3)] == ["right", "b", "a"]
    assert [lookup(base, index) for index in range(2)] == ["b", "a"]


def test_a_look_up_visits_logarithmically_many_cells() -> None:
    environment = EMPTY
    for value in range(100_000):
        environment = extend(environment, value)
    assert max(jumps_taken(environment, index) for index in range(0, 100_000, 97)) <= 3 * 17
