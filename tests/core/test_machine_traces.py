"""What a run leaves: records told to tracers, refs, spans and explanations of failures."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from machine_terms import (
    abort,
    answer,
    body,
    expr,
    handle,
    let,
    op,
    perform,
    program,
    resume_with,
    ret,
    var,
)
from support.terms import annotated

from eclogue.core.canonical import commitment, digest
from eclogue.core.errors import LimitExceeded
from eclogue.core.limits import Limits
from eclogue.core.outcomes import Failed, HostAnswer, Suspended
from eclogue.core.run import Run, resume, run
from eclogue.core.schema import (
    Atom,
    FieldSchema,
    ListSchema,
    LiteralSchema,
    RecordSchema,
    Schema,
    record_schema,
)
from eclogue.core.syntax import (
    Answer,
    Binary,
    BinaryOperator,
    BodyIf,
    Check,
    Clause,
    Handle,
    If,
    Let,
    Literal,
    Perform,
    Program,
    Project,
    Resume,
    Return,
    Span,
    Variable,
)
from eclogue.core.trace import (
    START_REF,
    EffectDeclaration,
    Record,
    SelectionClosed,
    next_ref,
    skeleton,
)
from eclogue.core.values import from_python


def programs() -> Iterator[Program]:
    """Yield programs that leave records of every kind."""
    data = {"k": [1, None, "é\n"], "$m": 2**70}
    plain = resume_with(var(0), ret([var(0)]))
    worker = let(perform("a", expr(data)), perform("b", "t"), perform("host", True))
    yield program(handle(handle(worker, a=plain), b=plain))
    yield program(handle(handle(worker, a=plain), b=abort(data)))
    yield program(handle(handle(worker, a=plain), b=answer(-(2**53))))
    yield program(handle(worker, a=plain, b=resume_with(Project(var(0), "absent"))))
    yield program(handle(worker, a=plain, b=answer(op(1, "<", "x"))))


def finished(given: Program) -> Run:
    first = run(given)
    return resume(first, HostAnswer(from_python(["h"]))) if isinstance(first.outcome, Suspended) else first


# ------------------------------------------------------------------------------------------------
# Tracers


def test_the_tracer_is_told_every_record_in_order_and_a_branch_only_its_own() -> None:
    told: list[tuple[int, Record, Span | None]] = []

    def tracer(number: int, record: Record, span: Span | None) -> None:
        told.append((number, record, span))

    given = next(programs())
    suspended = run(given, tracer=tracer)
    assert told == list(suspended.records())
    assert len(told) == suspended.record_count == 9
    told.clear()
    whole = resume(suspended, HostAnswer(3), tracer=tracer)
    assert told == list(whole.records())[9:]
    told.clear()
    run(given, [HostAnswer(3)], tracer=tracer)
    assert told == list(whole.records())


def test_what_a_tracer_raises_comes_through() -> None:
    def tracer(number: int, *_: object) -> None:
        raise RuntimeError(number)

    with pytest.raises(RuntimeError, match="0"):
        run(next(programs()), tracer=tracer)


# ------------------------------------------------------------------------------------------------
# Refs


@pytest.mark.parametrize("salt", [b"", b"salt"])
def test_refs_chain_the_skeletons_of_the_records(salt: bytes) -> None:
    kinds = set()
    for given in programs():
        whole = finished(given)
        ref, expected = START_REF, []
        for number, record, _ in whole.records():
            ref = next_ref(ref, skeleton(number, record, lambda value: commitment(value, salt)))
            expected.append(ref)
            kinds.add(type(record).__name__)
        assert list(whole.refs(salt)) == expected
        assert whole.trace_ref(salt) == expected[-1]
    assert len(kinds) == 10


def test_a_ref_written_out_by_hand() -> None:
    payload = digest(b'"x"')
    first = f'{START_REF}\n{{"operation":"a","payload":"{payload}","record":"EffectDeclaration","seq":0}}'
    assert run(program(perform("a", "x"))).trace_ref() == digest(first.encode())


def test_the_salt_changes_the_refs() -> None:
    whole = finished(next(programs()))
    assert whole.trace_ref(b"s") != whole.trace_ref()


def test_refs_do_not_depend_on_names_and_spans() -> None:
    rng = Random(5)
    for given in programs():
        refs = list(finished(given).refs())
        others = [annotated(given, rng) for _ in range(5)]
        assert all(list(finished(other).refs()) == refs for other in others)
        assert any(span for other in others for _, _, span in finished(other).records())


def test_refs_do_not_depend_on_which_objects_are_shared() -> None:
    """Equal values, once the same object and once not, of kinds that Python holds equal."""
    one = Literal(from_python([1, True, 0, False, "a"]))
    same = let(perform("a", one), perform("b", one))
    apart = let(perform("a", [1, True, 0, False, "a"]), perform("b", (1, True, 0, False, "a")))
    answers = [HostAnswer(True), HostAnswer(1)]
    refs = list(run(program(same), answers).refs())
    assert refs == list(run(program(apart), answers).refs())
    assert refs != list(run(program(same), [HostAnswer(1), HostAnswer(True)]).refs())


def test_a_run_without_records_has_the_start_as_its_ref() -> None:
    nothing = run(program(ret(1)), limits=Limits(steps=1))
    assert nothing.record_count == 0
    assert list(nothing.records()) == []
    assert list(nothing.refs()) == []
    assert nothing.trace_ref() == START_REF


def test_a_value_too_large_to_be_written_has_no_ref() -> None:
    whole = run(program(let(perform("a", "x" * 8), perform("b", "x" * 9))), [HostAnswer(1)])
    assert len(list(whole.refs())) == 3
    tight = run(program(whole.program.body), [HostAnswer(1)], limits=Limits(value_size=10))
    refs = tight.refs()
    assert next(refs) == next(whole.refs())
    assert next(refs)
    with pytest.raises(LimitExceeded) as caught:
        next(refs)
    assert (caught.value.limit, caught.value.bound) == ("value_size", 10)
    with pytest.raises(LimitExceeded):
        tight.trace_ref()


# ------------------------------------------------------------------------------------------------
# Spans: of the perform, the clause, the resume or how the clause ended, and what failed


def at(line: int) -> Span:
    return Span(line, 1, line, 9)


def test_records_have_the_span_of_the_term_they_came_from() -> None:
    resumed = Resume(Variable(0), Return(Variable(0)), span=at(11))
    aborted = Answer(Variable(0), span=at(21))
    worker = Let(
        Perform("a", Literal(1), span=at(1)),
        Let(Perform("host", Literal(2), span=at(2)), Perform("b", Literal(3), span=at(3))),
    )
    inner = Handle(worker, Return(Variable(0)), (Clause("a", resumed, span=at(10)),))
    outer = Handle(inner, Return(Variable(0)), (Clause("b", aborted, span=at(20)),))
    whole = run(Program((), outer), [HostAnswer(0)])
    lines = [(type(record).__name__, span and span.line) for _, record, span in whole.records()]
    assert lines == [
        ("EffectDeclaration", 1),
        ("HandlerSelection", 10),
        ("ResumptionHandle", 10),
        ("ContinuationResume", 11),
        ("EffectDeclaration", 2),
        ("HostObservation", 2),
        ("EffectDeclaration", 3),
        ("HandlerSelection", 20),
        ("ResumptionHandle", 20),
        ("EffectCapture", 21),
        ("SelectionClosed", 21),
        ("RunEnd", None),
    ]


def test_a_suspension_has_the_span_of_its_perform() -> None:
    outcome = run(Program((), Perform("host", Literal(1), span=at(4)))).outcome
    assert isinstance(outcome, Suspended)
    assert outcome.span == at(4)


def test_a_failure_has_the_span_of_the_innermost_expression_that_failed() -> None:
    wrong = Project(Literal(from_python({"k": 1}), span=at(3)), "l", span=at(2))
    sound = Binary(BinaryOperator.ADD, Literal(1), Literal(2), span=at(9))
    whole = run(Program((), Return(Binary(BinaryOperator.EQ, sound, wrong, span=at(1)), span=at(8))))
    assert isinstance(whole.outcome, Failed)
    assert whole.outcome.span == at(2)
    assert [span for _, _, span in whole.records()] == [at(2), at(2)]


def test_a_failure_without_a_span_has_that_of_its_computation() -> None:
    outcome = run(Program((), Return(Variable(0), span=at(8)))).outcome
    assert isinstance(outcome, Failed)
    assert outcome.span == at(8)


@pytest.mark.parametrize("conditional", [If, BodyIf])
def test_a_condition_that_is_no_boolean_is_what_failed(conditional: Any) -> None:
    ends = (ret(1), ret(2)) if conditional is If else (answer(1), answer(2))
    term = conditional(Literal(1, span=at(5)), *ends, span=at(4))
    whole = run(program(term if conditional is If else handle(perform("a", 1), a=term)))
    assert isinstance(whole.outcome, Failed)
    assert whole.outcome.span == at(5)
    assert whole.outcome.detail == "expected Bool, found Int"


def test_selections_that_a_failure_closes_point_to_it() -> None:
    failing = Return(Variable(9, span=at(7)))
    whole = run(program(handle(let(perform("a", 1), failing), a=resume_with(var(0)))))
    closed = [span for _, record, span in whole.records() if isinstance(record, SelectionClosed)]
    assert closed == [at(7)]


# ------------------------------------------------------------------------------------------------
# Explanations


def fields(**schemas: Schema) -> RecordSchema:
    return record_schema(FieldSchema(key, True, schema) for key, schema in schemas.items())


DETAILS: list[tuple[Any, str]] = [
    (var(3), "no value is bound to the variable number 3"),
    (Variable(3, name="patch"), "no value is bound to the variable patch"),
    (Project(expr(1), "k"), "expected Record, found Int"),
    (Project(expr({"a": 1}), 'k"'), 'the record has no key "k\\""'),
    (op(True, "+", "x"), "expected Int, found Bool"),
    (op(1, "+", "x"), "expected Int, found Text"),
    (op(1, "++", "x"), "expected Text or List, found Int"),
    (op("x", "++", [1]), "expected Text, found List"),
    (op([1], "++", "x"), "expected List, found Text"),
    (op(None, "and", True), "expected Bool, found Unit"),
    (Check(Atom.INT, expr("x")), "expected Int, found Text"),
    (Check(Atom.NULL, expr(False)), "expected Unit, found Bool"),
    (Check(ListSchema(Atom.INT), expr((1, 2, True, "x"))), "expected Int, found Bool at [2]"),
    (Check(ListSchema(Atom.INT), expr({})), "expected List, found Record"),
    (Check(fields(a=Atom.ANY), expr(())), "expected Record, found List"),
    (Check(fields(a=Atom.ANY), expr({})), 'the key "a" is missing'),
    (Check(fields(), expr({"a": 1})), 'the key "a" is not in the schema'),
    (
        Check(fields(a=ListSchema(fields(b=Atom.TEXT))), expr({"a": [{"b": "x"}, {"b": 7}]})),
        "expected Text, found Int at .a[1].b",
    ),
    (Check(LiteralSchema("on"), expr("off")), 'expected the Text "on", found "off"'),
    (Check(LiteralSchema(1), expr(True)), "expected the Int 1, found Bool true"),
    (Check(LiteralSchema((1,)), expr((2,))), "expected a certain List, found another List"),
    (
        Check(LiteralSchema("x"), expr("y" * 1000)),
        'expected the Text "x", found "' + "y" * 39 + "…",
    ),
]


@pytest.mark.parametrize(("expression", "detail"), DETAILS)
def test_a_failure_says_what_was_expected(expression: Any, detail: str) -> None:
    outcome = run(program(ret(expression))).outcome
    assert isinstance(outcome, Failed)
    assert outcome.detail == detail


def test_the_place_of_a_deep_mismatch_is_cut_short() -> None:
    schema: Schema = Atom.INT
    value: Any = "x"
    for _ in range(100):
        schema, value = ListSchema(schema), (value,)
    outcome = run(program(ret(Check(schema, Literal(value))))).outcome
    assert isinstance(outcome, Failed)
    assert outcome.detail == "expected Int, found Text at …" + "[0]" * 40


def test_the_detail_of_a_failure_inside_a_clause() -> None:
    clause = body(ret(1), Resume(Project(var(0), "k"), ret(1)))
    outcome = run(program(handle(perform("a"), a=clause))).outcome
    assert isinstance(outcome, Failed)
    assert outcome.detail == "expected Record, found Int"


def test_operations_performed_are_told_in_order_with_their_payloads() -> None:
    whole = finished(next(programs()))
    declared = [record for _, record, _ in whole.records() if isinstance(record, EffectDeclaration)]
    assert [name for name, _ in whole.performed()] == ["a", "b", "host"]
    assert list(whole.performed()) == [(record.operation, record.payload) for record in declared]
