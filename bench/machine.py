"""How fast the machine is, and how its time grows: `python bench/machine.py [--quick] [--family NAME]`.

Each line is one program in a process of its own, the fastest of three where that takes little. `seconds`,
of processor time, is the run with its trace recorded and schemas checked as in lowered programs; `with
refs` counts the run and the chained refs of all its records. Memory is the peak of the whole process, with
the program. After each family stands time per step at the largest size over that at the smallest.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from eclogue.core.outcomes import Completed
from eclogue.core.run import run
from eclogue.core.schema import Atom
from eclogue.core.syntax import (
    Abort,
    Binary,
    BinaryOperator,
    Check,
    Clause,
    Computation,
    Handle,
    Let,
    Literal,
    Perform,
    Program,
    Resume,
    Return,
    Variable,
)

RETURN = Return(Variable(0))
NEXT = Binary(BinaryOperator.ADD, Variable(0), Literal(1))


def checked_perform(operation: str) -> Computation:
    """Return `perform operation(x)` on the innermost variable, with the checks that lowering writes."""
    return Let(Perform(operation, Check(Atom.INT, Variable(0))), Return(Check(Atom.INT, Variable(0))))


def resuming(operation: str) -> Clause:
    """Return a clause that resumes with the next int."""
    return Clause(operation, Resume(NEXT, Return(Check(Atom.ANY, Variable(0)))))


def lets(count: int, bound: Computation) -> Computation:
    """Return one computation, a shared term, bound `count` times in sequence."""
    computation: Computation = RETURN
    for _ in range(count):
        computation = Let(bound, computation)
    return computation


def sequential(count: int) -> Computation:
    """Effects one after the other, each handled and resumed, its result the next one's payload."""
    return Handle(lets(count, checked_perform("op")), RETURN, (resuming("op"),))


def distinct(count: int) -> Computation:
    """As `sequential`, but no two effects share terms, so that each is prepared for a single use."""
    computation: Computation = RETURN
    for _ in range(count):
        computation = Let(checked_perform("op"), computation)
    return Handle(computation, RETURN, (resuming("op"),))


def nested(count: int) -> Computation:
    """Handlers inside each other; under each an effect that it handles, and then the next handler."""
    computation: Computation = RETURN
    for _ in range(count):
        computation = Handle(Let(checked_perform("op"), computation), RETURN, (resuming("op"),))
    return computation


def inside_out(count: int) -> Computation:
    """Handlers inside each other, each for an operation that the innermost computation performs."""
    names = [f"op{number}" for number in range(count)]
    computation: Computation = RETURN
    for name in reversed(names):
        computation = Let(checked_perform(name), computation)
    for name in names:
        computation = Handle(computation, RETURN, (resuming(name),))
    return computation


def outermost(count: int) -> Computation:
    """Ten effects that go out through all handlers to the outermost one."""
    other = (Clause("other", Abort(Literal(0))),)
    computation = lets(10, checked_perform("op"))
    for _ in range(count):
        computation = Handle(computation, RETURN, other)
    return Handle(computation, RETURN, (resuming("op"),))


def pure(count: int) -> Computation:
    """Lets without effects, each adding one."""
    return lets(count, Return(NEXT))


FAMILIES: dict[str, tuple[Callable[[int], Computation], str, tuple[int, ...]]] = {
    "sequential": (sequential, "sequential handled effects", (1_000, 10_000, 100_000, 1_000_000)),
    "distinct": (distinct, "sequential handled effects, no term shared", (1_000, 10_000, 100_000)),
    "nested": (nested, "nested handlers, each used where it begins", (100, 1_000, 10_000, 100_000)),
    "inside_out": (inside_out, "nested handlers, each used from the innermost", (100, 300, 1_000)),
    "outermost": (outermost, "ten effects to the outermost of n handlers", (100, 1_000, 10_000)),
    "pure": (pure, "pure lets", (1_000, 10_000, 100_000, 1_000_000)),
}


def measure(family: str, size: int) -> dict[str, Any]:
    """Return what one program takes in this process."""
    program = Program((), Let(Return(Literal(0)), FAMILIES[family][0](size)))
    began = time.process_time()
    result = run(program)
    ran = time.process_time()
    if not isinstance(result.outcome, Completed):
        raise SystemExit(f"{family} {size} did not complete: {result.outcome}")
    for _ in result.refs():
        pass
    with_refs = time.process_time()
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "steps": result.steps,
        "records": result.record_count,
        "seconds": ran - began,
        "seconds_with_refs": with_refs - began,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit,
    }


def measure_apart(family: str, size: int) -> dict[str, Any]:
    """Return what one program takes in a new process, the fastest of three if they are quick."""
    command = [sys.executable, __file__, "--measure", family, str(size)]
    measured: list[dict[str, Any]] = []
    while len(measured) < 3 and (not measured or measured[0]["seconds"] < 1):
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        measured.append(json.loads(found.stdout))
    return min(measured, key=lambda one: one["seconds"])


HEADING = (
    f"{'size':>10} {'steps':>11} {'records':>10} {'seconds':>9} {'steps/s':>10} "
    f"{'records/s':>10} {'with refs':>10} {'peak MB':>8}"
)


def line(size: int, measured: dict[str, Any]) -> str:
    """Return a line of the table."""
    seconds, steps, records = measured["seconds"], measured["steps"], measured["records"]
    return (
        f"{size:>10,} {steps:>11,} {records:>10,} {seconds:>9.4f} {steps / seconds:>10,.0f} "
        f"{records / seconds:>10,.0f} {records / measured['seconds_with_refs']:>10,.0f} "
        f"{measured['peak'] / 1e6:>8,.0f}"
    )


def report(families: Iterable[str], largest: int) -> None:
    """Print the measurements of some families, at sizes up to `largest`."""
    for family in families:
        _, title, sizes = FAMILIES[family]
        print(f"{family}: {title}\n{HEADING}")
        per_step = []
        for size in (size for size in sizes if size <= largest):
            measured = measure_apart(family, size)
            per_step.append(measured["seconds"] / measured["steps"])
            print(line(size, measured), flush=True)
        print(f"time per step, largest over smallest: {per_step[-1] / per_step[0]:.2f}\n", flush=True)


def main() -> None:
    """Print the table, or, in a process of its own, the measurements of one program."""
    parser = argparse.ArgumentParser(description="Measure the abstract machine.")
    parser.add_argument("--quick", action="store_true", help="leave out the largest sizes")
    parser.add_argument("--family", choices=FAMILIES, action="append", help="only this one (repeatable)")
    parser.add_argument("--measure", nargs=2, metavar=("FAMILY", "SIZE"), help="one program, here, as JSON")
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure[0], int(given.measure[1]))))
    else:
        report(given.family or FAMILIES, 10_000 if given.quick else sys.maxsize)


if __name__ == "__main__":
    main()
