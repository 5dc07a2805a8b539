"""What a page shows of runs, as plain data: records with lanes and places, states, branches, decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from eclogue.cli.show import record_line
from eclogue.core.inspection import ControlKind, Frame, FrameKind, Names, control_of, frames_of, names_of
from eclogue.core.outcomes import HostAnswer, Suspended
from eclogue.core.state import State, advance, observe, start
from eclogue.core.syntax import Program, Span, Tier
from eclogue.core.trace import (
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)
from eclogue.lowering.core_printer import print_value

_SHORT = 120
_FRAMES = 40
_VARIABLES = 20

LANES = ("program", "handlers", "host")


@attrs.frozen(eq=False)
class Shown:
    """A run that a page shows: its name, records with refs and places, and its program, if it is there."""

    name: str
    records: Sequence[tuple[int, Record, str, Span | None]]
    program: Program | None = None
    source: str = ""


def document_of(runs: Sequence[Shown]) -> dict[str, Any]:
    """Return all that a page shows of some runs."""
    return {
        "runs": [_run(run) for run in runs],
        "branches": branches_of(runs),
        "decisions": list(decisions_of(runs)),
    }


def _run(run: Shown) -> dict[str, Any]:
    states = _Texts()
    shown = list(states_of(run, states)) if run.program is not None else []
    return {
        "name": run.name,
        "source": run.source.splitlines(),
        "records": [_record(run, index) for index in range(len(run.records))],
        "states": shown,
        "texts": states.texts,
    }


def _record(run: Shown, index: int) -> list[Any]:
    """Return a record as number, ref, text, lanes from and to, level, and place."""
    number, record, ref, span = run.records[index]
    following = run.records[index + 1][1] if index + 1 < len(run.records) else None
    start_lane, end_lane = lanes_of(record, following)
    place = None if span is None else [span.line, span.column, span.end_line, span.end_column]
    return [number, ref[7:19], record_line(record, _SHORT), start_lane, end_lane, place]


def lanes_of(record: Record, following: Record | None) -> tuple[int, int]:
    """Return the lanes that a record leads from and to: 0 the program, 1 its handlers, 2 the host."""
    if isinstance(record, EffectDeclaration):
        return 0, 1 if isinstance(following, HandlerSelection) else 2
    if isinstance(record, HostObservation):
        return 2, 0
    if isinstance(record, (ContinuationResume, EffectCapture)):
        return 1, 0
    if isinstance(record, ResumeReturn):
        return 0, 1
    if isinstance(record, (HandlerSelection, ResumptionHandle, SelectionClosed)):
        return 1, 1
    return 0, 0


# ------------------------------------------------------------------------------------------------
# States


class _Texts:
    """Texts by number, each kept once: most frames of a state are those of the state before."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]


def states_of(run: Shown, texts: _Texts) -> Iterator[list[Any]]:
    """Yield for each record the state that follows it: control, variables and frames, as text numbers."""
    assert run.program is not None
    names = names_of(run.program)
    for state in states_after_records(run.program, _answers(run)):
        control, variables, frames = told(state, names)
        yield [
            texts.number(control),
            [texts.number(text) for text in variables],
            [texts.number(text) for text in frames],
        ]


def states_after_records(program: Program, answers: Sequence[HostAnswer]) -> Iterator[State]:
    """Yield the machine's state after each record of a run, the first in which that record is there."""
    waiting = list(answers)
    state = start(program)
    last = -1
    while True:
        while state.trace[1] > last:
            last += 1
            yield state
        following, applied, exceeded = advance(state, 1)
        if exceeded is not None:
            return
        if applied:
            state = following
            continue
        if not isinstance(state.outcome, Suspended) or not waiting:
            return
        state = observe(state, waiting.pop(0).value)


def _answers(run: Shown) -> list[HostAnswer]:
    return [
        HostAnswer(record.value) for _, record, _, _ in run.records if isinstance(record, HostObservation)
    ]


def told(state: State, names: Names) -> tuple[str, list[str], list[str]]:
    """Return a state in texts: what the machine does next, the variables there, and the frames."""
    control = control_of(state)
    text = control.kind.value
    if control.kind in (ControlKind.RETURN, ControlKind.COMPLETED):
        text += f" {_short(control.value)}"
    elif control.kind in (ControlKind.RAISE, ControlKind.SUSPENDED):
        text += f" {control.node.operation}({_short(control.value)})"
    elif control.node is not None:
        text += f" {type(control.node).__name__.lower()}"
    variables: list[str] = []
    if control.environment is not None and control.node is not None:
        found = names.variables(control.node, control.environment, _VARIABLES)
        variables = [f"{name} = {_short(value)}" for name, value in found]
    frames = [_frame(frame) for _, frame in zip(range(_FRAMES), frames_of(state), strict=False)]
    return text, variables, frames


def _frame(frame: Frame) -> str:
    span = getattr(frame.node, "span", None)
    where = "" if span is None else f" at {span.line}:{span.column}"
    if frame.kind is FrameKind.HANDLER:
        operations = ", ".join(clause.operation for clause in frame.node.clauses)
        return f"handler of {operations or 'nothing'}{where}"
    about = "" if frame.selection is None else f" of selection {frame.selection}"
    return f"{frame.kind.value.replace('_', ' ')}{about}{where}"


def _short(value: Any) -> str:
    text = print_value(value)
    return text if len(text) <= _SHORT else text[:_SHORT] + "…"


# ------------------------------------------------------------------------------------------------
# Branches and decisions


def branches_of(runs: Sequence[Shown]) -> list[dict[str, Any]]:
    """Return for each run the earlier one with which it shares the longest prefix, and how many records."""
    found = []
    for number, run in enumerate(runs):
        refs = [ref for _, _, ref, _ in run.records]
        best, shared = None, 0
        for other in range(number):
            common = _common(refs, [ref for _, _, ref, _ in runs[other].records])
            if common > shared:
                best, shared = other, common
        found.append({"from": best, "shared": shared, "length": len(refs)})
    return found


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many refs two traces share: refs are chained, so that one bisection finds it."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[middle - 1] == right[middle - 1] else (low, middle - 1)
    return low


def decisions_of(runs: Sequence[Shown]) -> Iterator[dict[str, Any]]:
    """Yield what wants a decision: operations that wait, the irreversible first; runs with one result."""
    waiting = []
    results: dict[str, list[int]] = {}
    for number, run in enumerate(runs):
        if not run.records:
            continue
        last = run.records[-1][1]
        if isinstance(last, EffectDeclaration):
            tier = _tier(run, last.operation)
            waiting.append((tier, len(print_value(last.payload)), number, last))
        elif isinstance(last, RunEnd):
            results.setdefault(record_line(last, 1000), []).append(number)
    for tier, _, number, record in sorted(waiting, key=lambda item: (-_WEIGHT[item[0]], *item[1:3])):
        text = f"{runs[number].name}: {record.operation} waits ({tier})"
        yield {"text": text, "runs": [number], "record": len(runs[number].records) - 1}
    for result, same in results.items():
        if len(same) > 1:
            names = ", ".join(runs[number].name for number in same)
            yield {"text": f"the same result: {names}: {result}", "runs": same, "record": None}


_WEIGHT: Mapping[str, int] = {"irreversible": 3, "compensable": 2, "reversible": 1, "of unknown tier": 0}


def _tier(run: Shown, name: str) -> str:
    if run.program is None:
        return "of unknown tier"
    tiers: dict[str, Tier] = {operation.name: operation.tier for operation in run.program.operations}
    return tiers[name].value if name in tiers else "of unknown tier"
