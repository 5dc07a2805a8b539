"""Random expressions: of a wanted schema in a known environment, or any at all."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TypeAlias

from eclogue.core.schema import Atom, ListSchema, LiteralSchema, RecordSchema, Schema
from eclogue.core.syntax import (
    Binary,
    BinaryOperator,
    Check,
    Expression,
    ListExpression,
    Literal,
    Not,
    Project,
    RecordExpression,
    Variable,
)
from eclogue.core.values import RecordValue
from support.choices import Weighted, chance
from support.random_values import (
    fits,
    random_key,
    random_schema,
    random_value,
    value_of,
    wrong_value,
)

Environment: TypeAlias = tuple[Schema, ...]
"""What the values of the variables conform to, innermost first: position i is index i."""

_NEAR = 12  # of the variables further out only a few are looked at, so that generation stays linear

_FAILURES = Weighted((1, "unbound"), (2, "type"), (2, "key"), (2, "schema"), (1, "two"))
_OF_INT = Weighted((4, BinaryOperator.ADD), (2, BinaryOperator.SUB), (1, BinaryOperator.MUL))
_COMPARISONS = (BinaryOperator.LT, BinaryOperator.LE, BinaryOperator.EQ, BinaryOperator.NE)
_CONNECTIVES = (BinaryOperator.AND, BinaryOperator.OR)


class Expressions:
    """Directed expressions: they evaluate to a value of the wanted schema, or fail on purpose.

    `failing` is the probability that an expression is replaced by one that fails.
    """

    def __init__(self, rng: Random, failing: float) -> None:
        self.rng = rng
        self.failing = failing

    def wanted(self, env: Environment, schema: Schema, fuel: int = 3) -> Expression:
        """Return an expression whose value `schema` accepts."""
        rng = self.rng
        if self.failing and chance(rng, self.failing):
            return self._failure(env)
        if chance(rng, 0.6):
            known = list(_sources(rng, env, schema))
            if known:
                return rng.choice(known)
        if fuel <= 0 or chance(rng, 0.25):
            return Literal(value_of(rng, schema))
        if chance(rng, 0.08):
            return Check(schema, self.wanted(env, schema, fuel - 1))
        if chance(rng, 0.06):
            return self._projected(env, schema, fuel - 1)
        return self._composed(env, schema, fuel - 1)

    def condition(self, env: Environment) -> Expression:
        """Return a boolean that depends on data wherever there are any."""
        rng = self.rng
        if not env:
            return self.wanted(env, Atom.BOOL)
        if self.failing and chance(rng, self.failing):
            return self._failure(env)
        index = rng.randrange(min(len(env), 4))
        variable, schema = Variable(index), env[index]
        if schema is Atom.BOOL:
            return Not(variable) if chance(rng, 0.5) else variable
        if schema is Atom.INT:
            return Binary(rng.choice(_COMPARISONS), variable, self.wanted(env, Atom.INT, 1))
        other = Literal(value_of(rng, schema)) if chance(rng, 0.7) else self.wanted(env, schema, 1)
        return Binary(rng.choice(_COMPARISONS[2:]), variable, other)

    def _composed(self, env: Environment, schema: Schema, fuel: int) -> Expression:
        rng = self.rng
        if schema is Atom.INT:
            operator, left = _OF_INT.pick(rng), self.wanted(env, schema, fuel)
            if chance(rng, 0.05) and operator is not BinaryOperator.MUL:
                return Binary(operator, left, left)  # the same node twice: terms may share
            # One small factor: squares of squares would make ints of exponential size.
            right: Expression = (
                Literal(rng.randint(-2, 3))
                if operator is BinaryOperator.MUL
                else self.wanted(env, schema, fuel)
            )
            return Binary(operator, left, right)
        if schema is Atom.TEXT:
            return self._concatenation(env, schema, fuel)
        if schema is Atom.BOOL:
            return self._boolean(env, fuel)
        if isinstance(schema, ListSchema):
            if chance(rng, 0.3):
                return self._concatenation(env, schema, fuel)
            items = rng.randint(0, 2)
            return ListExpression(tuple(self.wanted(env, schema.item, fuel) for _ in range(items)))
        if isinstance(schema, RecordSchema):
            return self._record(env, schema, fuel)
        if schema is Atom.ANY:
            return self.wanted(env, random_schema(rng, 1), fuel)
        return Literal(value_of(rng, schema))

    def _concatenation(self, env: Environment, schema: Schema, fuel: int) -> Expression:
        sides = [self.wanted(env, schema, fuel), Literal(value_of(self.rng, schema))]
        self.rng.shuffle(sides)
        return Binary(BinaryOperator.CONCAT, *sides)

    def _boolean(self, env: Environment, fuel: int) -> Expression:
        rng = self.rng
        form = rng.randrange(4)
        if form == 0:
            return Not(self.wanted(env, Atom.BOOL, fuel))
        if form == 1:
            operator = rng.choice(_CONNECTIVES)
            return Binary(operator, self.wanted(env, Atom.BOOL, fuel), self.wanted(env, Atom.BOOL, fuel))
        if form == 2:
            operator = rng.choice(_COMPARISONS)
            return Binary(operator, self.wanted(env, Atom.INT, fuel), self.wanted(env, Atom.INT, fuel))
        return self.condition(env) if env else Literal(chance(rng, 0.5))

    def _record(self, env: Environment, schema: RecordSchema, fuel: int) -> RecordExpression:
        rng = self.rng
        fields = [
            (field.key, self.wanted(env, field.schema, fuel))
            for field in schema.fields
            if field.required or chance(rng, 0.5)
        ]
        rng.shuffle(fields)
        if fields and chance(rng, 0.15):  # a key that occurs twice: the later one wins
            key = rng.choice(fields)[0]
            fields.insert(0, (key, self.wanted(env, Atom.ANY, fuel)))
        return RecordExpression(tuple(fields))

    def _projected(self, env: Environment, schema: Schema, fuel: int) -> Expression:
        key = random_key(self.rng)
        fields = [("c", self.wanted(env, Atom.ANY, fuel)), (key, self.wanted(env, schema, fuel))]
        return Project(RecordExpression(tuple(fields)), key)

    def _failure(self, env: Environment) -> Expression:
        rng = self.rng
        kind = _FAILURES.pick(rng)
        if kind == "unbound":
            return Variable(len(env) + rng.randrange(3))
        if kind == "type":
            return self._ill_typed()
        if kind == "key":
            return Project(RecordExpression((("c", Literal(1)),)), random_key(rng))
        if kind == "schema":
            schema = random_schema(rng)
            return Check(schema, Literal(wrong_value(rng, schema)))
        # Two failures in one expression: which one is the outcome shows the order of evaluation.
        sides = self._failure(env), self._failure(env)
        if chance(rng, 0.5):
            return Binary(rng.choice(list(BinaryOperator)), *sides)
        return RecordExpression((("a", sides[0]), ("b", sides[1])))

    def _ill_typed(self) -> Expression:
        rng = self.rng
        form = rng.randrange(4)
        if form == 0:
            return Not(Literal(rng.choice((0, 1, "true", None))))
        if form == 1:
            return Project(Literal(rng.choice((1, "a", (), None))), random_key(rng))
        if form == 2:
            return Binary(BinaryOperator.CONCAT, Literal("a"), Literal(()))
        operator = rng.choice((*_OF_INT_OPERATORS, *_CONNECTIVES))
        sides = [Literal(rng.choice((1, 0, True, False))), Literal(rng.choice(("1", None, (1,))))]
        rng.shuffle(sides)  # `and` and `or` want booleans on both sides, whatever the one is
        return Binary(operator, *sides)


_OF_INT_OPERATORS = (BinaryOperator.ADD, BinaryOperator.MUL, BinaryOperator.LT, BinaryOperator.LE)


def _sources(rng: Random, env: Environment, wanted: Schema) -> Iterator[Expression]:
    """Yield variables, and projections of them, whose values `wanted` accepts: near ones and some far."""
    far = sorted(rng.sample(range(_NEAR, len(env)), 3)) if len(env) >= _NEAR + 3 else []
    for index in (*range(min(_NEAR, len(env))), *far):
        given = env[index]
        if fits(given, wanted):
            yield Variable(index)
        if isinstance(given, RecordSchema):
            for field in given.fields:
                if field.required and fits(field.schema, wanted):
                    yield Project(Variable(index), field.key)
        elif isinstance(given, LiteralSchema) and isinstance(given.value, RecordValue):
            for key, value in given.value.fields.items():
                if fits(LiteralSchema(value), wanted):
                    yield Project(Variable(index), key)


# ------------------------------------------------------------------------------------------------
# Undirected

_SHAPES = Weighted(
    (5, "literal"),
    (4, "variable"),
    (1, "list"),
    (1, "record"),
    (1, "project"),
    (1, "not"),
    (3, "binary"),
    (1, "check"),
)


def any_expression(rng: Random, depth: int, fuel: int) -> Expression:
    """Return any expression under `depth` binders: some variables unbound, operands of the wrong kinds."""
    shape = _SHAPES.pick(rng) if fuel > 0 else rng.choice(("literal", "variable"))
    if shape == "variable" and (depth or chance(rng, 0.1)):
        return Variable(rng.randrange(depth + 3) if chance(rng, 0.05) else rng.randrange(max(1, depth)))
    if shape == "list":
        return ListExpression(_any_expressions(rng, depth, fuel - 1))
    if shape == "record":
        items = _any_expressions(rng, depth, fuel - 1)
        return RecordExpression(tuple((random_key(rng), item) for item in items))
    if shape == "project":
        return Project(any_expression(rng, depth, fuel - 1), random_key(rng))
    if shape == "not":
        return Not(any_expression(rng, depth, fuel - 1))
    if shape == "binary":
        left, right = any_expression(rng, depth, fuel - 1), any_expression(rng, depth, fuel - 1)
        return Binary(rng.choice(list(BinaryOperator)), left, right)
    if shape == "check":
        return Check(random_schema(rng), any_expression(rng, depth, fuel - 1))
    return Literal(random_value(rng, 1))


def _any_expressions(rng: Random, depth: int, fuel: int) -> tuple[Expression, ...]:
    return tuple(any_expression(rng, depth, fuel) for _ in range(rng.randint(0, 3)))
