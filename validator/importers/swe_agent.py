"""Trajectories of SWE-agent (`.traj`) as traces.

| there | here |
|---|---|
| a step's `action`, if it is not empty | `EffectDeclaration`: `swe-agent.action`, with that text |
| its `observation` | `HostObservation`, `returned`, with it; `missing` where there is none |
| `info.exit_status` | the run ended, with that and `info.submission` as its value |
| everything else | the extra file |

An action is the text of a command, so there is no name of an operation to take; and there is no telling
whether it failed. Where a file has `attempts`, their steps follow each other, and those of the file
itself are a copy of one of them: they are no records. Without an `exit_status` the trace is a prefix. A
step that lacks what is expected of it is kept and counted; what is refused is what is no JSON, and a file
without a `trajectory`.
"""

from __future__ import annotations

from eclogue.core.errors import MalformedInput
from eclogue.core.trace import CompletedWith
from eclogue.core.values import RecordValue, Value, record
from eclogue.validator.importers.calls import RETURNED, content_mark
from eclogue.validator.importers.foreign_json import (
    PAYLOAD,
    Changes,
    changed,
    is_string,
    items,
    members,
    read_json,
)
from eclogue.validator.importers.trajectory import Ending, Import, not_json, not_this_format

OPERATION = "swe-agent.action"


def import_swe_agent(text: str, into: Import) -> Ending:
    """Import a trajectory; raises `TrajectoryRefused` (EC4601, EC4605)."""
    try:
        document = read_json(text)
    except MalformedInput as error:
        not_json(error, "a .traj file is one JSON object")
    own = members(document).get("trajectory")
    attempts = [members(run).get("trajectory") for run in items(members(document).get("attempts"))]
    if not any(isinstance(steps, tuple) for steps in (own, *attempts)):
        not_this_format("SWE-agent", "list `trajectory`", document)
    changes: Changes = {}
    for steps in attempts or [own]:
        for step in items(steps):
            _step(step, changes, into)
    if attempts:
        into.copied += sum(bool(members(step).get("action")) for step in items(own))
    into.extra(None, changed(document, changes))
    return _ending(members(document).get("info"))


def _step(step: Value, changes: Changes, into: Import) -> None:
    fields = members(step)
    action = fields.get("action")
    if action == "":
        return
    if not is_string(action):
        into.count_unknown("step without an action")
        return
    number = into.calls.call(OPERATION, action, into.calls.counts.calls)
    changes[id(step)] = {"action": RecordValue({PAYLOAD: number})}
    observation = fields.get("observation")
    if observation is not None:
        into.calls.result(RETURNED, observation, number // 2)
        changes[id(step)]["observation"] = content_mark(number + 1)


def _ending(info: Value) -> Ending:
    fields = members(info)
    status = fields.get("exit_status")
    if status is None:
        return Ending(None, "there is no exit status")
    value = record({"exit_status": status, "submission": fields.get("submission")})
    return Ending(CompletedWith(value), "`info.exit_status` says how it ended")
