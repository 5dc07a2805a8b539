"""Suspensions, branches and trees in the denotational reading."""

from __future__ import annotations

import pytest
from denote_terms import (
    binary,
    completed,
    failed,
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
    wrapping,
)

from eclogue.core.denote import (
    Bound,
    Meter,
    OperationNode,
    PerformedNode,
    Reading,
    ValueLeaf,
    denote,
    force,
    read,
)
from eclogue.core.errors import SCHEMA, AnswerRefused
from eclogue.core.outcomes import Completed, HostAnswer, Suspended
from eclogue.core.schema import Atom
from eclogue.core.syntax import (
    Check,
    Clause,
    Computation,
    If,
    Let,
    Perform,
    Resume,
    Return,
    Span,
)

RETURNED = Return(joined("returned(", var(0), ")"))

# ------------------------------------------------------------------------------------------------
# The host


ASKS_TWICE = handle(
    lets(
        perform("a", lit("in")),
        perform("ask", lit("q1")),
        perform("ask", lit("q2")),
        Return(joined(var(1), var(0))),
    ),
    wrapping("a"),
    returning=RETURNED,
)


def test_an_operation_that_nobody_handles_suspends() -> None:
    assert run(ASKS_TWICE) == Reading(Suspended("ask", "q1"), (("a", "in"), ("ask", "q1")))


def test_the_host_answers_in_order() -> None:
    performed = (("a", "in"), ("ask", "q1"), ("ask", "q2"))
    assert run(ASKS_TWICE, "x") == Reading(Suspended("ask", "q2"), performed)
    assert run(ASKS_TWICE, "x", HostAnswer("y", "ask")) == completed("a⟨in⟩(returned(xy))", *performed)


def test_a_suspension_is_answered_twice_from_the_same_point() -> None:
    body = lets(
        perform("ask", lit("how many?")),
        If(binary(var(0), "<", lit(10)), perform("few", var(0)), perform("many", var(0))),
    )
    whole = handle(handle(body, resuming("few", lit("few")), returning=RETURNED), wrapping_many())
    waiting = run(whole)
    assert waiting == Reading(Suspended("ask", "how many?"), (("ask", "how many?"),))
    assert waiting.suspension is not None
    few = waiting.suspension.read([HostAnswer(3)])
    many = waiting.suspension.read([HostAnswer(30)])
    assert few == completed("returned(few)", ("ask", "how many?"), ("few", 3))
    assert many == completed("many(returned(lots))", ("ask", "how many?"), ("many", 30))
    assert waiting.suspension.read([HostAnswer(3)]) == few
    assert waiting.suspension.read([]) == waiting


def wrapping_many() -> Clause:
    return Clause("many", Resume(lit("lots"), Return(joined("many(", var(0), ")"))))


def test_branches_of_branches() -> None:
    first = run(ASKS_TWICE).suspension
    assert first is not None
    second = first.read([HostAnswer("x")]).suspension
    assert second is not None
    performed = (("a", "in"), ("ask", "q1"), ("ask", "q2"))
    for answer in ("y", "z"):
        assert second.read([HostAnswer(answer)]) == completed(f"a⟨in⟩(returned(x{answer}))", *performed)
    assert first.read([HostAnswer("v"), HostAnswer("w")]) == completed("a⟨in⟩(returned(vw))", *performed)


def test_an_answer_for_another_operation_is_refused() -> None:
    with pytest.raises(AnswerRefused, match="for tell, but ask waits"):
        run(ASKS_TWICE, "x", HostAnswer("y", "tell"))


@pytest.mark.parametrize(
    "body", [ret(1), Return(var(0)), ASKS_TWICE], ids=["completed", "failed", "completed after two"]
)
def test_an_answer_too_many_is_refused(body: Computation) -> None:
    with pytest.raises(AnswerRefused, match="left over"):
        run(body, "x", "y", "z")


def test_an_answer_of_the_wrong_schema_is_a_failure_of_the_program() -> None:
    body = Let(perform("ask"), Return(Check(Atom.TEXT, var(0))))
    assert run(body, "text") == completed("text", ("ask", None))
    assert run(body, 1) == failed(SCHEMA, ("ask", None))


def test_a_suspension_says_where_the_operation_was_performed() -> None:
    span = Span(3, 5, 3, 20)
    suspended = run(handle(Perform("ask", lit(None), span=span), resuming("a"))).outcome
    assert isinstance(suspended, Suspended)
    assert suspended.span == span


# ------------------------------------------------------------------------------------------------
# Trees


def test_a_tree_can_be_read_node_by_node() -> None:
    meter = Meter()
    body = lets(perform("a", lit(1)), perform("b", var(0)), Return(binary(var(1), "+", var(0))))
    tree = denote(program(handle(body, resuming("b", lit(10)))))
    first = force(tree, meter)
    assert isinstance(first, PerformedNode)
    assert (first.operation, first.payload) == ("a", 1)
    waiting = force(first.rest, meter)
    assert isinstance(waiting, OperationNode)
    for answer in (5, 7):
        second = force(waiting.continuation(answer), meter)
        assert isinstance(second, PerformedNode)
        assert (second.operation, second.payload) == ("b", answer)
        last = force(second.rest, meter)
        assert isinstance(last, ValueLeaf)
        assert last.value == answer + 10


def test_forcing_a_tree_does_not_change_it() -> None:
    meter = Meter()
    first = force(denote(program(lets(perform("a", lit(1)), ret(2)))), meter)
    assert isinstance(first, PerformedNode)
    for _ in range(2):
        waiting = force(first.rest, meter)
        assert isinstance(waiting, OperationNode)
        assert waiting.operation == "a"


def test_a_tree_that_was_forced_in_part_can_be_bound() -> None:
    # The rest of a writer's node has binds around it already: this one comes outside them.
    meter = Meter()
    body = lets(perform("a", lit("x")), Return(joined(var(0), "1")))
    first = force(denote(program(lets(body, Return(joined(var(0), "2"))))), meter)
    assert isinstance(first, PerformedNode)
    waiting = force(Bound(first.rest, lambda value: ValueLeaf((value, "bound"))), meter)
    assert isinstance(waiting, OperationNode)
    leaf = force(waiting.continuation("x"), meter)
    assert isinstance(leaf, ValueLeaf)
    assert leaf.value == ("x12", "bound")


def test_readings_keep_kinds_apart() -> None:
    one, true = (read(program(perform("a", lit(value)))) for value in (1, True))
    assert one.performed == true.performed  # as Python sees it
    assert one != true
    assert Reading(Completed(1), (("a", 1),)) != Reading(Completed(1), (("a", True),))
