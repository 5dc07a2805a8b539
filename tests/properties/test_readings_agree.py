"""The denotation, the machine, and a naive machine transcribed from the formal one agree.

On generated programs, with host answers: the same outcome (value, or operation and payload, or reason of
failure), the same operations performed in the same order with the same payloads, the same refusal of
answers that do not fit; and the two machines leave the same records.
"""

from __future__ import annotations

from collections.abc import Callable

from strategies import for_seeds
from support.cases import directed_case, undirected_case, with_misfit
from support.failing import Case, hold
from support.naive_machine import naive_run
from support.readings import readings_agree
from support.statistics import Tally, classes_of


def _agreement(number: int, title: str, generate: Callable[[int], Case]) -> Tally:
    tally = Tally(title)

    def check(seed: int) -> None:
        case = generate(seed)
        hold(readings_agree, case)
        tally.add(*classes_of(naive_run(case.program, case.answers)))

    for_seeds(number, check)
    return tally


def test_readings_agree_on_directed_programs() -> None:
    tally = _agreement(8000, "directed programs", directed_case)
    tally.check(
        *("nested handlers", "performs under three handlers", "resumes", "resumes three deep"),
        *("return clauses after resume", "answers", "aborts", "closures", "closures: dropped"),
        *("failures", "failures inside clause bodies", "suspensions", "host answers"),
    )


def test_readings_agree_on_undirected_programs() -> None:
    tally = _agreement(4000, "undirected programs", undirected_case)
    tally.check("resumes", "aborts", "answers", "closures", "failures", "suspensions")


def test_answers_that_do_not_fit_are_refused_alike() -> None:
    for_seeds(1500, lambda seed: hold(readings_agree, with_misfit(directed_case(seed))))
