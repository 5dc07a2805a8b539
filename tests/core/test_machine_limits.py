"""What is large: deep terms and values, values that double, limits that end a run as exhausted."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
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
    shown,
    var,
)

from eclogue.core import memory, operators
from eclogue.core.errors import TYPE, AnswerRefused, LimitExceeded
from eclogue.core.limits import DEFAULT, MEBI, Limits
from eclogue.core.memory import collector_paused, resident_memory
from eclogue.core.outcomes import Completed, Exhausted, Failed, HostAnswer, Suspended
from eclogue.core.run import Run, resume, run
from eclogue.core.schema import LiteralSchema
from eclogue.core.state import start, step
from eclogue.core.syntax import (
    Check,
    Computation,
    Expression,
    If,
    Let,
    ListExpression,
    Literal,
    Not,
    Project,
)
from eclogue.core.values import RecordValue, Value, equal

MILLION = 1_000_000


def ran(computation: Computation, **limits: Any) -> Run:
    return run(program(computation), limits=Limits(**limits))


def repeated(times: int, bound: Computation, last: Computation) -> Computation:
    """Return `let x = bound; … let x = bound; last`."""
    computation = last
    for _ in range(times):
        computation = Let(bound, computation)
    return computation


# ------------------------------------------------------------------------------------------------
# Values that double sixty times


def doubled(operator: str, first: Any, times: int = 60) -> Computation:
    return Let(ret(first), repeated(times, ret(op(var(0), operator, var(0))), ret(var(0))))


@pytest.mark.parametrize(
    ("operator", "first", "limit", "bound"),
    [
        ("++", "x", "text_length", 64 * MEBI),
        ("++", (1,), "list_length", 16 * MEBI),
        ("*", 3, "integer_bits", 4 * MEBI),
    ],
)
def test_doubling_ends_at_a_limit(operator: str, first: Any, limit: str, bound: int) -> None:
    result = ran(doubled(operator, first))
    assert result.outcome == Exhausted(limit, bound)
    assert result.record_count == 0


def test_adding_an_int_to_itself_is_no_trouble() -> None:
    assert ran(doubled("+", 1)).outcome == Completed(2**60)


def test_sharing_is_no_trouble_until_the_value_is_written() -> None:
    """`let x = [x, x]`, sixty times: a value of sixty nodes that is exponentially large in writing."""
    twice = ret([var(0), var(0)])
    both = Let(ret(1), repeated(60, twice, ret(var(0))))
    compared = let(both, both, perform("a", var(0)), ret(op(var(2), "==", var(1))))
    result = run(program(compared), [HostAnswer(1)], limits=Limits(value_size=MEBI))
    assert result.outcome == Completed(True)
    with pytest.raises(LimitExceeded) as caught:
        result.trace_ref()
    assert (caught.value.limit, caught.value.bound) == ("value_size", MEBI)


# ------------------------------------------------------------------------------------------------
# Depth of a million


def test_a_million_lets_in_sequence() -> None:
    result = ran(Let(ret("first"), repeated(MILLION, ret(1), ret(var(MILLION)))))
    assert result.outcome == Completed("first")
    assert result.steps == 3 * (MILLION + 1) + 2


def test_a_million_lets_in_what_is_bound() -> None:
    computation = ret(0)
    counting = ret(op(var(0), "+", 1))
    for _ in range(MILLION):
        computation = Let(computation, counting)  # type: ignore[assignment]
    assert ran(computation).outcome == Completed(MILLION)


def test_a_million_branches() -> None:
    computation: Computation = ret("leaf")
    yes, otherwise = expr(True), ret("no")
    for _ in range(MILLION):
        computation = If(yes, computation, otherwise)
    assert ran(computation).outcome == Completed("leaf")


def deep(build: Callable[[Expression], Expression], leaf: Any) -> Expression:
    expression = expr(leaf)
    for _ in range(MILLION):
        expression = build(expression)
    return expression


ONE = expr(1)


@pytest.mark.parametrize(
    ("build", "leaf", "value"),
    [
        (Not, True, True),
        (lambda e: op(e, "+", ONE), 0, MILLION),
        (lambda e: op(ONE, "+", e), 0, MILLION),
    ],
    ids=["not", "left", "right"],
)
def test_a_million_levels_of_expressions(build: Any, leaf: Any, value: Value) -> None:
    assert ran(ret(deep(build, leaf))).outcome == Completed(value)


def test_an_expression_fails_a_million_levels_down() -> None:
    wrong = op(1, "+", "x")
    outcome = ran(ret(deep(Not, wrong))).outcome
    assert outcome == Failed(TYPE)
    assert isinstance(outcome, Failed)
    assert outcome.detail == "expected Int, found Text"


def test_a_million_levels_of_values() -> None:
    """Built in an expression and in lets, performed, resumed, compared, answered and written."""
    built = ret(deep(lambda e: ListExpression((e,)), 1))
    grown = Let(ret(1), repeated(MILLION, ret([var(0)]), ret(var(0))))
    worker = let(built, grown, perform("a", var(1)), perform("host", var(0)), ret([var(0), var(2)]))
    same = resume_with(var(0), If(op(var(0), "!=", expr([var(1), var(1)])), ret("differ"), ret(var(0))))
    suspended = run(program(handle(worker, a=same)))
    assert isinstance(suspended.outcome, Suspended)
    whole = resume(suspended, HostAnswer(suspended.outcome.payload))
    assert isinstance(whole.outcome, Completed)
    assert whole.outcome.value != "differ"
    assert len(list(whole.refs())) == whole.record_count == 9


def test_a_million_levels_of_records() -> None:
    value: Value = 1
    for _ in range(MILLION):
        value = RecordValue({"k": value})
    projected = let(perform("a", Literal(value)), ret(Project(var(0), "k")))
    whole = run(program(projected), [HostAnswer(value)])
    assert isinstance(whole.outcome, Completed)
    assert isinstance(value, RecordValue)
    assert equal(whole.outcome.value, value.fields["k"])
    assert whole.trace_ref().startswith("sha256:")


# ------------------------------------------------------------------------------------------------
# Long and wide stacks


def test_many_effects_leave_a_stack_that_unwinds() -> None:
    """A hundred thousand resumed selections: captured by an outer clause, closed by its abort."""
    count = 100_000
    worker = repeated(count, perform("a"), perform("b"))
    result = ran(handle(handle(worker, a=resume_with(1)), b=abort("stop")))
    assert result.outcome == Completed("stop")
    tail = shown(result)[4 * count :]
    assert tail[1] == f"{4 * count + 1} select for {4 * count} capturing {count}"
    assert len(tail) == 4 + count + 1
    assert tail[4] == f"{4 * count + 4} close {4 * (count - 1) + 1} dropped by {4 * count + 3}"
    assert tail[-2] == f"{5 * count + 3} close 1 dropped by {4 * count + 3}"


def test_many_selections_wait_inside_each_other_and_a_failure_closes_them() -> None:
    """Each clause performs the same operation outward before it resumes; the outermost one fails."""
    count = 20_000
    waiting = body(perform("a"), resume_with(var(0)))
    computation: Computation = perform("a")
    for _ in range(count):
        computation = handle(computation, a=waiting)
    result = ran(handle(computation, a=answer(op(1, "+", "x"))))
    assert result.outcome == Failed(TYPE)
    tail = shown(result)[-(count + 3) :]
    assert tail[0].endswith(" failure type")
    assert [int(line.split()[2]) for line in tail[1:-1]] == [1 + 3 * i for i in range(count, -1, -1)]


def test_an_operation_goes_out_through_ten_thousand_handlers() -> None:
    count = 10_000
    computation: Computation = perform("out", "x")
    for _ in range(count):
        computation = handle(computation, other=abort("never"))
    result = ran(handle(computation, out=resume_with(var(0))))
    assert result.outcome == Completed("x")
    assert result.record_count == 7


def test_a_continuation_with_ten_thousand_handlers_is_dropped() -> None:
    count = 10_000
    computation: Computation = perform("out", "x")
    for _ in range(count):
        computation = handle(computation, a=abort("never"))
        computation = Let(computation, ret(var(0)))
    result = ran(handle(computation, out=abort(var(0))))
    assert result.outcome == Completed("x")
    assert result.record_count == 5


# ------------------------------------------------------------------------------------------------
# Integers

HUNDRED_THOUSAND_DIGITS = 10**99_999


def test_ints_of_a_hundred_thousand_digits() -> None:
    number = HUNDRED_THOUSAND_DIGITS
    computed = ret(op(op(var(0), "*", var(0)), "-", op(number, "+", 1)))
    worker = let(perform("a", number), computed)
    whole = run(program(worker), [HostAnswer(number)])
    assert whole.outcome == Completed(number * number - number - 1)
    assert len(list(whole.refs())) == 3


def test_a_detail_does_not_write_out_a_long_int() -> None:
    outcome = ran(ret(Check(LiteralSchema(1), Literal(HUNDRED_THOUSAND_DIGITS)))).outcome
    assert isinstance(outcome, Failed)
    assert outcome.detail == "expected the Int 1, found another Int"


# ------------------------------------------------------------------------------------------------
# Steps


def busy() -> Computation:
    """Return a computation of every kind of step, with a failure at its end."""
    clause = body(ret(1), resume_with(var(0)))
    return handle(let(perform("a"), perform("a"), ret(op(var(0), "+", "x"))), a=clause)


@pytest.mark.parametrize("computation", [ret(1), busy()])
def test_the_limit_on_steps_is_exact(computation: Computation) -> None:
    whole = ran(computation)
    assert whole.steps > 1
    assert ran(computation, steps=whole.steps).outcome == whole.outcome
    for steps in range(whole.steps):
        partial = ran(computation, steps=steps)
        assert partial.outcome == Exhausted("steps", steps)
        assert partial.steps == steps
        assert shown(partial) == shown(whole)[: partial.record_count]
        assert list(partial.refs()) == list(whole.refs())[: partial.record_count]


def test_the_limit_on_steps_is_exact_in_a_long_run() -> None:
    computation = repeated(100_000, ret(1), ret(2))
    steps = ran(computation).steps
    assert steps == 300_002
    assert ran(computation, steps=steps).outcome == Completed(2)
    assert ran(computation, steps=steps - 1).outcome == Exhausted("steps", steps - 1)


def test_the_limit_on_steps_is_for_the_whole_run() -> None:
    computation = let(perform("a"), perform("b"), ret(3))
    answers = [HostAnswer(1), HostAnswer(2)]
    whole = run(program(computation), answers)
    for steps in range(whole.steps):
        at_once = run(program(computation), answers, limits=Limits(steps=steps))
        assert at_once.outcome == Exhausted("steps", steps)
        by_one = run(program(computation), limits=Limits(steps=steps))
        for given in answers:
            if isinstance(by_one.outcome, Suspended):
                by_one = resume(by_one, given)
        assert by_one.outcome == at_once.outcome
        assert shown(by_one) == shown(at_once)
        assert by_one.answers == at_once.answers


def test_an_exhausted_run_takes_no_answer() -> None:
    exhausted = ran(perform("a"), steps=0)
    with pytest.raises(AnswerRefused, match="the run is exhausted"):
        resume(exhausted, HostAnswer(1))


def test_without_a_limit_on_steps() -> None:
    assert ran(repeated(1000, ret(1), ret(2)), steps=None).outcome == Completed(2)


# ------------------------------------------------------------------------------------------------
# Other limits


@pytest.mark.parametrize(
    ("expression", "limits", "exhausted"),
    [
        (op("ab", "++", "c"), {"text_length": 2}, Exhausted("text_length", 2)),
        (op((1, 2), "++", (3,)), {"list_length": 2}, Exhausted("list_length", 2)),
        (expr([1, 2, var(0)]), {"list_length": 2}, Exhausted("list_length", 2)),
        (op(4, "*", 4), {"integer_bits": 4}, Exhausted("integer_bits", 4)),
    ],
)
def test_limits_on_values(expression: Expression, limits: Any, exhausted: Exhausted) -> None:
    result = ran(let(perform("a"), ret(expression)), **limits)
    assert resume(result, HostAnswer(1)).outcome == exhausted
    assert not isinstance(resume(result, HostAnswer(1), limits=DEFAULT).outcome, Exhausted)


def test_a_branch_can_be_resumed_under_tighter_limits() -> None:
    suspended = ran(let(perform("a"), ret(op("ab", "++", var(0)))))
    tight = resume(suspended, HostAnswer("c"), limits=Limits(text_length=2))
    assert tight.outcome == Exhausted("text_length", 2)
    assert resume(suspended, HostAnswer("c")).outcome == Completed("abc")


def test_a_step_says_which_limit_it_would_exceed() -> None:
    state = start(program(ret(op("a", "++", "b"))), Limits(text_length=1))
    with pytest.raises(LimitExceeded, match="text_length"):
        step(state)


def endless(computation: Computation) -> Computation:
    """Return a computation of few nodes that does the given one 2**60 times."""
    for _ in range(60):
        computation = Let(computation, computation)
    return computation


def test_the_limit_on_time() -> None:
    result = ran(endless(ret(1)), steps=None, seconds=0.05)
    assert result.outcome == Exhausted("seconds", 0.05)
    assert result.steps > 0


def test_the_limit_on_time_when_each_step_is_long() -> None:
    """A step that copies millions of items: bursts of steps become short."""
    items = (0,) * 2_000_000
    copying = ret(op(Literal(items), "++", Literal(items)))
    result = ran(repeated(5_000, copying, ret(1)), seconds=0.2)
    assert result.outcome == Exhausted("seconds", 0.2)
    assert result.steps < 15_000


def test_the_limit_on_memory() -> None:
    """An endless trace."""
    bound = resident_memory() + 20 * MEBI
    result = ran(handle(endless(perform("a")), a=resume_with(1)), memory=bound)
    assert result.outcome == Exhausted("memory", bound)


def test_the_limit_on_memory_before_a_large_object_is_built() -> None:
    bound = resident_memory() + 100 * MEBI
    result = ran(doubled("++", "x" * MEBI), memory=bound, text_length=2**60)
    assert result.outcome == Exhausted("memory", bound)
    assert resident_memory() < bound + 100 * MEBI


def test_running_out_of_memory_is_exhaustion(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(*_: object) -> Value:
        raise MemoryError

    monkeypatch.setattr(operators, "equal", out_of_memory)
    given = program(let(perform("a"), ret(op(1, "==", 1))))
    result = run(given, [HostAnswer(1)], limits=Limits(memory=2**60))
    assert result.outcome == Exhausted("memory", 2**60)
    assert result.record_count == 2
    unlimited = run(given, [HostAnswer(1)])
    assert isinstance(unlimited.outcome, Exhausted)
    assert unlimited.outcome.limit == "memory"
    assert unlimited.outcome.bound > MEBI


# ------------------------------------------------------------------------------------------------
# Threads and the garbage collector


@pytest.fixture
def collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_runs_in_threads() -> None:
    """Deep values on the small stack of a thread; branches of one run in several threads at once."""
    built = ret(deep(lambda e: ListExpression((e,)), 1))
    worker = let(built, perform("host", var(0)), repeated(5_000, perform("a", var(1)), ret(var(0))))
    suspended = run(program(handle(worker, a=resume_with(var(0)))))
    results: list[tuple[int, Run]] = []

    def branch(number: int) -> None:
        results.append((number, resume(suspended, HostAnswer(number))))

    threads = [threading.Thread(target=branch, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3
    assert all(result.record_count == 2 + 6 * 5_000 + 1 for _, result in results)
    assert sorted(result.answers[0].value for _, result in results) == [0, 1, 2]  # type: ignore[type-var]


@pytest.mark.usefixtures("collecting")
def test_the_collector_is_off_during_a_run_and_then_as_it_was() -> None:
    states: list[bool] = []

    def tracer(*_: object) -> None:
        states.append(gc.isenabled())
        if len(states) == 1:
            run(program(perform("nested")))
            states.append(gc.isenabled())

    run(program(perform("a")), tracer=tracer)
    assert states == [False, False]
    assert gc.isenabled()
    gc.disable()
    run(program(perform("a")))
    assert not gc.isenabled()


@pytest.mark.usefixtures("collecting")
def test_the_collector_is_on_again_after_an_exception() -> None:
    def tracer(*_: object) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        run(program(perform("a")), tracer=tracer)
    assert gc.isenabled()
    with pytest.raises(AnswerRefused):
        run(program(ret(1)), [HostAnswer(1)])
    assert gc.isenabled()


@pytest.mark.usefixtures("collecting")
def test_the_last_of_overlapping_pauses_turns_the_collector_on() -> None:
    first, second = collector_paused(), collector_paused()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


@pytest.mark.usefixtures("collecting")
def test_a_run_leaves_no_cycles() -> None:
    gc.collect()
    gc.disable()
    for computation in (busy(), doubled("++", "x"), let(perform("a"), ret(1))):
        ran(computation)
    assert gc.collect() == 0


# ------------------------------------------------------------------------------------------------
# Memory where the system tells less about it


def test_the_highest_amount_stands_in_where_the_present_one_is_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "_STATM", "/nonexistent")
    assert resident_memory() > MEBI


def test_where_no_amount_is_told_there_is_no_limit_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_STATM", "/nonexistent")
    monkeypatch.setitem(sys.modules, "resource", None)
    assert resident_memory() == 0
    assert ran(ret(1), memory=MEBI).outcome == Completed(1)
