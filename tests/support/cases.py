"""Generated cases: a program, and answers of a host that mostly keeps to the schemas."""

from __future__ import annotations

from random import Random

import attrs

from eclogue.core.outcomes import HostAnswer, Suspended
from eclogue.core.syntax import Program
from support.choices import chance
from support.core_shapes import has_surface_form
from support.failing import Case
from support.naive_machine import NaiveMachine
from support.random_programs import (
    directed_program,
    random_answer,
    random_flavour,
    undirected_program,
)
from support.random_values import random_value

_MOST_ANSWERS = 5
_WRONG_SCHEMA = 0.06
_NAMED = 0.5  # how often an answer says which operation it is for


def directed_case(seed: int) -> Case:
    """Return the directed program of a seed, with answers that fit its suspensions."""
    rng = Random(seed)
    return with_answers(seed, directed_program(rng), rng)


def undirected_case(seed: int) -> Case:
    """Return the undirected program of a seed, with answers that fit its suspensions."""
    rng = Random(seed)
    return with_answers(seed, undirected_program(rng), rng)


def writable_program(rng: Random) -> Program:
    """Return a directed program of which no expression fails and that has a surface form."""
    while True:
        program = directed_program(rng, attrs.evolve(random_flavour(rng), failing=0.0))
        if has_surface_form(program):
            return program


def writable_case(seed: int) -> Case:
    """Return the writable program of a seed, with answers that fit its suspensions."""
    rng = Random(seed)
    return with_answers(seed, writable_program(rng), rng)


def with_misfit(case: Case) -> Case:
    """Return a case with one answer more: a surplus one, or one for another operation than waits."""
    rng = Random(case.seed)
    operation = rng.choice([None, "no.such", *(declared.name for declared in case.program.operations)])
    position = rng.randint(0, len(case.answers))
    misfit = HostAnswer(random_value(rng), operation)
    return attrs.evolve(case, answers=(*case.answers[:position], misfit, *case.answers[position:]))


def with_answers(seed: int, program: Program, rng: Random) -> Case:
    """Return a case of a program, with answers that fit its suspensions."""
    machine = NaiveMachine(program)
    answers: list[HostAnswer] = []
    most = rng.randint(0, _MOST_ANSWERS)
    while isinstance(machine.outcome, Suspended) and len(answers) < most:
        operation = machine.outcome.operation
        value = random_answer(rng, program, operation, _WRONG_SCHEMA)
        answers.append(HostAnswer(value, operation if chance(rng, _NAMED) else None))
        machine.answer(answers[-1])
    return Case(seed, program, tuple(answers))
