"""Read back the Lean text of values, programs and traces: a decoder written from the Lean types alone.

It knows each inductive type as a table of constructors and their arguments, and accepts the notation that
terms are written in and no other: `.constructor`, applications in parentheses, `⟨…⟩` for text, numbers,
`true` and `false`. It is the judge of the encoder, so it shares nothing with it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import attrs

from eclogue.core.errors import (
    SCHEMA,
    TYPE,
    UNBOUND,
    MalformedInput,
    missing_key,
)
from eclogue.core.outcomes import Completed, Failed, Outcome, Suspended
from eclogue.core.schema import Atom, FieldSchema, ListSchema, LiteralSchema, Schema, record_schema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    BinaryOperator,
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
    Tier,
    Variable,
)
from eclogue.core.trace import (
    Closing,
    CompletedWith,
    Completion,
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
from eclogue.core.values import RecordValue, Value, record

_BASE = 2**21


def decode_value(text: str) -> Value:
    """Return the value that a Lean term of type `Value` is. Raises `MalformedInput`."""
    value: Value = _decode(text, "Value", ())
    return value


def decode_schema(text: str) -> Schema:
    """Return the schema that a Lean term of type `Schema` is. Raises `MalformedInput`."""
    schema: Schema = _decode(text, "Schema", ())
    return schema


def decode_answers(text: str) -> tuple[Value, ...]:
    """Return the values that a Lean term of type `List Value` is. Raises `MalformedInput`."""
    return tuple(_items(_decode(text, "List Value", ())))


def decode_program(text: str) -> Program:
    """Return the program that a Lean term of type `Program` is. Raises `MalformedInput`."""
    declared = _decode(text, "Program", None)
    names = tuple(operation.name for operation in declared.operations)
    program: Program = _decode(text, "Program", names)
    return program


def decode_computation(text: str, names: Sequence[str]) -> Computation:
    """Return the computation that a Lean term of type `Computation` is; `names` are the operations'.

    Raises `MalformedInput`, also for an operation that has no name.
    """
    computation: Computation = _decode(text, "Computation", names)
    return computation


def decode_records(text: str, names: Sequence[str]) -> tuple[Record, ...]:
    """Return the records, oldest first, of a Lean term of type `List Record`; as `decode_computation`."""
    return tuple(_items(_decode(text, "List Record", names)))[::-1]


def decode_status(text: str, names: Sequence[str]) -> Outcome:
    """Return the outcome that a Lean term of type `Status` is; as `decode_computation`."""
    outcome: Outcome = _decode(text, "Status", names)
    return outcome


# ------------------------------------------------------------------------------------------------
# Types

_Chain: TypeAlias = "tuple[Any, ...] | None"
"""A Lean list: its head's parts and, last, the rest; or None."""


@attrs.frozen
class _Constructor:
    """A constructor: the types of its arguments, and what it makes of them."""

    arguments: tuple[str, ...]
    make: Callable[..., Any]


def _of(arguments: str, make: Callable[..., Any]) -> _Constructor:
    return _Constructor(tuple(arguments.split(", ")) if arguments else (), make)


def _nothing() -> None:
    return None


def _list_of(arguments: str) -> Mapping[str, _Constructor]:
    return {"nil": _of("", _nothing), "cons": _of(arguments, lambda *parts: parts)}


def _links(chain: _Chain) -> Iterator[tuple[Any, ...]]:
    while chain is not None:
        *parts, chain = chain
        yield tuple(parts)


def _items(chain: _Chain) -> Iterator[Any]:
    return (part for (part,) in _links(chain))


def _ascending(keys: list[str], what: str) -> None:
    if any(left >= right for left, right in itertools.pairwise(keys)):
        raise MalformedInput(f"the keys of a {what} do not ascend")


def _record_value(chain: _Chain) -> RecordValue:
    fields = list(_links(chain))
    _ascending([key for key, _ in fields], "record")
    return record(fields)


def _schema_of_record(chain: _Chain) -> Schema:
    fields = [FieldSchema(*parts) for parts in _links(chain)]
    _ascending([field.key for field in fields], "record schema")
    return record_schema(fields)


def _handle(body: Any, return_clause: Any, clauses: _Chain) -> Handle:
    return Handle(body, return_clause, tuple(Clause(name, part) for name, part in _links(clauses)))


def _program(declarations: _Chain, body: Any) -> Program:
    operations = tuple(
        Operation(name, payload, result, tier) for name, (payload, result), tier in _items(declarations)
    )
    return Program(operations, body)


def _text(length: int, code: int) -> str:
    scalars = []
    for _ in range(length):
        code, scalar = divmod(code, _BASE)
        scalars.append(_scalar(scalar))
    if code:
        raise MalformedInput("a text has more digits than scalars")
    return "".join(reversed(scalars))


def _scalar(number: int) -> str:
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise MalformedInput(f"{number} is not a Unicode scalar")
    return chr(number)


def _enumeration(members: Mapping[str, Any]) -> Mapping[str, _Constructor]:
    return {name: _Constructor((), lambda member=member: member) for name, member in members.items()}


_TYPES: Mapping[str, Mapping[str, _Constructor]] = {
    "Int": {"ofNat": _of("Nat", lambda n: n), "negSucc": _of("Nat", lambda n: -n - 1)},
    "Value": {
        "null": _of("", _nothing),
        "bool": _of("Bool", lambda truth: truth),
        "int": _of("Int", lambda number: number),
        "text": _of("Text", lambda text: text),
        "list": _of("List Value", lambda chain: tuple(_items(chain))),
        "record": _of("Fields", _record_value),
    },
    "List Value": _list_of("Value, List Value"),
    "Fields": _list_of("Text, Value, Fields"),
    "Schema": {
        **_enumeration({atom.value: atom for atom in Atom}),
        "literal": _of("Value", LiteralSchema),
        "list": _of("Schema", ListSchema),
        "record": _of("FieldSchemas", _schema_of_record),
    },
    "FieldSchemas": _list_of("Text, Bool, Schema, FieldSchemas"),
    "BinaryOperator": _enumeration(
        {
            "eq": BinaryOperator.EQ,
            "ne": BinaryOperator.NE,
            "lt": BinaryOperator.LT,
            "le": BinaryOperator.LE,
            "add": BinaryOperator.ADD,
            "sub": BinaryOperator.SUB,
            "mul": BinaryOperator.MUL,
            "concat": BinaryOperator.CONCAT,
            "and": BinaryOperator.AND,
            "or": BinaryOperator.OR,
        }
    ),
    "Expression": {
        "literal": _of("Value", Literal),
        "variable": _of("Nat", Variable),
        "list": _of("Expressions", lambda chain: ListExpression(tuple(_items(chain)))),
        "record": _of("FieldExpressions", lambda chain: RecordExpression(tuple(_links(chain)))),
        "project": _of("Expression, Text", Project),
        "not": _of("Expression", Not),
        "binary": _of("BinaryOperator, Expression, Expression", Binary),
        "check": _of("Schema, Expression", Check),
    },
    "Expressions": _list_of("Expression, Expressions"),
    "FieldExpressions": _list_of("Text, Expression, FieldExpressions"),
    "Computation": {
        "return": _of("Expression", Return),
        "let": _of("Computation, Computation", Let),
        "perform": _of("Operation, Expression", Perform),
        "handle": _of("Computation, Computation, Clauses", _handle),
        "if": _of("Expression, Computation, Computation", If),
    },
    "Clauses": _list_of("Operation, ClauseBody, Clauses"),
    "ClauseBody": {
        "let": _of("Computation, ClauseBody", BodyLet),
        "if": _of("Expression, ClauseBody, ClauseBody", BodyIf),
        "answer": _of("Expression", Answer),
        "abort": _of("Expression", Abort),
        "resume": _of("Expression, Computation", Resume),
    },
    "FailureKind": {
        **_enumeration({"unbound": UNBOUND, "type": TYPE, "schema": SCHEMA}),
        "key": _of("Text", missing_key),
    },
    "Completion": _enumeration({how.value: how for how in Completion}),
    "Closing": _enumeration({why.value: why for why in Closing}),
    "Ending": {
        "completed": _of("Value", CompletedWith),
        "failed": _of("FailureKind", lambda reason: reason),
    },
    "Record": {
        "effectDeclaration": _of("Operation, Value", EffectDeclaration),
        "handlerSelection": _of("Nat, Nat", HandlerSelection),
        "resumptionHandle": _of("Nat", ResumptionHandle),
        "continuationResume": _of("Nat, Value", ContinuationResume),
        "resumeReturn": _of("Nat, Value", ResumeReturn),
        "effectCapture": _of("Completion, Nat, Value", EffectCapture),
        "selectionClosed": _of("Closing, Nat, Nat", SelectionClosed),
        "hostObservation": _of("Nat, Value", HostObservation),
        "failure": _of("FailureKind", Failure),
        "runEnd": _of("Ending", RunEnd),
    },
    "Tier": _enumeration({tier.value: tier for tier in Tier}),
    "List OperationDeclaration": _list_of("OperationDeclaration, List OperationDeclaration"),
    "List Record": _list_of("Record, List Record"),
    "Status": {
        "completed": _of("Value", Completed),
        "suspended": _of("Operation, Value", Suspended),
        "failed": _of("FailureKind", Failed),
    },
}

# ------------------------------------------------------------------------------------------------
# Terms


_STRUCTURES: Mapping[str, _Constructor] = {
    "Text": _of("Nat, Nat", _text),
    "Signature": _of("Schema, Schema", lambda payload, result: (payload, result)),
    "OperationDeclaration": _of("Text, Signature, Tier", lambda *parts: parts),
    "Program": _of("List OperationDeclaration, Computation", _program),
}
"""Types of one constructor, written in angle brackets with commas."""

_TOKEN = re.compile(r"\s*(?:(\.[a-zA-Z]+)|(0x[0-9a-f]+|\d+)|(true|false)|([()⟨⟩,]))")


def _tokens(text: str) -> Iterator[str]:
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise MalformedInput("no Lean term of this kind", position)
        position = match.end()
        yield match[match.lastindex or 0]
    yield "end"


@attrs.define
class _Application:
    """A constructor whose arguments are being read, with what separates and what ends them."""

    constructor: _Constructor
    separator: str | None
    closing: str | None
    read: list[Any] = attrs.field(factory=list)


def _decode(text: str, kind: str, names: Sequence[str] | None) -> Any:
    """Return what a term of a type is; every term has one reading, found without recursion.

    Without names, an operation is read as a number and stays nameless.
    """
    tokens = _tokens(text)
    open_: list[_Application] = []
    wanted = kind
    while True:
        made: Any = attrs.NOTHING
        if wanted in ("Nat", "Operation", "Bool"):
            made = _atom(tokens, wanted, names)
        else:
            open_.append(_application(tokens, wanted))
        while open_:
            top = open_[-1]
            if made is not attrs.NOTHING:
                top.read.append(made)
                made = attrs.NOTHING
            if len(top.read) < len(top.constructor.arguments):
                if top.separator and top.read:
                    _expect(tokens, top.separator)
                wanted = top.constructor.arguments[len(top.read)]
                break
            open_.pop()
            if top.closing:
                _expect(tokens, top.closing)
            made = top.constructor.make(*top.read)
        else:
            _expect(tokens, "end")
            return made


def _application(tokens: Iterator[str], kind: str) -> _Application:
    """Read the beginning of a term, up to its first argument."""
    if kind in _STRUCTURES:
        _expect(tokens, "⟨")
        return _Application(_STRUCTURES[kind], ",", "⟩")
    token = next(tokens)
    name = next(tokens) if token == "(" else token
    constructor = _TYPES[kind].get(name.removeprefix("."))
    if constructor is None or not name.startswith("."):
        raise MalformedInput(f"{name} is no constructor of {kind}")
    if constructor.arguments and token != "(":
        raise MalformedInput(f"{name} has arguments and no parentheses")
    return _Application(constructor, None, ")" if token == "(" else None)


def _atom(tokens: Iterator[str], kind: str, names: Sequence[str] | None) -> object:
    token = next(tokens)
    if kind == "Bool":
        if token not in ("true", "false"):
            raise MalformedInput(f"{token} is not a truth value")
        return token == "true"
    if not token[0].isdigit():
        raise MalformedInput(f"{token} is not a number")
    number = int(token, 0)
    if kind == "Nat":
        return number
    if names is None:
        return ""
    if number >= len(names):
        raise MalformedInput(f"operation {number} has no name")
    return names[number]


def _expect(tokens: Iterator[str], wanted: str) -> None:
    token = next(tokens, "nothing")
    if token != wanted:
        raise MalformedInput(f"{token} where {wanted} should stand")
