"""Expressions and limits in the denotational reading."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from denote_terms import (
    binary,
    completed,
    handle,
    joined,
    lets,
    lit,
    perform,
    program,
    resuming,
    ret,
    run,
    var,
)

from eclogue.core.denote import Reading, read
from eclogue.core.denote_expressions import EMPTY, Meter, evaluate
from eclogue.core.errors import SCHEMA, TYPE, UNBOUND, FailureReason, LimitExceeded, missing_key
from eclogue.core.limits import Limits
from eclogue.core.outcomes import Exhausted, Failed, HostAnswer
from eclogue.core.schema import Atom, FieldSchema, ListSchema, LiteralSchema, Schema, record_schema
from eclogue.core.syntax import (
    Check,
    Expression,
    ListExpression,
    Not,
    Project,
    RecordExpression,
    Return,
    Span,
    Variable,
)
from eclogue.core.values import Value, equal, from_python, kind_name, record


def value_of(expression: Expression) -> Value:
    value = evaluate(expression, EMPTY, Meter())
    assert not isinstance(value, Failed), value
    return value


def failure_of(expression: Expression) -> Failed:
    failure = evaluate(expression, EMPTY, Meter())
    assert isinstance(failure, Failed)
    return failure


def same(left: Value, right: Value) -> bool:
    """Compare with kinds kept apart."""
    return kind_name(left) == kind_name(right) and equal(left, right)


# Expressions that fail, each in its own way.
FAILS_UNBOUND = var(0)
FAILS_TYPE = Not(lit(1))
FAILS_KEY = Project(lit(record({})), "k")
FAILS_SCHEMA = Check(Atom.INT, lit("text"))

# ------------------------------------------------------------------------------------------------
# Values of expressions


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        (1, "==", 1, True),
        (1, "==", True, False),
        (0, "!=", False, True),
        ("1", "==", 1, False),
        (None, "==", None, True),
        ([1, [2]], "==", [1, [2]], True),
        ([1, True], "!=", [1, 1], True),
        ({"a": 1, "b": 2}, "==", {"b": 2, "a": 1}, True),
        ({"a": 1}, "!=", {"a": 1, "b": 2}, True),
        (1, "<", 2, True),
        (2, "<", 2, False),
        (2, "<=", 2, True),
        (3, "<=", 2, False),
        (-3, "<", -2, True),
        (2**64, "+", 1, 18446744073709551617),
        (2, "-", 5, -3),
        (-4, "*", 3, -12),
        (0, "*", 2**70, 0),
        ("ab", "++", "c", "abc"),
        ("", "++", "", ""),
        ([1], "++", ["x", []], [1, "x", []]),
        (True, "and", True, True),
        (True, "and", False, False),
        (False, "or", True, True),
        (False, "or", False, False),
    ],
)
def test_binary_operators(left: Any, operator: str, right: Any, expected: Any) -> None:
    expression = binary(lit(from_python(left)), operator, lit(from_python(right)))
    assert same(value_of(expression), from_python(expected))


def test_lists_and_records_are_made_of_their_parts() -> None:
    parts = ListExpression((lit(1), ListExpression(()), RecordExpression((("k", Not(lit(True))),))))
    assert same(value_of(parts), (1, (), record({"k": False})))


def test_of_a_key_that_occurs_twice_the_later_one_wins() -> None:
    twice = RecordExpression((("b", lit(1)), ("a", lit(2)), ("b", lit(3))))
    assert same(value_of(twice), record({"a": 2, "b": 3}))


def test_projection() -> None:
    nested = RecordExpression((("a", RecordExpression((("b", lit("here")),))),))
    assert value_of(Project(Project(nested, "a"), "b")) == "here"


@pytest.mark.parametrize(
    ("schema", "accepted", "refused"),
    [
        (Atom.NULL, None, False),
        (Atom.BOOL, True, 1),
        (Atom.INT, 1, True),
        (Atom.TEXT, "1", 1),
        (LiteralSchema(1), 1, True),
        (ListSchema(Atom.INT), [1, 2], [1, "2"]),
        (record_schema([FieldSchema("k", True, Atom.INT)]), {"k": 1}, {}),
        (record_schema([FieldSchema("k", False, Atom.INT)]), {}, {"l": 1}),
    ],
)
def test_a_check_gives_the_value_or_fails(schema: Schema, accepted: Any, refused: Any) -> None:
    value = from_python(accepted)
    assert same(value_of(Check(schema, lit(value))), value)
    assert failure_of(Check(schema, lit(from_python(refused)))).reason == SCHEMA


def test_any_accepts_everything() -> None:
    assert value_of(Check(Atom.ANY, lit((None, 1)))) == (None, 1)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000])
def test_every_variable_of_an_environment_is_found(size: int) -> None:
    environment = EMPTY
    for value in range(size):
        environment = environment.extended(value)
    found = [environment.look_up(index) for index in range(size)]
    assert found == list(reversed(range(size)))
    assert evaluate(var(size), environment, Meter()) == Failed(UNBOUND)


def test_a_look_up_visits_few_cells_of_a_long_environment() -> None:
    environment = EMPTY
    for value in range(2**16):
        environment = environment.extended(value)
    for index in (2**16 - 1, 2**16 - 2, 2**15, 12_345):
        assert lines_run(lambda index=index: environment.look_up(index)) < 200


def lines_run(function: Callable[[], object]) -> int:
    """Count the lines that Python runs in a call."""
    lines = 0

    def tracer(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        function()
    finally:
        sys.settrace(before)
    return lines


def test_environments_that_share_an_outer_part_do_not_disturb_each_other() -> None:
    outer = EMPTY.extended("a").extended("b")
    left, right = outer.extended("left"), outer.extended("right")
    names = ListExpression((var(0), var(1), var(2)))
    assert evaluate(names, left, Meter()) == ("left", "b", "a")
    assert evaluate(names, right, Meter()) == ("right", "b", "a")


# ------------------------------------------------------------------------------------------------
# Failures


@pytest.mark.parametrize(
    ("left", "operator", "right", "detail"),
    [
        (True, "+", 1, "expected Int, found Bool"),
        (1, "-", None, "expected Int, found Unit"),
        ("a", "*", [], "expected Int, found Text"),
        (False, "<", 1, "expected Int, found Bool"),
        (1, "<=", "2", "expected Int, found Text"),
        (1, "and", True, "expected Bool, found Int"),
        (False, "and", 1, "expected Bool, found Int"),
        (True, "or", None, "expected Bool, found Unit"),
        ("a", "++", ["b"], "expected Text, found List"),
        (["a"], "++", "b", "expected List, found Text"),
        (1, "++", {}, "expected Text or List, found Int"),
        ({}, "++", {}, "expected Text or List, found Record"),
    ],
)
def test_operands_of_the_wrong_kind(left: Any, operator: str, right: Any, detail: str) -> None:
    span = Span(1, 2, 3, 4)
    failure = failure_of(binary(lit(from_python(left)), operator, lit(from_python(right)), span))
    assert (failure.reason, failure.span, failure.detail) == (TYPE, span, detail)


def test_not_wants_a_boolean() -> None:
    failure = failure_of(Not(lit(None)))
    assert (failure.reason, failure.detail) == (TYPE, "expected Bool, found Unit")


def test_projection_wants_a_record_that_has_the_key() -> None:
    no_record = failure_of(Project(lit((1, 2)), "k"))
    assert (no_record.reason, no_record.detail) == (TYPE, "expected Record, found List")
    no_key = failure_of(Project(lit(record({"l": 1})), "k"))
    assert (no_key.reason, no_key.detail) == (missing_key("k"), 'the record has no key "k"')


def test_a_variable_that_nothing_is_bound_to() -> None:
    failure = failure_of(Variable(0, name="patch", span=Span(1, 1, 1, 6)))
    assert failure == Failed(UNBOUND)
    assert (failure.span, failure.detail) == (Span(1, 1, 1, 6), "nothing is bound to patch")
    assert failure_of(var(0)).detail == "nothing is bound to this variable"


def test_a_check_tells_what_it_expected() -> None:
    assert failure_of(Check(Atom.INT, lit("1"))).detail == "expected Int, found Text"
    assert failure_of(Check(LiteralSchema("a"), lit(1))).detail == "expected Text, found Int"
    assert failure_of(Check(ListSchema(Atom.INT), lit(None))).detail == "expected List, found Unit"
    wrong_items = failure_of(Check(ListSchema(Atom.INT), lit(("a",))))
    assert wrong_items.detail == "this List does not fit its schema"
    assert failure_of(Check(record_schema([]), lit(()))).detail == "expected Record, found List"


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        # The left operand is evaluated, then the right one, and only then the kinds are looked at.
        (binary(FAILS_KEY, "+", FAILS_UNBOUND), missing_key("k")),
        (binary(FAILS_UNBOUND, "+", FAILS_KEY), UNBOUND),
        (binary(lit(1), "+", Project(lit(2), "k")), TYPE),
        (binary(lit(True), "+", FAILS_UNBOUND), UNBOUND),
        (binary(lit(None), "and", FAILS_SCHEMA), SCHEMA),
        (binary(lit(1), "++", FAILS_KEY), missing_key("k")),
        (binary(lit(1), "==", FAILS_TYPE), TYPE),
        # `and` and `or` are strict.
        (binary(lit(False), "and", FAILS_UNBOUND), UNBOUND),
        (binary(lit(True), "or", FAILS_KEY), missing_key("k")),
        # Parts of lists and records, from left to right, those included that a later one hides.
        (ListExpression((lit(1), FAILS_SCHEMA, FAILS_UNBOUND)), SCHEMA),
        (ListExpression((FAILS_TYPE, FAILS_UNBOUND)), TYPE),
        (RecordExpression((("b", FAILS_KEY), ("a", FAILS_UNBOUND))), missing_key("k")),
        (RecordExpression((("a", FAILS_UNBOUND), ("a", lit(1)))), UNBOUND),
        # A subject fails before what is asked of it.
        (Project(FAILS_UNBOUND, "k"), UNBOUND),
        (Not(FAILS_KEY), missing_key("k")),
        (Check(Atom.ANY, FAILS_TYPE), TYPE),
        (Check(Atom.NULL, FAILS_KEY), missing_key("k")),
    ],
)
def test_the_first_failure_is_the_one(expression: Expression, reason: FailureReason) -> None:
    assert failure_of(expression).reason == reason


def test_the_span_is_that_of_the_innermost_expression_that_failed() -> None:
    inner, outer = Span(1, 5, 1, 10), Span(1, 1, 1, 20)
    failing = binary(lit(1), "+", lit("a"), inner)
    outcome = run(Return(binary(lit(0), "+", ListExpression((failing,)), outer), span=outer)).outcome
    assert isinstance(outcome, Failed)
    assert outcome.span == inner


# ------------------------------------------------------------------------------------------------
# Sharing


def test_an_expression_that_would_be_exponentially_large_is_evaluated_once_for_each_node() -> None:
    shared: Expression = lit(1)
    for _ in range(200):
        shared = binary(shared, "+", shared)
    assert value_of(shared) == 2**200


def test_a_value_that_would_be_exponentially_large_is_only_shared() -> None:
    doubling = Return(ListExpression((var(0), var(0))))
    body = lets(ret(0), *[doubling] * 200, Return(binary(var(0), "==", var(0))))
    assert run(body) == completed(True)
    big = run(lets(ret(0), *[doubling] * 200, Return(var(0))))
    assert big == run(lets(ret(0), *[doubling] * 200, Return(var(0))))
    assert big != run(lets(ret(1), *[doubling] * 200, Return(var(0))))


# ------------------------------------------------------------------------------------------------
# Limits


@pytest.mark.parametrize(
    ("expression", "limit", "size"),
    [
        (joined("abcd", "efg"), "text_length", 7),
        (binary(lit((1, 2)), "++", lit((3,))), "list_length", 3),
        (ListExpression((lit(1), lit(2), lit(3), lit(4))), "list_length", 4),
        (binary(lit(255), "+", lit(1)), "integer_bits", 9),
        (binary(lit(-255), "-", lit(1)), "integer_bits", 9),
        (binary(lit(15), "*", lit(15)), "integer_bits", 8),
        (binary(lit(8), "*", lit(8)), "integer_bits", 7),
        (binary(lit(-16), "*", lit(16)), "integer_bits", 9),
    ],
)
def test_a_limit_holds_exactly(expression: Expression, limit: str, size: int) -> None:
    reached: Any = {limit: size}
    passed: Any = {limit: size - 1}
    value = evaluate(expression, EMPTY, Meter(Limits(**reached)))
    assert not isinstance(value, Failed)
    assert read(program(Return(expression)), limits=Limits(**passed)) == Reading(
        Exhausted(limit, size - 1), ()
    )


@pytest.mark.parametrize(
    ("large", "operator", "limit"),
    [
        ("a" * 2**20, "++", "text_length"),
        ((None,) * 2**18, "++", "list_length"),
        (3 ** (2**20), "*", "integer_bits"),
    ],
    ids=["text", "list", "integer"],
)
def test_what_is_too_large_is_refused_before_it_is_built(large: Value, operator: str, limit: str) -> None:
    expression, meter = binary(lit(large), operator, lit(large)), Meter(Limits(**{limit: 1000}))
    tracemalloc.start()
    try:
        with pytest.raises(LimitExceeded, match=limit):
            evaluate(expression, EMPTY, meter)
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most_bytes < 2**16


def test_what_doubles_sixty_times_is_refused_in_time() -> None:
    # Without a limit none of these would fit into memory.
    text = lets(ret("ab"), *[Return(binary(var(0), "++", var(0)))] * 60, Return(var(0)))
    items = lets(ret((1, 2)), *[Return(binary(var(0), "++", var(0)))] * 60, Return(var(0)))
    square = lets(ret(3), *[Return(binary(var(0), "*", var(0)))] * 60, Return(var(0)))
    small = Limits(text_length=1000, list_length=1000, integer_bits=1000)
    assert read(program(text), limits=small).outcome == Exhausted("text_length", 1000)
    assert read(program(items), limits=small).outcome == Exhausted("list_length", 1000)
    assert read(program(square), limits=small).outcome == Exhausted("integer_bits", 1000)


def test_steps_are_forced_nodes() -> None:
    # `return 1`: the computation, its expression, its value. The let: itself, its bind, three for what is
    # bound, and then the expression and the value of its body.
    body = lets(ret(1), Return(var(0)))
    assert read(program(ret(1)), limits=Limits(steps=3)) == completed(1)
    assert read(program(ret(1)), limits=Limits(steps=2)) == Reading(Exhausted("steps", 2), ())
    assert read(program(body), limits=Limits(steps=7)) == completed(1)
    assert read(program(body), limits=Limits(steps=6)) == Reading(Exhausted("steps", 6), ())


def test_an_exhausted_reading_tells_what_was_performed_until_then() -> None:
    body = handle(
        lets(perform("a", lit("x")), Return(joined(*[var(0)] * 20)), perform("a", lit("y")), ret(1)),
        resuming("a"),
    )
    reading = read(program(body), limits=Limits(text_length=10))
    assert reading == Reading(Exhausted("text_length", 10), (("a", "x"),))


def test_without_time_a_run_is_exhausted_at_once() -> None:
    assert read(program(ret(1)), limits=Limits(seconds=0.0)) == Reading(Exhausted("seconds", 0.0), ())


def test_the_clock_is_looked_at_within_an_expression() -> None:
    with pytest.raises(LimitExceeded, match="seconds"):
        evaluate(Not(lit(True)), EMPTY, Meter(Limits(seconds=0.0)))


def test_without_a_limit_on_steps_a_run_completes() -> None:
    assert read(program(ret(1)), limits=Limits(steps=None, seconds=600.0)) == completed(1)


def test_the_limits_of_a_branch_are_its_own() -> None:
    body = lets(perform("a"), *[Return(var(0))] * 100, Return(joined(var(0), "!")))
    waiting = read(program(body), limits=Limits(steps=20)).suspension
    assert waiting is not None
    answers = [HostAnswer("ab")]
    assert waiting.read(answers) == completed("ab!", ("a", None))
    assert waiting.read(answers, limits=Limits(steps=20)).outcome == Exhausted("steps", 20)
    assert waiting.read(answers, limits=Limits(text_length=2)).outcome == Exhausted("text_length", 2)
