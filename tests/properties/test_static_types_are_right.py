"""What is known of an expression before a run is true of its value, and reported errors are certain."""

from __future__ import annotations

from random import Random

from strategies import for_seeds
from support.choices import chance
from support.random_surface import KEYS, NAMES, NOWHERE, AnySurface
from support.random_values import value_of
from support.statistics import Tally
from support.surface_meaning import Failure, Interpreter

from eclogue.core.schema import (
    Atom,
    FieldSchema,
    ListSchema,
    LiteralSchema,
    Schema,
    conforms,
    record_schema,
)
from eclogue.core.values import RecordValue, Value, record
from eclogue.lowering.declarations import read_declarations
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.expressions import Binding, Expected, ExpressionChecker
from eclogue.lowering.reporter import Reporter
from eclogue.lowering.static_types import join, widen

SOURCE = SourceText("test.ecl", "")
MALFORMED = {"EC1001", "EC1104"}


def random_value(rng: Random, depth: int = 2) -> Value:
    form = rng.randrange(6 if depth else 4)
    if form == 4:
        return tuple(random_value(rng, depth - 1) for _ in range(rng.randint(0, 2)))
    if form == 5:
        return record((key, random_value(rng, depth - 1)) for key in rng.sample(KEYS, rng.randint(0, 3)))
    return rng.choice((None, True, False, rng.randint(-3, 3), "a", ""))


def type_of(value: Value) -> Schema:
    """Return the type that a literal of this value has."""
    if isinstance(value, tuple):
        item: Schema = Atom.ANY
        for position, part in enumerate(value):
            item = type_of(part) if position == 0 else join(item, type_of(part))
        return ListSchema(item)
    if isinstance(value, RecordValue):
        return record_schema(FieldSchema(key, True, type_of(part)) for key, part in value.fields.items())
    return Atom.NULL if value is None else LiteralSchema(value)


def random_type(rng: Random, value: Value) -> Schema:
    exact = type_of(value)
    return rng.choice((exact, widen(exact), join(exact, type_of(random_value(rng))), Atom.ANY))


def test_types_of_expressions() -> None:
    tally = Tally("expressions")
    interpreter = Interpreter(
        read_declarations(AnySurface(Random(0)).file(0), Reporter(SOURCE)), lambda _: None
    )

    def check(seed: int) -> None:
        rng = Random(seed)
        reporter = Reporter(SOURCE)
        checker = ExpressionChecker(reporter)
        variables = {name: random_value(rng) for name in NAMES}
        for name, value in variables.items():
            checker.scope.bind(name, Binding(random_type(rng, value), NOWHERE))
        expression = AnySurface(rng).expression(rng.choice((2, 4, 8)))
        wanted = random_type(rng, random_value(rng)) if chance(rng, 0.5) else Atom.ANY
        found = checker.check(expression, Expected(wanted, None, "it"))
        codes = {item.code for item in reporter.items}
        if codes & MALFORMED:
            return
        try:
            value = interpreter.value(expression, variables)
        except Failure:
            tally.add("fails", *codes)
            return
        assert conforms(found, value)
        assert codes <= {"EC1201", "EC1206", "EC1207"}
        if codes:
            assert not conforms(wanted, value)
        tally.add("has a value", *codes)

    for_seeds(3000, check)
    assert tally.share("fails") > 0.05
    assert tally.share("has a value") > 0.05


def test_the_generator_of_values_knows_their_types() -> None:
    def check(seed: int) -> None:
        value = random_value(Random(seed))
        assert conforms(type_of(value), value)
        assert conforms(type_of(value), value_of(Random(seed), type_of(value)))

    for_seeds(300, check)
