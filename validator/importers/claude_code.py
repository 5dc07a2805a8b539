"""Sessions of Claude Code, in JSON Lines, as traces.

| there | here |
|---|---|
| a block that calls a tool, such as `tool_use` | `EffectDeclaration`: `name` and `input` |
| the block `tool_result` (`…_tool_result`) of its id | `HostObservation` with its `content`; `failed` |
| | if `is_error` is true, else `returned` |
| everything else | the extra file |

Calls and results are paired across the whole file, in the order of its lines, as `calls` describes. A
line whose `uuid` an earlier line has is a copy of that one: its calls and results are no records. Calls
on lines with `isSidechain` are a sub-agent's; they are records like all others, and counted.

The run is taken to have ended, with the text of the agent's last message as its value, if that message
says `stop_reason` `end_turn` or `stop_sequence`, nothing but bookkeeping follows it, and every call has
its result; otherwise the trace is a prefix.

The format is not published and drifts: a line or block of an unknown kind, or one that lacks what is
expected of it, is kept in the extra file and counted. Only what is no JSON is refused, and a file in
which no line has a known type. Lines are read one at a time; what waits in memory are the calls since the
oldest without a result.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from eclogue.core.trace import CompletedWith
from eclogue.core.values import Value
from eclogue.validator.importers.calls import FAILED, RETURNED, call_marks, content_mark
from eclogue.validator.importers.foreign_json import (
    Changes,
    changed,
    is_object,
    is_string,
    items,
    members,
    operation_of,
    text_in,
)
from eclogue.validator.importers.json_lines import read_json_lines
from eclogue.validator.importers.trajectory import Ending, Import, not_this_format

MESSAGES = frozenset({"user", "assistant"})
OTHERS = frozenset(
    [
        "system",
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "attachment",
        "progress",
        "permission-mode",
        "custom-title",
        "ai-title",
        "last-prompt",
        "agent-name",
        "pr-link",
    ]
)
"""Types of lines that hold no message."""
CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
BLOCKS = frozenset({"text", "thinking", "redacted_thinking", "image", "document"})
"""Types of blocks that are neither calls nor results."""
_ENDED = frozenset({"end_turn", "stop_sequence"})


@attrs.define
class _Session:
    seen: set[str] = attrs.Factory(set)
    known: bool = False
    first: Value = None
    last: Value = None
    """The last message of the main conversation, if it is the agent's."""


def import_claude_code(lines: Iterable[bytes], into: Import) -> Ending:
    """Import a session; raises `TrajectoryRefused` (EC0004, EC0005, EC4601, EC4605)."""
    session = _Session()
    for number, entry in read_json_lines(lines, "Claude Code"):
        session.first = entry if session.first is None else session.first
        changes: Changes = {}
        _entry(entry, changes, session, into)
        into.extra(number, changed(entry, changes))
    if not session.known:
        not_this_format("Claude Code", "line with a `type` that it uses", session.first)
    return _ending(session, into)


def _entry(entry: Value, changes: Changes, session: _Session, into: Import) -> None:
    fields = members(entry)
    kind = text_in(entry, "type")
    if kind not in MESSAGES:
        session.known |= kind in OTHERS
        if kind not in OTHERS:
            into.count_unknown(kind)
        return
    session.known = True
    blocks = items(members(fields.get("message")).get("content"))
    if _is_copy(fields.get("uuid"), session):
        into.copied += sum(text_in(block, "type") in CALLS for block in blocks)
        return
    aside = fields.get("isSidechain") is True
    if not aside:
        session.last = fields.get("message") if kind == "assistant" else None
    for block in blocks:
        into.delegated += _block(block, changes, into) and aside


def _is_copy(uuid: Value, session: _Session) -> bool:
    if not isinstance(uuid, str):
        return False
    if uuid in session.seen:
        return True
    session.seen.add(uuid)
    return False


def _block(block: Value, changes: Changes, into: Import) -> bool:
    """Take a block of a message; return whether it is a call."""
    fields = members(block)
    kind = text_in(block, "type")
    if kind in CALLS and is_string(fields.get("name")) and "input" in fields:
        number = into.calls.call(operation_of(fields["name"]), fields["input"], *_keys(fields.get("id")))
        changes[id(block)] = call_marks(number, "name", "input")
        return True
    if kind is not None and kind.endswith("tool_result"):
        _result(block, changes, into)
    elif kind not in BLOCKS:
        into.count_unknown(kind)
    return False


def _result(block: Value, changes: Changes, into: Import) -> None:
    fields = members(block)
    status = FAILED if fields.get("is_error") is True else RETURNED
    has_content = "content" in fields
    keys = _keys(fields.get("tool_use_id"))
    found = into.calls.result(status, fields.get("content"), *keys, has_content=has_content)
    if found is not None and has_content:
        changes[id(block)] = {"content": content_mark(found)}


def _keys(name: Value) -> tuple[str, ...]:
    """Return what ids are compared by; what is no text belongs to nothing."""
    return (operation_of(name),) if is_string(name) else ()


def _ending(session: _Session, into: Import) -> Ending:
    fields = members(session.last)
    if not is_object(session.last):
        return Ending(None, "the last message is not the agent's")
    if into.calls.waits:
        return Ending(None, "a call has no result")
    if text_in(session.last, "stop_reason") not in _ENDED:
        return Ending(None, "the agent's last message does not say that its turn ended")
    texts = [members(block).get("text") for block in items(fields.get("content"))]
    content = fields.get("content")
    value = (
        content
        if is_string(content)
        else next((text for text in reversed(texts) if text is not None), None)
    )
    return Ending(
        CompletedWith(value), "the agent's last message ends its turn, and every call has its result"
    )
