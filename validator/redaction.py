"""Redaction: values are taken out of a trace, and their commitments stay (SPEC §18).

Refs cover commitments, so that a redacted trace has the refs of the trace that it was, and keeps the
lifecycle rules as that did; it cannot be replayed. What is taken out goes to a blobs file, line by line as
it was, from which the trace comes back to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import attrs

from eclogue.core.canonical import commitment, decimal, text_of
from eclogue.core.errors import MalformedInput
from eclogue.core.trace import (
    ContinuationResume,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    RunEnd,
)
from eclogue.core.values import RecordValue, Value
from eclogue.validator.withheld import Withheld, is_withheld, value_member, value_of

RECORDS = ("ContinuationResume", "ResumeReturn", "EffectCapture", "HostObservation", "RunEnd")
"""Records that can be named in a selection, apart from declarations, which are named by operation."""
_SHORTEST = 4
"""Texts of fewer characters are too common to be looked for in other values."""


@attrs.frozen
class Selector:
    """What is to be taken out: values of operations that a pattern matches, or of a kind of record.

    Of an operation, `payload` means its declarations, `result` what the host or a clause answered to them.
    """

    pattern: str
    payload: bool = True
    result: bool = True

    @property
    def record(self) -> str | None:
        """The kind of record that is meant, if one is."""
        return self.pattern if self.pattern in RECORDS else None


_SELECTOR = re.compile(r"([^\s:]+?)(?::(payload|result))?")


def read_selector(text: str) -> Selector:
    """Return the selector in a text: `model.*`, `model.call:payload`, `fs.read:result`, `RunEnd`.

    Raises `MalformedInput` for anything else.
    """
    match = _SELECTOR.fullmatch(text.strip())
    if match is None or (match[1] not in RECORDS and not re.search(r"[.*?]", match[1])):
        kinds = ", ".join(RECORDS)
        raise MalformedInput(f"`{text}` is no operation like model.call or model.*, and none of {kinds}")
    part = match[2]
    return Selector(match[1], part != "result", part != "payload")


@attrs.frozen
class Kept:
    """A record that still tells something that was taken out elsewhere."""

    number: int
    why: str


@attrs.frozen(eq=False)
class Selection:
    """Which records lose their values, and which others still tell them."""

    numbers: frozenset[int]
    kept: tuple[Kept, ...]


class NotRedactable(MalformedInput):
    """A secret that stands where nothing can be taken out: in a name."""


def select(
    records: Sequence[Record],
    selectors: Sequence[Selector],
    secrets: Sequence[str] = (),
    *,
    everywhere: bool = False,
) -> Selection:
    """Return which records lose their values (`redact.select`).

    That are those which a selector means, and those in which a secret stands. With `everywhere`, those
    that still tell a value which a selector means lose theirs too. Raises `NotRedactable` for a secret in
    a name.
    """
    for number, record in enumerate(records):
        for secret in secrets:
            if any(secret in name for name in _names(record)):
                raise NotRedactable(f"it stands in a name of record {number}, and names are not redacted")
    chosen = set(_selected(records, selectors))
    hiding = {number for number, value in _values(records) if any(_tells(value, text) for text in secrets)}
    known = _Known({number: value for number, value in _values(records) if number in chosen})
    kept = tuple(
        Kept(number, why)
        for number, value in _values(records)
        if number not in chosen | hiding and (why := known.told_by(value)) is not None
    )
    if everywhere:
        return Selection(frozenset(chosen | hiding | {item.number for item in kept}), ())
    return Selection(frozenset(chosen | hiding), kept)


def _names(record: Record) -> Iterator[str]:
    """Yield the texts of a record that are part of its skeleton."""
    if isinstance(record, EffectDeclaration):
        yield record.operation
    reason = record.reason if isinstance(record, Failure) else getattr(record, "outcome", None)
    key = getattr(reason, "key", None)
    if isinstance(record, (Failure, RunEnd)) and isinstance(key, str):
        yield key


def _values(records: Sequence[Record]) -> Iterator[tuple[int, Value]]:
    """Yield the values of a trace that are there, with their records' numbers."""
    for number, record in enumerate(records):
        if value_member(record) is not None and not is_withheld(record):
            yield number, value_of(record)


def _selected(records: Sequence[Record], selectors: Sequence[Selector]) -> Iterator[int]:
    """Yield the records that selectors mean; each is about the operation of its declaration, if of any."""
    operations: dict[int, str] = {}
    for number, record in enumerate(records):
        operation, result = "", True
        if isinstance(record, EffectDeclaration):
            operation, result = record.operation, False
            operations[number] = operation
        elif isinstance(record, HandlerSelection):
            operations[number] = operations.get(record.declaration, "")
        elif isinstance(record, HostObservation):
            operation = operations.get(record.declaration, "")
        elif isinstance(record, ContinuationResume):
            operation = operations.get(record.selection, "")
        if value_member(record) is None:
            continue
        if any(_means(selector, type(record).__name__, operation, result) for selector in selectors):
            yield number


def _means(selector: Selector, kind: str, operation: str, result: bool) -> bool:
    if selector.record is not None:
        return kind == selector.record
    wanted = selector.result if result else selector.payload
    return bool(operation) and wanted and fnmatchcase(operation, selector.pattern)


# ------------------------------------------------------------------------------------------------
# What values tell


class _Known:
    """Values that were taken out, by record, to be looked for in others."""

    def __init__(self, values: Mapping[int, Value]) -> None:
        self.whole: dict[str, int] = {}
        self.texts: dict[str, int] = {}
        for number, value in values.items():
            if len(written := text_of(value)) >= _SHORTEST:
                self.whole.setdefault(written, number)
            for text in texts_of(value):
                if len(text) >= _SHORTEST:
                    self.texts.setdefault(text, number)

    def told_by(self, value: Value) -> str | None:
        """Return how a value tells one of these; None if it does not."""
        written = text_of(value)
        if written in self.whole:
            return f"the value of record {self.whole[written]}"
        for text, number in self.texts.items():
            if _tells(value, text):
                return f"a text or number in the value of record {number}, of {len(text)} characters"
        for whole, number in self.whole.items():
            if whole in written:
                return f"the value of record {number}, inside another"
        return None


def _tells(value: Value, secret: str) -> bool:
    """Return whether a text stands in one of a value's texts, keys included."""
    return any(secret in text for text in texts_of(value))


def texts_of(value: Value) -> Iterator[str]:
    """Yield the texts in a value, the keys of its records, and its numbers as they are written."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, int) and not isinstance(item, bool):
            yield decimal(item)
        elif isinstance(item, tuple):
            pending.extend(item)
        elif isinstance(item, RecordValue):
            yield from item.fields
            pending.extend(item.fields.values())


# ------------------------------------------------------------------------------------------------
# Lines

_MEMBER = re.compile(r'("(?:payload|value)"\s*:\s*)\{\s*"\$commitment"\s*:\s*"(sha256:[0-9a-f]{64})"\s*\}')


def without_commitment(text: str) -> tuple[str, str, str] | None:
    """Return a line with null for its redacted value, the member's name, and the commitment.

    None for a line without one. No value can be written so: a key that begins with `$` has one more.
    """
    match = _MEMBER.search(text)
    if match is None:
        return None
    name = match[1].partition('"')[2].partition('"')[0]
    return f"{text[: match.start()]}{match[1]}null{text[match.end() :]}", name, match[2]


def committed(value: Value, salt: bytes, limit: int) -> Withheld:
    """Return what stands for a value once it is taken out."""
    return value if isinstance(value, Withheld) else Withheld(commitment(value, salt, limit))
