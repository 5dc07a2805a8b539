"""Stepping: the session has the machine's own states, in both directions; the terminal shows them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from strategies import for_seeds
from support.random_programs import directed_program, random_answer

from eclogue.cli.main import main
from eclogue.cli.stepping.breakpoints import Breakpoint, reached, read_breakpoint
from eclogue.cli.stepping.session import Session
from eclogue.core import cells
from eclogue.core.errors import AnswerRefused
from eclogue.core.inspection import control_of, frames_of
from eclogue.core.limits import Limits
from eclogue.core.outcomes import Completed, HostAnswer, Suspended
from eclogue.core.state import State, observe, start, step
from eclogue.core.syntax import Program
from eclogue.lowering.load import load_program
from eclogue.lowering.reading import read_source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def look(state: State) -> tuple[Any, ...]:
    """Return what tells a state from others of the same run."""
    control = control_of(state)
    frames = tuple((frame.kind, id(frame.node), frame.selection) for frame in frames_of(state))
    newest = [
        (number, record) for number, record, _ in cells.records(state.trace, max(state.trace[1] - 1, -1))
    ]
    return state.rule, control.kind, id(control.node), control.selection, frames, newest


def by_step(program: Program, rng: Random) -> tuple[list[State], list[HostAnswer]]:
    """Return all states of a run, as `step` and `observe` make them, and the answers it was given."""
    states, answers = [start(program)], []
    while True:
        following = step(states[-1])
        if following is None:
            waiting = states[-1].outcome
            if not isinstance(waiting, Suspended) or len(answers) == 3:
                return states, answers
            answers.append(HostAnswer(random_answer(rng, program, waiting.operation, 0.1), None))
            following = observe(states[-1], answers[-1].value)
        states.append(following)


def test_a_session_has_the_states_of_the_machine_forward_and_backward() -> None:
    def check(seed: int) -> None:
        rng = Random(seed)
        program = directed_program(rng)
        states, answers = by_step(program, rng)
        expected = [look(state) for state in states]
        session = Session(program, answers)
        found = [look(session.state)]
        while session.forward():
            found.append(look(session.state))
        assert found == expected
        for position in range(len(states) - 2, -1, -1):
            assert session.back()
            assert session.position == position
            assert look(session.state) == expected[position]
        assert not session.back()
        for _ in range(5):
            position = rng.randrange(len(states))
            assert session.to(position)
            assert look(session.state) == expected[position]

    for_seeds(150, check)


def test_records_are_stepped_to_in_both_directions() -> None:
    session = Session(load_program(EXAMPLES / "hello.ecl"))
    counts = []
    while session.to_next_record():
        counts.append(session.record_count)
    assert counts == [1, 3, 4, 5, 6, 7]
    back = []
    while session.to_previous_record():
        back.append(session.record_count)
    assert back == [6, 5, 4, 3, 1, 0]


ASK = """effect ask { reversible ctl it(): Text }
task main(): Text { let it = perform ask.it(); it ++ "!" }
"""


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    path = tmp_path / "ask.ecl"
    path.write_text(ASK, encoding="utf-8")
    return path


def suspended(path: Path) -> Session:
    session = Session(load_program(path))
    session.to_end()
    assert session.suspended is not None
    return session


def test_answering_twice_from_one_place_makes_two_branches(asking: Path) -> None:
    session = suspended(asking)
    place = session.position
    outcomes = []
    for value in ("up", "down"):
        session.to(place)
        session.answer(value)
        session.to_end()
        outcomes.append(session.state.outcome)
    assert [branch.number for branch in session.branches] == [0, 1, 2]
    assert outcomes[0] != outcomes[1]
    session.switch(1)
    session.to_end()
    assert session.state.outcome == outcomes[0]
    session.to(place)
    assert session.branch.number == 0
    assert session.suspended is not None


def test_going_on_from_a_suspension_takes_the_branch_made_last(asking: Path) -> None:
    session = suspended(asking)
    place = session.position
    session.answer("up")
    session.to(place)
    session.answer("down")
    session.to(place)
    assert session.forward()
    assert session.branch.number == 2


def test_answers_are_refused_where_nothing_waits_or_another_operation_does(
    asking: Path,
) -> None:
    session = suspended(asking)
    with pytest.raises(AnswerRefused):
        Session(session.program).answer(1)
    other = Session(session.program, [HostAnswer(1, "other.operation")])
    with pytest.raises(AnswerRefused, match=r"other\.operation"):
        other.to_end()


def test_a_limit_ends_the_walk_and_is_told() -> None:
    session = Session(load_program(EXAMPLES / "hello.ecl"), limits=Limits(steps=5))
    session.to_end()
    assert session.position == 5
    assert session.branch.exceeded == "steps (bound 5)"


# ------------------------------------------------------------------------------------------------
# Breakpoints


def stops(point: Breakpoint) -> list[int]:
    session = Session(load_program(EXAMPLES / "hello.ecl"))
    found, before = [], session.state
    while session.forward():
        if reached(point, before, session.state):
            found.append(session.position)
        before = session.state
    return found


def test_breakpoints_stop_at_lines_operations_and_records() -> None:
    program = load_program(EXAMPLES / "hello.ecl")
    assert len(stops(read_breakpoint("greet.name", program, 12))) == 1
    assert len(stops(read_breakpoint("EffectCapture", program, 12))) == 1
    assert stops(read_breakpoint(" 10 ", program, 12))
    assert stops(Breakpoint(line=1)) == []


@pytest.mark.parametrize("text", ["0", "99", "nothing", "", "effect.other", "-1"])
def test_breakpoints_that_mean_nothing_are_refused_with_what_there_is(text: str) -> None:
    program = load_program(EXAMPLES / "hello.ecl")
    with pytest.raises(ValueError, match=r"line|greet\.name"):
        read_breakpoint(text, program, 12)


# ------------------------------------------------------------------------------------------------
# The terminal


def on_screen(
    path: Path,
    use: Callable[[Any, Any], Awaitable[None]],
    size: tuple[int, int] = (80, 24),
) -> None:
    """Drive the stepper on an example, through Textual's own driver."""
    pytest.importorskip("textual", reason="the extra `tui` is not installed")
    from eclogue.cli.stepping.app import Stepper

    session = Session(load_program(path))

    async def drive() -> None:
        app = Stepper(session, read_source(path))
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await use(app, pilot)

    asyncio.run(drive())


def text_of(app: Any) -> str:
    """Return what is on the screen, line by line."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


def test_the_screen_shows_source_control_stack_and_trace() -> None:
    async def use(app: Any, pilot: Any) -> None:
        await pilot.press("r", "r")
        shown = text_of(app)
        for part in (
            "hello.ecl",
            "rule ",
            "captured continuation",
            "stack",
            "ResumptionHandle",
        ):
            assert part in shown, shown
        assert "3 records" in shown

    on_screen(EXAMPLES / "hello.ecl", use)


def test_every_state_can_be_shown_forward_and_backward() -> None:
    async def use(app: Any, pilot: Any) -> None:
        seen = [text_of(app)]
        while app.session.state.outcome is None:
            await pilot.press("right")
            seen.append(text_of(app))
        assert "completed with" in seen[-1]
        for expected in reversed(seen[:-1]):
            await pilot.press("left")
            assert text_of(app) == expected

    on_screen(EXAMPLES / "hello.ecl", use)


def test_answers_and_branches_by_hand(asking: Path) -> None:
    async def use(app: Any, pilot: Any) -> None:
        await pilot.press("e")
        assert "waits for the host" in text_of(app)
        place = app.session.position
        for value in ("up", "down"):
            app.session.to(place)
            await pilot.press("a", *'"', *value, *'"', "enter", "e")
        assert "branch 2 of 3" in text_of(app)
        assert isinstance(app.session.state.outcome, Completed)
        await pilot.press("left_square_bracket")
        assert "branch 1 of 3" in text_of(app)

    on_screen(asking, use, (100, 30))


def test_a_wrong_answer_or_breakpoint_is_told_and_the_question_stays() -> None:
    async def use(app: Any, pilot: Any) -> None:
        await pilot.press("a")
        assert "nothing waits" in text_of(app)
        await pilot.press("b", *"nowhere", "enter")
        assert "`nowhere` is no line" in text_of(app)
        await pilot.press("escape")
        await pilot.press("b", *"greet.name", "enter", "c")
        assert "at the breakpoint greet.name" in text_of(app)

    on_screen(EXAMPLES / "hello.ecl", use)


def test_help_names_the_keys_and_fits_a_small_terminal() -> None:
    async def use(app: Any, pilot: Any) -> None:
        await pilot.press("question_mark")
        shown = text_of(app)
        assert "next state" in shown
        assert "those of the specification." in shown
        await pilot.press("escape")
        assert "next state" not in text_of(app)

    on_screen(EXAMPLES / "hello.ecl", use)


def test_without_a_terminal_it_says_so() -> None:
    result = CliRunner().invoke(main, ["step", str(EXAMPLES / "hello.ecl")])
    assert result.exit_code == 2
    assert "needs a terminal" in result.output
