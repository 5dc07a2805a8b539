"""The refs of a trace, computed again from its records (SPEC §7, rule `trace.ref`)."""

from __future__ import annotations

import attrs

from eclogue.core.canonical import commitment
from eclogue.core.limits import DEFAULT
from eclogue.core.trace import START_REF, Record, next_ref, skeleton
from eclogue.core.values import Value
from eclogue.validator.withheld import Withheld


@attrs.frozen
class RefMismatch:
    """The first record whose ref is not the one that its trace gives it."""

    number: int
    expected: str
    found: str


@attrs.frozen
class RefsChecked:
    """How many records had their right refs, the last of these refs, and the first one that was wrong."""

    records: int
    last: str
    mismatch: RefMismatch | None = None


class RefChain:
    """Computes refs as records come, and compares them with those that a file gives.

    `salt` is the one that the trace's commitments were made with; `limit` the size in bytes of one value,
    beyond which `accept` raises `LimitExceeded("value_size")`.
    """

    def __init__(self, salt: bytes = b"", limit: int = DEFAULT.value_size) -> None:
        self._last = START_REF
        self._records = 0
        self._mismatch: RefMismatch | None = None
        self._salt = salt
        self._limit = limit

    def accept(self, number: int, record: Record, ref: str) -> RefMismatch | None:
        """Take a record and the ref that stands beside it; after a mismatch nothing more is accepted."""
        if self._mismatch is None:
            expected = next_ref(self._last, skeleton(number, record, self._commit))
            if ref == expected:
                self._last = ref
                self._records += 1
            else:
                self._mismatch = RefMismatch(number, expected, ref)
        return self._mismatch

    def result(self) -> RefsChecked:
        """Return what was found so far."""
        return RefsChecked(self._records, self._last, self._mismatch)

    def _commit(self, value: Value) -> str:
        if isinstance(value, Withheld):
            return value.commitment
        return commitment(value, self._salt, self._limit)
