"""The two users by whom sandboxes are tried."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.boxed import Boxed, boxed, isolation
from support.users import has_root


@pytest.fixture(params=["root", "nobody"])
def box(request: pytest.FixtureRequest) -> Iterator[Boxed]:
    """Make a workspace, once as root (if the tests are run by root), once as somebody else."""
    if request.param == "root" and not has_root():
        pytest.skip("these tests are not run by root")
    found = isolation(request.param)
    if not found.usable:
        pytest.skip(found.reason or "programs cannot be isolated here")
    with boxed(request.param) as made:
        yield made
