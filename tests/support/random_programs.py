"""Random core programs: directed ones that run far, and undirected ones, any term at all."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeAlias

import attrs

from eclogue.core.schema import Atom, Schema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyIf,
    BodyLet,
    Check,
    Clause,
    Computation,
    Expression,
    Handle,
    If,
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
from eclogue.core.values import Value
from support.choices import Weighted, chance, shares
from support.random_expressions import Environment, Expressions, any_expression
from support.random_values import random_schema, random_value, value_of, wrong_value

Scope: TypeAlias = tuple[tuple[str, ...], ...]
"""The operations of the enclosing handlers, innermost first."""

NAMES = tuple(f"{effect}.{name}" for effect in ("state", "log", "net") for name in ("get", "put", "note"))
"""Names of operations: the effects share the names of theirs."""


@attrs.frozen
class Flavour:
    """What a directed program is to be like."""

    size: int
    """About the number of nodes to spend."""
    exits: str
    """How its clauses may complete without resuming: `never`, `answer`, or `any`."""
    failing: float
    """Probability that an expression fails on purpose."""
    hosted: float
    """Probability that a perform is of an operation that no handler around it catches."""


_EXITS = Weighted((2, "never"), (2, "answer"), (6, "any"))


def random_flavour(rng: Random) -> Flavour:
    """Return a flavour; most programs fail nowhere and ask the host now and then."""
    return Flavour(
        size=rng.choice((30, 60, 120, 200, 300)),
        exits=_EXITS.pick(rng),
        failing=rng.choice((0.0, 0.0, 0.0, 0.01, 0.03)),
        hosted=rng.choice((0.0, 0.05, 0.15, 0.3)),
    )


def directed_program(rng: Random, flavour: Flavour | None = None) -> Program:
    """Return a well-scoped, schema-checked program of some flavour."""
    return _Directed(rng, flavour or random_flavour(rng)).program()


_STEPS = Weighted((11, "perform"), (4, "handle"), (2, "if"), (3, "return"), (1, "let"))
_TAILS = Weighted((6, "return"), (4, "handle"), (2, "if"), (2, "perform"))
_MODES = {
    "never": Weighted((1, "resume")),
    "answer": Weighted((5, "resume"), (2, "mixed"), (2, "exit")),
    "any": Weighted((5, "resume"), (2, "mixed"), (2, "exit")),
}


class _Directed:
    """One directed program in the making."""

    def __init__(self, rng: Random, flavour: Flavour) -> None:
        self.rng = rng
        self.flavour = flavour
        self.expressions = Expressions(rng, flavour.failing)
        self.types: list[Schema] = [Atom.INT, Atom.TEXT, Atom.BOOL]
        self.types += [random_schema(rng) for _ in range(3)]
        names = sorted(rng.sample(NAMES, rng.randint(3, 6)))
        self.operations = {name: self._operation(name) for name in names}

    def program(self) -> Program:
        size, rng = self.flavour.size, self.rng
        # Some programs have many variables around them, so that look-ups reach far.
        outer = [self._type() for _ in range(rng.randint(4, 70) if chance(rng, 0.15) else 0)]
        env = tuple(reversed(outer))
        if chance(rng, 0.8):
            body: Computation = self._handle(env, (), self._type(), size)
        else:
            body = self._computation(env, (), self._type(), size)
        for schema in reversed(outer):
            body = Let(Return(Literal(value_of(rng, schema))), body)
        return Program(tuple(self.operations.values()), body)

    def _operation(self, name: str) -> Operation:
        return Operation(name, self._type(), self._type(), self.rng.choice(list(Tier)))

    def _type(self) -> Schema:
        return self.rng.choice(self.types)

    def _computation(
        self, env: Environment, scope: Scope, wanted: Schema, fuel: int, eager: bool = False
    ) -> Computation:
        """Return a chain of `let`s and a tail; an eager one begins with two performs, if any is allowed."""
        rng = self.rng
        most = 30 if chance(rng, 0.04) else min(6, fuel // 8)
        steps = rng.randint(2 if eager else 0, max(2, most))
        allotted = shares(rng, fuel, steps + 1)
        chain: list[Computation] = []
        for position in range(steps):
            form = "perform" if eager and position < 2 else _STEPS.pick(rng)
            # First to the innermost handler, then outward: that leaves selections open in between.
            levels = scope if not eager or position > 1 else scope[1:] if position else scope[:1]
            schema, step = self._step(env, scope, form, allotted[position], levels)
            chain.append(step)
            env = (schema, *env)
        result = self._tail(env, scope, wanted, allotted[-1])
        for step in reversed(chain):
            result = Let(step, result)
        return result

    def _step(
        self, env: Environment, scope: Scope, form: str, fuel: int, levels: Scope = ()
    ) -> tuple[Schema, Computation]:
        if form == "perform":
            operation = self._operation_to_perform(scope, levels or scope)
            if operation is not None:
                return operation.result, self._perform(env, operation)
        schema = self._type()
        if form == "handle" and fuel >= 12:
            return schema, self._handle(env, scope, schema, fuel)
        if form == "if" and fuel >= 6:
            return schema, self._if(env, scope, schema, fuel)
        if form == "let":
            return schema, self._computation(env, scope, schema, fuel)
        return schema, Return(self.expressions.wanted(env, schema))

    def _tail(self, env: Environment, scope: Scope, wanted: Schema, fuel: int) -> Computation:
        form = _TAILS.pick(self.rng)
        if form == "handle" and fuel >= 12:
            return self._handle(env, scope, wanted, fuel)
        if form == "if" and fuel >= 6:
            return self._if(env, scope, wanted, fuel)
        if form == "perform":
            operation = self._operation_to_perform(scope, scope)
            if operation is not None and operation.result is wanted:
                return self._perform(env, operation)
        return Return(self.expressions.wanted(env, wanted))

    def _if(self, env: Environment, scope: Scope, wanted: Schema, fuel: int) -> If:
        condition = self.expressions.condition(env)
        then = self._computation(env, scope, wanted, fuel // 2)
        return If(condition, then, self._computation(env, scope, wanted, fuel // 2))

    def _operation_to_perform(self, scope: Scope, levels: Scope) -> Operation | None:
        """Return an operation of one of these levels of the scope, or for the host, if there is one."""
        rng = self.rng
        caught = {name for names in scope for name in names}
        if not scope or chance(rng, self.flavour.hosted):
            free = [name for name in self.operations if name not in caught]
            if free and chance(rng, self.flavour.hosted * 2):
                return self.operations[rng.choice(free)]
        return self.operations[rng.choice(rng.choice(levels))] if levels else None

    def _perform(self, env: Environment, operation: Operation) -> Let:
        """Return a perform as lowering writes it, its payload and its result checked."""
        payload = Check(operation.payload, self.expressions.wanted(env, operation.payload))
        checked = Return(Check(operation.result, Variable(0)))
        return Let(Perform(operation.name, payload), checked)

    def _handle(self, env: Environment, scope: Scope, wanted: Schema, fuel: int) -> Handle:
        rng = self.rng
        names = rng.sample(list(self.operations), rng.choice((1, 1, 2, 3)))
        body_fuel, clause_fuel = fuel * 6 // 10, fuel * 3 // 10 // len(names)
        body_type = wanted if chance(rng, 0.5) else self._type()
        inner = (tuple(names), *scope)
        if body_fuel >= 15 and chance(rng, 0.55):
            body: Computation = self._handle(env, inner, body_type, body_fuel)
        else:
            body = self._computation(env, inner, body_type, body_fuel, eager=chance(rng, 0.9))
        if body_type is wanted and chance(rng, 0.4):
            return_clause: Computation = Return(Variable(0))
        else:
            return_clause = self._computation((body_type, *env), scope, wanted, fuel // 10)
        clauses = tuple(self._clause(env, scope, name, wanted, clause_fuel) for name in names)
        return Handle(body, return_clause, clauses)

    def _clause(self, env: Environment, scope: Scope, name: str, wanted: Schema, fuel: int) -> Clause:
        operation = self.operations[name]
        mode = _MODES[self.flavour.exits].pick(self.rng)
        if not scope and mode == "resume" and chance(self.rng, 0.3):
            # The outermost handler is the one whose exits drop what is open inside.
            mode = _MODES[self.flavour.exits].pick(self.rng)
        return Clause(name, self._body((operation.payload, *env), scope, operation, wanted, fuel, mode))

    def _body(
        self, env: Environment, scope: Scope, operation: Operation, wanted: Schema, fuel: int, mode: str
    ) -> Body:
        rng = self.rng
        chain: list[Computation] = []
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
            form = "perform" if chance(rng, 0.6) else _STEPS.pick(rng)
            schema, step = self._step(env, scope, form, fuel // 3)
            chain.append(step)
            env = (schema, *env)
        result = self._ending(env, scope, operation, wanted, fuel // 2, mode)
        for step in reversed(chain):
            result = BodyLet(step, result)
        return result

    def _ending(
        self, env: Environment, scope: Scope, operation: Operation, wanted: Schema, fuel: int, mode: str
    ) -> Body:
        rng = self.rng
        if mode == "mixed" or chance(rng, 0.12):
            modes = ("resume", "exit") if mode == "mixed" else (mode, mode)
            first, second = (
                self._body(env, scope, operation, wanted, fuel // 2, part)
                for part in rng.sample(modes, len(modes))
            )
            return BodyIf(self.expressions.condition(env), first, second)
        if mode == "exit":
            exit_form = Abort if self.flavour.exits == "any" and chance(rng, 0.5) else Answer
            return exit_form(self._completion(env, wanted))
        value = self.expressions.wanted(env, operation.result)
        return Resume(value, self._rest((wanted, *env), scope, wanted, fuel))

    def _rest(self, env: Environment, scope: Scope, wanted: Schema, fuel: int) -> Computation:
        """Return what follows a resume; often it only wraps, so that the order of wraps shows."""
        if fuel < 4 or chance(self.rng, 0.6):
            return Return(self._completion(env, wanted))
        return self._computation(env, scope, wanted, fuel)

    def _completion(self, env: Environment, wanted: Schema) -> Expression:
        value = self.expressions.wanted(env, wanted)
        return Check(wanted, value) if chance(self.rng, 0.5) else value


# ------------------------------------------------------------------------------------------------
# Undirected


def undirected_program(rng: Random) -> Program:
    """Return any program that the types of `core/syntax.py` allow: open, undeclared, unchecked."""
    names = rng.sample(NAMES, 4)
    declared = sorted(rng.sample(names, rng.randint(0, 4)))
    operations = tuple(
        Operation(name, random_schema(rng), random_schema(rng), rng.choice(list(Tier))) for name in declared
    )
    making = _Undirected(rng, names)
    size = rng.choice((10, 40, 80, 160))
    body = making.handle(0, size) if chance(rng, 0.5) else making.computation(0, size)
    return Program(operations, body)


_COMPUTATIONS = Weighted((1, "return"), (6, "let"), (3, "perform"), (6, "handle"), (1, "if"))
_BODIES = Weighted((3, "let"), (1, "if"), (1, "answer"), (1, "abort"), (4, "resume"))


class _Undirected:
    """Any term: only the grammar is kept to. `depth` is how many binders are around.

    Some parts stand in several places, as one node: terms may share.
    """

    def __init__(self, rng: Random, names: Sequence[str]) -> None:
        self.rng = rng
        self.names = names
        self.made: list[Computation] = []

    def computation(self, depth: int, fuel: int) -> Computation:
        if self.made and chance(self.rng, 0.04):
            return self.rng.choice(self.made)
        made = self._computation(depth, fuel)
        self.made.append(made)
        return made

    def _computation(self, depth: int, fuel: int) -> Computation:
        rng = self.rng
        form = _COMPUTATIONS.pick(rng) if fuel > 2 else rng.choice(("return", "perform", "perform"))
        if form == "return":
            return Return(self._expression(depth))
        if form == "let":
            first = rng.randint(0, fuel // 2)
            return Let(self.computation(depth, first), self.computation(depth + 1, fuel - 1 - first))
        if form == "perform":
            return Perform(rng.choice(self.names), self._expression(depth))
        if form == "if":
            condition = self._condition(depth)
            return If(condition, self.computation(depth, fuel // 2), self.computation(depth, fuel // 2))
        return self.handle(depth, fuel)

    def handle(self, depth: int, fuel: int) -> Handle:
        rng = self.rng
        names = rng.sample(self.names, rng.choice((0, 1, 2, 3, 4)))
        share = fuel // 3 // max(1, len(names))
        return Handle(
            self.computation(depth, fuel // 2),
            self.computation(depth + 1, fuel // 6) if chance(rng, 0.5) else Return(Variable(0)),
            tuple(Clause(name, self.body(depth + 1, share)) for name in names),
        )

    def body(self, depth: int, fuel: int) -> Body:
        rng = self.rng
        form = _BODIES.pick(rng) if fuel > 1 else rng.choice(("answer", "abort", "resume"))
        if form == "let":
            first = rng.randint(0, fuel // 2)
            return BodyLet(self.computation(depth, first), self.body(depth + 1, fuel - 1 - first))
        if form == "if":
            condition = self._condition(depth)
            return BodyIf(condition, self.body(depth, fuel // 2), self.body(depth, fuel // 2))
        if form == "answer":
            return Answer(self._expression(depth))
        if form == "abort":
            return Abort(self._expression(depth))
        return Resume(self._expression(depth), self.computation(depth + 1, fuel - 1))

    def _expression(self, depth: int) -> Expression:
        return any_expression(self.rng, depth, self.rng.choice((0, 0, 0, 1, 2)))

    def _condition(self, depth: int) -> Expression:
        if chance(self.rng, 0.8):
            return Literal(chance(self.rng, 0.5))
        return self._expression(depth)


def random_answer(rng: Random, program: Program, operation: str, wrong: float) -> Value:
    """Return what a host might answer to an operation; refused by its schema with probability `wrong`."""
    for declared in program.operations:
        if declared.name == operation:
            if chance(rng, wrong):
                return wrong_value(rng, declared.result)
            return value_of(rng, declared.result)
    return random_value(rng)
