"""What a state of the machine is made of, to be shown: its control, its frames, what it has captured.

The machine keeps its stack in segments and its states as tuples (see `stack` and `machine`). Here a state
is taken apart into the controls and frames of SPEC §8, innermost first, handlers among them. Nothing is
computed that a state does not have; frames are yielded as they are asked for, and shared by states.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from itertools import chain, islice, repeat
from typing import Any

import attrs

from eclogue.core.environment import Environment, lookup
from eclogue.core.machine import frame_bind, frame_body_bind, frame_complete, frame_resume_return
from eclogue.core.outcomes import Completed, Failed
from eclogue.core.stack import Captured, Frames, Segments
from eclogue.core.state import State
from eclogue.core.syntax import Program, Span
from eclogue.core.values import Value


class FrameKind(enum.Enum):
    """The frames of SPEC §8."""

    BIND = "bind"
    HANDLER = "handler"
    BODY_BIND = "body_bind"
    RESUME_RETURN = "resume_return"
    COMPLETE = "complete"


@attrs.frozen(eq=False)
class Continuation:
    """A captured continuation: frames, innermost first, of which the last is the handler's.

    While an operation is still being raised, these are the frames that it has passed.
    """

    inner: Frames
    segment: Segments
    to_frames: Frames
    to_segment: Segments

    def frames(self) -> Iterator[Frame]:
        """Yield its frames, innermost first."""
        return _between(self.inner, self.segment, self.to_frames, self.to_segment)


@attrs.frozen(eq=False)
class Frame:
    """One frame: the term that waits in it, and the environment of that term.

    `selection` is there for the frames of open selections, `captured` for `body_bind`.
    """

    kind: FrameKind
    node: Any
    environment: Environment | None
    selection: int | None = None
    captured: Continuation | None = None


class ControlKind(enum.Enum):
    """The controls of SPEC §8, and the three ways in which a state is final."""

    RUN = "run"
    BODY = "body"
    RETURN = "return"
    RAISE = "raise"
    FAIL = "fail"
    COMPLETED = "completed"
    SUSPENDED = "suspended"
    FAILED = "failed"


@attrs.frozen(eq=False)
class Control:
    """What the machine is about to do.

    `node` is the term that runs, or the perform that is raised; `value` what returns, what is raised as
    payload, or what the run completed with; `selection` and `captured` belong to a running body, and
    `captured` to a raise; `declaration` to a raise and a suspension; `failure` to a failure.
    """

    kind: ControlKind
    node: Any = None
    environment: Environment | None = None
    value: Value = None
    selection: int | None = None
    captured: Continuation | None = None
    declaration: int | None = None
    failure: Failed | None = None

    @property
    def span(self) -> Span | None:
        """Where in the source this is."""
        if self.failure is not None:
            return self.failure.span
        span: Span | None = getattr(self.node, "span", None)
        return span


def control_of(state: State) -> Control:
    """Return the control of a state."""
    rule, control, environment, frames, segments, _trace = state.transition
    if rule is None:
        return _final(control)
    family, _, name = rule.__name__.partition("_")
    if family == "core0":
        return Control(ControlKind.RUN, control, environment)
    if family == "body":
        node, selection, captured = control
        return Control(
            ControlKind.BODY, node, environment, selection=selection, captured=_continuation(captured)
        )
    if name in {"skip", "catch"}:
        node, declaration, payload, inner, segment = control
        passed = Continuation(inner, segment, frames, segments)
        return Control(ControlKind.RAISE, node, value=payload, captured=passed, declaration=declaration)
    if name == "fail":
        failed, number = control
        return Control(ControlKind.FAIL, failure=failed, declaration=number)
    return Control(ControlKind.RETURN, value=control)


def _final(control: Any) -> Control:
    if isinstance(control, Completed):
        return Control(ControlKind.COMPLETED, value=control.value)
    if isinstance(control, Failed):
        return Control(ControlKind.FAILED, failure=control)
    node, declaration, payload, _frames, _segments = control
    return Control(ControlKind.SUSPENDED, node, value=payload, declaration=declaration)


def frames_of(state: State) -> Iterator[Frame]:
    """Yield the frames of a state's stack, innermost first."""
    _rule, _control, _environment, frames, segments, _trace = state.transition
    return _between(frames, segments, None, None)


def _continuation(captured: Captured) -> Continuation:
    frames, segment, handler, _open = captured
    _clauses, _node, _environment, outer_frames, outer_segments = handler
    return Continuation(frames, segment, outer_frames, outer_segments)


def _between(
    frames: Frames, segment: Segments, to_frames: Frames | None, to_segment: Segments | None
) -> Iterator[Frame]:
    """Yield the frames from one place of a stack down to another, or to its end."""
    while True:
        if segment is to_segment and frames is to_frames:
            return
        below = frames[1]
        if below is not None:
            yield _frame(frames)
            frames = below
            continue
        _clauses, node, environment, outer_frames, outer_segments = segment
        if outer_segments is None:
            return
        yield Frame(FrameKind.HANDLER, node, environment)
        frames, segment = outer_frames, outer_segments


_KINDS = {
    frame_bind: FrameKind.BIND,
    frame_body_bind: FrameKind.BODY_BIND,
    frame_resume_return: FrameKind.RESUME_RETURN,
    frame_complete: FrameKind.COMPLETE,
}


def _frame(frame: Frames) -> Frame:
    kind = _KINDS[frame[0]]
    if kind is FrameKind.BIND:
        return Frame(kind, frame[4], frame[3])
    captured = None if frame[6] is None else _continuation(frame[6])
    return Frame(kind, frame[4], frame[3], frame[5], captured)


# ------------------------------------------------------------------------------------------------
# Variables


@attrs.frozen(eq=False)
class Names:
    """The names of the variables in scope at each term of a program, innermost first.

    A term that stands in several places has the names of one of them.
    """

    scopes: dict[int, Any]

    def variables(self, node: object, environment: Environment, most: int) -> tuple[tuple[str, Value], ...]:
        """Return the innermost variables of an environment with their names, at most so many.

        A variable that has no name, or none that is known, is called by its index, `@0` being innermost.
        """
        named = chain(self._scope(node), repeat(None))
        return tuple(
            (name or f"@{index}", lookup(environment, index))
            for index, name in enumerate(islice(named, min(environment[0], most)))
        )

    def _scope(self, node: object) -> Iterator[str | None]:
        scope = self.scopes.get(id(node))
        while scope is not None:
            name, scope = scope
            yield name


def names_of(program: Program) -> Names:
    """Return the names at the terms of a program; linear in its terms, and it must outlive the result."""
    scopes: dict[int, Any] = {}
    pending: list[tuple[Any, Any]] = [(program.body, None)]
    while pending:
        node, scope = pending.pop()
        if id(node) in scopes:
            continue
        scopes[id(node)] = scope
        for part, binds in _PARTS[type(node).__name__]:
            item = getattr(node, part)
            inner = (node.name, scope) if binds else scope
            pending.extend((each, inner) for each in (item if isinstance(item, tuple) else (item,)))
    return Names(scopes)


_PARTS: dict[str, tuple[tuple[str, bool], ...]] = {
    "Return": (),
    "Let": (("bound", False), ("body", True)),
    "Perform": (),
    "Handle": (("body", False), ("return_clause", True), ("clauses", False)),
    "If": (("then", False), ("otherwise", False)),
    "Clause": (("body", True),),
    "BodyLet": (("bound", False), ("body", True)),
    "BodyIf": (("then", False), ("otherwise", False)),
    "Answer": (),
    "Abort": (),
    "Resume": (("body", True),),
}
"""The terms inside a term, and whether its variable is bound in them."""
