"""Runs of the machine as values: deterministic, resumable in steps and in branches, named by their refs."""

from __future__ import annotations

import enum
from random import Random

import attrs
import pytest
from strategies import for_seeds
from support.cases import directed_case, undirected_case
from support.failing import Case, hold
from support.random_programs import random_answer
from support.terms import annotated

from eclogue.core.canonical import commitment, write
from eclogue.core.decoding import program_from_value
from eclogue.core.denote import read
from eclogue.core.encoding import program_ref, program_to_value
from eclogue.core.errors import FailureReason, MalformedInput
from eclogue.core.outcomes import HostAnswer, Suspended
from eclogue.core.run import Run, resume, run
from eclogue.core.saved import embedded_program, load, save
from eclogue.core.syntax import Literal, Program, Return, Span
from eclogue.core.trace import (
    START_REF,
    CompletedWith,
    Failure,
    Record,
    RunEnd,
    next_ref,
    skeleton,
)
from eclogue.core.values import Value, from_python

OTHER_PROGRAM = Program((), Return(Literal("another program")))


def records_of(ran: Run) -> list[Record]:
    return [record for _, record, _ in ran.records()]


def assert_same_run(left: Run, right: Run) -> None:
    assert left.outcome == right.outcome
    assert left.steps == right.steps
    assert records_of(left) == records_of(right)
    assert list(left.refs()) == list(right.refs())


# ------------------------------------------------------------------------------------------------


def runs_are_deterministic(case: Case) -> None:
    first = run(case.program, case.answers)
    assert_same_run(first, run(case.program, case.answers))
    told: list[tuple[int, Record, Span | None]] = []
    run(case.program, case.answers, tracer=lambda *entry: told.append(entry))
    assert told == list(first.records())
    assert [number for number, _, _ in told] == list(range(first.record_count))


def steps_and_branches(case: Case) -> None:
    """Resuming step by step is running with all answers; a branch leaves the suspended run as it was."""
    rng = Random(case.seed)
    ran = run(case.program)
    for position, answer in enumerate(case.answers):
        assert isinstance(ran.outcome, Suspended)
        before = records_of(ran), list(ran.refs())
        other = HostAnswer(random_answer(rng, case.program, ran.outcome.operation, 0.2))
        branch = resume(ran, other)
        following = resume(ran, answer)
        again = resume(ran, other)
        assert (records_of(ran), list(ran.refs())) == before
        assert_same_run(branch, again)
        assert_same_run(branch, run(case.program, (*case.answers[:position], other)))
        for longer in (branch, following):
            number = len(before[0])
            assert records_of(longer)[:number] == before[0]
            assert list(longer.refs())[:number] == before[1]
        ran = following
    assert_same_run(ran, run(case.program, case.answers))


def refs_are_as_specified(case: Case) -> None:
    """Each ref is recomputed from the specification's words, with and without a salt."""
    ran = run(case.program, case.answers)
    for salt in (b"", b"salt"):
        previous, refs = START_REF, []
        for number, record, _ in ran.records():
            plain = write(from_python(as_specified(number, record, salt))).decode()
            assert skeleton(number, record, lambda value: commitment(value, salt)) == plain  # noqa: B023
            previous = next_ref(previous, plain)
            refs.append(previous)
        assert list(ran.refs(salt)) == refs
        assert ran.trace_ref(salt) == previous
    assert len(set(ran.refs())) == ran.record_count


def as_specified(number: int, record: Record, salt: bytes) -> dict[str, object]:
    """Return a record's skeleton as plain data, made from its fields."""
    made: dict[str, object] = {"seq": number, "record": type(record).__name__}
    match record:
        case RunEnd(CompletedWith(value)):
            return {**made, "status": "completed", "value": commitment(value, salt)}
        case RunEnd(FailureReason() as reason):
            return {**made, "status": "failed", **of_reason(reason)}
        case Failure(reason):
            return {**made, **of_reason(reason)}
    for field in attrs.fields(type(record)):
        item = getattr(record, field.name)
        if field.name in ("payload", "value"):
            item = commitment(item, salt)
        made[field.name] = item.value if isinstance(item, enum.Enum) else item
    return made


def of_reason(reason: FailureReason) -> dict[str, object]:
    key = {} if reason.key is None else {"key": reason.key}
    return {"kind": reason.kind.value, **key}


def refs_without_names(case: Case) -> None:
    """Names, spans, and the way through a document leave the refs as they are."""
    refs = list(run(case.program, case.answers).refs())
    for program in (
        annotated(case.program, Random(case.seed)),
        program_from_value(program_to_value(case.program)),
    ):
        assert list(run(program, case.answers).refs()) == refs


def saved_states(case: Case) -> None:
    """Save a suspended run and read it back: it goes on as if nothing had been."""
    ran = run(case.program, case.answers[:-1])
    if not isinstance(ran.outcome, Suspended):
        return
    name, salt = program_ref(case.program), b"salt"
    data = save(ran, name, program_document=program_to_value(case.program), salt=salt)
    again = load(data, program_from_value(embedded_program(data)), name, salt=salt)
    assert_same_run(again, ran)
    assert save(again, name, program_document=program_to_value(case.program), salt=salt) == data
    for answer in case.answers[-1:]:
        assert_same_run(resume(again, answer), run(case.program, case.answers))
    check_alterations_are_refused(case, data, name, salt)


def check_alterations_are_refused(case: Case, data: bytes, name: str, salt: bytes) -> None:
    rng = Random(case.seed)
    position = rng.randrange(len(data))
    altered = data[:position] + bytes([data[position] ^ (1 << rng.randrange(8))]) + data[position + 1 :]
    with pytest.raises(MalformedInput):
        load(altered, case.program, name, salt=salt)
    with pytest.raises(MalformedInput):
        load(data, case.program, program_ref(OTHER_PROGRAM), salt=salt)
    with pytest.raises(MalformedInput):
        load(data, case.program, name, salt=b"")


def test_saved_states_read_back() -> None:
    for_seeds(600, lambda seed: hold(saved_states, directed_case(seed)))


def denotation_in_steps(case: Case) -> None:
    """Answer a suspension of the denotation several times, as a suspended run may be."""
    rng = Random(case.seed)
    reading = read(case.program)
    for position, answer in enumerate(case.answers):
        assert reading.suspension is not None
        assert isinstance(reading.outcome, Suspended)
        other = HostAnswer(random_answer(rng, case.program, reading.outcome.operation, 0.2))
        branch = reading.suspension.read([other])
        following = reading.suspension.read([answer])
        assert branch == read(case.program, (*case.answers[:position], other))
        assert reading.suspension.read([other]) == branch
        reading = following
    assert reading == read(case.program, case.answers)


def test_denotation_in_steps_and_in_branches() -> None:
    for_seeds(400, lambda seed: hold(denotation_in_steps, directed_case(seed)))


# ------------------------------------------------------------------------------------------------


def test_runs_are_deterministic() -> None:
    for_seeds(400, lambda seed: hold(runs_are_deterministic, directed_case(seed)))


def test_resuming_in_steps_and_in_branches() -> None:
    for_seeds(800, lambda seed: hold(steps_and_branches, directed_case(seed)))
    for_seeds(300, lambda seed: hold(steps_and_branches, undirected_case(seed)))


def test_refs_are_as_specified() -> None:
    for_seeds(400, lambda seed: hold(refs_are_as_specified, directed_case(seed)))


def test_refs_do_not_depend_on_names_or_documents() -> None:
    for_seeds(400, lambda seed: hold(refs_without_names, directed_case(seed)))


def test_answers_are_remembered() -> None:
    def check(seed: int) -> None:
        case = directed_case(seed)
        given = run(case.program, case.answers).answers
        assert [answer.value for answer in given] == values_of(case)
        assert all(answer.operation is not None for answer in given)

    for_seeds(200, check)


def values_of(case: Case) -> list[Value]:
    return [answer.value for answer in case.answers]
