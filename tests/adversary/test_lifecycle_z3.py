"""The lifecycle rules (SPEC §13) as constraints, written from the table, against the automaton.

A time-out of the solver is `unknown`: the test is skipped and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from eclogue.core.errors import SCHEMA
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
        mode, arg, left, size = (z3.IntVal(0) for _ in range(4))
        ids = [z3.IntVal(0)] * (length + 1)
        phases = [z3.IntVal(0)] * (length + 1)
        for n in range(length):
            row, a, b = self.rows[n], self.a[n], self.b[n]
            self.solver.add(row >= 0, row < len(ROWS), a >= 0, a < length, b >= 0, b < length)
            for plain in range(len(ROWS)):
                uses_a, uses_b = plain not in (0, 10, 11, 12), plain in (1, 7, 8)
                self.solver.add(z3.Implies(row == plain, z3.And(uses_a or a == 0, uses_b or b == 0)))
            run, head = mode == RUN, z3.And(size > 0, ids[0] == a)
            waiting = z3.And(run, head, phases[0] >= 0)
            guards = [
                run,
                z3.And(mode == RAISED, arg == a, b <= size),
                z3.And(mode == SELECTED, arg == a),
                waiting,
                z3.And(run, head, phases[0] == RESUMED),
                z3.And(run, head, phases[0] == RETURNED),
                waiting,
                z3.And(mode == CLOSING, arg == b, head),
                z3.And(mode == FAILED, arg == b, head),
                z3.And(mode == RAISED, arg == a),
                run,
                z3.And(run, size == 0),
                z3.And(mode == FAILED, size == 0),
            ]
            self.kept.append(z3.Or([z3.And(row == i, guard) for i, guard in enumerate(guards)]))
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
