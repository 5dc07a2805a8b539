"""Reading programs from JSON values (SPEC §11, rule `program.json`).

Only the one document that `encoding` writes for a program is accepted. Whether the program makes sense (is
closed, declares what it performs, checks its schemas) is another question: see `wellformed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn, TypeAlias

from eclogue.core.canonical import SAFE_INTEGER
from eclogue.core.errors import LimitExceeded, MalformedInput
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.paths import ROOT, Path
from eclogue.core.schema import Atom, FieldSchema, ListSchema, LiteralSchema, RecordSchema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    BinaryOperator,
    Body,
    BodyIf,
    BodyLet,
    Check,
    Clause,
    Computation,
    Handle,
    If,
    Let,
    ListExpression,
    Literal,
    Not,
    Operation,
    Perform,
    Program,
    Project,
    RecordExpression,
    Resume,
    Return,
    Span,
    Tier,
    Variable,
)
from eclogue.core.trampoline import Step, run
from eclogue.core.values import RecordValue, Value

FORMAT = "eclogue-core/1"
"""The version of the format; it changes with any change of meaning."""

_Fields: TypeAlias = Mapping[str, Value]

_OPERATORS = {operator.value: operator for operator in BinaryOperator}
_ATOMS = {atom.value: atom for atom in Atom}
_TIERS = {tier.value: tier for tier in Tier}


def program_from_value(document: Value, limits: Limits = DEFAULT) -> Program:
    """Return the program whose document this is (`program.json`).

    Raises `MalformedInput`, with the place in the document in its message, for anything that `encoding`
    would not write, and `LimitExceeded` for more nodes than the limit.
    """
    fields = _record(document, ROOT)
    if fields.get("format") != FORMAT:
        _refuse_format(fields)
    _keys(fields, ROOT, ("body", "format", "operations"), ("annotations",))
    noted = _record(fields["annotations"], ROOT / "annotations") if "annotations" in fields else {}
    notes = _Notes(noted, ROOT / "annotations")
    operations = tuple(
        _operation(item, ROOT / "operations" / position)
        for position, item in enumerate(_list(fields["operations"], ROOT / "operations"))
    )
    for position in range(1, len(operations)):
        if operations[position - 1].name >= operations[position].name:
            _refuse(ROOT / "operations" / position, "operations stand in ascending order of their names")
    body = run(_Reader(notes, limits).computation(fields["body"], ROOT / "body"))
    notes.finish()
    return Program(operations, body, task=notes.task, source=notes.source)


def _refuse(path: Path, message: str) -> NoReturn:
    raise MalformedInput(f"{path}: {message}")


def _refuse_format(fields: _Fields) -> NoReturn:
    given = fields.get("format")
    if isinstance(given, str):
        _refuse(ROOT / "format", f"this version reads {FORMAT}, not {given[:40]}")
    _refuse(ROOT, f'not a program: its "format" should be "{FORMAT}"')


# ------------------------------------------------------------------------------------------------
# Shapes


def _record(value: Value, path: Path) -> _Fields:
    if not isinstance(value, RecordValue):
        _refuse(path, "expected an object")
    return value.fields


def _list(value: Value, path: Path) -> tuple[Value, ...]:
    if not isinstance(value, tuple):
        _refuse(path, "expected a list")
    return value


def _text(value: Value, path: Path) -> str:
    if not isinstance(value, str):
        _refuse(path, "expected text")
    return value


def _integer(value: Value, path: Path, least: int) -> int:
    if type(value) is not int or not least <= value < SAFE_INTEGER:
        _refuse(path, f"expected an integer of at least {least}, below 2^53")
    return value


def _keys(fields: _Fields, path: Path, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    for key in required:
        if key not in fields:
            _refuse(path, f'"{key}" is missing')
    for key in fields:
        if key not in required and key not in optional:
            _refuse(path / key, "unknown member")


def _operation(value: Value, path: Path) -> Operation:
    fields = _record(value, path)
    _keys(fields, path, ("name", "payload", "result", "tier"))
    tier = fields["tier"]
    if not isinstance(tier, str) or tier not in _TIERS:
        _refuse(path / "tier", f"expected one of {', '.join(_TIERS)}")
    return Operation(
        _text(fields["name"], path / "name"),
        run(_schema(fields["payload"], path / "payload")),
        run(_schema(fields["result"], path / "result")),
        _TIERS[tier],
    )


def _schema(value: Value, path: Path) -> Step:
    if isinstance(value, str):
        if value not in _ATOMS:
            _refuse(path, f"expected one of {', '.join(_ATOMS)}")
        return _ATOMS[value]
    fields = _record(value, path)
    match tuple(fields):
        case ("lit",):
            return LiteralSchema(fields["lit"])
        case ("list",):
            return ListSchema((yield _schema(fields["list"], path / "list")))
        case ("record",):
            return (yield _record_schema(fields["record"], path / "record"))
    _refuse(path, 'expected a schema: an atom, "lit", "list" or "record"')


def _record_schema(value: Value, path: Path) -> Step:
    declared: list[FieldSchema] = []
    for position, item in enumerate(_list(value, path)):
        place = path / position
        parts = _list(item, place)
        if len(parts) != 3:
            _refuse(place, "expected [key, required, schema]")
        key, required, schema = parts
        if not isinstance(required, bool):
            _refuse(place / 1, "expected true or false")
        declared.append(FieldSchema(_text(key, place / 0), required, (yield _schema(schema, place / 2))))
        if position and declared[-2].key >= declared[-1].key:
            _refuse(place, "keys stand in ascending order")
    return RecordSchema(tuple(declared))


# ------------------------------------------------------------------------------------------------
# Annotations


class _Notes:
    """Names and spans by number of the node, as the document gives them."""

    def __init__(self, fields: _Fields, path: Path) -> None:
        self.path = path
        _keys(fields, path, (), ("names", "source", "spans", "task"))
        self.task = self._optional_text(fields, "task")
        self.source = self._optional_text(fields, "source")
        self.names = _list(fields["names"], path / "names") if "names" in fields else None
        self.spans = _list(fields["spans"], path / "spans") if "spans" in fields else None
        self.used = 0
        self.nodes = 0

    def _optional_text(self, fields: _Fields, key: str) -> str | None:
        return _text(fields[key], self.path / key) if key in fields else None

    def span(self, number: int) -> Span | None:
        """Return the span of a node."""
        if self.spans is None or number >= len(self.spans):
            return None
        value, path = self.spans[number], self.path / "spans" / number
        if value is None:
            return None
        parts = _list(value, path)
        if len(parts) != 4:
            _refuse(path, "expected [line, column, end line, end column]")
        return Span(*(_integer(part, path / position, 1) for position, part in enumerate(parts)))

    def name(self, number: int) -> str | None:
        """Return the name of a node that may have one."""
        if self.names is None or number >= len(self.names) or self.names[number] is None:
            return None
        self.used += 1
        return _text(self.names[number], self.path / "names" / number)

    def finish(self) -> None:
        """Refuse tables that do not fit the term."""
        for key, table in (("names", self.names), ("spans", self.spans)):
            if table is not None and len(table) != self.nodes:
                _refuse(
                    self.path / key,
                    f"expected one item for each of the {self.nodes} nodes, not {len(table)}",
                )
        if self.names is not None and sum(name is not None for name in self.names) != self.used:
            _refuse(self.path / "names", "a node that binds and mentions nothing has no name")


# ------------------------------------------------------------------------------------------------
# Terms


class _Reader:
    """Reads terms; each method is a step of the trampoline and returns one node."""

    def __init__(self, notes: _Notes, limits: Limits) -> None:
        self.notes = notes
        self.limits = limits

    def _begin(self) -> int:
        """Return the number of a node that begins here."""
        number = self.notes.nodes
        if number >= self.limits.program_nodes:
            raise LimitExceeded("program_nodes", self.limits.program_nodes)
        self.notes.nodes += 1
        return number

    def computation(self, value: Value, path: Path) -> Step:
        fields = _record(value, path)
        if tuple(fields) == ("seq",):
            return (yield self._sequence(fields["seq"], path / "seq", in_body=False))
        number = self._begin()
        span = self.notes.span(number)
        match tuple(fields):
            case ("return",):
                return Return((yield self.expression(fields["return"], path / "return")), span=span)
            case ("payload", "perform"):
                operation = _text(fields["perform"], path / "perform")
                return Perform(
                    operation, (yield self.expression(fields["payload"], path / "payload")), span=span
                )
            case ("else", "if", "then"):
                otherwise = yield self.computation(fields["else"], path / "else")
                condition = yield self.expression(fields["if"], path / "if")
                then = yield self.computation(fields["then"], path / "then")
                return If(condition, then, otherwise, span=span)
            case ("clauses", "handle", "return"):
                return (yield self._handle(fields, path, number))
        _refuse(path, 'expected a computation: "return", "seq", "perform", "if" or "handle"')

    def _handle(self, fields: _Fields, path: Path, number: int) -> Step:
        clauses: list[Clause] = []
        seen: set[str] = set()
        for position, item in enumerate(_list(fields["clauses"], path / "clauses")):
            place = path / "clauses" / position
            clause: Clause = yield self._clause(item, place)
            if clause.operation in seen:
                _refuse(place / "operation", f"{clause.operation} has another clause in this handler")
            seen.add(clause.operation)
            clauses.append(clause)
        handled = yield self.computation(fields["handle"], path / "handle")
        returning = yield self.computation(fields["return"], path / "return")
        span, name = self.notes.span(number), self.notes.name(number)
        return Handle(handled, returning, tuple(clauses), span=span, name=name)

    def _clause(self, value: Value, path: Path) -> Step:
        fields = _record(value, path)
        _keys(fields, path, ("body", "operation"))
        number = self._begin()
        operation = _text(fields["operation"], path / "operation")
        body = yield self.body(fields["body"], path / "body")
        return Clause(operation, body, span=self.notes.span(number), name=self.notes.name(number))

    def body(self, value: Value, path: Path) -> Step:
        fields = _record(value, path)
        if tuple(fields) == ("seq",):
            return (yield self._sequence(fields["seq"], path / "seq", in_body=True))
        number = self._begin()
        span = self.notes.span(number)
        match tuple(fields):
            case ("answer",):
                return Answer((yield self.expression(fields["answer"], path / "answer")), span=span)
            case ("abort",):
                return Abort((yield self.expression(fields["abort"], path / "abort")), span=span)
            case ("else", "if", "then"):
                otherwise = yield self.body(fields["else"], path / "else")
                condition = yield self.expression(fields["if"], path / "if")
                then = yield self.body(fields["then"], path / "then")
                return BodyIf(condition, then, otherwise, span=span)
            case ("resume", "then"):
                resumed = yield self.expression(fields["resume"], path / "resume")
                rest = yield self.computation(fields["then"], path / "then")
                return Resume(resumed, rest, span=span, name=self.notes.name(number))
        _refuse(path, 'expected a clause body: "seq", "if", "answer", "abort" or "resume"')

    def _sequence(self, value: Value, path: Path, *, in_body: bool) -> Step:
        items = _list(value, path)
        if len(items) < 2:
            _refuse(path, "a sequence has at least two items")
        bound: list[tuple[int, Computation]] = []
        for position in range(len(items) - 1):
            number = self._begin()
            bound.append((number, (yield self.computation(items[position], path / position))))
        place = path / (len(items) - 1)
        if tuple(_record(items[-1], place)) == ("seq",):
            _refuse(
                place, "the last item of a sequence is not a sequence: its items belong to the outer one"
            )
        if in_body:
            body: Body = yield self.body(items[-1], place)
            for number, computation in reversed(bound):
                span, name = self.notes.span(number), self.notes.name(number)
                body = BodyLet(computation, body, span=span, name=name)
            return body
        rest: Computation = yield self.computation(items[-1], place)
        for number, computation in reversed(bound):
            span, name = self.notes.span(number), self.notes.name(number)
            rest = Let(computation, rest, span=span, name=name)
        return rest

    def expression(self, value: Value, path: Path) -> Step:
        fields = _record(value, path)
        number = self._begin()
        span = self.notes.span(number)
        match tuple(fields):
            case ("lit",):
                return Literal(fields["lit"], span=span)
            case ("var",):
                index = _integer(fields["var"], path / "var", 0)
                return Variable(index, span=span, name=self.notes.name(number))
            case ("check", "of"):
                schema = yield _schema(fields["check"], path / "check")
                return Check(schema, (yield self.expression(fields["of"], path / "of")), span=span)
            case ("list",):
                return ListExpression((yield self._items(fields["list"], path / "list")), span=span)
            case ("record",):
                return RecordExpression((yield self._fields(fields["record"], path / "record")), span=span)
            case ("get", "key"):
                subject = yield self.expression(fields["get"], path / "get")
                return Project(subject, _text(fields["key"], path / "key"), span=span)
            case ("not",):
                return Not((yield self.expression(fields["not"], path / "not")), span=span)
            case ("left", "op", "right"):
                left = yield self.expression(fields["left"], path / "left")
                operator = fields["op"]
                if not isinstance(operator, str) or operator not in _OPERATORS:
                    _refuse(path / "op", f"expected one of {' '.join(_OPERATORS)}")
                right = yield self.expression(fields["right"], path / "right")
                return Binary(_OPERATORS[operator], left, right, span=span)
        _refuse(
            path,
            'expected an expression: "lit", "var", "list", "record", "get", "not", "op" or "check"',
        )

    def _items(self, value: Value, path: Path) -> Step:
        items = []
        for position, item in enumerate(_list(value, path)):
            items.append((yield self.expression(item, path / position)))
        return tuple(items)

    def _fields(self, value: Value, path: Path) -> Step:
        fields = []
        for position, item in enumerate(_list(value, path)):
            place = path / position
            parts = _list(item, place)
            if len(parts) != 2:
                _refuse(place, "expected [key, expression]")
            key = _text(parts[0], place / 0)
            fields.append((key, (yield self.expression(parts[1], place / 1))))
        return tuple(fields)
