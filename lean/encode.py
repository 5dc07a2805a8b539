"""Programs, values, traces and answers as Lean terms of the package's types.

Every constructor is written as `.name`: Lean knows the types. Text is its length and one number, whose
digits in base 2²¹ are its scalars; an operation is the place of its declaration (see
`proofs/DIVERGENCES.md`). `decode.py` reads the text back, and shares nothing with this module but that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, Union

from eclogue.core.errors import FailureKind, FailureReason, LimitExceeded
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import Completed, Failed, Outcome, Suspended
from eclogue.core.schema import Atom, FieldSchema, ListSchema, LiteralSchema, RecordSchema, Schema
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
    Expression,
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
    Variable,
)
from eclogue.core.trace import (
    CompletedWith,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)
from eclogue.core.values import RecordValue, Value

SCALAR_BITS = 21
"""Every Unicode scalar is below 2²¹."""

_Piece: TypeAlias = Union[str, "tuple[Callable[[Any], Iterable[_Piece]], Any]"]
"""Ready text, or a function and what it is to be applied to."""


# ------------------------------------------------------------------------------------------------
# Terms


def value_term(value: Value, limits: Limits = DEFAULT) -> str:
    """Return a value as a Lean term of type `Value`; raises `LimitExceeded("value_size")`."""
    return _written((_value, value), limits)


def schema_term(schema: Schema, limits: Limits = DEFAULT) -> str:
    """Return a schema as a Lean term of type `Schema`; raises as `value_term`."""
    return _written((_schema, schema), limits)


def reason_term(reason: FailureReason) -> str:
    """Return the reason of a failure as a Lean term of type `FailureKind`."""
    return "".join(_reason(reason))


def answers_term(answers: Sequence[Value], limits: Limits = DEFAULT) -> str:
    """Return the host's answers as a Lean term of type `List Value`; raises as `value_term`."""
    return "".join(_chain([value_term(answer, limits) for answer in answers]))


class Encoder:
    """Writes the terms of one program, in which an operation is the place of its declaration.

    An operation that is not declared gets the next free number when it is first met; `names` has the name
    of each number so far.
    """

    def __init__(self, names: Iterable[str] = (), limits: Limits = DEFAULT) -> None:
        self.limits = limits
        self._numbers = {name: number for number, name in enumerate(names)}

    @classmethod
    def of(cls, program: Program, limits: Limits = DEFAULT) -> Encoder:
        """Return the encoder for a program: its declarations have their places as numbers."""
        return cls((operation.name for operation in program.operations), limits)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the operations, by number."""
        return tuple(self._numbers)

    def program(self, program: Program) -> str:
        """Return the program that this encoder is for as a Lean term of type `Program`."""
        parts = (_operations, program.operations), ", ", (self._computation, program.body)
        return _written((lambda pieces: ("⟨", *pieces, "⟩"), parts), self.limits)

    def signatures(self, program: Program) -> str:
        """Return the schemas declared of each operation, as a Lean function of its number."""
        pieces: list[_Piece] = ["(fun op => "]
        for number, operation in enumerate(program.operations):
            pieces += [f"cond (Nat.beq op {number}) ", *_signature(operation), " ("]
        pieces.append(f"⟨.any, .any⟩{')' * len(program.operations)})")
        return _written((list, pieces), self.limits)

    def computation(self, computation: Computation) -> str:
        """Return a computation as a Lean term of type `Computation`; raises as `value_term`."""
        return _written((self._computation, computation), self.limits)

    def records(self, records: Iterable[Record]) -> str:
        """Return a trace, given the oldest record first, as a `List Record`, newest first."""
        terms = [self.record(record) for record in records]
        return "".join(_chain(terms[::-1]))

    def record(self, record: Record) -> str:
        """Return a record as a Lean term of type `Record`; raises as `value_term`."""
        return _written((self._record, record), self.limits)

    def performed(self, records: Iterable[Record]) -> str:
        """Return the operations that a trace declares, newest first, as a `List (Prod Nat Value)`."""
        pairs = [
            f"({self.number(record.operation)}, {value_term(record.payload, self.limits)})"
            for record in records
            if isinstance(record, EffectDeclaration)
        ]
        return "".join(_chain(pairs[::-1]))

    def status(self, outcome: Outcome) -> str:
        """Return an outcome as a Lean term of type `Status`; raises as `value_term`."""
        match outcome:
            case Completed(value):
                return f"(.completed {value_term(value, self.limits)})"
            case Suspended(operation, payload):
                return f"(.suspended {self.number(operation)} {value_term(payload, self.limits)})"
            case Failed(reason):
                return f"(.failed {''.join(_reason(reason))})"

    def written(self, piece: _Piece) -> str:
        """Return the term that a function of this class writes of a subject; raises as `value_term`."""
        return _written(piece, self.limits)

    def number(self, name: str) -> int:
        """Return the number of an operation."""
        return self._numbers.setdefault(name, len(self._numbers))

    def _computation(self, computation: Computation) -> Iterable[_Piece]:
        match computation:
            case Return(expression):
                yield from ("(.return ", (_expression, expression), ")")
            case Let(bound, body):
                yield from ("(.let ", (self._computation, bound), " ", (self._computation, body), ")")
            case Perform(operation, payload):
                yield from (f"(.perform {self.number(operation)} ", (_expression, payload), ")")
            case Handle(body, return_clause, clauses):
                yield from (
                    "(.handle ",
                    (self._computation, body),
                    " ",
                    (self._computation, return_clause),
                    " ",
                )
                yield (self._clauses, clauses)
                yield ")"
            case If(condition, then, otherwise):
                yield from ("(.if ", (_expression, condition), " ")
                yield from ((self._computation, then), " ", (self._computation, otherwise), ")")

    def _clauses(self, clauses: tuple[Clause, ...]) -> Iterable[_Piece]:
        for clause in clauses:
            yield (self._clause, clause)
        yield f".nil{')' * len(clauses)}"

    def _clause(self, clause: Clause) -> Iterable[_Piece]:
        yield from (f"(.cons {self.number(clause.operation)} ", (self._body, clause.body), " ")

    def _body(self, body: Body) -> Iterable[_Piece]:
        match body:
            case BodyLet(bound, rest):
                yield from ("(.let ", (self._computation, bound), " ", (self._body, rest), ")")
            case BodyIf(condition, then, otherwise):
                yield from ("(.if ", (_expression, condition), " ")
                yield from ((self._body, then), " ", (self._body, otherwise), ")")
            case Answer(expression):
                yield from ("(.answer ", (_expression, expression), ")")
            case Abort(expression):
                yield from ("(.abort ", (_expression, expression), ")")
            case Resume(expression, rest):
                yield from ("(.resume ", (_expression, expression), " ", (self._computation, rest), ")")

    def _record(self, record: Record) -> Iterable[_Piece]:
        match record:
            case EffectDeclaration(operation, payload):
                head = f"(.effectDeclaration {self.number(operation)} "
                yield from (head, (_value, payload), ")")
            case HandlerSelection(declaration, captured):
                yield f"(.handlerSelection {declaration} {captured})"
            case ResumptionHandle(selection):
                yield f"(.resumptionHandle {selection})"
            case ContinuationResume(selection, value):
                yield from (f"(.continuationResume {selection} ", (_value, value), ")")
            case ResumeReturn(selection, value):
                yield from (f"(.resumeReturn {selection} ", (_value, value), ")")
            case EffectCapture(how, selection, value):
                yield from (f"(.effectCapture .{how.value} {selection} ", (_value, value), ")")
            case SelectionClosed(why, selection, cause):
                yield f"(.selectionClosed .{why.value} {selection} {cause})"
            case HostObservation(declaration, value):
                yield from (f"(.hostObservation {declaration} ", (_value, value), ")")
            case Failure(reason):
                yield from ("(.failure ", *_reason(reason), ")")
            case RunEnd(CompletedWith(value)):
                yield from ("(.runEnd (.completed ", (_value, value), "))")
            case RunEnd(FailureReason() as reason):
                yield from ("(.runEnd (.failed ", *_reason(reason), "))")


def text_code(text: str) -> int:
    """Return the number whose digits in base 2²¹ are the scalars of a text, the first one highest."""
    digits = "".join(f"{ord(scalar):0{SCALAR_BITS}b}" for scalar in text)
    return int(digits, 2) if digits else 0


def _written(piece: _Piece, limits: Limits) -> str:
    """Write a term without recursion; shared parts are written out, so there is a limit."""
    parts: list[str] = []
    size = 0
    pending = [piece]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            parts.append(item)
            size += len(item)
            if size > limits.value_size:
                raise LimitExceeded("value_size", limits.value_size)
        else:
            write, subject = item
            pending.extend(reversed(list(write(subject))))
    return "".join(parts)


# ------------------------------------------------------------------------------------------------
# Parts


def _number(number: int) -> str:
    """Return a natural number; a large one in hexadecimal, which takes linear time to write and to read."""
    return str(number) if number < 1 << 64 else hex(number)


def text_term(text: str) -> str:
    """Return a text as a Lean term of type `Text`: its length and its code."""
    return f"⟨{len(text)}, {_number(text_code(text))}⟩"


def _chain(items: Sequence[_Piece], closing: str = ".nil") -> Iterable[Any]:
    """Yield the list of items as a chain of `cons`."""
    for item in items:
        yield "(.cons "
        yield item
        yield " "
    yield closing
    yield ")" * len(items)


def _value(value: Value) -> Iterable[_Piece]:
    match value:
        case None:
            yield ".null"
        case bool():
            yield "(.bool true)" if value else "(.bool false)"
        case int():
            shape = f".ofNat {_number(value)}" if value >= 0 else f".negSucc {_number(-value - 1)}"
            yield f"(.int ({shape}))"
        case str():
            yield f"(.text {text_term(value)})"
        case tuple():
            yield "(.list "
            yield from _chain([(_value, item) for item in value])
            yield ")"
        case RecordValue(fields):
            yield "(.record "
            for key, item in fields.items():
                yield f"(.cons {text_term(key)} "
                yield (_value, item)
                yield " "
            yield f".nil{')' * len(fields)})"


def _operations(operations: Sequence[Operation]) -> Iterable[_Piece]:
    for operation in operations:
        yield from (f"(.cons ⟨{text_term(operation.name)}, ", *_signature(operation))
        yield f", .{operation.tier.value}⟩ "
    yield f".nil{')' * len(operations)}"


def _signature(operation: Operation) -> Iterable[_Piece]:
    yield from ("⟨", (_schema, operation.payload), ", ", (_schema, operation.result), "⟩")


def _schema(schema: Schema) -> Iterable[_Piece]:
    match schema:
        case Atom():
            yield f".{schema.value}"
        case LiteralSchema(value):
            yield "(.literal "
            yield (_value, value)
            yield ")"
        case ListSchema(item):
            yield "(.list "
            yield (_schema, item)
            yield ")"
        case RecordSchema(fields):
            yield "(.record "
            for field in fields:
                yield (_field_schema, field)
            yield f".nil{')' * len(fields)})"


def _field_schema(field: FieldSchema) -> Iterable[_Piece]:
    yield f"(.cons {text_term(field.key)} {'true' if field.required else 'false'} "
    yield (_schema, field.schema)
    yield " "


_OPERATORS = {
    BinaryOperator.EQ: "eq",
    BinaryOperator.NE: "ne",
    BinaryOperator.LT: "lt",
    BinaryOperator.LE: "le",
    BinaryOperator.ADD: "add",
    BinaryOperator.SUB: "sub",
    BinaryOperator.MUL: "mul",
    BinaryOperator.CONCAT: "concat",
    BinaryOperator.AND: "and",
    BinaryOperator.OR: "or",
}


def _expression(expression: Expression) -> Iterable[_Piece]:
    match expression:
        case Literal(value):
            yield from ("(.literal ", (_value, value), ")")
        case Variable(index):
            yield f"(.variable {index})"
        case ListExpression(items):
            yield from ("(.list ", *_chain([(_expression, item) for item in items]), ")")
        case RecordExpression(fields):
            yield "(.record "
            for key, item in fields:
                yield from (f"(.cons {text_term(key)} ", (_expression, item), " ")
            yield f".nil{')' * len(fields)})"
        case Project(subject, key):
            yield from ("(.project ", (_expression, subject), f" {text_term(key)})")
        case Not(subject):
            yield from ("(.not ", (_expression, subject), ")")
        case Binary(operator, left, right):
            head = f"(.binary .{_OPERATORS[operator]} "
            yield from (head, (_expression, left), " ", (_expression, right), ")")
        case Check(schema, subject):
            yield from ("(.check ", (_schema, schema), " ", (_expression, subject), ")")


def _reason(reason: FailureReason) -> Iterable[str]:
    if reason.kind is FailureKind.KEY:
        yield f"(.key {text_term(reason.key or '')})"
    else:
        yield f".{reason.kind.value}"
