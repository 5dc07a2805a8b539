"""Core programs as text: what is printed reads back to the same program."""

from __future__ import annotations

from random import Random

import pytest
from strategies import for_seeds
from support.random_programs import directed_program, undirected_program

from eclogue.core.encoding import program_ref
from eclogue.core.errors import LimitExceeded
from eclogue.core.schema import Atom, FieldSchema, ListSchema, LiteralSchema, record_schema
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
    Tier,
    Variable,
)
from eclogue.core.values import Value, record
from eclogue.lowering.core_printer import print_core, print_value
from eclogue.lowering.core_reader import parse_core
from eclogue.lowering.diagnostics import SourceErrors, SourceText


def parsed(text: str) -> Program:
    return parse_core(SourceText("test.core", text))


def printed(body: Computation) -> str:
    return print_core(Program((), body))


def same(left: Program, right: Program) -> bool:
    return program_ref(left) == program_ref(right)


def test_what_is_printed_is_read() -> None:
    def check(seed: int) -> None:
        for make in (directed_program, undirected_program):
            program = make(Random(seed))
            text = print_core(program)
            again = parsed(text)
            assert same(again, program), text
            assert print_core(again) == text

    for_seeds(500, check)


# ------------------------------------------------------------------------------------------------
# By hand


def check(schema: object, subject: Expression) -> Check:
    return Check(schema, subject)  # type: ignore[arg-type]


SCHEMA = record_schema(
    [
        FieldSchema("a", True, ListSchema(Atom.INT)),
        FieldSchema("b c", False, LiteralSchema((1, None))),
        FieldSchema("d", True, Atom.NULL),
    ]
)

WHOLE = Program(
    (
        Operation("fs.write", SCHEMA, Atom.ANY, Tier.REVERSIBLE),
        Operation("odd name", Atom.TEXT, Atom.BOOL, Tier.IRREVERSIBLE),
    ),
    Let(
        Handle(
            Let(
                Perform("fs.write", Literal("x\n")),
                If(Variable(0, name="p"), Return(Variable(0)), Perform("odd name", Literal(None))),
                name="p",
            ),
            Return(Variable(0)),
            (
                Clause(
                    "fs.write",
                    BodyLet(
                        Return(Not(Variable(0))),
                        BodyIf(
                            Binary(BinaryOperator.AND, Variable(0), Not(Variable(1))),
                            Resume(Literal(-1), Return(Variable(0)), name="r"),
                            Answer(Project(Variable(1), "k")),
                        ),
                        name="x",
                    ),
                    name="x",
                ),
                Clause("odd name", Abort(Literal((1, record({"a": True})))), name=None),
            ),
            name="x",
        ),
        Let(
            Let(Return(Literal(1)), Return(Variable(0)), name="y"),
            Return(
                check(
                    SCHEMA,
                    RecordExpression(
                        (
                            ("a", ListExpression((Variable(0), Literal(record({}))))),
                            ("b c", Binary(BinaryOperator.SUB, Literal(1), Literal(-2))),
                        )
                    ),
                )
            ),
            name="lit",
        ),
        name="_",
    ),
)

WHOLE_TEXT = """\
operation fs.write: {a: [int], "b c"?: lit [1, null], d: null} -> any reversible
operation "odd name": text -> bool irreversible

let _ = handle {
  let p = perform fs.write("x\\n");
  if p then { return p } else { perform "odd name"(null) }
} with {
  return(x) { return x }
  fs.write(x) {
    let x_2 = return not x;
    if x_2 and (not x) then {
      let r = resume -1;
      return r
    } else { answer x.k }
  }
  "odd name"(_) { abort lit [1, {a: true}] }
};
let lit_2 = {
  let y = return 1;
  return y
};
return check({a: [int], "b c"?: lit [1, null], d: null}, {a: [lit_2, lit {}], "b c": 1 - -2})
"""


def test_a_whole_program() -> None:
    assert print_core(WHOLE) == WHOLE_TEXT
    assert same(parsed(WHOLE_TEXT), WHOLE)
    assert same(parsed(" ".join(WHOLE_TEXT.split()) + " # a comment"), WHOLE)


@pytest.mark.parametrize("operator", BinaryOperator)
def test_operators_do_not_bind(operator: BinaryOperator) -> None:
    left = Binary(operator, Binary(operator, Variable(0), Variable(0)), Variable(0))
    right = Binary(operator, Variable(0), Binary(operator, Variable(0), Variable(0)))
    sign = operator.value
    assert printed(Return(left)) == f"return (@0 {sign} @0) {sign} @0\n"
    assert printed(Return(right)) == f"return @0 {sign} (@0 {sign} @0)\n"
    assert same(parsed(printed(Return(left))), Program((), Return(left)))


def lets(*names: str | None) -> str:
    """Print `let`s of these names around the list of all their variables."""
    items = tuple(Variable(index) for index in reversed(range(len(names) + 1)))
    body: Computation = Return(ListExpression(items))
    for name in reversed(names):
        body = Let(Return(Literal(None)), body, name=name)
    return printed(body).splitlines()[-1].removeprefix("return ")


def test_names_of_variables() -> None:
    assert lets("a", "b") == "[@2, a, b]"
    assert lets("a", "a", "a") == "[@3, a, a_2, a_3]"
    assert lets("a", "a_2", "a") == "[@3, a, a_2, a_3]"
    assert lets("_", None, "a b", "é", "e\u0301", "") == "[@6, @5, @4, @3, é, @1, @0]"
    assert lets("return", "check", "any", "type") == "[@4, return_2, check_2, any, type_2]"


def test_a_name_is_free_again_outside_its_scope() -> None:
    inner = Let(Return(Literal(1)), Return(Variable(0)), name="x")
    text = printed(Let(inner, Let(inner, Return(Variable(0)), name="x"), name="x"))
    assert text.count("let x = {\n  let x = return 1;\n") == 1
    assert same(parsed(text), Program((), Let(inner, Let(inner, Return(Variable(0))))))


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("return x", "EC0301", 8),
        ("let x = return x; return 1", "EC0301", 16),
        ("let _ = return 1; return _", "EC0301", 26),
        ("return check(integer, 1)", "EC0301", 14),
        ("return check({a: int, a: int}, 1)", "EC0302", 14),
        ("return 1 + 2 + 3", "EC0201", 14),
        ("return", "EC0201", 7),
        ("return 1 return 2", "EC0201", 10),
        ('perform "a', "EC0102", 9),
        ("let x = resume 1; return x", "EC0201", 9),
    ],
)
def test_wrong_texts_are_refused(text: str, code: str, column: int) -> None:
    with pytest.raises(SourceErrors) as raised:
        parsed(text)
    first = raised.value.diagnostics[0]
    assert (first.code, first.span and first.span.column) == (code, column)


# ------------------------------------------------------------------------------------------------
# Size


DEEP = 20_000


def test_deep_programs() -> None:
    lets: Computation = Return(Variable(0))
    bound: Computation = Return(Variable(0))
    handles: Computation = Return(Variable(0))
    expression: Expression = Variable(0)
    for _ in range(DEEP):
        lets = Let(Return(Variable(0)), lets, name="x")
        bound = Let(bound, Return(Variable(0)), name="x")
        handles = Handle(handles, Return(Variable(0)), (), name="x")
        expression = Binary(BinaryOperator.ADD, expression, Not(expression) if _ == 0 else Variable(0))
    for body in (lets, bound, handles, Return(expression)):
        assert same(parsed(printed(body)), Program((), body))


def test_deep_values() -> None:
    value: Value = 1
    for _ in range(DEEP):
        value = record({"a": (value,)})
    assert print_value(value) == "{a: [" * DEEP + "1" + "]}" * DEEP
    assert same(parsed(printed(Return(Literal(value)))), Program((), Return(Literal(value))))


def shared(levels: int) -> Value:
    value: Value = "x"
    for _ in range(levels):
        value = (value, value)
    return value


def test_sharing_is_bounded() -> None:
    with pytest.raises(LimitExceeded):
        print_core(Program((), Return(Literal(shared(60)))), limit=10_000)
    expression: Expression = Variable(0)
    for _ in range(60):
        expression = ListExpression((expression, expression))
    with pytest.raises(LimitExceeded):
        print_core(Program((), Return(expression)), limit=10_000)


@pytest.mark.parametrize(
    ("value", "length", "text"),
    [
        (None, None, "null"),
        ((True, False, -1), None, "[true, false, -1]"),
        (record({"b": "x\n", "a b": ()}), None, '{"a b": [], b: "x\\n"}'),
        ((1, 2), 6, "[1, 2]"),
        ((1, 2), 5, "[1, 2…"),
        ("abc" * 1000, 5, '"abca…'),
        (shared(60), 8, "[[[[[[[[…"),
    ],
)
def test_values(value: Value, length: int | None, text: str) -> None:
    assert print_value(value, length) == text
