"""Terms of a long certificate: what several places mention is a definition of its own.

The computations, clause bodies and clauses that points of the machine mention stay whole in every state;
so do environments and stacks, which grow. Each gets a name where it is first written, and is a word after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias, Union

from eclogue.core.environment import Environment
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyIf,
    BodyLet,
    Clause,
    Computation,
    Handle,
    If,
    Let,
    Perform,
    Program,
    Resume,
    Return,
)
from eclogue.lean.encode import Encoder, reason_term, value_term
from eclogue.lean.stretch_machine import (
    Bind,
    BodyBind,
    Captured,
    Complete,
    Frame,
    Handler,
    InBody,
    Point,
    Raised,
    ResumeReturn,
    Returned,
    Running,
    Stack,
    frames,
)

_Node: TypeAlias = Union[Computation, Body]
_Named: TypeAlias = Union[Computation, Body, Clause, tuple[Clause, ...]]

Definition: TypeAlias = tuple[str, str, str]
"""Name, type and body."""


class NamedEncoder(Encoder):
    """Writes the terms of one program, those that points mention by their names."""

    def __init__(self, program: Program, points: Sequence[Point]) -> None:
        super().__init__(operation.name for operation in program.operations)
        self._subject = program
        self._wanted = _mentioned(points)
        self._term_names: dict[int, str] = {}
        self._root: object = None
        self._cells: dict[int, str] = {}
        self._kept: list[object] = []
        """What is named by its identity is kept alive."""

    def definitions(self) -> Iterator[Definition]:
        """Yield the named terms of the program, each after those that it mentions."""
        for number, node in enumerate(_inside_out(self._subject.body, self._wanted)):
            kind, write = self._form(node)
            self._root = node
            body = self.written((write, node))
            self._root = None
            name = f"term_{number}"
            self._term_names[id(node)] = name
            self._kept.append(node)
            yield name, kind, body

    def _form(self, node: _Named) -> tuple[str, Any]:
        if isinstance(node, tuple):
            return "Eclogue.Clauses", self._clauses
        if isinstance(node, (Return, Let, Perform, Handle, If)):
            return "Eclogue.Computation", self._computation
        return "Eclogue.ClauseBody", self._body

    def _computation(self, computation: Computation) -> Iterable[Any]:
        name = self._name_of(computation)
        return super()._computation(computation) if name is None else (name,)

    def _body(self, body: Body) -> Iterable[Any]:
        name = self._name_of(body)
        return super()._body(body) if name is None else (name,)

    def _clauses(self, clauses: tuple[Clause, ...]) -> Iterable[Any]:
        name = self._name_of(clauses)
        return super()._clauses(clauses) if name is None else (name,)

    def _name_of(self, node: object) -> str | None:
        return None if node is self._root else self._term_names.get(id(node))

    # --------------------------------------------------------------------------------------------
    # Points

    def point(self, number: int, point: Point) -> Iterator[Definition]:
        """Yield the definitions of a point, which is called by its number, and of what it mentions."""
        found: list[Definition] = []
        stack = self._stack(point.stack, f"stack_{number}", found)
        control = self._control(point, f"environment_{number}", found)
        yield from found
        yield f"point_{number}", "Eclogue.Point", f"⟨{control}, {stack}, {point.next}⟩"

    def _control(self, point: Point, name: str, found: list[Definition]) -> str:
        control = point.control
        match control:
            case Running(environment, computation):
                known = self._environment(environment, name, found)
                return f".run {known} {self.written((self._computation, computation))}"
            case InBody(environment, selection, captured, body):
                known = self._environment(environment, name, found)
                held = self._captured(captured, name, found)
                return f".body {known} {selection} {held} {self.written((self._body, body))}"
            case _:
                return f".outcome {self.outcome(point, name, found)}"

    def outcome(self, point: Point, name: str, found: list[Definition]) -> str:
        """Return the outcome at a point as a term of that type."""
        control = point.control
        match control:
            case Returned(value):
                return f"(.completed {value_term(value)})"
            case Raised(declaration, operation, payload, captured):
                held = self._captured(captured, name, found)
                return f"(.suspended {declaration} {self.number(operation)} {value_term(payload)} {held})"
        assert not isinstance(control, (Running, InBody))
        return f"(.failed {reason_term(control.reason)} {control.number})"

    def _stack(self, stack: Stack | None, name: str, found: list[Definition]) -> str:
        cells: list[Stack] = []
        while stack is not None and id(stack) not in self._cells:
            cells.append(stack)
            stack = stack.outside
        known = ".nil" if stack is None else self._cells[id(stack)]
        # Each cell has its own name: a later stack may share any of them, and not the innermost.
        for at in range(len(cells) - 1, -1, -1):
            own = f"{name}_{at}"
            frame = self._frame(cells[at].frame, own, found)
            found.append((own, "Eclogue.Continuation", f"(.cons {frame} {known})"))
            self._name_cell(cells[at], own)
            known = own
        return known

    def _captured(self, captured: Captured | None, name: str, found: list[Definition]) -> str:
        held = frames(captured)
        parts = [self._frame(frame, f"{name}_held_{at}", found) for at, frame in enumerate(held)]
        return _listed(parts, ".nil")

    def _frame(self, frame: Frame, name: str, found: list[Definition]) -> str:
        match frame:
            case Bind(environment, rest):
                known = self._environment(environment, name, found)
                return f"(.bind {known} {self.written((self._computation, rest))})"
            case Handler(environment, handle):
                known = self._environment(environment, name, found)
                returning = self.written((self._computation, handle.return_clause))
                return f"(.handler {known} {returning} {self.written((self._clauses, handle.clauses))})"
            case BodyBind(environment, selection, captured, body):
                known = self._environment(environment, name, found)
                held = self._captured(captured, name, found)
                return f"(.bodyBind {known} {selection} {held} {self.written((self._body, body))})"
            case ResumeReturn(environment, selection, rest):
                known = self._environment(environment, name, found)
                return f"(.resumeReturn {known} {selection} {self.written((self._computation, rest))})"
            case Complete(selection):
                return f"(.complete {selection})"

    def _environment(self, environment: Environment, name: str, found: list[Definition]) -> str:
        values: list[str] = []
        cell = environment
        while cell[0] and id(cell) not in self._cells:
            values.append(value_term(cell[3]))
            cell = cell[2]
        known = self._cells[id(cell)] if cell[0] else ".nil"
        if not values:
            return known
        self._name_cell(environment, f"{name}_values")
        found.append((f"{name}_values", "Eclogue.Environment", _listed(values, known)))
        return f"{name}_values"

    def _name_cell(self, cell: object, name: str) -> None:
        self._cells[id(cell)] = name
        self._kept.append(cell)


def _listed(items: Sequence[str], rest: str) -> str:
    return "".join(f"(.cons {item} " for item in items) + rest + ")" * len(items)


# ------------------------------------------------------------------------------------------------
# What is mentioned


def _mentioned(points: Sequence[Point]) -> set[int]:
    """Return the identities of the terms that points mention."""
    found: set[int] = set()
    seen: set[int] = set()
    pending: list[Frame] = []

    def hold(captured: Captured | None) -> None:
        while captured is not None and id(captured) not in seen:
            seen.add(id(captured))
            pending.append(captured.frame)
            captured = captured.inside

    for point in points:
        control = point.control
        if isinstance(control, Running):
            found.add(id(control.computation))
        elif isinstance(control, InBody):
            found.add(id(control.body))
            hold(control.captured)
        elif isinstance(control, Raised):
            hold(control.captured)
        stack = point.stack
        while stack is not None and id(stack) not in seen:
            seen.add(id(stack))
            pending.append(stack.frame)
            stack = stack.outside
        while pending:
            frame = pending.pop()
            if isinstance(frame, (Bind, ResumeReturn, BodyBind)):
                found.add(id(frame.rest))
            elif isinstance(frame, Handler):
                found |= {id(frame.handle.return_clause), id(frame.handle.clauses)}
            if isinstance(frame, BodyBind):
                hold(frame.captured)
    return found


def _inside_out(root: Computation, wanted: set[int]) -> Iterator[Any]:
    """Yield the wanted terms of a computation, each after those inside it, and each once."""
    done: set[int] = set()
    pending: list[tuple[Any, bool]] = [(root, False)]
    while pending:
        node, left = pending.pop()
        if left:
            if id(node) in wanted:
                yield node
            continue
        if id(node) in done:
            continue
        done.add(id(node))
        pending.append((node, True))
        pending.extend((part, False) for part in _parts(node))


def _parts(node: _Named) -> tuple[_Named, ...]:
    match node:
        case Let(bound, rest) | BodyLet(bound, rest):
            return (bound, rest)
        case Handle(body, return_clause, clauses):
            return (body, return_clause, clauses)
        case If(_, then, otherwise) | BodyIf(_, then, otherwise):
            return (then, otherwise)
        case Resume(_, rest):
            return (rest,)
        case Clause(_, body):
            return (body,)
        case tuple():
            return node
        case Return() | Perform() | Answer() | Abort():
            return ()
    raise TypeError(node)
