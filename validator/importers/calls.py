"""Tool calls of another tool's run as records: each call a declaration, its result an observation.

A trace of this language suspends at one declaration at a time, the runs of other tools do not: calls
interleave, results come late, twice or never. So the records are ordered by call: call number `k`,
counted in the order of the file, is record `2k`, and its result is record `2k + 1`, wherever in the file
it stands. The file's own order stays in the extra file.

A result belongs to the oldest call of its id that has none yet. A result without such a call, and every
further one, is in the extra file only. A call that has no result is followed by an observation that says
so, `{"status": "missing"}`, as the next declaration could not follow otherwise; only where it is the last
call of a run that did not end does nothing follow, and the trace is a prefix that waits there.

An observation is a record with `status`, one of `returned`, `failed`, `rejected` and `missing`, and,
where the result has content, `content`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from typing import TypeAlias

import attrs

from eclogue.core.trace import CompletedWith, EffectDeclaration, HostObservation, Record, RunEnd
from eclogue.core.values import RecordValue, Value
from eclogue.validator.importers.foreign_json import CONTENT, OPERATION, PAYLOAD

RETURNED = "returned"
FAILED = "failed"
REJECTED = "rejected"
MISSING = "missing"

Emit: TypeAlias = Callable[[Record], None]


@attrs.define
class _Call:
    declaration: EffectDeclaration
    observed: Value = None
    answered: bool = False


@attrs.define
class Counts:
    """What was found in a file: calls, and results by what became of them."""

    calls: int = 0
    results: dict[str, int] = attrs.Factory(lambda: dict.fromkeys((RETURNED, FAILED, REJECTED, MISSING), 0))
    """How many calls had a result of each status."""
    unmatched: int = 0
    """Results that belong to no call, or to one that had its result already."""
    repeated_ids: int = 0
    """Calls whose id an earlier call had."""
    late: int = 0
    """Results that came when a later call had been made already."""


class Calls:
    """Pairs calls with their results, and emits the records of each call as soon as its turn has come."""

    def __init__(self, emit: Emit) -> None:
        self.counts = Counts()
        self.records = 0
        self._emit = emit
        self._waiting: dict[int, _Call] = {}
        """The calls that are not emitted yet, by number, in their order."""
        self._unanswered: set[int] = set()
        self._by_key: dict[Hashable, deque[int]] = {}

    def call(self, operation: str, payload: Value, *keys: Hashable) -> int:
        """Take a call, by whose keys its result will be found; return the number of its declaration."""
        number = 2 * self.counts.calls
        self.counts.calls += 1
        self.counts.repeated_ids += any(key in self._by_key for key in keys)
        for key in keys:
            self._by_key.setdefault(key, deque()).append(number)
        self._waiting[number] = _Call(EffectDeclaration(operation, payload))
        self._unanswered.add(number)
        return number

    def result(self, status: str, content: Value, *keys: Hashable, has_content: bool = True) -> int | None:
        """Take a result; return the number of its observation, or None where it belongs to no call.

        It belongs to the oldest call of the first key that has one which waits.
        """
        number = self._find(keys)
        if number is None:
            self.counts.unmatched += 1
            return None
        call = self._waiting[number]
        call.observed = _observed(status, content) if has_content else RecordValue({"status": status})
        call.answered = True
        self._unanswered.discard(number)
        self.counts.results[status] += 1
        self.counts.late += number + 2 < 2 * self.counts.calls
        self._flush()
        return number + 1

    def finish(self, ended: CompletedWith | None) -> None:
        """Emit what is left, and the end of the run if it ended."""
        last = 2 * self.counts.calls - 2
        for number, call in self._waiting.items():
            if not call.answered:
                self.counts.results[MISSING] += 1
                if ended is None and number == last:
                    self._record(call.declaration)
                    return
                call.observed = RecordValue({"status": MISSING})
            self._pair(number, call)
        if ended is not None:
            self._record(RunEnd(ended))

    @property
    def waits(self) -> bool:
        """Whether some call has no result so far."""
        return bool(self._unanswered)

    def _find(self, keys: tuple[Hashable, ...]) -> int | None:
        for key in keys:
            numbers = self._by_key.get(key, deque())
            while numbers and numbers[0] not in self._unanswered:
                numbers.popleft()
            if numbers:
                return numbers[0]
        return None

    def _flush(self) -> None:
        for number, call in list(self._ready()):
            del self._waiting[number]
            self._pair(number, call)

    def _ready(self) -> Iterator[tuple[int, _Call]]:
        for number, call in self._waiting.items():
            if not call.answered:
                return
            yield number, call

    def _pair(self, number: int, call: _Call) -> None:
        self._record(call.declaration)
        self._record(HostObservation(number, call.observed))

    def _record(self, record: Record) -> None:
        self.records += 1
        self._emit(record)


def _observed(status: str, content: Value) -> RecordValue:
    return RecordValue({"content": content, "status": status})


def call_marks(number: int, name: str, payload: str) -> dict[str, Value]:
    """Return what stands in a template for the name and the payload of a call, members so called."""
    return {name: RecordValue({OPERATION: number}), payload: RecordValue({PAYLOAD: number})}


def content_mark(number: int) -> RecordValue:
    """Return what stands in a template for the content of a result."""
    return RecordValue({CONTENT: number})
