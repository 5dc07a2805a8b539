"""Trajectories in ATIF (Agent Trajectory Interchange Format, v1.0 to v1.8) as traces.

| there | here |
|---|---|
| a tool call of a step | `EffectDeclaration`: `function_name` the operation, `arguments` the payload |
| the result in that step with its id | `HostObservation`, `returned`, with the result's `content` |
| everything else | the extra file |

Calls are paired within their step, as `calls` describes. The calls of embedded sub-agents follow those of
the trajectory that holds them. Steps with `is_copied_context` tell of calls that were made in another
trajectory: they are no records. A result without a call (`source_call_id` null, or of no call in the
step) is in the extra file only.

ATIF does not say that a run ended. It is taken to have ended, with the last step's message as its value,
if that step is the agent's and makes no call, every call has its result, and the trajectory is not
continued elsewhere; otherwise the trace is a prefix.

A document is refused for what ATIF forbids (`atif_rules`), with two leniencies: a field may be newer than
the version that the document names, and a result may name a call that is not in its step.
"""

from __future__ import annotations

from eclogue.core.errors import MalformedInput
from eclogue.core.trace import CompletedWith
from eclogue.core.values import Value
from eclogue.validator.importers.atif_rules import check, trajectories_of
from eclogue.validator.importers.calls import RETURNED, call_marks, content_mark
from eclogue.validator.importers.foreign_json import (
    Changes,
    changed,
    is_object,
    items,
    members,
    operation_of,
    read_json,
)
from eclogue.validator.importers.trajectory import Ending, Import, not_json, not_this_format


def import_atif(text: str, into: Import) -> Ending:
    """Import a document; raises `TrajectoryRefused` (EC4601 to EC4605)."""
    try:
        document = read_json(text)
    except MalformedInput as error:
        not_json(error, "an ATIF file is one JSON object")
    if not is_object(document) or "schema_version" not in members(document):
        not_this_format("ATIF", "object with a `schema_version`", document)
    check(document, text)
    version = members(document)["schema_version"]
    into.version = version if isinstance(version, str) else None
    changes: Changes = {}
    for place, trajectory in enumerate(trajectories_of(document)):
        before = into.calls.counts.calls
        for step in items(members(trajectory)["steps"]):
            _step(step, changes, into)
        if place:
            into.delegated += into.calls.counts.calls - before
    into.extra(None, changed(document, changes))
    return _ending(document, into)


def _step(step: Value, changes: Changes, into: Import) -> None:
    calls = items(members(step).get("tool_calls"))
    results = items(members(members(step).get("observation")).get("results"))
    if members(step).get("is_copied_context") is True:
        into.copied += len(calls)
        return
    scope = into.calls.counts.calls
    for call in calls:
        fields = members(call)
        key = (scope, _id(fields["tool_call_id"]))
        number = into.calls.call(operation_of(fields["function_name"]), fields["arguments"], key)
        changes[id(call)] = call_marks(number, "function_name", "arguments")
    for result in results:
        fields = members(result)
        key = (scope, _id(fields.get("source_call_id")))
        has_content = "content" in fields
        found = into.calls.result(RETURNED, fields.get("content"), key, has_content=has_content)
        if found is not None and has_content:
            changes[id(result)] = {"content": content_mark(found)}


def _id(value: Value) -> str | None:
    """Return what ids are compared by; a null one belongs to no call."""
    return None if value is None else operation_of(value)


def _ending(document: Value, into: Import) -> Ending:
    fields = members(document)
    last = members(items(fields["steps"])[-1])
    if fields.get("continued_trajectory_ref") is not None:
        return Ending(None, "the trajectory is continued elsewhere")
    if into.calls.waits:
        return Ending(None, "a call has no result")
    if last["source"] != "agent" or items(last.get("tool_calls")):
        return Ending(None, "the last step is not a message of the agent without a call")
    return Ending(
        CompletedWith(last["message"]), "the agent's last step makes no call, and every call has its result"
    )
