"""Traces as trajectories in ATIF v1.8.

| here | there |
|---|---|
| `EffectDeclaration` | a step of the agent with one tool call; `llm_call_count` is 0: a program made it |
| its `HostObservation` | the result of that call: text as it is, any other value as JSON in text |
| how the run ended, or that it waits | a last step of the system that says so |

Everything else has no place there: handler selections, what is resumed and returned, answers, aborts and
what they drop. So the export is lossy; its `notes` say what was left out, and the trace stays what claims
are about. The numbers of records, and whether a payload stands in an object of its own, are in
`extra.eclogue`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import attrs

from eclogue.core.canonical import text_of
from eclogue.core.errors import FailureReason
from eclogue.core.syntax import Span
from eclogue.core.trace import (
    CompletedWith,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    RunEnd,
)
from eclogue.core.values import RecordValue, Value, record
from eclogue.validator.importers.atif_rules import NEWEST
from eclogue.validator.importers.foreign_json import json_of

_WITH_PLACE = (EffectDeclaration, HostObservation, RunEnd, Failure)


@attrs.frozen
class Exported:
    """A document, its number of steps, and how many records of which kind have no place in it."""

    document: Value
    steps: int
    left_out: dict[str, int]
    notes: str


def export_trace(
    records: Iterable[tuple[int, Record, Span | None]], trace_ref: str, version: str
) -> Exported:
    """Return a trace that keeps the lifecycle rules as a trajectory.

    `version` is Eclogue's own. Raises `LimitExceeded("value_size")`.
    """
    steps = _Steps()
    count = 0
    for number, item, span in records:
        steps.take(number, item, span)
        count += 1
    steps.end()
    left_out = dict(sorted(steps.left_out.items()))
    notes = _notes(trace_ref, left_out)
    own = _own(records=count, left_out=record(left_out), strength="runtime_only", trace_ref=trace_ref)
    document = record(
        {
            "schema_version": NEWEST,
            "trajectory_id": trace_ref,
            "agent": record({"name": "eclogue", "version": version}),
            "steps": tuple(steps.done),
            "notes": notes,
            "final_metrics": record({"total_steps": len(steps.done)}),
            "extra": own,
        }
    )
    return Exported(document, len(steps.done), left_out, notes)


def _notes(trace_ref: str, left_out: dict[str, int]) -> str:
    parts = ", ".join(f"{count} {name}" for name, count in left_out.items())
    lost = f"records without a place in ATIF were left out: {parts}" if parts else "no record was left out"
    return (
        f"Exported by Eclogue from the trace {trace_ref}; {lost}."
        " Claims are about that trace, not about this export."
    )


def _own(**fields: Value) -> RecordValue:
    return record({"eclogue": record(fields)})


class _Steps:
    """The steps of a trajectory, as records come."""

    def __init__(self) -> None:
        self.done: list[Value] = []
        self.left_out: Counter[str] = Counter()
        self._call: dict[str, Value] | None = None
        """The call of the declaration that was read last, and until it is a step."""
        self._facts: dict[str, Value] = {}
        self._result: Value = None
        self._ended: tuple[str, RecordValue] | None = None
        self._waits = False

    def take(self, number: int, item: Record, span: Span | None) -> None:
        """Take the next record."""
        if not isinstance(item, _WITH_PLACE):
            self.left_out[type(item).__name__] += 1
        match item:
            case EffectDeclaration(operation, payload):
                self._add_call()
                self._declare(number, operation, payload, span)
            case HandlerSelection():
                self._facts["handled_by"] = number
                self._waits = False
            case HostObservation(_, value):
                self._observe(number, value)
            case RunEnd(CompletedWith(value)):
                how = f"completed with {text_of(value)}"
                self._ended = how, _own(record=number, status="completed", value=json_of(value))
            case RunEnd(FailureReason() as reason):
                self._ended = f"failed: {reason}", _own(record=number, status="failed", reason=str(reason))

    def end(self) -> None:
        """Add the last step, which says how the run ended."""
        self._add_call()
        how = "waits for the host's answer to the call before" if self._waits else "has not ended"
        message, extra = self._ended or (how, _own(status="prefix"))
        self._add({"source": "system", "message": f"The run {message}", "extra": extra})

    def _declare(self, number: int, operation: str, payload: Value, span: Span | None) -> None:
        text_of(payload)  # refuses a value that sharing makes too large to be written
        is_object = isinstance(payload, RecordValue)
        arguments = json_of(payload) if is_object else record({"payload": json_of(payload)})
        name = f"record-{number}"
        self._call = {"tool_call_id": name, "function_name": operation, "arguments": arguments}
        self._facts = {
            "record": number,
            "arguments": "the payload" if is_object else "an object with the payload",
        }
        if span is not None:
            self._facts["span"] = (span.line, span.column, span.end_line, span.end_column)
        self._result = None
        self._waits = True

    def _observe(self, number: int, value: Value) -> None:
        self._waits = False
        is_text = isinstance(value, str)
        self._result = record(
            {
                "source_call_id": self._call["tool_call_id"] if self._call else None,
                "content": value if is_text else text_of(value),
                "extra": _own(record=number, content="text" if is_text else "JSON"),
            }
        )

    def _add_call(self) -> None:
        if self._call is None:
            return
        call = record({**self._call, "extra": _own(**self._facts)})
        step: dict[str, Value] = {
            "source": "agent",
            "message": "",
            "llm_call_count": 0,
            "tool_calls": (call,),
        }
        if self._result is not None:
            step["observation"] = record({"results": (self._result,)})
        self._add(step)
        self._call = None

    def _add(self, step: dict[str, Value]) -> None:
        self.done.append(record({**step, "step_id": len(self.done) + 1}))
