"""The lifecycle rules (SPEC §13) as constraints, written from the table, against the automaton.

A time-out of the solver is `unknown`: the test is skipped and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from eclogue.core.errors import SCHEMA, TYPE
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
from eclogue.validator.lifecycle import RULES, Lifecycle, check_lifecycle

z3 = pytest.importorskip("z3")

RUN, RAISED, SELECTED, CLOSING, FAILED, ENDED = range(6)
RESUMED, RETURNED = -1, -2
ROWS = (
    "declaration", "selection", "handle", "resume", "return", "capture-return", "capture-answer",
    "dropped", "failed", "observation", "failure", "end-completed", "end-failed",
)  # fmt: skip
RULE_OF = (0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 8, 9, 9)


def record_of(row: int, a: int, b: int) -> Record:
    makers: list[Any] = [
        lambda: EffectDeclaration("a.b", None),
        lambda: HandlerSelection(a, b),
        lambda: ResumptionHandle(a),
        lambda: ContinuationResume(a, None),
        lambda: ResumeReturn(a, None),
        lambda: EffectCapture(Completion.RETURN, a, None),
        lambda: EffectCapture(Completion.ANSWER, a, None),
        lambda: SelectionClosed(Closing.DROPPED, a, b),
        lambda: SelectionClosed(Closing.FAILED, a, b),
        lambda: HostObservation(a, None),
        lambda: Failure(SCHEMA),
        lambda: RunEnd(CompletedWith(None)),
        lambda: RunEnd(SCHEMA),
    ]
    made: Record = makers[row]()
    return made


class Trace:
    """`length` records as variables; `kept[i]` says that record `i` is accepted where it stands."""

    def __init__(self, length: int) -> None:
        self.rows = [z3.Int(f"row{i}") for i in range(length)]
        self.a = [z3.Int(f"a{i}") for i in range(length)]
        self.b = [z3.Int(f"b{i}") for i in range(length)]
        self.solver = z3.Solver()
        self.solver.set("timeout", 20_000)
        self.kept: list[Any] = []
        self.states: list[tuple[Any, ...]] = []
        """Before each record: mode, how many are left to close, how many are open, the head's phase."""
        self.guards: dict[str, dict[str, Any]] = {}
        """Of each row, the conditions on the last record."""
        mode, arg, left, size = (z3.IntVal(0) for _ in range(4))
        ids = [z3.IntVal(0)] * (length + 1)
        phases = [z3.IntVal(0)] * (length + 1)
        for n in range(length):
            row, a, b = self.rows[n], self.a[n], self.b[n]
            self.solver.add(row >= 0, row < len(ROWS), a >= 0, a < length, b >= 0, b < length)
            for plain in range(len(ROWS)):
                uses_a, uses_b = plain not in (0, 10, 11, 12), plain in (1, 7, 8)
                self.solver.add(z3.Implies(row == plain, z3.And(uses_a or a == 0, uses_b or b == 0)))
            self.states.append((mode, left, size, phases[0]))
            run, head = (mode == RUN), z3.And(size > 0, ids[0] == a)
            waits, cause = phases[0] >= 0, arg == b
            guards = {
                "declaration": {"running": run},
                "selection": {"raised by it": z3.And(mode == RAISED, arg == a), "open": b <= size},
                "handle": {"selected by it": z3.And(mode == SELECTED, arg == a)},
                "resume": {"running": run, "head": head, "selected": waits},
                "return": {"running": run, "head": head, "resumed": phases[0] == RESUMED},
                "capture-return": {"running": run, "head": head, "returned": phases[0] == RETURNED},
                "capture-answer": {"running": run, "head": head, "selected": waits},
                "dropped": {"closing": mode == CLOSING, "cause": cause, "head": head},
                "failed": {"failed": mode == FAILED, "cause": cause, "head": head},
                "observation": {"raised by it": z3.And(mode == RAISED, arg == a)},
                "failure": {"running": run},
                "end-completed": {"running": run, "nothing open": size == 0},
                "end-failed": {"failed": mode == FAILED, "nothing open": size == 0},
            }
            self.guards = guards
            self.kept.append(
                z3.Or([z3.And(row == i, *guards[name].values()) for i, name in enumerate(ROWS)])
            )
            pops = z3.Or([row == i for i in (5, 6, 7, 8)])
            held = phases[0]
            next_ids, next_phases = [], []
            for i in range(length):
                shifted = (ids[i + 1], phases[i + 1])
                pushed = (ids[i - 1], phases[i - 1]) if i else (z3.IntVal(n), b)
                for which, (target, same, entry) in enumerate(
                    ((next_ids, ids[i], a), (next_phases, phases[i], z3.IntVal(RESUMED)))
                ):
                    sunk = z3.If(i < held, shifted[which], z3.If(i == held, entry, same))
                    back = z3.IntVal(RETURNED) if which and i == 0 else same
                    value = z3.If(row == 4, back, same)
                    value = z3.If(row == 3, sunk, value)
                    value = z3.If(row == 1, pushed[which], z3.If(pops, shifted[which], value))
                    target.append(value)
            more = z3.Or(z3.And(row == 6, held > 0), z3.And(row == 7, left > 1))
            next_mode = z3.IntVal(RUN)
            for condition, then in (
                (row == 0, RAISED), (row == 1, SELECTED), (more, CLOSING),
                (z3.Or(row == 8, row == 10), FAILED), (row >= 11, ENDED),
            ):  # fmt: skip
                next_mode = z3.If(condition, then, next_mode)
            arg = z3.If(z3.Or(row == 7, row == 8), arg, z3.IntVal(n))
            left = z3.If(row == 6, held, left - 1)
            size = size + z3.If(row == 1, 1, z3.If(pops, -1, 0))
            mode = next_mode
            ids, phases = [*next_ids, z3.IntVal(0)], [*next_phases, z3.IntVal(0)]

    def found(self) -> list[tuple[int, int, int]] | None:
        answer = self.solver.check()
        if answer == z3.unknown:
            pytest.skip(f"unknown: the solver gave up: {self.solver.reason_unknown()}")
        if answer == z3.unsat:
            return None
        model = self.solver.model()
        triples = zip(self.rows, self.a, self.b, strict=True)
        return [tuple(model.eval(v, True).as_long() for v in triple) for triple in triples]  # type: ignore[misc]

    def exclude(self, trace: list[tuple[int, int, int]]) -> None:
        flat = [v for triple in zip(self.rows, self.a, self.b, strict=True) for v in triple]
        values = [value for triple in trace for value in triple]
        self.solver.add(z3.Or([v != value for v, value in zip(flat, values, strict=True)]))


def accepted_by_automaton(length: int) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Yield every accepted trace of a length, tried record by record."""
    pending: list[tuple[tuple[int, int, int], ...]] = [()]
    while pending:
        trace = pending.pop()
        if len(trace) == length:
            yield trace
            continue
        for row in range(len(ROWS)):
            for a in range(length) if row not in (0, 10, 11, 12) else (0,):
                for b in range(length) if row in (1, 7, 8) else (0,):
                    longer = (*trace, (row, a, b))
                    if check_lifecycle(record_of(*item) for item in longer).accepted:
                        pending.append(longer)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
def test_the_constraints_and_the_automaton_accept_the_same_traces(length: int) -> None:
    trace = Trace(length)
    trace.solver.add(*trace.kept)
    solved = set()
    while (found := trace.found()) is not None:
        solved.add(tuple(found))
        trace.exclude(found)
    assert solved == set(accepted_by_automaton(length))


@pytest.mark.parametrize("rule", range(len(RULES)), ids=RULES)
def test_no_rule_is_implied_by_the_others(rule: int) -> None:
    """A trace that all others accept up to a record which breaks this rule alone."""
    length = 4
    trace = Trace(length)
    mine = z3.Or([trace.rows[-1] == row for row, of in enumerate(RULE_OF) if of == rule])
    trace.solver.add(*trace.kept[:-1], z3.Not(trace.kept[-1]), mine)
    found = trace.found()
    assert found is not None
    lifecycle = Lifecycle()
    refused = [lifecycle.accept(number, record_of(*item)) for number, item in enumerate(found)]
    assert refused[:-1] == [None] * (length - 1)
    assert refused[-1] is not None
    assert refused[-1].rule == RULES[rule]


GUARDS = (
    *("declaration/running", "selection/raised by it", "selection/open", "handle/selected by it"),
    *("resume/running", "resume/head", "resume/selected", "return/running", "return/head"),
    *("return/resumed", "capture-return/running", "capture-return/head", "capture-return/returned"),
    *("capture-answer/running", "capture-answer/head", "capture-answer/selected", "dropped/closing"),
    *("dropped/cause", "dropped/head", "failed/failed", "failed/cause", "failed/head"),
    *("observation/raised by it", "failure/running", "end-completed/running", "end-completed/nothing open"),
    *("end-failed/failed", "end-failed/nothing open"),
)


def test_the_guards_are_these() -> None:
    guards = Trace(1).guards
    assert [f"{row}/{guard}" for row in ROWS for guard in guards[row]] == list(GUARDS)


@pytest.mark.parametrize("name", GUARDS)
def test_no_guard_is_implied_by_the_others(name: str) -> None:
    """A trace that is accepted up to a record which breaks this condition of its rule alone."""
    row, guard = name.split("/")
    for length in range(1, 9):
        trace = Trace(length)
        others = [condition for each, condition in trace.guards[row].items() if each != guard]
        broken = z3.Not(trace.guards[row][guard])
        trace.solver.add(*trace.kept[:-1], trace.rows[-1] == ROWS.index(row), broken, *others)
        found = trace.found()
        if found is not None:
            break
    assert found is not None
    *before, last = (record_of(*item) for item in found)
    lifecycle = Lifecycle()
    assert [lifecycle.accept(number, record) for number, record in enumerate(before)] == [None] * len(
        before
    )
    refused = lifecycle.accept(len(before), last)
    assert refused is not None
    assert refused.rule == RULES[RULE_OF[ROWS.index(row)]]


def test_the_guard_on_the_reason_of_the_end_is_not_implied() -> None:
    """The constraints have one reason of failure only: the same, written out."""
    assert check_lifecycle([Failure(SCHEMA), RunEnd(SCHEMA)]).finished
    refused = check_lifecycle([Failure(SCHEMA), RunEnd(TYPE)]).rejection
    assert refused is not None
    assert (refused.number, refused.rule) == (1, "life.end")


def test_an_abort_is_guarded_as_an_answer_is() -> None:
    records = [EffectDeclaration("a.b", None), HandlerSelection(0, 0), ResumptionHandle(1)]
    for how in (Completion.ANSWER, Completion.ABORT):
        capture = EffectCapture(how, 1, None)
        assert check_lifecycle([*records, capture]).accepted
        assert not check_lifecycle([*records, ContinuationResume(1, None), capture]).accepted


@pytest.mark.parametrize("length", [2, 5, 8])
@pytest.mark.parametrize("granted", ["enough behind a resume", "as much open as is left to close"])
def test_what_the_table_takes_for_granted_follows(granted: str, length: int) -> None:
    trace = Trace(length)
    mode, left, size, phase = trace.states[-1]
    if granted == "enough behind a resume":
        violated = z3.And(mode == RUN, size > 0, phase >= size)
    else:
        violated = z3.And(mode == CLOSING, z3.Or(left < 1, left > size))
    trace.solver.add(*trace.kept[:-1], violated)
    assert trace.found() is None
