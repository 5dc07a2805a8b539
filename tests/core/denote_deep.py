"""Programs that are long or deep, each read in a process of its own: `python denote_deep.py CASE SIZE`.

A case runs in a thread with a small C stack and prints its outcome and how many operations it performed;
then everything it made is let go, which must not recurse either.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from denote_terms import binary, clause, handle, lets, lit, perform, program, resuming, ret, var

from eclogue.core.denote import Reading, read
from eclogue.core.limits import Limits
from eclogue.core.outcomes import Completed, Exhausted, Failed, HostAnswer, Suspended
from eclogue.core.schema import Atom
from eclogue.core.syntax import (
    Answer,
    BodyLet,
    Check,
    Computation,
    Expression,
    Let,
    ListExpression,
    Not,
    Project,
    RecordExpression,
    Resume,
    Return,
)

STACK_BYTES = 512 * 1024
UNLIMITED = Limits(steps=None)

A = perform("a", lit(1))
SUCCESSOR = Return(binary(var(0), "+", lit(1)))


def left_nested(size: int, innermost: Computation, then: Computation) -> Computation:
    """`let x = (let x = (… innermost …); then); then`."""
    result = innermost
    for _ in range(size):
        result = Let(result, then)
    return result


def nested_handlers(size: int, innermost: Computation) -> Computation:
    """Handlers of `a` around a computation, each performing one `a` itself."""
    result = innermost
    for _ in range(size):
        result = handle(Let(A, result), resuming("a"))
    return result


def after_resume(then: Computation) -> Resume:
    """Make a clause body that resumes with the innermost variable and then still has work to do."""
    return Resume(var(0), then)


def sequential_lets(size: int) -> Computation:
    return lets(ret(0), *[SUCCESSOR] * size, Return(var(0)))


def far_variables(size: int) -> Computation:
    """Look at the outermost variable of all in each let."""
    return lets(ret(7), *(Return(var(index)) for index in range(size)), Return(var(size)))


def sequential_effects(size: int) -> Computation:
    return handle(lets(*[A] * size, Return(var(0))), resuming("a"))


def resumes_with_work_left(size: int) -> Computation:
    """Add one, in each clause, to what its resume returns."""
    return handle(lets(*[A] * size, ret(0)), clause("a", after_resume(SUCCESSOR)))


def effects_around_resumes(size: int) -> Computation:
    around = BodyLet(perform("b"), Resume(var(1), Let(perform("b"), Return(var(1)))))
    inner = handle(lets(*[A] * size, Return(var(0))), clause("a", around))
    return handle(inner, resuming("b"))


def nested_handlers_performing(size: int) -> Computation:
    return nested_handlers(size, ret("in"))


def handlers_passed(size: int) -> Computation:
    """One operation that passes all handlers but the outermost, and is resumed."""
    return handle(nested_handlers(size, perform("b", lit("out"))), resuming("b"))


def handlers_dropped(size: int) -> Computation:
    return handle(nested_handlers(size, perform("b", lit("out"))), clause("b", Answer(var(0))))


def nested_return_clauses(size: int) -> Computation:
    result: Computation = ret(0)
    for _ in range(size):
        result = handle(result, returning=SUCCESSOR)
    return result


def handlers_in_clauses(size: int) -> Computation:
    """Begin each clause with the next handler, and resume with what that gave."""
    result: Computation = ret(0)
    for _ in range(size):
        result = handle(A, clause("a", BodyLet(result, after_resume(Return(var(0))))))
    return result


def left_nested_lets(size: int) -> Computation:
    return left_nested(size, ret(0), SUCCESSOR)


def left_nested_effects(size: int) -> Computation:
    """Perform at each level, so that a continuation grows at its end while it is resumed."""
    return handle(left_nested(size, A, perform("a", var(0))), resuming("a"))


def left_nested_effects_dropped(size: int) -> Computation:
    return handle(left_nested(size, A, A), clause("a", Answer(lit("dropped"))))


def failure_at_depth(size: int) -> Computation:
    body = lets(*[A] * size, Return(var(size)))
    return handle(body, clause("a", after_resume(SUCCESSOR)))


def host_operations(size: int) -> Computation:
    return left_nested(size - 1, perform("ask"), perform("ask", var(0)))


def deep_value(size: int) -> Computation:
    return lets(ret(0), *[Return(ListExpression((var(0),)))] * size, Return(var(0)))


def deep_expression(size: int) -> Computation:
    """Put every kind of expression around every other."""
    result: Expression = lit(False)
    for _ in range(size // 5):
        result = Check(Atom.BOOL, Not(result))
        result = Project(RecordExpression((("k", result),)), "k")
        result = binary(result, "and", lit(True))
    return Return(result)


def deep_to_the_right(size: int) -> Computation:
    result: Expression = lit(0)
    for _ in range(size):
        result = binary(lit(1), "+", result)
    return Return(result)


CASES: dict[str, Callable[[int], Computation]] = {
    case.__name__: case
    for case in (
        sequential_lets,
        far_variables,
        sequential_effects,
        resumes_with_work_left,
        effects_around_resumes,
        nested_handlers_performing,
        handlers_passed,
        handlers_dropped,
        nested_return_clauses,
        handlers_in_clauses,
        left_nested_lets,
        left_nested_effects,
        left_nested_effects_dropped,
        failure_at_depth,
        host_operations,
        deep_value,
        deep_expression,
        deep_to_the_right,
    )
}


def told(reading: Reading) -> str:
    """Return the outcome in one line, without writing out a deep value."""
    match reading.outcome:
        case Completed(value):
            text = "completed " + (type(value).__name__ if isinstance(value, tuple) else repr(value))
        case Suspended(operation):
            text = f"suspended {operation}"
        case Failed(reason):
            text = f"failed {reason}"
        case Exhausted(limit):
            text = f"exhausted {limit}"
    return f"{text}, performed {len(reading.performed)}"


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def branches(body: Computation, size: int) -> None:
    """Read up to a suspension, let the program go, and answer twice, with one answer and with all."""
    waiting = read(program(body), limits=UNLIMITED)
    say(told(waiting))
    assert waiting.suspension is not None
    say(told(waiting.suspension.read([HostAnswer(1)], limits=UNLIMITED)))
    say(told(waiting.suspension.read([HostAnswer(1)] * size, limits=UNLIMITED)))


def main(case: str, size: int) -> None:
    body = CASES[case](size)
    if case == "host_operations":
        branches(body, size)
    else:
        say(told(read(program(body), limits=UNLIMITED)))
    del body
    say("let go")


if __name__ == "__main__":
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=main, args=(sys.argv[1], int(sys.argv[2])))
    thread.start()
    thread.join()
