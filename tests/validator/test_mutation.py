"""Mutants of a corpus of traces: replay rejects all; what the lifecycle rules cannot see is listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

import attrs
from support.cases import directed_case, undirected_case
from support.closing import notice
from support.failing import Case
from support.naive_machine import naive_run
from support.trace_mutants import Mutant, mutants

from eclogue.core.outcomes import Exhausted, HostAnswer, Suspended
from eclogue.core.profiles import Profile, trace_profile
from eclogue.core.run import Run, run
from eclogue.core.trace import (
    START_REF,
    CompletedWith,
    Completion,
    EffectCapture,
    HostObservation,
    Record,
    RunEnd,
    next_ref,
    skeleton,
)
from eclogue.validator.evidence import Strength
from eclogue.validator.lifecycle import check_lifecycle
from eclogue.validator.refs import RefChain
from eclogue.validator.replay import Divergence, Replay
from eclogue.validator.validation import Standing, validate

UNSEEN = {
    "EffectDeclaration.operation": "which operation is performed is the program's doing",
    "EffectDeclaration.payload": "values are the program's doing",
    "HandlerSelection.captured": "any number that fits what is open: which handler caught is not recorded",
    "ContinuationResume.value": "values are the program's doing",
    "ResumeReturn.value": "values are the program's doing",
    "EffectCapture.value": "values are the program's doing",
    "EffectCapture.how": "answer and abort differ in name only, and so do the rules for them",
    "HostObservation.value": "the host may answer anything",
    "RunEnd.outcome": "with which value the run completed is the program's doing; a failure's kind is seen",
    "swap of EffectDeclaration and EffectDeclaration": "as two changes of operation and payload",
    "deletion": "a clause may complete before or after it performs what a run waits for: both are prefixes",
    "truncation": "what is left is a prefix, and the verdict says that it has not ended",
}
"""What is changed in mutants that keep the lifecycle rules, and why no rule can see it."""

TRACES = 210
LONGEST = 70


@attrs.frozen(eq=False)
class Specimen:
    """A trace, and the run that it is of."""

    case: Case
    run: Run
    records: Sequence[Record]
    profile: Profile


@cache
def corpus() -> tuple[Specimen, ...]:
    """Return as many traces of each profile, of directed and undirected programs."""
    wanted = dict.fromkeys((Profile.CORE0H, Profile.CORE0, Profile.CORE_A), TRACES // 3)
    found: list[Specimen] = []
    seed = 0
    while any(wanted.values()):
        seed += 1
        case = (undirected_case if seed % 5 == 0 else directed_case)(seed)
        ran = run(case.program, case.answers)
        assert not isinstance(ran.outcome, Exhausted)
        records = [record for _, record, _ in ran.records()]
        profile = trace_profile(records).profile
        if 4 <= len(records) <= LONGEST and wanted[profile]:
            wanted[profile] -= 1
            found.append(Specimen(case, ran, records, profile))
    return tuple(found)


def every_mutant() -> Iterator[tuple[Specimen, Mutant]]:
    for specimen in corpus():
        for mutant in mutants(specimen.records, Random(specimen.case.seed)):
            yield specimen, mutant


def divergence(ran: Run, records: Sequence[Record], *, take_answers: bool = False) -> Divergence | None:
    replaying = Replay(ran, take_answers=take_answers)
    for record in records:
        if replaying.accept(record) is not None:
            break
    return replaying.end()


def summary(title: str, made: Counter[str], rejected: Counter[str]) -> None:
    counts = (
        f"{sum(made.values()):,} mutants of {len(corpus())} traces, {sum(rejected.values()):,} rejected"
    )
    notice(f"{title}: {counts}")


# ------------------------------------------------------------------------------------------------


def test_the_corpus_is_accepted_and_of_all_kinds() -> None:
    names, statuses = Counter[str](), Counter[str]()
    for specimen in corpus():
        assert divergence(specimen.run, specimen.records) is None
        verdict = check_lifecycle(specimen.records)
        assert verdict.accepted
        assert verdict.finished is not isinstance(specimen.run.outcome, Suspended)
        names.update(type(record).__name__ for record in specimen.records)
        statuses[type(specimen.run.outcome).__name__] += 1
    assert len(corpus()) >= 200
    assert len(names) == 10
    assert all(count >= 10 for count in names.values()), names
    assert all(statuses[status] >= 10 for status in ("Completed", "Failed", "Suspended")), statuses


def test_replay_rejects_every_mutant_where_it_differs() -> None:
    made, rejected = Counter[str](), Counter[str]()
    for specimen, mutant in every_mutant():
        made[mutant.kind] += 1
        found = divergence(specimen.run, mutant.records)
        assert found is not None, (specimen.case.seed, mutant)
        assert found.number == first_difference(specimen.records, mutant.records)
        assert found.expected != found.found
        rejected[mutant.kind] += 1
    summary("replay", made, rejected)
    assert made.keys() >= {*UNSEEN, "duplication"}


def first_difference(left: Sequence[Record], right: Sequence[Record]) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(left), len(right)))


def test_the_lifecycle_rules_reject_every_mutant_that_they_can_see() -> None:
    made, rejected, survived = Counter[str](), Counter[str](), Counter[str]()
    rules: dict[str, Counter[str]] = {}
    for specimen, mutant in every_mutant():
        made[mutant.kind] += 1
        verdict = check_lifecycle(mutant.records)
        if verdict.rejection is None:
            survived[mutant.kind] += 1
            assert mutant.kind in UNSEEN, (specimen.case.seed, mutant)
            explained(specimen, mutant, finished=verdict.finished)
        else:
            rejected[mutant.kind] += 1
            # A record that was right before is found wrong only after one that is not as it was.
            assert verdict.rejection.number >= mutant.number
            rules.setdefault(mutant.kind, Counter())[verdict.rejection.rule] += 1
    assert survived.keys() == UNSEEN.keys()
    summary("lifecycle", made, rejected)
    for kind, count in sorted(survived.items()):
        notice(f"  not seen: {count:,} of {made[kind]:,} {kind}: {UNSEEN[kind]}")
    assert set().union(*rules.values()) == {
        "life.declaration", "life.selection", "life.handle", "life.resume", "life.return",
        "life.capture", "life.closed", "life.observation", "life.failure", "life.end",
    }  # fmt: skip


def explained(specimen: Specimen, mutant: Mutant, *, finished: bool) -> None:
    """Check that a mutant that was accepted is of the sort that its kind's reason speaks of."""
    whole = not isinstance(specimen.run.outcome, Suspended)
    if mutant.kind == "truncation":
        assert not finished
        return
    assert finished is whole
    if mutant.kind == "deletion":
        assert not whole
        assert mutant.number == len(specimen.records) - 2
    match specimen.records[mutant.number], mutant.records[mutant.number]:
        case RunEnd(before), RunEnd(after):
            assert isinstance(before, CompletedWith)
            assert isinstance(after, CompletedWith)
        case EffectCapture(before), EffectCapture(after):
            assert (before is Completion.RETURN) is (after is Completion.RETURN)


def test_answers_taken_from_a_trace_leave_only_other_runs_of_the_program() -> None:
    """Where the host's answers are the trace's own, what survives is the program's run on those answers."""
    made, survived = Counter[str](), Counter[str]()
    for specimen, mutant in every_mutant():
        made[mutant.kind] += 1
        start = run(specimen.case.program)
        if divergence(start, mutant.records, take_answers=True) is None:
            survived[mutant.kind] += 1
            answers = [HostAnswer(r.value) for r in mutant.records if isinstance(r, HostObservation)]
            assert naive_run(specimen.case.program, answers).records == mutant.records
    summary("replay on a trace's own answers", made, made - survived)
    assert survived.keys() == {"truncation", "HostObservation.value"}


def refs_of(records: Sequence[Record]) -> list[str]:
    refs, last = [], START_REF
    for number, record in enumerate(records):
        last = next_ref(last, skeleton(number, record))
        refs.append(last)
    return refs


def test_refs_that_were_not_made_anew_do_not_fit() -> None:
    """Each record of a mutant keeps its ref, as a change in an editor leaves it; cut off traces fit."""
    for specimen, mutant in every_mutant():
        refs = dict(zip(map(id, specimen.records), refs_of(specimen.records), strict=True))
        refs |= {
            id(record): refs[id(before)]
            for record, before in zip(mutant.records, specimen.records, strict=False)
            if id(record) not in refs
        }
        chain = RefChain()
        for number, record in enumerate(mutant.records):
            chain.accept(number, record, refs[id(record)])
        found = chain.result()
        assert (found.mismatch is None) is (mutant.kind == "truncation"), (specimen.case.seed, mutant)
        if found.mismatch is not None:
            assert found.mismatch.number == mutant.number == found.records


def test_a_forged_file_is_rejected_as_a_whole() -> None:
    """A sample, through everything: its refs are made anew, so that they fit."""
    sample = Random(1).sample(list(every_mutant()), 600)
    for specimen, mutant in sample:
        lines = [
            (number, record, ref, None)
            for number, (record, ref) in enumerate(
                zip(mutant.records, refs_of(mutant.records), strict=True)
            )
        ]
        found = validate(lines, specimen.case.program, specimen.case.answers)
        assert found.standing is Standing.REJECTED
        assert found.evidence.refs.mismatch is None
        assert found.granted.strength is Strength.RUNTIME_ONLY
