"""Values of the calculus (SPEC §1): finite, JSON-compatible, immutable.

A value is `None`, a `bool`, an `int`, a `str` of Unicode scalars, a `tuple` of values (a list), or a
`RecordValue`. Nothing here recurses in Python: values may be a million levels deep, and *shared*, so
that a value of sixty nodes would be exponentially large if it were written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, Union

import attrs

from eclogue.core.errors import MalformedInput


@attrs.frozen(eq=False, repr=False)
class RecordValue:
    """A record: unique text keys with values; their order cannot be observed.

    `fields` has its keys in ascending code-point order and is never changed; build one with `record`.
    """

    fields: Mapping[str, Value]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordValue) and equal(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"RecordValue({', '.join(self.fields)})"


Value: TypeAlias = Union[None, bool, int, str, "tuple[Value, ...]", RecordValue]


def record(fields: Mapping[str, Value] | Iterable[tuple[str, Value]]) -> RecordValue:
    """Return the record with these fields; of a key that occurs twice the later one wins."""
    given = dict(fields)
    return RecordValue({key: given[key] for key in sorted(given)})


def kind_name(value: Value) -> str:
    """Return the kind of a value in the words of the surface language, such as `Int`."""
    return _KIND_NAMES[type(value)]


_KIND_NAMES: dict[type, str] = {
    type(None): "Unit",
    bool: "Bool",
    int: "Int",
    str: "Text",
    tuple: "List",
    RecordValue: "Record",
}


def equal(left: Value, right: Value) -> bool:
    """Return whether two values are the same, kinds kept apart: `true` is not `1` (`value.equal`).

    Linear in the number of distinct pairs of nodes, however much the values share.
    """
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is tuple or kind is RecordValue:
        return _equal_containers(left, right)
    return left == right


def _equal_containers(left: Value, right: Value) -> bool:
    pending: list[tuple[Value, Value]] = [(left, right)]
    seen: set[tuple[int, int]] = set()
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, tuple) and isinstance(b, tuple):
            if len(a) != len(b):
                return False
            pairs: Iterable[tuple[Value, Value]] = zip(a, b, strict=True)
        elif isinstance(a, RecordValue) and isinstance(b, RecordValue):
            if a.fields.keys() != b.fields.keys():
                return False
            pairs = zip(a.fields.values(), b.fields.values(), strict=True)
        elif a == b:
            continue
        else:
            return False
        pair = (id(a), id(b))
        if pair not in seen:
            seen.add(pair)
            pending.extend(pairs)
    return True


class ByValue:
    """A key for attrs' generated equality that compares a field's values with `equal`."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByValue) and equal(self.value, other.value)


def is_text(text: str) -> bool:
    """Return whether a Python string is a text of Unicode scalars, that is, has no surrogates."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def from_python(data: object) -> Value:
    """Return the value that plain Python data denote: None, bool, int, str, list, dict.

    Raises `MalformedInput` for floats, surrogates, keys that are not text, and anything else.
    """
    results: list[Value] = []
    pending: list[tuple[object, bool]] = [(data, False)]
    while pending:
        item, ready = pending.pop()
        if ready:
            _assemble(item, results)
        elif item is None or isinstance(item, (bool, int)):
            results.append(item)
        elif isinstance(item, str):
            results.append(_checked_text(item))
        elif isinstance(item, RecordValue):
            results.append(item)
        elif isinstance(item, (list, tuple)):
            pending.append((item, True))
            pending.extend((child, False) for child in reversed(item))
        elif isinstance(item, dict):
            for key in item:
                _checked_key(key)
            pending.append((item, True))
            pending.extend((child, False) for child in reversed(item.values()))
        else:
            raise MalformedInput(_no_value(item))
    return results[0]


def _assemble(item: object, results: list[Value]) -> None:
    """Replace the children of `item` at the end of `results` by the value they make up."""
    assert isinstance(item, (list, tuple, dict))
    start = len(results) - len(item)
    children = results[start:]
    del results[start:]
    if isinstance(item, dict):
        results.append(record(zip(item, children, strict=True)))
    else:
        results.append(tuple(children))


def _checked_text(text: str) -> str:
    if not is_text(text):
        raise MalformedInput("a text must not contain surrogates")
    return text


def _checked_key(key: object) -> None:
    if not isinstance(key, str):
        raise MalformedInput(f"a record key must be text, not {type(key).__name__}")
    _checked_text(key)


def _no_value(item: object) -> str:
    if isinstance(item, float):
        return "floats are not values: write a decimal as text, or a scaled int"
    return f"{type(item).__name__} is not a kind of value"
