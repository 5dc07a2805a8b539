"""All hosts that a run has, and whether they fit what a program declares."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from eclogue.core.syntax import Operation, Program
from eclogue.runtime.hosts.database import DATABASE
from eclogue.runtime.hosts.files import FILES
from eclogue.runtime.hosts.offers import Offer
from eclogue.runtime.hosts.outside import OUTSIDE
from eclogue.runtime.hosts.processes import PROCESSES
from eclogue.runtime.hosts.scopes import SCOPES
from eclogue.runtime.hosts.surroundings import SURROUNDINGS
from eclogue.runtime.sandbox.interface import SandboxError

Offers = Mapping[str, Offer]

BUILT_IN: Offers = {
    offer.name: offer for offer in (*FILES, *PROCESSES, *SCOPES, *SURROUNDINGS, *OUTSIDE, *DATABASE)
}


def with_own(files: Iterable[str]) -> Offers:
    """Return the built-in offers with those of a user's Python files, each with a tuple `OFFERS`.

    Raises `SandboxError`; a name that is there already is not replaced.
    """
    found = dict(BUILT_IN)
    for path in files:
        for offer in _offers_in(Path(path)):
            if offer.name in found:
                raise SandboxError(f"{path}: {offer.name} is offered already")
            found[offer.name] = offer
    return found


def _offers_in(path: Path) -> tuple[Offer, ...]:
    spec = importlib.util.spec_from_file_location(f"eclogue_host_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise SandboxError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise SandboxError(f"{path}: {type(error).__name__}: {error}") from None
    offers = getattr(module, "OFFERS", ())
    if not offers or not all(isinstance(offer, Offer) for offer in offers):
        raise SandboxError(f"{path} has no OFFERS, a tuple of `Offer`")
    return tuple(offers)


def misfits(program: Program, offers: Offers) -> list[tuple[Operation, str]]:
    """Return the operations of a program that a host offers with other types, with the reason."""
    found = []
    for operation in program.operations:
        offer = offers.get(operation.name)
        reason = None if offer is None else offer.accepts(operation)
        if reason is not None:
            found.append((operation, reason))
    return found
