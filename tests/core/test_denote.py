"""The denotational reading on small programs; what they mean was worked out by hand."""

from __future__ import annotations

import pytest
from denote_terms import (
    binary,
    clause,
    completed,
    failed,
    handle,
    joined,
    lets,
    lit,
    perform,
    resuming,
    ret,
    run,
    var,
    wrapping,
)

from eclogue.core.errors import TYPE, UNBOUND, missing_key
from eclogue.core.outcomes import Failed
from eclogue.core.syntax import (
    Abort,
    Answer,
    BodyIf,
    BodyLet,
    Clause,
    Computation,
    If,
    Let,
    Project,
    Resume,
    Return,
    Span,
)
from eclogue.core.values import record

# ------------------------------------------------------------------------------------------------
# Computations


def test_return_gives_the_value_of_its_expression() -> None:
    assert run(Return(binary(lit(1), "+", lit(2)))) == completed(3)


def test_let_binds_the_innermost_variable() -> None:
    body = lets(ret("a"), ret("b"), ret("c"), Return(joined(var(2), var(1), var(0))))
    assert run(body) == completed("abc")


def test_a_bound_computation_does_not_see_the_variable_it_is_bound_to() -> None:
    body = Let(ret("a"), Let(Let(Return(var(0)), Return(joined(var(0), var(1)))), Return(var(0))))
    assert run(body) == completed("aa")


def test_if_takes_one_branch_only() -> None:
    def choose(condition: bool) -> If:
        return If(lit(condition), perform("yes"), perform("no"))

    handlers = (resuming("yes", lit(1)), resuming("no", lit(2)))
    assert run(handle(choose(True), *handlers)) == completed(1, ("yes", None))
    assert run(handle(choose(False), *handlers)) == completed(2, ("no", None))


def test_a_branch_sees_the_variables_around_the_if() -> None:
    assert run(Let(ret(True), If(var(0), Return(var(0)), ret(1)))) == completed(True)


# ------------------------------------------------------------------------------------------------
# Inner effect first, then outer; all orders, three levels deep


def three_levels(order: str) -> Computation:
    """Perform the operations in this order, with payloads "1", "2", …, and return their results joined.

    `a` is handled by the innermost handler, `c` by the outermost; each clause wraps what it gets back.
    """
    results = Return(joined(*(var(index) for index in reversed(range(len(order))))))
    body = lets(*(perform(name, lit(str(at))) for at, name in enumerate(order, 1)), results)
    for name in "abc":
        body = handle(body, wrapping(name))
    return body


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ab", "b⟨2⟩(a⟨1⟩(12))"),
        ("ba", "b⟨1⟩(a⟨2⟩(12))"),
        ("abc", "c⟨3⟩(b⟨2⟩(a⟨1⟩(123)))"),
        ("acb", "c⟨2⟩(b⟨3⟩(a⟨1⟩(123)))"),
        ("bac", "c⟨3⟩(b⟨1⟩(a⟨2⟩(123)))"),
        ("bca", "c⟨2⟩(b⟨1⟩(a⟨3⟩(123)))"),
        ("cab", "c⟨1⟩(b⟨3⟩(a⟨2⟩(123)))"),
        ("cba", "c⟨1⟩(b⟨2⟩(a⟨3⟩(123)))"),
        ("aba", "b⟨2⟩(a⟨1⟩(a⟨3⟩(123)))"),
        ("bab", "b⟨1⟩(b⟨3⟩(a⟨2⟩(123)))"),
        ("aabcb", "c⟨4⟩(b⟨3⟩(b⟨5⟩(a⟨1⟩(a⟨2⟩(12345)))))"),
        ("cacbca", "c⟨1⟩(c⟨3⟩(c⟨5⟩(b⟨4⟩(a⟨2⟩(a⟨6⟩(123456))))))"),
    ],
)
def test_the_rest_of_an_inner_clause_is_part_of_what_an_outer_clause_captures(
    order: str, expected: str
) -> None:
    performed = [(name, str(at)) for at, name in enumerate(order, 1)]
    assert run(three_levels(order)) == completed(expected, *performed)


def test_a_nearer_handler_for_the_same_operation_shadows_the_outer_one() -> None:
    inner = Clause("a", Resume(lit("in"), Return(joined("inner(", var(0), ")"))))
    outer = Clause("a", Resume(lit("out"), Return(joined("outer(", var(0), ")"))))
    body = handle(handle(perform("a"), inner), outer)
    assert run(body) == completed("inner(in)", ("a", None))


def test_operations_after_a_handle_go_to_the_handler_around_it() -> None:
    body = lets(
        handle(perform("a", lit("1")), wrapping("a")),
        perform("a", lit("2")),
        Return(joined(var(1), var(0))),
    )
    outer = Clause("a", Resume(lit("two"), Return(joined("outer(", var(0), ")"))))
    assert run(handle(body, outer)) == completed("outer(a⟨1⟩(1)two)", ("a", "1"), ("a", "2"))


# ------------------------------------------------------------------------------------------------
# Effects of clauses

PASSES_B = Clause("b", Resume(joined("<", var(0), ">"), Return(joined("b(", var(0), ")"))))
"""Resumes with the payload in angles, and wraps the result."""


def test_a_clause_performs_an_outer_operation_before_it_resumes() -> None:
    before = BodyLet(
        perform("b", joined("b of ", var(0))), Resume(var(0), Return(joined("a(", var(0), ")")))
    )
    body = handle(handle(perform("a", lit("p")), clause("a", before)), PASSES_B)
    assert run(body) == completed("b(a(<b of p>))", ("a", "p"), ("b", "b of p"))


def test_a_clause_performs_an_outer_operation_after_it_resumed() -> None:
    after = Resume(var(0), Let(perform("b", var(0)), Return(joined("a(", var(0), ")"))))
    body = handle(
        handle(lets(perform("a", lit("p")), Return(joined(var(0), "!"))), clause("a", after)), PASSES_B
    )
    assert run(body) == completed("b(a(<p!>))", ("a", "p"), ("b", "p!"))


def test_effects_before_and_after_resumes_come_in_order() -> None:
    # Two performs of `a`: the second clause runs inside the first one's resume.
    around = BodyLet(
        perform("b", joined("before ", var(0))),
        Resume(var(1), Let(perform("b", joined("after ", var(2))), Return(var(1)))),
    )
    body = lets(perform("a", lit("1")), perform("a", lit("2")), Return(joined(var(1), var(0))))
    assert run(handle(handle(body, clause("a", around)), resuming("b"))) == completed(
        "12",
        ("a", "1"),
        ("b", "before 1"),
        ("a", "2"),
        ("b", "before 2"),
        ("b", "after 2"),
        ("b", "after 1"),
    )


def test_a_clause_runs_outside_its_own_handler() -> None:
    again = BodyLet(perform("a", joined(var(0), "'")), Resume(var(0), Return(joined("in(", var(0), ")"))))
    outer = Clause("a", Resume(joined(var(0), '"'), Return(joined("out(", var(0), ")"))))
    body = handle(handle(perform("a", lit("p")), clause("a", again)), outer)
    assert run(body) == completed("out(in(p'\"))", ("a", "p"), ("a", "p'"))


def test_three_levels_of_clauses_that_pass_an_operation_on() -> None:
    body: Computation = perform("a", lit("p"))
    for level in "123":
        passes_on = BodyLet(
            perform("a", joined(var(0), level)),
            Resume(var(0), Let(perform("note", lit(level)), Return(joined(level, "(", var(1), ")")))),
        )
        body = handle(body, clause("a", passes_on))
    last = (resuming("a", joined(var(0), "!")), resuming("note"))
    assert run(handle(body, *last)) == completed(
        "3(2(1(p123!)))",
        *(("a", payload) for payload in ("p", "p1", "p12", "p123")),
        *(("note", level) for level in "123"),
    )


def test_a_clause_sees_its_payload_and_what_is_around_the_handle() -> None:
    inside = lets(ret("hidden"), perform("a", lit("payload")), Return(var(0)))
    sees = Resume(joined(var(1), "/", var(0)), Return(joined(var(2), "/", var(1), "/", var(0))))
    body = Let(ret("around"), handle(inside, clause("a", sees)))
    assert run(body) == completed("around/payload/around/payload", ("a", "payload"))


def test_a_clause_chooses_between_resuming_and_answering() -> None:
    chooses = BodyIf(
        binary(var(0), "==", lit("go")),
        Resume(lit("gone"), Return(joined("resumed ", var(0)))),
        Answer(joined("answered ", var(0))),
    )
    assert run(handle(perform("a", lit("go")), clause("a", chooses))) == completed(
        "resumed gone", ("a", "go")
    )
    assert run(handle(perform("a", lit("no")), clause("a", chooses))) == completed(
        "answered no", ("a", "no")
    )


def test_a_handler_inside_a_clause_does_not_reach_what_is_resumed() -> None:
    own = handle(perform("b", lit("own")), resuming("b", lit("by the clause")))
    body = lets(perform("a"), perform("b", lit("body")), Return(joined(var(1), ", ", var(0))))
    inner = clause("a", BodyLet(own, Resume(var(0), Return(var(0)))))
    outer = resuming("b", lit("by the outer handler"))
    assert run(handle(handle(body, inner), outer)) == completed(
        "by the clause, by the outer handler", ("a", None), ("b", "own"), ("b", "body")
    )


# ------------------------------------------------------------------------------------------------
# Clauses that complete without resuming


@pytest.mark.parametrize("completes", [Answer, Abort])
def test_what_follows_the_operation_is_dropped(completes: type[Answer] | type[Abort]) -> None:
    body = lets(perform("a", lit("p")), perform("b"), ret("end"))
    stops = clause("a", completes(joined("stopped by ", var(0))))
    whole = lets(
        handle(body, stops, resuming("b"), returning=ret("not this")),
        Return(joined(var(0), ", and on")),
    )
    assert run(whole) == completed("stopped by p, and on", ("a", "p"))


@pytest.mark.parametrize("completes", [Answer, Abort])
def test_an_outer_clause_completes_while_an_inner_one_waits_for_its_resume(
    completes: type[Answer] | type[Abort],
) -> None:
    inner = handle(lets(perform("a", lit("1")), perform("b", lit("2")), ret("end")), wrapping("a"))
    stops = clause("b", completes(joined("stopped by ", var(0))))
    whole = handle(inner, stops, returning=Return(joined("returned ", var(0))))
    assert run(whole) == completed("stopped by 2", ("a", "1"), ("b", "2"))


@pytest.mark.parametrize("completes", [Answer, Abort])
def test_an_outer_clause_completes_while_an_inner_one_has_not_resumed_yet(
    completes: type[Answer] | type[Abort],
) -> None:
    asks = BodyLet(perform("b", lit("2")), Resume(var(0), Let(perform("c"), Return(var(1)))))
    inner = handle(perform("a", lit("1")), clause("a", asks))
    whole = handle(inner, clause("b", completes(lit("stopped"))), resuming("c"))
    assert run(whole) == completed("stopped", ("a", "1"), ("b", "2"))


@pytest.mark.parametrize("completes", [Answer, Abort])
def test_an_outer_clause_completes_while_an_inner_one_works_after_its_resume(
    completes: type[Answer] | type[Abort],
) -> None:
    asks = Resume(lit("r"), Let(perform("b", var(0)), Return(joined("not this", var(0)))))
    inner = handle(perform("a", lit("1")), clause("a", asks))
    whole = handle(inner, clause("b", completes(joined("stopped at ", var(0)))))
    assert run(whole) == completed("stopped at r", ("a", "1"), ("b", "r"))


def test_an_answer_in_the_middle_keeps_what_the_outer_clause_will_do() -> None:
    # `c` is resumed first, so its wrap is around the handler of `b`, which then answers.
    body = lets(perform("c", lit("1")), perform("a", lit("2")), perform("b", lit("3")), ret("end"))
    stops = clause("b", Answer(joined("stopped by ", var(0))))
    whole = handle(handle(handle(body, wrapping("a")), stops), wrapping("c"))
    assert run(whole) == completed("c⟨1⟩(stopped by 3)", ("c", "1"), ("a", "2"), ("b", "3"))


def test_a_clause_may_answer_inside_a_resume_of_the_same_handler() -> None:
    chooses = BodyIf(
        binary(var(0), "==", lit("last")),
        Answer(lit("enough")),
        Resume(var(0), Return(joined("a(", var(0), ")"))),
    )
    body = lets(perform("a", lit("1")), perform("a", lit("last")), perform("a", lit("2")), ret("end"))
    whole = handle(body, clause("a", chooses), returning=Return(joined("returned ", var(0))))
    assert run(whole) == completed("a(enough)", ("a", "1"), ("a", "last"))


# ------------------------------------------------------------------------------------------------
# Return clauses

RETURNED = Return(joined("returned(", var(0), ")"))


@pytest.mark.parametrize(
    ("resumes", "expected"),
    [
        (0, "returned(end)"),
        (1, "a⟨0⟩(returned(end))"),
        (3, "a⟨0⟩(a⟨1⟩(a⟨2⟩(returned(end))))"),
    ],
)
def test_the_return_clause_applies_once_however_often_is_resumed(resumes: int, expected: str) -> None:
    payloads = [str(at) for at in range(resumes)]
    body = lets(*(perform("a", lit(payload)) for payload in payloads), ret("end"))
    performed = [("a", payload) for payload in payloads]
    assert run(handle(body, wrapping("a"), returning=RETURNED)) == completed(expected, *performed)


def test_the_return_clause_stands_outside_its_handler() -> None:
    returns = Let(perform("a", joined("r", var(0))), Return(joined("returned(", var(0), ")")))
    inner = handle(perform("a", lit("p")), wrapping("a"), returning=returns)
    outer = Clause("a", Resume(joined(var(0), "!"), Return(joined("outer(", var(0), ")"))))
    assert run(handle(inner, outer)) == completed("outer(a⟨p⟩(returned(rp!)))", ("a", "p"), ("a", "rp"))


def test_the_return_clauses_of_three_levels() -> None:
    body: Computation = lets(perform("a", lit("1")), ret("end"))
    for level in "xyz":
        clauses = (wrapping("a"),) if level == "y" else ()
        body = handle(body, *clauses, returning=Return(joined(level, "(", var(0), ")")))
    assert run(body) == completed("z(a⟨1⟩(y(x(end))))", ("a", "1"))


def test_a_return_clause_sees_what_is_around_the_handle() -> None:
    body = Let(
        ret("around"), handle(Let(ret("in"), Return(var(0))), returning=Return(joined(var(1), var(0))))
    )
    assert run(body) == completed("aroundin")


# ------------------------------------------------------------------------------------------------
# A handler without a clause in between


def test_an_operation_passes_a_handler_without_a_clause_which_stays_in_place() -> None:
    body = lets(perform("c", lit("1")), perform("a", lit("2")), Return(joined(var(1), var(0))))
    inner = handle(body, wrapping("a"), returning=RETURNED)
    assert run(handle(inner, wrapping("c"))) == completed(
        "c⟨1⟩(a⟨2⟩(returned(12)))", ("c", "1"), ("a", "2")
    )


def test_a_handler_without_any_clause_only_returns() -> None:
    assert run(handle(handle(perform("a", lit("p")), returning=RETURNED), wrapping("a"))) == completed(
        "a⟨p⟩(returned(p))", ("a", "p")
    )


def test_the_clauses_of_one_handler_serve_different_operations() -> None:
    body = lets(perform("a", lit("1")), perform("b", lit("2")), Return(joined(var(1), var(0))))
    assert run(handle(body, wrapping("b"), wrapping("a"))) == completed(
        "a⟨1⟩(b⟨2⟩(12))", ("a", "1"), ("b", "2")
    )


# ------------------------------------------------------------------------------------------------
# Failures of computations and of clauses

FAILS = Return(Project(lit(record({"a": 1})), "b"))


def test_a_failure_ends_the_program_and_no_handler_sees_it() -> None:
    body = lets(perform("a", lit("1")), FAILS, perform("a", lit("2")), ret("end"))
    whole = lets(handle(body, wrapping("a"), returning=ret("not this")), ret("nor this"))
    assert run(whole) == failed(missing_key("b"), ("a", "1"))


def test_a_payload_that_fails_performs_nothing() -> None:
    assert run(handle(perform("a", var(0)), clause("a", Answer(lit(1))))) == failed(UNBOUND)


@pytest.mark.parametrize(
    "body",
    [
        BodyLet(FAILS, Resume(lit(1), Return(var(0)))),
        Resume(Project(var(0), "b"), Return(var(0))),
        Resume(lit(1), FAILS),
        Answer(Project(var(0), "b")),
        Abort(Project(var(0), "b")),
    ],
    ids=["before", "resumed value", "after", "answer", "abort"],
)
def test_a_clause_that_fails(body: BodyLet | Resume | Answer | Abort) -> None:
    payload = record({"a": 1})
    whole = handle(lets(perform("a", lit(payload)), ret("end")), clause("a", body))
    assert run(whole) == failed(missing_key("b"), ("a", payload))


def test_a_return_clause_that_fails() -> None:
    assert run(handle(lets(perform("a", lit(1)), ret(0)), resuming("a"), returning=FAILS)) == failed(
        missing_key("b"), ("a", 1)
    )


def test_only_a_boolean_decides() -> None:
    span = Span(1, 4, 1, 5)
    by_computation = run(If(lit(1, span), perform("a"), perform("b"))).outcome
    by_body = run(
        handle(perform("a"), clause("a", BodyIf(lit(1, span), Answer(lit(1)), Answer(lit(2)))))
    ).outcome
    for outcome in (by_computation, by_body):
        assert outcome == Failed(TYPE)
        assert isinstance(outcome, Failed)
        assert (outcome.span, outcome.detail) == (span, "expected Bool, found Int")


def test_a_condition_that_fails() -> None:
    assert run(If(var(0), ret(1), ret(2))) == failed(UNBOUND)
