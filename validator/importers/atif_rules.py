"""What ATIF asks of a document: its version, its shape, and what the shape does not say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, NoReturn

from eclogue.core.values import RecordValue, Value
from eclogue.validator.importers.foreign_json import items, members
from eclogue.validator.importers.json_places import Path, offset_of, offset_of_key, path_text
from eclogue.validator.importers.shapes import Problem, first_problem
from eclogue.validator.importers.trajectory import TrajectoryRefused

VERSIONS = tuple(f"ATIF-v1.{minor}" for minor in range(9))
NEWEST = VERSIONS[-1]
AGENT_ONLY = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")
_NOT_DISPATCHED = ("metrics", "reasoning_content")
_REFS_BY_SESSION = VERSIONS[:7]
"""The versions in which a reference to a sub-agent's trajectory names its session."""


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of a document, `schema/atif.schema.json`."""
    text = (files("eclogue.validator") / "schema" / "atif.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def check(document: Value, text: str) -> None:
    """Raise `TrajectoryRefused` for the first thing that ATIF forbids in a document, with its place.

    EC4602: the shape; EC4603: another rule; EC4604: a version that is not known.
    """
    version = members(document).get("schema_version")
    if version not in VERSIONS:
        _unknown_version(version, text)
    problem = first_problem(document, schema())
    if problem is not None:
        _refuse("EC4602", problem, text)
    for problem in _problems(document):
        _refuse("EC4603", problem, text)


def _unknown_version(version: Value, text: str) -> NoReturn:
    shown = f"`{version}`" if isinstance(version, str) else "no text"
    raise TrajectoryRefused(
        "EC4604",
        f"`schema_version` is {shown}, and no version that is known here",
        offset=offset_of(text, ("schema_version",)),
        hint=f"{VERSIONS[0]} to {NEWEST} are read",
        unsupported=isinstance(version, str),
    )


def _refuse(code: str, problem: Problem, text: str) -> NoReturn:
    place = offset_of_key if problem.at_key else offset_of
    hint = problem.hint or f"eclogue explain {code} says what ATIF asks for"
    raise TrajectoryRefused(code, problem.message, offset=place(text, problem.path), hint=hint)


def _places(document: Value) -> Iterator[tuple[Path, Value]]:
    pending: list[tuple[Path, Value]] = [((), document)]
    while pending:
        path, trajectory = pending.pop()
        yield path, trajectory
        inner = items(members(trajectory).get("subagent_trajectories"))
        pending += [
            ((*path, "subagent_trajectories", place), inner[place]) for place in reversed(range(len(inner)))
        ]


def trajectories_of(document: Value) -> Iterator[Value]:
    """Yield a trajectory, and the ones that are embedded in it, each before its own."""
    return (trajectory for _, trajectory in _places(document))


# ------------------------------------------------------------------------------------------------
# Rules


def _problems(document: Value) -> Iterator[Problem]:
    for path, trajectory in _places(document):
        fields = members(trajectory)
        for place, step in enumerate(items(fields["steps"])):
            at: Path = (*path, "steps", place)
            yield from _step(members(step), place, at)
            yield from _contents(members(step), at)
            yield from _references(members(step), at, fields["schema_version"])
        yield from _embedded(items(fields.get("subagent_trajectories")), path)


def _step(step: Any, place: int, at: Path) -> Iterator[Problem]:
    if step["step_id"] != place + 1:
        yield Problem(
            (*at, "step_id"),
            f"`{path_text((*at, 'step_id'))}` should be {place + 1}: step ids count from 1",
        )
    if isinstance(step.get("timestamp"), RecordValue | str) and not _is_time(step["timestamp"]):
        yield Problem((*at, "timestamp"), f"`{path_text((*at, 'timestamp'))}` should be a time in ISO 8601")
    if step["source"] != "agent":
        for key in AGENT_ONLY:
            if step.get(key) is not None:
                yield Problem(
                    (*at, key), f"`{path_text((*at, key))}` belongs to steps of the agent only", at_key=True
                )
    elif step.get("llm_call_count") == 0:
        for key in _NOT_DISPATCHED:
            if step.get(key) is not None:
                message = f"`{path_text((*at, key))}` belongs to no step whose `llm_call_count` is 0"
                yield Problem((*at, key), message, at_key=True)


def _is_time(text: Value) -> bool:
    try:
        datetime.fromisoformat(text if isinstance(text, str) else "")
    except ValueError:
        return False
    return True


def _contents(step: Any, at: Path) -> Iterator[Problem]:
    contents = [((*at, "message"), step["message"])]
    for place, result in enumerate(items(members(step.get("observation")).get("results"))):
        contents.append(((*at, "observation", "results", place, "content"), members(result).get("content")))
    for path, content in contents:
        for place, part in enumerate(items(content)):
            yield from _part(members(part), (*path, place))


def _part(part: Any, at: Path) -> Iterator[Problem]:
    kind = part["type"]
    wanted, other = ("text", "source") if kind == "text" else ("source", "text")
    if part.get(wanted) is None:
        yield Problem(at, f"`{path_text((*at, wanted))}` is missing from a part of type {kind}")
    elif part.get(other) is not None:
        yield Problem(
            (*at, other), f"`{path_text((*at, other))}` belongs to no part of type {kind}", at_key=True
        )
    elif kind != "text":
        source = members(part["source"])
        if not str(source["media_type"]).startswith(f"{kind}/"):
            path = (*at, "source", "media_type")
            yield Problem(path, f"`{path_text(path)}` is no type of {kind}")
        if kind == "image" and "duration_sec" in source:
            path = (*at, "source", "duration_sec")
            yield Problem(path, f"`{path_text(path)}` belongs to no image", at_key=True)


def _references(step: Any, at: Path, version: Value) -> Iterator[Problem]:
    keys = ("trajectory_id", "trajectory_path", *(("session_id",) if version in _REFS_BY_SESSION else ()))
    for place, result in enumerate(items(members(step.get("observation")).get("results"))):
        for number, ref in enumerate(items(members(result).get("subagent_trajectory_ref"))):
            if all(members(ref).get(key) is None for key in keys):
                path = (*at, "observation", "results", place, "subagent_trajectory_ref", number)
                yield Problem(path, f"`{path_text(path)}` should have a {' or '.join(keys[:2])}")


def _embedded(inner: tuple[Value, ...], path: Path) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, trajectory in enumerate(inner):
        at = (*path, "subagent_trajectories", place)
        name = members(trajectory).get("trajectory_id")
        if name is None:
            yield Problem(
                at, f"`{path_text((*at, 'trajectory_id'))}` is missing: it is how a sub-agent is found"
            )
            continue
        shown = name if isinstance(name, str) else repr(name)
        if shown in seen:
            yield Problem(
                (*at, "trajectory_id"), f"`{path_text((*at, 'trajectory_id'))}` stands there twice"
            )
        seen.add(shown)
