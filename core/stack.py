"""The machine's stack (SPEC §8): frames and handlers, in segments, all immutable tuples.

Frames: a `bind` frame is `(rule, below, open, environment, node)`; the frames of open selections have
two fields more, `selection` and `captured` (None if it was resumed). `open` counts the open selections
from this frame down to the nearest handler. The last frame of a segment is `(rule, None, 0)`: it stands
for the handler itself, or for the end of the stack.

Segments: a handler is `(clauses, node, environment, frames, segments)`, with what is beneath it last. The
frames outside all handlers are in the segment `OUTSIDE`.

A captured continuation is a slice of the stack, `(frames, segments, handler, open)`: from `frames` and
`segments` down to and including the segment `handler`, with so many open selections in it. To put it
back on another stack, frames are shared and handlers renewed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from eclogue.core.environment import EMPTY

Frames: TypeAlias = tuple[Any, ...]
Segments: TypeAlias = tuple[Any, ...]
Captured: TypeAlias = tuple[Frames, Segments, Segments, int]

OUTSIDE: Segments = ({}, None, EMPTY, None, None)


def put_back(captured: Captured, frames: Frames, segments: Segments) -> tuple[Frames, Segments]:
    """Return the stack with a captured continuation on top; linear in its handlers."""
    inner_frames, segment, handler, _open = captured
    passed: list[Segments] = []
    while segment is not handler:
        passed.append(segment)
        segment = segment[4]
    clauses, node, environment, _frames, _segments = handler
    segments = (clauses, node, environment, frames, segments)
    for clauses, node, environment, frames, _segments in reversed(passed):
        segments = (clauses, node, environment, frames, segments)
    return inner_frames, segments


def open_selections(captured: Captured) -> Iterator[int]:
    """Yield the selections that are open in a captured continuation, in closing order.

    The innermost frame comes first, and a selection before those that it captured itself. Linear in the
    frames of the continuation, and each frame is dropped once.
    """
    pending = [captured[:3]]
    while pending:
        frames, segment, handler = pending.pop()
        while frames[2] or segment is not handler:
            if not frames[2]:
                frames, segment = segment[3], segment[4]
                continue
            frame, frames = frames, frames[1]
            if frame[2] > frames[2]:
                yield frame[5]
                if frame[6] is not None:
                    pending.append((frames, segment, handler))
                    frames, segment, handler, _open = frame[6]


def open_in_frame(frame: Frames) -> Iterator[int]:
    """Yield the selections that are open in one frame, in closing order."""
    yield frame[5]
    if frame[6] is not None:
        yield from open_selections(frame[6])
