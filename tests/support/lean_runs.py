"""Runs of generated programs as questions to Lean, and traces that are not theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import attrs

from eclogue.core.outcomes import Exhausted
from eclogue.core.profiles import admit
from eclogue.core.run import run
from eclogue.core.trace import Record
from eclogue.core.values import Value
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.lean.differential import Observed
from support.failing import Case
from support.terms import free_variables


def observed(case: Case) -> Observed:
    """Return what Python finds for a case, with a mutant of its trace."""
    ran = run(case.program, case.answers)
    assert not isinstance(ran.outcome, Exhausted)
    records = [record for _, record, _ in ran.records()]
    return Observed(
        program=case.program,
        answers=[answer.value for answer in case.answers],
        outcome=ran.outcome,
        records=records,
        admitted=admit(case.program).profile,
        checked=None if well_formed(case.program) else not schema_checked(case.program),
        scoped=not free_variables(case.program.body),
        mutant=mutated(Random(case.seed), records),
    )


def mutated(rng: Random, records: Sequence[Record]) -> list[Record]:
    """Return another trace: with a record gone, doubled, moved or changed in one field."""
    while True:
        mutant = rng.choice(_MUTATIONS)(rng, list(records))
        if mutant != list(records):
            return mutant


def _without_one(rng: Random, records: list[Record]) -> list[Record]:
    if records:
        del records[rng.randrange(len(records))]
    return records


def _with_one_twice(rng: Random, records: list[Record]) -> list[Record]:
    if records:
        place = rng.randrange(len(records))
        records.insert(place, records[place])
    return records


def _with_two_swapped(rng: Random, records: list[Record]) -> list[Record]:
    if len(records) > 1:
        place = rng.randrange(len(records) - 1)
        records[place : place + 2] = reversed(records[place : place + 2])
    return records


def _with_one_changed(rng: Random, records: list[Record]) -> list[Record]:
    if records:
        place = rng.randrange(len(records))
        records[place] = _changed(rng, records[place])
    return records


def _changed(rng: Random, record: Any) -> Any:
    field = rng.choice(attrs.fields(type(record)))
    content = getattr(record, field.name)
    if isinstance(content, int) and not isinstance(content, bool) and field.type == "int":
        return attrs.evolve(record, **{field.name: content + 1})
    if field.name in ("value", "payload"):
        return attrs.evolve(record, **{field.name: _other_value(content)})
    if field.name == "operation":
        return attrs.evolve(record, operation=content + "x")
    if field.name in ("how", "why"):
        others = [member for member in type(content) if member is not content]
        return attrs.evolve(record, **{field.name: rng.choice(others)})
    if attrs.has(type(content)) and hasattr(content, "value"):
        return attrs.evolve(
            record, **{field.name: attrs.evolve(content, value=_other_value(content.value))}
        )
    return record


def _other_value(value: Value) -> Value:
    """Return a value of another kind that some would take for the same, or a list around it."""
    alike: dict[type, Callable[[Any], Value]] = {
        bool: int,
        int: str,
        type(None): lambda _: False,
        str: lambda text: text + "\0",
    }
    return alike.get(type(value), lambda item: (item,))(value)


_MUTATIONS = (_without_one, _with_one_twice, _with_two_swapped, _with_one_changed, _with_one_changed)
