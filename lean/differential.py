"""A run of Python's machine as a question to Lean: does its machine do the same, record by record?

The question has no theorem in it. Lean's kernel evaluates the development's own machine, validator, tests
on programs and denotation on the encoded program, and compares with what Python found.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from eclogue.core.canonical import write
from eclogue.core.encoding import program_text
from eclogue.core.outcomes import Outcome
from eclogue.core.profiles import Profile
from eclogue.core.syntax import Program
from eclogue.core.trace import Record
from eclogue.core.values import Value
from eclogue.lean.encode import Encoder, answers_term, value_term
from eclogue.lean.kernel import Equation, Question

FUEL = 1_000_000_000
"""Steps that Lean's machine may take between two answers; unused ones cost nothing."""


@attrs.frozen(kw_only=True)
class Observed:
    """What Python found for a program and the host's answers.

    `admitted` is the smallest profile that admits the program, `scoped` whether every variable has a
    binder, `checked` whether every perform has its schema checks (None: nobody asked). `mutant` is a trace
    that is not the program's, for the validator to refuse.
    """

    program: Program
    answers: Sequence[Value]
    outcome: Outcome
    records: Sequence[Record]
    admitted: Profile
    scoped: bool
    checked: bool | None = None
    mutant: Sequence[Record] | None = None


def question(name: str, observed: Observed) -> Question:
    """Return the question for one run; `name` distinguishes it from others in the same call."""
    encoder = Encoder.of(observed.program)
    program, answers = f"program_{name}", f"answers_{name}"
    status, trace, mutant = f"status_{name}", f"trace_{name}", f"mutant_{name}"
    definitions = [
        (program, "Computation", encoder.computation(observed.program.body)),
        (answers, "List Value", answers_term(observed.answers)),
        (status, "Status", encoder.status(observed.outcome)),
        (trace, "List Record", encoder.records(observed.records)),
    ]
    performed = encoder.performed(observed.records)
    run = f"validate {FUEL} {program} {answers} {status}"
    equations = [
        Equation("trace", f"{run} {trace}", "true"),
        Equation(
            "denotation", f"(denote {program} .nil).read {answers} .nil", f"some ({performed}, {status})"
        ),
        Equation("core0", f"core0 {program}", _truth(observed.admitted.within(Profile.CORE0))),
        Equation("core0h", f"core0h {program}", _truth(observed.admitted.within(Profile.CORE0H))),
        Equation("scope", f"inScope {program} 0", _truth(observed.scoped)),
    ]
    if observed.checked is not None:
        signatures = encoder.signatures(observed.program)
        equations.append(Equation("checks", f"checked {signatures} {program}", _truth(observed.checked)))
    if observed.mutant is not None:
        definitions.append((mutant, "List Record", encoder.records(observed.mutant)))
        equations.append(Equation("mutant", f"{run} {mutant}", "false"))
    return Question(tuple(definitions), tuple(equations))


def program_bytes(name: str, program: Program) -> Question:
    """Return the question whether Lean writes a well-formed program in the same canonical bytes."""
    term = Encoder.of(program).program(program)
    written = program_text(program, annotations=False).encode()
    return _bytes_question(name, "Program", term, written, f"Program.declared subject_{name}")


def value_bytes(name: str, value: Value) -> Question:
    """Return the question whether Lean writes a value in the same canonical bytes."""
    return _bytes_question(name, "Value", value_term(value), write(value), f"subject_{name}.proper")


def _bytes_question(name: str, kind: str, term: str, written: bytes, sound: str) -> Question:
    numbers = "".join(f"(.cons {byte} " for byte in written)
    return Question(
        (
            (f"subject_{name}", kind, term),
            (f"bytes_{name}", "List Nat", f"{numbers}.nil{')' * len(written)}"),
        ),
        (
            Equation("soundness", sound, "true"),
            Equation("bytes", f"subject_{name}.canonicalBytes", f"bytes_{name}"),
        ),
    )


def _truth(truth: bool) -> str:
    return "true" if truth else "false"
