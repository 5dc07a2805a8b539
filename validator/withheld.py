"""Values that are not there: of a redacted value only the commitment is left (rule `redact.commitment`)."""

from __future__ import annotations

from typing import Any, cast

import attrs

from eclogue.core.trace import CompletedWith, EffectDeclaration, Record, RunEnd
from eclogue.core.values import Value


@attrs.frozen
class Withheld:
    """Stands for a value that was redacted; `commitment` is what the refs are computed from."""

    commitment: str


def withheld(commitment: str) -> Value:
    """Return what stands for a value in the record of a redacted trace; nothing but refs may look at it."""
    return cast("Value", Withheld(commitment))


def value_member(record: Record) -> str | None:
    """Return the member of a record's line that holds its value, None if it has none."""
    if isinstance(record, EffectDeclaration):
        return "payload"
    if isinstance(record, RunEnd):
        return "value" if isinstance(record.outcome, CompletedWith) else None
    return "value" if hasattr(record, "value") else None


def value_of(record: Record) -> Value:
    """Return the value of a record that has one."""
    if isinstance(record, EffectDeclaration):
        return record.payload
    holder: Any = record.outcome if isinstance(record, RunEnd) else record
    value: Value = holder.value
    return value


def with_value(record: Record, value: Value) -> Record:
    """Return a record that has a value, with another one in its place."""
    if isinstance(record, EffectDeclaration):
        return attrs.evolve(record, payload=value)
    if isinstance(record, RunEnd):
        return RunEnd(CompletedWith(value))
    holder: Any = record
    changed: Record = attrs.evolve(holder, value=value)
    return changed


def is_withheld(record: Record) -> bool:
    """Return whether the value of a record was redacted."""
    return value_member(record) is not None and isinstance(value_of(record), Withheld)
