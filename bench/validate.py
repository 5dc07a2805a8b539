"""How validating a trace grows: records against time, in memory, from disk, and with replay.

    python bench/validate.py [--quick] [--family NAME]

`lifecycle` is the automaton on records in memory; `from disk` reads a file, computes its refs again and
checks the rules; `replay` does so and runs the program in both readings. Each in records per second of
processor time, each measured in a process of its own. `peak` is the memory of reading from disk. Records
per second should stay about the same down a column, but for replay where the machine's own work does not.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import machine

from eclogue.core.run import Run, run
from eclogue.core.syntax import Let, Literal, Program, Return
from eclogue.core.trace import (
    START_REF,
    CompletedWith,
    Completion,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    HandlerSelection,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    next_ref,
    skeleton,
)
from eclogue.validator.evidence import Strength
from eclogue.validator.lifecycle import check_lifecycle
from eclogue.validator.open_selections import RESUMED, OpenSelections
from eclogue.validator.trace_file import line, read_trace
from eclogue.validator.validation import Standing, validate

FAMILIES = {
    "sequential": "effects in a row",
    "nested": "nested handlers",
    "inside_out": "handlers used from the innermost: each resume goes behind all that is open",
    "middle": "each resume goes behind half of what is open; no program has this trace",
}
RECORDS_EACH = 6
"""Records of one handled effect."""
SIZES = {
    "sequential": (1_000, 10_000, 100_000, 1_000_000),
    "nested": (1_000, 10_000, 100_000, 1_000_000),
    "inside_out": (1_000, 3_000, 10_000),  # the machine's own work grows with the square here
    "middle": (1_000, 10_000, 100_000, 1_000_000),
}


def ran(family: str, records: int) -> Run:
    """Return a run with about so many records."""
    body = machine.FAMILIES[family][0](records // RECORDS_EACH)
    return run(Program((), Let(Return(Literal(0)), body)))


def middle(records: int) -> list[Record]:
    """Return a trace of about so many records in which each resume goes behind half of what is open."""
    found: list[Record] = []
    opened = OpenSelections()
    for _ in range(records // RECORDS_EACH):
        declaration, selection, half = len(found), len(found) + 1, len(opened) // 2
        found += (EffectDeclaration("op", None), HandlerSelection(declaration, half))
        found += (ResumptionHandle(selection), ContinuationResume(selection, None))
        opened.push((selection, half))
        opened.sink((selection, RESUMED), half)
    for selection, _ in opened.in_order():
        found += (ResumeReturn(selection, None), EffectCapture(Completion.RETURN, selection, None))
    return [*found, RunEnd(CompletedWith(None))]


def trace(family: str, records: int) -> list[Record]:
    """Return a trace of a family."""
    if family == "middle":
        return middle(records)
    return [record for _, record, _ in ran(family, records).records()]


def timed(work: Callable[[], object]) -> float:
    """Return the processor time that `work` takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def write(family: str, size: int, path: Path) -> dict[str, Any]:
    """Write a trace; return how many records it has."""
    records, last = trace(family, size), START_REF
    with path.open("w", encoding="utf-8") as file:
        for number, record in enumerate(records):
            last = next_ref(last, skeleton(number, record))
            file.write(line(number, record, None, last) + "\n")
    return {"records": len(records)}


def in_memory(family: str, size: int, _: Path) -> float:
    """Return the seconds that the lifecycle automaton takes."""
    records = trace(family, size)

    def work() -> None:
        if not check_lifecycle(records).finished:
            raise SystemExit("the trace is not accepted")

    return timed(work)


def from_disk(_family: str, _size: int, path: Path) -> float:
    """Return the seconds that every check without the program takes."""

    def work() -> None:
        with path.open("rb") as file:
            if validate(read_trace(file)).standing is not Standing.ACCEPTED:
                raise SystemExit("the trace is not accepted")

    return timed(work)


def replayed(family: str, size: int, path: Path) -> float:
    """Return the seconds that all checks take, the program's two readings among them."""
    program = ran(family, size).program

    def work() -> None:
        with path.open("rb") as file:
            granted = validate(read_trace(file), program).granted
        if granted.strength is not Strength.REFERENCE_VALIDATED:
            raise SystemExit(granted.reason)

    return timed(work)


KINDS = {"lifecycle": in_memory, "from disk": from_disk, "replay": replayed}


def measure(kind: str, family: str, size: int, path: Path) -> dict[str, Any]:
    """Return what one kind of validation takes in this process; the trace stands in a file already."""
    seconds = KINDS[kind](family, size, path)
    unit = 1 if sys.platform == "darwin" else 1024
    return {"seconds": seconds, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit}


def apart(kind: str, family: str, size: int, path: Path) -> dict[str, Any]:
    """Write a trace, or measure, in a new process: this one has to stay small, for peaks are inherited."""
    command = [sys.executable, __file__, "--measure", kind, family, str(size), str(path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    measured: dict[str, Any] = json.loads(found.stdout)
    return measured


HEADING = f"{'records':>10} {'lifecycle/s':>12} {'from disk/s':>12} {'replay/s':>12} {'peak MB':>8}"


def report(family: str, largest: int) -> None:
    """Print the table of a family."""
    print(f"{family}: {FAMILIES[family]}\n{HEADING}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"
        for size in (size for size in SIZES[family] if size <= largest):
            count = apart("write", family, size, path)["records"]
            kinds = [kind for kind in KINDS if kind != "replay" or family != "middle"]
            found = {kind: apart(kind, family, size, path) for kind in kinds}
            speeds = [f"{count / found[kind]['seconds']:,.0f}" if kind in found else "-" for kind in KINDS]
            columns = " ".join(f"{speed:>12}" for speed in speeds)
            print(f"{count:>10,} {columns} {found['from disk']['peak'] / 1e6:>8,.0f}", flush=True)
    print()


def main() -> None:
    """Print the tables, or, in a process of its own, one measurement."""
    parser = argparse.ArgumentParser(description="Measure the validation of traces.")
    parser.add_argument("--quick", action="store_true", help="leave out the largest sizes")
    parser.add_argument("--family", choices=FAMILIES, action="append", help="only this one (repeatable)")
    parser.add_argument("--measure", nargs=4, metavar=("KIND", "FAMILY", "SIZE", "TRACE"), help="as JSON")
    given = parser.parse_args()
    if given.measure:
        kind, family, size, path = given.measure
        make = write if kind == "write" else partial(measure, kind)
        print(json.dumps(make(family, int(size), Path(path))))
        return
    for family in given.family or FAMILIES:
        report(family, 10_000 if given.quick else sys.maxsize)


if __name__ == "__main__":
    main()
