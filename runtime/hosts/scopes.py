"""The host `scope`: forks, merges and discards of what the run has written, as effects of the program.

`fork` makes a child of the current scope and goes into it; `merge` and `discard` end the current scope and
go back to its parent; `switch` goes to another open scope. Merge conflicts are a value.
"""

from __future__ import annotations

import os

from eclogue.core.schema import ListSchema
from eclogue.core.syntax import Tier
from eclogue.core.values import Value, record
from eclogue.runtime.hosts.offers import BOOL, TEXT, UNIT, CannotCarryOut, Offer, of
from eclogue.runtime.sandbox.interface import Conflicts, SandboxError
from eclogue.runtime.session import Session


def _fork(session: Session, payload: Value) -> Value:
    name = str(payload)
    open_now = {scope.name for scope in session.world.scopes()}
    if not (session.again and name in open_now):
        _tried(lambda: session.scope.fork(name))
    return None


def _merge(session: Session, payload: Value) -> Value:  # noqa: ARG001 - there is none
    if _is_gone(session):
        return record({"merged": True, "conflicts": ()})
    try:
        found = session.scope.merge()
    except SandboxError as error:
        raise CannotCarryOut(error.message) from None
    if not isinstance(found, Conflicts):
        return record({"merged": True, "conflicts": ()})
    conflicts = tuple(
        record({"path": os.fsdecode(item.path).encode("utf-8", "replace").decode(), "kind": item.kind})
        for item in found.conflicts
    )
    return record({"merged": False, "conflicts": conflicts})


def _discard(session: Session, payload: Value) -> Value:  # noqa: ARG001 - there is none
    if not _is_gone(session):
        _tried(session.scope.discard)
    return None


def _is_gone(session: Session) -> bool:
    """Whether the scope was ended before the run was interrupted."""
    return session.again and all(scope.name != session.current for scope in session.world.scopes())


def _switch(session: Session, payload: Value) -> Value:
    _tried(lambda: session.world.scope(str(payload)))
    return None


def _diff(session: Session, payload: Value) -> Value:  # noqa: ARG001 - there is none
    return tuple(
        record({"path": change.path.decode("utf-8", "backslashreplace"), "change": change.kind.value})
        for change in session.scope.diff()
    )


def _tried(step: object) -> None:
    try:
        step()  # type: ignore[operator]
    except SandboxError as error:
        raise CannotCarryOut(error.message) from None


def follow(session: Session, operation: str, payload: Value, result: Value) -> None:
    """Have the session's current scope be the one after a scope operation with this result."""
    if operation == "scope.fork":
        session.parents[str(payload)] = session.current
        session.current = str(payload)
    elif operation == "scope.switch":
        session.current = str(payload)
    elif operation == "scope.discard" or (operation == "scope.merge" and _merged(result)):
        session.current = session.parents.get(session.current, session.current)


def _merged(result: Value) -> bool:
    fields = getattr(result, "fields", {"merged": True})
    return fields.get("merged", True) is True


_CONFLICTS = ListSchema(of(path=TEXT, kind=TEXT))
_TOUCHES = frozenset({"scopes"})

SCOPES = (
    Offer("scope.fork", TEXT, UNIT, Tier.REVERSIBLE, _fork, touches=_TOUCHES),
    Offer(
        "scope.merge",
        UNIT,
        of(merged=BOOL, conflicts=_CONFLICTS),
        Tier.REVERSIBLE,
        _merge,
        touches=_TOUCHES,
    ),
    Offer("scope.discard", UNIT, UNIT, Tier.REVERSIBLE, _discard, touches=_TOUCHES),
    Offer("scope.switch", TEXT, UNIT, Tier.REVERSIBLE, _switch, touches=_TOUCHES),
    Offer("scope.diff", UNIT, ListSchema(of(path=TEXT, change=TEXT)), Tier.REVERSIBLE, _diff),
)
