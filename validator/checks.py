"""The checks that need no program, all of them made of the same records as these come."""

from __future__ import annotations

import attrs

from eclogue.core.limits import DEFAULT
from eclogue.core.profiles import TraceProfile, TraceProfiler
from eclogue.core.trace import Record
from eclogue.validator.lifecycle import Lifecycle, Verdict
from eclogue.validator.refs import RefChain, RefsChecked


@attrs.frozen
class RecordsChecked:
    """What the checks found about one trace: its refs, the lifecycle rules, and its profile.

    They stand together so that none of them can be about another trace than the rest. The profile is that
    of the records which the lifecycle rules accept.
    """

    refs: RefsChecked
    lifecycle: Verdict
    profile: TraceProfile


class RecordChecks:
    """Takes the records of a trace in order, each with the ref that stands beside it.

    Parameters are those of `RefChain`, and so is what `accept` raises.
    """

    def __init__(self, salt: bytes = b"", limit: int = DEFAULT.value_size) -> None:
        self._refs = RefChain(salt, limit)
        self._lifecycle = Lifecycle()
        self._profiler = TraceProfiler()

    def accept(self, number: int, record: Record, ref: str) -> None:
        """Make every check of record `number`; each stops at the first thing that it finds."""
        self._refs.accept(number, record, ref)
        if self._lifecycle.accept(number, record) is None:
            self._profiler(number, record, None)

    def result(self) -> RecordsChecked:
        """Return what was found so far."""
        return RecordsChecked(self._refs.result(), self._lifecycle.verdict(), self._profiler.result())
