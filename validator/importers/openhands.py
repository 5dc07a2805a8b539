"""Event logs of OpenHands as traces: a JSON list of events, or JSON Lines, of both generations.

| there, software agent SDK | here |
|---|---|
| `ActionEvent` | `EffectDeclaration`: `tool_name` and `action`, if null `tool_call.arguments` |
| `ObservationEvent` of its id | `HostObservation` with `observation`, `failed` if its `is_error` is true |
| `AgentErrorEvent` | `HostObservation`, `failed`, with `error` |
| `UserRejectObservation` | `HostObservation`, `rejected`, with `rejection_reason` |

| there, before it | here |
|---|---|
| an `action` that is no message nor bookkeeping | `EffectDeclaration`: `action` and `args` |
| an `observation` whose `cause` it is | `HostObservation` with `content`; `failed` if it is `error` or |
| | `success` is false, `rejected` if it is `user_rejected` |

Everything else goes to the extra file. An `ActionEvent` or action called `finish` says that the run
ended; the value is its payload. Otherwise the trace is a prefix. An event of an unknown kind is kept and
counted; what is refused is what is no JSON, and a file without any event of a known kind.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import chain

import attrs

from eclogue.core.errors import MalformedInput
from eclogue.core.trace import CompletedWith
from eclogue.core.values import RecordValue, Value
from eclogue.validator.importers.calls import FAILED, REJECTED, RETURNED, call_marks, content_mark
from eclogue.validator.importers.foreign_json import (
    PAYLOAD,
    Changes,
    changed,
    is_object,
    is_string,
    items,
    members,
    operation_of,
    read_json,
    text_in,
)
from eclogue.validator.importers.json_lines import read_json_lines
from eclogue.validator.importers.trajectory import (
    LARGEST_DOCUMENT,
    Ending,
    Import,
    document_text,
    not_json,
    not_this_format,
)

OTHER_KINDS = frozenset(
    [
        "SystemPromptEvent",
        "MessageEvent",
        "PauseEvent",
        "InterruptEvent",
        "Condensation",
        "CondensationRequest",
        "CondensationSummaryEvent",
        "ConversationStateUpdateEvent",
        "ConversationErrorEvent",
        "TokenEvent",
        "LLMCompletionLogEvent",
        "StreamingDeltaEvent",
        "ACPToolCallEvent",
        "HookExecutionEvent",
    ]
)
"""Kinds of events that are neither calls nor results."""
OTHER_ACTIONS = frozenset(
    [
        "message",
        "system",
        "recall",
        "change_agent_state",
        "condensation",
        "condensation_request",
        "null",
        "pause",
        "resume",
        "stop",
    ]
)
"""Actions of the first generation that call nothing."""
FINISH = "finish"
_RESULTS = {
    "ObservationEvent": "observation",
    "AgentErrorEvent": "error",
    "UserRejectObservation": "rejection_reason",
}


@attrs.define
class _Log:
    known: bool = False
    first: Value = None
    finished: CompletedWith | None = None


def import_openhands(lines: Iterable[bytes], into: Import) -> Ending:
    """Import a log of events; raises `TrajectoryRefused` (EC0004, EC0005, EC4601, EC4605)."""
    log = _Log()
    start = iter(lines)
    before, first = _first_line(start)
    rest = chain(before, start)
    if first.lstrip(b"\xef\xbb\xbf \t").startswith(b"["):
        _one_list(rest, log, into)
    else:
        for number, event in read_json_lines(rest, "OpenHands"):
            changes: Changes = {}
            _event(event, changes, log, into)
            into.extra(number, changed(event, changes))
    if not log.known:
        not_this_format("OpenHands", "event of a kind that it uses", log.first)
    return _ending(log)


def _first_line(lines: Iterator[bytes]) -> tuple[list[bytes], bytes]:
    """Return the lines up to the first that is not empty, and that one."""
    before: list[bytes] = []
    for line in lines:
        before.append(line)
        if line.strip():
            return before, line
    return before, b""


def _one_list(lines: Iterable[bytes], log: _Log, into: Import) -> None:
    try:
        document = read_json(document_text(_bounded(lines)))
    except MalformedInput as error:
        not_json(error, "OpenHands writes a JSON list of events, or an event a line")
    changes: Changes = {}
    for event in items(document):
        _event(event, changes, log, into)
    into.extra(None, changed(document, changes))


def _bounded(lines: Iterable[bytes]) -> bytes:
    """Return the bytes of a file, and of one that is too large only so much that this shows."""
    parts: list[bytes] = []
    size = 0
    for line in lines:
        parts.append(line)
        size += len(line)
        if size > LARGEST_DOCUMENT:
            break
    return b"".join(parts)


def _event(event: Value, changes: Changes, log: _Log, into: Import) -> None:
    log.first = event if log.first is None else log.first
    fields = members(event)
    kind = text_in(event, "kind")
    if kind == "ActionEvent" and is_string(fields.get("tool_name")):
        _action(event, changes, log, into)
    elif kind is not None and kind in _RESULTS:
        _observation(event, kind, changes, into)
    elif "kind" not in fields and is_string(fields.get("action")):
        _old_action(event, changes, log, into)
    elif "kind" not in fields and is_string(fields.get("observation")):
        _old_observation(event, changes, into)
    elif kind not in OTHER_KINDS:
        into.count_unknown(kind)
        return
    log.known = True


def _action(event: Value, changes: Changes, log: _Log, into: Import) -> None:
    fields = members(event)
    name = operation_of(fields["tool_name"])
    payload, inner = fields.get("action"), fields.get("tool_call")
    keys: list[Hashable] = [
        (part, operation_of(fields[part])) for part in ("id", "tool_call_id") if is_string(fields.get(part))
    ]
    if payload is not None or not is_object(inner) or "arguments" not in members(inner):
        number = into.calls.call(name, payload, *keys)
        place = "action" if "action" in fields else None
    else:
        number = into.calls.call(name, members(inner)["arguments"], *keys)
        place = None
        changes[id(inner)] = {"arguments": RecordValue({PAYLOAD: number})}
        payload = members(inner)["arguments"]
    marks = call_marks(number, "tool_name", "action")
    changes[id(event)] = {key: mark for key, mark in marks.items() if key in ("tool_name", place)}
    if name == FINISH:
        log.finished = CompletedWith(payload)


def _observation(event: Value, kind: str, changes: Changes, into: Import) -> None:
    fields = members(event)
    place = _RESULTS[kind]
    content = fields.get(place)
    status = {"AgentErrorEvent": FAILED, "UserRejectObservation": REJECTED}.get(kind, RETURNED)
    if kind == "ObservationEvent" and members(content).get("is_error") is True:
        status = FAILED
    wanted = (("action_id", "id"), ("tool_call_id", "tool_call_id"))
    keys = [(key, operation_of(fields[part])) for part, key in wanted if is_string(fields.get(part))]
    has_content = place in fields
    found = into.calls.result(status, content, *keys, has_content=has_content)
    if found is not None and has_content:
        changes[id(event)] = {place: content_mark(found)}


def _old_action(event: Value, changes: Changes, log: _Log, into: Import) -> None:
    fields = members(event)
    name = operation_of(fields["action"])
    if name in OTHER_ACTIONS:
        return
    if name == FINISH:
        log.finished = CompletedWith(fields.get("args"))
        return
    number = into.calls.call(name, fields.get("args"), *_old_key(fields.get("id")))
    marks = call_marks(number, "action", "args")
    changes[id(event)] = {key: mark for key, mark in marks.items() if key in fields}


def _old_observation(event: Value, changes: Changes, into: Import) -> None:
    fields = members(event)
    name = text_in(event, "observation")
    if fields.get("cause") is None and name in ("agent_state_changed", "null", "recall", "condense"):
        return
    status = FAILED if name == "error" or fields.get("success") is False else RETURNED
    if name == "user_rejected":
        status = REJECTED
    has_content = "content" in fields
    found = into.calls.result(
        status, fields.get("content"), *_old_key(fields.get("cause")), has_content=has_content
    )
    if found is not None and has_content:
        changes[id(event)] = {"content": content_mark(found)}


def _old_key(name: Value) -> tuple[Hashable, ...]:
    """Return what ids of the first generation are compared by: they are ints."""
    return (("old", name),) if type(name) is int else ()


def _ending(log: _Log) -> Ending:
    if log.finished is None:
        return Ending(None, "the agent did not say that it finished")
    return Ending(log.finished, "the agent said that it finished")
