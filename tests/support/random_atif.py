"""Documents in ATIF for Hypothesis: valid ones, with everything that the format has."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st


class Raw(str):
    """A number's token in a document that is to be written."""

    __slots__ = ()


def written(data: Any) -> str:
    """Return a document as JSON text, with the tokens in it as they stand."""
    if isinstance(data, Raw):
        return str(data)
    if isinstance(data, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{written(item)}" for key, item in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ",".join(map(written, data)) + "]"
    return json.dumps(data)


NUMBERS = st.one_of(
    st.integers(-3, 10**20),
    st.sampled_from(["0.1", "1.0", "-0", "1e-3", "2.50", "1E+9", "-1.5e300"]).map(Raw),
)
COUNTS = st.one_of(st.none(), st.integers(0, 10**6), st.just(Raw("12.0")))
TEXTS = st.one_of(
    st.text(st.characters(codec=None), max_size=4), st.sampled_from(["", "%", "%u", "é", "\ud800"])
)
KEYS = st.one_of(st.sampled_from(["a", "%number", "%payload", "$int", "%", "path"]), TEXTS)
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda parts: st.one_of(st.lists(parts, max_size=2), st.dictionaries(KEYS, parts, max_size=2)),
    max_leaves=4,
)
OBJECTS = st.dictionaries(KEYS, ANYTHING, max_size=3)
IDS = st.sampled_from(["a", "a", "b", "b", "%a", "\udfff"])
TIMES = st.sampled_from(["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.25+02:00", "2026-03-01"])


def fields(needed: dict[str, Any], **optional: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return objects with the needed fields and some of the others, each of which may be null too."""
    return st.fixed_dictionaries(
        needed, optional={key: st.one_of(st.none(), item) for key, item in optional.items()}
    )


IMAGES = fields({"media_type": st.sampled_from(["image/png", "image/webp"]), "path": TEXTS})
AUDIO = fields({"media_type": st.just("audio/wav"), "path": TEXTS}, duration_sec=st.just(Raw("1.50")))
PARTS = st.one_of(
    fields({"type": st.just("text"), "text": TEXTS}),
    fields({"type": st.just("image"), "source": IMAGES}),
    fields({"type": st.just("audio"), "source": AUDIO}),
)
CONTENTS = st.one_of(TEXTS, st.lists(PARTS, max_size=2))
REFS = fields({"trajectory_id": IDS}, trajectory_path=TEXTS, session_id=IDS, extra=OBJECTS)
RESULTS = st.one_of(
    fields({"source_call_id": IDS, "content": CONTENTS}),
    fields(
        {},
        source_call_id=IDS,
        content=CONTENTS,
        subagent_trajectory_ref=st.lists(REFS, max_size=1),
        extra=OBJECTS,
    ),
)
CALLS = fields({"tool_call_id": IDS, "function_name": TEXTS, "arguments": OBJECTS}, extra=OBJECTS)
OBSERVATIONS = fields({"results": st.lists(RESULTS, max_size=4)})
METRICS = fields(
    {},
    prompt_tokens=COUNTS,
    completion_tokens=COUNTS,
    cached_tokens=COUNTS,
    cost_usd=NUMBERS,
    prompt_token_ids=st.lists(st.integers(0, 9), max_size=2),
    completion_token_ids=st.lists(st.integers(0, 9), max_size=2),
    logprobs=st.lists(NUMBERS, max_size=2),
    extra=OBJECTS,
)
COMMON: dict[str, Any] = {
    "timestamp": TIMES,
    "observation": OBSERVATIONS,
    "is_copied_context": st.booleans(),
    "extra": OBJECTS,
}
ACTING = {"tool_calls": st.lists(CALLS, min_size=1, max_size=3), "observation": OBSERVATIONS}
STEPS = st.one_of(
    fields({"source": st.just("agent"), "message": CONTENTS, **ACTING}, extra=OBJECTS),
    fields({"source": st.just("agent"), "message": TEXTS, **ACTING}, is_copied_context=st.booleans()),
    fields({"source": st.sampled_from(["user", "system"]), "message": CONTENTS}, **COMMON),
    fields(
        {"source": st.just("agent"), "message": CONTENTS},
        **COMMON,
        model_name=TEXTS,
        reasoning_effort=st.one_of(TEXTS, NUMBERS),
        reasoning_content=TEXTS,
        tool_calls=st.lists(CALLS, max_size=3),
        metrics=METRICS,
        llm_call_count=st.integers(1, 3),
    ),
    fields(
        {"source": st.just("agent"), "message": CONTENTS},
        **COMMON,
        tool_calls=st.lists(CALLS, max_size=3),
        llm_call_count=st.just(0),
    ),
)
AGENTS = fields(
    {"name": TEXTS, "version": TEXTS},
    model_name=TEXTS,
    tool_definitions=st.lists(OBJECTS, max_size=1),
    extra=OBJECTS,
)
TOTALS = fields(
    {},
    total_prompt_tokens=COUNTS,
    total_completion_tokens=COUNTS,
    total_cached_tokens=COUNTS,
    total_cost_usd=NUMBERS,
    total_steps=COUNTS,
    extra=OBJECTS,
)


def _numbered(trajectory: dict[str, Any]) -> dict[str, Any]:
    """Give a trajectory its step ids, and those embedded in it ids of their own."""
    for place, step in enumerate(trajectory["steps"], 1):
        step["step_id"] = place
    for place, inner in enumerate(trajectory.get("subagent_trajectories") or []):
        inner["trajectory_id"] = f"sub-{place}"
    return trajectory


def _trajectories(**more: Any) -> st.SearchStrategy[dict[str, Any]]:
    return fields(
        {
            "schema_version": st.sampled_from([f"ATIF-v1.{minor}" for minor in range(9)]),
            "agent": AGENTS,
            "steps": st.lists(STEPS, min_size=1, max_size=4),
        },
        session_id=IDS,
        trajectory_id=TEXTS,
        notes=TEXTS,
        final_metrics=TOTALS,
        continued_trajectory_ref=TEXTS,
        extra=OBJECTS,
        **more,
    ).map(_numbered)


INNER = _trajectories(subagent_trajectories=st.lists(_trajectories(), max_size=1))
DOCUMENTS = st.one_of(
    _trajectories(),
    st.builds(
        lambda outer, inner: _numbered({**outer, "subagent_trajectories": inner}),
        _trajectories(),
        st.lists(INNER, min_size=1, max_size=2),
    ),
)
