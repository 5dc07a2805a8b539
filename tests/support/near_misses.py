"""Values that are nearly equal to a given one: what a careless writer or comparison would confuse."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from eclogue.core.canonical import decimal
from eclogue.core.values import RecordValue, Value, record


def near_values(value: Value, rng: Random) -> Iterator[Value]:
    """Yield some values that differ from this one in one place, at any depth (a few may be equal)."""
    yield from _near_here(value)
    if isinstance(value, tuple) and value:
        position = rng.randrange(len(value))
        for changed in near_values(value[position], rng):
            yield (*value[:position], changed, *value[position + 1 :])
    elif isinstance(value, RecordValue) and value.fields:
        key = rng.choice(list(value.fields))
        for changed in near_values(value.fields[key], rng):
            yield record({**value.fields, key: changed})


def _near_here(value: Value) -> Iterator[Value]:
    yield (value,)
    yield record({"a": value})
    if value is None:
        yield from (False, 0, "", "null", (), record({}))
    elif isinstance(value, bool):
        yield from (not value, int(value), str(value).lower(), None)
    elif isinstance(value, int):
        yield from (value + 1, -value, bool(value), decimal(value))
        yield record({"$int": decimal(value)})
        yield record({"$$int": decimal(value)})
    elif isinstance(value, str):
        yield from (value + " ", value + "\0", f'"{value}"', (value,), tuple(value))
        if value.isdecimal():
            yield int(value)
    elif isinstance(value, tuple):
        yield from (value[1:], (*value, None), value[::-1])
        yield record((str(position), item) for position, item in enumerate(value))
    else:
        yield tuple(value.fields.values())
        for key, item in value.fields.items():
            rest = {name: kept for name, kept in value.fields.items() if name != key}
            yield record(rest)
            yield record({**rest, f"${key}": item})
            yield record({**rest, key.removeprefix("$"): item})
