"""Python's lifecycle automaton against Lean's: the same state after the same records, or none."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from strategies import for_seeds
from support.cases import directed_case
from support.naive_machine import naive_run
from support.trace_mutants import mutants, random_record
from support.walks import walk

from eclogue.core.trace import Failure, Record
from eclogue.lean.build import Build
from eclogue.lean.encode import Encoder
from eclogue.lean.kernel import Equation, Question, decide
from eclogue.lean.problems import Verdict
from eclogue.lean.process import ChildLimits
from eclogue.validator.lifecycle import (
    ClosingFor,
    Ended,
    FailedBy,
    Lifecycle,
    Mode,
    Raised,
    Running,
    Selected,
)
from eclogue.validator.open_selections import RESUMED, RETURNED, Entry

LIMITS = ChildLimits(seconds=60.0)


def mode_term(mode: Mode, records: Sequence[Record], encoder: Encoder) -> str:
    match mode:
        case Running():
            return ".run"
        case Raised(declaration):
            return f"(.raised {declaration})"
        case Selected(selection):
            return f"(.selected {selection})"
        case ClosingFor(cause, left):
            return f"(.closing {cause} {left - 1})"
        case FailedBy(failure):
            record = records[failure]
            assert isinstance(record, Failure)
            kind = encoder.records([record]).removeprefix("(.cons (.failure ").removesuffix(") .nil)")
            return f"(.failed {failure} {kind})"
        case Ended():
            return ".ended"


PHASES = {RESUMED: ".resumed", RETURNED: ".returned"}


def opened_term(entries: Sequence[Entry]) -> str:
    items = [f"(.cons ⟨{s}, {PHASES.get(phase, f'.selected {phase}')}⟩ " for s, phase in entries]
    return f"{''.join(items)}.nil{')' * len(items)}"


def state_term(records: Sequence[Record], encoder: Encoder) -> str:
    """Return the state that Python's automaton is in after the records, as a Lean term."""
    lifecycle = Lifecycle()
    for number, record in enumerate(records):
        if lifecycle.accept(number, record) is not None:
            return "none"
    mode = mode_term(lifecycle.mode, records, encoder)
    return f"some ⟨{lifecycle.next}, {mode}, {opened_term(lifecycle.opened.in_order())}⟩"


def question(name: str, records: Sequence[Record]) -> Question:
    encoder = Encoder()
    trace = encoder.records(records)
    equation = Equation("lifecycle", f"lifecycle trace_{name}", state_term(records, encoder))
    return Question(((f"trace_{name}", "List Record", trace),), (equation,))


def traces() -> list[Sequence[Record]]:
    """Return accepted traces, whole and cut, and traces with one thing changed."""
    found: list[Sequence[Record]] = []

    def of_walk(seed: int) -> None:
        rng = Random(seed)
        records = walk(rng, 60)
        place = rng.randrange(len(records))
        found.extend((records, [*records[:place], random_record(rng, place), *records[place:]]))

    def of_run(seed: int) -> None:
        rng, case = Random(seed), directed_case(seed)
        records = naive_run(case.program, case.answers).records[:80]
        found.extend((records, records[: rng.randrange(len(records) + 1)]))
        every = list(mutants(records, rng))
        found.extend(mutant.records for mutant in rng.sample(every, min(6, len(every))))

    for_seeds(80, of_walk)
    for_seeds(40, of_run)
    return found


def test_lean_agrees_on_accepted_and_mutated_traces(development: Build) -> None:
    asked = traces()
    questions = [question(str(number), records) for number, records in enumerate(asked)]
    expected = [question.equations[0].right for question in questions]
    assert sum(right == "none" for right in expected) > 100
    assert sum(right != "none" for right in expected) > 100
    decided = decide(development, questions, batch=60, limits=LIMITS)
    for records, right, verdicts in zip(asked, expected, decided, strict=True):
        assert verdicts == (Verdict.ACCEPTED,), (records, right)


def test_another_state_is_refused(development: Build) -> None:
    """So that agreement means something: Lean does not accept every equation about a trace."""
    records = walk(Random(3), 30)
    asked = question("0", records)
    (right,) = asked.equations
    wrong = [Equation("lifecycle", right.left, other) for other in ("none", "some ⟨0, .run, .nil⟩")]
    (verdicts,) = decide(development, [Question(asked.definitions, tuple(wrong))], limits=LIMITS)
    assert verdicts == (Verdict.REJECTED, Verdict.REJECTED)
