"""Claude Code, OpenHands and SWE-agent: formats that drift. Whatever JSON comes, nothing is lost.

Files are made of pieces of the formats, put together in any order and with any of their parts missing or of
another kind. Each is imported, with all that `importing.imported` asks of it, or is no file of its format.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import Done, imported
from strategies import examples
from support.foreign import exactly
from support.random_atif import ANYTHING, IDS, TEXTS, written

from eclogue.core.trace import CompletedWith, EffectDeclaration, HostObservation, RunEnd
from eclogue.core.values import Value, record
from eclogue.validator.importers.trajectory import TrajectoryRefused

RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def loose(**parts: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return objects with most of the parts, some of which are anything."""
    return st.fixed_dictionaries(
        {}, optional={key: st.one_of(part, part, part, ANYTHING) for key, part in parts.items()}
    )


def kinds(*names: str) -> st.SearchStrategy[str]:
    return st.sampled_from([*names, "of-tomorrow"])


BLOCKS = st.one_of(
    loose(type=kinds("tool_use", "server_tool_use"), id=IDS, name=TEXTS, input=ANYTHING),
    loose(type=kinds("tool_result"), tool_use_id=IDS, content=ANYTHING, is_error=st.booleans()),
    loose(type=kinds("text"), text=TEXTS),
    ANYTHING,
)
SESSION = loose(
    type=kinds("user", "assistant", "assistant", "summary"),
    uuid=IDS,
    isSidechain=st.booleans(),
    message=loose(content=st.one_of(TEXTS, st.lists(BLOCKS, max_size=3)), stop_reason=st.just("end_turn")),
)
EVENTS = st.one_of(
    loose(
        kind=st.just("ActionEvent"),
        id=IDS,
        tool_name=st.sampled_from(["run", "finish"]),
        tool_call_id=IDS,
        action=st.one_of(st.none(), ANYTHING),
        tool_call=loose(arguments=TEXTS),
    ),
    loose(
        kind=kinds("ObservationEvent", "AgentErrorEvent", "UserRejectObservation", "MessageEvent"),
        action_id=IDS,
        tool_call_id=IDS,
        observation=loose(is_error=st.booleans(), content=ANYTHING),
        error=TEXTS,
        rejection_reason=TEXTS,
    ),
    loose(action=kinds("run", "message", "finish"), id=st.integers(0, 3), args=ANYTHING),
    loose(observation=kinds("run", "error", "user_rejected"), cause=st.integers(0, 3), content=TEXTS),
)
STEPS = st.lists(loose(action=TEXTS, observation=TEXTS, state=ANYTHING), max_size=4)
RUNS = loose(trajectory=STEPS, info=loose(exit_status=TEXTS, submission=ANYTHING))
TRAJECTORIES = st.one_of(RUNS, loose(trajectory=STEPS, attempts=st.lists(RUNS, max_size=2), info=RUNS))


def lines(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[str]:
    return st.lists(strategy.map(written), max_size=8).map("\n".join)


FILES: dict[str, st.SearchStrategy[str]] = {
    "claude-code": lines(SESSION),
    "openhands": st.one_of(lines(EVENTS), st.lists(EVENTS, max_size=8).map(written)),
    "swe-agent": TRAJECTORIES.map(written),
}


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_lost_whatever_comes(name: str) -> None:
    imports = 0

    @settings(RELAXED, max_examples=examples(250))
    @given(FILES[name])
    def check(text: str) -> None:
        nonlocal imports
        done = attempt(name, text)
        if done is None:
            return
        imports += 1
        back = [exactly(found) for _, found in done.back()]
        if name == "swe-agent" or text.startswith("["):
            assert back == [exactly(text)]
        else:
            assert back == [exactly(line) for line in text.split("\n") if line]

    check()
    assert imports > 100 or not examples(250) >= 250


def attempt(name: str, text: str) -> Done | None:
    try:
        return imported(name, text.encode())
    except TrajectoryRefused as error:
        if error.code != "EC4605":
            raise
        return None


# ------------------------------------------------------------------------------------------------
# Claude Code


def session(*entries: Any) -> Done:
    return imported("claude-code", "\n".join(map(json.dumps, entries)).encode())


def said(kind: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "message": {"content": list(blocks), **more.pop("message", {})}, **more}


def use(name: str, tool: str = "f", value: Any = 1) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": tool, "input": value}


def came(name: str, content: Any = "r", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content, **more}


def outcome(status: str, content: Value = "r") -> Value:
    return record({"status": status, "content": content})


def test_interleaved_calls_are_ordered_by_call() -> None:
    done = session(
        said("assistant", use("a", "one"), use("b", "two")),
        said("user", came("b", "2", is_error=True)),
        said("assistant", use("c", "three")),
        said("user", came("c", "3"), came("a", "1")),
    )
    assert done.records == [
        EffectDeclaration("one", 1),
        HostObservation(0, outcome("returned", "1")),
        EffectDeclaration("two", 1),
        HostObservation(2, outcome("failed", "2")),
        EffectDeclaration("three", 1),
        HostObservation(4, outcome("returned", "3")),
    ]
    assert done.imported.counts.late == 1


def test_repeated_ids_and_results() -> None:
    """A result is of the oldest call of its id that waits; further ones are of none."""
    done = session(
        said("assistant", use("a", "one"), use("a", "two")),
        said("user", came("a", "1"), came("a", "2"), came("a", "3"), came("b", "4")),
        said("assistant", use("a", "three")),
    )
    assert [item.value for item in done.records if isinstance(item, HostObservation)] == [
        outcome("returned", "1"),
        outcome("returned", "2"),
    ]
    assert done.records[-1] == EffectDeclaration("three", 1)
    counts = done.imported.counts
    assert (counts.repeated_ids, counts.unmatched, counts.results["missing"]) == (2, 2, 1)


def test_missing_results() -> None:
    """Only the last call of a run that did not end stays without an observation."""
    done = session(said("assistant", use("a"), use("b"), use("c")), said("user", came("b")))
    missing = record({"status": "missing"})
    assert [type(item).__name__ for item in done.records] == 2 * [
        "EffectDeclaration", "HostObservation",
    ] + ["EffectDeclaration"]  # fmt: skip
    assert done.records[1] == HostObservation(0, missing)
    assert done.imported.counts.results == {"returned": 1, "failed": 0, "rejected": 0, "missing": 2}


def test_a_line_that_was_copied() -> None:
    line = said("assistant", use("a"), uuid="u")
    done = session(line, said("user", came("a"), uuid="v"), line)
    assert len(done.records) == 2
    assert done.imported.copied == 1


@pytest.mark.parametrize(
    ("last", "value"),
    [
        (said("assistant", {"type": "text", "text": "bye"}, message={"stop_reason": "end_turn"}), "bye"),
        ({"type": "assistant", "message": {"content": "bye", "stop_reason": "stop_sequence"}}, "bye"),
        (said("assistant", message={"stop_reason": "end_turn"}), None),
    ],
)
def test_a_session_that_ended(last: Any, value: Value) -> None:
    done = session(last, {"type": "summary", "summary": "s"}, {"type": "user", "isSidechain": True})
    assert done.records == [RunEnd(CompletedWith(value))]


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([said("user")], "the last message is not the agent's"),
        ([said("assistant", use("a"), message={"stop_reason": "end_turn"})], "a call has no result"),
        ([said("assistant")], "the agent's last message does not say that its turn ended"),
        (
            [said("assistant", message={"stop_reason": "end_turn"}), said("user")],
            "the last message is not the agent's",
        ),
    ],
)
def test_a_session_that_did_not_end(entries: list[Any], reason: str) -> None:
    ending = session(*entries).imported.ending
    assert (ending.value, ending.reason) == (None, reason)


# ------------------------------------------------------------------------------------------------
# The others


def test_openhands_statuses() -> None:
    def action(name: str) -> Any:
        return {
            "kind": "ActionEvent",
            "id": name,
            "tool_name": "t",
            "tool_call_id": f"c{name}",
            "action": 1,
        }

    events = [
        *map(action, "abcd"),
        {"kind": "ObservationEvent", "action_id": "a", "observation": {"is_error": True}},
        {"kind": "ObservationEvent", "tool_call_id": "cb", "observation": "fine"},
        {"kind": "AgentErrorEvent", "tool_call_id": "cc", "error": "unknown tool"},
        {"kind": "UserRejectObservation", "action_id": "d", "rejection_reason": "no"},
    ]
    done = imported("openhands", json.dumps(events).encode())
    assert [item.value for item in done.records if isinstance(item, HostObservation)] == [
        outcome("failed", record({"is_error": True})),
        outcome("returned", "fine"),
        outcome("failed", "unknown tool"),
        outcome("rejected", "no"),
    ]


def test_openhands_calls_that_could_not_be_made() -> None:
    """Where there is no action, the payload is the text of the arguments, as the model wrote it."""
    event = {"kind": "ActionEvent", "tool_name": "t", "action": None, "tool_call": {"arguments": "{broken"}}
    assert imported("openhands", json.dumps(event).encode()).records == [EffectDeclaration("t", "{broken")]


def test_openhands_says_when_it_finished() -> None:
    event = {"kind": "ActionEvent", "tool_name": "finish", "action": {"message": "done"}}
    done = imported("openhands", json.dumps([event]).encode())
    assert done.records[-1] == RunEnd(CompletedWith(record({"message": "done"})))


@pytest.mark.parametrize("prefix", ["", "\ufeff", "\n\n", "\ufeff "])
def test_openhands_lists_and_lines(prefix: str) -> None:
    event = {"kind": "ActionEvent", "tool_name": "t", "action": {}}
    wrap: Callable[[str], str]
    for wrap in (lambda text: f"[{text}]", lambda text: text):
        done = imported("openhands", (prefix + wrap(json.dumps(event))).encode())
        assert done.records == [EffectDeclaration("t", record({}))]


def test_swe_agent_attempts_are_not_counted_twice() -> None:
    step = {"action": "ls", "observation": "a"}
    run = {"trajectory": [step, {"action": "", "observation": "x"}]}
    document = {**run, "attempts": [run, run], "info": {"exit_status": "submitted", "submission": "d"}}
    done = imported("swe-agent", json.dumps(document).encode())
    pair = ["EffectDeclaration", "HostObservation"]
    assert [type(item).__name__ for item in done.records] == [*pair, *pair, "RunEnd"]
    assert done.records[-1] == RunEnd(
        CompletedWith(record({"exit_status": "submitted", "submission": "d"}))
    )
    assert done.imported.copied == 1
