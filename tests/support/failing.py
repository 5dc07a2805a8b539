"""What happens when a property fails: the program is made small, saved, and told how to come back.

A property over generated programs is a function of a `Case` that raises when it does not hold. Cases come
from a seed, which a test module takes from Hypothesis or from `--program-seed`. Hypothesis cannot shrink
what a seed stands for, so that the program itself is reduced here, as long as it fails in the same way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import attrs

from eclogue.core.canonical import text_of
from eclogue.core.encoding import program_to_value
from eclogue.core.outcomes import HostAnswer
from eclogue.core.syntax import Program
from eclogue.core.values import Value, record
from eclogue.lowering.core_printer import print_core
from support.terms import reductions

FOLDER = Path(__file__).resolve().parents[1] / "failures"
"""Where failing cases are saved; git ignores it."""

_ATTEMPTS = 3000  # how many smaller cases are tried before one settles for what there is


@attrs.frozen(eq=False)
class Case:
    """A program and what the host answers."""

    seed: int
    program: Program
    answers: tuple[HostAnswer, ...] = ()


Property: TypeAlias = Callable[[Case], None]


def hold(prop: Property, case: Case) -> None:
    """Check a property of a case; if it fails, raise the failure of a small one, with notes."""
    try:
        prop(case)
    except Exception as failure:
        smallest, error = minimised(prop, case, failure)
        _explain(error, smallest)
        raise error from None


def minimised(prop: Property, case: Case, failure: Exception) -> tuple[Case, Exception]:
    """Return a case of which no single reduction fails in the same way, and how it fails."""
    attempts = 0
    again = True
    while again and attempts < _ATTEMPTS:
        again = False
        for smaller in islice(_smaller(case), _ATTEMPTS - attempts):
            attempts += 1
            error = _failure(prop, smaller)
            if type(error) is type(failure):
                case, failure, again = smaller, error, True
                break
    return case, failure


def _failure(prop: Property, case: Case) -> Exception | None:
    try:
        prop(case)
    except Exception as error:
        return error
    return None


def _smaller(case: Case):  # type: ignore[no-untyped-def]
    for position in range(len(case.answers)):
        yield attrs.evolve(case, answers=case.answers[:position] + case.answers[position + 1 :])
    operations = case.program.operations
    for position in range(len(operations)):
        kept = operations[:position] + operations[position + 1 :]
        yield attrs.evolve(case, program=attrs.evolve(case.program, operations=kept))
    for body in reductions(case.program.body):
        yield attrs.evolve(case, program=attrs.evolve(case.program, body=body))


def _explain(error: Exception, case: Case) -> None:
    test = os.environ.get("PYTEST_CURRENT_TEST", "tests/properties").split(" ")[0]
    error.add_note(f"smallest failing program found: {_saved(test, case)}")
    error.add_note(f"from seed {case.seed}; to run it again: pytest '{test}' --program-seed {case.seed}")


def _saved(test: str, case: Case) -> Path:
    """Write a case to files, the program as JSON and as text and the answers; return the first one."""
    FOLDER.mkdir(exist_ok=True)
    name = re.sub(r"\W+", "_", test.rsplit("/", 1)[-1]) + f"_{case.seed}"
    program = FOLDER / f"{name}.json"
    program.write_text(text_of(program_to_value(case.program)) + "\n", encoding="utf-8")
    program.with_suffix(".core.ecl").write_text(print_core(case.program), encoding="utf-8")
    answers = tuple(_answer(given) for given in case.answers)
    (FOLDER / f"{name}.answers.json").write_text(text_of(answers) + "\n", encoding="utf-8")
    return program


def _answer(given: HostAnswer) -> Value:
    """Return an answer as `--answers` takes it."""
    named = {} if given.operation is None else {"operation": given.operation}
    return record({**named, "value": given.value})
