"""The machine's expressions: each operation, and the two ways to evaluate against each other."""

from __future__ import annotations

import tracemalloc
from random import Random
from typing import Any

import pytest
from machine_terms import expr, op, var

from eclogue.core.environment import EMPTY, Environment, extend
from eclogue.core.errors import SCHEMA, TYPE, UNBOUND, FailureReason, LimitExceeded, missing_key
from eclogue.core.evaluate import compiled, evaluate
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.operators import ExpressionFailed, operators
from eclogue.core.schema import Atom, FieldSchema, ListSchema, LiteralSchema, record_schema
from eclogue.core.syntax import (
    Binary,
    BinaryOperator,
    Check,
    Expression,
    ListExpression,
    Literal,
    Not,
    Project,
    RecordExpression,
    Variable,
)
from eclogue.core.values import Value, equal, from_python, record

OPERATORS = operators(DEFAULT)


def environment_of(*values: Any) -> Environment:
    """Return the environment in which the last value is variable 0."""
    environment = EMPTY
    for value in values:
        environment = extend(environment, from_python(value))
    return environment


def both(expression: Expression, environment: Environment) -> Value | FailureReason:
    """Return what an expression gives, the same in both ways."""
    results: list[Value | FailureReason] = []
    try:
        results.append(evaluate(expression, environment, OPERATORS))
    except ExpressionFailed as failed:
        results.append(failed.reason)
    try:
        results.append(compiled(expression, OPERATORS)(environment))
    except ExpressionFailed as failed:
        results.append(failed.reason)
    except IndexError:
        results.append(UNBOUND)
    walked, called = results
    if isinstance(walked, FailureReason) or isinstance(called, FailureReason):
        assert walked == called
    else:
        assert equal(walked, called)
    return walked


def fields(*pairs: tuple[str, Any]) -> RecordExpression:
    return RecordExpression(tuple((key, expr(item)) for key, item in pairs))


ENVIRONMENT = environment_of("outer", {"k": 1, "l": True}, [1, 2], 7)

VALUES: list[tuple[Expression, Any]] = [
    (expr(None), None),
    (var(0), 7),
    (var(1), [1, 2]),
    (var(3), "outer"),
    (expr([]), []),
    (expr([var(0), [var(3)]]), [7, ["outer"]]),
    (fields(), {}),
    (fields(("b", var(0)), ("a", 1)), {"a": 1, "b": 7}),
    (fields(("k", 1), ("j", 2), ("k", 3)), {"j": 2, "k": 3}),
    (Project(var(2), "k"), 1),
    (Not(expr(True)), False),
    (Not(expr(False)), True),
    (op(var(0), "==", 7), True),
    (op(1, "==", True), False),
    (op(1, "!=", True), True),
    (op([1, [2]], "==", [1, [2]]), True),
    (op(fields(("a", 1), ("b", 2)), "==", fields(("b", 2), ("a", 1))), True),
    (op(1, "<", 2), True),
    (op(2, "<", 2), False),
    (op(2, "<=", 2), True),
    (op(3, "<=", 2), False),
    (op(2, "+", -5), -3),
    (op(2, "-", 5), -3),
    (op(-3, "*", 4), -12),
    (op(2**63, "*", 2**63), 2**126),
    (op("a", "++", "é"), "aé"),
    (op((1,), "++", ("x",)), [1, "x"]),
    (op(True, "and", False), False),
    (op(True, "and", True), True),
    (op(False, "or", False), False),
    (op(False, "or", True), True),
    (Check(Atom.ANY, var(0)), 7),
    (Check(Atom.INT, var(0)), 7),
    (Check(Atom.NULL, expr(None)), None),
    (Check(ListSchema(Atom.INT), var(1)), [1, 2]),
    (Check(LiteralSchema(7), var(0)), 7),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values_of_expressions(expression: Expression, value: Any) -> None:
    result = both(expression, ENVIRONMENT)
    assert not isinstance(result, FailureReason)
    assert equal(result, from_python(value))


UNBOUND_VARIABLE = var(4)
FAILURES: list[tuple[Expression, FailureReason]] = [
    (var(4), UNBOUND),
    (var(10**9), UNBOUND),
    (Project(var(0), "k"), TYPE),
    (Project(var(1), "k"), TYPE),
    (Project(var(2), "m"), missing_key("m")),
    (Not(expr(0)), TYPE),
    (op(1, "<", True), TYPE),
    (op("a", "<=", "b"), TYPE),
    (op(True, "+", True), TYPE),
    (op(1, "-", None), TYPE),
    (op(1, "*", "a"), TYPE),
    (op("a", "++", (1,)), TYPE),
    (op((1,), "++", "a"), TYPE),
    (op({}, "++", {}), TYPE),
    (op(1, "and", True), TYPE),
    (op(True, "or", 0), TYPE),
    (Check(Atom.INT, expr(True)), SCHEMA),
    (Check(Atom.BOOL, expr(1)), SCHEMA),
    (Check(ListSchema(Atom.INT), expr((1, "x"))), SCHEMA),
    (Check(record_schema([FieldSchema("k", True, Atom.ANY)]), var(2)), SCHEMA),
    (Check(LiteralSchema(True), expr(1)), SCHEMA),
    # Both operands are evaluated, the left one first, and only then looked at.
    (op(True, "+", UNBOUND_VARIABLE), UNBOUND),
    (op(1, "+", Project(expr(2), "k")), TYPE),
    (op(UNBOUND_VARIABLE, "+", Project(expr(2), "k")), UNBOUND),
    (op(Project(expr(2), "k"), "+", UNBOUND_VARIABLE), TYPE),
    (op(False, "and", UNBOUND_VARIABLE), UNBOUND),
    (op(True, "or", Project(var(2), "m")), missing_key("m")),
    (expr([Project(var(2), "m"), UNBOUND_VARIABLE]), missing_key("m")),
    (expr([1, UNBOUND_VARIABLE, Project(var(2), "m")]), UNBOUND),
    (fields(("z", UNBOUND_VARIABLE), ("a", Project(var(2), "m"))), UNBOUND),
    (fields(("k", UNBOUND_VARIABLE), ("k", 1)), UNBOUND),
    (Check(Atom.INT, UNBOUND_VARIABLE), UNBOUND),
    (Project(fields(("a", 1), ("b", UNBOUND_VARIABLE)), "a"), UNBOUND),
]


@pytest.mark.parametrize(("expression", "reason"), FAILURES)
def test_failures_of_expressions(expression: Expression, reason: FailureReason) -> None:
    assert both(expression, ENVIRONMENT) == reason


@pytest.mark.parametrize("operator", BinaryOperator)
@pytest.mark.parametrize("left", [None, True, 1, "a", (1,), {"k": 1}])
@pytest.mark.parametrize("right", [None, False, 2, "b", (2,), {"k": 2}])
def test_every_operator_on_every_two_kinds(operator: BinaryOperator, left: Any, right: Any) -> None:
    kinds = type(left), type(right)
    takes = {
        **dict.fromkeys(("<", "<=", "+", "-", "*"), ((int, int),)),
        **dict.fromkeys(("and", "or"), ((bool, bool),)),
        "++": ((str, str), (tuple, tuple)),
    }
    result = both(op(left, operator.value, right), EMPTY)
    allowed = operator.value in ("==", "!=") or kinds in takes[operator.value]
    assert isinstance(result, FailureReason) is not allowed
    assert allowed or result == TYPE


def random_expression(rng: Random, depth: int) -> Expression:
    """Return an expression that may fail, parts of it shared."""
    if depth == 0:
        return Variable(rng.randint(0, 4)) if rng.random() < 0.5 else expr(rng.choice((1, True, "a", ())))

    def part() -> Expression:
        return random_expression(rng, depth - 1)

    shared = part()
    return rng.choice(
        (
            lambda: Binary(rng.choice(list(BinaryOperator)), part(), part()),
            lambda: Binary(rng.choice(list(BinaryOperator)), shared, shared),
            lambda: ListExpression((part(), shared, shared)),
            lambda: RecordExpression((("k", shared), ("l", part()), ("k", shared))),
            lambda: Project(part(), rng.choice("klm")),
            lambda: Project(RecordExpression((("k", part()), ("l", shared))), rng.choice("kl")),
            lambda: Not(part()),
            lambda: Not(Binary(BinaryOperator.EQ, shared, part())),
            lambda: Check(rng.choice((Atom.ANY, Atom.INT, ListSchema(Atom.ANY))), part()),
        )
    )()


def test_the_two_ways_agree_on_random_expressions() -> None:
    rng = Random(20)
    failed = sum(
        isinstance(both(random_expression(rng, rng.randint(1, 4)), ENVIRONMENT), FailureReason)
        for _ in range(3_000)
    )
    assert 300 < failed < 2_700


# ------------------------------------------------------------------------------------------------
# Size


def nested(depth: int) -> Expression:
    expression: Expression = Literal(())
    for _ in range(depth):
        expression = ListExpression((expression,))
    return expression


@pytest.mark.parametrize("depth", [1, 22, 23, 24, 25, 26, 1_000])
def test_depth_makes_no_difference(depth: int) -> None:
    value, levels = both(nested(depth), EMPTY), 0
    while value != ():
        assert isinstance(value, tuple)
        value, levels = value[0], levels + 1
    assert levels == depth


def test_width_makes_no_difference() -> None:
    wide = ListExpression(tuple(Variable(0) for _ in range(10_000)))
    assert both(wide, environment_of(3)) == (3,) * 10_000


def test_a_shared_node_is_evaluated_once() -> None:
    """Sixty levels of the same node twice over: 2**60 nodes if they were expanded."""
    expression: Expression = Variable(0)
    for _ in range(60):
        expression = ListExpression((expression, expression))
    value = both(expression, environment_of("leaf"))
    for _ in range(60):
        assert isinstance(value, tuple)
        assert value[0] is value[1]
        value = value[0]
    assert value == "leaf"


def test_the_innermost_expression_that_failed_is_known() -> None:
    wrong = Project(var(0), "k")
    expression: Expression = wrong
    for _ in range(100):
        expression = ListExpression((Literal(1), expression))
    with pytest.raises(ExpressionFailed) as caught:
        evaluate(expression, ENVIRONMENT, OPERATORS)
    assert caught.value.expression is wrong


def test_values_are_let_go_when_nothing_needs_them_any_more() -> None:
    """A product of 50,000 factors: all of its parts together would take more than a gigabyte."""
    expression: Expression = Variable(0)
    for _ in range(50_000):
        expression = Binary(BinaryOperator.MUL, expression, Variable(0))
    environment = environment_of(2**8)
    tracemalloc.start()
    value = evaluate(expression, environment, OPERATORS)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value == 2 ** (8 * 50_001)
    assert peak < 100_000_000


# ------------------------------------------------------------------------------------------------
# Limits on what is built

TIGHT = operators(Limits(text_length=4, list_length=3, integer_bits=8))


@pytest.mark.parametrize(
    ("expression", "limit", "bound"),
    [
        (op("ab", "++", "cde"), "text_length", 4),
        (op((1, 2), "++", (3, 4)), "list_length", 3),
        (expr([1, 2, 3, 4]), "list_length", 3),
        (op(255, "+", 1), "integer_bits", 8),
        (op(-255, "-", 1), "integer_bits", 8),
        (op(16, "*", 16), "integer_bits", 8),
        (op(2**200, "*", -(2**200)), "integer_bits", 8),
    ],
)
def test_what_would_be_too_large_is_not_built(expression: Expression, limit: str, bound: int) -> None:
    for evaluated in (compiled(expression, TIGHT), lambda env: evaluate(expression, env, TIGHT)):
        with pytest.raises(LimitExceeded) as caught:
            evaluated(EMPTY)
        assert (caught.value.limit, caught.value.bound) == (limit, bound)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (op("ab", "++", "cd"), "abcd"),
        (op((1, 2), "++", (3,)), (1, 2, 3)),
        (expr([1, 2, 3]), (1, 2, 3)),
        (op(254, "+", 1), 255),
        (op(-254, "-", 1), -255),
        (op(15, "*", 17), 255),
        (op(0, "*", 2**200), 0),
    ],
)
def test_what_just_fits_is_built(expression: Expression, value: Value) -> None:
    assert compiled(expression, TIGHT)(EMPTY) == value
    assert evaluate(expression, EMPTY, TIGHT) == value


def test_a_record_has_its_keys_in_order() -> None:
    value = both(fields(("b", 1), ("a", 2), ("é", 3), ("", 4)), EMPTY)
    assert list(value.fields) == ["", "a", "b", "é"]  # type: ignore[union-attr]
    assert value == record({"": 4, "a": 2, "b": 1, "é": 3})
