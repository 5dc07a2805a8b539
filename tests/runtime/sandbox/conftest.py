"""The two users by whom sandboxes are tried."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from support.boxed import Boxed, boxed
from support.users import as_nobody, has_root

from eclogue.runtime.sandbox.interface import Availability
from eclogue.runtime.sandbox.isolation import probe_processes


@functools.cache
def available(who: str) -> Availability:
    """Whether programs can be isolated when this user runs them."""
    return as_nobody(probe_processes) if who == "nobody" else probe_processes()


@pytest.fixture(params=["root", "nobody"])
def box(request: pytest.FixtureRequest) -> Iterator[Boxed]:
    """Make a workspace, once as root (if the tests are run by root), once as somebody else."""
    if request.param == "root" and not has_root():
        pytest.skip("these tests are not run by root")
    found = available(request.param)
    if not found.usable:
        pytest.skip(found.reason or "programs cannot be isolated here")
    with boxed(request.param) as made:
        yield made
