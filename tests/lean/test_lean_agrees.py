"""Python against Lean: on generated programs with host answers, Lean's machine does what Python's does.

Lean's kernel evaluates the development's machine, validator, tests on programs and denotation, and compares
status and trace record by record. For each program one trace that is not its own is refused.
`ECLOGUE_TESTS=long pytest tests/lean/test_lean_agrees.py` compares ten times as many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from random import Random

import attrs
import pytest
from strategies import for_seeds
from support.cases import directed_case, undirected_case
from support.failing import Case, hold
from support.lean_runs import observed
from support.naive_machine import naive_run
from support.random_values import random_value
from support.statistics import Tally, classes_of

from eclogue.core.outcomes import HostAnswer
from eclogue.core.schema import Atom
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    BinaryOperator,
    Body,
    BodyLet,
    Clause,
    Computation,
    Expression,
    Handle,
    Let,
    Literal,
    Operation,
    Perform,
    Program,
    Resume,
    Return,
    Tier,
    Variable,
)
from eclogue.core.values import Value, record
from eclogue.lean.build import Build
from eclogue.lean.differential import program_bytes, question, value_bytes
from eclogue.lean.kernel import decide
from eclogue.lean.problems import Verdict
from eclogue.lean.process import ChildLimits

LIMITS = ChildLimits(seconds=60.0)


def agree(build: Build, cases: Sequence[Case]) -> None:
    """Ask Lean about all cases; a disagreement is saved and told with its seed."""
    questions = [question(str(number), observed(case)) for number, case in enumerate(cases)]
    decided = decide(build, questions, limits=LIMITS)
    for case, asked, verdicts in zip(cases, questions, decided, strict=True):
        answered = zip(asked.equations, verdicts, strict=True)
        wrong = {equation.about: word.value for equation, word in answered if word is not Verdict.ACCEPTED}
        if wrong:
            hold(_disagreement(case, wrong), case)


def _disagreement(wanted: Case, wrong: dict[str, str]) -> Callable[[Case], None]:
    """Return a property that fails for this case alone: Lean is not asked about smaller ones."""

    def prop(given: Case) -> None:
        assert given is not wanted, f"Lean does not agree: {wrong}"

    return prop


def generated(number: int, generate: Callable[[int], Case]) -> list[Case]:
    cases: list[Case] = []
    for_seeds(number, lambda seed: cases.append(generate(seed)))
    return cases


def test_lean_agrees_on_directed_programs(development: Build) -> None:
    cases = generated(300, directed_case)
    agree(development, cases)
    tally = Tally("directed programs, compared with Lean")
    for case in cases:
        tally.add(*classes_of(naive_run(case.program, case.answers)))
    tally.check("closures: dropped", "aborts", "failures inside clause bodies", "resumes three deep")


def test_lean_agrees_on_undirected_programs(development: Build) -> None:
    agree(development, generated(60, undirected_case))


def test_lean_writes_programs_in_the_same_bytes(development: Build) -> None:
    programs = [case.program for case in generated(16, directed_case)]
    questions = [program_bytes(str(number), program) for number, program in enumerate(programs)]
    decided = decide(development, questions, batch=4, limits=LIMITS)
    assert [set(verdicts) for verdicts in decided] == [{Verdict.ACCEPTED}] * len(programs)


def test_lean_writes_values_in_the_same_bytes(development: Build) -> None:
    odd: list[Value] = [
        *("", '"\\/\0\x1f\x7f\b\t\n\f\r', "é\u2028\uffff", "𝄞\U0010ffff", ()),
        *(0, -1, 2**53 - 1, -(2**53) + 1, 2**53, -(2**53), 10**40),
        record({"$int": "1", "$$": None, "𝄞": True, "\uffff": False, "": (None, (), record({}))}),
    ]
    values = odd + [random_value(Random(seed)) for seed in range(80)]
    questions = [value_bytes(str(number), value) for number, value in enumerate(values)]
    decided = decide(development, questions, batch=25, limits=LIMITS)
    assert [set(verdicts) for verdicts in decided] == [{Verdict.ACCEPTED}] * len(values)


# ------------------------------------------------------------------------------------------------
# Small programs that any implementation must get right

X = Variable(0)
NAMES = ("test.a", "test.b", "test.c")


def text(value: str) -> Literal:
    return Literal(value)


def plus(left: Expression, right: Expression) -> Binary:
    return Binary(BinaryOperator.CONCAT, left, right)


def wraps(name: str) -> Body:
    """Resume, then wrap what comes back."""
    return Resume(text("x"), Return(plus(text(f"{name}("), plus(X, text(")")))))


def handled(body: Computation, *clauses: tuple[str, Body], returning: Computation | None = None) -> Handle:
    given = tuple(Clause(name, clause) for name, clause in clauses)
    return Handle(body, returning or Return(X), given)


def performs(*names: str, then: Expression | None = None) -> Computation:
    term: Computation = Return(then or text("w"))
    for name in reversed(names):
        term = Let(Perform(name, Literal(None)), term)
    return term


def nested(order: Sequence[str], body: Computation) -> Computation:
    for name in order:
        body = handled(body, (name, wraps(name)))
    return body


def small_programs() -> dict[str, tuple[Computation, tuple[str, ...]]]:
    """Return programs by name, each with what the host answers."""
    a, b, c = NAMES
    asks_outside = BodyLet(Perform(b, X), Resume(X, Return(X)))
    asks_after = Resume(text("x"), Let(Perform(b, X), Return(plus(X, Variable(1)))))
    inner = handled(performs(a, b), (a, wraps(a)))
    counted = Return(plus(text("r"), X))
    found = {
        f"order {''.join(name[-1] for name in order)}": (nested(NAMES, performs(*order)), ())
        for order in permutations(NAMES)
    }
    return found | {
        "outer first": (nested((b, a), performs(b, a)), ()),
        "a clause asks before it resumes": (
            handled(handled(performs(a), (a, asks_outside)), (b, wraps(b))), (),
        ),
        "a clause asks after it resumed": (
            handled(handled(performs(a), (a, asks_after)), (b, wraps(b))), (),
        ),
        "an outer clause answers": (handled(inner, (b, Answer(text("end")))), ()),
        "an outer clause aborts": (handled(inner, (b, Abort(text("end")))), ()),
        "an outer clause aborts, two open": (
            handled(nested((a, b), performs(a, b, c)), (c, Abort(text("end")))), (),
        ),
        "return clause, no resume": (handled(performs(), (a, wraps(a)), returning=counted), ()),
        "return clause, one resume": (handled(performs(a), (a, wraps(a)), returning=counted), ()),
        "return clause, many resumes": (handled(performs(a, a, a), (a, wraps(a)), returning=counted), ()),
        "a handler without the clause in between": (
            handled(handled(performs(a), (b, wraps(b))), (a, wraps(a))), (),
        ),
        "nobody handles it": (inner, ()),
        "the host answers": (inner, ("one",)),
        "the host answers the same otherwise": (inner, ("another",)),
        "a failure inside a clause": (
            handled(inner, (b, Resume(Variable(9), Return(X)))), (),
        ),
    }  # fmt: skip


@pytest.mark.parametrize("half", [0, 1])
def test_lean_agrees_on_small_programs(development: Build, half: int) -> None:
    operations = tuple(Operation(name, Atom.ANY, Atom.ANY, Tier.REVERSIBLE) for name in NAMES)
    cases = [
        Case(number, Program(operations, body), tuple(HostAnswer(answer) for answer in answers))
        for number, (body, answers) in enumerate(small_programs().values())
    ]
    agree(development, cases[half::2])


def test_a_wrong_answer_of_python_would_be_found(development: Build) -> None:
    """Each equation is refused when Python's side of it is wrong: the comparison can fail."""
    right = observed(directed_case(7))
    (wanted,) = decide(development, [question("right", right)])
    assert set(wanted) == {Verdict.ACCEPTED}
    asked = question("wrong", right)
    turned = {"true": "false", "false": "true"}
    equations = tuple(
        attrs.evolve(equation, right=turned.get(equation.right, "none")) for equation in asked.equations
    )
    (refused,) = decide(development, [attrs.evolve(asked, equations=equations)])
    assert set(refused) == {Verdict.REJECTED}


def test_wrong_bytes_of_python_would_be_found(development: Build) -> None:
    asked = value_bytes("wrong", ("a", 1))
    numbers = asked.definitions[1][2].replace("(.cons 49 ", "(.cons 50 ")
    assert numbers != asked.definitions[1][2]
    definitions = (asked.definitions[0], (*asked.definitions[1][:2], numbers))
    (found,) = decide(development, [attrs.evolve(asked, definitions=definitions)])
    assert found == (Verdict.ACCEPTED, Verdict.REJECTED)


def test_what_cannot_be_asked_is_unknown(development: Build) -> None:
    asked = value_bytes("unasked", 1)
    definitions = (("subject_unasked", "Value", "(.int .nothing)"), asked.definitions[1])
    (found,) = decide(development, [attrs.evolve(asked, definitions=definitions)])
    assert found == (Verdict.UNKNOWN, Verdict.UNKNOWN)
