"""Terms of kernel-v3 documents as terms of this language; see `kernel_v3` for what becomes of what."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from eclogue.core.errors import LimitExceeded
from eclogue.core.limits import Limits
from eclogue.core.paths import Path
from eclogue.core.schema import Atom, Schema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyLet,
    Check,
    Clause,
    Computation,
    Expression,
    Handle,
    Let,
    Literal,
    Operation,
    Perform,
    Program,
    RecordExpression,
    Resume,
    Return,
    Tier,
    Variable,
)
from eclogue.core.trampoline import Step, run
from eclogue.core.values import RecordValue, Value
from eclogue.validator.importers.kernel_v3_shapes import (
    Fields,
    ImportRefused,
    Signatures,
    as_list,
    as_text,
    effect_kind,
    members,
    node_name,
    schema_of,
)

_EXTENSIONS = {
    "Forward": "passing an operation on without a record of a new perform is not in this language",
    "TerminalDelay": "delayed continuations are not in this language",
    "TerminalFork": "forks are made by the host, from a suspended run, not by a program",
}
_CONTROL = ("Abort", "Resume", *_EXTENSIONS)
"""What only a handler's body may do."""


_AFTER_RESUME = {
    "Resume": "the body has resumed before this, and a body resumes at most once",
    "Abort": "the body has resumed before this, and only a body that has not resumed may abort",
}


def _controls(program: Value) -> dict[int, str]:
    """Return which of `_CONTROL` a computation does, by its id, bodies of handlers within it left aside."""
    found: dict[int, str] = {}
    visited: set[int] = set()
    pending: list[tuple[Value, bool]] = [(program, False)]
    while pending:
        node, after = pending.pop()
        if not isinstance(node, RecordValue):
            continue
        kind = node.fields.get("node")
        if isinstance(kind, str) and kind in _CONTROL:
            found[id(node)] = kind
        elif kind in ("Let", "Handle"):
            parts = [node.fields[key] for key in ("bound", "body") if key in node.fields]
            if after:
                done = [found[id(part)] for part in parts if id(part) in found]
                found |= {id(node): control for control in done[:1]}
            elif id(node) not in visited:
                visited.add(id(node))
                pending.append((node, True))
                pending += ((part, False) for part in parts)
                pending += ((body, False) for body in _handler_bodies(node))
    return found


def _handler_bodies(handle: RecordValue) -> Iterator[Value]:
    environment = handle.fields.get("handler_env")
    bindings = environment.fields.get("bindings") if isinstance(environment, RecordValue) else None
    for binding in bindings if isinstance(bindings, tuple) else ():
        if isinstance(binding, RecordValue) and "body" in binding.fields:
            yield binding.fields["body"]


@attrs.frozen(eq=False)
class _Waiting:
    """A `Let` whose bound part is being walked, since the body's control is in it."""

    name: str
    rest: Value
    path: Path
    visible: int
    """How many names of the handler's body were visible at the `Let`."""


class Importer:
    """Translates one program; each method that returns a `Step` is run by the trampoline.

    A name stands for the binders that it has in scope, as their depths, the innermost last.
    """

    def __init__(self, signatures: Signatures, limits: Limits, notes: list[str]) -> None:
        self.signatures = signatures
        self.limits = limits
        self.notes = notes
        self.controls: dict[int, str] = {}
        self.kinds = set(signatures)
        self.scope: dict[str, list[int]] = {}
        self.depth = 0
        self.nodes = 0

    def program(self, value: Value, path: Path, task: str | None) -> Program:
        """Return the program of a document, called `task`; raises as `kernel_v3.import_program`."""
        self.controls = _controls(value)
        body: Computation = run(self._computation(value, path, None))
        operations = tuple(
            Operation(kind, *self._signature(kind), Tier.IRREVERSIBLE) for kind in sorted(self.kinds)
        )
        return Program(operations, body, task=task)

    def _signature(self, kind: str) -> tuple[Schema, Schema]:
        return self.signatures.get(kind, (Atom.ANY, Atom.ANY))

    def _begin(self, value: Value, path: Path) -> str:
        self.nodes += 1
        if self.nodes > self.limits.program_nodes:
            raise LimitExceeded("program_nodes", self.limits.program_nodes)
        return node_name(value, path)

    # Names

    def _bind(self, name: str) -> None:
        self.scope.setdefault(name, []).append(self.depth)
        self.depth += 1

    def _hide(self, name: str) -> None:
        """Take the innermost binder of a name out of scope; it stays a binder."""
        self.scope[name].pop()

    def _variable(self, fields: Fields, path: Path) -> Variable:
        name = as_text(fields["name"], path / "name")
        binders = self.scope.get(name)
        if not binders:
            raise ImportRefused(path, f"the name {name} is not bound here")
        return Variable(self.depth - 1 - binders[-1], name=name)

    # Expressions

    def _expression(self, value: Value, path: Path) -> Step:
        node = self._begin(value, path)
        if node == "Lit":
            return Literal(members(value, path, ("node", "value"))["value"])
        if node == "Var":
            return self._variable(members(value, path, ("name", "node")), path)
        if node == "RecordExpr":
            items = as_list(members(value, path, ("fields", "node"))["fields"], path / "fields")
            fields = []
            for position, item in enumerate(items):
                place = path / "fields" / position
                field = members(item, place, ("name", "value"))
                name = as_text(field["name"], place / "name")
                fields.append((name, (yield self._expression(field["value"], place / "value"))))
            return RecordExpression(tuple(fields))
        raise ImportRefused(path / "node", f"the expression {node} is not known")

    # Computations

    def _computation(self, value: Value, path: Path, completion: Schema | None) -> Step:
        """Translate a computation; its value is checked against `completion`, if that is given."""
        depth = self.depth
        chain: list[tuple[Computation, str]] = []
        node = self._begin(value, path)
        while node == "Let":
            fields, name = self._let(value, path)
            chain.append(((yield self._computation(fields["bound"], path / "bound", None)), name))
            self._bind(name)
            value, path = fields["body"], path / "body"
            node = self._begin(value, path)
        result: Computation = yield self._last(node, value, path, completion)
        for bound, name in reversed(chain):
            result = Let(bound, result, name=name)
            self._hide(name)
        self.depth = depth
        return result

    def _let(self, value: Value, path: Path) -> tuple[Fields, str]:
        fields = members(value, path, ("body", "bound", "name", "node"))
        return fields, as_text(fields["name"], path / "name")

    def _last(self, node: str, value: Value, path: Path, completion: Schema | None) -> Step:
        """Translate a computation that is no `Let`."""
        if node == "Return":
            expression = yield self._returned(value, path)
            return Return(expression if completion is None else Check(completion, expression))
        if node == "Perform":
            result: Computation = yield self._perform(value, path)
        elif node == "Handle":
            result = yield self._handle(value, path)
        elif node in _EXTENSIONS:
            raise ImportRefused(path, f"{node}: {_EXTENSIONS[node]}")
        elif node in _CONTROL:
            raise ImportRefused(
                path,
                f"{node} stands outside the body of a handler, or under a Handle or in a Let inside one",
            )
        else:
            raise ImportRefused(path / "node", f"the computation {node} is not known")
        if completion is None:
            return result
        return Let(result, Return(Check(completion, Variable(0))))

    def _returned(self, value: Value, path: Path) -> Step:
        return (yield self._expression(members(value, path, ("expr", "node"))["expr"], path / "expr"))

    def _perform(self, value: Value, path: Path) -> Step:
        fields = members(value, path, ("effect_kind", "node", "payload"))
        kind = effect_kind(fields, path)
        self.kinds.add(kind)
        payload, result = self._signature(kind)
        expression = yield self._expression(fields["payload"], path / "payload")
        return Let(Perform(kind, Check(payload, expression)), Return(Check(result, Variable(0))))

    def _handle(self, value: Value, path: Path) -> Step:
        fields = members(value, path, ("body", "handler_env", "node"))
        handled = yield self._computation(fields["body"], path / "body", None)
        place = path / "handler_env"
        bindings = members(fields["handler_env"], place, ("bindings",))["bindings"]
        clauses: dict[str, Clause] = {}
        for position, item in enumerate(as_list(bindings, place / "bindings")):
            clause = yield self._clause(item, place / "bindings" / position)
            if clause.operation in clauses:
                raise ImportRefused(
                    place / "bindings" / position / "effect_kind",
                    f"{clause.operation} has an install before this one, which would never be selected",
                )
            clauses[clause.operation] = clause
        return Handle(handled, Return(Variable(0)), tuple(clauses.values()))

    def _clause(self, value: Value, path: Path) -> Step:
        node = self._begin(value, path)
        if node == "DynamicHandlerInstall":
            raise ImportRefused(path, "DynamicHandlerInstall: its body is a Python function, not data")
        if node != "StaticHandlerInstall":
            raise ImportRefused(path / "node", f"the install {node} is not known")
        keys = ("body", "effect_kind", "handled_result_schema", "node", "payload_name")
        fields = members(value, path, keys, ("handler_id",))
        kind, name = effect_kind(fields, path), as_text(fields["payload_name"], path / "payload_name")
        self.kinds.add(kind)
        schema = schema_of(fields["handled_result_schema"], path / "handled_result_schema", self.notes)
        depth = self.depth
        self._bind(name)
        body: Body = yield self._body(fields["body"], path / "body", schema)
        self._hide(name)
        self.depth = depth
        return Clause(kind, body, name=name)

    # Bodies of handlers

    def _body(self, value: Value, path: Path, completion: Schema) -> Step:
        """Translate a handler's body; its completions are checked against `completion`."""
        chain: list[tuple[Computation, str]] = []
        visible: list[str] = []
        waiting: list[_Waiting] = []
        while (node := self._begin(value, path)) == "Let":
            fields, name = self._let(value, path)
            if id(fields["bound"]) in self.controls:
                waiting.append(_Waiting(name, fields["body"], path / "body", len(visible)))
                value, path = fields["bound"], path / "bound"
            else:
                chain.append(((yield self._computation(fields["bound"], path / "bound", None)), name))
                self._bind(name)
                visible.append(name)
                value, path = fields["body"], path / "body"
        result: Body
        if node == "Resume":
            expression = yield self._value(value, path)
            result = yield self._resume(expression, waiting, visible, completion)
        elif node == "Abort":
            if waiting:
                raise ImportRefused(path, "Abort is not the last step of its body")
            result = Abort(Check(completion, (yield self._value(value, path))))
        elif node == "Return":
            result = Answer(Check(completion, (yield self._returned(value, path))))
        else:
            last = yield self._last(node, value, path, None)
            result = BodyLet(last, Answer(Check(completion, Variable(0))))
        for name in reversed(visible):
            self._hide(name)
        for bound, name in reversed(chain):
            result = BodyLet(bound, result, name=name)
        return result

    def _value(self, value: Value, path: Path) -> Step:
        return (yield self._expression(members(value, path, ("node", "value"))["value"], path / "value"))

    def _resume(
        self, expression: Expression, waiting: list[_Waiting], visible: list[str], completion: Schema
    ) -> Step:
        """Translate what follows a resume: the rests of the `Let`s around it, the innermost first."""
        if not waiting:
            return Resume(expression, Return(Check(completion, Variable(0))))
        steps: list[tuple[Computation, str]] = []
        first = waiting[-1].name
        while True:
            let = waiting.pop()
            while len(visible) > let.visible:
                self._hide(visible.pop())
            self._bind(let.name)
            visible.append(let.name)
            if (control := self.controls.get(id(let.rest))) in _AFTER_RESUME:
                raise ImportRefused(let.path, _AFTER_RESUME[control])
            if not waiting:
                rest: Computation = yield self._computation(let.rest, let.path, completion)
                break
            steps.append(((yield self._computation(let.rest, let.path, None)), waiting[-1].name))
        for step, name in reversed(steps):
            rest = Let(step, rest, name=name)
        return Resume(expression, rest, name=first)
