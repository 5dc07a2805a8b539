"""Programs as JSON: the format by example, one document for each program, refs, places of errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_programs import Flavour, directed_program, undirected_program

from eclogue.core.canonical import digest, read, write
from eclogue.core.encoding import (
    load_program,
    program_from_value,
    program_ref,
    program_text,
    program_to_value,
    schema_text,
)
from eclogue.core.errors import LimitExceeded, MalformedInput
from eclogue.core.limits import Limits
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
    Span,
    Tier,
    Variable,
)
from eclogue.core.values import from_python
from eclogue.core.wellformed import schema_checked

RESULT = record_schema([FieldSchema("code", True, Atom.INT), FieldSchema("out", False, Atom.TEXT)])
ASK = Operation("host.ask", ListSchema(Atom.TEXT), RESULT, Tier.IRREVERSIBLE)
SET = Operation("store.set", Atom.ANY, LiteralSchema(from_python({"ok": True})), Tier.COMPENSABLE)


def returned(value: object) -> Return:
    return Return(Literal(from_python(value)))


EVERYTHING = Program(
    (ASK, SET),
    Let(
        Let(
            Perform("host.ask", Check(ASK.payload, ListExpression((Literal("a"),)), span=Span(2, 5, 2, 9))),
            Return(Check(RESULT, Variable(0))),
        ),
        Let(
            If(
                Not(Binary(BinaryOperator.LE, Project(Variable(0, name="x"), "code"), Literal(2**60))),
                returned(None),
                returned([]),
            ),
            Handle(
                Return(RecordExpression((("k", Variable(1)), ("k", Literal(True))))),
                Return(Variable(0)),
                (
                    Clause(
                        "store.set",
                        BodyLet(
                            returned(1),
                            BodyIf(Literal(True), Answer(Variable(0)), Abort(Variable(1))),
                        ),
                    ),
                    Clause("host.ask", Resume(Variable(0), Return(Variable(0)), name="back")),
                ),
                name="result",
            ),
        ),
        name="x",
        span=Span(1, 1, 9, 2),
    ),
    task="main",
    source="all.ecl",
)

CHECKED_RESULT = {"record": [["code", True, "int"], ["out", False, "text"]]}
DOCUMENT: dict[str, Any] = {
    "format": "eclogue-core/1",
    "operations": [
        {"name": "host.ask", "payload": {"list": "text"}, "result": CHECKED_RESULT, "tier": "irreversible"},
        {
            "name": "store.set",
            "payload": "any",
            "result": {"lit": {"ok": True}},
            "tier": "compensable",
        },
    ],
    "body": {
        "seq": [
            {
                "seq": [
                    {
                        "perform": "host.ask",
                        "payload": {"check": {"list": "text"}, "of": {"list": [{"lit": "a"}]}},
                    },
                    {"return": {"check": CHECKED_RESULT, "of": {"var": 0}}},
                ]
            },
            {
                "if": {
                    "not": {
                        "left": {"get": {"var": 0}, "key": "code"},
                        "op": "<=",
                        "right": {"lit": {"$int": "1152921504606846976"}},
                    }
                },
                "then": {"return": {"lit": None}},
                "else": {"return": {"lit": []}},
            },
            {
                "handle": {"return": {"record": [["k", {"var": 1}], ["k", {"lit": True}]]}},
                "return": {"return": {"var": 0}},
                "clauses": [
                    {
                        "operation": "store.set",
                        "body": {
                            "seq": [
                                {"return": {"lit": 1}},
                                {
                                    "if": {"lit": True},
                                    "then": {"answer": {"var": 0}},
                                    "else": {"abort": {"var": 1}},
                                },
                            ]
                        },
                    },
                    {
                        "operation": "host.ask",
                        "body": {"resume": {"var": 0}, "then": {"return": {"var": 0}}},
                    },
                ],
            },
        ]
    },
}


def document(**changes: Any) -> str:
    """Return the example's document as text, with some members replaced."""
    return json.dumps(DOCUMENT | changes)


def with_body(body: object) -> str:
    return document(body=body)


def test_the_format_by_example() -> None:
    text = json.dumps(DOCUMENT, sort_keys=True, separators=(",", ":"))
    assert program_text(EVERYTHING, annotations=False) == text
    assert load_program(document()).body is not None


def test_text_is_canonical_and_the_ref_is_its_digest() -> None:
    text = program_text(EVERYTHING, annotations=False)
    assert write(read(text)).decode() == text
    assert program_ref(EVERYTHING) == digest(text.encode())
    assert write(program_to_value(EVERYTHING)).decode() == program_text(EVERYTHING)


def test_annotations_are_beside_the_term() -> None:
    noted = json.loads(program_text(EVERYTHING))["annotations"]
    assert noted["task"] == "main"
    assert noted["source"] == "all.ecl"
    # Numbered as they begin in the text: the outer let, the inner let, the perform, then its check.
    assert noted["spans"][:5] == [[1, 1, 9, 2], None, None, [2, 5, 2, 9], None]
    assert noted["names"][0] == "x"
    assert sorted(name for name in noted["names"] if name) == ["back", "result", "x", "x"]
    bare = attrs.evolve(EVERYTHING, task=None, source="elsewhere.ecl")
    assert program_ref(bare) == program_ref(EVERYTHING)


def test_nothing_to_annotate_leaves_no_table() -> None:
    assert program_text(Program((), returned(1))) == (
        '{"body":{"return":{"lit":1}},"format":"eclogue-core/1","operations":[]}'
    )


@given(st.integers(0, 2**32), st.booleans())
def test_round_trip(seed: int, directed: bool) -> None:
    rng = Random(seed)
    program = directed_program(rng) if directed else undirected_program(rng)
    text = program_text(program)
    again = program_from_value(read(text))
    assert program_text(again) == text
    assert program_ref(again) == program_ref(program)


@given(st.integers(0, 2**32))
def test_directed_programs_load(seed: int) -> None:
    program = directed_program(Random(seed), Flavour(80, "any", 0.0, 0.2))
    assert program_ref(load_program(program_text(program))) == program_ref(program)


def test_annotations_round_trip() -> None:
    text = program_text(EVERYTHING)
    program = program_from_value(read(text))
    assert program_text(program) == text
    assert (program.task, program.source) == ("main", "all.ecl")
    assert isinstance(program.body, Let)
    assert (program.body.name, program.body.span) == ("x", Span(1, 1, 9, 2))


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (lambda e: Let(returned(1), e, name="other", span=Span(1, 1, 1, 1)), True),
        (lambda e: Let(returned(2), e), False),
        (lambda e: Let(Return(Literal(True)), e), False),
    ],
)
def test_refs_are_over_the_nameless_term(change: Callable[[Computation], Computation], same: bool) -> None:
    plain = Program((), Let(returned(1), Return(Variable(0))))
    other = Program((), change(Return(Variable(0, name="n"))))
    assert (program_ref(plain) == program_ref(other)) is same


def test_key_order_and_white_space_do_not_matter() -> None:
    shuffled = json.dumps({key: DOCUMENT[key] for key in sorted(DOCUMENT, reverse=True)}, indent=3)
    assert program_ref(load_program(shuffled)) == program_ref(EVERYTHING)


NULL = {"return": {"lit": None}}
REFUSED = [
    ([], "the document: expected an object"),
    ({"format": "eclogue-core/2"}, "format: this version reads eclogue-core/1, not eclogue-core/2"),
    ({"operations": []}, "the document: not a program"),
    (DOCUMENT | {"more": 1}, "more: unknown member"),
    ({"format": "eclogue-core/1", "operations": []}, 'the document: "body" is missing'),
    (DOCUMENT | {"operations": {}}, "operations: expected a list"),
    (
        DOCUMENT | {"operations": DOCUMENT["operations"][::-1]},
        "operations[1]: operations stand in ascending",
    ),
    (DOCUMENT | {"operations": [DOCUMENT["operations"][0]] * 2}, "operations[1]: operations stand in"),
    (
        DOCUMENT | {"operations": [DOCUMENT["operations"][0] | {"tier": "final"}]},
        "operations[0].tier: expected one of reversible, compensable, irreversible",
    ),
    (
        DOCUMENT | {"operations": [DOCUMENT["operations"][0] | {"result": "Int"}]},
        "operations[0].result: expected one of any, null, bool, int, text",
    ),
    (
        DOCUMENT | {"operations": [DOCUMENT["operations"][0] | {"payload": {"list": {"set": 1}}}]},
        "operations[0].payload.list: expected a schema",
    ),
    (
        DOCUMENT
        | {"operations": [DOCUMENT["operations"][0] | {"result": {"record": [["a", True, "any"]] * 2}}]},
        "operations[0].result.record[1]: keys stand in ascending order",
    ),
    (
        DOCUMENT | {"operations": [DOCUMENT["operations"][0] | {"result": {"record": [["a", 1, "any"]]}}]},
        "operations[0].result.record[0][1]: expected true or false",
    ),
    (
        DOCUMENT | {"operations": [DOCUMENT["operations"][0] | {"result": {"record": [["a", "any"]]}}]},
        "operations[0].result.record[0]: expected [key, required, schema]",
    ),
    (DOCUMENT | {"body": 1}, "body: expected an object"),
    (DOCUMENT | {"body": {"return": {"lit": 1}, "span": 1}}, "body: expected a computation"),
    (DOCUMENT | {"body": {"answer": {"lit": 1}}}, "body: expected a computation"),
    (DOCUMENT | {"body": {"seq": [NULL]}}, "body.seq: a sequence has at least two items"),
    (
        DOCUMENT | {"body": {"seq": [NULL, {"seq": [NULL, NULL]}]}},
        "body.seq[1]: the last item of a sequence",
    ),
    (DOCUMENT | {"body": {"return": {"var": -1}}}, "body.return.var: expected an integer of at least 0"),
    (DOCUMENT | {"body": {"return": {"var": True}}}, "body.return.var: expected an integer"),
    (DOCUMENT | {"body": {"return": {"call": 1}}}, "body.return: expected an expression"),
    (
        DOCUMENT | {"body": {"return": {"left": {"lit": 1}, "op": "/", "right": {"lit": 1}}}},
        "body.return.op: expected one of == != <",
    ),
    (
        DOCUMENT | {"body": {"return": {"record": [["k"]]}}},
        "body.return.record[0]: expected [key, expression]",
    ),
    (
        DOCUMENT | {"body": {"return": {"record": [[1, {"lit": 1}]]}}},
        "body.return.record[0][0]: expected text",
    ),
    (DOCUMENT | {"body": {"return": {"list": [{"lit": 1}, 2]}}}, "body.return.list[1]: expected an object"),
    (
        DOCUMENT
        | {
            "body": {
                "seq": [
                    NULL,
                    {
                        "handle": NULL,
                        "return": NULL,
                        "clauses": [{"operation": "host.ask", "body": {"answer": {"lit": 1}}}] * 2,
                    },
                ]
            }
        },
        "body.seq[1].clauses[1].operation: host.ask has another clause in this handler",
    ),
    (
        DOCUMENT
        | {"body": {"handle": NULL, "return": NULL, "clauses": [{"operation": "host.ask", "body": NULL}]}},
        "body.clauses[0].body: expected a clause body",
    ),
    (
        DOCUMENT
        | {
            "body": {
                "handle": NULL,
                "return": NULL,
                "clauses": [{"operation": "host.ask", "body": {"seq": [NULL, {"return": {"lit": 1}}]}}],
            }
        },
        "body.clauses[0].body.seq[1]: expected a clause body",
    ),
    (
        DOCUMENT | {"annotations": {"spans": []}},
        "annotations.spans: expected one item for each of the 42 nodes",
    ),
    (DOCUMENT | {"annotations": {"spans": [[1, 2, 3]]}}, "annotations.spans[0]: expected [line, column"),
    (
        DOCUMENT | {"annotations": {"spans": [[0, 1, 1, 1]]}},
        "annotations.spans[0][0]: expected an integer of",
    ),
    (DOCUMENT | {"annotations": {"names": [3]}}, "annotations.names[0]: expected text"),
    (DOCUMENT | {"annotations": {"task": 3}}, "annotations.task: expected text"),
    (DOCUMENT | {"annotations": {"date": "now"}}, "annotations.date: unknown member"),
    (
        DOCUMENT | {"body": NULL, "annotations": {"names": [None, "x"]}},
        "annotations.names: a node that binds and mentions nothing has no name",
    ),
]


@pytest.mark.parametrize(("data", "message"), REFUSED)
def test_what_is_not_the_one_document_is_refused(data: object, message: str) -> None:
    with pytest.raises(MalformedInput) as refused:
        program_from_value(from_python_json(data))
    assert refused.value.message.startswith(message)


def from_python_json(data: object) -> Any:
    return read(json.dumps(data))


PERFORM = {"perform": "host.ask", "payload": {"check": {"list": "text"}, "of": {"list": []}}}
CHECK_RESULT = {"return": {"check": CHECKED_RESULT, "of": {"var": 0}}}
NOT_LOADED = [
    ({"return": {"var": 0}}, "body.return.var: variable 0 is not bound here (0 are)"),
    (
        {"seq": [NULL, {"return": {"var": 1}}]},
        "body.seq[1].return.var: variable 1 is not bound here (1 are)",
    ),
    (
        {"seq": [NULL, NULL, {"seq": [NULL, {"return": {"var": 5}}]}, NULL]},
        "body.seq[2].seq[1].return.var: variable 5 is not bound here (3 are)",
    ),
    (
        {"handle": {"return": {"var": 0}}, "return": NULL, "clauses": []},
        "body.handle.return.var: variable 0 is not bound",
    ),
    (
        {"seq": [{"perform": "no.such", "payload": {"lit": 1}}, NULL]},
        "body.seq[0].perform: operation no.such is not declared",
    ),
    (
        {
            "handle": NULL,
            "return": NULL,
            "clauses": [
                {"operation": "no.such", "body": {"resume": {"var": 0}, "then": {"return": {"var": 2}}}}
            ],
        },
        "body.clauses[0].operation: operation no.such is not declared",
        "body.clauses[0].body.then.return.var: variable 2 is not bound here (2 are)",
    ),
    (PERFORM, "body: the result of host.ask is not checked at once"),
    ({"seq": [PERFORM, NULL]}, "body.seq[0]: the result of host.ask is not checked"),
    ({"seq": [PERFORM, CHECK_RESULT, NULL]}, "body.seq[0]: the result of host.ask is not checked"),
    (
        {"seq": [PERFORM, {"return": {"check": "any", "of": {"var": 0}}}]},
        "body.seq[0]: the result of host.ask is not checked",
    ),
    (
        {"seq": [NULL, {"seq": [PERFORM, {"return": {"check": CHECKED_RESULT, "of": {"var": 1}}}]}, NULL]},
        "body.seq[1].seq[0]: the result of host.ask is not checked",
    ),
    (
        {"seq": [{"perform": "host.ask", "payload": {"list": []}}, CHECK_RESULT]},
        "body.seq[0]: the payload of host.ask is not checked",
    ),
    (
        {
            "handle": NULL,
            "return": NULL,
            "clauses": [
                {"operation": "host.ask", "body": {"seq": [PERFORM, {"answer": {"var": 0}}]}},
            ],
        },
        "body.clauses[0].body.seq[0]: the result of host.ask is not checked",
    ),
]


@pytest.mark.parametrize("case", NOT_LOADED)
def test_what_makes_no_sense_is_not_loaded(case: tuple[object, ...]) -> None:
    body, *messages = case
    assert program_from_value(read(with_body(body)))
    with pytest.raises(MalformedInput) as refused:
        load_program(with_body(body))
    lines = refused.value.message.splitlines()
    assert len(lines) == len(messages)
    for line, message in zip(lines, messages, strict=True):
        assert line.startswith(str(message))


def test_many_problems_are_counted() -> None:
    with pytest.raises(MalformedInput, match="and 15 more"):
        load_program(with_body({"return": {"list": [{"var": 3}] * 25}}))


def test_equal_schemas_need_not_be_one_object() -> None:
    """The checks in a document are objects of their own, and match what is declared part for part."""
    assert load_program(with_body({"seq": [PERFORM, CHECK_RESULT]}))


def chain(length: int) -> Computation:
    body: Computation = Return(Variable(0))
    for _ in range(length):
        body = Let(returned(1), body)
    return body


def nest(depth: int) -> Computation:
    body: Computation = returned(1)
    for _ in range(depth):
        body = Handle(body, Return(Variable(0)), ())
    return body


def deep_expression(depth: int) -> Expression:
    expression: Expression = Literal(True)
    for _ in range(depth):
        expression = Not(expression)
    return expression


@pytest.mark.parametrize("body", [chain(30_000), nest(30_000), Return(deep_expression(30_000))])
def test_long_and_deep_programs(body: Computation) -> None:
    program = Program((), body)
    text = program_text(program)
    assert program_ref(load_program(text)) == program_ref(program)


def test_a_long_chain_is_flat() -> None:
    text = program_text(Program((), chain(1000)))
    depth = deepest = 0
    for char in text:
        depth += (char in "[{") - (char in "]}")
        deepest = max(deepest, depth)
    assert deepest < 10


def test_sharing_is_bounded() -> None:
    body: Computation = returned(1)
    for _ in range(60):
        body = Let(body, body)
    program = Program((), body)
    small = Limits(program_nodes=10_000)
    for work in (program_ref, program_text):
        with pytest.raises(LimitExceeded, match="program_nodes"):
            work(program, limits=small)
    schema = ListSchema(Atom.INT)
    doubled: Any = schema
    for _ in range(60):
        doubled = record_schema([FieldSchema("a", True, doubled), FieldSchema("b", True, doubled)])
    with pytest.raises(LimitExceeded, match="value_size"):
        schema_text(doubled, Limits(value_size=100_000))
    big = Program((), Return(ListExpression((Literal("x" * 1000),) * 100)))
    with pytest.raises(LimitExceeded, match="program_size"):
        program_ref(big, Limits(program_size=50_000))
    with pytest.raises(LimitExceeded, match="program_nodes"):
        program_from_value(read(program_text(big)), Limits(program_nodes=50))


def test_no_problem_is_found_twice_for_shared_schemas() -> None:
    """Comparing two schemas that share exponentially often ends at once."""
    one: Any = Atom.INT
    two: Any = Atom.INT
    for _ in range(60):
        one = record_schema([FieldSchema("a", True, one), FieldSchema("b", True, one)])
        two = record_schema([FieldSchema("a", True, two), FieldSchema("b", True, two)])
    operation = Operation("o.p", one, Atom.ANY, Tier.REVERSIBLE)
    body = Let(Perform("o.p", Check(two, Literal(None))), Return(Check(Atom.ANY, Variable(0))))
    assert schema_checked(Program((operation,), body)) == ()


def test_refs_do_not_change() -> None:
    """A golden ref: any change of the format has to change its version."""
    assert (
        program_ref(EVERYTHING) == "sha256:276be366696eff013fe9b6ffb081b9e5afb95d05cd9f6ddb8e95d703a14f939e"
    )
