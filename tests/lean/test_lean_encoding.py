"""What the encoder writes, an independent decoder reads back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import for_seeds, schemas, values
from support.cases import directed_case, undirected_case
from support.failing import Case, hold

from eclogue.core.canonical import text_of
from eclogue.core.encoding import program_text, schema_text
from eclogue.core.errors import LimitExceeded, MalformedInput
from eclogue.core.limits import Limits
from eclogue.core.outcomes import Exhausted
from eclogue.core.run import run
from eclogue.core.schema import Schema
from eclogue.core.syntax import Let, Literal, Program, Return
from eclogue.core.values import Value, equal, record
from eclogue.core.wellformed import well_formed
from eclogue.lean import decode, encode

ODD_TEXTS = [
    '"',
    "\\",
    "\0\x1f\n",
    "'",
    "𝄞😀",
    "\U0010ffff",
    "a\0",
    "\0a",
    "",
    "⟨1, 2⟩",
    "-/ --",
    "é",
    "e\u0301",
]
LARGE_INTS = [2**63, 2**64, -(2**64), 10**5000, -(10**5000), 2**100_000 - 1]


@given(values)
def test_values_come_back(value: Value) -> None:
    assert equal(decode.decode_value(encode.value_term(value)), value)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts_come_back_as_values_keys_and_names(text: str) -> None:
    value = record({text: (text, record({text: text}))})
    assert equal(decode.decode_value(encode.value_term(value)), value)


@pytest.mark.parametrize("number", LARGE_INTS, ids=lambda number: f"{number.bit_length()} bits")
def test_large_ints_come_back(number: int) -> None:
    assert decode.decode_value(encode.value_term(number)) == number


@given(schemas)
def test_schemas_come_back(schema: Schema) -> None:
    assert schema_text(decode.decode_schema(encode.schema_term(schema))) == schema_text(schema)


@given(st.lists(values, max_size=4))
def test_answers_come_back(answers: list[Value]) -> None:
    found = decode.decode_answers(encode.answers_term(answers))
    assert text_of(found) == text_of(tuple(answers))


def _comes_back(case: Case) -> None:
    encoder = encode.Encoder.of(case.program)
    body = decode.decode_computation(encoder.computation(case.program.body), encoder.names)
    again = program_text(Program(case.program.operations, body), annotations=False)
    assert again == program_text(case.program, annotations=False)
    ran = run(case.program, case.answers)
    records = [item for _, item, _ in ran.records()]
    assert list(decode.decode_records(encoder.records(records), encoder.names)) == records
    assert not isinstance(ran.outcome, Exhausted)
    assert decode.decode_status(encoder.status(ran.outcome), encoder.names) == ran.outcome
    assert len(set(encoder.names)) == len(encoder.names)
    if not well_formed(case.program):
        text = encode.Encoder.of(case.program).program(case.program)
        assert program_text(decode.decode_program(text), annotations=False) == program_text(
            case.program, annotations=False
        )


def test_programs_and_traces_come_back() -> None:
    for_seeds(300, lambda seed: hold(_comes_back, directed_case(seed)))
    for_seeds(300, lambda seed: hold(_comes_back, undirected_case(seed)))


def test_depth_is_no_obstacle() -> None:
    value: Value = None
    for _ in range(100_000):
        value = (value,)
    assert equal(decode.decode_value(encode.value_term(value)), value)
    term: Let | Return = Return(Literal(None))
    for _ in range(50_000):
        term = Let(Return(Literal(None)), term)
    text = encode.Encoder().computation(term)
    assert encode.Encoder().computation(decode.decode_computation(text, ())) == text


def test_an_operation_without_a_name_is_refused() -> None:
    with pytest.raises(MalformedInput, match="operation 1 has no name"):
        decode.decode_computation("(.perform 1 (.literal .null))", ("only.one",))


def test_what_sharing_makes_too_large_is_refused() -> None:
    value: Value = 0
    for _ in range(60):
        value = (value, value)
    with pytest.raises(LimitExceeded, match="value_size"):
        encode.value_term(value, Limits(value_size=10_000))


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".int 3",
        "(.int .ofNat 3)",
        "(.bool 1)",
        "(.text ⟨1, 2097152⟩)",
        "(.text ⟨1, 55296⟩)",
        "(.text ⟨1, 1114112⟩)",
        "(.record (.cons ⟨1, 98⟩ .null (.cons ⟨1, 97⟩ .null .nil)))",
        "(.record (.cons ⟨1, 97⟩ .null (.cons ⟨1, 97⟩ .null .nil)))",
        ".null .null",
        "(.list (.cons .null .nil)",
        "(.unknown)",
        "null",
        "(.bool true",
        ".null -- a comment",
    ],
)
def test_other_text_is_no_value(text: str) -> None:
    with pytest.raises(MalformedInput):
        decode.decode_value(text)
