"""All small programs over a few operations, by size: literals for values, and no variable but a payload."""

from __future__ import annotations

from collections.abc import Iterator

from eclogue.core.schema import Atom
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyIf,
    BodyLet,
    Check,
    Clause,
    Computation,
    Handle,
    Let,
    Literal,
    Not,
    Operation,
    Perform,
    Program,
    Resume,
    Return,
    Tier,
    Variable,
)

NULL = Literal(None)


class SmallPrograms:
    """The terms of each size; a return, a failure, a perform, an answer and an abort have size 1.

    With `branching`, payloads are true or false and a clause may begin with a branch on its payload.
    """

    def __init__(self, operations: tuple[str, ...], *, branching: bool = False) -> None:
        self.operations = operations
        self.branching = branching
        self._computations: dict[int, list[Computation]] = {}
        self._bodies: dict[int, list[Body]] = {}

    def programs(self, size: int) -> Iterator[Program]:
        """Yield the programs of a size."""
        declared = tuple(Operation(name, Atom.ANY, Atom.ANY, Tier.REVERSIBLE) for name in self.operations)
        for term in self.computations(size):
            yield Program(declared, term)

    def computations(self, size: int) -> list[Computation]:
        if size not in self._computations:
            self._computations[size] = list(self._new_computations(size))
        return self._computations[size]

    def bodies(self, size: int) -> list[Body]:
        if size not in self._bodies:
            self._bodies[size] = list(self._new_bodies(size))
        return self._bodies[size]

    def _new_computations(self, size: int) -> Iterator[Computation]:
        if size == 1:
            yield Return(NULL)
            yield Return(Not(NULL))
            for payload in (True, False) if self.branching else (None,):
                for name in self.operations:
                    performed = Perform(name, Check(Atom.ANY, Literal(payload)))
                    yield Let(performed, Return(Check(Atom.ANY, Variable(0))))
        for left in range(1, size - 1):
            for first in self.computations(left):
                if isinstance(first, Return):
                    continue  # nothing happens there that would not happen without it
                for second in self.computations(size - 1 - left):
                    yield Let(first, second)
                for body in self._clause_bodies(size - 1 - left):
                    for name in self.operations:
                        yield Handle(first, Return(Variable(0)), (Clause(name, body),))
        # Handlers whose return clause does something, too.
        for left in range(1, size - 2):
            for right in range(1, size - 1 - left):
                for first in self.computations(left):
                    for returned in self.computations(right):
                        if isinstance(first, Return) or isinstance(returned, Return):
                            continue
                        for body in self._clause_bodies(size - 1 - left - right):
                            for name in self.operations:
                                yield Handle(first, returned, (Clause(name, body),))

    def _clause_bodies(self, size: int) -> Iterator[Body]:
        yield from self.bodies(size)
        for left in range(1, size - 1) if self.branching else ():
            for then in self.bodies(left):
                for otherwise in self.bodies(size - 1 - left):
                    yield BodyIf(Variable(0), then, otherwise)

    def _new_bodies(self, size: int) -> Iterator[Body]:
        if size == 1:
            yield Answer(NULL)
            yield Abort(NULL)
            yield Answer(Not(NULL))
        for rest in self.computations(size - 1) if size > 1 else ():
            yield Resume(NULL, rest)
        for left in range(1, size - 1):
            for first in self.computations(left):
                if not isinstance(first, Return):
                    for body in self.bodies(size - 1 - left):
                        yield BodyLet(first, body)
