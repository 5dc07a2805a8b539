"""The lifecycle automaton: each rule by example, against a plain one, and its list of open selections."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from strategies import for_seeds
from support.cases import directed_case, undirected_case
from support.naive_machine import naive_run
from support.plain_lifecycle import START, State, accepted
from support.trace_mutants import mutants, random_record
from support.walks import walk

from eclogue.core.errors import SCHEMA, TYPE, missing_key
from eclogue.core.outcomes import Suspended
from eclogue.core.trace import (
    Closing,
    CompletedWith,
    Completion,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)
from eclogue.validator import open_selections
from eclogue.validator.lifecycle import (
    RULES,
    ClosingFor,
    Ended,
    FailedBy,
    Lifecycle,
    Mode,
    Raised,
    Running,
    Selected,
    check_lifecycle,
)
from eclogue.validator.open_selections import RESUMED, RETURNED, OpenSelections

DECLARE = EffectDeclaration("a.b", None)
END = RunEnd(CompletedWith(1))
RETURN, ANSWER, ABORT = Completion.RETURN, Completion.ANSWER, Completion.ABORT
DROPPED, FAILED = Closing.DROPPED, Closing.FAILED

OPEN: list[Record] = [DECLARE, HandlerSelection(0, 0), ResumptionHandle(1)]
RESUMED_ONE: list[Record] = [*OPEN, ContinuationResume(1, None)]
RETURNED_ONE: list[Record] = [*RESUMED_ONE, ResumeReturn(1, None)]
INSIDE: list[Record] = [*OPEN, DECLARE, HandlerSelection(3, 1), ResumptionHandle(4)]
ABORTED: list[Record] = [*INSIDE, EffectCapture(ABORT, 4, None)]
FAILED_INSIDE: list[Record] = [*INSIDE, Failure(TYPE)]


@pytest.mark.parametrize(
    ("records", "finished", "opened"),
    [
        ([], False, 0),
        ([END], True, 0),
        ([DECLARE], False, 0),
        ([DECLARE, HostObservation(0, 1), END], True, 0),
        (OPEN, False, 1),
        ([*RETURNED_ONE, EffectCapture(RETURN, 1, None), END], True, 0),
        ([*OPEN, EffectCapture(ANSWER, 1, None), END], True, 0),
        ([*ABORTED, SelectionClosed(DROPPED, 1, 6), END], True, 0),
        ([*INSIDE, ContinuationResume(4, None), ContinuationResume(1, None)], False, 2),
        ([*INSIDE, Failure(TYPE), SelectionClosed(FAILED, 4, 6), SelectionClosed(FAILED, 1, 6)], False, 0),
        ([Failure(missing_key("k")), RunEnd(missing_key("k"))], True, 0),
    ],
)
def test_what_is_accepted(records: list[Record], finished: bool, opened: int) -> None:
    verdict = check_lifecycle(records)
    assert verdict.accepted
    assert (verdict.records, verdict.finished, verdict.open_selections) == (len(records), finished, opened)


REJECTED: list[tuple[str, list[Record], Record, str]] = [
    ("life.declaration", [DECLARE], DECLARE, "selection for declaration 0, or the host's answer to it"),
    ("life.declaration", [END], DECLARE, "nothing after the end of the run"),
    ("life.selection", [DECLARE], HandlerSelection(1, 0), "a handler's selection for declaration 0, or"),
    ("life.selection", [DECLARE], HandlerSelection(0, 1), "at most 0 captured, for so many"),
    ("life.selection", [], HandlerSelection(0, 0), "a declaration, a failure, or the end"),
    ("life.handle", OPEN[:2], ResumptionHandle(0), "the resumption handle of selection 1"),
    ("life.handle", OPEN, ResumptionHandle(1), "a declaration, a failure, or the resume of selection 1"),
    ("life.resume", OPEN, ContinuationResume(0, None), "the resume of selection 1, or its completion by"),
    ("life.resume", RESUMED_ONE, ContinuationResume(1, None), "the return to selection 1, which"),
    ("life.resume", INSIDE, ContinuationResume(1, None), "the resume of selection 4"),
    ("life.return", OPEN, ResumeReturn(1, None), "the resume of selection 1"),
    ("life.return", RETURNED_ONE, ResumeReturn(1, None), "the completion by return of"),
    ("life.return", RESUMED_ONE, ResumeReturn(0, None), "the return to selection 1"),
    ("life.capture", OPEN, EffectCapture(RETURN, 1, None), "the resume of selection 1"),
    ("life.capture", RESUMED_ONE, EffectCapture(ANSWER, 1, None), "the return to selection 1"),
    ("life.capture", RETURNED_ONE, EffectCapture(ABORT, 1, None), "the completion by return of"),
    ("life.capture", INSIDE, EffectCapture(ABORT, 1, None), "the resume of selection 4"),
    ("life.closed", OPEN, SelectionClosed(DROPPED, 1, 2), "the resume of selection 1"),
    ("life.closed", ABORTED, SelectionClosed(DROPPED, 1, 5), "selection 1 dropped because of 6"),
    ("life.closed", ABORTED, SelectionClosed(DROPPED, 4, 6), "selection 1 dropped because of 6"),
    ("life.closed", ABORTED, SelectionClosed(FAILED, 1, 6), "selection 1 dropped because of 6"),
    ("life.closed", FAILED_INSIDE, SelectionClosed(FAILED, 1, 6), "selection 4 failed because of 6"),
    ("life.closed", [*OPEN, Failure(TYPE)], SelectionClosed(DROPPED, 1, 3), "1 failed because of 3"),
    ("life.observation", [DECLARE], HostObservation(1, None), "the host's answer to it"),
    ("life.observation", OPEN, HostObservation(0, None), "the resume of selection 1"),
    ("life.failure", [DECLARE], Failure(TYPE), "the host's answer to it"),
    ("life.failure", [Failure(TYPE)], Failure(TYPE), "the end of the run, failed: type"),
    ("life.end", OPEN, END, "the resume of selection 1"),
    ("life.end", [END], END, "nothing after the end of the run"),
    ("life.end", [Failure(TYPE)], END, "the end of the run, failed: type"),
    ("life.end", [Failure(TYPE)], RunEnd(SCHEMA), "the end of the run, failed: type"),
    ("life.end", [Failure(missing_key("k"))], RunEnd(missing_key("l")), "failed: key(k)"),
    ("life.end", [], RunEnd(TYPE), "the end of a completed run"),
    ("life.end", [*OPEN, Failure(TYPE)], RunEnd(TYPE), "selection 1 failed because of 3"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "before", "record", "expected"), REJECTED)
def test_what_is_rejected(rule: str, before: list[Record], record: Record, expected: str) -> None:
    verdict = check_lifecycle([*before, record, END])
    assert verdict.rejection is not None
    assert not verdict.accepted
    assert (verdict.rejection.number, verdict.rejection.rule) == (len(before), rule)
    assert expected in verdict.rejection.expected
    assert str(verdict.rejection).startswith(f"record {len(before)} breaks {rule}: expected ")
    assert verdict.records == len(before)


def test_every_rule_rejects_something() -> None:
    assert {rule for rule, *_ in REJECTED} == set(RULES)
    assert len(RULES) == 10


def test_after_a_rejection_nothing_is_accepted() -> None:
    lifecycle = Lifecycle()
    first = lifecycle.accept(0, ResumptionHandle(0))
    assert first is not None
    assert lifecycle.accept(1, DECLARE) is first
    assert lifecycle.verdict().rejection is first


def test_a_number_out_of_turn_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="record 1 where 0 is next"):
        Lifecycle().accept(1, DECLARE)


# ------------------------------------------------------------------------------------------------
# Against the plain automaton, state by state


def plain_mode(mode: Mode) -> tuple[object, ...]:
    match mode:
        case Running():
            return ("run",)
        case Raised(declaration):
            return "raised", declaration
        case Selected(selection):
            return "selected", selection
        case ClosingFor(cause, left):
            return "closing", cause, left - 1
        case FailedBy(failure, reason):
            return "failed", failure, reason
        case Ended():
            return ("ended",)


PHASES = {RESUMED: "resumed", RETURNED: "returned"}


def state_of(lifecycle: Lifecycle) -> tuple[object, ...]:
    opened = tuple((s, PHASES.get(phase, phase)) for s, phase in lifecycle.opened.in_order())
    return lifecycle.next, plain_mode(lifecycle.mode), opened


def same(records: Sequence[Record]) -> bool:
    """Compare both automata after each record; return whether all were accepted."""
    state: State | None = START
    lifecycle = Lifecycle()
    for number, record in enumerate(records):
        assert state is not None
        before = state
        state = accepted(state, record)
        rejection = lifecycle.accept(number, record)
        assert (rejection is None) == (state is not None), (number, record)
        assert state_of(lifecycle) == (state or before)
        if state is None:
            return False
    return True


@pytest.fixture(params=[1, 3, 4096])
def _block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_selections, "_BLOCK", request.param)


@pytest.mark.usefixtures("_block")
def test_walks_are_accepted_and_mutants_of_them_judged_alike() -> None:
    verdicts = set()

    def one(seed: int) -> None:
        rng = Random(seed)
        records = walk(rng, rng.choice((10, 60, 200)))
        assert same(records)
        place = rng.randrange(len(records))
        verdicts.add(same([*records[:place], random_record(rng, place), *records[place:]]))
        verdicts.add(same([*records[:place], *records[place + 1 :]]))

    for_seeds(150, one)
    assert verdicts == {True, False}


def test_traces_are_accepted_and_every_mutant_is_judged_alike() -> None:
    def one(seed: int) -> None:
        case = (directed_case if seed % 3 else undirected_case)(seed)
        machine = naive_run(case.program, case.answers)
        records = machine.records[:60]
        assert same(machine.records)
        verdict = check_lifecycle(machine.records)
        assert verdict.finished is not isinstance(machine.outcome, Suspended)
        for mutant in mutants(records, Random(seed)):
            same(mutant.records)

    for_seeds(30, one)


# ------------------------------------------------------------------------------------------------
# The list of open selections


@pytest.mark.parametrize("block", [1, 2, 5])
def test_open_selections_are_a_list(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_selections, "_BLOCK", block)
    rng = Random(block)
    opened, plain = OpenSelections(), list[tuple[int, int]]()
    for number in range(4000):
        if rng.random() < (0.55 if number % 1000 < 500 else 0.3) or not plain:
            opened.push((number, 0))
            plain.insert(0, (number, 0))
        elif rng.random() < 0.5:
            distance = rng.randrange(len(plain))
            del plain[0]
            plain.insert(distance, (number, 1))
            opened.sink((number, 1), distance)
        elif rng.random() < 0.5:
            plain[0] = (number, 2)
            opened.replace((number, 2))
        else:
            del plain[0]
            opened.pop()
        assert (len(opened), opened.head) == (len(plain), plain[0] if plain else None)
        assert opened.in_order() == plain


@pytest.mark.parametrize("depth", [1, 5])
def test_there_is_no_place_behind_the_last(depth: int) -> None:
    opened = OpenSelections()
    for number in range(depth):
        opened.push((number, 0))
    with pytest.raises(IndexError):
        opened.sink((0, 0), depth)


def test_deep_traces_take_no_time_that_grows_with_depth() -> None:
    """Of 300,000 open selections 100,000 are resumed, each behind all others or half of them."""
    opened = OpenSelections()
    for number in range(300_000):
        opened.push((number, 0))
    for number in range(100_000):
        opened.sink((number, 0), len(opened) // (1 + number % 2) - 1)
    assert len(opened) == 300_000
