"""What is shown of a state is what the naive machine, which goes frame by frame, has in the same place."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import strategies
from strategies import for_seeds
from support import naive_machine as naive
from support.naive_machine import NaiveMachine, Stack
from support.random_programs import directed_program, random_answer

from eclogue.core.environment import Environment, lookup
from eclogue.core.inspection import (
    Control,
    ControlKind,
    Frame,
    FrameKind,
    control_of,
    frames_of,
    names_of,
)
from eclogue.core.outcomes import HostAnswer, Suspended
from eclogue.core.state import State, observe, start, step
from eclogue.core.syntax import Program
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.lower import lower_task
from eclogue.lowering.parser import parse

Shape = tuple[Any, ...]


class Watched(NaiveMachine):
    """A naive machine that notes each of its states."""

    def __init__(self, program: Program) -> None:
        self.states: list[Shape] = []
        super().__init__(program)

    def _step(self) -> bool:
        self._note()
        return super()._step()

    def _note(self) -> None:
        self.states.append((naive_control(self.control), naive_frames(self.stack), len(self.records)))


def naive_control(control: naive.Control) -> Shape:
    match control:
        case naive.Run(env, node):
            return "run", id(node), env
        case naive.RunBody(env, selection, captured, node):
            return "body", id(node), env, selection, naive_frames(captured)
        case naive.Done(value):
            return "return", value
        case naive.Raised(declaration, operation, payload, captured):
            return "raise", declaration, operation, payload, naive_frames(captured)
        case naive.Failing(reason, number):
            return "fail", reason, number


def naive_frames(stack: Stack) -> Shape:
    return tuple(naive_frame(frame) for frame in stack)


def naive_frame(frame: naive.Frame) -> Shape:
    match frame:
        case naive.Bind(env, rest):
            return "bind", id(rest), env
        case naive.Handler(env, return_clause, _):
            return "handler", id(return_clause), env
        case naive.BodyBind(env, selection, captured, rest):
            return "body_bind", id(rest), env, selection, naive_frames(captured)
        case naive.Returning(env, selection, rest):
            return "resume_return", id(rest), env, selection
        case naive.Complete(selection):
            return "complete", selection


def values(environment: Environment | None) -> Shape:
    assert environment is not None
    return tuple(lookup(environment, index) for index in range(environment[0]))


def shown_control(control: Control) -> Shape:
    match control.kind:
        case ControlKind.RUN:
            return "run", id(control.node), values(control.environment)
        case ControlKind.BODY:
            assert control.captured is not None
            captured = shown_frames(control.captured.frames())
            return "body", id(control.node), values(control.environment), control.selection, captured
        case ControlKind.RETURN | ControlKind.COMPLETED:
            return "return", control.value
        case ControlKind.RAISE:
            assert control.captured is not None
            captured = shown_frames(control.captured.frames())
            return "raise", control.declaration, control.node.operation, control.value, captured
        case ControlKind.FAIL:
            assert control.failure is not None
            return "fail", control.failure.reason, control.declaration
        case _:
            raise AssertionError(control.kind)


def shown_frames(frames: Iterable[Frame]) -> Shape:
    return tuple(shown_frame(frame) for frame in frames)


def shown_frame(frame: Frame) -> Shape:
    kind = frame.kind.value
    match frame.kind:
        case FrameKind.BIND:
            return kind, id(frame.node.body), values(frame.environment)
        case FrameKind.HANDLER:
            return kind, id(frame.node.return_clause), values(frame.environment)
        case FrameKind.BODY_BIND:
            assert frame.captured is not None
            captured = shown_frames(frame.captured.frames())
            return kind, id(frame.node.body), values(frame.environment), frame.selection, captured
        case FrameKind.RESUME_RETURN:
            return kind, id(frame.node.body), values(frame.environment), frame.selection
        case FrameKind.COMPLETE:
            return kind, frame.selection


def shown(state: State) -> Shape:
    return shown_control(control_of(state)), shown_frames(frames_of(state)), state.trace[1] + 1


def states_of(program: Program, rng: Random | None = None) -> tuple[list[State], list[HostAnswer]]:
    """Return the states of a run that are not final, in order, and the answers that it was given."""
    state, found, answers = start(program), [], []
    while True:
        while (following := step(state)) is not None:
            found.append(state)
            state = following
        waiting = state.outcome
        if rng is None or not isinstance(waiting, Suspended) or len(answers) == 4:
            return found, answers
        answers.append(HostAnswer(random_answer(rng, program, waiting.operation, 0.1), waiting.operation))
        state = observe(state, answers[-1].value)


def test_states_are_those_of_the_naive_machine() -> None:
    """The project's machine passes several frames at once while it raises; all else is one to one."""
    kinds: set[str] = set()

    def check(seed: int) -> None:
        rng = Random(seed)
        program = directed_program(rng)
        states, answers = states_of(program, rng)
        watched = Watched(program)
        for answer in answers:
            watched.answer(answer)
        plain = iter(watched.states)
        for state in states:
            expected = shown(state)
            kinds.add(expected[0][0])
            kinds.update(frame[0] for frame in expected[1])
            for found in plain:
                if found == expected:
                    break
                # Frames passed one by one, and the end of the stack, where that machine looks once more.
                assert found[0][0] == "raise" or not found[1], (found, expected)
            else:
                raise AssertionError(f"no state of the naive machine is {expected}")

    for_seeds(300, check)
    if strategies.only_seed is None:
        assert kinds == {kind.value for kind in FrameKind} | {"run", "body", "return", "raise", "fail"}


def test_variables_are_shown_by_their_names() -> None:
    text = (
        "effect e { reversible ctl get(): Int }\n"
        "task main(n: Int): Int {\n"
        "  handle { let a = perform e.get(); let b = a + n; b } with { ctl e.get() { resume(2) } }\n"
        "}\n"
    )
    source = SourceText("names.ecl", text)
    program = lower_task(parse(source), source, "main", {"n": 1})
    names = names_of(program)
    seen = set()
    for state in states_of(program)[0]:
        control = control_of(state)
        if control.environment is not None:
            seen.add(names.variables(control.node, control.environment, 9))
    assert (("b", 3), ("a", 2), ("n", 1)) in seen
    assert (("@0", 1),) not in seen
