"""The machine on small programs: every rule, with expected traces that were written by hand."""

from __future__ import annotations

from typing import Any

import pytest
from machine_terms import (
    abort,
    answer,
    body,
    expr,
    handle,
    let,
    lines,
    op,
    perform,
    program,
    resume_with,
    ret,
    shown,
    var,
)

from eclogue.core.errors import TYPE, UNBOUND, AnswerRefused
from eclogue.core.outcomes import Completed, Failed, HostAnswer, Suspended
from eclogue.core.run import Run, resume, run
from eclogue.core.state import observe, start, step
from eclogue.core.syntax import BodyIf, Clause, Computation, Handle, If, Program, Resume
from eclogue.core.values import from_python


def ran(computation: Computation, *answers: Any) -> Run:
    return run(program(computation), [HostAnswer(from_python(value)) for value in answers])


def completed(data: Any) -> Completed:
    return Completed(from_python(data))


def wrapping(name: str) -> Resume:
    """Return the clause body that resumes with its payload and then wraps what comes back."""
    return resume_with(var(0), ret([name, var(0)]))


# ------------------------------------------------------------------------------------------------
# Inner effect first, then outer: all orders, three levels deep


def three_levels(*order: str) -> Computation:
    """Return a worker that performs three operations in this order; `a` has the innermost handler."""
    worker = let(*(perform(name, number) for number, name in enumerate(order, 1)), ret("done"))
    inner = handle(worker, a=wrapping("a"))
    return handle(handle(inner, b=wrapping("b")), c=wrapping("c"))


ORDERS = {
    "abc": """
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare b 2
        5 select for 4 capturing 1
        6 resumption 5
        7 resume 5 2
        8 declare c 3
        9 select for 8 capturing 2
        10 resumption 9
        11 resume 9 3
        12 back 1 "done"
        13 return 1 ["a","done"]
        14 back 5 ["a","done"]
        15 return 5 ["b",["a","done"]]
        16 back 9 ["b",["a","done"]]
        17 return 9 ["c",["b",["a","done"]]]
        18 end ["c",["b",["a","done"]]]
        """,
    "acb": """
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare c 2
        5 select for 4 capturing 1
        6 resumption 5
        7 resume 5 2
        8 declare b 3
        9 select for 8 capturing 1
        10 resumption 9
        11 resume 9 3
        12 back 1 "done"
        13 return 1 ["a","done"]
        14 back 9 ["a","done"]
        15 return 9 ["b",["a","done"]]
        16 back 5 ["b",["a","done"]]
        17 return 5 ["c",["b",["a","done"]]]
        18 end ["c",["b",["a","done"]]]
        """,
    "bac": """
        0 declare b 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare a 2
        5 select for 4 capturing 0
        6 resumption 5
        7 resume 5 2
        8 declare c 3
        9 select for 8 capturing 2
        10 resumption 9
        11 resume 9 3
        12 back 5 "done"
        13 return 5 ["a","done"]
        14 back 1 ["a","done"]
        15 return 1 ["b",["a","done"]]
        16 back 9 ["b",["a","done"]]
        17 return 9 ["c",["b",["a","done"]]]
        18 end ["c",["b",["a","done"]]]
        """,
    "bca": """
        0 declare b 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare c 2
        5 select for 4 capturing 1
        6 resumption 5
        7 resume 5 2
        8 declare a 3
        9 select for 8 capturing 0
        10 resumption 9
        11 resume 9 3
        12 back 9 "done"
        13 return 9 ["a","done"]
        14 back 1 ["a","done"]
        15 return 1 ["b",["a","done"]]
        16 back 5 ["b",["a","done"]]
        17 return 5 ["c",["b",["a","done"]]]
        18 end ["c",["b",["a","done"]]]
        """,
    "cab": """
        0 declare c 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare a 2
        5 select for 4 capturing 0
        6 resumption 5
        7 resume 5 2
        8 declare b 3
        9 select for 8 capturing 1
        10 resumption 9
        11 resume 9 3
        12 back 5 "done"
        13 return 5 ["a","done"]
        14 back 9 ["a","done"]
        15 return 9 ["b",["a","done"]]
        16 back 1 ["b",["a","done"]]
        17 return 1 ["c",["b",["a","done"]]]
        18 end ["c",["b",["a","done"]]]
        """,
    "cba": """
        0 declare c 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare b 2
        5 select for 4 capturing 0
        6 resumption 5
        7 resume 5 2
        8 declare a 3
        9 select for 8 capturing 0
        10 resumption 9
        11 resume 9 3
        12 back 9 "done"
        13 return 9 ["a","done"]
        14 back 5 ["a","done"]
        15 return 5 ["b",["a","done"]]
        16 back 1 ["b",["a","done"]]
        17 return 1 ["c",["b",["a","done"]]]
        18 end ["c",["b",["a","done"]]]
        """,
}


@pytest.mark.parametrize("order", ORDERS)
def test_the_rest_of_an_inner_clause_is_captured_by_the_outer_one(order: str) -> None:
    result = ran(three_levels(*order))
    assert result.outcome == completed(["c", ["b", ["a", "done"]]])
    assert shown(result) == lines(ORDERS[order])
    assert result.performed() == tuple((name, number) for number, name in enumerate(order, 1))


# ------------------------------------------------------------------------------------------------
# Effects of clauses, three levels deep


def test_clauses_that_perform_an_outer_operation_before_they_resume() -> None:
    def clause(name: str, outer: str) -> Any:
        return body(perform(outer, var(0)), resume_with(var(0), ret([name, var(0)])))

    worker = handle(perform("a", 1), a=clause("a", "b"))
    result = ran(handle(handle(worker, b=clause("b", "c")), c=wrapping("c")))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 declare b 1
        4 select for 3 capturing 1
        5 resumption 4
        6 declare c 1
        7 select for 6 capturing 2
        8 resumption 7
        9 resume 7 1
        10 resume 4 1
        11 resume 1 1
        12 back 1 1
        13 return 1 ["a",1]
        14 back 4 ["a",1]
        15 return 4 ["b",["a",1]]
        16 back 7 ["b",["a",1]]
        17 return 7 ["c",["b",["a",1]]]
        18 end ["c",["b",["a",1]]]
        """)


def test_clauses_that_perform_an_outer_operation_after_they_resumed() -> None:
    def clause(name: str, outer: str) -> Resume:
        return resume_with(var(0), perform(outer, var(0)), ret([name, var(1), var(0)]))

    worker = handle(perform("a", 1), a=clause("a", "b"))
    result = ran(handle(handle(worker, b=clause("b", "c")), c=wrapping("c")))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 back 1 1
        5 declare b 1
        6 select for 5 capturing 1
        7 resumption 6
        8 resume 6 1
        9 return 1 ["a",1,1]
        10 back 6 ["a",1,1]
        11 declare c ["a",1,1]
        12 select for 11 capturing 1
        13 resumption 12
        14 resume 12 ["a",1,1]
        15 return 6 ["b",["a",1,1],["a",1,1]]
        16 back 12 ["b",["a",1,1],["a",1,1]]
        17 return 12 ["c",["b",["a",1,1],["a",1,1]]]
        18 end ["c",["b",["a",1,1],["a",1,1]]]
        """)


def test_a_clause_performs_its_own_operation_outward() -> None:
    inner = handle(perform("a", 1), a=body(perform("a", op(var(0), "+", 1)), wrapping("inner")))
    result = ran(handle(inner, a=wrapping("outer")))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 declare a 2
        4 select for 3 capturing 1
        5 resumption 4
        6 resume 4 2
        7 resume 1 2
        8 back 1 2
        9 return 1 ["inner",2]
        10 back 4 ["inner",2]
        11 return 4 ["outer",["inner",2]]
        12 end ["outer",["inner",2]]
        """)


# ------------------------------------------------------------------------------------------------
# Clauses that answer or abort while selections are open: each is closed, once, and named


@pytest.mark.parametrize(("ending", "how"), [(answer, "answer"), (abort, "abort")])
def test_an_outer_clause_drops_a_selection_in_each_phase(ending: Any, how: str) -> None:
    """`a` is resumed and inside what `b` captured; `b` computes and has not resumed."""
    worker = handle(let(perform("a", 1), perform("b", 2), ret("never")), a=wrapping("a"))
    middle = handle(worker, b=body(perform("c", 3), wrapping("b")))
    result = ran(let(handle(middle, returning=ret("never"), c=ending("stop")), ret(["got", var(0)])))
    assert shown(result) == lines(f"""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare b 2
        5 select for 4 capturing 1
        6 resumption 5
        7 declare c 3
        8 select for 7 capturing 2
        9 resumption 8
        10 {how} 8 "stop"
        11 close 5 dropped by 10
        12 close 1 dropped by 10
        13 end ["got","stop"]
        """)


@pytest.mark.parametrize(("ending", "how"), [(answer, "answer"), (abort, "abort")])
def test_an_outer_clause_drops_a_selection_that_was_returned_to(ending: Any, how: str) -> None:
    inner = handle(let(perform("a", 1), ret("w")), a=resume_with(var(0), perform("c", var(0))))
    result = ran(handle(inner, c=ending("stop")))
    assert shown(result) == lines(f"""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 back 1 "w"
        5 declare c "w"
        6 select for 5 capturing 1
        7 resumption 6
        8 {how} 6 "stop"
        9 close 1 dropped by 8
        10 end "stop"
        """)


def test_closing_goes_from_the_innermost_outward_and_captured_ones_follow_their_captor() -> None:
    """Dropped: the body of `b`, then `a` inside its captured continuation, then `c` further out."""
    worker = let(perform("c", 0), perform("a", 1), perform("b", 2), ret("never"))
    inner = handle(worker, a=wrapping("a"))
    middle = handle(inner, b=body(perform("d", 3), wrapping("b")))
    result = ran(handle(handle(middle, c=wrapping("c")), d=abort("stop")))
    assert shown(result) == lines("""
        0 declare c 0
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 0
        4 declare a 1
        5 select for 4 capturing 0
        6 resumption 5
        7 resume 5 1
        8 declare b 2
        9 select for 8 capturing 1
        10 resumption 9
        11 declare d 3
        12 select for 11 capturing 3
        13 resumption 12
        14 abort 12 "stop"
        15 close 9 dropped by 14
        16 close 5 dropped by 14
        17 close 1 dropped by 14
        18 end "stop"
        """)


def test_captured_continuations_nest_in_what_is_dropped() -> None:
    """Each of three clauses waits for the next one; the last of them aborts."""

    def waiting(outer: str) -> Any:
        return body(perform(outer, var(0)), wrapping("never"))

    inner = handle(perform("a", 1), a=waiting("b"))
    result = ran(handle(handle(handle(inner, b=waiting("c")), c=waiting("d")), d=abort("stop")))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 declare b 1
        4 select for 3 capturing 1
        5 resumption 4
        6 declare c 1
        7 select for 6 capturing 2
        8 resumption 7
        9 declare d 1
        10 select for 9 capturing 3
        11 resumption 10
        12 abort 10 "stop"
        13 close 7 dropped by 12
        14 close 4 dropped by 12
        15 close 1 dropped by 12
        16 end "stop"
        """)


def test_what_is_outside_the_handler_stays_open() -> None:
    """The worker of `b` is run by the clause of `a`, after its resume, and answers with nothing open."""
    rest = handle(perform("b", 5), b=answer(op(var(0), "+", 1)))
    result = ran(handle(perform("a", 1), a=resume_with(var(0), rest)))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 back 1 1
        5 declare b 5
        6 select for 5 capturing 0
        7 resumption 6
        8 answer 6 6
        9 return 1 6
        10 end 6
        """)


# ------------------------------------------------------------------------------------------------
# Return clauses, and handlers in between

RETURNING = ret(["r", var(0)])


def test_a_return_clause_without_a_resume() -> None:
    result = ran(handle(ret(1), returning=RETURNING, a=wrapping("a")))
    assert shown(result) == ['0 end ["r",1]']


def test_a_return_clause_after_one_resume() -> None:
    result = ran(handle(perform("a", 1), returning=RETURNING, a=wrapping("a")))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 back 1 ["r",1]
        5 return 1 ["a",["r",1]]
        6 end ["a",["r",1]]
        """)


def test_a_return_clause_applies_once_after_many_resumes() -> None:
    worker = let(perform("a", 1), perform("a", 2), perform("a", 3))
    result = ran(handle(worker, returning=RETURNING, a=wrapping("a")))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare a 2
        5 select for 4 capturing 0
        6 resumption 5
        7 resume 5 2
        8 declare a 3
        9 select for 8 capturing 0
        10 resumption 9
        11 resume 9 3
        12 back 9 ["r",3]
        13 return 9 ["a",["r",3]]
        14 back 5 ["a",["r",3]]
        15 return 5 ["a",["a",["r",3]]]
        16 back 1 ["a",["a",["r",3]]]
        17 return 1 ["a",["a",["a",["r",3]]]]
        18 end ["a",["a",["a",["r",3]]]]
        """)


def test_a_return_clause_runs_outside_its_handler() -> None:
    inner = handle(ret(1), returning=perform("a", var(0)), a=answer("inner"))
    result = ran(handle(inner, a=wrapping("outer")))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 back 1 1
        5 return 1 ["outer",1]
        6 end ["outer",1]
        """)


def test_a_handler_in_between_is_captured_and_put_back() -> None:
    between = handle(let(perform("a", 1), perform("b", 2)), returning=RETURNING, b=wrapping("b"))
    result = ran(handle(between, a=wrapping("a")))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare b 2
        5 select for 4 capturing 0
        6 resumption 5
        7 resume 5 2
        8 back 5 ["r",2]
        9 return 5 ["b",["r",2]]
        10 back 1 ["b",["r",2]]
        11 return 1 ["a",["b",["r",2]]]
        12 end ["a",["b",["r",2]]]
        """)


def test_an_answer_skips_the_return_clauses_of_the_handlers_that_it_drops() -> None:
    between = handle(perform("a", 1), returning=RETURNING, b=wrapping("b"))
    result = ran(handle(between, returning=RETURNING, a=answer(var(0))))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 answer 1 1
        4 end 1
        """)


# ------------------------------------------------------------------------------------------------
# The host

HOSTED = handle(
    let(perform("a", 1), perform("host", 2), ret([var(1), var(0)])), returning=RETURNING, a=wrapping("a")
)


def test_an_operation_that_nobody_handles_suspends_the_run() -> None:
    result = ran(HOSTED)
    assert result.outcome == Suspended("host", 2)
    assert result.answers == ()
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare host 2
        """)


def test_two_branches_of_one_suspension_share_their_prefix() -> None:
    suspended = ran(HOSTED)
    before = list(suspended.refs())
    left = resume(suspended, HostAnswer("left", "host"))
    right = resume(suspended, HostAnswer("right"))
    for branch, said in ((left, "left"), (right, "right")):
        assert branch.outcome == completed(["a", ["r", [1, said]]])
        assert branch.answers == (HostAnswer(said, "host"),)
        assert shown(branch) == [
            *shown(suspended),
            f'5 observe 4 "{said}"',
            f'6 back 1 ["r",[1,"{said}"]]',
            f'7 return 1 ["a",["r",[1,"{said}"]]]',
            f'8 end ["a",["r",[1,"{said}"]]]',
        ]
        assert list(branch.refs())[:5] == before
    assert list(left.refs())[5] != list(right.refs())[5]
    assert suspended.outcome == Suspended("host", 2)
    assert list(suspended.refs()) == before


def test_answers_given_at_once_lead_where_answers_given_one_by_one_lead() -> None:
    computation = let(perform("x", 1), perform("y", var(0)), ret([var(0), var(1)]))
    at_once = ran(computation, "one", "two")
    by_one = resume(resume(ran(computation), HostAnswer("one")), HostAnswer("two"))
    assert at_once.outcome == by_one.outcome == completed(["two", "one"])
    assert list(at_once.refs()) == list(by_one.refs())
    assert at_once.steps == by_one.steps
    assert at_once.answers == by_one.answers == (HostAnswer("one", "x"), HostAnswer("two", "y"))


def test_a_clause_that_is_suspended_before_it_resumes() -> None:
    clause = body(perform("host", var(0)), wrapping("a"))
    result = ran(handle(let(perform("a", 1), ret([var(0)])), a=clause), 7)
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 declare host 1
        4 observe 3 7
        5 resume 1 7
        6 back 1 [7]
        7 return 1 ["a",[7]]
        8 end ["a",[7]]
        """)


def test_a_clause_that_is_suspended_after_it_resumed() -> None:
    clause = resume_with(var(0), perform("host", var(0)), ret([var(1), var(0)]))
    result = ran(handle(perform("a", 1), a=clause), 7)
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 back 1 1
        5 declare host 1
        6 observe 5 7
        7 return 1 [1,7]
        8 end [1,7]
        """)


def test_branches_from_inside_a_clause_body_end_in_their_own_ways() -> None:
    """The body goes on as the host says: it resumes, or aborts and drops what it captured."""
    choice = BodyIf(var(0), wrapping("b"), abort("stop"))
    worker = handle(let(perform("a", 1), perform("b", 2)), a=wrapping("a"))
    suspended = ran(handle(worker, b=body(perform("ask", var(0)), choice)))
    assert suspended.outcome == Suspended("ask", 2)
    shared = shown(suspended)
    assert shared[4:] == [
        "4 declare b 2",
        "5 select for 4 capturing 1",
        "6 resumption 5",
        "7 declare ask 2",
    ]
    yes = resume(suspended, HostAnswer(True))
    no = resume(suspended, HostAnswer(False))
    other = resume(suspended, HostAnswer("maybe"))
    assert shown(yes) == shared + lines("""
        8 observe 7 true
        9 resume 5 true
        10 back 1 true
        11 return 1 ["a",true]
        12 back 5 ["a",true]
        13 return 5 ["b",["a",true]]
        14 end ["b",["a",true]]
        """)
    assert shown(no) == shared + lines("""
        8 observe 7 false
        9 abort 5 "stop"
        10 close 1 dropped by 9
        11 end "stop"
        """)
    assert shown(other) == shared + lines("""
        8 observe 7 "maybe"
        9 failure type
        10 close 5 failed by 9
        11 close 1 failed by 9
        12 end failed type
        """)


def test_an_answer_for_another_operation_is_refused() -> None:
    with pytest.raises(AnswerRefused, match="for other, but host waits"):
        run(program(HOSTED), [HostAnswer(1, "other")])
    with pytest.raises(AnswerRefused, match="for other, but host waits"):
        resume(ran(HOSTED), HostAnswer(1, "other"))


def test_an_answer_too_many_is_refused() -> None:
    with pytest.raises(AnswerRefused, match="the run is completed"):
        run(program(HOSTED), [HostAnswer(1), HostAnswer(2)])
    with pytest.raises(AnswerRefused, match="the run is completed"):
        resume(ran(HOSTED, 1), HostAnswer(2))
    with pytest.raises(AnswerRefused, match="the run is failed"):
        run(program(ret(var(0))), [HostAnswer(1)])


# ------------------------------------------------------------------------------------------------
# Failures


def test_a_failure_closes_what_is_open_from_the_innermost_outward() -> None:
    worker = let(perform("b", 1), perform("a", 2), ret(op(var(0), "+", "x")))
    result = ran(handle(handle(worker, a=wrapping("a")), b=wrapping("b")))
    assert result.outcome == Failed(TYPE)
    assert shown(result) == lines("""
        0 declare b 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare a 2
        5 select for 4 capturing 0
        6 resumption 5
        7 resume 5 2
        8 failure type
        9 close 5 failed by 8
        10 close 1 failed by 8
        11 end failed type
        """)


FAILING = op(1, "+", True)
BEFORE_RESUMING = {
    "resume": resume_with(FAILING),
    "answer": answer(FAILING),
    "abort": abort(FAILING),
    "if": BodyIf(expr("x"), answer(1), answer(2)),
    "let": body(ret(FAILING), answer(1)),
    "perform": body(perform("c", FAILING), answer(1)),
    "nested let": body(let(ret(1), ret(FAILING)), answer(1)),
}


@pytest.mark.parametrize("clause", BEFORE_RESUMING)
def test_a_body_that_fails_before_it_resumes_is_closed_with_what_it_captured(clause: str) -> None:
    worker = let(perform("c", 0), perform("a", 1), perform("b", 2))
    inner = handle(worker, a=wrapping("a"))
    result = ran(handle(handle(inner, b=BEFORE_RESUMING[clause]), c=wrapping("c")))
    assert result.outcome == Failed(TYPE)
    assert shown(result) == lines("""
        0 declare c 0
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 0
        4 declare a 1
        5 select for 4 capturing 0
        6 resumption 5
        7 resume 5 1
        8 declare b 2
        9 select for 8 capturing 1
        10 resumption 9
        11 failure type
        12 close 9 failed by 11
        13 close 5 failed by 11
        14 close 1 failed by 11
        15 end failed type
        """)


def test_a_clause_that_fails_after_it_resumed() -> None:
    result = ran(handle(let(perform("a", 1), ret("w")), a=resume_with(var(0), ret(FAILING))))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 back 1 "w"
        5 failure type
        6 close 1 failed by 5
        7 end failed type
        """)


def test_a_failure_in_a_clause_of_a_clause_closes_both() -> None:
    """`a` waits for `b`, whose clause fails: first `b`, then `a` inside what `b` captured."""
    inner = handle(perform("a", 1), a=body(perform("b", 2), wrapping("a")))
    result = ran(handle(inner, b=answer(FAILING)))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 declare b 2
        4 select for 3 capturing 1
        5 resumption 4
        6 failure type
        7 close 4 failed by 6
        8 close 1 failed by 6
        9 end failed type
        """)


def test_a_failure_in_a_computation_of_a_body_passes_its_frame() -> None:
    """`a` is inside what `b` captured; `b` computes under a handler of `c` and fails there."""
    computing = handle(let(perform("c", 3), ret(FAILING)), c=wrapping("c"))
    worker = handle(let(perform("a", 1), perform("b", 2)), a=wrapping("a"))
    result = ran(handle(worker, b=body(computing, wrapping("b"))))
    assert shown(result) == lines("""
        0 declare a 1
        1 select for 0 capturing 0
        2 resumption 1
        3 resume 1 1
        4 declare b 2
        5 select for 4 capturing 1
        6 resumption 5
        7 declare c 3
        8 select for 7 capturing 0
        9 resumption 8
        10 resume 8 3
        11 failure type
        12 close 8 failed by 11
        13 close 5 failed by 11
        14 close 1 failed by 11
        15 end failed type
        """)


def test_a_return_clause_that_fails() -> None:
    result = ran(handle(perform("a", 1), returning=ret(FAILING), a=wrapping("a")))
    assert shown(result)[4:] == lines("""
        4 failure type
        5 close 1 failed by 4
        6 end failed type
        """)


@pytest.mark.parametrize(
    ("computation", "reason", "text"),
    [
        (ret(var(0)), UNBOUND, "unbound"),
        (perform("a", var(3)), UNBOUND, "unbound"),
        (If(expr(1), ret(1), ret(2)), TYPE, "type"),
        (let(ret({"k": 1}), ret(op(var(0), "++", "x"))), TYPE, "type"),
    ],
)
def test_a_failure_at_the_top(computation: Computation, reason: Any, text: str) -> None:
    result = ran(computation)
    assert result.outcome == Failed(reason)
    assert shown(result) == [f"0 failure {text}", f"1 end failed {text}"]


# ------------------------------------------------------------------------------------------------
# Plain computations


def test_let_binds_the_innermost_variable() -> None:
    assert ran(let(ret(1), ret(2), ret([var(0), var(1)]))).outcome == completed([2, 1])


def test_a_bound_computation_does_not_see_what_it_binds() -> None:
    nested = let(ret(1), let(ret(2), ret([var(0), var(1)])), ret([var(0), var(1)]))
    assert ran(nested).outcome == completed([[2, 1], 1])


@pytest.mark.parametrize(("condition", "branch"), [(True, "then"), (False, "otherwise")])
def test_if_chooses_its_branch(condition: bool, branch: str) -> None:
    assert ran(If(expr(condition), ret("then"), ret("otherwise"))).outcome == completed(branch)
    chosen = handle(perform("a", condition), a=BodyIf(var(0), answer("then"), answer("otherwise")))
    assert ran(chosen).outcome == completed(branch)


def test_the_branch_that_is_not_chosen_is_not_evaluated() -> None:
    assert ran(If(expr(True), ret(1), ret(var(9)))).outcome == completed(1)


def test_a_body_sees_its_payload_and_what_it_bound() -> None:
    clause = body(ret("p"), ret("q"), resume_with([var(0), var(1), var(2)], ret([var(0), var(3)])))
    computation = let(ret("outer"), handle(perform("a", "payload"), a=clause))
    assert ran(computation).outcome == completed([["q", "p", "payload"], "payload"])


def test_a_clause_keeps_the_environment_of_its_handler() -> None:
    worker = let(ret("inner"), perform("a", 1))
    computation = let(ret("outer"), handle(worker, a=answer([var(0), var(1)])))
    assert ran(computation).outcome == completed([1, "outer"])


def test_a_handler_chooses_among_its_clauses() -> None:
    worker = let(perform("a", 1), perform("b", 2), ret([var(0), var(1)]))
    clauses = {"a": resume_with("A"), "b": resume_with("B"), "c": abort("C")}
    assert ran(handle(worker, **clauses)).outcome == completed(["B", "A"])


def test_of_two_clauses_for_one_operation_the_first_is_chosen() -> None:
    """Well-formed programs have no such handlers; the formal rules look for the first."""
    clauses = (Clause("a", answer("first")), Clause("a", answer("second")))
    assert ran(Handle(perform("a"), ret(var(0)), clauses)).outcome == completed("first")


def test_a_handler_without_clauses_lets_everything_pass() -> None:
    inner = Handle(perform("a", 1), RETURNING, ())
    assert ran(handle(inner, a=wrapping("a"))).outcome == completed(["a", ["r", 1]])


# ------------------------------------------------------------------------------------------------
# States

RULES = {
    *("core0.return", "core0.let", "core0.perform", "core0.handle", "core0.if"),
    *("body.let", "body.if", "body.answer", "body.abort", "body.resume"),
    *("frame.bind", "frame.handler", "frame.body_bind", "frame.resume_return", "frame.complete"),
    *("frame.skip", "frame.catch", "frame.fail", "run.end"),
}


def every_rule() -> list[Program]:
    failing = handle(perform("a", 1), a=body(ret(True), BodyIf(var(0), resume_with(FAILING), abort(1))))
    aborted = handle(If(expr(True), perform("a"), ret(1)), a=abort(1))
    computations = (three_levels("c", "b", "a"), failing, aborted, handle(perform("a"), a=answer(1)))
    return [program(computation) for computation in computations]


def test_steps_apply_one_rule_each_and_every_rule_applies() -> None:
    seen = set()
    for given in every_rule():
        state, steps = start(given), 0
        while (following := step(state)) is not None:
            seen.add(state.rule)
            state, steps = following, steps + 1
        whole = run(given)
        assert state.rule is None
        assert state.outcome == whole.outcome
        assert steps == whole.steps
    assert seen == RULES


def test_a_state_is_never_used_up() -> None:
    states = [start(program(three_levels("a", "b", "c")))]
    while (following := step(states[-1])) is not None:
        states.append(following)
    final = states[-1].outcome
    for position in (0, 5, len(states) // 2, len(states) - 2):
        state = states[position]
        while (following := step(state)) is not None:
            state = following
        assert state.outcome == final
        assert state.trace[1] == states[-1].trace[1]
    assert states[0].outcome is None
    assert states[0].trace[1] == -1


def test_a_suspended_state_can_be_observed_by_hand() -> None:
    state = start(program(perform("host", 1)))
    while (following := step(state)) is not None:
        state = following
    assert state.outcome == Suspended("host", 1)
    answered = observe(state, "yes")
    assert answered.rule == "run.end"
    following = step(answered)
    assert following is not None
    assert following.outcome == Completed("yes")
