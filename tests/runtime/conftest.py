"""Places for worlds: each provider, as root and without privileges."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.boxed import isolation
from support.users import as_nobody, has_root, in_child
from support.worlds import KINDS, Place, placed

from eclogue.runtime.sandbox.interface import Availability
from eclogue.runtime.sandbox.providers import probe

_PROBED: dict[str, Availability] = {}


def _overlay(who: str) -> Availability:
    """Return whether a user can have overlays here; asked once for each."""
    if who not in _PROBED:
        ask = as_nobody if who == "nobody" else in_child
        _PROBED[who] = ask(lambda: probe()[0])
    return _PROBED[who]


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Make a place, for each provider and user that can be had here."""
    provider, _, who = request.param.partition("-")
    if who == "root" and not has_root():
        pytest.skip("these tests are not run by root")
    if provider == "overlay" and not (found := _overlay(who)).usable:
        pytest.skip(f"no overlay for {who}: {found.reason}")
    with placed(request.param) as made:
        yield made


@pytest.fixture
def isolating(place: Place) -> None:
    """Leave a test out where the place's user cannot run isolated programs."""
    found = isolation(place.kind.partition("-")[2])
    if not found.usable:
        pytest.skip(found.reason or "programs cannot be isolated here")
